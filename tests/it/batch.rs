//! Long runs: killed, interrupted, damaged, cut into shards, added up again, recorded.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

use ktour::batch::{Checkpoint, CheckpointError, CheckpointFile, Record, RecordError};
use num_bigint::BigUint;
use sha2::{Digest, Sha256};

use crate::check::{assert_names, without_numbers};
use crate::cli::{DONE_PREFIX, ERROR_PREFIX, JOB_PREFIX, Refusals, complaints, ktour, rows};
use crate::process::with_default_signals;
use crate::snapshot::Transcript;

/// The beginning of a warning.
pub const WARNING_PREFIX: &str = "ktour: warning: ";

/// A job of about a second, as long as it is not interrupted.
const SHORT: &str = "count 5x8 --kind paths";
const SHORT_NUMBER: &str = "18061054\n";

/// A job of minutes.
const LONG: &str =
    "count 7x8 --kind closed --engine multipath --threads 2 --checkpoint run --checkpoint-every 0.02";

/// A folder in which the program runs, so that its files have short names.
pub struct Folder(tempfile::TempDir);

/// How a run ended.
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn start(&self, arguments: &str) -> Child {
        with_default_signals(&mut Command::new(env!("CARGO_BIN_EXE_ktour")))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub fn run(&self, arguments: &str) -> Ended {
        end(self.start(arguments))
    }

    /// Standard output of a run that succeeds.
    pub fn answer(&self, arguments: &str) -> String {
        let Ended { status, out, err } = self.run(arguments);
        assert!(status.success(), "{arguments}: {err}");
        out
    }

    /// The one line of a run that fails with status 1 and without an answer.
    pub fn refusal(&self, arguments: &str) -> String {
        let Ended { status, out, err } = self.run(arguments);
        assert_eq!((status.code(), out.as_str()), (Some(1), ""), "{arguments}: {err}");
        let [line] = complaints(&err)[..] else { panic!("{arguments}: one line, not {err:?}") };
        line.strip_prefix(ERROR_PREFIX).unwrap_or_else(|| panic!("{arguments}: {err}")).to_owned()
    }

    /// Runs ktour in this folder, which must fail with status 1 and an error line that contains all of `names`. Adds
    /// that line to `refusals` and returns it.
    #[track_caller]
    pub fn refuse(&self, refusals: &mut Refusals, arguments: &str, names: &[&str]) -> String {
        refusals.run_command(ktour(arguments).current_dir(self.0.path()), arguments, 1, names)
    }

    /// Waits until a file is there, which a running job makes.
    pub fn wait_for(&self, child: &mut Child, name: &str) {
        while !self.path(name).exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended, and there is no {name}");
            sleep(Duration::from_millis(1));
        }
    }

    /// A running job that has saved two generations.
    pub fn start_saved(&self, arguments: &str) -> Child {
        let mut child = self.start(arguments);
        self.wait_for(&mut child, "run.previous");
        self.wait_for(&mut child, "run");
        child
    }
}

pub fn end(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { status: output.status, out: text(output.stdout), err: text(output.stderr) }
}

pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Returns every `N of M` in the notices on standard error: units, boards or steps that are done, and their number. A
/// run that resumes within a sweep reports its units or boards, and then the steps of the sweep.
pub fn progress(err: &str) -> Vec<(u64, u64)> {
    let others = [JOB_PREFIX, DONE_PREFIX, ERROR_PREFIX, WARNING_PREFIX];
    let notices = err.lines().filter(|line| !others.iter().any(|prefix| line.starts_with(prefix)));
    notices
        .flat_map(|line| {
            let words: Vec<&str> = line.split(|c: char| !c.is_ascii_alphanumeric()).collect();
            let fraction = |words: &[&str]| match words {
                [done, "of", all] => Some((done.parse().ok()?, all.parse().ok()?)),
                _ => None,
            };
            words.windows(3).filter_map(fraction).collect::<Vec<_>>()
        })
        .collect()
}

