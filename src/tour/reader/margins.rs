//! The margins of a number grid: labels of its rows and columns, and a line with the sizes above it.
//!
//! ```text
//! 2 | 1 4 |      ranks before the first bar, or on both sides         0  1     columns and rows
//! 1 | 3 2 |                                                      0    1  4     as pandas and R
//!     a b        file letters above or below                     1    3  2     print them
//! ```
//!
//! A margin must count: up or down by one, from or to 0 or 1. A margin without a sign of its own is
//! recognised because the numbers without it are those of a tour, each once, and with it they are not.
//! Ranks go down to 1 from row to row. If they go up and file letters are above or below, the first row is
//! the lowest rank. Row numbers below column numbers go up. Any other labels contradict the order of the rows
//! and are rejected.

use super::cells::{Cell, EMPTY_CELL, HOLE, LAYER_GAP, RawRow, is_number, is_permutation};
use super::coordinates::Coordinates;
use super::steps::{StepOrder, order_by_steps};
use crate::tour::read_error::{ReadError, ReadErrorKind};

/// A row of a grid without its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GridRow {
    pub(super) line: u64,
    pub(super) cells: Vec<u32>,
}

/// Consecutive rows as they are written, with the lines of letters above and below them.
#[derive(Clone, Debug, Default)]
pub(super) struct RawBlock {
    pub(super) rows: Vec<RawRow>,
    /// Number of file letters or of column numbers with a sign of their own, if there are any.
    pub(super) letters: Option<usize>,
    /// Number of file letters below the grid, if it differs from that above.
    pub(super) other_letters: Option<usize>,
    /// True if these name columns by number, as in `[,1] [,2]`.
    pub(super) are_numbers: bool,
    /// Rows and columns of the known board on the page.
    pub(super) board_size: Option<(usize, usize)>,
    /// Labels on the two sides of a row that differ.
    pub(super) different_labels: Option<(u32, u32)>,
}

/// Lines above a grid that give sizes: at most this many numbers.
const MAX_SIZES: usize = 3;

/// Signs that separate columns.
const COLUMN_SIGNS: [&str; 3] = ["!", "\u{b7}", "\u{2022}"];

impl RawBlock {
    /// Returns the rows from the top rank, without labels.
    ///
    /// # Errors
    /// [`ReadErrorKind::NotANumber`], and those of labels that do not count.
    pub(super) fn into_rows(mut self) -> Result<Vec<GridRow>, ReadError> {
        let first_line = self.rows.first().map_or(0, |row| row.line);
        self.drop_column_signs();
        self.drop_letter_labels();
        self.drop_last_empty_cells();
        self.drop_sizes();
        let has_numbers = self.take_column_numbers() || self.are_numbers;
        self.fill_blanks();
        self.take_labels();
        self.check_column_labels().map_err(|kind| ReadError { line: first_line, kind })?;
        let is_reversed =
            self.are_ranks_ascending(has_numbers).map_err(|kind| ReadError { line: first_line, kind })?;
        let mut rows = self.to_cells()?;
        if let Some(height) = is_reversed {
            rows.chunks_mut(height).for_each(<[GridRow]>::reverse);
        }
        Ok(rows)
    }

