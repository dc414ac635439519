"""Rule sets: the declaration of each rule, the presets, and the conversion from and to the contract's `rules` field.

`Rules` is a flat tuple of ints, so that kernels accept it both as plain Python and compiled. `FIELDS` holds one `Rule`
for each field. Everything that needs the list of fields (the request, the catalogue, the win tables' key, the play
state) derives from it. `make_rules` makes a rule set from a request or a command line. How to add a rule:
docs/how-to/extend.md.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias, get_type_hints

from spades.cards import DECKS, JJDD_DECK, JOKERS_DEUCE_DECK, STANDARD
from spades.errors import RulesError

# ---- how a rule is declared ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flag:
    """The values true and false, stored as 1 and 0."""

    json_type: ClassVar[str] = "boolean"
    expected: ClassVar[str] = "true or false"
    supported: ClassVar[str] = "true, false"

    def number_of(self, value: object) -> int | None:
        """Return the number that is stored for a JSON value, or None if the value is not accepted."""
        return int(value) if isinstance(value, bool) else None

    def json_of(self, number: int) -> bool:
        """Return the JSON value of a stored number: the inverse of `number_of`."""
        return bool(number)


@dataclass(frozen=True)
class Integer:
    """Integers from ``low`` to ``high``. If ``null`` is given, JSON null is also accepted and stored as that number."""

    low: int
    high: int
    null: int | None = None
    json_type: ClassVar[str] = "integer"

    @property
    def expected(self) -> str:
        """The accepted values, for an error message."""
        return f"an integer {self.low}..{self.high}" + ("" if self.null is None else " or null")

    @property
    def supported(self) -> str:
        """The accepted values, for the catalogue."""
        return f"{self.low}..{self.high}" + ("" if self.null is None else ", null")

    def number_of(self, value: object) -> int | None:
        """Return the number that is stored for a JSON value, or None if the value is not accepted."""
        if value is None:
            return self.null
        return value if type(value) is int and self.low <= value <= self.high else None

    def json_of(self, number: int) -> int | None:
        """Return the JSON value of a stored number: the inverse of `number_of`."""
        return None if number == self.null else number


@dataclass(frozen=True)
class Word:
    """A closed list of words, stored as the index of the word. If ``null`` is given, JSON null stands for that word."""

    words: tuple[str, ...]
    null: str | None = None
    json_type: ClassVar[str] = "string"

    @property
    def expected(self) -> str:
        """The accepted values, for an error message."""
        return f"one of {self.supported}"

    @property
    def supported(self) -> str:
        """The accepted values, for the catalogue."""
        return ", ".join((*self.json_words, *(("null",) if self.null else ())))

    @property
    def json_words(self) -> tuple[str, ...]:
        """The words that JSON values use: all but the one that stands for null."""
        return tuple(word for word in self.words if word != self.null)

    def number_of(self, value: object) -> int | None:
        """Return the number that is stored for a JSON value, or None if the value is not accepted."""
        if value is None and self.null is not None:
            return self.words.index(self.null)
        return self.words.index(value) if isinstance(value, str) and value in self.json_words else None

    def json_of(self, number: int) -> str | None:
        """Return the JSON value of a stored number: the inverse of `number_of`."""
        word = self.words[number]
        return None if word == self.null else word


Values: TypeAlias = Flag | Integer | Word


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The declaration of one field of `Rules`. Its name, type and default are in `Rules` itself."""

    values: Values  # the JSON values that it takes
    meaning: str  # a plain sentence for callers
    fixed_in: tuple[int, ...]  # the variants in which only the default is accepted
    seen_by_ignore: bool  # whether a policy with rules=ignore sees the value; otherwise it sees the default
    games_column: int | None  # its column in the table `games` if it changes a win table: the next free one
    only_with: str | None = None  # name of a flag; if that flag is off, the value has no effect
    name: str = ""  # set by `fields_of`, as is the default
    default: int = 0

    @property
    def json_default(self) -> object:
        """The default as a JSON value."""
        return self.values.json_of(self.default)


def fields_of(rules_class: type) -> Mapping[str, Rule]:
    """Return the `Rule` of each field of a named tuple, by name and in field order.

    Raises `TypeError` for a field without a `Rule` or without a default.
    """
    defaults: Mapping[str, int] = rules_class._field_defaults  # type: ignore[attr-defined]
    declared: dict[str, Rule] = {}
    for name, hint in get_type_hints(rules_class, include_extras=True).items():
        rules = [rule for rule in getattr(hint, "__metadata__", ()) if isinstance(rule, Rule)]
        if not rules or name not in defaults:
            raise TypeError(f"{rules_class.__name__}.{name}: declare it as Annotated[int, Rule(...)] = DEFAULT")
        declared[name] = replace(rules[0], name=name, default=defaults[name])
    return MappingProxyType(declared)


