//! Tours as pairs of coordinates: (row, column) or (x, y), counted from 0 or 1.
//!
//! On a rectangle whose size is not known, all these readings are mirror images of each other, so the first
//! one serves. On a known board, and with removed squares, each is tried; if several are tours, and the symmetries of
//! the board do not map them to each other, the pairs are ambiguous. Pairs on several lines are one tour if they can
//! be; otherwise a line that repeats a pair begins the next tour. Behind a damaged tour, the next one begins where as
//! many pairs as the tours above have are a tour (see `resume_points`).

use std::collections::HashSet;

use super::names::is_chain_of_moves;
use super::read_context::{CoordinateOrder, ReadContext};
use super::resume_points::SquareRun;
use crate::board::{Board, Square};
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::vertex_positions::VertexPositions;
use crate::tour::{Kind, SymmetryAction, Tour, TourError, TourErrorKind, TourKind, TourSpec};

/// Coordinates of the squares of a tour, in order of visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coordinates {
    /// The pairs, each with its line.
    pub(super) pairs: Vec<(u64, (u64, u64))>,
    /// Meaning of the pairs, if the file gives it.
    pub(super) order: Option<CoordinateOrder>,
}

/// A column and a row.
pub(super) type Position = (u64, u64);

/// One reading: the order of the numbers, and whether rows are counted in the other direction.
type Reading = (CoordinateOrder, bool);

