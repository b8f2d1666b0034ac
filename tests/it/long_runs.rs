//! Long runs: killed, interrupted, damaged, divided into shards, merged and recorded.

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

use ktour::batch::{Checkpoint, CheckpointError, CheckpointFile, Record, RecordError, RunState};
use num_bigint::BigUint;
use sha2::{Digest, Sha256};

use super::cli::{DONE_PREFIX, ERROR_PREFIX, JOB_PREFIX, Refusals, csv_rows, ktour, unexpected_lines};
use super::process::{wait_until_caught, with_default_signals};
use super::snapshot::Transcript;
use super::tour_files::{assert_contains_all, mask_numbers};

/// The prefix of a warning on standard error.
pub const WARNING_PREFIX: &str = "ktour: warning: ";

/// A job of about a second without interruptions.
const SHORT_JOB: &str = "count 5x8 --kind paths";
const SHORT_NUMBER: &str = "18061054\n";

/// A job of minutes.
const LONG_JOB: &str =
    "count 7x8 --kind closed --engine multipath --threads 2 --checkpoint run --checkpoint-every 0.02";

/// A temporary folder in which the program runs, so that its files have short names.
pub struct Folder(tempfile::TempDir);

/// The exit status and output of a process.
pub struct ProcessOutput {
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

    pub fn start_program(&self, arguments: &str) -> Child {
        with_default_signals(&mut Command::new(env!("CARGO_BIN_EXE_ktour")))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub fn run_program(&self, arguments: &str) -> ProcessOutput {
        wait_for_exit(self.start_program(arguments))
    }

    /// Returns standard output of a run that succeeds.
    pub fn successful_output(&self, arguments: &str) -> String {
        let ProcessOutput { status, out, err } = self.run_program(arguments);
        assert!(status.success(), "{arguments}: {err}");
        out
    }

    /// Returns the error line of a run that fails with status 1, without its prefix. The run must print
    /// nothing else.
    pub fn error_line(&self, arguments: &str) -> String {
        let ProcessOutput { status, out, err } = self.run_program(arguments);
        assert_eq!((status.code(), out.as_str()), (Some(1), ""), "{arguments}: {err}");
        let [line] = unexpected_lines(&err)[..] else {
            panic!("{arguments}: expected one line, not {err:?}")
        };
        line.strip_prefix(ERROR_PREFIX).unwrap_or_else(|| panic!("{arguments}: {err}")).to_owned()
    }

    /// Runs ktour in this folder, which must fail with status 1 and an error line that contains all of `names`. Adds
    /// that line to `refusals` and returns it.
    #[track_caller]
    pub fn add_refusal(&self, refusals: &mut Refusals, arguments: &str, names: &[&str]) -> String {
        refusals.run_command(ktour(arguments).current_dir(self.0.path()), arguments, 1, names)
    }

    /// Waits until a running job creates a file.
    pub fn wait_for_file(&self, child: &mut Child, name: &str) {
        while !self.path(name).exists() {
            assert!(child.try_wait().unwrap().is_none(), "the program ended without creating {name}");
            sleep(Duration::from_millis(1));
        }
    }

    /// Starts a job and returns it when it has saved two generations.
    pub fn start_with_two_generations(&self, arguments: &str) -> Child {
        let mut child = self.start_program(arguments);
        self.wait_for_file(&mut child, "run.previous");
        self.wait_for_file(&mut child, "run");
        child
    }
}

pub fn wait_for_exit(child: Child) -> ProcessOutput {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    ProcessOutput { status: output.status, out: text(output.stdout), err: text(output.stderr) }
}

pub fn send_signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Returns every `N of M` in the notices on standard error: units, boards or steps that are done, and their number. A
/// run that resumes within a sweep reports its units or boards, and then the steps of the sweep.
pub fn progress_in_notices(err: &str) -> Vec<(u64, u64)> {
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

/// Pseudorandom numbers (xorshift), the same in every run.
pub struct XorShift(pub u64);

impl XorShift {
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[test]
fn count_killed_20_times_resumes_to_known_number() {
    let mut random = XorShift(0x5eed);
    for engine in ["multipath", "backtrack"] {
        let folder = Folder::new();
        let (mut kills, mut finished_runs, mut resumed_runs) = (0, 0, 0);
        while kills < 20 || finished_runs == 0 {
            let threads = 1 + random.below(4);
            let is_saved = folder.path("run").exists() || folder.path("run.previous").exists();
            // The original command resumes a run, as `resume` does.
            let command = match is_saved && random.below(2) == 0 {
                true => "resume run".to_owned(),
                false => format!("{SHORT_JOB} --engine {engine} --checkpoint run"),
            };
            let mut child =
                folder.start_program(&format!("{command} --checkpoint-every 0.01 --threads {threads}"));
            if kills < 20 {
                // Kills some runs soon after their start, and others after their first saved unit,
                // however slow the machine is.
                let is_saved = || {
                    let loaded = Checkpoint::<RunState>::load(&folder.path("run")).ok();
                    loaded.is_some_and(|loaded| loaded.checkpoint.state.units_done() > 0)
                };
                let waits_for_save = random.below(2) == 0;
                while waits_for_save && !is_saved() && child.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(1));
                }
                sleep(Duration::from_millis(1 + random.below(150)));
                child.kill().unwrap();
            }
            let ProcessOutput { status, out, err } = wait_for_exit(child);
            resumed_runs += usize::from(progress_in_notices(&err).first().is_some_and(|&(done, _)| done > 0));
            if status.signal() == Some(9) {
                kills += 1;
                continue;
            }
            assert!(status.success(), "{command}: {err}");
            assert_eq!(out, SHORT_NUMBER, "{command}: {err}");
            finished_runs += 1;
            for name in ["run", "run.previous"] {
                let _ = fs::remove_file(folder.path(name));
            }
        }
        assert!(resumed_runs > 0, "{engine}: no run resumed finished units of a killed run");
    }
}

/// Returns the number of nodes in a checkpoint, unfinished units included.
fn nodes_with_unfinished_units(checkpoint: &Checkpoint<RunState>) -> u64 {
    checkpoint.state.sums.effort.nodes + checkpoint.state.parts.values().map(|part| part.nodes).sum::<u64>()
}

#[test]
fn long_units_resume_without_loss_or_repetition() {
    let folder = Folder::new();
    // A few units of some tenths of a second, each interrupted several times.
    let job = "count 6x7 --kind closed --engine backtrack --split-depth 0 --threads 1";
    let expected = Record::parse(&folder.successful_output(&format!("{job} --json -"))).unwrap();
    let command = format!("{job} --checkpoint run --checkpoint-every 0.02 --json out");
    let (mut before, mut kills_in_units) = (0, 0);
    for round in 0.. {
        let mut child = folder.start_program(&command);
        // True once the checkpoint has more nodes than the previous run saved.
        let has_progressed = || {
            let loaded = Checkpoint::<RunState>::load(&folder.path("run")).ok();
            loaded.is_some_and(|loaded| nodes_with_unfinished_units(&loaded.checkpoint) > before)
        };
        let mut ended = false;
        while !ended && !has_progressed() {
            ended = child.try_wait().unwrap().is_some();
            sleep(Duration::from_millis(5));
        }
        match (ended, round % 2) {
            (true, _) => {}
            (false, 0) => send_signal(&child, "TERM"),
            (false, _) => child.kill().unwrap(),
        }
        let ProcessOutput { status, err, .. } = wait_for_exit(child);
        if status.success() {
            break;
        }
        assert!(status.code() == Some(75) || status.signal() == Some(9), "{err}");
        let checkpoint = Checkpoint::<RunState>::load(&folder.path("run")).unwrap().checkpoint;
        assert!(nodes_with_unfinished_units(&checkpoint) > before);
        before = nodes_with_unfinished_units(&checkpoint);
        kills_in_units += usize::from(!checkpoint.state.parts.is_empty());
    }
    assert!(kills_in_units > 5, "interrupted within units only {kills_in_units} times");
    let found = Record::parse(&fs::read_to_string(folder.path("out")).unwrap()).unwrap();
    assert_eq!(
        (found.nodes, &found.sums),
        (expected.nodes, &expected.sums),
        "the resumed runs together count every node once"
    );
}

#[test]
fn first_signal_saves_and_prints_resume_command() {
    let folder = Folder::new();
    let mut command = LONG_JOB.to_owned();
    let mut before = 0;
    let mut last_lines = BTreeSet::new();
    for name in ["INT", "TERM", "USR1"] {
        let mut child = folder.start_program(&command);
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        wait_for_line(&mut lines, "ktour: job board=7x8 ");
        // The signal comes only after the run has saved more units than the previous run.
        let saved = || {
            Checkpoint::<RunState>::load(&folder.path("run"))
                .map_or(0, |loaded| loaded.checkpoint.state.units_done())
        };
        while saved() as u64 <= before {
            assert!(child.try_wait().unwrap().is_none(), "{name}: the program ended before the signal");
            sleep(Duration::from_millis(5));
        }
        send_signal(&child, name);
        let mut err = String::new();
        lines.read_to_string(&mut err).unwrap();
        let ProcessOutput { status, out, .. } = wait_for_exit(child);
        assert_eq!((status.code(), out.as_str()), (Some(75), ""), "{name}: {err}");
        let last = err.lines().last().unwrap();
        let [(done, all)] = progress_in_notices(last)[..] else { panic!("{name}: {err}") };
        assert!(before <= done && done < all, "{err}");
        before = done;
        let loaded = Checkpoint::<RunState>::load(&folder.path("run")).unwrap();
        assert!(loaded.fallback.is_none());
        assert_eq!(loaded.checkpoint.state.units_done() as u64, done);
        // The command in the printed line resumes the run.
        let resume_command = last.rsplit_once("ktour ").unwrap().1;
        assert_eq!(resume_command, "resume run");
        command = format!("{resume_command} --checkpoint-every 0.02");
        last_lines.insert(mask_numbers(last));
    }
    assert!(before > 0);
    let [line] = &last_lines.into_iter().collect::<Vec<_>>()[..] else {
        panic!("the last line depends on the signal")
    };
    let mut transcript = Transcript::default();
    transcript.add("the last line of a count that a signal stops", line);
    transcript.assert_snapshot("notices_stopped_count");
}

fn wait_for_line(lines: &mut BufReader<ChildStderr>, start: &str) {
    let mut line = String::new();
    while !line.starts_with(start) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "no line starts with {start}");
    }
}

