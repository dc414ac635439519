"""The policies, one row each, and the reading of policy texts such as ``bis:endgame=off``.

A row declares everything in which policies differ: how the policy decides and explains, its options with their defaults
in each variant, its levels, and its entry in the catalogue. `bidder`, the contract, the catalogue, the metrics and the
simulator read the rows. How to add a policy or an option: docs/how-to/add-a-policy.md.

A policy text is ``name`` or ``name:option=value,...``; the service, the command line and the arena read the same texts.
The policy `best` has no row. Only requests can name it; `decider_of` returns the policy that decides instead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar

from spades.baselines import Baseline, fixed, io, ms, rb
from spades.bis.cutthroat import CutthroatDecision, bis_cutthroat
from spades.bis.partnership import BisDecision, bis
from spades.errors import PolicyError
from spades.explain.cutthroat_explanation import explain_cutthroat
from spades.explain.explanation import explain_baseline, explain_bis
from spades.explain.winprob_explanation import explain_winprob
from spades.legal import allowed_bids, simplified_rules
from spades.options import BIS, FIXED, FULL_LEVEL, IO, MS, OPTIONS, RB, WINPROB, Policy
from spades.position import Turn
from spades.rules import CUTTHROAT, JOKERS, PARTNERSHIP, SUICIDE, WHIZ
from spades.tables import Tables
from spades.tableset import TableSet
from spades.winprob.decision import WinDecision, win_decision


class Made(Protocol):
    """What a kernel returns: a bid and the numbers behind it."""

    @property
    def bid(self) -> int:
        """The bid that the kernel chooses, 0..13."""


M = TypeVar("M", bound=Made)
Explanation = dict[str, Any]
MadeForBis = BisDecision | CutthroatDecision


@dataclass(frozen=True, kw_only=True)
class PolicyRow(Generic[M]):
    """Everything that is declared about one policy."""

    name: str  # in policy texts, in answers and as the metrics' label `policy`
    description: str  # for the catalogue
    # The policies against which the catalogue gives its win rates. Empty: the catalogue instead gives the win rate of
    # `bis` against this policy. None: not measured.
    opponents: tuple[str, ...] | None
    options: tuple[str, ...]  # names in `options.OPTIONS`, in the order of the catalogue
    kernel: Callable[[Turn, Policy, TableSet], M]
    # The hand's tricks; if a nil is not legal, the legal number nearest to this replaces it.
    takes: Callable[[M], int]
    # The answer's `explanation`, from the decision, the turn, the bid after the rules' limits, the final bid and the
    # policy.
    explain: Callable[[M, Turn, int, int, Policy], Explanation]
    defaults: Policy
    tuned: Mapping[str, float] = field(default_factory=dict)  # what the option `tuned` sets; empty: no such option
    # Per variant: fields whose default differs in that variant. In these variants, the option `tuned` sets the same
    # values.
    in_variant: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    served: bool = True  # False: for tests and the arena only
    # Microseconds of a decision, without and with its explanation, as `python -m tables bench` measured them.
    typical_us: tuple[float, float] = (0.0, 0.0)
    version: str = "1"  # goes up when the policy's bids change without a change of tables
    noise_sd: tuple[float, ...] = ()  # `Policy.noise_sd` by level, level 0 first; `python -m tables fit levels`
    needs_win_table: bool = False  # True: refuses rules for which there is no win table
    keeps_to_legal: bool = False  # True: the kernel chooses among the turn's legal bids itself

    @property
    def kind(self) -> int:
        """The number by which kernels tell policies apart: the row's index in `ROWS`."""
        return self.defaults.kind


# ---- BIS -----------------------------------------------------------------------------------------------------------


def _bis(turn: Turn, policy: Policy, __: TableSet) -> MadeForBis:
    hand, position, auction, standing, allowed, tables, _, _ = turn
    rules = position.rules
    seen = simplified_rules(rules) if policy.ignores_rules else rules
    if rules.variant == CUTTHROAT and not policy.ignores:
        return bis_cutthroat(hand, auction, position.seat_scores, standing.us_bags, allowed, seen, policy, tables)
    if policy.ignores_rules:
        allowed = allowed_bids(hand, auction.partner_bid, seen)
    return bis(hand, auction, standing, allowed, seen, policy, tables)


def _bis_takes(made: MadeForBis) -> int:
    if isinstance(made, CutthroatDecision):
        return made.number
    return made.number or made.regular.takes  # number is 0 if the rules allow only nil; legal_bids may exclude nil


def _explain_bis(made: MadeForBis, turn: Turn, by_rules: int, bid: int, policy: Policy) -> Explanation:
    if isinstance(made, CutthroatDecision):
        return explain_cutthroat(made, turn, bid)
    if by_rules != made.bid:  # option `rules=ignore`
        made = made._replace(bid=by_rules)
    return explain_bis(made, turn, bid, policy)


