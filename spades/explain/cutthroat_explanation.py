"""The explanation of a cutthroat decision, with the same fields as that of a partnership decision.

The numbers come unchanged from the decision. In an end-of-game step, `us` is the bidder's score and `them` the best
score of an opponent.
"""

from spades.bis.cutthroat import CutthroatDecision
from spades.bis.endgame import NO_RULE
from spades.explain.explanation import Explanation, Steps, brief, finish, numbers_of, reasons_of
from spades.explain.reasons import reason
from spades.position import BRIEF, Turn
from spades.scoring import NO_BID


def explain_cutthroat(made: CutthroatDecision, turn: Turn, bid: int) -> Explanation:
    """Return the explanation of a decision; ``bid`` is the bid in the answer, after rules and `legal_bids`."""
    by_rules, regular, number, nil, end = made
    steps = Steps(adjustments=[], reasons=[])
    if number != regular.takes and not nil.chosen:
        steps.add_rules(regular.takes, number)
    if end.rule != NO_RULE:
        projected = end.projected_own, end.projected_best, end.total
        steps.add_end(end.rule, end.before, end.bid, projected, turn)
    if by_rules != end.bid:
        steps.add_rules(end.bid, by_rules)
    if bid != by_rules:
        steps.add_legal(by_rules, bid)
    reasons = reasons_of(bid, regular, nil, steps, [reason("alone")], NO_BID, 0)
    return brief(reasons) if turn.explain == BRIEF else finish(numbers_of(regular, nil), steps, reasons)
