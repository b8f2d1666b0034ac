//! `--recurrence`: the least recurrence behind a line of boards, and what follows from it.
//!
//! ```text
//! transfer matrices of the strip -> Short: terms modulo a prime until the order is known -> exact terms -> Recurrence
//! rows alone, where there is no such matrix -----------------------------------------------------> Recurrence
//! ```
//!
//! The rows are counted by a sweep, which knows nothing of the matrix: where both have a term, both must agree.

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

/// Lengths that exact terms may have to prove a recurrence for good, beyond those that find it.
const MOST_FOR_PROOF: usize = 4000;

/// Seconds after which it is asked whether exact terms will do.
const PATIENCE: f64 = 3.0;

/// Exact terms that tell the growth well.
const FOR_GROWTH: usize = 600;

/// Seconds that exact terms may take for the growth alone, and how many are made at once.
const GROWTH_SECONDS: f64 = 5.0;
const GROWTH_STEP: usize = 16;

/// Digits of the growth, if all of them are sure.
const DIGITS: usize = 15;

/// Seconds that exact terms may take only to prove what holds already for as many terms as it should.
const PROOF_SECONDS: f64 = 60.0;

/// Looks for a recurrence behind the rows of a range.
pub fn recurrence(run: &RangeRun, rows: &[BoardRow], control: &Control) -> Result<Told, Failure> {
    let Boards::Line(line) = run.boards else {
        return Err(Failure::usage("--recurrence is for one side that runs, such as 5x2..60"));
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

/// Why numbers are not those of walks through the states of a strip.
fn is_none(run: &RangeRun, line: Line) -> Option<&'static str> {
    let has_ends = run.report.ends.iter().any(|end| !end.is_empty());
    match run.kind {
        _ if run.distinct => Some("numbers up to symmetry are those of several strips"),
        _ if !run.report.symmetry.is_empty() => Some("symmetric tours are those of other strips"),
        _ if has_ends || !run.report.removed.is_empty() => {
            Some("one end of the boards is like no other line")
        }
        _ if line.standing(&run.play).is_none() => Some("the ends of the boards are joined to each other"),
        _ => None,
    }
}

/// The terms by transfer matrices, if there are some and they have room.
fn strip(run: &RangeRun, line: Line, rows: usize, control: &Control) -> Result<Option<Terms>, Failure> {
    if let Some(why) = is_none(run, line) {
        tell(format_args!("no transfer matrix, as {why}: the recurrence is looked for in {rows} rows alone"));
        return Ok(None);
    }
    let play = line.standing(&run.play).expect("lines that stand");
    let most = most_states(run.how.memory);
    let kind = run.kind.expect("--recurrence asks for the kind");
    let began = Instant::now();
    let terms = Terms::new(&play, line.width(), kind, most, control);
    match &terms {
        Some(terms) => {
            let names = if kind == Kind::Open {
                &["transfer matrix of paths", "transfer matrix of closed tours, whose states count twice"][..]
            } else {
                &["transfer matrix"]
            };
            let seconds = began.elapsed().as_secs_f64();
            for (name, matrix) in names.iter().zip(terms.matrices()) {
                tell(format_args!(
                    "{name}: {} states between lines, {} found in all, {} ways, {seconds:.1} s",
                    matrix.states(),
                    matrix.explored(),
                    matrix.ways()
                ));
            }
        }
        None if control.is_cancelled() => {}
        None => tell(format_args!(
            "no transfer matrix, as it has more than {most} states, or is too wide: the recurrence is looked for in \
             {rows} rows alone"
        )),
    }
    Ok(terms)
}

/// Terms as many as the recurrence takes, by a matrix; and what is known modulo a prime, if that is all.
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
    // Every row is checked.
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
                "{board}: {number} by the sweep, and {own} by the transfer matrix; no recurrence is reported"
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
        // The matrix had no time for what the rows have.
        return Ok((Source { states, ..from_rows(rows, most) }, short));
    }
    Ok((Source { terms: told, offset: 0, before: 0, states, most }, short))
}

/// Exact terms as many as find a recurrence that holds after `from` lengths, and prove it if that takes little; those
/// of all rows among them. Whether they do, or take too long.
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
        // Numbers grow with the length, and so does what they take.
        let share = least as f64 / found.len() as f64;
        let is_hopeless = seconds() > PATIENCE && seconds() * share * share > EXACT_SECONDS;
        if is_hopeless && found.len() >= last.max(FOR_GROWTH) {
            break;
        }
    }
    let is_whole = found.len() >= least;
    (found, is_whole)
}

/// Exact terms until they tell the growth to all digits, if that takes little.
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

/// The numbers of rows alone. What is before them is not known: terms begin with the first, or with the zeros between
/// two numbers if it is one of those.
fn from_rows(rows: &[(usize, BigUint)], most: usize) -> Source {
    let first = rows.first().map_or(0, |row| row.0 - 1);
    let stride = stride(first, rows.iter().map(|(_, number)| *number == BigUint::ZERO)).unwrap_or(1);
    let (offset, before) = (first - first % stride, first % stride);
    let numbers = rows.iter().map(|(_, number)| number.clone());
    let terms = std::iter::repeat_n(BigUint::ZERO, before).chain(numbers).collect();
    Source { terms, offset, before, states: None, most }
}

/// A number as the rows have it.
fn as_told(run: &RangeRun, undirected: &BigUint, board: &Board) -> BigUint {
    if run.wanted.directed { directed(undirected, board.len()) } else { undirected.clone() }
}
