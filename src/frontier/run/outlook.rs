//! How large layers will be, told from the order alone.
//!
//! A frontier of `f` vertices can carry `T(f)` weights (see `price`). How many of them there are depends
//! on how far the sweep is from its beginning and its end, in frontiers: few can be reached early on, and few can
//! still be completed towards the end. Between these, a fifth of them is there for closed tours, two fifths for
//! paths. The curves were drawn from dry runs on boards from 6x6 to 9x10, which they meet within a half:
//!
//! ```text
//! weights = T(f) x share that folding leaves x plateau x from the beginning x to the end
//! ```

use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::price::{share, states_of};

/// Share of the weights that a frontier could carry, closed tours and paths, half-way.
const PLATEAU: (f64, f64) = (0.2, 0.4);

/// Part of the plateau that is reached so many frontiers after the beginning.
const BEGINNING: [(f64, f64); 8] =
    [(0.0, 1.0), (0.4, 0.3), (0.6, 0.06), (1.0, 0.3), (1.25, 0.47), (1.5, 0.55), (2.0, 0.95), (2.2, 1.0)];

/// Part of the plateau that is left so many frontiers before the end.
const END: [(f64, f64); 6] = [(0.0, 1.0), (0.6, 0.3), (1.3, 0.2), (1.6, 0.35), (2.0, 0.65), (2.6, 1.0)];

/// Transitions to a weight, on average.
pub const TRANSITIONS: f64 = 2.9;

/// Weights after every step, roughly: within a factor of two for boards. What is not `familiar` may reach its
/// plateau anywhere, as wrapped boards do; it may also stay far below.
#[must_use]
pub fn layers(plan: &Plan, is_closed: bool, familiar: bool) -> Vec<f64> {
    weights(plan, plan.steps().len(), is_closed, familiar, |t, _| (t + 1) as f64)
}

/// The same for the far end of a sweep of `len` steps, which is reached as the near one is, and completed by it.
#[must_use]
pub fn far_layers(far: &Plan, len: usize, is_closed: bool, familiar: bool) -> Vec<f64> {
    let steps = far.steps().len();
    let processed = far.steps().iter().filter(|step| !step.stays).count();
    // Stars take a whole frontier as far as vertices that are processed would.
    weights(far, len, is_closed, familiar, |t, vertices| match (t + 1).checked_sub(processed) {
        None | Some(0) => (t + 1) as f64,
        Some(star) => processed as f64 + star as f64 / (steps - processed) as f64 * vertices,
    })
}

/// Weights after every step of a sweep of `len` steps, given how many are done after one with so many vertices on the
/// frontier.
fn weights(
    plan: &Plan,
    len: usize,
    is_closed: bool,
    familiar: bool,
    done: impl Fn(usize, f64) -> f64,
) -> Vec<f64> {
    let steps = plan.steps();
    let vertices: Vec<f64> = steps.iter().map(|step| f64::from(step.occupied.count_ones())).collect();
    let widest = vertices.iter().copied().fold(1.0, f64::max);
    let folds = |t: usize| steps[t].mirror.is_some();
    let plateau = if is_closed { PLATEAU.0 } else { PLATEAU.1 };
    let layer = |t: usize| {
        let done = done(t, vertices[t]);
        let (since, left) = (done / widest, (len as f64 - done) / widest);
        let curve = if familiar { at(&BEGINNING, since) * at(&END, left) } else { 1.0 };
        states_of(vertices[t] as usize) * share(folds(t), t > 0 && folds(t - 1)) * plateau * curve
    };
    (0..steps.len()).map(layer).collect()
}

/// A curve between its points, and as at the last one beyond.
fn at(curve: &[(f64, f64)], x: f64) -> f64 {
    let part = curve.windows(2).find(|part| x < part[1].0);
    part.map_or(curve[curve.len() - 1].1, |part| {
        let [(x0, y0), (x1, y1)] = [part[0], part[1]];
        y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    })
}
