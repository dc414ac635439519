"""`python -m service bid` and the argument checks."""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser

import pytest

from service.__main__ import REQUESTS, main
from service.address import check_exposure
from service.breakdown import breakdown
from service.keys import new_key, read_keys
from service.request_arguments import written
from service.settings import Settings, SettingsError
from spades.contract import examples
from spades.contract.examples import CARD_REQUEST
from spades.contract.fields import POLICIES, RuleSet
from spades.rules import FIELDS
from tables.arena.arena_command import add_rules_arguments, rules_of
from tests.conftest import committed_tables

_HAND = "AKJ62.AQ.Q.K9543"


def test_json_is_what_the_service_answers(capsys, call):
    assert main(["bid", _HAND, "--previous", "3,1", "--json"]) == 0
    request = {"hand": _HAND, "previous_bids": [3, 1]}
    assert json.loads(capsys.readouterr().out) == call("POST", "/bid", json=request).json()


def _arguments_of(request):
    """The command line for a request."""
    arguments = [written(request["hand"])] if "hand" in request else []
    given = {name: value for name, value in request.items() if name not in ("hand", "scores", "rules")}
    rules = dict(request.get("rules", {}))
    given |= request.get("scores", {}) | ({"preset": rules.pop("preset")} if "preset" in rules else {})
    arguments += [f"--{name.replace('_', '-')}={written(value)}" for name, value in given.items()]
    return arguments + [f"--rule={name}={json.dumps(value)}" for name, value in rules.items()]


@pytest.mark.parametrize(
    ("command", "path", "request_body"),
    [
        ("bid", "/v1/bid", examples.REQUEST | {"convention": "Big5", "legal_bids": ["NIL", 4, 5], "seed": 3}),
        ("bid", "/v1/bid", examples.BRIEF_REQUEST),
        ("bid", "/v1/bid", examples.REQUEST | {"explain": "curve"}),
        ("bid", "/v1/bid", examples.LEVEL_REQUEST | {"explain": False}),
        ("bid", "/v1/bid", examples.CUTTHROAT_REQUEST),
        ("blind", "/v1/bid/blind", examples.BLIND_REQUEST | {"rules": {"blind_nil": True, "win": 400}}),
        ("pass", "/v1/pass", examples.PASS_REQUEST),
        ("card", "/v1/card", examples.CARD_REQUEST),
        ("inference", "/v1/inference", examples.INFERENCE_REQUEST),
        ("inference", "/v1/inference", examples.SPECTATOR_REQUEST),
    ],
)
def test_every_field_has_an_option(capsys, call, command, path, request_body):
    json_option = ["--json"] if command == "bid" else []
    assert main([command, *_arguments_of(request_body), *json_option]) == 0
    assert json.loads(capsys.readouterr().out) == call("POST", path, json=request_body).json()
    if command == "bid":
        assert main([command, *_arguments_of(request_body)]) == 0


@pytest.mark.parametrize("command", REQUESTS)
def test_the_help_has_every_field_and_policy_and_its_examples_are_read(capsys, command):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out
    model, example = REQUESTS[command]
    for name in set(model.__annotations__) - {"rules", "scores", "hand"}:
        assert f"--{name.replace('_', '-')} " in text
    if command in ("bid", "blind"):
        assert all(f"{policy}," in text or f"{policy} (" in text for policy in POLICIES)
    assert set(example) <= set(model.__annotations__)


def test_the_versions(capsys, call):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    served = call("GET", "/version").json()
    service, tables = served["service"], served["tables"]["version"]
    assert capsys.readouterr().out == f"spades-bidding-service {service}, tables {tables}\n"


