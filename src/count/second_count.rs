//! A second count for the same request, by a method as different from the first as the time allows.
//!
//! Two counts that agree prove little if they share their errors. So another engine makes the second count if
//! it needs at most a few times the work of the first. If two engines do, the cheaper engine counts. Otherwise the
//! engine stays and everything else differs: a search runs on the transposed board (on any other graph: with the
//! vertices numbered backwards) and splits at another depth; a sweep takes the squares line by line and merges no
//! mirror images. Wrapped boards and graphs have no lines; a sweep of such a board uses another order, found for
//! the vertices numbered backwards and without their symmetries.
//!
//! ```text
//! first       second: the cheapest engine that can be afforded; otherwise
//! frontier    multipath, backtrack                  a sweep line by line, or in another order
//! multipath   frontier, backtrack                   the transposed board
//! backtrack   frontier, multipath                   the transposed board
//! ```
//!
//! A second sweep in another order spills to the folder of the first, if the job has one. Without a folder it is
//! admitted only if it fits as estimated: it would stop after the whole first count.

use super::engine::Engine;
use super::job_estimate::estimate_in_memory;
use super::request::{Answer, Counts, Request, StartCount};
use super::run_observer::SweepProgress;
use super::{
    CountError, JobEstimate, ValidatedRequest, WorkPlan, count, count_with_memory, engine_cost, sweep_units,
};
use crate::board::{Board, Graph, Move, Square};
use crate::budget::DiskBudget;
use crate::control::Control;
use crate::frontier;
use crate::frontier::{Cancel, Options, PreparedSweep, Storage, Store, SweepGraph, SweepSides};
use crate::tour::{Kind, TourSpec};

/// Limit for the time of the second count: the factor for the first count's time, and the seconds
/// added to the product.
const TIME_FACTOR_AND_EXTRA_SECONDS: (f64, f64) = (4.0, 5.0);

/// Least roughly estimated core seconds of a search whose units are probed before it is chosen. A few walks from the
/// root seldom reach the large units: on 6x9 they find a tenth of the nodes of the closed tours.
const MIN_PROBED_SECONDS: f64 = 0.1;

/// Core seconds up to which the choice between two engines does not matter.
const EQUAL_SECONDS: f64 = 0.1;

/// A method of a second count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecondMethod {
    /// A count by another engine.
    Engine(Engine),
    /// A search of the transposed board with this split depth.
    TransposedBoard(u32),
    /// A search with the vertices numbered backwards and this split depth.
    ReversedVertices(u32),
    /// A sweep over the lines of squares along the longer side, line by line, without mirror
    /// symmetry.
    LineSweep,
    /// A sweep in another order of the squares, found with the vertices numbered backwards, without
    /// mirror symmetry.
    RenumberedSweep,
}

impl SecondMethod {
    /// Returns a description of how the second count differs from the first.
    #[must_use]
    pub fn description(&self) -> String {
        match self {
            Self::Engine(engine) => format!("engine {}", engine.name()),
            Self::TransposedBoard(depth) => format!("transposed board, split depth {depth}"),
            Self::ReversedVertices(depth) => format!("vertices numbered backwards, split depth {depth}"),
            Self::LineSweep => "sweep line by line, without mirror symmetry".to_owned(),
            Self::RenumberedSweep => "sweep in another order, without mirror symmetry".to_owned(),
        }
    }

