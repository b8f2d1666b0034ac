//! Lists and iterators of the symmetric tours themselves, and the conversion of walks of a quotient
//! to tours.
//!
//! A search of one element visits the walks of its quotient and lifts them to tours. The name of a
//! symmetry can stand for several elements of the group; a tour that several of them fix is listed
//! by the first search that finds it. The representative of a class is the lowest of its tours that
//! have the symmetry. If all symmetries have names that is the canonical form, because an image of
//! a tour has the image of its symmetry, with the same name. On a torus the image may have the
//! symmetry around another square, which is another element. No tour is stored.
//!
//! ```text
//! SymmetricContext, SymmetricListOptions -> searches -> units -> ordered -> text, iterator
//! ```
//!
//! [`lift_walk`] converts a walk of the quotient into the tours that it represents. A step from
//! orbit `a` to orbit `b` along an edge of label `l` takes `s^g r_a` to `s^(g+l) r_b`. So a walk
//! and a choice of labels determine a sequence of squares. A cycle of sum `L` is traversed `k`
//! times, from `r`, `s^L r`, `s^2L r`, ...; a path is continued by its mirror image:
//!
//! ```text
//! cycle    F, s^L F, s^2L F, ...            all labels with an odd sum
//! closed   F_1 ... F_n, sF_n ... sF_1       fixed squares appear once
//! path     sF_n ... sF_1, F_1 ... F_n
//! ```

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::fixed_points::SymmetricContext;
use super::named_symmetry::NamedSymmetry;
use super::quotient::{Quotient, Walks};
use super::{brute_force, quotient_walks};
use crate::board::{Bitboard, Element};
use crate::control::Control;
use crate::count::CountError;
use crate::search::bitboard_graph::with_bitboard;
use crate::search::multipath_plan::MultipathPlan;
use crate::search::tour_batch::{TextBatch, TourSink, TourSource, UnitEffort};
use crate::search::unit_runner::{ListingEnd, OrderedRun, Stopped};
use crate::search::visitor::{SequenceVisitor, StopFlags};
use crate::search::{TourIter, unit_runner};
use crate::tour::{Action, Kind, SymmetryForm, TourWriter};

/// The search for the tours that one element of the group fixes.
#[derive(Debug)]
pub struct ElementSearch<'a> {
    context: &'a SymmetricContext,
    element: &'a Element,
    action: Action,
    quotient: Quotient,
    lift: LiftKind,
    plans: Vec<MultipathPlan>,
}

/// Options of a list of symmetric tours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymmetricListOptions {
    /// Symmetry that every listed tour has.
    pub symmetry: NamedSymmetry,
    /// True to list one tour of each class.
    pub distinct: bool,
    /// True to list both directions of each tour.
    pub directed: bool,
}

impl<'a> ElementSearch<'a> {
    /// Creates the search for the tours that the element at index `g` fixes with this action. The
    /// board must be too large for brute force.
    ///
    /// # Errors
    /// The board is too large for a search.
    pub fn new(setting: &'a SymmetricContext, g: usize, action: Action) -> Result<Self, CountError> {
        let element = &setting.group().elements()[g];
        let quotient = Quotient::new(setting.graph(), &element.image);
        let (walks, fold) = match (setting.kind(), action) {
            (Kind::Closed, Action::Preserves) => {
                (Walks::for_closed_tours(setting.graph(), &quotient, action), LiftKind::Cycle)
            }
            (Kind::Closed, Action::Reverses) => {
                (Walks::for_closed_tours(setting.graph(), &quotient, action), LiftKind::Closed)
            }
            (_, Action::Preserves) => (Walks::None, LiftKind::Path),
            (_, Action::Reverses) => (Walks::for_paths(&quotient), LiftKind::Path),
        };
        let problems = quotient_walks::search_problems(&quotient, &walks)?;
        let plans = problems
            .into_iter()
            .map(|problem| MultipathPlan::new(problem, None))
            .collect::<Result<_, _>>()?;
        Ok(Self { context: setting, element, action, quotient, lift: fold, plans })
    }

