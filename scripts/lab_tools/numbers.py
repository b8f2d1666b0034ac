"""Numbers of tours: those that were published, new ones, symmetric tours, other boards and pieces, and series."""

import collections
import csv
import functools
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shutil

from .experiments import chosen, experiment, optional, section
from .runs import TARGET, Job, append, build, layer_totals, load, machine, newest, results, run, write_steps


@experiment("verify", "published numbers that ktour reproduces, by source", "two minutes")
def verify(arguments):
    done = run("verify", "--within", "3s" if arguments.quick else "120s", "--json", "-")
    found = done.answer()
    tally = lambda field: collections.Counter(sorted(line[field] for line in found["numbers"]))
    entry = {"command": done.command, **{name: found[name] for name in ("reproduced", "mismatches", "not_tried")}}
    append("verify", {**entry, "sources": tally("source"), "engines": tally("engine"), **done.cost()})


@section("README.md", "verified")
@section("results/verify.md", "verified")
def verified():
    entry = load("verify")[-1]
    return [{**entry, "by": ", ".join(f"{number} by {engine}" for engine, number in entry["engines"].items())}]


@section("results/verify.md", "sources")
def sources():
    found = collections.Counter()
    for names, number in load("verify")[-1]["sources"].items():
        found.update({name: number for name in names.split("; ")})
    return [{"source": name, "number": n} for name, n in sorted(found.items(), key=lambda one: (-one[1], one[0]))]


# New numbers. The folder has the checkpoints of counts that were stopped; $NOTE is recorded with each number.
WORK = pathlib.Path(os.environ.get("WORK", TARGET / "new-numbers"))
RENAMED = "as a graph with randomly renamed squares, which is swept in another order"
HALF_TURN = "10x10 closed tours invariant under the half turn"
TORUS = "8x8 --wrap torus --piece wazir --kind closed --distinct"
# By number: its title, the options of its exact count, and the methods of its other counts.
NUMBERS = {
    "9x9-paths": ("9x9 paths, undirected", "9x9 --kind paths --memory 13G", "renamed probes"),
    "9x10-paths": ("9x10 paths, undirected", "9x10 --kind paths --memory 17G", "renamed"),
    "9x12-closed": ("9x12 closed tours, undirected", "9x12 --kind closed --memory 13G", "renamed"),
    "9x14-closed": ("9x14 closed tours, undirected", "9x14 --kind closed --memory 13G", "renamed"),
    "9x16-closed": ("9x16 closed tours, undirected", "9x16 --kind closed --memory 14G", "renamed"),
    "9x18-closed": ("9x18 closed tours, undirected", "9x18 --kind closed --memory 14G", "renamed"),
    "9x20-closed": ("9x20 closed tours, undirected", "9x20 --kind closed --memory 14G", "renamed"),
    "10x10-rot180": (HALF_TURN, "10x10 --kind closed --symmetry rot180", "residues"),
    "torus-8": ("distinct Hamiltonian cycles of the 8x8 torus grid, A396483(8)", TORUS, "renamed-exact"),
    "prime-38": ("prime circles of 1 to 38, A051252(19)", "--graph prime-38-exact.txt --kind closed", "renamed"),
    "prime-40": ("prime circles of 1 to 40, A051252(20)", "--graph prime-40-exact.txt --kind closed", "renamed"),
    "square-60": ("chains of 1 to 60 with square sums, A071983(60)", "--graph square-60-exact.txt --kind paths", "renamed"),
    "square-64": ("loops of 1 to 64 with square sums, A071984(64)", "--graph square-64-exact.txt --kind closed", "renamed"),
}
# Cycles and paths of 1 to n in which the sums of neighbours are primes, or squares.
SUMS = {
    "prime": lambda s: all(s % d for d in range(2, int(s**0.5) + 1)),
    "square": lambda s: s**0.5 % 1 == 0,
}
# By method: its description, and its command.
METHODS = {
    "exact": ("exactly", "count {options} --engine frontier"),
    "renamed": (
        f"modulo 65521, {RENAMED}",
        "count --graph {number}-renamed.txt --kind {kind} --modulus 65521 --engine frontier --memory 13G",
    ),
    "renamed-exact": (f"exactly, {RENAMED}", "count --graph {number}-renamed-exact.txt --kind {kind} --distinct"),
    "probes": (
        "estimated by 3000 random probes per unit of a search",
        "estimate {board} --kind {kind} --engine multipath --probes 3000 --seed 3",
    ),
    "residues": ("from residues of 32 bits, one more than necessary", "count {options} --residues=32 --engine frontier"),
}
NEW_NUMBERS = [(number, method) for number in NUMBERS for method in ["exact", *NUMBERS[number][2].split()]]


