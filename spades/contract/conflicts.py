"""Faults of a bid request's fields that are valid separately, but not together."""

import json
from collections.abc import Mapping
from typing import Any

from spades.contract.faults import Fault, pointer, quote
from spades.contract.policy import DEFAULT_POLICY
from spades.contract.rules import Context
from spades.contract.scores import score_faults
from spades.policies import ROWS
from spades.rules import FIELDS, VARIANTS, Rules, describe
from spades.set_options import Bidder, plays_conventions
from spades.winprob.games import WON_VARIANTS, Games


def conflicts_in(data: Mapping[str, Any], context: Context, bidder: Bidder, games: Games) -> list[Fault]:
    """Return the faults of fields that are valid separately, but not together. ``data`` holds only valid fields."""
    faults, rules = [], context.rules
    previous, seat = data.get("previous_bids"), data.get("seat")
    if previous is not None and seat is not None and seat != len(previous):
        bids = len(previous)
        detail = f"seat is {seat} after {bids} previous bid{'s' * (bids != 1)}; accepted: {bids}, or leave seat out"
        faults.append(Fault("/seat", "seat-mismatch", detail))
    scores = data.get("scores")
    if scores is not None:
        faults += score_faults(scores, rules)
    if not bidder.plays_convention:
        faults.append(_convention_fault(data.get("policy") or DEFAULT_POLICY, bidder.convention, rules))
    if bidder.needs_win_table:
        nearest = games.nearest(rules)
        if nearest is None:
            accepted = " or ".join(json.dumps(VARIANTS[variant]) for variant in WON_VARIANTS)
            faults.append(_no_win_table("variant", rules, bidder, accepted))
        elif nearest.instead and not context.approximate:
            for field, number in nearest.instead:
                accepted = json.dumps(FIELDS[field].values.json_of(number))
                faults.append(_no_win_table(field, rules, bidder, f"{accepted}, or any with approximate: true"))
    return faults


def _no_win_table(field: str, rules: Rules, bidder: Bidder, accepted: str) -> Fault:
    found = json.dumps(describe(rules)[field])
    detail = f"{field} is {found}, for which policy {bidder.base} has no win table; accepted: {accepted}"
    return Fault(pointer("rules", field), "unsupported-rules", detail)


def _convention_fault(text: str, found: str, rules: Rules) -> Fault:
    if not plays_conventions(text):
        players = ", ".join(row.name for row in ROWS if "convention" in row.options)
        detail = f"convention is {found} with policy {quote(text)}; accepted: none, because only {players} plays one"
    else:
        detail = f"convention is {found} with variant {VARIANTS[rules.variant]}; accepted: none in this variant"
    return Fault("/convention", "unsupported-convention", detail)
