"""Shared code of the scripts: runs ktour, measures it, and stores records.

A record is one line of JSON: the output of `ktour count --json -`, the command, commit and machine, and the times of
the process. Records are only appended, never changed. Tables are made from records.
"""

import json
import os
import pathlib
import platform
import re
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The environment variable KTOUR names another program to measure.
GIVEN = os.environ.get("KTOUR")
KTOUR = pathlib.Path(GIVEN) if GIVEN else ROOT / "target" / "release" / "ktour"
RESULTS = ROOT / "results"


def build():
    """Makes the stock release build, so that the measured program is the one that users get."""
    if not GIVEN:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)


def built_from(program):
    """Returns the commit of a program, from its --version."""
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\((\w+\+?)\)", version)
    return found[1] if found else "not known (a program built before)"


def commit():
    """Returns the commit of the working tree, with a `+` if the sources have changes, or of the program in KTOUR."""
    if GIVEN:
        return built_from(KTOUR)
    git = lambda *args: subprocess.run(
        ["git", *args], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    changed = git("status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def machine():
    """Returns the processor, clock and number of cores of this machine, as far as the system reports them."""
    model, mhz = platform.processor() or platform.machine(), None
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                model = value.strip()
            if name.strip() == "cpu MHz":
                mhz = round(float(value))
    except OSError:
        pass
    return {"cpu": model, "mhz": mhz, "cores": os.cpu_count()}


def measure(*arguments, log=None):
    """Runs ktour. Returns its standard output and its wall and CPU seconds. Writes standard error to the file
    `log`."""
    command = [str(KTOUR), *arguments]
    began = time.monotonic()
    errors = open(log, "w", encoding="utf-8") if log else subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    process.returncode = 0
    return output, {
        "wall_seconds": round(wall, 4),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 4),
    }


def record(name, *arguments, repeat=1, log=None, **more):
    """Runs a count `repeat` times, appends a record of the fastest run to `results/NAME.jsonl`, and returns it. The
    record also contains `more`."""
    runs = [measure("count", *arguments, "--json", "-", log=log) for _ in range(repeat)]
    output, cost = min(runs, key=lambda run: run[1]["cpu_seconds"])
    entry = {
        "command": " ".join(["ktour", "count", *arguments]),
        **json.loads(output),
        **cost,
        **more,
        "runs": repeat,
        "commit": commit(),
        "machine": machine(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    append(name, entry)
    return entry


def estimate(board, kind):
    """Returns the estimate of a sweep by `ktour estimate`."""
    text = subprocess.run(
        [KTOUR, "estimate", board, "--kind", kind, "--probes", "2", "--wide"], check=True, capture_output=True, text=True
    ).stdout
    sweep = text[text.index("sweep") :]
    find = lambda pattern: re.search(pattern, sweep).group(1)
    return {
        "weights": float(find(r"at once, (\S+) in all")),
        "peak_weights": float(find(r"at most (\S+) at once")),
        "memory": find(r"memory +(.+)"),
        "time": find(r"time +(.+) on"),
    }


def append(name, entry):
    """Appends a record to `results/NAME.jsonl`."""
    RESULTS.mkdir(exist_ok=True)
    with open(RESULTS / f"{name}.jsonl", "a", encoding="utf-8") as out:
        out.write(json.dumps(entry, separators=(",", ":")) + "\n")


def load(name):
    """Returns all records of `results/NAME.jsonl`, oldest first."""
    path = RESULTS / f"{name}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Present wording of notes in older records.
PRESENT_NOTES = {
    "beside builds, which took half of the machine": "busy machine: builds used half of it",
    "beside builds, which took half of the machine; saved as it ran": "busy machine: builds used half of it; with checkpoints",
    "beside other work": "busy machine",
    "ceiling 6800M": "--memory 6800M",
}


def note(entry):
    """Returns the note of a record."""
    text = entry.get("note", "")
    return PRESENT_NOTES.get(text, text)


def table(head, rows):
    """Returns a Markdown table. All columns but the first are aligned to the right."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write(path, text):
    """Writes a file atomically."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def main(doc, measure, tables, *flags):
    """Runs a script. `tables` returns the text of each page by path.

    Without a flag, or with one of `flags`, it calls `measure` with the flag and writes the pages. With --table it only
    writes the pages from the records. With --check it prints the pages that do not match the records, and fails."""
    arguments = sys.argv[1:]
    if len(arguments) > 1 or not set(arguments) <= {"--table", "--check", *flags}:
        sys.exit(doc)
    flag = arguments[0] if arguments else None
    if flag not in ("--table", "--check"):
        build()
        measure(flag)
    stale = []
    for path, text in tables().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if flag == "--check":
            stale.append(f"{path.relative_to(ROOT)} does not match the records; run scripts/tables")
        else:
            write(path, text)
    sys.exit("\n".join(stale) or None)
