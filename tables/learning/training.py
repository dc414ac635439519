"""The training of `winprob`'s outcome net on self-play, in six rounds (arrays `net_*`).

The first round uses positions without a score, bid by rule-based policies. Each time such a position is drawn, it gets
another game and score. The other five rounds use positions at scores of all games. In these, the net of the round
before bids for partner and for one in ten opponents, and RB and MS bid for most of the others. Most scores are scores
that games reached; the others are random. All positions mix in a second card player and noise, so that the net does not
depend on a single player. The inputs are `tables.learning.training_data` and the table `win`; `tables.learning.net`
trains. The bytes of the result depend on the seed and on the linear algebra library with its number of threads, not on
--jobs.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from service.bidding.game.rules import NO_LOSING_GOAL
from service.bidding.policies import parse_policy
from service.bidding.winprob.candidates import ABOVE, BELOW
from service.bidding.winprob.features import BID_INPUTS, INPUTS
from service.bidding.winprob.games import BAGS, CLASSIC, DEPTH_POINTS, SLICES, rules_of
from service.bidding.winprob.outcomes import OUTCOMES
from tables.arena.stats import pair_counts
from tables.builders.win_tables import NO_PENALTY
from tables.engine.game import SUMS, Lineup
from tables.engine.selfplay import play_pairs
from tables.engine.simulate import kernel_tables, numba_typed, player_rows, policies_by_chair, tables_for
from tables.engine.winprob import BIDS
from tables.learning.net import DEPTH as HIDDEN
from tables.learning.net import WIDTH, Batch, Ints, Net, packed
from tables.learning.training_data import (
    FIRST_PLAYER,
    MOST_TRIED,
    NOISE,
    PARTNER,
    RARE,
    SEATS,
    Labels,
    Played,
    candidate_rounds,
    label,
    seen_scores,
)
from tables.players.names import TABLES_PLAYER
from tables.run.family import Arrays, Chunk, Context, Family

FIRST_POLICIES = (
    "bis:tuned,endgame=off",
    "bis:endgame=off",
    "rb",
    "bis:offset=0.3,endgame=off",
    "bis:offset=-0.3,nil_threshold=-30,endgame=off",
    "ms",
)
LATER_POLICIES = ("winprob", "ms", "ms", "ms", "ms", "rb", "rb", "rb", "bis:tuned", "bis")
SEEN_BY = "bis:tuned"  # bidder of the games that give the scores to draw from
PLAYERS = (TABLES_PLAYER, "wrp")
CHUNK, PAIRS = 20_000, 5_000  # positions and duplicate pairs in a chunk
BATCH, PARTS = 1024, 2  # positions in a step, and its parts; the parts set the order of sums, so they affect the result
REDRAWN = 0.3  # share of positions with a score that get another score
SEEN, SEEN_SHARE = 20_000, 0.75  # number of scores of each game to draw from, and share of scores drawn from them
NEAR, SPREAD = 0.5, 70.0  # of random scores: share with sides near each other, and sd of their difference in points
HELD_OUT = 20_000  # positions that are not used to train
GAMES = tuple(SLICES)
RULES = tuple(rules_of(game) for game in GAMES)
# Shares of positions at the games for which strength is reported; the other positions are at any game.
PLAIN_GAMES = {(200, -100, CLASSIC.bag_penalty): 0.5, (500, NO_LOSING_GOAL, CLASSIC.bag_penalty): 0.15}
NET = ("position", "bid", "hidden", "out")


class Round(NamedTuple):
    """A training round: play positions, then train the net on them, perhaps with those of the round before."""

    name: str
    policies: tuple[str, ...]  # bidders of the positions; the first bids for partner
    scored: bool  # whether positions have a score
    goes_on: bool  # whether to train on the positions of the round before too
    epochs: int  # passes over the positions
    rate: float  # learning rate at the start; it falls to 0 along a cosine


ROUNDS = (
    Round("first", FIRST_POLICIES, False, False, 2, 5e-3),
    Round("second", LATER_POLICIES, True, False, 2, 5e-3),
    Round("third", LATER_POLICIES, True, True, 2, 5e-3),
    Round("fourth", LATER_POLICIES, True, True, 3, 5e-3),
    Round("fifth", LATER_POLICIES, True, True, 2, 4e-3),
    Round("sixth", LATER_POLICIES, True, True, 2, 3e-3),
)


def random_games(rng: np.random.Generator, n: int) -> Ints:
    """Return (n,): random indices of GAMES."""
    drawn: Ints = rng.integers(0, len(GAMES), n)
    lot = rng.random(n)
    for key, share in PLAIN_GAMES.items():
        drawn[(lot >= 0.0) & (lot < share)] = GAMES.index(key)
        lot -= share
    return drawn


def drawn_scores(rng: np.random.Generator, games: Ints, seen: Ints) -> Ints:
    """Return scores as `random_scores` does, but draw most of them from ``seen``.

    ``seen`` (games, SEEN, 4) has scores that games reached.
    """
    taken = seen[games, rng.integers(0, seen.shape[1], len(games))]
    scores: Ints = np.where(rng.random((len(games), 1)) < SEEN_SHARE, taken, random_scores(rng, games))
    return scores


def random_scores(rng: np.random.Generator, games: Ints) -> Ints:
    """Return (n, 4): random scores of running games, points and bags of us, then of them.

    Points are a multiple of ten plus the bags.
    """
    n = len(games)
    goal, lose = (np.array([game[i] for game in GAMES])[games] for i in range(2))
    low = np.maximum(lose // 10 + 1, -DEPTH_POINTS // 10)
    high = goal // 10 - 1
    tens = low + (rng.random((2, n)) * (high + 1 - low)).astype(np.int64)
    beside = tens[0] + np.rint(rng.normal(0.0, SPREAD / 10, n)).astype(np.int64)
    tens[1] = np.where(rng.random(n) < NEAR, np.clip(beside, low, high), tens[1])
    bags = rng.integers(0, BAGS, (2, n))
    return np.stack([10 * tens[0] + bags[0], bags[0], 10 * tens[1] + bags[1], bags[1]], axis=1)


def _seen(ctx: Context) -> Ints:
    """Return scores (games, SEEN, 4) before the rounds of games that SEEN_BY plays; see `training_data`."""
    policy, players = numba_typed(parse_policy(SEEN_BY)), player_rows(PLAYERS[0], PLAYERS[0])
    ts = tables_for(kernel_tables(ctx.inputs), RULES[0], [policy])

    def play(index: int, seed: int) -> Arrays:
        seen = np.zeros((1, SEEN, 4), np.int64)
        seen_scores(seed & 0x7FFFFFFF, 0, SEEN, RULES[index], policy, players, ts, seen[0])
        return {"seen": seen}

    return cast(Ints, ctx.gathered("scores", len(GAMES), play)["seen"])


def _positions(ctx: Context, stage: Round, arrays: Arrays, seen: Ints) -> Arrays:
    """Return played positions (see `training_data`); `games` is -1 for positions without a score."""
    bidders = tuple(numba_typed(parse_policy(text)) for text in stage.policies)
    ts = tables_for(kernel_tables(arrays), RULES[0], bidders)
    name, scored = f"{stage.name}_positions", stage.scored
    players = np.concatenate([player_rows(player, player)[:1] for player in PLAYERS])

    def play(index: int, seed: int) -> Arrays:
        rng = np.random.default_rng(seed)
        number = int(random_games(rng, 1)[0]) if scored else -1
        games = np.full(CHUNK, number)
        scores = drawn_scores(rng, games, seen) if scored else np.zeros((CHUNK, 4), np.int64)
        rules = rules_of(GAMES[number if scored else 0])
        made: dict[str, NDArray[Any]] = {
            "hands": np.zeros(CHUNK, np.int64),
            "bids": np.zeros((CHUNK, 4), np.int8),
            "tried": np.zeros((CHUNK, MOST_TRIED), np.int8),
            "results": np.zeros((CHUNK, MOST_TRIED, 4), np.int16),
        }
        free = rules._replace(bag_limit=NO_PENALTY)
        candidate_rounds(
            seed & 0x7FFFFFFF,
            0,
            CHUNK,
            rules,
            free,
            Lineup(bidders, players),
            ts,
            scores.astype(np.int64),
            Played(**made),
        )
        return {**made, "scores": scores.astype(np.int16), "games": games.astype(np.int8)}

    return ctx.gathered(name, max(2, ctx.size(name) // CHUNK), play)


def batch_of(
    rows: Ints, data: Arrays, rng: np.random.Generator, profiles: Any, seen: Ints, redrawn: float = REDRAWN
) -> Batch:
    """Return the labelled positions ``rows``.

    Positions without a score, and a share ``redrawn`` of the others, get a new random game and score.
    """
    games = data["games"][rows].astype(np.int64)
    fresh = (games < 0) | (rng.random(len(rows)) < redrawn)
    games = np.where(fresh, random_games(rng, len(rows)), games)
    scores = np.where(fresh[:, None], drawn_scores(rng, games, seen), data["scores"][rows].astype(np.int64))
    played = Played(*(data[name] for name in Played._fields))
    shape = (len(rows), MOST_TRIED)
    labels = Labels(
        np.zeros((len(rows), INPUTS), np.float32),
        np.zeros((*shape, BID_INPUTS), np.float32),
        np.zeros((*shape, OUTCOMES), np.float32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int64),
    )
    label(rows, played, scores, games, RULES, profiles, labels)
    return packed(labels, played.tried[rows])


def train(net: Net, data: Arrays, stage: Round, seed: int, profiles: Any, seen: Ints, progress: bool) -> float:
    """Train on all of ``data`` except the first HELD_OUT positions.

    Return the mean squared centred error of the last epoch. Each batch is labelled and learned in PARTS parts, one
    thread each.
    """
    rng = np.random.default_rng(seed)
    held = min(HELD_OUT, len(data["hands"]) // 10)
    count = (len(data["hands"]) - held) // BATCH
    steps = stage.epochs * count
    net.restart()
    errors: list[float] = []
    with (
        ThreadPoolExecutor(PARTS) as pool,
        tqdm(total=steps, desc="net/train", disable=None if progress else True) as bar,
    ):

        def labelled(rows: Ints, step: int) -> list[Future[Batch]]:
            parts = enumerate(np.split(rows, PARTS))
            return [
                pool.submit(batch_of, part, data, np.random.default_rng([seed, step, i]), profiles, seen)
                for i, part in parts
            ]

        for epoch in range(stage.epochs):
            order = held + rng.permutation(len(data["hands"]) - held)
            rows = [order[b * BATCH : (b + 1) * BATCH] for b in range(count)]
            coming = labelled(rows[0], epoch * count)
            for b in range(count):
                parts = [part.result() for part in coming]
                if b + 1 < count:
                    coming = labelled(rows[b + 1], epoch * count + b + 1)
                falling = 0.5 * (1 + float(np.cos(np.pi * len(errors) / steps)))
                errors.append(net.learn(parts, stage.rate * falling, pool))
                bar.update()
    return float(np.mean(errors[-count:]))


def held_out(net: Net, data: Arrays, seed: int, profiles: Any, seen: Ints) -> tuple[float, float]:
    """Return the error on held-out positions: mean squared centred error, and win probability lost.

    The lost win probability is the mean difference between the best candidate in hindsight and the net's choice. It
    falls as the net chooses better, but luck keeps it far from 0.
    """
    rows = np.arange(min(HELD_OUT, len(data["hands"]) // 10))
    batch = batch_of(rows, data, np.random.default_rng(seed), profiles, seen, 0.0)
    stated = net.stated(batch)
    error = stated - batch.target
    centred = error - batch.means(error)[batch.position]
    told, brought = np.full((2, len(rows), BIDS), -1.0)
    weighed = batch.real == 1.0
    cells = batch.position[weighed], batch.bid[weighed]
    told[cells], brought[cells] = stated[weighed], batch.target[weighed]
    lost = (brought.max(axis=1) - brought[rows, told.argmax(axis=1)]).mean()
    return float((centred**2 * batch.real).sum() / batch.real.sum()), float(lost)


def weights_of(net: Net) -> dict[str, NDArray[np.float64]]:
    """Return the net's arrays as kernels read them, float64 by name."""
    return {f"net_{name}": net.weights[name].astype(np.float64) for name in NET}


