//! Tours with numbered squares: all ways to complete a grid in which some squares have their number in
//! the tour, as in number puzzles.
//!
//! ```text
//!  1  .  .  6      a gap is a pair of consecutive numbers with free squares between them:
//!  .  .  3  .      1..3 has one, 3..6 has two; a tail leads from the first number down to 1,
//!  .  .  .  .      or from the last up to the number of squares
//! ```
//!
//! The search fills all gaps at once, from both of their ends. It places a square next to the end with the
//! fewest possible squares. A square is possible if it is free, a move leads to it, and the moves that are left
//! in the gap can reach the other end. A node has no completion if
//!
//! - an end has no possible square, or the moves of a gap cannot lead from one end to the other: they are too
//!   few, or the colours do not fit;
//! - no gap can contain a free square, for the same reasons;
//! - more free squares than tails have fewer than two neighbours that are free or ends.
//!
//! A completion is a path of numbered squares. It is a completion as a closed tour, too, if a move joins the
//! last square and the first.
//!
//! Cost: about a microsecond a node. On 8x8, a puzzle with one completion takes milliseconds with 16 numbers and
//! seconds with 12; with eight numbers in random places there are thousands of completions, which take hours.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::bitboard_graph::MAX_SQUARES;
use super::unit_runner::Stopped;
use crate::board::{Board, Vertex};
use crate::control::Control;
use crate::tour::{Kind, TourSpec};

/// Least number of nodes into which a count is divided.
const MIN_PARTS: usize = 256;

/// Number of nodes between two tests for cancellation.
const POLL_NODES: u64 = 1 << 10;

/// The reason why squares cannot have these numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberedSquaresError {
    /// No square has a number.
    #[error("no square has a number; number at least one")]
    Empty,
    /// A number that no square can have.
    #[error("there is no number {number}; the squares have numbers from 1 to {len}")]
    OutOfRange {
        /// The number.
        number: u32,
        /// Number of squares of the board.
        len: usize,
    },
    /// Two squares with one number. The fields hold the number and the names of the squares.
    #[error("{0} is the number of two squares, {1} and {2}")]
    RepeatedNumber(u32, String, String),
    /// A square with two numbers. The fields hold its name and the numbers.
    #[error("{0} has two numbers, {1} and {2}")]
    RepeatedSquare(String, u32, u32),
    /// A board with more squares than a search takes.
    #[error("{0}; numbered squares are possible on at most {MAX_SQUARES}")]
    TooLarge(String),
}

/// Tours of which some squares have given numbers, counted from 1.
#[derive(Clone, Debug)]
pub struct NumberedSquares {
    tours: TourSpec,
    /// Numbers and squares, by ascending numbers.
    numbers: Vec<(u32, Vertex)>,
}

/// Numbers of completions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompletionCounts {
    /// Number of all completions.
    pub paths: BigUint,
    /// Number of completions whose last square is a move from the first.
    pub closed: BigUint,
}

