//! The plain sweep: a hash table from states to weights, for any graph.
//!
//! A state lists for every slot whether its vertex is bare, inner, or an end and
//! then in which slot its mate sits. One step takes every state through every
//! choice:
//!
//! ```text
//! v inner       nothing to add
//! v an end      joined to one later neighbour
//! v bare        joined to two
//! joined to a bare vertex: that becomes an end; to an end: inner, and the mates meet
//! ```
//!
//! Weights are signed, and multiplied by the factors of the edges chosen. They are
//! kept in 128 bits with every overflow seen; then the sweep is done again with
//! numbers of any size.
//!
//! Nothing here depends on the number of slots, so graphs whose frontier is too
//! wide for tables of signatures are counted this way, as long as their states
//! are few. It costs some 200 ns a transition and 60 to 150 bytes a state, on one
//! core, and serves as an independent check of the sweep by blocks.
//!
//! Sources: Knuth, The Art of Computer Programming, 7.2.2.4, Algorithm E; Sekine
//! and Imai's and Kawahara and Minato's frontier-based search.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;
use std::time::Instant;

use num_bigint::{BigInt, Sign};
use num_traits::One;

use crate::frontier::problem::cycles::Problem;
use crate::frontier::problem::plan::{Plan, Step};
use crate::frontier::problem::slot::Slot;
use crate::frontier::run::engine::Options;
use crate::frontier::run::observer::{Observer, StepReport};
use crate::frontier::run::sweep::MOST_BLOCK_SLOTS;
use crate::frontier::state::cut::{Cut, Filter};
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::signature::Words;
use crate::frontier::{Error, Outcome};

const BARE: u8 = 255;

/// More successors than a state has, or thereabouts: room that a table must have for another state.
const MOST_SUCCESSORS: usize = 64;

const INNER: u8 = 254;

/// The mate of every slot, or [`BARE`] or [`INNER`]; empty slots are bare.
/// A sum of products of factors over configurations.
trait Amount: Clone + Default {
    fn one() -> Self;

    /// Adds a multiple of another; `None` if that does not fit.
    #[must_use]
    fn add(&mut self, other: &Self, factor: i32) -> Option<()>;

    /// Bits of the absolute value.
    fn bits(&self) -> u32;

    fn to_big(&self) -> BigInt;
}

impl Amount for i128 {
    fn one() -> Self {
        1
    }

    #[inline(always)]
    fn add(&mut self, other: &Self, factor: i32) -> Option<()> {
        let product = if factor == 1 { *other } else { other.checked_mul(factor.into())? };
        *self = self.checked_add(product)?;
        Some(())
    }

    fn bits(&self) -> u32 {
        Self::BITS - self.unsigned_abs().leading_zeros()
    }

    fn to_big(&self) -> BigInt {
        (*self).into()
    }
}

impl Amount for BigInt {
    fn one() -> Self {
        One::one()
    }

    fn add(&mut self, other: &Self, factor: i32) -> Option<()> {
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

    fn to_big(&self) -> BigInt {
        self.clone()
    }
}

type State<const N: usize> = [u8; N];
type Table<const N: usize, W> = HashMap<State<N>, W, BuildHasherDefault<Mixer>>;

/// Why a hashed sweep stopped early.
pub enum Halt {
    /// A reason for the caller.
    Error(Error),
    /// A layer had more states than allowed.
    TooManyStates,
    /// The weights are too narrow.
    Narrow,
}

/// Runs a plan. With `most_states` it gives up as soon as a layer has more.
///
/// # Errors
/// `Ok(None)` if it gave up; [`Error`] as for [`count`](crate::frontier::count).
pub fn sweep(
    problem: &Problem,
    plan: &Plan,
    shorter: &[usize],
    options: &Options,
    most_states: Option<usize>,
    observer: &mut dyn Observer,
) -> Result<Option<Outcome>, Error> {
    let memory = options.memory.unwrap_or(u64::MAX);
    let filter = options.cut.map(|cut| part(cut, plan, shorter));
    let run = Run { problem, plan, shorter, memory, filter, most_states };
    let mut result =
        if plan.slots() <= 24 { run.go::<24, i128>(observer) } else { run.go::<64, i128>(observer) };
    if matches!(result, Err(Halt::Narrow)) {
        result = run.go::<64, BigInt>(observer);
    }
    match result {
        Ok(outcome) => Ok(Some(outcome)),
        Err(Halt::TooManyStates) => Ok(None),
        Err(Halt::Error(error)) => Err(error),
        Err(Halt::Narrow) => unreachable!("numbers of any size are wide enough"),
    }
}

struct Run<'a> {
    problem: &'a Problem,
    plan: &'a Plan,
    shorter: &'a [usize],
    memory: u64,
    filter: Option<Filter>,
    most_states: Option<usize>,
}

