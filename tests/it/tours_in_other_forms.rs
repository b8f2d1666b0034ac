//! Tours in forms of other programs: numbered pairs, moves in any order, records, and titles with squares.

use ktour::board::{Board, Rectangle};
use ktour::tour::{CoordinateOrder, ReadErrorKind, ReadOptions, TourReader};

/// An open tour of 3x4, by squares.
const OPEN: [&str; 12] = ["a3", "c2", "a1", "b3", "d2", "b1", "c3", "d1", "b2", "d3", "c1", "a2"];

/// A closed tour of 5x6, by squares.
const CLOSED: &str =
    "c2 a1 b3 a5 c4 e5 f3 e1 d3 f2 d1 b2 a4 c5 e4 d2 f1 e3 f5 d4 b5 a3 b1 c3 a2 c1 e2 f4 d5 b4";

/// Lines and squares of the tours that a text holds, its faults with their lines, and the notes.
#[derive(Debug)]
struct Contents {
    tours: Vec<(u64, String)>,
    faults: Vec<(u64, ReadErrorKind)>,
    notes: Vec<String>,
}

fn read(text: &str) -> Contents {
    read_with(text, ReadOptions::default())
}

fn read_with(text: &str, options: ReadOptions) -> Contents {
    let mut reader = TourReader::new(text.as_bytes(), options);
    let (mut tours, mut faults) = (Vec::new(), Vec::new());
    for found in reader.by_ref() {
        match found {
            Ok(found) => {
                let tour = &found.tour;
                let names: Vec<String> = tour.vertices().iter().map(|&v| tour.board().name(v)).collect();
                tours.push((found.line, names.join(" ")));
            }
            Err(error) => faults.push((error.line, error.kind)),
        }
    }
    Contents { tours, faults, notes: reader.notes() }
}

/// Asserts that a text is the open tour, or several of it, on these lines.
#[track_caller]
fn assert_open(text: &str, lines: &[u64]) -> Contents {
    let contents = read(text);
    let expected: Vec<(u64, String)> = lines.iter().map(|&line| (line, OPEN.join(" "))).collect();
    assert!(contents.faults.is_empty() && contents.tours == expected, "{text}\n{contents:?}");
    contents
}

/// Returns the row from the top and the column of a square of 3x4.
fn row_col(name: &str) -> (u8, u8) {
    let name = name.as_bytes();
    (b'3' - name[1], name[0] - b'a')
}

/// Returns a line for each square of the open tour; `write` gets its number from 1, its row and its column.
fn lines(write: impl Fn(usize, u8, u8) -> String) -> String {
    let line = |(at, name): (usize, &&str)| {
        let (row, col) = row_col(name);
        write(at + 1, row, col) + "\n"
    };
    OPEN.iter().enumerate().map(line).collect()
}

/// Returns a line for each move of a tour.
fn moves(tour: &[&str], sign: &str) -> Vec<String> {
    tour.windows(2).map(|ends| format!("{}{sign}{}\n", ends[0], ends[1])).collect()
}

