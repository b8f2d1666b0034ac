//! Numbers of tours up to symmetry, for `--distinct` and `--classes`: computed from the number of
//! all tours and from counts of symmetric tours.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use super::error::CliError;
use crate::report::{DistinctCounts, print_notice};
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, SymmetricContext};
use ktour::count::theorems::TheoremViolation;
use ktour::count::{Answer, CountError, Request};
use ktour::frontier;
use ktour::tour::Kind;

/// The numbers up to symmetry that the user requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpToSymmetry {
    /// The number of distinct tours: one tour of each class up to symmetry.
    Distinct,
    /// For each symmetry class, the numbers of tours and of distinct tours.
    Classes,
}

impl UpToSymmetry {
    /// Returns the name of the option, such as `--distinct`.
    pub const fn option_name(self) -> &'static str {
        match self {
            Self::Distinct => "--distinct",
            Self::Classes => "--classes",
        }
    }
}

/// Returns the settings for counting the symmetric tours of a request.
pub fn symmetry_setting(request: &Request, memory: Option<u64>, is_forced: bool) -> SymmetricContext {
    SymmetricContext::new(&request.board, request.engine, memory).with_force(is_forced)
}

/// Counts the symmetric tours of each requested kind. Takes some seconds. Empty if an end is fixed:
/// then no symmetric tours need to be counted.
pub fn count_symmetric_part<'a>(
    what: UpToSymmetry,
    request: &Request,
    setting: &'a SymmetricContext,
    control: &'a Control,
) -> Result<Vec<(Kind, ClassCounter<'a>)>, CountError> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(Vec::new());
    }
    let kinds = Kind::ALL.into_iter().filter(|&kind| request.kind.is_none_or(|requested| requested == kind));
    let census = |kind| {
        let mut census = ClassCounter::new(setting, kind, control);
        census.prepare(what == UpToSymmetry::Classes)?;
        Ok((kind, census))
    };
    kinds.map(census).collect()
}

/// Estimate of the time to count symmetric tours.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymmetricEstimate {
    /// Seconds with all threads of the machine.
    pub seconds: f64,
    /// Part of these seconds that is needed to visit every tour, and the number of tours visited.
    pub visit_seconds: f64,
    pub visited_tours: f64,
}

/// Estimates the time to count symmetric tours. If `with_sweeps`, includes the sweeps, whose
/// estimates take time themselves.
pub fn estimate_symmetric_part(
    what: UpToSymmetry,
    request: &Request,
    setting: &SymmetricContext,
    with_sweeps: bool,
    control: &Control,
) -> Result<SymmetricEstimate, CountError> {
    let mut rough_estimate = SymmetricEstimate::default();
    if request.start.is_some() || request.end.is_some() {
        return Ok(rough_estimate);
    }
    let threads = rayon::current_num_threads().max(1) as f64;
    for kind in Kind::ALL.into_iter().filter(|&kind| request.kind.is_none_or(|requested| requested == kind)) {
        let census = ClassCounter::new(setting, kind, control);
        if let Some(estimate) = census.enumeration_estimate(what == UpToSymmetry::Classes)? {
            rough_estimate.visit_seconds += estimate.seconds / threads;
            rough_estimate.visited_tours += estimate.tours;
        }
        if with_sweeps {
            rough_estimate.seconds += census.rough_estimate(None)?.seconds.unwrap_or(0.0);
        }
    }
    rough_estimate.seconds += rough_estimate.visit_seconds;
    Ok(rough_estimate)
}

