//! The input of the search is a sequence of terms, with the lengths that they belong to.

use serde_json::Value;

use crate::report::ordinal;
use ktour::BigUint;
use ktour::recurrence::{common_stride, growth_rate_from_terms};

/// Maximum time for exact terms, in seconds.
pub const EXACT_SECONDS: f64 = 300.0;

/// The report of a recurrence, as text and as JSON.
pub struct RecurrenceReport {
    pub text: String,
    pub json: Value,
}

/// A sequence of terms whose recurrence is searched for.
pub struct TermSequence {
    /// Terms by length, beginning with length `offset + 1`.
    pub terms: Vec<BigUint>,
    pub offset: usize,
    /// Number of leading terms that precede the rows and are 0.
    pub leading_zeros: usize,
    pub states: Option<usize>,
    /// Highest order to search for.
    pub max_order: usize,
}

impl TermSequence {
    /// Returns the distance of nonzero terms: only every `stride`-th term is nonzero.
    pub fn stride(&self) -> usize {
        nonzero_stride(&self.terms)
    }

    /// Returns the growth estimated from the last terms, with its certain digits.
    pub fn growth(&self) -> Option<String> {
        growth_of_terms(&self.terms)
    }

    /// Returns the line about a growth estimated from the terms.
    pub fn growth_line(&self, growth: &str) -> String {
        let terms = self.terms.len() - self.leading_zeros;
        format!("growth about {growth} per unit of length, from the last of {terms} terms\n")
    }
}

fn nonzero_stride(terms: &[BigUint]) -> usize {
    common_stride(0, terms.iter().map(|term| *term == BigUint::ZERO)).unwrap_or(1)
}

/// Returns the growth of terms estimated from the last of them.
pub fn growth_of_terms(terms: &[BigUint]) -> Option<String> {
    let step = nonzero_stride(terms);
    let nonzero_terms: Vec<&BigUint> = terms.iter().skip(step - 1).step_by(step).collect();
    growth_rate_from_terms(&nonzero_terms, step as u32)
}

/// Returns the text that limits an order to every `stride`-th term; empty for stride 1.
pub fn every_nth_text(stride: usize) -> String {
    if stride > 1 { format!(" in every {} term (the others are 0)", ordinal(stride)) } else { String::new() }
}

/// Returns the line that no recurrence up to an order was found. One that begins later than `after` terms
/// would not be found.
pub fn no_recurrence_line(order: usize, after: usize, terms: usize, stride: usize) -> String {
    let stride_text = if stride > 1 { format!("{},", every_nth_text(stride)) } else { String::new() };
    format!(
        "no recurrence of order up to {order}{stride_text} that holds after the first {after} terms fits {terms} \
        terms\n"
    )
}

/// Returns the text about the states, whose number bounds the order.
pub fn state_bound_text(states: usize) -> String {
    if states == 1 {
        "1 state bounds the order".to_owned()
    } else {
        format!("{states} states bound the order")
    }
}
