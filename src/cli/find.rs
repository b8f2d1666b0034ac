//! `ktour find`: one tour, or a few, on boards of any size.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::common::BoardArgs;
use super::failure::Failure;
use super::list::{FormatArg, writer};
use super::rules;
use super::signals::Signals;
use crate::report::Output;
use ktour::board::{Arena, Board, Leaper, Square};
use ktour::control::Control;
use ktour::heuristic::{FIRST_CHANCE, FindRequest, Goal, MAX_SQUARES, Outcome, Rule, Step, find_under};
use ktour::tour::{Kind, Tour};

const EXAMPLES: &str = "\
Examples:
  ktour find 8x8 --closed --format grid       a closed tour of the chessboard
  ktour find 2000x2000 --closed | ktour check -
  ktour find 8x8 --rule warnsdorff --seed 7   by Warnsdorff's rule, ties at random
  ktour find 30x40 --start a1 --end n40
  ktour find 6 --closed --limit 12 | ktour draw - --output sheet.svg

Each attempt by a rule is one walk; attempts differ by start and by chance. The rule auto finds a tour of the \
knight on any full rectangle that has one, or says that there is none; with holes and other leapers it searches, \
and may give up. Exit status 1: there is no tour, or none was found.";

/// One tour quickly, on a board of any size.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct FindArgs {
    #[command(flatten)]
    board: BoardArgs,

    /// A closed tour
    #[arg(long)]
    closed: bool,

    /// An open tour: its ends not a move apart
    #[arg(long, conflicts_with = "closed")]
    open: bool,

    /// First square
    #[arg(long, value_name = "SQUARE")]
    start: Option<Square>,

    /// Last square
    #[arg(long, value_name = "SQUARE")]
    end: Option<Square>,

    /// How to look: auto, or a rule such as warnsdorff, pohl, roth, w+
    #[arg(long, value_parser = rules::parser(), value_name = "NAME", default_value = "auto")]
    rule: Rule,

    /// Seed of all choices left to chance
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Walks by the rule, or portions of the search, before giving up
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1000)]
    attempts: u64,

    /// Moves that each walk by a rule may take back
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 100)]
    backtracks: u64,

    /// Order in which a rule tries (down,right) steps
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true, hide_short_help = true)]
    moves: Option<String>,

    /// How many tours, with seed after seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    limit: u64,

    /// How to write a tour
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "squares")]
    format: FormatArg,

    /// Write the tours alone, without the line or field that says what they are tours of
    #[arg(long)]
    bare: bool,

    /// Number of the first square in grids
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

impl FindArgs {
    /// Finds.
    pub fn run(&self) -> Result<(), Failure> {
        let request = self.request()?;
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let arena = Arena::board(request.board.clone(), request.leaper);
        let writer = writer(&arena, self.format, self.number_from, self.bare)?;
        let kind = match request.goal {
            Goal { closed: true, .. } => Kind::Closed,
            Goal { open: true, .. } => Kind::Open,
            _ => Kind::Paths,
        };
        let mut text = writer.header(kind).into_bytes();
        let control = Control::new();
        // A file that is not complete must not stay behind.
        let signals = (self.output.as_os_str() != "-").then(|| Signals::catch(control.flag())).transpose()?;
        for number in 0..self.limit {
            let Some(tour) = nth(&request, number, &control)? else {
                drop(out);
                return Err(signals.map_or(Failure::silent(1), |signals| signals.die()));
            };
            if number > 0 {
                text.extend_from_slice(writer.separator().as_bytes());
            }
            writer.write(&mut text, tour.kind(), tour.vertices());
            out.write_all(&text).map_err(|error| Failure::write(&name, &error))?;
            text.clear();
        }
        Ok(out.finish()?)
    }

    /// The request, every option checked.
    fn request(&self) -> Result<FindRequest, Failure> {
        let (board, leaper) = self.board.resolve()?;
        if board.len() > MAX_SQUARES {
            return Err(Failure::usage(format!(
                "{board} has {} squares: take a BOARD of at most {MAX_SQUARES}, such as 16384x16384",
                board.len()
            )));
        }
        for (flag, square) in [("--start", self.start), ("--end", self.end)] {
            if let Some(square) = square {
                on_board(&board, flag, square)?;
            }
        }
        let moves = self.moves.as_deref().map(|text| steps(text, leaper)).transpose()?;
        if moves.is_some() && self.rule == Rule::Auto {
            return Err(Failure::usage("--moves needs a rule that walks: add --rule warnsdorff-first"));
        }
        let goal = Goal { closed: self.closed, open: self.open, start: self.start, end: self.end };
        Ok(FindRequest {
            leaper,
            goal,
            rule: self.rule,
            moves,
            seed: self.seed,
            attempts: self.attempts,
            backtracks: self.backtracks,
            ..FindRequest::new(board)
        })
    }
}

fn on_board(board: &Board, flag: &str, square: Square) -> Result<(), Failure> {
    if board.contains(square) {
        return Ok(());
    }
    let why = if board.in_rectangle(square) { "is removed from" } else { "is not on" };
    Err(Failure::usage(format!("{flag}: {square} {why} the {board} board")))
}

/// The tour of a number, from 0; the first is that of the plain request. None if the control was cancelled first.
fn nth(request: &FindRequest, number: u64, control: &Control) -> Result<Option<Tour>, Failure> {
    let mut request = request.clone();
    request.seed = request.seed.wrapping_add(number);
    if number > 0 {
        request.skip = FIRST_CHANCE;
    }
    let failed = |message| Err(Failure::failed(message));
    match find_under(&request, control) {
        Outcome::Found { tour, .. } => Ok(Some(tour)),
        Outcome::Stopped => Ok(None),
        Outcome::Impossible(reason) => failed(format!("no tour exists: {reason}")),
        Outcome::GaveUp { attempts } if request.rule == Rule::Auto => failed(format!(
            "gave up after {attempts} attempts, there may be a tour: try more --attempts or another --seed"
        )),
        Outcome::GaveUp { attempts } => failed(format!(
            "gave up after {attempts} attempts by rule {}, there may be a tour: try --rule auto, more --attempts \
             or --backtracks",
            request.rule
        )),
    }
}

/// The steps of `--moves`: all of the leaper's, once each.
fn steps(text: &str, leaper: Leaper) -> Result<Vec<Step>, Failure> {
    let step = |word: &str| -> Option<Step> {
        let (down, right) = word.split_once(',')?;
        Some((down.parse().ok()?, right.parse().ok()?))
    };
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        found.push(step(word).ok_or_else(|| {
            Failure::usage(format!(
                "--moves: `{word}` is not a step: write down,right pairs such as \"2,1 1,2 -1,2\""
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
            "--moves must name each of the {count} steps of the {leaper} leaper once"
        )));
    }
    Ok(found)
}
