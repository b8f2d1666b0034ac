//! Searches for the order in which a board is swept fastest, judged by dry runs.
//!
//! ```text
//! cargo bench --bench orders -- 8x8 closed 600          board, kind, seconds: a row of src/frontier/problem/found.csv
//! cargo bench --bench orders -- 10x10 closed 600 roughly judged by their capacities, where dry runs take too long
//! ```
//!
//! Of orders that annealings come to, with other random numbers each, the best goes on: squares, or mirror pairs, are
//! moved as simulated annealing does, by one chain for each core, all of which go on with the best ten times on the way.
//! An order that takes more memory than the one that is found without a search is worth as much less.
//! What dry runs tell takes a tenth of a second on 7x8 and some for the paths of 8x8, so long searches are for boards
//! that are counted often.

use std::time::Instant;

use ktour::board::Arena;
use ktour::frontier::{Ends, Field, Options, Prepared, Tours};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Places that a unit is moved at most.
const REACH: usize = 6;

/// Share of the cost by which a worse order may be taken at first.
const WARMTH: f64 = 0.015;

/// Times that all chains go on from the best.
const ROUNDS: u32 = 10;

/// Part of the time that goes to the choice where to begin.
const BEGINNING: f64 = 0.4;

/// Share of the cost that the rough estimate of an order may be above that of the present one to be looked at.
const ROUGH: f64 = 1.5;

/// What is swept.
struct Task {
    field: Field,
    tours: Tours,
    roughly: bool,
    /// Bytes that an order may take without being worth less for it.
    room: u64,
}

impl Task {
    fn prepared(&self, order: Option<Vec<usize>>) -> Option<Prepared> {
        let options = Options { order, ends: Ends::Auto, ..Options::default() };
        Prepared::new(&self.field, self.tours, &options).ok()
    }

    /// What a sweep costs, by a dry run, and roughly: seconds of one core, as many times as it takes more than the memory
    /// that it may. `None` if it cannot be swept or does not promise much.
    fn cost(&self, order: &[usize], rough: f64) -> Option<(f64, f64)> {
        let mut prepared = self.prepared(Some(order.to_vec()))?;
        let outlook = prepared.outlook();
        let roughly = outlook.seconds - outlook.planning;
        if roughly > rough * ROUGH {
            return None;
        }
        if self.roughly {
            return Some((roughly, roughly));
        }
        let estimate = prepared.estimate()?;
        let memory = estimate.peak_bytes as f64 / self.room as f64;
        Some(((estimate.seconds - estimate.planning) * memory.max(1.0), roughly))
    }
}

/// Squares that are moved together: mirror images that follow each other in an order, or each by itself.
fn units(field: &Field, order: &[usize]) -> Vec<Vec<usize>> {
    let paired = |image: &Vec<u32>| -> Option<Vec<Vec<usize>>> {
        let mut units: Vec<Vec<usize>> = Vec::new();
        let mut rest = order.iter().copied();
        while let Some(v) = rest.next() {
            let other = image[v] as usize;
            let unit = if other == v { vec![v] } else { vec![v, rest.next().filter(|&w| w == other)?] };
            units.push(unit);
        }
        Some(units)
    };
    let pairs = field.automorphisms().iter().filter_map(paired).find(|units| units.len() < order.len());
    pairs.unwrap_or_else(|| order.iter().map(|&v| vec![v]).collect())
}

/// An order and what it costs: by a dry run, and roughly.
#[derive(Clone)]
struct Found {
    units: Vec<Vec<usize>>,
    cost: f64,
    rough: f64,
}

/// Goes on from `now` while time lasts; the best on the way, and orders looked at.
fn chain(task: &Task, mut now: Found, seconds: f64, warmth: f64, seed: u64) -> (Found, u32) {
    let (began, mut random, mut tried) = (Instant::now(), Xoshiro256PlusPlus::seed_from_u64(seed), 0);
    let mut best = now.clone();
    while began.elapsed().as_secs_f64() < seconds {
        let mut units = now.units.clone();
        for _ in 0..random.random_range(1..=2) {
            let from = random.random_range(0..units.len());
            let to = (from + random.random_range(0..=2 * REACH)).saturating_sub(REACH).min(units.len() - 1);
            let unit = units.remove(from);
            units.insert(to, unit);
        }
        if units == now.units {
            continue;
        }
        let Some((cost, rough)) = task.cost(&units.concat(), now.rough) else { continue };
        tried += 1;
        if cost < now.cost * (1.0 + warmth * random.random::<f64>()) {
            now = Found { units, cost, rough };
            if now.cost < best.cost {
                best = now.clone();
            }
        }
    }
    (best, tried)
}

