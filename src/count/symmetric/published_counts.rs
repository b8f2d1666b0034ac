//! Published numbers of symmetric and of distinct tours, for comparison with the program's own counts.
//!
//! `published.csv` has one number per row, with the columns board, piece, kind, quantity (`what`) and source.
//! The values of `what` are
//!
//! ```text
//! distinct              classes of all tours under the board's symmetries
//! asymmetric-distinct   classes of tours without symmetry
//! symmetric-distinct    classes of tours with any symmetry
//! rot180                tours with a half turn (similarly for the other symmetries)
//! rot180-distinct       classes of tours with a half turn
//! rot180only            tours with a half turn and no other symmetry
//! rot180only-distinct   classes of tours with a half turn and no other symmetry
//! ```

use num_bigint::BigUint;
use serde::Deserialize;

use crate::board::{Board, Leaper, Rectangle};
use crate::control::Control;
use crate::count::{CountError, Engine};
use crate::tour::{Kind, SymmetryClass};

use super::{ClassCounter, ClassNumbers, NamedSymmetry, SymmetricContext};

/// Contents of the CSV file.
const SYMMETRIC_TABLE_TEXT: &str = include_str!("published.csv");

/// A quantity that was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Classes of all tours.
    Distinct,
    /// Classes of tours without symmetry.
    AsymmetricClasses,
    /// Classes of tours with any symmetry.
    SymmetricClasses,
    /// Tours with a symmetry, which may have others.
    WithSymmetry(NamedSymmetry),
    /// Classes of tours with a symmetry, which may have others.
    ClassesWithSymmetry(NamedSymmetry),
    /// Tours with a symmetry and no other.
    OnlySymmetry(NamedSymmetry),
    /// Classes of tours with a symmetry and no other.
    ClassesOnlySymmetry(NamedSymmetry),
}

/// A published number of symmetric or distinct tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedSymmetricCount {
    /// Board of the tours.
    pub rectangle: Rectangle,
    /// Piece of the tours.
    pub leaper: Leaper,
    /// Kind of the tours.
    pub kind: Kind,
    /// Quantity that was counted.
    pub quantity: Quantity,
    /// Published number.
    pub count: BigUint,
    /// Source of the publication.
    pub source: String,
    quantity_name: String,
}

#[derive(Deserialize)]
struct SymmetricRow {
    rows: u16,
    cols: u16,
    removed: Option<String>,
    leaper: String,
    kind: String,
    what: String,
    count: String,
    source: String,
}

/// Returns all published numbers that are part of the program.
///
/// # Panics
/// Panics if the table in the program is malformed; a test excludes that.
#[must_use]
pub fn published_symmetric_counts() -> Vec<PublishedSymmetricCount> {
    let mut reader = csv::Reader::from_reader(SYMMETRIC_TABLE_TEXT.as_bytes());
    reader
        .deserialize()
        .map(|row: Result<SymmetricRow, csv::Error>| {
            let row = row.expect("the table has all columns");
            let removed = row.removed.map(|name| name.parse().expect("the table names squares"));
            let board = Rectangle::new(row.rows, row.cols).expect("the table has boards with squares");
            PublishedSymmetricCount {
                rectangle: board.without(removed).expect("the squares are on the board"),
                leaper: row.leaper.parse().expect("the table has leapers"),
                kind: Kind::from_name(&row.kind).expect("the table has known kinds"),
                quantity: Quantity::from_name(&row.what).expect("the table has known quantities"),
                count: row.count.parse().expect("the table has numbers"),
                source: row.source,
                quantity_name: row.what,
            }
        })
        .collect()
}

impl Quantity {
    fn from_name(name: &str) -> Option<Self> {
        let (symmetry, distinct) = name.strip_suffix("-distinct").map_or((name, false), |rest| (rest, true));
        let (symmetry, only) = symmetry.strip_suffix("only").map_or((symmetry, false), |rest| (rest, true));
        Some(match (symmetry, only, distinct) {
            ("distinct", ..) => Self::Distinct,
            ("asymmetric", false, true) => Self::AsymmetricClasses,
            ("symmetric", false, true) => Self::SymmetricClasses,
            (_, false, false) => Self::WithSymmetry(NamedSymmetry::from_name(symmetry)?),
            (_, false, true) => Self::ClassesWithSymmetry(NamedSymmetry::from_name(symmetry)?),
            (_, true, false) => Self::OnlySymmetry(NamedSymmetry::from_name(symmetry)?),
            (_, true, true) => Self::ClassesOnlySymmetry(NamedSymmetry::from_name(symmetry)?),
        })
    }

