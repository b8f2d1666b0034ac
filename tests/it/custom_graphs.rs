//! Custom graphs in every engine: counts, counts by start, distinct tours, units of work, jobs and
//! checkpoints.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ktour::batch::{
    Checkpoint, CheckpointFile, CountJob, CountOutcome, Job, Record, RunInfo, RunResult, RunState,
    SaveOptions, Shard,
};
use ktour::board::{Board, CustomGraph, Graph};
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, NamedSymmetry, SymmetricContext};
use ktour::count::{CountError, Engine, Request, WorkPlan, count};
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::{Problem, ProblemError};
use ktour::text_format::now_utc;
use ktour::tour::{Kind, TourSpec};

use super::oracle::Oracle;
use super::searches_against_oracle::{
    KINDS, assert_board_counts_match_oracle, assert_board_fixed_ends_match_oracle, count_all, numbers_by_kind,
};
use super::sweep_shards_and_snapshots::run_on_threads;
use super::toy_cylinder::toy_cylinder;

pub const ENGINES: [Engine; 3] = [Engine::Multipath, Engine::Backtrack, Engine::Frontier];

fn petersen() -> Board {
    let edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    Board::from_graph(Graph::from_edges(10, edges))
}

fn complete_graph(len: usize) -> Board {
    Board::from_graph(Graph::from_edges(len, (0..len).flat_map(|w| (0..w).map(move |v| (v, w)))))
}

fn cycle_graph(len: usize) -> Board {
    Board::from_graph(Graph::from_edges(len, (0..len).map(|v| (v, (v + 1) % len))))
}

/// Returns a cycle with a chord from each vertex to the second next one.
fn squared_cycle(len: usize) -> Board {
    let edges = (0..len).flat_map(|v| [(v, (v + 1) % len), (v, (v + 2) % len)]);
    Board::from_graph(Graph::from_edges(len, edges))
}

/// Returns the graph of the king's moves, which is not bipartite.
fn king_board(rows: usize, cols: usize) -> Board {
    let is_adjacent = |v: usize, w: usize| {
        let distance = (v / cols).abs_diff(w / cols).max((v % cols).abs_diff(w % cols));
        distance == 1
    };
    let len = rows * cols;
    let edges = (0..len).flat_map(|w| (0..w).map(move |v| (v, w))).filter(|&(v, w)| is_adjacent(v, w));
    Board::from_graph(Graph::from_edges(len, edges))
}

fn torus_graph(rows: usize, cols: usize) -> Graph {
    let to = |r: usize, c: usize| (r % rows) * cols + c % cols;
    let steps = [(1, 2), (2, 1), (1, 2 * cols - 2), (2, cols - 1)];
    let edges = (0..rows * cols)
        .flat_map(|v| steps.into_iter().map(move |(up, right)| (v, to(v / cols + up, v % cols + right))));
    Graph::from_edges(rows * cols, edges.filter(|(v, w)| v != w))
}

/// Returns the graph of the knight on a torus of 8x8 with 512 symmetries: 64 translations times the 8
/// symmetries of a square.
fn torus_with_512_symmetries() -> Board {
    let moved = |to: fn(usize, usize) -> (usize, usize)| -> Vec<u32> {
        (0..64).map(|v| to(v / 8, v % 8)).map(|(r, c)| (r % 8 * 8 + c % 8) as u32).collect()
    };
    let generators = vec![moved(|r, c| (r + 1, c)), moved(|r, c| (c, r)), moved(|r, c| (8 - r, c))];
    CustomGraph::new(torus_graph(8, 8)).with_symmetry_generators(generators).unwrap().into()
}

pub fn build_oracle(board: &Board) -> Oracle {
    let neighbours = |v: usize| board.graph().neighbours(v).iter().map(|&w| w as usize).collect();
    Oracle { neighbours: (0..board.len()).map(neighbours).collect() }
}

/// Returns the number of classes of tours under all symmetries of the board, from every image of every tour.
pub fn count_classes_by_images(board: &Board, kind: Kind) -> usize {
    let graph = board.graph();
    let mut classes = BTreeSet::new();
    // A closed tour passes through every vertex, so one start is enough.
    let starts = if kind == Kind::Closed { 1 } else { board.len() };
    for start in 0..starts {
        build_oracle(board).for_each_path_from(start, &mut |path| {
            let returns = path.len() > 2 && graph.is_edge(path[0], path[path.len() - 1]);
            let is_requested = match kind {
                Kind::Closed => returns,
                Kind::Open => !returns,
                Kind::Paths => true,
            };
            if is_requested {
                classes.insert(canonical_moves(board, path, kind == Kind::Closed));
            }
        });
    }
    classes.len()
}

