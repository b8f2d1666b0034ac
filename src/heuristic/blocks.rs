//! Tours of large boards in linear time: tours of small blocks, merged.
//!
//! The board is cut into blocks ([`super::layout`]). Each block gets a closed
//! tour; a block whose number of squares is odd, or that holds a wanted end, gets
//! a path. Then neighbouring tours merge by exchanging two moves for two
//! ([`super::links`]), along a tree of neighbouring blocks, until one is left.
//! A path between two ends far apart runs through a chain of blocks, each with a
//! path from where it is entered to where it is left.
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
//! The tours of blocks are not a table: they are found by search when first
//! needed, a handful of kinds a board, and kept. Time O(squares), memory 12 bytes
//! a square besides the answer.
//!
//! Source: the divide and conquer of Parberry (1997), Lin and Wei (2005), Cull
//! and De Curtins (1978), Conrad, Hindrichs, Morsy and Wegener (1994); their
//! blocks are fixed, these are searched for.

use std::collections::{HashMap, VecDeque};

use crate::board::{Board, Graph, Leaper};

use super::layout::{Block, Layout};
use super::links::{NONE, replace, walk};
use super::rng::Rng;
use super::solve::{Solved, Want, solve};

/// Decisions allowed for one block.
const BLOCK_DECISIONS: u64 = 20_000;
/// How often a layout is tried.
const ATTEMPTS: u64 = 40;

