//! Lists tours: every tour once, in an order that depends only on the problem.
//!
//! Without an order of moves, the multi-path kernel lists unit by unit. Each visited tour is followed by its
//! images under the symmetries that the unit stands for. With an order of moves, the path-extension kernel
//! lists in the order of plain backtracking.
//!
//! *Distinct* tours are one tour of each symmetry class. A unit that no symmetry preserves contains at most
//! one tour of each class, so all its tours count. In the few units with a group H of symmetries, a tour
//! counts if its lowest form is the least among its images under H. No tour has to be remembered. In
//! backtracking order a tour counts if it is the canonical form of its class.
//!
//! All three interfaces give the same list: [`list`] writes text, [`for_each`] calls a function,
//! [`tours`](super::tours()) returns an iterator.
//!
//! ```text
//! Problem, ListOptions -> Listing (units) -> parallel_units -> text, function, iterator
//! ```
//!
//! Memory: some MB for output of later units.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::board::Bitboard;
use crate::control::Control;
use crate::tour::{Kind, TourKind, TourWriter};

use super::chunk::{Chunk, Collector, Packed, Packer};
use super::forms::Forms;
use super::order::Steps;
pub use super::ordered::Listed;
use super::ordered::{self, Run};
use super::prefix::PrefixPlan;
use super::problem::{Problem, ProblemError};
use super::source::{Effort, Source, Taker};
use super::split::Plan;
use super::stop::Stop;
use super::visitor::Lister;
use super::width::{ForBitboard, with_bitboard};
use super::workers::Stopped;

/// Options of a listing.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// List both directions of every tour.
    pub directed: bool,
    /// List one tour of each symmetry class of the problem.
    pub distinct: bool,
    /// Order of moves. If set, tours are listed in the order of plain backtracking.
    pub steps: Option<Steps>,
    /// Split depth, see [`MultipathPlan::new`] and [`BacktrackPlan::new`].
    pub split_depth: Option<u32>,
    /// Shard (R, M): only the units with numbers congruent to R modulo M, in their order. All M shards
    /// together are the list, each tour once.
    pub part: Option<(u32, u32)>,
}

/// Reason why not all tours were listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The control was cancelled before the last tour.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The problem cannot be split in this way.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Lists all tours of a problem: passes text in the writer's format to `sink`, batch by batch and in order.
/// Uses as many threads as the current rayon pool has. The result shows whether the sink stopped the listing.
///
/// # Errors
/// See [`ListError`].
pub fn list(
    problem: Problem,
    options: ListOptions,
    writer: &TourWriter,
    control: &Control,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<Listed, ListError> {
    through(problem, options, writer, control, &mut |chunk| sink(&chunk))
}

/// Calls `each` with all tours of a problem, in the order of [`list`], until it breaks. `each` runs on the
/// caller's thread and receives the kind of the tour and its vertices in order of visit. The search uses as
/// many threads as the current rayon pool has. The result shows whether all tours were visited.
///
/// ```
/// use std::ops::ControlFlow;
/// use ktour::board::{Board, Graph};
/// use ktour::control::Control;
/// use ktour::search::list::{ListOptions, for_each};
/// use ktour::search::problem::Problem;
/// use ktour::tour::Kind;
///
/// // Petersen's graph has no closed tour, but 120 paths, each in one direction.
/// let edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
/// let petersen = Board::from_graph(Graph::from_edges(10, edges));
/// let problem = Problem::new(&petersen, Kind::Paths, None, None)?;
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
) -> Result<Listed, ListError> {
    let mut sequence = Vec::new();
    let mut visit = |packed: Packed| {
        for (kind, vertices) in (0..packed.len()).filter_map(|i| packed.get(i)) {
            sequence.clear();
            sequence.extend(vertices);
            each(kind, &sequence)?;
        }
        ControlFlow::Continue(())
    };
    through(problem, options, &Packer, control, &mut visit)
}

fn through<C: Collector>(
    problem: Problem,
    options: ListOptions,
    collector: &C,
    control: &Control,
    sink: &mut dyn FnMut(C::Chunk) -> ControlFlow<()>,
) -> Result<Listed, ListError> {
    let over = AtomicBool::new(false);
    let run = Run { control, over: &over, threads: rayon::current_num_threads() };
    Ok(ordered::run(&Listing::new(problem, options)?, collector, run, sink)?)
}

/// A listing, split into units.
#[derive(Debug)]
pub struct Listing {
    forms: Forms,
    distinct: bool,
    way: Way,
    /// Index of the first listed unit, and the distance from one listed unit to the next.
    part: (usize, usize),
}

