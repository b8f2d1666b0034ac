//! `ktour sample`, `unrank`, `rank` and `list --from`: tours by number.

use std::collections::BTreeSet;

use super::{answer, bare, failure, ktour};

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn all_numbers_are_the_list() {
    let (by_number, listed) = (bare("unrank 5x6 --kind closed 0-7"), bare("list 5x6 --kind closed"));
    assert_eq!((by_number.lines().count(), lines(&by_number)), (8, lines(&listed)));
    let (from, list) = (bare("list 5x5 --from 0"), bare("list 5x5"));
    assert_eq!((from.lines().count(), lines(&from)), (864, lines(&list)));
    assert_eq!(bare("list 5x5 --from 860 --limit 2"), bare("unrank 5x5 860 861"));
    assert_eq!(bare("list 5x5 --from 862"), bare("unrank 5x5 862-863"));
    assert_eq!(bare("unrank 5x5 862 863"), bare("unrank 5x5 862-863"));
    assert_eq!(bare("list 4x4 --kind closed --from 0"), "", "there is none");
}

#[test]
fn numbers_come_back() {
    let tours = answer("unrank 6x6 --kind closed 4711,0-3");
    assert!(
        tours.starts_with("# ktour board=6x6 piece=1,2 remove=- kind=closed\n# numbers of closed tours"),
        "{tours}"
    );
    let rank = ktour("rank -").write_stdin(tours.clone()).output().unwrap();
    let numbers = String::from_utf8(rank.stdout).unwrap();
    let (remark, rest) = numbers.split_once('\n').unwrap();
    assert!(remark.ends_with(": 0 to 9861"), "{remark}");
    assert_eq!(rest, "4711\n0\n1\n2\n3\n");
    let again = ktour("unrank 6x6 --kind closed -").write_stdin(numbers.clone()).output().unwrap();
    assert_eq!(String::from_utf8(again.stdout).unwrap(), tours);
    // Of another order they are refused.
    let other = numbers.replacen(", plan ", ", plan f", 1);
    let refused = ktour("unrank 6x6 --kind closed -").write_stdin(other).output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && why.contains("numbers by plan f"), "{why}");
    // Directed tours have numbers of their own, by the same plan.
    let refused = ktour("unrank 6x6 --kind closed --start a1 -").write_stdin(numbers).output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && why.contains("and not of directed closed tours"), "{why}");
    assert!(refused.stdout.is_empty());
    // So are tours that were found by another order, or as others.
    let rank = |tours: String| {
        let refused = ktour("rank -").write_stdin(tours).output().unwrap();
        assert!(!refused.status.success() && refused.stdout.is_empty());
        String::from_utf8(refused.stderr).unwrap()
    };
    let why = rank(tours.replacen(", plan ", ", plan f", 1));
    assert!(why.contains("standard input: these are numbers by plan f"), "{why}");
    let both = answer("unrank 5x5 --end e5 0") + &answer("unrank 5x5 --start e5 0");
    let why = rank(both);
    assert!(why.contains("these are numbers of paths from e5 of board"), "{why}");
    assert!(why.ends_with("give --start e5 and no --end\n"), "{why}");
}

/// Standard output and error of a command that reads this.
fn fed(arguments: &str, input: &str) -> (String, String) {
    let output = ktour(arguments).write_stdin(input).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (out, err)
}

#[test]
fn numbers_from_a_square_are_not_those_to_it() {
    for (ends, said) in [
        ("5x5 --end e5", "paths to e5 of board=5x5 "),
        ("5x5 --start e5", "paths from e5 of board=5x5 "),
        ("5x5 --start a1 --end e5", "paths from a1 to e5 of board=5x5 "),
        ("6x6 --kind closed --start c4", "directed closed tours from c4 of board=6x6 "),
    ] {
        let tours = answer(&format!("unrank {ends} 0-4,7"));
        let head = tours.lines().nth(1).unwrap();
        assert!(head.starts_with(&format!("# numbers of {said}")), "{head}");
        // The head tells the ends, and so they need not be said again.
        for more in ["", ends.split_once(' ').unwrap().1.trim_start_matches("--kind closed")] {
            let (numbers, why) = fed(&format!("rank - {more}"), &tours);
            assert_eq!(numbers, format!("{head}\n0\n1\n2\n3\n4\n7\n"), "{why}");
            assert_eq!(fed(&format!("unrank {ends} -"), &numbers).0, tours);
        }
    }
    let (numbers, _) = fed("rank -", &answer("unrank 5x5 --start e5 0"));
    for (arguments, advice) in [
        ("unrank 5x5 --end e5 -", "give --start e5 and no --end"),
        ("unrank 5x5 -", "give --start e5"),
        ("unrank 5x5 --kind closed -", "give --kind paths and --start e5"),
        ("unrank 5x6 -", "give the BOARD, --kind, --start and --end that they are of"),
    ] {
        let (out, why) = fed(arguments, &numbers);
        assert!(out.is_empty() && why.trim_end().ends_with(advice), "{arguments}: {out} {why}");
    }
    let (out, why) = fed("rank - --end e5", &answer("unrank 5x5 --end a1 0"));
    assert!(out.is_empty() && why.trim_end().ends_with("give --end a1"), "{why}");
}

