//! Choice and execution of the engine for a planned sweep: blocks, or a hash table of states.

use std::sync::Arc;

use super::block_sweep::BlockSweep;
use super::hashed_sweep;
use super::options::{Method, Options, Storage};
use super::report::{Observer, Outcome};
use super::sweep_tables::SweepTables;
use super::two_sided::TwoSidedPlan;
use crate::control::AllocatorRequest;
use crate::frontier::planning::plan::Plan;
use crate::frontier::planning::problem::Cycles;
use crate::frontier::ranks::communicator::Collective;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::weights::modulus::Modulus;

/// Greatest number of states of a layer with which a trial of the hashed sweep continues. Sweeps
/// with wide frontiers begin with such a trial.
pub const MAX_TRIAL_STATES: usize = 100_000;

/// Minimum number of slots for which the hashed sweep is tried first.
const MIN_TRIAL_SLOTS: usize = 18;

/// Returns true if a hashed sweep of the plan may be tried before the sweep by blocks, or may
/// replace it.
#[must_use]
pub fn may_use_hash_table(plan: &Plan, options: &Options) -> bool {
    plan.slot_count() >= MIN_TRIAL_SLOTS && options.method == Method::Auto && options.shard.is_none()
}

/// Choice of the engine that runs a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineChoice {
    /// Blocks: vectors of the weights of all matchings.
    Blocks,
    /// A hash table of states.
    Hashed,
    /// A hash table as long as all layers have few states; if a layer has more, the sweep restarts
    /// with blocks.
    HashedThenBlocks,
}

/// Engine of a sweep: its plan and all other inputs.
pub struct Engine<'a> {
    /// The cycles to be counted.
    pub cycles: &'a Cycles,
    /// The plan: the order of the vertices and its steps.
    pub plan: &'a Arc<Plan>,
    /// The two-sided plan; `None` for a one-sided sweep.
    pub two_sided: Option<&'a TwoSidedPlan>,
    /// The options of the sweep.
    pub options: &'a Options,
    /// The feasibility tables, if an estimate has built them.
    pub tables: Option<SweepTables>,
}

