"""What kills, fuzz and full-disk share: their records in results/hardening.jsonl, and the table of them."""

import os
import subprocess
import sys
import time

import records
from records import ROOT, RESULTS, append, built_from, commit, load, machine, table

WHAT = {"kills": "kills", "fuzz": "inputs", "full-disk": "full disks"}


def binary(arguments):
    """The program to be tried: FILE of `--ktour FILE`, taken off the arguments, or the stock release build."""
    if "--ktour" in arguments:
        at = arguments.index("--ktour")
        path = os.path.abspath(arguments[at + 1])
        del arguments[at : at + 2]
        return path
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    return str(ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "ktour")


def keep(what, which=None, **entry):
    """Adds a record and makes the table anew; `which` is the commit of a program that was built before."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    append("hardening", {"what": what, **entry, "commit": which or commit(), "machine": machine(), "date": stamp})
    for path, text in tables().items():
        records.write(path, text)


def newest(what):
    """The newest record of one script, or nothing."""
    return next((entry for entry in reversed(load("hardening")) if entry["what"] == what), None)


def tables():
    text = [
        "# What it withstands\n",
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
        head = ["run", "job", "kills", "while saving", "runs ended", "wrong", "went back", "left behind"]
        head += ["interval, s", "most lost, s"]
        text += [
            "## Killed\n",
            f"SIGKILL {entry['kills']:,} times, at random moments and as soon as a checkpoint is being written; gone on"
            " with by other numbers of\nthreads, with other memory, by `resume` or by the command itself. Every end is"
            " compared with the number known.\nA run *went back* if it goes on from less than it had saved; *left"
            " behind* are files other than the\ncheckpoint, its generation before, and its lock. *Lost* is work that is"
            " done again: the interval, and what\nsaving and ending took on a machine with more threads than cores; more than the interval and"
            f" {entry.get('allowance', 5.0):g} s counts as going back.\n",
            table(head, rows),
            signed(entry),
        ]
    if entry := newest("fuzz"):
        rows = [[target["name"], f"{target['inputs']:,}", target["panics"]] for target in entry["targets"]]
        text += [
            "## Damaged\n",
            "Valid inputs, changed at random places: refused with a word, or read as what they still say. A panic, and"
            " a damage\nthat is neither refused nor harmless, is a failure.\n",
            table(["input", "tried", "failures"], rows),
            signed(entry),
        ]
    if entry := newest("full-disk"):
        rows = [[step["name"], step["status"], step["said"]] for step in entry["steps"]]
        text += [
            "## A full disk\n",
            f"`{entry['command']}` on a disk of {entry['mib']} MiB that fills up in its middle:\n",
            table(["step", "status", "what it says"], rows).replace("---:", "---"),
            signed(entry),
        ]
    return {RESULTS / "hardening.md": "\n".join(text)}


def signed(entry):
    who = entry["machine"]
    seconds = f"{entry['seconds']:.0f} s, " if "seconds" in entry else ""
    return f"{seconds}{who['cpu']}, {who['cores']} cores; commit {entry['commit']}, {entry['date'][:10]}.\n"


def check(arguments, doc):
    """What --table and --check do, as in all scripts that make tables; returns only for other arguments."""
    if arguments in (["--table"], ["--check"]):
        sys.argv[1:] = arguments
        records.main(doc, None, tables)
