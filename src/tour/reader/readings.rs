//! From the contents of an array, a map or a table to a tour that agrees with its metadata.

use std::io::BufRead;
use std::sync::Arc;

use super::coordinates::Coordinates;
use super::name_tours::read_name_tour;
use super::tree_values::{Metadata, Reading};
use super::{LocatedTour, TourReader};
use crate::board::LeaperBoard;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::{Tour, TourError, TourFormat, TourKind};

impl<R: BufRead> TourReader<R> {
    /// Returns true if a header line of ktour has been read. A file with nothing else is a list without tours.
    pub const fn has_list_header(&self) -> bool {
        self.context.has_header() || self.csv_columns.is_some()
    }

    /// Returns the tour of a reading, checked against its metadata. If names are several tours, those behind the first
    /// one become pending.
    pub(super) fn tour_of_reading(
        &mut self,
        reading: Reading,
        metadata: &Arc<Metadata>,
    ) -> Result<LocatedTour, ReadError> {
        let kind = metadata.kinds.first().copied();
        let found = match reading {
            Reading::Names(mut rows) => {
                let first = rows.front().cloned();
                let (lines, tour) = read_name_tour(&mut |ahead| rows.get(ahead).cloned(), &self.context);
                rows.drain(..lines.clamp(1, rows.len()));
                if !rows.is_empty() {
                    if metadata.has_steps {
                        self.note_shared_steps(rows[0].0);
                    }
                    self.pending.push_front(Ok((Reading::Names(rows), Arc::clone(metadata))));
                }
                let (line, names) = first.unwrap_or_default();
                let tour = tour?.tour;
                if kind.is_some_and(|kind| kind != TourKind::Closed) {
                    // The file says that the ends of this tour are not joined.
                    let path = self.context.tour_by_names(&names.names, None);
                    path.map_err(|kind| ReadError { line, kind })?;
                }
                self.located(Ok(tour), line, TourFormat::Squares)?
            }
            Reading::Coordinates(coordinates) => {
                let first = self.take_first_tour(&coordinates, metadata);
                self.tour_of_coordinates(&first.unwrap_or(coordinates), kind)?
            }
            Reading::Rows(rows) => self.tour_of_rows(rows, metadata)?,
        };
        self.check_metadata(found, metadata)
    }

    /// Makes the tours and faults of an array or a table pending.
    pub(super) fn queue_readings(&mut self, readings: Vec<Result<Reading, ReadError>>, metadata: Metadata) {
        if metadata.removes_nulls
            && let Some(rows) = readings.iter().find_map(|reading| match reading {
                Ok(Reading::Rows(rows)) => rows.first(),
                _ => None,
            })
        {
            self.notes.add(rows.line, "each `null` is read as a removed square".to_owned());
        }
        let metadata = Arc::new(metadata);
        let readings = readings.into_iter();
        self.pending.extend(readings.map(|reading| reading.map(|reading| (reading, Arc::clone(&metadata)))));
    }

    /// Returns the first tour of coordinates that are several tours; the others become pending.
    pub(super) fn take_first_tour(
        &mut self,
        coordinates: &Coordinates,
        metadata: &Arc<Metadata>,
    ) -> Option<Coordinates> {
        if metadata.is_enclosed {
            return None;
        }
        let mut parts = coordinates.split_tours(&self.context, metadata.kinds.first().copied())?;
        if metadata.has_steps {
            self.note_shared_steps(parts[1].first_line());
        }
        for part in parts.drain(1..).rev() {
            self.pending.push_front(Ok((Reading::Coordinates(part), Arc::clone(metadata))));
        }
        parts.pop()
    }

    /// Adds a note if step numbers run on from one tour to the next one, which begins on `line`.
    pub(super) fn note_shared_steps(&mut self, line: u64) {
        self.notes.add(line, "the step numbers run on from the tour above".to_owned());
    }

    pub(super) fn tour_of_coordinates(
        &mut self,
        coordinates: &Coordinates,
        kind: Option<TourKind>,
    ) -> Result<LocatedTour, ReadError> {
        let (tour, description) = coordinates.to_tour(&self.context, kind)?;
        let line = coordinates.first_line();
        // Columns whose names are not understood may be in either order.
        if self.has_unread_header
            && let Some(kind) = coordinates.check_orders(&self.context, kind)
        {
            return Err(ReadError { line, kind });
        }
        self.notes.add(line, format!("pairs of numbers are read as coordinates {description}"));
        self.located(Ok(tour), line, TourFormat::Squares)
    }

    /// Checks a tour against the kinds and sizes that its array gives.
    pub(super) fn check_metadata(
        &self,
        found: LocatedTour,
        metadata: &Metadata,
    ) -> Result<LocatedTour, ReadError> {
        let line = found.line;
        let wrong_tour = |error: TourError| ReadError { line, kind: error.into() };
        let is = found.tour.kind();
        let found = match metadata.kinds.as_slice() {
            [] => found,
            kinds if kinds.contains(&is) => found,
            kinds if is == TourKind::Closed && kinds.contains(&TourKind::ReEntrant) => {
                let path = Tour::new(found.tour.board(), found.tour.vertices().to_vec());
                LocatedTour { tour: path.map_err(wrong_tour)?, ..found }
            }
            [TourKind::Closed, ..] => {
                LocatedTour { tour: found.tour.into_closed().map_err(wrong_tour)?, ..found }
            }
            [kind, ..] => {
                let kind = ReadErrorKind::KindMismatch { marked: kind.name(), actual: is.name() };
                return Err(ReadError { line, kind });
            }
        };
        if let Some(board) = found.tour.board().leaper_board().map(LeaperBoard::rectangle) {
            let is = [board.rows(), board.cols()].map(u64::from);
            let [rows, cols] = [0, 1].map(|side| metadata.board_size[side].unwrap_or(is[side]));
            // `int tour[12][2]` declares pairs.
            let are_pairs = found.format == TourFormat::Squares
                && [rows, cols] == [found.tour.vertices().len() as u64, 2];
            if [rows, cols] != is && !are_pairs {
                let (declared, found) = (format!("{rows} x {cols}"), format!("{} x {}", is[0], is[1]));
                return Err(ReadError { line, kind: ReadErrorKind::ArraySize { declared, found } });
            }
        }
        Ok(found)
    }
}