/// Returns the sorted moves of that image of the tour which is first in lexicographic order.
fn canonical_moves(board: &Board, path: &[usize], closed: bool) -> Vec<(u32, u32)> {
    let moves = |image: &[u32]| -> Vec<(u32, u32)> {
        let to = |v: usize| image[v];
        let closing_move = closed.then(|| (to(path[path.len() - 1]), to(path[0])));
        let steps = path.windows(2).map(|step| (to(step[0]), to(step[1]))).chain(closing_move);
        let mut moves: Vec<(u32, u32)> = steps.map(|(v, w)| (v.min(w), v.max(w))).collect();
        moves.sort_unstable();
        moves
    };
    board.symmetries().elements().iter().map(|element| moves(&element.image)).min().unwrap()
}

pub fn count_distinct(board: &Board, kind: Kind, engine: Engine) -> Result<u64, CountError> {
    let total = count_all(&Request::of_kind(board.clone(), kind));
    let context = SymmetricContext::new(TourSpec::all(board.clone(), Kind::Paths), engine, None).unwrap();
    let control = Control::new();
    let mut counter = ClassCounter::new(&context.for_kind(kind), &control);
    counter.prepare(false)?;
    Ok(u64::try_from(counter.count_distinct(total.counts.get(kind).unwrap())?).unwrap())
}

#[test]
fn petersen_graph_has_120_paths_and_no_closed_tour() {
    let board = petersen();
    let table = build_oracle(&board).count_by_ends();
    assert_eq!((table.closed(), table.paths()), (0, 120));
    for engine in ENGINES {
        assert_board_counts_match_oracle(&board, engine, None, &table);
        assert_board_counts_match_oracle(&board, engine, Some(4), &table);
        assert_board_fixed_ends_match_oracle(&board, engine, 0, 7, &table);
        assert_board_fixed_ends_match_oracle(&board, engine, 3, 8, &table);
        let answer = count_all(&Request { engine, per_start: true, ..Request::new(board.clone()) });
        assert!(answer.per_start.iter().all(|start| start.orbit_size == 10));
    }
}

#[test]
fn every_engine_agrees_with_oracle_on_small_graphs() {
    let tori = [(3, 4), (4, 4)].map(|(rows, cols)| Board::from_graph(torus_graph(rows, cols)));
    let others = [complete_graph(5), complete_graph(7), cycle_graph(9), king_board(3, 3), king_board(3, 4)];
    run_on_threads(1, || {
        for board in others.into_iter().chain(tori) {
            let table = build_oracle(&board).count_by_ends();
            for engine in ENGINES {
                assert_board_counts_match_oracle(&board, engine, None, &table);
            }
        }
    });
}

#[test]
fn engines_agree_on_larger_graphs() {
    // Published numbers of closed king's tours: OEIS A140519.
    let kings = [(king_board(4, 4), Some(2830u64)), (king_board(4, 5), None)];
    let tori = [(Board::from_graph(torus_graph(4, 5)), None)];
    for (board, closed) in kings.into_iter().chain(tori) {
        let count = |engine| {
            numbers_by_kind(&count_all(&Request { engine, ..Request::of_kind(board.clone(), Kind::Closed) }))
        };
        let first = count(Engine::Frontier);
        assert_eq!(count(Engine::Multipath), first, "{board}");
        assert!(closed.is_none() || first[0] == closed, "{board}");
    }
}

#[test]
fn distinct_counts_classes_under_all_automorphisms() {
    let small = [
        petersen(),
        cycle_graph(9),
        cycle_graph(6),
        complete_graph(5),
        king_board(3, 3),
        toy_cylinder(3, 4),
        toy_cylinder(2, 6),
    ];
    // Some closed tours of the first two graphs are symmetric under a rotation of order 11 or 7. The rotation
    // of order 8 of the third graph has two orbits.
    let rotation_by_two = vec![(0..16).map(|v| (v + 2) % 16).collect()];
    let two_orbits: Board = CustomGraph::new(cycle_graph(16).graph().clone())
        .with_symmetry_generators(rotation_by_two)
        .unwrap()
        .into();
    let rotated = [squared_cycle(11), squared_cycle(14), two_orbits];
    for board in small.into_iter().chain(rotated) {
        for kind in KINDS {
            let expected = count_classes_by_images(&board, kind) as u64;
            for engine in [Engine::Multipath, Engine::Frontier] {
                assert_eq!(
                    count_distinct(&board, kind, engine).unwrap(),
                    expected,
                    "{board} {kind:?} {engine:?}"
                );
            }
        }
    }
}

