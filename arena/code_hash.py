"""A hash of the code that a module runs: its own definitions, and those of this project that they name.

A definition is a function, a class or an assignment at the top level of a module. The hash covers the definitions of
the module itself, the definitions that their names mean, and so on. Each counts by its syntax tree, not by its place:

- A definition of another module that nothing names does not count.
- Moving a definition to another module does not change the hash.

Statements that define nothing, and functions and classes with a decorator, may do something when a module is imported.
So these count in every module that is imported on the way. The hash assumes that a top-level name means one thing only
(`_parsed` refuses others), and that an assignment changes nothing but its names.

Layout, comments, docstrings and the annotations of arguments and variables do not count. Annotations of class fields
do, because `Rules` and `Policy` declare values in them. All supported versions of Python give the same hash. Names are
followed through imports and through modules, but not through texts such as the argument of `import_module`.

The manifest records the hash of each family (`tables.run.state`). Together with numba's version, the hash also marks
chunks, so that chunks of different code are not mixed: in the build's checkpoints, and on the workers of a cluster.
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

ROOT = Path(__file__).resolve().parents[1]
OWN = ("spades", "arena", "tables", "studio", "report")  # the packages of this project that make or use tables
# Fields of syntax trees that do not change what code does; some versions of Python do not have all of them.
LEFT_OUT = {"ctx", "kind", "returns", "type_comment", "type_ignores", "type_params"}
# The source text of each module. It is read at import, when Python reads the code too. Text that is read later could
# have changes that this process does not run.
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text(encoding="utf-8")
    for package in OWN
    for path in ROOT.glob(f"{package}/**/*.py")
}
# Modules that decide no cell of a table although `policies`, `tableset` or `jit` import them: those that only the
# service runs, and the list of the modules to compile, whose functions count where they are called.
UNCOUNTED = (
    "spades.explanations",
    "spades.reasons",
    "spades.winprob.decision",
    "spades.winprob.outcome_values",
    "spades.winprob.weights",
    "arena.engine.compiled_modules",
)
# Packages of the library whose `__init__` only imports names for its users. Otherwise every family would count all that
# the import of any module of these packages does.
FACES = ("spades", "spades.bis", "spades.inference", "spades.play", "spades.winprob")
KEEP_NOTHING = ("cache", "dataclass")  # decorators that do not register what they decorate anywhere
_IMPORT = ""  # instead of a definition's name: the statements that do something when a module is imported
_PARSING = Lock()  # in Python 3.11, `ast.parse` may fail while another thread runs it


class Definition(NamedTuple):
    """What a top-level name of a module means, or what importing the module does (_IMPORT)."""

    trees: list[str]  # sha256 of the syntax tree of each statement
    names: set[str]  # names in these statements


class Module(NamedTuple):
    """The definitions and the imports of a module."""

    definitions: dict[str, Definition]  # by name; also for _IMPORT
    imports: dict[str, str]  # local name: full name, such as "arena.engine.deal.below"


def code_hash(*modules: str, sources: dict[str, str] = SOURCES) -> str:
    """Return the sha256 of the `definitions` of ``modules``, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(list(definitions(*modules, sources=sources).values())).encode()).hexdigest()


def definitions(*modules: str, sources: dict[str, str] = SOURCES) -> dict[tuple[str, str], object]:
    """Return all definitions of ``modules``, and all that they name in ``sources`` without UNCOUNTED, in a fixed order.

    Keys are (module, name). A value is a list: the hashes of the definition's syntax trees, and for each of its names
    the definitions that it means, as places in this order. So no value depends on the names of modules. A module that
    is not in ``sources``, such as one of the tests, must have been imported.
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
    for module, name in order:  # `placed` appends to it during the loop
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
    """Return the definitions that an imported name means.

    A module means all of its definitions. A name from outside this project means none.
    """
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
    """Return ``modules``, all in ``sources`` that Python imports with them, and their packages, without UNCOUNTED."""
    found: dict[str, None] = {}
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module in sources and module not in found and module not in FACES and _counts(module):
            found[module] = None
            todo += _parsed(sources[module]).imports.values()
        if "." in module:
            todo.append(module.rpartition(".")[0])  # the package of a module, or the module of a name
    return list(found)


def _counts(module: str) -> bool:
    return not any(module == name or module.startswith(f"{name}.") for name in UNCOUNTED)


@cache
def chunk_code(*modules: str) -> str:
    """Return a hash of the code of ``modules`` and of numba's version, which decide a chunk: 16 hexadecimal digits."""
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
    """Return a part of a syntax tree as JSON values, and add the names in it to ``names``.

    Docstrings, other constants that stand alone, and imports are left out. `ast.dump` would differ between versions of
    Python.
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
