//! Tours by number: `ktour sample`, `unrank`, `rank` and `stats`.

use std::collections::BTreeSet;

use super::{Refusals, assert_refusals, error_of, ktour, output_without_header, successful_output};
use crate::snapshot::Transcript;

/// Returns the plan in the header of numbered tours, a hash of the order in which they are numbered.
fn plan_of(text: &str) -> &str {
    let (_, rest) = text.split_once(", plan ").unwrap_or_else(|| panic!("{text}"));
    rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap()
}

/// Returns the different lines of a text.
fn unique_lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn unrank_of_all_numbers_equals_list() {
    let (by_number, listed) = (
        output_without_header("unrank 5x6 --kind closed 0-7"),
        output_without_header("list 5x6 --kind closed"),
    );
    assert_eq!((by_number.lines().count(), unique_lines(&by_number)), (8, unique_lines(&listed)));
    let (from, list) = (output_without_header("unrank 5x5 0-"), output_without_header("list 5x5"));
    assert_eq!((from.lines().count(), unique_lines(&from)), (864, unique_lines(&list)));
    assert_eq!(output_without_header("unrank 5x5 862-"), output_without_header("unrank 5x5 862-863"));
    assert_eq!(output_without_header("unrank 5x5 862 863"), output_without_header("unrank 5x5 862-863"));
    assert_eq!(output_without_header("unrank 4x4 --kind closed 0-"), "", "the board has no closed tours");
}

#[test]
fn rank_inverts_unrank() {
    let tours = successful_output("unrank 6x6 --kind closed 4711,0-3");
    assert!(
        tours.starts_with("# ktour board=6x6 piece=1,2 remove=- kind=closed\n# numbers of closed tours"),
        "{tours}"
    );
    let rank = ktour("rank -").write_stdin(tours.clone()).output().unwrap();
    let numbers = String::from_utf8(rank.stdout).unwrap();
    let (header, ranks) = numbers.split_once('\n').unwrap();
    assert!(header.starts_with("# ") && header.contains(" 0 ") && header.ends_with(" 9861"), "{header}");
    let plan = plan_of(header);
    let mut refusals = Refusals::default();
    refusals.replace_by_placeholder(plan, "PLAN");
    refusals.add("unrank 6x6 --kind closed 4711,0-3 | rank -, first line", header);
    assert_eq!(ranks, "4711\n0\n1\n2\n3\n");
    for unrank in ["unrank 6x6 --kind closed -", "unrank 6x6 --kind closed"] {
        let inverted = ktour(unrank).write_stdin(numbers.clone()).output().unwrap();
        assert_eq!(String::from_utf8(inverted.stdout).unwrap(), tours);
    }
    // Numbers of another plan are rejected.
    let other = numbers.replacen(", plan ", ", plan f", 1);
    let other_plan = format!("plan f{plan}");
    refusals.run_with_input("unrank 6x6 --kind closed -", &other, 1, &[&other_plan]);
    // Directed tours have other numbers under the same plan.
    refusals.run_with_input("unrank 6x6 --kind closed --start a1 -", &numbers, 1, &["directed closed tours"]);
    // Tours with numbers of another plan, or of other ends, are rejected too.
    let other = tours.replacen(", plan ", ", plan f", 1);
    refusals.run_with_input("rank -", &other, 1, &["standard input", &other_plan]);
    let [to, from] = ["end", "start"].map(|end| successful_output(&format!("unrank 5x5 --{end} e5 0")));
    refusals.run_with_input("rank -", &(to + &from), 1, &["paths from e5", "--start e5", "--end"]);
    refusals.assert_snapshot("index_other_numbers");
}

/// Returns standard output and error of a command with this standard input.
fn output_and_errors_for_input(arguments: &str, input: &str) -> (String, String) {
    let output = ktour(arguments).write_stdin(input).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (out, err)
}

