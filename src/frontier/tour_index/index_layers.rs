//! The layers of an index of tours, stored in memory or in files, and the thread that writes them
//! to files.
//!
//! # File of a layer
//!
//! The file of a layer contains its packed chunks:
//!
//! ```text
//! file    packed chunk, packed chunk, ... | table: a line of 24 bytes a chunk
//! line    number, bytes of the directory, bytes in all, digest of the directory
//! ```
//!
//! The manifest contains the digest of the table, the table the digest of each directory, and a
//! directory the digests of the segments of its chunk, so every byte read is verified.
//!
//! # Writing thread
//!
//! A separate thread writes layers to files while the sweep continues.
//!
//! ```text
//! sweep: layer -> packed chunks -> | budget, channel | -> file -> synced -> renamed into place -> WrittenLayer
//! ```
//!
//! A disk is about as fast as a sweep; in sequence they would take twice as long. The bytes queued
//! for writing are reserved in the memory pool and limited. A layer enters the manifest when its
//! whole file is on the disk.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::Duration;

use memmap2::Mmap;
use num_bigint::BigUint;
use rayon::prelude::*;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

use super::chunk_format::{ChunkReader, Damaged, pack_chunk};
use super::error::IndexLayersError;
use super::manifest::{LayerFile, create_partial_file};
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryBudget, MemoryPool, Reservation, StepError};
use crate::frontier::planning::problem::Cycles;
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::weights::matching_tables::MapTables;
use crate::threads;

/// Storage location of the layers of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexLocation {
    /// Memory.
    Memory,
    /// A folder, which is created if it does not exist.
    Folder(PathBuf),
}

/// All layers of a sweep. They define the number of every tour, from 0 to one less than
/// [`IndexLayers::total`].
///
/// A numbered tour is a set of edges: pairs of vertices, where the number of squares stands for the
/// apex of paths.
#[derive(Debug)]
pub struct IndexLayers {
    pub(super) cycles: Arc<Cycles>,
    /// The signature space; `None` if the number of tours is known without a sweep.
    pub(super) space: Option<Arc<SignatureSpace>>,
    /// Mirror image of every vertex; the vertex itself if the sweep does not fold.
    pub(super) mirror: Vec<usize>,
    pub(super) tables: MapTables,
    pub(super) layers: Vec<IndexLayer>,
    pub(super) total: BigUint,
    /// Number of bits of the greatest weight.
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

    /// Returns the number of bytes of all layers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(IndexLayer::bytes).sum()
    }

    /// Returns true if the layers are in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.layers.iter().all(IndexLayer::is_in_memory)
    }

    /// Returns the number of bytes of every layer, the last layer first. The time of a backward
    /// pass through a layer is roughly proportional to these bytes.
    #[must_use]
    pub fn layer_bytes_backwards(&self) -> Vec<u64> {
        self.layers.iter().rev().map(IndexLayer::bytes).collect()
    }

    /// Returns the number of steps, which is the number of layers.
    pub(super) fn step_count(&self) -> usize {
        self.layers.len()
    }
}

/// Number of bytes of a line in the table of a layer file.
pub const TABLE_LINE_BYTES: usize = 24;

/// Number of chunks in a batch that is packed in parallel.
const PACK_BATCH_CHUNKS: usize = 64;

/// A layer of an index: its packed chunks, in memory or in a file.
#[derive(Debug)]
pub struct IndexLayer {
    /// Number of the step after which this is the layer, from 0.
    step: usize,
    path: Option<PathBuf>,
    bytes: LayerBytes,
    /// Table line of each chunk; `None` for an empty chunk.
    lines: Vec<Option<TableLine>>,
    /// The signature space, by which the entries of a file are checked.
    space: Arc<SignatureSpace>,
    /// For each chunk, true if its entries have been checked.
    is_checked: Vec<AtomicBool>,
}

#[derive(Debug)]
enum LayerBytes {
    /// Packed bytes of each chunk.
    Memory(Vec<Vec<u8>>),
    File(Mmap),
}

/// Offset and length of a packed chunk in the file of its layer, and length and digest of the
/// chunk's directory.
#[derive(Clone, Copy, Debug)]
struct TableLine {
    offset: usize,
    len: usize,
    directory: usize,
    digest: u64,
}

