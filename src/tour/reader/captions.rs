//! Lines of a file of tours that are no tour: captions, page numbers, skipped text and comments.

use std::io::BufRead;

use super::TourReader;
use super::cells::has_pairs;
use super::labelled_pairs::count_pairs;
use super::line_kind::{LineKind, unrecognised_line};
use super::text_lines::{
    self, is_header_of_numbers, is_prompt, is_prose, is_title_with_pair, is_title_with_square, quoted_text,
    shape_with_squares, stated_size, words_of,
};
use super::token::{decode_line, lex};
use crate::text_format::printable_excerpt;
use crate::tour::read_error::ReadError;

/// Largest number of lines of text of one shape with a square, between two tours.
const MAX_LIKE_LINES: u32 = 2;

/// Largest number of such shapes that are counted at once.
const MAX_SHAPES: usize = 1000;

/// Start of a comment with the index numbers of the tours that follow.
const NUMBERS_COMMENT_PREFIX: &[u8] = b"# numbers of ";

impl<R: BufRead> TourReader<R> {
    /// Returns true if the first line has a square or number that is no part of a tour, because of the lines
    /// around it: the number of the tour or the grid below, a start square above a grid, or the number of a
    /// page.
    pub(super) fn is_caption(&mut self, kind: &LineKind) -> bool {
        let is_graph = self.context.board().is_some_and(|board| !board.has_squares());
        let may_be = matches!(
            kind,
            LineKind::Names
                | LineKind::Numbers
                | LineKind::Brackets
                | LineKind::Unknown
                | LineKind::FileLetters(1)
        );
        if !may_be || is_graph {
            return false;
        }
        let decoded = decode_line(self.lines.line(0)).into_owned();
        let text = decoded.trim();
        let tokens = lex(text);
        let names_start = *kind != LineKind::Names && is_title_with_pair(&tokens);
        let is_command = is_prompt(text, &tokens);
        // A row with more words is a row of a grid.
        if *kind == LineKind::Numbers
            && text.split_whitespace().nth(3).is_some()
            && !names_start
            && !is_command
        {
            return false;
        }
        let is_number =
            text.bytes().all(|b| b.is_ascii_digit()) && text.len() < 6 && !matches!(text, "0" | "1");
        // A title may be in quotes: `"Tour from a1 to b3"`.
        let quoted = quoted_text(&tokens).filter(|_| *kind == LineKind::Unknown);
        let quoted_tokens = quoted.map(lex);
        let title_tokens = quoted_tokens.as_deref().unwrap_or(&tokens);
        let is_enumerator = !is_number && text_lines::is_enumerator(&tokens);
        // `Start at row 0, column 0`
        let may_be_text = matches!(count_pairs(&tokens), 1 | 2) && is_prose(text, &tokens);
        let may_be_title = *kind == LineKind::Names || quoted.is_some();
        let is_title = may_be_title && is_title_with_square(quoted.unwrap_or(text), title_tokens);
        if !is_number && !is_enumerator && !may_be_text && !is_title && !names_start && !is_command {
            return false;
        }
        let is_bracketed = text.starts_with('(') || text.starts_with(|c: char| c.is_alphabetic());
        let mut at = 1;
        let next = loop {
            match self.kind_at(at) {
                Some(LineKind::Blank | LineKind::Comment | LineKind::Rule) => at += 1,
                kind => break kind,
            }
        };
        if may_be_text {
            return count_pairs(&lex(&decode_line(self.lines.line(at)))) == 0;
        }
        if is_command {
            // Several commands in a row may be the moves of a tour.
            let below = decode_line(self.lines.line(at)).into_owned();
            return next.is_some() && !is_prompt(below.trim(), &lex(&below));
        }
        if names_start && !is_enumerator {
            // Not above the other coordinates of the tour.
            let below = decode_line(self.lines.line(at)).into_owned();
            return match next {
                Some(LineKind::Names) => self.find_name_tour(at).1.is_ok(),
                Some(LineKind::Numbers) => {
                    lex(&below).iter().filter(|token| token.is_number()).count() > 2
                        && !has_pairs(&lex(&below))
                }
                Some(LineKind::FileLetters(_) | LineKind::ColumnNumbers(_)) => true,
                _ => false,
            };
        }
        if is_title && matches!(next, Some(LineKind::Names)) {
            let below = decode_line(self.lines.line(at)).into_owned();
            let is_other = words_of(title_tokens).ne(words_of(&lex(&below)));
            return is_other && self.find_name_tour(at).1.is_ok() && self.find_name_tour(0).1.is_err();
        }
        let is_last_of_page = self.follows_blank
            && self.has_tour
            && (next.is_none() || self.kind_at(1) == Some(LineKind::Blank));
        if is_number || is_enumerator && is_last_of_page {
            return is_last_of_page;
        }
        let is_next_enumerator =
            is_enumerator && text_lines::is_enumerator(&lex(&decode_line(self.lines.line(at))));
        match next {
            // A letter may also name the only column.
            Some(LineKind::Numbers) if *kind == LineKind::FileLetters(1) => {
                self.lines.line(at).trim_ascii().contains(&b' ')
            }
            Some(LineKind::Numbers | LineKind::FileLetters(_) | LineKind::ColumnNumbers(_)) => {
                !is_next_enumerator
            }
            Some(LineKind::Brackets) => !is_next_enumerator,
            Some(LineKind::TableHeader(_) | LineKind::Object) => is_title,
            Some(LineKind::Names) => is_enumerator && is_bracketed && !is_next_enumerator,
            _ => false,
        }
    }

