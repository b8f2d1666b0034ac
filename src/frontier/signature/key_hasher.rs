//! A fast hash function for internal keys, without protection against chosen collisions.

use std::hash::Hasher;

/// A fast hasher for short byte strings, without protection against chosen collisions.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = u128::from(self.0 ^ u64::from_le_bytes(word));
            let product = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            self.0 = product as u64 ^ (product >> 64) as u64;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_keys_differ_in_all_bits() {
        let hash = |key: u64| {
            let mut mixer = KeyHasher::default();
            mixer.write_u64(key);
            mixer.finish()
        };
        let keys = (0..1u64 << 12).flat_map(|low| [low, low << 40]);
        let mut lowest = vec![0; 64];
        keys.for_each(|key| lowest[(hash(key) % 64) as usize] += 1);
        assert!(lowest.iter().all(|&count| (64..256).contains(&count)), "{lowest:?}");
    }
}