#[test]
fn rank_checks_start_and_end_of_header() {
    for (ends, description) in [
        ("5x5 --end e5", "paths to e5 of board=5x5 "),
        ("5x5 --start e5", "paths from e5 of board=5x5 "),
        ("5x5 --start a1 --end e5", "paths from a1 to e5 of board=5x5 "),
        ("6x6 --kind closed --start c4", "directed closed tours from c4 of board=6x6 "),
    ] {
        let tours = successful_output(&format!("unrank {ends} 0-4,7"));
        let header = tours.lines().nth(1).unwrap();
        assert!(header.starts_with(&format!("# numbers of {description}")), "{header}");
        // The header names the ends, so they need not be given as options.
        for more in ["", ends.split_once(' ').unwrap().1.trim_start_matches("--kind closed")] {
            let (numbers, errors) = output_and_errors_for_input(&format!("rank - {more}"), &tours);
            assert_eq!(numbers, format!("{header}\n0\n1\n2\n3\n4\n7\n"), "{errors}");
            assert_eq!(output_and_errors_for_input(&format!("unrank {ends} -"), &numbers).0, tours);
        }
    }
    let (numbers, _) = output_and_errors_for_input("rank -", &successful_output("unrank 5x5 --start e5 0"));
    let mut refusals = Refusals::default();
    for (arguments, names) in [
        ("unrank 5x5 --end e5 -", &["--start e5", "--end"][..]),
        ("unrank 5x5 -", &["--start e5"]),
        ("unrank 5x5 --kind closed -", &["--kind paths", "--start e5"]),
        ("unrank 5x6 -", &["BOARD", "--kind", "--start", "--end"]),
    ] {
        refusals.run_with_input(arguments, &numbers, 1, names);
    }
    refusals.run_with_input("rank - --end e5", &successful_output("unrank 5x5 --end a1 0"), 1, &["--end a1"]);
    refusals.assert_snapshot("index_numbers_of_other_ends");
}

#[test]
fn sample_is_reproducible_by_seed() {
    let sample = |more: &str| output_without_header(&format!("sample 6x6 --kind closed --number 50 {more}"));
    assert_eq!(sample("--seed 1").lines().count(), 50);
    assert_eq!(sample("--seed 1 --threads 1"), sample("--seed 1 --threads 3"));
    assert_ne!(sample("--seed 1"), sample("--seed 2"));
    let listed = output_without_header("list 6x6 --kind closed");
    assert!(unique_lines(&sample("--seed 1")).is_subset(&unique_lines(&listed)));
    // Without a seed, each run draws its own and prints it.
    let fresh = ktour("sample 6x6 --kind closed --number 50 --bare").output().unwrap();
    let (printed, notice) = super::stdout_and_stderr(&fresh);
    let words: Vec<&str> = notice.split_whitespace().skip_while(|word| *word != "--seed").take(2).collect();
    assert_eq!(sample(&words.join(" ")), printed, "{notice}");
    assert_ne!(sample(""), printed);
    let (classes, distinct) =
        (sample("--distinct"), output_without_header("list 6x6 --kind closed --distinct"));
    assert!(unique_lines(&classes).is_subset(&unique_lines(&distinct)));
    let from = output_without_header("sample 5x5 --start c3 --kind open --number 9");
    assert!(from.lines().count() == 9 && from.lines().all(|line| line.starts_with("c3 ")));
    assert_eq!(output_without_header("sample 3x4 --number 0"), "");
    let graph = output_without_header("sample --graph examples/petersen.txt --number 3 --format ndjson");
    assert_eq!(graph.lines().count(), 3);
}

