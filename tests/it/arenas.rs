//! Graphs of every sort through every engine: counts, starts, classes, jobs, checkpoints.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ktour::batch::{
    Checkpoint, CheckpointFile, Job, Progressed, Reckoning, Record, Run, Saver, Saving, Shard, State, now,
    run,
};
use ktour::board::{Arena, Given, Graph};
use ktour::control::Control;
use ktour::count::symmetric::{Census, Named, Setting};
use ktour::count::{CountError, Engine, Request, Work, count};
use ktour::search::problem::{Problem, ProblemError};
use ktour::search::split::Plan;
use ktour::tour::Kind;

use crate::cylinder::cylinder;
use crate::kernels::{KINDS, assert_arena, assert_fixed_arena, counted, numbers};
use crate::oracle::Oracle;

pub const ENGINES: [Engine; 3] = [Engine::Multipath, Engine::Backtrack, Engine::Frontier];

fn petersen() -> Arena {
    let edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    Arena::from_graph(Graph::from_edges(10, edges))
}

fn complete(len: usize) -> Arena {
    Arena::from_graph(Graph::from_edges(len, (0..len).flat_map(|w| (0..w).map(move |v| (v, w)))))
}

fn ring(len: usize) -> Arena {
    Arena::from_graph(Graph::from_edges(len, (0..len).map(|v| (v, (v + 1) % len))))
}

/// A ring with chords from each vertex to the next but one.
fn wheel_of_chords(len: usize) -> Arena {
    let edges = (0..len).flat_map(|v| [(v, (v + 1) % len), (v, (v + 2) % len)]);
    Arena::from_graph(Graph::from_edges(len, edges))
}

/// The king on a board, a graph of no two colours.
fn kings(rows: usize, cols: usize) -> Arena {
    let near = |v: usize, w: usize| {
        let apart = (v / cols).abs_diff(w / cols).max((v % cols).abs_diff(w % cols));
        apart == 1
    };
    let len = rows * cols;
    let edges = (0..len).flat_map(|w| (0..w).map(move |v| (v, w))).filter(|&(v, w)| near(v, w));
    Arena::from_graph(Graph::from_edges(len, edges))
}

fn torus_graph(rows: usize, cols: usize) -> Graph {
    let to = |r: usize, c: usize| (r % rows) * cols + c % cols;
    let steps = [(1, 2), (2, 1), (1, 2 * cols - 2), (2, cols - 1)];
    let edges = (0..rows * cols)
        .flat_map(|v| steps.into_iter().map(move |(up, right)| (v, to(v / cols + up, v % cols + right))));
    Graph::from_edges(rows * cols, edges.filter(|(v, w)| v != w))
}

/// The knight on a torus of 8x8, with the symmetries that one sees: 64 translations times 8.
fn torus_of_512() -> Arena {
    let moved = |to: fn(usize, usize) -> (usize, usize)| -> Vec<u32> {
        (0..64).map(|v| to(v / 8, v % 8)).map(|(r, c)| (r % 8 * 8 + c % 8) as u32).collect()
    };
    let generators = vec![moved(|r, c| (r + 1, c)), moved(|r, c| (c, r)), moved(|r, c| (8 - r, c))];
    Given::new(torus_graph(8, 8)).titled("8x8 torus").symmetric(generators).unwrap().into()
}

pub fn oracle(arena: &Arena) -> Oracle {
    let near = |v: usize| arena.graph().neighbours(v).iter().map(|&w| w as usize).collect();
    Oracle { near: (0..arena.len()).map(near).collect() }
}

/// Classes of tours under the whole group, by looking at every image of every tour.
pub fn classes(arena: &Arena, kind: Kind) -> usize {
    let graph = arena.graph();
    let mut found = BTreeSet::new();
    // A closed tour passes every vertex.
    let starts = if kind == Kind::Closed { 1 } else { arena.len() };
    for start in 0..starts {
        oracle(arena).paths_from(start, &mut |path| {
            let returns = path.len() > 2 && graph.is_edge(path[0], path[path.len() - 1]);
            let is_wanted = match kind {
                Kind::Closed => returns,
                Kind::Open => !returns,
                Kind::Paths => true,
            };
            if is_wanted {
                found.insert(least(arena, path, kind == Kind::Closed));
            }
        });
    }
    found.len()
}

