//! Compares the frontier engine with published counts, on rectangles and on boards with an
//! incomplete last column; and checks memory limits, estimates, observers and vertex orders of
//! sweeps.

use ktour::board::{Rectangle, Square};
use ktour::frontier::{
    Error, Estimate, Method, NoObserver, Options, PreparedSweep, SweepGraph, Tours, Width, count,
    count_series,
};
use num_bigint::BigUint;

use super::sweep_shards_and_snapshots::ReportRecorder;
use super::sweeps_against_naive_count::sweep_counts_by_start;

fn sweep_graph(text: &str) -> SweepGraph {
    SweepGraph::from_board(&text.parse().unwrap())
}

fn count_by_sweep(board: &str, tours: Tours) -> String {
    count(&sweep_graph(board), tours, &Options::default(), &mut NoObserver).unwrap().count.to_string()
}

#[test]
fn closed_counts_match_published_numbers() {
    for (board, closed) in [
        ("5x6", "8"),
        ("6x6", "9862"),
        ("3x10", "16"),
        ("4x8", "0"),
        ("7x7", "0"),
        ("6x7", "1067638"),
        ("6x8", "55488142"),
        ("8x6", "55488142"),
        ("7x8", "34524432316"),
        ("8x7", "34524432316"),
        ("3x46", "10145938076107491328"),
        ("6x39", "5883582334056740305836749071273843581025553554521365508472081512"),
        ("5x38", "2352622444655438705806553391345493395131580"),
    ] {
        assert_eq!(count_by_sweep(board, Tours::Closed), closed, "{board}");
    }
}

#[test]
fn path_counts_match_published_numbers() {
    for (board, paths) in [
        ("1x1", "1"),
        ("3x4", "8"),
        ("5x5", "864"),
        ("4x16", "29819231288"),
        ("5x8", "18061054"),
        ("6x6", "3318960"),
        ("6x8", "24964893804"),
        ("7x7", "82787609160"),
        ("4x26", "292981836913356456"),
    ] {
        assert_eq!(count_by_sweep(board, Tours::Paths), paths, "{board}");
    }
}

/// Returns a board of the first squares in column-major order; the last column may be incomplete. Here the
/// columns have five squares: `16 = 5 + 5 + 5 + 1`.
///
/// ```text
/// # # # .
/// # # # .
/// # # # .
/// # # # .
/// # # # #
/// ```
fn ragged_board(rows: u16, squares: u16) -> Rectangle {
    let cols = squares.div_ceil(rows);
    let missing = (squares - (cols - 1) * rows..rows).map(|rank| Square::new(cols - 1, rank));
    Rectangle::new(rows, cols).unwrap().without(missing).unwrap()
}

/// Recounts the published ragged boards that `is_selected(rows, squares, closed)` selects, and returns their
/// number.
fn assert_ragged_match_published(is_selected: impl Fn(u16, u16, bool) -> bool) -> usize {
    let mut checked = 0;
    for line in include_str!("../data/colprefix.csv").lines().skip(1) {
        let [rows, kind, squares, expected] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let (rows, squares): (u16, u16) = (rows.parse().unwrap(), squares.parse().unwrap());
        let tours = if kind == "closed" { Tours::Closed } else { Tours::Paths };
        if is_selected(rows, squares, kind == "closed") {
            let graph = SweepGraph::from_board(&ragged_board(rows, squares).into());
            let outcome = count(&graph, tours, &Options::default(), &mut NoObserver).unwrap();
            assert_eq!(outcome.count.to_string(), expected, "{line}");
            checked += 1;
        }
    }
    checked
}

/// Returns true if a debug build or a busy machine counts the board in less than a minute.
fn is_quick(rows: u16, squares: u16, closed: bool) -> bool {
    match (rows, closed) {
        (8, true) => squares <= 42,
        (8, false) => squares <= 29,
        (7, true) => squares <= 52,
        (7, false) => squares <= 41,
        _ => true,
    }
}

#[test]
fn ragged_boards_match_published_numbers() {
    assert!(assert_ragged_match_published(is_quick) > 150);
}

#[test]
#[ignore = "takes a minute or two"]
fn larger_ragged_boards_match_published_numbers() {
    assert!(assert_ragged_match_published(|rows, squares, closed| !is_quick(rows, squares, closed)) > 10);
}

