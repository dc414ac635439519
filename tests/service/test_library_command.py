"""`python -m spades`: the service's answers, from options or from a request on standard input."""

import io
import json
import subprocess
import sys
from argparse import ArgumentParser
from types import SimpleNamespace

import pytest

from arena.match_command import add_rules_arguments, rules_of
from spades import __version__
from spades.__main__ import COMMANDS, OPTIONS, main
from spades.contract import examples
from spades.contract.answer_text import bid_text, card_text, review_text
from spades.contract.bid_request import BidRequest
from spades.contract.card_request import CardRequest
from spades.contract.fields import POLICIES, Players, RuleSet, Scores, Style
from spades.rules import FIELDS
from tests.conftest import committed_tables

HAND = "AKJ62.AQ.Q.K9543"
ONLY_IN_JSON = {"seat", "explain", "tables", "game", "round_id", "player", "deals"}  # fields without an option


def send(monkeypatch, text, terminal=False):
    """Give ``text`` to the command on standard input."""
    stream = SimpleNamespace(buffer=io.BytesIO(text.encode()), isatty=lambda: terminal)
    monkeypatch.setattr("sys.stdin", stream)


def printed(capsys):
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("command", "path", "request_"),
    [
        ("bid", "/v1/bid", examples.REQUEST | {"convention": "Big5", "legal_bids": ["NIL", 4, 5], "seed": 3}),
        ("bid", "/v1/bid", examples.BRIEF_REQUEST),
        ("bid", "/v1/bid", examples.REQUEST | {"explain": "curve"}),
        ("bid", "/v1/bid", examples.LEVEL_REQUEST | {"explain": False}),
        ("bid", "/v1/bid", examples.CUTTHROAT_REQUEST),
        ("blind", "/v1/bid/blind", examples.BLIND_REQUEST | {"rules": {"blind_nil": True, "win": 400}}),
        ("pass", "/v1/pass", examples.PASS_REQUEST),
        ("card", "/v1/card", examples.CARD_REQUEST),
        ("infer", "/v1/inference", examples.INFERENCE_REQUEST),
        ("infer", "/v1/inference", examples.SPECTATOR_REQUEST | {"deals": 300, "seed": 4}),
    ],
)
@pytest.mark.parametrize("dash", [True, False])
def test_a_request_on_standard_input(monkeypatch, capsys, call, command, path, request_, dash):
    send(monkeypatch, json.dumps(request_))
    assert main([command, *["-"] * dash]) == 0
    assert printed(capsys) == call("POST", path, json=request_).json()


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        ("--previous 3,1", {"previous_bids": [3, 1]}),
        ("", {}),
        (
            "--previous nil --us 120 --them -95 --us-bags 3 --them-bags 5 --policy rb --preset bis-paper",
            {
                "previous_bids": ["nil"],
                "scores": {"us": 120, "them": -95, "us_bags": 3, "them_bags": 5},
                "policy": "rb",
                "rules": {"preset": "bis-paper"},
            },
        ),
        (
            "--previous=3 --preset=cutthroat --seats=120,-95,40,60 --bags=3,5,0,1",
            {
                "previous_bids": [3],
                "scores": {"seats": [120, -95, 40, 60], "bags": [3, 5, 0, 1]},
                "rules": {"preset": "cutthroat"},
            },
        ),
        (
            "--preset=pass-2 --rule win=300 --rule failed_nil_tricks=none --rule approximate=true",
            {"rules": {"preset": "pass-2", "win": 300, "failed_nil_tricks": "none", "approximate": True}},
        ),
        (
            "--level=2 --aggression=0.5 --nil-bias=-.3 --seed=7",
            {"level": 2, "style": {"aggression": 0.5, "nil_bias": -0.3}, "seed": 7},
        ),
        (
            "--policy=winprob --partner=weak --left=bis --right simple",
            {"policy": "winprob", "players": {"partner": "weak", "left": "bis", "right": "simple"}},
        ),
        ("--legal nil,3,4 --convention big5", {"legal_bids": ["nil", 3, 4], "convention": "big5"}),
    ],
)
def test_a_bid_by_options(capsys, call, arguments, request_):
    assert main(["bid", HAND, "--json", *arguments.split()]) == 0
    answer = call("POST", "/bid", json={"hand": HAND, "previous_bids": []} | request_).json()
    assert printed(capsys) == answer
    assert main(["bid", HAND, *arguments.split()]) == 0
    assert capsys.readouterr().out == bid_text(answer) + "\n"


