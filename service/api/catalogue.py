"""GET /v1/policies and /v1/rules: the policies and rules that a request can name.

The answers are made once, from the same lists that the bidding code reads, so that they match what is accepted.
"""

from typing import Any

from fastapi import APIRouter

from service.api.documentation import GET_PROBLEMS
from service.bidding.game.rule_fields import Rule
from service.bidding.game.rules import FIELDS, PRESETS, VARIANTS, describe
from service.bidding.policies import TUNED, options_of
from service.contract.answer import PoliciesAnswer, PolicyInfo, RuleField, RulesAnswer
from service.contract.policy import DEFAULT_POLICY, POLICIES
from service.contract.rules import DEFAULT_PRESET

_DESCRIPTIONS = {
    "bis": "regular takes, nil by success curves, end of game (ECAI 2020, Algorithm 1)",
    "rb": "every card worth a fitted value by the length of its suit; nil by the three lowest cards of each suit",
    "ms": "aces, guarded kings, queen of spades and spade length; the nil rule of rb",
    "io": "high cards and spades at fixed values; nil only under a partner's bid of 4 or more",
    "winprob": "the bid that wins the game most often from this score: a net's odds of what a bid leads to, "
    "over tables of what each score is worth (docs/explanation/how-winprob-bids.md); for the games that have such "
    "a table",
}
# Percent of games that each policy wins with players srp@2 and goals 200/-100. A test compares them with
# docs/strength.md.
_WON = {
    "bis": {"rb": "51.4 [50.8, 51.9]", "ms": "64.0 [63.4, 64.5]", "io": "74.1 [73.5, 74.6]"},
    "winprob": {
        "bis": "62.0 [61.8, 62.1]",
        "bis:tuned": "60.2 [60.1, 60.4]",
        "rb": "62.2 [62.1, 62.4]",
        "ms": "73.3 [73.1, 73.4]",
        "io": "80.2 [80.0, 80.4]",
    },
    "bis:tuned": {"rb": "52.1 [51.6, 52.6]", "ms": "63.6 [63.0, 64.2]", "io": "73.5 [72.9, 74.0]"},
}
_GRADES = {
    "level": "1..5: 5 is full strength; those below misjudge hands, and win some 3% of games less a level",
    "style.aggression": "-1..1: to fewer tricks or to more",
    "style.nil_bias": "-1..1: away from nils or to them; rb, ms and io only away",
}
_PRESETS = {
    "classic": "goal 500, nil 100, every tenth bag costs 100",
    "bis-paper": "the games of ECAI 2020: goal 200, losing goal -100, ten bags cost 110",
    "short": "goal 250",
    "quick": "goal 200, losing goal -200",
    "single-nil": "only one of two partners may bid nil",
    "blind-nil": "blind nil for 200 when 100 or more behind",
    "no-bags": "overtricks count nothing",
    "five-bags": "every fifth bag costs 50",
    "nil-50": "nil 50, blind nil 100",
    "board-4": "a side bids four or more; a nil adds nothing to it",
    "ten-for-200": "a contract of exactly ten wins or loses 200",
    "cutthroat": "four players, each for herself; goal 300",
    "mirror": "everyone bids the number of her spades",
    "whiz": "everyone bids the number of her spades, or nil",
    "whiz-strict": "everyone bids the number of her spades, nil without any",
    "suicide": "one of two partners bids nil, the other four or more; losing goal -200",
    "jokers": "two jokers above the ace of spades, without the deuces of hearts and clubs",
}
POLICY_VERSION = "1"  # increased when a policy's bids change although the tables do not


def catalogue_routes() -> tuple[APIRouter, dict[str, Any]]:
    """Return the routes, and their answers by path as examples for the OpenAPI document.

    The examples are separate because FastAPI would drop their null values.
    """
    router = APIRouter(tags=["catalogue"], responses=GET_PROBLEMS)
    policies_answer, rules_answer = _policies(), _rules()

    @router.get("/v1/policies")
    async def list_policies() -> PoliciesAnswer:
        """List the policies, their options and versions."""
        return policies_answer

    @router.get("/v1/rules")
    async def list_rules() -> RulesAnswer:
        """List the presets with all their values, and the accepted values of each field."""
        return rules_answer

    return router, {"/v1/policies": policies_answer, "/v1/rules": rules_answer}


def _policies() -> PoliciesAnswer:
    infos = []
    for name in POLICIES:
        descriptions = {name: _DESCRIPTIONS[name]}
        if name in TUNED:
            values = ", ".join(f"{field} {value:g}" for field, value in TUNED[name].items())
            descriptions[f"{name}:tuned"] = f"{name} with values fitted on our own engine: {values}"
        for text, description in descriptions.items():
            infos.append(
                PolicyInfo(
                    policy=text,
                    version=POLICY_VERSION,
                    description=description,
                    options=options_of(name),
                    strength=strength_of(text),
                )
            )
    return PoliciesAnswer(default=DEFAULT_POLICY, policies=infos, grades=_GRADES)


def strength_of(policy: str) -> str:
    """Return a sentence with the policy's win rates and their intervals."""
    if policy in _WON:
        won = ", ".join(f"{share} against {other}" for other, share in _WON[policy].items())
        return f"wins {won} (% of games, 95% interval; srp@2, goals 200/-100; docs/strength.md)"
    return f"bis wins {_WON['bis'][policy]} % of games against it (srp@2, goals 200/-100; docs/strength.md)"


def _rules() -> RulesAnswer:
    fields = {name: _field(rule) for name, rule in FIELDS.items()}
    presets = {name: {"preset": name, **describe(rules)} for name, rules in PRESETS.items()}
    fixed = {
        name: {rule.name: rule.json_default for rule in FIELDS.values() if variant in rule.fixed_in}
        for variant, name in enumerate(VARIANTS)
    }
    return RulesAnswer(
        default=DEFAULT_PRESET, presets=presets, descriptions=_PRESETS, fields=fields, fixed_by_variant=fixed
    )


def _field(rule: Rule) -> RuleField:
    field: Any = {"type": rule.values.json_type, "default": rule.json_default, "supported": rule.values.supported}
    return field  # type: ignore[no-any-return]
