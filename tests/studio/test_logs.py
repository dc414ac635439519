"""Logs of rounds: the format, what is refused, what is filled in, and the command."""

import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import numpy as np
import polars
import pytest

from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from spades.cards import cards_of, format_card, parse_pbn
from spades.rules import make_rules
from spades.tableset import open_tables
from studio import reading
from studio.__main__ import main
from studio.check import USES, Summary
from studio.checks import FAULTS as FAULT_TEXTS
from studio.columns import SCHEMA, frame_of
from studio.play import studio_records, two_policies
from studio.reading import AGAIN, FORM, read
from studio.reading import RULES as RULES_FAULT
from studio.round_log import FIELDS, json_schema
from studio.rounds import Keys, Names

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).resolve().parents[2]
RULES = make_rules("classic", {"win": 200, "lose": -100})
HANDS = ["AKJ62.AQ.Q.K9543", "3.8643.9752.T872", "Q74.KJ5.AJT43.Q6", "T985.T972.K86.AJ"]


def games(rules=RULES, n=20, seed=1):
    profiles = kernel_tables(open_tables().arrays)
    return list(studio_records(two_policies("bis", "rb", ("srp", "srp")), 0.0, Deals(seed, 0, n), rules, profiles))


@pytest.fixture(scope="module")
def records():
    return games()


@pytest.fixture
def log(tmp_path):
    def write(*records, name="log.jsonl"):
        path = tmp_path / name
        path.write_text("".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in records))
        return path

    return write


def checked(path):
    """What a log holds, its batches, and its rules and labels."""
    summary, names, keys, batches = Summary(), Names(), Keys(), []
    for batch in read(path, names, keys):
        summary.add(batch, names)
        batches.append(batch)
    return summary, batches, names


def records_of(frame):
    """The rows of a frame as records, without what is not known."""
    rows = [{name: value for name, value in row.items() if value is not None} for row in frame.iter_rows(named=True)]
    for row in rows:
        row |= {"rules": json.loads(row["rules"])} if "rules" in row else {}
        labels = [label and {name: text for name, text in label.items() if text} for label in row.get("labels", ())]
        row |= {"labels": labels} if labels else {}
    return rows


def changed(record, **fields):
    return {name: value for name, value in (record | fields).items() if value is not ...}


# ---- what is right ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["classic", "pass-2", "whiz", "suicide", "blind"])
def test_games_that_were_played_have_no_fault(log, preset):
    rules = make_rules("classic", {"blind_nil": True}) if preset == "blind" else make_rules(preset)
    found = games(rules, 10)
    summary, batches, names = checked(log(*found))
    assert (summary.good, summary.bad) == (len(found), 0), summary.examples
    assert names.rules == [rules]
    assert records_of(batches[0].frame) == found


def test_the_winner_is_of_the_seats_of_the_round(records):
    """In each round of a game the same chair wins, although the seats move on."""
    for record in records:
        sides = [label["policy"] for label in record["labels"][:2]]
        last = [one for one in records if one["game"] == record["game"]][-1]
        assert sides[record["winner"]] == [label["policy"] for label in last["labels"][:2]][last["winner"]]


def test_parts_may_be_missing(log, records):
    least = [changed(one, **dict.fromkeys(FIELDS[4:], ...)) for one in records]
    summary, _, names = checked(log(*least))
    assert summary.record()["uses"] == {name: len(records) if name == "mean bids" else 0 for name in USES}
    assert names.rules == [make_rules()]
    none = [changed(one, **dict.fromkeys(FIELDS[4:], None)) for one in records]
    assert checked(log(*none))[0].record() == summary.record(), "null is the same as missing"


def test_plays_say_hands_and_tricks(log, records):
    _, (whole,), _ = checked(log(*records))
    _, (batch,), _ = checked(log(*(changed(one, hands=..., tricks=...) for one in records)))
    assert (batch.rounds.hands == whole.rounds.hands).all()
    assert (batch.rounds.tricks == whole.rounds.tricks).all()


def test_three_hands_say_the_fourth(log, records):
    _, (whole,), _ = checked(log(*records))
    three = [changed(one, hands=[*one["hands"][:1], None, *one["hands"][2:]], plays=...) for one in records]
    _, (batch,), _ = checked(log(*three))
    assert (batch.rounds.hands == whole.rounds.hands).all()


