"""The stubs agree with the module: names, parameters and defaults."""

import ast
import inspect
import pathlib

import pytest

import ktour

STUBS = ast.parse((pathlib.Path(ktour.__file__).parent / "__init__.pyi").read_text())


def parameters(function):
    """Returns the names of the parameters in a stub."""
    arguments = function.args
    names = [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    return [name for name in names if name not in ("self", "cls")]


def defaults(function):
    """Returns a dict from the parameters with defaults in a stub to the defaults."""
    arguments = function.args
    names = [argument.arg for argument in arguments.args][len(arguments.args) - len(arguments.defaults) :]
    pairs = list(zip(names, arguments.defaults))
    pairs += zip([argument.arg for argument in arguments.kwonlyargs], arguments.kw_defaults)
    return {name: ast.literal_eval(default) for name, default in pairs if default is not None}


def actual_parameters(thing):
    """Returns the names of the parameters of a function or class of the module."""
    return [name for name in inspect.signature(thing).parameters if name not in ("self", "cls", "slf", "_cls")]


def actual_defaults(thing):
    """Returns a dict from the parameters with defaults of a function or class of the module to the defaults."""
    found = inspect.signature(thing).parameters.values()
    return {one.name: one.default for one in found if one.default is not inspect.Parameter.empty}


def test_all_names_have_stubs_and_docstrings():
    named = {node.name for node in STUBS.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    # Types for type checkers only begin with an underscore.
    named = {name for name in named if not name.startswith("_")}
    assert named == set(ktour.__all__)
    for name in ktour.__all__:
        assert inspect.getdoc(getattr(ktour, name)) or name == "Svg", name


def stubs_of_type(kind):
    """Returns the public stubs of functions or classes, including overloads."""
    return [node for node in STUBS.body if isinstance(node, kind) and not node.name.startswith("_")]


@pytest.mark.parametrize("node", stubs_of_type(ast.FunctionDef), ids=lambda node: node.name)
def test_function_parameters_match_stubs(node):
    function = getattr(ktour, node.name)
    assert parameters(node) == actual_parameters(function)
    # In one overload, an argument has no default.
    assert defaults(node).items() <= actual_defaults(function).items()
    if not node.decorator_list:
        assert defaults(node) == actual_defaults(function)


@pytest.mark.parametrize("node", stubs_of_type(ast.ClassDef), ids=lambda node: node.name)
def test_method_parameters_match_stubs(node):
    thing = getattr(ktour, node.name)
    written = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    public = {name for name in vars(thing) if not name.startswith("_")}
    if thing.__module__ == "ktour" and not issubclass(thing, (tuple, str, Exception)):
        assert {name for name in written if not name.startswith("__") and name != "_repr_svg_"} == public
    for name, one in written.items():
        if name == "__new__":
            assert (parameters(one), defaults(one)) == (actual_parameters(thing), actual_defaults(thing))
        elif not name.startswith("__") and callable(getattr(thing, name)):
            method = getattr(thing, name)
            assert (parameters(one), defaults(one)) == (actual_parameters(method), actual_defaults(method)), name
