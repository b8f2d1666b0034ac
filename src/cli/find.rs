//! `ktour find`: finds one or several tours on boards of any size.

use std::collections::HashSet;
use std::io::Write;
use std::time::Instant;

use clap::Args;

use super::arena::ArenaArgs;
use super::common::{EndsArgs, KindArgs, MovesArgs, ProgressArgs, vertex};
use super::failure::Failure;
use super::files::{FileArgs, all};
use super::found::{Finding, FoundTour};
use super::look::{MAX_VERTICES, nth};
use super::places::refuse_same;
use super::rules;
use super::signals::Signals;
use super::symmetry::{check_kind, check_known, parser, refuse};
use super::written::WrittenArgs;
use crate::report::{Output, Waiting, tell};
use ktour::board::{Arena, Board, Leaper, Rectangle, Square};
use ktour::control::Control;
use ktour::count::symmetric::list::{Wanted, tours};
use ktour::count::symmetric::{Named, Setting};
use ktour::count::{CountError, Engine};
use ktour::heuristic::{FindRequest, MAX_SQUARES, Means, Rule, Step, Want};
use ktour::search::width::MAX_SQUARES as SEARCHED;
use ktour::tour::{Kind, Tour};
use ktour::words::counted;

const EXAMPLES: &str = "\
Examples:
  ktour find 8x8 --closed --format grid       a closed tour of the chessboard
  ktour find 2000x2000 --closed | ktour check -
  ktour find 8x8 --rule warnsdorff --seed 7   Warnsdorff's rule
  ktour find 30x40 --start a1 --end n40
  ktour find 6 --closed --limit 12 --distinct | ktour draw - --output s.svg
  ktour find 10 --kind closed --symmetry rot90  a symmetric tour

Each attempt by a rule is one walk; attempts differ by start square and random choices. The rule auto finds a \
knight's tour on any full rectangle that has one, or reports that no tour exists; it also has constructions for kings, \
wazirs and wrapped boards. For boards with holes, other leapers and graphs it searches and may give up; it reports why \
no tour exists if colours, degrees, cut vertices or crowded squares show it. Exit status 1: no tour exists, or no tour \
was found.";

/// Find a tour quickly, on a board of any size.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct FindArgs {
    #[command(flatten)]
    arena: ArenaArgs,

    #[command(flatten)]
    kind: KindArgs,

    /// Same as --kind closed
    #[arg(long, conflicts_with = "kind")]
    closed: bool,

    /// Same as --kind open
    #[arg(long, conflicts_with_all = ["kind", "closed"])]
    open: bool,

    /// Keep one tour of each class under the board's symmetries
    ///
    /// No two of the N tours of --limit are images of each other.
    #[arg(long, hide_short_help = true)]
    distinct: bool,

    /// Use only tours with this symmetry (they may have others)
    ///
    /// For boards of up to 128 squares. The search is complete and takes no --rule.
    #[arg(long, value_parser = parser(), value_name = "WHICH", hide_short_help = true)]
    symmetry: Option<Named>,

    #[command(flatten)]
    ends: EndsArgs,

    /// Choose the method: auto, or a rule such as warnsdorff, pohl, roth, w+
    #[arg(long, value_parser = rules::parser(), value_name = "NAME", default_value = "auto")]
    rule: Rule,

    /// Set the seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Give up after N walks by the rule, or N steps of the search
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1000)]
    attempts: u64,

    /// Allow each walk by a rule to take back N moves
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 100)]
    backtracks: u64,

    #[command(flatten)]
    moves: MovesArgs,

    /// Stop after N tours
    ///
    /// Each tour has the next seed; without --distinct a tour may be repeated.
    #[arg(long, value_name = "N", default_value_t = 1)]
    limit: u64,

    #[command(flatten)]
    written: WrittenArgs,

    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    progress: ProgressArgs,
}

/// Receives a tour, its seed, and the method that found it.
type Each<'a> = dyn FnMut(&Tour, u64, Option<&Means>) -> Result<(), Failure> + 'a;

/// Repeated tours in a row after which the search for another tour is given up.
const REPEATS: u32 = 1000;

