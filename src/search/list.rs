//! Listings of tours: options, units and filter, and the functions that list every tour once. The
//! order of the tours depends only on the problem and the options.
//!
//! Without an order of moves, the multipath kernel lists the tours of one unit after another. Each
//! tour that it visits is followed by the images of this tour under the symmetries that the unit
//! stands for. With an order of moves, the path-extension kernel lists the tours in the order of
//! plain backtracking.
//!
//! A listing of *distinct* tours contains one tour of each symmetry class. A unit that no symmetry
//! preserves contains at most one tour of each class, so all its tours are listed. In the few units
//! that a group H of symmetries preserves, a tour is listed if no image of the tour under H has a
//! lower form. So no tour has to be stored. In backtracking order a tour is listed if it is the
//! canonical form of its class.
//!
//! All three interfaces give the same list: [`list`] writes text, [`for_each`] calls a function,
//! [`tours`](super::tours()) returns an iterator.
//!
//! ```text
//! Problem, ListOptions -> Listing (units) -> unit_runner -> text, function, iterator
//! ```
//!
//! Memory: some MB for the output of units that are searched before their turn.
//!
//! `ListingFilter` decides which tours are listed, and in which direction and from which start each
//! tour is written.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::backtrack::StepOrder;
use super::backtrack_plan::BacktrackPlan;
use super::bitboard_graph::with_bitboard;
use super::multipath_plan::{MultipathPlan, MultipathUnit};
use super::problem::{Problem, ProblemError};
use super::tour_batch::{
    BatchEncoder, TextBatch, TourBatch, TourBatchEncoder, TourSink, TourSource, UnitEffort,
};
use super::unit_runner;
use super::unit_runner::{OrderedRun, Stopped};
use super::visitor::{SequenceVisitor, StopFlags};
use crate::board::Bitboard;
use crate::control::Control;
use crate::tour::{Kind, SymmetryForm, TourKind, TourShape, TourWriter};

pub use super::unit_runner::ListingEnd;

/// Options that determine which tours a listing contains, and in which order.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// True if every tour is listed in both directions.
    pub directed: bool,
    /// True if only one tour of each symmetry class is listed.
    pub distinct: bool,
    /// Order of moves. If it is set, tours are listed in the order of plain backtracking; otherwise
    /// in the order of the multipath kernel.
    pub step_order: Option<StepOrder>,
    /// Depth at which the search is split into units, see `MultipathPlan::new` and
    /// `BacktrackPlan::new`.
    pub split_depth: Option<u32>,
    /// The shard (R, M): only the tours of units whose numbers are congruent to R modulo M are
    /// listed, in ascending order of the units. The M shards together contain every tour exactly
    /// once.
    pub shard: Option<(u32, u32)>,
}

/// The reason why a listing failed or ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The control was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The problem cannot be listed with these options, see [`Listing::new`].
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Lists all tours of a problem. Passes the tours to `sink` as text in the format of `writer`,
/// batch by batch and in order. Uses as many threads as the current rayon pool has. Returns whether
/// the list is complete or `sink` ended it.
///
/// # Errors
/// See [`ListError`].
pub fn list(
    problem: Problem,
    options: ListOptions,
    writer: &TourWriter,
    control: &Control,
    sink: &mut dyn FnMut(&TextBatch) -> ControlFlow<()>,
) -> Result<ListingEnd, ListError> {
    list_batches(problem, options, writer, control, &mut |chunk| sink(chunk))
}

