//! `ktour.Index`: all tours by number.

use std::ops::ControlFlow;
use std::path::PathBuf;

use ktour::batch::Folder;
use ktour::frontier;
use ktour::index::{self, IndexError, Numbered, Place, Room, Statistics};
use ktour::tour::{Kind, TourKind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::asked;
use crate::attend::How;
use crate::board::Board;
use crate::errors::{self, usage};
use crate::numbers::{int, number};
use crate::statistics::Stats;
use crate::symmetry::check_known;
use crate::tour::Tour;

/// All tours of a board by number, from 0 to one less than their count, though nobody has visited them.
///
/// Index(board, kind="paths", start=None, end=None, folder=None, memory=None): made by a sweep that keeps its layers,
/// in memory or in a folder, where it is made once. Takes about twice as long as to count the tours.
///
/// index.total: how many; index[k]: the tour of a number, k of any size (or a slice of few); index.rank(tour): its
/// number; index.sample(n): tours drawn uniformly; index.stats(): how many use each move. The order of numbers has no
/// meaning beyond being always the same for the same index.order.
///
/// Raises UsageError, OutOfMemory, Error. Open tours have no numbers, but can be sampled.
#[pyclass(frozen, module = "ktour")]
pub struct Index {
    board: Py<Board>,
    index: index::Index,
    memory: Option<u64>,
}

/// Tours as they are found.
type Found = Vec<(TourKind, Vec<u32>)>;

impl Index {
    fn hand_out<'py>(&self, py: Python<'py>, found: Found) -> PyResult<Bound<'py, PyList>> {
        let tours = found
            .into_iter()
            .map(|(kind, vertices)| Bound::new(py, Tour::found(self.board.clone_ref(py), vertices, kind)));
        PyList::new(py, tours.collect::<PyResult<Vec<_>>>()?)
    }
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (board, kind = "paths", *, start = None, end = None, folder = None, memory = None, threads = None, progress = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        board: &Bound<'_, PyAny>,
        kind: &str,
        start: Option<&Bound<'_, PyAny>>,
        end: Option<&Bound<'_, PyAny>>,
        folder: Option<PathBuf>,
        memory: Option<&Bound<'_, PyAny>>,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = board.py();
        let board = Board::from_any(board)?;
        let own = board.get();
        let (kind, memory) = (asked::kind(kind)?, asked::memory(memory)?);
        let (start, end) = (own.end(start, "start=")?, own.end(end, "end=")?);
        let numbered = Numbered { arena: own.arena.clone(), kind, start, end };
        let how = How::new(threads, progress, &format!("{} {}", own.arena.title(), kind.name()))?;
        let index = how.attend(py, |control| {
            let place = folder.clone().map_or(Place::Memory, Place::Folder);
            // Who may not write there may read what is there.
            let spill = folder.as_deref().filter(|dir| !index::is_whole(dir));
            let spill = spill.and_then(|dir| Folder::spill(dir).ok());
            let store = spill.as_ref().map(|folder| folder as &dyn frontier::Store);
            index::Index::within(&numbered, &place, Room { memory, store }, control)
        })?;
        Ok(Self { board: board.clone().unbind(), index: index.map_err(errors::index)?, memory })
    }

    /// How many tours have numbers; of open tours, all paths.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        int(py, self.index.total())
    }

    /// The name of the order of numbers: under another name they are numbers of other tours.
    #[getter]
    fn order(&self) -> &str {
        self.index.order()
    }

    /// The board.
    #[getter]
    fn get_board(&self, py: Python<'_>) -> Py<Board> {
        self.board.clone_ref(py)
    }

    /// Bytes of its layers.
    #[getter]
    fn bytes(&self) -> u64 {
        self.index.bytes()
    }

    /// The tour of a number, or a list of them for a list of numbers. Some milliseconds each; many at once go faster.
    ///
    /// Raises IndexError for a number that no tour has.
    fn unrank<'py>(&self, numbers: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = numbers.py();
        let is_one = numbers.hasattr("__index__")?;
        let wanted = match is_one {
            true => vec![number(numbers)?],
            false => numbers.try_iter()?.map(|k| number(&k?)).collect::<PyResult<_>>()?,
        };
        let how = How::quiet()?;
        let found = how.attend(py, |control| {
            let mut found = Found::new();
            let each = self.index.each(&wanted, control, &mut |kind, vertices| {
                found.push((kind, vertices.to_vec()));
                ControlFlow::Continue(())
            });
            each.map(|()| found)
        })?;
        let tours = self.hand_out(py, found.map_err(errors::index)?)?;
        if is_one { tours.get_item(0) } else { Ok(tours.into_any()) }
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let total = own.total(py)?;
        if place.hasattr("indices")? {
            // Of any size, which the method of slices is as well.
            let range = py.import("builtins")?.getattr("range")?;
            let places = place.call_method1("indices", (total,))?.cast_into::<PyTuple>()?;
            return own.unrank(&range.call1(places)?);
        }
        let place = if place.lt(0)? { place.add(total)? } else { place.clone() };
        if place.lt(0)? {
            return Err(pyo3::exceptions::PyIndexError::new_err("there is no tour of that number"));
        }
        own.unrank(&place)
    }

    /// The number of a tour, or a list of them for tours.
    ///
    /// Raises Error for a tour that is none of those that are numbered.
    fn rank<'py>(&self, tours: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = tours.py();
        let one = tours.cast::<Tour>();
        let wanted: Vec<Py<Tour>> = match &one {
            Ok(tour) => vec![(*tour).clone().unbind()],
            Err(_) => tours.extract()?,
        };
        let how = How::quiet()?;
        let found = how.attend(py, |control| {
            let all: Vec<_> = wanted.iter().map(|tour| tour.get().checked()).collect();
            self.index
                .numbers(&all, control)
                .and_then(|found| found.into_iter().collect::<Result<Vec<_>, _>>())
        })?;
        let found: Vec<_> =
            found.map_err(errors::index)?.iter().map(|k| int(py, k)).collect::<PyResult<_>>()?;
        match one {
            Ok(_) => Ok(found[0].clone()),
            Err(_) => Ok(PyList::new(py, found)?.into_any()),
        }
    }

    /// A list of tours drawn uniformly from all, each independent of the others.
    ///
    /// The same seed gives the same tours, whatever the threads. distinct=True: every class under the board's symmetries
    /// is as likely as any other. Raises NoTour if there is none.
    #[pyo3(signature = (number = 1, *, seed = 0, distinct = false, threads = None, progress = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        number: u64,
        seed: u64,
        distinct: bool,
        threads: Option<usize>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let numbered = self.index.numbered();
        if distinct {
            check_known(&numbered.arena, "distinct=")?;
            if numbered.kind == Kind::Closed && numbered.start.is_some() {
                return Err(usage(
                    "distinct closed tours have no start: drop start=, or ask for kind=\"paths\"",
                ));
            }
        }
        let how = How::new(threads, progress, "sample")?;
        let found = how.attend(py, |control| {
            let (mut rng, mut found) = (Xoshiro256PlusPlus::seed_from_u64(seed), Found::new());
            if number == 0 {
                return Ok(found);
            }
            let drawn = self.index.samples(number, distinct, &mut rng, control, &mut |kind, vertices| {
                found.push((kind, vertices.to_vec()));
                ControlFlow::Continue(())
            });
            drawn.map(|()| found)
        })?;
        self.hand_out(py, found.map_err(errors::index)?)
    }

    /// How many of all tours use each move and end on each square, exactly.
    #[pyo3(signature = (*, threads = None, progress = None))]
    fn stats(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Stats> {
        let numbered = self.index.numbered();
        if numbered.kind == Kind::Closed && numbered.is_directed() {
            return Err(usage("every closed tour passes start=: drop it, or ask for kind=\"paths\""));
        }
        let how = How::new(threads, progress, "stats")?;
        let found: Result<Statistics, IndexError> = how.attend(py, |control| {
            Statistics::of_index(&self.index, Room { memory: self.memory, store: None }, control)
        })?;
        Ok(Stats::of(self.board.clone_ref(py), found.map_err(errors::index)?))
    }

    fn __repr__(&self) -> String {
        format!("<index of {}>", self.index.title())
    }
}
