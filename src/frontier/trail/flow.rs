//! The usage of edges: the number of tours that use each edge, for all edges at once, without visiting tours.
//!
//! From the last layer to the first every state gets the number of its completions. A choice that leads from
//! a state of weight W to a state with C completions is taken by W x C tours, and so are the edges that it
//! adds:
//!
//! ```text
//! use(edge) = sum over the states s' and the choices c with the edge   W(s') completions(c(s'))
//! ```
//!
//! Where a layer is folded, edges are found in the frame of the stored mirror image; the mean of an edge and
//! its mirror image is correct for both. As a check, the usage at every vertex must add up to two edges per
//! tour.
//!
//! Cost: about that of two sweeps, and 4 bytes, or 8 where completions are many, for every weight of the
//! greater of two layers and of the part in flight of the other: a chunk of the later one is freed after its
//! last reader. A lower bound of the memory is computed from the directories before the work begins.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use num_bigint::BigUint;

use crate::control::{Allocator, Wish};
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::estimate::{fixed_bytes, reserve};
use crate::frontier::state::course::Course;
use crate::frontier::trail::completed::Completed;
use crate::frontier::trail::completions::Forth;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::layer::Layer;
use crate::frontier::trail::maps::Maps;
use crate::frontier::trail::number::Number;
use crate::frontier::trail::trails::Trails;
use crate::lock::lock;

/// Bits of the greatest weight up to which the sums of completions of a step fit a `u64` and a `u128`.
pub const NARROW: u32 = 56;
pub const MIDDLE: u32 = 120;

/// The number of tours that use each edge, the lower vertex first; the number of squares stands for the apex.
pub type Uses = BTreeMap<(u32, u32), BigUint>;

/// Options of a backward pass through the layers.
#[derive(Clone, Default)]
pub struct Flowing {
    /// Memory ceiling for the process in bytes.
    pub memory: Option<u64>,
    /// Sets options of the process's allocator as requested.
    pub allocator: Option<Allocator>,
    /// Cancels the pass.
    pub cancel: Cancel,
}

/// A layer of completions, by chunk.
type Completions<N> = Vec<Mutex<Option<Arc<Completed<N>>>>>;

/// The chunks before a step in the order of computation, each with the chunks after the step that it reads.
type Order = Vec<(usize, Vec<usize>)>;

