//! Backward sweeps: a value for every state, computed layer by layer from the last layer to the
//! first.
//!
//! ```text
//! value(s') = sum, or maximum, over the choices c of a step   value(c(s')) combined with c
//! ```
//!
//! A [`BackwardValues`] says what the values are: numbers of completions, or the best number of edges
//! of a class in a completion. A [`BackwardSweep`] computes the chunks of a layer on all threads, in an
//! order in which chunks with the same first target chunk are neighbours. A chunk of the later layer is
//! freed after its last reader, unless the layers are kept.

use std::sync::{Arc, Mutex};

use super::block_arithmetic::TourNumber;
use super::chunk_format::{ChunkReader, Damaged};
use super::error::IndexLayersError;
use super::forward_step::{ForwardStep, StateChunk, TargetChunks};
use super::index_layers::{IndexLayer, IndexLayers};
use crate::control::AllocatorHook;
use crate::frontier::layer::chunk::WordEntry;
use crate::frontier::layer::chunk_readers::ChunkReaders;
use crate::frontier::layer::memory_pool::{MemoryPool, Reservation};
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::WordNumbering;
use crate::frontier::sweep::step_execution::ChunkQueue;
use crate::lock::lock;

/// Returns the entries of a chunk whose only state is the first one of its first word.
fn initial_entries(words: &WordNumbering) -> Vec<WordEntry> {
    let mut entries = vec![WordEntry::default(); words.chunk_len()];
    entries[0] = WordEntry::new(1, 0);
    entries
}

/// The chunks of a layer, by chunk number.
pub type StateLayer<V> = Vec<Mutex<Option<Arc<StateChunk<V>>>>>;

/// Numbers of the chunks before a step in the order of computation, each with the numbers of the
/// chunks after the step that it reads.
pub type ChunkOrder = Vec<(usize, Vec<usize>)>;

/// Options of a backward pass through the layers of an index.
#[derive(Clone, Default)]
pub struct BackwardOptions {
    /// Memory limit for the process in bytes; `None` for no limit.
    pub memory: Option<u64>,
    /// Function that sets options of the process's allocator when the pass requests it.
    pub allocator: Option<AllocatorHook>,
    /// Signal that cancels the pass.
    pub cancel: Cancel,
}

/// What a backward sweep computes for every state.
pub trait BackwardValues: Sync {
    /// The values of the states of a chunk.
    type Values: Send + Sync;

    /// What a thread adds up during a step.
    type Tally: Send;

    /// Returns the tally of a thread before a step with `later` later neighbours.
    fn new_tally(&self, later: usize) -> Self::Tally;

    /// Returns the number of bytes that the values of a chunk allocate.
    fn bytes(values: &Self::Values) -> u64;

    /// Returns the maximum number of bytes that are allocated while the values of `weights` states
    /// are computed.
    fn max_bytes(weights: usize) -> u64;

    /// Computes the values of a chunk from its target chunks in `after`.
    ///
    /// # Errors
    /// If the stored chunk is damaged.
    fn compute(
        &self,
        source: &SourceChunk,
        after: &TargetChunks<Self::Values>,
        tally: &mut Self::Tally,
    ) -> Result<Self::Values, Damaged>;
}

/// The values of the layer before a step, and the tallies of all threads.
pub type SteppedLayer<B> = (StateLayer<<B as BackwardValues>::Values>, Vec<<B as BackwardValues>::Tally>);

/// A chunk before a step, whose values are computed.
pub struct SourceChunk<'a> {
    /// The step.
    pub forward: &'a ForwardStep<'a>,
    /// Number of the chunk.
    pub number: usize,
    /// Numbers of its target chunks.
    pub targets: &'a [usize],
    /// Entry of every word.
    pub entries: &'a [WordEntry],
    /// The stored chunk; `None` before the first step.
    packed: Option<ChunkReader<'a>>,
}

impl SourceChunk<'_> {
    /// Returns the weights of the chunk.
    ///
    /// # Errors
    /// If the stored chunk is damaged.
    pub fn weights<N: TourNumber>(&self) -> Result<Vec<N>, Damaged> {
        match self.packed {
            Some(packed) => packed.read_numbers(),
            None => Ok(vec![N::from_u128(1)]),
        }
    }

    /// Returns, for each weight of the chunk, whether it is not zero.
    ///
    /// # Errors
    /// If the stored chunk is damaged.
    pub fn present_states(&self) -> Result<Vec<bool>, Damaged> {
        self.packed.map_or_else(|| Ok(vec![true]), |packed| packed.nonzero_weights())
    }
}

/// A backward sweep through the layers of an index.
pub struct BackwardSweep<'a, B> {
    /// The index.
    pub index: &'a IndexLayers,
    /// What is computed.
    pub values: &'a B,
    /// Memory for the chunks.
    pub pool: &'a MemoryPool<'a>,
    /// Memory limit and cancellation.
    pub options: &'a BackwardOptions,
    /// True if the chunks of the later layer are not freed.
    pub keeps_layers: bool,
}

