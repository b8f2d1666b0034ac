//! `ktour.recurrence`: the linear recurrence of the counts on a line of boards, or of given
//! numbers. A line is a set of boards that differ only in the length of one side.
//!
//! ```text
//! line -> transfer matrices -> terms modulo a prime (give the order) -> exact terms -> check by a sweep
//! ```

use ktour::BigUint;
use ktour::batch::SeriesJob;
use ktour::board::Wrap;
use ktour::control::Control;
use ktour::count::CountError;
use ktour::recurrence::{
    ExactTermLimits, ModularRecurrence, Recurrence, SequenceOutcome, StripTerms, TermMismatch, TermSequence,
    check_terms, max_states_for_memory,
};
use ktour::search::unit_runner::Stopped;
use ktour::series::{BoardLine, BoardRange};
use ktour::tour::Kind;
use num_bigint::BigInt;
use pyo3::prelude::*;

use super::arguments::{Directed, Force, Memory, Named, Natural, Order, PieceName, Threads};
use super::job_runner::JobRunner;
use crate::board::{LeaperMoves, make_piece};
use crate::errors::{JobError, failure, invalid_input};
use crate::series::{Series, parse_range};

/// A recurrence, the number of terms in which it was found, and whether it is proved.
struct VerifiedRecurrence {
    recurrence: Recurrence,
    terms: usize,
    is_proved: bool,
}

/// Remedy if a recurrence may have a higher order.
const RAISE_ORDER: &str = "raise order=";

