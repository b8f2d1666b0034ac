//! Tours of large boards in linear time, with or without holes: tours of small blocks, merged into
//! one tour.
//!
//! # Boards without holes
//!
//! The board is cut into blocks (`block_tiling`). Each block gets a closed tour. A block with an
//! odd number of squares or with a requested end gets a path. Then the tours of neighbouring blocks
//! are merged, along a tree of neighbouring blocks, until one tour is left. A path between two
//! distant ends runs through a chain of blocks: each block of the chain has a path from its entry
//! to its exit.
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
//! The tours of blocks are not read from a table. `BlockBoard` searches for the tour of a block
//! when it is first needed, and then caches it, because a board has a handful of different blocks.
//! Time O(squares), memory 12 bytes a square in addition to the result.
//!
//! Source: the divide and conquer of Parberry (1997), Lin and Wei (2005), Cull and De Curtins
//! (1978), Conrad, Hindrichs, Morsy and Wegener (1994). Their blocks are fixed tables; the blocks
//! here are searched for.
//!
//! # Links and merges
//!
//! A tour under construction is stored as links: for each square, the one or two squares to which
//! it is joined. Memory: eight bytes a square. Two cycles merge by exchanging two moves for two:
//!
//! ```text
//! a ----- b          a      b
//!             --->   |      |      a-b and c-d are replaced by a-c and b-d
//! c ----- d          c      d
//! ```
//!
//! # Boards with a few holes
//!
//! The board is cut into blocks. The blocks with a hole, with a requested end or with an odd number
//! of squares, and the neighbours of these blocks, form a *region*; corridors of blocks connect its
//! parts. The region is searched as a graph of its own. Every other block has an even number of
//! squares, so the region's colours balance as well as the board's. The other blocks get closed
//! tours, which are merged into the tour of the region.
//!
//! ```text
//! +---+---+---+---+---+
//! | o | R | R | R | o |     x   hole
//! +---+---+---+---+---+     R   region, searched
//! | o | R | x | R | o |     o   closed tours, merged
//! +---+---+---+---+---+
//! ```

use std::collections::{HashMap, VecDeque};

use super::block_tiling::{Block, Tiling};
use super::cycle_search::{SearchOutcome, solve};
use crate::board::{Board, Graph, Leaper, Rectangle, Square, Vertex};
use crate::control::Control;
use crate::random::Random;
use crate::tour::{Kind, TourSpec};

/// Greatest number of tilings that are tried for a board without holes.
const MAX_TILINGS: u64 = 40;

/// Builds one of the knight's tours of a full rectangle with both sides at least 5. Open tours are built like
/// paths, so that the tour may be re-entrant. A fixed start of closed tours is ignored. Returns `None` if all
/// attempts failed.
///
/// # Panics
/// If a side is shorter than 5.
#[must_use]
pub fn build_block_tour(board: &Rectangle, tours: &TourSpec, seed: u64) -> Option<Vec<u32>> {
    let (rows, cols) = (usize::from(board.rows()), usize::from(board.cols()));
    assert!(rows >= 5 && cols >= 5, "{rows}x{cols} is too narrow for blocks");
    let mut weave = BlockBoard::new(rows, cols, seed);
    (0..MAX_TILINGS).find_map(|attempt| {
        if attempt > 0 {
            weave.clear(attempt);
        }
        weave.try_tiling(tours, attempt)
    })
}

