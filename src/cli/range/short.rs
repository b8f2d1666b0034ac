//! Reports of recurrences modulo a prime are used if the exact terms take too long: see [`Short`].

use std::fmt::Write as _;

use serde_json::json;

use super::source::{EXACT_SECONDS, Source, Told, bound, none, of_every};
use ktour::recurrence::{Rule, Short};

/// Reports a recurrence that is known only modulo a prime.
pub fn told(short: &Short, source: &Source) -> Told {
    let Short { prime, stride, lengths, terms, rule, .. } = *short;
    let (mut text, lower, after) = match rule {
        Some(Rule { order, from, is_proved }) => {
            let beyond = terms.saturating_sub(2 * from);
            let of = of_every(stride);
            let mut text = format!(
                "order {order}{of}, modulo {prime}, for all terms after the first {from}\n\
                     integer coefficients would take more than {EXACT_SECONDS} s\n\
                     fits {terms} terms, {beyond} more than needed to determine it\n"
            );
            text += &if is_proved {
                "proved modulo the prime, so no integer recurrence has a lower order, wherever it begins\n"
                    .to_owned()
            } else {
                format!(
                    "not proved: no recurrence of lower order that holds after the first {} terms fits\n",
                    terms - from
                )
            };
            (text, order.checked_sub(1), (!is_proved).then_some(terms - from))
        }
        None => {
            let (lower, after) = (source.most.min(terms / 3), terms / 3);
            (none(lower, after, terms, stride), Some(lower), Some(after))
        }
    };
    if let Some(states) = source.states {
        let _ = writeln!(text, "{}", bound(states));
    }
    let growth = source.growth();
    text += &growth.as_ref().map_or_else(String::new, |growth| source.by_terms(growth));
    let json = json!({
        "found": false,
        "order_modulo_prime": rule.map(|rule| rule.order),
        "holds_after": rule.map(|rule| rule.from * stride),
        "stride": stride,
        "none_up_to_order": lower,
        "none_that_holds_after": after.map(|after| after * stride),
        "prime": prime,
        "proved_modulo_prime": rule.is_some_and(|rule| rule.is_proved),
        "terms": lengths,
        "states": source.states,
        "growth": growth,
        "exact_terms": source.terms.len() - source.before,
    });
    Told { text, json }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::BigUint;
    use ktour::control::Control;
    use ktour::recurrence::Terms;
    use ktour::series::Play;
    use ktour::tour::Kind;

    /// Returns the terms of a strip of knight's tours, and the result of the search modulo a prime.
    fn short(width: u16, most: usize) -> (Terms, Short) {
        let terms = Terms::new(&Play::default(), width, Kind::Closed, 100_000, &Control::new()).unwrap();
        let short = Short::of(&terms, most, &Control::new());
        (terms, short)
    }

    fn text(terms: &Terms, short: &Short, most: usize) -> String {
        let exact: Vec<BigUint> = terms.exact().take(40).collect();
        let states = Some(terms.states());
        super::told(short, &Source { terms: exact, offset: 0, before: 0, states, most }).text
    }

    #[test]
    fn the_order_is_not_the_terms_before_the_recurrence_begins() {
        // A070030: the order of 3 x 2n is 21, and the rule holds after the first 22.
        let (terms, found) = short(3, 21);
        let rule = found.rule.unwrap();
        assert_eq!((found.stride, rule.order, rule.from, rule.is_proved), (2, 21, 22, true));
        let told = text(&terms, &found, 21);
        assert!(told.starts_with("order 21 in every 2nd term") && told.contains(", modulo "), "{told}");
        assert!(told.contains("for all terms after the first 22\n"), "{told}");
        assert!(told.contains("\nproved modulo the prime") && !told.contains("not proved"), "{told}");
        let unproved = Short { rule: Some(Rule { is_proved: false, ..rule }), ..found };
        let told = text(&terms, &unproved, 21);
        let after = unproved.terms - 22;
        assert!(
            told.contains("\nnot proved") && told.contains(&format!("after the first {after} terms")),
            "{told}"
        );
    }

    #[test]
    fn one_order_less_than_it_has_and_there_is_none() {
        let (terms, found) = short(3, 20);
        assert!(found.rule.is_none());
        let told = text(&terms, &found, 20);
        assert!(
            told.starts_with("no recurrence") && told.contains("order up to 20 in every 2nd term"),
            "{told}"
        );
        // This also holds for a low order and many terms.
        let (terms, found) = short(3, 1);
        assert!(text(&terms, &found, 1).contains("order up to 1 in every 2nd term"));
    }

    #[test]
    fn no_tour_at_all_is_of_order_0() {
        let (_, found) = short(4, 5);
        assert!(found.rule.is_some_and(|rule| (rule.order, rule.from, rule.is_proved) == (0, 0, true)));
    }
}
