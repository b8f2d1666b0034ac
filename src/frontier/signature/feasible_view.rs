//! Feasible signatures as a step reads them: a table of all words, or its few distinct words.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::key_hasher::KeyHasher;

/// Maximum number of distinct words of [`DistinctWords`].
const MAX_DISTINCT_WORDS: usize = 1 << 16;

/// A table of feasible signatures that stores every word as an index. Few words are distinct, since a word depends
/// on its outer slots by little more than their numbers of ends: less than a hundred on 9x10. The table takes an
/// eighth of the memory.
#[derive(Debug)]
pub struct DistinctWords {
    indices: Vec<u16>,
    words: Vec<u128>,
}

impl DistinctWords {
    /// Converts a table; returns `None` if it has too many distinct words.
    #[must_use]
    pub fn from_table(table: &[u128]) -> Option<Self> {
        let mut index_of: HashMap<u128, u16, BuildHasherDefault<KeyHasher>> = HashMap::default();
        let (mut indices, mut words) = (Vec::with_capacity(table.len()), Vec::new());
        let mut last = None;
        for &word in table {
            let index = match last {
                Some((previous, index)) if previous == word => index,
                _ => match index_of.get(&word) {
                    Some(&index) => index,
                    None if words.len() == MAX_DISTINCT_WORDS => return None,
                    None => {
                        let index = words.len() as u16;
                        words.push(word);
                        index_of.insert(word, index);
                        index
                    }
                },
            };
            indices.push(index);
            last = Some((word, index));
        }
        Some(Self { indices, words })
    }

    /// Returns the maximum number of bytes that a table of `len` words takes.
    #[must_use]
    pub const fn max_bytes(len: usize) -> u64 {
        (len * size_of::<u16>() + MAX_DISTINCT_WORDS * size_of::<u128>()) as u64
    }
}

/// View of the feasible signatures after a step.
#[derive(Clone, Copy, Debug)]
pub enum FeasibleView<'a> {
    /// A table of all words.
    Table(&'a [u128]),
    /// A table of the distinct words.
    Distinct(&'a DistinctWords),
}

impl FeasibleView<'_> {
    /// Returns the feasible signatures of the word with the number `word_number`.
    #[inline(always)]
    #[must_use]
    pub fn word(self, word_number: usize) -> u128 {
        match self {
            Self::Table(table) => table[word_number],
            Self::Distinct(table) => table.words[usize::from(table.indices[word_number])],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_words_agree_with_the_table() {
        let table: Vec<u128> =
            (0..70_000u128).map(|n| if n % 5 == 1 { 0 } else { (n / 3 % 1000) << 70 }).collect();
        let distinct = DistinctWords::from_table(&table).unwrap();
        assert_eq!(distinct.words.len(), 1000);
        for (number, &word) in table.iter().enumerate() {
            assert_eq!(FeasibleView::Distinct(&distinct).word(number), word);
            assert_eq!(FeasibleView::Table(&table).word(number), word);
        }
        let all: Vec<u128> = (0..MAX_DISTINCT_WORDS as u128 + 1).collect();
        assert!(DistinctWords::from_table(&all).is_none());
        assert!(DistinctWords::from_table(&all[1..]).is_some());
    }
}
