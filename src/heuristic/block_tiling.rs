//! Tilings of a large board by blocks of 5 to 11 squares a side.
//!
//! Even sides are cut into blocks of 6, 8 and 10 squares. Odd sides are cut into one odd block (7,
//! 9 or 11 squares; a side of 5 or 9 stays whole) and even blocks. So every block has an even
//! number of squares, and therefore a closed tour (Schwenk), except one block of a board whose
//! sides are both odd.
//!
//! ```text
//! 13 x 14        +-----+-------+        6 x 6   6 x 8
//!                |     |       |        7 x 6   7 x 8
//!                +-----+-------+
//!                |     |       |
//!                +-----+-------+
//! ```

use crate::random::Random;

/// A block: row and column of its first square, and its height and width in squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub row: usize,
    pub col: usize,
    pub height: usize,
    pub width: usize,
}

impl Block {
    /// Returns true if the square is in the block.
    pub(super) fn contains(&self, row: usize, col: usize) -> bool {
        (self.row..self.row + self.height).contains(&row) && (self.col..self.col + self.width).contains(&col)
    }

    /// Returns true if the block has an odd number of squares.
    pub(super) fn is_odd(&self) -> bool {
        self.height % 2 == 1 && self.width % 2 == 1
    }
}

/// A board cut into a grid of blocks.
#[derive(Clone, Debug)]
pub(super) struct Tiling {
    /// First row of each row of blocks, followed by the number of rows of the board.
    rows: Vec<usize>,
    /// First column of each column of blocks, followed by the number of columns of the board.
    cols: Vec<usize>,
}

impl Tiling {
    /// Cuts a board with sides of at least 5 into blocks. If both sides are odd, the block with an
    /// odd number of squares contains the square `anchor`. The tiling of attempt 0 is regular,
    /// those of later attempts are random.
    pub(super) fn new(
        (rows, cols): (usize, usize),
        anchor: Option<(usize, usize)>,
        attempt: u64,
        rng: &mut Random,
    ) -> Self {
        let mut cut = |len, special_index| {
            if attempt == 0 { regular_cuts(len, special_index) } else { random_cuts(len, special_index, rng) }
        };
        Self { rows: cut(rows, anchor.map(|a| a.0)), cols: cut(cols, anchor.map(|a| a.1)) }
    }

    /// Returns the numbers of rows and columns in the grid of blocks.
    pub(super) fn block_grid_size(&self) -> (usize, usize) {
        (self.rows.len() - 1, self.cols.len() - 1)
    }

    /// Returns the block in row `i` and column `j` of the grid of blocks.
    pub(super) fn block(&self, (i, j): (usize, usize)) -> Block {
        Block {
            row: self.rows[i],
            col: self.cols[j],
            height: self.rows[i + 1] - self.rows[i],
            width: self.cols[j + 1] - self.cols[j],
        }
    }

    /// Returns the row and column, in the grid of blocks, of the block that contains a square.
    pub(super) fn block_containing(&self, (row, col): (usize, usize)) -> (usize, usize) {
        (self.rows.partition_point(|&r| r <= row) - 1, self.cols.partition_point(|&c| c <= col) - 1)
    }

    /// Returns the row and column, in the grid of blocks, of the block with an odd number of
    /// squares, if there is one.
    pub(super) fn odd_block(&self) -> Option<(usize, usize)> {
        let odd = |cuts: &[usize]| cuts.windows(2).position(|pair| (pair[1] - pair[0]) % 2 == 1);
        Some((odd(&self.rows)?, odd(&self.cols)?))
    }
}

/// Returns the size of the special block of a regular cut: the only block of a side of `len`
/// squares whose size need not be 6.
fn special_block_size(len: usize) -> usize {
    match len {
        ..=11 => len,
        _ => [6, 7, 8, 9, 10, 11][len % 6],
    }
}

/// Cuts a side into blocks of 6 and one special block, which contains the index `special_index`. Returns the
/// first index of each block, followed by `len`.
fn regular_cuts(len: usize, special_index: Option<usize>) -> Vec<usize> {
    let special = special_block_size(len);
    let sixes = (len - special) / 6;
    let before = special_index.map_or(sixes, |special_index| (special_index / 6).min(sixes));
    let sizes = (0..=sixes).map(|i| if i == before { special } else { 6 });
    cuts_from_sizes(sizes)
}

/// Cuts a side into blocks of 6, 8, 10 and, for an odd length, one odd block, in random order. The
/// odd block contains the index `special_index`. Returns the first index of each block, followed by `len`.
fn random_cuts(len: usize, special_index: Option<usize>, rng: &mut Random) -> Vec<usize> {
    if len < 12 {
        return vec![0, len];
    }
    loop {
        let mut left = len;
        let mut sizes = Vec::new();
        if len % 2 == 1 {
            let odd = [7, 9, 11][rng.below(3)];
            sizes.push(odd);
            left -= odd;
        }
        while left >= 6 {
            let size = match left {
                6 | 8 | 10 => left,
                12 => 6,
                14 => [6, 8][rng.below(2)],
                _ => [6, 8, 10][rng.below(3)],
            };
            sizes.push(size);
            left -= size;
        }
        if left != 0 {
            continue;
        }
        rng.shuffle(&mut sizes);
        let cuts = cuts_from_sizes(sizes);
        let odd = cuts.windows(2).find(|pair| (pair[1] - pair[0]) % 2 == 1);
        match (odd, special_index) {
            (Some(pair), Some(special_index))
                if len < 4096 && !(pair[0]..pair[1]).contains(&special_index) => {}
            (Some(_), Some(_)) if len >= 4096 => return regular_cuts(len, special_index),
            _ => return cuts,
        }
    }
}

fn cuts_from_sizes(sizes: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut cuts = vec![0];
    for size in sizes {
        cuts.push(cuts[cuts.len() - 1] + size);
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_have_allowed_sizes() {
        let mut rng = Random::new(3);
        for len in 5..200 {
            for special_index in [None, Some(0), Some(len / 2), Some(len - 1)] {
                for cuts in [regular_cuts(len, special_index), random_cuts(len, special_index, &mut rng)] {
                    assert_eq!((cuts[0], cuts[cuts.len() - 1]), (0, len));
                    let sizes: Vec<usize> = cuts.windows(2).map(|pair| pair[1] - pair[0]).collect();
                    assert!(sizes.iter().all(|size| (5..=11).contains(size)), "{len}: {sizes:?}");
                    assert_eq!(
                        sizes.iter().filter(|&size| size % 2 == 1).count(),
                        len % 2,
                        "{len}: {sizes:?}"
                    );
                    if let (1, Some(special_index)) = (len % 2, special_index) {
                        let odd = cuts.windows(2).find(|pair| (pair[1] - pair[0]) % 2 == 1).unwrap();
                        assert!((odd[0]..odd[1]).contains(&special_index));
                    }
                }
            }
        }
    }

    #[test]
    fn block_containing_returns_block_with_square() {
        let tiling = Tiling::new((13, 14), Some((5, 5)), 0, &mut Random::new(1));
        for square in (0..13).flat_map(|r| (0..14).map(move |c| (r, c))) {
            assert!(tiling.block(tiling.block_containing(square)).contains(square.0, square.1));
        }
        assert_eq!(tiling.odd_block(), None);
    }
}
