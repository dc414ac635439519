"""The decision where each of the four plays for herself (variant `cutthroat`), as kernels.

As in `bis`: regular takes, nil, end of game, in that order; but all three others are opponents. Any of them might cut,
none covers a nil (the setting's `cnil` is exact for three who want it set), what they bid says nothing of a partner
(the setting's own curves, factor and mean bids), and the race is against the best of three. Scores come by seat in
bidding order. Source: ECAI 2020, Algorithm 1 and appendix G.1, with a partner's part left out; bis.md section 3.
"""

from typing import Any, NamedTuple

from service.bidding.bis.endgame import (
    CLOSE_RACE,
    DESPERATE_NIL,
    LAST_SEAT_LESS,
    NO_RULE,
    SAFE_REGULAR,
    can_win,
)
from service.bidding.bis.nil import NOT_RULED_OUT, Nil, consider_nil, expected_contract_points, shifted_threshold
from service.bidding.bis.regular import Regular, count_takes, previous_bids_factor
from service.bidding.bis.stakes import bag_offset, scaled_nil_threshold
from service.bidding.game.auction import NO_BID, sequence_index
from service.bidding.game.legal import nearest_allowed
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import contract_of, is_nil, nil_stake
from service.bidding.policies import Policy

REACH = 140  # points of a bid of 13, and some: a seat further from the goal can't win in this round


class Race(NamedTuple):
    """Where a round leads when everyone makes her bid; points."""

    own: float
    best: float  # of the three others
    total: float  # sum of the four bids, tricks


class Finish(NamedTuple):
    """What the end of the game made of a bid."""

    bid: int
    rule: int  # UNTOUCHED, or the first rule that matched (of endgame.RULE_NAMES)
    before: int
    projected_own: float  # points; all three 0 where the end of the game was out of reach
    projected_best: float
    total: float


class CutthroatDecision(NamedTuple):
    """A bid for oneself with all that made it."""

    bid: int
    regular: Regular
    number: int  # the regular takes as the rules have them
    nil: Nil
    finish: Finish


def bis_cutthroat(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    scores: tuple[int, int, int, int],
    bags: int,
    rules: Rules,
    policy: Policy,
    allowed: int,
    tables: Any,
) -> CutthroatDecision:
    """The bid of the hand in ``seat`` after the previous bids; ``scores`` by seat, ``bags`` the bidder's own.

    ``allowed``: the set of bids that the rules allow; ``tables``: the setting's tables.
    """
    factor = previous_bids_factor(seat, b0, b1, b2, tables) if policy.factor else 0.0
    ruffers = 3 - nils_bid(seat, b0, b1, b2)
    regular = count_takes(hand, ruffers, NO_BID, factor, policy.offset + bag_offset(rules), tables)
    takes = nearest_allowed(regular.takes, regular.takes, allowed)
    threshold = policy.nil_threshold + policy.nil_slope * regular.estimate
    threshold = scaled_nil_threshold(threshold, rules.min_bid - regular.takes, policy.forced_trick, rules)
    if policy.dynamic:
        threshold = expected_contract_points(takes, 0, tables)  # what the nil gives up
    if policy.level:
        threshold = shifted_threshold(threshold, policy.nil_shift, rules.nil_points)
    nil = consider_nil(
        hand,
        0,  # no partner's nil is in the way
        NO_BID,
        NO_BID,
        sequence_index(seat, b0, b1, b2),
        policy.curves,
        threshold,
        policy.spade_honours,
        policy.nils,
        rules.nil_points,
        allowed,
        tables,
    )
    bid = 0 if nil.chosen else takes
    finish = Finish(bid, NO_RULE, bid, 0.0, 0.0, 0.0)
    if policy.endgame:
        finish = apply_finish(seat, b0, b1, b2, bid, takes, nil, policy, scores, bags, rules, tables)
    return CutthroatDecision(nearest_allowed(finish.bid, takes, allowed), regular, takes, nil, finish)


