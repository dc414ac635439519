"""The training of `winprob`: who bids in it, and its parts."""

import numpy as np
import pytest

from arena.agents import parse_agent
from arena.chunks import LocalThreads
from spades.policies import SERVED
from tables.families import FAMILIES
from tables.learning import net, training
from tables.learning.training import FIRST_POLICIES, LATER_POLICIES, NET, ROUNDS, SEEN_BY
from tables.run.family import Context
from tests.tables.learning.test_batches import source  # noqa: F401  # fixture

(NET0,) = (family for family in FAMILIES if family.name == "net0")


def test_only_our_own_policies_bid_in_the_training():
    """The public bots and other outside bidders judge the net, so it never learns from them."""
    texts = {SEEN_BY, *FIRST_POLICIES, *LATER_POLICIES, *(text for row in ROUNDS for text in row.policies)}
    assert all(parse_agent(text).policy == text for text in texts)
    assert {text.partition(":")[0] for text in texts} <= set(SERVED)


@pytest.mark.compiled
def test_an_interrupted_training_goes_on_after_the_part_that_ended(source, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(training, "BATCH", 16)
    stage, learn, done = ROUNDS[0]._replace(epochs=3), training._learn, list[int]()
    weights = net.first_weights(np.random.default_rng(1), (16, 8))

    def learnt(folder, parts):
        monkeypatch.setattr(training, "PARTS", parts)
        context = Context(NET0, 1, 1.0, {}, LocalThreads(1), tmp_path / folder, progress=False)
        return training._learnt(context, stage, source, weights)

    def interrupted(*arguments):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(1)
        return learn(*arguments)

    whole, whole_error = learnt("whole", 1)
    with monkeypatch.context() as patch:
        patch.setattr(training, "_learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learnt("parts", 4)
    parts, error = learnt("parts", 4)
    assert error == whole_error
    for name in NET:
        assert np.array_equal(parts[name], whole[name]), name
        assert not np.array_equal(whole[name], weights[name]), name
