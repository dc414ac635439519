"""Slow and simple reference implementations, with which tests compare the fast code.

They share no code with what they check.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

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


def p_length(m, n, k):
    """Return P_k(n, m), summed over the lengths of the three hidden hands."""
    unseen = 13 - n
    good = total = 0
    for a in range(unseen + 1):
        for b in range(unseen - a + 1):
            c = unseen - a - b
            ways = comb(unseen, a) * comb(unseen - a, b)  # which cards of the suit
            others = 39 - unseen
            ways *= comb(others, 13 - a) * comb(others - (13 - a), 13 - b)  # the rest of each hand
            total += ways
            if all(length >= k for length in (a, b, c)[:m]):
                good += ways
    return Fraction(good, total)


def side_tricks(ranks, m):
    """Return the expected tricks of a side suit's A, K and Q (rule 1)."""
    n = len(ranks)
    tricks = Fraction(0)
    for rank, k in ((12, 1), (11, 2), (10, 3)):
        if rank in ranks and n >= k:
            tricks += p_length(m, n, k)
    return tricks


def spade_tricks(ranks):
    """Return the tricks of spades by rank and, for cards that are not counted yet, by length (rule 2)."""
    order = sorted(ranks, reverse=True)
    n = len(order)
    by_rank = {rank for rank, others in ((12, 0), (11, 1), (10, 2), (9, 3)) if rank in ranks and n > others}
    by_length = [rank for rank in order[4:] if rank not in by_rank]
    return len(by_rank) + len(by_length)


def best_ruffs(suits, m, k):
    """Return the k best ruffs of rule 3; a ruff without a short suit counts 0."""
    worths = []
    for suit in "HDC":
        n = len(suits[suit])
        if n == 0:
            worths += [p_length(m, 0, 1), p_length(m, 0, 2), p_length(m, 0, 3)]
        elif n == 1:
            worths += [p_length(m, 1, 2), p_length(m, 1, 3)]
        elif n == 2:
            worths += [p_length(m, 2, 3)]
    return sum(sorted(worths, reverse=True)[:k], Fraction(0))


def regular_estimate(pbn, m):
    """Return (estimate before any factor, {split k: value of spades and ruffs}), from all splits of the spades."""
    suits = suits_of(pbn)
    spades = sorted(suits["S"])
    splits = {k: best_ruffs(suits, m, k) + spade_tricks(spades[k:]) for k in range(len(spades) + 1)}
    return sum((side_tricks(suits[suit], m) for suit in "HDC"), Fraction(0)) + max(splits.values()), splits


def round_half_up(x):
    return int((x + Fraction(1, 2)).__floor__())


# ---- scoring and the end of a game --------------------------------------------------------------------------------


def contract_points(tricks, ten):
    """Return the points at stake on a contract; ``ten``: a contract of exactly ten counts 200."""
    return 200 if ten and tricks == 10 else 10 * tricks


def score(players, bags, *, nil=100, blind=200, failed="bags", count_bags=True, limit=10, penalty=100, ten=False):
    """Return (points, bags after) of a side; ``players``: two of (bid, tricks), where bid is an int or "blind"."""
    contract = tricks = points = thrown = 0
    for bid, taken in players:
        if bid in (0, "blind"):
            stake = blind if bid == "blind" else nil
            if taken == 0:
                points += stake
            else:
                points -= stake
                if failed == "contract":
                    tricks += taken
                if failed == "bags":
                    thrown += taken
        else:
            contract += bid
            tricks += taken
    if tricks < contract:
        points -= contract_points(contract, ten)
        new_bags = thrown
    else:
        points += contract_points(contract, ten)
        new_bags = thrown + tricks - contract
    if not count_bags:
        return points, bags
    for _ in range(new_bags):
        points += 1
        bags += 1
        if bags == limit:
            bags = 0
            points -= penalty
    return points, bags


def winner(a, b, goal, losing=None):
    """Return "a", "b", or None if the game goes on."""
    over = a >= goal or b >= goal or (losing is not None and (a <= losing or b <= losing))
    if not over or a == b:
        return None
    return "a" if a > b else "b"


# ---- bids that the rules allow; rules are given as the contract's fields --------------------------------------------


