//! Sweeps that count, one after the other, and report to a control.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::control::Control;
use crate::frontier::{
    Cancel, Factors, Field, Observer, Options, Outcome, Pulse, StepReport, Tours, TrailError, count, order_of,
};

use super::error::IndexError;
use super::numbered::Numbered;

/// An observer that reports steps to the control and stops a cancelled sweep.
struct Patient<'a>(&'a Control);

impl Observer for Patient<'_> {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        if report.step == 1 {
            self.0.sweep_begins(&vec![1.0; report.steps], 0);
        }
        self.0.sweep_step(report.step, report.steps, report.tally.states, report.usage.bytes);
        if self.0.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn pulse(&mut self) -> Pulse {
        if self.0.is_cancelled() { Pulse::Stop } else { Pulse::Go }
    }
}

/// The sweeps of one statistic, all in one order of the squares.
pub struct Sweeps<'a> {
    /// Tours counted.
    pub numbered: &'a Numbered,
    field: Field,
    options: Options,
    control: &'a Control,
}

impl<'a> Sweeps<'a> {
    /// Creates sweeps of a set of tours under a memory limit in bytes.
    #[must_use]
    pub fn new(numbered: &'a Numbered, memory: Option<u64>, control: &'a Control) -> Self {
        let options = Options {
            memory: memory.or_else(crate::memory::ceiling),
            allocator: control.allocator(),
            cancel: Cancel::from(control.flag()),
            ..Options::default()
        };
        Self { numbered, field: Field::of(&numbered.arena), options, control }
    }

    /// Fixes the order of all later sweeps to the best order for the unmodified board.
    ///
    /// # Errors
    /// The frontier is too wide, or the control was cancelled.
    pub fn in_one_order(&mut self) -> Result<(), IndexError> {
        self.options.order = order_of(&self.field, self.numbered.tours()?, &self.options.cancel)?;
        Ok(())
    }

    /// Returns the options of the sweeps.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    /// Counts the tours of a kind on the unmodified board.
    ///
    /// # Errors
    /// As for a sweep.
    pub fn all(&self, tours: Tours) -> Result<BigUint, IndexError> {
        Ok(self.sweep(&self.field, tours, &self.options)?.count)
    }

    /// Returns the sum over all tours of the products of the factors of their edges.
    ///
    /// # Errors
    /// As for a sweep.
    pub fn weighted(&self, factors: Factors, options: &Options) -> Result<Outcome, IndexError> {
        let field = match factors.is_empty() {
            true => self.field.clone(),
            false => {
                let graph = self.field.as_graph().clone();
                Field::weighted(graph, factors, self.field.automorphisms().to_vec())
            }
        };
        self.sweep(&field, self.numbered.tours()?, options)
    }

    /// Counts the tours of a kind that use only edges for which `keeps` returns true.
    ///
    /// # Errors
    /// As for a sweep.
    pub fn on(&self, keeps: &impl Fn(u32, u32) -> bool, tours: Tours) -> Result<BigUint, IndexError> {
        let graph = self.field.as_graph();
        let edges = edges(graph).filter(|&(v, w)| keeps(v, w)).map(|(v, w)| (v as usize, w as usize));
        let fewer = crate::board::Graph::from_edges(graph.len(), edges);
        let still = self.field.automorphisms().iter().filter(|image| fewer.is_kept_by(image));
        let automorphisms = still.cloned().collect();
        let field = Field::weighted(fewer, BTreeMap::new(), automorphisms);
        Ok(self.sweep(&field, tours, &self.options)?.count)
    }

    fn sweep(&self, field: &Field, tours: Tours, options: &Options) -> Result<Outcome, IndexError> {
        count(field, tours, options, &mut Patient(self.control))
            .map_err(|error| IndexError::from(TrailError::from(error)))
    }
}

/// Returns the edges of a graph, the lower vertex first.
pub fn edges(graph: &crate::board::Graph) -> impl Iterator<Item = (u32, u32)> {
    (0..graph.len() as u32)
        .flat_map(move |v| graph.neighbours(v as usize).iter().filter(move |&&w| v < w).map(move |&w| (v, w)))
}