#[test]
fn numbered_pairs_are_coordinates() {
    type Write<'a> = &'a dyn Fn(usize, u8, u8) -> String;
    for write in [
        &(|n, r, c| format!("{n}: {r}, {c}")) as Write<'_>,
        &|n, r, c| format!("{n}. {r} {c}"),
        &|n, r, c| format!("Step {n}: {r}, {c}"),
        &|n, r, c| format!("({n}) ({r}, {c})"),
        &|n, r, c| format!("[{n}] ({r}, {c})"),
        &|n, r, c| format!("{n}. pos({r}, {c})"),
        &|n, r, c| format!("{n}: pos({r}, {c})"),
        &|n, r, c| format!("{n}. Pos {{ row: {r}, col: {c} }}"),
        &|n, r, c| format!("{n} {r} {c}"),
        &|n, r, c| format!("{n},{r},{c}"),
    ] {
        let text = lines(write);
        assert_open(&text, &[1]);
        assert_open(&text.repeat(2), &[1, 13]);
        let mut shuffled: Vec<&str> = text.lines().collect();
        shuffled.swap(2, 9);
        assert_open(&(shuffled.join("\n") + "\n"), &[1]);
        // The first tour lacks a row, the second one is right.
        let lost: String = text
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != 5)
            .map(|(_, line)| line.to_owned() + "\n")
            .collect();
        let contents = read(&(lost + &text));
        assert!(contents.tours.len() == 1 && contents.tours[0].0 == 12, "{text}\n{contents:?}");
        assert_eq!(contents.faults.len(), 1, "{text}\n{contents:?}");
    }
    // On a whole square board, each coordinate occurs equally often.
    let square = "a5 c4 e5 d3 e1 c2 a1 b3 c5 e4 d2 b1 a3 b5 d4 e2 c1 a2 b4 d5 e3 d1 b2 a4 c3";
    for (from, write) in [
        (0, &(|n, r, c| format!("{n}: {r}, {c}\n")) as Write<'_>),
        (1, &|n, r, c| format!("{n}. {r} {c}\n")),
        (1, &|n, r, c| format!("{n} {r} {c}\n")),
    ] {
        let name = |(at, name): (usize, &str)| {
            let name = name.as_bytes();
            write(at + 1, b'5' - name[1] + from, name[0] - b'a' + from)
        };
        let text: String = square.split(' ').enumerate().map(name).collect();
        let contents = read(&text.repeat(2));
        assert!(contents.tours.len() == 2 && contents.faults.is_empty(), "{text}\n{contents:?}");
        assert_eq!(contents.tours[0], (1, square.to_owned()));
    }
    // A board of three columns.
    let board = Rectangle::new(4, 3).unwrap();
    let turned = lines(|n, r, c| format!("{n} {c} {r}"));
    let contents = read_with(&turned, ReadOptions { rectangle: Some(board), ..ReadOptions::default() });
    assert!(contents.tours.len() == 1 && contents.faults.is_empty(), "{contents:?}");
}

#[test]
fn tables_may_hold_coordinates_of_moves_and_letters_of_files() {
    let ends: Vec<[u8; 4]> = OPEN
        .windows(2)
        .map(|ends| {
            let [(a, b), (c, d)] = [ends[0], ends[1]].map(row_col);
            [a, b, c, d]
        })
        .collect();
    for head in [
        "from_row,from_col,to_row,to_col",
        "row_from;col_from;row_to;col_to",
        "start row|start col|end row|end col",
    ] {
        let sign = head.chars().find(|c| [',', ';', '|'].contains(c)).unwrap().to_string();
        let row = |ends: &[u8; 4]| ends.map(|n| n.to_string()).join(&sign) + "\n";
        assert_open(&format!("{head}\n{}", ends.iter().map(row).collect::<String>()), &[2]);
    }
    let record = |[a, b, c, d]: &[u8; 4]| {
        format!("{{\"from_row\": {a}, \"from_col\": {b}, \"to_row\": {c}, \"to_col\": {d}}}\n")
    };
    let contents = assert_open(&ends.iter().map(record).collect::<String>(), &[1]);
    assert!(contents.notes.iter().all(|note| !note.contains("not read")), "{contents:?}");
    let file = |col: u8| char::from(b'a' + col);
    for text in [
        format!("step file rank\n{}", lines(|n, r, c| format!("{n} {} {}", file(c), 3 - r))),
        format!("  step  file  rank\n{}", lines(|n, r, c| format!("{n:6} {:>5} {:5}", file(c), 3 - r))),
    ] {
        assert_open(&text, &[2]);
    }
}

