//! The numbers whose recurrence is looked for, where they come from, and the words for what is said of them.

use serde_json::Value;

use crate::report::ordinal;
use ktour::BigUint;
use ktour::recurrence::{growth_by_terms, stride};

/// Seconds that exact terms may take.
pub const EXACT_SECONDS: f64 = 300.0;

/// What was found, as text and for JSON.
pub struct Told {
    pub text: String,
    pub json: Value,
}

/// What the numbers are made of.
pub struct Source {
    /// By length, from 1 on, or from the one after `offset`.
    pub terms: Vec<BigUint>,
    pub offset: usize,
    /// How many of them stand before the rows, and are 0.
    pub before: usize,
    pub states: Option<usize>,
    /// The highest order that is looked for.
    pub most: usize,
}

impl Source {
    /// Every so-manieth term alone is not 0.
    pub fn stride(&self) -> usize {
        stride_of(&self.terms)
    }

    /// How fast the terms grow by the last of them, as far as that is sure.
    pub fn growth(&self) -> Option<String> {
        growth_of(&self.terms)
    }

    /// That in words.
    pub fn by_terms(&self, growth: &str) -> String {
        let terms = self.terms.len() - self.before;
        format!("growth about {growth} a square of length, by the last of {terms} terms\n")
    }
}

fn stride_of(terms: &[BigUint]) -> usize {
    stride(0, terms.iter().map(|term| *term == BigUint::ZERO)).unwrap_or(1)
}

/// How fast terms grow by the last of them.
pub fn growth_of(terms: &[BigUint]) -> Option<String> {
    let step = stride_of(terms);
    let own: Vec<&BigUint> = terms.iter().skip(step - 1).step_by(step).collect();
    growth_by_terms(&own, step as u32)
}

/// What an order is of, where every so-manieth term alone is not 0.
pub fn of_every(stride: usize) -> String {
    if stride > 1 { format!(" in every {} term, the others are 0", ordinal(stride)) } else { String::new() }
}

/// That there is none, and of which kind: one that begins later would not be seen.
pub fn none(order: usize, after: usize, terms: usize, stride: usize) -> String {
    let of = if stride > 1 { format!("{},", of_every(stride)) } else { String::new() };
    format!("none of order up to {order}{of} that holds after the first {after} terms fits {terms} terms\n")
}

/// What states of a matrix tell.
pub fn bound(states: usize) -> String {
    if states == 1 {
        "1 state bounds the order".to_owned()
    } else {
        format!("{states} states bound the order")
    }
}
