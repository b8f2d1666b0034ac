//! `_ktour.IndexCore`, on which `ktour.Index` is built: all tours by number.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ktour::batch::IndexJob;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::frontier::IndexLayersError;
use ktour::index::{IndexError, IndexResources, Statistics};
use ktour::tour::{Kind, TourKind, TourSpec};
use ktour::{BigUint, index, memory};
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTraverseError, PyVisit};

use super::admission;
use super::allocator::TrimOnDrop;
use super::arguments::{Distinct, Folder, Force, Memory, Named, Natural, SampleSize, Seed, Threads, to_int};
use super::job_runner::{JobRunner, check_signals};
use crate::board::{BoardBase, job_name, summary, tour_board};
use crate::detached_tour::DetachedTour;
use crate::errors::{JobError, invalid_input, out_of_memory};
use crate::symmetry::check_symmetries_known;
use crate::tour::Tour;

/// The index of the tours of a board.
#[pyclass(frozen, module = "ktour._ktour")]
pub struct IndexCore {
    board: Py<BoardBase>,
    index: Arc<index::Index>,
    memory: Option<u64>,
    /// Present if the index is large. Dropped after the index.
    _trim: Option<TrimOnDrop>,
}

/// Estimated number of bytes of a tour in a Python list, without its squares; and number of bytes
/// for each of its squares.
const LISTED_TOUR_BYTES: u64 = 300;
const LISTED_SQUARE_BYTES: u64 = 5;

/// Size, in bytes, of an index whose memory is returned to the system when it is freed.
const MIN_TRIMMED_BYTES: u64 = 1 << 24;

/// The kind and the vertices of each tour in a list.
type KindsAndVertices = Vec<(TourKind, Vec<u32>)>;

/// Total number of tours, the number of tours that use each move, and the number of paths that end on each square.
type StatisticsRow = (BigUint, Vec<((u32, u32), BigUint)>, Vec<BigUint>);

impl IndexCore {
    fn to_tours<'py>(
        &self,
        py: Python<'py>,
        found: KindsAndVertices,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let tours = found.into_iter().enumerate().map(|(step, (kind, vertices))| {
            check_signals(py, step)?;
            let tour = Tour::from_vertices(self.board.clone_ref(py), vertices, kind);
            Bound::new(
                py,
                match seed {
                    Some(seed) => tour.with_seed(seed),
                    None => tour,
                },
            )
        });
        PyList::new(py, tours.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns an error if `tour` is of another board, or if the index numbers closed tours and `tour` is a path,
    /// even a path whose ends are a move apart. The library's index itself rejects a closed tour if it numbers paths.
    fn check_tour(&self, tour: &Bound<'_, Tour>) -> PyResult<()> {
        let (py, tour) = (tour.py(), tour.get());
        if !tour.board(py).get().is_equal(self.board.get(), py)? {
            let [found, expected] =
                [tour.board(py).get(), self.board.get()].map(|board| summary(&board.inner));
            let another = if found == expected { "another " } else { "" };
            return Err(invalid_input(format!(
                "the tour is of {another}{found}, not of {expected}; use Tour(index.board, tour) if its squares are the same"
            )));
        }
        if self.index.numbered_tours().kind() != Kind::Closed || tour.kind() == TourKind::Closed {
            return Ok(());
        }
        Err(invalid_input(format!(
            "the tour is {}, a path, not closed; use Tour(board, squares, closed=True) if its ends are a move apart, \
             or an index of kind=\"paths\"",
            tour.kind().name()
        )))
    }
}

#[pymethods]
impl IndexCore {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
    fn new(
        board: &Bound<'_, BoardBase>,
        kind: Named<Kind>,
        start: Option<u32>,
        end: Option<u32>,
        folder: Option<Folder>,
        memory: Option<Memory>,
        threads: Option<Threads>,
        progress: Option<Py<PyAny>>,
        force: Force,
    ) -> PyResult<Self> {
        let (py, inner, folder) = (board.py(), board.get(), folder.map(|folder| folder.0));
        let (kind, memory) = (kind.0, memory.map(|memory| memory.0));
        let numbered = TourSpec::new(inner.inner.clone(), kind, start, end).map_err(JobError::from)?;
        let parent = folder.as_deref().and_then(Path::parent).filter(|above| !above.as_os_str().is_empty());
        if let Some(above) = parent.filter(|above| !above.is_dir()) {
            let line =
                format!("folder: there is no folder {} to create it in; create that first", above.display());
            return Err(JobError::file(above, Some(io::ErrorKind::NotFound), line).into());
        }
        inner.find_symmetries(py)?;
        let index = JobRunner::new(threads, progress)?.run(py, |control| {
            let folder = folder.as_deref();
            let job =
                IndexJob { tours: &numbered, folder, memory, needs_statistics: false, is_forced: force.0 };
            job.open(control, &|_| ()).map_err(|error| match error {
                IndexError::Layers(IndexLayersError::Refused(refusal)) => {
                    admission::refuse_index(&job_name(&inner.inner, Some(kind)), &refusal)
                }
                error => error.into(),
            })
        })??;
        let trim = (index.layer_bytes() >= MIN_TRIMMED_BYTES).then_some(TrimOnDrop);
        Ok(Self { board: tour_board(board)?.unbind(), index: Arc::new(index), memory, _trim: trim })
    }

    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_int(py, self.index.total())
    }

