"""The comparison on made-up answers, the requests, and one server compared with itself."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import LIMIT_S
from tests.same_answers.__main__ import ask_both, examples, report
from tests.same_answers.catalogue import Catalogue, catalogue_of
from tests.same_answers.client import Answer, Request
from tests.same_answers.commands import MATCHES, Command, Printed
from tests.same_answers.comparison import Difference, differences_of, places_of
from tests.same_answers.differences import DECLARED, Declared, Tally
from tests.same_answers.requests import BATCH_ITEMS, batches, make_requests
from tests.same_answers.trees import ROOT, checked_out, default_base, git, running_service, tree_of
from tests.structure.test_structure import PACKAGES

REQUEST = Request("made up", "/v1/bid", b'{"hand":"AKJ62.AQ.Q.K9543","previous_bids":[],"seat":0}')
BODY = {"bid": 6, "kind": "regular", "tables": "1", "explanation": {"regular": {"estimate": 5.5}, "sentence": "Six."}}


def answer(body: object, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    kind = "application/json" if status < 400 else "application/problem+json"
    return Answer(status, {"content-type": kind, **dict(headers)}, json.dumps(body).encode())


def problem(*faults: tuple[str, str, str], kind: str = "/problems/invalid-request", detail: str = "no") -> Answer:
    errors = [{"pointer": pointer, "code": code, "detail": text} for pointer, code, text in faults]
    return answer({"type": kind, "title": "x", "status": 422, "detail": detail, "errors": errors}, 422)


def found(base: Answer, new: Answer, request: Request = REQUEST) -> list[str]:
    return [difference.where for difference in differences_of(request, base, new)]


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({}, []),
        ({"bid": 5}, ["/bid"]),
        ({"bid": 6.0}, ["/bid"]),
        ({"kind": "nil", "bid": 0}, ["/bid", "/kind"]),
        ({"tables": "2"}, ["/tables"]),
        ({"more": None}, ["/more"]),
        (
            {"explanation": {"regular": {"estimate": 5.500000000000001}, "sentence": "Six."}},
            ["/explanation/regular/estimate"],
        ),
        ({"explanation": None}, ["/explanation"]),
    ],
)
def test_every_changed_value_of_an_answer_is_found(changes, where):
    assert found(answer(BODY), answer(BODY | changes)) == where


def test_the_order_of_members_is_free():
    assert found(answer(BODY), answer(dict(reversed(BODY.items())))) == []


FAULTS = (("/seat", "out-of-range", "seat is 4"), ("/hand", "hand-size", "12 cards"))


def test_texts_of_errors_are_free():
    new = problem(*((pointer, code, "another text") for pointer, code, _ in FAULTS), detail="other")
    assert found(problem(*FAULTS), new) == []


@pytest.mark.parametrize(
    ("new", "where"),
    [
        (problem(FAULTS[1], FAULTS[0]), ["faults"]),
        (problem(FAULTS[0]), ["faults"]),
        (problem(FAULTS[0], ("/hand", "unknown-card", "12 cards")), ["faults"]),
        (problem(FAULTS[0], ("/hand/0", "hand-size", "12 cards")), ["faults"]),
        (problem(*FAULTS, kind="/problems/invalid-json"), ["type"]),
        (answer(BODY), ["status"]),
    ],
)
def test_order_pointers_and_codes_of_faults_are_not(new, where):
    assert found(problem(*FAULTS), new) == where


def test_headers_are_compared_but_for_those_that_always_change():
    base = answer(BODY, 200, (("date", "now"), ("connection", "close"), ("x-request-id", "a")))
    assert found(base, answer(BODY, 200, (("date", "then"), ("connection", "close"), ("x-request-id", "b")))) == []
    assert found(base, answer(BODY, 200, (("date", "now"),))) == ["header connection", "header x-request-id"]


def test_in_a_batch_the_changed_item_is_found():
    items = tuple(Request("item", "/v1/bids", body_of_item(seat)) for seat in range(3))
    batch = Request("batch", "/v1/bids", b"", items=items)
    good = {"status": 200, "body": BODY}
    base = answer({"answers": [good, good, {"status": 422, "body": problem(*FAULTS).json}]})
    new = answer(
        {"answers": [good, {"status": 200, "body": BODY | {"bid": 5}}, {"status": 422, "body": problem().json}]}
    )
    differences = differences_of(batch, base, new)
    assert [(one.question, one.where) for one in differences] == [(items[1], "/bid"), (items[2], "faults")]
    assert differences_of(batch, base, base) == []


def body_of_item(seat: int) -> bytes:
    return json.dumps({"seat": seat}).encode()


def test_declared_differences_are_counted_and_others_reported(capsys):
    tables = Declared("tables", "new tables", lambda difference: difference.where == "/tables")
    never = Declared("never", "an old change", lambda difference: difference.where == "/x")
    tally = Tally((tables, never))
    for _ in range(2):
        tally.add(differences_of(Request("x", "/bid", b"{}"), answer(BODY), answer(BODY | {"tables": "2"})))
    assert tally.lines()[0] == "tables: 2 questions (new tables)"
    assert tally.lines()[1].startswith("WARNING: declared, but never seen: never")
    assert not tally.undeclared
    assert report(tally, []) == 0
    tally.add(differences_of(REQUEST, answer(BODY), answer(BODY | {"tables": "2", "bid": 5})))
    assert [difference.where for difference in tally.undeclared] == ["/bid"]
    assert report(tally, []) == 1
    assert "/bid: 6 became 5" in (printed := capsys.readouterr().out)
    assert "curl -sS -i -H 'content-type: application/json' --data-binary '{\"hand\"" in printed


def test_examples_begin_with_the_smallest_request_of_each_kind():
    long, short = (Request("x", "/bid", b"{" + b" " * length + b"}") for length in (90, 10))
    changes = (
        (long, {"bid": 5}),
        (short, {"tables": "2"}),
        (long, {"tables": "2"}),
        (short, {"bid": 5}),
        (long, {"x": 1}),
    )
    differences = [one for request, new in changes for one in differences_of(request, answer(BODY), answer(BODY | new))]
    order = [(one.question, one.where) for one in examples(differences)]
    assert order == [(short, "/tables"), (short, "/bid"), (long, "/x"), (long, "/bid"), (long, "/tables")]


def test_kinds_of_differences():
    (status,) = differences_of(REQUEST, problem(*FAULTS), answer(BODY))
    (faults,) = differences_of(REQUEST, problem(*FAULTS), problem(FAULTS[0]))
    assert str(faults) == 'faults: gone [["/hand", "hand-size"]], new []'
    assert (status.kind, faults.kind) == ("status 422 to 200 hand-size out-of-range", "faults hand-size")
    assert Difference(REQUEST, "/a/0/b/12", 1, 2).kind == "/a/#/b/#"
    assert Difference(MATCHES[0], "/output/win_rate", 0.5, 0.6).kind == MATCHES[0].label


def test_names_of_declared_differences_are_different():
    assert len({row.name for row in DECLARED}) == len(DECLARED)


def test_holes_in_the_coverage_fail(capsys):
    assert report(Tally(), ["fault codes: team-over-limit"]) == 1
    assert "team-over-limit" in capsys.readouterr().out


def test_of_a_match_all_figures_count_but_not_its_time():
    def printed(**changes: object) -> dict:
        figures = {"win_rate": 0.5, "bids": [{"bid": "3", "made": 0.25}], "seconds": 1.5, "versions": {}, "tables": {}}
        return Printed(0, json.dumps(figures | changes), "progress").comparable

    assert not list(places_of(printed(), printed(seconds=9, versions={"numba": "1"}, tables={"version": "2"})))
    (place,) = places_of(printed(), printed(bids=[{"bid": "3", "made": 0.2500000001}]))
    assert place.where == "/output/bids/0/made"
    assert str(Difference(MATCHES[0], *place)) == "/output/bids/0/made: 0.25 became 0.2500000001"


def test_of_a_refused_command_pointers_count():
    def faults(text: str) -> object:
        return Printed(2, "", f"python -m spades bid: /seat: {text}\n").comparable

    assert faults("seat is 4 (four)") == faults("another text")
    assert faults("x") == {"exit code": 2, "output": [], "faults": ["/seat"]}
    assert Printed(2, "", "service bid: /seat: x (out-of-range)\n").comparable == faults("x")  # of an earlier commit
    assert Command("x", ("spades", "bid", "A B")).command() == ".venv/bin/python -m spades bid 'A B'"


RULES = {
    "default": "plain",
    "presets": {
        "plain": {"preset": "plain", "win": 500, "lose": None, "bags": True, "bag_limit": 10, "variant": "partnership"},
        "solo": {"preset": "solo", "win": 300, "lose": None, "bags": True, "bag_limit": 10, "variant": "cutthroat"},
    },
    "fields": {
        "win": {"type": "integer", "default": 500, "supported": "1..10000"},
        "lose": {"type": "integer", "default": None, "supported": "-10000..-1, null"},
        "bags": {"type": "boolean", "default": True, "supported": "true, false"},
        "bag_limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100},
        "variant": {"type": "string", "default": "partnership", "supported": "partnership, cutthroat"},
    },
}
POLICIES = {
    "policies": [
        {"policy": "bis", "options": ["tuned", "convention=none|big5", "offset=TRICKS", "aggression=-1..1", {"x": 1}]},
        {"policy": "bis:tuned", "options": ["tuned"]},
    ]
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return catalogue_of(RULES, POLICIES, {"codes": {"hand-size": "x"}}, '"/problems/{name}" "/problems/invalid-json"')


def test_values_are_read_from_the_documents_in_any_form(catalogue):
    assert catalogue.variants == ("partnership", "cutthroat")
    assert catalogue.policies == ("bis",)
    assert catalogue.conventions == ("none", "big5")
    assert catalogue.problems == ("invalid-json",)
    assert {1, 10_000, 500} <= set(catalogue.fields["win"])
    assert {0, 10_001} <= set(catalogue.beyond["win"])
    assert {None, -1, -10_000} <= set(catalogue.fields["lose"])
    assert {1, 100} <= set(catalogue.fields["bag_limit"])
    assert {"tuned", "convention=big5", "aggression=-1", "aggression=1"} <= set(catalogue.options["bis"])


def test_the_same_seed_makes_the_same_requests(catalogue):
    def texts(seed: int) -> list[object]:
        return [(request.path, request.wire()) for request in make_requests(catalogue, 6000, seed)]

    first = texts(1)
    assert len(first) == 6000
    assert first == texts(1)
    assert first != texts(2)


def test_batches_hold_what_was_read_as_json():
    requests = [REQUEST] * (BATCH_ITEMS + 3) + [Request("x", "/v1/bid", b"{"), Request("x", "/v1/bid/blind", b"{}")]
    answers = [answer(BODY)] * (BATCH_ITEMS + 2) + [problem(), answer({}, 400), answer(BODY)]
    made = list(batches(requests, answers))
    assert [len(batch.items) for batch in made] == [BATCH_ITEMS, 3]
    assert '{"requests":[{"hand"' in made[0].items[0].command()
    assert made[1].data == {"requests": [REQUEST.data] * 3}


@pytest.mark.server
def test_a_server_answers_as_itself_and_every_code_is_asked_for():
    with running_service(tree_of(ROOT)) as port:
        tally = Tally(())
        coverage = ask_both(port, port, 300, 1, tally)
    assert not tally.undeclared
    assert not coverage.holes()
    assert coverage.counts["statuses"]["200"] > 500
    assert len(coverage.counts["fault codes"]) > 10
    assert all(len(line) < 120 for line in coverage.lines())


@pytest.mark.parametrize("body", [b'{"a":"it\'s"}', b'{"a":"\xff\x01\\n"}', "é".encode()])
def test_printed_commands_send_the_same_bytes(body):
    word = re.sub(r".*--data-binary (.*) http://\S+$", r"\1", Request("x", "/bid", body).command(), flags=re.DOTALL)
    done = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True, timeout=LIMIT_S)
    assert done.stdout == body


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a base commit needs a git repository")
def test_the_base_is_checked_out_and_removed_after_ctrl_c():
    def interrupted() -> None:
        with checked_out("HEAD") as tree:
            paths.append(tree.path)
            assert (tree.path / "service").is_dir()
            assert str(tree.path) in git("worktree", "list")
            raise KeyboardInterrupt

    paths: list[Path] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not paths[0].exists()
    assert str(paths[0]) not in git("worktree", "list")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a base commit needs a git repository")
def test_the_default_base_is_a_commit_before_the_working_tree():
    base = git("rev-parse", default_base())
    assert git("merge-base", base, "HEAD") == base


def test_an_unknown_commit_is_one_line_on_stderr():
    command = [sys.executable, "-m", "tests.same_answers", "--base", "no-such-commit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert done.returncode == 2
    assert done.stderr.startswith("same_answers: git")


def test_it_uses_nothing_inside_the_code_that_it_compares():
    for file in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.partition(".")[0] for name in names} & set(PACKAGES), file
