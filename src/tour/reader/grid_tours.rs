//! Reading of grids of move numbers: rows on consecutive lines or in arrays, and the layers of boxes.

use std::io::BufRead;
use std::sync::Arc;

use super::cells::{EMPTY_CELL, LAYER_GAP, RawRow, is_number, is_permutation, parse_digits};
use super::coordinates::Coordinates;
use super::grid::NumberGrid;
use super::line_kind::{LineKind, unrecognised_line};
use super::margins::{GridRow, RawBlock};
use super::token::{decode_line, lex};
use super::tree_values::{Metadata, Reading};
use super::{LocatedTour, TourReader};
use crate::tour::read_error::ReadError;
use crate::tour::vertex_positions::VertexPositions;
use crate::tour::{TourFormat, TourKind};

/// Number of rows of pairs from which on a list is split into its tours before all of it is read.
const MIN_SPLIT_ROWS: usize = 1 << 14;

/// Largest number of lines of text between two layers of a box.
const MAX_LAYER_DISTANCE: usize = 8;

impl<R: BufRead> TourReader<R> {
    /// Reads the rows of numbers from the first line on, with the letters above and below them: they become
    /// pending. Skips the line if there are no rows.
    pub(super) fn read_rows(&mut self) -> Result<(), ReadError> {
        if let Some(rows) = self.take_whole_grid() {
            self.pending.push_back(Ok((Reading::Rows(rows), Arc::default())));
            return Ok(());
        }
        let mut block = RawBlock { board_size: self.page_size(), ..RawBlock::default() };
        let (mut at, mut has_rule, first) = (0, false, self.lines.number(0));
        let mut split_rows = MIN_SPLIT_ROWS;
        loop {
            let number = self.lines.number(at);
            match self.kind_at(at) {
                Some(LineKind::Numbers) => {
                    let line = self.lines.line(at);
                    let row = RawRow::parse_plain(line, number)
                        .unwrap_or_else(|| RawRow::parse(&lex(&decode_line(line)), number));
                    block.rows.push(row);
                    if block.rows.len() == split_rows {
                        if let Some(lines) = self.split_list(&block) {
                            self.lines.advance(lines);
                            return Ok(());
                        }
                        split_rows *= 4;
                    }
                }
                Some(LineKind::Rule) => {
                    // Markdown has a header above its rule, even if it names nothing; boxes begin with a
                    // rule.
                    if !has_rule && block.rows.len() == 1 && block.rows[0].is_empty() {
                        block.rows.clear();
                    }
                    has_rule = true;
                }
                Some(LineKind::FileLetters(letters)) if block.rows.is_empty() && block.letters.is_none() => {
                    block.letters = Some(letters);
                }
                Some(LineKind::FileLetters(letters)) if !block.rows.is_empty() => {
                    // With letters above, those below must be as many.
                    let above = block.letters.filter(|&above| above != letters && !block.are_numbers);
                    block.other_letters = above.map(|_| letters);
                    block.letters.get_or_insert(letters);
                    at += 1;
                    break;
                }
                Some(LineKind::ColumnNumbers(count)) if block.rows.is_empty() => {
                    (block.letters, block.are_numbers) = (Some(count), true);
                }
                // A damaged row or rule: the rows around it are no tour.
                Some(LineKind::Unknown) if !block.rows.is_empty() => {
                    let error = ReadError { line: number, kind: unrecognised_line(self.lines.line(at)) };
                    let is_near =
                        |kind| matches!(kind, LineKind::Unknown | LineKind::Numbers | LineKind::Rule);
                    while self.kind_at(at).is_some_and(is_near) {
                        at += 1;
                    }
                    self.lines.advance(at);
                    return Err(error);
                }
                _ => break,
            }
            at += 1;
        }
        if block.rows.is_empty() {
            self.skip_line();
            return Ok(());
        }
        self.lines.advance(at);
        if let Some(tours) = block.numbered_pairs() {
            let tours = tours.into_iter().map(|tour| tour.map(Reading::Coordinates)).collect();
            self.queue_readings(tours, Metadata { has_steps: true, ..Metadata::default() });
            return Ok(());
        }
        let reading = match block.pairs() {
            Some(coordinates) => Reading::Coordinates(coordinates),
            None => {
                let rows = block.into_rows();
                Reading::Rows(rows.map_err(|error| ReadError { line: error.line.max(first), ..error })?)
            }
        };
        self.pending.push_back(Ok((reading, Arc::default())));
        Ok(())
    }

