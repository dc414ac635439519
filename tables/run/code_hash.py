"""A hash of the code that a module runs: its own definitions, and those of this project that they name.

A definition is a function, a class or an assignment at the top level of a module. It counts by its syntax tree and by
the definitions that its names mean. So a definition that nothing names leaves the hash, and so does moving one to
another module. Statements that define nothing, and functions and classes with a decorator, may do something when a
module is imported. They count in every module that is imported on the way. A top-level name means one thing only
(`_parsed` refuses others), and an assignment changes nothing but its names.

Layout, comments, docstrings and the annotations of arguments and variables do not count. Annotations of class fields
do, because `Rules` and `Policy` declare values in them. All supported versions of Python give the same hash. Names are
followed through imports and through modules, but not through texts such as those of `import_module`.

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
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# Fields of syntax trees that do not change what code does; some versions of Python do not have all of them.
LEFT_OUT = {"ctx", "kind", "returns", "type_comment", "type_ignores", "type_params"}
# By module. Read at import, when Python reads the code itself. Read later, they would include changes that do not run.
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text(encoding="utf-8")
    for package in ("service/bidding", "service/playing", "tables")
    for path in ROOT.glob(f"{package}/**/*.py")
}
# What decides no cell of a table although `policies`, `tableset` or `jit` import it: what only the service runs, and
# the list of the modules to compile, whose functions count where they are called.
UNCOUNTED = (
    "service.bidding.explain",
    "service.bidding.winprob.decision",
    "service.bidding.winprob.outcome_values",
    "service.bidding.winprob.weights",
    "tables.engine.compiled_modules",
)
OWN = ("service", "tables")  # the packages of this project
KEEP_NOTHING = ("cache", "dataclass")  # decorators that keep what they decorate nowhere else
_IMPORT = ""  # in place of a definition's name: what a module does when it is imported
_PARSING = Lock()  # in Python 3.11, `ast.parse` may fail while another thread runs it


class Definition(NamedTuple):
    """What a name, or importing the module, stands for in a module: the hashes of its syntax trees, and their names."""

    trees: list[str]
    names: set[str]


class Module(NamedTuple):
    """A module's definitions by name, with _IMPORT, and the full names of what it imports by local name."""

    definitions: dict[str, Definition]
    imports: dict[str, str]


def code_hash(*modules: str, sources: dict[str, str] = SOURCES) -> str:
    """Return the sha256 of the `definitions` of ``modules``."""
    return hashlib.sha256(json.dumps(list(definitions(*modules, sources=sources).values())).encode()).hexdigest()


def definitions(*modules: str, sources: dict[str, str] = SOURCES) -> dict[tuple[str, str], object]:
    """Return all definitions of ``modules``, and all in ``sources`` that they name, but UNCOUNTED, in a fixed order.

    Keys are module and name. A value has the definition's syntax trees, and for each of its names which definitions it
    means, as their places in this order. So no value depends on the names of modules. A module that is not in
    ``sources``, such as one of the tests, must have been imported.
    """
    sources = {name: inspect.getsource(sys.modules[name]) for name in modules if name not in sources} | sources
    order: list[tuple[str, str]] = []
    places: dict[tuple[str, str], int] = {}

    def trees_of(module: str, name: str) -> list[str]:
        return _parsed(sources[module]).definitions[name].trees

    def placed(meant: list[tuple[str, str]]) -> list[int]:
        for one in meant:
            if one not in places:
                places[one] = len(order)
                order.append(one)
        return [places[one] for one in meant]

    for name in modules:
        placed(_whole(name, sources))
    effects = [(name, _IMPORT) for name in _imported(modules, sources)]
    placed(sorted((one for one in effects if trees_of(*one)), key=lambda one: trees_of(*one)))
    found: dict[tuple[str, str], object] = {}
    for module, name in order:  # which grows meanwhile
        parsed = _parsed(sources[module])
        trees, names = parsed.definitions[name]
        links: dict[str, object] = {}
        for used in sorted(names):
            full_name = parsed.imports.get(used, "")
            if used in parsed.definitions:
                links[used] = placed([(module, used)])
            elif full_name and _counts(full_name):
                links[used] = placed(_meant(full_name, sources)) or full_name
        found[module, name] = [trees, links]
    return found


