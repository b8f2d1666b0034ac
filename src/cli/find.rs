//! `ktour find`: one tour, or a few, on boards of any size.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use ktour::board::{Board, Leaper, Square};
use ktour::heuristic::{FIRST_CHANCE, Goal, Outcome, Request, Rule, Step, find};
use ktour::tour::{Tour, TourFormat, TourWriter};

use super::sink::{Sink, Usage};

/// How tours are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    /// Square names on one line
    Squares,
    /// Move numbers laid out as the board
    Grid,
    /// Rows of tour,kind,squares
    Csv,
    /// One JSON object a line
    Ndjson,
}

impl From<Format> for TourFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Squares => Self::Squares,
            Format::Grid => Self::Grid,
            Format::Csv => Self::Csv,
            Format::Ndjson => Self::Ndjson,
        }
    }
}

/// Find one tour quickly, on a board of any size
#[derive(Args, Debug)]
pub struct FindArgs {
    /// ROWSxCOLS, or N for a square board
    board: Board,
    /// The piece, as its two steps
    #[arg(long, value_name = "A,B", default_value = "1,2")]
    leaper: Leaper,
    /// Squares taken off the board
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    remove: Vec<Square>,
    /// A closed tour
    #[arg(long)]
    closed: bool,
    /// An open tour in the strict sense: its ends not a move apart
    #[arg(long, conflicts_with = "closed")]
    open: bool,
    /// First square
    #[arg(long, value_name = "SQUARE")]
    start: Option<Square>,
    /// Last square
    #[arg(long, value_name = "SQUARE")]
    end: Option<Square>,
    /// auto, warnsdorff, warnsdorff-first, pohl, pohl-3 to pohl-6, roth, squirrel-cull
    #[arg(long, value_name = "NAME", default_value = "auto")]
    rule: Rule,
    /// Every choice left to chance comes from here
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Walks by the rule, or portions of the search, before giving up
    #[arg(long, value_name = "N", default_value_t = 1000)]
    attempts: u64,
    /// Moves that each walk by a rule may take back
    #[arg(long, value_name = "N", default_value_t = 100)]
    backtracks: u64,
    /// Order in which a rule tries (down, right) steps
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    moves: Option<String>,
    /// How many tours
    #[arg(long, value_name = "N", default_value_t = 1)]
    limit: u64,
    /// How tours are written
    #[arg(long, value_enum, default_value_t = Format::Squares)]
    format: Format,
    /// First number of grids
    #[arg(long, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,
    /// Write to a file, which appears only when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Contradictory options, no tour, or an output that fails.
pub fn run(args: &FindArgs) -> Result<ExitCode> {
    let request = request(args)?;
    let board = request.board.clone();
    let cols = usize::from(board.cols());
    let mut sink = Sink::new(args.output.as_deref())?;
    let writer = TourWriter::new(&board, args.format.into(), args.number_from);
    let holes: Vec<Square> = board.removed().to_vec();
    let vertex = |square: &Square| {
        let before = holes.partition_point(|hole| hole < square);
        (usize::from(square.rank()) * cols + usize::from(square.file()) - before) as u32
    };
    let mut text = Vec::new();
    for number in 1..=args.limit {
        let tour = next(&request, number)?;
        let vertices: Vec<u32> = tour.squares().iter().map(vertex).collect();
        text.clear();
        if number == 1 {
            text.extend_from_slice(writer.header().as_bytes());
        }
        writer.write(&mut text, number, tour.kind(), &vertices);
        sink.write(&text)?;
    }
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The tour of a number, from 1; the first is that of the plain request.
fn next(request: &Request, number: u64) -> Result<Tour> {
    let mut request = request.clone();
    request.seed = request.seed.wrapping_add(number - 1);
    if number > 1 {
        request.skip = FIRST_CHANCE;
    }
    match find(&request) {
        Outcome::Found { tour, .. } => Ok(tour),
        Outcome::Impossible(reason) => bail!("no tour exists: {reason}"),
        Outcome::GaveUp { attempts } if request.rule == Rule::Auto => {
            bail!("gave up after {attempts} attempts; there may be a tour: try more --attempts or another --seed")
        }
        Outcome::GaveUp { attempts } => bail!(
            "gave up after {attempts} attempts by rule {}; there may be a tour: try --rule auto, more --attempts or --backtracks",
            request.rule
        ),
    }
}

/// The request, every option checked.
fn request(args: &FindArgs) -> Result<Request> {
    let board = args.board.clone().without(args.remove.iter().copied()).map_err(Usage::of)?;
    for (flag, square) in [("--start", args.start), ("--end", args.end)] {
        if let Some(square) = square
            && !board.contains(square)
        {
            let why = if board.in_rectangle(square) { "is removed" } else { "is not on the board" };
            return Err(Usage::of(format!("{flag} {square} {why}: {board}")).into());
        }
    }
    let moves = args.moves.as_deref().map(|text| steps(text, args.leaper)).transpose()?;
    if moves.is_some() && args.rule == Rule::Auto {
        return Err(Usage::of("--moves needs a rule that walks: add --rule warnsdorff-first").into());
    }
    let goal = Goal { closed: args.closed, open: args.open, start: args.start, end: args.end };
    Ok(Request {
        leaper: args.leaper,
        goal,
        rule: args.rule,
        moves,
        seed: args.seed,
        attempts: args.attempts,
        backtracks: args.backtracks,
        ..Request::new(board)
    })
}

/// The steps of `--moves`: all of the leaper's, once each.
fn steps(text: &str, leaper: Leaper) -> Result<Vec<Step>> {
    let step = |word: &str| -> Option<Step> {
        let (down, right) = word.split_once(',')?;
        Some((down.trim().parse().ok()?, right.trim().parse().ok()?))
    };
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        match step(word) {
            Some(step) => found.push(step),
            None => return Err(Usage::of(format!("--moves: `{word}` is not a step: write \"2,1 1,2 ...\"")).into()),
        }
    }
    let mut sorted = found.clone();
    sorted.sort_unstable();
    let mut own: Vec<Step> = leaper.steps().iter().map(|&(right, up)| (-up, right)).collect();
    own.sort_unstable();
    if sorted != own {
        let count = own.len();
        return Err(Usage::of(format!("--moves must name each of the {count} steps of leaper {leaper} once")).into());
    }
    Ok(found)
}
