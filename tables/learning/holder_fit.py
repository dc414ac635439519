"""The training of the nets of `tables.learning.holders`, in JAX."""

from collections.abc import Iterable
from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from arena.chunks import Arrays
from spades.inference import DECK_SIZE, OTHER_SEATS, HolderNet

BETA2 = 0.99  # Nadam's decay of squared gradients
Weights: TypeAlias = dict[str, jax.Array]
Batch: TypeAlias = tuple[NDArray[np.int16], NDArray[np.int8]]  # `holders.Views`


def loss(weights: Weights, x: jax.Array, owners: jax.Array) -> jax.Array:
    """Return the mean log-loss of a batch, in nats for each card that the player does not see.

    ``weights``: the fields of `HolderNet`, as floats; ``x`` (B, INPUTS); ``owners`` (B, DECK_SIZE), see `Views`.
    """
    first, second, out = (weights[name] for name in HolderNet._fields)
    values = jax.nn.relu(x @ first[:-1] + first[-1])
    values = jax.nn.relu(values @ second[:-1] + second[-1])
    logits = jax.nn.log_softmax((values @ out[:-1] + out[-1]).reshape(-1, DECK_SIZE, OTHER_SEATS))
    found = jnp.take_along_axis(logits, jnp.maximum(owners, 0)[:, :, None], axis=2)[:, :, 0]
    unseen = owners >= 0
    return -jnp.where(unseen, found, 0.0).sum() / unseen.sum()


class Fit:
    """Training in parts, with a learning rate that falls from ``rate`` to 0 along a cosine of ``steps`` batches.

    ``scales`` (INPUTS,): the factor of each input.
    """

    def __init__(self, scales: NDArray[np.float32], rate: float, steps: int) -> None:
        self._scales = scales
        self._optimiser = optax.nadam(optax.cosine_decay_schedule(rate, steps), b2=BETA2)
        self._step = jax.jit(self._one, donate_argnums=(0, 1))

    def _one(
        self, weights: Weights, state: optax.OptState, x: jax.Array, owners: jax.Array
    ) -> tuple[Weights, optax.OptState]:
        updates, state = self._optimiser.update(jax.grad(loss)(weights, x, owners), state)
        return optax.apply_updates(weights, updates), state

    def go_on(self, weights: Arrays, before: Arrays, batches: Iterable[Batch]) -> dict[str, NDArray[np.float32]]:
        """Train ``weights`` on ``batches``; return them and the optimiser's state as ``state0``, ``state1`` ...

        ``before``: the state that the part before returned; empty for the first part.
        """
        trained = {name: jnp.asarray(array) for name, array in weights.items()}
        fresh = self._optimiser.init(trained)
        leaves, shape = jax.tree.flatten(fresh)
        state = jax.tree.unflatten(shape, [jnp.asarray(before.get(f"state{i}", leaf)) for i, leaf in enumerate(leaves)])
        for inputs, owners in batches:
            x = inputs.astype(np.float32) * self._scales
            trained, state = self._step(trained, state, x, owners.astype(np.int32))
        found = {name: np.asarray(array) for name, array in trained.items()}
        return found | {f"state{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(state))}
