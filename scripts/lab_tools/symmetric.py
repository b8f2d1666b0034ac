"""Numbers of symmetric and distinct tours that were not published before, counted by two methods if possible."""

from .experiments import chosen, experiment, section
from .runs import append, newest, run

# Boards, second methods, and whether all closed tours are counted twice, once, or not at all.
WORK = [
    ("6x8", "multipath", "twice"),
    ("6x10", "multipath", "twice"),
    ("8x8", "transposed", "twice"),
    ("6x12", "transposed", "twice"),
    ("8x10", "transposed", "twice"),
    ("6x14", "transposed", "twice"),
    ("8x12", "transposed", "once"),
    ("10x10", "theorems", None),
]
# Second methods as shown in the table, if not by their name.
SECOND = {"transposed": "transposed board, same engine", "theorems": "none, theorems hold"}


def count_symmetric(board, symmetry, *more):
    """Returns the number of closed tours with a symmetry, or of their classes, and the cost."""
    done = run("count", board, "--kind", "closed", "--symmetry", symmetry, *more)
    return int(done.out), done.cost()


def second_count(board, method, quarter):
    """Counts the tours with a half turn by the second method. Returns the number, or None, and the cost."""
    if method == "multipath":
        return count_symmetric(board, "rot180", "--engine", "multipath")
    if method == "transposed":
        return count_symmetric("x".join(reversed(board.split("x"))), "rot180", "--engine", "frontier")
    # Only the tours that are also invariant under a quarter turn are few enough for a search. ktour has checked that the
    # number of the others is a multiple of four.
    again, cost = count_symmetric(board, "rot90", "--engine", "multipath")
    assert again == quarter, f"{board}: {quarter} tours with a quarter turn by the sweep, {again} by the search"
    return None, cost


@experiment("symmetric", "symmetric and distinct closed tours, counted twice", "ten minutes")
def symmetric(arguments):
    for board, method, whole in chosen(arguments, WORK):
        half, cost = count_symmetric(board, "rot180", "--engine", "frontier")
        classes, _ = count_symmetric(board, "rot180", "--engine", "frontier", "--distinct")
        rows, cols = map(int, board.split("x"))
        quarter = count_symmetric(board, "rot90", "--engine", "frontier")[0] if rows == cols else 0
        again, second = second_count(board, method, quarter)
        assert again in (half, None), f"{board}: {half} and {again} do not agree"
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


@section("symmetric", "results/symmetric.md", "numbers")
def symmetric_rows():
    found = newest("symmetric", "board")
    for board, *_ in WORK:
        entry = found[board]
        number = lambda name: f"{int(entry[name]):,}" if entry[name] else "-"
        numbers = {name: number(name) for name in ("rot180", "rot180_classes", "distinct", "closed")}
        literature = "McKay 1997" if board == "8x8" else "not found"
        second = SECOND.get(entry["second"]["how"], entry["second"]["how"])
        yield {**entry, **numbers, "second_name": second, "literature": literature}
