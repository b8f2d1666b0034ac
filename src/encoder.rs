//! An encoder of values into bytes, from which digests are computed. The bytes contain no name from
//! the source, so renaming an item changes no digest.
//!
//! ```text
//! version, tag, yes or no    1 byte
//! number                     8 bytes, little endian, two's complement
//! list                       the number of its items, then the items
//! option                     0, or 1 and the value
//! ```
//!
//! A tag stands for a variant of an enum. The bytes begin with the version of the encoding. A
//! change of the encoded values, or of their order, needs a higher version: files that hold a
//! digest of an older version are then rejected.

use xxhash_rust::xxh3::xxh3_64;

/// The bytes of the values encoded so far.
pub struct Encoder(Vec<u8>);

impl Encoder {
    /// Creates an encoder. Its bytes begin with the version of the encoding.
    #[must_use]
    pub fn new(version: u8) -> Self {
        Self(vec![version])
    }

    /// Appends the tag of an enum variant.
    pub fn tag(&mut self, tag: u8) {
        self.0.push(tag);
    }

    /// Appends one byte: 1 if `flag` is true, else 0.
    pub fn flag(&mut self, flag: bool) {
        self.0.push(flag.into());
    }

    /// Appends a number that is not negative.
    pub fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    /// Appends a number that may be negative.
    pub fn signed(&mut self, number: i64) {
        self.0.extend(number.to_le_bytes());
    }

    /// Appends the number of items and then the items. Calls `item` to append each item.
    pub fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|one| item(self, one));
    }

    /// Appends a value that may be missing. Calls `value` to append the value if it exists.
    pub fn option<T>(&mut self, option: Option<T>, value: impl FnOnce(&mut Self, T)) {
        self.flag(option.is_some());
        if let Some(one) = option {
            value(self, one);
        }
    }

    /// Returns the bytes of all encoded values.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Returns the XXH3 digest of the bytes of all encoded values.
    #[must_use]
    pub fn digest(&self) -> u64 {
        xxh3_64(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_documented() {
        let mut encoder = Encoder::new(7);
        encoder.tag(3);
        encoder.flag(true);
        encoder.number(0x0102);
        encoder.signed(-2);
        encoder.list(&[5u8, 6], |to, &item| to.tag(item));
        encoder.option(Some(9), Encoder::tag);
        encoder.option(None, Encoder::tag);
        let digest = encoder.digest();
        let bytes = encoder.into_bytes();
        let expected = [
            &[7, 3, 1][..],
            &[2, 1, 0, 0, 0, 0, 0, 0],
            &[254, 255, 255, 255, 255, 255, 255, 255],
            &[2, 0, 0, 0, 0, 0, 0, 0, 5, 6],
            &[1, 9, 0],
        ];
        assert_eq!(bytes, expected.concat());
        assert_eq!((digest, xxh3_64(b"")), (xxh3_64(&bytes), 0x2d06_8005_38d3_94c2));
    }
}
