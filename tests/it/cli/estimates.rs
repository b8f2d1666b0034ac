//! Estimates of time, memory and disk: by `ktour estimate`, and before a count.

use ktour::batch::round_to_milliseconds;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::Request;
use ktour::count::engine_cost::{backtrack_seconds, search_seconds};
use ktour::tour::Kind;
use serde_json::{Value, json};

use super::{ERROR_PREFIX, Refusals, error_of, estimate_section, ktour, successful_output};

/// Returns the part of an error line before the remedies, which depend on the machine's memory and disk.
fn before_remedies(line: &str) -> &str {
    line.split_once("; ").unwrap_or_else(|| panic!("{line}")).0
}

/// Returns the JSON report of `ktour estimate`.
fn estimate_json(arguments: &str) -> Value {
    serde_json::from_str(&successful_output(&format!("estimate {arguments} --json -"))).unwrap()
}

/// Returns what `ktour estimate` prints, and its JSON report, from one run.
fn estimate_text_and_json(arguments: &str) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let text = successful_output(&format!("estimate {arguments} --json {}", file.display()));
    (text, serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap())
}

#[test]
fn count_of_years_is_rejected() {
    let mut refusals = Refusals::with_masked_measurements();
    for (arguments, names) in [("count 12x12 --kind closed", "12x12 closed"), ("count 11x11", "11x11")] {
        let line = refusals.run(&format!("{arguments} --memory 8G --threads 2"), 1, &[names, "--force"]);
        assert!(line.starts_with(names), "{line}");
        assert!(line.contains(" years ") || line.contains(" weeks "), "{line}");
    }
    refusals.assert_snapshot("forecasts_years");
}

/// The steps of a complete graph have long lists of moves.
#[test]
fn complete_graph_takes_estimated_memory() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("complete");
    let edges = (0..16).flat_map(|a| (a + 1..17).map(move |b| format!("{a} {b}\n")));
    std::fs::write(&file, edges.collect::<String>()).unwrap();
    let job = format!("--graph {} --kind closed --threads 2", file.display());
    let estimated = estimate_json(&job)["sweep"]["memory_bytes"].as_u64().unwrap();
    let record: Value = serde_json::from_str(&successful_output(&format!("count {job} --json -"))).unwrap();
    assert_eq!(record["counts"]["closed"]["undirected"], "10461394944000");
    let peak = 1024 * record["peak_kib"].as_u64().unwrap();
    assert!(peak < 2 * estimated, "{peak} {estimated}");
}

#[test]
fn rejected_count_prints_only_error() {
    // A graph of 2000 vertices with long edges, whose frontier is as wide as that of a large board.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tangle");
    // No loops and repeated edges, which are reported in notes.
    let edges = (0..2000u32).flat_map(|v| (1..6).map(move |k| (v, (v * 7 + k * k * 191) % 2000)));
    let edges: std::collections::BTreeSet<(u32, u32)> =
        edges.filter(|(v, w)| v != w).map(|(v, w)| (v.min(w), v.max(w))).collect();
    std::fs::write(&file, edges.iter().map(|(v, w)| format!("{v} {w}\n")).collect::<String>()).unwrap();
    let tangle = format!("count --graph {}", file.display());
    for arguments in ["count 1000x1000", "count 200x200..210", "count 12x2..60", "count 10x10", &tangle] {
        // A fixed limit, since the machine may have more memory.
        let output = ktour(&format!("{arguments} --memory 8G")).output().unwrap();
        let (out, err) = super::stdout_and_stderr(&output);
        assert!(out.is_empty() && err.starts_with(ERROR_PREFIX), "{arguments}: {out}{err}");
        assert!(err.lines().count() == 1 && !output.status.success(), "{err}");
    }
}

