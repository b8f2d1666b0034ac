//! Tours of large boards with a few holes: a search around the holes, merged blocks elsewhere.
//!
//! The board is cut into blocks. The blocks with a hole, with a requested end or with an odd number of
//! squares, and their neighbours, form a *region*; corridors of blocks connect its parts. The region is
//! searched as a graph of its own. Every other block has an even number of squares, so the region's colours
//! balance as well as the board's. The other blocks get closed tours, which are merged into the tour of the
//! region.
//!
//! ```text
//! +---+---+---+---+---+
//! | o | R | R | R | o |     x   hole
//! +---+---+---+---+---+     R   region, searched
//! | o | R | x | R | o |     o   closed tours, merged
//! +---+---+---+---+---+
//! ```

use crate::board::{Graph, Rectangle};

use super::block_tiling::Tiling;
use super::block_tour::{BlockBoard, Position, rectangle_positions};
use super::block_tour::{NO_LINK, follow_links};
use super::cycle_search::{SearchOutcome, TourGoal, solve};

/// Tilings tried before giving up.
const MAX_TILINGS_AROUND_HOLES: u64 = 40;
/// Largest region, in squares.
const MAX_REGION_SQUARES: usize = 12_000;
/// Decisions of the search for each square of the region.
const DECISIONS_PER_SQUARE: u64 = 40;

/// Builds a knight's tour of a board with holes; squares and ends are numbered `row * cols + col`. Returns
/// `None` if a side is shorter than 5 or all attempts failed.
#[must_use]
pub fn build_tour_around_holes(board: &Rectangle, want: TourGoal, seed: u64) -> Option<Vec<u32>> {
    let (rows, cols) = (usize::from(board.rows()), usize::from(board.cols()));
    if rows < 5 || cols < 5 {
        return None;
    }
    let holes: Vec<Position> = board
        .removed()
        .iter()
        .map(|square| (usize::from(square.rank()), usize::from(square.file())))
        .collect();
    let mut weave = BlockBoard::new(rows, cols, seed);
    (0..MAX_TILINGS_AROUND_HOLES).find_map(|attempt| {
        if attempt > 0 {
            weave.clear(attempt);
        }
        weave.try_tiling_around_holes(&holes, want, attempt)
    })
}

impl BlockBoard {
    fn try_tiling_around_holes(
        &mut self,
        holes: &[Position],
        want: TourGoal,
        attempt: u64,
    ) -> Option<Vec<u32>> {
        let place = |v: usize| (v / self.cols, v % self.cols);
        let ends = [want.start.map(place), want.end.map(place)];
        let tiling = Tiling::new((self.rows, self.cols), None, attempt, &mut self.rng);
        let seeds = holes.iter().chain(ends.iter().flatten()).map(|&at| tiling.block_containing(at));
        let seeds: Vec<Position> = seeds.chain(tiling.odd_block()).collect();
        let region = connected_region(&tiling, &seeds);
        self.search_region(&tiling, &region, holes, want)?;
        self.merge_remaining_blocks(&tiling, &region)?;
        let begin = want.start.or_else(|| {
            let ends =
                (0..self.links.len()).filter(|&v| self.links[v][0] != NO_LINK && self.links[v][1] == NO_LINK);
            ends.into_iter().find(|&v| Some(v) != want.end)
        });
        let begin = begin.or_else(|| (0..self.links.len()).find(|&v| self.links[v][0] != NO_LINK))?;
        let tour = follow_links(&self.links, begin);
        (tour.len() == self.links.len() - holes.len()).then_some(tour)
    }

    /// Searches the blocks of the region as one graph and stores the tour as links.
    fn search_region(
        &mut self,
        tiling: &Tiling,
        region: &[Position],
        holes: &[Position],
        want: TourGoal,
    ) -> Option<()> {
        let mut number = vec![NO_LINK; self.rows * self.cols];
        for &(row, col) in holes {
            number[row * self.cols + col] = NO_LINK - 1;
        }
        let mut squares: Vec<Position> = Vec::new();
        for &at in region {
            let block = tiling.block(at);
            for (row, col) in
                rectangle_positions(block.height, block.width).map(|(r, c)| (r + block.row, c + block.col))
            {
                let slot = &mut number[row * self.cols + col];
                if *slot == NO_LINK {
                    *slot = squares.len() as u32;
                    squares.push((row, col));
                }
            }
        }
        if squares.is_empty() || squares.len() > MAX_REGION_SQUARES {
            return None;
        }
        let mut edges = Vec::new();
        for (v, &at) in squares.iter().enumerate() {
            let near = self.moves_from(at).map(|(row, col)| number[row * self.cols + col]);
            edges.extend(near.filter(|&w| (w as usize) < squares.len()).map(|w| (v, w as usize)));
        }
        let graph = Graph::from_edges(squares.len(), edges);
        let inner = |v: Option<usize>| v.map(|v| number[v] as usize);
        let inside = TourGoal { start: inner(want.start), end: inner(want.end), ..want };
        let SearchOutcome::Tour(tour) =
            solve(&graph, inside, self.seed, DECISIONS_PER_SQUARE * squares.len() as u64)
        else {
            return None;
        };
        for pair in tour.windows(2) {
            self.join_squares(squares[pair[0] as usize], squares[pair[1] as usize]);
        }
        if let ([first, .., last], true) = (&tour[..], want.closed) {
            self.join_squares(squares[*last as usize], squares[*first as usize]);
        }
        Some(())
    }
}

/// Returns the blocks around the seeds and the corridors that connect them, each block once.
fn connected_region(tiling: &Tiling, seeds: &[Position]) -> Vec<Position> {
    let (height, width) = tiling.block_grid_size();
    let mut taken = vec![false; height * width];
    let mut region = Vec::new();
    let mut take = |at: Position| {
        if !std::mem::replace(&mut taken[at.0 * width + at.1], true) {
            region.push(at);
        }
    };
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    for (i, &(row, col)) in sorted.iter().enumerate() {
        for r in row.saturating_sub(1)..(row + 2).min(height) {
            for c in col.saturating_sub(1)..(col + 2).min(width) {
                take((r, c));
            }
        }
        // A corridor to the nearest of the earlier seeds.
        let distance = |&(r, c): &Position| r.abs_diff(row) + c.abs_diff(col);
        if let Some(&(r, c)) = sorted[..i].iter().min_by_key(|seed| distance(seed)) {
            (r.min(row)..=r.max(row)).for_each(|r| take((r, col)));
            (c.min(col)..=c.max(col)).for_each(|c| take((r, c)));
        }
    }
    if region.is_empty() {
        region.push((0, 0));
    }
    region
}