impl BlockBoard {
    fn try_tiling(&mut self, tours: &TourSpec, attempt: u64) -> Option<Vec<u32>> {
        let place = |v: Vertex| (v as usize / self.cols, v as usize % self.cols);
        let is_closed = tours.kind() == Kind::Closed;
        // A path with only its end fixed is built from its end.
        let (start, end, reverses) = match (tours.start(), tours.end()) {
            _ if is_closed => (None, None, false),
            (None, Some(end)) => (Some(end), None, true),
            (start, end) => (start, end, false),
        };
        let (from, to) = (start.map(place), end.map(place));
        let tiling = Tiling::new((self.rows, self.cols), from, attempt, &mut self.rng);
        let first = match (from, to) {
            _ if is_closed => self.lay_cycle(&tiling, (0, 0))?,
            (Some(from), Some(to)) => self.lay_chain(&tiling, from, to)?,
            _ => match tiling.odd_block() {
                Some(at) => self.lay_path_from(&tiling, at, from)?,
                None => self.lay_cycle(&tiling, from.map_or((0, 0), |from| tiling.block_containing(from)))?,
            },
        };
        self.merge_remaining_blocks(&tiling, &first)?;
        let begin = match start {
            Some(start) => start as usize,
            None => (0..self.links.len()).find(|&v| self.links[v][1] == NO_LINK).unwrap_or(0),
        };
        let mut tour = follow_links(&self.links, begin);
        if tour.len() != self.links.len() {
            return None;
        }
        if reverses {
            tour.reverse();
        }
        Some(tour)
    }

    /// Lays a closed tour on the block at `at`, its row and column in the grid of blocks. Returns
    /// the list of this one block, or `None` if the block has no known tour.
    fn lay_cycle(&mut self, tiling: &Tiling, at: Position) -> Option<Vec<Position>> {
        self.lay_block_tour(tiling.block(at), None, 0).then(|| vec![at])
    }

    /// Lays a path on the block at `at`, its row and column in the grid of blocks. The path begins
    /// on the square `from` or, by default, on the first square of the block; it may end on any
    /// square. Returns the list of this one block, or `None` if no path was found.
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

    /// Lays a path from the square `from` to the square `to` through a chain of neighbouring
    /// blocks. Returns the blocks of the chain, or `None` if no path was found.
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

