//! The cost model of a sweep: the time and memory of weights (by their width), transitions, words of
//! signatures, and bytes that do not fit into memory.
//!
//! The width of a layer's weights is estimated from the vertices processed by then. A random graph in which
//! every vertex has `d` neighbours has about `h(d)` Hamiltonian cycles per vertex,
//!
//! ```text
//! h(d) = (d - 1) ((d - 2) / d)^((d - 2) / 2)          1 for d = 2, 1.15 for 3, 1.5 for 4, 2.95 for 8
//! ```
//!
//! and graphs of leapers have slightly fewer: on 8x32 the greatest weight has gained 0.91 of the bits of this
//! formula, less a few bits that the greatest of so many states lacks. For paths the positions of the ends
//! add bits. All constants were measured; `scripts/estimates` compares estimates with the time and memory
//! that counts took.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price::states_of;

/// Nanoseconds of one core per narrow weight of a layer; additionally per weight read for it; and
/// additionally per weight read in a folding step, where half of the reads are for mirror images. Fitted to
/// the steps of 7x7, 7x8, 8x8 and 8x9, whose sums they reproduce within a tenth.
const NANOSECONDS: (f64, f64, f64) = (0.55, 0.27, 0.38);

/// Nanoseconds of one core per block read, independent of its size.
const BLOCK: f64 = 85.0;

/// Blocks read, relative to the number if all blocks of the frontier were read equally often: blocks with few
/// ends are small and rare. Measured on 8x8.
const RARE: f64 = 0.35;

/// Time relative to narrow exact weights, of residues of two bytes and of four bytes. Measured on 8x8.
const LANES: (f64, f64) = (0.8, 1.2);

/// Time relative to narrow exact weights, of weights of several limbs: a constant and an amount per byte.
/// Measured on 6x100 and 5x400, up to 208 bytes.
const LIMBS: (f64, f64) = (3.0, 0.15);

/// Nanoseconds of one core per word of signatures and step: in a sweep, tables included, and in a dry run.
pub const WORD: (f64, f64) = (10.0, 18.0);

/// Seconds of each step in which only one thread works, because there are too few chunks for all.
const ALONE: f64 = 0.000_5;

/// Nanoseconds of one core per weight read to join two layers.
const JOINED: f64 = 1.2;

/// Nanoseconds of one core per weight read and per plane of the other layer that it is multiplied with.
const MULTIPLIED: f64 = 1.5;

/// Nanoseconds of the whole machine per byte that is evicted to disk and read back.
const OUTSIDE: f64 = 2.2;

/// Bits of the greatest weight: the share of the bits of a random graph; the most bits that it lacks compared
/// with that; and the share of its bits that it lacks until that many are reached.
const GAIN: (f64, f64, f64) = (0.914, 4.5, 0.12);

/// Bits added by a vertex that stays on the frontier while its cut edges are decided, relative to the bits
/// that it adds otherwise. Measured on two-sided sweeps of 8x12 and 6x40.
const STAYING: f64 = 1.5;

/// Bits for the positions of a path's ends, relative to the logarithm of the number of pairs of ends.
const ENDS: f64 = 0.75;

/// Widths differ within a layer: some chunks have weights of up to this many bits fewer than the greatest.
const SPREAD: u32 = 7;

/// Share of nonzero weights below which zeros are left out, and bytes per weight that their bitmap takes.
const THIN: f64 = 0.8;
const MAP: f64 = 12.0 / 64.0;

/// Share of nonzero weights from which on reading takes as long as if all were nonzero.
const DENSE: f64 = 0.6;

/// In stored chunks: leading zero bits of most weights, and the share of the other bits that remains.
const PACKED: (f64, f64) = (12.0, 0.8);

/// Returns the rough number of bits of the greatest weight after every step.
#[must_use]
pub fn bits(cycles: &Cycles, plan: &Plan) -> Vec<f64> {
    let squares = cycles.squares();
    let (mut sum, mut done, mut factors) = (0.0, 0usize, 0.0);
    let after = |step: &crate::frontier::problem::step::Step| {
        let v = step.vertex;
        if v < squares {
            let degree = of_degree(cycles.near(v).iter().filter(|&&w| w < squares).count());
            done += usize::from(!step.stays);
            sum += if step.stays { STAYING * degree } else { degree };
        }
        let factor = step.later.iter().map(|later| later.factor.unsigned_abs()).max().unwrap_or(1);
        factors += f64::from(factor.max(1)).log2();
        let gained = GAIN.0 * sum;
        let ends = cycles.apex().map_or(0.0, |_| ENDS * (done as f64 * done as f64 / 2.0).log2().max(0.0));
        1.0 + gained - (GAIN.2 * gained).min(GAIN.1) + ends + factors
    };
    plan.steps().iter().map(after).collect()
}

