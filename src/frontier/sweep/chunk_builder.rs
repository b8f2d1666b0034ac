//! Construction of a target chunk in the narrowest width of weights that holds its sums.
//!
//! ```text
//! sources -> signatures reached -> memory for their blocks -> sums -> narrowest width
//!                                    ^ repeated with wider weights, if a sum overflows
//! ```
//!
//! The largest chunk of a layer may take a fifth of the time of a step. The words of large chunks are
//! therefore divided into parts for which equal numbers of weights are read, and all idle threads compute
//! these parts. The parts are then appended to one another, so that the weights of the chunk do not depend on the number of threads. Whether zeros are
//! stored depends on the memory that is left.

use std::sync::Arc;

use rayon::prelude::*;

use crate::frontier::layer::chunk::{Chunk, WordEntry};
use crate::frontier::layer::chunk_computation::ChunkComputation;
use crate::frontier::layer::compiled_step::{CompiledStep, PlannedChunk, SourceChunks};
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, Reservation, StepError};
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::signature::space::WordAddress;
use crate::frontier::weights::block_map::MIN_DIVIDED_WEIGHTS;
use crate::frontier::weights::block_sum::new_block_builder;
use crate::frontier::weights::modulus::{Modulus, ResidueRing};
use crate::frontier::weights::slab_vec::BlockCapacity;
use crate::frontier::weights::sparse_vec;
use crate::frontier::weights::sparse_vec::SparseVec;
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::Width;

/// Builder of the target chunks of a step.
#[derive(Clone, Copy)]
pub struct ChunkBuilder<'a> {
    /// The step whose target chunks are built.
    pub step: &'a CompiledStep<'a>,
    /// The pool from which memory for the chunks is reserved.
    pub pool: &'a MemoryPool<'a>,
    /// The modulus of the weights; `None` for exact weights.
    pub modulo: Option<Modulus>,
    /// Number of weights of the source layer, or of its class of chunks, by which the chunks are judged that are
    /// divided among threads.
    pub source_weights: u64,
    /// The layers whose chunks may be evicted to free memory.
    pub evicted_layers: &'a [&'a LayerStore],
}