#[test]
fn moves_may_be_in_any_order() {
    let closed: Vec<&str> = CLOSED.split(' ').chain(["c2"]).collect();
    for sign in [": ", " -> ", "-", " "] {
        let mut open = moves(&OPEN, sign);
        assert_open(&open.concat(), &[1]);
        open.swap(0, 7);
        open.rotate_left(4);
        let contents = read(&open.concat());
        assert!(contents.faults.is_empty() && contents.tours[0].1 == OPEN.join(" "), "{contents:?}");
        // A lost move leaves two chains, a wrong one has no chain.
        for wrong in [open[1..].concat(), open.concat().replacen("a1", "b1", 1)] {
            assert!(!read(&wrong).faults.is_empty(), "{wrong}");
        }
        let mut ring = moves(&closed, sign);
        ring[1..].reverse();
        let contents = read(&ring.concat());
        assert!(contents.faults.is_empty() && contents.tours == [(1, CLOSED.to_owned())], "{contents:?}");
    }
    let mut pairs: Vec<String> =
        OPEN.windows(2).map(|ends| format!("\"{}\": \"{}\"", ends[0], ends[1])).collect();
    pairs.rotate_left(3);
    assert_open(&format!("{{{}}}\n", pairs.join(", ")), &[1]);
}

#[test]
fn a_fault_of_records_does_not_hide_other_tours() {
    let record = |n: usize, r: u8, c: u8| format!("{{\"step\": {n}, \"row\": {r}, \"col\": {c}}}");
    let good = lines(record);
    for wrong in
        [good.replacen("\"step\": 5", "\"step\": 4", 1), good.replacen("\"col\": 2", "\"col\": \"?\"", 1)]
    {
        let contents = read(&format!("{good}{wrong}{good}"));
        assert!(contents.tours.iter().map(|(line, _)| *line).eq([1, 25]), "{contents:?}");
        assert!(matches!(contents.faults[..], [(13..25, _)]), "{contents:?}");
    }
    let list = |records: &str| format!("[{}]", records.trim().replace('\n', ",\n"));
    let wrong = good.replacen("\"step\": 5", "\"step\": 4", 1);
    let contents = read(&format!("[{},\n{},\n{}]\n", list(&good), list(&wrong), list(&good)));
    assert!(contents.tours.len() == 2 && contents.faults.len() == 1, "{contents:?}");
}

#[test]
fn titles_with_squares_are_skipped_above_complete_tours() {
    let grid = "1 4 7 10\n12 9 2 5\n3 6 11 8\n";
    let names = OPEN.join(" ") + "\n";
    let column = OPEN.join("\n") + "\n";
    let pairs = lines(|_, r, c| format!("({r}, {c})"));
    for title in [
        "Tour from a1, a corner",
        "An open tour, a3 to a2",
        "Start: a3",
        "Solution #1 (start a3)",
        "== 1 ==",
        "\"Tour from a3 to a2\"",
        "'Open tour, a3 to a2'",
        "\u{201c}Tour from a3\u{201d}",
    ] {
        for tour in [grid, &names, &column, &pairs] {
            for gap in ["", "\n"] {
                let text = format!("{title}\n{gap}{tour}");
                let contents = read(&text);
                assert!(contents.faults.is_empty() && contents.tours.len() == 1, "{text}\n{contents:?}");
                let notes = contents.notes.concat();
                assert!(notes.contains("skipped as text"), "{text}\n{notes}");
            }
        }
        // Above a damaged tour, the title is not skipped in silence.
        let damaged = column.replacen("d2\n", "", 1);
        assert!(!read(&format!("{title}\n{damaged}")).faults.is_empty(), "{title}");
    }
    // Nor are squares in quotes, nor is a row of a table.
    assert!(!read(&format!("\"a3 c2\"\n{grid}")).faults.is_empty());
    assert!(!read(&format!("Tour 1 | start a3\n{column}")).faults.is_empty());
    // The first squares of a tour are no title.
    let (first, rest) = column.split_at(6);
    let text = format!("The tour: {}\n{rest}", first.trim().replace('\n', " "));
    assert_open(&text, &[1]);
    assert!(!read(&format!("Tour: b3\n{rest}")).faults.is_empty());
}