    fn unit_count(&self) -> usize {
        self.plans.iter().map(|plan| plan.units().len()).sum()
    }

    /// Calls `each` with every tour of a unit, until `each` returns `Break` or a stop flag is set.
    /// Returns the number of nodes visited.
    fn visit_unit(
        &self,
        mut unit: usize,
        stop: StopFlags<'_>,
        each: &mut dyn FnMut(&mut Vec<u32>) -> ControlFlow<()>,
    ) -> u64 {
        for plan in &self.plans {
            if unit < plan.units().len() {
                let width = plan.problem().bitboard_width();
                return with_bitboard!(width, B => self.visit_plan_unit::<B>(plan, unit, stop, each));
            }
            unit -= plan.units().len();
        }
        0
    }

    fn visit_plan_unit<B: Bitboard>(
        &self,
        plan: &MultipathPlan,
        unit: usize,
        stop: StopFlags<'_>,
        each: &mut dyn FnMut(&mut Vec<u32>) -> ControlFlow<()>,
    ) -> u64 {
        let mut visitor = SequenceVisitor::new(stop, |walk: &mut Vec<u32>| {
            lift_walk(&self.quotient, self.lift, walk, &mut |tour| {
                if self.is_of_kind(tour) { each(tour) } else { ControlFlow::Continue(()) }
            })
        });
        plan.unit_root::<B>(&plan.units()[unit]).visit(&mut visitor)
    }

    fn is_of_kind(&self, tour: &[u32]) -> bool {
        self.context.kind() != Kind::Open
            || !self.context.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize)
    }
}

/// Calls `each` with every tour that a search finds, on the current thread.
///
/// # Errors
/// [`CountError::Stopped`] if the control was cancelled.
pub fn for_each_tour(
    pass: &ElementSearch<'_>,
    control: &Control,
    each: &mut impl FnMut(&[u32]),
) -> Result<(), CountError> {
    for unit in 0..pass.unit_count() {
        pass.visit_unit(unit, control.cancel_flag().into(), &mut |tour| {
            each(tour);
            ControlFlow::Continue(())
        });
        if control.is_cancelled() {
            return Err(Stopped.into());
        }
    }
    Ok(())
}

/// Lists the tours with a symmetry. `sink` receives batches of text in the writer's format, in an order that
/// depends on the options alone. The search uses all threads of the current rayon pool.
///
/// # Errors
/// The board is too large for a search; [`CountError::Stopped`] if the control was cancelled.
pub fn list_tours(
    setting: &SymmetricContext,
    list_options: SymmetricListOptions,
    writer: &TourWriter,
    control: &Control,
    sink: &mut dyn FnMut(&TextBatch) -> ControlFlow<()>,
) -> Result<ListingEnd, CountError> {
    let over = AtomicBool::new(false);
    let run = OrderedRun { control, done_flag: &over, threads: rayon::current_num_threads() };
    Ok(unit_runner::run_ordered(&SymmetricTours::new(setting, list_options)?, writer, run, &mut |chunk| {
        sink(chunk)
    })?)
}

/// Returns an iterator over the tours with a symmetry, in the order of [`list_tours`], while other threads
/// search ahead: see [`crate::search::tours()`].
#[must_use]
pub fn iter_tours(
    setting: &SymmetricContext,
    list_options: SymmetricListOptions,
    control: &Control,
) -> TourIter<CountError> {
    let own = setting.clone();
    TourIter::new(setting.board(), control, move |pool, pass| {
        pass(&pool.run(|| SymmetricTours::new(&own, list_options))?)
    })
}

/// Counts the classes of tours with a symmetry by enumerating the tours with this symmetry.
///
/// # Errors
/// The board is too large for a search; [`CountError::Stopped`] if the control was cancelled.
pub(super) fn count_classes(
    setting: &SymmetricContext,
    named: NamedSymmetry,
    control: &Control,
) -> Result<u64, CountError> {
    setting.begin_enumeration()?;
    let symmetric = SymmetricTours::new(
        setting,
        SymmetricListOptions { symmetry: named, distinct: true, directed: false },
    )?;
    let mut classes = 0;
    for unit in 0..symmetric.unit_count() {
        symmetric.search_unit(unit, control.cancel_flag().into(), &mut |_, _| {
            classes += 1;
            ControlFlow::Continue(())
        });
        if control.is_cancelled() {
            return Err(Stopped.into());
        }
    }
    Ok(classes)
}