impl ChunkBuilder<'_> {
    /// Computes target chunk `chunk_number` and returns it with its counters; the chunk is `None`
    /// if it is empty. `inputs` has the loaded source chunks, indexed by chunk number. `sources`
    /// lists the numbers of the chunks that the target chunk reads. The bytes of the chunk stay
    /// reserved in the pool.
    ///
    /// # Errors
    /// If memory is exhausted, or the store fails.
    pub fn build(
        &self,
        inputs: &SourceChunks,
        sources: &[usize],
        chunk_number: usize,
    ) -> Result<(Option<Chunk>, StepTally), StepError> {
        let bits_of = |s: &usize| inputs[*s].as_ref().map_or(0, |chunk: &Arc<Chunk>| chunk.bits);
        let bits = sources.iter().map(bits_of).max().unwrap_or(0);
        let sparsity = SourceSparsity::from_chunks(sources.iter().filter_map(|&s| inputs[s].as_deref()));
        // The first attempt has one bit more than the sources.
        let (mut width, narrow_width, ring) = match self.modulo {
            None => (Width::fitting_bits(bits + 1), None, None),
            Some(Modulus::PowerOfTwo(width)) => (width, Some(width), None),
            Some(Modulus::Residues(ring)) => (ring.sum_width(), Some(ring.stored_width()), Some(ring)),
        };
        loop {
            let mut tally = StepTally::default();
            let PlannedChunk { mut entries, max_weights: weight_count } =
                self.step.plan_chunk(inputs, chunk_number, &mut tally);
            if weight_count == 0 {
                return Ok((None, tally));
            }
            let stored_width = narrow_width.unwrap_or(width);
            // A sparse vector counts its stored weights in 32 bits.
            let is_sparse = sparsity.is_mostly_sparse()
                && stored_width <= Width::W32
                && width <= Width::W64
                && weight_count <= MAX_SPARSE_WEIGHTS;
            let states = is_sparse.then(|| sparsity.expected_nonzero(weight_count as usize));
            let weights = states.map_or(weight_count * stored_width.bytes(), |states| {
                SparseVec::required_bytes(weight_count as usize, states)
            });
            let entry_bytes = (entries.capacity() * size_of::<WordEntry>()) as u64;
            let mut reservation = self.pool.reserve(entry_bytes + weights, self.evicted_layers)?;
            // Sums are computed outside the chunk.
            let longest = self.step.longest_block_weights(chunk_number, &entries);
            let block_bytes = self.step.weights_in_progress(longest) * width.bytes();
            let division = self.division(inputs, chunk_number, &entries, weight_count, longest);
            let most_parts = division.as_ref().map_or(1, |division| division.parts);
            let (part_count, sum_reservation) =
                self.reserve_sums(most_parts, block_bytes, reservation.bytes())?;
            let wraps = narrow_width == Some(width);
            let most_bits = if wraps { width.bits() } else { width.bits() - 1 };
            let parts = match division {
                Some(division) if part_count > 1 => self.parts(chunk_number, &mut entries, &division),
                _ => vec![ChunkPart { first_word: 0, entries: &mut entries, weights: weight_count as usize }],
            };
            let sums = SumFormat {
                width,
                ring,
                longest_block: longest,
                max_sum_bits: most_bits,
                sparsity: is_sparse.then_some(&sparsity),
            };
            let weights = self.compute_parts(inputs, chunk_number, parts, sums, &mut tally);
            drop(sum_reservation);
            let Some(weights) = weights else {
                width = width.next_wider();
                continue;
            };
            let bits = narrow_width.map_or(tally.bits, Width::bits);
            tally.bits = bits;
            let mut chunk = Chunk { entries, weights, bits };
            if tally.signatures == 0 {
                return Ok((None, tally));
            }
            // The chunk has more nonzero weights than expected.
            let more = chunk.bytes().saturating_sub(reservation.bytes());
            reservation.merge(self.pool.reserve(more, self.evicted_layers)?);
            let narrowest = narrow_width.unwrap_or(Width::fitting_bits(bits));
            // The bits of a source are exact, so no target is narrower than its sources.
            let len = chunk.weights.len();
            let saves_memory = !self.pool.has_ample_memory();
            let packs = narrowest <= Width::W32
                && sparse_vec::is_sparse_cheaper(narrowest, len, tally.states, saves_memory);
            let tight_bytes = if packs {
                SparseVec::required_bytes(len, tally.states as usize)
            } else {
                len as u64 * narrowest.bytes()
            };
            let is_packed = matches!(chunk.weights, Weights::Sparse(_));
            let is_right = is_packed == packs && (packs || chunk.weights.width() == narrowest);
            if !is_right || chunk.weights.bytes() > tight_bytes + tight_bytes / 4 {
                // During conversion both forms exist.
                reservation.merge(self.pool.reserve(tight_bytes, self.evicted_layers)?);
                let weights = &chunk.weights;
                chunk.weights = if packs { weights.to_sparse() } else { weights.to_width(narrowest) };
            }
            reservation.shrink_to(chunk.bytes());
            reservation.keep();
            return Ok((Some(chunk), tally));
        }
    }
}

