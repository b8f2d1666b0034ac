//! Sums of source blocks, one target block after the other.
//!
//! A signature's predecessors are a list of [`Term`]s: source block, matching map, factor. A [`BlockBuilder`]
//! appends one block for each signature:
//!
//! ```text
//! terms, and mirrored terms of the mirror image -> block at the end of slabs of one width
//! ```
//!
//! Sources are as wide as the target's sums or narrower. Wide targets are rare: they have kernels for sources
//! of their own width only, and narrower sources are widened first. Weights wider than 128 bits are summed by
//! [`LimbBlockBuilder`](crate::frontier::weights::limbs::LimbBlockBuilder).

use crate::frontier::block::effects::add_changed;
use crate::frontier::block::heap::{Heap, Lying, Residues, Thick, Thin, ThinResidues, zeros};
use crate::frontier::block::kernel::{Kernel, One, add};
use crate::frontier::block::limbs::LimbBlocks;
use crate::frontier::block::modulus::{Lane, Residue};
use crate::frontier::block::permutation::add_permuted;
use crate::frontier::block::slabs::Sizes;
use crate::frontier::block::tables::Tables;
use crate::frontier::block::term::{Blocks, Mirrored, Sum, Term};
use crate::frontier::block::weight::Widen;
use crate::frontier::block::weights::Weights;
use crate::frontier::block::width::Width;

/// Returns a builder of blocks summed in `width`, with capacity `capacity`. If `capacity` gives the expected
/// number of nonzero weights and they are narrow, the blocks are stored without zeros. With a residue `ring`
/// the blocks are stored as residues.
///
/// # Panics
/// If the width is too narrow for sums, or for sums of residues of `ring`.
#[must_use]
pub fn blocks(width: Width, lane: Option<Lane>, room: Sizes) -> Box<dyn Blocks> {
    let is_thin = room.states.is_some();
    if let Some(lane) = lane {
        return match (width, lane.width()) {
            (Width::W32, _) if is_thin => growing::<u32, _>(ThinResidues::with_capacity(lane, room)),
            (Width::W32, Width::W16) => growing::<u32, _>(Residues::<_, u16>::with_capacity(lane, room)),
            (Width::W64, _) if is_thin => growing::<u64, _>(ThinResidues::with_capacity(lane, room)),
            (Width::W64, Width::W16) => growing::<u64, _>(Residues::<_, u16>::with_capacity(lane, room)),
            (Width::W64, _) => growing::<u64, _>(Residues::<_, u32>::with_capacity(lane, room)),
            (Width::W128, Width::W32) => growing::<u128, _>(Residues::<_, u32>::with_capacity(lane, room)),
            _ => panic!("{width:?} is not a sum width for residues of {lane:?}"),
        };
    }
    match width {
        Width::W16 => panic!("16 bits are too narrow for sums"),
        Width::W32 if is_thin => growing::<u32, _>(Thin::with_capacity(room)),
        Width::W32 => growing::<u32, _>(Thick::with_capacity(room)),
        Width::W64 => growing::<u64, _>(Thick::with_capacity(room)),
        Width::W128 => growing::<u128, _>(Thick::with_capacity(room)),
        Width::Limbs(each) => Box::new(LimbBlocks::new(each as usize, room.places)),
    }
}

fn growing<T: Summing, H: Heap<T> + 'static>(heap: H) -> Box<dyn Blocks> {
    Box::new(Growing { heap, mirrored: Vec::new(), multiple: Vec::new() })
}

struct Growing<T, H> {
    heap: H,
    /// Buffers for blocks that are mirrored, or multiplied by a factor.
    mirrored: Vec<T>,
    multiple: Vec<T>,
}

