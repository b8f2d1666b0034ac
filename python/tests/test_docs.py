"""Docstrings: each has numpydoc sections that match the signature, and examples that print what they show."""

import ast
import doctest
import inspect
import os
import pathlib
import typing

import pytest

import ktour
import stub_docstrings
from ktour import _ktour

SECTIONS = ["Parameters", "Attributes", "Returns", "Raises", "See Also", "Examples"]


def public():
    """Returns a dict from the names of public functions, classes, methods and properties to these."""
    found = {}
    for name in ktour.__all__:
        thing = getattr(ktour, name)
        if name != "Square" and (inspect.isclass(thing) or inspect.isroutine(thing)):
            found[name] = thing
        if not inspect.isclass(thing) or thing is ktour.GraphLike:
            continue
        # Sorted, because the attributes of classes in Rust have another order in each process.
        for attribute, value in sorted(vars(thing).items()):
            is_documented = callable(value) or isinstance(value, (classmethod, staticmethod, property))
            is_descriptor = type(value).__name__ in ("getset_descriptor", "method_descriptor")
            if not attribute.startswith("_") and (is_documented or is_descriptor):
                found[f"{name}.{attribute}"] = getattr(thing, attribute)
    return found


PUBLIC = public()
CALLABLE = {name: thing for name, thing in PUBLIC.items() if callable(thing)}
EXCEPTIONS = [name for name in ktour.__all__ if name.endswith("Error")]


def sections(text):
    """Returns a dict from the names of the sections of a docstring to their lines."""
    lines = inspect.cleandoc(text).splitlines()
    heads = [at for at, line in enumerate(lines[1:]) if line and set(line) == {"-"}]
    ends = [*heads[1:], len(lines)]
    return {lines[at]: lines[at + 2 : end] for at, end in zip(heads, ends)}


def entries(lines):
    """Returns the names that the entries of a section document."""
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name for head in heads for name in head.split(", ")]


def signature(thing):
    """Returns the parameters of a function or class. Python 3.9 does not know those of classes in Rust."""
    try:
        return inspect.signature(thing).parameters
    except ValueError:
        return None


def parameters(thing):
    """Returns the names of the parameters of a function or class."""
    found = signature(thing)
    if found is None:
        pytest.skip("this Python cannot inspect the class")
    return [name for name in found if name not in ("self", "cls", "slf")]


def test_names_of_exceptions_end_in_error():
    classes = [name for name in ktour.__all__ if inspect.isclass(getattr(ktour, name))]
    assert EXCEPTIONS == [name for name in classes if issubclass(getattr(ktour, name), BaseException)]


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_begin_with_a_summary_and_have_known_sections(name):
    text = inspect.getdoc(PUBLIC[name])
    assert text and text.splitlines()[0].rstrip(".") and text.splitlines()[0].endswith(".")
    assert all(len(line) <= 120 for line in text.splitlines())
    found = list(sections(text))
    assert found == [section for section in SECTIONS if section in found]


@pytest.mark.parametrize("name", [name for name in CALLABLE if name not in EXCEPTIONS])
def test_documented_parameters_match_the_signature(name):
    thing = CALLABLE[name]
    found = sections(inspect.getdoc(thing))
    if inspect.isclass(thing) and issubclass(thing, tuple):
        assert entries(found["Attributes"]) == list(thing._fields)
        return
    if thing in (ktour.Tours, ktour.TourTree, ktour.Svg, ktour.Stats, ktour.SeriesCounts, ktour.GraphLike):
        # Users do not create these.
        return
    assert sorted(entries(found.get("Parameters", []))) == sorted(parameters(thing))
    if not inspect.isclass(thing) and name not in ("Tours.close", "Svg.save", "Tour.save"):
        assert found["Returns"]


@pytest.mark.parametrize("name", [name for name in CALLABLE if ">>>" in inspect.getdoc(CALLABLE[name])])
def test_examples_of_docstrings(name):
    pytest.importorskip("numpy")
    pytest.importorskip("networkx")
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(CALLABLE[name]), {"ktour": ktour}, name, None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_all_functions_have_examples():
    functions = [name for name, thing in CALLABLE.items() if not inspect.isclass(thing)]
    without = ["Tour.count", "Board.count", "Index.count", "Tours.close", "Svg.save"]
    assert sorted(name for name in functions if ">>>" not in inspect.getdoc(CALLABLE[name])) == sorted(without)


def test_kind_is_the_second_argument_with_one_default():
    signed = {name: signature(thing) for name, thing in CALLABLE.items() if name not in EXCEPTIONS}
    with_kind = {name: list(found.values()) for name, found in signed.items() if found}
    with_kind = {name: found for name, found in with_kind.items() if any(one.name == "kind" for one in found)}
    with_kind = {name: found for name, found in with_kind.items() if name not in ("read_tours", "Stats")}
    assert len(with_kind) == 14, list(with_kind)
    for name, found in with_kind.items():
        assert [one.name for one in found[:2]] in (["board", "kind"], ["boards", "kind"]), name
        default = found[1].default
        assert default == {"count": None, "series": None}.get(name, "paths"), name
    seeds = [found.get("seed") for found in signed.values() if found]
    assert all(seed.default is None for seed in seeds if seed)


@pytest.mark.parametrize("name", [name for name in CALLABLE if inspect.isfunction(CALLABLE[name])])
def test_types_can_be_evaluated(name):
    if name not in ("Board.to_networkx", "TourTree.to_networkx"):
        assert "return" in typing.get_type_hints(CALLABLE[name])


def test_classes_and_functions_are_those_of_the_public_module():
    for name in ktour.__all__:
        thing = getattr(ktour, name)
        if inspect.isclass(thing) and name != "Square" or inspect.isfunction(thing):
            assert thing.__module__ == "ktour", name
    assert "ForwardRef" not in str(inspect.signature(ktour.Reading))


def test_types_of_attributes_can_be_evaluated():
    for thing in (getattr(ktour, name) for name in ktour.__all__):
        if inspect.isclass(thing):
            assert not any(isinstance(hint, str) for hint in getattr(thing, "__annotations__", {}).values())
            typing.get_type_hints(thing)


def test_docstrings_of_the_stubs_are_those_of_the_module():
    if os.environ.get("STORE_STUBS"):
        stub_docstrings.store(pathlib.Path(__file__).resolve().parents[1] / "lib" / "ktour" / "_ktour.pyi")
        return
    stubs = ast.parse((pathlib.Path(ktour.__file__).parent / "_ktour.pyi").read_text())
    for node in stubs.body:
        if isinstance(node, ast.ClassDef) and node.name in ("Tour", "Tours"):
            owner = getattr(_ktour, node.name)
            written = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
            public_names = {name for name in vars(owner) if not name.startswith("_")}
            assert {name for name in written if not name.startswith("_")} == public_names
            assert ast.get_docstring(node) == inspect.getdoc(owner), "run STORE_STUBS=1 pytest python/tests/test_docs.py"
            for name in public_names:
                documented = inspect.getdoc(getattr(owner, name))
                assert ast.get_docstring(written[name]) == documented, "run STORE_STUBS=1 pytest python/tests/test_docs.py"
