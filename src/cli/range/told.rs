//! What is told of a recurrence: the rule, the generating function, the growth, and how sure all that is.

use std::fmt::Write as _;

use num_integer::Integer;
use serde_json::{Value, json};

use crate::report::ordinal;
use ktour::BigUint;
use ktour::recurrence::{Finding, Polynomial, Recurrence, factors, find_after, growth_by_terms};

/// Seconds that exact terms may take.
pub const EXACT_SECONDS: f64 = 300.0;

/// What was found, as text and for JSON.
pub struct Told {
    pub text: String,
    pub json: Value,
}

/// What the numbers are made of.
pub struct Source {
    /// By length, from 1 on, or from the one after `offset`.
    pub terms: Vec<BigUint>,
    pub offset: usize,
    pub states: Option<usize>,
    /// What is known modulo a prime alone.
    pub short: Option<Short>,
}

/// What terms modulo a prime tell.
pub struct Short {
    /// The order of the recurrence of the terms that are not 0, or that up to which there is none.
    pub order: usize,
    pub terms: usize,
    pub prime: u64,
    pub is_found: bool,
    pub stride: usize,
    /// Whether terms modulo the prime are as many as states and order together: for good, as far as the prime goes.
    pub is_proved: bool,
}

/// Every so-manieth term alone is not 0.
pub fn stride(is_zero: impl Iterator<Item = bool>) -> usize {
    let places = (1..).zip(is_zero).filter(|(_, is_zero)| !is_zero).map(|(place, _)| place);
    places.fold(0usize, |stride, place| stride.gcd(&place)).max(1)
}

/// What there is to say of the numbers: the integers of their recurrence, if they are worked out.
pub fn told(source: &Source) -> Told {
    if let Some(short) = &source.short {
        return told_short(short, source);
    }
    let terms = source.terms.len();
    // As many terms as states tell all.
    let is_zero = source.offset == 0 && source.states.is_some_and(|states| terms >= states);
    match find_after(source.offset, &source.terms) {
        Finding::Nothing => Told {
            text: if is_zero {
                format!("all terms are 0: proved, as {terms} are, and there are no more states than that\n")
            } else {
                format!("not proved: all {terms} terms are 0\n")
            },
            json: json!({ "found": true, "order": 0, "terms": terms, "proved": is_zero }),
        },
        Finding::NoneUpTo(order) => Told {
            text: none(order, terms),
            json: json!({ "found": false, "none_up_to_order": order, "terms": terms }),
        },
        Finding::Found(recurrence) => found(&recurrence, source),
    }
}

/// That there is none, and of which kind: one that begins later would not be seen.
fn none(order: usize, terms: usize) -> String {
    format!("none of order up to {order} that holds after the first {order} terms fits {terms} terms\n")
}

/// What there is to say without integers.
fn told_short(short: &Short, source: &Source) -> Told {
    let Short { order, terms, prime, is_found, stride, is_proved } = *short;
    let mut text = if is_found {
        let of = match stride {
            1 => String::new(),
            _ => format!(" in every {} term, the others are 0", ordinal(stride)),
        };
        let beyond = (terms / stride).saturating_sub(2 * order);
        let sure = if is_proved { "proved" } else { "not proved" };
        format!(
            "order {order}{of}, modulo {prime}, {sure}: it fits {terms} terms, {beyond} more than it takes to find it, and \
             none of a lower order does; its integers take more than {EXACT_SECONDS} s\n"
        )
    } else {
        none(order, terms)
    };
    if let Some(states) = source.states {
        let _ = writeln!(text, "{states} states bound the order");
    }
    let step = self::stride(source.terms.iter().map(|term| *term == BigUint::ZERO));
    let own: Vec<&BigUint> = source.terms.iter().skip(step - 1).step_by(step).collect();
    let growth = growth_by_terms(&own, step as u32);
    if let Some(growth) = &growth {
        let _ = writeln!(
            text,
            "growth about {growth} a square of length, by the last of {} terms",
            source.terms.len()
        );
    }
    let json = json!({
        "found": false,
        "order_modulo_prime": is_found.then_some(order),
        "stride": stride,
        "none_up_to_order": if is_found { order - 1 } else { order },
        "prime": prime,
        "proved_modulo_prime": is_proved,
        "terms": terms,
        "states": source.states,
        "growth": growth,
        "exact_terms": source.terms.len(),
    });
    Told { text, json }
}

