use std::ops::ControlFlow;

use num_bigint::BigUint;

use super::plan_digest;
use crate::board::{Board, Graph, Leaper};
use crate::frontier::layer::snapshot::{Snapshot, check_stored};
use crate::frontier::layer::store::memory::MemoryStore;
use crate::frontier::planning::phase::PhaseKind;
use crate::frontier::planning::problem::{Factors, SweepGraph, Tours};
use crate::frontier::ranks::command::Command;
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::shard::SweepShard;
use crate::frontier::sweep::count::{count, count_with_storage};
use crate::frontier::sweep::options::{Method, Options, Storage, SweepSides};
use crate::frontier::sweep::prepared_sweep::PreparedSweep;
use crate::frontier::sweep::report::{NoObserver, Observer, Outcome, StepReport};
use crate::frontier::weights::modulus::ResidueRing;

fn count_with(sweep_graph: &SweepGraph, tours: Tours, ends: SweepSides, fold: bool) -> BigUint {
    let options = Options { sides: ends, fold, method: Method::Blocks, ..Options::default() };
    let [single, grouped] = [usize::MAX, 0].map(|min_grouped_slots| {
        let options = Options { min_grouped_slots, ..options.clone() };
        count(sweep_graph, tours, &options, &mut NoObserver).unwrap()
    });
    assert_eq!((&single.count, single.totals.states), (&grouped.count, grouped.totals.states));
    single.count
}

/// Runs counts of small boards on one thread: their steps take less time than the transfer to another thread, and tests
/// run on all processors anyway. Other tests of this module use all threads.
fn on_one_thread(check: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(check);
}

fn board(board: &str) -> SweepGraph {
    SweepGraph::from_board(&board.parse().unwrap())
}

#[test]
fn two_sided_count_is_independent_of_the_cut() {
    on_one_thread(|| {
        for (name, tours) in [
            ("5x6", Tours::Closed),
            ("4x5", Tours::Paths),
            ("5x5", Tours::Paths),
            ("3x7", Tours::From(0)),
            ("5x5", Tours::From(12)),
            ("5x5", Tours::Between(0, 24)),
        ] {
            let sweep_graph = board(name);
            for fold in [true, false] {
                let whole = count_with(&sweep_graph, tours, SweepSides::One, fold);
                assert!(whole > BigUint::ZERO, "{name} {tours:?}");
                for steps in 0..=sweep_graph.as_graph().len() + 1 {
                    let joined = count_with(&sweep_graph, tours, SweepSides::Two(steps), fold);
                    assert_eq!(joined, whole, "{name} {tours:?} {fold} {steps}");
                }
            }
        }
    });
}

/// Returns the squares row by row, with each square followed by its mirror image.
fn row_major_mirror_pairs(rows: usize, cols: usize) -> Vec<usize> {
    let line = |row: usize| (0..cols).map(move |k| (row, k));
    let position_of = |k: usize| if k.is_multiple_of(2) { k / 2 } else { cols - 1 - k / 2 };
    (0..rows).flat_map(line).map(|(row, k)| row * cols + position_of(k)).collect()
}

/// Returns the cuts of a board at which the two halves have common steps. For each cut it returns
/// the options of the sweep and the number of common steps.
fn options_with_common_steps(rows: usize, cols: usize, tours: Tours, fold: bool) -> Vec<(Options, usize)> {
    let sweep_graph = board(&format!("{rows}x{cols}"));
    let meet = |steps: usize| {
        let (order, ends) = (Some(row_major_mirror_pairs(rows, cols)), SweepSides::Two(steps));
        let options = Options { order, sides: ends, fold, method: Method::Blocks, ..Options::default() };
        let pair = PreparedSweep::new(&sweep_graph, tours, &options).unwrap().two_sided_plan().cloned();
        pair.filter(|pair| pair.common_steps > 0).map(|pair| (options, pair.common_steps))
    };
    (1..=rows * cols).filter_map(meet).collect()
}

