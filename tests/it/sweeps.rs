//! Sweeps in parts, with layers outside memory, at rest and gone on with.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use ktour::board::{Board, Graph, Leaper};
use ktour::frontier::{
    Cut, Error, Factors, Field, Lane, Method, Modulus, Observer, Options, Outcome, Pulse, Silent, Snapshot,
    StepReport, Storage, Store, Tours, Width, count, count_stored,
};
use num_bigint::BigUint;
use proptest::prelude::*;

/// Does something on so many threads.
pub fn on<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A store in memory.
#[derive(Default)]
pub struct Shelf {
    pub items: Arc<Mutex<HashMap<u64, Vec<u8>>>>,
    pub next: Mutex<u64>,
    /// Writing fails after so many items.
    pub most: Option<u64>,
    /// Nothing is thrown away, so that older snapshots stay whole.
    pub hoards: bool,
}

struct Item(Arc<Mutex<HashMap<u64, Vec<u8>>>>, u64);

impl Write for Item {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().get_mut(&self.1).unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Store for Shelf {
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
        let mut next = self.next.lock().unwrap();
        if self.most.is_some_and(|most| *next >= most) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room"));
        }
        *next += 1;
        self.items.lock().unwrap().insert(*next, Vec::new());
        Ok((*next, Box::new(Item(Arc::clone(&self.items), *next))))
    }

    fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(io::Cursor::new(self.items.lock().unwrap()[&number].clone())))
    }

    fn remove(&self, number: u64) {
        if !self.hoards {
            assert!(self.items.lock().unwrap().remove(&number).is_some(), "removed twice");
        }
    }
}

/// Asks for a snapshot after every so many chunks, and stops after so many snapshots.
#[derive(Default)]
pub struct Sleeper {
    pub every: u32,
    pub stop_after: usize,
    pub pulses: u32,
    pub snapshots: Vec<Snapshot>,
    pub complaints: usize,
}

impl Observer for Sleeper {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn pulse(&mut self) -> Pulse {
        self.pulses += 1;
        match self.pulses.is_multiple_of(self.every) {
            false => Pulse::Go,
            true if self.snapshots.len() + 1 == self.stop_after => Pulse::Stop,
            true => Pulse::Save,
        }
    }

    fn save(&mut self, snapshot: &Snapshot) {
        self.snapshots.push(snapshot.clone());
    }

    fn not_saved(&mut self, _: &str) {
        self.complaints += 1;
    }
}

/// Keeps all reports.
#[derive(Default)]
pub struct Journal(pub Vec<StepReport>);

impl Observer for Journal {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.0.push(report.clone());
        ControlFlow::Continue(())
    }
}

pub fn field(board: &str) -> Field {
    Field::of(&board.parse().unwrap())
}

fn work(outcome: &Outcome) -> (u64, u64) {
    (outcome.totals.states, outcome.totals.transitions)
}

fn number(n: u64) -> BigUint {
    BigUint::from(n)
}

