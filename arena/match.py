"""Play a match: two bidders play the same deals twice with the sides swapped, in chunks of pairs.

Deals depend on the seed and the pair's number. Chunks are added in index order, and a sequential test looks at the
result after each complete chunk. So the result of a match depends only on its `Match` and on the tables, and not on
the number of threads or machines. `stats` computes the statistics, and `result` presents them.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arena import stats
from arena.agents import Agent, parse_agent, parse_player_agent
from arena.called import CalledAgent, Resources
from arena.chunks import Arrays, Executor, LocalThreads
from arena.counters import MATCH_SUMS
from arena.engine.deal import Deals
from arena.engine.simulate import KernelTables, tables_for
from arena.errors import AgentError, ArenaError
from arena.games import NOBODY, Lineup, play_pairs
from arena.players.choose_card import UCT2
from arena.players.names import parse_player
from arena.questions import BID, CARD, QUESTIONS, Answering
from arena.store import KeptChunks
from spades.inference import HolderNet
from spades.options import Policy
from spades.policies import parse_policy
from spades.rules import Rules, make_rules
from spades.tables import Tables

CHUNK_PAIRS = 250  # compiled: about 20 ms
SAMPLING_CHUNK_PAIRS = 10  # with a player that samples deals; such a game is about 100 times slower
OUTSIDE_CHUNK_PAIRS = 500  # 1,000 games in the same round: hundreds of positions in each call of an agent
PAPER_RULES = make_rules("classic", {"win": 200, "lose": -100})  # the goals of ECAI 2020, section 5.1
MOST_SEED = 2**31 - 1
Nets: TypeAlias = Mapping[str, HolderNet]  # by the policy whose bids they read


@dataclass(frozen=True)
class Match:
    """Everything besides the tables that determines the games of a match.

    ``a`` and ``b`` are texts of agents that bid (`arena.agents`). ``players`` are the card players of side a and side
    b, or of the chairs a0, b0, a1 and b1, for agents that do not name or play their own cards. With ``mixed``, side a
    consists of one bidder a and one bidder b, and side b of two bidders b. ``noise`` is the probability that a bid is
    changed by one trick up or down, drawn separately for each bid.
    """

    a: str
    b: str
    players: tuple[str, ...] = ("srp", "srp")
    pairs: int = 10_000
    rules: Rules = PAPER_RULES
    seed: int = 1
    mixed: bool = False
    noise: float = 0.0
    sprt: tuple[float, float] | None = None  # elo0, elo1

    def __post_init__(self) -> None:
        if len(self.players) not in (2, 4):
            raise ArenaError(f"players are {self.players}; accepted: one for each side, or one for each chair")
        for agent in self.agents:
            agent.check(self.rules, bidding=True)
        for player in self.card_players:
            player.check(self.rules, bidding=False)
        if self.pairs < 1:
            raise ArenaError(f"pairs is {self.pairs}; accepted: 1 or more")
        if not 0 <= self.seed <= MOST_SEED:
            raise ArenaError(f"seed is {self.seed}; accepted: 0 to {MOST_SEED}")
        if not 0 <= self.noise <= 1:
            raise ArenaError(f"noise is {self.noise}; accepted: 0 to 1")
        if self.sprt is not None and not self.sprt[0] < self.sprt[1]:
            raise ArenaError(f"Elo bounds are {self.sprt}; accepted: the first below the second")

    @property
    def agents(self) -> tuple[Agent, Agent, Agent, Agent]:
        """Return who bids, by chair: a0, b0, a1, b1."""
        a, b = parse_agent(self.a), parse_agent(self.b)
        return a, b, b if self.mixed else a, b

    @property
    def policies(self) -> tuple[Policy, ...]:
        """Return the policies of compiled bidders, by chair; for others, one that is not used."""
        texts = (agent.policy for agent in self.agents)
        return tuple(Policy() if text is None else parse_policy(text, self.rules.variant) for text in texts)

    @property
    def card_players(self) -> tuple[Agent, ...]:
        """Return who plays the cards of agents that do not play their own, by chair."""
        named = map(parse_player_agent, self.players_by_chair)
        return tuple(agent.cards or player for agent, player in zip(self.agents, named, strict=True))

    @property
    def players_shown(self) -> list[str]:
        """Return who plays cards, with versions: by side, or by chair if partners differ. Reads Python agents."""
        shown = [
            (agent if agent.plays_its_cards() else player).version()
            for agent, player in zip(self.agents, self.card_players, strict=True)
        ]
        return shown[:2] if len(self.players) == 2 and shown[:2] == shown[2:] else shown

    def versions(self) -> dict[str, str]:
        """Return the versions of the models and of the table sets of agents, by text of the agent."""
        named = {text: parse_agent(text).called for text in (self.a, self.b, *self.players)}
        versions = {text: called.folder_version() for text, called in named.items() if called is not None}
        return {text: version for text, version in versions.items() if version}

    @property
    def may_differ_on_repeat(self) -> bool:
        """Return whether a file or a server decides, so that the match may not be repeatable."""
        return any(called.outside for called in self.called_agents)

    @property
    def called_agents(self) -> list[CalledAgent]:
        """Return the agents that Python calls, as bidders and as card players."""
        return [agent.called for agent in (*self.agents, *self.card_players) if agent.called is not None]

    @property
    def players_by_chair(self) -> tuple[str, str, str, str]:
        """Return the card players by chair: a0, b0, a1, b1."""
        a0, b0, a1, b1 = self.players if len(self.players) == 4 else self.players * 2
        return a0, b0, a1, b1

    @property
    def searches(self) -> bool:
        """Return whether a card player of the match searches."""
        return any(called.searches for called in self.called_agents)

    @property
    def arrays(self) -> list[str]:
        """Return the names of the arrays of the tables that agents which Python calls read."""
        return [name for called in self.called_agents for name in called.arrays()]

    @property
    def chunk_pairs(self) -> int:
        """Return the pairs per chunk.

        Only the match determines it, because a sequential test evaluates the result after each chunk.
        """
        if self.searches or any(player.player and player.player.number == UCT2 for player in self.card_players):
            return SAMPLING_CHUNK_PAIRS
        return OUTSIDE_CHUNK_PAIRS if self.called_agents else CHUNK_PAIRS

    @property
    def chunks(self) -> int:
        """Return the number of chunks, which is also the largest useful number of threads."""
        return -(-self.pairs // self.chunk_pairs)


class Played(NamedTuple):
    """The results of a match's games."""

    scores: NDArray[np.int64]  # (pairs, 2): results of each pair's two games: 1 if a won, 0 drawn, -1 lost
    sums: np.void  # of `MATCH_SUMS`
    seconds: float
    test: stats.Sequential | None


