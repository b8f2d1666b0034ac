//! An index of all tours.

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

/// Tours that go through the layers together, at most and at least.
const TOGETHER: usize = 1 << 18;
const LEAST_TOGETHER: usize = 1 << 10;

/// Bytes of a tour on its way, and of each of its vertices: a walker, edges, a sequence.
const ON_ITS_WAY: (u64, u64) = (300, 24);

/// Part of the memory that is left for tours on their way.
const PART: u64 = 4;

/// With which memory layers are made.
#[derive(Clone, Copy, Default)]
pub struct Room<'a> {
    /// Ceiling for layers and tables in bytes; without one, nine tenths of what is available.
    pub memory: Option<u64>,
    /// Takes what does not fit while layers are made.
    pub store: Option<&'a dyn Store>,
}

/// All tours of an arena by number.
#[derive(Debug)]
pub struct Index {
    numbered: Numbered,
    trails: Trails,
    total: BigUint,
    /// Ceiling for the process in bytes.
    memory: Option<u64>,
}

/// Told of tours one by one: what it is, and its vertices in order of visit; whether that is enough.
pub type Each<'a> = &'a mut dyn FnMut(TourKind, &[u32]) -> ControlFlow<()>;

impl Index {
    /// Numbers tours: makes the layers, or finds them in their folder. Cost: about twice that of counting them from
    /// one end, and a byte or two for every state of the sweep.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn new(numbered: &Numbered, place: &Place, control: &Control) -> Result<Self, IndexError> {
        Self::within(numbered, place, Room::default(), control)
    }

    /// The same with so much memory.
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

    /// What an index of these tours would take under a ceiling, by a dry run if that takes no more than `patience`
    /// seconds; nothing if their number is known at once.
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

    /// The same as [`Index::within`] for whoever decides whether what the layers will take is worth it: `agree` is told
    /// before the first is made, and not asked where layers are there.
    ///
    /// # Errors
    /// See [`IndexError`]; [`TrailError::Refused`] with what `agree` said.
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
                // All steps alike: an index is made at the pace of the disk as much as of the sweep.
                control.sweep_begins(&vec![1.0; steps], step - 1);
            }
            control.sweep_step(step, steps, states, bytes);
            control.log(|| {
                format!("layer {step} of {steps}: {states} states, {:.0} MB kept", bytes as f64 / 1e6)
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

    /// How many numbers there are: of tours of the kind, of paths if that is open tours.
    #[must_use]
    pub const fn total(&self) -> &BigUint {
        &self.total
    }

    /// What is numbered.
    #[must_use]
    pub const fn numbered(&self) -> &Numbered {
        &self.numbered
    }

    /// The name of the order of numbers: under another name they are numbers of other tours.
    #[must_use]
    pub fn order(&self) -> &str {
        self.trails.plan()
    }

    /// What is numbered, in which order, and from where to where: in words, for whoever reads numbers later.
    #[must_use]
    pub fn title(&self) -> String {
        let tours = self.numbered.title().unwrap_or_default();
        let range = match self.total.to_string().as_str() {
            "0" => "none".to_owned(),
            _ => format!("0 to {}", &self.total - 1u32),
        };
        format!("{tours}, plan {}: {range}", self.order())
    }

    /// Bytes of the layers.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.trails.bytes()
    }

    /// Bytes of memory that exact statistics of all moves take at most.
    ///
    /// # Errors
    /// A layer is damaged.
    pub fn statistics_bytes(&self) -> Result<u64, IndexError> {
        Ok(self.trails.flow_bytes()?)
    }

    /// Ceiling for the process in bytes.
    pub(super) const fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Tours that go through the layers together under the ceiling.
    pub(super) fn together(&self) -> usize {
        let each = ON_ITS_WAY.0 + ON_ITS_WAY.1 * self.numbered.arena.len() as u64;
        let layers = if self.trails.is_in_memory() { self.trails.bytes() } else { 0 };
        let room = self.memory.map_or(u64::MAX, |memory| memory.saturating_sub(layers) / PART);
        usize::try_from(room / each).unwrap_or(TOGETHER).clamp(LEAST_TOGETHER, TOGETHER)
    }

    /// The layers.
    pub(super) const fn trails(&self) -> &Trails {
        &self.trails
    }

    /// The tour with a number. Cost: some milliseconds.
    ///
    /// # Errors
    /// [`IndexError::Range`], [`IndexError::Open`], or a layer is damaged.
    pub fn tour(&self, number: &BigUint) -> Result<Tour, IndexError> {
        let mut found = None;
        self.each(std::slice::from_ref(number), &Control::new(), &mut |kind, vertices| {
            found = Some(Tour::of_search(&self.numbered.arena, vertices.to_vec(), kind));
            ControlFlow::Continue(())
        })?;
        Ok(found.expect("a number has a tour"))
    }

    /// The tours with these numbers, in their order. Many go through the layers together, some 2 kB each on 64 squares,
    /// as many at a time as there is room for.
    ///
    /// # Errors
    /// As for [`Index::tour`]; the control was cancelled.
    pub fn each(&self, numbers: &[BigUint], control: &Control, each: Each) -> Result<(), IndexError> {
        if self.numbered.kind == Kind::Open {
            return Err(IndexError::Open);
        }
        control.begin_rounds(numbers.len().div_ceil(self.together()));
        self.paths(numbers, control, each).map(|_| ())
    }

    /// The same, of open tours all paths. The control has been told how many rounds there may be.
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

    /// How long each step back takes beside the others: by the bytes of its layer, and something for itself.
    pub(super) fn paces(&self) -> Vec<f64> {
        let sizes = self.trails.sizes();
        let all: u64 = sizes.iter().sum();
        let own = 0.25 * all as f64 / sizes.len().max(1) as f64 + 1.0;
        // A step reads the layer before it.
        sizes.iter().skip(1).map(|&bytes| bytes as f64 + own).chain([own]).collect()
    }

    /// The number of layers that a number stands for, and whether it is the reverse of the tour there.
    fn half(&self, number: &BigUint) -> (BigUint, bool) {
        if self.numbered.kind == Kind::Closed && self.numbered.is_directed() {
            let (half, rest) = number.div_rem(&2u32.into());
            return (half, rest.to_u8() == Some(1));
        }
        (number.clone(), false)
    }

    /// The number of a tour. Of a re-entrant path there is one among paths, and none among closed tours.
    ///
    /// # Errors
    /// [`IndexError::Other`] if it is none of those that are numbered, [`IndexError::Open`], or a layer is damaged.
    pub fn number(&self, tour: &Tour) -> Result<BigUint, IndexError> {
        let mut all = self.numbers(std::slice::from_ref(tour), &Control::new())?;
        all.pop().expect("a tour has a number, or an error")
    }

    /// The numbers of tours, each for itself. Cost: some hundred microseconds each.
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

    /// The number of a tour from that which the layers say, if it is one of those that are numbered.
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
        // A re-entrant path is no closed tour, though it becomes one by a move.
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
            // Of one vertex there is one path.
            _ if vertices.len() == 1 => BigUint::ZERO,
            Err(TrailError::NoTour) => {
                return other("none that is numbered".to_owned(), self.numbered.title()?);
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
