"""The program, to compare with: `KTOUR` names it, else the one in the target folder."""

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
    """Runs the program: what it prints, and the line it fails with."""
    path = _program()
    if path is None:
        pytest.skip("no program: cargo build --release, or KTOUR=path")

    def run(*words, given=None):
        done = subprocess.run([path, *words], input=given, capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith("ktour: error: ")]
        return done.stdout, lines[0].removeprefix("ktour: error: ") if lines else None

    return run
