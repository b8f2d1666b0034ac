//! Reading a chunk from bytes, see [`codec`](crate::frontier::layer::codec).

use std::io::{self, Read};

use xxhash_rust::xxh3::Xxh3Default;

use crate::frontier::block::weight::Weight;
use crate::frontier::block::weights::{Target, with_width};
use crate::frontier::block::width::Width;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::codec::{BUFFER, GROUP, MAGIC, SLACK, SPARSE, damaged};
use crate::frontier::layer::entry::Entry;

/// Reads the chunk of `words` words that was written with this digest.
///
/// # Errors
/// What the reader says; [`io::ErrorKind::InvalidData`] if the bytes are not what was written.
pub fn read<R: Read + ?Sized>(from: &mut R, words: usize, digest: u64) -> io::Result<Chunk> {
    let mut input =
        In { from, buffer: vec![0; BUFFER + 2 * SLACK], at: 0, end: 0, hash: Xxh3Default::new(), hashed: 0 };
    if input.take(4)? != MAGIC {
        return Err(damaged());
    }
    let width = *Width::ALL.get(usize::from(input.take(1)?[0])).ok_or_else(damaged)?;
    let bits = u32::from_le_bytes(input.array()?);
    let present = u32::from_le_bytes(input.array()?) as usize;
    let len = usize::try_from(u64::from_le_bytes(input.array()?)).map_err(|_| damaged())?;
    if present > words || (present == 0 && len > 0) {
        return Err(damaged());
    }
    let mut entries = vec![Entry::default(); if present > 0 { words } else { 0 }];
    for _ in 0..present {
        let number = u32::from_le_bytes(input.array()?) as usize;
        *entries.get_mut(number).ok_or_else(damaged)? = Entry::from_bits(u128::from_le_bytes(input.array()?));
    }
    let weights = with_width!(width, T => {
        let mut weights: Vec<T> = Vec::new();
        weights.try_reserve_exact(len).map_err(|_| damaged())?;
        while weights.len() < len {
            let size = GROUP.min(len - weights.len());
            input.group(size, &mut weights)?;
        }
        T::pack(weights)
    });
    input.finish(digest)?;
    Ok(Chunk { entries, weights, bits })
}

struct In<'a, R: ?Sized> {
    from: &'a mut R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    hash: Xxh3Default,
    hashed: usize,
}

