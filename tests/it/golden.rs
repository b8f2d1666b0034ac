//! Golden values: digests, job lines, stored files and output that other programs read. A renaming
//! in the code could change them unnoticed.
//!
//! The values are in `tests/it/snapshots/golden_*.txt`. A change there breaks files of earlier
//! versions, or programs that read the output. It must be intended; it is never only wording.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ktour::BigUint;
use ktour::batch::{Checkpoint, Job, RunState, SavedCommand, SeriesState, Shard, SuspendedUnit};
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::{Engine, Request, UnitProgress, WorkPlan};
use ktour::cpu_features::{KernelSet, with_kernels};
use ktour::frontier::{
    Method, Options, PreparedSweep, ResidueRing, Snapshot, Storage, SweepGraph, SweepShard, SweepSides,
    Tours, count_with_storage,
};
use ktour::index::{Index, IndexLocation};
use ktour::series::SavedSweeps;
use ktour::tour::{Kind, TourSpec};
use sha2::{Digest, Sha256};

use super::sweep_shards_and_snapshots::{MemoryStore, SnapshotObserver, run_on_threads};
use crate::cli::ktour;
use crate::snapshot::Transcript;

/// The Petersen graph.
const PETERSEN: &str = "graph=IpT@GSS_W names=o0,o1,i0,i2,o2,i1,i3,o3,i4,o4";

/// JSON keys and CSV columns whose values depend on the run or the machine, or are sentences.
const VOLATILE_KEYS: [&str; 12] = [
    "reason", "how", "seconds", "threads", "peak_kib", "cpu", "cores", "started", "finished", "version",
    "commit", "sha256",
];

