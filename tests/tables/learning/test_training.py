"""The training of `winprob`: who bids in it, and its parts."""

import numpy as np
import pytest

from arena.agents import parse_agent
from arena.chunks import LocalThreads
from spades.policies import SERVED
from tables.families import FAMILIES
from tables.learning import net, training
from tables.learning.training import (
    FIRST_POLICIES,
    LAST_ROUND,
    LATER_POLICIES,
    NET,
    PASS_POLICIES,
    ROUNDS,
    SEEN_BY,
)
from tables.run.family import Context

(NET0,) = (family for family in FAMILIES if family.name == "net0")


def test_only_our_own_policies_bid_in_the_training():
    """The public bots and other outside bidders judge the net, so it never learns from them."""
    rounds = (*ROUNDS, LAST_ROUND)
    texts = {SEEN_BY, *FIRST_POLICIES, *LATER_POLICIES, *PASS_POLICIES}
    texts |= {text for row in rounds for text in row.policies}
    assert all(parse_agent(text).policy == text for text in texts)
    assert {text.partition(":")[0] for text in texts} <= set(SERVED)


@pytest.mark.compiled
def test_an_interrupted_training_goes_on_after_the_part_that_ended(source, tmp_path, monkeypatch):
    """Of eight parts for six batches, two have none."""
    monkeypatch.setattr(training, "BATCH", 16)
    stage, train_part = ROUNDS[0]._replace(epochs=3), training._train_part
    weights = net.first_weights(np.random.default_rng(1), (16, 8))

    def trained(folder, parts):
        monkeypatch.setattr(training, "PARTS", parts)
        context = Context(NET0, 1, 1.0, {}, LocalThreads(1), tmp_path / folder, progress=False)
        return training._train_round(context, stage, source, weights)

    calls = []

    def counted(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return train_part(*arguments)

    whole, whole_error = trained("whole", 1)
    monkeypatch.setattr(training, "_train_part", counted)
    with pytest.raises(KeyboardInterrupt):
        trained("parts", 8)
    parts, error = trained("parts", 8)
    assert len(calls) == 4 + 5, "three parts ended, the fourth was interrupted, and five were left"
    assert error == whole_error
    for name in NET:
        assert np.array_equal(parts[name], whole[name]), name
        assert not np.array_equal(whole[name], weights[name]), name
