"""Numbers in texts that a caller or an operator writes: plain ASCII decimals.

Python's `int` and `float` also take underscores, spaces, the digits of other scripts, exponents, `inf` and `nan`. A
policy text, a setting or an argument with one of those is a mistake, so these two functions refuse it. As `type=` of an
argparse argument their names make the error: "invalid integer value: '1_0'".
"""

import re

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")


def integer(text: str) -> int:
    """The integer that ``text`` spells: a sign or none, then ASCII digits; raise `ValueError` for anything else.

    >>> integer("-12")
    -12
    """
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"found {text!r}; expected an integer such as 5 or -12")
    return int(text)


def decimal(text: str) -> float:
    """The number that ``text`` spells: as `integer`, with a fraction or none; raise `ValueError` for anything else.

    >>> decimal("-0.25"), decimal(".5"), decimal("3")
    (-0.25, 0.5, 3.0)
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"found {text!r}; expected a number such as 3 or -0.25")
    return float(text)
