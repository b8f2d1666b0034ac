//! Counting: from a field and a kind of tour to a number.
//!
//! The engine makes a plan, chooses between the sweep by blocks and the plain
//! hashed sweep, and runs it. It knows nothing of files or terminals; progress
//! goes to an [`Observer`].

use num_bigint::BigUint;

use crate::board::{Board, Leaper};

use super::field::Field;
use super::hashed;
use super::memory;
use super::observer::Observer;
use super::order;
use super::plan::{MOST_SLOTS, Plan};
use super::problem::{Problem, Tours};
use super::residue::{combined, moduli_needed};
use super::sweep::{MOST_BLOCK_SLOTS, Sweep};
use super::{Error, Outcome};

/// How layers are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Blocks unless the frontier is too wide or the states are very few.
    #[default]
    Auto,
    /// Blocks of all matchings, several threads.
    Blocks,
    /// A hash table of states, one thread.
    Hashed,
}

/// How to sweep. None of it changes the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of threads; `None` for the current rayon pool.
    pub threads: Option<usize>,
    /// Ceiling for layers and tables in bytes.
    pub memory: Option<u64>,
    /// Whether mirror images are folded.
    pub fold: bool,
    /// Whether signatures that cannot be completed are dropped.
    pub feasibility: bool,
    /// All vertices in the order of processing; `None` lets the engine find one.
    pub order: Option<Vec<usize>>,
    /// How layers are kept.
    pub method: Method,
    /// Whether blocks are counted modulo several numbers, one sweep each: 4 bytes a weight to the end.
    /// Only for counts that are certain to fit; others are counted as ever.
    pub residues: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: None,
            memory: None,
            fold: true,
            feasibility: true,
            order: None,
            method: Method::Auto,
            residues: false,
        }
    }
}

/// States up to which a wide frontier is tried with the hashed sweep first.
const FEW_STATES: usize = 100_000;

/// Slots from which on the hashed sweep is tried first.
const WIDE: usize = 18;

/// Counts the tours of a field.
///
/// # Errors
/// [`Error`]: an order that is none, a frontier too wide, the memory ceiling, a count
/// of 2^511 or more, or a stop by the observer.
///
/// # Panics
/// If a fixed end is not a vertex of the graph.
pub fn count(
    field: &Field,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    if let Some(count) = trivial(field, tours) {
        return Ok(Outcome { count: BigUint::from(count), ..Outcome::default() });
    }
    let problem = Problem::of(field, tours);
    let plan = plan(&problem, field, options)?;
    in_pool(options.threads, || run(&problem, &plan, &[], options, observer))?
}

