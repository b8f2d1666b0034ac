//! Writes layers to files on a separate thread while the sweep continues.
//!
//! ```text
//! sweep: layer -> packed chunks -> | budget, channel | -> file -> synced -> renamed into place -> WrittenLayer
//! ```
//!
//! A disk is about as fast as a sweep; in sequence they would take twice as long. The bytes queued for
//! writing are reserved in the pool and limited. A layer enters the manifest when all of it is on the disk.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::Duration;

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

use super::error::IndexLayersError;
use super::index_layers::{IndexLayer, LayerError, evict_one, for_each_packed_chunk, layer_path};
use super::manifest::{LayerFile, create_partial_file};
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::MemoryBudget;
use crate::frontier::layer::memory_pool::MemoryPool;

/// Largest number of bytes queued for writing.
pub const MAX_QUEUED_BYTES: u64 = 512 << 20;

/// Interval between two checks whether the disk has caught up.
const QUEUE_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A message to the writing thread.
enum WriterMessage {
    /// A packed chunk: its number, its bytes, and how many of them are its directory.
    Chunk(usize, Vec<u8>, usize),
    /// The layer is complete: its step, and its number of chunks.
    LayerEnd(usize, usize),
}

/// A layer whose file is in place.
pub type WrittenLayer = Result<(IndexLayer, LayerFile), IndexLayersError>;

/// The handle of the writing thread.
pub struct LayerWriter<'s> {
    messages: Sender<WriterMessage>,
    written: Receiver<WrittenLayer>,
    pool: &'s MemoryPool<'s>,
    queued: &'s MemoryBudget,
    thread: ScopedJoinHandle<'s, ()>,
}

impl<'s> LayerWriter<'s> {
    /// Starts the thread. It ends when the writer is dropped and everything is written, or after an error.
    pub fn start(
        scope: &'s Scope<'s, '_>,
        folder: &'s Path,
        pool: &'s MemoryPool<'s>,
        waiting: &'s MemoryBudget,
    ) -> Self {
        let (pieces, to_write) = channel();
        let (tell, written) = channel();
        let thread = scope.spawn(move || {
            let mut file: Option<PartialFile> = None;
            for piece in to_write {
                let done = match piece {
                    WriterMessage::Chunk(number, bytes, directory) => {
                        let open = |file: &mut Option<PartialFile>| -> Result<(), IndexLayersError> {
                            let file = match file {
                                Some(file) => file,
                                None => file.insert(PartialFile::new(folder)?),
                            };
                            file.write_chunk(number, &bytes, directory)
                        };
                        let done = open(&mut file);
                        pool.budget().release(bytes.len() as u64);
                        waiting.release(bytes.len() as u64);
                        done.err().map(Err)
                    }
                    WriterMessage::LayerEnd(step, chunks) => {
                        let ended = file.take().map_or_else(|| PartialFile::new(folder), Ok);
                        Some(ended.and_then(|file| file.finish(step, chunks)))
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
    /// Memory is exhausted, or a weight is too large for the format. An error of the disk is returned by
    /// [`LayerWriter::written`].
    pub fn write(&self, step: usize, shelf: &LayerStore) -> Result<(), LayerError> {
        let numbers = shelf.present_chunks();
        for_each_packed_chunk(shelf, self.pool, |number, packed, directory| {
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
            let evict = || match evict_one(shelf, &numbers, self.pool)? {
                false if self.queued.reserved_bytes() > 0 && !self.thread.is_finished() => {
                    sleep(QUEUE_POLL_INTERVAL);
                    Ok(true)
                }
                is_done => Ok(is_done),
            };
            self.pool.reserve(len, &evict).map_err(LayerError::Step)?;
            let _ = self.queued.reserve(len, u64::MAX);
            // If the thread has ended, the channel already contains its error.
            let _ = self.messages.send(WriterMessage::Chunk(number, packed, directory));
            Ok(())
        })?;
        let _ = self.messages.send(WriterMessage::LayerEnd(step, shelf.chunk_count()));
        Ok(())
    }

    /// Returns the layers whose files are in place by now.
    pub fn written(&self) -> impl Iterator<Item = WrittenLayer> {
        self.written.try_iter()
    }

    /// Waits for the remaining layers and returns them.
    pub fn finish(self) -> impl Iterator<Item = WrittenLayer> {
        drop(self.messages);
        self.written.into_iter()
    }
}

/// A file that is not complete.
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

    fn finish(mut self, step: usize, chunks: usize) -> WrittenLayer {
        let path = layer_path(&self.folder, step);
        let failed = IndexLayersError::file_error(&path);
        self.out.write_all(&self.table).map_err(&failed)?;
        let file = self.out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_data().map_err(&failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        let table = self.table.len() as u64;
        let stored = LayerFile { bytes: self.bytes + table, table, digest: xxh3_64(&self.table) };
        Ok((IndexLayer::open(step, &self.folder, chunks, stored)?, stored))
    }
}
