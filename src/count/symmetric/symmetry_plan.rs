//! Counts of the tours with a named symmetry, of every requested kind.

use num_bigint::BigUint;

use super::class_counts::ClassCounter;
use super::exhaustive_classes::ClassNumbers;
use super::fixed_points::SymmetricContext;
use super::named_symmetry::NamedSymmetry;
use super::saved_parts::PartSaver;
use crate::board::Board;
use crate::control::Control;
use crate::count::{CountError, Engine, JobEstimate, Request};
use crate::tour::Kind;

/// Maximum number of squares of a board whose symmetric tours are counted in a moment.
const MAX_QUICK_SQUARES: usize = 64;

/// The tours with a symmetry that are counted: those of one kind or of all kinds, and up to symmetry if
/// requested.
#[derive(Clone, Debug)]
pub struct SymmetryPlan {
    context: SymmetricContext,
    symmetry: NamedSymmetry,
    all_kinds: bool,
    with_classes: bool,
}

impl SymmetryPlan {
    /// Plans to count the tours of a request that have a symmetry, by the engine of the request. `memory` is the
    /// memory limit of sweeps in bytes.
    ///
    /// # Errors
    /// The request makes a choice that excludes a symmetry, or the symmetries of the board have no names or are
    /// not known.
    pub fn new(request: &Request, symmetry: NamedSymmetry, memory: Option<u64>) -> Result<Self, CountError> {
        request.job_spec().with_symmetry(Some(symmetry)).validate()?;
        let context = SymmetricContext::new(request.spec.clone(), request.engine, memory)?;
        context.require_names()?;
        Ok(Self { context, symmetry, all_kinds: request.all_kinds, with_classes: false })
    }

    /// Sets whether tours are also counted up to symmetry.
    #[must_use]
    pub fn with_classes(self, with_classes: bool) -> Self {
        Self { with_classes, ..self }
    }

    /// Sets the number of bits of the primes for sweeps: see [`SymmetricContext::with_prime_bits`].
    #[must_use]
    pub fn with_prime_bits(self, bits: Option<u32>) -> Self {
        Self { context: self.context.with_prime_bits(bits), ..self }
    }

    /// Returns the requested kinds for which the symmetry is defined.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        let symmetry = self.symmetry;
        Kind::requested(self.kind()).filter(move |&kind| symmetry.applies_to(kind))
    }

    /// Returns the board.
    #[must_use]
    pub const fn board(&self) -> &Board {
        self.context.board()
    }

    /// Returns the symmetry.
    #[must_use]
    pub const fn symmetry(&self) -> NamedSymmetry {
        self.symmetry
    }

    /// Returns the kind of the tours; `None` for all kinds.
    #[must_use]
    pub const fn kind(&self) -> Option<Kind> {
        if self.all_kinds { None } else { Some(self.context.kind()) }
    }

    /// Returns the engine that the caller chose.
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.context.engine()
    }

    /// Returns true if tours are also counted up to symmetry.
    #[must_use]
    pub const fn has_classes(&self) -> bool {
        self.with_classes
    }

    /// Returns true if tours of a requested kind may have the symmetry; false if fixed squares, fixed moves or
    /// colours exclude every such tour.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.kinds().any(|kind| self.context.for_kind(kind).is_possible(self.symmetry))
    }

    /// Returns the names of the engines that have counted so far.
    #[must_use]
    pub fn engine_names(&self) -> &'static str {
        self.context.engine_names()
    }

    /// Returns the estimates by which the count of each kind is admitted. Empty for small boards, whose counts take only a
    /// moment.
    ///
    /// # Errors
    /// As for [`ClassCounter::estimate`].
    pub fn estimates(&self, control: &Control) -> Result<Vec<(Kind, JobEstimate)>, CountError> {
        if self.board().len() <= MAX_QUICK_SQUARES {
            return Ok(Vec::new());
        }
        let estimate = |kind| {
            let counter = ClassCounter::new(&self.context.for_kind(kind), control);
            Ok((kind, counter.estimate(self.symmetry)?))
        };
        self.kinds().map(estimate).collect()
    }

    /// Returns the job as one line with everything on which the numbers of its parts depend, such as `board=6x6
    /// piece=1,2 remove=- kind=all symmetry=rot180 engine=auto`. Counts up to symmetry have the same parts and more.
    #[must_use]
    pub fn job_line(&self) -> String {
        let (kind, engine) = (self.kind().map_or("all", Kind::name), self.context.engine().name());
        format!("{} kind={kind} symmetry={} engine={engine}", self.board(), self.symmetry.name())
    }

    /// Counts the tours of each kind.
    ///
    /// # Errors
    /// As for [`ClassCounter::count_with_symmetry`].
    pub fn count(&self, control: &Control) -> Result<Vec<(Kind, ClassNumbers)>, CountError> {
        self.kinds()
            .map(|kind| self.count_kind(kind, ClassCounter::new(&self.context.for_kind(kind), control)))
            .collect()
    }

    /// Counts like [`SymmetryPlan::count`], and saves and resumes the parts of the count.
    ///
    /// # Errors
    /// As for [`ClassCounter::count_with_symmetry`].
    pub fn count_saved(
        &self,
        control: &Control,
        saver: &dyn PartSaver,
    ) -> Result<Vec<(Kind, ClassNumbers)>, CountError> {
        let counter = |kind| ClassCounter::new(&self.context.for_kind(kind), control).with_saver(saver);
        self.kinds().map(|kind| self.count_kind(kind, counter(kind))).collect()
    }

    fn count_kind(
        &self,
        kind: Kind,
        mut counter: ClassCounter<'_>,
    ) -> Result<(Kind, ClassNumbers), CountError> {
        Ok((kind, counter.count_with_symmetry(self.symmetry, self.with_classes)?))
    }
}

impl ClassNumbers {
    /// Returns the number of classes if `up_to_symmetry`, otherwise the number of tours.
    #[must_use]
    pub fn number(&self, up_to_symmetry: bool) -> &BigUint {
        if up_to_symmetry { &self.classes } else { &self.tours }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::DiskBudget;

    #[test]
    fn estimates_admit_only_counts_that_fit() {
        // With both limits that are refused, this count stops. It takes about 170 MiB.
        let request = Request::of_kind("9x10".parse::<Board>().unwrap(), Some(Kind::Closed));
        for (mebibytes, fits) in [(64, false), (128, false), (512, true)] {
            let plan = SymmetryPlan::new(&request, NamedSymmetry::Rot180, Some(mebibytes << 20)).unwrap();
            let estimates = plan.estimates(&Control::new()).unwrap();
            let is_admitted = estimates.iter().all(|(_, one)| one.check(DiskBudget::Absent).is_ok());
            assert_eq!(is_admitted, fits, "{mebibytes} MiB");
        }
    }
}
