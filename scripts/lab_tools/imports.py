"""Checks that the files of src/ do not import each other in cycles, nor upward, and are not too long.

An import of a name counts as an import of the file that defines the name, even through several `pub use`. Tests and
comments are ignored. The check reads names, not types: a call of a method whose type is not named is not an import.
"""

import collections
import graphlib
import itertools
import pathlib
import re
import tempfile

from .experiments import experiment
from .runs import ROOT

# Modules, lowest first. A file may only import from its own module and from lower ones. A folder that is not listed
# belongs to the module that contains it. Files at the root of src/, except lib.rs and main.rs, are lower than all modules.
MODULES = [
    "board", "tour", "search",
    "frontier/planning", "frontier/signature", "frontier/weights", "frontier/layer", "frontier/ranks",
    "frontier/sweep", "frontier/tour_index", "frontier",
    "heuristic", "index", "count", "series", "recurrence", "batch", "report", "cli",
]
# A longer file must give the reason in its module documentation, in a text with "600 lines".
MAX_LINES = 600
IGNORED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(\#*)".*?"\1|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])'""", re.DOTALL
)
TEST = re.compile(r"#\[(?:cfg\((?:\w+\()?(?:test|doctest)\b[^\]]*|test)\]")
USE = re.compile(r"(pub(?:\([^)]*\))?\s+)?\buse\s+([^;<]+);")
ITEM = re.compile(r"\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!|mod)\s+(\w+)")
PATH = re.compile(r"(?<![\w.:])\$?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")


def without_tests(text):
    """Returns a source file without comments, strings, attributes, and items for tests."""
    text = IGNORED.sub('""', text)
    while found := TEST.search(text):
        depth, end = 0, found.end()
        while end < len(text):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
            if depth == 0 and text[end - 1] in ";}":
                break
        text = text[: found.start()] + text[end:]
    return re.sub(r"#!?\[[^\]]*\]", "", text)


def use_paths(tree):
    """Yields the paths of a `use` declaration, and the names that they are given."""
    while found := re.search(r"([\w:$\s]*)\{([^{}]*)\}", tree):
        inner = ",".join(found[1] + part for part in found[2].split(",") if part.strip())
        tree = tree[: found.start()] + inner + tree[found.end() :]
    for one in tree.split(","):
        path, _, name = one.partition(" as ")
        path = tuple(re.findall(r"\$?\w+|\*", path))
        path = path[:-1] if path[-1] == "self" and len(path) > 1 else path
        yield path, name.strip() or path[-1]


class Module:
    """The module of a file, with its child modules."""

    def __init__(self, path, folder, modules, root=None, parent=None):
        text = path.read_text(encoding="utf-8")
        self.file, self.root, self.parent = path.relative_to(folder).as_posix(), root or self, parent
        modules[self.file] = self
        self.lines = text.count("\n")
        self.has_reason = f"{MAX_LINES} lines" in " ".join(re.findall(r"^//! ?(.*)", text, re.M))
        code = without_tests(text)
        # Names from `use`: their paths, and whether they are public.
        self.names, self.globs = {}, []
        for public, tree in USE.findall(code):
            for path_of_name, name in use_paths(tree):
                if name == "*":
                    self.globs.append(path_of_name[:-1])
                else:
                    self.names[name] = (path_of_name, bool(public))
        code = USE.sub("", code)
        self.paths = {tuple(found.split("::")) for found in PATH.findall(re.sub(r"\bmod\s+\w+\s*;", "", code))}
        inside = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
        self.children = {}
        for name in re.findall(r"\bmod\s+(\w+)\s*;", code):
            file = next(file for file in (inside / f"{name}.rs", inside / name / "mod.rs") if file.exists())
            self.children[name] = Module(file, folder, modules, self.root, self)
        while code != (code := re.sub(r"\{[^{}]*\}", "", code)):
            pass
        self.items = set(ITEM.findall(code)) - set(self.children)

    def has(self, name):
        return name in self.names or name in self.items or name in self.children

    def find(self, path, library, seen=(), is_inside=False):
        """Returns the target of a path in this module: a module, or an item as (module, name); None for other crates. If the
        path is inside this module, it is not of another crate."""
        if not path:
            return self
        if (self, path) in seen:
            return None
        first, rest, seen = path[0], path[1:], (*seen, (self, path))
        near = {"crate": self.root, "$crate": self.root, "self": self, "super": self.parent, "ktour": library}
        # A function and a module may share a name: the path is of the module if it has more segments.
        if rest or first not in self.names and first not in self.items:
            near |= self.children
        if near.get(first):
            return near[first].find(rest, library, seen, True)
        if first in self.names:
            found = self.find(self.names[first][0], library, seen)
            return found.find(rest, library, seen, True) if isinstance(found, Module) else found
        if first not in self.items:
            for origin in (self.find(glob, library, seen) for glob in self.globs):
                if isinstance(origin, Module) and origin.has(first):
                    return origin.find(path, library, seen, True)
        return (self, first) if is_inside or first in self.items else None

    def imports(self, library):
        """Returns the names that this file imports, by file. A public `use` counts only if the file uses its name."""
        private = [path for path, is_public in self.names.values() if not is_public]
        found = collections.defaultdict(set)
        for target in (self.find(path, library) for path in [*private, *self.globs, *self.paths]):
            if isinstance(target, tuple) and target[0].file != self.file:
                found[target[0].file].add(target[1])
        return found


