//! Measures the success rate of each heuristic rule by board size. Prints a CSV table, and draws it.
//!
//! Usage: `heuristic_study RUNS > study.csv`, then `heuristic_study plot < study.csv > study.svg`.
//! `heuristic_study RUNS w2 w+ < study.csv` measures only the named rules and copies all other rows.
//!
//! A run is one walk without restarts and without backtracking, from the top left corner or from a random
//! square (of the majority colour, if the side is odd). A rule without random choices runs once from the
//! corner. The move orders of Squirrel and Cull are made for the corner only.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use ktour::board::{Leaper, Rectangle, Square};
use ktour::heuristic::{Randomness, Rule, RuleWalker, WalkRequest};
use ktour::random::Random;
use rayon::prelude::*;

const RULES: [&str; 8] =
    ["warnsdorff", "warnsdorff-first", "pohl", "pohl-3", "roth", "squirrel-cull", "w2", "w+"];
const STARTS: [&str; 2] = ["corner", "random"];
const COLOURS: [&str; 8] =
    ["#1f77b4", "#7f7f7f", "#d62728", "#ff7f0e", "#2ca02c", "#9467bd", "#17becf", "#8c564b"];

/// Returns the sides of the boards: all up to 50, then at increasing distances, odd and even ones.
fn sides() -> Vec<u16> {
    let far = [55, 60, 65, 70, 76, 80, 85, 90, 95, 100, 111, 120, 131, 140, 151, 160, 171, 180, 191, 200];
    (5..=50).chain(far).chain([220, 241, 260, 281, 300, 321, 340, 361, 380, 400]).collect()
}

fn main() -> io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("plot") => {
            let mut table = String::new();
            io::stdin().read_to_string(&mut table)?;
            io::stdout().write_all(plot(&table).as_bytes())
        }
        Some(runs) => match runs.parse() {
            Ok(runs) => {
                let named = std::env::args().skip(2).map(|name| name.parse());
                let named: Vec<Rule> = named.collect::<Result<_, _>>().map_err(io::Error::other)?;
                let mut table = String::new();
                if !named.is_empty() {
                    io::stdin().read_to_string(&mut table)?;
                }
                study(runs, &named, &table)
            }
            Err(_) => {
                Err(io::Error::other(format!("invalid argument `{runs}`; give a number of runs, or `plot`")))
            }
        },
        None => Err(io::Error::other("no argument; give a number of runs, or `plot`")),
    }
}

/// Prints the rows of the named rules, or of all rules if none is named. Copies the other rows from a table.
fn study(runs: u64, named: &[Rule], table: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "side,start,rule,runs,tours,share")?;
    let rules = RULES.map(|name| name.parse::<Rule>().expect("the table names rules"));
    for side in sides() {
        let board = Rectangle::new(side, side).expect("a side of at least 5");
        let fresh = RuleWalker::new(&board, Leaper::KNIGHT, None);
        for (start, rule) in STARTS.into_iter().flat_map(|start| rules.map(|rule| (start, rule))) {
            let row = format!("{side},{start},{rule},");
            if !named.is_empty() && !named.contains(&rule) {
                table
                    .lines()
                    .filter(|line| line.starts_with(&row))
                    .try_for_each(|line| writeln!(out, "{line}"))?;
                continue;
            }
            let fixed = is_fixed(rule.name);
            let runs = match (start, rule) {
                ("random", _) if rule.name == "squirrel-cull" => continue,
                ("corner", _) if fixed => 1,
                _ => runs,
            };
            let tours = (0..runs)
                .into_par_iter()
                .map_init(|| fresh.clone(), |walker, run| u64::from(walk(walker, rule, side, start, run)))
                .sum::<u64>();
            writeln!(out, "{row}{runs},{tours},{:.4}", tours as f64 / runs as f64)?;
        }
        out.flush()?;
    }
    Ok(())
}

/// Returns true if the rule makes no random choices in the study.
fn is_fixed(rule: &str) -> bool {
    ["warnsdorff-first", "squirrel-cull"].contains(&rule)
}

