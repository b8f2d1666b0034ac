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

use crate::frontier::layer::account::Account;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::layer::{Failed, Layer, each_packed, path_of, put_one_aside};
use crate::frontier::trail::manifest::{Stored, unfinished};

/// Largest number of bytes queued for writing.
pub const WAITING: u64 = 512 << 20;

/// Interval between two checks whether the disk has caught up.
const WHILE: Duration = Duration::from_millis(2);

/// A message to the writing thread.
enum Piece {
    /// A packed chunk: its number, its bytes, and how many of them are its directory.
    Chunk(usize, Vec<u8>, usize),
    /// The layer is complete: its step, and its number of chunks.
    End(usize, usize),
}

/// A layer whose file is in place.
pub type Written = Result<(Layer, Stored), TrailError>;

/// The handle of the writing thread.
pub struct Writer<'s> {
    pieces: Sender<Piece>,
    written: Receiver<Written>,
    keeper: &'s Keeper<'s>,
    waiting: &'s Account,
    thread: ScopedJoinHandle<'s, ()>,
}

impl<'s> Writer<'s> {
    /// Starts the thread. It ends when the writer is dropped and everything is written, or after an error.
    pub fn start(
        scope: &'s Scope<'s, '_>,
        folder: &'s Path,
        keeper: &'s Keeper<'s>,
        waiting: &'s Account,
    ) -> Self {
        let (pieces, to_write) = channel();
        let (tell, written) = channel();
        let thread = scope.spawn(move || {
            let mut file: Option<Unfinished> = None;
            for piece in to_write {
                let done = match piece {
                    Piece::Chunk(number, bytes, directory) => {
                        let open = |file: &mut Option<Unfinished>| -> Result<(), TrailError> {
                            let file = match file {
                                Some(file) => file,
                                None => file.insert(Unfinished::new(folder)?),
                            };
                            file.add(number, &bytes, directory)
                        };
                        let done = open(&mut file);
                        keeper.account().give(bytes.len() as u64);
                        waiting.give(bytes.len() as u64);
                        done.err().map(Err)
                    }
                    Piece::End(step, chunks) => {
                        let ended = file.take().map_or_else(|| Unfinished::new(folder), Ok);
                        Some(ended.and_then(|file| file.end(step, chunks)))
                    }
                };
                let is_over = matches!(done, Some(Err(_)));
                if done.is_some_and(|done| tell.send(done).is_err()) || is_over {
                    break;
                }
            }
        });
        Self { pieces, written, keeper, waiting, thread }
    }

    /// Packs a layer and queues it for writing.
    ///
    /// # Errors
    /// Memory is exhausted, or a weight is too large for the format. An error of the disk is returned by
    /// [`LayerWriter::written`].
    pub fn write(&self, step: usize, shelf: &Shelf) -> Result<(), Failed> {
        let numbers = shelf.numbers();
        each_packed(shelf, self.keeper, |number, packed, directory| {
            let len = packed.len() as u64;
            // The queue shrinks by itself, and chunks in memory can be evicted.
            while self.waiting.held() > 0 && self.waiting.held() + len > WAITING.min(self.keeper.limit() / 4)
            {
                if self.thread.is_finished() {
                    return Ok(());
                }
                sleep(WHILE);
            }
            let put_aside = || match put_one_aside(shelf, &numbers, self.keeper)? {
                false if self.waiting.held() > 0 && !self.thread.is_finished() => {
                    sleep(WHILE);
                    Ok(true)
                }
                is_done => Ok(is_done),
            };
            self.keeper.room(len, &put_aside).map_err(Failed::Halt)?;
            let _ = self.waiting.take(len, u64::MAX);
            // If the thread has ended, the channel already contains its error.
            let _ = self.pieces.send(Piece::Chunk(number, packed, directory));
            Ok(())
        })?;
        let _ = self.pieces.send(Piece::End(step, shelf.len()));
        Ok(())
    }

    /// Returns the layers whose files are in place by now.
    pub fn written(&self) -> impl Iterator<Item = Written> {
        self.written.try_iter()
    }

    /// Waits for the remaining layers and returns them.
    pub fn finish(self) -> impl Iterator<Item = Written> {
        drop(self.pieces);
        self.written.into_iter()
    }
}

/// A file that is not complete.
struct Unfinished {
    folder: PathBuf,
    out: BufWriter<NamedTempFile>,
    table: Vec<u8>,
    bytes: u64,
}

impl Unfinished {
    fn new(folder: &Path) -> Result<Self, TrailError> {
        let file = unfinished(folder).map_err(TrailError::file(folder))?;
        let out = BufWriter::with_capacity(1 << 20, file);
        Ok(Self { folder: folder.to_owned(), out, table: Vec::new(), bytes: 0 })
    }

    fn add(&mut self, number: usize, packed: &[u8], directory: usize) -> Result<(), TrailError> {
        self.table.extend_from_slice(&(number as u32).to_le_bytes());
        self.table.extend_from_slice(&(directory as u32).to_le_bytes());
        self.table.extend_from_slice(&(packed.len() as u64).to_le_bytes());
        self.table.extend_from_slice(&xxh3_64(&packed[..directory]).to_le_bytes());
        self.bytes += packed.len() as u64;
        self.out.write_all(packed).map_err(TrailError::file(&self.folder))
    }

    fn end(mut self, step: usize, chunks: usize) -> Written {
        let path = path_of(&self.folder, step);
        let failed = TrailError::file(&path);
        self.out.write_all(&self.table).map_err(&failed)?;
        let file = self.out.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_data().map_err(&failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        let table = self.table.len() as u64;
        let stored = Stored { bytes: self.bytes + table, table, digest: xxh3_64(&self.table) };
        Ok((Layer::open(step, &self.folder, chunks, stored)?, stored))
    }
}
