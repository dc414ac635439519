"""Cards that a seat could play instead of its own choice, as kernels for `tables.probe`.

The module describes the situation of a seat and picks a card of each class. It uses only what the seat to play may
see.
"""

from spades.cards import SPADE_BITS, highest, lowest
from spades.play import (
    PlayState,
    cards_above,
    highest_rank,
    least_winning_lead,
    lowest_rank,
    nil_alive,
    suit_mask,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)

NOBODY, ME, PARTNER, OPPONENT, BOTH = range(5)  # who has a live nil; BOTH: partner and an opponent
NILS = ("no nil", "own nil", "partner's nil", "opponent's nil", "nils on both sides")
PLACES = ("lead", "second", "third", "fourth")
NEEDS = ("already set", "can lose two tricks or fewer", "can lose more", "made, can set the opponents", "made")
LEADS = (
    "low of the shortest suit",
    "low of the longest suit",
    "boss",
    "highest card that is not a boss",
    "low spade",
    "high spade",
    "least likely to win",
    "lowest rank",
)
FOLLOWS = (
    "lowest loser",
    "highest loser",
    "cheapest winner",
    "highest winner",
    "low ruff",
    "high ruff",
    "low discard",
    "high discard",
)
CLASSES = 8
OTHER = CLASSES  # the player's card, if no class picks it
CONTEXTS = len(NILS) * len(PLACES) * len(NEEDS)


def context_of(state: PlayState, me: int) -> int:
    """Return what seat ``me`` knows about its situation, as a number below CONTEXTS."""
    ours = nil_alive(state, (me + 2) & 3)
    theirs = nil_alive(state, (me + 1) & 3) or nil_alive(state, (me + 3) & 3)
    if nil_alive(state, me):
        who = ME
    elif ours:
        who = BOTH if theirs else PARTNER
    else:
        who = OPPONENT if theirs else NOBODY
    need, left = tricks_needed(state, me), tricks_left(state)
    if need > left:
        wanted = 0
    elif need > 0:
        wanted = 1 if left - need <= 2 else 2
    else:
        theirs_needed = tricks_needed(state, (me + 1) & 3)
        wanted = 3 if 0 < theirs_needed <= left else 4
    return (who * 4 + int(state.trick_size)) * 5 + wanted


def pick(state: PlayState, me: int, legal: int, number: int) -> int:
    """Return the card of class ``number``, or -1 if there is none.

    The classes are LEADS for the first card of a trick and FOLLOWS for the others.
    """
    unseen = unseen_cards(state, me)
    if state.trick_size == 0:
        return _pick_lead(legal, unseen, number)
    led = suit_mask(state.trick[0] >> 4)
    winners = winning_cards(state, legal)
    if legal & led:
        winners &= led
        losers = legal & ~winners
        if number == 0:
            return lowest(losers) if losers else -1
        if number == 1:
            return highest(losers) if losers else -1
        if number == 2:
            return lowest(winners) if winners else -1
        return highest(winners) if winners and number == 3 else -1
    ruffs = winners & SPADE_BITS
    side = legal & ~SPADE_BITS
    if number == 4:
        return lowest(ruffs) if ruffs else -1
    if number == 5:
        return highest(ruffs) if ruffs else -1
    if number == 6:
        return lowest_rank(side) if side else -1
    return highest_rank(side) if side and number == 7 else -1


def _pick_lead(legal: int, unseen: int, number: int) -> int:
    spades = legal & SPADE_BITS
    if number == 4:
        return lowest(spades) if spades else -1
    if number == 5:
        return highest(spades) if spades else -1
    if number == 6:
        return least_winning_lead(legal, unseen)
    if number == 7:
        return lowest_rank(legal)
    best = -1
    best_key = -1000
    for suit in range(3):
        held = legal & suit_mask(suit)
        if not held:
            continue
        top = highest(held)
        boss = unseen & cards_above(top) == 0
        n = held.bit_count()
        if number == 0:
            key = -n
        elif number == 1:
            key = n
        elif number == 2:
            key = 20 - (unseen & suit_mask(suit)).bit_count() if boss else -1000
        else:
            key = -1000 if boss else top & 15
        if key > best_key:
            best_key = key
            best = lowest(held) if number < 2 else top
    return best


def same_worth(card: int, other: int, unseen: int) -> bool:
    """Return whether two cards of a hand are equally good: the same suit, and no unseen card between them."""
    if card == other:
        return True
    if card < 0 or card >> 4 != other >> 4:
        return False
    low, high = (card, other) if card < other else (other, card)
    return unseen & cards_above(low) & ((1 << high) - 1) == 0
