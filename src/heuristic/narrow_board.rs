//! Tours of narrow boards of any length, decided exactly: the knight on 3 to 5 rows.
//!
//! The board is swept square by square, column after column. The *frontier* is the state of the
//! squares of the next two columns: whether a square has no move yet, two moves or one move. For a
//! square with one move, the frontier also holds the other end of its partial path. There are few
//! frontiers (some hundreds on 3 rows, thousands on 4), so all are stored, each with one way to
//! reach it:
//!
//! ```text
//! swept  | frontier  | not reached
//! # # # #| .  2  1-. | .  .  .     . no move yet     2 has both moves
//! # # # #| 1-----1 | | .  .  .     1 end of a partial path, whose other end is ...
//! # # # #| .  2 (1)-' .  .  .
//! ```
//!
//! If no frontier is left at the end, no tour exists: a proof. If the set of frontiers repeats from
//! one column to a later one, the columns between repeat for ever; they are computed once and used
//! as often as the length requires. So the time is a constant for the number of rows, plus
//! O(squares) to write the tour.
//!
//! Source: frontier dynamic programming as in Knuth, TAOCP 4A, 7.1.4; the repetition is the finite
//! automaton of a board of fixed width.

use super::cycle_search::SearchOutcome;
use crate::board::Rectangle;
use crate::tour::{Kind, TourSpec};

/// Greatest number of rows that the key of a frontier can hold.
pub const MAX_ROWS: usize = 5;

/// Code of a square that has both its moves.
const SATURATED: u8 = 14;
/// Code of a path end whose other end is an end of the tour.
const TOUR_END_MATE: u8 = 15;
/// Bit of a frontier's key that is set if the tour is complete.
const COMPLETE_FLAG: u64 = 1 << 62;
/// Index of the lowest key bit of the number of tour ends chosen so far, without the fixed ends.
const FREE_ENDS_SHIFT: u32 = 60;

/// The keys of the frontiers (states of the sweep) after one square, ascending, and the origin of
/// each frontier.
#[derive(Debug, Default)]
struct Layer {
    keys: Vec<u64>,
    /// For each frontier, the index of its predecessor in the previous layer, and the choice of
    /// moves that leads to it.
    origins: Vec<(u32, u8)>,
}

/// One column of the sweep: the frontiers before its first square and after each of its squares.
#[derive(Debug)]
struct Column {
    before: Vec<u64>,
    layers: Vec<Layer>,
}

struct NarrowBoard {
    is_closed: bool,
    rows: usize,
    cols: usize,
    /// Number of squares in the frontier, the current square included.
    frontier_len: usize,
    fixed_ends: [Option<usize>; 2],
    free_ends: u64,
}

/// Returns a knight's tour of a full rectangle, or the proof that none exists. The rectangle stands upright:
/// its files are the rows of the sweep, and its ranks the columns. Open tours are sought like paths, so that
/// the tour may be re-entrant. A fixed start of closed tours is ignored.
///
/// # Panics
/// If there are more than [`MAX_ROWS`] files or fewer than 3 squares.
#[must_use]
pub fn solve_narrow_board(board: &Rectangle, tours: &TourSpec) -> SearchOutcome {
    let (rows, cols) = (usize::from(board.cols()), usize::from(board.rows()));
    assert!(rows <= MAX_ROWS && rows * cols >= 3, "{board} is not a narrow board");
    let is_closed = tours.kind() == Kind::Closed;
    let fixed_ends = if is_closed { [None; 2] } else { [tours.start(), tours.end()] };
    let strip = NarrowBoard {
        is_closed,
        rows,
        cols,
        frontier_len: 2 * rows + 2,
        fixed_ends: fixed_ends.map(|end| end.map(|v| v as usize)),
        free_ends: if is_closed { 0 } else { fixed_ends.iter().filter(|end| end.is_none()).count() as u64 },
    };
    match strip.sweep() {
        Some((columns, plan)) => SearchOutcome::Tour(strip.read_tour(&columns, &plan)),
        None => SearchOutcome::Impossible,
    }
}

