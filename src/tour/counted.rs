//! Numbers before squares, which must count squares, moves or lines.
//!
//! ```text
//! 1. a1 2. b3 3. c5        one more for each square, or for each move, or for each line;
//! 1. a1 b3 2. c5 d7        `1... b3` is the second half of a move
//! 1. a1 b3 c5 d7           or one more for each square between the numbers
//! 5. f8
//! ```

use super::fault::ReadErrorKind;
use super::loose::{
    name_parts, parse_move_number, split_at_separators, strip_counter_word, strip_move_number,
};
use super::words::split_words;

/// A number, the count of squares before it, and whether it may equal the previous number, because several
/// points follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MoveNumber {
    number: u64,
    squares_before: usize,
    may_repeat: bool,
}

/// The numbers of a tour.
#[derive(Clone, Debug, Default)]
pub(super) struct MoveNumbers {
    numbers: Vec<MoveNumber>,
}

impl MoveNumbers {
    /// Returns the numbers of a line.
    pub(super) fn from_line(text: &[u8]) -> Self {
        let mut counts = Self::default();
        counts.add_line(text, 0);
        counts
    }

    /// Adds the numbers of a line that `before` squares precede.
    pub(super) fn add_line(&mut self, text: &[u8], before: usize) {
        let is_blank = |b: u8| b.is_ascii_whitespace() || b == b',' || b == b'(';
        let begins = |pair: &[u8]| is_blank(pair[0]) && pair[1].is_ascii_digit();
        let counted = strip_counter_word(text);
        if !counted.first().is_some_and(u8::is_ascii_digit) && !text.windows(2).any(begins) {
            return;
        }
        let (mut squares, rest) = (before, strip_move_number(text));
        if rest.len() < counted.len() {
            let digits = counted.iter().take_while(|b| b.is_ascii_digit()).count();
            let number = std::str::from_utf8(&counted[..digits]).ok().and_then(|digits| digits.parse().ok());
            self.numbers.extend(number.map(|number| MoveNumber {
                number,
                squares_before: squares,
                may_repeat: false,
            }));
        }
        for word in split_words(rest) {
            for part in split_at_separators(word) {
                if let Some(((number, points), _)) = parse_move_number(part, word) {
                    self.numbers.push(MoveNumber { number, squares_before: squares, may_repeat: points > 1 });
                }
                squares += name_parts(part).count();
            }
        }
    }

    /// Returns an error if the numbers do not count.
    pub(super) fn check(&self) -> Result<(), ReadErrorKind> {
        let Some(first) = self.numbers.first() else { return Ok(()) };
        let by_one = |pair: &&[MoveNumber]| {
            pair[1].number.checked_sub(pair[0].number) == Some(1)
                || pair[1].may_repeat && pair[1].number == pair[0].number
        };
        let by_squares = |pair: &&[MoveNumber]| {
            pair[1].number.checked_sub(pair[0].number)
                == Some((pair[1].squares_before - pair[0].squares_before) as u64)
        };
        let wrong = |counts: &dyn Fn(&&[MoveNumber]) -> bool| {
            let begins = first.squares_before == 0
                || first.number < 2
                || first.number.abs_diff(first.squares_before as u64) < 2;
            let place = self.numbers.windows(2).position(|pair| !counts(&pair)).map(|at| at + 1);
            if begins { place } else { Some(0) }
        };
        match (wrong(&by_one), wrong(&by_squares)) {
            (Some(a), Some(b)) => {
                let MoveNumber { number, squares_before: squares, .. } = self.numbers[a.max(b)];
                Err(ReadErrorKind::MoveNumber { number, square: squares + 1 })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str]) -> Result<(), ReadErrorKind> {
        let (mut counts, mut squares) = (MoveNumbers::default(), 0);
        for line in lines {
            counts.add_line(line.as_bytes(), squares);
            squares += split_words(strip_move_number(line.as_bytes())).flat_map(name_parts).count();
        }
        counts.check()
    }

    #[test]
    fn check_accepts_counts_of_squares_moves_or_lines() {
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
            let is_it = matches!(error, ReadErrorKind::MoveNumber { number: n, square: s } if (n, s) == (number, square));
            assert!(is_it, "{lines:?}: {error}");
        }
    }
}
