"""The pipeline from a position to a bid, on test tables: the kernel of each policy, legal bids, kinds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.choose_bid import choose_bid
from spades.bidder import decide, nearest_legal
from spades.cards import parse_pbn
from spades.contract.bid_request import bid_answer, read_bid
from spades.legal import BLIND_NIL
from spades.policies import SERVED, parse_policy
from spades.position import Position, auction_after
from spades.reasons import sentence_of
from spades.rules import Rules, make_rules
from spades.scoring import START, Standing
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from tests import naive
from tests.spades.test_explanations import table_set_of

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"
BY_RULES = tuple(name for name in SERVED if name != "winprob")  # test_winprob tests it

hands = st.permutations(naive.DECK).map(lambda deck: naive.pbn_of(deck[:13]))
bids = st.lists(st.integers(0, 14), max_size=3).map(tuple)


@pytest.fixture(scope="module")
def table_set(neutral):
    return table_set_of(neutral)


def position(pbn, previous=(), us=0, them=0, us_bags=0, them_bags=0, rules=None):
    return Position(parse_pbn(pbn), previous, Standing(us, them, us_bags, them_bags), rules or Rules())


def test_without_explanation(table_set):
    assert decide(position(LOW), parse_policy("bis"), table_set, explain=False) == (0, "nil", None)


def test_the_score_matters_to_bis_alone(table_set):
    """The opponents would reach 500, and the sum of bids is 11 or more: the bid completes it to 14."""
    near = position(WORKED, (4, 3, 3), us=0, them=430)
    assert decide(near, parse_policy("bis"), table_set).bid == 6  # 4 + 3 + 3 + 6 is over 14 already
    light = position("K32.432.A432.432", (4, 3, 3), us=0, them=430)
    for name in BY_RULES:
        policy = parse_policy(f"{name}:nils=off" if name in ("rb", "ms") else name)
        plain = decide(light._replace(standing=START), policy, table_set).bid
        assert decide(light, policy, table_set).bid == (4 if name == "bis" else plain)


@given(hands, bids, st.sampled_from((*BY_RULES, "bis:tuned", "bis:endgame=off,curves=raw", "rb:nil=5-8-T")))
def test_same_as_the_simulator(neutral, table_set, pbn, previous, text):
    where = position(pbn, previous, 430, 460, 7, 3, make_rules("bis-paper"))
    policy = parse_policy(text)
    auction, tables = auction_after(previous), neutral.plain_settings
    bid = choose_bid(where.hand, auction, where.standing, where.rules, policy, tables)
    made: Any = decide(where, policy, table_set)
    assert made.bid == bid, text
    assert 0 <= made.bid <= 13
    assert made.kind == ("nil" if bid == 0 else "regular")
    assert made.explanation["sentence"].startswith(f"Bid {bid or 'nil'}. ")


@given(hands, st.sets(st.integers(0, 14), min_size=1).map(sorted).map(tuple), st.sampled_from(BY_RULES))
def test_always_a_legal_bid(table_set, pbn, legal, text):
    free: Any = decide(position(pbn), parse_policy(text), table_set)
    made: Any = decide(position(pbn), parse_policy(text), table_set, legal)
    assert made.bid in legal
    if free.bid in legal:
        assert made == free
    else:
        last = made.explanation["adjustments"][-1]
        assert (last["rule"], last["before"], last["after"]) == ("legal-bids", free.bid, made.bid)
        regular = [bid for bid in legal if 0 < bid < 14]
        wanted = free.explanation["regular"]["takes"] if free.bid == 0 else free.bid
        if regular:
            assert abs(made.bid - wanted) == min(abs(bid - wanted) for bid in regular)


@pytest.mark.parametrize(
    ("bid", "takes", "legal", "answer"),
    [
        (4, 4, (3, 5), 3),  # the lower of two
        (4, 4, (1, 2, 6), 2),
        (0, 3, (2, 3, 4), 3),  # a nil that is not legal: nearest to the regular takes
        (0, 3, (5, 14), 5),
        (2, 2, (0, 9), 9),  # regular bids before nils
        (2, 2, (0, 14), 0),
        (2, 2, (14,), BLIND_NIL),
    ],
)
def test_nearest_legal(bid, takes, legal, answer):
    assert nearest_legal(bid, takes, legal) == answer


def test_only_blind_nil_is_left(table_set):
    assert decide(position(WORKED), parse_policy("bis"), table_set, (BLIND_NIL,)).kind == "blind_nil"


def test_the_answer_in_the_readme_is_the_answer():
    """The README's request gets the README's answer, and its sentence."""
    readme = (DEFAULT_DIRECTORY.parents[1] / "README.md").read_text()
    opened = open_tables()
    request = json.loads(readme.partition(" -d '")[2].partition("'\n")[0])
    call = read_bid(request, opened.games)
    made = decide(call.position, call.policy, opened, call.legal, call.explain)
    answer = json.loads(readme.partition("```json\n")[2].partition("```")[0])
    assert answer == bid_answer(call, opened, opened.version)
    assert made.explanation is not None
    assert f'"{sentence_of(made.explanation["reasons"])}"' in " ".join(readme.split())
