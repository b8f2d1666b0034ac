//! `--double-check`: the count a second time, otherwise, before anything is reported.

use crate::cli::double::{DoubleCheckFailure, double_check};
use crate::cli::failure::Failure;
use crate::cli::up_to_symmetry::check_symmetric_part;

use super::execute::Counted;
use super::ready::Ready;
use super::report::show;

/// The same with a double check, if one is wanted. A first count that cannot be checked is reported as what it is.
pub fn check_again(ready: &mut Ready, counted: Counted) -> Result<Counted, Failure> {
    if !ready.wanted.double_check {
        return Ok(counted);
    }
    let progress = ready.how.progress(format!("{}, double check", ready.name()));
    let signals = ready.signals(progress.control())?;
    let Counted { mut result, seconds } = counted;
    let answer = result.numbers.answer().expect("parts are not checked");
    let check = match double_check(&ready.work, answer, seconds, ready.how.memory, progress.control()) {
        // The first count was dear: it is told, as what it is.
        Err(DoubleCheckFailure::NoWay) => {
            drop(progress);
            show(ready, &result)?;
            return Err(Failure::failed(
                "the number is not double-checked, no second way fits: raise --memory",
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
        // The first count is saved and need not be made again.
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
