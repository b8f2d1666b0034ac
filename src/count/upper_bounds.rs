//! Upper bounds of counts, which determine how many residues are enough, and the computation of
//! counts from enough residues.
//!
//! Residues determine a number modulo the product of their moduli. If the product is greater than
//! an upper bound, at most one number up to the bound has these residues; if there is no such
//! number, a residue is wrong. The excess of the product over the bound therefore acts as a check:
//! the fraction of wrong residues that pass unnoticed is the bound divided by the product.

use num_bigint::BigUint;

use super::partial_sums::{ResidueError, ResidueSums};
use super::request::Request;
use super::{CountError, ValidatedRequest, engine_cost};
use crate::control::Control;
use crate::frontier::{
    BoundMethod, Cancel, Options, PreparedSweep, ResidueRing, SweepGraph, Tours, chinese_remainder,
    prime_moduli,
};
use crate::search::unit_runner::Stopped;

/// Upper bounds of the sums that sweeps compute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpperBounds {
    /// Upper bound of the number of closed tours; zero if no sweep counts closed tours.
    pub closed: BigUint,
    /// Upper bound of the number of paths; zero if no sweep counts paths.
    pub paths: BigUint,
    /// The method of the bounds: by the degrees alone if one of them has this method.
    pub method: BoundMethod,
}

impl UpperBounds {
    /// Returns upper bounds of the sums for a request. They are proved by a sweep over vertex
    /// degrees, or by the degrees alone if that sweep needs too much memory. `memory` is the memory limit in
    /// bytes. Cost: a few hundredths of the time of the sweeps that count the tours.
    ///
    /// # Errors
    /// The request is invalid, the frontier is too wide, or the control was cancelled.
    pub fn for_request(
        request: &Request,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Self, CountError> {
        let validated = ValidatedRequest::new(request, control)?;
        let request = validated.request();
        let memory = memory.or_else(crate::memory::default_limit_bytes);
        let options = Options { memory, cancel: Cancel::from(control.cancel_flag()), ..Options::default() };
        let mut bounds = Self::default();
        control.begin_planning();
        for sweep in engine_cost::required_sweeps(request) {
            let prepared = PreparedSweep::new(&SweepGraph::from_board(&sweep.board), sweep.tours, &options)?;
            let Some((bound, method)) = prepared.upper_bound() else {
                options.cancel.is_cancelled().then_some(()).ok_or(CountError::NoUpperBound)?;
                return Err(Stopped.into());
            };
            bounds.method = bounds.method.max(method);
            match sweep.tours {
                Tours::Closed => bounds.closed = bound,
                Tours::Paths | Tours::From(_) | Tours::Between(..) => bounds.paths = bound,
            }
        }
        Ok(bounds)
    }

    /// Returns the greater of the bounds of closed tours and paths.
    #[must_use]
    pub fn max_bound(&self) -> &BigUint {
        (&self.closed).max(&self.paths)
    }

    /// Returns the rings modulo the greatest primes of `bits` bits whose residues determine the sums and check them.
    ///
    /// # Errors
    /// There are too few primes of `bits` bits.
    ///
    /// # Panics
    /// If `bits` is none of 8, 16 and 32.
    pub fn prime_moduli(&self, bits: u32) -> Result<Vec<ResidueRing>, CountError> {
        prime_moduli(self.max_bound(), bits).ok_or(CountError::TooFewPrimes(bits))
    }

    /// Returns an upper bound for every count of the request. If the start is fixed, each closed
    /// tour counts twice, once in each direction.
    #[must_use]
    pub fn count_bound(&self, request: &Request) -> BigUint {
        let directions = if request.start().is_some() { 2u32 } else { 1 };
        let moveless = BigUint::from(u8::from(request.board().len() == 1));
        (&self.closed * directions).max(self.paths.clone()).max(moveless)
    }

    /// Returns the numbers of closed tours and of paths that have these residues and do not exceed
    /// the bounds. The moduli must have no common factor, and their product must exceed the bounds.
    ///
    /// # Errors
    /// No such numbers exist.
    ///
    /// # Panics
    /// Panics if two moduli have a common factor.
    pub fn combine_residues(&self, residues: &[ResidueSums]) -> Result<(BigUint, BigUint), ResidueError> {
        if let Some(sums) = self.combine_residues_without(residues, None) {
            return Ok(sums);
        }
        let product: BigUint = residues.iter().map(|one| BigUint::from(one.ring.modulus())).product();
        let is_redundant = residues.iter().all(|one| &product / one.ring.modulus() > *self.max_bound());
        let mut wrong =
            (0..residues.len()).filter(|&one| self.combine_residues_without(residues, Some(one)).is_some());
        match (wrong.next(), wrong.next()) {
            (Some(wrong), None) if is_redundant => Err(ResidueError::WrongResidue(residues[wrong].ring)),
            _ => Err(ResidueError::Ambiguous),
        }
    }

    /// Returns the numbers of [`UpperBounds::combine_residues`], computed without the residue at
    /// index `without`. Returns `None` if they exceed the bounds.
    fn combine_residues_without(
        &self,
        residues: &[ResidueSums],
        without: Option<usize>,
    ) -> Option<(BigUint, BigUint)> {
        let included =
            || residues.iter().enumerate().filter(|(i, _)| without != Some(*i)).map(|(_, one)| one);
        let closed = chinese_remainder(included().map(|one| (one.ring, one.closed)));
        let paths = chinese_remainder(included().map(|one| (one.ring, one.paths)));
        (closed <= self.closed && paths <= self.paths).then_some((closed, paths))
    }
}

#[cfg(test)]
mod tests {
    use super::super::count;
    use super::*;
    use crate::board::Board;
    use crate::tour::Kind;

    #[test]
    fn counts_do_not_exceed_bounds() {
        let request = |kind| Request::of_kind("5x6".parse::<Board>().unwrap(), kind);
        let control = Control::new();
        let all = UpperBounds::for_request(&request(None), None, &control).unwrap();
        let closed = UpperBounds::for_request(&request(Some(Kind::Closed)), None, &control).unwrap();
        assert_eq!(closed, UpperBounds { paths: BigUint::ZERO, ..all.clone() });
        let counts = count(&request(None), &control).unwrap().counts;
        assert!(counts.closed.unwrap() <= all.closed && counts.paths.unwrap() <= all.paths);
        assert_eq!(all.max_bound(), &all.paths);
        let from = request(Some(Kind::Closed)).with_ends(Some(0), None).unwrap();
        assert_eq!(closed.count_bound(&from), 2u32 * &closed.closed);
        let square = Request::new("1x1".parse::<Board>().unwrap());
        assert_eq!(UpperBounds::default().count_bound(&square), 1u32.into());
        control.cancel();
        assert!(matches!(
            UpperBounds::for_request(&request(None), None, &control),
            Err(CountError::Stopped(_) | CountError::Frontier(_))
        ));
    }
}
