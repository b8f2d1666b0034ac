//! Bad input: one clear line, the right exit status, nothing half-written.

use super::{failure, failure_of, ktour, texts};

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    for (arguments, word) in [
        ("count 0x5", "`0x5` has no squares"),
        ("count 0", "has no squares"),
        ("count 6x", "`6x` is not a board"),
        ("count x6", "is not a board"),
        ("count six", "is not a board"),
        ("count 6x6x6", "too wide for this sweep"),
        ("count 6x6x6x6", "is not a board"),
        ("count 6x-6", "is not a board"),
        ("count 99999x1", "too large"),
        ("count 200x200", "BOARD"),
        ("count 200x200 --engine multipath", "40000 squares, a search takes at most 128"),
        ("count 12x11 --engine backtrack", "132 squares, a search takes at most 128"),
        ("list 12x11", "132 squares, a search takes at most 128"),
        ("list 200x200", "40000 squares"),
        ("estimate 200x200", "40000 squares"),
        ("count 5x5 --start z9", "square z9 is not on the board"),
        ("count 5x5 --start 9z", "`9z` is not a square"),
        ("count 5x5 --end f1", "--end"),
        ("list 5x5 --start a6", "square a6 is not on the board"),
        ("count 5x5 --start c3 --remove c3", "square c3 is not on the board"),
        ("count 5x5 --remove z9", "--remove"),
        ("count 5x5 --remove a1,", "--remove"),
        ("count 1x1 --remove a1", "--remove"),
        ("count 5x5 --leaper 0,0", "--leaper"),
        ("count 5x5 --leaper 1", "--leaper"),
        ("count 5x5 --leaper 1,b", "--leaper"),
        ("count 5x5 --start a1 --end a1", "same square, a1"),
        ("count 5x5 --kind closed --end a1", "--end"),
        ("list 5x5 --kind closed --end a1", "--end"),
        ("count 5x5 --per-start --start a1", "--per-start"),
        ("count 5x5 --per-start --end a1", "--per-start"),
        ("list 5x5 --directed --distinct", "--distinct"),
        ("list 5x5 --kind closed --distinct --start a1", "--distinct"),
        ("count 5x5 --csv - --json -", "--json"),
        ("count 5x5 --distinct --directed", "--directed"),
        ("count 5x5 --distinct --per-start", "--per-start"),
        ("count 5x5 --distinct --classes", "--classes"),
        ("count 5x5 --distinct --start a1", "ask for --kind paths or open"),
        ("count 5x5 --distinct --shard 0/2", "--shard"),
        ("count 5x5 --classes --start a1", "--start"),
        ("count 5x5 --symmetry rot180 --start a1", "--start"),
        ("count 5x5 --symmetry rot180 --engine backtrack", "--engine backtrack"),
        ("count 5x5 --symmetry rot180 --checkpoint x", "--checkpoint"),
        ("count 5x5 --symmetry eulerian --kind paths", "--symmetry rot180"),
        ("count 5x5 --symmetry upside-down", "bergholtian"),
        ("count 200x200 --symmetry rot180", "BOARD"),
        ("list 5x5 --symmetry rot180 --start a1", "--start"),
        ("list 5x5 --symmetry bergholtian", "--symmetry rot180"),
        ("list 12x11 --symmetry rot180", "132 squares"),
        ("count 5x5 --symmetry rot180 --mpi", "--mpi"),
        ("count 5x2..9 --kind closed --mpi", "does not go with --mpi"),
        ("count 5x5 --kind both", "closed, open, paths"),
        ("count 5x5 --engine fast", "multipath"),
        ("count 5x5 --threads 0", "--threads"),
        ("count 5x5 --threads many", "--threads"),
        ("count 5x5 --split-depth -1", "-1"),
        ("count 8x8 --kind closed --engine multipath --split-depth 90", "take a smaller --split-depth"),
        ("count 8x8 --engine backtrack --split-depth 90", "into more than 1048576 units"),
        ("list 7x7 --kind paths --split-depth 90", "take a smaller --split-depth"),
        ("list 5x5 --moves 1,2", "--moves"),
        ("list 5x5 --moves 5,5", "--moves"),
        ("list 5x5 --format svg", "ndjson"),
        ("list 5x5 --number-from 2", "--number-from"),
        ("list 5x5 --limit few", "--limit"),
        ("count 5x5 --no-such-option", "--no-such-option"),
        ("count 5x5 6x6", "6x6"),
        ("count", "BOARD"),
        ("tour 5x5", "tour"),
        ("completions klingon", "klingon"),
    ] {
        let (status, line) = failure(arguments);
        assert_eq!(status, 2, "{arguments}: {line}");
        assert!(line.contains(word), "{arguments}: {line}");
        assert!(
            line.len() < 200 && !line.contains("  ") && !line.contains("tip: to pass"),
            "{arguments}: {line}"
        );
    }
}

