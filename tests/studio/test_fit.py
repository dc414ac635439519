"""Tables fitted to logs: what is counted, how far a table moves, and the table set."""

import json
import re
from typing import Any

import numpy as np
import polars
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logit

from arena.chunks import LocalProcesses, LocalThreads
from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from service.settings import Settings
from service.table_sets import open_sets
from spades.cards import parse_card, parse_pbn
from spades.inference import prior_column_of, prior_row_of
from spades.position import auction_after
from spades.rules import make_rules
from spades.scoring import START, score_side
from spades.tables import SEQUENCES
from spades.tableset import open_tables
from spades.winprob import OUTCOMES, SHIPPED, cells_of, win_probability
from studio import pieces
from studio.__main__ import main
from studio.columns import frame_of
from studio.fit.counting import BINS, HELD_OUT, Counted, count_log, is_held_out, no_counts, read_segments, rows_of
from studio.fit.fitting import TABLES, aces, blind_nils, contracts, curves, mean_bids, prior
from studio.fit.win_fit import Bids, _fitted, bids_of_sample, last_layer, results_of, win_chances, win_tables
from studio.play import studio_records, two_policies
from studio.reading import read
from studio.rounds import Keys, Names
from studio.set_folders import work_folder, working
from tables.regression import value_at_bins
from tests.arena.conftest import Interrupting

pytestmark = pytest.mark.compiled
RULES = make_rules("classic", {"win": 200, "lose": -100})


@pytest.fixture(scope="module")
def profiles():
    return kernel_tables(open_tables().arrays)


@pytest.fixture(scope="module")
def records(profiles):
    return list(studio_records(two_policies("bis", "rb", ("srp", "wrp")), 0.0, Deals(3, 0, 60), RULES, profiles))


def counted(tmp_path, profiles, records, label=None, by=None):
    path = tmp_path / "log.parquet"
    frame_of(records).write_parquet(path)
    found, names = Counted(), Names()
    for batch in read(path, names, Keys()):
        found.add(batch.rounds, names, read_segments(label, by), profiles)
    return found


def shipped(name):
    return np.array(open_tables().arrays[name], np.float64)


# ---- counting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [None, "kind=bot", "policy=rb", "kind=bot,policy=rb"])
def test_counts_are_those_of_plain_python(tmp_path, profiles, records, label):
    counter = counted(tmp_path, profiles, records, label)
    (counts,) = counter.counts.values()
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
    assert counter.seats == {"all": bids[:, 0].sum()}
    assert counter.samples["all"].chosen.sum() == counter.seats["all"]


def test_games_are_held_out_whole(tmp_path, profiles, records):
    (counts,) = counted(tmp_path, profiles, records).counts.values()
    first = counts.bids[:, 0, 0]  # one for each round
    assert first.sum() == len(records)
    assert 0 < first[1] < 2 * len(records) / HELD_OUT
    for game in {one["game"] for one in records}:
        (own,) = counted(tmp_path, profiles, [one for one in records if one["game"] == game]).counts.values()
        assert 0 in own.bids[:, 0, 0]


def test_profiles_are_counted_apart(tmp_path, profiles, records):
    whiz = [{**one, "rules": {"preset": "whiz"}, "bids": [0, 0, 0, 0], "bags": [0, 0]} for one in records[:3]]
    found = counted(tmp_path, profiles, [*records[3:], *whiz]).counts
    assert set(found) == {("all", "partnership"), ("all", "whiz")}


def test_blind_nils_count_without_a_hand(tmp_path, profiles):
    blind = {"format": 1, "game": "a", "rules": {"preset": "blind-nil"}, "bids": [3, 14, 4, 2], "scores": [200, 50]}
    took = ([4, 0, 5, 4], [4, 0, 6, 3], [3, 1, 5, 4], None)
    records = [{**blind, "round": number, "tricks": tricks} for number, tricks in enumerate(took)]
    (counts,) = counted(tmp_path, profiles, records).counts.values()
    found = counts.blind_nils.sum(axis=0)
    assert found[auction_after((3,)).sequence].tolist() == [3, 2]
    assert found.sum() == 5


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


