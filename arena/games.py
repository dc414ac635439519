"""Play whole games, many at once.

Every game of a batch is in the same round. Compiled code deals, bids and plays (`arena.engine.rounds`), up to the
decisions of agents that Python calls: nets, models of people, searches, public bots, and programs outside. All
positions in which one agent has to answer one question go into one call. With the answers the round goes on.

Who sits in a chair does not matter to the loop, nor whether two sides play or, in cutthroat, four players alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.counters import MATCH_SUMS, count_match
from arena.engine.deal import NO_ANSWER, Deals
from arena.engine.rounds import COMPILED, Batch, Ints, allowed_masks, legal_masks, to_play
from arena.engine.simulate import KernelTables, policy_rows
from arena.errors import BidderError
from arena.questions import BID, BLIND, CARD, PASS, QUESTIONS, Answering, Asked, unsigned
from spades.cards import CARD_NAMES
from spades.legal import deck_number, is_nil
from spades.options import Policy
from spades.passing import cards_to_pass, given_cards
from spades.rules import CUTTHROAT, Rules

MOST_ROUNDS = 200  # a longer game is a draw (never seen; a guard against endless ties)
# By chair, the index in a lineup (a0, b0, a1, b1). In cutthroat, the players of a side sit next to each other, not
# opposite, because bidders and card players made for partnerships help the player opposite.
SEATING, ALONE = (0, 1, 2, 3), (0, 2, 1, 3)
NOBODY = -1


@dataclass(frozen=True)
class Lineup:
    """Who bids and plays in the places a0, b0, a1 and b1, each field by place.

    Agents of `called` answer in Python: by question, an index of `agents`, or NOBODY if compiled code decides.
    """

    policies: Sequence[Policy]  # of compiled bidders
    players: Ints  # int64 (4, 2), or by game (n, 4, 2): number and pieces of the compiled card player
    noise: float = 0.0  # the probability that a bid is moved by one
    blends: NDArray[np.float64] = field(default_factory=lambda: np.zeros(4))  # how often the player plays as WRP
    agents: Sequence[Answering] = ()
    called: Mapping[int, Sequence[int]] = field(default_factory=dict)
    asked_from: Sequence[int] = (0, 0, 0, 0)  # the first place of a round whose card Python chooses

    def seated(self, places: Sequence[int]) -> "Lineup":
        """Return the lineup in the order of ``places``."""
        order = list(places)
        return Lineup(
            [self.policies[place] for place in order],
            self.players[..., order, :],
            self.noise,
            self.blends[order],
            self.agents,
            {question: [who[place] for place in order] for question, who in self.called.items()},
            [self.asked_from[place] for place in order],
        )


class Games(NamedTuple):
    """The results of n games, by game."""

    results: Ints  # (n,): 1 if side a won, -1 if side b won, 0 for a draw
    points: Ints  # (n,): points of side a minus those of side b
    rounds: Ints  # (n,)


def pairs_of(deals: Deals, rules: Rules) -> Batch:
    """Return the games of the duplicate pairs ``deals``, before the first round: the two games of a pair in turn.

    In a partnership game the players move on by one chair in the second game of a pair. Odd pairs start two chairs
    later, so that each of two different partners sits in every seat equally often. In cutthroat they move by two.
    """
    n = 2 * (deals.last - deals.first)
    pairs, swaps = deals.first + np.arange(n) // 2, np.arange(n) % 2
    moved = 2 * swaps + (pairs & 1) if rules.variant == CUTTHROAT else swaps + 2 * (pairs & 1)
    return Batch(rules, pairs, moved & 3, swaps)


def play_games(
    batch: Batch, lineup: Lineup, seed: int, profiles: KernelTables, most_rounds: int = MOST_ROUNDS
) -> Iterator[Ints]:
    """Play ``batch`` to the end of its games, and yield after each round.

    Yields the results (n,) so far: 1 if side a has won, -1 if side b has, 0 otherwise. Only the games that are
    ``batch.active`` have played the round. ``profiles``: from `tables_for`.
    """
    places = ALONE if batch.rules.variant == CUTTHROAT else SEATING
    sides = np.array(places) & 1
    results = np.zeros(len(batch.rounds), np.int64)
    table = _Table(batch, lineup.seated(places), seed, profiles)
    for _ in range(most_rounds):
        if not batch.active.any():
            return
        table.play_round()
        ended = batch.score(sides)
        results[batch.active] = ended[batch.active]
        yield results
        batch.active &= results == 0
        batch.go_on()


def play_pairs(
    deals: Deals, rules: Rules, lineup: Lineup, profiles: KernelTables
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Play the duplicate pairs ``deals``; return the results (pairs, 2) and the sums (`MATCH_SUMS`, as floats)."""
    sums = np.zeros(1, MATCH_SUMS)
    batch = pairs_of(deals, rules)
    games = _played(batch, lineup, deals.seed, profiles, sums)
    scores = games.results.reshape(-1, 2)
    points, rounds = (values.reshape(-1, 2).sum(axis=1) for values in (games.points, games.rounds))
    sums["games"] += len(games.results)
    sums["wins_a"] += int((scores == 1).sum())
    sums["draws"] += int((scores == 0).sum())
    sums["pair_dd"] += int((points * points).sum())
    sums["pair_dr"] += int((points * rounds).sum())
    sums["pair_rr"] += int((rounds * rounds).sum())
    return scores, sums.view(np.float64)


