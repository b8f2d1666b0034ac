//! With a two-colouring of the graph the possible states of a frontier are counted more exactly. If
//! neighbours always differ in colour, as squares do for a knight, most of the `T(f)` states never occur.
//! Every edge has an end of either colour, so the dark and the light vertices have equal sums of degrees, and
//! processed vertices have degree two. Therefore on the frontier
//!
//! ```text
//! degrees of the dark ones - degrees of the light ones = 2 (light ones processed - dark ones processed)
//! ```
//!
//! With `d` dark and `l` light vertices, and twice `a` for that difference, the number of states is
//!
//! ```text
//! C(d, l, a) = C(d-1, l, a) + C(d-1, l, a-1) + (d-1) C(d-2, l, a-1) + l C(d-1, l-1, a)
//!              bare           inner            mate of a dark one    mate of a light one
//! ```
//!
//! Great differences are far rarer than small ones: an order that has processed three more squares of one
//! colour has a tenth of the states of a balanced one. An apex may be joined to vertices of either colour.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::price::frontier_states;

/// Maximum number of frontier vertices of one colour for which states are counted by colour; wider frontiers
/// count as uncoloured.
const MAX_COLOUR_VERTICES: usize = 24;

/// Number of table entries for either colour, and for the difference.
const COLOUR_ENTRIES: usize = MAX_COLOUR_VERTICES + 1;
const DIFFERENCE_ENTRIES: usize = 2 * COLOUR_ENTRIES + 1;

/// The numbers of possible states of the frontiers of one graph.
#[derive(Clone, Debug)]
pub struct FrontierCapacity {
    /// True for light squares; empty if the graph has no two-colouring.
    is_light: Vec<bool>,
    coloured: ColouredTable,
    /// Number of states without colours, by the number of squares.
    uncoloured: Vec<f64>,
}

/// A table of numbers of states by dark vertices, light vertices and half the difference of their degrees.
#[derive(Clone, Debug, Default)]
struct ColouredTable(Vec<f64>);

impl ColouredTable {
    /// Computes the table for frontiers without the apex. Cost: some 30,000 entries, a tenth of a
    /// millisecond.
    fn without_apex() -> Self {
        let mut table = Self(vec![0.0; COLOUR_ENTRIES * COLOUR_ENTRIES * DIFFERENCE_ENTRIES]);
        for dark in 0..=MAX_COLOUR_VERTICES {
            for light in 0..=MAX_COLOUR_VERTICES {
                for lead in -(COLOUR_ENTRIES as isize)..=COLOUR_ENTRIES as isize {
                    let states = match (dark, light) {
                        (0, 0) => f64::from(u8::from(lead == 0)),
                        (0, l) => {
                            let mates = (l as f64 - 1.0) * table.states_without(0, 0, l, 2, lead + 1);
                            table.states(0, l - 1, lead) + table.states(0, l - 1, lead + 1) + mates
                        }
                        (d, l) => {
                            let dark_mates = (d as f64 - 1.0) * table.states_without(d, 2, l, 0, lead - 1);
                            let light_mates = l as f64 * table.states_without(d, 1, l, 1, lead);
                            table.states(d - 1, l, lead)
                                + table.states(d - 1, l, lead - 1)
                                + dark_mates
                                + light_mates
                        }
                    };
                    table.0[Self::index(dark, light, lead)] = states;
                }
            }
        }
        table
    }

    /// Returns the table for frontiers with the apex in addition. The apex is bare, inner, or the mate of a
    /// square; its edges lead to either colour.
    fn with_apex(&self) -> Self {
        let mut table = self.clone();
        for dark in 0..=MAX_COLOUR_VERTICES {
            for light in 0..=MAX_COLOUR_VERTICES {
                for lead in -(COLOUR_ENTRIES as isize)..=COLOUR_ENTRIES as isize {
                    let alone = |ahead| self.states(dark, light, ahead);
                    let with_dark = self.states_without(dark, 1, light, 0, lead)
                        + self.states_without(dark, 1, light, 0, lead - 1);
                    let with_light = self.states_without(dark, 0, light, 1, lead)
                        + self.states_without(dark, 0, light, 1, lead + 1);
                    table.0[Self::index(dark, light, lead)] = 2.0 * alone(lead)
                        + alone(lead - 1)
                        + alone(lead + 1)
                        + dark as f64 * with_dark
                        + light as f64 * with_light;
                }
            }
        }
        table
    }

    const fn index(dark: usize, light: usize, lead: isize) -> usize {
        (dark * COLOUR_ENTRIES + light) * DIFFERENCE_ENTRIES + (lead + COLOUR_ENTRIES as isize) as usize
    }

