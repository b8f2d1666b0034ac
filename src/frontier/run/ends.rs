//! A sweep from two ends: where they meet, and what there is of either when they do.
//!
//! ```text
//! near plan up to a step -> signatures that it reaches and that can be completed -> those of the far end that fit
//! ```
//!
//! Where the first steps of the far end are an image of those of the near one, they are made once: both ends *branch off*
//! from their layer.

use std::sync::Arc;

use crate::frontier::block::modulus::Modulus;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::twin::Twin;
use crate::frontier::run::options::{Ends, Method, Options};
use crate::frontier::run::trace::{Extent, Trace};
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::{Feasibility, Feasible};
use crate::frontier::state::fit::Fit;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::words::{MOST_BLOCK_SLOTS, Words};

/// The two ends of a sweep.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The last step of the near end.
    pub step: usize,
    /// The plan of the near end.
    pub near: Arc<Plan>,
    /// The plan of the far end.
    pub far: Arc<Plan>,
    /// First steps that both ends have in common, as one is the image of the other there: they are made once.
    pub shared: usize,
}

impl Pair {
    /// The ends of a sweep that meet after the first `steps` of a plan, unless either would have nothing to do.
    ///
    /// # Panics
    /// If the plan is folded and the far end is not to be.
    #[must_use]
    pub fn new(cycles: &Cycles, plan: &Arc<Plan>, steps: usize, fold: bool) -> Option<Self> {
        if steps == 0 || steps >= plan.steps().len() || plan.steps()[steps - 1].occupied == 0 {
            return None;
        }
        // Beyond that there are no layers, and names cannot be gone through.
        if plan.slots() > MOST_BLOCK_SLOTS {
            return None;
        }
        assert!(
            fold || plan.steps().iter().all(|step| step.mirror.is_none()),
            "both ends are folded, or none"
        );
        let step = steps - 1;
        if let Some(twin) = Twin::find(cycles, plan, step) {
            let names = twin.names(plan, step, Words::new(plan.slots()).high_slots());
            let (near, twin) = (Arc::new(plan.renamed(&names)), twin.renamed(&names));
            let far = Plan::far(cycles, &near, step, fold, Some(&twin));
            let shared = twin.steps();
            // With no edge inside the front the layer of the near end would be that of the far one.
            if far.steps().len() > shared {
                return Some(Self { step, near, far: Arc::new(far), shared });
            }
        }
        let far = Plan::far(cycles, plan, step, fold, None);
        // With nothing behind the front the near end might have finished tours already.
        let is_any = far.steps().first().is_some_and(|step| !step.stays);
        is_any.then(|| Self { step, near: Arc::clone(plan), far: Arc::new(far), shared: 0 })
    }

    /// The course of the far end, if tables of its signatures are reasonable.
    #[must_use]
    pub fn course(&self, near: &Course) -> Option<Arc<Course>> {
        Course::far(&self.far, near).map(Arc::new)
    }

    /// Steps of both ends, and the one that joins them.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.before() + self.step + 2
    }

    /// Steps of the far end alone, which come before the last of the near end.
    #[must_use]
    pub fn before(&self) -> usize {
        self.far.steps().len() - self.shared
    }
}

/// Whether a sweep may begin at both ends: not if it is a part, or sums might not be halved at the join.
#[must_use]
pub fn may_meet(cycles: &Cycles, options: &Options) -> bool {
    let Options { cut, modulo, feasibility, method, ends, .. } = options;
    let is_plain = cut.is_none() && *feasibility && *method != Method::Hashed && *ends != Ends::One;
    is_plain && modulo.is_none_or(Modulus::is_odd) && !cycles.has_negatives()
}

/// A digest of all that gives states, blocks and chunks their meaning, at both ends if there are two.
#[must_use]
pub fn digest(plan: &Plan, pair: Option<&Pair>) -> u64 {
    let of_pair = |pair: &Pair| {
        let shared = (pair.shared as u64).rotate_right(8);
        // Two places to meet may have the same plans: what is done of a step is not the same.
        let step = (pair.step as u64).rotate_right(20);
        pair.near.digest() ^ pair.far.digest().rotate_left(1) ^ shared ^ step
    };
    pair.map_or_else(|| plan.digest(), of_pair)
}

