//! Ranges of boards: a row for each as it is found, by whatever counts it, and what is kept when it ends early.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use ktour::batch::{CheckpointFile, FamilyCheckpoint, FamilyKeeper};
use ktour::board::Wrap;
use ktour::series::{Boards, Play};
use ktour::tour::Kind;
use serde_json::Value;

use super::{answer, failure, ktour, texts};
use crate::oracle::Oracle;

/// Rows, with a blank between their fields.
fn lines(arguments: &str) -> Vec<String> {
    let single = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    answer(arguments).lines().map(single).collect()
}

#[test]
fn one_sweep_and_board_by_board_have_the_same_rows() {
    let swept = lines("count 5x3..8 --kind paths");
    assert_eq!(swept, ["5x3 0", "5x4 82", "5x5 864", "5x6 18784", "5x7 622868", "5x8 18061054"]);
    assert_eq!(lines("count 5x3..8 --kind paths --engine multipath"), swept);
    assert_eq!(lines("count 3..8x5 --kind paths").len(), 6);
    assert_eq!(lines("count 5x5..6"), ["board closed open paths", "5x5 0 864 864", "5x6 8 18544 18784"]);
    let aligned = answer("count 5x6..8");
    assert!(aligned.lines().all(|line| line.len() == aligned.find('\n').unwrap()), "{aligned}");
    assert_eq!(lines("count 7x5..6 --kind closed"), ["7x5 0", "7x6 1067638"], "across the boards");
}

#[test]
fn numbers_have_no_ceiling() {
    let rows = lines("count 3x997..1000 --kind closed");
    assert_eq!(rows[0], "3x997 0");
    assert!(rows[3].len() > 480, "{}", rows[3]);
    let number = answer("count 3x1000 --kind closed");
    assert_eq!(rows[3], format!("3x1000 {}", number.trim()));
}

#[test]
fn ranges_take_what_single_boards_take() {
    let distinct = ["board distinct-closed", "6x5 3", "6x6 1245"];
    assert_eq!(lines("count 6x5..6 --kind closed --distinct"), distinct);
    assert_eq!(lines("count 6x5..6 --kind closed --distinct --engine multipath"), distinct);
    assert_eq!(lines("count 6x5..6 --kind closed --symmetry rot90"), ["board closed", "6x5 0", "6x6 10"]);
    assert_eq!(lines("count 5x5..6 --kind paths --start a1"), ["5x5 304", "5x6 4542"]);
    assert_eq!(lines("count 5x5..6 --kind paths --remove a1"), ["5x5 4292", "5x6 40770"]);
    assert_eq!(lines("count 5x5..6 --kind paths --directed"), ["5x5 1728", "5x6 37568"]);
    let output = ktour("count 5x5..6 --kind closed --double-check").output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!((out.as_str(), err.matches("double check: equal").count()), ("5x5 0\n5x6 8\n", 2), "{err}");
}

#[test]
fn what_a_range_cannot_do_is_refused_by_name() {
    for (arguments, word) in [
        ("count 5x9..3 --kind closed", "`9..3` goes down: write 3..9"),
        ("count 5x3.. --kind closed", "FIRST..LAST"),
        ("series 3x3x2..5", "is a box"),
        ("series 6x8", "5..7x5..7 or 1..8"),
        ("list 5x3..6", "a range of boards is for count, series and estimate"),
        ("series 5..6x5..6 --kind closed --bfile b", "two sides that run"),
        ("series 5x5..6 --bfile b", "--kind"),
        ("series 5x5..6 --kind closed --bfile - --csv -", "both want standard output"),
        ("count 5x3..6 --classes", "--classes"),
        ("count 5x3..6 --per-start", "--per-start"),
        ("count 5x3..6 --shard 0/2", "--shard"),
        ("count 3x4..6 --kind paths --start e1", "e1"),
        ("count 3x4..6 --kind paths --remove e1", "e1"),
    ] {
        let (status, line) = failure(arguments);
        assert!(status == 2 && line.contains(word), "{arguments}: {line}");
    }
}

