//! No more tours than this: degrees counted, and who is whose mate forgotten.
//!
//! A tour gives every vertex two edges, and so does every set of cycles that has them all. Those are counted by a
//! number a signature, where tours need one a matching, millions for billions:
//!
//! ```text
//! bound(s, t + 1) = sum over choices c into s   bound(s - c, t)
//! ```
//!
//! Sets of cycles some of which have all vertices up to a front are left out, for a tour crosses every front. So the
//! bound is the number of two-factors or less, and depends on the order. Factors below zero count by their absolute
//! values. Paths are bounded with their apex.

use std::sync::Arc;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::problem::cancel::Cancel;
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::{Feasibility, Feasible};
use crate::frontier::state::moves::{Moves, Side};
use crate::frontier::state::words::{At, Words};

/// A bound of the tours of a course that is not folded; `None` if it was cancelled, or has more than 4096 bits.
#[must_use]
pub fn bound(course: &Arc<Course>, memory: Option<u64>, cancel: &Cancel) -> Option<BigUint> {
    // Nearly all fit the first.
    let found = bound_in::<2>(course, memory, cancel);
    let found = found.or_else(|()| bound_in::<8>(course, memory, cancel));
    found.or_else(|()| bound_in::<64>(course, memory, cancel)).ok().flatten()
}

/// The same with numbers of so many limbs of 64 bits, which may be too few.
fn bound_in<const LIMBS: usize>(
    course: &Arc<Course>,
    memory: Option<u64>,
    cancel: &Cancel,
) -> Result<Option<BigUint>, ()> {
    let words = course.words();
    let mut feasibility = Feasibility::new(course, None, memory, cancel);
    let mut layer: Vec<Part<LIMBS>> = Vec::new();
    layer.resize_with(words.chunks(), Part::default);
    let (mut present, mut one) = (vec![0; words.chunk_len()], [0; LIMBS]);
    (present[0], one[0]) = (1, 1);
    layer[0] = Part { present, starts: vec![0; words.chunk_len()], numbers: vec![one] };
    for (t, step) in course.plan().steps().iter().enumerate() {
        let feasible = feasibility.after(t);
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let moves = Moves::new(words, step, Side::Target);
        let numbers = 0..words.chunks();
        let parts = numbers.into_par_iter().map(|high| next(&layer, words, &moves, &feasible, high));
        layer = parts.collect::<Result<_, ()>>()?;
    }
    let [last] = layer[0].numbers[..] else { return Ok(Some(BigUint::ZERO)) };
    Ok(Some(BigUint::from_slice(&last.map(|limb| [limb as u32, (limb >> 32) as u32]).concat())))
}

/// The numbers of the signatures of a chunk.
#[derive(Default)]
struct Part<const LIMBS: usize> {
    /// By word, its signatures that are there; nothing if none is.
    present: Vec<u128>,
    /// Place of the number of a word's first.
    starts: Vec<u32>,
    numbers: Vec<[u64; LIMBS]>,
}

/// A chunk after a step.
///
/// # Errors
/// A number has too many bits.
fn next<const LIMBS: usize>(
    layer: &[Part<LIMBS>],
    words: &Words,
    moves: &Moves,
    feasible: &Feasible,
    high: usize,
) -> Result<Part<LIMBS>, ()> {
    let mut part = Part::default();
    if moves.chunks(high).iter().all(|&source| layer[source].numbers.is_empty()) {
        return Ok(part);
    }
    for low in 0..words.chunk_len() {
        let wanted = feasible[words.number(At { high, low })];
        let start = part.numbers.len();
        part.starts.push(u32::try_from(start).map_err(|_| ())?);
        let sources = || {
            moves.of(high, low).iter().filter_map(|m| {
                let source = &layer[(high as i32 + m.high) as usize];
                let low = (low as i32 + m.low) as usize;
                let present = *source.present.get(low)?;
                Some((m, source, low, present, m.pull(present) & wanted))
            })
        };
        let present = sources().fold(0, |all, (.., bits)| all | bits);
        part.present.push(present);
        part.numbers.resize(start + present.count_ones() as usize, [0; LIMBS]);
        for (m, source, low, there, mut bits) in sources() {
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let below = |set: u128, bit: u32| (set & ((1 << bit) - 1)).count_ones() as usize;
                let from = bit.wrapping_add_signed(m.shift);
                let number = &source.numbers[source.starts[low] as usize + below(there, from)];
                add(&mut part.numbers[start + below(present, bit)], number, m.factor.unsigned_abs())?;
            }
        }
    }
    if part.numbers.is_empty() {
        part = Part::default();
    }
    Ok(part)
}