#[test]
fn index_folder_is_built_once_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let dir = dir.to_str().unwrap();
    let first = successful_output(&format!("unrank 5x6 --kind closed 0-7 --index {dir}"));
    assert_eq!(successful_output("unrank 5x6 --kind closed 0-7"), first);
    let built = std::fs::metadata(format!("{dir}/layer-0003")).unwrap().modified().unwrap();
    assert_eq!(successful_output(&format!("unrank 5x6 --kind closed 0- --index {dir}")), first);
    assert_eq!(std::fs::metadata(format!("{dir}/layer-0003")).unwrap().modified().unwrap(), built);
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    refusals.run(
        &format!("sample 5x6 --kind paths --index {dir}"),
        1,
        &["--index", dir, "closed tours of board=5x6"],
    );
    refusals.run(
        &format!("sample 5x6 --kind open --index {dir}"),
        1,
        &["--index", dir, "closed tours of board=5x6", "open tours"],
    );
    let path = format!("{dir}/layer-0010");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40] ^= 1;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    refusals.run(&format!("unrank 5x6 --kind closed 0-7 --index {dir}"), 1, &["layer 10"]);
    let second = folder.path().join("second");
    std::fs::create_dir(&second).unwrap();
    let lock = std::fs::File::create(second.join("lock")).unwrap();
    lock.try_lock().unwrap();
    let second = second.to_str().unwrap();
    let locked = refusals.run(&format!("sample 5x6 --kind paths --index {second}"), 1, &[second]);
    assert!(locked.starts_with("--index: "), "{locked}");
    let no_folder = refusals.run("unrank 5x6 --kind closed 0 --index /proc/none", 1, &["/proc/none"]);
    assert!(no_folder.starts_with("--index: "), "{no_folder}");
    refusals.assert_snapshot("index_folders");
}

#[test]
fn invalid_index_arguments_are_rejected() {
    assert_refusals(
        "index_bad_arguments",
        &[
            ("unrank 6x6 --kind closed 9862", 1, &["9862", "0 to 9861"]),
            ("unrank 3x3 --kind closed 0", 1, &["0"]),
            ("unrank 6x6 --kind closed x", 2, &["`x`"]),
            ("unrank 6x6 --kind closed 9-3", 2, &["9-3", "3-9"]),
            ("unrank 6x6", 2, &["BOARD"]),
            ("unrank 6x6 --kind open 3", 2, &["open tours"]),
            ("sample 3x3 --kind closed", 1, &["closed tours"]),
            ("sample 6x6 --kind closed --end a1", 2, &["--end", "closed"]),
            ("sample 5x5 --start a1 --end a1", 2, &["--start", "--end", "a1"]),
            ("sample 30x30 --kind closed", 2, &["BOARD", "61"]),
            ("unrank 8x8 --kind closed 34,524,432,315", 2, &["34,524,432,315", "34524432315"]),
            ("unrank 5x5 864-", 1, &["864", "0 to 863"]),
            ("unrank 6x6 --kind closed 1 --distinct", 2, &["--distinct"]),
            ("rank - --distinct", 2, &["--distinct"]),
            ("rank - --mixed", 2, &["--mixed", "rank"]),
            ("stats 6x6 --kind closed --distinct", 2, &["--distinct"]),
            ("stats 6x6 --kind open --start a1 --pairs", 2, &["--start", "--end"]),
            ("stats --graph examples/petersen.txt --heat x.png", 2, &["--heat"]),
            ("stats 5x5 --heat - --csv -", 2, &["--heat", "--csv"]),
            ("unrank 5x5 1,000-", 2, &["1,000-", "1000-"]),
            ("unrank 5x5 -1", 2, &["`-1`"]),
            ("stats 5x5 --samples 1", 2, &["--samples", "1"]),
            ("stats 5x5 --samples -1", 2, &["--samples", "-1"]),
            ("stats 5x5 --samples 9 --at 25", 2, &["--at 25", "24"]),
            ("stats 6x6 --kind closed --samples 9 --at 2", 2, &["--at", "closed"]),
            ("stats 5x5 --at 2", 2, &["--samples"]),
            ("stats 6x6 --kind closed --histogram steep --plan abc", 2, &["--plan", "--index DIR"]),
            ("unrank 5x5 0 --index Cargo.toml", 1, &["--index", "Cargo.toml"]),
            ("list 6x6 --index here", 2, &["--index"]),
        ],
    );
    // The file that the error names first depends on the file system, and sizes depend on the machine.
    let (status, line) = error_of("unrank 5x5 0 --index src");
    assert!(status == 1 && line.starts_with("--index: src "), "{line}");
    let mut refusals = Refusals::with_masked_measurements();
    refusals.replace_by_placeholder(plan_of(&successful_output("unrank 5x6 --kind closed 0")), "PLAN");
    refusals.run("unrank 5x6 --kind closed 0 --plan 123", 1, &["--plan", "123"]);
    for (arguments, names) in [
        ("sample 6x6 --kind closed --memory 1M", &["1.00 MiB", "--memory"][..]),
        ("sample 8x8 --kind closed --memory 600M", &["--memory", "--index DIR"]),
        ("stats 8x8 --kind closed --memory 600M", &["--memory", "--without-index"]),
    ] {
        refusals.run(&format!("{arguments} --threads 2"), 1, names);
    }
    refusals.assert_snapshot("index_bad_plan_and_memory");
}

