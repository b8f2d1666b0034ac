//! The layers of an index, in memory or in files.
//!
//! The file of a layer contains its packed chunks:
//!
//! ```text
//! file    packed chunk, packed chunk, ... | table: a line of 24 bytes a chunk
//! line    number, bytes of the directory, bytes in all, digest of the directory
//! ```
//!
//! The digest of the table is in the manifest, that of each directory in the table, and those of the segments
//! in the directory, so every byte read is verified.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use num_bigint::BigUint;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::chunk_format::{ChunkReader, Damaged, MAX_WEIGHT_BYTES, pack_chunk};
use super::error::IndexLayersError;
use super::manifest::LayerFile;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::planning::cycles::Cycles;
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::weights::matching_tables::MapTables;

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

/// Bytes of a line of the table.
pub const TABLE_LINE_BYTES: usize = 24;

/// Chunks that are packed at a time.
const PACK_BATCH_CHUNKS: usize = 64;

/// A layer of an index.
#[derive(Debug)]
pub struct IndexLayer {
    /// Its step, from 0.
    step: usize,
    path: Option<PathBuf>,
    bytes: LayerBytes,
    /// By chunk, its location; `None` for an empty chunk.
    lines: Vec<Option<TableLine>>,
}

#[derive(Debug)]
enum LayerBytes {
    /// By chunk.
    Memory(Vec<Vec<u8>>),
    File(Mmap),
}

/// The location of a chunk in the file, and the length and digest of its directory.
#[derive(Clone, Copy, Debug)]
struct TableLine {
    offset: usize,
    len: usize,
    directory: usize,
    digest: u64,
}

impl IndexLayer {
    /// Stores a layer in memory; its bytes are reserved in the pool.
    ///
    /// # Errors
    /// Memory is exhausted, or a weight is too large for the format.
    pub fn store_in_memory(step: usize, shelf: &LayerStore, pool: &MemoryPool) -> Result<Self, LayerError> {
        let mut bytes = vec![Vec::new(); shelf.chunk_count()];
        let mut lines = vec![None; shelf.chunk_count()];
        for_each_packed_chunk(shelf, pool, |number, packed, directory| {
            let digest = xxh3_64(&packed[..directory]);
            pool.reserve(packed.len() as u64, &|| Ok(false)).map_err(LayerError::Step)?;
            lines[number] = Some(TableLine { offset: 0, len: packed.len(), directory, digest });
            bytes[number] = packed;
            Ok(())
        })?;
        Ok(Self { step, path: None, bytes: LayerBytes::Memory(bytes), lines })
    }

