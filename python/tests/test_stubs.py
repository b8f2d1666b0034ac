"""The stubs of the extension module agree with it, and programs of users pass a type checker."""

import ast
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import venv

import pytest

import ktour
from ktour import _ktour

STUBS = ast.parse((pathlib.Path(ktour.__file__).parent / "_ktour.pyi").read_text())

PROGRAM = '''
import pathlib
from typing import Any, Dict, List, Optional, Union

import networkx as nx
import numpy as np

import ktour

def number(board: ktour.BoardLike, kind: ktour.Kind) -> int:
    return ktour.count(board, kind, engine="frontier", memory="1G", checkpoint=pathlib.Path("run"))

all_kinds: ktour.Counts = ktour.count("6x6")
starts: Dict[Any, int] = ktour.count("5x5", "paths", per_start=True)
graph: "nx.Graph[int]" = nx.Graph([(1, 2), (2, 3), (1, 3)])
cycles: int = ktour.count(graph, "closed") + ktour.count({1: [2, 3], 2: [3]}, "closed")
converted: int = ktour.count(ktour.Board("5x5").to_networkx(), "closed")
boards: List[ktour.Board] = [ktour.Board(graph), ktour.Board(8), ktour.Board((6, 8), wrap="torus", leaper=(1, 4))]
tour: ktour.Tour = ktour.find("8x8", "closed", seed=1)
again: List[ktour.Tour] = [ktour.Tour.from_numpy("8x8", tour.to_numpy()), ktour.Tour.from_grid("8x8", tour.grid())]
tree: ktour.TourTree = ktour.tour_tree("5x5", begin=["a1"], depth=2)
tree = ktour.tour_tree("5x5", begin="a1 b3", depth=1)
boards += [ktour.Board({(1, 2), (2, 3)}), ktour.Board([[1, 2], [2, 3]]), ktour.Board({frozenset((1, 2))})]
boards += [ktour.Board(iter([(1, 2)])), ktour.Board(np.array([[1, 2], [2, 3]])), ktour.Board((np.int64(5), 6))]
boards += [ktour.Board("5x6", wrap="cylinder"), ktour.Board(np.int64(5))]
numbered: ktour.Tour = ktour.unrank("5x6", "closed", numbers=np.int64(3))
several: List[ktour.Tour] = ktour.unrank("5x6", "closed", numbers=np.arange(3))
frame: Any = ktour.series("5x6..8", "closed").to_frame()
ktour.stats("5x6").total = 5  # type: ignore[misc]
tree.total = 5  # type: ignore[misc]
ktour.unrank("5x6", "open", numbers=3)  # type: ignore[call-overload]
again += [ktour.Tour("8x8", tour), ktour.Tour.from_numpy("5x5", ktour.tours("5x5").to_numpy()[0])]
ranks: List[int] = ktour.rank(ktour.sample("5x6", "closed", number=3))
one: int = ktour.rank(ktour.unrank("5x6", "closed", numbers=3))
index = ktour.Index("5x6", "closed", folder="index")
first: ktour.Tour = index[0]
some: List[ktour.Tour] = index[:3]
picture: ktour.Svg = ktour.sheet(some)
growth: Optional[float] = ktour.recurrence("3x4..20", "closed").growth
uses: int = ktour.stats("5x6").moves["a1", "b3"]
lengths: Dict[str, int] = ktour.series(["5x6", "5x7..8"], "closed")
memory = ktour.estimate("6x6")["sweep"]
total: int = tree["b3"].total + sum(node.total for node in tree.values())
paths: "nx.DiGraph[Any]" = tree.to_networkx()
drawn: ktour.Svg = boards[0].svg()
def run(flag: bool, progress: Union[ktour.Progress, None] = None) -> object:
    return ktour.count("5x5", "paths", per_start=flag, progress=progress)
def show(reading: ktour.Reading) -> None:
    print(reading.fraction)
run(True, show)
ktour.count("6x6", "knots")  # type: ignore[call-overload]
try:
    pass
except (ktour.FileError, ktour.OutOfMemoryError) as error:
    print(error)
'''


def parameters(function):
    """Returns the names of the parameters in a stub, with their defaults or None."""
    arguments = function.args
    names = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    pairs = list(zip(names, [None] * (len(names) - len(arguments.defaults)) + arguments.defaults))
    pairs += zip([argument.arg for argument in arguments.kwonlyargs], arguments.kw_defaults)
    literal = lambda default: inspect.Parameter.empty if default is None else ast.literal_eval(default)
    return {name: literal(default) for name, default in pairs if name not in ("self", "cls")}


