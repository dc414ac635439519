"""The net of `winprob` in JAX: its loss, room without a candidate, and its training."""

import numpy as np
import pytest

from spades.winprob import OUTCOMES, WIN_SCALE, games_of
from spades.winprob.features import BID_INPUTS, BID_NAMES, INPUTS, VALUED, VALUES
from spades.winprob.outcomes import THEIRS
from spades.winprob.weights import load_weights, outcome_odds
from tables.learning.net import (
    CENTRED,
    CROSS_ENTROPY,
    DAMPING,
    NIL_ENTROPY,
    bases_of,
    first_weights,
    from_bases,
    into_bases,
    judged,
    loss,
    outcome_fit,
    outcome_logits,
    whitening,
    win_probabilities,
)
from tables.learning.training_data import MOST_TRIED, Labels
from tests.more_games import MORE_ROWS


def _batch(size: int, seed: int, room: int = MOST_TRIED) -> Labels:
    """Random positions with five candidates each."""
    rng = np.random.default_rng(seed)
    shape = (size, room)
    real = np.zeros(shape, np.float32)
    real[:, :5] = rng.choice([1.0, 0.2], (size, 5))
    real[:, 0] = 1.0
    return Labels(
        rng.random((size, INPUTS), np.float32) - np.float32(0.5),
        rng.random((*shape, BID_INPUTS), np.float32),
        rng.random((*shape, OUTCOMES), np.float32),
        rng.random(shape, np.float32),
        real,
        rng.integers(0, OUTCOMES, shape),
    )


def _small_net(seed: int = 1):
    return first_weights(np.random.default_rng(seed), (16, 8))


def _trained(weights, inputs, batches, rate, steps):
    """Return the weights after a training, and the error of each batch."""
    bases = bases_of(inputs)
    found = outcome_fit(bases, rate, steps).train(into_bases(weights, bases), {}, [(batch,) for batch in batches])
    return from_bases(found.weights, bases), found.results


def test_the_loss_by_hand():
    """A net of zeros gives each outcome 1/30. The first half of them wins; so each bid has win probability 0.5.

    The second bid is a nil that failed. In four of our six ways a nil is made.
    """
    weights = {name: np.zeros_like(array) for name, array in _small_net().items()}
    batch = _batch(1, 1)
    batch.values[:] = np.arange(OUTCOMES) < OUTCOMES / 2
    batch.c[:] = 0.0
    batch.c[0, 1, BID_NAMES.index("is_nil")] = 1.0
    batch.outcome[0, 1] = 2 * THEIRS
    batch.real[:] = [1.0, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0]
    batch.target[:] = [0.2, 0.6, 0.7, 9.0, 9.0, 9.0, 9.0]
    # Errors 0.3, -0.1, -0.2; their mean by weight is (0.3 - 0.1 - 0.1) / 2.5 = 0.04.
    centred = 0.26**2 + 0.14**2 + 0.5 * 0.24**2
    total, error = loss(weights, batch)
    assert float(error) == pytest.approx(centred / 2.5, rel=1e-5)
    expected = (CENTRED * centred + 0.04**2) / 2 + CROSS_ENTROPY * 2.5 * np.log(30) + NIL_ENTROPY * np.log(3)
    assert float(total) == pytest.approx(expected, rel=1e-5)


def test_room_without_a_candidate_changes_nothing():
    weights, padded = _small_net(), _batch(64, 2)
    bare = Labels(padded.x, *(np.ascontiguousarray(array[:, :5]) for array in padded[1:]))
    assert [float(number) for number in loss(weights, padded)] == pytest.approx(
        [float(number) for number in loss(weights, bare)], rel=1e-6
    )
    assert judged(weights, padded) == pytest.approx(judged(weights, bare), rel=1e-6)


def test_the_choice_that_loses_nothing_is_the_best_weighed_bid():
    """The net of zeros prefers the bid with the highest mean value; here that is the second of three."""
    weights = {name: np.zeros_like(array) for name, array in _small_net().items()}
    batch = _batch(1, 3)
    batch.values[:] = 0.1
    batch.values[0, 1] = 0.3
    batch.values[0, 2] = 0.9  # a bid that the policy would not weigh
    batch.real[:] = [1.0, 1.0, 0.2, 1.0, 0.0, 0.0, 0.0]
    batch.target[:] = [0.5, 0.4, 1.0, 0.2, 1.0, 1.0, 1.0]
    assert judged(weights, batch)[1] == pytest.approx(0.1)


def test_whitened_inputs_are_uncorrelated():
    """Two inputs that differ by a tenth of their size, and one that is always 0."""
    rng = np.random.default_rng(4)
    shared, apart = rng.normal(size=(2, 5000))
    inputs = np.stack([shared + 0.1 * apart, shared - 0.1 * apart, np.zeros(5000)], axis=1).astype(np.float32)
    white = inputs @ whitening(inputs)
    moments = np.sort(np.linalg.eigvalsh(white.T @ white / 5000))
    np.testing.assert_allclose(moments, [0.0, 0.02 / (0.02 + DAMPING), 1.0], atol=0.01)
    np.testing.assert_allclose(white.T @ white / 5000, np.diag(np.diag(white.T @ white / 5000)), atol=1e-4)


def test_the_net_learns_by_heart():
    """Training repeatedly on the same batch removes most of the error that can be removed."""
    batch = _batch(64, 5)
    weights, errors = _trained(_small_net(), batch, [batch] * 300, 2e-2, 300)
    assert errors[-1] < 0.4 * errors[0]
    assert judged(weights, batch)[0] < errors[-1] + 1e-4


def test_training_repeats():
    found = [_trained(_small_net(), _batch(32, 6), [_batch(32, seed) for seed in range(5)], 1e-3, 5) for _ in range(2)]
    for name, array in found[0][0].items():
        np.testing.assert_array_equal(array, found[1][0][name], err_msg=name)
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_weights_keep_their_meaning_at_rate_zero():
    """Training in another basis returns the weights in the basis of the inputs."""
    weights = _small_net()
    found, _ = _trained(weights, _batch(500, 7), [_batch(32, 8)], 0.0, 1)
    for name, array in weights.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-3, atol=1e-3, err_msg=name)


def test_the_service_computes_the_same_net(fitted):
    """The service's form of the weights gives the same outcome probabilities for the same inputs."""
    net = {
        name: getattr(fitted.arrays, f"net_{name}").astype(np.float32) for name in ("position", "bid", "hidden", "out")
    }
    batch = _batch(50, 9)
    batch.c[:, :, VALUES:] = batch.values[:, :, VALUED]
    logits = np.asarray(outcome_logits(net, batch), np.float64)
    expected = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    weights = load_weights(fitted.arrays, games_of(MORE_ROWS))
    p_win = np.asarray(win_probabilities(net, batch))
    for at in range(50):
        rows = np.hstack([batch.c[at, :, :VALUES], batch.values[at] * np.float32(WIN_SCALE)])
        odds = outcome_odds(np.append(batch.x[at], np.float32(1.0)), rows, weights)
        odds /= odds.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(odds, expected[at], atol=1e-5)
        np.testing.assert_allclose((odds * batch.values[at]).sum(axis=1), p_win[at], atol=1e-5)