#[test]
fn samples_are_tours_and_seeds_say_which() {
    let sample = |more: &str| bare(&format!("sample 6x6 --kind closed --number 50 {more}"));
    assert_eq!(sample("--seed 1").lines().count(), 50);
    assert_eq!(sample("--seed 1 --threads 1"), sample("--seed 1 --threads 3"));
    assert_ne!(sample("--seed 1"), sample("--seed 2"));
    let listed = bare("list 6x6 --kind closed");
    assert!(lines(&sample("--seed 1")).is_subset(&lines(&listed)));
    let (classes, distinct) = (sample("--distinct"), bare("list 6x6 --kind closed --distinct"));
    assert!(lines(&classes).is_subset(&lines(&distinct)));
    let from = bare("sample 5x5 --start c3 --kind open --number 9");
    assert!(from.lines().count() == 9 && from.lines().all(|line| line.starts_with("c3 ")));
    assert_eq!(bare("sample 3x4 --number 0"), "");
    let graph = bare("sample --graph examples/petersen.txt --number 3 --format ndjson");
    assert_eq!(graph.lines().count(), 3);
}

#[test]
fn an_index_in_a_folder_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let dir = dir.to_str().unwrap();
    let first = answer(&format!("unrank 5x6 --kind closed 0-7 --index {dir}"));
    assert_eq!(answer("unrank 5x6 --kind closed 0-7"), first);
    let made = std::fs::metadata(format!("{dir}/layer-0003")).unwrap().modified().unwrap();
    assert_eq!(answer(&format!("list 5x6 --kind closed --from 0 --index {dir}")), first);
    assert_eq!(std::fs::metadata(format!("{dir}/layer-0003")).unwrap().modified().unwrap(), made);
    let other = failure(&format!("sample 5x6 --kind paths --index {dir}"));
    assert!(other.1.contains("is an index of other tours: closed tours of board=5x6"), "{}", other.1);
    let other = failure(&format!("sample 5x6 --kind open --index {dir}")).1;
    assert!(other.ends_with("remove=-, among which open tours are; name another folder"), "{other}");
    let path = format!("{dir}/layer-0010");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40] ^= 1;
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let damaged = failure(&format!("unrank 5x6 --kind closed 0-7 --index {dir}"));
    assert!(damaged.1.contains("layer 10 of the index is damaged"), "{}", damaged.1);
    let second = folder.path().join("second");
    std::fs::create_dir(&second).unwrap();
    let lock = std::fs::File::create(second.join("lock")).unwrap();
    lock.try_lock().unwrap();
    let busy = failure(&format!("sample 5x6 --kind paths --index {}", second.display())).1;
    assert!(busy.starts_with("--index: another process is making an index in /"), "{busy}");
    assert!(busy.ends_with("/second: wait for it, or name another folder"), "{busy}");
    let no_folder = failure("unrank 5x6 --kind closed 0 --index /proc/none");
    assert!(no_folder.1.starts_with("--index: /proc/none"), "{}", no_folder.1);
}

