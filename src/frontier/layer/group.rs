//! The encoder of a group writes all bytes of each weight at once; the next weight overwrites the leading
//! zero bytes.

use crate::frontier::block::nonzero::Nonzero;
use crate::frontier::block::packed::SparseVec;
use crate::frontier::block::weight::Weight;
use crate::frontier::layer::codec::{GROUP_WEIGHTS, SPARSE_GROUP_FLAG};

/// Appends a group of up to 64 weights. Cost: about two cycles a nonzero weight.
pub fn encode_group<T: Nonzero>(out: &mut Vec<u8>, group: &[T]) {
    let map = T::nonzero(group);
    let all = group.iter().fold(T::default(), |all, &w| all.bit_or(w));
    let shape = GroupFormat::new(group.len(), all, map);
    if shape.is_sparse {
        shape.encode(out, SetBits(map).map(|place| group[place]));
    } else {
        shape.encode(out, group.iter().copied());
    }
}

/// Appends group `number` of a sparse vector.
pub fn encode_sparse_group(out: &mut Vec<u8>, packed: &SparseVec, number: usize) {
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

/// The format of a group.
struct GroupFormat {
    len: usize,
    /// Bytes of a weight.
    weight_bytes: usize,
    is_sparse: bool,
    map: u64,
}

impl GroupFormat {
    /// Returns the shortest format for `len` weights with the OR `all` and the nonzero bitmap `map`.
    fn new<T: Weight>(len: usize, all: T, map: u64) -> Self {
        debug_assert!(len <= GROUP_WEIGHTS);
        let bytes = all.bit_length().div_ceil(8) as usize;
        Self { len, weight_bytes: bytes, is_sparse: 8 + map.count_ones() as usize * bytes < len * bytes, map }
    }

    /// Appends the tag, the bitmap if zeros are left out, and the weights.
    #[inline(always)]
    fn encode<T: Weight>(&self, out: &mut Vec<u8>, weights: impl Iterator<Item = T>) {
        out.push(self.weight_bytes as u8 | if self.is_sparse { SPARSE_GROUP_FLAG } else { 0 });
        if self.is_sparse {
            out.extend_from_slice(&self.map.to_le_bytes());
        }
        out.reserve(self.len * self.weight_bytes + size_of::<u128>());
        // SAFETY: there is capacity for all weights, and for sixteen bytes from the beginning of the last.
        unsafe {
            match self.weight_bytes {
                0 => {}
                1..=8 => self.write_weights(out, weights, |w| (w.as_u128() as u64).to_le_bytes()),
                _ => self.write_weights(out, weights, |w| w.as_u128().to_le_bytes()),
            }
        }
    }

    /// Writes the lowest bytes of each weight.
    ///
    /// # Safety
    /// `out` must have spare capacity for as many weights as the group has, and for all `N` bytes of the
    /// last.
    #[inline(always)]
    unsafe fn write_weights<T, const N: usize>(
        &self,
        out: &mut Vec<u8>,
        weights: impl Iterator<Item = T>,
        to_bytes: impl Fn(T) -> [u8; N],
    ) {
        let mut end = out.len();
        let bytes = out.as_mut_ptr();
        for weight in weights.take(self.len) {
            // SAFETY: the caller promises the capacity; all bytes up to the new length are written.
            unsafe { bytes.add(end).cast::<[u8; N]>().write_unaligned(to_bytes(weight)) };
            end += self.weight_bytes;
        }
        // SAFETY: all bytes up to `end` are written, within the capacity that the caller promises.
        unsafe { out.set_len(end) };
    }
}

/// Iterator over the positions of the bits that are set, lowest first.
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
    use proptest::prelude::*;

    use super::*;
    use crate::cpu::{KernelSet, with_kernels};
    use crate::frontier::block::packing::sparse_from_slabs;

    fn encoded<T: Nonzero>(group: &[T]) -> Vec<u8> {
        let mut bytes = vec![9];
        encode_group(&mut bytes, group);
        bytes.split_off(1)
    }

    /// Encodes a group byte by byte: an oracle.
    fn encoded_naively(group: &[u128]) -> Vec<u8> {
        let bytes = group.iter().map(|w| 16 - w.leading_zeros() as usize / 8).max().unwrap();
        let there: Vec<u128> = group.iter().copied().filter(|&w| w != 0).collect();
        let low = |weights: &[u128]| weights.iter().flat_map(|w| w.to_le_bytes()[..bytes].to_vec()).collect();
        let dense: Vec<u8> = low(group);
        let mut sparse: Vec<u8> = low(&there);
        if 8 + sparse.len() >= dense.len() {
            return [vec![bytes as u8], dense].concat();
        }
        let map = (0..).zip(group).fold(0u64, |map, (x, &w)| map | u64::from(w != 0) << x);
        sparse.splice(0..0, map.to_le_bytes());
        [vec![bytes as u8 | SPARSE_GROUP_FLAG], sparse].concat()
    }

    #[test]
    fn encode_group_uses_bytes_of_greatest_weight() {
        assert_eq!(encoded(&[1u32, 2, 255]), [1, 1, 2, 255]);
        assert_eq!(encoded(&[1u32, 256]), [2, 1, 0, 0, 1]);
        assert_eq!(encoded(&[0u32; 5]), [0]);
        let mut sparse = [0u32; 64];
        sparse[9] = 300;
        assert_eq!(encoded(&sparse), [2 | SPARSE_GROUP_FLAG, 0, 2, 0, 0, 0, 0, 0, 0, 44, 1]);
    }

    proptest! {
        #[test]
        fn encode_group_agrees_for_all_widths_and_cpus(
            bits in 1..=128u32,
            group in prop::collection::vec(prop_oneof![2 => Just(0), 3 => any::<u128>()], 1..=GROUP_WEIGHTS),
        ) {
            let group: Vec<u128> = group.iter().map(|w| w >> (128 - bits)).collect();
            let plain = encoded_naively(&group);
            for cpu in KernelSet::ALL {
                with_kernels(cpu, || {
                    prop_assert_eq!(&encoded(&group), &plain);
                    if bits <= 64 {
                        prop_assert_eq!(&encoded(&group.iter().map(|&w| w as u64).collect::<Vec<_>>()), &plain);
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
                        prop_assert_eq!(&encoded(&group.iter().map(|&w| w as u16).collect::<Vec<_>>()), &plain);
                    }
                    Ok(())
                })?;
            }
        }
    }
}
