"""BIS (ECAI 2020, Algorithm 1) as one kernel: regular takes, nil, convention, end of game, rules, in that order."""

from typing import Any, NamedTuple

from service.bidding.bis.conventions import SILENCE, Spoken, answer, signal, signalled
from service.bidding.bis.endgame import UNTOUCHED, Endgame, adjust
from service.bidding.bis.nil import OPEN, Nil, leaned_threshold, partnership_threshold, ruled_out, weigh_nil
from service.bidding.bis.regular import Regular, count_suits
from service.bidding.bis.stakes import AS_COUNTED, NIL_STAKE, bag_offset, number_of, staked
from service.bidding.game.auction import read_auction
from service.bidding.game.legal import within
from service.bidding.game.rules import JOKERS, PARTNERSHIP, Rules
from service.bidding.game.variants import RANKS_OF_JOKERS, nil_threshold
from service.bidding.policies import NO_CONVENTION, Policy
from service.bidding.record import record
from service.bidding.setting import convention_of


class BisDecision(NamedTuple):
    """A BIS bid with all that made it."""

    bid: int
    regular: Regular
    number: int  # the regular takes as the rules have them
    number_rule: int  # stakes.AS_COUNTED, or what changed them
    nil: Nil
    spoken: Spoken  # what the convention made of it
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
    t: Any,
) -> BisDecision:
    """The bid of the hand in ``seat`` after the previous bids; scores from its own side.

    ``allowed``: the set of bids that the rules allow; ``t``: the setting's tables.
    """
    partner, nils, total, sequence = read_auction(seat, b0, b1, b2)
    factor = 0.0
    if policy.factor:
        factor = t.factor[seat, total]
    suits = hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48
    regular = count_suits(suits, 2 - nils, partner, factor, policy.offset + bag_offset(rules), t)
    # What the rules and a variant force is known to all that follows. Calls that would change nothing are not made:
    # in plain Python they are what an ordinary decision would spend a tenth of its time on.
    takes = regular.takes
    ruled = AS_COUNTED
    if rules.ten_for_200 or not allowed >> takes & 1:
        takes, ruled = number_of(takes, regular.estimate, partner, policy.ten_from, allowed, rules)
    threshold = policy.nil_threshold
    variant = PARTNERSHIP if policy.ignores else rules.variant
    if variant != PARTNERSHIP:
        threshold = nil_threshold(variant, policy, regular.estimate, takes)
    if rules.nil_points < NIL_STAKE or rules.min_bid:
        threshold = staked(threshold, rules.min_bid - regular.takes, policy.forced_trick, rules)
    if policy.dynamic:
        threshold = partnership_threshold(regular.takes, partner, sequence, t)
    if policy.level:
        threshold = leaned_threshold(threshold, policy.nil_off, rules.nil_points)
    convention = policy.convention
    asked = False
    unasked_threshold = threshold
    if convention != NO_CONVENTION:
        convention = convention_of(rules, policy, us, them)
        asked = signalled(seat, b0, b1, convention)
        if asked:
            threshold = min(threshold, staked(policy.answer_threshold, 0, 0.0, rules))
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
        t,
        RANKS_OF_JOKERS if variant == JOKERS else 0,
    )
    bid = 0 if nil.chosen else takes
    spoken = SILENCE
    if convention != NO_CONVENTION:
        if asked and nil.chosen:
            unasked = bid
            if (
                nil.expected_points <= unasked_threshold
                or ruled_out(suits[3], partner, policy.spade_honours, policy.nils, allowed) != OPEN
            ):
                unasked = takes
            spoken = answer(unasked, convention)
        else:
            spoken = signal(hand, seat, bid, regular.takes, convention, policy.signal_takes, allowed)
        bid = spoken.bid
    if not policy.endgame or allowed & (allowed - 1) == 0:
        end = record(Endgame, (bid, UNTOUCHED, bid, 0.0, 0.0, 0.0))
        return record(BisDecision, (within(bid, takes, allowed), regular, takes, ruled, nil, spoken, end))
    end = adjust(
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
        t,
    )
    return record(BisDecision, (within(end.bid, takes, allowed), regular, takes, ruled, nil, spoken, end))
