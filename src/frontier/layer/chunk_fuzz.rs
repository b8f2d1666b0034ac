//! Fuzz test of the chunk decoder: chunks with a few changed bytes are rejected, or read unchanged.
//! `KTOUR_FUZZ=N` tries N changed chunks.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use xxhash_rust::xxh3::xxh3_64;

use super::chunk::{Chunk, WordEntry};
use super::chunk_decoder::read_chunk;
use super::chunk_format::{verify_digest, write_chunk};
use crate::frontier::weights::vector::Weights;

/// Number of words of a chunk.
const WORDS_PER_CHUNK: usize = 243;

/// Returns a chunk for every width, and a chunk stored without zeros.
fn sample_chunks() -> [Chunk; 7] {
    let mixed = |x: usize| if x.is_multiple_of(3) { 0 } else { (x as u128 * 0x9e37_79b9) >> (x % 31) };
    let numbers = |len: usize, shift: usize| (0..len).map(move |x| mixed(x) << (x % shift));
    let narrow = Weights::W32(numbers(130, 1).map(|number| number as u32 >> 1).collect());
    let wide = numbers(70, 20).map(|number| number as u64 >> 1).collect();
    let widest = Weights::W128(numbers(65, 90).collect());
    let residues = |bits: u32| numbers(130, 9).map(move |number| number as u32 & ((1 << bits) - 1));
    [
        (8, Weights::W8(residues(8).map(|residue| residue as u8).collect())),
        (16, Weights::W16(residues(16).map(|residue| residue as u16).collect())),
        (31, narrow.to_sparse()),
        (31, narrow),
        (63, Weights::W64(wide)),
        (127, widest),
        (250, Weights::Limbs(8, residues(31).chain([0; 6]).collect())),
    ]
    .map(|(bits, weights)| {
        let mut entries = vec![WordEntry::default(); WORDS_PER_CHUNK];
        entries[7] = WordEntry::new(5, 0);
        entries[200] = WordEntry::new(1 << 80, 17);
        Chunk { entries, weights, bits }
    })
}

#[test]
fn damaged_chunks_are_rejected_or_read_unchanged() {
    let cases = std::env::var("KTOUR_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let written = sample_chunks().map(|chunk| {
        let mut bytes = Vec::new();
        let (_, digest) = write_chunk(&chunk, &mut bytes).unwrap();
        (bytes, digest, chunk)
    });
    let changes = prop::collection::vec((0..4u8, any::<Index>(), any::<u8>()), 1..5);
    let strategy = (0..written.len(), changes, any::<bool>());
    let ran = TestRunner::new(config).run(&strategy, |(which, changes, is_sealed)| {
        let (whole, digest, chunk) = &written[which];
        let mut bytes = whole.clone();
        for (what, at, byte) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => bytes[at] ^= 1 << (byte % 8),
                1 => bytes[at] = byte,
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at + 1),
            }
        }
        if is_sealed && bytes.len() > 8 {
            // Damage with a recomputed digest, as only a forger makes it: reading must not panic.
            let content = bytes.len() - 8;
            let own = xxh3_64(&bytes[..content]);
            bytes[content..].copy_from_slice(&own.to_le_bytes());
            let _ = read_chunk(&mut bytes.as_slice(), WORDS_PER_CHUNK, chunk.bytes(), own);
        }
        let is_whole = verify_digest(&mut bytes.as_slice(), *digest).is_ok();
        match read_chunk(&mut bytes.as_slice(), WORDS_PER_CHUNK, chunk.bytes(), *digest) {
            Ok(read) => {
                prop_assert_eq!(&read.weights, &chunk.weights);
                prop_assert_eq!((&read.entries, read.bits), (&chunk.entries, chunk.bits));
                prop_assert!(is_whole);
            }
            Err(_) => prop_assert!(!is_whole),
        }
        Ok(())
    });
    ran.unwrap_or_else(|failed| panic!("{failed}"));
    println!("fuzz: {cases} chunks of layers");
}
