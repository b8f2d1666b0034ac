//! The cost model of a sweep, and the properties of a board that determine the size of its layers.
//!
//! The model gives the time and memory of weights (by their width), of transitions, of words of
//! signatures, and of bytes that do not fit into memory.
//!
//! The number of bits of a layer's weights is estimated from the vertices that are processed. A
//! random graph in which every vertex has `d` neighbours has about `h(d)^n` Hamiltonian cycles on
//! `n` vertices,
//!
//! ```text
//! h(d) = (d - 1) ((d - 2) / d)^((d - 2) / 2)          1 for d = 2, 1.15 for 3, 1.5 for 4, 2.95 for 8
//! ```
//!
//! and graphs of leapers have slightly fewer: on 8x32 the greatest weight has 0.91 of the bits of
//! this formula, less a few bits, since the configurations are spread over many states. For paths
//! the positions of the ends add bits. All constants were measured; `scripts/lab run speed` compares
//! estimates with the time and memory that counts took.
//!
//! The [`BoardProfile`] and the plan together determine the cost.

use crate::frontier::planning::order_cost::frontier_states;
use crate::frontier::planning::plan::{Plan, Step};
use crate::frontier::planning::problem::{Cycles, SweepGraph};
use crate::frontier::signature::move_list_size::large_move_lists;
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::weights::modulus::Modulus;

/// Three times in nanoseconds of one core: for each narrow weight of a layer; in addition for each
/// weight read to compute the layer; and in addition for each weight read in a step that merges
/// mirror images, where half of the reads are for mirror images. Fitted to the steps of 7x7, 7x8,
/// 8x8 and 8x9: the total times agree within a tenth.
const WEIGHT_NANOSECONDS: (f64, f64, f64) = (0.55, 0.27, 0.38);

/// Nanoseconds of one core for each block that is read, independent of the number of its weights.
const BLOCK_NANOSECONDS: f64 = 85.0;

/// Number of blocks read, as a fraction of the number if all blocks of the frontier were read
/// equally often. Blocks with few ends are small, and they are rarely present. Measured on 8x8.
const BLOCK_READ_SHARE: f64 = 0.35;

/// Time of residues of two bytes and of four bytes, relative to narrow exact weights. Measured on 8x8.
const RESIDUE_TIME_FACTORS: (f64, f64) = (0.8, 1.2);

/// Time of weights of several limbs, relative to narrow exact weights: a constant, and an amount
/// for each byte of a weight. Measured on 6x100 and 5x400, on weights of up to 208 bytes.
const LIMB_TIME_FACTORS: (f64, f64) = (3.0, 0.15);

/// Nanoseconds of one core for each word of signatures in each step: in a sweep, tables included,
/// and in a dry run.
pub const WORD_NANOSECONDS: (f64, f64) = (10.0, 18.0);

/// Seconds of each step in which only one thread works, because there are too few chunks for all
/// threads.
const SERIAL_STEP_SECONDS: f64 = 0.000_5;

/// Nanoseconds of one core for each weight read to join two layers.
const JOIN_READ_NANOSECONDS: f64 = 1.2;

/// Nanoseconds of one core for each weight read to join two layers and for each plane of the other
/// layer's weights. A plane has up to 64 bits of every weight.
const JOIN_PLANE_NANOSECONDS: f64 = 1.5;

/// Nanoseconds of the whole machine for each byte that is evicted to disk and read back.
const SPILL_BYTE_NANOSECONDS: f64 = 1.0;

/// Three numbers for the bit length of a layer's greatest weight. The first number times the bits
/// that the formula for random graphs gives is a first estimate. From this estimate a deficit is
/// subtracted. The third number is the deficit as a fraction of the first estimate; the second is
/// the greatest deficit in bits.
const GREATEST_WEIGHT_BITS: (f64, f64, f64) = (0.914, 4.5, 0.12);

/// Number of bits that a vertex adds to the weights if it stays on the frontier while its cut edges
/// are decided, relative to the number of bits that it adds otherwise. Measured on two-sided sweeps
/// of 8x12 and 6x40.
const CUT_EDGE_BITS_FACTOR: f64 = 1.5;

/// Number of bits of a weight for the positions of a path's ends, relative to the binary logarithm
/// of the number of pairs of ends.
const PATH_END_BITS_FACTOR: f64 = 0.75;

/// Number of bit lengths over which the chunks of a layer are spread. The greatest weight of a
/// chunk may have up to this number of bits fewer than the greatest weight of the layer.
const CHUNK_BITS_SPREAD: u32 = 7;

