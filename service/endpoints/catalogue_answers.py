"""The answers of GET /v1/policies, /v1/reasons and /v1/rules."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from spades.contract.answer_types import ANSWER_CONFIG, TablesVersion
from spades.contract.fields import POLICY_PATTERN, RuleSet


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