    #[getter]
    fn order(&self) -> &str {
        self.index.numbering()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.index.layer_bytes()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.board)
    }

    /// Raises an error if a list of `tours` tours exceeds the memory that this process may use.
    fn check_list_memory(&self, tours: Natural) -> PyResult<()> {
        let tour_bytes =
            LISTED_TOUR_BYTES + LISTED_SQUARE_BYTES * self.index.numbered_tours().board().len() as u64;
        let number = u64::try_from(&tours.0).unwrap_or(u64::MAX);
        let (needed, available) =
            (number.saturating_mul(tour_bytes), memory::default_limit_bytes().unwrap_or(u64::MAX));
        if needed <= available {
            return Ok(());
        }
        Err(out_of_memory(format!(
            "a list of {} tours needs about {} of memory, {} may be used; request fewer tours at a time",
            tours.0,
            memory::format_bytes(needed),
            memory::format_bytes(available)
        )))
    }

    /// Returns the tours with these numbers.
    fn unrank<'py>(
        &self,
        py: Python<'py>,
        numbers: Vec<Natural>,
        threads: Option<Threads>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let numbers: Vec<BigUint> = numbers.into_iter().map(|number| number.0).collect();
        let index = Arc::clone(&self.index);
        let found = JobRunner::new(threads, progress)?.run_abandonable(py, move |control| {
            let mut found = KindsAndVertices::new();
            let each = index.for_each_tour(&numbers, control, &mut |kind, vertices| {
                found.push((kind, vertices.to_vec()));
                if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            each.map(|()| found)
        })?;
        self.to_tours(py, found.map_err(JobError::from)?, None)
    }

    /// Returns the numbers of the tours of an iterable.
    fn rank<'py>(
        &self,
        py: Python<'py>,
        tours: &Bound<'py, PyAny>,
        threads: Option<Threads>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut tours = DetachedTour::detach_all(tours, |tour| self.check_tour(tour))?;
        // The boards may differ in positions.
        tours.iter_mut().for_each(|tour| tour.board = self.board.get().inner.clone());
        let index = Arc::clone(&self.index);
        let found = JobRunner::new(threads, progress)?.run_abandonable(py, move |control| {
            let is_running = |_: &&DetachedTour| !control.is_cancelled();
            let all: Vec<_> = tours.iter().take_while(is_running).map(DetachedTour::to_tour).collect();
            index.numbers(&all, control).and_then(|found| found.into_iter().collect::<Result<Vec<_>, _>>())
        })?;
        let found = found.map_err(JobError::from)?;
        let numbers = found.iter().enumerate().map(|(step, number)| {
            check_signals(py, step)?;
            to_int(py, number)
        });
        PyList::new(py, numbers.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns true if a tour has a number.
    fn contains(&self, tour: &Bound<'_, Tour>) -> PyResult<bool> {
        if self.check_tour(tour).is_err() {
            return Ok(false);
        }
        let detached = DetachedTour { board: self.board.get().inner.clone(), ..tour.get().detach() };
        let runner = JobRunner::without_progress()?;
        Ok(runner.run(tour.py(), |_| self.index.number(&detached.to_tour()))?.is_ok())
    }

    /// Draws tours.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        number: SampleSize,
        seed: Seed,
        distinct: Distinct,
        threads: Option<Threads>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (SampleSize(number), Seed(seed), Distinct(distinct)) = (number, seed, distinct);
        let numbered = self.index.numbered_tours();
        if distinct {
            check_symmetries_known(numbered.board(), "distinct=")?;
            let job = JobSpec::new(Task::Sample).with_tours(numbered).with(Choice::Distinct, true);
            job.validate().map_err(JobError::from)?;
        }
        self.check_list_memory(Natural(number.into()))?;
        let index = Arc::clone(&self.index);
        let found = JobRunner::new(threads, progress)?.run_abandonable(py, move |control| {
            let mut found = KindsAndVertices::new();
            let drawn = index.sample_many(number, distinct, seed, control, &mut |kind, vertices| {
                found.push((kind, vertices.to_vec()));
                if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            drawn.map(|()| found)
        })?;
        self.to_tours(py, found.map_err(JobError::from)?, Some(seed))
    }

    /// Counts the uses of each move and the ends on each square.
    fn stats(
        &self,
        py: Python<'_>,
        threads: Option<Threads>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<StatisticsRow> {
        let numbered = self.index.numbered_tours();
        if numbered.kind() == Kind::Closed && numbered.is_directed() {
            return Err(invalid_input("every closed tour visits start=; omit start=, or use kind=\"paths\""));
        }
        let (index, memory) = (Arc::clone(&self.index), self.memory);
        let found: Result<Statistics, IndexError> = JobRunner::new(threads, progress)?
            .run_abandonable(py, move |control| {
                Statistics::from_index(&index, IndexResources { memory, store: None }, control)
            })?;
        let Statistics { total, moves, ends, .. } = found.map_err(JobError::from)?;
        Ok((total, moves.into_iter().collect(), ends))
    }
}
