//! A packed chunk is read by single weights or as a whole.

use xxhash_rust::xxh3::xxh3_64;

use crate::frontier::block::slabs::Slabs;
use crate::frontier::block::weights::Weights;
use crate::frontier::block::width::Width;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::codec::{GROUP, SPARSE};
use crate::frontier::layer::entry::Entry;
use crate::frontier::trail::number::Number;
use crate::frontier::trail::pack::{HEAD, PART, PART_HEAD, WORD};

/// A reader of a packed chunk whose directory has been verified.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'a> {
    words: &'a [u8],
    parts: &'a [u8],
    groups: &'a [u8],
    weights: usize,
    bits: u32,
}

/// The error of bytes that differ from those written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl<'a> Packed<'a> {
    /// Opens a packed chunk, the first `directory` bytes of which are its directory.
    ///
    /// # Errors
    /// The directory does not have this digest, or is inconsistent.
    pub fn new(bytes: &'a [u8], directory: usize, digest: u64) -> Result<Self, Damaged> {
        let head = bytes.get(..directory).filter(|head| head.len() >= HEAD && xxh3_64(head) == digest);
        let head = head.ok_or(Damaged)?;
        let (words, parts) = (u32_at(head, 4) as usize, u32_at(head, 8) as usize);
        let first = HEAD + words * WORD;
        if first + parts * PART_HEAD != directory {
            return Err(Damaged);
        }
        Ok(Self {
            words: &head[HEAD..first],
            parts: &head[first..],
            groups: &bytes[directory..],
            weights: u64_at(head, 12) as usize,
            bits: u32_at(head, 0),
        })
    }

    /// Returns the number of weights.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.weights
    }

    fn word(&self, n: usize) -> (u32, Entry) {
        let bytes = &self.words[n * WORD..][..WORD];
        let entry = u128::from_le_bytes(bytes[4..].try_into().expect("sixteen bytes"));
        (u32_at(bytes, 0), Entry::from_bits(entry))
    }

    /// Returns the entries that are not empty, with their word numbers.
    pub fn entries(&self) -> impl Iterator<Item = (usize, Entry)> {
        (0..self.words.len() / WORD).map(|n| self.word(n)).map(|(number, entry)| (number as usize, entry))
    }

    /// Returns the entry of a word.
    #[must_use]
    pub fn entry(&self, low: usize) -> Entry {
        let (mut from, mut to) = (0, self.words.len() / WORD);
        while from < to {
            let middle = usize::midpoint(from, to);
            let (number, entry) = self.word(middle);
            match (number as usize).cmp(&low) {
                std::cmp::Ordering::Equal => return entry,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Entry::default()
    }

    /// Returns the bytes of a segment.
    ///
    /// # Errors
    /// They do not have its digest.
    fn part(&self, n: usize) -> Result<&'a [u8], Damaged> {
        let head = self.parts.get(n * PART_HEAD..(n + 1) * PART_HEAD).ok_or(Damaged)?;
        let next = self.parts.get((n + 1) * PART_HEAD..);
        let to =
            next.filter(|next| !next.is_empty()).map_or(self.groups.len(), |next| u32_at(next, 0) as usize);
        let bytes = self.groups.get(u32_at(head, 0) as usize..to).ok_or(Damaged)?;
        if xxh3_64(bytes) == u64_at(head, 4) { Ok(bytes) } else { Err(Damaged) }
    }

    /// Returns the weight at an index.
    ///
    /// # Errors
    /// Its segment is damaged.
    pub fn weight<N: Number>(&self, place: usize) -> Result<N, Damaged> {
        let mut bytes = self.part(place / (GROUP * PART))?;
        let len = |group: usize| (self.weights - group * GROUP).min(GROUP);
        let group = place / GROUP;
        for before in group / PART * PART..group {
            bytes = Group::new(bytes, len(before)).1;
        }
        Ok(Group::new(bytes, len(group)).0.get(place % GROUP))
    }

    /// Verifies all segments and returns a reader that finds any weight in constant time.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn opened(self) -> Result<Opened<'a>, Damaged> {
        let count = self.weights.div_ceil(GROUP);
        let mut groups = Vec::with_capacity(count);
        for n in 0..self.parts.len() / PART_HEAD {
            let mut bytes = self.part(n)?;
            for group in n * PART..((n + 1) * PART).min(count) {
                groups.push((bytes.as_ptr().addr() - self.groups.as_ptr().addr()) as u32);
                bytes = Group::new(bytes, (self.weights - group * GROUP).min(GROUP)).1;
            }
        }
        Ok(Opened { packed: self, groups })
    }

    /// Calls `each` with the bytes of every weight, in order, least significant first.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn each(&self, mut each: impl FnMut(&[u8])) -> Result<(), Damaged> {
        let groups = self.weights.div_ceil(GROUP);
        for n in 0..self.parts.len() / PART_HEAD {
            let mut bytes = self.part(n)?;
            for group in n * PART..((n + 1) * PART).min(groups) {
                let len = (self.weights - group * GROUP).min(GROUP);
                let (group, rest) = Group::new(bytes, len);
                group.each(len, &mut each);
                bytes = rest;
            }
        }
        Ok(())
    }

    /// Returns all weights as numbers.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn numbers<N: Number>(&self) -> Result<Vec<N>, Damaged> {
        let mut all = vec![N::default(); self.weights];
        let mut groups = all.chunks_mut(GROUP);
        for n in 0..self.parts.len() / PART_HEAD {
            let mut bytes = self.part(n)?;
            for numbers in groups.by_ref().take(PART) {
                let (group, rest) = Group::new(bytes, numbers.len());
                group.fill(numbers);
                bytes = rest;
            }
        }
        Ok(all)
    }

    /// Returns the chunk that was packed; `chunk_len` is its number of words.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn unpacked(&self, chunk_len: usize) -> Result<Chunk, Damaged> {
        let mut entries = vec![Entry::default(); chunk_len];
        self.entries().for_each(|(low, entry)| entries[low] = entry);
        let weights = match Width::holding(self.bits) {
            Width::W16 | Width::W32 => {
                let mut all = Slabs::with_capacity(self.weights, 0);
                self.each(|bytes| all.push(u64::of_bytes(bytes) as u32))?;
                Weights::W32(all)
            }
            Width::W64 => Weights::W64(self.numbers()?.into()),
            Width::W128 => Weights::W128(self.numbers()?.into()),
            Width::Limbs(each) => {
                let each = each as usize;
                let mut all = Vec::with_capacity(self.weights * each);
                self.each(|bytes| {
                    let end = all.len() + each;
                    all.extend(bytes.chunks(4).map(|limb| u64::of_bytes(limb) as u32));
                    all.resize(end, 0);
                })?;
                Weights::Limbs(each, all)
            }
        };
        Ok(Chunk { entries, weights, bits: self.bits })
    }
}

