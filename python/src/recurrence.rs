//! `ktour.recurrence`: the linear recurrence of a line of boards, or of given numbers.
//!
//! ```text
//! line -> transfer matrices -> terms modulo a prime (give the order) -> exact terms -> check by a sweep
//! ```

use ktour::BigUint;
use ktour::control::Control;
use ktour::count::{CountError, directed};
use ktour::recurrence::{Finding, Recurrence, Short, Terms, find, most_states, stride};
use ktour::search::workers::Stopped;
use ktour::series::{Boards, Line};
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::asked;
use crate::attend::{How, listen};
use crate::errors::{Why, failed, usage};
use crate::numbers::{from_bytes, number};
use crate::series::{Family, family};

/// Smallest number of exact terms that are computed.
const FEWEST: usize = 48;

/// Number of zero terms after which the search ends.
const MOST_ZEROS: usize = 1 << 14;

/// A recurrence, the number of terms it was found in, and the number of states of the transfer matrix (`None`
/// for given numbers).
struct Found {
    recurrence: Recurrence,
    terms: usize,
    states: Option<usize>,
}

/// The reason why there is no recurrence.
enum Nothing {
    Why(Why),
    Disagrees(String),
    /// No recurrence up to this order fits the terms, of which only every `stride`-th may differ from 0.
    NoneUpTo {
        order: usize,
        terms: usize,
        stride: usize,
    },
    /// All terms are 0. With a known number of states, that many zero terms prove that all others are 0.
    Zero {
        terms: usize,
        states: Option<usize>,
    },
    TooWide,
}

impl From<Why> for Nothing {
    fn from(why: Why) -> Self {
        Self::Why(why)
    }
}

impl From<CountError> for Nothing {
    fn from(error: CountError) -> Self {
        Self::Why(error.into())
    }
}

fn of_terms(terms: &[BigUint], states: Option<usize>) -> Result<Found, Nothing> {
    match find(terms) {
        Finding::Found(recurrence) => Ok(Found { recurrence, terms: terms.len(), states }),
        Finding::NoneUpTo(order) => {
            let stride = stride(0, terms.iter().map(|term| *term == BigUint::ZERO)).unwrap_or(1);
            Err(Nothing::NoneUpTo { order, terms: terms.len(), stride })
        }
        Finding::Nothing => Err(Nothing::Zero { terms: terms.len(), states }),
    }
}

fn of_line(
    line: Line,
    family: &Family,
    kind: Kind,
    order: usize,
    control: &Control,
) -> Result<Found, Nothing> {
    let standing = line.standing(&family.play).ok_or(Nothing::TooWide)?;
    let most = most_states(family.memory);
    let strip = Terms::new(&standing, line.width(), kind, most, control);
    if control.is_cancelled() {
        return Err(CountError::Stopped(Stopped).into());
    }
    let strip = strip.ok_or(Nothing::TooWide)?;
    let squares = (1..).map(|length| length * usize::from(line.width()));
    let told = |(squares, number)| if family.directed { directed(&number, squares) } else { number };
    // Terms modulo a prime are fast. They give the number of exact terms needed, or show that there is no
    // such recurrence.
    let short = Short::of(&strip, order, control);
    if control.is_cancelled() {
        return Err(CountError::Stopped(Stopped).into());
    }
    let Short { stride, lengths: terms, .. } = short;
    let mut wanted = match short.rule {
        // Numbers of both directions obey a recurrence of equal order.
        Some(rule) if !short.is_zero => {
            let (found, begun) = (3 * rule.from * stride + 4, rule.from * stride);
            let proved = begun + strip.states() + 2;
            FEWEST.max(found).max(if proved <= 2 * found { proved } else { 0 })
        }
        None if !short.is_zero => return Err(Nothing::NoneUpTo { order, terms, stride }),
        _ => FEWEST,
    };
    let (mut exact, mut terms) = (squares.zip(strip.exact()).map(told), Vec::new());
    let found = loop {
        control.begin_rounds(wanted);
        terms.iter().for_each(|_| control.round_done());
        while terms.len() < wanted {
            if control.is_cancelled() {
                return Err(CountError::Stopped(Stopped).into());
            }
            terms.extend(exact.next());
            control.round_done();
        }
        match of_terms(&terms, Some(strip.states())) {
            // A recurrence of order k must also hold for k terms more than finding it takes.
            Ok(found) if found.recurrence.verified >= found.recurrence.order() => break Ok(found),
            Err(none @ Nothing::NoneUpTo { order: up_to, .. }) if up_to >= order => return Err(none),
            // As many zeros as states prove that all terms are 0.
            Err(nothing @ Nothing::Zero { .. }) if terms.len() >= strip.states().min(MOST_ZEROS) => {
                break Err(nothing);
            }
            _ => wanted *= 2,
        }
    };
    // The sweep does not use the transfer matrix: both must agree.
    for (board, counts) in family.rows(control)? {
        let swept = counts.get(kind);
        if let (Some(term), Some(swept)) = (terms.get(line_length(&board, line).unwrap_or(1) - 1), swept)
            && term != swept
        {
            return Err(Nothing::Disagrees(format!(
                "{board}: the sweep counts {swept} and the transfer matrix {term}, so no recurrence is \
                 returned"
            )));
        }
    }
    found
}

