//! `ktour.recurrence`: the linear recurrence of the counts on a line of boards, or of given
//! numbers. A line is a set of boards that differ only in the length of one side.
//!
//! ```text
//! line -> transfer matrices -> terms modulo a prime (give the order) -> exact terms -> check by a sweep
//! ```

use ktour::BigUint;
use ktour::board::Wrap;
use ktour::control::Control;
use ktour::count::{CountError, directed_count};
use ktour::recurrence::{
    ModularRecurrence, Recurrence, SearchOutcome, StripTerms, common_stride, find_recurrence,
    max_states_for_memory,
};
use ktour::search::unit_runner::Stopped;
use ktour::series::{BoardLine, BoardRange};
use ktour::tour::Kind;
use num_bigint::BigInt;
use pyo3::prelude::*;

use super::arguments::{Memory, Named, Natural, Order, Threads};
use super::job_runner::JobRunner;
use crate::board::{LeaperMoves, make_piece};
use crate::errors::{JobError, failure, invalid_input};
use crate::series::{Series, parse_range};

/// Minimum number of exact terms that are computed.
const MIN_EXACT_TERMS: usize = 48;

/// Number of zero terms after which no further terms are computed.
const MAX_ZERO_TERMS: usize = 1 << 14;

/// A recurrence, the number of terms in which it was found, and the number of states of the
/// transfer matrix (`None` for given numbers).
struct VerifiedRecurrence {
    recurrence: Recurrence,
    terms: usize,
    states: Option<usize>,
}

/// The reason why no recurrence is returned.
enum NoRecurrence {
    Failed(JobError),
    Disagrees(String),
    /// No recurrence up to `order` fits the `terms` terms, of which only every `stride`-th may
    /// differ from 0.
    NoneUpTo {
        order: usize,
        terms: usize,
        stride: usize,
    },
    /// All computed terms are 0. If they are as many as the transfer matrix has states, all other
    /// terms are 0, too.
    AllZero {
        terms: usize,
        states: Option<usize>,
    },
    TooWide,
}

impl From<JobError> for NoRecurrence {
    fn from(why: JobError) -> Self {
        Self::Failed(why)
    }
}

impl From<CountError> for NoRecurrence {
    fn from(error: CountError) -> Self {
        Self::Failed(error.into())
    }
}

fn find_in_terms(terms: &[BigUint], states: Option<usize>) -> Result<VerifiedRecurrence, NoRecurrence> {
    match find_recurrence(terms) {
        SearchOutcome::Found(recurrence) => Ok(VerifiedRecurrence { recurrence, terms: terms.len(), states }),
        SearchOutcome::NoneUpTo(order) => {
            let stride = common_stride(0, terms.iter().map(|term| *term == BigUint::ZERO)).unwrap_or(1);
            Err(NoRecurrence::NoneUpTo { order, terms: terms.len(), stride })
        }
        SearchOutcome::AllZero => Err(NoRecurrence::AllZero { terms: terms.len(), states }),
    }
}

fn find_in_line(
    line: BoardLine,
    family: &Series,
    kind: Kind,
    order: usize,
    control: &Control,
) -> Result<VerifiedRecurrence, NoRecurrence> {
    let upright = line.upright_rules(&family.play).ok_or(NoRecurrence::TooWide)?;
    let max_states = max_states_for_memory(family.memory);
    let strip = StripTerms::new(&upright, line.width(), kind, max_states, control);
    if control.is_cancelled() {
        return Err(CountError::Stopped(Stopped).into());
    }
    let strip = strip.ok_or(NoRecurrence::TooWide)?;
    let squares = (1..).map(|length| length * usize::from(line.width()));
    let to_requested =
        |(squares, number)| if family.directed { directed_count(&number, squares) } else { number };
    // Terms modulo a prime are fast. They give the number of exact terms needed, or show that there is no
    // such recurrence.
    let short = ModularRecurrence::fit(&strip, order, control);
    if control.is_cancelled() {
        return Err(CountError::Stopped(Stopped).into());
    }
    let ModularRecurrence { stride, length_count: terms, .. } = short;
    let mut exact_count = match short.fitted {
        // Numbers of both directions obey a recurrence of equal order.
        Some(rule) if !short.is_zero => {
            let (found, begun) = (3 * rule.start * stride + 4, rule.start * stride);
            let proved = begun + strip.order_bound() + 2;
            MIN_EXACT_TERMS.max(found).max(if proved <= 2 * found { proved } else { 0 })
        }
        None if !short.is_zero => return Err(NoRecurrence::NoneUpTo { order, terms, stride }),
        _ => MIN_EXACT_TERMS,
    };
    let (mut exact, mut terms) = (squares.zip(strip.exact_terms()).map(to_requested), Vec::new());
    let found = loop {
        control.begin_rounds(exact_count);
        terms.iter().for_each(|_| control.finish_round());
        while terms.len() < exact_count {
            if control.is_cancelled() {
                return Err(CountError::Stopped(Stopped).into());
            }
            terms.extend(exact.next());
            control.finish_round();
        }
        match find_in_terms(&terms, Some(strip.order_bound())) {
            // A recurrence of order k must also hold for k terms more than finding it takes.
            Ok(found) if found.recurrence.verified_terms >= found.recurrence.order() => break Ok(found),
            Err(none @ NoRecurrence::NoneUpTo { order: up_to, .. }) if up_to >= order => return Err(none),
            // As many zeros as states prove that all terms are 0.
            Err(nothing @ NoRecurrence::AllZero { .. })
                if terms.len() >= strip.order_bound().min(MAX_ZERO_TERMS) =>
            {
                break Err(nothing);
            }
            _ => exact_count *= 2,
        }
    };
    // The sweep does not use the transfer matrix: both must agree.
    let mut rows = Vec::new();
    family.count_all(control, &mut |board, counts| rows.push((board.to_string(), counts)))?;
    for (board, counts) in rows {
        let swept = counts.get(kind);
        if let (Some(term), Some(swept)) = (terms.get(varying_side(&board, line).unwrap_or(1) - 1), swept)
            && term != swept
        {
            return Err(NoRecurrence::Disagrees(format!(
                "{board}: the sweep counts {swept} and the transfer matrix {term}, so no recurrence is \
                 returned"
            )));
        }
    }
    found
}

