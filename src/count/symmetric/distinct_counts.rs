//! Numbers of tours up to symmetry, from the numbers of all tours and from counts of symmetric tours.
//!
//! ```text
//! DistinctPlan -> estimate                        before the count: time, tours to enumerate
//!              -> SymmetricPart                   the symmetric tours of each kind, some seconds
//! SymmetricPart + numbers of all tours -> DistinctCounts
//! ```
//!
//! With a fixed start or end no path is symmetric: a symmetry that fixes an end reverses no path. All classes
//! then have equal size, and no symmetric tours are counted.

use num_bigint::BigUint;

use super::super::job_spec::Choice;
use super::class_counts::ClassCounter;
use super::exhaustive_classes::ClassTable;
use super::fixed_points::SymmetricContext;
use crate::budget::{Budget, Refusal, RefusedPart, Remedy, Requirements};
use crate::control::Control;
use crate::count::theorems::divide_exactly;
use crate::count::{CountError, Counts, Request};
use crate::tour::Kind;

/// The numbers that are counted up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpToSymmetry {
    /// The number of distinct tours: one tour of each class up to symmetry.
    Distinct,
    /// For each symmetry class, the numbers of tours and of distinct tours.
    Classes,
}

/// Numbers of tours up to symmetry, and the tables of symmetry classes, by kind. Empty if they were not
/// requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctCounts {
    /// Numbers of tours up to symmetry, by kind.
    pub distinct: Vec<(Kind, BigUint)>,
    /// Number of symmetries under which two tours count as one.
    pub symmetries: Option<usize>,
    /// Tables with the tours of each symmetry class, by kind.
    pub classes: Vec<(Kind, ClassTable)>,
}

impl DistinctCounts {
    /// Returns the number of tours of a kind up to symmetry, if it was counted.
    #[must_use]
    pub fn distinct(&self, kind: Kind) -> Option<&BigUint> {
        self.distinct.iter().find(|(other, _)| *other == kind).map(|(_, number)| number)
    }

    /// Returns the table of symmetry classes of a kind, if it was requested.
    #[must_use]
    pub fn classes(&self, kind: Kind) -> Option<&ClassTable> {
        self.classes.iter().find(|(other, _)| *other == kind).map(|(_, table)| table)
    }
}

/// The numbers up to symmetry that a request needs, and the context of the counts of symmetric tours.
#[derive(Clone, Debug)]
pub struct DistinctPlan {
    what: UpToSymmetry,
    request: Request,
    /// `None` if a start or end is fixed.
    context: Option<SymmetricContext>,
}

/// Estimate of the time to count symmetric tours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DistinctEstimate {
    /// Seconds with all threads of the machine.
    pub seconds: f64,
    /// Part of these seconds that is needed to visit every tour.
    pub visit_seconds: f64,
    /// Number of tours visited.
    pub visited_tours: f64,
}

impl DistinctEstimate {
    /// Checks that the enumeration of all tours, if the numbers need one, takes at most a year.
    ///
    /// # Errors
    /// [`CountError::Refused`] with remedies.
    pub fn admit(&self) -> Result<(), CountError> {
        let needs = Requirements { seconds: Some(self.visit_seconds), ..Requirements::default() };
        Budget::new(None).check(&needs).map_err(|shortage| {
            let refusal = Refusal::new(shortage, vec![Remedy::WithoutSymmetry, Remedy::SmallerBoard]);
            CountError::Refused(Box::new(Refusal { part: RefusedPart::Enumeration, ..refusal }))
        })
    }
}

impl DistinctPlan {
    /// Plans the numbers up to symmetry of the tours of a request. `memory` is the memory limit of sweeps in
    /// bytes. If `is_forced`, tours may be enumerated without a limit on their number.
    ///
    /// # Errors
    /// The ends are impossible, or a choice of the request excludes these numbers: see [`CountError`].
    pub fn new(
        what: UpToSymmetry,
        request: &Request,
        memory: Option<u64>,
        is_forced: bool,
    ) -> Result<Self, CountError> {
        let choice = match what {
            UpToSymmetry::Distinct => Choice::Distinct,
            UpToSymmetry::Classes => Choice::Classes,
        };
        request.job_spec().with(choice, true).validate()?;
        let context = match request.spec.is_directed() {
            true => None,
            false => Some(
                SymmetricContext::new(request.spec.clone(), request.engine, memory)?.with_force(is_forced),
            ),
        };
        Ok(Self { what, request: request.clone(), context })
    }

    /// Returns the numbers that are counted up to symmetry.
    #[must_use]
    pub const fn what(&self) -> UpToSymmetry {
        self.what
    }

    /// Returns a plan for a second count by the other engine: see [`SymmetricContext::for_second_count`].
    #[must_use]
    pub fn for_second_count(&self) -> Self {
        let context = self.context.as_ref().map(SymmetricContext::for_second_count);
        Self { what: self.what, request: self.request.clone(), context }
    }

