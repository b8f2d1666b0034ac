//! What a sweep will take, before it runs.
//!
//! A dry run over the signatures alone, forwards and backwards, tells exactly
//! which blocks every layer will have, and so how many weights: the sweep has at
//! most these. Only the width of the weights, which grows by something under a
//! bit a step, and the speed of the machine are guessed:
//!
//! ```text
//! bytes = fixed + greatest (layer before + layer after), the part in flight only, x bytes a weight
//! time  = (4.5 ns a weight, to 7 times that if it is wide, + 20 ns a word of signatures and step) / threads
//! ```
//!
//! Cost: O(steps x choices x 3^slots / 81), a few milliseconds a step for 16 slots.

use std::sync::Arc;

use rayon::prelude::*;

use crate::frontier::block::tables::Tables;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::stride::{Sources, Stride};
use crate::frontier::run::sweep::fixed_bytes;
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;

/// The expected size of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Slots of the frontier.
    pub slots: usize,
    /// Steps: vertices, the apex included.
    pub steps: usize,
    /// Weights of the greatest layer at most; states are never more.
    pub peak_weights: u64,
    /// Weights of all layers at most.
    pub weights: u64,
    /// Bytes of memory needed.
    pub peak_bytes: u64,
    /// Those of them for tables and the program itself.
    pub fixed_bytes: u64,
    /// Seconds needed on the given number of threads.
    pub seconds: f64,
    /// Weights after every step at most.
    pub layers: Vec<u64>,
}

/// Nanoseconds of CPU per narrow weight and per word and step, measured.
const NANOSECONDS: (f64, f64) = (4.5, 20.0);

/// Bits that the greatest weight gains a step: closed tours, paths.
const BITS_A_STEP: (f64, f64) = (0.75, 0.9);

impl Estimate {
    /// Predicts the sweep of a course on the current rayon pool, with the tables that it would use.
    #[must_use]
    pub fn of(
        course: &Course,
        mut feasibility: Option<Feasibility>,
        is_closed: bool,
        memory: Option<u64>,
    ) -> Self {
        let (words, steps) = (course.words(), course.len());
        let tables = Tables::new(0);
        let mut result = Self { slots: course.plan().slots(), steps, ..Self::default() };
        result.fixed_bytes = fixed_bytes(course, feasibility.is_some(), memory);
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunks()];
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        layer[0] = Some(Arc::new(Chunk { entries, ..Chunk::default() }));
        let bits_a_step = if is_closed { BITS_A_STEP.0 } else { BITS_A_STEP.1 };
        let (mut before, mut nanoseconds) = (0, 0.0);
        for t in 0..steps {
            let feasible = feasibility.as_mut().map(|feasibility| feasibility.after(t));
            let stride = Stride::new(course, &tables, feasible.as_ref().map(|table| table.as_slice()), t);
            let weights;
            (layer, weights) = trace(&stride, &layer);
            // Bytes, and time as a multiple of the narrowest's, measured.
            let (width, times) = match (t as f64 * bits_a_step) as u32 {
                0..37 => (4, 1.0),
                37..69 => (8, 1.4),
                69..133 => (16, 1.6),
                133..261 => (32, 4.0),
                _ => (64, 7.0),
            };
            nanoseconds += NANOSECONDS.0 * times * weights as f64 + NANOSECONDS.1 * words.len() as f64;
            result.layers.push(weights);
            result.weights += weights;
            result.peak_weights = result.peak_weights.max(weights);
            // Half of the smaller layer is there while the greater is complete.
            let bytes = (weights.max(before) + weights.min(before) / 2) * width;
            result.peak_bytes = result.peak_bytes.max(bytes);
            before = weights;
        }
        result.seconds = nanoseconds / 1e9 / rayon::current_num_threads().max(1) as f64;
        result.peak_bytes += result.fixed_bytes;
        result
    }
}

/// The signatures after the step, without weights, and how many weights they have at most.
fn trace(stride: &Stride, source: &Sources) -> (Vec<Option<Arc<Chunk>>>, u64) {
    let parts: Vec<_> = (0..source.len())
        .into_par_iter()
        .with_max_len(16)
        .map(|high| stride.trace_chunk(source, high))
        .collect();
    let weights = parts.iter().map(|part| part.1).sum();
    (parts.into_iter().map(|part| part.0).collect(), weights)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use crate::board::Leaper;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;
    use crate::frontier::run::observer::{Observer, StepReport};
    use crate::frontier::run::options::{Options, Storage};
    use crate::frontier::run::prepare::Prepared;

    struct Weights(Vec<u64>);

    impl Observer for Weights {
        fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
            self.0.push(report.tally.weights);
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn no_layer_has_more_weights_than_were_predicted() {
        let field = Field::board(&"5x6".parse().unwrap(), Leaper::KNIGHT);
        for tours in [Tours::Closed, Tours::Paths] {
            let mut prepared = Prepared::new(&field, tours, &Options::default()).unwrap();
            let estimate = prepared.estimate().unwrap();
            let mut swept = Weights(Vec::new());
            let totals = prepared.sweep(Storage::default(), &mut swept).unwrap().totals;
            assert_eq!((estimate.steps, estimate.layers.len()), (swept.0.len(), swept.0.len()));
            assert!(swept.0.iter().zip(&estimate.layers).all(|(weights, most)| weights <= most));
            assert_eq!(estimate.weights, estimate.layers.iter().sum::<u64>());
            assert!(
                estimate.peak_weights >= totals.peak_weights && estimate.peak_bytes > estimate.fixed_bytes
            );
        }
    }
}