#[test]
fn common_steps_do_not_change_the_count() {
    for (rows, cols, tours) in
        [(6, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths), (9, 4, Tours::Between(0, 35))]
    {
        let sweep_graph = board(&format!("{rows}x{cols}"));
        let whole = count_with(&sweep_graph, tours, SweepSides::One, true);
        for fold in [true, false] {
            let cases = options_with_common_steps(rows, cols, tours, fold);
            assert!(cases.len() > 2, "{rows}x{cols} {tours:?} {fold}: {}", cases.len());
            for (options, shared) in cases {
                let joined = count(&sweep_graph, tours, &options, &mut NoObserver).unwrap();
                assert_eq!(joined.count, whole, "{rows}x{cols} {tours:?} {fold} {:?}", options.sides);
                let SweepSides::Two(steps) = options.sides else { unreachable!() };
                assert!(shared <= steps);
            }
        }
    }
}

#[test]
fn two_sided_count_works_on_other_boards() {
    on_one_thread(|| {
        let mut shared = 0;
        for (board, tours) in [
            ("board=6x4 piece=1,2 wrap=cols remove=-", Tours::Closed),
            ("board=5x4 piece=1,2 wrap=mobius remove=-", Tours::Closed),
            ("board=3x5 piece=1,2 wrap=torus remove=-", Tours::Paths),
            ("board=6x5 piece=1,2 remove=c3,c4", Tours::Closed),
            ("board=5x5 piece=1,2 remove=a1,e5", Tours::Paths),
            ("board=4x4 piece=0,1+1,1 remove=-", Tours::Closed),
            ("board=7x4 piece=0,1 remove=-", Tours::Paths),
            ("board=2x3x4 piece=1,2 remove=-", Tours::Closed),
        ] {
            let sweep_graph = SweepGraph::from_board(&board.parse::<Board>().unwrap());
            for fold in [true, false] {
                let whole = count_with(&sweep_graph, tours, SweepSides::One, fold);
                // The order is that of the squares, line by line: boxes and wrapped boards have symmetric halves
                // too.
                let order: Vec<usize> = (0..sweep_graph.as_graph().len()).collect();
                for steps in 1..sweep_graph.as_graph().len() {
                    let (order, ends) = (Some(order.clone()), SweepSides::Two(steps));
                    let options =
                        Options { order, sides: ends, fold, method: Method::Blocks, ..Options::default() };
                    let prepared = PreparedSweep::new(&sweep_graph, tours, &options).unwrap();
                    shared +=
                        usize::from(prepared.two_sided_plan().is_some_and(|pair| pair.common_steps > 0));
                    let joined = prepared.sweep(Storage::default(), &mut NoObserver).unwrap().count;
                    assert_eq!(joined, whole, "{board} {tours:?} {fold} {steps}");
                }
            }
        }
        assert!(shared > 20, "{shared}");
    });
}

#[test]
fn join_handles_factors_and_wide_weights() {
    // 9862 tours, each of which counts as the product of its 36 factors.
    let graph = Graph::from_leaper(&"6x6".parse().unwrap(), Leaper::KNIGHT);
    let edges = (0..36u32).flat_map(|v| graph.neighbours(v as usize).iter().map(move |&w| (v, w)));
    let factors: Factors = edges.filter(|(v, w)| v < w).map(|edge| (edge, 1000)).collect();
    let sweep_graph = SweepGraph::with_factors(graph.clone(), factors, Vec::new());
    let expected = BigUint::from(9862u32) * BigUint::from(1000u32).pow(36);
    for steps in [10, 14, 18, 22, 26] {
        assert_eq!(
            count_with(&sweep_graph, Tours::Closed, SweepSides::Two(steps), true),
            expected,
            "{steps}"
        );
    }
    // In row-major order the halves are symmetric; all mirrors preserve equal factors.
    let board = board("6x6");
    let sweep_graph =
        SweepGraph::with_factors(graph, sweep_graph.factors().clone(), board.automorphisms().to_vec());
    for steps in [12, 18] {
        let (order, ends) = (Some(row_major_mirror_pairs(6, 6)), SweepSides::Two(steps));
        let options = Options { order, sides: ends, method: Method::Blocks, ..Options::default() };
        let prepared = PreparedSweep::new(&sweep_graph, Tours::Closed, &options).unwrap();
        assert!(prepared.two_sided_plan().unwrap().common_steps > 0, "{steps}");
        assert_eq!(prepared.sweep(Storage::default(), &mut NoObserver).unwrap().count, expected, "{steps}");
    }
}

