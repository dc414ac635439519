"""Measure the structure of service/, tables/ and loadtest/: import cycles, modules, parameters, lines of code."""

import ast
import io
import tokenize
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import grimp

from tables.markdown import table

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("spades", "service", "tables", "loadtest")
COUNTED = ("spades", "service", "tables")  # the packages whose functions and lines are counted
MANY_PARAMETERS = 8


class Function(NamedTuple):
    """A function, as `module.name`, and the number of its parameters."""

    name: str
    parameters: int


@cache
def sources() -> dict[str, str]:
    """Return the source text by dotted module name; a package's `__init__` is under the package's own name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text(encoding="utf-8")
    return found


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules that each module imports, anywhere in it, except imports for type checking only."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in sorted(graph.modules)}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return one import cycle with its first module repeated at the end, or an empty list.

    >>> cycle({"a": {"b"}, "b": {"c"}, "c": set()})
    []
    >>> len(cycle({"a": {"b"}, "b": {"a"}}))
    3
    """
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def modules_per_package() -> Counter[str]:
    """Return the number of modules directly in each package, without `__init__` and subpackages."""
    names = sources()
    packages = {name for name in names if any(other.startswith(f"{name}.") for other in names)}
    return Counter(name.rpartition(".")[0] for name in names if "." in name and name not in packages)


def functions() -> list[Function]:
    """Return all functions and methods of `COUNTED`; their parameters do not include `self` and `cls`."""
    return [
        Function(f"{module}.{node.name}", _parameters(node))
        for module, source in sources().items()
        if module.partition(".")[0] in COUNTED
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def long_functions() -> list[Function]:
    """Return the functions with more than `MANY_PARAMETERS` parameters, longest list first."""
    found = (function for function in functions() if function.parameters > MANY_PARAMETERS)
    return sorted(found, key=lambda function: (-function.parameters, function.name))


def lines_of_code(source: str) -> int:
    """Return the number of lines that hold code, without blank lines, comments and docstrings.

    >>> lines_of_code('"A docstring."\\n\\n# A comment.\\nx = (1,\\n     2)  # two lines of code\\n')
    2
    """
    lines: set[int] = set()
    ignored = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in ignored:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def lines_per_package() -> dict[str, int]:
    """Return the lines of code of each package in `COUNTED`."""
    return {
        package: sum(lines_of_code(s) for name, s in sources().items() if name.partition(".")[0] == package)
        for package in COUNTED
    }


def summary() -> str:
    """Return all figures as Markdown."""
    graph = imports()
    lines = lines_per_package()
    parts = [
        f"{len(graph)} modules, {sum(map(len, graph.values()))} imports between them; "
        + (f"cycle: {' -> '.join(circle)}" if (circle := cycle(graph)) else "no cycle"),
        table("package | modules directly in it", sorted(modules_per_package().items())),
        table(f"functions with more than {MANY_PARAMETERS} parameters | parameters", long_functions()),
        table("package | lines of code", [*lines.items(), ("all", sum(lines.values()))]),
    ]
    return "\n\n".join(parts)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = node.args
    named = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    variadic = (arguments.vararg is not None) + (arguments.kwarg is not None)
    return len(named) + variadic - (named[:1] in (["self"], ["cls"]))