def graph_text(number, is_renamed):
    """Returns the edge list of the graph of a number, with randomly renamed vertices or not, sorted by name."""
    family, size = number.split("-")
    if family in SUMS:
        edges = [(v, w) for v, w in itertools.combinations(range(int(size)), 2) if SUMS[family](v + w + 2)]
    else:
        is_torus = family == "torus"
        rows, cols = (int(size), int(size)) if is_torus else map(int, family.split("x"))
        moves = [(0, 1), (1, 0)] if is_torus else [(1, 2), (2, 1), (2, -1), (1, -2)]
        steps = [(r, c, r + dr, c + dc) for r in range(rows) for c in range(cols) for dr, dc in moves]
        steps = [(r, c, x, y) for r, c, x, y in steps if is_torus or x < rows and 0 <= y < cols]
        edges = [(r * cols + c, x % rows * cols + y % cols) for r, c, x, y in steps]
    names = list(range(1 + max(map(max, edges))))
    if is_renamed:
        random.Random(number).shuffle(names)
    edges = sorted(sorted((names[v], names[w])) for v, w in edges)
    return "".join(f"v{v:03d} v{w:03d}\n" for v, w in edges)


def count_new_number(number, method):
    """Counts by a method, with a checkpoint, from which a later call resumes, and records the result. An answer and a
    log in the folder, as from another machine, are recorded without counting."""
    WORK.mkdir(parents=True, exist_ok=True)
    options = NUMBERS[number][1]
    board, kind = options.split()[0], re.search(r"--kind (\w+)", options)[1]
    command = METHODS[method][1].format(number=number, options=options, board=board, kind=kind)
    entry = {"number": number, "way": method, "command": f"ktour {command}", "note": os.environ.get("NOTE", "")}
    if method == "probes":
        done = run(*command.split(), "--json", "-")
        search, seconds = done.answer()["search"], round(done.wall_seconds, 4)
        append("new-numbers", {**entry, "tours": search["tours_mean"], "error": search["tours_error"], "seconds": seconds})
        return
    name, log = f"{number}-{method}", WORK / f"{number}-{method}.log"
    if "--graph" in command:
        (WORK / f"{name}.txt").write_text(graph_text(number, method.startswith("renamed")), encoding="utf-8")
    saved = WORK / f"{name}.json"
    if not saved.exists():
        # The layers of the widest boards leave no room on the disk for a checkpoint.
        saves = f"--checkpoint {name}.ckpt --checkpoint-every 10m" if "--memory" in command and "14G" not in command else ""
        job = Job(*f"{command} --force --verbose --json {name}.json {saves}".split(), folder=WORK, log=log.name)
        job.end()
        if job.process.returncode != 0:
            raise SystemExit(job.log())
    text, answer = log.read_text(encoding="utf-8"), json.loads(saved.read_text(encoding="utf-8"))
    fields = ("counts", "distinct", "seconds", "threads", "modulus", "nodes", "visited", "peak_kib", "sha256")
    entry |= {field: answer[field] for field in fields if field in answer}
    layers = layer_totals(text) if " step " in text else None
    # The answer of a count with a symmetry does not name its machine.
    other = {"cpu": answer["cpu"], "mhz": None, "cores": answer["cores"]} if "cpu" in answer else None
    where = {} if other in (None, {**machine(), "mhz": None}) else {"machine": other}
    append("new-numbers", {**entry, "layers": layers}, commit=answer["commit"], **where)
    if method == "exact" and " step " in text:
        write_steps(number, text)
    for path in WORK.glob(f"{name}.*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@experiment(
    "new-numbers", "numbers that ktour counted first, each by at least two methods",
    "up to an hour for each method without a record, 15 GB of memory, 50 GB of disk ($WORK)",
)
def new_numbers(arguments):
    only = arguments.only or ("10x10-rot180" if arguments.quick else None)
    for work in NEW_NUMBERS:
        if only in "/".join(work) if only else work not in newest("new-numbers", "number", "way"):
            count_new_number(*work)


