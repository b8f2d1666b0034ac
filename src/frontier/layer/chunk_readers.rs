//! The pending readers of each chunk of a layer: a chunk is freed after its last reader, and of the
//! chunks in memory, those whose last reader comes last are evicted first.

use std::sync::atomic::{AtomicU32, Ordering};

/// For each chunk of a layer, the number of pending readers, and the position of the last one.
#[derive(Debug)]
pub struct ChunkReaders {
    counts: Vec<AtomicU32>,
    /// Position of the last reader of each chunk in the order of computation, counted from 1; 0 if
    /// there is no reader.
    last_readers: Vec<u32>,
    reader_count: u32,
}

impl ChunkReaders {
    /// Returns empty lists of the readers of `chunks` chunks.
    #[must_use]
    pub fn new(chunks: usize) -> Self {
        let counts = (0..chunks).map(|_| AtomicU32::new(0)).collect();
        Self { counts, last_readers: vec![0; chunks], reader_count: 0 }
    }

    /// Adds a reader of the chunks `sources`, which comes after all readers added so far.
    pub fn add_reader(&mut self, sources: &[usize]) {
        self.reader_count += 1;
        for &source in sources {
            *self.counts[source].get_mut() += 1;
            self.last_readers[source] = self.reader_count;
        }
    }

    /// Records that a reader of a chunk is finished. Returns true if it was the last one.
    #[must_use]
    pub fn finish_reader(&self, source: usize) -> bool {
        self.counts[source].fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Returns true if a chunk has a pending reader.
    #[must_use]
    pub fn is_read(&self, source: usize) -> bool {
        self.counts[source].load(Ordering::Acquire) > 0
    }

    /// Returns the rank of each chunk in the order of eviction: chunks without a reader come first,
    /// then those that are needed last.
    #[must_use]
    pub fn eviction_ranks(&self) -> Vec<u32> {
        let rank = |&last: &u32| if last == 0 { 0 } else { 1 + self.reader_count - last };
        self.last_readers.iter().map(rank).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_needed_last_are_evicted_first() {
        let mut readers = ChunkReaders::new(4);
        readers.add_reader(&[0, 1]);
        readers.add_reader(&[1, 2]);
        assert_eq!(readers.eviction_ranks(), [2, 1, 1, 0]);
        assert!(readers.finish_reader(0) && !readers.finish_reader(1));
        assert_eq!([0, 1, 2, 3].map(|source| readers.is_read(source)), [false, true, true, false]);
    }
}
