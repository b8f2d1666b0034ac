//! Magic and semi-magic tours. If the squares are numbered in order of visit, all rows have the
//! same sum, and all columns have the same sum.
//!
//! Such a tour is *semi-magic*. It is *magic* if in addition the board is square and the sum of
//! both main diagonals equals the sum of a row. On other rectangles the row sum differs from the
//! column sum, so no tour is magic. Boards with removed squares, with one row or with one column
//! have neither kind. A closed tour is numbered from the square where its sequence begins; numbered
//! from another square, it may not be magic. Cost O(squares).

use super::Tour;

/// The sums of the rows, columns and diagonals of a semi-magic or magic tour. Its squares are
/// numbered from 1 in order of visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSums {
    /// Sum of the numbers in each row.
    pub rows: u64,
    /// Sum of the numbers in each column.
    pub cols: u64,
    /// Sums of the two main diagonals of a square board: of the one from the lower left, then of
    /// the one from the upper left. `None` if the board is not square.
    pub diagonals: Option<[u64; 2]>,
}

impl LineSums {
    /// Returns true if the tour is magic: the sum of both main diagonals equals the sum of a row.
    #[must_use]
    pub fn is_magic(&self) -> bool {
        self.diagonals == Some([self.rows; 2])
    }

    /// Returns the name of the property, `magic` or `semi-magic`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.is_magic() { "magic" } else { "semi-magic" }
    }

    /// Returns the sums of numbers on a board, each given with its (file, rank); `None` if two rows
    /// or two columns have different sums.
    fn from_numbers(
        rows: usize,
        cols: usize,
        numbers: impl Iterator<Item = ((usize, usize), u64)>,
    ) -> Option<Self> {
        let (mut by_row, mut by_col, mut diagonals) = (vec![0; rows], vec![0; cols], [0; 2]);
        for ((file, rank), number) in numbers {
            by_row[rank] += number;
            by_col[file] += number;
            diagonals[0] += if file == rank { number } else { 0 };
            diagonals[1] += if file + rank + 1 == rows { number } else { 0 };
        }
        let are_equal = |sums: &[u64]| sums.len() > 1 && sums.iter().all(|&sum| sum == sums[0]);
        let is_square = rows == cols;
        (are_equal(&by_row) && are_equal(&by_col)).then(|| Self {
            rows: by_row[0],
            cols: by_col[0],
            diagonals: is_square.then_some(diagonals),
        })
    }
}

impl Tour {
    /// Returns the sums of rows and columns if the tour is semi-magic or magic; otherwise `None`.
    /// Cost O(squares).
    #[must_use]
    pub fn line_sums(&self) -> Option<LineSums> {
        let board = self.board().leaper_board()?.rectangle();
        if !board.removed().is_empty() {
            return None;
        }
        let place = |&v: &u32| {
            let square = board.square(v);
            (usize::from(square.file()), usize::from(square.rank()))
        };
        let (rows, cols) = (usize::from(board.rows()), usize::from(board.cols()));
        LineSums::from_numbers(rows, cols, self.vertices().iter().map(place).zip(1..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tour::{ReadOptions, TourReader};

    fn sums(rows: usize, numbers: &[u64]) -> Option<LineSums> {
        let cols = numbers.len() / rows;
        LineSums::from_numbers(
            rows,
            cols,
            numbers.iter().enumerate().map(|(i, &n)| ((i % cols, i / cols), n)),
        )
    }

    #[test]
    fn beverley_tour_is_semi_magic() {
        // William Beverley, 1848.
        let text = " 1 30 47 52  5 28 43 54
48 51  2 29 44 53  6 27
31 46 49  4 25  8 55 42
50  3 32 45 56 41 26  7
33 62 15 20  9 24 39 58
16 19 34 61 40 57 10 23
63 14 17 36 21 12 59 38
18 35 64 13 60 37 22 11
";
        let tour = TourReader::new(text.as_bytes(), ReadOptions::default()).next().unwrap().unwrap().tour;
        let sums = tour.line_sums().unwrap();
        assert_eq!((sums.rows, sums.cols, sums.name()), (260, 260, "semi-magic"));
        let other = Tour::new(tour.board(), tour.vertices().iter().rev().copied().collect()).unwrap();
        assert!(other.line_sums().is_some(), "backwards as well");
    }

    #[test]
    fn equal_diagonals_make_square_magic() {
        let lo_shu = sums(3, &[4, 9, 2, 3, 5, 7, 8, 1, 6]).unwrap();
        assert_eq!((lo_shu.rows, lo_shu.diagonals, lo_shu.name()), (15, Some([15, 15]), "magic"));
        let moved = sums(3, &[9, 2, 4, 5, 7, 3, 1, 6, 8]).unwrap();
        assert_eq!(moved.name(), "semi-magic", "a column has gone to the other side");
        assert_eq!(sums(3, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), None);
        let wide = sums(2, &[1, 7, 6, 4, 8, 2, 3, 5]).unwrap();
        assert_eq!((wide.rows, wide.cols, wide.diagonals, wide.is_magic()), (18, 9, None, false));
        assert_eq!(sums(1, &[1]), None);
    }
}
