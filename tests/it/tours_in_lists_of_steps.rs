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

/// Returns the open tour with one square per line, the seventh square in place of the eighth.
fn damaged_lines(write: impl Fn(usize, u8, u8) -> String) -> String {
    open_lines(|at, x, y| if at == 7 { write(at, OPEN[6].0, OPEN[6].1) } else { write(at, x, y) })
}

#[test]
fn damaged_rows_of_tables_are_not_text() {
    let note = "the knight stands here now";
    for separator in [",", ";", "\t", "|"] {
        let join = |fields: &[String]| fields.join(separator);
        let number = |at: usize, x: u8, y: u8| join(&[(at + 1).to_string(), square(x, y), note.to_owned()]);
        let start = |at: usize, x: u8, y: u8| match at {
            0 => join(&["start".to_owned(), square(x, y), note.to_owned()]),
            _ => join(&[at.to_string(), square(x, y), note.to_owned()]),
        };
        let short = |at: usize, x: u8, y: u8| join(&[(at + 1).to_string(), square(x, y)]);
        let words = |at: usize, x: u8, y: u8| {
            join(&[format!("Step {}", at + 1), format!("knight at {}", square(x, y)), note.to_owned()])
        };
        let places = |at: usize, x: u8, y: u8| {
            join(&[(at + 1).to_string(), x.to_string(), y.to_string(), note.to_owned()])
        };
        type Write<'a> = &'a dyn Fn(usize, u8, u8) -> String;
        for (head, write) in [
            (&["step", "square", "note"][..], &number as Write<'_>),
            (&["move", "square", "note"], &start),
            (&["step", "square", "note"], &short),
            (&["step", "square", "note"], &words),
            (&["Etape", "Case", "Remarque"], &number),
            (&["step", "file", "rank", "note"], &places),
            (&["Etape", "Colonne", "Rang", "Remarque"], &places),
        ] {
            let head = head.join(separator);
            for between in ["\n", "\nTour 2:\n", "Tour 2:\n", "\n# two\n"] {
                let text = format!("{head}\n{}{between}{}", open_lines(write), damaged_lines(write));
                let contents = read_with(&text, ReadOptions::default());
                assert!(!contents.faults.is_empty() && contents.lines.len() < 2, "{text}{contents:?}");
            }
        }
        for head in ["step,square,note\n", "step,square,note\n\n", "step,square,note\nTour:\n"] {
            let head = head.replace(',', separator);
            let first = 1 + head.lines().count() as u64;
            let text = format!("{head}{}\nTour 2:\n{}", open_lines(number), open_lines(short));
            let notes = assert_lines(&text, &[first, first + 14]);
            assert!(notes.iter().any(|note| note.contains("Tour 2")), "{notes:?}");
        }
        let text = format!("{}\n{}", open_lines(|_, x, y| square(x, y)), damaged_lines(number));
        let contents = read_with(&text, ReadOptions::default());
        assert!(contents.lines == [1] && !contents.faults.is_empty(), "{text}{contents:?}");
    }
}

#[test]
fn a_column_may_be_named_by_its_sign() {
    for text in [
        format!("#,x,y\n{}", open_lines(|at, x, y| format!("{},{x},{y}", at + 1))),
        format!("#\trow\tcol\n{}", open_lines(|at, x, y| format!("{at}\t{}\t{x}", 2 - y))),
        format!("#;square;note\n{}", open_lines(|at, x, y| format!("{at};{};", square(x, y)))),
    ] {
        let notes = assert_lines(&text, &[2]);
        let order = if text.contains("row") { "row,column" } else { "x,y" };
        assert!(text.contains("square") || notes.iter().any(|note| note.contains(order)), "{text}{notes:?}");
    }
}

#[test]
fn every_way_to_give_a_square_must_agree() {
    let is_different = |fault: &ReadErrorKind| matches!(fault, ReadErrorKind::DifferentSquares { .. });
    let moves = |head: &str, write: &dyn Fn(usize) -> String| -> String {
        let name = |at: usize| square(OPEN[at].0, OPEN[at].1);
        let lines = (0..11).map(|at| format!("{},{},{}\n", name(at), name(at + 1), write(at)));
        format!("{head}\n{}", lines.collect::<String>())
    };
    let end = |at: usize| format!("{},{}", OPEN[at + 1].0, OPEN[at + 1].1);
    let start = |at: usize| format!("{},{}", OPEN[at].0, OPEN[at].1);
    assert!(assert_lines(&moves("from,to,x,y", &end), &[2]).is_empty());
    assert!(assert_lines(&moves("from,to,x,y", &start), &[2]).is_empty());
    let pairs = |head: &str, change: u8| {
        format!("{head}\n{}", open_lines(|_, x, y| format!("{},{x},{x},{}", 2 - y, (y + change * x) % 3)))
    };
    assert_lines(&pairs("row,col,x,y", 0), &[2]);
    let records = |key: &str, at: usize| {
        let other = |x: u8, y: u8| if at == 0 { square(x, y) } else { square(y, x) };
        let write = |_, x: u8, y: u8| {
            let (own, other) = (square(x, y), other(x, y));
            format!("{{\"square\": \"{own}\", \"from\": \"{other}\", \"{key}\": \"a1\"}},")
        };
        format!("[{}]", open_lines(write))
    };
    assert_lines(&records("to", 0), &[1]);
    for text in [
        moves("from,to,x,y", &|_| "9,9".to_owned()),
        pairs("row,col,x,y", 1),
        format!("square,from,to\n{}", open_lines(|_, x, y| format!("{},a{},a1", square(x, y), x + 1))),
        records("to", 1),
    ] {
        assert_fault(&text, is_different);
    }
}

#[test]
fn the_rest_of_a_damaged_tour_is_no_tour() {
    let tour = open_lines(|_, x, y| square(x, y)).replace('\n', " ");
    let wrong = tour.replacen("a3 ", "a2 ", 1);
    let text = format!("{wrong}\n12. a1\n\n{}", format!("{tour}\n").repeat(8));
    let contents = read_with(&text, ReadOptions::default());
    assert!(contents.lines == (4..12).collect::<Vec<_>>() && contents.faults.len() == 1, "{contents:?}");
    let contents = read_with(&format!("a1 b1\n\na1\n\n{tour}"), ReadOptions::default());
    assert_eq!((contents.lines, contents.faults.len()), (vec![5], 2));
}

#[test]
fn tours_behind_a_damaged_one_are_read() {
    type Write<'a> = &'a dyn Fn(usize, u8, u8) -> String;
    for write in [&(|_, x, y| square(x, y)) as Write<'_>, &|_, x, y| format!("{x} {y}"), &|_, x, y| {
        format!("({}, {x})", 2 - y)
    }] {
        let (good, damaged) = (open_lines(write), damaged_lines(write));
        let twice = format!("{}{}\n", good, write(0, OPEN[11].0, OPEN[11].1));
        let lost: String = good.lines().take(11).map(|line| line.to_owned() + "\n").collect();
        for (text, lines, faults) in [
            (format!("{good}{damaged}{good}"), vec![1, 25], 1),
            (format!("{good}{damaged}{damaged}{good}"), vec![1, 37], 2),
            (format!("{good}{lost}{good}"), vec![1, 24], 1),
        ] {
            let contents = read_with(&text, ReadOptions::default());
            // Damaged tours one after the other may be one fault.
            let has_faults = (1..=faults).contains(&contents.faults.len());
            assert!(contents.lines == lines && has_faults, "{text}\n{contents:?}");
        }
        assert_eq!(read_with(&twice, ReadOptions::default()).faults.len(), 1, "{twice}");
        assert_eq!(read_with(&format!("{good}{twice}{good}"), ReadOptions::default()).faults.len(), 1);
    }
    let pairs = open_lines(|_, x, y| format!("{x} {y}"));
    let twice = format!("{pairs}{} {}\n", OPEN[11].0, OPEN[11].1);
    let contents = read_with(&format!("{pairs}{twice}{pairs}"), ReadOptions::default());
    assert!(contents.lines.last() == Some(&26) && contents.faults.len() == 1, "{contents:?}");
    let contents = read_with(&twice, ReadOptions::default());
    let message = contents.faults[0].to_string();
    assert!(contents.lines.is_empty() && contents.faults.len() == 1, "{contents:?}");
    assert!(message.contains("square 13") && message.contains("as square 12"), "{message}");
    let gap = |at: usize, x: u8, y: u8| format!("{},{}", at + 1 + at / 5, square(x, y));
    let good = open_lines(|at, x, y| format!("{},{}", at + 1, square(x, y)));
    let contents =
        read_with(&format!("step,square\n{good}{}{good}", open_lines(gap)), ReadOptions::default());
    assert!(contents.lines == [2, 26] && contents.faults.len() == 1, "{contents:?}");
    // Squares in letters of either case.
    let names = open_lines(|_, x, y| square(x, y)).trim().replace('\n', "-");
    assert_lines(&format!("{}\n{names}\n", names.to_uppercase()), &[1, 2]);
}