fn parts_add_up(board: &str, tours: Tours, whole: u64, counts: &[u32]) {
    let field = field(board);
    let all = count(&field, tours, &Options::default(), &mut Silent).unwrap().count;
    assert_eq!(all, number(whole), "{board}");
    for &parts in counts {
        for method in [Method::Blocks, Method::Hashed] {
            let part = |index| {
                let cut = Some(Cut { index, count: parts });
                count(&field, tours, &Options { cut, method, ..Options::default() }, &mut Silent)
                    .unwrap()
                    .count
            };
            let sum: BigUint = (0..parts).map(part).sum();
            assert_eq!(sum, all, "{board} in {parts} parts by {method:?}");
        }
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    parts_add_up("6x6", Tours::Closed, 9_862, &[1, 2, 3, 7, 30]);
    parts_add_up("6x8", Tours::Closed, 55_488_142, &[3]);
    parts_add_up("5x5", Tours::Paths, 864, &[1, 2, 3, 7, 30]);
    parts_add_up("5x5", Tours::From(0), 304, &[1, 2, 3, 7, 30]);
}

#[test]
#[ignore = "forty sweeps by each method"]
fn many_parts_add_up_to_the_whole() {
    parts_add_up("6x8", Tours::Closed, 55_488_142, &[1, 2, 7, 30]);
}

#[test]
fn both_engines_cut_alike() {
    let field = field("6x7");
    for index in 0..5 {
        let cut = Some(Cut { index, count: 5 });
        let part = |method| {
            count(&field, Tours::Closed, &Options { cut, method, ..Options::default() }, &mut Silent)
                .unwrap()
                .count
        };
        assert_eq!(part(Method::Blocks), part(Method::Hashed), "part {index}");
    }
}

#[test]
fn counts_modulo_a_power_of_two_wrap() {
    let field = field("7x8");
    for width in [Width::W32, Width::W64, Width::Limbs(8), Width::Limbs(20)] {
        let options = Options { modulo: Some(width.into()), ..Options::default() };
        let residue = count(&field, Tours::Closed, &options, &mut Silent).unwrap().count;
        assert_eq!(residue, number(34_524_432_316) % (BigUint::from(1u8) << width.bits()));
    }
}

#[test]
fn layers_larger_than_memory_give_the_same_count() {
    spilled("7x8", 34_524_432_316, None, 50);
    // The same of weights of 640 bits.
    spilled("6x8", 55_488_142, Some(Width::Limbs(20).into()), 80);
    // And of residues, which would be one of these in the end.
    spilled("7x8", 34_524_432_316 % 4_294_967_291, Lane::new(4_294_967_291).map(Into::into), 50);
}

fn spilled(board: &str, closed: u64, modulo: Option<Modulus>, percent: u64) {
    let field = field(board);
    let options = Options { modulo, ..Options::default() };
    let whole = count(&field, Tours::Closed, &options, &mut Silent).unwrap();
    assert_eq!(whole.count, number(closed));
    let memory = whole.totals.peak_bytes * percent / 100;
    let options = Options { memory: Some(memory), ..options };
    assert!(matches!(count(&field, Tours::Closed, &options, &mut Silent), Err(Error::Memory { .. })));
    let store = Shelf::default();
    let storage = Storage { store: Some(&store), snapshots: true, ..Storage::default() };
    let spilled = count_stored(&field, Tours::Closed, &options, storage, &mut Silent).unwrap();
    assert_eq!(spilled.count, whole.count);
    assert!(spilled.totals.peak_bytes <= memory);
    assert!(spilled.totals.written > 0 && spilled.totals.peak_stored > 0);
    assert_eq!(work(&spilled), work(&whole));
    assert!(store.items.lock().unwrap().is_empty(), "nothing is left behind");
}

#[test]
fn a_full_store_is_an_error_and_no_count() {
    let field = field("7x8");
    let whole = count(&field, Tours::Closed, &Options::default(), &mut Silent).unwrap();
    let options = Options { memory: Some(whole.totals.peak_bytes / 2), ..Options::default() };
    let store = Shelf { most: Some(3), ..Shelf::default() };
    let storage = Storage { store: Some(&store), snapshots: true, ..Storage::default() };
    let result = count_stored(&field, Tours::Closed, &options, storage, &mut Silent);
    assert!(matches!(&result, Err(Error::Store { what, .. }) if what.contains("no room")), "{result:?}");
}

#[test]
fn a_store_that_fails_while_resting_does_not_stop_the_sweep() {
    let store = Shelf { most: Some(20), ..Shelf::default() };
    let storage = Storage { store: Some(&store), snapshots: true, ..Storage::default() };
    let mut sleeper = Sleeper { every: 10, stop_after: usize::MAX, ..Sleeper::default() };
    let outcome =
        count_stored(&field("6x6"), Tours::Closed, &Options::default(), storage, &mut sleeper).unwrap();
    assert_eq!(outcome.count, number(9_862));
    assert!(sleeper.complaints > 0);
}

/// Sweeps to the given snapshot, stops there, goes on from there.
pub fn interrupted(field: &Field, tours: Tours, options: &Options, every: u32, stop_after: usize) -> BigUint {
    let store = Shelf::default();
    let mut from = None;
    loop {
        let mut sleeper = Sleeper { every, stop_after, ..Sleeper::default() };
        let storage = Storage { store: Some(&store), snapshots: true, from: from.take(), peers: None };
        match count_stored(field, tours, options, storage, &mut sleeper) {
            Ok(outcome) => return outcome.count,
            Err(Error::Stopped { .. }) => from = Some(sleeper.snapshots.pop().unwrap()),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn every_snapshot_leads_to_the_same_count() {
    let field = field("6x8");
    let store = Shelf { hoards: true, ..Shelf::default() };
    let mut sleeper = Sleeper { every: 97, stop_after: usize::MAX, ..Sleeper::default() };
    let storage = Storage { store: Some(&store), snapshots: true, ..Storage::default() };
    let options = Options::default();
    let whole = count_stored(&field, Tours::Closed, &options, storage, &mut sleeper).unwrap();
    assert_eq!(whole.count, number(55_488_142));
    assert!(sleeper.snapshots.len() > 10, "{}", sleeper.snapshots.len());
    for snapshot in sleeper.snapshots.into_iter().step_by(3) {
        let text = serde_json::to_string(&snapshot).unwrap();
        let from: Snapshot = serde_json::from_str(&text).unwrap();
        assert_eq!(from, snapshot);
        let threads = 1 + from.step % 3;
        let storage = Storage { store: Some(&store), snapshots: true, from: Some(from), peers: None };
        let sweep = || count_stored(&field, Tours::Closed, &options, storage, &mut Silent).unwrap();
        let outcome = on(threads, sweep);
        assert_eq!(outcome.count, whole.count);
        assert_eq!(work(&outcome), work(&whole));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn interrupted_parts_of_random_boards_add_up(
        rows in 3u16..6, cols in 4u16..7, holes in prop::collection::vec(0usize..30, 0..4),
        every in 3u32..60, stop_after in 1usize..4, parts in 1u32..5, closed in any::<bool>(), fold in any::<bool>(),
        modulo in prop_oneof![Just(None), (2u32..6).prop_map(|groups| Some(Width::Limbs(4 * groups).into()))],
    ) {
        let board = Board::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let board = board.without(removed).unwrap();
        let field = Field::of(&board.clone().into());
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let whole = count(&field, tours, &Options { method: Method::Hashed, ..Options::default() }, &mut Silent).unwrap();
        let sum: BigUint = (0..parts)
            .map(|index| {
                let cut = Some(Cut { index, count: parts });
                let options = Options { cut, fold, modulo, method: Method::Blocks, ..Options::default() };
                on(2, || interrupted(&field, tours, &options, every, stop_after))
            })
            .sum();
        prop_assert_eq!(sum, whole.count);
    }
}

/// Small factors, and now and then one as great as can be.
pub fn factor() -> impl Strategy<Value = i32> {
    prop_oneof![40 => -2i32..4, 1 => -32767..=32767]
}

/// A board whose moves have these factors, again and again.
pub fn weighted(board: &Board, seed: &[i32]) -> Field {
    let graph = Graph::new(board, Leaper::KNIGHT);
    let mut factors = Factors::new();
    let edges = (0..graph.len()).flat_map(|v| graph.neighbours(v).iter().map(move |&w| (v as u32, w)));
    for (n, edge) in edges.filter(|(v, w)| v < w).enumerate() {
        factors.insert(edge, seed[n % seed.len()]);
    }
    Field::weighted(graph, factors, Vec::new())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn blocks_multiply_as_single_states_do(
        rows in 3u16..6, cols in 4u16..6, seed in prop::collection::vec(factor(), 1..90), closed in any::<bool>(),
    ) {
        let field = weighted(&Board::new(rows, cols).unwrap(), &seed);
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let small = seed.iter().all(|factor| factor.abs() < 4);
        let by = |method, width: Width| {
            let options = Options { method, modulo: Some(width.into()), ..Options::default() };
            let outcome = count(&field, tours, &options, &mut Silent).unwrap();
            (outcome.count, outcome.negative)
        };
        prop_assert_eq!(by(Method::Blocks, Width::Limbs(32)), by(Method::Hashed, Width::W64));
        if small {
            prop_assert_eq!(by(Method::Blocks, Width::W64), by(Method::Hashed, Width::W64));
        }
    }
}
