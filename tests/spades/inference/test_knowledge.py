"""What a viewer knows: which seats may hold the unseen cards, and what contradicts itself."""

import numpy as np
import pytest

from spades.cards import CLUBS, DECK, HEARTS, cards_of, parse_card, parse_pbn
from spades.inference.deals import deals_of
from spades.inference.knowledge import SPECTATOR, View, contradictions_in, unseen_of

HAND = parse_pbn("AKJ62.AQ.Q.K9543")


def cards(*names):
    return sum(1 << parse_card(name) for name in names)


def view(seat=2, hand=HAND, given=0, received=0, played=(0, 0, 0, 0), voids=(0, 0, 0, 0)):
    return View(DECK, seat, hand, given, received, played, voids)


def may_hold(unseen, seat, card):
    return unseen.allowed[unseen.cards.index(parse_card(card)), unseen.seats.index(seat)] == 1.0


def test_before_the_first_card():
    unseen = unseen_of(view())
    assert set(unseen.cards) == set(cards_of(DECK & ~HAND))
    assert (unseen.seats, unseen.counts) == ((3, 0, 1), (13, 13, 13))
    assert unseen.allowed.all()


def test_played_cards_and_voids():
    played = (cards("2C"), cards("TC"), cards("KC"), cards("TH"))
    unseen = unseen_of(view(played=played, voids=(0, 0, 0, 1 << CLUBS)))
    assert unseen.counts == (12, 12, 12)
    assert not {parse_card("2C"), parse_card("TH")} & set(unseen.cards)
    assert not may_hold(unseen, 3, "AC")
    assert may_hold(unseen, 3, "AD")
    assert may_hold(unseen, 0, "AC")


def test_given_and_received_cards():
    unseen = unseen_of(view(given=cards("AS", "KS"), received=cards("2H", "3H")))
    assert [may_hold(unseen, seat, "AS") for seat in (0, 1, 3)] == [True, False, False]
    assert parse_card("2H") not in unseen.cards
    assert len(unseen.cards) == 39


def test_a_spectator():
    unseen = unseen_of(view(SPECTATOR, 0, played=(cards("AC"), 0, 0, 0)))
    assert (unseen.seats, unseen.counts, len(unseen.cards)) == ((0, 1, 2, 3), (12, 13, 13, 13), 51)


def test_voids_that_leave_no_deal():
    unseen = unseen_of(view(voids=(1 << HEARTS, 1 << HEARTS, 0, 1 << HEARTS)))
    assert deals_of(unseen.allowed, unseen.counts) is None
    fits = unseen_of(view(voids=(1 << HEARTS, 1 << HEARTS, 0, 0)))
    deals = deals_of(fits.allowed, fits.counts)
    assert deals is not None
    assert np.allclose(deals.probabilities.sum(axis=0), fits.counts)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (view(), []),
        (view(played=(cards("2C"), cards("2C"), 0, 0)), [("twice", 1, "2C")]),
        (view(played=(0, cards("AS"), 0, 0)), [("in-hand", 1, "AS")]),
        (view(played=(0, 0, cards("2D"), 0)), [("not-held", 2, "2D")]),
        (view(played=(cards("2C", "3D"), 0, 0, 0)), [("uneven", 0, None)]),
        (view(given=cards("2D"), received=cards("2H")), [("not-dealt", 2, "2D")]),
        (view(given=cards("AS"), received=cards("KS")), [("received-own", 2, "KS")]),
        (view(given=cards("AS"), received=cards("2H"), played=(0, cards("AS"), 0, 0)), [("given-elsewhere", 1, "AS")]),
        (view(given=cards("AS"), received=cards("2H"), played=(cards("AS"), 0, 0, 0)), []),
        (view(given=cards("AS"), received=cards("2H"), played=(0, 0, cards("2H"), 0)), []),
    ],
)
def test_contradictions(seen, expected):
    wanted = [(kind, seat, -1 if card is None else parse_card(card)) for kind, seat, card in expected]
    assert contradictions_in(seen) == wanted
