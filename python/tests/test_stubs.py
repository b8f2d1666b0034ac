"""The types that are written down are those that are there."""

import ast
import inspect
import pathlib

import pytest

import ktour

STUBS = ast.parse((pathlib.Path(ktour.__file__).parent / "__init__.pyi").read_text())


def parameters(function):
    given = function.args
    names = [one.arg for one in given.posonlyargs + given.args + given.kwonlyargs]
    return [name for name in names if name not in ("self", "cls")]


def own(thing):
    return [name for name in inspect.signature(thing).parameters if name not in ("self", "cls", "slf", "_cls")]


def test_all_names_have_types_and_words():
    named = {node.name for node in STUBS.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert named == set(ktour.__all__)
    for name in ktour.__all__:
        assert inspect.getdoc(getattr(ktour, name)) or name == "Svg", name


@pytest.mark.parametrize("node", [node for node in STUBS.body if isinstance(node, ast.FunctionDef)], ids=lambda n: n.name)
def test_functions_take_what_is_written(node):
    assert parameters(node) == own(getattr(ktour, node.name))


@pytest.mark.parametrize("node", [node for node in STUBS.body if isinstance(node, ast.ClassDef)], ids=lambda n: n.name)
def test_methods_take_what_is_written(node):
    thing = getattr(ktour, node.name)
    written = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    public = {name for name in vars(thing) if not name.startswith("_")}
    if thing.__module__ == "ktour" and not issubclass(thing, (tuple, str, Exception)):
        assert {name for name in written if not name.startswith("__") and name != "_repr_svg_"} == public
    for name, one in written.items():
        if name == "__init__":
            assert parameters(one) == own(thing)
        elif not name.startswith("__") and callable(getattr(thing, name)):
            assert parameters(one) == own(getattr(thing, name)), name
