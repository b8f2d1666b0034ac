//! Invalid input: one error line, the documented exit status, and no incomplete files.

use super::{
    Refusals, assert_refusals, error_of, error_of_command, ktour, stdout_and_stderr, successful_output,
};
use crate::snapshot::Transcript;

#[test]
fn invalid_arguments_are_rejected_in_one_line() {
    let mut refusals = Refusals::default();
    for (arguments, names) in [
        ("count 0x5", &["0x5"][..]),
        ("count 0", &["BOARD", "0"]),
        ("count 6x", &["BOARD", "6x"]),
        ("count x6", &["BOARD", "x6"]),
        ("count six", &["BOARD", "six"]),
        ("count 6x6x6", &["BOARD", "79", "--engine multipath"]),
        ("count 6x6x6x6", &["BOARD", "6x6x6x6"]),
        ("count 6x-6", &["BOARD", "6x-6"]),
        ("count 99999x1", &["BOARD", "99999x1"]),
        ("count 200x200", &["BOARD", "400"]),
        ("count 200x200 --engine multipath", &["40000", "128"]),
        ("count 12x11 --engine backtrack", &["132", "128"]),
        ("list 12x11", &["132", "128"]),
        ("list 200x200", &["40000"]),
        ("estimate 200x200", &["40000"]),
        ("count 5x5 --start z9", &["--start", "z9"]),
        ("count 5x5 --start 9z", &["--start", "9z"]),
        ("count 5x5 --end f1", &["--end", "f1"]),
        ("list 5x5 --start a6", &["--start", "a6"]),
        ("count 5x5 --start c3 --remove c3", &["--start", "c3"]),
        ("count 5x5 --remove z9", &["--remove", "z9"]),
        ("count 5x5 --remove a1,", &["--remove", "a1,"]),
        ("count 1x1 --remove a1", &["--remove"]),
        ("count 5x5 --leaper 0,0", &["--leaper", "0,0"]),
        ("count 5x5 --leaper 1", &["--leaper", "1"]),
        ("count 5x5 --leaper 1,b", &["--leaper", "1,b"]),
        ("count 5x5 --start a1 --end a1", &["--start", "--end", "a1"]),
        ("count 5x5 --kind closed --end a1", &["--end", "closed"]),
        ("list 5x5 --kind closed --end a1", &["--end", "closed"]),
        ("count 5x5 --per-start --start a1", &["--per-start", "--start"]),
        ("count 5x5 --per-start --end a1", &["--per-start", "--end"]),
        ("list 5x5 --directed --distinct", &["--directed", "--distinct"]),
        ("list 5x5 --kind closed --distinct --start a1", &["--distinct", "--start"]),
        ("count 5x5 --csv - --json -", &["--csv", "--json"]),
        ("count 5x5 --distinct --directed", &["--distinct", "--directed"]),
        ("count 5x5 --distinct --per-start", &["--distinct", "--per-start"]),
        ("count 5x5 --distinct --classes", &["--distinct", "--classes"]),
        ("count 5x5 --distinct --start a1", &["--kind paths", "open"]),
        ("count 5x5 --distinct --shard 0/2", &["--distinct", "--shard"]),
        ("count 5x5 --classes --start a1", &["--classes", "--start"]),
        ("count 5x5 --symmetry rot180 --start a1", &["--symmetry", "--start"]),
        ("count 5x5 --symmetry rot180 --engine backtrack", &["--symmetry", "--engine backtrack"]),
        ("count 5x5 --symmetry eulerian --kind paths", &["--symmetry rot180"]),
        ("count 5x5 --symmetry upside-down", &["--symmetry", "upside-down", "bergholtian"]),
        ("count 200x200 --symmetry rot180", &["BOARD", "20000", "1024"]),
        ("list 5x5 --symmetry rot180 --start a1", &["--symmetry", "--start"]),
        ("list 5x5 --symmetry bergholtian", &["--symmetry rot180"]),
        ("list 12x11 --symmetry rot180", &["132"]),
        ("count 5x5 --symmetry rot180 --mpi", &["--mpi"]),
        ("count 5x2..9 --kind closed --mpi", &["--mpi"]),
        ("count 5x5 --kind both", &["--kind", "both", "closed, open, paths"]),
        ("count 5x5 --engine fast", &["--engine", "fast", "multipath"]),
        ("count 5x5 --threads 0", &["--threads", "0"]),
        ("count 5x5 --threads many", &["--threads", "many"]),
        ("count 5x5 --split-depth -1", &["--split-depth", "-1"]),
        ("count 8x8 --kind closed --engine multipath --split-depth 90", &["--split-depth", "1048576"]),
        ("count 8x8 --engine backtrack --split-depth 90", &["--split-depth", "1048576"]),
        ("list 7x7 --kind paths --split-depth 90", &["--split-depth", "1048576"]),
        ("list 5x5 --moves 1,2", &["--moves"]),
        ("list 5x5 --moves 5,5", &["--moves", "5,5"]),
        ("list 5x5 --format svg", &["--format", "svg", "ndjson"]),
        ("list 5x5 --number-from 2", &["--number-from", "2"]),
        ("list 5x5 --limit few", &["--limit", "few"]),
        ("count 5x5 --no-such-option", &["--no-such-option"]),
        ("count 5x5 6x6", &["6x6"]),
        ("count", &["BOARD"]),
        ("tour 5x5", &["tour"]),
        ("completions klingon", &["klingon"]),
    ] {
        let line = refusals.run(arguments, 2, names);
        assert!(
            line.len() < 200 && !line.contains("  ") && !line.contains("tip: to pass"),
            "{arguments}: {line}"
        );
    }
    refusals.assert_snapshot("errors_bad_arguments");
}

