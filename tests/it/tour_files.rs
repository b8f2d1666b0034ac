//! Reading tours: formats, faults and random input; and the commands `find`, `check` and `draw`,
//! joined by pipes.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use ktour::board::{Rectangle, Square};
use ktour::heuristic::{FindOutcome, FindRequest, Rule, find};
use ktour::random::Random;
use ktour::tour::{
    CoordinateOrder, Kind, ReadError, ReadErrorKind, ReadOptions, SymmetryClass, TerminalStyle, Tour,
    TourErrorKind, TourFormat, TourKind, TourReader, TourSpec, TourWriter, number_table,
};
use proptest::prelude::*;

use super::cli::{ERROR_PREFIX, assert_refusals};
use super::snapshot::Transcript;

const FORMATS: [TourFormat; 4] = [TourFormat::Squares, TourFormat::Grid, TourFormat::Csv, TourFormat::Ndjson];

fn find_tour(board: &Rectangle, closed: bool, seed: u64) -> Tour {
    let kind = if closed { Kind::Closed } else { Kind::Paths };
    let tours = TourSpec::all(board.clone().into(), kind);
    match find(&FindRequest { seed, ..FindRequest::new(tours) }) {
        FindOutcome::Found { tour, .. } => tour,
        other => panic!("{board}: {other:?}"),
    }
}

fn write_tours(tours: &[Tour], format: TourFormat, number_from: u64) -> String {
    let writer = TourWriter::new(tours[0].board(), format, number_from).unwrap();
    let closed = tours[0].kind() == TourKind::Closed;
    let mut out = writer.header(if closed { Kind::Closed } else { Kind::Paths }).into_bytes();
    for (i, tour) in tours.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(writer.separator().as_bytes());
        }
        writer.write(&mut out, tour.kind(), tour.vertices());
    }
    String::from_utf8(out).unwrap()
}

fn read_tours(text: impl AsRef<[u8]>) -> Result<Vec<Tour>, String> {
    TourReader::new(text.as_ref(), ReadOptions::default())
        .map(|found| found.map(|located| located.tour).map_err(|error| error.to_string()))
        .collect()
}

/// Returns the first fault of a text.
pub fn first_fault(text: impl AsRef<[u8]>) -> ReadError {
    first_fault_with_options(text, ReadOptions::default())
}

/// Returns the first fault of a text of tours of this board.
pub fn first_fault_on_board(board: &str, text: impl AsRef<[u8]>) -> ReadError {
    first_fault_with_options(
        text,
        ReadOptions { board: Some(board.parse().unwrap()), ..ReadOptions::default() },
    )
}

fn first_fault_with_options(text: impl AsRef<[u8]>, options: ReadOptions) -> ReadError {
    let mut found = TourReader::new(text.as_ref(), options);
    found.find_map(Result::err).expect("the text has a fault")
}

/// Asserts that a message contains all of `names`: options, values, files, numbers.
#[track_caller]
pub fn assert_contains_all(message: &str, names: &[&str]) {
    for name in names {
        assert!(message.contains(name), "`{name}` is not in: {message}");
    }
}

/// Returns the text with every number replaced by N, for numbers that differ from run to run.
pub fn mask_numbers(text: &str) -> String {
    let mut masked = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if masked.ends_with('N') => {}
            true => masked.push('N'),
            false => masked.push(c),
        }
    }
    masked
}

/// Returns the summary with lists of squares, which depend on the search, replaced by a placeholder.
fn mask_squares(summary: &str) -> String {
    let mask = |line: &str| match line.split_once("  ") {
        Some((caption, value)) if value.trim().split(' ').all(|word| word.parse::<Square>().is_ok()) => {
            format!("{caption}  SQUARES")
        }
        _ => line.to_owned(),
    };
    summary.lines().map(mask).collect::<Vec<_>>().join("\n")
}

/// Returns true if a line of a summary has this value, whatever its caption is.
pub fn has_value(summary: &str, value: &str) -> bool {
    summary.lines().any(|line| line.strip_suffix(value).is_some_and(|caption| caption.ends_with("  ")))
}

#[test]
fn reader_inverts_writer_in_all_formats() {
    let board = |rows, cols| Rectangle::new(rows, cols).unwrap();
    let holes =
        |board: Rectangle, names: [&str; 2]| board.without(names.map(|name| name.parse().unwrap())).unwrap();
    for board in [board(6, 6), board(3, 10), board(30, 28), holes(board(6, 6), ["a1", "b1"])] {
        for closed in [false, true] {
            let closed = closed && board.removed().is_empty();
            let tours: Vec<Tour> = (0..4).map(|seed| find_tour(&board, closed, seed)).collect();
            for format in FORMATS {
                for number_from in [0, 1] {
                    let text = write_tours(&tours, format, number_from);
                    assert_eq!(read_tours(text).unwrap(), tours, "{format:?}");
                }
            }
        }
    }
}

#[test]
fn kind_without_header_follows_from_ends() {
    let ring = "a1 c2 a3 b1 c3 a2 c1 b3";
    let header = |kind| format!("# ktour board=3x3 piece=1,2 remove=b2{kind}\n");
    let kind = |text: String| read_tours(text).map(|tours| tours[0].kind());
    assert_eq!(kind(format!("{}{ring}\n", header(""))), Ok(TourKind::Closed), "a header without a kind");
    assert_eq!(kind(format!("{}{ring}\n", header(" kind=closed"))), Ok(TourKind::Closed));
    assert_eq!(kind(format!("{}{ring}\n", header(" kind=paths"))), Ok(TourKind::ReEntrant));
    let error = first_fault(format!("{}{ring}\n", header(" kind=open")));
    assert_eq!(error.line, 2, "{error}");
    assert!(
        matches!(error.kind, ReadErrorKind::HeaderKindMismatch { header: "open", actual: "re-entrant" }),
        "{error}"
    );
    assert_contains_all(&error.to_string(), &["kind=open", "re-entrant"]);
    assert_eq!(kind("1 6 3\n4 . 8\n7 2 5\n".to_owned()), Ok(TourKind::Closed));
    let json = "{\"squares\":[\"a1\",\"c2\",\"a3\",\"b1\",\"c3\",\"a2\",\"c1\",\"b3\"]";
    assert_eq!(kind(format!("{}{json}}}", header(" kind=paths"))), Ok(TourKind::ReEntrant));
    assert_eq!(kind(format!("{}{json},\"kind\":\"re-entrant\"}}", header(""))), Ok(TourKind::ReEntrant));
    let (closed, path) =
        (format!("{}{ring}\n", header(" kind=closed")), format!("{}{ring}\n", header(" kind=paths")));
    let kinds: Vec<TourKind> = read_tours(closed + &path).unwrap().iter().map(Tour::kind).collect();
    assert_eq!(kinds, [TourKind::Closed, TourKind::ReEntrant], "each header applies to the tours below it");
    // Lists of coordinates state facts as other objects do.
    let lists = "{\"x\":[0,1,2,0,1,2,0,1,2,0,1,2],\"y\":[0,2,0,1,3,1,2,0,2,3,1,3]";
    assert_eq!(kind(format!("{lists}}}")), Ok(TourKind::Open));
    let error = first_fault(format!("{lists},\"closed\":true}}"));
    assert_contains_all(&error.to_string(), &["not closed"]);
    first_fault(format!("{lists},\"rows\":8}}"));
    let two_squares = "# ktour board=1x2 piece=0,1 remove=- kind=open\na1 b1\n";
    assert_eq!(kind(two_squares.to_owned()), Ok(TourKind::Open), "two squares make an open tour");
}