/// Returns the bits that a vertex of this degree adds.
fn of_degree(degree: usize) -> f64 {
    let d = degree as f64;
    if degree < 3 { 0.0 } else { (d - 1.0).log2() + (d - 2.0) / 2.0 * ((d - 2.0) / d).log2() }
}

/// Returns the bytes of the narrowest width of weights that holds `bits` bits; beyond 128 bits a multiple of
/// 16.
fn width(bits: f64) -> f64 {
    match bits {
        ..32.0 => 4.0,
        ..64.0 => 8.0,
        ..128.0 => 16.0,
        bits => 16.0 * ((bits / 128.0).floor() + 1.0),
    }
}

/// The format of a layer's weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weighing {
    /// Exact weights; the greatest has this many bits.
    Exact(f64),
    /// Residues of this many bytes.
    Lane(f64),
}

impl Weighing {
    /// Returns the mean bytes of a weight.
    #[must_use]
    pub fn bytes(self) -> f64 {
        match self {
            Self::Exact(bits) => {
                (0..SPREAD).map(|less| width(bits - f64::from(less))).sum::<f64>() / f64::from(SPREAD)
            }
            Self::Lane(bytes) => bytes,
        }
    }

    /// Returns the bits of the greatest weight.
    #[must_use]
    pub fn bits(self) -> f64 {
        match self {
            Self::Exact(bits) => bits,
            Self::Lane(bytes) => 8.0 * bytes,
        }
    }

    /// Returns the bytes per weight of a layer of which the share `density` is not zero.
    #[must_use]
    pub fn bytes_a_place(self, density: f64) -> f64 {
        let bytes = self.bytes();
        // Where zeros are left out, a weight takes at least four bytes.
        let thin = bytes.max(4.0) * density + MAP;
        if density < THIN { thin.min(bytes) } else { bytes }
    }

    /// Returns the bytes per weight in the chunk with the widest weights, which may have `extra_bits` bits more
    /// than estimated.
    #[must_use]
    pub fn widest(self, density: f64, more: f64) -> f64 {
        match self {
            Self::Exact(bits) if density >= THIN => width(bits + more),
            _ => self.bytes_a_place(density),
        }
    }

    /// Returns the size of a stored layer relative to its size in memory.
    #[must_use]
    pub fn packed(self, density: f64) -> f64 {
        let left = match self {
            Self::Exact(bits) => (bits - PACKED.0) / 8.0 * PACKED.1,
            // Residues use all their bits; one more bit per weight marks zeros.
            Self::Lane(bytes) => bytes * density + 0.125,
        };
        (left / self.bytes_a_place(density)).clamp(0.05, 1.0)
    }

    /// Returns the seconds of one core for a layer of `weights` weights, of which the share `density` is not
    /// zero, with `transitions` weights read. `folds` is true for a folding step.
    #[must_use]
    pub fn seconds(self, weights: f64, transitions: f64, density: f64, folds: bool) -> f64 {
        let times = match self {
            Self::Lane(bytes) => {
                if bytes < 4.0 {
                    LANES.0
                } else {
                    LANES.1
                }
            }
            Self::Exact(_) => match self.bytes() {
                ..6.0 => 1.0,
                ..12.0 => 2.2,
                ..24.0 => 3.2,
                bytes => LIMBS.0 + LIMBS.1 * bytes,
            },
        };
        let (place, read, image) = NANOSECONDS;
        let each = read * (density / DENSE).min(1.0) + if folds { image } else { 0.0 };
        (place * weights + each * transitions) * times / 1e9
    }
}

/// Returns the rough number of blocks from which `reads` weights are read, on a frontier of this many
/// vertices. Narrow frontiers have small blocks, and boards with many moves read blocks repeatedly.
#[must_use]
pub fn blocks(reads: f64, vertices: u32) -> f64 {
    // The signatures with an even number of ends, of 3^vertices.
    let all = (3f64.powi(vertices as i32) + 1.0) / 2.0;
    RARE * reads * all / states_of(vertices as usize)
}

/// Returns the seconds of one core for reading this many blocks.
#[must_use]
pub fn block_seconds(blocks: f64) -> f64 {
    BLOCK * blocks / 1e9
}

/// Returns the seconds that work of `seconds` seconds of one core takes on `threads` threads.
#[must_use]
pub fn on_threads(seconds: f64, threads: f64) -> f64 {
    let alone = seconds.min(ALONE);
    alone + (seconds - alone) / threads
}

