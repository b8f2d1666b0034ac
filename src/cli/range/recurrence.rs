//! Search for the shortest recurrence of a line of boards (`--recurrence`).
//!
//! ```text
//! transfer matrix of the strip -> Short: terms modulo a prime until the order is known -> exact terms -> Recurrence
//! rows alone, if there is no such matrix -----------------------------------------------------> Recurrence
//! ```
//!
//! A sweep, which does not use the matrix, counts the rows. Terms that have both must agree.

use std::time::Instant;

use super::asked::RangeRun;
use super::short;
use super::source::{EXACT_SECONDS, Source, Told, growth_of};
use super::told::told;
use crate::cli::failure::Failure;
use crate::report::{BoardRow, tell};
use ktour::BigUint;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::directed;
use ktour::recurrence::{Short, Terms, most_states, stride};
use ktour::series::{Boards, Line};
use ktour::tour::Kind;

/// Maximum number of additional exact terms to prove a recurrence.
const MOST_FOR_PROOF: usize = 4000;

/// Seconds after which the time of the remaining exact terms is predicted.
const PATIENCE: f64 = 3.0;

/// Exact terms from which the growth is known well.
const FOR_GROWTH: usize = 600;

/// Seconds for exact terms that only serve the growth, and the number of terms between two checks.
const GROWTH_SECONDS: f64 = 5.0;
const GROWTH_STEP: usize = 16;

/// Digits of the growth, if all of them are certain.
const DIGITS: usize = 15;

/// Seconds for exact terms that only turn a verified recurrence into a proved one.
const PROOF_SECONDS: f64 = 60.0;

/// Searches for the recurrence of the rows of a series and returns the report.
///
/// # Errors
/// Two sides vary, a row and the transfer matrix disagree, or the control was cancelled.
pub fn recurrence(run: &RangeRun, rows: &[BoardRow], control: &Control) -> Result<Told, Failure> {
    let Boards::Line(line) = run.boards else {
        return Err(Failure::usage(
            "--recurrence requires a series that varies one side; write boards such \
            as 5x2..60",
        ));
    };
    let both = run.wanted.directed;
    let rows: Vec<(usize, BigUint)> = rows
        .iter()
        .map(|row| (run.report.index_of(row).map_or(0, usize::from), row.values(both)[0].clone()))
        .collect();
    let (source, short) = match strip(run, line, rows.len(), control)? {
        Some(terms) => from_matrix(run, line, &terms, &rows, control)?,
        None => (from_rows(&rows, run.files.order), None),
    };
    if control.is_cancelled() {
        return Err(Failure::saved());
    }
    Ok(short.map_or_else(|| told(&source), |short| short::told(&short, &source)))
}

/// Returns the reason why the numbers have no transfer matrix, if there is one.
fn is_none(run: &RangeRun, line: Line) -> Option<&'static str> {
    let has_ends = run.report.ends.iter().any(|end| !end.is_empty());
    match run.kind {
        _ if run.distinct => Some("numbers up to symmetry combine several strips"),
        _ if !run.report.symmetry.is_empty() => Some("symmetric tours belong to other strips"),
        _ if has_ends || !run.report.removed.is_empty() => {
            Some("one end of the boards differs from all other lines")
        }
        _ if line.standing(&run.play).is_none() => Some("the ends of the boards are joined to each other"),
        _ => None,
    }
}

/// Returns the terms by transfer matrices, if these exist and fit into memory. Prints the size of the
/// matrices.
fn strip(run: &RangeRun, line: Line, rows: usize, control: &Control) -> Result<Option<Terms>, Failure> {
    if let Some(why) = is_none(run, line) {
        tell(format_args!(
            "no transfer matrix because {why}; searching for the recurrence in {rows} rows \
            only"
        ));
        return Ok(None);
    }
    let play = line.standing(&run.play).expect("a strip has a transfer matrix");
    let most = most_states(run.how.memory);
    let kind = run.kind.expect("--recurrence requires --kind");
    let began = Instant::now();
    let terms = Terms::new(&play, line.width(), kind, most, control);
    match &terms {
        Some(terms) => {
            let names = if kind == Kind::Open {
                &["transfer matrix of paths", "transfer matrix of closed tours (its states count twice)"][..]
            } else {
                &["transfer matrix"]
            };
            let seconds = began.elapsed().as_secs_f64();
            for (name, matrix) in names.iter().zip(terms.matrices()) {
                tell(format_args!(
                    "{name}: {} states between lines, {} in total, {} transitions, {seconds:.1} s",
                    matrix.states(),
                    matrix.explored(),
                    matrix.ways()
                ));
            }
        }
        None if control.is_cancelled() => {}
        None => tell(format_args!(
            "no transfer matrix because it has more than {most} states or is too wide; searching for the recurrence in \
             {rows} rows only"
        )),
    }
    Ok(terms)
}