    /// Returns the tours of rows of two numbers behind a number or label that counts them, `1 0 0` or `1: 0, 0`, if they
    /// are no grid.
    pub(super) fn numbered_pairs(&self) -> Option<Vec<Result<Coordinates, ReadError>>> {
        let rows = || self.rows.iter();
        let has_labels = rows().all(|row| row.label.is_some());
        let width = if has_labels { 2 } else { 3 };
        if self.rows.len() < 4
            || self.letters.is_some()
            || self.board_size.is_some_and(|(rows, cols)| cols == width && self.rows.len() <= rows)
            || rows().any(|row| row.cells.len() != width)
        {
            return None;
        }
        let numbers: Vec<Vec<u32>> = rows().map(RawRow::numbers).collect::<Option<_>>()?;
        if are_stacked_grids(&numbers) {
            return None;
        }
        let step = |(row, numbers): (&RawRow, &Vec<u32>)| Some(row.label.unwrap_or(numbers[0]).into());
        let steps: Vec<Option<u64>> = rows().zip(&numbers).map(step).collect();
        let orders = order_by_steps(&steps, true);
        let pair = |at: usize| {
            let pair = &numbers[at][width - 2..];
            (self.rows[at].line, (pair[0].into(), pair[1].into()))
        };
        let tour = |order: StepOrder| match order {
            Ok(order) => Ok(Coordinates { pairs: order.into_iter().map(pair).collect(), order: None }),
            Err((at, reason)) => {
                Err(ReadError { line: self.rows[at].line, kind: ReadErrorKind::StepNumbers(reason) })
            }
        };
        (has_labels || orders.iter().any(Result::is_ok)).then(|| orders.into_iter().map(tour).collect())
    }

    /// Returns the pairs of coordinates of the rows, if they can be nothing else: glued pairs, or a list of numbers of
    /// two digits.
    pub(super) fn pairs(&self) -> Option<Coordinates> {
        let rows = || self.rows.iter();
        let located = |row: &RawRow, pair: &[u32]| (row.line, (u64::from(pair[0]), u64::from(pair[1])));
        let numbers: Vec<(&RawRow, Vec<u32>)> =
            rows().map(|row| Some((row, row.numbers()?))).collect::<Option<_>>()?;
        let pairs = match () {
            () if rows().all(|row| row.has_pairs) => numbers
                .iter()
                .flat_map(|(row, numbers)| numbers.chunks_exact(2).map(|pair| located(row, pair)))
                .collect(),
            // One row, or one column: `13 32 11`, also with a zero: `02 21`.
            () if rows().all(|row| row.digits == (2, 2))
                && (self.rows.len() == 1 || rows().all(|row| row.cells.len() == 1))
                && !are_tours(rows(), 0, 0) =>
            {
                numbers
                    .iter()
                    .flat_map(|(row, numbers)| {
                        numbers.iter().map(|&number| located(row, &[number / 10, number % 10]))
                    })
                    .collect()
            }
            () => return None,
        };
        Some(Coordinates { pairs, order: None })
    }

    fn to_cells(&self) -> Result<Vec<GridRow>, ReadError> {
        let cell = |row: &RawRow, cell: &Cell| match cell {
            Cell::Known(number) => Ok(*number),
            Cell::Sign(_) if self.board_size.is_some() => Ok(HOLE),
            Cell::Sign(text) | Cell::Text(text) => {
                Err(ReadError { line: row.line, kind: ReadErrorKind::NotANumber(text.clone()) })
            }
        };
        let to_row = |row: &RawRow| {
            let cells = row.cells.iter().map(|text| cell(row, text)).collect::<Result<_, _>>()?;
            Ok(GridRow { line: row.line, cells })
        };
        self.rows.iter().map(to_row).collect()
    }

    /// Removes signs between the columns, if every row has the same one at the same places: `1 ! 4 ! 7`. In a row as wide
    /// as the known board, they are removed squares.
    fn drop_column_signs(&mut self) {
        let is_separator =
            |cell: &&Cell| matches!(cell, Cell::Sign(sign) if COLUMN_SIGNS.contains(&sign.as_str()));
        let Some(first) = self.rows.first().filter(|_| self.rows.len() > 1) else { return };
        let Some(sign) = first.cells.iter().find(is_separator).cloned() else { return };
        let places = |row: &RawRow| -> Vec<usize> {
            (0..row.cells.len()).filter(|&column| row.cells[column] == sign).collect()
        };
        let (width, columns) = (first.cells.len(), places(first));
        let is_board = self.board_size.is_some_and(|(_, cols)| cols == width);
        if is_board || self.rows.iter().any(|row| row.cells.len() != width || places(row) != columns) {
            return;
        }
        for row in &mut self.rows {
            columns.iter().rev().for_each(|&column| row.remove(column));
        }
    }

