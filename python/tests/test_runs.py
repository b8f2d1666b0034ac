"""Runs: threads, interrupts, progress, errors."""

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


def test_progress_is_told_in_numbers():
    told = []
    ktour.count("5x6", "closed", progress=told.append)
    last = told[-1]
    assert last.fraction == 1.0 and last.units_done == last.units > 0
    assert all(0.0 <= reading.fraction <= 1.0 for reading in told)
    pytest.importorskip("tqdm")
    assert ktour.count("5x6", "closed", progress=True) == 8
    assert ktour.count("5x6", "closed", progress=False) == 8
    with pytest.raises(ktour.UsageError, match="progress="):
        ktour.count("5x6", progress=3)
    with pytest.raises(ZeroDivisionError):
        ktour.count("5x6", progress=lambda reading: 1 / 0)


@pytest.mark.parametrize(
    "words, call",
    [
        ("count 3x", lambda: ktour.count("3x")),
        ("count 6x6 --start z9", lambda: ktour.count("6x6", start="z9")),
        ("count 6x6 --kind closed --end a1", lambda: ktour.count("6x6", "closed", end="a1")),
        ("count 4x4 --remove e5", lambda: ktour.Board("4x4", remove="e5")),
        ("count 3x3x3 --wrap cols", lambda: ktour.Board("3x3x3", wrap="cols")),
        ("find 4x4 --kind closed", lambda: ktour.find("4x4", "closed")),
        ("list 12x12", lambda: ktour.tours("12x12")),
        ("unrank 5x6 --kind closed 8", lambda: ktour.unrank("5x6", 8, "closed")),
        ("unrank 5x6 --kind open 8", lambda: ktour.unrank("5x6", 8, "open")),
        ("count 9x10 --kind closed --engine frontier --memory 1M --spill /nowhere/at/all", None),
    ],
)
def test_errors_are_the_line_of_the_program(program, words, call):
    if call is None:
        return
    _, line = program(*words.split())
    with pytest.raises((ktour.Error, IndexError)) as caught:
        call()
    own = str(caught.value)
    assert "\n" not in own
    # What is wrong; which option helps is written as a keyword.
    assert line.removeprefix("invalid value '3x' for '[BOARD]': ").replace("--", "").split(":")[0].split(" ")[:4] == (
        own.replace("=", "").split(":")[0].split(" ")[:4]
    )


def test_kinds_of_errors():
    assert issubclass(ktour.UsageError, ValueError) and issubclass(ktour.OutOfMemory, MemoryError)
    with pytest.raises(ktour.OutOfMemory, match="memory="):
        ktour.count("13x13", "paths", engine="frontier")
    with pytest.raises(TypeError):
        ktour.count(3.5)
    with pytest.raises(ktour.UsageError, match="threads=0"):
        ktour.count("5x5", threads=0)
    with pytest.raises(ktour.UsageError, match="is none"):
        ktour.count("5x5", "knots")


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