# ---- the rules -------------------------------------------------------------------------------------------------------

NO_LOSING_GOAL = -(10**6)  # value of `lose` if there is no losing goal
UNLIMITED = 26  # value of `team_max` if there is no limit
FIRST_FIELDS = 16  # number of fields that `Rules` had when seeds and manifests were first made from it
TRICKS_ARE_BAGS, TRICKS_COUNT_FOR_CONTRACT, TRICKS_ARE_NOTHING = range(3)  # values of failed_nil_tricks
SET_COSTS_CONTRACT, SET_COSTS_MISSING, SET_COSTS_NOTHING = range(3)  # values of set_points
TWO_NILS = -1  # value of `double_nil_points` if a double nil counts as two nils
NO_BLIND_NUMBERS = 0  # value of `blind_min` if no number may be bid blind
LEAST_BLIND = 6  # smallest number that any rules let a player bid blind
SPADES_WHEN_BROKEN, SPADES_AT_ANY_TIME = range(2)  # values of spades_lead
FIRST_BIDDER_LEADS, LOWEST_CLUB_LEADS = range(2)  # values of first_lead
VARIANTS = ("partnership", "cutthroat", "mirror", "whiz", "whiz_strict", "suicide", "jokers")
PARTNERSHIP, CUTTHROAT, MIRROR, WHIZ, WHIZ_STRICT, SUICIDE, JOKERS = range(len(VARIANTS))

# A variant fixes the fields that it does not use: only the default is accepted. Another value would have no effect, so
# it is refused.
_SPADES_COUNT = (MIRROR, WHIZ, WHIZ_STRICT)  # a number bid is the number of spades held
_WITHOUT_NIL_RULES = (CUTTHROAT, *_SPADES_COUNT, SUICIDE)  # double_nil, blind_nil and blind_min do not apply
_WITHOUT_CONTRACT_RULES = (CUTTHROAT, *_SPADES_COUNT)  # team_min and team_max do not apply
_WITH_DECKS = (CUTTHROAT, WHIZ, JOKERS)  # variants with a choice of decks


