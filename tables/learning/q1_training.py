"""The nets of the learned player `q@1` (arrays `q1_*`): Q-learning in self-play, as in the spAIdes report.

Four players with one net play rounds. A few bids and cards are random. After a batch of rounds the net takes one step
of Adam on the squared error. The target of an action is its reward, plus the highest value among the same player's next
options. There is a net for each of four rewards:

- `tricks`: 1 for each trick that the player wins;
- `bid`: 1 for a trick up to the bid, less than 0 for one beyond it, and for one lost while tricks are missing;
- `score`: the side's points at the end of the round, with the last card;
- `return`, which is not in the report: the side's points at the end are the whole target of every action.

The report does not say how it trains beyond this; docs/more-results.md lists what was chosen here.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arena.chunks import Arrays
from arena.engine.rounds import Batch, Ints, to_play
from arena.engine.simulate import player_rows
from arena.players.names import TABLES_PLAYER
from arena.players.q1 import FEATURES, NETS, REWARDS, VALUES, Floats, Options, QPlayer, first_weights
from spades.rules import Rules
from tables.run.family import Context

RULES = Rules()
BATCH = 32  # rounds between two steps
RATE = 1e-3  # learning rate
RANDOM_BID, RANDOM_CARD = 0.05, 0.01  # probability that a bid, or a card, is random
MOST_RANDOM_BID = 12  # a random bid is 0 to this
DECISIONS = 14  # of a player in a round: a bid and 13 cards
UNIT = 100  # points that count as 1 in rewards and values
KEPT = 25  # equal parts of a training; its history has the mean of each part as a row
# Columns of a row: the mean squared errors by decision, then the mean points of a side and the mean bid.
POINTS_COLUMN, COLUMNS = DECISIONS, DECISIONS + 2
PLAYERS = tuple(QPlayer(net, reward) for net in NETS for reward in REWARDS)


class Round(NamedTuple):
    """The decisions of n rounds, by round, seat and decision: 0 is the bid, then the cards in order."""

    x: Floats  # (n, 4, DECISIONS, FEATURES): the features of the actions chosen
    best: Floats  # (n, 4, DECISIONS): the net's highest value among the options
    won: NDArray[np.bool_]  # (n, 4, DECISIONS): whether the seat then won the trick
    bids: Ints  # (n, 4)
    points: Ints  # (n, 4): points of the seat's side in the round


def play(player: QPlayer, weights: Floats, rng: np.random.Generator, first: int, n: int) -> Round:
    """Return ``n`` rounds that the net plays in every seat, with random actions now and then.

    ``weights``: the net's, flat; ``first``: number of the first deal. Each round starts with random bags.
    """
    batch = Batch(RULES, np.arange(first, first + n))
    batch.deal(int(rng.integers(2**31)), player_rows(TABLES_PLAYER, TABLES_PLAYER))
    batch.rounds["bags"] = rng.integers(0, RULES.bag_limit, (n, 2))[:, [0, 1, 0, 1]]
    batch.write_scores()
    states, asked_from = batch.states, np.zeros((n, 4), np.int64)
    x = np.zeros((n, 4, DECISIONS, FEATURES), np.float32)
    best = np.zeros((n, 4, DECISIONS), np.float32)
    won = np.zeros((n, 4, DECISIONS), np.bool_)
    games = np.arange(n)
    for step in range(4 * DECISIONS):
        bidding, decision = step < 4, step // 4
        seats = np.full(n, step) if bidding else to_play(states)
        options = Options(states, seats, bidding)
        values = VALUES[player.net](weights, options.x)
        rows = options.best(values)
        best[games, seats, decision] = values[rows]
        count = np.diff(np.append(options.starts, len(options.owners)))
        lots = np.floor(rng.random(n) * (MOST_RANDOM_BID + 1 if bidding else count)).astype(np.int64)
        explored = rng.random(n) < (RANDOM_BID if bidding else RANDOM_CARD)
        rows = np.where(explored, options.starts + lots, rows)
        x[games, seats, decision] = options.x[rows]
        if bidding:
            states["bid"][games, seats] = options.actions[rows]
            continue
        batch.play(asked_from, options.actions[rows])
        if step % 4 == 3:
            won[games, states["leader"], decision] = True
    batch.score()
    return Round(x, best, won, states["bid"].copy(), batch.rounds["points"].astype(np.int64))


def targets(made: Round, reward: str) -> Floats:
    """Return the target (n, 4, DECISIONS) of each decision's value, for one of `arena.players.q1.REWARDS`."""
    if reward == "return":
        return np.repeat(made.points[:, :, None] / UNIT, DECISIONS, axis=2).astype(np.float32)
    found = np.zeros(made.best.shape, np.float32)
    if reward == "score":
        found[:, :, -1] = made.points / UNIT
    elif reward == "tricks":
        found += made.won
    else:
        # A trick won: 1 up to the bid, -0.5 beyond it. A trick lost: minus the tricks missing, divided by tricks + 1.
        over = made.won.cumsum(axis=2) - made.bids[:, :, None]
        played = np.arange(DECISIONS)  # tricks so far, with the one that the decision is about
        found[:] = np.where(made.won, np.where(over <= 0, 1.0, -0.5), np.minimum(over, 0) / (played + 1))
        found[:, :, 0] = 0.0
    found[:, :, :-1] += made.best[:, :, 1:]
    return found


def _train(player: QPlayer, seed: int, updates: int, progress: bool) -> Arrays:
    from tables.learning.net import value_fit  # not above: only this function needs JAX, which takes a second to import

    rng = np.random.default_rng(seed)
    weights, state = first_weights(player.net, rng), dict[str, Floats]()
    fit = value_fit(VALUES[player.net], RATE)
    history = np.zeros((updates, COLUMNS), np.float32)
    for update in tqdm(range(updates), desc=f"q1/{player}", disable=None if progress else True):
        made = play(player, weights, rng, update * BATCH, BATCH)
        inputs, wanted = made.x.reshape(-1, FEATURES), targets(made, player.reward).ravel()
        trained, state, (values,) = fit.train({"net": weights}, state, [(inputs, wanted)])
        weights = trained["net"]
        errors = (np.asarray(values) - wanted) ** 2
        history[update, :POINTS_COLUMN] = errors.reshape(-1, DECISIONS).mean(axis=0)
        history[update, POINTS_COLUMN:] = made.points.mean(), made.bids.mean()
    parts = np.array_split(history, min(KEPT, updates))
    return {"weights": weights, "history": np.array([part.mean(axis=0) for part in parts], np.float32)}


def make(ctx: Context) -> Arrays:
    """Make the nets of all players of the report, and the history of their training."""
    updates = max(1, ctx.size("rounds") // BATCH)
    sizes = {net: len(first_weights(net, np.random.default_rng(0))) for net in NETS}

    def train(index: int, seed: int) -> Arrays:
        found = _train(PLAYERS[index], seed, updates, ctx.progress)
        missing = max(sizes.values()) - len(found["weights"])
        return {"weights": np.pad(found["weights"], (0, missing))[None], "history": found["history"][None]}

    trained = ctx.gathered("nets", len(PLAYERS), train)
    by_net = {net: [i for i, player in enumerate(PLAYERS) if player.net == net] for net in NETS}
    arrays = {f"q1_{net}": trained["weights"][rows, : sizes[net]] for net, rows in by_net.items()}
    return arrays | {"q1_history": trained["history"]}


PARAMETERS: Mapping[str, object] = {
    "batch": BATCH,
    "rate": RATE,
    "random": [RANDOM_BID, RANDOM_CARD, MOST_RANDOM_BID],
    "unit": UNIT,
}