/// Calls `each` with one tour of a problem after another, in the order of [`list`], until `each`
/// returns `Break`. `each` runs on the caller's thread and receives the kind of the tour and its
/// vertices in order of visit. The search uses as many threads as the current rayon pool has.
/// Returns whether the list is complete or `each` ended it.
///
/// ```
/// use std::ops::ControlFlow;
/// use ktour::board::{Board, Graph};
/// use ktour::control::Control;
/// use ktour::search::list::{ListOptions, for_each};
/// use ktour::search::problem::Problem;
/// use ktour::tour::{Kind, TourSpec};
///
/// // Petersen's graph has no closed tour, but 120 paths, each in one direction.
/// let edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
/// let petersen = Board::from_graph(Graph::from_edges(10, edges));
/// let problem = Problem::new(&TourSpec::all(petersen.clone(), Kind::Paths))?;
/// let mut paths = 0;
/// for_each(problem, ListOptions::default(), &Control::new(), &mut |_, path| {
///     assert!(path.windows(2).all(|pair| petersen.is_move(pair[0], pair[1])));
///     paths += 1;
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(paths, 120);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`ListError`].
pub fn for_each(
    problem: Problem,
    options: ListOptions,
    control: &Control,
    each: &mut dyn FnMut(TourKind, &[u32]) -> ControlFlow<()>,
) -> Result<ListingEnd, ListError> {
    let mut sequence = Vec::new();
    let mut visit = |packed: &mut TourBatch| {
        for (kind, vertices) in (0..packed.len()).filter_map(|i| packed.get(i)) {
            sequence.clear();
            sequence.extend(vertices);
            each(kind, &sequence)?;
        }
        ControlFlow::Continue(())
    };
    list_batches(problem, options, &TourBatchEncoder, control, &mut visit)
}

fn list_batches<C: BatchEncoder>(
    problem: Problem,
    options: ListOptions,
    collector: &C,
    control: &Control,
    sink: &mut dyn FnMut(&mut C::Batch) -> ControlFlow<()>,
) -> Result<ListingEnd, ListError> {
    let over = AtomicBool::new(false);
    let run = OrderedRun { control, done_flag: &over, threads: rayon::current_num_threads() };
    Ok(unit_runner::run_ordered(&Listing::new(problem, options)?, collector, run, sink)?)
}

/// A listing of tours, split into units.
#[derive(Debug)]
pub struct Listing {
    filter: ListingFilter,
    distinct: bool,
    method: ListingMethod,
    /// Index of the first unit of the shard, and difference between the indices of consecutive
    /// units of the shard.
    shard: (usize, usize),
}

/// The method by which a listing finds its tours.
#[derive(Debug)]
enum ListingMethod {
    /// A graph without vertices, which has no tour.
    Empty,
    /// A graph with a single vertex, which has one path without moves and no closed tour. Holds the
    /// requested kind of tours.
    Single(Kind),
    /// A search by the multipath kernel.
    Multipath(Box<MultipathPlan>),
    /// A search by the path-extension kernel, in the order of plain backtracking. The problem's
    /// symmetries serve only to compute canonical forms.
    Backtrack(Box<BacktrackPlan>, StepOrder),
}

impl Listing {
    /// Splits the listing of a problem into units.
    ///
    /// # Errors
    /// The split depth makes too many units, or distinct tours are requested and not all symmetries
    /// of the problem are known.
    pub fn new(problem: Problem, options: ListOptions) -> Result<Self, ProblemError> {
        let ListOptions { directed, distinct, step_order: steps, split_depth, shard: part } = options;
        if distinct && !problem.has_all_symmetries() {
            return Err(ProblemError::UnknownSymmetries);
        }
        let forms = ListingFilter::new(&problem, directed, distinct);
        let method = match steps {
            _ if problem.graph().is_empty() => ListingMethod::Empty,
            _ if problem.graph().len() == 1 => ListingMethod::Single(problem.kind()),
            None => ListingMethod::Multipath(Box::new(MultipathPlan::new(problem, split_depth)?)),
            Some(steps) => {
                let width = problem.bitboard_width();
                let plan = with_bitboard!(
                    width,
                    B => BacktrackPlan::new_in_plain_order::<B>(problem, &steps, directed, split_depth)
                )?;
                ListingMethod::Backtrack(Box::new(plan), steps)
            }
        };
        let part = part.map_or((0, 1), |(first, parts)| (first as usize, parts.max(1) as usize));
        Ok(Self { filter: forms, distinct, method, shard: part })
    }

    /// Returns the number of units of all shards together.
    fn total_units(&self) -> usize {
        match &self.method {
            ListingMethod::Empty => 0,
            ListingMethod::Single(_) => 1,
            ListingMethod::Multipath(plan) => plan.units().len(),
            ListingMethod::Backtrack(plan, _) => plan.units().len(),
        }
    }
}

