//! `--recurrence`: the least recurrence behind a line of boards, and what follows from it.
//!
//! ```text
//! transfer matrix of the strip -> terms modulo a prime until the order is known -> exact terms -> Recurrence
//! rows alone, where there is no such matrix -----------------------------------------------> Recurrence
//! ```
//!
//! The rows are counted by a sweep, which knows nothing of the matrix: where both have a term, both must agree.

use std::fmt::Write as _;
use std::time::Instant;

use num_integer::Integer;
use serde_json::{Value, json};

use super::asked::RangeRun;
use crate::cli::failure::Failure;
use crate::report::{BoardRow, tell};
use ktour::BigUint;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::directed;
use ktour::recurrence::{
    Finding, Polynomial, Recurrence, Transfer, factors, find, growth_by_terms, primes, shortest,
};
use ktour::series::{Boards, Line};
use ktour::tour::Kind;

/// Bytes that a state takes while the ways between all are looked for, roughly.
const STATE_BYTES: u64 = 400;

/// More states are not looked for, whatever there is room for.
const MOST_STATES: usize = 60_000_000;

/// Lengths that exact terms may have to prove a recurrence for good, beyond those that find it.
const MOST_FOR_PROOF: usize = 4000;

/// Seconds that exact terms may take.
const EXACT_SECONDS: f64 = 300.0;

/// Seconds after which it is asked whether they will do.
const PATIENCE: f64 = 3.0;

/// Exact terms that tell the growth well.
const FOR_GROWTH: usize = 600;

/// Seconds that exact terms may take only to prove what holds already for as many terms as it should.
const PROOF_SECONDS: f64 = 60.0;

/// What was found, as text and for JSON.
pub struct Told {
    pub text: String,
    pub json: Value,
}

/// What the numbers are made of.
struct Source {
    /// By length, from 1 on, or from the one after `offset`.
    terms: Vec<BigUint>,
    offset: usize,
    states: Option<usize>,
    /// What is known modulo a prime alone.
    short: Option<Short>,
}

/// What terms modulo a prime tell.
struct Short {
    /// The order of the recurrence of the terms that are not 0, or that up to which there is none.
    order: usize,
    terms: usize,
    prime: u64,
    is_found: bool,
    stride: usize,
    /// Whether terms modulo the prime are as many as states and order together: for good, as far as the prime goes.
    is_proved: bool,
}

/// Looks for a recurrence behind the rows of a range.
pub fn recurrence(run: &RangeRun, rows: &[BoardRow], control: &Control) -> Result<Told, Failure> {
    let Boards::Line(line) = run.boards else {
        return Err(Failure::usage("--recurrence is for one side that runs, such as 5x2..60"));
    };
    let both = run.wanted.directed;
    let rows: Vec<(usize, BigUint)> = rows
        .iter()
        .map(|row| (run.report.index_of(row).map_or(0, usize::from), row.values(both)[0].clone()))
        .collect();
    let source = match strip(run, line, rows.len(), control)? {
        Some(transfer) => from_matrix(run, line, &transfer, &rows, control)?,
        None => from_rows(&rows),
    };
    if control.is_cancelled() {
        return Err(Failure::failed("stopped while the recurrence was looked for; the rows stand"));
    }
    Ok(told(&source))
}

/// Why numbers are not those of walks through the states of a strip.
fn is_none(run: &RangeRun, line: Line) -> Option<&'static str> {
    let has_ends = run.report.ends.iter().any(|end| !end.is_empty());
    match run.kind {
        _ if run.distinct => Some("numbers up to symmetry are those of several strips"),
        _ if !run.report.symmetry.is_empty() => Some("symmetric tours are those of other strips"),
        _ if has_ends || !run.report.removed.is_empty() => {
            Some("one end of the boards is like no other line")
        }
        Some(Kind::Open) => Some("open tours are what closed ones leave of the paths"),
        _ if line.standing(&run.play).is_none() => Some("the ends of the boards are joined to each other"),
        _ => None,
    }
}

