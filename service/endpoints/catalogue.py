"""GET /v1/policies, /v1/rules and /v1/reasons: what a request can name, and the reasons that an answer can give.

The answers are made from the same lists that the bidding code reads, so that they match what is accepted.
"""

from functools import cache
from typing import Annotated, Any, Literal, NotRequired

import orjson
from pydantic import Field, with_config
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypedDict

from service.requests import app_state, json_response
from spades.cards import CARD_NAMES, DECKS, SUITS
from spades.contract.answer_types import ANSWER_CONFIG, TablesVersion
from spades.contract.fields import DEFAULT_POLICY, DEFAULT_PRESET, POLICIES, POLICY_PATTERN, RuleSet
from spades.options import BIS
from spades.policies import BEST, BEST_DECIDERS, POLICY_KINDS, decider_of, kind_of, options_of
from spades.reasons import NUMBERS, REASONS, Subject, numbers_in
from spades.rules import FIELDS, PRESET_DESCRIPTIONS, PRESETS, VARIANTS, Rule, describe, overrides_of
from spades.set_options import SetOptions
from spades.strength import Measured, Results, read_results, strength_of, texts_of_catalogue, win_rates_of
from spades.winprob import SHIPPED, WON_VARIANTS, Games, all_rules


@with_config(ANSWER_CONFIG)
class WinRate(TypedDict):
    """How often a policy wins games against another one, measured in the arena."""

    opponent: str
    win_percent: float
    interval_percent: Annotated[list[float], Field(description="The 95% interval: low, high.")]
    rules: Annotated[RuleSet, Field(description="The rules of the games, such as the goal: changes to preset classic.")]
    card_player: Annotated[str, Field(description="Who played the cards on both sides, with its version.")]
    pairs: Annotated[int, Field(description="Duplicate pairs: each deal was played twice, with the sides swapped.")]
    tables: TablesVersion


@with_config(ANSWER_CONFIG)
class TypicalTime(TypedDict):
    """Microseconds of one decision on a shared core, a median. Machines differ; the ratios differ less."""

    plain_us: Annotated[float, Field(description="With explain false.")]
    explained_us: Annotated[float, Field(description="With explain true.")]


@with_config(ANSWER_CONFIG)
class PolicyInfo(TypedDict):
    """A policy that a request can name."""

    policy: Annotated[str, Field(description="The policy's text in a request.", pattern=POLICY_PATTERN)]
    version: str
    description: str
    options: list[str]
    deciders: NotRequired[
        Annotated[list[str], Field(description="best only: its candidates. The first that takes the rules decides.")]
    ]
    variants: Annotated[list[str], Field(description="The variants in which it bids.")]
    needs_win_table: Annotated[bool, Field(description="True: it values scores by the nearest of win_tables.")]
    typical_time: TypicalTime
    strength: Annotated[str | None, Field(description="Its results, with the page they are from. Null: not measured.")]
    win_rates: Annotated[list[WinRate], Field(description="The same as numbers. Empty: not measured.")]


@with_config(ANSWER_CONFIG)
class TableOptions(TypedDict):
    """Options that tables give to a policy in a variant. A policy text with such an option keeps its own."""

    policy: str
    variant: str
    options: Annotated[str, Field(description="As in a policy text.")]


@with_config(ANSWER_CONFIG)
class PoliciesAnswer(TypedDict):
    """The policies, `best` first."""

    default: str
    policies: list[PolicyInfo]
    win_tables: Annotated[
        list[RuleSet],
        Field(
            description="The rules that have a win table, each as changes to preset classic, as in a request's rules. "
            "Rules that change no win table, such as blind_nil, may have any value beside them."
        ),
    ]
    table_options: Annotated[list[TableOptions], Field(description="What the default tables give to policies.")]
    grades: Annotated[dict[str, str], Field(description="Fields of a request that change any policy.")]


@with_config(ANSWER_CONFIG)
class ReasonNumber(TypedDict):
    """A number in reasons."""

    unit: str
    meaning: str