def actual_parameters(thing):
    """Returns the names of the parameters of a function or class of the module, with their defaults."""
    try:
        found = inspect.signature(thing).parameters.values()
    except ValueError:
        pytest.skip("this Python cannot inspect classes in Rust")
    return {one.name: one.default for one in found if one.name not in ("self", "slf")}


def test_all_names_have_stubs():
    named = {node.name for node in STUBS.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert named == {name for name in vars(_ktour) if not name.startswith("_")}


@pytest.mark.parametrize("node", [node for node in STUBS.body if isinstance(node, ast.FunctionDef)], ids=lambda n: n.name)
def test_parameters_of_functions_match_stubs(node):
    assert parameters(node) == actual_parameters(getattr(_ktour, node.name))


@pytest.mark.parametrize("node", [node for node in STUBS.body if isinstance(node, ast.ClassDef)], ids=lambda n: n.name)
def test_parameters_of_methods_match_stubs(node):
    owner = getattr(_ktour, node.name)
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    hidden = {name for name in vars(owner) if name.startswith("_") and not name.startswith("__")}
    assert {name for name in vars(owner) if not name.startswith("_")} | hidden == {
        name for name in methods if not name.startswith("__")
    }
    for name, method in methods.items():
        if name == "__new__":
            assert parameters(method) == actual_parameters(owner)
        elif not name.startswith("__") and callable(getattr(owner, name)):
            assert parameters(method) == actual_parameters(getattr(owner, name)), name


# Keywords in the order that they have in every function, and those without which a function has no result.
KEYWORDS = """board kind coordinates mixed distinct directed symmetry start end begin depth per_start columns cell numbers number
limit moves palette animate seed rule attempts probes engine modulus piece leaper wrap order folder memory threads
checkpoint progress force""".split()
REQUIRED = ["begin", "depth", "numbers"]


def test_functions_have_one_order_and_one_default_of_arguments():
    functions = [thing for name, thing in vars(ktour).items() if name in ktour.__all__ and inspect.isfunction(thing)]
    defaults = {}
    for function in [*functions, ktour.Index]:
        name, arguments = function.__name__, inspect.signature(function).parameters.values()
        keywords = [one for one in arguments if one.kind is one.KEYWORD_ONLY]
        assert [one.name for one in keywords] == sorted((one.name for one in keywords), key=KEYWORDS.index), name
        if keywords and name not in ("rank", "read_tours", "sheet"):
            assert len(arguments) == len(keywords) + 2, f"{name} has more than board and kind without keyword"
        for one in keywords:
            if one.default is one.empty or one.name == "numbers":
                assert one.name in REQUIRED or name == "sheet", f"{name} {one.name}"
            elif name != "read_tours":
                assert defaults.setdefault(one.name, one.default) == one.default, f"{name} {one.name}"


def test_programs_pass_mypy_without_numpy(tmp_path):
    """The stubs give no error in an environment that has only ktour."""
    pytest.importorskip("mypy")
    program = "import ktour\nfirst: ktour.Tour = next(ktour.tours('5x5'))\ntable = first.to_numpy()\n"
    (tmp_path / "program.py").write_text(program)
    venv.create(tmp_path / "venv", symlinks=True)
    python = next(path for path in tmp_path.glob("venv/*/python*") if path.stem == "python")
    words = ["-m", "mypy", "--strict", "--python-executable", str(python), "--cache-dir", str(tmp_path / "cache")]
    # As source of the program, so that errors in the package itself are reported.
    shutil.copytree(pathlib.Path(ktour.__file__).parent, tmp_path / "packages" / "ktour")
    words = [sys.executable, *words, "--disable-error-code=import-untyped", "program.py"]
    folder = {**os.environ, "MYPYPATH": str(tmp_path / "packages")}
    done = subprocess.run(words, cwd=tmp_path, env=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_programs_of_users_pass_mypy(tmp_path):
    pytest.importorskip("mypy")
    pytest.importorskip("networkx")
    pytest.importorskip("numpy")
    (tmp_path / "program.py").write_text(PROGRAM)
    words = ["-m", "mypy", "--strict", "--disable-error-code=import-untyped", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
