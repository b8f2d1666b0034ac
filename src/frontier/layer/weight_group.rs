//! The byte format of groups of weights, in which layers on disk and indexes of tours are stored; its
//! encoder and its reader.
//!
//! Weights are small for most of a sweep, and many are zero. They are therefore written in groups of
//! 64: each weight with as many bits as the greatest weight of its group needs, and without zeros
//! where that is shorter:
//!
//! ```text
//! group      tag b          64 x b bits, the first weight in the lowest bits
//!            tag b + 128    bitmap of 8 bytes, then b bits for every bit set
//! segment    16 groups
//! ```
//!
//! Weights of more than 56 bits are written with whole bytes, and the tag is 56 plus the number of
//! bytes. Weights of many limbs are written as groups of limbs. The *numbers* of a chunk are its
//! weights, or the limbs of its weights.
//!
//! Cost of the encoder: about two cycles per nonzero number; vector instructions find the nonzero
//! numbers where available. It writes eight or sixteen bytes for each number at once; the next number
//! overwrites the leading zero bytes.

use crate::frontier::weights::slab_vec::SlabVec;
use crate::frontier::weights::sparse_vec::SparseVec;
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::Weight;

/// Number of weights in a group.
pub const GROUP_WEIGHTS: usize = 64;

/// Number of groups in a segment.
pub const GROUPS_PER_SEGMENT: usize = 16;

/// Number of weights in a segment.
pub const SEGMENT_WEIGHTS: usize = GROUP_WEIGHTS * GROUPS_PER_SEGMENT;

/// Greatest number of bytes of an encoded group: its tag, its bitmap and its numbers.
pub const MAX_GROUP_BYTES: usize = 1 + size_of::<u64>() + GROUP_WEIGHTS * size_of::<u128>();

/// Flag in the tag of a group whose zeros are not written.
const SPARSE_GROUP_FLAG: u8 = 128;

/// Greatest number of bits of weights that are written bit by bit. With up to seven bits of the
/// weight before they fit 64 bits. Wider weights are written with whole bytes.
const MAX_PACKED_BITS: u32 = 56;

/// Appends segment `number` of the weights, encoded, to `out`.
pub fn encode_segment(out: &mut Vec<u8>, weights: &Weights, number: usize) {
    let from = number * SEGMENT_WEIGHTS;
    match weights {
        Weights::W8(v) => encode_slabs(out, v, from),
        Weights::W16(v) => encode_slabs(out, v, from),
        Weights::W32(v) => encode_slabs(out, v, from),
        Weights::W64(v) => encode_slabs(out, v, from),
        Weights::W128(v) => encode_slabs(out, v, from),
        Weights::Limbs(_, v) => encode_groups(out, &v[from..v.len().min(from + SEGMENT_WEIGHTS)]),
        Weights::Sparse(v) => {
            let groups = number * GROUPS_PER_SEGMENT..v.group_count().min((number + 1) * GROUPS_PER_SEGMENT);
            groups.for_each(|group| encode_sparse_group(out, v, group));
        }
    }
}

fn encode_slabs<T: Weight>(out: &mut Vec<u8>, weights: &SlabVec<T>, from: usize) {
    encode_groups(out, &weights.slice(from..weights.len().min(from + SEGMENT_WEIGHTS)));
}

fn encode_groups<T: Weight>(out: &mut Vec<u8>, weights: &[T]) {
    weights.chunks(GROUP_WEIGHTS).for_each(|group| encode_group(out, group));
}

/// Appends an encoded group of up to 64 weights to `out`. Cost: about two cycles per nonzero
/// weight.
fn encode_group<T: Weight>(out: &mut Vec<u8>, group: &[T]) {
    let map = T::nonzero_bitmap(group);
    let all = group.iter().fold(T::default(), |all, &w| all.bit_or(w));
    let shape = GroupFormat::new(group.len(), all, map);
    if shape.is_sparse {
        shape.encode(out, SetBits(map).map(|position| group[position]));
    } else {
        shape.encode(out, group.iter().copied());
    }
}

