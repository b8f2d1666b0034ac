//! Searches for the order of squares with the fastest sweep, by dry runs.
//!
//! ```text
//! cargo bench --bench orders -- 8x8 closed 600          board, kind, seconds: prints a row for the table of known orders
//! cargo bench --bench orders -- 10x10 closed 600 roughly judged by rough estimates, where dry runs take too long
//! ```
//!
//! The search starts from the best of many annealed orders with different seeds. It then moves squares, or
//! pairs of mirror images, by simulated annealing, with one chain per core. Ten times on the way, all chains
//! continue from the best order.
//!
//! An order that needs more memory than the default order has its cost multiplied by the ratio. A dry run
//! takes a tenth of a second for 7x8 and some tenths for 8x8 paths, so a long search is only worthwhile for
//! boards that are counted often.

use std::time::Instant;

use ktour::board::Board;
use ktour::frontier::{Options, PreparedSweep, SweepGraph, SweepSides, Tours};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Maximum number of positions by which a move shifts a unit.
const MAX_SHIFT: usize = 6;

/// Share of the cost by which an accepted order may be worse, in the first round.
const INITIAL_TEMPERATURE: f64 = 0.015;

/// Number of rounds. In each round all chains start from the best order.
const ROUNDS: u32 = 10;

/// Share of the time for the choice of the first order.
const FIRST_ORDER_TIME_SHARE: f64 = 0.4;

/// Maximum ratio of the rough estimate of an order to that of the present order, for a dry run of the order.
const MAX_ROUGH_COST_RATIO: f64 = 1.5;

/// The sweep whose order is searched.
struct OrderSearch {
    graph: SweepGraph,
    tours: Tours,
    is_rough: bool,
    /// Bytes of memory that an order may take without a higher cost.
    memory_bytes: u64,
}

impl OrderSearch {
    fn prepare_sweep(&self, order: Option<Vec<usize>>) -> Option<PreparedSweep> {
        let options = Options { order, sides: SweepSides::Auto, ..Options::default() };
        PreparedSweep::new(&self.graph, self.tours, &options).ok()
    }

    /// Returns the cost of a sweep by a dry run, and its rough estimate, in seconds of one core. The cost is
    /// multiplied by the ratio of memory to allowed memory, if the order exceeds it. Returns `None` if the
    /// board cannot be swept in this order, or if its rough estimate exceeds `rough` by more than `MAX_ROUGH_COST_RATIO`.
    fn cost(&self, order: &[usize], rough: f64) -> Option<(f64, f64)> {
        let mut prepared = self.prepare_sweep(Some(order.to_vec()))?;
        let outlook = prepared.rough_estimate();
        let roughly = outlook.seconds - outlook.planning_seconds;
        if roughly > rough * MAX_ROUGH_COST_RATIO {
            return None;
        }
        if self.is_rough {
            return Some((roughly, roughly));
        }
        let estimate = prepared.estimate()?;
        let memory = estimate.peak_bytes as f64 / self.memory_bytes as f64;
        Some(((estimate.seconds - estimate.planning_seconds) * memory.max(1.0), roughly))
    }
}

