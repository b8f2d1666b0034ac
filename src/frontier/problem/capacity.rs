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
use crate::frontier::problem::price::states_of;

/// Maximum number of frontier vertices of one colour for which states are counted by colour; wider frontiers
/// count as uncoloured.
const MOST: usize = 24;

/// Number of table entries for either colour, and for the difference.
const SIDE: usize = MOST + 1;
const SPAN: usize = 2 * SIDE + 1;

/// The numbers of possible states of the frontiers of one graph.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// True for light squares; empty if the graph has no two-colouring.
    light: Vec<bool>,
    coloured: Table,
    /// Number of states without colours, by the number of squares.
    plain: Vec<f64>,
}

/// A table of numbers of states by dark vertices, light vertices and half the difference of their degrees.
#[derive(Clone, Debug, Default)]
struct Table(Vec<f64>);

impl Table {
    /// Computes the table for frontiers without the apex. Cost: some 30,000 entries, a tenth of a
    /// millisecond.
    fn of_squares() -> Self {
        let mut table = Self(vec![0.0; SIDE * SIDE * SPAN]);
        for dark in 0..=MOST {
            for light in 0..=MOST {
                for ahead in -(SIDE as isize)..=SIDE as isize {
                    let states = match (dark, light) {
                        (0, 0) => f64::from(u8::from(ahead == 0)),
                        (0, l) => {
                            let mates = (l as f64 - 1.0) * table.less(0, 0, l, 2, ahead + 1);
                            table.get(0, l - 1, ahead) + table.get(0, l - 1, ahead + 1) + mates
                        }
                        (d, l) => {
                            let dark_mates = (d as f64 - 1.0) * table.less(d, 2, l, 0, ahead - 1);
                            let light_mates = l as f64 * table.less(d, 1, l, 1, ahead);
                            table.get(d - 1, l, ahead)
                                + table.get(d - 1, l, ahead - 1)
                                + dark_mates
                                + light_mates
                        }
                    };
                    table.0[Self::at(dark, light, ahead)] = states;
                }
            }
        }
        table
    }

    /// Returns the table for frontiers with the apex in addition. The apex is bare, inner, or the mate of a
    /// square; its edges lead to either colour.
    fn with_apex(&self) -> Self {
        let mut table = self.clone();
        for dark in 0..=MOST {
            for light in 0..=MOST {
                for ahead in -(SIDE as isize)..=SIDE as isize {
                    let alone = |ahead| self.get(dark, light, ahead);
                    let with_dark =
                        self.less(dark, 1, light, 0, ahead) + self.less(dark, 1, light, 0, ahead - 1);
                    let with_light =
                        self.less(dark, 0, light, 1, ahead) + self.less(dark, 0, light, 1, ahead + 1);
                    table.0[Self::at(dark, light, ahead)] = 2.0 * alone(ahead)
                        + alone(ahead - 1)
                        + alone(ahead + 1)
                        + dark as f64 * with_dark
                        + light as f64 * with_light;
                }
            }
        }
        table
    }

    const fn at(dark: usize, light: usize, ahead: isize) -> usize {
        (dark * SIDE + light) * SPAN + (ahead + SIDE as isize) as usize
    }

    /// Returns the number of states of `dark` and `light` vertices; 0 for differences outside the table.
    #[inline(always)]
    fn get(&self, dark: usize, light: usize, ahead: isize) -> f64 {
        if ahead.unsigned_abs() > SIDE { 0.0 } else { self.0[Self::at(dark, light, ahead)] }
    }

    /// Returns the number of states with `no_dark` fewer dark and `no_light` fewer light vertices; 0 if there
    /// are not enough.
    fn less(&self, dark: usize, no_dark: usize, light: usize, no_light: usize, ahead: isize) -> f64 {
        match (dark.checked_sub(no_dark), light.checked_sub(no_light)) {
            (Some(dark), Some(light)) => self.get(dark, light, ahead),
            _ => 0.0,
        }
    }
}

impl Capacity {
    /// Computes the capacities for the frontiers of `cycles`, by colour if the squares have a two-colouring.
    /// Cost: O(edges) and a fraction of a millisecond.
    #[must_use]
    pub fn of(cycles: &Cycles) -> Self {
        Self::new(cycles.squares(), cycles.colours(), cycles.apex().is_some())
    }

    /// Computes the capacities for the frontiers of a graph with `squares` squares, by colour if `light` is a
    /// two-colouring. With `has_apex` the apex is on every frontier. Cost: a fraction of a millisecond.
    #[must_use]
    pub fn new(squares: usize, light: Option<Vec<bool>>, has_apex: bool) -> Self {
        let light = light.unwrap_or_default();
        let coloured = match (light.is_empty(), has_apex) {
            (true, _) => Table::default(),
            (false, false) => Table::of_squares(),
            (false, true) => Table::of_squares().with_apex(),
        };
        let beside = usize::from(has_apex);
        Self { light, coloured, plain: plain(squares + beside).split_off(beside) }
    }

    /// Returns the colour of a vertex as an index: 1 for light, 0 for dark or uncoloured.
    #[inline(always)]
    #[must_use]
    pub fn colour(&self, v: usize) -> usize {
        usize::from(self.light.get(v).is_some_and(|&is_light| is_light))
    }

    /// Returns the number of possible states of a frontier of `dark` and `light` squares. `lead` is the
    /// number of light squares processed minus that of dark ones.
    #[inline(always)]
    #[must_use]
    pub fn states(&self, [dark, light]: [usize; 2], ahead: isize) -> f64 {
        if self.light.is_empty() || dark.max(light) > MOST {
            self.plain[dark + light]
        } else {
            self.coloured.get(dark, light, ahead)
        }
    }
}

/// Returns the numbers of states of 0 to `max_vertices` vertices without colours.
fn plain(most: usize) -> Vec<f64> {
    (0..=most).map(states_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn chequered(squares: usize, has_apex: bool) -> Capacity {
        Capacity::new(squares, Some((0..squares).map(|v| v % 2 == 1).collect()), has_apex)
    }

    #[test]
    fn a_frontier_of_two_vertices_has_five_states() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!(plain(3), [1.0, 2.0, 5.0, 14.0]);
    }

    #[test]
    fn those_of_all_differences_are_all_there_are() {
        let capacity = chequered(30, false);
        for (dark, light) in (0..7).flat_map(|dark| (0..7).map(move |light| (dark, light))) {
            let all: f64 = (-20..=20).map(|ahead| capacity.states([dark, light], ahead)).sum();
            let plain = capacity.plain[dark + light];
            assert!((all - plain).abs() < 1e-6 * plain, "{dark} {light}: {all} {plain}");
        }
    }

    #[test]
    fn colours_ahead_leave_few_states_and_none_in_the_end() {
        for has_apex in [false, true] {
            let capacity = chequered(36, has_apex);
            let states: Vec<f64> = (0..6).map(|ahead| capacity.states([8, 8], ahead)).collect();
            assert!(states.is_sorted_by(|a, b| a > b), "{states:?}");
            assert!(states[3] < 0.3 * states[0]);
            assert_eq!(capacity.states([8, 8], 30), 0.0);
        }
        assert_eq!(Capacity::new(3, None, false).states([2, 0], 5), 5.0, "no colours");
        assert_eq!(Capacity::new(3, None, true).states([1, 0], 5), 5.0, "a square and the apex");
    }
}
