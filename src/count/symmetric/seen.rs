//! All tours by the number of symmetries that fix them, from an enumeration of all tours.
//!
//! The size of a class is the order of the group divided by the number of elements that fix one of its tours.
//! So if every tour is counted as often as elements fix it, each class adds the order of the group, whatever
//! its size:
//!
//! ```text
//! classes fixed by k elements = tours fixed by k elements x k / |G|
//! ```
//!
//! The search visits one tour for each set of tours that its own symmetry breaking identifies. The
//! enumeration serves groups with elements for which no quotient is available (rotations of order three, for
//! example) and classes of symmetry without names, up to [`MAX_ENUMERATED_TOURS`] tours.

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

/// Maximum number of tours that are enumerated, which takes some minutes.
pub const MOST_SEEN: u64 = 1 << 28;

/// Factor by which the estimated number of tours may exceed the maximum before the count is rejected.
const DOUBT: f64 = 32.0;

/// Seconds of a core to test whether an element fixes a tour.
const GLANCE: f64 = 30e-9;

/// Number of elements that fix a tour, and number of those that preserve its direction.
type Keeping = (u32, u32);

/// All tours of a kind by the numbers of elements that fix them and that preserve their direction.
#[derive(Clone, Debug)]
pub struct Seen {
    tours: BTreeMap<Keeping, BigUint>,
    order: usize,
}

/// Estimated size of an enumeration of all tours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Tours of the board.
    pub tours: f64,
    /// Core seconds of the search and of the tests of the tours it finds.
    pub seconds: f64,
}

/// Estimates an enumeration by random walks. Rejects hopeless ones: boards that are too large, or far too
/// many tours.
///
/// # Errors
/// As for [`ExhaustiveClasses::new`], by estimate.
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
    /// Enumerates all tours of a kind, of which there are `total`.
    ///
    /// # Errors
    /// There are too many tours, the board is too large, the run was stopped, or the numbers contradict each
    /// other.
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
            // The search visits one tour for each element of the group that its symmetry breaking uses.
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
            return Err(Broken::new(format!("{all} tours were enumerated, but {total} were counted")).into());
        }
        Ok(Self { tours, order: group.order() })
    }

    /// Returns the number of distinct tours.
    ///
    /// # Errors
    /// The numbers are impossible.
    pub fn distinct(&self) -> Result<BigUint, CountError> {
        Ok(self.rows()?.into_iter().map(|(_, numbers)| numbers.classes).sum())
    }

    /// Returns tours and distinct tours by class of symmetry, the least symmetric first.
    ///
    /// # Errors
    /// The numbers are impossible.
    pub fn rows(&self) -> Result<Vec<(SymmetryClass, Numbers)>, CountError> {
        let row = |(&(kept, keeping), tours): (&Keeping, &BigUint)| {
            let (classes, rest) = (tours * kept).div_rem(&BigUint::from(self.order));
            if !rest.is_zero() {
                let what = format!("{tours} tours are fixed by {kept} of {} symmetries", self.order);
                return Err(Broken::new(what).into());
            }
            let numbers = Numbers { tours: tours.clone(), classes };
            Ok((SymmetryClass::of(keeping, kept - keeping), numbers))
        };
        self.tours.iter().map(row).collect()
    }
}

/// Returns the number of elements that fix a tour, and the number of those that preserve its direction.
fn keeping(elements: &[Element], tour: &[u32], kind: Kind) -> Keeping {
    // The identity fixes every tour and preserves its direction.
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

/// Arguments for testing the tours of a unit; the result is its nodes, and its tours by the elements that fix
/// them.
struct Looking<'a> {
    plan: &'a Plan,
    number: usize,
    /// Elements of the whole group; the symmetry breaking of the search may use a subgroup.
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
