//! The options `--distinct` and `--classes`, and their double check.

use super::error::CliError;
use crate::report::print_notice;
use ktour::control::Control;
use ktour::count::symmetric::{DistinctCounts, DistinctPlan, UpToSymmetry};
use ktour::count::{Answer, CountError};

/// Returns the option that requests the numbers, such as `--distinct`.
pub const fn option_name(what: UpToSymmetry) -> &'static str {
    match what {
        UpToSymmetry::Distinct => "--distinct",
        UpToSymmetry::Classes => "--classes",
    }
}

/// Counts the symmetric tours a second time, by the other engine, and compares the numbers. Returns
/// true if they are equal, false if the second count is not possible, and `None` if the control was
/// cancelled.
///
/// # Errors
/// The two counts differ; no number may be reported.
pub fn double_check_symmetric_part(
    plan: &DistinctPlan,
    answer: &Answer,
    first_count: &DistinctCounts,
    control: &Control,
) -> Result<Option<bool>, CliError> {
    let second = plan.for_second_count();
    match second.count(&answer.counts, control) {
        Ok(again) if again == *first_count => {
            print_notice(format_args!(
                "double check: symmetric part equal, engine {} (first: {})",
                second.engine_names(),
                plan.engine_names()
            ));
            Ok(Some(true))
        }
        Err(CountError::Stopped(_)) => Ok(None),
        Err(error)
            if matches!(error, CountError::NoSecondMethod | CountError::OnlyByEnumeration)
                || error.is_resource_limit() =>
        {
            print_notice(format_args!("double check: total only; symmetric part: {error}"));
            Ok(Some(false))
        }
        Ok(_) | Err(CountError::TheoremViolation(_)) => Err(CliError::failed(format!(
            "double check: engine {} counts other symmetric tours than {}; no number is printed, please \
            report this",
            second.engine_names(),
            plan.engine_names()
        ))),
        Err(error) => Err(CliError::failed(format!("double check of the symmetric part: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::Board;
    use ktour::count::{Request, count};
    use ktour::tour::Kind;

    #[test]
    fn double_check_rejects_different_symmetric_count() {
        let board: Board = "6x6".parse().unwrap();
        let request = Request::of_kind(board, Kind::Closed);
        let control = Control::new();
        let answer = count(&request, &control).unwrap();
        for what in [UpToSymmetry::Distinct, UpToSymmetry::Classes] {
            let plan = DistinctPlan::new(what, &request, None, false).unwrap();
            let mut counts = plan.count(&answer.counts, &control).unwrap();
            let recount =
                |counts: &DistinctCounts| double_check_symmetric_part(&plan, &answer, counts, &control);
            assert_eq!(recount(&counts).unwrap(), Some(true));
            counts.distinct[0].1 += 1u32;
            let failure = recount(&counts).unwrap_err();
            assert!(failure.status() == 1 && failure.to_string().contains("double check"), "{failure}");
        }
    }
}
