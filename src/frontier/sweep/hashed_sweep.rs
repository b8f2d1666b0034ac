//! The hashed sweep: a hash table from states to signed weights, for any graph.
//!
//! A state lists for every slot whether its vertex is bare (without an edge), inner, or an end, and
//! for an end the slot of its mate. A step applies every choice to every state.
//!
//! Weights are sums of products of edge factors, and so are signed. They have 128 bits with
//! overflow detection; after an overflow the sweep restarts with integers of arbitrary size.
//!
//! The sweep needs no tables over all signatures, so graphs with wide frontiers can be counted if
//! they have few states. Cost: some 200 ns a transition and 60 to 150 bytes a state, on one core.
//! The hashed sweep also serves as an independent check of the sweep by blocks.
//!
//! Sources: Knuth, The Art of Computer Programming, 7.2.2.4, Algorithm E; Sekine and Imai's and
//! Kawahara and Minato's frontier-based search.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::ControlFlow;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};
use num_traits::One;

use super::mate_array::{BARE, INNER, Mates, canonical, digit, has_enough_neighbours, successors};
use super::options::Options;
use super::report::{Observer, Outcome, StepReport};
use crate::clock::Instant;
use crate::frontier::layer::sweep_totals::{ResourceUsage, StepTally};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::problem::Cycles;
use crate::frontier::planning::slots::Slot;
use crate::frontier::ranks::command::Command;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::feasibility::Feasibility;
use crate::frontier::signature::key_hasher::KeyHasher;
use crate::frontier::signature::shard::{ShardFilter, SweepShard};
use crate::frontier::signature::space::SignatureSpace;

/// Minimum number of free entries of the hash table before the next state is processed. It is an
/// approximate upper bound of the number of successors of a state.
const MIN_FREE_TABLE_ENTRIES: usize = 64;

/// Number of states that are processed between two polls of the observer.
const POLL_INTERVAL_STATES: usize = 1 << 14;

type Table<const N: usize, W> = HashMap<Mates<N>, W, BuildHasherDefault<KeyHasher>>;

/// Reason why a hashed sweep ended early.
enum HashedSweepError {
    /// An error that is returned to the caller.
    Error(Error),
    /// A layer had more states than the maximum that the caller gave.
    TooManyStates,
    /// A weight overflowed its type.
    Overflow,
}

/// Runs the sweep of a plan with a hash table and returns its outcome, or `Ok(None)` if a layer has
/// more than `max_states` states.
///
/// # Errors
/// As for [`count`](crate::frontier::count).
pub fn sweep_hashed(
    cycles: &Cycles,
    plan: &Arc<Plan>,
    options: &Options,
    max_states: Option<usize>,
    observer: &mut dyn Observer,
) -> Result<Option<Outcome>, Error> {
    let memory = options.memory.unwrap_or(u64::MAX);
    let filter =
        options.shard.map(|shard| shard_filter(shard, plan, options.memory, &options.cancel)).transpose();
    let filter = filter.map_err(|Cancelled| Error::Stopped { step: 0, steps: plan.steps().len() })?;
    let run = HashedSweep { cycles, plan, memory, filter, max_states };
    let mut result =
        if plan.slot_count() <= 24 { run.run::<24, i128>(observer) } else { run.run::<64, i128>(observer) };
    if matches!(result, Err(HashedSweepError::Overflow)) {
        result = run.run::<64, BigInt>(observer);
    }
    match result {
        Ok(outcome) => Ok(Some(outcome)),
        Err(HashedSweepError::TooManyStates) => Ok(None),
        Err(HashedSweepError::Error(error)) => Err(error),
        Err(HashedSweepError::Overflow) => unreachable!("big integers do not overflow"),
    }
}

/// Returns the filter that selects the states of a shard. If the plan permits a sweep by blocks, it
/// is the filter of that sweep, so that both sweeps count the same shard.
///
/// # Errors
/// [`Cancelled`] if `cancel` is cancelled.
fn shard_filter(
    shard: SweepShard,
    plan: &Arc<Plan>,
    memory: Option<u64>,
    cancel: &Cancel,
) -> Result<ShardFilter, Cancelled> {
    let Some(space) = SignatureSpace::new(plan).map(Arc::new) else {
        return Ok(ShardFilter::with_equal_weights(shard, plan));
    };
    Feasibility::new(&space, None, memory, cancel)?.into_shard_filter(shard)
}

