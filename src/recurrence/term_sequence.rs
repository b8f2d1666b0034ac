//! Sequences of numbers of tours in which a recurrence is searched for.
//!
//! ```text
//! ModularRecurrence -> exact terms of the transfer matrix --+
//! rows of a series, if there is no matrix ------------------+-> TermSequence -> SequenceOutcome
//! ```

use num_bigint::BigUint;
use num_traits::Zero;

use super::exact_search::{ExactStripTerms, ExactTermLimits, TermMismatch, check_terms};
use super::growth_rate::growth_rate_from_terms;
use super::recurrence_search::{
    ModularRecurrence, Recurrence, SearchOutcome, common_stride, find_recurrence_after,
};
use super::strip_terms::StripTerms;
use crate::clock::Instant;
use crate::control::Control;
use crate::series::BoardLine;

/// Time limit, in seconds, for exact terms that are used only to estimate the growth.
const GROWTH_SECONDS: f64 = 5.0;

/// Number of exact terms that are computed between two estimates of the growth.
const TERMS_PER_GROWTH_CHECK: usize = 16;

/// Number of digits of an estimated growth if all of them are certain.
const GROWTH_DIGITS: usize = 15;

/// Numbers of tours on boards of increasing length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermSequence {
    /// The terms, beginning with the board of length `offset + 1`.
    pub terms: Vec<BigUint>,
    /// Number of lengths before the first term. Their terms are unknown.
    pub offset: usize,
    /// Number of zero terms that were added before the first row of a series.
    pub leading_zeros: usize,
    /// Number of states of the transfer matrix, which bounds the order. `None` without a matrix.
    pub states: Option<usize>,
}

/// The result of a search for a recurrence in a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceOutcome {
    /// A recurrence.
    Found {
        /// The recurrence.
        recurrence: Recurrence,
        /// True if it is proved for all lengths, because it holds for as many lengths as there are states.
        is_proved: bool,
    },
    /// All terms are 0.
    AllZero {
        /// True if this is proved for all lengths.
        is_proved: bool,
    },
    /// The sequence obeys no recurrence of a low order.
    NoneUpTo {
        /// The greatest order that is excluded, counted by strides.
        order: usize,
        /// Number of terms, counted by strides, after which an excluded recurrence begins at the latest.
        after: usize,
        /// Distance between two terms that may differ from 0: see [`TermSequence::stride`].
        stride: usize,
    },
}

impl TermSequence {
    /// Creates the sequence of the numbers of tours on boards of length 1, 2, ..
    #[must_use]
    pub const fn new(terms: Vec<BigUint>, states: Option<usize>) -> Self {
        Self { terms, offset: 0, leading_zeros: 0, states }
    }

    /// Creates the sequence of the rows of a series, each the length of a board and its number. Terms before the first
    /// row are unknown. If only every k-th board has tours, zeros are added before the first row, so that the terms
    /// begin with a whole period.
    #[must_use]
    pub fn from_rows(rows: &[(usize, BigUint)]) -> Self {
        let first = rows.first().map_or(0, |row| row.0 - 1);
        let stride = common_stride(first, rows.iter().map(|(_, number)| number.is_zero())).unwrap_or(1);
        let (offset, leading_zeros) = (first - first % stride, first % stride);
        let numbers = rows.iter().map(|(_, number)| number.clone());
        let terms = std::iter::repeat_n(BigUint::ZERO, leading_zeros).chain(numbers).collect();
        Self { terms, offset, leading_zeros, states: None }
    }

    /// Computes the exact terms of a line of boards by its transfer matrices `strip`: as many as determine the recurrence
    /// that `modular` found modulo a prime, or as its growth needs. All `rows`, each the length of a board and its number,
    /// are compared with them, and replace them if time runs out before the terms are as many. The second value is true
    /// if the terms suffice for the recurrence.
    ///
    /// # Errors
    /// A row and the matrix disagree.
    pub fn from_strip(
        line: BoardLine,
        (strip, modular): (&StripTerms, &ModularRecurrence),
        rows: &[(usize, BigUint)],
        limits: ExactTermLimits,
        control: &Control,
    ) -> Result<(Self, bool), TermMismatch> {
        let growth =
            || ExactStripTerms { terms: growth_terms(strip, limits.is_directed, control), is_whole: false };
        let exact = modular.exact_terms(strip, limits, control);
        let ExactStripTerms { terms, is_whole } = exact.unwrap_or_else(growth);
        check_terms(line, &terms, rows.iter().map(|(length, number)| (*length, number)))?;
        let states = Some(strip.order_bound());
        let has_all_rows = rows.last().is_none_or(|(last, _)| terms.len() >= *last);
        let sequence =
            if has_all_rows { Self::new(terms, states) } else { Self { states, ..Self::from_rows(rows) } };
        Ok((sequence, is_whole))
    }

