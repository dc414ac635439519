"""Whether the win probabilities and the chances of nils that `winprob` states come true.

In games against each opponent of the training mix, two `winprob` bidders know how their opponents bid, or do not. With
each of their bids the stated probability is recorded, and before each round the value in the win table. They are
compared with the win table's value after the round, which is what the net predicts, and with the winner of the game.
The winner also depends on the later rounds: the win table is for two equal sides, so a side with weaker opponents wins
more games than it states.

Self-play in a few games with random rules shows the same far from the usual goals. The hash of the tables draws these
rules, so nobody knows them before the tables are built. Self-play in games to 500 shows it by seat and score: each seat
and each part of a game is right by itself, before opponents and a partner who bid as well as the bidder.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.counters import add_at
from arena.engine.jit import entry
from arena.engine.rounds import BATCH, Batch
from arena.engine.simulate import KernelTables, numba_typed, player_rows, policies_by_chair, policy_rows, tables_for
from arena.engine.winprob import BIDS, slice_of, weighed_seat
from arena.games import NOBODY, Lineup, play_games
from arena.questions import BID, Answering, Asked
from report.figures import query
from report.nearest_tables import in_code, in_words
from report.reads import BIS_FIELDS, NET, WIN_TABLES
from report.setup import LONG, PAPER, Setup
from spades.bidder import decide
from spades.levels import kind_of_player
from spades.options import PLAYER_KINDS, Policy
from spades.policies import parse_policy
from spades.position import EXPLAINED, Position
from spades.rules import PRESETS, Rules, make_rules
from spades.scoring import START, Standing
from spades.winprob import win_array, win_probability, win_probability_after
from studio import plots
from tables.learning.training import LATER_POLICIES

BINS = 20
OPPONENTS = Counter(LATER_POLICIES)  # each with its weight in the training mix
ENOUGH = 100  # a bin with fewer probabilities is not judged
DRAWN = 6  # number of games with random rules
ELSEWHERE: dict[str, tuple[object, ...]] = {
    "win": tuple(range(50, 1001, 50)),
    "lose": (None, -100, -200, -300, -500),
    "bags": (True, False),
    "bag_limit": (5, 7, 10),
    "nil_points": (50, 100, 200),
}
BANDS = (-np.inf, 100.0, 200.0, 300.0, np.inf)  # of the bidder's points, in games to 500
BAND_NAMES = ("below 100", "100 to 199", "200 to 299", "300 to 499")
NIL_PRESETS = ("classic", "pass-2", "pass-4")
NIL_DEALS = 4  # deals for the chances of nils, for each pair of the report
READS = (*BIS_FIELDS, *NET, *WIN_TABLES)
OF_PASSES = tuple(f"pass{n}_{field}" for n in (2, 4) for field in ("curves", "mean_bids"))


def informed(opponents: str) -> str:
    """Return the policy text of a `winprob` that knows how its opponents bid, and that its partner is `winprob` too."""
    kind = PLAYER_KINDS[kind_of_player(parse_policy(opponents))]
    return f"winprob:left={kind},partner=winprob,right={kind}"


class Stated(NamedTuple):
    """What was stated in many games; the first axis is the source: 0 a bid, 1 the win table."""

    bins: NDArray[np.float64]  # (2, BINS, 4) by stated probability: how many, their sum, games won, values after
    errors: NDArray[np.float64]  # (2,): sum of squared errors
    games: int


def _weigh(states: Any, seats: Any, rules: Rules, policy: Policy, profiles: Any, bids: Any, stated: Any) -> None:
    p_win = np.zeros(BIDS)
    for i in range(len(states)):
        bids[i] = weighed_seat(states[i], seats[i], rules, policy, profiles, p_win)
        stated[i] = p_win[bids[i]]


def _value(rounds: Any, rules: Rules, profiles: Any, before: Any, after: Any) -> None:
    # before (n,): the win table's value for the side of seat 0. after (n, 2): values after the round, of both sides.
    place = slice_of(rules, profiles)
    win = win_array(place, profiles)
    for i in range(len(rounds)):
        row = rounds[i]
        start = Standing(us=row.scores[0], them=row.scores[1], us_bags=row.bags[0], them_bags=row.bags[1])
        before[i] = win_probability(start, place, win)
        for us in range(2):
            them = 1 - us
            end = Standing(
                us=row.scores[us] + row.points[us],
                them=row.scores[them] + row.points[them],
                us_bags=row.bags_after[us],
                them_bags=row.bags_after[them],
            )
            after[i, us] = win_probability_after(end, us, place, rules, win)


_weigh_all, _value_all = entry(_weigh), entry(_value)


def values_of(
    rounds: NDArray[np.void], rules: Rules, profiles: KernelTables
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the win probabilities by the win table: before each round (n,), and after it of both sides (n, 2).

    Those before the round are of the side of seat 0. ``profiles``: from `tables_for`.
    """
    before, after = np.zeros(len(rounds)), np.zeros((len(rounds), 2))
    _value_all(rounds, rules, profiles, before, after)
    return before, after


