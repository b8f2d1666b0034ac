//! `ktour.Index`, which gives access to all tours by number, and `ktour.Stats`, exact statistics of
//! all tours.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ktour::batch::SpillDir;
use ktour::budget::{Budget, DiskBudget};
use ktour::frontier::IndexLayersError;
use ktour::index::{IndexError, IndexLocation, IndexResources, Statistics};
use ktour::tour::{HeatMap, Kind, TextRendering, TourKind, TourSpec, write_heat_map};
use ktour::{BigUint, frontier, index, memory};
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyString, PyTuple};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arguments::{short_repr, to_integer, type_error};
use super::bigint::{to_biguint, to_int};
use super::job_runner::{JobRunner, check_signals};
use super::{admission, arguments};
use crate::board::Board;
use crate::errors;
use crate::errors::{failure, out_of_memory, usage_error};
use crate::symmetry::check_symmetries_known;
use crate::tour::{DetachedTour, Tour};

/// All tours of a board by number, from 0 to one less than their count.
///
/// Index(board, kind="paths", start=None, end=None, folder=None, memory=None) builds the index by a sweep
/// that stores its layers, in about twice the time of a count. The tours themselves are never enumerated.
///
/// - folder: path of a folder for the layers. A later call loads them from there. Default: in memory.
/// - start, end, memory, threads, progress, force: as for count.
///
/// index.total is the number of tours; index[k] is tour number k (an int of any size, or a slice);
/// index.rank(tour) is its number; index.sample(n) draws tours uniformly; index.stats() counts the uses of
/// each move. The numbering has no meaning. It is fixed as long as index.order is equal.
///
/// Open tours have no numbers, but can be sampled.
///
/// Raises UsageError, OutOfMemory, TooLong and Error.
#[pyclass(frozen, module = "ktour")]
pub struct Index {
    board: Py<Board>,
    index: Arc<index::Index>,
    memory: Option<u64>,
}

/// Estimated number of bytes of a tour in a Python list, without its squares; and number of bytes
/// for each of its squares.
const LISTED_TOUR_BYTES: u64 = 300;
const LISTED_SQUARE_BYTES: u64 = 5;

/// The kind and the vertices of each tour in a list.
type KindsAndVertices = Vec<(TourKind, Vec<u32>)>;

