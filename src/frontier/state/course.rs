//! A [`SignatureSpace`] combines the numbering with the plan of a block sweep.

use std::sync::Arc;

use crate::frontier::problem::plan::Plan;
use crate::frontier::state::words::{MAX_BLOCK_SLOTS, SignatureAddress, WordNumbering};

/// A plan with the numbering of its signatures.
#[derive(Clone, Debug)]
pub struct SignatureSpace {
    plan: Arc<Plan>,
    words: WordNumbering,
}

impl SignatureSpace {
    /// Creates the signature space of a plan; `None` if its frontier is too wide for tables of signatures.
    #[must_use]
    pub fn new(plan: &Arc<Plan>) -> Option<Self> {
        let fits = plan.slot_count() <= MAX_BLOCK_SLOTS;
        fits.then(|| Self { plan: Arc::clone(plan), words: WordNumbering::new(plan.slot_count()) })
    }

    /// Creates the signature space of a right half, with words numbered like those of the left half `left`;
    /// `None` if its frontier is too wide.
    #[must_use]
    pub fn for_right_half(plan: &Arc<Plan>, left: &Self) -> Option<Self> {
        let fits = plan.slot_count() <= MAX_BLOCK_SLOTS;
        fits.then(|| Self {
            plan: Arc::clone(plan),
            words: WordNumbering::with_chunks_like(&left.words, plan.slot_count()),
        })
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the numbering of signatures.
    #[must_use]
    pub const fn words(&self) -> &WordNumbering {
        &self.words
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.plan.steps().len()
    }

    /// Returns the signatures without ends that are finished tours after step `t`.
    #[must_use]
    pub fn finished_signatures(&self, t: usize) -> Vec<SignatureAddress> {
        self.plan.finished_inner_slots(t).into_iter().map(|inner| self.locate_inner_slots(inner)).collect()
    }

    /// Returns the address of the signature in which the slots of `inner` are inner and all others bare.
    #[must_use]
    pub fn locate_inner_slots(&self, inner: u64) -> SignatureAddress {
        self.words.locate_signature(|slot| 2 * (inner >> slot & 1) as u32)
    }
}