class Rules(NamedTuple):
    """One rule set. The defaults are preset `classic`.

    Units are points and tricks; flags are 0 or 1. Add new fields at the end. `games_column`: the field's column in the
    file tables/data/games.npy. A new field takes the next free column, or None if it changes no win table.
    `Rule` explains all arguments.
    """

    win: Annotated[
        int,
        Rule(
            values=Integer(1, 10_000),
            meaning="Points at which a side wins the game.",
            fixed_in=(),
            seen_by_ignore=True,
            games_column=0,
        ),
    ] = 500
    lose: Annotated[
        int,
        Rule(
            values=Integer(-10_000, -1, null=NO_LOSING_GOAL),
            meaning="Points at or below which a side loses the game; null: no losing goal.",
            fixed_in=(),
            seen_by_ignore=True,
            games_column=1,
        ),
    ] = NO_LOSING_GOAL
    nil_points: Annotated[
        int,
        Rule(
            values=Integer(0, 1000),
            meaning="Points won for a nil that is made and lost for one that fails.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=4,
            only_with="nil",
        ),
    ] = 100
    blind_nil_points: Annotated[
        int,
        Rule(
            values=Integer(0, 2000),
            meaning="Points won for a blind nil that is made and lost for one that fails.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=None,
        ),
    ] = 200
    double_nil: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether both partners may bid nil in the same round.",
            fixed_in=_WITHOUT_NIL_RULES,
            seen_by_ignore=False,
            games_column=None,
        ),
    ] = 1
    blind_nil: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether blind nil, a nil bid before seeing the hand, is allowed.",
            fixed_in=_WITHOUT_NIL_RULES,
            seen_by_ignore=True,
            games_column=None,
        ),
    ] = 0
    blind_nil_deficit: Annotated[
        int,
        Rule(
            values=Integer(0, 10_000),
            meaning="Points that a side must be behind to bid blind.",
            fixed_in=(),
            seen_by_ignore=True,
            games_column=None,
        ),
    ] = 100
    bags: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether overtricks count as bags, one point each, with a penalty for too many.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=2,
        ),
    ] = 1
    bag_limit: Annotated[
        int,
        Rule(
            values=Integer(1, 100),
            meaning="Number of bags that costs the bag penalty.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=3,
            only_with="bags",
        ),
    ] = 10
    bag_penalty: Annotated[
        int,
        Rule(
            values=Integer(0, 1000),
            meaning="Points lost each time that the bag limit is reached.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=11,
            only_with="bags",
        ),
    ] = 100
    failed_nil_tricks: Annotated[
        int,
        Rule(
            values=Word(("bags", "contract", "none")),
            meaning="What the tricks of a failed nil are: bags, tricks towards the partner's contract, or nothing.",
            fixed_in=(CUTTHROAT,),
            seen_by_ignore=False,
            games_column=5,
            only_with="nil",
        ),
    ] = TRICKS_ARE_BAGS
    min_bid: Annotated[
        int,
        Rule(
            values=Integer(0, 6),
            meaning="Smallest bid, in tricks, that is not a nil; 0 and 1 allow the same bids.",
            fixed_in=_SPADES_COUNT,
            seen_by_ignore=False,
            games_column=6,
        ),
    ] = 0
    team_min: Annotated[
        int,
        Rule(
            values=Integer(0, 6),
            meaning="Smallest contract of a side, in tricks; a nil adds nothing to it.",
            fixed_in=_WITHOUT_CONTRACT_RULES,
            seen_by_ignore=False,
            games_column=7,
        ),
    ] = 0
    team_max: Annotated[
        int,
        Rule(
            values=Integer(7, 13, null=UNLIMITED),
            meaning="Largest contract of a side, in tricks; null: no limit.",
            fixed_in=_WITHOUT_CONTRACT_RULES,
            seen_by_ignore=False,
            games_column=8,
        ),
    ] = UNLIMITED
    ten_for_200: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether a contract of exactly ten tricks wins or loses 200 points.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=9,
        ),
    ] = 0
    variant: Annotated[
        int,
        Rule(
            values=Word(VARIANTS),
            meaning="The variant of the game: who plays together, and how bids are made.",
            fixed_in=(),
            seen_by_ignore=True,
            games_column=10,
        ),
    ] = PARTNERSHIP
    deck: Annotated[
        int,
        Rule(
            values=Word(tuple(deck.name for deck in DECKS), null=DECKS[STANDARD].name),
            meaning="The deck; null: deck jokers in variant jokers, the standard deck in other variants.",
            fixed_in=tuple(variant for variant in range(len(VARIANTS)) if variant not in _WITH_DECKS),
            seen_by_ignore=True,
            games_column=12,
        ),
    ] = STANDARD
    nil_pass: Annotated[
        int,
        Rule(
            values=Integer(0, 4),
            meaning="Number of cards that a nil bidder and partner each give to the other after the bidding.",
            fixed_in=(CUTTHROAT,),
            seen_by_ignore=False,
            games_column=13,
            only_with="nil",
        ),
    ] = 0
    blind_nil_pass: Annotated[
        int,
        Rule(
            values=Integer(0, 4),
            meaning="Number of cards that a blind nil bidder and partner each give to the other after the bidding.",
            fixed_in=(CUTTHROAT,),
            seen_by_ignore=False,
            games_column=None,
        ),
    ] = 0
    nil_passes_first: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether the nil bidder gives first, so that partner sees those cards before giving.",
            fixed_in=(CUTTHROAT,),
            seen_by_ignore=True,
            games_column=None,
        ),
    ] = 0
    nil: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether nil may be bid.",
            fixed_in=(*_SPADES_COUNT, SUICIDE),
            seen_by_ignore=False,
            games_column=14,
        ),
    ] = 1
    bag_points: Annotated[
        int,
        Rule(
            values=Integer(-1, 1),
            meaning="Points of each bag, before the bag penalty; a game without the penalty has a bag_penalty of 0.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=15,
            only_with="bags",
        ),
    ] = 1
    set_points: Annotated[
        int,
        Rule(
            values=Word(("contract", "missing", "none")),
            meaning="What a set contract costs: its own points, ten points for each missing trick, or nothing.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=16,
        ),
    ] = SET_COSTS_CONTRACT
    slam_points: Annotated[
        int,
        Rule(
            values=Integer(0, 1000),
            meaning="Points that a side wins in addition if it takes all 13 tricks.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=17,
        ),
    ] = 0
    double_nil_points: Annotated[
        int,
        Rule(
            values=Integer(0, 2000, null=TWO_NILS),
            meaning="If both partners bid nil, not blind: points won if both make it, lost otherwise; null: two nils.",
            fixed_in=_WITHOUT_NIL_RULES,
            seen_by_ignore=False,
            games_column=18,
            only_with="nil",
        ),
    ] = TWO_NILS
    sum_not_13: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether the last bidder may not bid the number with which the four bids sum to 13.",
            fixed_in=_SPADES_COUNT,
            seen_by_ignore=False,
            games_column=19,
        ),
    ] = 0
    spades_lead: Annotated[
        int,
        Rule(
            values=Word(("broken", "any")),
            meaning="When spades may be led: after a spade was played (or with spades only), or at any time.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=20,
        ),
    ] = SPADES_WHEN_BROKEN
    first_lead: Annotated[
        int,
        Rule(
            values=Word(("any", "lowest_club")),
            meaning="The first lead: any card of the first bidder, or the lowest club of the seat that holds it.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=21,
        ),
    ] = FIRST_BIDDER_LEADS
    first_trick_spades: Annotated[
        int,
        Rule(
            values=Flag(),
            meaning="Whether spades may be played to the first trick by a seat that has other cards.",
            fixed_in=(),
            seen_by_ignore=False,
            games_column=22,
        ),
    ] = 1
    blind_min: Annotated[
        int,
        Rule(
            values=Integer(LEAST_BLIND, 13, null=NO_BLIND_NUMBERS),
            meaning="Smallest number that may be bid before seeing the hand, which doubles the points of the side's "
            "contract; null: none.",
            fixed_in=_WITHOUT_NIL_RULES,
            seen_by_ignore=False,
            games_column=23,
        ),
    ] = NO_BLIND_NUMBERS


