"""Limits on the JSON of a body, which are checked on its bytes before it is parsed.

The parser holds Python's global lock from the first byte to the last, so it blocks all other requests, even in another
thread. A body of 1 MiB can hold 350,000 empty arrays, which take 75 ms or more. The time is spent on arrays, objects,
their members and escapes, so the number of these is limited. The limit for a single bid is many times what the largest
valid request holds. For each of the `MAX_ITEMS` requests of a batch, it is a little more than that.

| of one request | largest valid | single bid | batch, for each request |
|---|---|---|---|
| brackets: arrays and objects | 10 | 2,048 | 16 |
| commas: their members | 78 | 2,048 | 79 |
| keys: colons after a quote or white space | 49 | 2,048 | 50 |
| backslashes: escapes | 0 | 2,048 | 16 |

A test derives the second column from the JSON schema. The limit of brackets also limits the depth; the parser itself
refuses more than 1,024 levels. Characters within strings are counted too. Valid strings hold only one of them: colons
before a policy's options, which are not counted, because a letter or a digit precedes them. (`game` and `round_id` may
hold any, but such names are unusual, and only a full batch of the largest requests with them exceeds a limit.) The
slowest bodies within the limits hold 25,600 different keys.

A request for a card holds up to twice as much as one for a bid, so POST /v1/cards accepts half as many. A test sends
the largest such body.
"""

from typing import NamedTuple

import numpy as np

from spades.contract.bid_request import MAX_ITEMS
from spades.contract.faults import Fault

_OPENING_BRACE = ord("{")
_COMMA = ord(",")
_COLON = ord(":")
_QUOTE = ord('"')  # all white space of JSON is below it
_BACKSLASH = ord("\\")
_CASE_BIT = ord("{") ^ ord("[")  # set in "{", not set in "["
# Size of the blocks that numpy counts, in a fourth of the time of `bytes.count`. Arrays as long as the body would be so
# large that the system allocates new memory each time, which takes four times as long as the counting.
_BLOCK_BYTES = 64 * 1024


class JsonLimits(NamedTuple):
    """The largest accepted numbers of JSON characters in a body."""

    brackets: int  # "[" and "{"
    commas: int
    keys: int  # colons that follow a quote or white space
    escapes: int  # backslashes


SINGLE_LIMITS = JsonLimits(2048, 2048, 2048, 2048)
BATCH_LIMITS = JsonLimits(16 * MAX_ITEMS, 79 * MAX_ITEMS, 50 * MAX_ITEMS, 16 * MAX_ITEMS)
SMALL_BYTES = min(*SINGLE_LIMITS, *BATCH_LIMITS)  # a body of this size can't exceed a limit


def excess(body: bytes, limits: JsonLimits) -> Fault | None:
    """Return the fault of a body that exceeds ``limits``, or None.

    >>> excess(b"[" * 3000, SINGLE_LIMITS).detail
    'the body has 3000 opening brackets; accepted: at most 2048'
    >>> excess(b'{"seat": 2}', SINGLE_LIMITS)
    """
    if len(body) <= SMALL_BYTES:
        return None
    characters = np.frombuffer(body, np.uint8)
    last = np.zeros(1, np.uint8)  # the character before the block
    brackets = commas = keys = escapes = 0
    for start in range(0, len(body), _BLOCK_BYTES):
        block = characters[start : start + _BLOCK_BYTES]
        brackets += int(np.count_nonzero((block | _CASE_BIT) == _OPENING_BRACE))
        commas += int(np.count_nonzero(block == _COMMA))
        before = np.concatenate((last, block[:-1]))
        keys += int(np.count_nonzero((block == _COLON) & (before <= _QUOTE)))
        last = block[-1:]
        escapes += int(np.count_nonzero(block == _BACKSLASH))
    counts = JsonLimits(brackets, commas, keys, escapes)
    names = ("opening brackets", "commas", "keys", "backslashes")
    for name, count, most in zip(names, counts, limits, strict=True):
        if count > most:
            return Fault("", "too-many-items", f"the body has {count} {name}; accepted: at most {most}")
    return None