def play_part(match: Match, tables: KernelTables, read: Resources, first: int, last: int) -> dict[str, NDArray[Any]]:
    """Play the pairs from ``first`` to ``last - 1``. An agent in several chairs is opened once.

    Return `scores`, int64 (pairs, 2), and `sums`, the floats of `MATCH_SUMS`. ``tables``: of the compiled bidders;
    ``read``: what agents that Python calls read.
    """
    lineup = lineup_of(match, read)
    try:
        scores, sums = play_pairs(Deals(match.seed, first, last), match.rules, lineup, tables)
    finally:
        for agent in lineup.agents:
            agent.close()
    return {"scores": scores, "sums": sums}


def lineup_of(match: Match, read: Resources) -> Lineup:
    """Return who bids and plays in a match; the caller closes its agents. Raises `AgentError` or `BidderError`."""
    opened: dict[CalledAgent, Answering] = {}
    called = {question: [NOBODY] * 4 for question in range(len(QUESTIONS))}
    asked_from = [0] * 4

    def number_of(agent: CalledAgent) -> int:
        if agent not in opened:
            opened[agent] = agent.opened(match.rules, read)
        return list(opened).index(agent)

    for place, (agent, player) in enumerate(zip(match.agents, match.card_players, strict=True)):
        if agent.called is not None:
            if BID not in agent.called.questions():
                raise AgentError(f"agent is {agent.text!r}, which does not answer for bids; accepted: one that does")
            for question in agent.called.questions() - (set() if agent.plays_its_cards() else {CARD}):
                called[question][place] = number_of(agent.called)
        if player.called is not None and called[CARD][place] == NOBODY:
            if CARD not in player.called.questions():
                accepted = "one with a method card, or with cards=on"
                raise AgentError(f"player is {player.text!r}, which plays no cards; accepted: {accepted}")
            called[CARD][place], asked_from[place] = number_of(player.called), player.called.asked_from
    # The compiled players; the cards that a search, a net or a program chooses replace those of SRP.
    rows = [player.player or parse_player("srp") for player in match.card_players]
    return Lineup(
        match.policies,
        np.array(rows, np.int64),
        match.noise,
        np.array([player.blend or 0.0 for player in match.card_players]),
        list(opened.values()),
        called,
        asked_from,
    )


