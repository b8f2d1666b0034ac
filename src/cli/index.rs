//! What the commands that number tours have in common: the index, and tours on their way out.

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

/// Bytes of text that are gathered before they are written.
const GATHERED: usize = 1 << 16;

/// The index of all tours: where it is, and in which order.
#[derive(Clone, Debug, Args)]
pub struct IndexArgs {
    /// Folder for the index, made once and used again [default: made in memory every time]
    ///
    /// An index whose making was stopped or killed is gone on with by the next command that names its folder.
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,

    /// Refuse numbers of any order but this one
    ///
    /// Every output names the order of its numbers, the plan. Another version may have another plan for a board.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub plan: Option<String>,

    /// Ceiling for memory, such as 8G [default: 9/10 of what is available]
    #[arg(long, value_name = "SIZE", value_parser = size::parse, hide_short_help = true)]
    pub memory: Option<u64>,

    /// Begin even if it will not fit, or take years, by estimate
    #[arg(long, hide_short_help = true)]
    force: bool,

    #[command(flatten)]
    progress: ProgressArgs,
}

impl IndexArgs {
    /// How progress is shown.
    pub const fn mode(&self) -> ProgressMode {
        self.progress.mode()
    }

    /// Shows progress.
    pub fn progress(&self, name: String) -> Progress {
        Progress::start(self.progress.mode(), name, Control::new().with_allocator(heap::grant))
    }

    /// With which memory.
    pub fn room(&self) -> Room<'static> {
        Room { memory: self.memory, store: None }
    }

    /// Makes or opens the index, and refuses one of another order, or that has no room. From now on signals are caught.
    pub fn open(&self, numbered: &Numbered, control: &Control) -> Result<(Index, Signals), Failure> {
        self.open_for(numbered, control, false)
    }

    /// The same for whoever wants exact statistics, which need room as well.
    pub fn open_for(
        &self,
        numbered: &Numbered,
        control: &Control,
        wants_statistics: bool,
    ) -> Result<(Index, Signals), Failure> {
        let signals = Signals::catch(control.flag())?;
        let place = self.index.clone().map_or(Place::Memory, Place::Folder);
        // Who may not write there may read what is there.
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

    /// What is said when the making of an index is stopped.
    fn interrupted(&self, control: &Control, signals: &Signals) -> Failure {
        let step = control.reading().sweep.map(|sweep| (sweep.step, sweep.steps));
        match &self.index {
            // There is something to go on with.
            Some(dir) if dir.join("index.json").exists() => {
                let step =
                    step.map_or(String::new(), |(step, steps)| format!(" after layer {step} of {steps}"));
                Failure::stopped(format!(
                    "stopped{step}: the index in {} is not complete; the next command that names it goes on",
                    dir.display()
                ))
            }
            Some(_) => {
                tell("stopped before the first layer of the index");
                signals.die()
            }
            None => {
                tell("stopped: an index in memory is lost; --index DIR keeps what is done of it");
                signals.die()
            }
        }
    }

    /// What is said when something has ended that an index was read for.
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

    /// What helps.
    pub fn refused(&self, error: IndexError) -> Failure {
        match error {
            IndexError::Trail(TrailError::Sweep(error @ frontier::Error::Memory { .. })) => {
                let what = if self.index.is_some() {
                    "raise --memory"
                } else {
                    "raise --memory, or name a folder by --index DIR"
                };
                let error = error.to_string();
                let error = error.strip_suffix(": allow more memory").unwrap_or(&error);
                Failure::failed(format!("{error}: {what}, or take a smaller BOARD"))
            }
            IndexError::Trail(error @ TrailError::Memory { .. }) => {
                Failure::failed(format!("{error}: raise --memory, or add --without-index"))
            }
            IndexError::Trail(error @ (TrailError::Width { .. } | TrailError::Large { .. })) => {
                Failure::usage(format!("{error}: take a smaller BOARD"))
            }
            IndexError::Trail(error @ TrailError::Other { .. }) => {
                Failure::failed(format!("--index: {error}; name another folder"))
            }
            IndexError::Trail(error @ TrailError::Busy(_)) => {
                Failure::failed(format!("--index: {error}, or name another folder"))
            }
            IndexError::Trail(error @ TrailError::Damaged { .. }) => {
                Failure::failed(format!("{error}: remove the folder, and the index is made anew"))
            }
            IndexError::Trail(TrailError::File { path, source })
                if source.kind() == ErrorKind::PermissionDenied =>
            {
                let path = path.display();
                Failure::failed(format!(
                    "--index: {path}: {source}: a folder that you may read and write helps"
                ))
            }
            IndexError::Trail(error @ TrailError::File { .. }) => Failure::failed(format!(
                "--index: {error}: a folder that can be written to, on a disk with room, helps"
            )),
            IndexError::Range { .. } => Failure::failed(error.to_string()),
            IndexError::Open => {
                Failure::usage(format!("{error}: ask for --kind paths, or sample open tours"))
            }
            IndexError::OpenEnds => Failure::usage(format!("{error}: drop --start and --end")),
            IndexError::ClosedEnd => {
                Failure::usage(format!("{error}: drop --end, or ask for --kind paths or open"))
            }
            IndexError::Ends | IndexError::SameEnds { .. } => {
                Failure::usage(format!("{error}: change --start or --end"))
            }
            error => Failure::failed(error.to_string()),
        }
    }
}

/// Tours on their way out.
pub struct Sheet {
    out: Output,
    writer: TourWriter,
    text: Vec<u8>,
    first: bool,
    error: Option<std::io::Error>,
    is_stdout: bool,
}

impl Sheet {
    /// Opens the output for tours of an index; its first lines say what they are tours of, and in which order.
    pub fn open(written: &WrittenArgs, numbered: &Numbered) -> Result<Self, Failure> {
        let writer = written.writer(&numbered.arena)?;
        let out = Output::create(&written.output)?;
        let text = writer.header(numbered.kind).into_bytes();
        Ok(Self { out, writer, text, first: true, error: None, is_stdout: written.is_stdout() })
    }

    /// Says in which order, where a line can say so.
    pub fn name(&mut self, index: &Index) {
        if self.text.starts_with(b"#") {
            self.text.extend_from_slice(remark(index).as_bytes());
        }
    }

    /// Writes a tour.
    pub fn add(&mut self, kind: TourKind, vertices: &[u32]) -> ControlFlow<()> {
        if !std::mem::take(&mut self.first) {
            self.text.extend_from_slice(self.writer.separator().as_bytes());
        }
        self.writer.write(&mut self.text, kind, vertices);
        if self.text.len() < GATHERED { ControlFlow::Continue(()) } else { self.flush() }
    }

    /// Writes what was gathered.
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

    /// Completes the output of a run that ended so. A file that is not complete does not stay behind.
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
                tell(format_args!("stopped: {name} is not written, as it would not be complete"));
                Err(signals.die())
            }
            Err(error) => Err(args.ended(error, signals)),
            Ok(()) => Ok(self.out.finish()?),
        }
    }
}