#[test]
fn two_simultaneous_signals_save_once() {
    // `timeout` sends signals in this way: to the program, and to its group.
    for second in ["TERM", "INT", "HUP"] {
        let folder = Folder::new();
        let child = folder.start_with_two_generations(LONG_JOB);
        let two_kills = format!("kill -s TERM {0}; kill -s {second} {0}", child.id());
        Command::new("sh").args(["-c", &two_kills]).status().unwrap();
        let ProcessOutput { status, err, .. } = wait_for_exit(child);
        let last = err.lines().last().unwrap();
        assert_eq!(
            (status.code(), progress_in_notices(last).len()),
            (Some(75), 1),
            "{second}: {status}: {err}"
        );
        assert_contains_all(last, &["ktour resume run"]);
        assert!(Checkpoint::<RunState>::load(&folder.path("run")).is_ok());
    }
}

/// Waits until a program has filled the pipe of its standard output and writes no more.
fn wait_until_full(child: &mut Child) {
    const MIN_BYTES_WHEN_FULL: libc::c_int = 60_000;
    let pipe = child.stdout.as_ref().unwrap().as_raw_fd();
    let (mut before, mut waiting) = (-1, 0);
    while before != waiting || waiting < MIN_BYTES_WHEN_FULL {
        assert!(child.try_wait().unwrap().is_none(), "the program ended with {waiting} bytes in the pipe");
        sleep(Duration::from_millis(200));
        before = waiting;
        // SAFETY: `FIONREAD` writes the number of bytes in the pipe to an int.
        assert_eq!(unsafe { libc::ioctl(pipe, libc::FIONREAD, &mut waiting) }, 0);
    }
}

