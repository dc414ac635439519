"""The training of all nets in JAX: the outcome net, the holder nets, the card net and the nets of `q@1`.

The service and the simulator have their own forward pass of the outcome net. It has two hidden ReLU layers, and a
softmax over the outcomes of `spades.winprob.outcomes`. Its inputs are those of a position and those of a bid. A bid's
win probability is the mean of its outcomes' values, weighted by the softmax. The target is the win probability after
the round that was played.

Its loss has three parts. Errors by which the candidates of one position differ weigh most, because they decide the bid.
The mean error of a position's candidates weighs less. A very small cross-entropy to the outcome nearest to the round's
result tells outcomes of the same value apart. With more of it the net is weaker, because the nearest outcome is not the
result itself. Whether a nil was made, by the nearest outcome, has a cross-entropy of its own. Without it,
the net moved probability between nils and outcomes of about the same value, and stated wrong chances of nils.

Every position has places for the same number of candidates (`training_data.Labels`), so that JAX compiles one step for
all batches. A place without a candidate has weight 0 and changes nothing.

Its inputs are strongly correlated, and Nadam alone would need far more positions to separate them. So the weights of
the first layer are trained in a basis in which the inputs are uncorrelated (`whitening`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray
from tqdm import tqdm

from arena.chunks import Arrays
from spades.card_net import OUTPUT_PER_WIN
from spades.inference import DECK_SIZE, OTHER_SEATS, HolderNet
from spades.winprob import BID_INPUTS, BID_NAMES, INPUTS, OUR_NIL, OUTCOMES, THEIRS
from tables.learning.training_data import Labels
from tables.run.family import Context

# Weight of a centred error's square: the error minus the mean error of the position's candidates. The square of that
# mean has weight 1.
CENTRED = 3.0
CROSS_ENTROPY = 0.001  # weight of the cross-entropy
NIL_ENTROPY = 0.01  # weight of the cross-entropy of nils: made or failed
FAR = 0.25  # errors of a card's gain above 2 * FAR, in units of the net's output, count linearly (Huber loss)
DAMPING = 1e-4  # added to the inputs' second moments, so that rare inputs are not scaled up without limit
BETA2 = 0.99  # Nadam's decay of squared gradients

IS_NIL = BID_NAMES.index("is_nil")
NIL_MADE = np.repeat([float(sign > 0) for sign in OUR_NIL], THEIRS)  # by outcome of a nil: 1 if it is made

Floats = NDArray[np.float32]
Weights: TypeAlias = dict[str, jax.Array]  # float32, see `first_weights`


class Trained(NamedTuple):
    """A net after a part of its training."""

    weights: dict[str, Floats]
    state: dict[str, Floats]  # of the optimiser: `state0`, `state1` ...
    results: list[Any]  # for each batch, the second value of the loss of the weights before the step


class Fit:
    """The training of a net in parts, so that it can continue after an interruption.

    ``loss(weights, *batch)``: returns the loss of weights (arrays by name) on a batch, and a second value, which is
    kept. ``optimiser``: makes the next weights from the gradients.
    """

    def __init__(self, loss: Callable[..., tuple[jax.Array, Any]], optimiser: optax.GradientTransformation) -> None:
        self._optimiser = optimiser

        @jax.jit
        def step(weights: Any, state: optax.OptState, *batch: Any) -> tuple[Any, optax.OptState, Any]:
            gradients, result = jax.grad(loss, has_aux=True)(weights, *batch)
            updates, state = optimiser.update(gradients, state)
            return optax.apply_updates(weights, updates), state, result

        self._step = step

    def train(self, weights: Arrays, state: Arrays, batches: Iterable[tuple[Any, ...]]) -> Trained:
        """Train ``weights`` on ``batches``. ``state``: that of `Trained` after the part before; empty at the start."""
        trained = {name: jnp.asarray(array) for name, array in weights.items()}
        leaves, shape = jax.tree.flatten(self._optimiser.init(trained))
        if state:
            leaves = [jnp.asarray(state[f"state{i}"]) for i in range(len(leaves))]
        inner = jax.tree.unflatten(shape, leaves)
        results = []
        for batch in batches:
            trained, inner, result = self._step(trained, inner, *batch)
            results.append(result)
        return Trained(
            {name: np.asarray(array) for name, array in trained.items()},
            {f"state{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(inner))},
            results,
        )

    def train_in_parts(
        self, ctx: Context, weights: Arrays, parts: int, steps: int, batches_of: Callable[[int], Iterable[Any]]
    ) -> Arrays:
        """Train ``weights`` in ``parts``, which are chunks of the build, and return them: an interrupted build goes on.

        ``batches_of(seed)`` returns the ``steps`` batches of a part.
        """
        names, state = list(weights), dict[str, NDArray[Any]]()
        for part in range(parts):

            def learn(_: int, seed: int, weights: Arrays = weights, state: Arrays = state) -> Arrays:
                name = f"{ctx.family.name}/fit"
                bar = tqdm(batches_of(seed), total=steps, desc=name, disable=None if ctx.progress else True)
                trained = self.train(weights, state, bar)
                return trained.weights | trained.state

            learnt = ctx.chunks(f"fit-{part}", 1, learn)
            weights = {name: learnt[name] for name in names}
            state = {name: array for name, array in learnt.items() if name not in names}
        return weights


def nadam(rate: float, steps: int) -> optax.GradientTransformation:
    """Return Nadam with a learning rate that falls from ``rate`` to 0 along a cosine of ``steps`` batches."""
    return optax.nadam(optax.cosine_decay_schedule(rate, steps), b2=BETA2)


# ---- the outcome net -------------------------------------------------------------------------------------------------


def first_weights(rng: np.random.Generator, layers: tuple[int, int], inputs: int = INPUTS) -> dict[str, Floats]:
    """Return random float32 weights by name. The last row of each array has the biases, 0, except in ``bid``.

    ``layers``: sizes of the hidden layers; ``inputs``: number of a position's inputs.
    """
    width, depth = layers
    shapes = {
        "position": (inputs + 1, width),
        "bid": (BID_INPUTS, width),
        "hidden": (width + 1, depth),
        "out": (depth + 1, OUTCOMES),
    }
    weights = {}
    for name, (rows, columns) in shapes.items():
        fed = rows if name == "bid" else rows - 1
        drawn = rng.normal(0.0, np.sqrt(2.0 / fed), (rows, columns)) * (0.3 if name == "out" else 1.0)
        drawn[fed:] = 0.0
        weights[name] = drawn.astype(np.float32)
    return weights


def outcome_logits(weights: Weights, batch: Labels) -> jax.Array:
    """Return the logits (B, MOST_TRIED, OUTCOMES) of the candidates' outcomes."""
    position, hidden, out = weights["position"], weights["hidden"], weights["out"]
    size, room, _ = batch.c.shape  # XLA multiplies matrices faster than arrays of three axes
    shared = batch.x @ position[:-1] + position[-1]
    own = (batch.c.reshape(size * room, -1) @ weights["bid"]).reshape(size, room, -1)
    h = jax.nn.relu(own + shared[:, None, :]).reshape(size * room, -1)
    g = jax.nn.relu(h @ hidden[:-1] + hidden[-1])
    return (g @ out[:-1] + out[-1]).reshape(size, room, -1)


