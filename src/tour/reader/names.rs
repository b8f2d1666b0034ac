//! Reading of tours by names over several lines.
//!
//! ```text
//! a3      1. a3      1. a3 c2     a3-c2     a3 c2 a1
//! c2      2. c2      2. a1 b3     c2-a1     b3 d2 b1
//! a1      3. a1      3. d2 b1     a1-b3     c3 d1 b2
//! ```
//!
//! If a line fails as a tour only because squares are missing, the lines below continue it: until all squares
//! are present, the next line repeats one, or another kind of line follows. A line that begins where the
//! previous one ended is a move. If the last move leads back to the first square, or that square is repeated
//! at the end, the tour is closed. A repeat before all squares are present is an error with its line.

use std::collections::HashSet;
use std::io::BufRead;

use super::TourReader;
use crate::tour::counted::Counts;
use crate::tour::fault::{Fault, ReadError};
use crate::tour::known::Known;
use crate::tour::sign::{Sign, sign};
use crate::tour::{Tour, TourError, TourKind, Wrong};

/// Largest number of squares of a line whose error is that of the joined lines.
const FEW: usize = 2;

/// Names of several lines.
struct Joined {
    /// Number of the first line, which may have no name: `1.` is only a number.
    first: u64,
    names: Vec<String>,
    /// Line number of each name.
    lines: Vec<u64>,
    /// Kind of the tour, if the lines give it.
    kind: Option<TourKind>,
    /// The line below and its names, if it repeats an earlier name.
    repeat: Option<(u64, Vec<String>)>,
}

impl Joined {
    /// Adds the names of a line.
    fn add(&mut self, line: u64, names: Vec<String>) {
        self.lines.extend(names.iter().map(|_| line));
        self.names.extend(names);
    }

    /// Returns the tour, or its error and the line of the error.
    fn tour(&self, known: &Known) -> Result<Tour, ReadError> {
        known.line(self.names.join(" ").as_bytes(), self.kind).map_err(|fault| {
            let at = match &fault {
                Fault::Tour(error) | Fault::Holes(error) => match *error.wrong() {
                    Wrong::NotThere { number, .. } | Wrong::Repeated { number, .. } => number - 1,
                    Wrong::IllegalMove { number, .. } => number,
                    _ => 0,
                },
                _ => 0,
            };
            ReadError { line: self.lines.get(at).copied().unwrap_or(self.first), fault }
        })
    }
}

impl<R: BufRead> TourReader<R> {
    /// Reads a tour by names from the current line on, and checks the numbers before them.
    pub(super) fn names(&mut self) -> Result<Tour, ReadError> {
        let (line, mut counts) = (self.lines.number(), Counts::default());
        let tour = self.named(&mut counts)?;
        // Names of a graph may be numbers.
        if self.known.graph().is_none_or(|arena| arena.surface().is_some() || arena.cuboid().is_some()) {
            counts.check().map_err(|fault| ReadError { line, fault })?;
        }
        Ok(tour)
    }

    /// Reads a tour by names from the current line on, and collects the numbers before them without a check.
    fn named(&mut self, counts: &mut Counts) -> Result<Tour, ReadError> {
        let line = self.lines.number();
        *counts = Counts::of(self.lines.text());
        let found = self.known.line(self.lines.text(), None).map_err(|fault| ReadError { line, fault });
        if let Some(tour) =
            found.as_ref().err().and_then(|error| self.led_back(self.lines.text(), &error.fault))
        {
            return Ok(tour);
        }
        let goes_on = match &found {
            Ok(tour) => tour.vertices().len() == 1 && self.known.arena().is_none(),
            Err(ReadError { fault: Fault::Tour(error) | Fault::Holes(error), .. }) => is_short(error),
            Err(_) => false,
        };
        let names = if goes_on { self.known.names(self.lines.text()) } else { None };
        let Some(names) = names else { return found };
        let one = names.len();
        let one_line = counts.clone();
        let mut all = self.more_names(names, counts)?;
        if all.names.len() == one && (one > FEW || all.repeat.is_none()) {
            *counts = one_line;
            return found;
        }
        match (all.tour(&self.known), all.repeat.take()) {
            (Err(_), _) if one > FEW => found,
            // The repeat is not the start of another tour, because the lines above are not a tour.
            (Err(_), Some((line, names))) => {
                all.add(line, names);
                all.tour(&self.known)
            }
            (joined, _) => joined,
        }
    }

    /// Returns the closed tour of a line that repeats its first square at the end, if nothing else is wrong.
    pub(super) fn led_back(&self, text: &[u8], fault: &Fault) -> Option<Tour> {
        let (Fault::Tour(error) | Fault::Holes(error)) = fault else { return None };
        let Wrong::Repeated { number, before: 1, .. } = *error.wrong() else { return None };
        let names = self.known.names(text).filter(|names| names.len() == number && number > FEW + 1)?;
        self.known.line(names[..number - 1].join(" ").as_bytes(), Some(TourKind::Closed)).ok()
    }

    /// Joins these names with those of the lines below.
    fn more_names(&mut self, first: Vec<String>, counts: &mut Counts) -> Result<Joined, ReadError> {
        let mut seen: HashSet<String> = first.iter().cloned().collect();
        let first_line = self.lines.number();
        let mut all =
            Joined { first: first_line, names: Vec::new(), lines: Vec::new(), kind: None, repeat: None };
        all.add(first_line, first);
        let mut are_moves = false;
        while self.read_line()? {
            let line = self.lines.number();
            let is_full = self.known.arena().is_some_and(|arena| all.names.len() >= arena.len());
            let Some(mut more) = self.names_here() else {
                self.lines.again();
                break;
            };
            let is_move = more.len() == 2 && more.first() == all.names.last();
            if is_move {
                more.remove(0);
            }
            let is_back = all.names.len() > FEW && more.last() == all.names.first();
            if is_back
                && (is_move || more.len() > 1)
                && more[..more.len() - 1].iter().all(|name| !seen.contains(name))
            {
                more.pop();
                counts.add(self.lines.text(), all.names.len());
                all.add(line, more);
                all.kind = Some(TourKind::Closed);
                break;
            }
            if is_back && more.len() == 1 {
                // This is the end of the tour if nothing follows, else the start of the next tour.
                let text = self.lines.text().to_vec();
                let follows = self.read_line()?;
                if !follows || self.names_here().is_none() {
                    if follows {
                        self.lines.again();
                    }
                    all.kind = Some(TourKind::Closed);
                    break;
                }
                self.lines.again_from(line, text);
                all.repeat = (!is_full).then_some((line, more));
                break;
            }
            are_moves |= is_move;
            let is_repeat = more.iter().any(|name| !seen.insert(name.clone()));
            if is_full || is_repeat {
                self.lines.again();
                all.repeat = (!is_full || are_moves && is_move).then_some((line, more));
                break;
            }
            counts.add(self.lines.text(), all.names.len());
            all.add(line, more);
        }
        Ok(all)
    }

    /// Returns the names on the current line, or `None` if it is not a line of names.
    fn names_here(&self) -> Option<Vec<String>> {
        let text = self.lines.text();
        let is_names = sign(self.lines.raw(), self.known.graph(), false) == Sign::Names;
        if is_names { self.known.names(text) } else { None }
    }
}

/// Returns true if the only fault is that squares are missing.
fn is_short(error: &TourError) -> bool {
    matches!(error.wrong(), Wrong::Incomplete { .. })
}
