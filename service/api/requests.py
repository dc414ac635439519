"""Requests: a JSON value that asks for one bid -> a `BidCall`.

Not the reading of bytes (`body.py`), not the deciding (`bid.py`). There are two readers of one contract:
`read_fast` here takes the requests that are right, in a few microseconds, and gives up at the first doubt;
`faults.faults_of` then names all that is wrong, slowly. What the first accepts the second finds no fault in,
and the other way round; a property test holds them together.
"""

from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from service.bidding.bidder import BLIND_NIL, Position
from service.bidding.bis.cutthroat import own_and_best
from service.bidding.errors import PolicyError, RulesError
from service.bidding.game.auction import NO_BID
from service.bidding.game.cards import DECK, JOKER_DECK, PBN_JOKERS, RANKS, SUITS, parse_card, pbn_card
from service.bidding.game.legal import pair_allowed
from service.bidding.game.rules import (
    CUTTHROAT,
    JOKERS,
    MIRROR,
    PARTNERSHIP,
    PRESETS,
    WHIZ,
    WHIZ_STRICT,
    Rules,
    make_rules,
)
from service.bidding.policies import (
    BIS,
    CONVENTIONS,
    FULL_LEVEL,
    NO_CONVENTION,
    SERVED,
    WINPROB,
    Policy,
    parse_policy,
    with_skill,
)
from service.bidding.record import record
from service.bidding.skill import position_seed
from service.bidding.winprob.games import SHIPPED, Games, key_of
from service.schemas import MAX_SEED, POLICY_CHARS, SCORE_LIMIT

POLICIES: Final = SERVED
DEFAULT_POLICY: Final = "bis"
DEFAULT_PRESET: Final = "classic"
STYLE_FIELDS: Final = ("aggression", "nil_bias")
MAX_PBN_CHARS: Final = 64
MAX_RULES_BYTES: Final = 2048  # no rules that can be used are longer
TRICKS: Final = 13

SPADE_COUNTS: Final = (MIRROR, WHIZ, WHIZ_STRICT)  # variants in which a number bid is the hand's spades

BID_WORDS = {str(bid): bid for bid in range(14)} | {"nil": 0, "blind_nil": BLIND_NIL}
CLASSIC = PRESETS[DEFAULT_PRESET]
SIDE_FIELDS = ("us", "them", "us_bags", "them_bags")  # of `scores`, where two sides play
_of_sides = itemgetter(*SIDE_FIELDS)
SEAT_FIELDS = ("seats", "bags")  # where four seats do
NO_SCORES = (0, 0, 0, 0)
FourInts: TypeAlias = tuple[int, int, int, int]
_DEFAULT_RULES = {"preset": DEFAULT_PRESET}


def _card_bits() -> dict[str, int]:
    """Every accepted spelling of a card -> its bit, the jokers too; `deck_of` tells which a variant has."""
    bits = {}
    for suit in SUITS:
        for rank in (*RANKS, "10"):
            bit = 1 << parse_card(rank + suit)
            bits.update({r + s: bit for r in (rank, rank.lower()) for s in (suit, suit.lower())})
    for joker in PBN_JOKERS:
        bits.update({r + s: 1 << parse_card(joker + "J") for r in (joker, joker.lower()) for s in "Jj"})
    return bits


CARD_BITS = _card_bits()
_bit_of = CARD_BITS.__getitem__


class BidCall(NamedTuple):
    """A request that can be decided. ``base`` and ``convention`` are the metrics' labels."""

    position: Position
    policy: Policy
    policy_text: str
    base: str  # the policy's name without options
    convention: str
    legal: tuple[int, ...] | None
    explain: bool
    assumed: list[str]
    seed: int = 0  # of the lots, where the policy draws any