/// Observer that stops the sweep regularly and holds the last snapshot.
struct StopsRegularly {
    every: usize,
    /// True if the sweep is stopped after every step, and not after `every` polls.
    by_steps: bool,
    polls: usize,
    saved: Option<Snapshot>,
}

impl Observer for StopsRegularly {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        if self.by_steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn poll(&mut self) -> Command {
        self.polls += 1;
        if !self.by_steps && self.polls.is_multiple_of(self.every) {
            Command::Stop
        } else {
            Command::Continue
        }
    }

    fn on_snapshot(&mut self, snapshot: &Snapshot) {
        self.saved = Some(snapshot.clone());
    }
}

#[test]
fn two_sided_sweep_resumes_from_any_stop() {
    let sweep_graph = board("5x6");
    for (tours, steps, every) in
        [(Tours::Closed, 14, 3), (Tours::Paths, 12, 5), (Tours::Closed, 18, 1), (Tours::Paths, 14, 0)]
    {
        let options = Options { sides: SweepSides::Two(steps), method: Method::Blocks, ..Options::default() };
        assert_eq!(
            count_with_stops(&sweep_graph, tours, &options, every),
            count_with(&sweep_graph, tours, SweepSides::One, true)
        );
    }
}

#[test]
fn snapshot_of_a_phase_that_the_sweep_does_not_have_is_rejected() {
    let (sweep_graph, store) = (board("5x6"), MemoryStore::default());
    let options = Options { sides: SweepSides::Two(14), method: Method::Blocks, ..Options::default() };
    let run = |resume_from| {
        let mut interrupts = StopsRegularly { every: 0, by_steps: true, polls: 0, saved: None };
        let storage =
            Storage { store: Some(&store), wants_snapshots: true, resume_from, ..Storage::default() };
        let result = count_with_storage(&sweep_graph, Tours::Closed, &options, storage, &mut interrupts);
        (result.unwrap_err(), interrupts.saved)
    };
    let first = run(None).1.unwrap();
    assert!(matches!(first.phase, PhaseKind::Right | PhaseKind::Common), "{:?}", first.phase);
    for phase in [PhaseKind::Whole, PhaseKind::Left, PhaseKind::Join] {
        assert_eq!(run(Some(Snapshot { phase, ..first.clone() })).0, Error::OtherSnapshot, "{phase:?}");
    }
    let late = Snapshot { step: 1000, ..first.clone() };
    assert_eq!(run(Some(late)).0, Error::OtherSnapshot);
    assert!(matches!(run(Some(first)).0, Error::Stopped { .. }));
}

#[test]
fn sweep_with_common_layer_resumes_from_any_stop() {
    on_one_thread(|| {
        for (rows, cols, tours, everies) in [(5, 5, Tours::Paths, [0, 1]), (8, 4, Tours::Paths, [9, 40])] {
            let sweep_graph = board(&format!("{rows}x{cols}"));
            let expected = count_with(&sweep_graph, tours, SweepSides::One, true);
            let cases = options_with_common_steps(rows, cols, tours, true);
            // With the first options, the left half has no steps after the common steps.
            for (options, every) in [&cases[0], &cases[cases.len() - 1]].iter().zip(everies) {
                assert_eq!(
                    count_with_stops(&sweep_graph, tours, &options.0, every),
                    expected,
                    "{:?} {every}",
                    options.0.sides
                );
            }
        }
    });
}

/// Returns the count of a sweep that is stopped and resumed regularly.
fn count_with_stops(sweep_graph: &SweepGraph, tours: Tours, options: &Options, every: usize) -> BigUint {
    let [single, grouped] = [usize::MAX, 0].map(|min_grouped_slots| {
        let options = Options { min_grouped_slots, ..options.clone() };
        count_with_stops_in_groups(sweep_graph, tours, &options, every)
    });
    assert_eq!(single, grouped);
    single
}

