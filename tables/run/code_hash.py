"""A hash of the code that a module runs: its own and that of all modules of service.bidding and tables that it imports.

Imports count wherever the sources name them, directly or through other modules. The hash is made of syntax trees, so
that layout, comments, docstrings and the annotations of arguments and variables do not change it. Annotations of class
fields stay, because `Rules` and `Policy` declare values in them. All supported versions of Python give the same hash.

The manifest records the hash of each family (`tables.run.state`). With numba's version, it also keeps chunks that were
computed by different code apart: the build's checkpoints, and the workers of a cluster.
"""

import ast
import hashlib
import inspect
import json
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Fields of syntax trees that do not change what code does; some versions of Python do not have all of them.
LEFT_OUT = {"ctx", "kind", "returns", "type_comment", "type_ignores", "type_params"}
# By module. Read at import, when Python reads the code itself. Read later, they would include changes that do not run.
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text(encoding="utf-8")
    for package in ("service/bidding", "tables")
    for path in ROOT.glob(f"{package}/**/*.py")
}


# What only the service runs, although `policies` and `tableset` import it: it decides no cell of a table.
SERVICE_ONLY = (
    "service.bidding.explain",
    "service.bidding.winprob.decision",
    "service.bidding.winprob.outcome_values",
    "service.bidding.winprob.weights",
)
_PARSING = Lock()  # in Python 3.11, `ast.parse` may fail while another thread runs it


def code_hash(*modules: str, sources: dict[str, str] = SOURCES) -> str:
    """Return the sha256 of the code of ``modules`` and of everything in ``sources`` that they import, but SERVICE_ONLY.

    A module that is not in ``sources``, such as one of the tests, must have been imported.
    """
    found: dict[str, str] = {}
    todo = [(name, sources[name] if name in sources else inspect.getsource(sys.modules[name])) for name in modules]
    while todo:
        name, source = todo.pop()
        if name not in found:
            found[name], imported = _parsed(source)
            imported |= {other.rpartition(".")[0] for other in (name, *imported)}  # Python runs their packages too
            todo += [(other, sources[other]) for other in imported if _counts(other) and other in sources]
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _counts(module: str) -> bool:
    return not any(module == name or module.startswith(f"{name}.") for name in SERVICE_ONLY)


@cache
def chunk_code(*modules: str) -> str:
    """Return a hash of what decides a chunk's result, 16 hexadecimal digits: the modules' code and numba's version."""
    return hashlib.sha256(f"{code_hash(*modules)} {version('numba')}".encode()).hexdigest()[:16]


@cache
def _parsed(source: str) -> tuple[str, frozenset[str]]:
    """Return the hash of one module's own code, and the full names that it imports: modules, or names in modules."""
    with _PARSING:
        tree = ast.parse(source)
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert not getattr(node, "level", 0), "imports are absolute, so that a source alone names its modules"
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            imported.update(package + alias.name for alias in node.names)
    return hashlib.sha256(json.dumps(_plain(tree), sort_keys=True).encode()).hexdigest(), frozenset(imported)


def _plain(value: Any, in_class: bool = False) -> Any:
    """Return a part of a syntax tree as JSON values; `ast.dump` differs between versions of Python."""
    if isinstance(value, list):  # without docstrings, and other constants that stand alone
        kept = [item for item in value if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
        return [_plain(item, in_class) for item in kept]
    if isinstance(value, ast.Constant):
        return ascii(value.value)
    if not isinstance(value, ast.AST):
        return value
    fields = {
        name: _plain(field, isinstance(value, ast.ClassDef))
        for name, field in ast.iter_fields(value)
        if field is not None and field != [] and name not in LEFT_OUT and (name != "annotation" or in_class)
    }
    return {**fields, "": type(value).__name__}