#[test]
fn what_cannot_be_is_one_line() {
    for (arguments, status, part) in [
        ("unrank 6x6 --kind closed 9862", 1, "there is no tour 9862: numbers go from 0 to 9861"),
        ("unrank 3x3 --kind closed 0", 1, "there is none at all"),
        ("unrank 6x6 --kind closed x", 2, "`x` is no number of a tour"),
        ("unrank 6x6 --kind closed 9-3", 2, "goes backwards: write 3-9"),
        ("unrank 6x6", 2, "which tours? write numbers behind BOARD"),
        ("unrank 6x6 --kind open 3", 2, "open tours have no numbers"),
        ("sample 3x3 --kind closed", 1, "there are no closed tours to draw from"),
        ("sample 6x6 --kind closed --end a1", 2, "closed tours have no end"),
        ("sample 5x5 --start a1 --end a1", 2, "change --start or --end"),
        ("sample 30x30 --kind closed", 2, "too wide for an index"),
        ("sample 6x6 --kind closed --memory 1M", 1, "for its tables alone, and 1.00 MiB may be used"),
        (
            "sample 8x8 --kind closed --memory 600M",
            1,
            "raise --memory, name a folder by --index DIR, which takes",
        ),
        ("stats 8x8 --kind closed --memory 600M", 1, "add --without-index"),
        ("unrank 8x8 --kind closed 34,524,432,315", 2, "write 34524432315, or several with spaces"),
        ("list 5x5 --from 864 --limit 0", 1, "there is no tour 864: numbers go from 0 to 863"),
        ("list 5x5 --from 864", 1, "there is no tour 864: numbers go from 0 to 863"),
        ("unrank 6x6 --kind closed 1 --distinct", 2, "classes of tours have no numbers"),
        ("rank - --distinct", 2, "classes of tours have no numbers"),
        ("rank - --mixed", 2, "--mixed is not for rank"),
        ("stats 6x6 --kind closed --distinct", 2, "sample --distinct draws classes"),
        ("stats 6x6 --kind open --start a1 --pairs", 2, "drop --start and --end"),
        ("stats --graph examples/petersen.txt --heat x.png", 2, "nobody knows where the vertices"),
        ("stats 5x5 --heat - --csv -", 2, "both want standard output"),
        ("sample 5x5 --start a1 --end a1", 2, "cannot start and end on the same square, a1"),
        ("list 5x5 --from 1,000", 2, "a number is written without commas: 1000"),
        ("list 5x5 --from -1", 2, "that is no number of a tour: write one from 0"),
        ("stats 5x5 --samples 1", 2, "a standard error takes two tours at least"),
        ("stats 5x5 --samples -1", 2, "write how many tours are to be drawn"),
        ("stats 5x5 --samples 9 --at 25", 2, "--at 25: there are 24 moves: write 0 to 24"),
        ("stats 6x6 --kind closed --samples 9 --at 2", 2, "a closed tour begins nowhere"),
        ("stats 5x5 --at 2", 2, "--samples"),
        ("stats 6x6 --kind closed --histogram steep --plan abc", 2, "--plan: a histogram without --index"),
        (
            "unrank 5x5 0 --index Cargo.toml",
            1,
            "--index: Cargo.toml is a file, and an index is a folder; name another",
        ),
        ("unrank 5x5 0 --index src", 1, "--index: src is no index, and not empty: there is "),
        ("list 6x6 --index here", 2, "--index is for lists by number: add --from K"),
        ("unrank 5x6 --kind closed 0 --plan 123", 1, "--plan: these are numbers by plan 123"),
    ] {
        let (found, line) = failure(arguments);
        assert!(found == status && line.contains(part), "{arguments}: {found} {line}");
    }
}

#[test]
fn statistics_are_a_table_csv_json_and_a_picture() {
    let table = answer("stats 6x6 --kind closed");
    let first: Vec<&str> = table.lines().take(4).collect();
    assert!(first[0].starts_with("6x6 closed: 9862 tours, plan ") && first[1].is_empty(), "{table}");
    assert!(first[2].starts_with("move   alike   tours      share"), "{table}");
    assert!(first[3].starts_with("a1-c2      8    9862  100.000 %  ██████"), "{table}");
    assert!(table.ends_with("total     80  355032\n"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80));
    let csv = answer("stats 6x6 --kind closed --csv -");
    let rows = super::rows(&csv);
    let of = |what: &str| -> Vec<u64> {
        let rows = rows.iter().filter(|row| row["what"] == what);
        rows.map(|row| row["tours"].parse().unwrap()).collect()
    };
    let uses = of("move");
    assert_eq!((uses.len(), uses.iter().sum::<u64>(), of("total")), (80, 36 * 9862, vec![9862]));
    assert!(rows.iter().all(|row| row["arena"] == "board=6x6 piece=1,2 remove=-" && row["kind"] == "closed"));
    // By counts they are the same.
    assert_eq!(answer("stats 6x6 --kind closed --csv - --without-index"), csv);
    let paths = super::rows(&answer("stats 5x5 --csv -"));
    let sum = |what: &str| {
        let of = paths.iter().filter(|row| row["what"] == what);
        of.map(|row| row["tours"].parse::<u64>().unwrap()).sum::<u64>()
    };
    assert_eq!((sum("move"), sum("end")), (24 * 864, 2 * 864));
    let json: serde_json::Value = serde_json::from_str(&answer("stats 5x5 --kind open --json -")).unwrap();
    assert_eq!((&json["tours"], &json["kind"]), (&"864".into(), &"open".into()));
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("heat.svg");
    answer(&format!("stats 5x5 --heat {}", picture.display()));
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.ends_with("</svg>\n") && svg.contains(">5x5 paths: 864 tours</text>"));
    let shown = answer("stats 5x5 --heat -");
    assert!(shown.starts_with("5x5 paths: 864 tours\n") && shown.contains("per cent of tours with an end"));
    assert!(answer("stats 4x4 --heat -").contains("per cent of tours with a move: 0.00 to 0.00"));
    let png = folder.path().join("heat.png");
    answer(&format!("stats 5x5 --heat {}", png.display()));
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    assert!(failure("stats 5x5 --heat heat.gif").1.contains("heat maps are .svg, .png, or -"));
    assert!(failure("stats 6x6 --kind closed --start a1").1.contains("every closed tour passes --start"));
    assert!(failure("stats 6x6 --kind open --start a1").1.contains("drop --start and --end"));
}

