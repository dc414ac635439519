"""The nets that say who holds each card: their views of deals, their integers, and training in parts."""

import numpy as np
import pytest

from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from spades.cards import parse_card, parse_pbn
from spades.inference import DECK_SIZE, HOLDER_INPUTS, OTHER_SEATS, HolderNet, holder_shares, places_of
from spades.legal import BLIND_NIL, NO_BID
from spades.rules import Rules
from spades.tableset import open_tables
from tables.counts import bid_deals
from tables.learning import holders
from tables.learning.holders import (
    LAYERS,
    drawn_views,
    first_weights,
    known_bids,
    log_loss,
    training_batch,
    views_of,
    whole_numbers,
)

HANDS = [parse_pbn(text) for text in ("AKJ62.AQ.Q.K9543", "3.8643.9752.T872", "Q74.KJ5.AJT43.Q6", "T985.T972.K86.AJ")]


@pytest.fixture(scope="module")
def deals():
    scores = np.array([[0, 0, 0, 0], [420, 3, 380, 9]])
    return np.concatenate(list(bid_deals(3, 0, 600, Rules(), "bis", kernel_tables(open_tables().arrays), scores)))


def random_net(seed=0):
    return whole_numbers(
        {name: 3 * array for name, array in first_weights(np.random.default_rng(seed), LAYERS).items()}
    )


def one_view(hands, seat=0, bids=(4, 0, 4, 3)):
    deal = {"hands": [hands], "bids": [bids], "scores": [[120, 95]], "bags": [[3, 5]]}
    deals = {name: np.array(cells) for name, cells in deal.items()}
    return views_of(deals, np.array([seat]), known_bids(deals["bids"], np.array([4])))


def test_a_view_names_the_holder_of_every_unseen_card():
    view = one_view(HANDS, seat=1)
    places = places_of(np.array([HANDS[1]]))[0]
    for card, holder in (("8H", -1), ("QS", 0), ("KD", 1), ("AH", 2)):  # seat 1 sees seats 2, 3 and 0
        assert view.owners[0, places[parse_card(card)]] == holder
    assert [(view.owners[0] == holder).sum() for holder in range(-1, OTHER_SEATS)] == [13] * 4


def test_side_suits_are_alike():
    """Two hands that differ by the names of the side suits have the same inputs, and the same holders of cards."""
    swapped = [h >> 48 << 48 | (h & 0xFFFF) << 16 | h >> 16 & 0xFFFF | h & 0xFFFF << 32 for h in HANDS]
    one, other = one_view(HANDS), one_view(swapped)
    assert np.array_equal(one.inputs, other.inputs)
    assert np.array_equal(one.owners, other.owners)


def test_inputs_are_relative_to_the_player():
    view = one_view(HANDS, seat=1)
    bids = view.inputs[0, DECK_SIZE : DECK_SIZE + 40].reshape(4, 10).argmax(axis=1)
    assert bids.tolist() == [1, 5, 4, 5], "own bid first; a nil is 1, a four is 5"
    assert view.inputs[0, HOLDER_INPUTS - 8 :].tolist() == [0, 1, 0, 0, 9, 12, 5, 3]


def test_bids_that_say_nothing():
    bids = np.array([[3, BLIND_NIL, 4, 2]], np.int8)
    assert known_bids(bids, np.array([3])).tolist() == [[3, NO_BID, 4, NO_BID]]


def test_integers_compute_what_floats_do(deals):
    views = drawn_views(deals, np.random.default_rng(1), 200)
    weights = {name: 3 * array for name, array in first_weights(np.random.default_rng(0), LAYERS).items()}
    values = (views.inputs * holders.SCALES).astype(float)
    for name in ("first", "second"):
        values = np.maximum(values @ weights[name][:-1] + weights[name][-1], 0)
    odds = np.exp((values @ weights["out"][:-1]).reshape(-1, DECK_SIZE, OTHER_SEATS))
    found = holder_shares(whole_numbers(weights), views.inputs)
    assert np.abs(found - odds / odds.sum(axis=2, keepdims=True)).max() < 0.01
    assert np.allclose(found.sum(axis=2), 1.0, atol=3 * 2.0**-20)


def test_shares_do_not_depend_on_the_order_of_sums(deals):
    """The values between layers are whole numbers, so that every order of sums gives the same bits."""
    views = drawn_views(deals, np.random.default_rng(1), 50)
    net = random_net()
    order = np.random.default_rng(2).permutation(LAYERS[0])
    mixed = HolderNet(net.first[:, order], np.vstack([net.second[:-1][order], net.second[-1:]]), net.out)
    assert np.array_equal(holder_shares(net, views.inputs), holder_shares(mixed, views.inputs))
    assert np.array_equal(holder_shares(net, views.inputs)[7], holder_shares(net, views.inputs[7:8])[0])


def test_a_weight_beyond_the_integers_is_refused():
    weights = first_weights(np.random.default_rng(0), LAYERS)
    weights["out"][0, 0] = 300.0
    with pytest.raises(BuildError, match="a weight is 300; accepted: at most 256"):
        whole_numbers(weights)


def test_training_lowers_the_log_loss_and_goes_on_after_a_part(deals):
    pytest.importorskip("jax", reason="training needs the dependency group `learning`")
    from tables.learning.net import holder_fit

    rng = np.random.default_rng(1)
    batches = [training_batch(drawn_views(deals, rng, 256)) for _ in range(60)]
    fit = holder_fit(3e-3, len(batches))
    start = first_weights(np.random.default_rng(0), (16, 8))
    whole = fit.train(start, {}, batches).weights
    half = fit.train(start, {}, batches[:30])
    rest = fit.train(half.weights, half.state, batches[30:]).weights
    for name in HolderNet._fields:
        assert np.array_equal(whole[name], rest[name]), name
    views = drawn_views(deals, rng, 600)
    trained, untrained = (log_loss(whole_numbers(weights), views) for weights in (whole, start))
    assert trained < untrained - 0.002
    assert untrained == pytest.approx(np.log(3), abs=0.01)
    assert whole["first"].shape == (HOLDER_INPUTS + 1, 16)
