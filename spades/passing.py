"""The pass: which cards a nil bidder and partner give each other after the bidding, and the check of what they gave.

The nil bidder gives the cards that are most dangerous for the nil. Partner gives the lowest cards, which rarely win a
trick. Partner keeps high cards and most spades, to cover the nil. If both have bid nil, both give as nil bidders.
Neither uses the bids of the opponents. The functions that choose cards are kernels; `check_pass` checks the cards that
a caller states.
"""

from typing import NamedTuple

from spades.cards import CARD_NAMES, SUIT_BITS, cards_of, highest, lowest, suits_of
from spades.errors import Contradiction
from spades.legal import BLIND_NIL, NIL, deck_number, deck_of, is_nil
from spades.rules import CUTTHROAT, Rules

MOST_PASSED = 4
SPADE_WEIGHT = 2  # danger in spades counts double: the nil bidder may have to ruff, and so win the trick
SURE_TRICK = 1 << 24  # danger of keeping a spade that beats all unseen ones; all other cards together have less
SPADE_RANKS = 6  # for partner's choice of the lowest cards, a spade counts as this many ranks higher


def cards_to_pass(bid: int, partner_bid: int, nil_pass: int, blind_nil_pass: int) -> int:
    """Return how many cards each of two partners gives the other.

    It is ``blind_nil_pass`` if one of them has bid blind nil, else ``nil_pass`` if one has bid nil, else 0. Both are
    fields of `Rules`.

    >>> cards_to_pass(0, 4, 2, 3), cards_to_pass(3, 4, 2, 3), cards_to_pass(3, BLIND_NIL, 2, 3)
    (2, 0, 3)
    """
    if bid == BLIND_NIL or partner_bid == BLIND_NIL:
        return blind_nil_pass
    return nil_pass if bid == NIL or partner_bid == NIL else 0


def given_cards(hand: int, bid: int, number: int, deck: int) -> int:
    """Return the ``number`` cards (0..MOST_PASSED) of ``hand`` to give partner, as a bit mask.

    ``bid``: the bid of this hand; this player or their partner has bid nil. ``deck``: all cards in play, as a bit mask.
    """
    return given_by_nil(hand, number, deck & ~hand) if is_nil(bid) else given_by_partner(hand, number)


def given_by_nil(hand: int, number: int, unseen: int) -> int:
    """Return the ``number`` cards that a nil bidder gives, as a bit mask; ``unseen``: the cards in the other hands.

    The function tries all ways to divide ``number`` among the suits. From each suit it gives the highest cards. It uses
    the division that leaves the least danger (`dangers`), where keeping a spade above all unseen ones is worse than
    any other danger (`SURE_TRICK`).
    """
    clubs = dangers(hand & SUIT_BITS, unseen & SUIT_BITS, 3)
    diamonds = dangers(hand >> 16 & SUIT_BITS, unseen >> 16 & SUIT_BITS, 3)
    hearts = dangers(hand >> 32 & SUIT_BITS, unseen >> 32 & SUIT_BITS, 3)
    held, others = hand >> 48 & SUIT_BITS, unseen >> 48 & SUIT_BITS
    spades = dangers(held, others, 13)
    sure = (held >> others.bit_length()).bit_count()  # spades that win a trick whatever the others play
    best = 0
    least = 1 << 40
    for c in range(number + 1):
        for d in range(number + 1 - c):
            for h in range(number + 1 - c - d):
                s = number - c - d - h
                danger = clubs[c] + diamonds[d] + hearts[h] + SPADE_WEIGHT * spades[s]
                if s < sure:
                    danger += SURE_TRICK * (sure - s)
                if danger < least:
                    least = danger
                    best = s << 12 | h << 8 | d << 4 | c
    given = 0
    for suit in range(4):
        cards = hand >> 16 * suit & SUIT_BITS
        for _ in range(best >> 4 * suit & 15):
            card = highest(cards)
            cards &= ~(1 << card)
            given |= 1 << 16 * suit + card
    return given


def suits_after_pass(suits: tuple[int, int, int, int], rules: Rules) -> tuple[int, int, int, int]:
    """Return the cards that a nil bidder keeps after giving cards to partner, by suit, clubs first.

    The cards that partner gives are not counted: they are low, and unknown when the hand bids.
    """
    clubs, diamonds, hearts, spades = suits
    hand = clubs | diamonds << 16 | hearts << 32 | spades << 48
    return suits_of(hand & ~given_by_nil(hand, rules.nil_pass, deck_of(rules) & ~hand))


