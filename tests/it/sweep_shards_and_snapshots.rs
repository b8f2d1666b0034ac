//! Sweeps that are divided into shards, spill layers to a store, or resume from snapshots.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use ktour::board::{Graph, Leaper, Rectangle};
use ktour::frontier::{
    Command, Error, Factors, Method, Modulus, NoObserver, Observer, Options, Outcome, ResidueRing, Snapshot,
    StepReport, Storage, Store, SweepGraph, SweepShard, Tours, Width, count, count_with_storage,
};
use num_bigint::BigUint;
use proptest::prelude::*;

/// Runs a closure in a pool of `threads` threads. Tests that count thousands of small boards use one thread: a step of
/// such a board takes less time than its transfer to another thread, and tests run on all processors anyway.
pub fn run_on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A store that keeps its items in memory.
#[derive(Default)]
pub struct MemoryStore {
    pub items: Arc<Mutex<HashMap<u64, Vec<u8>>>>,
    pub next: Mutex<u64>,
    /// Number of items after which `create` fails.
    pub max_items: Option<u64>,
    /// If true, `remove` does nothing, so that older snapshots remain complete.
    pub keeps_removed_items: bool,
}

struct StoreWriter(Arc<Mutex<HashMap<u64, Vec<u8>>>>, u64);

impl Write for StoreWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().get_mut(&self.1).unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Store for MemoryStore {
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
        let mut next = self.next.lock().unwrap();
        if self.max_items.is_some_and(|max_items| *next >= max_items) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room"));
        }
        *next += 1;
        self.items.lock().unwrap().insert(*next, Vec::new());
        Ok((*next, Box::new(StoreWriter(Arc::clone(&self.items), *next))))
    }

    fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(io::Cursor::new(self.items.lock().unwrap()[&number].clone())))
    }

    fn remove(&self, number: u64) {
        if !self.keeps_removed_items {
            assert!(self.items.lock().unwrap().remove(&number).is_some(), "removed twice");
        }
    }
}

/// Requests a snapshot at every `every`th poll, and stops with snapshot number `stop_after`.
#[derive(Default)]
pub struct SnapshotObserver {
    pub every: u32,
    pub stop_after: usize,
    pub polls: u32,
    pub snapshots: Vec<Snapshot>,
    pub save_errors: usize,
}

impl Observer for SnapshotObserver {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self) -> Command {
        self.polls += 1;
        match self.polls.is_multiple_of(self.every) {
            false => Command::Continue,
            true if self.snapshots.len() + 1 == self.stop_after => Command::Stop,
            true => Command::Save,
        }
    }

    fn on_snapshot(&mut self, snapshot: &Snapshot) {
        self.snapshots.push(snapshot.clone());
    }

    fn on_save_error(&mut self, _: &str) {
        self.save_errors += 1;
    }
}

/// Records all step reports.
#[derive(Default)]
pub struct ReportRecorder(pub Vec<StepReport>);

impl Observer for ReportRecorder {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.0.push(report.clone());
        ControlFlow::Continue(())
    }
}

pub fn sweep_graph(board: &str) -> SweepGraph {
    SweepGraph::from_board(&board.parse().unwrap())
}

fn states_and_transitions(outcome: &Outcome) -> (u64, u64) {
    (outcome.totals.states, outcome.totals.transitions)
}

fn big_number(n: u64) -> BigUint {
    BigUint::from(n)
}

fn assert_shards_add_up(board: &str, tours: Tours, whole: u64, counts: &[u32]) {
    let graph = sweep_graph(board);
    let whole_count = count(&graph, tours, &Options::default(), &mut NoObserver).unwrap().count;
    assert_eq!(whole_count, big_number(whole), "{board}");
    for &parts in counts {
        for method in [Method::Blocks, Method::Hashed] {
            let count_shard = |index| {
                let shard = Some(SweepShard { index, count: parts });
                count(&graph, tours, &Options { shard, method, ..Options::default() }, &mut NoObserver)
                    .unwrap()
                    .count
            };
            let sum: BigUint = (0..parts).map(count_shard).sum();
            assert_eq!(sum, whole_count, "{board} in {parts} shards by {method:?}");
        }
    }
}

#[test]
fn shards_add_up_to_whole_count() {
    assert_shards_add_up("6x6", Tours::Closed, 9_862, &[1, 2, 3, 7, 30]);
    assert_shards_add_up("6x8", Tours::Closed, 55_488_142, &[3]);
    assert_shards_add_up("5x5", Tours::Paths, 864, &[1, 2, 3, 7, 30]);
    assert_shards_add_up("5x5", Tours::From(0), 304, &[1, 2, 3, 7, 30]);
}

