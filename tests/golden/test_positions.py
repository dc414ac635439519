"""Each position of positions.jsonl is answered acceptably, and as before."""

from collections import Counter

import pytest

from spades.contract.bid_request import read_bid
from spades.options import WINPROB
from tests.conftest import committed_tables
from tests.golden.answers import answer_to, present
from tests.golden.positions import accepted, read_positions

POSITIONS = read_positions()
MEANT = "look at each; if they are meant, run python -m tests.golden"


@pytest.fixture(scope="module")
def now():
    """The positions with their present answers, by id."""
    return {position["id"]: present(position, committed_tables()) for position in POSITIONS}


def marked(position):
    known = position.get("known_error")
    marks = [pytest.mark.xfail(reason=known, strict=True)] if known else []
    return pytest.param(position["id"], id=position["id"], marks=marks)


@pytest.mark.parametrize("name", [marked(position) for position in POSITIONS if "answer" in position])
def test_the_answer_is_acceptable(name, now):
    position = now[name]
    assert accepted(position), (position["answer"], position.get("expect"), position.get("reason"))


def test_answers_have_not_changed(now):
    changed = [(position, now[position["id"]]) for position in POSITIONS if position != now[position["id"]]]
    fields = ("answer", "answers")
    shown = [
        (old["id"], *([one[name] for name in fields if name in one] for one in (old, new))) for old, new in changed
    ]
    assert shown == [], MEANT


def test_sentences_name_the_bid(now):
    for position in POSITIONS:
        if position["path"] == "/v1/bid" and "bid" in now[position["id"]].get("answer", {}):
            request = {**position["request"], "explain": True}
            answer = answer_to("/v1/bid", request, committed_tables())
            end = ":" if read_bid(request).policy.kind == WINPROB else "."
            assert answer["explanation"]["sentence"].startswith(f"Bid {answer['bid'] or 'nil'}{end} "), position["id"]


def test_every_position_is_there_once():
    ids = Counter(position["id"] for position in POSITIONS)
    requests = Counter(repr((position["path"], position["request"])) for position in POSITIONS)
    assert [one for one, count in (ids + requests).items() if count > 1] == []
