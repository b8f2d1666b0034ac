//! Valid inputs with random changes: a reader rejects them with an error, or reads a value that survives
//! writing and reading. No reader panics.
//!
//! ```text
//! valid text -> 1 to 5 changes -> reader -> an error, or a value that is equal after writing and reading it
//! ```
//!
//! Default: 300 cases of each test; `KTOUR_FUZZ=N`, which `scripts/lab run fuzz` sets, runs N cases. A changed text
//! that has a digest is rejected, or has its original value. The fuzz test of layer chunks is in the library,
//! next to their reader.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use ktour::batch::{
    Checkpoint, CheckpointFile, CountJob, CountOutcome, Job, ReadShards, Record, RunInfo, RunState,
    SavedCommand, Shard, merge, read_shard_sums,
};
use ktour::board::{
    Board, CustomGraph, Drawing, DrawingSigns, Graph, Square, graph_file, graph6, parse_box_squares,
    parse_drawing, parse_squares, sparse6,
};
use ktour::control::Control;
use ktour::count::{Engine, Request, UnitProgress, WorkPlan, count};
use ktour::tour::{Kind, ReadOptions, TourFormat, TourReader, TourWriter};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use sha2::{Digest, Sha256};

/// Changes to a text: the type of the change, two positions and a byte.
type Changes = Vec<(u8, Index, Index, u8)>;

/// Bytes with a meaning in at least one of the formats.
const INTERESTING_BYTES: &[u8] = b"0123456789-+.,;:=/|x\"{}[]()#@~?ab \t\r\n\0\xff\xc3\xa9";

fn random_changes() -> impl Strategy<Value = Changes> {
    vec((any::<u8>(), any::<Index>(), any::<Index>(), any::<u8>()), 1..6)
}

/// Returns the text with all changes applied in order.
fn apply_changes(text: &[u8], changes: &Changes) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for (operation, from, to, byte) in changes {
        let len = bytes.len();
        if len == 0 {
            bytes.push(*byte);
            continue;
        }
        let (a, b) = (from.index(len), to.index(len));
        let (low, high) = (a.min(b), a.max(b));
        match operation % 9 {
            0 => bytes[a] ^= 1 << (byte % 8),
            1 => bytes[a] = *byte,
            2 => bytes[a] = INTERESTING_BYTES[usize::from(*byte) % INTERESTING_BYTES.len()],
            3 => bytes.insert(a, INTERESTING_BYTES[usize::from(*byte) % INTERESTING_BYTES.len()]),
            4 => bytes.truncate(a),
            5 => drop(bytes.drain(low..high.min(low + 1 + usize::from(*byte)))),
            6 => {
                let piece = bytes[low..high.min(low + 40)].to_vec();
                bytes.splice(b..b, piece);
            }
            7 => bytes.swap(a, b),
            // Inserts a number that exceeds most limits.
            _ => drop(
                bytes.splice(a..a, b"99999999999999999999".iter().take(1 + usize::from(byte % 20)).copied()),
            ),
        }
    }
    bytes
}

