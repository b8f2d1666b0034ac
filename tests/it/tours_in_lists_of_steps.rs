//! Tours whose squares have numbers, or stand twice on a line: counters, records, tables, links and closing squares.

use ktour::tour::{CoordinateOrder, ReadErrorKind, ReadOptions, TourReader};

/// An open tour of 3x4 as (x, y).
const OPEN: [(u8, u8); 12] =
    [(0, 2), (2, 1), (0, 0), (1, 2), (3, 1), (1, 0), (2, 2), (3, 0), (1, 1), (3, 2), (2, 0), (0, 1)];

/// A closed tour of 5x6 as (row, column).
const CLOSED: [(u8, u8); 30] = [
    (3, 2),
    (4, 0),
    (2, 1),
    (0, 0),
    (1, 2),
    (0, 4),
    (2, 5),
    (4, 4),
    (2, 3),
    (3, 5),
    (4, 3),
    (3, 1),
    (1, 0),
    (0, 2),
    (1, 4),
    (3, 3),
    (4, 5),
    (2, 4),
    (0, 5),
    (1, 3),
    (0, 1),
    (2, 0),
    (4, 1),
    (2, 2),
    (3, 0),
    (4, 2),
    (3, 4),
    (1, 5),
    (0, 3),
    (1, 1),
];

/// Lines of the tours that a text holds, its faults, and the notes.
#[derive(Debug)]
struct Contents {
    lines: Vec<u64>,
    faults: Vec<ReadErrorKind>,
    notes: Vec<String>,
}

fn read_with(text: &str, options: ReadOptions) -> Contents {
    let mut reader = TourReader::new(text.as_bytes(), options);
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for found in reader.by_ref() {
        match found {
            Ok(found) => lines.push(found.line),
            Err(error) => faults.push(error.kind),
        }
    }
    Contents { lines, faults, notes: reader.notes() }
}

#[track_caller]
fn assert_lines(text: &str, expected: &[u64]) -> Vec<String> {
    let contents = read_with(text, ReadOptions::default());
    assert!(contents.faults.is_empty() && contents.lines == expected, "{text}\n{contents:?}");
    contents.notes
}

#[track_caller]
fn assert_fault(text: &str, is_expected: fn(&ReadErrorKind) -> bool) {
    let contents = read_with(text, ReadOptions::default());
    assert!(matches!(contents.faults.as_slice(), [fault, ..] if is_expected(fault)), "{text}\n{contents:?}");
}

const fn is_step_fault(fault: &ReadErrorKind) -> bool {
    matches!(fault, ReadErrorKind::StepNumbers(_))
}

/// Returns a line for each square of the open tour; `write` gets the number, from 0.
fn open_lines(write: impl Fn(usize, u8, u8) -> String) -> String {
    OPEN.iter().enumerate().map(|(at, &(x, y))| write(at, x, y) + "\n").collect()
}

fn square(x: u8, y: u8) -> String {
    format!("{}{}", char::from(b'a' + x), y + 1)
}

#[test]
fn counters_of_links_order_the_links() {
    let link =
        |at: usize| format!("x={} y={} -> x={} y={}", OPEN[at].0, OPEN[at].1, OPEN[at + 1].0, OPEN[at + 1].1);
    let text = |numbers: &[usize]| -> String {
        let number = |number: &usize| if *number == 0 { String::new() } else { format!("{number}. ") };
        numbers.iter().enumerate().map(|(at, n)| number(n) + &link(at) + "\n").collect()
    };
    let counted: Vec<usize> = (1..12).collect();
    assert_lines(&text(&counted), &[1]);
    let mut lines: Vec<String> = text(&counted).lines().map(|line| format!("{line}\n")).collect();
    lines.swap(2, 7);
    assert_eq!(read_with(&lines.concat(), ReadOptions::default()).faults.len(), 0);
    let change = |at: usize, number: usize| {
        let mut numbers = counted.clone();
        numbers[at] = number;
        text(&numbers)
    };
    for wrong in [change(1, 5), change(4, 4), change(10, 12), change(3, 0)] {
        assert!(!read_with(&wrong, ReadOptions::default()).faults.is_empty(), "{wrong}");
    }
    assert_fault(&change(4, 4), is_step_fault);
}