    /// Returns true if the quantity requires the number of all tours.
    #[must_use]
    pub const fn needs_total(self) -> bool {
        matches!(self, Self::Distinct | Self::AsymmetricClasses)
    }
}

impl PublishedSymmetricCount {
    /// Recomputes the number. `total` returns the number of all tours of the kind; it is called only if
    /// required.
    ///
    /// # Errors
    /// A count failed or was stopped.
    pub fn compute(
        &self,
        engine: Engine,
        control: &Control,
        total: impl FnOnce() -> Result<BigUint, CountError>,
    ) -> Result<BigUint, CountError> {
        let setting =
            SymmetricContext::new(&Board::from_leaper(self.rectangle.clone(), self.leaper), engine, None);
        let mut census = ClassCounter::new(&setting, self.kind, control);
        match self.quantity {
            Quantity::Distinct => census.count_distinct(&total()?),
            Quantity::AsymmetricClasses => {
                Ok(sum_rows(census.class_table(&total()?)?.rows, |class| class == SymmetryClass::Asymmetric)
                    .classes)
            }
            Quantity::SymmetricClasses => Ok(sum_rows(census.symmetric_classes()?, |_| true).classes),
            Quantity::WithSymmetry(named) => Ok(census.count_with_symmetry(named, false)?.tours),
            Quantity::ClassesWithSymmetry(named) => Ok(census.count_with_symmetry(named, true)?.classes),
            Quantity::OnlySymmetry(named) => {
                Ok(sum_rows(census.symmetric_classes()?, |class| has_only(class, named)).tours)
            }
            Quantity::ClassesOnlySymmetry(named) => {
                Ok(sum_rows(census.symmetric_classes()?, |class| has_only(class, named)).classes)
            }
        }
    }

    /// Returns a title for the number, for example `6x6 closed rot90`.
    #[must_use]
    pub fn title(&self) -> String {
        let removed: String =
            self.rectangle.removed().iter().map(|square| format!(" without {square}")).collect();
        let piece =
            if self.leaper == Leaper::KNIGHT { String::new() } else { format!(" ({} leaper)", self.leaper) };
        format!("{}{removed}{piece} {} {}", self.rectangle, self.kind.name(), self.quantity_name)
    }
}

fn sum_rows(
    rows: Vec<(SymmetryClass, ClassNumbers)>,
    is_selected: impl Fn(SymmetryClass) -> bool,
) -> ClassNumbers {
    let mut all = ClassNumbers::default();
    for (_, numbers) in rows.into_iter().filter(|(class, _)| is_selected(*class)) {
        all.tours += numbers.tours;
        all.classes += numbers.classes;
    }
    all
}

const fn has_only(class: SymmetryClass, named: NamedSymmetry) -> bool {
    match named {
        NamedSymmetry::Rot180 => {
            matches!(class, SymmetryClass::Rot180 | SymmetryClass::Eulerian | SymmetryClass::Bergholtian)
        }
        NamedSymmetry::Rot90 => matches!(class, SymmetryClass::Rot90),
        NamedSymmetry::Axial => matches!(class, SymmetryClass::Axial),
        NamedSymmetry::Diagonal => matches!(class, SymmetryClass::Diagonal),
        NamedSymmetry::Eulerian => matches!(class, SymmetryClass::Eulerian),
        NamedSymmetry::Bergholtian => matches!(class, SymmetryClass::Bergholtian),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_table_is_well_formed() {
        let numbers = published_symmetric_counts();
        assert!(numbers.len() > 380);
        assert!(
            numbers
                .iter()
                .any(|number| number.quantity == Quantity::ClassesOnlySymmetry(NamedSymmetry::Rot180))
        );
    }
}
