//! What a count will take, said before it takes it.

use ktour::board::Arena;
use ktour::count::Request;
use ktour::count::cost::{extension_seconds, search_seconds};
use ktour::tour::Kind;
use serde_json::{Value, json};

use super::{answer, failure, ktour};

fn estimate(arguments: &str) -> Value {
    serde_json::from_str(&answer(&format!("estimate {arguments} --json -"))).unwrap()
}

#[test]
fn counts_without_an_end_are_not_begun() {
    for (arguments, said) in [
        ("count 12x12 --kind closed", "12x12 closed would take about 10 years on 2 threads "),
        ("count 11x11", "11x11 tours would take about 91 weeks on 2 threads "),
    ] {
        let (status, line) = failure(&format!("{arguments} --threads 2 --memory 8G"));
        assert_eq!(status, 1, "{line}");
        assert!(line.starts_with(said), "{line}");
        assert!(line.ends_with("--force begins all the same"), "{line}");
    }
}

#[test]
fn what_is_refused_is_not_begun() {
    // A tangle of 2000 vertices is as hopeless as a large board, and is told so as soon.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tangle");
    let edges = |v: u32| (1..6).map(move |k| format!("{v} {}\n", (v * 7 + k * k * 191) % 2000));
    std::fs::write(&file, (0..2000).flat_map(edges).collect::<String>()).unwrap();
    let tangle = format!("count --graph {}", file.display());
    for arguments in ["count 1000x1000", "count 200x200..210", "count 12x2..60", "count 10x10", &tangle] {
        // So that the answer is not that of a machine that has more memory.
        let output = ktour(&format!("{arguments} --memory 8G")).output().unwrap();
        let (out, err) = super::texts(&output);
        assert!(out.is_empty() && err.starts_with("ktour: error: "), "{arguments}: {out}{err}");
        assert!(err.lines().count() == 1 && !output.status.success(), "{err}");
    }
}

#[test]
fn boards_beyond_all_measure_are_told_so() {
    // More bytes than can be counted, and slots that no mask has a bit for.
    for board in ["16x20", "20x20", "24x24"] {
        let said = estimate(&format!("{board} --kind paths --memory 8G --threads 2"));
        let sweep = &said["sweep"]["sweeps"][0];
        assert!(sweep["seconds"].as_f64().unwrap() > 1e15, "{board}: {sweep}");
        assert!(sweep["memory_bytes"].is_null() && sweep["weights"].is_null(), "{board}: {sweep}");
        let told = answer(&format!("estimate {board} --kind paths --memory 8G --threads 2"));
        assert!(told.contains("  states more than 9.2e18 at once, more than 9.2e18 in all"), "{told}");
    }
    for arguments in
        ["estimate 100x100", "count 24x24 --memory 8G", "sample 24x24", "count 30x40 --wrap torus"]
    {
        let (status, line) = failure(arguments);
        assert!((1..=2).contains(&status) && line.lines().count() == 1, "{arguments}: {line}");
    }
}

#[test]
fn a_part_is_estimated() {
    let [whole, part] = ["0/1", "3/64"]
        .map(|shard| estimate(&format!("8x8 --kind closed --engine frontier --memory 8G --shard {shard}")));
    assert!(whole["parts"].is_null() && part["parts"] == 64 && part["index"].is_null(), "{part}");
    let saved = |said: &Value| said["sweep"]["sweeps"][0]["saved_bytes"].as_u64().unwrap();
    assert!(saved(&part) <= saved(&whole) / 2 + 1, "{part}");
    assert!(answer("estimate 5x5 --engine multipath --shard 1/4").contains(" threads, of a part"));
    let (status, line) = failure("estimate 5x5..7 --shard 0/2");
    assert!(status == 2 && line.contains("--shard"), "{line}");
}