#[test]
fn steps_may_begin_with_a_start_and_begin_again() {
    let row = |y: u8| 2 - y;
    for text in [
        open_lines(|at, x, y| match at {
            0 => format!("Start: row {}, column {x}", row(y)),
            _ => format!("Move {at}: row {}, column {x}", row(y)),
        }),
        open_lines(|at, x, y| match at {
            0 => format!("Start: ({x}, {y})"),
            _ => format!("Move {at}: ({x}, {y})"),
        }),
        open_lines(|at, x, y| format!("({}) x={x} y={y}", at + 1)),
        open_lines(|at, x, y| format!("({}) row {x}, column {y}", at + 1)),
        open_lines(|at, x, y| format!("Step {}: x={x}, y={y}", at + 1)),
        open_lines(|at, x, y| format!("{}. x={x} y={y}", at + 1)),
        open_lines(|at, x, y| format!("{at}: Knight at ({x}, {y})")),
        open_lines(|at, x, y| format!("{{\"step\": {at}, \"square\": \"{}\"}}", square(x, y))),
    ] {
        assert_lines(&text, &[1]);
        assert_lines(&text.repeat(2), &[1, 13]);
    }
    for text in [
        format!("[{}]", open_lines(|at, x, y| format!("({at}, (np.int64({x}), np.int64({y}))),"))),
        format!("[{}]", open_lines(|at, x, y| format!("({at}, '{}'),", square(x, y)))),
        format!("[{}]", open_lines(|_, x, y| format!("Pos {{ x: {x}, y: {y} }},"))),
        open_lines(|_, x, y| format!("Knight at ({x}, {y})")),
    ] {
        assert_lines(&text, &[1]);
    }
    let without = open_lines(|at, x, y| match at {
        4 => format!("({x}, {y})"),
        _ => format!("{at}. ({x}, {y})"),
    });
    assert_fault(&without, is_step_fault);
    assert_fault(&open_lines(|_, x, y| format!("1. ({x}, {y})")), is_step_fault);
}

#[test]
fn closed_tours_follow_each_other_without_a_blank_line() {
    let turned: Vec<(u8, u8)> = CLOSED.iter().copied().cycle().skip(7).take(30).collect();
    let reversed: Vec<(u8, u8)> = CLOSED.iter().rev().copied().collect();
    let pair = |(row, col): (u8, u8)| format!("({row}, {col})");
    let name = |(row, col): (u8, u8)| square(col, 4 - row);
    let links = |tour: &[(u8, u8)], write: &dyn Fn((u8, u8)) -> String, link: &str| -> String {
        let ends = tour.iter().zip(tour.iter().cycle().skip(1));
        ends.map(|(&a, &b)| format!("{}{link}{}\n", write(a), write(b))).collect()
    };
    let squares = |tour: &[(u8, u8)], write: &dyn Fn((u8, u8)) -> String| -> String {
        tour.iter().chain(&tour[..1]).map(|&place| write(place) + "\n").collect()
    };
    for second in [&turned[..], &CLOSED] {
        for write in [&pair as &dyn Fn((u8, u8)) -> String, &name] {
            assert_lines(&(squares(&CLOSED, write) + &squares(second, write)), &[1, 32]);
        }
    }
    assert_lines(&(squares(&CLOSED, &pair) + &squares(&reversed, &pair)), &[1, 32]);
    for second in [&turned[..], &reversed, &CLOSED] {
        assert_lines(&(links(&CLOSED, &pair, " -> ") + &links(second, &pair, " -> ")), &[1, 31]);
        assert_lines(&(links(&CLOSED, &name, "-") + &links(second, &name, "-")), &[1, 31]);
    }
}

