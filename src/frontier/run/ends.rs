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
use crate::frontier::layer::shelf::LayerStore;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::twin::SymmetricHalf;
use crate::frontier::run::options::{Method, Options, SweepSides};
use crate::frontier::run::trace::{DryRun, LayerSize};
use crate::frontier::state::course::SignatureSpace;
use crate::frontier::state::feasibility::{Feasibility, FeasibleTable};
use crate::frontier::state::fit::CutAlignment;
use crate::frontier::state::fold::MirrorFold;
use crate::frontier::state::words::{MAX_BLOCK_SLOTS, WordNumbering};

/// The plan of a two-sided sweep.
#[derive(Clone, Debug)]
pub struct TwoSidedPlan {
    /// Number of the last step of the left half.
    pub cut_step: usize,
    /// The plan of the left half.
    pub left: Arc<Plan>,
    /// The plan of the right half.
    pub right: Arc<Plan>,
    /// Number of common steps: first steps of both halves, made once because one half is the mirror image of
    /// the other there.
    pub common_steps: usize,
}

impl TwoSidedPlan {
    /// Returns the two-sided plan whose cut is after the first `steps` steps of a plan; `None` if one half
    /// would have no steps or the frontier is too wide for blocks.
    ///
    /// # Panics
    /// If the plan is folded and `fold` is false.
    #[must_use]
    pub fn new(cycles: &Cycles, plan: &Arc<Plan>, steps: usize, fold: bool) -> Option<Self> {
        if steps == 0 || steps >= plan.steps().len() || plan.steps()[steps - 1].occupied_slots == 0 {
            return None;
        }
        // A wider frontier has no layers of blocks, and its slot renamings cannot be enumerated.
        if plan.slot_count() > MAX_BLOCK_SLOTS {
            return None;
        }
        assert!(
            fold || plan.steps().iter().all(|step| step.mirror_image.is_none()),
            "both halves are folded, or neither"
        );
        let step = steps - 1;
        if let Some(twin) = SymmetricHalf::find(cycles, plan, step) {
            let names = twin.new_slots(plan, step, WordNumbering::new(plan.slot_count()).chunk_slots());
            let (near, twin) = (Arc::new(plan.with_renamed_slots(&names)), twin.with_renamed_slots(&names));
            let far = Plan::right_half(cycles, &near, step, fold, Some(&twin));
            let shared = twin.common_steps();
            // Without an edge inside the cut, the left layer would be the right one.
            if far.steps().len() > shared {
                return Some(Self { cut_step: step, left: near, right: Arc::new(far), common_steps: shared });
            }
        }
        let far = Plan::right_half(cycles, plan, step, fold, None);
        // Without a vertex to the right of the cut, the left half might already have finished tours.
        let is_any = far.steps().first().is_some_and(|step| !step.stays_on_frontier);
        is_any.then(|| Self { cut_step: step, left: Arc::clone(plan), right: Arc::new(far), common_steps: 0 })
    }

    /// Returns the signature space of the right half; `None` if its tables would be too large.
    #[must_use]
    pub fn right_space(&self, near: &SignatureSpace) -> Option<Arc<SignatureSpace>> {
        SignatureSpace::for_right_half(&self.right, near).map(Arc::new)
    }

    /// Returns the number of steps of both halves and of the join.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.right_only_steps() + self.cut_step + 2
    }

    /// Returns the number of steps of the right half that are not common: these precede the remaining steps
    /// of the left half.
    #[must_use]
    pub fn right_only_steps(&self) -> usize {
        self.right.steps().len() - self.common_steps
    }
}

/// Returns true if the sweep may be two-sided: it must not be sharded or hashed, and sums must be divisible
/// by two in the join.
#[must_use]
pub fn can_be_two_sided(cycles: &Cycles, options: &Options) -> bool {
    let Options { shard: cut, modulo, feasibility, method, sides: ends, .. } = options;
    let is_plain = cut.is_none() && *feasibility && *method != Method::Hashed && *ends != SweepSides::One;
    is_plain && modulo.is_none_or(Modulus::is_odd) && !cycles.has_negative_factors()
}

/// Returns a digest of everything that gives states, blocks and chunks their meaning, for both halves of a
/// two-sided sweep.
#[must_use]
pub fn plan_digest(plan: &Plan, pair: Option<&TwoSidedPlan>) -> u64 {
    let of_pair = |pair: &TwoSidedPlan| {
        let shared = (pair.common_steps as u64).rotate_right(8);
        // Two cuts may have the same plans, and yet different progress within a step.
        let step = (pair.cut_step as u64).rotate_right(20);
        pair.left.digest() ^ pair.right.digest().rotate_left(1) ^ shared ^ step
    };
    pair.map_or_else(|| plan.digest(), of_pair)
}