/// Adds a number so many times.
///
/// # Errors
/// The sum has too many bits.
fn add<const LIMBS: usize>(sum: &mut [u64; LIMBS], number: &[u64; LIMBS], times: u32) -> Result<(), ()> {
    let mut carry = 0;
    for (sum, &limb) in sum.iter_mut().zip(number) {
        let more = u128::from(*sum) + u128::from(limb) * u128::from(times) + carry;
        (*sum, carry) = (more as u64, more >> 64);
    }
    if carry == 0 { Ok(()) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Graph, Leaper};
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::{Factors, Field};
    use crate::frontier::problem::plan::Plan;
    use crate::frontier::run::count::count;
    use crate::frontier::run::observer::Silent;
    use crate::frontier::run::options::Options;
    use crate::frontier::run::prepare::Prepared;

    /// Ways to give the vertices from `v` on the degrees that they lack by edges among them.
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

    fn in_order(graph: &Graph, order: &[usize]) -> u64 {
        let field = Field::weighted(graph.clone(), Factors::new(), Vec::new());
        let cycles = Cycles::of(&field, Tours::Closed);
        let course = Arc::new(Course::new(&Arc::new(Plan::new(&cycles, order, false))).unwrap());
        let found = bound(&course, None, &Cancel::default()).unwrap();
        assert_eq!(bound_in::<8>(&course, None, &Cancel::default()), Ok(Some(found.clone())));
        u64::try_from(found).unwrap()
    }

    #[test]
    fn it_lies_between_tours_and_two_factors() {
        for (board, tours) in [("5x6", 8u32), ("3x10", 16), ("3x8", 0)] {
            let graph = Graph::new(&board.parse().unwrap(), Leaper::KNIGHT);
            let all = two_factors(&graph, 0, &mut vec![2; graph.len()]);
            let order: Vec<usize> = (0..graph.len()).collect();
            let found = in_order(&graph, &order);
            assert!(u64::from(tours) <= found && found <= all, "{board}: {tours} {found} {all}");
        }
        // Two triangles with an edge between them have a two-factor, which is two cycles.
        let triangles = Graph::from_edges(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]);
        assert_eq!(two_factors(&triangles, 0, &mut [2; 6]), 1);
        assert_eq!(in_order(&triangles, &[0, 1, 2, 3, 4, 5]), 0, "none crosses every front");
        assert_eq!(in_order(&triangles, &[0, 3, 1, 4, 2, 5]), 1, "two cross all of them");
    }

    #[test]
    fn factors_count_by_their_size() {
        let ring = Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5)));
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)];
        let factors: Factors = edges.into_iter().map(|edge| (edge, -10_000)).collect();
        let field = Field::weighted(ring, factors, Vec::new());
        let prepared = Prepared::new(&field, Tours::Closed, &Options::default()).unwrap();
        assert_eq!(prepared.bound(), Some(BigUint::from(10u8).pow(20)));
    }

    #[test]
    fn no_count_is_greater() {
        for board in ["4x5", "5x5", "5x6", "6x6"] {
            let field = Field::of(&board.parse().unwrap());
            for tours in
                [Tours::Closed, Tours::Paths, Tours::From(0), Tours::Between(0, field.as_graph().len() - 1)]
            {
                let options = Options::default();
                let number = count(&field, tours, &options, &mut Silent).unwrap().count;
                let bound = Prepared::new(&field, tours, &options).unwrap().bound().unwrap();
                assert!(number <= bound, "{board} {tours:?}: {number} {bound}");
                assert!(bound.bits() <= 2 * number.bits() + 12, "{board} {tours:?}: {number} {bound}");
            }
        }
    }
}