/// Numbers without pattern (xorshift), the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[test]
fn a_run_killed_twenty_times_ends_with_the_same_number() {
    let mut dice = Dice(0x5eed);
    for engine in ["multipath", "backtrack"] {
        let folder = Folder::new();
        let (mut kills, mut ends, mut gone_on) = (0, 0, 0);
        while kills < 20 || ends == 0 {
            let threads = 1 + dice.roll(4);
            let saved = folder.path("run").exists() || folder.path("run.previous").exists();
            // The command itself goes on as well as `resume` does.
            let command = match saved && dice.roll(2) == 0 {
                true => "resume run".to_owned(),
                false => format!("{SHORT} --engine {engine} --checkpoint run"),
            };
            let mut child = folder.start(&format!("{command} --checkpoint-every 0.01 --threads {threads}"));
            if kills < 20 {
                // Some at once, others when something is saved, however slow the machine is.
                let saved = || {
                    let loaded = Checkpoint::load(&folder.path("run")).ok();
                    loaded.is_some_and(|loaded| loaded.checkpoint.units_done() > 0)
                };
                let wait = dice.roll(2) == 0;
                while wait && !saved() && child.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(1));
                }
                sleep(Duration::from_millis(1 + dice.roll(150)));
                child.kill().unwrap();
            }
            let Ended { status, out, err } = end(child);
            gone_on += usize::from(progress(&err).first().is_some_and(|&(done, _)| done > 0));
            if status.signal() == Some(9) {
                kills += 1;
                continue;
            }
            assert!(status.success(), "{command}: {err}");
            assert_eq!(out, SHORT_NUMBER, "{command}: {err}");
            ends += 1;
            for name in ["run", "run.previous"] {
                let _ = fs::remove_file(folder.path(name));
            }
        }
        assert!(gone_on > 0, "{engine}: some runs go on from what a killed one had done");
    }
}

/// Nodes that a checkpoint has, those of units that are not done included.
fn nodes(checkpoint: &Checkpoint) -> u64 {
    checkpoint.state.sums.tally.nodes + checkpoint.state.parts.values().map(|part| part.nodes).sum::<u64>()
}

#[test]
fn a_run_loses_no_more_than_an_interval_of_a_unit_of_any_length() {
    let folder = Folder::new();
    // A few units of tenths of seconds, which are not done in one go.
    let job = "count 6x7 --kind closed --engine backtrack --split-depth 0 --threads 1";
    let expected = Record::parse(&folder.answer(&format!("{job} --json -"))).unwrap();
    let command = format!("{job} --checkpoint run --checkpoint-every 0.02 --json out");
    let (mut before, mut in_units) = (0, 0);
    for round in 0.. {
        let mut child = folder.start(&command);
        // It has gone on, and has saved that.
        let has_gone_on = || {
            let loaded = Checkpoint::load(&folder.path("run")).ok();
            loaded.is_some_and(|loaded| nodes(&loaded.checkpoint) > before)
        };
        let mut ended = false;
        while !ended && !has_gone_on() {
            ended = child.try_wait().unwrap().is_some();
            sleep(Duration::from_millis(5));
        }
        match (ended, round % 2) {
            (true, _) => {}
            (false, 0) => signal(&child, "TERM"),
            (false, _) => child.kill().unwrap(),
        }
        let Ended { status, err, .. } = end(child);
        if status.success() {
            break;
        }
        assert!(status.code() == Some(75) || status.signal() == Some(9), "{err}");
        let checkpoint = Checkpoint::load(&folder.path("run")).unwrap().checkpoint;
        assert!(nodes(&checkpoint) > before);
        before = nodes(&checkpoint);
        in_units += usize::from(!checkpoint.state.parts.is_empty());
    }
    assert!(in_units > 5, "interrupted within units {in_units} times");
    let found = Record::parse(&fs::read_to_string(folder.path("out")).unwrap()).unwrap();
    assert_eq!(
        (found.nodes, &found.sums),
        (expected.nodes, &expected.sums),
        "nothing is left out or repeated"
    );
}

#[test]
fn the_first_signal_saves_and_says_how_to_go_on() {
    let folder = Folder::new();
    let mut command = LONG.to_owned();
    let mut before = 0;
    let mut lines_of_all = BTreeSet::new();
    for name in ["INT", "TERM", "USR1"] {
        let mut child = folder.start(&command);
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        wait_for_line(&mut lines, "ktour: job board=7x8 ");
        // Not before it has come further than the run before.
        let saved =
            || Checkpoint::load(&folder.path("run")).map_or(0, |loaded| loaded.checkpoint.units_done());
        while saved() as u64 <= before {
            assert!(child.try_wait().unwrap().is_none(), "{name}: it ended before the signal");
            sleep(Duration::from_millis(5));
        }
        signal(&child, name);
        let mut err = String::new();
        lines.read_to_string(&mut err).unwrap();
        let Ended { status, out, .. } = end(child);
        assert_eq!((status.code(), out.as_str()), (Some(75), ""), "{name}: {err}");
        let last = err.lines().last().unwrap();
        let [(done, all)] = progress(last)[..] else { panic!("{name}: {err}") };
        assert!(before <= done && done < all, "{err}");
        before = done;
        let loaded = Checkpoint::load(&folder.path("run")).unwrap();
        assert!(loaded.fallback.is_none());
        assert_eq!(loaded.checkpoint.units_done() as u64, done);
        // The command that the line tells goes on from there.
        command = last.rsplit_once("ktour ").unwrap().1.to_owned();
        assert_eq!(command, "resume run");
        lines_of_all.insert(without_numbers(last));
    }
    assert!(before > 0);
    let [line] = &lines_of_all.into_iter().collect::<Vec<_>>()[..] else {
        panic!("one line for all signals")
    };
    let mut transcript = Transcript::default();
    transcript.add("the last line of a count that a signal stops", line);
    transcript.assert("notices_stopped_count");
}