@jax.jit
def win_probabilities(weights: Weights, batch: Labels) -> jax.Array:
    """Return the win probabilities (B, MOST_TRIED) that the net gives the candidates."""
    return _mean_values(outcome_logits(weights, batch), batch)


@jax.jit
def loss(weights: Weights, batch: Labels) -> tuple[jax.Array, jax.Array]:
    """Return the loss as a mean over positions, and the mean squared centred error of the win probabilities."""
    logits = outcome_logits(weights, batch)
    error = _mean_values(logits, batch) - batch.target
    mean = (error * batch.real).sum(axis=-1) / batch.real.sum(axis=-1)
    centred = ((error - mean[:, None]) ** 2 * batch.real).sum()
    cross_entropy = optax.softmax_cross_entropy_with_integer_labels(logits, batch.outcome)
    nils = batch.real * batch.c[..., IS_NIL]
    made = jax.nn.logsumexp(logits, axis=-1, b=NIL_MADE) - jax.nn.logsumexp(logits, axis=-1)
    failed = jax.nn.logsumexp(logits, axis=-1, b=1.0 - NIL_MADE) - jax.nn.logsumexp(logits, axis=-1)
    nil_entropy = -jnp.where(jnp.asarray(NIL_MADE)[batch.outcome] > 0.0, made, failed)
    total = (CENTRED * centred + (mean**2).sum()) / 2
    total += CROSS_ENTROPY * (cross_entropy * batch.real).sum() + NIL_ENTROPY * (nil_entropy * nils).sum()
    return total / len(batch.x), centred / batch.real.sum()


def _mean_values(logits: jax.Array, batch: Labels) -> jax.Array:
    p_win: jax.Array = (jax.nn.softmax(logits) * batch.values).sum(axis=-1)
    return p_win


def whitening(inputs: Floats) -> Floats:
    """Return the matrix (I, I) by which ``inputs`` (n, I) are multiplied to get uncorrelated columns of mean square 1.

    Directions of the inputs whose mean square is not far above DAMPING get columns with a mean square below 1.
    """
    values, vectors = np.linalg.eigh(inputs.T.astype(np.float64) @ inputs / len(inputs))
    matrix: Floats = (vectors / np.sqrt(values + DAMPING)).astype(np.float32)
    return matrix


def bases_of(inputs: Labels) -> Arrays:
    """Return the bases in which the first layer is trained, by name of its weights; ``inputs``: labelled positions."""
    return {
        "position": whitening(np.hstack([inputs.x, np.ones_like(inputs.x[:, :1])])),
        "bid": whitening(inputs.c[inputs.real > 0]),
    }


def into_bases(weights: Arrays, bases: Arrays) -> dict[str, Floats]:
    """Return the weights in the bases in which they are trained: the inverse of `from_bases`."""
    return {
        name: np.asarray(np.linalg.solve(bases[name], array) if name in bases else array, np.float32)
        for name, array in weights.items()
    }