#[test]
fn numbers_of_tours_do_not_run_on() {
    let rows = open_lines(|_, x, y| format!("7,{}", square(x, y)));
    let notes = assert_lines(&format!("no,square\n{rows}{rows}"), &[2, 14]);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn names_of_steps_may_hold_other_values() {
    let record = |value: &dyn Fn(usize) -> String, key: &str| {
        let line = |at, x, y| format!("{{\"{key}\": {}, \"Row\": {}, \"Col\": {x}}}", value(at), 2 - y);
        open_lines(line)
    };
    for (key, value, is_read) in [
        ("Step", &(|at: usize| at.to_string()) as &dyn Fn(usize) -> String, true),
        ("move_number", &|at| (at + 1).to_string(), true),
        ("n", &|_| "3".to_owned(), true),
        ("visited", &|_| "1".to_owned(), false),
        ("time", &|at| format!("{}", at as f64 / 4.0), false),
        ("count", &|at| (at * at % 5).to_string(), false),
    ] {
        let notes = assert_lines(&record(value, key), &[1]);
        assert_eq!(
            notes.iter().any(|note| note.contains(key) && note.contains("not read")),
            !is_read,
            "{key} {notes:?}"
        );
        let rows = open_lines(|at, x, y| format!("{},{}", value(at), square(x, y)));
        let notes = assert_lines(&format!("{key},square\n{rows}"), &[2]);
        assert_eq!(notes.is_empty(), is_read, "{key} {notes:?}");
    }
    for head in ["Move Number,Square", "step_no,square"] {
        let rows = open_lines(|at, x, y| format!("{},{}", 12 - at, square(x, y)));
        assert_lines(&format!("{head}\n{rows}"), &[13]);
    }
}

#[test]
fn counters_of_squares_and_moves_order_them() {
    let sort = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        let count = lines.len();
        (0..count).for_each(|at| lines.swap(at, at * 5 % count));
        lines.join("\n") + "\n"
    };
    let squares = open_lines(|at, x, y| format!("{}. {}", at + 1, square(x, y)));
    let from = |at: usize| square(OPEN[at].0, OPEN[at].1);
    let moves: String = (0..11).map(|at| format!("{at}. {}-{}\n", from(at), from(at + 1))).collect();
    for text in [squares, moves] {
        let second = 1 + text.lines().count() as u64;
        assert_lines(&sort(&text), &[1]);
        assert_lines(&format!("{}{}", sort(&text), sort(&text)), &[1, second]);
        let text = sort(&text).replace("\n5. ", "\n6. ");
        assert!(!read_with(&text, ReadOptions::default()).faults.is_empty(), "{text}");
    }
    let link = |at: usize| {
        let [(x, y), (a, b)] = [OPEN[at], OPEN[at + 1]];
        format!("Step {}: row {}, col {x} -> row {}, col {a}\n", at + 1, 2 - y, 2 - b)
    };
    assert_lines(&sort(&(0..11).map(link).collect::<String>()), &[1]);
    let record = |at: usize| {
        let place = |(x, y): (u8, u8)| format!("{{\"row\": {}, \"col\": {x}}}", 2 - y);
        format!("{{\"from\": {}, \"to\": {}}}\n", place(OPEN[at]), place(OPEN[at + 1]))
    };
    let records: String = (0..11).map(record).collect();
    assert_lines(&format!("[{}]", records.trim().replace('\n', ",\n")), &[1]);
    let names = |at: usize| format!("{{\"from\": \"{}\", \"to\": \"{}\"}}\n", from(at), from(at + 1));
    assert_lines(&(0..11).map(names).collect::<String>().repeat(2), &[1, 12]);
}

#[test]
fn long_damaged_input_is_read_in_linear_time() {
    let started = std::time::Instant::now();
    let chain: Vec<String> = (0..18_003_u32)
        .map(|n| format!("{}{}", char::from(b'a' + u8::try_from(n % 26).unwrap()), n / 26 + 1))
        .collect();
    let mut lines: Vec<String> = chain.chunks(3).map(|line| line.join(" ")).collect();
    lines.push(lines[0].clone());
    let keys: Vec<String> = (0..80_000).map(|n| format!("\"k{n}\": 1")).collect();
    let steps: String = (1..=50_000).chain([50_000]).map(|n| format!("{n},a1\n")).collect();
    for text in [
        lines.join("\n"),
        format!("{{\"x\": 0, \"y\": 0, {}}}", keys.join(", ")),
        format!("step,square\n{steps}{}", "1,a1\n".repeat(90_000)),
        "\u{1b}[31m1".repeat(200_000),
    ] {
        assert!(!read_with(&text, ReadOptions::default()).faults.is_empty());
    }
    assert!(started.elapsed().as_secs() < 20);
}