#[test]
fn starts_of_6x6_sum_to_published_paths() {
    let starts = sweep_counts_by_start(&sweep_graph("6x6"));
    assert_eq!(starts.iter().sum::<BigUint>(), BigUint::from(6_637_920u32));
    assert_eq!((&starts[0], &starts[5]), (&starts[35], &starts[30]));
}

#[test]
fn series_counts_every_length() {
    let counts =
        count_series(&"24x5".parse().unwrap(), Tours::Closed, &Options::default(), &mut NoObserver).unwrap();
    assert_eq!(counts[5], BigUint::from(8u8));
    assert_eq!(counts[21].to_string(), "17414154188157170439208");
    assert_eq!(counts[23].to_string(), "5717847862749642677204182");
    assert!(counts.iter().step_by(2).all(|count| *count == BigUint::ZERO));
}

#[test]
fn counts_are_equal_for_all_weight_widths() {
    let options = Options { modulo: Some(Width::W128.into()), method: Method::Blocks, ..Options::default() };
    for (board, tours, expected) in [
        ("6x6", Tours::Paths, "3318960"),
        ("6x8", Tours::Closed, "55488142"),
        ("7x8", Tours::Closed, "34524432316"),
        ("6x10", Tours::Closed, "239187240144"),
        ("6x20", Tours::Closed, "276453522147273309254029785276"),
    ] {
        let outcome = count(&sweep_graph(board), tours, &options, &mut NoObserver).unwrap();
        assert_eq!(outcome.count.to_string(), expected, "{board}");
    }
}

fn estimate_sweep(graph: &SweepGraph, tours: Tours) -> Estimate {
    PreparedSweep::new(graph, tours, &Options::default()).unwrap().estimate().unwrap()
}

#[test]
fn sweep_stays_below_memory_limit() {
    let graph = sweep_graph("7x8");
    let expected = estimate_sweep(&graph, Tours::Closed);
    let options = Options { memory: Some(expected.peak_bytes / 4), ..Options::default() };
    let error = count(&graph, Tours::Closed, &options, &mut NoObserver).unwrap_err();
    assert!(matches!(error, Error::Memory { limit, .. } if limit == expected.peak_bytes / 4), "{error}");
    let options = Options { memory: Some(expected.peak_bytes * 3 / 2), ..Options::default() };
    let outcome = count(&graph, Tours::Closed, &options, &mut NoObserver).unwrap();
    assert_eq!(outcome.count.to_string(), "34524432316");
    assert!(outcome.totals.peak_bytes <= expected.peak_bytes * 3 / 2);
}

#[test]
fn estimates_are_upper_bounds() {
    for (board, tours) in [("6x7", Tours::Closed), ("6x6", Tours::Paths), ("5x9", Tours::Paths)] {
        let graph = sweep_graph(board);
        let expected = estimate_sweep(&graph, tours);
        let options = Options { method: Method::Blocks, ..Options::default() };
        let mut recorder = ReportRecorder::default();
        let outcome = count(&graph, tours, &options, &mut recorder).unwrap();
        assert_eq!(recorder.0.len(), expected.steps);
        for (report, max_weights) in recorder.0.iter().zip(&expected.layer_weights) {
            assert!(report.tally.states <= report.tally.weights && report.tally.weights <= *max_weights);
        }
        assert!(
            outcome.totals.weights * 10 >= expected.weights * 7,
            "{board}: {} of {}",
            outcome.totals.weights,
            expected.weights
        );
    }
}

#[test]
fn observer_can_stop_sweep() {
    struct StopAtFirstStep;
    impl ktour::frontier::Observer for StopAtFirstStep {
        fn on_step(&mut self, report: &ktour::frontier::StepReport) -> std::ops::ControlFlow<()> {
            if report.step == 10 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        }
    }
    let error =
        count(&sweep_graph("6x6"), Tours::Closed, &Options::default(), &mut StopAtFirstStep).unwrap_err();
    assert_eq!(error, Error::Stopped { step: 10, steps: 36 });
}

#[test]
fn invalid_orders_are_rejected() {
    for order in [vec![], vec![0, 1, 2], vec![0; 16], (0..17).collect::<Vec<_>>()] {
        let options = Options { order: Some(order), ..Options::default() };
        let error = count(&sweep_graph("4x4"), Tours::Paths, &options, &mut NoObserver).unwrap_err();
        assert_eq!(error, Error::InvalidOrder { squares: 16 });
    }
}