impl TourSource for Listing {
    fn unit_count(&self) -> usize {
        let (first, parts) = self.shard;
        self.total_units().saturating_sub(first).div_ceil(parts)
    }

    fn search_unit(&self, unit: usize, stop: StopFlags<'_>, take: &mut TourSink<'_>) -> UnitEffort {
        let (first, parts) = self.shard;
        let unit = first + unit * parts;
        let width = match &self.method {
            ListingMethod::Empty | ListingMethod::Single(Kind::Closed) => return UnitEffort::default(),
            ListingMethod::Single(_) => {
                // The result makes no difference after the only tour.
                let _ = take(TourKind::Open, &[0]);
                return UnitEffort { nodes: 1, tours: 1 };
            }
            ListingMethod::Multipath(plan) => plan.problem().bitboard_width(),
            ListingMethod::Backtrack(plan, _) => plan.problem().bitboard_width(),
        };
        with_bitboard!(width, B => UnitSearch { listing: self, unit, stop, sink: take }.run::<B>())
    }
}

/// The search of one unit of a listing, which passes the tours of the unit to a sink.
struct UnitSearch<'a, 't> {
    listing: &'a Listing,
    unit: usize,
    stop: StopFlags<'a>,
    sink: &'a mut TourSink<'t>,
}

impl UnitSearch<'_, '_> {
    fn run<B: Bitboard>(self) -> UnitEffort {
        match &self.listing.method {
            ListingMethod::Empty | ListingMethod::Single(_) => UnitEffort::default(),
            ListingMethod::Multipath(plan) => self.run_multipath::<B>(plan),
            ListingMethod::Backtrack(plan, steps) => self.run_backtrack::<B>(plan, steps),
        }
    }

    fn run_multipath<B: Bitboard>(self, plan: &MultipathPlan) -> UnitEffort {
        let Self { listing: Listing { filter: forms, distinct, .. }, unit, stop, sink: take } = self;
        let unit = &plan.units()[unit];
        let group = plan.problem().search_group();
        let images = plan.coset_representatives(unit);
        let mut image = Vec::with_capacity(plan.problem().graph().len());
        let mut tours = 0;
        let mut lister = SequenceVisitor::new(stop, |sequence: &mut Vec<u32>| {
            if *distinct {
                let Some(form) = forms.class_representative(sequence, unit) else {
                    return ControlFlow::Continue(());
                };
                tours += 1;
                return forms.emit(&form, take);
            }
            for &g in &*images {
                forms.form(sequence).image(&group.elements()[g as usize]).write_to(&mut image);
                tours += 1;
                forms.emit_directions(&mut image, take)?;
            }
            ControlFlow::Continue(())
        });
        let nodes = plan.unit_root::<B>(unit).visit(&mut lister);
        UnitEffort { nodes, tours }
    }

    fn run_backtrack<B: Bitboard>(self, plan: &BacktrackPlan, steps: &StepOrder) -> UnitEffort {
        let Self { listing: Listing { filter: forms, .. }, unit, stop, sink: take } = self;
        let mut tours = 0;
        let mut lister = SequenceVisitor::new(stop, |sequence: &mut Vec<u32>| {
            if !forms.is_listed_in_plain_order(sequence) {
                return ControlFlow::Continue(());
            }
            tours += 1;
            forms.emit(sequence, take)
        });
        let nodes = plan.unit_kernel::<B>(&plan.units()[unit]).visit(steps, &mut lister);
        UnitEffort { nodes, tours }
    }
}

/// The rules that decide which tours a listing contains, and in which form each tour is written.
#[derive(Clone, Debug)]
pub(super) struct ListingFilter {
    shape: TourShape,
    kind: Kind,
    /// The vertex with which all listed closed tours begin, if it is fixed.
    closed_start: Option<u32>,
    /// The problem of the listing. Its graph decides which paths are re-entrant.
    problem: Problem,
    both_directions: bool,
    distinct: bool,
}

