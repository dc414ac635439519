"""Requests are read correctly, compared with slow reference implementations, and wrong ones are always refused."""

import copy
import re

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from spades.cards import CARD_CODES, CARD_NAMES, DECKS, format_pbn
from spades.contract import cards_and_bids
from spades.contract.bid_request import BidRequest, read_bid, read_blind
from spades.contract.examples import BLIND_REQUEST, CUTTHROAT_REQUEST, REQUEST
from spades.contract.faults import CODES
from spades.contract.fields import takes_null
from spades.errors import RulesError
from spades.legal import BLIND_NIL, deck_number
from spades.options import CONVENTIONS
from spades.position import BRIEF, Position
from spades.rules import CUTTHROAT, FIELDS, NO_LOSING_GOAL, PRESETS, VARIANTS, describe, make_rules
from tests import naive
from tests.contract import faults_of, format_pbn_of

_BAGS = st.integers(0, 4)  # below every preset's limit


def _scores(rules: dict) -> st.SearchStrategy[dict]:
    """Scores between the goals of ``rules`` (all fields)."""
    points = st.integers(-10_000 if rules["lose"] is None else rules["lose"] + 1, rules["win"] - 1)
    fields: dict[str, st.SearchStrategy] = {"us": points, "them": points, "us_bags": _BAGS, "them_bags": _BAGS}
    if rules["variant"] == "cutthroat":
        fields = {name: st.lists(one, min_size=4, max_size=4) for name, one in (("seats", points), ("bags", _BAGS))}
    return st.fixed_dictionaries({}, optional=fields)


def _spellings(card: str) -> st.SearchStrategy[str]:
    names = [card, card.lower(), card[0].lower() + card[1], card.replace("T", "10")]
    return st.sampled_from(names)


_OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(sorted(PRESETS)),
        "win": st.integers(1, 600),
        "nil_points": st.sampled_from([50, 100]),
        "double_nil": st.booleans(),
        "blind_nil": st.booleans(),
        "bags": st.booleans(),
        "min_bid": st.integers(0, 5),
        "team_min": st.integers(0, 5),
        "team_max": st.none() | st.integers(7, 13),
        "ten_for_200": st.booleans(),
        "variant": st.sampled_from(VARIANTS),
        "deck": st.sampled_from([None, *(deck.name for deck in DECKS[1:])]),
    },
)


@st.composite
def rule_sets(draw) -> dict:
    """Supported `rules` of a request; half of them as simple as in most requests."""
    given = draw(st.sampled_from([{}, {"preset": "classic"}, {"preset": "bis-paper", "win": 300}]) | _OVERRIDES)
    overrides = dict(given)
    try:
        make_rules(overrides.pop("preset", "classic"), overrides)
    except RulesError:
        return {}
    return given


@st.composite
def previous_bids(draw, rules: dict) -> list:
    """Previous bids of which each is allowed by the rules (all fields)."""
    bids: list[int] = []
    for seat in range(draw(st.integers(0, 3))):
        partner = bids[seat - 2] if seat > 1 else None
        spades = draw(st.integers(0, 13 - sum(bids) if rules["variant"] in ("mirror", "whiz", "whiz_strict") else 13))
        bids.append(draw(st.sampled_from(sorted(naive.bids_allowed(spades, partner, rules)))))
    words = {0: st.sampled_from([0, "0", "nil"] + ["blind_nil"] * rules["blind_nil"])}
    return [draw(words.get(bid, st.sampled_from([bid, str(bid)]))) for bid in bids]


_LEANINGS = st.floats(-1, 1) | st.integers(-1, 1)


