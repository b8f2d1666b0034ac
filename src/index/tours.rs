//! An index of all tours of a board.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;
use rayon::prelude::*;

use crate::control::Control;
use crate::frontier::{Agree, Cancel, Demand, Field, Making, Place, Store, TrailError, Trails};
use crate::tour::{Kind, Tour, TourKind};

use super::error::IndexError;
use super::numbered::Numbered;
use super::sequence::{edges, kind_of, sequence};

/// Maximum and minimum number of tours that are computed together.
const TOGETHER: usize = 1 << 18;
const LEAST_TOGETHER: usize = 1 << 10;

/// Bytes of a tour during its computation, and of each of its vertices: position in the layers, edges,
/// sequence.
const ON_ITS_WAY: (u64, u64) = (300, 24);

/// Divisor of the free memory for the tours that are computed together.
const PART: u64 = 4;

/// Memory and disk for building layers.
#[derive(Clone, Copy, Default)]
pub struct Room<'a> {
    /// Memory limit for layers and tables in bytes; default: nine tenths of the available memory.
    pub memory: Option<u64>,
    /// Store for spilled layers while they are built.
    pub store: Option<&'a dyn Store>,
}

/// A numbering of all tours of a board.
#[derive(Debug)]
pub struct Index {
    numbered: Numbered,
    trails: Trails,
    total: BigUint,
    /// Memory limit of the process in bytes.
    memory: Option<u64>,
}

/// A callback for tours: receives the kind of a tour and its vertices in order of visit, and returns `Break`
/// to stop.
pub type Each<'a> = &'a mut dyn FnMut(TourKind, &[u32]) -> ControlFlow<()>;

