"""What several command lines share: values of arguments, and how a command ends."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import NoReturn

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
