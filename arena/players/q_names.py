"""Read and write the names of the learned player `q@1(net=linear, reward=tricks)`, or `q`, and of `random`.

The learned player also bids, so the same texts name bidders.
"""

from typing import NamedTuple

from arena.agent_text import AgentText, one_of, parse_text, read_options

NETS = ("linear", "conv")
REPORT_REWARDS = ("tricks", "bid", "score")  # those of the report; `tables.learning.q1_training` explains all
REWARDS = (*REPORT_REWARDS, "return")
NAMES = {"q@1": "q@1", "q": "q@1", "random": "random"}
Q1_OPTIONS = (
    one_of("net", NETS, NETS[1], "the kind of net"),
    one_of("reward", REWARDS, REWARDS[2], "what the player learned to gain"),
)


class QPlayer(NamedTuple):
    """A learned player, or the player of random legal cards. The options belong to q@1 alone."""

    name: str
    net: str = NETS[1]
    reward: str = REWARDS[2]

    def __str__(self) -> str:
        return str(AgentText(self.name, {"net": self.net, "reward": self.reward} if self.name == "q@1" else {}))


def parse_q(text: str) -> QPlayer | None:
    """Return the learned player that a text names, or None if it names none. Raises `AgentError`.

    >>> str(parse_q("q(reward=tricks)")), str(parse_q("random")), parse_q("srp")
    ('q@1(net=conv, reward=tricks)', 'random', None)
    """
    parsed = parse_text(text)
    if parsed.name not in NAMES:
        return None
    name = NAMES[parsed.name]
    return QPlayer(name, **read_options(parsed, Q1_OPTIONS if name == "q@1" else ()))
