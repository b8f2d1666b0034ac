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


def defaults(function):
    """Names with their defaults, as text."""
    given = function.args
    names = [one.arg for one in given.args][len(given.args) - len(given.defaults) :]
    pairs = list(zip(names, given.defaults)) + list(zip([one.arg for one in given.kwonlyargs], given.kw_defaults))
    return {name: ast.literal_eval(default) for name, default in pairs if default is not None}


def own(thing):
    return [name for name in inspect.signature(thing).parameters if name not in ("self", "cls", "slf", "_cls")]


def own_defaults(thing):
    found = inspect.signature(thing).parameters.values()
    return {one.name: one.default for one in found if one.default is not inspect.Parameter.empty}


def test_all_names_have_types_and_words():
    named = {node.name for node in STUBS.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    # Types that only type checkers know of begin so.
    named = {name for name in named if not name.startswith("_")}
    assert named == set(ktour.__all__)
    for name in ktour.__all__:
        assert inspect.getdoc(getattr(ktour, name)) or name == "Svg", name


def of_type(kind):
    """The stubs of functions or classes, overloads and all."""
    return [node for node in STUBS.body if isinstance(node, kind) and not node.name.startswith("_")]


@pytest.mark.parametrize("node", of_type(ast.FunctionDef), ids=lambda node: node.name)
def test_functions_take_what_is_written(node):
    function = getattr(ktour, node.name)
    assert parameters(node) == own(function)
    # Of overloads one has an argument without its default.
    assert defaults(node).items() <= own_defaults(function).items()
    if not node.decorator_list:
        assert defaults(node) == own_defaults(function)


@pytest.mark.parametrize("node", of_type(ast.ClassDef), ids=lambda node: node.name)
def test_methods_take_what_is_written(node):
    thing = getattr(ktour, node.name)
    written = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    public = {name for name in vars(thing) if not name.startswith("_")}
    if thing.__module__ == "ktour" and not issubclass(thing, (tuple, str, Exception)):
        assert {name for name in written if not name.startswith("__") and name != "_repr_svg_"} == public
    for name, one in written.items():
        if name == "__new__":
            assert (parameters(one), defaults(one)) == (own(thing), own_defaults(thing))
        elif not name.startswith("__") and callable(getattr(thing, name)):
            method = getattr(thing, name)
            assert (parameters(one), defaults(one)) == (own(method), own_defaults(method)), name
