//! The tours of `ktour find`, by one number after another.

use super::failure::Failure;
use ktour::control::Control;
use ktour::heuristic::{FIRST_CHANCE, FindRequest, Means, Outcome, Rule, find_under};
use ktour::tour::Tour;

/// Vertices of the largest graph that is searched for a tour.
pub const MAX_VERTICES: usize = 1 << 18;

/// The tour of a number, from 0; the first is that of the request as it is. None if the control was cancelled first.
pub fn nth(request: &FindRequest, number: u64, control: &Control) -> Result<Option<(Tour, Means)>, Failure> {
    let skip = if number > 0 { FIRST_CHANCE } else { request.skip };
    let seed = request.seed.wrapping_add(number);
    let (outcome, rule) = (find_under(&FindRequest { seed, skip, ..request.clone() }, control), request.rule);
    let failed = |message| Err(Failure::failed(message));
    match outcome {
        Outcome::Found { tour, by } => Ok(Some((tour, by))),
        Outcome::Stopped => Ok(None),
        Outcome::Impossible(reason) => failed(format!("no tour exists: {reason}")),
        Outcome::GaveUp { attempts: 0 } if request.attempts > 0 => failed(format!(
            "no construction of such a tour is known, and {} squares are too many for a search, which takes \
             {MAX_VERTICES}: take a smaller BOARD",
            request.arena.len()
        )),
        Outcome::GaveUp { attempts } if rule == Rule::Auto => failed(format!(
            "the search gave up after {attempts} attempts, and no reason is known why there could be no tour: try more \
             --attempts or another --seed"
        )),
        Outcome::GaveUp { attempts } => failed(format!(
            "gave up after {attempts} attempts by rule {rule}, there may be a tour: try --rule auto, more \
             --attempts or --backtracks"
        )),
    }
}
