//! Published numbers of symmetric and of distinct tours, to be recomputed by anybody.
//!
//! `published.csv` has a number a row: board, piece, kind, what was counted, and the
//! source. `what` is
//!
//! ```text
//! distinct              classes of tours under the board's symmetries
//! asymmetric-distinct   those of tours without symmetry
//! symmetric-distinct    those of tours with any symmetry
//! rot180                tours that a half turn leaves unchanged (likewise the other symmetries)
//! rot180-distinct       their classes
//! rot180only            tours that nothing else leaves unchanged
//! rot180only-distinct   their classes
//! ```

use num_bigint::BigUint;
use serde::Deserialize;

use crate::board::{Arena, Board, Leaper};
use crate::control::Control;
use crate::count::{CountError, Engine};
use crate::tour::{Kind, SymmetryClass};

use super::{Census, Named, Numbers, Setting};

/// The table as it is kept.
const TABLE: &str = include_str!("published.csv");

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Classes of all tours.
    Distinct,
    /// Classes of tours without symmetry.
    AsymmetricDistinct,
    /// Classes of tours with some symmetry.
    SymmetricDistinct,
    /// Tours with a symmetry, whatever others they have.
    With(Named),
    /// Their classes.
    WithDistinct(Named),
    /// Tours with a symmetry and no other.
    Only(Named),
    /// Their classes.
    OnlyDistinct(Named),
}

/// A published number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The board.
    pub board: Board,
    /// The piece.
    pub leaper: Leaper,
    /// Which tours.
    pub kind: Kind,
    /// What was counted.
    pub what: What,
    /// The number.
    pub count: BigUint,
    /// Where it was published.
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

/// All published numbers.
///
/// # Panics
/// If the table in the program is malformed, which a test rules out.
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
                what: What::from_name(&row.what).expect("the table has known numbers"),
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

    /// Whether the number of all tours is needed.
    #[must_use]
    pub const fn needs_total(self) -> bool {
        matches!(self, Self::Distinct | Self::AsymmetricDistinct)
    }
}

impl Published {
    /// Recomputes the number; `total` counts all tours of the kind, if that is needed.
    ///
    /// # Errors
    /// A count that cannot be made or was stopped.
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

    /// What the number is of, such as `6x6 closed rot90`.
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
