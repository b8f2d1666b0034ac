//! What a sweep is charged for: weights, by the width that they have by then, transitions, words of signatures,
//! and bytes that do not fit into memory.
//!
//! How wide the weights of a layer are is told from the vertices that are done by then. A random graph in which
//! every vertex has `d` neighbours has about `h(d)` Hamiltonian cycles a vertex,
//!
//! ```text
//! h(d) = (d - 1) ((d - 2) / d)^((d - 2) / 2)          1 for d = 2, 1.15 for 3, 1.5 for 4, 2.95 for 8
//! ```
//!
//! and leapers' graphs have little fewer: on 8x32 the greatest weight has gained 0.91 of the bits that this says,
//! less some bits that the greatest of so many states lack. Paths have more, by where their ends may be. All
//! figures were measured; `scripts/estimates` compares what comes of them with what counts took.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price::states_of;

/// Nanoseconds of a core for a narrow place, for a weight that is read for it, and for one more of a layer that is
/// folded, as half of them are images of others. Fitted to the steps of 7x7, 7x8, 8x8 and 8x9, whose sums they meet
/// within a tenth.
const NANOSECONDS: (f64, f64, f64) = (0.55, 0.27, 0.38);

/// Nanoseconds of a core for a block that is read, whatever it holds.
const BLOCK: f64 = 85.0;

/// Blocks that are read, as a share of those that as many weights would have in a frontier all of whose blocks are read
/// alike: those of few ends are small, and rare. Measured on 8x8.
const RARE: f64 = 0.35;

/// How many times as long residues of two bytes take, and of four; measured on 8x8.
const LANES: (f64, f64) = (0.8, 1.2);

/// How many times as long limbs take, and each byte of them; measured on 6x100 and 5x400, up to 208 bytes.
const LIMBS: (f64, f64) = (3.0, 0.15);

/// Nanoseconds of a core for a word of signatures and step: in a sweep, its tables among them, and in a dry run.
pub const WORD: (f64, f64) = (10.0, 18.0);

/// Seconds of a step that other threads take no part of, as there are too few chunks for them.
const ALONE: f64 = 0.000_5;

/// Nanoseconds of a core for a weight that is read to join two layers.
const JOINED: f64 = 1.2;

/// The same for a plane of the other layer that it is multiplied with.
const MULTIPLIED: f64 = 1.5;

/// Nanoseconds, of the whole machine, for a byte that has to leave memory and come back.
const OUTSIDE: f64 = 2.2;

/// Share of the bits that a random graph would give, bits that the greatest weight lacks, and how soon it does.
const GAIN: (f64, f64, f64) = (0.914, 4.5, 0.12);

/// Bits that a vertex adds which stays with edges to others that stay, as a share of what it adds otherwise. Measured on
/// 8x12 and 6x40 from two ends.
const STAYING: f64 = 1.5;

/// Bits for where the ends of a path are, as a share of the logarithm of all pairs of ends.
const ENDS: f64 = 0.75;

/// Weights of a layer differ: those of some chunks have so many bits fewer than the greatest.
const SPREAD: u32 = 7;

/// Part of the places that have a weight below which zeros are left out, and bytes that this takes a place.
const THIN: f64 = 0.8;
const MAP: f64 = 12.0 / 64.0;

/// Part of the places that have a weight from which on reading takes as long as if all had one.
const DENSE: f64 = 0.6;

/// Of a weight's bits so many are zero in most weights that are stored, and this share of the rest is kept.
const PACKED: (f64, f64) = (12.0, 0.8);

/// Bits of the greatest weight after every step, roughly.
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

/// Bits that a vertex of this degree adds.
fn of_degree(degree: usize) -> f64 {
    let d = degree as f64;
    if degree < 3 { 0.0 } else { (d - 1.0).log2() + (d - 2.0) / 2.0 * ((d - 2.0) / d).log2() }
}

/// The narrowest width in bytes for so many bits; beyond the widest, as many limbs as are needed.
fn width(bits: f64) -> f64 {
    match bits {
        ..32.0 => 4.0,
        ..64.0 => 8.0,
        ..128.0 => 16.0,
        bits => 16.0 * ((bits / 128.0).floor() + 1.0),
    }
}

/// The weights of a layer: exact, the greatest of which has so many bits, or residues of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weighing {
    /// Exact weights.
    Exact(f64),
    /// Residues.
    Lane(f64),
}