    /// Returns the number of terms, without the zeros that were added.
    #[must_use]
    pub const fn term_count(&self) -> usize {
        self.terms.len() - self.leading_zeros
    }

    /// Returns the distance between two terms that may differ from 0: only every term whose number is a multiple of this
    /// stride may do so.
    #[must_use]
    pub fn stride(&self) -> usize {
        nonzero_stride(&self.terms)
    }

    /// Returns the growth per unit of length, estimated from the last terms, with its certain digits only.
    #[must_use]
    pub fn growth(&self) -> Option<String> {
        growth_of_terms(&self.terms)
    }

    /// Searches for the recurrence of the terms, of order `max_order` at most. For the cost see
    /// [`find_recurrence`](super::find_recurrence).
    #[must_use]
    pub fn find_recurrence(&self, max_order: usize) -> SequenceOutcome {
        let bound = self.states.filter(|_| self.offset == 0);
        match find_recurrence_after(self.offset, &self.terms) {
            SearchOutcome::AllZero => {
                SequenceOutcome::AllZero { is_proved: bound.is_some_and(|states| self.terms.len() >= states) }
            }
            SearchOutcome::Found(recurrence) if recurrence.order() <= max_order => {
                let is_proved = bound.is_some_and(|states| recurrence.is_proved_by(states));
                SequenceOutcome::Found { recurrence, is_proved }
            }
            SearchOutcome::NoneUpTo(_) | SearchOutcome::Found(_) => {
                let stride = self.stride();
                let after = self.terms.len() / stride / 3;
                SequenceOutcome::NoneUpTo { order: max_order.min(after), after, stride }
            }
        }
    }
}

fn nonzero_stride(terms: &[BigUint]) -> usize {
    common_stride(0, terms.iter().map(Zero::is_zero)).unwrap_or(1)
}

/// Computes exact terms until all digits of the growth are certain, or until the time limit is reached.
fn growth_terms(strip: &StripTerms, is_directed: bool, control: &Control) -> Vec<BigUint> {
    let (mut computed, mut exact) = (Vec::new(), strip.reported_terms(is_directed));
    let began = Instant::now();
    while !control.is_cancelled() && began.elapsed().as_secs_f64() < GROWTH_SECONDS {
        computed.extend(exact.by_ref().take(TERMS_PER_GROWTH_CHECK));
        if growth_of_terms(&computed).is_some_and(|growth| growth.len() > GROWTH_DIGITS) {
            break;
        }
    }
    computed
}

/// Returns the growth per unit of length, estimated from the last of `terms`, with its certain digits only.
fn growth_of_terms(terms: &[BigUint]) -> Option<String> {
    let step = nonzero_stride(terms);
    let nonzero_terms: Vec<&BigUint> = terms.iter().skip(step - 1).step_by(step).collect();
    growth_rate_from_terms(&nonzero_terms, step as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(terms: &[u32]) -> Vec<BigUint> {
        terms.iter().map(|&term| term.into()).collect()
    }

    #[test]
    fn recurrence_is_proved_by_as_many_terms_as_states() {
        let powers = numbers(&[1, 2, 4, 8, 16, 32]);
        let find = |states, max_order| TermSequence::new(powers.clone(), states).find_recurrence(max_order);
        for (states, proved) in [(None, false), (Some(5), true), (Some(9), false)] {
            let SequenceOutcome::Found { recurrence, is_proved } = find(states, 1) else {
                panic!("every term doubles")
            };
            assert_eq!((recurrence.order(), is_proved), (1, proved), "{states:?}");
        }
        assert_eq!(find(None, 0), SequenceOutcome::NoneUpTo { order: 0, after: 2, stride: 1 });
        let zeros = |states| TermSequence::new(numbers(&[0; 7]), states).find_recurrence(9);
        assert_eq!(zeros(Some(7)), SequenceOutcome::AllZero { is_proved: true });
        assert_eq!(zeros(Some(8)), SequenceOutcome::AllZero { is_proved: false });
    }

    #[test]
    fn rows_begin_with_a_whole_period() {
        let rows: Vec<(usize, BigUint)> = (4..).zip(numbers(&[0, 0, 5, 0, 0, 7])).collect();
        let sequence = TermSequence::from_rows(&rows);
        assert_eq!((sequence.offset, sequence.leading_zeros, sequence.term_count()), (3, 0, 6));
        let sequence = TermSequence::from_rows(&rows[1..]);
        assert_eq!((sequence.offset, sequence.leading_zeros, sequence.term_count()), (3, 1, 5));
        assert_eq!(sequence.terms, numbers(&[0, 0, 5, 0, 0, 7]));
    }
}