    /// Removes letters that name the rows: `A | 1 | 4 |`, `B | 3 | 2 |`.
    fn drop_letter_labels(&mut self) {
        let is_letter = |(at, row): (usize, &RawRow)| match row.cells.first() {
            Some(Cell::Text(text)) => {
                let expected =
                    u8::try_from(at).ok().and_then(|at| b'a'.checked_add(at)).filter(u8::is_ascii_lowercase);
                expected.is_some_and(|letter| text.eq_ignore_ascii_case(&char::from(letter).to_string()))
            }
            _ => false,
        };
        if self.rows.iter().enumerate().all(is_letter) {
            self.rows.iter_mut().for_each(|row| row.remove(0));
        }
    }

    /// Removes the empty cell behind a last comma, if only some rows have one.
    fn drop_last_empty_cells(&mut self) {
        let widths = || self.rows.iter().map(|row| row.cells.len());
        let (Some(least), Some(most)) = (widths().min(), widths().max()) else { return };
        let is_ragged =
            |row: &RawRow| row.cells.len() == least || row.cells.last() == Some(&Cell::Known(EMPTY_CELL));
        if most == least + 1 && self.rows.iter().all(is_ragged) {
            self.rows.iter_mut().filter(|row| row.cells.len() == most).for_each(RawRow::remove_last);
        }
    }

    /// Removes a first row that gives the sizes of the grid below it: its rows and columns, the side of a
    /// square, or the number of squares.
    fn drop_sizes(&mut self) {
        let [first, below @ ..] = self.rows.as_slice() else { return };
        let Some(width) = below.first().map(|row| row.cells.len()) else { return };
        // `3 4`, or `3 x 4`.
        let is_times = |cell: &Cell| matches!(cell, Cell::Sign(sign) if sign.eq_ignore_ascii_case("x"));
        let has_times = first.cells.len() == 3 && is_times(&first.cells[1]);
        let columns = (0..first.cells.len()).filter(|&column| !(has_times && column == 1));
        let sizes: Option<Vec<usize>> =
            columns.map(|column| first.number(column).map(|n| n as usize)).collect();
        let Some(sizes) = sizes
            .filter(|sizes| (1..=MAX_SIZES).contains(&sizes.len()) && (has_times || sizes.len() != width))
        else {
            return;
        };
        let height = below.len();
        let are_sizes = match sizes[..] {
            [size] => size == width && size == height || size == width * height,
            [a, b] => (a, b) == (height, width) || (a, b) == (width, height),
            _ => false,
        };
        if are_sizes && below.iter().all(|row| row.cells.len() == width) {
            self.rows.remove(0);
        }
    }

    /// Removes a row above or below the others that counts the columns; returns true if there was one.
    fn take_column_numbers(&mut self) -> bool {
        if self.letters.is_some() || self.rows.len() < 2 {
            return false;
        }
        let width = self.rows[1].cells.len();
        if self.rows[1..self.rows.len() - 1].iter().any(|row| row.cells.len() != width) {
            return false;
        }
        let last = self.rows.len() - 1;
        for at in [0, last] {
            let row = &self.rows[at];
            let is_other = |other: usize| self.rows.get(other).is_some_and(|row| row.cells.len() == width);
            let neighbour = if at == 0 { 1 } else { at - 1 };
            let (count, is_cornered) = match row.numbers_after_corner() {
                Some((numbers, is_cornered)) if counts_up(&numbers) => (numbers.len(), is_cornered),
                _ => continue,
            };
            // As wide as the rows: only if the numbers of the rows alone are those of a tour.
            let is_shorter = count + 1 == width && (is_cornered || row.cells.len() + 1 == width);
            let begins = self.rows[neighbour].cells.first();
            let is_margin = count > 1
                && is_other(neighbour)
                && match is_shorter {
                    true if at == 0 => {
                        matches!(begins, Some(Cell::Known(0 | 1))) || self.is_label_column(at, 0)
                    }
                    true => self.is_label_column(at, 0),
                    false => {
                        let others: Vec<&RawRow> = self
                            .rows
                            .iter()
                            .enumerate()
                            .filter(|(other, _)| *other != at)
                            .map(|(_, row)| row)
                            .collect();
                        count == width
                            && !are_tours(self.rows.iter(), 0, 0)
                            && are_tours(others.into_iter(), 0, 0)
                    }
                };
            if is_margin {
                self.rows.remove(at);
                self.letters = Some(count);
                return true;
            }
        }
        false
    }