class StatedBids(NamedTuple):
    """Bids of `winprob` in the same round of n games; all arrays (n,)."""

    games: NDArray[np.int64]
    seats: NDArray[np.int64]
    points: NDArray[np.int64]  # of the bidder's side before the round
    p_win: NDArray[np.float64]  # as stated


class Watched(Answering):
    """A `winprob` bidder whose stated probabilities are kept, as an agent of `arena.games`."""

    def __init__(self, policy: Policy, profiles: KernelTables) -> None:
        self._policy, self._profiles = numba_typed(policy), profiles
        self.stated: list[StatedBids] = []

    def answers(self, asked: Asked) -> NDArray[np.int64]:
        """Return the bids (n,); see `arena.questions.Answering`."""
        bids, stated = np.zeros(len(asked.seats), np.int64), np.zeros(len(asked.seats))
        _weigh_all(asked.states, asked.seats, asked.rules, self._policy, self._profiles, bids, stated)
        rounds = asked.rounds
        points = rounds["scores"][np.arange(len(rounds)), asked.seats]
        self.stated.append(StatedBids(rounds["deal"], asked.seats, points, stated))
        return bids


class WatchedRound(NamedTuple):
    """A round of n games that go on, out of all games."""

    results: NDArray[np.int64]  # (games,): 1 if side a has won, -1 if b has, otherwise 0
    rounds: NDArray[np.void]  # (n,) of `ROUND`
    before: NDArray[np.float64]  # (n,): see `values_of`
    after: NDArray[np.float64]  # (n, 2)
    after_of_a: NDArray[np.float64]  # (games,): the value after the round of side a; 0 for games that are over
    stated: list[StatedBids]


def watched(
    seed: int, games: int, rules: Rules, policies: Sequence[Policy], players: NDArray[np.int64], profiles: KernelTables
) -> Iterator[WatchedRound]:
    """Play ``games`` from 0-0, and yield each round with what the bidders of side a, which are `winprob`, state in it.

    ``policies``: by chair; ``profiles``: from `tables_for`.
    """
    batch, agent = Batch(rules, np.arange(games)), Watched(policies[0], profiles)
    lineup = Lineup(policies, players, agents=[agent], called={BID: [0, NOBODY, 0, NOBODY]})
    for results in play_games(batch, lineup, seed, profiles):
        rounds = batch.rounds[batch.active]
        before, after = values_of(rounds, rules, profiles)
        of_a = np.zeros(games)
        of_a[rounds["deal"]] = after[np.arange(len(rounds)), rounds["first_chair"] & 1]
        yield WatchedRound(results.copy(), rounds, before, after, of_a, agent.stated)
        agent.stated = []


def counted(games: int, rounds: Iterator[WatchedRound]) -> Stated:
    """Return what was stated in all rounds of ``games``."""
    parts: list[NDArray[np.float64]] = []  # rows: game, source, probability, whether the side is b, value after
    results = np.zeros(games, np.int64)
    for one in rounds:
        results, number = one.results, one.rounds["deal"]
        of_b = one.rounds["first_chair"] & 1  # 1: side b bids first
        parts.append(np.stack([number, np.ones(len(number)), one.before, of_b, one.after[:, 0]], axis=1))
        for own, _, _, stated in one.stated:
            parts.append(np.stack([own, np.zeros(len(own)), stated, np.zeros(len(own)), one.after_of_a[own]], axis=1))
    number, source, p, of_b, after_round = np.concatenate(parts).T
    won = ((results[number.astype(np.int64)] > 0) == (of_b == 0.0)).astype(np.float64)
    bins, errors = np.zeros((2, BINS, 4)), np.zeros(2)
    kinds, cells = source.astype(np.int64), np.minimum((p * BINS).astype(np.int64), BINS - 1)
    for column, values in enumerate((np.ones(len(p)), p, won, after_round)):
        add_at(bins, (kinds, cells, column), values)
    add_at(errors, (kinds,), (p - won) ** 2)
    return Stated(bins, errors, games)