def test_a_hand_with_commas(capsys):
    assert main(["bid", "KC,9C,5C,4C,3C,QD,AH,QH,AS,KS,JS,6S,2S", "--policy=best"]) == 0
    assert ", policy winprob, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        (
            "--bids=3,1,5,4 --seat=2 --tricks=KD-2D-QD-6D,4H-KH --us=120 --preset=short",
            examples.CARD_REQUEST | {"scores": {"us": 120}, "rules": {"preset": "short"}},
        ),
        (
            "--bids=3,1,5,4 --seat=2 --tricks=KD-2D-QD-6D,4H-KH --level=1 --seed=7",
            examples.CARD_REQUEST | {"level": 1, "seed": 7},
        ),
        (
            "--bids=nil,1,5,4 --seat=2 --tricks=KD-2D-QD-6D,4H-KH --preset=pass-2 --given=QH,AH --received=2H,3H",
            examples.CARD_REQUEST
            | {
                "bids": ["nil", 1, 5, 4],
                "rules": {"preset": "pass-2"},
                "given": ["QH", "AH"],
                "received": ["2H", "3H"],
            },
        ),
    ],
)
def test_a_card_by_options(capsys, call, arguments, request_):
    assert main(["card", HAND, "--json", *arguments.split()]) == 0
    answer = call("POST", "/v1/card", json=request_).json()
    assert printed(capsys) == answer
    assert main(["card", HAND, *arguments.split()]) == 0
    assert capsys.readouterr().out == card_text(answer) + "\n"


def test_every_field_is_an_option_or_only_in_json():
    objects = {"scores": Scores, "style": Style, "players": Players}
    fields = {*BidRequest.__annotations__, *CardRequest.__annotations__} - {"hand", "rules", *objects}
    fields |= {f"{name}.{field}" for name, model in objects.items() for field in model.__annotations__}
    assert fields == {option.field for option in OPTIONS} | ONLY_IN_JSON


def test_every_rule_has_one_name_everywhere(capsys, call):
    """In requests, in GET /v1/rules, on both command lines and on the page, which a test of its own compares."""
    assert set(RuleSet.__annotations__) == {"preset", "approximate", *FIELDS}
    assert set(call("GET", "/v1/rules").json()["fields"]) == set(FIELDS)
    for name, field in FIELDS.items():
        value = json.dumps(field.values.json_of(field.default))
        arguments = ArgumentParser()
        add_rules_arguments(arguments)
        assert rules_of(arguments.parse_args(["--preset=classic", "--rule", f"{name}={value}"])).nil_points == 100
    every = [f"--rule={name}={json.dumps(field.values.json_of(field.default))}" for name, field in FIELDS.items()]
    assert main(["bid", HAND, *every]) == 0
    assert main(["bid", HAND, "--rule", "moons=3"]) == 2
    assert "/rules/moons: rules.moons is not a field" in capsys.readouterr().err


def test_faults_go_to_stderr_all_at_once(capsys):
    assert main(["bid", "AKJ62.AQ.Q.K954", "--previous", "14", "--policy", "strongest"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0] == "python -m spades bid: /hand: hand has 12 cards; accepted: 13"
    assert [line.split(": ")[1] for line in lines] == ["/hand", "/previous_bids/0", "/policy"]


@pytest.mark.parametrize(
    ("command", "text", "complaint"),
    [
        ("pass", json.dumps(examples.PASS_REQUEST | {"rules": {}}), "/rules/nil_pass: nil_pass is 0; accepted: 1..4"),
        ("card", json.dumps(examples.SEARCH_REQUEST), "/player: player is search@3, which only a server plays"),
        ("bid", json.dumps(examples.REQUEST | {"tables": "1.7"}), "/tables: tables is 1.7; accepted: "),
        ("blind", "[]", "the request is an array; accepted: an object"),
        ("blind", "", "standard input is empty; accepted: one request"),
        ("bid", '{"hand": NaN}', "standard input is not JSON: found NaN"),
        ("bid", "[" * 100_000, "standard input is not JSON: "),
        ("infer", "\udcff", "standard input is not JSON: "),
    ],
)
def test_what_is_wrong_with_standard_input(monkeypatch, capsys, command, text, complaint):
    stream = SimpleNamespace(buffer=io.BytesIO(text.encode("utf-8", "surrogateescape")), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", stream)
    assert main([command]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"python -m spades {command}: {complaint}")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "the command is missing; accepted: bid, card, pass, blind, infer"),
        (["bid"], "the request is missing; accepted: HAND, or a request as JSON on standard input"),
        (["infer"], "the request is missing; accepted: a request as JSON on standard input"),
        (["bid", "--us", "3"], "--us is present, but no HAND; accepted: "),
        (["card", "-", "--rule", "win=300"], "--rule is present, but no HAND; accepted: "),
        (["card", HAND], "--bids is missing; accepted: the four bids"),
        (["card", HAND, "--bids=3,1,5,4"], "--seat is missing; accepted: your place in the bidding order, 0 to 3"),
        (["bid", HAND, "--us", "1_0"], "argument --us: invalid integer value: '1_0'"),
        (["bid", HAND, "--seats", "1_0,0,0,0"], "argument --seats: invalid numbers value: '1_0,0,0,0'"),
        (["bid", HAND, "--previous", "3;1"], "argument --previous: invalid bids value: '3;1'"),
        (["bid", HAND, "--aggression", "1e-1"], "argument --aggression: invalid decimal value: '1e-1'"),
        (["bid", HAND, "--prev", "3"], "unrecognized arguments: --prev 3"),
        (["blind", "x"], "argument -: invalid choice: 'x'"),
    ],
)
def test_wrong_arguments(monkeypatch, capsys, arguments, complaint):
    send(monkeypatch, "{}", terminal=True)
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "usage: python -m spades" in err
    assert f"error: {complaint}" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help(capsys, command):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"usage: python -m spades {command}" in text
    assert "example" in text
    if command == "bid":
        assert ", ".join(POLICIES) in text