#[test]
fn check_rejects_options_contradicting_header() {
    let text = "# ktour board=3x3 piece=1,2 remove=b2 kind=paths\na1 c2 a3 b1 c3 a2 c1 b3\n";
    let json = "{\"squares\":[\"a1\",\"c2\",\"a3\",\"b1\",\"c3\",\"a2\",\"c1\",\"b3\"],\"board\":\"board=3x3 piece=1,2 remove=b2\"}";
    let mut transcript = Transcript::default();
    for text in [text, json] {
        for (args, names) in [
            (&["--board", "4x3"][..], &["board", "3x3", "4x3"][..]),
            (&["--leaper", "1,4"], &["piece", "1,2", "1,4"]),
            (&["--remove", "a1"], &["remove", "b2", "a1"]),
            (&["--board", "3x3", "--remove", "a1,b2"], &["remove", "b2", "a1,b2"]),
        ] {
            let output = run_ktour(&[&["check", "-"], args].concat(), text.as_bytes());
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            assert_contains_all(&error, names);
            transcript.add(&args.join(" "), &error);
        }
        for args in [&["--board", "3x3"][..], &["--leaper", "1,2"], &["--remove", "b2"]] {
            assert!(run_ktour(&[&["check", "-"], args].concat(), text.as_bytes()).status.success());
        }
    }
    let error = String::from_utf8(run_ktour(&["check", "-", "--closed"], text.as_bytes()).stderr).unwrap();
    assert_contains_all(&error, &["line 1", "kind", "paths", "closed"]);
    transcript.add("--closed", &error);
    let bare = text.lines().nth(1).unwrap().as_bytes();
    assert!(has_value(&successful_stdout(&run_ktour(&["check", "-", "--remove", "b2"], bare)), "closed"));
    let paths = &["check", "-", "--remove", "b2", "--kind", "paths"];
    assert!(has_value(&successful_stdout(&run_ktour(paths, bare)), "re-entrant"));
    let error = String::from_utf8(run_ktour(&["check", "-"], bare).stderr).unwrap();
    assert_contains_all(&error, &["b2", "--remove"]);
    transcript.add("without the header", &error);
    transcript.assert_snapshot("errors_options_against_file");
}

#[test]
fn each_header_applies_to_following_tours() {
    let ring = "# ktour board=3x3 piece=1,2 remove=b2 kind=closed\na1 c2 a3 b1 c3 a2 c1 b3\n";
    let path = "# ktour board=3x4 piece=1,2 remove=- kind=open\na3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2\n";
    assert_eq!(read_tours(format!("{ring}{ring}")).unwrap().len(), 2);
    let error = first_fault(format!("{ring}{path}"));
    assert_eq!(error.line, 3, "{error}");
    let ReadErrorKind::DifferentBoard { found, expected } = &error.kind else { panic!("{error}") };
    assert_eq!([found, expected], ["board=3x4 piece=1,2 remove=-", "board=3x3 piece=1,2 remove=b2"]);
    assert_contains_all(&error.to_string(), &[found, expected]);
    let options = ReadOptions { is_mixed: true, ..ReadOptions::default() };
    let text = format!("{ring}{path}{ring}");
    let tours: Vec<Tour> =
        TourReader::new(text.as_bytes(), options).map(|found| found.unwrap().tour).collect();
    assert_eq!(tours[0], tours[2]);
    assert_eq!((tours[1].kind(), tours[1].board().len()), (TourKind::Open, 12));
    let error = first_fault("# ktour board=3x\na1\n");
    assert!(error.line == 1 && matches!(error.kind, ReadErrorKind::Header(_)), "{error}");
    assert_contains_all(&error.to_string(), &["3x"]);
    // CSV, then a header with lines of squares, then CSV.
    let csv = "kind,squares,board\nclosed,a1 c2 a3 b1 c3 a2 c1 b3,\"board=3x3 piece=1,2 remove=b2\"\n";
    assert_eq!(read_tours(format!("{csv}{ring}{csv}")).unwrap().len(), 3);
}

#[test]
fn reader_accepts_grids_with_holes_and_mixed_formats() {
    let ring = "1 6 3\n4 . 8\n7 2 5\n";
    let tours = read_tours(format!("# a ring\n{ring}\n\n{ring}")).unwrap();
    assert_eq!(tours.len(), 2);
    assert_eq!(tours[0].board().leaper_board().unwrap().rectangle().removed().len(), 1);
    assert_eq!(tours[0].kind(), TourKind::Closed);
    let mixed = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2\r\n  1,4, 7,10\r\n12,9,2,5\r\n3,6,11,8\r\n";
    let tours = read_tours(mixed).unwrap();
    assert_eq!(tours[0], tours[1]);
}

/// Predicate of a fault: returns true if the fault is of the expected kind.
pub type FaultPredicate = fn(&ReadErrorKind) -> bool;

/// Returns true if the fault is an invalid tour, and `is_expected` accepts the reason.
pub fn is_tour_fault(fault: &ReadErrorKind, is_expected: impl Fn(&TourErrorKind) -> bool) -> bool {
    matches!(fault, ReadErrorKind::Tour(error) | ReadErrorKind::MissingSquares(error) if is_expected(error.kind()))
}