/// The moves of a tour, sorted, in that image which comes first.
fn least(arena: &Arena, path: &[usize], closed: bool) -> Vec<(u32, u32)> {
    let moves = |image: &[u32]| -> Vec<(u32, u32)> {
        let to = |v: usize| image[v];
        let back = closed.then(|| (to(path[path.len() - 1]), to(path[0])));
        let steps = path.windows(2).map(|step| (to(step[0]), to(step[1]))).chain(back);
        let mut moves: Vec<(u32, u32)> = steps.map(|(v, w)| (v.min(w), v.max(w))).collect();
        moves.sort_unstable();
        moves
    };
    arena.symmetries().elements().iter().map(|element| moves(&element.image)).min().unwrap()
}

pub fn distinct(arena: &Arena, kind: Kind, engine: Engine) -> Result<u64, CountError> {
    let total = counted(&Request { kind: Some(kind), ..Request::new(arena.clone()) });
    let setting = Setting::new(arena, engine, None);
    let control = Control::new();
    let mut census = Census::new(&setting, kind, &control);
    census.prepare(false)?;
    Ok(u64::try_from(census.distinct(total.counts.get(kind).unwrap())?).unwrap())
}

#[test]
fn petersens_graph_has_paths_and_no_cycle() {
    let arena = petersen();
    let table = oracle(&arena).table();
    assert_eq!((table.closed(), table.paths()), (0, 120));
    for engine in ENGINES {
        assert_arena(&arena, engine, None, &table);
        assert_arena(&arena, engine, Some(4), &table);
        assert_fixed_arena(&arena, engine, 0, 7, &table);
        assert_fixed_arena(&arena, engine, 3, 8, &table);
        let answer = counted(&Request { engine, per_start: true, ..Request::new(arena.clone()) });
        assert!(answer.per_start.iter().all(|start| start.orbit == 10));
    }
}

#[test]
fn graphs_are_counted_by_every_engine() {
    let tori = [(3, 4), (4, 4)].map(|(rows, cols)| Arena::from_graph(torus_graph(rows, cols)));
    for arena in [complete(5), complete(7), ring(9), kings(3, 3), kings(3, 4)].into_iter().chain(tori) {
        let table = oracle(&arena).table();
        for engine in ENGINES {
            assert_arena(&arena, engine, None, &table);
        }
    }
}

#[test]
fn larger_graphs_are_counted_alike() {
    // Known numbers of king's tours: OEIS A140519.
    let kings = [(kings(4, 4), Some(2830u64)), (kings(4, 5), None)];
    let tori = [(Arena::from_graph(torus_graph(4, 5)), None)];
    for (arena, closed) in kings.into_iter().chain(tori) {
        let count = |engine| {
            numbers(&counted(&Request { kind: Some(Kind::Closed), engine, ..Request::new(arena.clone()) }))
        };
        let first = count(Engine::Frontier);
        assert_eq!(count(Engine::Multipath), first, "{arena}");
        assert!(closed.is_none() || first[0] == closed, "{arena}");
    }
}

#[test]
fn distinct_tours_are_classes_under_the_whole_group() {
    let small = [petersen(), ring(9), ring(6), complete(5), kings(3, 3), cylinder(3, 4), cylinder(2, 6)];
    // Closed tours that a turn of order 7 or 11 keeps; and one of order 8 that leaves two orbits.
    let by_two = vec![(0..16).map(|v| (v + 2) % 16).collect()];
    let halves: Arena = Given::new(ring(16).graph().clone()).symmetric(by_two).unwrap().into();
    let turned = [wheel_of_chords(11), wheel_of_chords(14), halves];
    for arena in small.into_iter().chain(turned) {
        for kind in KINDS {
            let expected = classes(&arena, kind) as u64;
            for engine in [Engine::Multipath, Engine::Frontier] {
                assert_eq!(distinct(&arena, kind, engine).unwrap(), expected, "{arena} {kind:?} {engine:?}");
            }
        }
    }
}