@with_config(ANSWER_CONFIG)
class ReasonInfo(TypedDict):
    """A reason, with its sentence in English, in which {name} stands for the number of that name."""

    code: str
    template: str
    numbers: list[str]


@with_config(ANSWER_CONFIG)
class ReasonsAnswer(TypedDict):
    """The reasons that an explanation can give, and the numbers in them."""

    reasons: Annotated[list[ReasonInfo], Field(description="Of bids.")]
    pass_reasons: Annotated[list[ReasonInfo], Field(description="Of the cards that POST /v1/pass gives.")]
    card_reasons: Annotated[list[ReasonInfo], Field(description="Of the cards that POST /v1/card plays.")]
    review_reasons: Annotated[list[ReasonInfo], Field(description="Of the choices in a review.")]
    nil_reasons: Annotated[list[ReasonInfo], Field(description="Why a nil is ruled out, and nil rules in words.")]
    blind_nil_reasons: Annotated[list[ReasonInfo], Field(description="Of the decisions of POST /v1/bid/blind.")]
    numbers: dict[str, ReasonNumber]


@with_config(ANSWER_CONFIG)
class RuleField(TypedDict):
    """A rule: its JSON type, its default, the accepted values and its meaning."""

    type: Literal["boolean", "integer", "string"]
    default: bool | int | str | None
    supported: str
    meaning: str


@with_config(ANSWER_CONFIG)
class DeckInfo(TypedDict):
    """A deck of 52 cards."""

    meaning: str
    suits: Annotated[
        dict[str, list[str]],
        Field(description="The cards of S, H, D, C, each suit from its highest card. S has all trumps."),
    ]


@with_config(ANSWER_CONFIG)
class RulesAnswer(TypedDict):
    """The presets with all their values, the rules, and which of them a variant fixes."""

    default: str
    presets: dict[str, RuleSet]
    descriptions: Annotated[dict[str, str], Field(description="What each preset is.")]
    fields: dict[str, RuleField]
    fixed_by_variant: Annotated[
        dict[str, dict[str, Any]],
        Field(description="Rules with only one accepted value in a variant; any other is refused."),
    ]
    decks: Annotated[dict[str, DeckInfo], Field(description="The decks; `standard` is the usual one.")]


_ONLY_FEWER = [
    kind.name for kind in POLICY_KINDS if kind.served and kind.kind != BIS and {"nils", "nil_bias"} <= {*kind.options}
]
_GRADES = {
    "level": "1..5: 5 is full strength; each level below misjudges hands more, and wins about 3 games in 100 fewer",
    "style.aggression": "-1..1: bid fewer tricks or more",
    "style.nil_bias": f"-1..1: bid fewer nils or more; {', '.join(_ONLY_FEWER[:-1])} and {_ONLY_FEWER[-1]} only fewer",
}
_BEST = "the strongest policy for the rules; the answer names it"


def _listed(subject: Subject) -> list[ReasonInfo]:
    return [
        ReasonInfo(code=code, template=template, numbers=list(numbers_in(subject, code)))
        for code, template in REASONS[subject].items()
    ]


async def list_policies(request: Request) -> Response:
    """Answer with the policies: options, supported rules, typical time and measured strength."""
    answer, sets = policies_answer(), app_state(request).sets
    if sets is not None:
        answer = {
            **answer,
            "win_tables": _win_tables(sets.default.tables.games),
            "table_options": table_options(sets.default.options),
        }
    return json_response(orjson.dumps(answer))


async def list_rules(request: Request) -> Response:
    """Answer with the presets and all their values, and the accepted values of each field."""
    return json_response(orjson.dumps(rules_answer()))


async def list_reasons(request: Request) -> Response:
    """Answer with the reasons of explanations and their sentences, to show or translate them."""
    return json_response(orjson.dumps(reasons_answer()))


async def openapi(request: Request) -> Response:
    """Answer with the OpenAPI document."""
    return json_response(orjson.dumps(request.app.openapi()))


