//! All boards of one width in a single sweep along the length.

use num_bigint::BigUint;

use crate::board::{Board, Leaper};
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::Field;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::observer::Observer;
use crate::frontier::run::options::{Options, Storage};
use crate::frontier::run::prepare::Prepared;

/// Counts closed tours or paths on all boards `width` squares wide and `1..=longest` long
/// in a single sweep along the length; the counts by length, from 1.
///
/// # Errors
/// As for [`count`](crate::frontier::count).
///
/// # Panics
/// If an end is fixed, or a side is 0.
pub fn series(
    (width, longest): (u16, u16),
    leaper: Leaper,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<BigUint>, Error> {
    assert!(matches!(tours, Tours::Closed | Tours::Paths), "a series is of closed tours or of paths");
    let board = Board::new(longest, width).expect("sides of at least 1");
    let field = Field::board(&board, leaper).by_rows();
    let width = usize::from(width);
    let ends: Vec<usize> = (1..usize::from(longest)).map(|length| length * width - 1).collect();
    let prepared = Prepared::family(&field, tours, options, ends)?;
    let outcome = prepared.sweep(Storage::default(), observer)?;
    let mut counts = outcome.shorter;
    counts.push(outcome.count);
    if width == 1 {
        // One square is a path; through the apex it would be a cycle of two.
        counts[0] = BigUint::from(u8::from(tours == Tours::Paths));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::run::observer::Silent;

    #[test]
    fn a_series_has_every_length_from_one_on() {
        let count = |sides, tours| {
            let counts = series(sides, Leaper::KNIGHT, tours, &Options::default(), &mut Silent).unwrap();
            counts.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(count((5, 6), Tours::Closed), ["0", "0", "0", "0", "0", "8"]);
        assert_eq!(count((1, 3), Tours::Paths), ["1", "0", "0"]);
        assert_eq!(count((3, 4), Tours::Paths), ["0", "0", "0", "8"]);
    }
}
