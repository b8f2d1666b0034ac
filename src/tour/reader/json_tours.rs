//! Reading of tours from JSON objects.

use std::io::BufRead;

use super::TourReader;
use super::json_object::{JsonHead, JsonNames, JsonSquares};
use crate::tour::Tour;
use crate::tour::read_error::{MAX_LINE_BYTES, ReadError, ReadErrorKind};

impl<R: BufRead> TourReader<R> {
    /// Reads the tour of the object on the current line. Returns `None` for the object of another program,
    /// whose array is read next.
    pub(super) fn read_json(&mut self) -> Result<Option<Tour>, ReadError> {
        let line = self.lines.number();
        let text = self.lines.text();
        // ktour writes an object on one line; a damaged line does not continue.
        let is_open = matches!(text.last(), Some(b'{' | b'[' | b',' | b':'));
        let text = if is_open { self.read_whole_object()? } else { text.to_vec() };
        self.pending_title = None;
        match self.parse_object(&text) {
            Err(ReadErrorKind::Json(message)) if message.contains("missing field `squares`") => {
                self.read_foreign_object(&text, line)?;
                Ok(None)
            }
            found => found.map(Some).map_err(|error_kind| ReadError { line, kind: error_kind }),
        }
    }

    fn parse_object(&mut self, text: &[u8]) -> Result<Tour, ReadErrorKind> {
        let head = JsonHead::parse(text)?;
        if let Some(board) = &head.arena {
            self.context.set_board(board)?;
        }
        match self.context.non_rectangle() {
            Some(board) => {
                let names = JsonNames::<Vec<String>>::parse(text)?.squares;
                let vertices = names.iter().map(|name| Ok(board.vertex(name)?));
                self.context.check_vertices(board, vertices, head.kind)
            }
            None => self.context.check_squares(JsonNames::<JsonSquares>::parse(text)?.squares.0, head.kind),
        }
    }

    /// Returns the text of an object over several lines, up to its closing brace.
    fn read_whole_object(&mut self) -> Result<Vec<u8>, ReadError> {
        let first = self.lines.number();
        let (mut text, mut depth, mut quoted, mut escaped) = (Vec::new(), 0usize, false, false);
        loop {
            let line = self.lines.text();
            if line.first() == Some(&b'{') && !text.is_empty() {
                break;
            }
            for &b in line {
                match b {
                    _ if escaped => escaped = false,
                    b'\\' if quoted => escaped = true,
                    b'"' => quoted = !quoted,
                    b'{' | b'[' if !quoted => depth += 1,
                    b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            text.extend_from_slice(line);
            text.push(b' ');
            if text.len() > MAX_LINE_BYTES {
                return Err(ReadError { line: first, kind: ReadErrorKind::LineTooLong });
            }
            if depth == 0 || !self.read_raw_line()? {
                return Ok(text);
            }
        }
        self.lines.push_back_fresh();
        Ok(text)
    }
}
