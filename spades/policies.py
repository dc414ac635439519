"""The policies: what each one decides and explains, its options and levels, and its entry in the catalogue.

`POLICY_KINDS` lists them. `bidder`, the contract, the catalogue, the metrics and the simulator read this list. How to
add a policy or an option: docs/how-to/extend.md.

A policy text is ``name`` or ``name:option=value,...``; the service, the command line and the arena read the same texts.
The policy `best` is not in the list. Only requests can name it; `decider_of` returns the policy that decides instead.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from spades.baselines import Baseline, fixed, io, ms, rb
from spades.bis.cutthroat import CutthroatDecision, bis_cutthroat
from spades.bis.partnership import BisDecision, bis
from spades.errors import PolicyError
from spades.explanations import (
    Explanation,
    FinalBid,
    explain_baseline,
    explain_bis,
    explain_cutthroat,
    explain_winprob,
)
from spades.legal import simplified_rules
from spades.options import BIS, FIXED, FULL_LEVEL, IO, MS, OPTIONS, RB, WINPROB, Policy
from spades.position import Turn, allowed_at_turn
from spades.rules import CUTTHROAT, JOKERS, PARTNERSHIP, SUICIDE, WHIZ
from spades.tables import Tables
from spades.tableset import TableSet
from spades.winprob.decision import WinDecision, win_decision


class Decided(Protocol):
    """What a policy decides: a bid, and the numbers behind it."""

    @property
    def bid(self) -> int:
        """The bid that the policy wants, 0..13."""


D = TypeVar("D", bound=Decided)


@dataclass(frozen=True, kw_only=True)
class PolicyKind(ABC, Generic[D]):
    """One policy: how it decides and explains, and everything that is declared about it."""

    name: str  # in policy texts, in answers and as the metrics' label `policy`
    description: str  # for the catalogue
    # The policies against which the catalogue gives its win rates. Empty: the catalogue instead gives the win rate of
    # `bis` against this policy. None: not measured.
    opponents: tuple[str, ...] | None
    options: tuple[str, ...]  # names in `options.OPTIONS`, in the order of the catalogue
    defaults: Policy
    tuned: Mapping[str, float] = field(default_factory=dict)  # what the option `tuned` sets; empty: no such option
    # Per variant: fields whose default differs in that variant. In these variants, the option `tuned` sets the same
    # values.
    in_variant: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    served: bool = True  # False: for tests and the arena only
    # Microseconds of a decision, without and with its explanation, as `python -m tests.bench.decisions` measured them.
    typical_us: tuple[float, float] = (0.0, 0.0)
    version: str = "1"  # goes up when the policy's bids change without a change of tables
    noise_sd: tuple[float, ...] = ()  # `Policy.noise_sd` by level, level 0 first; 3% of games a level
    needs_win_table: bool = False  # True: refuses rules for which there is no win table
    keeps_to_legal: bool = False  # True: `decide` chooses among the turn's legal bids itself

    @property
    def kind(self) -> int:
        """The number by which kernels tell policies apart: the index in `POLICY_KINDS`."""
        return self.defaults.kind

    @abstractmethod
    def decide(self, turn: Turn, tables: TableSet) -> D:
        """Return the bid that the policy of ``turn`` wants, with the numbers behind it."""

    def takes(self, decision: D) -> int:
        """Return the hand's tricks: if a nil is not legal, the legal number nearest to this replaces it."""
        return decision.bid

    @abstractmethod
    def explain(self, decision: D, turn: Turn, bids: FinalBid) -> Explanation:
        """Return the answer's `explanation`."""


