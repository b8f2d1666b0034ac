//! Sweeps that several ranks share: they do the same work and return the same counts as a sweep of
//! one process, and a failure of one rank stops all ranks.

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use ktour::board::Rectangle;
use ktour::frontier;
use ktour::frontier::{
    Communicator, Error, Method, NoObserver, Observer, Options, Outcome, ResidueRing, Snapshot, StepReport,
    Storage, Store, SweepGraph, SweepShard, ThreadCommunicator, Tours, Width,
};
use proptest::prelude::*;

use super::sweep_shards_and_snapshots::{
    MemoryStore, ReportRecorder, SnapshotObserver, run_on_threads, sweep_graph,
};

/// Runs a closure on one thread per rank, and returns the results by rank.
fn run_on_all_ranks<P: Communicator, R: Send>(
    communicators: Vec<P>,
    run_rank: impl Fn(&P) -> R + Sync,
) -> Vec<R> {
    std::thread::scope(|scope| {
        let run_rank = &run_rank;
        let ranks: Vec<_> =
            communicators.into_iter().map(|peers| scope.spawn(move || run_rank(&peers))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Returns the options of a sweep by blocks.
fn block_options() -> Options {
    Options { method: Method::Blocks, ..Options::default() }
}

/// Sweeps on one thread with this storage.
fn count_with_storage_on_one_thread(
    graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    run_on_threads(1, || frontier::count_with_storage(graph, tours, options, storage, observer))
}

/// Sweeps on one thread without a store and without other ranks.
fn count_on_one_thread(
    graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    count_with_storage_on_one_thread(graph, tours, options, Storage::default(), observer)
}

/// Sweeps on `ranks` ranks without stores. Asserts that all ranks return the same outcome, and returns it.
fn count_with_ranks(ranks: usize, graph: &SweepGraph, tours: Tours, options: &Options) -> Outcome {
    let outcomes = run_on_all_ranks(ThreadCommunicator::connect(ranks), |peers| {
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_with_storage_on_one_thread(graph, tours, options, storage, &mut NoObserver).unwrap()
    });
    for outcome in &outcomes {
        assert_eq!((&outcome.count, outcome.totals.sent), (&outcomes[0].count, outcomes[0].totals.sent));
    }
    outcomes.into_iter().next().unwrap()
}

#[test]
fn ranks_return_same_count_and_work_as_one_process() {
    for (board, tours) in [
        ("6x6", Tours::Closed),
        ("6x6", Tours::Paths),
        ("6x7", Tours::Closed),
        ("5x6", Tours::From(7)),
        ("6x8", Tours::Closed),
    ] {
        let graph = sweep_graph(board);
        for fold in [true, false] {
            let options = Options { fold, ..block_options() };
            let alone = count_on_one_thread(&graph, tours, &options, &mut NoObserver).unwrap();
            assert_eq!(alone.totals.sent, 0);
            for ranks in [1, 2, 3, 4, 7] {
                let shared = count_with_ranks(ranks, &graph, tours, &options);
                assert_eq!(shared.count, alone.count, "{board} by {ranks}");
                let work = |outcome: &Outcome| {
                    let totals = &outcome.totals;
                    (totals.states, totals.weights, totals.transitions, totals.peak_states)
                };
                assert_eq!(work(&shared), work(&alone), "{board} by {ranks}");
                assert_eq!(shared.totals.sent > 0, ranks > 1, "{board} by {ranks}");
            }
        }
    }
}

#[test]
fn hashed_sweeps_cannot_be_shared() {
    let wide = SweepGraph::from_board(&"board=12x12 piece=1,4 remove=-".parse().unwrap());
    for (graph, method) in [(sweep_graph("5x5"), Method::Hashed), (wide, Method::Auto)] {
        let errors = run_on_all_ranks(ThreadCommunicator::connect(3), |peers| {
            let storage = Storage { peers: Some(peers), ..Storage::default() };
            let options = Options { method, ..Options::default() };
            count_with_storage_on_one_thread(&graph, Tours::Paths, &options, storage, &mut NoObserver)
                .unwrap_err()
        });
        assert!(errors.iter().all(|error| matches!(error, Error::NeedsHashTable { .. })), "{errors:?}");
    }
}

#[test]
fn received_chunks_are_spilled_above_memory_limit() {
    let graph = sweep_graph("7x8");
    let alone = count_on_one_thread(&graph, Tours::Closed, &block_options(), &mut NoObserver).unwrap();
    // The memory in use depends on the processor, so the test lowers the limit until a rank spills.
    let spilled = (20..=92u64).rev().step_by(6).any(|half_mebibytes| {
        let stores: Vec<MemoryStore> = (0..3).map(|_| MemoryStore::default()).collect();
        let outcomes = run_on_all_ranks(ThreadCommunicator::connect(3), |peers| {
            let storage =
                Storage { store: Some(&stores[peers.rank()]), peers: Some(peers), ..Storage::default() };
            let options = Options { memory: Some(half_mebibytes << 19), ..block_options() };
            count_with_storage_on_one_thread(&graph, Tours::Closed, &options, storage, &mut NoObserver)
                .unwrap()
        });
        assert!(outcomes.iter().all(|outcome| outcome.count == alone.count));
        outcomes.iter().any(|outcome| outcome.totals.peak_stored > 0)
    });
    assert!(spilled, "no limit made a rank spill");
}

#[test]
fn failed_save_of_one_rank_cancels_snapshot() {
    let graph = sweep_graph("6x8");
    let stores: Vec<MemoryStore> = (0..3)
        .map(|rank| MemoryStore {
            keeps_removed_items: true,
            max_items: (rank == 1).then_some(40),
            ..MemoryStore::default()
        })
        .collect();
    let snapshots = run_on_all_ranks(ThreadCommunicator::connect(3), |peers| {
        let mut observer = SnapshotObserver { every: 20, ..SnapshotObserver::default() };
        let storage = Storage {
            store: Some(&stores[peers.rank()]),
            wants_snapshots: true,
            peers: Some(peers),
            ..Storage::default()
        };
        count_with_storage_on_one_thread(&graph, Tours::Closed, &block_options(), storage, &mut observer)
            .unwrap();
        (observer.snapshots.iter().map(|snapshot| snapshot.step).collect::<Vec<_>>(), observer.save_errors)
    });
    assert_eq!(snapshots[0], snapshots[1]);
    assert_eq!(snapshots[0], snapshots[2]);
    assert!(!snapshots[0].0.is_empty() && snapshots[0].1 > 0, "{snapshots:?}");
}

#[test]
fn step_reports_sum_over_ranks() {
    let graph = sweep_graph("6x7");
    let mut alone = ReportRecorder::default();
    count_on_one_thread(&graph, Tours::Closed, &block_options(), &mut alone).unwrap();
    let recorded_steps = run_on_all_ranks(ThreadCommunicator::connect(3), |peers| {
        let mut recorder = ReportRecorder::default();
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_with_storage_on_one_thread(&graph, Tours::Closed, &block_options(), storage, &mut recorder)
            .unwrap();
        recorder.0
    });
    let work = |step: &StepReport| {
        let tally = &step.tally;
        (tally.states, tally.weights, tally.transitions, tally.signatures, tally.folded, tally.bits)
    };
    for steps in recorded_steps {
        assert_eq!(steps.len(), alone.0.len());
        assert!(steps.iter().zip(&alone.0).all(|(one, other)| work(one) == work(other)));
    }
}

#[test]
fn ranks_share_sharded_and_modular_sweeps() {
    let graph = sweep_graph("6x7");
    let sum = (0..4).map(|index| {
        count_with_ranks(
            2,
            &graph,
            Tours::Closed,
            &Options { shard: Some(SweepShard { index, count: 4 }), ..block_options() },
        )
        .count
    });
    assert_eq!(sum.sum::<num_bigint::BigUint>(), 1_067_638u32.into());
    let wide = Options { modulo: Some(Width::Limbs(24).into()), ..block_options() };
    let exact = count_with_ranks(3, &graph, Tours::Paths, &wide).count;
    let modulo = Options { modulo: Some(Width::W32.into()), ..block_options() };
    let residue = count_with_ranks(3, &graph, Tours::Paths, &modulo).count;
    assert_eq!(residue, 389_969_466u32.into());
    assert_eq!(&exact % (1u64 << 32), residue);
    for modulus in [65_521u32, 4_294_967_291] {
        let modulo = Options { modulo: ResidueRing::new(modulus).map(Into::into), ..block_options() };
        assert_eq!(count_with_ranks(3, &graph, Tours::Paths, &modulo).count, &exact % modulus);
    }
}

#[test]
fn out_of_memory_on_one_rank_stops_all_ranks() {
    let graph = sweep_graph("7x8");
    let errors = run_on_all_ranks(ThreadCommunicator::connect(3), |peers| {
        let memory = Some(if peers.rank() == 1 { 8 << 20 } else { 2 << 30 });
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_with_storage_on_one_thread(
            &graph,
            Tours::Closed,
            &Options { memory, ..block_options() },
            storage,
            &mut NoObserver,
        )
        .unwrap_err()
    });
    assert!(matches!(errors[1], Error::Memory { .. }), "{errors:?}");
    assert!(matches!(&errors[0], Error::RankFailed { rank: 1, .. }), "{errors:?}");
    assert!(errors[0].to_string().contains(&errors[1].to_string()), "{errors:?}");
    assert_eq!(errors[0], errors[2]);
}

#[test]
fn ranks_with_different_sweeps_fail() {
    let graph = sweep_graph("6x6");
    for different in [
        Options { modulo: Some(Width::W32.into()), ..block_options() },
        Options { modulo: Some(Width::W64.into()), ..block_options() },
    ] {
        let errors = run_on_all_ranks(ThreadCommunicator::connect(2), |peers| {
            let options = if peers.rank() == 1 { &different } else { &block_options() };
            let storage = Storage { peers: Some(peers), ..Storage::default() };
            count_with_storage_on_one_thread(&graph, Tours::Closed, options, storage, &mut NoObserver)
                .unwrap_err()
        });
        assert_eq!(errors, [Error::RanksDiffer, Error::RanksDiffer]);
    }
}

/// A connection that flips one bit of the 21st message that rank 1 receives.
struct CorruptingRank<'a>(ThreadCommunicator, &'a AtomicU32);

impl Communicator for CorruptingRank<'_> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn allgather(&self, mine: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        self.0.allgather(mine)
    }

    fn send_receive(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = self.0.send_receive(send, receive)?;
        if self.rank() == 1 && !bytes.is_empty() && self.1.fetch_add(1, Ordering::Relaxed) == 20 {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }
        Ok(bytes)
    }
}

#[test]
fn corrupted_message_is_detected() {
    let (graph, messages) = (sweep_graph("6x8"), AtomicU32::new(0));
    let communicators = ThreadCommunicator::connect(2)
        .into_iter()
        .map(|communicator| CorruptingRank(communicator, &messages))
        .collect();
    let errors = run_on_all_ranks(communicators, |peers: &CorruptingRank| {
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_with_storage_on_one_thread(&graph, Tours::Closed, &block_options(), storage, &mut NoObserver)
            .unwrap_err()
    });
    assert!(matches!(errors[1], Error::Store { .. }), "{errors:?}");
    assert!(matches!(&errors[0], Error::RankFailed { rank: 1, .. }), "{errors:?}");
}

#[test]
fn lost_rank_is_reported() {
    let graph = sweep_graph("6x7");
    /// Panics at step 20.
    struct PanicAtStep;
    impl Observer for PanicAtStep {
        fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
            assert!(report.step < 20, "gone");
            ControlFlow::Continue(())
        }
    }
    let outcomes = run_on_all_ranks(ThreadCommunicator::connect(2), |peers| {
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        let mut observer: Box<dyn Observer> =
            if peers.rank() == 1 { Box::new(PanicAtStep) } else { Box::new(NoObserver) };
        let sweep = || {
            count_with_storage_on_one_thread(
                &graph,
                Tours::Closed,
                &block_options(),
                storage,
                observer.as_mut(),
            )
        };
        // A panicking rank drops its connection; the other rank must report this.
        catch_unwind(AssertUnwindSafe(sweep)).ok().map(Result::unwrap_err)
    });
    assert!(matches!(&outcomes[0], Some(Error::ConnectionLost { .. })), "{outcomes:?}");
}