/// The searches for the tours with a symmetry, divided into units.
struct SymmetricTours<'a> {
    context: &'a SymmetricContext,
    options: SymmetricListOptions,
    /// Indices of the elements that the symmetry stands for, with their actions, in the order of
    /// `searches`. On boards small enough for brute force `searches` is empty.
    actions: Vec<(usize, Action)>,
    searches: Vec<ElementSearch<'a>>,
    /// For each unit, the index of its search, and the number of the unit in this search.
    units: Vec<(usize, usize)>,
}

impl<'a> SymmetricTours<'a> {
    fn new(setting: &'a SymmetricContext, list_options: SymmetricListOptions) -> Result<Self, CountError> {
        let elements = setting.group().elements();
        let wanted_acts = setting.actions_of(list_options.symmetry);
        let mut acts: Vec<(usize, Action)> = Vec::new();
        for (g, element) in elements.iter().enumerate().skip(1) {
            let is_inverse = |&(h, _): &(usize, Action)| {
                element.image.iter().enumerate().all(|(v, &w)| elements[h].image[w as usize] as usize == v)
            };
            let matches = |action: &Action| wanted_acts.contains(&(g, *action));
            // The inverse of an element fixes the same tours, so one of the two is enough.
            if !acts.iter().any(|act| act.0 != g && is_inverse(act)) {
                acts.extend(Action::ALL.into_iter().filter(matches).map(|action| (g, action)));
            }
        }
        let of_act = |&(g, action): &(usize, Action)| ElementSearch::new(setting, g, action);
        let is_tiny = setting.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES;
        let passes: Vec<ElementSearch<'a>> =
            if is_tiny { Vec::new() } else { acts.iter().map(of_act).collect::<Result<_, _>>()? };
        let of_pass =
            |(p, pass): (usize, &ElementSearch<'a>)| (0..pass.unit_count()).map(move |unit| (p, unit));
        let units =
            if is_tiny { vec![(0, 0)] } else { passes.iter().enumerate().flat_map(of_pass).collect() };
        Ok(Self { context: setting, options: list_options, actions: acts, searches: passes, units })
    }

    /// Returns true if one of the elements `acts` fixes the tour with its action.
    fn is_fixed_by_any(&self, tour: &[u32], acts: &[(usize, Action)]) -> bool {
        let elements = self.context.group().elements();
        acts.iter().any(|&(g, action)| self.context.is_fixed(tour, &elements[g], action))
    }

    /// Returns true if no image of the tour that is also listed is lower than the tour. The tour
    /// must be in its lowest reading.
    fn is_representative(&self, tour: &[u32]) -> bool {
        let (group, form) = (self.context.group(), SymmetryForm::new(tour, self.context.kind().shape()));
        if group.is_fully_named() {
            return form.is_canonical(group.elements());
        }
        let mut lower = group.elements()[1..]
            .iter()
            .map(|element| form.image(element))
            .filter(|image| image.is_below(tour));
        !lower.any(|image| self.is_fixed_by_any(&image.to_vec(), &self.actions))
    }

    /// Passes a tour to `take`, beginning with its lowest square or end, if the options include it.
    /// Also passes the reverse tour if the options include both directions.
    fn pass_on(&self, tour: &mut [u32], tours: &mut u128, take: &mut TourSink<'_>) -> ControlFlow<()> {
        let Self { context: setting, options: list_options, .. } = self;
        let shape = setting.kind().shape();
        shape.normalise(tour);
        *tours += 1;
        if list_options.distinct && !self.is_representative(tour) {
            return ControlFlow::Continue(());
        }
        let joined =
            tour.len() > 2 && setting.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize);
        let kind = setting.kind().tour_kind(joined);
        take(kind, tour)?;
        if list_options.directed {
            shape.reverse(tour);
            take(kind, tour)?;
        }
        ControlFlow::Continue(())
    }
}

