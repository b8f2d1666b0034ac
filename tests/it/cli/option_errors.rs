//! Errors of options that need another option, that have no effect, or that belong to another command.

use super::{Refusals, assert_refusals, error_of, ktour, successful_output};

#[test]
fn missing_option_is_named_with_its_cause() {
    assert_refusals(
        "errors_required_options",
        &[
            ("series 5x2..8 --bfile b.txt", 2, &["--bfile needs --kind <KIND>; add it"]),
            (
                "verify --directed 5x5",
                2,
                &["--directed needs --table <FILE> and --boards <BOARDS>; add them"],
            ),
            ("stats 6x6 --kind closed --at 3", 2, &["--at needs --samples <N>"]),
            ("stats 6x6 --seed 3", 2, &["--seed needs --samples <N>"]),
            ("find 8x8 --backtracks 5", 2, &["--backtracks needs a rule", "--rule"]),
        ],
    );
}

#[test]
fn quiet_and_verbose_exclude_each_other() {
    for arguments in ["--quiet count 5x5 --verbose", "count 5x5 -q -v", "series 5x5..6 -v --quiet"] {
        let conflict = "'--verbose' cannot be used with '--quiet'; omit one of them";
        assert_eq!(error_of(arguments), (2, conflict.to_owned()), "{arguments}");
    }
}

#[test]
fn option_without_effect_is_an_error() {
    let mut refusals = Refusals::default();
    for (arguments, names) in [
        ("list 5x5 --number-from 0", &["--number-from", "--format grid"][..]),
        ("estimate 5x5 --engine frontier --probes 5", &["--probes", "--engine multipath"]),
        ("find 6x6 --format csv --csv -", &["--format", "--csv -"]),
        ("sample 5x5 --format grid --json -", &["--format", "--json -"]),
        ("find 5x5 --output tours.json", &["--output tours.json", ".ndjson"]),
        ("stats 5x5 --color never", &["--color", "--heat -"]),
        ("find 6x6 --kind closed --end a1", &["--end"]),
        ("resume nothing.ckpt --spill folder", &["--spill", "it is an option of count"]),
    ] {
        refusals.run(arguments, 2, names);
    }
    let tour = successful_output("find 5x5");
    for (arguments, names) in [
        ("draw - --number-from 0 --format terminal", &["--number-from", "--format box"][..]),
        ("draw - --animate=x", &["--animate", "not a number"]),
        ("check - --output classes.csv", &["--output classes.csv", "--csv classes.csv"]),
        ("rank - --output numbers.json", &["--output numbers.json", "--json numbers.json"]),
    ] {
        refusals.run_with_input(arguments, &tour, 2, names);
    }
    refusals.assert_snapshot("errors_ineffective_options");
}

#[test]
fn option_of_another_command_leads_to_the_same_result() {
    assert_refusals(
        "errors_options_of_other_commands",
        &[
            ("list 6x6 --json -", 2, &["--format ndjson"]),
            ("unrank 6x6 3 --csv x.csv", 2, &["--format csv", "--output FILE"]),
            ("check tours --format json", 2, &["--json -"]),
        ],
    );
}

#[test]
fn only_one_option_reads_standard_input() {
    let mut refusals = Refusals::default();
    for (arguments, names) in [
        ("check - --graph -", &["FILE and --graph both read standard input"][..]),
        ("check - --shape -", &["FILE and --shape both"]),
        ("count --shape - --clues -", &["--shape and --clues both"]),
        ("unrank --graph - 0 -", &["--graph and the numbers both"]),
        ("unrank --shape -", &["--shape and the numbers both"]),
        ("rank --require @-", &["FILE and --require both"]),
        ("resume -", &["standard input"]),
        ("merge -", &["standard input"]),
    ] {
        refusals.run_with_input(arguments, "a b\nb c\n", 2, names);
    }
    refusals.assert_snapshot("errors_standard_input");
}

#[test]
fn limit_of_0_leaves_the_header() {
    for command in ["list 5x5 -n 0", "find 5x5 -n 0", "sample 5x5 -n 0", "find 5x5 --place 1=a1 -n 0"] {
        assert_eq!(
            successful_output(command),
            "# ktour board=5x5 piece=1,2 remove=- kind=paths\n",
            "{command}"
        );
    }
}

#[test]
fn terminal_picture_is_as_wide_as_columns() {
    let tours = successful_output("list 5x5 -n 6");
    let widest = |columns: Option<&str>, arguments: &str| {
        let mut draw = ktour(arguments);
        match columns {
            Some(columns) => draw.env("COLUMNS", columns),
            None => draw.env_remove("COLUMNS"),
        };
        let output = draw.write_stdin(tours.clone()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.chars().count()).max().unwrap()
    };
    let [narrow, usual] = [Some("40"), None].map(|columns| widest(columns, "draw --format terminal"));
    assert!(narrow <= 40 && usual > 40, "{narrow} {usual}");
    assert!(widest(Some("40"), "draw --width 70") > 40, "the option has precedence");
}

#[test]
fn range_in_another_notation_has_a_hint() {
    assert_refusals(
        "errors_range_notation",
        &[
            ("unrank 5x6 --closed 0..3", 2, &["`0..3`", "write 0-3"]),
            ("series 3x4-8", 2, &["`3x4-8`", "write 3x4..8"]),
            ("count 3x4-8", 2, &["`3x4-8`", "write 3x4..8"]),
        ],
    );
}

#[test]
fn missing_file_has_one_form_of_error() {
    let mut refusals = Refusals::default();
    for arguments in [
        "count --graph nofile",
        "count --shape nofile",
        "count 5x5 --clues nofile",
        "count 5x5 --require @nofile",
        "stats 5x5 --moves-file nofile",
        "check nofile",
        "verify --table nofile",
        "merge nofile",
        "resume nofile",
    ] {
        refusals.run(
            arguments,
            1,
            &["cannot read nofile: No such file or directory", "; name an existing file"],
        );
    }
    refusals.assert_snapshot("errors_missing_files");
}

#[test]
fn option_with_optional_value_takes_it_after_an_equals_sign() {
    let tours = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(tours.path(), successful_output("find 5x5")).unwrap();
    let path = tours.path().to_str().unwrap();
    assert!(successful_output(&format!("draw --animate {path}")).contains("animateMotion"));
    assert!(successful_output(&format!("draw --numbers {path} --format svg")).contains("<text"));
}

#[test]
fn list_without_tours_has_the_note_of_count() {
    let note = |arguments: &str| {
        let output = ktour(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}");
        let err = String::from_utf8(output.stderr).unwrap();
        err.lines().find(|line| line.starts_with(super::NO_TOUR_NOTE)).map(str::to_owned)
    };
    assert!(note("list 4x4").is_some());
    assert_eq!(note("list 4x4"), note("count 4x4 --kind paths"));
    assert_eq!(note("list 5x5 --limit 2"), None);
}