    /// Counts the request of `work_plan` by this method. A sweep uses at most `memory` bytes; default: nine tenths
    /// of the available memory. A sweep in another order spills to `store`, if there is one.
    ///
    /// # Errors
    /// See [`CountError`].
    ///
    /// # Panics
    /// Panics for [`SecondMethod::LineSweep`] on a board without a layout; [`second_methods`] returns it for
    /// rectangles only.
    pub fn count_again(
        &self,
        work_plan: &WorkPlan,
        memory: Option<u64>,
        store: Option<&dyn Store>,
        control: &Control,
    ) -> Result<Answer, CountError> {
        let request = work_plan.validated_request().request();
        match self {
            Self::Engine(engine) => count_with_memory(
                &Request { engine: *engine, split_depth: None, ..request.clone() },
                memory,
                control,
            ),
            Self::TransposedBoard(depth) | Self::ReversedVertices(depth) => {
                let (turned, image) = renumber(request);
                let answer = count(&Request { split_depth: Some(*depth), ..turned }, control)?;
                Ok(restore_numbering(answer, &image))
            }
            Self::LineSweep => PlainSweeps::by_lines(request).count(memory, store, control),
            Self::RenumberedSweep => {
                let (turned, image) = renumber(request);
                let answer = PlainSweeps::in_any_order(turned).count(memory, store, control)?;
                Ok(restore_numbering(answer, &image))
            }
        }
    }

    /// Returns true if a count by this method can spill to a folder.
    const fn can_spill(&self) -> bool {
        matches!(self, Self::LineSweep | Self::RenumberedSweep)
    }

    /// Returns the estimate of a count by this method under the memory limit `limit`, in bytes. A sweep that is not
    /// small has a dry run.
    fn estimate(
        &self,
        work_plan: &WorkPlan,
        limit: Option<u64>,
        control: &Control,
    ) -> Result<JobEstimate, CountError> {
        let request = work_plan.validated_request().request();
        match self {
            Self::Engine(engine) => {
                let request = Request { engine: *engine, split_depth: None, ..request.clone() };
                let work_plan = WorkPlan::new_under(&request, control)?.with_memory(limit);
                work_plan.estimate(&work_plan.schedule(), control)
            }
            // The first count is such a search, too.
            Self::TransposedBoard(_) | Self::ReversedVertices(_) => {
                Ok(JobEstimate::from_sweeps(Vec::new(), limit))
            }
            Self::LineSweep => PlainSweeps::by_lines(request).estimate(limit, control),
            Self::RenumberedSweep => PlainSweeps::in_any_order(renumber(request).0).estimate(limit, control),
        }
    }
}

/// What a second count needs that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondShortage {
    /// The least memory limit in bytes, by the method that needs the least; `None` if no method is possible.
    pub needed: Option<u64>,
    /// Bytes on disk with which a method fits into the present memory limit, if the job gets a folder.
    pub folder_bytes: Option<u64>,
}

impl SecondShortage {
    /// Returns the smaller need, resource by resource.
    fn min(self, other: Self) -> Self {
        Self {
            needed: self.needed.into_iter().chain(other.needed).min(),
            folder_bytes: self.folder_bytes.into_iter().chain(other.folder_bytes).min(),
        }
    }
}