#[test]
fn looks_at_every_tour_are_estimated() {
    let said = answer("estimate 6x6 --wrap torus --kind closed --classes --engine frontier --memory 2G");
    assert!(said.contains("symmetric none: about ") && said.contains("one by one"), "{said}");
    let look = &estimate("4x4 --wrap torus --kind closed --classes --engine frontier")["symmetric"];
    assert!(look["seconds"].as_f64().is_some() && look["tours"].as_f64().is_some(), "{look}");
    // What is distinct needs no look: the tours that a translation keeps are found by themselves.
    let searched =
        &estimate("6x6 --wrap torus --kind closed --distinct --engine frontier --memory 2G")["symmetric"];
    assert!(searched["seconds"].as_f64().is_some() && searched["tours"].is_null(), "{searched}");
}

#[test]
fn what_does_not_fit_is_told_what_would() {
    // What helps depends on the machine's memory and disk: `cli::remedies` tries them all.
    let (status, line) = failure("count 10x20 --kind closed --threads 2");
    let (need, helps) = line.split_once(" of memory (").unwrap();
    assert!(status == 1 && need.starts_with("10x20 closed needs about ") && need.ends_with(" TiB"), "{line}");
    assert!(helps.contains("--residues") && helps.contains("--force") && line.lines().count() == 1, "{line}");
    // Residues cannot take less than themselves.
    let (status, line) = failure("count 10x20 --kind closed --modulus 65521 --threads 2 --memory 2G");
    assert!(status == 1 && line.contains("--force") && !line.contains("--residues"), "{line}");
    let dir = tempfile::tempdir().unwrap();
    let spill = format!("count 10x10 --kind closed --memory 2G --spill {}", dir.path().display());
    let (_, line) = failure(&spill);
    assert!(line.contains(" of memory, with all else on the disk") && !line.contains("--mpi"), "{line}");
    // What no store can help.
    let (_, line) = failure("count 3x4x4 --kind closed --engine frontier --memory 1G");
    assert!(
        line.contains("too wide for layers that could go to the disk, and 1.00 GiB may be used"),
        "{line}"
    );
    let said = answer("estimate 3x4x4 --kind closed --engine frontier --memory 1G");
    assert!(said.contains("  disk   of no help: ") && !said.contains("  saved"), "{said}");
}

#[test]
fn an_index_is_not_told_to_take_less_than_its_sweep() {
    let said = estimate("10x10 --kind closed --engine frontier --memory 16G --threads 2");
    let [index, sweep] = ["index", "sweep"].map(|of| said[of]["seconds"].as_f64().unwrap());
    assert!(index > sweep, "{index} {sweep}");
}

#[test]
fn nodes_are_told_to_be_those_of_the_whole_search() {
    let said = answer("estimate 5x8 --engine multipath");
    assert!(said.contains("all that a list visits") && said.contains("those remembered included"), "{said}");
    let visited: f64 =
        serde_json::from_str::<Value>(&answer("count 5x8 --engine multipath --kind paths --json -")).unwrap()
            ["nodes"]
            .as_f64()
            .unwrap();
    let all = estimate("5x8 --engine multipath")["search"]["nodes"].as_f64().unwrap();
    assert!(visited < all / 2.0, "{visited} {all}");
}

#[test]
fn sweeps_modulo_primes_are_estimated() {
    let memory = |said: &Value| said["sweep"]["memory_bytes"].as_f64().unwrap();
    let on = |options| estimate(&format!("8x8 --kind closed {options} --threads 2 --memory 8G"));
    let [exact, narrow, wide] =
        ["--engine frontier", "--modulus 65521", "--modulus 65521,4294967291"].map(on);
    assert!(memory(&narrow) < 0.95 * memory(&exact) && memory(&narrow) < memory(&wide), "{narrow} {wide}");
    assert!(narrow["residues"]["sweeps"] == 1 && wide["residues"]["sweeps"] == 2, "{narrow} {wide}");
    let all = estimate("6x6 --kind closed --residues");
    assert_eq!(all["residues"]["sweeps"], all["bound"]["moduli"].as_array().unwrap().len(), "{all}");
    let each = all["sweep"]["seconds"].as_f64().unwrap();
    assert!(all["residues"]["seconds"].as_f64().unwrap() > 1.9 * each, "{all}");
    let text = answer("estimate 6x6 --kind closed --residues=32");
    assert!(text.contains("such sweeps, ") && !text.contains("search"), "{text}");
}