impl Trails {
    /// Returns the number of tours that use each edge of the graph; an edge to the apex gives the number of
    /// paths that end at a vertex. Calls `on_step` after every step with the steps done and the steps in all.
    ///
    /// # Errors
    /// [`IndexLayersError::Memory`] if memory is insufficient, a layer is damaged, or it was cancelled.
    ///
    /// # Panics
    /// If the usage at a vertex does not add up to two edges per tour.
    pub fn uses(&self, flowing: &Flowing, told: &mut dyn FnMut(usize, usize)) -> Result<Uses, TrailError> {
        let uses = match self.bits {
            bits if bits <= NARROW => self.flow::<u64>(flowing, told)?,
            bits if bits <= MIDDLE => self.flow::<u128>(flowing, told)?,
            _ => self.flow::<BigUint>(flowing, told)?,
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

    /// Returns a lower bound of the memory in bytes of a process that computes the usage: the amount if all
    /// numbers of completions fit 32 bits.
    ///
    /// # Errors
    /// A layer is damaged.
    pub fn flow_bytes(&self) -> Result<u64, TrailError> {
        match self.bits {
            bits if bits <= NARROW => self.needs::<u64>(),
            bits if bits <= MIDDLE => self.needs::<u128>(),
            _ => self.needs::<BigUint>(),
        }
    }

    /// Returns the bytes of memory without completions: the process, and all layers in memory, or the
    /// greatest of those in files.
    pub(super) fn beside(&self, course: &Course) -> u64 {
        let layers = self.layers.iter().map(Layer::bytes);
        let layers = if self.is_in_memory() { layers.sum() } else { layers.max().unwrap_or(0) };
        fixed_bytes(course, false, None) + layers
    }

    fn needs<N: Number>(&self) -> Result<u64, TrailError> {
        let Some(course) = &self.course else { return Ok(0) };
        let (maps, words) = (Maps::default(), course.words().chunk_len());
        let threads = rayon::current_num_threads() as u64;
        let (mut peak, mut after) = (0, vec![0; course.words().chunks()]);
        for t in (1..self.steps()).rev() {
            let (forth, layer) = (Forth::new(course, &self.tables, &maps, t), &self.layers[t - 1]);
            let order = order(&forth, layer.numbers());
            let readers = readers(&order, after.len());
            let free = |left: &[u32], after: &mut [u64]| {
                left.iter().zip(after).filter(|(left, _)| **left == 0).for_each(|(_, bytes)| *bytes = 0);
            };
            free(&readers, &mut after);
            let mut left = readers;
            let (mut held, mut before) = (after.iter().sum::<u64>(), vec![0; after.len()]);
            let mut largest = 0;
            for (high, targets) in order {
                let len = layer.chunk(high)?.map_or(0, |chunk| chunk.len());
                before[high] = Completed::<N>::least_bytes(words, len);
                held += before[high];
                largest = largest.max(Completed::<N>::most_bytes(words, len));
                peak = peak.max(held + largest * threads);
                for target in targets {
                    left[target] -= 1;
                    if left[target] == 0 {
                        held -= std::mem::take(&mut after[target]);
                    }
                }
            }
            after = before;
        }
        Ok(self.beside(course) + peak)
    }

    fn flow<N: Number>(
        &self,
        flowing: &Flowing,
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
        let keeper = self.keeper::<N>(course, flowing)?;
        let (steps, maps) = (self.steps(), Maps::default());
        let mut entries = vec![Entry::default(); course.words().chunk_len()];
        entries[0] = Entry::new(1, 0);
        let one = vec![N::of_bytes(&[1])];
        let last = Completed::new(entries, one.clone(), &one);
        keeper.room(last.bytes(), &|| Ok(false)).map_err(|_| self.no_room(flowing, last.bytes()))?;
        let mut after: Completions<N> = empty(course);
        *lock(&after[0]) = Some(Arc::new(last));
        let mut framed: BTreeMap<(usize, usize), BigUint> = BTreeMap::new();
        for t in (0..steps).rev() {
            let forth = Forth::new(course, &self.tables, &maps, t);
            let (vertex, later) = (forth.step.vertex, forth.later(t));
            let layer = t.checked_sub(1).map(|before| &self.layers[before]);
            let (before, used) = self.step_back(&forth, layer, &after, later.len(), &keeper, flowing)?;
            for (&w, number) in later.iter().zip(&used) {
                if !number.is_zero() {
                    *framed.entry((vertex.min(w), vertex.max(w))).or_default() += number.widest();
                }
            }
            if let Some(layer) = layer {
                layer.release();
            }
            keeper.give_back(0);
            after = before;
            told(steps - t, steps);
        }
        for (&(v, w), number) in &framed {
            let (a, b) = (self.mirror[v], self.mirror[w]);
            for (v, w) in [(v, w), (a.min(b), a.max(b))] {
                *uses.get_mut(&(v as u32, w as u32)).expect("a mirror maps edges to edges") += number;
            }
        }
        for number in uses.values_mut() {
            assert!(!number.bit(0), "an edge and its mirror image are used equally often");
            *number >>= 1;
        }
        Ok(uses)
    }

    /// Returns the memory pool of a backward pass under the ceiling.
    ///
    /// # Errors
    /// [`IndexLayersError::Memory`] if even the lower bound exceeds the ceiling.
    fn keeper<N: Number>(&self, course: &Course, flowing: &Flowing) -> Result<Keeper<'static>, TrailError> {
        if let Some(grant) = flowing.allocator {
            grant(Wish::Keep);
        }
        let Some(memory) = flowing.memory else {
            return Ok(Keeper::new(u64::MAX / 2, None));
        };
        let room = memory.checked_sub(self.beside(course) + reserve(Some(memory)));
        if self.needs::<N>()? > memory || room.is_none() {
            return Err(self.no_room(flowing, 0));
        }
        Ok(Keeper::new(room.unwrap_or(0), None).below(Some(memory), flowing.allocator))
    }

    /// Returns the error of `missing_bytes` bytes too few.
    fn no_room(&self, flowing: &Flowing, more: u64) -> TrailError {
        let limit = flowing.memory.unwrap_or(u64::MAX);
        let needed = self.flow_bytes().unwrap_or(u64::MAX).max(limit.saturating_add(more));
        TrailError::Memory { needed, limit }
    }

    /// Returns the completions before a step, and by the index of the later neighbour the number of tours
    /// with the edge to it.
    fn step_back<N: Number>(
        &self,
        forth: &Forth,
        layer: Option<&Layer>,
        after: &Completions<N>,
        later: usize,
        keeper: &Keeper,
        flowing: &Flowing,
    ) -> Result<(Completions<N>, Vec<N>), TrailError> {
        let course = self.course.as_ref().expect("an index with layers has a signature space");
        let order = match layer {
            Some(layer) => order(forth, layer.numbers()),
            None => order(forth, [0].into_iter()),
        };
        let readers: Vec<AtomicU32> = readers(&order, after.len()).into_iter().map(AtomicU32::new).collect();
        let free = |high: usize| {
            if let Some(chunk) = lock(&after[high]).take() {
                keeper.account().give(chunk.bytes());
            }
        };
        (0..after.len()).filter(|&high| readers[high].load(Ordering::Relaxed) == 0).for_each(free);
        let before = empty(course);
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let failed: Mutex<Option<TrailError>> = Mutex::new(None);
        let sums: Mutex<Vec<N>> = Mutex::new(vec![N::default(); later]);
        rayon::broadcast(|_| {
            let mut at_hand: Vec<Option<Arc<Completed<N>>>> = vec![None; after.len()];
            let mut used = vec![N::default(); later];
            while !is_over.load(Ordering::Relaxed) {
                let Some((high, targets)) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                targets.iter().for_each(|&target| at_hand[target].clone_from(&lock(&after[target])));
                let made = if flowing.cancel.is_cancelled() {
                    Err(Error::Stopped { step: 0, steps: self.steps() }.into())
                } else {
                    self.chunk_back(forth, layer, *high, &at_hand, &mut used, (keeper, flowing))
                };
                targets.iter().for_each(|&target| at_hand[target] = None);
                match made {
                    Ok(chunk) => *lock(&before[*high]) = Some(Arc::new(chunk)),
                    Err(error) => {
                        *lock(&failed) = Some(error);
                        is_over.store(true, Ordering::Relaxed);
                    }
                }
                let is_last = |target: &&usize| readers[**target].fetch_sub(1, Ordering::AcqRel) == 1;
                targets.iter().filter(is_last).for_each(|&target| free(target));
            }
            lock(&sums).iter_mut().zip(&used).for_each(|(sum, own)| sum.add(own));
        });
        match lock(&failed).take() {
            Some(error) => Err(error),
            None => Ok((before, std::mem::take(&mut *lock(&sums)))),
        }
    }

    /// Returns the completions of a chunk, whose bytes are reserved in the pool.
    fn chunk_back<N: Number>(
        &self,
        forth: &Forth,
        layer: Option<&Layer>,
        high: usize,
        at_hand: &[Option<Arc<Completed<N>>>],
        used: &mut [N],
        (keeper, flowing): (&Keeper, &Flowing),
    ) -> Result<Completed<N>, TrailError> {
        let words = self.course.as_ref().expect("an index with layers has a signature space").words();
        let mut entries = vec![Entry::default(); words.chunk_len()];
        let packed = match layer {
            Some(layer) => Some((layer, layer.chunk(high)?.ok_or_else(|| layer.damaged())?)),
            None => None,
        };
        let own = Completed::<N>::most_bytes(entries.len(), packed.map_or(1, |(_, packed)| packed.len()));
        keeper.room(own, &|| Ok(false)).map_err(|_| self.no_room(flowing, own))?;
        let weights = match packed {
            None => {
                entries[0] = Entry::new(1, 0);
                vec![N::of_bytes(&[1])]
            }
            Some((layer, packed)) => {
                packed.entries().for_each(|(low, entry)| entries[low] = entry);
                packed.numbers().map_err(|_| layer.damaged())?
            }
        };
        let numbers = forth.back_to(high, &entries, &weights, at_hand, used);
        let completed = Completed::new(entries, numbers, &weights);
        keeper.account().give(own - completed.bytes());
        Ok(completed)
    }
}

/// Returns a layer without completions.
fn empty<N: Number>(course: &Course) -> Completions<N> {
    (0..course.words().chunks()).map(|_| Mutex::new(None)).collect()
}

/// Returns the chunks in an order in which chunks with the same targets are neighbours.
fn order(forth: &Forth, chunks: impl Iterator<Item = usize>) -> Order {
    let mut order: Order = chunks.map(|high| (high, forth.targets_of(high))).collect();
    order.sort_by(|(one, a), (other, b)| (a.first(), one).cmp(&(b.first(), other)));
    order
}

/// Returns the number of chunks that read each target.
fn readers(order: &Order, chunks: usize) -> Vec<u32> {
    let mut readers = vec![0; chunks];
    order.iter().flat_map(|(_, targets)| targets).for_each(|&target| readers[target] += 1);
    readers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{Cpu, on};
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;
    use crate::frontier::trail::make::Making;
    use crate::frontier::trail::trails::Place;

    /// The 3x32 board has completions of more than 32 bits, and the complete graph has blocks with many ends.
    #[test]
    fn numbers_of_every_width_say_the_same() {
        let complete = (0..9).flat_map(|v| (0..v).map(move |w| (w, v)));
        let complete = Field::graph(crate::board::Graph::from_edges(9, complete));
        for (field, tours) in [
            (Field::of(&"6x6".parse().unwrap()), Tours::Closed),
            (Field::of(&"3x32".parse().unwrap()), Tours::Closed),
            (Field::of(&"4x12".parse().unwrap()), Tours::Paths),
            (complete, Tours::Paths),
        ] {
            let making = Making::new("tours");
            let trails = Trails::make(&field, tours, &Place::Memory, &making, &mut |_, _, _, _| ()).unwrap();
            assert!(trails.bits <= NARROW);
            let uses = trails.uses(&Flowing::default(), &mut |_, _| ()).unwrap();
            let (flowing, told) = (Flowing::default(), &mut |_: usize, _: usize| ());
            assert_eq!(trails.flow::<u128>(&flowing, told).unwrap(), uses);
            assert_eq!(trails.flow::<BigUint>(&flowing, told).unwrap(), uses);
            for cpu in [Cpu::Narrow, Cpu::Portable] {
                let found = on(cpu, || trails.flow::<u64>(&flowing, &mut |_, _| ()).unwrap());
                assert_eq!(found, uses);
            }
        }
    }
}
