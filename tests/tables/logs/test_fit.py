"""Tables fitted to logs: what is counted, how far a table moves, and the table set."""

import json

import numpy as np
import pytest
from scipy.special import expit, logit

from service.bidding.game.auction import SEQUENCES, auction_after
from service.bidding.game.cards import parse_card, parse_pbn
from service.bidding.game.rules import make_rules
from service.bidding.policies import parse_policy
from service.bidding.tableset import open_tables
from tables.__main__ import main
from tables.builders.curves import value_at_bins
from tables.engine.deal import Deals
from tables.engine.game import Lineup
from tables.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from tables.logs.counting import BINS, HELD_OUT, Counter, no_counts
from tables.logs.fitting import TABLES, aces, contracts, curves, mean_bids
from tables.logs.keys import Keys
from tables.logs.logs_command import frame_of
from tables.logs.playing import play_games, records_of
from tables.logs.reading import read
from tables.logs.rounds import Names

pytestmark = pytest.mark.compiled
RULES = make_rules("classic", {"win": 200, "lose": -100})


@pytest.fixture(scope="module")
def profiles():
    return kernel_tables(open_tables().arrays)


@pytest.fixture(scope="module")
def records(profiles):
    policies = policies_by_chair(parse_policy("bis"), parse_policy("rb"))
    lineup = Lineup(policies, player_rows("srp", "wrp"))
    deals = Deals(3, 0, 60)
    made = play_games(deals, RULES, lineup, tables_for(profiles, RULES, policies))
    return list(records_of(made, deals, RULES, ("bis", "rb")))


def counted(tmp_path, profiles, records, label=None):
    path = tmp_path / "log.parquet"
    frame_of(records).write_parquet(path)
    counter, names = Counter(profiles, label), Names()
    for batch in read(path, names, Keys()):
        assert batch.rounds is not None
        counter.add(batch.rounds, names)
    return counter


def shipped(name):
    return np.array(open_tables().arrays[name], np.float64)


# ---- counting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [None, "kind=bot", "policy=rb", "kind=bot,policy=rb"])
def test_counts_are_those_of_plain_python(tmp_path, profiles, records, label):
    counter = counted(tmp_path, profiles, records, label)
    (counts,) = counter.by_profile.values()
    bids, nils, held, sides = np.zeros((SEQUENCES, 4)), np.zeros((SEQUENCES, 2)), np.zeros((4, 40, 2)), 0
    for one in records:
        policies = [seat["policy"] for seat in one["labels"]]
        for seat in range(4):
            if label in ("policy=rb", "kind=bot,policy=rb") and policies[seat] != "rb":
                continue
            auction = auction_after(tuple(one["bids"][:seat]))
            bids[auction.sequence, 0] += 1
            for later, bid in enumerate(one["bids"][seat : seat + 3]):
                bids[auction.sequence, 1 + later] += bid
            if one["bids"][seat] == 0:
                nils[auction.sequence] += (1, one["tricks"][seat] == 0)
            ace = parse_pbn(one["hands"][seat]) >> parse_card("AS") & 1
            held[seat, auction.sum_of_bids] += (1, ace)
        sides += 2 if label in (None, "kind=bot") else 1
    assert (counts.bids.sum(axis=0) == bids).all()
    assert (counts.nils.sum(axis=(0, 2)) == nils).all()
    assert (counts.aces.sum(axis=0) == held).all()
    assert counts.contracts[..., 0].sum() == sides
    assert counter.seats == bids[:, 0].sum()


def test_games_are_held_out_whole(tmp_path, profiles, records):
    (counts,) = counted(tmp_path, profiles, records).by_profile.values()
    first = counts.bids[:, 0, 0]  # one for each round
    assert first.sum() == len(records)
    assert 0 < first[1] < 2 * len(records) / HELD_OUT
    for game in {one["game"] for one in records}:
        (own,) = counted(tmp_path, profiles, [one for one in records if one["game"] == game]).by_profile.values()
        assert 0 in own.bids[:, 0, 0]


def test_profiles_are_counted_apart(tmp_path, profiles, records):
    whiz = [{**one, "rules": {"preset": "whiz"}, "bids": [0, 0, 0, 0], "bags": [0, 0]} for one in records[:3]]
    found = counted(tmp_path, profiles, [*records[3:], *whiz]).by_profile
    assert set(found) == {"partnership", "whiz"}


# ---- fitting ------------------------------------------------------------------------------------------------------


def test_no_data_keep_the_shipped_tables():
    for name, fit in TABLES.items():
        found = fit(shipped(name), no_counts())
        assert found.n == 0
        assert np.isinf(found.weight)
        assert (found.array == shipped(name)).all()