/// Runs a shared sweep that saves snapshots of all ranks, each rank with its own store. Then resumes from
/// several of these snapshots. Returns the outcome of the first sweep and of each resumed one.
fn resume_from_several_snapshots(
    ranks: usize,
    graph: &SweepGraph,
    tours: Tours,
    options: &Options,
    every: u32,
) -> Vec<Outcome> {
    let stores: Vec<MemoryStore> =
        (0..ranks).map(|_| MemoryStore { keeps_removed_items: true, ..MemoryStore::default() }).collect();
    let first_run = run_on_all_ranks(ThreadCommunicator::connect(ranks), |peers| {
        let mut observer = SnapshotObserver { every, ..SnapshotObserver::default() };
        let store = &stores[peers.rank()] as &dyn Store;
        let storage =
            Storage { store: Some(store), wants_snapshots: true, resume_from: None, peers: Some(peers) };
        let outcome =
            count_with_storage_on_one_thread(graph, tours, options, storage, &mut observer).unwrap();
        (outcome, observer.snapshots)
    });
    let snapshots: Vec<Vec<Snapshot>> = first_run.iter().map(|(_, snapshots)| snapshots.clone()).collect();
    let saves = snapshots[0].len();
    assert!(snapshots.iter().all(|rank| rank.len() == saves), "all ranks save at the same steps");
    let mut outcomes = vec![first_run[0].0.clone()];
    for save in (0..saves).step_by(1 + saves / 6) {
        let resumed = run_on_all_ranks(ThreadCommunicator::connect(ranks), |peers| {
            let rank = peers.rank();
            let from = Some(snapshots[rank][save].clone());
            let storage = Storage {
                store: Some(&stores[rank]),
                wants_snapshots: true,
                resume_from: from,
                peers: Some(peers),
            };
            count_with_storage_on_one_thread(graph, tours, options, storage, &mut NoObserver).unwrap()
        });
        outcomes.push(resumed.into_iter().next().unwrap());
    }
    assert!(saves > 0, "the sweep saved at least one snapshot");
    outcomes
}

