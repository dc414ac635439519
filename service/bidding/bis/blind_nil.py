"""Blind nil or look: decided before the hand is seen (bis.md section 3, ECAI 2020 appendix G.3), as kernels.

Where the rules allow it and the side is far enough behind, one of three rules may call for it: partner's Big 6,
despair, or fourth seat after a high sum. `p_ace` and `blind_nil` come from self-play (`tables.builders.ace_of_spades`,
`tables.builders.blind_nil`). What the bidder does once it has looked is no matter of this module.
"""

from typing import Any, NamedTuple

from service.bidding.bis.conventions import partner_signalled
from service.bidding.game.auction import NO_BID, partner_bid, sequence_index, sum_of_bids
from service.bidding.game.legal import NIL_BIT, allowed_bids
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import is_nil
from service.bidding.policies import BIG6, Policy
from service.bidding.table_profile import convention_of

# The rule that spoke: first those that rule a blind nil out, then those that call for one.
NO_REASON, SWITCHED_OFF, RULED_OUT, NOT_BEHIND, BESIDE_NIL, BIG6_DEMAND, DESPAIR, FOURTH_SEAT = range(8)
BLIND_NIL_RULES = (
    "look",
    "policy-never",
    "against-rules",
    "not-far-behind",
    "partner-nil",
    "big6",
    "despair",
    "fourth-seat",
)

DESPAIR_SUM = 11.0  # tricks: below it the opponents' contract is easy (ECAI 2020, footnote 13)
HIGH_SUM = 8  # tricks bid by three: from here on the fourth hand holds the ace of spades less often than any hand


class BlindNil(NamedTuple):
    """What makes the decision before the hand is seen; probabilities 0..1, points, tricks."""

    rule: int
    p_ace: float  # that our hand holds the ace of spades
    p_made: float  # that a blind nil is made
    expected_points: float  # of a blind nil, the side's contract aside
    projected_us: float  # scores when everyone makes her bid, ours regular
    projected_them: float
    total: float  # the four bids
    frequency: float  # with which the rule bids it
    chosen: bool


def hash_uniform(seed: int) -> float:
    """A number in [0, 1) drawn by ``seed``, an int 0..2^53: the same everywhere ("lowbias32", Wellons, 2018).

    >>> round(lot(1), 4), round(lot(2), 4)
    (0.4083, 0.8167)
    """
    x = (seed ^ seed >> 32) & 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return (x ^ x >> 16) / 4294967296.0


def projected_scores(
    seat: int, b0: int, b1: int, b2: int, us: int, them: int, tables: Any
) -> tuple[float, float, float]:
    """Both sides' points when everyone makes a regular bid, and the four bids' sum; bids to come at their means.

    Nobody has bid nil. In first seat the last bid's mean is that after our own, rounded.
    """
    means = tables.mean_bids
    row = sequence_index(seat, b0, b1, b2)
    ours = means[row, 0]
    theirs = 0.0
    if seat == 0:
        theirs = means[row, 1] + means[sequence_index(1, int(ours + 0.5), NO_BID, NO_BID), 2]
        ours += means[row, 2]
    elif seat == 1:
        ours += means[row, 2]
        theirs = b0 + means[row, 1]
    elif seat == 2:
        ours += b0
        theirs = b1 + means[row, 1]
    else:
        ours += b1
        theirs = 0.0 + b0 + b2
    return us + 10.0 * ours, them + 10.0 * theirs, ours + theirs


def decide_blind_nil(
    seat: int, b0: int, b1: int, b2: int, us: int, them: int, rules: Rules, policy: Policy, drawn: float, tables: Any
) -> BlindNil:
    """Whether to bid blind nil in ``seat``; scores from the bidder's side.

    ``drawn``: its `hash_uniform`; ``tables``: the setting's tables.
    """
    row = sequence_index(seat, b0, b1, b2)
    total = sum_of_bids(seat, b0, b1, b2)
    p_ace = tables.p_ace[seat, total] + 0.0
    p_made = tables.blind_nil[row] + 0.0
    points = rules.blind_nil_points * (2.0 * p_made - 1.0)
    to_us = 0.0
    to_them = 0.0
    bids = 0.0
    frequency = 0.0
    nils = (seat > 0 and is_nil(b0)) or (seat > 1 and is_nil(b1)) or (seat > 2 and is_nil(b2))
    if not nils:
        to_us, to_them, bids = projected_scores(seat, b0, b1, b2, us, them, tables)
    rule = NO_REASON
    if not policy.blind:
        rule = SWITCHED_OFF
    elif not rules.blind_nil or rules.blind_nil_points == 0:
        rule = RULED_OUT
    elif them - us < rules.blind_nil_deficit:
        rule = NOT_BEHIND
    elif seat > 1 and is_nil(partner_bid(seat, b0, b1)):
        rule = BESIDE_NIL
    elif not allowed_bids(0, seat, b0, b1, rules) & NIL_BIT:
        rule = RULED_OUT
    elif convention_of(rules, policy, us, them) == BIG6 and partner_signalled(seat, b0, b1, BIG6):
        rule = BIG6_DEMAND
        frequency = 1.0
        p_ace = 0.0  # partner shows it
    elif not nils and to_them >= rules.win and (to_us < rules.win or to_them >= to_us) and bids < DESPAIR_SUM:
        rule = DESPAIR
        frequency = 1.0
    elif seat == 3 and total >= HIGH_SUM:
        rule = FOURTH_SEAT
        frequency = policy.blind_frequency
    chosen = drawn < frequency and p_made >= policy.blind_floor
    return BlindNil(rule, p_ace, p_made, points, to_us, to_them, bids, frequency, chosen)
