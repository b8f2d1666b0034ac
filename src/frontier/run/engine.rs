//! The engines: sweeps a plan with blocks or with a hash table, whichever suits it.

use std::sync::Arc;

use crate::control::Wish;
use crate::frontier::block::modulus::Modulus;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::ranks::agreement::Agreement;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::ends::Pair;
use crate::frontier::run::hashed;
use crate::frontier::run::observer::Observer;
use crate::frontier::run::options::{Method, Options, Storage};
use crate::frontier::run::outcome::Outcome;
use crate::frontier::run::sweep::Sweep;
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;

/// Largest number of states in a layer up to which the hashed sweep is tried first on a wide frontier.
pub const FEW_STATES: usize = 100_000;

/// Slots from which on the hashed sweep is tried first.
const WIDE: usize = 18;

/// Returns true if the hashed sweep is tried before, or instead of, the sweep by blocks.
#[must_use]
pub fn may_be_few(plan: &Plan, options: &Options) -> bool {
    plan.slots() >= WIDE && options.method == Method::Auto && options.cut.is_none()
}

/// The engine that sweeps a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Blocks of the weights of all matchings.
    Blocks,
    /// A hash table of states.
    Hashed,
    /// A hash table while the layers have few states, otherwise blocks.
    HashedIfFew,
}

/// A plan with everything that is needed to sweep it.
pub struct Engine<'a> {
    /// The cycles to be counted.
    pub cycles: &'a Cycles,
    /// The plan: the order of the vertices and its steps.
    pub plan: &'a Arc<Plan>,
    /// The two-sided plan; `None` for a one-sided sweep.
    pub pair: Option<&'a Pair>,
    /// The options of the sweep.
    pub options: &'a Options,
    /// The feasibility tables of the whole (unsharded) sweep, if an estimate has built them.
    pub feasibility: Option<Feasibility>,
}

