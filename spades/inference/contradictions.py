"""What cannot be true of what a viewer says about a round, each with the field and a sentence."""

from typing import NamedTuple

from spades.cards import CARD_NAMES, SUITS, spades_of
from spades.inference.knowledge import CARDS, View, contradictions_in
from spades.inference.play_checks import NoRoom, hand_contradictions, no_room, out_of_turn, with_first_trick
from spades.legal import SPADE_COUNTS, deck_number
from spades.rules import WHIZ, Rules
from spades.scoring import BLIND_NIL

NOTHING_FITS = (
    "no deal of the unseen cards fits these bids; accepted: bids that the other hands could make"  # if `infer` is None
)
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
# By the kind of a contradiction: the field, and the sentence about it.
_CONTRADICTIONS = {
    "too-many": ("played", "seat {seat} has played more than 13 cards; accepted: at most 13"),
    "uneven": ("played", "seat {seat} has played two cards more than another seat; accepted: at most one more"),
    "twice": ("played", "seat {seat} has played {card}, and so has an earlier seat; accepted: each card once"),
    "not-held": ("played", "seat {seat} has played {card}, which is not in its hand; accepted: cards that it held"),
    "in-hand": ("played", "seat {seat} has played {card}, which is in the hand of seat {own}; accepted: other cards"),
    "given-elsewhere": (
        "played",
        "seat {seat} has played {card}, which was given to seat {partner}; accepted: other cards",
    ),
    "given-left": (
        "played",
        "seat {seat} has fewer cards left than exchanged cards that it must still hold; accepted: fewer cards played",
    ),
    "before-leader": ("played", "seat {seat} has played a card before seat 0; accepted: seat 0 leads the first trick"),
    "not-next": (
        "played",
        "seat {seat} and another seat have both played to this trick before the seat on their right; accepted: one "
        "such seat, which led the trick",
    ),
    "revoke": ("played", "seat {seat} did not follow {suit} in the first trick, but holds {suit}; accepted: {suit}"),
    "void-unplayed": (
        "voids",
        "seat {seat} has played no card, so it cannot have shown a void; accepted: voids of seats that have played",
    ),
    "void-unshown": (
        "voids",
        "seat {seat} has not failed to follow {suit}; accepted: voids of seats that have played another suit instead",
    ),
    "void-held": ("voids", "seat {seat} still holds {suit}; accepted: suits that are not in the hand"),
    "void-given": ("voids", "seat {seat} still holds an exchanged card of {suit}; accepted: other suits"),
    "void-all": ("voids", "seat {seat} is out of every suit, but it has cards left; accepted: at most three suits"),
}
# `passing.exchange_in` has found these, and knows cards that were given and came back.
_EXCHANGE_KINDS = ("not-dealt", "received-own")


class Contradiction(NamedTuple):
    """Something that cannot be true."""

    place: tuple[str | int, ...]  # a field (played, voids or bids), and the seat if it is about one
    detail: str


def contradictions(view: View, bids: tuple[int, ...], rules: Rules) -> list[Contradiction]:
    """Return what cannot be true of a view and the bids; for a view without contradictions, [].

    ``view``: as the viewer states it, without what the first trick has shown.
    """
    shown = with_first_trick(view)
    found = _in_view(view, shown, rules) + _in_bids(view, bids, rules)
    if not found and (lack := no_room(shown)) is not None:
        found.append(_room(lack, "voids" if any(view.voids) else "played"))
    return found


def _in_view(view: View, shown: View, rules: Rules) -> list[Contradiction]:
    """Return what cannot be true in a view. ``shown``: the view with what the first trick has shown."""
    found: list[tuple[str, int, int, int]] = [
        (kind, seat, card, -1) for kind, seat, card in contradictions_in(view) if kind not in _EXCHANGE_KINDS
    ]
    for kind, seat, suit in hand_contradictions(shown):
        is_stated = suit < 0 or view.voids[seat] >> suit & 1
        found.append((kind if is_stated else "revoke", seat, -1, suit))
    if all(kind != "uneven" for kind, *_ in found) and (turn := out_of_turn(view)) is not None:
        found.append((*turn, -1, -1))
    names = CARD_NAMES[deck_number(rules)]
    faults = []
    for kind, seat, card, suit in found:
        field, sentence = _CONTRADICTIONS[kind]
        values = {"own": view.seat, "partner": view.seat ^ 2, "card": names.get(card), "suit": _SUIT_NAMES[suit]}
        faults.append(Contradiction((field, seat), sentence.format(seat=seat, **values)))
    return faults


def _in_bids(view: View, bids: tuple[int, ...], rules: Rules) -> list[Contradiction]:
    """Return the faults of bids in the variants in which a bid is the number of spades that the seat was dealt."""
    if rules.variant not in SPADE_COUNTS:
        return []
    faults = []
    passes = rules.nil_pass or rules.blind_nil_pass  # seats may have played spades that they were not dealt
    dealt = [bid if bid or rules.variant != WHIZ else -1 for bid in bids] + [-1] * (4 - len(bids))  # -1: any number
    dealt = [-1 if bid == BLIND_NIL else bid for bid in dealt]
    for seat, bid in enumerate(dealt):
        known = view.hand if seat == view.seat else 0 if passes else view.played[seat]
        spades = spades_of(known).bit_count()
        if seat == view.seat and bid < 0:
            dealt[seat] = spades
        elif 0 <= bid < spades or (seat == view.seat and bid != spades):
            what = "its hand has" if seat == view.seat else "it has played"
            detail = f"the bid of seat {seat} is {bid}, but {what} {spades} spades; accepted: the number of its spades"
            faults.append(Contradiction(("bids", seat), detail))
    total = sum(spades for spades in dealt if spades > 0)
    if not faults and (total > CARDS or (total < CARDS and -1 not in dealt)):
        detail = f"the hands have {total} spades by these bids; accepted: {CARDS}"
        faults.append(Contradiction(("bids",), detail))
    return faults


def _room(lack: NoRoom, field: str) -> Contradiction:
    """Return the contradiction in ``field``: unseen cards for which the seats that may hold them have no room."""
    suits = " and ".join(_SUIT_NAMES[suit] for suit in reversed(range(len(SUITS))) if lack.suits >> suit & 1)
    who = (
        f"the seats that may hold them ({', '.join(map(str, lack.seats))}) have"
        if lack.seats
        else "the other seats have"
    )
    detail = f"{lack.cards} cards of {suits} are unseen, but {who} room for {lack.room}; accepted: fewer voids"
    return Contradiction((field,), detail)
