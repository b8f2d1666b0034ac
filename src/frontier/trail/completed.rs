//! The numbers of completions have 32 bits where that is sufficient: from the middle of a sweep on nearly all
//! fit, since the remaining half of the board then has some millions of completions.

use crate::frontier::layer::entry::Entry;
use crate::frontier::trail::number::Number;

/// A chunk with the number of completions of every state.
#[derive(Debug)]
pub struct Completed<N: Number> {
    /// The entries of the chunk of weights.
    pub entries: Vec<Entry>,
    /// The numbers of completions, indexed like the weights.
    pub numbers: Numbers<N>,
}

/// Numbers of completions.
#[derive(Debug)]
pub enum Numbers<N: Number> {
    /// Numbers that all fit 32 bits.
    Narrow(Vec<N::Narrow>),
    /// Numbers of full width.
    Wide(Vec<N>),
}

impl<N: Number> Completed<N> {
    /// Stores the numbers of the states with nonzero weights, in 32 bits if all of them fit. The numbers of
    /// other states are undefined.
    #[must_use]
    pub fn new(entries: Vec<Entry>, numbers: Vec<N>, weights: &[N]) -> Self {
        let numbers = match narrowed(&numbers, weights) {
            Some(narrow) => Numbers::Narrow(narrow),
            None => Numbers::Wide(numbers),
        };
        Self { entries, numbers }
    }

    /// Returns the bytes held; a lower bound for numbers of arbitrary size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let numbers = match &self.numbers {
            Numbers::Narrow(numbers) => size_of_val(numbers.as_slice()),
            Numbers::Wide(numbers) => size_of_val(numbers.as_slice()),
        };
        size_of_val(self.entries.as_slice()) as u64 + numbers as u64
    }

    /// Returns the bytes of a chunk with this many entries and numbers, if all numbers fit 32 bits.
    #[must_use]
    pub const fn least_bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<Entry>() + numbers * size_of::<N::Narrow>()) as u64
    }

    /// Returns the peak bytes during the construction of such a chunk, its weights included.
    #[must_use]
    pub const fn most_bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<Entry>() + numbers * (2 * size_of::<N>() + size_of::<N::Narrow>())) as u64
    }
}

/// Returns the numbers of the states with nonzero weights in 32 bits; `None` if one does not fit.
fn narrowed<N: Number>(numbers: &[N], weights: &[N]) -> Option<Vec<N::Narrow>> {
    let mut all = Vec::with_capacity(numbers.len());
    for (number, weight) in numbers.iter().zip(weights) {
        all.push(if weight.is_zero() { N::Narrow::default() } else { number.narrow()? });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_tour_comes_to_does_not_make_a_chunk_wide() {
        let chunk = |numbers: Vec<u64>, weights: &[u64]| Completed::new(Vec::new(), numbers, weights);
        let narrow = chunk(vec![7, 1 << 40, 9], &[1, 0, 5]);
        assert!(matches!(&narrow.numbers, Numbers::Narrow(numbers) if *numbers == [7, 0, 9]));
        let wide = chunk(vec![7, 1 << 40, 9], &[1, 1, 5]);
        assert!(matches!(&wide.numbers, Numbers::Wide(numbers) if *numbers == [7, 1 << 40, 9]));
        assert_eq!((narrow.bytes(), wide.bytes()), (12, 24));
    }
}
