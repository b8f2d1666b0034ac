//! A dry run: the signatures that a sweep reaches, step by step, without their weights.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::frontier::block::tables::Tables;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::stride::{Sources, Stride, Traced};
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::words::Words;

/// The size of a layer by a dry run: upper bounds, in numbers of weights.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    pub weights: f64,
    /// Weights of the largest chunk.
    pub greatest: f64,
    /// Weights read to compute the layer.
    pub reads: f64,
    pub blocks: f64,
    /// Weights of one chunk and of all its source chunks together, for the chunk with the largest sum.
    pub at_once: (f64, f64),
}

/// The state of a dry run: the signatures reached after some step.
#[derive(Clone, Debug)]
pub struct Trace {
    layer: Vec<Option<Arc<Chunk>>>,
    /// Number of weights of each chunk.
    weights: Vec<u64>,
}

impl Trace {
    /// Returns the state before the first step.
    #[must_use]
    pub fn new(words: &Words) -> Self {
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunks()];
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        layer[0] = Some(Arc::new(Chunk { entries, ..Chunk::default() }));
        Self { layer, weights: vec![0; words.chunks()] }
    }

    /// Returns the reached signatures, as chunks without weights.
    #[must_use]
    pub fn layer(&self) -> &Sources {
        &self.layer
    }

    /// Runs the steps `steps` of a signature space and calls `on_layer` with the size of the layer after every
    /// step. Returns `None` if it was cancelled.
    pub fn go(
        &mut self,
        course: &Course,
        mut tables: Option<&mut Feasibility>,
        steps: Range<usize>,
        cancel: &Cancel,
        mut each: impl FnMut(Extent),
    ) -> Option<()> {
        let maps = Tables::new(0);
        for t in steps {
            let feasible = tables.as_mut().map(|tables| tables.after(t));
            if cancel.is_cancelled() {
                return None;
            }
            let sources: &Sources = &self.layer;
            let stride = Stride::new(course, &maps, feasible.as_ref().map(|table| table.as_slice()), t);
            let extent;
            (self.layer, extent) = trace(&stride, sources, &mut self.weights, cancel);
            each(extent);
        }
        (!cancel.is_cancelled()).then_some(())
    }
}

/// Returns the signatures after the step, as chunks without weights, and the size of that layer. On entry
/// `before` holds the number of weights of each source chunk, on return that of each target chunk.
fn trace(
    stride: &Stride,
    source: &Sources,
    before: &mut Vec<u64>,
    cancel: &Cancel,
) -> (Vec<Option<Arc<Chunk>>>, Extent) {
    let parts: Vec<_> = (0..source.len())
        .into_par_iter()
        .with_max_len(16)
        .map(|high| if cancel.is_cancelled() { Traced::default() } else { stride.trace_chunk(source, high) })
        .collect();
    let made: Vec<u64> = parts.iter().map(|part| part.weights).collect();
    let at_once = (0..made.len()).filter(|&high| made[high] > 0).map(|high| {
        let sources = stride.sources_of(high);
        (made[high], sources.iter().map(|&s| before[s]).sum::<u64>())
    });
    let (own, read) = at_once.max_by_key(|(own, read)| own + read).unwrap_or_default();
    let extent = Extent {
        weights: made.iter().sum::<u64>() as f64,
        greatest: made.iter().copied().max().unwrap_or(0) as f64,
        reads: parts.iter().map(|part| part.reads).sum::<u64>() as f64,
        blocks: parts.iter().map(|part| part.blocks).sum::<u64>() as f64,
        at_once: (own as f64, read as f64),
    };
    *before = made;
    (parts.into_iter().map(|part| part.chunk).collect(), extent)
}