    /// Returns true if a column counts rows, with `skipped` as the only row without a label.
    fn is_label_column(&self, skipped: usize, column: usize) -> bool {
        let labels = self.rows.iter().enumerate().filter(|(at, _)| *at != skipped);
        let labels: Option<Vec<u32>> = labels.map(|(_, row)| row.number(column)).collect();
        labels.is_some_and(|labels| counts_up(&labels) || counts_down(&labels))
    }

    /// Gives blank squares of a known board a cell: a number belongs to the column under which it ends.
    fn fill_blanks(&mut self) {
        let Some((_, cols)) = self.board_size else { return };
        let has_short = self.rows.iter().any(|row| row.is_aligned && row.cells.len() < cols);
        let Some(full) = self.rows.iter().find(|row| row.cells.len() == cols).filter(|_| has_short) else {
            return;
        };
        let ends = full.ends.clone();
        let mut filled = Vec::new();
        for row in &self.rows {
            let mut cells = vec![Cell::Known(HOLE); cols];
            let mut last = None;
            for (cell, &end) in row.cells.iter().zip(&row.ends) {
                let column = ends.iter().position(|&column| column == end);
                // A number that ends between two columns, or is left of the one before it.
                let Some(column) = column.filter(|&column| last.is_none_or(|last| last < column)) else {
                    return;
                };
                cells[column] = cell.clone();
                last = Some(column);
            }
            if !row.is_aligned || row.cells.len() > cols {
                return;
            }
            filled.push(cells);
        }
        for (row, cells) in self.rows.iter_mut().zip(filled) {
            (row.cells, row.ends) = (cells, ends.clone());
        }
    }

    /// Moves labels in the first column, or in the first and the last one, into the rows' labels.
    fn take_labels(&mut self) {
        let Some(width) = self.rows.first().map(|row| row.cells.len()) else { return };
        if self.rows.iter().any(|row| row.cells.len() != width || row.label.is_some()) {
            return;
        }
        let sides = match self.letters {
            // The first column holds numbers of the tour and no labels.
            Some(_) if !self.is_label_column(usize::MAX, 0) && are_tours(self.rows.iter(), 0, 0) => None,
            Some(columns) => match width.checked_sub(columns) {
                Some(1) => Some((1, 0)),
                Some(2) => Some((1, 1)),
                _ => None,
            },
            None if self.rows.len() < 2 || self.board_size.is_some_and(|(_, cols)| cols == width) => None,
            None => {
                let rows = || self.rows.iter();
                let is_both =
                    || self.is_label_column(usize::MAX, 0) && self.is_label_column(usize::MAX, width - 1);
                match () {
                    () if !self.is_label_column(usize::MAX, 0) || are_tours(rows(), 0, 0) => None,
                    () if are_tours(rows(), 1, 0) => Some((1, 0)),
                    () if width > 2 && is_both() && are_tours(rows(), 1, 1) => Some((1, 1)),
                    () => None,
                }
            }
        };
        let Some((_, right)) = sides else { return };
        for row in &mut self.rows {
            let first = row.number(0);
            if right == 1 {
                if let (Some(a), Some(b)) = (first, row.number(width - 1))
                    && a != b
                {
                    self.different_labels.get_or_insert((a, b));
                }
                row.remove_last();
            }
            row.label = first;
            row.remove(0);
        }
    }

