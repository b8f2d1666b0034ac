//! `--double-check`: counts a second time by another method before anything is reported.

use crate::cli::double::{DoubleCheckFailure, double_check};
use crate::cli::failure::Failure;
use crate::cli::up_to_symmetry::check_symmetric_part;

use super::execute::Counted;
use super::ready::Ready;
use super::report::show;

/// Returns `counted` with the double check in its record, or unchanged if `--double-check` was not given. If
/// no second method fits into memory, writes the unchecked result and returns an error.
pub fn check_again(ready: &mut Ready, counted: Counted) -> Result<Counted, Failure> {
    if !ready.wanted.double_check {
        return Ok(counted);
    }
    let progress = ready.how.progress(format!("{}, double check", ready.name()));
    let signals = ready.signals(progress.control())?;
    let Counted { mut result, seconds } = counted;
    let answer = result.numbers.answer().expect("parts are not checked");
    let check = match double_check(&ready.work, answer, seconds, ready.how.memory, progress.control()) {
        // The first count was expensive, so its result is written, without a double check.
        Err(DoubleCheckFailure::NoWay) => {
            drop(progress);
            show(ready, &result)?;
            return Err(Failure::failed(
                "the count is not double-checked, as no second method fits into memory; raise --memory",
            ));
        }
        Err(DoubleCheckFailure::Failed(failure)) => return Err(failure),
        Ok(check) => check,
    };
    let check = match (check, ready.wanted.symmetry) {
        (Some(check), Some(what)) if !answer.fixed => {
            let first = (&ready.setting, &result.up_to);
            check_symmetric_part(what, &ready.request, answer, first, progress.control())?
                .map(|symmetric| check.with_symmetric(symmetric))
        }
        (check, _) => check,
    };
    drop(progress);
    match check {
        Some(check) => {
            result.record = result.record.with_double_check(check);
            Ok(Counted { result, seconds })
        }
        // The first count is in the checkpoint and is not repeated on resume.
        None => Err(ready.interrupted(signals.as_ref(), "in the double check")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::execute::execute;
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::closed;

    #[test]
    fn a_second_count_is_in_the_record_if_it_is_wanted() {
        for double_check in [false, true] {
            let mut start = closed("5x6");
            start.wanted.double_check = double_check;
            let mut ready = prepare(start).unwrap();
            let counted = execute(&mut ready).unwrap().unwrap();
            let record = check_again(&mut ready, counted).unwrap().result.record;
            assert_eq!(record.double_check.is_some(), double_check);
            assert_eq!(record.counts["closed"].undirected.as_deref(), Some("8"));
        }
    }
}