/// The best of orders of all mirrors, while time lasts, and of `now`.
fn begin(task: &Task, now: Found, seconds: f64, first: u64, step: u64) -> (Found, u32) {
    let (began, mut best, mut tried) = (Instant::now(), now, 0);
    for seed in (first..).step_by(step as usize) {
        for order in ktour::frontier::orders(&task.field, task.tours, seed) {
            if began.elapsed().as_secs_f64() > seconds {
                return (best, tried);
            }
            let Some((cost, rough)) = task.cost(&order, best.rough) else { continue };
            tried += 1;
            if cost < best.cost {
                best = Found { units: units(&task.field, &order), cost, rough };
            }
        }
    }
    (best, tried)
}

/// What all cores do, each with its number and one thread: the best of it, and orders looked at.
fn on_all(work: impl Fn(u64) -> (Found, u32) + Sync) -> (Found, u32) {
    let all: Vec<(Found, u32)> = (0..rayon::current_num_threads() as u64)
        .into_par_iter()
        .map(|thread| {
            let own = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("there are threads");
            own.install(|| work(thread))
        })
        .collect();
    let tried = all.iter().map(|(_, tried)| tried).sum();
    let best = all.into_iter().map(|(found, _)| found).min_by(|a, b| a.cost.total_cmp(&b.cost));
    (best.expect("there is a thread"), tried)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let [board, kind, seconds, more @ ..] = words.as_slice() else {
        eprintln!("cargo bench --bench orders -- BOARD closed|paths SECONDS [roughly]");
        return;
    };
    let arena: Arena = board.parse().expect("the first word is a board");
    let tours = match kind.as_str() {
        "closed" => Tours::Closed,
        "paths" => Tours::Paths,
        kind => panic!("`{kind}` is no kind: closed, paths"),
    };
    let seconds: f64 = seconds.parse().expect("the third word is a number of seconds");
    let roughly = more.iter().any(|word| word == "roughly");
    let mut task = Task { field: Field::of(&arena), tours, roughly, room: u64::MAX };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("there are threads");
    let mut prepared = task.prepared(None).expect("the board can be swept");
    let order = prepared.order().expect("the board has an order");
    if let Some(estimate) = (!roughly).then(|| one.install(|| prepared.estimate())).flatten() {
        task.room = estimate.peak_bytes;
    }
    let (cost, rough) = one.install(|| task.cost(&order, f64::INFINITY)).expect("the order can be swept");
    let mut best = Found { units: units(&task.field, &order), cost, rough };
    eprintln!("{board} {kind}: {:.4} s of a core, {} units", best.cost, best.units.len());
    let cores = rayon::current_num_threads() as u64;
    let mut tried;
    (best, tried) = on_all(|thread| begin(&task, best.clone(), seconds * BEGINNING, thread, cores));
    eprintln!(
        "{board} {kind}: {:.4} s of a core, {} units, {tried} orders looked at",
        best.cost,
        best.units.len()
    );
    for round in 0..ROUNDS {
        let warmth = WARMTH * f64::from(ROUNDS - 1 - round) / f64::from(ROUNDS - 1);
        let part = seconds * (1.0 - BEGINNING) / f64::from(ROUNDS);
        let seed = |thread| u64::from(round) << 32 | thread;
        (best, tried) = on_all(|thread| chain(&task, best.clone(), part, warmth, seed(thread)));
        eprintln!("{board} {kind}: {:.4} s of a core, {tried} orders looked at", best.cost);
    }
    let order: Vec<String> = best.units.concat().iter().map(usize::to_string).collect();
    println!("{board},{kind},{}", order.join(" "));
}