@cache
def reasons_answer() -> ReasonsAnswer:
    """Return the answer of GET /v1/reasons."""
    return ReasonsAnswer(
        reasons=_listed("bid"),
        pass_reasons=_listed("pass"),
        card_reasons=_listed("card"),
        review_reasons=_listed("review"),
        nil_reasons=_listed("nil"),
        blind_nil_reasons=_listed("blind nil"),
        numbers={
            name: {"unit": number.unit, "meaning": number.meaning}
            for subject in ("review", "bid", "pass", "card", "nil", "blind nil")
            for name, number in NUMBERS[subject].items()
        },
    )


@cache
def policies_answer() -> PoliciesAnswer:
    """Return the answer of GET /v1/policies with the win tables that are always there."""
    results = read_results()
    infos = [_policy(text, results) for name in POLICIES for text in texts_of_catalogue(name)]
    return PoliciesAnswer(
        default=DEFAULT_POLICY, policies=infos, win_tables=_win_tables(SHIPPED), table_options=[], grades=_GRADES
    )


def table_options(options: SetOptions) -> list[TableOptions]:
    """Return what a table set gives to policies, for answers."""
    return [TableOptions(policy=policy, variant=variant, options=given) for policy, variant, given in options]


def _win_tables(games: Games) -> list[Any]:
    return [overrides_of(rules) for rules in all_rules(games)]


def _policy(text: str, results: Results) -> PolicyInfo:
    name = text.partition(":")[0]
    kind = kind_of(decider_of(text, True))
    description, version, needs_win_table = kind.description, kind.version, kind.needs_win_table
    if name == BEST:
        description, version = _BEST, ".".join(kind_of(decider).version for decider in BEST_DECIDERS)
        needs_win_table = False
    elif text != name:
        values = ", ".join(f"{field} {value:g}" for field, value in kind.tuned.items())
        description = f"{kind.name} with values fitted on our own engine: {values}"
    plain_us, explained_us = kind.typical_us
    info = PolicyInfo(
        policy=text,
        version=version,
        description=description,
        options=options_of(name),
        deciders=list(BEST_DECIDERS),
        variants=[VARIANTS[variant] for variant in WON_VARIANTS] if needs_win_table else list(VARIANTS),
        needs_win_table=needs_win_table,
        typical_time={"plain_us": plain_us, "explained_us": explained_us},
        strength=strength_of(text, results),
        win_rates=[_win_rate(measured) for measured in win_rates_of(text, results)],
    )
    if name != BEST:
        del info["deciders"]
    return info


def _win_rate(measured: Measured) -> WinRate:
    return WinRate(
        opponent=measured.b,
        win_percent=measured.win_percent,
        interval_percent=measured.interval_percent,
        rules=measured.rules,
        card_player=measured.players[0],
        pairs=measured.pairs,
        tables=measured.tables,
    )


@cache
def rules_answer() -> RulesAnswer:
    """Return the answer of GET /v1/rules."""
    fields = {name: _field(rule) for name, rule in FIELDS.items()}
    presets = {name: {"preset": name, **describe(rules)} for name, rules in PRESETS.items()}
    fixed = {
        name: {rule.name: rule.json_default for rule in FIELDS.values() if variant in rule.fixed_in}
        for variant, name in enumerate(VARIANTS)
    }
    return RulesAnswer(
        default=DEFAULT_PRESET,
        presets=presets,
        descriptions=PRESET_DESCRIPTIONS,
        fields=fields,
        fixed_by_variant=fixed,
        decks={deck.name: _deck(number) for number, deck in enumerate(DECKS)},
    )


def _deck(number: int) -> DeckInfo:
    codes = sorted(CARD_NAMES[number], reverse=True)
    suits = {
        name: [CARD_NAMES[number][code] for code in codes if code // 16 == suit]
        for suit, name in reversed([*enumerate(SUITS)])
    }
    return DeckInfo(meaning=DECKS[number].meaning, suits=suits)


def _field(rule: Rule) -> RuleField:
    field: Any = {"type": rule.values.json_type, "default": rule.json_default, "supported": rule.values.supported}
    field["meaning"] = rule.meaning
    return field  # type: ignore[no-any-return]