/// The same part that the sweep by blocks would count, where it can be made.
fn part(cut: Cut, plan: &Plan, shorter: &[usize]) -> Filter {
    let words = Words::new(plan.slots().min(MOST_BLOCK_SLOTS));
    Filter::new(cut, plan, &words, |step| {
        (plan.slots() <= MOST_BLOCK_SLOTS).then(|| {
            let mut whole = Feasibility::new(plan, &words, shorter, None, None);
            whole.after(plan, &words, shorter, step).to_vec()
        })
    })
}

impl Run<'_> {
    fn go<const N: usize, W: Amount>(&self, observer: &mut dyn Observer) -> Result<Outcome, Halt> {
        let started = Instant::now();
        let mut outcome = Outcome::default();
        let mut layer: Table<N, W> = Table::default();
        layer.insert([BARE; N], W::one());
        let steps = self.plan.steps();
        for (t, step) in steps.iter().enumerate() {
            let begun = Instant::now();
            let (watch, finished) = (self.watched(t), self.plan.all_finished(t, self.shorter));
            let mut next: Table<N, W> = Table::default();
            let mut report =
                StepReport { step: t + 1, steps: steps.len(), vertex: step.vertex, ..StepReport::default() };
            let mut bits = 0;
            let mut fits = Some(());
            for (state, weight) in &layer {
                self.successors(&finished, step, state, &mut |successor, factor| {
                    report.transitions += 1;
                    let part = self.filter.as_ref().filter(|filter| filter.step == t);
                    if part.is_some_and(|part| !part.keeps(|slot| digit(&successor, slot))) {
                        return;
                    }
                    if !watch.iter().all(|(slot, near)| has_enough(&successor, *slot, near)) {
                        report.pruned += 1;
                        return;
                    }
                    let sum: &mut W = next.entry(canonical(step, successor)).or_default();
                    fits = fits.and(sum.add(weight, factor));
                    bits = bits.max(sum.bits());
                });
                if fits.is_none() {
                    return Err(Halt::Narrow);
                }
                if self.most_states.is_some_and(|most| next.len() > most) {
                    return Err(Halt::TooManyStates);
                }
                // A full table is about to be moved into one of twice its size, and both exist meanwhile.
                let full = next.len() + MOST_SUCCESSORS >= next.capacity();
                let needed = bytes_of(&next) * if full { 3 } else { 1 };
                if needed + bytes_of(&layer) > self.memory {
                    let (step, steps, limit) = (t + 1, steps.len(), self.memory);
                    return Err(Halt::Error(Error::Memory { step, steps, limit }));
                }
            }
            if self.shorter.contains(&t) {
                let inner = self.plan.finished(t, t).expect("nothing is left of the shorter board");
                let tour: State<N> =
                    std::array::from_fn(|slot| if inner >> slot & 1 == 1 { INNER } else { BARE });
                let tour = next.remove(&tour);
                outcome.shorter.push(tour.unwrap_or_default().to_big().into_parts().1);
            }
            outcome.peak_bytes = outcome.peak_bytes.max(bytes_of(&next) + bytes_of(&layer));
            layer = next;
            report.frontier = step.occupied.count_ones();
            report.states = layer.len() as u64;
            report.weights = report.states;
            report.signatures = report.states;
            report.weight_bits = bits;
            report.bytes = bytes_of(&layer);
            report.seconds = begun.elapsed().as_secs_f64();
            report.elapsed = started.elapsed().as_secs_f64();
            outcome.states += report.states;
            outcome.peak_states = outcome.peak_states.max(report.states);
            outcome.transitions += report.transitions;
            if observer.step(&report) == ControlFlow::Break(()) {
                return Err(Halt::Error(Error::Stopped { step: t + 1, steps: steps.len() }));
            }
        }
        let (sign, count) = layer.remove(&[BARE; N]).unwrap_or_default().to_big().into_parts();
        (outcome.count, outcome.negative) = (count, sign == Sign::Minus);
        (outcome.weights, outcome.peak_weights) = (outcome.states, outcome.peak_states);
        outcome.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    fn successors<const N: usize>(
        &self,
        finished: &[u64],
        step: &Step,
        state: &State<N>,
        emit: &mut impl FnMut(State<N>, i32),
    ) {
        let mut base = *state;
        let mut mate = BARE;
        if let Some(slot) = step.slot {
            mate = base[usize::from(slot)];
            base[usize::from(slot)] = BARE;
        }
        // A newcomer may take the slot of `v`: such an end is addressed as GONE until then.
        const GONE: u8 = 253;
        if mate < GONE {
            base[usize::from(mate)] = GONE;
        }
        let open = |slot: Slot| base[usize::from(slot)] != INNER;
        let required = |chosen: &[Slot]| step.compulsory.is_none_or(|slot| chosen.contains(&slot));
        let later = step.later.iter().map(|l| (l.slot, l.factor));
        match mate {
            INNER if required(&[]) => emit(base, 1),
            INNER => {}
            BARE => {
                for (i, (a, factor)) in later.clone().enumerate().filter(|&(_, (a, _))| open(a)) {
                    for (b, other) in later.clone().skip(i + 1).filter(|&(b, _)| open(b) && required(&[a, b]))
                    {
                        let factor = factor * other;
                        let mut next = base;
                        let (mate_a, mate_b) = (next[usize::from(a)], next[usize::from(b)]);
                        if mate_a == b {
                            (next[usize::from(a)], next[usize::from(b)]) = (INNER, INNER);
                            if self.is_finished(finished, &next) {
                                emit(next, factor);
                            }
                            continue;
                        }
                        let end_a = if mate_a == BARE { a } else { mate_a };
                        let end_b = if mate_b == BARE { b } else { mate_b };
                        (next[usize::from(a)], next[usize::from(b)]) = (INNER, INNER);
                        (next[usize::from(end_a)], next[usize::from(end_b)]) = (end_b, end_a);
                        emit(next, factor);
                    }
                }
            }
            other => {
                for (a, factor) in later.filter(|&(a, _)| open(a) && required(&[a])) {
                    let mut next = base;
                    match next[usize::from(a)] {
                        BARE => (next[usize::from(a)], next[usize::from(other)]) = (other, a),
                        GONE => {
                            next[usize::from(a)] = INNER;
                            if !self.is_finished(finished, &next) {
                                continue;
                            }
                        }
                        far => {
                            next[usize::from(a)] = INNER;
                            (next[usize::from(far)], next[usize::from(other)]) = (other, far);
                        }
                    }
                    emit(next, factor);
                }
            }
        }
    }

    /// Whether a state in which a cycle just closed is a finished tour.
    fn is_finished<const N: usize>(&self, finished: &[u64], state: &State<N>) -> bool {
        let inner =
            state.iter().enumerate().fold(0, |set, (slot, &mate)| set | u64::from(mate == INNER) << slot);
        finished.contains(&inner) && state.iter().all(|&mate| mate >= INNER)
    }

    /// The neighbours of the vertex of step `t` that lost a possible edge: the slot of each,
    /// and where its own later neighbours are (`None`: untouched).
    fn watched(&self, t: usize) -> Vec<(Slot, Vec<Option<Slot>>)> {
        if !self.shorter.is_empty() {
            return Vec::new();
        }
        let slot_now = |v: usize| self.plan.slot_after(t, v);
        let near = self.problem.near(self.plan.steps()[t].vertex).iter().filter(|&&u| self.plan.place(u) > t);
        near.filter_map(|&u| {
            let later = self.problem.near(u).iter().filter(|&&w| self.plan.place(w) > t);
            Some((slot_now(u)?, later.map(|&w| slot_now(w)).collect()))
        })
        .collect()
    }
}