fn parse_board(text: &str) -> Board {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Returns JSON with placeholders for the values of volatile keys. Keys, order and all other values stay.
fn mask_json(json: &str) -> String {
    let mut json = json.to_owned();
    for key in VOLATILE_KEYS {
        let key = format!("\"{key}\":");
        let mut masked = String::new();
        let mut remaining = json.as_str();
        while let Some((before, after)) = remaining.split_once(&key) {
            let value = after.trim_start_matches(' ');
            let end = match value.strip_prefix('"') {
                Some(text) => text.find('"').unwrap() + 2,
                None => value.find([',', '}', '\n']).unwrap(),
            };
            let space = &after[..after.len() - value.len()];
            write!(masked, "{before}{key}{space}<{}>", &key[1..key.len() - 2]).unwrap();
            remaining = &value[end..];
        }
        json = masked + remaining;
    }
    json
}

/// Returns JSON with `#` for every number outside strings, and with one item for each list of numbers.
fn mask_json_numbers(json: &str) -> String {
    let (mut shape, mut in_text, mut in_number) = (String::new(), false, false);
    for c in json.chars() {
        in_text ^= c == '"';
        let is_number = !in_text && (c.is_ascii_digit() || in_number && "+-.eE".contains(c) || c == '-');
        match (is_number, in_number) {
            (true, false) => shape.push('#'),
            (true, true) => {}
            (false, _) => shape.push(c),
        }
        in_number = is_number;
    }
    while shape.contains("#,#") {
        shape = shape.replace("#,#", "#");
    }
    shape
}

/// Splits a line of CSV into its fields, quotes included.
fn split_csv_fields(line: &str) -> Vec<&str> {
    let (mut fields, mut begin, mut is_quoted) = (Vec::new(), 0, false);
    for (index, c) in line.char_indices() {
        is_quoted ^= c == '"';
        if c == ',' && !is_quoted {
            fields.push(&line[begin..index]);
            begin = index + 1;
        }
    }
    fields.push(&line[begin..]);
    fields
}

/// Returns CSV with placeholders in volatile columns.
fn mask_csv(csv: &str) -> String {
    let head = split_csv_fields(csv.lines().next().unwrap());
    let masked = |line: &str| -> String {
        let columns = split_csv_fields(line).into_iter().zip(&head);
        let masked = columns.map(|(field, name)| match VOLATILE_KEYS.contains(name) && field != *name {
            true => format!("<{name}>"),
            false => field.to_owned(),
        });
        masked.collect::<Vec<_>>().join(",")
    };
    csv.lines().map(masked).collect::<Vec<_>>().join("\n")
}

#[test]
fn masks_preserve_keys_and_order() {
    let json = "{\"b\": 1,\n\"seconds\": 0.25,\"x\":[{\"cpu\":\"a, b\",\"cores\":8}], \"peak_kib\":null}";
    assert_eq!(
        mask_json(json),
        "{\"b\": 1,\n\"seconds\": <seconds>,\"x\":[{\"cpu\":<cpu>,\"cores\":<cores>}], \"peak_kib\":<peak_kib>}"
    );
    assert_eq!(
        mask_json_numbers("{\"a1\":[1,-2.5e-3,30],\"b\":\"7,8\",\"c\":4}"),
        "{\"a1\":[#],\"b\":\"7,8\",\"c\":#}"
    );
    assert_eq!(
        mask_csv("a,seconds,b\n\"1,2\",3.5,x\n,0.1,"),
        "a,seconds,b\n\"1,2\",<seconds>,x\n,<seconds>,"
    );
}

#[test]
fn plan_digests_are_unchanged() {
    let mut golden = Transcript::default();
    let mut distinct = BTreeSet::new();
    let mut add = |name: &str, board: &Board, tours: Tours, options: &Options| {
        let prepared = PreparedSweep::new(&SweepGraph::from_board(board), tours, options).unwrap();
        golden.add(&format!("{board} {name}"), &format!("{:016x}", prepared.plan_digest()));
        distinct.insert(prepared.plan_digest());
        prepared.plan_digest()
    };
    let plain = Options::default();
    for (rectangle, kinds) in [
        ("board=3x4 piece=1,2 remove=-", &[Tours::Paths][..]),
        ("board=5x5 piece=1,2 remove=-", &[Tours::Paths]),
        ("board=5x6 piece=1,2 remove=-", &[Tours::Closed, Tours::Paths]),
        ("board=6x6 piece=1,2 remove=-", &[Tours::Closed, Tours::Paths]),
        ("board=8x8 piece=1,2 remove=-", &[Tours::Closed, Tours::Paths]),
        ("board=5x5 piece=1,2 remove=a1", &[Tours::Paths]),
        ("board=5x5 wrap=torus piece=1,2 remove=-", &[Tours::Closed]),
        ("board=5x5 wrap=mobius piece=1,2 remove=-", &[Tours::Closed]),
        ("board=4x6 wrap=cols piece=1,2 remove=-", &[Tours::Paths]),
        ("board=5x5 piece=0,1 remove=-", &[Tours::Paths]),
        ("board=4x4 piece=0,1+1,1 remove=-", &[Tours::Closed]),
        ("board=10x10 piece=1,4 remove=-", &[Tours::Closed]),
        ("board=2x4x4 piece=1,2 remove=-", &[Tours::Closed]),
        (PETERSEN, &[Tours::Paths]),
    ] {
        for &tours in kinds {
            let kind = if tours == Tours::Closed { "closed" } else { "paths" };
            add(kind, &parse_board(rectangle), tours, &plain);
        }
    }
    let rectangle = parse_board("board=6x6 piece=1,2 remove=-");
    let [a1, b1, c4] = ["a1", "b1", "c4"].map(|name| rectangle.vertex(name).unwrap());
    add("paths from a1", &rectangle, Tours::From(a1), &plain);
    add("paths from c4", &rectangle, Tours::From(c4), &plain);
    add("paths from a1 to b1", &rectangle, Tours::Between(a1, b1), &plain);
    for (large, tours) in [("3x10", Tours::Closed), ("7x7", Tours::Paths)] {
        let large = parse_board(&format!("board={large} piece=1,2 remove=-"));
        let [folded, plain] = [true, false]
            .map(|fold| add(&format!("fold {fold}"), &large, tours, &Options { fold, ..Options::default() }));
        assert_ne!(folded, plain, "a sweep of {large} folds");
    }
    let rows = Options { order: Some((0..36).collect()), ..Options::default() };
    add("closed, row by row", &rectangle, Tours::Closed, &rows);
    // An option that does not change the plan does not change its digest.
    let whole = add("closed, again", &rectangle, Tours::Closed, &plain);
    for (name, options) in [
        ("closed, 64 MiB", Options { memory: Some(64 << 20), ..Options::default() }),
        ("closed, a part", Options { shard: Some(SweepShard { index: 3, count: 8 }), ..Options::default() }),
        ("closed, one end", Options { sides: SweepSides::One, ..Options::default() }),
        ("closed, two ends", Options { sides: SweepSides::Two(14), ..Options::default() }),
        (
            "closed, modulo",
            Options { modulo: Some(ResidueRing::new(65521).unwrap().into()), ..Options::default() },
        ),
        ("closed, hashed", Options { method: Method::Hashed, ..Options::default() }),
    ] {
        assert_eq!(add(name, &rectangle, Tours::Closed, &options), whole, "{name}");
    }
    let threads = run_on_threads(3, || add("closed, three threads", &rectangle, Tours::Closed, &plain));
    assert_eq!(threads, whole);
    assert!(distinct.len() >= 20, "{}", distinct.len());
    golden.assert_golden("golden_plans");
}

/// Returns a title, and four tours with their numbers: the first two, the one after a third of all, and the
/// last.
fn describe_first_and_last_tours(board_text: &str, kind: Kind, ends: [Option<&str>; 2]) -> (String, String) {
    let board = parse_board(board_text);
    let [start, end] = ends.map(|name| name.map(|name| board.vertex(name).unwrap()));
    let numbered_tours = TourSpec::new(board, kind, start, end).unwrap();
    let index = Index::new(&numbered_tours, &IndexLocation::Memory, &Control::new()).unwrap();
    let total = index.total();
    let mut text = format!("{}\nplan {}, {total} tours\n", index.title(), index.numbering());
    let one = BigUint::from(1u32);
    for number in [0u32.into(), one.clone(), total / 3u32, total - &one] {
        let tour = index.tour(&number).unwrap();
        assert_eq!(index.number(&tour).unwrap(), number, "{board_text}");
        let names: Vec<String> = tour.vertices().iter().map(|&v| numbered_tours.board().name(v)).collect();
        writeln!(text, "{number} {} {}", tour.kind().name(), names.join(" ")).unwrap();
    }
    let [start, end] = ends.map(|name| name.unwrap_or("-"));
    (format!("{board_text} {} start={start} end={end}", kind.name()), text)
}

#[test]
fn tour_numbers_are_unchanged() {
    let mut golden = Transcript::default();
    for (board, kind, ends) in [
        ("board=6x6 piece=1,2 remove=-", Kind::Closed, [None, None]),
        ("board=5x6 piece=1,2 remove=-", Kind::Paths, [None, None]),
        ("board=5x5 piece=1,2 remove=-", Kind::Paths, [Some("c3"), None]),
        ("board=5x5 piece=1,2 remove=-", Kind::Paths, [None, Some("e5")]),
        ("board=5x6 piece=1,2 remove=-", Kind::Paths, [Some("a1"), Some("b1")]),
        ("board=6x6 piece=1,2 remove=-", Kind::Closed, [Some("c4"), None]),
        ("board=5x5 wrap=torus piece=1,2 remove=-", Kind::Closed, [None, None]),
        ("board=4x5 wrap=mobius piece=1,2 remove=-", Kind::Paths, [None, None]),
        ("board=4x4 piece=0,1+1,1 remove=-", Kind::Paths, [None, None]),
        (PETERSEN, Kind::Paths, [None, None]),
    ] {
        let (case, text) = describe_first_and_last_tours(board, kind, ends);
        golden.add(&case, &text);
    }
    // Tours that depend on the seed, some from commands that do not number tours.
    for arguments in [
        "sample 6x6 --kind closed --number 3 --seed 1 --bare",
        "sample 5x6 --kind open --number 3 --seed 2 --bare",
        "sample 6x6 --kind closed --distinct --number 3 --seed 3",
        "find 8x8 --rule warnsdorff --seed 4",
    ] {
        golden.add(arguments, &run_and_read_output(arguments, Path::new(".")));
    }
    golden.assert_golden("golden_index");
}

/// Returns standard output of a successful run in a folder.
fn run_and_read_output(arguments: &str, folder: &Path) -> String {
    let output = ktour(arguments).current_dir(folder).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{arguments}: {err}");
    out
}

#[test]
fn job_lines_are_unchanged() {
    let whole = Shard::WHOLE;
    let request = |text: &str, kind, engine| Request { engine, ..Request::of_kind(parse_board(text), kind) };
    let knight = |rectangle: &str, kind, engine| {
        request(&format!("board={rectangle} piece=1,2 remove=-"), kind, engine)
    };
    let find_vertex = |rectangle: &str, start: &str| Some(parse_board(rectangle).vertex(start).unwrap());
    let (closed, open, paths) = (Some(Kind::Closed), Some(Kind::Open), Some(Kind::Paths));
    let sharded = |rectangle, count| Request { shards: count, ..knight(rectangle, closed, Engine::Frontier) };
    let named_graph = parse_board("graph=EhEG names=%61%20b,%2d,c%3dd,d,e,f");
    let mut golden = Transcript::default();
    for (request, shard) in [
        (knight("5x5", None, Engine::Multipath), whole),
        (knight("5x6", closed, Engine::Backtrack), "3/8".parse().unwrap()),
        (knight("6x6", paths, Engine::Multipath), "5/7".parse().unwrap()),
        (Request { split_depth: Some(5), ..knight("6x6", open, Engine::Multipath) }, whole),
        (knight("5x5", open, Engine::Backtrack).with_ends(find_vertex("5x5", "a1"), None).unwrap(), whole),
        (
            knight("5x5", paths, Engine::Multipath)
                .with_ends(find_vertex("5x5", "a1"), find_vertex("5x5", "b2"))
                .unwrap(),
            whole,
        ),
        (Request { per_start: true, ..knight("6x6", closed, Engine::Frontier) }, whole),
        (sharded("6x6", 8), "3/8".parse().unwrap()),
        (sharded("6x8", 3), "0/3".parse().unwrap()),
        (Request { shards: 4, ..knight("5x6", None, Engine::Frontier) }, "1/4".parse().unwrap()),
        (Request { modulus: ResidueRing::new(65521), ..knight("8x8", closed, Engine::Frontier) }, whole),
        (request("board=5x5 piece=1,2 remove=a1", paths, Engine::Backtrack), whole),
        (request("board=5x5 wrap=torus piece=1,2 remove=-", closed, Engine::Frontier), whole),
        (request("board=4x4 piece=0,1+1,1 remove=-", paths, Engine::Multipath), whole),
        (request("board=2x3x4 piece=1,2 remove=-", paths, Engine::Multipath), whole),
        (request(PETERSEN, None, Engine::Multipath), whole),
        (
            Request {
                engine: Engine::Multipath,
                ..Request::new(named_graph).with_ends(Some(0), None).unwrap()
            },
            whole,
        ),
    ] {
        let job = Job::new(&WorkPlan::new(&request).unwrap(), shard);
        assert_eq!(job.to_string().parse::<Job>().unwrap(), job);
        golden.add(&format!("{} {}", request.board(), request.engine.name()), &job.to_string());
    }
    golden.assert_golden("golden_jobs");
}

#[test]
fn csv_json_and_records_are_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::copy("examples/petersen.txt", path("petersen.txt")).unwrap();
    let table = "rows,cols,prefix,kind,direction,start,count,source\n6,6,,closed,undirected,,9862,somebody\n";
    fs::write(path("own.csv"), table).unwrap();
    fs::write(path("tours"), run_and_read_output("list 5x6 --kind closed --limit 2", folder.path())).unwrap();
    let mut golden = Transcript::default();
    for (arguments, outputs) in [
        ("count 5x5", "csv json record"),
        ("count 5x6 --kind closed --per-start", "csv json record"),
        ("count 6x6 --kind closed --symmetry rot180", "csv json record"),
        ("count 5x6 --classes", "csv json record"),
        ("count 4x5 --distinct --wrap torus --engine backtrack", "csv json record"),
        ("count 4x5..6", "csv json record"),
        ("count 3x4 --modulus 65521", "csv json record"),
        ("count 5x6 --kind closed --residues", "csv json record"),
        ("count 5x6 --engine frontier --shard 1/2", "csv json record"),
        ("count 5x5 --start a1 --end b2 --remove e5 --engine multipath", "csv json record"),
        ("count --graph petersen.txt --double-check", "csv json record"),
        ("series 3x4..9 --kind closed --recurrence", "csv json record bfile"),
        ("stats 3x4", "csv json"),
        ("stats 5x6 --kind closed --histogram steep", "csv json"),
        ("stats 3x4 --pairs", "csv json"),
        ("stats 5x6 --kind closed --samples 10 --seed 1", "json"),
        ("find 5x6", "csv json"),
        ("find 4x4", "json"),
        ("check tours", "json"),
        ("verify --table own.csv", "csv json"),
    ] {
        let file = |kind: &str| format!("{kind}.out");
        let options: String = outputs.split(' ').fold(String::new(), |mut all, kind| {
            write!(all, " --{kind} {}", file(kind)).unwrap();
            all
        });
        // Standard output is wording; the contents of the files are formats.
        let command = format!("{arguments}{options} --threads 1");
        let output = ktour(&command).current_dir(folder.path()).output().unwrap();
        let has_no_tour = arguments == "find 4x4";
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), !has_no_tour, "{command}: {err}");
        for kind in outputs.split(' ') {
            let text = fs::read_to_string(path(&file(kind))).unwrap_or_else(|_| panic!("{command}: {err}"));
            fs::remove_file(path(&file(kind))).unwrap();
            let text = match kind {
                "csv" => mask_csv(&text),
                "json" | "record" => mask_json(&text),
                _ => text,
            };
            golden.add(&format!("{arguments} --{kind}"), &text);
        }
    }
    // Estimated times and sizes depend on the machine.
    for arguments in ["estimate 5x6 --threads 2 --memory 1G", "estimate 6x6 --kind closed --residues"] {
        golden.add(
            arguments,
            &mask_json_numbers(&run_and_read_output(&format!("{arguments} --json -"), folder.path())),
        );
    }
    for format in ["squares", "grid", "csv", "ndjson"] {
        let arguments = format!("list 5x6 --kind closed --limit 2 --format {format}");
        golden.add(&arguments, &run_and_read_output(&arguments, folder.path()));
    }
    golden.assert_golden("golden_output");
}

