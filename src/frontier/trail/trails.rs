//! The layers of an index, in memory or in files.

use std::path::PathBuf;
use std::sync::Arc;

use num_bigint::BigUint;

use crate::frontier::block::tables::MapTables;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::state::course::SignatureSpace;
use crate::frontier::trail::layer::IndexLayer;

/// Where the layers are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexLocation {
    /// In memory.
    Memory,
    /// In a folder, which is created if it does not exist.
    Folder(PathBuf),
}

/// All layers of a sweep: every tour has a number, from 0 to one less than [`IndexLayers::total`].
///
/// A numbered tour is a set of edges: pairs of vertices, where the number of squares stands for the apex of
/// paths.
#[derive(Debug)]
pub struct IndexLayers {
    pub(super) cycles: Arc<Cycles>,
    /// The signature space; `None` if the number of tours is known without a sweep.
    pub(super) space: Option<Arc<SignatureSpace>>,
    /// The mirror image of every vertex; the vertex itself without folding.
    pub(super) mirror: Vec<usize>,
    pub(super) tables: MapTables,
    pub(super) layers: Vec<IndexLayer>,
    pub(super) total: BigUint,
    /// Bits of the greatest weight.
    pub(super) max_weight_bits: u32,
    pub(super) numbering: String,
}

impl IndexLayers {
    /// Returns the number of tours.
    #[must_use]
    pub const fn total(&self) -> &BigUint {
        &self.total
    }

    /// Returns the name of the numbering: the digest of the plan that defines it, in hexadecimal.
    #[must_use]
    pub fn numbering(&self) -> &str {
        &self.numbering
    }

    /// Returns the bytes of the layers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(IndexLayer::bytes).sum()
    }

    /// Returns true if the layers are in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.layers.iter().all(IndexLayer::is_in_memory)
    }

    /// Returns the bytes of every layer, the last first: the time of a backward pass is roughly proportional
    /// to these.
    #[must_use]
    pub fn layer_bytes_backwards(&self) -> Vec<u64> {
        self.layers.iter().rev().map(IndexLayer::bytes).collect()
    }

    /// Returns the number of steps.
    pub(super) fn step_count(&self) -> usize {
        self.layers.len()
    }
}
