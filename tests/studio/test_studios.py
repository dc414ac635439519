"""Simulated studios: their logs, and the chances of their bids."""

import json

import numpy as np
import pytest

from arena.engine.bidding import bid_seat
from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables
from spades.cards import parse_pbn
from spades.legal import allowed_bids, nearest_number
from spades.play import PlayState
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.tableset import open_tables
from studio.__main__ import main
from studio.columns import frame_of
from studio.play import STUDIOS, studio_records
from studio.reading import read
from studio.rounds import Keys, Names
from tests.conftest import plain_tables
from tests.studio.true_chances import true_chances

pytestmark = pytest.mark.compiled
RULES = make_rules("classic", {"win": 200, "lose": -100})
GAMES = 200


@pytest.fixture(scope="module")
def profiles():
    return kernel_tables(open_tables().arrays)


def records_of(name, noise, profiles, seed=1, games=GAMES):
    return list(studio_records(STUDIOS[name], noise, Deals(seed, 0, games), RULES, profiles))


def read_back(tmp_path, records):
    path, names = tmp_path / "log.parquet", Names()
    frame_of(records).write_parquet(path)
    (batch,) = read(path, names, Keys())
    assert not batch.bad
    return batch.rounds, names


@pytest.mark.parametrize("name", list(STUDIOS))
def test_bids_come_as_often_as_their_chances_say(tmp_path, profiles, name):
    rounds, names = read_back(tmp_path, records_of(name, 0.2, profiles))
    chances = true_chances(STUDIOS[name], 0.2, rounds, names, profiles)
    assert chances.sum(axis=2) == pytest.approx(1)
    stated = np.take_along_axis(chances, rounds.bids[:, :, None].astype(np.int64), axis=2)
    assert (stated > 0).all()
    for bid in range(14):
        found, expected = (rounds.bids == bid).sum(), chances[:, :, bid].sum()
        deviation = np.sqrt((chances[:, :, bid] * (1 - chances[:, :, bid])).sum())
        assert abs(found - expected) <= 4 * deviation + 1e-6, bid


def test_without_noise_one_bid_is_certain(tmp_path, profiles):
    rounds, names = read_back(tmp_path, records_of("segments", 0.0, profiles, games=50))
    chances = true_chances(STUDIOS["segments"], 0.0, rounds, names, profiles)
    assert (np.take_along_axis(chances, rounds.bids[:, :, None].astype(np.int64), axis=2) == 1).all()


def test_the_careful_bid_no_nil_beside_a_low_bid(profiles):
    records = records_of("careful", 0.1, profiles)
    nils = [(one["bids"][:seat], seat) for one in records for seat in range(4) if one["bids"][seat] == 0]
    assert nils
    assert all(bid > 2 for before, _ in nils for bid in before)


def test_chances_by_hand(tmp_path, profiles):
    """In plain Python: BIS's bid keeps 1 - noise, and the rest goes to the bids that noise makes."""
    records = records_of("careful", 0.4, profiles, games=30)
    rounds, names = read_back(tmp_path, records)
    chances = true_chances(STUDIOS["careful"], 0.4, rounds, names, profiles)
    tables = plain_tables(profiles)
    for row, one in enumerate(records):
        for seat in range(4):
            state = PlayState(bid=list(one["bids"]), score=one["scores"], bags=one["bags"])
            state.hand[seat] = parse_pbn(one["hands"][seat])
            bid, number = (bid_seat(state, seat, RULES, parse_policy(text), tables) for text in ("bis", "bis:nils=off"))
            partner_bid = one["bids"][seat - 2] if seat > 1 else -1
            allowed = allowed_bids(state.hand[seat], partner_bid, RULES)
            number = nearest_number(max(1, number), allowed)
            bid = number if bid == 0 and any(other < 3 for other in one["bids"][:seat]) else bid
            expected = np.zeros(14)
            expected[bid] = 0.6
            for move in (-2, -1, 1, 2):
                expected[nearest_number(min(13, max(1, bid + move)), allowed) if bid else number] += 0.1
            assert chances[row, seat] == pytest.approx(expected), (one, seat)


def test_seats_with_other_labels_have_no_chances(tmp_path, profiles):
    records = records_of("weak", 0.1, profiles, games=5)
    for one in records:
        one["labels"] = [{"kind": "bot"}, None, *one["labels"][2:]]
    rounds, names = read_back(tmp_path, records)
    totals = true_chances(STUDIOS["weak"], 0.1, rounds, names, profiles).sum(axis=2)
    assert (totals[:, :2] == 0).all()
    assert totals[:, 2:] == pytest.approx(1)


def test_the_command(tmp_path, capsys, profiles):
    path = tmp_path / "log.jsonl"
    assert main(["play", str(path), "--studio", "segments", "--noise", "0.1", "--games", "20"]) == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == records_of("segments", 0.1, profiles, games=20)
    skills = {label["skill"] for one in lines for label in one["labels"]}
    assert skills == {"beginner", "expert"}
    assert any(len({label["skill"] for label in one["labels"][::2]}) == 2 for one in lines), "also as partners"
    for arguments in (["--studio", "nobody"], ["--studio", "weak", "--noise", "2"], ["--noise", "0.1"]):
        capsys.readouterr()
        assert main(["play", str(tmp_path / "other.jsonl"), "--games", "1", *arguments]) == 1
        assert "accepted" in capsys.readouterr().err
