"""The strength report: plots, recorded rounds, distributions.

The tests are small and mostly uncompiled.
"""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from arena.engine.simulate import kernel_tables
from arena.result import run_match
from report import conventions, distributions, recorded_rounds, setup
from report.paper import TABLE_2, TABLE_3, published
from report.search import ms_a_card
from spades.bidder import decide
from spades.cards import parse_card, parse_pbn
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import Rules
from spades.scoring import score_side
from spades.tableset import open_tables
from studio import plots
from tests.report.made_up import result_of


@pytest.fixture(scope="module")
def opened():
    return open_tables()


@pytest.fixture
def report(opened, tmp_path):
    return setup.Setup(opened, 10, 1, 1, tmp_path / "img")


def test_table_2_is_whole():
    assert len(TABLE_2) == 8
    assert all(published(*row) == TABLE_2[row] for row in TABLE_2)
    assert published("rb:nil=5-8-T", "srp") == published("rb", "srp")
    assert published("ms:nil=T-J-Q", "srp") is None
    assert sum(row.rounds for row in TABLE_3) == 447_082  # of "more than 400K rounds", section 5.2


def test_plots_are_the_same_bytes_each_time():
    x = np.arange(5.0)
    one = plots.Series("one", x, x / 10, np.full(5, 0.1))
    marks = [plots.Mark("rb", 51.0, 50.0, 52.0, 51.9), plots.Mark("ms", 60.0, 59.0, 61.0, None)]
    drawings = {
        "lines": lambda: plots.lines([one], "x", "y", level=0.25),
        "curves": lambda: plots.curves([(one, one)], "x", "y", (0.8, 0.65)),
        "bars": lambda: plots.bars(x, x, "x", "y", 2.0, "mean"),
        "forest": lambda: plots.forest(marks),
    }
    for draw in drawings.values():
        svg = draw()
        assert svg == draw()
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert b"dc:date" not in svg


@pytest.mark.compiled
def test_a_match_is_played_once_for_the_same_question(report, monkeypatch, tmp_path):
    asked = []
    real = run_match

    def counted(*args, **kwargs):
        asked.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(setup, "run_match", counted)
    keeping = replace(report, pairs=2, played=tmp_path / "played")
    first = keeping.play(keeping.match("rb", "ms", "wrp"))
    assert keeping.play(keeping.match("rb", "ms", "wrp")) == first
    assert len(asked) == 1
    keeping.play(keeping.match("rb", "ms", "wrp", seed=2))
    more = replace(keeping, pairs=3)
    more.play(more.match("rb", "ms", "wrp"))
    assert len(asked) == 3
    again = replace(report, pairs=2)
    again.play(again.match("rb", "ms", "wrp"))  # without a folder, nothing is reused
    assert len(asked) == 4


def test_one_chunk_takes_the_time_of_one_core_whatever_the_jobs(report):
    for pairs, cores in ((10, 1), (11, 2), (500, 4)):
        match = report.match("bis", "bis", ("search:deals=16", "srp"), pairs=pairs)
        found = replace(result_of(match), seconds=2.6)
        assert ms_a_card(replace(report, jobs=4), match, found) == f"{0.1 * cores:.2g}"  # two seats, 13 tricks
    plain = report.match("bis", "bis")
    assert ms_a_card(report, plain, result_of(plain)) is None


# ---- recorded rounds ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(opened):
    return recorded_rounds.self_play(kernel_tables(opened.arrays), 12, 5, 1)


@pytest.mark.compiled
def test_recorded_rounds_are_what_the_bidder_bids_and_the_rules_score(recorded, opened):
    policy = parse_policy("bis:endgame=off")
    for hands, bids, taken, points in zip(
        recorded.hands.tolist(), recorded.bids.tolist(), recorded.taken.tolist(), recorded.points.tolist(), strict=True
    ):
        assert sum(taken) == 13
        assert sum(hand.bit_count() for hand in hands) == 52
        for seat in range(4):
            position = Position(hands[seat], tuple(bids[:seat]), rules=Rules())
            assert decide(position, policy, opened, explain=False).bid == bids[seat]
        for side in range(2):
            scored, _ = score_side(bids[side], taken[side], bids[side + 2], taken[side + 2], 0, Rules())
            assert points[side] == scored


