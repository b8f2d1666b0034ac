//! Sets of signatures as tables in which equal rows are stored once.
//!
//! A table has a word of 81 signatures for every combination of digits of the outer slots, and 81 words a *row*.
//! Feasibility depends on the slots of a row by little more than their numbers of ends, so few rows are distinct: of
//! the 59,049 rows of a frontier of 18 slots at most 2,230 on 8x8. A table takes a few percent of the memory of all
//! its words, and a step is computed once for all rows with equal inputs.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use rayon::prelude::*;

use super::key_hasher::KeyHasher;
use super::space::{ROW_WORDS, SignatureAddress, WordNumbering};

/// Minimum number of rows that a thread computes at a time.
const MIN_ROWS_PER_PART: usize = 1 << 10;

/// Words of a row: for each, its signatures as bits.
pub type Row = [u128; ROW_WORDS];

/// A set of signatures. Rows are the chunks of the numbering of rows
/// ([`SignatureSpace::rows`](super::space::SignatureSpace::rows)).
#[derive(Clone, Debug)]
pub struct SignatureTable {
    /// For each row, the number of its words among the distinct rows.
    distinct_of_row: Vec<u32>,
    /// The distinct rows. The first is the empty row. After an insertion some may be equal or unused.
    distinct: Vec<Row>,
}

#[cfg(test)]
impl PartialEq for SignatureTable {
    fn eq(&self, other: &Self) -> bool {
        let count = self.distinct_of_row.len();
        count == other.distinct_of_row.len() && (0..count).all(|number| self.row(number) == other.row(number))
    }
}

#[cfg(test)]
impl Eq for SignatureTable {}

impl SignatureTable {
    /// Returns the empty set.
    #[must_use]
    pub fn empty(rows: &WordNumbering) -> Self {
        Self { distinct_of_row: vec![0; rows.chunk_count()], distinct: vec![[0; ROW_WORDS]] }
    }

    /// Creates a table from its words: `word` returns the word with a number.
    #[must_use]
    pub fn from_words(rows: &WordNumbering, word: impl Fn(usize) -> u128 + Sync) -> Self {
        Self::from_parts(rows, |numbers, distinct| {
            numbers
                .map(|number| {
                    let mut row = [0; ROW_WORDS];
                    let words = row[..rows.chunk_len()].iter_mut().zip(number * ROW_WORDS..);
                    words.for_each(|(target, word_number)| *target = word(word_number));
                    distinct.insert(&row)
                })
                .collect()
        })
    }

    /// Creates a table of which rows with equal keys are equal. `key(number, key)` fills an empty key; the row of a
    /// key that stays empty is empty. `fill(number, work, row)` fills the empty row of a key, once for each part of
    /// the table; `work` is a value that it may use again.
    #[must_use]
    pub fn from_keys<W: Default>(
        rows: &WordNumbering,
        key: impl Fn(usize, &mut Vec<u32>) + Sync,
        fill: impl Fn(usize, &mut W, &mut Row) + Sync,
    ) -> Self {
        Self::from_parts(rows, |numbers, distinct| {
            let mut by_key: HashMap<Box<[u32]>, u32, BuildHasherDefault<KeyHasher>> = HashMap::default();
            let (mut row_key, mut work) = (Vec::new(), W::default());
            numbers
                .map(|number| {
                    row_key.clear();
                    key(number, &mut row_key);
                    if row_key.is_empty() {
                        return 0;
                    }
                    if let Some(&distinct_number) = by_key.get(row_key.as_slice()) {
                        return distinct_number;
                    }
                    let mut row = [0; ROW_WORDS];
                    fill(number, &mut work, &mut row);
                    let distinct_number = distinct.insert(&row);
                    by_key.insert(row_key.as_slice().into(), distinct_number);
                    distinct_number
                })
                .collect()
        })
    }

    /// Returns the union of two tables.
    #[must_use]
    pub fn union(&self, rows: &WordNumbering, other: &Self) -> Self {
        let key = |number: usize, key: &mut Vec<u32>| {
            let ids = [self.row_id(number), other.row_id(number)];
            if ids != [0, 0] {
                key.extend(ids);
            }
        };
        Self::from_keys(rows, key, |number, (): &mut (), row| {
            let both = self.row(number).iter().zip(other.row(number));
            row.iter_mut().zip(both).for_each(|(word, (one, other))| *word = one | other);
        })
    }

    /// Creates a table from parts: `part` returns the numbers of consecutive rows among the distinct rows to which
    /// it adds them.
    fn from_parts(
        rows: &WordNumbering,
        part: impl Fn(std::ops::Range<usize>, &mut DistinctRows) -> Vec<u32> + Sync,
    ) -> Self {
        let count = rows.chunk_count();
        let len = count.div_ceil(2 * rayon::current_num_threads()).max(MIN_ROWS_PER_PART);
        let parts: Vec<_> = (0..count.div_ceil(len))
            .into_par_iter()
            .map(|n| {
                let mut distinct = DistinctRows::default();
                (part(n * len..count.min((n + 1) * len), &mut distinct), distinct)
            })
            .collect();
        let (mut distinct, mut distinct_of_row) = (DistinctRows::default(), Vec::with_capacity(count));
        for (numbers, of_part) in parts {
            let hashed = of_part.rows.iter().zip(of_part.hashes);
            let numbers_of_all: Vec<u32> =
                hashed.map(|(row, hash)| distinct.insert_hashed(row, hash)).collect();
            distinct_of_row.extend(numbers.into_iter().map(|number| numbers_of_all[number as usize]));
        }
        distinct.rows.shrink_to_fit();
        Self { distinct_of_row, distinct: distinct.rows }
    }

