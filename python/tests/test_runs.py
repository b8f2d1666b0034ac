"""Runs: threads, interrupts, progress, errors."""

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import ktour

LONG = {"board": "8x8", "kind": "closed", "engine": "multipath"}


def test_a_thousand_counts_in_threads():
    boards = [("5x6", "closed", 8), ("5x5", "paths", 864), ("3x10", "closed", 16), ("4x5", "paths", 82)]
    with ThreadPoolExecutor(16) as pool:
        asked = [boards[number % 4] for number in range(1000)]
        found = list(pool.map(lambda one: ktour.count(one[0], one[1]), asked))
    assert found == [number for _, _, number in asked]


def test_the_interpreter_is_free_while_it_counts():
    steps = []
    with ThreadPoolExecutor(1) as pool:
        begun, over = threading.Event(), threading.Event()

        def told(reading):
            begun.set()
            if over.is_set():
                raise InterruptedError

        run = pool.submit(ktour.count, progress=told, **LONG)
        assert begun.wait()
        steps.extend(range(1000))
        over.set()
        with pytest.raises(InterruptedError):
            run.result()
    assert len(steps) == 1000


def interrupt_when_begun():
    """Ctrl-C as soon as the returned function is called for the first time."""
    begun = threading.Event()

    def press():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    return lambda reading: begun.set()


@pytest.mark.parametrize("engine", ["multipath", "frontier", "backtrack"])
def test_an_interrupt_ends_a_count(engine):
    board = "9x10" if engine == "frontier" else "8x8"
    with pytest.raises(KeyboardInterrupt):
        ktour.count(board, "closed", engine=engine, progress=interrupt_when_begun())
    assert ktour.count("5x6", "closed") == 8


def test_an_interrupt_ends_an_index_and_a_list():
    with pytest.raises(KeyboardInterrupt):
        ktour.Index("8x8", "closed", progress=interrupt_when_begun())
    press = interrupt_when_begun()
    with pytest.raises(KeyboardInterrupt):
        for _ in ktour.tours("8x8", "closed"):
            press(None)


def is_interrupted(call):
    """Whether Ctrl-C ends a call that would go on for long."""
    over = threading.Event()

    def press():
        # One that comes while the interpreter runs a callback of its own is swallowed there: it is pressed again.
        for seconds in (0.1, 5, 5, 5):
            if over.wait(seconds):
                break
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        call()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        over.set()
        try:
            thread.join()
        except KeyboardInterrupt:
            thread.join()


@pytest.fixture(scope="module")
def index():
    return ktour.Index("6x7", "closed")


@pytest.fixture(scope="module")
def large():
    return ktour.find("1000x1000")


def endless(graph):
    """A graph that claims more edges than anybody has."""
    return type("Graph", (), {"nodes": range(10), "edges": graph})()


def petersen(n):
    """The generalized Petersen graph (n, 2), which has no closed tour if n is 5 more than a multiple of 6."""
    outer = [(v, (v + 1) % n) for v in range(n)]
    inner = [(n + v, n + (v + 2) % n) for v in range(n)]
    graph = type("Graph", (), {"nodes": range(2 * n), "edges": outer + inner + [(v, n + v) for v in range(n)]})
    return graph()


def ladder(n):
    """Two rows of so many nodes each: large, and with few symmetries."""
    rows = [(v, v + 1) for v in range(2 * n - 1) if v != n - 1]
    return type("Graph", (), {"nodes": range(2 * n), "edges": rows + [(v, v + n) for v in range(n)]})()


LONG_CALLS = {
    "splitting": lambda: ktour.count(ktour.Board("8x8", piece="king"), "closed", engine="multipath", force=True),
    "splitting of prefixes": lambda: ktour.count("10x10", "paths", engine="backtrack", force=True),
    "backtrack": lambda: ktour.count("8x8", "closed", engine="backtrack"),
    "per_start": lambda: ktour.count("8x8", "paths", per_start=True, force=True),
    "distinct": lambda: ktour.count("8x8", "closed", engine="multipath", distinct=True),
    "symmetry": lambda: ktour.count("10x10", "closed", symmetry="rot180"),
    "torus": lambda: ktour.count(ktour.Board("7x8", wrap="torus"), "closed", force=True),
    "planned": lambda: ktour.count("9x9", "paths", engine="frontier", memory="1G", force=True),
    "estimate": lambda: ktour.estimate("10x10", probes=1_000_000),
    "find": lambda: ktour.find(petersen(101), "closed", attempts=10**12),
    "series": lambda: ktour.series("7x2..400", "closed", force=True),
    "series of boards": lambda: ktour.series("8x7..8", "closed", wrap="torus", force=True),
    "recurrence": lambda: ktour.recurrence("7x2..60", order=100_000),
    "recurrence of numbers": lambda: ktour.recurrence([pow(3, n * n, 10**400) for n in range(3000)]),
    "symmetries": lambda: [ktour.Board(ladder(20_000)).symmetries for _ in range(1000)],
    "tours": lambda: sum(1 for _ in ktour.tours("7x7")),
    "to_numpy": lambda: ktour.tours("7x8", start="a1").to_numpy(),
    "symmetric tours": lambda: sum(1 for _ in ktour.tours("8x8", "closed", symmetry="rot180")),
    "from_networkx": lambda: ktour.Board.from_networkx(endless(itertools.repeat((1, 2)))),
    "stats": lambda: ktour.stats("8x8", "closed", force=True),
}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_an_interrupt_ends_whatever_takes_long(name):
    assert is_interrupted(LONG_CALLS[name])


