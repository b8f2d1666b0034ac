//! Published generating functions and growth rates, for comparison with computed ones.
//!
//! `published.csv` has one row for each strip: width, wrap, piece and kind; the coefficients of numerator and
//! denominator in x^`step`, lowest power first, if published; the growth rate per unit of length, if
//! published; and the source. If a source gives a recurrence and first terms, the numerator in the table is
//! computed from these. Products of factors are multiplied out.

use num_bigint::{BigInt, BigUint};
use serde::Deserialize;

use super::polynomial::Polynomial;
use super::recurrence_search::{Recurrence, SearchOutcome, find_recurrence};
use super::transfer_matrix::TransferMatrix;
use crate::control::Control;
use crate::series::SeriesRules;
use crate::tour::Kind;

/// Contents of `published.csv`.
const PUBLISHED_CSV: &str = include_str!("published.csv");

/// Order that the search for a recurrence tries first if no generating function is published.
const INITIAL_ORDER: usize = 32;

/// Maximum number of states of the transfer matrix of a published strip.
const MAX_STATES: usize = 1_000_000;

/// The published generating function and growth rate of one strip.
#[derive(Clone, Debug)]
pub struct PublishedRecurrence {
    /// Width of the strip: number of squares in a line across it.
    pub width: u16,
    /// Wrap of the strip, and piece whose tours are counted.
    pub rules: SeriesRules,
    /// Kind of the counted tours: closed tours or paths.
    pub kind: Kind,
    /// Common divisor of the lengths with tours: boards of all other lengths have none.
    pub step: usize,
    /// Numerator and denominator of the generating function.
    pub function: Option<(Polynomial, Polynomial)>,
    /// Growth rate, with as many digits as published.
    pub growth_rate: Option<String>,
    /// Publication that the numbers are from.
    pub source: String,
}

#[derive(Deserialize)]
struct TableRow {
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

/// Returns all rows of `published.csv`.
///
/// # Panics
/// Panics if a row of the table is not valid; the tests exclude this.
#[must_use]
pub fn published_recurrences() -> Vec<PublishedRecurrence> {
    let polynomial = |text: &str| {
        let coefficient = |word: &str| word.parse::<BigInt>().expect("a coefficient");
        Polynomial::new(text.split(' ').map(coefficient).collect())
    };
    let rows = csv::Reader::from_reader(PUBLISHED_CSV.as_bytes()).into_deserialize::<TableRow>();
    let made = rows.map(|row| {
        let row = row.expect("a row of the table");
        let wrap = row.wrap.parse().expect("a wrap");
        PublishedRecurrence {
            width: row.width,
            rules: SeriesRules { wrap, piece: row.piece.parse().expect("a piece") },
            kind: if row.kind == "closed" { Kind::Closed } else { Kind::Paths },
            step: row.step,
            function: (!row.numerator.is_empty())
                .then(|| (polynomial(&row.numerator), polynomial(&row.denominator))),
            growth_rate: Some(row.growth).filter(|growth| !growth.is_empty()),
            source: row.source,
        }
    });
    made.collect()
}

impl PublishedRecurrence {
    /// Returns the number of published facts about the strip, 0 to 2: the generating function and
    /// the growth rate.
    #[must_use]
    pub fn fact_count(&self) -> usize {
        usize::from(self.function.is_some()) + usize::from(self.growth_rate.is_some())
    }

    /// Returns a short description of the strip: `n x 5 knight closed`.
    #[must_use]
    pub fn description(&self) -> String {
        let piece = self.rules.piece.name().map_or_else(|| self.rules.piece.to_string(), str::to_owned);
        let wrap = match self.rules.wrap {
            crate::board::Wrap::None => String::new(),
            wrap => format!(" {wrap}"),
        };
        format!("n x {}{wrap} {piece} {}", self.width, self.kind.name())
    }

    /// Computes the recurrence from exact terms, three times as many terms as its order. If the
    /// order is not published, the search doubles the order that it tries. Returns `None` if no
    /// recurrence is found, or the control was cancelled.
    #[must_use]
    pub fn find_recurrence(&self, control: &Control) -> Option<Recurrence> {
        let is_paths = self.kind == Kind::Paths;
        let transfer = TransferMatrix::new(&self.rules, self.width, is_paths, MAX_STATES, control)?;
        let published = self.function.as_ref().map(|(above, below)| above.degree().max(below.degree()));
        let (mut terms, mut exact) = (Vec::<BigUint>::new(), transfer.exact_terms());
        let mut order = published.unwrap_or(INITIAL_ORDER);
        loop {
            terms.extend(exact.by_ref().take((self.step * (3 * order + 6)).saturating_sub(terms.len())));
            match find_recurrence(&terms) {
                SearchOutcome::Found(found) => return Some(found),
                _ if published.is_some() || order > transfer.state_count() || control.is_cancelled() => {
                    return None;
                }
                _ => order *= 2,
            }
        }
    }

    /// Returns true if the recurrence has the published generating function, or no function is published.
    #[must_use]
    pub fn matches(&self, recurrence: &Recurrence) -> bool {
        let Some((numerator, denominator)) = &self.function else { return true };
        recurrence.stride == self.step
            && numerator.multiply(&recurrence.denominator) == recurrence.numerator.multiply(denominator)
    }

    /// Returns the growth rate of the recurrence, rounded to as many digits as are published.
    /// Returns `None` if no growth rate is published, or the recurrence has none.
    #[must_use]
    pub fn rounded_growth_rate(&self, recurrence: &Recurrence) -> Option<String> {
        let (published, growth) = (self.growth_rate.as_ref()?, recurrence.growth_rate()?);
        let decimals = published.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let rounded = growth.parse::<f64>().ok().map(|value| format!("{value:.decimals$}"));
        if published.len() >= growth.len() { Some(growth) } else { rounded }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_recurrences_match_published_ones() {
        for published in published_recurrences() {
            let recurrence = published.find_recurrence(&Control::new()).unwrap();
            let name = published.description();
            assert!(
                published.matches(&recurrence),
                "{name}: {} / {}",
                recurrence.numerator,
                recurrence.denominator
            );
            assert_eq!(published.rounded_growth_rate(&recurrence), published.growth_rate, "{name}");
            let Some((numerator, denominator)) = published.function.clone() else { continue };
            // The published function of wazir paths on 5 x n has a common factor in numerator and
            // denominator.
            assert!(recurrence.order() <= denominator.degree(), "{name}");
            let function = Some((numerator.multiply(&[1, 1].into()), denominator));
            assert!(!PublishedRecurrence { function, ..published }.matches(&recurrence), "{name}");
        }
    }
}
