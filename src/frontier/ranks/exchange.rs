//! How a rank gets what it reads, and sends what others read.
//!
//! Ranks exchange in rounds: in round r each sends to the r-th rank after it and receives from the
//! r-th before it, a window of chunks at a time, packed as for the store. A message names its step
//! and chunk and is checked by its digest, so damage on the way is an error and no wrong count.

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

/// The exchange before a step that is spread over ranks.
#[derive(Clone, Copy)]
pub struct Exchange<'a> {
    /// Who computes what.
    pub spread: &'a Spread,
    /// What this rank holds.
    pub layer: &'a Shelf,
    /// Its memory and its store.
    pub keeper: &'a Keeper<'a>,
    /// The other ranks.
    pub peers: &'a dyn Peers,
}

impl Exchange<'_> {
    /// Sends away what others read, and takes in what this rank reads. What nobody reads here any more is
    /// freed as soon as it is sent. Returns the bytes sent.
    ///
    /// # Errors
    /// See [`Broken`].
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
                    leaving.par_iter().map(|&s| self.packed(s)).collect();
                let mut packed = packed.into_iter();
                let mut received = Vec::new();
                for at in 0..leaving.len().max(arriving.len()) {
                    let bytes = packed.next().map(|bytes| {
                        bytes.unwrap_or_else(|halt| {
                            // Sent, so that whoever waits for it does not think that it was lost on the way.
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
        let is_missing = |s: &usize| read_here[*s] && spread.bytes(*s) > 0 && here.binary_search(s).is_err();
        match (0..read_here.len()).find(is_missing) {
            Some(s) => Err(Broken::Here(Halt::Store(format!("chunk {s} of the layer is nowhere")))),
            None => Ok(sent),
        }
    }

    /// How many chunks from `begin` on are packed and unpacked at once.
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

    /// A chunk with its name before it.
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

    /// Puts a chunk that another rank has sent on the shelf.
    fn take_in(&self, aside: &Aside, (number, bytes): &(usize, Vec<u8>), from: usize) -> Result<(), Halt> {
        if let Some(why) = bytes.strip_prefix(FAILED) {
            return Err(Halt::Store(format!("rank {from}: {}", String::from_utf8_lossy(why))));
        }
        let lost =
            || Halt::Store(format!("what rank {from} sent did not arrive whole; go on with the checkpoint"));
        let bytes = bytes.strip_prefix(&self.name_of(*number)).ok_or_else(lost)?;
        let digest = codec::digest_of(bytes).ok_or_else(lost)?;
        // A group of 64 weights takes a byte at least.
        let most = (bytes.len() * 64 * size_of::<u128>()) as u64;
        let chunk =
            decode::read(&mut Cursor::new(bytes), aside.layer.words(), most, digest).map_err(|_| lost())?;
        aside.keeper.room(chunk.bytes(), &|| aside.put())?;
        aside.layer.put(*number, chunk);
        aside.numbers.lock().unwrap_or_else(PoisonError::into_inner).push_back(*number);
        Ok(())
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