    /// Splits the rows of a long list of pairs: all tours but the last one become pending. Returns the number of lines
    /// of these tours, or `None` if the rows are not several tours.
    fn split_list(&mut self, block: &RawBlock) -> Option<usize> {
        let to_row = |row: &RawRow| Some(GridRow { line: row.line, cells: row.numbers()? });
        if block.letters.is_some() || self.page_size().is_some_and(|(_, cols)| cols == 2) {
            return None;
        }
        let coordinates = match block.pairs() {
            Some(coordinates) => coordinates,
            None => pairs_of_rows(&block.rows.iter().map(to_row).collect::<Option<Vec<_>>>()?)?,
        };
        let first = self.take_first_tour(&coordinates, &Arc::default())?;
        let Some(Ok((Reading::Coordinates(last), _))) = self.pending.pop_back() else { return None };
        self.pending.push_front(Ok((Reading::Coordinates(first), Arc::default())));
        usize::try_from(last.first_line() - self.lines.number(0)).ok()
    }

    /// Takes a grid that can be read in one way only: it has the rows and columns of the known board, nothing
    /// but numbers separated by blanks, and each number of a tour once; a blank line or the end follows.
    /// Saves the search for margins, which would find none.
    fn take_whole_grid(&mut self) -> Option<Vec<GridRow>> {
        let (height, width) = self.page_size().filter(|&(rows, cols)| rows > 1 && cols > 2)?;
        let size = height * width;
        let mut is_seen = vec![false; size + 1];
        let mut rows = Vec::with_capacity(height);
        for at in 0..height {
            let line = self.lines.number(at);
            let text = self.lines.peek(at)?;
            let mut cells = Vec::with_capacity(width);
            for word in text.split(|&b| b == b' ').filter(|word| !word.is_empty()) {
                match parse_digits(word).map(|number| number as usize) {
                    Some(number) if number <= size && cells.len() < width && !is_seen[number] => {
                        is_seen[number] = true;
                        cells.push(number as u32);
                    }
                    _ => return None,
                }
            }
            if cells.len() < width {
                return None;
            }
            rows.push(GridRow { line, cells });
        }
        let is_missing = |number: usize| !is_seen[number];
        let is_followed = self.lines.peek(height).is_some_and(|text| !text.trim_ascii().is_empty());
        if !(is_missing(0) || is_missing(size)) || is_followed {
            return None;
        }
        self.lines.advance(height);
        Some(rows)
    }

    /// Returns the rows and columns of the known board on a page, if it is a rectangle.
    fn page_size(&self) -> Option<(usize, usize)> {
        let board = self.context.board()?;
        let positions = VertexPositions::of_board(board).ok()?;
        Some((positions.rows().into(), positions.cols().into()))
    }

    /// Returns the tour of a grid; for a box, also the layers below it.
    pub(super) fn tour_of_rows(
        &mut self,
        rows: Vec<GridRow>,
        metadata: &Arc<Metadata>,
    ) -> Result<LocatedTour, ReadError> {
        let kind = metadata.kinds.first().copied();
        // Rows of two numbers that repeat: coordinates, unless the rows are a grid. Never both: no row of a grid is
        // the pair (0,0) or (1,1).
        if let Some(coordinates) = pairs_of_rows(&rows) {
            if let Some(first) = self.take_first_tour(&coordinates, metadata) {
                return self.tour_of_coordinates(&first, kind);
            }
            let found = self.tour_of_coordinates(&coordinates, kind);
            let is_board = self.page_size().is_some_and(|(height, cols)| cols == 2 && height >= rows.len());
            return found.or_else(|error| {
                self.tour_of_grid(rows, metadata).map_err(|of_grid| if is_board { of_grid } else { error })
            });
        }
        if let Some(mut panels) = split_side_by_side(&rows) {
            for panel in panels.drain(1..).rev() {
                self.pending.push_front(Ok((Reading::Rows(panel), Arc::clone(metadata))));
            }
            return self.tour_of_grid(panels.remove(0), metadata);
        }
        // Numbers of two digits may be coordinates.
        let digits = two_digit_pairs(&rows);
        match (self.tour_of_grid(self.fold_rows(rows), metadata), digits) {
            (Err(error), Some(coordinates)) => match self.take_first_tour(&coordinates, metadata) {
                Some(first) => self.tour_of_coordinates(&first, kind),
                None => self.tour_of_coordinates(&coordinates, kind).map_err(|_| error),
            },
            (found, _) => found,
        }
    }

