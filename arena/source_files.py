"""A hash of the source files that a module uses: its own, and those of this project that it imports, directly or not.

The hash says only that something may have changed: any edit of any of these files changes it, even of a comment. The
stamp of a family (`tables.run.state`) holds the hash, so that `python -m tables verify` can say which families to
compare. With the versions of numba and numpy, it also marks finished chunks, so that chunks of different code are not
mixed.

Imports are read from the source text, also those inside functions. Importing a name from a package counts the
package's `__init__`; importing one of its modules does not, because an `__init__` here only imports names for users.
"""

import ast
import hashlib
import inspect
import json
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

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

    ``ends``: modules whose own imports do not count.
    """
    names = imported(*modules, ends=ends, sources=sources) if modules else sources
    content = [(name, _text(name, sources)) for name in sorted(names)]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


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
            for package, name in _imports(_text(module, sources)):
                whole = f"{package}.{name}" if f"{package}.{name}" in sources else package
                todo.extend({whole} & sources.keys())
    return found


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
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute, so that a source alone names its modules"
            found.extend((node.module or "", alias.name) for alias in node.names)
    return tuple(found)
