//! Published generating functions and growth constants, to be found again by anybody.
//!
//! `published.csv` has a strip a row: its width, how it is joined, piece and kind, the numerator and the denominator,
//! lowest power first, of x to the `step`, if they are published, the growth with a square of length, if somebody
//! has told it, and the source. Where a source has a recurrence and first terms, the numerator is made from these;
//! products are multiplied out.

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

/// The order that is tried first where none is published.
const FIRST_ORDER: usize = 32;

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
    /// The numerator and the denominator.
    pub function: Option<(Polynomial, Polynomial)>,
    /// The growth, to some digits.
    pub growth: Option<String>,
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
    growth: String,
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
            function: (!row.numerator.is_empty())
                .then(|| (polynomial(&row.numerator), polynomial(&row.denominator))),
            growth: Some(row.growth).filter(|growth| !growth.is_empty()),
            source: row.source,
        }
    });
    made.collect()
}

impl Published {
    /// What is published of it: the function, the growth.
    #[must_use]
    pub fn numbers(&self) -> usize {
        usize::from(self.function.is_some()) + usize::from(self.growth.is_some())
    }

    /// What it is of, in a few words.
    #[must_use]
    pub fn name(&self) -> String {
        let piece = self.play.piece.name().map_or_else(|| self.play.piece.to_string(), str::to_owned);
        let wrap = match self.play.wrap {
            crate::board::Wrap::None => String::new(),
            wrap => format!(" {wrap}"),
        };
        format!("n x {}{wrap} {piece} {}", self.width, self.kind.name())
    }

    /// Finds the recurrence again: exact terms, three times as many as its order, which is doubled until it is found
    /// if it is not published. `None` if there is none, or the control was cancelled.
    #[must_use]
    pub fn compute(&self, control: &Control) -> Option<Recurrence> {
        let is_paths = self.kind == Kind::Paths;
        let transfer = Transfer::new(&self.play, self.width, is_paths, MOST_STATES, control)?;
        let published = self.function.as_ref().map(|(above, below)| above.degree().max(below.degree()));
        let (mut terms, mut exact) = (Vec::<BigUint>::new(), transfer.exact());
        let mut order = published.unwrap_or(FIRST_ORDER);
        loop {
            terms.extend(exact.by_ref().take((self.step * (3 * order + 6)).saturating_sub(terms.len())));
            match find(&terms) {
                Finding::Found(found) => return Some(found),
                _ if published.is_some() || order > transfer.states() || control.is_cancelled() => {
                    return None;
                }
                _ => order *= 2,
            }
        }
    }

    /// Whether a recurrence is that of the same generating function.
    #[must_use]
    pub fn is(&self, found: &Recurrence) -> bool {
        let Some((numerator, denominator)) = &self.function else { return true };
        found.stride == self.step && numerator.times(&found.denominator) == found.numerator.times(denominator)
    }

    /// The growth of a recurrence, rounded to as many digits as are published.
    #[must_use]
    pub fn growth_of(&self, found: &Recurrence) -> Option<String> {
        let (published, growth) = (self.growth.as_ref()?, found.growth()?);
        let decimals = published.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let rounded = growth.parse::<f64>().ok().map(|value| format!("{value:.decimals$}"));
        if published.len() >= growth.len() { Some(growth) } else { rounded }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_generating_functions_are_found_again() {
        for published in published() {
            let found = published.compute(&Control::new()).unwrap();
            let name = published.name();
            assert!(published.is(&found), "{name}: {} / {}", found.numerator, found.denominator);
            assert_eq!(published.growth_of(&found), published.growth, "{name}");
            let Some((numerator, denominator)) = published.function.clone() else { continue };
            // That of 5 x n paths of wazirs has a factor in common with its numerator.
            assert!(found.order() <= denominator.degree(), "{name}");
            let function = Some((numerator.times(&[1, 1].into()), denominator));
            assert!(!Published { function, ..published }.is(&found), "{name}");
        }
    }
}
