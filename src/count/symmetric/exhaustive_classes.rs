//! Numbers of all tours by the number of symmetries that fix them, from an enumeration of all
//! tours.
//!
//! The size of a class is the order of the group divided by the number of elements that fix one of
//! its tours. So if every tour is counted as often as elements fix it, each class adds the order of
//! the group, whatever its size:
//!
//! ```text
//! classes fixed by k elements = tours fixed by k elements x k / |G|
//! ```
//!
//! The search visits one tour for each set of tours that its own symmetry breaking identifies. The
//! enumeration serves groups with elements for which no quotient is available (rotations of order
//! three, for example) and classes of symmetry without names, up to [`MAX_ENUMERATED_TOURS`] tours.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use num_bigint::BigUint;

use crate::board::{Bitboard, Element};
use crate::control::Control;
use crate::count::theorems::{TheoremViolation, divide_exactly};
use crate::count::{CountError, engine_cost};
use crate::lock::lock;
use crate::search::bitboard_graph::{MAX_SQUARES, with_bitboard};
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::Problem;
use crate::search::unit_runner::Stopped;
use crate::search::visitor::SequenceVisitor;
use crate::search::{tree_size_estimate, unit_runner};
use crate::tour::{ActionCounts, Kind, SymmetryClass, SymmetryForm};

use super::brute_force;
use super::fixed_points::SymmetricContext;

/// Maximum number of tours that are enumerated; their enumeration takes some minutes.
pub const MAX_ENUMERATED_TOURS: u64 = 1 << 28;

/// Factor by which the estimated number of tours may exceed the maximum before the count is rejected.
const MAX_OVERESTIMATE: f64 = 32.0;

/// Core seconds for one test whether an element fixes a tour.
const SECONDS_PER_ELEMENT_TEST: f64 = 30e-9;

/// A number of tours and the number of their classes under the board's symmetries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassNumbers {
    /// Number of tours, each counted once regardless of direction.
    pub tours: BigUint,
    /// Number of classes of these tours.
    pub classes: BigUint,
}

/// Numbers of all tours of a kind, by class of symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassTable {
    /// One row for each class of symmetry that the board permits, the least symmetric class first.
    pub rows: Vec<(SymmetryClass, ClassNumbers)>,
    /// Totals over all classes.
    pub total: ClassNumbers,
}

/// Numbers of all tours of a kind, by the number of elements that fix a tour and the number of
/// those that preserve its direction.
#[derive(Clone, Debug)]
pub struct ExhaustiveClasses {
    tours: BTreeMap<ActionCounts, BigUint>,
    order: usize,
}

/// Estimated size of an enumeration of all tours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EnumerationEstimate {
    /// Number of tours of the board.
    pub tours: f64,
    /// Core seconds of the search and of testing the tours that it finds.
    pub seconds: f64,
}

/// Estimates an enumeration of all tours by random walks. Rejects boards that are too large or have
/// far too many tours.
///
/// # Errors
/// As for [`ExhaustiveClasses::new`], by estimate.
pub fn estimate_enumeration(
    setting: &SymmetricContext,
    control: &Control,
) -> Result<EnumerationEstimate, CountError> {
    setting.begin_enumeration()?;
    if uses_brute_force(setting) {
        return Ok(EnumerationEstimate::default());
    }
    let problem = new_problem(setting)?;
    let images = problem.search_group().order() as f64;
    let max_tours = MAX_ENUMERATED_TOURS as f64 * images;
    let plan = MultipathPlan::new(problem, Some(0))?;
    let probes = (2000 / plan.units().len().max(1)).max(2) as u32;
    let tree_estimate = tree_size_estimate::estimate_tree(&plan, probes, 0, control).ok_or(Stopped)?;
    let element_tests = tree_estimate.tours.0 / images * (setting.group().order() - 1) as f64;
    let seconds = engine_cost::visit_seconds(setting.graph(), tree_estimate.nodes.0)
        + element_tests * SECONDS_PER_ELEMENT_TEST;
    let estimate = EnumerationEstimate { tours: tree_estimate.tours.0, seconds };
    if estimate.tours > max_tours * MAX_OVERESTIMATE && !setting.is_forced() {
        return Err(CountError::TooManyByEstimate { tours: estimate.tours });
    }
    Ok(estimate)
}

/// Returns true if the tours are found by brute force, which ignores required moves.
fn uses_brute_force(setting: &SymmetricContext) -> bool {
    setting.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES && !setting.board().is_restricted()
}

