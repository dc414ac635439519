"""The explanation of a `winprob` decision: win probability and odds of each candidate bid, and a sentence.

The only numbers computed here are sums of the network's odds; `winprob.outcomes` defines the outcomes.
"""

from typing import Any

from service.bidding.explain.explanation import numbers_of
from service.bidding.winprob.candidates import TIE_TOLERANCE
from service.bidding.winprob.decision import WinDecision, outcome_columns, sum_outcomes
from service.bidding.winprob.features import POSITION_NAMES
from service.bidding.winprob.outcomes import OURS, THEIRS

# The outcomes of a side that count for each name, without a nil on the side (False) and with one (True).
_OURS = {
    False: {"made": (1, 1, 1, 1, 0), "set": (0, 0, 0, 0, 1), "bags": (0, 0, 1, 1, 0)},
    True: {"made": (1, 1, 1, 0, 0), "set": (0, 0, 0, 1, 1), "nil_made": (1, 1, 0, 1, 0), "nil_failed": (0, 0, 1, 0, 1)},
}
_THEIRS = {
    False: {"opponents_set": (0, 0, 0, 1)},
    True: {"opponents_set": (0, 0, 1, 1), "opponents_nil_failed": (0, 1, 0, 1)},
}


def _column(ours: tuple[int, ...], theirs: tuple[int, ...]) -> list[int]:
    return [a * b for a in ours for b in theirs]


# By (nil on our side, nil on their side): names, and the outcomes that count for each.
_COUNTED = {
    (nil, their_nil): {name: _column(ways, (1,) * THEIRS) for name, ways in ours.items()}
    | {name: _column((1,) * OURS, ways) for name, ways in theirs.items()}
    for nil, ours in _OURS.items()
    for their_nil, theirs in _THEIRS.items()
}
_NAMES = {sides: tuple(columns) for sides, columns in _COUNTED.items()}
_COLUMNS = {sides: outcome_columns(list(columns.values())) for sides, columns in _COUNTED.items()}


def explain_winprob(made: WinDecision) -> dict[str, Any]:
    """Return the explanation of a decision.

    Of a candidate's outcomes, `made` and `set` are about our contract and sum to 1; `bags`: made with two bags or more.
    """
    sides = made.stake > 0, made.their_stake > 0
    beside_nil = True, sides[1]
    names, nil_names = _NAMES[sides], _NAMES[beside_nil]
    rows = sum_outcomes(made.odds, _COLUMNS[sides])
    if not made.bids[0]:
        rows[:1] = sum_outcomes(made.odds[:1], _COLUMNS[beside_nil])
    candidates = [
        {
            "bid": bid,
            "p_win": p,
            "contract": ours,
            "opponents_contract": theirs,
            "outcomes": dict(zip(names if bid else nil_names, row)),
        }
        for bid, p, ours, theirs, row in zip(made.bids, made.p_win, made.contracts, made.opposing, rows)
    ]
    numbers = numbers_of(made.regular, made.nil)
    numbers["nil"]["threshold"] = None  # `winprob` does not use the threshold of BIS
    numbers["nil"]["chosen"] = made.bid == 0
    return {
        **numbers,
        "adjustments": [],
        "candidates": candidates,
        "inputs": dict(zip(POSITION_NAMES, made.inputs)),
        "sentence": _sentence(made),
    }


def _sentence(made: WinDecision) -> str:
    chances = {bid: p for bid, p in zip(made.bids, made.p_win) if made.weighed >> bid & 1 or bid == made.bid}
    p = chances.pop(made.bid)
    best = f"{_name(made.bid)}: {100 * p:.1f}% to win"
    if not chances:
        return f"{best}; no other bid is {'weighed' if len(made.bids) > 1 else 'legal'}."
    other = max(chances, key=chances.__getitem__)
    too_little = ", too little more" if chances[other] > p + TIE_TOLERANCE else ""
    return f"{best}; {_name(other).lower()} would be {100 * chances[other]:.1f}%{too_little}."


def _name(bid: int) -> str:
    return str(bid) if bid else "Nil"
