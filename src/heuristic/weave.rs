//! `BlockBoard` lays the tours of blocks next to each other and merges them. The tour of a block is searched
//! for when first needed and then cached, because a board has a handful of different blocks.

use std::collections::{HashMap, VecDeque};

use crate::board::{Graph, Leaper, Rectangle};
use crate::random::Random;

use super::links::{NO_LINK, replace_link};
use super::solve::{SearchOutcome, TourGoal, solve};
use super::tiling::{Block, Tiling};

/// Most decisions of the search for one block.
const MAX_BLOCK_DECISIONS: u64 = 20_000;
/// Number of different closed tours of one block size, so that neighbouring blocks need not look alike.
const CYCLE_VARIANTS: usize = 8;
/// The eight moves as (rows, columns).
const KNIGHT_MOVES: [(isize, isize); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Row and column of a square, from 0.
pub(super) type Position = (usize, usize);

/// Requirements on the tour of a block: height, width, the ends of a path within the block (`None` for a
/// closed tour), and the variant, below [`CYCLE_VARIANTS`] for closed tours.
pub(super) type BlockTourKey = (usize, usize, Option<(Position, Position)>, u64);

/// A board on which tours of blocks are laid.
#[derive(Debug)]
pub(super) struct BlockBoard {
    pub rows: usize,
    pub cols: usize,
    pub seed: u64,
    pub rng: Random,
    /// For each square, `row * cols + col`, the squares it is joined to.
    pub links: Vec<[u32; 2]>,
    /// Tours of blocks searched for so far.
    block_tours: HashMap<BlockTourKey, Option<Vec<u32>>>,
}

impl BlockBoard {
    /// Creates a board without tours.
    pub(super) fn new(rows: usize, cols: usize, seed: u64) -> Self {
        let links = vec![[NO_LINK; 2]; rows * cols];
        Self { rows, cols, seed, rng: Random::new(seed), links, block_tours: HashMap::new() }
    }

    /// Removes all tours from the board for another attempt. The cached tours of blocks are discarded in
    /// every eighth attempt.
    pub(super) fn clear(&mut self, attempt: u64) {
        self.links.fill([NO_LINK; 2]);
        if attempt % 8 == 7 {
            self.seed = self.rng.next_u64();
            self.block_tours.clear();
        }
    }

    pub(super) fn moves_from(&self, (row, col): Position) -> impl Iterator<Item = Position> + use<> {
        let (rows, cols) = (self.rows, self.cols);
        KNIGHT_MOVES.iter().filter_map(move |&(down, right)| {
            let to = (row.checked_add_signed(down)?, col.checked_add_signed(right)?);
            (to.0 < rows && to.1 < cols).then_some(to)
        })
    }

    /// Returns true if a block tour with these requirements was found.
    pub(super) fn has_block_tour(&mut self, kind: BlockTourKey) -> bool {
        let seed = self.seed;
        self.block_tours.entry(kind).or_insert_with(|| search_block_tour(kind, seed)).is_some()
    }

    /// Writes the tour of a block into the links. Returns false if none was found.
    pub(super) fn lay_block_tour(
        &mut self,
        block: Block,
        ends: Option<(Position, Position)>,
        variant: u64,
    ) -> bool {
        let kind = (block.height, block.width, ends, variant);
        if !self.has_block_tour(kind) {
            return false;
        }
        let Some(Some(tour)) = self.block_tours.get(&kind) else { return false };
        let cols = self.cols;
        let global = |v: u32| {
            let (row, col) = (v as usize / block.width, v as usize % block.width);
            ((block.row + row) * cols + block.col + col) as u32
        };
        let n = tour.len();
        for i in 0..n {
            let here = global(tour[i]) as usize;
            let before = if i > 0 { global(tour[i - 1]) } else { global(tour[n - 1]) };
            let after = if i + 1 < n { global(tour[i + 1]) } else { global(tour[0]) };
            self.links[here] = match (ends, i) {
                (Some(_), 0) => [after, NO_LINK],
                (Some(_), i) if i + 1 == n => [before, NO_LINK],
                _ => [before, after],
            };
        }
        true
    }

    pub(super) fn join_squares(&mut self, a: Position, b: Position) {
        let index = |(row, col): Position| row * self.cols + col;
        let (a, b) = (index(a), index(b));
        for (v, w) in [(a, b), (b, a)] {
            let slot = usize::from(self.links[v][0] != NO_LINK);
            self.links[v][slot] = w as u32;
        }
    }

    /// Lays closed tours of all other blocks and merges everything into one tour. `first` are the blocks laid
    /// before.
    pub(super) fn merge_remaining_blocks(&mut self, tiling: &Tiling, first: &[Position]) -> Option<()> {
        let (height, width) = tiling.block_grid_size();
        let mut seen = vec![false; height * width];
        let mut queue: VecDeque<Position> = first.iter().copied().collect();
        for &(i, j) in first {
            seen[i * width + j] = true;
        }
        while let Some(at) = queue.pop_front() {
            for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let (Some(i), Some(j)) = (at.0.checked_add_signed(down), at.1.checked_add_signed(right))
                else {
                    continue;
                };
                if i >= height || j >= width || std::mem::replace(&mut seen[i * width + j], true) {
                    continue;
                }
                let (old, new) = (tiling.block(at), tiling.block((i, j)));
                // If no variant can be merged here, the block may still merge with another neighbour.
                let first = self.rng.below(CYCLE_VARIANTS);
                let merged = (0..CYCLE_VARIANTS).any(|turn| {
                    let variant = ((first + turn) % CYCLE_VARIANTS) as u64;
                    self.lay_block_tour(new, None, variant) && self.merge_block(old, new)
                });
                if merged {
                    queue.push_back((i, j));
                } else {
                    seen[i * width + j] = false;
                }
            }
        }
        seen.into_iter().all(|reached| reached).then_some(())
    }

    /// Merges the closed tour of the block `new` into the path or cycle through the block `old`.
    fn merge_block(&mut self, old: Block, new: Block) -> bool {
        let near = |a: usize, low: usize, len: usize| a + 2 >= low && a < low + len + 2;
        for (row, col) in rectangle_positions(new.height, new.width).map(|(r, c)| (r + new.row, c + new.col))
        {
            if !near(row, old.row, old.height) || !near(col, old.col, old.width) {
                continue;
            }
            let c = (row * self.cols + col) as u32;
            for (r, k) in self.moves_from((row, col)) {
                if !old.contains(r, k) {
                    continue;
                }
                let a = (r * self.cols + k) as u32;
                for b in self.links[a as usize] {
                    for d in self.links[c as usize] {
                        if b != NO_LINK && d != NO_LINK && self.is_move(b, d) {
                            replace_link(&mut self.links, a, b, c);
                            replace_link(&mut self.links, b, a, d);
                            replace_link(&mut self.links, c, d, a);
                            replace_link(&mut self.links, d, c, b);
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    fn is_move(&self, v: u32, w: u32) -> bool {
        let cols = self.cols as u32;
        let (down, right) = ((v / cols).abs_diff(w / cols), (v % cols).abs_diff(w % cols));
        down * right == 2
    }
}

/// Returns the positions of a rectangle, row by row.
pub(super) fn rectangle_positions(height: usize, width: usize) -> impl Iterator<Item = Position> {
    (0..height).flat_map(move |row| (0..width).map(move |col| (row, col)))
}

/// Converts a position on the board to one within its block.
pub(super) fn position_in_block(block: Block, (row, col): Position) -> Position {
    (row - block.row, col - block.col)
}

fn search_block_tour((height, width, ends, variant): BlockTourKey, seed: u64) -> Option<Vec<u32>> {
    let board = Rectangle::new(u16::try_from(height).ok()?, u16::try_from(width).ok()?).ok()?;
    let graph = Graph::from_leaper(&board, Leaper::KNIGHT);
    let index = |(row, col): Position| row * width + col;
    let want = TourGoal {
        closed: ends.is_none(),
        start: ends.map(|ends| index(ends.0)),
        end: ends.map(|ends| index(ends.1)),
        open: false,
    };
    match solve(&graph, want, seed ^ variant << 48, MAX_BLOCK_DECISIONS) {
        SearchOutcome::Tour(tour) => Some(tour),
        _ => None,
    }
}
