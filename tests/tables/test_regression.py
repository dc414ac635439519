"""The fits: hand-computed cases, the conditions of the optimum, and the same bytes with other linear algebra."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import expit

from arena.chunks import LocalThreads
from arena.counters import BID_SUMS
from arena.errors import BuildError
from spades.tables import SEQUENCES
from tables.families import FAMILIES
from tables.fits import contracts, fit_aces, fit_blind, smooth
from tables.regression import RIDGE, fit_curves, minimize_convex, solve_exactly, solve_refined
from tables.run.family import Context


def test_a_quadratic_within_bounds():
    """The function (x - 3)^2 + (y + 1)^2 + xy: with y >= 0 the bound holds y, and x is 3."""

    def derivatives(at):
        x, y = at
        gradient = np.array([2 * (x - 3) + y, 2 * (y + 1) + x])
        return (x - 3) ** 2 + (y + 1) ** 2 + x * y, gradient, np.array([[2.0, 1.0], [1.0, 2.0]])

    assert minimize_convex(derivatives, np.array([9.0, 9.0]), np.array([-np.inf, 0.0])).tolist() == [3.0, 0.0]
    free = minimize_convex(derivatives, np.zeros(2), np.full(2, -np.inf))
    assert free == pytest.approx([14 / 3, -10 / 3], abs=1e-12)


def test_a_logarithm():
    """The function x - 5 log x is least at 5; Newton's method starts far from it."""

    def derivatives(at):
        x = float(at[0])
        return x - 5 * np.log(x), np.array([1 - 5 / x]), np.array([[5 / x**2]])

    assert minimize_convex(derivatives, np.array([0.01]), np.array([1e-9])).tolist() == pytest.approx([5], abs=1e-12)


def test_no_optimum_is_an_error():
    def derivatives(at):
        x = float(at[0])
        return float(np.exp(-x)), np.array([-np.exp(-x)]), np.array([[np.exp(-x)]])

    with pytest.raises(BuildError, match="a fit would move by 1 in step 200; accepted: at most 1e-08"):
        minimize_convex(derivatives, np.zeros(1), np.full(1, -np.inf))


def test_exact_solutions():
    hilbert = 1 / np.add.outer(np.arange(1, 9), np.arange(8))
    right = np.arange(8.0)
    x = solve_exactly(hilbert, right)
    assert solve_refined(hilbert, right) == pytest.approx(x, rel=1e-9)
    assert np.linalg.solve(hilbert, right) != pytest.approx(x, rel=1e-9)
    singular = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert solve_exactly(singular, np.array([2.0, 2.0, 0.0])).tolist() == [2.0, 0.0, 0.0]
    assert solve_exactly(np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([1.0, 2.0])).tolist() == [0.5, 0.5]


def test_the_single_curve_is_the_optimum():
    """With one bin in use the fit has one log-odds z, whose penalty follows from how the parameters share it."""
    n, made, cell = 1000, 300, 40
    counts = np.zeros((1, 101, 2), np.int64)
    counts[0, cell] = n, made
    curve = fit_curves(counts)[0]
    # The parameters are one effect, and shapes, which may not be negative: with negative log-odds they are 0.
    z = np.log(curve[0] / (1 - curve[0]))
    assert n * expit(z) - made + RIDGE * z == pytest.approx(0, abs=1e-3)  # the curve is rounded to six decimals
    assert np.ptp(curve) == 0


