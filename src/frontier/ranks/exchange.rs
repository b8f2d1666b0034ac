//! The exchange of source chunks between ranks.
//!
//! Before a step, each rank receives the source chunks that it reads, and sends those that other ranks read.
//!
//! Ranks exchange chunks in rounds: in round r each rank sends to the r-th rank after it and receives from
//! the r-th rank before it. It encodes and sends a limited number of chunks at a time, in the format of the
//! store. A message names its step and chunk and has a digest, so a transfer error is detected and cannot
//! change a count.

use std::io::Cursor;

use rayon::prelude::*;

use super::communicator::Communicator;
use super::distribution::{Distribution, Transfer};
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::layer::{chunk_decoder, chunk_format};

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
                let take_in = |message: &(usize, Vec<u8>)| self.receive_chunk(layer, message, from);
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

    /// Decodes a chunk that another rank has sent and inserts it into the layer `to`.
    fn receive_chunk(
        &self,
        to: &LayerStore,
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
        let chunk =
            chunk_decoder::read_chunk(&mut Cursor::new(bytes), to.words_per_chunk(), max_bytes, digest)
                .map_err(|_| damaged())?;
        self.pool.reserve(chunk.bytes(), &[to])?.keep();
        to.insert(*number, chunk);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::communicator::ThreadCommunicator;
    use super::*;
    use crate::frontier::layer::chunk::Chunk;
    use crate::frontier::planning::problem::Tours;
    use crate::frontier::signature::space::SignatureSpace;
    use crate::frontier::weights::matching_tables::MapTables;
    use crate::frontier::weights::vector::Weights;

    #[test]
    fn receive_chunk_rejects_damaged_and_foreign_messages() {
        let space = SignatureSpace::for_lines(6, 4, Tours::Closed, true);
        let (words, tables) = (space.words(), MapTables::new(0));
        let pool = MemoryPool::new(1 << 20, None);
        let spread = |t| Distribution::new(&space, &CompiledStep::new(&space, &tables, None, t), t, &[], 2);
        let (now, later) = (spread(3), spread(4));
        let [held, taken] = [(); 2].map(|()| LayerStore::new(words.chunk_count(), words.chunk_len()));
        held.insert(1, Chunk::initial(words, Weights::W32(vec![17].into())));
        let team = ThreadCommunicator::connect(2);
        let rank =
            |spread, layer| Exchange { distribution: spread, layer, pool: &pool, communicator: &team[0] };
        let take_in =
            |number, bytes: &[u8]| rank(&now, &taken).receive_chunk(&taken, &(number, bytes.to_vec()), 1);

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
        let chunk = taken.load(1, &pool, &[]).unwrap().unwrap();
        assert_eq!(
            (chunk.weights.clone(), pool.budget().reserved_bytes()),
            (Weights::W32(vec![17].into()), chunk.bytes())
        );
    }
}