#[test]
fn stats_writes_table_csv_json_and_heat_map() {
    let mut texts = Refusals::default();
    let table = successful_output("stats 6x6 --kind closed");
    texts.replace_by_placeholder(plan_of(&table), "PLAN");
    texts.add("stats 6x6 --kind closed", &table);
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("6x6 closed: 9862 ") && lines[1].is_empty(), "{table}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[3])[..4], ["a1-c2", "8", "9862", "100.000"]);
    assert!(lines[3].contains("██████"), "{table}");
    assert_eq!(words(lines[lines.len() - 1])[1..], ["80", "9862"]);
    assert!(lines.iter().all(|line| line.chars().count() <= 80));
    let csv = successful_output("stats 6x6 --kind closed --csv -");
    let rows = super::csv_rows(&csv);
    let tours_of = |what: &str| -> Vec<u64> {
        let rows = rows.iter().filter(|row| row["what"] == what);
        rows.map(|row| row["count"].parse().unwrap()).collect()
    };
    let moves = tours_of("move");
    assert_eq!((moves.len(), moves.iter().sum::<u64>(), tours_of("total")), (80, 36 * 9862, vec![9862]));
    assert!(
        rows.iter().all(|row| row["board_text"] == "board=6x6 piece=1,2 remove=-" && row["kind"] == "closed")
    );
    // Statistics by counting are equal.
    assert_eq!(successful_output("stats 6x6 --kind closed --csv - --without-index"), csv);
    let paths = super::csv_rows(&successful_output("stats 5x5 --csv -"));
    let sum = |what: &str| {
        let rows = paths.iter().filter(|row| row["what"] == what);
        rows.map(|row| row["count"].parse::<u64>().unwrap()).sum::<u64>()
    };
    assert_eq!((sum("move"), sum("end")), (24 * 864, 2 * 864));
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("stats 5x5 --kind open --json -")).unwrap();
    assert_eq!((&json["total"], &json["kind"]), (&"864".into(), &"open".into()));
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("heat.svg");
    successful_output(&format!("stats 5x5 --heat {}", picture.display()));
    let svg = std::fs::read_to_string(&picture).unwrap();
    let captions: Vec<&str> = svg
        .split("</text>")
        .filter_map(|part| {
            part.rsplit_once('>').map(|(_, caption)| caption).filter(|caption| caption.contains(' '))
        })
        .collect();
    assert!(svg.ends_with("</svg>\n") && captions.iter().any(|text| text.starts_with("5x5 paths: 864 ")));
    texts.add("stats 5x5 --heat heat.svg, captions", &captions.join("\n"));
    let shown = successful_output("stats 5x5 --heat -");
    assert!(shown.starts_with("5x5 paths: 864 "), "{shown}");
    texts.add("stats 5x5 --heat -", &shown);
    let shown = successful_output("stats 4x4 --heat -");
    let mut numbers = shown.split_whitespace().filter(|word| word.contains('.')).map(str::parse::<f64>);
    assert!(numbers.clone().count() > 2 && numbers.all(|number| number == Ok(0.0)), "{shown}");
    texts.add("stats 4x4 --heat -", &shown);
    let png = folder.path().join("heat.png");
    successful_output(&format!("stats 5x5 --heat {}", png.display()));
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    texts.run("stats 5x5 --heat heat.gif", 2, &["--heat", ".svg", ".png", "-"]);
    texts.run("stats 6x6 --kind closed --start a1", 2, &["--start"]);
    texts.run("stats 6x6 --kind open --start a1", 2, &["--start", "--end"]);
    texts.assert_snapshot("index_statistics");
}

