//! A dry run: the signatures that a sweep reaches, step by step, without their weights.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::frontier::layer::chunk::{Chunk, WordEntry};
use crate::frontier::layer::compiled_step::{CompiledStep, DryChunk, SourceChunks};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::signature::feasibility::Feasibility;
use crate::frontier::signature::space::{SignatureSpace, WordNumbering};
use crate::frontier::weights::matching_tables::MapTables;

/// Size of a layer as a dry run finds it. All numbers of weights are upper bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct LayerSize {
    /// Number of weights of the layer.
    pub weights: f64,
    /// Number of weights of the largest chunk.
    pub max_chunk_weights: f64,
    /// Number of weights read to compute the layer.
    pub reads: f64,
    /// Number of blocks read to compute the layer.
    pub blocks: f64,
    /// The largest working set of a chunk.
    pub max_working_set: WorkingSet,
}

/// Numbers of weights that are in memory while a chunk is computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkingSet {
    /// Number of weights of the chunk.
    pub own: f64,
    /// Number of weights of all its source chunks together.
    pub read: f64,
    /// Number of weights that are summed at once.
    pub summed: f64,
}

/// State of a dry run: the signatures that are reached after some step.
#[derive(Clone, Debug)]
pub struct DryRun {
    chunks: Vec<Option<Arc<Chunk>>>,
    /// Number of weights of each chunk.
    weights: Vec<u64>,
}

impl DryRun {
    /// Returns the state of a dry run before the first step.
    #[must_use]
    pub fn new(words: &WordNumbering) -> Self {
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunk_count()];
        let mut entries = vec![WordEntry::default(); words.chunk_len()];
        entries[0] = WordEntry::new(1, 0);
        layer[0] = Some(Arc::new(Chunk { entries, ..Chunk::default() }));
        Self { chunks: layer, weights: vec![0; words.chunk_count()] }
    }

    /// Returns the signatures reached so far, as chunks without weights.
    #[must_use]
    pub fn chunks(&self) -> &SourceChunks {
        &self.chunks
    }

    /// Runs some steps of a signature space. Calls `on_layer` with the size of the layer after
    /// every step. Drops the signatures that cannot be completed, by `tables`.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn run(
        &mut self,
        space: &SignatureSpace,
        tables: &mut Feasibility,
        steps: Range<usize>,
        cancel: &Cancel,
        mut on_layer: impl FnMut(LayerSize),
    ) -> Result<(), Cancelled> {
        let maps = MapTables::new(0);
        for t in steps {
            let feasible = tables.table_after(t)?;
            cancel.check()?;
            let sources: &SourceChunks = &self.chunks;
            let compiled = CompiledStep::new_under(space, &maps, Some(&feasible), t, cancel)?;
            let extent;
            (self.chunks, extent) = dry_step(&compiled, sources, &mut self.weights, cancel)?;
            on_layer(extent);
        }
        cancel.check()
    }
}

/// The chunks of a layer in a dry run, `None` for those without signatures.
type DryLayer = Vec<Option<Arc<Chunk>>>;

/// Returns the signatures after the step, as chunks without weights, and the size of the layer that
/// they form. `before` has the number of weights of each source chunk; it is replaced by the number
/// of weights of each target chunk.
fn dry_step(
    compiled: &CompiledStep,
    source: &SourceChunks,
    before: &mut Vec<u64>,
    cancel: &Cancel,
) -> Result<(DryLayer, LayerSize), Cancelled> {
    let part = |chunk_number| cancel.check().map(|()| compiled.dry_run_chunk(source, chunk_number));
    let parts: Vec<DryChunk> =
        (0..source.len()).into_par_iter().with_max_len(16).map(part).collect::<Result<_, _>>()?;
    let made: Vec<u64> = parts.iter().map(|part| part.weights).collect();
    let at_once = (0..made.len()).filter(|&chunk_number| made[chunk_number] > 0).map(|chunk_number| {
        let sources = compiled.source_chunks(chunk_number);
        let read = sources.iter().map(|&s| before[s]).sum::<u64>();
        (made[chunk_number], read, compiled.weights_in_progress(parts[chunk_number].longest_block))
    });
    let (own, read, summed) =
        at_once.max_by_key(|(own, read, summed)| own + read + summed).unwrap_or_default();
    let extent = LayerSize {
        weights: made.iter().sum::<u64>() as f64,
        max_chunk_weights: made.iter().copied().max().unwrap_or(0) as f64,
        reads: parts.iter().map(|part| part.reads).sum::<u64>() as f64,
        blocks: parts.iter().map(|part| part.blocks).sum::<u64>() as f64,
        max_working_set: WorkingSet { own: own as f64, read: read as f64, summed: summed as f64 },
    };
    *before = made;
    Ok((parts.into_iter().map(|part| part.chunk).collect(), extent))
}