#[test]
fn estimate_of_huge_boards_has_lower_bounds() {
    // The number of bytes exceeds 64 bits, and the number of slots exceeds the bits of a mask.
    let mut texts = Refusals::with_masked_measurements();
    for board in ["16x20", "20x20", "24x24"] {
        let options = format!("{board} --kind paths --memory 8G --threads 2");
        let (text, report) = estimate_text_and_json(&options);
        let sweep = &report["sweep"]["sweeps"][0];
        assert!(sweep["seconds"].as_f64().unwrap() > 1e15, "{board}: {sweep}");
        assert!(sweep["memory_bytes"].is_null() && sweep["weights"].is_null(), "{board}: {sweep}");
        let sweep = estimate_section(&text, "sweep");
        let states = sweep.lines().nth(1).unwrap();
        assert_eq!(states.matches("9.2e18").count(), 2, "{sweep}");
        texts.add(&format!("estimate {options}"), states);
    }
    texts.assert_snapshot("forecasts_states_beyond_measure");
    for arguments in
        ["estimate 100x100", "count 24x24 --memory 8G", "sample 24x24", "count 30x40 --wrap torus"]
    {
        let (status, line) = error_of(arguments);
        assert!((1..=2).contains(&status) && line.lines().count() == 1, "{arguments}: {line}");
    }
}

#[test]
fn estimate_accepts_shard() {
    let [whole, part, other] = ["0/1", "3/64", "40/64"].map(|shard| {
        estimate_json(&format!("8x8 --kind closed --engine frontier --memory 8G --shard {shard}"))
    });
    assert!(whole["parts"].is_null() && part["parts"] == 64 && part["index"].is_null(), "{part}");
    let saved_bytes = |report: &Value| report["sweep"]["sweeps"][0]["saved_bytes"].as_u64().unwrap();
    assert!(saved_bytes(&part).max(saved_bytes(&other)) <= saved_bytes(&whole) / 2 + 1, "{part} {other}");
    assert_ne!(saved_bytes(&part), saved_bytes(&other));
    let arguments = "5x5 --engine multipath --shard 1/4 --threads 2";
    assert_eq!(estimate_json(arguments)["parts"], 4);
    let mut texts = Refusals::with_masked_measurements();
    texts.add(&format!("estimate {arguments}"), &successful_output(&format!("estimate {arguments}")));
    texts.run("estimate 5x5..7 --shard 0/2", 2, &["--shard"]);
    texts.assert_snapshot("forecasts_parts");
}

#[test]
fn estimate_includes_classes_by_exhaustive_list() {
    let too_many = "6x6 --wrap torus --kind closed --classes --engine frontier --memory 2G --threads 2";
    let few = "4x4 --wrap torus --kind closed --classes --engine frontier --threads 2";
    let [(text_of_many, many), (text_of_few, report)] = [too_many, few].map(estimate_text_and_json);
    assert!(many["symmetric"]["refused"].is_string(), "{many}");
    let estimate = &report["symmetric"];
    assert!(
        estimate["seconds"].as_f64().is_some() && estimate["tours_mean"].as_f64().is_some(),
        "{estimate}"
    );
    let mut texts = Refusals::with_masked_measurements();
    for (options, text) in [(too_many, text_of_many), (few, text_of_few)] {
        texts.add(&format!("estimate {options}"), &estimate_section(&text, "symmetric"));
    }
    texts.assert_snapshot("forecasts_looks_at_every_tour");
    // Distinct tours are counted without visiting every tour: tours with a symmetry are counted separately.
    let distinct = &estimate_json("6x6 --wrap torus --kind closed --distinct --engine frontier --memory 2G")
        ["symmetric"];
    assert!(distinct["seconds"].as_f64().is_some() && distinct["tours_mean"].is_null(), "{distinct}");
}