/// Runs `check` with the index of a text and the changed text, for `KTOUR_FUZZ` random changes, and prints
/// the number of cases.
fn run_cases(name: &str, texts: &[Vec<u8>], check: impl Fn(usize, &[u8])) {
    let cases = std::env::var("KTOUR_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let cases_run = Cell::new(0u32);
    TestRunner::new(config)
        .run(&(any::<Index>(), random_changes()), |(text_index, changes)| {
            let text_index = text_index.index(texts.len());
            check(text_index, &apply_changes(&texts[text_index], &changes));
            cases_run.set(cases_run.get() + 1);
            Ok(())
        })
        .unwrap_or_else(|failed| panic!("{name}: {failed}"));
    println!("fuzz: {} {name}", cases_run.get());
}

fn to_byte_vecs(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn tour_files_are_read_or_rejected() {
    let squares = "a1,c2,a3,b1,d2,b3,c1,a2,c3,d1,b2,d3";
    let names: Vec<&str> = squares.split(',').collect();
    let json = format!("{{\"kind\":\"open\",\"squares\":[\"{}\"]}}\n", names.join("\",\""));
    let board: Board = "3x4".parse().unwrap();
    let mut written = Vec::new();
    let formats = [TourFormat::Squares, TourFormat::Grid, TourFormat::Csv, TourFormat::Ndjson];
    for format in formats.into_iter().flat_map(|format| [format, format]) {
        let writer = TourWriter::new(&board, format, 1).unwrap();
        let writer = if written.len() % 2 == 0 { writer } else { writer.without_header() };
        let mut text = writer.header(Kind::Open).into_bytes();
        for _ in 0..2 {
            let tour = ktour::tour::Tour::from_names(&board, names.iter().copied()).unwrap();
            writer.write(&mut text, tour.kind(), tour.vertices());
            text.extend_from_slice(writer.separator().as_bytes());
        }
        written.push(text);
    }
    written.extend(to_byte_vecs(&[
        &format!("{squares}\n{squares}\n"),
        &squares.replace(',', "-"),
        &squares.replace(',', " "),
        &squares.replace(',', " N").replacen('a', "Na", 1),
        &format!("kind,squares\nopen,{}\n", squares.replace(',', " ")),
        &json,
        "3 6 9 12\n8 11 2 5\n1 4 7 10\n",
        "# a title\n\n 1 | 4 | 7 | 10\n 8 | 11 | 2 | 5\n 3 | 6 | 9 | 12\n",
        "A tour\n+--+\n|1|4|7|10|\n|8|11|2|5|\n|3|6|9|12|\n",
        "[[1,4,7,10],[8,11,2,5],[3,6,9,12]]\n",
        "[[0, 3, 6, 9],\n [7, 10, 1, 4],\n [2, 5, 8, 11]]\n",
        "t = np.array([[1,4,7,10],\n [8,11,2,5],\n [3,6,9,12]], dtype=int8)\n",
        "1;4;7;10;\n8;11;2;5;\n3;6;9;12;\n",
        "[1, 4, 7, 10],\n[8, 11, 2, 5],\n[3, 6, 9, 12]\n",
        &format!(
            "step,square,note\n{}",
            squares.split(',').map(|s| format!("1,{s},x\n")).collect::<String>()
        ),
        &squares.split(',').map(|s| format!("\"{s}\",\n")).collect::<String>(),
        &squares.replace(',', "\n"),
        "a1-c2\nc2-a3\na3-b1\nb1-d2\nd2-b3\n",
        "Layer 1:\n1 4\n2 3\n\nLayer 2:\n8 5\n7 6\n",
        "1 4 - 8 5\n2 3 - 7 6\n",
        "0\t3\t6\t9\r\n7\t10\t1\t4\r\n2\t5\t8\t11\r\n",
        "1 4 . 8\n. 7 2 5\n3 . 6 .\n",
    ]));
    let given_boards: Vec<Option<Board>> = [
        None,
        Some("3x4"),
        Some("board=3x4 piece=1,2 remove=a1"),
        Some("3x3"),
        Some("board=5x5 piece=1,3 remove=-"),
        Some("board=3x4 wrap=torus piece=1,2 remove=-"),
        Some("board=2x2x2 piece=0,1 remove=-"),
    ]
    .iter()
    .map(|text| text.map(|text| text.parse().unwrap()))
    .collect();
    run_cases("tour files", &written, |text_index, text| {
        for (i, board) in given_boards.iter().enumerate() {
            let options = ReadOptions {
                board: board.clone(),
                is_mixed: (text_index + i) % 2 == 0,
                ..ReadOptions::default()
            };
            let mut reader = TourReader::new(text, options);
            for located in reader.by_ref().take(1000).filter_map(Result::ok) {
                // The reader's result is a tour, and it is equal after writing and reading it.
                let tour = located.tour;
                let writer = TourWriter::new(tour.board(), TourFormat::Ndjson, 1).unwrap();
                let mut line = writer.header(Kind::Paths).into_bytes();
                writer.write(&mut line, tour.kind(), tour.vertices());
                let options = ReadOptions { board: Some(tour.board().clone()), ..ReadOptions::default() };
                let reread = TourReader::new(line.as_slice(), options).next().unwrap().unwrap().tour;
                assert_eq!((reread.vertices(), reread.kind()), (tour.vertices(), tour.kind()));
            }
        }
    });
}

/// Returns rectangles and custom graphs with different text forms.
fn example_boards() -> Vec<Board> {
    let ring = Graph::from_edges(6, (0..6).map(|v| (v, (v + 1) % 6)));
    let named_graph = CustomGraph::new(ring.clone()).with_names(["a b", "-", "c=d", "é", "5", "6"]).unwrap();
    let boards = ["5x6", "board=6x8 piece=1,3 remove=a1,h6,c3", "board=128x1 piece=0,1 remove=-"];
    let boards = boards.iter().map(|text| text.parse().unwrap());
    boards.chain([CustomGraph::new(ring).into(), named_graph.into()]).collect()
}

#[test]
fn board_text_forms_are_read_or_rejected() {
    let texts: Vec<Vec<u8>> = example_boards().iter().map(|board| board.to_string().into_bytes()).collect();
    run_cases("text forms of boards", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        if let Ok(board) = text.parse::<Board>() {
            assert_eq!(board.to_string().parse::<Board>().unwrap(), board, "{text}");
        }
    });
}

#[test]
fn graph6_is_read_or_rejected() {
    let large = Graph::from_edges(70, (0..70).map(|v| (v, (v * 3 + 1) % 70)).filter(|(v, w)| v != w));
    let graphs = example_boards().into_iter().map(|board| board.graph().clone()).chain([large]);
    let mut texts: Vec<Vec<u8>> = graphs.map(|graph| graph6::encode(&graph).into_bytes()).collect();
    texts.push(b">>graph6<<DQc".to_vec());
    run_cases("graphs in graph6", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        if let Ok(graph) = graph6::decode(text) {
            let reread = graph6::decode(&graph6::encode(&graph)).unwrap();
            assert_eq!(reread, graph, "{text}");
        }
    });
}

