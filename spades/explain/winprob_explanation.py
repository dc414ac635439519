"""The explanation of a `winprob` decision: the win probability and the outcomes of each bid, and the reasons.

The only numbers computed here are sums of the outcomes' probabilities, and the scores if all bids are made.
`winprob.outcomes` defines the outcomes.
"""

from spades.bis.nil import NOT_RULED_OUT
from spades.explain.explanation import Explanation, Steps, brief, finish, numbers_of
from spades.explain.reasons import (
    NO_NIL,
    Reason,
    contract_reasons,
    goal_reasons,
    nil_details,
    percent,
    reason,
    tenth_of_percent,
)
from spades.legal import NIL_BIT
from spades.options import Policy
from spades.passing import cards_to_pass
from spades.position import BRIEF, Turn
from spades.rules import Rules
from spades.scoring import NIL, NO_BID, contract_of, contract_points
from spades.winprob.candidates import TIE_TOLERANCE
from spades.winprob.decision import WinDecision, outcome_columns, sum_outcomes
from spades.winprob.features import POSITION_NAMES
from spades.winprob.outcomes import OURS, THEIRS

FEW_BAGS = 3  # a reason names a side's bags if at most this many are missing until the penalty

# By name in an answer, without a nil on the side (False) and with one (True): 1 for each of the side's ways to end the
# round that count for the name, in the order of `winprob.outcomes`.
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


# By (nil on our side, nil on their side), for each name: 1 for each of the OUTCOMES that count for it.
_COUNTED = {
    (nil, their_nil): {name: _column(ways, (1,) * THEIRS) for name, ways in ours.items()}
    | {name: _column((1,) * OURS, ways) for name, ways in theirs.items()}
    for nil, ours in _OURS.items()
    for their_nil, theirs in _THEIRS.items()
}
_NAMES = {sides: tuple(columns) for sides, columns in _COUNTED.items()}
# Matrices for `sum_outcomes`. Their columns are these names, then the names of a hand that bids nil itself.
_COLUMNS = {
    (nil, their_nil): outcome_columns([*columns.values(), *_COUNTED[True, their_nil].values()])
    for (nil, their_nil), columns in _COUNTED.items()
}


def explain_winprob(made: WinDecision, turn: Turn, policy: Policy) -> Explanation:
    """Return the explanation of a decision; with `position.BRIEF` only the win probability and the first reasons.

    Each bid has the probabilities of its outcomes. `made` and `set` are about our contract and sum to 1; `bags`: made
    with two bags or more.
    """
    sides = made.stake > 0, made.their_stake > 0
    names = _NAMES[sides]
    rows = sum_outcomes(made.odds, _COLUMNS[sides])
    outcomes = [dict(zip(names, row)) for row in rows]
    if not made.bids[0]:
        outcomes[0] = dict(zip(_NAMES[True, sides[1]], rows[0][len(names) :]))
    chosen = made.bids.index(made.bid)
    p_win = made.p_win[chosen]
    reasons = _chosen_reasons(made, chosen, outcomes[chosen], turn)
    reasons += _score_reasons(made, chosen, turn)
    reasons += _other_reasons(made, chosen, outcomes, bool(policy.level), turn)
    reasons += _bag_reasons("bags", turn.standing.us_bags, turn)
    reasons += _bag_reasons("their-bags", turn.standing.them_bags, turn)
    if turn.explain == BRIEF:
        return {"p_win": round(p_win, 4), **brief(reasons)}
    explanation = finish(_fields(made, outcomes), Steps([], []), reasons)
    explanation["p_win"] = p_win
    return explanation


def _fields(made: WinDecision, outcomes: list[dict[str, float]]) -> Explanation:
    fields = numbers_of(made.regular, made.nil)
    fields["nil"]["threshold"] = None  # `winprob` does not use the threshold of BIS
    fields["nil"]["chosen"] = made.bid == NIL
    candidates = zip(made.bids, made.p_win, made.contracts, made.opposing, outcomes)
    fields["candidates"] = [
        {"bid": bid, "p_win": p, "contract": ours, "opponents_contract": theirs, "outcomes": odds}
        for bid, p, ours, theirs, odds in candidates
    ]
    fields["inputs"] = dict(zip(POSITION_NAMES, made.inputs))
    return fields


def _chosen_reasons(made: WinDecision, chosen: int, odds: dict[str, float], turn: Turn) -> list[Reason]:
    """Return the reasons about the bid itself: how often it wins, its contract, and how often that is made."""
    bid, partner_bid, total = made.bid, turn.auction.partner_bid, made.contracts[chosen]
    wins = tenth_of_percent(made.p_win[chosen])
    contract = contract_reasons(bid, partner_bid)
    if bid == NIL:
        if partner_bid == NO_BID and total:
            contract = (reason("partner-alone-to-bid", total),)
        reasons: list[Reason] = [
            reason("wins-nil", wins),
            reason("nil-makes", percent(odds["nil_made"])),
            *nil_details(made.nil, _given(turn)),
            *contract,
        ]
    else:
        if partner_bid == NO_BID:
            contract = (reason("partner-to-bid", total - bid, total),)
        reasons = [reason("wins", bid, wins), *contract, reason("makes", percent(odds["made"]))]
        if made.stake:
            reasons.append(reason("partner-nil-makes", percent(odds["nil_made"])))
    if made.their_stake:
        reasons.append(reason("their-nil", percent(odds["opponents_nil_failed"])))
    return reasons