/// Appends group `number` of the sparse vector `packed`, encoded, to `out`.
fn encode_sparse_group(out: &mut Vec<u8>, packed: &SparseVec, number: usize) {
    let (map, values) = packed.stored_group(number);
    let len = GROUP_WEIGHTS.min(packed.len() - number * GROUP_WEIGHTS);
    let shape = GroupFormat::new(len, values.iter().fold(0, |all, w| all | w), map);
    // Weights that were taken out are stored zeros.
    let is_whole = values.iter().all(|&w| w != 0);
    if is_whole && (shape.is_sparse || values.len() == len) {
        shape.encode(out, values.iter().copied());
    } else {
        let (all, len) = packed.dense_group(number);
        encode_group(out, &all[..len]);
    }
}

/// The format of an encoded group: with or without zeros, and the number of bits per weight.
struct GroupFormat {
    len: usize,
    /// Number of bits of each weight in the group.
    weight_bits: u32,
    is_sparse: bool,
    map: u64,
}

impl GroupFormat {
    /// Returns the shortest format for a group of `len` weights. `all` is the OR of the weights,
    /// and `map` the bitmap of nonzero weights.
    fn new<T: Weight>(len: usize, all: T, map: u64) -> Self {
        debug_assert!(len <= GROUP_WEIGHTS);
        let bits = match all.bit_length() {
            bits if bits <= MAX_PACKED_BITS => bits,
            bits => bits.next_multiple_of(8),
        };
        let bytes = |weights: usize| (weights * bits as usize).div_ceil(8);
        let is_sparse = 8 + bytes(map.count_ones() as usize) < bytes(len);
        Self { len, weight_bits: bits, is_sparse, map }
    }

    /// Appends the tag of the group, the bitmap if zeros are left out, and the weights to `out`.
    #[inline(always)]
    fn encode<T: Weight>(&self, out: &mut Vec<u8>, weights: impl Iterator<Item = T>) {
        let tag = match self.weight_bits {
            bits if bits <= MAX_PACKED_BITS => bits,
            bits => MAX_PACKED_BITS + bits / 8,
        };
        out.push(tag as u8 | if self.is_sparse { SPARSE_GROUP_FLAG } else { 0 });
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

/// A reader of an encoded group of up to 64 numbers.
#[derive(Clone, Copy, Debug)]
pub struct WeightGroup<'a> {
    /// Number of bits of each stored number.
    bits: usize,
    /// Number of numbers of the group, zeros included.
    len: usize,
    /// Bitmap of the stored numbers.
    map: u64,
    /// The stored numbers, and all bytes after them: eight or sixteen are read at once.
    data: &'a [u8],
}

impl<'a> WeightGroup<'a> {
    /// Returns a reader of the group of `len` numbers at the start of `bytes`, and the number of bytes of
    /// the group. Returns `None` if the group ends beyond the bytes.
    #[inline(always)]
    pub fn read(bytes: &'a [u8], len: usize) -> Option<(Self, usize)> {
        let (&tag, mut data) = bytes.split_first()?;
        let bits = match u32::from(tag & !SPARSE_GROUP_FLAG) {
            bits if bits <= MAX_PACKED_BITS => bits,
            tag => 8 * (tag - MAX_PACKED_BITS),
        } as usize;
        let mut map = u64::MAX >> (GROUP_WEIGHTS - len);
        if tag & SPARSE_GROUP_FLAG != 0 {
            let (stored, rest) = data.split_first_chunk()?;
            map &= u64::from_le_bytes(*stored);
            data = rest;
        }
        let data_bytes = (map.count_ones() as usize * bits).div_ceil(8);
        let group_bytes = bytes.len() - data.len() + data_bytes;
        (group_bytes <= bytes.len()).then_some((Self { bits, len, map, data }, group_bytes))
    }

    /// Returns the number of bits of the greatest number that the group can store.
    #[must_use]
    pub const fn bits(&self) -> usize {
        self.bits
    }

    /// Returns stored number `n`, which is written bit by bit.
    #[inline(always)]
    fn packed(&self, n: usize) -> u64 {
        let bit = n * self.bits;
        u64::from_le_bytes(first_bytes(&self.data[bit / 8..])) >> (bit % 8) & ((1 << self.bits) - 1)
    }

