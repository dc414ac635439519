"""The library's opinion of a round: its points, and whether the game is over. The referee has another one."""

from collections.abc import Mapping, Sequence
from typing import Any

from spades.legal import BLIND_NIL, BLIND_NUMBER
from spades.rules import CUTTHROAT, make_rules
from spades.scoring import is_over, score_seat, score_side


class Scorekeeper:
    """Keep the score by the library, as a game server in Python would. ``rules``: those of a request."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self._rules = make_rules(rules["preset"], {name: value for name, value in rules.items() if name != "preset"})

    def score(
        self, bids: Sequence[int | str], taken: Sequence[int], bags: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Return the points of a round and the bags after it, as `Referee.score` does."""
        rules = self._rules
        numbers = [_number_of(bid) for bid in bids]
        if rules.variant == CUTTHROAT:
            scored = [score_seat(numbers[seat], taken[seat], bags[seat], rules) for seat in range(4)]
        else:
            scored = [
                score_side(numbers[side], taken[side], numbers[side + 2], taken[side + 2], bags[side], rules)
                for side in range(2)
            ]
        return [points for points, _ in scored], [after for _, after in scored]

    def is_over(self, points: Sequence[int]) -> bool:
        """Return whether a game with these points is over."""
        return is_over(points, self._rules)


def _number_of(bid: int | str) -> int:
    """Return a bid as the library has it.

    >>> _number_of(3), _number_of("blind_nil"), _number_of("blind_6")
    (3, 14, 22)
    """
    if isinstance(bid, int):
        return bid
    return BLIND_NIL if bid == "blind_nil" else BLIND_NUMBER + int(bid.removeprefix("blind_"))
