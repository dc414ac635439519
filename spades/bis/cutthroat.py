"""The decision in variant `cutthroat`, in which each of the four players plays alone, as kernels.

The steps are those of `bis`: regular takes, nil, end of game. But all three other players are opponents. Any of them
might ruff, and no partner protects a nil. The table profile has its own `cnil` (`tables.exact`), curves, factors
and mean bids. At the end of the game the bidder races the best of the three others. Scores are by seat in bidding
order. Source: ECAI 2020, Algorithm 1 and appendix G.1, without the partner's part; see
docs/explanation/how-bis-bids.md, "Cutthroat".
"""

from typing import NamedTuple

from spades.bis.estimates import (
    NOT_RULED_OUT,
    Nil,
    NilTerms,
    Regular,
    at_least_certain,
    bag_offset,
    consider_nil,
    contract_is_ten,
    expected_contract_points,
    number_under_rules,
    regular_takes,
    scaled_nil_threshold,
    shifted_threshold,
)
from spades.bis.partnership import (
    CLOSE_RACE,
    DESPERATE_NIL,
    LAST_SEAT_ONE_LESS,
    NO_RULE,
    REGULAR_WINS_TOO,
    Proposal,
    can_win,
    contract_gain,
)
from spades.cards import suits_of
from spades.legal import NIL, NO_BID, contract_of, extra_spades_of, nearest_allowed
from spades.options import Policy
from spades.position import Auction, expected_tricks, without_partner
from spades.rules import Rules
from spades.scoring import TEN_POINTS, contract_points, nil_stake
from spades.tables import Tables

REACH = 140  # points, a little more than a bid of 13; a seat further from the goal cannot win in this round


class Race(NamedTuple):
    """The projected scores if all players make their bids; points."""

    own: float  # points of the bidder
    best: float  # points of the best of the three others
    total: float  # sum of the four bids, tricks


class Finish(NamedTuple):
    """How the end of the game changed a bid."""

    bid: int
    rule: int  # NO_RULE, or the first rule that matched (index in partnership.RULE_NAMES)
    before: int  # the bid before the change
    projected_own: float  # points; this and the next two are 0 if no player can end the game in this round
    projected_best: float  # points
    total: float  # sum of the four bids, tricks


class CutthroatDecision(NamedTuple):
    """A cutthroat bid with the numbers behind it."""

    bid: int
    regular: Regular
    number: int  # tricks: the regular takes as the rules change them
    nil: Nil
    finish: Finish


def bis_cutthroat(
    hand: int,
    auction: Auction,
    scores: tuple[int, int, int, int],
    bags: int,
    allowed: int,
    rules: Rules,
    policy: Policy,
    tables: Tables,
) -> CutthroatDecision:
    """Return the bid of ``hand`` with the numbers behind it.

    ``scores``: points by seat; ``bags``: the bidder's own; ``allowed``: the set of bids that the rules allow;
    ``tables``: those of the table profile.
    """
    alone, extra_spades = without_partner(auction), extra_spades_of(rules.variant, rules)
    factor = 0.0
    if policy.factor:
        factor = tables.factor[alone.seat, alone.sum_of_bids]
    suits, offset = suits_of(hand), policy.offset + bag_offset(rules)
    regular = regular_takes(suits, 3 - alone.opponents_nils, NO_BID, factor, offset, tables)
    takes = nearest_allowed(regular.takes, regular.takes, allowed)
    if rules.ten_for_200:
        takes, _ = number_under_rules(regular, NIL, allowed, rules, policy)  # the contract is the bid alone
    if policy.certain and not contract_is_ten(takes, NIL, rules):
        takes = at_least_certain(takes, suits[3], extra_spades, NO_BID, allowed)
    threshold = policy.nil_threshold + policy.nil_slope * regular.estimate
    threshold = scaled_nil_threshold(threshold, rules.min_bid - regular.takes, policy.forced_trick, rules)
    if policy.dynamic:
        threshold = expected_contract_points(takes, 0, tables)  # the points that the nil gives up
    if policy.level:
        threshold = shifted_threshold(threshold, policy.nil_shift, rules.nil_points)
    terms = NilTerms(
        threshold=threshold,
        curves=policy.curves,
        honours=policy.spade_honours,
        nils=policy.nils,
        extra_spades=extra_spades,
    )
    nil = consider_nil(suits, alone, terms, allowed, rules, tables)
    bid = 0 if nil.chosen else takes
    finish = Finish(bid, NO_RULE, bid, 0.0, 0.0, 0.0)
    if policy.endgame:
        proposal = Proposal(bid, takes, regular, nil, NO_BID)
        finish = apply_finish(proposal, auction, scores, bags, rules, policy, tables)
    return CutthroatDecision(nearest_allowed(finish.bid, takes, allowed), regular, takes, nil, finish)


