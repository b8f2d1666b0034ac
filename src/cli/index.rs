//! The tour index in the commands that number tours: its options (`--index`, `--plan`, `--memory`), its
//! errors, and the output of tours taken from it.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;

use super::common::ProgressArgs;
use super::failure::Failure;
use super::foretold::Wanted;
use super::named::{other_plan, remark};
use super::signals::Signals;
use super::written::WrittenArgs;
use super::{heap, size};
use crate::report::{Output, Progress, ProgressMode, tell};
use ktour::batch::Folder;
use ktour::control::Control;
use ktour::frontier::{self, TrailError};
use ktour::index::{Index, IndexError, Numbered, Place, Room};
use ktour::tour::{TourKind, TourWriter};

/// Bytes of text collected before they are written.
const GATHERED: usize = 1 << 16;

/// Options of the index of all tours: folder, plan and memory.
#[derive(Clone, Debug, Args)]
pub struct IndexArgs {
    /// Use this folder for the index. Default: build it in memory for each command
    ///
    /// The first command builds the index, later commands reuse it. If building was interrupted, the next
    /// command that names the folder resumes it.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,

    /// Accept only the numbering with this plan
    ///
    /// The plan identifies the order of the numbers; every output names it. Another version of ktour may use
    /// another plan for the same board.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub plan: Option<String>,

    /// Limit memory to SIZE, such as 8G. Default: 9/10 of available memory
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    pub memory: Option<u64>,

    /// Start even if the estimate exceeds memory, disk or a year
    #[arg(long, hide_short_help = true)]
    force: bool,

    #[command(flatten)]
    progress: ProgressArgs,
}

impl IndexArgs {
    /// Returns how progress is shown.
    pub const fn mode(&self) -> ProgressMode {
        self.progress.mode()
    }

    /// Starts the progress display for a job called `name`.
    pub fn progress(&self, name: String) -> Progress {
        Progress::start(self.progress.mode(), name, Control::new().with_allocator(heap::grant))
    }

    /// Returns the memory limit for the index. Nothing is spilled.
    pub fn room(&self) -> Room<'static> {
        Room { memory: self.memory, store: None }
    }

    /// Builds or opens the index. From now on signals are caught.
    ///
    /// # Errors
    /// The index has another plan than `--plan`, does not fit, or cannot be read or written.
    pub fn open(&self, numbered: &Numbered, control: &Control) -> Result<(Index, Signals), Failure> {
        self.open_for(numbered, control, false)
    }

    /// Builds or opens the index like [`open`](Self::open). With `needs_statistics`, the admission check also
    /// includes the memory of exact statistics.
    pub fn open_for(
        &self,
        numbered: &Numbered,
        control: &Control,
        wants_statistics: bool,
    ) -> Result<(Index, Signals), Failure> {
        let signals = Signals::catch(control.flag())?;
        let place = self.index.clone().map_or(Place::Memory, Place::Folder);
        // A folder that cannot be written to may still hold a complete index that can be read.
        let spill = self.index.as_deref().filter(|dir| !ktour::index::is_whole(dir));
        let spill = spill.and_then(|dir| Folder::spill(dir).ok());
        let store = spill.as_ref().map(|folder| folder as &dyn frontier::Store);
        let wanted = Wanted {
            name: format!("{} {}", numbered.arena.title(), numbered.kind.name()),
            memory: self.memory.or_else(ktour::memory::ceiling),
            folder: self
                .index
                .as_deref()
                .map(|dir| (dir, spill.as_ref().and_then(|spill| spill.free().ok()))),
            wants_statistics,
            is_forced: self.force,
        };
        let room = Room { memory: self.memory, store };
        let index = Index::agreed(numbered, &place, room, control, &|demand| wanted.agree(demand));
        let index = match index {
            Err(IndexError::Stopped(_)) => return Err(self.interrupted(control, &signals)),
            index => index.map_err(|error| self.refused(error))?,
        };
        match &self.plan {
            Some(plan) if *plan != index.order() => Err(other_plan("--plan", plan, &index)),
            _ => Ok((index, signals)),
        }
    }

    /// Reports that building the index was interrupted. Ends the process by the signal unless a folder holds
    /// part of the index.
    fn interrupted(&self, control: &Control, signals: &Signals) -> Failure {
        let step = control.reading().sweep.map(|sweep| (sweep.step, sweep.steps));
        match &self.index {
            // The folder holds a part that can be resumed.
            Some(dir) if dir.join("index.json").exists() => {
                let step =
                    step.map_or(String::new(), |(step, steps)| format!(" after layer {step} of {steps}"));
                Failure::stopped(format!(
                    "stopped{step}, the index in {} is incomplete; run the command again to resume it",
                    dir.display()
                ))
            }
            Some(_) => {
                tell("stopped before the first layer of the index");
                signals.die()
            }
            None => {
                tell("stopped, the index in memory is lost; add --index DIR to keep it");
                signals.die()
            }
        }
    }

    /// Converts the error of an operation on a finished index into a failure. Ends the process if a signal
    /// stopped the operation.
    pub fn ended(&self, error: IndexError, signals: &Signals) -> Failure {
        match error {
            IndexError::Stopped(_) => {
                let index =
                    self.index.as_ref().map(|dir| format!("; the index in {} is complete", dir.display()));
                tell(format_args!("stopped before the end{}", index.unwrap_or_default()));
                signals.die()
            }
            error => self.refused(error),
        }
    }

    /// Converts an index error into a failure that names the remedy.
    pub fn refused(&self, error: IndexError) -> Failure {
        match error {
            IndexError::Trail(TrailError::Sweep(error @ frontier::Error::Memory { .. })) => {
                let what = if self.index.is_some() {
                    "raise --memory"
                } else {
                    "raise --memory, or add --index DIR"
                };
                let error = error.to_string();
                let error = error.strip_suffix("; allow more memory").unwrap_or(&error);
                Failure::failed(format!("{error}; {what}, or use a smaller BOARD"))
            }
            IndexError::Trail(error @ TrailError::Memory { .. }) => {
                Failure::failed(format!("{error}; raise --memory, or add --without-index"))
            }
            IndexError::Trail(error @ (TrailError::Width { .. } | TrailError::Large { .. })) => {
                Failure::usage(format!("{error}; use a smaller BOARD"))
            }
            IndexError::Trail(error @ TrailError::Other { .. }) => {
                Failure::failed(format!("--index: {error}; choose another folder"))
            }
            IndexError::Trail(error @ TrailError::Busy(_)) => {
                Failure::failed(format!("--index: {error}, or choose another folder"))
            }
            IndexError::Trail(error @ TrailError::Damaged { .. }) => {
                Failure::failed(format!("{error}; remove the folder to build the index again"))
            }
            IndexError::Trail(TrailError::File { path, source })
                if source.kind() == ErrorKind::PermissionDenied =>
            {
                let path = path.display();
                Failure::failed(format!(
                    "--index: {path}: {source}; choose a folder that you may read and write"
                ))
            }
            IndexError::Trail(error @ TrailError::File { .. }) => Failure::failed(format!(
                "--index: {error}; choose a writable folder on a disk with free space"
            )),
            IndexError::Range { .. } => Failure::failed(error.to_string()),
            IndexError::Open => {
                Failure::usage(format!("{error}; use --kind paths, or ktour sample --kind open"))
            }
            IndexError::OpenEnds => Failure::usage(format!("{error}; leave out --start and --end")),
            IndexError::ClosedEnd => {
                Failure::usage(format!("{error}; leave out --end, or use --kind paths or open"))
            }
            IndexError::Ends | IndexError::SameEnds { .. } => {
                Failure::usage(format!("{error}; change --start or --end"))
            }
            error => Failure::failed(error.to_string()),
        }
    }
}