@query(*READS, "rb_suit")
def winprob_reliability(setup: Setup) -> dict[str, Any]:
    """Plot, and return rows of stated win probabilities against games won."""
    series, rows = [], []
    for goals, rules in (("200/-100", PAPER), ("500", LONG)):
        for known in (False, True):
            against = {opponent: _stated(setup, opponent, known, rules) for opponent in OPPONENTS}
            if rules is PAPER:
                rows += [(goals, f"`{name}`", known, *_judged(stated, 0)) for name, stated in against.items()]
            mix = _mixed(against)
            rows.append((goals, "the training mix", known, *_judged(mix, 0)))
            series.append(_series(f"{goals}, {'known' if known else 'unknown'} opponents", mix, 0))
            if not known:
                rows.append((goals, "the training mix, by the win table", known, *_judged(mix, 1)))
                series.append(_series(f"{goals}, win table", mix, 1))
    svg = plots.lines(series, "win probability, as stated", "games won")
    setup.plot("winprob-reliability", svg)
    return {"rows": [(goals, name, "yes" if known else "no", *rest) for goals, name, known, *rest in rows]}


@query(*READS)
def winprob_elsewhere(setup: Setup) -> dict[str, Any]:
    """Return rows of stated win probabilities against games won, in games drawn by the hash of the tables.

    The first is about the bids; the second says which win table values each game, and judges its values.
    """
    rng = np.random.default_rng(int(setup.opened.sha256[:16], 16))
    rows, tables = [], []
    for _ in range(DRAWN):
        overrides = {field: values[rng.integers(len(values))] for field, values in ELSEWHERE.items()}
        text = in_code(overrides)
        rules = make_rules("classic", overrides)
        unknown, known = (_stated(setup, "winprob", knows, rules) for knows in (False, True))
        rows += [(text, "no", *_judged(unknown, 0)), (text, "yes", *_judged(known, 0))]
        nearest = setup.opened.games.nearest(rules)
        assert nearest is not None, "every partnership game is valued"
        instead = in_code(in_words(nearest.instead)) if nearest.instead else "its own"
        tables.append((text, instead, *_judged(known, 1)))
    return {"games": f"{setup.pairs:,}", "of_bids": rows, "of_win_tables": tables}


def _stated(setup: Setup, opponent: str, known: bool, rules: Rules) -> Stated:
    a = informed(opponent) if known else "winprob"
    policies = policies_by_chair(parse_policy(a), parse_policy(opponent))
    profiles = tables_for(setup.tables, rules, policies)
    players = player_rows("srp", "srp")
    return counted(setup.pairs, watched(setup.seed, setup.pairs, rules, policies, players, profiles))


def _mixed(against: Mapping[str, Stated]) -> Stated:
    """Return what was stated against all opponents, each with its weight in the training mix."""
    bins = sum((weight * against[name].bins for name, weight in OPPONENTS.items()), np.zeros((2, BINS, 4)))
    errors = sum((weight * against[name].errors for name, weight in OPPONENTS.items()), np.zeros(2))
    return Stated(bins, errors, sum(stated.games for stated in against.values()))


def _series(name: str, stated: Stated, source: int) -> plots.Series:
    times, chances, won, _ = stated.bins[source].T
    seen = times >= ENOUGH
    x, y = chances[seen] / times[seen], won[seen] / times[seen]
    # Use the number of games, not of positions: all positions of a game have the same result.
    error = 1.96 * np.sqrt(y * (1 - y) / np.minimum(times[seen], stated.games))
    return plots.Series(name, x, y, error)