#[test]
#[ignore = "forty sweeps by each method"]
fn many_shards_add_up_to_whole_count() {
    assert_shards_add_up("6x8", Tours::Closed, 55_488_142, &[1, 2, 7, 30]);
}

#[test]
fn block_and_hashed_sweeps_shard_equally() {
    let graph = sweep_graph("6x7");
    for index in 0..5 {
        let shard = Some(SweepShard { index, count: 5 });
        let count_shard = |method| {
            count(&graph, Tours::Closed, &Options { shard, method, ..Options::default() }, &mut NoObserver)
                .unwrap()
                .count
        };
        assert_eq!(count_shard(Method::Blocks), count_shard(Method::Hashed), "shard {index}");
    }
}

#[test]
fn counts_wrap_modulo_power_of_two() {
    let graph = sweep_graph("7x8");
    for width in [Width::W32, Width::W64, Width::Limbs(8), Width::Limbs(20)] {
        let options = Options { modulo: Some(width.into()), ..Options::default() };
        let residue = count(&graph, Tours::Closed, &options, &mut NoObserver).unwrap().count;
        assert_eq!(residue, big_number(34_524_432_316) % (BigUint::from(1u8) << width.bits()));
    }
}

#[test]
fn spilled_layers_give_same_count() {
    assert_spilling_keeps_count("7x8", 34_524_432_316, None, 80);
    // Weights of 640 bits.
    assert_spilling_keeps_count("6x8", 55_488_142, Some(Width::Limbs(20).into()), 80);
    // Residues; the expected count is the exact count modulo the modulus.
    assert_spilling_keeps_count(
        "7x8",
        34_524_432_316 % 4_294_967_291,
        ResidueRing::new(4_294_967_291).map(Into::into),
        80,
    );
}

/// Sweeps with `percent` % of the peak memory of an unlimited sweep. Asserts that the sweep fails without a
/// store, and that it returns the same count and work with one.
fn assert_spilling_keeps_count(board: &str, closed: u64, modulo: Option<Modulus>, percent: u64) {
    let graph = sweep_graph(board);
    let options = Options { modulo, ..Options::default() };
    let whole = count(&graph, Tours::Closed, &options, &mut NoObserver).unwrap();
    assert_eq!(whole.count, big_number(closed));
    let memory = whole.totals.peak_bytes * percent / 100;
    let options = Options { memory: Some(memory), ..options };
    assert!(matches!(count(&graph, Tours::Closed, &options, &mut NoObserver), Err(Error::Memory { .. })));
    let store = MemoryStore::default();
    let storage = Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
    let spilled = count_with_storage(&graph, Tours::Closed, &options, storage, &mut NoObserver).unwrap();
    assert_eq!(spilled.count, whole.count);
    assert!(spilled.totals.peak_bytes <= memory);
    assert!(spilled.totals.written > 0 && spilled.totals.peak_stored > 0);
    assert_eq!(states_and_transitions(&spilled), states_and_transitions(&whole));
    assert!(store.items.lock().unwrap().is_empty(), "the store is empty after the sweep");
}

#[test]
fn full_store_stops_sweep_with_error() {
    let graph = sweep_graph("7x8");
    let whole = count(&graph, Tours::Closed, &Options::default(), &mut NoObserver).unwrap();
    let options = Options { memory: Some(whole.totals.peak_bytes / 5 * 4), ..Options::default() };
    let store = MemoryStore { max_items: Some(3), ..MemoryStore::default() };
    let storage = Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
    let result = count_with_storage(&graph, Tours::Closed, &options, storage, &mut NoObserver);
    assert!(
        matches!(&result, Err(Error::Store { message, .. }) if message.contains("no room")),
        "{result:?}"
    );
}

#[test]
fn failed_snapshot_does_not_stop_sweep() {
    let store = MemoryStore { max_items: Some(20), ..MemoryStore::default() };
    let storage = Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
    let mut observer = SnapshotObserver { every: 10, stop_after: usize::MAX, ..SnapshotObserver::default() };
    let outcome =
        count_with_storage(&sweep_graph("6x6"), Tours::Closed, &Options::default(), storage, &mut observer)
            .unwrap();
    assert_eq!(outcome.count, big_number(9_862));
    assert!(observer.save_errors > 0);
}