impl ChunkBuilder<'_> {
    /// Reserves memory for the sums of a chunk in `parts` parts, each with `block_bytes` bytes of sums. No more
    /// parts are computed at the same time than there are threads. If there are several parts, also reserves
    /// `chunk_bytes`, the bytes of the whole chunk: while parts of a single slab are joined, they exist twice.
    /// Returns the number of parts, one if there is not enough memory for more, and the bytes reserved.
    ///
    /// # Errors
    /// If the memory is insufficient for the sums of one part, unless they are few, or the store
    /// fails.
    fn reserve_sums(
        &self,
        parts: u64,
        block_bytes: u64,
        chunk_bytes: u64,
    ) -> Result<(u64, Reservation<'_>), StepError> {
        let begun = parts.min(rayon::current_num_threads() as u64);
        let bytes = begun.saturating_mul(block_bytes).saturating_add(chunk_bytes);
        // Bytes that cannot fit beside the chunk must not evict anything.
        if begun > 1 && bytes.saturating_add(chunk_bytes) <= self.pool.limit() {
            match self.pool.reserve(bytes, self.evicted_layers) {
                Err(StepError::Memory) => {}
                reserved => return reserved.map(|reservation| (parts, reservation)),
            }
        }
        let reserved = self.pool.reserve(block_bytes, self.evicted_layers).or_else(|error| match error {
            StepError::Memory => {
                self.pool.excess().reserve(block_bytes, self.pool.max_excess()).ok_or(StepError::Memory)
            }
            StepError::Store(_) => Err(error),
        });
        reserved.map(|reservation| (1, reservation))
    }

    /// Returns how a chunk of at most `weight_count` weights is divided; `None` unless a single thread would compute a
    /// large part of the step. `longest_block` is the number of weights of its longest block.
    fn division(
        &self,
        inputs: &SourceChunks,
        chunk_number: usize,
        entries: &[WordEntry],
        weight_count: u64,
        longest_block: usize,
    ) -> Option<Division> {
        let threads = rayon::current_num_threads() as u64;
        // Nearly every weight of the source layer is read.
        let most_reads = self.source_weights / (PARTS_OF_STEP_PER_THREAD * threads);
        let least_reads = most_reads.max(2 * MIN_PART_READS);
        if threads == 1 || weight_count * MAX_READS_PER_WEIGHT < least_reads {
            return None;
        }
        let reads_of = |(word, entry): (usize, &WordEntry)| {
            let at = WordAddress { chunk: chunk_number, word };
            self.step.count_word_reads(inputs, at, entry.present_signatures()).0
        };
        let reads: Vec<u64> = entries.iter().enumerate().map(reads_of).collect();
        let all_reads: u64 = reads.iter().sum();
        // A thread that waits for parts of a divided block may begin another part of the chunk.
        let parts_per_thread = if longest_block < MIN_DIVIDED_WEIGHTS { PARTS_PER_THREAD } else { 1 };
        let most_parts = (parts_per_thread * threads).min(all_reads / MIN_PART_READS);
        let parts = all_reads.div_ceil(most_reads.max(1)).min(most_parts);
        (parts > 1).then(|| Division { reads, parts, reads_per_part: all_reads.div_ceil(parts) })
    }

    /// Divides a planned chunk into parts for which about equal numbers of weights are read.
    fn parts<'e>(
        &self,
        chunk_number: usize,
        entries: &'e mut [WordEntry],
        division: &Division,
    ) -> Vec<ChunkPart<'e>> {
        let mut parts = Vec::new();
        let (mut rest, mut first_word) = (entries, 0);
        while !rest.is_empty() {
            let is_last = parts.len() as u64 + 1 == division.parts;
            let (mut len, mut weights, mut reads) = (0, 0, 0);
            while len < rest.len() && (is_last || reads < division.reads_per_part) {
                let word = first_word + len;
                reads += division.reads[word];
                weights += self.step.count_word_weights(chunk_number, word, rest[len].present_signatures());
                len += 1;
            }
            let (entries, others) = rest.split_at_mut(len);
            parts.push(ChunkPart { first_word, entries, weights: weights as usize });
            (rest, first_word) = (others, first_word + len);
        }
        parts
    }

    /// Computes the parts of a chunk on all idle threads of the rayon pool and joins them. Returns
    /// `None` if a sum has too many bits. Adds the counters of the parts to `tally`.
    fn compute_parts(
        &self,
        inputs: &SourceChunks,
        chunk_number: usize,
        mut parts: Vec<ChunkPart>,
        sums: SumFormat,
        tally: &mut StepTally,
    ) -> Option<Weights> {
        let compute = |part: &mut ChunkPart| {
            let mut tally = StepTally::default();
            let mut blocks = new_block_builder(
                sums.width,
                sums.ring,
                BlockCapacity {
                    max_weights: part.weights,
                    longest_block: sums.longest_block,
                    expected_nonzero: sums.sparsity.map(|sparsity| sparsity.expected_nonzero(part.weights)),
                },
            );
            let computation = ChunkComputation {
                step: self.step,
                sources: inputs,
                target: chunk_number,
                first_word: part.first_word,
                max_sum_bits: sums.max_sum_bits,
            };
            let fits = computation.compute_chunk(part.entries, blocks.as_mut(), &mut tally);
            fits.then(|| (blocks.finish(), tally))
        };
        let computed: Option<Vec<(Weights, StepTally)>> = match parts.as_mut_slice() {
            [only] => Some(vec![compute(only)?]),
            parts => parts.par_iter_mut().map(compute).collect(),
        };
        let computed = computed?;
        let mut offset = 0;
        for (part, (weights, of_part)) in parts.iter_mut().zip(&computed) {
            part.entries.iter_mut().for_each(|entry| entry.move_blocks(offset));
            offset += weights.len();
            *tally = tally.plus(*of_part);
        }
        let mut weights = computed.into_iter().map(|(weights, _)| weights);
        Some(weights.next()?.with_appended(weights))
    }
}

