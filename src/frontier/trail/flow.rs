//! How many tours use each edge: all edges at once, and no tour is visited.
//!
//! From the last layer to the first every state gets the number of its *completions*. A step of a state of weight W to
//! one of C completions is taken by W x C tours, and so are the edges that it decides:
//!
//! ```text
//! completions(s') = sum over the choices c of a step   completions(c(s'))
//! use(edge)       = sum over the states s' and the choices c with the edge   W(s') completions(c(s'))
//! ```
//!
//! Where a layer is folded, edges are found in the frame of whichever mirror image was kept; the mean of an edge and its
//! mirror image is right for both. Every vertex has two edges in every tour: that the sums say so is checked.
//!
//! Cost: about that of two sweeps, and 8 bytes for every weight of two layers.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::fill::changed;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::step::Step;
use crate::frontier::ranks::error::Error;
use crate::frontier::state::course::Course;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::matching::size;
use crate::frontier::state::moves::{Move, Moves, Side};
use crate::frontier::state::signature::ENDS_IN;
use crate::frontier::state::words::At;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::layer::Layer;
use crate::frontier::trail::maps::{Maps, NONE};
use crate::frontier::trail::number::Number;
use crate::frontier::trail::origins::joined;
use crate::frontier::trail::trails::Trails;

/// Bits of the weights up to which a sum of completions of a step has room in 64 and in 128 bits.
const NARROW: u32 = 56;
const MIDDLE: u32 = 120;

/// How many tours use each edge, the lower vertex first; the number of squares stands for the apex.
pub type Uses = BTreeMap<(u32, u32), BigUint>;

/// A chunk with a number for every weight.
struct Completed<N> {
    entries: Vec<Entry>,
    numbers: Vec<N>,
}

/// A layer of them, by chunk.
type Completions<N> = Vec<Option<Completed<N>>>;

/// A step as it is followed from its sources.
struct Forth<'a> {
    course: &'a Course,
    step: &'a Step,
    moves: Moves,
    fold: Option<Fold>,
    /// By slot, the place of who sits there among those whom the step may join.
    places: Vec<usize>,
}

impl Trails {
    /// How many tours use each edge of the field; edges to the apex say how many paths end at a vertex.
    ///
    /// # Errors
    /// A layer is damaged, or it was cancelled. `told` hears of steps done and steps in all.
    ///
    /// # Panics
    /// If the sums do not say that every tour has two edges at every vertex.
    pub fn uses(&self, cancel: &Cancel, told: &mut dyn FnMut(usize, usize)) -> Result<Uses, TrailError> {
        let uses = match self.bits {
            bits if bits <= NARROW => self.flow::<u64>(cancel, told)?,
            bits if bits <= MIDDLE => self.flow::<u128>(cancel, told)?,
            _ => self.flow::<BigUint>(cancel, told)?,
        };
        if self.course.is_some() {
            let mut sums = vec![BigUint::ZERO; self.cycles.len()];
            for (&(v, w), number) in &uses {
                sums[v as usize] += number;
                sums[w as usize] += number;
            }
            let twice = &self.total * 2u32;
            assert!(sums.iter().all(|sum| *sum == twice), "every tour has two edges at every vertex");
        }
        Ok(uses)
    }

