//! Streams of the symmetric tours themselves.
//!
//! A search of one element visits the walks of its quotient and lifts them to tours. The name of a symmetry
//! can stand for several elements of the group; a tour that several of them fix is listed by the first search
//! that finds it. The representative of a class is the lowest of its tours that have the symmetry. If all
//! symmetries have names that is the canonical form, because an image of a tour has the image of its
//! symmetry, with the same name. On a torus the image may have the symmetry around another square, which is
//! another element. No tour is stored.
//!
//! ```text
//! SymmetricContext, SymmetricListOptions -> searches -> units -> ordered -> text, iterator
//! ```

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::board::{Bitboard, Element};
use crate::control::Control;
use crate::count::CountError;
use crate::search::TourIter;
use crate::search::chunk::Chunk;
use crate::search::ordered::{self, Listed, Run};
use crate::search::source::{Effort, Source, Taker};
use crate::search::split::Plan;
use crate::search::stop::Stop;
use crate::search::visitor::Lister;
use crate::search::width::{ForBitboard, with_bitboard};
use crate::search::workers::Stopped;
use crate::tour::{Kind, Shape, TourWriter, canonical, lowest};

use super::fixed::Setting;
use super::named::Named;
use super::quotient::Quotient;
use super::tiny;
use super::unfold::{Fold, unfold};
use super::visit;
use super::walks::{Action, Walks};

/// The search for the tours that one element fixes.
#[derive(Debug)]
pub struct Pass<'a> {
    setting: &'a Setting,
    element: &'a Element,
    action: Action,
    kind: Kind,
    quotient: Quotient,
    fold: Fold,
    plans: Vec<Plan>,
}

/// Options of a list of symmetric tours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Kind of tours.
    pub kind: Kind,
    /// Symmetry of the tours.
    pub named: Named,
    /// True to list one tour of each class.
    pub distinct: bool,
    /// True to list both directions of each tour.
    pub directed: bool,
}

impl<'a> Pass<'a> {
    /// Creates the search for the element at index `g`, on a board too large for brute force.
    ///
    /// # Errors
    /// The board is too large for a search.
    pub fn new(setting: &'a Setting, g: usize, action: Action, kind: Kind) -> Result<Self, CountError> {
        let element = &setting.group().elements()[g];
        let quotient = Quotient::new(setting.graph(), &element.image);
        let (walks, fold) = match (kind, action) {
            (Kind::Closed, Action::Keeps) => (Walks::closed(setting.graph(), &quotient, action), Fold::Cycle),
            (Kind::Closed, Action::Reverses) => {
                (Walks::closed(setting.graph(), &quotient, action), Fold::Closed)
            }
            (_, Action::Keeps) => (Walks::None, Fold::Path),
            (_, Action::Reverses) => (Walks::paths(&quotient), Fold::Path),
        };
        let problems = visit::problems(&quotient, &walks)?;
        let plans = problems.into_iter().map(|problem| Plan::new(problem, None)).collect::<Result<_, _>>()?;
        Ok(Self { setting, element, action, kind, quotient, fold, plans })
    }

    fn units(&self) -> usize {
        self.plans.iter().map(|plan| plan.units().len()).sum()
    }

    /// Calls `each` with the tours of a unit until it breaks or a stop flag is set. Returns the nodes of the
    /// search.
    fn visit(
        &self,
        mut unit: usize,
        stop: Stop<'_>,
        each: &mut dyn FnMut(&mut Vec<u32>) -> ControlFlow<()>,
    ) -> u64 {
        for plan in &self.plans {
            if unit < plan.units().len() {
                let width = plan.problem().width();
                return with_bitboard(width, Visit { pass: self, plan, unit, stop, each });
            }
            unit -= plan.units().len();
        }
        0
    }

    fn is_wanted(&self, tour: &[u32]) -> bool {
        self.kind != Kind::Open
            || !self.setting.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize)
    }
}

struct Visit<'a, 'e> {
    pass: &'a Pass<'a>,
    plan: &'a Plan,
    unit: usize,
    stop: Stop<'a>,
    each: &'a mut (dyn FnMut(&mut Vec<u32>) -> ControlFlow<()> + 'e),
}

impl ForBitboard for Visit<'_, '_> {
    type Output = u64;

    fn run<B: Bitboard>(self) -> u64 {
        let pass = self.pass;
        let mut visitor = Lister::new(self.stop, |walk: &mut Vec<u32>| {
            unfold(&pass.quotient, pass.fold, walk, &mut |tour| {
                if pass.is_wanted(tour) { (self.each)(tour) } else { ControlFlow::Continue(()) }
            })
        });
        self.plan.root::<B>(&self.plan.units()[self.unit]).visit(&mut visitor)
    }
}

