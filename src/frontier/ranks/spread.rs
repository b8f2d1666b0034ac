//! Which rank computes which chunk of the next layer, and how it gets what it reads.
//!
//! A target chunk is computed whole by one rank, from source chunks that other
//! ranks may hold. Target chunks are put in an order and the order is cut into
//! one range a rank, of about equal cost. Two things make for little traffic:
//!
//! - The order goes by the digits of the chunk's number, those of the slots that
//!   are touched latest first. A step changes the digits of a few slots only, and
//!   they come last, so what a range reads lies in nearly the same range of the
//!   layer before: until the leading slots' turn comes, all that is sent is what
//!   the cuts move by.
//! - A range goes to the rank that holds most of its sources.
//!
//! A source chunk that several ranks read is sent to each of them.

use std::collections::VecDeque;
use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::Stride;
use crate::frontier::layer::{codec, decode};
use crate::frontier::problem::plan::Plan;
use crate::frontier::ranks::peers::Peers;
use crate::frontier::state::signature::Words;

/// A source chunk that a rank holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its number.
    pub number: usize,
    /// The rank that holds it.
    pub rank: usize,
    /// Its bytes.
    pub bytes: u64,
}

/// The target chunks of a step by rank.
#[derive(Debug)]
pub struct Spread {
    /// By number of a target chunk: the rank that computes it, if it is computed.
    owners: Vec<Option<usize>>,
    /// Which ranks read a source chunk that another rank holds: (source, holder, reader).
    sends: Vec<(usize, usize, usize)>,
    /// Bytes of a source chunk.
    bytes: Vec<u64>,
    /// The step.
    t: usize,
}

/// Why an exchange failed.
#[derive(Debug)]
pub enum Broken {
    /// This rank cannot take in what it was sent; the others do not know yet.
    Here(Halt),
    /// The connection is lost.
    Lost(String),
}

/// Begins a message that has no chunk but why there is none. No name of a chunk begins like this.
const FAILED: &[u8] = b"!failed: ";

/// Chunks that are packed or unpacked at once, for each thread, and at most this part of the memory.
const WINDOW: usize = 8;
const WINDOW_SHARE: u64 = 32;

impl Spread {
    /// Spreads the target chunks of step `t` over `ranks` ranks. All ranks come to the same result from the
    /// same `held`. Cost: O(chunks x sources of a chunk).
    #[must_use]
    pub fn new(plan: &Plan, words: &Words, stride: &Stride, t: usize, held: &[Held], ranks: usize) -> Self {
        let mut holder: Vec<Option<&Held>> = vec![None; words.chunks()];
        held.iter().for_each(|held| holder[held.number] = Some(held));
        let mut readers = vec![0u32; words.chunks()];
        let mut sources_of: Vec<Vec<&Held>> = vec![Vec::new(); words.chunks()];
        let mut order = stride.order();
        for &high in &order {
            sources_of[high] = stride.sources_of(high).into_iter().filter_map(|s| holder[s]).collect();
            sources_of[high].iter().for_each(|s| readers[s.number] += 1);
        }
        let share = |s: &Held| s.bytes as f64 / f64::from(readers[s.number]);
        let cost = |high: usize| sources_of[high].iter().map(|s| share(s)).sum::<f64>();

        let keys = keys(plan, words, t);
        order.sort_by_key(|&high| (keys[high].min(keys[stride.image(high)]), high));
        let total: f64 = order.iter().map(|&high| cost(high)).sum();
        let (mut before, mut range_of) = (0.0, vec![0; words.chunks()]);
        let mut here = vec![vec![0.0; ranks]; ranks];
        for &high in &order {
            // By its middle, so that cuts are where they divide best.
            let middle = before + cost(high) / 2.0;
            let range = ((middle / total * ranks as f64) as usize).min(ranks - 1);
            before += cost(high);
            range_of[high] = range;
            sources_of[high].iter().for_each(|s| here[range][s.rank] += share(s));
        }
        let rank_of = match_up(&here);

        let mut owners = vec![None; words.chunks()];
        let mut sends = Vec::new();
        for &high in &order {
            let owner = rank_of[range_of[high]];
            owners[high] = Some(owner);
            let foreign = sources_of[high].iter().filter(|s| s.rank != owner);
            sends.extend(foreign.map(|s| (s.number, s.rank, owner)));
        }
        sends.sort_unstable();
        sends.dedup();
        let bytes = holder.iter().map(|held| held.map_or(0, |held| held.bytes)).collect();
        Self { owners, sends, bytes, t }
    }

