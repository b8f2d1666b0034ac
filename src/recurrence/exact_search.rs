//! The exact terms of a strip from which its recurrence follows: how many are computed, and their comparison with
//! numbers that were counted by other means.
//!
//! ```text
//! StripTerms -> ModularRecurrence: when the recurrence begins -> exact terms -> find_recurrence
//!                                                                |
//! numbers of a sweep --------------------------------------------+-> both must agree
//! ```

use num_bigint::BigUint;

use super::recurrence_search::ModularRecurrence;
use super::strip_terms::StripTerms;
use crate::board::Rectangle;
use crate::clock::Instant;
use crate::control::Control;
use crate::series::BoardLine;

/// Maximum number of exact terms that are computed only to prove a recurrence.
const MAX_PROOF_TERMS: usize = 4000;

/// Maximum number of exact terms that are computed only to prove that all terms are 0.
const MAX_ZERO_TERMS: usize = 1 << 14;

/// Time limit, in seconds, for exact terms that are used only to prove a recurrence that is already verified.
const PROOF_SECONDS: f64 = 60.0;

/// Seconds after which the time of the remaining exact terms is predicted.
const PREDICTION_DELAY_SECONDS: f64 = 3.0;

/// Number of exact terms from which the growth can be estimated well.
const GROWTH_TERMS: usize = 600;

/// The exact terms that a caller needs.
#[derive(Clone, Copy, Debug)]
pub struct ExactTermLimits {
    /// Number of terms that are computed in any case, to be compared with other numbers.
    pub min_terms: usize,
    /// True if each tour and its reversal count as two.
    pub is_directed: bool,
    /// Time limit, in seconds, for the terms that determine the recurrence.
    pub seconds: f64,
}

/// Exact terms of a strip.
#[derive(Clone, Debug)]
pub struct ExactStripTerms {
    /// The numbers of tours on boards of length 1, 2, ..
    pub terms: Vec<BigUint>,
    /// True if there are enough terms to determine the recurrence.
    pub is_whole: bool,
}

impl ModularRecurrence {
    /// Computes the exact terms that determine a recurrence which begins as the recurrence modulo the prime does,
    /// and, if that is cheap, the terms that prove it. Returns `None` if no recurrence fits modulo the prime.
    /// Reports each term to `control` as one round.
    #[must_use]
    pub fn exact_terms(
        &self,
        strip: &StripTerms,
        limits: ExactTermLimits,
        control: &Control,
    ) -> Option<ExactStripTerms> {
        let from = match self.fitted {
            Some(fitted) => fitted.start * self.stride,
            None if self.is_zero => 0,
            None => return None,
        };
        let least = limits.min_terms.max(3 * from + 4);
        let max_proof_terms = if self.is_zero { MAX_ZERO_TERMS } else { MAX_PROOF_TERMS };
        let proof = (from + strip.order_bound() + 2).min(from + max_proof_terms);
        let (mut terms, mut exact) = (Vec::new(), strip.reported_terms(limits.is_directed));
        let began = Instant::now();
        let seconds = || began.elapsed().as_secs_f64();
        control.begin_rounds(least.max(proof));
        while !control.is_cancelled()
            && ((terms.len() < least && seconds() < limits.seconds)
                || (terms.len() < proof && seconds() < PROOF_SECONDS))
        {
            terms.extend(exact.next());
            control.finish_round();
            // The digits of a term grow linearly with the length, and so does the time to compute it.
            let share = least as f64 / terms.len() as f64;
            let is_hopeless =
                seconds() > PREDICTION_DELAY_SECONDS && seconds() * share * share > limits.seconds;
            if is_hopeless && terms.len() >= limits.min_terms.max(GROWTH_TERMS) {
                break;
            }
        }
        let is_whole = terms.len() >= least;
        Some(ExactStripTerms { terms, is_whole })
    }
}

