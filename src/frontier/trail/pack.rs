//! The format of a stored chunk, in which any weight is found by reading a few bytes.
//!
//! ```text
//! chunk       directory | groups
//! directory   bits, words, segments, weights | words: number, entry | segments: offset, digest
//! segment     16 groups of 64 weights
//! group       tag b          64 x b bytes
//!             tag b + 128    bitmap of 8 bytes, then b bytes for every bit set
//! ```
//!
//! A word is found by binary search, its entry gives the index of its first weight; the segment of that index
//! gives the offset to read from, and the tag of each group gives its length. Zeros take a bit each.

use xxhash_rust::xxh3::xxh3_64;

use crate::frontier::block::nonzero;
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::codec::{GROUP_WEIGHTS, SPARSE_GROUP_FLAG};
use crate::frontier::layer::group;

/// Groups in a segment.
pub const GROUPS_PER_SEGMENT: usize = 16;

/// Largest number of bytes of a weight.
pub const MAX_WEIGHT_BYTES: usize = 127;

/// Bytes of the directory's header, of each word's line, and of each segment's line.
pub const HEADER_BYTES: usize = 20;
pub const WORD_LINE_BYTES: usize = 20;
pub const SEGMENT_LINE_BYTES: usize = 12;

/// Returns a chunk as bytes, and how many of them are its directory; `None` if a weight is too large for the
/// format.
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
        let places = part * GROUP_WEIGHTS * GROUPS_PER_SEGMENT
            ..((part + 1) * GROUP_WEIGHTS * GROUPS_PER_SEGMENT).min(weights);
        match &chunk.weights {
            Weights::W16(v) => {
                v.slice(places).chunks(GROUP_WEIGHTS).for_each(|group| group::encode_group(&mut out, group))
            }
            Weights::W32(v) => {
                v.slice(places).chunks(GROUP_WEIGHTS).for_each(|group| group::encode_group(&mut out, group))
            }
            Weights::W64(v) => {
                v.slice(places).chunks(GROUP_WEIGHTS).for_each(|group| group::encode_group(&mut out, group))
            }
            Weights::W128(v) => {
                v.slice(places).chunks(GROUP_WEIGHTS).for_each(|group| group::encode_group(&mut out, group))
            }
            Weights::Sparse(v) => {
                for group in places.start / GROUP_WEIGHTS..places.end.div_ceil(GROUP_WEIGHTS) {
                    group::encode_sparse_group(&mut out, v, group);
                }
            }
            Weights::Limbs(each, v) => {
                for group in v[places.start * each..places.end * each].chunks(GROUP_WEIGHTS * each) {
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

/// Appends a group of weights of several limbs; returns `None` if one is too large for the format.
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
    let map = nonzero::bitmap_of(group.chunks_exact(each).map(|limbs| limbs.iter().any(|&limb| limb != 0)));
    let is_sparse = write_group_tag(out, bytes, group.len() / each, map);
    for limbs in group.chunks_exact(each).filter(|limbs| !is_sparse || limbs.iter().any(|&limb| limb != 0)) {
        let all = limbs.iter().flat_map(|limb| limb.to_le_bytes());
        out.extend(all.chain(std::iter::repeat(0)).take(bytes));
    }
    Some(())
}

/// Appends a group's tag, and its bitmap if the group is shorter with it. Returns true if the bitmap is
/// written.
fn write_group_tag(out: &mut Vec<u8>, bytes: usize, len: usize, map: u64) -> bool {
    let is_sparse = 8 + map.count_ones() as usize * bytes < len * bytes;
    out.push(bytes as u8 | if is_sparse { SPARSE_GROUP_FLAG } else { 0 });
    if is_sparse {
        out.extend_from_slice(&map.to_le_bytes());
    }
    is_sparse
}