#[test]
fn distinct_tours_of_the_cube_of_four_dimensions_are_as_published() {
    // OEIS A159344. The knight's torus of 4x4 is that cube: among its 384 symmetries are some of order 8.
    let cube = Arena::from_graph(torus_graph(4, 4));
    for engine in [Engine::Multipath, Engine::Frontier] {
        assert_eq!(distinct(&cube, Kind::Closed, engine).unwrap(), 9, "{engine:?}");
    }
}

#[test]
fn symmetries_without_names_are_refused_by_name() {
    let setting = Setting::new(&petersen(), Engine::Auto, None);
    let control = Control::new();
    let refused = Census::new(&setting, Kind::Paths, &control).symmetric(Named::Rot180, false).unwrap_err();
    assert!(matches!(refused, CountError::NoNames(_)), "{refused}");
    // Turns of a ring have any order.
    let refused = distinct(&ring(200), Kind::Closed, Engine::Frontier).unwrap_err();
    assert!(matches!(refused, CountError::TooLargeToSee(_)), "{refused}");
    assert!(matches!(
        distinct(&complete(9), Kind::Closed, Engine::Auto),
        Err(CountError::Problem(ProblemError::NoSymmetries))
    ));
}

#[test]
fn vertices_with_many_neighbours_are_searched_as_well() {
    // A hub with 20 neighbours, and one more that is joined to some of them.
    let wheel = |extra: usize| {
        let rim = (1..21).flat_map(|v| [(0, v), (v, v % 20 + 1)]);
        Arena::from_graph(Graph::from_edges(22, rim.chain((1..=extra).map(|v| (21, v)))))
    };
    for arena in [wheel(2), wheel(19)] {
        for kind in KINDS {
            let of = |engine| {
                let request = Request { kind: Some(kind), engine, ..Request::new(arena.clone()) };
                count(&request, &Control::new()).unwrap().counts.get(kind).cloned().unwrap()
            };
            let expected = of(Engine::Frontier);
            assert_eq!(of(Engine::Multipath), expected, "{kind:?}");
            assert_eq!(of(Engine::Backtrack), expected, "{kind:?}");
        }
    }
}

#[test]
fn many_pairs_of_ends_that_are_alike_in_many_ways_are_cut_into_units() {
    let board: Arena = "board=6x7 wrap=projective piece=0,1+1,3 remove=-".parse().unwrap();
    let plan = Plan::new(Problem::new(&board, Kind::Paths, None, None).unwrap(), Some(0)).unwrap();
    assert!(plan.units().len() > 100);
}

#[test]
fn a_torus_of_512_symmetries_is_cut_into_units() {
    let arena = torus_of_512();
    assert_eq!((arena.symmetries().order(), arena.symmetries().orbits().len()), (512, 1));
    assert_eq!(arena.to_string().parse::<Arena>().unwrap(), arena);
    let problem = Problem::new(&arena, Kind::Closed, None, None).unwrap();
    let plan = Plan::new(problem, None).unwrap();
    assert!(plan.units().len() >= 1024);
    assert!(plan.units().iter().all(|unit| 512 % unit.residual.len() == 0 && plan.weight(unit) <= 512));
    let line = Job::new(
        &Work::new(&Request { engine: Engine::Frontier, ..Request::new(arena) }).unwrap(),
        Shard::WHOLE,
    );
    assert_eq!(line.to_string().parse::<Job>().unwrap(), line);
}

/// A process that another test is about to start holds all files for a moment, this one's lock among them.
pub fn locked(path: &Path) -> CheckpointFile {
    CheckpointFile::lock_within(path, Duration::from_secs(10), || ()).unwrap()
}

/// Goes on with a run from its checkpoint, if there is one, and saves it every millisecond.
fn go_on(work: &Work, path: &Path, control: &Control) -> Progressed {
    let job = Job::new(work, Shard::WHOLE);
    let file = locked(path);
    let folder = file.folder();
    let state = match Checkpoint::load(path) {
        Ok(loaded) => {
            assert_eq!(loaded.checkpoint.job, job, "the job reads back");
            loaded.checkpoint.state
        }
        Err(_) => State::new(work),
    };
    let saver = Some(Saver::new(&file, job.clone(), serde_json::Value::Null, None));
    let failed = &|why: &str| panic!("{why}");
    let interval = Duration::from_millis(1);
    let saving = Saving { interval, spares: false, folder: Some(&folder), saver, peers: None, failed };
    run(work, &job, state, control, saving).unwrap()
}

