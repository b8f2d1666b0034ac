//! Counts of tours up to symmetry, from the numbers of all tours and of symmetric tours.
//!
//! ```text
//! before the count   ClassCounter: the symmetric tours of each kind, some seconds
//! after it           total + symmetric tours -> symmetry classes
//! ```

use ktour::board::Board as LibraryBoard;
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, SymmetricContext};
use ktour::count::theorems::TheoremViolation;
use ktour::count::{Answer, CountError, Counts, Request};
use ktour::tour::Kind;
use num_integer::Integer;
use pyo3::PyResult;

use crate::errors::invalid_input;

/// Returns an error if the symmetries of the board could not be found. `what` is the argument or
/// function that needs them.
pub fn check_symmetries_known(library_board: &LibraryBoard, what: &str) -> PyResult<()> {
    if library_board.has_known_symmetries() {
        return Ok(());
    }
    Err(invalid_input(format!(
        "{} has too many symmetries, or they take too long to find; omit {what}",
        library_board.title()
    )))
}

/// Returns the requested kinds of tours: `kind`, or all kinds if it is `None`.
pub fn requested_kinds(kind: Option<Kind>) -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(move |&one| kind.is_none_or(|kind| kind == one))
}

/// Counts the symmetric tours of each requested kind. If `has_class_table`, counts those of every
/// symmetry class. Empty if an end is fixed: the number of tours up to symmetry then needs no
/// symmetric tours.
pub fn count_symmetric_tours<'a>(
    request: &Request,
    setting: &'a SymmetricContext,
    has_class_table: bool,
    control: &'a Control,
) -> Result<Vec<(Kind, ClassCounter<'a>)>, CountError> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(Vec::new());
    }
    let census = |kind| {
        let mut census = ClassCounter::new(setting, kind, control);
        census.prepare(has_class_table)?;
        Ok((kind, census))
    };
    requested_kinds(request.kind).map(census).collect()
}

/// Returns the number of tours up to symmetry of every counted kind, for tours without fixed ends.
/// `counts` has all tours, `parts` the symmetric ones.
pub fn classes_without_ends(
    counts: &Counts,
    parts: &mut [(Kind, ClassCounter<'_>)],
) -> Result<Counts, CountError> {
    let mut found = Counts::default();
    for (kind, census) in parts {
        if let Some(total) = counts.get(*kind) {
            *found.get_mut(*kind) = Some(census.count_distinct(total)?);
        }
    }
    Ok(found)
}

/// Returns the number of tours up to symmetry of every counted kind. `answer` has all tours,
/// `parts` the symmetric ones.
pub fn count_classes(
    request: &Request,
    answer: &Answer,
    parts: &mut [(Kind, ClassCounter<'_>)],
) -> Result<Counts, CountError> {
    if !answer.is_directed {
        return classes_without_ends(&answer.counts, parts);
    }
    let mut counts = Counts::default();
    // A symmetry that fixes an end reverses no path, so all classes are equally large.
    let symmetries = request.tours(Kind::Paths)?.symmetries().order();
    for kind in Kind::ALL {
        let Some(total) = answer.counts.get(kind) else { continue };
        let (classes, remainder) = total.div_rem(&symmetries.into());
        if remainder != 0u32.into() {
            let what = format!(
                "{total} {} must be divisible by {symmetries}, the number of symmetries",
                kind.plural()
            );
            return Err(TheoremViolation::new(what).into());
        }
        *counts.get_mut(kind) = Some(classes);
    }
    Ok(counts)
}