/// Greatest number of weights, zeros included, of a chunk that is summed without zeros.
const MAX_SPARSE_WEIGHTS: u64 = u32::MAX as u64;

/// Smallest number of weights that are read for a part of a chunk, about a millisecond of work. It is less in
/// tests, so that chunks of small boards have many parts.
const MIN_PART_READS: u64 = if cfg!(test) { 1 << 5 } else { 1 << 19 };

/// Assumed upper bound for the number of weights that are read for each weight of a chunk. By this bound, the reads of
/// small chunks are not counted.
const MAX_READS_PER_WEIGHT: u64 = 8;

/// A chunk is divided if more weights are read for it than one part in this number, for each thread, of the weights of
/// the source layer. To divide a chunk takes time, since its parts are copied into one vector.
const PARTS_OF_STEP_PER_THREAD: u64 = 3;

/// Greatest number of parts of a chunk, for each thread. More parts than threads balance their
/// loads.
const PARTS_PER_THREAD: u64 = 2;

/// The division of a chunk into parts.
struct Division {
    /// For each word of the chunk, the number of weights that are read for it.
    reads: Vec<u64>,
    /// Number of parts, at least 2.
    parts: u64,
    /// Least number of weights that are read for each part but the last.
    reads_per_part: u64,
}

/// A part of a target chunk: consecutive words.
struct ChunkPart<'e> {
    first_word: usize,
    entries: &'e mut [WordEntry],
    /// Greatest number of weights of the part.
    weights: usize,
}

/// Format of the sums of a chunk.
#[derive(Clone, Copy)]
struct SumFormat<'a> {
    width: Width,
    /// Ring of the residues that are stored; `None` for exact weights.
    ring: Option<ResidueRing>,
    longest_block: usize,
    max_sum_bits: u32,
    /// Sparsity of the sources if the chunk is stored without zeros.
    sparsity: Option<&'a SourceSparsity>,
}

/// Sparsity of the source chunks. A target chunk is built without zeros if most of its sources are stored
/// without zeros, and is then converted to the form that is best for it.
#[derive(Default)]
struct SourceSparsity {
    chunks: usize,
    /// Number of source chunks that are stored without zeros.
    sparse_chunks: usize,
    /// Number of weights of these chunks, zeros included.
    weights: usize,
    /// Number of nonzero weights of these chunks.
    states: usize,
}

