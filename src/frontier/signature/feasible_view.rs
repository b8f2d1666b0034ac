//! Feasible signatures as a step reads them: of all words, or only of the chunks that have any.

use super::space::{WordAddress, WordNumbering};

/// Feasible signatures after a step, without the chunks that have none.
#[derive(Debug)]
pub struct FeasibleChunks {
    /// For each chunk, its number among the chunks that have feasible signatures; [`NO_SIGNATURES`] for others.
    chunk_places: Vec<u32>,
    /// The words of the chunks that have feasible signatures, chunk by chunk.
    words: Vec<u128>,
}

/// Mark of a chunk without feasible signatures.
const NO_SIGNATURES: u32 = u32::MAX;

impl FeasibleChunks {
    /// Copies the chunks that have feasible signatures from `table`.
    #[must_use]
    pub fn from_table(table: &[u128], numbering: &WordNumbering) -> Self {
        let has_any: Vec<bool> =
            table.chunks(numbering.chunk_len()).map(|words| words.iter().any(|&word| word != 0)).collect();
        let kept = has_any.iter().filter(|&&any| any).count();
        let mut words = Vec::with_capacity(kept * numbering.chunk_len());
        let mut chunk_places = Vec::with_capacity(has_any.len());
        let mut place = 0;
        for (chunk, any) in table.chunks(numbering.chunk_len()).zip(has_any) {
            chunk_places.push(if any { place } else { NO_SIGNATURES });
            if any {
                words.extend_from_slice(chunk);
                place += 1;
            }
        }
        Self { chunk_places, words }
    }

    /// Returns the number of bytes that the signatures take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.chunk_places.as_slice()) + size_of_val(self.words.as_slice())) as u64
    }

    /// Returns a view of the signatures.
    #[must_use]
    pub fn view(&self) -> FeasibleView<'_> {
        FeasibleView { words: &self.words, chunk_places: Some(&self.chunk_places) }
    }
}

/// View of the feasible signatures after a step.
#[derive(Clone, Copy, Debug)]
pub struct FeasibleView<'a> {
    words: &'a [u128],
    chunk_places: Option<&'a [u32]>,
}

impl<'a> FeasibleView<'a> {
    /// Returns a view of a table of all words.
    #[must_use]
    pub const fn of_table(table: &'a [u128]) -> Self {
        Self { words: table, chunk_places: None }
    }

    /// Returns the feasible signatures of the word at the address `at`.
    #[inline(always)]
    #[must_use]
    pub fn word(self, numbering: &WordNumbering, at: WordAddress) -> u128 {
        let chunk = match self.chunk_places {
            None => at.chunk,
            Some(places) if places[at.chunk] == NO_SIGNATURES => return 0,
            Some(places) => places[at.chunk] as usize,
        };
        self.words[numbering.number_of(WordAddress { chunk, ..at })]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_the_words_of_the_table() {
        let numbering = WordNumbering::new(10);
        let word = |number: usize| {
            if number / numbering.chunk_len() % 3 == 1 { (number % 5) as u128 } else { 0 }
        };
        let table: Vec<u128> = (0..numbering.len()).map(word).collect();
        let chunks = FeasibleChunks::from_table(&table, &numbering);
        assert!(numbering.chunk_count() > 3 && 2 * chunks.words.len() < table.len());
        for number in 0..table.len() {
            let at = numbering.word_at(number);
            assert_eq!(chunks.view().word(&numbering, at), table[number]);
            assert_eq!(FeasibleView::of_table(&table).word(&numbering, at), table[number]);
        }
    }
}