#[test]
fn sparse6_is_read_or_rejected() {
    let ring = |len: usize| Graph::from_edges(len, (0..len).map(|v| (v, (v + 1) % len)));
    let mut texts: Vec<Vec<u8>> =
        [70, 100, 128].map(|len| sparse6::encode_shortest(&ring(len)).into_bytes()).to_vec();
    assert!(texts.iter().all(|text| text[0] == b':'), "these graphs are shorter in sparse6 than in graph6");
    texts.extend(to_byte_vecs(&[":Fa@x^", ":DaY_~", ">>sparse6<<:Fa@x^"]));
    run_cases("graphs in sparse6", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        if let Ok(graph) = sparse6::decode(text) {
            let reread = sparse6::decode(&sparse6::encode_shortest(&graph)).unwrap();
            assert_eq!(reread, graph, "{text}");
        }
    });
}

#[test]
fn graph_files_are_read_or_rejected() {
    let texts = to_byte_vecs(&[
        "# a ring\na b\nb c\nc d\nd a\ne\n",
        "1 2\r\n2 3\r\n\r\n3 1\r\n",
        "c a remark\np edge 4 4\ne 1 2\ne 2 3\na 3 4\ne 4 1\n",
        "p col 3 1\ne 1 3\n",
        ">>graph6<<DQc\n",
        "DqK\n",
        ">>sparse6<<:Fa@x^\n",
        ":DaY_~\n",
        "DqK\nDhC\n",
        "a: b c\nb: a c\nc: a b\n",
        "0 1 1\n1 0 1\n1 1 0\n",
        "011\n101\n110\n",
        "4 5\n0 1\n1 2\n2 3\n3 0\n0 2\n",
        "\"from\",\"to\"\n\"a\",\"b\"\n\"b\",\"c\"\n",
        "NAME : x\nTYPE : HCP\nDIMENSION : 3\nEDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SECTION\n1 2\n2 3\n3 1\n-1\nEOF\n",
    ]);
    run_cases("graph files", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        match graph_file::parse(text) {
            // In DIMACS, a change can raise the number of vertices, and the symmetries of a large graph take
            // long.
            Ok(file) if text.split_whitespace().all(|word| word != "p" && word != "DIMENSION") => {
                let board = Board::from(file.graph);
                assert_eq!(board.to_string().parse::<Board>().unwrap(), board, "{text}");
            }
            Ok(_) => {}
            Err(error) => {
                let lines = 1 + text.matches(['\n', '\r']).count();
                assert!((1..=lines).contains(&error.line), "{text}: {error}");
            }
        }
    });
}

