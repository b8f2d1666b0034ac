//! The packed format of a stored chunk, in which any weight is found by reading a few bytes; its
//! writer and its readers.
//!
//! ```text
//! chunk       directory | groups
//! directory   bits, words, segments, weights | words: number, entry | segments: offset, digest
//! segment     16 groups of 64 weights
//! group       tag b          64 x b bytes
//!             tag b + 128    bitmap of 8 bytes, then b bytes for every bit set
//! ```
//!
//! A word (the signatures that differ in the lowest slots only) is found by binary search. The
//! entry of the word gives the index of its first weight. The segment of that index gives the
//! offset to read from, and the tag of each group gives the length of the group. A zero takes one
//! bit.
//!
//! A packed chunk is read by single weights or as a whole.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::block_arithmetic::TourNumber;
use crate::frontier::layer::chunk::{Chunk, WordEntry};
use crate::frontier::layer::chunk_format;
use crate::frontier::layer::chunk_format::{GROUP_WEIGHTS, SPARSE_GROUP_FLAG, WeightUnit};
use crate::frontier::weights::block_sink::StoredWeight;
use crate::frontier::weights::slab_vec::SlabVec;
use crate::frontier::weights::sparse_vec;
use crate::frontier::weights::vector::Weights;
use crate::frontier::weights::weight::Width;

/// Number of groups in a segment.
pub const GROUPS_PER_SEGMENT: usize = 16;

/// Maximum number of bytes of a weight.
pub const MAX_WEIGHT_BYTES: usize = 127;

/// Number of bytes of the header of a directory.
pub const HEADER_BYTES: usize = 20;
/// Number of bytes of the entry for a word in a directory.
pub const WORD_LINE_BYTES: usize = 20;
/// Number of bytes of the entry for a segment in a directory.
pub const SEGMENT_LINE_BYTES: usize = 12;

/// Packs a chunk. Returns the packed bytes, and the length in bytes of the directory at their
/// start. Returns `None` if a weight is too large for the format.
#[must_use]
pub fn pack_chunk(chunk: &Chunk) -> Option<(Vec<u8>, usize)> {
    let weights = chunk.weights.len();
    let parts = weights.div_ceil(GROUP_WEIGHTS * GROUPS_PER_SEGMENT);
    let words = chunk.entries.iter().filter(|entry| entry.present_signatures() != 0).count();
    let directory = HEADER_BYTES + words * WORD_LINE_BYTES + parts * SEGMENT_LINE_BYTES;
    let mut out = Vec::with_capacity(directory + weights + weights / 4);
    out.extend_from_slice(&chunk.bits.to_le_bytes());
    out.extend_from_slice(&(words as u32).to_le_bytes());
    out.extend_from_slice(&(parts as u32).to_le_bytes());
    out.extend_from_slice(&(weights as u64).to_le_bytes());
    for (number, entry) in (0u32..).zip(&chunk.entries).filter(|(_, entry)| entry.present_signatures() != 0) {
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&entry.to_bits().to_le_bytes());
    }
    out.resize(directory, 0);
    for part in 0..parts {
        let begin = out.len();
        let positions = part * GROUP_WEIGHTS * GROUPS_PER_SEGMENT
            ..((part + 1) * GROUP_WEIGHTS * GROUPS_PER_SEGMENT).min(weights);
        match &chunk.weights {
            Weights::W8(v) => encode_groups(&mut out, v, positions),
            Weights::W16(v) => encode_groups(&mut out, v, positions),
            Weights::W32(v) => encode_groups(&mut out, v, positions),
            Weights::W64(v) => encode_groups(&mut out, v, positions),
            Weights::W128(v) => encode_groups(&mut out, v, positions),
            Weights::Sparse(v) => {
                for group in positions.start / GROUP_WEIGHTS..positions.end.div_ceil(GROUP_WEIGHTS) {
                    chunk_format::encode_sparse_group(&mut out, v, group, WeightUnit::Byte);
                }
            }
            Weights::Limbs(each, v) => {
                for group in v[positions.start * each..positions.end * each].chunks(GROUP_WEIGHTS * each) {
                    write_limb_group(&mut out, group, *each)?;
                }
            }
        }
        let digest = xxh3_64(&out[begin..]);
        let from = u32::try_from(begin - directory).ok()?;
        let head = HEADER_BYTES + words * WORD_LINE_BYTES + part * SEGMENT_LINE_BYTES;
        out[head..head + 4].copy_from_slice(&from.to_le_bytes());
        out[head + 4..head + SEGMENT_LINE_BYTES].copy_from_slice(&digest.to_le_bytes());
    }
    Some((out, directory))
}

