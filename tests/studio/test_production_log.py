"""Logs of production: a real server logs bids and results, and `studio check` joins them into the rounds played."""

import json
import signal
from pathlib import Path

import httpx
import pytest

from arena.errors import BuildError
from studio.__main__ import main
from studio.decision_log import CONTRADICTION, NO_BIDS, NO_DECISION, Collector
from studio.reading import AGAIN, FORM, RULES, joined, read_all
from studio.rounds import Keys, Names
from tests.servers import START_S, running_server
from tests.studio.test_logs import games, records_of

pytestmark = pytest.mark.compiled
HANDS = ["62.KQT7.QJ9742.A", "JT9.AJ42.K.KQJ32", "AQ8.65.AT8.T9874", "K7543.983.653.65"]
WHO = {"policy": "bis", "tables": "2026.11.9+fedcf0a0"}


def request(seat=0, round_id="r", **changes):
    bids = [3, 3, 2, 2]
    made = {"round_id": round_id, "seat": seat, "previous_bids": bids[:seat], "hand": HANDS[seat]}
    return {name: value for name, value in (made | changes).items() if value is not ...}


def decision(seat=0, bid=None, **changes):
    made = {"format": 1, "record": "decision", "time": f"2026-11-02T18:03:1{seat}Z", **WHO}
    return made | {"bid": [3, 3, 2, 2][seat] if bid is None else bid, "request": request(seat, **changes)}


def result(seat=0, round_id="r", **fields):
    made = {"format": 1, "record": "result", "time": "2026-11-02T18:05:00Z", **WHO, "round_id": round_id, "seat": seat}
    return made | fields


@pytest.fixture
def found(tmp_path):
    """A function that reads files of records: the rounds and the faults, as (name, text)."""

    def read_files(*files):
        paths = []
        for number, records in enumerate(files):
            path = tmp_path / f"{number}.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
            paths.append(path)
        names, keys = Names(), Keys()
        collector = Collector()
        batches = list(read_all(paths, names, keys, "test", collector))
        batches += joined(collector.records(), names, keys, collector.counts)
        faults = [(one.name, one.text) for batch in batches for part in batch.faults.values() for one in part]
        return [record for batch in batches for record in records_of(batch.frame)], faults

    return read_files


# ---- a real server --------------------------------------------------------------------------------------------------


def bids_and_results(url: str, records: list[dict]) -> None:
    """Ask for the bids of side a, as in the games that were played, and post what became of them."""
    results = []
    with httpx.Client(base_url=url) as client:
        for number, record in enumerate(records):
            mine = [seat for seat in range(4) if record["labels"][seat]["policy"] == "bis"]
            for seat in mine:
                side = seat & 1
                scores = {"us": record["scores"][side], "them": record["scores"][1 - side]}
                scores |= {"us_bags": record["bags"][side], "them_bags": record["bags"][1 - side]}
                asked = {"hand": record["hands"][seat], "previous_bids": record["bids"][:seat]}
                asked |= {"seat": seat} if number % 2 else {}
                asked |= {"scores": scores, "rules": record["rules"], "round_id": f"round {number}"}
                if number % 3 == 0:
                    answer = client.post("/v1/bids", json={"requests": [asked]}).json()["answers"][0]["body"]
                else:
                    answer = client.post("/v1/bid", content=json.dumps(asked, indent=number % 2 or None)).json()
                assert answer["bid"] == record["bids"][seat]
                outcome = {name: answer[name] for name in WHO} | {"round_id": f"round {number}", "seat": seat}
                outcome |= {name: record[name] for name in ("bids", "tricks", "game", "round")}
                if record["bids"][seat] == 0:
                    outcome["p_nil_made"] = answer["explanation"]["nil"]["probability"]
                    outcome["nil_made"] = record["tricks"][seat] == 0
                if "winner" in record:
                    outcome["won"] = record["winner"] == side
                results += [outcome] * (1 + (number % 5 == 0))  # some are posted twice
        posted = client.post("/v1/results", json={"results": results})
        assert posted.json() == {"accepted": len(results), "refused": []}


@pytest.fixture(scope="module")
def played() -> list[dict]:
    return games(n=12)


