"""The list of experiments, and the pages made from their records.

A page is a Markdown file with text by hand and generated sections:

    <!-- NAME by scripts/lab: TEMPLATE -->
    ..
    <!-- /NAME -->

The template is the text of an f-string, whose names are the fields of a row that the section function NAME returns. The
section is a table with a line for each row if the template begins with `|`; its first two lines are by hand. Otherwise it
is a text with the fields of the last row.
"""

import argparse
import difflib
import pathlib
import re
import shutil
import sys
import tempfile
from types import FunctionType, SimpleNamespace

from . import runs

EXPERIMENTS: dict[str, SimpleNamespace] = {}
SECTIONS: dict[tuple[str, str], FunctionType] = {}
SECTION = re.compile(r"(<!-- (\S+) by scripts/lab: (.*?) -->\n)(.*?)(<!-- /\2 -->\n)", re.DOTALL)


def experiment(name, about, takes):
    """Adds the decorated function to the experiments. It gets the arguments of `lab run`, and returns the number of
    faults if it is a test."""
    return lambda measure: EXPERIMENTS.setdefault(name, SimpleNamespace(about=about, takes=takes, measure=measure)).measure


def section(page, title):
    """Adds the decorated function, which returns or yields the rows of a section of a page, to the sections."""
    return lambda rows: SECTIONS.setdefault((page, title), rows)


def chosen(arguments, work, name=str):
    """Returns the work with the text of --only in its name, or all. A quick run does only the first of it."""
    work = [one for one in work if not arguments.only or arguments.only in name(one)]
    return work[:1] if arguments.quick else work


def optional(value, form=""):
    """Returns a formatted value, or an empty text for None."""
    return "" if value is None else format(value, form)


def filled(template, body, rows):
    """Returns the new body of a section, filled with these rows."""
    is_table = template.startswith("|")
    template = re.sub(r"\s*\n\s*", " ", template) if is_table else template
    fill = lambda row: eval(f"f'''{template}\n'''", {"optional": optional, **row})
    lines = map(fill, rows if is_table else list(rows)[-1:])
    return "".join(body.splitlines(keepends=True)[: 2 * is_table]) + "".join(lines)


def pages():
    """Returns the present text and the text made from the records, by page."""
    found = {}
    for (page, title), rows in SECTIONS.items():
        text = (runs.output / page).read_text(encoding="utf-8")
        old, new = found.setdefault(page, (text, text))
        fill = lambda match: match[1] + filled(match[3], match[4], rows()) + match[5] if match[2] == title else match[0]
        if f"<!-- {title} by scripts/lab: " not in text:
            raise SystemExit(f"error: {page} has no section {title}")
        found[page] = (old, SECTION.sub(fill, new))
    return found


def write_pages():
    """Writes all sections. Returns the differences."""
    changes = []
    for page, (old, new) in pages().items():
        if old != new:
            (runs.output / page).write_text(new, encoding="utf-8")
            changes += difflib.unified_diff(old.splitlines(True), new.splitlines(True), page, page, n=0)
    return changes


def run_experiment(name, words):
    """Runs an experiment with the arguments of the command line, and writes the pages. A quick run writes records and
    pages into a copy of results/, and prints the differences."""
    one = EXPERIMENTS[name]
    parser = argparse.ArgumentParser(f"scripts/lab run {name}", description=f"{one.about}: {one.takes}")
    parser.add_argument("--quick", action="store_true", help="only the smallest case, into a temporary folder")
    parser.add_argument("--only", metavar="TEXT", help="only work with TEXT in its name")
    parser.add_argument("--long", action="store_true", help="also the work that takes long")
    parser.add_argument("--test", action="store_true", help="test or compare only; write nothing")
    parser.add_argument("rest", nargs="*", metavar="ARGUMENT", help="arguments of the experiment")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="ktour-lab-") as folder:
        if arguments.quick:
            runs.output = pathlib.Path(folder)
            shutil.copytree(runs.ROOT / "results", runs.results())
            shutil.copy(runs.ROOT / "README.md", folder)
        faults = one.measure(arguments)
        sys.stdout.writelines(write_pages())
    sys.exit(bool(faults))