/// Returns a checkpoint with placeholders for values that depend on the run, and without its time and digest.
fn mask_checkpoint(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let [head, job, saved, digest, body] = lines[..] else { panic!("{text}") };
    assert!(saved.starts_with("saved ") && digest.starts_with("sha256 ") && digest.len() == 71, "{text}");
    [head, job, &mask_json(body)].join("\n")
}

#[test]
fn checkpoints_and_indexes_are_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let mut golden = Transcript::default();
    let run = "count 5x5 --engine multipath --per-start --threads 1 --checkpoint run --record records";
    run_and_read_output(run, folder.path());
    golden.add(run, &mask_checkpoint(&read("run")));
    // The checkpoint stores the command line, by which a later run resumes it.
    let distinct = "count 5x5 --engine multipath --distinct --checkpoint distinct --csv csv --double-check";
    run_and_read_output(distinct, folder.path());
    golden.add(distinct, &mask_checkpoint(&read("distinct")));
    let series = "count 4x5..6 --kind closed --threads 1 --checkpoint family";
    run_and_read_output(series, folder.path());
    golden.add(series, &mask_checkpoint(&read("family")));
    for (name, arguments) in [
        ("closed", "sample 5x6 --kind closed --number 1 --seed 1 --index closed"),
        ("paths", "sample 5x5 --end e5 --number 1 --seed 1 --index paths --threads 1"),
    ] {
        run_and_read_output(arguments, folder.path());
        let files = fs::read_dir(folder.path().join(name)).unwrap();
        let mut files: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        let digest = |file: &String| sha256(&fs::read(folder.path().join(name).join(file)).unwrap());
        let digests: String = files.iter().map(|file| format!("{file} {}\n", digest(file))).collect();
        golden.add(arguments, &format!("{}\n{digests}", read(&format!("{name}/index.json"))));
    }
    golden.assert_golden("golden_files");
}