def test_blind_nils_move_in_the_auctions_that_the_log_has():
    before, counts = shipped("blind_nil"), no_counts()
    row, beside, other = (auction_after(bids).sequence for bids in ((4, 3, 2), (4, 3, 3), ()))
    counts.blind_nils[0, row], counts.blind_nils[1, row] = (800, 160), (200, 40)
    found = blind_nils(before, counts)
    assert (found.n, found.array.shape) == (1000, before.shape)
    assert found.array[row] == pytest.approx(0.2, abs=0.01)
    assert found.array[row] < before[row] - 0.1
    assert found.array[beside] < before[beside] - 0.05, "an auction that is alike"
    assert found.array[other] == pytest.approx(before[other], abs=1e-5)


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


def test_the_games_held_out_choose_the_weight():
    """In the games to fit on all contracts of 7 are made; in those held out, as many as the shipped table says."""
    before, counts = shipped("contract_made"), no_counts()
    counts.contracts[0, 0, 7], counts.contracts[1, 0, 7] = (800, 800), (1000, 1000 * before[0, 7])
    found = contracts(before, counts)
    assert (found.weight, found.loss) == (np.inf, found.shipped_loss)
    assert (found.array == before).all()


# ---- the command --------------------------------------------------------------------------------------------------


def test_a_table_set_for_the_service(tmp_path, capsys, records):
    path, out = tmp_path / "log.jsonl", tmp_path / "sets"
    path.write_text("".join(json.dumps(one) + "\n" for one in [*records, {"format": 1}]))
    arguments = ["fit", str(path), "--label", "policy=rb", "--out"]
    assert main([*arguments, str(out)]) == 0
    folders, text = capsys.readouterr()
    assert f"{len(records):,} rounds; 1 records with a fault are not used." in text
    assert f"all: {len(records):,} rounds, {2 * len(records):,} seats." in text
    opened, before = open_sets(Settings(tables_dir=out)).default.tables, open_tables()
    assert f"Tables in {out / opened.version}\n" in text
    assert folders == f"{out / opened.version}\n", "what a shell keeps in a variable"
    assert opened.version.startswith(f"{before.manifest.release}-logs+")
    family = opened.families["logs"]
    assert family.sizes["mean_bids"] == 2 * len(records)
    assert family.parameters["label"] == "policy=rb"
    for name, array in opened.arrays.items():
        moved = not np.array_equal(array, before.arrays[name])
        assert moved == (family.parameters["weights"].get(name) is not None), name
    assert main([*arguments, str(out)]) == 0, "the same fit again"
    assert [folder.name for folder in out.iterdir()] == [opened.version]
    assert opened.changed_file() is None, "a set that may be in use stays"
    for wrong, found in ((out / opened.version, "a table set"), (path, "a file")):
        assert main([*arguments, str(wrong)]) == 1
        assert f"--out is {wrong}, {found}; accepted: a new folder, or one with" in capsys.readouterr().err


def test_a_label_that_nobody_has(tmp_path, capsys, records):
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(records[0]) + "\n")
    assert main(["fit", str(path), "--out", str(tmp_path / "set"), "--label", "kind=human"]) == 1
    assert "found no seat with label 'kind=human'; accepted: parts of kind=bot" in capsys.readouterr().err
    assert not (tmp_path / "set").exists()


# ---- the other tables ---------------------------------------------------------------------------------------------


def test_the_prior_follows_who_holds_the_cards():
    """The first bidder always holds the ace of spades if they bid 4."""
    before = shipped("prior_bis")
    cards = no_counts().holders
    row = prior_row_of((4, 3, 2, 1))
    deal = row - prior_row_of((0, 0, 0, 0))
    cards[:, deal] = 100 * before[row] / before[row].sum(axis=0)
    cards[:, deal, :, prior_column_of(parse_card("AS"))] = [400, 0, 0, 0]
    found = prior(before, no_counts()._replace(holders=cards))
    assert found.array[row, 0, prior_column_of(parse_card("AS"))] > 250
    assert found.array[row, 1:, prior_column_of(parse_card("AS"))].tolist() == [1, 1, 1]
    untouched = prior_row_of((1, 1, 1, 1))
    assert np.abs(found.array[untouched] - before[untouched]).max() <= 1
    assert found.array.min() >= 1


