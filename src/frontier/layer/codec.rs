//! The byte format of chunks, and their encoding.
//!
//! A chunk that is evicted, or that a checkpoint needs, is written to a
//! [`Store`](crate::frontier::layer::store::Store). Weights are small for most of a sweep and many are zero.
//! They are therefore written in groups of 64: each weight with as few bytes as the greatest of its group
//! needs, and without zeros where that is shorter:
//!
//! ```text
//! chunk    "KTC1" | width, bits, words, weights, limbs or nonzero weights if the width has them
//!          | words: number, entry | groups | XXH3-64 of all
//! group    tag b          64 x b bytes
//!          tag b + 128    bitmap of 8 bytes, then b bytes for every bit set
//! ```
//!
//! Weights of many limbs are written as groups of limbs. Layers were once written with two widths of 256 and
//! 512 bits; these can still be read.
//!
//! Cost: linear in the number of weights; vector instructions find the nonzero ones where available.

use std::io::{self, Read};

use xxhash_rust::xxh3::Xxh3Default;

/// First bytes of a chunk.
pub const MAGIC: &[u8; 4] = b"KTC1";

/// Tags of the widths.
pub const TAG_W32: u8 = 0;
pub const TAG_W64: u8 = 1;
pub const TAG_W128: u8 = 2;
/// Tags of weights of 256 and of 512 bits, which are read but not written.
pub const TAG_W256: u8 = 3;
pub const TAG_W512: u8 = 4;
/// Tag of weights of a number of limbs.
pub const TAG_LIMBS: u8 = 5;
/// Tag of 32-bit weights without zeros in memory.
pub const TAG_SPARSE: u8 = 6;
/// Tag of 16-bit residues.
pub const TAG_W16: u8 = 7;

/// Weights in a group.
pub const GROUP_WEIGHTS: usize = 64;

/// Flag in the tag of a group that is written without zeros.
pub const SPARSE_GROUP_FLAG: u8 = 128;

/// Bytes that are buffered before they are hashed and written.
pub const BUFFER_BYTES: usize = 256 << 10;

/// Spare bytes of a buffer: more than a group or an entry takes, and space to write eight bytes where fewer
/// are used.
pub const SLACK_BYTES: usize = GROUP_WEIGHTS * 64 + 64;

/// Returns the digest at the end of a written chunk, or `None` if there are fewer than eight bytes.
#[must_use]
pub fn trailing_digest(bytes: &[u8]) -> Option<u64> {
    bytes.last_chunk().map(|digest| u64::from_le_bytes(*digest))
}

/// Reads an item to its end and verifies its digest.
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

/// Returns the error for bytes that differ from the bytes written.
#[must_use]
pub fn damaged_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged, or another chunk")
}

#[cfg(test)]
mod tests {
    use super::*;

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
