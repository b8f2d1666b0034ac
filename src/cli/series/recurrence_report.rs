//! The report of the recurrence of a series.
//!
//! The report has the rule, the generating function, the growth, and whether the recurrence is
//! proved. If the exact terms take too long, the recurrence holds modulo a prime: see
//! [`ModularRecurrence`].

use std::fmt::Write as _;

use ktour::recurrence::{
    FittedRecurrence, ModularRecurrence, Polynomial, Recurrence, SequenceOutcome, TermSequence, factors,
    format_sum,
};

use crate::report::{Cell, NamedCells, ordinal};

/// Searches for the recurrence of the terms, of order `max_order` at most. Returns the report of the recurrence, or the
/// report that none was found.
pub fn report_recurrence(sequence: &TermSequence, max_order: usize) -> RecurrenceReport {
    match sequence.find_recurrence(max_order) {
        SequenceOutcome::AllZero { is_proved } => report_all_zero(is_proved, sequence),
        SequenceOutcome::Found { recurrence, is_proved } => report_found(&recurrence, is_proved, sequence),
        SequenceOutcome::NoneUpTo { order, after, stride } => {
            let growth = sequence.growth();
            let mut text = no_recurrence_line(order, after, sequence.term_count() / stride, stride);
            text += &growth.as_ref().map_or_else(String::new, |growth| growth_line(growth, sequence));
            let fields = vec![
                ("found", false.into()),
                ("stride", stride.into()),
                ("none_up_to_order", order.into()),
                ("none_that_holds_after", (after * stride).into()),
                ("growth", growth.into()),
                ("terms", sequence.term_count().into()),
            ];
            RecurrenceReport { text, fields: NamedCells(fields) }
        }
    }
}

/// Returns the line that reports whether the recurrence is proved. It is proved if it holds for at
/// least as many lengths as the transfer matrix has states.
fn certainty_line(is_proved: bool, sequence: &TermSequence) -> String {
    let terms = sequence.term_count();
    match (is_proved, sequence.states) {
        (true, Some(states)) => format!("proved: {}\n", state_bound_text(states)),
        (_, Some(states)) => format!("not proved: fits {terms} terms, and {}\n", state_bound_text(states)),
        (_, None) => format!("not proved: fits {terms} terms\n"),
    }
}

/// Returns the report that all terms are 0.
fn report_all_zero(is_proved: bool, sequence: &TermSequence) -> RecurrenceReport {
    let terms = sequence.terms.len();
    let fields = vec![
        ("found", true.into()),
        ("order", 0u32.into()),
        ("stride", 1u32.into()),
        ("coefficients", Cell::List(Vec::new())),
        ("holds_after", 0u32.into()),
        ("numerator", Cell::List(Vec::new())),
        ("denominator", Cell::List(vec!["1".into()])),
        ("growth", Cell::Empty),
        ("terms", terms.into()),
        ("verified", terms.into()),
        ("beyond", terms.into()),
        ("states", sequence.states.into()),
        ("proved", is_proved.into()),
    ];
    RecurrenceReport {
        text: format!("order 0: all terms are 0\n{}", certainty_line(is_proved, sequence)),
        fields: NamedCells(fields),
    }
}