impl NarrowBoard {
    /// Sweeps the board. Returns the computed columns and, for each column of the board, the index
    /// of the computed column that it equals. Returns `None` if no tour exists.
    fn sweep(&self) -> Option<(Vec<Column>, Vec<u32>)> {
        let mut columns: Vec<Column> = Vec::new();
        let mut plan: Vec<u32> = Vec::with_capacity(self.cols);
        let mut now = vec![self.initial_key()];
        // Index of the first computed column of the present run of equal board columns.
        let mut equal_columns_start = 0;
        while plan.len() < self.cols {
            let col = plan.len();
            let next_special = self.next_special_column(col);
            if next_special > col {
                let earlier = (equal_columns_start..columns.len()).find(|&i| columns[i].before == now);
                if let Some(first) = earlier {
                    let period = columns.len() - first;
                    let skip = next_special - col;
                    plan.extend((0..skip).map(|i| (first + i % period) as u32));
                    let offset = skip % period;
                    now = columns[first + offset].before.clone();
                    equal_columns_start = columns.len();
                    continue;
                }
            }
            let column = self.sweep_column(now, col);
            now = column.layers.last()?.keys.clone();
            if now.is_empty() {
                return None;
            }
            plan.push(columns.len() as u32);
            columns.push(column);
            if next_special == col {
                equal_columns_start = columns.len();
            }
        }
        (now.last()? & COMPLETE_FLAG != 0).then_some((columns, plan))
    }

    /// Returns the first column, from `col` on, that differs from the other columns because it has
    /// a fixed end or is near the right side.
    fn next_special_column(&self, col: usize) -> usize {
        let pinned = self.fixed_ends.iter().flatten().map(|square| square / self.rows);
        pinned.filter(|&c| c >= col).chain([self.cols.saturating_sub(2).max(col)]).min().unwrap_or(col)
    }

    /// Returns the key of the frontier before the first square, in which no square has a move.
    fn initial_key(&self) -> u64 {
        (0..self.frontier_len).fold(0, |key, i| key | (i as u64) << (4 * i))
    }

    fn sweep_column(&self, before: Vec<u64>, col: usize) -> Column {
        let mut layers: Vec<Layer> = Vec::with_capacity(self.rows);
        for row in 0..self.rows {
            let keys = layers.last().map_or(&before, |layer| &layer.keys);
            let mut found: Vec<(u64, u32, u8)> = Vec::with_capacity(2 * keys.len());
            for (i, &key) in keys.iter().enumerate() {
                self.for_each_successor(key, col, row, |key, choice| found.push((key, i as u32, choice)));
            }
            found.sort_unstable();
            found.dedup_by_key(|entry| entry.0);
            layers.push(Layer {
                keys: found.iter().map(|entry| entry.0).collect(),
                origins: found.iter().map(|entry| (entry.1, entry.2)).collect(),
            });
        }
        Column { before, layers }
    }

    /// Returns the squares after (`col`, `row`) in the sweep that a knight's move reaches, as
    /// distances in the sweep, and the number of these squares.
    fn forward_moves(&self, col: usize, row: usize) -> ([usize; 4], usize) {
        let mut reach = [0; 4];
        let mut len = 0;
        for (right, down) in [(1, -2), (1, 2), (2, -1), (2, 1)] {
            let to = row as isize + down;
            if col + right < self.cols && (0..self.rows as isize).contains(&to) {
                reach[len] = (right * self.rows).wrapping_add_signed(down);
                len += 1;
            }
        }
        (reach, len)
    }

