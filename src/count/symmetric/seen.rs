//! Tours by what keeps them, by looking at every tour.
//!
//! A class has as many tours as the group has elements for each that keeps one of them.
//! So if every tour counts for the number of elements that keep it, each class counts for
//! the group's order, whatever its size:
//!
//! ```text
//! classes kept by k elements = tours that k elements keep x k / |G|
//! ```
//!
//! Only one tour of those that a search knows to be alike is looked at. For groups whose
//! elements act in ways that no quotient is known for (turns of order three, say), for
//! classes of symmetry that have no names, and up to [`MOST_SEEN`] tours.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use crate::board::{Bitboard, Element};
use crate::control::Control;
use crate::count::theorems::Broken;
use crate::count::{CountError, cost};
use crate::lock::lock;
use crate::search::probe;
use crate::search::problem::Problem;
use crate::search::split::Plan;
use crate::search::visitor::Lister;
use crate::search::width::{ForBitboard, MAX_SQUARES, with_bitboard};
use crate::search::workers::{self, Stopped};
use crate::tour::{Kind, SymmetryClass};

use super::fixed::Setting;
use super::numbers::Numbers;
use super::tiny;
use super::walks::Action;

/// Tours that are looked at: some minutes.
pub const MOST_SEEN: u64 = 1 << 28;

/// How often the estimated number of tours may exceed that before a count is not begun.
const DOUBT: f64 = 32.0;

/// Seconds that it takes to see whether an element keeps a tour.
const GLANCE: f64 = 30e-9;

/// How many elements keep a tour, and how many of these keep its direction.
type Keeping = (u32, u32);

/// All tours of a kind by how many elements keep and how many reverse them.
#[derive(Clone, Debug)]
pub struct Seen {
    tours: BTreeMap<Keeping, BigUint>,
    order: usize,
}

/// What a look at every tour is expected to take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Tours of the arena.
    pub tours: f64,
    /// Core seconds of the search that finds one of those that are alike, and of the look at each.
    pub seconds: f64,
}

/// What the look will take, by random walks. Refuses what is hopeless: arenas that are too large, or by far too
/// many tours.
///
/// # Errors
/// As for [`Seen::new`], by estimate.
pub fn look(setting: &Setting, kind: Kind) -> Result<Look, CountError> {
    setting.looks()?;
    if setting.graph().len() <= tiny::MOST {
        return Ok(Look::default());
    }
    let problem = problem(setting, kind)?;
    let images = problem.group().order() as f64;
    let most = MOST_SEEN as f64 * images;
    let plan = Plan::new(problem, Some(0))?;
    let probes = (2000 / plan.units().len().max(1)).max(2) as u32;
    let found = probe::estimate(&plan, probes, 0);
    let glances = found.tours.0 / images * (setting.group().order() - 1) as f64;
    let seconds = cost::visiting_seconds(setting.graph(), found.nodes.0) + glances * GLANCE;
    let look = Look { tours: found.tours.0, seconds };
    if look.tours > most * DOUBT && !setting.is_forced() {
        return Err(CountError::TooManyByEstimate { tours: look.tours });
    }
    Ok(look)
}

fn problem(setting: &Setting, kind: Kind) -> Result<Problem, CountError> {
    if setting.graph().len() > MAX_SQUARES {
        return Err(CountError::TooLargeToSee(setting.arena().extent()));
    }
    Ok(Problem::on_graph(setting.graph().clone(), setting.group().clone(), kind, (None, None))?)
}

