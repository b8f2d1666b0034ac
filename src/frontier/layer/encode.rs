//! The encoder hashes all bytes that it writes.

use std::io::{self, Write};

use xxhash_rust::xxh3::Xxh3Default;

use crate::frontier::block::nonzero::Nonzero;
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::codec::{BUFFER, GROUP, LIMBS, MAGIC, PACKED, SLACK, W16, W32, W64, W128};
use crate::frontier::layer::group;

/// Writes a chunk; returns the number of bytes written and their digest.
///
/// # Errors
/// The writer's error.
pub fn write<W>(chunk: &Chunk, to: &mut W) -> io::Result<(u64, u64)>
where
    W: Write + ?Sized,
{
    let mut out =
        Out { to, buffer: Vec::with_capacity(BUFFER + 2 * SLACK), hash: Xxh3Default::new(), bytes: 0 };
    let present: Vec<(u32, u128)> =
        (0..).zip(&chunk.entries).filter(|(_, e)| e.present() != 0).map(|(n, e)| (n, e.to_bits())).collect();
    out.put(MAGIC);
    out.put(&[match chunk.weights {
        Weights::W16(_) => W16,
        Weights::W32(_) => W32,
        Weights::W64(_) => W64,
        Weights::W128(_) => W128,
        Weights::Limbs(..) => LIMBS,
        Weights::Packed(_) => PACKED,
    }]);
    out.put(&chunk.bits.to_le_bytes());
    out.put(&(present.len() as u32).to_le_bytes());
    out.put(&(chunk.weights.len() as u64).to_le_bytes());
    match &chunk.weights {
        Weights::Limbs(each, _) => out.put(&(*each as u32).to_le_bytes()),
        Weights::Packed(v) => out.put(&(v.iter().filter(|&w| w > 0).count() as u32).to_le_bytes()),
        _ => {}
    }
    for (number, entry) in present {
        out.put(&number.to_le_bytes());
        out.put(&entry.to_le_bytes());
        out.spill_if_full()?;
    }
    match &chunk.weights {
        Weights::W16(v) => v.pieces().try_for_each(|piece| out.groups(piece))?,
        Weights::W32(v) => v.pieces().try_for_each(|piece| out.groups(piece))?,
        Weights::W64(v) => v.pieces().try_for_each(|piece| out.groups(piece))?,
        Weights::W128(v) => v.pieces().try_for_each(|piece| out.groups(piece))?,
        Weights::Limbs(_, v) => out.groups(v)?,
        Weights::Packed(v) => {
            for number in 0..v.groups() {
                group::put_packed(&mut out.buffer, v, number);
                out.spill_if_full()?;
            }
        }
    }
    out.spill()?;
    let digest = out.hash.digest();
    out.to.write_all(&digest.to_le_bytes())?;
    out.to.flush()?;
    Ok((out.bytes + 8, digest))
}

struct Out<'a, W: ?Sized> {
    to: &'a mut W,
    buffer: Vec<u8>,
    hash: Xxh3Default,
    bytes: u64,
}

impl<W: Write + ?Sized> Out<'_, W> {
    fn put(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    fn groups<T: Nonzero>(&mut self, all: &[T]) -> io::Result<()> {
        for some in all.chunks(GROUP) {
            group::put(&mut self.buffer, some);
            self.spill_if_full()?;
        }
        Ok(())
    }

    fn spill_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER { Ok(()) } else { self.spill() }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.hash.update(&self.buffer);
        self.to.write_all(&self.buffer)?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