def own_and_best(seat: int, scores: tuple[int, int, int, int]) -> tuple[int, int]:
    """Return the score of ``seat`` and the best score of the three others."""
    best = scores[1] if seat == 0 else scores[0]
    for other in range(1, 4):
        if other != seat and scores[other] > best:
            best = scores[other]
    return scores[seat], best


def project_race(bid: int, auction: Auction, scores: tuple[int, int, int, int], rules: Rules, tables: Tables) -> Race:
    """Return the projected scores if the bidder bids ``bid`` and all players make their bids.

    Bids still to come count as the mean bids of their seats.
    """
    seat, b0, b1, b2, _, _, _, _, _ = auction
    tricks = expected_tricks(bid, auction, tables)
    total = tricks[seat]
    best = -1e9
    for other in range(4):
        if other != seat:
            total += tricks[other]
            points = scores[other] + 10.0 * tricks[other]
            if other < seat:
                if rules.ten_for_200:
                    points = scores[other] + float(contract_points(int(tricks[other]), rules))
                points += nil_stake(b0 if other == 0 else (b1 if other == 1 else b2), rules)
            if points > best:
                best = points
    own = float(contract_points(contract_of(bid), rules)) + nil_stake(bid, rules)
    return Race(own=scores[seat] + own, best=best, total=total)


def apply_finish(
    proposal: Proposal,
    auction: Auction,
    scores: tuple[int, int, int, int],
    bags: int,
    rules: Rules,
    policy: Policy,
    tables: Tables,
) -> Finish:
    """Apply the first end-of-game rule that matches to the proposed bid.

    Three other rules for partnerships are left out, because they win no more games, or fewer, when each player plays
    alone. Measured win rates with these rules, in percent: half a trick less if the best of the others bid nil: 50.0
    (+-0.1); more tricks, so that the four bids sum to 14: 49.6 (+-0.3); one trick less if ahead: 49.5 (+-0.4).
    """
    bid, number, _, nil, _ = proposal
    reach = max(rules.nil_points, REACH, TEN_POINTS if rules.ten_for_200 else 0)
    if max(scores[0], scores[1], scores[2], scores[3]) + reach < rules.win:
        return Finish(bid, NO_RULE, bid, 0.0, 0.0, 0.0)
    race = project_race(bid, auction, scores, rules, tables)
    new = bid
    rule = NO_RULE
    # If both reach the same score, the bidder does not win, so the tie counts for the others.
    if race.best >= rules.win and (race.own < rules.win or race.best >= race.own):
        if bid > 0 and race.best - race.own < 20.0:
            rule = CLOSE_RACE
            for more in range(1, 3):
                new = bid + more
                if race.own + contract_gain(NIL, bid, new, rules) > race.best:
                    break
            if new > 13:
                new = 13
        elif (
            bid > 0 and nil.ruled_out == NOT_RULED_OUT and nil.probability >= policy.nil_floor and rules.nil_points > 0
        ):
            rule = DESPERATE_NIL
            new = 0
    elif auction.seat == 3 and can_win(race.own, race.best, rules.win):
        if bid == 0:
            plain = project_race(number, auction, scores, rules, tables)
            if can_win(plain.own, plain.best, rules.win):
                rule = REGULAR_WINS_TOO
                new = number
        elif (
            bid > 1
            and can_win(race.own + contract_gain(NIL, bid, bid - 1, rules), race.best, rules.win)
            and (not rules.bags or bags + 2 < rules.bag_limit)
        ):
            rule = LAST_SEAT_ONE_LESS
            new = bid - 1
    return Finish(new, rule if new != bid else NO_RULE, bid, race.own, race.best, race.total)
