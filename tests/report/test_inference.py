"""The page about inference: its figures from cases with known answers, and its views of real rounds."""

import numpy as np
import pytest

from arena.engine.deal import start_round
from report import inference
from report.consistent import bound
from report.inference import RULES, judge, played_cards, positions, views_by_trick
from report.setup import Setup
from spades.cards import DECK, cards_of, parse_card
from spades.inference import BIDDERS, prior_column_of, prior_row_of
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


def test_the_bound_is_right_on_average():
    """Samples of 100 deals from known probabilities: neither the least log-loss nor the gap is biased."""
    rng = np.random.default_rng(1)
    true = rng.dirichlet([4.0, 4.0, 4.0], 39)
    model = rng.dirichlet([40.0, 40.0, 40.0], 39)
    entropy = -(true * np.log(true)).sum(axis=1).mean()
    gap = (true * np.log(true / model)).sum(axis=1).mean()
    found = []
    for _ in range(2000):
        shares = np.array([rng.multinomial(100, row) for row in true]) / 100
        holders = np.array([rng.choice(3, p=row) for row in true])
        found.append(bound(shares, 100, model, holders))
    least, above = np.mean(found, axis=0)
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert abs(least - entropy) < 3 * error[0] + 0.0005
    assert abs(above - gap) < 3 * error[1] + 0.0005


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
@pytest.mark.parametrize("name", ["log_loss", "published", "best_possible", "by_trick", "others"])
def test_every_query_has_rows(report, name, monkeypatch):
    monkeypatch.setattr(inference, "TRIES", 2_000)
    monkeypatch.setattr(inference, "FEWEST", 1)
    monkeypatch.setattr(inference, "OTHERS", ("rb",))
    rows = getattr(inference, f"inference_{name}")(report)["rows"]
    assert rows
    assert "nan" not in str(rows)
    if name == "log_loss":
        assert {row[0] for row in rows} == {f"`{bidder}`" for bidder in BIDDERS}


@pytest.mark.compiled
def test_the_errors_beside_the_published_one_are_those_after_four_bids(report):
    four = [row for row in inference.inference_log_loss(report)["rows"] if row[1] == 4]
    prior, net = inference.inference_published(report)["rows"][-2:]
    assert (prior[2:], net[2:]) == (tuple(row[3] for row in four), tuple(row[5] for row in four))


def test_the_articles_example(report):
    """A player who knows that the card is not in their own hand divides by what is left: checked with one cell."""
    ours = {row[0]: row[3:] for row in inference.inference_example(report)["rows"]}
    two, king = (next(cells for name, cells in ours.items() if card in name) for card in ("the 2", "the king"))
    assert len(two) == len(king) == len(BIDDERS)
    for bidder, low, high in zip(BIDDERS, king, two, strict=True):
        assert int(high.split(" to ")[0]) > int(low.split(" to ")[-1]), bidder
        prior = (
            report.opened.arrays[f"prior_{bidder}"][prior_row_of(inference.EXAMPLE)][
                :, prior_column_of(parse_card("2S"))
            ]
            / 255
        )
        seen = [100 * prior[1] / (prior.sum() - prior[viewer]) for viewer in (0, 2, 3)]
        first, last = (int(end) for end in (high.split(" to ")[0], high.split(" to ")[-1]))
        assert first - 1 <= min(seen) <= max(seen) <= last + 1  # before the correction to 13 cards a seat
