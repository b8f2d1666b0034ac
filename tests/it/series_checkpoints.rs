//! Sweeps of a family that are interrupted and gone on with: the rows are those of a sweep that was not.

use std::path::Path;
use std::time::Duration;

use super::custom_graphs::lock_checkpoint_file;
use super::tour_files::assert_contains_all;
use ktour::batch::{SeriesCheckpoint, SeriesCheckpointer};
use ktour::control::Control;
use ktour::count::CountError;
use ktour::series::{BoardLine, BoardRange, SavedSweeps, SeriesRow, SeriesRules};
use ktour::tour::Kind;

fn parse_line(text: &str) -> BoardLine {
    match text.parse().unwrap() {
        BoardRange::Line(line) => line,
        other => panic!("{other} is a line"),
    }
}

/// Sweeps until `most` rows are told that were not told before; all rows, and how it ended.
fn sweep_up_to_rows(
    line: BoardLine,
    kind: Option<Kind>,
    keeper: Option<&SeriesCheckpointer>,
    most: usize,
) -> (Vec<String>, Result<(), CountError>) {
    let control = Control::new();
    let mut rows = Vec::new();
    let mut row = |row: SeriesRow| {
        let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
        rows.push(format!("{} {}", row.board, counts.join(" ")));
        if rows.len() >= most {
            control.cancel();
        }
    };
    let planned = line.plan(&SeriesRules::default(), kind, None, &Control::new()).unwrap();
    let ended = planned.run_with_saver(keeper.map(|keeper| keeper as _), &control, &mut row);
    (rows, ended)
}

/// A keeper that lets sweeps rest often, and whenever they are stopped, from what the file has.
fn open_checkpointer(path: &Path, state: Option<SeriesCheckpoint>) -> SeriesCheckpointer {
    let saved = || SeriesCheckpoint::load(path).unwrap().checkpoint;
    SeriesCheckpointer::new(
        lock_checkpoint_file(path),
        state.unwrap_or_else(saved),
        (Duration::from_millis(100), false),
        |why| panic!("{why}"),
    )
}

fn empty_checkpoint() -> SeriesCheckpoint {
    SeriesCheckpoint { boards: 100, ..SeriesCheckpoint::default() }
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
        let (whole, ended) = sweep_up_to_rows(line, kind, None, usize::MAX);
        assert!(ended.is_ok() && whole.len() == line.boards().count(), "{text}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        open_checkpointer(&path, Some(empty_checkpoint())).save().unwrap();
        let mut rests = 0;
        for most in (2..).step_by(3) {
            let keeper = open_checkpointer(&path, None);
            let (rows, ended) = sweep_up_to_rows(line, kind, Some(&keeper), most);
            assert_eq!(rows[..], whole[..rows.len()], "{text}");
            rests += usize::from(keeper.current_state().swept.unwrap().suspended.is_some());
            if ended.is_ok() {
                assert_eq!(rows, whole);
                keeper.finish_line();
                keeper.finish().unwrap();
                break;
            }
            keeper.finish().unwrap();
        }
        assert!(rests > 0, "{text} went on in its middle");
        let mut left: Vec<_> =
            dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["run", "run.lock", "run.previous"], "{text}");
    }
}

#[test]
fn resumed_series_rejects_different_number() {
    let dir = tempfile::tempdir().unwrap();
    let line = parse_line("5x1..8");
    let mut swept = SavedSweeps::new("5x1..8", 1);
    swept.numbers[0] = [0u32, 0, 0, 0, 0, 16].map(Into::into).to_vec();
    let state = SeriesCheckpoint { swept: Some(swept), ..empty_checkpoint() };
    let keeper = open_checkpointer(&dir.path().join("run"), Some(state));
    let (_, ended) = sweep_up_to_rows(line, Some(Kind::Closed), Some(&keeper), usize::MAX);
    let error = ended.unwrap_err();
    assert!(matches!(error, CountError::TheoremViolation(_)), "{error:?}");
    assert_contains_all(&error.to_string(), &["5x6", "8", "16"]);
}