def dangers(held: int, unseen: int, most: int) -> tuple[int, int, int, int, int]:
    """Return how dangerous a suit is after a nil bidder has given 0, 1, ... MOST_PASSED of its highest cards.

    The five numbers are those of `suit_danger`, which explains ``most``. If the suit has too few cards to give, the
    number is so high that it is never chosen.
    """
    one = held & ~(1 << highest(held)) if held else 0
    two = one & ~(1 << highest(one)) if one else 0
    three = two & ~(1 << highest(two)) if two else 0
    four = three & ~(1 << highest(three)) if three else 0
    n = held.bit_count()
    never = 1 << 30
    return (
        suit_danger(held, unseen, most),
        suit_danger(one, unseen, most) if n > 0 else never,
        suit_danger(two, unseen, most) if n > 1 else never,
        suit_danger(three, unseen, most) if n > 2 else never,
        suit_danger(four, unseen, most) if n > 3 else never,
    )


def suit_danger(held: int, unseen: int, most: int) -> int:
    """Return how much a nil bidder wants to give from the holding ``held``: 0 or more, where more is worse to keep.

    Most of it is `nil_danger`, which explains ``most``. All cards also add their ranks: of equally dangerous holdings,
    the nil bidder gives the higher cards, which partner can use.
    """
    total = 64 * nil_danger(held, unseen, most)
    while held:
        total += lowest(held)
        held &= held - 1
    return total


def nil_danger(held: int, unseen: int, most: int) -> int:
    """Return how dangerous the holding ``held`` is for a nil bidder: 0 is safe, more is worse.

    The danger of each of the ``most`` lowest cards is a ratio: the number of ``unseen`` cards of the suit below it,
    divided by the number above it plus 2. The number below is one less for each lower card of the hand, because the nil
    bidder plays that one first.
    """
    total = 0
    position = 0
    while held and position < most:
        card = lowest(held)
        held &= held - 1
        low = (unseen & (1 << card) - 1).bit_count() - position
        if low > 0:
            total += low * 16 // ((unseen >> card).bit_count() + 2)
        position += 1
    return total


def given_by_partner(hand: int, number: int) -> int:
    """Return the ``number`` cards that a nil bidder's partner gives, as a bit mask.

    They are the lowest cards, where a spade counts `SPADE_RANKS` ranks higher. Of equal ranks, they are those of the
    shorter suit, so that this hand can ruff sooner.
    """
    given = 0
    for _ in range(number):
        best = 0
        least = 1 << 30
        for suit in range(4):
            cards = hand >> 16 * suit & SUIT_BITS
            if cards:
                card = lowest(cards)
                key = (card + (SPADE_RANKS if suit == 3 else 0)) * 16 + cards.bit_count()
                if key < least:
                    least = key
                    best = 1 << 16 * suit + card
        given |= best
        hand &= ~best
    return given


# ---- the check of a pass ---------------------------------------------------------------------------------------------


class PassedCards(NamedTuple):
    """The cards that a player gave to partner for good, and those that it got for good, as bits."""

    given: int
    received: int


def gives_first(bids: tuple[int, ...], seat: int, rules: Rules) -> bool:
    """Return whether ``seat`` gives before partner: the nil bidder does; of two, the one who bid first."""
    return bool(rules.nil_passes_first) and is_nil(bids[seat]) and not (seat > 1 and is_nil(bids[seat ^ 2]))


def check_pass(
    hand: int,
    bids: tuple[int, ...],
    seat: int,
    given: int,
    received: int,
    rules: Rules,
    fields: tuple[str, str] = ("given", "received"),
) -> tuple[PassedCards, list[Contradiction]]:
    """Return the cards that ``seat`` has given and got for good, and everything about them that cannot be true.

    If one partner gives first, the other may give the same card back. Then it is in both lists and is ignored.
    ``fields``: the names of the two lists in the contradictions.
    """
    number = 0
    if rules.variant != CUTTHROAT:
        number = cards_to_pass(bids[seat], bids[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
    faults: list[Contradiction] = []
    for field, cards in zip(fields, (given, received)):
        count = cards.bit_count()
        if count == number:
            continue
        if number == 0:
            detail = f"{field} is present; accepted: only with a pass in the rules and a nil on this side"
            faults.append(Contradiction((field,), "unsupported-field", detail))
        elif count == 0:
            detail = f"{field} is missing; accepted: {number} cards"
            faults.append(Contradiction((field,), "missing-field", detail))
        else:
            faults.append(Contradiction((field,), "hand-size", f"{field} has {count} cards; accepted: {number}"))
    if faults:
        return PassedCards(0, 0), faults
    first = gives_first(bids, seat, rules)
    may_give = hand | (received if rules.nil_passes_first and not first else 0)
    may_get = ~hand | (given if first else 0)
    names = CARD_NAMES[deck_number(rules)]
    for card in cards_of(given & ~may_give):
        detail = f"{names[card]} is given, but it is not in the hand; accepted: cards that the player held"
        faults.append(Contradiction(fields[:1], "contradiction", detail))
    for card in cards_of(received & ~may_get):
        detail = f"{names[card]} is received, but it is in the hand; accepted: cards that are not in the hand"
        faults.append(Contradiction(fields[1:], "contradiction", detail))
    return PassedCards(given & ~received, received & ~given), faults
