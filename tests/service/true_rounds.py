"""Requests about unseen cards, from rounds that were really played to a random stage; and the same with one lie.

`true_round` deals, bids, passes and plays a round and says what one viewer knows of it. Each function of `LIES` changes
one fact of such a request, so that it cannot be true any longer.
"""

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from spades.cards import CARD_NAMES, FIRST_SPADE, SUITS, cards_of
from spades.legal import NO_BID, allowed_bids, deck_number, deck_of
from spades.passing import cards_to_pass, gives_first
from spades.play import ALL_PIECES, PlayState, legal_cards, play_card
from spades.rules import CUTTHROAT, MIRROR, WHIZ, Rules, make_rules

RULES: tuple[dict[str, Any], ...] = (
    {},
    {"preset": "pass-2"},
    {"preset": "pass-2", "nil_passes_first": True},
    {"preset": "pass-4", "nil_passes_first": True},
    {"preset": "blind-nil"},
    *({"preset": name} for name in ("cutthroat", "whiz", "mirror", "suicide", "jokers", "jjdd")),
)


@dataclass
class Round:
    """A request, and what is true besides."""

    request: dict[str, Any]
    rules: Rules
    viewer: int | None
    hands: list[int]  # by seat: the cards that it holds now
    names: dict[int, str]  # of the deck's cards
    kept_given: int = 0  # the cards that the viewer gave to partner for good, still unplayed

    @property
    def others(self) -> list[int]:
        return [seat for seat in range(4) if seat != self.viewer]

    @property
    def played(self) -> dict[str, list[str]]:
        return self.request.get("played", {})

    def count(self, seat: int) -> int:
        return len(self.played.get(str(seat), []))

    def held(self, seat: int) -> list[str]:
        return [self.names[card] for card in cards_of(self.hands[seat])]

    @property
    def unseen(self) -> list[str]:
        return [name for seat in self.others for name in self.held(seat)]


def true_round(seed: int) -> Round:
    """Return a request from a random stage of a random round."""
    rng = random.Random(seed)
    chosen = rng.choice(RULES)
    given_rules = dict(chosen)
    rules = make_rules(given_rules.pop("preset", "classic"), given_rules)
    names = CARD_NAMES[deck_number(rules)]
    cards = cards_of(deck_of(rules) & (1 << 64) - 1)
    rng.shuffle(cards)
    dealt = [sum(1 << card for card in cards[13 * seat : 13 * seat + 13]) for seat in range(4)]
    bids = _bids(rng, dealt, rules)
    stage = rng.choice(("bidding", "bid", "passed", "play", "play", "play"))
    viewer = rng.choice((None, 0, 1, 2, 3))
    request: dict[str, Any] = {"bids": ["blind_nil" if bid == 14 else bid for bid in bids]}
    if chosen:
        request["rules"] = chosen
    if viewer is not None:
        request |= {"hand": [names[card] for card in cards_of(dealt[viewer])], "seat": viewer}
    made = Round(request, rules, viewer, list(dealt), names)
    if stage == "bidding":
        request["bids"] = request["bids"][: rng.randrange(1, 4)]
        return made
    if stage == "bid":
        return made
    _exchange(rng, made, bids)
    if stage == "play":
        _play(rng, made, bids)
    return made


def _bids(rng: random.Random, hands: list[int], rules: Rules) -> list[int]:
    bids: list[int] = []
    for seat, hand in enumerate(hands):
        partner = bids[seat - 2] if seat > 1 and rules.variant != CUTTHROAT else NO_BID
        allowed = [bid for bid in range(14) if allowed_bids(hand, partner, rules) >> bid & 1]
        likely = [bid for bid in allowed if bid <= 6]
        bid = rng.choice(likely or allowed)
        if 0 in allowed and rng.random() < 0.25:
            bid = 14 if rules.blind_nil and rng.random() < 0.5 else 0
        bids.append(bid)
    return bids


