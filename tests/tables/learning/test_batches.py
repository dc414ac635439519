"""Labelled batches: which positions they hold, and in which order."""

import numpy as np
import pytest

from spades.options import LIKE_BIS, PLAYER_KINDS, UNKNOWN
from spades.winprob.features import CARD_INPUTS, POSITION_NAMES
from tables.learning.batches import (
    ALL_KNOWN,
    NONE_KNOWN,
    NONE_KNOWN_OF_STRONG,
    batches,
    held_out,
    known_kinds,
    sample,
    steps_of,
)
from tables.learning.training_data import RARE, Labels
from tests.tables.learning.conftest import PREVIOUS

HELD, SIZE, EPOCHS = 4, 9, 2
LIKE_WINPROB = PLAYER_KINDS.index("winprob")


def _input(batch: Labels, name: str) -> np.ndarray:
    return batch.x[:, CARD_INPUTS + POSITION_NAMES.index(name)]


def _rows(batch: Labels) -> list[int]:
    """Return the indices of a batch's positions in PREVIOUS."""
    bids = zip(_input(batch, "partner_bid"), _input(batch, "rho_bid"), strict=True)
    return [PREVIOUS.index((round(5 * float(partner)), round(5 * float(rho)))) for partner, rho in bids]


@pytest.mark.compiled
def test_an_epoch_has_each_position_that_is_not_held_out_once(source):
    made = list(batches(source, SIZE, EPOCHS))
    assert len(made) == steps_of(source, SIZE, EPOCHS) == 8
    epochs = [[row for batch in made[at : at + 4] for row in _rows(batch)] for at in (0, 4)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(HELD, len(PREVIOUS)))
    assert epochs[0] != epochs[1]
    assert _rows(held_out(source)) == list(range(HELD))
    assert _rows(sample(source)) == list(range(HELD, 2 * HELD))


@pytest.mark.compiled
def test_batches_repeat_however_threads_run(source):
    for one, other in zip(batches(source, SIZE, EPOCHS), batches(source, SIZE, EPOCHS), strict=True):
        for array, again in zip(one, other, strict=True):
            np.testing.assert_array_equal(array, again)


@pytest.mark.compiled
def test_a_batch_has_room_for_more_candidates(source):
    """Bid 1 is too low to be weighed with this hand; held-out positions keep their score, 0-0 in a game to 200."""
    batch = held_out(source)
    np.testing.assert_array_equal(batch.real, np.tile(np.array([RARE, 1, 0, 0, 0, 0, 0], np.float32), (HELD, 1)))
    assert not batch.c[:, 2:].any()
    np.testing.assert_allclose(batch.c[:, :2, 0], np.tile([0.2, 1.0], (HELD, 1)), rtol=1e-6)
    np.testing.assert_array_equal(_input(batch, "us_to_goal"), np.full(HELD, 2.0))


def test_how_often_the_others_are_known():
    """Of rows with three strong players, four in five hide all of them; of other rows, about one in three."""
    rng, n = np.random.default_rng(2), 20_000
    for strong, none_known in ((3, NONE_KNOWN_OF_STRONG), (2, NONE_KNOWN)):
        kinds = np.array([LIKE_WINPROB] * strong + [LIKE_BIS] * (3 - strong), np.int8)
        known = known_kinds(np.tile(kinds, (n, 1)), rng)
        hidden = known == UNKNOWN
        assert hidden.all(axis=1).mean() == pytest.approx(
            none_known + max(0.0, 1 - ALL_KNOWN - none_known) / 8, abs=0.02
        )
        assert (~hidden).all(axis=1).mean() > 0.15
        assert ((known == kinds) | hidden).all()
