//! Where the next tour begins behind a damaged one, without a blank line between them.
//!
//! Squares from the beginning of a line on are a tour if they are as many as the board has, all different, and each is
//! a move away from the one before it. Cost O(squares).

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Squares of consecutive lines.
#[derive(Debug)]
pub(super) struct SquareRun<T> {
    /// The squares; `None` for a word that is no square.
    pub(super) squares: Vec<Option<T>>,
    /// True for each square at the beginning of a line.
    pub(super) begins: Vec<bool>,
    /// Number of squares of the board.
    pub(super) size: usize,
}

impl<T: Copy + Eq + Hash> SquareRun<T> {
    /// Returns true if a line ends before a square, or the run does.
    fn ends_before(&self, at: usize) -> bool {
        self.begins.get(at).is_none_or(|&begins| begins)
    }

    /// Returns the end of the tour that begins with a square, with its first square again at the end of the line; the
    /// squares are those of a tour.
    fn end_of_tour(&self, at: usize) -> Option<usize> {
        let end = at + self.size;
        let is_closed = self.squares.get(end).is_some_and(|square| *square == self.squares[at]);
        match () {
            () if self.ends_before(end) => Some(end),
            () if is_closed && self.ends_before(end + 1) => Some(end + 1),
            () => None,
        }
    }

    /// Returns the end of the tour that begins at each square, if one does.
    fn tours(&self, is_move: impl Fn(T, T) -> bool) -> Vec<Option<usize>> {
        let mut tours = vec![None; self.squares.len()];
        let mut last: HashMap<T, usize> = HashMap::new();
        // The first of the squares up to `at` that are different and a move apart.
        let mut first = 0;
        for (at, &square) in self.squares.iter().enumerate() {
            let Some(square) = square else {
                first = at + 1;
                continue;
            };
            let before = at.checked_sub(1).and_then(|before| self.squares[before]);
            if !before.is_some_and(|before| is_move(before, square)) {
                first = at;
            }
            if let Some(earlier) = last.insert(square, at) {
                first = first.max(earlier + 1);
            }
            if self.size > 1 && at + 1 >= first + self.size {
                let begin = at + 1 - self.size;
                tours[begin] = self.end_of_tour(begin).filter(|_| self.begins[begin]);
            }
        }
        tours
    }

    /// Returns where the next tour begins behind a damaged one that begins at `at`: a square of that tour may be wrong,
    /// missing, or written twice, and the tour may be closed. If it is damaged in another way, the next tour is the
    /// first one that is found.
    fn next_of(&self, tours: &[Option<usize>], at: usize) -> Option<usize> {
        let is_tour = |length: &usize| tours.get(at + length).is_some_and(Option::is_some);
        let has_all = |length: &usize| {
            let squares = self.squares[at..].iter().take(*length);
            squares.copied().flatten().collect::<HashSet<T>>().len() == self.size
        };
        let size = self.size;
        let surplus = [size + 1, size + 2].into_iter().find(|length| is_tour(length) && has_all(length));
        let mut lengths =
            [size, size + 1, size.saturating_sub(1), size + 2].into_iter().chain(1..tours.len());
        surplus.or_else(|| lengths.find(is_tour)).map(|length| at + length)
    }

    /// Returns the position at which the next tour begins, if the first one is damaged.
    pub(super) fn find_next_tour(&self, is_move: impl Fn(T, T) -> bool) -> Option<usize> {
        self.next_of(&self.tours(is_move), 0)
    }

    /// Returns the beginnings of the tours and of the damaged parts between them.
    pub(super) fn split(&self, is_move: impl Fn(T, T) -> bool) -> Vec<usize> {
        let tours = self.tours(is_move);
        let (mut parts, mut at) = (Vec::new(), 0);
        while at < self.squares.len() {
            parts.push(at);
            at = tours[at].unwrap_or_else(|| self.next_of(&tours, at).unwrap_or(tours.len()));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, size: usize) -> SquareRun<u32> {
        let lines = text.split('/').map(|line| line.split(' ').map(|word| word.parse().ok()).enumerate());
        let (begins, squares) = lines.flat_map(|line| line.map(|(at, n)| (at == 0, n))).unzip();
        SquareRun { squares, begins, size }
    }

    #[test]
    fn tours_behind_damaged_ones_are_found() {
        // The squares of a ring of four.
        let is_move = |a: u32, b: u32| (a + 1) % 4 == b % 4 || (b + 1) % 4 == a % 4;
        for (text, next, parts) in [
            ("0/1/1/3/2/1/0/3", Some(4), &[0, 4][..]),
            ("0/1/1/2/3/2/1/0/3", Some(5), &[0, 5]),
            ("0 1/3/2 1/0 3", Some(3), &[0, 3]),
            ("0 1/x 3/2 1/0 3", Some(4), &[0, 4]),
            ("0 1 2 3/0 1 2 3 0", Some(4), &[0, 4]),
            ("0 1/1 3/2 1 0/3 1", None, &[0]),
            ("0/0/1/2/3/0", Some(1), &[0, 1, 5]),
            ("3/3/0/2/1/0/3", Some(3), &[0, 3]),
        ] {
            let run = run(text, 4);
            assert_eq!(run.find_next_tour(is_move), next, "{text}");
            assert_eq!(run.split(is_move), parts, "{text}");
        }
    }
}