#[test]
fn second_signal_kills_blocked_process() {
    let folder = Folder::new();
    // The test does not read the rows, which exceed the capacity of a pipe. Once the pipe is full, the
    // program cannot stop.
    for _ in 0..20 {
        let mut child = folder.start_program("count 3x4..1000 --kind closed");
        wait_until_full(&mut child);
        send_signal(&child, "INT");
        sleep(Duration::from_millis(700));
        if child.try_wait().unwrap().is_none() {
            send_signal(&child, "TERM");
            // On a busy machine, the first signal may stop it in the meantime.
            if wait_for_exit(child).status.signal() == Some(15) {
                return;
            }
        }
    }
    panic!("no second signal killed the program in 20 attempts");
}

#[test]
fn signal_ends_list_into_a_full_pipe() {
    let folder = Folder::new();
    for (name, number) in [("INT", libc::SIGINT), ("TERM", libc::SIGTERM)] {
        let mut child = folder.start_program("list 8x8 --kind closed");
        wait_until_full(&mut child);
        send_signal(&child, name);
        let ProcessOutput { status, err, .. } = wait_for_exit(child);
        let stopped: Vec<&str> = err.lines().filter(|line| line.contains("stopped")).collect();
        assert_eq!((status.signal(), stopped.len()), (Some(number), 1), "{err}");
        assert!(stopped[0].starts_with("ktour: stopped after ") && stopped[0].ends_with(" tours"), "{err}");
    }
}

/// Interrupts the short job when most of its units are done, so that a resumed run is short, and returns the bytes of
/// its checkpoint.
fn unfinished_checkpoint_bytes(folder: &Folder) -> Vec<u8> {
    let command =
        format!("{SHORT_JOB} --engine backtrack --threads 1 --checkpoint run --checkpoint-every 0.02");
    // On a busy machine the job may end before the signal.
    for _ in 0..20 {
        let mut child = folder.start_with_two_generations(&command);
        let is_nearly_done = || {
            let loaded =
                Checkpoint::<RunState>::load(&folder.path("run")).map(|loaded| loaded.checkpoint.state);
            loaded.is_ok_and(|state| 4 * state.units_done() > 3 * state.done.len())
        };
        while !is_nearly_done() && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_none() {
            send_signal(&child, "TERM");
        }
        let ProcessOutput { status, err, .. } = wait_for_exit(child);
        if status.code() == Some(75) {
            return fs::read(folder.path("run")).unwrap();
        }
        assert!(status.success(), "{err}");
        for name in ["run", "run.previous"] {
            let _ = fs::remove_file(folder.path(name));
        }
    }
    panic!("the job ended before the signal in 20 attempts");
}

#[test]
fn damaged_checkpoint_is_rejected_or_previous_generation_is_used() {
    // All commands share the reader of checkpoints, so `count` and `merge` read only every tenth damaged
    // file.
    check_damaged_checkpoints(10);
}

#[test]
#[ignore = "runs the program several hundred times"]
fn damaged_checkpoint_is_rejected_by_every_command() {
    check_damaged_checkpoints(1);
}