#[test]
fn distinct_tours_of_tesseract_match_published_number() {
    // OEIS A159344. The knight's graph on a torus of 4x4 is a tesseract. Some of its 384 symmetries have
    // order 8.
    let tesseract = Board::from_graph(torus_graph(4, 4));
    for engine in [Engine::Multipath, Engine::Frontier] {
        assert_eq!(count_distinct(&tesseract, Kind::Closed, engine).unwrap(), 9, "{engine:?}");
    }
}

#[test]
fn symmetry_option_rejects_graph_without_named_symmetries() {
    let context = SymmetricContext::new(TourSpec::all(petersen(), Kind::Paths), Engine::Auto, None).unwrap();
    let control = Control::new();
    let error = ClassCounter::new(&context.for_kind(Kind::Paths), &control)
        .count_with_symmetry(NamedSymmetry::Rot180, false)
        .unwrap_err();
    assert!(matches!(error, CountError::UnnamedSymmetries(_)), "{error}");
    // The rotations of a cycle of 200 vertices have high orders.
    let error = count_distinct(&cycle_graph(200), Kind::Closed, Engine::Frontier).unwrap_err();
    assert!(matches!(error, CountError::TooLargeToEnumerate(_)), "{error}");
    assert!(matches!(
        count_distinct(&complete_graph(9), Kind::Closed, Engine::Auto),
        Err(CountError::Problem(ProblemError::UnknownSymmetries))
    ));
}

#[test]
fn searches_count_graphs_with_high_degrees() {
    // A wheel with 20 rim vertices, and one more vertex that is joined to `extra` of them.
    let wheel = |extra: usize| {
        let rim = (1..21).flat_map(|v| [(0, v), (v, v % 20 + 1)]);
        Board::from_graph(Graph::from_edges(22, rim.chain((1..=extra).map(|v| (21, v)))))
    };
    for board in [wheel(2), wheel(19)] {
        for kind in KINDS {
            let count_with = |engine| {
                let request = Request { engine, ..Request::of_kind(board.clone(), kind) };
                count(&request, &Control::new()).unwrap().counts.get(kind).cloned().unwrap()
            };
            let expected = count_with(Engine::Frontier);
            assert_eq!(count_with(Engine::Multipath), expected, "{kind:?}");
            assert_eq!(count_with(Engine::Backtrack), expected, "{kind:?}");
        }
    }
}

#[test]
fn plan_splits_graph_with_many_symmetries_into_units() {
    let board: Board = "board=6x7 wrap=projective piece=0,1+1,3 remove=-".parse().unwrap();
    let plan = MultipathPlan::new(Problem::new(&TourSpec::all(board.clone(), Kind::Paths)).unwrap(), Some(0))
        .unwrap();
    assert!(plan.units().len() > 100);
}

#[test]
fn plan_splits_torus_with_512_symmetries_into_units() {
    let board = torus_with_512_symmetries();
    assert_eq!((board.symmetries().order(), board.symmetries().orbits().len()), (512, 1));
    assert_eq!(board.to_string().parse::<Board>().unwrap(), board);
    let problem = Problem::new(&TourSpec::all(board.clone(), Kind::Closed)).unwrap();
    let plan = MultipathPlan::new(problem, None).unwrap();
    assert!(plan.units().len() >= 1024);
    assert!(plan.units().iter().all(|unit| 512 % unit.residual.len() == 0 && plan.weight(unit) <= 512));
    let line = Job::new(
        &WorkPlan::new(&Request { engine: Engine::Frontier, ..Request::new(board) }).unwrap(),
        Shard::WHOLE,
    );
    assert_eq!(line.to_string().parse::<Job>().unwrap(), line);
}

/// Locks a checkpoint file and waits up to 10 s for the lock: a process that another test starts inherits all
/// open files for a moment, this lock included.
pub fn lock_checkpoint_file(path: &Path) -> CheckpointFile {
    CheckpointFile::lock_within(path, Duration::from_secs(10), || ()).unwrap()
}

/// Resumes a run from its checkpoint, or starts it if there is no checkpoint, and saves it every millisecond.
fn resume_from_checkpoint(work: &WorkPlan, path: &Path, control: &Control) -> RunResult {
    let job = Job::new(work, Shard::WHOLE);
    let file = lock_checkpoint_file(path);
    let state = match Checkpoint::load(path) {
        Ok(loaded) => {
            assert_eq!(loaded.checkpoint.job, job, "the job line is parsed to the same job");
            loaded.checkpoint.state
        }
        Err(_) => RunState::new(work),
    };
    let save_options = SaveOptions {
        interval: Duration::from_millis(1),
        limits_overhead: false,
        ..SaveOptions::new(&|why| panic!("{why}"))
    };
    let mut count_job = CountJob {
        file: Some(file),
        state,
        ..CountJob::new(work.validated_request().request().clone(), work.clone(), Shard::WHOLE)
    };
    count_job.open_spill_dir(None, None).unwrap();
    count_job.run(control, save_options).unwrap().units
}

