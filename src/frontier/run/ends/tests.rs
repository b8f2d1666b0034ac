use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::board::{Arena, Graph, Leaper};
use crate::frontier::block::modulus::Lane;
use crate::frontier::layer::snapshot::{Snapshot, check_stored};
use crate::frontier::layer::store::memory::Memory;
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::{Factors, Field};
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::pulse::Pulse;
use crate::frontier::run::count::{count, count_stored};
use crate::frontier::run::ends::digest;
use crate::frontier::run::observer::{Observer, Silent, StepReport};
use crate::frontier::run::options::{Ends, Method, Options, Storage};
use crate::frontier::run::prepare::Prepared;
use crate::frontier::state::cut::Cut;
use crate::frontier::state::words::Words;

fn counted(field: &Field, tours: Tours, ends: Ends, fold: bool) -> BigUint {
    let options = Options { ends, fold, method: Method::Blocks, ..Options::default() };
    count(field, tours, &options, &mut Silent).unwrap().count
}

fn board(board: &str) -> Field {
    Field::of(&board.parse().unwrap())
}

#[test]
fn wherever_the_ends_meet_the_count_is_the_same() {
    for (name, tours) in [
        ("5x6", Tours::Closed),
        ("4x5", Tours::Paths),
        ("5x5", Tours::Paths),
        ("3x7", Tours::From(0)),
        ("5x5", Tours::From(12)),
        ("5x5", Tours::Between(0, 24)),
    ] {
        let field = board(name);
        for fold in [true, false] {
            let whole = counted(&field, tours, Ends::One, fold);
            assert!(whole > BigUint::ZERO, "{name} {tours:?}");
            for steps in 0..=field.as_graph().len() + 1 {
                let joined = counted(&field, tours, Ends::Meet(steps), fold);
                assert_eq!(joined, whole, "{name} {tours:?} {fold} {steps}");
            }
        }
    }
}

/// Returns the squares line by line, each followed by its mirror image.
fn lines(rows: usize, cols: usize) -> Vec<usize> {
    let line = |row: usize| (0..cols).map(move |k| (row, k));
    let place = |k: usize| if k.is_multiple_of(2) { k / 2 } else { cols - 1 - k / 2 };
    (0..rows).flat_map(line).map(|(row, k)| row * cols + place(k)).collect()
}

/// Returns, for every cut of a board at which the halves have common steps, the options and the number of
/// these steps.
fn twins(rows: usize, cols: usize, tours: Tours, fold: bool) -> Vec<(Options, usize)> {
    let field = board(&format!("{rows}x{cols}"));
    let meet = |steps: usize| {
        let (order, ends) = (Some(lines(rows, cols)), Ends::Meet(steps));
        let options = Options { order, ends, fold, method: Method::Blocks, ..Options::default() };
        let pair = Prepared::new(&field, tours, &options).unwrap().pair().cloned();
        pair.filter(|pair| pair.shared > 0).map(|pair| (options, pair.shared))
    };
    (1..=rows * cols).filter_map(meet).collect()
}

#[test]
fn what_both_ends_share_is_swept_once() {
    for (rows, cols, tours) in
        [(6, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths), (9, 4, Tours::Between(0, 35))]
    {
        let field = board(&format!("{rows}x{cols}"));
        let whole = counted(&field, tours, Ends::One, true);
        for fold in [true, false] {
            let twins = twins(rows, cols, tours, fold);
            assert!(twins.len() > 2, "{rows}x{cols} {tours:?} {fold}: {}", twins.len());
            for (options, shared) in twins {
                let joined = count(&field, tours, &options, &mut Silent).unwrap();
                assert_eq!(joined.count, whole, "{rows}x{cols} {tours:?} {fold} {:?}", options.ends);
                let Ends::Meet(steps) = options.ends else { unreachable!() };
                assert!(shared <= steps);
            }
        }
    }
}

#[test]
fn ends_of_other_arenas_share_what_they_can() {
    let mut shared = 0;
    for (arena, tours) in [
        ("board=6x4 piece=1,2 wrap=cols remove=-", Tours::Closed),
        ("board=5x4 piece=1,2 wrap=mobius remove=-", Tours::Closed),
        ("board=3x5 piece=1,2 wrap=torus remove=-", Tours::Paths),
        ("board=6x5 piece=1,2 remove=c3,c4", Tours::Closed),
        ("board=5x5 piece=1,2 remove=a1,e5", Tours::Paths),
        ("board=4x4 piece=0,1+1,1 remove=-", Tours::Closed),
        ("board=7x4 piece=0,1 remove=-", Tours::Paths),
        ("board=2x3x4 piece=1,2 remove=-", Tours::Closed),
    ] {
        let field = Field::of(&arena.parse::<Arena>().unwrap());
        for fold in [true, false] {
            let whole = counted(&field, tours, Ends::One, fold);
            // The order is that of the squares, line by line: boxes and wrapped boards have symmetric halves
            // too.
            let order: Vec<usize> = (0..field.as_graph().len()).collect();
            for steps in 1..field.as_graph().len() {
                let (order, ends) = (Some(order.clone()), Ends::Meet(steps));
                let options = Options { order, ends, fold, method: Method::Blocks, ..Options::default() };
                let prepared = Prepared::new(&field, tours, &options).unwrap();
                shared += usize::from(prepared.pair().is_some_and(|pair| pair.shared > 0));
                let joined = prepared.sweep(Storage::default(), &mut Silent).unwrap().count;
                assert_eq!(joined, whole, "{arena} {tours:?} {fold} {steps}");
            }
        }
    }
    assert!(shared > 20, "{shared}");
}

