"""Sweeps of large boards, with spilled layers and in shards."""

import os
import re
import signal
import tempfile
import threading
import time
from pathlib import Path

from .experiments import chosen, experiment, section
from .runs import append, count, layer_totals, newest, read_steps, run, shown, start, write_steps

# Arguments of sweeps; from the first with "9x10" on, they take long.
SWEEPS = [
    "8x9 --kind closed --engine frontier --verbose",
    "9x8 --kind closed --engine frontier --verbose",
    "7x8 --kind paths --engine frontier --verbose",
    "7x8 --kind paths --engine frontier --verbose --memory 300M",
    "8x8 --kind paths --engine frontier --verbose --memory 5G",
    "9x10 --kind closed --engine frontier --verbose --memory 17G",
    "9x10 --kind closed --engine frontier --verbose --memory 4G",
    "9x10 --kind closed --engine frontier --verbose --modulus 65521 --memory 17G",
    "9x10 --kind closed --engine frontier --verbose --modulus 251 --memory 17G",
    "8x8 --kind paths --per-start --engine frontier --verbose",
    "8x32 --kind closed --engine frontier --verbose --memory 6800M",
]
SHARDED, SHARDS = "7x8 --kind closed", [1, 2, 6, 18, 45]


@experiment(
    "large-boards", "sweeps of large boards, larger than memory or in shards",
    "ten minutes, 6 GB of memory; --long half an hour more, 17 GB of memory, 30 GB of disk",
)
def large_boards(arguments):
    for work in chosen(arguments, SWEEPS if arguments.long or arguments.only else SWEEPS[:5]):
        entry, log = count(*work.split())
        append("large-boards", {"what": "sweep", **entry, "memory": work.partition("--memory ")[2]})
        append("large-boards", {"what": "layers", "of": entry["command"], **layer_totals(log)})
        if work.endswith(("--verbose --memory 17G", "--memory 6800M")):
            write_steps("-".join(work.split()[:3:2]), log)
    for shards in chosen(arguments, SHARDS, lambda shards: f"shards {shards}"):
        measure_shards(shards)


# The plan for the closed tours of 10x10: bytes of a weight, modulus, threads and memory of a machine.
PLAN = [("exact", []), ("2", ["--modulus", 65521]), ("1", ["--modulus", 251])]
MACHINES = [(2, "18G"), (16, "120G")]


@experiment("ten-by-ten", "the plan for 10x10 closed", "four minutes")
def ten_by_ten(arguments):
    for width, options in PLAN:
        for threads, memory in MACHINES:
            words = ["--kind", "closed", *options, "--threads", threads, "--memory", memory, "--json", "-"]
            done = run("estimate", "10x10", *words)
            entry = {"what": "plan", "plan": done.command, "width": width, "threads": threads}
            append("large-boards", {**entry, **done.answer()["sweep"]})


@section("ten-by-ten", "results/large-boards.md", "plan")
def plan_rows():
    for entry in [entry for plan, entry in newest("large-boards", "plan").items() if "--shard" not in plan]:
        sweep = entry["sweeps"][0]
        gib = {name: (sweep[f"{name}_bytes"] or 0) / 2**30 for name in ("memory", "least", "disk")}
        gib["disk"] = f"{gib['disk']:.0f}" if gib["least"] <= int(entry["plan"].split()[-1][:-1]) else "does not fit"
        yield {**entry, **gib, "hours": sweep["seconds"] / 3600, "limit": entry["plan"].split()[-1]}


# The rehearsal of a residue of 10x10, with the numbers of steps, of megabytes on disk and of seconds at which it ends.
REHEARSAL, MOST_STEPS, MOST_MEGABYTES = "10x10 --kind closed --engine frontier --modulus 251 --memory 17G", 40, 40_000
MOST_SECONDS = 3_000


@experiment("rehearsal", "the first steps of 10x10 closed modulo 251", "an hour, 17 GB of memory, 55 GB of disk ($WORK)")
def rehearsal(arguments):
    words, began, log, peak = ["count", *REHEARSAL.split()], time.monotonic(), "", None
    with tempfile.TemporaryDirectory(dir=os.environ.get("WORK")) as folder:
        process = start(*words, "--verbose", "--force", "--progress", "none", "--spill", folder, folder=folder)
        # A second signal would end the process at once.
        stop = threading.Timer(MOST_SECONDS, process.send_signal, [signal.SIGINT])
        stop.start()
        for line in process.stderr:
            log += line
            peak = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{process.pid}/status").read_text()) or peak
            for step in read_steps(line):
                is_enough = int(step["step"]) >= MOST_STEPS or float(step["stored_megabytes"]) > MOST_MEGABYTES
                if is_enough and not stop.finished.is_set():
                    stop.cancel()
                    process.send_signal(signal.SIGINT)
        process.communicate()
        stop.cancel()
    write_steps("10x10-closed-modulo-251", log)
    last, error = read_steps(log)[-1], "".join(line for line in log.splitlines() if "error:" in line)
    cost = {"steps": int(last["step"]), "stored_megabytes": float(last["stored_megabytes"]), "peak_kib": int(peak[1])}
    cost |= {"wall_seconds": round(time.monotonic() - began, 1), "status": process.returncode, "error": error}
    append("large-boards", {"what": "rehearsal", "command": shown(*words), **cost, **layer_totals(log)})


@section("rehearsal", "results/large-boards.md", "rehearsal")
def rehearsal_rows():
    entry = newest("large-boards", "what")["rehearsal"]
    ends = {0: "counted", 1: "an error in the next step", -signal.SIGINT: "stopped", -signal.SIGKILL: "killed"}
    return [{**entry, "end": ends[entry["status"]]}]


def measure_shards(shards):
    """Sweeps all shards of a count one after the other, and records their sums and maxima."""
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


@section("large-boards", "results/large-boards.md", "sweeps")
def sweep_rows():
    layers = newest("large-boards", "of")
    sweeps = newest("large-boards", "command")
    for work in SWEEPS:
        # Older records of long sweeps lack --verbose and the words after it.
        command = f"ktour count {work}"
        entry = sweeps.get(command) or sweeps[command.partition(" --verbose")[0]]
        layer, kind = layers[entry["command"]], work.split()[2]
        bytes_per_state = (layer["peak_megabytes"] + layer["peak_stored_megabytes"]) * 1e6 / layer["peak_states"]
        more = {"undirected": entry["counts"][kind]["undirected"], "bytes_per_state": bytes_per_state}
        kind += " by start" * ("per_start" in entry)
        kind += f" modulo {entry['modulus']}" if entry.get("modulus") else ""
        more |= {"kind": kind, "memory": entry.get("memory"), "layer": layer}
        yield {**entry, **more, "note": entry.get("note", "")}


@section("large-boards", "results/large-boards.md", "shards")
def shard_rows():
    cuts = newest("large-boards", "parts")
    whole = {**cuts[1], "most_transitions": cuts[1]["transitions"]}
    assert len({entry["undirected"] for entry in cuts.values()}) == 1, "the shards add up to the whole"
    names = ["states", "transitions", "peak_states", "peak_weights", "most_transitions", "cpu_seconds"]
    return [{"shards": shards, **{name: cuts[shards][name] / whole[name] for name in names}} for shards in sorted(cuts)]
