//! Checkpoints of series: a series that is interrupted and resumed has the same rows as an
//! uninterrupted one.

use std::path::Path;
use std::time::Duration;

use super::custom_graphs::lock_checkpoint_file;
use super::tour_files::assert_contains_all;
use ktour::batch::{Checkpoint, Checkpointer, JobState, SaveOptions, SeriesState};
use ktour::control::Control;
use ktour::count::CountError;
use ktour::series::{BoardLine, BoardRange, SavedSweeps, SeriesRow, SeriesRules};
use ktour::tour::Kind;

/// Parses a range with one fixed side, such as `5x1..9`.
fn parse_line(text: &str) -> BoardLine {
    match text.parse().unwrap() {
        BoardRange::Line(line) => line,
        other => panic!("{other} is not a range with one fixed side"),
    }
}

/// Runs a series, and cancels it after `max_rows` rows. Returns the rows and the result of the run.
fn run_series_up_to(
    line: BoardLine,
    kind: Option<Kind>,
    checkpointer: Option<&Checkpointer<SeriesState>>,
    max_rows: usize,
) -> (Vec<String>, Result<(), CountError>) {
    let control = Control::new();
    let mut rows = Vec::new();
    let mut on_row = |row: SeriesRow| {
        let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
        rows.push(format!("{} {}", row.board, counts.join(" ")));
        if rows.len() >= max_rows {
            control.cancel();
        }
    };
    let planned = line.plan(&SeriesRules::default(), kind, None, None, &Control::new()).unwrap();
    let result = planned.run(checkpointer.map(|checkpointer| checkpointer as _), &control, &mut on_row);
    (rows, result)
}

/// Calls `run` with a checkpointer that saves every 100 ms and at every stop, and saves the state at the end. The
/// checkpointer starts from the state in the file, if it exists, and otherwise from `new_state`.
fn with_checkpointer<T>(
    path: &Path,
    new_state: SeriesState,
    run: impl FnOnce(&Checkpointer<SeriesState>) -> T,
) -> T {
    let file = lock_checkpoint_file(path);
    let folder = file.spill_dir::<SeriesState>();
    let state = Checkpoint::load(path).map_or(new_state, |loaded| loaded.checkpoint.state);
    let options = SaveOptions {
        file: Some(&file),
        spill_dir: Some(&folder),
        interval: Duration::from_millis(100),
        limits_overhead: false,
        ..SaveOptions::new(&|why| panic!("{why}"))
    };
    let checkpointer = Checkpointer::new("a series".to_owned(), state, options);
    let result = run(&checkpointer);
    checkpointer.save().unwrap();
    if checkpointer.current_state().swept.is_none() {
        folder.remove_all();
    }
    result
}

#[test]
fn interrupted_series_resumes_to_same_rows() {
    for (text, kind) in [
        ("5x1..9", Some(Kind::Closed)),
        ("5x2..8", None),
        ("3..8x4", Some(Kind::Paths)),
        ("4x3..7", Some(Kind::Open)),
    ] {
        let line = parse_line(text);
        let (whole, result) = run_series_up_to(line, kind, None, usize::MAX);
        assert!(result.is_ok() && whole.len() == line.boards().count(), "{text}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let mut suspensions = 0;
        for max_rows in (2..).step_by(3) {
            let is_finished = with_checkpointer(&path, SeriesState::new(100), |checkpointer| {
                let (rows, result) = run_series_up_to(line, kind, Some(checkpointer), max_rows);
                assert_eq!(rows[..], whole[..rows.len()], "{text}");
                suspensions += usize::from(checkpointer.current_state().snapshot().is_some());
                if result.is_ok() {
                    assert_eq!(rows, whole);
                    checkpointer.finish_line();
                }
                result.is_ok()
            });
            if is_finished {
                break;
            }
        }
        assert!(suspensions > 0, "{text} resumed within a sweep at least once");
        let mut remaining_files: Vec<_> =
            dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        remaining_files.sort();
        assert_eq!(remaining_files, ["run", "run.previous"], "{text}");
    }
}

#[test]
fn resumed_series_rejects_wrong_number() {
    let dir = tempfile::tempdir().unwrap();
    let line = parse_line("5x1..8");
    let mut swept = SavedSweeps::new("5x1..8", 1);
    swept.numbers[0] = [0u32, 0, 0, 0, 0, 16].map(Into::into).to_vec();
    let state = SeriesState { swept: Some(swept), ..SeriesState::new(100) };
    let (_, result) = with_checkpointer(&dir.path().join("run"), state, |checkpointer| {
        run_series_up_to(line, Some(Kind::Closed), Some(checkpointer), usize::MAX)
    });
    let error = result.unwrap_err();
    assert!(matches!(error, CountError::TheoremViolation(_)), "{error:?}");
    assert_contains_all(&error.to_string(), &["5x6", "8", "16"]);
}