#[test]
fn shared_sweeps_resume_from_snapshots() {
    let graph = sweep_graph("6x8");
    let alone = count_on_one_thread(&graph, Tours::Closed, &block_options(), &mut NoObserver).unwrap();
    for ranks in [2, 3] {
        for outcome in resume_from_several_snapshots(ranks, &graph, Tours::Closed, &block_options(), 40) {
            assert_eq!((&outcome.count, outcome.totals.states), (&alone.count, alone.totals.states));
        }
    }
}

#[test]
fn snapshot_of_other_rank_or_step_is_rejected() {
    let graph = sweep_graph("6x7");
    let stores: Vec<MemoryStore> =
        (0..2).map(|_| MemoryStore { keeps_removed_items: true, ..MemoryStore::default() }).collect();
    let snapshots = run_on_all_ranks(ThreadCommunicator::connect(2), |peers| {
        let mut observer = SnapshotObserver { every: 10, ..SnapshotObserver::default() };
        let storage = Storage {
            store: Some(&stores[peers.rank()]),
            wants_snapshots: true,
            resume_from: None,
            peers: Some(peers),
        };
        count_with_storage_on_one_thread(&graph, Tours::Closed, &block_options(), storage, &mut observer)
            .unwrap();
        observer.snapshots
    });
    let resume_error = |snapshot_of_rank: &(dyn Fn(usize) -> Option<Snapshot> + Sync)| {
        run_on_all_ranks(ThreadCommunicator::connect(2), |peers| {
            let from = snapshot_of_rank(peers.rank());
            let storage = Storage {
                store: Some(&stores[peers.rank()]),
                wants_snapshots: true,
                resume_from: from,
                peers: Some(peers),
            };
            count_with_storage_on_one_thread(
                &graph,
                Tours::Closed,
                &block_options(),
                storage,
                &mut NoObserver,
            )
            .unwrap_err()
        })
    };
    assert_eq!(
        resume_error(&|rank| Some(snapshots[1 - rank][2].clone())),
        [Error::OtherSnapshot, Error::OtherSnapshot]
    );
    assert_eq!(
        resume_error(&|rank| Some(snapshots[rank][2 + rank].clone())),
        [Error::RanksDiffer, Error::RanksDiffer]
    );
    assert_eq!(
        resume_error(&|rank| (rank == 1).then(|| snapshots[1][2].clone())),
        [Error::RanksDiffer, Error::RanksDiffer]
    );
    // One process cannot resume from a snapshot of several ranks.
    let storage = Storage {
        store: Some(&stores[0]),
        wants_snapshots: true,
        resume_from: Some(snapshots[0][2].clone()),
        peers: None,
    };
    let error =
        count_with_storage_on_one_thread(&graph, Tours::Closed, &block_options(), storage, &mut NoObserver)
            .unwrap_err();
    assert_eq!(error, Error::OtherSnapshot);
}