fn report_found(recurrence: &Recurrence, is_proved: bool, sequence: &TermSequence) -> RecurrenceReport {
    let stride = recurrence.stride;
    let order = recurrence.order();
    let mut text = String::new();
    let stride_text = match stride {
        1 => String::new(),
        _ => format!(", with n = {stride}*m, x for {stride} units of length, and all other terms 0"),
    };
    let _ = writeln!(text, "order {order}{stride_text}");
    let place = |back: usize| match (stride, back) {
        (1, 0) => "a(n)".to_owned(),
        (1, back) => format!("a(n-{back})"),
        (_, 0) => format!("a({stride}*m)"),
        (_, back) => format!("a({stride}*m-{})", stride * back),
    };
    let sum = format_sum(recurrence.coefficients().zip((1..).map(place)));
    let from = sequence.offset + recurrence.start * stride;
    let numerator = recurrence.numerator.shifted(sequence.offset / stride);
    let _ = writeln!(text, "{} = {sum} for n > {from}", place(0));
    let _ = writeln!(text, "numerator {numerator}");
    let _ = writeln!(text, "denominator {}", recurrence.denominator);
    for (name, polynomial) in [("numerator", &numerator), ("denominator", &recurrence.denominator)] {
        let product = format_factors(polynomial);
        if !product.is_empty() {
            let _ = writeln!(text, "{name} factors {product}");
        }
    }
    let growth = recurrence.growth_rate();
    if let Some(growth) = &growth {
        let _ = writeln!(text, "growth {growth} per unit of length");
    }
    let (verified, beyond) = (recurrence.verified_terms, recurrence.confirming_terms());
    let _ = writeln!(
        text,
        "verified exactly on {verified} terms after the first {}, {beyond} more than needed to determine it",
        recurrence.start
    );
    text += &certainty_line(is_proved, sequence);
    let digits =
        |polynomial: &Polynomial| polynomial.coefficients().iter().map(ToString::to_string).collect();
    let fields = vec![
        ("found", true.into()),
        ("order", order.into()),
        ("stride", stride.into()),
        ("coefficients", recurrence.coefficients().map(|c| c.to_string()).collect()),
        ("holds_after", from.into()),
        ("numerator", digits(&numerator)),
        ("denominator", digits(&recurrence.denominator)),
        ("growth", growth.into()),
        ("terms", sequence.term_count().into()),
        ("verified", verified.into()),
        ("beyond", beyond.into()),
        ("states", sequence.states.into()),
        ("proved", is_proved.into()),
    ];
    RecurrenceReport { text, fields: NamedCells(fields) }
}

/// Returns the factors of a polynomial as a product, or an empty string if the polynomial is
/// irreducible.
fn format_factors(polynomial: &Polynomial) -> String {
    let factors = factors(polynomial);
    let parts: usize = factors.iter().map(|(_, times)| times).sum();
    if parts < 2 {
        return String::new();
    }
    // The constant and the power of x are one factor.
    let is_power =
        |factor: &Polynomial| factor.coefficients().iter().filter(|c| **c != 0.into()).count() == 1;
    let (powers, others): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(factor, _)| is_power(factor));
    let product = others.iter().fold(Polynomial::from([1]), |product, (factor, times)| {
        (0..*times).fold(product, |product, _| product.multiply(factor))
    });
    let lead = polynomial.divide_exactly(&product).expect("factors divide");
    debug_assert!(lead.degree() == powers.iter().map(|(_, times)| times).sum::<usize>());
    let power = |(factor, times): &(Polynomial, usize)| {
        if *times > 1 { format!("({factor})^{times}") } else { format!("({factor})") }
    };
    let lead = (lead != Polynomial::from([1]) || others.is_empty()).then(|| lead.to_string());
    lead.into_iter().chain(others.iter().map(power)).collect::<Vec<_>>().join(" * ")
}

/// Returns the report of a recurrence that is known only modulo a prime, after a search up to order `max_order`.
pub fn report_modular_recurrence(
    short: &ModularRecurrence,
    sequence: &TermSequence,
    max_order: usize,
) -> RecurrenceReport {
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
            let (lower, after) = (max_order.min(terms / 3), terms / 3);
            (no_recurrence_line(lower, after, terms, stride), Some(lower), Some(after))
        }
    };
    if let Some(states) = sequence.states {
        let _ = writeln!(text, "{}", state_bound_text(states));
    }
    let growth = sequence.growth();
    text += &growth.as_ref().map_or_else(String::new, |growth| growth_line(growth, sequence));
    let fields = vec![
        ("found", false.into()),
        ("order_modulo_prime", rule.map(|rule| rule.order).into()),
        ("stride", stride.into()),
        ("holds_after", rule.map(|rule| rule.start * stride).into()),
        ("none_up_to_order", lower.into()),
        ("none_that_holds_after", after.map(|after| after * stride).into()),
        ("prime", prime.into()),
        ("proved_modulo_prime", rule.is_some_and(|rule| rule.is_proved).into()),
        ("growth", growth.into()),
        ("terms", lengths.into()),
        ("exact_terms", sequence.term_count().into()),
        ("states", sequence.states.into()),
    ];
    RecurrenceReport { text, fields: NamedCells(fields) }
}

/// Time limit for the computation of exact terms, in seconds.
pub const EXACT_SECONDS: f64 = 300.0;