def nils_bid(seat: int, b0: int, b1: int, b2: int) -> int:
    """How many of the previous bids are nils."""
    nils = 1 if seat > 0 and is_nil(b0) else 0
    if seat > 1 and is_nil(b1):
        nils += 1
    if seat > 2 and is_nil(b2):
        nils += 1
    return nils


def own_and_best(seat: int, scores: tuple[int, int, int, int]) -> tuple[int, int]:
    """The score of ``seat`` and the best of the three others."""
    best = scores[1] if seat == 0 else scores[0]
    for other in range(1, 4):
        if other != seat and scores[other] > best:
            best = scores[other]
    return scores[seat], best


def project_race(
    seat: int, b0: int, b1: int, b2: int, bid: int, scores: tuple[int, int, int, int], rules: Rules, tables: Any
) -> Race:
    """The race when the bidder in ``seat`` bids ``bid``; bids still to come are the mean bids of their seats."""
    sequence = 0
    if seat == 0:
        sequence = sequence_index(1, bid, NO_BID, NO_BID)
    elif seat == 1:
        sequence = sequence_index(2, b0, bid, NO_BID)
    elif seat == 2:
        sequence = sequence_index(3, b0, b1, bid)
    total = float(contract_of(bid))
    best = -1e9
    for other in range(4):
        if other == seat:
            continue
        tricks = 0.0
        stake = 0
        if other < seat:
            made = b0 if other == 0 else (b1 if other == 1 else b2)
            tricks += contract_of(made)
            stake = nil_stake(made, rules)
        else:
            tricks += tables.mean_bids[sequence, other - seat - 1]
        total += tricks
        points = scores[other] + 10.0 * tricks + stake
        if points > best:
            best = points
    return Race(scores[seat] + 10.0 * contract_of(bid) + nil_stake(bid, rules), best, total)


def apply_finish(
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    bid: int,
    takes: int,
    nil: Nil,
    policy: Policy,
    scores: tuple[int, int, int, int],
    bags: int,
    rules: Rules,
    tables: Any,
) -> Finish:
    """Apply the first end-of-game rule that matches to ``bid`` (0 for a nil, else the number ``takes``).

    Three of a side's seven rules brought nothing, or less, where one plays against three, and are left out: half a
    trick less under the leader's nil won 50.0 (+-.1) percent of games, 14 bid in all 49.6 (+-.3), one less when ahead
    49.5 (+-.4).
    """
    reach = rules.nil_points if rules.nil_points > REACH else REACH
    if max(scores[0], scores[1], scores[2], scores[3]) + reach < rules.win:
        return Finish(bid, NO_RULE, bid, 0.0, 0.0, 0.0)
    race = project_race(seat, b0, b1, b2, bid, scores, rules, tables)
    new = bid
    rule = NO_RULE
    # A level race is no win for us, so it counts as theirs.
    if race.best >= rules.win and (race.own < rules.win or race.best >= race.own):
        if bid > 0 and race.best - race.own < 20.0:
            rule = CLOSE_RACE
            for more in range(1, 3):
                new = bid + more
                if race.own + 10.0 * more > race.best:
                    break
            if new > 13:
                new = 13
        elif (
            bid > 0 and nil.ruled_out == NOT_RULED_OUT and nil.probability >= policy.nil_floor and rules.nil_points > 0
        ):
            rule = DESPERATE_NIL
            new = 0
    elif seat == 3 and can_win(race.own, race.best, rules.win):
        if bid == 0:
            plain = project_race(seat, b0, b1, b2, takes, scores, rules, tables)
            if can_win(plain.own, plain.best, rules.win):
                rule = SAFE_REGULAR
                new = takes
        elif (
            bid > 1
            and can_win(race.own - 10.0, race.best, rules.win)
            and (not rules.bags or bags + 2 < rules.bag_limit)
        ):
            rule = LAST_SEAT_LESS
            new = bid - 1
    return Finish(new, rule if new != bid else NO_RULE, bid, race.own, race.best, race.total)
