//! The distribution of a step over ranks, the exchange of source chunks, and the report of a rank after a
//! step.
//!
//! # Distribution
//!
//! The distribution decides which rank computes which chunk of the next layer.
//!
//! A target chunk is computed by one rank, from source chunks that other ranks may hold. The target chunks
//! are sorted, and the sorted list is split into one range per rank, of about equal cost. Two rules reduce
//! the traffic:
//!
//! - The sort key consists of the digits of the chunk's number, those of the slots that are touched latest
//!   first. A step changes the digits of a few slots only, which come last. So a range reads from nearly the
//!   same range of the layer before. Until the leading slots are touched, only chunks near the range
//!   boundaries are sent.
//! - A range is assigned to the rank that holds most of its sources.
//!
//! A source chunk that several ranks read is sent to each of them.
//!
//! # Exchange
//!
//! Before a step, each rank receives the source chunks that it reads, and sends those that other ranks read.
//!
//! Ranks exchange chunks in rounds: in round r each rank sends to the r-th rank after it and receives from
//! the r-th rank before it. It encodes and sends a limited number of chunks at a time, in the format of the
//! store. A message names its step and chunk and has a digest, so a transfer error is detected and cannot
//! change a count.

use std::collections::VecDeque;
use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::command::Command;
use super::communicator::Communicator;
use crate::encoder::Encoder;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::layer::sweep_totals::{ResourceUsage, StepTally};
use crate::frontier::layer::{chunk_decoder, chunk_format};
use crate::frontier::signature::space::SignatureSpace;

/// A chunk of a layer, and the rank that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldChunk {
    /// Number of the chunk.
    pub number: usize,
    /// Number of the rank that holds the chunk.
    pub rank: usize,
    /// Size of the chunk in bytes.
    pub bytes: u64,
}

/// Version of the encoding that [`holdings_digest`] hashes.
const DIGEST_VERSION: u8 = 1;

/// Returns a digest of the assignment of chunks to ranks. It is equal on all ranks.
#[must_use]
pub fn holdings_digest(holdings: &[HeldChunk]) -> u64 {
    let mut all: Vec<(usize, usize)> = holdings.iter().map(|one| (one.number, one.rank)).collect();
    all.sort_unstable();
    let mut bytes = Encoder::new(DIGEST_VERSION);
    bytes.list(&all, |to, &(number, rank)| {
        to.number(number as u64);
        to.number(rank as u64);
    });
    bytes.digest()
}

/// The work of a rank in a step, and its resources after the step. The sum over all ranks describes
/// the sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankReport {
    /// Counters of the rank's part of the step.
    pub tally: StepTally,
    /// Memory and disk that the rank uses.
    pub usage: ResourceUsage,
    /// Command of the rank's observer.
    pub command: Command,
    /// Chunks that the rank holds after the step: number of each chunk, and its size in bytes.
    pub chunks: Vec<(usize, u64)>,
}

impl RankReport {
    /// Adds up the reports of all ranks, given by rank. Returns the sum, whose list of chunks is
    /// empty, and the chunks that the ranks hold.
    #[must_use]
    pub fn combine(all: Vec<Self>) -> (Self, Vec<HeldChunk>) {
        let command = Command::combine(all.iter().map(|report| report.command));
        let mut sum = Self { command, ..Self::default() };
        let mut holdings = Vec::new();
        for (rank, one) in all.into_iter().enumerate() {
            holdings.extend(one.chunks.into_iter().map(|(number, bytes)| HeldChunk { number, rank, bytes }));
            sum.tally = sum.tally.plus(one.tally);
            sum.usage = sum.usage.combined_with(one.usage);
        }
        (sum, holdings)
    }
}

/// The transfer of a source chunk from the rank that holds it to a rank that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// Number of the chunk.
    pub chunk: usize,
    /// Number of the rank that holds the chunk.
    pub holder: usize,
    /// Number of the rank that reads the chunk.
    pub reader: usize,
}

/// The assignment of the target chunks of a step to ranks, and the transfers that it requires.
#[derive(Debug)]
pub struct Distribution {
    /// For each target chunk, the rank that computes it; `None` if the chunk is not computed.
    owners: Vec<Option<usize>>,
    transfers: Vec<Transfer>,
    /// For each source chunk, its size in bytes.
    source_bytes: Vec<u64>,
    /// Number of the step, from 0.
    step: usize,
}

