"""The positions of `positions.jsonl`: one request a line, what its answer must be, and what it is now.

- `id`, `path`, `request`: the request, and the endpoint that it goes to.
- `expect`: what the answer must satisfy, by the kinds of `ACCEPTS`. Without it, only a change is reported.
- `reason`: why. `source`: the public page of the position or of its kind.
- `known_error`: why the answer is wrong today. If its test fails, the answer is acceptable now: delete it.
- `answer`: the main fields of the answer, or the pointer and code of each fault. `answers`: the bid of each policy.

`python -m tests.golden` writes `answer` and `answers`; everything else is written by hand.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("positions.jsonl")
MAIN_FIELDS = ("bid", "card", "cards", "blind_nil")

Values = dict[str, Any]

# By kind of expectation: whether an answer is accepted. Nil is the bid 0.
ACCEPTS: dict[str, Callable[[Values, Any], bool]] = {
    "bid_in": lambda answer, wanted: answer["bid"] in wanted,
    "bid_not_in": lambda answer, wanted: answer["bid"] not in wanted,
    "bid_min": lambda answer, wanted: answer["bid"] >= wanted,
    "card_in": lambda answer, wanted: answer["card"] in wanted,
    "card_not_in": lambda answer, wanted: answer["card"] not in wanted,
    "cards_equal": lambda answer, wanted: sorted(answer["cards"]) == sorted(wanted),
    "cards_contain": lambda answer, wanted: set(wanted) <= set(answer["cards"]),
    "blind_nil": lambda answer, wanted: answer["blind_nil"] == wanted,
    "status": lambda answer, wanted: ("errors" in answer) == (wanted == 422),
}


def read_positions() -> list[Values]:
    """Return the positions of the file, in its order."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def write_positions(positions: Sequence[Values]) -> None:
    """Write the file, so that a changed answer is one changed line."""
    FILE.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in positions), encoding="utf-8")


def requests_of(position: Values) -> Iterator[Values]:
    """Return the requests of a position: one, or one for each policy of its `answers`."""
    if "answers" in position:
        yield from ({**position["request"], "policy": policy} for policy in position["answers"])
    else:
        yield position["request"]


def accepted(position: Values) -> bool:
    """Return whether the answer in a position is what the position expects."""
    answer = position["answer"]
    kinds = position.get("expect", {})
    return ("errors" not in answer or "status" in kinds) and all(
        ACCEPTS[kind](answer, wanted) for kind, wanted in kinds.items()
    )
