//! Reading tours: formats, faults, fuzz; and the pipes between find, check and draw.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use ktour::board::{Board, Square};
use ktour::heuristic::{FindRequest, Goal, Outcome, Rule, find};
use ktour::random::Random;
use ktour::tour::{ReadOptions, SymmetryClass, Tour, TourFormat, TourKind, TourReader, TourWriter};
use proptest::prelude::*;

const FORMATS: [TourFormat; 4] = [TourFormat::Squares, TourFormat::Grid, TourFormat::Csv, TourFormat::Ndjson];

fn some_tour(board: &Board, closed: bool, seed: u64) -> Tour {
    let goal = Goal { closed, ..Goal::default() };
    match find(&FindRequest { goal, seed, ..FindRequest::new(board.clone()) }) {
        Outcome::Found { tour, .. } => tour,
        other => panic!("{board}: {other:?}"),
    }
}

fn written(tours: &[Tour], format: TourFormat, number_from: u64) -> String {
    let writer = TourWriter::new(tours[0].arena(), format, number_from).unwrap();
    let mut out = writer.header().as_bytes().to_vec();
    for (i, tour) in tours.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(writer.separator().as_bytes());
        }
        writer.write(&mut out, tour.kind(), tour.vertices());
    }
    String::from_utf8(out).unwrap()
}

fn read(text: impl AsRef<[u8]>) -> Result<Vec<Tour>, String> {
    TourReader::new(text.as_ref(), ReadOptions::default())
        .map(|found| found.map(|located| located.tour).map_err(|error| error.to_string()))
        .collect()
}

#[test]
fn what_is_written_is_read_again() {
    let hole = Board::new(6, 6).unwrap().without(["a1", "b1"].map(|name| name.parse().unwrap())).unwrap();
    for board in [Board::new(6, 6).unwrap(), Board::new(3, 10).unwrap(), Board::new(30, 28).unwrap(), hole] {
        let tours: Vec<Tour> =
            (0..4).map(|seed| some_tour(&board, seed % 2 == 0 && board.removed().is_empty(), seed)).collect();
        for format in FORMATS {
            for number_from in [0, 1] {
                let text = written(&tours, format, number_from);
                let options = ReadOptions { arena: Some(tours[0].arena().clone()), ..ReadOptions::default() };
                let again: Vec<Tour> =
                    TourReader::new(text.as_bytes(), options).map(|found| found.unwrap().tour).collect();
                assert_eq!(again.len(), tours.len());
                for (again, tour) in again.iter().zip(&tours) {
                    assert_eq!(again.squares(), tour.squares());
                    // Squares and grids do not say that a tour is closed.
                    let silent = matches!(format, TourFormat::Squares | TourFormat::Grid);
                    let closed = tour.kind() == TourKind::Closed;
                    assert_eq!(
                        again.kind(),
                        if silent && closed { TourKind::ReEntrant } else { tour.kind() }
                    );
                }
            }
        }
    }
}

#[test]
fn grids_tell_their_holes_and_formats_mix() {
    let ring = "1 6 3\n4 . 8\n7 2 5\n";
    let tours = read(format!("# a ring\n{ring}\n\n{ring}")).unwrap();
    assert_eq!(tours.len(), 2);
    assert_eq!(tours[0].arena().rectangle().unwrap().board().removed().len(), 1);
    assert_eq!(tours[0].kind(), TourKind::ReEntrant);
    let mixed = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2\r\n  1,4, 7,10\r\n12,9,2,5\r\n3,6,11,8\r\n";
    let tours = read(mixed).unwrap();
    assert_eq!(tours[0], tours[1]);
}