impl<T: Summing, H: Heap<T>> Blocks for Growing<T, H> {
    fn push(&mut self, tables: &Tables, len: usize, terms: &[Term], mirrored: Mirrored) -> Sum {
        let lane = self.heap.lane();
        let block = self.heap.open(len);
        let mut seen = add_terms(tables, block, terms, &mut self.multiple, lane);
        let mut is_folded = false;
        if !mirrored.terms.is_empty() {
            let image = zeros(&mut self.mirrored, len);
            let of_image = add_terms(tables, image, mirrored.terms, &mut self.multiple, lane);
            if of_image != T::default() {
                is_folded = true;
                seen = seen.or(of_image).or(add_permuted(tables, block, image, One, mirrored.places));
            }
        }
        if seen == T::default() {
            self.heap.leave_out();
            return Sum::default();
        }
        Sum { bits: seen.bits(), states: self.heap.keep(), is_folded }
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn finish(self: Box<Self>) -> Weights {
        self.heap.finish()
    }
}

/// Adds all terms to a block of zeros; returns the OR of the sums. Terms with a negative factor must come
/// first.
fn add_terms<T: Summing>(
    tables: &Tables,
    block: &mut [T],
    terms: &[Term],
    multiple: &mut Vec<T>,
    lane: Option<Lane>,
) -> T {
    let mut seen = T::default();
    let taken = terms.iter().take_while(|term| term.factor < 0).count();
    for (number, term) in terms.iter().enumerate() {
        if number == taken && taken > 0 {
            negate(block, lane);
        }
        seen = seen.or(if term.factor.unsigned_abs() == 1 {
            T::add_term(tables, block, term)
        } else {
            add_multiple(tables, block, term, multiple)
        });
    }
    // Negative terms are summed first, then the sum is negated as a whole.
    if taken > 0 && taken == terms.len() {
        negate(block, lane);
    }
    seen
}

/// Replaces weights by their negatives: residues if there is a ring, else modulo the type's width.
fn negate<T: Residue>(block: &mut [T], lane: Option<Lane>) {
    match lane {
        Some(lane) => lane.negate(block),
        None => block.iter_mut().for_each(|w| *w = w.negated()),
    }
}

/// Adds a term times its factor, by doubling: no number greater than the product is ever stored.
#[inline(never)]
fn add_multiple<T: Summing>(tables: &Tables, block: &mut [T], term: &Term, multiple: &mut Vec<T>) -> T {
    let multiple = zeros(multiple, block.len());
    let mut seen = T::add_term(tables, multiple, term);
    let mut factor = term.factor.unsigned_abs();
    while factor != 0 {
        if factor & 1 == 1 {
            seen = seen.or(add(block, multiple, One));
        }
        factor >>= 1;
        if factor != 0 {
            for w in multiple.iter_mut() {
                *w = w.plus(*w);
                seen = seen.or(*w);
            }
        }
    }
    seen
}

/// A number type in which blocks are summed, from sources of its own width or narrower ones.
trait Summing: Lying + Residue + Kernel<Self> {
    /// Adds a term, without its factor; returns the OR of the sums.
    ///
    /// # Panics
    /// If the source is wider.
    fn add_term(tables: &Tables, block: &mut [Self], term: &Term) -> Self;
}

/// Implements [`SumWeight`]: the first list has the widths with kernels, the second the widths that are
/// widened first.
macro_rules! summing {
    ($type:ty, [$($kernel:ident),*], [$($widened:ident),*]) => {
        impl Summing for $type {
            fn add_term(tables: &Tables, block: &mut [Self], term: &Term) -> Self {
                let of = term.place..term.place + term.len;
                match term.source {
                    $(Weights::$kernel(v) => add_changed(tables, block, &*v.slice(of), One, term.change),)*
                    Weights::Packed(v) => add_changed(tables, block, v.held(of).part(), One, term.change),
                    $(Weights::$widened(v) => {
                        let wide: Vec<Self> = v.slice(of).iter().map(|&w| Self::widen(w)).collect();
                        add_changed(tables, block, wide.as_slice(), One, term.change)
                    })*
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("sources are never wider than their target"),
                }
            }
        }
    };
}

summing!(u32, [W16, W32], []);
summing!(u64, [W16, W32, W64], []);
summing!(u128, [W32, W128], [W64]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::block::effects::Change;
    use crate::frontier::block::tables::Places;

    const WIDTHS: [Width; 6] =
        [Width::W32, Width::W64, Width::W128, Width::Limbs(8), Width::Limbs(12), Width::Limbs(44)];

    fn term(source: &Weights, factor: i32) -> Term<'_> {
        Term { source, place: 1, len: 3, change: Change::Keep, factor }
    }