#[test]
fn factors_and_wide_weights_are_joined_as_well() {
    // 9862 tours, each of which counts as the product of its 36 factors.
    let graph = Graph::new(&"6x6".parse().unwrap(), Leaper::KNIGHT);
    let edges = (0..36u32).flat_map(|v| graph.neighbours(v as usize).iter().map(move |&w| (v, w)));
    let factors: Factors = edges.filter(|(v, w)| v < w).map(|edge| (edge, 1000)).collect();
    let field = Field::weighted(graph.clone(), factors, Vec::new());
    let expected = BigUint::from(9862u32) * BigUint::from(1000u32).pow(36);
    for steps in [10, 14, 18, 22, 26] {
        assert_eq!(counted(&field, Tours::Closed, Ends::Meet(steps), true), expected, "{steps}");
    }
    // In row-major order the halves are symmetric; all mirrors preserve equal factors.
    let board = board("6x6");
    let field = Field::weighted(graph, field.factors().clone(), board.automorphisms().to_vec());
    for steps in [12, 18] {
        let (order, ends) = (Some(lines(6, 6)), Ends::Meet(steps));
        let options = Options { order, ends, method: Method::Blocks, ..Options::default() };
        let prepared = Prepared::new(&field, Tours::Closed, &options).unwrap();
        assert!(prepared.pair().unwrap().shared > 0, "{steps}");
        assert_eq!(prepared.sweep(Storage::default(), &mut Silent).unwrap().count, expected, "{steps}");
    }
}

/// An observer that stops the sweep regularly and holds the last snapshot.
struct Interrupts {
    every: usize,
    /// Stops after every step instead.
    by_steps: bool,
    asked: usize,
    saved: Option<Snapshot>,
}

impl Observer for Interrupts {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        if self.by_steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn pulse(&mut self) -> Pulse {
        self.asked += 1;
        if !self.by_steps && self.asked.is_multiple_of(self.every) { Pulse::Stop } else { Pulse::Go }
    }

    fn save(&mut self, snapshot: &Snapshot) {
        self.saved = Some(snapshot.clone());
    }
}

#[test]
fn stopped_anywhere_it_goes_on() {
    let field = board("5x6");
    for (tours, steps, every) in
        [(Tours::Closed, 14, 3), (Tours::Paths, 12, 5), (Tours::Closed, 18, 1), (Tours::Paths, 14, 0)]
    {
        let options = Options { ends: Ends::Meet(steps), method: Method::Blocks, ..Options::default() };
        assert_eq!(stopped(&field, tours, &options, every), counted(&field, tours, Ends::One, true));
    }
}

#[test]
fn stopped_where_both_ends_go_on_from_one_layer_it_goes_on() {
    for (rows, cols, tours, everies) in [(5, 5, Tours::Paths, [0, 1]), (8, 4, Tours::Paths, [9, 40])] {
        let field = board(&format!("{rows}x{cols}"));
        let expected = counted(&field, tours, Ends::One, true);
        let twins = twins(rows, cols, tours, true);
        // In the first, the left half has no steps after the common ones.
        for (options, every) in [&twins[0], &twins[twins.len() - 1]].iter().zip(everies) {
            assert_eq!(stopped(&field, tours, &options.0, every), expected, "{:?} {every}", options.0.ends);
        }
    }
}

/// Returns the count of a sweep that is stopped and resumed regularly.
fn stopped(field: &Field, tours: Tours, options: &Options, every: usize) -> BigUint {
    let store = Memory::default();
    let mut interrupts = Interrupts { every, by_steps: every == 0, asked: 0, saved: None };
    let mut sittings = 0;
    loop {
        let from = interrupts.saved.take();
        let storage = Storage { store: Some(&store), snapshots: true, from, ..Storage::default() };
        match count_stored(field, tours, options, storage, &mut interrupts) {
            Ok(outcome) => {
                assert!(sittings > 3, "{sittings}");
                return outcome.count;
            }
            Err(Error::Stopped { .. }) => sittings += 1,
            Err(error) => panic!("{error}"),
        }
        let saved = interrupts.saved.as_ref().expect("a stopped sweep has written a snapshot");
        assert!(check_stored(&store, saved).is_ok());
    }
}

