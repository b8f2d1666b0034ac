"""Files of tours, and drawings of boards."""

import os
import subprocess
import sys
import warnings

import pytest

import ktour
from ktour import Board, Tour

PATH = "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2"


def write(folder, text):
    """Returns the path of a new file with this text."""
    path = folder / "tours.txt"
    path.write_text(text)
    return path


def test_reads_what_the_program_writes(tmp_path, program):
    for words in ["list 5x6 --kind closed", "list 3x4 --kind open --format grid", "list 3x4 --format csv", "list 3x4 --format ndjson"]:
        printed, _ = program(*words.split())
        tours = ktour.read_tours(write(tmp_path, printed))
        kind = "closed" if "closed" in words else "open" if "open" in words else "paths"
        assert set(tours) == set(ktour.tours(words.split()[1], kind))


def test_reads_squares_grids_and_arrays(tmp_path):
    first = ktour.read_tours(write(tmp_path, PATH))
    assert [str(tour) for tour in first] == [PATH] and first[0].kind == "open"
    assert ktour.read_tours(write(tmp_path, "1 4 7 10\n12 9 2 5\n3 6 11 8\n")) == first
    assert ktour.read_tours(str(write(tmp_path, "[[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]]")), board="3x4") == first
    assert ktour.read_tours(write(tmp_path, PATH), board=Board("3x4"), kind="open") == first


def test_coordinates_are_reported(tmp_path):
    pairs = "[(0,0),(1,2),(2,0),(0,1),(1,3),(2,1),(0,2),(2,3),(1,1),(0,3),(2,2),(1,0)]"
    with pytest.warns(UserWarning, match="coordinates row,column"):
        tours = ktour.read_tours(write(tmp_path, pairs))
    assert [str(tour) for tour in tours] == [PATH]
    with pytest.warns(UserWarning, match="x,y"):
        turned = ktour.read_tours(write(tmp_path, pairs), coordinates="x,y")
    assert turned[0].board == Board("4x3")


def test_faults_name_their_lines(tmp_path):
    wrong = PATH.replace("d1 b2", "b2 d1")
    with pytest.raises(ValueError, match=r"line 2: move 7.*3 tours, 1 wrong"):
        ktour.read_tours(write(tmp_path, f"{PATH}\n{wrong}\n{PATH}\n"))
    with pytest.raises(ktour.KtourError, match="no tours"):
        ktour.read_tours(write(tmp_path, "\n"))
    with pytest.raises(ktour.KtourError, match="cannot read"):
        ktour.read_tours(tmp_path / "missing")
    with pytest.raises(ValueError, match="coordinates="):
        ktour.read_tours(write(tmp_path, PATH), coordinates="yx")


def test_programs_are_no_tours(tmp_path):
    for text in ["print(1)", "import os\nprint(1)", "exit(0)", "x[1]", "x = [1]"]:
        with pytest.raises(ktour.InvalidInputError, match="does not begin a tour"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ktour.read_tours(write(tmp_path, text))
    for text in ["1", "a1", "[[1]]", '{"squares": ["a1"]}']:
        assert ktour.read_tours(write(tmp_path, text)) == [Tour("1x1", "a1")]
    assert ktour.read_tours(write(tmp_path, "x = [1]"), board="1x1") == [Tour("1x1", "a1")]


def test_text_is_reported(tmp_path):
    with pytest.warns(UserWarning, match="line 1 is skipped as text: `A tour by Euler`"):
        assert len(ktour.read_tours(write(tmp_path, f"A tour by Euler\n{PATH}\n"))) == 1


def test_shapes_name_their_signs():
    with pytest.raises(ValueError, match="squares= or holes="):
        Board.from_shape("OOO\nOXO\nOOO\n")
    ring = Board("3x3", remove="b2")
    assert Board.from_shape("OOO\nOXO\nOOO\n", squares="O") == Board.from_shape("OOO\nOXO\nOOO\n", holes="X") == ring
    with pytest.warns(UserWarning, match="line 1 is skipped"):
        assert Board.from_shape("ring\n...\n.#.\n...\n") == ring


# Another thread writes to the pipe that the call waits for. Then a call waits for a writer that never comes.
PIPE = f"""
import os, signal, sys, threading, ktour
path = sys.argv[1]
threading.Timer(0.2, lambda: open(path, "w").write("{PATH}")).start()
assert [str(tour) for tour in ktour.read_tours(path)] == ["{PATH}"]
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    ktour.read_tours(path)
except KeyboardInterrupt:
    print("interrupted", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_other_threads_and_signals_run_while_a_pipe_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    words = [sys.executable, "-c", PIPE, str(tmp_path / "pipe")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8")
def test_errors_have_the_exact_name_of_the_file(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    for call in [lambda: ktour.read_tours(path), lambda: ktour.find("5x6").save(os.path.join(path, "tour.svg"))]:
        with pytest.raises(ktour.FileError) as caught:
            call()
        assert caught.value.filename.startswith(path)