def bids_allowed(spades, partner, rules):
    """Return the bids 0..13 that ``rules`` (a dict of the contract's fields) allow for a hand with ``spades`` spades.

    ``partner``: the partner's bid (0 also for a blind nil), None before that bid.
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

    found = {bid for bid in range(14) if allowed(bid)}
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

    The opponent beats each card as cheaply as possible, or throws the lowest card.
    """
    theirs = sorted(set(range(13)) - set(ours))
    won = 0
    for card in sorted(ours, reverse=True):
        higher = [other for other in theirs if other > card]
        if higher:
            theirs.remove(higher[0])
        else:
            won += 1
            theirs = theirs[1:]
    return won


# ---- the rules for the end of a game ------------------------------------------------------------------------------


def end_of_game(
    bid, takes, estimate, *, us, them, us_bags, goal, limit, ours, theirs, nil_out, p_nil, floor, allowed, ten
):
    """Return (rule or None, bid) by the list of rules in docs/explanation/how-bis-bids.md.

    ``ours`` and ``theirs``: dicts with ``bids`` (numbers: known bids of the other players, and mean bids) and ``nils``
    (points at stake on known nils; None if there are no nils). ``bid`` 0 is our nil, with ``ours["nil"]`` points at
    stake. ``allowed``: the bids that the rules allow. ``ten``: a contract of ten by both partners counts 200.
    """

    def projected(own):
        mine = contract_points(own + sum(ours["bids"]), ten and ours["partner"] is not None)
        mine += us + sum(ours["nils"]) + (ours["nil"] if own == 0 else 0)
        return mine, them + contract_points(sum(theirs["bids"]), ten and ours["last"]) + sum(theirs["nils"])

    def limited(new):
        return min(sorted(allowed - {0}), key=lambda b: abs(b - new))

    def changed(new):
        return mine + projected(new)[0] - projected(bid)[0]

    mine, his = projected(bid)
    total = bid + sum(ours["bids"]) + sum(theirs["bids"])
    may_take_bags = limit is None or us_bags + 2 < limit
    partner_nil = bool(ours["nils"])
    last = ours["last"]

    def we_win(mine, his):
        return mine >= goal and (his < goal or mine > his)

    if his >= goal and not we_win(mine, his):
        if theirs["nils"]:
            if bid == 0:
                return None, 0
            return "opponents-nil", limited(max(1, round_half_up(Fraction(estimate - 0.5))))
        if bid == 0:
            return None, 0
        if not partner_nil and total >= 11:
            return "complete-to-14", limited(bid + max(0, round_half_up(Fraction(14 - total))))
        if his - mine < 20:
            return "close-race", limited(bid + (1 if changed(bid + 1) > his else 2))
        if not nil_out and p_nil >= floor:
            return "desperate-nil", 0
        return None, bid
    if we_win(mine, his):
        if last and bid == 0 and we_win(*projected(takes)):
            return "regular-wins-too", takes
        if last and bid > 1 and may_take_bags and we_win(changed(bid - 1), his):
            return "last-seat-one-less", limited(bid - 1)
    return None, bid


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
    """Return the estimate of Master Spades."""
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


# ---- conventions --------------------------------------------------------------------------------------------------


def convention_says(suits, seat, bid, takes, convention):
    """Return (rule or None, bid) for a hand that would bid ``bid``: 0, or its ``takes``."""
    kept = {"big5": 5, "big6": 6}.get(convention)
    if kept is None or seat in (2, 3) or bid == 0:
        return None, bid
    side_suits = [suits[suit] for suit in "HDC"]
    if convention == "big5":
        high = suits["S"] & {11, 12} and 4 <= takes <= 6
        least = 9  # above the ten
    else:
        high = 12 in suits["S"] and takes >= 4
        least = 8
    if high and all(not ranks or any(rank >= least for rank in ranks) for ranks in side_suits):
        return f"{convention}-signal", kept
    if bid == kept:
        return f"{convention}-refusal", kept - 1
    return None, bid


def asks_for_nil(previous, convention):
    """Return whether the bidder's partner, the last but one to bid, has signalled."""
    kept = {"big5": 5, "big6": 6}.get(convention)
    return kept is not None and len(previous) >= 2 and previous[-2] == kept
