//! Numbers up to symmetry, beside those of all tours.

use num_bigint::BigUint;

use ktour::batch::{ClassNumbers, Record};
use ktour::count::symmetric::Table;
use ktour::tour::Kind;

/// Distinct tours and classes by kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UpTo {
    /// Distinct tours.
    pub distinct: Vec<(Kind, BigUint)>,
    /// By class of symmetry.
    pub classes: Vec<(Kind, Table)>,
}

impl UpTo {
    /// The distinct tours of a kind.
    #[must_use]
    pub fn distinct(&self, kind: Kind) -> Option<&BigUint> {
        self.distinct.iter().find(|(other, _)| *other == kind).map(|(_, number)| number)
    }

    /// The classes of a kind.
    #[must_use]
    pub fn classes(&self, kind: Kind) -> Option<&Table> {
        self.classes.iter().find(|(other, _)| *other == kind).map(|(_, table)| table)
    }

    /// The record with these numbers.
    #[must_use]
    pub fn add_to(&self, record: Record) -> Record {
        let distinct = self.distinct.iter().map(|(kind, n)| (kind.name().to_owned(), n.to_string()));
        let classes = self.classes.iter().map(|(kind, table)| {
            let rows = table.rows.iter().map(|(class, numbers)| ClassNumbers {
                class: class.name().to_owned(),
                tours: numbers.tours.to_string(),
                distinct: numbers.classes.to_string(),
            });
            (kind.name().to_owned(), rows.collect())
        });
        record.with_symmetry(distinct.collect(), classes.collect())
    }
}
