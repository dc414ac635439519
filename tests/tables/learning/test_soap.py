"""The optimizer of `winprob`'s net: it equals Adam if the basis is not rotated, and the bases stay orthonormal."""

import numpy as np

from tables.learning.soap import BETA1, BETA2, EAGER, EPSILON, EVERY, Floats, Soap


def _drawn(rng: np.random.Generator, *shape: int) -> Floats:
    return rng.normal(size=shape).astype(np.float32)


def test_the_first_step_moves_nothing():
    rng = np.random.default_rng(1)
    weights = {"a": _drawn(rng, 3, 2)}
    before = weights["a"].copy()
    Soap().step(weights, {"a": _drawn(rng, 3, 2)}, 0.1)
    np.testing.assert_array_equal(weights["a"], before)


def test_without_turns_it_is_adam():
    rng = np.random.default_rng(2)
    gradients = [_drawn(rng, 4, 3) for _ in range(8)]
    soap, weights = Soap(), {"a": np.zeros((4, 3), np.float32)}
    soap.step(weights, {"a": gradients[0]}, 0.1)
    matrix = soap.matrices["a"]
    matrix.left, matrix.right = np.eye(4, dtype=np.float32), np.eye(3, dtype=np.float32)
    first, second = np.zeros((4, 3)), np.zeros((4, 3))
    for steps, gradient in enumerate(gradients[1:], 1):
        first = BETA1 * first + (1 - BETA1) * gradient
        second = BETA2 * second + (1 - BETA2) * gradient**2
        wanted = first / (1 - BETA1**steps) / (np.sqrt(second / (1 - BETA2**steps)) + EPSILON)
        np.testing.assert_allclose(matrix.step(gradient, steps, turn=False), wanted, rtol=1e-4, atol=1e-6)


def test_bases_stay_orthonormal_and_sorted():
    rng = np.random.default_rng(3)
    soap, weights = Soap(), {"a": np.zeros((6, 5), np.float32)}
    stretched = np.diag([10.0, 5.0, 2.0, 1.0, 0.1]).astype(np.float32)
    for _ in range(EAGER + 20 * EVERY + 1):
        soap.step(weights, {"a": _drawn(rng, 6, 5) @ stretched}, 1e-3)
    matrix = soap.matrices["a"]
    for basis in (matrix.left, matrix.right):
        np.testing.assert_allclose(basis.T @ basis, np.eye(len(basis)), atol=1e-5)
    assert abs(matrix.right).argmax(axis=0).tolist() == [0, 1, 2, 3, 4]


def test_inputs_that_go_together_are_told_apart():
    """Two inputs that differ by a hundredth of their size, and a target that is their difference."""
    rng = np.random.default_rng(4)
    soap, weights = Soap(), {"a": np.zeros((2, 1), np.float32)}
    steps = 600
    for step in range(steps):
        shared, apart = _drawn(rng, 256), _drawn(rng, 256)
        x = np.stack([shared + 0.01 * apart, shared - 0.01 * apart], axis=1)
        error = x @ weights["a"] - apart[:, None]
        soap.step(weights, {"a": (x.T @ error / 256).astype(np.float32)}, 1.0 * (1 - step / steps))
    np.testing.assert_allclose(weights["a"], [[50.0], [-50.0]], rtol=0.02)
