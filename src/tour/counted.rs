//! Numbers before squares, which must count squares, moves or lines.
//!
//! ```text
//! 1. a1 2. b3 3. c5        one more for each square, or for each move, or for each line;
//! 1. a1 b3 2. c5 d7        `1... b3` is the second half of a move
//! 1. a1 b3 c5 d7           or one more for each square between the numbers
//! 5. f8
//! ```

use super::fault::Fault;
use super::loose::{apart, count_of, parts_of, uncounted, without_counter};
use super::words::words;

/// A number, the count of squares before it, and whether it may equal the previous number, because several
/// points follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    number: u64,
    squares: usize,
    again: bool,
}

/// The numbers of a tour.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    all: Vec<Count>,
}

impl Counts {
    /// Returns the numbers of a line.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut counts = Self::default();
        counts.add(text, 0);
        counts
    }

    /// Adds the numbers of a line that `before` squares precede.
    pub(super) fn add(&mut self, text: &[u8], before: usize) {
        let is_blank = |b: u8| b.is_ascii_whitespace() || b == b',' || b == b'(';
        let begins = |pair: &[u8]| is_blank(pair[0]) && pair[1].is_ascii_digit();
        let counted = without_counter(text);
        if !counted.first().is_some_and(u8::is_ascii_digit) && !text.windows(2).any(begins) {
            return;
        }
        let (mut squares, rest) = (before, uncounted(text));
        if rest.len() < counted.len() {
            let digits = counted.iter().take_while(|b| b.is_ascii_digit()).count();
            let number = std::str::from_utf8(&counted[..digits]).ok().and_then(|digits| digits.parse().ok());
            self.all.extend(number.map(|number| Count { number, squares, again: false }));
        }
        for word in words(rest) {
            for part in apart(word) {
                if let Some(((number, points), _)) = count_of(part, word) {
                    self.all.push(Count { number, squares, again: points > 1 });
                }
                squares += parts_of(part).count();
            }
        }
    }

    /// Returns an error if the numbers do not count.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let Some(first) = self.all.first() else { return Ok(()) };
        let by_one = |pair: &&[Count]| {
            pair[1].number.checked_sub(pair[0].number) == Some(1)
                || pair[1].again && pair[1].number == pair[0].number
        };
        let by_squares = |pair: &&[Count]| {
            pair[1].number.checked_sub(pair[0].number) == Some((pair[1].squares - pair[0].squares) as u64)
        };
        let wrong = |counts: &dyn Fn(&&[Count]) -> bool| {
            let begins =
                first.squares == 0 || first.number < 2 || first.number.abs_diff(first.squares as u64) < 2;
            let place = self.all.windows(2).position(|pair| !counts(&pair)).map(|at| at + 1);
            if begins { place } else { Some(0) }
        };
        match (wrong(&by_one), wrong(&by_squares)) {
            (Some(a), Some(b)) => {
                let Count { number, squares, .. } = self.all[a.max(b)];
                Err(Fault::Count { number, square: squares + 1 })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str]) -> Result<(), Fault> {
        let (mut counts, mut squares) = (Counts::default(), 0);
        for line in lines {
            counts.add(line.as_bytes(), squares);
            squares += words(uncounted(line.as_bytes())).flat_map(parts_of).count();
        }
        counts.check()
    }

    #[test]
    fn numbers_count_squares_moves_or_lines() {
        for lines in [
            &["1. a1 2. b3 3. c5"][..],
            &["0: a1", "1: b3", "2: c5"],
            &["1) Na1 Nb3 2) Nc5 Nd7", "3) e5"],
            &["1. a1 b3 c5 d7", "5. f8 g6 h4", "8. a2"],
            &["1.Na1 1...Nb3 2.Nc5"],
            &["1. a1-b3 2. b3-c5"],
            &["7 a1", "8 b3"],
            &["a1 1. b3 2. c5"],
            &["a1 b3 (2) c5"],
            &["Move 1: a1", "Move 2: b3"],
            &["17. a1 b3 c5"],
            &["a1 b3"],
            &["a1-b3 a1b3"],
        ] {
            assert!(check(lines).is_ok(), "{lines:?}");
        }
        for (lines, number, square) in [
            (&["1. a1 7. b3 3. c5"][..], 7, 2),
            (&["1. a1", "7. b3"], 7, 2),
            (&["1 a1", "3 b3", "4 c5"], 3, 2),
            (&["1. a1 b3", "2. c5 d7", "4. e5"], 4, 5),
            (&["2. a1 1. b3"], 1, 2),
            (&["a1 b3 c5 7. d7"], 7, 4),
            (&["Step 1: a1", "Step 1: b3"], 1, 2),
        ] {
            let error = check(lines).unwrap_err();
            let is_it = matches!(error, Fault::Count { number: n, square: s } if (n, s) == (number, square));
            assert!(is_it, "{lines:?}: {error}");
        }
    }
}