def _exchange(rng: random.Random, made: Round, bids: list[int]) -> None:
    """Let the partners of a nil give each other random cards."""
    if made.rules.variant == CUTTHROAT:
        return
    for first in (0, 1):
        seats = (first, first + 2)
        number = cards_to_pass(bids[first], bids[first + 2], made.rules.nil_pass, made.rules.blind_nil_pass)
        if number == 0:
            continue
        if gives_first(tuple(bids), first + 2, made.rules):
            seats = (first + 2, first)
        gives: dict[int, int] = {}
        for place, seat in enumerate(seats):
            may_give = made.hands[seat]
            if place and made.rules.nil_passes_first:
                may_give |= gives[seats[0]]
            gives[seat] = sum(1 << card for card in rng.sample(cards_of(may_give), number))
        for seat in seats:
            # The first card given may come back, so what is received counts before what the second one gives.
            gave, got = gives[seat], gives[seat ^ 2]
            kept, came = gave & ~got, got & ~gave
            if seat == made.viewer:
                made.request |= {
                    "given": [made.names[card] for card in cards_of(gave)],
                    "received": [made.names[card] for card in cards_of(got)],
                }
                made.kept_given = gave & (~got | ~made.hands[seat])
            made.hands[seat] = made.hands[seat] & ~kept | came


def _play(rng: random.Random, made: Round, bids: list[int]) -> None:
    """Play random legal cards, and write down what each seat has played and shown to be out of."""
    state = PlayState(deck=deck_of(made.rules), bid=list(bids), pieces=[ALL_PIECES] * 4)
    state.hand[:] = made.hands
    played: list[list[str]] = [[], [], [], []]
    voids = [0, 0, 0, 0]
    for _ in range(rng.randrange(1, 53)):
        seat = (state.leader + state.trick_size) & 3
        card = rng.choice(cards_of(legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)))
        if state.trick_size == 0 and card >= FIRST_SPADE and not state.broken:
            voids[seat] |= 0b0111
        play_card(state, seat, card)
        voids[seat] |= state.void[seat]
        played[seat].append(made.names[card])
        made.kept_given &= ~(1 << card)
    made.hands = list(state.hand)
    made.request["played"] = {str(seat): played[seat] for seat in range(4) if played[seat] or rng.random() < 0.5}
    shown = {seat: [s for n, s in enumerate(SUITS) if voids[seat] >> n & 1 and rng.random() < 0.9] for seat in range(4)}
    if any(shown.values()) or rng.random() < 0.3:
        made.request["voids"] = {str(seat): suits for seat, suits in shown.items() if suits}


Lie = Callable[[random.Random, Round], dict[str, Any] | None]


def _changed(made: Round, **fields: Any) -> dict[str, Any]:
    return {**deepcopy(made.request), **fields}


def _with_played(made: Round, seat: int, index: int, name: str) -> dict[str, Any]:
    request = deepcopy(made.request)
    request["played"][str(seat)][index] = name
    return request


def _with_void(made: Round, *found: tuple[int, str]) -> dict[str, Any]:
    request = deepcopy(made.request)
    voids = request.setdefault("voids", {})
    for seat, suit in found:
        voids[str(seat)] = sorted({*voids.get(str(seat), []), suit})
    return request


def _one_played(rng: random.Random, made: Round, seats: list[int]) -> tuple[int, int] | None:
    """Return a seat of ``seats`` and the index of one of its played cards."""
    seats = [seat for seat in seats if made.count(seat)]
    if not seats:
        return None
    seat = rng.choice(seats)
    return seat, rng.randrange(made.count(seat))


def _suit_of(made: Round, name: str) -> str:
    return SUITS[next(card for card, one in made.names.items() if one == name) >> 4]


def a_card_twice(rng, made):
    place = _one_played(rng, made, made.others)
    if place is None:
        return None
    twice = [name for seat, names in made.played.items() if int(seat) != place[0] for name in names]
    return _with_played(made, *place, rng.choice(twice)) if twice else None


def a_card_of_the_viewer(rng, made):
    place = _one_played(rng, made, made.others)
    if place is None or made.viewer is None:
        return None
    own = [*made.held(made.viewer), *made.played.get(str(made.viewer), [])]
    return _with_played(made, *place, rng.choice(own))


def a_card_that_the_viewer_did_not_hold(rng, made):
    place = None if made.viewer is None else _one_played(rng, made, [made.viewer])
    return _with_played(made, *place, rng.choice(made.unseen)) if place and made.unseen else None