/// Greatest share of nonzero weights for which a vector is stored without zeros.
const MAX_SPARSE_DENSITY: f64 = 0.8;

/// Number of bytes per weight, zeros included, of the bitmap that a vector without zeros has.
const BITMAP_BYTES_PER_WEIGHT: f64 = 12.0 / 64.0;

/// Least share of nonzero weights for which reading a vector takes as long as if all weights were
/// nonzero.
const FULL_READ_DENSITY: f64 = 0.6;

/// Two numbers for exact weights in the store: the number of leading zero bits of most weights, and
/// the share of the remaining bits that is stored.
const STORED_WEIGHT_BITS: (f64, f64) = (12.0, 0.8);

/// Number of bytes per weight of the tags of groups in the store.
const GROUP_TAG_BYTES_PER_WEIGHT: f64 = 1.0 / 64.0;

/// Returns a rough number of bits of the greatest weight after every step.
#[must_use]
pub fn weight_bits(cycles: &Cycles, plan: &Plan) -> Vec<f64> {
    let squares = cycles.square_count();
    let (mut sum, mut done, mut factors) = (0.0, 0usize, 0.0);
    let after = |step: &crate::frontier::planning::plan::Step| {
        let v = step.vertex;
        if v < squares {
            let degree = bits_of_degree(cycles.neighbours(v).iter().filter(|&&w| w < squares).count());
            done += usize::from(!step.stays_on_frontier);
            sum += if step.stays_on_frontier { CUT_EDGE_BITS_FACTOR * degree } else { degree };
        }
        let factor = step.later_neighbours.iter().map(|later| later.factor.unsigned_abs()).max().unwrap_or(1);
        factors += f64::from(factor.max(1)).log2();
        let gained = GREATEST_WEIGHT_BITS.0 * sum;
        let ends = cycles
            .apex()
            .map_or(0.0, |_| PATH_END_BITS_FACTOR * (done as f64 * done as f64 / 2.0).log2().max(0.0));
        1.0 + gained - (GREATEST_WEIGHT_BITS.2 * gained).min(GREATEST_WEIGHT_BITS.1) + ends + factors
    };
    plan.steps().iter().map(after).collect()
}

/// Returns the number of bits that a vertex with `degree` neighbours adds to the greatest weight.
fn bits_of_degree(degree: usize) -> f64 {
    let d = degree as f64;
    if degree < 3 { 0.0 } else { (d - 1.0).log2() + (d - 2.0) / 2.0 * ((d - 2.0) / d).log2() }
}

/// Returns the number of bytes of the narrowest width for exact weights of `bits` bits. Beyond 128
/// bits it is a multiple of 16.
fn width_bytes(bits: f64) -> f64 {
    match bits {
        ..32.0 => 4.0,
        ..64.0 => 8.0,
        ..128.0 => 16.0,
        bits => 16.0 * ((bits / 128.0).floor() + 1.0),
    }
}

/// Format of a layer's weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightFormat {
    /// Exact weights; the number is the number of bits of the greatest weight.
    Exact(f64),
    /// Residues: the number of bytes of a residue in memory, and the number of bits of the greatest residue.
    Residue(f64, f64),
}

impl WeightFormat {
    /// Returns the mean number of bytes of a weight.
    #[must_use]
    pub fn mean_bytes(self) -> f64 {
        match self {
            Self::Exact(bits) => {
                (0..CHUNK_BITS_SPREAD).map(|less| width_bytes(bits - f64::from(less))).sum::<f64>()
                    / f64::from(CHUNK_BITS_SPREAD)
            }
            Self::Residue(bytes, _) => bytes,
        }
    }

    /// Returns the number of bytes of a sum of weights, before it is stored.
    #[must_use]
    pub fn sum_bytes(self) -> f64 {
        match self {
            Self::Exact(bits) => width_bytes(bits + 1.0),
            Self::Residue(bytes, _) => (2.0 * bytes).max(4.0),
        }
    }

    /// Returns the number of bits of the greatest weight.
    #[must_use]
    pub fn max_bits(self) -> f64 {
        match self {
            Self::Exact(bits) => bits,
            Self::Residue(_, bits) => bits,
        }
    }

