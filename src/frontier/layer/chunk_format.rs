//! The byte format of chunks, the encoder, and the verification of stored chunks by their digest.
//!
//! # Format
//!
//! A chunk that is evicted, or that a checkpoint needs, is written to a
//! [`Store`](crate::frontier::layer::store::Store). Its weights are written in
//! [groups](crate::frontier::layer::weight_group):
//!
//! ```text
//! chunk    "KTC2" | width, bits, words, weights, limbs or nonzero weights if the width has them
//!          | lines of words | groups | XXH3-64 of all
//! line     number of the word, entry
//! ```
//!
//! The encoder hashes all bytes that it writes.
//!
//! # Why the index has another format
//!
//! A [chunk of an index](crate::frontier::tour_index::chunk_format) has the same groups and the same lines of words,
//! and both formats use the code for them. The rest differs because the use differs:
//!
//! - A store is used when memory is short. Its chunks are written and read as a whole, in one pass through a buffer of
//!   fixed size. A digest at the end is sufficient.
//! - An index is read by single weights. Each segment needs an offset and a digest of its own, and the first of them
//!   must be found at once: they form a directory in front, which is complete only when the whole chunk has been encoded
//!   in memory. The directory takes 16 bytes for each segment, as much as a segment of zeros itself.

use std::cell::Cell;
use std::io;
use std::io::{Read, Write};

use xxhash_rust::xxh3::Xxh3Default;

use super::chunk::{Chunk, WordEntry};
use super::weight_group::{SEGMENT_WEIGHTS, encode_segment};
use crate::frontier::weights::vector::Weights;

/// First bytes of a chunk.
pub const MAGIC: &[u8; 4] = b"KTC2";

/// Tag of 32-bit weights.
pub const TAG_W32: u8 = 0;
/// Tag of 64-bit weights.
pub const TAG_W64: u8 = 1;
/// Tag of 128-bit weights.
pub const TAG_W128: u8 = 2;
/// Tag of weights of several 32-bit limbs; the number of limbs follows.
pub const TAG_LIMBS: u8 = 5;
/// Tag of 32-bit weights that are stored in memory without zeros.
pub const TAG_SPARSE: u8 = 6;
/// Tag of 16-bit residues.
pub const TAG_W16: u8 = 7;
/// Tag of 8-bit residues.
pub const TAG_W8: u8 = 8;

/// Number of bytes that are buffered before they are hashed and written.
pub const BUFFER_BYTES: usize = 256 << 10;

thread_local! {
    /// The buffer of this thread for encoded bytes. A heap of many small chunks takes long to find room for a new one.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Number of bytes of the line of a word: its number in the chunk, and its entry.
pub const WORD_LINE_BYTES: usize = size_of::<u32>() + size_of::<u128>();

/// Yields the encoded lines of the words that have signatures, in ascending order of their numbers.
pub fn word_lines(entries: &[WordEntry]) -> impl Iterator<Item = [u8; WORD_LINE_BYTES]> + '_ {
    let present = (0u32..).zip(entries).filter(|(_, entry)| entry.present_signatures() != 0);
    present.map(|(number, entry)| {
        let mut line = [0; WORD_LINE_BYTES];
        line[..4].copy_from_slice(&number.to_le_bytes());
        line[4..].copy_from_slice(&entry.to_bits().to_le_bytes());
        line
    })
}

/// Decodes a line as from [`word_lines`]. Returns the number of the word and its entry.
#[must_use]
pub fn parse_word_line(line: &[u8; WORD_LINE_BYTES]) -> (usize, WordEntry) {
    let (number, entry) = line.split_first_chunk().expect("a line has more than four bytes");
    let entry = u128::from_le_bytes(entry.try_into().expect("sixteen bytes remain"));
    (u32::from_le_bytes(*number) as usize, WordEntry::from_bits(entry))
}

/// Returns the digest at the end of an encoded chunk; `None` if there are fewer than eight bytes.
#[must_use]
pub fn trailing_digest(bytes: &[u8]) -> Option<u64> {
    bytes.last_chunk().map(|digest| u64::from_le_bytes(*digest))
}

