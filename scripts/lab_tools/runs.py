"""Runs programs and measures them, and reads and appends records.

A record is one line of JSON in results/NAME.jsonl, with the commit of the program and the machine. Records are only
appended, never changed.
"""

import collections
import functools
import json
import operator
import os
import pathlib
import platform
import re
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# The environment variable KTOUR names another program to measure.
KTOUR = pathlib.Path(os.environ.get("KTOUR", TARGET / "release" / "ktour")).resolve()
# Folder with the README and results/ that are written: a copy of the repository's in a quick run.
output = ROOT


def results():
    """Returns the folder of records and pages."""
    return output / "results"


@functools.cache
def build(*options):
    """Makes the stock release build, once, so that the measured program is the one that users get."""
    if "KTOUR" not in os.environ or options:
        call("cargo", "build", "--release", "--quiet", *options)
    return KTOUR


def call(*words, folder=None, **environment):
    """Runs a program that prints by itself. Fails if the program fails."""
    subprocess.run(list(map(str, words)), cwd=folder or ROOT, check=True, env={**os.environ, **environment})


class Run(collections.namedtuple("Run", "command out err status wall_seconds cpu_seconds peak_kib")):
    """A finished process, with its command and outputs as text."""

    def answer(self):
        """Returns the output of a command that ends with `--json -`."""
        return json.loads(self.out)

    def cost(self, digits=4):
        return {"wall_seconds": round(self.wall_seconds, digits), "cpu_seconds": round(self.cpu_seconds, digits)}


def run(*words, program=None, given="", folder=None, check=True, discard=False, limit=None):
    """Runs ktour or another program to its end. Standard input is `given`; `discard` drops standard output; `limit` is
    called in the process before it starts. Exits if the program fails, unless `check` is false."""
    command = [str(program or build()), *map(str, words)]
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(given.encode())
        source.seek(0)
        target = subprocess.DEVNULL if discard else out
        began = time.monotonic()
        process = subprocess.Popen(command, stdin=source, stdout=target, stderr=err, cwd=folder, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        texts = (file.read().decode(errors="replace") for file in (out, err))
        done = Run(shown(*words, program=program), *texts, process.returncode, wall, cpu, usage.ru_maxrss)
    if check and done.status != 0:
        raise SystemExit(f"{done.command}: exit status {done.status}: {done.err}")
    return done


def shown(*words, program=None):
    """Returns a command as text, without its output option and the paths of this machine."""
    text = " ".join(map(str, [pathlib.Path(program or "ktour").name, *words])).removesuffix(" --json -")
    return text.replace(f"{output}/", "").replace(f"{ROOT}/", "")


class Job:
    """A running ktour command in a folder, whose standard error is appended to a file of the folder."""

    def __init__(self, *words, folder, log="log", program=None):
        self.log_path, command = pathlib.Path(folder, log), [str(program or build()), *map(str, words)]
        with open(self.log_path, "a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True)

    def log(self):
        return self.log_path.read_text(encoding="utf-8")

    def wait_until(self, condition, pause=0.01):
        """Waits until a condition holds or the process has ended."""
        while self.process.poll() is None and not condition():
            time.sleep(pause)
        return self

    def end(self, signal=None):
        """Sends a signal, if any, waits for the end, and returns standard output."""
        if signal:
            self.process.send_signal(signal)
        return self.process.communicate()[0].strip()


def count(*words, repeat=1):
    """Runs a count `repeat` times. Returns the record of the fastest run, and its standard error."""
    best = min((run("count", *words, "--json", "-") for _ in range(repeat)), key=lambda one: one.cpu_seconds)
    return {"command": best.command, **best.answer(), **best.cost(), "runs": repeat}, best.err


def commit(program=None):
    """Returns the commit of a program, from its --version."""
    found = re.search(r"\((\w+\+?)\)", run("--version", program=program).out)
    return found[1] if found else "unknown"


def machine():
    """Returns the processor, clock and number of cores of this machine, as far as the system reports them."""
    has_info = os.path.exists("/proc/cpuinfo")
    fields = dict(re.findall(r"^(.+?)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text() if has_info else "", re.M))
    mhz = round(float(fields["cpu MHz"])) if "cpu MHz" in fields else None
    return {"cpu": fields.get("model name", platform.machine()), "mhz": mhz, "cores": os.cpu_count()}


def append(name, entry, **stamp):
    """Appends a record to results/NAME.jsonl, with commit, machine and date. `stamp` can name another commit or machine."""
    stamp = {"commit": stamp.get("commit") or commit(), "machine": stamp.get("machine") or machine()}
    entry = {**entry, **stamp, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    with open(results() / f"{name}.jsonl", "a", encoding="utf-8") as out:
        out.write(json.dumps(entry, separators=(",", ":")) + "\n")


def load(name):
    """Returns all records of results/NAME.jsonl, oldest first."""
    return [json.loads(line) for line in (results() / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def newest(name, *keys):
    """Returns the newest record for each value of these keys, by value, in the order of the first records. Records
    without the first key are omitted."""
    return {operator.itemgetter(*keys)(entry): entry for entry in load(name) if keys[0] in entry}


STEP = re.compile(
    r"step (?P<step>\d+) of (?P<steps>\d+): frontier (?P<frontier>\d+), (?P<states>\d+) states in (?P<weights>\d+) weights "
    r"of up to (?P<bits>\d+) bits, (?P<transitions>\d+) transitions(?: \((?P<largest_part>\d+) in "
    r"the largest part\))?, (?P<signatures>\d+) signatures \((?P<pruned>\d+) pruned"
    r", (?P<folded>\d+) folded\), (?P<megabytes>[\d.]+) MB and (?P<stored_megabytes>[\d.]+) MB stored"
    r"(?:, (?P<written_megabytes>[\d.]+) MB written)?, (?P<seconds>[\d.]+) s"
)


def read_steps(log):
    """Returns the steps that sweeps print with --verbose, with their fields as texts. If a step is repeated after a
    resumption, its last line counts."""
    found, sweep, has_ended = {}, 0, False
    for step in STEP.finditer(log):
        sweep += has_ended
        has_ended = step["step"] == step["steps"]
        found[sweep, step["step"]] = step.groupdict()
    return list(found.values())


def layer_totals(log):
    """Returns sums and maxima over the steps that sweeps print with --verbose."""
    steps = read_steps(log)
    values = lambda name: [float(step[name]) if "megabytes" in name else int(step[name]) for step in steps]
    totals = {name: sum(values(name)) for name in ("states", "weights", "transitions")}
    peaks = {f"peak_{name}": max(values(name)) for name in ("states", "weights", "megabytes", "stored_megabytes")}
    is_written = all(step["written_megabytes"] for step in steps)
    return {**totals, **peaks, "written_megabytes": max(values("written_megabytes")) if is_written else None}


def write_steps(name, log):
    """Writes the steps that a sweep prints with --verbose to results/steps-NAME.csv."""
    lines = [",".join(value or "" for value in line) for line in [STEP.groupindex, *map(dict.values, read_steps(log))]]
    (results() / f"steps-{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
