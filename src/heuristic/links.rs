//! A tour under construction: for each square the one or two it is joined to.
//!
//! Eight bytes a square. Cycles merge into one by exchanging two moves for two:
//!
//! ```text
//! a ----- b          a      b
//!             --->   |      |      a-b and c-d make way for a-c and b-d
//! c ----- d          c      d
//! ```

/// No square.
pub(super) const NONE: u32 = u32::MAX;

/// Follows the links from `start` until they end or come back.
pub(super) fn walk(links: &[[u32; 2]], start: usize) -> Vec<u32> {
    let mut tour = Vec::with_capacity(links.len());
    let (mut before, mut at) = (NONE, start as u32);
    loop {
        tour.push(at);
        let [a, b] = links[at as usize];
        let next = if a == before || a == NONE { b } else { a };
        if next == NONE || next == before || next as usize == start || tour.len() == links.len() {
            return tour;
        }
        (before, at) = (at, next);
    }
}

/// Puts `new` in the place of `old` among the links of `square`.
pub(super) fn replace(links: &mut [[u32; 2]], square: u32, old: u32, new: u32) {
    for link in &mut links[square as usize] {
        if *link == old {
            *link = new;
            return;
        }
    }
    debug_assert!(false, "{square} is not joined to {old}");
}
