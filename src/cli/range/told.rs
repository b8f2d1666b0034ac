//! The report of a recurrence: the rule, the generating function, the growth, and whether it is proved.

use std::fmt::Write as _;

use serde_json::json;

use super::source::{RecurrenceReport, TermSequence, no_recurrence_line, state_bound_text};
use ktour::recurrence::{Polynomial, Recurrence, SearchOutcome, factors, find_recurrence_after};

/// Finds the recurrence of the terms and reports it, or that none was found.
pub fn report_recurrence(sequence: &TermSequence) -> RecurrenceReport {
    match find_recurrence_after(sequence.offset, &sequence.terms) {
        SearchOutcome::AllZero => report_all_zero(sequence),
        SearchOutcome::Found(recurrence) if recurrence.order() <= sequence.max_order => {
            report_found(&recurrence, sequence)
        }
        SearchOutcome::NoneUpTo(_) | SearchOutcome::Found(_) => {
            let stride = sequence.stride();
            let terms = (sequence.terms.len() - sequence.leading_zeros) / stride;
            let after = sequence.terms.len() / stride / 3;
            let (order, growth) = (sequence.max_order.min(after), sequence.growth());
            let mut text = no_recurrence_line(order, after, terms, stride);
            text += &growth.as_ref().map_or_else(String::new, |growth| sequence.growth_line(growth));
            let json = json!({
                "found": false,
                "stride": stride,
                "none_up_to_order": order,
                "none_that_holds_after": after * stride,
                "terms": sequence.terms.len() - sequence.leading_zeros,
                "growth": growth,
            });
            RecurrenceReport { text, json }
        }
    }
}

/// Returns the line that says whether the recurrence is proved: as many lengths as states are a proof.
fn certainty_line(is_proved: bool, sequence: &TermSequence) -> String {
    let terms = sequence.terms.len() - sequence.leading_zeros;
    match (is_proved, sequence.states) {
        (true, Some(states)) => format!("proved: {}\n", state_bound_text(states)),
        (_, Some(states)) => format!("not proved: fits {terms} terms, and {}\n", state_bound_text(states)),
        (_, None) => format!("not proved: fits {terms} terms\n"),
    }
}

/// Reports that all terms are 0.
fn report_all_zero(sequence: &TermSequence) -> RecurrenceReport {
    let terms = sequence.terms.len();
    let is_proved = sequence.offset == 0 && sequence.states.is_some_and(|states| terms >= states);
    let json = json!({
        "found": true,
        "order": 0,
        "stride": 1,
        "coefficients": [],
        "holds_after": 0,
        "numerator": [],
        "denominator": ["1"],
        "growth": null,
        "terms": terms,
        "verified": terms,
        "beyond": terms,
        "states": sequence.states,
        "proved": is_proved,
    });
    RecurrenceReport {
        text: format!("order 0: all terms are 0\n{}", certainty_line(is_proved, sequence)),
        json,
    }
}

fn report_found(recurrence: &Recurrence, sequence: &TermSequence) -> RecurrenceReport {
    let stride = recurrence.stride;
    let order = recurrence.order();
    let is_proved =
        sequence.offset == 0 && sequence.states.is_some_and(|states| recurrence.verified_lengths() >= states);
    let mut text = String::new();
    let stride_text = match stride {
        1 => String::new(),
        _ => format!(", with n = {stride}m, x for {stride} units of length, and all other terms 0"),
    };
    let _ = writeln!(text, "order {order}{stride_text}");
    let place = |back: usize| match (stride, back) {
        (1, 0) => "a(n)".to_owned(),
        (1, back) => format!("a(n-{back})"),
        (_, 0) => format!("a({stride}m)"),
        (_, back) => format!("a({stride}m-{})", stride * back),
    };
    let mut sum = String::new();
    for (back, c) in (1..).zip(recurrence.coefficients()) {
        let digits = c.to_string();
        let (sign, size) = digits.strip_prefix('-').map_or(("+", digits.as_str()), |size| ("-", size));
        if size != "0" {
            let lead = match (sum.is_empty(), sign) {
                (true, "+") => String::new(),
                (true, _) => "-".to_owned(),
                (false, sign) => format!(" {sign} "),
            };
            let size = if size == "1" { String::new() } else { format!("{size} ") };
            let _ = write!(sum, "{lead}{size}{}", place(back));
        }
    }
    let from = sequence.offset + recurrence.start * stride;
    let numerator = recurrence.numerator.shifted(sequence.offset / stride);
    let _ = writeln!(text, "{} = {} for n > {from}", place(0), if sum.is_empty() { "0" } else { &sum });
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
    let json = json!({
        "found": true,
        "order": order,
        "stride": stride,
        "coefficients": recurrence.coefficients().map(|c| c.to_string()).collect::<Vec<_>>(),
        "holds_after": from,
        "numerator": numerator.coefficients().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "denominator": recurrence.denominator.coefficients().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "growth": growth,
        "terms": sequence.terms.len() - sequence.leading_zeros,
        "verified": verified,
        "beyond": beyond,
        "states": sequence.states,
        "proved": is_proved,
    });
    RecurrenceReport { text, json }
}

/// Returns a polynomial as a product, or an empty string if it is irreducible.
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

#[cfg(test)]
mod tests {
    use super::*;
    use ktour::BigUint;

    fn sequence(terms: &[u32], states: Option<usize>) -> TermSequence {
        let terms = terms.iter().map(|&term| BigUint::from(term)).collect();
        TermSequence { terms, offset: 0, leading_zeros: 0, states, max_order: 2000 }
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
        let low = report_recurrence(&TermSequence { max_order: 0, ..sequence(&powers, None) });
        assert!(
            ["order up to 0 ", "after the first 2 terms", "6 terms\n"]
                .iter()
                .all(|part| low.text.contains(part)),
            "{}",
            low.text
        );
        assert_eq!(low.json["growth"], "2.00000000000000");
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
        assert_eq!(report.json["terms"], 11);
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
            assert!(fields.iter().all(|name| report.json.get(name).is_some()), "{}", report.json);
        }
        assert!(!report_recurrence(&sequence(&[0; 7], None)).json["proved"].as_bool().unwrap());
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
}