fn wait_for_line(lines: &mut BufReader<ChildStderr>, start: &str) {
    let mut line = String::new();
    while !line.starts_with(start) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "no {start}");
    }
}

#[test]
fn signals_that_come_together_are_one() {
    // As `timeout` sends them: to the program, and to its group.
    for second in ["TERM", "INT", "HUP"] {
        let folder = Folder::new();
        let child = folder.start_saved(LONG);
        let both = format!("kill -s TERM {0}; kill -s {second} {0}", child.id());
        Command::new("sh").args(["-c", &both]).status().unwrap();
        let Ended { status, err, .. } = end(child);
        let last = err.lines().last().unwrap();
        assert_eq!((status.code(), progress(last).len()), (Some(75), 1), "{second}: {status}: {err}");
        assert_names(last, &["ktour resume run"]);
        assert!(Checkpoint::load(&folder.path("run")).is_ok());
    }
}

/// Waits until a program has filled the pipe of its standard output, and writes no more.
fn wait_until_full(child: &mut Child) {
    const MOST: libc::c_int = 60_000;
    let pipe = child.stdout.as_ref().unwrap().as_raw_fd();
    let (mut before, mut waiting) = (-1, 0);
    while before != waiting || waiting < MOST {
        assert!(child.try_wait().unwrap().is_none(), "it ended with {waiting} bytes in the pipe");
        sleep(Duration::from_millis(200));
        before = waiting;
        // SAFETY: it writes the number of bytes in the pipe.
        assert_eq!(unsafe { libc::ioctl(pipe, libc::FIONREAD, &mut waiting) }, 0);
    }
}

#[test]
fn a_later_signal_kills() {
    let folder = Folder::new();
    // Nobody reads its rows, which are more than a pipe takes: it cannot stop once the pipe is full.
    for _ in 0..20 {
        let mut child = folder.start("count 3x4..1000 --kind closed");
        wait_until_full(&mut child);
        signal(&child, "INT");
        sleep(Duration::from_millis(700));
        if child.try_wait().unwrap().is_none() {
            signal(&child, "TERM");
            // On a busy machine it may have been about to stop by the first one.
            if end(child).status.signal() == Some(15) {
                return;
            }
        }
    }
    panic!("it never waits for whoever reads it, or no later signal kills");
}

/// Bytes of a checkpoint of the short job that is not finished.
fn unfinished(folder: &Folder) -> Vec<u8> {
    let command = format!("{SHORT} --engine backtrack --threads 1 --checkpoint run --checkpoint-every 0.02");
    let child = folder.start_saved(&command);
    signal(&child, "TERM");
    assert_eq!(end(child).status.code(), Some(75));
    fs::read(folder.path("run")).unwrap()
}

#[test]
fn a_damaged_checkpoint_is_refused_or_the_one_before_is_taken() {
    // Whoever reads a checkpoint reads it alike: a look now and then is enough.
    damaged_checkpoints_are_refused(4);
}

#[test]
#[ignore = "asks the program some hundred times"]
fn a_damaged_checkpoint_is_refused_whoever_reads_it() {
    damaged_checkpoints_are_refused(1);
}