def _score_reasons(made: WinDecision, chosen: int, turn: Turn) -> list[Reason]:
    """Return the reasons about the goals that a side reaches if all bids are made, or if our contract or nil fails."""
    rules, (us, them, _, _) = turn.position.rules, turn.standing
    worth = contract_points(made.contracts[chosen], rules)
    ours = us + worth + made.stake + (rules.nil_points if made.bid == NIL else 0)
    theirs = them + contract_points(made.opposing[chosen], rules) + made.their_stake
    reasons = goal_reasons(ours, theirs, rules.win)
    if theirs >= rules.win and turn.auction.seat < 3:
        partner_bid = turn.auction.partner_bid
        known = turn.auction.sum_of_bids - (0 if partner_bid == NO_BID else contract_of(partner_bid))
        tricks = made.opposing[chosen] - known
        if tricks > 0:
            reasons.append(reason("others-to-bid", tricks))
    if made.bid == NIL:
        failed = us + worth - rules.nil_points
        if failed <= rules.lose:
            reasons.append(reason("loses-if-nil-fails", failed, rules.lose))
    elif us - worth <= rules.lose:
        reasons.append(reason("loses-if-set", us - worth, rules.lose))
    return reasons


def _other_reasons(
    made: WinDecision, chosen: int, outcomes: list[dict[str, float]], drawn: bool, turn: Turn
) -> list[Reason]:
    """Return the reasons about other bids: the next number up, the next down and a nil, or the best number for a nil.

    ``chosen``: index of the bid; ``drawn``: whether a level or style made the bid, so that it may not be the best.
    """
    bid, numbers = made.bid, made.weighed & ~NIL_BIT
    others = []
    if bid == NIL:
        if numbers:
            weighed = [other for other in made.bids if numbers >> other & 1]
            others.append(max(weighed, key=lambda other: made.p_win[made.bids.index(other)]))
    else:
        above, below = numbers >> bid + 1, numbers & (1 << bid) - 1
        if above:
            others.append(bid + (above & -above).bit_length())
        if below:
            others.append(below.bit_length() - 1)
    reasons = [_other_number(made, chosen, made.bids.index(other), outcomes, drawn, turn) for other in others]
    if bid == NIL:
        return reasons or [reason("no-other-bid")]
    if made.weighed & NIL_BIT:  # nil is the first of the bids
        p, better = made.p_win[0], made.p_win[0] > made.p_win[chosen] + TIE_TOLERANCE
        code = ("better-nil" if drawn else "nil-too-close") if better else "nil-wins-less"
        reasons.append(reason(code, percent(outcomes[0]["nil_made"]), tenth_of_percent(p)))
        reasons += nil_details(made.nil, _given(turn))
    elif made.nil.ruled_out != NOT_RULED_OUT:
        reasons.append(reason(NO_NIL[made.nil.ruled_out]))
    return reasons or [reason("no-other-bid")]


def _other_number(
    made: WinDecision, chosen: int, other: int, outcomes: list[dict[str, float]], drawn: bool, turn: Turn
) -> Reason:
    """Return the reason that compares the bid with another number; ``chosen`` and ``other``: indices in `made.bids`.

    A lower contract is made at least as often. Where the net's rough probabilities say otherwise, the reason says only
    how often the other number wins the game.
    """
    bid, p = made.bids[other], made.p_win[other]
    wins = tenth_of_percent(p)
    if p > made.p_win[chosen] + TIE_TOLERANCE:
        return reason("better" if drawn else "too-close" if bid > made.bid > NIL else "close", bid, wins)
    if made.bid == NIL:
        return reason("best-number", bid, wins)
    makes, code = percent(outcomes[other]["made"]), "other-number"
    more_often = makes - percent(outcomes[chosen]["made"])
    if more_often * (made.bid - bid) < 0:
        return reason("other-number-wins", bid, wins)
    if bid < made.bid and more_often > 0:
        rules = turn.position.rules
        if _near_penalty(turn.standing.us_bags, rules):
            code = "lower-bags"
        elif turn.standing.us + contract_points(made.contracts[other], rules) + made.stake < rules.win:
            code = "lower"
    return reason(code, bid, makes, wins)


def _given(turn: Turn) -> int:
    """Return the number of cards that a nil would give to partner."""
    rules = turn.position.rules
    return cards_to_pass(NIL, turn.auction.partner_bid, rules.nil_pass, rules.blind_nil_pass)


def _near_penalty(bags: int, rules: Rules) -> bool:
    return rules.bags > 0 and rules.bag_penalty > 0 and bags > 0 and bags >= rules.bag_limit - FEW_BAGS


def _bag_reasons(code: str, bags: int, turn: Turn) -> list[Reason]:
    """Return how many bags a side has, if a penalty is near."""
    rules = turn.position.rules
    if not _near_penalty(bags, rules):
        return []
    return [reason(code, bags, rules.bag_limit, rules.bag_penalty)]
