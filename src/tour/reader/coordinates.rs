//! Tours as pairs of coordinates: (row, column) or (x, y), counted from 0 or 1.
//!
//! On a rectangle whose size is not known, all these readings are mirror images of each other, so the first
//! one serves. On a known board each is tried; if several are tours, and the symmetries of the board do not
//! map them to each other, the pairs are ambiguous. Pairs on several lines are one tour if they can be; otherwise
//! a line that repeats a pair begins the next tour.

use std::collections::HashSet;

use super::move_numbers::is_chain_of_moves;
use super::read_context::{CoordinateOrder, ReadContext};
use crate::board::{Board, Square};
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::vertex_positions::VertexPositions;
use crate::tour::{Tour, TourError, TourErrorKind, TourKind};

/// Pairs of names of coordinates, as columns or keys.
pub(super) const COORDINATE_NAMES: [([&str; 2], CoordinateOrder); 8] = [
    (["row", "col"], CoordinateOrder::RowColumn),
    (["row", "column"], CoordinateOrder::RowColumn),
    (["file", "rank"], CoordinateOrder::Xy),
    (["x", "y"], CoordinateOrder::Xy),
    (["X", "Y"], CoordinateOrder::Xy),
    (["r", "c"], CoordinateOrder::RowColumn),
    (["i", "j"], CoordinateOrder::RowColumn),
    (["f", "r"], CoordinateOrder::Xy),
];
/// Pairs of names of the two ends of a move.
pub(super) const MOVE_NAMES: [[&str; 2]; 4] =
    [["from", "to"], ["start", "end"], ["source", "target"], ["source", "destination"]];

/// Coordinates of the squares of a tour, in order of visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coordinates {
    /// The pairs, each with its line.
    pub(super) pairs: Vec<(u64, (u64, u64))>,
    /// Meaning of the pairs, if the file gives it.
    pub(super) order: Option<CoordinateOrder>,
}

/// One reading: the order of the numbers, and whether rows are counted in the other direction.
type Reading = (CoordinateOrder, bool);

impl Coordinates {
    /// Returns the line of the first pair.
    pub(super) fn first_line(&self) -> u64 {
        self.pairs.first().map_or(0, |(line, _)| *line)
    }

    /// Returns the lines and the pairs; of moves, each of which begins where the one before it ended, each pair
    /// once.
    fn join_moves(&self) -> (Vec<u64>, Vec<(u64, u64)>) {
        let (lines, pairs): (Vec<_>, Vec<_>) = self.pairs.iter().copied().unzip();
        if !is_chain_of_moves(&pairs) {
            return (lines, pairs);
        }
        let ends = self.pairs.iter().enumerate().filter(|(at, _)| *at == 0 || at % 2 == 1);
        ends.map(|(_, &pair)| pair).unzip()
    }

    /// Returns the parts that are tours, if the pairs are no tour and begin again on later lines. Otherwise returns
    /// `None`. Cost O(pairs) for each reading.
    pub(super) fn split_tours(&self, known: &ReadContext, kind: Option<TourKind>) -> Option<Vec<Self>> {
        let parts = self.split_at_repeats(known.board().map(Board::len));
        let is_tour = |part: &Self| match part.to_tour(known, kind) {
            Ok(_) => true,
            Err(error) => matches!(error.kind, ReadErrorKind::AmbiguousCoordinates { .. }),
        };
        (parts.len() > 1 && !is_tour(self) && parts.iter().any(is_tour)).then_some(parts)
    }

    /// Splits the pairs before each line that repeats a pair of the lines above it, and where the board has no more
    /// squares. A repeat of the first pair at the end of a line closes a tour.
    fn split_at_repeats(&self, size: Option<usize>) -> Vec<Self> {
        let (mut parts, mut seen) = (Vec::new(), HashSet::<(u64, u64)>::new());
        let (mut begin, mut at) = (0, 0);
        let part = |from: usize, to: usize| Self { pairs: self.pairs[from..to].to_vec(), order: self.order };
        for row in self.pairs.chunk_by(|(line, _), (next, _)| line == next) {
            let end = at + row.len();
            let is_full = size.is_some_and(|size| at - begin >= size);
            let is_repeat = row.iter().any(|(_, pair)| seen.contains(pair));
            let is_new = |pairs: &[(u64, (u64, u64))]| !pairs.iter().any(|(_, pair)| seen.contains(pair));
            let ((_, last), before) = row.split_last().expect("a line has a pair");
            // A pair on a line of its own may also begin the next tour.
            let is_last = match before {
                [] => self.pairs.get(end).is_none_or(|(_, next)| next == last),
                _ => !is_full && is_new(before),
            };
            if begin < at && *last == self.pairs[begin].1 && is_last {
                parts.push(part(begin, end));
                (begin, at) = (end, end);
                seen.clear();
                continue;
            }
            if begin < at && (is_full || is_repeat) {
                parts.push(part(begin, at));
                begin = at;
                seen.clear();
            }
            seen.extend(row.iter().map(|(_, pair)| *pair));
            at = end;
        }
        if begin < at {
            parts.push(part(begin, at));
        }
        parts
    }

