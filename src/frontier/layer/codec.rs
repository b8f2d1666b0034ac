//! Chunks as bytes.
//!
//! A chunk that does not fit into memory, or that a checkpoint has to keep, is
//! written to a [`Store`](crate::frontier::layer::store::Store). Weights are small for most of a sweep and many are
//! zero, so they are written in groups of 64, each with as few bytes a weight
//! as its greatest needs, and without its zeros where that is shorter:
//!
//! ```text
//! chunk    "KTC1" | width, bits, words, weights, limbs or states if it says so | words: number, entry | groups | XXH3-64 of all
//! group    tag b          64 x b bytes
//!          tag b + 128    bitmap of 8 bytes, then b bytes for every bit set
//! ```
//!
//! Of weights of many limbs, limbs are what groups are made of. Two widths of 256 and 512 bits are still read:
//! layers were once written with them.
//!
//! Cost: linear in the weights either way; vector instructions find those that are not zero where there are any.

use std::io::{self, Read};

use xxhash_rust::xxh3::Xxh3Default;

/// What a chunk begins with.
pub const MAGIC: &[u8; 4] = b"KTC1";

/// The widths as they are written.
pub const W32: u8 = 0;
pub const W64: u8 = 1;
pub const W128: u8 = 2;
/// Weights of 256 and of 512 bits, not written any more.
pub const W256: u8 = 3;
pub const W512: u8 = 4;
/// Weights of a number of limbs.
pub const LIMBS: u8 = 5;
/// Weights of 32 bits, kept without their zeros.
pub const PACKED: u8 = 6;
/// Residues of 16 bits.
pub const W16: u8 = 7;

/// Weights in a group.
pub const GROUP: usize = 64;

/// Marks a group without its zeros.
pub const SPARSE: u8 = 128;

/// Bytes gathered before they are passed on.
pub const BUFFER: usize = 256 << 10;

/// More than one group or entry takes, and room to write eight bytes where fewer count.
pub const SLACK: usize = GROUP * 64 + 64;

/// The digest at the end of a written chunk.
#[must_use]
pub fn digest_of(bytes: &[u8]) -> Option<u64> {
    bytes.last_chunk().map(|digest| u64::from_le_bytes(*digest))
}

/// Reads an item to its end and compares its digest.
///
/// # Errors
/// What the reader says; [`io::ErrorKind::InvalidData`] if the digest is another.
pub fn check<R: Read + ?Sized>(from: &mut R, digest: u64) -> io::Result<()> {
    let (mut hash, mut buffer, mut held) = (Xxh3Default::new(), vec![0; BUFFER], 0);
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
    if is_whole { Ok(()) } else { Err(damaged()) }
}

/// The error of bytes that are not what was written.
#[must_use]
pub fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged, or another")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_whole_if_its_digest_is_at_its_end() {
        let mut hash = Xxh3Default::new();
        hash.update(b"abc");
        let item = [b"abc".as_slice(), &hash.digest().to_le_bytes()].concat();
        assert_eq!(digest_of(&item), Some(hash.digest()));
        assert!(check(&mut item.as_slice(), hash.digest()).is_ok());
        assert!(check(&mut item.as_slice(), hash.digest() + 1).is_err());
        assert!(check(&mut &item[1..], hash.digest()).is_err());
        assert_eq!(digest_of(b"short"), None);
    }
}
