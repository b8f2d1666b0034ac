//! `--distinct` and `--classes` compute numbers up to symmetry from the total of all tours and the counts of
//! symmetric tours.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use crate::report::{UpTo, tell};
use ktour::control::Control;
use ktour::count::symmetric::{Census, Setting};
use ktour::count::theorems::Broken;
use ktour::count::{Answer, CountError, Request};
use ktour::frontier;
use ktour::tour::Kind;

/// The requested numbers up to symmetry. Stored in checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpToSymmetry {
    /// Distinct tours, one for each class.
    Distinct,
    /// Tours and distinct tours by class of symmetry.
    Classes,
}

impl UpToSymmetry {
    /// Returns the option's name.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Distinct => "--distinct",
            Self::Classes => "--classes",
        }
    }
}

/// Returns the settings for counting symmetric tours of a request.
pub fn setting(request: &Request, memory: Option<u64>, is_forced: bool) -> Setting {
    Setting::new(&request.arena, request.engine, memory).forced(is_forced)
}

/// Counts the symmetric tours of all requested kinds. Empty for fixed ends. Takes some seconds.
pub fn symmetric_part<'a>(
    what: UpToSymmetry,
    request: &Request,
    setting: &'a Setting,
    control: &'a Control,
) -> Result<Vec<(Kind, Census<'a>)>, CountError> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(Vec::new());
    }
    let kinds = Kind::ALL.into_iter().filter(|&kind| request.kind.is_none_or(|wanted| wanted == kind));
    let census = |kind| {
        let mut census = Census::new(setting, kind, control);
        census.prepare(what == UpToSymmetry::Classes)?;
        Ok((kind, census))
    };
    kinds.map(census).collect()
}

/// Estimated time of counting symmetric tours.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymmetricOutlook {
    /// Seconds on the whole machine.
    pub seconds: f64,
    /// Seconds of these spent on visiting every tour, and the number of tours visited.
    pub look: f64,
    pub tours: f64,
}

/// Estimates the time of counting symmetric tours. Immediate unless `with_sweeps` adds the estimates of the
/// sweeps.
pub fn symmetric_outlook(
    what: UpToSymmetry,
    request: &Request,
    setting: &Setting,
    with_sweeps: bool,
    control: &Control,
) -> Result<SymmetricOutlook, CountError> {
    let mut outlook = SymmetricOutlook::default();
    if request.start.is_some() || request.end.is_some() {
        return Ok(outlook);
    }
    let threads = rayon::current_num_threads().max(1) as f64;
    for kind in Kind::ALL.into_iter().filter(|&kind| request.kind.is_none_or(|wanted| wanted == kind)) {
        let census = Census::new(setting, kind, control);
        if let Some(look) = census.look(what == UpToSymmetry::Classes)? {
            outlook.look += look.seconds / threads;
            outlook.tours += look.tours;
        }
        if with_sweeps {
            outlook.seconds += census.outlook(None)?.seconds.unwrap_or(0.0);
        }
    }
    outlook.seconds += outlook.look;
    Ok(outlook)
}