    /// Returns stored number `n`.
    #[inline(always)]
    fn stored(&self, n: usize) -> u128 {
        if self.bits <= MAX_PACKED_BITS as usize {
            self.packed(n).into()
        } else {
            let surplus = (u128::BITS as usize).saturating_sub(self.bits);
            u128::from_le_bytes(first_bytes(&self.data[n * self.bits / 8..])) << surplus >> surplus
        }
    }

    /// Returns the number at the index `position` of the group.
    #[inline(always)]
    #[must_use]
    pub fn number(&self, position: usize) -> u128 {
        if self.map >> position & 1 == 0 || self.bits == 0 {
            return 0;
        }
        self.stored((self.map & ((1 << position) - 1)).count_ones() as usize)
    }

    /// Returns true if a number is stored for every position.
    const fn is_dense(&self) -> bool {
        self.map == u64::MAX >> (GROUP_WEIGHTS - self.len)
    }

    /// Calls `each` with the position and the value of every stored number; `value` gives them by number.
    #[inline(always)]
    fn for_each_value<V>(&self, value: impl Fn(usize) -> V, mut each: impl FnMut(usize, V)) {
        if self.is_dense() {
            (0..self.len).for_each(|position| each(position, value(position)));
        } else {
            SetBits(self.map).enumerate().for_each(|(n, position)| each(position, value(n)));
        }
    }

    /// Calls `each` with the position and the value of every stored number.
    #[inline(always)]
    pub fn for_each_stored(&self, each: impl FnMut(usize, u128)) {
        if self.bits > 0 {
            self.for_each_value(|n| self.stored(n), each);
        }
    }

    /// Returns all numbers of the group, zeros included, as the first entries of `to`. Their bits beyond those of a `T`
    /// are dropped.
    #[inline(always)]
    pub fn copy_to<'b, T: Weight>(&self, to: &'b mut [T; GROUP_WEIGHTS]) -> &'b [T] {
        let to = &mut to[..self.len];
        if !self.is_dense() || self.bits == 0 {
            to.fill(T::default());
        }
        let number = T::from_u128_truncating;
        match self.bits {
            0 => {}
            // Constant widths, which vector instructions widen.
            8 => self.place::<T, 1>(to, |[byte]| number(byte.into())),
            16 => self.place::<T, 2>(to, |bytes| number(u16::from_le_bytes(bytes).into())),
            32 => self.place::<T, 4>(to, |bytes| number(u32::from_le_bytes(bytes).into())),
            bits if bits <= MAX_PACKED_BITS as usize => {
                self.for_each_value(
                    |n| self.packed(n),
                    |position, packed| to[position] = number(packed.into()),
                );
            }
            _ => self.for_each_stored(|position, stored| to[position] = number(stored)),
        }
        to
    }

    /// Converts the stored numbers, of `N` bytes each, and writes them to their positions in `to`.
    #[inline(always)]
    fn place<T: Weight, const N: usize>(&self, to: &mut [T], number: impl Fn([u8; N]) -> T) {
        let stored = self.data.as_chunks::<N>().0;
        if self.is_dense() {
            to.iter_mut().zip(stored).for_each(|(to, &bytes)| *to = number(bytes));
        } else {
            SetBits(self.map).zip(stored).for_each(|(position, &bytes)| to[position] = number(bytes));
        }
    }
}

