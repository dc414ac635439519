"""Faults: all that is wrong with a request that `requests.read_fast` gave up on.

Not fast: it runs for refused requests only. The structure (missing, unknown and wrongly typed fields) is checked
by the pydantic models of `schemas`, so that the documented contract is the one in force; hands, bids, rules and
policies by checks here, item by item, because a caller wants every fault at once and at its own pointer.
Sizes are bounded first: a hostile body must not buy more work than an honest one.
"""

import json
from typing import Any

from pydantic import ValidationError

from service.api.requests import (
    BID_WORDS,
    CARD_BITS,
    CLASSIC,
    DEFAULT_POLICY,
    DEFAULT_PRESET,
    MAX_PBN_CHARS,
    POLICIES,
    SEAT_FIELDS,
    SIDE_FIELDS,
    SPADE_COUNTS,
    TRICKS,
    deck_of,
    pbn_names,
)
from service.bidding.bidder import BLIND_NIL
from service.bidding.errors import PolicyError, RulesError
from service.bidding.game.auction import NO_BID
from service.bidding.game.cards import RANKS
from service.bidding.game.legal import possible_bids
from service.bidding.game.rules import (
    CUTTHROAT,
    PARTNERSHIP,
    PRESETS,
    SUICIDE,
    UNLIMITED,
    VARIANTS,
    Rules,
    describe,
    make_rules,
)
from service.bidding.game.scoring import contract_of, is_nil
from service.bidding.policies import BIS, CONVENTIONS, NO_CONVENTION, WINPROB, parse_policy
from service.bidding.winprob.games import SHIPPED, Games, unsupported_field
from service.problems import Fault, pointer, quote
from service.schemas import POLICY_CHARS, SCORE_LIMIT, BidRequest

MAX_KEYS = 64  # a request whose objects have more fields, one by one or together, is refused unread
_OBJECTS = ("scores", "rules", "style")  # of a request


def faults_of(data: Any, games: Games = SHIPPED) -> list[Fault]:
    """Every fault of a request that `read_fast` gave up on."""
    if type(data) is not dict:
        return [Fault("", "wrong-type", f"the request is {_json_type(data)}; expected an object")]
    fields = 0
    for name in ("", *_OBJECTS):
        part = data.get(name) if name else data
        if type(part) is dict:
            fields += len(part)
            if len(part) > MAX_KEYS:
                where = f"/{name}" if name else ""
                return [Fault(where, "too-many-items", f"{len(part)} fields; expected at most {MAX_KEYS}")]
    if fields > MAX_KEYS:
        detail = f"{fields} fields, those of {', '.join(_OBJECTS)} included; expected at most {MAX_KEYS}"
        return [Fault("", "too-many-items", detail)]
    faults = _structural_faults(data)
    broken = {fault.pointer for fault in faults}
    rules = _rule_faults(data.get("rules"), broken, faults)
    if "hand" in data:
        faults += _hand_faults(data["hand"], rules)
    if "previous_bids" in data:
        faults += _previous_bids_faults(data["previous_bids"], data.get("seat"), rules)
    if type(data.get("scores")) is dict:
        faults += _bag_faults(data["scores"], rules) + _seat_faults(data["scores"], rules)
    if data.get("legal_bids") is not None:
        faults += _legal_bids_faults(data["legal_bids"], rules)
    if type(data.get("policy")) is str:
        faults += _policy_faults(data["policy"])
    faults += _convention_faults(data, rules) + _win_faults(data.get("policy"), rules, games)
    return faults


def _structural_faults(data: dict[str, Any]) -> list[Fault]:
    """Missing, unknown and wrongly typed fields, told by the pydantic models."""
    try:
        BidRequest.model_validate(data)
    except ValidationError as error:
        return [_structural_fault(dict(item)) for item in error.errors(include_url=False, include_context=True)]
    return []


def _structural_fault(error: dict[str, Any]) -> Fault:
    loc = error["loc"]
    where, name, kind, found = pointer(*loc), ".".join(quote(part) for part in loc), error["type"], error["input"]
    if kind == "missing":
        return Fault(where, "missing-field", f"{name} is missing")
    if kind == "extra_forbidden":
        return Fault(where, "unknown-field", f"{name} is no field of the request")
    if kind in ("greater_than_equal", "less_than_equal"):
        limit = f"at least {error['ctx']['ge']}" if kind[0] == "g" else f"at most {error['ctx']['le']}"
        return Fault(where, "out-of-range", f"{name} is {quote(found)}; expected {limit}")
    if kind == "literal_error" and type(found) is str:
        return Fault(where, "unsupported-rules", f"{name} is {quote(found)}; expected {error['ctx']['expected']}")
    if kind == "int_from_float" or kind.endswith("_type") or kind in ("literal_error", "int_parsing_size"):
        expected = {"int": "an integer", "bool": "true or false", "float": "a number", "string": "a string"}
        expected["model"] = "an object"
        wanted = expected.get(kind.partition("_")[0], error["msg"])
        if kind == "literal_error":
            wanted = error["ctx"]["expected"]
        return Fault(where, "wrong-type", f"{name} is {_json_type(found)}; expected {wanted}")
    raise AssertionError(f"pydantic told of {kind} at {where}: give it a code here")


