"""Times of the page's WebAssembly module, in the JavaScript engine of a browser, and of the program."""

import json
import os

from .experiments import chosen, experiment, section
from .runs import ROOT, append, count, load, run

COUNTS = [("6x6", "all"), ("6x8", "closed"), ("7x8", "closed"), ("8x8", "closed")]


@experiment("web", "times of the module in a browser's engine beside the program's", "a minute; after web/build, with node")
def web(arguments):
    work = chosen(arguments, COUNTS, " ".join)
    # One process has the module compiled before its counts, as a page has.
    load_average = os.getloadavg()[0]
    done = run(ROOT / "web/tests/times.js", json.dumps(work), program="node")
    module = json.loads(done.out)
    rows = []
    for (board, kind), row in zip(work, module["counts"]):
        options = [] if kind == "all" else ["--kind", kind]
        program, _ = count(board, *options, "--threads", 1, repeat=3 if row["cpu_seconds"] < 3 else 1)
        expected = {name: counts["undirected"] for name, counts in program["counts"].items()}
        if row["tours"] != {name: str(number) for name, number in expected.items()}:
            raise SystemExit(f"{board} {kind}: the module counts {row['tours']}, the program {expected}")
        rows.append({"name": f"{board} {kind}", **row, "program_cpu_seconds": program["cpu_seconds"]})
    append("web", {"engine": module["engine"], "load_average": round(load_average, 2), "counts": rows})


@section("web", "results/web.md", "times")
def web_rows():
    entry = load("web")[-1]
    state = "idle" if entry["load_average"] <= 1 else f"busy, with a load of {entry['load_average']}"
    return [{**entry, **row, "state": state, "total": list(row["tours"].values())[-1]} for row in entry["counts"]]
