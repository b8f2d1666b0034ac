"""Tests that take long: runs that are killed, damaged inputs, a disk that becomes full, and ignored tests."""

import collections
import concurrent.futures
import functools
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time

from .experiments import chosen, experiment, section
from .runs import ROOT, Job, append, call, newest, run

# Jobs: name, arguments of count, number of tours, seconds between checkpoints, memory limits to choose from on resume.
BOTH = "514157275460069452120079241793349643634292326129359975074872000682349156021044090911795954482533743422"
JOBS = [
    ("search", "6x7 --kind closed --engine backtrack", "1067638", 0.1, []),
    ("search", "6x8 --kind closed --engine multipath", "55488142", 0.1, []),
    ("sweep", "7x7 --kind paths --engine frontier", "82787609160", 0.2, []),
    ("sweep", "6x9 --kind closed --engine frontier", "3374967940", 0.1, []),
    ("both ends", "6x60 --kind closed --engine frontier", BOTH, 0.05, []),
    ("both ends, spilled", "6x60 --kind closed --engine frontier --memory 26M", BOTH, 0.05, ["26M", "30M", "60M"]),
    ("spilled sweep", "7x7 --kind paths --engine frontier --memory 50M", "82787609160", 0.2, ["50M", "60M", "80M"]),
    ("spilled, not saved", "7x7 --kind paths --engine frontier --memory 50M --spill spill", "82787609160", 0, []),
]
EXPECTED_FILES = {"run", "run.previous", "spill"}
# Seconds that may be lost in addition to the interval, while a checkpoint is written. There are more threads than cores.
ALLOWANCE = 10.0


def progress_line(folder):
    """Returns the line with the progress in the newest valid generation of a checkpoint; an empty text without one."""
    for name in ("run", "run.previous"):
        try:
            return (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()[2]
        except (OSError, IndexError):
            pass
    return ""


def seconds_in(pattern, text):
    """Returns the seconds that a pattern finds, or 0."""
    found = re.search(pattern, text, re.MULTILINE)
    return float(found[1]) if found else 0.0


class KilledJob:
    """A job that is killed and resumed with random options."""

    def __init__(self, seed, job):
        self.name, self.words, self.answer, self.interval, self.limits = job
        self.chance, self.lost, self.seconds = random.Random(seed), 0.0, 2.0
        self.counts = dict.fromkeys(("kills", "saving", "ends", "wrong", "back", "left"), 0)

    def fault(self, kind, text):
        self.counts[kind] += 1
        print(f"{self.words}: {text}", file=sys.stderr)

    def command(self, folder):
        """Returns the original command or `resume`, with random threads and memory limit."""
        words = ["count", *self.words.split(), *(["--checkpoint", "run"] if self.interval else [])]
        if progress_line(folder) and self.chance.random() < 0.6:
            words = ["resume", "run", *(["--memory", self.chance.choice(self.limits)] if self.limits else [])]
        words += ["--checkpoint-every", self.interval] if self.interval else []
        return [*words, "--threads", self.chance.randint(1, 4), "--progress", "none"]

    def run(self, kills):
        """Kills the job this number of times at most, and then lets it end."""
        with tempfile.TemporaryDirectory(prefix="ktour-kills-") as name:
            folder = pathlib.Path(name)
            # Seconds of work in the newest checkpoint, at least; seconds of work at the last kill.
            self.saved = self.worked = 0.0
            while self.run_once(folder, kills > 0):
                kills -= 1

    def run_once(self, folder, is_killed):
        """Runs the job once, and kills it at a random moment, or not. Returns false if the run ended by itself."""
        began, on_disk, is_saving = time.monotonic(), 0.0, False
        job = Job(*self.command(folder), folder=folder)
        if is_killed:
            moment = began + self.chance.uniform(0, 1.1 * self.seconds)
            # Half of the runs are killed while they write a checkpoint.
            end = moment + (2 * self.interval if self.chance.random() < 0.5 else 0)
            job.wait_until(lambda: time.monotonic() >= moment, pause=0.002)
            while job.process.poll() is None and time.monotonic() < end and not is_saving:
                is_saving = (folder / "run.new").exists()
            on_disk = seconds_in(r", ([\d.]+) s$", progress_line(folder))
        out, seconds, log = job.end(signal.SIGKILL if is_killed else None), time.monotonic() - began, job.log()
        job.log_path.unlink()
        # A run that was killed at its beginning has not printed from where it resumes.
        if log.count("\n") > 1 or job.process.returncode != -9:
            resumed = seconds_in(r"resuming after .*, ([\d.]+) s$", log)
            # The line is printed with a precision of a tenth of a second.
            if self.interval and (resumed + 0.06 < self.saved or self.worked - resumed > self.interval + ALLOWANCE):
                self.fault("back", f"resumes after {resumed} s of {self.worked:.2f} s, {self.saved} s saved: {log}")
            self.lost = max(self.lost, self.worked - resumed) if self.interval else 0
            self.saved, self.worked = max(on_disk, self.saved), resumed + seconds
        if job.process.returncode == -9:
            self.counts["kills"] += 1
            self.counts["saving"] += is_saving
            return True
        self.counts["ends"] += 1
        if job.process.returncode != 0 or out != self.answer:
            self.fault("wrong", f"exit status {job.process.returncode}, {out!r} instead of {self.answer}: {log}")
        left = {path.name for path in folder.iterdir()} - EXPECTED_FILES | {path.name for path in folder.glob("spill/*")}
        if left:
            self.fault("left", f"files left behind: {sorted(left)}")
        return False

    def kill(self, number):
        """Kills the job this number of times, and returns its record. A run is killed up to eight times and then ends."""
        began = time.monotonic()
        self.run(0)
        self.seconds, self.counts["ends"] = time.monotonic() - began, 0
        while self.counts["kills"] < number:
            self.run(min(number - self.counts["kills"], self.chance.randint(1, 8)))
        command = f"ktour count {self.words}" + " --checkpoint run" * bool(self.interval)
        return {"name": self.name, "command": command, "interval": self.interval, "lost": round(self.lost, 3), **self.counts}


@experiment("kills", "runs that are killed [NUMBER] times (default 1000) and resumed", "20 minutes")
def kills(arguments):
    jobs = chosen(arguments, JOBS)
    number = 3 if arguments.quick else -(-int(arguments.rest[0] if arguments.rest else 1000) // len(jobs))
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda job: KilledJob(*job).kill(number), enumerate(jobs)))
    entry = {"what": "kills", "kills": sum(job["kills"] for job in done), "allowance": ALLOWANCE, "jobs": done}
    append("hardening", {**entry, "seconds": round(time.monotonic() - began, 1)})
    return sum(job[kind] for job in done for kind in ("wrong", "back", "left"))


