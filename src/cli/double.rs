//! `--double-check`: the second pass of a count.

use std::time::Instant;

use super::failure::Failure;
use crate::report::tell;
use ktour::batch::DoubleCheck;
use ktour::control::Control;
use ktour::count::double::{Way, difference, ways};
use ktour::count::{Answer, CountError, Work};

/// Counts again, otherwise than the first answer came about, and compares. `None` if the control was cancelled
/// first. `seconds` are those of the first count on one core; a sweep may use `memory` bytes.
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
                tell(format_args!("double check: {} cannot do it: {error}", way.name()));
            }
            Err(error) => {
                return Err(Failure::failed(format!("double check by {}: {error}", way.name())).into());
            }
        }
    }
    Err(DoubleCheckFailure::NoWay)
}

/// Why there is no double check.
#[derive(Debug)]
pub enum DoubleCheckFailure {
    /// No other way fits into memory.
    NoWay,
    /// It failed, or found another number.
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