def from_bases(trained: Mapping[str, Any], bases: Arrays) -> Weights:
    """Return the weights of the net from those in the bases in which they are trained."""
    return {name: jnp.asarray(bases[name]) @ array if name in bases else array for name, array in trained.items()}


def outcome_fit(bases: Arrays, rate: float, steps: int) -> Fit:
    """Return the training of the outcome net, with weights from `into_bases`.

    A batch is a tuple with one `Labels`. The results are the mean squared centred errors, by batch.
    """
    return Fit(lambda trained, batch: loss(from_bases(trained, bases), batch), nadam(rate, steps))


def judged(weights: Arrays, batch: Labels) -> tuple[float, float]:
    """Return two errors on held-out positions: the mean squared centred error, and the win probability lost.

    The lost win probability is the mean difference between the best candidate in hindsight and the net's choice. It
    falls as the net chooses better, but luck keeps it far from 0.
    """
    given = {name: jnp.asarray(array) for name, array in weights.items()}
    p_win = np.where(batch.real == 1.0, win_probabilities(given, batch), -1.0)
    target = np.where(batch.real == 1.0, batch.target, -1.0)
    lost = target.max(axis=1) - target[np.arange(len(target)), p_win.argmax(axis=1)]
    return float(loss(given, batch)[1]), float(lost.mean())


# ---- the holder nets -------------------------------------------------------------------------------------------------


def holder_loss(weights: Weights, x: jax.Array, owners: jax.Array) -> tuple[jax.Array, None]:
    """Return the mean log-loss of a batch, in nats for each card that the player does not see.

    ``weights``: the fields of `HolderNet`, as floats; ``x`` (B, INPUTS); ``owners`` (B, DECK_SIZE), see `Views`.
    """
    first, second, out = (weights[name] for name in HolderNet._fields)
    values = jax.nn.relu(x @ first[:-1] + first[-1])
    values = jax.nn.relu(values @ second[:-1] + second[-1])
    logits = jax.nn.log_softmax((values @ out[:-1] + out[-1]).reshape(-1, DECK_SIZE, OTHER_SEATS))
    found = jnp.take_along_axis(logits, jnp.maximum(owners, 0)[:, :, None], axis=2)[:, :, 0]
    unseen = owners >= 0
    return -jnp.where(unseen, found, 0.0).sum() / unseen.sum(), None


def holder_fit(rate: float, steps: int) -> Fit:
    """Return the training of a `HolderNet` as floats, by name. A batch is (inputs, owners), as in `holder_loss`."""
    return Fit(holder_loss, nadam(rate, steps))


# ---- the card net ----------------------------------------------------------------------------------------------------


def card_loss(
    weights: Weights, position: jax.Array, card: jax.Array, owner: jax.Array, worth: jax.Array, real: jax.Array
) -> tuple[jax.Array, None]:
    """Return the mean loss of a batch of B decisions about their gains, each relative to the mean of the decision.

    ``weights``: the fields of `CardNet`, as floats; ``position`` (B, POSITION_INPUTS). By card: ``card`` (cards,
    CARD_INPUTS), ``owner``: the index of its position, ``worth``: the win probability, ``real``: 1, or 0 for a place
    without a card.
    """
    first = position @ weights["position"][:-1] + weights["position"][-1]
    values = jax.nn.relu(first[owner] + card @ weights["card"])
    values = jax.nn.relu(values @ weights["hidden"][:-1] + weights["hidden"][-1])
    cards = jnp.maximum(jax.ops.segment_sum(real, owner, len(position)), 1.0)

    def centred(found: jax.Array) -> jax.Array:
        return found - (jax.ops.segment_sum(found * real, owner, len(position)) / cards)[owner]

    errors = jnp.abs(centred((values @ weights["out"])[:, 0]) - OUTPUT_PER_WIN * centred(worth)) * real
    return jnp.where(errors < 2 * FAR, errors**2, 4 * FAR * (errors - FAR)).sum() / len(position), None


def card_fit(rate: float, steps: int) -> Fit:
    """Return the training of a `CardNet` as floats, by name. A batch has the arguments of `card_loss`."""
    return Fit(card_loss, optax.adam(optax.cosine_decay_schedule(rate, steps)))


# ---- the nets of q@1 -------------------------------------------------------------------------------------------------


def value_fit(values: Callable[..., Any], rate: float) -> Fit:
    """Return the training of a net with flat weights by Adam, on the mean squared error.

    ``values(weights, x, jnp)`` returns the net's values (rows,) for inputs ``x`` (rows, features). The weights are in
    ``net``, a batch is (inputs, targets (rows,)), and the results are the values before each step.
    """

    def loss(weights: Weights, x: jax.Array, targets: jax.Array) -> tuple[jax.Array, jax.Array]:
        found = values(weights["net"], x, jnp)
        return jnp.mean((found - targets) ** 2), found

    return Fit(loss, optax.adam(rate))