#[test]
fn files_and_records_have_every_row() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for (options, engine) in [("", "frontier"), ("--engine multipath", "multipath")] {
        std::fs::remove_file(path("r")).ok();
        let out = Command::new(env!("CARGO_BIN_EXE_ktour"))
            .current_dir(dir.path())
            .args("count 5x4..6 --kind closed --csv c.csv --json j.json --record r".split(' '))
            .args(options.split_whitespace())
            .output()
            .unwrap();
        assert_eq!(texts(&out).0, "5x4 0\n5x5 0\n5x6 8\n");
        let csv = std::fs::read_to_string(path("c.csv")).unwrap();
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.contains(&format!("5x6,\"1,2\",closed,,8,16,{engine},")), "{csv}");
        let json: Value = serde_json::from_slice(&std::fs::read(path("j.json")).unwrap()).unwrap();
        assert_eq!((&json["complete"], &json["series"][2]["undirected"]), (&true.into(), &"8".into()));
        let records = std::fs::read_to_string(path("r")).unwrap();
        assert_eq!(records.lines().count(), 3);
        for line in records.lines() {
            let record = ktour::batch::Record::parse(line).unwrap();
            assert!(record.complete && record.engine == engine);
        }
    }
}

#[test]
fn a_family_is_of_one_side_or_both_or_squares() {
    assert_eq!(lines("series 5..6x5..6 --kind closed"), ["5x5 0", "5x6 8", "6x5 8", "6x6 9862"]);
    assert_eq!(lines("series 1..6 --kind closed").last().unwrap(), "6x6 9862");
    assert_eq!(lines("series 5x3..4 --kind paths --directed"), ["5x3 0", "5x4 164"]);
    // Joined across the boards they are swept together, along the boards one by one.
    let together = answer("series 4x2..5 --wrap rows --kind paths --csv -");
    assert!(
        together.ends_with(",rows,\n") && together.contains("4x5,\"1,2\",paths,,10720,21440,frontier"),
        "{together}"
    );
    assert_eq!(lines("series 2..5x4 --wrap cols --kind paths").last().unwrap(), "5x4 10720");
    assert_eq!(
        lines("series 5x3..4 --wrap cols"),
        ["board closed open paths", "5x3 6568 248016 346536", "5x4 96 8800 10720"]
    );
    assert_eq!(lines("series 3x2..4 --piece king --kind closed"), ["3x2 4", "3x3 16", "3x4 120"]);
}

#[test]
fn a_b_file_has_an_index_and_a_number_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .current_dir(dir.path())
        .args("series 3x8..12 --kind closed --bfile b.txt --plot p.svg".split(' '))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", texts(&out).1);
    let read = |name| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let lines: Vec<String> = read("b.txt").lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("# closed of 3x8..12 "), "{lines:?}");
    assert_eq!(lines[1..], ["8 0", "9 0", "10 16", "11 0", "12 176"]);
    let plot = read("p.svg");
    assert!(plot.contains("x: no tours, 3 of 5 numbers"), "{plot}");
    assert!(
        plot.ends_with("</svg>\n") && plot.contains("10^1<") && plot.matches("<circle").count() == 2,
        "{plot}"
    );
    // As the encyclopedia has 3 x 2n.
    let even = answer("series 3x8..14 --kind closed --bfile - --bfile-step 2");
    assert_eq!(
        even.lines().collect::<Vec<_>>(),
        [
            concat!("# closed of 3x8..14 knight, every 2nd length, by ktour ", env!("CARGO_PKG_VERSION")),
            "4 0",
            "5 16",
            "6 176",
            "7 1536"
        ]
    );
    let (status, line) = failure("series 3x4..8 --kind closed --bfile - --bfile-step 9");
    assert!(status == 2 && line.contains("--bfile-step 9: no side of 3x4..8 is a multiple of 9"), "{line}");
    let (status, line) = failure("series 3x8..12 --kind closed --plot p.pdf");
    assert!(status == 2 && line.contains("--plot p.pdf: pictures are .svg or .png"), "{line}");
    let png = dir.path().join("p.png");
    answer(&format!("series 3x8..12 --plot {}", png.display()));
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(
        answer("series 4..5x6 --kind closed --bfile -").lines().skip(1).collect::<Vec<_>>(),
        ["4 0", "5 8"]
    );
}