#[test]
fn the_tour_behind_repeated_last_squares_is_read() {
    let column = |squares: &[&str]| squares.join("\n") + "\n";
    let closed: Vec<&str> = CLOSED.split(' ').collect();
    let turned: Vec<&str> = closed.iter().copied().cycle().skip(7).take(30).collect();
    for surplus in [&["b4", "c2"][..], &["b4", "b4"], &["b4", "c2", "c2"], &["c2", "c2"]] {
        for second in [&closed, &turned] {
            let text = column(&closed) + &column(surplus) + &column(second);
            let contents = read(&text);
            assert!(contents.tours.len() == 2 && !contents.faults.is_empty(), "{surplus:?}\n{contents:?}");
        }
    }
}

#[test]
fn a_square_above_other_lines_is_no_tour() {
    assert_eq!(read("a1\n").tours.len(), 1);
    for text in ["a1\n\nc1\na2\nb4\n", "1\n\n1 4 7 10\n", "[\n\"a1\"\n]\n\"c2\",\n"] {
        let contents = read(text);
        assert!(contents.tours.is_empty() && !contents.faults.is_empty(), "{text}\n{contents:?}");
    }
    // Rows left of an equals sign are not dropped.
    let text = "int a[3][4] = {\n};\n{1, 4, 7, 10},\n{12, 9, 2, 5},\n{3, 6, 11, 8}\nint b[3][4] = {\n{1, 4, 7, 10},\n{12, 9, 2, 5},\n{3, 6, 11, 8}};\n";
    assert!(!read(text).faults.is_empty());
}

#[test]
fn readings_of_coordinates_keep_forbidden_moves() {
    let board: Board = "board=5x6 piece=1,2 remove=-".parse().unwrap();
    let places = |name: &str| (b'5' - name.as_bytes()[1], name.as_bytes()[0] - b'a');
    let text: String = CLOSED.split(' ').map(|name| format!("{:?}\n", places(name))).collect();
    let move_of = |a: &str, b: &str| (board.vertex(a).unwrap(), board.vertex(b).unwrap());
    for (forbidden, direction) in [(("e1", "d3"), "from the bottom"), (("e5", "d3"), "from the top")] {
        let options = ReadOptions { board: Some(board.clone()), ..ReadOptions::default() };
        let mut reader = TourReader::new(text.as_bytes(), options);
        reader
            .set_restricted_board(board.with_restrictions([], [move_of(forbidden.0, forbidden.1)]).unwrap());
        assert!(reader.by_ref().all(|tour| tour.is_ok()));
        assert!(reader.notes()[0].contains(direction), "{:?}", reader.notes());
    }
}

#[test]
fn what_may_be_a_tour_is_never_text() {
    let open = OPEN.join(" ");
    let tour_lines: Vec<String> =
        OPEN.iter().map(|name| format!("The knight visits {name} at move 1\n")).collect();
    for (text, line) in [
        (format!("{open}\n\"{open}\"\n"), 2),
        (format!("{open}\n\n'{open}'\n"), 3),
        (format!("{open}\n{}", lines(|_, r, _| format!("\"The knight now goes to a{}\"", r + 1))), 4),
        (format!("Tour found: {open}\nTo ur1a1 2 3found: {open}\n"), 2),
        (format!("{open}\n\"3 8 5 10\"\n"), 2),
        (format!("{open}\n[Moves \"{open}\"]\n"), 2),
        (format!("{open}\n{}", lines(|_, r, c| format!("Current position: ({r}, {c})"))), 4),
        (format!("{open}\n{}", tour_lines.concat()), 4),
        (format!("{open}\n{}", lines(|_, r, c| format!("- row: {r}\n  col: {c}"))), 6),
        (format!("{open}\n{}", lines(|_, r, c| format!("current row: {r}\nThe column is {c}"))), 6),
        (format!("{open}\n{}", lines(|_, r, _| format!("Square {r}"))), 4),
        (format!("{open}\n{}", lines(|_, r, c| format!("\"x\": {c},\n\"y\": {r}"))), 2),
        (format!("{open}\n{}", lines(|_, r, c| format!("x_pos = {c}\ny_pos = {r}"))), 6),
    ] {
        let contents = read(&text);
        assert_eq!(contents.tours, [(1, open.clone())], "{text}\n{contents:?}");
        assert_eq!(contents.faults.first().map(|(line, _)| *line), Some(line), "{text}\n{contents:?}");
    }
    // Text of the same kinds that is no tour.
    for text in [
        "\"Euler, 15 April 1759\"",
        "Rows: 3",
        "R = 3\nC = 4",
        "row: 0\ncol: 0",
        "Time is: 5",
        "[Event \"A tour\"]",
        "A tour from a3 to a2, by hand",
    ] {
        let contents = read(&format!("{text}\n{open}\n"));
        assert!(contents.faults.is_empty() && contents.tours.len() == 1, "{text}\n{contents:?}");
    }
    let titled = format!("The first tour, from a3 to a2:\n{open}\n").repeat(4);
    assert_open(&titled, &[2, 4, 6, 8]);
}