#[test]
fn rejected_count_names_remedies() {
    // The remedies depend on the machine's memory and disk; the unit tests of `count::admission` cover
    // them. No machine has the memory for this board.
    let (status, line) = error_of("count 10x20 --kind closed --threads 2");
    assert!(line.contains("use a machine with ") && line.contains(" of memory, or with "), "{line}");
    assert!(status == 1 && line.starts_with("10x20 closed: ") && line.contains(" TiB"), "{line}");
    assert!(line.ends_with("; --force starts anyway") && line.matches("; ").count() == 2, "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    // For a count of residues, the advice does not suggest residues.
    let (status, line) = error_of("count 10x20 --kind closed --modulus 65521 --threads 2 --memory 2G");
    assert!(status == 1 && line.contains("--force") && !line.contains("--residues"), "{line}");
    let dir = tempfile::tempdir().unwrap();
    let spill = format!("count 10x10 --kind closed --memory 2G --spill {}", dir.path().display());
    let mut texts = Refusals::with_masked_measurements();
    texts.replace_by_placeholder(dir.path().to_str().unwrap(), "DIR");
    texts.replace_by_placeholder(std::env::temp_dir().to_str().unwrap(), "TMPDIR");
    let (status, line) = error_of(&spill);
    assert!(status == 1 && line.contains("2.00 GiB") && !line.contains("--mpi"), "{line}");
    texts.add(&spill, before_remedies(&line));
    // A sweep whose frontier is too wide for spilling.
    let options = "3x4x4 --kind closed --engine frontier --memory 1G --threads 2";
    let arguments = format!("count {options}");
    let (status, line) = error_of(&arguments);
    assert!(status == 1 && line.contains("1.00 GiB") && line.contains("BOARD"), "{line}");
    assert!(["--spill", "--checkpoint", "--shard"].iter().all(|option| !line.contains(option)), "{line}");
    texts.add(&arguments, before_remedies(&line));
    let arguments = format!("estimate {options}");
    let sweep = estimate_section(&successful_output(&arguments), "sweep");
    assert!(!sweep.contains("--checkpoint"), "{sweep}");
    texts.add(&arguments, &sweep);
    texts.assert_snapshot("forecasts_lack_of_room");
}

#[test]
fn index_estimate_exceeds_sweep_estimate() {
    let report = estimate_json("10x10 --kind closed --engine frontier --memory 16G --threads 2");
    let [index, sweep] = ["index", "sweep"].map(|part| report[part]["seconds"].as_f64().unwrap());
    assert!(index > sweep, "{index} {sweep}");
}

#[test]
fn estimated_nodes_exclude_transposition_table() {
    let arguments = "estimate 5x8 --engine multipath --threads 2";
    let mut texts = Refusals::with_masked_measurements();
    texts.add(arguments, &estimate_section(&successful_output(arguments), "search"));
    texts.assert_snapshot("forecasts_search");
    let visited: f64 = serde_json::from_str::<Value>(&successful_output(
        "count 5x8 --engine multipath --kind paths --json -",
    ))
    .unwrap()["nodes"]
        .as_f64()
        .unwrap();
    let all = estimate_json("5x8 --engine multipath")["search"]["nodes"].as_f64().unwrap();
    assert!(visited < all / 2.0, "{visited} {all}");
}

#[test]
fn estimate_accepts_modulus_and_residues() {
    let memory = |report: &Value| report["sweep"]["memory_bytes"].as_f64().unwrap();
    let estimate_with =
        |options| estimate_json(&format!("8x8 --kind closed {options} --threads 2 --memory 8G"));
    let [exact, narrow, wide] =
        ["--engine frontier", "--modulus 65521", "--modulus 65521,4294967291"].map(estimate_with);
    assert!(memory(&narrow) < 0.95 * memory(&exact) && memory(&narrow) < memory(&wide), "{narrow} {wide}");
    assert!(narrow["residues"]["sweeps"] == 1 && wide["residues"]["sweeps"] == 2, "{narrow} {wide}");
    let all = estimate_json("6x6 --kind closed --residues");
    assert_eq!(all["residues"]["sweeps"], all["bound"]["moduli"].as_array().unwrap().len(), "{all}");
    let sweep_seconds = all["sweep"]["seconds"].as_f64().unwrap();
    assert!(all["residues"]["seconds"].as_f64().unwrap() > 1.9 * sweep_seconds, "{all}");
    let options = "6x6 --kind closed --residues=32 --memory 1G --threads 2";
    let narrow = estimate_json(options);
    assert!(narrow["residues"]["sweeps"].as_u64() > Some(1) && narrow["search"].is_null(), "{narrow}");
    let mut texts = Refusals::with_masked_measurements();
    texts.add(&format!("estimate {options}"), &successful_output(&format!("estimate {options}")));
    texts.assert_snapshot("forecasts_residues");
}

#[test]
fn estimate_reports_free_disk_space() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("not there yet");
    let output = ktour("estimate 7x8 --kind paths --engine frontier --memory 150M --json - --spill")
        .arg(&folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["room_bytes"].as_u64().is_some() && !folder.exists(), "{report}");
}