/// Every damage is shown to `resume`, and each of so many to whatever else reads checkpoints.
fn damaged_checkpoints_are_refused(each: usize) {
    let folder = Folder::new();
    let good = unfinished(&folder);
    let ends: Vec<usize> = (0..good.len()).filter(|&at| good[at] == b'\n').collect();
    assert_eq!(ends.len(), 5, "head, job, time, digest, body");
    let mut damaged = Vec::new();
    // Cut within each line, at its end, and after it.
    let mut begin = 0_usize;
    for &end in &ends {
        for len in [begin, begin + 1, begin.midpoint(end), end] {
            damaged.push((format!("cut to {len}"), good[..len].to_vec()));
        }
        for at in [begin, begin + 7, begin.midpoint(end), end - 1, end] {
            for bit in [0, 5, 7] {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                damaged.push((format!("bit {bit} of byte {at}"), bytes));
            }
        }
        begin = end + 1;
    }
    let text = String::from_utf8(good.clone()).unwrap();
    for (from, to) in [("checkpoint 3\n", "checkpoint 2\n"), ("board=5x8", "board=5x7"), ("ktour", "other")] {
        damaged.push((format!("{to} for {from}"), text.replacen(from, to, 1).into_bytes()));
    }
    damaged.push(("more".to_owned(), [&good[..], b"x"].concat()));
    damaged.push(("twice".to_owned(), [&good[..], &good[..]].concat()));
    // Damage whose lines are the same in every run.
    let is_shown = |what: &str| ["cut to 0", "for", "more", "twice"].iter().any(|word| what.contains(word));
    let mut transcript = Transcript::default();

    let before = fs::read(folder.path("run.previous")).unwrap();
    for (i, (what, bytes)) in damaged.iter().enumerate() {
        fs::write(folder.path("run"), bytes).unwrap();
        let _ = fs::remove_file(folder.path("run.previous"));
        let line = folder.refusal("resume run");
        assert!(line.starts_with("run "), "{what}: {line}");
        if is_shown(what) {
            transcript.add(&format!("resume run, {}", what.replace('\n', "")), &line);
        }
        match Checkpoint::load(&folder.path("run")) {
            Err(CheckpointError::Damaged { path, .. }) => assert_eq!(path, folder.path("run"), "{what}"),
            Err(CheckpointError::Format { head, .. }) => {
                assert!(what.contains("checkpoint 2") || what.starts_with("bit "), "{what}: {head}");
            }
            other => panic!("{what}: {other:?}"),
        }
        if what.contains("checkpoint 2") {
            assert_names(&line, &["ktour checkpoint 2", "ktour checkpoint 3"]);
        }
        if i % each == 0 {
            let line = folder.refusal(&format!("{SHORT} --engine backtrack --checkpoint run"));
            assert!(line.starts_with("--checkpoint: run "), "{what}: {line}");
            let line = folder.refusal("merge run");
            assert!(line.starts_with("run: "), "{what}: {line}");
        }
        assert_eq!(&fs::read(folder.path("run")).unwrap(), bytes, "{what}: a refused file stays");
        if i % 12 == 0 {
            fs::write(folder.path("run.previous"), &before).unwrap();
            let Ended { status, out, err } = folder.run("resume run");
            assert!(status.success(), "{what}: {err}");
            assert_eq!(out, SHORT_NUMBER, "{what}");
            let warning = err.lines().next().unwrap();
            assert!(warning.starts_with(WARNING_PREFIX), "{warning}");
            assert_names(warning, &["run"]);
            if is_shown(what) {
                let case = format!("resume run, {}, with the generation before", what.replace('\n', ""));
                transcript.add(&case, warning);
            }
        }
    }
    transcript.assert("errors_damaged_checkpoints");
}

#[test]
fn a_checkpoint_of_another_job_or_another_version_is_refused() {
    let folder = Folder::new();
    let text = String::from_utf8(unfinished(&folder)).unwrap();
    fs::remove_file(folder.path("run.previous")).unwrap();
    let mut refusals = Refusals::default();
    for other in ["5x7 --kind paths --engine backtrack", "5x8 --engine multipath --kind paths"] {
        let arguments = format!("count {other} --checkpoint run");
        folder.refuse(&mut refusals, &arguments, &["run", "board=5x8 ", "kind=paths", "engine=backtrack"]);
    }
    // Whole, but its units are not those of this version.
    let lines: Vec<&str> = text.splitn(5, '\n').collect();
    let [head, job, saved, _, body] = lines[..] else { panic!("{text}") };
    let (start, rest) = job.split_once("plan=").unwrap();
    let job = format!("{start}plan=0{}", &rest[1..]).replace("plan=00", "plan=01");
    let digest: String = Sha256::digest(format!("{head}\n{job}\n{saved}\n{body}\n"))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    fs::write(folder.path("run"), format!("{head}\n{job}\nsha256 {digest}\n{body}")).unwrap();
    folder.refuse(&mut refusals, "resume run", &["run"]);
    assert!(matches!(Checkpoint::load(&folder.path("run")), Err(CheckpointError::Damaged { .. })));
    fs::write(folder.path("run"), format!("{head}\n{job}\n{saved}\nsha256 {digest}\n{body}")).unwrap();
    folder.refuse(&mut refusals, "resume run", &["board=5x8 ", "plan=0"]);
    assert!(Checkpoint::load(&folder.path("run")).is_ok(), "the file is whole");
    refusals.assert("errors_other_checkpoints");
}

