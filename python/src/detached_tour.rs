//! [`DetachedTour`]: a tour without Python objects.

use ktour::board::Board as LibraryBoard;
use ktour::tour::{self, TourKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::arguments::{iterate, short_repr};
use super::job_runner::check_signals;
use super::numpy_memory::CompactVertices;
use crate::tour::Tour;

/// A tour without Python objects, for other threads.
pub struct DetachedTour {
    pub board: LibraryBoard,
    pub vertices: CompactVertices,
    pub kind: TourKind,
}

impl DetachedTour {
    /// Detaches the tours of an iterable, each of which must pass `check`.
    pub fn detach_all(
        tours: &Bound<'_, PyAny>,
        check: impl Fn(&Bound<'_, Tour>) -> PyResult<()>,
    ) -> PyResult<Vec<Self>> {
        let message = |value: &Bound<'_, PyAny>| {
            format!("tours takes a Tour, or an iterable of Tours, not {}", short_repr(value))
        };
        let wrong_type = |value: &Bound<'_, PyAny>| PyTypeError::new_err(message(value));
        if tours.is_instance_of::<PyString>() {
            return Err(wrong_type(tours));
        }
        let mut detached = Vec::new();
        for tour in iterate(tours, || message(tours))? {
            let tour = tour?;
            let tour = tour.cast::<Tour>().map_err(|_| wrong_type(&tour))?;
            check(tour)?;
            detached.push(tour.get().detach());
            check_signals(tours.py(), detached.len())?;
        }
        Ok(detached)
    }

    /// Converts the tour to a tour of the library, which checks it again.
    pub fn to_tour(&self) -> tour::Tour {
        let (library_board, vertices) = (&self.board, self.vertices.iter().collect());
        let made = match self.kind {
            TourKind::Closed => tour::Tour::new_closed(library_board, vertices),
            TourKind::Open | TourKind::ReEntrant => tour::Tour::new(library_board, vertices),
        };
        made.expect("the tour was checked when it was created")
    }
}