/// Resumes or starts a run, and cancels it after `millis` milliseconds.
fn resume_and_cancel_after(work: &WorkPlan, path: &Path, millis: u64) -> RunResult {
    let control = Control::new();
    let canceller = control.clone();
    let (done_sender, done_receiver) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if done_receiver.recv_timeout(Duration::from_millis(millis)) == Err(RecvTimeoutError::Timeout) {
                canceller.cancel();
            }
        });
        let result = resume_from_checkpoint(work, path, &control);
        drop(done_sender);
        result
    })
}

#[test]
fn graph_run_resumes_from_checkpoint() {
    let tesseract = Board::from_graph(torus_graph(4, 4));
    for (board, closed) in [(king_board(4, 4), 2830), (tesseract, 1344), (petersen(), 0)] {
        for engine in ENGINES {
            let request = Request { engine, per_start: true, ..Request::new(board.clone()) };
            let work = WorkPlan::new(&request).unwrap();
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("run");
            // The time limit grows with each attempt, so that the run finishes.
            let results =
                (0..).map(|cuts: u32| resume_and_cancel_after(&work, &path, 4 << (2 * cuts).min(12)));
            let state = results.into_iter().find(|result| result.is_finished).unwrap().state;
            let answer = work.validated_request().answer(&state.sums).unwrap();
            assert_eq!(numbers_by_kind(&answer), numbers_by_kind(&count_all(&request)), "{board} {engine:?}");
            assert_eq!(numbers_by_kind(&answer)[0], Some(closed));
            let job = Job::new(&work, Shard::WHOLE);
            let run_info = RunInfo { seconds: 1.0, threads: 1, started: now_utc(), finished: now_utc() };
            let outcome =
                CountOutcome::from_sums(work.validated_request(), &[Shard::WHOLE], &state.sums).unwrap();
            let record = Record::new(&job, &[Shard::WHOLE], &state.sums, &outcome, true, &run_info);
            assert_eq!(record.board, board.title());
            assert_eq!((record.leaper.as_deref(), record.per_start.len()), (None, board.len()));
            assert_eq!(Record::parse(&record.to_line()).unwrap(), record);
        }
    }
}

#[test]
fn torus_run_with_512_symmetries_resumes_from_checkpoint() {
    let request = Request::of_kind(torus_with_512_symmetries(), Kind::Closed);
    let work = WorkPlan::new(&Request { engine: Engine::Multipath, ..request }).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    // The job takes years. The second run must include the nodes of the first.
    let first = resume_and_cancel_after(&work, &path, 50);
    let second = resume_and_cancel_after(&work, &path, 50);
    assert!(!first.is_finished && !second.is_finished);
    let node_count = |result: &RunResult| result.state.sums.effort.nodes;
    assert!(node_count(&second) >= node_count(&first));
}

/// The environment variable with the path of the checkpoint of the child process.
const CHECKPOINT_PATH_VARIABLE: &str = "KTOUR_TEST_KILLED";

fn plan_killed_run() -> WorkPlan {
    WorkPlan::new(&Request { engine: Engine::Multipath, per_start: true, ..Request::new(king_board(4, 4)) })
        .unwrap()
}

/// Does nothing unless the variable is set: `killed_graph_run_resumes_from_checkpoint` starts this test as a
/// child process and kills it.
#[test]
fn child_process_run_until_killed() {
    if let Some(path) = std::env::var_os(CHECKPOINT_PATH_VARIABLE) {
        resume_from_checkpoint(&plan_killed_run(), Path::new(&path), &Control::new());
    }
}

#[test]
fn killed_graph_run_resumes_from_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    // Returns `None` for a moment while a save renames the generations, which is a good moment for a kill.
    let saved = || std::fs::read(&path).ok();
    for _ in 0..3 {
        let before = saved();
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .args(["--exact", "custom_graphs::child_process_run_until_killed"])
            .env(CHECKPOINT_PATH_VARIABLE, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while saved() == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            Checkpoint::<RunState>::load(&path).is_ok(),
            "the child process was killed before its first checkpoint"
        );
    }
    let work = plan_killed_run();
    let result = resume_from_checkpoint(&work, &path, &Control::new());
    assert!(result.is_finished);
    let answer = work.validated_request().answer(&result.state.sums).unwrap();
    assert_eq!(numbers_by_kind(&answer), numbers_by_kind(&count_all(work.validated_request().request())));
}