class Bis(PolicyKind[BisDecision | CutthroatDecision]):
    """BIS, in partnerships and alone."""

    def decide(self, turn: Turn, tables: TableSet) -> BisDecision | CutthroatDecision:
        """Return the decision of BIS."""
        policy, position, allowed = turn.policy, turn.position, turn.allowed
        rules = simplified_rules(position.rules) if policy.ignores_rules else position.rules
        if position.rules.variant == CUTTHROAT and not policy.ignores:
            scores, bags = position.seat_scores, position.standing.us_bags
            return bis_cutthroat(turn.hand, turn.auction, scores, bags, allowed, rules, policy, turn.tables)
        if policy.ignores_rules:
            allowed = allowed_at_turn(turn.hand, turn.auction, rules)
        return bis(turn.hand, turn.auction, turn.standing, allowed, rules, policy, turn.tables)

    def takes(self, decision: BisDecision | CutthroatDecision) -> int:
        """Return the number that BIS would bid; if the rules allow only nil, the tricks that it counts."""
        if isinstance(decision, CutthroatDecision):
            return decision.number
        return decision.number or decision.regular.takes

    def explain(self, decision: BisDecision | CutthroatDecision, turn: Turn, bids: FinalBid) -> Explanation:
        """Return the explanation of a decision of BIS."""
        if isinstance(decision, CutthroatDecision):
            return explain_cutthroat(decision, turn, bids)
        return explain_bis(decision, turn, bids)


@dataclass(frozen=True, kw_only=True)
class RuleBased(PolicyKind[Baseline]):
    """A bidder of `baselines`, which counts tricks by simple rules."""

    bidder: Callable[[int, int, Policy, Tables], Baseline]  # takes the hand, partner's bid, the policy and the tables
    nil_rule: str  # the code of its nil rule in `reasons.REASONS`

    def decide(self, turn: Turn, tables: TableSet) -> Baseline:
        """Return the rule-based bid."""
        return self.bidder(turn.hand, turn.auction.partner_bid, turn.policy, turn.tables)

    def takes(self, decision: Baseline) -> int:
        """Return the number that the bidder bids if it does not bid nil."""
        return decision.takes

    def explain(self, decision: Baseline, turn: Turn, bids: FinalBid) -> Explanation:
        """Return the explanation of a rule-based bid."""
        return explain_baseline(decision, turn, bids, self.nil_rule)


class WinProb(PolicyKind[WinDecision]):
    """The bidder that chooses its bid by the probability of winning the game."""

    def decide(self, turn: Turn, tables: TableSet) -> WinDecision:
        """Return the decision of `winprob` at full strength."""
        if turn.policy.ignores_rules:
            seen = simplified_rules(turn.position.rules)
            turn = turn._replace(position=turn.position._replace(rules=seen))
        return win_decision(turn, tables.weights)

    def explain(self, decision: WinDecision, turn: Turn, bids: FinalBid) -> Explanation:
        """Return the explanation of a decision by win probability."""
        return explain_winprob(decision, turn)


# ---- the list -------------------------------------------------------------------------------------------------------

_SKILL = ("level", "aggression", "nil_bias")
# fmt: off
_OF_BIS = (
    "nil_threshold", "offset", "curves", "factor", "endgame", "spade_honours", "nil_floor", "nils", "dynamic",
    "convention", "signal_takes", "answer_threshold", "nil_slope", "blind", "blind_frequency", "blind_floor",
    "ten_from", "forced_trick", "certain", "variant", "rules", *_SKILL,
)
# fmt: on

