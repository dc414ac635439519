"""The result of a match: one object that is written as JSON and as Markdown.

The counts come from `match` (layout in `arena.counters`), the intervals from `stats`. A rate without any case,
such as the success of nils if nobody bid nil, is null. The difference in points has no interval after fewer than
`stats.FEWEST_PAIRS` pairs, if all pairs are equal, or if the match may stop early.
"""

import json
import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from arena import stats
from arena.chunks import Executor, LocalThreads
from arena.engine.simulate import kernel_tables
from arena.markdown import table
from arena.match import Match, Played, play
from arena.source_files import chunk_code, files_hash
from arena.store import STORE, stored
from spades import __version__
from spades.inference import readers_of
from spades.legal import HIGHEST_BID, bid_word
from spades.rules import describe
from spades.tableset import DEFAULT_DIRECTORY, TableSet, open_tables

Row = dict[str, Any]
SIDES = ("a", "b")
METHODS = {  # what Markdown says about the methods of `stats`
    stats.WILSON: "95 %",
    stats.AGRESTI_COULL: "95 %, from few decisive pairs",
    stats.ANYTIME: "95 %, wherever the sequential test stops",
}


@dataclass(frozen=True)
class MatchResult:
    """A match and its figures.

    Lists of two are [a, b]. Rates and shares are 0 to 1. Points and bags are per round.
    """

    a: str
    b: str
    mixed: bool  # side a seats one bidder a and one bidder b, side b two bidders b
    noise: float
    players: list[str]  # with their versions
    rules: dict[str, Any]
    seed: int
    win_rate: float  # of side a; a draw counts half
    ci95: list[float]
    ci95_method: str  # "wilson", "agresti-coull" or "anytime-valid", see `stats`
    pairs: int
    games: int
    draws: int
    variance_saved: float  # by duplicate pairs, compared with as many independent games
    rounds: int
    points_per_round: list[float]
    points_difference: float  # a minus b, per round
    points_difference_ci95: list[float] | None
    nil_rate: list[float | None]  # of bids
    nil_success: list[float | None]  # of nils
    set_rate: list[float | None]  # of contracts of one trick or more
    bags: list[float | None]
    sum_of_bids: float | None  # mean of four
    legal_cards: float | None  # mean at each play
    contracts: list[Row]  # calibration by side and contract
    bids: list[Row]  # calibration by side and single bid
    round_types: list[Row]  # by who bid nil, as in Table 3 of ECAI 2020
    sums_of_bids: list[Row]  # points by the sum of the four bids, as in Fig. 4 of ECAI 2020
    sequential: Row | None
    versions: dict[str, str]
    tables: dict[str, Any]  # version and sha256 of the manifest and of each file
    seconds: float

    def record(self, timing: bool = True) -> dict[str, Any]:
        """Return the result as JSON values. Without ``timing``, it depends only on the match and the tables."""
        values = asdict(self)
        if not timing:
            del values["seconds"]
        return values

    def to_json(self, timing: bool = True) -> str:
        """Return one JSON object on one line."""
        return json.dumps(self.record(timing), sort_keys=False, allow_nan=False)

    def to_markdown(self) -> str:
        """Return the result for readers: the main figures, then calibration, round types and sums of bids as tables."""
        return "\n".join(_markdown(self)) + "\n"


KEPT = STORE / "arena"  # folder of the finished chunks of interrupted matches


def run_match(
    match: Match, jobs: int = 1, executor: Executor | None = None, progress: bool = False, resume: bool = False
) -> MatchResult:
    """Play ``match`` on the committed tables and judge it, in ``jobs`` threads or on ``executor``.

    With ``resume``, finished chunks are kept until the match ends, so that an interrupted one continues; but not if the
    match depends on a file or a server, which may change. Raises `ArenaError`, `BuildError` or `TablesError`.

    >>> run_match(Match("rb", "rb", ("wrp", "wrp"), pairs=2)).win_rate
    0.5
    """
    opened = open_tables(DEFAULT_DIRECTORY)
    nets = readers_of(opened.arrays).nets if match.searches else None
    tables, threads = kernel_tables(opened.arrays), executor or LocalThreads(jobs)
    arrays = {**opened.arrays, **opened.research} if match.arrays else None
    if not resume or match.may_differ_on_repeat:
        return describe_match(match, play(match, tables, threads, progress, nets, arrays), opened)
    with stored(decided_by(match, opened), KEPT) as kept:
        played = play(match, tables, threads, progress, nets, arrays, kept)
    return describe_match(match, played, opened)


def decided_by(match: Match, opened: TableSet) -> list[Any]:
    """Return everything that decides the chunks of a match, for `store.stored`."""
    versions = list(match.versions().values())
    return [asdict(match), match.players_shown, versions, opened.sha256, chunk_code("arena.match")]