/// Runs a sweep of 6x6 on one thread. Returns the snapshot with the most non-empty lists of chunks, and among
/// those the most chunks, with the bytes of its layer.
fn take_largest_snapshot(tours: Tours, options: &Options) -> (Snapshot, Vec<u8>) {
    let store = MemoryStore { keeps_removed_items: true, ..MemoryStore::default() };
    let mut observer = SnapshotObserver { every: 1, stop_after: usize::MAX, ..SnapshotObserver::default() };
    let graph = SweepGraph::from_board(&parse_board("board=6x6 piece=1,2 remove=-"));
    let storage = Storage { store: Some(&store), wants_snapshots: true, ..Storage::default() };
    run_on_threads(1, || count_with_storage(&graph, tours, options, storage, &mut observer)).unwrap();
    let chunks = |snapshot: &Snapshot| {
        let [layer, next, waiting] = [&snapshot.layer, &snapshot.next, &snapshot.waiting].map(Vec::len);
        (waiting.min(1) + next.min(1) + layer.min(1), layer + next + waiting)
    };
    let snapshot = observer.snapshots.into_iter().max_by_key(chunks).unwrap();
    let items = store.items.lock().unwrap();
    let mut layer: Vec<_> = snapshot.layer.clone();
    layer.sort_by_key(|&(number, _)| number);
    let bytes = layer.iter().flat_map(|(_, stored)| items[&stored.number].clone()).collect();
    (snapshot, bytes)
}

