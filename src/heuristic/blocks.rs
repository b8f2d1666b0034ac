//! Tours of large boards in linear time: tours of small blocks, merged.
//!
//! The board is cut into blocks (`block_tiling`). Each block gets a closed tour. A block with an odd number
//! of squares or with a requested end gets a path. Then neighbouring tours merge by exchanging two moves for
//! two, along a tree of neighbouring blocks, until one tour is left. A path between two distant ends runs
//! through a chain of blocks: each of these has a path from its entry to its exit.
//!
//! ```text
//! +---+---+---+---+
//! | o-|-o-|-o | o |     s, t   ends; their chain of blocks is one path
//! +-|-+---+-|-+-|-+     o      closed tours
//! | s===========o |     -, |   merges, each of two tours into one
//! +-|-+---+-|-+-"-+
//! | o | o-|-o | t |
//! +---+---+---+---+
//! ```
//!
//! The tours of blocks are not a table: each is searched for when first needed and then cached; a board has a
//! handful of different blocks. Time O(squares), memory 12 bytes a square in addition to the result.
//!
//! Source: the divide and conquer of Parberry (1997), Lin and Wei (2005), Cull and De Curtins (1978), Conrad,
//! Hindrichs, Morsy and Wegener (1994). Their blocks are fixed tables; these are searched for.

use crate::random::Random;

use super::links::{NO_LINK, follow_links};
use super::solve::TourGoal;
use super::tiling::{Block, Tiling};
use super::weave::{BlockBoard, Position, position_in_block, rectangle_positions};

/// Tilings tried before giving up.
const MAX_TILINGS: u64 = 40;

/// Builds a knight's tour of a board with both sides at least 5; squares are numbered `row * cols + col`. The
/// goal may be a cycle, or a path with any ends fixed; its field `open` is ignored. Returns `None` if all
/// attempts failed.
///
/// # Panics
/// If a side is shorter than 5.
#[must_use]
pub fn build_block_tour(rows: usize, cols: usize, want: TourGoal, seed: u64) -> Option<Vec<u32>> {
    assert!(rows >= 5 && cols >= 5, "{rows}x{cols} is too narrow for blocks");
    let mut weave = BlockBoard::new(rows, cols, seed);
    (0..MAX_TILINGS).find_map(|attempt| {
        if attempt > 0 {
            weave.clear(attempt);
        }
        weave.try_tiling(want, attempt)
    })
}

impl BlockBoard {
    fn try_tiling(&mut self, want: TourGoal, attempt: u64) -> Option<Vec<u32>> {
        let place = |square: usize| (square / self.cols, square % self.cols);
        let (start, end) = match (want.start, want.end) {
            (None, Some(end)) => (Some(end), None),
            other => other,
        };
        let (from, to) = (start.map(place), end.map(place));
        let tiling = Tiling::new((self.rows, self.cols), from, attempt, &mut self.rng);
        let first = match (from, to) {
            _ if want.closed => self.lay_cycle(&tiling, (0, 0))?,
            (Some(from), Some(to)) => self.lay_chain(&tiling, from, to)?,
            _ => match tiling.odd_block() {
                Some(at) => self.lay_path_from(&tiling, at, from)?,
                None => self.lay_cycle(&tiling, from.map_or((0, 0), |from| tiling.block_containing(from)))?,
            },
        };
        self.merge_remaining_blocks(&tiling, &first)?;
        let begin = match start {
            Some(start) => start,
            None => (0..self.links.len()).find(|&v| self.links[v][1] == NO_LINK).unwrap_or(0),
        };
        let mut tour = follow_links(&self.links, begin);
        if tour.len() != self.links.len() {
            return None;
        }
        if want.start.is_none() && want.end.is_some() {
            // The path was built from its end.
            tour.reverse();
        }
        Some(tour)
    }

    /// Lays a closed tour of one block. Returns that block.
    fn lay_cycle(&mut self, tiling: &Tiling, at: Position) -> Option<Vec<Position>> {
        self.lay_block_tour(tiling.block(at), None, 0).then(|| vec![at])
    }

