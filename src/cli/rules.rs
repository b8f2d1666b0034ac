//! Names of the heuristic rules of `find`, for parser, help and completions.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use ktour::heuristic::Rule;

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
