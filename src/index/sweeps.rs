//! Sweeps that count, one after the other, told to a control.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::control::Control;
use crate::frontier::{
    Cancel, Factors, Field, Observer, Options, Outcome, Pulse, StepReport, Tours, TrailError, count, order_of,
};

use super::error::IndexError;
use super::numbered::Numbered;

/// Tells the control of steps, and ends a sweep that nobody wants any more.
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

/// The sweeps of a question about all tours of an arena, by one order of its squares.
pub struct Sweeps<'a> {
    /// Which tours.
    pub numbered: &'a Numbered,
    field: Field,
    options: Options,
    control: &'a Control,
}

impl<'a> Sweeps<'a> {
    /// Sweeps of these tours under a ceiling.
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

    /// From now on all sweeps go by the order that is good for the arena as it is.
    ///
    /// # Errors
    /// The frontier is too wide, or it was cancelled.
    pub fn in_one_order(&mut self) -> Result<(), IndexError> {
        self.options.order = order_of(&self.field, self.numbered.tours()?, &self.options.cancel)?;
        Ok(())
    }

    /// How they are made.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    /// The number of tours of a kind of the arena as it is.
    ///
    /// # Errors
    /// Those of a sweep.
    pub fn all(&self, tours: Tours) -> Result<BigUint, IndexError> {
        Ok(self.sweep(&self.field, tours, &self.options)?.count)
    }

    /// The sum over all tours of the products of these factors of their edges.
    ///
    /// # Errors
    /// Those of a sweep.
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

    /// The number of tours of a kind on the edges that are kept.
    ///
    /// # Errors
    /// Those of a sweep.
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

/// The edges of a graph, the lower vertex first.
pub fn edges(graph: &crate::board::Graph) -> impl Iterator<Item = (u32, u32)> {
    (0..graph.len() as u32)
        .flat_map(move |v| graph.neighbours(v as usize).iter().filter(move |&&w| v < w).map(move |&w| (v, w)))
}