    /// Returns rows of unequal lengths as one list, if they have one number for each square of the known
    /// board.
    fn fold_rows(&self, rows: Vec<GridRow>) -> Vec<GridRow> {
        let Some((height, width)) = self.page_size() else { return rows };
        let total: usize = rows.iter().map(|row| row.cells.len()).sum();
        let is_board = rows.iter().all(|row| row.cells.len() == width)
            || rows.iter().all(|row| row.cells.len() == rows[0].cells.len());
        if is_board || total != height * width || rows.len() < 2 {
            return rows;
        }
        let line = rows[0].line;
        vec![GridRow { line, cells: rows.into_iter().flat_map(|row| row.cells).collect() }]
    }

    fn tour_of_grid(
        &mut self,
        rows: Vec<GridRow>,
        metadata: &Arc<Metadata>,
    ) -> Result<LocatedTour, ReadError> {
        let first = rows.first().map_or(0, |row| row.line);
        let mut grid =
            NumberGrid::new(self.context.board().cloned()).map_err(|kind| ReadError { line: first, kind })?;
        let mut blocks = vec![rows];
        'blocks: loop {
            let rows = blocks.last().expect("there is a block");
            for (at, row) in rows.iter().enumerate() {
                if grid.is_complete_before(&row.cells) {
                    // The complete grids of the same height below are split off at once, which takes linear time.
                    let height = if blocks.len() == 1 { at } else { usize::MAX };
                    let is_whole = |part: &&[GridRow]| part.len() == height && is_permutation(cells_of(part));
                    let whole = rows[at..].chunks(height).take_while(is_whole).count();
                    let (whole, rest) = rows[at..].split_at(whole.saturating_mul(height));
                    let parts = whole.chunks(height).chain((!rest.is_empty()).then_some(rest));
                    let parts: Vec<Vec<GridRow>> = parts.map(<[GridRow]>::to_vec).collect();
                    for part in parts.into_iter().rev() {
                        self.pending.push_front(Ok((Reading::Rows(part), Arc::clone(metadata))));
                    }
                    break 'blocks;
                }
                if let Err(kind) = grid.add_row(&row.cells, row.line) {
                    if blocks.len() > 1 && grid.is_only_first_block() {
                        break 'blocks;
                    }
                    return Err(ReadError { line: row.line, kind });
                }
            }
            if !grid.lacks_layers() {
                break;
            }
            match self.next_block() {
                Some(block) => blocks.push(block),
                None => break,
            }
        }
        if grid.uses_only_first_block() {
            for rows in blocks.drain(1..).rev() {
                self.pending.push_front(Ok((Reading::Rows(rows), Arc::clone(metadata))));
            }
        }
        let kind = metadata.kinds.first().copied();
        let (tour, line) = grid.into_tour(&self.context)?;
        let tour = self.context.check_kind(tour, kind.filter(|kind| *kind == TourKind::Closed));
        self.located(tour, line, TourFormat::Grid)
    }

    /// Takes the next rows of numbers, which may be a layer of a box: rows of the same array, or those below
    /// blank lines, comments and titles.
    fn next_block(&mut self) -> Option<Vec<GridRow>> {
        if self.pending.is_empty() {
            let mut at = 0;
            let kind = loop {
                match self.kind_at(at)? {
                    LineKind::Blank | LineKind::Comment | LineKind::Rule | LineKind::Signs => at += 1,
                    LineKind::Prose if at < MAX_LAYER_DISTANCE => at += 1,
                    kind => break kind,
                }
            };
            if !matches!(kind, LineKind::Numbers | LineKind::FileLetters(_) | LineKind::Brackets) {
                return None;
            }
            for _ in 0..at {
                match self.kind_at(0) {
                    Some(LineKind::Prose | LineKind::Signs) => self.skip_line(),
                    Some(LineKind::Comment) => {
                        self.record_comment();
                        self.lines.advance(1);
                    }
                    _ => self.lines.advance(1),
                }
            }
            self.read_block(&kind);
        }
        match self.pending.pop_front()? {
            Ok((Reading::Rows(rows), _)) => Some(rows),
            other => {
                self.pending.push_front(other);
                None
            }
        }
    }
}

