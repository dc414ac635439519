"""Values of command-line arguments that several commands read."""

import argparse
import json


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