/// The reason why no recurrence is returned.
enum NoRecurrence {
    Failed(JobError),
    Disagrees(TermMismatch),
    /// No recurrence up to `order` fits the `terms` terms, of which only every `stride`-th may
    /// differ from 0.
    NoneUpTo {
        order: usize,
        terms: usize,
        stride: usize,
        remedy: &'static str,
    },
    /// All computed terms are 0. All other terms are 0, too, if a number of states proves it.
    AllZero {
        terms: usize,
        proof_states: Option<usize>,
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

/// Finds the recurrence of the terms of length 1, 2, .., of order `order` at most. `states` is the number of states of the transfer matrix; `None`
/// for given numbers.
fn find_in_terms(
    terms: Vec<BigUint>,
    order: usize,
    states: Option<usize>,
) -> Result<VerifiedRecurrence, NoRecurrence> {
    let sequence = TermSequence::new(terms, states);
    let terms = sequence.term_count();
    match sequence.find_recurrence(order) {
        SequenceOutcome::Found { recurrence, is_proved } => {
            Ok(VerifiedRecurrence { recurrence, terms, is_proved })
        }
        SequenceOutcome::NoneUpTo { order, after, stride } => {
            let remedy = if order < after { RAISE_ORDER } else { "give more terms" };
            Err(NoRecurrence::NoneUpTo { order, terms, stride, remedy })
        }
        SequenceOutcome::AllZero { is_proved } => {
            Err(NoRecurrence::AllZero { terms, proof_states: states.filter(|_| is_proved) })
        }
    }
}

fn find_in_line(
    line: BoardLine,
    family: &Series,
    kind: Kind,
    order: usize,
    control: &Control,
) -> Result<VerifiedRecurrence, NoRecurrence> {
    let check_running = || if control.is_cancelled() { Err(CountError::Stopped(Stopped)) } else { Ok(()) };
    let upright = line.upright_rules(&family.job.rules).ok_or(NoRecurrence::TooWide)?;
    let max_states = max_states_for_memory(family.job.memory);
    let strip = StripTerms::new(&upright, line.width(), kind, max_states, control);
    check_running()?;
    let strip = strip.ok_or(NoRecurrence::TooWide)?;
    // Terms modulo a prime are fast. They give the number of exact terms needed, or show that there is no
    // such recurrence.
    let modular = ModularRecurrence::fit(&strip, order, control);
    let limits = ExactTermLimits {
        min_terms: line.last().into(),
        is_directed: family.directed,
        seconds: f64::INFINITY,
    };
    let exact = modular.exact_terms(&strip, limits, control);
    check_running()?;
    let ModularRecurrence { stride, length_count, .. } = modular;
    let none = NoRecurrence::NoneUpTo { order, terms: length_count, stride, remedy: RAISE_ORDER };
    let terms = exact.ok_or(none)?.terms;
    // The sweep does not use the transfer matrix: both must agree.
    let mut rows = Vec::new();
    family.count_all(control, &mut |_, counts| rows.push(counts))?;
    let lengths = usize::from(line.first())..;
    let swept = lengths.zip(&rows).filter_map(|(length, counts)| Some((length, counts.get(kind)?)));
    check_terms(line, &terms, swept).map_err(NoRecurrence::Disagrees)?;
    find_in_terms(terms, usize::MAX, Some(strip.order_bound()))
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
    directed: Directed,
    piece: Option<PieceName>,
    leaper: Option<LeaperMoves>,
    wrap: Named<Wrap>,
    order: Order,
    memory: Option<Memory>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
    force: Force,
) -> PyResult<RecurrenceRow> {
    let (Named(kind), Order(order)) = (kind, order);
    let (Directed(directed), Force(force)) = (directed, force);
    let (boards, rules) = parse_range(boards, &make_piece(piece.as_ref(), leaper.as_ref())?, wrap.0)?;
    let BoardRange::Line(line) = boards else {
        return Err(invalid_input("boards= requires one varying side; use a line such as \"5x2..60\""));
    };
    let memory = memory.map(|memory| memory.0);
    let job = SeriesJob {
        boards,
        rules,
        kind: Some(kind),
        modulus: None,
        distinct: false,
        memory,
        can_sweep: true,
    };
    let family = Series { job, directed, symmetry: None, force };
    let runner = JobRunner::new(threads, progress)?;
    to_row(runner.run_abandonable(py, move |control| find_in_line(line, &family, kind, order, control))?)
}

/// Finds the recurrence of given numbers.
#[pyfunction]
pub fn recurrence_of_terms(
    py: Python<'_>,
    terms: Vec<Natural>,
    order: Order,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
) -> PyResult<RecurrenceRow> {
    if terms.is_empty() {
        return Err(invalid_input("boards=[] has no term; give at least 3 nonzero terms"));
    }
    let terms: Vec<BigUint> = terms.into_iter().map(|term| term.0).collect();
    to_row(
        JobRunner::new(threads, progress)?
            .run_abandonable(py, move |_| find_in_terms(terms, order.0, None))?,
    )
}

/// Converts a recurrence for Python.
fn to_row(found: Result<VerifiedRecurrence, NoRecurrence>) -> PyResult<RecurrenceRow> {
    let VerifiedRecurrence { recurrence, terms, is_proved } = found.map_err(|nothing| match nothing {
        NoRecurrence::Failed(why) => why.into(),
        NoRecurrence::Disagrees(mismatch) => failure(mismatch),
        // A recurrence of order 1 needs two terms, and a third to verify it.
        NoRecurrence::NoneUpTo { terms, stride, .. } if terms / stride < 3 => failure(format!(
            "{terms} {} too few; give at least 3 k nonzero terms for a recurrence of order k",
            if terms == 1 { "term is" } else { "terms are" }
        )),
        NoRecurrence::NoneUpTo { order, stride, remedy, .. } => {
            let after = order * stride;
            failure(match stride {
                1 => format!(
                    "no recurrence of order up to {order} holds after the first {after} terms; {remedy}"
                ),
                stride => format!(
                    "every term is 0 unless its number is a multiple of {stride}, and the other terms have no \
                     recurrence of order up to {order} that holds after the first {after} terms; {remedy}"
                ),
            })
        }
        NoRecurrence::AllZero { terms, proof_states: Some(states) } => {
            failure(format!("all terms are 0, proved by {terms} zero terms for {states} states"))
        }
        NoRecurrence::AllZero { terms, .. } => failure(format!("all {terms} terms are 0")),
        NoRecurrence::TooWide => failure(
            "no transfer matrix: the line is too wide or has too many states; use the numbers of series()",
        ),
    })?;
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
