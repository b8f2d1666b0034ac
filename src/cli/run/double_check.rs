//! `--double-check`: counts a second time by another method before anything is reported.
//!
//! The second count of `--double-check` tries the methods of [`ways`] in order, until one fits into memory.

use std::time::Instant;

use ktour::batch::DoubleCheck;
use ktour::control::Control;
use ktour::count::second_count::{SecondMethod, first_difference, second_methods};
use ktour::count::{Answer, CountError, WorkPlan};

use super::context::RunContext;
use super::execute::{CountedRun, write_result};
use crate::cli::distinct_counts::double_check_symmetric_part;
use crate::cli::error::CliError;
use crate::report::print_notice;

/// Returns `counted` with the double check in its record, or unchanged if `--double-check` was not given. If
/// no second method fits into memory, writes the unchecked result and returns an error.
pub fn run_double_check(ready: &mut RunContext, counted: CountedRun) -> Result<CountedRun, CliError> {
    if !ready.output.double_check {
        return Ok(counted);
    }
    let progress = ready.run_options.progress(format!("{}, double check", ready.title()));
    let signals = ready.catch_signals(progress.control())?;
    let CountedRun { mut result, core_seconds: seconds } = counted;
    let answer = result.outcome.answer().expect("parts are not checked");
    let check = match recount(&ready.work, answer, seconds, ready.run_options.memory, progress.control()) {
        // The first count was expensive, so its result is written, without a double check.
        Err(DoubleCheckError::NoMethod) => {
            drop(progress);
            write_result(ready, &result)?;
            return Err(CliError::failed(
                "the count is not double-checked, as no second method fits into memory; raise --memory",
            ));
        }
        Err(DoubleCheckError::Failed(failure)) => return Err(failure),
        Ok(check) => check,
    };
    let check = match (check, ready.output.symmetry) {
        (Some(check), Some(what)) if !answer.is_directed => {
            let first = (&ready.symmetric_setting, &result.distinct_counts);
            double_check_symmetric_part(what, &ready.request, answer, first, progress.control())?
                .map(|symmetric| check.with_symmetric(symmetric))
        }
        (check, _) => check,
    };
    drop(progress);
    match check {
        Some(check) => {
            result.record = result.record.with_double_check(check);
            Ok(CountedRun { result, core_seconds: seconds })
        }
        // The first count is in the checkpoint and is not repeated on resume.
        None => Err(ready.stopped_error(signals.as_ref(), "in the double check")),
    }
}

/// Counts again by another method than the first count, and compares the answers. Returns `None` if the
/// control was cancelled first. `seconds` is the time of the first count on one core; a sweep may use
/// `memory` bytes.
///
/// # Errors
/// No method fits into memory, a method fails, or the answers differ.
pub fn recount(
    work: &WorkPlan,
    first: &Answer,
    seconds: f64,
    memory: Option<u64>,
    control: &Control,
) -> Result<Option<DoubleCheck>, DoubleCheckError> {
    let engine = work.validated_request().request().engine;
    for way in second_methods(work, seconds) {
        print_notice(format_args!("double check: {} (first: engine {})", way.description(), engine.name()));
        let began = Instant::now();
        match way.count_again(work, memory, control) {
            Ok(second) => {
                let seconds = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
                return Ok(compare_answers(work, first, &second, &way, seconds).map(Some)?);
            }
            Err(CountError::Stopped(_)) => return Ok(None),
            Err(error) if error.is_resource_limit() => {
                print_notice(format_args!("double check: {} is not possible: {error}", way.description()));
            }
            Err(error) => {
                return Err(
                    CliError::failed(format!("double check by {}: {error}", way.description())).into()
                );
            }
        }
    }
    Err(DoubleCheckError::NoMethod)
}

/// Reason why there is no double check.
#[derive(Debug)]
pub enum DoubleCheckError {
    /// No other method fits into memory.
    NoMethod,
    /// The second count failed or differs from the first.
    Failed(CliError),
}

impl From<CliError> for DoubleCheckError {
    fn from(failure: CliError) -> Self {
        Self::Failed(failure)
    }
}

fn compare_answers(
    work: &WorkPlan,
    first: &Answer,
    second: &Answer,
    way: &SecondMethod,
    seconds: f64,
) -> Result<DoubleCheck, CliError> {
    let board = &work.validated_request().request().board;
    if let Some(difference) = first_difference(board, first, second) {
        return Err(CliError::failed(format!(
            "double check by {} differs: {difference}; no number is reported",
            way.description()
        )));
    }
    print_notice(format_args!("double check: equal, {seconds:.3} s"));
    Ok(DoubleCheck::new(way.description(), first, second, seconds))
}

#[cfg(test)]
mod tests {
    use super::super::execute::execute_run;
    use super::super::prepare::prepare_run;
    use super::super::test_support::closed_request;
    use super::*;

    #[test]
    fn record_has_a_double_check_if_requested() {
        for double_check in [false, true] {
            let mut start = closed_request("5x6");
            start.output.double_check = double_check;
            let mut ready = prepare_run(start).unwrap();
            let counted = execute_run(&mut ready).unwrap().unwrap();
            let record = run_double_check(&mut ready, counted).unwrap().result.record;
            assert_eq!(record.double_check.is_some(), double_check);
            assert_eq!(record.counts["closed"].undirected.as_deref(), Some("8"));
        }
    }
}