FULL_DISK_JOB = "7x8 --kind paths --engine frontier --memory 100M --threads 2 --progress none"
FULL_DISK_NUMBER = "20666425060328"
MIB = 96


@experiment("full-disk", "a sweep whose disk becomes full (mounts a tmpfs, needs root)", "a minute")
def full_disk(arguments):
    with tempfile.TemporaryDirectory(prefix="ktour-disk-") as name:
        if run("-t", "tmpfs", "-o", f"size={MIB}m", "tmpfs", name, program="mount", check=False).status != 0:
            print("full-disk: skipped, because a tmpfs cannot be mounted here")
            return 0
        try:
            steps, faults = run_on_full_disk(pathlib.Path(name))
        finally:
            run(name, program="umount")
    print("\n".join(faults), file=sys.stderr)
    entry = {"what": "full-disk", "command": f"ktour count {FULL_DISK_JOB} --checkpoint run", "mib": MIB}
    append("hardening", {**entry, "steps": steps, "faults": faults})
    return len(faults)


def run_on_full_disk(folder):
    """Fills the disk of a run, resumes the run on the full disk and then with free space. Returns steps and faults."""
    steps, faults, other = [], [], folder / "something-else"
    fill = lambda: run("if=/dev/zero", f"of={other}", "oflag=append", "conv=notrunc", "bs=64k", program="dd", check=False)

    def finish(name, job, is_right):
        """Records a step. `is_right` gets the exit status, the output and the messages."""
        out, err = job.end(), job.log()
        job.log_path.unlink()
        lines = [line for line in err.splitlines() if not re.match("ktour: (job|done|resuming) ", line)]
        # Messages that differ only in the step are merged.
        merged = collections.Counter(re.sub("step [0-9]+ of", "step N of", line) for line in lines)
        text = "<br>".join(line if times == 1 else f"{line} ({times} times)" for line, times in merged.items())
        steps.append({"name": name, "status": job.process.returncode, "said": text or out})
        if "panicked" in err or not is_right(job.process.returncode, out, text) or not progress_line(folder):
            faults.append(f"{name}: exit status {job.process.returncode}, checkpoint {progress_line(folder)!r}, {out} {err}")

    # The messages are on another disk.
    begin = lambda command: Job(*f"{command} --checkpoint-every 0.1".split(), folder=folder, log=folder.with_suffix(".log"))
    job = begin(f"count {FULL_DISK_JOB} --checkpoint run").wait_until((folder / "run.previous").exists, pause=0.005)
    # Space that the run frees is filled again.
    job.wait_until(lambda: not fill(), pause=0.05)
    finish("the disk becomes full", job, lambda status, _, text: status != 0 and "disk" in text)
    fill()
    again = lambda status, out, text: out == FULL_DISK_NUMBER if status == 0 else "resume" in text
    finish("resumed on the full disk", begin("resume run --progress none --memory 100M"), again)
    other.unlink()
    is_right = lambda status, out, _: (status, out) == (0, FULL_DISK_NUMBER)
    finish("resumed with free space", begin("resume run --progress none"), is_right)
    left = {path.name for path in folder.iterdir()} - EXPECTED_FILES
    return steps, faults + [f"files left behind: {sorted(left)}"] * bool(left)


