"""BIS (ECAI 2020, Algorithm 1) as one kernel: regular takes, nil, convention and end of game, in that order.

Before the nil step, the rules, the variant and the policy's options may change the number of tricks to bid and the
nil threshold. At the end, if the rules do not allow the bid, the nearest allowed bid replaces it.
"""

from typing import NamedTuple

from spades.bis.conventions import (
    NO_CONVENTION_STEP,
    ConventionStep,
    answer_signal,
    is_signal,
    partner_signalled,
    reserved_bid,
    signal,
)
from spades.bis.endgame import NO_RULE, Endgame, Proposal, apply_endgame, out_of_reach
from spades.bis.nil import (
    NIL_STAKE,
    NOT_RULED_OUT,
    Nil,
    NilTerms,
    consider_nil,
    partnership_threshold,
    ruled_out,
    scaled_nil_threshold,
    shifted_threshold,
)
from spades.bis.regular import (
    AS_COUNTED,
    CERTAIN,
    Regular,
    at_least_certain,
    bag_offset,
    contract_is_ten,
    number_under_rules,
    regular_takes,
)
from spades.cards import suits_of
from spades.legal import extra_spades_of, nearest_allowed, nil_threshold
from spades.options import NO_CONVENTION, Policy
from spades.position import Auction
from spades.rules import PARTNERSHIP, Rules
from spades.scoring import NO_BID, Standing
from spades.tables import Tables, convention_of

MANY_SPADES = 9  # up to this many spades, a hand's certain tricks are at most its `spade_takes`


class BisDecision(NamedTuple):
    """A BIS bid with the numbers behind it."""

    bid: int
    regular: Regular
    number: int  # tricks to bid if not nil, before convention and end of game; 0 if the rules allow only nil
    number_rule: int  # what changed the number, an index in regular.NUMBER_RULES; regular.AS_COUNTED if nothing did
    nil: Nil
    convention_step: ConventionStep  # what the convention did
    endgame: Endgame


def bis(
    hand: int, auction: Auction, standing: Standing, allowed: int, rules: Rules, policy: Policy, tables: Tables
) -> BisDecision:
    """Return the bid of ``hand`` with the numbers behind it.

    ``allowed``: the set of bids that the rules allow; ``tables``: those of the table profile.
    """
    seat, _, _, _, partner_bid, opponents_nils, sum_of_bids, _ = auction
    factor = 0.0
    if policy.factor:
        factor = tables.factor[seat, sum_of_bids]
    suits, offset = suits_of(hand), policy.offset + bag_offset(rules)
    ruffers = 2 - opponents_nils
    regular = regular_takes(suits, ruffers, partner_bid, factor, offset, tables)
    # From here on, the rules, the variant and the options may change the number and the threshold. Calls that would
    # change nothing are skipped: in plain Python they would take a tenth of the time of an ordinary decision.
    number = regular.takes
    number_rule = AS_COUNTED
    if rules.ten_for_200 or not allowed >> number & 1:
        number, number_rule = number_under_rules(regular, partner_bid, allowed, rules, policy)
    threshold = policy.nil_threshold
    variant = PARTNERSHIP if policy.ignores else rules.variant
    extra_spades = 0
    if variant != PARTNERSHIP:
        threshold = nil_threshold(variant, policy, regular.estimate, number)
        extra_spades = extra_spades_of(variant, rules)
    # Most hands need no count of the certain tricks: up to MANY_SPADES spades, there are at most `spade_takes` of them.
    spades = suits[3]
    many = spades.bit_count() > MANY_SPADES
    if policy.certain and (many or number < tables.spade_takes[spades, 0]):
        certain = at_least_certain(number, spades, extra_spades, partner_bid, allowed)
        if certain > number and not contract_is_ten(number, partner_bid, rules):
            number, number_rule = certain, CERTAIN
    if rules.nil_points < NIL_STAKE or rules.min_bid:
        threshold = scaled_nil_threshold(threshold, rules.min_bid - regular.takes, policy.forced_trick, rules)
    if policy.dynamic:
        threshold = partnership_threshold(regular.takes, auction, tables)
    if policy.level:
        threshold = shifted_threshold(threshold, policy.nil_shift, rules.nil_points)
    convention = policy.convention
    asked = False
    unasked_threshold = threshold
    if convention != NO_CONVENTION:
        convention = convention_of(rules, policy, standing)
        asked = partner_signalled(partner_bid, convention)
        if asked:
            threshold = min(threshold, scaled_nil_threshold(policy.answer_threshold, 0, 0.0, rules))
    honours = 1 if asked else policy.spade_honours
    terms = NilTerms(
        threshold=threshold, curves=policy.curves, honours=honours, nils=policy.nils, extra_spades=extra_spades
    )
    nil = consider_nil(suits, auction, terms, allowed, rules, tables)
    bid = 0 if nil.chosen else number
    step = NO_CONVENTION_STEP
    if convention != NO_CONVENTION:
        if asked and nil.chosen:
            unasked = bid
            if (
                nil.expected_points <= unasked_threshold
                or ruled_out(suits[3], partner_bid, policy.spade_honours, policy.nils, allowed) != NOT_RULED_OUT
            ):
                unasked = number
            step = answer_signal(unasked, convention)
        else:
            step = signal(hand, seat, bid, regular.takes, convention, policy.signal_takes, allowed)
        bid = step.bid
    signalled = convention != NO_CONVENTION and is_signal(step.rule)
    only_one_allowed = allowed & (allowed - 1) == 0
    if signalled or not policy.endgame or only_one_allowed or out_of_reach(standing, rules):
        end = Endgame(bid=bid, rule=NO_RULE, before=bid, projected_us=0.0, projected_them=0.0, total=0.0)
    else:
        reserved = reserved_bid(convention, seat) if convention != NO_CONVENTION else NO_BID
        proposal = Proposal(bid=bid, number=number, regular=regular, nil=nil, reserved=reserved)
        end = apply_endgame(proposal, auction, standing, allowed, rules, policy, tables)
    return BisDecision(
        bid=nearest_allowed(end.bid, number, allowed),
        regular=regular,
        number=number,
        number_rule=number_rule,
        nil=nil,
        convention_step=step,
        endgame=end,
    )