def test_win_tables_follow_what_rounds_bring(tmp_path, monkeypatch, profiles, records):
    """Between players who always make their contracts, a side that is behind does not catch up."""
    monkeypatch.setattr("studio.fit.win_fit.ENGINE_ROUNDS", 50)
    monkeypatch.setattr("studio.fit.win_fit.FEWEST", 100)
    counter = counted(tmp_path, profiles, records)
    once = counter.samples["all"]
    sample = rows_of(once, np.tile(np.arange(len(once.keys)), 10))
    safe = sample._replace(bids=np.full_like(sample.bids, 3), tricks=np.tile([4, 3, 3, 3], (len(sample.keys), 1)))
    before = open_tables().arrays["win"]
    found = win_tables(np.array(before), safe, tmp_path, LocalThreads(1))
    nearest = SHIPPED.nearest(RULES)
    assert nearest is not None
    place = nearest.win_slice
    own = slice(place.start, place.start + cells_of(place))
    assert found.n == len(sample.keys)
    assert found.loss < found.shipped_loss
    assert (found.array[own] != before[own]).any()
    assert np.array_equal(np.delete(found.array, own), np.delete(before, own))
    standing = START._replace(us=-90, them=50)
    assert win_probability(standing, place, found.array) < win_probability(standing, place, before) - 0.03


def test_results_of_rounds(profiles, tmp_path, records):
    sample = counted(tmp_path, profiles, records).samples["all"]
    free = RULES._replace(bag_limit=10**6)
    for row, found in enumerate(results_of(sample, RULES).tolist()):
        bids, tricks = sample.bids[row].tolist(), sample.tricks[row].tolist()
        for side in range(2):
            points, bags = score_side(bids[side], tricks[side], bids[side + 2], tricks[side + 2], 0, free)
            assert found[2 * side : 2 * side + 2] == [points - bags, bags]


def test_the_last_layer_follows_the_log(tmp_path, profiles, records):
    """Where the first side always loses its contract, its win chances fall."""
    arrays = open_tables().arrays
    sample = counted(tmp_path, profiles, records).samples["all"]
    lost = sample._replace(tricks=np.tile(np.array([0, 7, 0, 6], np.int8), (len(sample.keys), 1)))
    lost = lost._replace(chosen=np.tile([True, False, True, False], (len(sample.keys), 1)))
    found = last_layer(arrays, profiles, lost)
    assert found.loss < 0.8 * found.shipped_loss
    assert found.n + bids_of_sample(arrays, profiles, rows_of(lost, is_held_out(lost.games))).targets.size == int(
        (lost.chosen & (lost.bids <= 13)).sum()
    )
    kept = last_layer(arrays, profiles, rows_of(lost, np.zeros(len(lost.keys), np.bool_)))
    assert (kept.weight, kept.n) == (np.inf, 0)


def test_the_last_layer_is_the_optimum():
    """Where the sum of squared error and penalty is smallest, its slope is 0 in every direction."""
    rng = np.random.default_rng(3)
    n, weight, shape = 500, 1.0, (4, OUTCOMES)
    inputs: Any = np.column_stack([rng.random((n, shape[0] - 1)), np.ones(n)])  # float64, so that slopes are exact
    values: Any = rng.random((n, OUTCOMES))
    targets: Any = rng.random(n)
    before: Any = rng.normal(0.0, 0.5, shape)
    bids = Bids(inputs, values, targets, won=targets)

    def loss(flat):
        layer = flat.reshape(shape)
        return np.mean((win_chances(layer, bids) - bids.targets) ** 2) + weight / n * ((layer - before) ** 2).sum()

    at_start, at_end = (approx_fprime(layer.ravel(), loss) for layer in (before, _fitted(before, bids, weight)))
    assert np.abs(at_end).max() < 0.03 * np.abs(at_start).max()


# ---- segments, and pieces on several processes --------------------------------------------------------------------


def test_segments_by_the_labels_of_seat_and_partner(tmp_path, profiles, records):
    names = ({"kind": "human", "skill": "new"}, {"kind": "bot"}, {"kind": "bot", "policy": "bis"}, None)
    one = [{**record, "labels": list(names)} for record in records[:10]]
    by = counted(tmp_path, profiles, one, by="kind,partner.kind").seats
    assert by == {
        "kind=human,partner.kind=bot": 10,
        "kind=bot,partner.kind=human": 10,
        "kind=bot,no partner.kind": 10,
        "no kind,partner.kind=bot": 10,
    }
    assert counted(tmp_path, profiles, one, label="partner.skill=new").seats == {"all": 10}
    assert counted(tmp_path, profiles, one, label="kind=bot", by="policy").seats == {"policy=bis": 10, "no policy": 10}


