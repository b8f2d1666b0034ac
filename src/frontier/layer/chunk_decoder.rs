//! The decoder of chunks from bytes in the format of
//! [`chunk_format`](crate::frontier::layer::chunk_format).

use std::cell::Cell;
use std::io::{self, Read};

use xxhash_rust::xxh3::Xxh3Default;

use super::chunk::{Chunk, WordEntry};
use super::chunk_format::{
    BUFFER_BYTES, MAGIC, TAG_LIMBS, TAG_SPARSE, TAG_W8, TAG_W16, TAG_W32, TAG_W64, TAG_W128, damaged_error,
    parse_word_line,
};
use super::weight_group::{GROUP_WEIGHTS, MAX_GROUP_BYTES, WeightGroup};
use crate::frontier::weights::slab_vec::SlabVec;
use crate::frontier::weights::sparse_vec::SparseVec;
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::{LIMBS_PER_GROUP, Weight, Width};

thread_local! {
    /// The buffer of this thread for bytes that are read. A heap of many small chunks takes long to find room for a new
    /// one.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Reads a chunk of `words` words that was written with the digest `digest`. Damage is detected
/// only at the end of the bytes, by the digest; until then the weights take at most `max_bytes`
/// bytes of memory.
///
/// # Errors
/// The reader's error, or [`io::ErrorKind::InvalidData`] if the bytes differ from the bytes
/// written.
pub fn read_chunk<R: Read + ?Sized>(
    from: &mut R,
    words: usize,
    max_bytes: u64,
    digest: u64,
) -> io::Result<Chunk> {
    let mut buffer = BUFFER.take();
    buffer.resize(BUFFER_BYTES, 0);
    let mut input = ChunkDecoder {
        reader: from,
        buffer,
        position: 0,
        filled: 0,
        is_at_end: false,
        hash: Xxh3Default::new(),
        hashed: 0,
    };
    if input.take_bytes(4)? != MAGIC {
        return Err(damaged_error());
    }
    let width = input.take_bytes(1)?[0];
    let bits = u32::from_le_bytes(input.take_array()?);
    let present = u32::from_le_bytes(input.take_array()?) as usize;
    let len = usize::try_from(u64::from_le_bytes(input.take_array()?)).map_err(|_| damaged_error())?;
    if present > words || (present == 0 && len > 0) {
        return Err(damaged_error());
    }
    let states =
        if width == TAG_SPARSE { Some(u32::from_le_bytes(input.take_array()?) as usize) } else { None };
    let width = match width {
        TAG_W8 => Width::W8,
        TAG_W16 => Width::W16,
        TAG_W32 | TAG_SPARSE => Width::W32,
        TAG_W64 => Width::W64,
        TAG_W128 => Width::W128,
        TAG_LIMBS => match u32::from_le_bytes(input.take_array()?) {
            each if each > 0 && each.is_multiple_of(LIMBS_PER_GROUP) && each <= u32::MAX / 32 => {
                Width::Limbs(each)
            }
            _ => return Err(damaged_error()),
        },
        _ => return Err(damaged_error()),
    };
    let bytes = match states {
        Some(states) => (states <= len).then(|| SparseVec::required_bytes(len, states)),
        None => (len as u64).checked_mul(width.bytes()),
    };
    if bits > width.bits() || bytes.is_none_or(|bytes| bytes > max_bytes) {
        return Err(damaged_error());
    }
    let mut entries = vec![WordEntry::default(); if present > 0 { words } else { 0 }];
    for _ in 0..present {
        let (number, entry) = parse_word_line(&input.take_array()?);
        *entries.get_mut(number).ok_or_else(damaged_error)? = entry;
    }
    let weights = match (width, states) {
        (Width::W32, Some(states)) => Weights::Sparse(input.read_sparse(len, states)?),
        (Width::W8, _) => Weights::W8(input.read_slabs(len)?),
        (Width::W16, _) => Weights::W16(input.read_slabs(len)?),
        (Width::W32, None) => Weights::W32(input.read_slabs(len)?),
        (Width::W64, _) => Weights::W64(input.read_slabs(len)?),
        (Width::W128, _) => Weights::W128(input.read_slabs(len)?),
        (Width::Limbs(each), _) => Weights::Limbs(each as usize, input.read_limbs(len, each as usize)?),
    };
    input.verify_end(digest)?;
    // Targets of a sweep are as wide as the bits of their sources require, so no source may be wider than its
    // bits require.
    if weights.width() > Width::fitting_bits(bits) {
        return Err(damaged_error());
    }
    Ok(Chunk { entries, weights, bits })
}

struct ChunkDecoder<'a, R: ?Sized> {
    reader: &'a mut R,
    buffer: Vec<u8>,
    position: usize,
    filled: usize,
    /// True if the reader has no more bytes.
    is_at_end: bool,
    hash: Xxh3Default,
    hashed: usize,
}

