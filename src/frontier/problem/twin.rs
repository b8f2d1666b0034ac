//! Where the far end of a sweep is an image of the near one.
//!
//! The far end sweeps the *rest*, what is neither processed nor on the frontier when the ends meet. If some symmetry
//! maps the first steps of the near order to it, their layer is one that the near sweep has on its way, with other
//! names for the vertices:
//!
//! ```text
//! near         # # # o o . . . .      # processed   o on the frontier
//! its image    . . . . o o # # #
//! meet         # # # # o o x x x      x the rest, swept with the first three
//! ```
//!
//! So nothing is left of the far end but the edges inside the front. The board has to be its own image; no order has to
//! be made for it: those that go line by line are as good from either end.
//!
//! A vertex of the front sits in one slot at the near end and in another at the far one. Signatures are gathered into
//! chunks by their highest slots; slots get other names so that as few chunks as can be fit one.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::front::{front_of, mirror_of};
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::Slot;

/// A symmetry that makes the far end an image of the near one.
#[derive(Clone, Debug)]
pub struct Twin {
    /// Images of the vertices.
    image: Vec<usize>,
    /// Steps of the near end that are those of the far one.
    steps: usize,
    /// By vertex of the front, its slot at the far end.
    slots: Vec<Option<Slot>>,
}

impl Twin {
    /// The twin of `near`, which rests after its step `t`, if there is one. Cost O(mirrors x vertices).
    #[must_use]
    pub fn find(cycles: &Cycles, near: &Plan, t: usize) -> Option<Self> {
        let len = cycles.len();
        // A compulsory edge is decided at one of the ends only.
        if (0..len).any(|v| cycles.compulsory(v).is_some()) {
            return None;
        }
        let is_rest = |v: usize| near.place(v) > t && near.slot_after(t, v).is_none();
        let steps = (0..len).filter(|&v| is_rest(v)).count();
        if steps == 0 || steps > t + 1 {
            return None;
        }
        let first = &near.steps()[..steps];
        let mirror = mirror_of(cycles, near, t);
        // What was folded is made whole where the ends are joined, by a mirror that keeps the front.
        if mirror.is_none() && first.iter().any(|step| step.mirror.is_some()) {
            return None;
        }
        let fits = |image: &&Vec<usize>| first.iter().all(|step| is_rest(image[step.vertex]));
        cycles.mirrors().iter().filter(fits).find_map(|image| {
            let slots = seats(cycles, near, t, steps, image, mirror)?;
            Some(Self { image: image.clone(), steps, slots })
        })
    }

    /// Images of the vertices.
    #[must_use]
    pub fn image(&self) -> &[usize] {
        &self.image
    }

    /// Steps of the near end that are those of the far one.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// By vertex of the front, its slot at the far end.
    #[must_use]
    pub fn slots(&self) -> &[Option<Slot>] {
        &self.slots
    }

    /// New names for the slots of `near`, so that the vertices that sit in the `high` last slots when the ends meet
    /// after step `t` do so at both as far as can be.
    #[must_use]
    pub fn names(&self, near: &Plan, t: usize, high: usize) -> Vec<Slot> {
        let slots = near.slots();
        // Mirror images stay on one track.
        let of_unit = if near.steps().iter().any(|step| step.mirror.is_some()) { 2 } else { 1 };
        let units = slots / of_unit;
        // Where the vertices of a unit sit at the far end.
        let mut next: Vec<Option<usize>> = vec![None; units];
        for (v, slot) in near.seats(t) {
            let (here, there) = (usize::from(slot) / of_unit, self.slots[v]);
            let there = there.map(|slot| usize::from(slot) / of_unit).filter(|&there| there < units);
            if here < units && there.is_some() {
                next[here] = there;
            }
        }
        let mut places: Vec<usize> = Vec::new();
        let mut wanted = units.saturating_sub((slots - high.min(slots)).div_ceil(of_unit));
        let mut chains = chains(&next);
        // Whole circles that have room, and a part of one that has not.
        while let Some(at) = chains.iter().rposition(|chain| chain.len() <= wanted && wanted > 0) {
            let chain = chains.remove(at);
            wanted -= chain.len();
            places.extend(chain);
        }
        places.extend(chains.into_iter().flatten());
        // The first of them sits highest.
        let mut names: Vec<Slot> = (0..slots as Slot).collect();
        for (unit, place) in places.into_iter().zip((0..units).rev()) {
            for k in 0..of_unit {
                names[unit * of_unit + k] = (place * of_unit + k) as Slot;
            }
        }
        names
    }

    /// The same with other names for the slots.
    #[must_use]
    pub fn renamed(mut self, names: &[Slot]) -> Self {
        self.slots.iter_mut().flatten().for_each(|slot| *slot = names[usize::from(*slot)]);
        self
    }
}

/// The circles and paths of a map, the shortest first. Where it takes a value twice, all but one path end before it.
fn chains(next: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut is_reached = vec![false; next.len()];
    next.iter().flatten().for_each(|&there| is_reached[there] = true);
    let mut seen = vec![false; next.len()];
    // Paths from where they begin, and then circles from anywhere.
    let mut firsts: Vec<usize> = (0..next.len()).collect();
    firsts.sort_by_key(|&unit| is_reached[unit]);
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for first in firsts {
        let (mut chain, mut at) = (Vec::new(), Some(first));
        while let Some(unit) = at.filter(|&unit| !seen[unit]) {
            seen[unit] = true;
            chain.push(unit);
            at = next[unit];
        }
        if !chain.is_empty() {
            chains.push(chain);
        }
    }
    chains.sort_by_key(Vec::len);
    chains
}

