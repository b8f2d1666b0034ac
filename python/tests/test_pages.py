"""What the README and the notebook show is what happens."""

import doctest
import pathlib

import pytest

import ktour

HERE = pathlib.Path(__file__).resolve().parents[1]


def test_the_readme_prints_what_it_shows():
    pytest.importorskip("numpy")
    failed, tried = doctest.testfile(str(HERE / "README.md"), module_relative=False)
    assert tried > 10 and failed == 0


def test_the_words_of_the_package_are_right():
    example = doctest.DocTestParser().get_doctest(ktour.__doc__, {}, "ktour", None, 0)
    assert len(example.examples) > 3 and doctest.DocTestRunner().run(example).failed == 0


def outputs(notebook):
    """What is shown of each output: its text or its picture, without the numbers of cells."""
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.get("data") or output.get("text") for output in shown]


def test_the_notebook_shows_what_it_keeps(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(HERE / "examples" / "tour.ipynb", as_version=4)
    kept = outputs(notebook)
    client.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = outputs(notebook)
    assert shown == kept, "scripts/notebook keeps what it shows now"
    assert sum("image/svg+xml" in output for output in shown) == 5
    assert "Counts(closed=9862, open=2963928, paths=3318960)" in shown[0]["text/plain"]
