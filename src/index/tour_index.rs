//! [`Index`], which numbers all tours of a set: construction, the tour with a number, and the
//! number of a tour.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;
use rayon::prelude::*;

use crate::budget::{Budget, DiskBudget};
use crate::control::Control;
use crate::frontier::{
    AdmissionCheck, BuildOptions, Cancel, IndexEstimate, IndexLayers, IndexLayersError, IndexLocation, Store,
    SweepGraph,
};
use crate::tour::{BrokenRestriction, Kind, Tour, TourKind, TourSpec};

use super::error::IndexError;
use super::numbered_tours::{layers_name, sequence_edges, sweep_tours, vertex_sequence};

/// Maximum (and below, minimum) number of tours that are computed together.
const MAX_BATCH_TOURS: usize = 1 << 18;
const MIN_BATCH_TOURS: usize = 1 << 10;

/// Memory in bytes for the computation of one tour, and for each vertex of that tour: position in
/// the layers, edges, sequence.
const TOUR_AND_VERTEX_BYTES: (u64, u64) = (300, 24);

/// Divisor of the free memory: the quotient is the memory for tours that are computed together.
const BATCH_MEMORY_DIVISOR: u64 = 4;

/// Limits of memory and disk for building the layers of an index.
#[derive(Clone, Copy, Default)]
pub struct IndexResources<'a> {
    /// Memory limit for layers and tables in bytes; default: nine tenths of the available memory.
    pub memory: Option<u64>,
    /// Place on disk to which layers are moved while they are built, if memory is short; `None` for
    /// memory only.
    pub store: Option<&'a dyn Store>,
}

/// A numbering of all tours of a set, from 0 on, with the layers of the sweep that it is computed
/// from.
#[derive(Debug)]
pub struct Index {
    numbered_tours: TourSpec,
    layers: IndexLayers,
    total: BigUint,
    /// Memory limit of the process in bytes.
    memory_limit: Option<u64>,
}

/// A callback that receives tours: the kind of each tour and its vertices in order of visit. It
/// returns `Break` to stop.
pub type TourCallback<'a> = &'a mut dyn FnMut(TourKind, &[u32]) -> ControlFlow<()>;

