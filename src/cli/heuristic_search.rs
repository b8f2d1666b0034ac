//! The heuristic search of `ktour find`: one tour for each number.
//!
//! Names of the heuristic rules of `find`, for parser, help and completions.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ktour::control::Control;
use ktour::heuristic::{FIRST_RANDOM_ATTEMPT, FindMethod, FindOutcome, FindRequest, Rule, find_under};
use ktour::tour::Tour;

use super::error::CliError;

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

/// Each rule: its name, its alias, and its help.
const RULES: [(&str, Option<&str>, &str); 12] = [
    ("auto", None, "Proofs, constructions and a complete search instead of a rule"),
    ("warnsdorff", Some("warnsdorff-random"), "Fewest moves onward, ties at random"),
    ("warnsdorff-first", Some("first"), "Ties by --moves"),
    ("pohl", Some("pohl-2"), "Ties by degrees two levels deep"),
    ("pohl-3", None, "Three levels deep"),
    ("pohl-4", None, "Four levels deep"),
    ("pohl-5", None, "Five levels deep"),
    ("pohl-6", None, "Six levels deep"),
    ("roth", None, "Ties away from the centre"),
    ("squirrel-cull", None, "Ties by fixed orders of moves"),
    ("w2", None, "Fewest pairs of moves onward: to a free square, and from there to another"),
    ("w+", None, "Warnsdorff, ties by pairs of moves onward, then away from the centre"),
];

/// Returns the parser of rule names.
pub fn rule_parser() -> impl TypedValueParser<Value = Rule> {
    let value = |(name, other, help): (&'static str, Option<&'static str>, &'static str)| {
        PossibleValue::new(name).aliases(other).help(help)
    };
    PossibleValuesParser::new(RULES.map(value))
        .map(|name| name.parse().expect("the parser accepts only names of rules"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_table_has_every_rule() {
        for (name, other, _) in RULES {
            let rule: Rule = name.parse().unwrap();
            assert_eq!(rule.to_string(), name);
            assert!(other.is_none_or(|other| other.parse() == Ok(rule)), "{name}");
        }
        for rule in Rule::ALL {
            assert!(RULES.iter().any(|(name, ..)| *name == rule.to_string()), "{rule}");
        }
    }
}
