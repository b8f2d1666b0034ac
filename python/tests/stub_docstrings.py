"""Copies the docstrings of the extension module into its stubs, where editors show them."""

import ast
import inspect

from ktour import _ktour

DOCUMENTED = ["Tour", "Tours"]


def docstring(text, indent):
    """Returns the lines of a docstring."""
    lines = text.replace("\\", "\\\\").split("\n")
    last = [] if len(lines) == 1 else [" " * indent + '"""']
    first = " " * indent + '"""' + lines[0] + ('"""' if len(lines) == 1 else "")
    return [first, *((" " * indent + line).rstrip() for line in lines[1:]), *last]


def store(path):
    """Writes the docstrings into the stubs at a path."""
    lines = path.read_text().splitlines()
    # Later places first, so that line numbers stay valid.
    edits = []
    for node in ast.parse("\n".join(lines)).body:
        if not isinstance(node, ast.ClassDef) or node.name not in DOCUMENTED:
            continue
        owner = getattr(_ktour, node.name)
        old = node.body[0]
        edits.append((old.lineno - 1, old.end_lineno, docstring(inspect.getdoc(owner), 4)))
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or method.name.startswith("_"):
                continue
            body = docstring(inspect.getdoc(getattr(owner, method.name)), 8)
            first = method.body[0]
            if ast.get_docstring(method) is None:
                head = lines[first.lineno - 1].removesuffix(" ...")
                edits.append((first.lineno - 1, first.end_lineno, [head, *body]))
            else:
                edits.append((first.lineno - 1, first.end_lineno, body))
    for begin, end, new in sorted(edits, reverse=True):
        lines[begin:end] = new
    path.write_text("\n".join(lines) + "\n")