    /// Calls `found` with the key of every frontier that follows the frontier `key`, and with the
    /// choice of moves of the square (`col`, `row`) that leads to it. A choice has a bit for each
    /// forward move.
    fn for_each_successor(&self, key: u64, col: usize, row: usize, mut found: impl FnMut(u64, u8)) {
        let square = col * self.rows + row;
        let mut codes = [SATURATED; 16];
        for (i, code) in codes.iter_mut().enumerate().take(self.frontier_len) {
            *code = (key >> (4 * i) & 15) as u8;
        }
        let used = key >> FREE_ENDS_SHIFT & 3;
        let flag = key & COMPLETE_FLAG;
        let pinned = self.fixed_ends.contains(&Some(square));
        let (reach, len) = self.forward_moves(col, row);
        for is_end in [false, true] {
            if if is_end { !pinned && used == self.free_ends } else { pinned } {
                continue;
            }
            let mut base = codes;
            let mut closing = false;
            if is_end {
                match base[0] {
                    SATURATED => continue,
                    0 => base[0] = TOUR_END_MATE,
                    TOUR_END_MATE => (base[0], closing) = (SATURATED, true),
                    far => (base[far as usize], base[0]) = (TOUR_END_MATE, SATURATED),
                }
            }
            let missing = match base[0] {
                SATURATED => 0,
                0 => 2,
                _ => 1,
            };
            let used = used + u64::from(is_end && !pinned);
            for choice in 0..1u8 << len {
                if choice.count_ones() != missing {
                    continue;
                }
                let mut after = base;
                let mut shut = closing;
                let legal = (0..len)
                    .filter(|i| choice >> i & 1 == 1)
                    .all(|i| join_squares(&mut after, reach[i], &mut shut));
                if legal && (!shut || self.is_all_saturated(&after, square)) {
                    let flag = if shut { COMPLETE_FLAG } else { flag };
                    found(self.shift_key(&after) | used << FREE_ENDS_SHIFT | flag, choice);
                }
            }
        }
    }

    /// Returns true if every square after `square` has both its moves.
    fn is_all_saturated(&self, codes: &[u8; 16], square: usize) -> bool {
        let left = self.rows * self.cols - square;
        left <= self.frontier_len && codes[1..left].iter().all(|&code| code == SATURATED)
    }

    /// Returns the key of the frontier with the given codes, shifted by one square.
    fn shift_key(&self, codes: &[u8; 16]) -> u64 {
        let mut key = (self.frontier_len as u64 - 1) << (4 * (self.frontier_len - 1));
        for (i, &code) in codes.iter().enumerate().take(self.frontier_len).skip(1) {
            let code = if code < SATURATED { code - 1 } else { code };
            key |= u64::from(code) << (4 * (i - 1));
        }
        key
    }

    /// Traces the choices backwards from the last square, and returns the tour that they give.
    fn read_tour(&self, columns: &[Column], plan: &[u32]) -> Vec<u32> {
        let n = self.rows * self.cols;
        let mut links: Vec<[u32; 2]> = vec![[u32::MAX; 2]; n];
        let mut add = |v: usize, w: usize| {
            let slot = usize::from(links[v][0] != u32::MAX);
            links[v][slot] = w as u32;
        };
        let last = |layer: &Layer| layer.keys.len() - 1;
        let mut state = plan.last().and_then(|&c| columns[c as usize].layers.last()).map_or(0, last);
        for col in (0..self.cols).rev() {
            for row in (0..self.rows).rev() {
                let (parent, choice) = columns[plan[col] as usize].layers[row].origins[state];
                state = parent as usize;
                let square = col * self.rows + row;
                let (reach, len) = self.forward_moves(col, row);
                for distance in (0..len).filter(|i| choice >> i & 1 == 1).map(|i| reach[i]) {
                    add(square, square + distance);
                    add(square + distance, square);
                }
            }
        }
        let is_end = |v: usize| links[v][1] == u32::MAX;
        let start = match self.fixed_ends {
            [Some(start), _] => start,
            [None, end] if !self.is_closed => (0..n).find(|&v| is_end(v) && Some(v) != end).unwrap_or(0),
            _ => 0,
        };
        super::block_tour::follow_links(&links, start)
    }
}

/// Joins the current square to the square at the distance `to` in the sweep. Returns false if this
/// join is not allowed. Sets `is_completed` if the move completes a path that cannot grow any more.
fn join_squares(codes: &mut [u8; 16], to: usize, is_completed: &mut bool) -> bool {
    let (here, there) = (codes[0], codes[to]);
    if there == SATURATED || here == SATURATED || *is_completed {
        return false;
    }
    codes[0] = SATURATED;
    codes[to] = SATURATED;
    if usize::from(here) == to || (here == TOUR_END_MATE && there == TOUR_END_MATE) {
        *is_completed = true;
        return true;
    }
    if here != TOUR_END_MATE {
        codes[usize::from(here)] = there;
    }
    if there != TOUR_END_MATE {
        codes[usize::from(there)] = here;
    }
    true
}