impl FindArgs {
    /// Finds the tours and writes them.
    pub fn run(&self) -> Result<(), Failure> {
        let arena = self.arena.arena()?;
        let request = self.request(&arena)?;
        self.check(&arena)?;
        let [csv, json] = self.files.named();
        let is_stdout = self.written.is_stdout();
        let [shape, graph] = self.arena.inputs();
        let output = (!is_stdout).then_some(self.written.output.as_path());
        refuse_same(&[shape, graph, csv, json, ("--output", output)])?;
        let files = self.files.open()?;
        // If a report goes to standard output, tours are not printed.
        let is_listed = !(is_stdout && files.is_quiet());
        let mut out = if is_listed { Some(Output::create(&self.written.output)?) } else { None };
        let writer = self.written.writer(&arena)?;
        let (kind, control) = (self.wanted(), Control::new());
        // Signals are caught only to remove incomplete files.
        let is_tidy = is_stdout && !self.files.are_wanted();
        let signals = (!is_tidy).then(|| Signals::catch(control.flag())).transpose()?;
        let name = format!("find {} {}", arena.title(), kind.name());
        let waiting = Waiting::start(self.progress.mode(), name, self.limit);
        let mut finding =
            Finding::new(&arena, kind, self.symmetry.map_or(self.rule.to_string(), |_| "auto".into()));
        let (mut text, mut first, began) = (writer.header(kind).into_bytes(), true, Instant::now());
        let mut count = 0u64;
        let mut each = |tour: &Tour, seed: u64, means: Option<&Means>| {
            if self.files.are_wanted() {
                finding.add(FoundTour::new(tour, seed, means, began.elapsed().as_secs_f64()));
            }
            let Some(to) = &mut out else { return Ok(()) };
            if !std::mem::take(&mut first) {
                text.extend_from_slice(writer.separator().as_bytes());
            }
            writer.write(&mut text, tour.kind(), tour.vertices());
            let written = waiting.found(|| to.write_all(&text));
            text.clear();
            count += 1;
            let failed = written.map_err(|error| Failure::write(&to.name(), &error));
            // A file with a part of a tour is never completed under its final name.
            failed.inspect_err(|_| out = None)
        };
        let ended = match self.symmetry {
            Some(named) => self.symmetric(&arena, named, &control, &mut each),
            None => self.by_seeds(&request, &control, &mut each),
        };
        drop(waiting);
        let reason = match ended {
            Ok(true) => None,
            Ok(false) => {
                drop((out, files));
                if signals.is_some() {
                    tell(format_args!(
                        "stopped after {}; no file is written, as it would be incomplete; use a smaller --limit N for \
                         fewer tours",
                        counted(count, "tour")
                    ));
                }
                return Err(signals.map_or(Failure::silent(1), |signals| signals.die()));
            }
            Err(failure) => Some(failure),
        };
        // A closed pipe is no reason for the report.
        let why = reason.as_ref().filter(|reason| reason.status() != 0);
        finding.end(why.map(ToString::to_string), began.elapsed().as_secs_f64());
        let written = files.write(|out| finding.write_csv(out), || finding.json());
        // The tours found so far are written even if the search failed.
        let out = out.filter(|_| reason.is_none() || count > 0);
        let listed = out.map_or(Ok(()), |out| Ok(out.finish()?));
        all([reason.map_or(Ok(()), Err), written, listed])
    }

    /// Returns the kind of tours to find.
    fn wanted(&self) -> Kind {
        match self.kind.kind {
            _ if self.closed => Kind::Closed,
            _ if self.open => Kind::Open,
            kind => kind.map_or(Kind::Paths, Kind::from),
        }
    }

    /// Rejects options that a search for symmetric tours does not support.
    fn check(&self, arena: &Arena) -> Result<(), Failure> {
        if self.distinct {
            check_known(arena, "--distinct")?;
        }
        let Some(named) = self.symmetry else { return Ok(()) };
        check_kind(named, self.wanted())?;
        refuse(
            "--symmetry",
            &[
                (self.ends.are_fixed(), "--start or --end"),
                (self.moves.moves.is_some(), "--moves"),
                (self.rule != Rule::Auto, "--rule"),
                (self.seed != 0, "--seed"),
            ],
        )?;
        Setting::new(arena, Engine::Multipath, None).check_names()?;
        if arena.len() > SEARCHED {
            return Err(Failure::usage(format!(
                "--symmetry: {}, a search for symmetric tours takes at most {SEARCHED}; use a smaller BOARD",
                arena.extent()
            )));
        }
        Ok(())
    }

    /// Finds tours with one seed after another. Returns false if the control was cancelled first.
    fn by_seeds(
        &self,
        request: &FindRequest,
        control: &Control,
        each: &mut Each<'_>,
    ) -> Result<bool, Failure> {
        let (mut seen, mut left, mut repeats) = (HashSet::new(), self.limit, 0);
        for number in 0.. {
            if left == 0 {
                break;
            }
            let Some((tour, means)) = nth(request, number, control)? else { return Ok(false) };
            if self.distinct && !seen.insert((tour.kind(), tour.canonical())) {
                repeats += 1;
                if repeats == REPEATS {
                    return Err(Failure::failed(format!(
                        "found {} and no other with {} seeds; use --rule warnsdorff for others, or ktour list --distinct \
                         for all tours of a small board",
                        counted(seen.len(), "distinct tour"),
                        number + 1
                    )));
                }
                continue;
            }
            (repeats, left) = (0, left - 1);
            each(&tour, self.seed.wrapping_add(number), Some(&means))?;
        }
        Ok(true)
    }

