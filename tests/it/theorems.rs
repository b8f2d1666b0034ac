//! Properties of counts, plans and units of work on boards that are too large for the oracle:
//! symmetric boards have equal counts, no count depends on the split depth, and no plan on the
//! number of threads.

use ktour::Control;
use ktour::board::{Board, Leaper, Rectangle, Square, Symmetry};
use ktour::count::{CountError, Engine, Request, count};
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::tour::{Kind, TourSpec};

use super::searches_against_oracle::{ENGINES, KINDS, board, count_all, leaper, numbers_by_kind, request};
use super::sweep_shards_and_snapshots::run_on_threads;

#[test]
fn transposed_board_has_same_counts() {
    for (one, other, piece) in [
        ("5x6", "6x5", Leaper::KNIGHT),
        ("3x10", "10x3", Leaper::KNIGHT),
        ("4x8", "8x4", Leaper::KNIGHT),
        ("4x6", "6x4", leaper(0, 1)),
        ("5x6", "6x5", leaper(2, 3)),
    ] {
        for engine in ENGINES {
            let [one, other] =
                [one, other].map(|text| numbers_by_kind(&count_all(&request(&board(text), piece, engine))));
            assert_eq!(one, other);
        }
    }
}

#[test]
fn rotated_holes_rotate_counts_by_start() {
    let holes = ["b1", "f2", "c4", "d4"].map(|name| name.parse().unwrap());
    let holed = |holes: [Square; 4]| board("6x6").without(holes).unwrap();
    let original = count_all(&request(&holed(holes), Leaper::KNIGHT, Engine::Multipath));
    let paths = original.counts.get(Kind::Paths).unwrap();
    assert!(*paths > 0u32.into());
    for symmetry in Symmetry::ALL {
        let turned = holes.map(|square| symmetry.apply(square, 6, 6));
        let answer = count_all(&request(&holed(turned), Leaper::KNIGHT, Engine::Auto));
        assert_eq!(answer.counts, original.counts, "{symmetry:?}");
        for start in &original.per_start {
            let square = holed(holes).square(start.vertex);
            let image = symmetry.apply(square, 6, 6);
            let found = &answer.per_start[holed(turned).index(image).unwrap() as usize];
            assert_eq!(found.counts, start.counts, "{square} to {image}");
        }
    }
}

#[test]
fn counts_are_independent_of_split_depth() {
    let edges = 2 * 5 * 4 + 2 * 4 * 5;
    for (text, kind, expected) in
        [("6x6", Kind::Closed, 9862u32), ("5x6", Kind::Paths, 18_784), ("5x5", Kind::Open, 864)]
    {
        for engine in ENGINES {
            for depth in (0..=14).chain([20, 30, 45, edges]) {
                if engine == Engine::Backtrack && depth > 14 {
                    continue;
                }
                let request = Request {
                    split_depth: Some(depth),
                    ..request(&board(text), Leaper::KNIGHT, engine).with_kind(kind).unwrap()
                };
                let answer = count_all(&request);
                assert_eq!(
                    answer.counts.get(kind),
                    Some(&expected.into()),
                    "{text} {engine:?} depth {depth}"
                );
            }
        }
    }
}

#[test]
fn counts_of_6x6_by_start_match_known_numbers() {
    // Directed paths from the squares of the fundamental region. An independent brute-force program found
    // these numbers.
    let from =
        [("a1", 524_486), ("b1", 289_050), ("c1", 115_837), ("b2", 173_402), ("c2", 49_578), ("c3", 52_662)];
    for engine in ENGINES {
        let answer = count_all(&request(&board("6x6"), Leaper::KNIGHT, engine));
        assert_eq!(numbers_by_kind(&answer), [Some(9862), Some(2_963_928), Some(3_318_960)]);
        for (name, paths) in from {
            let square = board("6x6").index(name.parse().unwrap()).unwrap();
            let start = &answer.per_start[square as usize];
            let counts = &start.counts;
            assert_eq!(counts.get(Kind::Paths), Some(&paths.into()), "from {name}");
            assert_eq!(counts.get(Kind::Open), Some(&(paths - 2 * 9862u32).into()), "from {name}");
            assert_eq!(counts.get(Kind::Closed), Some(&(2u32 * 9862).into()), "from {name}");
        }
    }
}

#[test]
fn boards_without_tours_count_0_immediately() {
    for (text, holes) in
        [("12x10", "a1,c1"), ("9x13", "b1"), ("3x3", ""), ("4x4", ""), ("2x50", ""), ("1x100", "")]
    {
        let holes = holes.split(',').filter(|name| !name.is_empty()).map(|name| name.parse().unwrap());
        let board: Rectangle = board(text).without(holes).unwrap();
        for engine in ENGINES {
            let answer = count_all(&request(&board, Leaper::KNIGHT, engine));
            assert_eq!(numbers_by_kind(&answer), [Some(0); 3], "{text}");
        }
    }
}

#[test]
fn plan_is_independent_of_threads() {
    for (text, kind) in [("6x6", Kind::Paths), ("6x6", Kind::Closed), ("5x7", Kind::Open)] {
        let plan = || {
            let problem = Problem::new(&TourSpec::all(text.parse().unwrap(), kind)).unwrap();
            MultipathPlan::new(problem, None).unwrap()
        };
        let plans = [1, 2, 3].map(|threads| run_on_threads(threads, plan));
        assert!(plans.iter().all(|other| other.units() == plans[0].units()), "{text} {kind:?}");
        assert!(plans[0].units().len() >= 1024, "at least 1024 units for many cores");
        let mut schedule = plans[0].schedule();
        schedule.sort_unstable();
        assert!(
            schedule.into_iter().eq(0..plans[0].units().len() as u32),
            "the schedule contains each unit once"
        );
    }
}

#[test]
fn residual_symmetries_of_units_are_subgroups() {
    for kind in KINDS {
        let problem = Problem::new(&TourSpec::all("6x6".parse().unwrap(), kind)).unwrap();
        let plan = MultipathPlan::new(problem, Some(10)).unwrap();
        let order = plan.problem().search_group().order();
        for unit in plan.units() {
            assert_eq!(unit.residual[0], 0, "the identity comes first");
            assert_eq!(order % unit.residual.len(), 0);
            assert_eq!(plan.coset_representatives(unit).len() as u64, plan.weight(unit));
        }
    }
}

#[test]
fn sweep_rejects_zero_shards() {
    let request =
        Request { engine: Engine::Frontier, shards: 0, ..Request::new("5x6".parse::<Board>().unwrap()) };
    assert_eq!(count(&request, &Control::new()).unwrap_err(), CountError::ZeroShards);
}
