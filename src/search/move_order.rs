//! The order in which path extension tries the moves.
//!
//! In a complete search the order changes neither the set of tours nor, by itself, the number of nodes; it
//! determines which tours come first. *Warnsdorff's rule* goes to the square with the fewest free neighbours.
//! *Ascending* takes squares by number, so that tours appear in lexicographic order. *StepOrder* tries the
//! leaper's steps in a given order, as textbook programs do.

use crate::board::{Bitboard, Graph, Leaper, Rectangle};

use super::bitboard_graph::BitSlicedDegrees;

/// Chooses the next move among several.
pub trait MoveOrder<B: Bitboard>: Sync {
    /// Returns one of `options` (not empty), neighbours of `head`; `degrees` holds the numbers of free
    /// neighbours.
    fn next(&self, head: usize, options: B, degrees: &BitSlicedDegrees<B>) -> usize;
}

/// Fewest free neighbours first; the lowest square among equals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Warnsdorff;

impl<B: Bitboard> MoveOrder<B> for Warnsdorff {
    #[inline(always)]
    fn next(&self, _: usize, options: B, degrees: &BitSlicedDegrees<B>) -> usize {
        degrees.with_min_degree(options).first()
    }
}

/// Lowest square first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ascending;

impl<B: Bitboard> MoveOrder<B> for Ascending {
    #[inline(always)]
    fn next(&self, _: usize, options: B, _: &BitSlicedDegrees<B>) -> usize {
        options.first()
    }
}

/// The leaper's steps in a fixed order.
#[derive(Clone, Debug)]
pub struct StepOrder {
    /// For each vertex, its neighbours in the order of the steps.
    targets: Vec<Vec<u8>>,
}

/// Error in the text of an order of steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepOrderError {
    /// A word that is not a `down,right` pair.
    #[error("`{0}` is not a step; write down,right pairs such as \"2,1 1,2 -1,2\"")]
    Parse(String),
    /// A step that the leaper does not have.
    #[error("the {1} leaper has no step {0}")]
    NotAStep(String, Leaper),
    /// A step given twice.
    #[error("step {0} is given twice; give each step once")]
    Repeated(String),
    /// Missing steps.
    #[error("{found} of the leaper's {expected} steps are given; give all, each once")]
    Incomplete {
        /// Number of steps given.
        found: usize,
        /// Number of steps of the leaper.
        expected: usize,
    },
}

impl StepOrder {
    /// Parses an order such as `"2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"`: each step as (down, right).
    ///
    /// # Errors
    /// Any text other than all steps of the leaper, each once.
    pub fn parse(text: &str, board: &Rectangle, leaper: Leaper) -> Result<Self, StepOrderError> {
        let all = leaper.steps();
        let mut order: Vec<(i32, i32)> = Vec::with_capacity(all.len());
        for word in text.split_whitespace() {
            let step = word
                .split_once(',')
                .and_then(|(down, right)| Some((right.parse().ok()?, down.parse::<i32>().ok()?)))
                .and_then(|(right, down): (i32, i32)| Some((right, down.checked_neg()?)))
                .ok_or_else(|| StepOrderError::Parse(word.to_owned()))?;
            if !all.contains(&step) {
                return Err(StepOrderError::NotAStep(word.to_owned(), leaper));
            }
            if order.contains(&step) {
                return Err(StepOrderError::Repeated(word.to_owned()));
            }
            order.push(step);
        }
        if order.len() != all.len() {
            return Err(StepOrderError::Incomplete { found: order.len(), expected: all.len() });
        }
        let squares: Vec<_> = board.squares().collect();
        let targets = squares
            .iter()
            .map(|square| {
                order
                    .iter()
                    .filter_map(|&(right, up)| squares.binary_search(&square.offset(right, up)?).ok())
                    .map(|v| v as u8)
                    .collect()
            })
            .collect();
        Ok(Self { targets })
    }

    /// Returns the order in which the graph lists its neighbours.
    #[must_use]
    pub fn from_graph(graph: &Graph) -> Self {
        let targets = (0..graph.len()).map(|v| graph.neighbours(v).iter().map(|&w| w as u8).collect());
        Self { targets: targets.collect() }
    }
}

impl<B: Bitboard> MoveOrder<B> for StepOrder {
    #[inline(always)]
    fn next(&self, head: usize, options: B, _: &BitSlicedDegrees<B>) -> usize {
        let next = self.targets[head].iter().find(|&&w| options.contains(usize::from(w)));
        usize::from(*next.expect("options are neighbours of the head"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnsdorff_takes_square_with_fewest_exits() {
        // Degrees of squares 0..4: 3, 2, 8, 2.
        let degree = BitSlicedDegrees::<u64>([0b0001, 0b1011, 0, 0b0100]);
        assert_eq!(Warnsdorff.next(9, 0b1111, &degree), 1);
        assert_eq!(Warnsdorff.next(9, 0b1101, &degree), 3);
        assert_eq!(Warnsdorff.next(9, 0b0101, &degree), 0);
        assert_eq!(Ascending.next(9, 0b1100u64, &degree), 2);
    }

    #[test]
    fn parse_reads_steps_as_down_and_right() {
        let board: Rectangle = "3x3".parse().unwrap();
        let text = "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1";
        let steps = StepOrder::parse(text, &board, Leaper::KNIGHT).unwrap();
        // From a3, top left: 2 down 1 right is b1, 1 down 2 right is c2.
        assert_eq!(steps.targets[6], [1, 5]);
        let error = |text: &str| StepOrder::parse(text, &board, Leaper::KNIGHT).unwrap_err();
        assert!(matches!(error("2,1"), StepOrderError::Incomplete { found: 1, expected: 8 }));
        assert!(matches!(error("2,2"), StepOrderError::NotAStep(..)));
        assert!(matches!(error("2,1 2,1"), StepOrderError::Repeated(_)));
        assert!(matches!(error("2"), StepOrderError::Parse(_)));
        assert!(matches!(error("1,-2147483648"), StepOrderError::NotAStep(..) | StepOrderError::Parse(_)));
        assert!(matches!(error("-2147483648,1"), StepOrderError::Parse(_)));
    }
}
