//! The result of a count, as it is shown: its numbers, and the record that says where they come from.

use num_bigint::BigUint;

use super::up_to::UpTo;
use ktour::batch::{Reckoning, Record};
use ktour::board::Arena;
use ktour::count::StartCount;
use ktour::tour::Kind;

/// What is to be shown.
#[derive(Debug)]
pub struct CountResult {
    /// Where the tours are.
    pub arena: Arena,
    /// How many there are.
    pub numbers: Reckoning,
    /// Whether numbers by start are wanted.
    pub per_start: bool,
    /// How many there are up to symmetry, if that was asked for.
    pub up_to: UpTo,
    /// Where the numbers come from.
    pub record: Record,
}

impl CountResult {
    /// Undirected tours of each kind, where they are known, and directed ones.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, Option<&BigUint>, BigUint)> {
        self.numbers.kinds().map(|(kind, count)| {
            let undirected = self.numbers.is_undirected().then_some(count);
            (kind, undirected, self.numbers.directed(count, self.arena.len()))
        })
    }

    /// Numbers by start, if they are wanted and known.
    #[must_use]
    pub fn starts(&self) -> &[StartCount] {
        if self.per_start { self.numbers.per_start() } else { &[] }
    }

    /// Counts and time on one line.
    #[must_use]
    pub fn proof(&self) -> String {
        let counts = self.kinds().map(|(kind, undirected, directed)| match undirected {
            Some(undirected) => format!("{}={undirected}", kind.name()),
            None => format!("directed-{}={directed}", kind.name()),
        });
        let counts: Vec<String> = counts.collect();
        let Record { shards, seconds, .. } = &self.record;
        format!("shards={} {} seconds={seconds:.3}", shards.join(","), counts.join(" "))
    }
}