#[test]
fn the_first_fault_is_told_with_its_line() {
    let path = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2";
    for (text, fault) in [
        ("a3 c2 a9x b3".to_owned(), "line 1: `a9x` is not a square"),
        (
            format!("{path}\n\n{}", path.replace("d2", "c2")),
            "line 3: square 5, c2, was visited before, as square 2",
        ),
        (path.replace("b3", "b2"), "line 1: move 3, a1 to b2, is not a move of the 1,2 leaper"),
        (
            path.replace(" c1 a2", ""),
            "line 1: the tour has 10 of the board's 12 squares; c1 is the first one missing",
        ),
        (format!("{path}\na1 b3 d4"), "line 2: square 3, d4, is not on the board"),
        (format!("{path} c3"), "line 1: square 13, c3, was visited before, as square 7"),
        ("1 4 7 10\n12 9 2 5\n3 6 11\n".to_owned(), "line 3: the row has 3 squares, the rows above have 4"),
        ("1 4 7 10\n12 9 2 5\n3 6 6 8\n".to_owned(), "line 3: number 6 on c1 was already on b1"),
        (
            "1 4 7 10\n13 9 2 5\n3 6 11 8\n".to_owned(),
            "line 2: number 13 on a2 is too large for 12 squares numbered from 1",
        ),
        ("1 4 7 10\n12 9 2 x\n3 6 11 8\n".to_owned(), "line 2: `x` is not a number"),
        (
            "\n4 1 7 10\n12 9 2 5\n3 6 11 8\n".to_owned(),
            "line 3: move 1, b3 to c2, is not a move of the 1,2 leaper",
        ),
        ("2 4\n6 8\n".to_owned(), "line 1: the least number of the grid is 2"),
        ("1\n2\n".to_owned(), "line 2: move 1, a2 to a1, is not a move"),
        (format!("kind,squares\nclosed,{path}\n"), "line 2: the tour is not closed: its ends a3 and a2"),
        (
            format!("kind,squares\nre-entrant,{path}\n"),
            "line 2: the tour says it is re-entrant, but it is open",
        ),
        ("kind,squares\nround,a1\n".to_owned(), "line 2: `round` is no kind of tour"),
        ("kind,squares\na1 b3\n".to_owned(), "line 2: a row of the columns kind,squares is expected"),
        ("{\"squares\":[\"a1\",\"q\"]}".to_owned(), "line 1: no JSON tour: `q` is not a square"),
        ("{\"squares\":[\"a1\"".to_owned(), "line 1: no JSON tour: EOF while parsing a list in column 16"),
        ("?!".to_owned(), "line 1: `?!` begins no tour"),
        ("zz65000 zz64998".to_owned(), "line 1: move 1, zz65000 to zz64998, is not a move"),
        ("zz65000".to_owned(), "line 1: the tour has 1 of the board's"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.starts_with(fault), "{text}\n{error}\n{fault}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn another_board_than_before_is_a_fault_unless_mixed() {
    let text = "1 4 7 10\n12 9 2 5\n3 6 11 8\n\n1 6 3\n4 . 8\n7 2 5\n";
    let error = read(text).unwrap_err();
    assert!(error.starts_with("line 5: the grid is 3x3, the board 3x4; "), "{error}");
    let options = ReadOptions { mixed: true, ..ReadOptions::default() };
    assert_eq!(TourReader::new(text.as_bytes(), options).filter(Result::is_ok).count(), 2);
}

#[test]
fn images_of_a_tour_share_their_canonical_form_and_class() {
    use ktour::board::Symmetry;
    for (rows, closed, seed) in [(6, true, 1), (6, true, 2), (8, false, 3), (31, false, 4), (40, true, 5)] {
        let board = Board::new(rows, rows).unwrap();
        let tour = some_tour(&board, closed, seed);
        for symmetry in Symmetry::ALL {
            let mut squares: Vec<Square> =
                tour.squares().unwrap().iter().map(|&square| symmetry.apply(square, rows, rows)).collect();
            if closed {
                squares.rotate_left(7);
            }
            squares.reverse();
            let image = Tour::from_squares(tour.arena(), squares).unwrap();
            let image = if closed { image.into_closed().unwrap() } else { image };
            assert_eq!(image.canonical(), tour.canonical());
            assert_eq!(image.symmetry_class(), tour.symmetry_class());
        }
    }
    let symmetric = "1 6 3 8 5\n";
    assert!(read(symmetric).is_err());
    let class = some_tour(&Board::new(8, 8).unwrap(), true, 1).symmetry_class();
    assert_eq!(class, Some(SymmetryClass::Asymmetric));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
    }

    #[test]
    fn nothing_like_a_tour_makes_the_reader_panic(
        text in "([a-e]{0,3}[0-9]{0,6}[ ,.\n{}\\[\\]\":-]{0,2}|kind,squares\n|\\{\"squares\":|closed|4294967295 ){0,40}",
    ) {
        let _ = read(&text);
    }

    #[test]
    fn a_damaged_file_is_refused_or_still_tours(
        format in 0usize..4, at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let board = Board::new(5, 6).unwrap();
        let tours = [some_tour(&board, true, 1), some_tour(&board, false, 2)];
        let mut text = written(&tours, FORMATS[format], 1).into_bytes();
        let at = at.index(text.len());
        if cut { text.truncate(at) } else { text[at] = byte }
        if let Ok(tours) = read(&text) {
            for tour in tours {
                prop_assert!(Tour::new(tour.arena(), tour.vertices().to_vec()).is_ok());
            }
        }
    }
}

fn ktour(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feed = std::thread::spawn(move || {
        // The command may stop reading at the first fault.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    output
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn found_pipes_into_check(board: &str, closed: bool) {
    let mut args = vec!["find", board, "--format", "grid"];
    if closed {
        args.push("--closed");
    }
    let found = ktour(&args, b"");
    let mut check = vec!["check", "-"];
    if closed {
        check.push("--closed");
    }
    let summary = stdout(&ktour(&check, &found.stdout));
    let kind = if closed { "kind       closed" } else { "kind       open" };
    assert!(summary.lines().any(|line| line == kind), "{board}: {summary}");
}

#[test]
fn find_pipes_into_check_at_all_sizes() {
    for board in ["6", "8", "50", "76", "200", "1000"] {
        found_pipes_into_check(board, true);
    }
    for board in ["3x4", "7x9", "77"] {
        found_pipes_into_check(board, false);
    }
}

#[test]
#[ignore = "four million squares"]
fn find_pipes_into_check_at_the_largest_size() {
    found_pipes_into_check("2000", true);
}

#[test]
fn every_rule_and_format_pipes_into_check() {
    for rule in Rule::ALL {
        for format in ["squares", "grid", "csv", "ndjson"] {
            let found = ktour(
                &["find", "8x8", "--closed", "--rule", &rule.to_string(), "--format", format, "--limit", "3"],
                b"",
            );
            let summary = stdout(&ktour(&["check", "-", "--closed", "--distinct"], &found.stdout));
            assert!(summary.contains("closed 3\n"), "{rule} {format}: {summary}");
        }
    }
}

#[test]
fn lists_fall_into_the_published_classes() {
    let closed = ktour(&["list", "6x6", "--kind", "closed"], b"").stdout;
    let summary = stdout(&ktour(&["check", "-", "--closed", "--distinct"], &closed));
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(lines[0], "tours      9862");
    assert_eq!(lines[3], "symmetry   asymmetric 9784, rot180 eulerian 68, rot90 10");
    assert_eq!(lines[4], "distinct   1245");
    let classes = ktour(&["list", "5x5", "--distinct", "--format", "grid"], b"").stdout;
    let summary = stdout(&ktour(&["check", "-", "--distinct"], &classes));
    assert!(summary.starts_with("tours      112\n") && summary.contains("distinct   112\n"), "{summary}");
    // A class is listed by its canonical form.
    let squares = ktour(&["list", "5x5", "--distinct"], b"").stdout;
    let forms = ktour(&["check", "-", "--canonical"], &squares).stdout;
    assert_eq!(String::from_utf8(forms).unwrap(), String::from_utf8(squares).unwrap());
}

#[test]
fn draw_makes_pictures() {
    let found = ktour(&["find", "8x8", "--closed", "--limit", "5"], b"").stdout;
    let sheet = stdout(&ktour(&["draw", "-"], &found));
    assert!(sheet.starts_with("<svg ") && sheet.ends_with("</svg>\n"));
    assert_eq!(sheet.matches("<text").count(), 5);
    let one = stdout(&ktour(&["draw", "-", "--limit", "1", "--numbers"], &found));
    assert_eq!(one.matches("<circle").count(), 64);
    assert!(
        stdout(&ktour(&["draw", "-", "--limit", "1", "--animate", "5"], &found)).contains("animateMotion")
    );
    assert_eq!(stdout(&ktour(&["draw", "-", "--as", "box"], &found)).matches('┌').count(), 5);
    assert_eq!(stdout(&ktour(&["draw", "-", "--as", "braille"], &found)).matches('┌').count(), 5);
}

#[test]
fn outcomes_that_are_no_tour_say_so_on_one_line() {
    for (args, code, says) in [
        (&["find", "4x9", "--closed"][..], 1, "no tour exists"),
        (&["find", "4x4"], 1, "no tour exists"),
        (&["find", "5x5", "--start", "b1"], 1, "no tour exists"),
        (&["find", "3x4", "--start", "b2"], 1, "no tour exists"),
        (&["find", "400", "--rule", "warnsdorff", "--attempts", "2"], 1, "gave up after 2 attempts"),
        (&["find", "8", "--start", "z9"], 2, "--start: z9 is not on the 8x8 board"),
        (&["find", "8", "--start", "a1", "--remove", "a1"], 2, "--start: a1 is removed from the 8x8 board"),
        (&["find", "8", "--moves", "1,2", "--rule", "warnsdorff-first"], 2, "--moves must name"),
        (&["find", "65535"], 2, "take a BOARD of at most"),
        (&["find", "8", "--rule", "w3"], 2, "is not a rule"),
        (&["check", "/nowhere/at/all"], 1, "cannot read"),
        (&["check", "/"], 1, "folder"),
        (&["check", "-"], 1, "there are no tours"),
        (&["draw", "-"], 1, "there are no tours"),
        (&["find", "8", "--output", "/nowhere/at/all"], 1, "cannot write /nowhere/at/all"),
    ] {
        let output = ktour(args, b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.starts_with("ktour: error: ") && error.contains(says), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}

/// Feeds garbage of every kind, `size` bytes of it, to the reader.
fn garbage_is_refused(size: usize) {
    let mut rng = Random::new(1);
    let random: Vec<u8> = (0..size / 8).flat_map(|_| rng.bits().to_le_bytes()).collect();
    let again = |piece: &[u8]| piece.iter().copied().cycle().take(size).collect::<Vec<u8>>();
    for garbage in [
        random,
        vec![0; size],
        vec![b'a'; size],
        vec![b'{'; size],
        vec![b'1'; size],
        again(b"a1 b3 "),
        again(b"a1 b3\n"),
        again(b"1 2 "),
        again(b"1 2\n"),
        again(b"{\"squares\":[\"a1\"]}"),
    ] {
        let begun = std::time::Instant::now();
        let output = ktour(&["check", "-"], &garbage);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("standard input, line ") && error.lines().count() == 1, "{error}");
        assert!(begun.elapsed().as_secs() < 10, "{error}");
    }
}

#[test]
fn ten_megabytes_of_garbage_are_refused_quickly() {
    garbage_is_refused(10_000_000);
}

#[test]
#[ignore = "writes a gigabyte to the program"]
fn a_hundred_megabytes_of_garbage_are_refused_quickly() {
    garbage_is_refused(100_000_000);
}