impl IndexLayer {
    /// Packs a layer and stores it in memory. Reserves the packed bytes in the pool.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn store_in_memory(
        step: usize,
        space: &Arc<SignatureSpace>,
        layer_store: &LayerStore,
        pool: &MemoryPool,
    ) -> Result<Self, LayerError> {
        let mut bytes = vec![Vec::new(); layer_store.chunk_count()];
        let mut lines = vec![None; layer_store.chunk_count()];
        for_each_packed_chunk(layer_store, pool, |number, packed, directory| {
            let digest = xxh3_64(&packed[..directory]);
            pool.reserve(packed.len() as u64, &[]).map_err(LayerError::Step)?.keep();
            lines[number] = Some(TableLine { offset: 0, len: packed.len(), directory, digest });
            bytes[number] = packed;
            Ok(())
        })?;
        let is_checked = lines.iter().map(|_| AtomicBool::new(true)).collect();
        Ok(Self {
            step,
            path: None,
            bytes: LayerBytes::Memory(bytes),
            lines,
            space: Arc::clone(space),
            is_checked,
        })
    }

    /// Opens the file of the layer after step `step` of the sweep with the signature space `space`.
    ///
    /// # Errors
    /// If the file is missing, or differs from the file that was written.
    pub fn open(
        step: usize,
        folder: &Path,
        space: &Arc<SignatureSpace>,
        stored: LayerFile,
    ) -> Result<Self, IndexLayersError> {
        let chunks = space.words().chunk_count();
        let path = layer_path(folder, step);
        let damaged = || IndexLayersError::Damaged { step: step + 1, path: Some(path.clone()) };
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(damaged()),
            file => file.map_err(IndexLayersError::file_error(&path))?,
        };
        if file.metadata().map_err(IndexLayersError::file_error(&path))?.len() != stored.bytes {
            return Err(damaged());
        }
        // SAFETY: the file was renamed into place when complete and is never written again; a process that
        // truncates it while it is in use causes a signal, as with any mapped file.
        let map = unsafe { Mmap::map(&file) }.map_err(IndexLayersError::file_error(&path))?;
        let table = map.len().checked_sub(stored.table as usize).map(|from| &map[from..]);
        let table = table.filter(|table| xxh3_64(table) == stored.digest).ok_or_else(damaged)?;
        let (mut lines, mut from) = (vec![None; chunks], 0);
        for line in table.chunks_exact(TABLE_LINE_BYTES) {
            let u32_at =
                |at: usize| u32::from_le_bytes(line[at..at + 4].try_into().expect("four bytes")) as usize;
            let u64_at = |at: usize| u64::from_le_bytes(line[at..at + 8].try_into().expect("eight bytes"));
            let len = u64_at(8) as usize;
            let place = lines.get_mut(u32_at(0)).ok_or_else(damaged)?;
            *place = Some(TableLine { offset: from, len, directory: u32_at(4), digest: u64_at(16) });
            from = from.checked_add(len).filter(|&end| end <= map.len()).ok_or_else(damaged)?;
        }
        if from + table.len() != map.len() {
            return Err(damaged());
        }
        let (space, is_checked) = (Arc::clone(space), lines.iter().map(|_| AtomicBool::new(false)).collect());
        Ok(Self { step, path: Some(path), bytes: LayerBytes::File(map), lines, space, is_checked })
    }

    /// Returns true if the layer is in memory.
    #[must_use]
    pub const fn is_in_memory(&self) -> bool {
        matches!(self.bytes, LayerBytes::Memory(_))
    }

    /// Releases the memory pages of a layer in a file, when the layer will not be read for a while.
    pub fn release_pages(&self) {
        #[cfg(unix)]
        if let LayerBytes::File(map) = &self.bytes {
            // SAFETY: released pages of a file mapped for reading are read again on access, and the file is
            // never written again.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    /// Returns the numbers of the layer's chunks that are not empty.
    pub fn chunk_numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.lines.len()).filter(|&number| self.lines[number].is_some())
    }

    /// Returns the number of bytes that the layer takes in memory or on disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.bytes {
            LayerBytes::Memory(chunks) => chunks.iter().map(|chunk| chunk.len() as u64).sum(),
            LayerBytes::File(map) => map.len() as u64,
        }
    }

    /// Returns a reader of chunk `number`; `None` if the chunk is empty.
    ///
    /// # Errors
    /// If the directory of the chunk is damaged.
    pub fn chunk(&self, number: usize) -> Result<Option<ChunkReader<'_>>, IndexLayersError> {
        let Some(line) = self.lines.get(number).copied().flatten() else { return Ok(None) };
        let bytes = match &self.bytes {
            LayerBytes::Memory(chunks) => &chunks[number],
            LayerBytes::File(map) => &map[line.offset..line.offset + line.len],
        };
        let checked = ChunkReader::new(bytes, line.directory, line.digest).and_then(|reader| {
            if !self.is_checked[number].load(Ordering::Relaxed) {
                let words = self.space.words();
                let outer_ends = |word: usize| words.outer_ends(number, word).count_ones() as usize;
                reader.check_entries(words.chunk_len(), outer_ends)?;
                self.is_checked[number].store(true, Ordering::Relaxed);
            }
            Ok(reader)
        });
        checked.map(Some).map_err(|Damaged| self.damaged_error())
    }

    /// Unpacks all chunks into a layer store. Reserves their bytes in the pool. `words` is the
    /// number of words of a chunk.
    ///
    /// # Errors
    /// If a segment is damaged, or memory is exhausted.
    pub fn to_layer_store(&self, words: usize, pool: &MemoryPool) -> Result<LayerStore, LayerError> {
        let layer_store = LayerStore::new(self.lines.len(), words);
        let numbers: Vec<usize> = self.chunk_numbers().collect();
        numbers.par_iter().try_for_each(|&number| {
            let packed = self.chunk(number).map_err(LayerError::Index)?.expect("the chunk is not empty");
            let chunk: Chunk =
                packed.unpack(words).map_err(|Damaged| LayerError::Index(self.damaged_error()))?;
            pool.reserve(chunk.bytes(), &[&layer_store]).map_err(LayerError::Step)?.keep();
            layer_store.insert(number, chunk);
            Ok(())
        })?;
        Ok(layer_store)
    }

    /// Returns the error that this layer is damaged.
    #[must_use]
    pub fn damaged_error(&self) -> IndexLayersError {
        IndexLayersError::Damaged { step: self.step + 1, path: self.path.clone() }
    }
}

