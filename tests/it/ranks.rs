//! Sweeps shared by several ranks: the same answers and the same work as alone.

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use ktour::board::Board;
use ktour::frontier::{
    self, Cut, Error, Field, Lane, Method, Observer, Options, Outcome, Peers, Silent, Snapshot, StepReport,
    Storage, Store, Team, Tours, Width,
};
use proptest::prelude::*;

use crate::sweeps::{Journal, Shelf, Sleeper, field, on};

/// What every rank does, by rank.
fn together<P: Peers, R: Send>(team: Vec<P>, one: impl Fn(&P) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let one = &one;
        let ranks: Vec<_> = team.into_iter().map(|peers| scope.spawn(move || one(&peers))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Blocks.
fn blocks() -> Options {
    Options { method: Method::Blocks, ..Options::default() }
}

/// Sweeps on one thread.
fn count_stored(
    field: &Field,
    tours: Tours,
    options: &Options,
    storage: Storage,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    on(1, || frontier::count_stored(field, tours, options, storage, observer))
}

/// Sweeps on one thread, alone.
fn count(
    field: &Field,
    tours: Tours,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    count_stored(field, tours, options, Storage::default(), observer)
}

/// The same sweep by so many ranks, without stores; all come to the same.
fn shared(ranks: usize, field: &Field, tours: Tours, options: &Options) -> Outcome {
    let outcomes = together(Team::of(ranks), |peers| {
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_stored(field, tours, options, storage, &mut Silent).unwrap()
    });
    for outcome in &outcomes {
        assert_eq!((&outcome.count, outcome.totals.sent), (&outcomes[0].count, outcomes[0].totals.sent));
    }
    outcomes.into_iter().next().unwrap()
}

#[test]
fn ranks_do_together_what_one_does_alone() {
    for (board, tours) in [
        ("6x6", Tours::Closed),
        ("6x6", Tours::Paths),
        ("6x7", Tours::Closed),
        ("5x6", Tours::From(7)),
        ("6x8", Tours::Closed),
    ] {
        let field = field(board);
        for fold in [true, false] {
            let options = Options { fold, ..blocks() };
            let alone = count(&field, tours, &options, &mut Silent).unwrap();
            assert_eq!(alone.totals.sent, 0);
            for ranks in [1, 2, 3, 4, 7] {
                let all = shared(ranks, &field, tours, &options);
                assert_eq!(all.count, alone.count, "{board} by {ranks}");
                let work = |outcome: &Outcome| {
                    let took = &outcome.totals;
                    (took.states, took.weights, took.transitions, took.peak_states)
                };
                assert_eq!(work(&all), work(&alone), "{board} by {ranks}");
                assert_eq!(all.totals.sent > 0, ranks > 1, "{board} by {ranks}");
            }
        }
    }
}

#[test]
fn what_has_no_blocks_is_not_shared() {
    let wide = Field::of(&"board=12x12 piece=1,4 remove=-".parse().unwrap());
    for (field, method) in [(field("5x5"), Method::Hashed), (wide, Method::Auto)] {
        let errors = together(Team::of(3), |peers| {
            let storage = Storage { peers: Some(peers), ..Storage::default() };
            let options = Options { method, ..Options::default() };
            count_stored(&field, Tours::Paths, &options, storage, &mut Silent).unwrap_err()
        });
        assert!(errors.iter().all(|error| matches!(error, Error::Shared { .. })), "{errors:?}");
    }
}

#[test]
fn what_arrives_is_put_aside_where_there_is_no_room_for_it() {
    let field = field("7x8");
    let alone = count(&field, Tours::Closed, &blocks(), &mut Silent).unwrap();
    // How much is held depends on the processor: the first ceiling that is reached.
    let reached = (20..=92u64).rev().any(|halves| {
        let stores: Vec<Shelf> = (0..3).map(|_| Shelf::default()).collect();
        let outcomes = together(Team::of(3), |peers| {
            let storage =
                Storage { store: Some(&stores[peers.rank()]), peers: Some(peers), ..Storage::default() };
            let options = Options { memory: Some(halves << 19), ..blocks() };
            count_stored(&field, Tours::Closed, &options, storage, &mut Silent).unwrap()
        });
        assert!(outcomes.iter().all(|outcome| outcome.count == alone.count));
        outcomes[0].totals.peak_stored > 0
    });
    assert!(reached);
}

#[test]
fn a_rank_that_cannot_store_keeps_all_from_a_new_snapshot() {
    let field = field("6x8");
    let stores: Vec<Shelf> = (0..3)
        .map(|rank| Shelf { hoards: true, most: (rank == 1).then_some(40), ..Shelf::default() })
        .collect();
    let snapshots = together(Team::of(3), |peers| {
        let mut observer = Sleeper { every: 20, ..Sleeper::default() };
        let storage = Storage {
            store: Some(&stores[peers.rank()]),
            snapshots: true,
            peers: Some(peers),
            ..Storage::default()
        };
        count_stored(&field, Tours::Closed, &blocks(), storage, &mut observer).unwrap();
        (observer.snapshots.iter().map(|snapshot| snapshot.step).collect::<Vec<_>>(), observer.complaints)
    });
    assert_eq!(snapshots[0], snapshots[1]);
    assert_eq!(snapshots[0], snapshots[2]);
    assert!(!snapshots[0].0.is_empty() && snapshots[0].1 > 0, "{snapshots:?}");
}

#[test]
fn reports_are_of_all_ranks() {
    let field = field("6x7");
    let mut alone = Journal::default();
    count(&field, Tours::Closed, &blocks(), &mut alone).unwrap();
    let journals = together(Team::of(3), |peers| {
        let mut journal = Journal::default();
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_stored(&field, Tours::Closed, &blocks(), storage, &mut journal).unwrap();
        journal.0
    });
    let work = |step: &StepReport| {
        let tally = &step.tally;
        (tally.states, tally.weights, tally.transitions, tally.signatures, tally.folded, tally.bits)
    };
    for journal in journals {
        assert_eq!(journal.len(), alone.0.len());
        assert!(journal.iter().zip(&alone.0).all(|(one, other)| work(one) == work(other)));
    }
}

#[test]
fn cut_and_modular_sweeps_are_shared_as_well() {
    let field = field("6x7");
    let sum = (0..4).map(|index| {
        shared(2, &field, Tours::Closed, &Options { cut: Some(Cut { index, count: 4 }), ..blocks() }).count
    });
    assert_eq!(sum.sum::<num_bigint::BigUint>(), 1_067_638u32.into());
    let wide = Options { modulo: Some(Width::Limbs(24).into()), ..blocks() };
    let whole = shared(3, &field, Tours::Paths, &wide).count;
    let modulo = Options { modulo: Some(Width::W32.into()), ..blocks() };
    let rest = shared(3, &field, Tours::Paths, &modulo).count;
    assert_eq!(rest, 389_969_466u32.into());
    assert_eq!(&whole % (1u64 << 32), rest);
    for modulus in [65_521u32, 4_294_967_291] {
        let modulo = Options { modulo: Lane::new(modulus).map(Into::into), ..blocks() };
        assert_eq!(shared(3, &field, Tours::Paths, &modulo).count, &whole % modulus);
    }
}

#[test]
fn a_rank_without_room_ends_all() {
    let field = field("7x8");
    let errors = together(Team::of(3), |peers| {
        let memory = Some(if peers.rank() == 1 { 8 << 20 } else { 2 << 30 });
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_stored(&field, Tours::Closed, &Options { memory, ..blocks() }, storage, &mut Silent)
            .unwrap_err()
    });
    assert!(matches!(errors[1], Error::Memory { .. }), "{errors:?}");
    assert!(matches!(&errors[0], Error::Peer { rank: 1, .. }), "{errors:?}");
    assert!(errors[0].to_string().contains(&errors[1].to_string()), "{errors:?}");
    assert_eq!(errors[0], errors[2]);
}

#[test]
fn ranks_that_do_not_do_the_same_say_so() {
    let field = field("6x6");
    for different in
        [Options { feasibility: false, ..blocks() }, Options { modulo: Some(Width::W64.into()), ..blocks() }]
    {
        let errors = together(Team::of(2), |peers| {
            let options = if peers.rank() == 1 { &different } else { &blocks() };
            let storage = Storage { peers: Some(peers), ..Storage::default() };
            count_stored(&field, Tours::Closed, options, storage, &mut Silent).unwrap_err()
        });
        assert_eq!(errors, [Error::Apart, Error::Apart]);
    }
}

/// A connection that changes one byte of the last message that one rank receives.
struct Noisy<'a>(Team, &'a AtomicU32);

impl Peers for Noisy<'_> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn gather(&self, mine: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        self.0.gather(mine)
    }

    fn exchange(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = self.0.exchange(send, receive)?;
        if self.rank() == 1 && !bytes.is_empty() && self.1.fetch_add(1, Ordering::Relaxed) == 20 {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }
        Ok(bytes)
    }
}