POLICY_KINDS: tuple[PolicyKind[Any], ...] = (
    Bis(
        name="bis",
        description="regular takes, nil by success curves, end of game (ECAI 2020, Algorithm 1)",
        opponents=("rb", "ms", "io"),
        options=_OF_BIS,
        defaults=Policy(kind=BIS),
        # Found by a search (docs/explanation/what-was-tried.md).
        tuned={
            "nil_threshold": 0.0,
            "offset": 0.15,
            "forced_trick": 10.0,
            "blind_frequency": 1.0,
            "blind_floor": 0.3,
        },
        # The published options are for partnerships; these were found by searches too.
        in_variant={
            CUTTHROAT: {"nil_threshold": -10.0, "offset": 0.2, "spade_honours": 1},
            WHIZ: {"nil_threshold": 15.0, "nil_slope": 15.0},
            SUICIDE: {"nil_threshold": -100.0, "nil_slope": 10.0, "spade_honours": 1},
            JOKERS: {"nil_threshold": 0.0, "offset": 0.15},
        },
        typical_us=(14.4, 25.1),
        noise_sd=(0.0, 1.25, 1.05, 0.8, 0.55, 0.0),
    ),
    RuleBased(
        name="rb",
        description="every card worth a fitted value by the length of its suit; nil by the three lowest cards of each "
        "suit",
        opponents=(),
        options=("nil", "nils", "variant", *_SKILL),
        bidder=rb,
        nil_rule="low-cards-only",
        defaults=Policy(kind=RB),  # its nil ranks are fitted to our engine
        typical_us=(4.7, 10.9),
        noise_sd=(0.0, 1.0, 0.82, 0.64, 0.43, 0.0),
    ),
    RuleBased(
        name="ms",
        description="aces, guarded kings, queen of spades and spade length; the nil rule of the paper's RB",
        opponents=(),
        options=("nil", "nils", "variant", *_SKILL),
        bidder=ms,
        nil_rule="low-cards-only",
        defaults=Policy(kind=MS, nil_x=3, nil_y=6, nil_z=8),  # 5-8-T as published (ECAI 2020, appendix F)
        typical_us=(5.0, 11.0),
        noise_sd=(0.0, 0.62, 0.51, 0.41, 0.31, 0.0),
    ),
    RuleBased(
        name="io",
        description="high cards and spades at fixed values, rounded down; nil only under a partner's bid of 4 or more",
        opponents=(),
        version="2",
        options=("nils", "variant", *_SKILL),
        bidder=io,
        nil_rule="no-high-cards",
        defaults=Policy(kind=IO),
        typical_us=(4.2, 9.7),
        noise_sd=(0.0, 0.68, 0.57, 0.45, 0.29, 0.0),
    ),
    RuleBased(
        name="fixed",
        served=False,
        description="the same bid from every hand",
        opponents=None,
        options=("bid",),
        bidder=lambda hand, partner_bid, policy, tables: fixed(partner_bid, policy),
        nil_rule="never",
        defaults=Policy(kind=FIXED),
    ),
    WinProb(
        name="winprob",
        description="the bid that wins the game most often from this score: a net's odds of what a bid leads to, "
        "over tables of what each score is worth (docs/explanation/how-winprob-bids.md); for the games that have such "
        "a table",
        opponents=("bis", "bis:tuned", "rb", "ms", "io"),
        version="3",
        options=("margin", "nil_margin", "even", "far_margin", "left", "partner", "right", "blind", "rules", *_SKILL),
        defaults=Policy(kind=WINPROB),
        typical_us=(116.2, 219.5),
        noise_sd=(0.0, 0.3, 0.14, 0.08, 0.04, 0.0),
        needs_win_table=True,
        keeps_to_legal=True,
    ),
)
BY_NAME = {kind.name: kind for kind in POLICY_KINDS}
SERVED = tuple(kind.name for kind in POLICY_KINDS if kind.served)


# ---- policy texts --------------------------------------------------------------------------------------------------


def options_of(name: str) -> list[str]:
    """Return the options of a policy as a user writes them.

    >>> options_of("io")
    ['nils=off|on', 'variant=heed|ignore', 'level=1|2|3|4|5', 'aggression=-1..1', 'nil_bias=-1..1']
    """
    return [key if key == "tuned" else f"{key}={OPTIONS[key].values.form}" for key in option_names(name)]


def option_names(name: str) -> tuple[str, ...]:
    """Return the names of a policy's options, in the order of the catalogue."""
    if name == BEST:
        return BEST_OPTIONS
    kind = BY_NAME[name]
    return ("tuned", *kind.options) if kind.tuned else kind.options


