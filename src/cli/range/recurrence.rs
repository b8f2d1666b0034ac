//! `--recurrence`: the least recurrence behind a line of boards, and what follows from it.
//!
//! ```text
//! transfer matrix of the strip -> terms modulo a prime until the order is known -> exact terms -> Recurrence
//! rows alone, where there is no such matrix -----------------------------------------------> Recurrence
//! ```
//!
//! The rows are counted by a sweep, which knows nothing of the matrix: where both have a term, both must agree.

use std::time::Instant;

use num_integer::Integer;

use super::asked::RangeRun;
use super::told::{EXACT_SECONDS, Short, Source, Told, stride, told};
use crate::cli::failure::Failure;
use crate::report::{BoardRow, tell};
use ktour::BigUint;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::directed;
use ktour::recurrence::{Transfer, primes, shortest};
use ktour::series::{Boards, Line};
use ktour::tour::Kind;

/// Bytes that a state takes while the ways between all are looked for, roughly.
const STATE_BYTES: u64 = 400;

/// More states are not looked for, whatever there is room for.
const MOST_STATES: usize = 60_000_000;

/// Lengths that exact terms may have to prove a recurrence for good, beyond those that find it.
const MOST_FOR_PROOF: usize = 4000;

/// Terms modulo a prime, at least, before anything is said.
const FEWEST: usize = 48;

/// Seconds after which it is asked whether they will do.
const PATIENCE: f64 = 3.0;

/// Exact terms that tell the growth well.
const FOR_GROWTH: usize = 600;

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
    let source = match strip(run, line, rows.len(), control)? {
        Some(transfer) => from_matrix(run, line, &transfer, &rows, control)?,
        None => from_rows(&rows),
    };
    if control.is_cancelled() {
        return Err(Failure::failed("stopped while the recurrence was looked for; the rows stand"));
    }
    Ok(told(&source))
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
        Some(Kind::Open) => Some("open tours are what closed ones leave of the paths"),
        _ if line.standing(&run.play).is_none() => Some("the ends of the boards are joined to each other"),
        _ => None,
    }
}

/// The transfer matrix, if there is one and it has room.
fn strip(run: &RangeRun, line: Line, rows: usize, control: &Control) -> Result<Option<Transfer>, Failure> {
    if let Some(why) = is_none(run, line) {
        tell(format_args!("no transfer matrix, as {why}: the recurrence is looked for in {rows} rows alone"));
        return Ok(None);
    }
    let play = line.standing(&run.play).expect("lines that stand");
    let room = run.how.memory.or_else(ktour::memory::ceiling).unwrap_or(u64::MAX) / STATE_BYTES;
    let most = usize::try_from(room).unwrap_or(MOST_STATES).min(MOST_STATES);
    let began = Instant::now();
    let transfer = Transfer::new(&play, line.width(), run.kind == Some(Kind::Paths), most, control);
    match &transfer {
        Some(transfer) => tell(format_args!(
            "transfer matrix: {} states between lines, {} found in all, {} ways, {:.1} s",
            transfer.states(),
            transfer.explored(),
            transfer.ways(),
            began.elapsed().as_secs_f64()
        )),
        None if control.is_cancelled() => {}
        None => tell(format_args!(
            "no transfer matrix, as it has more than {most} states, or is too wide: the recurrence is looked for in \
             {rows} rows alone"
        )),
    }
    Ok(transfer)
}

/// Terms as many as the recurrence takes, by a matrix.
fn from_matrix(
    run: &RangeRun,
    line: Line,
    transfer: &Transfer,
    rows: &[(usize, BigUint)],
    control: &Control,
) -> Result<Source, Failure> {
    let modulus = primes().next().expect("there are primes");
    // Few terms, which may be 0 all of them, tell nothing.
    let longest = FEWEST.max(3 * run.files.order);
    let (mut residues, mut terms) = (Vec::new(), transfer.modular(modulus));
    let began = Instant::now();
    let mut wanted = FEWEST;
    let needed = loop {
        wanted = longest.min(2 * wanted);
        while residues.len() < wanted && !control.is_cancelled() {
            residues.extend(terms.next());
        }
        let stride = stride(residues.iter().map(|&residue| residue == 0));
        let own: Vec<u64> = residues.iter().skip(stride - 1).step_by(stride).copied().collect();
        let (_, order) = shortest(&own, modulus);
        if 3 * order <= own.len() {
            break Some((order, stride));
        }
        if residues.len() >= longest || control.is_cancelled() {
            break None;
        }
    };
    let prime = modulus.prime();
    tell(format_args!(
        "recurrence: {} terms modulo {prime} in {:.1} s",
        residues.len(),
        began.elapsed().as_secs_f64()
    ));
    let mut exact = transfer.exact();
    let order = needed.map_or(0, |(order, stride)| order * stride);
    // Every row is checked.
    let last = rows.last().map_or(0, |row| row.0);
    let least = if needed.is_some() { last.max(3 * order + 4) } else { 0 };
    let proof = needed.map_or(0, |_| (order + transfer.states() + 2).min(order + MOST_FOR_PROOF));
    let (mut found, began) = (Vec::new(), Instant::now());
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
    for (length, number) in rows.iter().filter(|(length, _)| *length <= found.len()) {
        let board = line.board(*length as u16);
        let own = as_told(run, &found[length - 1], &board);
        if own != *number {
            return Err(Failure::failed(format!(
                "{board}: {number} by the sweep, and {own} by the transfer matrix; no recurrence is reported"
            )));
        }
    }
    let (lengths, found_terms) = (1u16.., found.len());
    let terms = lengths.zip(found).map(|(length, term)| match Board::new(line.width(), length) {
        Ok(_) => as_told(run, &term, &line.board(length)),
        Err(_) => term,
    });
    let short = match needed {
        None => Some(Short {
            order: residues.len() / 3,
            terms: residues.len(),
            prime,
            is_found: false,
            stride: 1,
            is_proved: false,
        }),
        Some((order, stride)) if found_terms < least => {
            let is_proved = residues.len() >= order * stride + transfer.states();
            Some(Short { order, terms: residues.len(), prime, is_found: true, stride, is_proved })
        }
        Some(_) => None,
    };
    let terms: Vec<BigUint> = terms.collect();
    if terms.len() < rows.len() {
        // What the matrix had no time for.
        let Source { terms, offset, .. } = from_rows(rows);
        return Ok(Source { terms, offset, states: Some(transfer.states()), short });
    }
    Ok(Source { terms, offset: 0, states: Some(transfer.states()), short })
}

/// The numbers of rows alone. What is before them is not known: terms begin with the first, or with the zeros between
/// two numbers if it is one of those.
fn from_rows(rows: &[(usize, BigUint)]) -> Source {
    let places = rows.iter().filter(|(_, number)| *number != BigUint::ZERO).map(|row| row.0);
    let stride = places.fold(0usize, |stride, place| stride.gcd(&place)).max(1);
    let before = rows.first().map_or(0, |row| row.0 - 1);
    let numbers = rows.iter().map(|(_, number)| number.clone());
    let terms = std::iter::repeat_n(BigUint::ZERO, before % stride).chain(numbers).collect();
    Source { terms, offset: before - before % stride, states: None, short: None }
}

/// A number as the rows have it.
fn as_told(run: &RangeRun, undirected: &BigUint, board: &Board) -> BigUint {
    if run.wanted.directed { directed(undirected, board.len()) } else { undirected.clone() }
}
