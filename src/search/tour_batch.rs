//! Batches of listed tours, their encoders, and the sources and sinks of tours. A batch holds tours as text
//! or as packed vertices. Tours pass through channels in batches of about a thousand.
//!
//! A [`TourSource`] passes the tours of numbered units to a [`TourSink`], one by one.

use std::ops::ControlFlow;

use super::bitboard_graph::MAX_SQUARES;
use super::visitor::StopFlags;
use crate::tour::{TourKind, TourWriter};

/// Approximate size of a batch in bytes.
const BATCH_BYTES: usize = 1 << 16;

/// Memory that is reserved for a batch, in bytes: the tour that fills it may be longer than what is missing.
const RESERVED_BYTES: usize = BATCH_BYTES + BATCH_BYTES / 16;

/// An encoder that adds tours to batches.
pub trait BatchEncoder: Sync {
    /// A batch of tours.
    type Batch: Default + Send;

    /// Adds a tour to the batch `chunk`. Returns true if the batch is full afterwards.
    fn add(&self, chunk: &mut Self::Batch, kind: TourKind, sequence: &[u32]) -> bool;

    /// Removes all tours from a batch, and keeps its memory for the next tours.
    fn clear(&self, chunk: &mut Self::Batch);
}

/// A batch of tours as text, one after another.
#[derive(Debug, Default)]
pub struct TextBatch {
    /// The text of all tours.
    pub bytes: Vec<u8>,
    /// For each tour, the position in `bytes` where it ends.
    pub tour_ends: Vec<usize>,
}

/// Encodes tours as text in the format of the writer. Writes the writer's separator between two
/// tours of a batch; the caller must write it between two batches.
impl BatchEncoder for TourWriter {
    type Batch = TextBatch;

    fn add(&self, chunk: &mut TextBatch, kind: TourKind, sequence: &[u32]) -> bool {
        if chunk.tour_ends.is_empty() {
            chunk.bytes.reserve(RESERVED_BYTES);
        } else {
            chunk.bytes.extend_from_slice(self.separator().as_bytes());
        }
        self.write(&mut chunk.bytes, kind, sequence);
        chunk.tour_ends.push(chunk.bytes.len());
        chunk.bytes.len() >= BATCH_BYTES
    }

    fn clear(&self, chunk: &mut TextBatch) {
        chunk.bytes.clear();
        chunk.tour_ends.clear();
    }
}

/// A batch of tours of one board, with one byte for each vertex.
#[derive(Debug, Default)]
pub struct TourBatch {
    vertices: Vec<u8>,
    kinds: Vec<TourKind>,
}

// A vertex fits a byte.
const _: () = assert!(MAX_SQUARES <= 256);

impl TourBatch {
    /// Returns the number of tours in the batch.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns true if the batch has no tours.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the vertices of all tours in order of visit, one tour after another.
    #[must_use]
    pub fn vertices(&self) -> &[u8] {
        &self.vertices
    }

    /// Returns the kind of each tour.
    #[must_use]
    pub fn kinds(&self) -> &[TourKind] {
        &self.kinds
    }

    /// Removes the first `tours` tours of the batch.
    pub(super) fn remove_first(&mut self, tours: usize) {
        if tours >= self.len() {
            *self = Self::default();
        } else if tours > 0 {
            let len = self.vertices.len() / self.len();
            self.vertices.drain(..tours * len);
            self.kinds.drain(..tours);
        }
    }

    /// Returns the kind of the `i`-th tour and its vertices in order of visit, or `None` after the
    /// last tour.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<(TourKind, impl Iterator<Item = u32> + '_)> {
        let kind = *self.kinds.get(i)?;
        // All tours have the same number of vertices.
        let len = self.vertices.len() / self.kinds.len();
        Some((kind, self.vertices[i * len..(i + 1) * len].iter().map(|&v| u32::from(v))))
    }
}

/// The encoder of tours as packed vertices, one byte each.
#[derive(Clone, Copy, Debug)]
pub struct TourBatchEncoder;

impl BatchEncoder for TourBatchEncoder {
    type Batch = TourBatch;

    fn add(&self, chunk: &mut TourBatch, kind: TourKind, sequence: &[u32]) -> bool {
        if chunk.is_empty() {
            chunk.vertices.reserve(BATCH_BYTES + MAX_SQUARES);
        }
        // A search takes at most MAX_SQUARES vertices.
        chunk.vertices.extend(sequence.iter().map(|&v| v as u8));
        chunk.kinds.push(kind);
        chunk.vertices.len() >= BATCH_BYTES
    }

    fn clear(&self, chunk: &mut TourBatch) {
        chunk.vertices.clear();
        chunk.kinds.clear();
    }
}

/// Function that takes a tour: its kind and its vertices in order of visit. Returns `Break` if no more tours
/// are needed.
pub type TourSink<'a> = dyn FnMut(TourKind, &[u32]) -> ControlFlow<()> + 'a;

/// The tours of a listing, divided into units. The list consists of the tours of all units in the order of
/// the units, no matter which thread searches which unit.
pub trait TourSource: Sync {
    /// Returns the number of units.
    fn unit_count(&self) -> usize;

    /// Passes the tours of a unit to `sink`, until `sink` returns `Break` or `stop` is set. Returns
    /// the work done.
    fn search_unit(&self, unit: usize, stop: StopFlags<'_>, sink: &mut TourSink<'_>) -> UnitEffort;
}

/// The work done for a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitEffort {
    /// Number of search nodes visited.
    pub nodes: u64,
    /// Number of tours passed to the sink.
    pub tours: u128,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tour_batch_returns_added_tours() {
        let mut packed = TourBatch::default();
        assert!(packed.is_empty() && packed.get(0).is_none());
        let tours = [(TourKind::Open, [3, 0, 127, 5]), (TourKind::Closed, [0, 1, 2, 3])];
        for (kind, sequence) in &tours {
            assert!(!TourBatchEncoder.add(&mut packed, *kind, sequence));
        }
        assert_eq!(packed.len(), 2);
        for (i, (kind, sequence)) in tours.iter().enumerate() {
            let (found, vertices) = packed.get(i).unwrap();
            assert!(found == *kind && vertices.eq(sequence.iter().copied()));
        }
        assert!(packed.get(2).is_none());
    }

    #[test]
    fn text_batch_separates_tours() {
        let writer = TourWriter::new(&"1x3".parse().unwrap(), crate::tour::TourFormat::Grid, 1).unwrap();
        let mut chunk = TextBatch::default();
        writer.add(&mut chunk, TourKind::Open, &[0, 1, 2]);
        writer.add(&mut chunk, TourKind::Open, &[2, 1, 0]);
        assert_eq!((chunk.bytes.as_slice(), &chunk.tour_ends), (&b"1 2 3\n\n3 2 1\n"[..], &vec![6, 13]));
        writer.clear(&mut chunk);
        writer.add(&mut chunk, TourKind::Open, &[2, 1, 0]);
        assert_eq!((chunk.bytes.as_slice(), chunk.tour_ends), (&b"3 2 1\n"[..], vec![6]));
    }
}