def test_plays_after_a_pass_do_not_say_what_was_dealt(log):
    found = [one for one in games(make_rules("pass-2"), 12) if 0 in one["bids"]]
    both_sides = [one for one in found if all(0 in one["bids"][side::2] for side in (0, 1))]
    one_side = [one for one in found if one not in both_sides]
    for one in (one_side[0], one_side[1], both_sides[0]):
        passing = [one["bids"][seat] == 0 or one["bids"][seat ^ 2] == 0 for seat in range(4)]
        _, (batch,), _ = checked(log(changed(one, hands=...)))
        assert [hand == 0 for hand in batch.rounds.hands[0].tolist()] == passing
        _, (whole,), _ = checked(log(one))
        assert (whole.rounds.hands != 0).all()
        swapped = [one["hands"][seat] for seat in (2, 3, 0, 1)]
        (batch,) = checked(log(changed(one, hands=swapped)))[1]
        faults = [fault.name for line in batch.faults.values() for fault in line]
        assert faults == ([] if all(passing) else ["not-held"])


def csv_of(path, frame):
    """Write a frame of rounds as CSV: lists as JSON, nothing for null."""
    lists = [name for name, kind in frame.schema.items() if kind.is_nested()]
    cells = [
        polars.col(name).map_elements(lambda value: json.dumps(value.to_list()), return_dtype=polars.String)
        for name in lists
    ]
    frame.with_columns(cells).write_csv(path)


@pytest.mark.parametrize("name", ["log.jsonl", "log.ndjson", "log.jsonl.gz", "log.csv", "log.parquet"])
def test_every_kind_of_file(tmp_path, records, name):
    path = tmp_path / name
    text = "\n".join(json.dumps(one) for one in records).encode()
    if name.endswith(".parquet"):
        frame_of(records).write_parquet(path)
        assert dict(polars.scan_parquet(path).collect_schema()) == SCHEMA
    elif name.endswith(".csv"):
        csv_of(path, frame_of(records))
    else:
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    summary, batches, _ = checked(path)
    assert (summary.good, summary.bad) == (len(records), 0)
    assert records_of(batches[0].frame) == records


def test_batches_and_files_make_no_difference(monkeypatch, log, records):
    whole = checked(log(*records))[0].record()
    monkeypatch.setattr(reading, "BATCH", 7)
    path = log(*records)
    summary, batches, _ = checked(path)
    assert len(batches) > 2
    assert summary.record() == whole


# ---- what is wrong ------------------------------------------------------------------------------------------------