/// Asserts that `resume` rejects every damaged checkpoint, and that `count` and `merge` reject every
/// `interval`-th one. With an intact previous generation, `resume` uses that one.
fn check_damaged_checkpoints(interval: usize) {
    let folder = Folder::new();
    let intact = unfinished_checkpoint_bytes(&folder);
    let line_ends: Vec<usize> = (0..intact.len()).filter(|&index| intact[index] == b'\n').collect();
    assert_eq!(line_ends.len(), 5, "head, job, time, digest, body");
    let mut damaged = Vec::new();
    // Cuts before, within and at the end of each line, and single changed bits in each line.
    let mut begin = 0_usize;
    for &end in &line_ends {
        for len in [begin, begin + 1, begin.midpoint(end), end] {
            damaged.push((format!("cut to {len}"), intact[..len].to_vec()));
        }
        for at in [begin, begin + 7, begin.midpoint(end), end - 1, end] {
            for bit in [0, 5, 7] {
                let mut bytes = intact.clone();
                bytes[at] ^= 1 << bit;
                damaged.push((format!("bit {bit} of byte {at}"), bytes));
            }
        }
        begin = end + 1;
    }
    let text = String::from_utf8(intact.clone()).unwrap();
    for (from, to) in [("checkpoint 5\n", "checkpoint 3\n"), ("board=5x8", "board=5x7"), ("ktour", "other")] {
        damaged.push((format!("{to} for {from}"), text.replacen(from, to, 1).into_bytes()));
    }
    damaged.push(("more".to_owned(), [&intact[..], b"x"].concat()));
    damaged.push(("twice".to_owned(), [&intact[..], &intact[..]].concat()));
    // Damage whose error lines are the same in every run.
    let is_repeatable =
        |damage: &str| ["cut to 0", "for", "more", "twice"].iter().any(|word| damage.contains(word));
    let mut transcript = Transcript::default();

    let before = fs::read(folder.path("run.previous")).unwrap();
    for (i, (damage, bytes)) in damaged.iter().enumerate() {
        fs::write(folder.path("run"), bytes).unwrap();
        let _ = fs::remove_file(folder.path("run.previous"));
        let line = folder.error_line("resume run");
        assert!(line.starts_with("run "), "{damage}: {line}");
        if is_repeatable(damage) {
            transcript.add(&format!("resume run, {}", damage.replace('\n', "")), &line);
        }
        match Checkpoint::<RunState>::load(&folder.path("run")) {
            Err(CheckpointError::Damaged { path, .. } | CheckpointError::NotACheckpoint { path }) => {
                assert_eq!(path, folder.path("run"), "{damage}");
            }
            Err(CheckpointError::OtherVersion { header, .. }) => {
                assert!(damage.contains("checkpoint 3") || damage.starts_with("bit "), "{damage}: {header}");
            }
            other => panic!("{damage}: {other:?}"),
        }
        if damage.contains("checkpoint 3") {
            assert_contains_all(&line, &["ktour checkpoint 3", "an older version"]);
        }
        assert!(!line.contains("delete"), "{damage}: {line}");
        if i % interval == 0 {
            let line = folder.error_line(&format!("{SHORT_JOB} --engine backtrack --checkpoint run"));
            assert!(line.starts_with("--checkpoint: run "), "{damage}: {line}");
            let line = folder.error_line("merge run");
            assert!(line.starts_with("run: ") || line.starts_with("run "), "{damage}: {line}");
        }
        assert_eq!(&fs::read(folder.path("run")).unwrap(), bytes, "{damage}: a rejected file is not changed");
        if i % 12 == 0 {
            fs::write(folder.path("run.previous"), &before).unwrap();
            let ProcessOutput { status, out, err } = folder.run_program("resume run");
            assert!(status.success(), "{damage}: {err}");
            assert_eq!(out, SHORT_NUMBER, "{damage}");
            let warning = err.lines().next().unwrap();
            assert!(warning.starts_with(WARNING_PREFIX), "{warning}");
            assert_contains_all(warning, &["run"]);
            if is_repeatable(damage) {
                let case = format!("resume run, {}, with the generation before", damage.replace('\n', ""));
                transcript.add(&case, warning);
            }
        }
    }
    transcript.assert_snapshot("errors_damaged_checkpoints");
}

#[test]
fn checkpoint_of_other_job_or_version_is_rejected() {
    let folder = Folder::new();
    let text = String::from_utf8(unfinished_checkpoint_bytes(&folder)).unwrap();
    fs::remove_file(folder.path("run.previous")).unwrap();
    let mut refusals = Refusals::default();
    for other in ["5x7 --kind paths --engine backtrack", "5x8 --engine multipath --kind paths"] {
        let arguments = format!("count {other} --checkpoint run");
        folder.add_refusal(
            &mut refusals,
            &arguments,
            &["run", "board=5x8 ", "kind=paths", "engine=backtrack"],
        );
    }
    // An intact file with the plan of another version.
    let lines: Vec<&str> = text.splitn(5, '\n').collect();
    let [head, job, saved, _, body] = lines[..] else { panic!("{text}") };
    assert!(head == "ktour checkpoint 5" && job.starts_with("count board=5x8 "), "{head}\n{job}");
    let (start, rest) = job.split_once("plan=").unwrap();
    let job = format!("{start}plan=0{}", &rest[1..]).replace("plan=00", "plan=01");
    let digest: String = Sha256::digest(format!("{head}\n{job}\n{saved}\n{body}\n"))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    fs::write(folder.path("run"), format!("{head}\n{job}\nsha256 {digest}\n{body}")).unwrap();
    folder.add_refusal(&mut refusals, "resume run", &["run"]);
    assert!(matches!(
        Checkpoint::<RunState>::load(&folder.path("run")),
        Err(CheckpointError::Damaged { .. })
    ));
    fs::write(folder.path("run"), format!("{head}\n{job}\n{saved}\nsha256 {digest}\n{body}")).unwrap();
    folder.add_refusal(&mut refusals, "resume run", &["board=5x8 ", "plan=0"]);
    assert!(Checkpoint::<RunState>::load(&folder.path("run")).is_ok(), "the file is intact");
    refusals.assert_snapshot("errors_other_checkpoints");
}