#[test]
fn the_moves_must_be_all_steps_once() {
    for (moves, word) in [
        ("2,1 1,2", "2 of the leaper's 8 steps"),
        ("2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 1,-2", "twice"),
        ("2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 1,1", "1,1"),
        ("up down", "`up`"),
        ("", "0 of the leaper's 8 steps"),
    ] {
        let (status, line) = failure_of(ktour("list 5x5").args(["--moves", moves]), moves);
        assert_eq!(status, 2);
        assert!(line.starts_with("--moves: ") && line.contains(word), "{line}");
    }
}

#[test]
fn a_misspelt_option_is_corrected() {
    let (_, line) = failure("count 5x5 --knid closed");
    assert!(line.contains("--kind"), "{line}");
}

#[test]
fn no_arguments_show_the_help_and_fail() {
    let output = ktour("").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let help = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(help.contains("count") && help.contains("Usage: ktour"), "{help}");
}

#[test]
#[cfg(not(feature = "mpi"))]
fn a_program_without_mpi_says_how_to_build_one_with_it() {
    let (status, line) = failure("count 6x6 --engine frontier --mpi");
    assert!(status == 2 && line.contains("--features mpi"), "{status} {line}");
}

#[test]
fn an_unknown_option_leads_to_the_right_one() {
    for (arguments, line) in [
        ("count 5x5 --closed", "count has no option --closed: write --kind closed"),
        ("count --open 5x5", "count has no option --open: write --kind open"),
        ("list 5x5 --paths", "list has no option --paths: write --kind paths"),
        ("count 5x5 --leper 1,3", "count has no option --leper: did you mean --leaper?"),
        ("list 5x5 --quiet", "list has no option --quiet: write --progress none"),
        ("list 5x5 -o x", "list has no option -o: write --output FILE"),
        ("count 5x5 --jobs 3", "count has no option --jobs: write --threads N"),
        ("list 5x5 --count", "list has no option --count: ktour list --help has them all"),
        ("count 5x5 --unique", "count has no option --unique: write --distinct"),
        ("list 5x5 --max 3", "list has no option --max: write --limit N"),
        ("find 5x5 --algorithm w2", "find has no option --algorithm: write --rule RULE"),
        (
            "draw --palette foo",
            "invalid value 'foo' for '--palette <NAME>' [possible values: wood, viridis, mono]",
        ),
        (
            "list 5x3..6",
            "invalid value '5x3..6' for '[BOARD]': a range of boards is for count, series and estimate: name one board",
        ),
        ("--verison", "unknown option --verison: did you mean --version?"),
        ("cuont 5x5", "unrecognized subcommand 'cuont': did you mean count?"),
        ("help cont", "unrecognized subcommand 'cont': did you mean count?"),
        ("help sweep", "unrecognized subcommand 'sweep': ktour --help has them all"),
        ("count 6 7", "unexpected argument '7' found: a board is one word, write 6x7"),
        ("count 5x5 --close", "count has no option --close: write --kind closed"),
        ("count 5x5 -k closed", "count has no option -k: write --kind closed, open or paths"),
        ("sample 5x5 -n 3", "sample has no option -n: write --number N"),
        ("list 5x5 -n 3", "list has no option -n: write --limit N"),
        (
            "count 5x5 --remove b1,a1-",
            "--remove: `a1-` has an empty place: squares are listed as a1,c3, and ranges of them as a1-c3",
        ),
        (
            "count 5x5 --memory 5",
            "invalid value '5' for '--memory <SIZE>': `5` is 5 bytes, less than any run takes: write a unit, such as 5G or 5M",
        ),
        ("--kind closed", "unknown option --kind: the command comes first, as in ktour count 6x6"),
    ] {
        assert_eq!(failure(arguments), (2, line.to_owned()), "{arguments}");
    }
    let (_, line) = failure("count 5x5 --attempts 7");
    assert!(line.starts_with("count has no option --attempts, which is one of ktour find"), "{line}");
    for (arguments, advice) in [
        ("count 5x5 --format csv", "write --csv FILE or --json FILE, - for standard output"),
        ("count 5x5 --up-to-symmetry", "write --distinct"),
        ("count --board 5x5", "write BOARD without --board"),
        ("count 5x5 --torus", "write --wrap torus"),
        ("list 5x5 --csv -", "write --format csv"),
        ("draw t.txt --colors mono", "write --palette NAME"),
        ("sample 5x5 --count 3", "write --number N"),
        ("unrank 5x5 --number 3", "write the numbers behind BOARD"),
        ("find 5x5 -v", "find has no option -v: ktour find --help has them all"),
        ("count 5x5 6x6", "ktour count takes one BOARD"),
        ("check a.txt b.txt", "ktour check takes one FILE"),
        ("--shard 0/2 count 5x5", "the command comes first, as in ktour count 6x6"),
        ("count 5x5 --threads -1", "--threads -1: it takes nothing below 0"),
        ("random 5x5", "it is called sample"),
        ("find 5x5 --seed -1", "--seed -1: it takes nothing below 0"),
        ("find 5x5 --seed 99999999999999999999", "it is too large"),
        ("count 5x5 --threads x", "write a whole number from 0 on"),
        ("count 5x5 --directed -1", "-1 is no option, and nothing here is below 0"),
        ("count 5x5 --json", "name a file, or - for standard output"),
        ("draw t.txt --limit 0", "write a number from 1 on"),
        ("count 5x5 --classes --per-start", ": leave one out"),
        ("count 5x5 --kind closed --kind open", ": give it once"),
    ] {
        let (status, line) = failure(arguments);
        assert!(status == 2 && line.ends_with(advice), "{arguments}: {line}");
    }
}