/// Computes the numbers up to symmetry from the total and the symmetric tours.
///
/// # Errors
/// The total is not divisible as the theory requires.
pub fn with_symmetry(
    what: UpToSymmetry,
    request: &Request,
    answer: &Answer,
    parts: &mut [(Kind, Census<'_>)],
) -> Result<UpTo, CountError> {
    let symmetries = if answer.fixed { stabiliser(request) } else { request.arena.symmetries().order() };
    let mut found = UpTo { symmetries: Some(symmetries), ..UpTo::default() };
    if answer.fixed {
        for kind in Kind::ALL {
            let Some(total) = answer.counts.get(kind) else { continue };
            found.distinct.push((kind, classes(kind, total, symmetries)?));
        }
        return Ok(found);
    }
    for (kind, census) in parts {
        let Some(total) = answer.counts.get(*kind) else { continue };
        if what == UpToSymmetry::Distinct {
            found.distinct.push((*kind, census.distinct(total)?));
            continue;
        }
        let table = census.table(total)?;
        found.distinct.push((*kind, table.total.classes.clone()));
        found.classes.push((*kind, table));
    }
    Ok(found)
}

/// Returns the number of classes of tours with fixed ends. A symmetry that fixes an end reverses no path, so
/// all classes have equal size.
fn classes(kind: Kind, total: &BigUint, symmetries: usize) -> Result<BigUint, Broken> {
    let (classes, rest) = total.div_rem(&symmetries.into());
    if rest.is_zero() {
        Ok(classes)
    } else {
        let what = kind.name();
        Err(Broken::new(format!(
            "{total} {what} with fixed ends are not divisible by {symmetries} symmetries"
        )))
    }
}

/// Counts the symmetric tours again by the other engine and compares. Returns false if the second count was
/// skipped, and `None` if the control was cancelled.
///
/// # Errors
/// The two counts differ; no number may be reported.
pub fn check_symmetric_part(
    what: UpToSymmetry,
    request: &Request,
    answer: &Answer,
    (setting, found): (&Setting, &UpTo),
    control: &Control,
) -> Result<Option<bool>, Failure> {
    let second = setting.second();
    let again = symmetric_part(what, request, &second, control)
        .and_then(|mut parts| with_symmetry(what, request, answer, &mut parts));
    match again {
        Ok(again) if again == *found => {
            tell(format_args!(
                "double check: symmetric part equal, engine {} (first: {})",
                second.engines(),
                setting.engines()
            ));
            Ok(Some(true))
        }
        Err(CountError::Stopped(_)) => Ok(None),
        Err(error)
            if matches!(error, CountError::NoSecondWay | CountError::OnlyByLook)
                || error.is_out_of_reach() =>
        {
            tell(format_args!("double check: total only; symmetric part: {error}"));
            Ok(Some(false))
        }
        Ok(_) | Err(CountError::Broken(_)) => Err(Failure::failed(format!(
            "double check: engine {} counts other symmetric tours than {}; no number is printed, please \
            report this",
            second.engines(),
            setting.engines()
        ))),
        Err(error) => Err(Failure::failed(format!("double check of the symmetric part: {error}"))),
    }
}

/// Converts the error of counting symmetric tours into a failure. These counts use no spill folder.
pub fn failure(error: CountError) -> Failure {
    match error {
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => Failure::failed(format!(
            "symmetric tours: {error}; use a larger --memory, a smaller BOARD, or --engine multipath"
        )),
        error => error.into(),
    }
}

/// Returns the number of symmetries that fix the ends.
fn stabiliser(request: &Request) -> usize {
    let ends: Vec<u32> = request.start.into_iter().chain(request.end).collect();
    let keeps = |image: &[u32]| ends.iter().all(|&v| image[v as usize] == v);
    request.arena.symmetries().stabiliser(keeps).order()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::board::Arena;
    use ktour::count::count;

    fn request(board: &str, kind: Kind) -> Request {
        Request { kind: Some(kind), ..Request::new(board.parse::<Arena>().unwrap()) }
    }

    #[test]
    fn another_number_of_symmetric_tours_is_no_number() {
        let request = request("6x6", Kind::Closed);
        let control = Control::new();
        let answer = count(&request, &control).unwrap();
        let setting = setting(&request, None, false);
        for what in [UpToSymmetry::Distinct, UpToSymmetry::Classes] {
            let mut parts = symmetric_part(what, &request, &setting, &control).unwrap();
            let mut found = with_symmetry(what, &request, &answer, &mut parts).unwrap();
            assert_eq!(found.distinct(Kind::Closed), Some(&1245u32.into()));
            assert_eq!(found.classes(Kind::Closed).is_some(), what == UpToSymmetry::Classes);
            let again =
                |found: &UpTo| check_symmetric_part(what, &request, &answer, (&setting, found), &control);
            assert_eq!(again(&found).unwrap(), Some(true));
            found.distinct[0].1 += 1u32;
            let failure = again(&found).unwrap_err();
            assert!(failure.status() == 1 && failure.to_string().contains("double check"), "{failure}");
        }
    }

    #[test]
    fn a_fixed_start_leaves_the_symmetries_that_keep_it() {
        let request = Request { start: Some(0), ..request("5x5", Kind::Paths) };
        let answer = count(&request, &Control::new()).unwrap();
        let found = with_symmetry(UpToSymmetry::Distinct, &request, &answer, &mut []).unwrap();
        assert_eq!(found.distinct(Kind::Paths), Some(&152u32.into()), "304 paths, halved by the diagonal");
    }

    #[test]
    fn fixed_ends_whose_classes_are_not_of_one_size_give_no_number() {
        let request = Request { start: Some(0), ..request("5x5", Kind::Paths) };
        let mut answer = count(&request, &Control::new()).unwrap();
        *answer.counts.paths.as_mut().unwrap() += 1u32;
        let broken = with_symmetry(UpToSymmetry::Distinct, &request, &answer, &mut []).unwrap_err();
        assert!(matches!(&broken, CountError::Broken(_)), "{broken}");
        let message = broken.to_string();
        assert!(message.contains("305 paths") && message.contains("by 2"), "{message}");
    }
}