def test_an_interrupt_ends_what_asks_an_index(index):
    assert is_interrupted(lambda: index[:])
    assert is_interrupted(lambda: index.unrank(range(10**6)))
    assert is_interrupted(lambda: index.unrank(itertools.repeat(7)))
    assert is_interrupted(lambda: index.sample(5_000_000))
    tours = index[:200_000]
    assert is_interrupted(lambda: index.rank(itertools.cycle(tours)))
    assert is_interrupted(lambda: index.rank(tours * 3))


def test_an_interrupt_ends_pictures_and_looks(index, large):
    tours = index[:100_000]
    assert is_interrupted(lambda: ktour.sheet(itertools.cycle(tours)))
    assert is_interrupted(lambda: ktour.sheet(tours))
    assert is_interrupted(lambda: [large.svg() for _ in range(1000)])
    assert is_interrupted(lambda: [large.symmetry for _ in range(1000)])
    assert is_interrupted(lambda: [large.canonical() for _ in range(1000)])
    names = list(large)
    assert is_interrupted(lambda: [ktour.Tour("1000x1000", names) for _ in range(1000)])


def test_what_was_left_behind_does_not_spoil_what_comes(index):
    assert is_interrupted(lambda: index.sample(5_000_000))
    assert ktour.count("5x6", "closed") == 8 and index.rank(index[17]) == 17


def test_progress_is_told_in_numbers():
    told = []
    ktour.count("5x6", "closed", progress=told.append)
    last = told[-1]
    assert last.fraction == 1.0 and last.units_done == last.units > 0
    assert all(0.0 <= reading.fraction <= 1.0 for reading in told)
    index = ktour.Index("5x6", "closed")
    for call in [
        lambda told: ktour.find("8x8", progress=told),
        lambda told: ktour.estimate("5x6", progress=told),
        lambda told: ktour.series("5x2..9", progress=told),
        lambda told: ktour.recurrence("3x4..20", progress=told),
        lambda told: ktour.classes("5x6", progress=told),
        lambda told: index.unrank([1, 2], progress=told),
        lambda told: index.rank(index[:3], progress=told),
        lambda told: index.sample(3, progress=told),
        lambda told: index.stats(progress=told),
        lambda told: ktour.sample("5x6", 3, "closed", progress=told),
        lambda told: ktour.unrank("5x6", 3, "closed", progress=told),
        lambda told: ktour.rank(index[3], progress=told),
        lambda told: ktour.stats("5x6", "closed", progress=told),
    ]:
        told = []
        call(told.append)
        assert told and all(isinstance(reading, ktour.Reading) for reading in told)
    pytest.importorskip("tqdm")
    assert ktour.count("5x6", "closed", progress=True) == 8
    assert ktour.count("5x6", "closed", progress=False) == 8
    with pytest.raises(ktour.UsageError, match="progress="):
        ktour.count("5x6", progress=3)
    with pytest.raises(ZeroDivisionError):
        ktour.count("5x6", progress=lambda reading: 1 / 0)


def test_a_function_that_is_told_is_not_closed():
    class Told:
        closed = 0

        def __call__(self, reading):
            assert not self.closed

        def close(self):
            self.closed += 1

    told = Told()
    ktour.sample("5x6", 3, "closed", progress=told)
    assert told.closed == 0


def _in_child(board):
    return ktour.count(board, "closed")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_count():
    assert ktour.count("5x6", "closed") == 8
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_in_child, ["5x6", "3x10", "6x6"]) == [8, 16, 9862]


def test_nothing_is_printed():
    code = "import ktour; ktour.count('6x6'); ktour.find('8x8'); next(ktour.tours('6x6')); ktour.sample('5x5')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