@section("results/new-numbers.md", "methods")
def new_number_methods():
    """Yields the records, and checks that all methods agree."""
    found, wholes = newest("new-numbers", "number", "way"), {}
    for number, method in NEW_NUMBERS:
        entry = found[number, method]
        if method != "probes":
            undirected = {kind: count["undirected"] for kind, count in entry["counts"].items()}
            value = int(next(iter(entry.get("distinct", undirected).values())))
        if method in ("exact", "renamed-exact", "residues"):
            assert wholes.setdefault(number, value) == value, f"{number}: two methods differ"
        elif method == "renamed":
            assert wholes[number] % entry["modulus"] == value, f"{number}: the residue differs"
        else:
            value, error = float(entry["tours"]), float(entry["error"])
            assert abs(wholes[number] - value) <= 3 * error, f"{number} is not near its estimate"
        shown_value = f"{value:.2e} ± {error:.1e}" if method == "probes" else f"{value:,}"
        stored = (entry.get("layers") or {}).get("peak_stored_megabytes")
        more = {"title": NUMBERS[number][0], "method": METHODS[method][0], "value": shown_value, "stored": stored}
        yield {"peak_kib": None, "nodes": None, **entry, **more}


@section("results/new-numbers.md", "numbers")
def new_number_values():
    rows = list(new_number_methods())
    methods = collections.Counter(row["title"] for row in rows if "counts" in row)
    assert min(methods.values()) > 1, "a number was counted by one method only"
    for row in [row for row in rows if row["way"] == "exact"]:
        steps = f"steps-{row['number']}.csv"
        link = f"[steps]({steps})" if (results() / steps).exists() else ""
        yield {**row, "methods": methods[row["title"]], "steps": link}


# Symmetric tours: boards, second methods, and whether all closed tours are counted twice, once, or not at all.
SYMMETRIC = [(board, "multipath", "twice") for board in ("6x8", "6x10")]
SYMMETRIC += [(board, "transposed", "twice") for board in ("8x8", "6x12", "8x10", "6x14")]
SYMMETRIC += [("8x12", "transposed", "once"), ("10x10", "theorems", None)]
# By second method: its symmetry, engine, and name in the table. Only the tours that are also invariant under a quarter turn
# are few enough for a search on 10x10. ktour has checked that the number of the others is a multiple of four.
SECOND = {
    "multipath": ("rot180", "multipath", "multipath"),
    "transposed": ("rot180", "frontier", "transposed board, same engine"),
    "theorems": ("rot90", "multipath", "none, theorems hold"),
    "labels": (None, None, "labels"),
}


def count_symmetric(board, symmetry, *more):
    """Returns the number of closed tours with a symmetry, or of their classes, and the cost."""
    done = run("count", board, "--kind", "closed", "--symmetry", symmetry, *more)
    return int(done.out), done.cost()


@experiment("symmetric", "symmetric and distinct closed tours, counted twice", "ten minutes")
def symmetric(arguments):
    for board, method, whole in chosen(arguments, SYMMETRIC):
        half, cost = count_symmetric(board, "rot180", "--engine", "frontier")
        classes, _ = count_symmetric(board, "rot180", "--engine", "frontier", "--distinct")
        rows, cols = board.split("x")
        quarter = count_symmetric(board, "rot90", "--engine", "frontier")[0] if rows == cols else 0
        symmetry, engine, _ = SECOND[method]
        again, second = count_symmetric(f"{cols}x{rows}", symmetry, "--engine", engine)
        assert again == (half if symmetry == "rot180" else quarter), f"{board}: {again} tours by {method}"
        entry = {"board": board, "closed": None, "rot180": str(half), "rot180_classes": str(classes), "distinct": None}
        entry |= {"frontier": cost, "second": {"how": method, "seconds": round(second["wall_seconds"], 2)}}
        if whole:
            twice = ["--double-check"] if whole == "twice" else []
            answer = run("count", board, "--kind", "closed", "--distinct", *twice, "--json", "-").answer()
            total, distinct = answer["counts"]["closed"]["undirected"], answer["distinct"]["closed"]
            check = f"; {answer['double_check']['how']}" if twice else ""
            entry |= {"closed": total, "distinct": distinct, "confirmed": f"{whole}: {answer['engine']}{check}"}
            # On a board with two even sides, closed tours have no symmetry but the half turn and the quarter turns.
            order = 8 if rows == cols else 4
            assert int(total) + half + 2 * quarter == order * int(distinct), f"{board}: Burnside's lemma fails"
        append("symmetric", entry)