fn count_with_stops_in_groups(
    sweep_graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    every: usize,
) -> BigUint {
    let store = MemoryStore::default();
    let mut interrupts = StopsRegularly { every, by_steps: every == 0, polls: 0, saved: None };
    let mut sittings = 0;
    loop {
        let from = interrupts.saved.take();
        let storage =
            Storage { store: Some(&store), wants_snapshots: true, resume_from: from, ..Storage::default() };
        match count_with_storage(sweep_graph, tours, options, storage, &mut interrupts) {
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

/// Stops at a poll, and counts the polls.
struct StopsAtPoll {
    poll: usize,
    polls: usize,
}

impl Observer for StopsAtPoll {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self) -> Command {
        self.polls += 1;
        if self.polls >= self.poll { Command::Stop } else { Command::Continue }
    }
}

#[test]
fn sweep_without_snapshots_stops_at_once() {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for min_grouped_slots in [usize::MAX, 0] {
        for sides in [SweepSides::One, SweepSides::Auto] {
            let options = Options { sides, min_grouped_slots, method: Method::Blocks, ..Options::default() };
            let result_and_polls = |poll| {
                let mut observer = StopsAtPoll { poll, polls: 0 };
                let (sweep_graph, storage) = (board("6x6"), Storage::default());
                let result = one_thread.install(|| {
                    count_with_storage(&sweep_graph, Tours::Closed, &options, storage, &mut observer)
                });
                (result, observer.polls)
            };
            let polls = result_and_polls(usize::MAX).1;
            for poll in [1, polls / 4, polls / 2, polls / 4 * 3] {
                let (result, polls) = result_and_polls(poll);
                assert!(matches!(result, Err(Error::Stopped { .. })), "{options:?}: {result:?}");
                assert_eq!(polls, poll, "{options:?}");
            }
        }
    }
}

#[test]
fn waiting_layer_is_evicted_under_a_low_ceiling() {
    let sweep_graph = board("7x8");
    let store = MemoryStore::default();
    let counted = |memory| {
        let options =
            Options { sides: SweepSides::Two(28), method: Method::Blocks, memory, ..Options::default() };
        let storage = Storage { store: Some(&store), ..Storage::default() };
        count_with_storage(&sweep_graph, Tours::Closed, &options, storage, &mut NoObserver)
    };
    let free = counted(None).unwrap();
    assert_eq!((free.totals.peak_stored, free.count.to_string()), (0, "34524432316".into()));
    let options = Options { sides: SweepSides::Two(28), ..Options::default() };
    let mut prepared = PreparedSweep::new(&sweep_graph, Tours::Closed, &options).unwrap();
    // Portable kernels need a little more.
    let estimate = prepared.estimate().unwrap();
    let tight = counted(Some(estimate.min_memory() + estimate.working_set_bytes / 2)).unwrap();
    assert!(tight.totals.peak_stored > 0);
    assert_eq!((tight.count, tight.totals.states), (free.count, free.totals.states));
}

#[test]
fn min_memory_is_sufficient() {
    let mut stored = 0;
    for (rows, cols, tours) in
        [(8, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths), (8, 7, Tours::Closed)]
    {
        let sweep_graph = board(&format!("{rows}x{cols}"));
        // With the first options, the left half has no steps after the common steps. For a large
        // board they are enough, since its sweep is slow.
        let some = if rows * cols > 50 { 1 } else { usize::MAX };
        for (options, _) in options_with_common_steps(rows, cols, tours, true).into_iter().take(some) {
            // Groups need memory for their tables, and shards for more tables.
            let shard = Some(SweepShard { index: 1, count: 3 });
            for (min_grouped_slots, shard) in [(usize::MAX, None), (0, None), (0, shard)] {
                let options = Options { min_grouped_slots, shard, ..options.clone() };
                let free = count(&sweep_graph, tours, &options, &mut NoObserver).unwrap();
                let estimate = PreparedSweep::new(&sweep_graph, tours, &options).unwrap().estimate().unwrap();
                assert!(free.totals.weights <= estimate.weights);
                // Weights may be wider than estimated, and portable kernels leave out no zeros. Sums take little
                // of this, since blocks of 12 ends are summed part by part in tests.
                let memory = Some(estimate.min_memory() + estimate.working_set_bytes);
                let (options, store) = (Options { memory, ..options }, MemoryStore::default());
                let storage = Storage { store: Some(&store), ..Storage::default() };
                let outcome =
                    count_with_storage(&sweep_graph, tours, &options, storage, &mut NoObserver).unwrap();
                stored += usize::from(min_grouped_slots > 0 && outcome.totals.peak_stored > 0);
                assert_eq!(outcome.count, free.count, "{rows}x{cols} {tours:?} {:?}", options.sides);
            }
        }
    }
    assert!(stored > 6, "{stored}");
}

#[test]
fn symmetric_halves_count_residues_correctly() {
    for (rows, cols, tours) in [(6, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths)] {
        let sweep_graph = board(&format!("{rows}x{cols}"));
        let whole = count_with(&sweep_graph, tours, SweepSides::One, true);
        for prime in [3u32, 65_521] {
            let modulo = ResidueRing::new(prime).map(Into::into);
            for (options, _) in options_with_common_steps(rows, cols, tours, true) {
                let options = Options { modulo, ..options };
                assert!(
                    PreparedSweep::new(&sweep_graph, tours, &options).unwrap().two_sided_plan().is_some()
                );
                let joined = count(&sweep_graph, tours, &options, &mut NoObserver).unwrap();
                assert_eq!(
                    joined.count,
                    &whole % prime,
                    "{rows}x{cols} {tours:?} {prime} {:?}",
                    options.sides
                );
            }
        }
    }
}

/// Returns the outcomes of all shards of a sweep.
fn shard_outcomes(sweep_graph: &SweepGraph, tours: Tours, options: &Options, shards: u32) -> Vec<Outcome> {
    let outcome = |index| {
        let shard = Some(SweepShard { index, count: shards });
        count(sweep_graph, tours, &Options { shard, ..options.clone() }, &mut NoObserver).unwrap()
    };
    (0..shards).map(outcome).collect()
}

#[test]
fn shards_of_two_sided_sweep_add_up_at_any_cut() {
    on_one_thread(|| {
        for (name, tours) in [
            ("5x6", Tours::Closed),
            ("4x5", Tours::Paths),
            ("5x5", Tours::Paths),
            ("3x7", Tours::From(0)),
            ("5x5", Tours::Between(0, 24)),
        ] {
            let sweep_graph = board(name);
            for fold in [true, false] {
                let whole = count_with(&sweep_graph, tours, SweepSides::One, fold);
                let mut divided = false;
                for steps in (0..=sweep_graph.as_graph().len()).step_by(2) {
                    let sides = SweepSides::Two(steps);
                    let options = Options { sides, fold, method: Method::Blocks, ..Options::default() };
                    let parts = shard_outcomes(&sweep_graph, tours, &options, 3);
                    assert_eq!(
                        parts.iter().map(|part| &part.count).sum::<BigUint>(),
                        whole,
                        "{name} {tours:?} {fold} {steps}"
                    );
                    divided |= parts.iter().filter(|part| part.count > BigUint::ZERO).count() > 1;
                }
                assert!(divided, "{name} {tours:?} {fold}");
            }
        }
    });
}

#[test]
fn shards_with_common_steps_add_up() {
    let prime = 65_521u32;
    for (rows, cols, tours) in
        [(6, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths), (9, 4, Tours::Between(0, 35))]
    {
        let sweep_graph = board(&format!("{rows}x{cols}"));
        let whole = count_with(&sweep_graph, tours, SweepSides::One, true);
        for fold in [true, false] {
            let mut two_sided = 0;
            for (options, _) in options_with_common_steps(rows, cols, tours, fold) {
                let states = count(&sweep_graph, tours, &options, &mut NoObserver).unwrap().totals.states;
                let parts = shard_outcomes(&sweep_graph, tours, &options, 4);
                let sum: BigUint = parts.iter().map(|part| &part.count).sum();
                assert_eq!(sum, whole, "{rows}x{cols} {tours:?} {fold} {:?}", options.sides);
                let shard = Some(SweepShard { index: 0, count: 4 });
                let first = Options { shard, ..options.clone() };
                if PreparedSweep::new(&sweep_graph, tours, &first).unwrap().two_sided_plan().is_some() {
                    two_sided += 1;
                    assert!(parts.iter().all(|part| part.totals.states <= states));
                }
                let options = Options { modulo: ResidueRing::new(prime).map(Into::into), ..options };
                let parts = shard_outcomes(&sweep_graph, tours, &options, 3);
                let sum: BigUint = parts.iter().map(|part| &part.count).sum();
                assert_eq!(sum % prime, &whole % prime, "{rows}x{cols} {tours:?} {fold} {:?}", options.sides);
            }
            assert!(two_sided > 0, "{rows}x{cols} {tours:?} {fold}");
        }
    }
}

#[test]
fn shard_with_common_layer_resumes_from_any_stop() {
    let sweep_graph = board("8x4");
    let expected = count_with(&sweep_graph, Tours::Paths, SweepSides::One, true);
    let cases = options_with_common_steps(8, 4, Tours::Paths, true);
    let options = &cases[cases.len() - 1].0;
    let part = |index| {
        let options = Options { shard: Some(SweepShard { index, count: 3 }), ..options.clone() };
        let mut prepared = PreparedSweep::new(&sweep_graph, Tours::Paths, &options).unwrap();
        let estimate = prepared.estimate().unwrap();
        // With and without the tables of the estimate.
        let [with_tables, without] =
            [prepared.clone(), prepared.with_options(&Options { memory: Some(1 << 30), ..options.clone() })]
                .map(|prepared| prepared.sweep(Storage::default(), &mut NoObserver).unwrap());
        let counted = count_with_stops(&sweep_graph, Tours::Paths, &options, 7);
        assert_eq!((&with_tables.count, &without.count), (&counted, &counted));
        assert!(with_tables.totals.weights <= estimate.weights);
        counted
    };
    assert_eq!((0..3).map(part).sum::<BigUint>(), expected);
}

#[test]
fn two_sided_plan_is_none_where_excluded() {
    let sweep_graph = board("6x5");
    let prepared = |options: &Options| PreparedSweep::new(&sweep_graph, Tours::Closed, options).unwrap();
    let meets = Options { sides: SweepSides::Two(15), ..Options::default() };
    assert!(prepared(&meets).two_sided_plan().is_some());
    let even = ResidueRing::new(1 << 10).map(Into::into);
    assert!(prepared(&Options { modulo: even, ..meets.clone() }).two_sided_plan().is_none());
    let one = Options { sides: SweepSides::One, ..meets.clone() };
    let estimate = prepared(&meets).with_options(&one).rough_estimate();
    assert_eq!(estimate.steps, prepared(&one).rough_estimate().steps);
    // A wide frontier has no layers of blocks, and its slot renamings cannot be enumerated.
    let wide = board("16x16");
    let order = Some(row_major_mirror_pairs(16, 16));
    let wide = PreparedSweep::new(
        &wide,
        Tours::Closed,
        &Options { order, sides: SweepSides::Two(96), ..Options::default() },
    );
    assert!(wide.unwrap().two_sided_plan().is_none());
}

#[test]
fn plan_digest_distinguishes_cuts() {
    let sweep_graph = board("5x6");
    // After its neighbours, processing a corner changes only the number of steps.
    let first: Vec<usize> =
        sweep_graph.as_graph().neighbours(0).iter().map(|&v| v as usize).chain([0]).collect();
    let rest = (0..30).filter(|v| !first.contains(v));
    let order: Vec<usize> = first.iter().copied().chain(rest).collect();
    let digest_of = |steps: usize| {
        let (order, ends) = (Some(order.clone()), SweepSides::Two(steps));
        let options =
            Options { order, sides: ends, fold: false, method: Method::Blocks, ..Options::default() };
        let prepared = PreparedSweep::new(&sweep_graph, Tours::Closed, &options).unwrap();
        let pair = prepared.two_sided_plan().unwrap();
        (pair.right.digest(), plan_digest(&pair.left, Some(pair)))
    };
    let (before, after) = (digest_of(first.len() - 1), digest_of(first.len()));
    assert!(before.0 == after.0 && before.1 != after.1);
}