#[test]
fn damage_on_the_way_is_noticed() {
    let (field, messages) = (field("6x8"), AtomicU32::new(0));
    let team = Team::of(2).into_iter().map(|member| Noisy(member, &messages)).collect();
    let errors = together(team, |peers: &Noisy| {
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        count_stored(&field, Tours::Closed, &blocks(), storage, &mut Silent).unwrap_err()
    });
    assert!(matches!(errors[1], Error::Store { .. }), "{errors:?}");
    assert!(matches!(&errors[0], Error::Peer { rank: 1, .. }), "{errors:?}");
}

#[test]
fn a_rank_that_goes_away_is_missed() {
    let field = field("6x7");
    /// Panics in the middle.
    struct Deserter;
    impl Observer for Deserter {
        fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
            assert!(report.step < 20, "gone");
            ControlFlow::Continue(())
        }
    }
    let outcomes = together(Team::of(2), |peers| {
        let storage = Storage { peers: Some(peers), ..Storage::default() };
        let mut observer: Box<dyn Observer> =
            if peers.rank() == 1 { Box::new(Deserter) } else { Box::new(Silent) };
        let sweep = || count_stored(&field, Tours::Closed, &blocks(), storage, observer.as_mut());
        // What a rank that is gone leaves behind is a closed connection.
        catch_unwind(AssertUnwindSafe(sweep)).ok().map(Result::unwrap_err)
    });
    assert!(matches!(&outcomes[0], Some(Error::Lost { .. })), "{outcomes:?}");
}

