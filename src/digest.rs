//! SHA-256 digests as hexadecimal text.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// Finishes the hash and returns it as 64 hexadecimal digits.
#[must_use]
pub fn to_hex(hash: Sha256) -> String {
    format!("{:x}", hash.finalize())
}

/// Returns the digest of a record whose field for the digest is empty: that of its compact JSON.
///
/// # Panics
/// The record cannot be serialised.
#[must_use]
pub fn digest_record(record: &impl Serialize) -> String {
    to_hex(Sha256::new_with_prefix(serde_json::to_string(record).expect("a record can be serialised")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_hex_agrees_with_sha256sum() {
        let digest = to_hex(Sha256::new_with_prefix("abc"));
        assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest_record(&"abc"), to_hex(Sha256::new_with_prefix("\"abc\"")));
    }
}