impl NumberedSquares {
    /// Creates the tours of `tours` that visit the squares of `numbers` at their numbers. A fixed start has the
    /// number 1, and a fixed end the last number.
    ///
    /// # Errors
    /// See [`NumberedSquaresError`].
    ///
    /// # Panics
    /// If a square is not a vertex of the board.
    pub fn new(
        tours: &TourSpec,
        numbers: impl IntoIterator<Item = (u32, Vertex)>,
    ) -> Result<Self, NumberedSquaresError> {
        let board = tours.board();
        let len = board.len();
        if len > MAX_SQUARES {
            return Err(NumberedSquaresError::TooLarge(board.size_clause()));
        }
        let ends = [(1, tours.start()), (len as u32, tours.end())];
        let ends = ends.into_iter().filter_map(|(number, end)| Some((number, end?)));
        let mut all: Vec<(u32, Vertex)> = numbers.into_iter().chain(ends).collect();
        all.sort_unstable();
        all.dedup();
        if let Some(&(number, _)) = all.iter().find(|&&(number, _)| !(1..=len as u32).contains(&number)) {
            return Err(NumberedSquaresError::OutOfRange { number, len });
        }
        if let Some(pair) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let [(number, v), (_, w)] = [pair[0], pair[1]];
            return Err(NumberedSquaresError::RepeatedNumber(number, board.name(v), board.name(w)));
        }
        for (i, &(number, v)) in all.iter().enumerate() {
            if let Some(&(first, _)) = all[..i].iter().find(|one| one.1 == v) {
                return Err(NumberedSquaresError::RepeatedSquare(board.name(v), first, number));
            }
        }
        if all.is_empty() {
            return Err(NumberedSquaresError::Empty);
        }
        Ok(Self { tours: tours.clone(), numbers: all })
    }

    /// Returns the tours without regard to their numbers.
    #[must_use]
    pub const fn tours(&self) -> &TourSpec {
        &self.tours
    }

    /// Returns the numbers and their squares, by ascending numbers.
    #[must_use]
    pub fn numbers(&self) -> &[(u32, Vertex)] {
        &self.numbers
    }

    /// Counts the completions, on all threads of the current rayon pool: of closed tours if these are requested,
    /// otherwise of all paths.
    ///
    /// # Errors
    /// The control was cancelled.
    pub fn count(&self, control: &Control) -> Result<CompletionCounts, Stopped> {
        let search = Search::new(self);
        let mut counts = CompletionCounts::default();
        if !search.colours_fit() {
            return Ok(counts);
        }
        let mut parts = vec![search.root()];
        // Breadth first, until the parts keep all threads busy.
        while !parts.is_empty() && parts.len() < MIN_PARTS {
            let mut children = Vec::new();
            for part in parts {
                search.expand(part, &mut |node| match node {
                    Step::Node(node) => children.push(node),
                    Step::Completion(sequence) => self.tally(&sequence, &mut counts),
                });
            }
            parts = children;
        }
        control.begin_rounds(parts.len());
        let sums: Option<Vec<CompletionCounts>> = parts
            .into_par_iter()
            .map(|part| {
                let mut counts = CompletionCounts::default();
                let mut tally = |sequence: &[Vertex]| {
                    self.tally(sequence, &mut counts);
                    ControlFlow::Continue(())
                };
                let visited = search.visit(part, control, &mut 0, &mut tally);
                control.finish_round();
                (visited != Visit::Cancelled).then_some(counts)
            })
            .collect();
        for sum in sums.ok_or(Stopped)? {
            counts.paths += sum.paths;
            counts.closed += sum.closed;
        }
        Ok(counts)
    }

    fn tally(&self, sequence: &[Vertex], counts: &mut CompletionCounts) {
        counts.paths += 1u32;
        let (first, last) = (sequence[0], sequence[sequence.len() - 1]);
        if self.closes(first, last) {
            counts.closed += 1u32;
        }
    }

    /// Returns true if a closed tour can go from `last` to `first`.
    fn closes(&self, first: Vertex, last: Vertex) -> bool {
        match self.tours.kind() {
            Kind::Closed => self.tours.board().is_move(last, first),
            Kind::Open | Kind::Paths => self.tours.board().joins_ends(first, last),
        }
    }

    /// Calls `each` with the squares of every completion of the requested kind, in the order of their numbers.
    /// Returns false if `each` ended the search.
    ///
    /// # Errors
    /// The control was cancelled.
    pub fn for_each(
        &self,
        control: &Control,
        each: &mut dyn FnMut(&[Vertex]) -> ControlFlow<()>,
    ) -> Result<bool, Stopped> {
        let search = Search::new(self);
        if !search.colours_fit() {
            return Ok(true);
        }
        let mut of_kind = |sequence: &[Vertex]| {
            let closes = self.closes(sequence[0], sequence[sequence.len() - 1]);
            let is_of_kind = match self.tours.kind() {
                Kind::Closed => closes && sequence.len() > 2,
                Kind::Open => !closes,
                Kind::Paths => true,
            };
            if is_of_kind { each(sequence) } else { ControlFlow::Continue(()) }
        };
        match search.visit(search.root(), control, &mut 0, &mut of_kind) {
            Visit::Complete => Ok(true),
            Visit::Ended => Ok(false),
            Visit::Cancelled => Err(Stopped),
        }
    }
}

/// The end of a visit of the nodes below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    Complete,
    Ended,
    Cancelled,
}

/// A stretch of the tour without squares yet, between two placed squares or beyond one.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Number of the square before the gap; that of the square after it is `low + free + 1`. In a closed tour
    /// the numbers beyond the last stand for 1, 2, ...
    low: u32,
    /// Number of squares of the gap.
    free: u32,
    /// The placed square with the number `low`; `None` for the tail down to 1.
    before: Option<Vertex>,
    /// The placed square after the gap; `None` for the tail up to the last number.
    after: Option<Vertex>,
}

