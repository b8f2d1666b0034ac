"""Forked processes and panics. Every script runs in a process of its own, which is killed if it hangs."""

import os
import signal
import subprocess
import sys

import pytest

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
# A limit for scripts that hang; no test measures time.
HANGS_AFTER_SECONDS = 120

PRELUDE = """
import ktour, multiprocessing, os, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
STARTS, PATHS = ["a1", "c3", "a3"], [304, 64, 56]

def in_child(job):
    'Prints the result of a job in a forked process, or its exception.'
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            print(job())
        except BaseException as error:
            print(type(error).__name__, error)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def run(code):
    """Returns the lines that a script prints."""
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "RUST_BACKTRACE": "0"},
    )
    try:
        out, err = process.communicate(timeout=HANGS_AFTER_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"hangs; printed {out!r} {err!r}")
    assert (process.returncode, err) == (0, "")
    return out.splitlines()


def importable(name):
    """Returns true if a module can be imported."""
    try:
        __import__(name)
    except ImportError:
        return False
    return True


# What the parent does before it forks; `keep` keeps an iterator alive.
PARENTS = {
    "nothing": "",
    "count": "ktour.count('6x6', 'closed')",
    "count-threads": "ktour.count('6x6', 'closed', threads=2)",
    "search": "ktour.count('5x5', engine='multipath')",
    "sample": "ktour.sample('5x5', 'paths', number=3)",
    "tours-finished": "list(ktour.tours('5x5', start='a1'))",
    "tours-dropped": "next(ktour.tours('6x6'))",
    "tours-waiting": "keep = ktour.tours('6x6')",
    "tours-live": "keep = ktour.tours('6x6'); next(keep)",
    "tours-live-1": "keep = ktour.tours('6x6', threads=1); next(keep)",
    "count-live": """
thread = threading.Thread(target=lambda: ktour.count('7x7', 'paths', engine='multipath', force=True), daemon=True)
thread.start()
""",
}


@forks
@pytest.mark.parametrize("parent", PARENTS.values(), ids=PARENTS)
@pytest.mark.parametrize("threads", [None, 1, 2])
def test_pool_of_forked_processes(parent, threads):
    lines = run(f"""
def tours(start): return sum(1 for _ in ktour.tours("5x5", start=start, threads={threads}))
def rows(start): return len(ktour.tours("5x5", start=start, threads={threads}).to_numpy())
def count(start): return ktour.count("5x5", "paths", start=start, threads={threads})
def sample(start): return len(ktour.Index("5x5", start=start, threads={threads}).sample(7, threads={threads}))
def symmetric(start): return sum(1 for _ in ktour.tours("6x6", "closed", symmetry="rot90", threads={threads}))
def rest(_):
    index = ktour.Index("5x5", threads={threads})
    return [ktour.classes("5x6", threads={threads})["total"], ktour.find("8x8", threads={threads}).kind != "",
            ktour.estimate("5x6", threads={threads})["kind"], ktour.series("3x7..10", threads={threads})["3x10"].closed,
            ktour.recurrence("3x4..30", "closed", threads={threads}).order, index[5] in index,
            index.stats(threads={threads}).board.title]
{parent}
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(tours, STARTS) == pool.map(count, STARTS) == PATHS
    if {importable("numpy")}:
        assert pool.map(rows, STARTS) == PATHS
    assert pool.map(sample, STARTS) == [7, 7, 7]
    assert len(set(pool.map(symmetric, STARTS))) == 1
    assert pool.map(rest, STARTS)[0] == rest(None)
print("done", flush=True)
os._exit(0)  # Does not wait for the thread of the parent.
""")
    assert lines == ["done"]


FOREIGN = "KtourError this iterator belongs to the process that called tours()"


@forks
@pytest.mark.parametrize("threads", [None, 1])
def test_iterator_of_another_process(threads):
    lines = run(f"""
import gc
tours = ktour.tours("6x6", threads={threads})
first = next(tours)
def drop():
    global tours
    del tours
    gc.collect()
    return "dropped"
def leave():
    with tours: return "left"
