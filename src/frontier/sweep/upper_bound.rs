//! Upper bounds of counts, from the degrees of vertices without their matchings.
//!
//! A tour gives every vertex two edges, and so does every set of cycles that covers all vertices.
//! These sets are counted with one number per signature, where tours need one number per matching:
//! millions instead of billions.
//!
//! ```text
//! bound(s, t + 1) = sum over choices c into s   bound(s - c, t)
//! ```
//!
//! Sets of cycles with a subset that covers exactly the vertices processed so far are excluded,
//! since every tour crosses the frontier. So the bound is at most the number of two-factors, and
//! depends on the order.
//!
//! Negative factors count with their absolute values. Paths are bounded as cycles through the apex.
//! The sweep of a series passes the end of every shorter board and gives the bound of that board
//! too.
//!
//! A layer that is too large for the memory ends this sweep. The bound is then that of Brègman and
//! Minc for permanents, which follows from the degrees of the vertices alone and has about twice as
//! many digits.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::problem::Cycles;
use crate::frontier::signature::feasibility::{Feasibility, FeasibleTable};
use crate::frontier::signature::moves::{Side, StepMoves};
use crate::frontier::signature::space::{SignatureAddress, SignatureSpace, WordAddress, WordNumbering};

/// The method by which an upper bound was computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundMethod {
    /// A sweep over the degrees of the vertices, which counts two-factors.
    #[default]
    TwoFactors,
    /// The formula of Brègman and Minc with the degrees of the vertices.
    Degrees,
}

impl BoundMethod {
    /// Returns the name of the method in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoFactors => "two-factors",
            Self::Degrees => "degrees",
        }
    }
}

/// Upper bounds of the numbers of tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourBounds {
    /// The bounds of the shorter boards in order of length, if the sweep counts a series, and of the whole board last.
    pub numbers: Vec<BigUint>,
    /// The method of all bounds.
    pub method: BoundMethod,
}

/// Returns upper bounds of the numbers of tours. The signature space must not merge mirror
/// images. Returns `None` if the sweep was cancelled. Two layers take about half of `memory`, the
/// memory limit in bytes, at most; if that is too little, all boards have the bound of the whole board by
/// [`permanent_bound`]. Cost: O(steps x choices x signatures) additions of numbers with as many
/// limbs of 64 bits as the greatest number so far has.
#[must_use]
pub fn upper_bounds(
    cycles: &Cycles,
    space: &Arc<SignatureSpace>,
    memory: Option<u64>,
    cancel: &Cancel,
) -> Option<TourBounds> {
    let (words, plan) = (space.words(), space.plan());
    let mut feasibility = Feasibility::new(space, None, memory, cancel).ok()?;
    let max_bytes = memory.map_or(u64::MAX, |memory| memory / 2);
    let mut layer = BoundLayer { limbs: INITIAL_LIMBS, chunks: Vec::new() };
    layer.chunks.resize_with(words.chunk_count(), BoundChunk::default);
    let (mut present, mut one) = (vec![0; words.chunk_len()], vec![0; INITIAL_LIMBS]);
    (present[0], one[0]) = (1, 1);
    layer.chunks[0] = BoundChunk { present, starts: vec![0; words.chunk_len()], numbers: one };
    let mut numbers = Vec::new();
    for (t, step) in plan.steps().iter().enumerate() {
        let feasible = feasibility.table_after(t).ok()?;
        let moves = StepMoves::new_under(words, step, Side::Target, cancel).ok()?;
        layer = loop {
            match layer.next(words, &moves, &feasible, max_bytes, cancel) {
                // Chunks that were left out because of a cancellation are empty.
                Ok(next) => {
                    cancel.check().ok()?;
                    break next;
                }
                Err(NextError::TooFewLimbs) => layer.double_limbs(),
                Err(NextError::TooLarge) => {
                    let numbers = vec![permanent_bound(cycles); plan.shorter_ends().len() + 1];
                    return Some(TourBounds { numbers, method: BoundMethod::Degrees });
                }
            }
        };
        if plan.shorter_ends().contains(&t) {
            let inner =
                plan.inner_slots_if_finished(t, t).expect("the shorter board is complete after this step");
            numbers.push(layer.take(words, space.locate_inner_slots(inner)));
        }
    }
    numbers.push(layer.take(words, SignatureAddress { word_number: 0, bit: 0 }));
    Some(TourBounds { numbers, method: BoundMethod::TwoFactors })
}

