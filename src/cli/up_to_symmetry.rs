//! `--distinct` and `--classes`: the symmetric part of a count, which makes numbers up to symmetry of its total.

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

/// What is wanted beside the numbers of all tours. Kept in checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpToSymmetry {
    /// Distinct tours.
    Distinct,
    /// Tours and distinct tours by class of symmetry.
    Classes,
}

impl UpToSymmetry {
    /// The option that asks for it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Distinct => "--distinct",
            Self::Classes => "--classes",
        }
    }
}

/// The setting of the symmetric part of a count.
pub fn setting(request: &Request, memory: Option<u64>, is_forced: bool) -> Setting {
    Setting::new(&request.arena, request.engine, memory).forced(is_forced)
}

/// The symmetric part of a count, of all kinds that are asked for: some seconds.
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

/// What the symmetric part of a count will take.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymmetricOutlook {
    /// Seconds of the whole machine.
    pub seconds: f64,
    /// Those among them in which every tour is looked at, and how many tours that are.
    pub look: f64,
    pub tours: f64,
}

/// What the symmetric part of a count will take: at once but for its sweeps, which are only asked for
/// `with_sweeps`.
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

/// The numbers up to symmetry, from those of all tours and the symmetric part.
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

/// Classes of tours with fixed ends. A symmetry that keeps an end reverses no path, so all are of the same size.
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

/// Counts the symmetric part again by the other engine, if that is not too long, and compares; whether it did.
/// `None` if the control was cancelled first.
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
            "double check: engine {} has other symmetric tours than {}; no number is reported",
            second.engines(),
            setting.engines()
        ))),
        Err(error) => Err(Failure::failed(format!("double check of the symmetric part: {error}"))),
    }
}

/// Why the symmetric part was not counted. It takes no folder for what does not fit into memory.
pub fn failure(error: CountError) -> Failure {
    match error {
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => Failure::failed(format!(
            "symmetric tours: {error}; a larger --memory, a smaller BOARD, or --engine multipath helps"
        )),
        error => error.into(),
    }
}

/// How many symmetries keep the fixed ends.
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
            assert!(again(&found).unwrap_err().to_string().contains("no number is reported"));
        }
    }

    #[test]
    fn a_fixed_start_leaves_the_symmetries_that_keep_it() {
        let request = Request { start: Some(0), ..request("5x5", Kind::Paths) };
        let answer = count(&request, &Control::new()).unwrap();
        let found = with_symmetry(UpToSymmetry::Distinct, &request, &answer, &mut []).unwrap();
        assert_eq!(found.distinct(Kind::Paths), Some(&152u32.into()), "304 in all, and the diagonal");
    }

    #[test]
    fn fixed_ends_whose_classes_are_not_of_one_size_give_no_number() {
        let request = Request { start: Some(0), ..request("5x5", Kind::Paths) };
        let mut answer = count(&request, &Control::new()).unwrap();
        *answer.counts.paths.as_mut().unwrap() += 1u32;
        let broken = with_symmetry(UpToSymmetry::Distinct, &request, &answer, &mut []).unwrap_err();
        assert!(matches!(&broken, CountError::Broken(_)), "{broken}");
        assert!(broken.to_string().contains("305 paths with fixed ends are not divisible by 2"), "{broken}");
    }
}