def kind_of(text: str) -> PolicyKind[Any]:
    """Return the policy that a policy text names; raise `PolicyError` for an unknown name."""
    name = text.partition(":")[0]
    if name not in BY_NAME:
        raise PolicyError(f"unknown policy {name!r}; accepted: {', '.join(BY_NAME)}")
    return BY_NAME[name]


# `best` is the strongest policy for the rules (docs/strength.md): the first of BEST_DECIDERS if the rules have a win
# table, otherwise the second. It takes the options that both take.
BEST = "best"
BEST_DECIDERS = ("winprob", "bis:tuned")
_IN_THE_ARENA = ("variant", "rules", "blind")
BEST_OPTIONS = tuple(
    name
    for name in OPTIONS
    if name not in _IN_THE_ARENA and all(name in kind_of(text).options for text in BEST_DECIDERS)
)


@lru_cache(maxsize=1024)
def decider_of(text: str, has_win_table: bool) -> str:
    """Return the policy text that decides a request with policy ``text``: the same text, except for `best`.

    ``has_win_table``: whether the rules have one. Raises `PolicyError` for an option that `best` does not take.

    >>> decider_of("best:level=3", True), decider_of("best:level=3", False), decider_of("rb", True)
    ('winprob:level=3', 'bis:tuned,level=3', 'rb')
    """
    name, _, options = text.partition(":")
    if name != BEST:
        return text
    decider = BEST_DECIDERS[0 if has_win_table else 1]
    if text == BEST:
        return decider
    _values(BEST, BEST_OPTIONS, options, {})
    return f"{decider}{',' if ':' in decider else ':'}{options}"


@lru_cache(maxsize=1024)
def parse_policy(text: str, variant: int = PARTNERSHIP) -> Policy:
    """Read a policy text for a game of ``variant``; raise `PolicyError` with what was found and what is accepted.

    >>> parse_policy("bis:curves=single,endgame=off").endgame
    0
    >>> parse_policy("rb:nil=5-8-T").nil_z
    8
    """
    kind = kind_of(text)
    _, colon, options = text.partition(":")
    fitted = {} if "variant=ignore" in options.split(",") else kind.in_variant.get(variant, {})
    values = dict(fitted)
    if colon:
        values |= _values(kind.name, option_names(kind.name), options, fitted or kind.tuned)
    return with_skill(kind.defaults._replace(**values))  # type: ignore[arg-type]


def with_skill(policy: Policy) -> Policy:
    """Return ``policy`` with the noise_sd of its level; the level becomes 0 if it has full strength and no style."""
    level = policy.level or FULL_LEVEL
    if level == FULL_LEVEL and policy.aggression == 0.0 and policy.nil_bias == 0.0:
        level = 0
    noise_sd = POLICY_KINDS[policy.kind].noise_sd[level] if level else 0.0
    return policy._replace(level=level, noise_sd=noise_sd)


def _values(name: str, accepted: Sequence[str], options: str, tuned: Mapping[str, float]) -> dict[str, float]:
    """Return the fields that ``options`` of policy ``name`` set; ``tuned``: those that the option `tuned` sets."""
    values: dict[str, float] = {}
    for option in options.split(","):
        key, _, value = option.partition("=")
        if key not in accepted:
            raise PolicyError(f"policy {name} has no option {key!r}; accepted: {', '.join(accepted)}")
        if key != "tuned":
            values |= _option(name, key, value)
        elif value:
            raise PolicyError(f"{name}: {key} is {value!r}; accepted: {key} without a value")
        else:
            values |= tuned
    return values


def _option(name: str, key: str, text: str) -> dict[str, float]:
    option = OPTIONS[key]
    numbers = option.values.read(text)
    if numbers is None:
        raise PolicyError(f"{name}: {key} is {text!r}; accepted: {option.values.expected}")
    return dict(zip(option.fields, numbers, strict=True))
