//! A chunk with a number of completions for every weight, in 32 bits where that is enough.
//!
//! From the middle of a sweep on nearly all are: a tour has been decided on half of the board then, and the other half
//! has some millions of ways to go on.

use crate::frontier::layer::entry::Entry;
use crate::frontier::trail::number::Number;

/// A chunk with a number for every weight.
#[derive(Debug)]
pub struct Completed<N: Number> {
    /// As in the chunk of weights.
    pub entries: Vec<Entry>,
    /// Completions, by place.
    pub numbers: Numbers<N>,
}

/// Completions, by place.
#[derive(Debug)]
pub enum Numbers<N: Number> {
    /// All of them are small.
    Narrow(Vec<N::Narrow>),
    /// Some may not be.
    Wide(Vec<N>),
}

impl<N: Number> Completed<N> {
    /// Keeps the numbers of states that tours come to. What is there of others means nothing.
    #[must_use]
    pub fn new(entries: Vec<Entry>, numbers: Vec<N>, weights: &[N]) -> Self {
        let numbers = match narrowed(&numbers, weights) {
            Some(narrow) => Numbers::Narrow(narrow),
            None => Numbers::Wide(numbers),
        };
        Self { entries, numbers }
    }

    /// Bytes held; of numbers of any size at least.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let numbers = match &self.numbers {
            Numbers::Narrow(numbers) => size_of_val(numbers.as_slice()),
            Numbers::Wide(numbers) => size_of_val(numbers.as_slice()),
        };
        size_of_val(self.entries.as_slice()) as u64 + numbers as u64
    }

    /// The same of so many entries and numbers, if all are small.
    #[must_use]
    pub const fn least_bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<Entry>() + numbers * size_of::<N::Narrow>()) as u64
    }

    /// The same while they are made, with their weights.
    #[must_use]
    pub const fn most_bytes(entries: usize, numbers: usize) -> u64 {
        (entries * size_of::<Entry>() + numbers * (2 * size_of::<N>() + size_of::<N::Narrow>())) as u64
    }
}

/// The numbers of states that tours come to in 32 bits, if all of them fit.
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