/// Snapshots of all ranks, each with its own store; then the sweep from every set of them.
fn rested(ranks: usize, field: &Field, tours: Tours, options: &Options, every: u32) -> Vec<Outcome> {
    let stores: Vec<Shelf> = (0..ranks).map(|_| Shelf { hoards: true, ..Shelf::default() }).collect();
    let whole = together(Team::of(ranks), |peers| {
        let mut observer = Sleeper { every, ..Sleeper::default() };
        let store = &stores[peers.rank()] as &dyn Store;
        let storage = Storage { store: Some(store), snapshots: true, from: None, peers: Some(peers) };
        let outcome = count_stored(field, tours, options, storage, &mut observer).unwrap();
        (outcome, observer.snapshots)
    });
    let snapshots: Vec<Vec<Snapshot>> = whole.iter().map(|(_, snapshots)| snapshots.clone()).collect();
    let times = snapshots[0].len();
    assert!(snapshots.iter().all(|rank| rank.len() == times), "all rest at the same times");
    let mut outcomes = vec![whole[0].0.clone()];
    for at in (0..times).step_by(1 + times / 6) {
        let again = together(Team::of(ranks), |peers| {
            let rank = peers.rank();
            let from = Some(snapshots[rank][at].clone());
            let storage = Storage { store: Some(&stores[rank]), snapshots: true, from, peers: Some(peers) };
            count_stored(field, tours, options, storage, &mut Silent).unwrap()
        });
        outcomes.push(again.into_iter().next().unwrap());
    }
    assert!(times > 0, "there were snapshots");
    outcomes
}

#[test]
fn shared_sweeps_rest_together_and_go_on() {
    let field = field("6x8");
    let alone = count(&field, Tours::Closed, &blocks(), &mut Silent).unwrap();
    for ranks in [2, 3] {
        for outcome in rested(ranks, &field, Tours::Closed, &blocks(), 40) {
            assert_eq!((&outcome.count, outcome.totals.states), (&alone.count, alone.totals.states));
        }
    }
}