    fn flow<N: Number>(
        &self,
        cancel: &Cancel,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Uses, TrailError> {
        let len = self.cycles.len();
        let mut uses: Uses = (0..len)
            .flat_map(|v| {
                self.cycles.near(v).iter().filter(move |&&w| v < w).map(move |&w| (v as u32, w as u32))
            })
            .map(|edge| (edge, BigUint::ZERO))
            .collect();
        let Some(course) = &self.course else { return Ok(uses) };
        if self.total == BigUint::ZERO {
            return Ok(uses);
        }
        let (steps, chunks, maps) = (self.steps(), course.words().chunks(), Maps::default());
        let mut after: Completions<N> = (0..chunks).map(|_| None).collect();
        let mut entries = vec![Entry::default(); course.words().chunk_len()];
        entries[0] = Entry::new(1, 0);
        after[0] = Some(Completed { entries, numbers: vec![N::of_bytes(&[1])] });
        let mut framed: BTreeMap<(usize, usize), BigUint> = BTreeMap::new();
        for t in (0..steps).rev() {
            if cancel.is_cancelled() {
                return Err(Error::Stopped { step: steps - t - 1, steps }.into());
            }
            let forth = Forth::new(course, t);
            let vertex = forth.step.vertex;
            let layer = t.checked_sub(1).map(|before| &self.layers[before]);
            let later: Vec<usize> = forth.later(t);
            let made: Result<Vec<_>, TrailError> = (0..chunks)
                .into_par_iter()
                .with_max_len(1)
                .map(|high| self.back_to(&forth, layer, high, &after, &maps, later.len()))
                .collect();
            let mut before: Completions<N> = Vec::with_capacity(chunks);
            for (completed, used) in made? {
                for (&w, number) in later.iter().zip(&used) {
                    if !number.is_zero() {
                        *framed.entry((vertex.min(w), vertex.max(w))).or_default() += number.widest();
                    }
                }
                before.push(completed);
            }
            after = before;
            told(steps - t, steps);
        }
        for (&(v, w), number) in &framed {
            let (a, b) = (self.mirror[v], self.mirror[w]);
            for (v, w) in [(v, w), (a.min(b), a.max(b))] {
                *uses.get_mut(&(v as u32, w as u32)).expect("a mirror keeps edges") += number;
            }
        }
        for number in uses.values_mut() {
            assert!(!number.bit(0), "an edge and its mirror image are used alike");
            *number >>= 1;
        }
        Ok(uses)
    }

    /// The completions of a chunk before a step, and by place of whom it joins, how many tours it joins to each.
    fn back_to<N: Number>(
        &self,
        forth: &Forth,
        layer: Option<&Layer>,
        high: usize,
        after: &Completions<N>,
        maps: &Maps,
        later: usize,
    ) -> Result<(Option<Completed<N>>, Vec<N>), TrailError> {
        let mut used = vec![N::default(); later];
        let words = forth.course.words();
        let (entries, weights) = match layer {
            None if high > 0 => return Ok((None, used)),
            None => {
                let mut entries = vec![Entry::default(); words.chunk_len()];
                entries[0] = Entry::new(1, 0);
                (entries, vec![N::of_bytes(&[1])])
            }
            Some(layer) => {
                let Some(packed) = layer.chunk(high)? else { return Ok((None, used)) };
                let mut entries = vec![Entry::default(); words.chunk_len()];
                packed.entries().for_each(|(low, entry)| entries[low] = entry);
                (entries, packed.numbers().map_err(|_| layer.damaged())?)
            }
        };
        let mut numbers: Vec<N> = vec![N::default(); weights.len()];
        for (low, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let outer = words.outer_ends(high, low);
            for m in forth.moves.of(high, low) {
                let mut rest = m.bits & entry.present();
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    let ends = outer | u32::from(ENDS_IN[bit as usize]);
                    let n = ends.count_ones() as usize;
                    let place = entry.place(bit, outer.count_ones() as usize);
                    let block = place..place + size(n);
                    let there =
                        At { high: (high as i32 + m.high) as usize, low: (low as i32 + m.low) as usize };
                    let sum = forth.block(
                        m,
                        (there, (bit as i32 + m.shift) as u32, n),
                        after,
                        (&self.tables, maps),
                        (&weights[block.clone()], &mut numbers[block]),
                    );
                    if !sum.is_zero() {
                        for slot in joined(forth.step, m.effect).into_iter().flatten() {
                            used[forth.places[usize::from(slot)]].add(&sum);
                        }
                    }
                }
            }
        }
        Ok((Some(Completed { entries, numbers }), used))
    }
}

impl<'a> Forth<'a> {
    fn new(course: &'a Course, t: usize) -> Self {
        let (plan, words) = (course.plan(), course.words());
        let step = &plan.steps()[t];
        let next = plan.steps().get(t + 1).and_then(|step| step.slot);
        let mut places = vec![usize::MAX; plan.slots()];
        step.later.iter().enumerate().for_each(|(place, later)| places[usize::from(later.slot)] = place);
        Self {
            course,
            step,
            moves: Moves::new(words, step, Side::Source),
            fold: step.mirror.as_ref().map(|image| Fold::new(words, image, next)),
            places,
        }
    }

    /// The vertices that the step may join to its own, by place.
    fn later(&self, t: usize) -> Vec<usize> {
        let plan = self.course.plan();
        let seated = |slot| plan.seats(t).find(|&(_, seat)| seat == slot).map(|(v, _)| v);
        self.step.later.iter().map(|later| seated(later.slot).expect("who is ahead is seated")).collect()
    }

    /// Adds the completions of a target block to its source block, and returns what the weights of that make of them.
    fn block<N: Number>(
        &self,
        m: &Move,
        (at, bit, n): (At, u32, usize),
        after: &Completions<N>,
        (tables, maps): (&crate::frontier::block::tables::Tables, &Maps),
        (weights, numbers): (&[N], &mut [N]),
    ) -> N {
        let words = self.course.words();
        let ends = words.outer_ends(at.high, at.low) | u32::from(ENDS_IN[bit as usize]);
        let targets = ends.count_ones() as usize;
        let image = self.fold.as_ref().and_then(|fold| Some((fold.other(at)?, fold)));
        let image = image.filter(|(image, fold)| !fold.prefers(at, *image));
        let (kept, kept_bit) = image.as_ref().map_or((at, bit), |(image, fold)| (*image, fold.bit(bit)));
        let Some(chunk) = &after[kept.high] else { return N::default() };
        let entry = chunk.entries[kept.low];
        if entry.present() >> kept_bit & 1 == 0 {
            return N::default();
        }
        let outer = words.outer_ends(kept.high, kept.low).count_ones() as usize;
        let place = entry.place(kept_bit, outer);
        let block = &chunk.numbers[place..place + size(targets)];
        let mirrored = image.map(|(_, fold)| {
            let mut places = [0; 32];
            fold.places(ends, fold.ends(ends), &mut places[..targets]);
            maps.mirrored(&places[..targets])
        });
        let (change, _) = changed(m.effect, ends);
        let map = maps.of(tables, change, n);
        let mut sum = N::default();
        let mut add = |y: usize, x: usize| {
            let x = mirrored.as_ref().map_or(x, |mirrored| mirrored[x] as usize);
            if !weights[y].is_zero() && !block[x].is_zero() {
                numbers[y].add(&block[x]);
                N::add_product(&mut sum, &weights[y], &block[x]);
            }
        };
        match map {
            None => (0..size(n)).for_each(|y| add(y, y)),
            Some(map) => {
                map.iter().enumerate().filter(|(_, x)| **x != NONE).for_each(|(y, &x)| add(y, x as usize))
            }
        }
        sum
    }
}