/// Reads a stored item to its end and verifies that its digest is `digest`.
///
/// # Errors
/// The reader's error, or [`io::ErrorKind::InvalidData`] if the digest differs.
pub fn verify_digest<R: Read + ?Sized>(from: &mut R, digest: u64) -> io::Result<()> {
    let (mut hash, mut buffer, mut held) = (Xxh3Default::new(), vec![0; BUFFER_BYTES], 0);
    loop {
        match from.read(&mut buffer[held..]) {
            Ok(0) => break,
            Ok(n) => held += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        // The last eight bytes so far may be the digest.
        let content = held.saturating_sub(8);
        hash.update(&buffer[..content]);
        buffer.copy_within(content..held, 0);
        held -= content;
    }
    let is_whole = held == 8 && hash.digest() == digest && buffer[..8] == digest.to_le_bytes();
    if is_whole { Ok(()) } else { Err(damaged_error()) }
}

/// Returns the error that stored bytes differ from the bytes written.
#[must_use]
pub fn damaged_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the stored chunk is damaged or was replaced")
}

/// Writes a chunk. Returns the number of bytes written and their digest.
///
/// # Errors
/// The writer's error.
pub fn write_chunk<W>(chunk: &Chunk, to: &mut W) -> io::Result<(u64, u64)>
where
    W: Write + ?Sized,
{
    let mut out = ChunkEncoder { writer: to, buffer: BUFFER.take(), hash: Xxh3Default::new(), bytes: 0 };
    out.buffer.clear();
    out.buffer.reserve(BUFFER_BYTES + SEGMENT_WEIGHTS * size_of::<u128>());
    out.put_bytes(MAGIC);
    out.put_bytes(&[match chunk.weights {
        Weights::W8(_) => TAG_W8,
        Weights::W16(_) => TAG_W16,
        Weights::W32(_) => TAG_W32,
        Weights::W64(_) => TAG_W64,
        Weights::W128(_) => TAG_W128,
        Weights::Limbs(..) => TAG_LIMBS,
        Weights::Sparse(_) => TAG_SPARSE,
    }]);
    out.put_bytes(&chunk.bits.to_le_bytes());
    out.put_bytes(&(word_lines(&chunk.entries).count() as u32).to_le_bytes());
    out.put_bytes(&(chunk.weights.len() as u64).to_le_bytes());
    match &chunk.weights {
        Weights::Limbs(each, _) => out.put_bytes(&(*each as u32).to_le_bytes()),
        Weights::Sparse(v) => out.put_bytes(&(v.iter().filter(|&w| w > 0).count() as u32).to_le_bytes()),
        _ => {}
    }
    for line in word_lines(&chunk.entries) {
        out.put_bytes(&line);
        out.flush_if_full()?;
    }
    for number in 0..chunk.weights.number_count().div_ceil(SEGMENT_WEIGHTS) {
        encode_segment(&mut out.buffer, &chunk.weights, number);
        out.flush_if_full()?;
    }
    out.flush_buffer()?;
    let digest = out.hash.digest();
    out.writer.write_all(&digest.to_le_bytes())?;
    out.writer.flush()?;
    BUFFER.set(out.buffer);
    Ok((out.bytes + 8, digest))
}

struct ChunkEncoder<'a, W: ?Sized> {
    writer: &'a mut W,
    buffer: Vec<u8>,
    hash: Xxh3Default,
    bytes: u64,
}

impl<W: Write + ?Sized> ChunkEncoder<'_, W> {
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.flush_buffer() }
    }

    fn flush_buffer(&mut self) -> io::Result<()> {
        self.hash.update(&self.buffer);
        self.writer.write_all(&self.buffer)?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lines_are_read_as_written() {
        let mut entries = vec![WordEntry::default(); 243];
        (entries[7], entries[200]) = (WordEntry::new(5, 0), WordEntry::new(1 << 80, 17));
        let read: Vec<_> = word_lines(&entries).map(|line| parse_word_line(&line)).collect();
        assert_eq!(read, [(7, entries[7]), (200, entries[200])]);
    }

    #[test]
    fn verify_digest_requires_digest_at_end() {
        let mut hash = Xxh3Default::new();
        hash.update(b"abc");
        let item = [b"abc".as_slice(), &hash.digest().to_le_bytes()].concat();
        assert_eq!(trailing_digest(&item), Some(hash.digest()));
        assert!(verify_digest(&mut item.as_slice(), hash.digest()).is_ok());
        assert!(verify_digest(&mut item.as_slice(), hash.digest() + 1).is_err());
        assert!(verify_digest(&mut &item[1..], hash.digest()).is_err());
        assert_eq!(trailing_digest(b"short"), None);
    }
}