struct HashedSweep<'a> {
    cycles: &'a Cycles,
    plan: &'a Plan,
    memory: u64,
    filter: Option<ShardFilter>,
    max_states: Option<usize>,
}

impl HashedSweep<'_> {
    fn run<const N: usize, W: SignedWeight>(
        &self,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, HashedSweepError> {
        let started = Instant::now();
        let mut outcome = Outcome::default();
        let mut layer: Table<N, W> = Table::default();
        layer.insert([BARE; N], W::one());
        let steps = self.plan.steps();
        for (t, step) in steps.iter().enumerate() {
            let begun = Instant::now();
            let (affected, finished) = (self.affected_neighbours(t), self.plan.finished_inner_slots(t));
            let mut next: Table<N, W> = Table::default();
            let mut report =
                StepReport { step: t + 1, steps: steps.len(), vertex: step.vertex, ..StepReport::default() };
            let mut bits = 0;
            let mut sum_fits = Some(());
            for (number, (state, weight)) in layer.iter().enumerate() {
                if number % POLL_INTERVAL_STATES == 0 && observer.poll() == Command::Stop {
                    return Err(HashedSweepError::Error(Error::Stopped { step: t, steps: steps.len() }));
                }
                successors(&finished, step, state, &mut |successor, factor| {
                    report.tally.transitions += 1;
                    let part = self.filter.as_ref().filter(|filter| filter.step() == t);
                    if part.is_some_and(|part| !part.contains(|slot| digit(&successor, slot))) {
                        return;
                    }
                    if !affected.iter().all(|(slot, neighbour_slots)| {
                        has_enough_neighbours(&successor, *slot, neighbour_slots)
                    }) {
                        report.tally.pruned += 1;
                        return;
                    }
                    let sum: &mut W = next.entry(canonical(step, successor)).or_default();
                    sum_fits = sum_fits.and(sum.checked_add_multiple(weight, factor));
                    bits = bits.max(sum.bits());
                });
                if sum_fits.is_none() {
                    return Err(HashedSweepError::Overflow);
                }
                if self.max_states.is_some_and(|max_states| next.len() > max_states) {
                    return Err(HashedSweepError::TooManyStates);
                }
                // While a full table grows, the old one and a new one of twice its size exist.
                let full = next.len() + MIN_FREE_TABLE_ENTRIES >= next.capacity();
                let needed = table_bytes(&next) * if full { 3 } else { 1 };
                if needed + table_bytes(&layer) > self.memory {
                    let (step, steps, limit) = (t + 1, steps.len(), self.memory);
                    return Err(HashedSweepError::Error(Error::Memory { step, steps, limit }));
                }
            }
            if self.plan.shorter_ends().contains(&t) {
                let inner = self
                    .plan
                    .inner_slots_if_finished(t, t)
                    .expect("the shorter board is complete after this step");
                let tour: Mates<N> =
                    std::array::from_fn(|slot| if inner >> slot & 1 == 1 { INNER } else { BARE });
                let tour: BigInt = next.remove(&tour).unwrap_or_default().into();
                let tour = tour.into_parts().1;
                observer.on_shorter_board(outcome.shorter_counts.len(), &tour);
                outcome.shorter_counts.push(tour);
            }
            let peak_bytes = table_bytes(&next) + table_bytes(&layer);
            layer = next;
            report.frontier = step.occupied_slots.count_ones();
            let states = layer.len() as u64;
            report.tally = StepTally { signatures: states, states, weights: states, bits, ..report.tally };
            report.usage =
                ResourceUsage { bytes: table_bytes(&layer), peak_bytes, ..ResourceUsage::default() };
            report.seconds = begun.elapsed().as_secs_f64();
            report.elapsed = started.elapsed().as_secs_f64();
            outcome.totals.add_step(&report.tally, &report.usage);
            if observer.on_step(&report) == ControlFlow::Break(()) {
                return Err(HashedSweepError::Error(Error::Stopped { step: t + 1, steps: steps.len() }));
            }
        }
        let count: BigInt = layer.remove(&[BARE; N]).unwrap_or_default().into();
        let (sign, count) = count.into_parts();
        (outcome.count, outcome.is_negative) = (count, sign == Sign::Minus);
        outcome.totals.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// Returns the neighbours of the vertex of step `t` that are processed later. After the step
    /// they can have no more edge to this vertex. Each neighbour is given by its slot, and by the
    /// slots of its own later neighbours (`None` for a neighbour that is not on the frontier yet).
    /// For a series the list is empty.
    fn affected_neighbours(&self, t: usize) -> Vec<(Slot, Vec<Option<Slot>>)> {
        if !self.plan.shorter_ends().is_empty() {
            return Vec::new();
        }
        let slot_now = |v: usize| self.plan.slot_after(t, v);
        let neighbours =
            self.cycles.neighbours(self.plan.steps()[t].vertex).iter().filter(|&&u| self.plan.step_of(u) > t);
        neighbours
            .filter_map(|&u| {
                let later = self.cycles.neighbours(u).iter().filter(|&&w| self.plan.step_of(w) > t);
                Some((slot_now(u)?, later.map(|&w| slot_now(w)).collect()))
            })
            .collect()
    }
}

/// Returns the number of bytes of a table, estimated from its capacity.
fn table_bytes<const N: usize, W>(table: &Table<N, W>) -> u64 {
    (table.capacity() * (size_of::<(Mates<N>, W)>() + 1) * 8 / 7) as u64
}

/// Signed weight of a state: the sum, over its configurations, of the product of the edge factors.
pub trait SignedWeight: Clone + Default + One + Into<BigInt> {
    /// Adds `factor` times `other` to this weight. Returns `None` if the result does not fit the
    /// type.
    #[must_use]
    fn checked_add_multiple(&mut self, other: &Self, factor: i32) -> Option<()>;

    /// Returns the number of bits of the absolute value of this weight.
    fn bits(&self) -> u32;
}

impl SignedWeight for i128 {
    #[inline(always)]
    fn checked_add_multiple(&mut self, other: &Self, factor: i32) -> Option<()> {
        let product = if factor == 1 { *other } else { other.checked_mul(factor.into())? };
        *self = self.checked_add(product)?;
        Some(())
    }

    fn bits(&self) -> u32 {
        Self::BITS - self.unsigned_abs().leading_zeros()
    }
}

impl SignedWeight for BigInt {
    fn checked_add_multiple(&mut self, other: &Self, factor: i32) -> Option<()> {
        if factor == 1 {
            *self += other;
        } else {
            *self += other * factor;
        }
        Some(())
    }

    fn bits(&self) -> u32 {
        u32::try_from(Self::bits(self)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::NoObserver;
    use super::*;
    use crate::board::Rectangle;
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::Tours;

    fn swept(most_states: Option<usize>, memory: Option<u64>) -> Result<Option<Outcome>, Error> {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(5, 6).unwrap().into()),
            Tours::Closed,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Arc::new(Plan::new(&cycles, &order, true));
        sweep_hashed(&cycles, &plan, &Options { memory, ..Options::default() }, most_states, &mut NoObserver)
    }

    #[test]
    fn sweep_hashed_gives_up_above_max_states() {
        let whole = swept(None, None).unwrap().unwrap();
        assert_eq!(whole.count, 8u32.into());
        let most = whole.totals.peak_states as usize;
        assert!(swept(Some(most), None).unwrap().is_some());
        assert!(swept(Some(most - 1), None).unwrap().is_none());
    }

    #[test]
    fn sweep_hashed_stops_at_the_memory_ceiling() {
        let whole = swept(None, None).unwrap().unwrap();
        let result = swept(None, Some(whole.totals.peak_bytes / 4));
        assert!(matches!(result, Err(Error::Memory { .. })), "{result:?}");
    }
}

#[cfg(test)]
mod amount_tests {
    use super::*;

    #[test]
    fn checked_add_multiple_detects_overflow() {
        let mut sum = i128::MAX - 5;
        assert_eq!(sum.checked_add_multiple(&-3, -1), Some(()));
        assert_eq!(sum.checked_add_multiple(&3, 1), None);
        assert_eq!(1i128.checked_add_multiple(&i128::MIN, -1), None);
        let mut big = BigInt::one();
        assert_eq!(SignedWeight::checked_add_multiple(&mut big, &i128::MAX.into(), -3), Some(()));
        assert_eq!((SignedWeight::bits(&big), SignedWeight::bits(&-8i128)), (129, 4));
    }
}
