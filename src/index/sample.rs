//! Uniform samples of tours, drawn by uniform numbers.
//!
//! Open tours are the drawn paths that are not re-entrant. Classes under symmetries are sampled uniformly by
//! accepting each tour with a probability of one divided by the size of its orbit, which makes every class
//! equally probable.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use rand::Rng;

use crate::control::Control;
use crate::tour::{Kind, Tour, TourKind, TourShape, canonical_form, normalise};

use super::error::IndexError;
use super::tour_index::{Index, TourCallback};
use super::tour_set::sequence_kind;

/// Maximum number of tours drawn together.
const MAX_DRAWS_PER_ROUND: usize = 1 << 17;

/// Number of consecutive re-entrant paths after which the board is assumed to have no open tour.
const MAX_FUTILE_DRAWS: usize = 1 << 20;

impl Index {
    /// Returns a uniform tour.
    ///
    /// # Errors
    /// [`IndexError::NoTours`] if there is no tour, or a layer is damaged.
    pub fn sample(&self, rng: &mut impl Rng) -> Result<Tour, IndexError> {
        let mut found = None;
        self.sample_many(1, false, rng, &Control::new(), &mut |kind, vertices| {
            found = Some(Tour::from_search(&self.tour_set().board, vertices.to_vec(), kind));
            ControlFlow::Break(())
        })?;
        Ok(found.expect("one tour was requested"))
    }

    /// Calls `each` with `number` independent uniform tours, or, if `is_distinct` is true, with the canonical
    /// forms of uniform classes. The tours depend on the output of `rng` alone, not on the number of threads.
    ///
    /// # Errors
    /// As for [`Index::sample`], or the control was cancelled.
    pub fn sample_many(
        &self,
        number: u64,
        is_distinct: bool,
        rng: &mut impl Rng,
        control: &Control,
        each: TourCallback,
    ) -> Result<(), IndexError> {
        let numbered = self.tour_set();
        let nothing = || IndexError::NoTours { kind: numbered.kind };
        if *self.total() == BigUint::ZERO {
            return Err(nothing());
        }
        let group = is_distinct.then(|| numbered.symmetries());
        let shape = if numbered.kind == Kind::Closed { TourShape::Closed } else { numbered.shape() };
        let (mut left, mut futile_draws) = (number, 0);
        let max_draws = self.batch_size().min(MAX_DRAWS_PER_ROUND);
        // The progress assumes one tour drawn for each tour or class accepted, which holds for all tours and
        // for classes of full size.
        control.begin_rounds(usize::try_from(number).unwrap_or(usize::MAX).div_ceil(max_draws).min(1 << 20));
        while left > 0 {
            // Draws per accepted class: at most the order of the group.
            let times = group.as_ref().map_or(1, |group| group.order().min(64));
            let needed_draws = usize::try_from(left).unwrap_or(MAX_DRAWS_PER_ROUND).saturating_mul(times);
            // After draws without success, the next round draws as many again.
            let round = needed_draws.max(futile_draws).min(max_draws);
            let numbers: Vec<BigUint> = (0..round).map(|_| uniform_below(self.total(), rng)).collect();
            let chances: Vec<u64> =
                (0..if is_distinct { round } else { 0 }).map(|_| rng.next_u64()).collect();
            let mut drawn = 0;
            let flow = self.for_each_path(&numbers, control, &mut |kind, vertices| {
                drawn += 1;
                futile_draws += 1;
                if numbered.kind == Kind::Open && kind != TourKind::Open {
                    return ControlFlow::Continue(());
                }
                let flow = match &group {
                    None => each(kind, vertices),
                    Some(group) => {
                        let mut own = vertices.to_vec();
                        normalise(&mut own, shape);
                        let mut image = Vec::with_capacity(own.len());
                        let keeps = group.elements().iter().filter(|element| {
                            image.clear();
                            image.extend(own.iter().map(|&v| element.image[v as usize]));
                            normalise(&mut image, shape);
                            image == own
                        });
                        // Acceptance probability: one divided by the size of the orbit.
                        let kept = keeps.count() as u128;
                        let order = group.order() as u128;
                        if (u128::from(chances[drawn - 1]) * order) >> 64 >= kept {
                            return ControlFlow::Continue(());
                        }
                        let form = canonical_form(&own, shape, group);
                        each(sequence_kind(numbered, &form), &form)
                    }
                };
                futile_draws = 0;
                left -= 1;
                if left == 0 || flow.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if flow.is_break() {
                return Ok(());
            }
            if futile_draws > MAX_FUTILE_DRAWS {
                return Err(nothing());
            }
        }
        Ok(())
    }
}

/// Returns a uniform number below `bound`, by rejection: random numbers with the bits of `bound` are drawn
/// until one is smaller.
pub fn uniform_below(bound: &BigUint, rng: &mut impl Rng) -> BigUint {
    let bits = bound.bits();
    let mut bytes = vec![0; bits.div_ceil(8) as usize];
    loop {
        rng.fill_bytes(&mut bytes);
        if let Some(top) = bytes.last_mut().filter(|_| !bits.is_multiple_of(8)) {
            *top &= (1u8 << (bits % 8)) - 1;
        }
        let number = BigUint::from_bytes_le(&bytes);
        if number < *bound {
            return number;
        }
    }
}