#[test]
fn snapshots_are_unchanged() {
    // Whether a vector is stored without zeros depends on the kernels.
    with_kernels(KernelSet::Portable, assert_snapshots_are_unchanged);
}

fn assert_snapshots_are_unchanged() {
    let mut golden = Transcript::default();
    let blocks = Options { method: Method::Blocks, ..Options::default() };
    let second_half = Some(SweepShard { index: 1, count: 2 });
    let modulus = Some(ResidueRing::new(65521).unwrap().into());
    for (name, tours, options) in [
        ("one end", Tours::Closed, Options { sides: SweepSides::One, ..blocks.clone() }),
        ("two ends", Tours::Closed, Options { sides: SweepSides::Two(18), ..blocks.clone() }),
        ("a part", Tours::Paths, Options { sides: SweepSides::One, shard: second_half, ..blocks.clone() }),
        ("modulo", Tours::Closed, Options { sides: SweepSides::One, modulo: modulus, ..blocks.clone() }),
    ] {
        let (mut snapshot, layer) = take_largest_snapshot(tours, &options);
        assert!(!snapshot.layer.is_empty(), "{name}");
        let request = Request {
            engine: Engine::Frontier,
            ..Request::of_kind(
                parse_board("board=6x6 piece=1,2 remove=-"),
                if tours == Tours::Closed { Kind::Closed } else { Kind::Paths },
            )
        };
        let work = WorkPlan::new(&request).unwrap();
        let values = format!(
            "plan {:016x} step {} of {} vertices, {} chunks, meets {:?}, cut {}, spread {:016x}\norder {:?}\nlayer of {} \
             bytes, begins {:02x?}, sha256 {}",
            snapshot.plan,
            snapshot.step,
            snapshot.order.len(),
            snapshot.layer.len(),
            snapshot.meets,
            snapshot.cut.map_or("-".to_owned(), |cut| format!("{}/{}", cut.index, cut.count)),
            snapshot.spread,
            snapshot.order,
            layer.len(),
            &layer[..21],
            sha256(&layer),
        );
        // One item of each list shows the keys.
        snapshot.layer.truncate(1);
        snapshot.next.truncate(1);
        snapshot.waiting.truncate(1);
        let state = RunState { suspended: Some(SuspendedUnit { unit: 0, snapshot }), ..RunState::new(&work) };
        let checkpoint =
            Checkpoint { command: SavedCommand::default(), job: Job::new(&work, Shard::WHOLE), state };
        let text = mask_checkpoint(&checkpoint.to_text());
        let (head, body) = text.rsplit_once('\n').unwrap();
        golden.add(name, &format!("{values}\n{head}\n{}", mask_json_numbers(body)));
    }
    // A series whose first sweep is suspended.
    let (mut snapshot, _) = take_largest_snapshot(Tours::Closed, &blocks);
    snapshot.layer.truncate(1);
    snapshot.next.truncate(1);
    let numbers = vec![vec![0u32.into(), 8u32.into()], Vec::new()];
    let swept = Some(SavedSweeps { line: "5x1..8".to_owned(), numbers, suspended: Some(snapshot) });
    let job = "boards=5x1..8 piece=1,2 remove=- kind=all".to_owned();
    let state = SeriesState { boards: 8, swept, ..SeriesState::default() };
    let series = Checkpoint { command: SavedCommand::default(), job, state };
    let text = mask_checkpoint(&series.to_text());
    let (head, body) = text.rsplit_once('\n').unwrap();
    golden.add("a series", &format!("{head}\n{}", mask_json_numbers(body)));
    // A search with a partly finished unit.
    let request = Request {
        engine: Engine::Backtrack,
        split_depth: Some(0),
        ..Request::new(parse_board("board=5x6 piece=1,2 remove=-"))
    };
    let work = WorkPlan::new(&request).unwrap();
    let mut state = RunState::new(&work);
    state.parts.insert(0, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
    let arguments = ["count", "5x5"].map(str::to_owned).to_vec();
    let command = SavedCommand { arguments, part: ".5x5".to_owned() };
    let checkpoint = Checkpoint { command, job: Job::new(&work, Shard::WHOLE), state };
    golden.add("a search", &mask_checkpoint(&checkpoint.to_text()));
    golden.assert_golden("golden_sweeps");
}

/// Checks the names of commands, options and values that scripts use. A completion script lists them without
/// help texts.
#[test]
fn option_names_are_unchanged() {
    let script = run_and_read_output("completions bash", Path::new("."));
    let mut golden = String::new();
    for line in script.lines().map(str::trim) {
        let value = |begin: &str, end: char| line.strip_prefix(begin)?.split(end).next();
        let command = value("ktour__subcmd__", ')').filter(|name| !name.contains(','));
        if let Some(command) = command.filter(|_| line.ends_with(')')) {
            writeln!(golden, "{command}").unwrap();
        } else if let Some(options) = value("opts=\"", '"') {
            writeln!(golden, "  {options}").unwrap();
        } else if line.starts_with('-') && line.ends_with(')') {
            writeln!(golden, "    {}", line.trim_end_matches(')')).unwrap();
        } else if let Some(values) = value("COMPREPLY=($(compgen -W \"", '"') {
            writeln!(golden, "      {values}").unwrap();
        }
    }
    assert!(golden.contains("--checkpoint-every") && golden.contains("closed open paths"), "{golden}");
    let mut names = Transcript::default();
    names.add("completions bash", &golden);
    names.assert_snapshot("golden_names");
}
