"""Runs: threads, interrupts, progress and forked processes."""

import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import ktour

LONG = {"board": "8x8", "kind": "closed", "engine": "multipath"}


def test_thousand_counts_in_threads():
    boards = [("5x6", "closed", 8), ("5x5", "paths", 864), ("3x10", "closed", 16), ("4x5", "paths", 82)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [boards[number % 4] for number in range(1000)]
        found = list(pool.map(lambda job: ktour.count(job[0], job[1]), jobs))
    assert found == [number for _, _, number in jobs]


def test_other_threads_run_during_a_count():
    steps = []
    with ThreadPoolExecutor(1) as pool:
        begun, over = threading.Event(), threading.Event()

        def on_progress(reading):
            begun.set()
            if over.is_set():
                raise InterruptedError

        run = pool.submit(ktour.count, progress=on_progress, **LONG)
        assert begun.wait()
        steps.extend(range(1000))
        over.set()
        with pytest.raises(InterruptedError):
            run.result()
    assert len(steps) == 1000


def test_other_threads_run_during_a_long_loop():
    # The loop is over when this thread gets the interpreter lock, unless it is released meanwhile.
    board, waiting = ktour.Board("3000x3000"), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        listed = pool.submit(lambda: waiting.set() or len(board.squares))
        assert waiting.wait()
        ran = sum(1 for _ in itertools.takewhile(lambda _: not listed.done(), iter(lambda: time.sleep(0), 1)))
        assert listed.result() == 9_000_000
    assert ran > 1


def interrupt_when_begun():
    """Returns a function whose first call presses Ctrl-C."""
    begun = threading.Event()

    def press():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    return lambda reading: begun.set()


@pytest.mark.parametrize("engine", ["multipath", "frontier", "backtrack"])
def test_interrupt_stops_a_count(engine):
    board = "9x10" if engine == "frontier" else "8x8"
    with pytest.raises(KeyboardInterrupt):
        ktour.count(board, "closed", engine=engine, progress=interrupt_when_begun())
    assert ktour.count("5x6", "closed") == 8


def test_interrupt_stops_an_index_and_an_iterator():
    with pytest.raises(KeyboardInterrupt):
        ktour.Index("8x8", "closed", progress=interrupt_when_begun())
    press = interrupt_when_begun()
    with pytest.raises(KeyboardInterrupt):
        for _ in ktour.tours("8x8", "closed"):
            press(None)


def test_interrupt_does_not_wait_for_the_plan_of_tours():
    tours, sent = ktour.tours("10x10", "closed"), []

    def press():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.2, press).start()
    # The first tour takes about two seconds.
    with pytest.raises(KeyboardInterrupt):
        for _ in tours:
            pass
    assert time.monotonic() - sent[0] < 0.7 and next(tours, None) is None


def is_interrupted(call):
    """Returns True if Ctrl-C stops a long call."""
    over, running = threading.Event(), True

    def handler(*_):
        # A press that comes after the call must not stop the test.
        if running:
            raise KeyboardInterrupt

    def press():
        # An interrupt during a callback of the interpreter is lost, so Ctrl-C is pressed again.
        for seconds in (0.1, 5, 5, 5):
            if over.wait(seconds):
                break
            os.kill(os.getpid(), signal.SIGINT)

    earlier = signal.signal(signal.SIGINT, handler)
    thread = threading.Thread(target=press)
    thread.start()
    try:
        call()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        running = False
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, earlier)


@pytest.fixture(scope="module")
def index():
    return ktour.Index("6x7", "closed")


@pytest.fixture(scope="module")
def large():
    return ktour.find("1000x1000")


def endless(graph):
    """Returns a graph with an endless iterator of edges."""
    return type("Graph", (), {"nodes": range(10), "edges": graph})()


def petersen(n):
    """Returns the generalized Petersen graph (n, 2), which has no closed tour if n is 5 modulo 6."""
    outer = [(v, (v + 1) % n) for v in range(n)]
    inner = [(n + v, n + (v + 2) % n) for v in range(n)]
    graph = type("Graph", (), {"nodes": range(2 * n), "edges": outer + inner + [(v, n + v) for v in range(n)]})
    return graph()


def ladder(n):
    """Returns a ladder with two rows of n nodes: large, and with few symmetries."""
    rows = [(v, v + 1) for v in range(2 * n - 1) if v != n - 1]
    return type("Graph", (), {"nodes": range(2 * n), "edges": rows + [(v, v + n) for v in range(n)]})()


