"""The learned player that knows the score: its inputs, and that it reads nothing it may not see."""

import numpy as np
import pytest

from arena.engine.rounds import allowed_masks, legal_masks, to_play
from arena.players.q2 import ACTIONS, CARDS, INPUT_PARTS, INPUTS, Net, choose, inputs_of, values_of
from spades.cards import DECK, parse_card, parse_pbn
from spades.inference import places_of
from spades.rules import make_rules
from tests.arena.rounds import dealt, play_cards

pytestmark = pytest.mark.compiled
RULES = make_rules("classic", {"win": 200, "lose": -100})
HANDS = [parse_pbn(text) for text in ("AKJ62.AQ.Q.K9543", "3.8643.9752.T872", "Q74.KJ5.AJT43.Q6", "T985.T972.K86.AJ")]
PLAYED = ("KC", "2C", "QC", "JC", "AH", "8H")  # seat 0 takes the first trick; seat 2 is next
OWN = ["6C", "TD", "JD", "AD", "3D", "4D", "5H", "JH", "KH", "QS", "4S", "7S"]


def a_round(*played, bids=(4, 0, 4, 3)):
    states = dealt(1, 1, RULES)
    states["hand"], states["bid"] = HANDS, bids
    states["score"], states["bags"] = (120, 95), (3, 5)
    for card in played:
        play_cards(states, [parse_card(card)])
    return states


def parts_of(states, seat):
    x = inputs_of(states, np.array([seat]))[0]
    ends = np.cumsum([*INPUT_PARTS.values()])
    assert len(x) == INPUTS == ends[-1]
    return {name: x[end - size : end] for (name, size), end in zip(INPUT_PARTS.items(), ends, strict=True)}


def classes(bits, number):
    return [np.flatnonzero(row).tolist() for row in bits.reshape(number, -1)]


def test_the_cards():
    states = a_round(*PLAYED)
    places = places_of(states["hand"][:, 2])[0]
    own, unseen, *table, boss, winners = parts_of(states, 2)["cards"].reshape(7, CARDS)

    def at(cards):
        return sorted(int(places[parse_card(card)]) for card in cards)

    assert np.flatnonzero(own).tolist() == at(OWN)
    assert unseen.sum() == 52 - len(PLAYED) - len(OWN)
    assert not (own & unseen).any()
    for bits, card in zip(table, ((), ("AH",), ("8H",)), strict=True):
        assert np.flatnonzero(bits).tolist() == at(card)
    assert np.flatnonzero(boss).tolist() == at(["KH", "AD"]), "the ace of hearts is on the table"
    assert not winners.any(), "no heart beats the ace, and a spade may not be played"


