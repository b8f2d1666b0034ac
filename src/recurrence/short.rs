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

use super::{Terms, primes, shortest, stride};
use crate::control::Control;

/// Minimum number of terms modulo a prime before a recurrence is reported.
const FEWEST: usize = 96;

/// Number of terms before the start of a recurrence that are allowed for in addition to its order.
const LATE: usize = 16;

/// The result of a search modulo a prime. All counts except `length_count` count only every `stride`-th term;
/// the others are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// The prime.
    pub prime: u64,
    /// Greatest common divisor of the indices of all non-zero terms.
    pub stride: usize,
    /// Number of terms computed, for consecutive lengths from 1.
    pub lengths: usize,
    /// Number of terms computed at multiples of the stride.
    pub terms: usize,
    /// Whether all terms are 0.
    pub is_zero: bool,
    /// The shortest recurrence, if its order is at most the maximum and it is confirmed by half as many
    /// further terms as it takes to determine it.
    pub rule: Option<Rule>,
}

/// A recurrence modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Order: the degree of the denominator.
    pub order: usize,
    /// Number of terms after which the recurrence holds.
    pub from: usize,
    /// Whether the recurrence is proved for all lengths: it holds for as many lengths as there are states.
    pub is_proved: bool,
}

impl Short {
    /// Computes terms until a recurrence fits, or there are enough terms for a recurrence of order
    /// `max_order`. Reports each term to `control` as one round. Cost: at most about `3 * max_order` terms
    /// modulo a prime for each unit of stride, and time quadratic in that.
    #[must_use]
    pub fn of(terms: &Terms, most: usize, control: &Control) -> Self {
        let modulus = primes().next().expect("there are primes");
        let (mut residues, mut all) = (Vec::new(), terms.modular(modulus));
        let mut wanted = FEWEST;
        control.begin_rounds(FEWEST.max(3 * (most + LATE)));
        loop {
            while residues.len() < wanted && !control.is_cancelled() {
                residues.extend(all.next());
                control.round_done();
            }
            let stride = stride(0, residues.iter().map(|&residue| residue == 0)).unwrap_or(1);
            let own: Vec<u64> = residues.iter().skip(stride - 1).step_by(stride).copied().collect();
            let (polynomial, from) = shortest(&own, modulus);
            let is_proved = residues.len() >= from * stride + terms.states();
            // Terms that are all 0 give no information about later terms.
            let fits = 3 * from <= own.len() && (from > 0 || is_proved);
            let longest = FEWEST.max(3 * (most + LATE) * stride);
            if fits || residues.len() >= longest || control.is_cancelled() {
                let order = polynomial.len() - 1;
                return Self {
                    prime: modulus.prime(),
                    stride,
                    lengths: residues.len(),
                    terms: own.len(),
                    is_zero: residues.iter().all(|&residue| residue == 0),
                    rule: (fits && order <= most).then_some(Rule { order, from, is_proved }),
                };
            }
            wanted = longest.min(2 * wanted);
        }
    }
}