/// Returns the pairs of rows of two numbers, unless each number occurs once.
fn pairs_of_rows(rows: &[GridRow]) -> Option<Coordinates> {
    let is_pair = |row: &GridRow| row.cells.len() == 2 && row.cells.iter().all(|&cell| is_number(cell));
    if rows.len() < 2 || !rows.iter().all(is_pair) {
        return None;
    }
    let mut numbers: Vec<u32> = rows.iter().flat_map(|row| row.cells.iter().copied()).collect();
    numbers.sort_unstable();
    if numbers.windows(2).all(|pair| pair[0] != pair[1]) {
        return None;
    }
    let pair = |row: &GridRow| (row.line, (u64::from(row.cells[0]), u64::from(row.cells[1])));
    Some(Coordinates { pairs: rows.iter().map(pair).collect(), order: None })
}

/// Returns the coordinates of numbers of two digits each.
fn two_digit_pairs(rows: &[GridRow]) -> Option<Coordinates> {
    let cells = || rows.iter().flat_map(|row| row.cells.iter().map(|&cell| (row.line, cell)));
    let is_pair = |(_, cell): (u64, u32)| (10..100).contains(&cell);
    if cells().count() < 2 || !cells().all(is_pair) {
        return None;
    }
    Some(Coordinates::from_digits(cells().map(|(line, cell)| (line, u64::from(cell)))))
}

/// Returns the cells of rows.
fn cells_of(rows: &[GridRow]) -> impl Iterator<Item = u32> {
    rows.iter().flat_map(|row| row.cells.iter().copied())
}

/// Splits rows into grids side by side, each with all numbers of a tour: between empty columns, or in parts of
/// equal width.
fn split_side_by_side(rows: &[GridRow]) -> Option<Vec<Vec<GridRow>>> {
    let width = rows.first()?.cells.len();
    if width < 2 || rows.iter().any(|row| row.cells.len() != width) {
        return None;
    }
    let ones = rows.iter().flat_map(|row| &row.cells).filter(|&&cell| cell == 1).count();
    if ones < 2 {
        return None;
    }
    let is_gap = |column: usize| rows.iter().all(|row| matches!(row.cells[column], EMPTY_CELL | LAYER_GAP));
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut begin = 0;
    for column in 0..=width {
        if column == width || is_gap(column) {
            if begin < column {
                parts.push((begin, column));
            }
            begin = column + 1;
        }
    }
    if parts.len() < 2 {
        if !width.is_multiple_of(ones) {
            return None;
        }
        let part = width / ones;
        parts = (0..ones).map(|at| (at * part, (at + 1) * part)).collect();
    }
    let panel = |&(begin, end): &(usize, usize)| -> Vec<GridRow> {
        rows.iter().map(|row| GridRow { line: row.line, cells: row.cells[begin..end].to_vec() }).collect()
    };
    let panels: Vec<Vec<GridRow>> = parts.iter().map(panel).collect();
    let is_grid =
        |panel: &Vec<GridRow>| panel.len() * panel[0].cells.len() > 1 && is_permutation(cells_of(panel));
    panels.iter().all(is_grid).then_some(panels)
}
