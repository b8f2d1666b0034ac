"""Speed of the program: the engines, another commit, checkpoints and progress, and the module of the page."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import tempfile

from .experiments import chosen, experiment, section
from .runs import KTOUR, ROOT, Job, append, build, call, commit, count, layer_totals, load, newest, run, write_steps

# Arguments of searches, number of runs. The last of each list takes minutes.
SEARCHES = [
    ("6x6 --kind paths --engine multipath", 10),
    ("6x8 --kind closed --engine multipath", 5),
    ("6x6 --kind paths --engine backtrack", 5),
    ("7x7 --kind paths --engine multipath", 1),
]
# Boards of sweeps and kinds, with the number of runs. The last takes minutes.
SWEEPS = {"6x8 closed": 5, "7x8 closed": 3, "8x8 closed": 1, "8x9 closed": 1, "6x6 paths": 5, "6x8 paths": 3}
SWEEPS |= {"7x7 paths": 3, "7x8 paths": 1, "5x40 closed": 3, "6x20 closed": 1, "8x8 paths": 1}
# The counts in README.md: records and engine, boards and kinds.
COSTS = {
    ("speed", "multipath"): ["6x8 closed", "7x7 paths"],
    ("sweeps", "frontier"): ["7x7 paths", "7x8 closed", "7x8 paths", "8x8 closed", "8x8 paths"],
}


@experiment("speed", "speed and memory of the engines", "two minutes; --long 15 minutes, 9 GB of memory")
def speed(arguments):
    for words, repeat in chosen(arguments, SEARCHES if arguments.long else SEARCHES[:-1]):
        append("speed", count(*words.split(), "--threads", os.cpu_count(), repeat=repeat)[0])
    for name, repeat in chosen(arguments, list(SWEEPS.items())[: None if arguments.long else -1]):
        board, kind = name.split()
        # The time and memory of a sweep as `estimate` prints them.
        sweep = run("estimate", board, "--kind", kind, "--probes", "2", "--wide").out.partition("\nsweep")[2]
        expected = {"time": re.search(r"time +(.+) on", sweep)[1], "memory": re.search(r"memory +(.+)", sweep)[1]}
        entry, log = count(board, "--kind", kind, "--engine", "frontier", "--verbose", repeat=repeat)
        append("sweeps", {**entry, "estimate": expected})
        if board == "8x8":
            write_steps(f"{board}-{kind}", log)


@section("README.md", "costs")
def cost_rows():
    for name, engine, work in [(*place, work) for place, works in COSTS.items() for work in works]:
        command = f"ktour count {work.replace(' ', ' --kind ')} --engine {engine}"
        same = [entry for entry in load(name) if entry["command"].startswith(command)]
        entry = [one for one in same if one["threads"] == max(one["threads"] for one in same)][-1]
        yield {**entry, "work": work, "undirected": int(entry["counts"][work.split()[1]]["undirected"])}


@section("results/speed.md", "sweeps")
def sweep_rows():
    found = newest("sweeps", "command")
    for name in SWEEPS:
        board, kind = name.split()
        entry = found[f"ktour count {board} --kind {kind} --engine frontier --verbose"]
        rate = entry["cpu_seconds"] / entry["visited"] * 1e9 if entry["visited"] > 1e7 else None
        yield {**entry, "name": name, **entry["counts"][kind], "nanoseconds": rate}


# Commands that are compared with another commit, and numbers of runs. The last two take long.
COMPARED = [("count 8x8 --kind closed", 5), ("count 8x8 --kind closed --threads 1", 3)]
COMPARED += [(f"count {board} --engine frontier", 5) for board in ("7x8 --kind closed", "7x7 --kind paths")]
COMPARED += [("count 6x8 --kind closed --engine multipath", 5), ("count 6x6 --kind paths --engine backtrack", 5)]
COMPARED += [("list 6x8 --kind closed", 2), ("list 7x7 --kind paths --limit 250000000", 1), ("find 1000x1000", 5)]
COMPARED += [("count 8x8 --kind closed --memory 200M", 3), ("count 8x9 --kind closed --memory 500M", 3)]
COMPARED += [("count 8x8 --kind paths", 2), ("count 9x10 --kind closed --memory 15500M", 1)]
# The bytes of the beginning of a long list, and the resources of a run, that are compared.
COMPARED_BYTES, RESOURCES = 1 << 22, ("wall_seconds", "cpu_seconds", "peak_kib")


def build_commit(revision, folder, grouped_slots=None):
    """Makes the stock release build of a commit, in which sweeps have groups of steps from a number of slots, if given.
    Returns its program."""
    tree, target = pathlib.Path(folder) / "tree", pathlib.Path(folder) / "target"
    if not tree.exists():
        call("git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, tree)
    call("git", "checkout", "--quiet", "--force", revision, folder=tree)
    if grouped_slots is not None:
        plan = tree / "src" / "frontier" / "planning" / "plan.rs"
        text, changes = re.subn(r"(MIN_GROUPED_SLOTS: usize =) \d+;", rf"\1 {grouped_slots};", plan.read_text())
        assert changes == 1, "the constant has another name"
        plan.write_text(text)
    call("cargo", "build", "--release", "--quiet", "--target-dir", target, folder=tree)
    return pathlib.Path(shutil.copy(target / "release" / "ktour", f"{folder}/ktour-{grouped_slots}"))


def compare(programs, words, repeat):
    """Runs two programs with the same words. Returns the least cost of each."""
    runs = [[], []]
    # The programs run alternately, so that noise of the machine affects both.
    for _ in range(repeat):
        for program, done in zip(programs, runs):
            done.append(run(*words, program=program, discard=words[0] != "count"))
    printed = {one.out for done in runs for one in done}
    if printed == {""}:
        # Only the beginning of a list is compared, without its header line.
        pipe = f" {' '.join(words)} | grep -v '^#' | head -c {COMPARED_BYTES}"
        printed = {run("-c", f"'{program}' {pipe}", program="bash").out for program in programs}
    if len(printed) != 1:
        raise SystemExit(f"ktour {' '.join(words)}: the outputs of the two builds differ")
    least = {name: [min(getattr(one, name) for one in done) for done in runs] for name in RESOURCES}
    if "--verbose" in words:
        totals = [layer_totals(one.err) for one, *_ in runs]
        for name in ("peak_stored_megabytes", "written_megabytes", "transitions"):
            least[name] = [total[name] for total in totals]
    print("ktour", *words, *(f"{name} {new / (old or 1):.3f}" for name, (old, new) in least.items()), flush=True)
    return least


@experiment("ratios", "cost of commands, as a ratio to another COMMIT or program", "six minutes; --long 30, 16 GB")
def ratios(arguments):
    if len(arguments.rest) != 1:
        raise SystemExit("error: ratios needs one argument, a commit or a program")
    [other] = arguments.rest
    with tempfile.TemporaryDirectory() as folder:
        build()
        other_program = pathlib.Path(other).resolve() if os.path.isfile(other) else build_commit(other, folder)
        for command, repeat in chosen(arguments, COMPARED if arguments.long or arguments.only else COMPARED[:-2]):
            least = compare((other_program, KTOUR), command.split(), repeat)
            append("ratios", {"command": f"ktour {command}", "other": commit(other_program), **least})


@section("results/speed.md", "ratios")
def ratio_rows():
    found = newest("ratios", "command")
    return [found[f"ktour {command}"] for command, _ in COMPARED if f"ktour {command}" in found]


# Arguments of sweeps with single steps and with groups of steps, and numbers of runs.
GROUPED = {"8x8 --kind closed --memory 200M": 3, "8x9 --kind closed --memory 500M": 3}
GROUPED |= {"8x8 --kind paths --memory 2500M": 1, "9x10 --kind closed --memory 10G": 1}


@experiment("groups", "sweeps with single steps and with groups of steps", "20 minutes, 11 GB of memory, 8 GB of disk")
def groups(arguments):
    with tempfile.TemporaryDirectory() as folder:
        programs = [build_commit("HEAD", folder, slots) for slots in ("usize::MAX", 0)]
        for work in chosen(arguments, GROUPED):
            words = ["count", *work.split(), "--engine", "frontier", "--verbose"]
            append("large-boards", {"what": "groups", "grouped": f"ktour count {work}", **compare(programs, words, GROUPED[work])})


@section("results/large-boards.md", "groups")
def group_rows():
    return newest("large-boards", "grouped").values()


MINUTE = "count 7x7 --kind paths --engine multipath --threads 1 --shard 0/40"
THREADS = ("saver", "progress", "estimates")


def thread_seconds(folder, command):
    """Returns the CPU seconds by thread name of a run with a checkpoint per second and a progress bar, from /proc."""
    options = "--checkpoint run --checkpoint-every 1s --progress bar"
    job, seen = Job(*command.split(), *options.split(), folder=folder), {}

    def read_times():
        # The last value of a thread is its total.
        for task in pathlib.Path(f"/proc/{job.process.pid}/task").glob("*"):
            with contextlib.suppress(OSError, IndexError):
                seen[task.name, (task / "comm").read_text().strip()] = int((task / "schedstat").read_text().split()[0])

    job.wait_until(read_times, pause=0.02).end()
    seconds = {name: sum(time for (_, of), time in seen.items() if of == name) / 1e9 for name in THREADS}
    if job.process.returncode != 0 or not seconds["saver"] or not seconds["progress"]:
        raise SystemExit("the run failed, or its threads were not found")
    return {name: round(value, 5) for name, value in {**seconds, "all": sum(seen.values()) / 1e9}.items()}


@experiment("overhead", "cost of checkpoints and progress (Linux)", "a minute")
def overhead(arguments):
    command = MINUTE.replace("/40", "/160") if arguments.quick else MINUTE
    with tempfile.TemporaryDirectory() as folder:
        append("overhead", {"minute": f"ktour {command}", "threads": thread_seconds(folder, command)})


@section("results/overhead.md", "threads")
def overhead_rows():
    entry = load("overhead")[-1]
    all_seconds, (saver, progress, units) = entry["threads"]["all"], (entry["threads"][name] for name in THREADS)
    rows = [
        ("checkpoint every second", saver, saver / all_seconds),
        ("checkpoint every 60 s (the default)", saver / 60, saver / 60 / all_seconds),
        ("progress bar, five times per second", progress, progress / all_seconds),
        ("estimates of the units, once", units, units / 60),
    ]
    return [{**entry, "what": what, "seconds": seconds, "share": share} for what, seconds, share in rows]


WEB_COUNTS = [("6x6", "all"), ("6x8", "closed"), ("7x8", "closed"), ("8x8", "closed")]


@experiment("web", "times of the module in a browser's engine beside the program's", "a minute; after web/build, with node")
def web(arguments):
    work = chosen(arguments, WEB_COUNTS, " ".join)
    # One process has the module compiled before its counts, as a page has.
    load_average = os.getloadavg()[0]
    module = run(ROOT / "web/tests/times.js", json.dumps(work), program="node").answer()
    rows = []
    for (board, kind), row in zip(work, module["counts"]):
        options = [] if kind == "all" else ["--kind", kind]
        program, _ = count(board, *options, "--threads", 1, repeat=3 if row["cpu_seconds"] < 3 else 1)
        expected = {name: counts["undirected"] for name, counts in program["counts"].items()}
        if row["tours"] != {name: str(number) for name, number in expected.items()}:
            raise SystemExit(f"{board} {kind}: the module counts {row['tours']}, the program {expected}")
        rows.append({"name": f"{board} {kind}", **row, "program_cpu_seconds": program["cpu_seconds"]})
    append("web", {"engine": module["engine"], "load_average": round(load_average, 2), "counts": rows})


@section("results/web.md", "times")
def web_rows():
    entry = load("web")[-1]
    state = "idle" if entry["load_average"] <= 1 else f"busy, with a load of {entry['load_average']}"
    return [{**entry, **row, "state": state, "total": list(row["tours"].values())[-1]} for row in entry["counts"]]