#[test]
fn minimum_memory_is_estimated_and_enforced() {
    let mut texts = Refusals::with_masked_measurements();
    for (arguments, names) in [
        ("count 10x10 --kind closed --memory 100M --threads 2", ["10x10 closed", "100 MiB"]),
        // The tables fit into this limit, but not a chunk with all its inputs.
        ("count 7x8 --kind closed --engine frontier --memory 20M --threads 2", ["7x8 closed", "20.0 MiB"]),
    ] {
        let (status, line) = error_of(arguments);
        assert!(status == 1 && names.iter().all(|name| line.contains(name)), "{line}");
        texts.add(arguments, before_remedies(&line));
    }
    let options = "7x8 --kind closed --engine frontier --memory 20M";
    let output = ktour(&format!("estimate {options}")).output().unwrap();
    let sweep = estimate_section(&String::from_utf8(output.stdout).unwrap(), "sweep");
    let disk = sweep.lines().find(|line| line.contains("20.0 MiB")).unwrap_or_else(|| panic!("{sweep}"));
    let least = estimate_json(options)["sweep"]["sweeps"][0]["least_bytes"].as_u64().unwrap();
    assert!(least >> 20 == 21 && disk.contains(" 21."), "{least} {disk}");
    texts.add(&format!("estimate {options}"), disk);
    texts.assert_snapshot("forecasts_least_memory");
}

#[test]
fn estimate_of_wide_board_is_rough() {
    let text = successful_output("estimate 12x12 --kind closed");
    assert!(text.contains(" years "), "{text}");
    assert_eq!(estimate_json("12x12 --kind closed")["cheaper"], "frontier");
    let sweep = &estimate_json("12x12 --kind closed --engine frontier")["sweep"];
    assert!(sweep["seconds"].as_f64().unwrap() > 3e8 && sweep["sweeps"][0]["exact"] == false, "{sweep}");
}

#[test]
fn estimate_of_small_board_is_below_26_mb() {
    for board in ["5x5", "6x6"] {
        let sweep = &estimate_json(&format!("{board} --engine frontier --threads 2"))["sweep"];
        let bytes = sweep["memory_bytes"].as_f64().unwrap();
        assert!((6e6..2.6e7).contains(&bytes) && sweep["disk_bytes"] == 0, "{board}: {sweep}");
    }
}

#[test]
fn memory_limit_adds_disk_to_estimate() {
    let sweep = &estimate_json("7x8 --kind paths --engine frontier --memory 150M")["sweep"];
    assert!(sweep["disk_bytes"].as_u64().unwrap() > 0, "{sweep}");
    assert_eq!(sweep["ceiling_bytes"], 150 << 20);
    let arguments = "estimate 7x8 --kind paths --engine frontier --memory 150M --threads 2";
    let sweep = estimate_section(&successful_output(arguments), "sweep");
    assert!(sweep.contains("150 MiB"), "{sweep}");
    let mut texts = Refusals::with_masked_measurements();
    texts.replace_by_placeholder(std::env::temp_dir().to_str().unwrap(), "TMPDIR");
    texts.add(arguments, &sweep);
    texts.assert_snapshot("forecasts_disk");
}

/// The last line of an estimate names the memory that may be used, and the disk for what exceeds it.
#[test]
fn estimate_within_its_error_of_the_limit_names_memory_and_disk() {
    let options = "7x8 --kind paths --engine frontier --threads 2";
    let needed = estimate_json(options)["sweep"]["memory_bytes"].as_u64().unwrap() >> 20;
    // A count is admitted if the estimate exceeds the limit by at most a quarter.
    let limit = needed * 9 / 10;
    let text = successful_output(&format!("estimate {options} --memory {limit}M"));
    let here = text.lines().last().unwrap();
    assert!(here.contains(&format!("yes, with --memory {limit}M: about ")), "{text}");
    assert!(here.contains(&format!(" {limit} MiB of memory, ")) && here.contains(" of disk in "), "{text}");
    let text = successful_output(&format!("estimate {options} --memory {}M", 2 * needed));
    assert!(text.lines().last().unwrap().ends_with(" of memory"), "{text}");
}

