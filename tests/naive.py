"""Slow and simple reference implementations, with which tests compare the fast code.

They share no code with what they check.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import NamedTuple

# ---- how one suit lies: every way to deal its unseen cards, one by one -------------------------------------------


def suit_deals(unseen, places=13):
    """Yield every way to deal the ``unseen`` ranks to hands 0, 1 (opponents) and 2 (partner), with its probability.

    The weight of a deal is the number of ways in which the other hidden cards fill the remaining places.
    """
    total = 0
    deals = []
    for owners in product(range(3), repeat=len(unseen)):
        hands = [[rank for rank, owner in zip(unseen, owners, strict=True) if owner == hand] for hand in range(3)]
        left = [places - len(hand) for hand in hands]
        if min(left) >= 0:
            weight = comb(sum(left), left[0]) * comb(left[1] + left[2], left[1])
            deals.append((hands, weight))
            total += weight
    return [(hands, Fraction(weight, total)) for hands, weight in deals]


def length_probability(m, unseen_count, k, places=13):
    """Return the probability that each of the first ``m`` hidden hands holds at least ``k`` cards of the suit."""
    deals = suit_deals(list(range(unseen_count)), places)
    return sum(p for hands, p in deals if all(len(hand) >= k for hand in hands[:m]))


def set_at(k, low, hands, reading, spades):
    """Return whether the k-th lowest card takes a trick: no opponent has to beat it, and partner can't cover it."""
    x = low[k - 1]
    for opponent in hands[:2]:
        below = [rank for rank in opponent if rank < x]
        if not (len(opponent) < k or len(below) >= k):
            return False
    c = len(hands[2])
    h = len([rank for rank in hands[2] if rank > x])
    if spades:  # partner can't ruff
        if k == 2 and reading in ("and", "or"):
            return h < 2
        return h == 0
    if k == 2 and reading == "and":
        return c >= 2 and h < 2
    if k == 2 and reading == "or":
        return c >= 2 or h < 2
    return c >= k and h == 0


def cnil(held, n_ranks=13, places=13):
    """Return {(reading, spades): probability that the three lowest cards take no trick}, before any sure losers."""
    low = sorted(held)[:3]
    readings = [(reading, spades) for reading in ("and", "or", "any") for spades in (False, True)]
    kept = dict.fromkeys(readings, Fraction(0))
    for hands, p in suit_deals([rank for rank in range(n_ranks) if rank not in held], places):
        for reading, spades in readings:
            if not any(set_at(k, low, hands, reading, spades) for k in range(1, len(low) + 1)):
                kept[reading, spades] += p
    return kept


def cnil_for_oneself(held, hunters, spades, n_ranks=13, places=13):
    """Return the same against three opponents: the first ``hunters`` stay low if they can, the others go high."""
    low = sorted(held)[:3]
    kept = Fraction(0)
    for hands, p in suit_deals([rank for rank in range(n_ranks) if rank not in held], places):
        lost = False
        for k, x in enumerate(low, start=1):
            stay = [len(hand) < k or len([rank for rank in hand if rank < x]) >= k for hand in hands[:hunters]]
            stay += [(spades or len(hand) >= k) and max(hand, default=-1) < x for hand in hands[hunters:]]
            lost = lost or all(stay)
        kept += 0 if lost else p
    return kept


# ---- hands as text: suit letter -> ranks 0..12 (2..A), not read by the project's parser --------------------------

RANKS = "23456789TJQKA"
TEN, JACK, QUEEN, KING, ACE = range(8, 13)


def suits_of(pbn):
    """Return {"S": {12, 11}, "H": ...} for "AK..." in the order spades.hearts.diamonds.clubs."""
    return {suit: {RANKS.index(r) for r in ranks} for suit, ranks in zip("SHDC", pbn.upper().split("."), strict=True)}


def pbn_of(cards):
    """Return the PBN text of 13 cards such as "QS"."""
    return ".".join(
        "".join(sorted((c[0] for c in cards if c[1] == suit), key=RANKS.index, reverse=True)) for suit in "SHDC"
    )


DECK = [rank + suit for suit in "SHDC" for rank in RANKS]


# ---- regular takes (docs/explanation/how-bis-bids.md) -------------------------------------------------------------


@cache
def p_length(m, n, k):
    """Return P_k(n, m), summed over the lengths of the suit in the three hidden hands."""
    unseen = 13 - n
    good = total = 0
    for first, second in product(range(unseen + 1), repeat=2):
        third = unseen - first - second
        if third >= 0:
            ways = comb(13, first) * comb(13, second) * comb(13, third)  # which places the cards take in each hand
            total += ways
            good += ways if min((first, second, third)[:m], default=13) >= k else 0
    return Fraction(good, total)