impl Distribution {
    /// Distributes the target chunks of step `t` over `ranks` ranks. All ranks compute the same
    /// distribution from the same `held_chunks`. Cost: O(chunks x sources of a chunk).
    #[must_use]
    pub fn new(
        space: &SignatureSpace,
        compiled_step: &CompiledStep,
        t: usize,
        held_chunks: &[HeldChunk],
        ranks: usize,
    ) -> Self {
        let words = space.words();
        let mut holder: Vec<Option<&HeldChunk>> = vec![None; words.chunk_count()];
        held_chunks.iter().for_each(|one| holder[one.number] = Some(one));
        let mut readers = vec![0u32; words.chunk_count()];
        let mut sources_of: Vec<Vec<&HeldChunk>> = vec![Vec::new(); words.chunk_count()];
        let mut order = compiled_step.target_order();
        for &chunk_number in &order {
            sources_of[chunk_number] =
                compiled_step.source_chunks(chunk_number).into_iter().filter_map(|s| holder[s]).collect();
            sources_of[chunk_number].iter().for_each(|s| readers[s.number] += 1);
        }
        let share = |s: &HeldChunk| s.bytes as f64 / f64::from(readers[s.number]);
        let cost = |chunk_number: usize| sources_of[chunk_number].iter().map(|s| share(s)).sum::<f64>();

        let keys = chunk_sort_keys(space, t);
        order.sort_by_key(|&chunk_number| {
            (keys[chunk_number].min(keys[compiled_step.image_chunk(chunk_number)]), chunk_number)
        });
        let total: f64 = order.iter().map(|&chunk_number| cost(chunk_number)).sum();
        let (mut before, mut range_of) = (0.0, vec![0; words.chunk_count()]);
        let mut held_cost = vec![vec![0.0; ranks]; ranks];
        for &chunk_number in &order {
            // By the middle of its cost, so that boundaries are as even as possible.
            let middle = before + cost(chunk_number) / 2.0;
            let range = ((middle / total * ranks as f64) as usize).min(ranks - 1);
            before += cost(chunk_number);
            range_of[chunk_number] = range;
            sources_of[chunk_number].iter().for_each(|s| held_cost[range][s.rank] += share(s));
        }
        let rank_of = assign_ranges(&held_cost);

        let mut owners = vec![None; words.chunk_count()];
        let mut deliveries = Vec::new();
        for &chunk_number in &order {
            let owner = rank_of[range_of[chunk_number]];
            owners[chunk_number] = Some(owner);
            let foreign = sources_of[chunk_number].iter().filter(|s| s.rank != owner);
            let send = |s: &&HeldChunk| Transfer { chunk: s.number, holder: s.rank, reader: owner };
            deliveries.extend(foreign.map(send));
        }
        deliveries.sort_unstable();
        deliveries.dedup();
        let bytes = holder.iter().map(|one| one.map_or(0, |one| one.bytes)).collect();
        Self { owners, transfers: deliveries, source_bytes: bytes, step: t }
    }

    /// Returns the numbers of the target chunks that ranks other than `rank` compute.
    #[must_use]
    pub fn chunks_of_others(&self, rank: usize) -> Vec<usize> {
        (0..self.owners.len())
            .filter(|&chunk_number| self.owners[chunk_number].is_some_and(|owner| owner != rank))
            .collect()
    }

    /// Returns the number of the step, from 0.
    #[must_use]
    pub const fn step(&self) -> usize {
        self.step
    }

    /// Returns the transfers of source chunks that the distribution requires.
    #[must_use]
    pub fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Returns the size of a source chunk in bytes; 0 if the chunk is empty.
    #[must_use]
    pub fn source_bytes(&self, source: usize) -> u64 {
        self.source_bytes[source]
    }

    /// Returns, for each source chunk, true if the rank `rank` reads it.
    #[must_use]
    pub fn sources_read_by(&self, compiled_step: &CompiledStep, rank: usize) -> Vec<bool> {
        let mut read = vec![false; self.owners.len()];
        for chunk_number in
            (0..self.owners.len()).filter(|&chunk_number| self.owners[chunk_number] == Some(rank))
        {
            compiled_step.source_chunks(chunk_number).into_iter().for_each(|s| read[s] = true);
        }
        read
    }
}