#[test]
fn marks_of_unvisited_squares_are_not_removed_squares() {
    let board: Board = "board=3x3 piece=1,2 remove=b2".parse().unwrap();
    for mark in ["-1", "None", "NaN", "\"\"", "*", "--", "undefined"] {
        let text = format!("[[1, 6, 3], [4, {mark}, 8], [7, 2, 5]]");
        let contents = read(&text);
        let is_mark =
            |kind: &ReadErrorKind| matches!(kind, ReadErrorKind::NotANumber(found) if found == mark);
        assert!(matches!(&contents.faults[..], [(1, kind)] if is_mark(kind)), "{text}\n{contents:?}");
        let contents = read_with(&text, ReadOptions { board: Some(board.clone()), ..ReadOptions::default() });
        assert!(contents.faults.is_empty() && contents.tours.len() == 1, "{text}\n{contents:?}");
    }
    let null = read("[[1, 6, 3], [4, null, 8], [7, 2, 5]]");
    assert!(null.tours.len() == 1 && null.notes.iter().any(|note| note.contains("null")), "{null:?}");
    let barred = read("1 \u{a6} 6 \u{a6} 3\n4 \u{a6} . \u{a6} 8\n7 \u{a6} 2 \u{a6} 5\n");
    assert!(barred.faults.is_empty() && barred.tours.len() == 1, "{barred:?}");
    // Signs at the same places of every row separate columns.
    for sign in ["!", "\u{b7}", "\u{2022}", "|"] {
        for row in
            ["1 ! 4 ! 7 ! 10\n12 ! 9 ! 2 ! 5\n3 ! 6 ! 11 ! 8\n", "1 4 ! 7 10\n12 9 ! 2 5\n3 6 ! 11 8\n"]
        {
            assert_open(&row.replace('!', sign), &[1]);
        }
        let moved = read(&"1 4 ! 7 10\n12 ! 9 2 5\n3 6 ! 11 8\n".replace('!', sign));
        assert!(moved.tours.is_empty() && moved.faults.len() == 1, "{moved:?}");
    }
    // Doubled commas are empty cells, not gaps between layers of one column.
    for text in ["1,,4,,7,,10\n12,,9,,2,,5\n3,,6,,11,,8\n", "6,,13,,8\n", "1,4,,7,10\n12,9,,2,5\n3,6,,11,8\n"]
    {
        let contents = read(text);
        assert!(contents.tours.is_empty(), "{text}\n{contents:?}");
        assert!(matches!(contents.faults[..], [(1, ReadErrorKind::EmptyCell(_))]), "{text}\n{contents:?}");
    }
    // Unknown signs between blanks are cells.
    for sign in ["?", "♘", "...", "@", "■"] {
        let text = format!("1 6 3\n4 {sign} 8\n7 2 5\n");
        let contents = read(&text);
        assert!(contents.tours.is_empty() && contents.faults.len() == 1, "{text}\n{contents:?}");
        let text = format!("3 8 5 10\n{sign} . 7 2 11\n1 4 9 12\n");
        let contents = read(&text);
        assert!(contents.tours.is_empty(), "{text}\n{contents:?}");
    }
}

