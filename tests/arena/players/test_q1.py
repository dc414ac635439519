"""The learned player of the spAIdes report: its features, its options and its nets."""

import numpy as np
import pytest

from arena.agents import parse_agent
from arena.engine.rounds import legal_masks, to_play
from arena.errors import AgentError
from arena.players.q1 import (
    BAGS,
    BIDS,
    CARD_BITS,
    CHOSEN,
    CLAIMED,
    FEATURES,
    HAND,
    NETS,
    PILE,
    REWARDS,
    TRICKS,
    VALUES,
    Options,
    QPlayer,
    array_of,
    choose,
    first_weights,
    split,
    state_features,
)
from spades.cards import parse_card, parse_pbn
from spades.rules import Rules
from tests.arena.rounds import dealt, play_cards

pytestmark = pytest.mark.compiled
HANDS = [parse_pbn(text) for text in ("AKJ62.AQ.Q.K9543", "3.8643.9752.T872", "Q74.KJ5.AJT43.Q6", "T985.T972.K86.AJ")]


def a_round():
    """One round in which seat 0 took the first trick in clubs, then led the ace of hearts."""
    states = dealt(1, 1, Rules())
    states["hand"], states["bid"], states["bags"] = HANDS, (4, 0, 4, 3), (2, 7)
    for card in ("KC", "2C", "QC", "JC", "AH", "8H"):
        play_cards(states, [parse_card(card)])
    return states


def number(card):
    return CARD_BITS.tolist().index(parse_card(card))


def test_the_features_are_those_of_the_report():
    states = a_round()
    assert to_play(states).tolist() == [2]
    x = state_features(states, np.array([2]))[0]
    assert FEATURES == 220
    assert len(x) == FEATURES - 52, "the chosen card comes with the options"
    assert np.flatnonzero(x[HAND:CLAIMED]).tolist() == sorted(
        number(c) for c in ["6C", "TD", "JD", "AD", "3D", "4D", "5H", "JH", "KH", "QS", "4S", "7S"]
    )
    assert set(np.flatnonzero(x[CLAIMED:BIDS])) == {number(c) for c in ("KC", "2C", "QC", "JC")}, "earlier tricks only"
    assert x[BIDS:PILE].tolist() == [4, 3, 4, 0], "clockwise from the player"
    assert {n: x[PILE + n] for n in np.flatnonzero(x[PILE:TRICKS])} == {number("AH"): 1, number("8H"): 2}
    assert x[TRICKS:BAGS].tolist() == [0, 0, 1, 0]
    assert x[BAGS:CHOSEN].tolist() == [2, 7, 2, 7], "partners share their bags"


def test_the_options_are_legal_cards_or_all_bids():
    states, seats = a_round(), np.array([2])
    options = Options(states, seats, False)
    assert [int(card) for card in options.actions] == [parse_card(card) for card in ("5H", "JH", "KH")]
    assert [np.flatnonzero(row[CHOSEN:]).tolist() for row in options.x] == [[number(c)] for c in ("5H", "JH", "KH")]
    bids = Options(dealt(1, 2, Rules()), np.array([0, 1]), True)
    assert bids.actions.tolist() == [*range(14)] * 2
    assert (bids.x[:, BIDS] == bids.actions).all()
    assert not bids.x[:, CHOSEN:].any(), "a bid chooses no card"


def test_the_best_option_is_the_first_of_the_highest():
    options = Options(dealt(1, 2, Rules()), np.array([0, 0]), True)
    values = np.zeros(28, np.float32)
    values[[3, 5, 27]] = 1
    assert options.actions[options.best(values)].tolist() == [3, 13]


@pytest.mark.parametrize("net", NETS)
def test_every_net_plays_legal_cards(net):
    player = QPlayer(net, REWARDS[1])
    weights = {array_of(player): np.array([first_weights(net, np.random.default_rng(seed)) for seed in range(4)])}
    states = dealt(3, 20, Rules())
    for seat in range(4):
        states["bid"][:, seat] = choose(player, weights, states, np.full(20, seat), True)
    for _ in range(52):
        seats = to_play(states)
        cards = choose(player, weights, states, seats, False)
        assert (legal_masks(states, seats) >> cards & 1).all()
        play_cards(states, cards)
    assert (states["taken"].sum(axis=1) == 13).all()


def slow_convolution(weights, row):
    """The value of one row of features, with loops over suits, ranks and filters."""
    filters, first, second = split(weights)
    found = []
    for suit in range(4):
        for rank in range(13):
            window = []
            for at in (rank - 1, rank, rank + 1):
                inside = 0 <= at < 13
                window += [row[part + 13 * suit + at] if inside else 0 for part in (HAND, CLAIMED, PILE, CHOSEN)]
            found += [max(0.0, np.dot(window, filters[:-1, k]) + filters[-1, k]) for k in range(filters.shape[1])]
    inner = np.array([*found, *row[BIDS:PILE], *row[TRICKS:CHOSEN]])
    return float(np.maximum(inner @ first[:-1] + first[-1], 0) @ second[:-1, 0] + second[-1, 0])


def test_the_net_with_a_convolution():
    rng = np.random.default_rng(0)
    weights = first_weights("conv", rng) + rng.normal(0, 0.05, len(first_weights("conv", rng))).astype(np.float32)
    options = Options(a_round(), np.array([2]), False)
    expected = [slow_convolution(weights, row) for row in options.x]
    assert VALUES["conv"](weights, options.x) == pytest.approx(expected, abs=1e-4)


def test_the_linear_net():
    assert VALUES["linear"](np.arange(221.0), np.eye(FEATURES)[:2]).tolist() == [220.0, 221.0]


def test_a_blind_nil_and_no_bid_are_no_tricks():
    states = a_round()
    states["bid"] = (14, 3, -1, -1)
    assert state_features(states, np.array([2]))[0][BIDS:PILE].tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize("text", ["random:net=conv", "q@1:net=x", "q@1:reward=tricks,reward=bid", "q@1:", "random:a=b"])
def test_texts_that_name_no_player(text):
    with pytest.raises(AgentError, match="accepted"):
        parse_agent(text)