#[test]
fn with_little_memory_the_layer_that_waits_goes_to_the_store() {
    let field = board("7x8");
    let store = Memory::default();
    let counted = |memory| {
        let options = Options { ends: Ends::Meet(28), method: Method::Blocks, memory, ..Options::default() };
        let storage = Storage { store: Some(&store), ..Storage::default() };
        count_stored(&field, Tours::Closed, &options, storage, &mut Silent)
    };
    let free = counted(None).unwrap();
    assert_eq!((free.totals.peak_stored, free.count.to_string()), (0, "34524432316".into()));
    // Half of everything but the signatures at the cut.
    let options = Options { ends: Ends::Meet(28), ..Options::default() };
    let slots = Prepared::new(&field, Tours::Closed, &options).unwrap().outlook().slots;
    let waiting = 2 * Words::new(slots).len() as u64 * size_of::<u128>() as u64;
    let tight = counted(Some((free.totals.peak_bytes + waiting) / 2)).unwrap();
    assert!(tight.totals.peak_stored > 0);
    assert_eq!((tight.count, tight.totals.states), (free.count, free.totals.states));
}

#[test]
fn as_little_memory_as_is_told_will_do() {
    let mut stored = 0;
    for (rows, cols, tours) in
        [(8, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths), (8, 7, Tours::Closed)]
    {
        let field = board(&format!("{rows}x{cols}"));
        let expected = counted(&field, tours, Ends::One, true);
        // In the first, the left half has no steps after the common ones; of a large board it is slow enough.
        let some = if rows * cols > 50 { 1 } else { usize::MAX };
        for (options, _) in twins(rows, cols, tours, true).into_iter().take(some) {
            let estimate = Prepared::new(&field, tours, &options).unwrap().estimate().unwrap();
            // Weights may be wider than estimated, and portable kernels leave out no zeros.
            let memory = Some(estimate.least() + estimate.chunk);
            let (options, store) = (Options { memory, ..options }, Memory::default());
            let storage = Storage { store: Some(&store), ..Storage::default() };
            let outcome = count_stored(&field, tours, &options, storage, &mut Silent).unwrap();
            stored += usize::from(outcome.totals.peak_stored > 0);
            assert_eq!(outcome.count, expected, "{rows}x{cols} {tours:?} {:?}", options.ends);
        }
    }
    assert!(stored > 6, "{stored}");
}

#[test]
fn residues_of_twins_are_those_of_the_count() {
    for (rows, cols, tours) in [(6, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths)] {
        let field = board(&format!("{rows}x{cols}"));
        let whole = counted(&field, tours, Ends::One, true);
        for prime in [3u32, 65_521] {
            let modulo = Lane::new(prime).map(Into::into);
            for (options, _) in twins(rows, cols, tours, true) {
                let options = Options { modulo, ..options };
                assert!(Prepared::new(&field, tours, &options).unwrap().pair().is_some());
                let joined = count(&field, tours, &options, &mut Silent).unwrap();
                assert_eq!(
                    joined.count,
                    &whole % prime,
                    "{rows}x{cols} {tours:?} {prime} {:?}",
                    options.ends
                );
            }
        }
    }
}

#[test]
fn where_nothing_can_meet_no_ends_are_looked_for() {
    let field = board("6x5");
    let prepared = |options: &Options| Prepared::new(&field, Tours::Closed, options).unwrap();
    let meets = Options { ends: Ends::Meet(15), ..Options::default() };
    assert!(prepared(&meets).pair().is_some());
    let cut = Some(Cut { index: 0, count: 2 });
    assert!(prepared(&Options { cut, ..meets.clone() }).pair().is_none());
    let even = Lane::new(1 << 10).map(Into::into);
    assert!(prepared(&Options { modulo: even, ..meets.clone() }).pair().is_none());
    let one = Options { ends: Ends::One, ..meets.clone() };
    let outlook = prepared(&meets).with(&one).outlook();
    assert_eq!(outlook.steps, prepared(&one).outlook().steps);
    // A wide frontier has no layers of blocks, and its slot renamings cannot be enumerated.
    let wide = board("16x16");
    let order = Some(lines(16, 16));
    let wide =
        Prepared::new(&wide, Tours::Closed, &Options { order, ends: Ends::Meet(96), ..Options::default() });
    assert!(wide.unwrap().pair().is_none());
}

#[test]
fn places_to_meet_are_not_mistaken_for_others() {
    let field = board("5x6");
    // After its neighbours, processing a corner changes only the number of steps.
    let first: Vec<usize> = field.as_graph().neighbours(0).iter().map(|&v| v as usize).chain([0]).collect();
    let rest = (0..30).filter(|v| !first.contains(v));
    let order: Vec<usize> = first.iter().copied().chain(rest).collect();
    let digest_of = |steps: usize| {
        let (order, ends) = (Some(order.clone()), Ends::Meet(steps));
        let options = Options { order, ends, fold: false, method: Method::Blocks, ..Options::default() };
        let prepared = Prepared::new(&field, Tours::Closed, &options).unwrap();
        let pair = prepared.pair().unwrap();
        (pair.far.digest(), digest(&pair.near, Some(pair)))
    };
    let (before, after) = (digest_of(first.len() - 1), digest_of(first.len()));
    assert!(before.0 == after.0 && before.1 != after.1);
}
