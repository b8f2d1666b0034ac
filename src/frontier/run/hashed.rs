//! The hashed sweep: a hash table from states to weights, for any graph.
//!
//! A state lists for every slot whether its vertex is bare, inner, or an end, and for an end the slot of its
//! mate. One step applies every choice to every state.
//!
//! Weights are signed, and multiplied by the factors of the chosen edges. They have 128 bits with overflow
//! detection; after an overflow the sweep restarts with integers of arbitrary size.
//!
//! Nothing here depends on tables over all signatures, so graphs with wide frontiers can be counted as long
//! as their states are few. Cost: some 200 ns a transition and 60 to 150 bytes a state, on one core. It also
//! serves as an independent check of the sweep by blocks.
//!
//! Sources: Knuth, The Art of Computer Programming, 7.2.2.4, Algorithm E; Sekine and Imai's and Kawahara and
//! Minato's frontier-based search.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use num_bigint::{BigInt, Sign};

use crate::frontier::layer::totals::Usage;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::Slot;
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::run::amount::Amount;
use crate::frontier::run::mates::{BARE, INNER, State, canonical, digit, has_enough, successors};
use crate::frontier::run::observer::{Observer, StepReport};
use crate::frontier::run::options::Options;
use crate::frontier::run::outcome::Outcome;
use crate::frontier::state::course::Course;
use crate::frontier::state::cut::{Cut, Filter, cut_step};
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::mixer::Mixer;
use crate::frontier::state::tally::Tally;

/// Free capacity that a table must have before another state is processed: an approximate upper bound of the
/// successors of a state.
const MOST_SUCCESSORS: usize = 64;

/// States processed between two polls of the observer.
const ASK_EVERY: usize = 1 << 14;

type Table<const N: usize, W> = HashMap<State<N>, W, BuildHasherDefault<Mixer>>;

/// The reason why a hashed sweep ended early.
enum GaveUp {
    /// An error for the caller.
    Error(Error),
    /// A layer had more states than allowed.
    TooManyStates,
    /// A weight overflowed its type.
    Narrow,
}

/// Runs a plan with a hash table. Returns `Ok(None)` if a layer has more than `most_states` states.
///
/// # Errors
/// As for [`count`](crate::frontier::count).
pub fn sweep(
    cycles: &Cycles,
    plan: &Arc<Plan>,
    options: &Options,
    most_states: Option<usize>,
    observer: &mut dyn Observer,
) -> Result<Option<Outcome>, Error> {
    let memory = options.memory.unwrap_or(u64::MAX);
    let filter = options.cut.map(|cut| part(cut, plan));
    let run = Run { cycles, plan, memory, filter, most_states };
    let mut result =
        if plan.slots() <= 24 { run.go::<24, i128>(observer) } else { run.go::<64, i128>(observer) };
    if matches!(result, Err(GaveUp::Narrow)) {
        result = run.go::<64, BigInt>(observer);
    }
    match result {
        Ok(outcome) => Ok(Some(outcome)),
        Err(GaveUp::TooManyStates) => Ok(None),
        Err(GaveUp::Error(error)) => Err(error),
        Err(GaveUp::Narrow) => unreachable!("big integers do not overflow"),
    }
}

/// Returns the filter of a shard: the one that the sweep by blocks would use, where there is one.
fn part(cut: Cut, plan: &Arc<Plan>) -> Filter {
    let Some(course) = Course::new(plan).map(Arc::new) else { return Filter::by_number(cut, plan) };
    let feasible = Feasibility::new(&course, None, None, &Cancel::default()).after(cut_step(plan));
    Filter::by_size(cut, &course, &feasible)
}

struct Run<'a> {
    cycles: &'a Cycles,
    plan: &'a Plan,
    memory: u64,
    filter: Option<Filter>,
    most_states: Option<usize>,
}

