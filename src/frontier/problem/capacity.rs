//! How many states a frontier can carry.
//!
//! A frontier of `f` vertices can carry `T(f) = 2 T(f-1) + (f-1) T(f-2)` states: a vertex is bare, inner, or the mate of
//! one of the others. Where neighbours always differ in colour, as the squares of a knight do, most of these are never
//! there. Every edge has an end of either colour, so the degrees of the dark vertices have the same sum as those of the
//! light ones, and processed vertices have degree two: on the frontier
//!
//! ```text
//! degrees of the dark ones - degrees of the light ones = 2 (light ones processed - dark ones processed)
//! ```
//!
//! With `d` dark and `l` light vertices and that difference twice `a` there are
//!
//! ```text
//! C(d, l, a) = C(d-1, l, a) + C(d-1, l, a-1) + (d-1) C(d-2, l, a-1) + l C(d-1, l-1, a)
//!              bare           inner            mate of a dark one    mate of a light one
//! ```
//!
//! Differences are far less often great than small: an order that keeps one colour ahead by three squares has a tenth
//! of the states of one that is even. Where there is an apex its edges may go to either colour.

use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::price::states_of;

/// Vertices of a colour up to which they are told by colours; wider frontiers are told as if they had none.
const MOST: usize = 24;

/// Entries for either colour, and for differences.
const SIDE: usize = MOST + 1;
const SPAN: usize = 2 * SIDE + 1;

/// States that frontiers can carry, for one graph.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// Whether each square is light; empty if squares have no two colours.
    light: Vec<bool>,
    coloured: Table,
    /// By the number of squares alone.
    plain: Vec<f64>,
}

/// By dark vertices, light ones and half the difference of their degrees.
#[derive(Clone, Debug, Default)]
struct Table(Vec<f64>);

impl Table {
    /// For vertices none of which is the apex. Cost: some 30,000 entries, a tenth of a millisecond.
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

    /// The same with the apex beside them: bare, inner, or the mate of a square, its edges at either colour.
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

    /// States of so many vertices; differences that are out of reach have none.
    #[inline(always)]
    fn get(&self, dark: usize, light: usize, ahead: isize) -> f64 {
        if ahead.unsigned_abs() > SIDE { 0.0 } else { self.0[Self::at(dark, light, ahead)] }
    }

    /// The same for fewer vertices, if there are so many.
    fn less(&self, dark: usize, no_dark: usize, light: usize, no_light: usize, ahead: isize) -> f64 {
        match (dark.checked_sub(no_dark), light.checked_sub(no_light)) {
            (Some(dark), Some(light)) => self.get(dark, light, ahead),
            _ => 0.0,
        }
    }
}

impl Capacity {
    /// That of the frontiers of these cycles, by the colours of squares if they have two. Cost: O(edges) and a fraction of a
    /// millisecond.
    #[must_use]
    pub fn of(cycles: &Cycles) -> Self {
        Self::new(cycles.squares(), cycles.colours(), cycles.apex().is_some())
    }

    /// That of the frontiers of a graph with so many squares, by their colours if they have two, and of an apex that is
    /// always among them. Cost: a fraction of a millisecond.
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

    /// Whether a vertex is light, as an index.
    #[inline(always)]
    #[must_use]
    pub fn colour(&self, v: usize) -> usize {
        usize::from(self.light.get(v).is_some_and(|&is_light| is_light))
    }

    /// States of a frontier of so many dark and light squares, after so many more light than dark ones.
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

/// States of 0, 1, .. vertices without colours, up to so many.
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
