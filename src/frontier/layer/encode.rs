//! The encoder hashes all bytes that it writes.

use std::io::{self, Write};

use xxhash_rust::xxh3::Xxh3Default;

use crate::frontier::block::nonzero::Nonzero;
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::codec::{
    BUFFER_BYTES, GROUP_WEIGHTS, MAGIC, SLACK_BYTES, TAG_LIMBS, TAG_SPARSE, TAG_W16, TAG_W32, TAG_W64,
    TAG_W128,
};
use crate::frontier::layer::group;

/// Writes a chunk; returns the number of bytes written and their digest.
///
/// # Errors
/// The writer's error.
pub fn write_chunk<W>(chunk: &Chunk, to: &mut W) -> io::Result<(u64, u64)>
where
    W: Write + ?Sized,
{
    let mut out = ChunkEncoder {
        writer: to,
        buffer: Vec::with_capacity(BUFFER_BYTES + 2 * SLACK_BYTES),
        hash: Xxh3Default::new(),
        bytes: 0,
    };
    let present: Vec<(u32, u128)> = (0..)
        .zip(&chunk.entries)
        .filter(|(_, e)| e.present_signatures() != 0)
        .map(|(n, e)| (n, e.to_bits()))
        .collect();
    out.put_bytes(MAGIC);
    out.put_bytes(&[match chunk.weights {
        Weights::W16(_) => TAG_W16,
        Weights::W32(_) => TAG_W32,
        Weights::W64(_) => TAG_W64,
        Weights::W128(_) => TAG_W128,
        Weights::Limbs(..) => TAG_LIMBS,
        Weights::Sparse(_) => TAG_SPARSE,
    }]);
    out.put_bytes(&chunk.bits.to_le_bytes());
    out.put_bytes(&(present.len() as u32).to_le_bytes());
    out.put_bytes(&(chunk.weights.len() as u64).to_le_bytes());
    match &chunk.weights {
        Weights::Limbs(each, _) => out.put_bytes(&(*each as u32).to_le_bytes()),
        Weights::Sparse(v) => out.put_bytes(&(v.iter().filter(|&w| w > 0).count() as u32).to_le_bytes()),
        _ => {}
    }
    for (number, entry) in present {
        out.put_bytes(&number.to_le_bytes());
        out.put_bytes(&entry.to_le_bytes());
        out.flush_if_full()?;
    }
    match &chunk.weights {
        Weights::W16(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W32(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W64(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::W128(v) => v.as_slices().try_for_each(|piece| out.put_groups(piece))?,
        Weights::Limbs(_, v) => out.put_groups(v)?,
        Weights::Sparse(v) => {
            for number in 0..v.group_count() {
                group::encode_sparse_group(&mut out.buffer, v, number);
                out.flush_if_full()?;
            }
        }
    }
    out.flush_buffer()?;
    let digest = out.hash.digest();
    out.writer.write_all(&digest.to_le_bytes())?;
    out.writer.flush()?;
    Ok((out.bytes + 8, digest))
}

struct ChunkEncoder<'a, W: ?Sized> {
    writer: &'a mut W,
    buffer: Vec<u8>,
    hash: Xxh3Default,
    bytes: u64,
}

impl<W: Write + ?Sized> ChunkEncoder<'_, W> {
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    fn put_groups<T: Nonzero>(&mut self, all: &[T]) -> io::Result<()> {
        for some in all.chunks(GROUP_WEIGHTS) {
            group::encode_group(&mut self.buffer, some);
            self.flush_if_full()?;
        }
        Ok(())
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.flush_buffer() }
    }

    fn flush_buffer(&mut self) -> io::Result<()> {
        self.hash.update(&self.buffer);
        self.writer.write_all(&self.buffer)?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
