//! The byte format of chunks, the encoder, and the verification of stored chunks by their digest.
//!
//! # Format
//!
//! A chunk that is evicted, or that a checkpoint needs, is written to a
//! [`Store`](crate::frontier::layer::store::Store). Weights are small for most of a sweep, and many
//! are zero. They are therefore written in groups of 64: each weight with as few bits as the
//! greatest weight of its group needs, and without zeros where that is shorter:
//!
//! ```text
//! chunk    "KTC2" | width, bits, words, weights, limbs or nonzero weights if the width has them
//!          | words: number, entry | groups | XXH3-64 of all
//! group    tag b          64 x b bits, the first weight in the lowest bits
//!          tag b + 128    bitmap of 8 bytes, then b bits for every bit set
//! ```
//!
//! The tag of weights of more than 56 bits is 56 plus the number of bytes of each weight.
//!
//! Weights of many limbs are written as groups of limbs.
//!
//! # Encoder
//!
//! Cost: linear in the number of weights; vector instructions find the nonzero weights where
//! available.
//!
//! The encoder hashes all bytes that it writes. The encoder of a group writes eight or sixteen bytes
//! for each weight at once; the next weight overwrites the leading zero bytes.

use std::io;
use std::io::{Read, Write};

use xxhash_rust::xxh3::Xxh3Default;

use super::chunk::Chunk;
use crate::frontier::weights::block_sink::StoredWeight;
use crate::frontier::weights::sparse_vec::SparseVec;
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::Weight;

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

/// Number of weights in a group.
pub const GROUP_WEIGHTS: usize = 64;

/// Flag in the tag of a group whose zeros are not written.
pub const SPARSE_GROUP_FLAG: u8 = 128;

/// Greatest number of bits of weights that are written bit by bit. With up to seven bits of the
/// weight before they fit 64 bits. Wider weights are written with whole bytes.
pub const MAX_PACKED_BITS: u32 = 56;

/// Unit of the lengths of the weights in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightUnit {
    /// Each weight has as many bits as the greatest weight of its group, up to [`MAX_PACKED_BITS`].
    Bit,
    /// Each weight has as many bytes as the greatest weight of its group, and the tag is the number of
    /// these bytes. A single weight can then be read in place.
    Byte,
}

impl WeightUnit {
    /// Returns the number of bits with which weights of `bits` bits are written.
    const fn stored_bits(self, bits: u32) -> u32 {
        match self {
            Self::Bit if bits <= MAX_PACKED_BITS => bits,
            _ => bits.next_multiple_of(8),
        }
    }

    /// Returns the tag of a group whose weights are written with `bits` bits.
    const fn tag(self, bits: u32) -> u8 {
        match self {
            Self::Bit if bits <= MAX_PACKED_BITS => bits as u8,
            Self::Bit => (MAX_PACKED_BITS + bits / 8) as u8,
            Self::Byte => (bits / 8) as u8,
        }
    }
}

/// Returns the number of bits with which the weights of a group are written in units of bits, for the
/// tag of the group without its flag.
pub fn bits_of_tag(tag: u8) -> u32 {
    let tag = u32::from(tag);
    if tag <= MAX_PACKED_BITS { tag } else { 8 * (tag - MAX_PACKED_BITS) }
}

/// Number of bytes that are buffered before they are hashed and written.
pub const BUFFER_BYTES: usize = 256 << 10;