@pytest.mark.compiled
def test_legal_cards_are_counted_at_every_play(recorded):
    assert (recorded.choices.sum(axis=1) == len(recorded.hands)).all()
    assert recorded.choices[51, 1] == len(recorded.hands)  # the last card is forced
    assert recorded.choices[:, 0].sum() == 0
    trick, legal = np.nonzero(recorded.choices)
    assert (legal <= 13 - trick // 4).all()


# ---- distributions on rounds made up by hand ------------------------------------------------------------------------

HANDS = (
    "SA SK S2 HA HK H2 DA DK D2 CA CK C2 C3",
    "S3 S4 S5 H3 H4 H5 D3 D4 D5 C4 C5 C6 C7",
    "S6 S7 S8 H6 H7 H8 D6 D7 D8 C8 C9 CT CJ",
    "S9 ST SJ SQ H9 HT HJ HQ D9 DT DJ DQ CQ",
)


def hand_of(text):
    return sum(1 << parse_card(rank + suit) for suit, rank in text.split())


def made_up(n, bids, taken, estimate, p_nil=0.8):
    hands = np.array([[hand_of(hand) for hand in HANDS]] * n, np.int64)
    return recorded_rounds.Rounds(
        hands,
        np.array([bids] * n, np.int8),
        np.array([taken] * n, np.int8),
        np.tile(np.array(estimate, float), (n, 1)),
        np.full((n, 4), p_nil),
        np.full((n, 2), 50, np.int16),
        np.ones((52, 14), np.int64),
    )


def test_ace_of_spades_by_the_sum_of_three_bids(report, monkeypatch):
    rounds = made_up(400, [3, 3, 3, 3], [4, 3, 3, 3], [3.0] * 4)
    rounds.hands[:300] = rounds.hands[:300, [1, 2, 3, 0]]  # the fourth hand holds the ace in 300 of 400
    monkeypatch.setattr(distributions, "recorded", lambda _: rounds)
    stated = report.opened.arrays["p_ace"][3, 9]
    (row,) = distributions.ace_of_spades(report)["rows"]
    assert row == (9, "400", "0.750 ± 0.042", f"{stated:.3f}")  # 1.96 sqrt(.75 .25 / 400) = .0424


def test_sum_of_bids_and_points_of_nils(report, monkeypatch):
    rounds = made_up(10, [5, 0, 3, 3], [6, 0, 4, 3], [5.0, 1.0, 3.0, 3.0])
    rounds.points[:, 1] = 131
    monkeypatch.setattr(distributions, "recorded", lambda _: rounds)
    assert distributions.sums_of_bids(report) == {"mean": "11.00", "deviation": "0.00"}
    nil, none = distributions.points_of_nils(report)["rows"]
    assert nil[:3] == ("nil", "10", "131.0")
    assert none[:3] == ("no nil", "30", "77.0")  # (50 + 50 + 131) / 3


def test_what_follows_a_first_partners_hand():
    """Two rounds by hand: kinds of hands, partners' nils, and the difference in points with a price on bags."""
    cover, other = parse_pbn("AK62.AQ3.K94.J54"), parse_pbn("AKJ62.A2.T95.Q43")
    rounds = recorded_rounds.Rounds(
        np.array([[cover, other, 0, 0], [other, cover, 0, 0]]),
        np.array([[4, 5, 0, 2], [3, 0, 3, 4]], np.int8),
        np.array([[6, 4, 0, 3], [3, 1, 2, 7]], np.int8),
        np.array([[3.9, 5.0, 0.0, 0.0], [3.0, 3.9, 0.0, 0.0]]),
        np.zeros((2, 4)),
        np.array([[142, 70], [-60, -57]], np.int16),
        np.zeros((52, 14), np.int64),
    )
    kinds = {name: members.tolist() for name, members in conventions._kinds(rounds).items()}
    assert kinds["signal with 4 takes"] == [[True, False], [False, False]]  # the other one bid nil
    assert kinds["refusal: a 5 becomes 4"] == [[False, True], [False, False]]
    assert kinds["others"] == [[False, False], [True, False]]
    assert conventions._bags(rounds).tolist() == [[2, 0], [0, 4]]  # a failed nil's trick is a bag
    after = conventions._after(rounds, 0, np.array([True, True]))
    assert (after.nils, after.made) == (1, 1)
    assert after.points.tolist() == [142 - 20 - 70, -60 + 57 + 40]