def test_the_numbers():
    parts = parts_of(a_round(*PLAYED), 2)
    assert classes(parts["bids"], 4) == [[4], [3], [4], [0]], "clockwise from the player"
    assert classes(parts["taken"], 4) == [[0], [0], [1], [0]]
    assert classes(parts["needs"], 2) == [[4 + 4 - 1 + 3], [3 + 3]]
    assert parts["nils"].tolist() == [0, 0, 0, 1]
    assert classes(parts["left"], 1) == [[12]]
    assert classes(parts["table"], 1) == [[2]]
    assert classes(parts["winner"], 1) == [[2]], "partner"
    assert parts["broken"].tolist() == [0]
    assert classes(parts["points"], 2) == [[(120 + 120) // 20], [(95 + 120) // 20]]
    assert classes(parts["bags"], 2) == [[3], [5]]
    assert not parts["voids"].any()


def test_a_void_is_at_the_suits_place():
    """Seat 1 is out of diamonds after seat 0's last diamond, and ruffs."""
    hands = [HANDS[0], parse_pbn("3.T9876432..JT87"), HANDS[2]]
    hands.append(DECK & ~(hands[0] | hands[1] | hands[2]))
    states = dealt(1, 1, RULES)
    states["hand"], states["bid"] = hands, (4, 0, 4, 3)
    for card in ("QD", "3S"):
        play_cards(states, [parse_card(card)])
    places = places_of(states["hand"][:, 2])[0]
    parts = parts_of(states, 2)
    assert classes(parts["voids"], 3) == [[], [], [int(places[16]) // 13]], "seat 1 comes last, after seats 3 and 0"
    assert parts["broken"].tolist() == [1]


def test_the_cards_that_win_now():
    """Seat 1 follows with a heart that beats the queen; a player without hearts wins with a spade."""
    states = a_round()
    states["leader"] = 0
    play_cards(states, [parse_card("QH")])
    states["hand"][0, 1] |= 1 << parse_card("KH")
    states["hand"][0, 2] &= ~(1 << parse_card("KH"))

    def winners(seat):
        places = places_of(states["hand"][:, seat])[0]
        bits = parts_of(states, seat)["cards"].reshape(7, CARDS)[6]
        return {card for card in range(64) if DECK >> card & 1 and bits[places[card]]}

    assert winners(1) == {parse_card("KH")}
    states["hand"][0, 1] &= ~(0x1FFF << 32)
    assert winners(1) == {parse_card("3S")}, "the only spade of seat 1"


def test_an_odd_seat_sees_its_own_side_first():
    parts = parts_of(a_round(), 1)
    assert classes(parts["points"], 2) == [[(95 + 120) // 20], [(120 + 120) // 20]]
    assert classes(parts["bags"], 2) == [[5], [3]]
    assert classes(parts["bids"], 4) == [[0], [4], [3], [4]]
    assert classes(parts["needs"], 2) == [[3 + 3], [8 + 3]]


def test_what_the_training_does_not_know_counts_as_the_nearest():
    low, lowest = a_round(), a_round()
    low["score"], lowest["score"] = (-100, 95), (-180, 95)
    assert (inputs_of(low, np.array([0])) == inputs_of(lowest, np.array([0]))).all()
    nil, blind = a_round(bids=(4, 0, 4, 3)), a_round(bids=(4, 14, 4, 3))
    assert (inputs_of(nil, np.array([2])) == inputs_of(blind, np.array([2]))).all()


def test_the_auction():
    parts = parts_of(a_round(bids=(4, 0, -1, -1)), 2)
    assert classes(parts["bids"], 4) == [[], [], [4], [0]]
    assert classes(parts["turn"], 1) == [[2]]
    assert not parts["winner"].any()


def test_the_distance_to_the_goal_counts():
    states = a_round(*PLAYED)
    far = dealt(1, 1, make_rules("classic", {"win": 500, "lose": -200}))
    for name in ("hand", "bid", "bags"):
        far[name] = a_round()[name]
    far["score"] = (420, 395)
    for card in PLAYED:
        play_cards(far, [parse_card(card)])
    assert (inputs_of(states, np.array([2])) == inputs_of(far, np.array([2]))).all()


def swapped(cards):
    """The cards with clubs as diamonds, diamonds as hearts and hearts as clubs."""
    return cards >> 48 << 48 | (cards & 0xFFFF) << 16 | (cards >> 16 & 0xFFFF) << 32 | cards >> 32 & 0xFFFF


def test_side_suits_are_alike():
    plain = a_round(*PLAYED)
    other = dealt(1, 1, RULES)
    other["hand"], other["bid"] = [swapped(hand) for hand in HANDS], (4, 0, 4, 3)
    other["score"], other["bags"] = (120, 95), (3, 5)
    for card in PLAYED:
        play_cards(other, [swapped(1 << parse_card(card)).bit_length() - 1])
    assert (inputs_of(plain, np.array([2])) == inputs_of(other, np.array([2]))).all()


def test_hidden_cards_change_nothing():
    states = a_round(*PLAYED)
    before = inputs_of(states, np.array([2]))
    states["hand"][0, [0, 1, 3]] = states["hand"][0, [3, 0, 1]]
    assert (inputs_of(states, np.array([2])) == before).all()


def test_choices_are_allowed():
    rng = np.random.default_rng(1)
    net = Net(*(rng.normal(0, 0.1, shape).astype(np.float32) for shape in ((INPUTS + 1, 8), (9, 8), (9, ACTIONS))))
    states = dealt(3, 50, make_rules("classic", {"win": 200, "lose": -100, "min_bid": 4}))
    for seat in range(4):
        seats = np.full(50, seat)
        allowed = allowed_masks(states, seats)
        bids = choose(net, states, seats, True)
        assert (allowed >> bids & 1).all()
        states["bid"][:, seat] = bids
    for _ in range(52):
        seats = to_play(states)
        cards = choose(net, states, seats, False)
        assert (legal_masks(states, seats) >> cards & 1).all()
        play_cards(states, cards)
    assert (states["taken"].sum(axis=1) == 13).all()
    assert values_of(net, inputs_of(states, np.zeros(50, np.int64))).shape == (50, ACTIONS)
    assert int(states["deck"][0]) == DECK
