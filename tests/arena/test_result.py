"""The counts of a round, against a slow tally, and the result's JSON and Markdown."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.counters import MATCH_SUMS, count_match
from arena.engine.rounds import ROUND
from arena.games import SEATING
from arena.match import Match, Played
from arena.result import describe_match, round_type, run_match
from arena.stats import anytime_interval, pair_counts, sequential_test
from spades.rules import Rules
from spades.tableset import open_tables
from tests.arena.conftest import chunk_of

pytestmark = pytest.mark.compiled

FIELDS = {
    "a", "b", "mixed", "noise", "players", "rules", "seed", "win_rate", "ci95", "ci95_method", "pairs", "games",
    "draws", "variance_saved", "rounds", "points_per_round", "points_difference", "points_difference_ci95", "nil_rate",
    "nil_success", "set_rate", "bags", "sum_of_bids", "legal_cards", "contracts", "bids", "round_types",
    "sums_of_bids", "sequential", "versions", "tables", "seconds",
}  # fmt: skip


def tally(bids, taken, first_chair):
    """Return the sums of one round by name.

    Seat k sits in chair (first_chair + k) % 4; chairs 0 and 2 are side a.
    """
    count: Counter = Counter()
    count["sum of bids"] = sum(bid for bid in bids if bid != 14)
    pattern = 0
    for seat in range(4):
        chair = (first_chair + seat) % 4
        side = chair % 2
        nil = bids[seat] in (0, 14)
        partner = (seat + 2) % 4
        contract = sum(bids[x] for x in (seat, partner) if bids[x] != 14)
        made = sum(taken[x] for x in (seat, partner) if bids[x] not in (0, 14))
        count["bids", side] += 1
        count["bid", side, bids[seat]] += 1
        count["bid tricks", side, bids[seat]] += taken[seat]
        if nil:
            pattern += 2**chair
            count["nils", side] += 1
            count["bags", side] += taken[seat]
            count["nils_made", side] += taken[seat] == 0
            count["bid made", side, bids[seat]] += taken[seat] == 0
        else:
            count["bid made", side, bids[seat]] += made >= contract
        if seat < partner:
            count["contract", side, contract] += 1
            count["contract made", side, contract] += made >= contract
            count["over", side, contract] += max(0, made - contract)
            count["short", side, contract] += max(0, contract - made)
            count["bags", side] += max(0, made - contract)
            count["contracts", side] += contract > 0
            count["sets", side] += made < contract
    count["pattern"] = pattern
    return count


@given(
    st.lists(st.integers(0, 14), min_size=4, max_size=4),
    st.lists(st.integers(0, 3), min_size=13, max_size=13),
    st.integers(0, 3),
    st.tuples(st.integers(-400, 400), st.integers(-400, 400)),
)
def test_a_round_is_counted_as_a_slow_tally_would(bids, winners, first_chair, points):
    taken = [winners.count(seat) for seat in range(4)]
    rounds, sums, difference = np.zeros(1, ROUND), np.zeros(1, MATCH_SUMS), np.zeros(1, np.int64)
    rounds["bids"], rounds["tricks"], rounds["first_chair"], rounds["choices"] = bids, taken, first_chair, 190
    rounds["points"] = [points[(first_chair + seat) % 2] for seat in range(4)]
    count_match(rounds, np.ones(1, np.bool_), Rules(), np.array(SEATING), difference, sums)
    assert difference[0] == points[0] - points[1]
    found = sums[0]
    count = tally(bids, taken, first_chair)
    assert (found["rounds"], found["choices"], found["plays"]) == (1, 190, 52)
    assert found["sum_of_bids"] == count["sum of bids"]
    assert found["points"].tolist() == [*points]
    for side in range(2):
        for name in ("bids", "nils", "nils_made", "bags", "contracts", "sets"):
            assert found[name][side] == count[name, side], name
        for contract in range(27):
            names = ("contract", "contract made", "over", "short")
            assert found["by_contract"][side, contract].tolist() == [count[name, side, contract] for name in names]
        for bid in range(15):
            kinds = ("bid", "bid tricks", "bid made")
            assert found["by_bid"][side, bid].tolist() == [count[kind, side, bid] for kind in kinds]
    patterns, totals = found["nil_patterns"], found["bid_sums"]
    made = [count["nils_made", 0], count["nils_made", 1]]
    assert patterns[count["pattern"]].tolist() == [1, *points, *made]
    assert patterns[:, 0].sum() == 1
    plain = count["pattern"] == 0
    assert totals[count["sum of bids"]].tolist() == [1, plain, points[0] * plain, points[1] * plain]
    assert totals[:, 0].sum() == 1


def test_round_types_of_all_patterns():
    assert [round_type(pattern) for pattern in range(16)] == [
        "no nil",
        "nil of a",
        "nil of b",
        "nil v nil",
        "nil of a",
        "double nil of a",
        "nil v nil",
        "double nil of a",
        "nil of b",
        "nil v nil",
        "double nil of b",
        "double nil of b",
        "nil v nil",
        "double nil of a",
        "double nil of b",
        "double nil of both",
    ]
    assert [round_type(pattern, mixed=True) for pattern in (1, 4, 5)] == [
        "nil of a, first",
        "nil of a, second",
        "double nil of a",
    ]


@pytest.fixture(scope="module")
def result():
    return run_match(Match("bis", "rb", pairs=1000, seed=5), jobs=2)


def test_json_has_what_the_contract_names(result):
    found = json.loads(result.to_json())
    assert set(found) == FIELDS
    assert found["pairs"] == 1000
    assert found["games"] == 2000
    assert found["players"] == ["srp@1", "srp@1"] or found["players"][0].startswith("srp@")
    low, high = found["ci95"]
    assert low < found["win_rate"] < high
    assert found["ci95_method"] == "wilson"
    for name in ("points_per_round", "nil_rate", "nil_success", "set_rate", "bags"):
        assert len(found[name]) == 2, name
    opened = open_tables()
    assert found["tables"]["version"] == opened.version
    assert found["tables"]["files"]["curves.npy"] == opened.manifest.files["curves.npy"].sha256
    assert len(found["versions"]["engine"]) == 64
    assert found["seed"] == 5
    assert found["rules"]["win"] == 200
    assert found["seconds"] > 0
    assert "seconds" not in result.record(timing=False)


def test_parts_add_up_to_the_whole(result):
    rounds = result.rounds
    assert sum(row["rounds"] for row in result.round_types) == rounds
    assert sum(row["share"] for row in result.round_types) == pytest.approx(1)
    assert sum(row["rounds"] for row in result.sums_of_bids) == rounds
    mean = sum(row["sum"] * row["rounds"] for row in result.sums_of_bids) / rounds
    assert mean == pytest.approx(result.sum_of_bids)
    plain = next(row for row in result.round_types if row["type"] == "no nil")
    assert sum(row["without_nil"] for row in result.sums_of_bids) == plain["rounds"]
    for side, name in enumerate("ab"):
        contracts = [row for row in result.contracts if row["side"] == name]
        assert sum(row["rounds"] for row in contracts) == rounds
        bids = [row for row in result.bids if row["side"] == name]
        assert sum(row["bids"] for row in bids) == 2 * rounds
        nils = next(row for row in bids if row["bid"] == "nil")
        assert nils["bids"] / (2 * rounds) == pytest.approx(result.nil_rate[side])
        assert nils["made"] == pytest.approx(result.nil_success[side])
        points = sum(row["points"][side] * row["rounds"] for row in result.round_types) / rounds
        assert points == pytest.approx(result.points_per_round[side])
        by_sum = sum(row["points"][side] * row["without_nil"] for row in result.sums_of_bids if row["without_nil"])
        assert by_sum / plain["rounds"] == pytest.approx(plain["points"][side])
    tricks = sum(row["tricks"] * row["bids"] for row in result.bids)
    assert tricks == pytest.approx(13 * rounds)
    low, high = result.points_difference_ci95
    assert low < result.points_per_round[0] - result.points_per_round[1] < high


def test_markdown_tells_the_figures(result):
    text = result.to_markdown()
    assert text.startswith("# bis v rb\n")
    assert f"**{100 * result.win_rate:.2f} %**" in text
    assert result.tables["version"] in text
    assert "| no nil | " in text
    assert "Sequential" not in text
    assert all(line.count("|") == 0 or line.startswith("|") for line in text.splitlines())


def played_of(arrays, test=None):
    """Return the arrays of a chunk as the results of a match."""
    return Played(arrays["scores"], arrays["sums"].view(MATCH_SUMS)[0], 0.1, test)


def test_nothing_divides_by_nothing(committed):
    match = Match("fixed:bid=3", "rb:nils=off", pairs=3, sprt=(0.0, 5.0))
    arrays = chunk_of(match, committed).play(0, 3)
    test = sequential_test(pair_counts(arrays["scores"]).tolist(), 0, 5)
    found = describe_match(
        match, Played(arrays["scores"], arrays["sums"].view(MATCH_SUMS)[0], 0.1, test), open_tables()
    )
    assert found.nil_success == [None, None]
    assert json.loads(found.to_json())["sequential"]["decision"] in ("H0", "H1", "undecided")
    assert "Sequential test of Elo 0 (H0) against 5 (H1)" in found.to_markdown()


def test_a_match_that_may_stop_early_has_an_anytime_valid_interval(committed):
    sprt = Match("bis", "rb", pairs=250, sprt=(-400.0, 400.0))
    arrays = chunk_of(sprt, committed).play(0, 250)
    counts = pair_counts(arrays["scores"])
    test = sequential_test(counts.tolist(), -400.0, 400.0)
    played = played_of(arrays, test)
    found = describe_match(sprt, played, open_tables())
    assert (found.ci95_method, found.ci95) == ("anytime-valid", list(anytime_interval(counts)))
    assert found.points_difference_ci95 is None
    low, high = (100 * end for end in found.ci95)
    text = found.to_markdown()
    assert f"(95 %, wherever the sequential test stops: {low:.2f} to {high:.2f}), 250 pairs." in text
    assert "(no interval); variance saved" in text
    fixed = describe_match(Match("bis", "rb", pairs=250), played._replace(test=None), open_tables())
    assert fixed.ci95_method == "wilson"
    assert found.ci95[0] < fixed.ci95[0] < fixed.ci95[1] < found.ci95[1]
    assert fixed.points_difference_ci95 is not None
    low, high = fixed.points_difference_ci95
    assert f"(95 %: {low:+.2f} to {high:+.2f}); variance saved" in fixed.to_markdown()


@pytest.mark.parametrize("pairs", [1, 30])
def test_equal_sides_have_an_interval_with_a_width(pairs):
    found = run_match(Match("rb", "rb", ("wrp", "wrp"), pairs=pairs))
    assert found.ci95_method == "agresti-coull"
    assert found.ci95[0] < 0.5 < found.ci95[1]
    assert json.loads(found.to_json())["points_difference_ci95"] is None
    assert "(95 %, from few decisive pairs: " in found.to_markdown()


def test_points_have_an_interval_from_ten_pairs_on(committed):
    arrays = chunk_of(Match("bis", "io", ("wrp", "wrp"), pairs=10), committed).play(0, 10)
    for pairs in (9, 10):
        match = Match("bis", "io", ("wrp", "wrp"), pairs=pairs)
        played = played_of(arrays)._replace(scores=arrays["scores"][:pairs])
        found = describe_match(match, played, open_tables())
        assert found.ci95_method == "agresti-coull"
        assert (found.points_difference_ci95 is None) == (pairs == 9)


def test_one_bidder_of_each_is_told_by_name():
    text = run_match(Match("bis", "rb", pairs=20, mixed=True)).to_markdown()
    assert text.startswith("# bis with rb v rb\n")