def test_a_log_of_production_holds_the_rounds_that_were_played(played, tmp_path, capsys):
    path = tmp_path / "decisions.jsonl"
    settings = {"SPADES_DECISION_LOG": str(path), "SPADES_DECISION_LOG_MIB": "1"}
    with running_server(**settings) as server:
        bids_and_results(server.url, played)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0
    assert main(["check", str(path), "--json", "--out", str(tmp_path / "out")]) == 0
    summary = json.loads(capsys.readouterr().out)
    nils = sum(any(not r["bids"][seat] for seat in range(4) if r["labels"][seat]["policy"] == "bis") for r in played)
    rounds = len(played)
    assert (summary["good"], summary["bad"], summary["dropped_fields"]) == (rounds, 0, {})
    assert summary["joined"]["decisions"] == 2 * rounds
    assert summary["joined"]["repeats"] == 2 * len(range(0, rounds, 5))
    assert summary["uses"]["success curves of nils"] == nils > 0
    assert summary["uses"]["mean bids"] == summary["uses"]["win tables"] == summary["uses"]["ace of spades"] == rounds
    assert summary["seats_by_label"] == {"kind=bot,policy=bis": 2 * rounds, "no label": 2 * rounds}
    out = sorted((tmp_path / "out").iterdir())
    batches = read_all(out, Names(), Keys(), "test")
    written: dict[tuple, dict] = {
        (one["game"], one["round"]): dict(one) for batch in batches for one in records_of(batch.frame)
    }
    for record in played:
        one = written[record["game"], record["round"]]
        for name in ("bids", "tricks", "scores", "bags", "rules", "winner"):
            assert one.get(name) == record.get(name), name
        for seat in range(4):
            ours = record["labels"][seat]["policy"] == "bis"
            assert one["hands"][seat] == (record["hands"][seat] if ours else None)
    with pytest.raises(BuildError, match=r"decisions.jsonl:1 is a record of a decision log; accepted: rounds"):
        list(read_all([path], Names(), Keys(), "test"))


# ---- joining --------------------------------------------------------------------------------------------------------


def test_records_of_a_round_may_be_in_several_files_and_in_any_order(found):
    scores = {"us": 123.0, "them": 95, "us_bags": 3, "them_bags": 5}
    last = decision(3, scores={"us": 95, "them": 123, "us_bags": 5, "them_bags": 3}, rules={"win": 200.0})
    rounds, faults = found(
        [result(3, won=True, game="g", round=4), last],
        [result(0, tricks=[3, 4, 3, 3], nil_made=None)],
        [decision(0, scores=scores, rules={"preset": "classic", "win": 200}), decision(0, round_id="other")],
    )
    assert [name for name, _ in faults] == [NO_BIDS]
    assert rounds == [
        {
            "format": 1,
            "game": "g",
            "round": 4,
            "bids": [3, 3, 2, 2],
            "time": "2026-11-02T18:03:10Z",
            "rules": {"preset": "classic", "win": 200},
            "hands": [HANDS[0], None, None, HANDS[3]],
            "tricks": [3, 4, 3, 3],
            "scores": [123, 95],
            "bags": [3, 5],
            "labels": [{"kind": "bot", "policy": "bis"}, None, None, {"kind": "bot", "policy": "bis"}],
            "winner": 1,
        }
    ]


def test_a_round_without_results_and_without_a_game(found):
    cards = ["KS", "7s", "5S", "4S", "3S", "9H", "8H", "3h", "6D", "5D", "3D", "6C", "5C"]
    last = decision(3, hand=cards, previous_bids=["nil", 3, 2.0])
    (one,), faults = found([last, last | {"time": "2026-11-02T18:03:59Z"}])
    assert faults == []
    assert (one["game"], one["round"], one["bids"]) == ("r", 0, [0, 3, 2, 2])
    assert one["hands"] == [None, None, None, HANDS[3]]
    assert not {"scores", "bags", "tricks", "winner", "rules"} & one.keys()


