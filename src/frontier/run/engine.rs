//! Counting: from a field and a kind of tour to a number.
//!
//! The engine makes a plan, chooses between the sweep by blocks and the plain
//! hashed sweep, and runs it. It knows nothing of files or terminals; progress
//! goes to an [`Observer`].

use num_bigint::BigUint;

use crate::board::{Board, Leaper};
use crate::control::{Allocator, Wish};

use crate::frontier::block::width::Width;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::store::Store;
use crate::frontier::problem::cycles::{Problem, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::order;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::slot::MOST_SLOTS;
use crate::frontier::ranks::agreement::Ranks;
use crate::frontier::ranks::peers::Peers;
use crate::frontier::run::hashed;
use crate::frontier::run::observer::Observer;
use crate::frontier::run::sweep::{MOST_BLOCK_SLOTS, Manner, Sweep};
use crate::frontier::state::cut::Cut;
use crate::frontier::{Error, Outcome};

/// How layers are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
#[derive(Clone, Debug)]
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
    /// Count modulo two to the power of the bits of this width, with weights of no other, if blocks are swept.
    /// With factors below zero the sum is then told as the number nearest to zero; without a width such
    /// fields are swept with a hash table.
    pub modulo: Option<Width>,
    /// Only one of several parts of the count.
    pub cut: Option<Cut>,
    /// Does what the sweep wishes of the process's allocator: see [`Wish`].
    pub allocator: Option<Allocator>,
}

/// Where a sweep puts what does not fit into memory, and from where it goes on.
#[derive(Clone, Default)]
pub struct Storage<'a> {
    /// Keeps chunks.
    pub store: Option<&'a dyn Store>,
    /// Whether the observer wants snapshots.
    pub rests: bool,
    /// What an earlier sitting left in it.
    pub from: Option<Snapshot>,
    /// The other ranks, if the sweep is shared.
    pub peers: Option<&'a dyn Peers>,
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
            modulo: None,
            cut: None,
            allocator: None,
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
    count_stored(field, tours, options, Storage::default(), observer)
}

/// Counts like [`count`] with a store: layers may be larger than memory, and the observer may have
/// snapshots to go on from.
///
/// # Errors
/// As for [`count`]; [`Error::Store`] if the store fails; [`Error::Snapshot`] if the snapshot is of another sweep.
///
/// # Panics
/// As for [`count`].
pub fn count_stored(
    field: &Field,
    tours: Tours,
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    if let Some(count) = trivial(field, tours) {
        let is_here = options.cut.is_none_or(|cut| cut.index == 0);
        return Ok(Outcome { count: BigUint::from(if is_here { count } else { 0 }), ..Outcome::default() });
    }
    let problem = Problem::of(field, tours);
    let mut options = options.clone();
    if let Some(snapshot) = &storage.from {
        let squares = problem.squares();
        options.order = Some(snapshot.order.iter().copied().filter(|&v| v < squares).collect());
        (options.fold, options.cut, options.method) = (snapshot.fold, snapshot.cut, Method::Blocks);
    }
    let plan = plan(&problem, field, &options)?;
    let ranks = Ranks::new(storage.peers);
    let is_same = |snapshot: &Snapshot| snapshot.plan == plan.digest() && snapshot.rank == ranks.place();
    let begins = if storage.from.as_ref().is_none_or(is_same) {
        Ok((plan.digest(), storage.from.as_ref().map(|snapshot| snapshot.step)))
    } else {
        Err(Error::Snapshot)
    };
    let begin = ranks.agree(begins, |what| Error::Lost { step: 0, steps: plan.steps().len(), what })?;
    if begin.iter().any(|&other| other != begin[0]) {
        return Err(Error::Apart);
    }
    in_pool(options.threads, || run(&problem, &plan, &[], &options, storage, observer))?
}

/// A digest of how [`count`] would sweep: parts of a count add up only if all have the same.
///
/// # Errors
/// As for [`count`].
pub fn plan_digest(field: &Field, tours: Tours, options: &Options) -> Result<u64, Error> {
    if trivial(field, tours).is_some() {
        return Ok(0);
    }
    let problem = Problem::of(field, tours);
    Ok(plan(&problem, field, options)?.digest())
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
    let outcome =
        in_pool(options.threads, || run(&problem, &plan, &ends, options, Storage::default(), observer))??;
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
pub(in crate::frontier) fn plan(problem: &Problem, field: &Field, options: &Options) -> Result<Plan, Error> {
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
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let hashed =
        |most, observer: &mut dyn Observer| hashed::sweep(problem, plan, shorter, options, most, observer);
    let must_hash = plan.slots() > MOST_BLOCK_SLOTS;
    // Blocks take away modulo a power of two only.
    let is_signed = problem.has_negatives();
    let must_hash = must_hash || is_signed && options.modulo.is_none();
    let signed = |outcome: Outcome| match options.modulo.filter(|_| is_signed) {
        Some(width) => outcome.signed(width.bits()),
        None => outcome,
    };
    // What has no blocks cannot be shared, and would be made by every rank again.
    let is_shared = Ranks::new(storage.peers).peers().is_some();
    match options.method {
        Method::Hashed | Method::Auto if is_shared && (must_hash || options.method == Method::Hashed) => {
            return Err(Error::Shared { width: plan.slots() });
        }
        Method::Auto if is_shared => return blocks(plan, shorter, options, storage, observer).map(signed),
        Method::Hashed => {}
        Method::Blocks if is_signed && options.modulo.is_none() => return Err(Error::Factors),
        Method::Blocks if must_hash => return Err(Error::Width { width: plan.slots() }),
        Method::Auto if must_hash => {}
        Method::Auto if plan.slots() >= WIDE && options.cut.is_none() && storage.from.is_none() => {
            if let Some(outcome) = hashed(Some(FEW_STATES), observer)? {
                return Ok(outcome);
            }
            return blocks(plan, shorter, options, storage, observer).map(signed);
        }
        _ => return blocks(plan, shorter, options, storage, observer).map(signed),
    }
    Ok(hashed(None, observer)?.expect("there is no limit of states"))
}

fn blocks(
    plan: &Plan,
    shorter: &[usize],
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let wish = |wish| {
        if let Some(grant) = options.allocator {
            grant(wish);
        }
    };
    wish(Wish::Keep);
    let &Options { feasibility, memory, cut, modulo, fold, .. } = options;
    let manner = Manner {
        feasibility,
        shorter,
        memory,
        cut,
        modulo,
        fold,
        store: storage.store,
        rests: storage.rests,
        peers: storage.peers,
        allocator: options.allocator,
    };
    let mut sweep = Sweep::new(plan, manner, observer);
    let lost = |what| Error::Lost { step: 0, steps: plan.steps().len(), what };
    // If one has no room for its tables, nobody shall wait for it.
    let ready = sweep.as_ref().map(|_| ()).map_err(Clone::clone);
    if let Err(error) = Ranks::new(storage.peers).agree(ready, lost) {
        sweep = Err(error);
    }
    let result = sweep.and_then(|sweep| sweep.run(storage.from));
    wish(Wish::Trim);
    result
}

/// Runs `work` on a pool of that many threads.
pub(in crate::frontier) fn in_pool<R: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> Result<R, Error> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads { reason: error.to_string() })?;
    Ok(pool.install(work))
}
