//! From the contents of an array, a map or a table to a tour that agrees with its metadata.

use std::io::BufRead;
use std::sync::Arc;

use super::coordinates::Coordinates;
use super::name_tours::{RowNames, read_name_tour};
use super::names::NameLine;
use super::tree_values::{Metadata, Reading};
use super::{LocatedTour, Pending, TourReader};
use crate::board::LeaperBoard;
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::{Tour, TourFormat, TourKind};

impl<R: BufRead> TourReader<R> {
    /// Returns the tour of a reading, checked against its metadata.
    pub(super) fn tour_of_reading(
        &mut self,
        reading: Reading,
        metadata: &Arc<Metadata>,
    ) -> Result<Result<LocatedTour, ReadError>, ReadError> {
        let kind = metadata.kinds.first().copied();
        let result = match reading {
            Reading::Names(names) => self.tour_of_names(&names, kind),
            Reading::Coordinates(coordinates) => {
                let first = self.take_first_tour(&coordinates, metadata);
                self.tour_of_coordinates(&first.unwrap_or(coordinates), kind)
            }
            Reading::Rows(rows) => self.tour_of_rows(rows, metadata)?,
        };
        Ok(result.and_then(|found| self.check_metadata(found, metadata)))
    }

    /// Returns the tour of a list of names, which may repeat its first name at the end.
    pub(super) fn tour_of_names(
        &mut self,
        names: &[(u64, String)],
        kind: Option<TourKind>,
    ) -> Result<LocatedTour, ReadError> {
        let line = names.first().map_or(0, |(line, _)| *line);
        let row = (
            line,
            NameLine { names: names.iter().map(|(_, name)| name.clone()).collect(), ..NameLine::default() },
        );
        let rows = [row];
        let mut source = RowNames::new(&rows);
        let (_, result) = read_name_tour(&mut source, &self.context)?;
        let (tour, ..) = result?;
        let is_path = kind.is_some_and(|kind| kind != TourKind::Closed);
        let tour = if is_path {
            // The file says that the ends of this tour are not joined.
            let names: Vec<String> = names.iter().map(|(_, name)| name.clone()).collect();
            self.context.tour_by_names(&names, None).map_err(|kind| ReadError { line, kind }).map(|_| tour)?
        } else {
            tour
        };
        self.located(Ok(tour), line, TourFormat::Squares)
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
        for part in parts.drain(1..).rev() {
            self.pending.push_front(Pending::Reading(Reading::Coordinates(part), Arc::clone(metadata)));
        }
        parts.pop()
    }

    pub(super) fn tour_of_coordinates(
        &mut self,
        coordinates: &Coordinates,
        kind: Option<TourKind>,
    ) -> Result<LocatedTour, ReadError> {
        match coordinates.to_tour(&self.context, kind) {
            Ok((tour, description)) => {
                let line = coordinates.lines.first().copied().unwrap_or(0);
                self.notes.add(line, format!("pairs of numbers are read as coordinates {description}"));
                self.located(Ok(tour), line, TourFormat::Squares)
            }
            Err((line, kind)) => Err(ReadError { line, kind }),
        }
    }

    /// Checks a tour against the kinds and sizes that its array gives.
    pub(super) fn check_metadata(
        &self,
        found: LocatedTour,
        metadata: &Metadata,
    ) -> Result<LocatedTour, ReadError> {
        let line = found.line;
        let is = found.tour.kind();
        let found = match metadata.kinds.as_slice() {
            [] => found,
            kinds if kinds.contains(&is) => found,
            kinds if is == TourKind::Closed && kinds.contains(&TourKind::ReEntrant) => {
                let path = Tour::new(found.tour.board(), found.tour.vertices().to_vec());
                let tour = path.map_err(|error| ReadError { line, kind: error.into() })?;
                LocatedTour { tour, ..found }
            }
            [TourKind::Closed, ..] => {
                let tour =
                    found.tour.into_closed().map_err(|error| ReadError { line, kind: error.into() })?;
                LocatedTour { tour, ..found }
            }
            [kind, ..] => {
                let kind = ReadErrorKind::KindMismatch { marked: kind.name(), actual: is.name() };
                return Err(ReadError { line, kind });
            }
        };
        if let Some(board) = found.tour.board().leaper_board().map(LeaperBoard::rectangle) {
            let is = [board.rows(), board.cols()].map(u64::from);
            let [rows, cols] = [0, 1].map(|side| metadata.board_size[side].unwrap_or(is[side]));
            if [rows, cols] != is {
                let (declared, found) = (format!("{rows} x {cols}"), format!("{} x {}", is[0], is[1]));
                return Err(ReadError { line, kind: ReadErrorKind::ArraySize { declared, found } });
            }
        }
        Ok(found)
    }
}
