"""End-of-game modifications (bis.md section 3, ECAI 2020 appendices E and G.1), as kernels.

Projected score = score + 10 x contract + the side's nil points; bids still to come are the mean bids of
their seats after the bids so far (`mean_bids`, from self-play). A contract of ten that both partners have bid counts
what the rules stake on it. The first rule that matches changes the bid, within the bids that the rules allow.
"""

from typing import Any, NamedTuple

from service.bidding.bis.nil import NOT_RULED_OUT
from service.bidding.bis.regular import limit_takes
from service.bidding.game.auction import NO_BID, opponents_nils, partner_bid, sequence_index
from service.bidding.game.legal import nearest_allowed
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import BLIND_NIL, TEN_POINTS, contract_of, contract_points, nil_stake
from service.bidding.record import record

NO_RULE, ATTACK_NIL, COMPLETE_TO_14, CLOSE_RACE, DESPERATE_NIL, SAFE_REGULAR, LAST_SEAT_LESS, LEAD_LESS = range(8)
RULE_NAMES = (
    "",
    "opponents-nil",
    "complete-to-14",
    "close-race",
    "desperate-nil",
    "regular-wins-too",
    "last-seat-one-less",
    "ahead-one-less",
)


MOST_TRICKS = 14  # of one side: 13, and one more where partner bid 13 and the least bid is 1; mean bids sum to less


class Endgame(NamedTuple):
    """What the end of the game made of a bid; points."""

    bid: int
    rule: int  # UNTOUCHED, or the first rule that matched
    before: int
    projected_us: float
    projected_them: float
    total: float  # sum of the four bids, tricks; 0 where the end of the game was out of reach


def project(
    seat: int, b0: int, b1: int, b2: int, bid: int, us: int, them: int, rules: Rules, tables: Any
) -> tuple[float, float, float]:
    """Both sides' points when the bidder in ``seat`` bids ``bid`` and everyone makes hers, and the four bids' sum."""
    mean_bids = tables.mean_bids
    ours = float(contract_of(bid))
    our_nils = nil_stake(bid, rules)
    their_nils = 0
    if seat == 0:
        sequence = sequence_index(1, bid, -1, -1)
        theirs = mean_bids[sequence, 0] + mean_bids[sequence, 2]
        ours += mean_bids[sequence, 1]
    elif seat == 1:
        sequence = sequence_index(2, b0, bid, -1)
        theirs = contract_of(b0) + mean_bids[sequence, 0]
        ours += mean_bids[sequence, 1]
        their_nils = nil_stake(b0, rules)
    elif seat == 2:
        sequence = sequence_index(3, b0, b1, bid)
        theirs = contract_of(b1) + mean_bids[sequence, 0]
        ours += contract_of(b0)
        our_nils += nil_stake(b0, rules)
        their_nils = nil_stake(b1, rules)
    else:
        theirs = contract_of(b0) + contract_of(b2) + 0.0
        ours += contract_of(b1)
        our_nils += nil_stake(b1, rules)
        their_nils = nil_stake(b0, rules) + nil_stake(b2, rules)
    worth, their_worth = 10.0 * ours, 10.0 * theirs
    if rules.ten_for_200 and seat > 1:
        worth = float(contract_points(int(ours), rules))
        if seat == 3:
            their_worth = float(contract_points(int(theirs), rules))
    return us + worth + our_nils, them + their_worth + their_nils, ours + theirs


def contract_gain(partner: int, bid: int, new: int, rules: Rules) -> int:
    """Points by which a made contract changes with ``new`` for ``bid``, both numbers, beside ``partner``'s bid."""
    if rules.ten_for_200 and partner != NO_BID:
        tricks = contract_of(partner)
        return contract_points(tricks + new, rules) - contract_points(tricks + bid, rules)
    return 10 * (new - bid)


def can_win(projected: float, other: float, win: int) -> bool:
    """Whether a side reaches the goal, and stays in front where both do."""
    return projected >= win and (other < win or projected > other)


def apply_endgame(
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    bid: int,
    takes: int,
    estimate: float,
    nil_probability: float,
    nil_ruled_out: int,
    nil_floor: float,
    us: int,
    them: int,
    us_bags: int,
    allowed: int,
    rules: Rules,
    tables: Any,
) -> Endgame:
    """Apply the first end-of-game rule that matches to ``bid`` (0 for a nil, else the number ``takes``).

    ``allowed``: the set of bids that the rules allow; an adjusted bid is brought into it.
    """
    # Out of reach for both whatever is bid: no side can project more than MOST_TRICKS with a nil, or two nils.
    stake = rules.nil_points
    if rules.blind_nil and rules.blind_nil_points > stake:
        stake = rules.blind_nil_points
    tricks = TEN_POINTS if rules.ten_for_200 else 10 * MOST_TRICKS
    reach = stake + (stake if stake > tricks else tricks)
    win = rules.win
    if us + reach < win and them + reach < win:
        return record(Endgame, (bid, NO_RULE, bid, 0.0, 0.0, 0.0))
    now_us, now_them, total = project(seat, b0, b1, b2, bid, us, them, rules, tables)
    partner = partner_bid(seat, b0, b1)
    new = bid
    rule = NO_RULE
    # A level race is no win for us, so it counts as theirs.
    if now_them >= win and (now_us < win or now_them >= now_us):
        if opponents_nils(seat, b0, b1, b2) > 0:
            if bid > 0:
                rule = ATTACK_NIL
                new = min(bid, limit_takes(estimate - 0.5, partner))
        elif bid > 0 and not (partner == 0 or partner == BLIND_NIL) and total >= 11.0:
            if total < 14.0:
                rule = COMPLETE_TO_14
                new = bid + int(14.0 - total + 0.5)
        elif bid > 0 and now_them - now_us < 20.0:
            rule = CLOSE_RACE
            for more in range(1, 3):
                new = bid + more
                if now_us + contract_gain(partner, bid, new, rules) > now_them:
                    break
        elif bid > 0 and nil_ruled_out == NOT_RULED_OUT and nil_probability >= nil_floor and rules.nil_points > 0:
            rule = DESPERATE_NIL
            new = 0
    elif can_win(now_us, now_them, win):
        last = seat == 3
        no_penalty = not rules.bags or us_bags + 2 < rules.bag_limit
        if last and bid == 0 and takes > 0:
            regular_us, regular_them, _ = project(seat, b0, b1, b2, takes, us, them, rules, tables)
            if can_win(regular_us, regular_them, win):
                rule = SAFE_REGULAR
                new = takes
        elif bid > 1 and no_penalty:
            change = contract_gain(partner, bid, bid - 1, rules)
            if last and can_win(now_us + change, now_them, win):
                rule = LAST_SEAT_LESS
                new = bid - 1
            elif now_us - now_them > 10.0 and change >= -10:
                rule = LEAD_LESS
                new = bid - 1
    if new > 0:
        new = nearest_allowed(new, bid, allowed)
    return record(Endgame, (new, rule if new != bid else NO_RULE, bid, now_us, now_them, total))
