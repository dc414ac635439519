"""The outcome model of `winprob`, learnt from self-play in two rounds (`net_*` arrays).

First positions without a score, bid by rule-based policies: each time they are drawn they get another game and score.
Then positions at scores of all games, where the net of the first round bids most seats. In both a second card player
and noise are mixed in, so that the net leans on no one player. Data comes from `tables.outcome_data` and `win`; the
training is `tables.net`'s. The bytes follow from the seed and the linear algebra library, not from --jobs.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from service.bidding.policies import parse_policy
from service.bidding.rules import NEVER
from service.bidding.win_games import BAGS, DEPTH, PLACES, rules_of
from service.bidding.winprob import MOST_CANDIDATES
from tables.arena.stats import pair_counts
from tables.family import Arrays, Chunk, Context, Family
from tables.game import SUMS
from tables.net import Batch, Net, empty_batch
from tables.outcome_data import candidate_rounds, label
from tables.selfplay import play_pairs
from tables.simulate import chairs, kernel_tables, seated, typed
from tables.win import NO_PENALTY

FIRST_POLICIES = (
    "bis:tuned,endgame=off",
    "bis:endgame=off",
    "rb",
    "bis:offset=0.3,endgame=off",
    "bis:offset=-0.3,nil_threshold=-30,endgame=off",
)
SECOND_POLICIES = ("winprob", "winprob", "bis:tuned", "bis", "rb")  # as many: one compiled loop plays both
PLAYERS = ("srp@2", "wrp")
CHUNK = 20_000  # positions
BATCH = 1024
EPOCHS = (4, 3)  # of the two rounds; the second sees the positions of both
RATES = (2e-3, 1e-3)  # of Adam, falling by a cosine to nothing
REDRAWN = 0.3  # share of positions with a score that get another one
NEAR, SPREAD = 0.5, 70.0  # share of scores drawn near one another, and the deviation of their difference, points
HELD_OUT = 20_000  # positions
GAMES = tuple(PLACES)
RULES = tuple(rules_of(game) for game in GAMES)
PLAIN_GAMES = tuple(i for i, game in enumerate(GAMES) if game[:2] in ((200, -100), (500, NEVER)))  # drawn half the time
NET = ("position", "bid", "hidden", "out")

Ints = NDArray[np.int64]


def random_games(rng: np.random.Generator, n: int) -> Ints:
    """(n,): numbers of games in GAMES."""
    drawn: Ints = np.where(rng.random(n) < 0.5, rng.choice(PLAIN_GAMES, n), rng.integers(0, len(GAMES), n))
    return drawn


def random_scores(rng: np.random.Generator, games: Ints) -> Ints:
    """(n, 4): points and bags of us, points and bags of them, of games under way; points are tens and bags."""
    n = len(games)
    goal, lose = (np.array([game[i] for game in GAMES])[games] for i in range(2))
    low = np.maximum(lose // 10 + 1, -DEPTH // 10)
    high = goal // 10 - 1
    tens = low + (rng.random((2, n)) * (high + 1 - low)).astype(np.int64)
    beside = tens[0] + np.rint(rng.normal(0.0, SPREAD / 10, n)).astype(np.int64)
    tens[1] = np.where(rng.random(n) < NEAR, np.clip(beside, low, high), tens[1])
    bags = rng.integers(0, BAGS, (2, n))
    return np.stack([10 * tens[0] + bags[0], bags[0], 10 * tens[1] + bags[1], bags[1]], axis=1)


def _positions(ctx: Context, name: str, n: int, arrays: Arrays, policies: tuple[str, ...], scored: bool) -> Arrays:
    """Played positions, see `outcome_data`; `games` -1 where they have no score."""
    ts = kernel_tables(arrays)
    bidders = tuple(typed(parse_policy(text)) for text in policies)
    players = np.concatenate([seated(player, player)[:1] for player in PLAYERS])

    def play(index: int, seed: int) -> Arrays:
        rng = np.random.default_rng(seed)
        number = int(random_games(rng, 1)[0]) if scored else -1
        games = np.full(CHUNK, number)
        scores = random_scores(rng, games) if scored else np.zeros((CHUNK, 4), np.int64)
        rules = rules_of(GAMES[number if scored else 0])
        made: dict[str, NDArray[Any]] = {
            "hands": np.zeros(CHUNK, np.int64),
            "bids": np.zeros((CHUNK, 4), np.int8),
            "tried": np.zeros((CHUNK, MOST_CANDIDATES), np.int8),
            "results": np.zeros((CHUNK, MOST_CANDIDATES, 4), np.int16),
        }
        free = rules._replace(bag_limit=NO_PENALTY)
        candidate_rounds(
            seed & 0x7FFFFFFF, 0, CHUNK, rules, free, bidders, players, ts, scores.astype(np.int64), *made.values()
        )
        return {**made, "scores": scores.astype(np.int16), "games": games.astype(np.int8)}

    return ctx.gathered(name, max(2, n // CHUNK), play)


def batch_of(rows: Ints, data: Arrays, rng: np.random.Generator, ts: Any, redrawn: float = REDRAWN) -> Batch:
    """The positions ``rows`` labelled; those without a score, and a share ``redrawn`` of the others, at random ones."""
    games = data["games"][rows].astype(np.int64)
    fresh = (games < 0) | (rng.random(len(rows)) < redrawn)
    games = np.where(fresh, random_games(rng, len(rows)), games)
    scores = np.where(fresh[:, None], random_scores(rng, games), data["scores"][rows].astype(np.int64))
    batch = empty_batch(len(rows))
    hands, bids, tried, results = (data[name] for name in ("hands", "bids", "tried", "results"))
    label(rows, hands, bids, tried, results, scores, games, RULES, ts, *batch)
    return batch


def train(net: Net, data: Arrays, epochs: int, rate: float, seed: int, ts: Any, progress: bool) -> float:
    """Train on all of ``data`` but the first HELD_OUT positions; the mean squared centred error of the last epoch.

    The next batch is labelled while one is learnt.
    """
    rng = np.random.default_rng(seed)
    held = min(HELD_OUT, len(data["hands"]) // 10)
    count = (len(data["hands"]) - held) // BATCH
    steps = epochs * count
    net.restart()
    errors: list[float] = []
    with ThreadPoolExecutor(1) as pool, tqdm(total=steps, desc="net/train", disable=None if progress else True) as bar:
        for _ in range(epochs):
            order = held + rng.permutation(len(data["hands"]) - held)
            rows = [order[b * BATCH : (b + 1) * BATCH] for b in range(count)]
            coming = pool.submit(batch_of, rows[0], data, rng, ts)
            for b in range(count):
                batch = coming.result()
                if b + 1 < count:
                    coming = pool.submit(batch_of, rows[b + 1], data, rng, ts)
                falling = 0.5 * (1 + float(np.cos(np.pi * len(errors) / steps)))
                errors.append(net.learn(batch, rate * falling))
                bar.update()
    return float(np.mean(errors[-count:]))


def held_out(net: Net, data: Arrays, seed: int, ts: Any) -> tuple[float, float]:
    """Mean squared centred error on positions that were not learnt, and win probability lost to the best in hindsight.

    The latter falls as the net picks better; luck keeps it far from nothing.
    """
    rows = np.arange(min(HELD_OUT, len(data["hands"]) // 10))
    batch = batch_of(rows, data, np.random.default_rng(seed), ts, 0.0)
    stated = net.stated(batch)
    error = stated - batch.target
    count = batch.real.sum(axis=1, keepdims=True)
    centred = error - (error * batch.real).sum(axis=1, keepdims=True) / count
    weighed = batch.real == 1.0
    chosen = np.where(weighed, stated, -1.0).argmax(axis=1)
    best = np.where(weighed, batch.target, -1.0).max(axis=1)
    lost = (best - batch.target[rows, chosen]).mean()
    return float((centred**2 * batch.real).sum() / batch.real.sum()), float(lost)


def weights_of(net: Net) -> dict[str, NDArray[np.float64]]:
    """The net's arrays as kernels read them."""
    return {f"net_{name}": net.weights[name].astype(np.float64) for name in NET}