FIELDS = fields_of(Rules)


# ---- the presets -----------------------------------------------------------------------------------------------------

# name: (rules, what a caller reads about them)
_PRESETS = {
    "classic": (Rules(), "goal 500, nil 100, every tenth bag costs 100"),
    # ECAI 2020, section 5.1 (goals) and section 2. In the paper's example the penalty also takes the ten points of the
    # ten bags, hence 110.
    "bis-paper": (
        Rules(win=200, lose=-100, bag_penalty=110),
        "the games of ECAI 2020: goal 200, losing goal -100, ten bags cost 110",
    ),
    # Settings that Spades apps offer.
    "short": (Rules(win=250), "goal 250"),
    "quick": (Rules(win=200, lose=-200), "goal 200, losing goal -200"),
    "single-nil": (Rules(double_nil=0), "only one of two partners may bid nil"),
    "blind-nil": (Rules(blind_nil=1), "blind nil for 200 when 100 or more behind"),
    "no-bags": (Rules(bags=0), "overtricks count nothing"),
    "five-bags": (Rules(bag_limit=5, bag_penalty=50), "every fifth bag costs 50"),
    "nil-50": (Rules(nil_points=50, blind_nil_points=100), "nil 50, blind nil 100"),
    "board-4": (Rules(team_min=4), "each side bids four or more tricks in all; a nil counts 0"),
    "ten-for-200": (Rules(ten_for_200=1), "a contract of exactly ten wins or loses 200"),
    "cutthroat": (Rules(win=300, variant=CUTTHROAT), "four players without partners; goal 300"),
    "mirror": (Rules(variant=MIRROR), "everyone bids the number of their spades"),
    "whiz": (Rules(variant=WHIZ), "everyone bids the number of their spades, or nil"),
    "whiz-strict": (Rules(variant=WHIZ_STRICT), "everyone bids the number of their spades; without spades, nil"),
    # The partner of the nil bids four or more. A side gains only two points a round on average, so most games would not
    # end without a losing goal.
    "suicide": (
        Rules(lose=-200, variant=SUICIDE, team_min=4),
        "one of two partners bids nil, the other four or more; losing goal -200",
    ),
    "jokers": (Rules(variant=JOKERS), "two jokers above the ace of spades, without the deuces of hearts and clubs"),
    "jokers-deuce": (
        Rules(variant=JOKERS, deck=JOKERS_DEUCE_DECK),
        "jokers, with the deuce of spades as the third highest trump",
    ),
    "jjdd": (
        Rules(variant=JOKERS, deck=JJDD_DECK),
        "jokers, with the deuces of diamonds and spades as the next trumps",
    ),
    "pass-2": (Rules(nil_pass=2, blind_nil_pass=2), "a nil bidder and partner exchange two cards"),
    "pass-4": (Rules(nil_pass=4, blind_nil_pass=4), "a nil bidder and partner exchange four cards"),
}
PRESETS = {name: rules for name, (rules, _) in _PRESETS.items()}
PRESET_DESCRIPTIONS = {name: description for name, (_, description) in _PRESETS.items()}
CLASSIC = PRESETS["classic"]


