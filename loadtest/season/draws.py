"""What a season asks for, drawn by its seed: rules, players, deals. The same seed draws the same games."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loadtest.season.referee import FIELDS, RAISED, SPADE_COUNT_VARIANTS

# Values of single rules, usual ones and limits. `win` and `lose` are drawn apart, so that every game ends.
VALUES: Mapping[str, Sequence[Any]] = {
    "nil_points": (0, 20, 50, 100, 150, 1000),
    "blind_nil_points": (0, 100, 200, 400, 2000),
    "double_nil": (False, True),
    "blind_nil": (True, True, False),
    "blind_nil_deficit": (0, 10, 50, 100, 200),
    "bags": (False, True),
    "bag_limit": (1, 2, 3, 5, 7, 10, 20, 100),
    "bag_penalty": (0, 1, 50, 110, 200, 1000),
    "failed_nil_tricks": ("bags", "contract", "none"),
    "min_bid": (0, 1, 2, 3, 4, 6),
    "team_min": (0, 1, 3, 4, 5, 6),
    "team_max": (7, 8, 9, 10, 11, 12, 13, None),
    "ten_for_200": (True, False),
    "variant": ("partnership", "cutthroat", "mirror", "whiz", "whiz_strict", "suicide", "jokers"),
    "deck": tuple(RAISED),
    "nil_pass": (0, 1, 2, 3, 4),
    "blind_nil_pass": (0, 1, 2, 3, 4),
    "nil_passes_first": (True, False),
    "nil": (False, True),
    "bag_points": (-1, 0, 1),
    "set_points": ("contract", "missing", "none"),
    "slam_points": (0, 50, 200, 1000),
    "double_nil_points": (None, 0, 200, 400, 2000),
    "sum_not_13": (True, False),
    "spades_lead": ("broken", "any"),
    "first_lead": ("any", "lowest_club"),
    "first_trick_spades": (False, True),
    "blind_min": (6, 6, 7, 8, 13, None),
}
WINS, LOSSES = (50, 150, 200, 250, 300, 400, 500), (-100, -200, -300, -500)
MOST_CHANGES = 4
POLICIES = (
    "best",
    "bis",
    "bis:tuned",
    "bis:offset=0.3",
    "bis:nils=off",
    "bis:curves=single,endgame=off",
    "rb",
    "ms",
    "io",
)
WINPROB_POLICIES = ("winprob", "winprob", "winprob:margin=0.01,nil_margin=0.02")
DISTILLED, DISTILLED_LEVELS = "distilled@1", (4, 5)
WITHOUT_WINPROB = ("cutthroat", "mirror", "whiz_strict")
CONVENTIONS = ("none", "big5", "big6", "auto")
KINDS = ("unknown", "bis", "simple", "winprob", "weak")
EXPLANATIONS = (True, True, False, "brief", "curve")
SHARES = {
    "searches": 0.06,  # games whose cards a search chooses
    "batches": 0.5,  # other games, whose bids and cards are asked for in batches with those of others
    "deadlines": 0.04,  # games whose bids and cards have a short deadline
    "unnamed": 0.1,  # games that send no `game` and no `round_id`
    "tables": 0.05,  # games that name the tables
}


class Chair(NamedTuple):
    """A player, who sits in another seat in each round."""

    bidding: Mapping[str, Any]  # fields of a request for a bid
    card_player: str
    card_level: int
    deals: int | None  # of a search that is named; None: another card player


class GamePlan(NamedTuple):
    """What one game asks for. ``rules`` are those of the requests, ``all_rules`` the values of all fields."""

    seed: str
    number: int
    rules: Mapping[str, Any]
    all_rules: Mapping[str, Any]
    chairs: Sequence[Chair]
    batches: bool
    searches: bool
    deadline_s: float | None
    named: bool
    names_tables: bool

    def rng(self, *parts: object) -> random.Random:
        """Return the random numbers of one purpose: they do not depend on what else was drawn."""
        return random.Random(":".join(map(str, (self.seed, self.number, *parts))))


class Catalogue(NamedTuple):
    """The rules that the service offers, from GET /v1/rules."""

    presets: Mapping[str, Mapping[str, Any]]
    fixed: Mapping[str, Mapping[str, Any]]  # by variant: fields of which only one value is accepted

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Catalogue":
        """Read an answer of GET /v1/rules. Raises `ValueError` if it has a rule that the referee does not know."""
        presets = {
            name: {field: value for field, value in rules.items() if field in FIELDS}
            for name, rules in answer["presets"].items()
        }
        unknown = set(answer["fields"]) - FIELDS - {"approximate"}
        if unknown:
            raise ValueError(f"the service has rules {', '.join(sorted(unknown))}; accepted: those of the referee")
        return cls(presets, answer["fixed_by_variant"])

    def accepts(self, rules: Mapping[str, Any]) -> bool:
        """Return whether the documented limits between fields allow ``rules``."""
        fixed = self.fixed[rules["variant"]]
        return (
            all(rules[field] == value for field, value in fixed.items())
            and not (rules["blind_nil"] and not rules["nil"])
            and not (rules["double_nil_points"] is not None and not rules["double_nil"])
            and not (rules["bag_points"] != 1 and not rules["bags"])
            and (rules["team_max"] is None or rules["team_max"] >= max(2 * rules["min_bid"], rules["team_min"]))
        )


def plan_game(seed: int, number: int, catalogue: Catalogue) -> GamePlan:
    """Return the plan of game ``number``."""
    name = f"season-{seed}"
    rng = random.Random(f"{name}:{number}:plan")
    rules, all_rules = draw_rules(rng, catalogue)
    searches = rng.random() < SHARES["searches"]
    batches = not searches and rng.random() < SHARES["batches"]
    with_deadlines = rng.random() < SHARES["deadlines"]
    return GamePlan(
        seed=name,
        number=number,
        rules=rules,
        all_rules=all_rules,
        chairs=[_draw_chair(rng, all_rules, catalogue, searches) for _ in range(4)],
        batches=batches,
        searches=searches,
        deadline_s=rng.choice((0.05, 0.2, 0.5)) if with_deadlines and not batches else None,
        named=rng.random() >= SHARES["unnamed"],
        names_tables=rng.random() < SHARES["tables"],
    )


def draw_rules(rng: random.Random, catalogue: Catalogue) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return rules as a request writes them, and the values of all fields."""
    while True:
        preset = rng.choice(list(catalogue.presets))
        changes = {field: rng.choice(VALUES[field]) for field in rng.sample(list(VALUES), rng.randrange(MOST_CHANGES))}
        all_rules = {**catalogue.presets[preset], **changes}
        if all_rules["deck"] is not None and all_rules["variant"] == "partnership" and "variant" not in changes:
            all_rules["variant"] = "jokers"
        if not catalogue.accepts(all_rules):
            continue
        if changes or all_rules["variant"] in SPADE_COUNT_VARIANTS or rng.random() < 0.5:
            changes |= {"win": rng.choice(WINS), "lose": rng.choice(LOSSES)}
        return {"preset": preset, **changes}, {**all_rules, **changes, "variant": all_rules["variant"]}