LONG_CALLS = {
    "splitting": lambda: ktour.count(ktour.Board("8x8", piece="king"), "closed", engine="multipath", force=True),
    "splitting of prefixes": lambda: ktour.count("10x10", "paths", engine="backtrack", force=True),
    "backtrack": lambda: ktour.count("8x8", "closed", engine="backtrack", force=True),
    "per_start": lambda: ktour.count("8x8", "paths", per_start=True, force=True),
    "distinct": lambda: ktour.count("8x8", "closed", engine="multipath", distinct=True),
    "symmetry": lambda: ktour.count("10x10", "closed", symmetry="rot180"),
    "torus": lambda: ktour.count(ktour.Board("7x8", wrap="torus"), "closed", force=True),
    "planned": lambda: ktour.count("9x9", "paths", engine="frontier", memory="1G", force=True),
    "estimate": lambda: ktour.estimate("10x10", probes=1_000_000),
    "find": lambda: ktour.find(petersen(101), "closed", attempts=10**12),
    "series": lambda: ktour.series("7x2..400", "closed", force=True),
    "series of boards": lambda: ktour.series("8x7..8", "closed", wrap="torus", force=True),
    "recurrence": lambda: ktour.recurrence("7x2..60", "closed", order=100_000),
    "recurrence of numbers": lambda: ktour.recurrence([pow(3, n * n, 10**400) for n in range(3000)]),
    "symmetries": lambda: [ktour.Board(ladder(20_000)).symmetries for _ in range(1000)],
    "tours": lambda: sum(1 for _ in ktour.tours("7x7")),
    "to_numpy": lambda: ktour.tours("7x8", start="a1").to_numpy(),
    "symmetric tours": lambda: sum(1 for _ in ktour.tours("8x8", "closed", symmetry="rot180")),
    "from_networkx": lambda: ktour.Board.from_networkx(endless(itertools.repeat((1, 2)))),
    "stats": lambda: ktour.stats("8x8", "closed", force=True),
    "squares": lambda: ktour.Board("6000x6000").squares,
    "moves": lambda: ktour.Board("2000x2000").moves(),
}


@pytest.mark.parametrize("name", LONG_CALLS)
def test_interrupt_stops_long_calls(name):
    if name == "to_numpy":
        # An interrupted import of numpy cannot be repeated in the same process.
        pytest.importorskip("numpy")
    assert is_interrupted(LONG_CALLS[name])


def test_interrupt_stops_index_methods(index):
    assert is_interrupted(lambda: index[:])
    assert is_interrupted(lambda: index.unrank(range(10**6)))
    assert is_interrupted(lambda: index.unrank(itertools.repeat(7)))
    assert is_interrupted(lambda: index.sample(5_000_000))
    tours = index[:200_000]
    assert is_interrupted(lambda: index.rank(itertools.cycle(tours)))
    assert is_interrupted(lambda: index.rank(tours * 3))


def test_interrupt_stops_pictures_and_tour_properties(index, large):
    tours = index[:100_000]
    assert is_interrupted(lambda: ktour.sheet(itertools.cycle(tours)))
    assert is_interrupted(lambda: ktour.sheet(tours))
    assert is_interrupted(lambda: [large.svg() for _ in range(1000)])
    assert is_interrupted(lambda: [large.symmetry for _ in range(1000)])
    assert is_interrupted(lambda: [large.canonical() for _ in range(1000)])
    names = list(large)
    assert is_interrupted(lambda: [ktour.Tour("1000x1000", names) for _ in range(1000)])


def test_abandoned_job_does_not_affect_later_calls(index):
    assert is_interrupted(lambda: index.sample(5_000_000))
    assert ktour.count("5x6", "closed") == 8 and index.rank(index[17]) == 17


def test_progress_function_receives_readings():
    readings = []
    ktour.count("5x6", "closed", progress=readings.append)
    last = readings[-1]
    assert last.fraction == 1.0 and last.units_done == last.units > 0
    assert all(0.0 <= reading.fraction <= 1.0 for reading in readings)
    index = ktour.Index("5x6", "closed")
    for call in [
        lambda progress: ktour.find("8x8", progress=progress),
        lambda progress: ktour.estimate("5x6", progress=progress),
        lambda progress: ktour.series("5x2..9", progress=progress),
        lambda progress: ktour.recurrence("3x4..20", "closed", progress=progress),
        lambda progress: ktour.classes("5x6", progress=progress),
        lambda progress: index.unrank([1, 2], progress=progress),
        lambda progress: index.rank(index[:3], progress=progress),
        lambda progress: index.sample(3, progress=progress),
        lambda progress: index.stats(progress=progress),
        lambda progress: ktour.sample("5x6", "closed", number=3, progress=progress),
        lambda progress: ktour.unrank("5x6", "closed", numbers=3, progress=progress),
        lambda progress: ktour.rank(index[3], progress=progress),
        lambda progress: ktour.stats("5x6", "closed", progress=progress),
    ]:
        readings = []
        call(readings.append)
        assert readings and all(isinstance(reading, ktour.Reading) for reading in readings)
    pytest.importorskip("tqdm")
    assert ktour.count("5x6", "closed", progress=True) == 8
    assert ktour.count("5x6", "closed", progress=False) == 8
    with pytest.raises(TypeError, match="progress"):
        ktour.count("5x6", progress=3)
    with pytest.raises(ZeroDivisionError):
        ktour.count("5x6", progress=lambda reading: 1 / 0)


def test_progress_function_is_not_closed():
    class Receiver:
        closed = 0

        def __call__(self, reading):
            assert not self.closed

        def close(self):
            self.closed += 1

    receiver = Receiver()
    ktour.sample("5x6", "closed", number=3, progress=receiver)
    assert receiver.closed == 0


def _in_child(board):
    return ktour.count(board, "closed")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_can_count():
    assert ktour.count("5x6", "closed") == 8
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_in_child, ["5x6", "3x10", "6x6"]) == [8, 16, 9862]


def test_nothing_is_printed():
    code = "import ktour; ktour.count('6x6'); ktour.find('8x8'); next(ktour.tours('6x6')); ktour.sample('5x5')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
