"""What people write, and the programs that read it: numbers and rules as text, and the commands of a command line.

Python's `int` and `float` also accept underscores, spaces, digits of other scripts, exponents, `inf` and `nan`. In a
policy text, a setting or an argument these are mistakes, so `integer` and `decimal` refuse them. argparse uses the
functions' names in its errors: "invalid integer value: '1_0'".
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NoReturn

# ---- numbers ---------------------------------------------------------------------------------------------------------

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")


def integer(text: str) -> int:
    """Return the integer in ``text``: an optional sign, then ASCII digits; raise `ValueError` for anything else.

    >>> integer("-12")
    -12
    """
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"found {text!r}; accepted: an integer such as 5 or -12")
    return int(text)


def decimal(text: str) -> float:
    """Return the number in ``text``: like `integer`, with an optional fraction; raise `ValueError` for anything else.

    >>> decimal("-0.25"), decimal(".5"), decimal("3")
    (-0.25, 0.5, 3.0)
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"found {text!r}; accepted: a number such as 3 or -0.25")
    return float(text)


# ---- command lines ---------------------------------------------------------------------------------------------------

CLOSED_PIPE = 141  # the exit code of a command that SIGPIPE has ended


def rule(text: str) -> tuple[str, object]:
    """Return a rule's name and its JSON value; a word that is not JSON is a string, as in variant=whiz.

    >>> rule("blind_nil=true"), rule("variant=whiz")
    (('blind_nil', True), ('variant', 'whiz'))
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not a rule; accepted: NAME=VALUE such as blind_nil=true")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


class _CommandParser(argparse.ArgumentParser):
    """The parser of one command. The command's module is imported when its arguments are read."""

    def __init__(self, module: str, **options: Any) -> None:
        super().__init__(**options)
        self._module = module

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        module = import_module(self._module)
        module.add_arguments(self)
        if hasattr(module, "main"):
            self.set_defaults(main=module.main)
        return super().parse_known_args(args, namespace)


def add_commands(parser: argparse.ArgumentParser, dest: str, commands: Mapping[str, tuple[str, str]]) -> None:
    """Add ``commands`` to ``parser``: by name, the module and what the command does.

    A module has `add_arguments(parser)`, and `main(arguments) -> exit status` or commands of its own. It is imported
    only if its command runs. The arguments contain the command's name as ``dest``, and its `main`.
    """
    parsers = parser.add_subparsers(dest=dest, required=True, metavar=dest.upper(), parser_class=_CommandParser)
    for name, (module, text) in commands.items():
        parsers.add_parser(name, module=module, help=text, description=text)


def run_command(main: Callable[[], int]) -> NoReturn:
    """Run ``main`` and exit with its code; end quietly if the reader of standard output has gone, such as `head`."""
    try:
        try:
            code = main()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more when it exits
        code = CLOSED_PIPE
    sys.exit(code)