/// The reason why a layer could not be stored or loaded.
#[derive(Debug)]
pub enum LayerError {
    /// An error of the memory pool or of the store for evicted chunks.
    Step(StepError),
    /// An error of the index.
    Index(IndexLayersError),
}

/// Returns the path of the file of the layer after step `step`.
#[must_use]
pub fn layer_path(folder: &Path, step: usize) -> PathBuf {
    folder.join(format!("layer-{:04}", step + 1))
}

/// Packs the chunks of a layer store, in batches. Calls `each` with the number of each chunk, its
/// packed bytes and the length of its directory, in ascending order of numbers.
///
/// # Errors
/// If a chunk cannot be loaded, or `each` fails.
pub fn for_each_packed_chunk(
    layer_store: &LayerStore,
    pool: &MemoryPool,
    mut each: impl FnMut(usize, Vec<u8>, usize) -> Result<(), LayerError>,
) -> Result<(), LayerError> {
    let numbers = layer_store.present_chunks();
    layer_store.set_eviction_ranks(Vec::new());
    for some in numbers.chunks(PACK_BATCH_CHUNKS) {
        let packed: Result<Vec<_>, LayerError> = some
            .par_iter()
            .map(|&number| {
                let chunk = layer_store.load(number, pool, &[layer_store]);
                let chunk = chunk.map_err(LayerError::Step)?.expect("the chunk is in the layer store");
                let (mut bytes, directory) = pack_chunk(&chunk);
                // The capacity was a generous guess.
                bytes.shrink_to_fit();
                Ok((number, (bytes, directory)))
            })
            .collect();
        for (number, (bytes, directory)) in packed? {
            each(number, bytes, directory)?;
        }
    }
    Ok(())
}

/// Largest number of bytes of packed chunks queued for writing.
pub const MAX_QUEUED_BYTES: u64 = 512 << 20;

/// Interval between two checks of the number of bytes queued for writing.
const QUEUE_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A message to the writing thread.
enum WriterMessage<'s> {
    /// A packed chunk: its number, its bytes, and the number of bytes of its directory. Its bytes are
    /// reserved in the memory pool and counted as queued until it is written.
    Chunk(usize, Vec<u8>, usize, [Reservation<'s>; 2]),
    /// The end of a layer: the number of its step.
    LayerEnd(usize),
}

/// A layer whose file is complete, or the error of writing it.
pub type WrittenLayer = Result<(IndexLayer, LayerFile), IndexLayersError>;

/// The handle of the thread that writes layers to files.
pub struct LayerWriter<'s> {
    messages: Sender<WriterMessage<'s>>,
    written: Receiver<WrittenLayer>,
    pool: &'s MemoryPool<'s>,
    queued: &'s MemoryBudget,
    thread: ScopedJoinHandle<'s, ()>,
}

