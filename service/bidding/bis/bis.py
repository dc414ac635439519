"""BIS (ECAI 2020, Algorithm 1) as one kernel: regular takes, nil, convention, end of game, rules, in that order."""

from typing import Any, NamedTuple

from service.bidding.bis.conventions import NO_CONVENTION_STEP, ConventionStep, answer_signal, partner_signalled, signal
from service.bidding.bis.endgame import NO_RULE, Endgame, apply_endgame
from service.bidding.bis.nil import NOT_RULED_OUT, Nil, partnership_threshold, ruled_out, shifted_threshold, weigh_nil
from service.bidding.bis.regular import Regular, count_suits
from service.bidding.bis.stakes import AS_COUNTED, NIL_STAKE, bag_offset, number_under_rules, scaled_nil_threshold
from service.bidding.game.auction import read_auction
from service.bidding.game.legal import nearest_allowed
from service.bidding.game.rules import JOKERS, PARTNERSHIP, Rules
from service.bidding.game.variants import RANKS_OF_JOKERS, nil_threshold
from service.bidding.policies import NO_CONVENTION, Policy
from service.bidding.record import record
from service.bidding.table_profile import convention_of


class BisDecision(NamedTuple):
    """A BIS bid with all that made it."""

    bid: int
    regular: Regular
    number: int  # the regular takes as the rules have them
    number_rule: int  # stakes.AS_COUNTED, or what changed them
    nil: Nil
    spoken: ConventionStep  # what the convention made of it
    endgame: Endgame


def bis(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    us: int,
    them: int,
    us_bags: int,
    rules: Rules,
    policy: Policy,
    allowed: int,
    tables: Any,
) -> BisDecision:
    """The bid of the hand in ``seat`` after the previous bids; scores from its own side.

    ``allowed``: the set of bids that the rules allow; ``tables``: the setting's tables.
    """
    partner, nils, total, sequence = read_auction(seat, b0, b1, b2)
    factor = 0.0
    if policy.factor:
        factor = tables.factor[seat, total]
    suits = hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48
    regular = count_suits(suits, 2 - nils, partner, factor, policy.offset + bag_offset(rules), tables)
    # What the rules and a variant force is known to all that follows. Calls that would change nothing are not made:
    # in plain Python they are what an ordinary decision would spend a tenth of its time on.
    takes = regular.takes
    ruled = AS_COUNTED
    if rules.ten_for_200 or not allowed >> takes & 1:
        takes, ruled = number_under_rules(takes, regular.estimate, partner, policy.ten_from, allowed, rules)
    threshold = policy.nil_threshold
    variant = PARTNERSHIP if policy.ignores else rules.variant
    if variant != PARTNERSHIP:
        threshold = nil_threshold(variant, policy, regular.estimate, takes)
    if rules.nil_points < NIL_STAKE or rules.min_bid:
        threshold = scaled_nil_threshold(threshold, rules.min_bid - regular.takes, policy.forced_trick, rules)
    if policy.dynamic:
        threshold = partnership_threshold(regular.takes, partner, sequence, tables)
    if policy.level:
        threshold = shifted_threshold(threshold, policy.nil_shift, rules.nil_points)
    convention = policy.convention
    asked = False
    unasked_threshold = threshold
    if convention != NO_CONVENTION:
        convention = convention_of(rules, policy, us, them)
        asked = partner_signalled(seat, b0, b1, convention)
        if asked:
            threshold = min(threshold, scaled_nil_threshold(policy.answer_threshold, 0, 0.0, rules))
    nil = weigh_nil(
        suits,
        partner,
        sequence,
        policy.curves,
        threshold,
        1 if asked else policy.spade_honours,
        policy.nils,
        rules.nil_points,
        allowed,
        tables,
        RANKS_OF_JOKERS if variant == JOKERS else 0,
    )
    bid = 0 if nil.chosen else takes
    spoken = NO_CONVENTION_STEP
    if convention != NO_CONVENTION:
        if asked and nil.chosen:
            unasked = bid
            if (
                nil.expected_points <= unasked_threshold
                or ruled_out(suits[3], partner, policy.spade_honours, policy.nils, allowed) != NOT_RULED_OUT
            ):
                unasked = takes
            spoken = answer_signal(unasked, convention)
        else:
            spoken = signal(hand, seat, bid, regular.takes, convention, policy.signal_takes, allowed)
        bid = spoken.bid
    if not policy.endgame or allowed & (allowed - 1) == 0:
        end = record(Endgame, (bid, NO_RULE, bid, 0.0, 0.0, 0.0))
        return record(BisDecision, (nearest_allowed(bid, takes, allowed), regular, takes, ruled, nil, spoken, end))
    end = apply_endgame(
        seat,
        b0,
        b1,
        b2,
        bid,
        takes,
        regular.estimate,
        nil.probability,
        nil.ruled_out,
        policy.nil_floor,
        us,
        them,
        us_bags,
        allowed,
        rules,
        tables,
    )
    return record(BisDecision, (nearest_allowed(end.bid, takes, allowed), regular, takes, ruled, nil, spoken, end))