def too_few_played(rng, made):
    request, seat = deepcopy(made.request), rng.randrange(4)
    most = max(made.count(other) for other in range(4) if other != seat)
    if most < 2 or not made.count(seat):
        return None
    del request["played"][str(seat)][rng.randrange(most - 1) :]
    return request


def out_of_turn(rng, made):
    counts = [made.count(seat) for seat in range(4)]
    if len(made.request["bids"]) < 4 or len(set(counts)) > 1 or counts[0] == 13:
        return None
    seats = [rng.choice((1, 2, 3))] if counts[0] == 0 else rng.choice(([0, 2], [1, 3]))
    request = deepcopy(made.request)
    played = request.setdefault("played", {})
    for seat in seats:
        played.setdefault(str(seat), []).append(rng.choice(made.held(seat)))
    return request


def a_void_in_the_hand(rng, made):
    if made.viewer is None or not made.hands[made.viewer]:
        return None
    return _with_void(made, (made.viewer, _suit_of(made, rng.choice(made.held(made.viewer)))))


def a_suit_that_nobody_may_hold(rng, made):
    if not made.unseen:
        return None
    suit = _suit_of(made, rng.choice(made.unseen))
    return _with_void(made, *((seat, suit) for seat in made.others))


def no_room_for_a_suit(rng, made):
    """Seats are out of a suit, one after the other, until the rest have fewer cards than the suit has unseen."""
    if not made.unseen:
        return None
    suit = _suit_of(made, rng.choice(made.unseen))
    need = sum(_suit_of(made, name) == suit for name in made.unseen)
    seats = rng.sample(made.others, len(made.others))
    for number in range(1, len(seats)):
        room = sum(13 - made.count(seat) for seat in seats[number:])
        if room < need:
            return _with_void(made, *((seat, suit) for seat in seats[:number]))
    return None


def out_of_every_suit(rng, made):
    seats = [seat for seat in range(4) if made.hands[seat]]
    seat = rng.choice(seats) if seats else None
    return None if seat is None else _with_void(made, *((seat, suit) for suit in SUITS))


def a_void_before_it_was_shown(rng, made):
    seats = [seat for seat in made.others if not made.count(seat)]
    return _with_void(made, (rng.choice(seats), rng.choice(SUITS))) if seats else None


def a_void_in_the_suit_it_followed(rng, made):
    """A seat that has played cards of one suit only has not failed to follow this suit."""
    seats = []
    for seat in made.others:
        suits = {_suit_of(made, name) for name in made.played.get(str(seat), [])}
        if len(suits) == 1 and any(_suit_of(made, name) in suits for name in made.unseen):
            seats.append((seat, suits.pop()))
    return _with_void(made, rng.choice(seats)) if seats else None


def a_void_in_a_card_that_was_given(rng, made):
    if made.viewer is None or not made.kept_given:
        return None
    card = rng.choice(cards_of(made.kept_given))
    return _with_void(made, (made.viewer ^ 2, SUITS[card >> 4]))


def a_given_card_played_by_an_opponent(rng, made):
    if made.viewer is None or not made.kept_given:
        return None
    place = _one_played(rng, made, [made.viewer ^ 1, made.viewer ^ 3])
    name = made.names[rng.choice(cards_of(made.kept_given))]
    return _with_played(made, *place, name) if place else None


def played_before_the_bids(rng, made):
    if not any(made.count(seat) for seat in range(4)):
        return None
    request = _changed(made, bids=made.request["bids"][: rng.randrange(1, 4)])
    for field in ("given", "received"):
        request.pop(field, None)
    return request


def a_hand_with_a_card_of_another(rng, made):
    place = _one_played(rng, made, made.others)
    if place is None or made.viewer is None:
        return None
    name = made.played[str(place[0])][place[1]]
    if name in made.request["hand"] or name in made.request.get("given", []):
        return None
    hand = list(made.request["hand"])
    hand[rng.randrange(13)] = name
    return _changed(made, hand=hand)


def a_hand_of_another_size(rng, made):
    if made.viewer is None:
        return None
    hand = made.request["hand"]
    return _changed(made, hand=rng.choice((hand[:12], [*hand, hand[0]], [*hand[:12], hand[0]])))


def a_given_card_not_held(rng, made):
    if "given" not in made.request:
        return None
    wrong = [name for name in made.names.values() if name not in (*made.request["hand"], *made.request["received"])]
    return _changed(made, given=[*made.request["given"][1:], rng.choice(wrong)])


