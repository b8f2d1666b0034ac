//! `--double-check`: counts a second time by another method before anything is reported.

use crate::cli::double::{DoubleCheckError, recount};
use crate::cli::failure::CliError;
use crate::cli::up_to_symmetry::double_check_symmetric_part;

use super::execute::CountedRun;
use super::ready::RunContext;
use super::report::write_result;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::execute::execute;
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::closed_request;

    #[test]
    fn record_has_a_double_check_if_requested() {
        for double_check in [false, true] {
            let mut start = closed_request("5x6");
            start.output.double_check = double_check;
            let mut ready = prepare(start).unwrap();
            let counted = execute(&mut ready).unwrap().unwrap();
            let record = run_double_check(&mut ready, counted).unwrap().result.record;
            assert_eq!(record.double_check.is_some(), double_check);
            assert_eq!(record.counts["closed"].undirected.as_deref(), Some("8"));
        }
    }
}