def side_tricks(ranks, m):
    """Return the expected tricks of a side suit's ace, king if it has a companion, and queen if it has two."""
    counted = [k for rank, k in ((ACE, 1), (KING, 2), (QUEEN, 3)) if rank in ranks and len(ranks) >= k]
    return sum((p_length(m, len(ranks), k) for k in counted), Fraction(0))


def spade_tricks(ranks):
    """Return the tricks of spades that do not ruff: guarded honours, and each spade beyond the fourth.

    The honours are among the four highest spades, so that no card counts twice.
    """
    guarded = [rank for rank, guards in ((ACE, 0), (KING, 1), (QUEEN, 2), (JACK, 3)) if len(ranks) > guards]
    return len(set(guarded) & set(ranks)) + max(0, len(ranks) - 4)


@cache
def ruff_values(lengths, m):
    """Return the values of all ruffs, best first, for side suits of these ``lengths``; a suit has three at most."""
    return sorted((p_length(m, n, trick) for n in lengths for trick in (1, 2, 3) if trick > n), reverse=True)


def regular_estimate(pbn, m):
    """Return (estimate before any factor, {k: value of the spades if the k lowest ruff})."""
    suits = suits_of(pbn)
    spades = sorted(suits["S"])
    ruffs = ruff_values(tuple(len(suits[suit]) for suit in "HDC"), m)
    splits = {k: sum(ruffs[:k], Fraction(0)) + spade_tricks(spades[k:]) for k in range(len(spades) + 1)}
    return sum(side_tricks(suits[suit], m) for suit in "HDC") + max(splits.values()), splits


def round_half_up(x):
    return int((x + Fraction(1, 2)).__floor__())


# ---- scoring -----------------------------------------------------------------------------------------------------


def contract_points(tricks, rules):
    """Return the points at stake on a contract."""
    return 200 if rules["ten_for_200"] and tricks == 10 else 10 * tricks


def score(players, bags, rules):
    """Return (points, bags after) of a side by ``rules``, a dict of the contract's fields.

    ``players``: two of (bid, tricks), where bid is an int, "blind_nil", or a number such as "blind_6".
    """
    blind = [bid for bid, _ in players if isinstance(bid, str) and bid != "blind_nil"]
    players = [(int(bid[len("blind_") :]) if bid in blind else bid, taken) for bid, taken in players]
    times = 2 if blind else 1
    contract = tricks = points = thrown = 0
    total = sum(taken for _, taken in players)
    double = [bid for bid, _ in players] == [0, 0] and rules["double_nil_points"] is not None
    if total == 13:
        points += rules["slam_points"]
    if double:
        points += -rules["double_nil_points"] if total else rules["double_nil_points"]
    for bid, taken in players:
        if bid in (0, "blind_nil"):
            stake = rules["blind_nil_points"] if bid == "blind_nil" else rules["nil_points"]
            if double:
                stake = 0
            if taken == 0:
                points += stake
            else:
                points -= stake
                if rules["failed_nil_tricks"] == "contract":
                    tricks += taken
                if rules["failed_nil_tricks"] == "bags":
                    thrown += taken
        else:
            contract += bid
            tricks += taken
    if tricks < contract:
        points -= {
            "contract": times * contract_points(contract, rules),
            "missing": times * 10 * (contract - tricks),
            "none": 0,
        }[rules["set_points"]]
        new_bags = thrown
    else:
        points += times * contract_points(contract, rules)
        new_bags = thrown + tricks - contract
    if not rules["bags"]:
        return points, bags
    for _ in range(new_bags):
        points += rules["bag_points"]
        bags += 1
        if bags == rules["bag_limit"]:
            bags = 0
            points -= rules["bag_penalty"]
    return points, bags


def winner(a, b, goal, losing=None):
    """Return "a", "b", or None if the game goes on."""
    over = a >= goal or b >= goal or (losing is not None and (a <= losing or b <= losing))
    if not over or a == b:
        return None
    return "a" if a > b else "b"


# ---- bids that the rules allow; rules are given as the contract's fields --------------------------------------------


def bids_allowed_after(spades, previous, rules):
    """Return the bids that ``rules`` allow after the ``previous`` bids, first bidder first; a blind nil is 0 there."""
    partner = previous[len(previous) - 2] if len(previous) > 1 else None
    found = bids_allowed(spades, partner, rules)
    if rules["sum_not_13"] and len(previous) == 3:
        return {bid for bid in found if sum(previous) + bid != 13} or found
    return found


