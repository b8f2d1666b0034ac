//! Two-sided sweeps: the plan, the signatures at the cut, and the join of the two layers.
//!
//! ```text
//! left plan up to the cut -> reached, completable signatures -> matching signatures of the right plan
//! ```
//!
//! Where the first steps of the right half are a mirror image of those of the left half, they are made once:
//! both halves start from the *common layer*.

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

/// The plan of a two-sided sweep.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Number of the last step of the left half.
    pub step: usize,
    /// The plan of the left half.
    pub near: Arc<Plan>,
    /// The plan of the right half.
    pub far: Arc<Plan>,
    /// Number of common steps: first steps of both halves, made once because one half is the mirror image of
    /// the other there.
    pub shared: usize,
}

impl Pair {
    /// Returns the two-sided plan whose cut is after the first `steps` steps of a plan; `None` if one half
    /// would have no steps or the frontier is too wide for blocks.
    ///
    /// # Panics
    /// If the plan is folded and `fold` is false.
    #[must_use]
    pub fn new(cycles: &Cycles, plan: &Arc<Plan>, steps: usize, fold: bool) -> Option<Self> {
        if steps == 0 || steps >= plan.steps().len() || plan.steps()[steps - 1].occupied == 0 {
            return None;
        }
        // A wider frontier has no layers of blocks, and its slot renamings cannot be enumerated.
        if plan.slots() > MOST_BLOCK_SLOTS {
            return None;
        }
        assert!(
            fold || plan.steps().iter().all(|step| step.mirror.is_none()),
            "both halves are folded, or neither"
        );
        let step = steps - 1;
        if let Some(twin) = Twin::find(cycles, plan, step) {
            let names = twin.names(plan, step, Words::new(plan.slots()).high_slots());
            let (near, twin) = (Arc::new(plan.renamed(&names)), twin.renamed(&names));
            let far = Plan::far(cycles, &near, step, fold, Some(&twin));
            let shared = twin.steps();
            // Without an edge inside the cut, the left layer would be the right one.
            if far.steps().len() > shared {
                return Some(Self { step, near, far: Arc::new(far), shared });
            }
        }
        let far = Plan::far(cycles, plan, step, fold, None);
        // Without a vertex to the right of the cut, the left half might already have finished tours.
        let is_any = far.steps().first().is_some_and(|step| !step.stays);
        is_any.then(|| Self { step, near: Arc::clone(plan), far: Arc::new(far), shared: 0 })
    }

    /// Returns the signature space of the right half; `None` if its tables would be too large.
    #[must_use]
    pub fn course(&self, near: &Course) -> Option<Arc<Course>> {
        Course::far(&self.far, near).map(Arc::new)
    }

    /// Returns the number of steps of both halves and of the join.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.before() + self.step + 2
    }

    /// Returns the number of steps of the right half that are not common: these precede the remaining steps
    /// of the left half.
    #[must_use]
    pub fn before(&self) -> usize {
        self.far.steps().len() - self.shared
    }
}

/// Returns true if the sweep may be two-sided: it must not be sharded or hashed, and sums must be divisible
/// by two in the join.
#[must_use]
pub fn may_meet(cycles: &Cycles, options: &Options) -> bool {
    let Options { cut, modulo, feasibility, method, ends, .. } = options;
    let is_plain = cut.is_none() && *feasibility && *method != Method::Hashed && *ends != Ends::One;
    is_plain && modulo.is_none_or(Modulus::is_odd) && !cycles.has_negatives()
}

/// Returns a digest of everything that gives states, blocks and chunks their meaning, for both halves of a
/// two-sided sweep.
#[must_use]
pub fn digest(plan: &Plan, pair: Option<&Pair>) -> u64 {
    let of_pair = |pair: &Pair| {
        let shared = (pair.shared as u64).rotate_right(8);
        // Two cuts may have the same plans, and yet different progress within a step.
        let step = (pair.step as u64).rotate_right(20);
        pair.near.digest() ^ pair.far.digest().rotate_left(1) ^ shared ^ step
    };
    pair.map_or_else(|| plan.digest(), of_pair)
}

/// The state of a two-sided sweep in progress.
pub struct Meeting {
    /// The two-sided plan.
    pub ends: Pair,
    /// The signature space of the right half.
    pub far: Arc<Course>,
    /// The left signatures at the cut that can be completed, by word.
    feasible: Feasible,
    /// The reached signatures among them, by word, with their mirror images if the layer is folded.
    met: Vec<u128>,
    /// The layer from which both halves start, while the right half is swept.
    pub branch: Option<Shelf>,
    /// The last layer of the right half, once it is complete.
    pub layer: Option<Shelf>,
}

impl Meeting {
    /// Finds the signatures at the cut by a dry run of the left half, with the feasibility tables of the
    /// whole left sweep. Calls `each` with the size of every left layer, and `branches` with the state of the
    /// dry run after the common steps, if there are any. Returns `None` if it was cancelled. Cost: that of
    /// the dry run.
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
        // Feasibility tables need every signature that leads to the cut, not only the half that folding
        // keeps.
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

    /// Returns the bytes of this state, in addition to a layer and the tables of either half.
    #[must_use]
    pub fn bytes(near: &Course) -> u64 {
        2 * (near.words().len() * size_of::<u128>()) as u64
    }

    /// Returns the layer that is held, in addition to those of the current step, for the other half.
    #[must_use]
    pub fn waiting(&self) -> Option<&Shelf> {
        self.layer.as_ref().or(self.branch.as_ref())
    }

    /// Returns the feasibility tables of the left half from its step `first` on.
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

    /// Returns the feasibility tables of the right half, which leads to the signatures at the cut, without
    /// those of the common steps.
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