    /// Returns the names of the engines that have counted symmetric tours so far.
    #[must_use]
    pub fn engine_names(&self) -> &'static str {
        self.context.as_ref().map_or("none", SymmetricContext::engine_names)
    }

    fn counters(&self, control: &Control) -> impl Iterator<Item = (Kind, ClassCounter<'static>)> {
        let contexts = self
            .context
            .iter()
            .flat_map(|context| self.request.kinds().map(move |kind| (kind, context.for_kind(kind))));
        contexts.map(|(kind, context)| (kind, ClassCounter::new(&context, control)))
    }

    /// Estimates the time to count the symmetric tours. If `with_sweeps`, includes the sweeps, whose estimates
    /// take time themselves.
    ///
    /// # Errors
    /// There are too many tours to enumerate, or a sweep cannot be planned.
    pub fn estimate(&self, with_sweeps: bool, control: &Control) -> Result<DistinctEstimate, CountError> {
        let threads = rayon::current_num_threads().max(1) as f64;
        let mut total = DistinctEstimate::default();
        for (_, counter) in self.counters(control) {
            if let Some(estimate) = counter.enumeration_estimate(self.what == UpToSymmetry::Classes)? {
                total.visit_seconds += estimate.seconds / threads;
                total.visited_tours += estimate.tours;
            }
            if with_sweeps {
                total.seconds += counter.rough_estimate(None)?.seconds.unwrap_or(0.0);
            }
        }
        total.seconds += total.visit_seconds;
        Ok(total)
    }

    /// Counts the symmetric tours of each requested kind. Takes some seconds. Callers do this before they count
    /// all tours, so that a failure does not waste the long count.
    ///
    /// # Errors
    /// A search or sweep failed or was stopped.
    pub fn count_symmetric_part(&self, control: &Control) -> Result<SymmetricPart, CountError> {
        let prepare = |(kind, mut counter): (Kind, ClassCounter<'static>)| {
            counter.prepare(self.what == UpToSymmetry::Classes)?;
            Ok((kind, counter))
        };
        let counters = self.counters(control).map(prepare).collect::<Result<_, CountError>>()?;
        Ok(SymmetricPart { plan: self.clone(), counters })
    }

    /// Computes the numbers up to symmetry from `totals`, the numbers of all tours: counts the symmetric tours,
    /// and may enumerate all tours.
    ///
    /// # Errors
    /// As for [`DistinctPlan::count_symmetric_part`] and [`SymmetricPart::distinct_counts`].
    pub fn count(&self, totals: &Counts, control: &Control) -> Result<DistinctCounts, CountError> {
        self.count_symmetric_part(control)?.distinct_counts(totals)
    }
}

/// The symmetric tours of each requested kind, counted for numbers up to symmetry.
#[derive(Debug)]
pub struct SymmetricPart {
    plan: DistinctPlan,
    counters: Vec<(Kind, ClassCounter<'static>)>,
}

impl SymmetricPart {
    /// Computes the numbers up to symmetry from `totals`, the numbers of all tours. May enumerate all tours.
    ///
    /// # Errors
    /// The numbers contradict each other, or an enumeration failed or was stopped.
    pub fn distinct_counts(&mut self, totals: &Counts) -> Result<DistinctCounts, CountError> {
        let request = &self.plan.request;
        let symmetries = request.tours(Kind::Paths)?.symmetries().order();
        let mut counts = DistinctCounts { symmetries: Some(symmetries), ..DistinctCounts::default() };
        if self.plan.context.is_none() {
            for kind in Kind::ALL {
                let Some(total) = totals.get(kind) else { continue };
                let what = format!("{} with fixed ends", kind.plural());
                counts.distinct.push((kind, divide_exactly(total, symmetries, &what)?));
            }
            return Ok(counts);
        }
        for (kind, counter) in &mut self.counters {
            let Some(total) = totals.get(*kind) else { continue };
            if self.plan.what == UpToSymmetry::Distinct {
                counts.distinct.push((*kind, counter.count_distinct(total)?));
                continue;
            }
            let table = counter.class_table(total)?;
            counts.distinct.push((*kind, table.total.classes.clone()));
            counts.classes.push((*kind, table));
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::count::count;

    fn counts_of(request: &Request, what: UpToSymmetry, change: u32) -> Result<DistinctCounts, CountError> {
        let control = Control::new();
        let mut totals = count(request, &control).unwrap().counts;
        totals.paths = totals.paths.map(|paths| paths + change);
        let plan = DistinctPlan::new(what, request, None, false).unwrap();
        plan.count(&totals, &control)
    }

    fn request(board: &str, kind: Kind) -> Request {
        Request::of_kind(board.parse::<Board>().unwrap(), kind)
    }

    #[test]
    fn distinct_counts_and_classes_of_6x6() {
        for what in [UpToSymmetry::Distinct, UpToSymmetry::Classes] {
            let counts = counts_of(&request("6x6", Kind::Closed), what, 0).unwrap();
            assert_eq!((counts.distinct(Kind::Closed), counts.symmetries), (Some(&1245u32.into()), Some(8)));
            assert_eq!(counts.classes(Kind::Closed).is_some(), what == UpToSymmetry::Classes);
            assert!(counts.distinct(Kind::Paths).is_none());
        }
    }

    #[test]
    fn distinct_counts_use_symmetries_that_fix_the_start() {
        let request = request("5x5", Kind::Paths).with_ends(Some(0), None).unwrap();
        let counts = counts_of(&request, UpToSymmetry::Distinct, 0).unwrap();
        let halves = "304 paths, halved by the diagonal";
        assert_eq!(counts.distinct(Kind::Paths), Some(&152u32.into()), "{halves}");
    }

    #[test]
    fn distinct_counts_reject_indivisible_total() {
        let request = request("5x5", Kind::Paths).with_ends(Some(0), None).unwrap();
        let broken = counts_of(&request, UpToSymmetry::Distinct, 1).unwrap_err();
        assert!(matches!(&broken, CountError::TheoremViolation(_)), "{broken}");
        let message = broken.to_string();
        assert!(message.contains("305 must be divisible by 2"), "{message}");
    }
}
