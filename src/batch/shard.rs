//! Shards of a job, and the check that some shards cover the whole job.
//!
//! Shard R/M consists of the units whose number is R modulo M. It depends only on the job, so
//! shards need no communication. A shard can be divided further:
//!
//! ```text
//! R/M = R/2M + (R+M)/2M
//! ```
//!
//! Sweeps are an exception: how a sweep is divided depends on M. So a shard of a sweep can be
//! merged only with shards of the same M.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use num_integer::Integer;

/// One of the `count` shards of a job, with its index from 0 to `count - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    count: u32,
    index: u32,
}

/// Error for a text that is not a shard. Holds the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard; write R/M with 0 <= R < M <= {MAX_SHARDS}, such as 3/64")]
pub struct ParseShardError(String);

/// Maximum number of shards into which a job can be divided.
pub const MAX_SHARDS: u32 = 1_000_000;

impl Shard {
    /// The shard 0/1, which is the whole job.
    pub const WHOLE: Self = Self { count: 1, index: 0 };

    /// Creates shard number `index` of `count` shards.
    ///
    /// # Errors
    /// `index` is not below `count`, or `count` exceeds [`MAX_SHARDS`].
    pub fn new(index: u32, count: u32) -> Result<Self, ParseShardError> {
        if index < count && count <= MAX_SHARDS {
            Ok(Self { count, index })
        } else {
            Err(ParseShardError(format!("{index}/{count}")))
        }
    }

    /// Returns the number of shards into which the job is divided.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Returns the index of the shard, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns true if the shard is the whole job.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// Returns true if the unit with the number `unit` belongs to the shard.
    #[must_use]
    pub const fn contains(self, unit: usize) -> bool {
        unit % self.count as usize == self.index as usize
    }

    /// Returns true if a unit can belong to both shards.
    fn overlaps(self, other: Self) -> bool {
        self.index.abs_diff(other.index).is_multiple_of(self.count.gcd(&other.count))
    }
}

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseShardError(text.to_owned());
        let (index, count) = text.split_once('/').ok_or_else(bad)?;
        let number = |s: &str| {
            if s.is_empty() || !s.bytes().all(|b| b.is_ascii_digit()) {
                return Err(bad());
            }
            s.parse::<u32>().map_err(|_| bad())
        };
        Self::new(number(index)?, number(count)?).map_err(|_| bad())
    }
}

/// The result of [`check_coverage`]: the shards that overlap, and the shards that are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Shards that contain a unit of another given shard.
    pub overlapping: Vec<Shard>,
    /// The shards R/M that would complete the job, where M is the least common multiple of the M of
    /// all given shards.
    pub missing: Vec<Shard>,
}

/// Checks whether `shards` cover the whole job without overlap. Returns `None` if the least common
/// multiple of their numbers of shards exceeds [`MAX_SHARDS`].
#[must_use]
pub fn check_coverage(shards: &[Shard]) -> Option<Coverage> {
    let modulus = shards.iter().try_fold(1u32, |modulus, shard| {
        let common = u64::from(modulus).lcm(&u64::from(shard.count));
        u32::try_from(common).ok().filter(|&common| common <= MAX_SHARDS)
    })?;
    let mut covered = BTreeSet::new();
    let mut overlapping = Vec::new();
    for (number, &shard) in shards.iter().enumerate() {
        let residues = (shard.index..modulus).step_by(shard.count as usize);
        let before = covered.len();
        covered.extend(residues);
        if covered.len() - before < (modulus / shard.count) as usize {
            overlapping.push(shard);
            overlapping.extend(shards[..number].iter().filter(|other| other.overlaps(shard)));
        }
    }
    let missing = (0..modulus)
        .filter(|residue| !covered.contains(residue))
        .map(|index| Shard { count: modulus, index })
        .collect();
    overlapping.sort_unstable();
    overlapping.dedup();
    Some(Coverage { overlapping, missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(text: &str) -> Vec<Shard> {
        text.split_whitespace().map(|s| s.parse().unwrap()).collect()
    }

    #[test]
    fn shard_parses_and_prints() {
        assert_eq!("3/64".parse::<Shard>().unwrap().to_string(), "3/64");
        for bad in ["", "3", "3/3", "/4", "1/0", "-1/2", "1/2/3", "0/1000001", "+1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn shards_partition_units() {
        let all = shards("0/3 1/3 2/3");
        for unit in 0..100 {
            assert_eq!(all.iter().filter(|shard| shard.contains(unit)).count(), 1);
        }
        let (r, a, b) = (
            "1/3".parse::<Shard>().unwrap(),
            "1/6".parse::<Shard>().unwrap(),
            "4/6".parse::<Shard>().unwrap(),
        );
        assert!((0..100).all(|unit| r.contains(unit) == (a.contains(unit) || b.contains(unit))));
    }

    #[test]
    fn check_coverage_finds_overlapping_and_missing() {
        let whole = Coverage { overlapping: vec![], missing: vec![] };
        assert_eq!(check_coverage(&shards("0/1")), Some(whole.clone()));
        assert_eq!(check_coverage(&shards("1/3 0/6 2/3 3/6")), Some(whole));
        assert_eq!(check_coverage(&shards("0/2 1/4 2/4")).unwrap().overlapping, shards("0/2 2/4"));
        assert_eq!(check_coverage(&shards("0/2 1/3")).unwrap().overlapping, shards("0/2 1/3"));
        assert_eq!(
            check_coverage(&shards("0/2 1/2 0/2 1/2 0/2")).unwrap().overlapping,
            shards("0/2 1/2"),
            "each once"
        );
        assert_eq!(check_coverage(&shards("0/2 1/4")).unwrap().missing, shards("3/4"));
        assert_eq!(check_coverage(&shards("0/999983 0/999979")), None);
    }
}