#[test]
fn reader_reports_first_fault_with_line() {
    let path = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2";
    let cases: [(String, u64, FaultPredicate, &[&str]); 33] = [
        ("a3 c2 a9x b3".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::SquareName(_)), &["`a9x`"]),
        (
            format!("{path}\n\n{}", path.replace("d2", "c2")),
            3,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::Repeated { position: 5, first_position: 2, .. })
                })
            },
            &["c2", "5", "2"],
        ),
        (
            path.replace("b3", "b2"),
            1,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::IllegalMove { move_number: 3, .. })
                })
            },
            &["3", "a1", "b2", "knight"],
        ),
        (
            path.replace(" c1 a2", ""),
            1,
            |fault| {
                is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::Incomplete { visited: 10, .. }))
            },
            &["10", "12", "c1"],
        ),
        (
            format!("{path}\na1 b3 d4"),
            2,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::UnknownVertex { position: 3, .. })
                })
            },
            &["d4", "3"],
        ),
        (
            format!("{path} c3"),
            1,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::Repeated { position: 13, first_position: 7, .. })
                })
            },
            &["c3", "13", "7"],
        ),
        (
            "1 4 7 10\n12 9 2 5\n3 6 11\n".to_owned(),
            3,
            |fault| matches!(fault, ReadErrorKind::RowLength { found: 3, expected: 4 }),
            &["3", "4"],
        ),
        (
            "1 4 7 10\n12 9 2 5\n3 6 6 8\n".to_owned(),
            3,
            |fault| matches!(fault, ReadErrorKind::RepeatedNumber { number: 6, .. }),
            &["6", "c1", "b1"],
        ),
        (
            "1 4 7 10\n13 9 2 5\n3 6 11 8\n".to_owned(),
            2,
            |fault| {
                matches!(
                    fault,
                    ReadErrorKind::NumberTooLarge { number: 13, squares: 12, first_number: 1, .. }
                )
            },
            &["13", "a2", "12", "1"],
        ),
        (
            "1 4 7 10\n12 9 2 x\n3 6 11 8\n".to_owned(),
            2,
            |fault| matches!(fault, ReadErrorKind::NotANumber(_)),
            &["`x`"],
        ),
        (
            "\n4 1 7 10\n12 9 2 5\n3 6 11 8\n".to_owned(),
            3,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::IllegalMove { move_number: 1, .. })
                })
            },
            &["1", "b3", "c2", "knight"],
        ),
        ("[[0,0],[1,2],[2,0]]\n".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::Coordinates(_)), &[]),
        ("0 0\n1 2\n2 0\n".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::Coordinates(_)), &[]),
        ("(0,0),(1,2),(2,0)\n".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::Coordinates(_)), &[]),
        ("2 4\n6 8\n".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::FirstNumber(2)), &["2"]),
        (
            "1\n2\n".to_owned(),
            2,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::IllegalMove { move_number: 1, .. })
                })
            },
            &["1", "a2", "a1"],
        ),
        (
            format!("kind,squares\nclosed,{path}\n"),
            2,
            |fault| is_tour_fault(fault, |reason| matches!(reason, TourErrorKind::NotClosed { .. })),
            &["closed", "a3", "a2"],
        ),
        (
            format!("kind,squares\nre-entrant,{path}\n"),
            2,
            |fault| matches!(fault, ReadErrorKind::KindMismatch { marked: "re-entrant", actual: "open" }),
            &["re-entrant", "open"],
        ),
        (
            "kind,squares\nround,a1\n".to_owned(),
            2,
            |fault| matches!(fault, ReadErrorKind::UnknownKind(_)),
            &["`round`"],
        ),
        (
            "kind,squares\na1 b3\n".to_owned(),
            2,
            |fault| matches!(fault, ReadErrorKind::CsvColumns),
            &["kind,squares"],
        ),
        (
            "{\"squares\":[\"a1\",\"q\"]}".to_owned(),
            1,
            |fault| matches!(fault, ReadErrorKind::Json { .. }),
            &["`q`"],
        ),
        (
            "{\"squares\":[\"a1\"".to_owned(),
            1,
            |fault| matches!(fault, ReadErrorKind::InvalidArray(_)),
            &["bracket"],
        ),
        ("?!".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::UnrecognisedLine(_)), &["`?!`"]),
        (
            "zz65000 zz64998".to_owned(),
            1,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::IllegalMove { move_number: 1, .. })
                })
            },
            &["1", "zz65000", "zz64998"],
        ),
        (
            "Hello,\nworld\n".to_owned(),
            1,
            |fault| matches!(fault, ReadErrorKind::UnrecognisedLine(_)),
            &["`Hello,`"],
        ),
        (
            format!("1\n2\n3\n4\n5\n{path}\n"),
            2,
            |fault| matches!(fault, ReadErrorKind::NumberListWithoutBoard { numbers: 5 }),
            &["5"],
        ),
        (
            "[[1, 4, 7, 10],\n [12, 9, 2],\n [3, 6, 11, 8]]".to_owned(),
            2,
            |fault| matches!(fault, ReadErrorKind::RowLength { found: 3, expected: 4 }),
            &["3"],
        ),
        ("[[1, 4], [3, 2]".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::InvalidArray(_)), &[]),
        (
            "| 1 | 4 |\n| x | 2 |\n".to_owned(),
            2,
            |fault| matches!(fault, ReadErrorKind::NotANumber(_)),
            &["`x`"],
        ),
        (
            "a1-b4".to_owned(),
            1,
            |fault| {
                is_tour_fault(fault, |reason| {
                    matches!(reason, TourErrorKind::IllegalMove { move_number: 1, .. })
                })
            },
            &["1", "a1", "b4"],
        ),
        (
            "kind,squares,board\nopen,a1 b3\n".to_owned(),
            2,
            |fault| matches!(fault, ReadErrorKind::CsvBoard),
            &["kind,squares,board"],
        ),
        ("zz65000".to_owned(), 1, |fault| matches!(fault, ReadErrorKind::MissingSquares(_)), &["1"]),
        (
            "1 4 7 10\n12 9 2 5\n3 6 11 8\n\n1 6 3\n4 . 8\n7 2 5\n".to_owned(),
            5,
            |fault| matches!(fault, ReadErrorKind::GridSize { found, expected } if found == "3x3" && expected == "3x4"),
            &["3x3", "3x4"],
        ),
    ];
    let mut transcript = Transcript::default();
    for (text, line, is_expected, names) in cases {
        let error = first_fault(&text);
        assert_eq!(error.line, line, "{text}\n{error}");
        assert!(is_expected(&error.kind), "{text}\n{error:?}");
        let fault = error.kind.to_string();
        assert_contains_all(&fault, names);
        assert!(!error.to_string().contains('\n'));
        transcript.add(&format!("{text:?}"), &error.to_string());
    }
    transcript.assert_snapshot("errors_tours_in_files");
}

#[test]
fn tour_of_one_square_is_nothing_but_that() {
    for text in ["print(1)\n", "exit(0)\n", "f(a1)\n", "x[1]\n", "x = [1]\n", "import os\nprint(1)\n"] {
        let error = first_fault(text);
        assert!(matches!(error.kind, ReadErrorKind::UnrecognisedLine(_)), "{text}: {error}");
        assert_eq!(error.line as usize, text.lines().count(), "{text}");
    }
    for text in ["1\n", "a1\n", "[[1]]\n", "(1)\n", "{\"squares\": [\"a1\"]}\n", "{\"tour\": [1]}\n"] {
        assert_eq!(read_tours(text).map(|tours| tours.len()), Ok(1), "{text}");
    }
    let options = ReadOptions { board: Some("1x1".parse().unwrap()), ..ReadOptions::default() };
    assert!(TourReader::new("tour = [1]\n".as_bytes(), options).all(|found| found.is_ok()));
}