    /// Adds a signature.
    pub fn insert(&mut self, address: SignatureAddress) {
        let number = address.word_number / ROW_WORDS;
        let mut row = *self.row(number);
        self.distinct.reserve_exact(1);
        row[address.word_number % ROW_WORDS] |= 1 << address.bit;
        self.distinct_of_row[number] = self.distinct.len() as u32;
        self.distinct.push(row);
    }

    /// Returns the signatures of the word with the number `word_number`.
    #[inline(always)]
    #[must_use]
    pub fn word(&self, word_number: usize) -> u128 {
        self.row(word_number / ROW_WORDS)[word_number % ROW_WORDS]
    }

    /// Returns the row with the number `number`.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, number: usize) -> &Row {
        &self.distinct[self.distinct_of_row[number] as usize]
    }

    /// Returns a number that is equal only for equal rows, and 0 only for empty rows.
    #[inline(always)]
    #[must_use]
    pub fn row_id(&self, number: usize) -> u32 {
        self.distinct_of_row[number]
    }

    /// Yields the words that are not empty, with their numbers, in ascending order.
    pub fn occupied_words(&self) -> impl Iterator<Item = (usize, u128)> + '_ {
        let rows = (0..self.distinct_of_row.len()).filter(|&number| self.distinct_of_row[number] != 0);
        let words = rows.flat_map(|number| (number * ROW_WORDS..).zip(self.row(number).iter().copied()));
        words.filter(|&(_, word)| word != 0)
    }

    /// Returns the number of bytes of the table.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.distinct_of_row.len() * size_of::<u32>() + self.distinct.len() * size_of::<Row>()) as u64
    }
}

/// Distinct rows, of which the first is empty.
struct DistinctRows {
    rows: Vec<Row>,
    /// The hash value of each row.
    hashes: Vec<u64>,
    /// The numbers of the rows, by hash value; on a collision by the next free value.
    numbers: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
}

impl Default for DistinctRows {
    fn default() -> Self {
        let mut empty = Self { rows: Vec::new(), hashes: Vec::new(), numbers: HashMap::default() };
        empty.insert(&[0; ROW_WORDS]);
        empty
    }
}

impl DistinctRows {
    /// Returns the number of a row, which is added if it is new.
    fn insert(&mut self, row: &Row) -> u32 {
        let mut hasher = KeyHasher::default();
        row.hash(&mut hasher);
        self.insert_hashed(row, hasher.finish())
    }

    /// Inserts a row with its hash value as [`Self::insert`] does.
    fn insert_hashed(&mut self, row: &Row, hash: u64) -> u32 {
        let mut probe = hash;
        loop {
            match self.numbers.get(&probe) {
                Some(&number) if self.rows[number as usize] == *row => return number,
                Some(_) => probe = probe.wrapping_add(1),
                None => {
                    let number = self.rows.len() as u32;
                    self.numbers.insert(probe, number);
                    self.hashes.push(hash);
                    self.rows.push(*row);
                    return number;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a word that depends on few digits of its number.
    fn word(number: usize) -> u128 {
        if number % 5 == 1 { 0 } else { ((number / 3 % 100) as u128) << 70 | (number / 6561 % 3) as u128 }
    }

    #[test]
    fn tables_agree_with_their_words() {
        for slots in [4, 6, 9, 14] {
            let rows = WordNumbering::with_rows(slots);
            let table = SignatureTable::from_words(&rows, word);
            let words: Vec<u128> = (0..rows.len()).map(word).collect();
            assert!((0..rows.len()).all(|number| table.word(number) == words[number]), "{slots}");
            let occupied: Vec<(usize, u128)> =
                words.iter().copied().enumerate().filter(|one| one.1 != 0).collect();
            assert!(table.occupied_words().eq(occupied), "{slots}");
            let distinct: std::collections::HashSet<&Row> =
                (0..rows.chunk_count()).map(|number| table.row(number)).collect();
            assert!(table.distinct.len() <= distinct.len() + 1, "{slots}: equal rows are stored once");
            // Every row has a key of its own.
            let of_key = SignatureTable::from_keys(
                &rows,
                |number, key| key.push(number as u32),
                |number, (): &mut (), row| {
                    (0..rows.chunk_len()).for_each(|at| row[at] = word(number * ROW_WORDS + at));
                },
            );
            assert_eq!(of_key, table);
        }
    }

    #[test]
    fn rows_with_equal_keys_are_filled_once_and_rows_without_a_key_are_empty() {
        let rows = WordNumbering::with_rows(11);
        let table = SignatureTable::from_keys(
            &rows,
            |number, key| key.extend((number % 3 > 0).then_some(number as u32 % 3)),
            |number, calls: &mut u128, row| {
                *calls += 1;
                assert!(*calls <= 2);
                row[5] = number as u128 % 3;
            },
        );
        assert!((0..27).all(|number| table.word(number * ROW_WORDS + 5) == number as u128 % 3));
        assert_eq!((table.distinct.len(), table.row_id(3), table.row_id(4)), (3, 0, table.row_id(1)));
    }

    #[test]
    fn inserted_signatures_are_in_the_table() {
        let rows = WordNumbering::with_rows(9);
        let mut table = SignatureTable::empty(&rows);
        let addresses = [(0, 0), (0, 80), (200, 7), (242, 1)];
        for (word_number, bit) in addresses {
            table.insert(SignatureAddress { word_number, bit });
        }
        let words: Vec<(usize, u128)> = table.occupied_words().collect();
        assert_eq!(words, [(0, 1 | 1 << 80), (200, 1 << 7), (242, 1 << 1)]);
    }
}
