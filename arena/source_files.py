"""A hash of the source files that a module uses: its own, and those of this project that it imports, directly or not.

The hash says only that something may have changed: any edit of any of these files changes it, even of a comment. It
names the folder of an entry's machine code (`arena.engine.jit`). With the versions of numba and numpy, it also marks
finished chunks, so that chunks of different code are not mixed.

Imports are read from the source text, also those inside functions. A name that a package's `__init__` imports counts
the module that has it, and nothing else that the `__init__` imports. So an edit of a card player changes no hash of a
module that imports only the rules of play from the same package.
"""

import ast
import hashlib
import inspect
import json
import sys
from collections import deque
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("spades", "arena", "tables", "studio", "report")  # those that make or use tables
# The source text of each module. It is read at import, when Python reads the code too. Text that is read later could
# have changes that this process does not run.
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text(encoding="utf-8")
    for package in PACKAGES
    for path in ROOT.glob(f"{package}/**/*.py")
}


def files_hash(*modules: str, ends: tuple[str, ...] = (), sources: Mapping[str, str] = SOURCES) -> str:
    """Return the sha256 of the files of ``modules`` and of all that they import; without ``modules``, of all files.

    ``ends``: modules whose own imports do not count. Without ``modules``, no file is parsed: the threads of a Dask
    worker call this at the same time, and in Python 3.11 `ast.parse` can raise SystemError in two threads.
    """
    names = imported(*modules, ends=ends, sources=sources) if modules else sources
    texts = {name: _text(name, sources) for name in sorted(names)}
    # The module of each imported name counts too, because the text of an `__init__` that passes a name on does not.
    origins = [[_origin(*of, sources) for of in _imports(text)] for text in texts.values()] if modules else []
    return hashlib.sha256(json.dumps([texts, origins]).encode()).hexdigest()


def imported(*modules: str, ends: tuple[str, ...] = (), sources: Mapping[str, str] = SOURCES) -> set[str]:
    """Return ``modules`` and the modules in ``sources`` that they import, directly or not.

    ``ends``: modules whose own imports are left out. A module that is not in ``sources``, such as one of the tests,
    must have been imported.
    """
    found: set[str] = set()
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            if module in ends:
                continue
            todo.extend({_origin(*of, sources) for of in _imports(_text(module, sources))} & sources.keys())
    return found


def _origin(module: str, name: str, sources: Mapping[str, str]) -> str:
    """Return the module that has ``name`` of ``module``: another one if ``module`` imports the name too."""
    if f"{module}.{name}" in sources:
        return f"{module}.{name}"
    again = _imported_from(sources.get(module, "")).get(name)
    return module if again is None else _origin(*again, sources)


@cache
def chunk_code(*modules: str) -> str:
    """Return a hash of the code that decides a chunk, 16 hexadecimal digits.

    It is of the files of ``modules`` (see `files_hash`), and of the versions of numba and numpy.
    """
    text = f"{files_hash(*modules)} {version('numba')} {version('numpy')}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(module: str, sources: Mapping[str, str]) -> str:
    return sources[module] if module in sources else inspect.getsource(sys.modules[module])


@cache
def _imports(source: str) -> tuple[tuple[str, str], ...]:
    """Return (module, name) for each import in ``source``; the name is empty for ``import module``."""
    found: list[tuple[str, str]] = []
    for node in _import_statements(source).all:
        if isinstance(node, ast.Import):
            found.extend((alias.name, "") for alias in node.names)
        else:
            assert not node.level, "imports are absolute, so that a source alone names its modules"
            found.extend((node.module or "", alias.name) for alias in node.names)
    return tuple(found)


@cache
def _imported_from(source: str) -> dict[str, tuple[str, str]]:
    """Return where the names that ``source`` imports at its top come from: module and name there."""
    statements = _import_statements(source).at_top
    return {alias.asname or alias.name: (node.module or "", alias.name) for node in statements for alias in node.names}


class _Statements(NamedTuple):
    # The import statements of a module.
    all: tuple[ast.Import | ast.ImportFrom, ...]  # also those in functions and other blocks
    at_top: tuple[ast.ImportFrom, ...]


@cache
def _import_statements(source: str) -> _Statements:
    top = ast.parse(source).body
    found: list[ast.Import | ast.ImportFrom] = []
    todo = deque[ast.AST](top)
    while todo:
        node = todo.popleft()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        # Only statements contain imports: expressions, which are most of the tree, are left out.
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo.extend(getattr(node, block, ()))
    return _Statements(tuple(found), tuple(node for node in top if isinstance(node, ast.ImportFrom)))