/// A search node: the placed squares and the gaps with free squares.
#[derive(Clone, Debug)]
struct State {
    /// Number of squares of the board.
    len: usize,
    /// Square of each number, from 1 on; `u8::MAX` for a number without a square.
    squares: [u8; MAX_SQUARES],
    free: u128,
    gaps: Vec<Gap>,
}

/// A child of a node, or a completion.
enum Step {
    Node(State),
    Completion(Vec<Vertex>),
}

/// The tables of a search.
struct Search<'a> {
    numbered: &'a NumberedSquares,
    len: usize,
    neighbours: Vec<u128>,
    /// For each square and number of moves, the squares that this number of moves can reach. Moves may repeat
    /// squares.
    reached: Vec<Vec<u128>>,
}

/// Value of a number without a square.
const NO_SQUARE: u8 = u8::MAX;

fn squares_of(mut set: u128) -> impl Iterator<Item = Vertex> {
    std::iter::from_fn(move || {
        let v = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(v)
    })
}

impl<'a> Search<'a> {
    fn new(numbered: &'a NumberedSquares) -> Self {
        let graph = numbered.tours.board().graph();
        let neighbours: Vec<u128> = graph.neighbour_masks();
        let reached = (0..graph.len()).map(|v| {
            let next = |set: &u128| Some(squares_of(*set).fold(0, |all, w| all | neighbours[w as usize]));
            std::iter::successors(Some(1u128 << v), next).take(graph.len() + 1).collect()
        });
        Self { numbered, len: graph.len(), reached: reached.collect(), neighbours }
    }

    /// Returns the squares that `moves` moves from `v` can reach. On a bipartite graph all have the same colour.
    fn reached(&self, v: Vertex, moves: u32) -> u128 {
        self.reached[v as usize][moves as usize]
    }

    /// Returns true if the squares of one colour are as many as the odd numbers, which all have this colour.
    fn colours_fit(&self) -> bool {
        let Some(colours) = self.numbered.tours.board().colours() else { return true };
        let (number, v) = self.numbered.numbers[0];
        let odd_colour = colours[v as usize] == (number % 2 == 1);
        !self.numbered.tours.board().graph().is_connected()
            || colours.iter().filter(|&&colour| colour == odd_colour).count() == self.len.div_ceil(2)
    }

    fn root(&self) -> State {
        let numbers = &self.numbered.numbers;
        let mut squares = [NO_SQUARE; MAX_SQUARES];
        let mut free = if self.len == 128 { u128::MAX } else { (1 << self.len) - 1 };
        for &(number, v) in numbers {
            squares[number as usize - 1] = v as u8;
            free &= !(1 << v);
        }
        let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
        let between = numbers.windows(2).map(|pair| {
            let [(low, before), (high, after)] = [pair[0], pair[1]];
            Gap { low, free: high - low - 1, before: Some(before), after: Some(after) }
        });
        let mut gaps: Vec<Gap> = between.collect();
        let tails = (first.0 - 1, self.len as u32 - last.0);
        if self.numbered.tours.kind() == Kind::Closed {
            // The numbers go on from the last to 1.
            let free = tails.0 + tails.1;
            gaps.push(Gap { low: last.0, free, before: Some(last.1), after: Some(first.1) });
        } else {
            gaps.push(Gap { low: 0, free: tails.0, before: None, after: Some(first.1) });
            gaps.push(Gap { low: last.0, free: tails.1, before: Some(last.1), after: None });
        }
        State { len: self.len, squares, free, gaps }
    }

    /// Passes every completion below `state` to `each`. `nodes` counts the visited nodes.
    fn visit(
        &self,
        state: State,
        control: &Control,
        nodes: &mut u64,
        each: &mut dyn FnMut(&[Vertex]) -> ControlFlow<()>,
    ) -> Visit {
        let mut stack = vec![state];
        let mut ended = false;
        while let Some(state) = stack.pop() {
            *nodes += 1;
            if nodes.is_multiple_of(POLL_NODES) && control.is_cancelled() {
                return Visit::Cancelled;
            }
            let first = stack.len();
            self.expand(state, &mut |step| match step {
                Step::Node(child) => stack.push(child),
                Step::Completion(sequence) => ended |= !ended && each(&sequence).is_break(),
            });
            if ended {
                return Visit::Ended;
            }
            stack[first..].reverse();
        }
        Visit::Complete
    }

