"""Reads the lines about layers that a sweep prints with --verbose."""

import csv
import re

from records import RESULTS

STEP = re.compile(
    r"step (\d+) of (\d+): frontier (\d+), (\d+) states in (\d+) weights of up to (\d+) bits, "
    r"(\d+) transitions, (\d+) signatures \((\d+) pruned, (\d+) folded\), ([\d.]+) MB and ([\d.]+) MB stored, ([\d.]+) s"
)
HEAD = (
    "step steps frontier states weights bits transitions signatures pruned folded megabytes stored_megabytes seconds"
).split()


def layer_totals(text):
    """Returns sums and maxima over all steps in the output of a run. If a step is repeated after a resumption, its
    last line counts."""
    found, sweep, ended = {}, 0, False
    for step in STEP.findall(text):
        sweep += ended
        ended = step[0] == step[1]
        found[sweep, step[0]] = dict(zip(HEAD, map(float, step)))
    steps = list(found.values())
    most = lambda name: max(step[name] for step in steps)
    fullest = max(steps, key=lambda step: step["stored_megabytes"])
    return {
        "states": int(sum(step["states"] for step in steps)),
        "weights": int(sum(step["weights"] for step in steps)),
        "transitions": int(sum(step["transitions"] for step in steps)),
        "peak_states": int(most("states")),
        "peak_weights": int(most("weights")),
        "peak_megabytes": most("megabytes"),
        "peak_stored_megabytes": fullest["stored_megabytes"],
    }


def write_steps(name, text):
    """Writes all steps in the output of a run to results/steps-NAME.csv."""
    newest = {step[0]: step for step in STEP.findall(text)}
    with open(RESULTS / f"steps-{name}.csv", "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(HEAD)
        rows.writerows(newest.values())
