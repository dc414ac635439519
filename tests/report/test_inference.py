"""The page about inference: its figures from cases with known answers, and its views of real rounds."""

import numpy as np
import pytest

from arena.engine.deal import start_round
from report import inference
from report.inference import RULES, judge, played_cards, positions, views_by_trick
from report.setup import Setup
from spades.cards import DECK, cards_of
from spades.inference import BIDDERS
from spades.inference.knowledge import contradictions_in, unseen_of
from spades.play import play_card
from tests.arena.engine import states
from tests.conftest import committed_tables


@pytest.fixture
def report(tmp_path):
    return Setup(committed_tables(), 10, 1, 2, tmp_path / "img")


def test_equal_chances_have_the_figures_that_the_page_names():
    judged = judge(np.full((39, 3), 1 / 3), np.arange(39) % 3)
    assert judged.log_loss == pytest.approx(1.0986, abs=1e-4)
    assert 100 * judged.error == pytest.approx(44.44, abs=0.01)
    assert judged.bins.sum(axis=0) == pytest.approx([117, 39, 39])


def test_a_certain_holder_has_no_loss():
    probabilities = np.eye(3)[np.arange(12) % 3]
    assert judge(probabilities, np.arange(12) % 3)[:2] == (0.0, 0.0)


@pytest.mark.compiled
def test_views_of_a_round_hold_what_its_player_sees(report):
    deals = positions(report, "bis", 3, 1)
    plays = played_cards(deals)
    for i in range(3):
        assert sum(1 << int(card) for card in plays[i]) == DECK
        state = states.under(RULES)
        start_round(state)
        state.hand[:] = [int(hand) for hand in deals["hands"][i]]
        for trick, view in enumerate(views_by_trick(deals, i, plays[i], 2)):
            assert contradictions_in(view) == []
            assert list(view.voids) == list(state.void)
            unseen = unseen_of(view)
            assert set(unseen.cards) == {c for seat in (3, 0, 1) for c in cards_of(state.hand[seat])}
            assert set(unseen.counts) == {13 - trick}
            for card in plays[i, 4 * trick : 4 * trick + 4]:
                play_card(state, (state.leader + state.trick_size) & 3, int(card))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["log_loss", "by_trick"])
def test_every_query_has_rows(report, name):
    rows = getattr(inference, f"inference_{name}")(report)["rows"]
    assert rows
    assert "nan" not in str(rows)
    if name == "log_loss":
        assert {row[0] for row in rows} == {f"`{bidder}`" for bidder in BIDDERS}
