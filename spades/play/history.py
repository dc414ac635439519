"""A round in progress as one player knows it: make the play state from the cards played so far, and check these.

`state_at_turn` says why this cannot be the player's turn. `state_before` finds cards that nobody can have played: a
card for the second time, a card that another seat holds, or a revoke (not following suit although the seat holds the
suit). It also finds a history after which the other seats have no room for the unseen cards of a suit.
"""

from collections.abc import Sequence
from typing import NamedTuple

from spades.cards import CARD_NAMES, FIRST_SPADE, SIDE_SUITS
from spades.errors import Contradiction
from spades.inference.knowledge import HAND_SIZE, suits_without_room
from spades.legal import FIRST_WITHOUT_SPADES, LOWEST_CLUB_FIRST, SPADES_LED, broken_at_start, deck_number
from spades.play.srp.goals import ALL_PIECES
from spades.play.state import PlayState
from spades.play.tricks import beats, legal_cards, lowest_club, play_card
from spades.rules import CUTTHROAT, LOWEST_CLUB_LEADS, Rules
from spades.scoring import Standing


class Known(NamedTuple):
    """What the player in ``seat`` knows before its turn; sets of cards are bit masks."""

    deck: int  # the 52 cards in play
    seat: int
    dealt: int  # the cards that the player was dealt
    given: int  # of these, the cards that it gave to partner after the bidding
    received: int  # the cards that it got from partner
    bids: tuple[int, ...]  # of the four seats
    tricks: tuple[tuple[int, ...], ...]  # by trick: the cards in order of play
    leader: int = 0  # the seat that led the first trick
    broken: int = 0  # `PlayState.broken` before the first card


class Impossible(NamedTuple):
    """A card of the history that cannot have been played."""

    kind: str  # a key of `KINDS`
    trick: int  # index in `Known.tricks`
    place: int  # index in the trick
    seat: int  # the seat that would have played the card
    card: int


# By kind, the sentence about it.
KINDS = {
    "twice": "{card} has been played before; accepted: each card once",
    "not-held": "seat {seat} plays {card}, which is not in its hand; accepted: cards that it holds",
    "in-hand": "seat {seat} plays {card}, which is in the hand of seat {own}; accepted: other cards",
    "given-elsewhere": "seat {seat} plays {card}, which was given to seat {partner}; accepted: other cards",
    "revoke": "seat {seat} plays {card}, but it did not follow this suit earlier; accepted: cards of other suits",
    "spades-only": "seat {seat} plays {card}, but it led the first spade, so it had no other suit; accepted: spades",
    "revoke-given": "seat {seat} plays {card}, but a card that seat {own} gave it forbids this; accepted: legal cards",
    "given-kept": "seat {seat} plays {card}, but it has too few cards left for those that seat {own} gave it; "
    "accepted: cards that were given to it",
    "first-lead": "seat {seat} leads {card}, but rules.first_lead is lowest_club; accepted: the lowest club",
    "first-spade": "seat {seat} plays {card} to the first trick, but it held other suits; accepted: those, because "
    "rules.first_trick_spades is false",
    "own-revoke": "seat {seat} plays {card}, but it held a card of the suit led; accepted: cards of that suit",
    "own-spade-lead": "seat {seat} leads {card} before any spade was played, but it held other suits; accepted: those",
    "spade-lead": "seat {seat} leads {card} before a spade was played, so it has only spades, but the other hands "
    "cannot hold all other cards; accepted: a lead of another suit",
    "no-room": "after seat {seat} plays {card}, the other hands have too many voids to hold all unseen cards; "
    "accepted: cards after which the other hands have room",
}


def state_before(known: Known) -> tuple[PlayState, Impossible | None]:
    """Return the play state before the player's card, and the first played card that is impossible, or None.

    Scores and rules in the state are 0, and of the hands it has only the player's.
    """
    state, found = _replayed(known, thorough=False)
    if found is not None and found.kind == "no-room":
        return _replayed(known, thorough=True)  # to find the first card after which there is no room
    return state, found


def state_at_turn(known: Known, rules: Rules) -> tuple[PlayState, Contradiction | None]:
    """Return the play state before the player's card, and what cannot be true of the tricks, or None.

    That is the first played card that is impossible, a round that is complete, or the turn of another seat.
    """
    known = known._replace(leader=_first_leader(known, rules), broken=broken_at_start(rules))
    state, impossible = state_before(known)
    if impossible is not None:
        names = CARD_NAMES[deck_number(rules)]
        sentence = KINDS[impossible.kind].format(
            seat=impossible.seat, card=names[impossible.card], own=known.seat, partner=known.seat ^ 2
        )
        return state, Contradiction(("tricks", impossible.trick, impossible.place), "contradiction", sentence)
    if sum(state.taken) == HAND_SIZE:
        detail = "all 13 tricks are complete; accepted: at most 12 complete tricks and one that is not complete"
        return state, Contradiction(("tricks",), "too-many-items", detail)
    turn = (state.leader + state.trick_size) & 3
    if turn != known.seat:
        detail = f"seat is {known.seat}, but seat {turn} plays next after these tricks; accepted: {turn}"
        return state, Contradiction(("seat",), "seat-mismatch", detail)
    lowest = lowest_club(known.deck)
    if state.broken & LOWEST_CLUB_FIRST and not state.hand[known.seat] & lowest:
        name = CARD_NAMES[deck_number(rules)][lowest.bit_length() - 1]
        detail = f"seat is {known.seat}, which does not hold {name}; accepted: the seat that holds it, which leads"
        return state, Contradiction(("seat",), "seat-mismatch", detail)
    return state, None


