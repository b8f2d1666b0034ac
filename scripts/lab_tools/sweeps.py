"""Sweeps of large boards, with spilled layers, in shards, and shared by MPI ranks."""

import contextlib
import os
import pathlib
import random
import re
import resource
import signal
import sys
import tempfile
import time

from .experiments import chosen, experiment, section
from .runs import ROOT, Job, append, build, commit, count, layer_totals, newest, read_steps, run, shown, write_steps

# Arguments of sweeps; from the first with "9x10" on, they take long.
SWEEPS = [
    "8x9 --kind closed --engine frontier --verbose",
    "8x8 --kind paths --engine frontier --verbose --memory 5G",
    "9x10 --kind closed --engine frontier --verbose --memory 17G",
    "9x10 --kind closed --engine frontier --verbose --memory 4G",
    "9x10 --kind closed --engine frontier --verbose --modulus 65521 --memory 17G",
    "9x10 --kind closed --engine frontier --verbose --modulus 251 --memory 17G",
    "8x32 --kind closed --engine frontier --verbose --memory 6800M",
]
SHARDED, SHARDS = "7x8 --kind closed", [1, 2, 4, 8, 18, 45]


@experiment(
    "large-boards", "sweeps of large boards, larger than memory or in shards",
    "ten minutes, 6 GB of memory; --long half an hour more, 17 GB of memory, 30 GB of disk",
)
def large_boards(arguments):
    for work in chosen(arguments, SWEEPS if arguments.long or arguments.only else SWEEPS[:2]):
        entry, log = count(*work.split())
        append("large-boards", {"what": "sweep", **entry, "memory": work.partition("--memory ")[2]})
        append("large-boards", {"what": "layers", "of": entry["command"], **layer_totals(log)})
        if work.endswith(("--verbose --memory 17G", "--memory 6800M")):
            write_steps("-".join(work.split()[:3:2]), log)
    for shards in chosen(arguments, SHARDS, lambda shards: f"shards {shards}"):
        # All shards are swept one after the other. The record has their sums and maxima.
        words, total, seconds, logs = SHARDED.split(), 0, 0.0, []
        for index in range(shards):
            entry, log = count(*words, "--engine", "frontier", "--shard", f"{index}/{shards}", "--verbose")
            logs.append(log)
            total += int(entry["sums"][words[-1]])
            seconds += entry["cpu_seconds"]
        most = max(layer_totals(log)["transitions"] for log in logs)
        entry = {"what": "cut", "board": words[0], "kind": words[-1], "parts": shards, "undirected": str(total)}
        entry |= {**layer_totals("".join(logs)), "most_transitions": most, "cpu_seconds": round(seconds, 2)}
        append("large-boards", entry)


# The plan for the closed tours of 10x10: bytes of a weight, modulus, threads and memory of a machine.
PLAN = [("exact", []), ("4", ["--modulus", 4294967291]), ("2", ["--modulus", 65521]), ("1", ["--modulus", 251])]
PLAN += [(width, [*options, "--shard", "0/4"]) for width, options in PLAN]
PLAN += [("1", ["--modulus", 251, "--shard", f"{shard}/4"]) for shard in (1, 2, 3)]
PLAN += [("1 (2 bits on disk)", ["--modulus", 3])]
MACHINES = [(2, "18G"), (16, "120G")]


@experiment("ten-by-ten", "the plan for 10x10 closed", "40 minutes")
def ten_by_ten(arguments):
    machines = [["--threads", threads, "--memory", memory] for threads, memory in MACHINES]
    work = [(width, [*options, *machine]) for width, options in PLAN for machine in machines]
    for width, options in chosen(arguments, [*work, ("bound", ["--bound", "--memory", "17G"])], str):
        what = "bound" if width == "bound" else "plan"
        words = ["--kind", "closed", *options, *(["--wide"] if what == "plan" else []), "--json", "-"]
        done = run("estimate", "10x10", *words)
        entry = {"what": what, what: done.command, "width": width}
        append("large-boards", {**entry, **done.answer()["sweep" if what == "plan" else what]})


