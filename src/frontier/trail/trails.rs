//! The trails of all tours of a field: every layer of a sweep, kept.

use std::path::PathBuf;
use std::sync::Arc;

use num_bigint::BigUint;

use crate::frontier::block::tables::Tables;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::state::course::Course;
use crate::frontier::trail::layer::Layer;

/// Where layers are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory.
    Memory,
    /// In a folder, which is made if it is not there.
    Folder(PathBuf),
}

/// All layers of a sweep: every tour has a number, from 0 to one less than their [`Trails::total`].
///
/// What it numbers are edge sets: pairs of vertices, the number of squares standing for the apex of paths.
#[derive(Debug)]
pub struct Trails {
    pub(super) cycles: Arc<Cycles>,
    /// Nothing if the number of tours is known without a sweep.
    pub(super) course: Option<Arc<Course>>,
    /// The mirror of folds, by vertex.
    pub(super) mirror: Vec<usize>,
    pub(super) tables: Tables,
    pub(super) layers: Vec<Layer>,
    pub(super) total: BigUint,
    /// Bits of the greatest weight.
    pub(super) bits: u32,
    pub(super) plan: String,
}

impl Trails {
    /// The number of tours.
    #[must_use]
    pub const fn total(&self) -> &BigUint {
        &self.total
    }

    /// The name of the order of numbers: the digest of the plan that it is made by.
    #[must_use]
    pub fn plan(&self) -> &str {
        &self.plan
    }

    /// Bytes of the layers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(Layer::bytes).sum()
    }

    /// Whether the layers are in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.layers.iter().all(Layer::is_in_memory)
    }

    /// Bytes of every layer, the last first: what goes back through them takes its time by that, roughly.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        self.layers.iter().rev().map(Layer::bytes).collect()
    }

    /// The steps.
    pub(super) fn steps(&self) -> usize {
        self.layers.len()
    }
}