@pytest.mark.parametrize(
    ("records", "fault", "text"),
    [
        ([result(bids=[3, 3, 2, 2])], NO_DECISION, "1 results and no decision"),
        ([decision(0), decision(2)], NO_BIDS, "not all four bids are known"),
        ([decision(0), decision(0, bid=4)], CONTRADICTION, "seat 0 has two decisions, which differ in bid 3 and 4"),
        ([decision(0), result(bids=[4, 3, 2, 2])], CONTRADICTION, "bids are [4, 3, 2, 2], but the request of seat 0"),
        ([decision(3), decision(2, previous_bids=[3, 4])], CONTRADICTION, "of seat 2 and its answer say [3, 4, 2]"),
        ([decision(3), decision(1, rules={"win": 300})], CONTRADICTION, "rules is"),
        ([decision(3, scores={"us": 5, "them": 7}), decision(1, scores={"us": 7, "them": 5})], CONTRADICTION, "scores"),
        ([decision(3), result(won=True), result(1, won=True)], CONTRADICTION, "winner is 0 in one record and 1"),
        ([decision(3, game="a"), result(game="b")], CONTRADICTION, "game is a in one record and b in another"),
        ([decision(3), result(game="a"), result(game="b")], CONTRADICTION, "game is a in one record and b in another"),
        ([decision(3, rules={"preset": "jokers"}, hand="LB6.Q98.AQ.K9543")], RULES, "accepted in a log"),
        ([decision(3), decision(1, hand=HANDS[3])], "card-twice", "is in two hands"),
        (
            [decision(2, previous_bids=[3, 3, 2])],
            FORM,
            "request/seat is 2 after 3 previous bids; accepted: 3, or leave",
        ),
        ([decision(3, hand="5H")], FORM, "request/hand: "),
        ([decision(3, hand=...)], FORM, "request/hand is missing"),
        ([decision(3, previous_bids=[3, "four", 2])], FORM, "request/previous_bids/1 is 'four'"),
        ([decision(3) | {"bid": 30}], FORM, "bid is 30; accepted: "),
        ([decision(3, round_id=...)], FORM, "request/round_id is missing"),
        ([result(7)], FORM, "seat is 7; accepted: "),
        ([result(0, dropped="many")], FORM, 'dropped is "many"; accepted: '),
        ([decision(3), decision(3, hand=HANDS[1])], CONTRADICTION, "differ in hand; accepted: one"),
    ],
)
def test_what_cannot_be_joined_is_named(found, records, fault, text):
    rounds, faults = found(records)
    assert rounds == []
    assert [name for name, _ in faults] == [fault]
    assert text in faults[0][1]


def test_words_of_rules_in_any_case(found):
    rules = [{"preset": "short"}, {"preset": "Short", "failed_nil_tricks": "BAGS"}]
    (record,), faults = found([decision(1, rules=rules[1]), decision(3, rules=rules[0]), result(bids=[3, 3, 2, 2])])
    assert faults == []
    assert record["rules"] in [{name: value.lower() for name, value in one.items()} for one in rules]


def test_two_round_ids_of_one_round(found):
    named = {"game": "g", "round": 0}
    _, faults = found([decision(3), result(**named), decision(3, round_id="s"), result(round_id="s", **named)])
    assert faults == [(AGAIN, "round 0 of game 'g' again; accepted: each round once")]


def test_rounds_of_a_game_whose_results_are_missing(found):
    """As when the answer to their results was lost, or if a caller names games for a canary and posts no results."""
    with_results = [decision(3, game="g", round_id="first"), result(round_id="first", game="g", round=0)]
    rounds, faults = found([*with_results, *(decision(3, game="g", round_id=name) for name in ("second", "third"))])
    assert faults == []
    assert [(one["game"], one["round"]) for one in rounds] == [("g", 0), ("second", 0), ("third", 0)]


def test_records_with_a_fault_are_written_aside(tmp_path: Path, capsys):
    path, bad = tmp_path / "log.jsonl", tmp_path / "bad.jsonl"
    lines = [decision(0), result(5), {"record": "another"}, decision(1, name="someone") | {"dropped": 3, "name": "x"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["check", str(path), "--bad", str(bad)]) == 1
    out = capsys.readouterr().out
    assert "Joined from 2 decisions and 0 results, of which 0 were repeats. The service dropped 3 lines." in out
    written = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [(one["line"], one["faults"][0]["fault"]) for one in written] == [(2, FORM), (3, FORM), (1, NO_BIDS)]
    assert [one["bid"] for one in written[2]["record"]["records"]] == [3, 3]
    assert "someone" not in bad.read_text()
    assert '"x"' not in bad.read_text()
