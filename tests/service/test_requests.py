"""The two readers of a request, `read_fast` and `faults_of`, against each other and against slow oracles."""

import copy

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.api.documentation import REQUEST
from service.api.faults import faults_of
from service.api.requests import read_fast
from service.bidding.bidder import BLIND_NIL
from service.bidding.cards import DECK, cards_of, format_card, format_pbn, parse_card
from service.bidding.rules import PRESETS, make_rules
from service.problems import CODES

_CARDS = [format_card(card) for card in cards_of(DECK)]
_BIDS = st.integers(0, 13) | st.integers(0, 13).map(str) | st.just("nil")
_SCORES = st.fixed_dictionaries(
    {},
    optional={
        "us": st.integers(-10_000, 10_000),
        "them": st.integers(-10_000, 10_000),
        "us_bags": st.integers(0, 9),
        "them_bags": st.integers(0, 9),
    },
)


def _spellings(card: str) -> st.SearchStrategy[str]:
    names = [card, card.lower(), card[0].lower() + card[1], card.replace("T", "10")]
    return st.sampled_from(names)


@st.composite
def valid_requests(draw) -> dict:
    """Requests that can be decided, in every accepted form."""
    cards = draw(st.permutations(_CARDS))[:13]
    hand = sum(1 << parse_card(card) for card in cards)
    previous = draw(st.lists(_BIDS, max_size=3))
    if len(previous) == 3:
        values = [0 if bid == "nil" else int(bid) for bid in previous]
        if values[0] + values[2] > 13:
            previous[2] = 13 - values[0]
    request = {
        "hand": format_pbn(hand) if draw(st.booleans()) else [draw(_spellings(card)) for card in cards],
        "previous_bids": previous,
        "seat": len(previous),
    }
    optional = {
        "scores": _SCORES,
        "policy": st.sampled_from(["bis", "rb", "ms", "io"]),
        "convention": st.just("none"),
        "rules": st.sampled_from([{}, {"preset": "classic"}, {"preset": "bis-paper", "win": 300}, {"nil_points": 50}]),
        "explain": st.booleans(),
        "legal_bids": st.none() | st.lists(st.integers(0, 13), min_size=1, max_size=14, unique=True),
        "seed": st.none() | st.integers(0, 2**53 - 1),
        "level": st.none(),
    }
    for field, strategy in optional.items():
        if draw(st.booleans()):
            request[field] = draw(strategy)
    return request


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 600) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
_PATHS = [
    *((field,) for field in (*REQUEST, "legal_bids", "seed", "level", "style", "x")),
    *(("scores", field) for field in ("us", "us_bags", "them_bags", "seats", "x")),
    *(("rules", field) for field in ("preset", "win", "lose", "bags", "bag_limit", "blind_nil", "variant", "x")),
    *(("rules", field) for field in ("double_nil", "failed_nil_tricks", "team_max", "min_bid")),
    *(("hand", index) for index in (0, 12)),
    *(("previous_bids", index) for index in (0, 1)),
]
_LIKELY: st.SearchStrategy = st.sampled_from(
    [
        *(0, 1, 5, 13, 14, -1, True, "nil", "blind_nil", "5", "AS", "10h", "zz", "bis", "rb:nils=off", "bis:x=1"),
        *([], {}, [3, 1], [9, 0, 9], [0, 2, 0], ["nil", 1, "nil"], [13, "blind_nil"], ["blind_nil"], [3, "3"], None),
        *(1.0, "none"),
    ]
)


@st.composite
def spoilt_requests(draw) -> dict:
    """A valid request with one to three values replaced, removed or added."""
    request = draw(valid_requests() | st.just(REQUEST).map(copy.deepcopy))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(_PATHS))
        target = request
        if len(path) == 2:
            target = request.setdefault(path[0], {})
        key = path[-1]
        if isinstance(key, int):
            if isinstance(target, list) and key < len(target):
                target[key] = draw(_LIKELY | _JSON)
        elif isinstance(target, dict):
            if draw(st.booleans()):
                target.pop(key, None)
            else:
                target[key] = draw(_LIKELY | _JSON)
    return request


@given(valid_requests())
@settings(max_examples=150, deadline=None)
def test_valid_requests_have_no_faults_and_are_read_right(request):
    call = read_fast(request)
    assert call is not None
    assert faults_of(request) == []
    hand = request["hand"]
    if isinstance(hand, list):
        assert call.position.hand == sum(1 << parse_card(card) for card in hand)
    else:
        assert format_pbn(call.position.hand) == hand
    assert call.position.bids == tuple(0 if bid == "nil" else int(bid) for bid in request["previous_bids"])
    scores = request.get("scores", {})
    for field in ("us", "them", "us_bags", "them_bags"):
        assert getattr(call.position, field) == scores.get(field, 0)
        assert (f"scores.{field}" in call.assumed) == ("scores" in request and field not in scores)
    assert ("scores" in call.assumed) == ("scores" not in request)
    assert ("policy" in call.assumed) == ("policy" not in request)
    assert ("convention" in call.assumed) == ("convention" not in request)
    assert ("rules.preset" in call.assumed) == ("preset" not in request.get("rules", {}))
    rules = dict(request.get("rules", {}))
    assert call.position.rules == make_rules(rules.pop("preset", "classic"), rules)
    legal = request.get("legal_bids")
    assert call.legal == (None if legal is None else tuple(sorted(legal)))
    assert call.explain == request.get("explain", True)


@given(spoilt_requests())
@settings(max_examples=400, deadline=None)
def test_the_fast_reader_gives_up_exactly_where_there_is_a_fault(request):
    faults = faults_of(request)
    assert (read_fast(request) is None) == bool(faults), faults
    for fault in faults:
        assert fault.code in CODES
        assert fault.pointer == "" or fault.pointer[0] == "/"
        assert fault.detail


@given(_JSON)
@settings(max_examples=100, deadline=None)
def test_any_json_value_has_faults(value):
    assert read_fast(value) is None
    assert faults_of(value)


def test_the_contracts_example():
    call = read_fast(REQUEST)
    assert call is not None
    assert format_pbn(call.position.hand) == "AKJ62.AQ.Q.K9543"
    assert call.position.bids == (3, 1)
    assert (call.position.us, call.position.them, call.position.us_bags, call.position.them_bags) == (120, 95, 3, 5)
    assert call.position.rules == PRESETS["classic"]
    assert (call.policy_text, call.base, call.legal, call.explain, call.assumed) == ("bis", "bis", None, True, [])


def test_blind_nil_only_where_the_rules_allow_it(request_body):
    request_body |= {"previous_bids": ["blind_nil", 3], "legal_bids": [4, "blind_nil", 2], "rules": {"blind_nil": True}}
    call = read_fast(request_body)
    assert call is not None
    assert call.position.bids == (BLIND_NIL, 3)
    assert call.legal == (2, 4)  # the hand has been seen
    del request_body["rules"]
    assert [fault.pointer for fault in faults_of(request_body)] == ["/previous_bids/0", "/legal_bids/1"]


@pytest.mark.parametrize("text", ['{"win": true}', '{"bags": 1}', '{"double_nil": 1}'])
def test_rules_that_only_look_alike_are_not_taken_from_the_cache(request_body, text):
    request_body["rules"] = {"win": 1, "bags": True, "double_nil": True}
    assert read_fast(request_body) is not None
    request_body["rules"] = orjson.loads(text)
    assert read_fast(request_body) is None


def test_preset_values_can_be_sent_back(call, request_body):
    for preset in call("GET", "/v1/rules").json()["presets"].values():
        request_body["rules"] = preset
        assert faults_of(request_body) == []