    /// Returns the number of bytes per weight of a layer, zeros included, if a share `density` of
    /// the weights is not zero.
    #[must_use]
    pub fn bytes_per_weight(self, density: f64) -> f64 {
        let bytes = self.mean_bytes();
        // Wider residues, those modulo a power of two, are stored with zeros.
        if matches!(self, Self::Residue(..)) && bytes > 4.0 {
            return bytes;
        }
        // Where zeros are left out, a weight takes at least four bytes.
        let thin = bytes.max(4.0) * density + BITMAP_BYTES_PER_WEIGHT;
        if density < MAX_SPARSE_DENSITY { thin.min(bytes) } else { bytes }
    }

    /// Returns the number of bytes per weight in the chunk with the widest weights. These weights
    /// may have `extra_bits` bits more than estimated.
    #[must_use]
    pub fn max_bytes_per_weight(self, density: f64, extra_bits: f64) -> f64 {
        match self {
            Self::Exact(bits) if density >= MAX_SPARSE_DENSITY => width_bytes(bits + extra_bits),
            _ => self.bytes_per_weight(density),
        }
    }

    /// Returns the size of a layer in the store as a fraction of its size in memory, if a share
    /// `density` of the weights is not zero.
    #[must_use]
    pub fn stored_share(self, density: f64) -> f64 {
        let left = match self {
            Self::Exact(bits) => (bits - STORED_WEIGHT_BITS.0) / 8.0 * STORED_WEIGHT_BITS.1,
            // Residues use all their bits, and one in 2^bits is zero. A bitmap marks the zeros if it is short.
            Self::Residue(_, bits) => {
                let nonzero = density * (1.0 - (-bits).exp2());
                (bits / 8.0).min(bits / 8.0 * nonzero + 0.125) + GROUP_TAG_BYTES_PER_WEIGHT
            }
        };
        (left / self.bytes_per_weight(density)).clamp(0.05, 1.0)
    }

    /// Returns the estimated time of a step in seconds of one core. The layer after the step has
    /// `weights` weights, a share `density` of them not zero, and `transitions` weights are read
    /// for it. `folds` is true if the step merges mirror images.
    #[must_use]
    pub fn core_seconds(self, weights: f64, transitions: f64, density: f64, folds: bool) -> f64 {
        let times = match self {
            Self::Residue(bytes, _) => {
                if bytes < 4.0 {
                    RESIDUE_TIME_FACTORS.0
                } else {
                    RESIDUE_TIME_FACTORS.1
                }
            }
            Self::Exact(_) => match self.mean_bytes() {
                ..6.0 => 1.0,
                ..12.0 => 2.2,
                ..24.0 => 3.2,
                bytes => LIMB_TIME_FACTORS.0 + LIMB_TIME_FACTORS.1 * bytes,
            },
        };
        let (place, read, image) = WEIGHT_NANOSECONDS;
        let each = read * (density / FULL_READ_DENSITY).min(1.0) + if folds { image } else { 0.0 };
        (place * weights + each * transitions) * times / 1e9
    }
}

/// Returns the rough number of blocks from which `reads` weights are read, on a frontier of `vertices`
/// vertices. Narrow frontiers have small blocks, and boards with many moves read blocks repeatedly.
#[must_use]
pub fn block_reads(reads: f64, vertices: u32) -> f64 {
    // The signatures with an even number of ends, of 3^vertices.
    let all = (3f64.powi(vertices as i32) + 1.0) / 2.0;
    BLOCK_READ_SHARE * reads * all / frontier_states(vertices as usize)
}

/// Returns the seconds of one core for reading `blocks` blocks.
#[must_use]
pub fn block_read_seconds(blocks: f64) -> f64 {
    BLOCK_NANOSECONDS * blocks / 1e9
}

/// Returns the seconds that `threads` threads take for work of `seconds` seconds on one core.
#[must_use]
pub fn seconds_on_threads(seconds: f64, threads: f64) -> f64 {
    let alone = seconds.min(SERIAL_STEP_SECONDS);
    alone + (seconds - alone) / threads
}

/// Returns the seconds of one core to join a layer of `weights` weights, on a frontier of
/// `vertices` vertices, with the layer of the other half. `left_bits` and `right_bits` are the
/// numbers of bits of the weights in the left and in the right half.
#[must_use]
pub fn join_seconds(weights: f64, vertices: u32, left_bits: f64, right_bits: f64) -> f64 {
    // Three of five vertices are ends, and the half with the narrower weights is contracted.
    let n = (f64::from(vertices) * 0.6 / 2.0).round() * 2.0;
    let planes = ((left_bits.min(right_bits) / 50.0).ceil(), (left_bits.max(right_bits) / 63.0).ceil());
    weights
        * planes.0
        * ((n * (n - 2.0) / 4.0 + 1.0) * JOIN_READ_NANOSECONDS + planes.1 * JOIN_PLANE_NANOSECONDS)
        / 1e9
}