    /// Returns the tour, and its reading in words.
    ///
    /// # Errors
    /// No reading is a tour ([`ReadErrorKind::Coordinates`]), or several are
    /// ([`ReadErrorKind::AmbiguousCoordinates`]).
    pub(super) fn to_tour(
        &self,
        known: &ReadContext,
        kind: Option<TourKind>,
    ) -> Result<(Tour, String), ReadError> {
        let first_line = self.first_line();
        let at_first = |kind| ReadError { line: first_line, kind };
        let order = self.order.or(known.coordinate_order());
        let orders = order.map_or(vec![CoordinateOrder::RowColumn, CoordinateOrder::Xy], |order| vec![order]);
        if self.pairs.len() < 2 {
            return Err(at_first(ReadErrorKind::Coordinates("there is only one pair".to_owned())));
        }
        let (lines, mut pairs) = self.join_moves();
        // A closed tour may repeat its first square.
        let is_repeated = pairs.len() > 3 && pairs.first() == pairs.last();
        if is_repeated {
            pairs.pop();
        }
        let kind = if is_repeated { Some(TourKind::Closed) } else { kind };
        let mut found: Vec<(Tour, Reading)> = Vec::new();
        let mut failed = None;
        let readings = orders.iter().flat_map(|&order| [(order, false), (order, true)]);
        for reading @ (order, is_flipped) in readings {
            let is_needless = match known.board() {
                // A flip of an unknown board is a mirror image of the first reading.
                None => is_flipped || !found.is_empty(),
                Some(_) => is_flipped && found.iter().any(|(_, (other, _))| *other == order),
            };
            if is_needless {
                continue;
            }
            match tour_of(&pairs, reading, known) {
                Ok(tour) => match known.check_kind(tour, kind) {
                    Ok(tour) => found.push((tour, reading)),
                    Err(kind) => _ = failed.get_or_insert(at_first(kind)),
                },
                Err(error) => {
                    let line = error.kind().index().and_then(|at| lines.get(at)).copied();
                    let kind = ReadErrorKind::Coordinates(error.to_string());
                    failed.get_or_insert(ReadError { line: line.unwrap_or(first_line), kind });
                }
            }
        }
        let Some((tour, (order, is_flipped))) = found.first() else {
            return Err(failed.expect("the first reading was tried"));
        };
        let form = tour.canonical_form();
        if let Some((_, (other, _))) = found.iter().find(|(other, _)| other.canonical_form() != form) {
            let (first, second) = (order.name(), other.name());
            return Err(at_first(ReadErrorKind::AmbiguousCoordinates { first, second }));
        }
        let base = base(&pairs);
        let direction = match (order, is_flipped) {
            (CoordinateOrder::RowColumn, false) | (CoordinateOrder::Xy, true) => "from the top",
            _ => "from the bottom",
        };
        Ok((tour.clone(), format!("{}, counted from {base}, rows {direction}", order.name())))
    }
}

/// Returns the smallest coordinate that occurs: 0, else 1.
fn base(pairs: &[(u64, u64)]) -> u64 {
    u64::from(pairs.iter().all(|&(a, b)| a > 0 && b > 0))
}

/// Returns the tour of one reading.
fn tour_of(
    pairs: &[(u64, u64)],
    (order, is_flipped): Reading,
    known: &ReadContext,
) -> Result<Tour, TourError> {
    let base = base(pairs);
    // Coordinates beyond the largest board stay beyond it.
    let side = |number: u64| u16::try_from(number - base).unwrap_or(u16::MAX);
    let positions: Vec<(u16, u16)> = pairs
        .iter()
        .map(|&(a, b)| match order {
            CoordinateOrder::RowColumn => (side(a), side(b)),
            CoordinateOrder::Xy => (side(b), side(a)),
        })
        .collect();
    let rows_from_top = (order == CoordinateOrder::RowColumn) != is_flipped;
    let greatest = positions.iter().map(|&(row, _)| row).max().unwrap_or(0);
    let square = |rows: u16, (row, col): (u16, u16)| {
        let rank = if rows_from_top { rows.checked_sub(1)?.checked_sub(row)? } else { row };
        Some(Square::new(col, rank))
    };
    let unknown = |position: usize, (row, col): (u16, u16)| TourErrorKind::UnknownVertex {
        position: position + 1,
        name: format!("row {} column {}", u64::from(row) + base, u64::from(col) + base),
    };
    match known.board() {
        Some(board) => {
            let Ok(places) = VertexPositions::of_board(board) else {
                return Tour::new(board, vec![u32::MAX]);
            };
            let find = places.vertex_lookup();
            let vertices = positions.iter().enumerate().map(|(at, &position)| {
                let v = square(places.rows(), position).and_then(&find);
                v.ok_or_else(|| TourError::new(board.clone(), unknown(at, position)))
            });
            Tour::new(board, vertices.collect::<Result<_, _>>()?)
        }
        None => {
            let squares: Vec<Square> = positions
                .iter()
                .filter_map(|&position| square(greatest.saturating_add(1), position))
                .collect();
            match known.smallest_board(&squares) {
                Ok(board) => Tour::from_squares(&board, squares),
                Err(_) => {
                    let board: Board = Board::from_graph(crate::board::Graph::from_edges(0, []));
                    Err(TourError::new(board, unknown(0, positions.first().copied().unwrap_or_default())))
                }
            }
        }
    }
}