def _rule_faults(given: Any, broken: set[str], faults: list[Fault]) -> Rules:
    """Add the faults of `rules` that the models don't see; the rules as far as they can be read."""
    if type(given) is not dict:
        return CLASSIC
    preset = given.get("preset", DEFAULT_PRESET)
    if type(preset) is not str or preset not in PRESETS:
        if type(preset) is str:
            detail = f"unknown preset {quote(preset)}; expected one of {', '.join(PRESETS)}"
            faults.append(Fault("/rules/preset", "unsupported-rules", detail))
        preset = DEFAULT_PRESET
    good: dict[str, object] = {}
    for field, value in given.items():
        if field != "preset" and pointer("rules", field) not in broken:
            try:
                make_rules(DEFAULT_PRESET, {field: value})  # by itself; what goes together comes below
                good[field] = value
            except RulesError as error:
                faults.append(Fault(pointer("rules", error.field), "unsupported-rules", str(error)))
    try:
        return make_rules(preset, good)
    except RulesError as error:  # a combination: each value by itself is right
        faults.append(Fault(pointer("rules", error.field), "unsupported-rules", str(error)))
        return PRESETS[preset]


def _hand_faults(cards: Any, rules: Rules) -> list[Fault]:
    if type(cards) is str:
        names = pbn_names(cards)
        if names is None:
            return [
                Fault(
                    "/hand", "hand-size", f"hand is {quote(cards)}; expected four suits, spades.hearts.diamonds.clubs"
                )
            ]
        where = ["/hand"] * len(names)
    elif type(cards) is list:
        if len(cards) > MAX_PBN_CHARS:
            return [Fault("/hand", "hand-size", f"{len(cards)} cards; expected {TRICKS}")]
        names, where = cards, [f"/hand/{index}" for index in range(len(cards))]
    else:
        return [
            Fault("/hand", "wrong-type", f"hand is {_json_type(cards)}; expected an array of cards or a PBN string")
        ]
    faults = []
    if len(names) != TRICKS:
        faults.append(Fault("/hand", "hand-size", f"{len(names)} cards; expected {TRICKS}"))
    bits = 0
    for name, place in zip(names, where, strict=True):
        if type(name) is not str:
            faults.append(Fault(place, "wrong-type", f"a card is {_json_type(name)}; expected a string"))
        elif name not in CARD_BITS:
            detail = f"{quote(name)} is no card; expected a rank of {RANKS} (or 10) and a suit of SHDC, BJ or LJ"
            faults.append(Fault(place, "unknown-card", detail))
        elif CARD_BITS[name] & ~deck_of(rules):
            detail = f"{quote(name)} is in no deck of variant {VARIANTS[rules.variant]}"
            faults.append(Fault(place, "unknown-card", detail))
        elif bits & CARD_BITS[name]:
            faults.append(Fault(place, "duplicate-card", f"{name} stands twice in the hand"))
        else:
            bits |= CARD_BITS[name]
    return faults


def _previous_bids_faults(previous: Any, seat: Any, rules: Rules) -> list[Fault]:
    if type(previous) is not list:
        return [Fault("/previous_bids", "wrong-type", f"previous_bids is {_json_type(previous)}; expected an array")]
    if len(previous) > 3:
        return [Fault("/previous_bids", "too-many-items", f"{len(previous)} previous bids; expected at most 3")]
    faults = []
    for index, bid in enumerate(previous):
        fault = _bid_fault(f"/previous_bids/{index}", bid, rules, "bid-out-of-range")
        if fault:
            faults.append(fault)
    if type(seat) is int and seat != len(previous) and 0 <= seat <= 3:
        detail = f"seat is {seat} after {len(previous)} previous bids; expected {len(previous)}"
        faults.append(Fault("/seat", "seat-mismatch", detail))
    if not faults:
        bids = [BID_WORDS[bid] if type(bid) is str else bid for bid in previous]
        faults = [fault for index in range(len(bids)) for fault in _side_faults(bids, index, rules)]
        if rules.variant in SPADE_COUNTS and sum(bids) > TRICKS:
            detail = f"the bids sum to {sum(bids)}; expected at most {TRICKS} with variant {VARIANTS[rules.variant]}"
            faults.append(Fault(f"/previous_bids/{len(bids) - 1}", "bid-out-of-range", detail))
    return faults