/// Method of finding tours.
#[derive(Debug)]
enum Way {
    /// No vertex and no tour.
    None,
    /// A single vertex: one path without moves, and no closed tour.
    Single(Kind),
    /// The multi-path kernel.
    Units(Box<Plan>),
    /// The order of plain backtracking. The plan uses symmetry only for canonical forms.
    InOrder(Box<PrefixPlan>, Steps),
}

impl Listing {
    /// Splits a problem into units.
    ///
    /// # Errors
    /// The split depth makes too many units, or distinct tours are requested and the symmetries are not
    /// complete.
    pub fn new(problem: Problem, options: ListOptions) -> Result<Self, ProblemError> {
        let ListOptions { directed, distinct, steps, split_depth, part } = options;
        if distinct && !problem.knows_symmetries() {
            return Err(ProblemError::NoSymmetries);
        }
        let forms = Forms::new(&problem, directed, distinct);
        let way = match steps {
            _ if problem.graph().is_empty() => Way::None,
            _ if problem.graph().len() == 1 => Way::Single(problem.kind()),
            None => Way::Units(Box::new(Plan::new(problem, split_depth)?)),
            Some(steps) => {
                let width = problem.width();
                let plan = with_bitboard(width, InOrder { problem, steps: &steps, directed, split_depth })?;
                Way::InOrder(Box::new(plan), steps)
            }
        };
        let part = part.map_or((0, 1), |(first, parts)| (first as usize, parts.max(1) as usize));
        Ok(Self { forms, distinct, way, part })
    }

    /// Returns the number of units of all shards.
    fn all_units(&self) -> usize {
        match &self.way {
            Way::None => 0,
            Way::Single(_) => 1,
            Way::Units(plan) => plan.units().len(),
            Way::InOrder(plan, _) => plan.units().len(),
        }
    }
}

impl Source for Listing {
    fn units(&self) -> usize {
        let (first, parts) = self.part;
        self.all_units().saturating_sub(first).div_ceil(parts)
    }

    fn give(&self, unit: usize, stop: Stop<'_>, take: &mut Taker<'_>) -> Effort {
        let (first, parts) = self.part;
        let unit = first + unit * parts;
        let width = match &self.way {
            Way::None | Way::Single(Kind::Closed) => return Effort::default(),
            Way::Single(_) => {
                // The result makes no difference after the only tour.
                let _ = take(TourKind::Open, &[0]);
                return Effort { nodes: 1, tours: 1 };
            }
            Way::Units(plan) => plan.problem().width(),
            Way::InOrder(plan, _) => plan.problem().width(),
        };
        with_bitboard(width, Give { listing: self, unit, stop, take })
    }
}

/// Creates a backtracking plan in plain order.
struct InOrder<'a> {
    problem: Problem,
    steps: &'a Steps,
    directed: bool,
    split_depth: Option<u32>,
}

impl ForBitboard for InOrder<'_> {
    type Output = Result<PrefixPlan, ProblemError>;

    fn run<B: Bitboard>(self) -> Self::Output {
        PrefixPlan::in_order::<B>(self.problem, self.steps, self.directed, self.split_depth)
    }
}

/// Searches one unit.
struct Give<'a, 't> {
    listing: &'a Listing,
    unit: usize,
    stop: Stop<'a>,
    take: &'a mut Taker<'t>,
}

impl ForBitboard for Give<'_, '_> {
    type Output = Effort;

    fn run<B: Bitboard>(self) -> Effort {
        match &self.listing.way {
            Way::None | Way::Single(_) => Effort::default(),
            Way::Units(plan) => self.search::<B>(plan),
            Way::InOrder(plan, steps) => self.backtrack::<B>(plan, steps),
        }
    }
}

impl Give<'_, '_> {
    fn search<B: Bitboard>(self, plan: &Plan) -> Effort {
        let Self { listing: Listing { forms, distinct, .. }, unit, stop, take } = self;
        let unit = &plan.units()[unit];
        let group = plan.problem().group();
        let images = plan.images(unit);
        let mut image = Vec::new();
        let mut tours = 0;
        let mut lister = Lister::new(stop, |sequence: &mut Vec<u32>| {
            if *distinct {
                let Some(form) = forms.of_class(sequence, unit) else { return ControlFlow::Continue(()) };
                tours += 1;
                return forms.hand(&form, take);
            }
            for &g in &images {
                let element = &group.elements()[g as usize];
                image.clear();
                image.extend(sequence.iter().map(|&v| element.image[v as usize]));
                tours += 1;
                forms.hand_directions(&mut image, take)?;
            }
            ControlFlow::Continue(())
        });
        let nodes = plan.root::<B>(unit).visit(&mut lister);
        Effort { nodes, tours }
    }

