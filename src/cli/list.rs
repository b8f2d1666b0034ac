//! `ktour list`: prints all tours.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use clap::Args;
use num_bigint::BigUint;

use super::arena::ArenaArgs;
use super::common::{EndsArgs, KindArgs, MovesArgs, SplitArgs, vertex};
use super::failure::Failure;
use super::index::IndexArgs;
use super::length::{Length, Written};
use super::places::refuse_same;
use super::signals::Signals;
use super::symmetry::{check_kind, check_known, note_impossible, parser, refuse};
use super::unrank;
use super::written::WrittenArgs;
use crate::report::{Output, Progress, ProgressMode, columns, tell};
use ktour::batch::Shard;
use ktour::board::Arena;
use ktour::control::{Control, Reading};
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
use ktour::search::workers::Stopped;
use ktour::tour::{Kind, TourWriter};
use ktour::words::counted;

const EXAMPLES: &str = "\
Examples:
  ktour list 5x5                              all 864 paths, one a line
  ktour list 6x6 --kind closed --distinct     one closed tour of each class
  ktour list 6x6 --kind closed --symmetry rot90 --format grid
  ktour list 8x8 --kind closed --from 1000000000000 --limit 10
  ktour list 6x6 --shard 3/64                 one of 64 parts of the list
  ktour list 8x8 --start a8 --limit 1 --format grid \\
      --moves \"2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1\"
                                              the first by plain backtracking

A path is listed once, from its lower end; a closed tour once, from its lowest square; --directed lists both \
directions. With --start or --end, tours are directed. The order of the list depends only on board, kind and \
options; with --moves it is the order of plain backtracking that tries the steps (down,right) as given. A header \
line, or a field, states board, piece and kind for check and draw; --bare omits it.";

/// List tours
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ListArgs {
    #[command(flatten)]
    arena: ArenaArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Count or list both directions of every tour
    #[arg(long, conflicts_with = "distinct")]
    directed: bool,

    /// Keep one tour of each class under the board's symmetries
    ///
    /// With --start or --end, only the symmetries that fix these squares are used.
    #[arg(long)]
    distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    #[arg(long, value_parser = parser(), value_name = "WHICH", hide_short_help = true)]
    symmetry: Option<Named>,

    #[command(flatten)]
    ends: EndsArgs,

    /// Stop after N tours
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Start with tour number K
    ///
    /// Numbers follow the order of unrank, which differs from the order of a list without --from.
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = unrank::number, conflicts_with_all = ["directed", "distinct", "symmetry", "moves", "split_depth"])]
    from: Option<BigUint>,

    #[command(flatten)]
    moves: MovesArgs,

    #[command(flatten)]
    split: SplitArgs,

    /// Process only part R of M, 0 <= R < M
    ///
    /// Together the M parts contain each tour once. Within a part, tours keep the order of the whole list.
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        hide_short_help = true,
        conflicts_with = "from"
    )]
    shard: Shard,

    #[command(flatten)]
    written: WrittenArgs,

    #[command(flatten)]
    index: IndexArgs,
}

impl ListArgs {
    /// Lists the tours.
    pub fn run(&self) -> Result<(), Failure> {
        let [shape, graph] = self.arena.inputs();
        refuse_same(&[shape, graph, ("--output", Some(self.written.output.as_path()))])?;
        let arena = self.arena.arena()?;
        let kind = self.kind.kind.map_or(Kind::Paths, Kind::from);
        if let Some(from) = &self.from {
            return self.numbered(arena, kind, from);
        }
        self.check(&arena, kind)?;
        let start = vertex(&arena, self.ends.start.as_deref())?;
        let end = vertex(&arena, self.ends.end.as_deref())?;
        let problem = Problem::new(&arena, kind, start, end)?;
        let options = ListOptions {
            directed: self.directed,
            distinct: self.distinct,
            steps: self.steps(&arena)?,
            split_depth: self.split.split_depth,
            part: (!self.shard.is_whole()).then(|| (self.shard.index(), self.shard.count())),
        };
        let writer = self.written.writer(&arena)?;
        let mut page = Page {
            out: Output::create(&self.written.output)?,
            header: Some(writer.header(kind)),
            separator: writer.separator(),
            left: self.limit.unwrap_or(u64::MAX),
            written: Arc::default(),
            error: None,
        };
        let mut stopped = Ok(());
        let mut signals = None;
        if self.limit != Some(0) {
            let what = format!("{} {}", arena.title(), kind.name());
            // Lists of symmetric tours are short.
            let watch = || {
                let name = format!("list {what}");
                Length::watch(name, &problem, &options, self.limit, Arc::clone(&page.written))
            };
            let _length = self.symmetry.is_none().then(watch);
            // On a terminal the printed tours already show the progress.
            let mode = match self.index.mode() {
                ProgressMode::Auto if self.written.is_stdout() && columns().is_some() => ProgressMode::None,
                mode => mode,
            };
            let (written, limit) = (Arc::clone(&page.written), self.limit);
            let adjust = move |reading: &mut Reading| written.told(limit, reading);
            let progress = Progress::adjusted(mode, what, Control::new(), Box::new(adjust));
            if !self.written.is_stdout() {
                // An incomplete file must be removed.
                signals = Some(Signals::catch(progress.control().flag())?);
            }
            stopped = self.fill(&mut page, &arena, problem, options, &writer, progress.control())?;
        }
        let name = page.out.name();
        let failed = |error: &io::Error| Failure::write(&name, error);
        if let Some(error) = &page.error {
            return Err(failed(error));
        }
        if let (true, Err(_), Some(signals)) = (page.left > 0, &stopped, &signals) {
            drop(page.out);
            let listed = self.limit.unwrap_or(u64::MAX) - page.left;
            tell(format_args!(
                "stopped after {}; {name} is not written because it would be incomplete; use --limit N, or \
                 print to standard output",
                counted(listed, "tour")
            ));
            return Err(signals.die());
        }
        if page.left > 0 {
            stopped.map_err(|error| Failure::failed(error.to_string()))?;
        }
        if let Some(header) = page.header.take() {
            page.out.write_all(header.as_bytes()).map_err(|error| failed(&error))?;
        }
        Ok(page.out.finish()?)
    }

