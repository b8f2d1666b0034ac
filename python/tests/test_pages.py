"""The examples of the README, the package docstring and the notebook print the outputs that they show."""

import doctest
import inspect
import os
import pathlib
import re

import pytest

import ktour

HERE = pathlib.Path(__file__).resolve().parents[1]


def test_readme_examples():
    pytest.importorskip("numpy")
    failed, tried = doctest.testfile(str(HERE / "README.md"), module_relative=False)
    assert tried > 10 and failed == 0


def test_readme_lists_the_options_of_each_function():
    others = {"board", "boards", "tours", "kind", "threads", "progress", "piece", "leaper", "wrap"}
    listed = {}
    for row in (HERE / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        if len(cells) == 5 and cells[0].startswith("`"):
            for name in re.findall(r"`(\w+)`", cells[0]):
                default = {"all three": None, "required": inspect.Parameter.empty}.get(cells[1], "paths")
                listed[name] = default, sorted(re.findall(r"`(\w+)`", " ".join(cells[2:])))
    found = {}
    for name in listed:
        signed = inspect.signature(getattr(ktour, name)).parameters
        default = signed["kind"].default if "kind" in signed else "paths"
        found[name] = default, sorted(set(signed) - others)
        assert "threads" in signed and ("progress" in signed or name == "tours")
    assert listed == found
    signed = {name: getattr(ktour, name) for name in ktour.__all__ if inspect.isroutine(getattr(ktour, name))}
    assert {name for name, thing in signed.items() if "threads" in inspect.signature(thing).parameters} | {"Index"} == set(listed)


def test_package_docstring_examples():
    example = doctest.DocTestParser().get_doctest(ktour.__doc__, {}, "ktour", None, 0)
    assert len(example.examples) > 3 and doctest.DocTestRunner().run(example).failed == 0


def outputs(notebook):
    """Returns the text or picture of each output, without execution counts."""
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.get("data") or output.get("text") for output in shown]


def test_notebook_outputs_are_up_to_date(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(HERE / "examples" / "tour.ipynb", as_version=4)
    stored = outputs(notebook)
    client.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = outputs(notebook)
    if os.environ.get("STORE_NOTEBOOK"):
        for cell in notebook.cells:
            # The time of execution would change the file every time.
            cell.metadata.pop("execution", None)
        notebook.metadata["language_info"] = {"name": "python"}
        nbformat.write(notebook, HERE / "examples" / "tour.ipynb")
        return
    assert shown == stored, "the outputs changed; run STORE_NOTEBOOK=1 pytest python/tests/test_pages.py to store them"
    assert sum("image/svg+xml" in output for output in shown) == 5
    assert "Counts(closed=9862, open=2963928, paths=3318960)" in shown[0]["text/plain"]