def _draw_chair(rng: random.Random, rules: Mapping[str, Any], catalogue: Catalogue, searches: bool) -> Chair:
    alone = rules["variant"] == "cutthroat"
    policies = POLICIES if rules["variant"] in WITHOUT_WINPROB else (*POLICIES, *WINPROB_POLICIES)
    policy = rng.choice(policies)
    bidding: dict[str, Any] = {"policy": policy}
    if rng.random() < 0.5:
        bidding["level"] = rng.randint(1, 5)
    if rng.random() < 0.3:
        bidding["style"] = {"aggression": round(rng.uniform(-1, 1), 2), "nil_bias": round(rng.uniform(-1, 1), 2)}
    if policy.startswith("bis") and rules["variant"] == "partnership" and rng.random() < 0.4:
        bidding["convention"] = rng.choice(CONVENTIONS)
    if policy.startswith("winprob") and rng.random() < 0.3:
        bidding["players"] = {rng.choice(("left", "partner", "right")): rng.choice(KINDS)}
    by_rules = "solo@2" if alone else "srp@4"
    level = rng.choice((5, 5, 5, 4, 3, 2, 1))
    if searches and level > 1 and rules["variant"] not in WITHOUT_WINPROB and rng.random() < 0.2:
        return Chair(bidding, rng.choice(("search@1", "search@3")), level, rng.choice((4, 16, 64)))
    if searches or rng.random() < 0.1:
        return Chair(bidding, "best", level, None)
    # The net knows more rules than these. To check its cards, these are enough.
    classic = {**catalogue.presets["classic"], "win": rules["win"], "lose": rules["lose"]}
    card_player = DISTILLED if rules == classic and level in DISTILLED_LEVELS and rng.random() < 0.5 else by_rules
    return Chair(bidding, card_player, level, None)
