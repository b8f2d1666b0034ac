//! Layers on their way to files, while the sweep goes on.
//!
//! ```text
//! sweep: layer -> packed chunks -> | account, channel | -> file -> synced -> in its place -> Written
//! ```
//!
//! A disk is about as fast as a sweep; one after the other they would take twice as long. What waits to be written is
//! accounted for, and there is a most of it. A layer is in the manifest when all of it is on the disk.

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

/// Most bytes that wait to be written.
pub const WAITING: u64 = 512 << 20;

/// How long to wait for the disk before looking again.
const WHILE: Duration = Duration::from_millis(2);

/// What the thread that writes is given.
enum Piece {
    /// A packed chunk: its number, bytes, and those of its directory.
    Chunk(usize, Vec<u8>, usize),
    /// The layer of this step, of so many chunks at most, is complete.
    End(usize, usize),
}

/// A layer that is in its place.
pub type Written = Result<(Layer, Stored), TrailError>;

/// The thread that writes, seen from the sweep.
pub struct Writer<'s> {
    pieces: Sender<Piece>,
    written: Receiver<Written>,
    keeper: &'s Keeper<'s>,
    waiting: &'s Account,
    thread: ScopedJoinHandle<'s, ()>,
}

impl<'s> Writer<'s> {
    /// Starts the thread. It ends when the writer is gone and all is written, or after an error.
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

    /// Hands on a layer.
    ///
    /// # Errors
    /// No room, a weight is too great, or what the disk said of a layer before.
    pub fn write(&self, step: usize, shelf: &Shelf) -> Result<(), Failed> {
        let numbers = shelf.numbers();
        each_packed(shelf, self.keeper, |number, packed, directory| {
            let len = packed.len() as u64;
            // What waits becomes less by itself, and what is there may be put aside.
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
            // Whoever does not listen any more has said why.
            let _ = self.pieces.send(Piece::Chunk(number, packed, directory));
            Ok(())
        })?;
        let _ = self.pieces.send(Piece::End(step, shelf.len()));
        Ok(())
    }

    /// The layers that are in their places by now.
    pub fn written(&self) -> impl Iterator<Item = Written> {
        self.written.try_iter()
    }

    /// The layers that are not in their places yet, once they are.
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
