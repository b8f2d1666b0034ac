"""Measures how many states a folding by translations saves.

Sweeps the closed knight's tours of a cylinder square by square, with all states or with one of all images after every
row. For small boards; takes some seconds."""

STEPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
INNER = -1


def moves(rows, cols):
    """Returns, for every square of the cylinder, the later squares that are a move away."""
    near = [set() for _ in range(rows * cols)]
    for square in range(rows * cols):
        for up, right in STEPS:
            row, col = square // cols + up, (square + right) % cols
            if 0 <= row < rows:
                near[square].add(row * cols + (square % cols + right) % cols)
    return [sorted(to for to in near[square] if to > square) for square in range(rows * cols)]


def add_move(mates, v, w):
    """Returns the state with the move from v to w added, or None if the move closes a cycle."""
    a, b = mates.get(v, v), mates.get(w, w)
    if a == w:
        return None
    mates = {**mates, v: INNER, w: INNER}
    mates[a], mates[b] = b, a
    return mates


def canonical_state(state, cols):
    """Returns the smallest image of a state under translations and reflections along the rows."""
    best = None
    for shift in range(cols):
        for turn in (1, -1):
            to = lambda v: v if v == INNER else v // cols * cols + (v % cols * turn + shift) % cols
            image = tuple(sorted((to(v), to(mate)) for v, mate in state))
            best = image if best is None or image < best else best
    return best


def sweep(rows, cols, is_folded):
    """Returns the number of closed tours and the sum of states over all squares. A state maps the unfinished end and
    inner squares to their mates."""
    later = moves(rows, cols)
    layer, states, tours = {(): 1}, 0, 0
    for v in range(rows * cols):
        rest = range(v + 1, rows * cols)
        reached = {}
        for state, weight in layer.items():
            mates = dict(state)
            free = [w for w in later[v] if mates.get(w) != INNER]
            missing = 0 if mates.get(v) == INNER else 1 if v in mates else 2
            choices = {0: [()], 1: [(w,) for w in free], 2: [(w, x) for w in free for x in free if w < x]}[missing]
            for choice in choices:
                found, ends = mates, 0
                for w in choice:
                    if found.get(v, v) == w:
                        # A closed tour visits all squares.
                        ends = all(found.get(x) == INNER for x in rest if x != w)
                        found = None
                        break
                    found = add_move(found, v, w)
                if found is None:
                    tours += weight * ends
                    continue
                key = tuple(sorted((x, mate) for x, mate in found.items() if x != v))
                reached[key] = reached.get(key, 0) + weight
        if is_folded and (v + 1) % cols == 0:
            folded = {}
            for state, weight in reached.items():
                image = canonical_state(state, cols)
                folded[image] = folded.get(image, 0) + weight
            reached = folded
        layer, states = reached, states + len(reached)
    return tours, states


def compare(rows, cols):
    """Sweeps with and without folding, which must agree, and returns a record."""
    (tours, plain), (same, folded) = sweep(rows, cols, False), sweep(rows, cols, True)
    assert tours == same
    return {"tours": str(tours), "states": plain, "folded": folded}