    /// Checks that there is a letter or number for each column; the columns between the layers of a box may have none.
    fn check_column_labels(&self) -> Result<(), ReadErrorKind> {
        let (Some(letters), Some(width)) = (self.letters, self.rows.first().map(|row| row.cells.len()))
        else {
            return Ok(());
        };
        if self.rows.iter().any(|row| row.cells.len() != width) {
            return Ok(());
        }
        let is_gap = |column: &usize| {
            self.rows.iter().all(|row| matches!(row.cells[*column], Cell::Known(EMPTY_CELL | LAYER_GAP)))
        };
        let gaps = (0..width).filter(is_gap).count();
        let wrong = |letters: usize| letters != width && letters != width - gaps;
        match [Some(letters), self.other_letters].into_iter().flatten().find(|&letters| wrong(letters)) {
            Some(labels) => Err(ReadErrorKind::ColumnLabels { labels, columns: width }),
            None => Ok(()),
        }
    }

    /// Returns `Some(height)` if ranks ascend, so that each layer of `height` rows (or the whole grid) must
    /// be reversed.
    fn are_ranks_ascending(&self, has_numbers: bool) -> Result<Option<usize>, ReadErrorKind> {
        if let Some((a, b)) = self.different_labels {
            return Err(ReadErrorKind::RankLabels(format!("one row has the labels {a} and {b}")));
        }
        let has_cells =
            self.rows.iter().any(|row| (0..row.cells.len()).any(|column| row.number(column).is_some()));
        if self.rows.iter().all(|row| row.label.is_none()) || !has_cells {
            return Ok(None);
        }
        let labels: Option<Vec<u32>> = self.rows.iter().map(|row| row.label).collect();
        let Some(labels) = labels else {
            return Err(ReadErrorKind::RankLabels(
                "some rows have no label, or two labels that differ".to_owned(),
            ));
        };
        ascending_height(&labels, self.letters.is_some() && !has_numbers, has_numbers)
    }
}