def _side_faults(bids: list[int], index: int, rules: Rules) -> list[Fault]:
    """What the rules have against bid ``index``, alone or beside the partner's."""
    bid = bids[index]
    partner = bids[index - 2] if index > 1 and rules.variant != CUTTHROAT else NO_BID
    possible = possible_bids(partner, rules)
    if possible >> contract_of(bid) & 1:
        return []
    code, why = _against(bid, partner, possible, rules)
    beside = "" if partner == NO_BID else f" beside the partner's {_bid_text(partner)}"
    detail = f"the bid is {_bid_text(bid)}{beside}; expected {_bids_text(possible)}, for {why}"
    return [Fault(f"/previous_bids/{index}", code, detail)]


def _against(bid: int, partner: int, possible: int, rules: Rules) -> tuple[str, str]:
    """The code and the rule that speaks against a bid outside the ``possible`` ones."""
    if rules.variant == SUICIDE and partner != NO_BID and is_nil(partner) == is_nil(bid):
        return "bid-out-of-range", "in variant suicide one of each side bids nil"
    if not is_nil(bid):
        if bid < rules.min_bid:
            return "bid-out-of-range", f"rules.min_bid is {rules.min_bid}"
        if bid > possible.bit_length() - 1:
            if rules.team_max == UNLIMITED:
                return "team-over-limit", "a side bids 13 at most"
            room = f" and leaves room for the partner's {max(1, rules.min_bid)}" if partner == NO_BID else ""
            return "team-over-limit", f"rules.team_max is {rules.team_max}{room}"
    elif not rules.double_nil and partner != NO_BID and is_nil(partner):
        return "bid-out-of-range", "rules.double_nil is false"
    return "team-under-limit", f"rules.team_min is {rules.team_min}"


def _bid_text(bid: int) -> str:
    return "nil" if bid == 0 else "blind_nil" if bid == BLIND_NIL else str(bid)


def _bids_text(bids: int) -> str:
    """A set of bids (bit b: bid b) whose numbers have no gaps, in words: "nil or 4..9"."""
    numbers = bids & ~1
    if not numbers:
        return "nil"
    low, high = (numbers & -numbers).bit_length() - 1, numbers.bit_length() - 1
    return ("nil or " if bids & 1 else "") + (f"{low}..{high}" if low < high else str(low))


def _bid_fault(where: str, bid: Any, rules: Rules, code: str) -> Fault | None:
    expected = 'expected 0..13, "nil" or "blind_nil"'
    if type(bid) not in (int, str) and not _is_huge(bid):
        return Fault(where, "wrong-type", f"a bid is {_json_type(bid)}; {expected}")
    if _is_huge(bid) or (type(bid) is int and not 0 <= bid <= TRICKS) or (type(bid) is str and bid not in BID_WORDS):
        return Fault(where, code, f"the bid is {quote(bid)}; {expected}")
    if bid == "blind_nil" and not rules.blind_nil:
        return Fault(where, code, "the bid is blind_nil, but rules.blind_nil is false")
    return None


def _legal_bids_faults(items: Any, rules: Rules) -> list[Fault]:
    if type(items) is not list:
        return [Fault("/legal_bids", "wrong-type", f"legal_bids is {_json_type(items)}; expected an array")]
    if not 0 < len(items) <= 15:
        return [Fault("/legal_bids", "illegal-bids", f"{len(items)} legal bids; expected 1..15")]
    faults = []
    seen = set()
    for index, item in enumerate(items):
        where = f"/legal_bids/{index}"
        fault = _bid_fault(where, item, rules, "illegal-bids")
        bid = BID_WORDS.get(item) if type(item) is str else item
        if fault is None and bid in seen:
            fault = Fault(where, "illegal-bids", f"{quote(item)} is there twice")
        if fault:
            faults.append(fault)
        else:
            seen.add(bid)
    if not faults and seen == {BLIND_NIL}:
        faults.append(Fault("/legal_bids", "illegal-bids", "only blind_nil is left, and the hand has been seen"))
    return faults


def _bag_faults(scores: dict[str, Any], rules: Rules) -> list[Fault]:
    faults = []
    for field in ("us_bags", "them_bags"):
        bags = scores.get(field)
        if rules.bags and type(bags) is int and rules.bag_limit <= bags <= 99:
            detail = (
                f"scores.{field} is {bags}; expected 0..{rules.bag_limit - 1}, as the penalty falls at rules.bag_limit"
            )
            faults.append(Fault(f"/scores/{field}", "out-of-range", detail))
    return faults