#[test]
fn stop_on_one_rank_stops_all_ranks() {
    let graph = sweep_graph("6x8");
    for saves in [true, false] {
        let stores: Vec<MemoryStore> = (0..3).map(|_| MemoryStore::default()).collect();
        let results = run_on_all_ranks(ThreadCommunicator::connect(3), |peers| {
            // Only rank 2 receives the command to stop.
            let every = if peers.rank() == 2 { 70 } else { u32::MAX };
            let mut observer = SnapshotObserver { every, stop_after: 1, ..SnapshotObserver::default() };
            let store = &stores[peers.rank()] as &dyn Store;
            let storage =
                Storage { store: Some(store), wants_snapshots: saves, resume_from: None, peers: Some(peers) };
            let error = count_with_storage_on_one_thread(
                &graph,
                Tours::Closed,
                &block_options(),
                storage,
                &mut observer,
            )
            .unwrap_err();
            (error, observer.snapshots.len())
        });
        assert!(matches!(results[0].0, Error::Stopped { .. }), "{results:?}");
        assert!(results.iter().all(|one| *one == (results[0].0.clone(), usize::from(saves))), "{results:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn ranks_count_random_boards_like_one_process(
        rows in 3u16..6, cols in 4u16..7, holes in prop::collection::vec(0usize..30, 0..4),
        ranks in 2usize..6, every in 3u32..60, closed in any::<bool>(), fold in any::<bool>(),
    ) {
        let board = Rectangle::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let graph = SweepGraph::from_board(&board.without(removed).unwrap().into());
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let hashed_options = Options { method: Method::Hashed, ..Options::default() };
        let alone = count_on_one_thread(&graph, tours, &hashed_options, &mut NoObserver).unwrap();
        // Rank 0 stays below this memory limit only if it spills to its store.
        let stores: Vec<MemoryStore> = (0..ranks).map(|_| MemoryStore::default()).collect();
        let outcomes = run_on_all_ranks(ThreadCommunicator::connect(ranks), |peers| {
            let memory = (peers.rank() == 0).then_some(24 << 20);
            let mut observer = SnapshotObserver { every, ..SnapshotObserver::default() };
            let store = &stores[peers.rank()] as &dyn Store;
            let storage = Storage { store: Some(store), wants_snapshots: true, resume_from: None, peers: Some(peers) };
            count_with_storage_on_one_thread(&graph, tours, &Options { fold, memory, ..block_options() }, storage, &mut observer).unwrap()
        });
        prop_assert!(outcomes.iter().all(|outcome| outcome.count == alone.count));
    }
}