/// Returns an upper bound of the number of Hamiltonian cycles: each is a permutation of the vertices,
/// and by the theorem of Brègman and Minc at most the product over the vertices of (d!)^(1/d)
/// permutations move every vertex to one of its d neighbours. Subgraphs have no greater bound.
fn permanent_bound(cycles: &Cycles) -> BigUint {
    let log2_at = |v| {
        let neighbours = cycles.neighbours(v);
        let largest =
            neighbours.iter().map(|&w| cycles.factor(v, w).unsigned_abs().max(1)).max().unwrap_or(1);
        let log2_factorial: f64 = (1..=neighbours.len()).map(|k| (k as f64).log2()).sum();
        log2_factorial / neighbours.len().max(1) as f64 + f64::from(largest).log2()
    };
    let log2_bound: f64 = (0..cycles.len()).map(log2_at).sum();
    // The next power of two but one, which is safe from rounding errors.
    BigUint::ONE << (log2_bound.ceil() as u64 + 1)
}

/// Number of 64-bit limbs of each number at the start; sufficient for nearly all boards.
const INITIAL_LIMBS: usize = 2;

/// Reason why a layer cannot be computed.
enum NextError {
    /// A number does not fit its limbs.
    TooFewLimbs,
    /// The layer and its source take too much memory.
    TooLarge,
}

/// Layer of a bound: one number for each signature after a step.
struct BoundLayer {
    /// Number of 64-bit limbs per number.
    limbs: usize,
    chunks: Vec<BoundChunk>,
}

/// Chunk of a [`BoundLayer`]: the numbers of consecutive signatures.
#[derive(Default)]
struct BoundChunk {
    /// For each word of the chunk, the set of its signatures that have a number; empty if the whole
    /// chunk has no such signature.
    present: Vec<u128>,
    /// For each word of the chunk, the number of signatures of earlier words that have a number.
    starts: Vec<u32>,
    /// Limbs of all numbers, one number after the other, with the least significant limb of each
    /// number first.
    numbers: Vec<u64>,
}

impl BoundChunk {
    /// Returns the number of bytes that the chunk takes.
    fn bytes(&self) -> u64 {
        (size_of_val(&*self.present) + size_of_val(&*self.starts) + size_of_val(&*self.numbers)) as u64
    }
}

/// Returns the number of elements of the bitmap `set` that are less than `bit`.
const fn bits_below(set: u128, bit: u32) -> usize {
    (set & ((1 << bit) - 1)).count_ones() as usize
}

impl BoundLayer {
    /// Returns the layer after the next step, whose moves are `moves`. The layer is incomplete if
    /// `cancel` is cancelled. Fails if this layer and the next take more than `max_bytes` bytes.
    fn next(
        &self,
        words: &WordNumbering,
        moves: &StepMoves,
        feasible: &FeasibleTable,
        max_bytes: u64,
        cancel: &Cancel,
    ) -> Result<Self, NextError> {
        let bytes = AtomicU64::new(self.chunks.iter().map(BoundChunk::bytes).sum());
        let part = |chunk_number| {
            if cancel.is_cancelled() {
                return Ok(BoundChunk::default());
            }
            // Loops of a length known at compile time are faster.
            let chunk = match self.limbs {
                INITIAL_LIMBS => self.next_chunk::<INITIAL_LIMBS>(words, moves, feasible, chunk_number),
                _ => self.next_chunk::<0>(words, moves, feasible, chunk_number),
            }?;
            let others = bytes.fetch_add(chunk.bytes(), Ordering::Relaxed);
            if others + chunk.bytes() > max_bytes { Err(NextError::TooLarge) } else { Ok(chunk) }
        };
        let parts = (0..words.chunk_count()).into_par_iter().map(part).collect::<Result<_, _>>()?;
        Ok(Self { limbs: self.limbs, chunks: parts })
    }

