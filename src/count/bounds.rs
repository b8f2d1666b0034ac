//! Upper bounds that determine how many residues of a count are enough, and the sums computed from enough
//! residues.
//!
//! Residues determine a number modulo the product of their moduli. If the product is greater than an upper
//! bound, at most one number up to the bound has these residues; if there is no such number, a residue is
//! wrong. The excess of the product over the bound therefore acts as a check: the fraction of wrong residues
//! that pass unnoticed is the bound divided by the product.

use num_bigint::BigUint;

use super::cost;
use super::request::Request;
use super::residues::{Misfit, ResidueSums};
use super::{CountError, Question};
use crate::control::Control;
use crate::frontier::{Cancel, Field, Options, Prepared, Tours, joined};
use crate::search::workers::Stopped;

/// Upper bounds of the sums that sweeps compute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Bound for closed tours; zero if no sweep counts closed tours.
    pub closed: BigUint,
    /// Bound for paths; zero if no sweep counts paths.
    pub paths: BigUint,
}

impl Bounds {
    /// Returns upper bounds for the sums of a request, proved by a sweep over vertex degrees. `memory` is a
    /// limit in bytes. Cost: a few hundredths of the time of the sweeps themselves.
    ///
    /// # Errors
    /// The request is invalid, the frontier is too wide, or the control was cancelled.
    pub fn of(request: &Request, memory: Option<u64>, control: &Control) -> Result<Self, CountError> {
        let question = Question::new(request)?;
        let request = question.request();
        let memory = memory.or_else(crate::memory::ceiling);
        let options = Options { memory, cancel: Cancel::from(control.flag()), ..Options::default() };
        let field = Field::of(&request.arena);
        let mut bounds = Self::default();
        control.planning();
        for tours in cost::sweeps(request) {
            let prepared = Prepared::new(&field, tours, &options)?;
            let Some(bound) = prepared.bound() else {
                options.cancel.is_cancelled().then_some(()).ok_or(CountError::NoBound)?;
                return Err(Stopped.into());
            };
            match tours {
                Tours::Closed => bounds.closed = bound,
                Tours::Paths | Tours::From(_) | Tours::Between(..) => bounds.paths = bound,
            }
        }
        Ok(bounds)
    }

    /// Returns the greater of the two bounds.
    #[must_use]
    pub fn most(&self) -> &BigUint {
        (&self.closed).max(&self.paths)
    }

    /// Returns an upper bound for every count of the request. With a fixed start, a closed tour counts in
    /// both directions.
    #[must_use]
    pub fn of_counts(&self, request: &Request) -> BigUint {
        let directions = if request.start.is_some() { 2u32 } else { 1 };
        let moveless = BigUint::from(u8::from(request.arena.len() == 1));
        (&self.closed * directions).max(self.paths.clone()).max(moveless)
    }

    /// Returns the sums (closed tours, paths) that have these residues and do not exceed the bounds. The
    /// moduli must have no common factor, and their product must exceed the bounds.
    ///
    /// # Errors
    /// No such sums exist.
    ///
    /// # Panics
    /// Panics if two moduli have a common factor.
    pub fn join(&self, residues: &[ResidueSums]) -> Result<(BigUint, BigUint), Misfit> {
        if let Some(sums) = self.joined(residues, None) {
            return Ok(sums);
        }
        let there: BigUint = residues.iter().map(|one| BigUint::from(one.lane.modulus())).product();
        let is_enough = residues.iter().all(|one| &there / one.lane.modulus() > *self.most());
        let mut wrong = (0..residues.len()).filter(|&one| self.joined(residues, Some(one)).is_some());
        match (wrong.next(), wrong.next()) {
            (Some(wrong), None) if is_enough => Err(Misfit::Wrong(residues[wrong].lane)),
            _ => Err(Misfit::Unknown),
        }
    }

    /// Returns the sums of [`UpperBounds::combine_residues`], computed without the residue at index
    /// `without`, or `None` if they exceed the bounds.
    fn joined(&self, residues: &[ResidueSums], without: Option<usize>) -> Option<(BigUint, BigUint)> {
        let kept = || residues.iter().enumerate().filter(|(i, _)| without != Some(*i)).map(|(_, one)| one);
        let closed = joined(kept().map(|one| (one.lane, one.closed)));
        let paths = joined(kept().map(|one| (one.lane, one.paths)));
        (closed <= self.closed && paths <= self.paths).then_some((closed, paths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::count::count;
    use crate::tour::Kind;

    #[test]
    fn counts_are_below() {
        let request = |kind| Request { kind, ..Request::new("5x6".parse::<Arena>().unwrap()) };
        let control = Control::new();
        let all = Bounds::of(&request(None), None, &control).unwrap();
        let closed = Bounds::of(&request(Some(Kind::Closed)), None, &control).unwrap();
        assert_eq!(closed, Bounds { paths: BigUint::ZERO, ..all.clone() });
        let counts = count(&request(None), &control).unwrap().counts;
        assert!(counts.closed.unwrap() <= all.closed && counts.paths.unwrap() <= all.paths);
        assert_eq!(all.most(), &all.paths);
        let from = Request { start: Some(0), ..request(Some(Kind::Closed)) };
        assert_eq!(closed.of_counts(&from), 2u32 * &closed.closed);
        let square = Request::new("1x1".parse::<Arena>().unwrap());
        assert_eq!(Bounds::default().of_counts(&square), 1u32.into());
        control.cancel();
        assert!(matches!(
            Bounds::of(&request(None), None, &control),
            Err(CountError::Stopped(_) | CountError::Frontier(_))
        ));
    }
}