def _seat_faults(scores: dict[str, Any], rules: Rules) -> list[Fault]:
    """What is wrong with the scores of sides and of seats: the one or the other counts, by the variant."""
    solo = rules.variant == CUTTHROAT
    wanted, others = (SEAT_FIELDS, SIDE_FIELDS) if solo else (SIDE_FIELDS, SEAT_FIELDS)
    expected = f"expected {' and '.join(wanted)} with variant {VARIANTS[rules.variant]}"
    faults = [
        Fault(f"/scores/{field}", "unsupported-field", f"scores.{field} has no use there; {expected}")
        for field in others
        if field in scores
    ]
    if solo:
        most = rules.bag_limit - 1 if rules.bags else 99
        faults += _four_faults("seats", scores.get("seats"), -SCORE_LIMIT, SCORE_LIMIT) if "seats" in scores else []
        faults += _four_faults("bags", scores.get("bags"), 0, most) if "bags" in scores else []
    return faults


def _four_faults(field: str, values: Any, low: int, high: int) -> list[Fault]:
    where, name = f"/scores/{field}", f"scores.{field}"
    if type(values) is not list:
        return [Fault(where, "wrong-type", f"{name} is {_json_type(values)}; expected an array")]
    if len(values) != 4:
        code = "missing-field" if len(values) < 4 else "too-many-items"
        return [Fault(where, code, f"{name} has {len(values)} numbers; expected 4, first bidder first")]
    faults = []
    for index, value in enumerate(values):
        if type(value) is not int:
            detail = f"{name}.{index} is {_json_type(value)}; expected an integer"
            faults.append(Fault(f"{where}/{index}", "wrong-type", detail))
        elif not low <= value <= high:
            detail = f"{name}.{index} is {value}; expected {low}..{high}"
            faults.append(Fault(f"{where}/{index}", "out-of-range", detail))
    return faults


def _policy_faults(text: str) -> list[Fault]:
    base = text.partition(":")[0]
    if len(text) > POLICY_CHARS:
        detail = f"the policy has {len(text)} characters; expected at most {POLICY_CHARS}"
    elif base not in POLICIES:
        detail = f"unknown policy {quote(base)}; expected one of {', '.join(POLICIES)}"
    else:
        try:
            parse_policy(text)
        except PolicyError as error:
            detail = str(error)
        else:
            return []
    return [Fault("/policy", "unknown-policy", detail)]


def _convention_faults(data: dict[str, Any], rules: Rules) -> list[Fault]:
    convention, text = data.get("convention"), data.get("policy", DEFAULT_POLICY)
    if type(convention) is str and convention not in CONVENTIONS:
        detail = f"unknown convention {quote(convention)}; expected one of {', '.join(CONVENTIONS)}"
        return [Fault("/convention", "unsupported-convention", detail)]
    if type(text) is not str or _policy_faults(text):
        return []
    policy = parse_policy(text)
    found = convention if type(convention) is str else CONVENTIONS[policy.convention]
    if found == CONVENTIONS[NO_CONVENTION]:
        return []
    if policy.kind != BIS:
        detail = f"convention {found} with policy {quote(text)}; expected none, for only bis plays one"
        return [Fault("/convention", "unsupported-convention", detail)]
    if rules.variant != PARTNERSHIP:
        detail = f"convention {found} with variant {VARIANTS[rules.variant]}; expected none there"
        return [Fault("/convention", "unsupported-convention", detail)]
    return []


def _win_faults(text: Any, rules: Rules, games: Games) -> list[Fault]:
    """The rule for which `winprob` has no win table."""
    if type(text) is not str or _policy_faults(text) or parse_policy(text).kind != WINPROB:
        return []
    refused = unsupported_field(rules, games)
    if refused is None:
        return []
    field, expected = refused
    found = json.dumps(describe(rules)[field])
    detail = f"{field} is {found} with policy winprob, which has no win table for it; expected {expected}"
    return [Fault(pointer("rules", field), "unsupported-rules", detail)]


def _is_huge(value: object) -> bool:
    """Whether a number is beyond 64 bits: such an integer comes as a float from the JSON reader."""
    return type(value) is float and abs(value) >= 2.0**63


def _json_type(value: object) -> str:
    if _is_huge(value):
        return "a number beyond 64 bits"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    names = {int: "an integer", float: "a number with a fraction", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), type(value).__name__)