/// Reads one tour of 3x4 in many notations that people paste.
#[test]
fn reader_accepts_pasted_notations() {
    let squares = ["a3", "c2", "a1", "b3", "d2", "b1", "c3", "d1", "b2", "d3", "c1", "a2"];
    let tour = Tour::from_names(&"3x4".parse().unwrap(), squares).unwrap();
    let rows = [["1", "4", "7", "10"], ["12", "9", "2", "5"], ["3", "6", "11", "8"]];
    let numbered: Vec<String> = (1..).zip(squares).map(|(i, square)| format!("{i}. {square}")).collect();
    let pieces: Vec<String> = squares.iter().map(|square| format!("N{square}")).collect();
    // Moves as pairs of rows from the top and columns, both from 0.
    let pairs = tour.squares().unwrap().into_iter().map(|at| format!("({}, {})", 2 - at.rank(), at.file()));
    let pairs: Vec<String> = pairs.collect();
    let pair_moves = |write: &dyn Fn(usize, &str, &str) -> String| {
        let moves = pairs.windows(2).enumerate();
        moves.map(|(i, ends)| write(i + 1, &ends[0], &ends[1])).collect::<Vec<_>>().join("\n")
    };
    let join_grid = |cells: &str, lines: &str| rows.map(|row| row.join(cells)).join(lines);
    let add_rules = |rule: &str| {
        format!(
            "{rule}\n{}\n{rule}\n",
            rows.map(|row| format!("| {} |", row.join(" | "))).join(&format!("\n{rule}\n"))
        )
    };
    for text in [
        squares.join("-"),
        squares.join(" - "),
        squares.join(", "),
        squares.join(" -> "),
        squares.join(" → ").to_uppercase(),
        pieces.join(" "),
        pieces.join("-"),
        numbered.join(" "),
        numbered.join(" ").replace(". ", ".N"),
        pair_moves(&|i, from, to| format!("{i}. {from} -> {to}")),
        pair_moves(&|i, from, to| format!("{i}: {from} → {to}")),
        pair_moves(&|i, from, to| format!("Move {i}: {from} -> {to}")),
        pair_moves(&|i, from, to| format!("{i}) {from} to {to}")),
        pair_moves(&|_, from, to| format!("{from} -> {to}")),
        join_grid(" ", "\n"),
        join_grid("\t", "\r\n"),
        join_grid(";", "\n").replace(';', ","),
        join_grid(" | ", "\n"),
        format!("| {} |", join_grid(" | ", " |\n| ")),
        add_rules("+----+----+----+----+"),
        format!(
            "|  | a | b | c | d |\n|--|--|--|--|--|\n| 3 | {} |\n| 2 | {} |\n| 1 | {} |\n",
            rows[0].join("|"),
            rows[1].join("|"),
            rows[2].join("|")
        ),
        format!(
            "| a | b | c | d |\n|:-:|:-:|:-:|:-:|\n{}\n",
            add_rules("+-+").lines().filter(|line| line.len() > 3).collect::<Vec<_>>().join("\n")
        ),
        format!("|   |   |   |   |\n|---|---|---|---|\n| {} |\n", join_grid(" | ", " |\n| ")),
        format!("   a b c d\n3  {}\n2  {}\n1  {}\n", rows[0].join(" "), rows[1].join(" "), rows[2].join(" ")),
        format!("[[{}]]", join_grid(", ", "], [")),
        format!("[[{}]]", join_grid(", ", "],\n [")),
        format!("[\n  [{}]\n]\n", join_grid(",", "],\n  [")),
        format!("[[{}]]", join_grid(" ", "]\n [")),
        format!("[[[{}]]]", join_grid(", ", "], [")),
        format!("[\"{}\"]", squares.join("\", \"")),
        format!("[[\"{}\"]]", squares.join("\",\n\"")),
        format!("A tour by de Moivre, as an example:\n\n{}", join_grid(" ", "\n")),
        format!("Tour 1\n{}", squares.join(" ")),
        format!("3x4 board\nnumbered from the corner\n[[{}]]", join_grid(", ", "],\n [")),
        format!("{}\n a  b  c  d\n", join_grid(" ", "\n")),
        number_table(&tour, &TerminalStyle::default()).unwrap().to_text(false),
    ] {
        assert_eq!(read_tours(&text), Ok(vec![tour.clone()]), "{text}");
        let twice = format!("{text}\n\n{text}");
        assert_eq!(read_tours(&twice).map(|tours| tours.len()), Ok(2), "{twice}");
    }
    let titled = format!("Tour 1:\n{}\nTour 2:\n{}\n", join_grid(" ", "\n"), join_grid(" ", "\n"));
    assert_eq!(read_tours(titled).map(|tours| tours.len()), Ok(2), "a title directly below a grid");
    let holes = "[[1, 6, 3], [4, null, 8], [7, 2, 5]]";
    assert_eq!(read_tours(holes).unwrap()[0].board().to_string(), "board=3x3 piece=1,2 remove=b2");
    assert_eq!(read_tours("|1|6|3|\n|4|.|8|\n|7|2|5|\n"), read_tours(holes));
    // An empty cell may be an unvisited square, so it does not remove the square.
    let error = first_fault("|1|6|3|\n|4| |8|\n|7|2|5|\n");
    assert!(
        error.line == 2 && matches!(&error.kind, ReadErrorKind::EmptyCell(square) if square == "b2"),
        "{error}"
    );
    assert_contains_all(&error.to_string(), &["b2", "`.`"]);
    // Numbered moves that do not begin where the one before ended are no tour.
    let broken = pair_moves(&|i, from, to| format!("{i}. {} -> {}", if i == 5 { to } else { from }, to));
    assert!(matches!(first_fault(broken).kind, ReadErrorKind::Coordinates(_)));
    // A rule above the first row makes the grid a drawn box.
    let boxed = "+--+--+--+\n| .| .| .|\n+--+--+--+\n| 1| 4| 7|\n+--+--+--+\n";
    let bare = ". . .\n1 4 7\n";
    let (boxed, bare) = (first_fault(boxed), first_fault(bare));
    assert_eq!((boxed.line, bare.line), (4, 2));
    assert_eq!(boxed.kind.to_string(), bare.kind.to_string());
}

/// Returns the squares of a tour as pairs of numbers from `base`.
fn coordinate_pairs(tour: &Tour, order: CoordinateOrder, base: u16) -> Vec<(u16, u16)> {
    let rows = tour.board().leaper_board().unwrap().rectangle().rows();
    let squares = tour.squares().unwrap().into_iter();
    let pairs = squares.map(|at| match order {
        CoordinateOrder::RowColumn => (rows - 1 - at.rank() + base, at.file() + base),
        CoordinateOrder::Xy => (at.file() + base, at.rank() + base),
    });
    pairs.collect()
}

#[track_caller]
fn assert_reads_as(text: &str, order: Option<CoordinateOrder>, tours: &[&Tour]) {
    let options = ReadOptions { coordinate_order: order, ..ReadOptions::default() };
    let found: Result<Vec<Vec<u32>>, String> = TourReader::new(text.as_bytes(), options)
        .map(|found| found.map(|found| found.tour.canonical_form()).map_err(|error| error.to_string()))
        .collect();
    assert_eq!(found, Ok(tours.iter().map(|tour| tour.canonical_form()).collect()), "{text}");
}

#[test]
fn reader_accepts_coordinates_in_all_notations() {
    use CoordinateOrder::{RowColumn, Xy};
    for (rows, cols, closed) in [(3, 4, false), (4, 3, false), (6, 5, true)] {
        let tour = find_tour(&Rectangle::new(rows, cols).unwrap(), closed, 1);
        for (order, base) in [(RowColumn, 0), (RowColumn, 1), (Xy, 0), (Xy, 1)] {
            let pairs = coordinate_pairs(&tour, order, base);
            // Joins `length` pairs on each line.
            let join = |write: &dyn Fn(usize, (u16, u16)) -> String, sign: &str, length: usize| {
                let pairs: Vec<String> = (1..).zip(&pairs).map(|(i, &pair)| write(i, pair)).collect();
                pairs.chunks(length).map(|line| line.join(sign)).collect::<Vec<_>>()
            };
            for [open, comma, close] in [
                ["(", ",", ")"],
                ["(", ", ", ")"],
                ["(", ";", ")"],
                ["(", " ", ")"],
                ["(", ":", ")"],
                ["[", ",", "]"],
                ["{", ", ", "}"],
                ["<", ",", ">"],
            ] {
                for sign in [" ", "", ", ", ";", " -> ", "-", " - ", " | "] {
                    for length in [1, 5, 8, 99] {
                        let lines = join(&|_, (a, b)| format!("{open}{a}{comma}{b}{close}"), sign, length);
                        let end = sign.trim_end();
                        for text in [lines.join("\n"), lines.join(&format!("{end}\r\n")) + end] {
                            assert_reads_as(&text, Some(order), &[&tour]);
                            // Without the order, x,y is read as row,column, the mirror image.
                            if order == RowColumn || rows == cols {
                                assert_reads_as(&text, None, &[&tour]);
                            }
                        }
                        assert_reads_as(&(lines.join("\n") + "."), Some(order), &[&tour]);
                        let several = [lines.join("\n"), lines.join("\n"), lines.join("\n")].join("\n");
                        assert_reads_as(&several, Some(order), &[&tour; 3]);
                    }
                }
            }
            let keys: &[[&str; 2]] = match order {
                RowColumn => &[["row", "col"], ["Row", "Column"], ["r", "c"], ["i", "j"]],
                Xy => &[["x", "y"], ["X", "Y"], ["file", "rank"]],
            };
            for [first, second] in keys {
                for is in ["=", ": ", " = ", " "] {
                    for (comma, sign) in [(" ", " "), (", ", ", "), (" ", ", "), (", ", "; "), (",", " -> ")]
                    {
                        let pair = |_, (a, b)| format!("{first}{is}{a}{comma}{second}{is}{b}");
                        for length in [1, 4, 99] {
                            let text = join(&pair, sign, length).join("\n");
                            assert_reads_as(&text, None, &[&tour]);
                            assert_reads_as(&format!("{text}.\r\n{text}."), None, &[&tour; 2]);
                        }
                        let counted = |i, (a, b)| format!("{i}. {}", pair(i, (a, b)));
                        let stepped = |i, (a, b)| format!("Step {i}: ({})", pair(i, (a, b)));
                        assert_reads_as(&join(&counted, " ", 3).join("\n"), None, &[&tour]);
                        assert_reads_as(&join(&stepped, " ", 1).join("\n"), None, &[&tour]);
                    }
                }
            }
        }
    }
}