@pytest.mark.parametrize(
    ("label", "by", "text"),
    [
        ("kind", None, "--label has 'kind'; accepted: FIELD=VALUE, where FIELD is one of kind, policy"),
        ("age=4", None, "--label has 'age=4'"),
        (None, "kind,age", "--by has 'age'; accepted: kind, policy, skill, partner.kind"),
    ],
)
def test_unknown_segments(label, by, text):
    with pytest.raises(BuildError, match=re.escape(text)):
        read_segments(label, by)


@pytest.fixture
def in_pieces(tmp_path, monkeypatch, records):
    """The records in two files of several pieces; some of the first come again in the second."""
    monkeypatch.setattr(pieces, "PIECE_BYTES", 20_000)
    monkeypatch.setattr(pieces, "PIECE_ROWS", 50)
    one, other = tmp_path / "one.jsonl", tmp_path / "other.parquet"
    one.write_text("".join(json.dumps(record) + "\n" for record in records[:150]))
    frame_of(records[100:]).write_parquet(other)
    return [one, other]


def same(one, other):
    """Whether two counts of a log are equal."""
    assert one.counts.keys() == other.counts.keys()
    pairs = [(one.counts[key], other.counts[key]) for key in one.counts]
    pairs += [(one.samples[key], other.samples[key]) for key in one.samples]
    return all(np.array_equal(a, b) for left, right in pairs for a, b in zip(left, right, strict=True))


def test_pieces_hold_every_line_once(in_pieces):
    for path in in_pieces:
        whole = [batch.frame for batch in read(path, Names(), Keys())]
        parts = [batch.frame for piece in pieces.pieces_of([path]) for batch in read(piece, Names(), Keys())]
        assert len(pieces.pieces_of([path])) > 1
        assert polars.concat(parts).equals(polars.concat(whole))


def test_lines_are_numbered_through_the_pieces(in_pieces):
    path = in_pieces[0]
    lines = path.read_text().splitlines()
    lines[120] = "wrong"
    path.write_text("\n".join(lines))
    found = [line for piece in pieces.pieces_of([path]) for b in read(piece, Names(), Keys()) for line in b.bad]
    assert found == [121]


def test_rounds_count_once_whatever_the_pieces_and_the_processes(tmp_path, in_pieces, profiles, records):
    segments = read_segments(None, "policy")
    one = count_log(in_pieces, segments, tmp_path / "a", LocalThreads(1))
    other = count_log(in_pieces, segments, tmp_path / "b", LocalProcesses(2))
    assert (one.good, one.bad) == (len(records), 50)
    assert same(one, other)
    whole = counted(tmp_path, profiles, records, by="policy")
    for key, counts in whole.counts.items():
        assert all(np.allclose(a, b) for a, b in zip(counts, one.counts[key], strict=True))
    assert np.array_equal(whole.samples["policy=rb"].keys, one.samples["policy=rb"].keys)


def test_finished_pieces_are_not_counted_again(tmp_path, in_pieces):
    class Noted(LocalThreads):
        def map(self, fn, indices):
            indices = list(indices)
            asked.append(len(indices))
            return super().map(fn, indices)

    asked: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        count_log(in_pieces, read_segments(None, None), tmp_path / "work", Interrupting(2))
    found = count_log(in_pieces, read_segments(None, None), tmp_path / "work", Noted(1))
    assert asked[0] == len(pieces.pieces_of(in_pieces)) - 2
    assert same(found, count_log(in_pieces, read_segments(None, None), tmp_path / "new", LocalThreads(1)))


def test_a_table_set_for_each_segment(tmp_path, capsys, records, monkeypatch):
    path, out = tmp_path / "log.jsonl", tmp_path / "sets"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    out.mkdir()
    monkeypatch.chdir(out)
    with working(work_folder(out, "tune")), working(work_folder(out, "fit")):
        assert main(["fit", str(path), "--out", str(out), "--by", "policy"]) == 1
        assert "sets.fit.unfinished: another run works here" in capsys.readouterr().err
    assert main(["fit", str(path), "--out", ".", "--by", "policy"]) == 0
    sets = {folder.name: open_tables(folder) for folder in out.iterdir()}
    assert list(sets) == [one.version for one in sets.values()]
    segments = {one.families["logs"].parameters["segment"] for one in sets.values()}
    assert segments == {"policy=bis", "policy=rb"}
    assert not list(tmp_path.glob("*.unfinished"))
    folders, text = capsys.readouterr()
    assert sorted(folders.splitlines()) == sorted(sets)
    assert "policy=rb: " in text