def a_log_of(truth, n, seed):
    """Counts of nils drawn from true curves, with the bids of real auctions."""
    rng = np.random.default_rng(seed)
    shares = np.zeros((SEQUENCES, BINS))
    shares[[0, 1 + 3, 15 + 14 * 3 + 4, 211 + 196 * 3 + 14 * 4 + 2, 211 + 196 * 2 + 14 * 5 + 3], 30:80] = 1
    drawn = rng.multinomial(n, (shares / shares.sum()).ravel()).reshape(shares.shape)
    made = rng.binomial(drawn, value_at_bins(truth))
    return np.stack([drawn, made], axis=2).astype(np.float64)


def test_curves_move_to_what_the_log_says():
    """Players who make fewer nils than the shipped curves say, above all beside a partner who bid 4."""
    before = shipped("curves")
    truth = before.copy()
    truth[:] = expit(logit(np.clip(before, 1e-6, 1 - 1e-6)) - 0.6)
    row = 211 + 196 * 3 + 14 * 4 + 2
    truth[row] = expit(logit(np.clip(before[row], 1e-6, 1 - 1e-6)) - 1.4)
    found = None
    for n, most in ((200, 1.0), (50_000, 0.3)):
        counts = no_counts()._replace(nils=np.stack([a_log_of(truth, n, 1), a_log_of(truth, n // 4, 2)]))
        found = curves(before, counts)
        asked = counts.nils.sum(axis=(0, 3)) > 0
        error = np.abs(value_at_bins(found.array) - value_at_bins(truth))[asked].mean()
        was = np.abs(value_at_bins(before) - value_at_bins(truth))[asked].mean()
        assert error < most * was, n
        assert found.loss <= found.shipped_loss
        assert (np.diff(found.array, axis=1) >= 0).all()
    assert found is not None
    assert found.array[row, 60] < found.array[0, 60] + before[row, 60] - before[0, 60], "more than the others"


def test_curves_of_the_shipped_players_stay():
    before = shipped("curves")
    counts = no_counts()._replace(nils=np.stack([a_log_of(before, 400, 3), a_log_of(before, 100, 4)]))
    found = curves(before, counts)
    assert np.abs(found.array - before).mean() < 0.02


def test_shares_and_means_by_hand():
    counts = no_counts()
    counts.contracts[0, 0, 7], counts.contracts[1, 0, 7] = (800, 200), (200, 50)
    before = shipped("contract_made")
    found = contracts(before, counts)
    assert (found.weight, found.n) == (1.0, 1000)
    assert found.array[0, 7] == pytest.approx((250 + before[0, 7]) / 1001, abs=1e-6)
    assert found.array[0, 8] == before[0, 8]
    counts.bids[0, 0], counts.bids[1, 0] = (900, 4500, 2700, 2700), (100, 500, 300, 300)
    counts.bid_squares[0, 0], counts.bid_squares[1, 0] = (22500, 8100, 8100), (2500, 900, 900)
    means = mean_bids(shipped("mean_bids"), counts)
    assert means.array[0] == pytest.approx([5, 3, 3], abs=0.01)
    assert (means.array[1:] == shipped("mean_bids")[1:].round(4)).all()
    counts.aces[0, 2, 6], counts.aces[1, 2, 6] = (4000, 3600), (1000, 900)
    found = aces(shipped("p_ace"), counts)
    assert found.array[2, 6] <= found.array[2, 5]
    assert (np.diff(found.array, axis=1) <= 0).all()


# ---- the command --------------------------------------------------------------------------------------------------


def test_a_table_set_for_the_service(tmp_path, capsys, records):
    path, out = tmp_path / "log.jsonl", tmp_path / "set"
    path.write_text("".join(json.dumps(one) + "\n" for one in [*records, {"format": 1}]))
    assert main(["logs", "fit", str(path), "--out", str(out), "--label", "policy=rb"]) == 0
    text = capsys.readouterr().out
    assert f"{len(records):,} rounds, {2 * len(records):,} seats; 1 records with a fault" in text
    opened, before = open_tables(out), open_tables()
    assert opened.version.startswith(f"{before.manifest.release}-logs+")
    family = opened.families["logs"]
    assert family.sizes["mean_bids"] == 2 * len(records)
    assert family.parameters["label"] == "policy=rb"
    for name, array in opened.arrays.items():
        moved = not np.array_equal(array, before.arrays[name])
        assert moved == (family.parameters["weights"].get(name) is not None), name
    assert main(["logs", "fit", str(path), "--out", str(out)]) == 1
    assert "is not empty" in capsys.readouterr().err


def test_a_label_that_nobody_has(tmp_path, capsys, records):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(records[0]) + "\n")
    assert main(["logs", "fit", str(path), "--out", str(tmp_path / "set"), "--label", "kind=human"]) == 1
    assert "found no seat with label 'kind=human'; accepted: parts of kind=bot" in capsys.readouterr().err
    assert not (tmp_path / "set").exists()
