//! Damaged files of tours: the reader returns the right tours, an error, or a note.
//!
//! ```text
//! tours -> file in a format -> damage -> TourReader -> error or note, or tours that hold every square and
//!                                                      number of the damaged file, as a simple count finds
//! ```
//!
//! Every tour that the reader returns visits all squares of its board once, by moves. Damage could still go
//! unnoticed if the reader passed over a part of the file. So without an error or a note, the squares (or the
//! numbers) of the file must be as many as those of the returned tours, and each tour must be one of the
//! first ones, unless the damaged file holds another tour of the same board.
//!
//! Default: 2,000 cases of each format; `KTOUR_FUZZ=N` runs N cases.

use std::fmt::Write;

use ktour::random::Random;
use ktour::tour::{Kind, ReadOptions, Tour, TourFormat, TourReader, TourWriter};

/// What stands for the squares of a tour in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Names of squares.
    Squares,
    /// Numbers, and how many of them stand for one square.
    Numbers(usize),
}

/// A format: its name, its contents, and the text of tours.
type Format = (&'static str, Content, fn(&[Tour]) -> String);

fn join_tours(tours: &[Tour], separator: &str, write: impl Fn(&Tour) -> String) -> String {
    tours.iter().map(write).collect::<Vec<_>>().join(separator)
}

fn names(tour: &Tour) -> Vec<String> {
    tour.names().collect()
}

/// Returns the rows of move numbers, top rank first.
fn rows(tour: &Tour) -> Vec<Vec<usize>> {
    let squares = tour.squares().unwrap();
    let rows = squares.iter().map(|square| square.rank()).max().unwrap();
    let cols = squares.iter().map(|square| square.file()).max().unwrap();
    let mut grid = vec![vec![0; usize::from(cols) + 1]; usize::from(rows) + 1];
    for (number, square) in (1..).zip(&squares) {
        grid[usize::from(rows - square.rank())][usize::from(square.file())] = number;
    }
    grid
}

fn row_texts(tour: &Tour, separator: &str) -> Vec<String> {
    rows(tour)
        .iter()
        .map(|row| row.iter().map(usize::to_string).collect::<Vec<_>>().join(separator))
        .collect()
}

/// Returns the coordinates (row from the top, column), from 0.
fn pairs(tour: &Tour) -> Vec<(u16, u16)> {
    let squares = tour.squares().unwrap();
    let rows = squares.iter().map(|square| square.rank()).max().unwrap();
    squares.iter().map(|square| (rows - square.rank(), square.file())).collect()
}

fn write_with(tours: &[Tour], format: TourFormat) -> String {
    let writer = TourWriter::new(tours[0].board(), format, 1).unwrap();
    let mut out = writer.header(Kind::Paths).into_bytes();
    for (i, tour) in tours.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(writer.separator().as_bytes());
        }
        writer.write(&mut out, tour.kind(), tour.vertices());
    }
    String::from_utf8(out).unwrap()
}

/// Returns a line for each square of each tour, with a blank line between tours. `write` gets the number of the square,
/// from 1, its row and its column.
fn numbered_pairs(tours: &[Tour], head: &str, write: fn(u16, u16, u16) -> String) -> String {
    join_tours(tours, "\n\n", |tour| {
        let lines = (1..).zip(pairs(tour)).map(|(number, (row, col))| write(number, row, col));
        head.to_owned() + &lines.collect::<Vec<_>>().join("\n")
    })
}