def test_the_version_of_broken_tables(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("service.__main__.DEFAULT_DIRECTORY", tmp_path)
    assert main(["--version"]) == 1
    assert capsys.readouterr().err.startswith(f"service: {tmp_path / 'manifest.json'}: not found")


@pytest.mark.parametrize(
    "arguments",
    [
        ["service", "--version"],
        ["service", "--help"],
        ["service", "bid", _HAND],
        ["service", "key", "me"],
        ["tables", "--help"],
        ["tables", "arena", "--help"],
        ["loadtest", "--help"],
    ],
)
def test_a_closed_pipe_is_no_error(arguments):
    """As in `... | head -1`, whose reader ends early."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([sys.executable, "-m", *arguments], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 141)  # argparse itself ignores the error


def test_every_option_is_passed_on(capsys, call):
    arguments = ["--us=120", "--them=-95", "--us-bags=3", "--them-bags=5", "--policy=rb", "--preset=bis-paper"]
    assert main(["bid", _HAND, "--previous", "nil", "--json", *arguments]) == 0
    request = {
        "hand": _HAND,
        "previous_bids": ["nil"],
        "seat": 1,
        "scores": {"us": 120, "them": -95, "us_bags": 3, "them_bags": 5},
        "policy": "rb",
        "rules": {"preset": "bis-paper"},
    }
    assert json.loads(capsys.readouterr().out) == call("POST", "/bid", json=request).json()


def test_tables_by_name(capsys, monkeypatch, made_sets):
    directory, (one, two, _) = made_sets
    monkeypatch.setenv("SPADES_TABLES_DIR", str(directory))
    monkeypatch.setenv("SPADES_TABLES_VERSION", one)
    for arguments, version in (([], one), (["--tables", two], two)):
        assert main(["bid", _HAND, "--json", *arguments]) == 0
        assert json.loads(capsys.readouterr().out)["tables"] == version
        assert main(["blind", *arguments]) == 0
        assert json.loads(capsys.readouterr().out)["tables"] == version
    assert main(["bid", _HAND, "--tables", "1.7"]) == 1
    assert capsys.readouterr().err.startswith(f"service: tables is '1.7'; expected one of {one}, {two}")


def test_rules_by_name(capsys, call):
    arguments = [
        "--preset=pass-2",
        "--rule",
        "win=300",
        "--rule",
        "failed_nil_tricks=none",
        "--rule",
        "approximate=true",
    ]
    assert main(["bid", _HAND, "--json", *arguments]) == 0
    rules = {"preset": "pass-2", "win": 300, "failed_nil_tricks": "none", "approximate": True}
    request = {"hand": _HAND, "previous_bids": [], "seat": 0, "rules": rules}
    assert json.loads(capsys.readouterr().out) == call("POST", "/bid", json=request).json()


def test_every_rule_has_one_name_everywhere(capsys, call):
    """In requests, in GET /v1/rules, on both command lines and on the page, which a test of its own compares."""
    assert set(RuleSet.__annotations__) == {"preset", "approximate", *FIELDS}
    assert set(call("GET", "/v1/rules").json()["fields"]) == set(FIELDS)
    for name, field in FIELDS.items():
        value = json.dumps(field.values.json_of(field.default))
        arguments = ArgumentParser()
        add_rules_arguments(arguments)
        assert rules_of(arguments.parse_args(["--preset=classic", "--rule", f"{name}={value}"])).nil_points == 100
        assert main(["bid", _HAND, "--rule", f"{name}={value}"]) == 0
    assert main(["bid", _HAND, "--rule", "moons=3"]) == 2
    assert "/rules/moons" in capsys.readouterr().err


def test_a_card(capsys, call):
    arguments = ["card", _HAND, "--bids=3,1,5,4", "--seat=2", "--tricks=KD-2D-QD-6D,4H-5H"]
    assert main([*arguments, "--us=120", "--preset=short"]) == 0
    request = CARD_REQUEST | {"scores": {"us": 120}, "rules": {"preset": "short"}}
    assert json.loads(capsys.readouterr().out) == call("POST", "/v1/card", json=request).json()
    passed = ["--bids=nil,1,5,4", "--preset=pass-2", "--given=QH,AH", "--received=2H,3H"]
    assert main([*arguments[:2], *arguments[3:], *passed]) == 0
    assert json.loads(capsys.readouterr().out)["legal"] == ["2H", "3H"]
    assert main([*arguments[:3], "--seat=1", "--tricks="]) == 2
    assert "seat 0 plays next" in capsys.readouterr().err


def test_cards_to_pass(capsys, call):
    hand = "K83.T64.9732.J64"
    assert main(["pass", hand, "--bids=nil,4,5,3", "--seat=0", "--preset=pass-2"]) == 0
    request = {"hand": hand, "bids": ["nil", 4, 5, 3], "seat": 0, "rules": {"preset": "pass-2"}}
    assert json.loads(capsys.readouterr().out) == call("POST", "/v1/pass", json=request).json()
    assert main(["pass", hand, "--bids=nil,4,5,3", "--seat=0"]) == 2
    assert "nil_pass is 0; accepted: 1..4" in capsys.readouterr().err


def test_scores_by_seat(capsys, call):
    arguments = ["--previous=3", "--preset=cutthroat", "--seats=120,-95,40,60", "--bags=3,5,0,1"]
    assert main(["bid", _HAND, "--json", *arguments]) == 0
    request = {
        "hand": _HAND,
        "previous_bids": [3],
        "seat": 1,
        "scores": {"seats": [120, -95, 40, 60], "bags": [3, 5, 0, 1]},
        "rules": {"preset": "cutthroat"},
    }
    assert json.loads(capsys.readouterr().out) == call("POST", "/bid", json=request).json()
    assert main(["bid", _HAND, "--preset=cutthroat", "--us=3", "--seats=1,2"]) == 2
    err = capsys.readouterr().err
    assert "/scores/us: " in err
    assert "/scores/seats: " in err


@pytest.mark.parametrize("policy", ["bis", "rb", "ms", "io"])
def test_text_holds_bid_and_sentence(capsys, policy):
    assert main(["bid", _HAND, "--policy", policy, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert main(["bid", _HAND, "--policy", policy]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"bid {answer['bid']} ({answer['kind']}), policy {policy}, tables {answer['tables']}\n")
    assert answer["explanation"]["sentence"] in text
    assert "assumed: rules.preset, scores" in text


def test_faults_go_to_stderr_all_at_once(capsys):
    assert main(["bid", "AKJ62.AQ.Q.K954", "--previous", "14", "--policy", "strongest"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "/hand: hand has 12 cards; accepted: 13 (hand-size)" in err
    assert "(bid-out-of-range)" in err
    assert "(unknown-policy)" in err


def test_broken_tables_and_settings_are_one_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_TABLES_DIR", str(tmp_path))
    assert main(["bid", _HAND]) == 1
    err = capsys.readouterr().err
    assert "manifest.json" in err
    assert "expected" in err
    assert len(err.splitlines()) == 1
    monkeypatch.setenv("SPADES_TABLES_DIR", str(tmp_path / "none"))
    assert main(["serve"]) == 1
    assert "SPADES_TABLES_DIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["serve", "--port", "70000"],
        ["serve", "--port", "x"],
        ["serve", "--workers", "0"],
        ["bid"],
        ["bid", _HAND, "--us", "1_0"],
        ["bid", _HAND, "--us", "١"],
        ["bid", _HAND, "--level", " 1 "],
        ["bid", _HAND, "--seats", "1_0,0,0,0"],
        ["bid", _HAND, "--style", "aggression=1e-1"],
        ["bid", _HAND, "--style", "aggression=nan"],
        ["key", "me", "--rate", "inf"],
    ],
)
def test_wrong_arguments(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_serving_others_without_keys_must_be_said(capsys, monkeypatch):
    assert main(["serve", "--host", "0.0.0.0"]) == 1
    err = capsys.readouterr().err
    assert "--allow-unauthenticated" in err
    assert "SPADES_API_KEYS_FILE" in err
    assert len(err.splitlines()) == 1


def test_who_may_listen_where(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(new_key("one").line)
    for host in ("127.0.0.1", "127.1.2.3", "::1", "localhost"):
        check_exposure(Settings(), host, allowed=False)
    for host in ("0.0.0.0", "::", "", "192.0.2.1", "no-such-host.invalid"):
        with pytest.raises(SettingsError, match="set SPADES_API_KEYS_FILE"):
            check_exposure(Settings(), host, allowed=False)
        check_exposure(Settings(), host, allowed=True)
        check_exposure(Settings(api_keys_file=keys), host, allowed=False)


def test_key_makes_a_line_that_the_service_reads(capsys, tmp_path):
    assert main(["key", "table-server", "--rate", "50"]) == 0
    line, explained = capsys.readouterr()
    secret = explained.partition(": ")[2].strip()
    path = tmp_path / "keys"
    path.write_text(line)  # as `>>` does
    found = read_keys(path, 0.0).find(f"Bearer {secret}".encode())
    assert found is not None
    assert found.name == "table-server"
    assert main(["key", "a b"]) == 2
    assert "name is 'a b'" in capsys.readouterr().err


def test_the_version_of_a_table_set(capsys, made_sets, tmp_path):
    folder, versions = made_sets
    assert main(["tables-version"]) == 0
    for version in versions:
        assert main(["tables-version", str(folder / version)]) == 0
    assert capsys.readouterr().out.splitlines() == [committed_tables().version, *versions]
    assert main(["tables-version", str(tmp_path)]) == 1
    assert f"{tmp_path / 'manifest.json'}: not found" in capsys.readouterr().err


def test_breakdown_by_hand():
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
    assert breakdown(answer).splitlines() == [
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