    /// Lays a path of one block from the given square, or from any square, to any square. Returns that block.
    fn lay_path_from(
        &mut self,
        tiling: &Tiling,
        at: Position,
        from: Option<Position>,
    ) -> Option<Vec<Position>> {
        let block = tiling.block(at);
        if from.is_some_and(|(row, col)| !block.contains(row, col)) {
            return None;
        }
        let from = from.map_or((0, 0), |(row, col)| (row - block.row, col - block.col));
        let mut ends: Vec<Position> = rectangle_positions(block.height, block.width)
            .filter(|&to| to != from && (to.0 + to.1) % 2 == (from.0 + from.1) % 2)
            .collect();
        self.rng.shuffle(&mut ends);
        ends.into_iter().find(|&to| self.lay_block_tour(block, Some((from, to)), 0)).map(|_| vec![at])
    }

    /// Lays a path from one square to another through a chain of blocks. Returns these blocks.
    fn lay_chain(&mut self, tiling: &Tiling, from: Position, to: Position) -> Option<Vec<Position>> {
        let (mut at, last) = (tiling.block_containing(from), tiling.block_containing(to));
        if tiling.odd_block().is_some_and(|odd| odd != at) {
            return None;
        }
        let mut used = vec![at];
        let mut entry = from;
        let rows_first = self.rng.below(2) == 0;
        while at != last {
            let next = next_block(at, last, rows_first);
            let (block, beyond) = (tiling.block(at), tiling.block(next));
            let goal = (next == last).then_some(to);
            let (exit, landing) = self.find_exit(block, entry, beyond, goal)?;
            self.lay_block_tour(
                block,
                Some((position_in_block(block, entry), position_in_block(block, exit))),
                0,
            );
            self.join_squares(exit, landing);
            (entry, at) = (landing, next);
            used.push(at);
        }
        let block = tiling.block(at);
        self.lay_block_tour(block, Some((position_in_block(block, entry), position_in_block(block, to))), 0)
            .then_some(used)
    }

    /// Returns an exit from a block entered at `entry`: the last square in it and the first square beyond.
    fn find_exit(
        &mut self,
        block: Block,
        entry: Position,
        beyond: Block,
        goal: Option<Position>,
    ) -> Option<(Position, Position)> {
        let parity = (entry.0 + entry.1 + usize::from(!block.is_odd())) % 2;
        // The order depends only on the size of the block, so that long chains repeat and need few searches.
        let mut exits: Vec<Position> = rectangle_positions(block.height, block.width)
            .map(|(row, col)| (row + block.row, col + block.col))
            .filter(|&exit| exit != entry && (exit.0 + exit.1) % 2 == parity)
            .collect();
        Random::new(self.seed).shuffle(&mut exits);
        for exit in exits {
            let landings: Vec<Position> =
                self.moves_from(exit).filter(|&(row, col)| beyond.contains(row, col)).collect();
            for landing in landings {
                let kind = (
                    block.height,
                    block.width,
                    Some((position_in_block(block, entry), position_in_block(block, exit))),
                    0,
                );
                if goal == Some(landing) || !self.has_block_tour(kind) {
                    continue;
                }
                let last = goal.map(|to| (position_in_block(beyond, landing), position_in_block(beyond, to)));
                if last.is_none() || self.has_block_tour((beyond.height, beyond.width, last, 0)) {
                    return Some((exit, landing));
                }
            }
        }
        None
    }
}

/// Returns the next block on the way from `at` to `goal`.
fn next_block(at: Position, goal: Position, rows_first: bool) -> Position {
    let step = |a: usize, b: usize| if a < b { a + 1 } else { a - 1 };
    if at.0 != goal.0 && (rows_first || at.1 == goal.1) {
        (step(at.0, goal.0), at.1)
    } else {
        (at.0, step(at.1, goal.1))
    }
}