const FORMATS: [Format; 18] = [
    ("squares", Content::Squares, |tours| join_tours(tours, "\n", |tour| names(tour).join(" "))),
    ("moves", Content::Squares, |tours| join_tours(tours, "\n", |tour| names(tour).join("-"))),
    ("counted", Content::Squares, |tours| {
        join_tours(tours, "\n\n", |tour| {
            (1..).zip(names(tour)).map(|(i, name)| format!("{i}. {name}\n")).collect::<String>()
        })
    }),
    ("labelled", Content::Squares, |tours| {
        join_tours(tours, "\n", |tour| format!("Tour found: {}", names(tour).join(" ")))
    }),
    ("ktour squares", Content::Squares, |tours| write_with(tours, TourFormat::Squares)),
    ("ktour csv", Content::Squares, |tours| write_with(tours, TourFormat::Csv)),
    ("ktour json", Content::Squares, |tours| write_with(tours, TourFormat::Ndjson)),
    ("grid", Content::Numbers(1), |tours| join_tours(tours, "\n\n", |tour| row_texts(tour, " ").join("\n"))),
    ("bars", Content::Numbers(1), |tours| {
        join_tours(tours, "\n\n", |tour| format!("| {} |", row_texts(tour, " | ").join(" |\n| ")))
    }),
    ("commas", Content::Numbers(1), |tours| {
        join_tours(tours, "\n\n", |tour| row_texts(tour, ",").join("\n"))
    }),
    ("array", Content::Numbers(1), |tours| {
        join_tours(tours, "\n\n", |tour| format!("[[{}]]", row_texts(tour, ", ").join("],\n [")))
    }),
    ("quoted", Content::Squares, |tours| {
        join_tours(tours, "\n", |tour| format!("[\"{}\"]", names(tour).join("\", \"")))
    }),
    ("table", Content::Squares, |tours| {
        join_tours(tours, "\n\n", |tour| {
            let rows = (1..).zip(names(tour)).map(|(i, name)| format!("{i},{name}\n"));
            format!("step,square\n{}", rows.collect::<String>())
        })
    }),
    ("counted pairs", Content::Numbers(3), |tours| {
        numbered_pairs(tours, "", |number, row, col| format!("{number}. ({row}, {col})"))
    }),
    ("labelled pairs", Content::Numbers(3), |tours| {
        numbered_pairs(tours, "", |number, row, col| format!("Step {number}: row {row}, column {col}"))
    }),
    ("records", Content::Numbers(3), |tours| {
        numbered_pairs(tours, "", |number, row, col| {
            format!("{{\"step\": {number}, \"row\": {row}, \"col\": {col}}}")
        })
    }),
    ("table of pairs", Content::Numbers(3), |tours| {
        numbered_pairs(tours, "step,row,col\n", |number, row, col| format!("{number},{row},{col}"))
    }),
    ("coordinates", Content::Numbers(2), |tours| {
        join_tours(tours, "\n\n", |tour| {
            pairs(tour).iter().fold(String::new(), |mut text, (row, col)| {
                writeln!(text, "({row}, {col})").unwrap();
                text
            })
        })
    }),
];

/// Damages a text by one to three changes of characters, words or lines.
fn damage(text: &str, rng: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + rng.below(3) {
        text = damage_once(&text, rng);
    }
    text
}

fn damage_once(text: &str, rng: &mut Random) -> String {
    let separator = ["", " ", "\n"][rng.below(3)];
    let mut parts: Vec<String> = match separator {
        "" => text.chars().map(String::from).collect(),
        separator => text.split(separator).map(str::to_owned).collect(),
    };
    if parts.is_empty() {
        return text.to_owned();
    }
    let (at, to) = (rng.below(parts.len()), rng.below(parts.len()));
    const INSERTED: [&str; 16] =
        ["x", "7", "1", "a1", "b3", "cc", "-", ".", ",", "#", "the end", "Tour 2:", "1 2 3", "[", "]", "\n"];
    match rng.below(5) {
        0 => _ = parts.remove(at),
        1 => parts.insert(at, INSERTED[rng.below(INSERTED.len())].to_owned()),
        2 => parts.insert(to, parts[at].clone()),
        3 => parts.swap(at, to),
        _ => parts[at] = INSERTED[rng.below(INSERTED.len())].to_owned(),
    }
    parts.join(separator)
}

