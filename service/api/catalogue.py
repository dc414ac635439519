"""GET /v1/policies and /v1/rules: what can be asked for.

Made once from the bidding code's own lists, so that the answer can't differ from what is accepted.
"""

from typing import Any

import orjson
from fastapi import APIRouter

from service.api.documentation import GET_PROBLEMS
from service.api.requests import DEFAULT_POLICY, DEFAULT_PRESET, POLICIES
from service.bidding.errors import RulesError
from service.bidding.policies import TUNED, options_of
from service.bidding.rules import FAILED_NIL_TRICKS, PRESETS, SUPPORTED_RANGES, Rules, describe, make_rules
from service.schemas import PoliciesAnswer, PolicyInfo, RuleField, RulesAnswer, RuleSet

_DESCRIPTIONS = {
    "bis": "regular takes, nil by success curves, end of game (ECAI 2020, Algorithm 1)",
    "rb": "every card worth a fitted value by the length of its suit; nil by the three lowest cards of each suit",
    "ms": "aces, guarded kings, queen of spades and spade length; the nil rule of rb",
    "io": "high cards and spades at fixed values; nil only under a partner's bid of 4 or more",
}
# Percent of games won by `bis` and `bis:tuned` under srp@1 at 200/-100: the rows of docs/strength.md, which a test
# holds them to.
_WON = {
    "bis": {"rb": "50.3 [49.8, 50.8]", "ms": "64.1 [63.6, 64.7]", "io": "74.9 [74.3, 75.4]"},
    "bis:tuned": {"rb": "51.5 [50.9, 52.0]", "ms": "64.3 [63.7, 64.9]", "io": "74.2 [73.6, 74.8]"},
}
POLICY_VERSION = "1"  # goes up when a policy's bids change without a change of tables


def catalogue_routes() -> tuple[APIRouter, dict[str, Any]]:
    """The routes, and their answers by path: the document's examples, which FastAPI would strip of their nulls."""
    router = APIRouter(tags=["catalogue"], responses=GET_PROBLEMS)
    policies_answer, rules_answer = _policies(), _rules()

    @router.get("/v1/policies")
    async def list_policies() -> PoliciesAnswer:
        """The policies, their options and versions."""
        return policies_answer

    @router.get("/v1/rules")
    async def list_rules() -> RulesAnswer:
        """The presets with all their values, and what each field takes."""
        return rules_answer

    examples = {"/v1/policies": policies_answer, "/v1/rules": rules_answer}
    return router, {path: answer.model_dump(mode="json") for path, answer in examples.items()}


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
    return PoliciesAnswer(default=DEFAULT_POLICY, policies=infos)


def strength_of(policy: str) -> str:
    """How a policy fares, as a sentence with its intervals."""
    if policy in _WON:
        won = ", ".join(f"{share} against {other}" for other, share in _WON[policy].items())
        return f"wins {won} (% of games, 95% interval; srp@1, goals 200/-100; docs/strength.md)"
    return f"bis wins {_WON['bis'][policy]} % of games against it (srp@1, goals 200/-100; docs/strength.md)"


def _rules() -> RulesAnswer:
    defaults = describe(PRESETS[DEFAULT_PRESET])
    fields = {field: _field(field, defaults[field]) for field in Rules._fields}
    presets = {name: RuleSet.model_validate({"preset": name, **describe(rules)}) for name, rules in PRESETS.items()}
    return RulesAnswer(default=DEFAULT_PRESET, presets=presets, fields=fields)


def _field(field: str, default: object) -> RuleField:
    if field == "failed_nil_tricks":
        return RuleField(type="string", default=default, supported=", ".join(FAILED_NIL_TRICKS))
    if field in SUPPORTED_RANGES:
        low, high = SUPPORTED_RANGES[field]
        if isinstance(default, bool):
            return RuleField(type="boolean", default=default, supported="true, false")
        supported = f"{low}..{high}" + (", null" if _takes_null(field) else "")
        return RuleField(type="integer", default=default, supported=supported)
    kinds = {bool: "boolean", int: "integer", str: "string"}
    only = f"{orjson.dumps(default).decode()} only"
    return RuleField(type=kinds.get(type(default), "integer"), default=default, supported=only)


def _takes_null(field: str) -> bool:
    try:
        make_rules(DEFAULT_PRESET, {field: None})
    except RulesError:
        return False
    return True