#[test]
fn reader_keeps_tours_of_coordinates_apart() {
    let board = Rectangle::new(3, 4).unwrap();
    let tours: Vec<Tour> = (0..2).map(|seed| find_tour(&board, false, seed)).collect();
    let lines: Vec<String> = tours
        .iter()
        .map(|tour| {
            let pairs = coordinate_pairs(tour, CoordinateOrder::RowColumn, 0).into_iter();
            pairs.map(|(a, b)| format!("({a},{b})")).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let [one, two] = [&lines[0], &lines[1]];
    let both = [&tours[0], &tours[1]];
    assert_reads_as(&format!("{one}\n{two}\n"), None, &both);
    assert_reads_as(&format!("Tour 1: {one}\nTour 2: {two}\n"), None, &both);
    assert_reads_as(&format!("[{one}]\n[{two}]\n"), None, &both);
    // A wrong tour hides no other one.
    let text = format!("{two}\n{}\n{one}", one.replace(&one[..5], "(7,7)"));
    let results: Vec<_> = TourReader::new(text.as_bytes(), ReadOptions::default()).collect();
    assert_eq!(results.len(), 3);
    assert!(results[0].is_ok() && results[2].is_ok());
    assert!(
        matches!(&results[1], Err(error) if error.line == 2 && matches!(error.kind, ReadErrorKind::Coordinates(_)))
    );
    // Brackets around all pairs hold one tour.
    assert!(matches!(first_fault(format!("[{one}\n{one}]")).kind, ReadErrorKind::Coordinates(_)));
    for text in ["1. (0,0) 2. (1,2) 2. (2,0)", "1. (0,0) 3. (1,2)"] {
        assert!(matches!(first_fault(text).kind, ReadErrorKind::StepNumbers(_)), "{text}");
    }
    for text in ["(0,0) (1,2", "{(0,0): (1,2), (1,2): (2,0)}", "(0,0) (1,2) 7"] {
        assert!(matches!(first_fault(text).kind, ReadErrorKind::InvalidArray(_)), "{text}");
    }
    for text in ["x=0 y=5 closed", "x=0 y=-1\nx=1 y=1", "i=1 x=0 y=0"] {
        assert!(matches!(first_fault(text).kind, ReadErrorKind::UnrecognisedLine(_)), "{text}");
    }
    // A sentence above a grid is text.
    let text = "Start at row 0, column 0\n1 4 7 10\n12 9 2 5\n3 6 11 8\n";
    assert_eq!(read_tours(text).map(|tours| tours.len()), Ok(1));
}

#[test]
fn rows_of_two_numbers_are_grid_or_coordinates() {
    let options = |board: Option<&str>| ReadOptions {
        board: board.map(|board| board.parse().unwrap()),
        leaper: Some("0,1".parse().unwrap()),
        ..ReadOptions::default()
    };
    let read = |text: &str, board: Option<&str>| {
        let found: Result<Vec<_>, _> = TourReader::new(text.as_bytes(), options(board)).collect();
        found
            .map(|all| all.into_iter().map(|found| found.format).collect::<Vec<_>>())
            .map_err(|error| error.kind)
    };
    let board = "board=3x2 piece=0,1 remove=-";
    for board in [None, Some(board)] {
        for text in ["(1,2) (4,3) (5,6)", "(1,2)(4,3)(5,6)", "(1,2)\n(4,3)\n(5,6)", "(0,1) (3,2) (4,5)"] {
            assert_eq!(read(text, board).ok(), Some(vec![TourFormat::Grid]), "{text}");
        }
        let pairs = "(0,0) (0,1) (1,1) (1,0) (2,0) (2,1)";
        for text in [pairs, &pairs.replace(' ', ""), &pairs.replace(' ', "\n"), &format!("[{pairs}]")] {
            assert_eq!(read(text, board).ok(), Some(vec![TourFormat::Squares]), "{text}");
        }
        let twice = format!("{pairs}\n{pairs}");
        assert_eq!(read(&twice, board).ok(), Some(vec![TourFormat::Squares; 2]), "{twice}");
    }
    let error = read("(1,2) (4,3) (5,5)", Some(board)).unwrap_err();
    assert!(matches!(error, ReadErrorKind::RepeatedNumber { .. }), "{error}");
}

#[test]
fn reader_rejects_second_board_without_mixed() {
    let text = "1 4 7 10\n12 9 2 5\n3 6 11 8\n\n1 6 3\n4 . 8\n7 2 5\n";
    let error = first_fault(text);
    assert_eq!(error.line, 5, "{error}");
    let ReadErrorKind::GridSize { found, expected } = &error.kind else { panic!("{error}") };
    assert_eq!([found, expected], ["3x3", "3x4"]);
    let options = ReadOptions { is_mixed: true, ..ReadOptions::default() };
    assert_eq!(TourReader::new(text.as_bytes(), options).filter(Result::is_ok).count(), 2);
}

#[test]
fn symmetric_images_share_canonical_form_and_class() {
    use ktour::board::Symmetry;
    for (rows, closed, seed) in [(6, true, 1), (6, true, 2), (8, false, 3), (31, false, 4), (40, true, 5)] {
        let board = Rectangle::new(rows, rows).unwrap();
        let tour = find_tour(&board, closed, seed);
        for symmetry in Symmetry::ALL {
            let mut squares: Vec<Square> =
                tour.squares().unwrap().iter().map(|&square| symmetry.apply(square, rows, rows)).collect();
            if closed {
                squares.rotate_left(7);
            }
            squares.reverse();
            let image = Tour::from_squares(tour.board(), squares).unwrap();
            let image = if closed { image.into_closed().unwrap() } else { image };
            assert_eq!(image.canonical_form(), tour.canonical_form());
            assert_eq!(image.symmetry_class(), tour.symmetry_class());
        }
    }
    let incomplete_grid = "1 6 3 8 5\n";
    assert!(read_tours(incomplete_grid).is_err());
    let class = find_tour(&Rectangle::new(8, 8).unwrap(), true, 1).symmetry_class();
    assert_eq!(class, Some(SymmetryClass::Asymmetric));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn reader_does_not_panic_on_random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_tours(&bytes);
    }

    #[test]
    fn reader_does_not_panic_on_tour_like_text(
        text in "([a-e]{0,3}[0-9]{0,6}[ ,.\n{}\\[\\]\":-]{0,2}|kind,squares\n|\\{\"squares\":|closed|4294967295 ){0,40}",
    ) {
        let _ = read_tours(&text);
    }

    #[test]
    fn damaged_file_is_rejected_or_read_as_tours(
        format in 0usize..4, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let board = Rectangle::new(5, 6).unwrap();
        let tours = [find_tour(&board, true, 1), find_tour(&board, false, 2)];
        let mut text = write_tours(&tours, FORMATS[format], 1).into_bytes();
        let at = at.index(text.len());
        if cut { text.truncate(at) } else { text[at] = byte }
        if let Ok(tours) = read_tours(&text) {
            for tour in tours {
                prop_assert!(Tour::new(tour.board(), tour.vertices().to_vec()).is_ok());
            }
        }
    }
}

/// Runs ktour with `input` on standard input.
fn run_ktour(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The command may stop reading at the first fault, so the write may fail.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Asserts that a run succeeded, and returns its standard output.
fn successful_stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Pipes the output of `find` on this board into `check`.
fn assert_check_accepts_find(board: &str, closed: bool) {
    let kind = if closed { "--closed" } else { "--open" };
    let found = run_ktour(&["find", board, "--format", "grid", kind], b"");
    let summary = successful_stdout(&run_ktour(&["check", "-"], &found.stdout));
    let kind = if closed { "closed" } else { "open" };
    assert!(has_value(&summary, kind), "{board}: {summary}");
}

#[test]
fn check_accepts_find_on_boards_of_all_sizes() {
    for board in ["6", "8", "50", "76", "200", "1000"] {
        assert_check_accepts_find(board, true);
    }
    for board in ["3x4", "7x9", "77"] {
        assert_check_accepts_find(board, false);
    }
}

#[test]
#[ignore = "finds a tour of four million squares"]
fn check_accepts_find_on_largest_board() {
    assert_check_accepts_find("2000", true);
}

#[test]
fn check_accepts_find_by_every_rule_and_format() {
    for rule in Rule::ALL {
        for format in ["squares", "grid", "csv", "ndjson"] {
            let found = run_ktour(
                &["find", "8x8", "--closed", "--rule", &rule.to_string(), "--format", format, "--limit", "3"],
                b"",
            );
            let summary =
                successful_stdout(&run_ktour(&["check", "-", "--closed", "--distinct"], &found.stdout));
            assert!(has_value(&summary, "closed 3"), "{rule} {format}: {summary}");
        }
    }
}

/// Checks every format with holes, leapers, closed, open and re-entrant tours. The header makes options
/// unnecessary.
#[test]
fn commands_read_headers_in_every_format() {
    let mut transcript = Transcript::default();
    for (arguments, kind, board, tours) in [
        ("find 8x8 --closed", "closed", "board=8x8 piece=1,2 remove=-", 1),
        ("find 8x8 --open", "open", "board=8x8 piece=1,2 remove=-", 1),
        ("find 8x8 --start a1 --end b3 --limit 2", "re-entrant", "board=8x8 piece=1,2 remove=-", 2),
        ("find 5x9 --remove c3,c4", "open", "board=5x9 piece=1,2 remove=c3,c4", 1),
        ("find 6x6 --remove a1,b1 --closed", "closed", "board=6x6 piece=1,2 remove=a1,b1", 1),
        ("find 10x10 --leaper 1,4 --closed", "closed", "board=10x10 piece=1,4 remove=-", 1),
        ("find 10x10 --leaper 1,4 --remove a1,j1 --open", "open", "board=10x10 piece=1,4 remove=a1,j1", 1),
        ("list 6x6 --kind closed --limit 40", "closed", "board=6x6 piece=1,2 remove=-", 40),
        ("list 3x3 --remove b2", "re-entrant", "board=3x3 piece=1,2 remove=b2", 8),
        ("list 3x4 --kind open", "open", "board=3x4 piece=1,2 remove=-", 8),
        ("list 1x2 --leaper 0,1 --kind open", "open", "board=1x2 piece=0,1 remove=-", 1),
        (
            "find 4x5 --piece king --wrap torus --remove a1 --open",
            "open",
            "board=4x5 wrap=torus piece=0,1+1,1 remove=a1",
            1,
        ),
        ("find 4x4 --leaper 0,1 --leaper 1,4 --closed", "closed", "board=4x4 piece=0,1+1,4 remove=-", 1),
    ] {
        let mut summaries = BTreeSet::new();
        for format in ["squares", "grid", "csv", "ndjson"] {
            let arguments: Vec<&str> = arguments.split(' ').chain(["--format", format]).collect();
            let text = run_ktour(&arguments, b"").stdout;
            let summary = successful_stdout(&run_ktour(&["check", "-"], &text));
            let value = if tours > 1 { format!("{kind} {tours}") } else { kind.to_owned() };
            assert!(has_value(&summary, &value), "{arguments:?}: {summary}");
            summaries.insert(summary);
            let json = successful_stdout(&run_ktour(&["check", "-", "--json", "-"], &text));
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(json["summary"]["kinds"], serde_json::json!({ kind: tours }), "{arguments:?}");
            assert_eq!(json["summary"]["boards"].as_object().unwrap().len(), 1, "{arguments:?}");
            let mut tours_json = json["tours"].as_array().unwrap().iter();
            assert!(tours_json.all(|tour| tour["board_text"] == board), "{arguments:?}: {json}");
            let picture = successful_stdout(&run_ktour(&["draw", "-", "--limit", "1"], &text));
            let title = picture.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0;
            assert!(title.contains(kind), "{arguments:?}: {title}");
            if format == "squares" {
                transcript.add(&format!("{}: title of the picture", arguments.join(" ")), title);
            }
            assert_eq!(picture.contains("Z\"/>"), kind == "closed", "{arguments:?}: the closing move");
        }
        // All formats have the same summary. It names the only board without a number of tours.
        let [summary] = &summaries.into_iter().collect::<Vec<_>>()[..] else { panic!("{arguments}") };
        transcript.add(arguments, &mask_squares(summary));
    }
    transcript.assert_snapshot("check_summaries");
}

#[test]
fn check_reads_tours_without_header() {
    for format in ["squares", "grid", "csv", "ndjson"] {
        let bare_tours = run_ktour(&["find", "8x8", "--closed", "--bare", "--format", format], b"").stdout;
        let text = String::from_utf8(bare_tours.clone()).unwrap();
        assert!(!text.contains('#') && !text.contains("board") && !text.contains("board="), "{text}");
        assert!(
            has_value(&successful_stdout(&run_ktour(&["check", "-"], &bare_tours)), "closed"),
            "{format}"
        );
    }
}

#[test]
fn two_square_path_is_open_tour() {
    for board in [&["3x2", "--remove", "b1,a3,b2,a2"][..], &["1x2", "--leaper", "0,1"]] {
        let run =
            |args: &[&str]| successful_stdout(&run_ktour(&[&args[..1], board, &args[1..]].concat(), b""));
        assert_eq!(run(&["count", "--kind", "open"]), "1\n");
        let listed = run(&["list", "--kind", "open"]);
        assert_eq!(run(&["find", "--open"]), listed);
        assert!(has_value(&successful_stdout(&run_ktour(&["check", "-"], listed.as_bytes())), "open"));
        assert_eq!(run(&["count", "--kind", "closed"]), "0\n");
        assert_eq!(run_ktour(&[&["find", "--closed"], board].concat(), b"").status.code(), Some(1));
    }
}

#[test]
fn check_reports_magic_tours() {
    let beverley = "Beverley, 1848\n 1 30 47 52  5 28 43 54\n48 51  2 29 44 53  6 27\n31 46 49  4 25  8 55 42\n\
        50  3 32 45 56 41 26  7\n33 62 15 20  9 24 39 58\n16 19 34 61 40 57 10 23\n63 14 17 36 21 12 59 38\n\
        18 35 64 13 60 37 22 11\n";
    let summary = successful_stdout(&run_ktour(&["check", "-"], beverley.as_bytes()));
    assert!(summary.lines().any(|line| line.contains("semi-magic") && line.contains("260")), "{summary}");
    let mut transcript = Transcript::default();
    transcript.add("Beverley, 1848", &summary);
    transcript.assert_snapshot("check_magic_tour");
    let json = |text: &[u8]| -> serde_json::Value {
        serde_json::from_str(&successful_stdout(&run_ktour(&["check", "-", "--json", "-"], text))).unwrap()
    };
    let found = json(beverley.as_bytes());
    assert_eq!(found["tours"][0]["magic"], "semi-magic");
    assert_eq!(found["summary"]["magic"], serde_json::json!({"semi-magic": 1}));
    assert_eq!(found["summary"]["skipped_lines"], 1);
    let other = run_ktour(&["find", "8x8", "--closed"], b"").stdout;
    assert!(!successful_stdout(&run_ktour(&["check", "-"], &other)).contains("magic"));
    assert_eq!(json(&other)["tours"][0]["magic"], serde_json::Value::Null);
}

#[test]
fn check_json_describes_every_tour() {
    let listed = run_ktour(&["list", "3x10", "--kind", "closed"], b"").stdout;
    let json: serde_json::Value = serde_json::from_str(&successful_stdout(&run_ktour(
        &["check", "-", "--json", "-", "--distinct"],
        &listed,
    )))
    .unwrap();
    assert_eq!(
        (&json["schema"], &json["complete"], json["fault"].is_null()),
        (&1.into(), &true.into(), true)
    );
    let tours = json["tours"].as_array().unwrap();
    assert_eq!(
        (tours.len(), &json["summary"]["correct"], &json["summary"]["distinct"]),
        (16, &16.into(), &6.into())
    );
    assert_eq!(tours[0]["board_text"], "board=3x10 piece=1,2 remove=-");
    assert_eq!((&tours[0]["kind"], &tours[0]["line"]), (&"closed".into(), &2.into()));
    let mut damaged = listed;
    damaged.extend_from_slice(b"a1 b4\n");
    let output = run_ktour(&["check", "-", "--json", "-"], &damaged);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["complete"], &json["fault"]["line"]), (&false.into(), &18.into()));
}

