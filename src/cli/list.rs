//! `ktour list`: the tours themselves.

use std::io::Write;
use std::ops::ControlFlow;

use clap::Args;
use num_bigint::BigUint;

use super::arena::ArenaArgs;
use super::common::{EndsArgs, KindArgs, MovesArgs, SplitArgs, vertex};
use super::failure::Failure;
use super::index::IndexArgs;
use super::places::refuse_same;
use super::signals::Signals;
use super::symmetry::{check_kind, check_known, note_impossible, parser, refuse};
use super::unrank;
use super::written::WrittenArgs;
use crate::report::{Output, Progress, tell};
use ktour::board::Arena;
use ktour::control::Control;
use ktour::count::symmetric::Named;
use ktour::count::symmetric::list::Wanted;
use ktour::count::symmetric::{self, Setting};
use ktour::count::{CountError, Engine};
use ktour::index::Numbered;
use ktour::search::chunk::Chunk;
use ktour::search::list::{ListError, ListOptions, list};
use ktour::search::order::Steps;
use ktour::search::problem::{Problem, ProblemError};
use ktour::search::width::MAX_SQUARES;
use ktour::tour::Kind;
use ktour::words::counted;

const EXAMPLES: &str = "\
Examples:
  ktour list 5x5                              all 864 paths, a line each
  ktour list 6x6 --kind closed --distinct     one closed tour of each class
  ktour list 6x6 --kind closed --symmetry rot90 --format grid
  ktour list 8x8 --kind closed --from 1000000000000 --limit 10
  ktour list 8x8 --start a8 --limit 1 --format grid \\
      --moves \"2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1\"
                                              the first by plain backtracking

A path is listed once, from its lower end; a closed tour once, from its lowest square; --directed lists both \
directions. With --start or --end tours are directed. Tours come in an order that depends on the question alone; \
with --moves it is that of plain backtracking which tries the steps (down,right) in that order. The first line, \
or a field, says the board, the piece and the kind of the tours, so that check and draw know; --bare leaves that out.";

/// The tours themselves.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ListArgs {
    #[command(flatten)]
    arena: ArenaArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Both directions of every tour
    #[arg(long, conflicts_with = "distinct")]
    directed: bool,

    /// Tours up to the board's symmetries, one of each class
    ///
    /// With --start or --end only the symmetries that leave these squares where they are count.
    #[arg(long)]
    distinct: bool,

    /// Only tours that this leaves unchanged, whatever else does
    #[arg(long, value_parser = parser(), value_name = "WHICH", hide_short_help = true)]
    symmetry: Option<Named>,

    #[command(flatten)]
    ends: EndsArgs,

    /// No more than N tours
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Begin with the tour of this number, in the order of numbers
    ///
    /// The order is that of unrank, and not that of a list without --from.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = unrank::number, conflicts_with_all = ["directed", "distinct", "symmetry", "moves", "split_depth"])]
    from: Option<BigUint>,

    #[command(flatten)]
    moves: MovesArgs,

    #[command(flatten)]
    split: SplitArgs,

    #[command(flatten)]
    written: WrittenArgs,

    #[command(flatten)]
    index: IndexArgs,
}