    /// Returns true if a tour is pending, or a line that is not blank follows.
    pub(super) fn has_more_lines(&mut self) -> bool {
        let is_content =
            |kind: &LineKind| !matches!(kind, LineKind::Blank | LineKind::Comment | LineKind::Rule);
        !self.pending.is_empty() || (0..).map_while(|at| self.kind_at(at)).any(|kind| is_content(&kind))
    }

    /// Forgets the shapes of skipped lines before a line that is no text.
    pub(super) fn forget_shapes(&mut self, kind: &LineKind) {
        if !matches!(kind, LineKind::Prose | LineKind::Signs | LineKind::Blank | LineKind::Comment) {
            self.skipped_shapes.clear();
        }
    }

    /// Skips the line of a text, with a report.
    pub(super) fn skip_line(&mut self) {
        let (line, text) = (self.lines.number(0), self.lines.line(0));
        let decoded = decode_line(text).into_owned();
        if let Some(size) = stated_size(&decoded) {
            self.stated_size = Some((line, size));
        }
        let tokens = lex(&decoded);
        if let Some(shape) = shape_with_squares(&quoted_text(&tokens).map_or(tokens, lex)) {
            if self.skipped_shapes.len() > MAX_SHAPES {
                self.skipped_shapes.clear();
            }
            let count = self.skipped_shapes.entry(shape).or_default();
            *count += 1;
            if *count > MAX_LIKE_LINES {
                // A line for each move is a tour, not text.
                self.pending.push_back(Err(ReadError { line, kind: unrecognised_line(text) }));
                self.lines.advance(1);
                return;
            }
        }
        let below = self.lines.peek(1).map(decode_line).unwrap_or_default();
        self.has_unread_header = is_header_of_numbers(&decoded, &below);
        let text = self.lines.line(0);
        if text.iter().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii()) {
            self.notes.add_skipped_line(line, &printable_excerpt(text.trim_ascii()));
        }
        self.first_skipped.get_or_insert_with(|| ReadError { line, kind: unrecognised_line(text) });
        self.lines.advance(1);
    }

    /// Stores a comment with index numbers.
    pub(super) fn record_comment(&mut self) {
        let text = self.lines.line(0).trim_ascii();
        if text.starts_with(NUMBERS_COMMENT_PREFIX) {
            self.numbers_comment = Some(String::from_utf8_lossy(text).into_owned());
        }
    }
}