def _won(ctx: Context, name: str, arrays: Arrays) -> float:
    """Return the share of games that the net wins against `bis` at goal 200 and losing goal -100.

    Every training round is measured on the same deals.
    """
    policies = policies_by_chair(parse_policy("winprob"), parse_policy("bis"))
    rules, players = rules_of((200, -100, 100)), player_rows(PLAYERS[0], PLAYERS[0])
    ts = tables_for(kernel_tables(arrays), rules, policies)

    def play(index: int, _seed: int) -> Arrays:
        scores = np.zeros((PAIRS, 2), np.int64)
        deals = int(np.random.default_rng([ctx.seed, index]).integers(2**31))
        play_pairs(deals, 0, PAIRS, rules, Lineup(policies, players), ts, scores, np.zeros(SUMS))
        return {"counts": pair_counts(scores)}

    counts = ctx.chunks(f"{name}_won", max(1, ctx.size("pairs") // PAIRS), play)["counts"]
    return float(counts @ np.arange(5) / 4 / counts.sum())


def _learn(net: Net, data: Arrays, stage: Round, seed: int, profiles: Any, seen: Ints, progress: bool) -> Arrays:
    error = train(net, data, stage, seed, profiles, seen, progress)
    return {**net.weights, "error": np.array([error])}


def _called(learn: Callable[[], Arrays]) -> Chunk:
    return lambda _index, _seed: learn()


def _make(ctx: Context) -> Arrays:
    ts = kernel_tables(ctx.inputs)[:1]
    rng = np.random.default_rng(ctx.seed)
    net = Net(rng)
    seen = _seen(ctx)
    before: Arrays = {}
    for stage in ROUNDS:
        arrays = {**ctx.inputs, **weights_of(net)}
        name = stage.name
        played = _positions(ctx, stage, arrays, seen)
        seed = int(rng.integers(2**31))
        order = np.random.default_rng(seed).permutation(len(played["hands"]))
        played = {key: played[key][order] for key in played}  # a chunk has one game; held-out positions need all
        data = {key: np.concatenate([played[key], before[key]]) for key in played} if stage.goes_on else played
        before = played

        learn = partial(_learn, net, data, stage, seed, ts, seen, ctx.progress)
        learnt = ctx.chunks(f"{name}_net", 1, _called(learn))
        net.weights = {key: learnt[key] for key in NET}
        ctx.figure(f"{name}_train_error", learnt["error"][0])
        error, lost = held_out(net, data, seed, ts, seen)
        ctx.figure(f"{name}_held_out_error", error)
        ctx.figure(f"{name}_held_out_lost", lost)
        ctx.figure(f"{name}_wins_bis", _won(ctx, name, {**ctx.inputs, **weights_of(net)}))
    return weights_of(net)


FAMILIES = (
    Family(
        name="net",
        generator=4,
        make=_make,
        axes={
            "net_position": ("a position's inputs, then the biases", "first hidden layer"),
            "net_bid": ("a bid's inputs", "first hidden layer"),
            "net_hidden": ("first hidden layer, then the biases", "second"),
            "net_out": ("second hidden layer, then the biases", "outcome, ours by row and theirs"),
        },
        parameters={
            "rounds": [list(stage) for stage in ROUNDS],
            "players": list(PLAYERS),
            "seen_by": SEEN_BY,
            "seen": SEEN,
            "batch": [BATCH, PARTS],
            "layers": [WIDTH, HIDDEN],
            "weighed": [BELOW, ABOVE],
            "mixed": [PARTNER, FIRST_PLAYER, NOISE, RARE, SEEN_SHARE],
            "seats": list(SEATS),
        },
        sizes={
            "first_positions": 1_200_000,
            "second_positions": 2_000_000,
            "third_positions": 4_000_000,
            "fourth_positions": 9_000_000,
            "fifth_positions": 6_000_000,
            "sixth_positions": 3_000_000,
            "pairs": 200_000,
        },
        depends=("p_length", "cnil", "side", "spades", "ruffs", "rb", "factor", "curves", "means", "win"),
    ),
)