/// The transfer matrix, if there is one and it has room.
fn strip(run: &RangeRun, line: Line, rows: usize, control: &Control) -> Result<Option<Transfer>, Failure> {
    if let Some(why) = is_none(run, line) {
        tell(format_args!("no transfer matrix, as {why}: the recurrence is looked for in {rows} rows alone"));
        return Ok(None);
    }
    let play = line.standing(&run.play).expect("lines that stand");
    let room = run.how.memory.or_else(ktour::memory::ceiling).unwrap_or(u64::MAX) / STATE_BYTES;
    let most = usize::try_from(room).unwrap_or(MOST_STATES).min(MOST_STATES);
    let began = Instant::now();
    let transfer = Transfer::new(&play, line.width(), run.kind == Some(Kind::Paths), most, control);
    match &transfer {
        Some(transfer) => tell(format_args!(
            "transfer matrix: {} states between lines, {} found in all, {} ways, {:.1} s",
            transfer.states(),
            transfer.explored(),
            transfer.ways(),
            began.elapsed().as_secs_f64()
        )),
        None if control.is_cancelled() => {}
        None => tell(format_args!(
            "no transfer matrix, as it has more than {most} states, or is too wide: the recurrence is looked for in \
             {rows} rows alone"
        )),
    }
    Ok(transfer)
}

/// Terms as many as the recurrence takes, by a matrix.
fn from_matrix(
    run: &RangeRun,
    line: Line,
    transfer: &Transfer,
    rows: &[(usize, BigUint)],
    control: &Control,
) -> Result<Source, Failure> {
    let modulus = primes().next().expect("there are primes");
    let longest = 3 * run.files.order;
    let (mut residues, mut terms) = (Vec::new(), transfer.modular(modulus));
    let began = Instant::now();
    let mut wanted = 48;
    let needed = loop {
        wanted = longest.min(2 * wanted);
        while residues.len() < wanted && !control.is_cancelled() {
            residues.extend(terms.next());
        }
        let stride = stride(residues.iter().map(|&residue| residue == 0));
        let own: Vec<u64> = residues.iter().skip(stride - 1).step_by(stride).copied().collect();
        let (_, order) = shortest(&own, modulus);
        if 3 * order <= own.len() {
            break Some((order, stride));
        }
        if residues.len() >= longest || control.is_cancelled() {
            break None;
        }
    };
    let prime = modulus.prime();
    tell(format_args!(
        "recurrence: {} terms modulo {prime} in {:.1} s",
        residues.len(),
        began.elapsed().as_secs_f64()
    ));
    let mut exact = transfer.exact();
    let order = needed.map_or(0, |(order, stride)| order * stride);
    // Every row is checked.
    let last = rows.last().map_or(0, |row| row.0);
    let least = if needed.is_some() { last.max(3 * order + 4) } else { 0 };
    let proof = needed.map_or(0, |_| (order + transfer.states() + 2).min(order + MOST_FOR_PROOF));
    let (mut found, began) = (Vec::new(), Instant::now());
    let seconds = || began.elapsed().as_secs_f64();
    while !control.is_cancelled()
        && ((found.len() < least && seconds() < EXACT_SECONDS)
            || (found.len() < proof && seconds() < PROOF_SECONDS))
    {
        found.extend(exact.next());
        // Numbers grow with the length, and so does what they take.
        let share = least as f64 / found.len() as f64;
        let is_hopeless = seconds() > PATIENCE && seconds() * share * share > EXACT_SECONDS;
        if is_hopeless && found.len() >= last.max(FOR_GROWTH) {
            break;
        }
    }
    for (length, number) in rows.iter().filter(|(length, _)| *length <= found.len()) {
        let board = line.board(*length as u16);
        let own = as_told(run, &found[length - 1], &board);
        if own != *number {
            return Err(Failure::failed(format!(
                "{board}: {number} by the sweep, and {own} by the transfer matrix; no recurrence is reported"
            )));
        }
    }
    let (lengths, found_terms) = (1u16.., found.len());
    let terms = lengths.zip(found).map(|(length, term)| match Board::new(line.width(), length) {
        Ok(_) => as_told(run, &term, &line.board(length)),
        Err(_) => term,
    });
    let short = match needed {
        None => Some(Short {
            order: residues.len() / 3,
            terms: residues.len(),
            prime,
            is_found: false,
            stride: 1,
            is_proved: false,
        }),
        Some((order, stride)) if found_terms < least => {
            let is_proved = residues.len() >= order * stride + transfer.states();
            Some(Short { order, terms: residues.len(), prime, is_found: true, stride, is_proved })
        }
        Some(_) => None,
    };
    let terms: Vec<BigUint> = terms.collect();
    if terms.len() < rows.len() {
        // What the matrix had no time for.
        let Source { terms, offset, .. } = from_rows(rows);
        return Ok(Source { terms, offset, states: Some(transfer.states()), short });
    }
    Ok(Source { terms, offset: 0, states: Some(transfer.states()), short })
}