#[test]
fn histograms_are_of_named_moves_or_those_of_a_file() {
    let table = answer("stats 6x6 --kind closed --histogram steep");
    let title = "6x6 closed: 9862 tours by their moves of a class, steep\n\nmoves  tours     share\n";
    assert!(table.starts_with(title), "{table}");
    assert!(table.lines().last().unwrap().starts_with("total   9862"), "{table}");
    let rows = super::rows(&answer("stats 6x6 --kind closed --histogram steep --csv -"));
    let (total, rows) = rows.split_last().unwrap();
    assert!(rows.iter().all(|row| row["moves"].parse::<u32>().unwrap() % 2 == 0 && row["class"] == "steep"));
    assert_eq!((total["moves"].as_str(), total["tours"].as_str()), ("total", "9862"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("moves");
    std::fs::write(&file, "# of a corner\na1-b3, a1-c2\n").unwrap();
    let named = format!("stats 5x6 --kind closed --moves-file {}", file.display());
    let csv = answer(&format!("{named} --csv -"));
    assert!(
        csv.starts_with("moves,tours,share,class,arena,kind,start,end\n2,8,1.000000000,moves of "),
        "{csv}"
    );
    std::fs::write(&file, "a1-b4").unwrap();
    assert!(failure(&named).1.contains("line 1: `a1-b4` is no move of the piece"));
    assert!(failure("stats 6x6 --wrap torus --histogram steep").1.contains("have no direction"));
    assert!(failure("stats 6x6 --kind open --histogram steep").1.contains("--kind closed or paths"));
}

#[test]
fn fixed_ends_have_the_statistics_of_their_list() {
    let boards =
        ["5x5 --kind paths --start c1", "5x5 --kind paths --start b2", "3x7 --kind paths --start a1"];
    let more = [
        "4x5 --kind paths --start a1",
        "3x8 --kind paths --start b1",
        "4x2 --piece king --kind paths --start a3",
        "4x2 --piece wazir --kind paths --start a1",
        "5x5 --kind paths --start a1 --end e1",
    ];
    for board in boards.into_iter().chain(more) {
        let mut uses = std::collections::BTreeMap::<String, usize>::new();
        for tour in bare(&format!("list {board}")).lines() {
            let squares: Vec<&str> = tour.split(' ').collect();
            for step in squares.windows(2) {
                let (a, b) = (step[0].min(step[1]), step[0].max(step[1]));
                *uses.entry(format!("{a},{b}")).or_default() += 1;
            }
        }
        let told = answer(&format!("stats {board} --csv -"));
        let rows = told.lines().filter_map(|line| line.strip_prefix("move,"));
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
fn pairs_of_moves_are_those_of_the_list() {
    let mut pairs = std::collections::BTreeMap::<String, u64>::new();
    let listed = bare("list 5x6 --kind closed");
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
    let rows = super::rows(&answer("stats 5x6 --kind closed --pairs --progress none --csv -"));
    let (total, rows) = rows.split_last().unwrap();
    assert_eq!(total["tours"], "8");
    let found: std::collections::BTreeMap<String, u64> = rows
        .iter()
        .map(|row| {
            (format!("{} {} {}", row["from"], row["over"], row["to"]), row["tours"].parse::<u64>().unwrap())
        })
        .filter(|(_, number)| *number > 0)
        .collect();
    assert_eq!(found, pairs);
    let table = answer("stats 5x6 --kind closed --pairs --progress none");
    assert!(table.starts_with("5x6 closed: 8 tours\n\npair") && table.contains("\ntotal "), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&answer("stats 5x6 --kind closed --pairs --progress none --json -")).unwrap();
    assert_eq!((&json["tours"], &json["pairs"][0]["from"]), (&"8".into(), &"a1".into()));
}

#[test]
fn an_estimate_tells_what_an_index_takes() {
    let text = answer("estimate 6x6 --kind closed --engine frontier");
    for part in ["index ", " in memory or on the disk, 36 layers", "with --index DIR", "stats "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&answer("estimate 6x6 --kind closed --engine frontier --json -")).unwrap();
    let index = &json["index"];
    assert!(
        index["bytes"].as_u64().unwrap() > 1000 && index["memory_bytes"].as_u64() > index["bytes"].as_u64()
    );
}

#[test]
fn what_is_refused_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let refused = failure(&format!("sample 8x8 --kind closed --memory 8M --index {}", dir.display()));
    assert!(refused.1.contains("for its tables alone") && !dir.exists(), "{}", refused.1);
}

#[test]
fn nothing_is_written_among_the_files_of_a_stranger() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("notes.txt"), "dear diary").unwrap();
    let refused = failure(&format!("unrank 5x6 --kind closed 0 --index {}", dir.display())).1;
    assert!(refused.contains("no index, and not empty: there is notes.txt in it"), "{refused}");
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 1);
    // What a killed process leaves before the first manifest is no stranger's.
    std::fs::remove_file(dir.join("notes.txt")).unwrap();
    for name in ["lock", "layer-0001", ".unfinished-Xy"] {
        std::fs::write(dir.join(name), "").unwrap();
    }
    answer(&format!("unrank 5x6 --kind closed 0 --index {}", dir.display()));
}

