"""The training of the nets of learned players, in JAX."""

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.players.q2 import CARDS, Net, values_of
from tables.learning.q2_labels import NONE, TARGET_UNIT, Batch, unpacked

Floats = NDArray[np.float32]


class AdamFit:
    """Training of a net with flat weights by Adam, on the mean squared error.

    ``values(weights, x, jnp)`` returns the net's values (rows,) for inputs ``x``; ``rate``: learning rate.
    """

    def __init__(self, values: Callable[..., Any], weights: Floats, rate: float) -> None:
        self._values = values
        self._optimiser = optax.adam(rate)
        self._weights = jnp.asarray(weights)
        self._state = self._optimiser.init(self._weights)
        self._step = jax.jit(self._one)

    def _one(self, weights: jax.Array, state: optax.OptState, x: jax.Array, targets: jax.Array) -> Any:
        def loss(tried: jax.Array) -> tuple[jax.Array, jax.Array]:
            found = self._values(tried, x, jnp)
            return jnp.mean((found - targets) ** 2), found

        gradient, found = jax.grad(loss, has_aux=True)(weights)
        updates, state = self._optimiser.update(gradient, state)
        return optax.apply_updates(weights, updates), state, found

    def step(self, x: Floats, targets: Floats) -> tuple[Floats, Floats]:
        """Take one step on inputs ``x`` (rows, features) and ``targets`` (rows,).

        Return the weights after the step, and the net's values (rows,) before it.
        """
        self._weights, self._state, found = self._step(self._weights, self._state, x, targets)
        return np.asarray(self._weights), np.asarray(found)


def action_loss(weights: dict[str, jax.Array], inputs: jax.Array, actions: jax.Array, targets: jax.Array) -> jax.Array:
    """Return the mean over positions of the squared errors of values, summed over the actions tried.

    The mean of a position's values is subtracted first. The other arguments are a batch of `q2_training.batches`.
    """
    values = values_of(Net(**weights), inputs, jnp)
    tried = actions != NONE
    values = jnp.where(tried, jnp.take_along_axis(values, jnp.maximum(actions, 0).astype(jnp.int32), axis=1), 0.0)
    mean = values.sum(axis=1) / tried.sum(axis=1)
    wrong = jnp.where(tried, values - mean[:, None] - targets * TARGET_UNIT, 0.0)
    return (wrong**2).sum() / len(targets)


class ActionFit:
    """Training of the net of `q@2` in parts.

    The learning rate falls from ``rate`` to 0 along a cosine of ``steps`` batches, those of all parts.
    """

    def __init__(self, rate: float, steps: int) -> None:
        self._optimiser = optax.nadam(optax.cosine_decay_schedule(rate, steps), b2=0.99)
        self._step = jax.jit(self._one, donate_argnums=(0, 1))

    def _one(self, weights: Any, state: optax.OptState, *batch: jax.Array) -> Any:
        updates, state = self._optimiser.update(jax.grad(action_loss)(weights, *batch), state)
        return optax.apply_updates(weights, updates), state

    def go_on(self, weights: Arrays, before: Arrays, batches: Iterable[Batch]) -> Arrays:
        """Train ``weights`` on ``batches``; return them and the optimiser's state as ``state0``, ``state1`` ...

        ``before``: the state that the part before returned; empty for the first part.
        """
        trained = {name: jnp.asarray(array) for name, array in weights.items()}
        leaves, shape = jax.tree.flatten(self._optimiser.init(trained))
        state = jax.tree.unflatten(shape, [jnp.asarray(before.get(f"state{i}", leaf)) for i, leaf in enumerate(leaves)])
        for batch in batches:
            trained, state = self._step(trained, state, *batch)
        found = {name: np.asarray(array) for name, array in trained.items()}
        return found | {f"state{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(state))}


def gains(weights: Arrays, data: Arrays) -> dict[str, float]:
    """Return by how much the actions that the net prefers are better than the mean action, for cards and for bids.

    The unit is a hundredth of a win. ``data``: samples of `q2_training.samples_of`.
    """
    actions = data["actions"].astype(np.int64)
    values = values_of(Net(**weights), unpacked(data["inputs"]))
    found = np.take_along_axis(values, np.maximum(actions, 0), axis=1)
    chosen = np.argmax(np.where(actions != NONE, found, -np.inf), axis=1)
    gained = data["targets"][np.arange(len(actions)), chosen] * TARGET_UNIT
    bids = actions[:, 0] >= CARDS
    return {"gain_of_cards": float(gained[~bids].mean()), "gain_of_bids": float(gained[bids].mean())}