impl<'s> LayerWriter<'s> {
    /// Starts the writing thread. It ends after an error, or when the handle is dropped and all
    /// queued layers are written.
    pub fn start(
        scope: &'s Scope<'s, '_>,
        folder: &'s Path,
        space: &'s Arc<SignatureSpace>,
        pool: &'s MemoryPool<'s>,
        waiting: &'s MemoryBudget,
    ) -> Self {
        let (pieces, to_write) = channel();
        let (tell, written) = channel();
        let thread = threads::spawn_scoped(scope, move || {
            let mut file: Option<PartialFile> = None;
            for piece in to_write {
                let done = match piece {
                    WriterMessage::Chunk(number, bytes, directory, reservations) => {
                        let open = |file: &mut Option<PartialFile>| -> Result<(), IndexLayersError> {
                            let file = match file {
                                Some(file) => file,
                                None => file.insert(PartialFile::new(folder)?),
                            };
                            file.write_chunk(number, &bytes, directory)
                        };
                        let done = open(&mut file);
                        drop((bytes, reservations));
                        done.err().map(Err)
                    }
                    WriterMessage::LayerEnd(step) => {
                        let ended = file.take().map_or_else(|| PartialFile::new(folder), Ok);
                        Some(ended.and_then(|file| file.finish(step, space)))
                    }
                };
                let is_over = matches!(done, Some(Err(_)));
                if done.is_some_and(|done| tell.send(done).is_err()) || is_over {
                    break;
                }
            }
        });
        Self { messages: pieces, written, pool, queued: waiting, thread }
    }

    /// Packs a layer and queues it for writing.
    ///
    /// # Errors
    /// If memory is exhausted. [`LayerWriter::written`]
    /// returns errors of the disk.
    pub fn write(&self, step: usize, layer_store: &LayerStore) -> Result<(), LayerError> {
        for_each_packed_chunk(layer_store, self.pool, |number, packed, directory| {
            let len = packed.len() as u64;
            // The queue shrinks by itself, and chunks in memory can be evicted.
            while self.queued.reserved_bytes() > 0
                && self.queued.reserved_bytes() + len > MAX_QUEUED_BYTES.min(self.pool.limit() / 4)
            {
                if self.thread.is_finished() {
                    return Ok(());
                }
                sleep(QUEUE_POLL_INTERVAL);
            }
            let free = || match layer_store.evict_next(self.pool)? {
                false if self.queued.reserved_bytes() > 0 && !self.thread.is_finished() => {
                    sleep(QUEUE_POLL_INTERVAL);
                    Ok(true)
                }
                is_done => Ok(is_done),
            };
            let in_memory = self.pool.reserve_with(len, free).map_err(LayerError::Step)?;
            let queued = self.queued.reserve(len, u64::MAX).expect("the queue has no limit of its own");
            // If the thread has ended, the channel already contains its error.
            let _ = self.messages.send(WriterMessage::Chunk(number, packed, directory, [in_memory, queued]));
            Ok(())
        })?;
        let _ = self.messages.send(WriterMessage::LayerEnd(step));
        Ok(())
    }

    /// Returns the layers whose files became complete since the last call, and any error.
    pub fn written(&self) -> impl Iterator<Item = WrittenLayer> {
        self.written.try_iter()
    }

    /// Waits until all queued layers are written. Returns the layers that [`LayerWriter::written`]
    /// did not return.
    pub fn finish(self) -> impl Iterator<Item = WrittenLayer> {
        drop(self.messages);
        self.written.into_iter()
    }
}

/// A file of a layer that is not yet complete.
struct PartialFile {
    folder: PathBuf,
    out: BufWriter<NamedTempFile>,
    table: Vec<u8>,
    bytes: u64,
}

impl PartialFile {
    fn new(folder: &Path) -> Result<Self, IndexLayersError> {
        let file = create_partial_file(folder).map_err(IndexLayersError::file_error(folder))?;
        let out = BufWriter::with_capacity(1 << 20, file);
        Ok(Self { folder: folder.to_owned(), out, table: Vec::new(), bytes: 0 })
    }

    fn write_chunk(
        &mut self,
        number: usize,
        packed: &[u8],
        directory: usize,
    ) -> Result<(), IndexLayersError> {
        self.table.extend_from_slice(&(number as u32).to_le_bytes());
        self.table.extend_from_slice(&(directory as u32).to_le_bytes());
        self.table.extend_from_slice(&(packed.len() as u64).to_le_bytes());
        self.table.extend_from_slice(&xxh3_64(&packed[..directory]).to_le_bytes());
        self.bytes += packed.len() as u64;
        self.out.write_all(packed).map_err(IndexLayersError::file_error(&self.folder))
    }

    fn finish(mut self, step: usize, space: &Arc<SignatureSpace>) -> WrittenLayer {
        let path = layer_path(&self.folder, step);
        let failed = IndexLayersError::file_error(&path);
        self.out.write_all(&self.table).map_err(&failed)?;
        let file = self.out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_data().map_err(&failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        let table = self.table.len() as u64;
        let stored = LayerFile { bytes: self.bytes + table, table, digest: xxh3_64(&self.table) };
        Ok((IndexLayer::open(step, &self.folder, space, stored)?, stored))
    }
}