#[test]
fn moves_option_requires_each_step_once() {
    let mut refusals = Refusals::default();
    for (moves, names) in [
        ("2,1 1,2", &["2", "8"][..]),
        ("2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 1,-2", &["1,-2"]),
        ("2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 1,1", &["1,1"]),
        ("up down", &["up"]),
        ("", &["0", "8"]),
    ] {
        let line = refusals.run_command(ktour("list 5x5").args(["--moves", moves]), moves, 2, names);
        assert!(line.starts_with("--moves: "), "{line}");
        let found = error_of_command(ktour("find 5x5").args(["--moves", moves]), moves);
        assert_eq!(found, (2, line), "find has the message of list");
    }
    refusals.assert_snapshot("errors_moves");
}

#[test]
fn options_of_kinds_select_the_kind() {
    for kind in ["closed", "open", "paths"] {
        for command in ["count 5x6", "list 5x6 --limit 2", "series 5x2..6"] {
            let output = |option: &str| successful_output(&format!("{command} {option}"));
            assert_eq!(output(&format!("--{kind}")), output(&format!("--kind {kind}")), "{command} {kind}");
        }
    }
    assert_eq!(
        successful_output("stats 5x6 --closed --csv -"),
        successful_output("stats 5x6 --kind closed --csv -")
    );
    let rows = successful_output("verify 6x6 --closed --csv - --quiet");
    assert!(rows.contains("6x6 closed") && !rows.contains("6x6 paths"), "{rows}");
}

#[test]
fn misspelt_option_suggests_correct_one() {
    let (status, line) = error_of("count 5x5 --knid closed");
    assert!(status == 2 && line.contains("--kind"), "{line}");
}

#[test]
fn no_arguments_print_help_and_fail() {
    let output = ktour("").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let help = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(help.contains("count") && help.contains("Usage: ktour"), "{help}");
}

#[test]
#[cfg(not(feature = "mpi"))]
fn mpi_option_without_mpi_names_cargo_feature() {
    assert_refusals(
        "errors_without_mpi",
        &[("count 6x6 --engine frontier --mpi", 2, &["--mpi", "--features mpi"])],
    );
}

