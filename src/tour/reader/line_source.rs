//! The lines of a file, with push-back and a bound on their length.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use crate::tour::read_error::{MAX_LINE_BYTES, ReadErrorKind};

/// Byte order mark with which some editors and spreadsheets begin a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// First byte of an escape sequence of a terminal.
const ESCAPE_BYTE: u8 = 0x1b;

/// Length in bytes from which a line must have begun like a tour.
const PEEK_BYTES: usize = 1 << 12;

/// Reads lines one at a time.
#[derive(Debug)]
pub(in crate::tour) struct LineSource<R> {
    input: R,
    number: u64,
    /// Number of lines taken from the input.
    lines_taken: u64,
    buffer: Vec<u8>,
    /// True if the current line is to be returned again.
    is_pushed_back: bool,
    /// True if the current line comes from the input for the first time.
    is_fresh: bool,
    /// Pending lines before the rest of the input: number, text, and whether each counts as fresh from the
    /// input.
    pending: VecDeque<(u64, Vec<u8>, bool)>,
}

impl<R: BufRead> LineSource<R> {
    pub(in crate::tour) fn new(input: R) -> Self {
        let (buffer, ahead) = (Vec::new(), VecDeque::new());
        Self {
            input,
            number: 0,
            lines_taken: 0,
            buffer,
            is_pushed_back: false,
            is_fresh: false,
            pending: ahead,
        }
    }

    /// Returns the number of the current line, from 1.
    pub(in crate::tour) const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of lines taken from the input.
    pub(in crate::tour) const fn lines_taken(&self) -> u64 {
        self.lines_taken
    }

    /// Returns the current line unchanged, without its line end.
    pub(in crate::tour) fn raw(&self) -> &[u8] {
        self.buffer.strip_suffix(b"\r").unwrap_or(&self.buffer)
    }

    /// Returns the current line without surrounding blanks.
    pub(in crate::tour) fn text(&self) -> &[u8] {
        self.buffer.trim_ascii()
    }

    /// Pushes the current line back.
    pub(in crate::tour) const fn push_back(&mut self) {
        self.is_pushed_back = true;
    }

    /// Pushes the current line back; it will count as fresh from the input.
    pub(in crate::tour) fn push_back_fresh(&mut self) {
        self.pending.push_front((self.number, std::mem::take(&mut self.buffer), true));
    }

    /// Pushes back the current line, and before it the previous one (`number` and `text`), which becomes the
    /// current line.
    pub(in crate::tour) fn push_back_two(&mut self, number: u64, text: Vec<u8>) {
        let number = std::mem::replace(&mut self.number, number);
        self.pending.push_front((number, std::mem::replace(&mut self.buffer, text), false));
        self.is_pushed_back = true;
    }

    /// Inserts lines before the rest of the input.
    pub(in crate::tour) fn insert_lines(&mut self, lines: Vec<(u64, Vec<u8>)>) {
        for (number, text) in lines.into_iter().rev() {
            self.pending.push_front((number, text, false));
        }
    }

    /// Advances to the next pending line; returns false if there is none.
    pub(in crate::tour) fn next_pending(&mut self) -> bool {
        let Some((number, text, is_fresh)) = self.pending.pop_front() else { return false };
        (self.number, self.buffer, self.is_fresh) = (number, text, is_fresh);
        true
    }

    /// Returns true for a line fresh from the input, false for a pushed-back or inserted one.
    pub(in crate::tour) const fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// Removes escape sequences such as `ESC [ 1 ; 31 m`, which set colours of a terminal.
    fn remove_colours(&mut self) {
        if !self.buffer.contains(&ESCAPE_BYTE) {
            return;
        }
        let mut rest = std::mem::take(&mut self.buffer);
        while let Some(at) = rest.windows(2).position(|two| two == [ESCAPE_BYTE, b'[']) {
            let more = &rest[at + 2..];
            let length = more.iter().take_while(|b| (0x20..0x40).contains(*b)).count();
            // An unfinished sequence stays.
            let is_whole = more.get(length).is_some_and(|b| (0x40..0x7f).contains(b));
            self.buffer.extend_from_slice(&rest[..if is_whole { at } else { at + 2 }]);
            rest.drain(..at + 2 + if is_whole { length + 1 } else { 0 });
        }
        self.buffer.append(&mut rest);
    }

