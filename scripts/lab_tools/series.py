"""Recurrences of series of boards."""

import csv

from .experiments import chosen, experiment, section
from .runs import append, build, newest, results, run

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


@experiment(
    "recurrences", "recurrences of series of boards, and their growth", "up to 15 minutes for each series without a record"
)
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


@section("recurrences", "results/recurrences.md", "recurrences")
def recurrence_rows():
    found = newest("recurrences", "family")
    for name, source in published().items():
        entry = {**dict.fromkeys(("growth", "states", "wall_seconds", "peak_kib")), **found[name], "published": source}
        order, proof = order_and_proof(entry)
        yield {**entry, "order": order, "proof": proof, "mib": entry["peak_kib"] and entry["peak_kib"] / 1024}