/// A number of tours that a sweep and a transfer matrix count differently.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{board}: {swept} by the sweep, but {term} by the transfer matrix; please report this")]
pub struct TermMismatch {
    board: Rectangle,
    swept: BigUint,
    term: BigUint,
}

/// Compares the terms of a line of boards with numbers that a sweep has counted, each with the length of its board.
/// Terms that were not computed are not compared.
///
/// # Errors
/// The first board whose numbers differ.
pub fn check_terms<'a>(
    line: BoardLine,
    terms: &[BigUint],
    swept: impl IntoIterator<Item = (usize, &'a BigUint)>,
) -> Result<(), TermMismatch> {
    for (length, swept) in swept {
        if let Some(term) = length.checked_sub(1).and_then(|index| terms.get(index))
            && term != swept
        {
            let board = line.board(length as u16);
            return Err(TermMismatch { board, swept: swept.clone(), term: term.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{SearchOutcome, find_recurrence};
    use super::*;
    use crate::series::SeriesRules;
    use crate::tour::Kind;

    fn strip(width: u16, kind: Kind) -> StripTerms {
        StripTerms::new(&SeriesRules::default(), width, kind, 100_000, &Control::new()).unwrap()
    }

    fn limits(is_directed: bool) -> ExactTermLimits {
        ExactTermLimits { min_terms: 5, is_directed, seconds: f64::INFINITY }
    }

    #[test]
    fn exact_terms_determine_and_prove_the_recurrence() {
        let (strip, control) = (strip(3, Kind::Closed), Control::new());
        let modular = ModularRecurrence::fit(&strip, 30, &control);
        let exact = modular.exact_terms(&strip, limits(false), &control).unwrap();
        let SearchOutcome::Found(found) = find_recurrence(&exact.terms) else {
            panic!("closed tours of 3 x n have a recurrence")
        };
        assert!(exact.is_whole && found.order() == 21 && found.is_proved_by(strip.order_bound()));
        let directed = modular.exact_terms(&strip, limits(true), &control).unwrap();
        assert!(exact.terms.iter().map(|term| term * 2u32).eq(directed.terms));
        let none = ModularRecurrence::fit(&strip, 20, &control);
        assert!(none.exact_terms(&strip, limits(false), &control).is_none());
    }

    #[test]
    fn terms_without_tours_are_computed_until_they_prove_it() {
        let (strip, control) = (strip(4, Kind::Closed), Control::new());
        for max_order in [1, 200] {
            let modular = ModularRecurrence::fit(&strip, max_order, &control);
            let exact = modular.exact_terms(&strip, limits(false), &control).unwrap();
            assert!(exact.is_whole && exact.terms.len() >= strip.order_bound());
            assert_eq!(find_recurrence(&exact.terms), SearchOutcome::AllZero);
        }
    }

    #[test]
    fn exact_terms_stop_at_the_time_limit() {
        let (strip, control) = (strip(4, Kind::Paths), Control::new());
        let modular = ModularRecurrence { is_zero: false, ..ModularRecurrence::fit(&strip, 300, &control) };
        control.cancel();
        let exact = modular.exact_terms(&strip, limits(false), &control).unwrap();
        assert!(!exact.is_whole && exact.terms.is_empty());
    }

    #[test]
    fn check_terms_names_the_first_board_that_differs() {
        let line = BoardLine::with_varying_cols(3, 9, 12);
        let terms: Vec<BigUint> = strip(3, Kind::Closed).exact_terms().take(12).collect();
        let mut swept: Vec<BigUint> = terms[8..].to_vec();
        let check = |swept: &[BigUint]| check_terms(line, &terms, (9..).zip(swept));
        assert_eq!(check(&swept), Ok(()));
        swept[3] += 1u32;
        let mismatch = check(&swept).unwrap_err().to_string();
        assert!(mismatch.starts_with("3x12: 177 by the sweep, but 176 by"), "{mismatch}");
    }
}
