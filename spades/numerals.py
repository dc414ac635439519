"""Read numbers that a caller or an operator writes: plain ASCII decimals.

Python's `int` and `float` also accept underscores, spaces, digits of other scripts, exponents, `inf` and `nan`. In a
policy text, a setting or an argument these are mistakes, so the two functions refuse them. argparse uses the functions'
names in its errors: "invalid integer value: '1_0'".
"""

import re

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