/// Where the vertices of the front sit at the far end: those that its first steps touch where their images do, others
/// that have an edge inside the front where there is room. `None` if there is none, or if mirror images do not share a track.
fn seats(
    cycles: &Cycles,
    near: &Plan,
    t: usize,
    steps: usize,
    image: &[usize],
    mirror: Option<&[usize]>,
) -> Option<Vec<Option<Slot>>> {
    let front = front_of(cycles, near, t);
    let mut slots: Vec<Option<Slot>> = vec![None; cycles.len()];
    let mut is_free = vec![true; near.slots()];
    for &v in &front {
        slots[v] = near.slot_after(steps - 1, image[v]);
        slots[v].into_iter().for_each(|slot| is_free[usize::from(slot)] = false);
    }
    let has_edge = |v: usize| front.iter().any(|w| cycles.near(v).contains(w));
    for &v in &front {
        if slots[v].is_some() || !has_edge(v) {
            continue;
        }
        let twin = mirror.map(|mirror| mirror[v]).filter(|&w| w != v && slots[w].is_none());
        let slot = (0..near.slots()).find(|&slot| {
            is_free[slot] && twin.is_none_or(|_| is_free.get(slot ^ 1).is_some_and(|is_free| *is_free))
        })?;
        for (v, slot) in [(Some(v), slot), (twin, slot ^ 1)] {
            if let Some(v) = v {
                slots[v] = Some(slot as Slot);
                is_free[slot] = false;
            }
        }
    }
    let is_beside = |v: usize, w: usize| match (slots[v], slots[w]) {
        (Some(here), Some(there)) => v == w || here ^ 1 == there,
        (here, there) => here == there,
    };
    let is_seated = |mirror: &[usize]| front.iter().all(|&v| is_beside(v, mirror[v]));
    mirror.is_none_or(is_seated).then_some(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::Field;

    fn near(rows: u16, cols: u16, tours: Tours, fold: bool) -> (Cycles, Plan) {
        let cycles = Cycles::of(&Field::of(&Board::new(rows, cols).unwrap().into()), tours);
        // Line by line, mirror images together.
        let line = |row: usize| (0..usize::from(cols)).map(move |k| (row, k));
        let order = (0..usize::from(rows)).flat_map(line).map(|(row, k)| {
            let cols = usize::from(cols);
            row * cols + if k % 2 == 0 { k / 2 } else { cols - 1 - k / 2 }
        });
        let order: Vec<usize> = order.chain(cycles.apex()).collect();
        let plan = Plan::new(&cycles, &order, fold);
        (cycles, plan)
    }

    /// After which steps of a board of eight rows the far end is an image of the near one.
    fn twins(tours: Tours, fold: bool) -> Vec<(usize, usize)> {
        let (cycles, near) = near(8, 4, tours, fold);
        let steps = 0..cycles.len() - 1;
        steps.filter_map(|t| Some((t + 1, Twin::find(&cycles, &near, t)?.steps))).collect()
    }

    #[test]
    fn the_first_rows_are_an_image_of_the_last() {
        // Three rows, two of the front, three rows; four rows and two.
        for tours in [Tours::Closed, Tours::Paths] {
            let found = twins(tours, true);
            assert!(found.contains(&(12, 12)) && found.contains(&(16, 8)), "{found:?}");
            assert!(found.iter().all(|&(near, far)| far <= near), "{found:?}");
            assert!(twins(tours, false).len() >= found.len());
        }
        assert_eq!(twins(Tours::From(9), true), [], "the edge to the start is decided once");
    }

    #[test]
    fn vertices_of_the_front_have_seats_of_their_own() {
        let (cycles, near) = near(9, 4, Tours::Paths, true);
        let mut found = 0;
        for t in 0..cycles.len() - 1 {
            let Some(twin) = Twin::find(&cycles, &near, t) else { continue };
            let names = twin.names(&near, t, 6);
            let mut sorted = names.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..near.slots() as Slot), "{names:?}");
            let is_track = |k: usize| names[2 * k] ^ 1 == names[2 * k + 1];
            assert!((0..near.slots() / 2).all(is_track), "{names:?}");
            let (near, twin) = (near.renamed(&names), twin.renamed(&names));
            let mut taken: Vec<Slot> = twin.slots().iter().flatten().copied().collect();
            taken.sort_unstable();
            let all = taken.len();
            taken.dedup();
            assert_eq!(taken.len(), all, "two in one slot after {t}");
            assert!(near.seats(t).count() >= all);
            found += 1;
        }
        assert!(found > 4, "{found}");
    }

    #[test]
    fn chains_are_circles_and_paths() {
        let next = [Some(1), Some(0), Some(2), None, Some(3), Some(6), Some(7), Some(5)];
        assert_eq!(chains(&next), [vec![2], vec![4, 3], vec![0, 1], vec![5, 6, 7]]);
        assert_eq!(chains(&[]), Vec::<Vec<usize>>::new());
    }
}