#[test]
fn checkpoint_file_is_created_at_start() {
    let folder = Folder::new();
    let mut child = folder.start_program(&LONG_JOB.replace("every 0.02", "every 3600"));
    std::os::unix::fs::symlink("run", folder.path("link")).unwrap();
    let mut transcript = Transcript::default();
    folder.wait_for_file(&mut child, "run");
    for (name, err) in errors_of_locked_resumes(&folder, &child) {
        transcript.add(&format!("resume {name}, in use"), &err);
    }
    send_signal(&child, "KILL");
    assert!(wait_for_exit(child).status.signal().is_some());
    let saved = Checkpoint::<RunState>::load(&folder.path("run")).unwrap().checkpoint;
    assert_eq!(saved.state.units_done(), 0);
    // The lock file of the killed process locks nothing. The next run deletes it.
    let mut child = folder.start_program("resume run");
    wait_until_caught(&mut child, libc::SIGINT);
    send_signal(&child, "INT");
    assert_eq!(wait_for_exit(child).status.code(), Some(75));
    assert!(!folder.path("run.lock").exists());
    let refused = folder.error_line("resume other");
    assert_contains_all(&refused, &["other"]);
    transcript.add("resume other, which is not there", &refused);
    assert!(matches!(Checkpoint::<RunState>::load(&folder.path("other")), Err(CheckpointError::Read { .. })));
    transcript.assert_snapshot("errors_checkpoints_in_use");
}

#[test]
fn run_killed_before_its_first_interval_resumes() {
    for job in [SHORT_JOB, "count 5x8 --kind paths --engine frontier", "count 6x6 --symmetry rot180"] {
        let folder = Folder::new();
        let mut child = folder.start_program(&format!("{job} --checkpoint run --checkpoint-every 3600"));
        folder.wait_for_file(&mut child, "run");
        send_signal(&child, "KILL");
        wait_for_exit(child);
        assert_eq!(folder.successful_output("resume run"), folder.successful_output(job), "{job}");
    }
}