#[test]
fn drawn_boards_are_read_or_rejected() {
    let texts = to_byte_vecs(&[
        "###.###\n.......\n###.###\n",
        "\n #.#\n ...\n  .\n\n",
        " xx\nsx x\n",
        "x x x\n\nx   x\n",
        "a ring\n...\n.#.\n...\n",
        "....\r\n....\r\n",
        "é.\n",
    ]);
    let signs = DrawingSigns::default();
    run_cases("drawn boards", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let Ok(Drawing { board, .. }) = parse_drawing(text, &signs) else { return };
        let lines: Vec<String> = (0..board.rows())
            .rev()
            .map(|rank| {
                let symbol = |file| if board.contains(Square::new(file, rank)) { '.' } else { '#' };
                (0..board.cols()).map(symbol).collect()
            })
            .collect();
        assert_eq!(parse_drawing(&lines.join("\n"), &signs).unwrap().board, board, "{text}");
        let signs = text.chars().filter(|&sign| !sign.is_whitespace() && sign != '#').count();
        assert!(board.len() <= signs, "{text}");
    });
}

#[test]
fn square_lists_are_read_or_rejected() {
    let texts = to_byte_vecs(&["a1,c3-d5,aa9", "-", "b2-a1", " a1, c3 ", "a1-h8"]);
    run_cases("lists of squares", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let Ok(squares) = parse_squares(text) else { return };
        let names: Vec<String> = squares.iter().take(1000).map(ToString::to_string).collect();
        if !names.is_empty() {
            assert_eq!(parse_squares(&names.join(",")).unwrap(), squares[..names.len()], "{text}");
        }
    });
    let texts = to_byte_vecs(&["a1.1,b2.1-c3.2", "-", "aa9.12-aa9.12"]);
    run_cases("lists of squares of a box", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        let Ok(squares) = parse_box_squares(text) else { return };
        let names: Vec<String> = squares.iter().take(1000).map(ToString::to_string).collect();
        if !names.is_empty() {
            assert_eq!(parse_box_squares(&names.join(",")).unwrap(), squares[..names.len()], "{text}");
        }
    });
}

/// Returns jobs of all engines.
fn example_jobs() -> Vec<Job> {
    let requests = example_boards().into_iter().take(1).chain(["4x5".parse().unwrap()]).flat_map(|board| {
        [Engine::Multipath, Engine::Backtrack, Engine::Frontier]
            .map(|engine| Request { engine, ..Request::new(board.clone()).with_ends(Some(0), None).unwrap() })
    });
    let shards = ["0/1", "3/8", "2/7"];
    requests
        .enumerate()
        .map(|(i, request)| {
            let shard = if request.engine == Engine::Frontier { "0/1" } else { shards[i % 3] };
            Job::new(&WorkPlan::new(&request).unwrap(), shard.parse().unwrap())
        })
        .collect()
}

#[test]
fn job_lines_are_read_or_rejected() {
    let texts: Vec<Vec<u8>> = example_jobs().iter().map(|job| job.to_string().into_bytes()).collect();
    run_cases("job lines", &texts, |_, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        if let Ok(job) = text.parse::<Job>() {
            assert_eq!(job.to_string().parse::<Job>().unwrap(), job, "{text}");
        }
    });
}

