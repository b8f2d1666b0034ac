//! Squares that the records of a map or the rows of a table give in several ways, which must agree.
//!
//! ```text
//! square,row,col      {"x": 0, "y": 0, "row": 2, "col": 0}      from,to,x,y: the start or the end of each move
//! ```

use super::coordinates::{Position, name_same_squares};
use super::field_names::{COORDINATE_NAMES, MOVE_NAMES, SQUARE_KEYS};
use crate::tour::read_error::ReadErrorKind;

/// A way in which records give squares.
#[derive(Debug)]
struct Way {
    /// Names of the columns or keys.
    names: Vec<&'static str>,
    /// The square of each record; of moves, those of both ends.
    lists: Vec<Vec<Option<Position>>>,
}

/// Records as columns of values.
pub(super) trait SquareRecords {
    /// Returns the square in a column of names of squares.
    fn squares(&self, name: &str) -> Vec<Option<Position>>;

    /// Returns the value of each record in a column of coordinates.
    fn coordinates(&self, name: &str) -> Vec<Option<u64>>;
}

impl Way {
    fn new(names: &[&'static str], lists: Vec<Vec<Option<Position>>>) -> Option<Self> {
        let is_given = lists.iter().all(|list| list.iter().any(Option::is_some));
        is_given.then(|| Self { names: names.to_vec(), lists })
    }

    fn agrees_with(&self, other: &Self) -> bool {
        let whole = |list: &[Option<Position>]| list.iter().copied().collect::<Option<Vec<Position>>>();
        self.lists.iter().any(|list| {
            let mut others = other.lists.iter();
            whole(list).is_some_and(|list| {
                others.any(|other| whole(other).is_some_and(|other| name_same_squares(&list, &other)))
            })
        })
    }
}

/// Returns the names of the columns or keys that give squares.
///
/// # Errors
/// [`ReadErrorKind::DifferentSquares`] if two ways give different squares, or one of them lacks a square.
pub(super) fn check_given_squares(records: &dyn SquareRecords) -> Result<Vec<&'static str>, ReadErrorKind> {
    let mut ways: Vec<Way> = Vec::new();
    for name in SQUARE_KEYS {
        ways.extend(Way::new(&[name], vec![records.squares(name)]));
    }
    for ends in MOVE_NAMES {
        ways.extend(Way::new(&ends, ends.map(|name| records.squares(name)).to_vec()));
    }
    for (names, order) in COORDINATE_NAMES {
        let [a, b] = names.map(|name| records.coordinates(name));
        let pairs = a.into_iter().zip(b).map(|(a, b)| Some(order.column_and_row(a?, b?)));
        ways.extend(Way::new(&names, vec![pairs.collect()]));
    }
    if let Some((first, others)) = ways.split_first()
        && let Some(second) = others.iter().find(|other| !first.agrees_with(other))
    {
        let [first, second] = [first, second].map(|way| way.names.join(","));
        return Err(ReadErrorKind::DifferentSquares { first, second });
    }
    Ok(ways.into_iter().flat_map(|way| way.names).collect())
}
