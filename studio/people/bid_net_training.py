"""The training of the net of `arena.people.bid_net`, in JAX.

A penalty holds each weight near its start, at which people bid as `bis` does, with noise. After each pass over the
positions, the mean of the last weights is judged on games that are not among them; the best mean is kept. The result
depends on the version of JAX, the processor and its number of cores.
"""

from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray
from tqdm import tqdm

from arena.chunks import Arrays
from arena.people.bid_net import AXES, Seen, class_counts, logits, parts_of, shape_of

RATE = 1e-2
MOST_PASSES, PATIENCE = 40, 3  # passes over the positions; passes without a gain before the training stops
BATCHES = 50  # fewest batches in a pass
BATCH = 1024  # most positions in a batch
Weights: TypeAlias = dict[str, jax.Array]


def start(seen: Seen, bids: NDArray[np.int8], labels: int) -> dict[str, NDArray[np.float32]]:
    """Return the weights with which people bid as `bis` does, with the noise of the ``bids``."""
    rng = np.random.default_rng(0)
    weights = {name: np.zeros(shape_of(name, labels), np.float32) for name in AXES}
    n_in = weights["first"].shape[0] - 1
    weights["first"][:-1] = rng.normal(0.0, n_in**-0.5, weights["first"][:-1].shape)
    found, offered = class_counts(seen, bids)
    weights["steps"][:] = np.log((found + 1.0) / (offered + 20.0))
    return weights


def _penalty(weights: Weights, begun: Weights) -> jax.Array:
    # Of a Gaussian prior with variance 1.
    return jnp.stack([jnp.square(weights[name] - begun[name]).sum() / 2 for name in AXES]).sum()


def log_losses(weights: Weights, seen: Seen, bids: jax.Array) -> jax.Array:
    """Return -log P(bid) of n positions."""
    found = jax.nn.log_softmax(logits(weights, seen, jnp))
    return -jnp.take_along_axis(found, bids[:, None].astype(jnp.int32), axis=1)[:, 0]


def fit(
    seen: Seen, bids: NDArray[np.int8], chosen_on: tuple[Seen, NDArray[np.int8]], labels: int, title: str
) -> Arrays:
    """Return the weights learned from positions and bids.

    ``chosen_on``: positions and bids of other games, on which the number of passes is chosen.
    """
    n = len(bids)
    size = max(1, min(BATCH, n // BATCHES))
    steps = n // size
    begun = {name: jnp.asarray(array) for name, array in start(seen, bids, labels).items()}
    optimiser = optax.adam(RATE)
    data = Seen(*map(jnp.asarray, seen)), jnp.asarray(bids)
    keep = 1 - 2 / max(3, steps)

    def loss(weights: Weights, rows: jax.Array) -> jax.Array:
        here = Seen(*(column[rows] for column in data[0]))
        return log_losses(weights, here, data[1][rows]).mean() + _penalty(weights, begun) / n

    def step(carry: Any, rows: jax.Array) -> tuple[Any, None]:
        weights, state, mean = carry
        updates, state = optimiser.update(jax.grad(loss)(weights, rows), state)
        weights = optax.apply_updates(weights, updates)
        mean = jax.tree.map(lambda a, b: keep * a + (1 - keep) * b, mean, weights)
        return (weights, state, mean), None

    run = jax.jit(lambda carry, order: jax.lax.scan(step, carry, order)[0])
    carry = begun, optimiser.init(begun), begun
    rng = np.random.default_rng(1)
    best, lowest, since = begun, mean_loss(begun, *chosen_on), 0
    with tqdm(total=MOST_PASSES, desc=title, unit="pass", disable=None) as bar:
        for _ in range(MOST_PASSES):
            order = rng.permutation(n)[: steps * size].reshape(steps, size)
            carry = run(carry, jnp.asarray(order))
            found = mean_loss(carry[2], *chosen_on)
            bar.update()
            bar.set_postfix_str(f"{found:.4f}")
            since += 1
            if found < lowest:
                best, lowest, since = carry[2], found, 0
            if since == PATIENCE:
                break
    return {name: np.asarray(array) for name, array in best.items()}


_judge = jax.jit(log_losses)


def mean_loss(weights: Weights, seen: Seen, bids: NDArray[np.int8]) -> float:
    """Return the mean of -log P(bid); infinite without positions."""
    if not len(bids):
        return np.inf
    total = 0.0
    for part in parts_of(len(bids)):
        total += float(_judge(weights, Seen(*(column[part] for column in seen)), bids[part]).sum())
    return total / len(bids)
