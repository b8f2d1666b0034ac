//! Lines of the input, with any number of lines of look-ahead.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use crate::tour::read_error::{MAX_LINE_BYTES, MAX_LINES, ReadError, ReadErrorKind};

/// Byte order mark with which some editors and spreadsheets begin a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// First byte of an escape sequence of a terminal.
const ESCAPE_BYTE: u8 = 0x1b;

/// The lines that are not yet consumed.
#[derive(Debug)]
pub(super) struct LineBuffer<R> {
    input: R,
    /// Number of the first line in `lines`, from 1.
    first_number: u64,
    lines: VecDeque<Vec<u8>>,
    /// Bytes of all lines in `lines`.
    bytes: usize,
    is_at_end: bool,
    /// Error that ended the input.
    error: Option<ReadError>,
    /// Lines whose memory is used again.
    spare: Vec<Vec<u8>>,
}

impl<R: BufRead> LineBuffer<R> {
    pub(super) fn new(input: R) -> Self {
        let (lines, spare) = (VecDeque::new(), Vec::new());
        Self { input, first_number: 1, lines, bytes: 0, is_at_end: false, error: None, spare }
    }

    /// Returns the number, from 1, of the line `ahead` lines behind the first one that is not consumed.
    pub(super) const fn number(&self, ahead: usize) -> u64 {
        self.first_number + ahead as u64
    }

    /// Returns the line `ahead` lines behind the first one that is not consumed, without its line end; `None`
    /// behind the last line, and if the input fails.
    pub(super) fn peek(&mut self, ahead: usize) -> Option<&[u8]> {
        while self.lines.len() <= ahead && !self.is_at_end {
            let is_too_long = ahead >= MAX_LINES || self.bytes > MAX_LINE_BYTES;
            let read = if is_too_long { Err(ReadErrorKind::LineTooLong) } else { self.read_line() };
            if let Err(kind) = read {
                self.error = Some(ReadError { line: self.number(ahead), kind });
                self.is_at_end = true;
            }
        }
        self.lines.get(ahead).map(Vec::as_slice)
    }

    /// Returns the error that ended the input: [`ReadErrorKind::Io`], or [`ReadErrorKind::LineTooLong`] if a line,
    /// or the lines of one look-ahead, are too long.
    pub(super) const fn take_error(&mut self) -> Option<ReadError> {
        self.error.take()
    }

    /// Returns a line that [`peek`](Self::peek) has read.
    pub(super) fn line(&self, ahead: usize) -> &[u8] {
        self.lines.get(ahead).map_or(&[], Vec::as_slice)
    }

    /// Consumes lines.
    pub(super) fn advance(&mut self, lines: usize) {
        for _ in 0..lines {
            let Some(mut line) = self.lines.pop_front() else { return };
            self.bytes -= line.len();
            self.first_number += 1;
            if self.spare.len() < 4 && line.capacity() < 1 << 16 {
                line.clear();
                self.spare.push(line);
            }
        }
    }

    fn read_line(&mut self) -> Result<(), ReadErrorKind> {
        let mut line = self.spare.pop().unwrap_or_default();
        let mut is_begun = false;
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if bytes.is_empty() {
                self.is_at_end = true;
                break;
            }
            is_begun = true;
            let (length, is_ended) = match bytes.iter().position(|&b| b == b'\n') {
                Some(at) => (at, true),
                None => (bytes.len(), false),
            };
            line.extend_from_slice(&bytes[..length]);
            self.input.consume(length + usize::from(is_ended));
            if is_ended {
                break;
            }
            if line.len() > MAX_LINE_BYTES {
                return Err(ReadErrorKind::LineTooLong);
            }
        }
        if !is_begun {
            return Ok(());
        }
        if self.first_number == 1 && self.lines.is_empty() && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        remove_colours(&mut line);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        // Some programs end lines with this character alone.
        if line.contains(&b'\r') {
            for part in line.split(|&b| b == b'\r') {
                self.bytes += part.len();
                self.lines.push_back(part.to_vec());
            }
        } else {
            self.bytes += line.len();
            self.lines.push_back(line);
        }
        Ok(())
    }
}

/// Removes escape sequences such as `ESC [ 1 ; 31 m`, which set colours of a terminal.
fn remove_colours(line: &mut Vec<u8>) {
    if !line.contains(&ESCAPE_BYTE) {
        return;
    }
    let text = std::mem::take(line);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let behind = text[at..].strip_prefix(&[ESCAPE_BYTE, b'[']);
        let length = behind.and_then(|more| {
            let length = more.iter().take_while(|b| (0x20..0x40).contains(*b)).count();
            // An unfinished sequence stays.
            more.get(length).is_some_and(|b| (0x40..0x7f).contains(b)).then_some(length + 3)
        });
        match length {
            Some(length) => at += length,
            None => {
                line.push(byte);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peek_reads_ahead_and_advance_consumes() {
        let mut lines = LineBuffer::new(&b" a \r\n\nb"[..]);
        assert_eq!(lines.peek(2), Some(&b"b"[..]));
        assert_eq!(lines.peek(0), Some(&b" a "[..]));
        assert_eq!(lines.peek(3), None);
        lines.advance(1);
        assert_eq!((lines.number(0), lines.peek(0)), (2, Some(&b""[..])));
        lines.advance(5);
        assert_eq!((lines.number(0), lines.peek(0)), (4, None));
    }

    #[test]
    fn peek_skips_byte_order_mark() {
        for (text, first) in
            [("\u{feff}a1 b3\nb", Some("a1 b3")), ("\u{feff}", Some("")), ("a\u{feff}", Some("a\u{feff}"))]
        {
            // The mark is recognised even if the input arrives byte by byte.
            let mut lines = LineBuffer::new(io::BufReader::with_capacity(1, text.as_bytes()));
            assert_eq!(lines.peek(0), first.map(str::as_bytes), "{text:?}");
        }
    }

    #[test]
    fn peek_removes_terminal_colours() {
        for (text, line) in [
            ("\x1b[31m1\x1b[0m 4 \x1b[1;38;5;12m7\x1b[m\x1b[K\n", "1 4 7"),
            ("\x1b[2J\x1b[Ha1 b3", "a1 b3"),
            ("a1 b3\r\rc5\r\n", "a1 b3"),
            ("a1\x1b[31", "a1\x1b[31"),
            ("a1\x1bb3", "a1\x1bb3"),
        ] {
            assert_eq!(LineBuffer::new(text.as_bytes()).peek(0), Some(line.as_bytes()));
        }
    }
}
