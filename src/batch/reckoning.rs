//! The outcome of a count: the meaning of the sums of some shards.

use num_bigint::BigUint;

use super::shard::Shard;
use crate::count::{Answer, CountError, Counts, Question, Residues, StartCount, Sums, directed};
use crate::frontier::Lane;
use crate::tour::Kind;

/// Numbers of tours, of a whole job or of some of its shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reckoning {
    /// The answer to the job's request, checked against the theorems.
    Whole(Answer),
    /// Numbers of directed tours of some shards.
    Part(Counts),
    /// Residues of the numbers, of the whole job or of some shards.
    Residue(Residues),
}

impl Reckoning {
    /// Computes the outcome from the sums of these shards of a job.
    ///
    /// # Errors
    /// The sums of a whole job contradict a theorem.
    pub fn of(question: &Question, shards: &[Shard], sums: &Sums) -> Result<Self, CountError> {
        if let Some(residues) = question.residues(sums) {
            return Ok(Self::Residue(residues));
        }
        if shards == [Shard::WHOLE] {
            return Ok(Self::Whole(question.answer(sums)?));
        }
        Ok(Self::Part(question.part(sums)?))
    }

    /// Returns the answer, if the outcome is complete.
    #[must_use]
    pub const fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Whole(answer) => Some(answer),
            Self::Part(_) | Self::Residue(_) => None,
        }
    }

    /// Returns the numbers by kind.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, &BigUint)> {
        let counts = match self {
            Self::Whole(answer) => &answer.counts,
            Self::Part(counts) => counts,
            Self::Residue(residues) => &residues.counts,
        };
        Kind::ALL.into_iter().filter_map(|kind| Some((kind, counts.get(kind)?)))
    }

    /// Returns true if the numbers are of undirected tours. They are of directed tours if a start or end is
    /// fixed, or if the outcome is partial.
    #[must_use]
    pub fn is_undirected(&self) -> bool {
        match self {
            Self::Whole(answer) => !answer.fixed,
            Self::Part(_) => false,
            Self::Residue(residues) => !residues.fixed,
        }
    }

    /// Returns the modulus, if the numbers are residues.
    #[must_use]
    pub fn modulus(&self) -> Option<Lane> {
        match self {
            Self::Residue(residues) => Some(residues.modulus),
            Self::Whole(_) | Self::Part(_) => None,
        }
    }

    /// Returns the number of directed tours that corresponds to one of the numbers, on a board of `vertices`
    /// vertices.
    #[must_use]
    pub fn directed(&self, count: &BigUint, vertices: usize) -> BigUint {
        let directed = if self.is_undirected() { directed(count, vertices) } else { count.clone() };
        self.modulus().map_or_else(|| directed.clone(), |modulus| modulus.of(&directed))
    }

    /// Returns the counts by start square. Empty if they are not known.
    #[must_use]
    pub fn per_start(&self) -> &[StartCount] {
        self.answer().map_or(&[], |answer| &answer.per_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::count::{Request, Work};

    #[test]
    fn a_part_is_directed_and_the_whole_is_not() {
        let request = Request { kind: Some(Kind::Closed), ..Request::new("3x3".parse::<Arena>().unwrap()) };
        let work = Work::new(&request).unwrap();
        let question = work.question();
        let sums = question.no_sums();
        let whole = Reckoning::of(question, &[Shard::WHOLE], &sums).unwrap();
        assert!(whole.is_undirected() && whole.answer().is_some());
        assert_eq!(whole.directed(&5u32.into(), 9), 10u32.into());
        let part = Reckoning::of(question, &["1/2".parse().unwrap()], &sums).unwrap();
        assert!(!part.is_undirected() && part.per_start().is_empty());
        assert_eq!(part.directed(&5u32.into(), 9), 5u32.into());
        assert_eq!(part.kinds().collect::<Vec<_>>(), [(Kind::Closed, &BigUint::ZERO)]);
    }
}