# ---- RB, MS, IO and fixed bids -------------------------------------------------------------------------------------

_LOW_CARDS = "in each suit the three lowest cards at most {ranks}; at most 3 spades; partner not nil"
_IO_NIL = "at most 3 takes, partner's bid 4 or more, no ace or king, no spade from the ten up, at most 3 spades"


def _by_rule(
    bid: Callable[[int, int, Policy, Tables], Baseline],
) -> Callable[[Turn, Policy, TableSet], Baseline]:
    """Return a row's kernel that calls the rule-based bidder ``bid`` (hand, partner's bid, policy, tables)."""

    def kernel(turn: Turn, policy: Policy, _: TableSet) -> Baseline:
        return bid(turn.hand, turn.auction.partner_bid, policy, turn.tables)

    return kernel


def _explain_with(nil_rule: str) -> Callable[[Baseline, Turn, int, int, Policy], Explanation]:
    """Return the `explain` of a rule-based bidder's row; ``nil_rule``: as in `explain_baseline`."""

    def explain(made: Baseline, turn: Turn, by_rules: int, bid: int, policy: Policy) -> Explanation:
        return explain_baseline(made, turn, by_rules, bid, policy, nil_rule)

    return explain


# ---- winprob -------------------------------------------------------------------------------------------------------


def weigh_bids(turn: Turn, policy: Policy, tables: TableSet) -> WinDecision:
    """Return the decision of `winprob` at full strength."""
    return win_decision(turn, policy, tables.weights)


# ---- the rows ------------------------------------------------------------------------------------------------------

_SKILL = ("level", "aggression", "nil_bias")
# fmt: off
_OF_BIS = (
    "nil_threshold", "offset", "curves", "factor", "endgame", "spade_honours", "nil_floor", "nils", "dynamic",
    "convention", "signal_takes", "answer_threshold", "nil_slope", "blind", "blind_frequency", "blind_floor",
    "ten_from", "forced_trick", "certain", "variant", "rules", *_SKILL,
)
# fmt: on

ROWS: tuple[PolicyRow[Any], ...] = (  # mypy checks each row against its own decision type
    PolicyRow[MadeForBis](
        name="bis",
        description="regular takes, nil by success curves, end of game (ECAI 2020, Algorithm 1)",
        opponents=("rb", "ms", "io"),
        options=_OF_BIS,
        kernel=_bis,
        takes=_bis_takes,
        explain=_explain_bis,
        defaults=Policy(kind=BIS),
        # `python -m tables fit bis`, see docs/strength.md.
        tuned={
            "nil_threshold": 0.0,
            "offset": 0.15,
            "forced_trick": 10.0,
            "blind_frequency": 1.0,
            "blind_floor": 0.3,
        },
        # The published options are for partnerships. `python -m tables fit cutthroat` and `fit variants`.
        in_variant={
            CUTTHROAT: {"nil_threshold": -10.0, "offset": 0.2, "spade_honours": 1},
            WHIZ: {"nil_threshold": 15.0, "nil_slope": 15.0},
            SUICIDE: {"nil_threshold": -100.0, "nil_slope": 10.0, "spade_honours": 1},
            JOKERS: {"nil_threshold": 0.0, "offset": 0.15},
        },
        typical_us=(14.4, 25.1),
        noise_sd=(0.0, 1.25, 1.05, 0.8, 0.55, 0.0),
    ),
    PolicyRow[Baseline](
        name="rb",
        description="every card worth a fitted value by the length of its suit; nil by the three lowest cards of each "
        "suit",
        opponents=(),
        options=("nil", "nils", "variant", *_SKILL),
        kernel=_by_rule(rb),
        takes=lambda made: made.takes,
        explain=_explain_with(_LOW_CARDS),
        defaults=Policy(kind=RB),  # its nil ranks are fitted to our engine: `python -m tables fit rb`
        typical_us=(4.7, 10.9),
        noise_sd=(0.0, 1.0, 0.82, 0.64, 0.43, 0.0),
    ),
    PolicyRow[Baseline](
        name="ms",
        description="aces, guarded kings, queen of spades and spade length; the nil rule of the paper's RB",
        opponents=(),
        options=("nil", "nils", "variant", *_SKILL),
        kernel=_by_rule(ms),
        takes=lambda made: made.takes,
        explain=_explain_with(_LOW_CARDS),
        defaults=Policy(kind=MS, nil_x=3, nil_y=6, nil_z=8),  # 5-8-T as published (ECAI 2020, appendix F)
        typical_us=(5.0, 11.0),
        noise_sd=(0.0, 0.62, 0.51, 0.41, 0.31, 0.0),
    ),
    PolicyRow[Baseline](
        name="io",
        description="high cards and spades at fixed values, rounded down; nil only under a partner's bid of 4 or more",
        opponents=(),
        version="2",
        options=("nils", "variant", *_SKILL),
        kernel=_by_rule(io),
        takes=lambda made: made.takes,
        explain=_explain_with(_IO_NIL),
        defaults=Policy(kind=IO),
        typical_us=(4.2, 9.7),
        noise_sd=(0.0, 0.68, 0.57, 0.45, 0.29, 0.0),
    ),
    PolicyRow[Baseline](
        name="fixed",
        served=False,
        description="the same bid from every hand",
        opponents=None,
        options=("bid",),
        kernel=_by_rule(lambda hand, partner_bid, policy, tables: fixed(partner_bid, policy)),
        takes=lambda made: made.takes,
        explain=_explain_with("never by rule"),
        defaults=Policy(kind=FIXED),
    ),
    PolicyRow[WinDecision](
        name="winprob",
        description="the bid that wins the game most often from this score: a net's odds of what a bid leads to, "
        "over tables of what each score is worth (docs/explanation/how-winprob-bids.md); for the games that have such "
        "a table",
        opponents=("bis", "bis:tuned", "rb", "ms", "io"),
        version="2",
        options=("margin", "nil_margin", "even", "far_margin", "left", "partner", "right", *_SKILL),
        kernel=weigh_bids,
        takes=lambda made: made.bid,
        explain=lambda made, turn, by_rules, bid, policy: explain_winprob(made, turn, policy),
        defaults=Policy(kind=WINPROB),
        typical_us=(116.2, 219.5),
        noise_sd=(0.0, 0.3, 0.14, 0.08, 0.04, 0.0),
        needs_win_table=True,
        keeps_to_legal=True,
    ),
)