/// Returns the seconds, with all threads, to evict `bytes` bytes to disk and read them back.
#[must_use]
pub fn spill_seconds(bytes: f64) -> f64 {
    bytes * SPILL_BYTE_NANOSECONDS / 1e9
}

/// Properties of a sweep, apart from its plan, that determine the size of its layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardProfile {
    /// True if the layers are like those of rectangles.
    pub is_rectangle: bool,
    /// True if the share of nonzero weights may be greater than on rectangles.
    pub may_be_dense: bool,
    /// The modulus of the weights; `None` for exact weights.
    pub modulo: Option<Modulus>,
}

impl BoardProfile {
    /// The profile of a sweep of a rectangle with exact weights.
    pub const RECTANGLE: Self = Self { is_rectangle: true, may_be_dense: false, modulo: None };

    /// Returns the profile of a sweep with exact weights.
    #[must_use]
    pub fn exact(graph: &SweepGraph) -> Self {
        let is_rectangle = graph.is_rectangle_like() && !graph.is_quotient();
        Self { is_rectangle, may_be_dense: !is_rectangle || graph.is_incomplete_board(), modulo: None }
    }

    /// Returns the weight format of a layer whose greatest exact weight would have `bits` bits.
    #[must_use]
    pub fn weight_format(self, bits: f64) -> WeightFormat {
        self.modulo.map_or(WeightFormat::Exact(bits), |modulo| {
            WeightFormat::Residue(modulo.stored_width().bytes() as f64, modulo.residue_bits().into())
        })
    }
}

/// Nanoseconds of one core to build and apply the lists of moves: for each list, and for each member
/// of a list.
const MOVE_LIST_NANOSECONDS: (f64, f64) = (10.0, 10.0);

/// Returns the seconds of a dry run on the threads of the current rayon pool. They include the
/// tables of feasible signatures and the large lists of moves. `right_space` is the signature space of the right
/// half of a two-sided sweep; its lists are included, too.
#[must_use]
pub fn dry_run_seconds(space: &SignatureSpace, right_space: Option<&SignatureSpace>) -> f64 {
    let word_steps = (space.words().len() * space.step_count()) as f64;
    let right_steps = right_space.map_or(&[][..], |space| space.plan().steps());
    let lists: f64 = space.plan().steps().iter().chain(right_steps).map(move_list_seconds).sum();
    // One thread builds the lists, once for the tables and once for the dry run.
    let words = word_steps * WORD_NANOSECONDS.1 / rayon::current_num_threads().max(1) as f64;
    2.0 * (words / 1e9 + lists)
}

/// Returns the seconds of one core to build and apply the lists of moves of a step; 0 if the lists
/// are small.
#[must_use]
pub fn move_list_seconds(step: &Step) -> f64 {
    let (lists, members) = large_move_lists(step);
    (lists * MOVE_LIST_NANOSECONDS.0 + members * MOVE_LIST_NANOSECONDS.1) / 1e9
}

#[cfg(test)]
mod tests {
    use super::WeightFormat::{Exact, Residue};
    use super::*;
    use crate::frontier::planning::problem::SweepGraph;
    use crate::frontier::planning::problem::Tours;

    fn bits_of(board: &str, tours: Tours) -> Vec<f64> {
        let cycles = Cycles::from_sweep_graph(&SweepGraph::from_board(&board.parse().unwrap()), tours);
        let order: Vec<usize> = (0..cycles.len()).collect();
        weight_bits(&cycles, &Plan::new(&cycles, &order, false))
    }

    #[test]
    fn bits_of_degree_two_are_zero() {
        assert_eq!((bits_of_degree(0), bits_of_degree(2)), (0.0, 0.0));
        assert!((bits_of_degree(3) - (4f64 / 3.0).log2() / 2.0).abs() < 1e-9);
        assert!((bits_of_degree(8).exp2() - 2.953).abs() < 0.001);
    }

