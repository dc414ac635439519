"""Models of people: what they learn from a log, their folder, and such people in the arena."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from arena.agents import parse_agent
from arena.called import Resources
from arena.called.people import People
from arena.called.policy_tables import split_tables
from arena.engine.deal import Deals
from arena.engine.rounds import ROUND
from arena.engine.simulate import kernel_tables, numba_typed
from arena.engine.states import plain_state
from arena.errors import AgentError, ArenaError, BuildError
from arena.match import PAPER_RULES, Match
from arena.people import bid_net
from arena.people.bid_net import positions
from arena.people.inputs import INPUTS, write_inputs
from arena.people.model import corrected, nil_features, read_model
from arena.questions import BID, Asked
from arena.result import run_match
from spades.errors import PolicyError, TablesError
from spades.legal import allowed_bids
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio import model as model_command
from studio.__main__ import main
from studio.columns import frame_of
from studio.model import BidCollector, Reservoir
from studio.people import bid_net_training
from studio.people.success_fit import Cases, learn
from studio.play import STUDIOS, studio_records
from studio.reading import read
from studio.rounds import Keys, Names
from tests.arena.conftest import called
from tests.arena.rounds import dealt
from tests.conftest import plain_tables
from tests.studio.true_chances import true_chances

pytestmark = pytest.mark.compiled
NOISE = 0.1
BEGINNER, EXPERT = (f"kind=human,skill={skill}" for skill in ("beginner", "expert"))


@pytest.fixture(scope="module")
def profiles():
    return kernel_tables(open_tables().arrays)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, profiles):
    """A model learned from 1,000 games of two segments, and what the command prints."""
    work = tmp_path_factory.mktemp("people")
    records = studio_records(STUDIOS["segments"], NOISE, Deals(1, 0, 1000), PAPER_RULES, profiles)
    frame_of(records).write_parquet(work / "log.parquet")
    assert main(["model", str(work / "log.parquet"), "--out", str(work / "model")]) == 0
    return work / "model"


@pytest.fixture(scope="module")
def new_games(tmp_path_factory, profiles):
    """Rounds of other games, with the true chances of their bids."""
    path, names = tmp_path_factory.mktemp("new") / "log.parquet", Names()
    frame_of(studio_records(STUDIOS["segments"], NOISE, Deals(2, 0, 200), PAPER_RULES, profiles)).write_parquet(path)
    (batch,) = read(path, names, Keys())
    collector = BidCollector(profiles)
    collector.add(batch.rounds)
    truth = true_chances(STUDIOS["segments"], NOISE, batch.rounds, names, profiles)
    return names, collector.sample(names), truth.reshape(-1, 14)


def test_a_reservoir_takes_from_the_largest_groups_first():
    rng = np.random.default_rng(1)
    group = rng.choice(3, 10_000, p=[0.9, 0.09, 0.01])
    rows = polars.DataFrame({"key": rng.integers(0, 2**64, 10_000, np.uint64), "group": group})
    reservoir, at_once = Reservoir(1_500), Reservoir(1_500)
    for part in range(0, 10_000, 700):
        reservoir.add(rows[part : part + 700])
    at_once.add(rows)
    assert reservoir.rows.equals(at_once.rows), "whatever the batches"
    kept = np.bincount(reservoir.rows["group"])
    assert 750 < kept.sum() <= 1_500
    assert kept[2] == (group == 2).sum()
    for one in range(3):
        own = rows.filter(group=one).sort("key").head(kept[one])
        assert set(own["key"]) == set(reservoir.rows.filter(group=one)["key"]), "those with the lowest hashes"


def bids_of(text, states, seats, rules=PAPER_RULES):
    asked = Asked(BID, states, np.zeros(len(states), ROUND), np.arange(len(seats)), seats, 1, rules)
    return called(text).opened(rules, Resources({}, {}, ())).answers(asked)


# ---- what is learned ----------------------------------------------------------------------------------------------


def test_bids_of_new_games_are_nearly_as_likely_as_in_truth(folder, new_games):
    names, sample, truth = new_games
    model = read_model(folder)
    for label in (BEGINNER, EXPERT):
        rows = sample.seen.labels == names.labels.index(label) + 1
        chances = model.chances(sample.seen, label)[rows]
        at = sample.bids[rows, None].astype(np.int64)
        found, best = (np.log(np.take_along_axis(one, at, 1)).mean() for one in (chances, truth[rows]))
        stated = model.report["held_out"][label]
        assert best - 0.2 < found
        assert stated["marginal"] < stated["bis_with_noise"] < found - 0.2
        assert stated["likelihood"] == pytest.approx(found, abs=0.1)
        assert stated["calibration_error"] < 0.05
        assert (chances[(sample.seen.allowed[rows, None] >> np.arange(14) & 1) == 0] == 0).all()
        assert chances.sum(axis=1) == pytest.approx(1)


def test_positions_are_those_of_plain_python(profiles):
    rng = np.random.default_rng(3)
    states, seats = dealt(5, 20, PAPER_RULES), rng.integers(0, 4, 20)
    states["bid"] = rng.integers(0, 6, (20, 4))
    found = positions(states, seats, PAPER_RULES, profiles)
    policies = tuple(numba_typed(parse_policy(text)) for text in ("bis", "bis:nils=off"))
    for n, state in enumerate(map(plain_state, states)):
        x = np.zeros(INPUTS)
        reference = write_inputs(state, int(seats[n]), PAPER_RULES, policies, plain_tables(profiles), x)
        assert found.x[n] == pytest.approx(x, abs=1e-6)
        assert (found.bids[n], found.numbers[n], found.allowed[n], found.changed[n]) == (
            reference.bid,
            reference.number,
            reference.allowed,
            reference.changed,
        )


def test_labels_differ_and_mix(folder, new_games):
    _, sample, _ = new_games
    model = read_model(folder)
    beginner, expert, everyone = (model.chances(sample.seen, label) for label in (BEGINNER, EXPERT, "kind=human"))
    numbers = np.arange(14)
    assert (expert @ numbers).mean() > (beginner @ numbers).mean() + 0.5
    share = model.bids[1] / sum(model.bids)
    assert everyone == pytest.approx((1 - share) * beginner + share * expert)
    assert (model.chances(sample.seen, "") == everyone).all()
    with pytest.raises(BuildError, match="found nobody with label 'kind=bot'"):
        model.shares_of("kind=bot")


def test_card_play(folder):
    """Beginners play as WRP does, and experts as SRP."""
    model = read_model(folder)
    assert model.blend(BEGINNER) > 0.7
    assert model.blend(EXPERT) < 0.3
    for play in model.report["card_play"].values():
        assert play["blend_contracts_made"] == pytest.approx(play["contracts_made"], abs=0.03)
    contracts, with_nil = np.array([7.0, 7.0]), np.array([0.0, 1.0])
    stated = np.array([0.85, 0.8])
    found = [model.p_contract_made(stated, contracts, with_nil, label) for label in (BEGINNER, EXPERT)]
    assert (found[0] > found[1]).all(), "experts overbid"
    assert ((found[1] > 0) & (found[0] < 1)).all()
    nil = np.array([0.7]), np.array([0.8]), np.array([2.0]), np.array([3.0])
    assert 0 < model.p_nil_made(*nil, BEGINNER)[0] < 1


def test_corrections_find_a_truth_and_stay_without_one():
    rng = np.random.default_rng(1)
    n = 20_000
    values, seats, partners = rng.random(n), np.floor(4 * rng.random(n)), np.floor(7 * rng.random(n))
    features, labels = nil_features(values, seats, partners), rng.integers(0, 2, n)
    stated = 0.3 + 0.5 * values
    own = np.array([[-0.3, 0.0, 0.4, 0.0], [0.6, 0.0, 0.0, 0.0], [-0.6, 0.5, 0.0, 0.0]])
    true = np.where(labels == 0, corrected(stated, features, own, 0), corrected(stated, features, own, 1))
    ones = np.ones(n)
    for p, moved in ((true, True), (stated, False)):
        made = (rng.random(n) < p).astype(float)
        fit_on, held_out = (
            Cases(stated[part], features[part], labels[part], ones[part], made[part])
            for part in (slice(0, 15_000), slice(15_000, n))
        )
        found = learn(fit_on, held_out, 2)
        weights = found.weights.astype(np.float64)
        stated_now = np.where(labels == 0, *(corrected(stated, features, weights, label) for label in (0, 1)))
        assert np.abs(stated_now - p).mean() < 0.02
        assert (found.loss < found.shipped_loss - 0.01) == moved


# ---- the folder ---------------------------------------------------------------------------------------------------


def test_the_folder_says_how_good_the_model_is(folder):
    entry = json.loads((folder / "manifest.json").read_text())["families"]["people"]
    assert entry["parameters"]["labels"] == [BEGINNER, EXPERT]
    assert entry["parameters"]["tables"] == open_tables().version
    assert sum(entry["sizes"].values()) == 4 * entry["parameters"]["rounds"]


def test_a_broken_folder_is_refused(folder, tmp_path):
    for name, change in (("first.npy", "flip"), ("blend.npy", "missing"), ("manifest.json", "cut")):
        broken = tmp_path / change
        broken.mkdir()
        for path in folder.iterdir():
            content = bytearray(path.read_bytes())
            if path.name == name:
                content = content[:-5] if change == "cut" else content
                content[-1] ^= change == "flip"
            if path.name != name or change != "missing":
                (broken / path.name).write_bytes(content)
        with pytest.raises(TablesError, match=name):
            read_model(broken)
    with pytest.raises(TablesError, match="expected a model that `studio model` wrote"):
        read_model(DEFAULT_DIRECTORY)


def test_an_interrupted_run_leaves_no_half_model(folder, tmp_path, monkeypatch):
    learned = read_model(folder)
    monkeypatch.setattr(bid_net_training, "fit", lambda *_: {name: learned.arrays[name] for name in bid_net.AXES})
    new = tmp_path / "new"
    run = ["model", str(folder.parent / "log.parquet"), "--out", str(new)]
    with monkeypatch.context() as broken:
        broken.setattr(model_command, "write_manifest", interrupted)
        assert main(run) == 130
    assert not new.exists()
    new.mkdir()
    assert main(run) == 0
    assert read_model(new).version == learned.version
    assert list(tmp_path.iterdir()) == [new]


def interrupted(*_):
    raise KeyboardInterrupt


def test_errors_of_the_command(folder, tmp_path, capsys):
    log = folder.parent / "log.parquet"
    few = tmp_path / "few.jsonl"
    assert main(["play", str(few), "--games", "2"]) == 0
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps(json.loads(few.read_text().splitlines()[0]) | {"bags": [99, 99]}))
    new = ["--out", str(tmp_path / "new")]
    for arguments in ([str(log), "--out", str(folder)], [str(few), *new], [str(wrong), *new]):
        capsys.readouterr()
        assert main(["model", *arguments]) == 1
        assert "accepted" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


# ---- the arena ----------------------------------------------------------------------------------------------------


def test_texts():
    people = called("model:a/b,kind=human")
    assert people == People(Path("a/b"), "kind=human")
    assert called(str(people)) == people
    assert split_tables("bis:offset=1,tables=a/b,factor=off")[0] == "bis:offset=1,factor=off"
    assert split_tables("python:a:tables=b.py:f")[1] is None
    assert parse_agent("blend:0.25").blend == 0.25
    for text in ("blend:2", "blend:x"):
        with pytest.raises(AgentError, match=r"wrp is .*; accepted: 0 to 1"):
            parse_agent(text)
    with pytest.raises(AgentError, match="accepted: model"):
        parse_agent("model:")
    with pytest.raises(AgentError, match="accepted: KEY=VALUE, each key at most once"):
        split_tables("bis:tables=a,tables=b")


def test_bids_are_drawn_from_the_chances(folder, new_games):
    states = dealt(1, 3000, PAPER_RULES)
    states["bid"][:] = [3, 2, -1, -1]
    seats = np.full(3000, 2)
    bids = bids_of(f"model:{folder},{BEGINNER}", states, seats)
    allowed = [allowed_bids(hand, 3, PAPER_RULES) for hand in states["hand"][:, 2].tolist()]
    assert all(mask >> bid & 1 for mask, bid in zip(allowed, bids.tolist(), strict=True))
    assert (bids == bids_of(f"model:{folder},{BEGINNER}", states, seats)).all()
    usual, high = (bids_of(f"model:{folder},{label}", states, seats).mean() for label in (BEGINNER, EXPERT))
    assert high > usual + 0.3
    _, sample, _ = new_games
    assert np.bincount(bids, minlength=14)[1:6].min() > 0
    assert (sample.bids == 0).any()


def test_people_in_a_match(folder):
    people = f"model:{folder},{BEGINNER}"
    match = Match("bis", people, ("srp", people, people, people), pairs=60, mixed=True, seed=4)
    one, two = run_match(match, 1), run_match(match, 2)
    assert one.record(timing=False) == two.record(timing=False)
    assert one.players == ["srp@3", *[f"blend(wrp={read_model(folder).blend(BEGINNER):g})"] * 3]
    assert one.versions[people] == read_model(folder).version
    assert people in one.to_markdown()


def test_a_blend_lies_between_both_players():
    wins = [
        run_match(Match("bis", "bis", ("srp", player), pairs=300, seed=5)).points_difference
        for player in ("blend:0", "blend:0.5", "blend:1", "wrp")
    ]
    assert wins[0] == 0 < wins[1] < wins[2] == wins[3]


def test_a_policy_with_tables_of_its_own(tmp_path):
    """With the shipped tables it plays the games of the policy; with others it bids differently."""
    rules = make_rules("classic", {"win": 200, "blind_nil": True})
    own = run_match(Match(f"bis:level=2,blind=on,tables={DEFAULT_DIRECTORY}", "rb", pairs=100, rules=rules, seed=6))
    plain = run_match(Match("bis:level=2,blind=on", "rb", pairs=100, rules=rules, seed=6))
    assert (own.win_rate, own.points_per_round) == (plain.win_rate, plain.points_per_round)
    assert own.bids == plain.bids
    assert any(row["bid"] == "blind_nil" for row in own.bids)
    assert own.versions[own.a] == open_tables().version
    with pytest.raises(AgentError, match=r"tables is .*nowhere; accepted: the folder of a table set"):
        Match(f"bis:tables={tmp_path / 'nowhere'}", "bis")
    with pytest.raises(PolicyError):
        Match(f"bis:offset=x,tables={DEFAULT_DIRECTORY}", "bis")


def test_winprob_with_tables_of_its_own():
    one, other = (
        run_match(Match(text, "rb", pairs=20, seed=7)) for text in (f"winprob:tables={DEFAULT_DIRECTORY}", "winprob")
    )
    assert one.bids == other.bids


def test_matches_that_people_cannot_play(folder):
    cases: list[tuple[dict[str, Any], str]] = [
        (
            {"rules": make_rules("jokers", {"win": 200, "lose": -100})},
            "variant is jokers with .*; accepted: partnership",
        ),
        ({"a": f"model:{folder},kind=bot"}, "found nobody"),
        ({"players": ("srp", "srp", "srp")}, "one for each chair"),
    ]
    for change, text in cases:
        with pytest.raises((ArenaError, BuildError), match=text):
            Match(**{"a": f"model:{folder}", "b": "bis", **change})
