"""The net that learns from a search: its decisions, its batches, and its training."""

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.errors import BuildError
from spades.card_net import ARRAYS, card_net_of
from spades.play.net_inputs import CARD_INPUTS, POSITION_INPUTS
from tables.families import FAMILIES
from tables.learning import distilling
from tables.learning.distilling import (
    BATCH,
    CARDS_A_BATCH,
    Decisions,
    first_weights,
    labelled,
    mean_gain,
    training_batches,
    whole_numbers,
)
from tables.run.family import Context
from tests.conftest import committed_tables


def some_decisions(n, seed=0):
    """Return decisions of two to five cards, of which the first one with input 7 is worth most."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 6, n).astype(np.uint8)
    m = int(counts.sum())
    card = rng.integers(0, 2, (m, CARD_INPUTS), dtype=np.uint8)
    worth = (0.5 + 0.1 * card[:, 7] + rng.normal(0, 0.02, m)).astype(np.float32)
    position = np.packbits(rng.integers(0, 2, (n, POSITION_INPUTS), dtype=np.uint8), axis=1)
    return Decisions(position, counts, np.packbits(card, axis=1), worth)


def test_a_batch_holds_the_cards_of_its_decisions():
    made = some_decisions(3 * BATCH)
    first = np.cumsum(made.counts.astype(int)) - made.counts
    rows = np.arange(2 * BATCH + 5)[::-1]
    one, two = training_batches(made, rows)
    position, card, owner, worth, real = two
    n = int(real.sum())
    assert n == made.counts[5 : BATCH + 5].sum() < CARDS_A_BATCH, "the five rows that are left over are in no batch"
    assert worth[:n].tolist() == made.worth[first[5] : first[BATCH + 5]].tolist()
    assert np.bincount(owner[:n], minlength=BATCH).tolist() == made.counts[5 : BATCH + 5].tolist()
    assert (np.packbits(card[:n].astype(np.uint8), axis=1) == made.card[first[5] : first[BATCH + 5]]).all()
    assert position.shape == (BATCH, POSITION_INPUTS)
    assert one[1].shape == (CARDS_A_BATCH, CARD_INPUTS)


def test_cards_beyond_the_last_place_are_left_out():
    made = some_decisions(BATCH)._replace(counts=np.full(BATCH, 5, np.uint8))
    many = made._replace(card=np.tile(made.card, (3, 1)), worth=np.tile(made.worth, 3))
    ((*_, real),) = training_batches(many, np.arange(BATCH))
    assert real.all()


def test_a_net_learns_which_card_is_best(monkeypatch):
    from tables.learning.net import card_fit

    made = some_decisions(30_000)
    weights = first_weights(np.random.default_rng(1), (16, 4))
    fit = card_fit(5e-3, 60)
    batches = training_batches(made, np.random.default_rng(2).integers(0, 30_000, 60 * BATCH))
    trained = fit.train(weights, {}, batches).weights
    found = {f"card_net_{name}": array for name, array in whole_numbers(trained).items()}
    gain, others = mean_gain(card_net_of(found), some_decisions(4_000, 9))
    assert gain > 0.03
    assert others > 0.3


def test_weights_that_are_too_large_are_refused():
    weights = first_weights(np.random.default_rng(1), (16, 4))
    weights["card"][3, 2] = -40.0
    with pytest.raises(BuildError, match=r"a weight is 40; accepted: at most 32"):
        whole_numbers(weights)


@pytest.mark.compiled
def test_a_small_build(tmp_path):
    """Rounds are the same again, an interrupted training goes on, and the arrays are those that the family names."""
    (family,) = (family for family in FAMILIES if family.name == "card_net")
    inputs = dict(committed_tables().arrays)
    one, other = labelled(7, 4, inputs), labelled(7, 4, inputs)
    for field in Decisions._fields:
        assert np.array_equal(getattr(one, field), getattr(other, field))
    assert one.counts.min() > 1
    assert one.counts.sum() == len(one.worth) == len(one.card)
    assert ((one.worth >= 0) & (one.worth <= 1)).all()

    def build():
        context = Context(family, 1, 4 / 300_000, inputs, LocalThreads(1), tmp_path, progress=False)
        context.figures.clear()
        return distilling.make(context), context.figures

    made, figures = build()
    assert set(made) == set(family.axes) == set(ARRAYS)
    assert made["card_net_position"].shape == (POSITION_INPUTS + 1, distilling.LAYERS[0])
    assert set(figures) == {"gain", "other_cards"}
    for part in tmp_path.glob("fit-[4-7]-1"):
        for path in part.iterdir():
            path.unlink()
    again, _ = build()
    assert all(np.array_equal(made[name], again[name]) for name in made)
