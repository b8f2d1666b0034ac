//! A file line by line, none of them too long to be held.

use std::io::{self, BufRead};

use super::fault::{Fault, MAX_LINE};
use super::steps::{Head, Steps};
use super::table;

/// A line this long must have begun like a tour.
const PEEK: usize = 1 << 12;

/// Reads lines, one at a time.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    number: u64,
    buffer: Vec<u8>,
    /// Whether the line in the buffer is still to be looked at.
    again: bool,
    /// Whether it has just been read.
    is_fresh: bool,
    /// The column that is left of lines.
    steps: Option<Steps>,
    /// The line after it, if that was read as well.
    after: Option<(u64, Vec<u8>)>,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(input: R) -> Self {
        Self { input, number: 0, buffer: Vec::new(), again: false, is_fresh: false, steps: None, after: None }
    }

    /// The number of the line, from 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The line, without blanks around.
    pub(super) fn text(&self) -> &[u8] {
        self.buffer.trim_ascii()
    }

    /// The line comes once more.
    pub(super) const fn again(&mut self) {
        self.again = true;
    }

    /// This line, which was the one before, comes once more, and then the one in the buffer.
    pub(super) fn again_from(&mut self, number: u64, text: Vec<u8>) {
        let number = std::mem::replace(&mut self.number, number);
        self.after = Some((number, std::mem::replace(&mut self.buffer, text)));
        self.again = true;
    }

    /// Whether the line has just been read, and not come once more.
    pub(super) const fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Of the lines that follow only the squares are left, down to a blank one.
    pub(super) const fn only(&mut self, steps: Steps) {
        self.steps = Some(steps);
    }

    /// Leaves nothing but the square of a row of a table.
    pub(super) fn narrow(&mut self) -> Result<(), Fault> {
        let Some(steps) = self.steps else { return Ok(()) };
        let text = self.text();
        if text.is_empty() {
            self.steps = None;
        } else if !text.starts_with(b"#") && Head::read(text).is_none() && !table::is_rule(text) {
            self.buffer = steps.square(text)?.to_vec();
        }
        Ok(())
    }

    /// Writes a row of numbers with semicolons between, or at its end, with commas.
    pub(super) fn part_by_commas(&mut self) {
        let is_cell = |b: &u8| b.is_ascii_digit() || b.is_ascii_whitespace() || b"-.;".contains(b);
        let text = self.text();
        if text.contains(&b';') && text.len() > 1 && text.iter().all(is_cell) {
            let text = text.strip_suffix(b";").unwrap_or(text);
            self.buffer = text.iter().map(|&b| if b == b';' { b',' } else { b }).collect();
        }
    }

    /// Reads on to the next line; false at the end of the file. What a long line begins with is looked at before it
    /// is read to its end.
    pub(super) fn next(&mut self, begins: impl Fn(&[u8]) -> Result<(), Fault>) -> Result<bool, Fault> {
        self.is_fresh = false;
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        if let Some((number, text)) = self.after.take() {
            (self.number, self.buffer) = (number, text);
            return Ok(true);
        }
        self.is_fresh = true;
        self.buffer.clear();
        self.number += 1;
        let mut looked = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                return Ok(!self.buffer.is_empty());
            }
            let (taken, ended) = match bytes.iter().position(|&b| b == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            };
            self.buffer.extend_from_slice(&bytes[..taken]);
            self.input.consume(taken);
            if ended {
                self.buffer.pop();
                return Ok(true);
            }
            if self.buffer.len() > MAX_LINE {
                return Err(Fault::TooLong);
            }
            if !looked && self.buffer.len() >= PEEK {
                looked = true;
                begins(&self.buffer)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_and_once_more_if_wanted() {
        let mut lines = Lines::new(&b" a \n\nb"[..]);
        let next = |lines: &mut Lines<&[u8]>| lines.next(|_| Ok(())).unwrap();
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (1, &b"a"[..]));
        lines.again();
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (1, &b"a"[..]));
        assert!(next(&mut lines) && lines.text().is_empty());
        lines.again_from(1, b"a".to_vec());
        assert!(next(&mut lines) && (lines.number(), lines.text()) == (1, b"a"));
        assert!(next(&mut lines) && (lines.number(), lines.text()) == (2, b""));
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (3, &b"b"[..]));
        assert!(!next(&mut lines));
        let long = vec![b'x'; 2 * PEEK];
        assert!(Lines::new(&long[..]).next(|_| Err(Fault::Csv)).is_err());
    }
}
