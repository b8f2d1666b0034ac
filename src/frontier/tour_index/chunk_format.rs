//! The packed format of a stored chunk, in which any weight is found by reading a few bytes; its
//! writer and its readers.
//!
//! ```text
//! chunk       directory | segments
//! directory   bits, words, segments, weights, numbers of a weight | lines of words
//!             | segments: offset, digest
//! ```
//!
//! A word (the signatures that differ in the lowest slots only) is found by binary search. The
//! entry of the word gives the index of its first weight. The segment of that index gives the
//! offset to read from. The numbers of a segment are in [groups](crate::frontier::layer::weight_group), and
//! the tag of each group gives its length. A zero takes one bit. Groups and lines of words are encoded as in the
//! [format of stores](crate::frontier::layer::chunk_format), which explains why there are two formats.
//!
//! A packed chunk is read by single weights or as a whole.

use xxhash_rust::xxh3::xxh3_64;

use super::block_arithmetic::TourNumber;
use crate::frontier::layer::chunk::{Chunk, WordEntry};
use crate::frontier::layer::chunk_format::{WORD_LINE_BYTES, parse_word_line, word_lines};
use crate::frontier::layer::weight_group::{
    GROUP_WEIGHTS, GROUPS_PER_SEGMENT, SEGMENT_WEIGHTS, WeightGroup, encode_segment,
};
use crate::frontier::weights::slab_vec::SlabVec;
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::{Weight, Width};

/// Number of bytes of the header of a directory.
const HEADER_BYTES: usize = 24;
/// Number of bytes of the entry for a segment in a directory.
const SEGMENT_LINE_BYTES: usize = 16;

/// Packs a chunk. Returns the packed bytes, and the length in bytes of the directory at their
/// start.
#[must_use]
pub fn pack_chunk(chunk: &Chunk) -> (Vec<u8>, usize) {
    let (weights, numbers) = (chunk.weights.len(), chunk.weights.number_count());
    let segments = numbers.div_ceil(SEGMENT_WEIGHTS);
    let words = word_lines(&chunk.entries).count();
    let directory = HEADER_BYTES + words * WORD_LINE_BYTES + segments * SEGMENT_LINE_BYTES;
    let mut out = Vec::with_capacity(directory + weights + weights / 4);
    out.extend_from_slice(&chunk.bits.to_le_bytes());
    out.extend_from_slice(&(words as u32).to_le_bytes());
    out.extend_from_slice(&(segments as u32).to_le_bytes());
    out.extend_from_slice(&(weights as u64).to_le_bytes());
    out.extend_from_slice(&(numbers.checked_div(weights).unwrap_or(1) as u32).to_le_bytes());
    word_lines(&chunk.entries).for_each(|line| out.extend_from_slice(&line));
    let mut line = out.len();
    out.resize(directory, 0);
    for segment in 0..segments {
        let begin = out.len();
        encode_segment(&mut out, &chunk.weights, segment);
        let digest = xxh3_64(&out[begin..]);
        out[line..line + 8].copy_from_slice(&((begin - directory) as u64).to_le_bytes());
        out[line + 8..line + SEGMENT_LINE_BYTES].copy_from_slice(&digest.to_le_bytes());
        line += SEGMENT_LINE_BYTES;
    }
    (out, directory)
}

/// A reader of a packed chunk whose directory has been verified.
#[derive(Clone, Copy, Debug)]
pub struct ChunkReader<'a> {
    words: &'a [u8],
    segments: &'a [u8],
    groups: &'a [u8],
    weight_count: usize,
    numbers_per_weight: usize,
    bits: u32,
}