@section("results/symmetric.md", "numbers")
def symmetric_rows():
    found = newest("symmetric", "board")
    for board, *_ in SYMMETRIC:
        entry = found[board]
        number = lambda name: f"{int(entry[name]):,}" if entry[name] else "-"
        numbers = {name: number(name) for name in ("rot180", "rot180_classes", "distinct", "closed")}
        literature = "McKay 1997" if board == "8x8" else "not found"
        yield {**entry, **numbers, "second_name": SECOND[entry["second"]["how"]][2], "literature": literature}


# Other boards and pieces.
MAX_SECONDS = 150.0
MAX_CPU_SECONDS = 300
OTHER_MEMORY = "4G"
DISK_BYTES = 1 << 30  # in addition to the memory
# Groups of boards: whether the board is a box, and its option.
GROUPS = {name: (False, f"--wrap {name}") for name in ("cols", "torus", "mobius", "klein", "projective")}
GROUPS |= {name: (False, f"--piece {name}") for name in ("king", "wazir", "giraffe", "wazir+camel")}
GROUPS |= {f"box-{name}": (True, f"--piece {name}") for name in ("knight", "wazir")}


def count_twice(words, kind):
    """Counts with a double check, unless the estimate exceeds the limits. Returns the fields of the record."""
    common = [*words, "--memory", OTHER_MEMORY, "--threads", "1"]
    done = run("estimate", *common, "--engine", "frontier", "--json", "-", check=False)
    sweep = done.answer()["sweep"] if done.status == 0 else None
    expected = {field: round(sweep[field]) for field in ("seconds", "memory_bytes", "disk_bytes") if sweep}
    refused = {"out_of_reach": MAX_CPU_SECONDS, "expected": expected}
    limits = {"time": sweep and sweep["seconds"] > MAX_SECONDS, "memory": not sweep or sweep["disk_bytes"] > DISK_BYTES}
    if any(limits.values()):
        return {**refused, "limit": [limit for limit, is_exceeded in limits.items() if is_exceeded]}
    # CPU seconds do not depend on other processes of the machine.
    limit_cpu = lambda: resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    done = run("count", *common, "--double-check", "--json", "-", check=False, limit=limit_cpu)
    if done.status != 0:
        return {**refused, "limit": ["time" if done.status < 0 else "memory"], "error": done.err[-500:]}
    answer = done.answer()
    return {
        "command": done.command,
        "number": answer["counts"][kind]["undirected"],
        "second": answer["double_check"]["how"],
        **{field: answer[field] for field in ("engine", "seconds", "peak_kib")},
    }


def other_records():
    """Returns the newest record of each count."""
    return {name: entry for name, entry in newest("other-boards", "count").items() if name[0].isdigit()}


@experiment(
    "other-boards", "tours of other boards and pieces, counted twice; [COUNT ..]: only '4x6 --wrap cols --kind closed', ..",
    "hours for all, five minutes for each at most",
)
def count_other_boards(arguments):
    for name in arguments.rest or chosen(arguments, other_records()):
        append("other-boards", {"count": name, **count_twice(name.split(), name.split()[-1])})


def limits_text(entry):
    """Returns the exceeded limits of a skipped count with their estimates, as text."""
    need, needs = entry.get("expected"), {"time": "", "memory": ""}
    if need:
        gigabytes = (need["memory_bytes"] + need["disk_bytes"]) / 1e9
        needs = {"time": f"{need['seconds'] / 60:,.0f} min", "memory": f"{gigabytes:,.0f} GB"}
    return ", ".join(f"*{limit}: {needs[limit]}*" for limit in entry["limit"])


@section("results/other-boards.md", "summary")
def other_summary():
    entries = [entry for entry in other_records().values() if "number" in entry]
    searches = sum(entry["second"].startswith("engine") for entry in entries)
    return [{**entries[-1], "all": len(entries), "searches": searches}]


