//! Published generating functions, to be found again by anybody.
//!
//! `published.csv` has a strip a row: its width, how it is joined, piece and kind, the numerator and the denominator,
//! lowest power first, of x to the `step`, and the source. That of 6 x n cylinders of wazirs is
//! x (x + 1) (6 x^6 - 14 x^5 - 2 x^4 - 24 x^3 + 16 x^2 - 2 x + 1) over the denominator there.

use num_bigint::{BigInt, BigUint};
use serde::Deserialize;

use super::find::{Finding, Recurrence, find};
use super::polynomial::Polynomial;
use super::transfer::Transfer;
use crate::control::Control;
use crate::series::Play;
use crate::tour::Kind;

/// The table as it is kept.
const TABLE: &str = include_str!("published.csv");

/// States of a published family, at most.
const MOST_STATES: usize = 1_000_000;

/// A published generating function.
#[derive(Clone, Debug)]
pub struct Published {
    /// Squares of a line.
    pub width: u16,
    /// How lines are joined, and the piece.
    pub play: Play,
    /// Closed tours or paths.
    pub kind: Kind,
    /// The numbers of boards of a length that this does not divide are 0.
    pub step: usize,
    /// The numerator.
    pub numerator: Polynomial,
    /// The denominator.
    pub denominator: Polynomial,
    /// Who published it.
    pub source: String,
}

#[derive(Deserialize)]
struct Row {
    width: u16,
    wrap: String,
    piece: String,
    kind: String,
    step: usize,
    numerator: String,
    denominator: String,
    source: String,
}

/// All of them.
///
/// # Panics
/// If the table is not what it should be, which tests rule out.
#[must_use]
pub fn published() -> Vec<Published> {
    let polynomial = |text: &str| {
        let coefficient = |word: &str| word.parse::<BigInt>().expect("a coefficient");
        Polynomial::new(text.split(' ').map(coefficient).collect())
    };
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize::<Row>();
    let made = rows.map(|row| {
        let row = row.expect("a row of the table");
        let wrap = row.wrap.parse().expect("a wrap");
        Published {
            width: row.width,
            play: Play { wrap, piece: row.piece.parse().expect("a piece") },
            kind: if row.kind == "closed" { Kind::Closed } else { Kind::Paths },
            step: row.step,
            numerator: polynomial(&row.numerator),
            denominator: polynomial(&row.denominator),
            source: row.source,
        }
    });
    made.collect()
}

impl Published {
    /// What it is of, in a few words.
    #[must_use]
    pub fn name(&self) -> String {
        let piece = self.play.piece.name().map_or_else(|| self.play.piece.to_string(), str::to_owned);
        let wrap = match self.play.wrap {
            crate::board::Wrap::None => String::new(),
            wrap => format!(" {wrap}"),
        };
        format!("n x {}{wrap} {piece} {} generating function", self.width, self.kind.name())
    }

    /// Finds the recurrence again: exact terms, three times as many as its order. `None` if there is none of that order,
    /// or the control was cancelled.
    #[must_use]
    pub fn compute(&self, control: &Control) -> Option<Recurrence> {
        let is_paths = self.kind == Kind::Paths;
        let transfer = Transfer::new(&self.play, self.width, is_paths, MOST_STATES, control)?;
        let order = self.denominator.degree().max(self.numerator.degree());
        let terms: Vec<BigUint> = transfer.exact().take(self.step * (3 * order + 6)).collect();
        match find(&terms) {
            Finding::Found(found) => Some(found),
            _ => None,
        }
    }

    /// Whether a recurrence is that of the same generating function.
    #[must_use]
    pub fn is(&self, found: &Recurrence) -> bool {
        found.stride == self.step
            && self.numerator.times(&found.denominator) == found.numerator.times(&self.denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_generating_functions_are_found_again() {
        for published in published() {
            let found = published.compute(&Control::new()).unwrap();
            assert!(
                published.is(&found),
                "{}: {} / {}",
                published.name(),
                found.numerator,
                found.denominator
            );
            assert_eq!(found.order(), published.denominator.degree());
            let mut other = published;
            other.numerator = Polynomial::from([0, 1]);
            assert!(!other.is(&found));
        }
    }
}
