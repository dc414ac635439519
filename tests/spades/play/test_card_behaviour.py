"""Cards that players of public sites complained about: positions, the cards that are sensible, and the reasons.

tests/vectors/cards.json has them, each with the thread in which the complaint is.
"""

import json
from pathlib import Path

import pytest

from spades.contract.card_request import card_answer, read_card

CASES = json.loads((Path(__file__).parents[2] / "vectors" / "cards.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_card_is_sensible(case):
    answer = card_answer(read_card(case["request"]))
    assert answer["card"] in case["allowed"], case["reason"]
    assert set(case["allowed"]) < set(answer["legal"])