@st.composite
def valid_requests(draw) -> dict:
    """Requests that can be decided, in every accepted form."""
    given = draw(rule_sets())
    overrides = dict(given)
    rules = describe(make_rules(overrides.pop("preset", "classic"), overrides))
    deck = deck_number(make_rules("classic", rules))
    cards = draw(st.permutations(sorted(CARD_CODES[deck])))[:13]
    hand = sum(1 << CARD_CODES[deck][card] for card in cards)
    previous = draw(previous_bids(rules))
    request = {
        "hand": format_pbn_of(hand, deck) if draw(st.booleans()) else [draw(_spellings(card)) for card in cards],
        "previous_bids": previous,
        "seat": len(previous),
    }
    plain = rules["variant"] == "partnership"
    policy = draw(st.sampled_from(["bis", "rb", "ms", "io", "bis:tuned", *["winprob"] * plain]))
    optional = {
        "scores": _scores(rules),
        "policy": st.just(policy),
        "convention": st.sampled_from(CONVENTIONS if plain and policy.startswith("bis") else ["none"]),
        "explain": st.booleans() | st.just("brief"),
        "legal_bids": st.none() | st.lists(st.integers(0, 13), min_size=1, max_size=14, unique=True),
        "seed": st.none() | st.integers(0, 2**53 - 1),
        "level": st.none() | st.integers(1, 5),
        "style": st.none() | st.fixed_dictionaries({}, optional=dict.fromkeys(("aggression", "nil_bias"), _LEANINGS)),
    }
    if given or draw(st.booleans()):
        request["rules"] = given
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
    *(("style", field) for field in ("aggression", "nil_bias", "x")),
    *(("scores", field) for field in ("us", "us_bags", "them_bags", "seats", "bags", "x")),
    *(("rules", field) for field in ("preset", "win", "lose", "bags", "bag_limit", "blind_nil", "variant", "x")),
    *(("rules", field) for field in ("double_nil", "failed_nil_tricks", "team_max", "min_bid", "team_min")),
    *(("hand", index) for index in (0, 12)),
    *(("previous_bids", index) for index in (0, 1)),
]
_LIKELY: st.SearchStrategy = st.sampled_from(
    [
        *(0, 1, 5, 13, 14, -1, True, "nil", "blind_nil", "5", "AS", "10h", "zz", "bis", "rb:nils=off", "bis:x=1"),
        *([], {}, [3, 1], [9, 0, 9], [0, 2, 0], ["nil", 1, "nil"], [13, "blind_nil"], ["blind_nil"], [3, "3"], None),
        *([0, 5, -3, 9], [1, 2, 3], [0, 0, 0, True]),
        *(1.0, "none", "big5", "mirror", "cutthroat", "suicide", "jokers", "BJ", "2c", 4),
        *("winprob", "winprob", 200, 400, -200),
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
@settings(max_examples=100, deadline=None)
def test_a_position_writes_itself_as_a_request(request):
    position = read_bid(request).position
    written = position.to_request()
    assert read_bid(orjson.loads(orjson.dumps(written))).position == position
    assert position.to_request() == written


@pytest.mark.parametrize("preset", PRESETS)
def test_a_position_of_each_preset_writes_itself_as_a_request(preset):
    rules = make_rules(preset)
    cards = list(CARD_NAMES[deck_number(rules)].values())[:13]
    scores = {"scores": (-20, 130, 95, 0), "us_bags": 2} if rules.variant == CUTTHROAT else {"us": 120, "them": -35}
    bids = (BLIND_NIL,) if rules.blind_nil else (4,)
    position = Position.of(cards, bids, rules=rules, **scores)
    call = read_bid(position.to_request())
    assert call.position == position
    assert not [name for name in call.assumed if name.startswith(("rules.preset", "scores"))]


@given(valid_requests())
@settings(max_examples=150, deadline=None)
def test_valid_requests_have_no_faults_and_are_read_right(request):
    call = read_bid(request)
    hand, deck = request["hand"], deck_number(call.position.rules)
    if isinstance(hand, list):
        assert call.position.hand == sum(1 << CARD_CODES[deck][card.upper().replace("10", "T")] for card in hand)
    else:
        assert format_pbn_of(call.position.hand, deck) == hand
    words = {"nil": 0, "blind_nil": BLIND_NIL}
    assert call.position.bids == tuple(words[bid] if bid in words else int(bid) for bid in request["previous_bids"])
    scores = request.get("scores", {})
    solo = call.position.rules.variant == CUTTHROAT
    for field in ("seats", "bags") if solo else ("us", "them", "us_bags", "them_bags"):
        assert solo or getattr(call.position.standing, field) == scores.get(field, 0)
        assert (f"scores.{field}" in call.assumed) == ("scores" in request and field not in scores)
    assert ("scores" in call.assumed) == ("scores" not in request)
    assert ("policy" in call.assumed) == ("policy" not in request)
    assert ("convention" in call.assumed) == ("convention" not in request)
    assert ("rules.preset" in call.assumed) == ("preset" not in request.get("rules", {}))
    rules = dict(request.get("rules", {}))
    assert call.position.rules == make_rules(rules.pop("preset", "classic"), rules)
    legal = request.get("legal_bids")
    assert call.legal == (None if legal is None else tuple(sorted(legal)))
    assert call.explain == (BRIEF if request.get("explain") == "brief" else request.get("explain", True))
    style = request.get("style") or {}
    plain = request.get("level") in (None, 5) and not any(style.values())
    assert (call.policy.level == 0) == plain
    if not plain:
        assert call.policy.level == (request.get("level") or 5)
        assert (call.policy.aggression, call.policy.nil_bias) == (style.get("aggression", 0), style.get("nil_bias", 0))
        below = call.policy.level < 5
        assert ("seed" in call.assumed) == (below and request.get("seed") is None)


@given(spoilt_requests())
@settings(max_examples=200, deadline=None)
def test_spoilt_requests_have_faults_that_say_where_and_what(request):
    faults = faults_of(request)
    for fault in faults:
        assert fault.code in CODES
        assert fault.pointer == "" or fault.pointer[0] == "/"
        assert fault.detail


@given(_JSON)
@settings(max_examples=100, deadline=None)
def test_any_json_value_has_faults(value):
    assert faults_of(value)


def test_the_contracts_example():
    call = read_bid(REQUEST)
    assert format_pbn(call.position.hand) == "AKJ62.AQ.Q.K9543"
    assert call.position.bids == (3, 1)
    assert call.position.standing == (120, 95, 3, 5)
    assert call.position.rules == PRESETS["classic"]
    assert (call.policy_text, call.base, call.legal, call.explain, call.assumed) == ("bis", "bis", None, True, [])


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("request_body", [BLIND_REQUEST, REQUEST, CUTTHROAT_REQUEST], ids=["blind", "bid", "cutthroat"])
def test_the_seat_follows_from_the_previous_bids(request_body, seat):
    read = read_blind if request_body is BLIND_REQUEST else read_bid
    request = {**request_body, "previous_bids": [3, 1, 4][:seat], "seat": seat}
    with_seat = read(request)
    assert read({**request, "seat": None}) == with_seat
    del request["seat"]
    assert read(request) == with_seat
    for wrong in {*range(4)} - {seat}:
        assert [fault.code for fault in faults_of({**request, "seat": wrong}, read=read)] == ["seat-mismatch"]


def test_blind_nil_only_where_the_rules_allow_it(request_body):
    request_body |= {"previous_bids": ["blind_nil", 3], "legal_bids": [4, "blind_nil", 2], "rules": {"blind_nil": True}}
    call = read_bid(request_body)
    assert call.position.bids == (BLIND_NIL, 3)
    assert call.legal == (2, 4)  # the hand has been seen
    del request_body["rules"]
    assert [fault.pointer for fault in faults_of(request_body)] == ["/previous_bids/0", "/legal_bids/1"]


@pytest.mark.parametrize(
    ("right", "alike"),
    [
        ({"win": 1}, {"win": True}),
        ({"bags": True}, {"bags": 1}),
        ({"double_nil": True}, {"double_nil": 1}),
        ({"double_nil": True}, {"double_nil": [1]}),
    ],
)
def test_rules_that_only_look_alike_are_not_taken_from_the_cache(request_body, right, alike):
    del request_body["scores"]
    assert faults_of(request_body | {"rules": right}) == []
    assert [fault.code for fault in faults_of(request_body | {"rules": alike})] == ["wrong-type"]


def test_lists_that_are_too_long_are_not_kept():
    kept = cards_and_bids._are_possible.cache_info().currsize
    for first in range(20):
        previous = [10**18 + first * 2000 + number for number in range(2000)]
        assert faults_of(REQUEST | {"previous_bids": previous, "seat": 0})[0].code == "too-many-items"
    assert cards_and_bids._are_possible.cache_info().currsize == kept


@pytest.mark.parametrize("previous", [[True], [1.5], [[1]], [None], [-1], [14], ["15"], [10**30], [3, "nil", 14]])
def test_what_is_no_bid_is_refused_beside_its_equals(previous):
    """Values that equal a number, such as true and 1, must not share its place among the auctions that were checked."""
    assert not faults_of(REQUEST | {"previous_bids": [1], "seat": 1})
    assert faults_of(REQUEST | {"previous_bids": previous, "seat": len(previous)})


def test_preset_values_can_be_sent_back(call, request_body):
    del request_body["scores"]
    for preset in call("GET", "/v1/rules").json()["presets"].values():
        request_body |= {"rules": preset, "previous_bids": [], "seat": 0}
        assert faults_of(request_body) == []


_PLAIN = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}
_NULLS = {field: None for field in BidRequest.__annotations__ if field not in _PLAIN}
_NULL_RULES = {name: None for name in ("preset", *FIELDS) if not takes_null(name)}


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (_NULLS, {}),
        ({"scores": dict.fromkeys(("us", "them", "us_bags", "them_bags", "seats", "bags"))}, {"scores": {}}),
        ({"rules": _NULL_RULES}, {"rules": {}}),
        ({"rules": {"preset": "bis-paper", "win": None}}, {"rules": {"preset": "bis-paper"}}),
        ({"style": {"aggression": None, "nil_bias": 0.5}}, {"style": {"nil_bias": 0.5}}),
    ],
)
def test_null_is_as_good_as_absent(given, same):
    assert read_bid(_PLAIN | given) == read_bid(_PLAIN | same)


