//! Search for the shortest recurrence of a line (`--recurrence`), a set of boards that differ only
//! in their length.
//!
//! ```text
//! transfer matrix -> ModularRecurrence: terms modulo a prime until the order is known
//!                 -> exact terms -> Recurrence
//! rows alone, if there is no transfer matrix -> Recurrence
//! ```
//!
//! The rows come from a sweep, which does not use the matrix. Terms that have both sources must
//! agree.

use std::time::Instant;

use super::context::SeriesRun;
use super::recurrence_report::{
    EXACT_SECONDS, RecurrenceReport, report_modular_recurrence, report_recurrence,
};
use crate::cli::error::CliError;
use crate::report::{BoardRow, print_notice};
use ktour::BigUint;
use ktour::control::Control;
use ktour::recurrence::{
    ExactTermLimits, ModularRecurrence, StripTerms, TermSequence, max_states_for_memory,
};
use ktour::series::{BoardLine, BoardRange};
use ktour::tour::Kind;

/// Searches for the recurrence of the counts `rows` of a series, and returns its report.
///
/// # Errors
/// Two sides vary, a row and the transfer matrix disagree, or the control was cancelled.
pub fn search_recurrence(
    run: &SeriesRun,
    rows: &[BoardRow],
    control: &Control,
) -> Result<RecurrenceReport, CliError> {
    let BoardRange::Line(line) = run.job.boards else {
        return Err(CliError::usage(
            "--recurrence requires a series that varies one side; write boards such \
            as 5x2..60",
        ));
    };
    let both = run.args.output.directed;
    let rows: Vec<(usize, BigUint)> = rows
        .iter()
        .map(|row| (run.report.row_index(row).map_or(0, usize::from), row.printed_counts(both)[0].clone()))
        .collect();
    let (source, short) = match strip_terms(run, line, rows.len(), control)? {
        Some(terms) => terms_from_matrix(run, line, &terms, &rows, control)?,
        None => (TermSequence::from_rows(&rows), None),
    };
    if control.is_cancelled() {
        return Err(CliError::stopped_silently());
    }
    let max_order = run.files.max_order;
    Ok(match short {
        Some(short) => report_modular_recurrence(&short, &source, max_order),
        None => report_recurrence(&source, max_order),
    })
}

/// Returns the reason why no transfer matrix can compute the numbers of the series, if there is
/// one.
fn why_no_matrix(run: &SeriesRun, line: BoardLine) -> Option<&'static str> {
    let has_ends = run.report.ends.iter().any(|end| !end.is_empty());
    match run.job.kind {
        _ if run.args.distinct => Some("numbers up to symmetry combine several strips"),
        _ if !run.report.symmetry.is_empty() => Some("the transfer matrix does not count symmetric tours"),
        _ if has_ends || !run.report.removed.is_empty() => {
            Some("one end of the boards differs from all other lines")
        }
        _ if line.upright_rules(&run.job.rules).is_none() => {
            Some("the ends of the boards are joined to each other")
        }
        _ => None,
    }
}

/// Returns the source of terms from transfer matrices, if these exist and fit into memory. Prints
/// the sizes of the matrices.
fn strip_terms(
    run: &SeriesRun,
    line: BoardLine,
    rows: usize,
    control: &Control,
) -> Result<Option<StripTerms>, CliError> {
    if let Some(why) = why_no_matrix(run, line) {
        print_notice(format_args!(
            "no transfer matrix because {why}; searching for the recurrence in {rows} rows \
            only"
        ));
        return Ok(None);
    }
    let rules = line.upright_rules(&run.job.rules).expect("a strip has a transfer matrix");
    let max_states = max_states_for_memory(run.args.run_options.memory);
    let kind = run.job.kind.expect("--recurrence requires --kind");
    let began = Instant::now();
    let terms = StripTerms::new(&rules, line.width(), kind, max_states, control);
    match &terms {
        Some(terms) => {
            let names = if kind == Kind::Open {
                &["transfer matrix of paths", "transfer matrix of closed tours (its states count twice)"][..]
            } else {
                &["transfer matrix"]
            };
            let seconds = began.elapsed().as_secs_f64();
            for (name, matrix) in names.iter().zip(terms.matrices()) {
                print_notice(format_args!(
                    "{name}: {} states between lines, {} in total, {} transitions, {seconds:.1} s",
                    matrix.state_count(),
                    matrix.explored_states(),
                    matrix.transition_count()
                ));
            }
        }
        None if control.is_cancelled() => {}
        None => print_notice(format_args!(
            "no transfer matrix because it has more than {max_states} states or is too wide; searching for the recurrence in \
             {rows} rows only"
        )),
    }
    Ok(terms)
}

/// Computes the terms in which the recurrence is searched for, by the transfer matrix `terms`. The second value is the
/// recurrence modulo a prime, if the exact terms are too few for an integer recurrence.
///
/// # Errors
/// A row disagrees with the matrix.
fn terms_from_matrix(
    run: &SeriesRun,
    line: BoardLine,
    terms: &StripTerms,
    rows: &[(usize, BigUint)],
    control: &Control,
) -> Result<(TermSequence, Option<ModularRecurrence>), CliError> {
    let began = Instant::now();
    let short = ModularRecurrence::fit(terms, run.files.max_order, control);
    print_notice(format_args!(
        "recurrence: {} terms modulo {} in {:.1} s",
        short.length_count,
        short.prime,
        began.elapsed().as_secs_f64()
    ));
    // Every row is compared with the matrix.
    let min_terms = rows.last().map_or(0, |row| row.0);
    let is_directed = run.args.output.directed;
    let limits = ExactTermLimits { min_terms, is_directed, seconds: EXACT_SECONDS };
    let (sequence, is_whole) = TermSequence::from_strip(line, (terms, &short), rows, limits, control)
        .map_err(|mismatch| CliError::failed(mismatch.to_string()))?;
    Ok((sequence, (!is_whole).then_some(short)))
}
