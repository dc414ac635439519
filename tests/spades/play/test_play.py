"""Every card player through whole rounds: it plays legal cards only, chosen from what its seat may see."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.players.choose_card import IDS, choose_card
from spades.cards import cards_of, format_card
from spades.play.srp.goals import ALL_PIECES, SRP_1_PIECES, SRP_PIECE_NAMES
from spades.play.tricks import play_card, unseen_cards
from tests import naive
from tests.arena.engine import states

PLAYERS = sorted(set(IDS))
pieces = st.sampled_from((ALL_PIECES, ALL_PIECES, 0)) | st.integers(0, ALL_PIECES)


class Blindfold:
    """A state that raises if a player reads what its seat may not see, or writes to it."""

    def __init__(self, s, seat):
        self._s = s
        self.hand = _OwnHand(s.hand, seat)

    def __getattr__(self, field):
        assert field != "rng", "the generator is not for a seat to see"
        value = getattr(self._s, field)
        return tuple(value) if isinstance(value, list) else value


class _OwnHand:
    def __init__(self, hands, seat):
        self._hands, self._seat = hands, seat

    def __getitem__(self, seat):
        assert seat == self._seat, f"the hand of seat {seat} is not for this seat to see"
        return self._hands[seat]


def blindfolded(s, seat) -> Any:
    return Blindfold(s, seat)


def texts(mask):
    return {format_card(card) for card in cards_of(mask)}


def redealt(s, seat, rng):
    """Return the same state as ``seat`` sees it, with the cards that it cannot see dealt again to the others."""
    hidden = cards_of(unseen_cards(s, seat))
    rng.shuffle(hidden)
    other = states.copy(s)
    for step in range(1, 4):
        number = s.hand[(seat + step) % 4].bit_count()
        other.hand[(seat + step) % 4] = sum(1 << card for card in hidden[:number])
        del hidden[:number]
    assert not hidden
    return other


def test_versions():
    assert {"wrp", "srp", "srp@1", "srp@3"} <= IDS.keys()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31 - 1), st.lists(st.sampled_from(PLAYERS), min_size=4, max_size=4), st.data())
def test_whole_rounds_are_legal(seed, players, data):
    bids = data.draw(st.lists(st.sampled_from((0, 0, 1, 2, 3, 4, 6, 13, 14)), min_size=4, max_size=4))
    s = states.dealt(seed, 1, bids, players, data.draw(st.lists(pieces, min_size=4, max_size=4)))
    spade_played = False
    for _ in range(52):
        seat = states.to_play(s)
        trick = [format_card(s.trick[i]) for i in range(s.trick_size)]
        card = choose_card(blindfolded(s, seat), seat)
        assert format_card(card) in naive.legal(texts(s.hand[seat]), trick, spade_played)
        spade_played |= card >= 48
        play_card(s, seat, card)
    assert sum(s.taken[seat] for seat in range(4)) == 13
    assert all(s.hand[seat] == 0 for seat in range(4))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**31 - 1), st.sampled_from(PLAYERS))
def test_midway_after_anything(seed, player):
    """In positions that no player would reach, the card is legal and depends only on what the seat may see."""
    s = states.midway(seed)
    seat = states.to_play(s)
    s.player[seat] = IDS[player]
    before = states.copy(s)
    card = choose_card(blindfolded(s, seat), seat)
    assert card in states.legal_now(s)
    assert s == before
    rng = random.Random(seed)
    for _ in range(3):
        assert choose_card(redealt(s, seat, rng), seat) == card


@pytest.mark.parametrize("player", PLAYERS)
def test_the_last_card_is_forced(player):
    s = states.of_hands(["A...", ".A..", "..A.", "...A"], players=[player] * 4)
    for _ in range(4):
        seat = states.to_play(s)
        play_card(s, seat, choose_card(s, seat))
    assert (s.leader, s.taken[0]) == (0, 1)


def test_every_piece_matters():
    """Switching off any rule of SRP 1 changes some card in some round."""
    for piece in range(SRP_1_PIECES.bit_length()):
        assert any(played(number, ALL_PIECES) != played(number, ALL_PIECES & ~(1 << piece)) for number in range(300)), (
            SRP_PIECE_NAMES[piece]
        )


def played(number, pieces):
    """Return the cards of one round with SRP 1 in all seats; the round's number decides about nils and low sums."""
    rng = random.Random(number)
    bids = [rng.choice((0, 1, 2, 3, 3, 4)) for _ in range(4)]
    s = states.dealt(8, number, bids, ("srp@1",) * 4, [pieces] * 4)
    cards = []
    for _ in range(52):
        seat = states.to_play(s)
        cards.append(choose_card(s, seat))
        play_card(s, seat, cards[-1])
    return cards


def test_player_ids_reach_the_right_player():
    differ = 0
    for seed in range(30):
        s = states.midway(seed, 10)
        seat = states.to_play(s)
        cards = {}
        for player in PLAYERS:
            s.player[seat], s.pieces[seat] = IDS[player], ALL_PIECES
            cards[player] = choose_card(s, seat)
        assert cards["srp"] == cards["srp@3"]
        differ += cards["srp"] != cards["wrp"]
    assert differ
