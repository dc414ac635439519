"""The explanation of a cutthroat decision, with the same fields as that of a partnership decision.

The numbers come unchanged from the decision. In an end-of-game step, `us` is the bidder's score and `them` the best
score of an opponent.
"""

from typing import Any

from service.bidding.bis.cutthroat import CutthroatDecision
from service.bidding.bis.endgame import CLOSE_RACE, DESPERATE_NIL, LAST_SEAT_LESS, NO_RULE, RULE_NAMES, SAFE_REGULAR
from service.bidding.explain.explanation import (
    legal_adjustment,
    mean_bids_after,
    nil_in_words,
    numbers_of,
    rules_adjustment,
    tricks_in_words,
)

_WHY = {
    CLOSE_RACE: "an opponent wins by less than 20 when all make their bids: bid to come out ahead",
    DESPERATE_NIL: "an opponent wins by 20 or more when all make their bids: a nil that is likely enough",
    SAFE_REGULAR: "the regular bid wins the game too: no need for a nil",
    LAST_SEAT_LESS: "one trick less wins the game too, and two more bags bring no penalty",
}


def explain_cutthroat(made: CutthroatDecision, bid: int, bids: tuple[int, ...], tables: Any) -> dict[str, Any]:
    """Return the explanation of the decision ``made`` after ``bids``; ``bid`` is the answered (legal) bid."""
    finish = made.finish
    adjustments: list[dict[str, Any]] = []
    if _forced(made):
        adjustments.append(rules_adjustment(made.regular.takes, made.number))
    if finish.rule != NO_RULE:
        adjustments.append(
            {
                "rule": RULE_NAMES[finish.rule],
                "before": finish.before,
                "after": finish.bid,
                "why": _WHY[finish.rule],
                "projected": {
                    "us": finish.projected_own,
                    "them": finish.projected_best,
                    "sum_of_bids": finish.total,
                    "mean_bids": mean_bids_after((*bids, finish.before), tables),
                },
            }
        )
    if made.bid != finish.bid:
        adjustments.append(rules_adjustment(finish.bid, made.bid))
    if bid != made.bid:
        adjustments.append(legal_adjustment(made.bid, bid))
    return {
        **numbers_of(made.regular, made.nil),
        "adjustments": adjustments,
        "sentence": _sentence(made, bid),
    }


def _forced(made: CutthroatDecision) -> bool:
    """Return whether the rules changed the number that the policy bids or would have bid."""
    return made.number != made.regular.takes and not made.nil.chosen


def _sentence(made: CutthroatDecision, bid: int) -> str:
    finish = made.finish
    adjusted = f"; {made.number} is the nearest that the rules allow" if _forced(made) else ""
    if finish.rule != NO_RULE:
        adjusted += f"; {_WHY[finish.rule]}"
    if made.bid != finish.bid:
        adjusted += f"; the rules don't allow {finish.bid or 'nil'} here"
    if bid != made.bid:
        adjusted += f"; {made.bid or 'nil'} is not legal here"
    return (
        f"For oneself against three: about {tricks_in_words(made.regular)}; "
        f"{nil_in_words(made.nil)}{adjusted}: bid {bid or 'nil'}."
    )
