//! Terms modulo one prime give the order of the recurrence behind them, without a search for its integer
//! coefficients; with enough terms the order is proved.
//!
//! The terms are the series of a fraction P / Q modulo the prime. The shortest linear recurrence for the
//! first N terms equals that fraction as soon as N is at least twice its length L. L is the number of roots
//! of Q or the number of coefficients of P, whichever is greater; the order is the degree of Q. Two
//! recurrences whose lengths sum to at most N and which agree on N terms are the same sequence. So any other
//! recurrence of a lower order would begin after more than N - L terms. If the number of states excludes such
//! a late start, no other recurrence exists. [`crate::recurrence`] explains what this implies for the
//! integers.

use super::{StripTerms, berlekamp_massey, common_stride, primes_descending};
use crate::control::Control;

/// Minimum number of terms modulo a prime before a recurrence is reported.
const MIN_TERMS: usize = 96;

/// Number of terms before the start of a recurrence that are allowed for in addition to its order.
const START_MARGIN_TERMS: usize = 16;

/// The result of a search modulo a prime. All counts except `length_count` count only every `stride`-th term;
/// the others are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModularRecurrence {
    /// The prime.
    pub prime: u64,
    /// Greatest common divisor of the indices of all non-zero terms.
    pub stride: usize,
    /// Number of terms computed, for consecutive lengths from 1.
    pub length_count: usize,
    /// Number of terms computed at multiples of the stride.
    pub term_count: usize,
    /// Whether all terms are 0.
    pub is_zero: bool,
    /// The shortest recurrence, if its order is at most the maximum and it is confirmed by half as many
    /// further terms as it takes to determine it.
    pub fitted: Option<FittedRecurrence>,
}

/// A recurrence modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FittedRecurrence {
    /// Order: the degree of the denominator.
    pub order: usize,
    /// Number of terms after which the recurrence holds.
    pub start: usize,
    /// Whether the recurrence is proved for all lengths: it holds for as many lengths as there are states.
    pub is_proved: bool,
}

impl ModularRecurrence {
    /// Computes terms until a recurrence fits, or there are enough terms for a recurrence of order
    /// `max_order`. Reports each term to `control` as one round. Cost: at most about `3 * max_order` terms
    /// modulo a prime for each unit of stride, and time quadratic in that.
    #[must_use]
    pub fn fit(terms: &StripTerms, max_order: usize, control: &Control) -> Self {
        let modulus = primes_descending().next().expect("there are primes");
        let (mut residues, mut all) = (Vec::new(), terms.terms_modulo(modulus));
        let mut target_terms = MIN_TERMS;
        control.begin_rounds(MIN_TERMS.max(3 * (max_order + START_MARGIN_TERMS)));
        loop {
            while residues.len() < target_terms && !control.is_cancelled() {
                residues.extend(all.next());
                control.finish_round();
            }
            let stride = common_stride(0, residues.iter().map(|&residue| residue == 0)).unwrap_or(1);
            let stride_residues: Vec<u64> =
                residues.iter().skip(stride - 1).step_by(stride).copied().collect();
            let (polynomial, from) = berlekamp_massey(&stride_residues, modulus);
            let is_proved = residues.len() >= from * stride + terms.order_bound();
            // Terms that are all 0 give no information about later terms.
            let fits = 3 * from <= stride_residues.len() && (from > 0 || is_proved);
            let longest = MIN_TERMS.max(3 * (max_order + START_MARGIN_TERMS) * stride);
            if fits || residues.len() >= longest || control.is_cancelled() {
                let order = polynomial.len() - 1;
                return Self {
                    prime: modulus.prime(),
                    stride,
                    length_count: residues.len(),
                    term_count: stride_residues.len(),
                    is_zero: residues.iter().all(|&residue| residue == 0),
                    fitted: (fits && order <= max_order).then_some(FittedRecurrence {
                        order,
                        start: from,
                        is_proved,
                    }),
                };
            }
            target_terms = longest.min(2 * target_terms);
        }
    }
}