#[test]
fn estimate_accepts_ranges_and_per_start() {
    let strip = estimate_json("5x2..20 --kind closed --engine frontier");
    assert_eq!(strip["sweep"]["sweeps"][0]["steps"], 100);
    // One sweep counts all boards of the first range; the square boards are counted one by one.
    assert_eq!((&strip["in_all"]["boards"], &strip["in_all"]["runs"]), (&json!(19), &json!(1)));
    let largest_seconds = strip["sweep"]["seconds"].as_f64().unwrap();
    assert!(strip["in_all"]["seconds"].as_f64().unwrap() >= largest_seconds, "{strip}");
    let squares = estimate_json("1..6 --kind closed");
    assert_eq!((&squares["in_all"]["boards"], &squares["in_all"]["runs"]), (&json!(6), &json!(6)));
    let ranges = "4..6x5..6 --kind paths --threads 2";
    let in_all = &estimate_json(ranges)["in_all"];
    assert_eq!((&in_all["boards"], &in_all["runs"]), (&json!(6), &json!(3)));
    let mut texts = Refusals::with_masked_measurements();
    let arguments = format!("estimate {ranges}");
    let text = successful_output(&arguments);
    let sections = ["range", "in all", "here"].map(|name| estimate_section(&text, name));
    texts.add(&arguments, &sections.join("\n"));
    // The sweep of a line needs memory, whatever a count of its boards one by one could spill.
    let arguments = "estimate 6x6..12 --kind paths --threads 2 --memory 20M";
    let here = estimate_section(&successful_output(arguments), "here");
    assert!(here.contains("no: 6x6..12 in one sweep needs about"), "{here}");
    texts.add(arguments, &here);
    texts.run("estimate 5..6x5..6 --per-start", 2, &["--per-start"]);
    texts.assert_snapshot("forecasts_ranges");
    let sweeps = &estimate_json("5x5 --per-start --engine frontier")["sweep"]["sweeps"];
    // One sweep for all paths, and one for each of the six orbits of squares.
    assert_eq!(sweeps.as_array().unwrap().len(), 7);
}

#[test]
fn estimate_includes_symmetric_part() {
    let symmetric = &estimate_json("8x8 --kind closed --symmetry rot180 --engine frontier")["symmetric"];
    let [seconds, bytes] = ["seconds", "memory_bytes"].map(|key| symmetric[key].as_f64().unwrap());
    assert!(symmetric["sweeps"] == 2 && seconds > 0.0 && bytes < 1e9, "{symmetric}");
    let arguments = "estimate 6x8 --kind closed --distinct --engine frontier --memory 1G --threads 2";
    let text = successful_output(arguments);
    let [sweep, symmetric] = ["sweep", "symmetric"].map(|name| estimate_section(&text, name));
    assert!(sweep.contains("--checkpoint"), "{text}");
    let mut texts = Refusals::with_masked_measurements();
    texts.add(arguments, &[sweep, symmetric].join("\n"));
    let long_count = "count 16x16 --kind closed --symmetry rot180 --memory 8G --threads 2";
    let line = texts.run(long_count, 1, &["16x16", "--force"]);
    assert!(line.contains(" years "), "{line}");
    texts.assert_snapshot("forecasts_symmetric_tours");
}

#[test]
fn estimate_of_trivial_boards_is_immediate() {
    assert_eq!(estimate_json("1x1")["search"]["tours_mean"].as_f64(), Some(1.0));
    assert_eq!(estimate_json("65535x1")["sweep"]["sweeps"][0]["steps"], 0);
    let mut texts = Refusals::with_masked_measurements();
    for arguments in ["estimate 1x1", "estimate 65535x1"] {
        texts.add(arguments, &successful_output(arguments));
    }
    let counted = ktour("count 1x1 --kind paths").output().unwrap();
    assert_eq!(counted.stdout, b"1\n");
    assert_eq!(successful_output("count 65535x1 --kind paths").trim(), "0");
    assert_eq!(successful_output("count 61x61 --kind closed").trim(), "0");
    texts.run("count 1000x1000 --kind closed", 2, &["BOARD", "2000"]);
    texts.assert_snapshot("forecasts_known_numbers");
}