/// Sweeps to snapshot number `stop_after`, stops there and resumes, until the sweep ends. Returns the count.
pub fn count_with_interruptions(
    graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    every: u32,
    stop_after: usize,
) -> BigUint {
    let store = MemoryStore::default();
    let mut from = None;
    loop {
        let mut observer = SnapshotObserver { every, stop_after, ..SnapshotObserver::default() };
        let storage =
            Storage { store: Some(&store), wants_snapshots: true, resume_from: from.take(), peers: None };
        match count_with_storage(graph, tours, options, storage, &mut observer) {
            Ok(outcome) => return outcome.count,
            Err(Error::Stopped { .. }) => from = Some(observer.snapshots.pop().unwrap()),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn sweep_resumes_from_every_snapshot() {
    let graph = sweep_graph("6x8");
    let store = MemoryStore { keeps_removed_items: true, ..MemoryStore::default() };
    let mut observer = SnapshotObserver { every: 97, stop_after: usize::MAX, ..SnapshotObserver::default() };
    let storage = Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
    let options = Options::default();
    let whole = count_with_storage(&graph, Tours::Closed, &options, storage, &mut observer).unwrap();
    assert_eq!(whole.count, big_number(55_488_142));
    assert!(observer.snapshots.len() > 10, "{}", observer.snapshots.len());
    for snapshot in observer.snapshots.into_iter().step_by(3) {
        let text = serde_json::to_string(&snapshot).unwrap();
        let parsed: Snapshot = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed, snapshot);
        let threads = 1 + parsed.step % 3;
        let storage =
            Storage { store: Some(&store), wants_snapshots: true, resume_from: Some(parsed), peers: None };
        let sweep = || count_with_storage(&graph, Tours::Closed, &options, storage, &mut NoObserver).unwrap();
        let outcome = run_on_threads(threads, sweep);
        assert_eq!(outcome.count, whole.count);
        assert_eq!(states_and_transitions(&outcome), states_and_transitions(&whole));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn interrupted_shards_of_random_boards_add_up(
        rows in 3u16..6, cols in 4u16..7, holes in prop::collection::vec(0usize..30, 0..4),
        every in 3u32..60, stop_after in 1usize..4, parts in 1u32..5, closed in any::<bool>(), fold in any::<bool>(),
        modulo in prop_oneof![Just(None), (2u32..6).prop_map(|groups| Some(Width::Limbs(4 * groups).into()))],
    ) {
        let board = Rectangle::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let board = board.without(removed).unwrap();
        let graph = SweepGraph::from_board(&board.clone().into());
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let whole = count(&graph, tours, &Options { method: Method::Hashed, ..Options::default() }, &mut NoObserver).unwrap();
        let sum: BigUint = (0..parts)
            .map(|index| {
                let shard = Some(SweepShard { index, count: parts });
                let options = Options { shard, fold, modulo, method: Method::Blocks, ..Options::default() };
                run_on_threads(2, || count_with_interruptions(&graph, tours, &options, every, stop_after))
            })
            .sum();
        prop_assert_eq!(sum, whole.count);
    }
}

/// Generates small factors, and in one of 41 cases any factor of 16 bits.
pub fn any_factor() -> impl Strategy<Value = i32> {
    prop_oneof![40 => -2i32..4, 1 => -32767..=32767]
}

/// Returns the sweep graph of a board whose moves have the factors of `seed`, repeated in order.
pub fn sweep_graph_with_factors(board: &Rectangle, seed: &[i32]) -> SweepGraph {
    let graph = Graph::from_leaper(board, Leaper::KNIGHT);
    let mut factors = Factors::new();
    let edges = (0..graph.len()).flat_map(|v| graph.neighbours(v).iter().map(move |&w| (v as u32, w)));
    for (n, edge) in edges.filter(|(v, w)| v < w).enumerate() {
        factors.insert(edge, seed[n % seed.len()]);
    }
    SweepGraph::with_factors(graph, factors, Vec::new())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn block_and_hashed_sweeps_agree_with_factors(
        rows in 3u16..6, cols in 4u16..6, seed in prop::collection::vec(any_factor(), 1..90), closed in any::<bool>(),
    ) {
        let graph = sweep_graph_with_factors(&Rectangle::new(rows, cols).unwrap(), &seed);
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let has_small_factors = seed.iter().all(|factor| factor.abs() < 4);
        let count_by = |method, width: Width| {
            let options = Options { method, modulo: Some(width.into()), ..Options::default() };
            let outcome = count(&graph, tours, &options, &mut NoObserver).unwrap();
            (outcome.count, outcome.is_negative)
        };
        prop_assert_eq!(count_by(Method::Blocks, Width::Limbs(32)), count_by(Method::Hashed, Width::W64));
        if has_small_factors {
            prop_assert_eq!(count_by(Method::Blocks, Width::W64), count_by(Method::Hashed, Width::W64));
        }
    }
}