FAULTS: dict[str, tuple] = {
    "no JSON": ("{", "form", "the line is no JSON"),
    "no object": ("[1]\n", "form", "the line is no JSON object"),
    "a missing field": ({"bids": ...}, "form", "bids is missing; accepted: four bids"),
    "another version": ({"format": 2}, "form", "format is 2; accepted: the version of this format: 1"),
    "true for 1": ({"format": True}, "form", "format is true"),
    "a text as number": ({"bids": [1, 2, 3, "4"]}, "form", 'bids/3 is "4"; accepted: four bids in bidding order'),
    "small letters": ({"plays": ["kc"] * 52}, "form", 'plays/0 is "kc"; accepted: 52 cards such as KC'),
    "seconds as text": ({"time": "1762106591"}, "form", 'time is "1762106591"; accepted: the start'),
    "dots": ({"hands": ["." * 16, None, None, None]}, "hand", "hands/0 does not have 13 different cards"),
    "a list as preset": ({"rules": {"preset": ["x"]}}, "rules", "rules: preset is ['x']; accepted: a text"),
    "no preset": ({"rules": {"preset": ""}}, "rules", "unknown preset ''"),
    "a finished game": ({"scores": [210, 0]}, "scores", "scores/0 is 210, so the game is over"),
    "three bids": ({"bids": [1, 2, 3]}, "form", "bids is"),
    "no zone": ({"time": "2026-01-02T03:04:05"}, "form", 'time is "2026-01-02T03:04:05"; accepted: '),
    "an unknown label": ({"labels": [{"name": "Ann"}, None, None, None]}, "form", 'labels/0/name is "Ann"'),
    "unknown rules": ({"rules": {"win": "x"}}, "rules", "rules: win is 'x'; accepted: "),
    "four sides": ({"rules": {"preset": "cutthroat"}}, "rules", "variant is cutthroat; accepted in a log: partnership"),
    "a wrong hand": (
        {"hands": ["AKJ62.AQ.Q.K9545", *HANDS[1:]]},
        "hand",
        "hands/0 does not have 13 different cards; accepted: spades",
    ),
    "twelve cards": ({"hands": ["AKJ62.AQ..Q.K954", *HANDS[1:]]}, "hand", "hands/0 does not have"),
    "a card twice": ({"hands": [HANDS[0], HANDS[0], None, None]}, "card-twice", "hands: AS is in two hands"),
    "a bid too high": ({"bids": [9, 3, 9, 2]}, "bid", "bids/2 is 9; accepted: bids that `rules` allow"),
    "a blind nil": ({"bids": [14, 3, 3, 2]}, "bid", "bids/0 is 14"),
    "tricks too many": ({"tricks": [4, 4, 4, 4], "plays": ...}, "tricks", "tricks sum to 16; accepted: 13"),
    "too many bags": ({"bags": [3, 10]}, "bags", "bags/1 is 10; accepted: 0 to one below"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_place(log, records, name):
    change, kind, text = FAULTS[name]
    right, other = records[0], records[1]
    if isinstance(change, str):
        wrong = change.rstrip() + "\n"
    else:
        wrong = changed(changed(other, plays=...) if "hands" in change else other, **change)
    path = log(right, wrong, records[2])
    summary, batches, _ = checked(path)
    assert (summary.good, summary.bad) == (2, 1)
    ((fault,),) = batches[0].faults.values()
    assert (fault.file, fault.line, fault.name) == (str(path), 2, kind)
    assert text in fault.text
    assert "accepted" in fault.text


def test_faults_of_plays(log, records):
    one = records[0]
    plays = one["plays"]
    repeated = [*plays[:51], plays[0]]
    led = next(n for n in range(0, 52, 4) if plays[n + 1][1] == plays[n][1])
    seats = {
        card: seat for seat, hand in enumerate(one["hands"]) for card in map(format_card, cards_of(parse_pbn(hand)))
    }
    own = [card for card in plays[led + 2 :] if seats[card] == seats[plays[led + 1]] and card[1] != plays[led][1]]
    swapped = plays[:]
    at = swapped.index(own[0])
    swapped[led + 1], swapped[at] = swapped[at], swapped[led + 1]
    foreign = [plays[1], plays[0], *plays[2:]]
    cases = (
        (changed(one, plays=repeated), "play-twice"),
        (changed(one, plays=swapped, hands=...), "revoke"),
        (changed(one, plays=foreign), "not-held"),
        (changed(one, tricks=[*one["tricks"][1:], one["tricks"][0]]), "tricks"),
    )
    for record, kind in cases:
        ((fault,),) = checked(log(record))[1][0].faults.values()
        assert fault.name == kind


def test_a_round_comes_once(log, records, tmp_path):
    path = log(*records, records[3])
    summary, batches, _ = checked(path)
    assert (summary.good, summary.bad) == (len(records), 1)
    ((fault,),) = batches[0].faults.values()
    assert fault.text.startswith(f"round {records[3]['round']} of game '{records[3]['game']}' again")
    names, keys = Names(), Keys()
    bad = [line for _ in range(2) for batch in read(log(*records), names, keys) for line in batch.bad]
    assert len(bad) == len(records), "also in another file"


def test_keys_find_repetitions_in_any_order():
    rng = np.random.default_rng(1)
    numbers = rng.integers(1, 12_000, 40_000).astype(np.uint64) << np.uint64(40)
    keys, seen = Keys(), set()
    for part in np.array_split(numbers, 13):
        expected = []
        for number in part.tolist():
            expected.append(number in seen)
            seen.add(number)
        assert keys.repeated(part).tolist() == expected


def test_fields_beyond_the_format_are_dropped_and_named(log, records):
    path = log(*(changed(one, player_id=7, chat="hello") for one in records))
    summary, batches, _ = checked(path)
    assert summary.record()["dropped_fields"] == {"chat": len(records), "player_id": len(records)}
    assert batches[0].frame.columns == list(FIELDS)


def test_files_that_cannot_be_read(tmp_path):
    damaged = bytearray(gzip.compress(b"{}\n" * 10_000))
    damaged[20] ^= 255
    polars.DataFrame({"Game": ["a"], "Bids": [[1, 2, 3, 4]]}).write_parquet(tmp_path / "other.parquet")
    for name, content in (
        ("log.txt", b""),
        ("log.csv", b""),
        ("names.csv", b"game;round\na;1\n"),
        ("log.parquet", b"no parquet"),
        ("log.jsonl.gz", b"no gzip"),
        ("bits.jsonl.gz", bytes(damaged)),
        ("other.parquet", None),
    ):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(BuildError, match=name):
            list(read(path, Names(), Keys()))


# ---- the command, the schema --------------------------------------------------------------------------------------


def test_the_command(tmp_path, capsys, log, records):
    path = log(*records[:5], "no json\n", changed(records[5], bids=[1]))
    bad, out = tmp_path / "bad.jsonl", tmp_path / "right"
    assert main(["check", str(path), "--bad", str(bad), "--out", str(out)]) == 1
    text = capsys.readouterr().out
    assert "7 rounds: 5 without a fault, 2 with one." in text
    assert "log.jsonl:6" in text
    lines = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [(line["line"], line["faults"][0]["fault"]) for line in lines] == [(6, "form"), (7, "form")]
    assert lines[0]["record"] == "no json"
    assert lines[1]["record"] == changed(records[5], bids=[1])
    assert main(["check", *map(str, sorted(out.iterdir())), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rounds"], found["good"]) == (5, 5)
    assert found["seats_by_label"] == {"kind=bot,policy=bis": 10, "kind=bot,policy=rb": 10}


@pytest.mark.parametrize("name", ["log.jsonl", "log.parquet"])
def test_a_log_that_is_played_here_is_right(tmp_path, capsys, name):
    path = tmp_path / name
    assert main(["play", str(path), "--games", "6", "--b", "ms", "--rule", "blind_nil=true"]) == 0
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["good"] > 6


def test_errors_of_the_command(tmp_path, capsys):
    log, used = tmp_path / "log.jsonl", tmp_path / "used"
    log.write_text("{}\n")
    used.mkdir()
    (used / "000001.parquet").write_text("")
    for arguments in (
        ["check", "nowhere.jsonl"],
        ["check", str(log), "--bad", str(log)],
        ["check", str(log), "--bad", str(tmp_path / "nowhere" / "bad")],
        ["check", str(log), "--out", str(used)],
        ["play", str(tmp_path / "log.txt"), "--games", "1"],
        ["play", str(tmp_path / "new.jsonl"), "--games", "0"],
        ["play", str(tmp_path / "new.jsonl"), "--games", "1", "--preset", "cutthroat"],
        ["play", str(tmp_path / "new.jsonl"), "--games", "1", "--player", "nobody"],
    ):
        assert main([*arguments]) == 1
        assert "accepted" in capsys.readouterr().err
    assert log.read_text() == "{}\n"
    assert not (tmp_path / "new.jsonl").exists()


def test_a_file_that_ends_early_is_reported_beside_the_others(tmp_path, capsys, log, records):
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(b"x" * 100)[:-9])
    assert main(["check", str(log(*records)), str(broken), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["good"] == len(records)
    assert "broken.jsonl.gz cannot be read to its end" in found["unreadable"][0]


def test_bad_records_keep_no_other_fields(tmp_path, log, records):
    bad = tmp_path / "bad.jsonl"
    main(["check", str(log(changed(records[0], bids=[1], email="a@example.com"))), "--bad", str(bad)])
    assert "example.com" not in bad.read_text()


def test_bids_are_checked_with_hands_from_plays(log):
    """In whiz, a player bids nil or the number of their spades."""
    one = next(one for one in games(make_rules("whiz"), 5) if one["bids"][0] > 0)
    wrong = changed(one, bids=[one["bids"][0] % 12 + 1, *one["bids"][1:]])
    for record in (wrong, changed(wrong, hands=...), changed(wrong, hands=[None, *one["hands"][1:]], plays=...)):
        ((fault,),) = checked(log(record))[1][0].faults.values()
        assert fault.name == "bid"


@pytest.mark.parametrize(("rules", "bid"), [({"blind_nil": True}, 14), ({"blind_min": 6}, 22)])
def test_a_blind_bid_needs_the_deficit(log, records, rules, bid):
    one = changed(records[0], rules=rules | {"win": 500}, plays=..., tricks=..., hands=..., bids=[bid, 3, 3, 2])
    assert not checked(log(changed(one, scores=[0, 120])))[1][0].bad
    assert not checked(log(changed(one, scores=...)))[1][0].bad
    ((fault,),) = checked(log(changed(one, scores=[0, 20])))[1][0].faults.values()
    assert "bids/0 is a blind bid" in fault.text
    ((fault,),) = checked(log(changed(one, rules={"win": 500}, scores=[0, 120])))[1][0].faults.values()
    assert f"bids/0 is {bid}" in fault.text


def test_rules_as_in_a_request(log, records):
    """Null fields are left out, and whole floats are integers."""
    rules = {"preset": None, "win": 250.0, "lose": None, "approximate": False}
    summary, _, names = checked(log(*(changed(one, rules=rules) for one in records[:1])))
    assert (summary.good, names.rules) == (1, [make_rules("classic", {"win": 250})])


def test_the_first_bytes_may_mark_utf_8(tmp_path, records):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(records[0]).encode() + b"\r\n\r\n" + json.dumps(records[1]).encode())
    assert checked(path)[0].good == 2


def test_parquet_of_other_tools(tmp_path, records):
    """Columns of other integer types, a struct for the rules, a timestamp, and a name that looks like a pattern."""
    frame = (
        frame_of(records)
        .drop("time", "rules")
        .with_columns(
            polars.col("round", "winner").cast(polars.Int64),
            polars.lit(datetime(2026, 11, 2, 18, 3, tzinfo=UTC)).alias("time"),
            polars.struct(
                polars.lit("classic").alias("preset"), polars.lit(200).alias("win"), polars.lit(-100).alias("lose")
            ).alias("rules"),
            polars.lit(7).alias("player_id"),
        )
    )
    path = tmp_path / "log[1].parquet"
    frame.write_parquet(path)
    summary, batches, names = checked(path)
    assert (summary.good, summary.bad) == (len(records), 0), summary.examples
    assert names.rules == [RULES]
    assert batches[0].frame["time"][0] == "2026-11-02T18:03:00.000000Z"
    assert summary.record()["dropped_fields"] == {"player_id": len(records)}
    frame.with_columns(polars.col("time").dt.replace_time_zone(None)).write_parquet(path)
    assert "form" in checked(path)[0].faults, "a time needs a zone"


def test_the_example_of_the_page(log):
    page = (ROOT / "docs/reference/game-log.md").read_text()
    record = json.loads(page.partition("```json\n")[2].partition("```")[0])
    summary, _, _ = checked(log(record))
    assert (summary.good, summary.bad) == (1, 0), summary.examples
    listed = set(re.findall(r"^\| `([a-z-]+)` \|", page.partition("## The check")[2], re.MULTILINE))
    assert listed == {name for name, _ in FAULT_TEXTS.values()} | {FORM, RULES_FAULT, AGAIN}
    uses = re.findall(r"^\| ([a-z -]+) \|", page.partition("## What rounds can be used for")[2], re.MULTILINE)
    assert uses[1:] == list(USES)


def test_a_parquet_log_has_the_columns_of_the_format():
    assert tuple(SCHEMA) == FIELDS


def test_the_schema_in_the_docs_is_that_of_the_code(records):
    schema = json.loads((ROOT / "docs/reference/game-log.schema.json").read_text())
    assert schema == json_schema()
    for record in records:
        jsonschema.validate(record, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(changed(records[0], bids=[1]), schema)


# ---- columns read as arrays ---------------------------------------------------------------------------------------


def spoiled(records):
    """Records with something unusual or wrong in every field, between others."""
    one = records[0]
    changes = [
        {"format": 2},
        {"game": ""},
        {"game": "x" * 129},
        {"round": -1},
        {"round": 10_001},
        {"bids": [1, 2, 3]},
        {"bids": [1, 2, 3, 15]},
        {"bids": [1, 2, 3, None]},
        {"time": "2026-11-02"},
        {"time": "2026-11-02T18:03:11Z"},
        {"rules": {"preset": "nothing"}},
        {"rules": {"preset": "classic", "win": 200, "lose": -100}},
        {"hands": ["short", *one["hands"][1:]]},
        {"hands": [None, *one["hands"][1:]]},
        {"hands": None},
        {"tricks": [13, 0, 0, 14]},
        {"tricks": None, "plays": None},
        {"plays": one["plays"][:51]},
        {"plays": ["1C", *one["plays"][1:]]},
        {"plays": [one["plays"][0][:1], one["plays"][0][1:] + one["plays"][1], *one["plays"][2:]]},
        {"plays": ["  "] * 52},
        {"plays": ["é"] * 52},
        {"plays": [None, *one["plays"][1:]]},
        {"hands": [" " * 16, *one["hands"][1:]]},
        {"scores": [None, 10]},
        {"scores": [10, 20_000]},
        {"scores": None},
        {"bags": [0, 100]},
        {"bags": None},
        {"labels": [{"kind": "cat"}, None, None, None]},
        {"labels": [{"kind": "human", "skill": "a,b"}, None, None, None]},
        {"labels": [{"kind": "human"}, None, None]},
        {"labels": [{"kind": "human", "skill": "new"}, None, {}, {"policy": "bis"}]},
        {"labels": None},
        {"winner": 2},
        {"winner": None},
        {},
        {"game": one["game"], "round": one["round"]},
    ]
    found = []
    for number, change in enumerate(changes):
        found += [records[number + 1], one | {"game": f"own {number}"} | change]
    return [one, *found]


@pytest.mark.parametrize("dropped", [None, "hands", "labels", "rules", "plays", "winner"])
def test_columns_are_read_like_records(tmp_path, records, monkeypatch, dropped):
    path = tmp_path / "log.parquet"
    frame = frame_of(spoiled(records))
    (frame.drop(dropped) if dropped else frame).write_parquet(path)
    summary, (batch,), names = checked(path)
    monkeypatch.setattr(reading, "readable", lambda _: False)
    expected, (other,), other_names = checked(path)
    assert summary.record() == expected.record()
    assert batch.frame.drop("rules").equals(other.frame.drop("rules"))
    assert records_of(batch.frame) == records_of(other.frame)
    assert batch.bad == other.bad
    named = [
        [[None if n < 0 else own.labels[n] for n in row] for row in found.rounds.labels.tolist()]
        for own, found in ((names, batch), (other_names, other))
    ]
    assert named[0] == named[1]
    for name in set(batch.rounds._fields) - {"labels", "rules"}:
        assert np.array_equal(getattr(batch.rounds, name), getattr(other.rounds, name)), name


ODD: list[tuple[str, str]] = [  # a text of a line, and the text in its place
    ('"game": "', '"game": 7, "x": "'),
    ('"game": "', '"game": "\\ud800'),
    ('"game": "', '"game": "\\u00e9'),
    ('"game": "', '"game": "a\\": null'),
    ('"game": "', '"game": 1000000000000000000000000, "x": "'),
    ('"round": 1', '"round": 1, "round": 0'),
    ('"round": 1', '"round": 1.0'),
    ('"round": 1', '"round": "1"'),
    ('"round": 1', '"round": true'),
    ('"round": 1', '"round": -1'),
    ('"round": 1', '"round" : 1'),
    ('"round": 1', '"round": 1, "policy": "bis"'),
    ('"round": 1', '"round": 1, "player": null'),
    ('"round": 1', '"round": 1, "rules": "{}"'),
    ('"rules": {', '"rules": {"win": null, "approximate": 1e30, '),
    ('"winner": ', '"winner": 30'),
    ('"kind": "bot"', '"kind": "bot", "name": null'),
    ('"kind": "bot"', '"kind": "bot", "skill": 5'),
    ('"kind": "bot"', '"kind": "bot", "skill": "5"'),
    ('"kind": "bot"', '"kind": null'),
    ("}]", "}, 5]"),
    ("{", "[{"),
    ("{", "null"),
    ("{", " \t{"),
    ("{", ""),
]


@pytest.mark.parametrize("odd", ODD)
def test_lines_are_read_as_a_frame_like_records(log, records, monkeypatch, odd):
    old, new = odd
    line = json.dumps(records[1]) + "\n"
    wrong = line.replace(old, new, 1)
    assert wrong != line
    path = log(records[0], wrong, records[2])
    summary, (batch,), _ = checked(path)
    monkeypatch.setattr(reading, "frame_of_lines", lambda _: None)
    expected, (other,), _ = checked(path)
    assert (summary.record(), batch.bad) == (expected.record(), other.bad)
    assert records_of(batch.frame) == records_of(other.frame)


def test_cells_are_read_like_records(tmp_path, records):
    parquet, cells = tmp_path / "log.parquet", tmp_path / "log.csv"
    frame = frame_of(spoiled(records))
    frame.write_parquet(parquet)
    csv_of(cells, frame)
    summary, (batch,), _ = checked(cells)
    expected, (other,), _ = checked(parquet)
    assert batch.frame.equals(other.frame)
    assert [line - 1 for line in batch.bad] == list(other.bad), "the first line has the names of the columns"
    found = [[[one.name for one in faults] for faults in part.faults.values()] for part in (batch, other)]
    assert found[0] == found[1]
    assert summary.record()["uses"] == expected.record()["uses"]


@pytest.mark.parametrize(
    ("name", "cell", "text"),
    [
        ("bids", "3 3 2 2", 'bids is "3 3 2 2"; accepted: four bids'),
        ("round", "1.0", "round is 1.0; accepted"),
        ("round", '1,"winner":0', 'round is "1,\\"winner\\":0"; accepted'),
        ("format", '1}\n{"format":1', 'format is "1}'),
        ("labels", '[{"kind":"human","name":"Ann"},null,null,null]', 'labels/0/name is "Ann"; accepted'),
        ("game", None, "game is missing; accepted"),
    ],
)
def test_a_wrong_cell_is_named(tmp_path, records, name, cell, text):
    path = tmp_path / "log.csv"
    csv_of(path, frame_of(records[:3]))
    cells = polars.read_csv(path, infer_schema=False)
    cells[1, name] = cell
    cells.with_columns(player=polars.lit("ann")).write_csv(path)
    summary, (batch,), _ = checked(path)
    ((fault,),) = batch.faults.values()
    assert (fault.line, fault.name, len(batch.frame)) == (3, "form", 2)
    assert fault.text.startswith(text)
    assert summary.record()["dropped_fields"] == {"player": 3}


def test_a_row_of_another_length_is_named(tmp_path, records):
    path = tmp_path / "log.csv"
    csv_of(path, frame_of(records[:3]))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], f"{lines[2]},more", lines[3]]))
    with pytest.raises(BuildError, match=r"log.csv cannot .*: line 3 has 14 cells; accepted: 13, as many"):
        checked(path)


def test_columns_of_other_types_are_read_as_records(tmp_path, records):
    wide = frame_of(records[:30]).with_columns(
        polars.col("round").cast(polars.Int64), polars.col("bids").cast(polars.List(polars.Int64))
    )
    text = wide.with_columns(polars.col("round").cast(polars.String))
    found = []
    other = wide.with_columns(polars.lit(300).alias("winner"))  # null, if it became one byte
    for name, frame in (("wide", wide), ("text", text), ("other", other)):
        frame.write_parquet(tmp_path / f"{name}.parquet")
        found.append(checked(tmp_path / f"{name}.parquet"))
    assert (found[0][0].good, found[0][0].bad) == (30, 0)
    assert (found[1][0].good, found[1][0].bad) == (0, 30)
    assert (found[2][0].good, found[2][0].bad) == (0, 30)