impl ListArgs {
    /// Lists.
    pub fn run(&self) -> Result<(), Failure> {
        let [shape, graph] = self.arena.inputs();
        refuse_same(&[shape, graph, ("--output", Some(self.written.output.as_path()))])?;
        let arena = self.arena.arena()?;
        let kind = self.kind.kind.map_or(Kind::Paths, Kind::from);
        if let Some(from) = &self.from {
            return self.numbered(arena, kind, from);
        }
        for (is_given, option) in [
            (self.index.index.is_some(), "--index"),
            (self.index.plan.is_some(), "--plan"),
            (self.index.memory.is_some(), "--memory"),
        ] {
            if is_given {
                return Err(Failure::usage(format!(
                    "{option} is for lists by number: add --from K, such as --from 0"
                )));
            }
        }
        if arena.len() > MAX_SQUARES {
            return Err(ProblemError::TooLarge(arena.extent()).into());
        }
        if self.distinct && kind == Kind::Closed && self.ends.start.is_some() {
            return Err(Failure::usage(
                "--distinct closed tours have no start: drop --start, or ask for --kind paths or open",
            ));
        }
        if self.distinct {
            check_known(&arena, "--distinct")?;
        }
        if let Some(symmetry) = self.symmetry {
            check_kind(symmetry, kind)?;
            Setting::new(&arena, Engine::Multipath, None).check_names()?;
            refuse(
                "--symmetry",
                &[
                    (self.ends.are_fixed(), "--start or --end"),
                    (self.moves.moves.is_some(), "--moves"),
                    (self.split.split_depth.is_some(), "--split-depth"),
                ],
            )?;
        }
        let start = vertex(&arena, self.ends.start.as_deref())?;
        let end = vertex(&arena, self.ends.end.as_deref())?;
        let problem = Problem::new(&arena, kind, start, end)?;
        let steps = match &self.moves.moves {
            Some(text) => {
                let rectangle = arena.rectangle().ok_or_else(|| {
                    Failure::usage(
                        "--moves takes the steps of one leaper on a board whose edges are not joined",
                    )
                })?;
                let steps = Steps::parse(text, rectangle.board(), rectangle.leaper());
                Some(steps.map_err(|error| Failure::usage(format!("--moves: {error}")))?)
            }
            None => None,
        };
        let options = ListOptions {
            directed: self.directed,
            distinct: self.distinct,
            steps,
            split_depth: self.split.split_depth,
        };
        let writer = self.written.writer(&arena)?;
        let mut out = Output::create(&self.written.output)?;
        let name = out.name();
        let failed = |error: &std::io::Error| Failure::write(&name, error);
        // Before the first tour, or at the end: a list that cannot be has no header.
        let mut header = Some(writer.header(kind));

        let mut left = self.limit.unwrap_or(u64::MAX);
        let mut first = true;
        let mut error = None;
        let mut sink = |chunk: &Chunk| {
            let separator = if first { "" } else { writer.separator() };
            first = false;
            let header = header.take().unwrap_or_default();
            let (bytes, tours) = take(chunk, left);
            left -= tours;
            let above = [header.as_bytes(), separator.as_bytes()].concat();
            let written = out.write_all(&above).and_then(|()| out.write_all(bytes));
            match written {
                Ok(()) if left > 0 => ControlFlow::Continue(()),
                Ok(()) => ControlFlow::Break(()),
                Err(e) => {
                    error = Some(e);
                    ControlFlow::Break(())
                }
            }
        };
        let mut stopped = Ok(());
        let mut signals = None;
        if self.limit != Some(0) {
            let progress = Progress::start(
                self.index.mode(),
                format!("{} {}", arena.title(), kind.name()),
                Control::new(),
            );
            if !self.written.is_stdout() {
                // A file that is not complete must not stay behind.
                signals = Some(Signals::catch(progress.control().flag())?);
            }
            let control = progress.control();
            stopped = match self.symmetry {
                None => match list(problem, options, &writer, control, &mut sink) {
                    Err(ListError::Problem(error)) => return Err(error.into()),
                    Err(ListError::Stopped(stopped)) => Err(stopped),
                    Err(error) => return Err(Failure::failed(error.to_string())),
                    Ok(_) => Ok(()),
                },
                Some(symmetry) => {
                    let wanted =
                        Wanted { kind, named: symmetry, distinct: self.distinct, directed: self.directed };
                    let setting = Setting::new(&arena, Engine::Multipath, None);
                    if !setting.may_have(wanted.named, kind) {
                        note_impossible(&setting, wanted.named);
                    }
                    match symmetric::list::list(&setting, wanted, &writer, control, &mut sink) {
                        Err(CountError::Stopped(stopped)) => Err(stopped),
                        listed => listed.map(|_| Ok(()))?,
                    }
                }
            };
        }
        if let Some(error) = error {
            return Err(failed(&error));
        }
        if let (true, Err(_), Some(signals)) = (left > 0, &stopped, &signals) {
            drop(out);
            let listed = self.limit.unwrap_or(u64::MAX) - left;
            tell(format_args!(
                "stopped after {}: {name} is not written, as it would not be complete; --limit N asks for \
                 fewer, without --output they are printed as they come",
                counted(listed, "tour")
            ));
            return Err(signals.die());
        }
        if left > 0 {
            stopped.map_err(|error| Failure::failed(error.to_string()))?;
        }
        if let Some(header) = header {
            out.write_all(header.as_bytes()).map_err(|error| failed(&error))?;
        }
        Ok(out.finish()?)
    }
}

impl ListArgs {
    /// Lists by number.
    fn numbered(&self, arena: Arena, kind: Kind, from: &BigUint) -> Result<(), Failure> {
        let start = vertex(&arena, self.ends.start.as_deref())?;
        let end = vertex(&arena, self.ends.end.as_deref())?;
        let numbered = Numbered { arena, kind, start, end };
        unrank::write(&numbered, &self.written, &self.index, &[], |index| {
            // Of no tours the list is empty, wherever it begins; a number that no tour has is told by itself.
            if *index.total() == BigUint::ZERO {
                return Vec::new();
            }
            if from >= index.total() {
                return vec![(from.clone(), from.clone())];
            }
            let last = match self.limit {
                Some(0) => return Vec::new(),
                Some(limit) => index.total().min(&(from + limit)).clone(),
                None => index.total().clone(),
            };
            vec![(from.clone(), last - 1u32)]
        })
    }
}

/// The first `left` tours of a chunk, and how many they are.
fn take(chunk: &Chunk, left: u64) -> (&[u8], u64) {
    let all = chunk.ends.len() as u64;
    if all <= left {
        return (&chunk.bytes, all);
    }
    // `left` is below the length of a vector.
    let end = if left == 0 { 0 } else { chunk.ends[left as usize - 1] };
    (&chunk.bytes[..end], left)
}