def _judged(stated: Stated, source: int) -> tuple[str, ...]:
    times, chances, won, after = stated.bins[source].T
    seen = times >= ENOUGH
    away = np.abs(chances[seen] - won[seen]) / times[seen]
    total = times.sum()
    return (
        f"{total:,.0f}",
        f"{100 * (chances.sum() - after.sum()) / total:+.1f}",
        f"{100 * (chances.sum() - won.sum()) / total:+.1f}",
        f"{100 * np.average(away, weights=times[seen]):.1f}" if seen.any() else "-",
        f"{100 * away.max():.1f}" if seen.any() else "-",
        f"{stated.errors[source] / total:.4f}",
    )


@query(*READS)
def stated_by_seat(setup: Setup) -> dict[str, Any]:
    """Return rows of stated win probabilities against the value after the round, by seat and own points.

    Each game to 500 is played once. The value after the round is that of the win table, or 0 or 1 if the game ended.
    """
    policies = policies_by_chair(parse_policy("winprob"), parse_policy("winprob"))
    profiles = tables_for(setup.tables, LONG, policies)
    sums = np.zeros((4, len(BAND_NAMES), 3))  # how many bids, the sum of errors, the sum of their squares
    for one in watched(setup.seed, setup.pairs, LONG, policies, player_rows("srp", "srp"), profiles):
        for own, seats, points, stated in one.stated:
            errors = stated - one.after_of_a[own]
            cells = seats, np.searchsorted(BANDS, points, "right") - 1
            for column, values in enumerate((np.ones(len(own)), errors, errors**2)):
                add_at(sums, (*cells, np.full(len(own), column)), values)
    rows = []
    for seat in range(4):
        for band, name in enumerate(BAND_NAMES):
            n, total, squares = sums[seat, band]
            mean = total / max(n, 1.0)
            error = 1.96 * np.sqrt(max(squares / max(n, 1.0) - mean**2, 0.0) / max(n, 1.0))
            rows.append((seat, name, f"{n:,.0f}", f"{100 * mean:+.1f} ± {100 * error:.1f}"))
    return {"games": f"{setup.pairs:,}", "rows": rows}


@query(*READS, *OF_PASSES)
def stated_nils(setup: Setup) -> dict[str, Any]:
    """Return rows of the chances of nils as the service states them, against the nils made, by rules and seat.

    Each round is the first of a game to 200 or -100, in which all seats bid `winprob`.
    """
    rows = []
    for name in NIL_PRESETS:
        nils = np.array(list(_nils(setup, PRESETS[name]._replace(win=200, lose=-100)))).reshape(-1, 3)
        for seat in range(4):
            _, stated, made = nils[nils[:, 0] == seat].T
            error = 1.96 * made.std() / np.sqrt(max(1, len(made)))
            mean = f"{stated.mean():.3f}" if len(stated) else "-"
            rows.append(
                (name, seat, f"{len(stated):,}", mean, f"{made.mean():.3f} ± {error:.3f}" if len(made) else "-")
            )
    return {"rows": rows}


def _nils(setup: Setup, rules: Rules) -> Iterator[tuple[int, float, bool]]:
    # The nils of many deals: seat, stated chance, and whether it was made.
    policy = parse_policy("winprob")
    profiles, players = tables_for(setup.tables, rules, [policy]), player_rows("srp", "srp")
    deals = NIL_DEALS * setup.pairs
    for first in range(0, deals, BATCH):
        batch = Batch(rules, np.arange(first, min(first + BATCH, deals)))
        batch.deal(setup.seed, players)
        batch.bid(policy_rows([policy]), profiles, np.zeros((len(batch.rounds), 4), np.int64))
        batch.finish()
        for number, seat in zip(*np.nonzero(batch.rounds["bids"] == 0), strict=True):
            bids = tuple(batch.rounds["bids"][number, :seat].tolist())
            if seat > 1 and bids[seat - 2] == 0:
                continue  # what is stated is that both nils are made
            position = Position(int(batch.rounds["hands"][number, seat]), bids, START, rules)
            explanation = decide(position, policy, setup.opened, explain=EXPLAINED).explanation
            assert explanation is not None, "a full explanation was asked for"
            stated = next(one for one in explanation["candidates"] if one["bid"] == 0)["outcomes"]["nil_made"]
            yield seat, stated, batch.rounds["tricks"][number, seat] == 0