fn walk(walker: &mut RuleWalker, rule: Rule, side: u16, start: &str, run: u64) -> bool {
    let mut rng = Random::for_trial(u64::from(side), run);
    let mut square = Square::new(0, side - 1);
    if start == "random" {
        loop {
            square = Square::new(rng.below(usize::from(side)) as u16, rng.below(usize::from(side)) as u16);
            if side.is_multiple_of(2) || square.is_dark() {
                break;
            }
        }
    }
    let chance = if is_fixed(rule.name) { Randomness::None } else { Randomness::Ties };
    let route = WalkRequest {
        start: square,
        end: None,
        closed: false,
        open: false,
        max_backtracks: 0,
        randomness: chance,
        attempt: 0,
    };
    walker.walk(rule, &route, &mut rng)
}

/// Returns the plot as SVG: two charts, one above the other, for starts in the corner and on random squares.
fn plot(table: &str) -> String {
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1060\" height=\"840\" viewBox=\"0 0 1060 840\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"13\" fill=\"#222222\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
    );
    for (start, top) in STARTS.into_iter().zip([60.0, 470.0]) {
        chart(&mut out, table, start, top);
    }
    out.push_str("</svg>\n");
    out
}

/// Draws a chart of the share of tours by side: a line per rule, or dots for a rule with one walk per side.
fn chart(out: &mut String, table: &str, start: &str, top: f64) {
    let (left, width, height) = (70.0, 800.0, 320.0);
    let x = |side: f64| left + width * (side - 5.0).max(0.0) / 395.0;
    let y = |share: f64| top + height * (1.0 - share);
    let mut append = |text: String| out.push_str(&text);
    append(format!(
        "<text x=\"{left}\" y=\"{}\" font-size=\"16\">Share of walks from {} that are tours, by side of a square board</text>\n",
        top - 18.0,
        if start == "corner" { "the corner" } else { "random squares" }
    ));
    for i in 0..=5 {
        let share = f64::from(i) / 5.0;
        append(format!(
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>\n",
            left + width,
            left - 8.0,
            y(share) + 4.5,
            share * 100.0,
            y = y(share),
        ));
    }
    for side in [5, 50, 100, 150, 200, 250, 300, 350, 400] {
        let at = x(f64::from(side));
        append(format!(
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{}\" y2=\"{}\" stroke=\"#999999\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{side}</text>\n",
            top + height,
            top + height + 5.0,
            top + height + 22.0
        ));
    }
    for (i, name) in RULES.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = table
            .lines()
            .filter_map(|line| {
                let columns: Vec<&str> = line.split(',').collect();
                let [side, from, rule, _, _, share] = columns[..] else { return None };
                (rule == name && from == start).then_some((side.parse().ok()?, share.parse().ok()?))
            })
            .collect();
        let mut line = String::new();
        for &(side, share) in &points {
            let _ = write!(line, "{:.1},{:.1} ", x(side), y(share));
        }
        let colour = COLOURS[i];
        if points.is_empty() {
            continue;
        }
        if start == "corner" && is_fixed(name) {
            // One walk per side, which succeeds or fails.
            for &(side, share) in &points {
                append(format!(
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.2\" fill=\"{colour}\"/>\n",
                    x(side),
                    y(share)
                ));
            }
        } else {
            append(format!(
                "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" points=\"{line}\"/>\n"
            ));
        }
        let key = top + 20.0 + 24.0 * i as f64;
        append(format!(
            "<line x1=\"890\" x2=\"915\" y1=\"{key}\" y2=\"{key}\" stroke=\"{colour}\" stroke-width=\"3\"/>\
             <text x=\"922\" y=\"{}\">{name}</text>\n",
            key + 4.5
        ));
    }
    append(format!(
        "<path d=\"M{left} {top}V{b}H{r}\" fill=\"none\" stroke=\"#333333\"/>\n",
        b = top + height,
        r = left + width
    ));
}
