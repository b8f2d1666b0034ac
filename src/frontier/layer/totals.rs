//! What a sweep took so far.

use serde::{Deserialize, Serialize};

/// What a sweep took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// States of the greatest layer.
    pub peak_states: u64,
    /// Weights of the greatest layer.
    pub peak_weights: u64,
    /// States of all layers together.
    pub states: u64,
    /// Weights of all layers together.
    pub weights: u64,
    /// Weights read and added.
    pub transitions: u64,
    /// Bytes in memory at most.
    pub peak_bytes: u64,
    /// Bytes in the store at most.
    pub peak_stored: u64,
    /// Bytes written to the store.
    pub written: u64,
    /// Bytes sent to other ranks.
    #[serde(default)]
    pub sent: u64,
    /// Seconds taken.
    pub seconds: f64,
}