impl RawRow {
    /// Returns the number in a column.
    fn number(&self, column: usize) -> Option<u32> {
        match self.cells.get(column) {
            Some(&Cell::Known(number)) if is_number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns true if no cell has a number.
    pub(super) fn is_empty(&self) -> bool {
        (0..self.cells.len()).all(|column| self.number(column).is_none()) && self.label.is_none()
    }

    /// Returns all cells, if each is a number.
    pub(super) fn numbers(&self) -> Option<Vec<u32>> {
        (0..self.cells.len()).map(|column| self.number(column)).collect()
    }

    /// Returns the numbers behind an empty first cell, if there is one, and whether there is.
    fn numbers_after_corner(&self) -> Option<(Vec<u32>, bool)> {
        let is_cornered = self.cells.first() == Some(&Cell::Known(EMPTY_CELL));
        let numbers = (usize::from(is_cornered)..self.cells.len()).map(|column| self.number(column));
        Some((numbers.collect::<Option<_>>()?, is_cornered))
    }

    fn remove(&mut self, column: usize) {
        self.cells.remove(column);
        self.ends.remove(column);
    }

    fn remove_last(&mut self) {
        self.cells.pop();
        self.ends.pop();
    }
}

/// Returns true if numbers count up by one, from 0 or 1.
fn counts_up(numbers: &[u32]) -> bool {
    numbers.first().is_some_and(|&first| first < 2) && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

/// Returns true if numbers count down by one, to 0 or 1.
fn counts_down(numbers: &[u32]) -> bool {
    numbers.last().is_some_and(|&last| last < 2) && numbers.windows(2).all(|pair| pair[0] == pair[1] + 1)
}

/// Returns true if the cells, without columns on the left and on the right, hold each number from 0 or 1 on
/// equally often: then they are one or more tours. Cost O(cells).
fn are_tours<'a>(rows: impl Iterator<Item = &'a RawRow>, left: usize, right: usize) -> bool {
    let mut counts: Vec<u32> = Vec::new();
    let (mut total, mut greatest) = (0usize, 0usize);
    for row in rows {
        for cell in row.cells.iter().skip(left).take(row.cells.len().saturating_sub(left + right)) {
            let Cell::Known(number) = *cell else { return false };
            if is_number(number) {
                (total, greatest) = (total + 1, greatest.max(number as usize));
                // A number that is larger than the squares cannot occur; all cells are counted below.
                if counts.len() <= number as usize && (number as usize) < 1 << 26 {
                    counts.resize((number as usize + 1).max(2 * counts.len()), 0);
                }
                match counts.get_mut(number as usize) {
                    Some(count) => *count += 1,
                    None => return false,
                }
            }
        }
    }
    if total == 0 || greatest > total {
        return false;
    }
    let from = usize::from(counts[0] == 0);
    let expected = counts.get(from).copied().unwrap_or(0);
    expected > 0 && counts[from..=greatest].iter().all(|&count| count == expected)
}

/// Returns true if the rows, which have equal widths, are one or more grids of equal heights, one below the other, and
/// each holds the numbers from 0 or 1 on once. Cost O(n log n).
fn are_stacked_grids(rows: &[Vec<u32>]) -> bool {
    let numbers = || rows.iter().flatten().copied();
    let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else { return false };
    let (cells, width) = ((last - first) as usize + 1, rows[0].len());
    cells.is_multiple_of(width)
        && rows.len().is_multiple_of(cells / width)
        && rows.chunks(cells / width).all(|grid| is_permutation(grid.iter().flatten().copied()))
}

/// Returns `Some(height)` if the labels of the rows are ranks that ascend, see [`RawBlock::into_rows`].
fn ascending_height(
    rows: &[u32],
    has_letters: bool,
    has_numbers: bool,
) -> Result<Option<usize>, ReadErrorKind> {
    let height = rows[1..].iter().position(|label| *label == rows[0]).map_or(rows.len(), |at| at + 1);
    let layer = &rows[..height];
    let layer_error = || match layer {
        [label] => ReadErrorKind::RankLabels(format!("the only label is {label}")),
        [first, .., last] => ReadErrorKind::RankLabels(format!("the labels run from {first} to {last}")),
        [] => ReadErrorKind::RankLabels("no row has a label".to_owned()),
    };
    if !rows.chunks(height).all(|other| other == layer) {
        return Err(layer_error());
    }
    let (first, last) = (layer[0], layer[height - 1]);
    match (has_letters, has_numbers) {
        _ if counts_down(layer) => Ok(None),
        _ if !counts_up(layer) => Err(layer_error()),
        (_, true) => Ok(None),
        (true, false) if first == 1 => Ok(Some(height)),
        (_, false) => Err(ReadErrorKind::AmbiguousRankLabels { first, last }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::{decode_line, lex};
    use super::*;

    fn block(text: &str, letters: Option<usize>, board_size: Option<(usize, usize)>) -> RawBlock {
        let rows =
            text.lines().zip(1..).map(|(row, line)| RawRow::parse(&lex(&decode_line(row.as_bytes())), line));
        RawBlock { rows: rows.collect(), letters, board_size, ..RawBlock::default() }
    }

    fn show(block: RawBlock) -> Result<String, String> {
        let rows = block.into_rows().map_err(|error| error.to_string())?;
        let row = |row: &GridRow| {
            let cell = |&cell: &u32| if is_number(cell) { cell.to_string() } else { ".".to_owned() };
            row.cells.iter().map(cell).collect::<Vec<_>>().join(" ")
        };
        Ok(rows.iter().map(row).collect::<Vec<_>>().join("/"))
    }

    #[test]
    fn into_rows_removes_margins() {
        let rows = "1 4 7 10/12 9 2 5/3 6 11 8";
        for (text, letters) in [
            ("1 4 7 10\n12 9 2 5\n3 6 11 8", None),
            ("3 1 4 7 10\n2 12 9 2 5\n1 3 6 11 8", None),
            ("3 1 4 7 10 3\n2 12 9 2 5 2\n1 3 6 11 8 1", None),
            ("3 1 4 7 10\n2 12 9 2 5\n1 3 6 11 8", Some(4)),
            ("1 3 6 11 8\n2 12 9 2 5\n3 1 4 7 10", Some(4)),
            ("3) 1 4 7 10\n2) 12 9 2 5\n1) 3 6 11 8", None),
            ("3| 1 4 7 10 |\n2| 12 9 2 5 |\n1| 3 6 11 8 |\n  1 2 3 4", None),
            ("0 1 2 3\n0 1 4 7 10\n1 12 9 2 5\n2 3 6 11 8", None),
            (",1,2,3,4\n1,1,4,7,10\n2,12,9,2,5\n3,3,6,11,8", None),
            ("3 4\n1 4 7 10\n12 9 2 5\n3 6 11 8", None),
            ("4 3\n1 4 7 10\n12 9 2 5\n3 6 11 8", None),
            ("12\n1 4 7 10\n12 9 2 5\n3 6 11 8", None),
            ("1,4,7,10,\n12,9,2,5\n3,6,11,8,", None),
            ("1 ! 4 ! 7 ! 10\n12 ! 9 ! 2 ! 5\n3 ! 6 ! 11 ! 8", None),
            ("1 4 \u{b7} 7 10\n12 9 \u{b7} 2 5\n3 6 \u{b7} 11 8", None),
            ("\u{2022} 1 4 7 10 \u{2022}\n\u{2022} 12 9 2 5 \u{2022}\n\u{2022} 3 6 11 8 \u{2022}", None),
            ("A | 1 | 4 | 7 | 10\nB | 12 | 9 | 2 | 5\nC | 3 | 6 | 11 | 8", None),
        ] {
            assert_eq!(show(block(text, letters, None)).as_deref(), Ok(rows), "{text}");
        }
        let holes = "1 6 3/4 . 8/7 2 5";
        let removed = "1 . 3/4 . 8/7 . 5";
        assert_eq!(
            show(block("1 ! 3\n4 ! 8\n7 ! 5", None, Some((3, 3)))).as_deref(),
            Ok(removed),
            "removed squares of a known board"
        );
        for text in ["1 6 3\n4   8\n7 2 5", "1 6 3\n4 X 8\n7 2 5", "01 06 03\n04 -- 08\n07 02 05"] {
            assert_eq!(show(block(text, None, Some((3, 3)))).as_deref(), Ok(holes), "{text}");
        }
        for (text, letters) in [
            ("3 1 4 7\n1 6 5 2", Some(3)),
            ("1 | 1 4 7\n2 | 6 5 2", None),
            ("2 | 1 4 7\n6 5 2", None),
            ("1 6 3\n4 X 8\n7 2 5", None),
            ("1 ! 4 7\n6 5 ! 2", None),
            ("1 ! 4\n6 \u{b7} 5", None),
            ("1 ! 4 ! 7\n6 ! 5 2", None),
        ] {
            assert!(show(block(text, letters, None)).is_err(), "{text}");
        }
    }

    #[test]
    fn ascending_height_detects_lowest_row() {
        for (letters, numbers) in [(false, false), (true, false), (false, true)] {
            let height = |rows: &[u32]| ascending_height(rows, letters, numbers).ok();
            assert_eq!(height(&[3, 2, 1]), Some(None));
            assert_eq!(height(&[2, 1, 2, 1]), Some(None));
            for wrong in [&[3, 1, 2][..], &[4, 3, 2], &[5], &[2, 1, 2], &[2, 3, 4], &[3, 2, 1, 3, 1, 2]] {
                assert_eq!(height(wrong), None, "{wrong:?}");
            }
        }
        assert!(matches!(ascending_height(&[1, 2, 3], true, false), Ok(Some(3))));
        assert!(matches!(ascending_height(&[1, 2, 1, 2], true, false), Ok(Some(2))));
        assert!(matches!(ascending_height(&[0, 1, 2], false, true), Ok(None)));
        assert!(matches!(
            ascending_height(&[1, 2, 3], false, false),
            Err(ReadErrorKind::AmbiguousRankLabels { first: 1, last: 3 })
        ));
        assert!(ascending_height(&[0, 1, 2], true, false).is_err());
    }
}
