//! Arbitrary permutations of the ends, for folding.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::frontier::block::effects::add_moved;
use crate::frontier::block::kernel::{Grain, Index, Kernel, add};
use crate::frontier::block::tables::{Places, TABLED, Tables};
use crate::frontier::state::matching::{index_of, matching_at, size};

thread_local! {
    /// Index maps by permutation, made when first asked for.
    static MAPS: RefCell<HashMap<u64, Vec<u16>>> = RefCell::default();
}

/// `dst += src` with the end at place `p` of the target taken from place `from[p]` of the source.
/// Both have `SIZE[n]` weights, `n = from.len()`. Returns the OR of the sums.
pub fn add_permuted<W: Kernel<W>>(
    tables: &Tables,
    dst: &mut [W],
    src: &[W],
    strides: impl Grain,
    from: &[u8],
) -> W {
    let n = from.len();
    if from.iter().enumerate().all(|(p, &q)| p == usize::from(q)) {
        return add(dst, src, strides);
    }
    if n > TABLED {
        return add(dst, &permuted_by_moves(tables, src, strides, from), strides);
    }
    assert!(src.len() == size(n) * strides.strides().from && dst.len() == size(n) * strides.strides().to);
    let key = from.iter().fold(1, |key, &q| key << 4 | u64::from(q));
    MAPS.with_borrow_mut(|maps| {
        let map = maps.entry(key).or_insert_with(|| permutation_table(from));
        // SAFETY: entries of a permutation table for n ends are indices below SIZE[n].
        unsafe { W::accumulate(dst, src, strides.strides(), Index::From(map)) }
    })
}

fn permutation_table(from: &[u8]) -> Vec<u16> {
    let n = from.len();
    let source_index = |target| {
        let mut source = [0u8; TABLED];
        for (p, &mate) in matching_at(n, target).iter().enumerate() {
            source[usize::from(from[p])] = from[usize::from(mate)];
        }
        index_of(&source[..n]) as u16
    };
    (0..size(n)).map(source_index).collect()
}

/// A block permuted by moving one end at a time to its place, lowest place first.
fn permuted_by_moves<W: Kernel<W>>(tables: &Tables, src: &[W], strides: impl Grain, from: &[u8]) -> Vec<W> {
    let mut now: Vec<u8> = (0..from.len() as u8).collect();
    let mut block = src.to_vec();
    for (place, &wanted) in from.iter().enumerate() {
        let at = now.iter().position(|&q| q == wanted).expect("a permutation");
        if at != place {
            let mut moved = vec![W::default(); block.len()];
            add_moved(tables, &mut moved, block.as_slice(), strides, Places::new(from.len(), at, place));
            block = moved;
            now.remove(at);
            now.insert(place, wanted);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::block::kernel::One;

    fn numbers(len: usize) -> Vec<u32> {
        (0..len as u32).map(|x| x.wrapping_mul(2_654_435_761) >> 12).collect()
    }

    #[test]
    fn permutations_by_table_and_by_moves_agree() {
        let tables = Tables::new(TABLED);
        let from = [3, 2, 5, 0, 7, 1, 4, 6, 9, 8];
        let src = numbers(size(10));
        let mut dst = vec![0; size(10)];
        add_permuted(&tables, &mut dst, &src, One, &from);
        assert_eq!(dst, permuted_by_moves(&tables, &src, One, &from));
        let long: Vec<u8> = from.iter().copied().chain([11, 10]).collect();
        let src = numbers(size(12));
        let once = permuted_by_moves(&tables, &src, One, &long);
        let mut back = vec![0; 12];
        long.iter().enumerate().for_each(|(p, &q)| back[usize::from(q)] = p as u8);
        assert_eq!(permuted_by_moves(&tables, &once, One, &back), src);
    }
}