/// The numbers of rows alone. What is before them is not known: terms begin with the first, or with the zeros between
/// two numbers if it is one of those.
fn from_rows(rows: &[(usize, BigUint)]) -> Source {
    let places = rows.iter().filter(|(_, number)| *number != BigUint::ZERO).map(|row| row.0);
    let stride = places.fold(0usize, |stride, place| stride.gcd(&place)).max(1);
    let before = rows.first().map_or(0, |row| row.0 - 1);
    let numbers = rows.iter().map(|(_, number)| number.clone());
    let terms = std::iter::repeat_n(BigUint::ZERO, before % stride).chain(numbers).collect();
    Source { terms, offset: before - before % stride, states: None, short: None }
}

/// Every so-manieth term alone is not 0.
fn stride(is_zero: impl Iterator<Item = bool>) -> usize {
    let places = (1..).zip(is_zero).filter(|(_, is_zero)| !is_zero).map(|(place, _)| place);
    places.fold(0usize, |stride, place| stride.gcd(&place)).max(1)
}

/// A number as the rows have it.
fn as_told(run: &RangeRun, undirected: &BigUint, board: &Board) -> BigUint {
    if run.wanted.directed { directed(undirected, board.len()) } else { undirected.clone() }
}

fn told(source: &Source) -> Told {
    if let Some(short) = &source.short {
        return told_short(short, source);
    }
    let terms = source.terms.len();
    match find(&source.terms) {
        Finding::Nothing => Told {
            text: "all terms are 0\n".to_owned(),
            json: json!({ "found": true, "order": 0, "terms": terms }),
        },
        Finding::NoneUpTo(order) => Told {
            text: format!("none of order up to {order} fits {terms} terms\n"),
            json: json!({ "found": false, "none_up_to_order": order, "terms": terms }),
        },
        Finding::Found(recurrence) => found(&recurrence, source),
    }
}

/// What there is to say without integers.
fn told_short(short: &Short, source: &Source) -> Told {
    let Short { order, terms, prime, is_found, stride, is_proved } = *short;
    let mut text = if is_found {
        let of =
            if stride > 1 { format!(" in every {stride}. term, the others are 0") } else { String::new() };
        format!(
            "order {order}{of}, modulo {prime}, {}: none of a lower order fits {terms} terms; its integers take more \
             than {EXACT_SECONDS} s\n",
            if is_proved { "proved" } else { "not proved" }
        )
    } else {
        format!("none of order up to {order} fits {terms} terms\n")
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
    let verified = recurrence.verified;
    let _ = writeln!(text, "verified exactly on {verified} terms after the first {}", recurrence.from);
    let _ = match (is_proved, source.states) {
        (true, Some(states)) => writeln!(text, "proved: {states} states bound the order"),
        (_, Some(states)) => {
            writeln!(text, "fits {} terms; {states} states bound the order", source.terms.len())
        }
        (_, None) => writeln!(text, "fits {} terms", source.terms.len()),
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