@section("results/large-boards.md", "plan")
def plan_rows():
    residues = {"exact": 1}
    for bound in newest("large-boards", "bound").values():
        lists = {"4": "wide_moduli", "2": "moduli", "1": "narrow_moduli"}
        residues |= {width: len(bound[name]) for width, name in lists.items()}
    for entry in newest("large-boards", "plan").values():
        sweep, width = entry["sweeps"][0], entry["width"].split(",")[0]
        shard = "".join(f", shard {shard}" for shard in re.findall(r"--shard (\S+)", entry["plan"]))
        gib = {name: (sweep.get(f"{name}_bytes") or 0) / 2**30 for name in ("memory", "least", "disk", "written")}
        limit, threads = (entry["plan"].partition(f"{name} ")[2].split()[0] for name in ("--memory", "--threads"))
        gib["disk"] = f"{gib['disk']:.0f}" if gib["least"] <= int(limit[:-1]) else "does not fit"
        more = {"hours": sweep["seconds"] / 3600, "limit": limit, "threads": threads, "residues": residues.get(width)}
        more["by"] = "dry run" if sweep["exact"] else "rough"
        yield {**entry, **gib, **more, "width": width + shard}


# Residues of 10x10, whole and of one part, with the numbers of megabytes on disk and of seconds at which they end.
REHEARSALS = ["10x10 --kind closed --engine frontier --memory 17G --modulus 3"]
REHEARSALS += ["10x10 --kind closed --engine frontier --memory 16G --modulus 251 --shard 0/4"]
MOST_MEGABYTES, MOST_SECONDS = 62_000, 14_400