/// Appends to `out` the groups of the weights at `positions`.
fn encode_groups<T: StoredWeight>(out: &mut Vec<u8>, weights: &SlabVec<T>, positions: Range<usize>) {
    let weights = weights.slice(positions);
    weights.chunks(GROUP_WEIGHTS).for_each(|group| chunk_format::encode_group(out, group, WeightUnit::Byte));
}

/// Appends to `out` a group of weights of `each` limbs each. Returns `None` if a weight is too
/// large for the format.
fn write_limb_group(out: &mut Vec<u8>, group: &[u32], each: usize) -> Option<()> {
    let bytes_of = |limbs: &[u32]| {
        let used = limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1);
        used.checked_sub(1)
            .map_or(0, |last| 4 * last + (32 - limbs[last].leading_zeros()).div_ceil(8) as usize)
    };
    let bytes = group.chunks_exact(each).map(bytes_of).max().unwrap_or(0);
    if bytes > MAX_WEIGHT_BYTES {
        return None;
    }
    let map =
        sparse_vec::bitmap_of(group.chunks_exact(each).map(|limbs| limbs.iter().any(|&limb| limb != 0)));
    let is_sparse = write_group_tag(out, bytes, group.len() / each, map);
    for limbs in group.chunks_exact(each).filter(|limbs| !is_sparse || limbs.iter().any(|&limb| limb != 0)) {
        let all = limbs.iter().flat_map(|limb| limb.to_le_bytes());
        out.extend(all.chain(std::iter::repeat(0)).take(bytes));
    }
    Some(())
}

/// Appends to `out` the tag of a group of `len` weights of `bytes` bytes each. Also appends the
/// bitmap `map` of nonzero weights if this makes the group shorter; returns true in this case.
fn write_group_tag(out: &mut Vec<u8>, bytes: usize, len: usize, map: u64) -> bool {
    let is_sparse = 8 + map.count_ones() as usize * bytes < len * bytes;
    out.push(bytes as u8 | if is_sparse { SPARSE_GROUP_FLAG } else { 0 });
    if is_sparse {
        out.extend_from_slice(&map.to_le_bytes());
    }
    is_sparse
}