def _resources(match: Match, tables: tuple[Tables, ...], nets: Nets, arrays: Arrays) -> Resources:
    """Return what the agents of a match read. Raises `ArenaError` if ``arrays`` lack one of them."""
    for called in match.called_agents:
        for name in called.arrays():
            if name not in arrays:
                raise ArenaError(f"found no table {name} for {called}; accepted: tables that have it")
    return Resources({name: arrays[name] for name in match.arrays}, nets, tables if match.searches else ())


def play(
    match: Match,
    tables: tuple[Tables, ...],
    executor: Executor,
    progress: bool = False,
    nets: Nets | None = None,
    arrays: Arrays | None = None,
    kept: Path | None = None,
) -> Played:
    """Play a match's chunks on ``executor`` until all pairs are done or the match's sequential test has decided.

    ``nets``: holder nets by policy, for searching players that infer cards from bids. ``arrays``: of the tables, for
    agents that Python calls. ``kept``: folder for finished chunks; its name is a hash of everything that determines
    them (`result.decided_by`).
    """
    policies = match.policies
    read = _resources(match, tables, nets or {}, arrays or {})
    part, size = partial(play_part, match, tables_for(tables, match.rules, policies), read), match.chunk_pairs

    def chunk(index: int) -> Arrays:
        return part(index * size, min(match.pairs, (index + 1) * size))

    if isinstance(executor, LocalThreads):
        part(0, 1)  # compile before the clock starts
    started = time.monotonic()
    scores: list[NDArray[np.int64]] = []
    sums = np.zeros(1, MATCH_SUMS).view(np.float64)
    counts = np.zeros(5, np.int64)
    test: stats.Sequential | None = None
    bar = tqdm(total=match.pairs, desc=f"{match.a} v {match.b}", unit="pair", disable=None if progress else True)
    chunks = executor if kept is None else KeptChunks(executor, kept)
    results = chunks.map(chunk, range(match.chunks))
    with bar, closing(results):  # closing cancels the chunks that a decided test does not need
        for played in _in_order(results):
            scores.append(played["scores"])
            sums += played["sums"]
            counts += stats.pair_counts(played["scores"])
            bar.update(len(played["scores"]))
            estimate = f"{float(counts @ np.array(stats.PAIR_SCORES)) / int(counts.sum()):.4f}"
            if match.sprt is not None:
                test = stats.sequential_test(counts.tolist(), *match.sprt)
                estimate += f" llr {test.llr:+.2f} [{test.lower:.2f}, {test.upper:.2f}]"
            bar.set_postfix_str(estimate)
            if test is not None and test.decision != "undecided":
                break
    return Played(np.concatenate(scores), sums.view(MATCH_SUMS)[0], time.monotonic() - started, test)


def _in_order(results: Iterator[tuple[int, Arrays]]) -> Iterator[Arrays]:
    waiting: dict[int, Arrays] = {}
    following = 0
    for index, arrays in results:
        waiting[index] = arrays
        while following in waiting:
            yield waiting.pop(following)
            following += 1