#[test]
fn check_classes_of_lists_match_published_numbers() {
    let closed = run_ktour(&["list", "6x6", "--kind", "closed"], b"").stdout;
    let summary = successful_stdout(&run_ktour(&["check", "-", "--closed", "--distinct"], &closed));
    for value in ["9862", "asymmetric 9784, rot180 eulerian 68, rot90 10", "1245"] {
        assert!(has_value(&summary, value), "{value}: {summary}");
    }
    let mut transcript = Transcript::default();
    transcript.add("closed tours of 6x6", &summary);
    let classes = run_ktour(&["list", "5x5", "--distinct", "--format", "grid"], b"").stdout;
    let summary = successful_stdout(&run_ktour(&["check", "-", "--distinct"], &classes));
    assert_eq!(summary.lines().filter(|line| line.ends_with("  112")).count(), 2, "{summary}");
    transcript.add("distinct paths of 5x5", &summary);
    transcript.assert_snapshot("check_summaries_of_lists");
    // A class is listed by its canonical form.
    let squares = run_ktour(&["list", "5x5", "--distinct"], b"").stdout;
    let forms = run_ktour(&["check", "-", "--canonical"], &squares).stdout;
    assert_eq!(String::from_utf8(forms).unwrap(), String::from_utf8(squares).unwrap());
}