#[test]
fn headers_with_longer_names_give_the_order_of_coordinates() {
    // A tour of a square board, which is one in both orders.
    let square = "a5 c4 e5 d3 e1 c2 a1 b3 c5 e4 d2 b1 a3 b5 d4 e2 c1 a2 b4 d5 e3 d1 b2 a4 c3";
    let rows = |sign: &str| -> String {
        let row = |name: &str| {
            let name = name.as_bytes();
            format!("{}{sign}{}\n", name[0] - b'a', name[1] - b'1')
        };
        square.split(' ').map(row).collect()
    };
    for head in [
        "x,y",
        "x_pos,y_pos",
        "posx,posy",
        "xPos,yPos",
        "position_x,position_y",
        "x-coordinate,y-coordinate",
        "Knight X;Knight Y",
        "X Coord|Y Coord",
    ] {
        let sign = head.chars().find(|c| [',', ';', '|'].contains(c)).unwrap().to_string();
        let contents = read(&format!("{head}\n{}", rows(&sign)));
        assert!(contents.faults.is_empty(), "{head}\n{contents:?}");
        assert_eq!(contents.tours, [(2, square.to_owned())], "{head}");
    }
    for head in ["x_pos y_pos", "xcoord ycoord"] {
        let contents = read(&format!("{head}\n{}", rows(" ")));
        assert_eq!(contents.tours, [(2, square.to_owned())], "{head}\n{contents:?}");
    }
    // Columns before rows; the rows count from the top.
    for head in ["cols,rows", "Columns,Rows"] {
        let contents = read(&format!("{head}\n{}", rows(",")));
        let first = contents.tours.first().map(|(_, tour)| tour.split(' ').next().unwrap());
        assert_eq!(first, Some("a1"), "{head}\n{contents:?}");
    }
    // A title with the kind of the tour names no columns.
    let untitled = read(&rows(","));
    for title in ["My tour, open", "Knight tour, closed", "Euler; open tour"] {
        let contents = read(&format!("{title}\n{}", rows(",")));
        let tours: Vec<_> = contents.tours.iter().map(|(_, tour)| tour).collect();
        assert!(contents.faults.is_empty() && tours == [&untitled.tours[0].1], "{title}\n{contents:?}");
    }
    for head in ["horizontal,vertical", "a_part,b_part"] {
        let contents = read(&format!("{head}\n{}", rows(",")));
        let is_ambiguous = |kind: &ReadErrorKind| matches!(kind, ReadErrorKind::AmbiguousCoordinates { .. });
        assert!(contents.tours.is_empty() && is_ambiguous(&contents.faults[0].1), "{head}\n{contents:?}");
        let options = ReadOptions { coordinate_order: Some(CoordinateOrder::Xy), ..ReadOptions::default() };
        assert_eq!(read_with(&format!("{head}\n{}", rows(",")), options).tours, [(2, square.to_owned())]);
    }
}

/// The rows of the grid of the open tour.
const ROWS: [[u8; 4]; 3] = [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]];

/// Returns the rows of the open tour, their numbers joined by `sign` and set between `begin` and `end`.
fn rows(begin: &str, sign: &str, end: &str) -> String {
    let row = |row: &[u8; 4]| format!("{begin}{}{end}", row.map(|number| number.to_string()).join(sign));
    ROWS.iter().map(row).collect()
}

