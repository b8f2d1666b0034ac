//! [`CountingSweeps`]: the sweeps that count tours for one statistic, one after the other, with
//! progress reports.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::budget::{MAX_DRY_RUN_SECONDS, Requirements};
use crate::control::Control;
use crate::frontier::{
    Cancel, Command, Error, Estimate, Factors, IndexLayersError, Observer, Options, Outcome, PreparedSweep,
    StepReport, SweepGraph, Tours, count, search_order,
};

use super::error::IndexError;
use super::numbered_tours::sweep_tours;
use crate::tour::TourSpec;

/// Safety factor on the memory of boards that are not rectangles, whose density varies. The sweeps of a torus of 4x8
/// take up to 1.15 times the estimate.
const UNUSUAL_BOARD_MARGIN_FACTOR: f64 = 1.35;

/// An observer that reports the steps of a sweep to a [`Control`] and stops the sweep if it is
/// cancelled.
struct ControlObserver<'a>(&'a Control);

impl Observer for ControlObserver<'_> {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if report.step == 1 {
            self.0.begin_sweep(&vec![1.0; report.steps], 0);
        }
        self.0.finish_sweep_step(report.step, report.steps, report.tally.states, report.usage.bytes);
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn poll(&mut self) -> Command {
        if self.0.is_cancelled() { Command::Stop } else { Command::Continue }
    }
}

/// The sweeps of one statistic, all with the same vertex order.
pub struct CountingSweeps<'a> {
    /// Set of the counted tours.
    pub numbered_tours: &'a TourSpec,
    graph: SweepGraph,
    options: Options,
    control: &'a Control,
}

impl<'a> CountingSweeps<'a> {
    /// Creates the sweeps for the tours of the set `numbered`. `memory` is the memory limit in
    /// bytes.
    #[must_use]
    pub fn new(numbered: &'a TourSpec, memory: Option<u64>, control: &'a Control) -> Self {
        let options = Options {
            memory: memory.or_else(crate::memory::default_limit_bytes),
            allocator: control.allocator_hook(),
            cancel: Cancel::from(control.cancel_flag()),
            ..Options::default()
        };
        Self { numbered_tours: numbered, graph: SweepGraph::from_board(numbered.board()), options, control }
    }

    /// Searches the best vertex order for the unmodified board, and uses it for all later sweeps.
    ///
    /// # Errors
    /// The frontier is too wide, or the caller cancelled the search.
    pub fn fix_order(&mut self) -> Result<(), IndexError> {
        self.options.order =
            search_order(&self.graph, sweep_tours(self.numbered_tours), &self.options.cancel)?;
        Ok(())
    }

    /// Returns what `sweeps` sweeps need, each on a part of the board or with factors, after a sweep of the whole
    /// board. `adapt` changes the options of all but the first sweep. Such a sweep may have no symmetries, and then
    /// its layers are not folded. The memory is the least limit under which no layer is on disk. Fixes the order.
    ///
    /// # Errors
    /// The frontier is too wide, or the caller cancelled the estimate.
    pub fn requirements(
        &mut self,
        sweeps: usize,
        adapt: impl FnOnce(Options) -> Options,
    ) -> Result<Requirements, IndexError> {
        let whole = self.estimate(&self.graph, &self.options)?;
        self.fix_order()?;
        let part = self.estimate(&self.graph.clone().without_automorphisms(), &adapt(self.options()))?;
        let margin = if self.graph.is_rectangle_like() { 1.0 } else { UNUSUAL_BOARD_MARGIN_FACTOR };
        let is_exact = [&whole, &part].iter().all(|sweep| sweep.is_exact || sweep.steps == 0);
        Ok(Requirements {
            seconds: Some(whole.seconds + part.seconds * sweeps as f64),
            memory: (margin * whole.min_memory_without_store().max(part.min_memory_without_store()) as f64)
                as u64,
            memory_overestimate: if is_exact { 1.0 } else { Requirements::overestimate(false) },
            ..Requirements::default()
        })
    }

    fn estimate(&self, sweep_graph: &SweepGraph, options: &Options) -> Result<Estimate, IndexError> {
        let failed = |error: Error| IndexError::from(IndexLayersError::from(error));
        let tours = sweep_tours(self.numbered_tours);
        let mut sweep = PreparedSweep::new(sweep_graph, tours, options).map_err(failed)?;
        let stopped = || failed(Error::Stopped { step: 0, steps: self.graph.as_graph().len() });
        sweep.estimate_within(MAX_DRY_RUN_SECONDS).ok_or_else(stopped)
    }

    /// Returns the options that all sweeps use.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    /// Counts the tours `tours` on the unmodified board.
    ///
    /// # Errors
    /// The errors of a sweep; see [`IndexError`].
    pub fn count(&self, tours: Tours) -> Result<BigUint, IndexError> {
        Ok(self.run_sweep(&self.graph, tours, &self.options)?.count)
    }

    /// Runs a sweep that returns the sum over all tours of the product of the factors of their
    /// edges. An edge that `factors` does not contain has factor 1.
    ///
    /// # Errors
    /// The errors of a sweep; see [`IndexError`].
    pub fn weighted_sum(&self, factors: Factors, options: &Options) -> Result<Outcome, IndexError> {
        let sweep_graph = match factors.is_empty() {
            true => self.graph.clone(),
            false => {
                let graph = self.graph.as_graph().clone();
                SweepGraph::with_factors(graph, factors, self.graph.automorphisms().to_vec())
                    .with_required(self.graph.required())
            }
        };
        self.run_sweep(&sweep_graph, sweep_tours(self.numbered_tours), options)
    }

    /// Counts the tours `tours` that use only edges for which `keeps` returns true.
    ///
    /// # Errors
    /// The errors of a sweep; see [`IndexError`].
    pub fn count_on_edges(
        &self,
        keeps: &impl Fn(u32, u32) -> bool,
        tours: Tours,
    ) -> Result<BigUint, IndexError> {
        let graph = self.graph.as_graph();
        if self.graph.required().iter().any(|&(v, w)| !keeps(v, w)) {
            return Ok(BigUint::ZERO);
        }
        let edges = graph.edges().filter(|&(v, w)| keeps(v, w)).map(|(v, w)| (v as usize, w as usize));
        let fewer = crate::board::Graph::from_edges(graph.len(), edges);
        let remaining = self.graph.automorphisms().iter().filter(|image| fewer.has_automorphism(image));
        let automorphisms = remaining.cloned().collect();
        let sweep_graph = SweepGraph::with_factors(fewer, BTreeMap::new(), automorphisms)
            .with_required(self.graph.required());
        Ok(self.run_sweep(&sweep_graph, tours, &self.options)?.count)
    }

    fn run_sweep(
        &self,
        sweep_graph: &SweepGraph,
        tours: Tours,
        options: &Options,
    ) -> Result<Outcome, IndexError> {
        count(sweep_graph, tours, options, &mut ControlObserver(self.control))
            .map_err(|error| IndexError::from(IndexLayersError::from(error)))
    }
}