fn found(recurrence: &Recurrence, source: &Source) -> Told {
    let stride = recurrence.stride;
    let order = recurrence.order();
    let is_proved = source.offset == 0 && source.states.is_some_and(|states| recurrence.window() >= states);
    let mut text = String::new();
    let of = match stride {
        1 => String::new(),
        _ => format!(", with n = {stride}m and x for {stride} squares; all other terms are 0"),
    };
    let _ = writeln!(text, "order {order}{of}");
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
    let from = source.offset + recurrence.from * stride;
    let numerator = recurrence.numerator.shifted(source.offset / stride);
    let _ = writeln!(text, "{} = {} for n > {from}", place(0), if sum.is_empty() { "0" } else { &sum });
    let _ = writeln!(text, "numerator {numerator}");
    let _ = writeln!(text, "denominator {}", recurrence.denominator);
    for (name, polynomial) in [("numerator", &numerator), ("denominator", &recurrence.denominator)] {
        let product = factored(polynomial);
        if !product.is_empty() {
            let _ = writeln!(text, "{name} factors {product}");
        }
    }
    let growth = recurrence.growth();
    if let Some(growth) = &growth {
        let _ = writeln!(text, "growth {growth} a square of length");
    }
    let (verified, beyond) = (recurrence.verified, recurrence.beyond());
    let _ = writeln!(
        text,
        "verified exactly on {verified} terms after the first {}, {beyond} more than it takes to find it",
        recurrence.from
    );
    let terms = source.terms.len();
    let _ = match (is_proved, source.states) {
        (true, Some(states)) => writeln!(text, "proved: {states} states bound the order"),
        (_, Some(states)) => {
            writeln!(text, "not proved: it fits {terms} terms, and {states} states bound the order")
        }
        (_, None) => writeln!(text, "not proved: it fits {terms} terms"),
    };
    let json = json!({
        "found": true,
        "order": order,
        "stride": stride,
        "coefficients": recurrence.coefficients().map(|c| c.to_string()).collect::<Vec<_>>(),
        "holds_after": from,
        "numerator": numerator.coefficients().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "denominator": recurrence.denominator.coefficients().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "growth": growth,
        "terms": source.terms.len(),
        "verified": verified,
        "beyond": beyond,
        "states": source.states,
        "proved": is_proved,
    });
    Told { text, json }
}

/// A polynomial as a product, if it is one of several factors.
fn factored(polynomial: &Polynomial) -> String {
    let factors = factors(polynomial);
    let parts: usize = factors.iter().map(|(_, times)| times).sum();
    if parts < 2 {
        return String::new();
    }
    // What the factors leave is a constant.
    let product = factors.iter().fold(Polynomial::from([1]), |product, (factor, times)| {
        (0..*times).fold(product, |product, _| product.times(factor))
    });
    let constant = polynomial.divided(&product).unwrap_or_else(|| Polynomial::from([1]));
    let power = |(factor, times): &(Polynomial, usize)| {
        let is_short = factor.coefficients().iter().filter(|c| **c != 0.into()).count() == 1;
        let body = if is_short { factor.to_string() } else { format!("({factor})") };
        if *times > 1 { format!("{body}^{times}") } else { body }
    };
    let lead = if constant.is_unit() && constant == Polynomial::from([1]) {
        None
    } else {
        Some(constant.to_string())
    };
    lead.into_iter().chain(factors.iter().map(power)).collect::<Vec<_>>().join(" * ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_proved_says_so_and_by_how_much_it_fits() {
        let numbers = |terms: &[u32]| terms.iter().map(|&term| BigUint::from(term)).collect();
        let source = |terms, states| Source { terms, offset: 0, states, short: None };
        let powers: Vec<BigUint> = numbers(&[1, 2, 4, 8, 16, 32]);
        let text = told(&source(powers.clone(), None)).text;
        assert!(text.contains("5 terms after the first 1, 4 more than it takes to find it\n"), "{text}");
        assert!(text.ends_with("not proved: it fits 6 terms\n"), "{text}");
        let text = told(&source(powers.clone(), Some(9))).text;
        assert!(text.ends_with("not proved: it fits 6 terms, and 9 states bound the order\n"), "{text}");
        assert!(told(&source(powers, Some(5))).text.ends_with("proved: 5 states bound the order\n"));
        assert_eq!(told(&source(numbers(&[0; 7]), None)).text, "not proved: all 7 terms are 0\n");
        assert!(told(&source(numbers(&[0; 7]), Some(7))).json["proved"].as_bool().unwrap());
        let none = told(&source(numbers(&[1, 5, 2, 9, 1, 1, 7, 3, 2]), None)).text;
        assert_eq!(none, "none of order up to 3 that holds after the first 3 terms fits 9 terms\n");
    }
}