#[test]
fn a_run_that_has_not_saved_yet_has_its_file() {
    let folder = Folder::new();
    let child = folder.start(&LONG.replace("every 0.02", "every 3600"));
    std::os::unix::fs::symlink("run", folder.path("link")).unwrap();
    let mut transcript = Transcript::default();
    while !folder.path("run.lock").exists() {
        sleep(Duration::from_millis(5));
    }
    for name in ["run", "link"] {
        let Ended { status, out, err } = folder.run(&format!("resume {name}"));
        assert_eq!((status.code(), out.as_str()), (Some(1), ""), "{name}: {err}");
        assert_in_use(&err, name);
        transcript.add(&format!("resume {name}, in use"), &err);
    }
    signal(&child, "KILL");
    assert!(end(child).status.signal().is_some() && !folder.path("run").exists());
    // What it has left behind locks nothing, and goes.
    let refused = folder.refusal("resume run");
    assert_names(&refused, &["run"]);
    transcript.add("resume run, which is not there", &refused);
    assert!(!folder.path("run.lock").exists(), "{refused}");
    assert!(matches!(Checkpoint::load(&folder.path("run")), Err(CheckpointError::Read { .. })));
    transcript.assert("errors_checkpoints_in_use");
}

/// Asserts that standard error has a notice that a file is in use, with the seconds that the program waits, and then the
/// error.
#[track_caller]
fn assert_in_use(err: &str, name: &str) {
    let [notice, error] = err.lines().collect::<Vec<_>>()[..] else { panic!("two lines, not {err}") };
    assert!(notice.starts_with(&format!("ktour: {name} ")) && notice.contains("5 s"), "{err}");
    assert!(error.starts_with(&format!("{ERROR_PREFIX}run ")), "{err}");
}