impl Weighing {
    /// Bytes of a weight on average.
    #[must_use]
    pub fn bytes(self) -> f64 {
        match self {
            Self::Exact(bits) => {
                (0..SPREAD).map(|less| width(bits - f64::from(less))).sum::<f64>() / f64::from(SPREAD)
            }
            Self::Lane(bytes) => bytes,
        }
    }

    /// Bits of the greatest weight.
    #[must_use]
    pub fn bits(self) -> f64 {
        match self {
            Self::Exact(bits) => bits,
            Self::Lane(bytes) => 8.0 * bytes,
        }
    }

    /// Bytes of a place in a layer in which this part of them has a weight.
    #[must_use]
    pub fn bytes_a_place(self, density: f64) -> f64 {
        let bytes = self.bytes();
        // Without zeros a weight takes four bytes at least.
        let thin = bytes.max(4.0) * density + MAP;
        if density < THIN { thin.min(bytes) } else { bytes }
    }

    /// The same of the chunk whose weights are widest, if they have so many bits more than is told.
    #[must_use]
    pub fn widest(self, density: f64, more: f64) -> f64 {
        match self {
            Self::Exact(bits) if density >= THIN => width(bits + more),
            _ => self.bytes_a_place(density),
        }
    }

    /// How much of a layer's bytes is left when it is stored.
    #[must_use]
    pub fn packed(self, density: f64) -> f64 {
        let left = match self {
            Self::Exact(bits) => (bits - PACKED.0) / 8.0 * PACKED.1,
            // All bits of a residue are in use, and a place has one that tells whether it is zero.
            Self::Lane(bytes) => bytes * density + 0.125,
        };
        (left / self.bytes_a_place(density)).clamp(0.05, 1.0)
    }

    /// Seconds of a core for the weights of a layer, of whose places this part has one. Whether it `folds` its images.
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

/// Blocks that so many weights are read from, roughly, of a frontier of so many vertices. Narrow frontiers have small
/// blocks, and those of boards with many moves are read again and again.
#[must_use]
pub fn blocks(reads: f64, vertices: u32) -> f64 {
    // Those of its 3^vertices signatures whose ends are even in number.
    let all = (3f64.powi(vertices as i32) + 1.0) / 2.0;
    RARE * reads * all / states_of(vertices as usize)
}

/// Seconds of a core for so many blocks that are read.
#[must_use]
pub fn block_seconds(blocks: f64) -> f64 {
    BLOCK * blocks / 1e9
}

/// Seconds on so many threads of what takes one so many.
#[must_use]
pub fn on_threads(seconds: f64, threads: f64) -> f64 {
    let alone = seconds.min(ALONE);
    alone + (seconds - alone) / threads
}

/// Seconds of a core for joining a layer of weights with `vertices` on the frontier, of so many bits at either end.
#[must_use]
pub fn joining_seconds(weights: f64, vertices: u32, near_bits: f64, far_bits: f64) -> f64 {
    // Three vertices of five are ends, and the narrower weights are contracted.
    let n = (f64::from(vertices) * 0.6 / 2.0).round() * 2.0;
    let planes = ((near_bits.min(far_bits) / 50.0).ceil(), (near_bits.max(far_bits) / 63.0).ceil());
    weights * planes.0 * ((n * (n - 2.0) / 4.0 + 1.0) * JOINED + planes.1 * MULTIPLIED) / 1e9
}

/// Seconds, on all threads together, for bytes that have to leave memory and come back.
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
        assert!((4.0..8.0).contains(&Exact(34.0).bytes()), "some chunks are narrow yet");
        assert_eq!(
            [200.0, 300.0, 1500.0].map(|bits| Exact(bits).bytes()),
            [32.0, 48.0, 192.0],
            "limbs as they are needed"
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
        // Packed values have four bytes each.
        assert!(Lane(2.0).bytes_a_place(0.6) == 2.0 && Lane(2.0).bytes_a_place(0.1) < 0.6);
        assert_eq!(Lane(4.0).bytes_a_place(0.1), Exact(20.0).bytes_a_place(0.1));
        assert_eq!((Lane(2.0).packed(1.0), Lane(2.0).bits()), (1.0, 16.0));
        let seconds = |weighing: Weighing| weighing.seconds(1e9, 3e9, 1.0, true);
        assert!(seconds(Lane(2.0)) < seconds(Exact(20.0)) && seconds(Exact(20.0)) < seconds(Lane(4.0)));
        assert!(seconds(Lane(4.0)) < seconds(Exact(60.0)));
    }
}