/// Number of spare bytes of a buffer: more than a group or an entry takes, and space to write sixteen
/// bytes where fewer are used.
pub const SLACK_BYTES: usize = GROUP_WEIGHTS * 64 + 64;

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
    let mut out = ChunkEncoder {
        writer: to,
        buffer: Vec::with_capacity(BUFFER_BYTES + 2 * SLACK_BYTES),
        hash: Xxh3Default::new(),
        bytes: 0,
    };
    let present: Vec<(u32, u128)> = (0..)
        .zip(&chunk.entries)
        .filter(|(_, e)| e.present_signatures() != 0)
        .map(|(n, e)| (n, e.to_bits()))
        .collect();
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
    out.put_bytes(&(present.len() as u32).to_le_bytes());
    out.put_bytes(&(chunk.weights.len() as u64).to_le_bytes());
    match &chunk.weights {
        Weights::Limbs(each, _) => out.put_bytes(&(*each as u32).to_le_bytes()),
        Weights::Sparse(v) => out.put_bytes(&(v.iter().filter(|&w| w > 0).count() as u32).to_le_bytes()),
        _ => {}
    }
    for (number, entry) in present {
        out.put_bytes(&number.to_le_bytes());
        out.put_bytes(&entry.to_le_bytes());
        out.flush_if_full()?;
    }
    match &chunk.weights {
        Weights::W8(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W16(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W32(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W64(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W128(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::Limbs(_, v) => out.put_groups(v)?,
        Weights::Sparse(v) => {
            for number in 0..v.group_count() {
                encode_sparse_group(&mut out.buffer, v, number, WeightUnit::Bit);
                out.flush_if_full()?;
            }
        }
    }
    out.flush_buffer()?;
    let digest = out.hash.digest();
    out.writer.write_all(&digest.to_le_bytes())?;
    out.writer.flush()?;
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

    fn put_groups<T: StoredWeight>(&mut self, all: &[T]) -> io::Result<()> {
        for some in all.chunks(GROUP_WEIGHTS) {
            encode_group(&mut self.buffer, some, WeightUnit::Bit);
            self.flush_if_full()?;
        }
        Ok(())
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

/// Appends an encoded group of up to 64 weights to `out`. Cost: about two cycles per nonzero
/// weight.
pub fn encode_group<T: StoredWeight>(out: &mut Vec<u8>, group: &[T], unit: WeightUnit) {
    let map = T::nonzero_bitmap(group);
    let all = group.iter().fold(T::default(), |all, &w| all.bit_or(w));
    let shape = GroupFormat::new(group.len(), all, map, unit);
    if shape.is_sparse {
        shape.encode(out, SetBits(map).map(|position| group[position]));
    } else {
        shape.encode(out, group.iter().copied());
    }
}

/// Appends group `number` of the sparse vector `packed`, encoded, to `out`.
pub fn encode_sparse_group(out: &mut Vec<u8>, packed: &SparseVec, number: usize, unit: WeightUnit) {
    let (map, values) = packed.stored_group(number);
    let len = GROUP_WEIGHTS.min(packed.len() - number * GROUP_WEIGHTS);
    let shape = GroupFormat::new(len, values.iter().fold(0, |all, w| all | w), map, unit);
    // Weights that were taken out are stored zeros.
    let is_whole = values.iter().all(|&w| w != 0);
    if is_whole && (shape.is_sparse || values.len() == len) {
        shape.encode(out, values.iter().copied());
    } else {
        let (all, len) = packed.dense_group(number);
        encode_group(out, &all[..len], unit);
    }
}

/// The format of an encoded group: with or without zeros, and the number of bits per weight.
struct GroupFormat {
    len: usize,
    /// Number of bits of each weight in the group.
    weight_bits: u32,
    /// The tag without its flag.
    tag: u8,
    is_sparse: bool,
    map: u64,
}

impl GroupFormat {
    /// Returns the shortest format for a group of `len` weights. `all` is the OR of the weights,
    /// and `map` the bitmap of nonzero weights.
    fn new<T: Weight>(len: usize, all: T, map: u64, unit: WeightUnit) -> Self {
        debug_assert!(len <= GROUP_WEIGHTS);
        let bits = unit.stored_bits(all.bit_length());
        let bytes = |weights: usize| (weights * bits as usize).div_ceil(8);
        let is_sparse = 8 + bytes(map.count_ones() as usize) < bytes(len);
        Self { len, weight_bits: bits, tag: unit.tag(bits), is_sparse, map }
    }

    /// Appends the tag of the group, the bitmap if zeros are left out, and the weights to `out`.
    #[inline(always)]
    fn encode<T: Weight>(&self, out: &mut Vec<u8>, weights: impl Iterator<Item = T>) {
        out.push(self.tag | if self.is_sparse { SPARSE_GROUP_FLAG } else { 0 });
        if self.is_sparse {
            out.extend_from_slice(&self.map.to_le_bytes());
        }
        out.reserve((self.len * self.weight_bits as usize).div_ceil(8) + size_of::<u128>());
        // SAFETY: there is capacity for all weights, and for sixteen bytes from the beginning of the last.
        unsafe {
            match self.weight_bits {
                0 => {}
                // Constant widths, which vector instructions narrow.
                8 => self.write_weights(out, weights, 1, |w| [w.as_u128() as u8]),
                16 => self.write_weights(out, weights, 2, |w| (w.as_u128() as u16).to_le_bytes()),
                32 => self.write_weights(out, weights, 4, |w| (w.as_u128() as u32).to_le_bytes()),
                64 => self.write_weights(out, weights, 8, |w| (w.as_u128() as u64).to_le_bytes()),
                1..=MAX_PACKED_BITS => self.write_bits(out, weights),
                bits => self.write_weights(out, weights, bits as usize / 8, |w| w.as_u128().to_le_bytes()),
            }
        }
    }

    /// Appends the lowest [`Self::weight_bits`] bits of each weight to `out`.
    ///
    /// # Safety
    /// The weights must have at most [`MAX_PACKED_BITS`] bits, and `out` must have spare capacity for
    /// all weights of the group, and for eight more bytes.
    #[inline(always)]
    unsafe fn write_bits<T: Weight>(&self, out: &mut Vec<u8>, weights: impl Iterator<Item = T>) {
        let (mut end, mut bit, mut pending) = (out.len(), 0, 0u64);
        let bytes = out.as_mut_ptr();
        for weight in weights.take(self.len) {
            pending |= (weight.as_u128() as u64) << bit;
            // SAFETY: the caller promises the capacity.
            unsafe { bytes.add(end).cast::<[u8; 8]>().write_unaligned(pending.to_le_bytes()) };
            bit += self.weight_bits;
            let whole = bit / 8;
            pending >>= 8 * whole;
            end += whole as usize;
            bit %= 8;
        }
        // SAFETY: all bytes up to the new length are written, within the capacity that the caller promises.
        unsafe { out.set_len(end + usize::from(bit > 0)) };
    }

    /// Appends the lowest `each` bytes of each weight to `out`.
    ///
    /// # Safety
    /// `out` must have spare capacity for all weights of the group, and for `N` bytes from the
    /// beginning of the last weight.
    #[inline(always)]
    unsafe fn write_weights<T, const N: usize>(
        &self,
        out: &mut Vec<u8>,
        weights: impl Iterator<Item = T>,
        each: usize,
        to_bytes: impl Fn(T) -> [u8; N],
    ) {
        let mut end = out.len();
        let bytes = out.as_mut_ptr();
        for weight in weights.take(self.len) {
            // SAFETY: the caller promises the capacity; all bytes up to the new length are written.
            unsafe { bytes.add(end).cast::<[u8; N]>().write_unaligned(to_bytes(weight)) };
            end += each;
        }
        // SAFETY: all bytes up to `end` are written, within the capacity that the caller promises.
        unsafe { out.set_len(end) };
    }
}

/// An iterator over the positions of the bits that are set, lowest first.
struct SetBits(u64);

impl Iterator for SetBits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        place
    }
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

#[cfg(test)]
mod group_tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};
    use crate::frontier::weights::sparse_vec::sparse_from_slabs;
    use num_bigint::BigUint;

    fn encoded<T: StoredWeight>(group: &[T], unit: WeightUnit) -> Vec<u8> {
        let mut bytes = vec![9];
        encode_group(&mut bytes, group, unit);
        bytes.split_off(1)
    }

    /// Encodes a group as one large number. The encoder is compared with this function.
    fn encoded_naively(group: &[u128], unit: WeightUnit) -> Vec<u8> {
        let mut bits = group.iter().map(|w| 128 - w.leading_zeros()).max().unwrap();
        let is_packed = unit == WeightUnit::Bit && bits <= 56;
        let tag = match unit {
            WeightUnit::Bit if is_packed => bits,
            WeightUnit::Bit => 56 + bits.div_ceil(8),
            WeightUnit::Byte => bits.div_ceil(8),
        } as u8;
        bits = if is_packed { bits } else { bits.next_multiple_of(8) };
        let packed = |weights: &[u128]| {
            let number = weights.iter().rev().fold(BigUint::ZERO, |number, &w| (number << bits) + w);
            let mut bytes = number.to_bytes_le();
            bytes.resize((weights.len() * bits as usize).div_ceil(8), 0);
            bytes
        };
        let nonzero_weights: Vec<u128> = group.iter().copied().filter(|&w| w != 0).collect();
        let (dense, sparse) = (packed(group), packed(&nonzero_weights));
        if 8 + sparse.len() >= dense.len() {
            return [vec![tag], dense].concat();
        }
        let map = (0..).zip(group).fold(0u64, |map, (x, &w)| map | u64::from(w != 0) << x);
        [vec![tag | SPARSE_GROUP_FLAG], map.to_le_bytes().to_vec(), sparse].concat()
    }

    #[test]
    fn encode_group_uses_bits_or_bytes_of_greatest_weight() {
        let encoded_both =
            |group: &[u32]| [WeightUnit::Bit, WeightUnit::Byte].map(|unit| encoded(group, unit));
        assert_eq!(encoded_both(&[1, 2, 255]), [[8, 1, 2, 255], [1, 1, 2, 255]]);
        assert_eq!(encoded_both(&[1, 256]), [vec![9, 1, 0, 2], vec![2, 1, 0, 0, 1]]);
        assert_eq!(encoded_both(&[1, 0, 1, 3]), [vec![2, 0b1101_0001], vec![1, 1, 0, 1, 3]]);
        assert_eq!(encoded_both(&[0; 5]), [[0], [0]]);
        let mut sparse = [0u32; 64];
        sparse[9] = 300;
        let groups = [9, 2].map(|tag| vec![tag | SPARSE_GROUP_FLAG, 0, 2, 0, 0, 0, 0, 0, 0, 44, 1]);
        assert_eq!(encoded_both(&sparse), groups);
    }

    proptest! {
        #[test]
        fn encode_group_agrees_for_all_widths_and_cpus(
            bits in 1..=128u32,
            group in prop::collection::vec(prop_oneof![2 => Just(0), 3 => any::<u128>()], 1..=GROUP_WEIGHTS),
        ) {
            let group: Vec<u128> = group.iter().map(|w| w >> (128 - bits)).collect();
            for (cpu, unit) in KernelSet::ALL.into_iter().flat_map(|cpu| [(cpu, WeightUnit::Bit), (cpu, WeightUnit::Byte)]) {
                let plain = encoded_naively(&group, unit);
                with_kernels(cpu, || {
                    prop_assert_eq!(&encoded(&group, unit), &plain);
                    if bits <= 64 {
                        let narrow: Vec<u64> = group.iter().map(|&w| w as u64).collect();
                        prop_assert_eq!(&encoded(&narrow, unit), &plain);
                    }
                    if bits <= 32 {
                        let narrow: Vec<u32> = group.iter().map(|&w| w as u32).collect();
                        prop_assert_eq!(&encoded(&narrow, unit), &plain);
                        let mut bytes = Vec::new();
                        let mut all = sparse_from_slabs(&narrow.clone().into());
                        encode_sparse_group(&mut bytes, &all, 0, unit);
                        prop_assert_eq!(&bytes, &plain);
                        all.take_weight(0);
                        let rest: Vec<u32> = [&[0], &narrow[1..]].concat();
                        bytes.clear();
                        encode_sparse_group(&mut bytes, &all, 0, unit);
                        prop_assert_eq!(&bytes, &encoded(&rest, unit));
                    }
                    if bits <= 16 {
                        let narrow: Vec<u16> = group.iter().map(|&w| w as u16).collect();
                        prop_assert_eq!(&encoded(&narrow, unit), &plain);
                    }
                    Ok(())
                })?;
            }
        }
    }
}