    /// Returns chunk `chunk_number` of the layer after the next step. `KNOWN` is the number of
    /// limbs if it is known at compile time, else 0.
    fn next_chunk<const KNOWN: usize>(
        &self,
        words: &WordNumbering,
        moves: &StepMoves,
        feasible: &FeasibleTable,
        chunk_number: usize,
    ) -> Result<BoundChunk, NextError> {
        let limbs = if KNOWN > 0 { KNOWN } else { self.limbs };
        let mut part = BoundChunk::default();
        if moves
            .reached_chunks(chunk_number, None)
            .iter()
            .all(|&source| self.chunks[source].numbers.is_empty())
        {
            return Ok(part);
        }
        let mut count = 0;
        for word in 0..words.chunk_len() {
            let feasible_bits = feasible.word(words.number_of(WordAddress { chunk: chunk_number, word }));
            let start = count;
            part.starts.push(u32::try_from(start).expect("a chunk has fewer than 2^32 signatures"));
            let sources = || {
                moves.moves_at(chunk_number, word).iter().filter_map(|m| {
                    let source = &self.chunks[(chunk_number as i32 + m.chunk_distance) as usize];
                    let word = (word as i32 + m.word_distance) as usize;
                    let present = *source.present.get(word)?;
                    Some((m, source, word, present, m.shift_in(present) & feasible_bits))
                })
            };
            let present = sources().fold(0, |all, (.., bits)| all | bits);
            part.present.push(present);
            count += present.count_ones() as usize;
            part.numbers.resize(count * limbs, 0);
            for (m, source, word, present_bits, mut bits) in sources() {
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    let from = source.starts[word] as usize
                        + bits_below(present_bits, bit.wrapping_add_signed(m.shift));
                    let to = start + bits_below(present, bit);
                    let number = &source.numbers[from * limbs..][..limbs];
                    add_multiple(&mut part.numbers[to * limbs..][..limbs], number, m.factor.unsigned_abs())?;
                }
            }
        }
        if part.numbers.is_empty() {
            part = BoundChunk::default();
        }
        part.numbers.shrink_to_fit();
        Ok(part)
    }

    /// Doubles the number of limbs of every number.
    fn double_limbs(&mut self) {
        let limbs = self.limbs;
        for part in &mut self.chunks {
            let wide = part
                .numbers
                .chunks(limbs)
                .flat_map(|number| number.iter().copied().chain(iter::repeat_n(0, limbs)));
            part.numbers = wide.collect();
        }
        self.limbs = 2 * limbs;
    }

    /// Returns the number of the signature at `at` and replaces it by zero.
    fn take(&mut self, words: &WordNumbering, at: SignatureAddress) -> BigUint {
        let WordAddress { chunk: chunk_number, word } = words.word_at(at.word_number);
        let BoundChunk { present, starts, numbers } = &mut self.chunks[chunk_number];
        match present.get(word) {
            Some(&there) if there >> at.bit & 1 == 1 => {
                let position = starts[word] as usize + bits_below(there, at.bit);
                let number = &mut numbers[position * self.limbs..][..self.limbs];
                let halves = number.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]);
                let taken = BigUint::new(halves.collect());
                number.fill(0);
                taken
            }
            _ => BigUint::ZERO,
        }
    }
}

/// Adds the product of `times` and `number` to `sum`. Fails if the result does not fit the limbs of
/// `sum`.
fn add_multiple(sum: &mut [u64], number: &[u64], times: u32) -> Result<(), NextError> {
    let mut carry = 0;
    for (sum, &limb) in sum.iter_mut().zip(number) {
        let more = u128::from(*sum) + u128::from(limb) * u128::from(times) + carry;
        (*sum, carry) = (more as u64, more >> 64);
    }
    if carry == 0 { Ok(()) } else { Err(NextError::TooFewLimbs) }
}

#[cfg(test)]
mod tests {
    use super::super::count::count;
    use super::super::options::Options;
    use super::super::prepared_sweep::PreparedSweep;
    use super::super::report::NoObserver;
    use super::*;
    use crate::board::{Graph, Leaper};
    use crate::frontier::planning::plan::Plan;
    use crate::frontier::planning::problem::{Cycles, Tours};
    use crate::frontier::planning::problem::{Factors, SweepGraph};

    /// Returns the number of sets of edges among the vertices from `v` on that give each vertex the
    /// degree that it still lacks. `lacks` has this degree for each vertex.
    fn two_factors(graph: &Graph, v: usize, lacks: &mut [u8]) -> u64 {
        if v == graph.len() {
            return 1;
        }
        let later: Vec<usize> = graph.neighbours(v).iter().map(|&w| w as usize).filter(|&w| w > v).collect();
        let mut ways = 0;
        for set in 0u32..1 << later.len() {
            let chosen: Vec<usize> =
                (0..later.len()).filter(|i| set >> i & 1 == 1).map(|i| later[i]).collect();
            if chosen.len() == usize::from(lacks[v]) && chosen.iter().all(|&w| lacks[w] > 0) {
                chosen.iter().for_each(|&w| lacks[w] -= 1);
                ways += two_factors(graph, v + 1, lacks);
                chosen.iter().for_each(|&w| lacks[w] += 1);
            }
        }
        ways
    }