#[test]
fn unknown_option_suggests_alternative() {
    assert_refusals(
        "errors_unknown_options",
        &[
            ("count 5x5 --leper 1,3", 2, &["'--leper'", "--leaper?"]),
            ("list 5x5 --path", 2, &["'--path'", "--kind paths"]),
            ("count 5x5 --colour", 2, &["'--colour'", "--color is an option of stats, draw"]),
            ("draw t.txt --colour", 2, &["'--colour'", "add --color"]),
            ("list 5x5 --silent", 2, &["'--silent'", "--quiet"]),
            ("list 5x5 --count", 2, &["'--count'", "ktour count", "--limit N"]),
            ("count 5x5 --close", 2, &["'--close'", "--closed?"]),
            ("count 5x5 -k closed", 2, &["'-k'", "ktour count --help"]),
            ("count 5x5 --attempts 7", 2, &["'--attempts'", "it is an option of find"]),
            ("count 5x5 --format csv", 2, &["'--format'", "it is an option of list, find"]),
            ("count --board 5x5", 2, &["'--board'", "BOARD is an argument"]),
            ("verify --board 5x5", 2, &["'--board'", "BOARD is an argument"]),
            ("draw --no-lines", 2, &["'--no-lines'", "--format box"]),
            ("list 5x5 -v", 2, &["'-v'", "count, series, resume"]),
            ("count 5x5 --torus", 2, &["'--torus'", "--wrap torus"]),
            ("list 5x5 --record x", 2, &["'--record'", "it is an option of count, series, "]),
            ("unrank 5x5 --number 3", 2, &["'--number'", "it is an option of sample"]),
            ("unrank 6x6 --kind closed 1 --distinct", 2, &["'--distinct'", "it is an option of count, "]),
            ("rank - --distinct", 2, &["'--distinct'", "it is an option of count, "]),
            ("stats 6x6 --kind closed --distinct", 2, &["'--distinct'", "it is an option of count, "]),
            ("series 5x2..9 --graph g.txt", 2, &["'--graph'", "it is an option of count, list"]),
            ("find 5x5 -v", 2, &["'-v'", "count, series, resume"]),
            ("--verison", 2, &["'--verison'", "--version?"]),
            ("--kind closed", 2, &["'--kind'", "it is an option of count, "]),
            ("--kind closed count 5x5", 2, &["'--kind'", "it is an option of count, "]),
            ("--shard 0/2 count 5x5", 2, &["'--shard'", "it is an option of count, "]),
            ("cuont 5x5", 2, &["'cuont'", "count?"]),
            ("cnt 5x5", 2, &["'cnt'", "count?"]),
            ("help cont", 2, &["'cont'", "count?"]),
            ("help count series", 2, &["ktour help series"]),
            ("-q", 2, &["missing COMMAND", "ktour --help"]),
            ("help qqq", 2, &["'qqq'", "ktour --help"]),
            ("count 6 7", 2, &["'7'", "a board is one word: 6x7"]),
            ("count 5x5 6x6", 2, &["'6x6'", "ktour count --help"]),
            ("check a.txt b.txt", 2, &["'b.txt'", "ktour check --help"]),
            ("count 5x5 --directed -1", 2, &["'-1'", "ktour count --help"]),
            ("draw --palette foo", 2, &["foo", "--palette", "wood, viridis, mono"]),
            ("list 5x3..6", 2, &["5x3..6", "BOARD", "count", "series", "estimate"]),
            ("count 5x5 --remove b1,a1-", 2, &["--remove", "`a1-`", "a1,c3", "a1-c3"]),
            ("count 5x5 --memory 5", 2, &["--memory <SIZE>", "5 bytes", "5G", "5M"]),
            ("count 5x5 --threads -1", 2, &["--threads", "'-1'", "from 1 to 1024"]),
            ("count 5x5 --threads x", 2, &["--threads", "'x'", "from 1 to 1024"]),
            ("count 5x5 --threads 1025", 2, &["--threads", "'1025'", "from 1 to 1024"]),
            ("find 5x5 --seed -1", 2, &["--seed", "'-1'", "from 0"]),
            ("find 5x5 --seed 99999999999999999999", 2, &["--seed", "99999999999999999999", "from 0"]),
            ("count 5x5 --json", 2, &["--json <FILE>", "ktour count --help"]),
            ("count 5x5 --threads", 2, &["--threads <N>", "ktour count --help"]),
            ("count 5x5 --memory", 2, &["--memory <SIZE>", "ktour count --help"]),
            ("verify --within -1s", 2, &["'-1'", "ktour verify --help"]),
            ("count 5x5 --memory -1G", 2, &["'-1'", "ktour count --help"]),
            ("draw t.txt --limit 0", 2, &["--limit", "'0'", "from 1"]),
            ("count 5x5 --classes --per-start", 2, &["--classes", "--per-start"]),
            ("count 5x5 --closed --kind open", 2, &["--closed", "--kind"]),
            ("count 5x5 --kind closed --kind open", 2, &["--kind"]),
        ],
    );
}