    /// Rejects options and boards that a list does not support.
    fn check(&self, arena: &Arena, kind: Kind) -> Result<(), Failure> {
        for (is_given, option) in [
            (self.index.index.is_some(), "--index"),
            (self.index.plan.is_some(), "--plan"),
            (self.index.memory.is_some(), "--memory"),
        ] {
            if is_given {
                return Err(Failure::usage(format!(
                    "{option} requires a list by number; add --from K, such as --from 0"
                )));
            }
        }
        if arena.len() > MAX_SQUARES {
            return Err(ProblemError::TooLarge(arena.extent()).into());
        }
        if self.distinct && kind == Kind::Closed && self.ends.start.is_some() {
            return Err(Failure::usage(
                "--distinct closed tours have no start; leave out --start, or use --kind paths or open",
            ));
        }
        if self.distinct {
            check_known(arena, "--distinct")?;
        }
        let Some(symmetry) = self.symmetry else { return Ok(()) };
        check_kind(symmetry, kind)?;
        Setting::new(arena, Engine::Multipath, None).check_names()?;
        refuse(
            "--symmetry",
            &[
                (self.ends.are_fixed(), "--start or --end"),
                (self.moves.moves.is_some(), "--moves"),
                (self.split.split_depth.is_some(), "--split-depth"),
                (!self.shard.is_whole(), "--shard"),
            ],
        )
    }

    /// Returns the order of moves of `--moves`, if given.
    fn steps(&self, arena: &Arena) -> Result<Option<Steps>, Failure> {
        let Some(text) = &self.moves.moves else { return Ok(None) };
        let rectangle = arena.rectangle().ok_or_else(|| {
            Failure::usage("--moves requires one leaper on a board without joined edges; leave it out")
        })?;
        let steps = Steps::parse(text, rectangle.board(), rectangle.leaper());
        Ok(Some(steps.map_err(|error| Failure::usage(format!("--moves: {error}")))?))
    }

    /// Writes tours in order until the page is full or the control is cancelled. The inner result says
    /// whether the search was stopped.
    fn fill(
        &self,
        page: &mut Page,
        arena: &Arena,
        problem: Problem,
        options: ListOptions,
        writer: &TourWriter,
        control: &Control,
    ) -> Result<Result<(), Stopped>, Failure> {
        let kind = problem.kind();
        let mut sink = |chunk: &Chunk| page.add(chunk);
        let Some(named) = self.symmetry else {
            return match list(problem, options, writer, control, &mut sink) {
                Err(ListError::Problem(error)) => Err(error.into()),
                Err(ListError::Stopped(stopped)) => Ok(Err(stopped)),
                Err(error) => Err(Failure::failed(error.to_string())),
                Ok(_) => Ok(Ok(())),
            };
        };
        let wanted = Wanted { kind, named, distinct: self.distinct, directed: self.directed };
        let setting = Setting::new(arena, Engine::Multipath, None);
        if !setting.may_have(named, kind) {
            note_impossible(&setting, named);
        }
        match symmetric::list::list(&setting, wanted, writer, control, &mut sink) {
            Err(CountError::Stopped(stopped)) => Ok(Err(stopped)),
            listed => Ok(listed.map(|_| Ok(()))?),
        }
    }

    /// Lists tours by number, starting with `from`.
    fn numbered(&self, arena: Arena, kind: Kind, from: &BigUint) -> Result<(), Failure> {
        let start = vertex(&arena, self.ends.start.as_deref())?;
        let end = vertex(&arena, self.ends.end.as_deref())?;
        let numbered = Numbered { arena, kind, start, end };
        unrank::write(&numbered, &self.written, &self.index, &[], |index| {
            // A board without tours has an empty list for every `from`; otherwise a number that is too large
            // is an error.
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

/// The output of a list, with the number of tours it may still take.
struct Page {
    out: Output,
    /// Header, written before the first tour or at the end. A list that fails at once writes no header.
    header: Option<String>,
    separator: &'static str,
    /// Tours that may still be written.
    left: u64,
    written: Arc<Written>,
    error: Option<io::Error>,
}

impl Page {
    fn add(&mut self, chunk: &Chunk) -> ControlFlow<()> {
        let above = self.header.take().unwrap_or_else(|| self.separator.to_owned());
        let (bytes, tours) = take(chunk, self.left);
        self.left -= tours;
        self.written.count(tours, bytes.len() + above.len());
        self.error = self.out.write_all(above.as_bytes()).and_then(|()| self.out.put(bytes)).err();
        if self.left > 0 && self.error.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Returns the text of the first `left` tours of a batch, and their number.
fn take(chunk: &Chunk, left: u64) -> (&[u8], u64) {
    let all = chunk.ends.len() as u64;
    if all <= left {
        return (&chunk.bytes, all);
    }
    // `left` is below the length of a vector.
    let end = if left == 0 { 0 } else { chunk.ends[left as usize - 1] };
    (&chunk.bytes[..end], left)
}