#[test]
fn the_room_of_a_folder_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("not there yet");
    let said = ktour("estimate 7x8 --kind paths --engine frontier --memory 150M --json - --spill")
        .arg(&folder)
        .output()
        .unwrap();
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert!(said["room_bytes"].as_u64().is_some() && !folder.exists(), "{said}");
}

#[test]
fn what_has_to_be_in_memory_is_told_and_refused() {
    let (status, line) = failure("count 10x10 --kind closed --memory 100M");
    assert!(status == 1 && line.contains("with all else on the disk"), "{line}");
    // Tables have room, and not a chunk with all its sources.
    let (status, line) = failure("count 7x8 --kind closed --engine frontier --memory 22M --threads 2");
    assert!(status == 1 && line.contains("with all else on the disk"), "{line}");
    let command = "estimate 7x8 --kind closed --engine frontier --memory 22M --threads 2";
    let said = ktour(command).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains("of no help: 26.") && said.contains("and 22.00 MiB may be used"), "{said}");
}

#[test]
fn count_and_estimate_agree_on_what_is_too_wide() {
    let said = answer("estimate 12x12 --kind closed");
    assert!(said.contains("years on ") && said.contains("cheaper  frontier"), "{said}");
    let sweep = &estimate("12x12 --kind closed --engine frontier")["sweep"];
    assert!(sweep["seconds"].as_f64().unwrap() > 3e8 && sweep["sweeps"][0]["exact"] == false, "{sweep}");
}

#[test]
fn a_small_board_takes_little_memory() {
    for board in ["5x5", "6x6"] {
        let sweep = &estimate(&format!("{board} --engine frontier --threads 2"))["sweep"];
        let bytes = sweep["memory_bytes"].as_f64().unwrap();
        assert!((6e6..2.6e7).contains(&bytes) && sweep["disk_bytes"] == 0, "{board}: {sweep}");
    }
}

#[test]
fn a_ceiling_sends_the_rest_to_the_disk() {
    let sweep = &estimate("7x8 --kind paths --engine frontier --memory 150M")["sweep"];
    assert!(sweep["disk_bytes"].as_u64().unwrap() > 0, "{sweep}");
    assert_eq!(sweep["ceiling_bytes"], 150 << 20);
    let said = answer("estimate 7x8 --kind paths --engine frontier --memory 150M");
    assert!(said.contains("beside 150.00 MiB of memory"), "{said}");
}

#[test]
fn ranges_and_tables_by_start_are_estimated() {
    let told = estimate("5x2..20 --kind closed --engine frontier");
    assert_eq!(told["sweep"]["sweeps"][0]["steps"], 100);
    // All of its boards are passed by one sweep; squares are counted one by one.
    assert_eq!((&told["in_all"]["boards"], &told["in_all"]["runs"]), (&json!(19), &json!(1)));
    let squares = estimate("1..6 --kind closed");
    assert_eq!((&squares["in_all"]["boards"], &squares["in_all"]["runs"]), (&json!(6), &json!(6)));
    assert!(answer("estimate 4..6x5..6 --kind paths").contains("\nin all   6 boards by 3 runs, "));
    let (status, line) = failure("estimate 5..6x5..6 --per-start");
    assert!(status == 2 && line.contains("does not go with --per-start"), "{line}");
    let sweeps = &estimate("5x5 --per-start --engine frontier")["sweep"]["sweeps"];
    // One for all paths, and one for each of six orbits of squares.
    assert_eq!(sweeps.as_array().unwrap().len(), 7);
}

#[test]
fn symmetric_tours_are_estimated_as_well() {
    let symmetric = &estimate("8x8 --kind closed --symmetry rot180 --engine frontier")["symmetric"];
    let [seconds, bytes] = ["seconds", "memory_bytes"].map(|key| symmetric[key].as_f64().unwrap());
    assert!(symmetric["sweeps"] == 2 && seconds > 0.0 && bytes < 1e9, "{symmetric}");
    let said = answer("estimate 6x8 --kind closed --distinct --engine frontier");
    assert!(said.contains("symmetric ") && said.contains("  saved  "), "{said}");
    let (status, line) = failure("count 16x16 --kind closed --symmetry rot180");
    assert!(status == 1 && line.contains(" years on "), "{line}");
    let (_, line) = failure("count 8x8 --symmetry rot180 --checkpoint run");
    assert!(line.contains("short and in memory"), "{line}");
}