#[test]
fn option_without_effect_is_rejected() {
    assert_refusals(
        "errors_options_without_effect",
        &[
            ("count 5x5 --checkpoint-every 5s", 2, &["--checkpoint-every", "--checkpoint FILE"]),
            ("count 6x6 --engine frontier --split-depth 3", 2, &["--split-depth"]),
            ("count 8x8 --kind closed --split-depth 3", 2, &["--split-depth", "--engine multipath"]),
            ("count 5x5 --checkpoint -", 2, &["--checkpoint"]),
            ("count 5x5 --record -", 2, &["--record", "--json -"]),
            ("count 5x5 --leaper 100000,1", 2, &["--leaper", "100000", "65535"]),
            ("list 5x5 --memory 1G", 2, &["--memory"]),
            ("count 5x5 --squares .", 2, &["--squares <SIGNS>' needs --shape <FILE> instead of '[BOARD]'"]),
            ("count 5x5 --all-graphs", 2, &["--all-graphs' needs --graph <FILE> instead of '[BOARD]'"]),
        ],
    );
}

#[test]
fn missing_folder_is_named() {
    assert_refusals(
        "errors_missing_folders",
        &[
            ("count 5x5 --json no/such/x", 1, &["no/such/x"]),
            ("list 5x5 --output no/such/x", 1, &["no/such/x"]),
            ("count 5x5 --engine frontier --spill no/such", 1, &["--spill no/such"]),
        ],
    );
}

#[test]
fn unusable_folder_is_reported_with_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut refusals = Refusals::with_hidden_folder(folder.path());
    let count = || ktour("count 6x7 --kind paths --engine frontier --memory 200M");
    let name = file.to_str().unwrap();
    refusals.run_command(count().arg("--spill").arg(&file), "--spill DIR/file", 1, &["--spill", name]);
    refusals.run_command(count().env("TMPDIR", ""), "TMPDIR=", 1, &["TMPDIR", "--memory"]);
    let missing = folder.path().join("no/such");
    for path in [&file, &missing] {
        let case = format!("TMPDIR={}", path.display());
        refusals.run_command(count().env("TMPDIR", path), &case, 1, &[path.to_str().unwrap(), "--spill DIR"]);
    }
    refusals.assert_snapshot("errors_unusable_folders");
}

#[test]
fn created_spill_folder_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let spill = folder.path().join("spill");
    let mut command = ktour("count 6x7 --kind paths --engine frontier --memory 200M --spill");
    assert!(command.arg(&spill).output().unwrap().status.success());
    assert!(!spill.exists());
    let mut command = ktour("count 6x7 --kind paths --engine frontier --memory 1M --spill");
    let (status, line) = error_of_command(command.arg(&spill), "too little memory");
    assert!(status == 1 && line.contains("6x7 paths"), "{status} {line}");
    assert!(!spill.exists());
}

#[test]
fn find_rejects_options_excluded_by_symmetry() {
    assert_refusals(
        "errors_find_symmetry",
        &[
            ("find 8x8 --closed --open", 2, &["--closed", "--open"]),
            ("find 8x8 --closed --kind open", 2, &["--closed", "--kind"]),
            ("find 20 --symmetry rot180", 2, &["128", "BOARD"]),
            ("find 8x8 --symmetry rot180 --rule pohl", 2, &["--symmetry", "--rule"]),
            ("find 8x8 --symmetry rot180 --start a1", 2, &["--symmetry", "--start"]),
            ("find 8x8 --symmetry eulerian", 2, &["--symmetry", "--kind closed"]),
            ("find 8x8 --symmetry axial", 1, &["axial"]),
        ],
    );
}

