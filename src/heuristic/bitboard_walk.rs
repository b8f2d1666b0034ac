//! Plain Warnsdorff walks on at most 64 squares, for uses that need millions of tours.
//!
//! The degrees of all free squares are stored as [`BitSlicedDegrees`]. A handful of logical
//! operations subtracts one from all neighbours of the entered square, and another handful selects
//! the neighbours of least degree. So a move costs the same for any number of neighbours, and reads
//! one 64-bit word of memory. Ties are broken at random, with equal probabilities.

use crate::board::{Bitboard, Graph};
use crate::random::Random;
use crate::search::bitboard_graph::BitSlicedDegrees;

/// A walker by Warnsdorff's rule on a graph of at most 64 vertices.
#[derive(Clone, Debug)]
pub struct BitboardWalker {
    masks: Vec<u64>,
    /// Degrees of all vertices when no vertex is visited.
    degrees: BitSlicedDegrees<u64>,
    all_squares: u64,
}

impl BitboardWalker {
    /// Creates a walker for a graph.
    ///
    /// # Panics
    /// If the graph has more than 64 vertices, or a vertex has more than 15 neighbours.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        // 64 entries, so that an index needs no bounds test.
        let mut masks = graph.neighbour_masks::<u64>();
        masks.resize(64, 0);
        Self { masks, degrees: BitSlicedDegrees::from_graph(graph), all_squares: u64::first_n(graph.len()) }
    }

    /// Walks once from `start`, with ties broken at random. Writes the visited squares to `path`
    /// and returns their number. The walk is a tour if this number is the number of vertices.
    ///
    /// # Panics
    /// If `start` is not a vertex.
    #[inline]
    pub fn walk(&self, start: usize, rng: &mut Random, path: &mut [u8; 64]) -> usize {
        assert!(self.all_squares >> start & 1 == 1, "{start} is not a vertex");
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
            fn with_bmi(
                walker: &BitboardWalker,
                start: usize,
                rng: &mut Random,
                path: &mut [u8; 64],
            ) -> usize {
                walker.walk_portable(start, rng, path)
            }
            if crate::cpu_features::has_bmi() {
                // SAFETY: the processor has the enabled features, as just checked.
                return unsafe { with_bmi(self, start, rng, path) };
            }
        }
        self.walk_portable(start, rng, path)
    }

    #[inline(always)]
    fn walk_portable(&self, start: usize, rng: &mut Random, path: &mut [u8; 64]) -> usize {
        let masks: &[u64; 64] = self.masks.as_slice().try_into().expect("64 masks");
        let mut degrees = self.degrees;
        let mut free = self.all_squares;
        let mut at = start;
        let mut len = 0;
        let mut chance = rng.next_u64();
        loop {
            path[len & 63] = at as u8;
            len += 1;
            free &= !(1 << at);
            let neighbours = masks[at & 63] & free;
            if neighbours == 0 {
                return len;
            }
            degrees.decrease(neighbours);
            let tied = degrees.with_min_degree(neighbours);
            let remaining_bits = tied & (tied - 1);
            let mut chosen = tied;
            if remaining_bits != 0 {
                let count = tied.count_ones();
                // One step of a linear congruential generator; its high bits are random enough here.
                chance = chance.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(0x9e37_79b9_7f4a_7c15);
                for _ in 0..((chance >> 32) * u64::from(count)) >> 32 {
                    chosen &= chosen - 1;
                }
            }
            at = chosen.trailing_zeros() as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Leaper, Rectangle};
    use crate::tour::Tour;

    #[test]
    fn walk_mostly_gives_tours_on_8x8() {
        let rectangle = Rectangle::new(8, 8).unwrap();
        let walker = BitboardWalker::new(&Graph::from_leaper(&rectangle, Leaper::KNIGHT));
        let board = Board::from_leaper(rectangle, Leaper::KNIGHT);
        let mut rng = Random::new(1);
        let mut path = [0; 64];
        let mut tours = 0;
        for trial in 0..2000 {
            if walker.walk(trial % 64, &mut rng, &mut path) == 64 {
                assert!(Tour::new(&board, path.iter().map(|&v| v.into()).collect()).is_ok());
                tours += 1;
            }
        }
        assert!(tours > 1900, "{tours} of 2000");
    }

    #[test]
    fn walk_follows_warnsdorff() {
        let board = Rectangle::new(6, 7).unwrap();
        let graph = Graph::from_leaper(&board, Leaper::KNIGHT);
        let walker = BitboardWalker::new(&graph);
        let mut rng = Random::new(9);
        let mut path = [0; 64];
        for start in 0..graph.len() {
            let len = walker.walk(start, &mut rng, &mut path);
            let mut free = vec![true; graph.len()];
            for pair in path[..len].windows(2) {
                free[usize::from(pair[0])] = false;
                let degree =
                    |v: u32| graph.neighbours(v as usize).iter().filter(|&&w| free[w as usize]).count();
                let neighbours = graph.neighbours(usize::from(pair[0])).iter().filter(|&&v| free[v as usize]);
                let least = neighbours.map(|&v| degree(v)).min().unwrap();
                assert_eq!(degree(u32::from(pair[1])), least);
            }
        }
    }
}