/// Returns, for each chunk number, its sort key among the target chunks of step `t`.
fn chunk_sort_keys(space: &SignatureSpace, t: usize) -> Vec<u32> {
    let plan = space.plan();
    let touched_next = |slot: usize| {
        let touches = |step: usize| {
            let step = &plan.steps()[step];
            let slots = step
                .later_neighbours
                .iter()
                .map(|later| later.slot)
                .chain(step.slot)
                .chain(step.compulsory_slot);
            slots.into_iter().any(|s| usize::from(s) == slot)
        };
        (t..plan.steps().len()).find(|&step| touches(step)).unwrap_or(usize::MAX)
    };
    let mut slots: Vec<usize> = (0..plan.slot_count()).collect();
    slots.sort_by_key(|&slot| (touched_next(slot), slot));
    let place = |slot: usize| slots.iter().position(|&s| s == slot).expect("every slot is listed") as u32;
    space.words().outer_sums(|slot, digit| 3u32.pow(place(slot)) * digit).by_chunk
}

/// Returns the rank that is assigned to each range of target chunks. `held_cost[range][rank]` is
/// the cost of the sources of the range that the rank holds; the greatest costs are assigned first.
fn assign_ranges(held_cost: &[Vec<f64>]) -> Vec<usize> {
    let ranks = held_cost.len();
    let mut pairs: Vec<(usize, usize)> =
        (0..ranks).flat_map(|range| (0..ranks).map(move |rank| (range, rank))).collect();
    pairs.sort_by(|a, b| held_cost[b.0][b.1].total_cmp(&held_cost[a.0][a.1]));
    let (mut rank_of, mut taken) = (vec![None; ranks], vec![false; ranks]);
    for (range, rank) in pairs {
        if rank_of[range].is_none() && !taken[rank] {
            rank_of[range] = Some(rank);
            taken[rank] = true;
        }
    }
    rank_of.into_iter().map(|rank| rank.expect("as many ranks as ranges")).collect()
}

/// The reason why an exchange failed.
#[derive(Debug)]
pub enum ExchangeError {
    /// This rank cannot store what it received; the other ranks have not been informed.
    Local(StepError),
    /// The connection is lost.
    ConnectionLost(String),
}

/// First bytes of a message that carries an error in place of a chunk. No chunk header starts with
/// these bytes.
const FAILURE_PREFIX: &[u8] = b"!failed: ";

/// Maximum number of chunks per thread that are encoded or decoded together.
const WINDOW_CHUNKS_PER_THREAD: usize = 8;
/// Divisor of the memory limit that gives the maximum number of bytes of chunks that are encoded or
/// decoded together.
const WINDOW_MEMORY_DIVISOR: u64 = 32;

/// The exchange of source chunks between ranks before a step.
#[derive(Clone, Copy)]
pub struct Exchange<'a> {
    /// Assignment of the step's chunks to ranks.
    pub distribution: &'a Distribution,
    /// Chunks that this rank holds.
    pub layer: &'a LayerStore,
    /// Memory and store of this rank.
    pub pool: &'a MemoryPool<'a>,
    /// Connection to the other ranks.
    pub communicator: &'a dyn Communicator,
}