/// A fully verified packed chunk, with the offset of every group.
#[derive(Debug)]
pub struct Opened<'a> {
    packed: Packed<'a>,
    groups: Vec<u32>,
}

impl Opened<'_> {
    /// Returns the weight at an index; `None` if the index is out of range.
    #[inline(always)]
    #[must_use]
    pub fn weight<N: Number>(&self, place: usize) -> Option<N> {
        let from = *self.groups.get(place / GROUP)? as usize;
        let len = (self.packed.weights - place / GROUP * GROUP).min(GROUP);
        Some(Group::new(&self.packed.groups[from..], len).0.get(place % GROUP))
    }
}

/// A group of weights.
struct Group<'a> {
    bytes: usize,
    /// The set of nonzero weights, unless zeros are stored too.
    map: Option<u64>,
    data: &'a [u8],
}

impl<'a> Group<'a> {
    /// Returns the group at the start of the bytes, and the bytes behind it.
    #[inline(always)]
    fn new(from: &'a [u8], len: usize) -> (Self, &'a [u8]) {
        let bytes = usize::from(from[0] & !SPARSE);
        let (map, count, data) = if from[0] & SPARSE == 0 {
            (None, len, &from[1..])
        } else {
            let map = u64_at(from, 1);
            (Some(map), map.count_ones() as usize, &from[9..])
        };
        let (data, rest) = data.split_at(count * bytes);
        (Self { bytes, map, data }, rest)
    }

    #[inline(always)]
    fn get<N: Number>(&self, x: usize) -> N {
        let place = match self.map {
            None => x,
            Some(map) if map >> x & 1 == 0 => return N::default(),
            Some(map) => (map & ((1 << x) - 1)).count_ones() as usize,
        };
        N::of_bytes(&self.data[place * self.bytes..][..self.bytes])
    }