impl Run<'_> {
    fn go<const N: usize, W: Amount>(&self, observer: &mut dyn Observer) -> Result<Outcome, GaveUp> {
        let started = Instant::now();
        let mut outcome = Outcome::default();
        let mut layer: Table<N, W> = Table::default();
        layer.insert([BARE; N], W::one());
        let steps = self.plan.steps();
        for (t, step) in steps.iter().enumerate() {
            let begun = Instant::now();
            let (watch, finished) = (self.watched(t), self.plan.finished(t));
            let mut next: Table<N, W> = Table::default();
            let mut report =
                StepReport { step: t + 1, steps: steps.len(), vertex: step.vertex, ..StepReport::default() };
            let mut bits = 0;
            let mut fits = Some(());
            for (number, (state, weight)) in layer.iter().enumerate() {
                if number % ASK_EVERY == 0 && observer.pulse() == Pulse::Stop {
                    return Err(GaveUp::Error(Error::Stopped { step: t, steps: steps.len() }));
                }
                successors(&finished, step, state, &mut |successor, factor| {
                    report.tally.transitions += 1;
                    let part = self.filter.as_ref().filter(|filter| filter.step() == t);
                    if part.is_some_and(|part| !part.keeps(|slot| digit(&successor, slot))) {
                        return;
                    }
                    if !watch.iter().all(|(slot, near)| has_enough(&successor, *slot, near)) {
                        report.tally.pruned += 1;
                        return;
                    }
                    let sum: &mut W = next.entry(canonical(step, successor)).or_default();
                    fits = fits.and(sum.add(weight, factor));
                    bits = bits.max(sum.bits());
                });
                if fits.is_none() {
                    return Err(GaveUp::Narrow);
                }
                if self.most_states.is_some_and(|most| next.len() > most) {
                    return Err(GaveUp::TooManyStates);
                }
                // While a full table grows, the old one and a new one of twice its size exist.
                let full = next.len() + MOST_SUCCESSORS >= next.capacity();
                let needed = bytes_of(&next) * if full { 3 } else { 1 };
                if needed + bytes_of(&layer) > self.memory {
                    let (step, steps, limit) = (t + 1, steps.len(), self.memory);
                    return Err(GaveUp::Error(Error::Memory { step, steps, limit }));
                }
            }
            if self.plan.shorter().contains(&t) {
                let inner =
                    self.plan.finished_by(t, t).expect("the shorter board is complete after this step");
                let tour: State<N> =
                    std::array::from_fn(|slot| if inner >> slot & 1 == 1 { INNER } else { BARE });
                let tour = next.remove(&tour);
                let tour = tour.unwrap_or_default().to_big().into_parts().1;
                observer.shorter(outcome.shorter.len(), &tour);
                outcome.shorter.push(tour);
            }
            let peak_bytes = bytes_of(&next) + bytes_of(&layer);
            layer = next;
            report.frontier = step.occupied.count_ones();
            let states = layer.len() as u64;
            report.tally = Tally { signatures: states, states, weights: states, bits, ..report.tally };
            report.usage = Usage { bytes: bytes_of(&layer), peak_bytes, ..Usage::default() };
            report.seconds = begun.elapsed().as_secs_f64();
            report.elapsed = started.elapsed().as_secs_f64();
            outcome.totals.add(&report.tally, &report.usage);
            if observer.step(&report) == ControlFlow::Break(()) {
                return Err(GaveUp::Error(Error::Stopped { step: t + 1, steps: steps.len() }));
            }
        }
        let (sign, count) = layer.remove(&[BARE; N]).unwrap_or_default().to_big().into_parts();
        (outcome.count, outcome.negative) = (count, sign == Sign::Minus);
        outcome.totals.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// Returns the neighbours of the vertex of step `t` that lost a possible edge by the step: the slot of
    /// each, and the slots of its own later neighbours (`None`: not on the frontier yet).
    fn watched(&self, t: usize) -> Vec<(Slot, Vec<Option<Slot>>)> {
        if !self.plan.shorter().is_empty() {
            return Vec::new();
        }
        let slot_now = |v: usize| self.plan.slot_after(t, v);
        let near = self.cycles.near(self.plan.steps()[t].vertex).iter().filter(|&&u| self.plan.place(u) > t);
        near.filter_map(|&u| {
            let later = self.cycles.near(u).iter().filter(|&&w| self.plan.place(w) > t);
            Some((slot_now(u)?, later.map(|&w| slot_now(w)).collect()))
        })
        .collect()
    }
}

/// Returns the bytes of a table, estimated from its capacity.
fn bytes_of<const N: usize, W>(table: &Table<N, W>) -> u64 {
    (table.capacity() * (size_of::<(State<N>, W)>() + 1) * 8 / 7) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;
    use crate::frontier::run::observer::Silent;

    fn swept(most_states: Option<usize>, memory: Option<u64>) -> Result<Option<Outcome>, Error> {
        let cycles = Cycles::of(&Field::of(&Board::new(5, 6).unwrap().into()), Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Arc::new(Plan::new(&cycles, &order, true));
        sweep(&cycles, &plan, &Options { memory, ..Options::default() }, most_states, &mut Silent)
    }

    #[test]
    fn it_gives_up_when_there_are_too_many_states() {
        let whole = swept(None, None).unwrap().unwrap();
        assert_eq!(whole.count, 8u32.into());
        let most = whole.totals.peak_states as usize;
        assert!(swept(Some(most), None).unwrap().is_some());
        assert!(swept(Some(most - 1), None).unwrap().is_none());
    }

    #[test]
    fn it_stops_at_the_ceiling() {
        let whole = swept(None, None).unwrap().unwrap();
        let result = swept(None, Some(whole.totals.peak_bytes / 4));
        assert!(matches!(result, Err(Error::Memory { .. })), "{result:?}");
    }
}