impl Exchange<'_> {
    /// Sends the chunks that other ranks read, and receives the chunks that this rank reads. Frees
    /// a chunk after its last transfer if this rank does not read it. Returns the number of bytes
    /// sent.
    ///
    /// # Errors
    /// See [`ExchangeError`].
    pub fn run(&self, step: &CompiledStep) -> Result<u64, ExchangeError> {
        let &Self { distribution: spread, layer, pool, communicator: peers } = self;
        let (rank, size) = (peers.rank(), peers.size());
        let read_here = spread.sources_read_by(step, rank);
        let mut to_send = vec![0u32; read_here.len()];
        let (mut outgoing_to, mut incoming_from) = (vec![Vec::new(); size], vec![Vec::new(); size]);
        for &Transfer { chunk: source, holder, reader } in spread.transfers() {
            if holder == rank {
                to_send[source] += 1;
                outgoing_to[reader].push(source);
            } else if reader == rank {
                incoming_from[holder].push(source);
            }
        }
        let eviction_queue =
            EvictionQueue { layer, pool, numbers: Mutex::new(layer.present_chunks().into()) };
        let max_window_bytes = (pool.limit() / WINDOW_MEMORY_DIVISOR).min(1 << 30);
        // A rank that has failed continues to send and receive, so that no other rank waits for it.
        let mut failed: Option<StepError> = None;
        let mut sent = 0;
        for round in 1..size {
            let (to, from) = ((rank + round) % size, (rank + size - round) % size);
            let (outgoing, incoming) = (&outgoing_to[to], &incoming_from[from]);
            let mut begin = 0;
            while begin < outgoing.len().max(incoming.len()) {
                let window = self.window_len(&[outgoing, incoming], begin, max_window_bytes);
                let part = |all: &[usize]| {
                    all.get(begin..).map_or(Vec::new(), |rest| rest[..window.min(rest.len())].to_vec())
                };
                let (sending, receiving) = (part(outgoing), part(incoming));
                begin += window;
                let packed: Vec<Result<Vec<u8>, StepError>> =
                    sending.par_iter().map(|&s| self.encode_chunk(s)).collect();
                let mut packed = packed.into_iter();
                let mut received = Vec::new();
                for at in 0..sending.len().max(receiving.len()) {
                    let bytes = packed.next().map(|bytes| {
                        bytes.unwrap_or_else(|step_error| {
                            // The error is sent in place of the chunk, so that its receiver does not report a
                            // transfer error.
                            let why = [FAILURE_PREFIX, format!("{step_error}").as_bytes()].concat();
                            failed.get_or_insert(step_error);
                            why
                        })
                    });
                    sent += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
                    let bytes = peers
                        .send_receive(bytes.map(|bytes| (to, bytes)), receiving.get(at).map(|_| from))
                        .map_err(|error| ExchangeError::ConnectionLost(error.to_string()))?;
                    received.extend(receiving.get(at).map(|&s| (s, bytes)));
                }
                for s in sending {
                    to_send[s] -= 1;
                    if to_send[s] == 0 && !read_here[s] {
                        layer.remove(s, pool);
                    }
                }
                if failed.is_some() {
                    continue;
                }
                let take_in = |message: &(usize, Vec<u8>)| self.receive_chunk(&eviction_queue, message, from);
                let taken: Vec<Result<(), StepError>> = received.par_iter().map(take_in).collect();
                for (message, taken) in received.iter().zip(taken) {
                    // Repeated alone: other threads may have occupied the memory.
                    let taken = if taken == Err(StepError::Memory) { take_in(message) } else { taken };
                    failed = failed.or(taken.err());
                }
            }
        }
        if let Some(step_error) = failed {
            return Err(ExchangeError::Local(step_error));
        }
        let here = layer.present_chunks();
        let is_missing =
            |s: &usize| read_here[*s] && spread.source_bytes(*s) > 0 && here.binary_search(s).is_err();
        match (0..read_here.len()).find(is_missing) {
            Some(s) => Err(ExchangeError::Local(StepError::Store(format!(
                "chunk {s} of the layer is missing; resume from the checkpoint"
            )))),
            None => Ok(sent),
        }
    }

    /// Returns the number of chunks, from index `begin` of the lists on, that are encoded and
    /// decoded together.
    fn window_len(&self, lists: &[&Vec<usize>; 2], begin: usize, max_bytes: u64) -> usize {
        let bytes = |at: usize| {
            lists
                .iter()
                .filter_map(|list| list.get(at))
                .map(|&s| self.distribution.source_bytes(s))
                .sum::<u64>()
        };
        let mut sum = 0;
        let fits = |at: &usize| {
            sum += bytes(*at);
            sum <= max_bytes
        };
        let count = WINDOW_CHUNKS_PER_THREAD * rayon::current_num_threads();
        (begin..begin + count).take_while(fits).count().max(1)
    }

    /// Returns the encoded chunk `number`, preceded by its header.
    fn encode_chunk(&self, number: usize) -> Result<Vec<u8>, StepError> {
        let mut bytes = self.chunk_header(number).to_vec();
        self.layer.append_encoded(number, self.pool, &mut bytes)?;
        Ok(bytes)
    }

    fn chunk_header(&self, number: usize) -> [u8; 16] {
        let mut name = [0; 16];
        name[..8].copy_from_slice(&(self.distribution.step() as u64).to_le_bytes());
        name[8..].copy_from_slice(&(number as u64).to_le_bytes());
        name
    }

    /// Decodes a chunk that another rank has sent and inserts it into the layer.
    fn receive_chunk(
        &self,
        eviction_queue: &EvictionQueue,
        (number, bytes): &(usize, Vec<u8>),
        from: usize,
    ) -> Result<(), StepError> {
        if let Some(message) = bytes.strip_prefix(FAILURE_PREFIX) {
            return Err(StepError::Store(format!("rank {from}: {}", String::from_utf8_lossy(message))));
        }
        let damaged = || {
            StepError::Store(format!(
                "a message from rank {from} arrived damaged; resume from the checkpoint"
            ))
        };
        let bytes = bytes.strip_prefix(&self.chunk_header(*number)).ok_or_else(damaged)?;
        let digest = chunk_format::trailing_digest(bytes).ok_or_else(damaged)?;
        // A group of 64 weights takes at least one byte.
        let max_bytes = (bytes.len() * 64 * size_of::<u128>()) as u64;
        let chunk = chunk_decoder::read_chunk(
            &mut Cursor::new(bytes),
            eviction_queue.layer.words_per_chunk(),
            max_bytes,
            digest,
        )
        .map_err(|_| damaged())?;
        eviction_queue.pool.reserve(chunk.bytes(), &|| eviction_queue.evict_next())?;
        eviction_queue.layer.insert(*number, chunk);
        eviction_queue.numbers.lock().unwrap_or_else(PoisonError::into_inner).push_back(*number);
        Ok(())
    }
}

