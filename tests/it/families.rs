//! Sweeps of a family that are interrupted and gone on with: the rows are those of a sweep that was not.

use std::path::Path;
use std::time::Duration;

use super::arenas::locked;
use super::check::assert_names;
use ktour::batch::{FamilyCheckpoint, FamilyKeeper};
use ktour::control::Control;
use ktour::count::CountError;
use ktour::series::{Boards, Line, Play, Row, Swept};
use ktour::tour::Kind;

fn line(text: &str) -> Line {
    match text.parse().unwrap() {
        Boards::Line(line) => line,
        other => panic!("{other} is a line"),
    }
}

/// Sweeps until `most` rows are told that were not told before; all rows, and how it ended.
fn sitting(
    line: Line,
    kind: Option<Kind>,
    keeper: Option<&FamilyKeeper>,
    most: usize,
) -> (Vec<String>, Result<(), CountError>) {
    let control = Control::new();
    let mut rows = Vec::new();
    let mut row = |row: Row| {
        let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
        rows.push(format!("{} {}", row.board, counts.join(" ")));
        if rows.len() >= most {
            control.cancel();
        }
    };
    let planned = line.plan(&Play::default(), kind, None, &Control::new()).unwrap();
    let ended = planned.sweep_kept(keeper.map(|keeper| keeper as _), &control, &mut row);
    (rows, ended)
}

/// A keeper that lets sweeps rest often, and whenever they are stopped, from what the file has.
fn keeper(path: &Path, state: Option<FamilyCheckpoint>) -> FamilyKeeper {
    let saved = || FamilyCheckpoint::load(path).unwrap().checkpoint;
    FamilyKeeper::new(locked(path), state.unwrap_or_else(saved), (Duration::from_millis(100), false), |why| {
        panic!("{why}")
    })
}

fn nothing() -> FamilyCheckpoint {
    FamilyCheckpoint { boards: 100, ..FamilyCheckpoint::default() }
}

#[test]
fn a_family_that_was_interrupted_again_and_again_has_the_same_rows() {
    for (text, kind) in [
        ("5x1..9", Some(Kind::Closed)),
        ("5x2..8", None),
        ("3..8x4", Some(Kind::Paths)),
        ("4x3..7", Some(Kind::Open)),
    ] {
        let line = line(text);
        let (whole, ended) = sitting(line, kind, None, usize::MAX);
        assert!(ended.is_ok() && whole.len() == line.boards().count(), "{text}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        keeper(&path, Some(nothing())).save().unwrap();
        let mut rests = 0;
        for most in (2..).step_by(3) {
            let keeper = keeper(&path, None);
            let (rows, ended) = sitting(line, kind, Some(&keeper), most);
            assert_eq!(rows[..], whole[..rows.len()], "{text}");
            rests += usize::from(keeper.state().swept.unwrap().at_rest.is_some());
            if ended.is_ok() {
                assert_eq!(rows, whole);
                keeper.line_is_done();
                keeper.end().unwrap();
                break;
            }
            keeper.end().unwrap();
        }
        assert!(rests > 0, "{text} went on in its middle");
        let mut left: Vec<_> =
            dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["run", "run.lock", "run.previous"], "{text}");
    }
}

#[test]
fn a_number_that_comes_out_otherwise_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let line = line("5x1..8");
    let mut swept = Swept::new("5x1..8", 1);
    swept.numbers[0] = [0u32, 0, 0, 0, 0, 16].map(Into::into).to_vec();
    let state = FamilyCheckpoint { swept: Some(swept), ..nothing() };
    let keeper = keeper(&dir.path().join("run"), Some(state));
    let (_, ended) = sitting(line, Some(Kind::Closed), Some(&keeper), usize::MAX);
    let error = ended.unwrap_err();
    assert!(matches!(error, CountError::Broken(_)), "{error:?}");
    assert_names(&error.to_string(), &["5x6", "8", "16"]);
}