def cycles(edges):
    """Returns cycles that together contain an import of every cycle."""
    edges, found = {file: set(edges[file]) for file in sorted(edges)}, []
    while True:
        try:
            graphlib.TopologicalSorter(edges).prepare()
            return found
        except graphlib.CycleError as error:
            cycle = error.args[1][::-1]
        first = cycle.index(min(cycle))
        found.append([*cycle[first:-1], *cycle[:first], cycle[first]])
        for file, to in itertools.pairwise(cycle):
            edges[file].remove(to)


def rank(file):
    """Returns the rank of a file's module, or None if it is not in MODULES."""
    if "/" not in file:
        return len(MODULES) if file in ("lib.rs", "main.rs") else -1
    return max(((len(name), at) for at, name in enumerate(MODULES) if file.startswith(f"{name}/")), default=(0, None))[1]


def check(folder):
    """Returns the imports of all files of a folder, and the faults as lines."""
    modules = {}
    roots = [Module(folder / name, folder, modules) for name in ("lib.rs", "main.rs") if (folder / name).exists()]
    edges = {file: module.imports(roots[0]) for file, module in modules.items()}
    faults = []
    for cycle in cycles(edges):
        faults.append(" -> ".join(cycle))
        faults += [f"    {a} imports {', '.join(sorted(edges[a][b]))} from {b}" for a, b in itertools.pairwise(cycle)]
    for file, module in sorted(modules.items()):
        if rank(file) is None:
            faults.append(f"{file}: the module is not in MODULES")
        if module.lines > MAX_LINES and not module.has_reason:
            faults.append(f"{file}: {module.lines} lines, and its module documentation gives no reason")
        for to, names in sorted(edges[file].items()):
            if None not in (rank(file), rank(to)) and rank(to) > rank(file):
                faults.append(f"{file} imports upward: {', '.join(sorted(names))} from {to}")
    return edges, faults


# Small trees: the planted fault, the texts of board/a.rs and board/b.rs, and those of other files, which replace LIB.
LIB = {"lib": "pub mod board; pub mod tour;", "tour/mod": "pub struct Tour;"}
LIB |= {"board/mod": "mod a; mod b; pub use a::A; pub use b::B;"}
CYCLE = "board/a.rs -> board/b.rs -> board/a.rs"
TRIANGLE = {"lib": "mod a; mod b; mod c;", "a": "use crate::b::B;", "b": "use crate::c::C;", "c": "use crate::a::A;"}
PLANTED = [
    (CYCLE, "use super::b::B; pub struct A;", "use super::a::A; pub struct B;"),
    (CYCLE, "use crate::board::B; pub struct A;", "use super::A; pub struct B;"),
    (CYCLE, "pub fn f() { crate::board::b::g() }", "pub(super) fn g() { super::a::f() }"),
    (CYCLE, "use crate::{board::{b::{self}}}; fn f() { b::g() }", "use super::a as x; fn g() -> x::A {}"),
    (CYCLE, "use crate::board::b::*; fn f(b: B) {} pub struct A;", "use super::A; pub struct B;"),
    ("", "use super::b::B; pub struct A;", "pub struct B;"),
    ("", "use super::b::B; pub struct A;", "pub struct B; #[cfg(test)] mod tests { use super::super::a::A; }"),
    ("", "use super::b::B;", "//! [`super::a::A`]\n/* crate::board::A */ const S: &str = \"super::a::A\"; pub struct B;"),
    ("", "use super::b::B;", "pub struct B<'a>(&'a u8); const C: char = '\"'; #[test] fn f() { super::a::A; }"),
    ("", "use super::B; pub fn a() {}", "pub struct B;", {"board/mod": "mod a; mod b; pub use a::a; pub use b::B;"}),
    ("board/a.rs -> board/mod.rs -> board/a.rs", "use super::M;", "", {"board/mod": "mod a; pub struct M(a::A);"}),
    ("a.rs -> b.rs -> c.rs -> a.rs", "", "", TRIANGLE),
    ("board/mod.rs imports upward: Tour from tour/mod.rs", "", "", {"board/mod": "use crate::tour::Tour;"}),
    ("", "", "", {"board/mod": "", "main": "fn main() { ktour::tour::run() }"}),
    ("attic/mod.rs: the module is not in MODULES", "", "", {"lib": "mod attic;", "attic/mod": ""}),
    ("board/mod.rs: 601 lines, and its module documentation gives no reason", "", "", {"board/mod": "\n" * 600}),
    ("", "", "", {"board/mod": "//! More than 600 lines: it is one table.\n" + "\n" * 600}),
]


def test():
    for fault, a, b, *more in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**LIB, "board/a": a, "board/b": b, **(more[0] if more else {})}.items():
                path = pathlib.Path(folder, f"{name}.rs")
                path.parent.mkdir(exist_ok=True)
                path.write_text(text + "\n", encoding="utf-8")
            found = [line for line in check(pathlib.Path(folder))[1] if not line.startswith(" ")]
            assert found == [fault] * bool(fault), f"{found} instead of {fault or 'no fault'} in {a} {b} {more}"
    print(f"{len(PLANTED)} planted trees: all faults found")


@experiment("imports", "cycles, upward imports and long files in src; [FILE]: its imports", "a second")
def imports(arguments):
    if arguments.test:
        return test()
    edges, faults = check(ROOT / "src")
    for file in arguments.rest:
        for one, to in sorted((one, to) for one in edges for to in edges[one] if file in (one, to)):
            print(f"{one} imports {', '.join(sorted(edges[one][to]))} from {to}")
    print("\n".join(faults or [f"{len(edges)} files, {sum(map(len, edges.values()))} imports, no fault"]))
    return len(faults)