def make_rules(preset: str = "classic", overrides: Mapping[str, object] | None = None) -> Rules:
    """Return the rules of a preset with some fields changed.

    ``overrides`` maps field names of the contract to JSON values. If it has a deck (not null) but no variant, and the
    preset's variant is partnership, the variant becomes jokers. Raises `RulesError`, which names the field, for an
    unknown preset or field, for a value of the wrong type or out of range, and for a combination that is not supported.
    """
    rules = PRESETS.get(preset)
    if rules is None:
        raise RulesError("preset", f"unknown preset {preset!r}; accepted: {', '.join(PRESETS)}")
    if not overrides:
        return rules
    changed = rules._replace(**{field: _value(field, value) for field, value in overrides.items()})
    if changed.deck != STANDARD and changed.variant == PARTNERSHIP and "variant" not in overrides:
        changed = changed._replace(variant=JOKERS)
    _check_together(changed)
    return changed


def _value(field: str, value: object) -> int:
    rule = FIELDS.get(field)
    if rule is None:
        raise RulesError(field, f"unknown rule {field!r}; accepted: {', '.join(FIELDS)}")
    number = rule.values.number_of(value)
    if number is None:
        raise RulesError(field, f"{field} is {value!r}; accepted: {rule.values.expected}")
    return number


def _check_together(rules: Rules) -> None:
    """Raise `RulesError` if this combination of values is not supported."""
    for number, rule in zip(rules, FIELDS.values(), strict=True):
        if number != rule.default and rules.variant in rule.fixed_in:
            value, accepted = json.dumps(rule.values.json_of(number)), json.dumps(rule.json_default)
            raise RulesError(
                rule.name, f"{rule.name} is {value} with variant {VARIANTS[rules.variant]}; accepted: {accepted}"
            )
    if rules.blind_nil and not rules.nil:
        raise RulesError("blind_nil", "blind_nil is true with nil false; accepted: false")
    if rules.double_nil_points != TWO_NILS and not rules.double_nil:
        found = f"double_nil_points is {rules.double_nil_points} with double_nil false"
        raise RulesError("double_nil_points", f"{found}; accepted: null")
    if rules.bag_points != 1 and not rules.bags:
        raise RulesError("bag_points", f"bag_points is {rules.bag_points} with bags false; accepted: 1")
    least = max(2 * rules.min_bid, rules.team_min)
    if rules.team_max < least:
        raise RulesError(
            "team_max",
            f"team_max is {rules.team_max} with min_bid {rules.min_bid} and team_min {rules.team_min}; "
            f"accepted: {least} or more",
        )


def describe(rules: Rules) -> dict[str, object]:
    """Return all fields of the rules with JSON values, as in the contract; `make_rules` turns them back into rules."""
    return {rule.name: rule.values.json_of(number) for number, rule in zip(rules, FIELDS.values(), strict=True)}


def overrides_of(rules: Rules) -> dict[str, object]:
    """Return the fields in which ``rules`` differs from preset `classic`, with JSON values, as a request sends them.

    >>> overrides_of(PRESETS["board-4"])
    {'team_min': 4}
    """
    plain = describe(Rules())
    return {field: value for field, value in describe(rules).items() if value != plain[field]}


def seed_values(rules: Rules) -> tuple[object, ...]:
    """Return the values from which a random seed is made.

    These are the values of the first FIRST_FIELDS fields, and the names and values of later fields that are not at
    their default. So a new rule does not change the seed of a game that does not use it.
    """
    later = zip(Rules._fields[FIRST_FIELDS:], rules[FIRST_FIELDS:])
    return *rules[:FIRST_FIELDS], *[(name, value) for name, value in later if value != FIELDS[name].default]


def rules_maker(module: str, argument: str, values: Iterable[str]) -> Callable[[Any], Rules]:
    """Return a kernel of ``module`` that makes `Rules` from its only argument.

    ``values`` has one Python expression for each field, in field order; ``argument`` is the argument's name in these
    expressions. The kernel is generated for two reasons: numba cannot compile a loop that fills a named tuple, and a
    list of the fields written by hand could miss a new field without an error. Raises `TypeError` if the number of
    expressions is wrong.
    """
    expressions = list(values)
    if len(expressions) != len(FIELDS):
        raise TypeError(f"found {len(expressions)} expressions; accepted: {len(FIELDS)}, one for each field of Rules")
    source = f"lambda {argument}: Rules({', '.join(expressions)})"
    maker: Callable[[Any], Rules] = eval(source, {"Rules": Rules, "__name__": module})
    return maker