def describe_match(match: Match, played: Played, opened: TableSet) -> MatchResult:
    """Return the result of a match that was played on the tables ``opened``."""
    sums = played.sums
    rate = stats.win_rate(played.scores, any_stop=match.sprt is not None)
    games = int(sums["games"])
    rounds = int(sums["rounds"])
    points = sums["points"]
    difference = stats.ratio_of_sums(
        float(points[0] - points[1]),
        rounds,
        float(sums["pair_dd"]),
        float(sums["pair_dr"]),
        float(sums["pair_rr"]),
        rate.pairs,
    )
    known = rate.pairs >= stats.FEWEST_PAIRS and rate.method != stats.ANYTIME
    interval = difference.interval if known else None
    return MatchResult(
        a=match.a,
        b=match.b,
        mixed=match.mixed,
        noise=match.noise,
        players=match.players_shown,
        rules=describe(match.rules),
        seed=match.seed,
        win_rate=rate.rate,
        ci95=[rate.low, rate.high],
        ci95_method=rate.method,
        pairs=rate.pairs,
        games=games,
        draws=int(sums["draws"]),
        variance_saved=rate.variance_saved,
        rounds=rounds,
        points_per_round=[float(x) / rounds for x in points],
        points_difference=difference.mean,
        points_difference_ci95=list(interval) if interval is not None else None,
        nil_rate=_rates(sums["nils"], sums["bids"]),
        nil_success=_rates(sums["nils_made"], sums["nils"]),
        set_rate=_rates(sums["sets"], sums["contracts"]),
        bags=[float(x) / rounds for x in sums["bags"]],
        sum_of_bids=_rate(sums["sum_of_bids"], rounds),
        legal_cards=_rate(sums["choices"], sums["plays"]),
        contracts=list(_contracts(sums)),
        bids=list(_bids(sums)),
        round_types=list(_round_types(sums, match.mixed)),
        sums_of_bids=list(_sums_of_bids(sums)),
        sequential=played.test._asdict() if played.test is not None else None,
        versions={
            "library": __version__,
            "engine": files_hash("arena.games"),
            "python": platform.python_version(),
            "numba": numba.__version__,
            "numpy": np.__version__,
            **match.versions(),
        },
        tables={
            "version": opened.version,
            "sha256": opened.sha256,
            "files": {name: entry.sha256 for name, entry in sorted(opened.manifest.files.items())},
        },
        seconds=round(played.seconds, 3),
    )


def _rate(count: float, of: float) -> float | None:
    return float(count) / float(of) if of else None


def _rates(counts: NDArray[np.float64], of: NDArray[np.float64]) -> list[float | None]:
    return [_rate(count, whole) for count, whole in zip(counts, of, strict=True)]


def _contracts(sums: np.void) -> Iterable[Row]:
    levels = sums["by_contract"]
    for side, name in enumerate(SIDES):
        for contract in range(27):
            rounds, made, over, short = levels[side, contract]
            if rounds:
                yield {
                    "side": name,
                    "contract": contract,
                    "rounds": int(rounds),
                    "made": made / rounds,
                    "set": 1 - made / rounds,
                    "overtricks": _rate(over, made),  # mean over the contracts made
                    "short": _rate(short, rounds - made),  # mean over the contracts set
                }


def _bids(sums: np.void) -> Iterable[Row]:
    levels = sums["by_bid"]
    for side, name in enumerate(SIDES):
        for bid in range(HIGHEST_BID + 1):
            bids, tricks, made = levels[side, bid]
            if bids:
                yield {
                    "side": name,
                    "bid": bid_word(bid),
                    "bids": int(bids),
                    "tricks": tricks / bids,
                    "made": made / bids,
                }


def round_type(pattern: int, mixed: bool = False) -> str:
    """Return the round type of a nil pattern (one bit per chair: a0, b0, a1, b1), as in Table 3 of ECAI 2020.

    In a mixed match, the type also says who bid a single nil of side a: `first` is bidder a, `second` is their
    partner.

    >>> round_type(0), round_type(1), round_type(3), round_type(5), round_type(4, mixed=True)
    ('no nil', 'nil of a', 'nil v nil', 'double nil of a', 'nil of a, second')
    """
    of_a = (pattern & 1) + (pattern >> 2 & 1)
    of_b = (pattern >> 1 & 1) + (pattern >> 3 & 1)
    if of_a == 2:
        return "double nil of both" if of_b == 2 else "double nil of a"
    if of_b == 2:
        return "double nil of b"
    if of_a and of_b:
        return "nil v nil"
    if of_a:
        return ("nil of a, first" if pattern & 1 else "nil of a, second") if mixed else "nil of a"
    return "nil of b" if of_b else "no nil"