    /// Numbers of the target chunks that others compute.
    #[must_use]
    pub fn of_others(&self, rank: usize) -> Vec<usize> {
        (0..self.owners.len()).filter(|&high| self.owners[high].is_some_and(|owner| owner != rank)).collect()
    }

    /// Sends away what others read, and takes in what this rank reads. What nobody reads here any more is
    /// freed as soon as it is sent. Returns the bytes sent.
    ///
    /// # Errors
    /// See [`Broken`].
    pub fn exchange(
        &self,
        stride: &Stride,
        layer: &Shelf,
        keeper: &Keeper,
        peers: &dyn Peers,
    ) -> Result<u64, Broken> {
        let (rank, size) = (peers.rank(), peers.size());
        let read_here = self.read_by(stride, rank);
        let mut to_send = vec![0u32; self.owners.len()];
        let (mut leaving_for, mut arriving_from) = (vec![Vec::new(); size], vec![Vec::new(); size]);
        for &(s, holder, reader) in &self.sends {
            if holder == rank {
                to_send[s] += 1;
                leaving_for[reader].push(s);
            } else if reader == rank {
                arriving_from[holder].push(s);
            }
        }
        let aside = Aside { layer, keeper, numbers: Mutex::new(layer.numbers().into()) };
        let most = (keeper.limit() / WINDOW_SHARE).min(1 << 30);
        // A rank that has failed still sends and receives, so that no other waits for it in vain.
        let mut failed: Option<Halt> = None;
        let mut sent = 0;
        for round in 1..size {
            let (to, from) = ((rank + round) % size, (rank + size - round) % size);
            let (outgoing, incoming) = (&leaving_for[to], &arriving_from[from]);
            let mut begin = 0;
            while begin < outgoing.len().max(incoming.len()) {
                let window = self.window(&[outgoing, incoming], begin, most);
                let part = |all: &[usize]| {
                    all.get(begin..).map_or(Vec::new(), |rest| rest[..window.min(rest.len())].to_vec())
                };
                let (leaving, arriving) = (part(outgoing), part(incoming));
                begin += window;
                let packed: Vec<Result<Vec<u8>, Halt>> =
                    leaving.par_iter().map(|&s| self.packed(s, layer, keeper)).collect();
                let mut packed = packed.into_iter();
                let mut received = Vec::new();
                for at in 0..leaving.len().max(arriving.len()) {
                    let bytes = packed.next().map(|bytes| {
                        bytes.unwrap_or_else(|halt| {
                            // Told, so that whoever waits for it does not think that it was lost on the way.
                            let why = [FAILED, format!("{halt}").as_bytes()].concat();
                            failed.get_or_insert(halt);
                            why
                        })
                    });
                    sent += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
                    let bytes = peers
                        .exchange(bytes.map(|bytes| (to, bytes)), arriving.get(at).map(|_| from))
                        .map_err(|error| Broken::Lost(error.to_string()))?;
                    received.extend(arriving.get(at).map(|&s| (s, bytes)));
                }
                for s in leaving {
                    to_send[s] -= 1;
                    if to_send[s] == 0 && !read_here[s] {
                        layer.remove(s, keeper);
                    }
                }
                if failed.is_some() {
                    continue;
                }
                let take_in = |message: &(usize, Vec<u8>)| self.take_in(&aside, message, from);
                let taken: Vec<Result<(), Halt>> = received.par_iter().map(take_in).collect();
                for (message, taken) in received.iter().zip(taken) {
                    // Alone there may be room for what found none while others were at it.
                    let taken = if taken == Err(Halt::Memory) { take_in(message) } else { taken };
                    failed = failed.or(taken.err());
                }
            }
        }
        if let Some(halt) = failed {
            return Err(Broken::Here(halt));
        }
        let here = layer.numbers();
        let is_missing = |s: &usize| read_here[*s] && self.bytes[*s] > 0 && here.binary_search(s).is_err();
        match (0..self.owners.len()).find(is_missing) {
            Some(s) => Err(Broken::Here(Halt::Store(format!("chunk {s} of the layer is nowhere")))),
            None => Ok(sent),
        }
    }

    /// How many chunks from `begin` on are packed and unpacked at once.
    fn window(&self, lists: &[&Vec<usize>; 2], begin: usize, most: u64) -> usize {
        let bytes =
            |at: usize| lists.iter().filter_map(|list| list.get(at)).map(|&s| self.bytes[s]).sum::<u64>();
        let mut sum = 0;
        let fits = |at: &usize| {
            sum += bytes(*at);
            sum <= most
        };
        let count = WINDOW * rayon::current_num_threads();
        (begin..begin + count).take_while(fits).count().max(1)
    }