def test_curves_rise_with_partners_number_and_rare_bids_are_like_the_next_lower_ones():
    """Worked by hand: a rare 9 of partner has the chance of an 8, although its two nils failed."""
    counts = np.zeros((SEQUENCES, 101, 2), np.int64)
    for partner in range(1, 9):
        counts[15 + 14 * partner + 3, 50] = 100_000, 60_000 + 2_000 * partner  # partner's bid, then a 3
    counts[15 + 14 * 9 + 3, 50] = 2, 0
    curves = fit_curves(counts)
    in_third = curves[15:211].reshape(14, 14, 101)
    assert in_third[1:9, 3, 50] == pytest.approx(0.60 + 0.02 * np.arange(1, 9), abs=0.01)
    assert in_third[9:, 3, 50] == pytest.approx(in_third[8, 3, 50], abs=1e-9)
    assert (np.diff(in_third[1:], axis=0) >= 0).all()
    assert (np.diff(curves[211:].reshape(14, 14, 14, 101)[:, 1:], axis=1) >= 0).all()


def test_without_partners_curves_may_fall_with_the_number_of_the_player_opposite():
    counts = np.zeros((SEQUENCES, 101, 2), np.int64)
    for opposite in range(1, 6):
        counts[15 + 14 * opposite + 3, 50] = 100_000, 80_000 - 2_000 * opposite
    in_third = fit_curves(counts, partners=False)[15:211].reshape(14, 14, 101)
    assert in_third[1:6, 3, 50] == pytest.approx(0.80 - 0.02 * np.arange(1, 6), abs=0.01)


def test_a_rare_contract_is_made_about_as_often_as_the_contract_below(monkeypatch, tmp_path):
    """Worked by hand: 50 contracts with the share of the contract below are added to those that were counted."""

    def rounds(span, setup, counts):
        counts[0, 4] += 10, 8  # in each of the 20 chunks
        counts[0, 6] += 5, 1

    monkeypatch.setattr("tables.fits.self_play", lambda ctx: None)
    monkeypatch.setattr("tables.fits.contract_rounds", rounds)
    (family,) = (family for family in FAMILIES if family.name == "contracts")
    made = contracts(Context(family, 1, 1.0, {}, LocalThreads(1), tmp_path, progress=False))["contract_made"]
    assert made[0, :4].tolist() == [1.0] * 4
    assert made[0, 4:6].tolist() == [0.84] * 2  # (160 + 50 * 1) / (200 + 50)
    assert made[0, 6:].tolist() == [0.4133] * 21  # (20 + 50 * 0.84) / (100 + 50)
    assert made[1].tolist() == [1.0] * 27


def random_fits():
    """Fit small random samples of every kind; the arrays are as the build rounds them."""
    rng = np.random.default_rng(4)
    popular = rng.pareto(0.8, SEQUENCES)
    n = rng.multinomial(3000, popular / popular.sum())
    curves = np.zeros((SEQUENCES, 101, 2), np.int64)
    for sequence in np.flatnonzero(n):
        value = rng.integers(0, 101, n[sequence])
        np.add.at(curves[sequence, :, 0], value, 1)
        np.add.at(curves[sequence, :, 1], value[rng.random(len(value)) < 0.2 + value / 150], 1)
    blind = np.stack([n, rng.binomial(n, 0.2)], axis=1)
    aces = np.zeros((BID_SUMS, 2))
    aces[:14, 0] = 50
    aces[:14, 1] = rng.binomial(50, np.linspace(0.4, 0.1, 14))
    sums = np.concatenate([n[:, None], rng.poisson(3.0 * n[:, None], (SEQUENCES, 3))], axis=1).astype(np.float64)
    return (
        fit_curves(curves),
        fit_curves(curves.sum(axis=0, keepdims=True)),
        fit_blind(blind),
        fit_aces(aces),
        smooth(sums),
    )


PROGRAM = """
import hashlib
from tests.tables.test_regression import random_fits
print([hashlib.sha256(fit.tobytes()).hexdigest()[:16] for fit in random_fits()])
"""


@pytest.mark.long
def test_fits_do_not_depend_on_the_linear_algebra():
    """OpenBLAS chooses its code by processor; the variable makes it use that of an old one."""
    found = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, **extra}, check=True, capture_output=True, text=True
        ).stdout
        for extra in ({}, {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"})
    ]
    assert found[0] == found[1]
    assert found[0].count(",") == 4