    /// Places all squares that are forced, then passes a child for each possible square at the end with the
    /// fewest, or the completion, to `each`.
    fn expand(&self, mut state: State, each: &mut dyn FnMut(Step)) {
        loop {
            let Some(choice) = self.best_end(&mut state) else { return };
            let Some((gap, forward, options)) = choice else {
                each(Step::Completion(state.squares[..self.len].iter().map(|&v| v.into()).collect()));
                return;
            };
            if options.count_ones() == 1 {
                state.place(gap, forward, options.trailing_zeros());
                continue;
            }
            for v in squares_of(options) {
                let mut child = state.clone();
                child.place(gap, forward, v);
                each(Step::Node(child));
            }
            return;
        }
    }

    /// Returns the end with the fewest possible squares: the index of its gap, whether the next square has a
    /// higher number, and the possible squares. Returns `Some(None)` for a completion, and `None` if there is
    /// none below this state.
    #[expect(clippy::option_option, reason = "a dead node, a completion, or a choice")]
    fn best_end(&self, state: &mut State) -> Option<Option<(usize, bool, u128)>> {
        if self.numbered.tours.kind() == Kind::Closed && self.len < 3 {
            return None;
        }
        let can_be_filled = |gap: &Gap| match (gap.before, gap.after) {
            (Some(v), Some(w)) => self.reached(v, gap.free + 1) >> w & 1 == 1,
            _ => true,
        };
        if !state.gaps.iter().all(can_be_filled) {
            return None;
        }
        state.gaps.retain(|gap| gap.free > 0);
        let (mut reachable, mut ends, mut tails) = (0, 0u128, 0);
        let mut best: Option<(usize, bool, u128)> = None;
        for (i, gap) in state.gaps.iter().enumerate() {
            let mut consider = |forward: bool, from: Vertex, to: Option<Vertex>| {
                let far = to.map_or(u128::MAX, |to| self.reached(to, gap.free));
                let options = self.neighbours[from as usize] & state.free & far;
                if best.is_none_or(|(_, _, best)| options.count_ones() < best.count_ones()) {
                    best = Some((i, forward, options));
                }
                ends |= 1 << from;
            };
            match (gap.before, gap.after) {
                (Some(v), Some(w)) => {
                    consider(true, v, Some(w));
                    consider(false, w, Some(v));
                    reachable |= (1..=gap.free)
                        .map(|moves| self.reached(v, moves) & self.reached(w, gap.free + 1 - moves))
                        .fold(0, |all, set| all | set);
                }
                (Some(v), None) | (None, Some(v)) => {
                    consider(gap.before.is_some(), v, None);
                    reachable |= (1..=gap.free).fold(0, |all, moves| all | self.reached(v, moves));
                    tails += 1;
                }
                (None, None) => unreachable!("a gap is next to a placed square"),
            }
        }
        let is_open = state.free | ends;
        let dead_ends = squares_of(state.free)
            .filter(|&v| (self.neighbours[v as usize] & is_open).count_ones() < 2)
            .take(tails + 1)
            .count();
        if state.free & !reachable != 0 || dead_ends > tails {
            return None;
        }
        match best {
            Some((.., 0)) => None,
            best => Some(best).filter(|_| best.is_some() || self.keeps_restrictions(state)),
        }
    }

    /// Returns true if a complete sequence contains all required moves.
    fn keeps_restrictions(&self, state: &State) -> bool {
        let board: &Board = self.numbered.tours.board();
        let number_of = |v: Vertex| state.squares[..self.len].iter().position(|&w| u32::from(w) == v);
        board.required_moves().iter().all(|&(v, w)| match (number_of(v), number_of(w)) {
            (Some(i), Some(j)) => {
                let is_closing = self.numbered.tours.kind() == Kind::Closed && i.abs_diff(j) == self.len - 1;
                i.abs_diff(j) == 1 || is_closing
            }
            _ => false,
        })
    }
}

impl State {
    /// Places the square `v` at one end of a gap.
    fn place(&mut self, gap: usize, forward: bool, v: Vertex) {
        let gap = &mut self.gaps[gap];
        let number = if forward { gap.low + 1 } else { gap.low + gap.free };
        self.squares[(number as usize - 1) % self.len] = v as u8;
        self.free &= !(1 << v);
        gap.free -= 1;
        if forward {
            (gap.low, gap.before) = (number, Some(v));
        } else {
            gap.after = Some(v);
        }
    }
}

#[cfg(test)]
mod tests;