impl<R: Read + ?Sized> ChunkDecoder<'_, R> {
    /// Fills the buffer until it has `bytes` unread bytes. Returns false if the input ends before
    /// that.
    fn fill_buffer(&mut self, bytes: usize) -> io::Result<bool> {
        if self.filled - self.position >= bytes || self.is_at_end {
            return Ok(self.filled - self.position >= bytes);
        }
        self.hash.update(&self.buffer[self.hashed..self.position]);
        self.buffer.copy_within(self.position..self.filled, 0);
        (self.filled, self.position, self.hashed) = (self.filled - self.position, 0, 0);
        while self.filled < self.buffer.len() && !self.is_at_end {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.is_at_end = true,
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.filled - self.position >= bytes)
    }

    fn take_bytes(&mut self, bytes: usize) -> io::Result<&[u8]> {
        if !self.fill_buffer(bytes)? {
            return Err(damaged_error());
        }
        self.position += bytes;
        Ok(&self.buffer[self.position - bytes..self.position])
    }

    fn take_array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        Ok(self.take_bytes(N)?.try_into().expect("take returns the requested number of bytes"))
    }

    /// Reads `len` numbers, each of at most the bytes of a `T`.
    fn read_slabs<T: Weight>(&mut self, len: usize) -> io::Result<SlabVec<T>> {
        let mut all = SlabVec::try_with_len(len).map_err(|_| damaged_error())?;
        self.for_all_numbers(len, |numbers| all.extend_from_slice(numbers))?;
        Ok(all)
    }

    /// Reads `len` numbers of `each` limbs each, which are stored as single limbs.
    fn read_limbs(&mut self, len: usize, each: usize) -> io::Result<Vec<u32>> {
        let (mut all, limbs) = (Vec::new(), len.checked_mul(each).ok_or_else(damaged_error)?);
        all.try_reserve_exact(limbs).map_err(|_| damaged_error())?;
        self.for_all_numbers(limbs, |limbs| all.extend_from_slice(limbs))?;
        Ok(all)
    }

    /// Reads `len` numbers, each of at most the bytes of a `T`, and calls `each` with those of every group.
    fn for_all_numbers<T: Weight>(&mut self, len: usize, mut each: impl FnMut(&[T])) -> io::Result<()> {
        let mut numbers = [T::default(); GROUP_WEIGHTS];
        self.for_each_group(len, size_of::<T>(), |group, _| {
            each(group.copy_to(&mut numbers));
            Ok(())
        })
    }

    /// Reads a sparse vector of `len` weights, `states` of which are not zero.
    fn read_sparse(&mut self, len: usize, states: usize) -> io::Result<SparseVec> {
        let mut all = SparseVec::try_with_capacity(len, states).map_err(|_| damaged_error())?;
        let mut numbers = [0u32; GROUP_WEIGHTS];
        self.for_each_group(len, size_of::<u32>(), |group, size| {
            let weights = group.copy_to(&mut numbers);
            let map = u32::nonzero_bitmap(weights);
            if all.stored_len() + map.count_ones() as usize > states {
                return Err(damaged_error());
            }
            all.push_group(map, size, |position| weights[position]);
            Ok(())
        })?;
        if all.stored_len() < states { Err(damaged_error()) } else { Ok(all) }
    }

    /// Reads groups with `len` numbers in all, each of at most `max_bytes` bytes. Calls `each` with every
    /// group and its number of numbers.
    #[inline(always)]
    fn for_each_group(
        &mut self,
        len: usize,
        max_bytes: usize,
        mut each: impl FnMut(WeightGroup, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut left = len;
        while left > 0 {
            let size = GROUP_WEIGHTS.min(left);
            // The last group may be shorter.
            self.fill_buffer(MAX_GROUP_BYTES)?;
            let group = WeightGroup::read(&self.buffer[self.position..self.filled], size);
            let (group, bytes) = group.ok_or_else(damaged_error)?;
            if group.bits() > 8 * max_bytes {
                return Err(damaged_error());
            }
            each(group, size)?;
            self.position += bytes;
            left -= size;
        }
        Ok(())
    }

    fn verify_end(mut self, expected: u64) -> io::Result<()> {
        self.hash.update(&self.buffer[self.hashed..self.position]);
        self.hashed = self.position;
        let digest = self.hash.digest();
        if digest != expected || u64::from_le_bytes(self.take_array()?) != digest || self.fill_buffer(1)? {
            return Err(damaged_error());
        }
        BUFFER.set(self.buffer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk_format::verify_digest;
    use super::super::chunk_format::write_chunk;
    use super::*;

    fn chunk(width: Width, len: usize, number: impl Fn(usize) -> u128) -> Chunk {
        let mut entries = vec![WordEntry::default(); 243];
        entries[7] = WordEntry::new(5, 0);
        entries[200] = WordEntry::new(1 << 80, 17);
        let numbers: Vec<u128> = (0..len).map(number).collect();
        Chunk { entries, weights: Weights::W128(numbers.into()).to_width(width), bits: width.bits() - 1 }
    }

    fn encode_and_check(chunk: &Chunk) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (len, digest) = write_chunk(chunk, &mut bytes).unwrap();
        assert_eq!(len, bytes.len() as u64);
        let read = read_chunk(&mut bytes.as_slice(), 243, chunk.weights.bytes(), digest).unwrap();
        assert_eq!(read.weights, chunk.weights);
        assert_eq!((&read.entries, read.bits), (&chunk.entries, chunk.bits));
        bytes
    }

    #[test]
    fn read_chunk_returns_written_chunk() {
        let mixed = |x: usize| if x.is_multiple_of(3) { 0 } else { (x as u128 * 0x9e37_79b9) >> (x % 31) };
        for len in [1, 63, 64, 65, 1000, 100_000] {
            encode_and_check(&chunk(Width::W32, len, |x| mixed(x) & 0x7fff_ffff));
            encode_and_check(&chunk(Width::W64, len, |x| mixed(x) << (x % 20)));
            encode_and_check(&chunk(Width::W128, len, |x| mixed(x) << (x % 90)));
            encode_and_check(&chunk(Width::Limbs(8), len, |x| mixed(x) << (x % 90)));
            let mut wide = chunk(Width::Limbs(76), len, mixed);
            if let Weights::Limbs(_, limbs) = &mut wide.weights {
                (0..limbs.len()).step_by(11).for_each(|x| limbs[x] = (x as u32).wrapping_mul(0x9e37_79b9));
            }
            encode_and_check(&wide);
        }
        for len in [1, 63, 64, 65, 1000, 100_000] {
            let mut thin = chunk(Width::W32, len, |x| mixed(x) & 0x7fff_ffff);
            thin.weights = thin.weights.to_sparse();
            encode_and_check(&thin);
            // A weight that was taken out is a stored zero, which the chunk read back does not have.
            let mut left = thin.weights.to_width(Width::W32);
            thin.weights.take_weight(len / 2);
            left.take_weight(len / 2);
            let mut bytes = Vec::new();
            let (_, digest) = write_chunk(&thin, &mut bytes).unwrap();
            let read = read_chunk(&mut bytes.as_slice(), 243, thin.weights.bytes(), digest).unwrap();
            assert_eq!(read.weights, left.to_sparse());
        }
        for bits in 1..=128 {
            let number = |x: usize| {
                (x as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> (128 - bits)
            };
            let width = Width::fitting_bits(bits);
            for sparsity in [1, 2, 9] {
                let weights = chunk(width, 150, |x| if x % sparsity == 0 { number(x) } else { 0 });
                encode_and_check(&Chunk { bits, ..weights });
            }
        }
        let zeros = encode_and_check(&chunk(Width::W64, 64_000, |_| 0));
        assert!(zeros.len() < 1100, "{}", zeros.len());
        let small = encode_and_check(&chunk(Width::W32, 64_000, |x| u128::from(x % 4 == 0) * 200));
        assert!(small.len() < 26_000, "{}", small.len());
    }

    /// The format of a chunk does not change without its magic number.
    #[test]
    fn stored_bytes_stay_as_they_are() {
        let weights = |x: usize| if x.is_multiple_of(3) { 0 } else { 0x0102_0304u128 >> (8 * (x % 4)) };
        let mut packed = chunk(Width::W32, 70, weights);
        packed.weights = packed.weights.to_sparse();
        let digests = [
            chunk(Width::W8, 70, |x| weights(x) & 0x7f),
            chunk(Width::W16, 70, |x| weights(x) & 0x7fff),
            chunk(Width::W32, 70, weights),
            chunk(Width::W64, 70, |x| weights(x) << 30),
            chunk(Width::W128, 70, |x| weights(x) << 90),
            chunk(Width::Limbs(8), 70, |x| weights(x) << 90),
            packed,
        ]
        .map(|chunk| {
            let bytes = encode_and_check(&chunk);
            format!(
                "{} {:016x}",
                bytes.len(),
                u64::from_le_bytes(bytes[bytes.len() - 8..].try_into().unwrap())
            )
        });
        let expected = [
            "98 f70b078160108a70",
            "140 f0d54f1155a5f293",
            "230 fabda9f4cda1045e",
            "404 8719caf375e43317",
            "777 f341f88759b288d0",
            "452 61ffa643c70da5bb",
            "234 32c8eeb509656519",
        ];
        assert_eq!(digests, expected);
        let small = encode_and_check(&chunk(Width::W64, 3, |x| [0x0102, 0, 7][x]));
        let hex: String = small.iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = [
            // Magic, width, bits of the greatest weight, entries, weights.
            "4b544332",
            "01",
            "3f000000",
            "02000000",
            "0300000000000000",
            // Entries by number.
            "07000000",
            "05000000000000000000000000000000",
            "c8000000",
            "00000000000000000000230000000000",
            // A group: bits of a weight, three weights; at last the digest.
            "09",
            "02011c00",
            "eacd9215e9898459",
        ];
        assert_eq!(hex, expected.concat());
    }

    #[test]
    fn read_chunk_rejects_damage() {
        let whole = encode_and_check(&chunk(Width::W64, 300, |x| x as u128 * 12_345));
        let digest = u64::from_le_bytes(whole[whole.len() - 8..].try_into().unwrap());
        let is_refused = |mut bytes: &[u8]| {
            verify_digest(&mut { bytes }, digest).is_err()
                && read_chunk(&mut bytes, 243, 1 << 20, digest).is_err()
        };
        assert!(verify_digest(&mut whole.as_slice(), digest).is_ok());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(is_refused(&bytes), "byte {at}");
            assert!(is_refused(&whole[..at]), "cut to {at}");
        }
        assert!(is_refused(&[whole, vec![0]].concat()));
        // An intact chunk, but another.
        assert!(is_refused(&encode_and_check(&chunk(Width::W64, 300, |x| x as u128 * 54_321))));
    }

    /// Returns an encoded chunk with other numbers in its header, and the new digest.
    fn forged(item: &[u8], width: u8, bits: u32, len: u64) -> (Vec<u8>, u64) {
        let mut bytes = item[..item.len() - 8].to_vec();
        bytes[4] = width;
        bytes[5..9].copy_from_slice(&bits.to_le_bytes());
        bytes[13..21].copy_from_slice(&len.to_le_bytes());
        let mut hash = Xxh3Default::new();
        hash.update(&bytes);
        bytes.extend(hash.digest().to_le_bytes());
        (bytes, hash.digest())
    }

    #[test]
    fn read_chunk_rejects_impossible_sizes_before_allocating() {
        let item = encode_and_check(&chunk(Width::W64, 300, |x| x as u128 * 12_345));
        let is_read = |width, bits, len| {
            let (bytes, digest) = forged(&item, width, bits, len);
            read_chunk(&mut bytes.as_slice(), 243, 2400, digest).is_ok()
        };
        assert!(is_read(TAG_W64, 63, 300) && is_read(TAG_W64, 64, 300) && is_read(TAG_W64, 32, 300));
        for len in [299, 301, 1 << 20, 1 << 36, 1 << 44, 1 << 61, u64::MAX] {
            assert!(!is_read(TAG_W64, 63, len), "{len} weights");
        }
        for bits in [0, 31, 65, u32::MAX] {
            assert!(!is_read(TAG_W64, bits, 300), "{bits} bits");
        }
        for tag in [3, 4, 8, u8::MAX] {
            assert!(!is_read(tag, 200, 70), "tag {tag}");
        }
        for each in [0, 1, 8, u32::MAX - 3] {
            let (mut bytes, _) = forged(&item, TAG_LIMBS, 200, 70);
            bytes[21..25].copy_from_slice(&u32::to_le_bytes(each));
            let (bytes, digest) = forged(&bytes, TAG_LIMBS, 200, 70);
            assert!(read_chunk(&mut bytes.as_slice(), 243, 2400, digest).is_err(), "{each} limbs");
        }
    }
}
