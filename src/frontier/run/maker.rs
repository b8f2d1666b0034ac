//! Making a target chunk in the narrowest width of weights that holds its sums.
//!
//! ```text
//! sources -> signatures reached -> room for their blocks -> sums -> narrowest width
//!                                    ^ once more, wider, if a sum does not fit
//! ```

use std::sync::Arc;

use crate::frontier::block::sum::blocks;
use crate::frontier::block::width::Width;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::fill::Fill;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::{Sources, Stride};
use crate::frontier::state::tally::Tally;

/// Makes the chunks of a step.
#[derive(Clone, Copy)]
pub struct Maker<'a> {
    /// The step.
    pub stride: &'a Stride<'a>,
    /// Gives room.
    pub keeper: &'a Keeper<'a>,
    /// The width of the weights if they are counted modulo a power of two.
    pub modulo: Option<Width>,
}

impl Maker<'_> {
    /// The target chunk, unless it is empty, and what was counted of it. Its bytes are accounted for.
    ///
    /// # Errors
    /// No room, or a sum that no width holds.
    pub fn make(
        &self,
        at_hand: &Sources,
        sources: &[usize],
        high: usize,
        put_aside: &impl Fn() -> Result<bool, Halt>,
    ) -> Result<(Option<Chunk>, Tally), Halt> {
        let bits_of = |s: &usize| at_hand[*s].as_ref().map_or(0, |chunk: &Arc<Chunk>| chunk.bits);
        let bits = sources.iter().map(bits_of).max().unwrap_or(0);
        // One more bit than now is hope enough for a try.
        let mut width = match self.modulo {
            Some(width) => width,
            None => Width::holding(bits + 1).ok_or(Halt::TooMany)?,
        };
        loop {
            let (mut tally, mut entries) = (Tally::default(), Vec::new());
            let room = self.stride.outline(at_hand, high, &mut entries, &mut tally);
            if room == 0 {
                return Ok((None, tally));
            }
            let accounted = size_of_val(entries.as_slice()) as u64 + room * width.bytes();
            self.keeper.room(accounted, put_aside)?;
            let exact = self.modulo.is_none();
            let most_bits = if exact { width.bits() - 1 } else { width.bits() };
            let mut blocks = blocks(width, room as usize);
            let fill = Fill { stride: self.stride, sources: at_hand, high, most_bits };
            let fits = fill.run(&mut entries, blocks.as_mut(), &mut tally);
            let weights = fits.then(|| blocks.finish());
            let Some(weights) = weights else {
                self.keeper.account().give(accounted);
                width = width.wider().ok_or(Halt::TooMany)?;
                continue;
            };
            let bits = if exact { tally.bits } else { width.bits() };
            let mut chunk = Chunk { entries, weights, bits };
            if tally.signatures == 0 {
                self.keeper.account().give(accounted);
                return Ok((None, tally));
            }
            let narrowest = if exact { Width::holding(bits).unwrap_or(width) } else { width };
            let tight = chunk.weights.len() as u64 * narrowest.bytes();
            if chunk.weights.bytes() > tight + tight / 4 {
                // For a moment both are there.
                self.keeper.room(tight, put_aside).inspect_err(|_| self.keeper.account().give(accounted))?;
                chunk.weights = chunk.weights.converted(narrowest);
                self.keeper.account().give(accounted + tight - chunk.bytes());
            } else {
                self.keeper.account().give(accounted - chunk.bytes());
            }
            return Ok((Some(chunk), tally));
        }
    }
}