def _meant(full_name: str, sources: dict[str, str]) -> list[tuple[str, str]]:
    """Return the definitions that an imported name means: all of a module, none of another package."""
    module, _, name = full_name.rpartition(".")
    if full_name in sources:
        return _whole(full_name, sources)
    if module not in sources:
        return []
    found = _parsed(sources[module])
    if name in found.imports:
        return _meant(found.imports[name], sources)
    return [(module, name)] if name in found.definitions else []  # otherwise an effect of the import defines it


def _whole(module: str, sources: dict[str, str]) -> list[tuple[str, str]]:
    return [(module, name) for name in sorted(_parsed(sources[module]).definitions)]


def _imported(modules: tuple[str, ...], sources: dict[str, str]) -> list[str]:
    """Return ``modules`` and all in ``sources`` that Python imports with them, with their packages, but UNCOUNTED."""
    found: dict[str, None] = {}
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module in sources and module not in found and _counts(module):
            found[module] = None
            todo += _parsed(sources[module]).imports.values()
        if "." in module:
            todo.append(module.rpartition(".")[0])  # the package; or of a name in a module, the module
    return list(found)


def _counts(module: str) -> bool:
    return not any(module == name or module.startswith(f"{name}.") for name in UNCOUNTED)


@cache
def chunk_code(*modules: str) -> str:
    """Return a hash of what decides a chunk's result, 16 hexadecimal digits: the modules' code and numba's version."""
    return hashlib.sha256(f"{code_hash(*modules)} {version('numba')}".encode()).hexdigest()[:16]


@cache
def _parsed(source: str) -> Module:
    with _PARSING:
        tree = ast.parse(source)
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert not getattr(node, "level", 0), "imports are absolute, so that a source alone names its modules"
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                name, full_name = alias.asname or alias.name, package + alias.name
                assert name != "*", f"{full_name}: import its names"
                assert package or name.partition(".")[0] not in OWN, f"{full_name}: import names from it"
                assert imports.setdefault(name, full_name) == full_name, f"{name} means one thing in a module"
    definitions = {_IMPORT: Definition([], set())}
    for statement in tree.body:
        names: set[str] = set()
        plain = _plain([statement], names)
        if plain:
            for name in _places(statement):
                assert name == _IMPORT or name not in {*imports, *definitions}, f"{name} means one thing in a module"
                definition = definitions.setdefault(name, Definition([], set()))
                definition.trees.append(hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest())
                definition.names.update(names - {name})
    return Module(definitions, imports)


def _places(statement: ast.stmt) -> list[str]:
    """Return the names that a top-level statement defines, and _IMPORT if it does something at import."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        called = (one.func if isinstance(one, ast.Call) else one for one in statement.decorator_list)
        keeps_none = all(isinstance(name, ast.Name) and name.id in KEEP_NOTHING for name in called)
        return [statement.name] if keeps_none else [statement.name, _IMPORT]
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
        if all(isinstance(part, ast.Name) for part in parts):
            return [part.id for part in parts if isinstance(part, ast.Name)]
    return [_IMPORT]


def _plain(value: Any, names: set[str], in_class: bool = False) -> Any:
    """Return a part of a syntax tree as JSON values, and add its names; `ast.dump` differs between versions of Python.

    Docstrings, other constants that stand alone, and imports are left out.
    """
    if isinstance(value, list):
        return [_plain(item, names, in_class) for item in value if not _does_nothing(item)]
    if isinstance(value, ast.Constant):
        return ascii(value.value)
    if not isinstance(value, ast.AST):
        return value
    if isinstance(value, ast.Name):
        names.add(value.id)
    fields = {
        name: _plain(field, names, isinstance(value, ast.ClassDef))
        for name, field in ast.iter_fields(value)
        if field is not None and field != [] and name not in LEFT_OUT and (name != "annotation" or in_class)
    }
    return {**fields, "": type(value).__name__}


def _does_nothing(item: Any) -> bool:
    constant = isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
    return constant or isinstance(item, ast.Import | ast.ImportFrom)
