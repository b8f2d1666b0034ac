//! The outcome of a count: numbers of tours, computed from the sums of all or some shards of a job.

use num_bigint::BigUint;

use super::shard::Shard;
use crate::count::{
    Answer, CountError, Counts, ModularCounts, StartCount, Sums, ValidatedRequest, directed_count,
};
use crate::frontier::ResidueRing;
use crate::tour::Kind;

/// The numbers of tours that follow from the sums of a whole job or of some of its shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountOutcome {
    /// The exact counts of the whole job, checked against theorems.
    Complete(Answer),
    /// Numbers of directed tours that some of the shards have counted.
    Partial(Counts),
    /// Residues of the numbers of tours, of the whole job or of some shards.
    Modular(ModularCounts),
}

impl CountOutcome {
    /// Computes the outcome from the sums of the given shards of a job.
    ///
    /// # Errors
    /// The sums of a whole job contradict a theorem.
    pub fn from_sums(
        validated: &ValidatedRequest,
        shards: &[Shard],
        sums: &Sums,
    ) -> Result<Self, CountError> {
        if let Some(residues) = validated.residues(sums) {
            return Ok(Self::Modular(residues));
        }
        if shards == [Shard::WHOLE] {
            return Ok(Self::Complete(validated.answer(sums)?));
        }
        Ok(Self::Partial(validated.partial_counts(sums)?))
    }

    /// Returns the exact counts of the whole job, if the outcome is complete.
    #[must_use]
    pub const fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Complete(answer) => Some(answer),
            Self::Partial(_) | Self::Modular(_) => None,
        }
    }

    /// Returns every kind that was counted, with its number of tours.
    pub fn counts_by_kind(&self) -> impl Iterator<Item = (Kind, &BigUint)> {
        let counts = match self {
            Self::Complete(answer) => &answer.counts,
            Self::Partial(counts) => counts,
            Self::Modular(residues) => &residues.counts,
        };
        Kind::ALL.into_iter().filter_map(|kind| Some((kind, counts.get(kind)?)))
    }

    /// Returns true if the outcome counts undirected tours. It counts directed tours if the start
    /// or the end is fixed, or if it is partial.
    #[must_use]
    pub fn is_undirected(&self) -> bool {
        match self {
            Self::Complete(answer) => !answer.is_directed,
            Self::Partial(_) => false,
            Self::Modular(residues) => !residues.is_directed,
        }
    }

    /// Returns the modulus if the outcome consists of residues.
    #[must_use]
    pub fn modulus(&self) -> Option<ResidueRing> {
        match self {
            Self::Modular(residues) => Some(residues.modulus),
            Self::Complete(_) | Self::Partial(_) => None,
        }
    }

    /// Converts `count`, a number of this outcome, to a number of directed tours on a board of
    /// `vertices` vertices.
    #[must_use]
    pub fn directed_count(&self, count: &BigUint, vertices: usize) -> BigUint {
        let directed = if self.is_undirected() { directed_count(count, vertices) } else { count.clone() };
        self.modulus().map_or_else(|| directed.clone(), |modulus| modulus.residue_of(&directed))
    }

    /// Returns the counts by start square. Empty if the outcome does not contain them.
    #[must_use]
    pub fn per_start(&self) -> &[StartCount] {
        self.answer().map_or(&[], |answer| &answer.per_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::count::{Request, WorkPlan};

    #[test]
    fn partial_outcome_is_directed() {
        let request = Request { kind: Some(Kind::Closed), ..Request::new("3x3".parse::<Board>().unwrap()) };
        let work_plan = WorkPlan::new(&request).unwrap();
        let validated = work_plan.validated_request();
        let sums = validated.zero_sums();
        let whole = CountOutcome::from_sums(validated, &[Shard::WHOLE], &sums).unwrap();
        assert!(whole.is_undirected() && whole.answer().is_some());
        assert_eq!(whole.directed_count(&5u32.into(), 9), 10u32.into());
        let part = CountOutcome::from_sums(validated, &["1/2".parse().unwrap()], &sums).unwrap();
        assert!(!part.is_undirected() && part.per_start().is_empty());
        assert_eq!(part.directed_count(&5u32.into(), 9), 5u32.into());
        assert_eq!(part.counts_by_kind().collect::<Vec<_>>(), [(Kind::Closed, &BigUint::ZERO)]);
    }
}