    /// Returns two squares that are a move apart, at which a path leaves `block` and enters the
    /// block `beyond`. The path enters `block` at the square `entry`. If it ends in `beyond`,
    /// `goal` is its last square.
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

/// Returns the next block on the way from the block `at` to the block `goal`, along rows and
/// columns of the grid of blocks.
fn next_block(at: Position, goal: Position, rows_first: bool) -> Position {
    let step = |a: usize, b: usize| if a < b { a + 1 } else { a - 1 };
    if at.0 != goal.0 && (rows_first || at.1 == goal.1) {
        (step(at.0, goal.0), at.1)
    } else {
        (at.0, step(at.1, goal.1))
    }
}

/// Greatest number of decisions in the search for the tour of one block.
const MAX_BLOCK_DECISIONS: u64 = 20_000;
/// Number of different closed tours of each block size, so that neighbouring blocks need not look
/// alike.
const CYCLE_VARIANTS: usize = 8;
/// The knight's eight moves as (rows, columns).
const KNIGHT_MOVES: [(isize, isize); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Row and column of a square, or of a block in the grid of blocks, from 0.
pub(super) type Position = (usize, usize);

/// Requirements on the tour of a block: height and width of the block in squares, the ends of a
/// path within the block (`None` for a closed tour), and the variant, below [`CYCLE_VARIANTS`] for
/// closed tours.
pub(super) type BlockTourKey = (usize, usize, Option<(Position, Position)>, u64);

/// A board on which the tours of blocks are laid and merged, and the block tours found so far.
#[derive(Debug)]
pub(super) struct BlockBoard {
    pub rows: usize,
    pub cols: usize,
    pub seed: u64,
    pub rng: Random,
    /// For each square, at index `row * cols + col`: the squares to which it is joined. A missing
    /// link is [`NO_LINK`].
    pub links: Vec<[u32; 2]>,
    /// Results of all searches for block tours so far, `None` where a search failed.
    block_tours: HashMap<BlockTourKey, Option<Vec<u32>>>,
}

impl BlockBoard {
    /// Creates a board without tours.
    pub(super) fn new(rows: usize, cols: usize, seed: u64) -> Self {
        let links = vec![[NO_LINK; 2]; rows * cols];
        Self { rows, cols, seed, rng: Random::new(seed), links, block_tours: HashMap::new() }
    }

    /// Removes all tours from the board, for another attempt. In every eighth attempt, also
    /// discards the cached tours of blocks.
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

    /// Returns true if a block tour with these requirements is known. Searches for it at the first
    /// call.
    pub(super) fn has_block_tour(&mut self, kind: BlockTourKey) -> bool {
        let seed = self.seed;
        self.block_tours.entry(kind).or_insert_with(|| search_block_tour(kind, seed)).is_some()
    }

    /// Writes the tour of a block into the links of its squares. Returns false if no such tour was
    /// found.
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

    /// Lays a closed tour on every block that is not in `first`, and merges it with a neighbouring
    /// tour. `first` holds the blocks that already have a tour. Returns `None` if a block could not
    /// be merged.
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
    /// Returns false if no two moves can be exchanged.
    fn merge_block(&mut self, old: Block, new: Block) -> bool {
        let is_within_reach = |a: usize, low: usize, len: usize| a + 2 >= low && a < low + len + 2;
        for (row, col) in rectangle_positions(new.height, new.width).map(|(r, c)| (r + new.row, c + new.col))
        {
            if !is_within_reach(row, old.row, old.height) || !is_within_reach(col, old.col, old.width) {
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

/// Returns the positions (row, column) of the squares of a rectangle, row by row.
pub(super) fn rectangle_positions(height: usize, width: usize) -> impl Iterator<Item = Position> {
    (0..height).flat_map(move |row| (0..width).map(move |col| (row, col)))
}

/// Converts the position of a square on the board to its position within the block.
pub(super) fn position_in_block(block: Block, (row, col): Position) -> Position {
    (row - block.row, col - block.col)
}

fn search_block_tour((height, width, ends, variant): BlockTourKey, seed: u64) -> Option<Vec<u32>> {
    let board = Rectangle::new(u16::try_from(height).ok()?, u16::try_from(width).ok()?).ok()?;
    let index = |(row, col): Position| (row * width + col) as Vertex;
    let kind = if ends.is_some() { Kind::Paths } else { Kind::Closed };
    let (start, end) = (ends.map(|ends| index(ends.0)), ends.map(|ends| index(ends.1)));
    let tours = TourSpec::new(Board::from_leaper(board, Leaper::KNIGHT), kind, start, end).ok()?;
    match solve(&tours, seed ^ variant << 48, MAX_BLOCK_DECISIONS, &Control::new()) {
        SearchOutcome::Tour(tour) => Some(tour),
        _ => None,
    }
}

/// The value of a missing link.
pub(super) const NO_LINK: u32 = u32::MAX;

/// Returns the squares that follow each other along the links, from `start` to the end of the path
/// or, on a cycle, until it returns to `start`.
pub(super) fn follow_links(links: &[[u32; 2]], start: usize) -> Vec<u32> {
    let mut tour = Vec::with_capacity(links.len());
    let (mut before, mut at) = (NO_LINK, start as u32);
    loop {
        tour.push(at);
        let [a, b] = links[at as usize];
        let next = if a == before || a == NO_LINK { b } else { a };
        if next == NO_LINK || next == before || next as usize == start || tour.len() == links.len() {
            return tour;
        }
        (before, at) = (at, next);
    }
}

/// Replaces the link `old` of `square` by the link `new`.
pub(super) fn replace_link(links: &mut [[u32; 2]], square: u32, old: u32, new: u32) {
    for link in &mut links[square as usize] {
        if *link == old {
            *link = new;
            return;
        }
    }
    debug_assert!(false, "{square} is not joined to {old}");
}

/// Greatest number of tilings that are tried for a board with holes.
const MAX_TILINGS_AROUND_HOLES: u64 = 40;
/// Greatest size, in squares, of the region around the holes that is searched as one graph.
const MAX_REGION_SQUARES: usize = 12_000;
/// Number of search decisions allowed for each square of the region around the holes.
const DECISIONS_PER_SQUARE: u64 = 40;

/// Builds one of the knight's tours of a rectangle with holes. The squares of the result are numbered
/// `row * cols + col`, holes included. A fixed start of closed tours is ignored. Returns `None` if a side is
/// shorter than 5 or all attempts failed.
#[must_use]
pub fn build_tour_around_holes(board: &Rectangle, tours: &TourSpec, seed: u64) -> Option<Vec<u32>> {
    let (rows, cols) = (usize::from(board.rows()), usize::from(board.cols()));
    if rows < 5 || cols < 5 {
        return None;
    }
    let position = |square: Square| (usize::from(square.rank()), usize::from(square.file()));
    let holes: Vec<Position> = board.removed().iter().copied().map(position).collect();
    let fixed = if tours.kind() == Kind::Closed { [None; 2] } else { [tours.start(), tours.end()] };
    let ends = fixed.map(|end| end.map(|v| position(board.square(v))));
    let mut weave = BlockBoard::new(rows, cols, seed);
    (0..MAX_TILINGS_AROUND_HOLES).find_map(|attempt| {
        if attempt > 0 {
            weave.clear(attempt);
        }
        weave.try_tiling_around_holes(&holes, tours.kind(), ends, attempt)
    })
}

impl BlockBoard {
    fn try_tiling_around_holes(
        &mut self,
        holes: &[Position],
        kind: Kind,
        ends: [Option<Position>; 2],
        attempt: u64,
    ) -> Option<Vec<u32>> {
        let tiling = Tiling::new((self.rows, self.cols), None, attempt, &mut self.rng);
        let seeds = holes.iter().chain(ends.iter().flatten()).map(|&at| tiling.block_containing(at));
        let seeds: Vec<Position> = seeds.chain(tiling.odd_block()).collect();
        let region = connected_region(&tiling, &seeds);
        self.search_region(&tiling, &region, holes, (kind, ends))?;
        self.merge_remaining_blocks(&tiling, &region)?;
        let cols = self.cols;
        let [start, end] = ends.map(|end| end.map(|(row, col)| row * cols + col));
        let begin = start.or_else(|| {
            let ends =
                (0..self.links.len()).filter(|&v| self.links[v][0] != NO_LINK && self.links[v][1] == NO_LINK);
            ends.into_iter().find(|&v| Some(v) != end)
        });
        let begin = begin.or_else(|| (0..self.links.len()).find(|&v| self.links[v][0] != NO_LINK))?;
        let tour = follow_links(&self.links, begin);
        (tour.len() == self.links.len() - holes.len()).then_some(tour)
    }

    /// Searches for a tour of all blocks of the region as one graph, and stores this tour as links.
    /// Returns `None` if none was found.
    fn search_region(
        &mut self,
        tiling: &Tiling,
        region: &[Position],
        holes: &[Position],
        (kind, ends): (Kind, [Option<Position>; 2]),
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
            let neighbours = self.moves_from(at).map(|(row, col)| number[row * self.cols + col]);
            edges.extend(neighbours.filter(|&w| (w as usize) < squares.len()).map(|w| (v, w as usize)));
        }
        let graph = Graph::from_edges(squares.len(), edges);
        let [start, end] = ends.map(|end| end.map(|(row, col)| number[row * self.cols + col]));
        let inside = TourSpec::new(Board::from_graph(graph), kind, start, end).ok()?;
        let SearchOutcome::Tour(tour) =
            solve(&inside, self.seed, DECISIONS_PER_SQUARE * squares.len() as u64, &Control::new())
        else {
            return None;
        };
        for pair in tour.windows(2) {
            self.join_squares(squares[pair[0] as usize], squares[pair[1] as usize]);
        }
        if let ([first, .., last], Kind::Closed) = (&tour[..], kind) {
            self.join_squares(squares[*last as usize], squares[*first as usize]);
        }
        Some(())
    }
}

/// Returns the blocks of the region, each once: the blocks `seeds`, their neighbours, and corridors
/// of blocks that connect them.
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