#[test]
fn what_is_known_at_once_is_estimated_at_once() {
    let said = answer("estimate 1x1");
    assert!(said.contains("  tours  1\n"), "{said}");
    let counted = ktour("count 1x1 --kind paths").output().unwrap();
    assert_eq!(counted.stdout, b"1\n");
    assert!(answer("estimate 65535x1").contains("the number is known at once"));
    assert_eq!(answer("count 65535x1 --kind paths").trim(), "0");
    assert_eq!(answer("count 61x61 --kind closed").trim(), "0");
    let (status, line) = failure("count 1000x1000 --kind closed");
    assert!(status == 2 && line.contains("too wide"), "{line}");
}

#[test]
fn path_extension_is_estimated_as_count_does() {
    // By the nodes of its plan and fixed costs, where the multi-path kernel is timed.
    let search = &estimate("7x7 --engine backtrack --threads 2")["search"];
    let request = Request { kind: Some(Kind::Paths), ..Request::new("7x7".parse::<Arena>().unwrap()) };
    let [seconds, swift] = [extension_seconds, search_seconds].map(|of| of(&request).unwrap());
    assert_eq!(search["seconds"].as_f64(), Some(seconds / 2.0), "{search}");
    assert!(seconds > 10.0 * swift, "{seconds} {swift}");
    assert!(search["units"].as_u64().unwrap() > 100_000 && search["nodes"].is_null(), "{search}");
    let timed = &estimate("6x6 --engine multipath")["search"];
    assert!(timed["nodes"].as_f64().unwrap() > 0.0 && timed["units"].is_null(), "{timed}");
    let text = answer("estimate 6x6 --engine backtrack --kind closed");
    assert!(text.contains("units, by path extension\n") && !text.contains("sweep"), "{text}");
    for options in ["--symmetry rot180 --kind closed", "--modulus 65521", "--residues"] {
        let (status, line) = failure(&format!("estimate 6x6 --engine backtrack {options}"));
        assert!(status == 2 && line.contains("does not go with --symmetry"), "{line}");
    }
}

#[test]
fn count_and_estimate_name_the_same_engine() {
    for options in ["5x5", "6x6", "6x6 --kind closed", "5x8 --kind closed", "7x7", "6x7 --kind closed"] {
        let kind = if options.contains("--kind") { "" } else { " --kind paths" };
        let job = ktour(&format!("count {options}{kind} --shard 0/4096")).output().unwrap();
        let job = String::from_utf8(job.stderr).unwrap();
        let engine = &estimate(options)["cheaper"];
        assert!(job.contains(&format!("engine={} ", engine.as_str().unwrap())), "{options}: {engine} {job}");
    }
}

#[test]
fn what_is_counted_at_once_is_told_so() {
    let said = answer("estimate 6x6 --kind closed --symmetry rot180");
    assert!(said.starts_with("rot180   counted at once: "), "{said}");
}

#[test]
fn who_follows_the_advice_on_memory_gets_through() {
    for (board, low) in [
        ("7x8 --kind closed", 10),
        ("7x8 --kind closed", 20),
        ("7x8 --kind paths", 30),
        ("7x8 --kind paths", 45),
    ] {
        let told =
            |memory: &str| estimate(&format!("{board} --engine frontier --memory {memory} --threads 2"));
        let least = told(&format!("{low}M"))["sweep"]["sweeps"][0]["least_bytes"].as_u64().unwrap();
        assert!(least > low << 20, "{board} {low}: {least}");
        let followed = told(&least.to_string())["sweep"]["sweeps"][0]["least_bytes"].as_u64().unwrap();
        assert!(followed <= least && least < followed * 5 / 4, "{board} {low}: {least}, then {followed}");
        let (_, line) = failure(&format!("count {board} --engine frontier --memory {low}M --threads 2"));
        assert!(line.contains("with all else on the disk"), "{line}");
    }
}