    fn bound_in_order(graph: &Graph, order: &[usize]) -> u64 {
        let sweep_graph = SweepGraph::with_factors(graph.clone(), Factors::new(), Vec::new());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let space = Arc::new(SignatureSpace::new(&Arc::new(Plan::new(&cycles, order, false))).unwrap());
        let found = upper_bounds(&cycles, &space, None, &Cancel::default()).unwrap();
        u64::try_from(&found.numbers[0]).unwrap()
    }

    #[test]
    fn upper_bound_is_between_tours_and_two_factors() {
        for (board, tours) in [("5x6", 8u32), ("3x10", 16), ("3x8", 0)] {
            let graph = Graph::from_leaper(&board.parse().unwrap(), Leaper::KNIGHT);
            let all = two_factors(&graph, 0, &mut vec![2; graph.len()]);
            let order: Vec<usize> = (0..graph.len()).collect();
            let found = bound_in_order(&graph, &order);
            assert!(u64::from(tours) <= found && found <= all, "{board}: {tours} {found} {all}");
        }
        // Two triangles joined by an edge have a two-factor, which consists of two cycles.
        let triangles = Graph::from_edges(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]);
        assert_eq!(two_factors(&triangles, 0, &mut [2; 6]), 1);
        assert_eq!(
            bound_in_order(&triangles, &[0, 1, 2, 3, 4, 5]),
            0,
            "no two-factor crosses every frontier"
        );
        assert_eq!(
            bound_in_order(&triangles, &[0, 3, 1, 4, 2, 5]),
            1,
            "the two triangles cross every frontier"
        );
    }

    /// Returns a ring of five vertices whose edges have the factor -10,000.
    fn negative_ring() -> SweepGraph {
        let ring = Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5)));
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)];
        let factors: Factors = edges.into_iter().map(|edge| (edge, -10_000)).collect();
        SweepGraph::with_factors(ring, factors, Vec::new())
    }

    #[test]
    fn bound_without_memory_is_at_least_the_bound_by_signatures() {
        let weighted = negative_ring();
        let boards = ["5x6", "6x6", "3x10"].map(|board| SweepGraph::from_board(&board.parse().unwrap()));
        for graph in boards.iter().chain([&weighted]) {
            for tours in [Tours::Closed, Tours::Paths] {
                let bound_under = |memory| {
                    let options = Options { memory, ..Options::default() };
                    PreparedSweep::new(graph, tours, &options).unwrap().upper_bound().unwrap()
                };
                let ((rough, formula), (close, sweep)) = (bound_under(Some(0)), bound_under(None));
                assert_eq!((formula, sweep), (BoundMethod::Degrees, BoundMethod::TwoFactors));
                assert!(
                    close <= rough && rough.bits() <= 2 * close.bits() + 32,
                    "{tours:?}: {close} {rough}"
                );
            }
        }
    }

    #[test]
    fn upper_bound_uses_absolute_values_of_factors() {
        let prepared = PreparedSweep::new(&negative_ring(), Tours::Closed, &Options::default()).unwrap();
        assert_eq!(prepared.upper_bound().unwrap().0, BigUint::from(10u8).pow(20));
    }

    #[test]
    fn upper_bound_grows_beyond_machine_words() {
        let ring = Graph::from_edges(999, (0..999).map(|v| (v, (v + 1) % 999)));
        let factors: Factors =
            (0..999).map(|v| ((v.min((v + 1) % 999), v.max((v + 1) % 999)), 10_000)).collect();
        let sweep_graph = SweepGraph::with_factors(ring, factors, Vec::new());
        let prepared = PreparedSweep::new(&sweep_graph, Tours::Closed, &Options::default()).unwrap();
        assert_eq!(prepared.upper_bound().unwrap().0, BigUint::from(10u8).pow(4 * 999));
    }

    #[test]
    fn upper_bound_is_at_least_the_count() {
        for board in ["4x5", "5x5", "5x6", "6x6"] {
            let sweep_graph = SweepGraph::from_board(&board.parse().unwrap());
            for tours in [
                Tours::Closed,
                Tours::Paths,
                Tours::From(0),
                Tours::Between(0, sweep_graph.as_graph().len() as u32 - 1),
            ] {
                let options = Options::default();
                let number = count(&sweep_graph, tours, &options, &mut NoObserver).unwrap().count;
                let prepared = PreparedSweep::new(&sweep_graph, tours, &options).unwrap();
                let (bound, _) = prepared.upper_bound().unwrap();
                assert!(number <= bound, "{board} {tours:?}: {number} {bound}");
                assert!(bound.bits() <= 2 * number.bits() + 12, "{board} {tours:?}: {number} {bound}");
            }
        }
    }
}
