//! Extremal tours: a tour with the most edges of a class, or the fewest.
//!
//! Backwards, every state gets the greatest number of edges of the class in any of its completions; forwards,
//! a path through states is followed that attains it. This is the recursion of the completions with the
//! maximum in place of the sum, so no tour is visited. Cost: about that of a sweep, and a byte of memory per
//! weight of all layers.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::frontier::layer::entry::Entry;
use crate::frontier::ranks::error::Error;
use crate::frontier::state::course::Course;
use crate::frontier::state::matching::size;
use crate::frontier::state::signature::{ENDS_IN, each_bit};
use crate::frontier::state::words::At;
use crate::frontier::trail::completions::Forth;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::flow::Flowing;
use crate::frontier::trail::layer::Layer;
use crate::frontier::trail::maps::Maps;
use crate::frontier::trail::origins::joined;
use crate::frontier::trail::state::State;
use crate::frontier::trail::trails::Trails;

/// Marks a state that no tour passes.
const NEVER: u8 = u8::MAX;

/// A chunk with the best value of each of its states.
struct Judged {
    entries: Vec<Entry>,
    best: Vec<u8>,
}

/// A layer of best values, by chunk.
type Judgement = Vec<Option<Judged>>;

/// The edges of a tour, and the number of them in the class.
pub type Extreme = (Vec<(u32, u32)>, u32);

/// The class of edges, and whether to maximise or minimise.
struct Search<'a> {
    class: &'a BTreeSet<(u32, u32)>,
    most: bool,
}

impl Search<'_> {
    /// Returns the better of two values; the first may be [`NO_TOUR`].
    const fn better(&self, one: u8, other: u8) -> u8 {
        let is_better = if self.most { other > one } else { other < one };
        if one == NEVER || is_better { other } else { one }
    }

    /// Returns, by the index of the later neighbour of step `t`, 1 if the edge to it is in the class, else 0.
    fn gains(&self, forth: &Forth, t: usize) -> Vec<u8> {
        let v = forth.step.vertex;
        let is_in = |&w: &usize| self.class.contains(&(v.min(w) as u32, v.max(w) as u32));
        forth.later(t).iter().map(|w| u8::from(is_in(w))).collect()
    }
}

