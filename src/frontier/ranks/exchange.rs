//! The exchange of source chunks before a step: a rank receives the chunks that it reads, and sends those
//! that others read.
//!
//! Ranks exchange in rounds: in round r each rank sends to the r-th rank after it and receives from the r-th
//! rank before it, a window of chunks at a time, encoded as in the store. A message names its step and chunk
//! and has a digest, so a transfer error is detected and cannot change a count.

use std::collections::VecDeque;
use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::Stride;
use crate::frontier::layer::{codec, decode};
use crate::frontier::ranks::peers::Peers;
use crate::frontier::ranks::spread::{Delivery, Spread};

/// The reason why an exchange failed.
#[derive(Debug)]
pub enum Broken {
    /// This rank cannot store what it received; the other ranks have not been informed.
    Here(Halt),
    /// The connection is lost.
    Lost(String),
}

/// Start of a message that carries an error in place of a chunk. No chunk header starts with these bytes.
const FAILED: &[u8] = b"!failed: ";

/// Maximum number of chunks per thread that are encoded or decoded at once, and the divisor of the memory
/// ceiling that limits their size.
const WINDOW: usize = 8;
const WINDOW_SHARE: u64 = 32;

/// The exchange before a step that is distributed over ranks.
#[derive(Clone, Copy)]
pub struct Exchange<'a> {
    /// Assignment of the step's chunks to ranks.
    pub spread: &'a Spread,
    /// Chunks that this rank holds.
    pub layer: &'a Shelf,
    /// Memory and store of this rank.
    pub keeper: &'a Keeper<'a>,
    /// Connection to the other ranks.
    pub peers: &'a dyn Peers,
}

impl Exchange<'_> {
    /// Sends the chunks that other ranks read and receives those that this rank reads. A chunk without
    /// further readers on this rank is freed after its last transfer. Returns the number of bytes sent.
    ///
    /// # Errors
    /// See [`ExchangeError`].
    pub fn run(&self, stride: &Stride) -> Result<u64, Broken> {
        let &Self { spread, layer, keeper, peers } = self;
        let (rank, size) = (peers.rank(), peers.size());
        let read_here = spread.read_by(stride, rank);
        let mut to_send = vec![0u32; read_here.len()];
        let (mut leaving_for, mut arriving_from) = (vec![Vec::new(); size], vec![Vec::new(); size]);
        for &Delivery { source, holder, reader } in spread.deliveries() {
            if holder == rank {
                to_send[source] += 1;
                leaving_for[reader].push(source);
            } else if reader == rank {
                arriving_from[holder].push(source);
            }
        }
        let aside = Aside { layer, keeper, numbers: Mutex::new(layer.numbers().into()) };
        let most = (keeper.limit() / WINDOW_SHARE).min(1 << 30);
        // A rank that has failed continues to send and receive, so that no other rank waits for it.
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
                    leaving.par_iter().map(|&s| self.packed(s)).collect();
                let mut packed = packed.into_iter();
                let mut received = Vec::new();
                for at in 0..leaving.len().max(arriving.len()) {
                    let bytes = packed.next().map(|bytes| {
                        bytes.unwrap_or_else(|halt| {
                            // The error is sent in place of the chunk, so that its receiver does not report a
                            // transfer error.
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
                    // Repeated alone: other threads may have occupied the memory.
                    let taken = if taken == Err(Halt::Memory) { take_in(message) } else { taken };
                    failed = failed.or(taken.err());
                }
            }
        }
        if let Some(halt) = failed {
            return Err(Broken::Here(halt));
        }
        let here = layer.numbers();
        let is_missing = |s: &usize| read_here[*s] && spread.bytes(*s) > 0 && here.binary_search(s).is_err();
        match (0..read_here.len()).find(is_missing) {
            Some(s) => Err(Broken::Here(Halt::Store(format!(
                "chunk {s} of the layer is missing; resume from the checkpoint"
            )))),
            None => Ok(sent),
        }
    }

    /// Returns the number of chunks from `begin` on that are encoded and decoded at once.
    fn window(&self, lists: &[&Vec<usize>; 2], begin: usize, most: u64) -> usize {
        let bytes = |at: usize| {
            lists.iter().filter_map(|list| list.get(at)).map(|&s| self.spread.bytes(s)).sum::<u64>()
        };
        let mut sum = 0;
        let fits = |at: &usize| {
            sum += bytes(*at);
            sum <= most
        };
        let count = WINDOW * rayon::current_num_threads();
        (begin..begin + count).take_while(fits).count().max(1)
    }

    /// Returns the encoded chunk with its header.
    fn packed(&self, number: usize) -> Result<Vec<u8>, Halt> {
        let mut bytes = self.name_of(number).to_vec();
        self.layer.pack(number, self.keeper, &mut bytes)?;
        Ok(bytes)
    }

    fn name_of(&self, number: usize) -> [u8; 16] {
        let mut name = [0; 16];
        name[..8].copy_from_slice(&(self.spread.step() as u64).to_le_bytes());
        name[8..].copy_from_slice(&(number as u64).to_le_bytes());
        name
    }

    /// Decodes a chunk that another rank has sent and inserts it into the layer.
    fn take_in(&self, aside: &Aside, (number, bytes): &(usize, Vec<u8>), from: usize) -> Result<(), Halt> {
        if let Some(why) = bytes.strip_prefix(FAILED) {
            return Err(Halt::Store(format!("rank {from}: {}", String::from_utf8_lossy(why))));
        }
        let lost =
            || Halt::Store(format!("a message from rank {from} arrived damaged; resume from the checkpoint"));
        let bytes = bytes.strip_prefix(&self.name_of(*number)).ok_or_else(lost)?;
        let digest = codec::digest_of(bytes).ok_or_else(lost)?;
        // A group of 64 weights takes at least one byte.
        let most = (bytes.len() * 64 * size_of::<u128>()) as u64;
        let chunk =
            decode::read(&mut Cursor::new(bytes), aside.layer.words(), most, digest).map_err(|_| lost())?;
        aside.keeper.room(chunk.bytes(), &|| aside.put())?;
        aside.layer.put(*number, chunk);
        aside.numbers.lock().unwrap_or_else(PoisonError::into_inner).push_back(*number);
        Ok(())
    }
}

/// Chunks that can be evicted to free memory for arriving ones.
struct Aside<'a> {
    layer: &'a Shelf,
    keeper: &'a Keeper<'a>,
    numbers: Mutex<VecDeque<usize>>,
}

