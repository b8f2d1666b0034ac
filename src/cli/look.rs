//! The heuristic search of `ktour find`: one tour for each number.

use super::failure::CliError;
use ktour::control::Control;
use ktour::heuristic::{FIRST_RANDOM_ATTEMPT, FindMethod, FindOutcome, FindRequest, Rule, find_under};
use ktour::tour::Tour;

/// Maximum number of vertices for a search.
pub const MAX_SEARCH_VERTICES: usize = 1 << 18;

/// Returns tour number `number`, counted from 0, and how it was found. Tour 0 is the one of the request
/// itself; later tours use other seeds, and skip the attempts that do not depend on the seed. `None` if the
/// control was cancelled first.
///
/// # Errors
/// No tour exists, or the search gave up.
pub fn nth_tour(
    request: &FindRequest,
    number: u64,
    control: &Control,
) -> Result<Option<(Tour, FindMethod)>, CliError> {
    let skip = if number > 0 { FIRST_RANDOM_ATTEMPT } else { request.skip_attempts };
    let seed = request.seed.wrapping_add(number);
    let (outcome, rule) =
        (find_under(&FindRequest { seed, skip_attempts: skip, ..request.clone() }, control), request.rule);
    let failed = |message| Err(CliError::failed(message));
    match outcome {
        FindOutcome::Found { tour, method: by } => Ok(Some((tour, by))),
        FindOutcome::Stopped => Ok(None),
        FindOutcome::Impossible(reason) => failed(format!("no tour exists: {reason}")),
        FindOutcome::GaveUp { attempts: 0 } if request.attempts > 0 => failed(format!(
            "no construction of such a tour is known, and {} squares are too many for a search (maximum \
             {MAX_SEARCH_VERTICES}); use a smaller BOARD",
            request.board.len()
        )),
        FindOutcome::GaveUp { attempts } if rule == Rule::Auto => failed(format!(
            "the search gave up after {attempts} attempts, but a tour may exist; try more --attempts or \
            another --seed"
        )),
        FindOutcome::GaveUp { attempts } => failed(format!(
            "gave up after {attempts} attempts by rule {rule}, but a tour may exist; try --rule auto, more \
             --attempts or more --backtracks"
        )),
    }
}