#[test]
fn an_option_without_effect_is_refused() {
    for (arguments, word) in [
        ("count 5x5 --checkpoint-every 5s", "add --checkpoint FILE"),
        ("count 6x6 --engine frontier --split-depth 3", "--split-depth is for searches"),
        ("count 8x8 --kind closed --split-depth 3", "add --engine multipath"),
        ("count 5x5 --checkpoint -", "name a file"),
        ("count 5x5 --record -", "--json - writes to standard output"),
        ("count 5x5 --leaper 100000,1", "a step is at most 65535"),
    ] {
        let (status, line) = failure(arguments);
        assert!(status == 2 && line.contains(word), "{arguments}: {status} {line}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    for (arguments, line) in [
        ("count 5x5 --json no/such/x", "cannot write no/such/x: there is no folder no/such, make it first"),
        ("list 5x5 --output no/such/x", "cannot write no/such/x: there is no folder no/such, make it first"),
        (
            "count 5x5 --engine frontier --spill no/such",
            "--spill no/such: there is no folder no, make it first",
        ),
    ] {
        let (status, found) = failure(arguments);
        assert_eq!((status, found.as_str()), (1, line), "{arguments}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_told_with_what_helps() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut command = ktour("count 6x7 --kind paths --engine frontier --memory 200M --spill");
    failure_of(command.arg(&file), "it is not a folder, give one");
    let count = || ktour("count 6x7 --kind paths --engine frontier --memory 200M");
    failure_of(count().env("TMPDIR", ""), "TMPDIR is empty, and --memory needs room");
    let missing = folder.path().join("no/such");
    for (place, why) in [(&file, "it is not a folder, add --spill DIR"), (&missing, "no, add --spill DIR")] {
        failure_of(count().env("TMPDIR", place), why);
    }
}

#[test]
fn a_folder_made_for_a_spill_is_not_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let spill = folder.path().join("spill");
    let mut command = ktour("count 6x7 --kind paths --engine frontier --memory 200M --spill");
    assert!(command.arg(&spill).output().unwrap().status.success());
    assert!(!spill.exists());
    let mut command = ktour("count 6x7 --kind paths --engine frontier --memory 1M --spill");
    failure_of(command.arg(&spill), "too little memory");
    assert!(!spill.exists());
}

#[test]
fn find_says_what_goes_with_a_symmetry() {
    for (arguments, status, word) in [
        ("find 8x8 --closed --open", 2, "--open"),
        ("find 8x8 --closed --kind open", 2, "--kind"),
        ("find 20 --symmetry rot180", 2, "takes at most 128: take a smaller BOARD"),
        ("find 8x8 --symmetry rot180 --rule pohl", 2, "--rule"),
        ("find 8x8 --symmetry rot180 --start a1", 2, "--start"),
        ("find 8x8 --symmetry eulerian", 2, "--kind closed"),
        ("find 8x8 --symmetry axial", 1, "no tour exists"),
    ] {
        let (found, line) = failure(arguments);
        assert!(found == status && line.contains(word), "{arguments}: {found} {line}");
    }
}

#[test]
fn pictures_are_drawn_by_draw() {
    for command in ["find 5x5", "list 5x5", "sample 5x5", "unrank 5x5 0"] {
        for file in ["t.png", "t.SVG"] {
            let (status, line) = failure(&format!("{command} --output {file}"));
            let advice = format!("pipe them to ktour draw - --output {file}");
            assert!(status == 2 && line.ends_with(&advice), "{command}: {line}");
        }
    }
    assert!(failure("find 8x8 --warnsdorff").1.contains("write --rule warnsdorff"));
    assert!(failure("draw - --png").1.contains("write --output FILE.png"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_not_read_to_the_end() {
    for option in ["--graph", "--shape"] {
        let line = failure(&format!("count {option} /dev/zero")).1;
        assert!(line.contains("it is not text: there is a byte 0 in it"), "{line}");
    }
}

#[test]
fn values_spelt_wrongly_lead_to_the_right_ones() {
    let error = |option: &str| {
        let output = ktour(&format!("count 5x5 {option}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}");
        texts(&output).1
    };
    for (option, tip) in [
        ("--wrap tor", "did you mean torus?"),
        ("--wrap mobious", "did you mean mobius?"),
        ("--piece kinght", "did you mean knight?"),
        ("--piece wazir+camle", "did you mean camel?"),
        ("--piece 0,1+wazr", "did you mean wazir?"),
        ("--piece King+wazr", "did you mean wazir?"),
        ("--piece kng", "did you mean king?"),
        ("--wrap tours", "did you mean torus?"),
        ("--kind clsoed", "a similar value exists: 'closed'"),
    ] {
        let error = error(option);
        assert!(error.contains(tip) && error.lines().count() == 1, "{option}: {error}");
    }
    for far in ["--wrap sphere", "--piece queen", "--piece 1,x"] {
        assert!(!error(far).contains("did you mean"), "{far}");
    }
}

#[test]
fn below_a_line_that_only_counts_or_separates_faults_are_told() {
    for (text, options) in [
        ("1.\na1.1 a1.1\n", "--board 2x2x2 --piece wazir"),
        ("->\na1 a1\n", "--board 3x4 --wrap torus"),
        ("\"\na1 a1\n", "--board 3x4 --wrap torus"),
    ] {
        let output = ktour(&format!("check - {options}")).write_stdin(text).output().unwrap();
        let error = texts(&output).1;
        assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{text}: {error}");
        assert!(
            error.contains("line 2: square 2, a1") && error.contains("was visited before"),
            "{text}: {error}"
        );
    }
}