/// Returns what the second count needs if no method fits into `limit` bytes and `disk`, the disk space of the first
/// count. `None` if a method fits. `folder` is the disk space of a folder that the job could use. `seconds` is the time
/// of the first count on one core. Cost: the planning of a sweep, and a dry run if memory is short.
///
/// # Errors
/// The control was cancelled.
pub(crate) fn memory_shortage(
    work_plan: &WorkPlan,
    seconds: f64,
    limit: Option<u64>,
    (disk, folder): (DiskBudget, DiskBudget),
    control: &Control,
) -> Result<Option<SecondShortage>, CountError> {
    let Some(limit) = limit else { return Ok(None) };
    let mut least = SecondShortage { needed: None, folder_bytes: None };
    // The last method is the cheapest to plan.
    for method in second_methods(work_plan, seconds).iter().rev() {
        match method.estimate(work_plan, Some(limit), control) {
            Ok(estimate) => {
                let estimate = JobEstimate { seconds: None, ..estimate };
                let fits = |disk| match disk {
                    DiskBudget::Absent => estimate.least_memory(disk) <= limit,
                    _ => estimate.check(disk).is_ok(),
                };
                let [disk, folder] =
                    [disk, folder].map(|disk| if method.can_spill() { disk } else { DiskBudget::Absent });
                if fits(disk) {
                    return Ok(None);
                }
                let folder_bytes = fits(folder).then_some(estimate.disk_bytes);
                least = least.min(SecondShortage { needed: Some(estimate.least_memory(disk)), folder_bytes });
            }
            Err(error) if error.is_resource_limit() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(least))
}

/// Returns the methods for a second count, the best first. `seconds` is the time of the first count
/// on one core. The list is never empty.
#[must_use]
pub fn second_methods(work_plan: &WorkPlan, seconds: f64) -> Vec<SecondMethod> {
    let request = work_plan.validated_request().request();
    let allowed = seconds * TIME_FACTOR_AND_EXTRA_SECONDS.0 + TIME_FACTOR_AND_EXTRA_SECONDS.1;
    let control = Control::new();
    let is_affordable = |seconds: &f64| *seconds <= allowed;
    let rough_search = engine_cost::search_seconds(request, &control).ok().flatten();
    let is_probed = |rough: &f64| (MIN_PROBED_SECONDS..=allowed).contains(rough);
    let probed = |rough| Some(probed_search_seconds(request, &control)? / rough);
    // The two searches have the same tree.
    let correction = rough_search.filter(is_probed).and_then(probed).unwrap_or(1.0);
    let estimate = |engine: Engine| match engine {
        Engine::Frontier => engine_cost::sweep_seconds(request),
        Engine::Backtrack => {
            Some(engine_cost::backtrack_seconds(request, &control).ok().flatten()? * correction)
        }
        Engine::Multipath | Engine::Auto => Some(rough_search? * correction),
    };
    let mut engines: Vec<(f64, Engine)> = [Engine::Frontier, Engine::Multipath, Engine::Backtrack]
        .into_iter()
        .filter(|&engine| engine != request.engine)
        .filter_map(|engine| Some((estimate(engine).filter(is_affordable)?.max(EQUAL_SECONDS), engine)))
        .collect();
    engines.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut methods: Vec<SecondMethod> =
        engines.into_iter().map(|(_, engine)| SecondMethod::Engine(engine)).collect();
    let depth = match work_plan.split_depths().first() {
        Some(&depth) if depth > 0 => depth - 1,
        _ => 1,
    };
    methods.push(match request.board().leaper_board() {
        Some(_) if request.engine == Engine::Frontier => SecondMethod::LineSweep,
        None if request.engine == Engine::Frontier => SecondMethod::RenumberedSweep,
        Some(_) => SecondMethod::TransposedBoard(depth),
        None => SecondMethod::ReversedVertices(depth),
    });
    methods
}

/// Returns the estimated core seconds of a multipath search for the request, from walks in each of its units.
fn probed_search_seconds(request: &Request, control: &Control) -> Option<f64> {
    let request = Request { engine: Engine::Multipath, split_depth: None, ..request.clone() };
    let work_plan = WorkPlan::new_under(&request, control).ok()?;
    work_plan.probed_seconds(&work_plan.schedule(), control)
}

/// Returns a description of the first number in which two answers to one request differ, or `None`
/// if they agree. Compares the numbers by start square if both answers have them. `board` supplies
/// the names of the squares.
#[must_use]
pub fn first_difference(board: &Board, first: &Answer, second: &Answer) -> Option<String> {
    let differ = |one: &Counts, other: &Counts, from: &str| {
        Kind::ALL.into_iter().find(|&kind| one.get(kind) != other.get(kind)).map(|kind| {
            let number = |counts: &Counts| counts.get(kind).map_or("none".to_owned(), ToString::to_string);
            format!("{} {}{from}, then {}", number(one), kind.name(), number(other))
        })
    };
    let totals = differ(&first.counts, &second.counts, "");
    totals.or_else(|| {
        let pairs = first.per_start.iter().zip(&second.per_start);
        pairs.into_iter().find_map(|(one, other): (&StartCount, &StartCount)| {
            let name = board.name(one.vertex);
            if one.vertex != other.vertex {
                return Some(format!("numbers from {name}, then from {}", board.name(other.vertex)));
            }
            differ(&one.counts, &other.counts, &format!(" from {name}"))
        })
    })
}

/// Returns the request with its vertices renumbered, and the new number of each vertex. A rectangle
/// is transposed; the vertices of any other board are numbered backwards.
fn renumber(request: &Request) -> (Request, Vec<u32>) {
    let (board, image): (Board, Vec<u32>) = match request.board().leaper_board() {
        Some(rectangle) => {
            let other = rectangle.transposed();
            let image = |square: Square| {
                let to = Square::new(square.rank(), square.file());
                other.rectangle().index(to).expect("transposed squares are on the transposed board")
            };
            let image = rectangle.rectangle().squares().map(image).collect();
            (other.into(), image)
        }
        None => {
            let graph = request.board().unrestricted().graph();
            let len = graph.len();
            let edges = (0..len)
                .flat_map(|v| graph.neighbours(v).iter().map(move |&w| (len - 1 - v, len - 1 - w as usize)));
            let image = |&(v, w): &Move| (len as u32 - 1 - v, len as u32 - 1 - w);
            let restrictions = [request.board().required_moves(), request.board().forbidden_moves()];
            let [required, forbidden] = restrictions.map(|moves| moves.iter().map(image));
            let turned =
                Board::from_graph(Graph::from_edges(len, edges)).with_restrictions(required, forbidden);
            (turned.expect("renumbered moves are moves"), (0..len as u32).rev().collect())
        }
    };
    let to = |v: u32| image[v as usize];
    let spec = TourSpec::new(board, request.spec.kind(), request.start().map(to), request.end().map(to));
    let spec = spec.expect("renumbered ends are different vertices");
    (Request { spec, ..request.clone() }, image)
}

/// Returns an answer whose numbers by start square are assigned to the original vertices, in
/// ascending order. `image` holds the new number of each original vertex.
fn restore_numbering(mut answer: Answer, image: &[u32]) -> Answer {
    if !answer.per_start.is_empty() {
        let from = |(v, &to): (u32, &u32)| StartCount { vertex: v, ..answer.per_start[to as usize].clone() };
        answer.per_start = (0..).zip(image).map(from).collect();
    }
    answer
}

/// Returns the squares of a rectangle line by line, along the longer side.
fn line_order(board: &Board) -> Vec<usize> {
    let layout = board.layout().expect("only rectangles are swept line by line");
    let lines = if layout.cols() > layout.rows() { layout.by_cols() } else { layout.by_rows() };
    lines.into_iter().flatten().flatten().collect()
}

/// The sweeps of a request that merge no mirror images.
struct PlainSweeps {
    request: Request,
    graph_of: fn(&Board) -> SweepGraph,
    /// The order of the vertices; `None` for the best order found.
    order: Option<Vec<usize>>,
}

impl PlainSweeps {
    /// Returns the sweeps of a rectangle line by line.
    fn by_lines(request: &Request) -> Self {
        let order = Some(line_order(request.board()));
        Self { request: request.clone(), graph_of: SweepGraph::from_board, order }
    }

    /// Returns the sweeps in the best order that is found without the symmetries of the board.
    fn in_any_order(request: Request) -> Self {
        let graph_of = |board: &Board| {
            SweepGraph::from_graph(board.graph().clone()).with_required(board.required_moves())
        };
        Self { request, graph_of, order: None }
    }

    fn options(&self, memory: Option<u64>, control: &Control) -> Options {
        Options {
            memory,
            order: self.order.clone(),
            fold: false,
            sides: SweepSides::One,
            allocator: control.allocator_hook(),
            cancel: Cancel::from(control.cancel_flag()),
            ..Options::default()
        }
    }

    /// Counts the tours.
    fn count(
        &self,
        memory: Option<u64>,
        store: Option<&dyn Store>,
        control: &Control,
    ) -> Result<Answer, CountError> {
        let request = Request { engine: Engine::Frontier, ..self.request.clone() };
        let validated = ValidatedRequest::new(&request, control)?;
        let options = self.options(memory.or_else(crate::memory::default_limit_bytes), control);
        let mut sums = validated.zero_sums();
        for sweep in engine_cost::required_sweeps(&request) {
            let progress = &mut SweepProgress::without_log(control);
            let (graph, storage) = ((self.graph_of)(&sweep.board), Storage { store, ..Storage::default() });
            let outcome = frontier::count_with_storage(&graph, sweep.tours, &options, storage, progress)?;
            sums.add_unit(&sweep_units::unit_sums(&validated, &sweep, outcome));
        }
        validated.answer(&sums)
    }

    /// Returns the estimate of all sweeps, one after the other, under the memory limit `limit`, in bytes.
    fn estimate(&self, limit: Option<u64>, control: &Control) -> Result<JobEstimate, CountError> {
        let options = self.options(limit, control);
        let mut estimates = Vec::new();
        for sweep in engine_cost::required_sweeps(&self.request) {
            let prepared = PreparedSweep::new(&(self.graph_of)(&sweep.board), sweep.tours, &options)?;
            estimates.push(estimate_in_memory(&prepared, limit)?);
        }
        Ok(JobEstimate::from_sweeps(estimates, limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(board: &str, kind: Option<Kind>, engine: Engine) -> WorkPlan {
        let request = Request::new(board.parse::<Board>().unwrap());
        WorkPlan::new(&Request { engine, per_start: true, ..request.with_kind(kind).unwrap() }).unwrap()
    }

    #[test]
    fn second_methods_prefer_affordable_engine() {
        use Engine::{Backtrack, Frontier, Multipath};
        let first =
            |board: &str, kind, engine| second_methods(&work(board, Some(kind), engine), 1.0).remove(0);
        assert_eq!(first("6x6", Kind::Closed, Frontier), SecondMethod::Engine(Multipath));
        assert_eq!(first("6x6", Kind::Closed, Multipath), SecondMethod::Engine(Frontier));
        assert_eq!(first("6x6", Kind::Closed, Backtrack), SecondMethod::Engine(Frontier));
        // A few walks from the root of the search find a tenth of its nodes.
        assert_eq!(first("6x9", Kind::Closed, Frontier), SecondMethod::LineSweep);
        // The time allows neither a search of 8x8 nor a sweep of 12x10.
        assert_eq!(first("8x8", Kind::Closed, Frontier), SecondMethod::LineSweep);
        assert!(matches!(first("12x10", Kind::Closed, Multipath), SecondMethod::TransposedBoard(_)));
    }

    #[test]
    fn all_second_methods_agree() {
        for (board, kind) in [("5x6", None), ("4x5", Some(Kind::Open)), ("6x5", Some(Kind::Closed))] {
            let work_plan = work(board, kind, Engine::Multipath);
            let control = Control::new();
            let first = count(work_plan.validated_request().request(), &control).unwrap();
            let engines = [Engine::Frontier, Engine::Backtrack].map(SecondMethod::Engine);
            for method in
                engines.into_iter().chain([SecondMethod::TransposedBoard(2), SecondMethod::LineSweep])
            {
                let second = method.count_again(&work_plan, None, None, &control).unwrap();
                assert_eq!(
                    first_difference(work_plan.validated_request().request().board(), &first, &second),
                    None,
                    "{board} {}",
                    method.description()
                );
                assert_eq!(second.per_start.len(), first.per_start.len());
            }
        }
    }

    #[test]
    fn second_methods_agree_with_fixed_start() {
        let board: Board = "board=4x6 piece=1,2 remove=f4".parse().unwrap();
        let start = Some(board.vertex("a2").unwrap());
        let request =
            Request { engine: Engine::Multipath, ..Request::new(board).with_ends(start, None).unwrap() };
        let work_plan = WorkPlan::new(&request).unwrap();
        let first = count(&request, &Control::new()).unwrap();
        assert_ne!(first.counts.paths, Some(0u32.into()), "the board has paths");
        for method in [SecondMethod::TransposedBoard(1), SecondMethod::LineSweep] {
            let second = method.count_again(&work_plan, None, None, &Control::new()).unwrap();
            assert_eq!(
                first_difference(work_plan.validated_request().request().board(), &first, &second),
                None,
                "{}",
                method.description()
            );
        }
    }

    #[test]
    fn second_methods_agree_on_graph() {
        let edges = (0..6).flat_map(|v| [(v, (v + 1) % 6), (v, (v + 3) % 6)]).chain([(0, 2)]);
        let board = Board::from_graph(Graph::from_edges(6, edges));
        let request = Request { engine: Engine::Backtrack, per_start: true, ..Request::new(board.clone()) };
        let work_plan = WorkPlan::new(&request).unwrap();
        let first = count(&request, &Control::new()).unwrap();
        assert!(matches!(second_methods(&work_plan, 0.0).pop(), Some(SecondMethod::ReversedVertices(_))));
        for method in [
            SecondMethod::Engine(Engine::Multipath),
            SecondMethod::ReversedVertices(1),
            SecondMethod::RenumberedSweep,
        ] {
            let second = method.count_again(&work_plan, None, None, &Control::new()).unwrap();
            assert_eq!(first_difference(&board, &first, &second), None, "{}", method.description());
        }
    }

    #[test]
    fn renumbered_sweep_agrees_on_wrapped_boards_and_boxes() {
        for (text, start) in [
            ("board=3x5 wrap=klein piece=1,2 remove=-", None),
            ("board=4x4 wrap=mobius piece=1,2 remove=b2", Some("a3")),
            ("board=2x3x3 piece=1,2 remove=-", None),
        ] {
            let board: Board = text.parse().unwrap();
            let start = start.map(|name| board.vertex(name).unwrap());
            let request = Request {
                engine: Engine::Frontier,
                per_start: start.is_none(),
                ..Request::new(board.clone()).with_ends(start, None).unwrap()
            };
            let work_plan = WorkPlan::new(&request).unwrap();
            assert_eq!(second_methods(&work_plan, 0.0).pop(), Some(SecondMethod::RenumberedSweep));
            let first = count(&request, &Control::new()).unwrap();
            let second =
                SecondMethod::RenumberedSweep.count_again(&work_plan, None, None, &Control::new()).unwrap();
            assert_eq!(first_difference(&board, &first, &second), None, "{text}");
            assert_eq!(second.per_start.len(), first.per_start.len());
        }
    }

    #[test]
    fn second_sweep_without_a_folder_must_fit_as_estimated() {
        const MIB: u64 = 1 << 20;
        let (work_plan, control) = (work("6x8", Some(Kind::Paths), Engine::Frontier), Control::new());
        let shortage = |limit: u64, disk| {
            let disks = (disk, DiskBudget::Free(1 << 40));
            memory_shortage(&work_plan, 0.0, Some(limit), disks, &control).unwrap()
        };
        let needed = shortage(8 * MIB, DiskBudget::Absent).unwrap().needed.expect("a method is possible");
        assert_eq!(shortage(needed + MIB, DiskBudget::Absent), None);
        // A first count would be admitted: an estimate may be too high.
        let tight = needed - needed / 16;
        let refused = shortage(tight, DiskBudget::Absent).unwrap();
        assert!(refused.folder_bytes.is_some(), "{refused:?}");
        assert_eq!(shortage(tight, DiskBudget::Free(1 << 40)), None);
        let method = SecondMethod::LineSweep;
        assert!(method.count_again(&work_plan, Some(needed), None, &control).is_ok());
    }

    #[test]
    fn first_difference_names_number_and_start() {
        let board: Board = "5x6".parse().unwrap();
        let answer = count(&Request::new(board.clone()), &Control::new()).unwrap();
        let mut other = answer.clone();
        other.counts.open = Some(1u32.into());
        assert_eq!(first_difference(&board, &answer, &other).unwrap(), "18544 open, then 1");
        let mut other = answer.clone();
        other.per_start[3].counts.paths = None;
        assert!(first_difference(&board, &answer, &other).unwrap().ends_with(" paths from d1, then none"));
    }
}