def read_fast(data: Any, games: Games = SHIPPED) -> BidCall | None:
    """The call that ``data`` makes, or None at any doubt; then ask `faults_of`. ``games`` have a win table."""
    if type(data) is not dict:
        return None
    try:
        hand = _hand_bits(data["hand"])
        previous, seat = data["previous_bids"], data["seat"]
    except KeyError:
        return None
    if not hand or type(previous) is not list or type(seat) is not int or seat != len(previous) or seat > 3:
        return None
    used = 3
    assumed: list[str] = []

    rules = CLASSIC
    if "rules" in data:
        used += 1
        given = data["rules"]
        if type(given) is not dict:
            return None
        if given != _DEFAULT_RULES:
            found = _rules(given)
            if found is None:
                return None
            rules = found
        if "preset" not in given:
            assumed.append("rules.preset")
    else:
        assumed.append("rules.preset")
    if hand & ~(DECK if rules is CLASSIC else deck_of(rules)):
        return None

    bids = bids_of(previous, rules)
    if bids is None:
        return None

    us = them = us_bags = them_bags = 0
    by_seat = NO_SCORES
    if rules.variant == CUTTHROAT:
        if "scores" in data:
            used += 1
        standing = standing_of(data.get("scores", {}), rules)
        if standing is None:
            return None
        by_seat, bags = standing
        us, them = own_and_best(seat, by_seat)
        us_bags = bags[seat]
        assumed += _missing(data.get("scores"), SEAT_FIELDS)
    elif "scores" in data:
        used += 1
        scores = data["scores"]
        if type(scores) is not dict:
            return None
        try:
            us, them, us_bags, them_bags = _of_sides(scores)
        except KeyError:
            missing = [field for field in SIDE_FIELDS if field not in scores]
            assumed += [f"scores.{field}" for field in missing]
            scores = scores | dict.fromkeys(missing, 0)
            us, them, us_bags, them_bags = _of_sides(scores)
        if len(scores) != 4:  # an unknown field
            return None
        if not (type(us) is int and type(them) is int and type(us_bags) is int and type(them_bags) is int):
            return None
        most = rules.bag_limit if rules.bags else 100
        if not (0 <= us_bags < most and 0 <= them_bags < most):
            return None
        if not (-SCORE_LIMIT <= us <= SCORE_LIMIT and -SCORE_LIMIT <= them <= SCORE_LIMIT):
            return None
    else:
        assumed.append("scores")

    text = DEFAULT_POLICY
    if "policy" in data:
        used += 1
        text = data["policy"]
        if type(text) is not str or len(text) > POLICY_CHARS:
            return None
    else:
        assumed.append("policy")
    convention = None
    if "convention" in data:
        used += 1
        convention = data["convention"]
        if convention not in CONVENTIONS:  # before the look-up, which keeps what it is asked
            return None
    else:
        assumed.append("convention")
    chosen = policy_of(text, convention, rules.variant)
    if chosen is None:
        return None
    policy, base, convention = chosen
    if policy.kind == WINPROB and key_of(rules) not in games:
        return None

    explain = True
    legal = seed = None
    if used < len(data):
        if "explain" in data:
            used += 1
            explain = data["explain"]
            if type(explain) is not bool:
                return None
        if "seed" in data:
            used += 1
            seed = data["seed"]
            if seed is not None and not (type(seed) is int and 0 <= seed <= MAX_SEED):
                return None
        if "legal_bids" in data:
            used += 1
            if data["legal_bids"] is not None:
                legal = legal_bids(data["legal_bids"], rules)
                if legal is None:
                    return None
        if "level" in data or "style" in data:
            used += ("level" in data) + ("style" in data)
            asked = grade_of(data.get("level"), data.get("style"), policy)
            if asked is None:
                return None
            policy = asked
        if used < len(data):
            return None
    position = record(Position, (hand, bids, us, them, us_bags, them_bags, rules, by_seat))
    if policy.noise_sd:
        if seed is None:
            seed = position_seed(position)
            assumed.append("seed")
        return BidCall(position, policy, text, base, convention, legal, explain, assumed, seed)
    return record(BidCall, (position, policy, text, base, convention, legal, explain, assumed, 0))


def grade_of(level: Any, style: Any, policy: Policy) -> Policy | None:
    """``policy`` with the request's `level` and `style`; None when they can't be used.

    What they name is theirs, what they leave out or null stays the policy's own.
    """
    if level is not None:
        if type(level) is not int or not 1 <= level <= FULL_LEVEL:
            return None
        policy = policy._replace(level=level)
    if style is not None:
        if type(style) is not dict or not style.keys() <= set(STYLE_FIELDS):
            return None
        for value in style.values():
            if type(value) not in (int, float) or not -1 <= value <= 1:
                return None
        aggression = float(style.get("aggression", policy.aggression))
        policy = policy._replace(aggression=aggression, nil_bias=float(style.get("nil_bias", policy.nil_bias)))
    return with_skill(policy)


def standing_of(scores: Any, rules: Rules) -> tuple[FourInts, FourInts] | None:
    """Scores and bags by seat in bidding order, 0 where left out; None when they can't be used."""
    if type(scores) is not dict or not scores.keys() <= set(SEAT_FIELDS):
        return None
    most = rules.bag_limit if rules.bags else 100
    seats = _four(scores.get("seats", NO_SCORES), -SCORE_LIMIT, SCORE_LIMIT)
    bags = _four(scores.get("bags", NO_SCORES), 0, most - 1)
    return None if seats is None or bags is None else (seats, bags)