#[test]
fn stats_histogram_accepts_named_and_custom_moves() {
    let table = successful_output("stats 6x6 --kind closed --histogram steep");
    let mut texts = Refusals::default();
    texts.add("stats 6x6 --kind closed --histogram steep", &table);
    let title = table.lines().next().unwrap();
    assert!(title.starts_with("6x6 closed: 9862 ") && title.contains("steep"), "{title}");
    assert_eq!(table.lines().nth(1), Some(""), "{table}");
    assert_eq!(table.lines().last().unwrap().split_whitespace().nth(1), Some("9862"), "{table}");
    let rows = super::csv_rows(&successful_output("stats 6x6 --kind closed --histogram steep --csv -"));
    let (total, rows) = rows.split_last().unwrap();
    assert!(rows.iter().all(|row| row["moves"].parse::<u32>().unwrap() % 2 == 0 && row["class"] == "steep"));
    assert_eq!((total["moves"].as_str(), total["count"].as_str()), ("total", "9862"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("moves");
    std::fs::write(&file, "# of a corner\na1-b3, a1-c2\n").unwrap();
    let custom = format!("stats 5x6 --kind closed --moves-file {}", file.display());
    let csv = successful_output(&format!("{custom} --csv -"));
    assert!(
        csv.starts_with("moves,count,share,class,board,board_text,kind,start,end\n2,8,1.000000000,"),
        "{csv}"
    );
    texts.replace_by_placeholder(folder.path().to_str().unwrap(), "DIR");
    texts.add("stats 5x6 --kind closed --moves-file DIR/moves --csv -", &csv);
    assert!(csv.lines().nth(1).unwrap().contains(file.to_str().unwrap()), "{csv}");
    let open = custom.replace("--kind closed", "--open");
    texts.run(&open, 2, &["--moves-file", "--kind closed", "paths"]);
    std::fs::write(&file, "a1-b4").unwrap();
    texts.run(&custom, 1, &["--moves-file", "line 1", "a1-b4"]);
    texts.run("stats 6x6 --wrap torus --histogram steep", 2, &["--histogram"]);
    texts.run("stats 6x6 --kind open --histogram steep", 2, &["--histogram", "--kind closed", "paths"]);
    texts.assert_snapshot("index_histograms");
}

#[test]
fn stats_with_fixed_ends_match_list() {
    let boards =
        ["5x5 --kind paths --start c1", "5x5 --kind paths --start b2", "3x7 --kind paths --start a1"];
    let others = [
        "4x5 --kind paths --start a1",
        "3x8 --kind paths --start b1",
        "4x2 --piece king --kind paths --start a3",
        "4x2 --piece wazir --kind paths --start a1",
        "5x5 --kind paths --start a1 --end e1",
    ];
    for board in boards.into_iter().chain(others) {
        let mut uses = std::collections::BTreeMap::<String, usize>::new();
        for tour in output_without_header(&format!("list {board}")).lines() {
            let squares: Vec<&str> = tour.split(' ').collect();
            for step in squares.windows(2) {
                let (a, b) = (step[0].min(step[1]), step[0].max(step[1]));
                *uses.entry(format!("{a},{b}")).or_default() += 1;
            }
        }
        let csv = successful_output(&format!("stats {board} --csv -"));
        let rows = csv.lines().filter_map(|line| line.strip_prefix("move,"));
        let found: std::collections::BTreeMap<String, usize> = rows
            .map(|row| {
                let cells: Vec<&str> = row.split(',').collect();
                let (a, b) = (cells[0].min(cells[1]), cells[0].max(cells[1]));
                (format!("{a},{b}"), cells[2].parse().unwrap())
            })
            .filter(|(_, number)| *number > 0)
            .collect();
        assert_eq!(found, uses, "{board}");
    }
}

#[test]
fn stats_pairs_match_list() {
    let mut pairs = std::collections::BTreeMap::<String, u64>::new();
    let listed = output_without_header("list 5x6 --kind closed");
    for tour in listed.lines() {
        let mut squares: Vec<&str> = tour.split(' ').collect();
        squares.extend_from_within(..2);
        for three in squares.windows(3) {
            let (a, b) = if three[0].as_bytes().iter().rev().lt(three[2].as_bytes().iter().rev()) {
                (three[0], three[2])
            } else {
                (three[2], three[0])
            };
            *pairs.entry(format!("{a} {} {b}", three[1])).or_default() += 1;
        }
    }
    let rows = super::csv_rows(&successful_output("stats 5x6 --kind closed --pairs --progress none --csv -"));
    let (total, rows) = rows.split_last().unwrap();
    assert_eq!(total["count"], "8");
    let found: std::collections::BTreeMap<String, u64> = rows
        .iter()
        .map(|row| {
            (format!("{} {} {}", row["from"], row["over"], row["to"]), row["count"].parse::<u64>().unwrap())
        })
        .filter(|(_, number)| *number > 0)
        .collect();
    assert_eq!(found, pairs);
    let table = successful_output("stats 5x6 --kind closed --pairs --progress none");
    assert!(table.starts_with("5x6 closed: 8 ") && table.lines().nth(1) == Some(""), "{table}");
    let mut tables = Transcript::default();
    tables.add("stats 5x6 --kind closed --pairs", &table);
    tables.assert_snapshot("index_pairs_of_moves");
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("stats 5x6 --kind closed --pairs --progress none --json -"))
            .unwrap();
    assert_eq!((&json["total"], &json["pairs"][0]["from"]), (&"8".into(), &"a1".into()));
}

#[test]
fn estimate_includes_index() {
    let text = successful_output("estimate 6x6 --kind closed --engine frontier");
    let index = super::estimate_section(&text, "index");
    assert!(index.contains(" 36 ") && index.contains("--index DIR"), "{text}");
    let mut sections = Refusals::with_masked_measurements();
    sections.add("estimate 6x6 --kind closed --engine frontier", &index);
    sections.assert_snapshot("index_estimate");
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("estimate 6x6 --kind closed --engine frontier --json -"))
            .unwrap();
    let index = &json["index"];
    assert!(
        index["bytes"].as_u64().unwrap() > 1000 && index["memory_bytes"].as_u64() > index["bytes"].as_u64()
    );
}

