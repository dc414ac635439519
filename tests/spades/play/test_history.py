"""A round in progress as one player knows it: the state equals the engine's, and impossible histories are refused."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.cards import DECK, cards_of, parse_card, parse_pbn
from spades.play.card_explanation import explain_card
from spades.play.history import KINDS, Known, state_before
from spades.play.srp.player import srp3
from spades.play.tricks import legal_cards, play_card
from spades.rules import Rules
from tests.arena.engine import states

FIELDS = ("bid", "taken", "void", "played", "trick_size", "leader", "broken", "deck")


def legal_round(seed):
    """Return the hands of a random deal, its bids, and random legal tricks up to a random card, with the state then."""
    rng = random.Random(seed)
    state = states.dealt(seed, 0, states.random_bids(rng))
    hands = list(state.hand)
    tricks: list[list[int]] = [[]]
    for _ in range(rng.randrange(52)):
        if len(tricks[-1]) == 4:
            tricks.append([])
        seat = states.to_play(state)
        card = srp3(state, seat) if rng.random() < 0.5 else rng.choice(states.legal_now(state))
        tricks[-1].append(card)
        play_card(state, seat, card)
    return state, hands, tricks


def known_to(seat, state, hands, tricks):
    return Known(DECK, seat, hands[seat], 0, 0, tuple(state.bid), tuple(map(tuple, tricks)))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6))
def test_the_state_is_the_engines_and_so_is_the_card(seed):
    state, hands, tricks = legal_round(seed)
    for seat in range(4):
        seen, fault = state_before(known_to(seat, state, hands, tricks))
        assert fault is None
        assert seen.hand[seat] == state.hand[seat]
        assert [getattr(seen, name) for name in FIELDS] == [getattr(state, name) for name in FIELDS]
        assert seen.trick[: seen.trick_size] == state.trick[: state.trick_size]
    me = states.to_play(state)
    seen, _ = state_before(known_to(me, state, hands, tricks))
    card = srp3(seen, me)
    assert card == srp3(state, me)
    reasons = explain_card(seen, me, card, Rules())
    assert (len(reasons) == 1) == (reasons[0]["code"] == "only-card")


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.data())
def test_a_card_that_its_seat_could_not_play_is_refused(seed, data):
    """Any other card in place of one of the player's own, or another seat's card that the player holds."""
    state, hands, tricks = legal_round(seed)
    n = data.draw(st.integers(0, len(tricks) - 1))
    if not tricks[n]:
        return
    place = data.draw(st.integers(0, len(tricks[n]) - 1))
    before, _, _ = replayed(state, hands, tricks, n, place)
    seat = states.to_play(before)
    wrong = data.draw(st.sampled_from([card for card in cards_of(DECK) if not legal_at(before, seat) >> card & 1]))
    spoiled = [list(trick) for trick in tricks[: n + 1]]
    spoiled[n] = [*spoiled[n][:place], wrong]
    _, fault = state_before(known_to(seat, state, hands, spoiled))
    assert fault is not None
    assert (fault.trick, fault.place, fault.seat, fault.card) == (n, place, seat, wrong)
    assert fault.kind in KINDS
    # Another player sees less, but never a card that was played before, or one of its own hand.
    other = data.draw(st.sampled_from([one for one in range(4) if one != seat]))
    _, fault = state_before(known_to(other, state, hands, spoiled))
    assert fault is not None or not (before.played | hands[other]) >> wrong & 1


def replayed(state, hands, tricks, n, place):
    again = states.empty()
    again.hand[:] = hands
    states.seated(again, state.bid, ("srp",) * 4, (511,) * 4)
    for trick in [*tricks[:n], tricks[n][:place]]:
        for card in trick:
            play_card(again, states.to_play(again), card)
    return again, n, place


def legal_at(state, seat):
    return legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)


HAND = "AKJ62.AQ.Q.K9543"
FIRST = ("KD", "2D", "QD", "6D")


def found(tricks, seat=2, given="", received="", hand=HAND):
    """Return the kind of fault and its place, or None."""
    numbers = tuple(tuple(parse_card(card) for card in trick) for trick in tricks)
    gave, got = (sum(1 << parse_card(card) for card in cards.split()) for cards in (given, received))
    _, fault = state_before(Known(DECK, seat, parse_pbn(hand), gave, got, (0, 3, 4, 3), numbers))
    return None if fault is None else (fault.kind, fault.trick, fault.place)


@pytest.mark.parametrize(
    ("tricks", "fault"),
    [
        ((FIRST, ("4H", "5H", "JH")), ("not-held", 1, 2)),
        ((FIRST,), None),
        (((*FIRST[:3], "AH"),), ("in-hand", 0, 3)),
        (((*FIRST[:3], "2D"),), ("twice", 0, 3)),
        ((("2D", "3D", "KS"),), ("own-revoke", 0, 2)),
        (((*FIRST[:3], "6C"), ("4D", "7D")), None),
        (((*FIRST[:3], "6C"), ("4D", "7D", "9C", "8D")), ("revoke", 1, 3)),
        ((("TS", "2C"),), ("spade-lead", 0, 0)),  # a lead of a spade: the seat holds no other suit
        ((("TS", "9S", "AS", "8S"), ("KS", "QS", "7C")), ("spades-only", 1, 2)),
    ],
)
def test_impossible_histories(tricks, fault):
    assert found(tricks) == fault


def test_the_leader_may_not_lead_a_spade_before_one_was_played():
    assert found((("AS",),), seat=0) == ("own-spade-lead", 0, 0)
    assert found((("AS",),), seat=0, hand="AKQJT98765432...") is None


def test_cards_that_were_exchanged():
    assert found((FIRST,), given="QD 2S", received="KH 7D") == ("not-held", 0, 2)
    assert found((FIRST, ("4H", "5H", "JH")), given="AH 2S", received="3D JH") is None
    assert found((("5H", "JH", "QH", "7H"),), given="AH 2S", received="3D TH") is None
    assert found((("5H", "AH"),), given="AH 2S", received="3D TH") == ("given-elsewhere", 0, 1)
    kept_back = (("2D", "KD", "QD", "6D"), ("4H", "QH", "7H", "8C"))
    assert found(kept_back, given="AH 2S", received="3D TH") == ("revoke-given", 1, 3)


def test_suits_that_nobody_can_hold():
    """Seats 1 and 3 are out of two suits, and seat 0 has 11 cards left for the 22 of them that are unseen."""
    out_of_one = [("KD", "2C", "QD", "6C")]
    assert found(out_of_one) is None
    assert found([*out_of_one, ("4H", "7C", "QH", "8C")]) == ("no-room", 1, 3)


def test_a_partner_keeps_room_for_the_cards_that_were_given_to_it():
    """The player says that it gave partner a card that is really an opponent's, and partner has one card left."""
    kinds = set()
    for seed in range(20):
        state = states.dealt(seed, 0)
        hands = list(state.hand)
        tricks: list[list[int]] = []
        while sum(state.taken) < 12:
            tricks.append([])
            for _ in range(4):
                tricks[-1].append(states.legal_now(state)[0])
                play_card(state, states.to_play(state), tricks[-1][-1])
        given, received = state.hand[2] | state.hand[1], sum(1 << card for card in cards_of(hands[0])[:2])
        dealt = hands[0] & ~received | given
        _, fault = state_before(Known(DECK, 0, dealt, given, received, (0, 3, 4, 3), tuple(map(tuple, tricks))))
        assert fault is not None
        assert fault.seat == 2
        kinds.add((fault.kind, fault.trick if fault.kind == "given-kept" else 0))
    assert kinds == {("given-kept", 11), ("revoke-given", 0)}