    #[test]
    fn weight_bits_are_close_to_records() {
        // results/steps-8x32-closed.csv, steps-8x8-closed.csv and steps-8x8-paths.csv.
        let of = |board, tours, recorded: &[(usize, f64)]| {
            let bits = bits_of(board, tours);
            assert!(bits.is_sorted(), "{bits:?}");
            for &(step, recorded) in recorded {
                let bits = bits[step - 1];
                assert!(
                    (bits - recorded).abs() <= 0.12 * recorded + 2.0,
                    "{board} {step}: {bits} {recorded}"
                );
            }
        };
        let long = [(17, 9.0), (33, 23.0), (65, 59.0), (129, 132.0), (193, 204.0), (241, 250.0)];
        of("32x8", Tours::Closed, &long);
        of("8x8", Tours::Closed, &[(13, 5.0), (21, 12.0), (33, 22.0), (41, 31.0)]);
        of("8x8", Tours::Paths, &[(13, 9.0), (21, 18.0), (33, 29.0), (41, 39.0)]);
    }

    #[test]
    fn cost_grows_with_the_width_of_weights() {
        let widths = [10.0, 33.0, 50.0, 100.0, 200.0, 400.0, 900.0];
        assert!(widths.is_sorted_by(|&a, &b| Exact(a).mean_bytes() < Exact(b).mean_bytes()));
        assert!(
            widths.is_sorted_by(|&a, &b| Exact(a).core_seconds(1e9, 3e9, 1.0, true)
                <= Exact(b).core_seconds(1e9, 3e9, 1.0, true))
        );
        assert!([0.001, 0.1, 0.3, 1.0].is_sorted_by(|&a, &b| Exact(20.0).core_seconds(1e9, 3e9, a, true)
            <= Exact(20.0).core_seconds(1e9, 3e9, b, true)));
        assert!(
            Exact(20.0).bytes_per_weight(0.1) < 1.0
                && Exact(20.0).bytes_per_weight(0.9) == Exact(20.0).mean_bytes()
        );
        assert!(
            Residue(4.0, 32.0).bytes_per_weight(0.1) < 1.0 && Residue(8.0, 64.0).bytes_per_weight(0.1) == 8.0
        );
        assert!((4.0..8.0).contains(&Exact(34.0).mean_bytes()), "some chunks are still narrow");
        assert_eq!(
            [200.0, 300.0, 1500.0].map(|bits| Exact(bits).mean_bytes()),
            [32.0, 48.0, 192.0],
            "as many limbs as required"
        );
        assert!(widths.iter().all(|&bits| (0.05..=1.0).contains(&Exact(bits).stored_share(1.0))));
    }

    #[test]
    fn small_blocks_cost_more_than_their_weights() {
        // A vertex is bare, inner or an end, and two ends are mates.
        assert!(
            (block_reads(1e9, 0) - BLOCK_READ_SHARE * 1e9).abs() < 1.0
                && (block_reads(1e9, 2) - BLOCK_READ_SHARE * 1e9).abs() < 1.0
        );
        let seconds = [4, 8, 12, 16, 20].map(|vertices| block_read_seconds(block_reads(1e9, vertices)));
        assert!(seconds.is_sorted_by(|a, b| a > b), "{seconds:?}");
        let weights = Exact(20.0).core_seconds(0.0, 1e9, 1.0, true);
        assert!(seconds[2] > weights && seconds[4] < weights / 10.0);
    }

    #[test]
    fn residues_cost_by_their_bytes() {
        let residue = |bytes: f64| Residue(bytes, 8.0 * bytes);
        assert_eq!([2.0, 4.0].map(|bytes| residue(bytes).bytes_per_weight(0.9)), [2.0, 4.0]);
        // Sparse weights have four bytes each.
        assert!(residue(2.0).bytes_per_weight(0.6) == 2.0 && residue(2.0).bytes_per_weight(0.1) < 0.6);
        assert_eq!(residue(4.0).bytes_per_weight(0.1), Exact(20.0).bytes_per_weight(0.1));
        assert_eq!((residue(2.0).stored_share(1.0), residue(2.0).max_bits()), (1.0, 16.0));
        let seconds = |weighing: WeightFormat| weighing.core_seconds(1e9, 3e9, 1.0, true);
        assert!(seconds(residue(2.0)) < seconds(Exact(20.0)) && seconds(Exact(20.0)) < seconds(residue(4.0)));
        assert!(seconds(residue(4.0)) < seconds(Exact(60.0)));
    }

    #[test]
    fn small_residues_are_stored_in_their_bits() {
        // Of residues modulo 251, a group of 64 weights in the store has a tag, a bitmap and eight bits for each
        // nonzero weight; modulo 3 it has two bits for each weight.
        assert!((64.0 * Residue(1.0, 8.0).stored_share(0.4) - (1.0 + 8.0 + 25.5)).abs() < 0.1);
        assert!((64.0 * Residue(1.0, 2.0).stored_share(0.9) - (1.0 + 16.0)).abs() < 0.1);
    }
}