impl ListingFilter {
    pub(super) fn new(problem: &Problem, directed: bool, distinct: bool) -> Self {
        let shape = match problem.kind().shape() {
            TourShape::Path if problem.has_fixed_end() => TourShape::Directed,
            shape => shape,
        };
        // A path with a fixed start or end has one direction; a closed tour from a fixed start has two.
        let both_directions = match shape {
            TourShape::Closed => directed || problem.has_fixed_end(),
            TourShape::Path => directed,
            TourShape::Directed => false,
        };
        Self {
            shape,
            kind: problem.kind(),
            closed_start: problem.start().filter(|_| shape == TourShape::Closed),
            problem: problem.clone(),
            both_directions,
            distinct,
        }
    }

    /// Passes a tour and its kind to the sink `take`, with the vertices in the given order.
    pub(super) fn emit(&self, sequence: &[u32], take: &mut TourSink<'_>) -> ControlFlow<()> {
        let ends = (sequence[0], sequence[sequence.len() - 1]);
        let joined = self.kind != Kind::Closed && self.problem.is_re_entrant(ends.0, ends.1);
        take(self.kind.tour_kind(joined), sequence)
    }

    /// Returns the form of a tour under symmetries.
    const fn form<'a>(&self, sequence: &'a [u32]) -> SymmetryForm<'a> {
        SymmetryForm::new(sequence, self.shape)
    }

    /// Passes a tour, given by its lowest reading, to the sink `take`. A closed tour with a fixed start is
    /// passed from this start. If both directions are requested, also passes the reversed tour.
    pub(super) fn emit_directions(&self, sequence: &mut [u32], take: &mut TourSink<'_>) -> ControlFlow<()> {
        if let Some(at) = self.closed_start.and_then(|from| sequence.iter().position(|&v| v == from)) {
            sequence.rotate_left(at);
        }
        self.emit(sequence, take)?;
        if self.both_directions {
            self.shape.reverse(sequence);
            self.emit(sequence, take)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the canonical form of the tour's symmetry class if this tour represents the class in
    /// the listing; otherwise `None`. `unit` is the unit in which the search found the tour.
    pub(super) fn class_representative(&self, sequence: &[u32], unit: &MultipathUnit) -> Option<Vec<u32>> {
        let problem = &self.problem;
        if !self.is_unit_minimum(sequence, unit) {
            return None;
        }
        let form = self.form(sequence).canonical(problem.symmetries().elements());
        // If the search uses only some symmetries, the others map the tour to further tours of its class.
        let whole = problem.search_group().order() == problem.symmetries().order();
        (whole || self.form(sequence).canonical(problem.search_group().elements()) == form).then_some(form)
    }

    /// Returns true if no symmetry that preserves `unit` maps the tour to a tour with a lower form.
    fn is_unit_minimum(&self, sequence: &[u32], unit: &MultipathUnit) -> bool {
        let elements = self.problem.search_group().elements();
        let image = |g: u32| self.form(sequence).image(&elements[g as usize]);
        // The identity comes first.
        let own = image(unit.residual[0]);
        unit.residual[1..].iter().all(|&g| own <= image(g))
    }

    /// Returns true if the listing contains this tour, which backtracking in plain order has found.
    /// Excludes the second direction of a closed tour and, in a listing of distinct tours, all but
    /// the canonical form of each class.
    pub(super) fn is_listed_in_plain_order(&self, sequence: &[u32]) -> bool {
        let second_direction = self.shape == TourShape::Closed
            && !self.both_directions
            && sequence.len() > 2
            && sequence[1] > sequence[sequence.len() - 1];
        !second_direction
            && (!self.distinct || self.form(sequence).is_canonical(self.problem.symmetries().elements()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::tour::{TourFormat, TourSpec};
    use std::collections::HashSet;

    fn list_lines(text: &str, kind: Kind, options: ListOptions) -> Vec<String> {
        let board: Board = text.parse().unwrap();
        let writer = TourWriter::new(&board, TourFormat::Squares, 1).unwrap();
        let problem = Problem::new(&TourSpec::all(board.clone(), kind)).unwrap();
        let mut lines = Vec::new();
        list(problem, options, &writer, &Control::new(), &mut |chunk| {
            lines.extend(String::from_utf8(chunk.bytes.clone()).unwrap().lines().map(str::to_owned));
            ControlFlow::Continue(())
        })
        .unwrap();
        lines
    }

    fn graph_step_order(text: &str) -> Option<StepOrder> {
        let board: Board = text.parse().unwrap();
        Some(StepOrder::from_graph(board.graph()))
    }

    #[test]
    fn kernels_list_equal_sets_of_tours() {
        for (text, kind, tours, classes) in [
            ("5x5", Kind::Paths, 864, 112),
            ("3x4", Kind::Paths, 8, 3),
            ("5x6", Kind::Closed, 8, 3),
            ("1x1", Kind::Paths, 1, 1),
            ("4x4", Kind::Paths, 0, 0),
        ] {
            for (distinct, expected) in [(false, tours), (true, classes)] {
                let fast = list_lines(text, kind, ListOptions { distinct, ..ListOptions::default() });
                let steps = graph_step_order(text);
                let plain = list_lines(
                    text,
                    kind,
                    ListOptions { distinct, step_order: steps, ..ListOptions::default() },
                );
                assert_eq!((fast.len(), plain.len()), (expected, expected), "{text} {kind:?} {distinct}");
                let (fast, plain): (HashSet<_>, HashSet<_>) =
                    (fast.into_iter().collect(), plain.into_iter().collect());
                assert_eq!(fast.len(), expected, "{text} {kind:?}: each once");
                assert_eq!(fast, plain, "{text} {kind:?} {distinct}");
            }
        }
    }

    #[test]
    fn shards_make_up_the_list_in_order() {
        let (paths, closed) = (Kind::Paths, Kind::Closed);
        for (text, kind) in [("5x5", paths), ("5x6", closed), ("1x1", paths), ("4x4", paths)] {
            for (distinct, steps) in [(false, None), (true, None), (false, graph_step_order(text))] {
                let options = ListOptions { distinct, step_order: steps, ..ListOptions::default() };
                let of = |part| list_lines(text, kind, ListOptions { shard: part, ..options.clone() });
                let all = of(None);
                for parts in [1, 2, 7] {
                    let mut found = Vec::new();
                    for part in 0..parts {
                        let place = |line: &String| all.iter().position(|other| other == line).unwrap();
                        let places: Vec<usize> = of(Some((part, parts))).iter().map(place).collect();
                        assert!(places.is_sorted(), "{text} {part}/{parts}");
                        found.extend(places);
                    }
                    found.sort_unstable();
                    assert!(found.into_iter().eq(0..all.len()), "{text} {kind:?} {parts}");
                }
                assert!(of(Some((99_999, 100_000))).is_empty());
            }
        }
    }

    #[test]
    fn sink_break_and_cancellation_are_reported() {
        let board: Board = "5x5".parse().unwrap();
        let writer = TourWriter::new(&board, TourFormat::Squares, 1).unwrap();
        let problem = Problem::new(&TourSpec::all(board.clone(), Kind::Paths)).unwrap();
        let ending =
            list(problem, ListOptions::default(), &writer, &Control::new(), &mut |_| ControlFlow::Break(()));
        assert_eq!(ending, Ok(ListingEnd::StoppedBySink));
        let problem = Problem::new(&TourSpec::all(board.clone(), Kind::Paths)).unwrap();
        let mut tours = 0;
        let mut each = |_: TourKind, _: &[u32]| {
            tours += 1;
            if tours == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let visited = for_each(problem.clone(), ListOptions::default(), &Control::new(), &mut each);
        assert_eq!((visited, tours), (Ok(ListingEnd::StoppedBySink), 3));
        let all = |control: &Control| {
            for_each(problem.clone(), ListOptions::default(), control, &mut |_, _| ControlFlow::Continue(()))
        };
        assert_eq!(all(&Control::new()), Ok(ListingEnd::Complete));
        let control = Control::new();
        control.cancel();
        assert_eq!(all(&control), Err(ListError::Stopped(Stopped)));
    }
}