/// Returns the units that are moved: pairs of mirror images if they are neighbours in the order, or else
/// single squares.
fn group_mirror_pairs(field: &SweepGraph, order: &[usize]) -> Vec<Vec<usize>> {
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

/// An order, its cost by a dry run, and its rough estimate.
#[derive(Clone)]
struct RatedOrder {
    units: Vec<Vec<usize>>,
    cost: f64,
    rough_cost: f64,
}

/// Anneals from `now` for `seconds`. Returns the best order and the number of orders tried.
fn anneal(
    task: &OrderSearch,
    mut now: RatedOrder,
    seconds: f64,
    warmth: f64,
    seed: u64,
) -> (RatedOrder, u32) {
    let (began, mut random, mut tried) = (Instant::now(), Xoshiro256PlusPlus::seed_from_u64(seed), 0);
    let mut best = now.clone();
    while began.elapsed().as_secs_f64() < seconds {
        let mut units = now.units.clone();
        for _ in 0..random.random_range(1..=2) {
            let from = random.random_range(0..units.len());
            let to = (from + random.random_range(0..=2 * MAX_SHIFT))
                .saturating_sub(MAX_SHIFT)
                .min(units.len() - 1);
            let unit = units.remove(from);
            units.insert(to, unit);
        }
        if units == now.units {
            continue;
        }
        let Some((cost, rough)) = task.cost(&units.concat(), now.rough_cost) else { continue };
        tried += 1;
        if cost < now.cost * (1.0 + warmth * random.random::<f64>()) {
            now = RatedOrder { units, cost, rough_cost: rough };
            if now.cost < best.cost {
                best = now.clone();
            }
        }
    }
    (best, tried)
}

/// Tries annealed orders of all mirrors for `seconds`. Returns the best of them and `now`, and the number of
/// orders tried.
fn best_first_order(
    task: &OrderSearch,
    now: RatedOrder,
    seconds: f64,
    first: u64,
    step: u64,
) -> (RatedOrder, u32) {
    let (began, mut best, mut tried) = (Instant::now(), now, 0);
    for seed in (first..).step_by(step as usize) {
        for order in ktour::frontier::orders(&task.graph, task.tours, seed) {
            if began.elapsed().as_secs_f64() > seconds {
                return (best, tried);
            }
            let Some((cost, rough)) = task.cost(&order, best.rough_cost) else { continue };
            tried += 1;
            if cost < best.cost {
                best = RatedOrder { units: group_mirror_pairs(&task.graph, &order), cost, rough_cost: rough };
            }
        }
    }
    (best, tried)
}

/// Runs `work` once per core, with the number of the core and one thread. Returns the best order and the
/// number of orders tried.
fn best_of_all_cores(work: impl Fn(u64) -> (RatedOrder, u32) + Sync) -> (RatedOrder, u32) {
    let all: Vec<(RatedOrder, u32)> = (0..rayon::current_num_threads() as u64)
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
    let [rectangle, kind, seconds, more @ ..] = words.as_slice() else {
        eprintln!("cargo bench --bench orders -- BOARD closed|paths SECONDS [roughly]");
        return;
    };
    let board: Board = rectangle.parse().expect("the first argument is a board");
    let tours = match kind.as_str() {
        "closed" => Tours::Closed,
        "paths" => Tours::Paths,
        kind => panic!("unknown kind `{kind}`; use closed or paths"),
    };
    let seconds: f64 = seconds.parse().expect("the third argument is a number of seconds");
    let roughly = more.iter().any(|word| word == "roughly");
    let mut task = OrderSearch {
        graph: SweepGraph::from_board(&board),
        tours,
        is_rough: roughly,
        memory_bytes: u64::MAX,
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("there are threads");
    let mut prepared = task.prepare_sweep(None).expect("the board can be swept");
    let order = prepared.order().expect("the board has an order");
    if let Some(estimate) = (!roughly).then(|| one.install(|| prepared.estimate())).flatten() {
        task.memory_bytes = estimate.peak_bytes;
    }
    let (cost, rough) = one.install(|| task.cost(&order, f64::INFINITY)).expect("the order can be swept");
    let mut best = RatedOrder { units: group_mirror_pairs(&task.graph, &order), cost, rough_cost: rough };
    eprintln!("{rectangle} {kind}: {:.4} s of a core, {} units", best.cost, best.units.len());
    let cores = rayon::current_num_threads() as u64;
    let mut tried;
    (best, tried) = best_of_all_cores(|thread| {
        best_first_order(&task, best.clone(), seconds * FIRST_ORDER_TIME_SHARE, thread, cores)
    });
    eprintln!(
        "{rectangle} {kind}: {:.4} s of a core, {} units, {tried} orders tried",
        best.cost,
        best.units.len()
    );
    for round in 0..ROUNDS {
        let warmth = INITIAL_TEMPERATURE * f64::from(ROUNDS - 1 - round) / f64::from(ROUNDS - 1);
        let part = seconds * (1.0 - FIRST_ORDER_TIME_SHARE) / f64::from(ROUNDS);
        let seed = |thread| u64::from(round) << 32 | thread;
        (best, tried) = best_of_all_cores(|thread| anneal(&task, best.clone(), part, warmth, seed(thread)));
        eprintln!("{rectangle} {kind}: {:.4} s of a core, {tried} orders tried", best.cost);
    }
    let order: Vec<String> = best.units.concat().iter().map(usize::to_string).collect();
    println!("{rectangle},{kind},{}", order.join(" "));
}