in_child(lambda: next(tours))
in_child(lambda: list(tours))
in_child(lambda: tours.to_numpy())
in_child(lambda: tours.close())
in_child(lambda: (tours.close(), next(tours)))
in_child(leave)
in_child(drop)
in_child(lambda: in_child(lambda: next(tours)))
in_child(lambda: next(ktour.tours("6x6", threads={threads})) == first)
waiting = ktour.tours("5x5", start="a1")
in_child(lambda: next(waiting))
assert sum(1 for _ in waiting) == 304
assert len([tour for _, tour in zip(range(5000), tours)]) == 5000
tours.close()
assert list(tours) == []
""")
    expected = [FOREIGN, FOREIGN, FOREIGN, "None", FOREIGN, "left", "dropped", FOREIGN, "None", "True", FOREIGN]
    if not importable("numpy"):
        expected[2] = "ModuleNotFoundError"
    assert [line[: len(start)] for line, start in zip(lines, expected)] == expected
    assert len(lines) == len(expected)


@forks
def test_child_of_a_child():
    lines = run("""
def count(): return ktour.count("5x6", "closed"), sum(1 for _ in ktour.tours("5x5", start="a1"))
count()
in_child(lambda: (count(), in_child(count), count())[0])
count()
in_child(count)
""")
    assert lines == ["(8, 304)"] * 3


@forks
def test_fork_while_another_thread_iterates():
    lines = run("""
tours = ktour.tours("8x8", "closed", threads=2)
thread = threading.Thread(target=lambda: sum(1 for _ in tours), daemon=True)
thread.start()
for _ in range(20):
    in_child(lambda: (tours.close(), ktour.count("5x6", "closed"), len(list(ktour.tours("5x5", limit=9)))))
tours.close()
thread.join()
""")
    assert lines == ["(None, 8, 9)"] * 20


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
def test_no_call_starts_the_global_pool():
    """With threads=1 no thread outlives its call, so that none is missing in a forked process."""
    lines = run("""
import tempfile, time
ktour.count("6x6", threads=1), ktour.count("6x6", "paths", engine="multipath", threads=1)
ktour.count("5x6", distinct=True, threads=1), ktour.count("6x6", "closed", symmetry="rot90", threads=1)
ktour.count("5x5", engine="backtrack", per_start=True, threads=1), ktour.count("6x6", modulus=7, threads=1)
with tempfile.TemporaryDirectory() as folder:
    ktour.count("6x6", "closed", checkpoint=folder + "/file", threads=1)
    ktour.Index("5x5", folder=folder + "/index", threads=1).sample(5, threads=1)
ktour.count("6x6", memory="64M", progress=lambda reading: None, threads=1)
ktour.classes("6x6", threads=1), ktour.estimate("6x6", threads=1), ktour.find("20x20", threads=1)
ktour.series("5x5..8", threads=1), ktour.series("3x4..12", "open", threads=1)
ktour.series(["5x6", "6x6"], "closed", distinct=True, threads=1)
ktour.recurrence("3x4..30", "closed", threads=1), ktour.recurrence([1, 2, 4, 8, 16, 32, 64], threads=1)
index = ktour.Index("5x5", threads=1)
tours = index.sample(5, threads=1)
index.rank(tours, threads=1), index.unrank([1, 2], threads=1), index.stats(threads=1)
index.sample(5, distinct=True, threads=1), ktour.sheet(tours)
list(ktour.tours("5x5", threads=1)), list(ktour.tours("5x6", distinct=True, threads=1))
list(ktour.tours("6x6", "closed", symmetry="rot90", threads=1))
list(ktour.tours("5x5", moves="2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1", threads=1))
next(ktour.tours("6x6", threads=1))
while len(os.listdir("/proc/self/task")) > 1:
    time.sleep(0.01)
print("alone")
""")
    assert lines == ["alone"]


def test_panic_is_an_error():
    lines = run("""
from ktour._ktour import _panic
for message in ["index out of bounds:\\n the len is 3", ""]:
    try:
        _panic(message)
    except ktour.KtourError as error:
        print(type(error) is ktour.KtourError, error)
print(ktour.count("5x6", "closed"))
""")
    assert len(lines) == 3 and lines[2] == "8"
    for line, message in zip(lines, ["index out of bounds: the len is 3 (", "("]):
        assert line.startswith("True internal error: " + message)
        assert "python/src/job_runner.rs" in line or "src/job_runner.rs" in line
        assert line.endswith("this is a bug in ktour, please report it")


def test_panic_backtrace_on_request():
    code = "from ktour._ktour import _panic\n_panic('on purpose')"
    environment = {**os.environ, "RUST_BACKTRACE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "stack backtrace" in done.stderr and "ktour.KtourError" in done.stderr
