"""The training of `winprob`: who bids in it."""

from arena.agents import parse_agent
from spades.policies import SERVED
from tables.learning.training import FIRST_POLICIES, LATER_POLICIES, ROUNDS, SEEN_BY


def test_only_our_own_policies_bid_in_the_training():
    """The public bots and other outside bidders judge the net, so it never learns from them."""
    texts = {SEEN_BY, *FIRST_POLICIES, *LATER_POLICIES, *(text for row in ROUNDS for text in row.policies)}
    assert all(parse_agent(text).policy == text for text in texts)
    assert {text.partition(":")[0] for text in texts} <= set(SERVED)