/// The report of a recurrence, as text and as the fields of its JSON object.
pub struct RecurrenceReport {
    pub text: String,
    pub fields: NamedCells,
}

/// Returns the line that reports `growth`, which was estimated from the terms.
fn growth_line(growth: &str, sequence: &TermSequence) -> String {
    let terms = sequence.term_count();
    format!("growth about {growth} per unit of length, estimated from the last terms of {terms}\n")
}

/// Returns the words that restrict an order to every `stride`-th term. Empty for stride 1.
pub fn every_nth_text(stride: usize) -> String {
    if stride > 1 { format!(" in every {} term (the others are 0)", ordinal(stride)) } else { String::new() }
}

/// Returns the line that reports that no recurrence up to an order was found. A recurrence that
/// begins to hold later than after `after` terms cannot be found.
pub fn no_recurrence_line(order: usize, after: usize, terms: usize, stride: usize) -> String {
    let stride_text = if stride > 1 { format!("{},", every_nth_text(stride)) } else { String::new() };
    format!(
        "no recurrence of order up to {order}{stride_text} that holds after the first {after} terms fits {terms} \
        terms\n"
    )
}

/// Returns the words for the number of states, which is an upper bound of the order.
pub fn state_bound_text(states: usize) -> String {
    if states == 1 {
        "1 state bounds the order".to_owned()
    } else {
        format!("{states} states bound the order")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::BigUint;
    use ktour::control::Control;
    use ktour::recurrence::StripTerms;
    use ktour::series::SeriesRules;
    use ktour::tour::Kind;

    fn sequence(terms: &[u32], states: Option<usize>) -> TermSequence {
        TermSequence::new(terms.iter().map(|&term| BigUint::from(term)).collect(), states)
    }

    /// Returns the report of a search up to a high order.
    fn report_recurrence(sequence: &TermSequence) -> RecurrenceReport {
        super::report_recurrence(sequence, 2000)
    }

    fn to_json(report: &RecurrenceReport) -> serde_json::Value {
        serde_json::to_value(&report.fields).unwrap()
    }

    #[test]
    fn report_states_proof_and_verified_terms() {
        let powers = [1, 2, 4, 8, 16, 32];
        let text = report_recurrence(&sequence(&powers, None)).text;
        assert!(text.contains("5 terms after the first 1, 4 more "), "{text}");
        assert!(text.contains("\nnot proved") && text.ends_with("6 terms\n"), "{text}");
        let text = report_recurrence(&sequence(&powers, Some(9))).text;
        let last = text.lines().next_back().unwrap();
        assert!(["not proved", "6 terms", "9 states"].iter().all(|part| last.contains(part)), "{text}");
        assert!(
            report_recurrence(&sequence(&powers, Some(5)))
                .text
                .ends_with("proved: 5 states bound the order\n")
        );
        let none = report_recurrence(&sequence(&[1, 5, 2, 9, 1, 1, 7, 3, 2], None)).text;
        assert!(
            ["order up to 3 ", "after the first 3 terms", "9 terms\n"].iter().all(|part| none.contains(part)),
            "{none}"
        );
        // A recurrence of a higher order than requested is not reported.
        let low = super::report_recurrence(&sequence(&powers, None), 0);
        assert!(
            ["order up to 0 ", "after the first 2 terms", "6 terms\n"]
                .iter()
                .all(|part| low.text.contains(part)),
            "{}",
            low.text
        );
        assert_eq!(to_json(&low)["growth"], "2.00000000000000");
    }

    #[test]
    fn report_excludes_leading_zeros() {
        let padded =
            TermSequence { leading_zeros: 1, ..sequence(&[0, 3, 0, 6, 0, 12, 0, 24, 0, 48, 0, 96], None) };
        let report = report_recurrence(&padded);
        assert!(
            report.text.contains("\nnot proved") && report.text.ends_with("11 terms\n"),
            "{}",
            report.text
        );
        assert_eq!(to_json(&report)["terms"], 11);
    }

    #[test]
    fn finite_sequence_has_order_0() {
        let fields =
            ["order", "coefficients", "numerator", "denominator", "growth", "verified", "states", "proved"];
        for (terms, text) in [
            ([0; 7], "order 0: all terms are 0\nproved: 1 state bounds the order\n"),
            (
                [0, 5, 0, 0, 0, 0, 0],
                "order 0\na(n) = 0 for n > 2\nnumerator 5*x^2\ndenominator 1\nnumerator factors 5*x^2\n\
                 verified exactly on 5 terms after the first 2, 3 more than needed to determine it\n\
                 proved: 1 state bounds the order\n",
            ),
        ] {
            let report = report_recurrence(&sequence(&terms, Some(1)));
            assert_eq!(report.text, text);
            let json = to_json(&report);
            assert!(fields.iter().all(|name| json.get(name).is_some()), "{json}");
        }
        assert_eq!(to_json(&report_recurrence(&sequence(&[0; 7], None)))["proved"], false);
    }

    #[test]
    fn format_factors_has_one_constant() {
        let x = |coefficients: &[i64]| Polynomial::new(coefficients.iter().map(|&c| c.into()).collect());
        let (a, b) = (x(&[1, 32, 7]), x(&[1, -1]));
        assert_eq!(format_factors(&x(&[0, 0, -3]).multiply(&a)), "-3*x^2 * (1 + 32*x + 7*x^2)");
        assert_eq!(
            format_factors(&x(&[0, 0, -1]).multiply(&x(&[-1, -32, -7])).multiply(&b)),
            "x^2 * (1 - x) * (1 + 32*x + 7*x^2)"
        );
        assert_eq!(format_factors(&b.multiply(&b).multiply(&x(&[2]))), "2 * (1 - x)^2");
        assert_eq!(format_factors(&a), "");
    }

    /// Returns the terms of a strip of knight's tours, and the result of the search modulo a prime.
    fn modular_search(width: u16, max_order: usize) -> (StripTerms, ModularRecurrence) {
        let terms =
            StripTerms::new(&SeriesRules::default(), width, Kind::Closed, 100_000, &Control::new()).unwrap();
        let short = ModularRecurrence::fit(&terms, max_order, &Control::new());
        (terms, short)
    }

    fn report_text(terms: &StripTerms, short: &ModularRecurrence, max_order: usize) -> String {
        let exact: Vec<BigUint> = terms.exact_terms().take(40).collect();
        let sequence = TermSequence::new(exact, Some(terms.order_bound()));
        report_modular_recurrence(short, &sequence, max_order).text
    }

    #[test]
    fn modular_order_excludes_terms_before_start() {
        // A070030: the order of 3 x 2n is 21, and the rule holds after the first 22.
        let (terms, recurrence) = modular_search(3, 21);
        let rule = recurrence.fitted.unwrap();
        assert_eq!((recurrence.stride, rule.order, rule.start, rule.is_proved), (2, 21, 22, true));
        let report = report_text(&terms, &recurrence, 21);
        assert!(report.starts_with("order 21 in every 2nd term") && report.contains(", modulo "), "{report}");
        assert!(report.contains("for all terms after the first 22\n"), "{report}");
        assert!(report.contains("\nproved modulo the prime") && !report.contains("not proved"), "{report}");
        let unproved =
            ModularRecurrence { fitted: Some(FittedRecurrence { is_proved: false, ..rule }), ..recurrence };
        let text = report_text(&terms, &unproved, 21);
        let after = unproved.term_count - 22;
        assert!(
            text.contains("\nnot proved") && text.contains(&format!("after the first {after} terms")),
            "{text}"
        );
    }

    #[test]
    fn no_recurrence_below_its_order() {
        let (terms, recurrence) = modular_search(3, 20);
        assert!(recurrence.fitted.is_none());
        let report = report_text(&terms, &recurrence, 20);
        assert!(
            report.starts_with("no recurrence") && report.contains("order up to 20 in every 2nd term"),
            "{report}"
        );
        // This also holds for a low order and many terms.
        let (terms, recurrence) = modular_search(3, 1);
        assert!(report_text(&terms, &recurrence, 1).contains("order up to 1 in every 2nd term"));
    }

    #[test]
    fn zero_sequence_has_order_0() {
        let (_, recurrence) = modular_search(4, 5);
        assert!(
            recurrence.fitted.is_some_and(|rule| (rule.order, rule.start, rule.is_proved) == (0, 0, true))
        );
    }
}