#[test]
fn draw_writes_svg_and_png() {
    let found = run_ktour(&["find", "8x8", "--closed", "--limit", "5"], b"").stdout;
    let sheet = successful_stdout(&run_ktour(&["draw", "-"], &found));
    assert!(sheet.starts_with("<svg ") && sheet.ends_with("</svg>\n"));
    assert_eq!(sheet.matches("<text").count(), 5);
    let one = successful_stdout(&run_ktour(&["draw", "-", "--limit", "1", "--numbers"], &found));
    assert_eq!(one.matches("<circle").count(), 64);
    assert!(
        successful_stdout(&run_ktour(&["draw", "-", "--limit", "1", "--animate=5"], &found))
            .contains("animateMotion")
    );
    assert_eq!(successful_stdout(&run_ktour(&["draw", "-", "--as", "box"], &found)).matches('┌').count(), 5);
    assert_eq!(
        successful_stdout(&run_ktour(&["draw", "-", "--as", "braille"], &found)).matches('┌').count(),
        5
    );
}

#[test]
fn draw_format_follows_file_extension() {
    let folder = tempfile::tempdir().unwrap();
    let found = run_ktour(&["find", "6x6", "--closed"], b"").stdout;
    for (name, begins) in
        [("a.svg", &b"<svg "[..]), ("a.png", b"\x89PNG"), ("A.PNG", b"\x89PNG"), ("a.txt", "  ┌".as_bytes())]
    {
        let path = folder.path().join(name);
        assert_eq!(
            successful_stdout(&run_ktour(&["draw", "-", "--output", path.to_str().unwrap()], &found)),
            ""
        );
        assert!(std::fs::read(&path).unwrap().starts_with(begins), "{name}");
    }
    assert!(run_ktour(&["draw", "-", "--format", "png"], &found).stdout.starts_with(b"\x89PNG"));
    let path = folder.path().join("b.png");
    let path = path.to_str().unwrap();
    let mut transcript = Transcript::default();
    for (args, name) in [
        (&["--format", "svg", "--output", path][..], "--format"),
        (&["--animate", "--output", path], "--animate"),
    ] {
        let output = run_ktour(&[&["draw", "-"], args].concat(), &found);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(name) && error.lines().count() == 1, "{error}");
        let without_folder = |text: &str| text.replace(folder.path().to_str().unwrap(), "DIR");
        transcript.add(&without_folder(&args.join(" ")), &without_folder(&error));
    }
    transcript.assert_snapshot("errors_picture_options");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn draw_notes_omitted_tours() {
    let classes = run_ktour(&["list", "5x5", "--distinct"], b"").stdout;
    let complete = run_ktour(&["draw", "-"], &classes);
    assert_eq!(
        (successful_stdout(&complete).matches("<text").count(), complete.stderr.len()),
        (112, 0),
        "draw shows all 112 tours"
    );
    let limited = run_ktour(&["draw", "-", "--limit", "3"], &classes);
    assert_eq!(successful_stdout(&limited).matches("<text").count(), 3);
    let mut transcript = Transcript::default();
    let mut check_note = |output: Output, case: &str, names: &[&str]| {
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(err.lines().count(), 1, "{err}");
        assert_contains_all(&err, names);
        transcript.add(case, &err);
    };
    assert!(limited.stderr.is_empty(), "the number of tours was requested");
    let many = run_ktour(&["list", "6x6", "--kind", "closed", "--limit", "1001"], b"").stdout;
    let limited = run_ktour(&["draw", "-"], &many);
    assert_eq!(successful_stdout(&limited).matches("<text").count(), 1000);
    check_note(limited, "draw - of 1001 tours", &["1000", "--limit"]);
    transcript.assert_snapshot("notes_draw_limit");
}

