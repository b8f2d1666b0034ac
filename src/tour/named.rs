//! Parser of tours by names, which stops as soon as the names cannot be a tour.

use crate::board::{Arena, ParseSquareError, Rectangle, Square};

use super::fault::{Fault, shown};
use super::known::Known;
use super::loose::{apart, is_loose, parts_of, squares_of, uncounted};
use super::words::{is_cube, parse_square, vertex, words};
use super::{Tour, TourKind, Wrong};

impl Known {
    /// Returns the tour by names on a line.
    pub(super) fn line(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        match self.graph() {
            Some(arena) => self.named(arena, vertices(arena, text), kind),
            None => self.squares(text, kind),
        }
    }

    /// Returns the names on a line in standard notation, or `None` if one of them is invalid.
    pub(super) fn names(&self, text: &[u8]) -> Option<Vec<String>> {
        match self.graph() {
            Some(arena) => vertices(arena, text).map(|v| v.ok().map(|v| arena.name(v))).collect(),
            None => {
                let (mut names, mut chain) = (Vec::new(), Chain::new());
                for word in words(uncounted(text)) {
                    let squares = squares_of_word(word).collect::<Result<Vec<Square>, _>>().ok()?;
                    names.extend(chain.of(&squares).iter().map(ToString::to_string));
                }
                Some(names)
            }
        }
    }

    /// Returns the tour of a board that is not a rectangle.
    pub(super) fn named(
        &self,
        arena: &Arena,
        found: impl Iterator<Item = Result<u32, Fault>>,
        kind: Option<TourKind>,
    ) -> Result<Tour, Fault> {
        let mut vertices: Vec<u32> = Vec::new();
        for v in found {
            let v = v?;
            let strange = vertices.last().is_some_and(|&before| !arena.is_move(before, v));
            vertices.push(v);
            if strange || vertices.len() > arena.len() {
                break;
            }
        }
        self.of_kind(Tour::new(arena, vertices)?, kind)
    }

    fn squares(&self, text: &[u8], kind: Option<TourKind>) -> Result<Tour, Fault> {
        let mut squares: Vec<Square> = Vec::new();
        let board = self.arena().and_then(Arena::rectangle).map(Rectangle::board);
        let leaper = self.leaper();
        // The smallest rectangle so far.
        let (mut rows, mut cols) = (0u32, 0u32);
        // Adds a square; true if the sequence is already wrong, so that the rest need not be read.
        let mut over = |square: Square| {
            rows = rows.max(u32::from(square.rank()) + 1);
            cols = cols.max(u32::from(square.file()) + 1);
            let strange = squares.last().is_some_and(|&before| !leaper.joins(before, square));
            squares.push(square);
            strange
                || squares.len() as u64 > board.map_or(u64::from(rows) * u64::from(cols), |b| b.len() as u64)
        };
        let mut chain = Chain::new();
        'all: for word in words(uncounted(text)) {
            match parse_square(word) {
                Ok(square) if !is_loose(word) => {
                    chain = Chain::new();
                    if over(square) {
                        break;
                    }
                }
                _ => {
                    let found: Vec<_> = squares_of(word).collect();
                    let is_back = chain.of(&found).len() < found.len();
                    for square in found.into_iter().skip(usize::from(is_back)) {
                        let is_strange =
                            |error| if is_cube(word) { Fault::Cube(shown(word)) } else { Fault::from(error) };
                        if over(square.map_err(is_strange)?) {
                            break 'all;
                        }
                    }
                }
            }
        }
        self.tour(squares, kind)
    }

    /// Checks squares on the known board, or on the smallest rectangle.
    pub(super) fn tour(&self, squares: Vec<Square>, kind: Option<TourKind>) -> Result<Tour, Fault> {
        let (arena, told) = match self.arena() {
            Some(arena) => (arena.clone(), false),
            None => (self.board_of(&squares)?, true),
        };
        match Tour::from_squares(&arena, squares) {
            Ok(tour) => self.of_kind(tour, kind),
            Err(error) if told && matches!(error.wrong(), Wrong::Incomplete { .. }) => {
                Err(Fault::Holes(error))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Parses the squares of a word, on a rectangle.
fn squares_of_word(word: &[u8]) -> impl Iterator<Item = Result<Square, ParseSquareError>> + '_ {
    let plain = parse_square(word).ok().filter(|_| !is_loose(word));
    let parts = if plain.is_none() { Some(squares_of(word)) } else { None };
    plain.map(Ok).into_iter().chain(parts.into_iter().flatten())
}

/// A chain of moves, each a word of its own: `a1-b3 b3-c5`. Each move begins where the previous one ended.
struct Chain<S> {
    /// End of the move in the previous word.
    end: Option<S>,
}

impl<S: Clone + PartialEq> Chain<S> {
    const fn new() -> Self {
        Self { end: None }
    }

    /// Returns the part of a word that the previous words do not contain.
    fn of<'a>(&mut self, word: &'a [S]) -> &'a [S] {
        let before = if word.is_empty() { return word } else { self.end.take() };
        let [from, to] = word else { return word };
        self.end = Some(to.clone());
        if before.as_ref() == Some(from) { &word[1..] } else { word }
    }
}

/// Returns the vertices on a line: each word is a name, or holds names in the notations of people. If names
/// may be any words, even numbers, only separators are removed.
fn vertices<'a>(arena: &'a Arena, text: &'a [u8]) -> impl Iterator<Item = Result<u32, Fault>> {
    let has_squares = arena.surface().is_some() || arena.cuboid().is_some();
    let is_counted = words(text).next().is_some_and(|word| vertex(arena, word).is_err());
    let mut chain = Chain::new();
    words(if is_counted { uncounted(text) } else { text }).flat_map(move |word| {
        let whole = vertex(arena, word);
        let are_names = || apart(word).all(|part| vertex(arena, part).is_ok());
        let (own, squares, names) = match whole {
            Err(_) if has_squares => (None, Some(parts_of(word)), None),
            Err(_) if are_names() => (None, None, Some(apart(word))),
            // The error shows a wrong name as it is written.
            whole => (Some(whole), None, None),
        };
        let parts = squares.into_iter().flatten().chain(names.into_iter().flatten());
        let parts: Vec<&[u8]> = parts.collect();
        let parts = if own.is_none() { chain.of(&parts).to_vec() } else { parts };
        own.into_iter().chain(parts.into_iter().map(|part| vertex(arena, part)))
    })
}