/// Two ends on their way.
pub struct Meeting {
    /// Where they meet.
    pub ends: Pair,
    /// The course of the far end.
    pub far: Arc<Course>,
    /// The near signatures there that can be completed, by word.
    feasible: Feasible,
    /// Those of them that are reached, with their mirror images if the layer is folded.
    met: Vec<u128>,
    /// The layer that both ends go on from, while the far one does.
    pub branch: Option<Shelf>,
    /// The last layer of the far end, once it is there.
    pub layer: Option<Shelf>,
}

impl Meeting {
    /// Finds which signatures meet, with the tables of the whole near sweep; `None` if it was cancelled. `each` is told of
    /// the steps of the near end, as [`Trace::go`] tells, and `branches` of what is reached when both ends branch off, if
    /// they do. Cost: that of a dry run of them.
    #[must_use]
    pub fn new(
        ends: &Pair,
        near: &Course,
        far: Arc<Course>,
        mut tables: Feasibility,
        cancel: &Cancel,
        mut each: impl FnMut(Extent),
        branches: impl FnOnce(&Trace),
    ) -> Option<Self> {
        let words = near.words();
        let mut met = vec![0; words.len()];
        let mut trace = Trace::new(words);
        trace.go(near, Some(&mut tables), 0..ends.shared, cancel, &mut each)?;
        if ends.shared > 0 {
            branches(&trace);
        }
        trace.go(near, Some(&mut tables), ends.shared..ends.step + 1, cancel, &mut each)?;
        let feasible = tables.after(ends.step);
        for (high, chunk) in trace.layer().iter().enumerate() {
            let entries = chunk.iter().flat_map(|chunk| chunk.entries.iter().enumerate());
            entries.for_each(|(low, entry)| met[high * words.chunk_len() + low] = entry.present());
        }
        // Tables are of all that leads there, not only to the half that folding keeps.
        if let Some(image) = &near.plan().steps()[ends.step].mirror {
            let fold = Fold::new(words, image, None);
            for number in 0..met.len() {
                let at = words.at(number);
                let image = fold.other(at).unwrap_or(at);
                met[words.number(image)] |= fold.bits(met[number]);
            }
        }
        Some(Self { ends: ends.clone(), far, feasible, met, branch: None, layer: None })
    }

    /// Bytes that are held of it beside a layer and the tables of either end.
    #[must_use]
    pub fn bytes(near: &Course) -> u64 {
        2 * (near.words().len() * size_of::<u128>()) as u64
    }

    /// The layer that lies beside those of the leg that is made.
    #[must_use]
    pub fn waiting(&self) -> Option<&Shelf> {
        self.layer.as_ref().or(self.branch.as_ref())
    }

    /// The tables of the near end, from its step `first` on.
    #[must_use]
    pub fn near_tables(
        &self,
        near: &Arc<Course>,
        first: usize,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Feasibility {
        let last = self.feasible.to_vec();
        Feasibility::towards(near, first..self.ends.step + 1, last, None, memory, cancel)
    }

    /// The tables of the far end, which leads to what fits, but for the steps that it shares.
    #[must_use]
    pub fn far_tables(&self, near: &Course, memory: Option<u64>, cancel: &Cancel) -> Feasibility {
        let words = near.words();
        let fit = Fit::new(near.plan(), self.ends.step, words, self.far.plan(), self.far.words());
        let mut last = vec![0; self.far.words().len()];
        for (number, &set) in self.met.iter().enumerate().filter(|(_, set)| **set != 0) {
            let (at, mut left) = (words.at(number), set);
            while left != 0 {
                let address = fit.address(at, left.trailing_zeros());
                last[address.word] |= 1 << address.bit;
                left &= left - 1;
            }
        }
        Feasibility::towards(&self.far, self.ends.shared..self.far.len(), last, None, memory, cancel)
    }
}

#[cfg(test)]
mod tests;