/// The error that stored bytes differ from the bytes that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl<'a> ChunkReader<'a> {
    /// Opens a packed chunk that begins with a directory of `directory` bytes.
    ///
    /// # Errors
    /// If the directory is inconsistent, or its digest is not `digest`. The entries of the words are not checked: see
    /// [`ChunkReader::check_entries`].
    pub fn new(bytes: &'a [u8], directory: usize, digest: u64) -> Result<Self, Damaged> {
        let head =
            bytes.get(..directory).filter(|head| head.len() >= HEADER_BYTES && xxh3_64(head) == digest);
        let head = head.ok_or(Damaged)?;
        let (words, parts) = (read_u32(head, 4) as usize, read_u32(head, 8) as usize);
        let first = HEADER_BYTES + words * WORD_LINE_BYTES;
        let (weight_count, numbers_per_weight) = (read_u64(head, 12) as usize, read_u32(head, 20) as usize);
        // Bounds the memory for the numbers by the size of the chunk.
        let numbers = weight_count.checked_mul(numbers_per_weight).filter(|_| numbers_per_weight > 0);
        if first + parts * SEGMENT_LINE_BYTES != directory
            || numbers.is_none_or(|numbers| numbers.div_ceil(SEGMENT_WEIGHTS) != parts)
        {
            return Err(Damaged);
        }
        Ok(Self {
            words: &head[HEADER_BYTES..first],
            segments: &head[first..],
            groups: &bytes[directory..],
            weight_count,
            numbers_per_weight,
            bits: read_u32(head, 0),
        })
    }

    /// Checks that the blocks of all words are in the chunk. `chunk_len` is the number of words of a chunk, and
    /// `outer_ends` returns the number of ends in the outer slots of a word.
    ///
    /// # Errors
    /// If a word has no place in the chunk, or a block ends beyond the weights.
    pub fn check_entries(
        &self,
        chunk_len: usize,
        outer_ends: impl Fn(usize) -> usize,
    ) -> Result<(), Damaged> {
        let is_inside = |(word, entry): (usize, WordEntry)| {
            word < chunk_len && entry.end_of_blocks(outer_ends(word)) <= self.weight_count as u64
        };
        if self.entries().all(is_inside) { Ok(()) } else { Err(Damaged) }
    }

    /// Returns the number of weights in the chunk.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.weight_count
    }

    /// Returns the number of numbers in group `group`.
    fn group_len(&self, group: usize) -> usize {
        (self.weight_count * self.numbers_per_weight - group * GROUP_WEIGHTS).min(GROUP_WEIGHTS)
    }

    /// Returns the number and the entry of the `n`-th word that has signatures.
    fn word_line(&self, n: usize) -> (usize, WordEntry) {
        let line = self.words[n * WORD_LINE_BYTES..].first_chunk();
        parse_word_line(line.expect("the directory has whole lines"))
    }

    /// Yields the number and the entry of every word that has signatures, in ascending order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, WordEntry)> {
        (0..self.words.len() / WORD_LINE_BYTES).map(|n| self.word_line(n))
    }

    /// Returns the entry of a word; an empty entry if the word has no signatures.
    #[must_use]
    pub fn entry(&self, word: usize) -> WordEntry {
        let (mut from, mut to) = (0, self.words.len() / WORD_LINE_BYTES);
        while from < to {
            let middle = usize::midpoint(from, to);
            let (number, entry) = self.word_line(middle);
            match number.cmp(&word) {
                std::cmp::Ordering::Equal => return entry,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        WordEntry::default()
    }

    /// Calls `each` with the groups of segment `n`, and with their offsets.
    ///
    /// # Errors
    /// If the bytes do not have the stored digest of the segment.
    fn for_each_group(&self, n: usize, mut each: impl FnMut(WeightGroup<'a>, usize)) -> Result<(), Damaged> {
        let line = self.segments.get(n * SEGMENT_LINE_BYTES..(n + 1) * SEGMENT_LINE_BYTES).ok_or(Damaged)?;
        let next = self.segments.get((n + 1) * SEGMENT_LINE_BYTES..).filter(|next| !next.is_empty());
        let end = next.map_or(self.groups.len(), |next| read_u64(next, 0) as usize);
        let mut offset = read_u64(line, 0) as usize;
        let bytes = self.groups.get(offset..end).ok_or(Damaged)?;
        if xxh3_64(bytes) != read_u64(line, 8) {
            return Err(Damaged);
        }
        let mut group = n * GROUPS_PER_SEGMENT;
        let groups = (self.weight_count * self.numbers_per_weight).div_ceil(GROUP_WEIGHTS);
        let next_segment = groups.min(group + GROUPS_PER_SEGMENT);
        while offset < end && group < next_segment {
            // The bytes after the segment let the reader read whole words.
            let (read, len) =
                WeightGroup::read(&self.groups[offset..], self.group_len(group)).ok_or(Damaged)?;
            each(read, offset);
            offset += len;
            group += 1;
        }
        if (offset, group) == (end, next_segment) { Ok(()) } else { Err(Damaged) }
    }

    /// Calls `each` with all groups, in order.
    fn for_all_groups(&self, mut each: impl FnMut(WeightGroup<'a>, usize)) -> Result<(), Damaged> {
        (0..self.segments.len() / SEGMENT_LINE_BYTES).try_for_each(|n| self.for_each_group(n, &mut each))
    }

    /// Returns the weight at the index `position`.
    ///
    /// # Errors
    /// If a segment of the weight is damaged.
    pub fn weight<N: TourNumber>(&self, position: usize) -> Result<N, Damaged> {
        let each = self.numbers_per_weight;
        let numbers = position * each..(position + 1) * each;
        let (mut last, mut limbs) = (0, Vec::new());
        for segment in numbers.start / SEGMENT_WEIGHTS..numbers.end.div_ceil(SEGMENT_WEIGHTS) {
            let mut first = segment * SEGMENT_WEIGHTS;
            self.for_each_group(segment, |group, _| {
                for number in numbers.start.max(first)..numbers.end.min(first + GROUP_WEIGHTS) {
                    last = group.number(number - first);
                    if each > 1 {
                        limbs.push(last as u32);
                    }
                }
                first += GROUP_WEIGHTS;
            })?;
        }
        Ok(if each > 1 { N::from_limbs(&limbs) } else { N::from_u128(last) })
    }

    /// Verifies all segments and returns a reader that finds any weight in constant time.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn open(self) -> Result<OpenChunk<'a>, Damaged> {
        let mut group_offsets =
            Vec::with_capacity((self.weight_count * self.numbers_per_weight).div_ceil(GROUP_WEIGHTS));
        self.for_all_groups(|_, offset| group_offsets.push(offset as u64))?;
        Ok(OpenChunk { reader: self, group_offsets })
    }

    /// Returns, for each weight, whether it is not zero.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn nonzero_weights(&self) -> Result<Vec<bool>, Damaged> {
        let mut is_nonzero = Vec::with_capacity(self.weight_count * self.numbers_per_weight);
        self.for_all_numbers(|numbers: &[u128]| {
            is_nonzero.extend(numbers.iter().map(|&number| number != 0))
        })?;
        if self.numbers_per_weight > 1 {
            let limbs = is_nonzero.chunks(self.numbers_per_weight);
            is_nonzero = limbs.map(|limbs| limbs.contains(&true)).collect();
        }
        Ok(is_nonzero)
    }

    /// Returns all weights as numbers of type `N`.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn read_numbers<N: TourNumber>(&self) -> Result<Vec<N>, Damaged> {
        let each = self.numbers_per_weight;
        if each > 1 {
            let (mut all, mut limbs) = (Vec::with_capacity(self.weight_count), Vec::with_capacity(each));
            self.for_all_numbers(|numbers: &[u32]| {
                for &limb in numbers {
                    limbs.push(limb);
                    if limbs.len() == each {
                        all.push(N::from_limbs(&limbs));
                        limbs.clear();
                    }
                }
            })?;
            return Ok(all);
        }
        let mut all = vec![N::default(); self.weight_count];
        let mut groups = all.chunks_mut(GROUP_WEIGHTS);
        self.for_all_groups(|group, _| {
            let numbers = groups.next().unwrap_or_default();
            group.for_each_stored(|position, number| numbers[position] = N::from_u128(number));
        })?;
        Ok(all)
    }

    /// Calls `each` with the numbers of every group, each of which fits a `T`.
    fn for_all_numbers<T: Weight>(&self, mut each: impl FnMut(&[T])) -> Result<(), Damaged> {
        let mut numbers = [T::default(); GROUP_WEIGHTS];
        self.for_all_groups(|group, _| each(group.copy_to(&mut numbers)))
    }

    /// Returns all numbers, each of which fits a `T`.
    fn read_slabs<T: Weight>(&self) -> Result<SlabVec<T>, Damaged> {
        let mut all = SlabVec::with_capacity(self.weight_count * self.numbers_per_weight, 0);
        self.for_all_numbers(|numbers| all.extend_from_slice(numbers))?;
        Ok(all)
    }

    /// Unpacks the chunk. `chunk_len` is the number of words of a chunk.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn unpack(&self, chunk_len: usize) -> Result<Chunk, Damaged> {
        let mut entries = vec![WordEntry::default(); chunk_len];
        self.entries().for_each(|(word, entry)| entries[word] = entry);
        let weights = match Width::fitting_bits(self.bits) {
            Width::W8 | Width::W16 | Width::W32 => Weights::W32(self.read_slabs()?),
            Width::W64 => Weights::W64(self.read_slabs()?),
            Width::W128 => Weights::W128(self.read_slabs()?),
            Width::Limbs(_) => {
                let mut limbs = Vec::with_capacity(self.weight_count * self.numbers_per_weight);
                self.for_all_numbers(|numbers: &[u32]| limbs.extend_from_slice(numbers))?;
                Weights::Limbs(self.numbers_per_weight, limbs)
            }
        };
        Ok(Chunk { entries, weights, bits: self.bits })
    }
}

