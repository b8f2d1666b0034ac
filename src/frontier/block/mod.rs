//! Blocks: vectors of weights indexed by matchings, and the maps between them.
//!
//! All states with the same signature are one block, one weight for each matching of its ends. What a step
//! does to a state depends on its signature alone, so it does the same to a whole block: it keeps it, moves
//! an end, joins two ends or makes two. Each is a fixed map of indices, and a target block is the sum of
//! source blocks carried over by such maps.
//!
//! ```text
//! terms { source block, change, factor } -> change as a table of indices -> kernel -> block of their sum
//! ```
//!
//! A *weight* is a number of a fixed *width*, `Weights` a vector of any one width, exact or residues of a *modulus*.
//! What is compiled once for each type ends here: a layer says what is to be summed, and gets blocks. Up to 128 bits
//! a weight is a type of the machine's; beyond, as many *limbs* as it takes. They lie in *slabs*, or *packed*, without
//! their zeros, where many are; either way they are the *source* that a target block takes them from. The kernels are
//! the only place for machine instructions; `avx2`, `avx512` and the portable loops give the same bytes.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod effects;
pub mod heap;
pub mod join;
pub mod kernel;
pub mod limbs;
pub mod modulus;
pub mod nonzero;
pub mod packed;
pub mod packing;
pub mod part;
pub mod permutation;
pub mod settle;
pub mod slabs;
pub mod source;
pub mod sum;
pub mod tables;
pub mod term;
pub mod transposed;
pub mod weight;
pub mod weights;
pub mod width;
