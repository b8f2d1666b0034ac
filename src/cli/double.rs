//! The second count of `--double-check` tries the methods of [`ways`] in order, until one fits into memory.

use std::time::Instant;

use super::failure::CliError;
use crate::report::print_notice;
use ktour::batch::DoubleCheck;
use ktour::control::Control;
use ktour::count::double::{SecondMethod, first_difference, second_methods};
use ktour::count::{Answer, CountError, WorkPlan};

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
