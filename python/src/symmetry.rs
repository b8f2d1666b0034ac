//! Numbers up to symmetry, beside those of all tours.
//!
//! ```text
//! before the count   Census: the symmetric tours of each kind, some seconds
//! after it           total + symmetric ones -> classes
//! ```

use ktour::board::Arena;
use ktour::control::Control;
use ktour::count::symmetric::{Census, Setting};
use ktour::count::theorems::Broken;
use ktour::count::{Answer, CountError, Counts, Request};
use ktour::index::Numbered;
use ktour::tour::Kind;
use num_integer::Integer;
use pyo3::PyResult;

use crate::errors::usage;

/// Refuses what needs symmetries where they could not be found.
pub fn check_known(arena: &Arena, what: &str) -> PyResult<()> {
    if arena.knows_symmetries() {
        return Ok(());
    }
    Err(usage(format!(
        "{} has too many symmetries, or they take too long to find: drop {what}",
        arena.title()
    )))
}

/// The kinds that are asked for.
pub fn kinds(kind: Option<Kind>) -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(move |&one| kind.is_none_or(|kind| kind == one))
}

/// The symmetric tours of all kinds that are asked for. None with fixed ends, which say how many symmetries are left.
pub fn symmetric<'a>(
    request: &Request,
    setting: &'a Setting,
    with_classes: bool,
    control: &'a Control,
) -> Result<Vec<(Kind, Census<'a>)>, CountError> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(Vec::new());
    }
    let census = |kind| {
        let mut census = Census::new(setting, kind, control);
        census.prepare(with_classes)?;
        Ok((kind, census))
    };
    kinds(request.kind).map(census).collect()
}

/// Classes of tours of boards without fixed ends, of every kind that was counted.
pub fn classes(counts: &Counts, parts: &mut [(Kind, Census<'_>)]) -> Result<Counts, CountError> {
    let mut found = Counts::default();
    for (kind, census) in parts {
        if let Some(total) = counts.get(*kind) {
            *found.get_mut(*kind) = Some(census.distinct(total)?);
        }
    }
    Ok(found)
}

/// Classes of tours, of every kind that was counted.
pub fn distinct(
    request: &Request,
    answer: &Answer,
    parts: &mut [(Kind, Census<'_>)],
) -> Result<Counts, CountError> {
    if !answer.fixed {
        return classes(&answer.counts, parts);
    }
    let mut found = Counts::default();
    // A symmetry that keeps an end reverses no path, so that all classes are of the same size.
    let Request { arena, start, end, .. } = request;
    let numbered = Numbered { arena: arena.clone(), kind: Kind::Paths, start: *start, end: *end };
    let symmetries = numbered.symmetries().order();
    for kind in Kind::ALL {
        let Some(total) = answer.counts.get(kind) else { continue };
        let (classes, rest) = total.div_rem(&symmetries.into());
        if rest != 0u32.into() {
            let what = format!("{total} {} are not divisible by {symmetries} symmetries", kind.plural());
            return Err(Broken::new(what).into());
        }
        *found.get_mut(kind) = Some(classes);
    }
    Ok(found)
}