#[test]
fn estimate_of_backtracking_matches_count() {
    // The estimate of backtracking comes from the nodes of its plan; the multipath kernel is timed.
    let search = &estimate_json("7x7 --engine backtrack --threads 2")["search"];
    let request = Request::of_kind("7x7".parse::<Board>().unwrap(), Kind::Paths);
    let [backtrack, multipath] = [backtrack_seconds, search_seconds]
        .map(|seconds| seconds(&request, &Control::new()).unwrap().unwrap());
    assert_eq!(search["seconds"].as_f64(), Some(round_to_milliseconds(backtrack / 2.0)), "{search}");
    // The multipath kernel is faster by two orders of magnitude, but other processes may slow it down.
    assert!(backtrack > multipath, "{backtrack} {multipath}");
    assert!(search["units"].as_u64().unwrap() > 100_000 && search["nodes"].is_null(), "{search}");
    let timed = &estimate_json("6x6 --engine multipath")["search"];
    assert!(timed["nodes"].as_f64().unwrap() > 0.0 && timed["units"].is_null(), "{timed}");
    let options = "6x6 --engine backtrack --kind closed --threads 2";
    let report = estimate_json(options);
    assert!(report["search"]["units"].is_u64() && report["sweep"].is_null(), "{report}");
    let mut texts = Refusals::with_masked_measurements();
    texts.add(&format!("estimate {options}"), &successful_output(&format!("estimate {options}")));
    for options in ["--symmetry rot180 --kind closed", "--modulus 65521", "--residues"] {
        let arguments = format!("estimate 6x6 --engine backtrack {options}");
        texts.run(&arguments, 2, &["--engine backtrack", options.split(' ').next().unwrap()]);
    }
    texts.assert_snapshot("forecasts_path_extension");
}

#[test]
fn estimate_and_count_choose_same_engine() {
    for options in ["5x5", "6x6", "6x6 --kind closed", "5x8 --kind closed", "7x7", "6x7 --kind closed"] {
        let kind = if options.contains("--kind") { "" } else { " --kind paths" };
        let job = ktour(&format!("count {options}{kind} --shard 0/4096")).output().unwrap();
        let job = String::from_utf8(job.stderr).unwrap();
        let engine = &estimate_json(options)["cheaper"];
        assert!(job.contains(&format!("engine={} ", engine.as_str().unwrap())), "{options}: {engine} {job}");
    }
}

#[test]
fn short_symmetric_search_needs_no_sweep_estimate() {
    let options = "6x6 --kind closed --symmetry rot180";
    assert_eq!(estimate_json(options)["symmetric"]["sweeps"], 0);
    let mut texts = Refusals::with_masked_measurements();
    let text = successful_output(&format!("estimate {options}"));
    assert!(text.starts_with("rot180 "), "{text}");
    texts.add(&format!("estimate {options}"), &text);
    texts.assert_snapshot("forecasts_short_symmetric_search");
}

#[test]
fn advised_memory_is_sufficient() {
    let mut transcript = Refusals::with_masked_measurements();
    for (board, low) in [
        ("7x8 --kind closed", 10),
        ("7x8 --kind closed", 20),
        ("7x8 --kind paths", 30),
        ("7x8 --kind paths", 45),
    ] {
        let estimate_at =
            |memory: &str| estimate_json(&format!("{board} --engine frontier --memory {memory} --threads 2"));
        let minimum = estimate_at(&format!("{low}M"))["sweep"]["sweeps"][0]["least_bytes"].as_u64().unwrap();
        assert!(minimum > low << 20, "{board} {low}: {minimum}");
        let second_minimum =
            estimate_at(&minimum.to_string())["sweep"]["sweeps"][0]["least_bytes"].as_u64().unwrap();
        assert!(
            second_minimum <= minimum && minimum < second_minimum * 5 / 4,
            "{board} {low}: {minimum}, then {second_minimum}"
        );
        let arguments = format!("count {board} --engine frontier --memory {low}M --threads 2");
        let (status, line) = error_of(&arguments);
        assert!(status == 1 && line.contains(&format!("{low}.0 MiB")), "{line}");
        transcript.add(&arguments, before_remedies(&line));
    }
    transcript.assert_snapshot("forecasts_least_memory_of_sweeps");
}