/// Resumes the checkpoint of a running program by its name and by a symbolic link, at the same time, since each waits
/// for seconds. Both must fail, and standard error must have two lines: a notice that a file is in use, with the seconds
/// that the program waits, and the error. Returns the names, each with standard error. The running program is
/// suspended from then on, and holds its lock until it is killed.
#[track_caller]
fn errors_of_locked_resumes(folder: &Folder, holder: &Child) -> [(&'static str, String); 2] {
    send_signal(holder, "STOP");
    let resumes = ["run", "link"].map(|name| (name, folder.start_program(&format!("resume {name}"))));
    resumes.map(|(name, resume)| {
        let ProcessOutput { status, out, err } = wait_for_exit(resume);
        assert_eq!((status.code(), out.as_str()), (Some(1), ""), "{name}: {err}");
        let [notice, error] = err.lines().collect::<Vec<_>>()[..] else {
            panic!("{name}: expected two lines, not {err}")
        };
        assert!(notice.starts_with(&format!("ktour: {name} ")) && notice.contains("5 s"), "{err}");
        assert!(error.starts_with(&format!("{ERROR_PREFIX}run ")), "{err}");
        (name, err)
    })
}

#[test]
fn checkpoint_is_locked_by_one_process() {
    let folder = Folder::new();
    let child = folder.start_with_two_generations(LONG_JOB);
    // A symbolic link leads to the same lock.
    std::os::unix::fs::symlink("run", folder.path("link")).unwrap();
    errors_of_locked_resumes(&folder, &child);
    // The second process waits for a first process that is about to end.
    let mut second = folder.start_program("resume run");
    let mut stderr_lines = BufReader::new(second.stderr.take().unwrap());
    let mut line = String::new();
    stderr_lines.read_line(&mut line).unwrap();
    assert!(!line.starts_with(JOB_PREFIX) && !line.starts_with(ERROR_PREFIX), "{line}");
    assert_contains_all(&line, &["run", "5 s"]);
    send_signal(&child, "KILL");
    assert!(wait_for_exit(child).status.signal().is_some());
    line.clear();
    stderr_lines.read_line(&mut line).unwrap();
    if line.starts_with(ERROR_PREFIX) {
        // On a busy machine, the death of the first process takes longer than the second one waits.
        wait_for_exit(second);
        second = folder.start_program("resume run");
        stderr_lines = BufReader::new(second.stderr.take().unwrap());
        line.clear();
        stderr_lines.read_line(&mut line).unwrap();
    }
    assert!(line.starts_with(JOB_PREFIX) || line.starts_with(WARNING_PREFIX), "{line}");
    send_signal(&second, "TERM");
    wait_for_exit(second);
}

#[test]
fn checkpoint_behind_symlink_is_written_to_its_target() {
    let folder = Folder::new();
    fs::create_dir(folder.path("far")).unwrap();
    std::os::unix::fs::symlink("far/run", folder.path("run")).unwrap();
    folder.successful_output("count 5x5 --checkpoint run --engine multipath");
    assert!(folder.path("run").is_symlink() && folder.path("far/run").is_file());
    assert_eq!(folder.successful_output("resume run"), folder.successful_output("count 5x5"));
    assert_eq!(folder.successful_output("merge run"), folder.successful_output("count 5x5"));
}

#[test]
fn resume_and_merge_reject_endless_files() {
    let folder = Folder::new();
    let mut refusals = Refusals::default();
    for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
        for command in ["resume", "count 5x5 --checkpoint", "merge"] {
            folder.add_refusal(&mut refusals, &format!("{command} {device}"), &[device]);
        }
        let locked = CheckpointFile::lock(device.as_ref());
        assert!(matches!(locked, Err(CheckpointError::NotAFile { .. })), "{device}");
    }
    let huge = fs::File::create(folder.path("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    folder.add_refusal(&mut refusals, "resume huge", &["huge"]);
    folder.add_refusal(&mut refusals, "merge huge", &["huge"]);
    let loaded = Checkpoint::<RunState>::load(&folder.path("huge"));
    assert!(matches!(loaded, Err(CheckpointError::NotACheckpoint { .. })), "{loaded:?}");
    refusals.assert_snapshot("errors_endless_checkpoints");
}

#[test]
fn merge_reads_other_records_after_torn_line() {
    let folder = Folder::new();
    for half in [0, 1] {
        folder.successful_output(&format!("count 5x6 --engine multipath --shard {half}/2 --record whole"));
    }
    let whole = fs::read_to_string(folder.path("whole")).unwrap();
    let first = whole.lines().next().unwrap();
    // A full disk leaves only the beginning of a line.
    fs::write(folder.path("torn"), format!("{first}\n{}", &first[..100])).unwrap();
    let ProcessOutput { status, out, err } =
        folder.run_program("count 5x6 --engine multipath --shard 1/2 --record torn");
    assert!(status.success() && !out.is_empty(), "{err}");
    let mut notices = Transcript::default();
    let mut add_notice = |case: &str, err: &str, names: &[&str]| {
        let is_notice = |line: &&str| names.iter().all(|name| line.contains(name));
        let found: Vec<&str> = unexpected_lines(err).into_iter().filter(is_notice).collect();
        let [notice] = found[..] else { panic!("{case}: {err}") };
        notices.add(case, notice);
    };
    add_notice("count --record torn", &err, &["torn"]);
    let ProcessOutput { status, out, err } = folder.run_program("merge torn");
    assert!(status.success(), "{err}");
    add_notice("merge torn", &err, &["torn", "line 2"]);
    assert_eq!(out, folder.successful_output("count 5x6"));
    // The record of the other shard is missing now.
    fs::write(folder.path("torn"), format!("{first}\n{}", &first[..100])).unwrap();
    let ProcessOutput { status, err, .. } = folder.run_program("merge torn");
    assert_eq!(status.code(), Some(1), "{err}");
    add_notice("merge torn, without the other half", &err, &["torn", "line 2"]);
    let error = err.lines().last().unwrap();
    assert!(error.starts_with(ERROR_PREFIX), "{err}");
    assert_contains_all(error, &["1/2"]);
    notices.assert_snapshot("notices_torn_records");
    let mut refusals = Refusals::default();
    fs::write(folder.path("torn"), &first[..100]).unwrap();
    folder.add_refusal(&mut refusals, "merge torn", &["torn", "line 1", "column 100"]);
    // A changed record is neither intact nor torn.
    fs::write(folder.path("torn"), format!("{first}\n{}\n", first.replace("5x6", "5x5"))).unwrap();
    folder.add_refusal(&mut refusals, "merge torn", &["torn", "line 2"]);
    refusals.assert_snapshot("errors_torn_records");
}

#[test]
fn count_prints_result_if_record_cannot_be_written() {
    let folder = Folder::new();
    for job in ["count 5x6 --kind closed", "count 6x6 --symmetry rot180"] {
        let ProcessOutput { status, out, err } = folder.run_program(&format!("{job} --record /dev/full"));
        assert_eq!(status.code(), Some(1), "{err}");
        let errors: Vec<&str> = err.lines().filter(|line| line.starts_with(ERROR_PREFIX)).collect();
        assert!(errors.len() == 1 && errors[0].contains("/dev/full"), "{err}");
        assert_eq!(out, folder.successful_output(job));
    }
}

#[test]
fn unwritable_checkpoint_is_rejected_before_run() {
    let folder = Folder::new();
    let mut refusals = Refusals::default();
    folder.add_refusal(&mut refusals, "count 5x5 --checkpoint no/such/run", &["no/such/run", "no/such;"]);
    folder.add_refusal(&mut refusals, "resume run", &["run"]);
    refusals.assert_snapshot("errors_checkpoint_places");
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 0, "a rejected command leaves files");
    for bad in ["0", "x", "2d"] {
        let status =
            folder.run_program(&format!("count 5x5 --checkpoint run --checkpoint-every {bad}")).status;
        assert_eq!(status.code(), Some(2));
    }
}

#[test]
fn run_continues_with_warning_if_checkpoint_folder_disappears() {
    let folder = Folder::new();
    fs::create_dir(folder.path("here")).unwrap();
    let command = "--engine backtrack --threads 1 --checkpoint here/run --checkpoint-every 0.02";
    let mut child = folder.start_program(&format!("{SHORT_JOB} {command}"));
    folder.wait_for_file(&mut child, "here/run");
    fs::rename(folder.path("here"), folder.path("there")).unwrap();
    let ProcessOutput { status, out, err } = wait_for_exit(child);
    assert!(status.success(), "{err}");
    assert_eq!(out, SHORT_NUMBER);
    let warnings: BTreeSet<&str> = err.lines().filter(|line| line.starts_with(WARNING_PREFIX)).collect();
    let warning = warnings.iter().find(|line| line.contains("No such file or directory"));
    let warning =
        warning.unwrap_or_else(|| panic!("expected a warning with the error of the system, not {err}"));
    let mut transcript = Transcript::default();
    transcript.add("a folder that goes away", warning);
    transcript.assert_snapshot("warnings_checkpoint_not_saved");
    assert_eq!(folder.successful_output("resume there/run"), SHORT_NUMBER, "the last checkpoint is intact");
}

#[test]
fn merge_adds_shards_and_names_mismatches() {
    let folder = Folder::new();
    let mut names = Vec::new();
    for r in 0..64 {
        let name = format!("p{r}.json");
        let ProcessOutput { status, err, .. } = folder
            .run_program(&format!("count 6x6 --kind paths --engine multipath --shard {r}/64 --json {name}"));
        assert!(status.success(), "{err}");
        let (first, last) = (err.lines().next().unwrap(), err.lines().last().unwrap());
        assert!(first.starts_with("ktour: job board=6x6 piece=1,2 remove=- kind=paths "), "{first}");
        assert!(first.ends_with(&format!(" shard={r}/64")), "{first}");
        assert!(last.starts_with(&format!("ktour: done shards={r}/64 directed-paths=")), "{last}");
        names.push(name);
    }
    let all = names.join(" ");
    assert_eq!(
        folder.successful_output(&format!("merge {all}")),
        folder.successful_output("count 6x6 --kind paths")
    );
    let ProcessOutput { err, .. } = folder.run_program(&format!("merge {all} --directed"));
    let merged = err.lines().next().unwrap();
    assert_contains_all(merged, &["64", " shards=0/1 paths=3318960 seconds="]);
    let mut transcript = Transcript::default();
    transcript.add("merge of 64 parts", merged.split_once("seconds=").unwrap().0);

    let refuse = |transcript: &mut Transcript, case: &str, files: &str, names: &[&str]| {
        let line = folder.error_line(&format!("merge {files}"));
        assert_contains_all(&line, names);
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
        folder.successful_output(&format!("count {options} --shard 17/64 --json other.json"));
        let mixed = all.replace("p17.json", "other.json");
        let case = format!("merge with other.json of {options}");
        refuse(&mut transcript, &case, &mixed, &["p0.json", "other.json", difference]);
    }
    // Error lines identify the records of one file by their line numbers.
    let lines = ["p0.json", "other.json"].map(|name| {
        let record = Record::parse(&fs::read_to_string(folder.path(name)).unwrap()).unwrap();
        record.to_line()
    });
    fs::write(folder.path("all.jsonl"), lines.join("\n")).unwrap();
    refuse(&mut transcript, "merge all.jsonl", "all.jsonl", &["all.jsonl", "line 1", "line 2"]);
    let child = folder.start_with_two_generations(LONG_JOB);
    send_signal(&child, "TERM");
    wait_for_exit(child);
    let line = folder.error_line(&format!("merge {all} run"));
    assert!(line.starts_with("run ") && line.ends_with("ktour resume run"), "{line}");
    transcript.add("merge with an unfinished run", &mask_numbers(&line));
    refuse(&mut transcript, "merge with nowhere", &format!("{all} nowhere"), &["nowhere"]);
    transcript.assert_snapshot("merge_shards");
}

#[test]
fn merge_accepts_merged_results() {
    let folder = Folder::new();
    let job = "count 5x6 --engine backtrack";
    for r in 0..4 {
        // `merge` accepts finished checkpoints as well as records.
        folder.successful_output(&format!("{job} --shard {r}/4 --json p{r} --checkpoint c{r}"));
    }
    folder.successful_output(&format!("{job} --shard 1/2 --json half"));
    let mut refusals = Refusals::default();
    folder.add_refusal(&mut refusals, "merge p0 p2 --json even", &["1/4", "3/4"]);
    assert!(!folder.path("even").exists());
    folder.successful_output("merge p0 c2 --partial --json even");
    let even = Record::parse(&fs::read_to_string(folder.path("even")).unwrap()).unwrap();
    assert_eq!((even.complete, even.shards), (false, vec!["0/4".to_owned(), "2/4".to_owned()]));
    let whole = folder.successful_output("count 5x6");
    for rest in ["p1 p3", "c3 p1", "half"] {
        assert_eq!(folder.successful_output(&format!("merge even {rest}")), whole, "{rest}");
    }
    folder.add_refusal(&mut refusals, "merge even half p3", &["3/4"]);
    folder.successful_output("series 5x2..6 --kind closed --json series");
    folder.successful_output("stats 5x5 --json stats");
    folder.add_refusal(&mut refusals, "merge series", &["a series of boards", "ktour count --json"]);
    folder.add_refusal(&mut refusals, "merge stats", &["another result", "ktour count --json"]);
    refusals.assert_snapshot("errors_merged_parts");
}

#[test]
fn shard_equals_sum_of_its_halves() {
    let folder = Folder::new();
    for job in
        ["5x6 --kind paths", "6x6 --kind closed", "5x6 --engine backtrack --kind open", "5x6 --start a1"]
    {
        let counts = |r: u64, m: u64| -> Vec<BigUint> {
            let engine = if job.contains("--engine") { "" } else { "--engine multipath" };
            let csv = folder.successful_output(&format!("count {job} {engine} --shard {r}/{m} --csv -"));
            csv_rows(&csv).iter().map(|row| row["directed"].parse().unwrap()).collect()
        };
        for (r, m) in [(0, 1), (0, 2), (1, 2), (2, 3), (5, 7)] {
            let (whole, low, high) = (counts(r, m), counts(r, 2 * m), counts(r + m, 2 * m));
            let sums: Vec<BigUint> = low.iter().zip(&high).map(|(a, b)| a + b).collect();
            assert_eq!(whole, sums, "{job} {r}/{m}");
        }
    }
}

/// Returns jobs on a wrapped board and on a graph from a file, with their counts.
fn wrapped_board_and_graph_jobs(folder: &Folder) -> [(String, String); 2] {
    // The knight on a Moebius strip of 5x5, and a grid of 5x6 with renumbered vertices.
    let edges = |v: usize| {
        let right = (v % 6 < 5).then_some(v + 1);
        right.into_iter().chain((v < 24).then_some(v + 6)).map(move |w| (v * 7 % 30, w * 7 % 30))
    };
    let lines = (0..30).flat_map(edges).map(|(v, w)| format!("{v} {w}\n"));
    fs::write(folder.path("graph.txt"), lines.collect::<String>()).unwrap();
    let jobs = ["5x5 --wrap mobius --kind closed", "--graph graph.txt --kind paths"];
    jobs.map(|job| (job.to_owned(), folder.successful_output(&format!("count {job} --engine frontier"))))
}

#[test]
fn merge_adds_shards_of_wrapped_boards_and_graphs() {
    let folder = Folder::new();
    let jobs = wrapped_board_and_graph_jobs(&folder);
    assert_eq!(jobs.each_ref().map(|(_, number)| number.as_str()), ["953760\n", "26996\n"]);
    for (job, number) in jobs {
        for engine in ["multipath", "backtrack"] {
            let names = [0, 1, 2].map(|r| {
                let name = format!("{engine}{r}.json");
                folder
                    .successful_output(&format!("count {job} --engine {engine} --shard {r}/3 --json {name}"));
                name
            });
            assert_eq!(
                folder.successful_output(&format!("merge {}", names.join(" "))),
                number,
                "{job} {engine}"
            );
            let line = folder.error_line(&format!("merge {} {}", names[0], names[2]));
            assert_contains_all(&line, &["1/3", "--partial"]);
        }
    }
}

#[test]
fn wrapped_board_and_graph_runs_resume_from_checkpoints() {
    let folder = Folder::new();
    for (job, number) in wrapped_board_and_graph_jobs(&folder) {
        for engine in ["multipath", "backtrack"] {
            let file = format!("{engine}{}", job.len());
            for _ in 0..5 {
                let command = format!("count {job} --engine {engine} --threads 1 --checkpoint {file}");
                let mut child = folder.start_program(&format!("{command} --checkpoint-every 0.01"));
                while !folder.path(&file).exists() && child.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(1));
                }
                child.kill().unwrap();
                child.wait().unwrap();
            }
            let ended = folder.run_program(&format!("count {job} --engine {engine} --checkpoint {file}"));
            assert!(ended.status.success(), "{job} {engine}: {}", ended.err);
            assert_eq!(ended.out, number, "{job} {engine}");
            assert_eq!(progress_in_notices(&ended.err).len(), 1, "{job} {engine}: {}", ended.err);
        }
    }
}

