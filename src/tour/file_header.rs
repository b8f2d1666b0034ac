//! The header line of a tour file, which gives the board and the kind of the tours.
//!
//! ```text
//! # ktour board=8x8 piece=1,2 remove=- kind=closed
//! # ktour graph=DqK names=a,b,c,d,e kind=paths
//! ```
//!
//! A header holds for the tours up to the next header, so files can be concatenated. Other programs take it
//! for a comment. A line that begins with `# ktour` and has no `=` in its next word is a comment here as
//! well.

use crate::board::{Board, BoardError};

use super::Kind;

/// Start of the line.
const HEADER_PREFIX: &str = "# ktour ";

/// Contents of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileHeader {
    /// Text form of the board, if present.
    pub(super) board: Option<String>,
    /// Kind of the tours, if present.
    pub(super) kind: Option<Kind>,
}

impl FileHeader {
    /// Returns the header line, with its line end.
    pub(super) fn format_line(board: &str, kind: Kind) -> String {
        format!("{HEADER_PREFIX}{board} kind={}\n", kind.name())
    }

    /// Parses a line without its line end; returns `None` for any other comment.
    pub(super) fn parse_line(text: &[u8]) -> Option<Result<Self, BoardError>> {
        let words = text.strip_prefix(HEADER_PREFIX.as_bytes())?;
        let first = words.trim_ascii_start().split(u8::is_ascii_whitespace).next()?;
        first.contains(&b'=').then(|| Self::parse_fields(words))
    }

    fn parse_fields(words: &[u8]) -> Result<Self, BoardError> {
        let wrong = |what: String| BoardError::TextForm(what);
        let words = std::str::from_utf8(words)
            .map_err(|_| wrong("the header is not UTF-8; save the file as UTF-8".to_owned()))?;
        let mut found = Self::default();
        let mut board: Vec<&str> = Vec::new();
        for word in words.split_whitespace() {
            match word.strip_prefix("kind=") {
                None => board.push(word),
                Some(name) => {
                    let kind = Kind::from_name(name);
                    found.kind = Some(kind.ok_or_else(|| {
                        wrong(format!("`{word}` is not a kind; use kind=closed, kind=open or kind=paths"))
                    })?);
                }
            }
        }
        // A hand-written header may omit the usual values.
        if board.first().is_some_and(|word| word.starts_with("board=")) {
            for (key, usual) in [("piece=", "piece=1,2"), ("remove=", "remove=-")] {
                let is_there =
                    |word: &&str| word.starts_with(key) || key == "piece=" && word.starts_with("leaper=");
                if !board.iter().any(is_there) {
                    board.push(usual);
                }
            }
        }
        found.board = (!board.is_empty()).then(|| board.join(" "));
        Ok(found)
    }

    /// Parses the text form of a board.
    pub(super) fn parse_board(text: &str) -> Result<Board, BoardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{CustomGraph, Graph};

    #[test]
    fn header_round_trips_for_every_board_kind() {
        let ring = Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5)));
        let named = CustomGraph::new(ring.clone()).with_names(["a b", "=", ",", "\"", "#"]).unwrap();
        let boards = ["board=5x9 piece=1,2 remove=c3,c4", "board=10x10 piece=1,4 remove=-"];
        let boards = boards.map(|text| text.parse().unwrap());
        for board in
            [Board::from_graph(ring), Board::new(named.with_title("five = 5"))].into_iter().chain(boards)
        {
            for kind in Kind::ALL {
                let line = FileHeader::format_line(&board.to_string(), kind);
                let found = FileHeader::parse_line(line.trim_end().as_bytes()).unwrap().unwrap();
                assert_eq!(found.kind, Some(kind));
                assert_eq!(FileHeader::parse_board(&found.board.unwrap()), Ok(board.clone()));
            }
        }
    }

    #[test]
    fn parse_line_ignores_other_comments() {
        for remark in
            ["#", "# ktour", "# ktour list 5x5 --start=a1", "# a remark", "#ktour board=8x8", "a1 b3"]
        {
            assert_eq!(FileHeader::parse_line(remark.as_bytes()), None, "{remark}");
        }
        let kind = FileHeader::parse_line(b"# ktour kind=open").unwrap().unwrap();
        assert_eq!(kind, FileHeader { board: None, kind: Some(Kind::Open) });
        let short = FileHeader::parse_line(b"# ktour board=8x8  kind=closed").unwrap().unwrap();
        assert_eq!(short.board.as_deref(), Some("board=8x8 piece=1,2 remove=-"));
        let old = FileHeader::parse_line(b"# ktour board=8x8 leaper=1,4").unwrap().unwrap();
        assert!(FileHeader::parse_board(&old.board.unwrap()).is_ok());
        assert!(FileHeader::parse_line(b"# ktour board=8x8 kind=round").unwrap().is_err());
    }
}
