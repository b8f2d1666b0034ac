//! The input of the search is a sequence of terms, with the lengths that they belong to.

use serde_json::Value;

use crate::report::ordinal;
use ktour::BigUint;
use ktour::recurrence::{growth_by_terms, stride};

/// Maximum time for exact terms, in seconds.
pub const EXACT_SECONDS: f64 = 300.0;

/// The report of a recurrence, as text and as JSON.
pub struct Told {
    pub text: String,
    pub json: Value,
}

/// A sequence of terms whose recurrence is searched for.
pub struct Source {
    /// Terms by length, beginning with length `offset + 1`.
    pub terms: Vec<BigUint>,
    pub offset: usize,
    /// Number of leading terms that precede the rows and are 0.
    pub before: usize,
    pub states: Option<usize>,
    /// Highest order to search for.
    pub most: usize,
}

impl Source {
    /// Returns the distance of nonzero terms: only every `stride`-th term is nonzero.
    pub fn stride(&self) -> usize {
        stride_of(&self.terms)
    }

    /// Returns the growth estimated from the last terms, with its certain digits.
    pub fn growth(&self) -> Option<String> {
        growth_of(&self.terms)
    }

    /// Returns the line about a growth estimated from the terms.
    pub fn by_terms(&self, growth: &str) -> String {
        let terms = self.terms.len() - self.before;
        format!("growth about {growth} per unit of length, from the last of {terms} terms\n")
    }
}

fn stride_of(terms: &[BigUint]) -> usize {
    stride(0, terms.iter().map(|term| *term == BigUint::ZERO)).unwrap_or(1)
}

/// Returns the growth of terms estimated from the last of them.
pub fn growth_of(terms: &[BigUint]) -> Option<String> {
    let step = stride_of(terms);
    let own: Vec<&BigUint> = terms.iter().skip(step - 1).step_by(step).collect();
    growth_by_terms(&own, step as u32)
}

/// Returns the text that limits an order to every `stride`-th term; empty for stride 1.
pub fn of_every(stride: usize) -> String {
    if stride > 1 { format!(" in every {} term (the others are 0)", ordinal(stride)) } else { String::new() }
}

/// Returns the line that no recurrence up to an order was found. One that begins later than `after` terms
/// would not be found.
pub fn none(order: usize, after: usize, terms: usize, stride: usize) -> String {
    let of = if stride > 1 { format!("{},", of_every(stride)) } else { String::new() };
    format!(
        "no recurrence of order up to {order}{of} that holds after the first {after} terms fits {terms} \
        terms\n"
    )
}

/// Returns the text about the states, whose number bounds the order.
pub fn bound(states: usize) -> String {
    if states == 1 {
        "1 state bounds the order".to_owned()
    } else {
        format!("{states} states bound the order")
    }
}