fn new_problem(setting: &SymmetricContext) -> Result<Problem, CountError> {
    if setting.graph().len() > MAX_SQUARES {
        return Err(CountError::TooLargeToEnumerate(setting.board().size_clause()));
    }
    Ok(Problem::new(setting.tours())?)
}

impl ExhaustiveClasses {
    /// Enumerates all tours and counts them by the elements that fix them. `total` is the
    /// number of tours.
    ///
    /// # Errors
    /// There are too many tours, the board is too large, the run was stopped, or the numbers
    /// contradict each other.
    pub fn new(setting: &SymmetricContext, total: &BigUint, control: &Control) -> Result<Self, CountError> {
        setting.begin_enumeration()?;
        let (group, kind) = (setting.group(), setting.kind());
        let mut tours: BTreeMap<ActionCounts, BigUint> = BTreeMap::new();
        if uses_brute_force(setting) {
            for tour in setting.brute_force_tours() {
                *tours
                    .entry(SymmetryForm::new(&tour, kind.shape()).count_actions(group.elements()))
                    .or_default() += 1u32;
            }
        } else {
            let problem = new_problem(setting)?;
            // The search visits one tour for each element of the group that its symmetry breaking uses.
            let max_tours = BigUint::from(MAX_ENUMERATED_TOURS) * problem.search_group().order();
            if *total > max_tours && !setting.is_forced() {
                return Err(CountError::TooManyTours(total.clone()));
            }
            let plan = MultipathPlan::new_under(problem, None, control)?.ok_or(Stopped)?;
            let sums = Mutex::new(tours);
            let schedule = plan.schedule();
            control.begin_run(schedule.len(), &schedule);
            unit_runner::run_units(&schedule, control, |number| {
                let (nodes, found) = with_bitboard!(
                    plan.problem().bitboard_width(),
                    B => classify_unit::<B>(&plan, number, group.elements(), kind, control)
                );
                control.finish_unit(number, nodes, found.values().sum::<u64>().into());
                let images = plan.weight(&plan.units()[number]);
                let mut sums = lock(&sums);
                for (counts, tours) in found {
                    *sums.entry(counts).or_default() += BigUint::from(tours) * images;
                }
            })?;
            tours = sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        let all: BigUint = tours.values().sum();
        if all != *total {
            return Err(TheoremViolation::new(format!(
                "{all} tours were enumerated, but {total} were counted"
            ))
            .into());
        }
        Ok(Self { tours, order: group.order() })
    }

    /// Returns the number of distinct tours.
    ///
    /// # Errors
    /// The numbers contradict each other.
    pub fn class_count(&self) -> Result<BigUint, CountError> {
        Ok(self.class_rows()?.into_iter().map(|(_, numbers)| numbers.classes).sum())
    }

    /// Returns the numbers of tours and of distinct tours by class of symmetry, the least symmetric
    /// class first.
    ///
    /// # Errors
    /// The numbers contradict each other.
    pub fn class_rows(&self) -> Result<Vec<(SymmetryClass, ClassNumbers)>, CountError> {
        let row = |(&counts, tours): (&ActionCounts, &BigUint)| {
            let fixing = counts.fixing;
            let what = format!("tours fixed by {fixing} symmetries, times {fixing}");
            let classes = divide_exactly(&(tours * fixing), self.order, &what)?;
            let numbers = ClassNumbers { tours: tours.clone(), classes };
            Ok((SymmetryClass::from_counts(counts), numbers))
        };
        self.tours.iter().map(row).collect()
    }
}

/// Tests the tours of a unit. Returns the number of nodes, and the numbers of tours by the elements that fix
/// them. `elements` are those of the whole group; the symmetry breaking of the search may use only a subgroup.
fn classify_unit<B: Bitboard>(
    plan: &MultipathPlan,
    number: usize,
    elements: &[Element],
    kind: Kind,
    control: &Control,
) -> (u64, BTreeMap<ActionCounts, u64>) {
    let mut found: BTreeMap<ActionCounts, u64> = BTreeMap::new();
    let mut visitor = SequenceVisitor::new(control.cancel_flag(), |tour: &mut Vec<u32>| {
        *found.entry(SymmetryForm::new(tour, kind.shape()).count_actions(elements)).or_default() += 1;
        ControlFlow::Continue(())
    });
    let nodes = plan.unit_root::<B>(&plan.units()[number]).visit(&mut visitor);
    (nodes, found)
}