/// A packed chunk whose segments are all verified, with the offset of every group.
#[derive(Debug)]
pub struct OpenChunk<'a> {
    reader: ChunkReader<'a>,
    group_offsets: Vec<u64>,
}

impl OpenChunk<'_> {
    /// Returns the weight at the index `position`; `None` if the index is out of range.
    #[inline(always)]
    #[must_use]
    pub fn weight<N: TourNumber>(&self, position: usize) -> Option<N> {
        if self.reader.numbers_per_weight == 1 {
            return self.number(position).map(N::from_u128);
        }
        let each = self.reader.numbers_per_weight;
        let numbers = position * each..(position + 1) * each;
        let limbs = numbers.map(|number| self.number(number).map(|limb| limb as u32));
        limbs.collect::<Option<Vec<u32>>>().map(|limbs| N::from_limbs(&limbs))
    }

    #[inline(always)]
    fn number(&self, number: usize) -> Option<u128> {
        let (group, position) = (number / GROUP_WEIGHTS, number % GROUP_WEIGHTS);
        let from = *self.group_offsets.get(group)? as usize;
        let len = self.reader.group_len(group);
        let (group, _) = WeightGroup::read(&self.reader.groups[from..], len)?;
        (position < len).then(|| group.number(position))
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::pack_chunk;
    use super::*;

    fn chunk(width: Width) -> Chunk {
        let mut entries = vec![WordEntry::default(); 40];
        let (mut position, mut narrow) = (0, Vec::new());
        for word in [0, 3, 17, 39] {
            entries[word] = WordEntry::new(1 | 1 << 4, position);
            position += 1000;
        }
        for x in 0..4000u64 {
            narrow.push(if x % 7 < 5 && x % 300 > 60 { 0 } else { x.pow(3) % (1 << (x % 30 + 1)) });
        }
        let narrow = Weights::W64(narrow.into());
        Chunk { entries, weights: narrow.to_width(width), bits: width.bits() - 1 }
    }

    #[test]
    fn packed_weights_are_found_one_by_one_and_unpacked() {
        for width in [Width::W32, Width::W64, Width::W128, Width::Limbs(8)] {
            let chunk = chunk(width);
            let (bytes, directory) = pack_chunk(&chunk);
            let packed = ChunkReader::new(&bytes, directory, xxh3_64(&bytes[..directory])).unwrap();
            let unpacked = packed.unpack(40).unwrap();
            assert_eq!((&unpacked.entries, &unpacked.weights), (&chunk.entries, &chunk.weights));
            let all: Vec<u64> = packed.read_numbers().unwrap();
            for position in [0, 1, 63, 64, 1023, 1024, 1500, 3999] {
                assert_eq!(packed.weight::<u64>(position).unwrap(), all[position]);
                assert_eq!(packed.weight::<BigUint>(position).unwrap(), all[position].into());
            }
            let opened = packed.open().unwrap();
            assert!((0..4000).all(|position| opened.weight::<u64>(position) == Some(all[position])));
            assert_eq!(opened.weight::<u64>(4064), None);
            for word in 0..40 {
                assert_eq!(packed.entry(word), chunk.entries[word]);
            }
        }
    }

    #[test]
    fn sparse_and_dense_weights_pack_equally() {
        let whole = chunk(Width::W32);
        let sparse =
            Chunk { weights: whole.weights.to_sparse(), entries: whole.entries.clone(), bits: whole.bits };
        assert_eq!(pack_chunk(&sparse), pack_chunk(&whole));
    }

    #[test]
    fn weights_of_many_limbs_are_packed() {
        for each in [8, 32, 1032] {
            let limbs: Vec<u32> =
                (0..each * 3).map(|limb: u32| if limb % 7 > 4 { 0 } else { limb.pow(2) }).collect();
            let entries = vec![WordEntry::new(1, 0)];
            let weights = Weights::Limbs(each as usize, limbs.clone());
            let chunk = Chunk { entries, weights, bits: 32 * each };
            let (bytes, directory) = pack_chunk(&chunk);
            let packed = ChunkReader::new(&bytes, directory, xxh3_64(&bytes[..directory])).unwrap();
            assert_eq!(packed.unpack(1).unwrap().weights, chunk.weights);
            assert_eq!(packed.nonzero_weights(), Ok(vec![true; 3]));
            let opened = packed.open().unwrap();
            let all: Vec<BigUint> = packed.read_numbers().unwrap();
            for (position, limbs) in limbs.chunks(each as usize).enumerate() {
                let number = BigUint::from_slice(limbs);
                assert_eq!(packed.weight(position), Ok(number.clone()));
                assert_eq!((opened.weight(position), &all[position]), (Some(number.clone()), &number));
            }
            assert_eq!(opened.weight::<BigUint>(3), None);
        }
    }

    #[test]
    fn changed_bytes_are_detected() {
        let (mut bytes, directory) = pack_chunk(&chunk(Width::W32));
        let digest = xxh3_64(&bytes[..directory]);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let packed = ChunkReader::new(&bytes, directory, digest).unwrap();
        assert!(packed.weight::<u64>(3999) == Err(Damaged));
        assert!(
            packed.weight::<u64>(0).is_ok()
                && packed.read_numbers::<u64>().is_err()
                && packed.open().is_err()
        );
        bytes[5] ^= 1;
        assert!(ChunkReader::new(&bytes, directory, digest).is_err());
        assert!(ChunkReader::new(&bytes[..10], directory, digest).is_err());
    }
}