#[test]
fn picture_outputs_suggest_draw() {
    let mut refusals = Refusals::default();
    for command in ["find 5x5", "list 5x5", "sample 5x5", "unrank 5x5 0"] {
        for file in ["t.png", "t.SVG"] {
            let advice = format!("ktour draw - --output {file}");
            refusals.run(&format!("{command} --output {file}"), 2, &[&advice]);
        }
    }
    refusals.assert_snapshot("errors_pictures");
}

#[cfg(target_os = "linux")]
#[test]
fn endless_input_files_are_rejected() {
    assert_refusals(
        "errors_endless_files",
        &[
            ("count --graph /dev/zero", 1, &["--graph", "/dev/zero", "zero byte"]),
            ("count --shape /dev/zero", 1, &["--shape", "/dev/zero", "zero byte"]),
        ],
    );
}

#[test]
fn misspelt_values_suggest_correct_ones() {
    assert_refusals(
        "errors_misspelt_values",
        &[
            ("count 5x5 --wrap tor", 2, &["--wrap", "torus"]),
            ("count 5x5 --wrap mobious", 2, &["--wrap", "mobius"]),
            ("count 5x5 --piece kinght", 2, &["--piece", "knight?"]),
            ("count 5x5 --piece wazir+camle", 2, &["--piece", "camel?"]),
            ("count 5x5 --piece 0,1+wazr", 2, &["--piece", "wazir?"]),
            ("count 5x5 --piece King+wazr", 2, &["--piece", "wazir?"]),
            ("count 5x5 --piece kng", 2, &["--piece", "king?"]),
            ("count 5x5 --wrap tours", 2, &["--wrap", "torus"]),
            ("count 5x5 --kind clsoed", 2, &["--kind", "closed, open, paths"]),
            ("find 5x5 --rule warnsdorf", 2, &["--rule", "warnsdorff?"]),
        ],
    );
    let mut refusals = Refusals::default();
    for unknown in ["--wrap sphere", "--piece queen", "--piece 1,x"] {
        let (option, value) = unknown.split_once(' ').unwrap();
        let line = refusals.run(&format!("count 5x5 {unknown}"), 2, &[option, value]);
        // The error suggests no value.
        assert!(!line.contains('?'), "{line}");
    }
    refusals.assert_snapshot("errors_unknown_values");
}

#[test]
fn faults_below_separator_lines_are_reported() {
    let mut transcript = Transcript::default();
    for (text, options) in [
        ("1.\na1.1 a1.1\n", "--board 2x2x2 --piece wazir"),
        ("->\na1 a1\n", "--board 3x4 --wrap torus"),
        ("\"\na1 a1\n", "--board 3x4 --wrap torus"),
    ] {
        let output = ktour(&format!("check - {options}")).write_stdin(text).output().unwrap();
        let error = stdout_and_stderr(&output).1;
        assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{text}: {error}");
        assert!(error.contains("line 2: square 2, a1"), "{text}: {error}");
        transcript.add(&format!("check - {options} < {text:?}"), &error);
    }
    transcript.assert_snapshot("errors_faults_below_separators");
}

#[test]
fn names_of_other_programs_lead_to_options_and_commands() {
    for (arguments, remedy) in [
        ("find 6x6 --count 3", "write --limit N"),
        ("list 6x6 --head 3", "write --limit N"),
        ("plot 6x6", "ktour draw"),
        ("test", "ktour selftest"),
        ("version", "ktour --version"),
        ("count 6x6 --piece queen", "champion"),
        ("merge -", "write the records to a file"),
        ("count 3x3 --record nodir/x", "--record nodir/x: there is no folder nodir"),
    ] {
        let (_, line) = super::error_of(arguments);
        assert!(line.contains(remedy), "{arguments}: {line}");
    }
}