def bids_allowed(spades, partner, rules):
    """Return the bids 0..13 that ``rules`` (a dict of the contract's fields) allow for a hand with ``spades`` spades.

    ``partner``: the partner's bid (0 also for a blind nil), None before that bid. The sum of all four bids is not
    considered.
    """
    variant, most, least = rules["variant"], rules["team_max"], max(1, rules["min_bid"])

    def allowed(bid):
        if variant in ("mirror", "whiz_strict"):
            return bid == spades
        if variant == "whiz":
            return bid in (0, spades)
        if 0 < bid < least:
            return False
        if variant == "cutthroat":
            return True
        if variant == "suicide":
            if partner is not None and (bid == 0) == (partner == 0):
                return False
            return bid == 0 or rules["team_min"] <= bid <= (most or 13)
        if partner is None:
            return bid == 0 or most is None or bid + least <= most
        if partner + bid < rules["team_min"]:
            return False
        if bid == 0:
            return partner > 0 or rules["double_nil"]
        return partner + bid <= (most or 13)

    found = {bid for bid in range(14) if allowed(bid) and (bid or rules["nil"])}
    if found - {0} or variant in ("mirror", "whiz", "whiz_strict"):
        return found
    return found if 0 in found and (most or variant == "suicide") else found | {least}


# ---- tricks, with cards as texts such as "QS" ---------------------------------------------------------------------


def legal(hand, trick, spade_played):
    """Return the cards of ``hand`` that may be played to ``trick``."""
    if trick:
        follow = [card for card in hand if card[1] == trick[0][1]]
        return set(follow or hand)
    if spade_played:
        return set(hand)
    return {card for card in hand if card[1] != "S"} or set(hand)


def trick_winner(trick):
    """Return the index in ``trick`` of the card that wins it."""
    spades = [card for card in trick if card[1] == "S"]
    fighting = spades or [card for card in trick if card[1] == trick[0][1]]
    return trick.index(max(fighting, key=lambda card: RANKS.index(card[0])))


@cache
def forced_tricks(ours, theirs):
    """Return our certain tricks in one suit if one opponent holds ``theirs``, and both sides see all cards.

    We lead unless the opponent chooses to lead. Each side follows suit while it can. ``ours`` and ``theirs`` are
    frozensets of ranks.
    """
    if not ours or not theirs:
        return len(ours)

    def after(mine, his):
        return (mine > his) + forced_tricks(ours - {mine}, theirs - {his})

    we_lead = max(min(after(mine, his) for his in theirs) for mine in ours)
    he_leads = min(max(after(mine, his) for mine in ours) for his in theirs)
    return min(we_lead, he_leads)


def certain_tricks(ours):
    """Return the tricks of the spades ``ours`` (ranks) if we lead them from the top and one opponent has the rest.

    The opponent wins with the lowest card that is high enough, or throws the lowest card. Over all 8,192 holdings this
    gives the same count as the best of all possible defences.
    """
    theirs = set(range(13)) - set(ours)
    won = 0
    for card in sorted(ours, reverse=True):
        winners = {other for other in theirs if other > card}
        theirs -= {min(winners or theirs, default=None)}
        won += not winners
    return won


# ---- the rule-based bidders ---------------------------------------------------------------------------------------


def low_in_every_suit(suits, x, y, z):
    """Return whether RB's nil rule holds: each suit's three lowest cards are at most x, y, z; at most three spades."""
    return len(suits["S"]) <= 3 and all(
        rank <= limit for ranks in suits.values() for rank, limit in zip(sorted(ranks), (x, y, z), strict=False)
    )


def io_tricks(suits):
    """Return the estimate of IO."""
    tricks = sum(1 if rank >= 8 else Fraction(2, 5) for rank in suits["S"])
    for suit in "HDC":
        if {11, 12} <= suits[suit]:
            tricks += 2
        elif 12 in suits[suit]:
            tricks += 1
        elif 11 in suits[suit] and len(suits[suit]) > 1:
            tricks += Fraction(1, 2)
    return tricks


def io_nil(suits, takes, partner):
    ranks = set().union(*suits.values())
    honours = ranks & {11, 12} or {rank for rank in suits["S"] if rank >= 8}
    return takes <= 3 and partner is not None and 4 <= partner <= 13 and not honours and len(suits["S"]) <= 3


