//! Vectors of weights: number types, storage with and without zeros, and the loops that add them.
//!
//! All states with the same signature are one *block*: a vector with one weight for each perfect
//! matching of the signature's ends. A step does the same to all states of a signature, so it is
//! applied to a whole block: it keeps the matchings, moves an end, joins two ends or creates two.
//! Each of these operations is a fixed map of indices, see [`matching_map`]. A target block is the
//! sum of source blocks, each of them changed by such a map:
//!
//! ```text
//! terms { source block, matching map, factor } -> map as a table of indices -> kernel -> block of their sum
//! ```
//!
//! A *weight* is a number of a fixed *width*. [`Weights`](vector::Weights) is a vector of weights
//! of one width: exact numbers, or residues of a modulus. Up to 128 bits a weight is a machine
//! integer, beyond that a number of 32-bit limbs. Exact narrow weights are stored in slabs, or as a
//! sparse vector without zeros where many are zero. The source blocks of a sum may have either
//! form.
//!
//! A block of up to eight ends is seven groups of lanes of vector registers. With AVX-512 or AVX2, such a
//! block is summed in registers from its first term to its last; see `lane_map`, `lanes`
//! and `lane_sum`. Blocks with more points than there are tables for are split by the mate of point 0. A block of 16
//! ends has 2,027,025 weights, and one of 20 ends 654,729,075: such blocks are divided among idle threads, and
//! the largest are summed part by part, see [`part_sum`].
//!
//! Only this folder has code that is compiled once for each width of weights: `layer` lists the
//! terms of a block and receives the block. Instructions of particular processors are in the kernels, in the packing of
//! sparse vectors, and in the loops over limbs. The loops for AVX2, for AVX-512 and for any processor write the same bytes.
//!
//! The traits of number types, of which each extends those above it that it needs:
//!
//! ```text
//! Element      a number that is an entry of a vector             u8 to u128, LimbSum
//! Kernel<S>    an entry to which vectors of S can be added       u32 and u64 for all S that are not wider,
//!              through index maps                                u128 for u32 and u128, LimbSum for u8 to u64 and itself
//! Weight       an unsigned integer in which weights are stored   u8 to u128
//! SumWeight    a weight in which blocks are summed               u32, u64, u128
//! ```
//!
//! Sums convert the entries of their sources, which are as wide or narrower, by `From`. A vector that changes its width
//! ([`to_width`](vector::Weights::to_width)) may become narrower: it converts through `u128`. Blocks of completions, whose numbers may be
//! [`BigUint`](num_bigint::BigUint), have two traits of their own: `TourNumber` and `CompletionWeight`, in
//! `tour_index::block_arithmetic`. So have the weights of `sweep::hashed_sweep`: `SignedWeight`.
//!
//! Other traits are of layouts and containers:
//!
//! ```text
//! EntryLayout      the number of entries of a weight: one, or its limbs
//! SourceBlock<T>   a block, dense or sparse, that can be added to a block with entries of type T
//! BlockBuilder     a vector of blocks under construction, with weights of any width
//! BlockSink<T>     the storage of a builder that sums blocks in numbers of type T
//! ResidueVec<N>    the storage of a sink of residues of type N
//! LoadGroup<L>     the groups of a source in registers
//! Lanes            a group in registers of AVX-512 or of AVX2
//! ```

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod block_join;
pub mod block_map;
pub mod block_sink;
pub mod block_sum;
pub mod block_term;
pub mod carry;
pub mod kernel;
#[cfg(target_arch = "x86_64")]
pub mod lane_map;
#[cfg(target_arch = "x86_64")]
pub mod lane_source;
#[cfg(target_arch = "x86_64")]
pub mod lane_sum;
#[cfg(target_arch = "x86_64")]
pub mod lanes;
pub mod limbs;
pub mod matching_map;
pub mod matching_permutation;
pub mod matching_tables;
pub mod modulus;
pub mod part_sum;
pub mod part_terms;
pub mod slab_vec;
pub mod source_block;
pub mod sparse_slice;
pub mod sparse_vec;
pub mod sum_weight;
pub mod transpose;
pub mod vector;
pub mod weight;