def play_rounds(
    deals: Deals, rules: Rules, lineup: Lineup, profiles: KernelTables
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Play single rounds at score 0, each twice, the second time with all players one seat further.

    Returns the points of side a minus those of side b (rounds, 2), and the sums (`MATCH_SUMS`, as floats).
    """
    n = 2 * (deals.last - deals.first)
    batch = Batch(rules, deals.first + np.arange(n) // 2, np.arange(n) % 2, np.arange(n) % 2)
    sums = np.zeros(1, MATCH_SUMS)
    games = _played(batch, lineup, deals.seed, profiles, sums, most_rounds=1)
    return games.points.reshape(-1, 2), sums.view(np.float64)


def _played(
    batch: Batch,
    lineup: Lineup,
    seed: int,
    profiles: KernelTables,
    sums: NDArray[np.void],
    most_rounds: int = MOST_ROUNDS,
) -> Games:
    n = len(batch.rounds)
    points, rounds, results = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    places = np.array(ALONE if batch.rules.variant == CUTTHROAT else SEATING)
    for so_far in play_games(batch, lineup, seed, profiles, most_rounds):
        count_match(batch.rounds, batch.active, batch.rules, places, points, sums)
        rounds += batch.active
        results = so_far
    return Games(results, points, rounds)


class _Table:
    """Plays rounds of a batch, with the questions to agents that Python calls."""

    def __init__(self, batch: Batch, lineup: Lineup, seed: int, profiles: KernelTables) -> None:
        self.batch, self.lineup, self.seed, self.profiles = batch, lineup, seed, profiles
        self.policies = policy_rows(lineup.policies)
        nobody = [NOBODY] * 4
        self.who = {question: np.array(lineup.called.get(question, nobody)) for question in range(len(QUESTIONS))}

    def play_round(self) -> None:
        """Play the next round of the active games."""
        batch, lineup = self.batch, self.lineup
        batch.deal(self.seed, lineup.players)
        batch.blend(lineup.blends)
        if lineup.noise > 0.0:
            batch.seed_noise(self.seed)
        self._bid()
        if (self.who[PASS] != NOBODY).any():
            self._exchange()
        else:
            batch.exchange()
        self._play()

    def _bid(self) -> None:
        batch, lineup = self.batch, self.lineup
        chairs = batch.chairs()
        bidders = np.where(self.who[BID][chairs] == NOBODY, chairs, NO_ANSWER)
        answers = np.full(len(chairs), NO_ANSWER, np.int64)
        while True:
            batch.bid(self.policies, self.profiles, bidders, answers, lineup.noise)
            waiting = np.flatnonzero(batch.next_bid < 4)
            if not len(waiting):
                return
            if batch.rules.blind_nil or batch.rules.blind_min:
                asked = waiting[self._agents(BLIND, waiting, batch.next_bid[waiting]) != NOBODY]
                blind = self._answers(BLIND, asked, batch.next_bid[asked])
                answers[asked[blind > 0]] = blind[blind > 0]
                waiting = waiting[answers[waiting] == NO_ANSWER]
            answers[waiting] = self._answers(BID, waiting, batch.next_bid[waiting])

    def _play(self) -> None:
        batch, who = self.batch, self.who[CARD]
        asked_from = np.where(who == NOBODY, COMPILED, self.lineup.asked_from)[batch.chairs()]
        answers = np.full(len(asked_from), NO_ANSWER, np.int64)
        while True:
            batch.play(asked_from, answers)
            waiting = np.flatnonzero(batch.next_card < COMPILED)
            if not len(waiting):
                return
            answers[waiting] = self._answers(CARD, waiting, to_play(batch.states)[waiting])

    def _agents(self, question: int, rows: Ints, seats: Ints) -> Ints:
        # The agents (n,) that answer for these seats.
        agents: Ints = self.who[question][(self.batch.rounds["first_chair"][rows] + seats) & 3]
        return agents

    def _answers(self, question: int, rows: Ints, seats: Ints) -> Ints:
        # The answers (n,) of the agents, each of which is called once.
        agents = self._agents(question, rows, seats)
        answers = np.zeros(len(rows), np.int64)
        for agent in sorted(set(agents.tolist())):
            own = agents == agent
            at, seated = rows[own], seats[own]
            batch = self.batch
            asked = Asked(question, batch.states, batch.rounds, at, seated, self.seed, batch.rules)
            found = self.lineup.agents[agent].answers(asked)
            if question in (BID, CARD):
                _check(asked, found, type(self.lineup.agents[agent]).__name__)
            answers[own] = found
        return answers

    def _exchange(self) -> None:
        """Exchange cards between partners, as `arena.engine.playing.exchange` does, with the choices of who is called.

        In each of the four steps, one seat of every game gives: first the two of seats 0 and 2, then those of 1 and 3.
        """
        batch, rules = self.batch, self.batch.rules
        for step in range(4):
            called: list[tuple[int, int]] = []  # games and seats
            for g in np.flatnonzero(batch.active).tolist():
                state = batch.states[g]
                bids = state["bid"].tolist()
                first = step // 2 if is_nil(bids[step // 2]) else step // 2 + 2
                seat = first ^ 2 if step & 1 else first
                number = cards_to_pass(bids[seat], bids[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
                if not number:
                    continue
                if self._agents(PASS, np.array([g]), np.array([seat]))[0] != NOBODY:
                    called.append((g, seat))
                    continue
                hand, deck = unsigned((state["hand"][seat], state["deck"]))
                self._give(g, seat, given_cards(hand, bids[seat], number, deck), second=step & 1)
            if called:
                rows, seats = np.array(called, np.int64).T
                for (g, seat), given in zip(called, self._answers(PASS, rows, seats).tolist(), strict=True):
                    self._give(g, seat, given, second=step & 1)

    def _give(self, g: int, seat: int, given: int, second: int) -> None:
        """Let ``seat`` of game ``g`` give cards to partner; ``second``: 1 if partner has given already."""
        batch, partner, gift = self.batch, seat ^ 2, np.array(given).astype(np.int64)
        hands, passed, at_once = batch.states[g]["hand"], batch.rounds[g]["passed"], batch.rules.nil_passes_first
        passed[seat] = gift
        if second and not at_once:
            hands[seat] |= passed[partner]
        hands[seat] &= ~gift
        if second or at_once:
            hands[partner] |= gift


def _check(asked: Asked, answers: Ints, who: str) -> None:
    """Raise `BidderError` if the bids or cards (n,) of ``who`` are not all legal."""
    if answers.shape != asked.rows.shape:
        raise BidderError(f"{who}: answers have shape {answers.shape}; accepted: {asked.rows.shape}")
    allowed = (allowed_masks if asked.question == BID else legal_masks)(asked.states, asked.seats)
    legal = (answers >= 0) & (answers < 64) & (allowed >> (answers & 63) & 1 == 1)
    for i in np.flatnonzero(~legal).tolist():
        position, answer = asked.position(i), int(answers[i])
        accepted = [number for number in range(64) if allowed[i] >> number & 1]
        if asked.question == BID:
            accepted += position.blind_bids()
        if answer not in accepted:
            names = CARD_NAMES[deck_number(asked.rules)] if asked.question == CARD else {}
            shown = [str(names.get(number, number)) for number in (answer, *accepted)]
            found = f"{QUESTIONS[asked.question].field} is {shown[0]}; accepted: {', '.join(shown[1:])}"
            raise BidderError(f"{who}: {found}; {position}")