/// Writes tours of an index to the output, through a buffer.
pub struct Sheet {
    out: Output,
    writer: TourWriter,
    text: Vec<u8>,
    first: bool,
    error: Option<std::io::Error>,
    is_stdout: bool,
}

impl Sheet {
    /// Opens the output for tours of an index and prepares the header with board and kind.
    pub fn open(written: &WrittenArgs, numbered: &Numbered) -> Result<Self, Failure> {
        let writer = written.writer(&numbered.arena)?;
        let out = Output::create(&written.output)?;
        let text = writer.header(numbered.kind).into_bytes();
        Ok(Self { out, writer, text, first: true, error: None, is_stdout: written.is_stdout() })
    }

    /// Adds the plan to the header, if the format has comment lines.
    pub fn name(&mut self, index: &Index) {
        if self.text.starts_with(b"#") {
            self.text.extend_from_slice(remark(index).as_bytes());
        }
    }

    /// Writes one tour.
    pub fn add(&mut self, kind: TourKind, vertices: &[u32]) -> ControlFlow<()> {
        if !std::mem::take(&mut self.first) {
            self.text.extend_from_slice(self.writer.separator().as_bytes());
        }
        self.writer.write(&mut self.text, kind, vertices);
        if self.text.len() < GATHERED { ControlFlow::Continue(()) } else { self.flush() }
    }

    /// Writes the buffered text.
    pub fn flush(&mut self) -> ControlFlow<()> {
        let written = self.out.put(&self.text);
        self.text.clear();
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Completes the output of a run whose result is `ended`. Removes an incomplete file.
    pub fn finish(
        mut self,
        ended: Result<(), IndexError>,
        args: &IndexArgs,
        signals: &Signals,
    ) -> Result<(), Failure> {
        let name = self.out.name();
        if ended.is_ok() && self.error.is_none() {
            let _ = self.flush();
        }
        if let Some(error) = self.error {
            return Err(Failure::write(&name, &error));
        }
        match ended {
            Err(IndexError::Stopped(_)) if !self.is_stdout => {
                drop(self.out);
                tell(format_args!("stopped; {name} is not written because it would be incomplete"));
                Err(signals.die())
            }
            Err(error) => Err(args.ended(error, signals)),
            Ok(()) => Ok(self.out.finish()?),
        }
    }
}
