"""What the scripts here share: running ktour, measuring it, and keeping records.

A record is one JSON line: what `ktour count --json -` printed, plus command,
commit, machine and the process's own times. Records are only ever appended;
tables are made from them.
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
# Another program is measured if the variable KTOUR names it.
GIVEN = os.environ.get("KTOUR")
KTOUR = pathlib.Path(GIVEN) if GIVEN else ROOT / "target" / "release" / "ktour"
RESULTS = ROOT / "results"


def build():
    """The stock release build; what is measured is what users get."""
    if not GIVEN:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)


def built_from(program):
    """The commit that a program says it was built from."""
    told = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\((\w+\+?)\)", told)
    return found[1] if found else "not known (a program built before)"


def commit():
    """The commit, with a mark if the sources differ from it; that of the program, if one was named."""
    if GIVEN:
        return built_from(KTOUR)
    git = lambda *args: subprocess.run(
        ["git", *args], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    changed = git("status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def machine():
    """Processor and size of this machine, as far as it tells."""
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
    """Runs ktour; returns its standard output and its wall and CPU seconds.
    Standard error goes to the file `log`."""
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
    """Counts, keeps the fastest of `repeat` runs as a record of `results/NAME.jsonl`, and returns it.
    `more` is kept with it."""
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
    """What `ktour estimate` says of a sweep."""
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
    """Adds a record to `results/NAME.jsonl`."""
    RESULTS.mkdir(exist_ok=True)
    with open(RESULTS / f"{name}.jsonl", "a", encoding="utf-8") as out:
        out.write(json.dumps(entry, separators=(",", ":")) + "\n")


def load(name):
    """All records of `results/NAME.jsonl`, oldest first."""
    path = RESULTS / f"{name}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def table(head, rows):
    """A Markdown table; all columns but the first are aligned to the right."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write(path, text):
    """Writes a file whole or not at all."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def main(doc, measure, tables, *flags):
    """What every script here does: without a flag it measures (`measure` gets the flag, if it is one of
    `flags`) and writes its tables; with --table it writes them from the records alone; with --check it
    says which are not what the records say, and fails. `tables` gives texts by path."""
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
            stale.append(f"{path.relative_to(ROOT)} is not what the records say: run scripts/tables")
        else:
            write(path, text)
    sys.exit("\n".join(stale) or None)