impl Aside<'_> {
    /// Evicts one chunk to the store; returns false if there are none left.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::frontier::block::tables::Tables;
    use crate::frontier::block::weights::Weights;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::problem::cycles::{Cycles, Tours};
    use crate::frontier::problem::field::Field;
    use crate::frontier::problem::plan::Plan;
    use crate::frontier::ranks::team::Team;
    use crate::frontier::state::course::Course;

    #[test]
    fn a_message_that_is_damaged_or_of_another_chunk_is_not_taken_in() {
        let cycles = Cycles::of(&Field::of(&Board::new(6, 4).unwrap().into()), Tours::Closed);
        let order: Vec<usize> = (0..cycles.len()).collect();
        let course = Course::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap();
        let (words, tables) = (course.words(), Tables::new(0));
        let keeper = Keeper::new(1 << 20, None);
        let spread = |t| Spread::new(&course, &Stride::new(&course, &tables, None, t), t, &[], 2);
        let (now, later) = (spread(3), spread(4));
        let [held, taken] = [(); 2].map(|()| Shelf::new(words.chunks(), words.chunk_len()));
        held.put(1, Chunk::first(words, Weights::W32(vec![17].into())));
        let team = Team::of(2);
        let rank = |spread, layer| Exchange { spread, layer, keeper: &keeper, peers: &team[0] };
        let aside = Aside { layer: &taken, keeper: &keeper, numbers: Mutex::default() };
        let take_in = |number, bytes: &[u8]| rank(&now, &taken).take_in(&aside, &(number, bytes.to_vec()), 1);

        let bytes = rank(&now, &held).packed(1).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(take_in(1, &damaged).is_err(), "byte {at}");
        }
        assert!(take_in(2, &bytes).is_err(), "another chunk");
        assert!(take_in(1, &rank(&later, &held).packed(1).unwrap()).is_err(), "another step");
        let why = take_in(1, b"!failed: no room in memory").unwrap_err();
        assert_eq!(why, Halt::Store("rank 1: no room in memory".into()));
        assert!(taken.numbers().is_empty() && keeper.account().held() == 0);
        take_in(1, &bytes).unwrap();
        let chunk = taken.get(1, &keeper, &|| Ok(false)).unwrap().unwrap();
        assert_eq!(
            (chunk.weights.clone(), keeper.account().held()),
            (Weights::W32(vec![17].into()), chunk.bytes())
        );
    }
}