def ms_tricks(suits):
    """Return the estimate of the book Master Spades (ECAI 2020, appendix F.1)."""
    tricks = sum(12 in ranks for ranks in suits.values())
    tricks += sum(11 in ranks and len(ranks) > 1 for ranks in suits.values())
    spades = suits["S"]
    n = len(spades)
    if 10 in spades and not (n == 1 or (n == 2 and 12 not in spades)):
        tricks += 1
    tricks += max(0, n - 3)
    if n <= 1:
        tricks -= 1
    if n == 3 and any(len(suits[suit]) <= 1 for suit in "HDC"):
        tricks += 1
    return tricks


# ---- BIS in a partnership: conventions, the end of the game, and the whole way from a position to a bid -----------

BLIND_NIL = 14
RESERVED = {"big5": 5, "big6": 6}
NIL_THRESHOLD, ANSWER_THRESHOLD = 25, -10  # points
NIL_FLOOR = 0.3
COMPLETES_A_TEN = Fraction(35, 4)  # expected tricks of both partners from which the second completes a contract of ten


class BisPosition(NamedTuple):
    """What BIS knows, and the table values that the page treats as given.

    ``previous``: the bids so far; 0 is nil, 14 is blind nil. ``rules``: the contract's fields. ``factor`` and ``p_nil``
    are those of the bids so far. ``mean_bids``: for each own bid, the mean bids of the seats that bid later.
    """

    pbn: str
    previous: tuple
    us: int
    them: int
    us_bags: int
    rules: dict
    convention: str
    certain: bool
    legal: tuple  # the request's legal bids; empty if there is no such limit
    factor: Fraction
    p_nil: float
    mean_bids: dict


def bis(position):
    """Return (bid, steps); each step is (rule, bid before it, bid after it)."""
    suits, previous, seat = suits_of(position.pbn), position.previous, len(position.previous)
    partner = partners_number(previous)
    opponents = previous[-1::-2]
    m = 2 - sum(bid in (0, BLIND_NIL) for bid in opponents)
    estimate = regular_estimate(position.pbn, m)[0] + position.factor
    takes = max(1, min(13 - (partner or 0), round_half_up(estimate)))
    allowed = bids_allowed(len(suits["S"]), partner, position.rules)
    number, number_steps = number_to_bid(position, takes, estimate, allowed)

    convention = convention_in_force(position)
    asked = asks_for_nil(previous, convention)
    may_bid_nil = 0 in allowed and partner != 0 and not rules_nil_out(suits["S"], asked)
    points = position.rules["nil_points"] * (2 * position.p_nil - 1)
    bids_nil = may_bid_nil and points > (ANSWER_THRESHOLD if asked else NIL_THRESHOLD)
    bid, steps = (0, []) if bids_nil else (number, number_steps)

    rule, new = convention_says(suits, seat, bid, takes, convention)
    if asked and bids_nil:
        alone = points > NIL_THRESHOLD and not rules_nil_out(suits["S"], False)
        steps.append((f"{convention}-answer", 0 if alone else number, 0))
    elif rule:
        steps.append((rule, bid, new))
        bid = new
    if not (rule and rule.endswith("signal")):
        reserved = RESERVED.get(convention) if seat < 2 else None
        rule, new = end_of_game(position, bid, number, estimate, allowed, may_bid_nil)
        if new not in (bid, reserved):
            steps.append((rule, bid, new))
            bid = new
    if position.legal and bid not in position.legal:
        new = nearest_number(position.legal, bid or number)
        steps.append(("legal-bids", bid, new))
        bid = new
    return bid, steps


def partners_number(previous):
    """Return the partner's bid, 0 also for a blind nil, or None before that bid."""
    if len(previous) < 2:
        return None
    return 0 if previous[-2] == BLIND_NIL else previous[-2]


def nearest_number(bids, wanted):
    """Return the number among ``bids`` that is nearest to ``wanted``, the lower of two; a nil if there is no number."""
    numbers = [bid for bid in bids if bid not in (0, BLIND_NIL)]
    return min(numbers or bids, key=lambda bid: (abs(bid - wanted), bid))


def number_to_bid(position, takes, estimate, allowed):
    """Return (number, steps) of a hand that does not bid nil, before any convention."""
    partner, rules = partners_number(position.previous), position.rules
    number, rule = nearest_number(allowed, takes), "table-rules"
    if rules["ten_for_200"] and partner is not None and estimate + partner >= COMPLETES_A_TEN:
        if 10 - partner in allowed - {0}:
            number, rule = 10 - partner, "ten-for-200"
    steps = [(rule, takes, number)] if number != takes else []
    is_ten = rules["ten_for_200"] and partner is not None and number + partner == 10
    certain = min(certain_tricks(suits_of(position.pbn)["S"]), 13 - (partner or 0))
    if position.certain and certain > number and not is_ten:
        steps.append(("certain-tricks", number, certain))
        number = certain
    return number, steps