@experiment("rehearsal", "residues of 10x10 closed, or their first steps", "six hours, 17 GB of memory, 62 GB of disk ($WORK)")
def rehearsal(arguments):
    for work in chosen(arguments, REHEARSALS):
        words, began = ["count", *work.split()], time.monotonic()
        with tempfile.TemporaryDirectory(dir=os.environ.get("WORK")) as folder:
            job = Job(*words, "--verbose", "--force", "--progress", "none", "--spill", folder, folder=folder)
            stored = lambda log: max((float(step["stored_megabytes"]) for step in read_steps(log)), default=0)
            is_enough = lambda: stored(job.log()) > MOST_MEGABYTES or time.monotonic() > began + MOST_SECONDS
            answer = job.wait_until(is_enough, pause=1).end(signal.SIGINT)
            log = job.log()
        write_steps("-".join(["10x10-closed-modulo", *words[words.index("--modulus") + 1 :: 2]]).replace("/", "-of-"), log)
        last, error = read_steps(log)[-1], "".join(line for line in log.splitlines() if "error:" in line)
        cost = {"steps": int(last["step"]), "stored_megabytes": stored(log), "error": error, "answer": answer}
        cost |= {"wall_seconds": round(time.monotonic() - began, 1), "status": job.process.returncode}
        # The maximum over all processes that this one started, of which the sweep is the largest.
        cost["peak_kib"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        append("large-boards", {"what": "rehearsal", "command": shown(*words), **cost, **layer_totals(log)})


@section("results/large-boards.md", "rehearsal")
def rehearsal_rows():
    ends = {0: "counted", -signal.SIGINT: "stopped"}
    entries = (entry for entry in newest("large-boards", "command").values() if entry.get("what") == "rehearsal")
    ended = [entry for entry in entries if entry["status"] in ends]
    return [{**entry, "end": " ".join((entry.get("answer") or ends[entry["status"]]).split())} for entry in ended]


@section("results/large-boards.md", "sweeps")
def sweep_rows():
    layers = newest("large-boards", "of")
    sweeps = newest("large-boards", "command")
    for work in SWEEPS:
        entry = sweeps[f"ktour count {work}"]
        layer, kind = layers[entry["command"]], work.split()[2]
        bytes_per_state = (layer["peak_megabytes"] + layer["peak_stored_megabytes"]) * 1e6 / layer["peak_states"]
        kind += f" modulo {entry['modulus']}" if entry.get("modulus") else ""
        more = {"undirected": entry["counts"][work.split()[2]]["undirected"], "bytes_per_state": bytes_per_state}
        yield {**entry, **more, "kind": kind, "memory": entry.get("memory"), "layer": layer}


@section("results/large-boards.md", "shards")
def shard_rows():
    cuts = newest("large-boards", "parts")
    whole = {**cuts[1], "most_transitions": cuts[1]["transitions"]}
    assert len({entry["undirected"] for entry in cuts.values()}) == 1, "the shards add up to the whole"
    names = ["states", "transitions", "peak_states", "peak_weights", "most_transitions", "cpu_seconds"]
    return [{"shards": shards, **{name: cuts[shards][name] / whole[name] for name in names}} for shards in sorted(cuts)]


# Sweeps that several MPI ranks share (Open MPI; Debian: libopenmpi-dev openmpi-bin libclang-dev).
PROGRAM = ROOT / "target" / "mpi" / "release" / "ktour"
KNOWN = [("6x6 --kind closed", "9862"), ("6x6 --kind paths", "3318960"), ("6x8 --kind closed", "55488142")]
KNOWN += [("5x5 --kind paths --start a1", "304"), ("6x7 --kind paths --memory 60M", "389969466")]
KNOWN += [("3x3 --remove b2 --kind closed", "1"), ("6x8 --kind closed --shard 0/2", None)]
KNOWN += [("7x8 --kind paths --memory 160M", "20666425060328"), ("6x6 --wrap cols --kind closed", "152174110164")]
KNOWN += [("7x7 --wrap torus --piece wazir --kind closed", "257165468"), ("3x3x4 --piece wazir --kind paths", "677849536")]
# Commands of two ranks that fail, and the beginning of the error.
ERRORS = [
    ("count 6x6 --kinds closed", "unexpected argument"),
    ("count 6x6 --kind closed --engine multipath", "--mpi is for sweeps"),
    ("count 7x8 --kind paths --engine frontier --memory 40M", ""),
    ("count 12x12 --leaper 1,4 --kind closed --engine frontier", "the sweep needs about "),
    ("resume nothing", ""),
]
SWEEP, NUMBER = "count 7x8 --kind paths --engine frontier", "20666425060328"


def ranks(number, command):
    """Returns the arguments of mpirun for ranks of one thread each."""
    return ["--oversubscribe", "--bind-to", "none", "-n", number, PROGRAM, *command.split(), "--mpi", "--threads", 1]


def run_ranks(number, command, folder=None, more=()):
    """Runs a command with ranks to its end, within ten minutes."""
    return run(600, "mpirun", *ranks(number, command), *more, program="timeout", folder=folder, check=False)


def expect(name, done, expected=NUMBER):
    """Exits unless the output is the expected number."""
    if done.out.strip() != expected:
        sys.exit(f"{name}: {done} instead of {expected}")
    print(f"{name}: {expected}", flush=True)


class Interrupted(Job):
    """A long sweep with a checkpoint in a folder, which is interrupted when the sweep is in some state."""

    def __init__(self, number, folder, seconds_between_saves=0.1):
        command = f"{SWEEP} --checkpoint run --checkpoint-every {seconds_between_saves}"
        super().__init__(*ranks(number, command), program="mpirun", folder=folder)

    def kill(self, choose=lambda mpirun, ranks: ranks):
        """Kills the processes that a function chooses. Returns the output of the sweep, if it ended before."""
        children = run("-P", self.process.pid, program="pgrep", check=False).out.split()
        for pid in choose([self.process.pid], list(map(int, children))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return self.end()

    def stop(self):
        """Sends USR1, which mpirun forwards: all ranks save and stop."""
        out = self.end(signal.SIGUSR1)
        if self.process.returncode != 75 or out or "resume with: mpirun -n " not in self.log():
            sys.exit(f"stopped: exit status {self.process.returncode}, {out} {self.log()}")


def test():
    for words, expected in KNOWN:
        for number in (1, 2, 4):
            done = run_ranks(number, f"count {words} --engine frontier")
            expected = expected or done.out.strip()
            expect(f"{words} by {number} ranks", done, expected)
    for command, beginning in ERRORS:
        done = run_ranks(2, command)
        errors = [line for line in done.err.splitlines() if line.startswith("ktour: error")]
        if done.status == 0 or len(errors) != 1 or not errors[0].startswith(f"ktour: error: {beginning}") or done.out:
            sys.exit(f"{command}: {done}")
    # Ranks with different commands must fail, and must not wait for each other.
    good = "count 6x6 --kind closed --engine frontier"
    for other in ("count 6x6 --kinds closed", "count 6x7 --engine frontier", "count 6x6 --engine backtrack"):
        for first, second in ((good, other), (other, good)):
            done = run_ranks(1, first, more=[":", *ranks(1, second)[3:]])
            if done.status in (0, 124) or done.out or "ktour: error: " not in done.err:
                sys.exit(f"{first} and {second}: {done}")
    for part in (test_stop, test_failed_save, test_missing_saves, test_kills):
        with tempfile.TemporaryDirectory() as folder:
            part(pathlib.Path(folder))


def test_stop(folder):
    sweep = Interrupted(3, folder)
    sweep.wait_until((folder / "run").exists).stop()
    done = run_ranks(3, "resume run", folder)
    expect("stopped, and resumed by 3", done)
    if "resuming the sweep after" not in done.err or list(folder.glob("*.sweep/*")):
        sys.exit(f"resumed: {done}")


def test_failed_save(folder):
    """If one rank cannot save, all ranks keep their previous generation."""
    sweep, blocked = Interrupted(3, folder).wait_until((folder / "run.previous").exists), folder / "run.rank1.new"

    def is_blocked():
        with contextlib.suppress(FileExistsError):
            blocked.mkdir()
        return blocked.is_dir()

    has_failed = lambda: "cannot save the checkpoint" in sweep.log()
    sweep.wait_until(is_blocked).wait_until(has_failed).kill()
    if not has_failed():
        sys.exit("no rank failed to save")
    blocked.rmdir()
    expect("one rank could not save, killed, resumed", run_ranks(3, "resume run", folder))


def test_missing_saves(folder):
    """Resumes runs of two ranks that were killed while only one of them had saved its first or last checkpoint."""
    for name, command in (("first", f"{SWEEP} --checkpoint run"), ("last", "resume run")):
        inside = folder / name
        inside.mkdir()
        sweep = Interrupted(2, inside, seconds_between_saves=60)
        # After its job line, a run handles signals.
        sweep.wait_until(lambda: "ktour: job " in sweep.log()).stop()
        before = {path: path.read_bytes() for path in inside.rglob("*") if path.is_file() and "run.rank1" in str(path)}
        if name == "first":
            (inside / "run.rank1").unlink()
        else:
            expect("stopped, and resumed by 2", run_ranks(2, "resume run", inside))
            for path, content in before.items():
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
        expect(f"one rank lacks its {name} checkpoint", run_ranks(2, command, inside))


def test_kills(folder, times=20):
    """Kills all ranks, one rank, or mpirun, which ends its ranks, and resumes."""
    chance = random.Random(7)
    # The moment of a kill is a part of the time that a whole run takes on this machine.
    whole = run_ranks(3, SWEEP).wall_seconds
    choices = [lambda _, ranks: ranks, lambda mpirun, _: mpirun, lambda _, ranks: ranks[-1:], lambda _, ranks: ranks[:1]]
    for number in range(times):
        sweep, end = Interrupted(3, folder), time.monotonic() + whole * (0.3 + 0.6 * chance.random())
        out = sweep.wait_until(lambda: time.monotonic() > end).kill(choices[number % 4])
        if out not in ("", NUMBER):
            sys.exit(f"ended before the kill: {out}")
        for path in filter(pathlib.Path.is_file, folder.glob("run*") if out else ()):
            path.unlink()
    # Ranks need a moment to end after their mpirun was killed.
    time.sleep(2)
    resumed = sweep.log().count("resuming the sweep after")
    done = run_ranks(3, f"{SWEEP} --checkpoint run", folder)
    expect(f"killed {times} times, resumed within the sweep {resumed} times", done)
    if resumed < times // 4:
        sys.exit(f"only {resumed} of {times} runs resumed within the sweep")


@experiment("mpi", "sweeps distributed over MPI ranks", "five minutes; --test two minutes")
def mpi(arguments):
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    build("--features", "mpi", "--target-dir", "target/mpi")
    if arguments.test:
        return test()
    # Runs with more ranks than cores measure the traffic, not the time.
    for work, number in chosen(arguments, newest("mpi", "work", "ranks"), lambda one: one[0]):
        command = f"count {work} --engine frontier"
        done = run_ranks(number, f"{command} --verbose --progress none --json -")
        total = lambda pattern: sum(map(float, re.findall(pattern, done.err)))
        entry = {"command": f"mpirun -n {number} ktour {command} --mpi", **done.answer()}
        entry |= {"work": work, "ranks": number, "states": int(total(r", (\d+) states in"))}
        entry["megabytes_sent"] = round(total(r"([\d.]+) MB sent"), 1)
        append("mpi", {**entry, "wall_seconds": round(done.wall_seconds, 2)}, commit=commit(PROGRAM))


@section("results/mpi.md", "ranks")
def rank_rows():
    entries = newest("mpi", "work", "ranks").values()
    return [{**entry, "undirected": next(iter(entry["counts"].values()))["undirected"]} for entry in entries]
