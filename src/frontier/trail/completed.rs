//! The numbers of completions have 32 bits where that is sufficient: from the middle of a sweep on nearly all
//! fit, since the remaining half of the board then has some millions of completions.

use crate::frontier::layer::entry::WordEntry;
use crate::frontier::trail::number::TourNumber;

/// A chunk with the number of completions of every state.
#[derive(Debug)]
pub struct CompletionChunk<N: TourNumber> {
    /// The entries of the chunk of weights.
    pub entries: Vec<WordEntry>,
    /// The numbers of completions, indexed like the weights.
    pub numbers: CompletionNumbers<N>,
}

/// Numbers of completions.
#[derive(Debug)]
pub enum CompletionNumbers<N: TourNumber> {
    /// Numbers that all fit 32 bits.
    Narrow(Vec<N::Narrow>),
    /// Numbers of full width.
    Wide(Vec<N>),
}

impl<N: TourNumber> CompletionChunk<N> {
    /// Stores the numbers of the states with nonzero weights, in 32 bits if all of them fit. The numbers of
    /// other states are undefined.
    #[must_use]
    pub fn new(entries: Vec<WordEntry>, numbers: Vec<N>, weights: &[N]) -> Self {
        let numbers = match to_narrow_numbers(&numbers, weights) {
            Some(narrow) => CompletionNumbers::Narrow(narrow),
            None => CompletionNumbers::Wide(numbers),
        };
        Self { entries, numbers }
    }

    /// Returns the bytes held; a lower bound for numbers of arbitrary size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let numbers = match &self.numbers {
            CompletionNumbers::Narrow(numbers) => size_of_val(numbers.as_slice()),
            CompletionNumbers::Wide(numbers) => size_of_val(numbers.as_slice()),
        };
        size_of_val(self.entries.as_slice()) as u64 + numbers as u64
    }

    /// Returns the bytes of a chunk with this many entries and numbers, if all numbers fit 32 bits.
    #[must_use]
    pub const fn min_bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<WordEntry>() + numbers * size_of::<N::Narrow>()) as u64
    }

    /// Returns the peak bytes during the construction of such a chunk, its weights included.
    #[must_use]
    pub const fn max_bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<WordEntry>() + numbers * (2 * size_of::<N>() + size_of::<N::Narrow>())) as u64
    }
}

/// Returns the numbers of the states with nonzero weights in 32 bits; `None` if one does not fit.
fn to_narrow_numbers<N: TourNumber>(numbers: &[N], weights: &[N]) -> Option<Vec<N::Narrow>> {
    let mut all = Vec::with_capacity(numbers.len());
    for (number, weight) in numbers.iter().zip(weights) {
        all.push(if weight.is_zero() { N::Narrow::default() } else { number.to_narrow()? });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_without_tours_do_not_widen_a_chunk() {
        let chunk = |numbers: Vec<u64>, weights: &[u64]| CompletionChunk::new(Vec::new(), numbers, weights);
        let narrow = chunk(vec![7, 1 << 40, 9], &[1, 0, 5]);
        assert!(matches!(&narrow.numbers, CompletionNumbers::Narrow(numbers) if *numbers == [7, 0, 9]));
        let wide = chunk(vec![7, 1 << 40, 9], &[1, 1, 5]);
        assert!(matches!(&wide.numbers, CompletionNumbers::Wide(numbers) if *numbers == [7, 1 << 40, 9]));
        assert_eq!((narrow.bytes(), wide.bytes()), (12, 24));
    }
}