def test_the_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"spades-bidding {__version__}, tables {committed_tables().version}\n"


def test_other_tables(capsys, made_sets, tmp_path):
    folder, (one, *_) = made_sets
    assert main(["bid", HAND, "--json", "--tables", str(folder / one)]) == 0
    assert printed(capsys)["tables"] == one
    assert main(["bid", HAND, "--tables", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"python -m spades: {tmp_path / 'manifest.json'}: not found")
    assert len(err.splitlines()) == 1


def test_without_pydantic_it_says_what_to_install():
    code = "import sys; sys.modules['pydantic'] = None; import runpy; runpy.run_module('spades', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "python -m spades needs pydantic, the library's extra `json`: pip install pydantic\n"


def test_a_bid_as_text_by_hand():
    answer = {
        "bid": 6,
        "kind": "regular",
        "policy": "bis",
        "tables": "t",
        "assumed": ["scores"],
        "explanation": {
            "regular": {"side_high": {"H": 0.9908, "D": 0.0}, "takes": 6, "spent": True, "lost": None},
            "later": [1, 2],
            "adjustments": [{"rule": "one-less", "before": 6, "after": 5, "why": "it wins with one less"}],
            "candidates": [{"bid": 5, "p_win": 0.5}],
            "reasons": [{"code": "bid", "bid": 6}],
            "sentence": "Takes 6.",
        },
    }
    assert bid_text(answer).splitlines() == [
        "bid 6 (regular), policy bis, tables t",
        "assumed: scores",
        "",
        "Takes 6.",
        "",
        "regular",
        "  side high  H 0.9908   D 0",
        "  takes      6",
        "  spent      yes",
        "  lost       -",
        "",
        "later: 1, 2",
        "",
        "adjusted by one-less: 6 -> 5",
        "  it wins with one less",
        "",
        "candidates",
        "  bid 5   p win 0.5",
    ]


def test_a_card_as_text_by_hand():
    answer = {
        "card": "AH",
        "player": "p@1",
        "legal": ["QH", "AH"],
        "assumed": [],
        "reasons": [{"code": "a", "sentence": "First."}, {"code": "b", "sentence": "Second."}],
    }
    assert card_text(answer) == "play AH (player p@1)\n\nFirst.\nSecond.\n\nlegal cards: QH, AH"


def test_a_review_of_a_file(tmp_path, monkeypatch, capsys, call):
    file, text = tmp_path / "round.json", json.dumps(examples.REVIEW_REQUEST)
    file.write_text(text)
    answer = call("POST", "/v1/review", json=examples.REVIEW_REQUEST).json()
    assert main(["review", str(file), "--json"]) == 0
    assert printed(capsys) == answer
    assert main(["review", str(file)]) == 0
    assert capsys.readouterr().out == review_text(answer) + "\n"
    send(monkeypatch, text)
    assert main(["review", "-"]) == 0
    assert capsys.readouterr().out == review_text(answer) + "\n"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "can't be read: No such file or directory; accepted: a file with a JSON object"),
        ("", "is empty; accepted: one request as a JSON object"),
        ("{}", "/hands: hands is missing"),
    ],
)
def test_files_that_cannot_be_reviewed(tmp_path, capsys, content, error):
    file = tmp_path / "round.json"
    if content is not None:
        file.write_text(content)
    assert main(["review", str(file)]) == 2
    assert error in capsys.readouterr().err