impl Engine<'_> {
    /// Runs the sweep by blocks or with a hash table, as the plan and the options require.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, storage: Storage, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let Self { cycles, plan, options, .. } = self;
        let is_shared = Collective::new(storage.peers).communicator().is_some();
        let choice = self.choose(is_shared, storage.resume_from.is_some())?;
        if choice != EngineChoice::Blocks {
            let max_states = (choice == EngineChoice::HashedThenBlocks).then_some(MAX_TRIAL_STATES);
            // Tables that are reserved for blocks occupy memory during the hashed sweep.
            let sizes = self.tables.as_ref().map(SweepTables::sizes).unwrap_or_default();
            let table_bytes = sizes.max_bytes(options.memory);
            let memory = options.memory.map(|memory| memory.saturating_sub(table_bytes));
            let options = Options { memory, ..options.clone() };
            if let Some(outcome) = hashed_sweep::sweep_hashed(cycles, plan, &options, max_states, observer)? {
                return Ok(match options.modulo {
                    Some(Modulus::Residues(lane)) => outcome.to_residues(lane),
                    _ => outcome,
                });
            }
        }
        let outcome = self.run_blocks(storage, observer)?;
        Ok(match options.modulo {
            Some(Modulus::PowerOfTwo(width)) if cycles.has_negative_factors() => {
                outcome.to_signed(width.bits())
            }
            Some(Modulus::Residues(lane)) => outcome.to_residues(lane),
            _ => outcome,
        })
    }

    fn choose(&self, is_shared: bool, is_resumed: bool) -> Result<EngineChoice, Error> {
        let &Options { method, modulo, shard, .. } = self.options;
        let width = self.plan.slot_count();
        let is_wide = SignatureSpace::new(self.plan).is_none();
        let has_no_sign = self.cycles.has_negative_factors() && modulo.is_none();
        let must_hash = is_wide || has_no_sign;
        match method {
            // A sweep without blocks cannot be shared: every rank would repeat all of it.
            Method::Hashed if is_shared => Err(Error::NeedsHashTable { width }),
            Method::Auto if is_shared && must_hash => Err(Error::NeedsHashTable { width }),
            Method::Hashed => Ok(EngineChoice::Hashed),
            Method::Blocks if has_no_sign => Err(Error::NegativeFactors),
            Method::Blocks if is_wide => Err(Error::TooWide { width }),
            Method::Auto if must_hash => Ok(EngineChoice::Hashed),
            Method::Auto if width >= MIN_TRIAL_SLOTS && shard.is_none() && !is_resumed && !is_shared => {
                Ok(EngineChoice::HashedThenBlocks)
            }
            Method::Auto | Method::Blocks => Ok(EngineChoice::Blocks),
        }
    }

    fn run_blocks(self, storage: Storage, observer: &mut dyn Observer) -> Result<Outcome, Error> {
        let request = |request| self.options.allocator.and_then(|grant| grant(request));
        request(AllocatorRequest::KeepFreed);
        let agreement = Collective::new(storage.peers);
        let plan = self.two_sided.map_or(self.plan, |pair| &pair.left);
        let space = Arc::new(SignatureSpace::new(plan).expect("wide frontiers use the hash table"));
        let mut sweep = BlockSweep::new(&space, self.two_sided, self.options, storage, self.tables, observer);
        // If one rank has no memory for its tables, the others must not wait for it.
        let own_result = sweep.as_ref().map(|_| ()).map_err(Clone::clone);
        if let Err(error) = agreement.allgather(own_result, |what| Error::NotConnected { message: what }) {
            sweep = Err(error);
        }
        let result = sweep.and_then(BlockSweep::run);
        request(AllocatorRequest::Trim);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Graph, Leaper, Rectangle};
    use crate::frontier::planning::problem::Tours;
    use crate::frontier::planning::problem::{Factors, SweepGraph};
    use crate::frontier::signature::shard::SweepShard;
    use crate::frontier::weights::weight::Width;

    fn way(
        sweep_graph: &SweepGraph,
        options: &Options,
        is_shared: bool,
        is_resumed: bool,
    ) -> Result<EngineChoice, Error> {
        let cycles = Cycles::from_sweep_graph(sweep_graph, Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let plan = Arc::new(Plan::new(&cycles, &order, false));
        Engine { cycles: &cycles, plan: &plan, two_sided: None, options, tables: None }
            .choose(is_shared, is_resumed)
    }

    fn board(rows: u16, cols: u16) -> SweepGraph {
        SweepGraph::from_board(&Rectangle::new(rows, cols).unwrap().into())
    }

    #[test]
    fn choose_uses_blocks_for_narrow_and_tries_hashing_for_wide_frontiers() {
        let by = |method| Options { method, ..Options::default() };
        let auto = by(Method::Auto);
        assert_eq!(way(&board(6, 6), &auto, false, false), Ok(EngineChoice::Blocks));
        assert_eq!(way(&board(6, 6), &by(Method::Hashed), false, false), Ok(EngineChoice::Hashed));
        // In row-major order a rook's single steps have as many squares on the frontier as there are columns.
        let rook = |cols| {
            SweepGraph::from_board(&Board::from_leaper(
                Rectangle::new(2, cols).unwrap(),
                Leaper::new(0, 1).unwrap(),
            ))
        };
        let wide = rook(MIN_TRIAL_SLOTS as u16);
        assert_eq!(way(&wide, &auto, false, false), Ok(EngineChoice::HashedThenBlocks));
        assert_eq!(way(&wide, &auto, false, true), Ok(EngineChoice::Blocks), "resumed");
        assert_eq!(way(&wide, &auto, true, false), Ok(EngineChoice::Blocks), "shared");
        let cut = Options { shard: Some(SweepShard { index: 0, count: 2 }), ..auto.clone() };
        assert_eq!(way(&wide, &cut, false, false), Ok(EngineChoice::Blocks), "sharded");
        let widest = rook(30);
        assert_eq!(way(&widest, &auto, false, false), Ok(EngineChoice::Hashed));
        assert!(matches!(way(&widest, &by(Method::Blocks), false, false), Err(Error::TooWide { .. })));
        assert!(matches!(way(&widest, &auto, true, false), Err(Error::NeedsHashTable { .. })));
        assert!(matches!(
            way(&board(6, 6), &by(Method::Hashed), true, false),
            Err(Error::NeedsHashTable { .. })
        ));
    }

    #[test]
    fn choose_hashes_negative_factors_without_modulus() {
        let graph = Graph::from_leaper(&Rectangle::new(5, 6).unwrap(), Leaper::KNIGHT);
        let w = graph.neighbours(0)[0];
        let sweep_graph = SweepGraph::with_factors(graph, Factors::from([((0, w), -1)]), Vec::new());
        let by = |method, modulo| Options { method, modulo, ..Options::default() };
        assert_eq!(way(&sweep_graph, &by(Method::Auto, None), false, false), Ok(EngineChoice::Hashed));
        assert_eq!(
            way(&sweep_graph, &by(Method::Auto, Some(Modulus::PowerOfTwo(Width::W64))), false, false),
            Ok(EngineChoice::Blocks)
        );
        assert_eq!(way(&sweep_graph, &by(Method::Blocks, None), false, false), Err(Error::NegativeFactors));
    }
}
