//! The course of a sweep by blocks: its plan, and how the signatures on its way are numbered.

use std::sync::Arc;

use crate::frontier::problem::plan::Plan;
use crate::frontier::state::words::{Address, MOST_BLOCK_SLOTS, Words};

/// A plan with the words of its signatures.
#[derive(Clone, Debug)]
pub struct Course {
    plan: Arc<Plan>,
    words: Words,
}

impl Course {
    /// The course of a plan, unless its frontier is too wide for tables of signatures.
    #[must_use]
    pub fn new(plan: &Arc<Plan>) -> Option<Self> {
        let fits = plan.slots() <= MOST_BLOCK_SLOTS;
        fits.then(|| Self { plan: Arc::clone(plan), words: Words::new(plan.slots()) })
    }

    /// The course of the plan of a far end, its words numbered like those of the sweep that it meets, unless its
    /// frontier is too wide.
    #[must_use]
    pub fn far(plan: &Arc<Plan>, near: &Self) -> Option<Self> {
        let fits = plan.slots() <= MOST_BLOCK_SLOTS;
        fits.then(|| Self { plan: Arc::clone(plan), words: Words::like(&near.words, plan.slots()) })
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The numbering of signatures.
    #[must_use]
    pub const fn words(&self) -> &Words {
        &self.words
    }

    /// Steps, one a vertex.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plan.steps().len()
    }

    /// The signatures without ends that are finished tours after step `t`.
    #[must_use]
    pub fn finished(&self, t: usize) -> Vec<Address> {
        self.plan.finished(t).into_iter().map(|inner| self.all_inner(inner)).collect()
    }

    /// Where the signature with these slots inner and all others bare is.
    #[must_use]
    pub fn all_inner(&self, inner: u64) -> Address {
        self.words.locate(|slot| 2 * (inner >> slot & 1) as u32)
    }
}