#[test]
fn a_checkpoint_has_one_writer() {
    let folder = Folder::new();
    let child = folder.start_saved(LONG);
    // A link to it is the same file.
    std::os::unix::fs::symlink("run", folder.path("link")).unwrap();
    for command in ["resume run", "resume link"] {
        let Ended { status, out, err } = folder.run(command);
        assert_eq!((status.code(), out.as_str()), (Some(1), ""), "{command}: {err}");
        assert_in_use(&err, command.strip_prefix("resume ").unwrap());
    }
    // One that is just ending is waited for.
    let mut second = folder.start("resume run");
    let mut said = BufReader::new(second.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(!line.starts_with(JOB_PREFIX) && !line.starts_with(ERROR_PREFIX), "{line}");
    assert_names(&line, &["run", "5 s"]);
    signal(&child, "KILL");
    assert!(end(child).status.signal().is_some());
    line.clear();
    said.read_line(&mut line).unwrap();
    if line.starts_with(ERROR_PREFIX) {
        // Where there is much else to do, dying takes longer than anybody waits.
        end(second);
        second = folder.start("resume run");
        said = BufReader::new(second.stderr.take().unwrap());
        line.clear();
        said.read_line(&mut line).unwrap();
    }
    assert!(line.starts_with(JOB_PREFIX) || line.starts_with(WARNING_PREFIX), "{line}");
    signal(&second, "TERM");
    end(second);
}

#[test]
fn a_checkpoint_behind_a_link_is_saved_behind_the_link() {
    let folder = Folder::new();
    fs::create_dir(folder.path("far")).unwrap();
    std::os::unix::fs::symlink("far/run", folder.path("run")).unwrap();
    folder.answer("count 5x5 --checkpoint run --engine multipath");
    assert!(folder.path("run").is_symlink() && folder.path("far/run").is_file());
    assert_eq!(folder.answer("resume run"), folder.answer("count 5x5"));
    assert_eq!(folder.answer("merge run"), folder.answer("count 5x5"));
}

#[test]
fn endless_files_are_refused() {
    let folder = Folder::new();
    let mut refusals = Refusals::default();
    for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
        for command in ["resume", "count 5x5 --checkpoint", "merge"] {
            folder.refuse(&mut refusals, &format!("{command} {device}"), &[device]);
        }
        let locked = CheckpointFile::lock(device.as_ref());
        assert!(matches!(locked, Err(CheckpointError::NoFile { .. })), "{device}");
    }
    let huge = fs::File::create(folder.path("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    folder.refuse(&mut refusals, "resume huge", &["huge"]);
    folder.refuse(&mut refusals, "merge huge", &["huge"]);
    let loaded = Checkpoint::load(&folder.path("huge"));
    assert!(matches!(loaded, Err(CheckpointError::Damaged { .. })), "{loaded:?}");
    refusals.assert("errors_endless_checkpoints");
}

#[test]
fn a_torn_record_costs_no_other() {
    let folder = Folder::new();
    for half in [0, 1] {
        folder.answer(&format!("count 5x6 --engine multipath --shard {half}/2 --record whole"));
    }
    let whole = fs::read_to_string(folder.path("whole")).unwrap();
    let first = whole.lines().next().unwrap();
    // What a full disk leaves of a line.
    fs::write(folder.path("torn"), format!("{first}\n{}", &first[..100])).unwrap();
    let Ended { status, out, err } = folder.run("count 5x6 --engine multipath --shard 1/2 --record torn");
    assert!(status.success() && !out.is_empty(), "{err}");
    let mut notices = Transcript::default();
    let mut add_notice = |case: &str, err: &str, names: &[&str]| {
        let is_notice = |line: &&str| names.iter().all(|name| line.contains(name));
        let found: Vec<&str> = complaints(err).into_iter().filter(is_notice).collect();
        let [notice] = found[..] else { panic!("{case}: {err}") };
        notices.add(case, notice);
    };
    add_notice("count --record torn", &err, &["torn"]);
    let Ended { status, out, err } = folder.run("merge torn");
    assert!(status.success(), "{err}");
    add_notice("merge torn", &err, &["torn", "line 2"]);
    assert_eq!(out, folder.answer("count 5x6"));
    // What it would have told is missed.
    fs::write(folder.path("torn"), format!("{first}\n{}", &first[..100])).unwrap();
    let Ended { status, err, .. } = folder.run("merge torn");
    assert_eq!(status.code(), Some(1), "{err}");
    add_notice("merge torn, without the other half", &err, &["torn", "line 2"]);
    let error = err.lines().last().unwrap();
    assert!(error.starts_with(ERROR_PREFIX), "{err}");
    assert_names(error, &["1/2"]);
    notices.assert("notices_torn_records");
    let mut refusals = Refusals::default();
    fs::write(folder.path("torn"), &first[..100]).unwrap();
    folder.refuse(&mut refusals, "merge torn", &["torn", "line 1", "column 100"]);
    // One that was changed is not whole, nor torn.
    fs::write(folder.path("torn"), format!("{first}\n{}\n", first.replace("5x6", "5x5"))).unwrap();
    folder.refuse(&mut refusals, "merge torn", &["torn", "line 2"]);
    refusals.assert("errors_torn_records");
}

#[test]
fn a_record_that_cannot_be_written_costs_no_answer() {
    let folder = Folder::new();
    for job in ["count 5x6 --kind closed", "count 6x6 --symmetry rot180"] {
        let Ended { status, out, err } = folder.run(&format!("{job} --record /dev/full"));
        assert_eq!(status.code(), Some(1), "{err}");
        let errors: Vec<&str> = err.lines().filter(|line| line.starts_with(ERROR_PREFIX)).collect();
        assert!(errors.len() == 1 && errors[0].contains("/dev/full"), "{err}");
        assert_eq!(out, folder.answer(job));
    }
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_run() {
    let folder = Folder::new();
    let mut refusals = Refusals::default();
    folder.refuse(&mut refusals, "count 5x5 --checkpoint no/such/run", &["no/such/run", "no/such,"]);
    folder.refuse(&mut refusals, "resume run", &["run"]);
    refusals.assert("errors_checkpoint_places");
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 0, "nothing is left");
    for bad in ["0", "x", "2d"] {
        let status = folder.run(&format!("count 5x5 --checkpoint run --checkpoint-every {bad}")).status;
        assert_eq!(status.code(), Some(2));
    }
}

#[test]
fn a_place_that_goes_away_is_told_and_the_run_goes_on() {
    let folder = Folder::new();
    fs::create_dir(folder.path("here")).unwrap();
    let command = "--engine backtrack --threads 1 --checkpoint here/run --checkpoint-every 0.02";
    let mut child = folder.start(&format!("{SHORT} {command}"));
    folder.wait_for(&mut child, "here/run");
    fs::rename(folder.path("here"), folder.path("there")).unwrap();
    let Ended { status, out, err } = end(child);
    assert!(status.success(), "{err}");
    assert_eq!(out, SHORT_NUMBER);
    let warnings: BTreeSet<&str> = err.lines().filter(|line| line.starts_with(WARNING_PREFIX)).collect();
    let warning = warnings.iter().find(|line| line.contains("No such file or directory"));
    let warning = warning.unwrap_or_else(|| panic!("a warning with what the system reports, not {err}"));
    let mut transcript = Transcript::default();
    transcript.add("a folder that goes away", warning);
    transcript.assert("warnings_checkpoint_not_saved");
    assert_eq!(folder.answer("resume there/run"), SHORT_NUMBER, "the last one stands");
}

#[test]
fn shards_add_up_and_what_does_not_fit_is_named() {
    let folder = Folder::new();
    let mut names = Vec::new();
    for r in 0..64 {
        let name = format!("p{r}.json");
        let Ended { status, err, .. } =
            folder.run(&format!("count 6x6 --kind paths --engine multipath --shard {r}/64 --json {name}"));
        assert!(status.success(), "{err}");
        let (first, last) = (err.lines().next().unwrap(), err.lines().last().unwrap());
        assert!(first.starts_with("ktour: job board=6x6 piece=1,2 remove=- kind=paths "), "{first}");
        assert!(first.ends_with(&format!(" shard={r}/64")), "{first}");
        assert!(last.starts_with(&format!("ktour: done shards={r}/64 directed-paths=")), "{last}");
        names.push(name);
    }
    let all = names.join(" ");
    assert_eq!(folder.answer(&format!("merge {all}")), folder.answer("count 6x6 --kind paths"));
    let Ended { err, .. } = folder.run(&format!("merge {all} --directed"));
    let merged = err.lines().next().unwrap();
    assert_names(merged, &["64", " shards=0/1 paths=3318960 seconds="]);
    let mut transcript = Transcript::default();
    transcript.add("merge of 64 parts", merged.split_once("seconds=").unwrap().0);

    let refuse = |transcript: &mut Transcript, case: &str, files: &str, names: &[&str]| {
        let line = folder.refusal(&format!("merge {files}"));
        assert_names(&line, names);
        transcript.add(case, &line);
    };
    let without = all.replace("p17.json ", "");
    refuse(&mut transcript, "merge without p17.json", &without, &["17/64", "--partial"]);
    fs::copy(folder.path("p5.json"), folder.path("again.json")).unwrap();
    let twice = format!("{all} again.json");
    refuse(&mut transcript, "merge with p5.json twice", &twice, &["5/64", "p5.json", "again.json"]);
    for (options, difference) in [
        ("5x6 --kind paths --engine multipath", "board=5x6"),
        ("6x6 --kind closed --engine multipath", "kind=closed"),
        ("6x6 --kind paths --engine backtrack", "engine=backtrack"),
        ("6x6 --kind paths --engine multipath --split-depth 5", "split-depth=5"),
    ] {
        folder.answer(&format!("count {options} --shard 17/64 --json other.json"));
        let mixed = all.replace("p17.json", "other.json");
        let case = format!("merge with other.json of {options}");
        refuse(&mut transcript, &case, &mixed, &["p0.json", "other.json", difference]);
    }
    // Records of one file are told by their lines.
    let lines = ["p0.json", "other.json"].map(|name| {
        let record = Record::parse(&fs::read_to_string(folder.path(name)).unwrap()).unwrap();
        record.line()
    });
    fs::write(folder.path("all.jsonl"), lines.join("\n")).unwrap();
    refuse(&mut transcript, "merge all.jsonl", "all.jsonl", &["all.jsonl", "line 1", "line 2"]);
    let child = folder.start_saved(LONG);
    signal(&child, "TERM");
    end(child);
    let line = folder.refusal(&format!("merge {all} run"));
    assert!(line.starts_with("run ") && line.ends_with("ktour resume run"), "{line}");
    transcript.add("merge with an unfinished run", &without_numbers(&line));
    refuse(&mut transcript, "merge with nowhere", &format!("{all} nowhere"), &["nowhere"]);
    transcript.assert("merge_shards");
}

#[test]
fn merges_merge() {
    let folder = Folder::new();
    let job = "count 5x6 --engine backtrack";
    for r in 0..4 {
        // Finished checkpoints are as good as records.
        folder.answer(&format!("{job} --shard {r}/4 --json p{r} --checkpoint c{r}"));
    }
    folder.answer(&format!("{job} --shard 1/2 --json half"));
    let mut refusals = Refusals::default();
    folder.refuse(&mut refusals, "merge p0 p2 --json even", &["1/4", "3/4"]);
    assert!(!folder.path("even").exists());
    folder.answer("merge p0 c2 --partial --json even");
    let even = Record::parse(&fs::read_to_string(folder.path("even")).unwrap()).unwrap();
    assert_eq!((even.complete, even.shards), (false, vec!["0/4".to_owned(), "2/4".to_owned()]));
    let whole = folder.answer("count 5x6");
    for rest in ["p1 p3", "c3 p1", "half"] {
        assert_eq!(folder.answer(&format!("merge even {rest}")), whole, "{rest}");
    }
    folder.refuse(&mut refusals, "merge even half p3", &["3/4"]);
    refusals.assert("errors_merged_parts");
}

#[test]
fn a_shard_is_the_sum_of_its_halves() {
    let folder = Folder::new();
    for job in
        ["5x6 --kind paths", "6x6 --kind closed", "5x6 --engine backtrack --kind open", "5x6 --start a1"]
    {
        let counts = |r: u64, m: u64| -> Vec<BigUint> {
            let engine = if job.contains("--engine") { "" } else { "--engine multipath" };
            let csv = folder.answer(&format!("count {job} {engine} --shard {r}/{m} --csv -"));
            rows(&csv).iter().map(|row| row["directed"].parse().unwrap()).collect()
        };
        for (r, m) in [(0, 1), (0, 2), (1, 2), (2, 3), (5, 7)] {
            let (whole, low, high) = (counts(r, m), counts(r, 2 * m), counts(r + m, 2 * m));
            let sums: Vec<BigUint> = low.iter().zip(&high).map(|(a, b)| a + b).collect();
            assert_eq!(whole, sums, "{job} {r}/{m}");
        }
    }
}

/// Jobs on a wrapped board and on a graph from a file, with their numbers.
fn jobs_elsewhere(folder: &Folder) -> [(String, String); 2] {
    // The knight on a Moebius strip of 5x5, and a grid of 5x6 whose vertices are numbered anew.
    let edges = |v: usize| {
        let right = (v % 6 < 5).then_some(v + 1);
        right.into_iter().chain((v < 24).then_some(v + 6)).map(move |w| (v * 7 % 30, w * 7 % 30))
    };
    let lines = (0..30).flat_map(edges).map(|(v, w)| format!("{v} {w}\n"));
    fs::write(folder.path("graph.txt"), lines.collect::<String>()).unwrap();
    let jobs = ["5x5 --wrap mobius --kind closed", "--graph graph.txt --kind paths"];
    jobs.map(|job| (job.to_owned(), folder.answer(&format!("count {job} --engine frontier"))))
}

#[test]
fn shards_of_wrapped_boards_and_graphs_add_up() {
    let folder = Folder::new();
    let jobs = jobs_elsewhere(&folder);
    assert_eq!(jobs.each_ref().map(|(_, number)| number.as_str()), ["953760\n", "26996\n"]);
    for (job, number) in jobs {
        for engine in ["multipath", "backtrack"] {
            let names = [0, 1, 2].map(|r| {
                let name = format!("{engine}{r}.json");
                folder.answer(&format!("count {job} --engine {engine} --shard {r}/3 --json {name}"));
                name
            });
            assert_eq!(folder.answer(&format!("merge {}", names.join(" "))), number, "{job} {engine}");
            let line = folder.refusal(&format!("merge {} {}", names[0], names[2]));
            assert_names(&line, &["1/3", "--partial"]);
        }
    }
}

#[test]
fn checkpoints_of_wrapped_boards_and_graphs_go_on() {
    let folder = Folder::new();
    for (job, number) in jobs_elsewhere(&folder) {
        for engine in ["multipath", "backtrack"] {
            let file = format!("{engine}{}", job.len());
            for _ in 0..5 {
                let command = format!("count {job} --engine {engine} --threads 1 --checkpoint {file}");
                let mut child = folder.start(&format!("{command} --checkpoint-every 0.01"));
                while !folder.path(&file).exists() && child.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(1));
                }
                child.kill().unwrap();
                child.wait().unwrap();
            }
            let ended = folder.run(&format!("count {job} --engine {engine} --checkpoint {file}"));
            assert!(ended.status.success(), "{job} {engine}: {}", ended.err);
            assert_eq!(ended.out, number, "{job} {engine}");
            assert_eq!(progress(&ended.err).len(), 1, "{job} {engine}: {}", ended.err);
        }
    }
}

