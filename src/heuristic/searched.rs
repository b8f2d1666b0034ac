//! The complete search gives a tour or a reason why none exists.
//!
//! ```text
//! ends, colours, degrees -> one trial -> cut vertices, matchings -> all trials
//! ```
//!
//! One trial finds most tours before any slower test runs. A reason is worth more than an exhausted
//! search, so the tests run before the remaining trials.

use crate::control::Control;
use crate::tour::Tour;

use super::refuted::refuted;
use super::request::{FindRequest, Means, Outcome};
use super::solve::{DECISIONS, Solved, solve_under, trial};
use super::theorem::{Obstacle, obstacle_in_graph};

/// Looks for a tour of a board or graph that has vertices.
pub(super) fn searched(request: &FindRequest, control: &Control) -> Outcome {
    let FindRequest { arena, want, seed, attempts, .. } = request;
    if let Some(obstacle) = obstacle_in_graph(arena, *want) {
        return Outcome::Impossible(obstacle);
    }
    let graph = arena.graph();
    let decisions = attempts.saturating_mul(DECISIONS);
    let mut found = solve_under(graph, *want, *seed, decisions.min(trial(graph)), control);
    if !matches!(found, Solved::Tour(_)) {
        if let Some(obstacle) = refuted(arena, *want) {
            return Outcome::Impossible(obstacle);
        }
        if found == Solved::GaveUp {
            found = solve_under(graph, *want, *seed, decisions, control);
        }
    }
    let made = |vertices| {
        let tour = Tour::new(arena, vertices)?;
        if want.closed { tour.into_closed() } else { Ok(tour) }
    };
    match found {
        Solved::Tour(vertices) => made(vertices).map_or(Outcome::GaveUp { attempts: *attempts }, |tour| {
            Outcome::Found { tour, by: Means::Search }
        }),
        Solved::Impossible => Outcome::Impossible(Obstacle::Searched),
        Solved::GaveUp if control.is_cancelled() => Outcome::Stopped,
        Solved::GaveUp => Outcome::GaveUp { attempts: *attempts },
    }
}