impl Coordinates {
    /// Returns the coordinates of numbers of two digits each, with their lines.
    pub(super) fn from_digits(numbers: impl Iterator<Item = (u64, u64)>) -> Self {
        Self {
            pairs: numbers.map(|(line, number)| (line, (number / 10, number % 10))).collect(),
            order: None,
        }
    }

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
        let size = known.board().map(Board::len);
        let is_tour = |part: &Self| match part.to_tour(known, kind) {
            Ok(_) => true,
            Err(error) => matches!(error.kind, ReadErrorKind::AmbiguousCoordinates { .. }),
        };
        let [parts, others] = [true, false].map(|is_end| self.split_at_repeats(size, is_end));
        if parts.len().max(others.len()) < 2 || is_tour(self) {
            return None;
        }
        let count = |parts: &[Self]| parts.iter().filter(|part| is_tour(part)).count();
        let tours = count(&parts);
        let is_better = tours < parts.len() && others != parts && count(&others) > tours;
        let mut parts = if is_better { others } else { parts };
        let tours = count(&parts);
        if tours < parts.len()
            && let Some(size) = size.or_else(|| parts.iter().find_map(|part| part.tour_size(known, kind)))
            && let Some(others) = self.split_by_size(size, known)
            && count(&others) >= tours
        {
            parts = others;
        }
        // The last square of a tour, written twice.
        let (mut joined, mut from_end) = (Vec::with_capacity(parts.len()), parts.into_iter().rev());
        while let Some(mut part) = from_end.next() {
            if part.pairs.len() == 1
                && let Some(mut above) = from_end.next()
            {
                above.pairs.append(&mut part.pairs);
                part = above;
            }
            joined.push(part);
        }
        joined.reverse();
        let parts = joined;
        (parts.len() > 1 && parts.iter().any(is_tour)).then_some(parts)
    }

    /// Returns the number of squares of the tour.
    fn tour_size(&self, known: &ReadContext, kind: Option<TourKind>) -> Option<usize> {
        self.to_tour(known, kind).ok().map(|(tour, _)| tour.vertices().len())
    }

    /// Splits the pairs into tours of a rectangle, and the damaged parts between them; `None` for other boards.
    fn split_by_size(&self, size: usize, known: &ReadContext) -> Option<Vec<Self>> {
        if known.non_rectangle().is_some() {
            return None;
        }
        let square = |(a, b): (u64, u64)| Some(Square::new(u16::try_from(a).ok()?, u16::try_from(b).ok()?));
        let squares = self.pairs.iter().map(|(_, pair)| square(*pair)).collect();
        let is_first = |at: usize| at == 0 || self.pairs[at - 1].0 != self.pairs[at].0;
        let begins = (0..self.pairs.len()).map(is_first).collect();
        let leaper = known.leaper();
        let starts = SquareRun { squares, begins, size }.split(|from, to| leaper.can_move(from, to));
        let ends = starts.iter().skip(1).copied().chain([self.pairs.len()]);
        let part = |(&start, end)| Self { pairs: self.pairs[start..end].to_vec(), order: self.order };
        Some(starts.iter().zip(ends).map(part).collect())
    }

    /// Splits the pairs before each line that repeats a pair of the lines above it, and where the board has no more
    /// squares. A repeat of the first pair at the end of a line closes a tour; on a line of its own, it begins the next
    /// tour unless `is_end` is true. A line with a move that begins where the move above it ended continues the tour
    /// with the end of that move.
    fn split_at_repeats(&self, size: Option<usize>, is_end: bool) -> Vec<Self> {
        let (mut parts, mut seen) = (Vec::new(), HashSet::<(u64, u64)>::new());
        let mut part: Vec<(u64, (u64, u64))> = Vec::new();
        let mut end = 0;
        for line in self.pairs.chunk_by(|(line, _), (next, _)| line == next) {
            end += line.len();
            let is_move = line.len() == 2 && part.last().is_some_and(|(_, last)| *last == line[0].1);
            let row = if is_move { &line[1..] } else { line };
            let is_full = size.is_some_and(|size| part.len() >= size);
            let is_new = |pairs: &[(u64, (u64, u64))]| !pairs.iter().any(|(_, pair)| seen.contains(pair));
            let ((_, last), before) = row.split_last().expect("a line has a pair");
            let is_back = part.first().is_some_and(|(_, first)| first == last);
            let closes = is_back
                && match before {
                    [] => is_move || is_end || end == self.pairs.len(),
                    _ => !is_full && is_new(before),
                };
            if !part.is_empty() && !closes && (is_full || !is_new(row)) {
                parts.push(std::mem::replace(&mut part, line.to_vec()));
                seen = line.iter().map(|(_, pair)| *pair).collect();
                continue;
            }
            part.extend(row);
            seen.extend(row.iter().map(|(_, pair)| *pair));
            if closes {
                parts.push(std::mem::take(&mut part));
                seen.clear();
            }
        }
        parts.extend((!part.is_empty()).then_some(part));
        parts.into_iter().map(|pairs| Self { pairs, order: self.order }).collect()
    }

    /// Returns an error if the order of the coordinates is not given and both orders are tours, which may be mirror images
    /// of each other.
    pub(super) fn check_orders(&self, known: &ReadContext, kind: Option<TourKind>) -> Option<ReadErrorKind> {
        if self.order.or(known.coordinate_order()).is_some() {
            return None;
        }
        let tour = |order| {
            let ordered = Self { order: Some(order), ..self.clone() };
            ordered.to_tour(known, kind).ok().map(|(tour, _)| tour)
        };
        let (first, second) = (tour(CoordinateOrder::RowColumn)?, tour(CoordinateOrder::Xy)?);
        (first != second).then(|| {
            ambiguous_coordinates([(CoordinateOrder::RowColumn, false), (CoordinateOrder::Xy, false)])
        })
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
        if let (Some(stated), Some(requested)) = (self.order, known.coordinate_order())
            && stated != requested
        {
            let (file_value, option_value) = (stated.name().to_owned(), requested.name().to_owned());
            let property = "coordinates";
            return Err(at_first(ReadErrorKind::OptionConflict { property, file_value, option_value }));
        }
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
        for reading @ (_, is_flipped) in readings {
            // The option also gives the direction of the rows.
            let is_given = is_flipped && known.coordinate_order().is_some();
            let is_mirror_image = !known.has_marked_squares();
            if !found.is_empty() && (is_given || is_mirror_image) || is_flipped && is_mirror_image {
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
        // A tour forgets the restrictions of its board.
        let form = |tour: &Tour| {
            let board = known.restricted_board().or(known.board()).unwrap_or(tour.board());
            tour.symmetry_form().canonical(SymmetryAction::for_board(board))
        };
        if let Some(board) = known.restricted_board() {
            let spec = TourSpec::all(board.clone(), Kind::Paths);
            let keeps = |(tour, _): &(Tour, Reading)| spec.broken_restriction(tour).is_none();
            if found.iter().any(keeps) {
                found.retain(keeps);
            }
        }
        let Some((tour, (order, is_flipped))) = found.first() else {
            return Err(failed.expect("the first reading was tried"));
        };
        let is_other =
            |(other, _): &&(Tour, Reading)| other.board() != tour.board() || form(other) != form(tour);
        if let Some((_, other)) = found[1..].iter().find(is_other) {
            return Err(at_first(ambiguous_coordinates([(*order, *is_flipped), *other])));
        }
        let base = base(&pairs);
        let direction = direction_of_rows((*order, *is_flipped));
        Ok((tour.clone(), format!("{}, counted from {base}, rows {direction}", order.name())))
    }
}

/// Returns the error of two readings that are different tours.
fn ambiguous_coordinates(readings: [Reading; 2]) -> ReadErrorKind {
    let [first, second] =
        readings.map(|reading| format!("{} with rows {}", reading.0.name(), direction_of_rows(reading)));
    ReadErrorKind::AmbiguousCoordinates { first, second }
}

/// Returns the direction in which a reading counts the rows, in words.
const fn direction_of_rows(reading: Reading) -> &'static str {
    match reading {
        (CoordinateOrder::RowColumn, false) | (CoordinateOrder::Xy, true) => "from the top",
        _ => "from the bottom",
    }
}

/// Returns true if two lists of columns and rows name the same squares: each counts from 0 or 1, and the rows from
/// the top or the bottom.
pub(super) fn name_same_squares(first: &[Position], second: &[Position]) -> bool {
    let is_constant = |value: &dyn Fn(&Position, &Position) -> i128| {
        let mut values = first.iter().zip(second).map(|(a, b)| value(a, b));
        let constant = values.next();
        values.all(|value| Some(value) == constant).then_some(constant.unwrap_or(0))
    };
    let difference = |a: u64, b: u64| i128::from(a) - i128::from(b);
    let is_shift = |shift: Option<i128>| shift.is_some_and(|shift| shift.abs() < 2);
    is_shift(is_constant(&|a, b| difference(a.0, b.0)))
        && (is_shift(is_constant(&|a, b| difference(a.1, b.1)))
            || is_constant(&|a, b| i128::from(a.1) + i128::from(b.1)).is_some())
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
