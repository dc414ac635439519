"""The card net (arrays `card_net_*`): what `distilled@1` knows of the gains that a search sees (`spades.card_net`).

Rounds of different bidders are played at scores at which both sides can still win. Before each card, a search tries
every card that the player may choose on a few random deals, and notes the win probability after the round for each.
Then the player plays its card by rules, the best one of the search, or a random one.

The net learns how much better or worse each card is than the mean of the decision's cards. Few deals make noisy
targets, but the noise favours no card. So many noisy decisions teach the net more than few exact ones.

Training is split into parts, so that it can continue after an interruption: a part ends with the weights and with the
state of the optimiser.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.called.searching import search_all, weights_by_bids
from arena.chunks import Arrays
from arena.engine.jit import entry
from arena.engine.rounds import Batch, Ints, legal_masks, to_play
from arena.engine.simulate import kernel_tables, player_rows, policy_rows, tables_for
from arena.engine.states import STATE, scratch
from arena.engine.winprob import slice_of
from arena.errors import BuildError
from arena.players.names import TABLES_PLAYER
from arena.players.search import CARD, CELLS, DEALS, MOST_CARDS, WORTH, Plan, Value
from spades.card_net import LEAST_GAINS, OUTPUT_PER_WIN, WEIGHT_UNIT, CardNet, card_net_of, gains
from spades.inference import readers_of
from spades.options import FULL_LEVEL
from spades.play import CARD_INPUTS, POSITION_INPUTS, card_inputs, position_inputs
from spades.policies import parse_policy
from spades.rules import CLASSIC, Rules
from spades.tables import Tables
from spades.winprob import win_array
from tables.counts import chunk_seed
from tables.run.family import Context

GAMES = (CLASSIC._replace(win=200, lose=-100), CLASSIC)  # a chunk has rounds of one
SHORT = 0.6  # share of chunks of the first
BIDDERS = ("winprob", "winprob", "winprob", "bis", "rb")  # a side draws one
START = 0.25  # share of rounds at 0:0
PLAN = Plan(16, 4, 18, -1.0)  # every card on 16 deals; SRP 4 plays the rest, and the last 18 cards are played perfectly
BY_RULES, NOT_RANDOM = 0.45, 0.92  # probability that a card is chosen by rules; by rules or by the search
ROUNDS = 2_000  # of a chunk
LAYERS = (256, 32)  # sizes of the hidden layers
BATCH = 2_048  # decisions in a step
RATE = 2e-3  # learning rate at the start; it falls to 0 along a cosine
PARTS = 8  # parts of the training
CARDS_A_BATCH = 4 * BATCH  # places for the cards of a batch; decisions have 3.6 on average
NET = CardNet._fields


class Decisions(NamedTuple):
    """Decisions of card players. The cards of all decisions follow each other."""

    position: NDArray[np.uint8]  # (n, bytes): inputs of the positions, as bits
    counts: NDArray[np.uint8]  # (n,): of cards to choose from
    card: NDArray[np.uint8]  # (cards, bytes): inputs of the cards, as bits
    worth: NDArray[np.float32]  # (cards,): win probability after the round, on the search's deals


def _see(states: Any, rows: Any, seats: Any, tried: Any, counts: Any, position: Any, card: Any) -> None:
    # counts (n,): of cards. position (n, POSITION_INPUTS), card (cards, CARD_INPUTS): get the inputs, 0 or 1.
    found = scratch(POSITION_INPUTS + CARD_INPUTS)
    row = 0
    for i in range(len(rows)):
        state, me = states[rows[i]], seats[i]
        for k in range(position_inputs(state, me, found)):
            position[i, found[k]] = 1
        usual = int(tried[i, 0, CARD])
        for which in range(counts[i]):
            for k in range(card_inputs(state, me, int(tried[i, which, CARD]), usual, counts[i], found)):
                card[row, found[k]] = 1
            row += 1


see = entry(_see)


def _dealt(rules: Rules, seed: int, n: int, profiles: tuple[Tables, ...], rng: np.random.Generator) -> Batch:
    """Return ``n`` rounds after the bids; a quarter begin a game, and the others have random scores and bags."""
    policies = [parse_policy(name, rules.variant) for name in BIDDERS]
    batch = Batch(rules, np.arange(n))
    batch.deal(chunk_seed(seed), player_rows(TABLES_PLAYER, TABLES_PLAYER))
    standing = np.zeros((n, 2, 2), np.int64)  # of both sides: points and bags
    standing[:, :, 1] = rng.integers(0, rules.bag_limit, (n, 2))
    tens = 10 * rng.integers(-9, (rules.win - 1) // 10 + 1, (n, 2))
    standing[:, :, 0] = np.minimum(np.where(tens >= 0, tens + standing[:, :, 1], tens), rules.win - 1)
    standing[rng.random(n) < START] = 0
    batch.set_scores(standing.reshape(n, 4))
    bidders = rng.integers(0, len(BIDDERS), (n, 2))
    batch.bid(policy_rows(policies), tables_for(profiles, rules, policies), bidders[:, [0, 1, 0, 1]])
    return batch


def labelled(seed: int, n: int, inputs: Arrays) -> Decisions:
    """Play ``n`` rounds; return the decisions in which a card can be chosen, with what a search finds."""
    rng = np.random.default_rng(seed)
    rules = GAMES[0 if rng.random() < SHORT else 1]
    profiles = kernel_tables(inputs)
    batch = _dealt(rules, seed, n, profiles, rng)
    tables = tables_for(profiles, rules, [parse_policy("winprob", rules.variant)])
    place = slice_of(rules, tables)
    value = Value(rules, place, win_array(place, tables))
    reader = readers_of(inputs).nets["best"]
    weights = np.empty((n, 4, 64, 3))
    for seat in range(4):
        scores = [batch.rounds[field][:, who] for field in ("scores", "bags") for who in (seat, seat ^ 1)]
        bids = batch.rounds["bids"].astype(np.int64)
        hands, seats = batch.rounds["hands"][:, seat], np.full(n, seat)
        weights[:, seat] = weights_by_bids(reader, hands, seats, bids, np.stack(scores, axis=1), rules)
    sim, found = np.zeros(1, STATE), []
    for _ in range(52):
        seats = to_play(batch.states)
        legal = legal_masks(batch.states, seats)
        (rows,) = np.nonzero(legal & (legal - 1))
        tried, chosen = np.zeros((len(rows), MOST_CARDS, CELLS)), np.zeros(len(rows), np.int64)
        search_all(batch.states, sim, rows, seats[rows], weights[rows, seats[rows]], PLAN, value, tried, chosen)
        found.append(_seen(batch.states, rows, seats[rows], tried))
        cards = np.array([int(cards).bit_length() - 1 for cards in legal])
        cards[rows] = _played(tried, rng)
        batch.play(np.zeros((n, 4), np.int64), cards)
    return Decisions(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _seen(states: NDArray[np.void], rows: Ints, seats: Ints, tried: NDArray[np.float64]) -> Decisions:
    """Return the decisions of which the search tried more than one card."""
    counts = (tried[:, :, DEALS] > 0).sum(axis=1)
    rows, seats, tried, counts = (array[counts > 1] for array in (rows, seats, tried, counts))
    position = np.zeros((len(rows), POSITION_INPUTS), np.uint8)
    card = np.zeros((int(counts.sum()), CARD_INPUTS), np.uint8)
    see(states, rows, seats, tried, counts, position, card)
    real = tried[:, :, DEALS] > 0
    worth = (tried[:, :, WORTH][real] / tried[:, :, DEALS][real]).astype(np.float32)
    return Decisions(np.packbits(position, axis=1), counts.astype(np.uint8), np.packbits(card, axis=1), worth)


def _played(tried: NDArray[np.float64], rng: np.random.Generator) -> Ints:
    """Return the cards (n,) that are played: by rules, the best one by the search, or a random one."""
    deals, n = tried[:, :, DEALS], np.arange(len(tried))
    worth = np.where(deals > 0, tried[:, :, WORTH] / np.maximum(deals, 1.0), -1.0)
    best = tried[n, worth.argmax(axis=1), CARD]
    lots = rng.random((2, len(tried)))
    drawn = tried[n, (lots[0] * np.maximum((deals > 0).sum(axis=1), 1)).astype(np.int64), CARD]
    other = np.where(lots[1] < NOT_RANDOM, best, drawn)
    searched = (deals[:, 0] > 0) & (lots[1] >= BY_RULES)
    return np.where(searched, other, tried[:, 0, CARD]).astype(np.int64)


# ---- training --------------------------------------------------------------------------------------------------------


def training_batches(decisions: Decisions, rows: Ints) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield batches of BATCH decisions of ``rows`` for `net.card_fit`.

    A batch: inputs of positions (BATCH, POSITION_INPUTS) and of cards (CARDS_A_BATCH, CARD_INPUTS), each card's
    position, its worth, and 1 if the place has a card. Cards beyond the last place are left out.
    """
    count = decisions.counts.astype(np.int64)
    first = np.cumsum(count) - count
    for start in range(0, len(rows) - BATCH + 1, BATCH):
        some = np.sort(rows[start : start + BATCH])
        owners = np.repeat(np.arange(BATCH), count[some])
        own = np.arange(len(owners)) - np.repeat(np.cumsum(count[some]) - count[some], count[some])
        places = (np.repeat(first[some], count[some]) + own)[:CARDS_A_BATCH]
        m = len(places)
        card = np.zeros((CARDS_A_BATCH, CARD_INPUTS), np.float32)
        card[:m] = np.unpackbits(decisions.card[places], axis=1, count=CARD_INPUTS)
        owner, worth, real = np.full(CARDS_A_BATCH, BATCH - 1), *np.zeros((2, CARDS_A_BATCH), np.float32)
        owner[:m], worth[:m], real[:m] = owners[:m], decisions.worth[places], 1.0
        position = np.unpackbits(decisions.position[some], axis=1, count=POSITION_INPUTS).astype(np.float32)
        yield position, card, owner.astype(np.int32), worth, real