impl Index {
    /// Creates the index of the tours of the set `numbered`: builds the layers, or opens them if
    /// their folder has them. Cost: about twice the time of counting the tours by a one-sided
    /// sweep, and one or two bytes for every state of the sweep.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn new(numbered: &TourSpec, location: &IndexLocation, control: &Control) -> Result<Self, IndexError> {
        Self::with_resources(numbered, location, IndexResources::default(), control)
    }

    /// Creates the index of the tours of the set `numbered` like [`Index::new`], with the memory
    /// and disk that `resources` allow.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn with_resources(
        numbered: &TourSpec,
        location: &IndexLocation,
        resources: IndexResources,
        control: &Control,
    ) -> Result<Self, IndexError> {
        let disk = if *location == IndexLocation::Memory { DiskBudget::Absent } else { DiskBudget::Unknown };
        let memory = resources.memory.or_else(crate::memory::default_limit_bytes);
        let budget = Budget { seconds: f64::INFINITY, disk, ..Budget::new(memory) };
        Self::with_admission_check(numbered, location, resources, control, &|estimate| {
            estimate.admit(&budget, None, false)
        })
    }

    /// Returns an estimate of the size and time of the index of `numbered` under a memory limit in
    /// bytes. The estimate comes from a dry run if that takes at most `max_seconds` seconds.
    /// Returns `None` if the number of tours is known without a sweep.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn estimate(
        numbered: &TourSpec,
        memory: Option<u64>,
        max_seconds: f64,
        control: &Control,
    ) -> Result<Option<IndexEstimate>, IndexError> {
        let sweep_graph = SweepGraph::from_board(numbered.board());
        let memory = memory.or_else(crate::memory::default_limit_bytes);
        Ok(IndexEstimate::for_graph(
            &sweep_graph,
            sweep_tours(numbered),
            memory,
            max_seconds,
            &Cancel::from(control.cancel_flag()),
        )?)
    }

    /// Creates the index like [`Index::with_resources`], but lets the caller reject its cost.
    /// `admission_check` receives the estimate before the first layer is built; it is not called if
    /// the layers already exist.
    ///
    /// # Errors
    /// See [`IndexError`]. If `admission_check` rejects the estimate, the error is
    /// [`IndexLayersError::Refused`] with its reason.
    pub fn with_admission_check(
        numbered: &TourSpec,
        location: &IndexLocation,
        resources: IndexResources,
        control: &Control,
        admission_check: AdmissionCheck,
    ) -> Result<Self, IndexError> {
        let (tours, name) = (sweep_tours(numbered), layers_name(numbered));
        let build_options = BuildOptions {
            description: &name,
            memory: resources.memory.or_else(crate::memory::default_limit_bytes),
            store: resources.store,
            allocator: control.allocator_hook(),
            cancel: Cancel::from(control.cancel_flag()),
            admission_check: Some(admission_check),
        };
        control.begin_run(1, &[0]);
        control.begin_planning();
        let sweep_graph = SweepGraph::from_board(numbered.board());
        let mut has_begun = false;
        let result = IndexLayers::build(
            &sweep_graph,
            tours,
            location,
            &build_options,
            &mut |step, steps, states, bytes| {
                if !std::mem::replace(&mut has_begun, true) {
                    // All steps get equal weights, because the speed of the disk matters as much as
                    // the speed of the sweep.
                    control.begin_sweep(&vec![1.0; steps], step - 1);
                }
                control.finish_sweep_step(step, steps, states, bytes);
                control.log_line(|| {
                    format!("layer {step} of {steps}: {states} states, {:.0} MB stored", bytes as f64 / 1e6)
                });
            },
        );
        let index_layers = result.map_err(|error| match error {
            IndexLayersError::OtherTours { path, found, wanted } if numbered.kind() == Kind::Open => {
                let wanted = format!("{wanted}, which include the open tours");
                IndexLayersError::OtherTours { path, found, wanted }
            }
            error => error,
        })?;
        let is_both = numbered.kind() == Kind::Closed && numbered.is_directed();
        let total = if is_both { index_layers.total() * 2u32 } else { index_layers.total().clone() };
        Ok(Self {
            numbered_tours: numbered.clone(),
            layers: index_layers,
            total,
            memory_limit: build_options.memory,
        })
    }

    /// Returns how many tours have numbers. If the kind is open tours, all paths have numbers.
    #[must_use]
    pub const fn total(&self) -> &BigUint {
        &self.total
    }

    /// Returns the set of tours that the index numbers.
    #[must_use]
    pub const fn numbered_tours(&self) -> &TourSpec {
        &self.numbered_tours
    }

    /// Returns the name of the plan that determines the order of the numbers. In an index with
    /// another name, the same numbers belong to other tours.
    #[must_use]
    pub fn numbering(&self) -> &str {
        self.layers.numbering()
    }

    /// Returns a line of text with the numbered tours, the name of their order, and the range of
    /// their numbers, for the header of a list of numbers.
    #[must_use]
    pub fn title(&self) -> String {
        let tours = self.numbered_tours.title();
        let range = match self.total.to_string().as_str() {
            "0" => "none".to_owned(),
            _ => format!("0 to {}", &self.total - 1u32),
        };
        format!("{tours}, plan {}: {range}", self.numbering())
    }

    /// Returns the size of all layers in bytes.
    #[must_use]
    pub fn layer_bytes(&self) -> u64 {
        self.layers.bytes()
    }

    /// Returns the memory limit of the process in bytes.
    pub(super) const fn memory_limit(&self) -> Option<u64> {
        self.memory_limit
    }

    /// Returns the number of tours that can be computed together under the memory limit.
    pub(super) fn batch_size(&self) -> usize {
        let each =
            TOUR_AND_VERTEX_BYTES.0 + TOUR_AND_VERTEX_BYTES.1 * self.numbered_tours.board().len() as u64;
        let layers = if self.layers.is_in_memory() { self.layers.bytes() } else { 0 };
        let available =
            self.memory_limit.map_or(u64::MAX, |memory| memory.saturating_sub(layers) / BATCH_MEMORY_DIVISOR);
        usize::try_from(available / each).unwrap_or(MAX_BATCH_TOURS).clamp(MIN_BATCH_TOURS, MAX_BATCH_TOURS)
    }

    /// Returns the layers of the sweep that the numbers are computed from.
    pub(super) const fn layers(&self) -> &IndexLayers {
        &self.layers
    }

    /// Returns the tour with the given number. Cost: some milliseconds.
    ///
    /// # Errors
    /// [`IndexError::OutOfRange`], [`IndexError::OpenTours`], or a layer is damaged.
    pub fn tour(&self, number: &BigUint) -> Result<Tour, IndexError> {
        let mut found = None;
        self.for_each_tour(std::slice::from_ref(number), &Control::new(), &mut |kind, vertices| {
            found = Some(Tour::from_search(self.numbered_tours.board(), vertices.to_vec(), kind));
            ControlFlow::Continue(())
        })?;
        Ok(found.expect("a number has a tour"))
    }

    /// Calls `each` with the tours that have the given numbers, in the order of `numbers`. As many
    /// tours as the memory limit allows are computed together; a tour of 64 squares takes about 2
    /// kB.
    ///
    /// # Errors
    /// The errors of [`Index::tour`], or the caller cancelled the computation.
    pub fn for_each_tour(
        &self,
        numbers: &[BigUint],
        control: &Control,
        each: TourCallback,
    ) -> Result<(), IndexError> {
        if self.numbered_tours.kind() == Kind::Open {
            return Err(IndexError::OpenTours);
        }
        control.begin_rounds(numbers.len().div_ceil(self.batch_size()));
        self.for_each_path(numbers, control, each).map(|_| ())
    }

    /// Calls `each` with the tours that have the given numbers; if the kind is open tours, with
    /// paths. The caller must already have reported the number of rounds to the control.
    pub(super) fn for_each_path(
        &self,
        numbers: &[BigUint],
        control: &Control,
        each: TourCallback,
    ) -> Result<ControlFlow<()>, IndexError> {
        if let Some(number) = numbers.iter().find(|number| **number >= self.total) {
            return Err(IndexError::OutOfRange { number: number.clone(), total: self.total.clone() });
        }
        let cancel = Cancel::from(control.cancel_flag());
        for batch in numbers.chunks(self.batch_size()) {
            let halves: Vec<(BigUint, bool)> = batch.iter().map(|number| self.layer_number(number)).collect();
            let places: Vec<BigUint> = halves.iter().map(|half| half.0.clone()).collect();
            let found = match places.as_slice() {
                [place] => vec![self.layers.unrank(place)?],
                places => {
                    control.begin_sweep(&self.step_costs(), 0);
                    let (number, bytes) = (places.len() as u64, self.layer_bytes());
                    self.layers.unrank_all(places, &cancel, &mut |step, steps| {
                        control.finish_sweep_step(step, steps, number, bytes);
                    })?
                }
            };
            control.finish_round();
            let sequences: Vec<Vec<u32>> = found
                .par_iter()
                .zip(&halves)
                .map(|(edges, &(_, is_reverse))| {
                    let mut sequence = vertex_sequence(&self.numbered_tours, edges);
                    if is_reverse {
                        sequence[1..].reverse();
                    }
                    sequence
                })
                .collect();
            for sequence in sequences {
                if each(self.numbered_tours.kind_of(&sequence), &sequence).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the relative time of each step backwards through the layers: proportional to the
    /// size of its layer, plus a constant.
    pub(super) fn step_costs(&self) -> Vec<f64> {
        let sizes = self.layers.layer_bytes_backwards();
        let all: u64 = sizes.iter().sum();
        let own = 0.25 * all as f64 / sizes.len().max(1) as f64 + 1.0;
        // A step reads the layer before it.
        sizes.iter().skip(1).map(|&bytes| bytes as f64 + own).chain([own]).collect()
    }

    /// Converts a number of this index to a number in the layers. Returns that number, and true if
    /// the tour in question is the reverse of the tour that the layers have there.
    fn layer_number(&self, number: &BigUint) -> (BigUint, bool) {
        if self.numbered_tours.kind() == Kind::Closed && self.numbered_tours.is_directed() {
            let (half, remainder) = number.div_rem(&2u32.into());
            return (half, remainder.to_u8() == Some(1));
        }
        (number.clone(), false)
    }

    /// Returns the number of a tour. A re-entrant path has a number in an index of paths, but not
    /// in an index of closed tours.
    ///
    /// # Errors
    /// [`IndexError::DifferentTour`] if the index does not contain the tour, [`IndexError::OpenTours`], or a
    /// layer is damaged.
    pub fn number(&self, tour: &Tour) -> Result<BigUint, IndexError> {
        let mut all = self.numbers(std::slice::from_ref(tour), &Control::new())?;
        all.pop().expect("a tour has a number, or an error")
    }

    /// Returns for each of `tours` its number, or the reason why it has no number. Cost: some
    /// hundred microseconds for each tour.
    ///
    /// # Errors
    /// The caller cancelled the computation.
    pub fn numbers(
        &self,
        tours: &[Tour],
        control: &Control,
    ) -> Result<Vec<Result<BigUint, IndexError>>, IndexError> {
        let is_closed = self.numbered_tours.kind() == Kind::Closed;
        let all: Vec<_> = tours.iter().map(|tour| sequence_edges(tour.vertices(), is_closed)).collect();
        let found = self.layers.rank_all(&all, &Cancel::from(control.cancel_flag()))?;
        Ok(tours.iter().zip(found).map(|(tour, found)| self.index_number(tour, found)).collect())
    }

    /// Returns the number of `tour` in this index, or an error if the index does not contain it.
    /// `found` is the result of the layers for the tour.
    fn index_number(
        &self,
        tour: &Tour,
        found: Result<BigUint, IndexLayersError>,
    ) -> Result<BigUint, IndexError> {
        let (board, kind) = (self.numbered_tours.board(), self.numbered_tours.kind());
        let (start, end) = (self.numbered_tours.start(), self.numbered_tours.end());
        let other =
            |found: String, expected: String| Err(IndexError::DifferentTour { actual: found, expected });
        if kind == Kind::Open {
            return Err(IndexError::OpenTours);
        }
        if tour.board() != board.unrestricted() {
            return other(format!("of {}", tour.board()), format!("of {}", board.unrestricted()));
        }
        let is_closed = kind == Kind::Closed;
        // A re-entrant path is not a closed tour, although one more move closes it.
        if is_closed != (tour.kind() == TourKind::Closed) {
            let (article, expected) = if is_closed { (", a path", "closed") } else { ("", "a path") };
            return other(format!("{}{article}", tour.kind().name()), expected.to_owned());
        }
        let vertices = tour.vertices();
        let (first, last) = (vertices.first().copied(), vertices.last().copied());
        for (fixed, found, which) in [(start, first, "from"), (end, last, "to")] {
            if let (Some(fixed), Some(found)) = (fixed, found.filter(|_| !is_closed))
                && fixed != found
            {
                return other(
                    format!("{which} {}", board.name(found)),
                    format!("{which} {}", board.name(fixed)),
                );
            }
        }
        match self.numbered_tours.broken_restriction(tour) {
            Some(BrokenRestriction::Missing(one)) => {
                return other(format!("without {}", board.move_name(one)), "with it".to_owned());
            }
            Some(BrokenRestriction::Forbidden(one)) => {
                return other(format!("with {}", board.move_name(one)), "without it".to_owned());
            }
            None => {}
        }
        let number = match found {
            // A single vertex has one path.
            _ if vertices.len() == 1 => BigUint::ZERO,
            Err(IndexLayersError::NotATour) => {
                return other("not in this index".to_owned(), self.numbered_tours.title());
            }
            number => number?,
        };
        let Some(start) = start.filter(|_| is_closed) else { return Ok(number) };
        let position = vertices.iter().position(|&v| v == start).expect("a tour has every vertex");
        let len = vertices.len();
        let is_reverse = vertices[(position + 1) % len] > vertices[(position + len - 1) % len];
        Ok(number * 2u32 + u32::from(is_reverse))
    }
}