impl Engine<'_> {
    /// Runs the sweep with the engine that suits the plan.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, storage: Storage, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let Self { cycles, plan, options, .. } = self;
        let is_shared = Agreement::new(storage.peers).peers().is_some();
        let way = self.way(is_shared, storage.from.is_some())?;
        if way != Way::Blocks {
            let most = (way == Way::HashedIfFew).then_some(FEW_STATES);
            // Tables that are reserved for blocks occupy memory during the hashed sweep.
            let kept = self.feasibility.as_ref().and_then(|_| Course::new(plan));
            let kept = kept.map_or(0, |course| Feasibility::bytes(&course, options.memory));
            let memory = options.memory.map(|memory| memory.saturating_sub(kept));
            let options = Options { memory, ..options.clone() };
            if let Some(outcome) = hashed::sweep(cycles, plan, &options, most, observer)? {
                return Ok(match options.modulo {
                    Some(Modulus::Lane(lane)) => outcome.modulo(lane),
                    _ => outcome,
                });
            }
        }
        let outcome = self.blocks(storage, observer)?;
        Ok(match options.modulo {
            Some(Modulus::Power(width)) if cycles.has_negatives() => outcome.signed(width.bits()),
            Some(Modulus::Lane(lane)) => outcome.modulo(lane),
            _ => outcome,
        })
    }

    fn way(&self, is_shared: bool, goes_on: bool) -> Result<Way, Error> {
        let &Options { method, modulo, cut, .. } = self.options;
        let width = self.plan.slots();
        let is_wide = Course::new(self.plan).is_none();
        let has_no_sign = self.cycles.has_negatives() && modulo.is_none();
        let must_hash = is_wide || has_no_sign;
        match method {
            // A sweep without blocks cannot be shared: every rank would repeat all of it.
            Method::Hashed if is_shared => Err(Error::Shared { width }),
            Method::Auto if is_shared && must_hash => Err(Error::Shared { width }),
            Method::Hashed => Ok(Way::Hashed),
            Method::Blocks if has_no_sign => Err(Error::Factors),
            Method::Blocks if is_wide => Err(Error::Width { width }),
            Method::Auto if must_hash => Ok(Way::Hashed),
            Method::Auto if width >= WIDE && cut.is_none() && !goes_on && !is_shared => Ok(Way::HashedIfFew),
            Method::Auto | Method::Blocks => Ok(Way::Blocks),
        }
    }

    fn blocks(self, storage: Storage, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let wish = |wish| self.options.allocator.and_then(|grant| grant(wish));
        wish(Wish::Keep);
        let agreement = Agreement::new(storage.peers);
        let plan = self.pair.map_or(self.plan, |pair| &pair.near);
        let course = Arc::new(Course::new(plan).expect("wide frontiers use the hash table"));
        let mut sweep = Sweep::new(&course, self.pair, self.options, storage, self.feasibility, observer);
        // If one rank has no memory for its tables, the others must not wait for it.
        let ready = sweep.as_ref().map(|_| ()).map_err(Clone::clone);
        if let Err(error) = agreement.agree(ready, |what| Error::Unconnected { what }) {
            sweep = Err(error);
        }
        let result = sweep.and_then(Sweep::run);
        wish(Wish::Trim);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Arena, Board, Graph, Leaper};
    use crate::frontier::block::width::Width;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::{Factors, Field};
    use crate::frontier::state::cut::Cut;

    fn way(field: &Field, options: &Options, is_shared: bool, goes_on: bool) -> Result<Way, Error> {
        let cycles = Cycles::of(field, Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Arc::new(Plan::new(&cycles, &order, false));
        Engine { cycles: &cycles, plan: &plan, pair: None, options, feasibility: None }
            .way(is_shared, goes_on)
    }

    fn board(rows: u16, cols: u16) -> Field {
        Field::of(&Board::new(rows, cols).unwrap().into())
    }

    #[test]
    fn narrow_frontiers_are_swept_by_blocks_and_wide_ones_are_tried_first() {
        let by = |method| Options { method, ..Options::default() };
        let auto = by(Method::Auto);
        assert_eq!(way(&board(6, 6), &auto, false, false), Ok(Way::Blocks));
        assert_eq!(way(&board(6, 6), &by(Method::Hashed), false, false), Ok(Way::Hashed));
        // In row-major order a rook's single steps have as many squares on the frontier as there are columns.
        let rook = |cols| Field::of(&Arena::board(Board::new(2, cols).unwrap(), Leaper::new(0, 1).unwrap()));
        let wide = rook(WIDE as u16);
        assert_eq!(way(&wide, &auto, false, false), Ok(Way::HashedIfFew));
        assert_eq!(way(&wide, &auto, false, true), Ok(Way::Blocks), "resumed");
        assert_eq!(way(&wide, &auto, true, false), Ok(Way::Blocks), "shared");
        let cut = Options { cut: Some(Cut { index: 0, count: 2 }), ..auto.clone() };
        assert_eq!(way(&wide, &cut, false, false), Ok(Way::Blocks), "sharded");
        let widest = rook(30);
        assert_eq!(way(&widest, &auto, false, false), Ok(Way::Hashed));
        assert!(matches!(way(&widest, &by(Method::Blocks), false, false), Err(Error::Width { .. })));
        assert!(matches!(way(&widest, &auto, true, false), Err(Error::Shared { .. })));
        assert!(matches!(way(&board(6, 6), &by(Method::Hashed), true, false), Err(Error::Shared { .. })));
    }

    #[test]
    fn factors_below_zero_need_a_width_or_a_hash_table() {
        let graph = Graph::new(&Board::new(5, 6).unwrap(), Leaper::KNIGHT);
        let w = graph.neighbours(0)[0];
        let field = Field::weighted(graph, Factors::from([((0, w), -1)]), Vec::new());
        let by = |method, modulo| Options { method, modulo, ..Options::default() };
        assert_eq!(way(&field, &by(Method::Auto, None), false, false), Ok(Way::Hashed));
        assert_eq!(
            way(&field, &by(Method::Auto, Some(Modulus::Power(Width::W64))), false, false),
            Ok(Way::Blocks)
        );
        assert_eq!(way(&field, &by(Method::Blocks, None), false, false), Err(Error::Factors));
    }
}