#[test]
fn rejected_index_creates_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut refusals = Refusals::with_masked_measurements();
    refusals.replace_by_placeholder(folder.path().to_str().unwrap(), "DIR");
    refusals.run(
        &format!("sample 8x8 --kind closed --memory 8M --threads 2 --index {}", dir.display()),
        1,
        &["8.00 MiB", "--memory"],
    );
    assert!(!dir.exists());
    refusals.assert_snapshot("index_too_little_memory");
}

#[test]
fn index_rejects_folder_with_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("notes.txt"), "dear diary").unwrap();
    let mut refusals = Refusals::with_hidden_folder(dir);
    let arguments = format!("unrank 5x6 --kind closed 0 --index {}", dir.display());
    refusals.run(&arguments, 1, &["--index", dir.to_str().unwrap(), "notes.txt"]);
    refusals.assert_snapshot("index_folder_of_others");
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 1);
    // An unfinished build leaves these files; the index accepts them.
    std::fs::remove_file(dir.join("notes.txt")).unwrap();
    for name in ["lock", "layer-0001", ".unfinished-Xy"] {
        std::fs::write(dir.join(name), "").unwrap();
    }
    successful_output(&format!("unrank 5x6 --kind closed 0 --index {}", dir.display()));
}

#[test]
fn stats_distances_have_number_of_moves() {
    let mut tables = Refusals::default();
    let mut moves = |more: &str| -> Vec<u64> {
        let arguments = format!("stats 5x6 --samples 50 --seed 1 {more}");
        let table = successful_output(&arguments);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        tables.replace_by_placeholder(plan_of(&table), "PLAN");
        tables.add(&arguments, &table);
        let json: serde_json::Value =
            serde_json::from_str(&successful_output(&format!("{arguments} --json -"))).unwrap();
        let measures = json["measures"].as_array().unwrap();
        let centre = measures.iter().filter(|measure| measure["name"] == "centre");
        let moves: Vec<u64> = centre.filter_map(|measure| measure["moves"].as_u64()).collect();
        // The table has one row for each number of moves, out of 29.
        for number in &moves {
            let has_number = |line: &&str| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words.windows(3).any(|three| three[0] == number.to_string() && three[2] == "29")
            };
            assert_eq!(table.lines().filter(has_number).count(), 1, "{number}: {table}");
        }
        moves
    };
    assert_eq!(moves("--kind paths"), [0, 7, 14]);
    assert_eq!(moves("--kind open --end b1"), [0, 7, 14, 22, 29]);
    assert_eq!(moves("--at 3,26"), [3, 26]);
    assert_eq!(moves("--at 26,3,26"), [26, 3], "a repeated number is measured once");
    assert!(moves("--kind closed").is_empty());
    tables.assert_snapshot("index_distances");
    let json: serde_json::Value =
        serde_json::from_str(&successful_output("stats 5x6 --samples 50 --at 3,26 --json -")).unwrap();
    let measures = json["measures"].as_array().unwrap();
    assert_eq!((&measures[0]["moves"], &measures[6]["moves"]), (&serde_json::Value::Null, &3.into()));
    // Without a direction, 3 moves from one end are 3 moves from the other end.
    assert_eq!((&measures[6]["name"], &measures[6]["mean"]), (&"centre".into(), &measures[7]["mean"]));
}