/// The state of a two-sided sweep in progress.
pub struct TwoSidedState {
    /// The two-sided plan.
    pub plan: TwoSidedPlan,
    /// The signature space of the right half.
    pub right_space: Arc<SignatureSpace>,
    /// The left signatures at the cut that can be completed, by word.
    left_feasible: FeasibleTable,
    /// The reached signatures among them, by word, with their mirror images if the layer is folded.
    reached: Vec<u128>,
    /// The layer from which both halves start, while the right half is swept.
    pub common_layer: Option<LayerStore>,
    /// The last layer of the right half, once it is complete.
    pub right_layer: Option<LayerStore>,
}

impl TwoSidedState {
    /// Finds the signatures at the cut by a dry run of the left half, with the feasibility tables of the
    /// whole left sweep. Calls `each` with the size of every left layer, and `branches` with the state of the
    /// dry run after the common steps, if there are any. Returns `None` if it was cancelled. Cost: that of
    /// the dry run.
    #[must_use]
    pub fn new(
        ends: &TwoSidedPlan,
        near: &SignatureSpace,
        far: Arc<SignatureSpace>,
        mut tables: Feasibility,
        cancel: &Cancel,
        mut each: impl FnMut(LayerSize),
        branches: impl FnOnce(&DryRun),
    ) -> Option<Self> {
        let words = near.words();
        let mut met = vec![0; words.len()];
        let mut trace = DryRun::new(words);
        trace.run(near, Some(&mut tables), 0..ends.common_steps, cancel, &mut each)?;
        if ends.common_steps > 0 {
            branches(&trace);
        }
        trace.run(near, Some(&mut tables), ends.common_steps..ends.cut_step + 1, cancel, &mut each)?;
        let feasible = tables.table_after(ends.cut_step);
        for (high, chunk) in trace.chunks().iter().enumerate() {
            let entries = chunk.iter().flat_map(|chunk| chunk.entries.iter().enumerate());
            entries.for_each(|(low, entry)| met[high * words.chunk_len() + low] = entry.present_signatures());
        }
        // Feasibility tables need every signature that leads to the cut, not only the half that folding
        // keeps.
        if let Some(image) = &near.plan().steps()[ends.cut_step].mirror_image {
            let fold = MirrorFold::new(words, image, None);
            for number in 0..met.len() {
                let at = words.word_at(number);
                let image = fold.word_image(at).unwrap_or(at);
                met[words.number_of(image)] |= fold.mirror_bits(met[number]);
            }
        }
        Some(Self {
            plan: ends.clone(),
            right_space: far,
            left_feasible: feasible,
            reached: met,
            common_layer: None,
            right_layer: None,
        })
    }

    /// Returns the bytes of this state, in addition to a layer and the tables of either half.
    #[must_use]
    pub fn bytes(near: &SignatureSpace) -> u64 {
        2 * (near.words().len() * size_of::<u128>()) as u64
    }

    /// Returns the layer that is held, in addition to those of the current step, for the other half.
    #[must_use]
    pub fn waiting_layer(&self) -> Option<&LayerStore> {
        self.right_layer.as_ref().or(self.common_layer.as_ref())
    }

    /// Returns the feasibility tables of the left half from its step `first` on.
    #[must_use]
    pub fn left_tables(
        &self,
        near: &Arc<SignatureSpace>,
        first: usize,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Feasibility {
        let last = self.left_feasible.to_vec();
        Feasibility::with_last_table(near, first..self.plan.cut_step + 1, last, None, memory, cancel)
    }

    /// Returns the feasibility tables of the right half, which leads to the signatures at the cut, without
    /// those of the common steps.
    #[must_use]
    pub fn right_tables(&self, near: &SignatureSpace, memory: Option<u64>, cancel: &Cancel) -> Feasibility {
        let words = near.words();
        let fit = CutAlignment::new(
            near.plan(),
            self.plan.cut_step,
            words,
            self.right_space.plan(),
            self.right_space.words(),
        );
        let mut last = vec![0; self.right_space.words().len()];
        for (number, &set) in self.reached.iter().enumerate().filter(|(_, set)| **set != 0) {
            let (at, mut left) = (words.word_at(number), set);
            while left != 0 {
                let address = fit.right_signature(at, left.trailing_zeros());
                last[address.word_number] |= 1 << address.bit;
                left &= left - 1;
            }
        }
        Feasibility::with_last_table(
            &self.right_space,
            self.plan.common_steps..self.right_space.step_count(),
            last,
            None,
            memory,
            cancel,
        )
    }
}

#[cfg(test)]
mod tests;