@experiment("fuzz", "readers with [NUMBER] damaged inputs of each kind (default 1,000,000)", "ten minutes")
def fuzz(arguments):
    profile = ["--profile", "quick"] if arguments.quick else ["--release"]
    os.environ["KTOUR_FUZZ"] = "200" if arguments.quick else "".join(arguments.rest) or "1000000"
    words = ["test", *profile, "--lib", "--test", "it", "--no-fail-fast", "--", "fuzz", "--nocapture"]
    done = run(*words, program="cargo", folder=ROOT, check=False)
    failures = re.findall(r"^test (\S+) \.\.\. FAILED", done.out, re.MULTILINE)
    if done.status != 0:
        print(done.out, done.err, file=sys.stderr)
        failures.append("cargo test")
    inputs = sorted((name.strip(), int(tried)) for tried, name in re.findall(r"fuzz: (\d+) (.+)", done.out))
    targets = [{"name": name, "inputs": tried, "panics": 0} for name, tried in inputs]
    targets += [{"name": name, "inputs": 0, "panics": 1} for name in failures]
    append("hardening", {"what": "fuzz", "targets": targets, "seconds": round(done.wall_seconds, 1)})
    return len(failures)


def newest_rows(what, rows):
    """Returns a row for each job, input or step of the newest record of an experiment."""
    entry = newest("hardening", "what")[what]
    return [{**entry, **row, "entry": entry} for row in entry[rows]]


for what, rows in (("kills", "jobs"), ("fuzz", "targets"), ("full-disk", "steps")):
    section("results/hardening.md", what)(functools.partial(newest_rows, what, rows))


# Tests of kernels and other `unsafe` code.
UNSAFE = "frontier::weights frontier::layer frontier::signature frontier::tour_index batch::filesystem".split()
UNSAFE += "search::backtrack search::multipath search::bitboard_graph".split()


@experiment("long-tests", "ignored tests [NAME]; without NAME also fuzz, overflow checks and valgrind", "ten minutes")
def long_tests(arguments):
    call("cargo", "test", "--release", "--test", "it", *arguments.rest, "--", "--ignored")
    if arguments.rest:
        return
    call("cargo", "test", "--profile", "quick")
    call("cargo", "test", "--release", "--lib", "--test", "it", "--", "fuzz", KTOUR_FUZZ="20000")
    if not shutil.which("valgrind"):
        print("valgrind: skipped, because it is not installed")
        return
    settings = {"PROPTEST_CASES": "8", "KTOUR_FUZZ": "20", "RAYON_NUM_THREADS": "2"}
    runner = "target.'cfg(all())'.runner = 'valgrind --quiet --error-exitcode=1 --leak-check=no --fair-sched=yes'"
    valgrind = ["cargo", "--config", runner, "test", "--profile", "quick", "--lib", "--", "--test-threads", "1"]
    # With the processor's own kernels and with the portable ones.
    for cpu in ("", "portable"):
        call(*valgrind, *UNSAFE, KTOUR_CPU=cpu, **settings)