def check_rows(rows: Sequence[PolicyRow[Any]]) -> None:
    """Raise `TypeError` if the declaration of a policy or option is incomplete or inconsistent; the text names it."""
    for kind, row in enumerate(rows):
        where = f"policy {row.name}"
        if row.kind != kind:
            raise TypeError(f"{where}: kind is {row.kind} in its defaults; accepted: {kind}, its index in ROWS")
        unknown = [name for name in row.options if name not in OPTIONS]
        if unknown:
            raise TypeError(f"{where}: found option {unknown[0]!r}, which no field of Policy declares")
        own = {name for option in row.options for name in OPTIONS[option].fields}
        for values in (row.tuned, *row.in_variant.values()):
            if not values.keys() <= own:
                raise TypeError(
                    f"{where}: tuned or in_variant sets {min(values.keys() - own)}, which is no option of it"
                )
        levels = FULL_LEVEL + 1 if "level" in row.options else 0
        if len(row.noise_sd) != levels:
            raise TypeError(
                f"{where}: noise_sd has {len(row.noise_sd)} numbers; accepted: {levels}, one for each level"
            )
        if row.served and min(row.typical_us) <= 0.0:
            raise TypeError(f"{where}: typical_us is {row.typical_us}; accepted: times above 0 of a served policy")
    unused = OPTIONS.keys() - {name for row in rows for name in row.options}
    if unused:
        raise TypeError(f"option {min(unused)}: found in no policy's options; accepted: one policy or more")


check_rows(ROWS)
BY_NAME = {row.name: row for row in ROWS}
SERVED = tuple(row.name for row in ROWS if row.served)


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
    row = BY_NAME[name]
    return ("tuned", *row.options) if row.tuned else row.options


def row_of(text: str) -> PolicyRow[Any]:
    """Return the row of a policy text; raise `PolicyError` for an unknown name."""
    name = text.partition(":")[0]
    if name not in BY_NAME:
        raise PolicyError(f"unknown policy {name!r}; accepted: {', '.join(BY_NAME)}")
    return BY_NAME[name]


# `best` is the strongest policy for the rules (docs/strength.md): the first of BEST_DECIDERS if the rules have a win
# table, otherwise the second. It takes the options that both take.
BEST = "best"
BEST_DECIDERS = ("winprob", "bis:tuned")
BEST_OPTIONS = tuple(name for name in OPTIONS if all(name in row_of(text).options for text in BEST_DECIDERS))


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
    row = row_of(text)
    _, colon, options = text.partition(":")
    fitted = {} if "variant=ignore" in options.split(",") else row.in_variant.get(variant, {})
    values = dict(fitted)
    if colon:
        values |= _values(row.name, option_names(row.name), options, fitted or row.tuned)
    return with_skill(row.defaults._replace(**values))  # type: ignore[arg-type]


def with_skill(policy: Policy) -> Policy:
    """Return ``policy`` with the noise_sd of its level; the level becomes 0 if it has full strength and no style."""
    level = policy.level or FULL_LEVEL
    if level == FULL_LEVEL and policy.aggression == 0.0 and policy.nil_bias == 0.0:
        level = 0
    noise_sd = ROWS[policy.kind].noise_sd[level] if level else 0.0
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