impl SourceSparsity {
    fn from_chunks<'a>(chunks: impl Iterator<Item = &'a Chunk>) -> Self {
        let mut sparsity = Self::default();
        for chunk in chunks {
            sparsity.chunks += 1;
            if let Weights::Sparse(weights) = &chunk.weights {
                sparsity.sparse_chunks += 1;
                sparsity.weights += weights.len();
                sparsity.states += weights.stored_len();
            }
        }
        sparsity
    }

    const fn is_mostly_sparse(&self) -> bool {
        2 * self.sparse_chunks > self.chunks
    }

    /// Returns the expected number of nonzero weights among `weight_count` weights of the target
    /// chunk: a quarter more than the share of nonzero weights in the sources gives.
    fn expected_nonzero(&self, weight_count: usize) -> usize {
        let share = self.states as f64 / self.weights.max(1) as f64;
        weight_count.min((1.25 * share * weight_count as f64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::board::Graph;
    use crate::frontier::planning::plan::Plan;
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::{Cycles, Tours};
    use crate::frontier::signature::space::SignatureSpace;
    use crate::frontier::weights::matching_tables::MapTables;

    /// Returns the chunks after the first step on a complete graph of 7 vertices whose edges have factor 7.
    /// The state before the step has the weight `weights`, of at most `bits` bits; `limit` is the memory
    /// limit. Checks that the pool has reserved exactly the bytes of the chunks.
    fn build_chunks(
        weights: Weights,
        bits: u32,
        modulo: Option<Modulus>,
        limit: u64,
    ) -> Result<Vec<Chunk>, StepError> {
        let edges = || (0..7u32).flat_map(|v| (0..v).map(move |w| (w, v)));
        let graph = Graph::from_edges(7, edges().map(|(v, w)| (v as usize, w as usize)));
        let sweep_graph =
            SweepGraph::with_factors(graph, edges().map(|edge| (edge, 7)).collect(), Vec::new());
        let cycles = Cycles::from_sweep_graph(&sweep_graph, Tours::Closed);
        let space =
            SignatureSpace::new(&Arc::new(Plan::new(&cycles, &[0, 1, 2, 3, 4, 5, 6], false))).unwrap();
        let (tables, pool) = (MapTables::new(8), MemoryPool::new(limit, None));
        let compiled_step = CompiledStep::new(&space, &tables, None, 0);
        let mut layer = vec![None; space.words().chunk_count()];
        layer[0] = Some(Arc::new(Chunk { bits, ..Chunk::initial(space.words(), weights) }));
        let builder = ChunkBuilder {
            step: &compiled_step,
            pool: &pool,
            modulo,
            source_weights: 0,
            evicted_layers: &[],
        };
        let make =
            |chunk_number| builder.build(&layer, &compiled_step.source_chunks(chunk_number), chunk_number);
        let chunks: Result<Vec<_>, StepError> = (0..layer.len()).map(make).collect();
        let chunks: Result<Vec<Chunk>, StepError> =
            chunks.map(|all| all.into_iter().filter_map(|(chunk, _)| chunk).collect());
        if let Ok(chunks) = &chunks {
            assert_eq!(pool.budget().reserved_bytes(), chunks.iter().map(Chunk::bytes).sum::<u64>());
        }
        chunks
    }

    #[test]
    fn build_widens_weights_after_overflow() {
        let chunks = build_chunks(Weights::W32(vec![1 << 28].into()), 29, None, 1 << 20).unwrap();
        assert!(!chunks.is_empty());
        for chunk in chunks {
            assert!(matches!(&chunk.weights, Weights::W64(v) if v.iter().all(|&w| w == 49 << 28)));
            assert_eq!(chunk.bits, 34);
        }
        // A sum that fits a narrower type than the attempted one is converted to it.
        let narrow = build_chunks(Weights::W64(vec![1].into()), 40, None, 1 << 20).unwrap();
        assert!(narrow.iter().all(|chunk| chunk.weights.width() == Width::W32 && chunk.bits == 6));
    }

    #[test]
    fn build_wraps_modulo_a_power_of_two() {
        let chunks = build_chunks(
            Weights::W32(vec![1 << 28].into()),
            32,
            Some(Modulus::PowerOfTwo(Width::W32)),
            1 << 20,
        )
        .unwrap();
        let wrapped = (49u64 << 28) as u32;
        assert!(
            chunks.iter().all(|c| matches!(&c.weights, Weights::W32(v) if v.iter().all(|&w| w == wrapped)))
        );
    }

    /// The number, the entries and the weights of a chunk.
    type NumberedChunk = (usize, Vec<WordEntry>, Weights);

    /// Returns the chunks of all layers of a sweep of 5x6 paths, computed on a number of threads, the
    /// greatest number of parts of a chunk, and the number of weights that are read for the largest part of each chunk,
    /// for all chunks together.
    fn chunks_of_all_layers(threads: usize) -> (Vec<NumberedChunk>, u64, u64) {
        let space = SignatureSpace::for_lines(5, 6, Tours::Paths, true);
        let (tables, pool) = (MapTables::new(space.plan().slot_count()), MemoryPool::new(1 << 30, None));
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; space.words().chunk_count()];
        layer[0] = Some(Arc::new(Chunk::initial(space.words(), Weights::W32(vec![1].into()))));
        let (mut all, mut most_parts, mut read_alone) = (Vec::new(), 1, 0);
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for t in 0..space.plan().steps().len() {
            let step = CompiledStep::new(&space, &tables, None, t);
            let builder = ChunkBuilder {
                step: &step,
                pool: &pool,
                modulo: None,
                source_weights: 0,
                evicted_layers: &[],
            };
            let make = |number: usize| {
                let sources = step.source_chunks(number);
                workers.install(|| {
                    let (chunk, tally) = builder.build(&layer, &sources, number).unwrap();
                    let parts = chunk.as_ref().map_or(0, |chunk| {
                        let (entries, weights) = (&chunk.entries, chunk.weights.len() as u64);
                        let longest = step.longest_block_weights(number, entries);
                        let division = builder.division(&layer, number, entries, weights, longest);
                        division.map_or(1, |division| division.parts)
                    });
                    (chunk, parts, tally)
                })
            };
            let next: Vec<(Option<Chunk>, u64, StepTally)> = (0..layer.len()).map(make).collect();
            most_parts = next.iter().map(|(_, parts, _)| *parts).fold(most_parts, u64::max);
            read_alone += next.iter().map(|(.., tally)| tally.largest_part).sum::<u64>();
            layer = next.into_iter().map(|(chunk, ..)| chunk.map(Arc::new)).collect();
            let present = layer.iter().enumerate().filter_map(|(n, chunk)| Some((n, chunk.as_ref()?)));
            all.extend(present.map(|(n, chunk)| (n, chunk.entries.clone(), chunk.weights.clone())));
        }
        (all, most_parts, read_alone)
    }

    #[test]
    fn parts_of_chunk_do_not_change_it() {
        let (alone, one, read_by_one) = chunks_of_all_layers(1);
        let (shared, many, read_alone) = chunks_of_all_layers(3);
        assert!(4 * read_alone < 3 * read_by_one, "{read_alone} weights of {read_by_one}");
        assert!(one == 1 && many == 3 * PARTS_PER_THREAD, "{one} and {many} parts");
        assert!(alone == shared);
    }

    #[test]
    fn build_fails_without_memory() {
        assert!(matches!(build_chunks(Weights::W32(vec![1].into()), 1, None, 20), Err(StepError::Memory)));
    }

    #[test]
    fn sums_take_fewer_parts_or_little_excess_if_memory_is_short() {
        let space = SignatureSpace::for_lines(3, 4, Tours::Closed, false);
        let (tables, pool) = (MapTables::new(8), MemoryPool::new(1000, None));
        let step = CompiledStep::new(&space, &tables, None, 0);
        let builder =
            ChunkBuilder { step: &step, pool: &pool, modulo: None, source_weights: 0, evicted_layers: &[] };
        let workers = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let reserve = |parts: u64, bytes| workers.install(|| builder.reserve_sums(parts, bytes, 10));
        let held = || (pool.budget().reserved_bytes(), pool.excess().reserved_bytes());
        let (parts, sums) = reserve(6, 300).unwrap();
        assert_eq!((parts, sums.bytes(), held()), (6, 910, (910, 0)), "three threads");
        drop(sums);
        let (parts, of_one) = reserve(6, 500).unwrap();
        assert_eq!((parts, held()), (1, (500, 0)));
        let (parts, of_another) = reserve(6, 400).unwrap();
        assert_eq!((parts, held()), (1, (900, 0)));
        assert_eq!(reserve(6, 101).unwrap_err(), StepError::Memory);
        let chunk = pool.reserve(80, &[]).unwrap();
        let (parts, excess) = reserve(2, 30).unwrap();
        assert_eq!((parts, held()), (1, (980, 30)), "a twentieth of 1000 bytes may be exceeded");
        assert_eq!(reserve(2, 21).unwrap_err(), StepError::Memory, "by all threads together");
        drop((of_one, of_another, chunk, excess));
        assert_eq!(held(), (0, 0));
    }

    #[test]
    fn build_finds_a_width_for_every_sum() {
        // 49 times a power of two has five more bits than the power of two.
        for bit in (0..127).chain(250..260).chain(500..515).chain([1000, 4089, 4090, 4091, 4092]) {
            let mut limbs: BigUint = BigUint::from(1u8) << bit;
            let width = Width::fitting_bits(bit as u32 + 1);
            let mut digits = limbs.to_u32_digits();
            digits.resize((width.bits() / 32).max(8).next_multiple_of(4) as usize, 0);
            let weight = Weights::Limbs(digits.len(), digits).to_width(width);
            limbs *= 49u8;
            for mut chunk in build_chunks(weight, bit as u32 + 1, None, 1 << 20).unwrap() {
                assert_eq!(
                    (chunk.bits, chunk.weights.width()),
                    (bit as u32 + 6, Width::fitting_bits(bit as u32 + 6))
                );
                assert!(
                    (0..chunk.weights.len()).all(|position| chunk.weights.take_weight(position) == limbs)
                );
            }
        }
    }
}
