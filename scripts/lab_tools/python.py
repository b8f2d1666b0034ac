"""The Python module: its tests, and the latency of Ctrl-C."""

import json
import os
import pathlib
import re
import sys
import tempfile

from .experiments import chosen, experiment, section
from .runs import ROOT, TARGET, append, build, call, load, run

PACKAGES = "networkx numpy tqdm pytest pytest-xdist nbclient nbformat ipykernel mypy typing_extensions"


def run_console_blocks(page, venv):
    """Runs the commands of a page's console blocks, whose outputs must be as shown there. A command follows `$`."""
    for block in re.findall(r"^```console\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.DOTALL):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            print(f"$ {command}", flush=True)
            done = run("-c", command.replace(".venv", str(venv)), program="bash", folder=ROOT, check=False)
            if done.status != 0 or printed and printed != done.out:
                sys.exit(f"expected:\n{printed}found:\n{done.out}{done.err}")


@experiment("python", "lints and tests of the Python module, its pages and its notebook", "five minutes; writes no page")
def python(arguments):
    os.environ.update(CARGO_TARGET_DIR=str(TARGET), KTOUR=str(build()))
    call("cargo", "fmt", "--package", "ktour-python", "--check")
    call("cargo", "clippy", "--package", "ktour-python", "--", "-D", "warnings")
    with tempfile.TemporaryDirectory() as folder:
        venv, settings = pathlib.Path(folder) / "venv", pathlib.Path(folder) / "mypy.ini"
        download = "-m pip download --quiet --no-deps maturin --dest".split()
        if run(*download, folder, program=sys.executable, check=False).status != 0:
            print("tests of the Python module skipped: Python packages cannot be downloaded")
            return
        run_console_blocks(ROOT / "python" / "README.md", venv)
        call(venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES.split())
        settings.write_text("[mypy]\nignore_missing_imports = True\n")
        # In another folder, mypy finds the installed package, not one of the working folder.
        call(venv / "bin" / "mypy", "--config-file", settings, "--strict", "--package", "ktour", folder=folder)
        call(venv / "bin" / "stubtest", "--mypy-config-file", settings, "--ignore-missing-stub", "ktour._ktour")
        call(venv / "bin" / "pytest", "--quiet", "-p", "no:cacheprovider", "--numprocesses", "auto", "python/tests")


# Long calls, which are interrupted.
CALLS = {
    "count, a sweep": "count('9x10', 'closed', engine='frontier', force=True)",
    "count, a sweep with its disk": "count('9x9', 'paths', engine='frontier', memory='4G', force=True)",
    "count, a search": "count('8x8', 'closed', engine='multipath')",
    "count, plain backtracking": "count('8x8', 'closed', engine='backtrack')",
    "count, a search with checkpoint=": "count('8x8', 'closed', engine='multipath', checkpoint='run')",
    "count, symmetric tours": "count('12x12', 'closed', symmetry='rot180', force=True)",
    "estimate": "estimate('10x10', probes=1_000_000)",
    "series": "series('7x2..400', 'closed', force=True)",
    "recurrence": "recurrence('7x2..60', 'closed', order=100_000)",
    "Index": "Index('8x8', 'closed', force=True)",
    "index[:]": "index[:]",
    "index.sample": "index.sample(5_000_000)",
    "tours, iterated": "[None for _ in tours('7x7')]",
    "tours, to_numpy": "tours('7x8', start='a1').to_numpy()",
    "sheet of 100,000 tours": "sheet(many)",
    "svg of 1000x1000": "[large.svg() for _ in range(1000)]",
    "canonical of 1000x1000": "[large.canonical() for _ in range(1000)]",
}
DELAYS = [0.2, 0.5, 1.0, 2.0]  # seconds after which a call is interrupted
# Runs in a process per call, so that an interrupted call does not affect other measurements.
INTERRUPT = """
import json, os, signal, sys, threading, time
from ktour import *

def latency(call, delay):
    threading.Timer(delay, os.kill, [os.getpid(), signal.SIGINT]).start()
    sent = time.perf_counter() + delay
    try:
        eval(call)
    except KeyboardInterrupt:
        return time.perf_counter() - sent
    raise SystemExit(f"{call} ended before it was interrupted")

signal.signal(signal.SIGINT, signal.default_int_handler)
call, delays = json.loads(sys.argv[1])
index = Index("6x7", "closed") if "index" in call or "many" in call else None
many = index[:100_000] if "many" in call else None
large = find("1000x1000") if "large" in call else None
print(json.dumps([round(latency(call, delay), 4) for delay in delays]), flush=True)
os._exit(0)
"""

@experiment("python-speed", "latency of Ctrl-C in the Python module ($PYTHON: an interpreter with it)", "two minutes")
def python_speed(arguments):
    with tempfile.TemporaryDirectory() as folder:
        python = os.environ.get("PYTHON", f"{folder}/venv/bin/python")
        if "PYTHON" not in os.environ:
            run("-m", "venv", f"{folder}/venv", program=sys.executable)
            run("-m", "pip", "install", "--quiet", f"{ROOT}/python", "numpy", "networkx", program=python)
        measured = lambda call: run("-c", INTERRUPT, json.dumps([call, DELAYS]), program=python, folder=folder)
        calls = ["count, a search"] if arguments.quick else chosen(arguments, CALLS)
        latencies = {name: measured(CALLS[name]).answer() for name in calls}
    append("python", {"calls": CALLS, "latencies": latencies, "delays": DELAYS})


@section("results/python.md", "interrupts")
def python_interrupts():
    entry = load("python")[-1]
    row = lambda name, latencies: {**entry, "name": name, "call": entry["calls"][name], "slowest": max(latencies)}
    return [row(name, latencies) for name, latencies in entry["latencies"].items()]