impl TourSource for SymmetricTours<'_> {
    fn unit_count(&self) -> usize {
        self.units.len()
    }

    fn search_unit(&self, unit: usize, stop: StopFlags<'_>, take: &mut TourSink<'_>) -> UnitEffort {
        let (p, unit) = self.units[unit];
        let mut tours = 0;
        let Some(pass) = self.searches.get(p) else {
            for mut tour in self.context.brute_force_tours() {
                if self.is_fixed_by_any(&tour, &self.actions)
                    && self.pass_on(&mut tour, &mut tours, take).is_break()
                {
                    break;
                }
            }
            return UnitEffort { nodes: 1, tours };
        };
        let nodes = pass.visit_unit(unit, stop, &mut |tour| {
            debug_assert!(self.context.is_fixed(tour, pass.element, pass.action));
            if self.is_fixed_by_any(tour, &self.actions[..p]) {
                return ControlFlow::Continue(());
            }
            self.pass_on(tour, &mut tours, take)
        });
        UnitEffort { nodes, tours }
    }
}

/// The type of tour that a walk of a quotient represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiftKind {
    /// A closed tour that the symmetry rotates: the walk is a cycle.
    Cycle,
    /// A closed tour that the symmetry reverses: the walk is a path.
    Closed,
    /// A path that the symmetry reverses.
    Path,
}

/// Calls `each` with every tour that a walk represents. `walk` lists the orbits in order of visit.
pub fn lift_walk(
    quotient: &Quotient,
    fold: LiftKind,
    walk: &[u32],
    each: &mut impl FnMut(&mut Vec<u32>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut powers = vec![0];
    let mut tour = Vec::with_capacity(quotient.square_count());
    choose_labels(quotient, fold, walk, &mut powers, &mut |powers| {
        tour.clear();
        let square = |i: usize, more: usize| {
            let orbit = quotient.orbit(walk[i]);
            orbit[(powers[i] + more) % orbit.len()]
        };
        let len = walk.len();
        let is_moved = |i: usize| quotient.orbit(walk[i]).len() > 1;
        match fold {
            LiftKind::Cycle => {
                let sum = powers[len];
                tour.extend(
                    (0..quotient.order())
                        .flat_map(|round| (0..len).map(move |i| (i, round * sum)))
                        .map(|(i, more)| square(i, more)),
                );
            }
            LiftKind::Closed => {
                tour.extend((0..len).map(|i| square(i, 0)));
                tour.extend((0..len).rev().filter(|&i| is_moved(i)).map(|i| square(i, 1)));
            }
            LiftKind::Path => {
                tour.extend((0..len).rev().filter(|&i| is_moved(i)).map(|i| square(i, 1)));
                tour.extend((0..len).map(|i| square(i, 0)));
            }
        }
        each(&mut tour)
    })
}

/// Chooses a label for each further edge of the walk, in all possible ways, and calls `each` with
/// every complete choice. `powers[i]` is the power of `s` at the `i`-th orbit; for a cycle the last
/// entry is the sum of its labels.
fn choose_labels(
    quotient: &Quotient,
    fold: LiftKind,
    walk: &[u32],
    powers: &mut Vec<usize>,
    each: &mut impl FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (len, chosen) = (walk.len(), powers.len());
    let edges = if fold == LiftKind::Cycle { len } else { len - 1 };
    if chosen > edges {
        let is_complete = fold != LiftKind::Cycle || powers[chosen - 1] % 2 == 1;
        return if is_complete { each(powers) } else { ControlFlow::Continue(()) };
    }
    let power = powers[chosen - 1];
    for label in quotient.labels(walk[chosen - 1], walk[chosen % len]) {
        powers.push(power + label);
        let flow = choose_labels(quotient, fold, walk, powers, each);
        powers.pop();
        flow?;
    }
    ControlFlow::Continue(())
}