    /// Returns the number of states of `dark` and `light` vertices; 0 for differences outside the table.
    #[inline(always)]
    fn states(&self, dark: usize, light: usize, lead: isize) -> f64 {
        if lead.unsigned_abs() > COLOUR_ENTRIES { 0.0 } else { self.0[Self::index(dark, light, lead)] }
    }

    /// Returns the number of states with `no_dark` fewer dark and `no_light` fewer light vertices; 0 if there
    /// are not enough.
    fn states_without(&self, dark: usize, no_dark: usize, light: usize, no_light: usize, lead: isize) -> f64 {
        match (dark.checked_sub(no_dark), light.checked_sub(no_light)) {
            (Some(dark), Some(light)) => self.states(dark, light, lead),
            _ => 0.0,
        }
    }
}

impl FrontierCapacity {
    /// Computes the capacities for the frontiers of `cycles`, by colour if the squares have a two-colouring.
    /// Cost: O(edges) and a fraction of a millisecond.
    #[must_use]
    pub fn from_cycles(cycles: &Cycles) -> Self {
        Self::new(cycles.square_count(), cycles.two_colouring(), cycles.apex().is_some())
    }

    /// Computes the capacities for the frontiers of a graph with `squares` squares, by colour if `light` is a
    /// two-colouring. With `has_apex` the apex is on every frontier. Cost: a fraction of a millisecond.
    #[must_use]
    pub fn new(squares: usize, light: Option<Vec<bool>>, has_apex: bool) -> Self {
        let light = light.unwrap_or_default();
        let coloured = match (light.is_empty(), has_apex) {
            (true, _) => ColouredTable::default(),
            (false, false) => ColouredTable::without_apex(),
            (false, true) => ColouredTable::without_apex().with_apex(),
        };
        let apex_count = usize::from(has_apex);
        Self {
            is_light: light,
            coloured,
            uncoloured: uncoloured_states(squares + apex_count).split_off(apex_count),
        }
    }

    /// Returns the colour of a vertex as an index: 1 for light, 0 for dark or uncoloured.
    #[inline(always)]
    #[must_use]
    pub fn colour_index(&self, v: usize) -> usize {
        usize::from(self.is_light.get(v).is_some_and(|&is_light| is_light))
    }

    /// Returns the number of possible states of a frontier of `dark` and `light` squares. `lead` is the
    /// number of light squares processed minus that of dark ones.
    #[inline(always)]
    #[must_use]
    pub fn possible_states(&self, [dark, light]: [usize; 2], lead: isize) -> f64 {
        if self.is_light.is_empty() || dark.max(light) > MAX_COLOUR_VERTICES {
            self.uncoloured[dark + light]
        } else {
            self.coloured.states(dark, light, lead)
        }
    }
}

/// Returns the numbers of states of 0 to `max_vertices` vertices without colours.
fn uncoloured_states(max_vertices: usize) -> Vec<f64> {
    (0..=max_vertices).map(frontier_states).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn chequered(squares: usize, has_apex: bool) -> FrontierCapacity {
        FrontierCapacity::new(squares, Some((0..squares).map(|v| v % 2 == 1).collect()), has_apex)
    }

    #[test]
    fn uncoloured_states_follows_the_recurrence() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!(uncoloured_states(3), [1.0, 2.0, 5.0, 14.0]);
    }

    #[test]
    fn coloured_states_add_up_to_uncoloured_states() {
        let capacity = chequered(30, false);
        for (dark, light) in (0..7).flat_map(|dark| (0..7).map(move |light| (dark, light))) {
            let all: f64 = (-20..=20).map(|ahead| capacity.possible_states([dark, light], ahead)).sum();
            let plain = capacity.uncoloured[dark + light];
            assert!((all - plain).abs() < 1e-6 * plain, "{dark} {light}: {all} {plain}");
        }
    }

    #[test]
    fn possible_states_decreases_with_the_lead() {
        for has_apex in [false, true] {
            let capacity = chequered(36, has_apex);
            let states: Vec<f64> = (0..6).map(|ahead| capacity.possible_states([8, 8], ahead)).collect();
            assert!(states.is_sorted_by(|a, b| a > b), "{states:?}");
            assert!(states[3] < 0.3 * states[0]);
            assert_eq!(capacity.possible_states([8, 8], 30), 0.0);
        }
        assert_eq!(FrontierCapacity::new(3, None, false).possible_states([2, 0], 5), 5.0, "no colours");
        assert_eq!(
            FrontierCapacity::new(3, None, true).possible_states([1, 0], 5),
            5.0,
            "a square and the apex"
        );
    }
}