def rules_nil_out(spades, asked):
    """Return whether the spades rule a nil out; ``asked``: the partner has asked for it by a convention."""
    sure_losers = ACE in spades or {KING, QUEEN} <= spades or len(spades) > 3
    sure_losers = sure_losers or len([rank for rank in spades if rank > RANKS.index("9")]) > 2
    return sure_losers or (bool({KING, QUEEN} & spades) and not asked)


def convention_in_force(position):
    """Return "none", "big5" or "big6"."""
    if position.convention != "auto":
        return position.convention
    return "big6" if position.them - position.us > 100 and position.rules["blind_nil"] else "big5"


def convention_says(suits, seat, bid, takes, convention):
    """Return (rule or None, bid) for a hand that would bid ``bid`` without the convention; 0 is nil."""
    if convention == "none" or seat > 1 or bid == 0:
        return None, bid
    if convention == "big5":
        covers = suits["S"] & {ACE, KING} and 4 <= takes <= 6
        guard = JACK
    else:
        covers = ACE in suits["S"] and takes >= 4
        guard = TEN
    if covers and all(max(suits[suit], default=ACE) >= guard for suit in "HDC"):
        return f"{convention}-signal", RESERVED[convention]
    if bid == RESERVED[convention]:
        return f"{convention}-refusal", bid - 1
    return None, bid


def asks_for_nil(previous, convention):
    """Return whether the partner, who bid first, has asked the bidder for a nil."""
    return convention != "none" and len(previous) > 1 and previous[-2] == RESERVED[convention]


def projected_scores(position, bid, mean_bids):
    """Return (our score, their score, sum of the bids) after this round if all four players make their bids."""
    rules, own_seat = position.rules, len(position.previous)
    nil_points = {0: rules["nil_points"], BLIND_NIL: rules["blind_nil_points"]}
    scores, contracts = [position.us, position.them], [Fraction(0), Fraction(0)]
    for seat, value in enumerate([*position.previous, bid]):
        side = (own_seat - seat) % 2
        scores[side] += nil_points.get(value, 0)
        contracts[side] += 0 if value in nil_points else value
    for later, mean in enumerate(mean_bids, start=1):
        contracts[later % 2] += mean
    both_have_bid = (own_seat >= 2, own_seat == 3)
    for side, tricks in enumerate(contracts):
        ten = rules["ten_for_200"] and both_have_bid[side] and tricks == 10
        scores[side] += 200 if ten else 10 * tricks
    return *scores, sum(contracts)


def end_of_game(position, bid, number, estimate, allowed, may_bid_nil):
    """Return (rule or None, bid) by section 4 of docs/explanation/how-bis-bids.md; ``number`` is the bid without a nil.

    The mean bids stay those after ``bid`` while another bid is tried.
    """
    mean_bids, goal = position.mean_bids[bid], position.rules["win"]
    ours, theirs, total = projected_scores(position, bid, mean_bids)
    last = len(position.previous) == 3
    partner_nil = partners_number(position.previous) == 0
    opponents_nil = any(value in (0, BLIND_NIL) for value in position.previous[-1::-2])

    def ours_after(other):
        return projected_scores(position, other, mean_bids)[0]

    def wins(score):
        return score >= goal and score > theirs

    if theirs >= goal and not wins(ours):
        if bid == 0:
            return None, 0  # a nil is neither raised nor rounded
        if opponents_nil:
            lower = min(bid, round_half_up(estimate - Fraction(1, 2)))
            return "opponents-nil", nearest_number(allowed, lower)
        if not partner_nil and total >= 11:
            return "complete-to-14", nearest_number(allowed, bid + max(0, round_half_up(14 - total)))
        if theirs - ours < 20:
            enough = 1 if ours_after(bid + 1) > theirs else 2
            return "close-race", nearest_number(allowed, bid + enough)
        if may_bid_nil and position.p_nil >= NIL_FLOOR:
            return "desperate-nil", 0
    elif wins(ours) and last:
        if bid == 0:
            return ("regular-wins-too", number) if wins(ours_after(number)) else (None, 0)
        no_penalty = not position.rules["bags"] or position.us_bags + 2 < position.rules["bag_limit"]
        if bid > 1 and no_penalty and wins(ours_after(bid - 1)):
            return "last-seat-one-less", nearest_number(allowed, bid - 1)
    return None, bid
