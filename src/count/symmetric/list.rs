//! The symmetric tours themselves, streamed.
//!
//! A *pass* visits the walks of one quotient and unfolds them. A symmetry's name can
//! stand for several elements of the group; a tour that more than one of them keeps
//! is listed by the first pass that meets it. Of a class of tours the canonical form
//! is listed: an image of a tour has the image of its symmetry, which has the same
//! name, so every class's canonical form comes along. Nothing is remembered from one
//! tour to the next.

use std::ops::ControlFlow;

use crate::board::{Bitboard, Element};
use crate::control::Control;
use crate::count::CountError;
use crate::search::ordered::{self, Chunk, Outbox};
use crate::search::split::Plan;
use crate::search::visitor::Lister;
use crate::search::width::{ForBitboard, with_bitboard};
use crate::search::workers::Stopped;
use crate::tour::{Kind, Shape, TourKind, TourWriter, canonical, lowest};

use super::fixed::Setting;
use super::named::Named;
use super::quotient::Quotient;
use super::tiny;
use super::unfold::{Fold, unfold};
use super::visit;
use super::walks::{Action, Walks};

/// The search for the tours that one element keeps.
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

/// What to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which tours.
    pub kind: Kind,
    /// Their symmetry.
    pub named: Named,
    /// One tour of each class.
    pub distinct: bool,
    /// Both directions of each tour.
    pub directed: bool,
}

impl<'a> Pass<'a> {
    /// The pass for the `g`-th element, on boards of more squares than a few.
    ///
    /// # Errors
    /// A board too large to search.
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

    /// Visits the tours of a unit, until `each` breaks off or the control is cancelled; nodes of the search.
    fn visit(
        &self,
        mut unit: usize,
        control: &Control,
        each: &mut impl FnMut(&mut Vec<u32>) -> ControlFlow<()>,
    ) -> u64 {
        for plan in &self.plans {
            if unit < plan.units().len() {
                let len = plan.problem().graph().len();
                return with_bitboard(len, Visit { pass: self, plan, unit, control, each });
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

struct Visit<'a, F> {
    pass: &'a Pass<'a>,
    plan: &'a Plan,
    unit: usize,
    control: &'a Control,
    each: &'a mut F,
}

impl<F: FnMut(&mut Vec<u32>) -> ControlFlow<()>> ForBitboard for Visit<'_, F> {
    type Output = u64;

    fn run<B: Bitboard>(self) -> u64 {
        let pass = self.pass;
        let mut visitor = Lister::new(self.control.flag(), |walk: &mut Vec<u32>| {
            unfold(&pass.quotient, pass.fold, walk, &mut |tour| {
                if pass.is_wanted(tour) { (self.each)(tour) } else { ControlFlow::Continue(()) }
            })
        });
        self.plan.root::<B>(&self.plan.units()[self.unit]).visit(&mut visitor)
    }
}

/// Calls `each` with every tour of a pass, on one thread.
///
/// # Errors
/// [`CountError::Stopped`].
pub fn visit_all(
    pass: &Pass<'_>,
    control: &Control,
    each: &mut impl FnMut(&[u32]),
) -> Result<(), CountError> {
    for unit in 0..pass.units() {
        pass.visit(unit, control, &mut |tour| {
            each(tour);
            ControlFlow::Continue(())
        });
        if control.is_cancelled() {
            return Err(Stopped.into());
        }
    }
    Ok(())
}

/// Lists the tours with a symmetry: hands text in the writer's format to `sink`, chunk by chunk, in an order
/// that depends on the question alone. Uses as many threads as the current rayon pool has.
///
/// # Errors
/// A board too large to search; [`CountError::Stopped`] if the sink or the control ended the run.
pub fn list(
    setting: &Setting,
    wanted: Wanted,
    writer: &TourWriter,
    control: &Control,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> Result<(), CountError> {
    let elements = setting.group().elements();
    let wanted_acts = setting.acts(wanted.named);
    let mut acts: Vec<(usize, Action)> = Vec::new();
    for (g, element) in elements.iter().enumerate().skip(1) {
        let is_inverse = |&(h, _): &(usize, Action)| {
            element.image.iter().enumerate().all(|(v, &w)| elements[h].image[w as usize] as usize == v)
        };
        let is_it = |action: &Action| wanted_acts.contains(&(g, *action));
        // What an element keeps its inverse keeps as well; one of them is enough.
        if !acts.iter().any(|act| act.0 != g && is_inverse(act)) {
            acts.extend(Action::ALL.into_iter().filter(is_it).map(|action| (g, action)));
        }
    }
    let keeps =
        |tour: &[u32], &(g, action): &(usize, Action)| setting.keeps(tour, wanted.kind, &elements[g], action);
    let threads = rayon::current_num_threads();
    let flow = if setting.graph().len() <= tiny::MOST {
        let work = |_: usize, outbox: &mut Outbox<'_>| {
            for mut tour in setting.few(wanted.kind) {
                if acts.iter().any(|act| keeps(&tour, act))
                    && write(setting, wanted, writer, &mut tour, outbox).is_break()
                {
                    return;
                }
            }
        };
        ordered::run(1, threads, writer.separator(), control.flag(), work, sink)
    } else {
        let passes = acts
            .iter()
            .map(|&(g, action)| Pass::new(setting, g, action, wanted.kind))
            .collect::<Result<Vec<_>, _>>()?;
        let units: Vec<(usize, usize)> = passes
            .iter()
            .enumerate()
            .flat_map(|(p, pass)| (0..pass.units()).map(move |unit| (p, unit)))
            .collect();
        let all: Vec<u32> = (0..units.len() as u32).collect();
        control.begin(all.len(), &all);
        let work = |number: usize, outbox: &mut Outbox<'_>| {
            let (p, unit) = units[number];
            let mut tours = 0;
            let nodes = passes[p].visit(unit, control, &mut |tour| {
                debug_assert_eq!(
                    tiny::action(tour, wanted.kind == Kind::Closed, &passes[p].element.image),
                    Some(passes[p].action)
                );
                if acts[..p].iter().any(|act| keeps(tour, act)) {
                    return ControlFlow::Continue(());
                }
                tours += 1;
                write(setting, wanted, writer, tour, outbox)
            });
            control.unit_done(number, nodes, tours);
        };
        ordered::run(units.len(), threads, writer.separator(), control.flag(), work, sink)
    };
    if flow.is_break() || control.is_cancelled() { Err(Stopped.into()) } else { Ok(()) }
}

/// Writes a tour from its lowest square or end, if it is wanted, and its other direction if that is.
fn write(
    setting: &Setting,
    wanted: Wanted,
    writer: &TourWriter,
    tour: &mut [u32],
    outbox: &mut Outbox<'_>,
) -> ControlFlow<()> {
    let closed = wanted.kind == Kind::Closed;
    let shape = if closed { Shape::Closed } else { Shape::Path };
    lowest(tour, shape);
    if wanted.distinct && canonical(tour, shape, setting.group()) != tour {
        return ControlFlow::Continue(());
    }
    let re_entrant =
        tour.len() > 2 && setting.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize);
    let kind = match (closed, re_entrant) {
        (true, _) => TourKind::Closed,
        (false, true) => TourKind::ReEntrant,
        (false, false) => TourKind::Open,
    };
    outbox.push(|out| writer.write(out, kind, tour))?;
    if wanted.directed {
        if closed {
            tour[1..].reverse()
        } else {
            tour.reverse()
        }
        outbox.push(|out| writer.write(out, kind, tour))?;
    }
    ControlFlow::Continue(())
}