#[test]
fn draw_uses_palette_and_colour_options() {
    let path = run_ktour(&["find", "6x6", "--open"], b"").stdout;
    let pictures: Vec<String> = ["wood", "viridis", "mono"]
        .iter()
        .map(|palette| successful_stdout(&run_ktour(&["draw", "-", "--palette", palette], &path)))
        .collect();
    assert!(
        pictures[0].contains("#0b5fa5") && pictures[1].contains("#440154") && pictures[2].contains("#000000")
    );
    let on_terminal = |args: &[&str]| {
        successful_stdout(&run_ktour(&[&["draw", "-", "--format", "terminal"], args].concat(), &path))
    };
    assert!(!on_terminal(&[]).contains('\x1b'), "output to a pipe has no colours");
    let coloured = on_terminal(&["--color", "always"]);
    assert!(coloured.contains("\x1b[0;38;5;33m") && coloured.contains("\x1b[0;1;38;5;196m◆"));
    let wide = run_ktour(&["find", "30x30"], b"").stdout;
    for (width, fits) in [("80", true), ("120", true), ("30", false)] {
        let output = run_ktour(&["draw", "-", "--format", "terminal", "--width", width], &wide);
        let columns =
            String::from_utf8(output.stdout).unwrap().lines().map(|line| line.chars().count()).max();
        assert_eq!(output.status.success(), fits);
        assert!(columns.is_none_or(|columns| columns <= width.parse().unwrap()), "{columns:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        if !fits {
            assert_contains_all(&error, &["30x30", "35", "30"]);
            let mut transcript = Transcript::default();
            transcript.add("draw - --format terminal --width 30", &error);
            transcript.assert_snapshot("errors_terminal_width");
        }
    }
}

#[test]
fn reader_inverts_draw_format_box() {
    for arguments in ["find 8x8 --closed", "find 5x9 --remove c3,c4", "find 6x7 --open"] {
        let found = run_ktour(&arguments.split(' ').collect::<Vec<_>>(), b"").stdout;
        let drawn = run_ktour(&["draw", "-", "--format", "box"], &found).stdout;
        let canonical = |text: &[u8]| {
            let forms = successful_stdout(&run_ktour(&["check", "-", "--canonical"], text));
            forms.lines().last().unwrap().to_owned()
        };
        assert_eq!(canonical(&drawn), canonical(&found), "{arguments}");
    }
}

#[test]
fn find_without_tour_prints_one_line() {
    assert_refusals(
        "errors_outcomes_without_tour",
        &[
            ("find 4x9 --closed", 1, &["4x9"]),
            ("find 4x4", 1, &["4x4"]),
            ("find 5x5 --start b1", 1, &["b1"]),
            ("find 3x4 --start b2", 1, &[]),
            ("find 4x10 --wrap cols --closed", 1, &[]),
            ("find 3x3x3 --piece wazir --closed", 1, &["14", "a1.1", "13"]),
            ("find 600x600 --leaper 2,4 --closed", 1, &["360000"]),
            ("find 400 --rule warnsdorff --attempts 2", 1, &["2 attempts", "warnsdorff"]),
            ("find 8 --start z9", 2, &["--start", "z9", "8x8"]),
            ("find 8 --start a1 --remove a1", 2, &["--start", "a1", "8x8"]),
            ("find 8 --moves 1,2 --rule warnsdorff-first", 2, &["--moves", "8"]),
            ("find 65535", 2, &["65535x65535", "BOARD"]),
            ("find 8 --rule w3", 2, &["w3", "--rule", "auto", "warnsdorff"]),
            ("check /nowhere/at/all", 1, &["/nowhere/at/all"]),
            ("check /", 1, &["/"]),
            ("check /dev/null", 1, &["/dev/null"]),
            ("draw /dev/null", 1, &["/dev/null"]),
            ("rank /dev/null", 1, &["/dev/null"]),
            ("find 8 --output /nowhere/at/all", 1, &["/nowhere/at/all"]),
        ],
    );
}

#[test]
fn commands_report_input_without_tours() {
    let no_tour = run_ktour(&["find", "3x3", "--closed"], b"");
    assert!(no_tour.status.code() == Some(1) && no_tour.stdout.is_empty());
    let inputs = [&no_tour.stdout, &b"# a remark\n".to_vec(), &b"\n".to_vec()];
    // All commands print the same error line for all inputs.
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let mut lines = BTreeSet::new();
    for (args, prints_summary) in [(&[][..], true), (&["--canonical"], false)] {
        for input in inputs {
            let output = run_ktour(&[&["check", "-"], args].concat(), input);
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            let summary = text(output.stdout);
            assert_eq!(summary.lines().count(), usize::from(prints_summary), "{args:?}: {summary}");
            assert_eq!(has_value(&summary, "0"), prints_summary, "{args:?}: {summary}");
            lines.insert(text(output.stderr));
        }
    }
    for command in ["draw", "rank"] {
        for input in inputs {
            let output = run_ktour(&[command, "-"], input);
            assert_eq!(output.status.code(), Some(1), "{command}");
            assert!(output.stdout.is_empty(), "{command}");
            lines.insert(text(output.stderr));
        }
    }
    let [line] = &lines.into_iter().collect::<Vec<_>>()[..] else {
        panic!("all commands print the same line")
    };
    assert!(line.starts_with(ERROR_PREFIX) && line.lines().count() == 1, "{line}");
    assert_contains_all(line, &["standard input"]);
    let mut transcript = Transcript::default();
    transcript.add("check -, draw - and rank - without tours", line);
    transcript.assert_snapshot("errors_no_tours");
}

#[test]
fn list_without_tours_is_read_by_its_header() {
    for format in ["squares", "grid", "csv"] {
        let listed = run_ktour(&["list", "5x5", "--closed", "--format", format], b"").stdout;
        assert_eq!(listed.iter().filter(|&&byte| byte == b'\n').count(), 1, "only a header");
        let check = run_ktour(&["check"], &listed);
        assert!(check.status.success() && check.stderr.is_empty(), "{format}");
        assert!(has_value(&String::from_utf8(check.stdout).unwrap(), "0"), "{format}");
        let rank = run_ktour(&["rank"], &listed);
        assert!(rank.status.success() && rank.stdout.is_empty(), "{format}");
        let csv = run_ktour(&["rank", "--csv", "-"], &listed);
        let headings = "line,number,board,board_text,kind,start,end,plan\n";
        assert!(
            csv.status.success() && csv.stderr.is_empty() && csv.stdout == headings.as_bytes(),
            "{format}"
        );
        let json = run_ktour(&["rank", "--json", "-"], &listed);
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        assert_eq!(json, serde_json::json!({"schema": 1, "tours": []}), "{format}");
        let draw = run_ktour(&["draw"], &listed);
        let err = String::from_utf8(draw.stderr).unwrap();
        assert_eq!((draw.status.code(), draw.stdout.len()), (Some(1), 0), "{format}");
        assert_contains_all(&err, &["the list has no tours"]);
    }
}

/// Pipes `size` bytes of each kind of garbage into `check`, which must reject them in one line.
fn assert_check_rejects_garbage(size: usize) {
    let mut rng = Random::new(1);
    let random: Vec<u8> = (0..size / 8).flat_map(|_| rng.next_u64().to_le_bytes()).collect();
    let repeat = |piece: &[u8]| piece.iter().copied().cycle().take(size).collect::<Vec<u8>>();
    for garbage in [
        random,
        vec![0; size],
        vec![b'a'; size],
        vec![b'{'; size],
        vec![b'1'; size],
        repeat(b"a1 b3 "),
        repeat(b"a1 b3\n"),
        repeat(b"1 2 "),
        repeat(b"1 2\n"),
        repeat(b"{\"squares\":[\"a1\"]}"),
    ] {
        let output = run_ktour(&["check", "-"], &garbage);
        assert_eq!(output.status.code(), Some(1));
        // Each fault has a line, up to a limit.
        let error = String::from_utf8(output.stderr).unwrap();
        assert_contains_all(&error, &["standard input", "line "]);
        assert!(error.lines().count() <= 21, "{error}");
    }
}

#[test]
fn check_rejects_a_megabyte_of_garbage() {
    assert_check_rejects_garbage(1_000_000);
}

#[test]
#[ignore = "writes a gigabyte to the program"]
fn check_rejects_hundred_megabytes_of_garbage() {
    assert_check_rejects_garbage(100_000_000);
}
