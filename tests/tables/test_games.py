"""`build --rules`: it makes one more win table, and a later build keeps it; error messages name the rule."""

from dataclasses import replace
from itertools import islice, product

import pytest

from arena.engine.simulate import kernel_tables, tables_for
from arena.engine.winprob import slice_of
from arena.errors import BuildError
from report.winprob import ELSEWHERE
from spades.bidder import decide
from spades.cards import parse_pbn
from spades.manifest import read_manifest
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import PARTNERSHIP, PRESETS, make_rules
from spades.scoring import Standing
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from spades.winprob import SHIPPED, games, key_of, win_slice_of
from tables import win
from tables.families import FAMILIES
from tables.run.build import DEFAULT_SEED, Options, build, dependency_files
from tables.run.family import inputs_hash, scaled_sizes, with_games
from tables.win import MORE, RESIDUAL, game_overrides, parts_of, rules_of_text
from tests.tables.shipped import copy_shipped


def test_what_ships():
    manifest = read_manifest(DEFAULT_DIRECTORY)
    assert manifest.families["win"].figures["residual"] < RESIDUAL
    assert manifest.families["games"].parameters["games"] == MORE
    assert len(MORE) == 29


def test_what_ships_is_what_the_code_makes():
    """No family in the repository was made with another scale, other tables or other parameters than the code has."""
    manifest = read_manifest(DEFAULT_DIRECTORY)
    for family in FAMILIES:
        entry = manifest.families[family.name]
        assert entry.sizes == scaled_sizes(family, 1.0), family.name
        files = dependency_files(family, FAMILIES, manifest)
        assert entry.inputs == inputs_hash(family, DEFAULT_SEED, 1.0, files), family.name


def test_texts_name_rules():
    assert rules_of_text("five-bags") == PRESETS["five-bags"]
    assert rules_of_text("no-bags:win=200,lose=null") == make_rules("no-bags", {"win": 200, "lose": None})
    text = "classic:failed_nil_tricks=contract,ten_for_200=true"
    assert rules_of_text(text) == make_rules("classic", {"failed_nil_tricks": "contract", "ten_for_200": True})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("casino", "preset"),
        ("classic:win", "FIELD=VALUE"),
        ("classic:win=0", "win is 0"),
        ("classic:gold=1", "gold"),
        ("mirror", "variant is mirror"),
        ("classic:bag_limit=12", "bag_limit is 12"),
        ("classic:win=1005,bag_penalty=99", "win is 1005; accepted: multiples of 10"),
    ],
)
def test_texts_that_name_none(text, named):
    with pytest.raises(BuildError, match=named):
        rules_of_text(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("classic:win=100,lose=-90,bag_penalty=97", {(97, 100): 1.0}),  # exact rows, of one point, are few enough
        ("classic:win=1000,bag_limit=7", {(97, 100): 0.7, (107, 100): 0.3}),  # a penalty takes 93 points
        ("classic:win=1000,nil_points=75", {(100, 70): 0.5, (100, 80): 0.5}),
        (
            "classic:win=1000,bag_limit=7,nil_points=75",
            {(97, 70): 0.35, (97, 80): 0.35, (107, 70): 0.15, (107, 80): 0.15},
        ),
    ],
)
def test_too_many_exact_rows_become_rows_of_ten_points(text, parts):
    found = parts_of(rules_of_text(text))
    assert {(part.bag_penalty, part.nil_points): share for part, share in found.items()} == pytest.approx(parts)
    if len(parts) > 1:
        assert {win_slice_of(part, 0).unit for part in found} == {10}


def test_what_is_told_names_the_game():
    for rules in PRESETS.values():
        if rules.variant == PARTNERSHIP:
            assert key_of(make_rules("classic", game_overrides(rules))) == key_of(rules)


@pytest.fixture
def built(tmp_path):
    """A copy of the shipped tables without the family `games`."""
    return copy_shipped(tmp_path / "data", without=("games",))


@pytest.mark.compiled
def test_one_more_game(built, tmp_path, monkeypatch):
    monkeypatch.setattr(win, "MORE", MORE[:1])  # the others would take minutes
    monkeypatch.setattr(win, "EDGES", win.EDGES[::6])  # 9 pairs of buckets instead of 324
    monkeypatch.setattr(win, "BUCKETS", 3)
    monkeypatch.setattr(games, "MOST_CELLS", 20_000)  # so that the exact rows of `tens` are too many
    texts = (
        "classic:win=60,lose=-50,bag_limit=4,bag_penalty=44,ten_for_200=true",
        "no-bags:win=60,lose=-50",
        "no-bags:win=60,lose=-50,bag_limit=7",  # without bags, the limit has no effect
        "classic:win=60,lose=-50,bag_limit=4,bag_penalty=41",  # has too many exact rows
        "classic",  # ships by the table of another goal
        "bis-paper",  # ships by its own table
    )
    rules, same, _, tens, *_ = map(rules_of_text, texts)
    sizes = {"first_rounds_per_bucket": 5, "rounds_per_bucket": 20}
    small = tuple(replace(family, sizes=sizes) if family.name == "games" else family for family in FAMILIES)

    def run(only, **options):
        said: list[str] = []
        chosen = Options(only=(only,), **options)
        build(built, small, chosen, checkpoints=tmp_path / "work", progress=False, say=said.append)
        return said[-2]

    assert run("means", rules=texts).startswith("games: made extra_win, games")
    assert run("games") == "games: up to date"  # they are kept
    tables = open_tables(built)
    for game in (rules, tens):
        nearest = tables.games.nearest(game)
        assert nearest is not None
        assert (nearest.instead, nearest.win_slice.unit) == ((), 10)
        position = Position(parse_pbn("AKJ62.AQ.Q.K9543"), (3, 1), Standing(20, 10, 3, 0), game)
        assert decide(position, parse_policy("winprob"), tables).bid > 0
    more = {key_of(make_rules("classic", game)) for game in MORE[:1]}
    assert set(tables.games) - set(SHIPPED) == {key_of(rules), key_of(same), key_of(tens)} | more
    assert len(tables.arrays["games"]) == 3 + len(more)

    with_rules = with_games(FAMILIES, read_manifest(built))
    (family,) = (family for family in with_rules if family.name == "games")
    for game in (rules, same, tens):
        assert game_overrides(game) in family.parameters["games"]  # type: ignore[operator]


def test_the_service_and_the_simulator_value_a_game_by_the_same_table():
    opened = open_tables(DEFAULT_DIRECTORY)
    profiles = kernel_tables(opened.arrays)
    for values in islice(product(*ELSEWHERE.values()), 0, None, 7):  # 7 divides no number of values
        rules = make_rules("classic", dict(zip(ELSEWHERE, values, strict=True)))
        nearest = opened.games.nearest(rules)
        assert nearest is not None
        tables = tables_for(profiles, rules, [parse_policy("winprob")])
        assert slice_of(rules, tables) == nearest.win_slice, rules