/// Returns the varying side of a board of a line.
fn line_length(board: &str, line: Line) -> Option<usize> {
    let (rows, cols) = board.split_once('x')?;
    if line.runs_along_rows() { rows.parse().ok() } else { cols.parse().ok() }
}

/// Finds the linear recurrence of a sequence of numbers. Returns a Recurrence: coefficients, generating
/// function, growth.
///
/// - boards: a line such as "5x2..60", or the numbers a(1), a(2), ... A line's terms come from a transfer
///   matrix, as many as are needed. The boards of the line itself are also counted by a sweep and compared.
/// - kind: "closed", "paths" or "open" (needs the matrices of paths and of closed tours). Default: "closed".
/// - order: highest order, 1 to 100000. Default: 200.
/// - directed, memory, threads, progress, force: as for count.
/// - piece, leaper, wrap: as for Board.
///
/// For other numbers, such as those of distinct tours, pass the numbers of series().
///
/// Raises Error if there is no recurrence up to that order, or if all numbers are 0 (the message gives the
/// proof, if there is one), and UsageError for invalid arguments.
#[pyfunction]
#[pyo3(signature = (boards, kind = "closed", *, directed = false, piece = None, leaper = None, wrap = None, order = 200, memory = None, threads = None, progress = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn recurrence<'py>(
    boards: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = asked::kind_word)] kind: &'static str,
    #[pyo3(from_py_with = asked::directed)] directed: bool,
    piece: Option<&Bound<'py, PyAny>>,
    leaper: Option<&Bound<'py, PyAny>>,
    wrap: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::order)] order: usize,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::force)] force: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = boards.py();
    let (kind, memory) = (asked::kind(kind), asked::memory(memory)?);
    let how = How::new(threads, progress, "recurrence")?;
    let found = match boards.extract::<String>() {
        Ok(text) => {
            let (boards @ Boards::Line(line), play) = family(&text, piece, leaper, wrap)? else {
                return Err(usage("boards= requires one varying side; use a line such as \"5x2..60\""));
            };
            let family = Family { directed, memory, force, ..Family::new(boards, play, Some(kind)) };
            how.attend_or_leave(py, move |control| of_line(line, &family, kind, order, control))?
        }
        Err(_) => {
            let takes = "a line such as \"5x2..60\", or numbers";
            let all = boards.try_iter().map_err(|_| asked::wrong("boards=", takes, boards))?;
            let mut terms = Vec::new();
            for term in all {
                let term = term?;
                let number = number(&term, "a term")?;
                terms.push(number.ok_or_else(|| {
                    usage(format!("term {} is below 0; give terms from 0", asked::shown(&term)))
                })?);
                listen(py, terms.len())?;
            }
            how.attend_or_leave(py, move |_| of_terms(&terms, None))?
        }
    };
    let Found { recurrence, terms, states } = found.map_err(|nothing| match nothing {
        Nothing::Why(why) => why.into(),
        Nothing::Disagrees(line) => failed(line),
        // A recurrence of order 1 needs two terms, and a third to verify it.
        Nothing::NoneUpTo { terms, stride, .. } if terms / stride < 3 => failed(format!(
            "{terms} terms are too few; give at least 3 k nonzero terms for a recurrence of order k"
        )),
        Nothing::NoneUpTo { order, stride, .. } => {
            let every = match stride {
                1 => String::new(),
                stride => format!(" for the terms with number {stride} k, the others are 0,"),
            };
            failed(format!(
                "no recurrence of order up to {order}{every} holds after the first {} terms; give more terms, or \
                 raise order=",
                order * stride
            ))
        }
        Nothing::Zero { terms, states: Some(states) } if terms >= states => {
            failed(format!("all terms are 0, proved by {terms} zero terms for {states} states"))
        }
        Nothing::Zero { terms, .. } => failed(format!("all {terms} terms are 0")),
        Nothing::TooWide => failed(
            "no transfer matrix: the line is too wide or has too many states; use the numbers of series()",
        ),
    })?;
    let signed = |bytes: Vec<u8>| from_bytes(py, &bytes, true);
    let coefficients: PyResult<Vec<_>> =
        recurrence.coefficients().map(|c| signed(c.to_signed_bytes_le())).collect();
    let polynomial = |polynomial: &ktour::recurrence::Polynomial| -> PyResult<Bound<'py, PyList>> {
        let all: PyResult<Vec<_>> =
            polynomial.coefficients().iter().map(|c| signed(c.to_signed_bytes_le())).collect();
        PyList::new(py, all?)
    };
    let is_proved = states.is_some_and(|states| recurrence.window() >= states);
    let growth = recurrence.growth().and_then(|growth| growth.parse::<f64>().ok());
    let words = (
        recurrence.order(),
        recurrence.stride,
        coefficients?,
        recurrence.from * recurrence.stride,
        polynomial(&recurrence.numerator)?,
        polynomial(&recurrence.denominator)?,
        growth,
        terms,
        recurrence.verified,
        recurrence.beyond(),
        is_proved,
    );
    py.import("ktour._results")?.getattr("Recurrence")?.call1(words)
}