/// Computes the terms that the recurrence needs from the matrix. The second value is the recurrence modulo a
/// prime, if no integer recurrence can be computed.
///
/// # Errors
/// A row disagrees with the matrix.
fn from_matrix(
    run: &RangeRun,
    line: Line,
    terms: &Terms,
    rows: &[(usize, BigUint)],
    control: &Control,
) -> Result<(Source, Option<Short>), Failure> {
    let (most, began) = (run.files.order, Instant::now());
    let short = Short::of(terms, most, control);
    tell(format_args!(
        "recurrence: {} terms modulo {} in {:.1} s",
        short.lengths,
        short.prime,
        began.elapsed().as_secs_f64()
    ));
    // Every row is compared with the matrix.
    let last = rows.last().map_or(0, |row| row.0);
    let (found, is_whole) = match short.rule {
        Some(rule) => exact(terms, rule.from * short.stride, last, control),
        None => (for_growth(terms, control), false),
    };
    for (length, number) in rows.iter().filter(|(length, _)| *length <= found.len()) {
        let board = line.board(*length as u16);
        let own = as_told(run, &found[length - 1], &board);
        if own != *number {
            return Err(Failure::failed(format!(
                "{board}: {number} by the sweep, but {own} by the transfer matrix; please report this"
            )));
        }
    }
    let told = (1u16..).zip(found).map(|(length, term)| match Board::new(line.width(), length) {
        Ok(_) => as_told(run, &term, &line.board(length)),
        Err(_) => term,
    });
    let told: Vec<BigUint> = told.collect();
    let (states, short) = (Some(terms.states()), (!is_whole).then_some(short));
    if told.len() < last {
        // Time ran out before the matrix had as many terms as the rows.
        return Ok((Source { states, ..from_rows(rows, most) }, short));
    }
    Ok((Source { terms: told, offset: 0, before: 0, states, most }, short))
}

/// Computes exact terms: those of all rows, as many as determine a recurrence that holds after `from`
/// lengths, and as many as prove it, if that is cheap. The second value is true if they determine it.
fn exact(terms: &Terms, from: usize, last: usize, control: &Control) -> (Vec<BigUint>, bool) {
    let least = last.max(3 * from + 4);
    let proof = (from + terms.states() + 2).min(from + MOST_FOR_PROOF);
    let (mut found, mut exact, began) = (Vec::new(), terms.exact(), Instant::now());
    let seconds = || began.elapsed().as_secs_f64();
    while !control.is_cancelled()
        && ((found.len() < least && seconds() < EXACT_SECONDS)
            || (found.len() < proof && seconds() < PROOF_SECONDS))
    {
        found.extend(exact.next());
        // The digits of a term grow linearly with the length, and so does the time to compute it.
        let share = least as f64 / found.len() as f64;
        let is_hopeless = seconds() > PATIENCE && seconds() * share * share > EXACT_SECONDS;
        if is_hopeless && found.len() >= last.max(FOR_GROWTH) {
            break;
        }
    }
    let is_whole = found.len() >= least;
    (found, is_whole)
}

/// Computes exact terms until all digits of the growth are certain or the time is over.
fn for_growth(terms: &Terms, control: &Control) -> Vec<BigUint> {
    let (mut found, mut exact, began) = (Vec::new(), terms.exact(), Instant::now());
    while !control.is_cancelled() && began.elapsed().as_secs_f64() < GROWTH_SECONDS {
        found.extend(exact.by_ref().take(GROWTH_STEP));
        if growth_of(&found).is_some_and(|growth| growth.len() > DIGITS) {
            break;
        }
    }
    found
}

/// Returns the terms of the rows alone. Terms before the first row are unknown. If only every second board
/// (or similar) has tours, leading zeros complete the first period.
fn from_rows(rows: &[(usize, BigUint)], most: usize) -> Source {
    let first = rows.first().map_or(0, |row| row.0 - 1);
    let stride = stride(first, rows.iter().map(|(_, number)| *number == BigUint::ZERO)).unwrap_or(1);
    let (offset, before) = (first - first % stride, first % stride);
    let numbers = rows.iter().map(|(_, number)| number.clone());
    let terms = std::iter::repeat_n(BigUint::ZERO, before).chain(numbers).collect();
    Source { terms, offset, before, states: None, most }
}

/// Returns a number as the rows have it, directed or undirected.
fn as_told(run: &RangeRun, undirected: &BigUint, board: &Board) -> BigUint {
    if run.wanted.directed { directed(undirected, board.len()) } else { undirected.clone() }
}