/// Directed paths from every vertex, by vertex: one sweep for each orbit of the known symmetries.
/// Every path is counted from both of its ends.
///
/// # Errors
/// As for [`count`].
pub fn per_start(
    field: &Field,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<BigUint>, Error> {
    let mut counts = vec![BigUint::ZERO; field.as_graph().len()];
    for orbit in field.orbits() {
        let outcome = count(field, Tours::From(orbit[0]), options, observer)?;
        orbit.iter().for_each(|&v| counts[v] = outcome.count.clone());
    }
    Ok(counts)
}

/// Counts closed tours or paths on all boards `width` squares wide and `1..=longest` long
/// in a single sweep along the length; the counts by length, from 1.
///
/// # Errors
/// As for [`count`].
///
/// # Panics
/// If an end is fixed, or a side is 0.
pub fn series(
    (width, longest): (u16, u16),
    leaper: Leaper,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Vec<BigUint>, Error> {
    assert!(matches!(tours, Tours::Closed | Tours::Paths), "a series is of closed tours or of paths");
    let board = Board::new(longest, width).expect("sides of at least 1");
    let field = Field::board(&board, leaper).by_ranks();
    let problem = Problem::of(&field, tours);
    let plan = best_plan(&problem, order::search(&problem, field.directions(), true), options.fold)?;
    let width = usize::from(width);
    let ends: Vec<usize> = (1..usize::from(longest)).map(|length| length * width - 1).collect();
    let outcome = in_pool(options.threads, || run(&problem, &plan, &ends, options, observer))??;
    let mut counts = outcome.shorter;
    counts.push(outcome.count);
    if width == 1 {
        // One square is a path; through the apex it would be a cycle of two.
        counts[0] = BigUint::from(u8::from(tours == Tours::Paths));
    }
    Ok(counts)
}

/// Boards on which a path is no cycle through the apex, or which have no square.
fn trivial(field: &Field, tours: Tours) -> Option<u8> {
    match (field.as_graph().len(), tours) {
        (0, _) => Some(0),
        (1, tours) => Some(u8::from(tours != Tours::Closed)),
        (_, Tours::Between(a, b)) if a == b => Some(0),
        _ => None,
    }
}

/// The plan for a problem: by the order asked for, or the best that was found.
pub(super) fn plan(problem: &Problem, field: &Field, options: &Options) -> Result<Plan, Error> {
    let orders = match &options.order {
        None => order::search(problem, field.directions(), false),
        Some(order) => {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if !sorted.iter().copied().eq(0..problem.squares()) {
                return Err(Error::Order { squares: problem.squares() });
            }
            vec![order.iter().copied().chain(problem.apex()).collect()]
        }
    };
    best_plan(problem, orders, options.fold)
}

/// The cheapest plan for any of the orders, folded or not.
fn best_plan(problem: &Problem, orders: Vec<Vec<usize>>, fold: bool) -> Result<Plan, Error> {
    let width = |order: &Vec<usize>| order::width(problem, order);
    let narrowest = orders.iter().map(width).min().unwrap_or(0);
    if narrowest > MOST_SLOTS {
        return Err(Error::Width { width: narrowest });
    }
    let fits = orders.iter().filter(|order| width(order) <= MOST_SLOTS);
    let plans = fits.flat_map(|order| {
        let folds: &[bool] = if fold { &[true, false] } else { &[false] };
        folds.iter().map(|&fold| Plan::new(problem, order, fold)).collect::<Vec<_>>()
    });
    Ok(plans.min_by(|a, b| a.price().total_cmp(&b.price())).expect("there is an order"))
}

fn run(
    problem: &Problem,
    plan: &Plan,
    shorter: &[usize],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let hashed = |most, observer: &mut dyn Observer| {
        hashed::sweep(problem, plan, shorter, options.memory, most, observer)
    };
    let must_hash = plan.slots() > MOST_BLOCK_SLOTS || problem.has_factors();
    match options.method {
        Method::Hashed => {}
        Method::Blocks if problem.has_factors() => return Err(Error::Factors),
        Method::Blocks if must_hash => return Err(Error::Width { width: plan.slots() }),
        Method::Auto if must_hash => {}
        Method::Auto if plan.slots() >= WIDE => {
            if let Some(outcome) = hashed(Some(FEW_STATES), observer)? {
                return Ok(outcome);
            }
            return blocks(problem, plan, shorter, options, observer);
        }
        _ => return blocks(problem, plan, shorter, options, observer),
    }
    Ok(hashed(None, observer)?.expect("there is no limit of states"))
}

fn blocks(
    problem: &Problem,
    plan: &Plan,
    shorter: &[usize],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    memory::keep_freed_memory();
    let result = match moduli_needed(problem).filter(|_| options.residues) {
        None => Sweep::new(plan, options.feasibility, shorter, options.memory, observer).and_then(Sweep::run),
        Some(moduli) => by_residues(moduli, plan, shorter, options, observer),
    };
    memory::return_freed_memory();
    result
}

/// One sweep for each modulus, put together. The observer sees the steps of all, one after the other.
fn by_residues(
    moduli: usize,
    plan: &Plan,
    shorter: &[usize],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let mut outcomes = Vec::with_capacity(moduli);
    for number in 0..moduli {
        let sweep = Sweep::new(plan, options.feasibility, shorter, options.memory, observer)?;
        outcomes.push(sweep.run_modulo(number)?);
    }
    let residues = |of: &dyn Fn(&Outcome) -> BigUint| combined(&outcomes.iter().map(of).collect::<Vec<_>>());
    let mut all = outcomes[0].clone();
    all.count = residues(&|outcome| outcome.count.clone());
    all.shorter = (0..all.shorter.len()).map(|i| residues(&|outcome| outcome.shorter[i].clone())).collect();
    all.transitions = outcomes.iter().map(|outcome| outcome.transitions).sum();
    all.seconds = outcomes.iter().map(|outcome| outcome.seconds).sum();
    all.peak_bytes = outcomes.iter().map(|outcome| outcome.peak_bytes).max().unwrap_or(0);
    Ok(all)
}

/// Runs `work` on a pool of that many threads.
pub(super) fn in_pool<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads { reason: error.to_string() })?;
    Ok(pool.install(work))
}