/// Counts the squares, or the numbers, in the lines of a text that are no comments. Returns also the count in
/// which a square that is repeated directly counts once, because it may end one move and begin the next.
fn count_content(text: &str, content: Content) -> (usize, usize) {
    let is_comment = |line: &str| {
        let line = line.trim_start();
        line.starts_with('#') && !line[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !is_comment(line) && !line.starts_with("kind,squares")) {
        // Without the boards in fields.
        let line: String = line
            .split("\"board\"")
            .enumerate()
            .map(|(i, part)| if i == 0 { part } else { part.split_once('}').map_or("", |(_, rest)| rest) })
            .collect();
        // A whole number may be written as a float.
        let whole = |line: String, digit: u8| line.replace(&format!("{digit}.0"), &digit.to_string());
        let line = (0..10).fold(line.split(",\"board=").next().unwrap_or("").to_owned(), whole);
        for run in line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
            match content {
                Content::Numbers(_) if run.bytes().all(|b| b.is_ascii_digit()) => found.push(run.to_owned()),
                Content::Squares if run.starts_with(is_letter) && !run.ends_with(is_letter) => {
                    // A run may be several joined squares: each ends with a digit before a letter or the end.
                    let (bytes, mut begin) = (run.as_bytes(), 0);
                    for i in 0..bytes.len() {
                        let ends =
                            bytes[i].is_ascii_digit() && bytes.get(i + 1).is_none_or(u8::is_ascii_alphabetic);
                        // `found1` is a word, not a square of a board of this size.
                        if ends && run[begin..=i].len() < 4 {
                            found.push(run[begin..=i].to_owned());
                        }
                        if ends {
                            begin = i + 1;
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let all = found.len();
    if content == Content::Squares {
        found.dedup();
    }
    (found.len(), all)
}

#[test]
fn damaged_files_are_read_right_or_reported() {
    let cases = std::env::var("KTOUR_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    let path = |names: &str| Tour::from_names(&"3x4".parse().unwrap(), names.split(' ')).unwrap();
    let tours = [
        path("a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2"),
        path("a2 c1 d3 b2 d1 c3 b1 d2 b3 a1 c2 a3"),
        path("a1 c2 a3 b1 d2 b3 c1 d3 b2 d1 c3 a2"),
    ];
    let forms: Vec<Vec<u32>> = tours.iter().map(Tour::canonical_form).collect();
    for (name, content, write) in FORMATS {
        let text = write(&tours[..2]);
        let read = |text: &str| {
            let mut reader = TourReader::new(text.as_bytes(), ReadOptions::default());
            let found: Vec<_> = reader.by_ref().collect();
            (found, reader.notes())
        };
        let (found, _) = read(&text);
        assert_eq!(found.iter().filter(|found| found.is_ok()).count(), 2, "{name}\n{text}\n{found:?}");
        let (mut silent, mut others) = (0, 0);
        for case in 0..cases {
            let damaged = damage(&text, &mut Random::for_trial(1, case));
            let (found, notes) = read(&damaged);
            // Coordinates and the text before a tour always have a note; any other note is a report.
            let is_reported =
                notes.iter().any(|note| !note.contains("coordinates") && !note.contains("`Tour found`"))
                    || found.iter().any(Result::is_err);
            if is_reported || found.is_empty() {
                continue;
            }
            silent += 1;
            let tours: Vec<&Tour> =
                found.iter().filter_map(|found| found.as_ref().ok()).map(|found| &found.tour).collect();
            let squares: usize = tours.iter().map(|tour| tour.vertices().len()).sum();
            if squares < 12 {
                // Little is left of the file: a number or square alone is a tour of one square.
                assert!(count_content(&damaged, content).1 < 12, "{name}\n{damaged}");
                continue;
            }
            let factor = if let Content::Numbers(factor) = content { factor } else { 1 };
            let (least, most) = count_content(&damaged, content);
            // A closed tour may repeat its first square.
            let closings = tours.iter().filter(|tour| tour.kind().name() == "closed").count();
            assert!(
                least <= (squares + closings) * factor && squares * factor <= most,
                "{name}: {least} to {most} of the file, {squares} squares of {} tours\n{damaged}",
                tours.len()
            );
            // Another tour of the same squares needs several changes; it is counted, not rejected.
            others += tours.iter().filter(|tour| !forms.contains(&tour.canonical_form())).count();
        }
        assert!(silent > 0, "{name}: some damage leaves the file right");
        assert!(50 * others <= silent, "{name}: {others} other tours in {silent} files");
    }
}