/// Returns the seconds of one core to join a layer of `weights` weights on a frontier of `vertices` vertices,
/// with weights of this many bits in the two halves.
#[must_use]
pub fn joining_seconds(weights: f64, vertices: u32, near_bits: f64, far_bits: f64) -> f64 {
    // Three of five vertices are ends, and the half with the narrower weights is contracted.
    let n = (f64::from(vertices) * 0.6 / 2.0).round() * 2.0;
    let planes = ((near_bits.min(far_bits) / 50.0).ceil(), (near_bits.max(far_bits) / 63.0).ceil());
    weights * planes.0 * ((n * (n - 2.0) / 4.0 + 1.0) * JOINED + planes.1 * MULTIPLIED) / 1e9
}

/// Returns the seconds, with all threads, for bytes that are evicted to disk and read back.
#[must_use]
pub fn seconds_outside(bytes: f64) -> f64 {
    bytes * OUTSIDE / 1e9
}

#[cfg(test)]
mod tests {
    use super::Weighing::{Exact, Lane};
    use super::*;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;

    fn bits_of(board: &str, tours: Tours) -> Vec<f64> {
        let cycles = Cycles::of(&Field::of(&board.parse().unwrap()), tours);
        let order: Vec<usize> = (0..cycles.len()).collect();
        bits(&cycles, &Plan::new(&cycles, &order, false))
    }

    #[test]
    fn a_vertex_of_two_neighbours_has_no_choice() {
        assert_eq!((of_degree(0), of_degree(2)), (0.0, 0.0));
        assert!((of_degree(3) - (4f64 / 3.0).log2() / 2.0).abs() < 1e-9);
        assert!((of_degree(8).exp2() - 2.953).abs() < 0.001);
    }

    #[test]
    fn weights_have_about_the_bits_that_were_recorded() {
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
    fn wider_weights_take_more_of_everything() {
        let widths = [10.0, 33.0, 50.0, 100.0, 200.0, 400.0, 900.0];
        assert!(widths.is_sorted_by(|&a, &b| Exact(a).bytes() < Exact(b).bytes()));
        assert!(widths.is_sorted_by(
            |&a, &b| Exact(a).seconds(1e9, 3e9, 1.0, true) <= Exact(b).seconds(1e9, 3e9, 1.0, true)
        ));
        assert!([0.001, 0.1, 0.3, 1.0].is_sorted_by(
            |&a, &b| Exact(20.0).seconds(1e9, 3e9, a, true) <= Exact(20.0).seconds(1e9, 3e9, b, true)
        ));
        assert!(
            Exact(20.0).bytes_a_place(0.1) < 1.0 && Exact(20.0).bytes_a_place(0.9) == Exact(20.0).bytes()
        );
        assert!((4.0..8.0).contains(&Exact(34.0).bytes()), "some chunks are still narrow");
        assert_eq!(
            [200.0, 300.0, 1500.0].map(|bits| Exact(bits).bytes()),
            [32.0, 48.0, 192.0],
            "as many limbs as required"
        );
        assert!(widths.iter().all(|&bits| (0.05..=1.0).contains(&Exact(bits).packed(1.0))));
    }

    #[test]
    fn small_blocks_take_longer_than_their_weights() {
        // A vertex is bare, inner or an end, and two ends are mates.
        assert!((blocks(1e9, 0) - RARE * 1e9).abs() < 1.0 && (blocks(1e9, 2) - RARE * 1e9).abs() < 1.0);
        let seconds = [4, 8, 12, 16, 20].map(|vertices| block_seconds(blocks(1e9, vertices)));
        assert!(seconds.is_sorted_by(|a, b| a > b), "{seconds:?}");
        let weights = Exact(20.0).seconds(0.0, 1e9, 1.0, true);
        assert!(seconds[2] > weights && seconds[4] < weights / 10.0);
    }

    #[test]
    fn residues_take_what_lanes_take() {
        assert_eq!([2.0, 4.0].map(|bytes| Lane(bytes).bytes_a_place(0.9)), [2.0, 4.0]);
        // Sparse weights have four bytes each.
        assert!(Lane(2.0).bytes_a_place(0.6) == 2.0 && Lane(2.0).bytes_a_place(0.1) < 0.6);
        assert_eq!(Lane(4.0).bytes_a_place(0.1), Exact(20.0).bytes_a_place(0.1));
        assert_eq!((Lane(2.0).packed(1.0), Lane(2.0).bits()), (1.0, 16.0));
        let seconds = |weighing: Weighing| weighing.seconds(1e9, 3e9, 1.0, true);
        assert!(seconds(Lane(2.0)) < seconds(Exact(20.0)) && seconds(Exact(20.0)) < seconds(Lane(4.0)));
        assert!(seconds(Lane(4.0)) < seconds(Exact(60.0)));
    }
}