#[test]
fn records_are_added_as_lines_and_tell_when_they_were_edited() {
    let folder = Folder::new();
    for job in
        ["5x5", "5x6 --kind closed", "6x6 --kind closed --per-start", "5x6 --shard 0/2 --engine multipath"]
    {
        folder.answer(&format!("count {job} --record records"));
    }
    folder.answer("count 5x6 --shard 1/2 --engine multipath --record records");
    let text = fs::read_to_string(folder.path("records")).unwrap();
    let records: Vec<Record> = text.lines().map(|line| Record::parse(line).unwrap()).collect();
    let complete: Vec<bool> = records.iter().map(|record| record.complete).collect();
    assert_eq!(complete, [true, true, true, false, false]);
    assert_eq!(records[1].counts["closed"].undirected.as_deref(), Some("8"));

    let halves: Vec<&str> = text.lines().skip(3).collect();
    fs::write(folder.path("halves"), halves.join("\n")).unwrap();
    assert_eq!(folder.answer("merge halves"), folder.answer("count 5x6"));
    let mut refusals = Refusals::default();
    for (from, to) in [
        ("\"shards\":[\"0/2\"]", "\"shards\":[\"0/4\"]"),
        ("\"threads\":", "\"threads\":1"),
        ("\"sums\":{", "\"sums\":{ "),
    ] {
        let edited = halves.join("\n").replacen(from, to, 1);
        assert_ne!(edited, halves.join("\n"));
        fs::write(folder.path("edited"), &edited).unwrap();
        if to.ends_with(' ') {
            folder.answer("merge edited");
        } else {
            folder.refuse(&mut refusals, "merge edited", &["edited", "line "]);
            assert!(edited.lines().any(|line| matches!(Record::parse(line), Err(RecordError::Digest))));
        }
    }
    refusals.assert("errors_edited_records");
}
