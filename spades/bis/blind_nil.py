"""Blind nil or look, decided before the hand is seen (ECAI 2020, appendix G.3), as kernels.

If the rules allow a blind nil and the side is far enough behind, one of three rules may call for it: partner's Big 6
signal, despair, or the fourth seat after a high sum of bids. The paper's BIS uses the first two, and proposes the third
as future work. So the third is off unless `Policy.blind_frequency` switches it on, as `bis:tuned` does. The tables
`p_ace` and `blind_nil` come from self-play (`ace` and `blind` in `tables.fits`). If the bidder looks, BIS makes the
bid. See docs/explanation/how-bis-bids.md, "Blind nil".
"""

from typing import NamedTuple

from spades.bis.conventions import partner_signalled
from spades.legal import NIL_BIT, is_nil
from spades.options import BIG6, Policy
from spades.position import Auction, allowed_at_turn, sequence_after, tricks_by_seat, tricks_of_sides
from spades.rules import Rules
from spades.scoring import Standing
from spades.tables import Tables, convention_of

# The rule that decided: first the rules against a blind nil, then the rules that call for one.
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

DESPAIR_SUM = 11.0  # tricks; if the four bids sum to less, the opponents' contract is easy (ECAI 2020, footnote 13)
HIGH_SUM = 8  # tricks bid by three players; from this sum on, the fourth holds the ace of spades less than 1 in 4 times


class BlindNil(NamedTuple):
    """The decision before the hand is seen, with the numbers behind it.

    Units are probabilities 0..1, points and tricks.
    """

    rule: int  # index in BLIND_NIL_RULES
    p_ace: float  # probability that the bidder's hand holds the ace of spades
    p_made: float  # probability that a blind nil is made
    expected_points: float  # points of a blind nil without the side's contract
    projected_us: float  # our points if all players make their bids and the bidder bids regularly
    projected_them: float  # the opponents' points in the same case
    total: float  # sum of the four bids, tricks; 0 if a nil has been bid
    frequency: float  # share of cases in which the rule bids blind nil, 0..1
    chosen: bool


def projected_scores(auction: Auction, standing: Standing, tables: Tables) -> tuple[float, float, float]:
    """Return our points and the opponents' points if all players make regular bids, and the sum of the four bids.

    Bids still to come count as their mean bids. No player has bid nil. In first seat, the mean of the last bid is the
    one after the bidder's own mean bid, rounded.
    """
    means, row = tables.mean_bids, auction.sequence
    own = means[row, 0]
    last = means[sequence_after(row, int(own + 0.5)), 2] if auction.seat == 0 else 0.0
    tricks = tricks_by_seat(auction, own, means[row, 1], means[row, 2], last)
    ours, theirs = tricks_of_sides(auction.seat, tricks)
    return standing.us + 10.0 * ours, standing.them + 10.0 * theirs, ours + theirs


def decide_blind_nil(
    auction: Auction, standing: Standing, rules: Rules, policy: Policy, drawn: float, tables: Tables
) -> BlindNil:
    """Return whether to bid blind nil, with the numbers behind the decision.

    ``drawn``: the bidder's random number from `hash_uniform`; ``tables``: those of the table profile.
    """
    seat, partner_bid, total = auction.seat, auction.partner_bid, auction.sum_of_bids
    p_ace = tables.p_ace[seat, total] + 0.0
    p_made = tables.blind_nil[auction.sequence] + 0.0
    points = rules.blind_nil_points * (2.0 * p_made - 1.0)
    to_us = 0.0
    to_them = 0.0
    bids = 0.0
    frequency = 0.0
    nils = auction.opponents_nils > 0 or is_nil(partner_bid)
    if not nils:
        to_us, to_them, bids = projected_scores(auction, standing, tables)
    rule = NO_REASON
    if not policy.blind:
        rule = SWITCHED_OFF
    elif not rules.blind_nil or rules.blind_nil_points == 0:
        rule = RULED_OUT
    elif standing.them - standing.us < rules.blind_nil_deficit:
        rule = NOT_BEHIND
    elif is_nil(partner_bid):
        rule = BESIDE_NIL
    elif not allowed_at_turn(0, auction, rules) & NIL_BIT:
        rule = RULED_OUT
    elif convention_of(rules, policy, standing) == BIG6 and partner_signalled(partner_bid, BIG6):
        rule = BIG6_DEMAND
        frequency = 1.0
        p_ace = 0.0  # partner's signal shows that partner holds it
    elif not nils and to_them >= rules.win and (to_us < rules.win or to_them >= to_us) and bids < DESPAIR_SUM:
        rule = DESPAIR
        frequency = 1.0
    elif seat == 3 and total >= HIGH_SUM and policy.blind_frequency > 0.0:
        rule = FOURTH_SEAT
        frequency = policy.blind_frequency
    chosen = drawn < frequency and p_made >= policy.blind_floor
    return BlindNil(rule, p_ace, p_made, points, to_us, to_them, bids, frequency, chosen)