#[test]
fn blank_rows_end_the_tours_of_a_table() {
    let row = |at: usize, x: u8, y: u8| format!("\"{}\",\"{x}\",\"{y}\"", at + 1);
    for blank in ["", "\"\",\"\",\"\"", ",,", "\"\",\"\",\"\"\n,,"] {
        let tour = open_lines(row);
        let text = format!("step,x,y\n{tour}{blank}\n{tour}{blank}\n");
        let second = 15 + blank.lines().count().saturating_sub(1) as u64;
        let notes = assert_lines(&text, &[2, second]);
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
    let bars = open_lines(|at, x, y| format!("| {at} | {x} | {y} |"));
    assert_lines(&format!("| n | x | y |\n|---|---|---|\n{bars}|  |  |  |\n{bars}"), &[3, 16]);
    let printed = open_lines(|at, x, y| format!("{at:<3} {x}  {y}"));
    assert_lines(&format!("    x  y\n{printed}"), &[2]);
    // A title with names of columns is text.
    assert_lines("Square number\n1 4 7 10\n12 9 2 5\n3 6 11 8\n", &[2]);
}

#[test]
fn steps_over_several_tours_are_noted() {
    let number = |at: usize| at + 1;
    let twice = |write: &dyn Fn(usize, u8, u8) -> String| {
        open_lines(|at, x, y| write(number(at), x, y)) + &open_lines(|at, x, y| write(number(at) + 12, x, y))
    };
    for (head, write) in [
        ("step,x,y\n", &(|n, x, y| format!("{n},{x},{y}")) as &dyn Fn(usize, u8, u8) -> String),
        ("step,square\n", &|n, x, y| format!("{n},{}", square(x, y))),
        ("", &|n, x, y| format!("{n}. {}", square(x, y))),
        ("", &|n, x, y| format!("{n}. ({x}, {y})")),
    ] {
        let first = if head.is_empty() { 1 } else { 2 };
        let notes = assert_lines(&(head.to_owned() + &twice(write)), &[first, first + 12]);
        assert!(notes.iter().any(|note| note.contains("run on")), "{head}{notes:?}");
    }
}

#[test]
fn squares_given_twice_must_agree() {
    let records = |write: &dyn Fn(u8, u8) -> String| format!("[{}]", open_lines(|_, x, y| write(x, y) + ","));
    let is_different = |fault: &ReadErrorKind| matches!(fault, ReadErrorKind::DifferentSquares { .. });
    for text in [
        records(&|x, y| format!("{{\"x\": {x}, \"y\": {y}, \"r\": {}, \"c\": {}}}", 3 - y, x + 1)),
        records(&|x, y| format!("{{\"square\": \"{}\", \"row\": {}, \"col\": {x}}}", square(x, y), 2 - y)),
    ] {
        assert!(assert_lines(&text, &[1]).iter().all(|note| !note.contains("not read")));
    }
    let other = records(&|x, y| format!("{{\"square\": \"{}\", \"next\": \"a1\"}}", square(x, y)));
    assert!(assert_lines(&other, &[1]).iter().any(|note| note.contains("next")));
    for text in [
        records(&|x, y| format!("{{\"x\": {x}, \"y\": {y}, \"r\": {x}, \"c\": {y}}}")),
        records(&|x, y| format!("{{\"square\": \"{}\", \"row\": {x}, \"col\": {y}}}", square(x, y))),
        format!("square,row,col\n{}", open_lines(|_, x, y| format!("{},{x},{y}", square(x, y)))),
    ] {
        assert_fault(&text, is_different);
    }
}

#[test]
fn rows_count_from_either_side_of_a_restricted_board() {
    let text = |head: &str, write: &dyn Fn(u8, u8) -> String| {
        let lines = CLOSED.iter().map(|&(row, col)| write(row, col) + "\n");
        format!(
            "# ktour board=5x6 piece=1,2 remove=- require=- {head} kind=closed\n{}",
            lines.collect::<String>()
        )
    };
    let pair = |row: u8, col: u8| format!("{row} {col}");
    let named = |row: u8, col: u8| format!("row={row} col={col}");
    let is_ambiguous = |fault: &ReadErrorKind| matches!(fault, ReadErrorKind::AmbiguousCoordinates { .. });
    let with = |order| ReadOptions { coordinate_order: Some(order), ..ReadOptions::default() };
    // Neither the tour nor its mirror image has the move.
    for write in [&pair as &dyn Fn(u8, u8) -> String, &named] {
        let text = text("forbid=c5-d3", write);
        assert_fault(&text, is_ambiguous);
        let contents = read_with(&text, with(CoordinateOrder::RowColumn));
        assert!(contents.lines == [2] && contents.notes[0].contains("from the top"), "{contents:?}");
    }
    // The tour has the move, its mirror image has not.
    let contents = read_with(&text("forbid=e1-d3", &pair), ReadOptions::default());
    assert!(contents.lines == [2] && contents.notes[0].contains("from the bottom"), "{contents:?}");
    let contents = read_with(&text("forbid=-", &pair), ReadOptions::default());
    assert!(contents.lines == [2] && contents.notes[0].contains("from the top"), "{contents:?}");
    let conflict = read_with(&text("forbid=-", &named), with(CoordinateOrder::Xy)).faults;
    assert!(matches!(conflict[..], [ReadErrorKind::OptionConflict { property: "coordinates", .. }]));
}

#[test]
fn long_lists_of_pairs_are_read_in_parts() {
    let tour = open_lines(|_, x, y| format!("{x} {y}"));
    let count = 12_000;
    let contents = read_with(&tour.repeat(count), ReadOptions::default());
    assert!(contents.faults.is_empty() && contents.lines.len() == count);
    assert!((0..).step_by(12).zip(&contents.lines).all(|(line, &found)| line + 1 == found));
}
