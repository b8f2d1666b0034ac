"""Shared code of kills, fuzz and full-disk: the records in results/hardening.jsonl and the page made from them."""

import os
import subprocess
import sys
import time

import records
from records import ROOT, RESULTS, append, built_from, commit, load, machine, table

# Present names of steps and inputs that older records have under another name.
PRESENT_NAMES = {
    "the disk fills up": "the disk becomes full",
    "gone on with, no room yet": "resumed on the full disk",
    "gone on with, room again": "resumed with free space",
    "checkpoint files, the newest of two": "checkpoint files, the newer of two",
    "checkpoints with a digest of their own": "checkpoints with a matching digest",
    "normal forms of arenas": "text forms of boards",
}


def binary(arguments):
    """Returns the program under test: FILE of `--ktour FILE`, which is removed from the arguments, or else the stock
    release build."""
    if "--ktour" in arguments:
        at = arguments.index("--ktour")
        path = os.path.abspath(arguments[at + 1])
        del arguments[at : at + 2]
        return path
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    return str(ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "ktour")


def add_record(what, which=None, **entry):
    """Appends a record and writes the page again. `which` is the commit of a program that was built before."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    append("hardening", {"what": what, **entry, "commit": which or commit(), "machine": machine(), "date": stamp})
    for path, text in tables().items():
        records.write(path, text)


def newest(what):
    """Returns the newest record of a script, or None."""
    return next((entry for entry in reversed(load("hardening")) if entry["what"] == what), None)


def tables():
    text = [
        "# Tests with kills, damaged input and a full disk\n",
        "Made by `scripts/kills`, `scripts/fuzz` and `scripts/full-disk` from their newest records in"
        " `hardening.jsonl`.\n",
    ]
    if entry := newest("kills"):
        rows = [
            [
                job["name"],
                f"`{job['command']}`",
                job["kills"],
                job["saving"],
                job["ends"],
                job["wrong"],
                job["back"],
                job["left"],
                f"{job['interval']:g}",
                f"{job['lost']:.2f}",
            ]
            for job in entry["jobs"]
        ]
        head = ["run", "job", "kills", "while saving", "finished runs", "wrong", "went back", "left behind"]
        head += ["interval, s", "largest loss, s"]
        text += [
            "## Killed\n",
            f"The runs were killed {entry['kills']:,} times by SIGKILL, at random moments and while they wrote a"
            " checkpoint. Each was resumed by\n`resume` or by the original command, with another number of threads and"
            " another memory limit. Every result was\ncompared with the known number.\n\n"
            "- *Went back*: the run resumed from less work than it had saved, or lost more than the interval and"
            f" {entry.get('allowance', 5.0):g} s.\n"
            "- *Left behind*: files other than the checkpoint, its previous generation and its lock.\n"
            "- *Largest loss*: work that was repeated after a kill. It includes the interval between checkpoints and the"
            " time to\n  save and to stop, on a machine with more threads than cores.\n",
            table(head, rows),
            provenance(entry),
        ]
    if entry := newest("fuzz"):
        present = lambda name: PRESENT_NAMES.get(name, name)
        rows = [[present(target["name"]), f"{target['inputs']:,}", target["panics"]] for target in entry["targets"]]
        text += [
            "## Damaged input\n",
            "Valid inputs were changed at random positions. A reader must reject such an input with an error, or read"
            " what it then\ncontains. A panic is a failure, and so is damage that changes the value of an input with a"
            " digest.\n",
            table(["input", "inputs tested", "failures"], rows),
            provenance(entry),
        ]
    if entry := newest("full-disk"):
        rows = [[PRESENT_NAMES.get(step["name"], step["name"]), step["status"], step["said"]] for step in entry["steps"]]
        text += [
            "## A full disk\n",
            f"`{entry['command']}`\non a disk of {entry['mib']} MiB that becomes full during the run. The messages are"
            " those of the commit below.\n",
            table(["step", "exit status", "messages"], rows).replace("---:", "---"),
            provenance(entry),
        ]
    return {RESULTS / "hardening.md": "\n".join(text)}


def provenance(entry):
    """Returns the duration, machine, commit and date of a record as a line."""
    who = entry["machine"]
    seconds = f"{entry['seconds']:.0f} s, " if "seconds" in entry else ""
    return f"{seconds}{who['cpu']}, {who['cores']} cores; commit {entry['commit']}, {entry['date'][:10]}.\n"


def check(arguments, doc):
    """Handles --table and --check as all scripts with tables do; returns only for other arguments."""
    if arguments in (["--table"], ["--check"]):
        sys.argv[1:] = arguments
        records.main(doc, None, tables)
