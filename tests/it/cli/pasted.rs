//! Tours as other programs print them and people paste them: what is read, and what is refused rather than guessed.

use super::{answer, ktour, texts};

/// A tour of 3x4: its squares, and its grid.
const SQUARES: [&str; 12] = ["a3", "c2", "a1", "b3", "d2", "b1", "c3", "d1", "b2", "d3", "c1", "a2"];
const GRID: [[u32; 4]; 3] = [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]];

/// The canonical forms of the tours of a text, or the line with which it is refused.
fn forms(options: &str, text: &str) -> Result<Vec<String>, String> {
    let output = ktour(&format!("check - --canonical {options}")).write_stdin(text).output().unwrap();
    let (out, err) = texts(&output);
    if !output.status.success() {
        assert_eq!(err.lines().count(), 1, "{err}");
        return Err(err);
    }
    Ok(out.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

fn refused(text: &str, told: &str) {
    match forms("", text) {
        Err(error) => assert!(error.contains(told), "{text}\n{error}\n{told}"),
        Ok(found) => panic!("{text}\n{found:?}"),
    }
}

/// A line for each square, with its number from 0.
fn lines(write: impl Fn(usize, &str) -> String) -> Vec<String> {
    SQUARES.iter().enumerate().map(|(number, square)| write(number, square)).collect()
}

/// The rows of the grid.
fn rows(apart: &str) -> [String; 3] {
    GRID.map(|row| row.map(|number| number.to_string()).join(apart))
}

fn expected() -> Result<Vec<String>, String> {
    forms("", &rows(" ").join("\n"))
}

/// The tour alone and three times, with and without a board.
fn is_read(text: &str) {
    let expected = expected();
    for options in ["", "--board 3x4"] {
        assert_eq!(forms(options, text), expected, "{text}");
    }
    let thrice = forms("", &[text; 3].join("\n\n")).map(|found| found.len());
    assert_eq!(thrice, Ok(3), "{text}");
}

#[test]
fn tables_are_read_in_the_order_of_their_steps() {
    let shuffled = |head: &str, mut rows: Vec<String>| {
        rows.sort_by_key(|row| row.bytes().rev().map(usize::from).sum::<usize>() * 7 % 11);
        format!("{head}\n{}\n", rows.join("\n"))
    };
    for text in [
        shuffled("step,square", lines(|number, square| format!("{},{square}", number + 1))),
        shuffled("square;Move;note", lines(|number, square| format!("{square};{number};n{number}"))),
        shuffled("| # | square |\n|---|---|", lines(|number, square| format!("| {number} | {square} |"))),
        shuffled(",square,step", lines(|number, square| format!("{},{square},{}", 0, number + 1))),
        format!(",square,note\n{}\n,,\n", lines(|number, square| format!("{number},{square},")).join("\n")),
        format!("\tsquare\n{}\n", lines(|number, square| format!("{number}\t{square}")).join("\n")),
        format!("note\tsquare\tn\n{}\n", lines(|number, square| format!("\t{square}\t{number}")).join("\n")),
        format!("n,vertex\n{}\n", lines(|number, square| format!("{number},{square}")).join("\n")),
    ] {
        is_read(&text);
    }
    let table =
        |head: &str, write: &dyn Fn(usize, &str) -> String| format!("{head}\n{}\n", lines(write).join("\n"));
    for (text, told) in [
        (
            table("step,square", &|number, square| format!("{},{square}", number % 7)),
            "the tour has 7 of the board's",
        ),
        (
            table("step,square", &|number, square| format!("{},{square}", number / 2)),
            "the tour has 2 of the board's",
        ),
        (table("step,square", &|number, square| format!("{},{square}", number * number)), "2 is missing"),
        (
            table("step,square", &|number, square| format!("{number},{square},{square}")),
            "line 2: the row has 3 fields",
        ),
        (table("index,square", &|number, square| format!("{},{square}", number ^ 1)), "0 stands below 1"),
        ("step,square\n1".to_owned(), "line 2: the row has no square"),
        (table("step,square", &|number, _| format!("{number},")), "line 2: the row has no square"),
    ] {
        refused(&text, told);
    }
}

#[test]
fn numbers_before_squares_must_count_them() {
    for text in [
        lines(|number, square| format!("Move {}: {square}", number + 1)).join("\n"),
        lines(|number, square| format!("Step {number}: {square}")).join(", "),
        lines(|number, square| format!("{}. N{square}", number + 1)).join(" ") + " 1-0",
        lines(|number, square| format!("{}. Nx{square}", number + 1)).join(" ") + " *",
        format!("[Event \"A tour\"]\n[Site \"?\"]\n\n{}", lines(|n, s| format!("{}. N{s}", n + 1)).join(" ")),
        SQUARES.windows(2).map(|pair| pair.join("-")).collect::<Vec<_>>().join(" "),
        SQUARES.windows(2).map(|pair| format!("N{}", pair.join("-"))).collect::<Vec<_>>().join(", "),
        SQUARES.windows(2).map(|pair| pair.concat()).collect::<Vec<_>>().join(" "),
        SQUARES.windows(2).map(|pair| pair.concat()).collect::<Vec<_>>().join("\n"),
    ] {
        is_read(&text);
    }
    for (text, told) in [
        (lines(|n, s| format!("{}. {s}", n ^ 1)).join(" "), "the number 0 stands before square 2"),
        (
            lines(|n, s| format!("{}. {s}", if n == 6 { 70 } else { n })).join("\n"),
            "the number 70 stands before square 7",
        ),
        (lines(|n, s| format!("{} {s}", 12 - n)).join("\n"), "the number 11 stands before square 2"),
        ("a1.1 b3.1 d2.1".to_owned(), "`a1.1` is a square in a layer of a box: give the box"),
        ("<table><tr><td>1</td>".to_owned(), "page of HTML"),
    ] {
        refused(&text, told);
    }
}

#[test]
fn arrays_are_read_as_other_programs_write_them() {
    let (commas, squares) = (rows(", "), SQUARES.join("\", \""));
    for text in [
        format!("A = [{}];", rows(" ").join("; ")),
        format!("A = [{}];", rows(", ").join(";\n     ")),
        format!("A = [ ...\n{} ];", rows(" ").join("; ...\n")),
        format!("[{}]", rows(" ").join("\n ")),
        format!("(({}))", commas.join("), (")),
        format!("t = (\n    ({}),\n)", commas.join("),\n    (")),
        format!("[[{}.]]", rows(". ").join(".]\n [")),
        format!("{{\"{squares}\"}};"),
        format!("const char *tour[] = {{\"{squares}\"}};"),
        format!("tour = [\"{squares}\"]"),
        format!("m4 = [[{}]]", commas.join("], [")),
        format!("{{\"tour\": [\"{squares}\"]}}"),
        format!("{{\n \"tour\": [\n  \"{}\"\n ],\n \"closed\": false\n}}", SQUARES.join("\",\n  \"")),
        format!("{{\"rows\": 3, \"cols\": 4, \"board\": [[{}]]}}", commas.join("], [")),
        format!("int tour[3][4] = {{{{{}}}}};", commas.join("},\n {")),
        format!("array([[{}]])", commas.join("],\n       [ ")),
        format!("array([[ {}]])", commas.join("],\n       [ ")),
    ] {
        is_read(&text);
    }
    // A closed tour may end where it began.
    let closed = answer("find 5x6 --closed --bare");
    let names: Vec<&str> = closed.split_whitespace().collect();
    let array = format!("[\"{}\", \"{}\"]", names.join("\", \""), names[0]);
    assert_eq!(forms("", &array), forms("", &closed));
    assert_eq!(forms("", &format!("{{\"closed\": true, \"path\": {array}}}")), forms("", &closed));
    for (text, told) in [
        (
            format!("int board[5][24] = {{{{{}}}}};", commas.join("},{")),
            "declared with 5 x 24 numbers or squares, but 3 x 4",
        ),
        (
            format!("{{\"rows\": 4, \"board\": [[{}]]}}", commas.join("],[")),
            "declared with 4 x 4 numbers or squares, but 3 x 4",
        ),
        (format!("{{\"closed\": true, \"board\": [[{}]]}}", commas.join("],[")), "the tour is not closed"),
        (format!("{{\"a\": [[{}]], \"b\": [[1, 2]]}}", commas.join("],[")), "\"a\" and \"b\" are lists"),
        ("{\"tour\": \"a1 b3\"}".to_owned(), "there is no list of squares in it"),
        (format!("[[{}]\n ...\n [1, 2]]", commas[0]), "`...` stands for rows that were left out"),
    ] {
        refused(&text, told);
    }
}

#[test]
fn what_stands_beside_a_grid_tells_its_rows() {
    let letters = "     a  b  c  d";
    let labelled = |write: &dyn Fn(usize, &str) -> String| -> Vec<String> {
        rows(" ").iter().enumerate().map(|(row, text)| write(row, text)).collect()
    };
    let up = |mut rows: Vec<String>| {
        rows.reverse();
        rows.join("\n")
    };
    let (bars, cells) = (rows(" | "), rows(","));
    let latex = rows(" & ").join(" \\\\\n");
    for text in [
        format!("{letters}\n{}\n", labelled(&|row, text| format!("{} {text}", 3 - row)).join("\n")),
        format!(
            "{letters}\n{}\n{letters}",
            labelled(&|row, text| format!("{0} {text} {0}", 3 - row)).join("\n")
        ),
        format!("{}\n  -----\n{letters}", labelled(&|row, text| format!("{} | {text}", 3 - row)).join("\n")),
        format!("{}\n{letters}", labelled(&|row, text| format!("{} {text}", 3 - row)).join("\n")),
        labelled(&|row, text| format!("{0} | {text} | {0}", 3 - row)).join("\n"),
        // Ranks that grow: the first row is the lowest.
        format!("{letters}\n{}\n", up(labelled(&|row, text| format!("{} {text}", 3 - row)))),
        format!("{}\n{letters}\n", up(labelled(&|row, text| format!("{} | {text}", 3 - row)))),
        // Numbers of rows and columns, as pandas, Markdown and R have them.
        format!("   0  1  2  3\n{}", labelled(&|row, text| format!("{row}  {text}")).join("\n")),
        format!(",0,1,2,3\n0,{}\n1,{}\n2,{}\n", cells[0], cells[1], cells[2]),
        format!(
            "|   | 1 | 2 | 3 | 4 |\n|--|--|--|--|--|\n| 1 | {} |\n| 2 | {} |\n| 3 | {} |",
            bars[0], bars[1], bars[2]
        ),
        format!(
            "     [,1] [,2] [,3] [,4]\n{}",
            labelled(&|row, text| format!("[{},] {text}", row + 1)).join("\n")
        ),
        format!("\\begin{{tabular}}{{cccc}}\n\\hline\n{latex} \\\\ \\hline\n\\end{{tabular}}"),
        latex,
        format!("```\n{}\n```", rows(" ").join("\n")),
        rows(" ").map(|row| format!("> {row}")).join("\n"),
    ] {
        is_read(&text);
    }
    // The lowest row is the one that the ranks tell.
    let grid = |text: &str| {
        let found = ktour("draw - --format box").write_stdin(text).output().unwrap();
        texts(&found).0
    };
    let lowest = format!("{letters}\n1 {}\n2 {}\n3 {}\n", rows(" ")[0], rows(" ")[1], rows(" ")[2]);
    let turned = format!("{}\n{}\n{}\n", rows(" ")[2], rows(" ")[1], rows(" ")[0]);
    assert_eq!(grid(&lowest), grid(&turned));
    assert!(grid(&lowest).len() > 40 && grid(&lowest) != grid(&rows(" ").join("\n")));
    for (text, told) in [
        (
            format!("{letters}\n{}", labelled(&|row, text| format!("{} {text}", [3, 1, 2][row])).join("\n")),
            "no ranks: they go from 3 to 2",
        ),
        (
            format!("{letters}\n{}", labelled(&|row, text| format!("{} {text}", 8 - row)).join("\n")),
            "no ranks: they go from 8 to 6",
        ),
        (
            labelled(&|row, text| format!("{} | {text}", row + 1)).join("\n"),
            "the numbers 1 to 3 beside the rows may be ranks",
        ),
        (
            format!("{letters}\n{}", labelled(&|row, text| format!("{} {text} {row}", 3 - row)).join("\n")),
            "one row is between 3 and 0",
        ),
        ("1,4,7,10\n12,9,,5\n3,6,11,8\n".to_owned(), "line 2: the cell of c2 is empty"),
        ("| 1 | 4 | 7 |\n+---+-g-+---+\n| 6 | 3 | 2 |\n".to_owned(), "line 2: "),
        ("+---+-g-+---+\n| 1 | 4 | 7 |\n".to_owned(), "line 1: `+---+-g-+---+` begins no tour"),
    ] {
        refused(&text, told);
    }
}

#[test]
fn what_programs_print_below_their_tours_is_passed_over() {
    let (grid, squares) = (rows(" ").join("\n"), SQUARES.join(" "));
    for below in ["Found in 0.3 seconds", "Total: 1", "</pre>", "Nodes: 12\nTotal: 1 tour\n"] {
        for tour in [&grid, &squares] {
            for apart in ["\n", "\n\n"] {
                let text = format!("{tour}{apart}{below}");
                assert_eq!(forms("", &text), expected(), "{text}");
                assert_eq!(forms("--board 3x4", &text), expected(), "{text}");
            }
        }
    }
    // A tour with a fault is none of it, and without a tour there is nothing below.
    refused("Found in 0.3 seconds\n", "line 1: ");
    let together = SQUARES.concat();
    for wrong in [
        squares.replace("c2", "cc"),
        together.replace("c2", "cc"),
        together.replacen("a3", "az", 1),
        "x b3".to_owned(),
        "4 x".to_owned(),
        "seen b3".to_owned(),
        "3 6 ll 8".to_owned(),
    ] {
        for above in [format!("{squares}\n"), format!("{grid}\n\n")] {
            let line = above.lines().count() + 1;
            refused(&format!("{above}{wrong}"), &format!("line {line}: "));
        }
    }
}

#[test]
fn quotes_colours_and_nothing_between_squares_are_read() {
    is_read(&SQUARES.concat());
    is_read(&SQUARES.concat().to_uppercase());
    is_read(&format!("{}\n{}", SQUARES[..5].concat(), SQUARES[5..].concat()));
    let quoted = |quote: char, apart: &str| {
        let cell = |number: u32| format!("{quote}{number}{quote}");
        GRID.map(|row| row.map(cell).join(apart)).join("\n")
    };
    is_read(&quoted('"', ","));
    is_read(&quoted('\'', "; "));
    let coloured = |number: u32| format!("\x1b[1;3{}m{number:>3}\x1b[0m", number % 8);
    is_read(&GRID.map(|row| row.map(coloured).concat()).join("\n"));
    refused(&quoted('"', ",").replace("\"9\"", "\"9"), "line 2: ");
    // What is told is told as it is written.
    refused("\"1\" of 2: \"x\"", "`\"1\" of 2: \"x\"` begins no tour");
}

#[test]
fn grids_stand_one_below_the_other_without_a_blank_line() {
    let grid = rows(" ").join("\n");
    let [one] = &expected().unwrap()[..] else { panic!("there is one tour") };
    for options in ["", "--board 3x4"] {
        for text in [format!("{grid}\n{grid}"), format!("{grid}\n{grid}\n{grid}\n\n{grid}\nTotal: 4")] {
            let found = forms(options, &text).unwrap();
            assert_eq!(found.len(), text.matches("12 9").count(), "{text}");
            assert!(found.iter().all(|form| form == one), "{text}");
        }
    }
    // One number is wrong: no tour, wherever it is.
    for line in 0..6 {
        let text = format!("{grid}\n{grid}");
        let wrong: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(at, row)| {
                if at == line { row.replacen(row.split(' ').next().unwrap(), "7", 1) } else { row.to_owned() }
            })
            .collect();
        refused(&wrong.join("\n"), "line ");
    }
    refused(&format!("{grid}\n1 4 7 10"), "line ");
    refused("1 2\n3 4\n1 2", "line ");
}

#[test]
fn pictures_and_pieces_of_other_files_are_told() {
    let picture = ktour("draw -").write_stdin(SQUARES.join(" ")).output().unwrap();
    let (svg, _) = texts(&picture);
    assert!(svg.starts_with("<svg"));
    refused(&svg, "line 1: this is a picture, and tours are read from text");
    let tour = answer("find 5x6 --closed");
    let error = forms("--piece king", &tour).unwrap_err();
    assert!(
        error.contains("line 1: the file says piece knight, the options say king: leave the option out"),
        "{error}"
    );
    let error = forms("--wrap torus", &tour).unwrap_err();
    assert!(error.contains("line 1: the file says wrap none, the options say torus"), "{error}");
    let kings = answer("find 4x4 --piece king --closed");
    assert_eq!(forms("--piece king", &kings), forms("", &kings));
    let error = forms("--piece king", &SQUARES.join(" ")).unwrap_err();
    assert!(error.contains("needs --board BOARD beside it"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let refused = ktour("count --graph").arg(&empty).output().unwrap();
    let (_, error) = texts(&refused);
    assert!(refused.status.code() == Some(1) && error.contains("empty: it is empty; "), "{error}");
    std::fs::write(&empty, "?\n").unwrap();
    assert!(ktour("count --graph").arg(&empty).output().unwrap().status.success());
}