/// The eight moves as (rows, columns).
const MOVES: [(isize, isize); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

type Place = (usize, usize);

/// What a block's tour must be: its size and, for a path, the ends within it; closed tours come in [`VARIANTS`].
type Kind = (usize, usize, Option<(Place, Place)>, u64);

/// Closed tours of one size, so that neighbouring blocks need not look alike.
const VARIANTS: usize = 8;

/// A tour of the knight on a board with both sides at least 5, squares numbered `row * cols + col`; `None` if the
/// attempts were in vain. Wanted are a cycle, or a path with any ends named; ends apart are not looked at.
///
/// # Panics
/// If a side is shorter than 5.
#[must_use]
pub fn build(rows: usize, cols: usize, want: Want, seed: u64) -> Option<Vec<u32>> {
    assert!(rows >= 5 && cols >= 5, "{rows}x{cols} is too narrow for blocks");
    let mut library = HashMap::new();
    (0..ATTEMPTS).find_map(|attempt| {
        let mut builder = Builder {
            rows,
            cols,
            rng: Rng::of_trial(seed, attempt),
            seed: seed ^ attempt,
            library: std::mem::take(&mut library),
            links: Vec::new(),
        };
        let tour = builder.attempt(want, attempt);
        if attempt % 8 != 7 {
            library = builder.library;
        }
        tour
    })
}

struct Builder {
    rows: usize,
    cols: usize,
    rng: Rng,
    seed: u64,
    /// Tours of blocks already searched for.
    library: HashMap<Kind, Option<Vec<u32>>>,
    links: Vec<[u32; 2]>,
}

impl Builder {
    fn attempt(&mut self, want: Want, attempt: u64) -> Option<Vec<u32>> {
        let place = |square: usize| (square / self.cols, square % self.cols);
        let (start, end) = match (want.start, want.end) {
            (None, Some(end)) => (Some(end), None),
            other => other,
        };
        let (from, to) = (start.map(place), end.map(place));
        let layout = Layout::new((self.rows, self.cols), from, attempt, &mut self.rng);
        self.links = vec![[NONE; 2]; self.rows * self.cols];
        let first = match (from, to) {
            _ if want.closed => self.cycle(&layout, (0, 0))?,
            (Some(from), Some(to)) => self.chain(&layout, from, to)?,
            _ => match layout.odd_block() {
                Some(at) => self.path_somewhere(&layout, at, from)?,
                None => self.cycle(&layout, from.map_or((0, 0), |from| layout.holding(from)))?,
            },
        };
        self.merge_all(&layout, &first)?;
        let begin = match start {
            Some(start) => start,
            None => (0..self.links.len()).find(|&v| self.links[v][1] == NONE).unwrap_or(0),
        };
        let mut tour = walk(&self.links, begin);
        if tour.len() != self.links.len() {
            return None;
        }
        if want.start.is_none() && want.end.is_some() {
            // It was built from its end.
            tour.reverse();
        }
        Some(tour)
    }

    /// A closed tour of one block.
    fn cycle(&mut self, layout: &Layout, at: Place) -> Option<Vec<Place>> {
        self.lay(layout.block(at), None, 0).then(|| vec![at])
    }

    /// A path of one block from a square in it, or from anywhere, to anywhere.
    fn path_somewhere(&mut self, layout: &Layout, at: Place, from: Option<Place>) -> Option<Vec<Place>> {
        let block = layout.block(at);
        if from.is_some_and(|(row, col)| !block.contains(row, col)) {
            return None;
        }
        let from = from.map_or((0, 0), |(row, col)| (row - block.row, col - block.col));
        let mut ends: Vec<Place> = squares_of(block.height, block.width)
            .filter(|&to| to != from && (to.0 + to.1) % 2 == (from.0 + from.1) % 2)
            .collect();
        self.rng.shuffle(&mut ends);
        ends.into_iter().find(|&to| self.lay(block, Some((from, to)), 0)).map(|_| vec![at])
    }

    /// A path from one square to another through a chain of blocks; the blocks it uses.
    fn chain(&mut self, layout: &Layout, from: Place, to: Place) -> Option<Vec<Place>> {
        let (mut at, last) = (layout.holding(from), layout.holding(to));
        if layout.odd_block().is_some_and(|odd| odd != at) {
            return None;
        }
        let mut used = vec![at];
        let mut entry = from;
        let rows_first = self.rng.below(2) == 0;
        while at != last {
            let next = towards(at, last, rows_first);
            let (block, beyond) = (layout.block(at), layout.block(next));
            let goal = (next == last).then_some(to);
            let (exit, landing) = self.gate(block, entry, beyond, goal)?;
            self.lay(block, Some((within(block, entry), within(block, exit))), 0);
            self.join(exit, landing);
            (entry, at) = (landing, next);
            used.push(at);
        }
        let block = layout.block(at);
        self.lay(block, Some((within(block, entry), within(block, to))), 0).then_some(used)
    }

    /// A way out of a block that was entered at `entry`: the last square and the first one beyond.
    fn gate(
        &mut self,
        block: Block,
        entry: Place,
        beyond: Block,
        goal: Option<Place>,
    ) -> Option<(Place, Place)> {
        let parity = (entry.0 + entry.1 + usize::from(!block.is_odd())) % 2;
        // The order depends on the block's kind alone, so that long chains repeat and need few searches.
        let mut exits: Vec<Place> = squares_of(block.height, block.width)
            .map(|(row, col)| (row + block.row, col + block.col))
            .filter(|&exit| exit != entry && (exit.0 + exit.1) % 2 == parity)
            .collect();
        Rng::new(self.seed).shuffle(&mut exits);
        for exit in exits {
            let landings: Vec<Place> =
                self.moves_from(exit).filter(|&(row, col)| beyond.contains(row, col)).collect();
            for landing in landings {
                let kind = (block.height, block.width, Some((within(block, entry), within(block, exit))), 0);
                if goal == Some(landing) || !self.has(kind) {
                    continue;
                }
                let last = goal.map(|to| (within(beyond, landing), within(beyond, to)));
                if last.is_none() || self.has((beyond.height, beyond.width, last, 0)) {
                    return Some((exit, landing));
                }
            }
        }
        None
    }

    fn moves_from(&self, (row, col): Place) -> impl Iterator<Item = Place> + use<> {
        let (rows, cols) = (self.rows, self.cols);
        MOVES.iter().filter_map(move |&(down, right)| {
            let to = (row.checked_add_signed(down)?, col.checked_add_signed(right)?);
            (to.0 < rows && to.1 < cols).then_some(to)
        })
    }

    /// Whether there is a tour of this kind.
    fn has(&mut self, kind: Kind) -> bool {
        let seed = self.seed;
        self.library.entry(kind).or_insert_with(|| search(kind, seed)).is_some()
    }

    /// Writes a block's tour into the links; whether there is one.
    fn lay(&mut self, block: Block, ends: Option<(Place, Place)>, variant: u64) -> bool {
        let kind = (block.height, block.width, ends, variant);
        if !self.has(kind) {
            return false;
        }
        let Some(Some(tour)) = self.library.get(&kind) else { return false };
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
                (Some(_), 0) => [after, NONE],
                (Some(_), i) if i + 1 == n => [before, NONE],
                _ => [before, after],
            };
        }
        true
    }

    fn join(&mut self, a: Place, b: Place) {
        let index = |(row, col): Place| row * self.cols + col;
        let (a, b) = (index(a), index(b));
        for (v, w) in [(a, b), (b, a)] {
            let slot = usize::from(self.links[v][0] != NONE);
            self.links[v][slot] = w as u32;
        }
    }

    /// Gives all other blocks their closed tours and merges everything into one.
    fn merge_all(&mut self, layout: &Layout, first: &[Place]) -> Option<()> {
        let (height, width) = layout.size();
        let mut seen = vec![false; height * width];
        let mut queue: VecDeque<Place> = first.iter().copied().collect();
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
                let (old, new) = (layout.block(at), layout.block((i, j)));
                // Should no variant have an exchange here, another neighbour may have one.
                let first = self.rng.below(VARIANTS);
                let merged = (0..VARIANTS).any(|turn| {
                    let variant = ((first + turn) % VARIANTS) as u64;
                    self.lay(new, None, variant) && self.merge(old, new)
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

    /// Merges the closed tour of the block `new` into what runs through the block `old`.
    fn merge(&mut self, old: Block, new: Block) -> bool {
        let near = |a: usize, low: usize, len: usize| a + 2 >= low && a < low + len + 2;
        for (row, col) in squares_of(new.height, new.width).map(|(r, c)| (r + new.row, c + new.col)) {
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
                        if b != NONE && d != NONE && self.is_move(b, d) {
                            replace(&mut self.links, a, b, c);
                            replace(&mut self.links, b, a, d);
                            replace(&mut self.links, c, d, a);
                            replace(&mut self.links, d, c, b);
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

fn squares_of(height: usize, width: usize) -> impl Iterator<Item = Place> {
    (0..height).flat_map(move |row| (0..width).map(move |col| (row, col)))
}

fn within(block: Block, (row, col): Place) -> Place {
    (row - block.row, col - block.col)
}

/// The next block on the way.
fn towards(at: Place, goal: Place, rows_first: bool) -> Place {
    let step = |a: usize, b: usize| if a < b { a + 1 } else { a - 1 };
    if at.0 != goal.0 && (rows_first || at.1 == goal.1) {
        (step(at.0, goal.0), at.1)
    } else {
        (at.0, step(at.1, goal.1))
    }
}

fn search((height, width, ends, variant): Kind, seed: u64) -> Option<Vec<u32>> {
    let board = Board::new(u16::try_from(height).ok()?, u16::try_from(width).ok()?).ok()?;
    let graph = Graph::new(&board, Leaper::KNIGHT);
    let index = |(row, col): Place| row * width + col;
    let want = Want {
        closed: ends.is_none(),
        start: ends.map(|ends| index(ends.0)),
        end: ends.map(|ends| index(ends.1)),
        apart: false,
    };
    match solve(&graph, want, seed ^ variant << 48, BLOCK_DECISIONS) {
        Solved::Tour(tour) => Some(tour),
        _ => None,
    }
}
