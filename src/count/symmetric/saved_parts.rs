//! Saving a count of symmetric tours: its finished parts, and its unfinished sweep.
//!
//! A part is one sweep of a quotient, or one search. Its name consists of the kind of the tours, the element
//! of the group, the effect on the direction, and the walks that are counted:
//!
//! ```text
//! closed element 3 reverses closed sweep 1
//! ```

use std::fmt;

use num_bigint::BigInt;

use crate::control::Control;
use crate::count::{CountError, SweepProgress, SweepSession};
use crate::frontier::{self, Options, Outcome, SweepGraph, Tours};

/// Saves the parts of a count of symmetric tours.
pub trait PartSaver: Sync {
    /// Returns the number of a part that an earlier session has finished.
    fn finished_part(&self, part: &str) -> Option<BigInt>;

    /// Saves the number of a finished part.
    fn finish_part(&self, part: &str, number: &BigInt);

    /// Opens a session for the sweep of a part: it resumes the sweep if an earlier session has saved it.
    fn open_part_sweep<'s>(&'s self, part: &str, progress: SweepProgress<'s>) -> SweepSession<'s>;
}

/// A part of a count: its name, its control, and its saver if the count is saved.
#[derive(Clone)]
pub struct CountPart<'a> {
    pub(super) control: &'a Control,
    saver: Option<&'a dyn PartSaver>,
    name: String,
}

impl<'a> CountPart<'a> {
    /// Creates the part with this name.
    pub(super) fn new(name: String, control: &'a Control, saver: Option<&'a dyn PartSaver>) -> Self {
        Self { control, saver, name }
    }

    /// Returns a part of this part.
    pub(super) fn subpart(&self, name: impl fmt::Display) -> Self {
        Self { name: format!("{} {name}", self.name), ..self.clone() }
    }

    /// Returns the number that an earlier session has saved, or computes and saves it.
    pub(super) fn compute(
        &self,
        compute: impl FnOnce() -> Result<BigInt, CountError>,
    ) -> Result<BigInt, CountError> {
        if let Some(number) = self.saver.and_then(|saver| saver.finished_part(&self.name)) {
            return Ok(number);
        }
        let number = compute()?;
        if let Some(saver) = self.saver {
            saver.finish_part(&self.name, &number);
        }
        Ok(number)
    }

    /// Runs a sweep, which is saved and resumed if the count has a saver.
    pub(super) fn sweep(
        &self,
        graph: &SweepGraph,
        tours: Tours,
        options: &Options,
    ) -> Result<Outcome, frontier::Error> {
        let mut progress = SweepProgress::new(self.control, "quotient");
        match self.saver {
            None => frontier::count(graph, tours, options, &mut progress),
            Some(saver) => {
                let SweepSession { storage, mut observer, .. } = saver.open_part_sweep(&self.name, progress);
                frontier::count_with_storage(graph, tours, options, storage, observer.as_mut())
            }
        }
    }
}

impl fmt::Debug for CountPart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountPart").field("name", &self.name).finish_non_exhaustive()
    }
}