impl Seen {
    /// Looks at all tours of a kind, of which there are `total`.
    ///
    /// # Errors
    /// Too many tours, an arena that is too large, a run that was stopped, or numbers that cannot be.
    pub fn new(
        setting: &Setting,
        kind: Kind,
        total: &BigUint,
        control: &Control,
    ) -> Result<Self, CountError> {
        setting.looks()?;
        let group = setting.group();
        let mut tours: BTreeMap<Keeping, BigUint> = BTreeMap::new();
        if setting.graph().len() <= tiny::MOST {
            for tour in setting.few(kind) {
                *tours.entry(keeping(group.elements(), &tour, kind)).or_default() += 1u32;
            }
        } else {
            let problem = problem(setting, kind)?;
            // One for each element of the group that the search makes use of.
            let most = BigUint::from(MOST_SEEN) * problem.group().order();
            if *total > most && !setting.is_forced() {
                return Err(CountError::TooManyToSee(total.clone()));
            }
            let plan = Plan::under(problem, None, control)?.ok_or(Stopped)?;
            let sums = Mutex::new(tours);
            let schedule = plan.schedule();
            control.begin(schedule.len(), &schedule);
            workers::run(&schedule, control, |number| {
                let look = Looking { plan: &plan, number, elements: group.elements(), kind, control };
                let (nodes, found) = with_bitboard(plan.problem().width(), look);
                control.unit_done(number, nodes, found.values().sum::<u64>().into());
                let images = plan.weight(&plan.units()[number]);
                let mut sums = lock(&sums);
                for (kept, tours) in found {
                    *sums.entry(kept).or_default() += BigUint::from(tours) * images;
                }
            })?;
            tours = sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        let all: BigUint = tours.values().sum();
        if all != *total {
            return Err(Broken::new(format!("{all} tours were looked at, {total} were counted")).into());
        }
        Ok(Self { tours, order: group.order() })
    }

    /// The number of distinct tours.
    ///
    /// # Errors
    /// Numbers that cannot be.
    pub fn distinct(&self) -> Result<BigUint, CountError> {
        Ok(self.rows()?.into_iter().map(|(_, numbers)| numbers.classes).sum())
    }

    /// Tours and distinct tours by what keeps them, the least symmetric first.
    ///
    /// # Errors
    /// Numbers that cannot be.
    pub fn rows(&self) -> Result<Vec<(SymmetryClass, Numbers)>, CountError> {
        let row = |(&(kept, keeping), tours): (&Keeping, &BigUint)| {
            let (classes, rest) = (tours * kept).div_rem(&BigUint::from(self.order));
            if !rest.is_zero() {
                let what = format!("{tours} tours are kept by {kept} of {} symmetries", self.order);
                return Err(Broken::new(what).into());
            }
            let numbers = Numbers { tours: tours.clone(), classes };
            Ok((SymmetryClass::of(keeping, kept - keeping), numbers))
        };
        self.tours.iter().map(row).collect()
    }
}

/// How many elements keep a tour, and how many of these keep its direction.
fn keeping(elements: &[Element], tour: &[u32], kind: Kind) -> Keeping {
    // The identity does, whatever the tour.
    let mut keeping = (1, 1);
    for element in &elements[1..] {
        match tiny::action(tour, kind == Kind::Closed, &element.image) {
            Some(Action::Keeps) => keeping = (keeping.0 + 1, keeping.1 + 1),
            Some(Action::Reverses) => keeping.0 += 1,
            None => {}
        }
    }
    keeping
}

/// Looks at the tours of a unit: nodes, and tours by what keeps them.
struct Looking<'a> {
    plan: &'a Plan,
    number: usize,
    /// Of the whole group: the search may make use of a part of it.
    elements: &'a [Element],
    kind: Kind,
    control: &'a Control,
}

impl ForBitboard for Looking<'_> {
    type Output = (u64, BTreeMap<Keeping, u64>);

    fn run<B: Bitboard>(self) -> Self::Output {
        let mut found: BTreeMap<Keeping, u64> = BTreeMap::new();
        let mut visitor = Lister::new(self.control.flag(), |tour: &mut Vec<u32>| {
            *found.entry(keeping(self.elements, tour, self.kind)).or_default() += 1;
            ControlFlow::Continue(())
        });
        let nodes = self.plan.root::<B>(&self.plan.units()[self.number]).visit(&mut visitor);
        (nodes, found)
    }
}