def a_received_card_of_the_hand(rng, made):
    if "given" not in made.request:
        return None
    kept = [name for name in made.request["hand"] if name not in made.request["given"]]
    return _changed(made, received=[*made.request["received"][1:], rng.choice(kept)])


def another_number_of_given_cards(rng, made):
    if "given" not in made.request:
        return None
    field = rng.choice(("given", "received"))
    return _changed(made, **{field: made.request[field][1:]})


def no_exchange(rng, made):
    if "given" not in made.request or not any(made.count(seat) for seat in range(4)):
        return None
    request = deepcopy(made.request)
    del request["given"], request["received"]
    return request


def an_exchange_without_a_pass(rng, made):
    if made.rules.nil_pass or made.viewer is None:
        return None
    return _changed(
        made, given=made.request["hand"][:2], received=rng.sample(made.unseen, 2) if made.unseen[1:] else ["2D"]
    )


def bids_that_the_rules_forbid(rng, made):
    bids = list(made.request["bids"])
    if made.rules.variant == CUTTHROAT or len(bids) < 3:
        bids[rng.randrange(len(bids))] = 14
    else:
        bids[0], bids[2] = 9, 9
    return _changed(made, bids=rng.choice((bids, [], [*bids, 3, 3, 3, 3])))


def another_number_of_spades(rng, made):
    """In mirror and whiz a number is that of the spades that a seat was dealt."""
    bids = made.request["bids"]
    if made.rules.variant == MIRROR and len(bids) == 4:
        seat = rng.randrange(4)  # then the bids do not sum to 13
    elif made.rules.variant in (MIRROR, WHIZ) and made.viewer in range(len(bids)) and bids[made.viewer]:
        seat = made.viewer
    else:
        return None
    return _changed(made, bids=[bid + 1 if one == seat else bid for one, bid in enumerate(bids)])


def a_revoke_in_the_first_trick(rng, made):
    if made.viewer in (None, 0) or not made.count(made.viewer) or any(made.count(seat) > 1 for seat in range(4)):
        return None
    suit = _suit_of(made, made.played["0"][0])
    own = [*made.held(made.viewer), *made.played[str(made.viewer)]]
    others = [name for name in own if _suit_of(made, name) != suit]
    return _with_played(made, made.viewer, 0, rng.choice(others)) if 0 < len(others) < len(own) else None


def a_seat_that_is_not_there(rng, made):
    if made.viewer is None:
        return _changed(made, seat=rng.randrange(4))
    return _changed(made, seat=rng.choice((4, -1, None)))


def a_card_that_is_not_in_the_deck(rng, made):
    missing = [name for name in (*CARD_NAMES[0].values(), "BJ", "1S") if name not in made.names.values()]
    place = _one_played(rng, made, [0, 1, 2, 3])
    return _with_played(made, *place, rng.choice(missing)) if place else None


LIES: tuple[Lie, ...] = (
    a_card_twice,
    a_card_of_the_viewer,
    a_card_that_the_viewer_did_not_hold,
    too_few_played,
    out_of_turn,
    a_void_in_the_hand,
    a_suit_that_nobody_may_hold,
    no_room_for_a_suit,
    out_of_every_suit,
    a_void_before_it_was_shown,
    a_void_in_the_suit_it_followed,
    a_void_in_a_card_that_was_given,
    a_given_card_played_by_an_opponent,
    played_before_the_bids,
    a_hand_with_a_card_of_another,
    a_hand_of_another_size,
    a_given_card_not_held,
    a_received_card_of_the_hand,
    another_number_of_given_cards,
    no_exchange,
    an_exchange_without_a_pass,
    bids_that_the_rules_forbid,
    another_number_of_spades,
    a_revoke_in_the_first_trick,
    a_seat_that_is_not_there,
    a_card_that_is_not_in_the_deck,
)


def false_round(seed: int) -> tuple[str, dict[str, Any]]:
    """Return the name of a lie and a true request with it."""
    rng = random.Random(seed)
    while True:
        lie = rng.choice(LIES)
        request = lie(rng, true_round(rng.randrange(10**9)))
        if request is not None:
            return lie.__name__, request
