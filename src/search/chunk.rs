//! What is made of listed tours on the way to whoever wants them: text, or packed vertices.
//!
//! Tours go through channels by the thousand, a chunk at a time.

use crate::tour::{TourKind, TourWriter};

use super::width::MAX_SQUARES;

/// Bytes in a chunk, about.
const CHUNK: usize = 1 << 16;

/// Collects tours in chunks.
pub trait Collector: Sync {
    /// Some tours.
    type Chunk: Default + Send;

    /// Adds a tour to a chunk; whether the chunk is full now.
    fn add(&self, chunk: &mut Self::Chunk, kind: TourKind, sequence: &[u32]) -> bool;
}

/// Some tours, written one after the other.
#[derive(Debug, Default)]
pub struct Chunk {
    /// The text.
    pub bytes: Vec<u8>,
    /// Where each tour ends.
    pub ends: Vec<usize>,
}

/// Text in the writer's format. Between two tours of a chunk is the writer's separator; between chunks it is the
/// reader's affair.
impl Collector for TourWriter {
    type Chunk = Chunk;

    fn add(&self, chunk: &mut Chunk, kind: TourKind, sequence: &[u32]) -> bool {
        if !chunk.ends.is_empty() {
            chunk.bytes.extend_from_slice(self.separator().as_bytes());
        }
        self.write(&mut chunk.bytes, kind, sequence);
        chunk.ends.push(chunk.bytes.len());
        chunk.bytes.len() >= CHUNK
    }
}

/// Some tours of one arena, a byte a vertex.
#[derive(Debug, Default)]
pub struct Packed {
    vertices: Vec<u8>,
    kinds: Vec<TourKind>,
}

// A vertex is a byte.
const _: () = assert!(MAX_SQUARES <= 256);

impl Packed {
    /// How many.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The vertices of all, in order of visit, one tour after the other.
    #[must_use]
    pub fn vertices(&self) -> &[u8] {
        &self.vertices
    }

    /// What each is.
    #[must_use]
    pub fn kinds(&self) -> &[TourKind] {
        &self.kinds
    }

    /// Forgets the first of them.
    pub(super) fn skip(&mut self, tours: usize) {
        if tours >= self.len() {
            *self = Self::default();
        } else if tours > 0 {
            let len = self.vertices.len() / self.len();
            self.vertices.drain(..tours * len);
            self.kinds.drain(..tours);
        }
    }

    /// One of them: what it is, and its vertices in order of visit.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<(TourKind, impl Iterator<Item = u32> + '_)> {
        let kind = *self.kinds.get(i)?;
        // All have the same number of vertices.
        let len = self.vertices.len() / self.kinds.len();
        Some((kind, self.vertices[i * len..(i + 1) * len].iter().map(|&v| u32::from(v))))
    }
}

/// Packs tours.
#[derive(Clone, Copy, Debug)]
pub struct Packer;

impl Collector for Packer {
    type Chunk = Packed;

    fn add(&self, chunk: &mut Packed, kind: TourKind, sequence: &[u32]) -> bool {
        if chunk.is_empty() {
            chunk.vertices.reserve(CHUNK + MAX_SQUARES);
        }
        // A search takes at most MAX_SQUARES.
        chunk.vertices.extend(sequence.iter().map(|&v| v as u8));
        chunk.kinds.push(kind);
        chunk.vertices.len() >= CHUNK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        let mut packed = Packed::default();
        assert!(packed.is_empty() && packed.get(0).is_none());
        let tours = [(TourKind::Open, [3, 0, 127, 5]), (TourKind::Closed, [0, 1, 2, 3])];
        for (kind, sequence) in &tours {
            assert!(!Packer.add(&mut packed, *kind, sequence));
        }
        assert_eq!(packed.len(), 2);
        for (i, (kind, sequence)) in tours.iter().enumerate() {
            let (found, vertices) = packed.get(i).unwrap();
            assert!(found == *kind && vertices.eq(sequence.iter().copied()));
        }
        assert!(packed.get(2).is_none());
    }

    #[test]
    fn text_is_separated_within_a_chunk() {
        let writer = TourWriter::new(&"1x3".parse().unwrap(), crate::tour::TourFormat::Grid, 1).unwrap();
        let mut chunk = Chunk::default();
        writer.add(&mut chunk, TourKind::Open, &[0, 1, 2]);
        writer.add(&mut chunk, TourKind::Open, &[2, 1, 0]);
        assert_eq!((chunk.bytes.as_slice(), chunk.ends), (&b"1 2 3\n\n3 2 1\n"[..], vec![6, 13]));
    }
}