/// The same, cancelled after some milliseconds.
fn go_on_for(work: &Work, path: &Path, millis: u64) -> Progressed {
    let control = Control::new();
    let other = control.clone();
    let (over, is_over) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if is_over.recv_timeout(Duration::from_millis(millis)) == Err(RecvTimeoutError::Timeout) {
                other.cancel();
            }
        });
        let ended = go_on(work, path, &control);
        drop(over);
        ended
    })
}

#[test]
fn a_run_on_a_graph_goes_on_from_its_checkpoint() {
    let cube = Arena::from_graph(torus_graph(4, 4));
    for (arena, closed) in [(kings(4, 4), 2830), (cube, 1344), (petersen(), 0)] {
        for engine in ENGINES {
            let request = Request { engine, per_start: true, ..Request::new(arena.clone()) };
            let work = Work::new(&request).unwrap();
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("run");
            // Later each time, so that it ends at last.
            let ends = (0..).map(|cuts: u32| go_on_for(&work, &path, 4 << (2 * cuts).min(12)));
            let state = ends.into_iter().find(|ended| ended.finished).unwrap().state;
            let answer = work.question().answer(&state.sums).unwrap();
            assert_eq!(numbers(&answer), numbers(&counted(&request)), "{arena} {engine:?}");
            assert_eq!(numbers(&answer)[0], Some(closed));
            let job = Job::new(&work, Shard::WHOLE);
            let taken = Run { seconds: 1.0, threads: 1, started: now(), finished: now() };
            let reckoning = Reckoning::of(work.question(), &[Shard::WHOLE], &state.sums).unwrap();
            let record = Record::new(&job, &[Shard::WHOLE], &state.sums, &reckoning, true, &taken);
            assert_eq!(record.board, arena.title());
            assert_eq!((record.leaper.as_deref(), record.per_start.len()), (None, arena.len()));
            assert_eq!(Record::parse(&record.line()).unwrap(), record);
        }
    }
}

#[test]
fn a_torus_of_512_symmetries_goes_on_from_its_checkpoint() {
    let request = Request { kind: Some(Kind::Closed), ..Request::new(torus_of_512()) };
    let work = Work::new(&Request { engine: Engine::Multipath, ..request }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    // Years of work; what is done is not done again.
    let first = go_on_for(&work, &path, 50);
    let second = go_on_for(&work, &path, 50);
    assert!(!first.finished && !second.finished);
    let done = |ended: &Progressed| ended.state.sums.tally.nodes;
    assert!(done(&second) >= done(&first));
}

/// Where the run that is killed keeps its checkpoint.
const KILLED: &str = "KTOUR_TEST_KILLED";

fn killed_work() -> Work {
    Work::new(&Request { engine: Engine::Multipath, per_start: true, ..Request::new(kings(4, 4)) }).unwrap()
}

/// Does nothing, but in a process that the next test starts and kills.
#[test]
fn a_run_to_be_killed() {
    if let Some(path) = std::env::var_os(KILLED) {
        go_on(&killed_work(), Path::new(&path), &Control::new());
    }
}

#[test]
fn a_killed_run_on_a_graph_goes_on_from_its_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    // Nothing for a moment, while the generations change places: a good one to be killed in.
    let saved = || std::fs::read(&path).ok();
    for _ in 0..3 {
        let before = saved();
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .args(["--exact", "arenas::a_run_to_be_killed"])
            .env(KILLED, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while saved() == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(Checkpoint::load(&path).is_ok(), "it came to its first checkpoint");
    }
    let work = killed_work();
    let ended = go_on(&work, &path, &Control::new());
    assert!(ended.finished);
    let answer = work.question().answer(&ended.state.sums).unwrap();
    assert_eq!(numbers(&answer), numbers(&counted(work.question().request())));
}
