//! Tours by names over several lines.
//!
//! ```text
//! a3      1. a3      1. a3 c2     a3-c2     a3 c2 a1
//! c2      2. c2      2. a1 b3     c2-a1     b3 d2 b1
//! a1      3. a1      3. d2 b1     a1-b3     c3 d1 b2
//! ```
//!
//! A line that is no tour only because squares are missing goes on in the lines below, until all are there, one would
//! come twice, or something else stands there. A line that begins where the one above ended is a move; if the last one
//! leads back to the first square, the tour is closed.

use std::collections::HashSet;
use std::io::BufRead;

use super::TourReader;
use crate::tour::fault::{Fault, ReadError};
use crate::tour::sign::{Sign, sign};
use crate::tour::{Tour, TourError, TourKind, Wrong};

/// The most squares of a line below which a fault is that of all lines.
const FEW: usize = 2;

/// Names, and the kind of their tour if that is told.
type Named = (Vec<String>, Option<TourKind>);

impl<R: BufRead> TourReader<R> {
    /// A tour by names from the line in the buffer on.
    pub(super) fn names(&mut self) -> Result<Tour, ReadError> {
        let line = self.lines.number();
        let found = self.known.line(self.lines.text(), None);
        let goes_on = match &found {
            Ok(tour) => tour.vertices().len() == 1 && self.known.arena().is_none(),
            Err(Fault::Tour(error) | Fault::Holes(error)) => is_short(error),
            Err(_) => false,
        };
        let names = if goes_on { self.known.names(self.lines.text()) } else { None };
        let Some(names) = names else { return found.map_err(|fault| ReadError { line, fault }) };
        let few = names.len() <= FEW;
        let Some((names, kind)) = self.more_names(names)? else {
            return found.map_err(|fault| ReadError { line, fault });
        };
        match self.known.line(names.join(" ").as_bytes(), kind) {
            Err(_) if !few => found,
            joined => joined,
        }
        .map_err(|fault| ReadError { line, fault })
    }

    /// These names and those of the lines below, and the kind if that is told; nothing if there are no more.
    fn more_names(&mut self, first: Vec<String>) -> Result<Option<Named>, ReadError> {
        let mut seen: HashSet<String> = first.iter().cloned().collect();
        let (one, mut all, mut are_moves) = (first.len(), first, false);
        while self.read_line()? {
            let is_full = self.known.arena().is_some_and(|arena| all.len() >= arena.len());
            let text = self.lines.text();
            let is_names = sign(text, self.known.graph(), false) == Sign::Names;
            let more = if is_names { self.known.names(text) } else { None };
            let Some(mut more) = more.filter(|_| !is_full || are_moves) else {
                self.lines.again();
                break;
            };
            let is_move = more.len() == 2 && more.first() == all.last();
            if is_move && more.last() == all.first() {
                return Ok(Some((all, Some(TourKind::Closed))));
            }
            if is_move {
                more.remove(0);
            }
            are_moves |= is_move;
            if is_full || more.iter().any(|name| !seen.insert(name.clone())) {
                self.lines.again();
                break;
            }
            all.append(&mut more);
        }
        Ok((all.len() > one).then_some((all, None)))
    }
}

/// Whether nothing but squares is missing.
fn is_short(error: &TourError) -> bool {
    matches!(error.wrong(), Wrong::Incomplete { .. })
}