    /// Opens the file of a layer.
    ///
    /// # Errors
    /// The file is missing, or differs from the one that was written.
    pub fn open(
        step: usize,
        folder: &Path,
        chunks: usize,
        stored: LayerFile,
    ) -> Result<Self, IndexLayersError> {
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
            from += len;
        }
        if from + table.len() != map.len() {
            return Err(damaged());
        }
        Ok(Self { step, path: Some(path), bytes: LayerBytes::File(map), lines })
    }

    /// Returns true if the layer is in memory.
    #[must_use]
    pub const fn is_in_memory(&self) -> bool {
        matches!(self.bytes, LayerBytes::Memory(_))
    }

    /// Releases the memory pages that were read from a file, as the layer is not read for a while.
    pub fn release_pages(&self) {
        #[cfg(unix)]
        if let LayerBytes::File(map) = &self.bytes {
            // SAFETY: released pages of a file mapped for reading are read again on access, and the file is
            // never written again.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    /// Returns the numbers of its chunks.
    pub fn chunk_numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.lines.len()).filter(|&number| self.lines[number].is_some())
    }

    /// Returns the bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.bytes {
            LayerBytes::Memory(chunks) => chunks.iter().map(|chunk| chunk.len() as u64).sum(),
            LayerBytes::File(map) => map.len() as u64,
        }
    }

    /// Returns a chunk; `None` if it is empty.
    ///
    /// # Errors
    /// Its directory is damaged.
    pub fn chunk(&self, number: usize) -> Result<Option<ChunkReader<'_>>, IndexLayersError> {
        let Some(line) = self.lines.get(number).copied().flatten() else { return Ok(None) };
        let bytes = match &self.bytes {
            LayerBytes::Memory(chunks) => &chunks[number],
            LayerBytes::File(map) => &map[line.offset..line.offset + line.len],
        };
        ChunkReader::new(bytes, line.directory, line.digest).map(Some).map_err(|Damaged| self.damaged_error())
    }

    /// Unpacks all chunks into a layer store; their bytes are reserved in the pool.
    ///
    /// # Errors
    /// A segment is damaged, or memory is exhausted.
    pub fn to_layer_store(&self, words: usize, pool: &MemoryPool) -> Result<LayerStore, LayerError> {
        let shelf = LayerStore::new(self.lines.len(), words);
        let numbers: Vec<usize> = self.chunk_numbers().collect();
        numbers.par_iter().try_for_each(|&number| {
            let packed = self.chunk(number).map_err(LayerError::Index)?.expect("the chunk is not empty");
            let chunk: Chunk =
                packed.unpack(words).map_err(|Damaged| LayerError::Index(self.damaged_error()))?;
            let evict = || evict_one(&shelf, &numbers, pool);
            pool.reserve(chunk.bytes(), &evict).map_err(LayerError::Step)?;
            shelf.insert(number, chunk);
            Ok(())
        })?;
        Ok(shelf)
    }

    /// Returns the error of a damaged chunk of this layer.
    #[must_use]
    pub fn damaged_error(&self) -> IndexLayersError {
        IndexLayersError::Damaged { step: self.step + 1, path: self.path.clone() }
    }
}

/// The reason why a layer could not be stored.
#[derive(Debug)]
pub enum LayerError {
    /// An error of the step.
    Step(StepError),
    /// An error of the index.
    Index(IndexLayersError),
}

/// Returns the path of a layer's file.
#[must_use]
pub fn layer_path(folder: &Path, step: usize) -> PathBuf {
    folder.join(format!("layer-{:04}", step + 1))
}

/// Packs the chunks of a layer store, a batch at a time, and calls `each` with the number, the bytes and the
/// directory length of each chunk, in ascending order of numbers.
///
/// # Errors
/// A chunk cannot be loaded, a weight is too large for the format, or `each` fails.
pub fn for_each_packed_chunk(
    shelf: &LayerStore,
    pool: &MemoryPool,
    mut each: impl FnMut(usize, Vec<u8>, usize) -> Result<(), LayerError>,
) -> Result<(), LayerError> {
    let numbers = shelf.present_chunks();
    for some in numbers.chunks(PACK_BATCH_CHUNKS) {
        let packed: Result<Vec<_>, LayerError> = some
            .par_iter()
            .map(|&number| {
                let chunk = shelf.load(number, pool, &|| evict_one(shelf, &numbers, pool));
                let chunk = chunk.map_err(LayerError::Step)?.expect("the chunk is in the layer store");
                let most = MAX_WEIGHT_BYTES as u32 * 8;
                let (mut bytes, directory) =
                    pack_chunk(&chunk).ok_or(LayerError::Index(IndexLayersError::WeightTooLarge { most }))?;
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

/// Evicts one of these chunks of a layer store. Returns false if there is none or no store to evict to.
///
/// # Errors
/// The store fails.
pub fn evict_one(shelf: &LayerStore, numbers: &[usize], pool: &MemoryPool) -> Result<bool, StepError> {
    if !pool.has_store() {
        return Ok(false);
    }
    for &number in numbers {
        if shelf.evict(number, pool)? {
            return Ok(true);
        }
    }
    Ok(false)
}
