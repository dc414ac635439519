"""Parse and format the texts of the learned players `q`, `q@2` and `q@1:net=linear,reward=tricks`, and of `random`.

A learned player also bids, so the same texts name bidders.
"""

from typing import NamedTuple

from arena.players.names import PlayerError

NETS = ("linear", "conv")
REPORT_REWARDS = ("tricks", "bid", "score")  # those of the report; `tables.learning.q1_training` explains all
REWARDS = (*REPORT_REWARDS, "return")
NAMES = {"q@1": "q@1", "q@2": "q@2", "q": "q@2", "random": "random"}
_OPTIONS = {"net": NETS, "reward": REWARDS}


class QPlayer(NamedTuple):
    """A learned player, or the player of random legal cards. The options belong to q@1 alone."""

    name: str
    net: str = NETS[1]
    reward: str = REWARDS[2]

    def __str__(self) -> str:
        return f"{self.name}:net={self.net},reward={self.reward}" if self.name == "q@1" else self.name


def parse_q(text: str) -> QPlayer | None:
    """Return the learned player that a text names, or None if it names none. Raises `PlayerError`.

    >>> str(parse_q("q@1:reward=tricks")), str(parse_q("q")), parse_q("srp")
    ('q@1:net=conv,reward=tricks', 'q@2', None)
    """
    name, colon, rest = text.partition(":")
    if name not in NAMES:
        return None
    values: dict[str, str] = {}
    for option in rest.split(",") if colon else ():
        key, _, value = option.partition("=")
        if NAMES[name] != "q@1" or key not in _OPTIONS or key in values:
            accepted = " and ".join(f"{key}=VALUE" for key in _OPTIONS)
            raise PlayerError(f"{text}: option is {option!r}; accepted: {accepted}, each at most once, only for q@1")
        if value not in _OPTIONS[key]:
            raise PlayerError(f"{text}: {key} is {value!r}; accepted: {', '.join(_OPTIONS[key])}")
        values[key] = value
    return QPlayer(NAMES[name], **values)