def group_rows(is_box, option):
    """Returns the rows of the boards of a group that have a tour, or that were not counted."""
    rows = {}
    for name, entry in other_records().items():
        board, *options, _, kind = name.split()
        if " ".join(options) == option and (board.count("x") == 2) == is_box:
            row = rows.setdefault(tuple(map(int, board.split("x"))), {"board": board})
            row[kind] = f"{int(entry['number']):,}" if "number" in entry else limits_text(entry)
            row[f"{kind}_seconds"] = optional(entry.get("seconds"), ".2f" if entry.get("seconds", 0) < 10 else ",.0f")
    return [rows[size] for size in sorted(rows) if (rows[size]["closed"], rows[size]["paths"]) != ("0", "0")]


for group, place in GROUPS.items():
    section("results/other-boards.md", group)(functools.partial(group_rows, *place))


# Recurrences.
TIMEOUT_SECONDS = 900
MAX_RECORDED_ORDER = 60  # of recurrences whose coefficients are recorded


def published():
    """Returns the publication of the recurrence of each series, from results/recurrences.csv."""
    with open(results() / "recurrences.csv", encoding="utf-8") as file:
        return {row["series"]: row["published"] for row in csv.DictReader(file)}


def find_recurrence(name):
    """Searches for the recurrence of a series. Returns it, or the reason of the failure."""
    memory = [] if "--memory" in name else ["--memory", "3G"]
    words = ["series", *name.split(), "--recurrence", *memory, "--progress", "none", "--json", "-"]
    done = run(TIMEOUT_SECONDS, build(), *words, program="timeout", check=False)
    if done.status == 124:
        return {"out_of_reach": TIMEOUT_SECONDS}
    if done.status != 0:
        return {"failed": done.err.strip().splitlines()[-2:]}
    answer = done.answer()
    recurrence = answer["recurrence"]
    if recurrence.get("order", MAX_RECORDED_ORDER + 1) > MAX_RECORDED_ORDER:
        for key in ("coefficients", "numerator", "denominator"):
            recurrence.pop(key, None)
    last = answer["series"][-1]["undirected"][:40]
    cost = {"wall_seconds": round(done.wall_seconds, 2), "peak_kib": done.peak_kib}
    return {"rows": len(answer["series"]), "last": last, **recurrence, **cost}


@experiment("recurrences", "recurrences of series of boards, and their growth", "up to 15 minutes for each new series")
def recurrences(arguments):
    have = newest("recurrences", "family")
    for name in chosen(arguments, published()):
        if arguments.only or arguments.quick or name not in have:
            append("recurrences", {"family": name, **find_recurrence(name)})


def order_and_proof(entry):
    """Returns the cells of the order and of its proof."""
    stride = entry.get("stride", 1)
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(stride, "th")
    every = f" (every {stride}{suffix} board)" if stride > 1 else ""
    if "out_of_reach" in entry:
        return "", f"exceeds {TIMEOUT_SECONDS} s"
    if "failed" in entry:
        return "", "exceeds the memory"
    terms = f"{entry['terms']:,}"
    if entry.get("found") and entry["order"] == 0:
        return f"0{every}", f"no tour, {terms} terms" + (": proved" if entry.get("proved") else "")
    if entry.get("found"):
        beyond = entry.get("verified", 0) - entry.get("holds_after", 0) // stride
        return f"{entry['order']}{every}", "proved" if entry.get("proved") else f"fits {terms} terms, {beyond:,} beyond"
    if entry.get("order_modulo_prime"):
        after = entry["holds_after"] // stride
        sure = "proved modulo a prime: no lower order" if entry.get("proved_modulo_prime") else "modulo a prime"
        beyond = f"{entry['terms'] // stride - 2 * after:,} beyond"
        return f"{entry['order_modulo_prime']}{every}", f"{sure}; {terms} terms, {beyond}; after the first {after:,}"
    limit = f"{entry['none_up_to_order']:,}"
    return f"> {limit}{every}", f"orders up to {limit} do not fit {terms} terms"


@section("results/recurrences.md", "recurrences")
def recurrence_rows():
    found = newest("recurrences", "family")
    for name, source in published().items():
        entry = {**dict.fromkeys(("growth", "states", "wall_seconds", "peak_kib")), **found[name], "published": source}
        order, proof = order_and_proof(entry)
        yield {**entry, "order": order, "proof": proof, "mib": entry["peak_kib"] and entry["peak_kib"] / 1024}
