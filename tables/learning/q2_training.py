"""The training of the net of the learned player `q@2` (arrays `q2_*`), on values of actions that were played out.

A sample is a position of `q2_labels`: one player's actions, each played out with the same cards and valued by the win
table. The net learns by how much each action is better than the mean of all. This leaves out most of the luck of the
deal. The training is one step of policy improvement over SRP 3 and the bidders: an action's value is what it is worth
if SRP 3 and the bidders make all later decisions.

Each part of the training has new positions. It ends with the weights and with the state of the optimiser, so that the
training can continue after an interruption.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arena.chunks import Arrays
from arena.engine.simulate import kernel_tables, player_rows
from arena.games import Lineup
from arena.players.names import TABLES_PLAYER
from arena.players.q2 import ACTIONS, CARDS, INPUTS, LEARNED_GOAL, inputs_of
from spades.inference import places_of
from spades.legal import NO_BID
from spades.policies import parse_policy
from spades.rules import make_rules
from tables.counts import scores_of_games
from tables.learning.q2_labels import (
    AUCTIONS,
    NOISE,
    NONE,
    QUIET,
    RANDOM,
    TARGET_UNIT,
    Batch,
    Labels,
    labels,
    unpacked,
)
from tables.run.family import Context

RULES = make_rules("classic", {"win": LEARNED_GOAL, "lose": -100})
BIDDERS = ("bis", "bis", "bis", "rb")  # in turn, by chunk: who bids in all seats
SCORES = 20_000  # number of scores of each bidder that the positions use
POSITIONS = 50_000  # in a chunk
LAYERS = (512, 128)  # sizes of the hidden layers
BATCH = 2048  # positions in a step
RATE = 2e-3  # learning rate at the start; it falls to 0 along a cosine
PARTS = 12  # parts of the training
KEPT = 0.7  # share of the positions drawn that are learned from; about 0.75 have two actions or more


def _labelled(ctx: Context, name: str, n_positions: int) -> Arrays:
    # Draw ``n_positions``, and return those with two actions or more: `inputs` packed into bits; `actions` int8, places
    # in the net's output or NONE; `targets` int16, by how much each action is better than the mean, in TARGET_UNIT.
    profiles = kernel_tables(ctx.inputs)
    policies = {text: parse_policy(text) for text in BIDDERS}
    players = player_rows(TABLES_PLAYER, TABLES_PLAYER)
    scores = {text: _scores(ctx, text) for text in policies}
    n = min(POSITIONS, n_positions)

    def play(index: int, seed: int) -> Arrays:
        bidder = BIDDERS[index % len(BIDDERS)]
        lineup = Lineup((policies[bidder],) * 4, players)
        return samples_of(labels(seed, 0, n, RULES, lineup, profiles, scores[bidder]))

    return ctx.gathered(name, max(1, n_positions // n), play)


def _scores(ctx: Context, bidder: str) -> NDArray[np.int64]:
    # Scores (SCORES, 4) before the rounds of games of one policy, as in `scores_of_games`.
    profiles = kernel_tables(ctx.inputs)

    def play(_: int, seed: int) -> Arrays:
        return {"seen": scores_of_games(profiles, RULES, bidder, SCORES, seed)}

    return ctx.gathered(f"scores-{bidder}", 1, play)["seen"]


def samples_of(made: Labels) -> dict[str, NDArray[Any]]:
    """Return the positions with two actions or more as samples: `inputs`, `actions`, `targets`; see `_labelled`."""
    kept = np.flatnonzero(made.actions[:, 1] != NONE)
    states, seats, actions = made.states[kept], made.seats[kept], made.actions[kept].astype(np.int64)
    places = places_of(states["hand"][np.arange(len(kept)), seats])
    bidding = (states["bid"] == NO_BID).any(axis=1)
    placed = np.where(bidding[:, None], CARDS + actions, np.take_along_axis(places, np.maximum(actions, 0), axis=1))
    tried = actions != NONE
    values = made.values[kept].astype(np.float64)
    mean = np.where(tried, values, 0.0).sum(axis=1) / tried.sum(axis=1)
    return {
        "inputs": np.packbits(inputs_of(states, seats), axis=1),
        "actions": np.where(tried, placed, NONE).astype(np.int8),
        "targets": np.where(tried, np.round((values - mean[:, None]) * 100 / TARGET_UNIT), 0).astype(np.int16),
    }


def batches(data: Arrays, rng: np.random.Generator, steps: int) -> Iterator[Batch]:
    """Yield inputs, actions and targets of random positions, ``steps`` batches of BATCH, each position at most once."""
    order = rng.permutation(len(data["inputs"]))
    assert len(order) >= steps * BATCH, f"found {len(order)} positions; accepted: {steps * BATCH} or more"
    for start in range(0, steps * BATCH, BATCH):
        rows = order[start : start + BATCH]
        yield unpacked(data["inputs"][rows]), data["actions"][rows], data["targets"][rows]


def first_weights(rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Return random weights by name, float32 (inputs + 1, outputs); the last row, the biases, is 0."""
    found = {}
    width, depth = LAYERS
    for name, rows, columns, size in (
        ("first", INPUTS, width, 0.15),
        ("second", width, depth, np.sqrt(2.0 / width)),
        ("out", depth, ACTIONS, np.sqrt(1.0 / depth)),
    ):
        drawn = np.zeros((rows + 1, columns), np.float32)
        drawn[:-1] = rng.normal(0.0, size, (rows, columns))
        found[name] = drawn
    return found


def make(ctx: Context) -> Arrays:
    """Make the arrays of the net."""
    from tables.learning.q_fit import ActionFit, gains  # not above: JAX takes a second to import

    positions = max(4 * BATCH, ctx.size("positions") // PARTS)  # of a part
    steps = int(KEPT * positions) // BATCH
    fit = ActionFit(RATE, PARTS * steps)
    weights: Arrays = first_weights(np.random.default_rng(ctx.seed))
    state: Arrays = {}
    for part in range(PARTS):
        data = _labelled(ctx, f"positions-{part}", positions)

        def learn(_: int, seed: int, data: Arrays = data, weights: Arrays = weights, state: Arrays = state) -> Arrays:
            coming = batches(data, np.random.default_rng(seed), steps)
            return fit.go_on(weights, state, tqdm(coming, "q2/fit", steps, disable=None if ctx.progress else True))

        learnt = ctx.chunks(f"fit-{part}", 1, learn)
        weights = {name: learnt[name] for name in weights}
        state = {name: array for name, array in learnt.items() if name not in weights}
    held_out = _labelled(ctx, "held_out", ctx.size("held_out"))
    for name, value in gains(weights, held_out).items():
        ctx.figure(name, value)
    return {f"q2_{name}": array for name, array in weights.items()}


PARAMETERS: Mapping[str, object] = {
    "bidders": list(BIDDERS),
    "player": TABLES_PLAYER,
    "layers": list(LAYERS),
    "batch": BATCH,
    "rate": RATE,
    "parts": PARTS,
    "kept": KEPT,
    "drawn": [AUCTIONS, NOISE, RANDOM, QUIET, SCORES],
}
