//! Reports of recurrences modulo a prime are used if the exact terms take too long: see [`Short`].

use std::fmt::Write as _;

use serde_json::json;

use super::source::{
    EXACT_SECONDS, RecurrenceReport, TermSequence, every_nth_text, no_recurrence_line, state_bound_text,
};
use ktour::recurrence::{FittedRecurrence, ModularRecurrence};

/// Reports a recurrence that is known only modulo a prime.
pub fn report_modular_recurrence(short: &ModularRecurrence, sequence: &TermSequence) -> RecurrenceReport {
    let ModularRecurrence { prime, stride, length_count: lengths, term_count: terms, fitted: rule, .. } =
        *short;
    let (mut text, lower, after) = match rule {
        Some(FittedRecurrence { order, start: from, is_proved }) => {
            let beyond = terms.saturating_sub(2 * from);
            let stride_text = every_nth_text(stride);
            let mut text = format!(
                "order {order}{stride_text}, modulo {prime}, for all terms after the first {from}\n\
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
            let (lower, after) = (sequence.max_order.min(terms / 3), terms / 3);
            (no_recurrence_line(lower, after, terms, stride), Some(lower), Some(after))
        }
    };
    if let Some(states) = sequence.states {
        let _ = writeln!(text, "{}", state_bound_text(states));
    }
    let growth = sequence.growth();
    text += &growth.as_ref().map_or_else(String::new, |growth| sequence.growth_line(growth));
    let json = json!({
        "found": false,
        "order_modulo_prime": rule.map(|rule| rule.order),
        "holds_after": rule.map(|rule| rule.start * stride),
        "stride": stride,
        "none_up_to_order": lower,
        "none_that_holds_after": after.map(|after| after * stride),
        "prime": prime,
        "proved_modulo_prime": rule.is_some_and(|rule| rule.is_proved),
        "terms": lengths,
        "states": sequence.states,
        "growth": growth,
        "exact_terms": sequence.terms.len() - sequence.leading_zeros,
    });
    RecurrenceReport { text, json }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::BigUint;
    use ktour::control::Control;
    use ktour::recurrence::StripTerms;
    use ktour::series::SeriesRules;
    use ktour::tour::Kind;

    /// Returns the terms of a strip of knight's tours, and the result of the search modulo a prime.
    fn modular_search(width: u16, max_order: usize) -> (StripTerms, ModularRecurrence) {
        let terms =
            StripTerms::new(&SeriesRules::default(), width, Kind::Closed, 100_000, &Control::new()).unwrap();
        let short = ModularRecurrence::fit(&terms, max_order, &Control::new());
        (terms, short)
    }

    fn report_text(terms: &StripTerms, short: &ModularRecurrence, max_order: usize) -> String {
        let exact: Vec<BigUint> = terms.exact_terms().take(40).collect();
        let states = Some(terms.order_bound());
        super::report_modular_recurrence(
            short,
            &TermSequence { terms: exact, offset: 0, leading_zeros: 0, states, max_order },
        )
        .text
    }

    #[test]
    fn modular_order_excludes_terms_before_start() {
        // A070030: the order of 3 x 2n is 21, and the rule holds after the first 22.
        let (terms, found) = modular_search(3, 21);
        let rule = found.fitted.unwrap();
        assert_eq!((found.stride, rule.order, rule.start, rule.is_proved), (2, 21, 22, true));
        let report = report_text(&terms, &found, 21);
        assert!(report.starts_with("order 21 in every 2nd term") && report.contains(", modulo "), "{report}");
        assert!(report.contains("for all terms after the first 22\n"), "{report}");
        assert!(report.contains("\nproved modulo the prime") && !report.contains("not proved"), "{report}");
        let unproved =
            ModularRecurrence { fitted: Some(FittedRecurrence { is_proved: false, ..rule }), ..found };
        let told = report_text(&terms, &unproved, 21);
        let after = unproved.term_count - 22;
        assert!(
            told.contains("\nnot proved") && told.contains(&format!("after the first {after} terms")),
            "{told}"
        );
    }

    #[test]
    fn no_recurrence_below_its_order() {
        let (terms, found) = modular_search(3, 20);
        assert!(found.fitted.is_none());
        let report = report_text(&terms, &found, 20);
        assert!(
            report.starts_with("no recurrence") && report.contains("order up to 20 in every 2nd term"),
            "{report}"
        );
        // This also holds for a low order and many terms.
        let (terms, found) = modular_search(3, 1);
        assert!(report_text(&terms, &found, 1).contains("order up to 1 in every 2nd term"));
    }

    #[test]
    fn zero_sequence_has_order_0() {
        let (_, found) = modular_search(4, 5);
        assert!(found.fitted.is_some_and(|rule| (rule.order, rule.start, rule.is_proved) == (0, 0, true)));
    }
}