def _first_leader(known: Known, rules: Rules) -> int:
    """Return the seat that led the first trick. If the lowest club leads, it follows from the seat that plays next."""
    if rules.first_lead != LOWEST_CLUB_LEADS:
        return 0
    steps = 0  # from the first leader to the seat that plays next
    for trick in known.tricks:
        winner = 0
        for place, card in enumerate(trick):
            if beats(card, trick[winner]):
                winner = place
        steps += winner if len(trick) == 4 else len(trick)
    return (known.seat - steps) & 3


def write_scores(
    state: PlayState, seat: int, standing: Standing, seat_scores: Sequence[int], seat_bags: Sequence[int], rules: Rules
) -> None:
    """Write the score before the round into the state: ``standing``, as ``seat`` sees it, or in cutthroat by seat."""
    if rules.variant == CUTTHROAT:
        state.seat_score, state.seat_bags = list(seat_scores), list(seat_bags)
    else:
        us, them = seat & 1, 1 - (seat & 1)
        state.score[us], state.score[them] = standing.us, standing.them
        state.bags[us], state.bags[them] = standing.us_bags, standing.them_bags


def _replayed(known: Known, thorough: bool) -> tuple[PlayState, Impossible | None]:
    # ``thorough``: look for room after each card, not only at the end.
    me = known.seat
    state = PlayState(deck=known.deck, bid=list(known.bids), pieces=[ALL_PIECES] * 4)
    state.leader, state.broken = known.leader, known.broken
    state.hand[me] = own = known.dealt & ~known.given | known.received
    out = [0, 0, 0, 0]  # by seat: suits that it cannot hold: its voids, and all side suits if it led the first spade
    n = place = seat = card = 0
    for n, trick in enumerate(known.tricks):
        for place, card in enumerate(trick):
            seat = (state.leader + place) & 3
            kind = _fault(state, known, own, seat, card, out)
            if kind:
                return state, Impossible(kind, n, place, seat, card)
            spade_lead = seat != me and _spades_only(state, card)
            if spade_lead:
                out[seat] |= SIDE_SUITS  # it plays a spade, so it holds nothing else
            play_card(state, seat, card)
            out[seat] |= state.void[seat]
            if thorough and not _is_room(state, known, out):
                return state, Impossible("spade-lead" if spade_lead else "no-room", n, place, seat, card)
    return state, None if _is_room(state, known, out) else Impossible("no-room", n, place, seat, card)


def _fault(state: PlayState, known: Known, own: int, seat: int, card: int, out: list[int]) -> str:
    """Return the kind of fault of ``card``, which ``seat`` plays next; "" for none.

    ``own``: the cards that the player had after the pass; ``out``: by seat, the suits that it cannot hold.
    """
    bit = 1 << card
    if state.played & bit:
        return "twice"
    if state.broken & LOWEST_CLUB_FIRST and bit != lowest_club(known.deck):
        return "first-lead"
    if seat != known.seat:
        if own & bit:
            return "in-hand"
        if known.given & bit and seat != known.seat ^ 2:
            return "given-elsewhere"
        if out[seat] >> (card >> 4) & 1:
            return "revoke" if state.void[seat] >> (card >> 4) & 1 else "spades-only"
        got = known.given & ~state.played if seat == known.seat ^ 2 else 0
        if not got:
            return ""
        if not legal_cards(got | bit, state.trick_size, state.trick[0], state.broken) & bit:
            return "revoke-given"
        left = 12 - sum(state.taken)  # cards that the seat holds after this one
        return "given-kept" if (got & ~bit).bit_count() > left else ""
    hand = state.hand[seat]
    if not hand & bit:
        return "not-held"
    if legal_cards(hand, state.trick_size, state.trick[0], state.broken) & bit:
        return ""
    if state.broken & FIRST_WITHOUT_SPADES and card >= FIRST_SPADE:
        return "first-spade"
    return "own-revoke" if state.trick_size else "own-spade-lead"


def _spades_only(state: PlayState, card: int) -> bool:
    """Return whether a seat that plays ``card`` next must have spades only."""
    if card < FIRST_SPADE:
        return False
    if state.trick_size and state.trick[0] >= FIRST_SPADE:
        return False  # it follows suit
    if state.broken & FIRST_WITHOUT_SPADES:
        return True
    return state.trick_size == 0 and not state.broken & SPADES_LED


def _is_room(state: PlayState, known: Known, out: list[int]) -> bool:
    """Return whether the other seats have room for the unseen cards; ``out``: as in `_fault`."""
    if not any(out):
        return True
    partners = known.given & ~state.played
    unseen = known.deck & ~state.played & ~state.hand[known.seat] & ~partners
    in_trick = [(seat - state.leader) % 4 < state.trick_size for seat in range(4)]  # whose card is on the table
    room = [known.dealt.bit_count() - sum(state.taken) - laid for laid in in_trick]
    room[known.seat] = 0
    room[known.seat ^ 2] -= partners.bit_count()
    return not suits_without_room(unseen, out, room)