    /// Advances to the next line; returns false at the end of the file. `begins` checks the start of a long
    /// line before the rest is read.
    pub(in crate::tour) fn next(
        &mut self,
        begins: impl Fn(&[u8]) -> Result<(), ReadErrorKind>,
    ) -> Result<bool, ReadErrorKind> {
        self.is_fresh = false;
        if std::mem::take(&mut self.is_pushed_back) {
            return Ok(true);
        }
        if self.next_pending() {
            return Ok(true);
        }
        self.is_fresh = true;
        self.buffer.clear();
        self.lines_taken += 1;
        self.number = self.lines_taken;
        let mut looked = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                self.remove_colours();
                return Ok(!self.buffer.is_empty());
            }
            let (taken, ended) = match bytes.iter().position(|&b| b == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            };
            self.buffer.extend_from_slice(&bytes[..taken]);
            self.input.consume(taken);
            if self.lines_taken == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.drain(..BYTE_ORDER_MARK.len());
            }
            if ended {
                self.buffer.pop();
                self.remove_colours();
                return Ok(true);
            }
            if self.buffer.len() > MAX_LINE_BYTES {
                return Err(ReadErrorKind::LineTooLong);
            }
            if !looked && self.buffer.len() >= PEEK_BYTES {
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
    fn next_skips_byte_order_mark() {
        for (text, first) in [("\u{feff}a1 b3\nb", "a1 b3"), ("\u{feff}", ""), ("a\u{feff}", "a\u{feff}")] {
            // The mark is recognised even if the input arrives byte by byte.
            let input = std::io::BufReader::with_capacity(1, text.as_bytes());
            let mut lines = LineSource::new(input);
            assert_eq!(lines.next(|_| Ok(())).unwrap(), !first.is_empty(), "{text:?}");
            assert_eq!(lines.text(), first.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn next_removes_terminal_colours() {
        for (text, line) in [
            ("\x1b[31m1\x1b[0m 4 \x1b[1;38;5;12m7\x1b[m\x1b[K\n", "1 4 7"),
            ("\x1b[2J\x1b[Ha1 b3", "a1 b3"),
            ("a1\x1b[31", "a1\x1b[31"),
            ("a1\x1bb3", "a1\x1bb3"),
        ] {
            let mut lines = LineSource::new(text.as_bytes());
            assert!(lines.next(|_| Ok(())).unwrap());
            assert_eq!(lines.text(), line.as_bytes(), "{text:?}");
        }
    }

    #[test]
    fn next_returns_pushed_back_lines() {
        let mut lines = LineSource::new(&b" a \n\nb"[..]);
        let next = |lines: &mut LineSource<&[u8]>| lines.next(|_| Ok(())).unwrap();
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (1, &b"a"[..]));
        lines.push_back();
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (1, &b"a"[..]));
        assert!(next(&mut lines) && lines.text().is_empty());
        lines.push_back_two(1, b"a".to_vec());
        assert!(next(&mut lines) && (lines.number(), lines.text()) == (1, b"a"));
        assert!(next(&mut lines) && (lines.number(), lines.text()) == (2, b""));
        assert!(next(&mut lines));
        assert_eq!((lines.number(), lines.text()), (3, &b"b"[..]));
        assert!(!next(&mut lines));
        let long = vec![b'x'; 2 * PEEK_BYTES];
        assert!(LineSource::new(&long[..]).next(|_| Err(ReadErrorKind::CsvColumns)).is_err());
    }
}