impl<B: BackwardValues> BackwardSweep<'_, B> {
    /// Returns the last layer, whose only state has the value `values`.
    ///
    /// # Errors
    /// [`IndexLayersError::Memory`] if memory is insufficient.
    pub fn last_layer(&self, values: B::Values) -> Result<StateLayer<B::Values>, IndexLayersError> {
        let words = self.index.space.as_ref().expect("an index with layers has a signature space").words();
        let last = StateChunk { entries: initial_entries(words), values };
        self.reserve(chunk_bytes::<B>(&last))?.keep();
        let layer = empty_layer(words.chunk_count());
        *lock(&layer[0]) = Some(Arc::new(last));
        Ok(layer)
    }

    /// Returns the values of the layer before a step, and the tallies of all threads. `layer` has the
    /// weights of that layer; `None` before the first step.
    ///
    /// # Errors
    /// If the layer is damaged or the sweep was cancelled; [`IndexLayersError::Memory`] if memory is
    /// insufficient.
    pub fn step(
        &self,
        forward: &ForwardStep,
        layer: Option<&IndexLayer>,
        after: &StateLayer<B::Values>,
        later: usize,
    ) -> Result<SteppedLayer<B>, IndexLayersError> {
        let order = match layer {
            Some(layer) => chunk_order(forward, layer.chunk_numbers()),
            None => chunk_order(forward, [0].into_iter()),
        };
        let readers = chunk_readers(&order, after.len());
        let free = |chunk_number: usize| {
            if let Some(chunk) = lock(&after[chunk_number]).take_if(|_| !self.keeps_layers) {
                self.pool.budget().release(chunk_bytes::<B>(&chunk));
            }
        };
        (0..after.len()).filter(|&chunk_number| !readers.is_read(chunk_number)).for_each(free);
        let before = empty_layer(after.len());
        let queue = ChunkQueue::new((0..order.len()).collect(), order.len(), &[]);
        let new_state = || (vec![None; after.len()], self.values.new_tally(later));
        let make = |position: usize, (inputs, tally): &mut (Vec<Option<_>>, B::Tally)| {
            let (number, targets) = &order[position];
            targets.iter().for_each(|&target| inputs[target].clone_from(&lock(&after[target])));
            let made = self.chunk(forward, layer, (*number, targets), inputs, tally);
            targets.iter().for_each(|&target| inputs[target] = None);
            let is_last = |target: &&usize| readers.finish_reader(**target);
            targets.iter().filter(is_last).for_each(|&target| free(target));
            made.map(|chunk| *lock(&before[*number]) = Some(Arc::new(chunk)))
        };
        let states = queue.run(new_state, make, &|| false);
        if let Some(layer) = layer {
            layer.release_pages();
        }
        let (_, states) = states?;
        Ok((before, states.into_iter().map(|(_, tally)| tally).collect()))
    }

    /// Returns the values of a chunk, with their bytes reserved in the pool.
    fn chunk(
        &self,
        forward: &ForwardStep,
        layer: Option<&IndexLayer>,
        (number, targets): (usize, &[usize]),
        inputs: &TargetChunks<B::Values>,
        tally: &mut B::Tally,
    ) -> Result<StateChunk<B::Values>, IndexLayersError> {
        if self.options.cancel.is_cancelled() {
            return Err(Error::Stopped { step: 0, steps: self.index.step_count() }.into());
        }
        let words = self.index.space.as_ref().expect("an index with layers has a signature space").words();
        let (entries, packed) = match layer {
            Some(layer) => {
                let packed = layer.chunk(number)?.ok_or_else(|| layer.damaged_error())?;
                let mut entries = vec![WordEntry::default(); words.chunk_len()];
                packed.entries().for_each(|(word, entry)| entries[word] = entry);
                (entries, Some(packed))
            }
            None => (initial_entries(words), None),
        };
        let own = size_of_val(entries.as_slice()) as u64
            + B::max_bytes(packed.map_or(1, |packed: ChunkReader| packed.len()));
        let mut reservation = self.reserve(own)?;
        let source = SourceChunk { forward, number, targets, entries: &entries, packed };
        let values = self.values.compute(&source, inputs, tally).map_err(|Damaged| {
            layer.expect("the chunk before the first step is not read from a layer").damaged_error()
        })?;
        let chunk = StateChunk { entries, values };
        reservation.shrink_to(chunk_bytes::<B>(&chunk));
        reservation.keep();
        Ok(chunk)
    }

    fn reserve(&self, bytes: u64) -> Result<Reservation<'_>, IndexLayersError> {
        self.pool.reserve(bytes, &[]).map_err(|_| self.index.memory_error(self.options, bytes))
    }
}

/// Returns the number of bytes that a chunk allocates.
fn chunk_bytes<B: BackwardValues>(chunk: &StateChunk<B::Values>) -> u64 {
    size_of_val(chunk.entries.as_slice()) as u64 + B::bytes(&chunk.values)
}

/// Returns a layer of `chunks` chunks without values.
fn empty_layer<V>(chunks: usize) -> StateLayer<V> {
    (0..chunks).map(|_| Mutex::new(None)).collect()
}

/// Returns the chunks `chunks` in an order in which chunks with the same first target chunk are
/// neighbours.
#[must_use]
pub fn chunk_order(forward: &ForwardStep, chunks: impl Iterator<Item = usize>) -> ChunkOrder {
    let mut order: ChunkOrder =
        chunks.map(|chunk_number| (chunk_number, forward.target_chunks(chunk_number))).collect();
    order.sort_by(|(one, a), (other, b)| (a.first(), one).cmp(&(b.first(), other)));
    order
}

/// Returns the chunks in `order` that read each of `chunks` target chunks.
#[must_use]
pub fn chunk_readers(order: &ChunkOrder, chunks: usize) -> ChunkReaders {
    let mut readers = ChunkReaders::new(chunks);
    order.iter().for_each(|(_, targets)| readers.add_reader(targets));
    readers
}
