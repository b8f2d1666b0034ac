//! How many residues are enough: numbers that the sums of a request cannot exceed; and the sums from enough of them.
//!
//! The residues decide a number modulo the product of their moduli. If that is greater than a bound, one number at
//! most is below the bound; if none is, a residue is wrong. So all that the product exceeds the bound by is a check:
//! a wrong residue goes unseen in as many cases as the bound is a part of the product.

use num_bigint::BigUint;

use super::cost;
use super::request::Request;
use super::residues::{Misfit, ResidueSums};
use super::{CountError, Question};
use crate::control::Control;
use crate::frontier::{Cancel, Field, Options, Prepared, Tours, joined};
use crate::search::workers::Stopped;

/// Upper bounds of the sums that sweeps make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Of closed tours, if they are swept for.
    pub closed: BigUint,
    /// Of paths.
    pub paths: BigUint,
}

impl Bounds {
    /// Bounds for the sums of a request, proved by a sweep over degrees; `memory` is a ceiling in bytes. Cost: some
    /// hundredths of the sweeps'.
    ///
    /// # Errors
    /// A request that cannot be, a frontier too wide, or a stop by the control.
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

    /// The greater of them.
    #[must_use]
    pub fn most(&self) -> &BigUint {
        (&self.closed).max(&self.paths)
    }

    /// No count of the request is greater: of closed tours with a fixed start both directions count.
    #[must_use]
    pub fn of_counts(&self, request: &Request) -> BigUint {
        let directions = if request.start.is_some() { 2u32 } else { 1 };
        let moveless = BigUint::from(u8::from(request.arena.len() == 1));
        (&self.closed * directions).max(self.paths.clone()).max(moveless)
    }

    /// The sums that have these residues, and are within the bounds: closed tours, paths. The moduli have no common
    /// factor, and their product is greater than the bounds.
    ///
    /// # Errors
    /// There are no such sums.
    ///
    /// # Panics
    /// If two moduli have a common factor.
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

    /// The same, leaving one out if that is wanted.
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