impl Index {
    /// Numbers the tours of a set: builds the layers, or opens them in their folder. Cost: about twice that
    /// of counting the tours by a one-sided sweep, and one or two bytes for every state of the sweep.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn new(numbered: &Numbered, place: &Place, control: &Control) -> Result<Self, IndexError> {
        Self::within(numbered, place, Room::default(), control)
    }

    /// Numbers the tours of a set with limited memory and disk.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn within(
        numbered: &Numbered,
        place: &Place,
        room: Room,
        control: &Control,
    ) -> Result<Self, IndexError> {
        let (memory, is_folder) = (room.memory.or_else(crate::memory::ceiling), *place != Place::Memory);
        Self::agreed(numbered, place, room, control, &|demand| {
            let lacks = demand.lacks(memory, is_folder.then_some(None));
            lacks.map_or(Ok(()), |lack| Err(lack.to_string()))
        })
    }

    /// Returns an estimate of the index under a memory limit, by a dry run if that takes at most
    /// `max_seconds` seconds. Returns `None` if the number of tours is known without a sweep.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn demand(
        numbered: &Numbered,
        memory: Option<u64>,
        patience: f64,
        control: &Control,
    ) -> Result<Option<Demand>, IndexError> {
        let field = Field::of(&numbered.arena);
        let memory = memory.or_else(crate::memory::ceiling);
        Ok(Demand::of(&field, numbered.tours()?, memory, patience, &Cancel::from(control.flag()))?)
    }

    /// Numbers the tours of a set like [`Index::with_resources`], after an admission check by the caller.
    /// `admission_check` receives the estimate before the first layer is built; it is not called if the
    /// layers already exist.
    ///
    /// # Errors
    /// See [`IndexError`]; [`IndexLayersError::Refused`] with the reason given by `admission_check`.
    pub fn agreed(
        numbered: &Numbered,
        place: &Place,
        room: Room,
        control: &Control,
        agree: Agree,
    ) -> Result<Self, IndexError> {
        let (tours, name) = (numbered.tours()?, numbered.name()?);
        let making = Making {
            name: &name,
            memory: room.memory.or_else(crate::memory::ceiling),
            store: room.store,
            allocator: control.allocator(),
            cancel: Cancel::from(control.flag()),
            agree: Some(agree),
        };
        control.begin(1, &[0]);
        control.planning();
        let field = Field::of(&numbered.arena);
        let mut has_begun = false;
        let made = Trails::make(&field, tours, place, &making, &mut |step, steps, states, bytes| {
            if !std::mem::replace(&mut has_begun, true) {
                // All steps get equal weights: the speed of the disk matters as much as that of the sweep.
                control.sweep_begins(&vec![1.0; steps], step - 1);
            }
            control.sweep_step(step, steps, states, bytes);
            control.log(|| {
                format!("layer {step} of {steps}: {states} states, {:.0} MB stored", bytes as f64 / 1e6)
            });
        });
        let trails = made.map_err(|error| match error {
            TrailError::Other { path, what } if numbered.kind == Kind::Open && what.ends_with(&name) => {
                TrailError::Other { path, what: format!("{what}, among which open tours are") }
            }
            error => error,
        })?;
        let is_both = numbered.kind == Kind::Closed && numbered.is_directed();
        let total = if is_both { trails.total() * 2u32 } else { trails.total().clone() };
        Ok(Self { numbered: numbered.clone(), trails, total, memory: making.memory })
    }

    /// Returns the number of numbered tours: tours of the kind, or paths if the kind is open tours.
    #[must_use]
    pub const fn total(&self) -> &BigUint {
        &self.total
    }

    /// Returns the set of numbered tours.
    #[must_use]
    pub const fn numbered(&self) -> &Numbered {
        &self.numbered
    }

    /// Returns the name of the numbering. Under another name, the numbers belong to other tours.
    #[must_use]
    pub fn order(&self) -> &str {
        self.trails.plan()
    }

    /// Returns a line that describes the numbered tours, their order, and the range of their numbers, for the
    /// header of a list of numbers.
    #[must_use]
    pub fn title(&self) -> String {
        let tours = self.numbered.title().unwrap_or_default();
        let range = match self.total.to_string().as_str() {
            "0" => "none".to_owned(),
            _ => format!("0 to {}", &self.total - 1u32),
        };
        format!("{tours}, plan {}: {range}", self.order())
    }

    /// Returns the bytes of the layers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.trails.bytes()
    }

    /// Returns the maximum bytes of memory for exact statistics of all moves.
    ///
    /// # Errors
    /// A layer is damaged.
    pub fn statistics_bytes(&self) -> Result<u64, IndexError> {
        Ok(self.trails.flow_bytes()?)
    }

    /// Returns the memory limit of the process in bytes.
    pub(super) const fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Returns the number of tours that are computed together under the memory limit.
    pub(super) fn together(&self) -> usize {
        let each = ON_ITS_WAY.0 + ON_ITS_WAY.1 * self.numbered.arena.len() as u64;
        let layers = if self.trails.is_in_memory() { self.trails.bytes() } else { 0 };
        let room = self.memory.map_or(u64::MAX, |memory| memory.saturating_sub(layers) / PART);
        usize::try_from(room / each).unwrap_or(TOGETHER).clamp(LEAST_TOGETHER, TOGETHER)
    }

    /// Returns the layers.
    pub(super) const fn trails(&self) -> &Trails {
        &self.trails
    }

    /// Returns the tour with a number. Cost: some milliseconds.
    ///
    /// # Errors
    /// [`IndexError::OutOfRange`], [`IndexError::OpenTours`], or a layer is damaged.
    pub fn tour(&self, number: &BigUint) -> Result<Tour, IndexError> {
        let mut found = None;
        self.each(std::slice::from_ref(number), &Control::new(), &mut |kind, vertices| {
            found = Some(Tour::of_search(&self.numbered.arena, vertices.to_vec(), kind));
            ControlFlow::Continue(())
        })?;
        Ok(found.expect("a number has a tour"))
    }

    /// Calls `each` with the tours of these numbers, in this order. As many tours as the memory limit allows
    /// are computed together; each takes about 2 kB on 64 squares.
    ///
    /// # Errors
    /// As for [`Index::tour`], or the control was cancelled.
    pub fn each(&self, numbers: &[BigUint], control: &Control, each: Each) -> Result<(), IndexError> {
        if self.numbered.kind == Kind::Open {
            return Err(IndexError::Open);
        }
        control.begin_rounds(numbers.len().div_ceil(self.together()));
        self.paths(numbers, control, each).map(|_| ())
    }

    /// Calls `each` with the tours of these numbers, which are paths if the kind is open tours. The caller
    /// has announced the number of rounds to the control.
    pub(super) fn paths(
        &self,
        numbers: &[BigUint],
        control: &Control,
        each: Each,
    ) -> Result<ControlFlow<()>, IndexError> {
        if let Some(number) = numbers.iter().find(|number| **number >= self.total) {
            return Err(IndexError::Range { number: number.clone(), total: self.total.clone() });
        }
        let cancel = Cancel::from(control.flag());
        for some in numbers.chunks(self.together()) {
            let halves: Vec<(BigUint, bool)> = some.iter().map(|number| self.half(number)).collect();
            let places: Vec<BigUint> = halves.iter().map(|half| half.0.clone()).collect();
            let found = match places.as_slice() {
                [place] => vec![self.trails.tour(place)?],
                places => {
                    control.sweep_begins(&self.paces(), 0);
                    let (number, bytes) = (places.len() as u64, self.bytes());
                    self.trails.tours(places, &cancel, &mut |step, steps| {
                        control.sweep_step(step, steps, number, bytes);
                    })?
                }
            };
            control.round_done();
            let sequences: Vec<Vec<u32>> = found
                .par_iter()
                .zip(&halves)
                .map(|(edges, &(_, is_reverse))| {
                    let mut sequence = sequence(&self.numbered, edges);
                    if is_reverse {
                        sequence[1..].reverse();
                    }
                    sequence
                })
                .collect();
            for sequence in sequences {
                if each(kind_of(&self.numbered, &sequence), &sequence).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the relative time of each backward step: proportional to the bytes of its layer, plus a
    /// constant.
    pub(super) fn paces(&self) -> Vec<f64> {
        let sizes = self.trails.sizes();
        let all: u64 = sizes.iter().sum();
        let own = 0.25 * all as f64 / sizes.len().max(1) as f64 + 1.0;
        // A step reads the layer before it.
        sizes.iter().skip(1).map(|&bytes| bytes as f64 + own).chain([own]).collect()
    }

    /// Returns the number in the layers that corresponds to a number of this index, and whether the tour is
    /// the reverse of the tour there.
    fn half(&self, number: &BigUint) -> (BigUint, bool) {
        if self.numbered.kind == Kind::Closed && self.numbered.is_directed() {
            let (half, rest) = number.div_rem(&2u32.into());
            return (half, rest.to_u8() == Some(1));
        }
        (number.clone(), false)
    }

    /// Returns the number of a tour. A re-entrant path has a number among paths, but none among closed tours.
    ///
    /// # Errors
    /// [`IndexError::DifferentTour`] if the index does not contain the tour, [`IndexError::OpenTours`], or a
    /// layer is damaged.
    pub fn number(&self, tour: &Tour) -> Result<BigUint, IndexError> {
        let mut all = self.numbers(std::slice::from_ref(tour), &Control::new())?;
        all.pop().expect("a tour has a number, or an error")
    }

    /// Returns the numbers of tours, each with its own error. Cost: some hundred microseconds per tour.
    ///
    /// # Errors
    /// The control was cancelled.
    pub fn numbers(
        &self,
        tours: &[Tour],
        control: &Control,
    ) -> Result<Vec<Result<BigUint, IndexError>>, IndexError> {
        let is_closed = self.numbered.kind == Kind::Closed;
        let all: Vec<_> = tours.iter().map(|tour| edges(tour.vertices(), is_closed)).collect();
        let found = self.trails.numbers(&all, &Cancel::from(control.flag()))?;
        Ok(tours.iter().zip(found).map(|(tour, found)| self.told(tour, found)).collect())
    }

    /// Converts the result of the layers into the number of a tour, if the index contains the tour.
    fn told(&self, tour: &Tour, found: Result<BigUint, TrailError>) -> Result<BigUint, IndexError> {
        let Numbered { arena, kind, start, end } = &self.numbered;
        let other = |found: String, wanted: String| Err(IndexError::Other { found, wanted });
        if *kind == Kind::Open {
            return Err(IndexError::Open);
        }
        if tour.arena() != arena {
            return other(format!("of {}", tour.arena()), format!("of {arena}"));
        }
        let is_closed = *kind == Kind::Closed;
        // A re-entrant path is not a closed tour, although one more move closes it.
        if is_closed != (tour.kind() == TourKind::Closed) {
            let (article, wanted) = if is_closed { (", a path", "closed") } else { ("", "a path") };
            return other(format!("{}{article}", tour.kind().name()), wanted.to_owned());
        }
        let vertices = tour.vertices();
        let (first, last) = (vertices.first().copied(), vertices.last().copied());
        for (fixed, found, which) in [(start, first, "from"), (end, last, "to")] {
            if let (Some(fixed), Some(found)) = (*fixed, found.filter(|_| !is_closed))
                && fixed != found
            {
                return other(
                    format!("{which} {}", arena.name(found)),
                    format!("{which} {}", arena.name(fixed)),
                );
            }
        }
        let number = match found {
            // A single vertex has one path.
            _ if vertices.len() == 1 => BigUint::ZERO,
            Err(TrailError::NoTour) => {
                return other("an unnumbered tour".to_owned(), self.numbered.title()?);
            }
            number => number?,
        };
        let Some(start) = start.filter(|_| is_closed) else { return Ok(number) };
        let place = vertices.iter().position(|&v| v == start).expect("a tour has every vertex");
        let len = vertices.len();
        let is_reverse = vertices[(place + 1) % len] > vertices[(place + len - 1) % len];
        Ok(number * 2u32 + u32::from(is_reverse))
    }
}