/// The digit of a slot in the signature.
fn digit<const N: usize>(state: &State<N>, slot: Slot) -> u8 {
    match state[usize::from(slot)] {
        BARE => 0,
        INNER => 2,
        _ => 1,
    }
}

/// Whether the vertex in `slot` can still get all its edges.
fn has_enough<const N: usize>(state: &State<N>, slot: Slot, near: &[Option<Slot>]) -> bool {
    let missing = match state[usize::from(slot)] {
        INNER => return true,
        BARE => 2,
        _ => 1,
    };
    near.iter().filter(|s| s.is_none_or(|s| state[usize::from(s)] != INNER)).take(missing).count() == missing
}

/// The lesser of a state and its mirror image, if the step folds.
fn canonical<const N: usize>(step: &Step, state: State<N>) -> State<N> {
    let Some(image) = &step.mirror else { return state };
    let mut mirrored = state;
    for (slot, &twin) in image.iter().enumerate() {
        let mate = state[slot];
        mirrored[usize::from(twin)] = if mate < INNER { image[usize::from(mate)] } else { mate };
    }
    state.min(mirrored)
}

/// Bytes of a table, estimated from its capacity.
fn bytes_of<const N: usize, W>(table: &Table<N, W>) -> u64 {
    (table.capacity() * (size_of::<(State<N>, W)>() + 1) * 8 / 7) as u64
}

/// A quick hash for short byte strings.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let product =
                u128::from(self.0 ^ u64::from_le_bytes(word)) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
            self.0 = product as u64 ^ (product >> 64) as u64;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