impl Trails {
    /// Returns the edges of a tour with the most edges of a class (or the fewest, if `maximise` is false), and
    /// the number of these. Calls `on_step` after every step with the steps done and the steps in all.
    ///
    /// Returns `None` if there is no tour, if the layers are folded by a mirror that does not preserve the
    /// class (an edge is known only up to the mirror), or if a tour may have more than 254 edges of the
    /// class.
    ///
    /// # Errors
    /// [`IndexLayersError::Memory`] if memory is insufficient, a layer is damaged, or it was cancelled.
    pub fn extreme(
        &self,
        class: &BTreeSet<(u32, u32)>,
        most: bool,
        flowing: &Flowing,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<Extreme>, TrailError> {
        let image = |v: u32| self.mirror.get(v as usize).map_or(v, |&w| w as u32);
        let keeps = |&(v, w): &(u32, u32)| {
            let (a, b) = (image(v), image(w));
            class.contains(&(a.min(b), a.max(b)))
        };
        let is_small = class.len().min(self.cycles.len()) < usize::from(NEVER);
        let course = self.course.as_ref().filter(|_| is_small && class.iter().all(keeps));
        let Some(course) = course.filter(|_| self.total != BigUint::ZERO) else { return Ok(None) };
        let needed = self.extreme_bytes(course)?;
        if let Some(limit) = flowing.memory.filter(|&limit| needed > limit) {
            return Err(TrailError::Memory { needed, limit });
        }
        let (search, maps, steps) = (Search { class, most }, Maps::default(), self.steps());
        let mut last: Judgement = (0..course.words().chunks()).map(|_| None).collect();
        let mut entries = vec![Entry::default(); course.words().chunk_len()];
        entries[0] = Entry::new(1, 0);
        last[0] = Some(Judged { entries, best: vec![0] });
        let mut layers = vec![last];
        // The layer before the first step is omitted: it has one state.
        for t in (1..steps).rev() {
            let forth = Forth::new(course, &self.tables, &maps, t);
            let (gains, layer) = (search.gains(&forth, t), &self.layers[t - 1]);
            let after = layers.last().expect("the last layer exists");
            let before: Result<Judgement, TrailError> = (0..course.words().chunks())
                .into_par_iter()
                .with_max_len(1)
                .map(|high| {
                    if flowing.cancel.is_cancelled() {
                        return Err(Error::Stopped { step: steps - t, steps }.into());
                    }
                    self.judged(&forth, layer, high, after, &gains, &search)
                })
                .collect();
            layers.push(before?);
            layer.release();
            told(steps - t, steps);
        }
        let (mut state, mut edges, mut is_mirrored, mut count) = (State::EMPTY, Vec::new(), false, 0);
        for t in 0..steps {
            let forth = Forth::new(course, &self.tables, &maps, t);
            let (later, gains) = (forth.later(t), search.gains(&forth, t));
            let after = layers.pop().expect("there is a layer for every step");
            let onwards = self.onwards(&forth, state, &after, &gains, &search);
            let Some(Onwards { to, is_image, places, gain }) = onwards else { return Ok(None) };
            count += u32::from(gain);
            for place in places {
                let (v, w) = (forth.step.vertex as u32, later[place] as u32);
                edges.push(if is_mirrored { (image(v), image(w)) } else { (v, w) });
            }
            is_mirrored ^= is_image;
            state = to;
        }
        Ok(Some((edges, count)))
    }

    /// Returns the bytes of a process that searches an extremal tour.
    fn extreme_bytes(&self, course: &Course) -> Result<u64, TrailError> {
        let mut bytes = self.beside(course);
        for layer in &self.layers {
            for high in layer.numbers() {
                bytes += layer.chunk(high)?.map_or(0, |chunk| chunk.len() as u64);
            }
        }
        Ok(bytes)
    }

    fn judged(
        &self,
        forth: &Forth,
        layer: &Layer,
        high: usize,
        after: &Judgement,
        gains: &[u8],
        search: &Search,
    ) -> Result<Option<Judged>, TrailError> {
        let Some(course) = &self.course else { return Ok(None) };
        let words = course.words();
        let Some(packed) = layer.chunk(high)? else { return Ok(None) };
        let mut entries = vec![Entry::default(); words.chunk_len()];
        packed.entries().for_each(|(low, entry)| entries[low] = entry);
        // A state of weight zero does not exist.
        let mut is_there = Vec::with_capacity(packed.len());
        let read = packed.each(|bytes| is_there.push(bytes.iter().any(|&byte| byte != 0)));
        read.map_err(|_| layer.damaged())?;
        let mut best = vec![NEVER; packed.len()];
        for (low, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.present() != 0) {
            let outer = words.outer_ends(high, low);
            for m in forth.moves.of(high, low) {
                let slots = joined(forth.step, m.effect).into_iter().flatten();
                let gain: u8 = slots.map(|slot| gains[forth.places[usize::from(slot)]]).sum();
                for bit in each_bit(m.bits & entry.present()) {
                    let n = (outer | u32::from(ENDS_IN[bit as usize])).count_ones() as usize;
                    let place = entry.place(bit, outer.count_ones() as usize);
                    let Some(landing) = forth.landing(m, At { high, low }, bit, n, |at| entry_of(after, at))
                    else {
                        continue;
                    };
                    let chunk = after[landing.at.high].as_ref().expect("the chunk is not empty");
                    let values = &chunk.best[landing.block.clone()];
                    let block = place..place + size(n);
                    let (is_there, best) = (&is_there[block.clone()], &mut best[block]);
                    let mirrored = forth.mirrored(&landing);
                    forth.each_pair(&landing, |y, x| {
                        let value = values[mirrored.as_ref().map_or(x, |map| map[x] as usize)];
                        if is_there[y] && value != NEVER {
                            best[y] = search.better(best[y], value + gain);
                        }
                    });
                }
            }
        }
        Ok(Some(Judged { entries, best }))
    }

    /// Returns the next state of a best tour.
    fn onwards(
        &self,
        forth: &Forth,
        state: State,
        after: &Judgement,
        gains: &[u8],
        search: &Search,
    ) -> Option<Onwards> {
        let n = state.ends(self.course.as_ref()?.words()).count_ones() as usize;
        let mut found: Option<(u8, Onwards)> = None;
        for m in forth.moves.of(state.at.high, state.at.low).iter().filter(|m| m.bits >> state.bit & 1 == 1) {
            let slots = joined(forth.step, m.effect).into_iter().flatten();
            let places: Vec<usize> = slots.map(|slot| forth.places[usize::from(slot)]).collect();
            let gain = places.iter().map(|&place| gains[place]).sum::<u8>();
            let landing = forth.landing(m, state.at, state.bit, n, |at| entry_of(after, at));
            let Some(landing) = landing else { continue };
            let mut index = None;
            forth.each_pair(&landing, |y, x| index = index.or((y == state.index).then_some(x)));
            let Some(index) = index else { continue };
            let index = forth.mirrored(&landing).map_or(index, |map| map[index] as usize);
            let value = after[landing.at.high].as_ref()?.best[landing.block.start + index];
            if value == NEVER {
                continue;
            }
            let value = value + gain;
            if found.as_ref().is_none_or(|best| best.0 != search.better(best.0, value)) {
                let to = State { at: landing.at, bit: landing.bit, index };
                found = Some((value, Onwards { to, is_image: landing.is_image(), places, gain }));
            }
        }
        found.map(|(_, onwards)| onwards)
    }
}

/// A step of a best tour.
struct Onwards {
    to: State,
    /// True if the layer has the mirror image of the target.
    is_image: bool,
    /// The later neighbours that the step joins, by index.
    places: Vec<usize>,
    /// Edges of the class among these.
    gain: u8,
}

fn entry_of(layer: &Judgement, at: At) -> Entry {
    layer[at.high].as_ref().map_or(Entry::default(), |chunk| chunk.entries[at.low])
}