#[test]
fn titles_with_the_coordinates_of_the_start_are_skipped_above_complete_tours() {
    let grid = rows("", " ", "\n");
    for title in [
        "Start: (0, 0)",
        "Knight starts at (0,0).",
        "Tour from [1, 1]:",
        "start = 1 1",
        "Solution from (0, 0)",
    ] {
        for tour in [&grid, &(OPEN.join(" ") + "\n"), &(OPEN.join("\n") + "\n")] {
            for gap in ["", "\n"] {
                let text = format!("{title}\n{gap}{tour}");
                let contents = read(&text);
                assert!(contents.faults.is_empty() && contents.tours.len() == 1, "{text}\n{contents:?}");
                assert!(contents.notes.concat().contains("skipped as text"), "{text}");
            }
        }
        let damaged = format!("{title}\n{}", OPEN[..11].join("\n"));
        assert!(!read(&damaged).faults.is_empty(), "{damaged}");
    }
    // The first pair of a tour is no title.
    let pairs = lines(|n, r, c| if n == 1 { format!("Start: ({r}, {c})") } else { format!("({r}, {c})") });
    assert_open(&pairs, &[1]);
    let pairs = lines(|n, r, c| if n == 1 { format!("Start: {r} {c}") } else { format!("{r} {c}") });
    assert!(read(&pairs).tours.iter().all(|(line, _)| *line == 1), "{pairs}");
}

#[test]
fn sizes_of_other_boards_are_faults() {
    let grid = rows("", " ", "\n");
    for (title, is_right) in [
        ("rows=3 cols=4", true),
        ("3 rows, 4 columns", true),
        ("3 by 4", true),
        ("m=3, n=4", true),
        ("width: 4, height: 3", true),
        ("3x4 board", true),
        ("Board 1 of 2", true),
        ("Board 3, size 5", true),
        ("rows=4 cols=4", false),
        ("4 rows, 4 columns", false),
        ("5x5 board", false),
        ("n=5 m=5", false),
    ] {
        for tour in [&grid, &(OPEN.join(" ") + "\n")] {
            let contents = read(&format!("{title}\n{tour}"));
            assert_eq!(contents.faults.is_empty(), is_right, "{title}\n{contents:?}");
            assert_eq!(contents.tours.len(), usize::from(is_right), "{title}\n{contents:?}");
        }
    }
}

#[test]
fn numbers_behind_squares_give_their_order() {
    let mut sorted: Vec<(&str, usize)> = OPEN.iter().copied().zip(1..).collect();
    sorted.sort_unstable();
    let list = |sign: &str, end: &str| -> String {
        sorted.iter().map(|(square, number)| format!("{square}{sign}{number}{end}")).collect()
    };
    for sign in [" ", ",", "\t", ": ", " = ", " -> ", " => "] {
        assert_open(&list(sign, "\n"), &[1]);
    }
    assert_open(&list(": ", ", "), &[1]);
    assert_open(&list("(", ") "), &[1]);
    let swapped = list(" ", "\n").replace("a1 3\n", "a1 4\n").replace("b3 4\n", "b3 3\n");
    assert!(!read(&swapped).faults.is_empty());
    // Not the numbers of moves onward.
    let degrees: String = OPEN.iter().map(|square| format!("{square} 2\n")).collect();
    assert!(!read(&degrees).faults.is_empty());
}

#[test]
fn arrays_of_more_languages_are_read() {
    let inside = rows("{", ", ", "},\n");
    for (begin, end) in [
        ("[][]int{", "}"),
        ("board := [][]int{", "}"),
        ("var board = [3][4]int{", "}"),
        ("int[][] board = new int[][] {", "};"),
        ("int[,] board = new int[3, 4] {", "};"),
        ("std::vector<std::vector<int>> board = {", "};"),
    ] {
        assert_open(&format!("{begin}\n{inside}{end}\n"), &[2]);
    }
    assert!(!read(&format!("int[,] board = new int[4, 4] {{\n{inside}}};\n")).faults.is_empty());
    let lisp = rows("(", " ", ")");
    assert_open(&format!("#2A({lisp})\n"), &[1]);
    assert_open(&format!("#({})\n", lisp.replace('(', "#(")), &[1]);
    let names = OPEN.join("\", \"");
    for (begin, end) in
        [("tour <- c(", ")"), ("std::vector<std::string> tour = {", "};"), ("Tour = [", "] .")]
    {
        assert_open(&format!("{begin}\"{names}\"{end}\n"), &[1]);
    }
    let pairs = |begin: &str, sign: &str, end: &str| -> String {
        lines(|_, r, c| format!("{begin}{}{sign}{}{end}", r + 1, c + 1)).replace('\n', " ")
    };
    for text in [
        format!("[{}]", pairs("", "/", ",")),
        format!("Path = [{}].", pairs("", "-", ",")),
        format!("({})", pairs("(", " . ", ")")),
        format!("int tour[12][2] = {{{}}};", pairs("{", ", ", "},")),
        format!("std::vector<std::pair<int, int>> tour = {{{}}};", pairs("{", ", ", "},")),
    ] {
        assert_open(&(text + "\n"), &[1]);
    }
}

