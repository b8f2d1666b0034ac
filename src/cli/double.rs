//! The second count of `--double-check` tries the methods of [`ways`] in order, until one fits into memory.

use std::time::Instant;

use super::failure::Failure;
use crate::report::tell;
use ktour::batch::DoubleCheck;
use ktour::control::Control;
use ktour::count::double::{Way, difference, ways};
use ktour::count::{Answer, CountError, Work};

/// Counts again by another method than the first count, and compares the answers. Returns `None` if the
/// control was cancelled first. `seconds` is the time of the first count on one core; a sweep may use
/// `memory` bytes.
///
/// # Errors
/// No method fits into memory, a method fails, or the answers differ.
pub fn double_check(
    work: &Work,
    first: &Answer,
    seconds: f64,
    memory: Option<u64>,
    control: &Control,
) -> Result<Option<DoubleCheck>, DoubleCheckFailure> {
    let engine = work.question().request().engine;
    for way in ways(work, seconds) {
        tell(format_args!("double check: {} (first: engine {})", way.name(), engine.name()));
        let began = Instant::now();
        match way.count(work, memory, control) {
            Ok(second) => {
                let seconds = (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
                return Ok(compare(work, first, &second, &way, seconds).map(Some)?);
            }
            Err(CountError::Stopped(_)) => return Ok(None),
            Err(error) if error.is_out_of_reach() => {
                tell(format_args!("double check: {} is not possible: {error}", way.name()));
            }
            Err(error) => {
                return Err(Failure::failed(format!("double check by {}: {error}", way.name())).into());
            }
        }
    }
    Err(DoubleCheckFailure::NoWay)
}

/// Reason why there is no double check.
#[derive(Debug)]
pub enum DoubleCheckFailure {
    /// No other method fits into memory.
    NoWay,
    /// The second count failed or differs from the first.
    Failed(Failure),
}

impl From<Failure> for DoubleCheckFailure {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn compare(
    work: &Work,
    first: &Answer,
    second: &Answer,
    way: &Way,
    seconds: f64,
) -> Result<DoubleCheck, Failure> {
    let arena = &work.question().request().arena;
    if let Some(difference) = difference(arena, first, second) {
        return Err(Failure::failed(format!(
            "double check by {} differs: {difference}; no number is reported",
            way.name()
        )));
    }
    tell(format_args!("double check: equal, {seconds:.3} s"));
    Ok(DoubleCheck::new(way.name(), first, second, seconds))
}
