//! A tour under construction is stored as links: for each square, the one or two squares that it is joined
//! to. Memory: eight bytes a square. Two cycles merge by exchanging two moves for two:
//!
//! ```text
//! a ----- b          a      b
//!             --->   |      |      a-b and c-d are replaced by a-c and b-d
//! c ----- d          c      d
//! ```

/// Marks a missing link.
pub(super) const NO_LINK: u32 = u32::MAX;

/// Returns the squares from `start` along the links, up to an end or back to `start`.
pub(super) fn follow_links(links: &[[u32; 2]], start: usize) -> Vec<u32> {
    let mut tour = Vec::with_capacity(links.len());
    let (mut before, mut at) = (NO_LINK, start as u32);
    loop {
        tour.push(at);
        let [a, b] = links[at as usize];
        let next = if a == before || a == NO_LINK { b } else { a };
        if next == NO_LINK || next == before || next as usize == start || tour.len() == links.len() {
            return tour;
        }
        (before, at) = (at, next);
    }
}

/// Replaces `old` by `new` among the links of `square`.
pub(super) fn replace_link(links: &mut [[u32; 2]], square: u32, old: u32, new: u32) {
    for link in &mut links[square as usize] {
        if *link == old {
            *link = new;
            return;
        }
    }
    debug_assert!(false, "{square} is not joined to {old}");
}
