//! Distinct tours by looking at every tour.
//!
//! A class has as many tours as the group has elements for each that keeps one of them.
//! So if every tour counts for the number of elements that keep it, each class counts for
//! the group's order, whatever its size:
//!
//! ```text
//! distinct tours = sum of |elements that keep the tour| over all tours / |G|
//! ```
//!
//! Only one tour of those that a search knows to be alike is looked at. For groups whose
//! elements act in ways that no quotient is known for (turns of order three, say), and up
//! to [`MOST_SEEN`] tours.

use std::ops::ControlFlow;
use std::sync::Mutex;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use crate::board::{Bitboard, Element};
use crate::control::Control;
use crate::count::CountError;
use crate::count::theorems::Broken;
use crate::lock::lock;
use crate::search::problem::Problem;
use crate::search::split::Plan;
use crate::search::visitor::Lister;
use crate::search::width::{ForBitboard, with_bitboard};
use crate::search::workers;
use crate::tour::Kind;

use super::fixed::Setting;
use super::tiny;

/// Tours that are looked at: some minutes.
pub const MOST_SEEN: u64 = 1 << 28;

/// The number of distinct tours of a kind, of which there are `total` in all.
///
/// # Errors
/// Too many tours, an arena that is too large, a run that was stopped, or numbers that cannot be.
pub fn distinct(
    setting: &Setting,
    kind: Kind,
    total: &BigUint,
    control: &Control,
) -> Result<BigUint, CountError> {
    setting.looks()?;
    let group = setting.group();
    let (all, kept) = if setting.graph().len() <= tiny::MOST {
        let tours = setting.few(kind);
        let kept: u64 = tours.iter().map(|tour| keeping(group.elements(), tour, kind)).sum();
        (BigUint::from(tours.len()), BigUint::from(kept))
    } else {
        let problem = Problem::on_graph(setting.graph().clone(), group.clone(), kind, (None, None))?;
        // One for each element of the group that the search makes use of.
        if *total > BigUint::from(MOST_SEEN) * problem.group().order() {
            return Err(CountError::TooManyToSee(total.clone()));
        }
        let plan = Plan::new(problem, None)?;
        let sums = Mutex::new((BigUint::ZERO, BigUint::ZERO));
        let schedule = plan.schedule();
        control.begin(schedule.len(), &schedule);
        workers::run(&schedule, control, |number| {
            let look = Look { plan: &plan, number, elements: group.elements(), kind, control };
            let (nodes, tours, kept) = with_bitboard(plan.problem().graph().len(), look);
            control.unit_done(number, nodes, tours.into());
            let images = plan.weight(&plan.units()[number]);
            let mut sums = lock(&sums);
            sums.0 += BigUint::from(tours) * images;
            sums.1 += BigUint::from(kept) * images;
        })?;
        sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    };
    if all != *total {
        return Err(Broken::new(format!("{all} tours were looked at, {total} were counted")).into());
    }
    let (distinct, rest) = kept.div_rem(&BigUint::from(group.order()));
    if rest.is_zero() {
        Ok(distinct)
    } else {
        Err(Broken::new(format!("tours are kept {kept} times by {} symmetries", group.order())).into())
    }
}

/// How many elements keep a tour.
fn keeping(elements: &[Element], tour: &[u32], kind: Kind) -> u64 {
    // The identity does, whatever the tour.
    let closed = kind == Kind::Closed;
    let others = &elements[1..];
    1 + others.iter().filter(|element| tiny::action(tour, closed, &element.image).is_some()).count() as u64
}

/// Looks at the tours of a unit: nodes, tours, and how often they are kept.
struct Look<'a> {
    plan: &'a Plan,
    number: usize,
    /// Of the whole group: the search may make use of a part of it.
    elements: &'a [Element],
    kind: Kind,
    control: &'a Control,
}

impl ForBitboard for Look<'_> {
    type Output = (u64, u64, u64);

    fn run<B: Bitboard>(self) -> Self::Output {
        let (mut tours, mut kept) = (0, 0);
        let mut visitor = Lister::new(self.control.flag(), |tour: &mut Vec<u32>| {
            tours += 1;
            kept += keeping(self.elements, tour, self.kind);
            ControlFlow::Continue(())
        });
        let nodes = self.plan.root::<B>(&self.plan.units()[self.number]).visit(&mut visitor);
        (nodes, tours, kept)
    }
}