/// Returns the first `N` bytes; zeros for bytes after the end.
#[inline(always)]
fn first_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut all = [0; N];
        all[..bytes.len()].copy_from_slice(bytes);
        all
    })
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;
    use crate::cpu_features::{KernelSet, with_kernels};
    use crate::frontier::weights::sparse_vec::sparse_from_slabs;

    fn encoded<T: Weight>(group: &[T]) -> Vec<u8> {
        let mut bytes = vec![9];
        encode_group(&mut bytes, group);
        bytes.split_off(1)
    }

    /// Encodes a group as one large number. The encoder is compared with this function.
    fn encoded_naively(group: &[u128]) -> Vec<u8> {
        let mut bits = group.iter().map(|w| 128 - w.leading_zeros()).max().unwrap();
        let tag = if bits <= 56 { bits } else { 56 + bits.div_ceil(8) } as u8;
        bits = if bits <= 56 { bits } else { bits.next_multiple_of(8) };
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
    fn encode_group_uses_bits_of_greatest_weight() {
        assert_eq!(encoded(&[1u32, 2, 255]), [8, 1, 2, 255]);
        assert_eq!(encoded(&[1u32, 256]), [9, 1, 0, 2]);
        assert_eq!(encoded(&[1u32, 0, 1, 3]), [2, 0b1101_0001]);
        assert_eq!(encoded(&[0u32; 5]), [0]);
        let mut sparse = [0u32; 64];
        sparse[9] = 300;
        assert_eq!(encoded(&sparse), [9 | SPARSE_GROUP_FLAG, 0, 2, 0, 0, 0, 0, 0, 0, 44, 1]);
    }

    #[test]
    fn read_rejects_group_that_ends_beyond_the_bytes() {
        for group in [vec![7u64; 64], (0..64).map(|x| u64::from(x % 9 == 0) << 50).collect()] {
            let bytes = encoded(&group);
            for len in 0..bytes.len() {
                assert!(WeightGroup::read(&bytes[..len], 64).is_none(), "{len} bytes");
            }
        }
    }

    proptest! {
        #[test]
        fn encode_group_agrees_for_all_widths_and_cpus(
            bits in 1..=128u32,
            group in prop::collection::vec(prop_oneof![2 => Just(0), 3 => any::<u128>()], 1..=GROUP_WEIGHTS),
        ) {
            let group: Vec<u128> = group.iter().map(|w| w >> (128 - bits)).collect();
            for cpu in KernelSet::ALL {
                let plain = encoded_naively(&group);
                with_kernels(cpu, || {
                    prop_assert_eq!(&encoded(&group), &plain);
                    if bits <= 64 {
                        let narrow: Vec<u64> = group.iter().map(|&w| w as u64).collect();
                        prop_assert_eq!(&encoded(&narrow), &plain);
                    }
                    if bits <= 32 {
                        let narrow: Vec<u32> = group.iter().map(|&w| w as u32).collect();
                        prop_assert_eq!(&encoded(&narrow), &plain);
                        let mut bytes = Vec::new();
                        let mut all = sparse_from_slabs(&narrow.clone().into());
                        encode_sparse_group(&mut bytes, &all, 0);
                        prop_assert_eq!(&bytes, &plain);
                        all.take_weight(0);
                        let rest: Vec<u32> = [&[0], &narrow[1..]].concat();
                        bytes.clear();
                        encode_sparse_group(&mut bytes, &all, 0);
                        prop_assert_eq!(&bytes, &encoded(&rest));
                    }
                    if bits <= 16 {
                        let narrow: Vec<u16> = group.iter().map(|&w| w as u16).collect();
                        prop_assert_eq!(&encoded(&narrow), &plain);
                    }
                    Ok(())
                })?;
            }
        }

        #[test]
        fn group_is_read_as_it_was_written(
            bits in 0..=128u32,
            group in prop::collection::vec(prop_oneof![2 => Just(0), 3 => any::<u128>()], 1..=GROUP_WEIGHTS),
            after in 0..20usize,
        ) {
            let group: Vec<u128> = group.iter().map(|w| w.unbounded_shr(128 - bits)).collect();
            let bytes = encoded(&group);
            let padded = [bytes.clone(), vec![255; after]].concat();
            let (read, len) = WeightGroup::read(&padded, group.len()).unwrap();
            prop_assert_eq!(len, bytes.len());
            let (mut all, mut lowest) = ([7u128; GROUP_WEIGHTS], [7u8; GROUP_WEIGHTS]);
            prop_assert_eq!(read.copy_to(&mut all), &group);
            let narrow: Vec<u8> = group.iter().map(|&number| number as u8).collect();
            prop_assert_eq!(read.copy_to(&mut lowest), &narrow);
            for (position, &number) in group.iter().enumerate() {
                prop_assert_eq!(read.number(position), number);
            }
        }
    }
}
