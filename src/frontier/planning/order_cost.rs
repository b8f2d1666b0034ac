//! The expected cost of a vertex order: the number of states on its frontiers, summed over all
//! steps.
//!
//! A frontier of `f` vertices has at most `T(f) = 2 T(f-1) + (f-1) T(f-2)` states: a vertex is bare
//! (degree 0), inner (degree 2), or the mate of another frontier vertex. If a mirror folds the
//! layer, half of the states remain. Not all of these states occur: early in a sweep few can be
//! reached, and towards its end few can be completed.
//!
//! With a two-colouring of the graph the possible states of a frontier are counted more exactly. If
//! neighbours always differ in colour, as squares do for a knight, most of the `T(f)` states never
//! occur. Every edge has an end of either colour, so the dark and the light vertices have equal
//! sums of degrees, and processed vertices have degree two. Therefore on the frontier
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
//! Great differences are far rarer than small ones: an order that has processed three more squares
//! of one colour has a tenth of the states of a balanced order. An apex may be joined to vertices
//! of either colour.

use super::problem::{Cycles, symmetric_steps};

/// Returns the cost of an order of the squares (without the apex): the expected number of states, summed over
/// all steps.
#[must_use]
pub fn order_cost(cycles: &Cycles, order: &[usize]) -> f64 {
    let squares = order.len();
    let mut halved = vec![false; squares];
    for mirror in cycles.mirrors() {
        symmetric_steps(mirror, order).for_each(|t| halved[t] = true);
    }
    expected_states(cycles, order, |v| v < squares, |t| halved[t])
}

/// Returns the expected number of states, summed over the steps of `order`, which processes vertices for which
/// `is_included` is true. Other vertices are ignored. `is_folded` returns true for the steps after which a mirror folds the layer.
pub(super) fn expected_states(
    cycles: &Cycles,
    order: &[usize],
    is_included: impl Fn(usize) -> bool,
    is_folded: impl Fn(usize) -> bool,
) -> f64 {
    let mut sum = 0.0;
    for (t, frontier) in frontier_sizes(cycles, order, is_included).enumerate() {
        let share = fold_factor(is_folded(t), t > 0 && is_folded(t - 1));
        sum += frontier_states(frontier) * fill_curve(t + 1, cycles.square_count()) * share;
    }
    sum
}

/// Returns the maximum number of vertices on the frontier, including the apex, for `order` (with
/// the apex).
#[must_use]
pub fn frontier_width(cycles: &Cycles, order: &[usize]) -> usize {
    frontier_sizes(cycles, order, |_| true).max().unwrap_or(0)
}

/// Yields the number of vertices on the frontier after each step of `order`, among the vertices for which
/// `is_included` is true.
fn frontier_sizes(
    cycles: &Cycles,
    order: &[usize],
    is_included: impl Fn(usize) -> bool,
) -> impl Iterator<Item = usize> {
    let mut is_processed = vec![false; cycles.len()];
    let mut touched = vec![false; cycles.len()];
    let mut frontier = 0;
    order.iter().map(move |&v| {
        is_processed[v] = true;
        frontier -= usize::from(touched[v]);
        for &w in cycles.neighbours(v).iter().filter(|&&w| is_included(w) && !is_processed[w]) {
            frontier += usize::from(!std::mem::replace(&mut touched[w], true));
        }
        frontier
    })
}

/// Returns the share of a layer's states that folding leaves: a half after a step that folds, and
/// little more after the next step, because the representatives were chosen to have few successors.
#[must_use]
pub fn fold_factor(is_folded: bool, was_folded_before: bool) -> f64 {
    match (is_folded, was_folded_before) {
        (true, _) => 0.5,
        (false, true) => 0.6,
        (false, false) => 1.0,
    }
}