#[test]
fn records_are_appended_and_edits_are_detected() {
    let folder = Folder::new();
    for job in
        ["5x5", "5x6 --kind closed", "6x6 --kind closed --per-start", "5x6 --shard 0/2 --engine multipath"]
    {
        folder.successful_output(&format!("count {job} --record records"));
    }
    folder.successful_output("count 5x6 --shard 1/2 --engine multipath --record records");
    let text = fs::read_to_string(folder.path("records")).unwrap();
    let records: Vec<Record> = text.lines().map(|line| Record::parse(line).unwrap()).collect();
    let complete: Vec<bool> = records.iter().map(|record| record.complete).collect();
    assert_eq!(complete, [true, true, true, false, false]);
    assert_eq!(records[1].counts["closed"].undirected.as_deref(), Some("8"));

    let halves: Vec<&str> = text.lines().skip(3).collect();
    fs::write(folder.path("halves"), halves.join("\n")).unwrap();
    assert_eq!(folder.successful_output("merge halves"), folder.successful_output("count 5x6"));
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
            folder.successful_output("merge edited");
        } else {
            folder.add_refusal(&mut refusals, "merge edited", &["edited", "line "]);
            assert!(edited.lines().any(|line| matches!(Record::parse(line), Err(RecordError::Digest))));
        }
    }
    refusals.assert_snapshot("errors_edited_records");
}
