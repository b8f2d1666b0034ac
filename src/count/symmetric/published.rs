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

use crate::board::{Arena, Board, Leaper};
use crate::control::Control;
use crate::count::{CountError, Engine};
use crate::tour::{Kind, SymmetryClass};

use super::{Census, Named, Numbers, Setting};

/// Contents of the CSV file.
const TABLE: &str = include_str!("published.csv");

/// A quantity that was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Classes of all tours.
    Distinct,
    /// Classes of tours without symmetry.
    AsymmetricDistinct,
    /// Classes of tours with any symmetry.
    SymmetricDistinct,
    /// Tours with a symmetry, which may have others.
    With(Named),
    /// Classes of tours with a symmetry, which may have others.
    WithDistinct(Named),
    /// Tours with a symmetry and no other.
    Only(Named),
    /// Classes of tours with a symmetry and no other.
    OnlyDistinct(Named),
}

/// A published number of symmetric or distinct tours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Board of the tours.
    pub board: Board,
    /// Piece of the tours.
    pub leaper: Leaper,
    /// Kind of the tours.
    pub kind: Kind,
    /// Quantity that was counted.
    pub what: What,
    /// Published number.
    pub count: BigUint,
    /// Source of the publication.
    pub source: String,
    name: String,
}

#[derive(Deserialize)]
struct Row {
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
pub fn published() -> Vec<Published> {
    let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
    reader
        .deserialize()
        .map(|row: Result<Row, csv::Error>| {
            let row = row.expect("the table has all columns");
            let removed = row.removed.map(|name| name.parse().expect("the table names squares"));
            let board = Board::new(row.rows, row.cols).expect("the table has boards with squares");
            Published {
                board: board.without(removed).expect("the squares are on the board"),
                leaper: row.leaper.parse().expect("the table has leapers"),
                kind: Kind::from_name(&row.kind).expect("the table has known kinds"),
                what: What::from_name(&row.what).expect("the table has known quantities"),
                count: row.count.parse().expect("the table has numbers"),
                source: row.source,
                name: row.what,
            }
        })
        .collect()
}

impl What {
    fn from_name(name: &str) -> Option<Self> {
        let (symmetry, distinct) = name.strip_suffix("-distinct").map_or((name, false), |rest| (rest, true));
        let (symmetry, only) = symmetry.strip_suffix("only").map_or((symmetry, false), |rest| (rest, true));
        Some(match (symmetry, only, distinct) {
            ("distinct", ..) => Self::Distinct,
            ("asymmetric", false, true) => Self::AsymmetricDistinct,
            ("symmetric", false, true) => Self::SymmetricDistinct,
            (_, false, false) => Self::With(Named::from_name(symmetry)?),
            (_, false, true) => Self::WithDistinct(Named::from_name(symmetry)?),
            (_, true, false) => Self::Only(Named::from_name(symmetry)?),
            (_, true, true) => Self::OnlyDistinct(Named::from_name(symmetry)?),
        })
    }

    /// Returns true if the quantity requires the number of all tours.
    #[must_use]
    pub const fn needs_total(self) -> bool {
        matches!(self, Self::Distinct | Self::AsymmetricDistinct)
    }
}

impl Published {
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
        let setting = Setting::new(&Arena::board(self.board.clone(), self.leaper), engine, None);
        let mut census = Census::new(&setting, self.kind, control);
        match self.what {
            What::Distinct => census.distinct(&total()?),
            What::AsymmetricDistinct => {
                Ok(sum(census.table(&total()?)?.rows, |class| class == SymmetryClass::Asymmetric).classes)
            }
            What::SymmetricDistinct => Ok(sum(census.symmetric_rows()?, |_| true).classes),
            What::With(named) => Ok(census.symmetric(named, false)?.tours),
            What::WithDistinct(named) => Ok(census.symmetric(named, true)?.classes),
            What::Only(named) => Ok(sum(census.symmetric_rows()?, |class| is_only(class, named)).tours),
            What::OnlyDistinct(named) => {
                Ok(sum(census.symmetric_rows()?, |class| is_only(class, named)).classes)
            }
        }
    }

    /// Returns a title for the number, for example `6x6 closed rot90`.
    #[must_use]
    pub fn name(&self) -> String {
        let removed: String =
            self.board.removed().iter().map(|square| format!(" without {square}")).collect();
        let piece =
            if self.leaper == Leaper::KNIGHT { String::new() } else { format!(" ({} leaper)", self.leaper) };
        format!("{}{removed}{piece} {} {}", self.board, self.kind.name(), self.name)
    }
}

fn sum(rows: Vec<(SymmetryClass, Numbers)>, wanted: impl Fn(SymmetryClass) -> bool) -> Numbers {
    let mut all = Numbers::default();
    for (_, numbers) in rows.into_iter().filter(|(class, _)| wanted(*class)) {
        all.tours += numbers.tours;
        all.classes += numbers.classes;
    }
    all
}

const fn is_only(class: SymmetryClass, named: Named) -> bool {
    match named {
        Named::Rot180 => {
            matches!(class, SymmetryClass::Rot180 | SymmetryClass::Eulerian | SymmetryClass::Bergholtian)
        }
        Named::Rot90 => matches!(class, SymmetryClass::Rot90),
        Named::Axial => matches!(class, SymmetryClass::Axial),
        Named::Diagonal => matches!(class, SymmetryClass::Diagonal),
        Named::Eulerian => matches!(class, SymmetryClass::Eulerian),
        Named::Bergholtian => matches!(class, SymmetryClass::Bergholtian),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed() {
        let numbers = published();
        assert!(numbers.len() > 380);
        assert!(numbers.iter().any(|number| number.what == What::OnlyDistinct(Named::Rot180)));
    }
}
