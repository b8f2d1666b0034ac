//! Where `ktour find` looks for tours: on a plain board or on any graph, by one number after another.

use super::failure::Failure;
use ktour::board::Arena;
use ktour::control::Control;
use ktour::heuristic::{FIRST_CHANCE, FindRequest, Means, Outcome, Rule, Want, find_in, find_under};
use ktour::tour::Tour;

/// Vertices of the largest graph that is searched for a tour.
pub const MAX_VERTICES: usize = 1 << 18;

/// How to look for a tour.
pub enum Look {
    /// On a plain board, by all that is known of those.
    Board(FindRequest),
    /// On any graph.
    Graph { arena: Arena, want: Want, seed: u64, attempts: u64 },
}

impl Look {
    /// The tour of a number, from 0; the first is that of the plain request. None if the control was cancelled
    /// first.
    pub fn nth(&self, number: u64, control: &Control) -> Result<Option<(Tour, Means)>, Failure> {
        let (outcome, rule) = match self {
            Self::Board(request) => {
                let skip = if number > 0 { FIRST_CHANCE } else { request.skip };
                let seed = request.seed.wrapping_add(number);
                (find_under(&FindRequest { seed, skip, ..request.clone() }, control), request.rule)
            }
            Self::Graph { arena, want, seed, attempts } => {
                (find_in(arena, *want, seed.wrapping_add(number), *attempts, control), Rule::Auto)
            }
        };
        let failed = |message| Err(Failure::failed(message));
        match outcome {
            Outcome::Found { tour, by } => Ok(Some((tour, by))),
            Outcome::Stopped => Ok(None),
            Outcome::Impossible(reason) => failed(format!("no tour exists: {reason}")),
            Outcome::GaveUp { attempts } if rule == Rule::Auto => failed(format!(
                "gave up after {attempts} attempts, there may be a tour: try more --attempts or another --seed"
            )),
            Outcome::GaveUp { attempts } => failed(format!(
                "gave up after {attempts} attempts by rule {rule}, there may be a tour: try --rule auto, more \
                 --attempts or --backtracks"
            )),
        }
    }
}