/// Returns a checkpoint with `done` finished units and one unit that has begun.
fn example_checkpoint(done: usize) -> Checkpoint<RunState> {
    let request = Request { engine: Engine::Backtrack, ..Request::new("5x5".parse::<Board>().unwrap()) };
    let work = WorkPlan::new(&request).unwrap();
    let job = Job::new(&work, Shard::WHOLE);
    let mut state = RunState::new(&work);
    state.done[..done].fill(true);
    state.parts.insert(job.units - 1, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
    state.seconds = 12.25;
    let arguments = ["count", "5x5", "--per-start"].map(str::to_owned).to_vec();
    Checkpoint { command: SavedCommand { arguments, part: String::new() }, job, state }
}

/// Returns the text of a checkpoint with the digest that matches its lines, or `None` if lines are missing.
fn with_matching_digest(text: &str) -> Option<String> {
    let mut lines = text.splitn(5, '\n');
    let mut line = || lines.next();
    let (head, job, saved, _, body) = (line()?, line()?, line()?, line()?, line()?);
    let mut hash = Sha256::new();
    for part in [head, job, saved, body] {
        hash.update(part);
        hash.update("\n");
    }
    Some(format!("{head}\n{job}\n{saved}\nsha256 {:x}\n{body}", hash.finalize()))
}

#[test]
fn checkpoints_are_read_or_rejected() {
    let checkpoints = [example_checkpoint(3), example_checkpoint(0)];
    let texts: Vec<Vec<u8>> =
        checkpoints.iter().map(|checkpoint| checkpoint.to_text().into_bytes()).collect();
    let path = Path::new("run");
    run_cases("checkpoints", &texts, |text_index, text| {
        if let Ok(read) = Checkpoint::parse(text, path) {
            assert_eq!(read, checkpoints[text_index]);
        }
    });
    // The digest matches, as if somebody had edited the file on purpose. The reader must not panic.
    run_cases("checkpoints with a matching digest", &texts, |_, text| {
        let Some(text) = std::str::from_utf8(text).ok().and_then(with_matching_digest) else { return };
        if let Ok(read) = Checkpoint::<RunState>::parse(text.as_bytes(), path) {
            assert_eq!(Checkpoint::parse(read.to_text().as_bytes(), path).unwrap(), read);
        }
    });
}

#[test]
fn checkpoint_files_fall_back_to_previous_generation() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let file = CheckpointFile::lock(&path).unwrap();
    let (before, newest) = (example_checkpoint(3), example_checkpoint(5));
    file.save(&before).unwrap();
    file.save(&newest).unwrap();
    let text = fs::read(&path).unwrap();
    run_cases("checkpoint files, the newest of two", &[text], |_, text| {
        fs::write(&path, text).unwrap();
        let loaded = Checkpoint::load(&path);
        match loaded {
            Ok(loaded) if loaded.fallback.is_none() => assert_eq!(loaded.checkpoint, newest),
            Ok(loaded) => assert_eq!(loaded.checkpoint, before),
            Err(error) => panic!("the previous generation is intact: {error}"),
        }
    });
}

/// Returns the records of both shards of a job.
fn records_of_two_shards() -> Vec<Record> {
    let request = Request { engine: Engine::Multipath, ..Request::new("5x6".parse::<Board>().unwrap()) };
    let work = WorkPlan::new(&request).unwrap();
    ["0/2", "1/2"]
        .map(|shard| {
            let count_job = CountJob::new(request.clone(), work.clone(), shard.parse().unwrap());
            let save_options = ktour::batch::SaveOptions::new(&|why| panic!("{why}"));
            let sums = count_job.run(&Control::new(), save_options).unwrap().units.state.sums;
            let job = count_job.identity;
            let run_info = RunInfo {
                seconds: 1.5,
                threads: 2,
                started: "2026-01-31T23:59:59Z".into(),
                finished: "later".into(),
            };
            let numbers = CountOutcome::from_sums(work.validated_request(), &[job.shard], &sums).unwrap();
            Record::new(&job, &[job.shard], &sums, &numbers, true, &run_info)
        })
        .into()
}

#[test]
fn records_are_read_or_rejected() {
    let shard_records = records_of_two_shards();
    let texts: Vec<Vec<u8>> = shard_records
        .iter()
        .flat_map(|record| [record.to_line(), record.to_pretty()])
        .map(String::into_bytes)
        .collect();
    run_cases("records", &texts, |text_index, text| {
        let Ok(text) = std::str::from_utf8(text) else { return };
        if let Ok(record) = Record::parse(text) {
            assert_eq!(record, shard_records[text_index / 2]);
        }
    });
}

#[test]
fn merge_accepts_or_rejects_changed_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("parts");
    let shard_records = records_of_two_shards();
    let expected = count(&Request::new("5x6".parse::<Board>().unwrap()), &Control::new()).unwrap().counts;
    let lines: String = shard_records.iter().map(|record| format!("{}\n", record.to_line())).collect();
    run_cases("shards to be merged", &[lines.into_bytes()], |_, text| {
        fs::write(&path, text).unwrap();
        let Ok(ReadShards { shards, .. }) = read_shard_sums(&path) else { return };
        let Ok(sum) = merge(&shards, false) else { return };
        let validated =
            ktour::count::ValidatedRequest::new(&sum.job.request, &ktour::Control::new()).unwrap();
        let counts = validated.answer(&sum.sums).unwrap().counts;
        assert_eq!(counts.get(Kind::Closed), expected.get(Kind::Closed));
        assert_eq!(counts, expected);
    });
}