#[test]
fn output_of_consoles_is_read() {
    let grid = rows("", " ", "\n");
    for before in
        [">>> tour(3, 4)\n", "$ ./knight 3 4\n", "In [5]: board\nOut[5]:\n", ">> tour(3,4)\n\nans =\n\n"]
    {
        assert!(read(&format!("{before}{grid}")).faults.is_empty(), "{before}");
        assert_eq!(read(&format!("{before}{grid}")).tours.len(), 1, "{before}");
    }
    for behind in ["(3 rows)\n", "\n[3 rows x 4 columns]\n"] {
        assert_open(&format!("{grid}{behind}"), &[1]);
    }
    // A list of calls may be a tour.
    let calls = lines(|_, r, c| format!(">>> go({r}, {c})"));
    assert_open(&calls, &[1]);
    assert_open(&format!(">>> board = [\n{}]\n", rows("[", ", ", "],\n")), &[2]);
    let header = "│ (index) │ 0 │ 1 │ 2 │ 3 │\n├─────────┼───┼───┼───┼───┤\n";
    let table: String = ROWS
        .iter()
        .zip(0..)
        .map(|(row, at)| format!("│ {at} │ {} │\n", row.map(|n| n.to_string()).join(" │ ")))
        .collect();
    assert_open(&format!("{header}{table}"), &[3]);
    let header = "│ (index) │ Values │\n├─────────┼────────┤\n";
    let table = lines(|n, r, c| format!("│ {} │ '{}{}' │", n - 1, char::from(b'a' + c), 3 - r));
    assert_open(&format!("{header}{table}"), &[3]);
    let header = "│ (index) │ row │ col │\n├─────────┼─────┼─────┤\n";
    assert_open(&format!("{header}{}", lines(|n, r, c| format!("│ {} │ {r} │ {c} │", n - 1))), &[3]);
    assert_open(&OPEN.map(|name| format!("[INFO] Knight at {name}\n")).concat(), &[1]);
    assert_open(&OPEN.map(|name| format!("N{}", name.to_uppercase())).join(" "), &[1]);
    assert_open(&(OPEN.map(|name| format!("It jumps to {name}.\n"))).concat(), &[1]);
}

#[test]
fn zeros_on_removed_squares_are_no_numbers() {
    let board: Board = "board=3x3 piece=1,2 remove=b2".parse().unwrap();
    let options = || ReadOptions { board: Some(board.clone()), ..ReadOptions::default() };
    for text in ["1 6 3\n4 0 8\n7 2 5\n", "[[1, 6, 3], [4, 0, 8], [7, 2, 5]]\n"] {
        let contents = read_with(text, options());
        assert!(contents.faults.is_empty() && contents.tours.len() == 1, "{text}\n{contents:?}");
    }
    for text in ["0 6 3\n4 . 8\n7 2 5\n", "1 6 3\n4 0 8\n7 2 0\n", "0 5 2\n3 0 7\n6 1 4\n"] {
        assert!(!read_with(text, options()).faults.is_empty(), "{text}");
    }
}