#[test]
fn a_snapshot_of_another_rank_or_step_is_refused() {
    let field = field("6x7");
    let stores: Vec<Shelf> = (0..2).map(|_| Shelf { hoards: true, ..Shelf::default() }).collect();
    let snapshots = together(Team::of(2), |peers| {
        let mut observer = Sleeper { every: 10, ..Sleeper::default() };
        let storage =
            Storage { store: Some(&stores[peers.rank()]), snapshots: true, from: None, peers: Some(peers) };
        count_stored(&field, Tours::Closed, &blocks(), storage, &mut observer).unwrap();
        observer.snapshots
    });
    let from = |which: &(dyn Fn(usize) -> Option<Snapshot> + Sync)| {
        together(Team::of(2), |peers| {
            let from = which(peers.rank());
            let storage =
                Storage { store: Some(&stores[peers.rank()]), snapshots: true, from, peers: Some(peers) };
            count_stored(&field, Tours::Closed, &blocks(), storage, &mut Silent).unwrap_err()
        })
    };
    assert_eq!(from(&|rank| Some(snapshots[1 - rank][2].clone())), [Error::Snapshot, Error::Snapshot]);
    assert_eq!(from(&|rank| Some(snapshots[rank][2 + rank].clone())), [Error::Apart, Error::Apart]);
    assert_eq!(from(&|rank| (rank == 1).then(|| snapshots[1][2].clone())), [Error::Apart, Error::Apart]);
    // Nor can one rank go on with what several had.
    let storage = Storage {
        store: Some(&stores[0]),
        snapshots: true,
        from: Some(snapshots[0][2].clone()),
        peers: None,
    };
    let error = count_stored(&field, Tours::Closed, &blocks(), storage, &mut Silent).unwrap_err();
    assert_eq!(error, Error::Snapshot);
}

#[test]
fn one_that_is_told_to_stop_stops_all() {
    let field = field("6x8");
    for snapshots in [true, false] {
        let stores: Vec<Shelf> = (0..3).map(|_| Shelf::default()).collect();
        let ended = together(Team::of(3), |peers| {
            // Rank 2 alone is told.
            let every = if peers.rank() == 2 { 70 } else { u32::MAX };
            let mut observer = Sleeper { every, stop_after: 1, ..Sleeper::default() };
            let store = &stores[peers.rank()] as &dyn Store;
            let storage = Storage { store: Some(store), snapshots, from: None, peers: Some(peers) };
            let error = count_stored(&field, Tours::Closed, &blocks(), storage, &mut observer).unwrap_err();
            (error, observer.snapshots.len())
        });
        assert!(matches!(ended[0].0, Error::Stopped { .. }), "{ended:?}");
        assert!(ended.iter().all(|one| *one == (ended[0].0.clone(), usize::from(snapshots))), "{ended:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn ranks_agree_on_random_boards(
        rows in 3u16..6, cols in 4u16..7, holes in prop::collection::vec(0usize..30, 0..4),
        ranks in 2usize..6, every in 3u32..60, closed in any::<bool>(), fold in any::<bool>(),
    ) {
        let board = Board::new(rows, cols).unwrap();
        let squares: Vec<_> = board.squares().collect();
        let mut removed: Vec<_> = holes.iter().map(|&h| squares[h % squares.len()]).collect();
        removed.sort_unstable();
        removed.dedup();
        let field = Field::of(&board.without(removed).unwrap().into());
        let tours = if closed { Tours::Closed } else { Tours::Paths };
        let hashed = Options { method: Method::Hashed, ..Options::default() };
        let alone = count(&field, tours, &hashed, &mut Silent).unwrap();
        // A ceiling that rank 0 can hold with the help of its store only.
        let stores: Vec<Shelf> = (0..ranks).map(|_| Shelf::default()).collect();
        let outcomes = together(Team::of(ranks), |peers| {
            let memory = (peers.rank() == 0).then_some(24 << 20);
            let mut observer = Sleeper { every, ..Sleeper::default() };
            let store = &stores[peers.rank()] as &dyn Store;
            let storage = Storage { store: Some(store), snapshots: true, from: None, peers: Some(peers) };
            count_stored(&field, tours, &Options { fold, memory, ..blocks() }, storage, &mut observer).unwrap()
        });
        prop_assert!(outcomes.iter().all(|outcome| outcome.count == alone.count));
    }
}