def _four(values: object, low: int, high: int) -> FourInts | None:
    if values is NO_SCORES:
        return NO_SCORES
    if type(values) is not list or len(values) != 4:
        return None
    for value in values:
        if type(value) is not int or not low <= value <= high:
            return None
    four: FourInts = (values[0], values[1], values[2], values[3])
    return four


def _missing(scores: Any, fields: tuple[str, ...]) -> list[str]:
    if scores is None:
        return ["scores"]
    return [f"scores.{field}" for field in fields if field not in scores]


def deck_of(rules: Rules) -> int:
    """The cards that are dealt, as bits."""
    return JOKER_DECK if rules.variant == JOKERS else DECK


def _hand_bits(cards: Any) -> int:
    """The hand's bits, or 0 when it is not 13 known cards, each once."""
    if type(cards) is list:
        if len(cards) != TRICKS:
            return 0
        try:
            bits = sum(map(_bit_of, cards))
        except (KeyError, TypeError):  # unknown, or not even hashable
            return 0
        return bits if bits.bit_count() == TRICKS else 0  # a card that stands twice carries: fewer bits than cards
    names = pbn_names(cards) if type(cards) is str else None
    return _hand_bits(names) if names else 0


def pbn_names(text: str) -> list[str] | None:
    """Card names of a PBN text (jokers: spades B and L), unchecked; None when it has not four suits or is too long."""
    if len(text) > MAX_PBN_CHARS:
        return None
    suits = text.strip().replace("10", "T").split(".")
    if len(suits) != 4:
        return None
    return [pbn_card(rank, suit) for suit, ranks in zip("SHDC", suits, strict=True) for rank in ranks]


def bids_of(previous: list[Any], rules: Rules) -> tuple[int, ...] | None:
    """Previous bids as ints, or None when one is no bid or one side's two can't stand together."""
    bids = []
    for bid in previous:
        if type(bid) is str:
            bid = BID_WORDS.get(bid, -1)
        elif type(bid) is not int or bid > TRICKS:
            return None
        if bid < 0 or (bid == BLIND_NIL and not rules.blind_nil):
            return None
        bids.append(bid)
    if len(bids) == 3:
        if not (pair_allowed(bids[0], bids[2], rules) and pair_allowed(bids[1], NO_BID, rules)):
            return None
    elif rules is not CLASSIC and not all(pair_allowed(bid, NO_BID, rules) for bid in bids):
        return None
    if rules.variant in SPADE_COUNTS and sum(bids) > TRICKS:
        return None
    return tuple(bids)


def legal_bids(items: Any, rules: Rules) -> tuple[int, ...] | None:
    """The legal bids sorted, without a blind nil (the hand is seen); None when the list can't be used."""
    if type(items) is not list or not 0 < len(items) <= 15:
        return None
    bids: set[int] = set()
    for item in items:
        if type(item) is str:
            bid = BID_WORDS.get(item, -1)
            if bid == BLIND_NIL and not rules.blind_nil:
                return None
        else:
            bid = item if type(item) is int and item <= TRICKS else -1
        if bid < 0 or bid in bids:
            return None
        bids.add(bid)
    return tuple(sorted(bids - {BLIND_NIL})) or None


def _rules(given: dict[str, Any]) -> Rules | None:
    try:
        text = orjson.dumps(given)
    except orjson.JSONEncodeError:  # nested deeper than it writes; no rule is nested at all
        return None
    return _rules_of(text) if len(text) <= MAX_RULES_BYTES else None


@lru_cache(maxsize=1024)
def _rules_of(text: bytes) -> Rules | None:
    """Rules from the JSON text of the request's `rules`; None when a value is not supported."""
    overrides = orjson.loads(text)
    preset = overrides.pop("preset", DEFAULT_PRESET)
    try:
        return make_rules(preset, overrides)
    except (RulesError, TypeError):  # TypeError: a preset that is a list or an object
        return None


@lru_cache(maxsize=1024)
def policy_of(text: str, convention: str | None, variant: int) -> tuple[Policy, str, str] | None:
    """The policy with its convention, its base name and the convention's; None when the service does not offer it.

    ``convention``: the request's field, or None where it was left out and the policy's own option stands.
    """
    base = text.partition(":")[0]
    if base not in POLICIES:
        return None
    try:
        policy = parse_policy(text, variant)
    except PolicyError:
        return None
    if convention is not None:
        if convention not in CONVENTIONS:
            return None
        policy = policy._replace(convention=CONVENTIONS.index(convention))
    if policy.convention != NO_CONVENTION and (policy.kind != BIS or variant != PARTNERSHIP):
        return None
    return policy, base, CONVENTIONS[policy.convention]
