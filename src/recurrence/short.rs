//! What terms modulo a prime tell of the recurrence behind them: its order, and how sure that is.
//!
//! The terms are the series of a fraction P / Q modulo the prime. The shortest register that makes N of them is that
//! fraction as soon as N is twice its length L, which counts the roots of Q, or the coefficients of P if these are
//! more; the order is the degree of Q. Two registers whose lengths are no more than N together, and that make the
//! same N terms, make the same sequence: so a recurrence of a lower order that fits would begin after more than N - L
//! terms. With the bound that the states are there is none at all; see [`crate::recurrence`] for what that says of
//! integers.

use super::{Terms, primes, shortest, stride};
use crate::control::Control;

/// Terms modulo a prime, at least, before anything is said.
const FEWEST: usize = 96;

/// Terms before a recurrence begins, for which there is room beyond those for its order.
const LATE: usize = 16;

/// What terms modulo a prime tell. All but `lengths` counts every so-manieth term: the others are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// The prime.
    pub prime: u64,
    /// Every so-manieth term alone is not 0.
    pub stride: usize,
    /// Terms that were made, of every length.
    pub lengths: usize,
    /// Those that are not 0 all of them.
    pub terms: usize,
    /// Whether all are 0.
    pub is_zero: bool,
    /// The recurrence that fits, if it does so as long again as it takes to find it.
    pub rule: Option<Rule>,
}

/// A recurrence modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The degree of the denominator.
    pub order: usize,
    /// It holds after so many terms.
    pub from: usize,
    /// Whether it holds for good, as it does for as many lengths as there are states.
    pub is_proved: bool,
}

impl Short {
    /// Takes terms until a recurrence fits, or there are enough for one of the order `most`. The control is told of each,
    /// of as many as there may be. Cost: three times `most` terms modulo a prime, at most, and the square of that.
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
            // Terms that are 0 all of them tell nothing of those that come.
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
