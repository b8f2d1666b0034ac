"""The index of all tours of the chessboard, exact statistics and heat maps made from it, and pictures of tours."""

import csv
import os
import pathlib
import random
import re
import shutil

from .experiments import chosen, experiment, section
from .runs import TARGET, append, newest, results, run

FOLDER = pathlib.Path(os.environ.get("KTOUR_INDEX", TARGET / "index"))  # of the indexes, which are not deleted
TOTAL = {"closed": 13267364410532, "paths": 9795914085489952}


def measured(*words, given=""):
    """Runs the program. Returns the process, and its command and cost."""
    done = run(*words, given=given)
    command = re.sub(r"--index \S*/", "--index ", done.command)
    return done, {"command": command, **done.cost(3), "peak_mib": done.peak_kib // 1024}


def of_8x8(kind):
    """Returns the arguments for the tours of a kind and their index, whose folder must exist."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    return ["8x8", "--kind", kind, "--index", FOLDER / f"8x8-{kind}"]


def index_bytes(kind):
    return sum(file.stat().st_size for file in of_8x8(kind)[-1].iterdir())


def measure_index():
    """Measures the count and the index alternately, so that noise affects both. Returns the minima."""
    counts, indexes, words = [], [], of_8x8("closed")
    for _ in range(3):
        counted, cost = measured("count", *words[:3])
        assert int(counted.out) == TOTAL["closed"], counted.out
        counts.append(cost)
        shutil.rmtree(words[-1], ignore_errors=True)
        indexes.append(measured("unrank", *words, 0)[1])
    least = lambda costs: min(costs, key=lambda cost: cost["wall_seconds"])
    return {**least(indexes), "count": least(counts), "bytes": index_bytes("closed")}


def measure_sample(kind="closed", number=1_000_000):
    done, cost = measured("sample", *of_8x8(kind), "--number", number, "--bare")
    assert done.out.count("\n") == number
    return cost


def measure_unrank():
    """Measures `unrank` for random numbers. Returns the median."""
    chance = random.Random(1)
    costs = [measured("unrank", *of_8x8("closed"), chance.randrange(TOTAL["closed"]))[1] for _ in range(21)]
    return sorted(costs, key=lambda one: one["wall_seconds"])[10]


def measure_rank():
    words = of_8x8("closed")
    done, cost = measured("rank", "-", *words[3:], given=run("find", "8x8", "--closed", "--format", "squares").out)
    number = done.out.split()[-1]
    tour = run("unrank", *words, number).out
    assert run("rank", "-", *words[3:], given=tour).out.split()[-1] == number
    return {**cost, "number": number, "tour": tour.splitlines()[-1]}


def measure_moves(kind="closed"):
    """Measures the numbers of tours with each move, draws their heat map, and checks the sums."""
    heat = results() / f"heat-8x8-{kind}.svg"
    _, cost = measured("stats", *of_8x8(kind), "--heat", heat, "--csv", heat.with_suffix(".csv"))
    rows = list(csv.DictReader(heat.with_suffix(".csv").read_text(encoding="utf-8").splitlines()))
    moves = {f"{row['from']}-{row['to']}": int(row["count"]) for row in rows if row["what"] == "move"}
    ends = sum(int(row["count"]) for row in rows if row["what"] == "end")
    assert len(moves) == 168 and sum(moves.values()) * 2 + ends == 2 * 64 * TOTAL[kind]
    inner = {move: tours for move, tours in moves.items() if not {"a1", "a8", "h1", "h8"} & set(move.split("-"))}
    most, fewest = (choose(inner, key=inner.get) for choose in (max, min))
    return {**cost, "most": [most, inner[most]], "fewest": [fewest, inner[fewest]]}


def measure_histogram():
    """Measures the histogram of steep moves, and checks its sum and its examples."""
    done, cost = measured("stats", *of_8x8("closed"), "--histogram", "steep", "--json", "-")
    report = done.answer()
    rows = {int(row["moves"]): int(row["count"]) for row in report["histogram"]}
    examples = [[example["moves"], " ".join(example["squares"])] for example in report["examples"]]
    for number, tour in examples:
        squares = tour.split() + tour.split()[:1]
        assert number == sum(abs(int(a[1:]) - int(b[1:])) == 2 for a, b in zip(squares, squares[1:]))
    assert sum(rows.values()) == TOTAL["closed"] and [number for number, _ in examples] == [min(rows), max(rows)]
    return {**cost, "rows": sorted(rows.items()), "examples": examples}


def measure_paths():
    """Measures the index, a sample and the moves of all paths."""
    _, index = measured("unrank", *of_8x8("paths"), 0)
    sample = measure_sample("paths", 10_000)
    return {**measure_moves("paths"), "index": index, "sample": sample, "bytes": index_bytes("paths")}


@experiment(
    "statistics", "the index of all 8x8 tours, statistics and heat maps",
    "eight minutes, 4 GB of memory, 2 GB of disk ($KTOUR_INDEX); --long seven more for paths, 9 GB and 21 GB of disk",
)
def statistics(arguments):
    parts = [measure_index, measure_sample, measure_unrank, measure_rank, measure_moves, measure_histogram]
    parts += [measure_paths] * arguments.long
    for part in chosen(arguments, parts, lambda part: part.__name__):
        append("statistics", {"part": part.__name__.removeprefix("measure_"), **part()})


@section("results/statistics.md", "costs")
def cost_rows():
    found = newest("statistics", "part")
    index, paths = found["index"], found["paths"]
    count, seconds = index["count"]["wall_seconds"], index["wall_seconds"]
    size = f"the index, {index['bytes'] / 1e9:.2f} GB: {seconds / count:.2f} times the count"
    rows = [
        ("the count", index["count"], "", index),
        (size, index, f"{2 * count:.2f}, twice the count", index),
        ("a million uniform tours", found["sample"], 60, found["sample"]),
        ("one tour, whole process (median of 21)", found["unrank"], 0.05, found["unrank"]),
        ("rank of the tour of `find 8x8 --closed`", found["rank"], "", found["rank"]),
        ("number of tours with each move", found["moves"], 30, found["moves"]),
        ("number of tours by number of steep moves", found["histogram"], "", found["histogram"]),
        (f"the index of paths, {paths['bytes'] / 1e9:.1f} GB", paths["index"], "", paths),
        ("10,000 uniform paths", paths["sample"], "", paths),
        ("number of paths with each move", paths, "", paths),
    ]
    return [{**entry, **cost, "what": what, "goal": goal} for what, cost, goal, entry in rows]


for part in ("rank", "moves"):
    section("results/statistics.md", part)(lambda part=part: [newest("statistics", "part")[part]])


@section("results/statistics.md", "steep")
def steep_rows():
    entry = newest("statistics", "part")["histogram"]
    return [{**entry, "steep": steep, "tours": tours, "share": tours / TOTAL["closed"]} for steep, tours in entry["rows"]]


FEW = "--kind closed --distinct --limit 6 --symmetry"
# Commands whose tours are drawn.
PICTURES = {
    "tour-8x8": "find 8x8 --closed",
    "path-8x8": "find 8x8 --open --seed 7",
    "tour-8x8-king": "find 8x8 --piece king --kind closed",
    "tour-3x4x4-box": "find 3x4x4 --kind closed",
    "tour-6x6-cylinder": "find 6x6 --wrap cols --kind closed",
    "tour-5x6-mobius": "find 5x6 --wrap mobius --kind closed",
    **{f"tour-6x6-{wrap}": f"find 6x6 --wrap {wrap} --kind closed" for wrap in ("torus", "klein", "projective")},
    "symmetric-6x6-rot90": f"list 6x6 {FEW} rot90",
    "symmetric-3x10-bergholtian": f"list 3x10 {FEW} bergholtian",
    "symmetric-6x5-axial": f"list 6x5 {FEW} axial",
    "symmetric-3x14-eulerian": f"list 3x14 {FEW} eulerian",
    "symmetric-10x10-giraffe": f"list 10x10 {FEW} rot90 --leaper 1,4",
}


@experiment("pictures", "pictures of tours; --test fails if one differs from what ktour draws", "some seconds")
def pictures(arguments):
    stale = []
    for name, command in PICTURES.items():
        path, picture = results() / f"{name}.svg", run("draw", "-", given=run(*command.split()).out).out
        if not path.exists() or path.read_text(encoding="utf-8") != picture:
            stale.append(f"results/{name}.svg differs from what ktour draws; run scripts/lab run pictures")
            if not arguments.test:
                path.write_text(picture, encoding="utf-8")
    print(*stale, sep="\n", end="\n" * bool(stale))
    return len(stale) if arguments.test else 0