@pytest.mark.parametrize("rules", [{"preset": "five-bags", "bag_limit": 7}, {"nil_points": 130}])
def test_the_warnings_of_assumed_do_not_depend_on_defaults_that_are_sent(rules):
    """Some clients send every field with its default. The answer still says that the win table is of other rules."""
    short = read_bid(_PLAIN | {"policy": "winprob", "rules": rules})
    values = {name: value for name, value in rules.items() if name != "preset"}
    spelled = describe(make_rules(rules.get("preset", "classic"), values))
    every = {
        "scores": {"us": 0, "them": 0, "us_bags": 0, "them_bags": 0},
        "convention": "none",
        "explain": True,
        "level": 5,
        "style": {"aggression": 0, "nil_bias": 0},
        "players": dict.fromkeys(("left", "partner", "right"), "unknown"),
    }
    full = read_bid(
        _PLAIN | {"policy": "winprob", "rules": {**spelled, "preset": "classic", "approximate": True}} | every
    )
    warnings = [entry for entry in short.assumed if entry.startswith("rules.") and "=" in entry]
    assert warnings
    assert full.assumed == warnings


def test_null_is_a_value_of_two_rules():
    rules = read_bid(_PLAIN | {"rules": {"preset": "bis-paper", "lose": None, "team_max": None}}).position.rules
    assert rules == PRESETS["bis-paper"]._replace(lose=NO_LOSING_GOAL)


def test_whole_numbers_may_have_a_fraction_of_zero():
    request = {
        "hand": "AKJ62.AQ.Q.K9543",
        "previous_bids": [3, 1],
        "seat": 2,
        "scores": {"us": 120, "them": -95, "us_bags": 3},
        "rules": {"win": 300, "bag_limit": 5},
        "legal_bids": [3, 4],
        "seed": 7,
        "level": 2,
        "style": {"aggression": -1},
    }
    as_floats = orjson.loads(re.sub(rb"(?<=[:,[])(-?\d+)(?=[],}])", rb"\1.0", orjson.dumps(request)))
    assert orjson.dumps(as_floats).count(b".0") == 13
    assert read_bid(as_floats) == read_bid(request)


@pytest.mark.parametrize("field", BidRequest.__annotations__)
def test_every_field_is_described_without_a_default(field):
    described = TypeAdapter(BidRequest).json_schema()["properties"][field]
    assert "description" in described or "$ref" in described
    assert "default" not in described