def _won(arrays: Arrays, seed: int, pairs: int, other: str) -> float:
    scores = np.zeros((pairs, 2), np.int64)
    policies = chairs(parse_policy("winprob"), parse_policy(other))
    rules, players = rules_of((200, -100, 100)), seated(PLAYERS[0], PLAYERS[0])
    play_pairs(seed & 0x7FFFFFFF, 0, pairs, rules, policies, players, kernel_tables(arrays), scores, np.zeros(SUMS))
    counts = pair_counts(scores)
    return float(counts @ np.arange(5) / 4 / counts.sum())


def _learn(net: Net, data: Arrays, epochs: int, rate: float, seed: int, ts: Any, progress: bool) -> Arrays:
    error = train(net, data, epochs, rate, seed, ts, progress)
    return {**net.weights, "error": np.array([error])}


def _called(learn: Callable[[], Arrays]) -> Chunk:
    return lambda _index, _seed: learn()


def _make(ctx: Context) -> Arrays:
    ts = kernel_tables(ctx.inputs)
    rng = np.random.default_rng(ctx.seed)
    net = Net(rng)
    data: Arrays = {}
    for number, (policies, epochs, rate) in enumerate(
        zip((FIRST_POLICIES, SECOND_POLICIES), EPOCHS, RATES, strict=True)
    ):
        arrays = {**ctx.inputs, **weights_of(net)}
        name = ("first", "second")[number]
        played = _positions(ctx, f"{name}_positions", ctx.size(f"{name}_positions"), arrays, policies, number > 0)
        # the latest first: those held out are of its kind
        data = {key: np.concatenate([played[key], data[key]]) if data else played[key] for key in played}
        seed = int(rng.integers(2**31))

        learn = partial(_learn, net, data, epochs, rate, seed, ts, ctx.progress)
        learnt = ctx.chunks(f"{name}_net", 1, _called(learn))
        net.weights = {key: learnt[key] for key in NET}
        ctx.figure(f"{name}_train_error", learnt["error"][0])
        error, lost = held_out(net, data, seed, ts)
        ctx.figure(f"{name}_held_out_error", error)
        ctx.figure(f"{name}_held_out_lost", lost)
        arrays = {**ctx.inputs, **weights_of(net)}
        for other in ("bis", "bis:tuned"):
            ctx.figure(f"{name}_wins_{other.replace(':', '_')}", _won(arrays, seed, ctx.size("pairs"), other))
    return weights_of(net)


FAMILIES = (
    Family(
        name="net",
        generator=1,
        make=_make,
        axes={
            "net_position": ("a position's inputs, then the biases", "first hidden layer"),
            "net_bid": ("a bid's inputs", "first hidden layer"),
            "net_hidden": ("first hidden layer, then the biases", "second"),
            "net_out": ("second hidden layer, then the biases", "outcome, ours by row and theirs"),
        },
        parameters={
            "first_policies": list(FIRST_POLICIES),
            "second_policies": list(SECOND_POLICIES),
            "players": list(PLAYERS),
            "epochs": list(EPOCHS),
            "rates": list(RATES),
            "batch": BATCH,
        },
        sizes={"first_positions": 1_500_000, "second_positions": 1_000_000, "pairs": 5_000},
        depends=("p_length", "cnil", "side", "spades", "ruffs", "rb", "factor", "curves", "means", "win"),
    ),
)