#[test]
fn measures_without_seed_name_the_seed_that_repeats_them() {
    let run = |arguments: &str| {
        let output = ktour(arguments).output().unwrap();
        assert!(output.status.success());
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let [first, notice] = run("stats 5x6 --samples 9");
    let seed = notice.split_once("--seed ").unwrap().1.split(' ').next().unwrap();
    assert_ne!(first, run("stats 5x6 --samples 9")[0]);
    let [again, notice] = run(&format!("stats 5x6 --samples 9 --seed {seed}"));
    assert!(again == first && notice.is_empty(), "{notice}");
}

#[test]
fn missing_index_layer_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let dir = dir.to_str().unwrap();
    successful_output(&format!("sample 5x6 --kind closed --index {dir}"));
    std::fs::remove_file(format!("{dir}/layer-0010")).unwrap();
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    refusals.run(&format!("unrank 5x6 --kind closed 0 --index {dir}"), 1, &["layer 10"]);
    refusals.assert_snapshot("index_missing_layer");
}

#[test]
fn index_memory_estimate_is_sufficient_and_enforced() {
    let mut refusals = Refusals::with_masked_measurements();
    for (board, kind) in [("6x8", "paths"), ("7x7", "paths"), ("7x8", "closed")] {
        let estimate_memory = |memory: u64| {
            let arguments = format!(
                "estimate {board} --kind {kind} --engine frontier --threads 2 --json - --memory {memory}"
            );
            let report: serde_json::Value = serde_json::from_str(&successful_output(&arguments)).unwrap();
            report["index"]["memory_bytes"].as_u64().unwrap()
        };
        // A higher limit allows more tables, so the estimate is repeated until it is that of its own limit.
        let mut required = estimate_memory(1 << 30);
        for _ in 0..4 {
            let next = estimate_memory(required + required / 64);
            if next == required {
                break;
            }
            required = next;
        }
        let sample = |memory: u64| {
            format!("sample {board} --kind {kind} --number 1 --seed 1 --threads 2 --bare --memory {memory}")
        };
        let tours = successful_output(&sample(required + required / 32));
        assert_eq!(tours.lines().count(), 1, "{board} {kind}");
        let line = refusals.run_command(
            &mut ktour(&sample(required / 16 * 15)),
            &format!("sample {board} --kind {kind}"),
            1,
            &["--memory", "--index DIR"],
        );
        assert!(line.contains("iB"), "{board} {kind}: {line}");
    }
    refusals.assert_snapshot("index_memory");
}
