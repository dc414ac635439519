"""The training of the nets of the learned player, in JAX."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

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