impl Index {
    fn to_tours<'py>(&self, py: Python<'py>, found: KindsAndVertices) -> PyResult<Bound<'py, PyList>> {
        let tours = found.into_iter().enumerate().map(|(step, (kind, vertices))| {
            check_signals(py, step)?;
            Bound::new(py, Tour::from_vertices(self.board.clone_ref(py), vertices, kind))
        });
        PyList::new(py, tours.collect::<PyResult<Vec<_>>>()?)
    }

    /// Parses the number of a tour. The inner result is an error if the value is not an integer:
    /// the caller replaces it by an error that names the argument.
    ///
    /// # Errors
    /// An `IndexError` if the number is below 0.
    fn parse_number(&self, value: &Bound<'_, PyAny>) -> PyResult<Result<BigUint, PyErr>> {
        match to_biguint(value, "a tour number") {
            Ok(Some(number)) => Ok(Ok(number)),
            Ok(None) => {
                let most = self.index.total();
                Err(PyIndexError::new_err(format!(
                    "there is no tour {}; there are {most} tours, numbered from 0",
                    short_repr(value)
                )))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    /// Returns an error if the index numbers closed tours and `tour` is a path, even a path whose
    /// ends are a move apart. The library's index itself rejects a closed tour if it numbers paths.
    fn check_kind(&self, tour: &Tour) -> PyResult<()> {
        if self.index.numbered_tours().kind() != Kind::Closed || tour.kind() == TourKind::Closed {
            return Ok(());
        }
        Err(failure(format!(
            "the tour is {}, a path, not closed; use Tour(board, squares, closed=True) if its ends are a move apart, \
             or an index of kind=\"paths\"",
            tour.kind().name()
        )))
    }

    /// Returns an error if a list of `tours` tours exceeds the memory that this process may use.
    fn check_list_memory(&self, tours: u64) -> PyResult<()> {
        let tour_bytes =
            LISTED_TOUR_BYTES + LISTED_SQUARE_BYTES * self.index.numbered_tours().board().len() as u64;
        let (needed, available) =
            (tours.saturating_mul(tour_bytes), memory::default_limit_bytes().unwrap_or(u64::MAX));
        if needed <= available {
            return Ok(());
        }
        Err(out_of_memory(format!(
            "a list of {tours} tours needs about {} of memory, {} may be used; request fewer tours at a time",
            memory::format_bytes(needed),
            memory::format_bytes(available)
        )))
    }
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (board, kind = "paths", *, start = None, end = None, folder = None, memory = None, threads = None, progress = None, force = false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        board: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::parse_kind_word)] kind: &'static str,
        start: Option<&Bound<'_, PyAny>>,
        end: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::parse_folder)] folder: Option<PathBuf>,
        memory: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::parse_force)] force: bool,
    ) -> PyResult<Self> {
        let py = board.py();
        let board = Board::from_any(board)?;
        let inner = board.get();
        let (kind, memory) = (arguments::kind_of_word(kind), arguments::parse_memory(memory)?);
        let (start, end) = (inner.parse_end(start, "start=")?, inner.parse_end(end, "end=")?);
        let numbered = TourSpec::new(inner.inner.clone(), kind, start, end)
            .map_err(|error| errors::from_tour_spec_error(&error))?;
        let parent = folder.as_deref().and_then(Path::parent).filter(|above| !above.as_os_str().is_empty());
        if let Some(above) = parent.filter(|above| !above.is_dir()) {
            return Err(usage_error(format!(
                "folder: there is no folder {} to create it in; create that first",
                above.display()
            )));
        }
        let name = format!("{} {}", inner.inner.title(), kind.name());
        inner.find_symmetries(py)?;
        let runner = JobRunner::new(threads, progress, &name)?;
        let index = runner.run(py, |control| {
            let location = folder.clone().map_or(IndexLocation::Memory, IndexLocation::Folder);
            // Without write permission in the folder, an index that is complete there can still be read.
            let spill = folder.as_deref().filter(|dir| !index::is_complete_index(dir));
            let spill = spill.and_then(|dir| SpillDir::create_temporary(dir).ok());
            let store = spill.as_ref().map(|folder| folder as &dyn frontier::Store);
            let disk = folder.as_ref().map_or(DiskBudget::Absent, |_| {
                DiskBudget::from_free(spill.as_ref().and_then(|spill| spill.free_bytes().ok()))
            });
            let budget = Budget { disk, ..Budget::new(memory.or_else(memory::default_limit_bytes)) };
            let free_disk = SpillDir::free_bytes_at(Path::new(".")).ok();
            index::Index::with_admission_check(
                &numbered,
                &location,
                IndexResources { memory, store },
                control,
                &|demand| match force {
                    true => Ok(()),
                    false => demand.admit(&budget, free_disk, false),
                },
            )
        })?;
        Ok(Self {
            board: board.clone().unbind(),
            index: Arc::new(index.map_err(|error| match error {
                IndexError::Layers(IndexLayersError::Refused(refusal)) => {
                    admission::refuse_index(&name, &refusal).into()
                }
                error => errors::from_index_error(error),
            })?),
            memory,
        })
    }

    /// Number of tours in the index, an int. For open tours: the number of paths.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_int(py, self.index.total())
    }

    /// Name of the order of the numbers. Indexes with another order number the tours differently.
    #[getter]
    fn order(&self) -> &str {
        self.index.numbering()
    }

    /// The board of the tours.
    #[getter]
    fn get_board(&self, py: Python<'_>) -> Py<Board> {
        self.board.clone_ref(py)
    }

    /// Size of the stored layers in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.index.layer_bytes()
    }

    /// Returns the tour with a number, or a list of tours for a list of numbers. Takes some milliseconds per
    /// tour; one call for many numbers is faster than many calls. threads, progress: as for count.
    ///
    /// Raises IndexError if no tour has the number, and OutOfMemory if the list is too long.
    #[pyo3(signature = (numbers, *, threads = None, progress = None))]
    fn unrank<'py>(
        &self,
        numbers: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = numbers.py();
        // Sequences are tested first, because an array of numpy may also pass as an integer.
        let iterator = if numbers.is_instance_of::<PyString>() { None } else { numbers.try_iter().ok() };
        let is_one = iterator.is_none();
        let wrong_type = |_| type_error("numbers", "the number of a tour, or several", numbers);
        let numbers_to_unrank = match iterator {
            None => vec![self.parse_number(numbers)?.map_err(wrong_type)?],
            Some(several) => {
                // Checks lists and ranges of any length before they are read.
                if let Ok(len) = numbers.call_method0("__len__") {
                    self.check_list_memory(len.extract().unwrap_or(u64::MAX))?;
                } else if numbers.hasattr("__len__")? {
                    self.check_list_memory(u64::MAX)?;
                }
                let mut requested_numbers = Vec::new();
                for number in several {
                    check_signals(py, requested_numbers.len())?;
                    requested_numbers.push(self.parse_number(&number?)?.map_err(wrong_type)?);
                }
                requested_numbers
            }
        };
        let (runner, index) = (JobRunner::new(threads, progress, "unrank")?, Arc::clone(&self.index));
        let found = runner.run_abandonable(py, move |control| {
            let mut found = KindsAndVertices::new();
            let each = index.for_each_tour(&numbers_to_unrank, control, &mut |kind, vertices| {
                found.push((kind, vertices.to_vec()));
                if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            each.map(|()| found)
        })?;
        let tours = self.to_tours(py, found.map_err(errors::from_index_error)?)?;
        if is_one { tours.get_item(0) } else { Ok(tours.into_any()) }
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let total = own.total(py)?;
        if position.is_instance_of::<PySlice>() {
            // The total may exceed a machine word, so Python itself computes the range.
            let range = py.import("builtins")?.getattr("range")?;
            let places = position.call_method1("indices", (total,))?.cast_into::<PyTuple>()?;
            return own.unrank(&range.call1(places)?, None, None);
        }
        let position = to_integer(position, "an index")
            .map_err(|_| type_error("an index", "the number of a tour, or a slice", position))?;
        // Counts from the end, if the number is not below -total.
        let from_end = if position.lt(0)? { position.add(&total)? } else { position.clone() };
        own.unrank(if from_end.lt(0)? { &position } else { &from_end }, None, None)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("ktour._index_iterators")?.getattr("ascending")?.call1((slf,))
    }

    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("ktour._index_iterators")?.getattr("descending")?.call1((slf,))
    }

    fn __len__(&self) -> PyResult<usize> {
        let len = isize::try_from(self.index.total()).ok();
        len.map(isize::unsigned_abs).ok_or_else(|| {
            PyOverflowError::new_err("the number of tours exceeds the limit of len(); use index.total")
        })
    }

    fn __contains__(&self, tour: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(tour) = tour.cast::<Tour>() else { return Ok(false) };
        if self.check_kind(tour.get()).is_err() {
            return Ok(false);
        }
        let (py, tour) = (tour.py(), tour.get().detach());
        let runner = JobRunner::without_progress()?;
        Ok(runner.run(py, |_| self.index.number(&tour.to_tour()))?.is_ok())
    }

    /// Returns the number of a tour, or a list of numbers for several tours. threads, progress: as for count.
    ///
    /// Raises Error for a tour without a number: a path in an index of closed tours, or a closed tour in an
    /// index of paths.
    #[pyo3(signature = (tours, *, threads = None, progress = None))]
    fn rank<'py>(
        &self,
        tours: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = tours.py();
        let one = tours.cast::<Tour>();
        let mut tours_to_rank = Vec::new();
        match &one {
            Ok(tour) => {
                self.check_kind(tour.get())?;
                tours_to_rank.push(tour.get().detach());
            }
            Err(_) => {
                let wrong_type = |value: &Bound<'_, PyAny>| type_error("rank", "a Tour, or several", value);
                for tour in tours.try_iter().map_err(|_| wrong_type(tours))? {
                    let tour = tour?;
                    let tour = tour.cast::<Tour>().map_err(|_| wrong_type(&tour))?.get();
                    self.check_kind(tour)?;
                    tours_to_rank.push(tour.detach());
                    check_signals(py, tours_to_rank.len())?;
                }
            }
        }
        let (runner, index) = (JobRunner::new(threads, progress, "rank")?, Arc::clone(&self.index));
        let found = runner.run_abandonable(py, move |control| {
            let is_running = |_: &&DetachedTour| !control.is_cancelled();
            let all: Vec<_> =
                tours_to_rank.iter().take_while(is_running).map(DetachedTour::to_tour).collect();
            index.numbers(&all, control).and_then(|found| found.into_iter().collect::<Result<Vec<_>, _>>())
        })?;
        let found = found.map_err(errors::from_index_error)?;
        let numbers = found.iter().enumerate().map(|(step, k)| {
            check_signals(py, step)?;
            to_int(py, k)
        });
        let found: Vec<_> = numbers.collect::<PyResult<_>>()?;
        match one {
            Ok(_) => Ok(found[0].clone()),
            Err(_) => Ok(PyList::new(py, found)?.into_any()),
        }
    }

    /// Draws `number` tours uniformly and independently. Returns a list of Tours.
    ///
    /// Equal seeds give equal tours, for any number of threads. Default: 0. With distinct=True, every class
    /// under the symmetries of the board is equally likely.
    ///
    /// Raises NoTour if the board has no tour.
    #[pyo3(signature = (number = 1, *, seed = 0, distinct = false, threads = None, progress = None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = arguments::parse_number_of_tours)] number: u64,
        #[pyo3(from_py_with = arguments::parse_seed)] seed: u64,
        #[pyo3(from_py_with = arguments::parse_distinct)] distinct: bool,
        #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let numbered = self.index.numbered_tours();
        if distinct {
            check_symmetries_known(numbered.board(), "distinct=")?;
            if numbered.kind() == Kind::Closed && numbered.start().is_some() {
                return Err(usage_error(
                    "distinct closed tours have no start; omit start=, or use kind=\"paths\"",
                ));
            }
        }
        self.check_list_memory(number)?;
        let (runner, index) = (JobRunner::new(threads, progress, "sample")?, Arc::clone(&self.index));
        let found = runner.run_abandonable(py, move |control| {
            let (mut rng, mut found) = (Xoshiro256PlusPlus::seed_from_u64(seed), KindsAndVertices::new());
            if number == 0 {
                return Ok(found);
            }
            let drawn = index.sample_many(number, distinct, &mut rng, control, &mut |kind, vertices| {
                found.push((kind, vertices.to_vec()));
                if control.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            drawn.map(|()| found)
        })?;
        self.to_tours(py, found.map_err(errors::from_index_error)?)
    }

    /// Counts the uses of each move and the ends on each square, over all tours, exactly. Returns Stats.
    #[pyo3(signature = (*, threads = None, progress = None))]
    fn stats(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Stats> {
        let numbered = self.index.numbered_tours();
        if numbered.kind() == Kind::Closed && numbered.is_directed() {
            return Err(usage_error("every closed tour visits start=; omit start=, or use kind=\"paths\""));
        }
        let runner = JobRunner::new(threads, progress, "stats")?;
        let (index, memory) = (Arc::clone(&self.index), self.memory);
        let found: Result<Statistics, IndexError> = runner.run_abandonable(py, move |control| {
            Statistics::from_index(&index, IndexResources { memory, store: None }, control)
        })?;
        Ok(Stats::new(self.board.clone_ref(py), found.map_err(errors::from_index_error)?))
    }

    fn __repr__(&self) -> String {
        format!("<index of {}>", self.index.title())
    }
}

/// Statistics of all tours of a board: how many use each move, and how many start or end on each square.
/// Notebooks show them as a heat map.
#[pyclass(frozen, module = "ktour")]
pub struct Stats {
    board: Py<Board>,
    statistics: Statistics,
}

impl Stats {
    /// Creates a `Stats` object for the tours of a board.
    pub const fn new(board: Py<Board>, statistics: Statistics) -> Self {
        Self { board, statistics }
    }
}

#[pymethods]
impl Stats {
    /// The board of the tours.
    #[getter]
    fn get_board(&self, py: Python<'_>) -> Py<Board> {
        self.board.clone_ref(py)
    }

    /// Kind of the tours: "closed", "open" or "paths".
    #[getter]
    fn kind(&self) -> &'static str {
        self.statistics.numbered_tours.kind().name()
    }

    /// Number of tours, an int.
    #[getter]
    fn total<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_int(py, &self.statistics.total)
    }

    /// Dict from each move to the number of tours that use it. A move is a pair of squares in either order.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let moves = py.import("ktour._results")?.getattr("Moves")?.call0()?;
        let board = self.board.get();
        for ((v, w), number) in &self.statistics.moves {
            moves.set_item((board.node(py, *v)?, board.node(py, *w)?), to_int(py, number)?)?;
        }
        Ok(moves)
    }

    /// Dict from each square to the number of tours that start or end there. Empty for closed tours.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (board, ends) = (self.board.get(), PyDict::new(py));
        for (v, number) in (0..).zip(&self.statistics.ends) {
            ends.set_item(board.node(py, v)?, to_int(py, number)?)?;
        }
        Ok(ends)
    }

    /// Draws a heat map as SVG text: the darker a move or square, the more tours use it.
    ///
    /// Raises Error for graphs without a layout.
    fn svg(&self) -> PyResult<String> {
        let Statistics { numbered_tours: numbered, moves, ends, .. } = &self.statistics;
        let moves: Vec<(u32, u32, f64)> =
            moves.iter().map(|((v, w), number)| (*v, *w, self.statistics.share(number))).collect();
        let ends: Vec<f64> = ends.iter().map(|number| self.statistics.share(number)).collect();
        let ends = (numbered.kind() != Kind::Closed).then_some(ends.as_slice());
        let mut text = String::new();
        let title = format!(
            "{} {}: {} tours",
            numbered.board().title(),
            numbered.kind().name(),
            self.statistics.total
        );
        let heat = HeatMap {
            board: numbered.board(),
            title: &title,
            move_shares: &moves,
            end_shares: ends,
            text_rendering: TextRendering::SvgText,
        };
        write_heat_map(&mut text, &heat).map_err(failure)?;
        Ok(text)
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    fn __repr__(&self) -> String {
        let Statistics { numbered_tours: numbered, total, .. } = &self.statistics;
        format!("<use of moves in all {total} {} of {}>", numbered.kind().plural(), numbered.board().title())
    }
}
