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

use super::cycle_search::{DECISIONS_PER_ATTEMPT, SearchOutcome, first_trial_decisions, solve_under};
use super::find_request::{FindMethod, FindOutcome, FindRequest};
use super::matching_obstacles::matching_obstacle;
use super::obstacles::{Obstacle, graph_obstacle};

/// Looks for a tour of a board or graph that has vertices.
pub(super) fn find_by_complete_search(request: &FindRequest, control: &Control) -> FindOutcome {
    let FindRequest { board, goal: want, seed, attempts, .. } = request;
    if let Some(obstacle) = graph_obstacle(board, *want) {
        return FindOutcome::Impossible(obstacle);
    }
    let graph = board.graph();
    let decisions = attempts.saturating_mul(DECISIONS_PER_ATTEMPT);
    let mut found = solve_under(graph, *want, *seed, decisions.min(first_trial_decisions(graph)), control);
    if !matches!(found, SearchOutcome::Tour(_)) {
        if let Some(obstacle) = matching_obstacle(board, *want) {
            return FindOutcome::Impossible(obstacle);
        }
        if found == SearchOutcome::GaveUp {
            found = solve_under(graph, *want, *seed, decisions, control);
        }
    }
    let made = |vertices| {
        let tour = Tour::new(board, vertices)?;
        if want.closed { tour.into_closed() } else { Ok(tour) }
    };
    match found {
        SearchOutcome::Tour(vertices) => {
            made(vertices).map_or(FindOutcome::GaveUp { attempts: *attempts }, |tour| FindOutcome::Found {
                tour,
                method: FindMethod::Search,
            })
        }
        SearchOutcome::Impossible => FindOutcome::Impossible(Obstacle::SearchExhausted),
        SearchOutcome::GaveUp if control.is_cancelled() => FindOutcome::Stopped,
        SearchOutcome::GaveUp => FindOutcome::GaveUp { attempts: *attempts },
    }
}
