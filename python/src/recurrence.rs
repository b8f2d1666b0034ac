//! `ktour.recurrence`: the linear recurrence behind a line of boards, or behind numbers of the caller's.
//!
//! ```text
//! line -> transfer matrices -> terms modulo a prime, until the order is known -> exact terms -> checked by the rows
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

/// Exact terms that are made at least.
const FEWEST: usize = 48;

/// Terms that are all 0, after which no other is waited for.
const MOST_ZEROS: usize = 1 << 14;

/// What was found.
struct Found {
    recurrence: Recurrence,
    terms: usize,
    states: Option<usize>,
}

/// Why nothing was.
enum Nothing {
    Why(Why),
    Disagrees(String),
    /// None up to this order fits so many terms, of which every so-manieth alone is not 0.
    NoneUpTo {
        order: usize,
        terms: usize,
        stride: usize,
    },
    /// So many terms are 0; whether the next ones are, is known by as many states at most.
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
    // Terms modulo a prime are quick, and tell how many exact ones it takes, or that there is no such recurrence.
    let short = Short::of(&strip, order, control);
    if control.is_cancelled() {
        return Err(CountError::Stopped(Stopped).into());
    }
    let Short { stride, lengths: terms, .. } = short;
    let mut wanted = match short.rule {
        // Numbers of both directions obey one of the same order.
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
            // As many terms again as it takes to find it stand for it.
            Ok(found) if found.recurrence.verified >= found.recurrence.order() => break Ok(found),
            Err(none @ Nothing::NoneUpTo { order: up_to, .. }) if up_to >= order => return Err(none),
            // As many zeros as there are states prove that there is nothing else.
            Err(nothing @ Nothing::Zero { .. }) if terms.len() >= strip.states().min(MOST_ZEROS) => {
                break Err(nothing);
            }
            _ => wanted *= 2,
        }
    };
    // The sweep knows nothing of the matrix: both must agree.
    for (board, counts) in family.rows(control)? {
        let swept = counts.get(kind);
        if let (Some(term), Some(swept)) = (terms.get(line_length(&board, line).unwrap_or(1) - 1), swept)
            && term != swept
        {
            return Err(Nothing::Disagrees(format!(
                "{board}: {swept} by the sweep, and {term} by the transfer matrix; no recurrence is reported"
            )));
        }
    }
    found
}

/// The side that runs along a line.
fn line_length(board: &str, line: Line) -> Option<usize> {
    let (rows, cols) = board.split_once('x')?;
    if line.runs_along_rows() { rows.parse().ok() } else { cols.parse().ok() }
}

/// The linear recurrence that numbers obey: a Recurrence, with coefficients, generating function and growth.
///
/// boards: a line such as "5x2..60" (a transfer matrix gives the terms it takes, whatever the end of the line, and the
/// boards of the line are counted by a sweep as well and compared), or the numbers a(1), a(2), ... themselves.
/// kind, directed, memory, threads, progress, force: as for count ("open" takes two matrices, that of paths and that of
/// closed tours); piece, leaper, wrap: as for Board; order: the highest that is looked for. Numbers of other tours, such as
/// distinct ones, come from series().
///
/// Raises Error if there is none up to that order, or if all numbers are 0 (and says whether that is proved), UsageError
/// for what cannot be asked.
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
                return Err(usage("a recurrence is for one side that runs, such as \"5x2..60\""));
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
                terms.push(
                    number
                        .ok_or_else(|| usage(format!("terms are 0 or more, not {}", asked::shown(&term))))?,
                );
                listen(py, terms.len())?;
            }
            how.attend_or_leave(py, move |_| of_terms(&terms, None))?
        }
    };
    let Found { recurrence, terms, states } = found.map_err(|nothing| match nothing {
        Nothing::Why(why) => why.into(),
        Nothing::Disagrees(line) => failed(line),
        // It takes two terms to find a recurrence of order 1, and one to verify it.
        Nothing::NoneUpTo { terms, stride, .. } if terms / stride < 3 => failed(format!(
            "{terms} are too few terms: a recurrence of order k takes 3 k that are not 0, at least"
        )),
        Nothing::NoneUpTo { order, stride, .. } => {
            let every = match stride {
                1 => String::new(),
                stride => format!(" in every term of number {stride} k, the others are 0,"),
            };
            failed(format!(
                "none of order up to {order}{every} that holds after the first {} terms: more terms, or a higher order=, \
                 help",
                order * stride
            ))
        }
        Nothing::Zero { terms, states: Some(states) } if terms >= states => {
            failed(format!("all terms are 0: proved, as {terms} are, and there are {states} states"))
        }
        Nothing::Zero { terms, .. } => failed(format!("all {terms} terms are 0")),
        Nothing::TooWide => failed(
            "no transfer matrix: the line is too wide or has too many states; numbers from series() may do",
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
    py.import("ktour._counts")?.getattr("Recurrence")?.call1(words)
}
