"""Faults of a request for an inference whose fields are valid separately: what cannot be true of one round."""

from typing import Final

from service.contract.bids import SPADE_COUNTS
from service.contract.hand import TRICKS
from service.problems import Fault, pointer
from spades.game.cards import SUITS, spades_of
from spades.game.decks import CARD_NAMES
from spades.game.rules import WHIZ, Rules
from spades.game.scoring import BLIND_NIL
from spades.game.variants import deck_number
from spades.inference.knowledge import View, contradictions_in
from spades.inference.play_checks import NoRoom, hand_contradictions, out_of_turn

_SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
# By the kind of a contradiction: the field, and the sentence about it.
_CONTRADICTIONS: Final = {
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
# `exchange_of` has found these, and knows cards that were given and came back.
_EXCHANGE_KINDS: Final = ("not-dealt", "received-own")


def nothing_fits() -> Fault:
    """Return the fault of a request for which the bids leave no deal."""
    detail = "no deal of the unseen cards fits these bids; accepted: bids that the other hands could make"
    return Fault("/bids", "contradiction", detail)


def view_faults(view: View, shown: View, rules: Rules) -> list[Fault]:
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
        faults.append(Fault(pointer(field, seat), "contradiction", sentence.format(seat=seat, **values)))
    return faults


def bid_faults(view: View, bids: tuple[int, ...], rules: Rules) -> list[Fault]:
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
            faults.append(Fault(pointer("bids", seat), "contradiction", detail))
    total = sum(spades for spades in dealt if spades > 0)
    if not faults and (total > TRICKS or (total < TRICKS and -1 not in dealt)):
        detail = f"the hands have {total} spades by these bids; accepted: {TRICKS}"
        faults.append(Fault("/bids", "contradiction", detail))
    return faults


def room_fault(lack: NoRoom, field: str) -> Fault:
    """Return the fault of ``field``: unseen cards for which the seats that may hold them have no room."""
    suits = " and ".join(_SUIT_NAMES[suit] for suit in reversed(range(len(SUITS))) if lack.suits >> suit & 1)
    who = (
        f"the seats that may hold them ({', '.join(map(str, lack.seats))}) have"
        if lack.seats
        else "the other seats have"
    )
    detail = f"{lack.cards} cards of {suits} are unseen, but {who} room for {lack.room}; accepted: fewer voids"
    return Fault(pointer(field), "contradiction", detail)