/// Returns the length of the side of a board, such as `5x8`, that varies in the line.
fn varying_side(board: &str, line: BoardLine) -> Option<usize> {
    let (rows, cols) = board.split_once('x')?;
    if line.varies_rows() { rows.parse().ok() } else { cols.parse().ok() }
}

/// Fields of `ktour.Recurrence`.
type RecurrenceRow =
    (usize, usize, Vec<BigInt>, usize, Vec<BigInt>, Vec<BigInt>, Option<f64>, usize, usize, usize, bool);

/// Finds the recurrence of a line of boards.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn recurrence_of_line(
    py: Python<'_>,
    boards: &str,
    kind: Named<Kind>,
    directed: bool,
    piece: Option<String>,
    leaper: Option<LeaperMoves>,
    wrap: Named<Wrap>,
    order: Order,
    memory: Option<Memory>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
    force: bool,
) -> PyResult<RecurrenceRow> {
    let (Named(kind), Order(order)) = (kind, order);
    let (boards, rules) = parse_range(boards, &make_piece(piece.as_deref(), leaper.as_ref())?, wrap.0)?;
    let BoardRange::Line(line) = boards else {
        return Err(invalid_input("boards= requires one varying side; use a line such as \"5x2..60\""));
    };
    let memory = memory.map(|memory| memory.0);
    let family = Series { directed, memory, force, ..Series::new(boards, rules, Some(kind)) };
    let runner = JobRunner::new(threads, progress)?;
    to_row(runner.run_abandonable(py, move |control| find_in_line(line, &family, kind, order, control))?)
}

/// Finds the recurrence of given numbers.
#[pyfunction]
pub fn recurrence_of_terms(
    py: Python<'_>,
    terms: Vec<Natural>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
) -> PyResult<RecurrenceRow> {
    let terms: Vec<BigUint> = terms.into_iter().map(|term| term.0).collect();
    to_row(JobRunner::new(threads, progress)?.run_abandonable(py, move |_| find_in_terms(&terms, None))?)
}

/// Converts a recurrence for Python.
fn to_row(found: Result<VerifiedRecurrence, NoRecurrence>) -> PyResult<RecurrenceRow> {
    let VerifiedRecurrence { recurrence, terms, states } = found.map_err(|nothing| match nothing {
        NoRecurrence::Failed(why) => why.into(),
        NoRecurrence::Disagrees(line) => failure(line),
        // A recurrence of order 1 needs two terms, and a third to verify it.
        NoRecurrence::NoneUpTo { terms, stride, .. } if terms / stride < 3 => failure(format!(
            "{terms} terms are too few; give at least 3 k nonzero terms for a recurrence of order k"
        )),
        NoRecurrence::NoneUpTo { order, stride, .. } => {
            let every = match stride {
                1 => String::new(),
                stride => format!(" for the terms with number {stride} k, the others are 0,"),
            };
            failure(format!(
                "no recurrence of order up to {order}{every} holds after the first {} terms; give more terms, or \
                 raise order=",
                order * stride
            ))
        }
        NoRecurrence::AllZero { terms, states: Some(states) } if terms >= states => {
            failure(format!("all terms are 0, proved by {terms} zero terms for {states} states"))
        }
        NoRecurrence::AllZero { terms, .. } => failure(format!("all {terms} terms are 0")),
        NoRecurrence::TooWide => failure(
            "no transfer matrix: the line is too wide or has too many states; use the numbers of series()",
        ),
    })?;
    let is_proved = states.is_some_and(|states| recurrence.verified_lengths() >= states);
    let growth = recurrence.growth_rate().and_then(|growth| growth.parse::<f64>().ok());
    Ok((
        recurrence.order(),
        recurrence.stride,
        recurrence.coefficients().collect(),
        recurrence.start * recurrence.stride,
        recurrence.numerator.coefficients().to_vec(),
        recurrence.denominator.coefficients().to_vec(),
        growth,
        terms,
        recurrence.verified_terms,
        recurrence.confirming_terms(),
        is_proved,
    ))
}