/// Returns the share of the possible states of a frontier that occur after `t` of `squares` steps.
/// Few states can be reached early in a sweep, and few can be completed towards its end. Measured
/// on 8x8.
#[must_use]
pub fn fill_curve(t: usize, squares: usize) -> f64 {
    const CURVE: [(f64, f64); 8] = [
        (0.0, 0.02),
        (0.15, 0.06),
        (0.25, 0.6),
        (0.45, 1.0),
        (0.55, 0.5),
        (0.65, 0.3),
        (0.8, 0.1),
        (1.01, 0.05),
    ];
    let x = t as f64 / squares.max(1) as f64;
    let part = CURVE.windows(2).find(|part| x < part[1].0).expect("t is at most squares");
    let [(x0, y0), (x1, y1)] = [part[0], part[1]];
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// Returns the number of possible states of a frontier of `f` vertices, whatever their colours.
#[must_use]
pub fn frontier_states(f: usize) -> f64 {
    let (mut previous, mut current) = (0.0, 1.0);
    for k in 1..=f {
        (previous, current) = (current, 2.0 * current + (k as f64 - 1.0) * previous);
    }
    current
}

/// Returns the share of the possible states of a frontier of `vertices` vertices in which `ends` given vertices are
/// ends.
#[must_use]
pub fn share_of_states_with_ends(vertices: usize, ends: usize) -> f64 {
    let others = vertices - ends;
    // Of the other vertices, `more` are ends, and the rest have degree 0 or 2.
    let (mut sum, mut choices) = (0.0, 2f64.powi(others as i32));
    for more in 0..=others {
        if (ends + more).is_multiple_of(2) {
            let pairs = (ends + more) / 2;
            sum += choices * (1..=pairs).map(|k| (2 * k - 1) as f64).product::<f64>();
        }
        choices *= (others - more) as f64 / (2 * (more + 1)) as f64;
    }
    sum / frontier_states(vertices)
}

/// Returns the number of possible states of a frontier of `f` vertices after `steps` steps: a step adds two edges, so at
/// most `steps` vertices are finished or are pairs of mates. In a complete graph all these states occur. Cost
/// O(f x steps).
#[must_use]
pub fn reachable_states(f: usize, steps: usize) -> f64 {
    // Powers beyond `f` do not occur.
    let terms = steps.min(f) + 1;
    // By number of finished vertices and pairs of mates.
    let (mut previous, mut current) = (vec![0.0; terms], vec![0.0; terms]);
    current[0] = 1.0;
    for k in 1..=f {
        let next = (0..terms).map(|j| {
            let fewer = |states: &[f64]| j.checked_sub(1).map_or(0.0, |j| states[j]);
            current[j] + fewer(&current) + (k as f64 - 1.0) * fewer(&previous)
        });
        let next = next.collect();
        previous = std::mem::replace(&mut current, next);
    }
    current.iter().sum()
}

/// Maximum number of frontier vertices of one colour for which states are counted by colour. For
/// wider frontiers, states are counted without colours.
const MAX_COLOUR_VERTICES: usize = 24;

/// Number of entries of a table for the vertices of one colour.
const COLOUR_ENTRIES: usize = MAX_COLOUR_VERTICES + 1;
/// Number of entries of a table for the difference of the degrees.
const DIFFERENCE_ENTRIES: usize = 2 * COLOUR_ENTRIES + 1;

/// The numbers of possible states of the frontiers of one graph, by colour if the graph has a
/// two-colouring.
#[derive(Clone, Debug)]
pub struct FrontierCapacity {
    /// True for each light square; empty if the graph has no two-colouring.
    is_light: Vec<bool>,
    coloured: ColouredTable,
    /// Number of possible states of a frontier without colours, by its number of squares.
    uncoloured: Vec<f64>,
}

/// A table of numbers of states, by the number of dark vertices, the number of light vertices, and
/// half the difference of their degrees.
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

    /// Returns the table for frontiers that contain the apex too. The apex is bare, inner, or the
    /// mate of a square; its edges lead to squares of either colour.
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

    /// Returns the number of states of `dark` dark and `light` light vertices with `lead`, half the
    /// difference of their degrees; 0 for differences outside the table.
    #[inline(always)]
    fn states(&self, dark: usize, light: usize, lead: isize) -> f64 {
        if lead.unsigned_abs() > COLOUR_ENTRIES { 0.0 } else { self.0[Self::index(dark, light, lead)] }
    }

    /// Returns the number of states with `no_dark` fewer dark and `no_light` fewer light vertices;
    /// 0 if there are not enough vertices.
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

    /// Returns the number of possible states of a frontier of `dark` dark and `light` light
    /// squares. `lead` is the number of processed light squares minus the number of processed dark
    /// squares.
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

/// Returns the number of states of a frontier without colours, for each of 0 to `max_vertices`
/// vertices.
fn uncoloured_states(max_vertices: usize) -> Vec<f64> {
    (0..=max_vertices).map(frontier_states).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frontier_states_follows_the_recurrence() {
        // 00 02 20 22 and the pair of mates; 14 for three vertices.
        assert_eq!((0..4).map(frontier_states).collect::<Vec<_>>(), [1.0, 2.0, 5.0, 14.0]);
    }

    #[test]
    fn reachable_states_are_bounded_by_the_steps() {
        assert_eq!(
            (0..4).map(|steps| reachable_states(3, steps)).collect::<Vec<_>>(),
            [1.0, 7.0, 13.0, 14.0]
        );
        for f in 0..20 {
            assert_eq!(reachable_states(f, f), frontier_states(f));
        }
    }

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