    /// Returns a vector of one block of 3 weights, and what `push_sum` returned.
    fn summed(width: Width, terms: &[Term], mirrored: Mirrored) -> (Weights, Sum) {
        let mut blocks = blocks(width, None, Sizes { places: 3, longest: 3, states: None });
        let sum = blocks.push(&Tables::new(4), 3, terms, mirrored);
        (blocks.finish().converted(Width::W64), sum)
    }

    #[test]
    fn sources_of_any_width_give_the_same_block() {
        let narrow = Weights::W32(vec![9, 1, 0, 7, 9].into());
        for target in WIDTHS {
            for source in WIDTHS.into_iter().filter(|&source| source <= target) {
                let source = narrow.converted(source);
                let (block, sum) = summed(target, &[term(&source, 1), term(&source, 2)], Mirrored::default());
                assert_eq!(block, Weights::W64(vec![3, 0, 21].into()));
                assert_eq!(sum, Sum { bits: 5, states: 2, is_folded: false });
            }
        }
    }

    #[test]
    fn factors_multiply_however_great() {
        let source = Weights::W32(vec![0, 1, 2, 3].into());
        let (block, _) = summed(Width::W64, &[term(&source, i32::MAX)], Mirrored::default());
        let product = |x: u64| x * i32::MAX as u64;
        assert_eq!(block, Weights::W64(vec![product(1), product(2), product(3)].into()));
    }

    #[test]
    fn a_product_that_outgrows_its_type_is_seen() {
        let source = Weights::W32(vec![0, 1, 2, 3].into());
        for factor in [1 << 30, (1 << 30) + 1, i32::MAX] {
            assert_eq!(
                summed(Width::W32, &[term(&source, factor)], Mirrored::default()).1.bits,
                32,
                "{factor}"
            );
        }
        assert_eq!(summed(Width::W32, &[term(&source, 1 << 29)], Mirrored::default()).1.bits, 31);
    }

    #[test]
    fn what_is_taken_away_is_subtracted_modulo_the_width() {
        let (three, one) = (Weights::W64(vec![0, 3, 3, 3].into()), Weights::W64(vec![0, 1, 2, 5].into()));
        let (block, _) = summed(Width::W64, &[term(&one, -1), term(&three, 1)], Mirrored::default());
        assert_eq!(block, Weights::W64(vec![2, 1, 2u64.wrapping_neg()].into()));
        let (block, _) = summed(Width::W64, &[term(&one, -2)], Mirrored::default());
        assert_eq!(block, Weights::W64([2u64, 4, 10].map(u64::wrapping_neg).to_vec().into()));
    }

    #[test]
    fn images_come_mirrored() {
        let source = Weights::W32(vec![0, 5, 6, 7].into());
        // Ends 1 and 2 exchanged: matchings 0 (0-1 2-3) and 1 (0-2 1-3) are each other's image.
        let mirrored = Mirrored { terms: &[term(&source, 1)], places: &[0, 2, 1, 3] };
        let (block, sum) = summed(Width::W32, &[], mirrored);
        assert_eq!(block, Weights::W64(vec![6, 5, 7].into()));
        assert!(sum.is_folded);
    }

    #[test]
    fn a_block_of_zeros_is_left_out() {
        let source = Weights::W32(vec![0; 4].into());
        let (block, sum) = summed(Width::W32, &[term(&source, 1)], Mirrored::default());
        assert_eq!((block.len(), sum), (0, Sum::default()));
    }

    #[test]
    fn ends_move_on_the_way() {
        let source = Weights::W64(vec![0, 5, 6, 7].into());
        let change = Change::Move(Places::new(4, 0, 1));
        // An end that moves past another: 0-2 1-3 and 0-3 1-2 are exchanged, 0-1 2-3 stays.
        let (block, _) = summed(Width::W64, &[Term { change, ..term(&source, 1) }], Mirrored::default());
        assert_eq!(block, Weights::W64(vec![5, 7, 6].into()));
    }
}