#[test]
fn distances_are_told_with_the_moves_made() {
    let rows = |more: &str| -> Vec<String> {
        let table = answer(&format!("stats 5x6 --samples 50 {more}"));
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        let rows = table.lines().filter_map(|line| line.strip_prefix("centre after "));
        rows.map(|row| row.split("  ").next().unwrap().to_owned()).collect()
    };
    let of = |moves: &[u32]| moves.iter().map(|moves| format!("{moves} of 29 moves")).collect::<Vec<_>>();
    assert_eq!(rows("--kind paths"), of(&[0, 7, 14]));
    assert_eq!(rows("--kind open --end b1"), of(&[0, 7, 14, 22, 29]));
    assert_eq!(rows("--at 3,26"), of(&[3, 26]));
    assert!(rows("--kind closed").is_empty());
    let json: serde_json::Value =
        serde_json::from_str(&answer("stats 5x6 --samples 50 --at 3,26 --json -")).unwrap();
    let measures = json["measures"].as_array().unwrap();
    assert_eq!((&measures[0]["moves"], &measures[6]["moves"]), (&serde_json::Value::Null, &3.into()));
    // Without a direction 3 moves from one end are 3 from the other.
    assert_eq!((&measures[6]["name"], &measures[6]["mean"]), (&"centre".into(), &measures[7]["mean"]));
}

#[test]
fn an_index_that_lacks_a_layer_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let dir = dir.to_str().unwrap();
    answer(&format!("sample 5x6 --kind closed --index {dir}"));
    std::fs::remove_file(format!("{dir}/layer-0010")).unwrap();
    let missing = failure(&format!("unrank 5x6 --kind closed 0 --index {dir}"));
    assert!(missing.1.contains("layer 10 of the index is missing"), "{}", missing.1);
    assert!(missing.1.contains("remove the folder, and the index is made anew"), "{}", missing.1);
}

#[test]
fn an_index_has_room_in_what_is_told_and_is_not_begun_in_less() {
    for (board, kind) in [("6x8", "paths"), ("7x7", "paths"), ("7x8", "closed")] {
        let told = |memory: u64| {
            let said = format!(
                "estimate {board} --kind {kind} --engine frontier --threads 2 --json - --memory {memory}"
            );
            let said: serde_json::Value = serde_json::from_str(&answer(&said)).unwrap();
            said["index"]["memory_bytes"].as_u64().unwrap()
        };
        // Under a higher ceiling there are more tables.
        let mut needed = told(1 << 30);
        for _ in 0..4 {
            needed = told(needed + needed / 64);
        }
        let sample = |memory: u64| {
            format!("sample {board} --kind {kind} --number 1 --seed 1 --threads 2 --bare --memory {memory}")
        };
        let tours = answer(&sample(needed + needed / 32));
        assert_eq!(tours.lines().count(), 1, "{board} {kind}");
        let (status, line) = failure(&sample(needed / 16 * 15));
        assert!(status == 1 && line.contains("an index needs about "), "{board} {kind}: {line}");
        assert!(line.contains("name a folder by --index DIR, which takes about "), "{board} {kind}: {line}");
    }
}