    /// Writes the nonzero weights to their indices.
    #[inline(always)]
    fn fill<N: Number>(&self, numbers: &mut [N]) {
        let Some(map) = self.map else {
            for (x, number) in numbers.iter_mut().enumerate().take(if self.bytes > 0 { GROUP } else { 0 }) {
                *number = N::of_first(&self.data[x * self.bytes..], self.bytes);
            }
            return;
        };
        let (mut rest, mut from) = (map, 0);
        while rest != 0 {
            numbers[rest.trailing_zeros() as usize] = N::of_first(&self.data[from..], self.bytes);
            from += self.bytes;
            rest &= rest - 1;
        }
    }

    #[inline(always)]
    fn each(&self, len: usize, each: &mut impl FnMut(&[u8])) {
        let mut place = 0;
        for x in 0..len {
            if self.map.is_none_or(|map| map >> x & 1 == 1) {
                each(&self.data[place..place + self.bytes]);
                place += self.bytes;
            } else {
                each(&[]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::frontier::trail::pack::pack;

    fn chunk(width: Width) -> Chunk {
        let mut entries = vec![Entry::default(); 40];
        let (mut place, mut narrow) = (0, Vec::new());
        for low in [0, 3, 17, 39] {
            entries[low] = Entry::new(1 | 1 << 4, place);
            place += 1000;
        }
        for x in 0..4000u64 {
            narrow.push(if x % 7 < 5 && x % 300 > 60 { 0 } else { x.pow(3) % (1 << (x % 30 + 1)) });
        }
        let narrow = Weights::W64(narrow.into());
        Chunk { entries, weights: narrow.converted(width), bits: width.bits() - 1 }
    }

    #[test]
    fn what_is_packed_is_found_place_by_place_and_unpacked() {
        for width in [Width::W32, Width::W64, Width::W128, Width::Limbs(8)] {
            let chunk = chunk(width);
            let (bytes, directory) = pack(&chunk).unwrap();
            let packed = Packed::new(&bytes, directory, xxh3_64(&bytes[..directory])).unwrap();
            let again = packed.unpacked(40).unwrap();
            assert_eq!((&again.entries, &again.weights), (&chunk.entries, &chunk.weights));
            let all: Vec<u64> = packed.numbers().unwrap();
            for place in [0, 1, 63, 64, 1023, 1024, 1500, 3999] {
                assert_eq!(packed.weight::<u64>(place).unwrap(), all[place]);
                assert_eq!(packed.weight::<BigUint>(place).unwrap(), all[place].into());
            }
            let opened = packed.opened().unwrap();
            assert!((0..4000).all(|place| opened.weight::<u64>(place) == Some(all[place])));
            assert_eq!(opened.weight::<u64>(4064), None);
            for low in 0..40 {
                assert_eq!(packed.entry(low), chunk.entries[low]);
            }
        }
    }

    #[test]
    fn weights_without_their_zeros_are_packed_the_same() {
        let whole = chunk(Width::W32);
        let sparse =
            Chunk { weights: whole.weights.packed(), entries: whole.entries.clone(), bits: whole.bits };
        assert_eq!(pack(&sparse), pack(&whole));
    }

    #[test]
    fn great_weights_have_room() {
        let great: Vec<u32> = (0..64u32).map(|limb| if limb % 32 < 31 { limb.pow(5) } else { 0 }).collect();
        let entries = vec![Entry::new(1, 0)];
        let chunk = Chunk { entries, weights: Weights::Limbs(32, great.clone()), bits: 1000 };
        let (bytes, directory) = pack(&chunk).unwrap();
        let packed = Packed::new(&bytes, directory, xxh3_64(&bytes[..directory])).unwrap();
        assert_eq!(packed.unpacked(1).unwrap().weights, chunk.weights);
        assert_eq!(packed.weight::<BigUint>(1).unwrap(), BigUint::from_slice(&great[32..]));
        let too_great = Chunk { weights: Weights::Limbs(32, vec![u32::MAX; 32]), bits: 1024, ..chunk };
        assert!(pack(&too_great).is_none());
    }

    #[test]
    fn a_byte_that_differs_is_noticed() {
        let (mut bytes, directory) = pack(&chunk(Width::W32)).unwrap();
        let digest = xxh3_64(&bytes[..directory]);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let packed = Packed::new(&bytes, directory, digest).unwrap();
        assert!(packed.weight::<u64>(3999) == Err(Damaged));
        assert!(
            packed.weight::<u64>(0).is_ok() && packed.numbers::<u64>().is_err() && packed.opened().is_err()
        );
        bytes[5] ^= 1;
        assert!(Packed::new(&bytes, directory, digest).is_err());
        assert!(Packed::new(&bytes[..10], directory, digest).is_err());
    }
}