/// Reads so many rows, and then sends a signal.
#[cfg(target_os = "linux")]
fn interrupted(
    arguments: &str,
    dir: &std::path::Path,
    rows: usize,
) -> (std::process::ExitStatus, Vec<String>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .current_dir(dir)
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut seen: Vec<String> = out.by_ref().take(rows).map(Result::unwrap).collect();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    seen.extend(out.map(Result::unwrap));
    let ended = child.wait_with_output().unwrap();
    (ended.status, seen, String::from_utf8(ended.stderr).unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_keeps_the_rows_and_says_what_is_left() {
    use std::os::unix::process::ExitStatusExt;

    let dir = tempfile::tempdir().unwrap();
    let command = "count 7x7..300 --kind closed --json j --csv c";
    let (status, rows, err) = interrupted(command, dir.path(), 3);
    assert_eq!(status.signal(), Some(2), "{err}");
    assert!(rows.len() >= 3 && rows[1] == "7x8 34524432316", "{rows:?}");
    let rest = format!("the rest is 7x{}..300", 7 + rows.len());
    let stand = format!("stopped after {} of 294 boards, which stand; {rest}", rows.len());
    assert!(err.contains(&stand), "{err}");
    let json: Value = serde_json::from_slice(&std::fs::read(dir.path().join("j")).unwrap()).unwrap();
    assert_eq!(json["complete"], false);
    assert_eq!(json["series"].as_array().unwrap().len(), rows.len());
    assert_eq!(std::fs::read_to_string(dir.path().join("c")).unwrap().lines().count(), 1 + rows.len());
}

/// Names in a folder, in their order.
#[cfg(target_os = "linux")]
fn files(dir: &std::path::Path) -> Vec<String> {
    let names =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn a_range_has_one_checkpoint_and_goes_on_with_it() {
    let run = |dir: &std::path::Path, arguments: &str| {
        let words = arguments.split(' ');
        let output = Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir).args(words).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", texts(&output).1);
        texts(&output)
    };
    let rows = "6x4 0\n6x5 8\n6x6 9862\n6x7 1067638\n6x8 55488142\n";
    // Board by board, and in one sweep.
    for how in ["--engine multipath", "--engine frontier"] {
        let dir = tempfile::tempdir().unwrap();
        let command = format!("series 6x4..8 --kind closed {how} --csv t.csv --bfile b.txt --checkpoint run");
        let (status, seen, err) = interrupted(&command, dir.path(), 4);
        let bfile = || std::fs::read_to_string(dir.path().join("b.txt")).unwrap();
        if status.code() == Some(75) {
            // What there is of it is right, and it says how far it goes.
            assert_eq!(bfile().lines().count(), 1 + seen.len(), "{seen:?}");
            let so_far = format!("; up to 6x{} so far", 3 + seen.len());
            assert!(seen.len() == 5 || bfile().lines().next().unwrap().ends_with(&so_far), "{}", bfile());
            assert!(err.contains("which stand; go on with: ktour resume run"), "{err}");
            let (out, err) = run(dir.path(), "resume run");
            assert!(out == rows && err.contains("going on after"), "{out}{err}");
        } else {
            assert!(status.success() && seen.len() == 5, "{err}");
        }
        // Once more: all of it is there.
        let (out, err) = run(dir.path(), &command);
        assert_eq!(out, rows, "{err}");
        assert!(err.contains("going on after 5 of 5 boards"), "{err}");
        assert_eq!(err.matches("job ").count(), 1, "{err}");
        assert_eq!(files(dir.path()), ["b.txt", "run", "run.lock", "run.previous", "t.csv"]);
        let (head, numbers) = bfile().split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(head.ends_with(concat!(", by ktour ", env!("CARGO_PKG_VERSION"))), "{head}");
        assert_eq!(numbers, rows.replace("6x", ""));
        assert_eq!(std::fs::read_to_string(dir.path().join("t.csv")).unwrap().lines().count(), 6);
        let other =
            ktour(&format!("series 6x4..9 --kind closed --checkpoint {}", dir.path().join("run").display()));
        let line = texts(&{ other }.output().unwrap()).1;
        assert!(line.contains("belongs to another job (boards=6x4..8 "), "{line}");
    }
}

#[test]
fn a_part_of_a_count_says_so() {
    assert_eq!(answer("count 5x5 --kind paths --shard 0/4").lines().next(), Some("part 0/4  directed"));
}

#[test]
fn ranges_that_begin_later_have_the_same_recurrence() {
    // Paths of wazirs and their like: the rows of the range, and the terms before, by a matrix or without.
    let told = |arguments: &str| {
        let output = ktour(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}");
        let text = texts(&output).0;
        let order = text.lines().find(|line| line.starts_with("order ")).unwrap_or_default().to_owned();
        let rule = text.lines().find(|line| line.starts_with("a(n) = ")).unwrap_or_default();
        (order, rule.split(" for n").next().unwrap().to_owned())
    };
    let whole = told("series 2x1..24 --kind paths --piece wazir --recurrence");
    assert_eq!(whole.0, "order 3");
    for range in ["2x10..30", "2x3..8", "2x20..50"] {
        assert_eq!(
            told(&format!("series {range} --kind paths --piece wazir --recurrence")),
            whole,
            "{range}"
        );
    }
    assert_eq!(told("series 2x8..24 --kind open --piece wazir --recurrence").0, "order 3");
    // A strip of one square: every state leads back to the same square.
    let (order, rule) = told("series 1x9..40 --kind paths --piece 0,1+0,2 --recurrence");
    assert_eq!(told("series 1x1..40 --kind paths --piece 0,1+0,2 --recurrence"), (order.clone(), rule));
    assert_ne!(order, "order 1");
}

#[test]
fn residues_of_a_range_are_those_of_its_numbers() {
    for (family, options) in [
        ("5x2..9", "--kind closed"),
        ("5x2..7", "--kind open"),
        ("5x3..6", ""),
        ("2..5x4", "--wrap cols --piece wazir"),
        ("3..5x3..5", "--kind paths"),
        // Board by board.
        ("5x4..6", "--kind open --remove a1"),
        ("5x4..6", "--kind paths --start a1"),
        ("3x4..6", "--wrap cols"),
    ] {
        // Ends are for ranges that are given to `count`.
        let rows = |more: &str| {
            let words = format!("count {family} {options} {more}");
            lines(&words.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let exact = rows("");
        for modulus in [97u64, 65536, 4_294_967_291] {
            let residue = |row: &String| -> String {
                let (board, numbers) = row.split_once(' ').unwrap();
                let residue = |number: &str| (number.parse::<u64>().unwrap() % modulus).to_string();
                format!("{board} {}", numbers.split(' ').map(residue).collect::<Vec<_>>().join(" "))
            };
            let found = rows(&format!("--modulus {modulus}"));
            let (head, found) = found.split_first().unwrap();
            assert!(head.starts_with("board ") && head.ends_with(&format!("-mod-{modulus}")), "{head}");
            let exact: Vec<String> =
                exact.iter().filter(|row| !row.starts_with("board")).map(residue).collect();
            assert_eq!(found, exact, "{family} {options} modulo {modulus}");
        }
    }
}

#[test]
fn residues_say_their_modulus_wherever_they_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        let words = arguments.split(' ');
        let output =
            Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", texts(&output).1);
        texts(&output)
    };
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    // Along the boards one sweep, across them one for each.
    for family in ["6x5..7", "7x6..6"] {
        let (out, err) =
            run(&format!("series {family} --kind closed --modulus 1000 --csv c --json j --record r"));
        assert!(out.starts_with("board  closed-mod-1000\n"), "{out}");
        assert!(err.contains("kind=closed modulus=1000\n"), "{err}");
        let csv = read("c");
        assert!(csv.starts_with("board,") && csv.lines().skip(1).all(|row| row.ends_with(",1000")), "{csv}");
        let json: Value = serde_json::from_str(&read("j")).unwrap();
        assert_eq!((&json["modulus"], &json["complete"]), (&1000.into(), &true.into()));
        let last = json["series"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["undirected"], &last["directed"]), (&"638".into(), &"276".into()));
        for line in read("r").lines() {
            let record = ktour::batch::Record::parse(line).unwrap();
            assert!(
                record.modulus == Some(1000) && !record.complete && record.job.contains(" modulus=1000 ")
            );
        }
        assert_eq!(read("r").lines().count(), csv.lines().count() - 1);
        std::fs::remove_file(dir.path().join("r")).unwrap();
    }
    // What is kept is of this modulus alone.
    let (first, _) = run("series 6x4..8 --kind closed --modulus 1000 --checkpoint run");
    let (again, err) = run("resume run");
    assert!(first == again && err.contains("going on after 5 of 5 boards"), "{err}");
    let path = dir.path().join("run");
    let (_, line) =
        failure(&format!("series 6x4..8 --kind closed --modulus 1001 --checkpoint {}", path.display()));
    assert!(
        line.contains("belongs to another job (boards=6x4..8 ") && line.contains(" modulus=1000)"),
        "{line}"
    );
}

#[test]
fn what_residues_of_a_range_cannot_tell_is_refused() {
    for option in
        ["--bfile b", "--plot p.svg", "--recurrence", "--distinct", "--symmetry rot180", "--directed"]
    {
        let (status, line) = failure(&format!("series 5x2..8 --kind closed --modulus 7 {option}"));
        assert!(status == 2 && line.contains(option.split(' ').next().unwrap()), "{line}");
    }
    for option in ["--double-check", "--modulus 11", "--residues"] {
        assert_eq!(failure(&format!("count 5x2..8 --kind closed --modulus 7 {option}")).0, 2, "{option}");
    }
}

#[test]
fn a_range_tells_beforehand_which_board_it_will_end_at() {
    // 12x12 has more squares than a search takes.
    let output = ktour("count 11..12 --kind closed --engine multipath").output().unwrap();
    let (out, err) = texts(&output);
    assert!(!output.status.success() && out == "11x11 0\n", "{out}");
    let (ahead, row) = (err.find("12..12 will be refused: the board has 144 squares"), err.find("error:"));
    assert!(ahead.is_some() && ahead < row, "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn residues_are_gone_on_with() {
    let dir = tempfile::tempdir().unwrap();
    let command = "series 6x4..90 --kind closed --modulus 65521";
    let run = |arguments: &str| {
        let words = arguments.split(' ');
        let output =
            Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", texts(&output).1);
        texts(&output).0
    };
    let (status, seen, err) = interrupted(&format!("{command} --checkpoint run"), dir.path(), 4);
    if status.code() == Some(75) {
        assert!(err.contains("go on with: ktour resume run"), "{err}");
        let out = run("resume run");
        assert!(out.starts_with(&seen.join("\n")), "{out}");
        assert_eq!(out, run(command));
    } else {
        assert!(status.success() && seen.len() == 88, "{err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn sweeps_for_residues_are_gone_on_with_and_a_wrong_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let command = "count 5x4..40 --kind closed --residues=32";
    let run = |arguments: &str| {
        let words = arguments.split(' ');
        texts(
            &Command::new(env!("CARGO_BIN_EXE_ktour")).current_dir(dir.path()).args(words).output().unwrap(),
        )
    };
    let (status, seen, err) = interrupted(&format!("{command} --checkpoint run"), dir.path(), 4);
    if status.code() != Some(75) {
        assert!(status.success() && seen.len() == 37, "{err}");
        return;
    }
    assert!(err.contains("go on with: ktour resume run"), "{err}");
    let mut state = FamilyCheckpoint::load(&dir.path().join("run")).unwrap().checkpoint;
    let (out, err) = run("resume run");
    assert!(out.starts_with(&seen.join("\n")), "{out}");
    assert_eq!(out, run("count 5x4..40 --kind closed").0, "{err}");
    // The last board has another residue now.
    let swept = state.swept.as_mut().unwrap();
    swept.at_rest = None;
    let first = swept.numbers.first_mut().filter(|numbers| numbers.len() == 40);
    let last = first.expect("four boards take two sweeps").last_mut().unwrap();
    *last = (&*last + 1u32) % 4_294_967_291u32;
    let file = CheckpointFile::lock(&dir.path().join("wrong")).unwrap();
    FamilyKeeper::new(file, state, (std::time::Duration::from_secs(60), false), |error| panic!("{error}"))
        .save()
        .unwrap();
    let (out, err) = run("resume wrong");
    assert!(!out.contains("5x40 "), "{out}");
    assert!(err.contains("5x40: the residue"), "{err}");
}

#[test]
fn a_planted_wrong_term_is_found_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows");
    // The transfer matrix has the number itself; rows alone have no recurrence any more.
    let by_matrix = "3x14: 1544 by the sweep, and 1536 by the transfer matrix; no recurrence is reported";
    for (family, wrong, found, otherwise) in [
        ("3x4..24 --kind closed", "3x14", "proved: ", by_matrix),
        (
            "2x4..40 --kind paths --piece wazir --remove a1",
            "2x14",
            "not proved: it fits 37 terms",
            "none of order up to 12 ",
        ),
    ] {
        let command = format!("series {family} --checkpoint {}", path.display());
        let with_recurrence = format!("{command} --recurrence");
        let (right, _) = texts(&ktour(&with_recurrence).output().unwrap());
        assert!(right.contains(found), "{right}");
        // One of the rows that are kept is another one now.
        let mut state = FamilyCheckpoint::load(&path).unwrap().checkpoint;
        let row = state.rows.iter_mut().find(|row| row["board"] == wrong).unwrap();
        let number = &mut row["numbers"][0]["undirected"][0];
        *number = (number.as_u64().unwrap() + 8).into();
        let pace = (std::time::Duration::from_secs(60), false);
        let file = CheckpointFile::lock(&path).unwrap();
        FamilyKeeper::new(file, state, pace, |error| panic!("{error}")).save().unwrap();
        let (out, err) = texts(&ktour(&with_recurrence).output().unwrap());
        assert!(format!("{out}{err}").contains(otherwise), "{err}");
        assert!(!out.contains("denominator"), "{out}");
        std::fs::remove_file(&path).unwrap();
        std::fs::remove_file(dir.path().join("rows.previous")).ok();
    }
}

#[test]
fn few_terms_that_are_0_tell_nothing_of_an_order() {
    let output = ktour("series 5x1..7 --kind closed --recurrence --order 1").output().unwrap();
    let (out, err) = texts(&output);
    assert!(err.contains("102 terms modulo"), "{err}");
    let none = "none of order up to 1 in every 2nd term, the others are 0, that holds after the first 17 terms fits 51 terms";
    assert!(out.contains(none), "{out}");
    // The matrix tells more terms than the rows: enough for all digits.
    assert!(out.contains("growth about 18.1203095605329 a square of length, by the last of "), "{out}");
}

#[test]
fn the_order_that_is_asked_for_is_counted_as_the_one_that_is_told() {
    let told = |arguments: &str, order: u32| {
        texts(&ktour(&format!("series {arguments} --recurrence --order {order}")).output().unwrap()).0
    };
    let strip = "3x4..8 --kind closed";
    assert!(told(strip, 21).contains("\norder 21, with n = 2m and x for 2 squares; all other terms are 0\n"));
    assert!(
        told(strip, 20).contains("\nnone of order up to 20 in every 2nd term, the others are 0, that holds ")
    );
    let rows = "2x4..20 --kind paths --piece wazir --remove a1";
    assert!(told(rows, 2).contains("\norder 2\n"));
    assert!(told(rows, 1).contains("\nnone of order up to 1 that holds after "));
}

#[test]
fn open_tours_have_the_recurrence_of_two_matrices() {
    let output = ktour("series 3x1..40 --kind open --recurrence").output().unwrap();
    let (out, err) = texts(&output);
    assert!(out.contains("\nproved: ") && out.contains("growth 3.45059211175020 "), "{out}{err}");
    assert!(
        err.contains("transfer matrix of paths: 301 states") && err.contains("whose states count twice: 67 ")
    );
}

#[test]
fn factors_have_one_constant_and_are_positive_at_0() {
    let text = texts(&ktour("series 3x3..12 --wrap rows --kind closed --recurrence").output().unwrap()).0;
    let factors: Vec<&str> = text.lines().filter(|line| line.contains(" factors ")).collect();
    assert!(!factors.is_empty(), "{text}");
    assert!(factors.iter().all(|line| !line.contains("(-") && !line.contains("-1 *")), "{factors:?}");
}

#[test]
fn the_recurrence_says_why_there_is_no_matrix() {
    for (arguments, why) in [
        (
            "series 3x4..12 --kind closed --distinct --recurrence",
            "numbers up to symmetry are those of several strips",
        ),
        (
            "series 3x4..12 --kind closed --symmetry rot180 --recurrence",
            "symmetric tours are those of other strips",
        ),
        (
            "series 3x4..7 --wrap cols --kind closed --recurrence",
            "the ends of the boards are joined to each other",
        ),
    ] {
        let err = texts(&ktour(arguments).output().unwrap()).1;
        assert!(err.contains(&format!("no transfer matrix, as {why}")), "{arguments}: {err}");
    }
}

/// Tours of a small arena by an exhaustive search, and the classes of those that symmetries take to each other.
fn by_search(arena: &ktour::board::Arena, kind: Kind) -> (usize, usize) {
    let near = |v: usize| arena.graph().neighbours(v).iter().map(|&w| w as usize).collect();
    let oracle = Oracle { near: (0..arena.len()).map(near).collect() };
    let (mut tours, mut classes) = (BTreeSet::new(), BTreeSet::new());
    for start in 0..arena.len() {
        oracle.paths_from(start, &mut |path| {
            let mut edges: Vec<[usize; 2]> = path.windows(2).map(|edge| [edge[0], edge[1]]).collect();
            match kind {
                Kind::Closed if path.len() > 2 && oracle.near[start].contains(&path[path.len() - 1]) => {
                    edges.push([path[path.len() - 1], start]);
                }
                Kind::Closed => return,
                Kind::Paths | Kind::Open => {}
            }
            let image = |element: &ktour::board::Element| {
                let to = |v: usize| element.image[v] as usize;
                let mut edges: Vec<[usize; 2]> = edges.iter().map(|&[v, w]| [to(v), to(w)]).collect();
                edges.iter_mut().for_each(|edge| edge.sort_unstable());
                edges.sort_unstable();
                edges
            };
            let images = arena.symmetries();
            let images: Vec<_> = images.elements().iter().map(image).collect();
            classes.insert(images.iter().min().unwrap().clone());
            edges.iter_mut().for_each(|edge| edge.sort_unstable());
            edges.sort_unstable();
            tours.insert(edges);
        });
    }
    (tours.len(), classes.len())
}

#[test]
fn families_of_all_wraps_and_pieces_are_what_a_search_finds() {
    for (family, options) in [
        ("3x2..5", ""),
        ("3..5x4", ""),
        ("3x2..4", "--piece king"),
        ("2x1..5", "--piece king"),
        ("3x1..5", "--piece wazir"),
        ("4x2..4", "--piece camel"),
        ("1..4x3", "--wrap cols"),
        ("3x2..4", "--wrap rows"),
        ("3x2..4", "--wrap cols --piece wazir"),
        ("3x3..4", "--wrap torus --piece wazir"),
        ("3x2..4", "--wrap mobius"),
        ("3x3..4", "--wrap klein --piece wazir"),
        ("2..3x2..4", "--wrap projective --piece wazir"),
    ] {
        let option = |name: &str| options.split(' ').skip_while(|word| *word != name).nth(1);
        let play = Play {
            wrap: option("--wrap").map_or(Wrap::None, |wrap| wrap.parse().unwrap()),
            piece: option("--piece").unwrap_or("knight").parse().unwrap(),
        };
        for kind in [Kind::Closed, Kind::Paths] {
            let command = format!("series {family} {options} --kind {}", kind.name());
            let found: Vec<(usize, usize)> = family
                .parse::<Boards>()
                .unwrap()
                .boards()
                .map(|board| by_search(&play.on(board), kind))
                .collect();
            let numbers = |lines: Vec<String>| -> Vec<usize> {
                let last = |line: &String| line.rsplit(' ').next().unwrap().parse().unwrap();
                lines.iter().filter(|line| !line.starts_with("board")).map(last).collect()
            };
            let tours: Vec<usize> = found.iter().map(|found| found.0).collect();
            let classes: Vec<usize> = found.iter().map(|found| found.1).collect();
            assert_eq!(numbers(lines(&command)), tours, "{command}");
            let command = format!("{command} --distinct");
            assert_eq!(numbers(lines(&command)), classes, "{command}");
        }
    }
}

#[test]
fn distinct_tours_of_a_family_are_those_that_are_published() {
    // A169769, 3 x 10 to 3 x 36.
    let published = "6 0 44 0 396 0 3868 0 37070 0 362192 0 3516314 0 34237842 0 333077332 0 3241403380 0 31542464952 0 \
                     306944118820 0 2986962829456 0 29066627247828";
    let rows = lines("series 3x10..36 --kind closed --distinct");
    let numbers: Vec<&str> = rows.iter().skip(1).map(|row| row.split(' ').nth(1).unwrap()).collect();
    assert_eq!(numbers.join(" "), published);
}

#[test]
fn one_square_has_no_symmetric_path_however_it_is_asked() {
    let said = |arguments: &str| {
        let output = ktour(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}");
        String::from_utf8(output.stdout).unwrap()
    };
    // A half turn moves nothing there, so it is no symmetry of the board: its path is asymmetric.
    assert_eq!(said("count 1x1 --symmetry rot180 --kind paths"), "0\n");
    let rows = said("series 1x1..2 --symmetry rot180 --kind paths");
    assert_eq!(rows.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["1x1", "0"]);
    let rows = said("count 1..2 --symmetry rot180 --kind paths");
    assert_eq!(rows.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>(), ["1x1", "0"]);
    let found = said("list 1x1 --symmetry rot180");
    assert!(found.lines().all(|line| line.starts_with('#')), "{found}");
    let classes = said("count 1x1 --classes --kind paths");
    assert!(classes.contains("asymmetric      1         1") && !classes.contains("rot180"), "{classes}");
}