    /// A chunk with its name before it.
    fn packed(&self, number: usize, layer: &Shelf, keeper: &Keeper) -> Result<Vec<u8>, Halt> {
        let mut bytes = self.name_of(number).to_vec();
        layer.pack(number, keeper, &mut bytes)?;
        Ok(bytes)
    }

    fn name_of(&self, number: usize) -> [u8; 16] {
        let mut name = [0; 16];
        name[..8].copy_from_slice(&(self.t as u64).to_le_bytes());
        name[8..].copy_from_slice(&(number as u64).to_le_bytes());
        name
    }

    /// Puts a chunk that another rank has sent on the shelf.
    fn take_in(&self, aside: &Aside, (number, bytes): &(usize, Vec<u8>), from: usize) -> Result<(), Halt> {
        if let Some(why) = bytes.strip_prefix(FAILED) {
            return Err(Halt::Store(format!("rank {from}: {}", String::from_utf8_lossy(why))));
        }
        let lost =
            || Halt::Store(format!("what rank {from} sent did not arrive whole; go on with the checkpoint"));
        let bytes = bytes.strip_prefix(&self.name_of(*number)).ok_or_else(lost)?;
        let digest = codec::digest_of(bytes).ok_or_else(lost)?;
        let chunk = decode::read(&mut Cursor::new(bytes), aside.layer.words(), digest).map_err(|_| lost())?;
        aside.keeper.room(chunk.bytes(), &|| aside.put())?;
        aside.layer.put(*number, chunk);
        aside.numbers.lock().unwrap_or_else(PoisonError::into_inner).push_back(*number);
        Ok(())
    }

    /// By source chunk, whether a rank reads it.
    fn read_by(&self, stride: &Stride, rank: usize) -> Vec<bool> {
        let mut read = vec![false; self.owners.len()];
        for high in (0..self.owners.len()).filter(|&high| self.owners[high] == Some(rank)) {
            stride.sources_of(high).into_iter().for_each(|s| read[s] = true);
        }
        read
    }
}

/// What can be put aside to make room for what arrives.
struct Aside<'a> {
    layer: &'a Shelf,
    keeper: &'a Keeper<'a>,
    numbers: Mutex<VecDeque<usize>>,
}

impl Aside<'_> {
    /// Frees the memory of a chunk; `false` if there is none.
    fn put(&self) -> Result<bool, Halt> {
        loop {
            let next = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(number) = next else { return Ok(false) };
            if self.layer.put_aside(number, self.keeper)? {
                return Ok(true);
            }
        }
    }
}

/// By number of a chunk, its place in the order of target chunks of step `t`.
fn keys(plan: &Plan, words: &Words, t: usize) -> Vec<u32> {
    let touched_next = |slot: usize| {
        let touches = |step: usize| {
            let step = &plan.steps()[step];
            let slots = step.later.iter().map(|later| later.slot).chain(step.slot).chain(step.compulsory);
            slots.into_iter().any(|s| usize::from(s) == slot)
        };
        (t..plan.steps().len()).find(|&step| touches(step)).unwrap_or(usize::MAX)
    };
    let mut slots: Vec<usize> = (0..plan.slots()).collect();
    slots.sort_by_key(|&slot| (touched_next(slot), slot));
    let place = |slot: usize| slots.iter().position(|&s| s == slot).expect("every slot has a place") as u32;
    words.tables(|slot, digit| 3u32.pow(place(slot)) * digit).0
}

/// Gives every range a rank, so that much of what it reads is there already, by the greatest first.
fn match_up(here: &[Vec<f64>]) -> Vec<usize> {
    let ranks = here.len();
    let mut pairs: Vec<(usize, usize)> =
        (0..ranks).flat_map(|range| (0..ranks).map(move |rank| (range, rank))).collect();
    pairs.sort_by(|a, b| here[b.0][b.1].total_cmp(&here[a.0][a.1]));
    let (mut rank_of, mut taken) = (vec![None; ranks], vec![false; ranks]);
    for (range, rank) in pairs {
        if rank_of[range].is_none() && !taken[rank] {
            rank_of[range] = Some(rank);
            taken[rank] = true;
        }
    }
    rank_of.into_iter().map(|rank| rank.expect("as many ranks as ranges")).collect()
}