/// Calls `each` with every tour of a search, on one thread.
///
/// # Errors
/// [`CountError::Stopped`].
pub fn visit_all(
    pass: &Pass<'_>,
    control: &Control,
    each: &mut impl FnMut(&[u32]),
) -> Result<(), CountError> {
    for unit in 0..pass.units() {
        pass.visit(unit, control.flag().into(), &mut |tour| {
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
pub fn list(
    setting: &Setting,
    wanted: Wanted,
    writer: &TourWriter,
    control: &Control,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<Listed, CountError> {
    let over = AtomicBool::new(false);
    let run = Run { control, over: &over, threads: rayon::current_num_threads() };
    Ok(ordered::run(&Symmetric::new(setting, wanted)?, writer, run, &mut |chunk| sink(&chunk))?)
}

/// Returns an iterator over the tours with a symmetry, in the order of [`list_tours`], while other threads
/// search ahead: see [`crate::search::tours`].
#[must_use]
pub fn tours(setting: &Setting, wanted: Wanted, control: &Control) -> TourIter<CountError> {
    let own = setting.clone();
    TourIter::new(setting.arena(), control, move |pass| pass(&Symmetric::new(&own, wanted)?))
}

/// Counts the classes of tours with a symmetry by enumerating these tours.
///
/// # Errors
/// The board is too large for a search; [`CountError::Stopped`].
pub(super) fn classes(
    setting: &Setting,
    kind: Kind,
    named: Named,
    control: &Control,
) -> Result<u64, CountError> {
    setting.looks()?;
    let symmetric = Symmetric::new(setting, Wanted { kind, named, distinct: true, directed: false })?;
    let mut classes = 0;
    for unit in 0..symmetric.units() {
        symmetric.give(unit, control.flag().into(), &mut |_, _| {
            classes += 1;
            ControlFlow::Continue(())
        });
        if control.is_cancelled() {
            return Err(Stopped.into());
        }
    }
    Ok(classes)
}

/// The tours with a symmetry, divided into units.
struct Symmetric<'a> {
    setting: &'a Setting,
    wanted: Wanted,
    /// Elements that can fix a tour, with their actions, in the order of `searches`; boards within reach of
    /// brute force have no searches.
    acts: Vec<(usize, Action)>,
    passes: Vec<Pass<'a>>,
    /// Index of the search of each unit, and the unit's number there.
    units: Vec<(usize, usize)>,
}

impl<'a> Symmetric<'a> {
    fn new(setting: &'a Setting, wanted: Wanted) -> Result<Self, CountError> {
        let elements = setting.group().elements();
        let wanted_acts = setting.acts(wanted.named);
        let mut acts: Vec<(usize, Action)> = Vec::new();
        for (g, element) in elements.iter().enumerate().skip(1) {
            let is_inverse = |&(h, _): &(usize, Action)| {
                element.image.iter().enumerate().all(|(v, &w)| elements[h].image[w as usize] as usize == v)
            };
            let is_it = |action: &Action| wanted_acts.contains(&(g, *action));
            // The inverse of an element fixes the same tours, so one of the two is enough.
            if !acts.iter().any(|act| act.0 != g && is_inverse(act)) {
                acts.extend(Action::ALL.into_iter().filter(is_it).map(|action| (g, action)));
            }
        }
        let of_act = |&(g, action): &(usize, Action)| Pass::new(setting, g, action, wanted.kind);
        let is_tiny = setting.graph().len() <= tiny::MOST;
        let passes: Vec<Pass<'a>> =
            if is_tiny { Vec::new() } else { acts.iter().map(of_act).collect::<Result<_, _>>()? };
        let of_pass = |(p, pass): (usize, &Pass<'a>)| (0..pass.units()).map(move |unit| (p, unit));
        let units =
            if is_tiny { vec![(0, 0)] } else { passes.iter().enumerate().flat_map(of_pass).collect() };
        Ok(Self { setting, wanted, acts, passes, units })
    }

    /// Returns true if one of these elements fixes a tour.
    fn is_kept(&self, tour: &[u32], acts: &[(usize, Action)]) -> bool {
        let elements = self.setting.group().elements();
        acts.iter().any(|&(g, action)| self.setting.keeps(tour, self.wanted.kind, &elements[g], action))
    }

    /// Returns true if a tour in its lowest reading is the first of its images that are listed.
    fn is_first(&self, tour: &[u32], shape: Shape) -> bool {
        let group = self.setting.group();
        if group.is_named() {
            return canonical(tour, shape, group) == tour;
        }
        group.elements()[1..].iter().all(|element| {
            let mut image: Vec<u32> = tour.iter().map(|&v| element.image[v as usize]).collect();
            lowest(&mut image, shape);
            image.as_slice() >= tour || !self.is_kept(&image, &self.acts)
        })
    }

    /// Passes a tour on, from its lowest square or end, if the options include it; and its reverse, if they
    /// include both directions.
    fn hand(&self, tour: &mut [u32], tours: &mut u128, take: &mut Taker<'_>) -> ControlFlow<()> {
        let Self { setting, wanted, .. } = self;
        let closed = wanted.kind == Kind::Closed;
        let shape = if closed { Shape::Closed } else { Shape::Path };
        lowest(tour, shape);
        *tours += 1;
        if wanted.distinct && !self.is_first(tour, shape) {
            return ControlFlow::Continue(());
        }
        let joined =
            tour.len() > 2 && setting.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize);
        let kind = wanted.kind.of_tour(joined);
        take(kind, tour)?;
        if wanted.directed {
            if closed {
                tour[1..].reverse()
            } else {
                tour.reverse()
            }
            take(kind, tour)?;
        }
        ControlFlow::Continue(())
    }
}

impl Source for Symmetric<'_> {
    fn units(&self) -> usize {
        self.units.len()
    }

    fn give(&self, unit: usize, stop: Stop<'_>, take: &mut Taker<'_>) -> Effort {
        let (p, unit) = self.units[unit];
        let mut tours = 0;
        let Some(pass) = self.passes.get(p) else {
            for mut tour in self.setting.few(self.wanted.kind) {
                if self.is_kept(&tour, &self.acts) && self.hand(&mut tour, &mut tours, take).is_break() {
                    break;
                }
            }
            return Effort { nodes: 1, tours };
        };
        let nodes = pass.visit(unit, stop, &mut |tour| {
            debug_assert_eq!(
                tiny::action(tour, self.wanted.kind == Kind::Closed, &pass.element.image),
                Some(pass.action)
            );
            if self.is_kept(tour, &self.acts[..p]) {
                return ControlFlow::Continue(());
            }
            self.hand(tour, &mut tours, take)
        });
        Effort { nodes, tours }
    }
}