/// Computes the numbers up to symmetry from the number of all tours in `answer` and the symmetric
/// tours in `parts`.
///
/// # Errors
/// The number of all tours is not divisible as the theory requires.
pub fn numbers_up_to_symmetry(
    what: UpToSymmetry,
    request: &Request,
    answer: &Answer,
    parts: &mut [(Kind, ClassCounter<'_>)],
) -> Result<DistinctCounts, CountError> {
    let symmetries =
        if answer.is_directed { stabiliser_order(request) } else { request.board.symmetries().order() };
    let mut up_to = DistinctCounts { symmetries: Some(symmetries), ..DistinctCounts::default() };
    if answer.is_directed {
        for kind in Kind::ALL {
            let Some(total) = answer.counts.get(kind) else { continue };
            up_to.distinct.push((kind, classes_with_fixed_ends(kind, total, symmetries)?));
        }
        return Ok(up_to);
    }
    for (kind, census) in parts {
        let Some(total) = answer.counts.get(*kind) else { continue };
        if what == UpToSymmetry::Distinct {
            up_to.distinct.push((*kind, census.count_distinct(total)?));
            continue;
        }
        let table = census.class_table(total)?;
        up_to.distinct.push((*kind, table.total.classes.clone()));
        up_to.classes.push((*kind, table));
    }
    Ok(up_to)
}

/// Returns the number of tours with fixed ends up to symmetry. A symmetry that fixes an end
/// reverses no path, so all classes have equal size.
fn classes_with_fixed_ends(
    kind: Kind,
    total: &BigUint,
    symmetries: usize,
) -> Result<BigUint, TheoremViolation> {
    let (classes, remainder) = total.div_rem(&symmetries.into());
    if remainder.is_zero() {
        Ok(classes)
    } else {
        let what = kind.name();
        Err(TheoremViolation::new(format!(
            "{total} {what} with fixed ends must be divisible by {symmetries}, the number of symmetries"
        )))
    }
}

/// Counts the symmetric tours a second time, by the other engine, and compares the numbers. Returns
/// true if they are equal, false if the second count is not possible, and `None` if the control was
/// cancelled.
///
/// # Errors
/// The two counts differ; no number may be reported.
pub fn double_check_symmetric_part(
    what: UpToSymmetry,
    request: &Request,
    answer: &Answer,
    (setting, first_count): (&SymmetricContext, &DistinctCounts),
    control: &Control,
) -> Result<Option<bool>, CliError> {
    let second = setting.for_second_count();
    let second_count = count_symmetric_part(what, request, &second, control)
        .and_then(|mut parts| numbers_up_to_symmetry(what, request, answer, &mut parts));
    match second_count {
        Ok(again) if again == *first_count => {
            print_notice(format_args!(
                "double check: symmetric part equal, engine {} (first: {})",
                second.engine_names(),
                setting.engine_names()
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
            setting.engine_names()
        ))),
        Err(error) => Err(CliError::failed(format!("double check of the symmetric part: {error}"))),
    }
}

/// Converts the error of a count of symmetric tours. Its remedies omit a spill folder, which such
/// counts do not use.
pub fn symmetric_error(error: CountError) -> CliError {
    match error {
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => CliError::failed(format!(
            "symmetric tours: {error}; use a larger --memory, a smaller BOARD, or --engine multipath"
        )),
        error => error.into(),
    }
}

/// Returns the number of symmetries that fix the start and the end of a request.
fn stabiliser_order(request: &Request) -> usize {
    let ends: Vec<u32> = request.start.into_iter().chain(request.end).collect();
    let keeps = |image: &[u32]| ends.iter().all(|&v| image[v as usize] == v);
    request.board.symmetries().stabiliser(keeps).order()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::Board;
    use ktour::count::count;

    fn request(board: &str, kind: Kind) -> Request {
        Request { kind: Some(kind), ..Request::new(board.parse::<Board>().unwrap()) }
    }

    #[test]
    fn double_check_rejects_different_symmetric_count() {
        let request = request("6x6", Kind::Closed);
        let control = Control::new();
        let answer = count(&request, &control).unwrap();
        let setting = symmetry_setting(&request, None, false);
        for what in [UpToSymmetry::Distinct, UpToSymmetry::Classes] {
            let mut parts = count_symmetric_part(what, &request, &setting, &control).unwrap();
            let mut distinct_counts = numbers_up_to_symmetry(what, &request, &answer, &mut parts).unwrap();
            assert_eq!(distinct_counts.distinct(Kind::Closed), Some(&1245u32.into()));
            assert_eq!(distinct_counts.classes(Kind::Closed).is_some(), what == UpToSymmetry::Classes);
            let recount = |distinct_counts: &DistinctCounts| {
                double_check_symmetric_part(what, &request, &answer, (&setting, distinct_counts), &control)
            };
            assert_eq!(recount(&distinct_counts).unwrap(), Some(true));
            distinct_counts.distinct[0].1 += 1u32;
            let failure = recount(&distinct_counts).unwrap_err();
            assert!(failure.status() == 1 && failure.to_string().contains("double check"), "{failure}");
        }
    }

    #[test]
    fn distinct_uses_symmetries_that_fix_the_start() {
        let request = Request { start: Some(0), ..request("5x5", Kind::Paths) };
        let answer = count(&request, &Control::new()).unwrap();
        let distinct_counts =
            numbers_up_to_symmetry(UpToSymmetry::Distinct, &request, &answer, &mut []).unwrap();
        assert_eq!(
            distinct_counts.distinct(Kind::Paths),
            Some(&152u32.into()),
            "304 paths, halved by the diagonal"
        );
    }

    #[test]
    fn distinct_rejects_indivisible_total() {
        let request = Request { start: Some(0), ..request("5x5", Kind::Paths) };
        let mut answer = count(&request, &Control::new()).unwrap();
        *answer.counts.paths.as_mut().unwrap() += 1u32;
        let broken = numbers_up_to_symmetry(UpToSymmetry::Distinct, &request, &answer, &mut []).unwrap_err();
        assert!(matches!(&broken, CountError::TheoremViolation(_)), "{broken}");
        let message = broken.to_string();
        assert!(message.contains("305 paths") && message.contains("by 2"), "{message}");
    }
}