    fn backtrack<B: Bitboard>(self, plan: &PrefixPlan, steps: &Steps) -> Effort {
        let Self { listing: Listing { forms, .. }, unit, stop, take } = self;
        let mut tours = 0;
        let mut lister = Lister::new(stop, |sequence: &mut Vec<u32>| {
            if !forms.is_wanted_in_order(sequence) {
                return ControlFlow::Continue(());
            }
            tours += 1;
            forms.hand(sequence, take)
        });
        let nodes = plan.kernel::<B>(&plan.units()[unit]).visit(steps, &mut lister);
        Effort { nodes, tours }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::tour::TourFormat;
    use std::collections::HashSet;

    fn listed(text: &str, kind: Kind, options: ListOptions) -> Vec<String> {
        let arena: Arena = text.parse().unwrap();
        let writer = TourWriter::new(&arena, TourFormat::Squares, 1).unwrap();
        let problem = Problem::new(&arena, kind, None, None).unwrap();
        let mut lines = Vec::new();
        list(problem, options, &writer, &Control::new(), &mut |chunk| {
            lines.extend(String::from_utf8(chunk.bytes.clone()).unwrap().lines().map(str::to_owned));
            ControlFlow::Continue(())
        })
        .unwrap();
        lines
    }

    fn in_order(text: &str) -> Option<Steps> {
        let arena: Arena = text.parse().unwrap();
        Some(Steps::as_listed(arena.graph()))
    }

    #[test]
    fn both_kernels_list_the_same_tours_each_once() {
        for (text, kind, tours, classes) in [
            ("5x5", Kind::Paths, 864, 112),
            ("3x4", Kind::Paths, 8, 3),
            ("5x6", Kind::Closed, 8, 3),
            ("1x1", Kind::Paths, 1, 1),
            ("4x4", Kind::Paths, 0, 0),
        ] {
            for (distinct, expected) in [(false, tours), (true, classes)] {
                let fast = listed(text, kind, ListOptions { distinct, ..ListOptions::default() });
                let steps = in_order(text);
                let plain = listed(text, kind, ListOptions { distinct, steps, ..ListOptions::default() });
                assert_eq!((fast.len(), plain.len()), (expected, expected), "{text} {kind:?} {distinct}");
                let (fast, plain): (HashSet<_>, HashSet<_>) =
                    (fast.into_iter().collect(), plain.into_iter().collect());
                assert_eq!(fast.len(), expected, "{text} {kind:?}: each once");
                assert_eq!(fast, plain, "{text} {kind:?} {distinct}");
            }
        }
    }

    #[test]
    fn parts_are_the_list_in_its_order_each_tour_once() {
        let (paths, closed) = (Kind::Paths, Kind::Closed);
        for (text, kind) in [("5x5", paths), ("5x6", closed), ("1x1", paths), ("4x4", paths)] {
            for (distinct, steps) in [(false, None), (true, None), (false, in_order(text))] {
                let options = ListOptions { distinct, steps, ..ListOptions::default() };
                let of = |part| listed(text, kind, ListOptions { part, ..options.clone() });
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
    fn a_sink_that_has_enough_is_told_so() {
        let arena: Arena = "5x5".parse().unwrap();
        let writer = TourWriter::new(&arena, TourFormat::Squares, 1).unwrap();
        let problem = Problem::new(&arena, Kind::Paths, None, None).unwrap();
        let enough =
            list(problem, ListOptions::default(), &writer, &Control::new(), &mut |_| ControlFlow::Break(()));
        assert_eq!(enough, Ok(Listed::BrokenOff));
        let problem = Problem::new(&arena, Kind::Paths, None, None).unwrap();
        let mut tours = 0;
        let mut each = |_: TourKind, _: &[u32]| {
            tours += 1;
            if tours == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let visited = for_each(problem.clone(), ListOptions::default(), &Control::new(), &mut each);
        assert_eq!((visited, tours), (Ok(Listed::BrokenOff), 3));
        let all = |control: &Control| {
            for_each(problem.clone(), ListOptions::default(), control, &mut |_, _| ControlFlow::Continue(()))
        };
        assert_eq!(all(&Control::new()), Ok(Listed::All));
        let control = Control::new();
        control.cancel();
        assert_eq!(all(&control), Err(ListError::Stopped(Stopped)));
    }
}