impl<R: Read + ?Sized> In<'_, R> {
    /// Makes sure that `bytes` bytes lie ready, if there are that many; `false` if not.
    fn fill(&mut self, bytes: usize) -> io::Result<bool> {
        if self.end - self.at >= bytes {
            return Ok(true);
        }
        self.hash.update(&self.buffer[self.hashed..self.at]);
        self.buffer.copy_within(self.at..self.end, 0);
        (self.end, self.at, self.hashed) = (self.end - self.at, 0, 0);
        while self.end < self.buffer.len() - SLACK {
            let most = self.buffer.len() - SLACK;
            match self.from.read(&mut self.buffer[self.end..most]) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end - self.at >= bytes)
    }

    fn take(&mut self, bytes: usize) -> io::Result<&[u8]> {
        if !self.fill(bytes)? {
            return Err(damaged());
        }
        self.at += bytes;
        Ok(&self.buffer[self.at - bytes..self.at])
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        Ok(self.take(N)?.try_into().expect("as many as were asked for"))
    }

    fn group<T: Weight>(&mut self, size: usize, weights: &mut Vec<T>) -> io::Result<()> {
        let tag = self.take(1)?[0];
        let bytes = usize::from(tag & !SPARSE);
        if bytes > (T::BITS / 8) as usize {
            return Err(damaged());
        }
        let mut map = u64::MAX >> (GROUP - size);
        if tag & SPARSE != 0 {
            map &= u64::from_le_bytes(self.array()?);
        }
        let total = map.count_ones() as usize * bytes;
        if !self.fill(total)? {
            return Err(damaged());
        }
        let mask = if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        let mut at = self.at;
        for x in 0..size {
            if map >> x & 1 == 0 {
                weights.push(T::default());
                continue;
            }
            let limb = |x: usize| {
                u64::from_le_bytes(self.buffer[at + 8 * x..at + 8 * x + 8].try_into().expect("eight bytes"))
            };
            let mut limbs = [0; 8];
            if bytes <= 8 {
                limbs[0] = limb(0) & mask;
            } else {
                let whole = bytes / 8;
                (0..whole).for_each(|x| limbs[x] = limb(x));
                if bytes % 8 > 0 {
                    limbs[whole] = limb(whole) & ((1 << (8 * (bytes % 8))) - 1);
                }
            }
            weights.push(T::from_limbs(limbs));
            at += bytes;
        }
        self.at += total;
        Ok(())
    }

    fn finish(mut self, expected: u64) -> io::Result<()> {
        self.hash.update(&self.buffer[self.hashed..self.at]);
        self.hashed = self.at;
        let digest = self.hash.digest();
        if digest != expected || u64::from_le_bytes(self.array()?) != digest || self.fill(1)? {
            return Err(damaged());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::layer::codec::check;
    use crate::frontier::layer::encode::write;

    fn chunk<T: Target>(len: usize, number: impl Fn(usize) -> u128) -> Chunk {
        let mut entries = vec![Entry::default(); 243];
        entries[7] = Entry::new(5, 0);
        entries[200] = Entry::new(1 << 80, 17);
        let limbs = |n: u128| {
            let mut limbs = [0; 8];
            (limbs[0], limbs[1]) = (n as u64, (n >> 64) as u64);
            limbs
        };
        let weights: Vec<T> = (0..len).map(|x| T::from_limbs(limbs(number(x)))).collect();
        let bits = weights.iter().map(|w| w.bits()).max().unwrap_or(0);
        Chunk { entries, weights: T::pack(weights), bits }
    }

    fn back(chunk: &Chunk) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (len, digest) = write(chunk, &mut bytes).unwrap();
        assert_eq!(len, bytes.len() as u64);
        let read = read(&mut bytes.as_slice(), 243, digest).unwrap();
        assert_eq!(read.weights, chunk.weights);
        assert_eq!((&read.entries, read.bits), (&chunk.entries, chunk.bits));
        bytes
    }

    #[test]
    fn chunks_come_back_as_they_were() {
        let mixed = |x: usize| if x.is_multiple_of(3) { 0 } else { (x as u128 * 0x9e37_79b9) >> (x % 31) };
        for len in [1, 63, 64, 65, 1000, 100_000] {
            back(&chunk::<u32>(len, |x| mixed(x) & 0x7fff_ffff));
            back(&chunk::<u64>(len, |x| mixed(x) << (x % 20)));
            back(&chunk::<u128>(len, |x| mixed(x) << (x % 90)));
            back(&chunk::<crate::frontier::block::wide::Wide<4>>(len, |x| mixed(x) << (x % 90)));
            back(&chunk::<crate::frontier::block::wide::Wide<8>>(len, mixed));
        }
        let zeros = back(&chunk::<u64>(64_000, |_| 0));
        assert!(zeros.len() < 1100, "{}", zeros.len());
        let small = back(&chunk::<u32>(64_000, |x| u128::from(x % 4 == 0) * 200));
        assert!(small.len() < 26_000, "{}", small.len());
    }

    #[test]
    fn damage_is_noticed() {
        let whole = back(&chunk::<u64>(300, |x| x as u128 * 12_345));
        let digest = u64::from_le_bytes(whole[whole.len() - 8..].try_into().unwrap());
        let is_refused = |mut bytes: &[u8]| {
            check(&mut { bytes }, digest).is_err() && read(&mut bytes, 243, digest).is_err()
        };
        assert!(check(&mut whole.as_slice(), digest).is_ok());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(is_refused(&bytes), "byte {at}");
            assert!(is_refused(&whole[..at]), "cut to {at}");
        }
        assert!(is_refused(&[whole, vec![0]].concat()));
        // Whole, but another.
        assert!(is_refused(&back(&chunk::<u64>(300, |x| x as u128 * 54_321))));
    }
}
