"""The ktour program, for comparisons: at the path in `KTOUR`, else in the target folder."""

import os
import pathlib
import subprocess

import pytest


def _program():
    root = pathlib.Path(__file__).resolve().parents[2]
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    for path in [os.environ.get("KTOUR"), target / "release" / "ktour"]:
        if path and pathlib.Path(path).is_file():
            return str(path)
    return None


@pytest.fixture(scope="session")
def program():
    """Returns a function that runs the program and returns its output and its error, or None without an error."""
    path = _program()
    if path is None:
        pytest.skip("no program; run cargo build --release, or set KTOUR=path")

    def run(*words, given=None):
        done = subprocess.run([path, *words], input=given, capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith("ktour: error: ")]
        return done.stdout, lines[0].removeprefix("ktour: error: ") if lines else None

    return run
