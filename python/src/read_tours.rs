//! `ktour.read_tours`: reads a file of tours, as `ktour check` does.

use std::fs::File;
use std::io::{self, BufReader};

use ktour::board::Board as LibraryBoard;
use ktour::tour::{
    CoordinateOrder, Kind, ReadError, ReadOptions, ReadSetting, Tour as LibraryTour, TourReader,
};
use pyo3::prelude::*;

use super::arguments::{Mixed, Named, TourFile};
use super::job_runner::run_quiet;
use crate::board::{BoardBase, from_library};
use crate::errors::{JobError, failure, invalid_input};
use crate::tour::Tour;

/// Number of tours between two checks for Ctrl-C.
const TOURS_PER_CHECK: usize = 256;
/// Largest number of faults in an error.
const MAX_FAULTS: usize = 20;

/// A file that was read.
struct ReadFile {
    tours: Vec<LibraryTour>,
    faults: Vec<String>,
    fault_count: usize,
    notes: Vec<String>,
}

/// Reads the tours of a file. Returns them with the notes of the reader.
#[pyfunction]
pub fn read_tours(
    py: Python<'_>,
    path: TourFile,
    board: Option<Bound<'_, BoardBase>>,
    kind: Option<Named<Kind>>,
    coordinates: Option<Named<CoordinateOrder>>,
    mixed: Mixed,
) -> PyResult<(Vec<Tour>, Vec<String>)> {
    let (TourFile(path), Mixed(mixed)) = (path, mixed);
    let name = path.display().to_string();
    let cannot_read = |error: io::Error| {
        JobError::file(
            &path,
            Some(error.kind()),
            format!("cannot read {name}: {error}; use the path of a file with tours"),
        )
    };
    let metadata = std::fs::metadata(&path).map_err(cannot_read)?;
    if metadata.is_dir() {
        return Err(cannot_read(io::ErrorKind::IsADirectory.into()).into());
    }
    let options = ReadOptions {
        board: board.as_ref().map(|board| board.get().inner.clone()),
        kind: kind.map(|kind| kind.0),
        is_mixed: mixed,
        coordinate_order: coordinates.map(|order| order.0),
        ..ReadOptions::default()
    };
    // A small file is read on this thread, a large one on a worker that Ctrl-C stops. A pipe may wait for its writer.
    let squares = match metadata.is_file() {
        true => usize::try_from(metadata.len() / 3).unwrap_or(usize::MAX),
        false => usize::MAX,
    };
    let opened = path.clone();
    let found = run_quiet(py, squares, move |control| -> io::Result<Option<ReadFile>> {
        let file = File::open(opened)?;
        let mut reader = TourReader::new(BufReader::with_capacity(1 << 16, file), options);
        let (mut tours, mut faults, mut fault_count) = (Vec::new(), Vec::new(), 0);
        for found in reader.by_ref() {
            match found {
                Ok(located) => tours.push(located.tour),
                Err(error) => {
                    fault_count += 1;
                    if faults.len() < MAX_FAULTS {
                        faults.push(fault_text(&error));
                    }
                }
            }
            if (tours.len() + fault_count) % TOURS_PER_CHECK == 0 && control.is_cancelled() {
                return Ok(None);
            }
        }
        Ok(Some(ReadFile { tours, faults, fault_count, notes: reader.notes() }))
    })?;
    let found = found.map_err(cannot_read)?.ok_or_else(JobError::stopped)?;
    let notes = found.notes.iter().map(|note| format!("{name}, {note}")).collect();
    match found.faults.as_slice() {
        [] if found.tours.is_empty() => Err(failure(format!("{name}: there are no tours in the file"))),
        [] => Ok((to_python(py, board, found.tours)?, notes)),
        faults => {
            let total = found.tours.len() + found.fault_count;
            let all = faults.join("; ");
            let wrong = found.fault_count;
            let tours = if total == 1 { "tour" } else { "tours" };
            Err(invalid_input(format!("{name}, {all} (checked {total} {tours}, {wrong} wrong)")))
        }
    }
}

/// Converts tours; tours of one board share it.
fn to_python(
    py: Python<'_>,
    given: Option<Bound<'_, BoardBase>>,
    tours: Vec<LibraryTour>,
) -> PyResult<Vec<Tour>> {
    let mut last: Option<(LibraryBoard, Py<BoardBase>)> =
        given.map(|board| (board.get().inner.clone(), board.unbind()));
    let mut all = Vec::with_capacity(tours.len());
    for tour in tours {
        let board = match &last {
            Some((library_board, board)) if library_board == tour.board() => board.clone_ref(py),
            _ => from_library(py, tour.board().clone())?,
        };
        last = Some((tour.board().clone(), board.clone_ref(py)));
        let kind = tour.kind();
        all.push(Tour::from_vertices(board, tour.into_vertices(), kind));
    }
    Ok(all)
}

/// Returns the message of a fault, with the argument that might help.
fn fault_text(error: &ReadError) -> String {
    let remedy = error.kind.setting().map_or("", |setting| match setting {
        ReadSetting::CoordinateOrder => "; give coordinates='row,column' or coordinates='x,y'",
        ReadSetting::Board => ", or give board",
        ReadSetting::Box => "; give board",
        ReadSetting::RemovedSquares | ReadSetting::BoardWithHoles => {
            ", or give board with its removed squares"
        }
        ReadSetting::SeveralBoards => "; give mixed=True to allow several boards",
        ReadSetting::BoardOrSeveral => "; correct board, or give mixed=True for several boards",
    });
    format!("{error}{remedy}")
}