    /// Finds tours with a symmetry. Returns false if the control was cancelled first.
    fn symmetric(
        &self,
        arena: &Arena,
        named: Named,
        control: &Control,
        each: &mut Each<'_>,
    ) -> Result<bool, Failure> {
        let setting = Setting::new(arena, Engine::Multipath, None);
        let wanted = Wanted { kind: self.wanted(), named, distinct: self.distinct, directed: false };
        let (mut found, name) = (0, named.name());
        for tour in tours(&setting, wanted, control).take(usize::try_from(self.limit).unwrap_or(usize::MAX)) {
            match tour {
                Ok(tour) => each(&tour, 0, None)?,
                Err(CountError::Stopped(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
            found += 1;
        }
        if found < self.limit {
            let (board, tours) = (arena.title(), wanted.kind.plural());
            return Err(Failure::failed(match found {
                0 => format!("no tour exists: {board} has no {tours} with the symmetry {name}"),
                _ => format!("{board} has only {found} {tours} with the symmetry {name}; reduce --limit"),
            }));
        }
        Ok(true)
    }

    /// Returns the request of a search by rules, with every option checked.
    fn request(&self, arena: &Arena) -> Result<FindRequest, Failure> {
        let kind = self.wanted();
        let (start, end, moves) = match arena.rectangle() {
            Some(rectangle) => self.on_rectangle(rectangle)?,
            None => self.on_graph(arena)?,
        };
        Ok(FindRequest {
            want: Want { closed: kind == Kind::Closed, apart: kind == Kind::Open, start, end },
            rule: self.rule,
            moves,
            seed: self.seed,
            attempts: self.attempts,
            backtracks: self.backtracks,
            ..FindRequest::new(arena.clone())
        })
    }

    /// Returns the ends and the order of moves on a plain board.
    fn on_rectangle(&self, rectangle: &Rectangle) -> Result<Wishes, Failure> {
        let (board, leaper) = (rectangle.board(), rectangle.leaper());
        if board.len() > MAX_SQUARES {
            return Err(Failure::usage(format!(
                "{board} has {} squares; use a BOARD of at most {MAX_SQUARES}, such as 16384x16384",
                board.len()
            )));
        }
        let start = on_board(board, "--start", self.ends.start.as_deref())?;
        let end = on_board(board, "--end", self.ends.end.as_deref())?;
        let moves = self.moves.moves.as_deref().map(|text| steps(text, leaper)).transpose()?;
        if moves.is_some() && self.rule == Rule::Auto {
            return Err(Failure::usage("--moves needs a rule; add --rule warnsdorff-first"));
        }
        Ok((start, end, moves))
    }

    /// Returns the ends on any other board or graph, where rules and orders of moves do not apply.
    fn on_graph(&self, arena: &Arena) -> Result<Wishes, Failure> {
        if arena.len() > MAX_VERTICES {
            return Err(Failure::usage(format!(
                "{}, but only plain boards may have more than {MAX_VERTICES}; use a smaller BOARD",
                arena.extent()
            )));
        }
        let plain = "plain boards with a single leaper";
        if self.rule != Rule::Auto {
            return Err(Failure::usage(format!("--rule {} is for {plain}; omit it", self.rule)));
        }
        if self.moves.moves.is_some() {
            return Err(Failure::usage(format!("--moves is for {plain}; omit it")));
        }
        let end = |name: Option<&str>| Ok::<_, Failure>(vertex(arena, name)?.map(|v| v as usize));
        Ok((end(self.ends.start.as_deref())?, end(self.ends.end.as_deref())?, None))
    }
}

/// First vertex, last vertex, and the order of moves.
type Wishes = (Option<usize>, Option<usize>, Option<Vec<Step>>);

fn on_board(board: &Board, flag: &str, name: Option<&str>) -> Result<Option<usize>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let square: Square = name.parse().map_err(|error| Failure::usage(format!("{flag}: {error}")))?;
    if let Some(v) = board.index(square) {
        return Ok(Some(v as usize));
    }
    let why = if board.in_rectangle(square) { "is removed from" } else { "is not on" };
    Err(Failure::usage(format!("{flag}: {square} {why} the {board} board")))
}

/// Parses `--moves`, which must name each step of the leaper once.
fn steps(text: &str, leaper: Leaper) -> Result<Vec<Step>, Failure> {
    let step = |word: &str| -> Option<Step> {
        let (down, right) = word.split_once(',')?;
        Some((down.parse().ok()?, right.parse().ok()?))
    };
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        found.push(step(word).ok_or_else(|| {
            Failure::usage(format!(
                "--moves: `{word}` is not a step; write down,right pairs such as \"2,1 1,2 -1,2\""
            ))
        })?);
    }
    let mut sorted = found.clone();
    sorted.sort_unstable();
    let mut own: Vec<Step> = leaper.steps().iter().map(|&(right, up)| (-up, right)).collect();
    own.sort_unstable();
    if sorted != own {
        let count = own.len();
        return Err(Failure::usage(format!(
            "--moves does not name each of the {count} steps of the {leaper} leaper once; list all of them"
        )));
    }
    Ok(found)
}