/// A reader of a packed chunk whose directory has been verified.
#[derive(Clone, Copy, Debug)]
pub struct ChunkReader<'a> {
    words: &'a [u8],
    segments: &'a [u8],
    groups: &'a [u8],
    weight_count: usize,
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
    /// If the directory is inconsistent, or its digest is not `digest`.
    pub fn new(bytes: &'a [u8], directory: usize, digest: u64) -> Result<Self, Damaged> {
        let head =
            bytes.get(..directory).filter(|head| head.len() >= HEADER_BYTES && xxh3_64(head) == digest);
        let head = head.ok_or(Damaged)?;
        let (words, parts) = (read_u32(head, 4) as usize, read_u32(head, 8) as usize);
        let first = HEADER_BYTES + words * WORD_LINE_BYTES;
        if first + parts * SEGMENT_LINE_BYTES != directory {
            return Err(Damaged);
        }
        Ok(Self {
            words: &head[HEADER_BYTES..first],
            segments: &head[first..],
            groups: &bytes[directory..],
            weight_count: read_u64(head, 12) as usize,
            bits: read_u32(head, 0),
        })
    }

    /// Returns the number of weights in the chunk.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.weight_count
    }

    fn word_line(&self, n: usize) -> (u32, WordEntry) {
        let bytes = &self.words[n * WORD_LINE_BYTES..][..WORD_LINE_BYTES];
        let entry = u128::from_le_bytes(bytes[4..].try_into().expect("sixteen bytes"));
        (read_u32(bytes, 0), WordEntry::from_bits(entry))
    }

    /// Yields the number and the entry of every word that has signatures, in ascending order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, WordEntry)> {
        (0..self.words.len() / WORD_LINE_BYTES)
            .map(|n| self.word_line(n))
            .map(|(number, entry)| (number as usize, entry))
    }

    /// Returns the entry of a word; an empty entry if the word has no signatures.
    #[must_use]
    pub fn entry(&self, word: usize) -> WordEntry {
        let (mut from, mut to) = (0, self.words.len() / WORD_LINE_BYTES);
        while from < to {
            let middle = usize::midpoint(from, to);
            let (number, entry) = self.word_line(middle);
            match (number as usize).cmp(&word) {
                std::cmp::Ordering::Equal => return entry,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        WordEntry::default()
    }

    /// Returns the bytes of segment `n`.
    ///
    /// # Errors
    /// If the bytes do not have the stored digest of the segment.
    fn segment(&self, n: usize) -> Result<&'a [u8], Damaged> {
        let head = self.segments.get(n * SEGMENT_LINE_BYTES..(n + 1) * SEGMENT_LINE_BYTES).ok_or(Damaged)?;
        let next = self.segments.get((n + 1) * SEGMENT_LINE_BYTES..);
        let to =
            next.filter(|next| !next.is_empty()).map_or(self.groups.len(), |next| read_u32(next, 0) as usize);
        let bytes = self.groups.get(read_u32(head, 0) as usize..to).ok_or(Damaged)?;
        if xxh3_64(bytes) == read_u64(head, 4) { Ok(bytes) } else { Err(Damaged) }
    }

    /// Returns the weight at the index `position`.
    ///
    /// # Errors
    /// If the segment of the weight is damaged.
    pub fn weight<N: TourNumber>(&self, position: usize) -> Result<N, Damaged> {
        let mut bytes = self.segment(position / (GROUP_WEIGHTS * GROUPS_PER_SEGMENT))?;
        let len = |group: usize| (self.weight_count - group * GROUP_WEIGHTS).min(GROUP_WEIGHTS);
        let group = position / GROUP_WEIGHTS;
        for before in group / GROUPS_PER_SEGMENT * GROUPS_PER_SEGMENT..group {
            bytes = Group::new(bytes, len(before)).1;
        }
        Ok(Group::new(bytes, len(group)).0.weight(position % GROUP_WEIGHTS))
    }

    /// Verifies all segments and returns a reader that finds any weight in constant time.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn open(self) -> Result<OpenChunk<'a>, Damaged> {
        let count = self.weight_count.div_ceil(GROUP_WEIGHTS);
        let mut groups = Vec::with_capacity(count);
        for n in 0..self.segments.len() / SEGMENT_LINE_BYTES {
            let mut bytes = self.segment(n)?;
            for group in n * GROUPS_PER_SEGMENT..((n + 1) * GROUPS_PER_SEGMENT).min(count) {
                groups.push((bytes.as_ptr().addr() - self.groups.as_ptr().addr()) as u32);
                bytes = Group::new(bytes, (self.weight_count - group * GROUP_WEIGHTS).min(GROUP_WEIGHTS)).1;
            }
        }
        Ok(OpenChunk { reader: self, group_offsets: groups })
    }

    /// Calls `each` with the bytes of every weight, least significant byte first, in the order of the
    /// weights.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn for_each_weight(&self, mut each: impl FnMut(&[u8])) -> Result<(), Damaged> {
        let groups = self.weight_count.div_ceil(GROUP_WEIGHTS);
        for n in 0..self.segments.len() / SEGMENT_LINE_BYTES {
            let mut bytes = self.segment(n)?;
            for group in n * GROUPS_PER_SEGMENT..((n + 1) * GROUPS_PER_SEGMENT).min(groups) {
                let len = (self.weight_count - group * GROUP_WEIGHTS).min(GROUP_WEIGHTS);
                let (group, rest) = Group::new(bytes, len);
                group.for_each_weight(len, &mut each);
                bytes = rest;
            }
        }
        Ok(())
    }

    /// Returns all weights as numbers of type `N`.
    ///
    /// # Errors
    /// If a segment is damaged.
    pub fn read_numbers<N: TourNumber>(&self) -> Result<Vec<N>, Damaged> {
        let mut all = vec![N::default(); self.weight_count];
        let mut groups = all.chunks_mut(GROUP_WEIGHTS);
        for n in 0..self.segments.len() / SEGMENT_LINE_BYTES {
            let mut bytes = self.segment(n)?;
            for numbers in groups.by_ref().take(GROUPS_PER_SEGMENT) {
                let (group, rest) = Group::new(bytes, numbers.len());
                group.fill(numbers);
                bytes = rest;
            }
        }
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
            Width::W8 | Width::W16 | Width::W32 => {
                let mut all = SlabVec::with_capacity(self.weight_count, 0);
                self.for_each_weight(|bytes| all.push(u64::from_le_slice(bytes) as u32))?;
                Weights::W32(all)
            }
            Width::W64 => Weights::W64(self.read_numbers()?.into()),
            Width::W128 => Weights::W128(self.read_numbers()?.into()),
            Width::Limbs(each) => {
                let each = each as usize;
                let mut all = Vec::with_capacity(self.weight_count * each);
                self.for_each_weight(|bytes| {
                    let end = all.len() + each;
                    all.extend(bytes.chunks(4).map(|limb| u64::from_le_slice(limb) as u32));
                    all.resize(end, 0);
                })?;
                Weights::Limbs(each, all)
            }
        };
        Ok(Chunk { entries, weights, bits: self.bits })
    }
}

