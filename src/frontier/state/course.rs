//! A [`SignatureSpace`] combines the numbering with the plan of a block sweep.

use std::sync::Arc;

use crate::frontier::problem::plan::Plan;
use crate::frontier::state::words::{Address, MOST_BLOCK_SLOTS, Words};

/// A plan with the numbering of its signatures.
#[derive(Clone, Debug)]
pub struct Course {
    plan: Arc<Plan>,
    words: Words,
}

impl Course {
    /// Creates the signature space of a plan; `None` if its frontier is too wide for tables of signatures.
    #[must_use]
    pub fn new(plan: &Arc<Plan>) -> Option<Self> {
        let fits = plan.slots() <= MOST_BLOCK_SLOTS;
        fits.then(|| Self { plan: Arc::clone(plan), words: Words::new(plan.slots()) })
    }

    /// Creates the signature space of a right half, with words numbered like those of the left half `left`;
    /// `None` if its frontier is too wide.
    #[must_use]
    pub fn far(plan: &Arc<Plan>, near: &Self) -> Option<Self> {
        let fits = plan.slots() <= MOST_BLOCK_SLOTS;
        fits.then(|| Self { plan: Arc::clone(plan), words: Words::like(&near.words, plan.slots()) })
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the numbering of signatures.
    #[must_use]
    pub const fn words(&self) -> &Words {
        &self.words
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plan.steps().len()
    }

    /// Returns the signatures without ends that are finished tours after step `t`.
    #[must_use]
    pub fn finished(&self, t: usize) -> Vec<Address> {
        self.plan.finished(t).into_iter().map(|inner| self.all_inner(inner)).collect()
    }

    /// Returns the address of the signature in which the slots of `inner` are inner and all others bare.
    #[must_use]
    pub fn all_inner(&self, inner: u64) -> Address {
        self.words.locate(|slot| 2 * (inner >> slot & 1) as u32)
    }
}