def first_weights(rng: np.random.Generator, layers: tuple[int, int]) -> dict[str, NDArray[np.float32]]:
    """Return random weights by name; biases are 0. ``layers``: sizes of the hidden layers."""
    width, depth = layers
    drawn = {
        "position": rng.normal(0.0, 0.12, (POSITION_INPUTS + 1, width)),
        "card": rng.normal(0.0, 0.15, (CARD_INPUTS, width)),
        "hidden": rng.normal(0.0, np.sqrt(2.0 / width), (width + 1, depth)),
        "out": rng.normal(0.0, 0.05, (depth, 1)),
    }
    drawn["position"][-1], drawn["hidden"][-1] = 0.0, 0.0
    return {name: array.astype(np.float32) for name, array in drawn.items()}


def _trained(ctx: Context, decisions: Decisions) -> Arrays:
    """Return the trained weights as float32, by name."""
    # Not above: only this function needs JAX, which takes a second to import.
    from tables.learning.net import card_fit

    n = len(decisions.counts)
    steps = max(PARTS, ctx.size("samples") // BATCH) // PARTS  # of a part

    def batches_of(seed: int) -> Iterator[tuple[NDArray[Any], ...]]:
        return training_batches(decisions, np.random.default_rng(seed).integers(0, n, steps * BATCH))

    weights = first_weights(np.random.default_rng(ctx.seed), LAYERS)
    return card_fit(RATE, PARTS * steps).train_in_parts(ctx, weights, PARTS, steps, batches_of)


def whole_numbers(weights: Arrays) -> Arrays:
    """Round trained weights to whole numbers, int16, in WEIGHT_UNIT. Raises `BuildError` if one is too large."""
    whole = {name: np.round(weights[name] / WEIGHT_UNIT) for name in NET}
    most, accepted = max(float(np.abs(array).max()) for array in whole.values()), float(np.iinfo(np.int16).max)
    if most > accepted:
        raise BuildError(f"a weight is {most * WEIGHT_UNIT:.3g}; accepted: at most {accepted * WEIGHT_UNIT:.3g}")
    return {name: array.astype(np.int16) for name, array in whole.items()}


def mean_gain(net: CardNet, decisions: Decisions) -> tuple[float, float]:
    """Return by how much the net's cards raise the win probability of a decision, and the share of other cards."""
    position = np.unpackbits(decisions.position, axis=1, count=POSITION_INPUTS).astype(np.float32)
    card = np.unpackbits(decisions.card, axis=1, count=CARD_INPUTS).astype(np.float32)
    count = decisions.counts.astype(np.int64)
    common = position @ net.position[:-1].astype(np.float32) + net.position[-1].astype(np.float32)
    found = gains(net, np.repeat(common, count, axis=0) + card @ net.card.astype(np.float32))
    places = np.arange(MOST_CARDS) < count[:, None]
    stated, worth = np.full(places.shape, -np.inf), np.zeros(places.shape)
    stated[places], worth[places] = found, decisions.worth
    best = np.where(stated.max(axis=1) - stated[:, 0] > LEAST_GAINS[FULL_LEVEL], stated.argmax(axis=1), 0)
    return float((worth[np.arange(len(best)), best] - worth[:, 0]).mean()), float((best > 0).mean())


def make(ctx: Context) -> Arrays:
    """Make the arrays of the card net."""
    inputs = ctx.inputs

    def decisions_of(size: str) -> Decisions:
        n = min(ROUNDS, ctx.size(size))

        def play(_: int, seed: int) -> Arrays:
            return labelled(seed, n, inputs)._asdict()

        made = ctx.gathered(size, max(1, ctx.size(size) // n), play)
        return Decisions(*(made[field] for field in Decisions._fields))

    weights = whole_numbers(_trained(ctx, decisions_of("rounds")))
    made = {f"{ctx.family.name}_{part}": array for part, array in weights.items()}
    gain, others = mean_gain(card_net_of(made), decisions_of("held_out"))
    ctx.figure("gain", gain)
    ctx.figure("other_cards", others)
    return made


PARAMETERS: Mapping[str, object] = {
    "player": TABLES_PLAYER,
    "games": [[rules.win, rules.lose] for rules in GAMES],
    "bidders": list(BIDDERS),
    "drawn": [SHORT, START, BY_RULES, NOT_RANDOM],
    "plan": list(PLAN),
    "rounds_of_a_chunk": ROUNDS,
    "layers": list(LAYERS),
    "batch": BATCH,
    "rate": RATE,
    "parts": PARTS,
    "unit": [WEIGHT_UNIT, OUTPUT_PER_WIN],
}