/// A packed chunk whose segments are all verified, with the offset of every group.
#[derive(Debug)]
pub struct OpenChunk<'a> {
    reader: ChunkReader<'a>,
    group_offsets: Vec<u32>,
}

impl OpenChunk<'_> {
    /// Returns the weight at the index `position`; `None` if the index is out of range.
    #[inline(always)]
    #[must_use]
    pub fn weight<N: TourNumber>(&self, position: usize) -> Option<N> {
        let from = *self.group_offsets.get(position / GROUP_WEIGHTS)? as usize;
        let len = (self.reader.weight_count - position / GROUP_WEIGHTS * GROUP_WEIGHTS).min(GROUP_WEIGHTS);
        Some(Group::new(&self.reader.groups[from..], len).0.weight(position % GROUP_WEIGHTS))
    }
}

/// A packed group of up to 64 weights.
struct Group<'a> {
    bytes: usize,
    /// Bitmap of the nonzero weights; `None` if zeros are stored too.
    nonzero: Option<u64>,
    data: &'a [u8],
}

impl<'a> Group<'a> {
    /// Splits the bytes `from` into the group of `len` weights at their start and the bytes after
    /// this group.
    #[inline(always)]
    fn new(from: &'a [u8], len: usize) -> (Self, &'a [u8]) {
        let bytes = usize::from(from[0] & !SPARSE_GROUP_FLAG);
        let (map, count, data) = if from[0] & SPARSE_GROUP_FLAG == 0 {
            (None, len, &from[1..])
        } else {
            let map = read_u64(from, 1);
            (Some(map), map.count_ones() as usize, &from[9..])
        };
        let (data, rest) = data.split_at(count * bytes);
        (Self { bytes, nonzero: map, data }, rest)
    }

    #[inline(always)]
    fn weight<N: TourNumber>(&self, x: usize) -> N {
        let position = match self.nonzero {
            None => x,
            Some(map) if map >> x & 1 == 0 => return N::default(),
            Some(map) => (map & ((1 << x) - 1)).count_ones() as usize,
        };
        N::from_le_slice(&self.data[position * self.bytes..][..self.bytes])
    }

    /// Writes the stored weights of the group to `numbers`, each at its index in the group. Skips
    /// zeros that are not stored.
    #[inline(always)]
    fn fill<N: TourNumber>(&self, numbers: &mut [N]) {
        let Some(map) = self.nonzero else {
            for (x, number) in
                numbers.iter_mut().enumerate().take(if self.bytes > 0 { GROUP_WEIGHTS } else { 0 })
            {
                *number = N::from_le_prefix(&self.data[x * self.bytes..], self.bytes);
            }
            return;
        };
        let (mut remaining_bits, mut from) = (map, 0);
        while remaining_bits != 0 {
            numbers[remaining_bits.trailing_zeros() as usize] =
                N::from_le_prefix(&self.data[from..], self.bytes);
            from += self.bytes;
            remaining_bits &= remaining_bits - 1;
        }
    }

    #[inline(always)]
    fn for_each_weight(&self, len: usize, each: &mut impl FnMut(&[u8])) {
        let mut position = 0;
        for x in 0..len {
            if self.nonzero.is_none_or(|map| map >> x & 1 == 1) {
                each(&self.data[position..position + self.bytes]);
                position += self.bytes;
            } else {
                each(&[]);
            }
        }
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
            let (bytes, directory) = pack_chunk(&chunk).unwrap();
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
    fn weights_up_to_max_weight_bytes_are_packed() {
        let great: Vec<u32> = (0..64u32).map(|limb| if limb % 32 < 31 { limb.pow(5) } else { 0 }).collect();
        let entries = vec![WordEntry::new(1, 0)];
        let chunk = Chunk { entries, weights: Weights::Limbs(32, great.clone()), bits: 1000 };
        let (bytes, directory) = pack_chunk(&chunk).unwrap();
        let packed = ChunkReader::new(&bytes, directory, xxh3_64(&bytes[..directory])).unwrap();
        assert_eq!(packed.unpack(1).unwrap().weights, chunk.weights);
        assert_eq!(packed.weight::<BigUint>(1).unwrap(), BigUint::from_slice(&great[32..]));
        let too_great = Chunk { weights: Weights::Limbs(32, vec![u32::MAX; 32]), bits: 1024, ..chunk };
        assert!(pack_chunk(&too_great).is_none());
    }

    #[test]
    fn changed_bytes_are_detected() {
        let (mut bytes, directory) = pack_chunk(&chunk(Width::W32)).unwrap();
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