def _round_types(sums: np.void, mixed: bool) -> Iterable[Row]:
    patterns = sums["nil_patterns"]
    totals: dict[str, NDArray[np.float64]] = {}
    for pattern in range(16):
        of_a = (pattern & 1) + (pattern >> 2 & 1)
        of_b = (pattern >> 1 & 1) + (pattern >> 3 & 1)
        rounds = patterns[pattern, 0]
        row = np.append(patterns[pattern], [of_a * rounds, of_b * rounds])
        name = round_type(pattern, mixed)
        totals[name] = totals.get(name, np.zeros(7)) + row
    whole = sums["rounds"]
    for name, (rounds, points_a, points_b, made_a, made_b, nils_a, nils_b) in sorted(totals.items()):
        if rounds:
            yield {
                "type": name,
                "rounds": int(rounds),
                "share": rounds / whole,
                "points": [points_a / rounds, points_b / rounds],
                "nil_success": [_rate(made_a, nils_a), _rate(made_b, nils_b)],
            }


def _sums_of_bids(sums: np.void) -> Iterable[Row]:
    for total, (rounds, plain, points_a, points_b) in enumerate(sums["bid_sums"]):
        if rounds:
            points = [points_a / plain, points_b / plain] if plain else [None, None]
            yield {"sum": total, "rounds": int(rounds), "without_nil": int(plain), "points": points}


# ---- Markdown ----------------------------------------------------------------------------------------------------


def _percent(x: float | None) -> str:
    return "-" if x is None else f"{100 * x:.1f} %"


def _number(x: float | None) -> str:
    return "-" if x is None else f"{x:.2f}"


def _percents(values: Iterable[float | None]) -> str:
    return " : ".join(map(_percent, values))


def _numbers(values: Iterable[float | None]) -> str:
    return " : ".join(map(_number, values))


# The tables at the end: the field of the result, the titles of the columns, and how a cell of each is shown.
_TABLES: tuple[tuple[str, str, tuple[Callable[[Any], str], ...]], ...] = (
    (
        "round_types",
        "round type | rounds | share | points a : b | nils made a : b",
        (str, str, _percent, _numbers, _percents),
    ),
    (
        "contracts",
        "side | contract | rounds | made | set | overtricks if made | tricks short if set",
        (str, str, str, _percent, _percent, _number, _number),
    ),
    ("bids", "side | bid | bids | tricks of the bidder | contract or nil made", (str, str, str, _number, _percent)),
    (
        "sums_of_bids",
        "sum of bids | rounds | rounds without nil | points a : b (without nil)",
        (str, str, str, _numbers),
    ),
)


def _markdown(r: MatchResult) -> Iterable[str]:
    side_a = f"{r.a} with {r.b}" if r.mixed else r.a
    yield f"# {side_a} v {r.b}"
    yield ""
    low, high = r.ci95
    ends = f"{METHODS[r.ci95_method]}: {100 * low:.2f} to {100 * high:.2f}"
    yield f"Win rate of a: **{100 * r.win_rate:.2f} %** ({ends}), {r.pairs} pairs."
    if r.sequential is not None:
        s = r.sequential
        yield (
            f"Sequential test of Elo {s['elo0']:g} (H0) against {s['elo1']:g} (H1): {s['decision']}"
            f" (log-likelihood ratio {s['llr']:.2f}, bounds {s['lower']:.2f} and {s['upper']:.2f})."
        )
    noise = f", bids changed with probability {r.noise:g}" if r.noise else ""
    lose = "none" if r.rules["lose"] is None else r.rules["lose"]
    yield (
        f"Players {' and '.join(r.players)}; goals {r.rules['win']}/{lose}; seed {r.seed}{noise};"
        f" tables {r.tables['version']}; {r.seconds:.1f} s."
    )
    yield "\n" + table(
        " | a | b",
        (
            ("points per round", *map(_number, r.points_per_round)),
            ("bids that are nil", *map(_percent, r.nil_rate)),
            ("nils made", *map(_percent, r.nil_success)),
            ("contracts set", *map(_percent, r.set_rate)),
            ("bags per round", *map(_number, r.bags)),
        ),
    )
    ends = "no interval"
    if r.points_difference_ci95 is not None:
        ends = "95 %: {:+.2f} to {:+.2f}".format(*r.points_difference_ci95)
    yield ""
    yield (
        f"Points of a minus b per round: {r.points_difference:+.2f} ({ends});"
        f" variance saved by duplicate pairs: {_percent(r.variance_saved)}; mean sum of bids {_number(r.sum_of_bids)};"
        f" legal cards per play {_number(r.legal_cards)}; {r.rounds} rounds, {r.games} games, {r.draws} drawn."
    )
    for field, head, formats in _TABLES:
        rows = ([show(value) for show, value in zip(formats, row.values(), strict=True)] for row in getattr(r, field))
        yield "\n" + table(head, rows)