/// A queue of the chunks that can be evicted to free memory for received chunks.
struct EvictionQueue<'a> {
    layer: &'a LayerStore,
    pool: &'a MemoryPool<'a>,
    numbers: Mutex<VecDeque<usize>>,
}

impl EvictionQueue<'_> {
    /// Evicts one chunk of the queue to the store. Returns false if the queue has no chunk that can
    /// be evicted.
    fn evict_next(&self) -> Result<bool, StepError> {
        loop {
            let next = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(number) = next else { return Ok(false) };
            if self.layer.evict(number, self.pool)? {
                return Ok(true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combine_adds_up_reports_and_lists_held_chunks() {
        let share = |states, peak_bytes, chunks: &[(usize, u64)]| RankReport {
            tally: StepTally { states, bits: states as u32, ..StepTally::default() },
            usage: ResourceUsage { bytes: 10, peak_bytes, ..ResourceUsage::default() },
            command: Command::Continue,
            chunks: chunks.to_vec(),
        };
        let (sum, holdings) =
            RankReport::combine(vec![share(5, 30, &[(1, 8)]), share(7, 20, &[(0, 2), (4, 2)])]);
        assert_eq!((sum.tally.states, sum.tally.bits), (12, 7));
        assert_eq!((sum.usage.bytes, sum.usage.peak_bytes), (20, 30));
        assert_eq!(holdings.len(), 3);
        let turned: Vec<HeldChunk> = holdings.iter().rev().copied().collect();
        assert_eq!(holdings_digest(&turned), holdings_digest(&holdings));
        let moved: Vec<HeldChunk> =
            holdings.iter().map(|one| HeldChunk { rank: 1 - one.rank, ..*one }).collect();
        assert_ne!(holdings_digest(&moved), holdings_digest(&holdings));
    }
}

#[cfg(test)]
mod distribution_tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Rectangle;
    use crate::frontier::planning::plan::Plan;
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::{Cycles, Tours};
    use crate::frontier::weights::matching_tables::MapTables;

    #[test]
    fn every_chunk_has_one_rank_and_its_sources_are_held_or_transferred() {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(6, 6).unwrap().into()),
            Tours::Closed,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        let space = SignatureSpace::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap();
        let (tables, ranks) = (MapTables::new(0), 3);
        let mut sent = 0;
        for t in [8, 17, 18, 20, 30] {
            let compiled_step = CompiledStep::new(&space, &tables, None, t);
            // Every second chunk is held, by the ranks in turn.
            let holdings: Vec<HeldChunk> = (0..space.words().chunk_count())
                .step_by(2)
                .map(|number| HeldChunk { number, rank: number / 2 % ranks, bytes: 100 + number as u64 })
                .collect();
            let spread = Distribution::new(&space, &compiled_step, t, &holdings, ranks);
            let others: Vec<Vec<usize>> = (0..ranks).map(|rank| spread.chunks_of_others(rank)).collect();
            for chunk_number in compiled_step.target_order() {
                let foreign = others.iter().filter(|others| others.contains(&chunk_number)).count();
                assert_eq!(foreign, ranks - 1, "chunk {chunk_number} of step {t} belongs to one rank");
            }
            for rank in 0..ranks {
                let read = spread.sources_read_by(&compiled_step, rank);
                for one in &holdings {
                    let delivery = Transfer { chunk: one.number, holder: one.rank, reader: rank };
                    let is_sent = spread.transfers().contains(&delivery);
                    assert_eq!(is_sent, read[one.number] && one.rank != rank);
                    sent += usize::from(is_sent);
                }
            }
        }
        assert!(sent > 0);
    }

    #[test]
    fn assign_ranges_prefers_ranks_that_hold_most_sources() {
        let here = [vec![1.0, 9.0, 0.0], vec![8.0, 7.0, 0.0], vec![5.0, 6.0, 1.0]];
        assert_eq!(assign_ranges(&here), [1, 0, 2]);
    }
}

#[cfg(test)]
mod exchange_tests {
    use std::sync::Arc;

    use super::super::communicator::ThreadCommunicator;
    use super::*;
    use crate::board::Rectangle;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::planning::plan::Plan;
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::{Cycles, Tours};
    use crate::frontier::signature::space::SignatureSpace;
    use crate::frontier::weights::matching_tables::MapTables;
    use crate::frontier::weights::vector::Weights;

    #[test]
    fn receive_chunk_rejects_damaged_and_foreign_messages() {
        let cycles = Cycles::from_sweep_graph(
            &SweepGraph::from_board(&Rectangle::new(6, 4).unwrap().into()),
            Tours::Closed,
        );
        let order: Vec<usize> = (0..cycles.len()).collect();
        let space = SignatureSpace::new(&Arc::new(Plan::new(&cycles, &order, true))).unwrap();
        let (words, tables) = (space.words(), MapTables::new(0));
        let pool = MemoryPool::new(1 << 20, None);
        let spread = |t| Distribution::new(&space, &CompiledStep::new(&space, &tables, None, t), t, &[], 2);
        let (now, later) = (spread(3), spread(4));
        let [held, taken] = [(); 2].map(|()| LayerStore::new(words.chunk_count(), words.chunk_len()));
        held.insert(1, Chunk::initial(words, Weights::W32(vec![17].into())));
        let team = ThreadCommunicator::connect(2);
        let rank =
            |spread, layer| Exchange { distribution: spread, layer, pool: &pool, communicator: &team[0] };
        let eviction_queue = EvictionQueue { layer: &taken, pool: &pool, numbers: Mutex::default() };
        let take_in = |number, bytes: &[u8]| {
            rank(&now, &taken).receive_chunk(&eviction_queue, &(number, bytes.to_vec()), 1)
        };

        let bytes = rank(&now, &held).encode_chunk(1).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(take_in(1, &damaged).is_err(), "byte {at}");
        }
        assert!(take_in(2, &bytes).is_err(), "another chunk");
        assert!(take_in(1, &rank(&later, &held).encode_chunk(1).unwrap()).is_err(), "another step");
        let why = take_in(1, b"!failed: no room in memory").unwrap_err();
        assert_eq!(why, StepError::Store("rank 1: no room in memory".into()));
        assert!(taken.present_chunks().is_empty() && pool.budget().reserved_bytes() == 0);
        take_in(1, &bytes).unwrap();
        let chunk = taken.load(1, &pool, &|| Ok(false)).unwrap().unwrap();
        assert_eq!(
            (chunk.weights.clone(), pool.budget().reserved_bytes()),
            (Weights::W32(vec![17].into()), chunk.bytes())
        );
    }
}
