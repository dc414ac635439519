"""Play many games step by step, for matches with agents that Python calls, public bots, blends or noise.

Compiled code continues every game until an agent that Python calls has to answer: to bid, to decide about a blind nil,
to pass or to play a card. All positions that wait for the same answer of the same agent go into one batch: of requests
to a program outside, or of positions for a net. With the answers the games continue, until all are over. Deals, bids
and play are the kernels of `arena.engine.game`, so a built-in agent plays the same games here and in
`arena.engine.selfplay`. Public bots are kernels, so games do not wait for them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.agents import Agent, Answering
from arena.chunks import Arrays
from arena.engine.deal import Deals, seed_rng, write_pass_rules
from arena.engine.game import (
    MOST_ROUNDS,
    Game,
    Lineup,
    Totals,
    begin_round,
    bid_seat,
    close_round,
    first_chair_of,
    with_noise,
)
from arena.engine.jit import entry
from arena.engine.passing import exchange
from arena.engine.simulate import numba_typed
from arena.engine.steps import Ints, to_play
from arena.errors import AgentError
from arena.players.choose_card import WRP, choose_card
from arena.public.bots import public_bid
from arena.questions import BID, BLIND, CARD, PASS, QUESTIONS, Asked, Identity, unsigned
from arena.tally import add_games, begun_games
from spades.legal import BLIND_NIL, is_nil
from spades.options import Policy
from spades.passing import cards_to_pass, given_cards
from spades.play import legal_cards, play_card, write_rules
from spades.policies import parse_policy
from spades.random_numbers import hash_uniform
from spades.rules import Rules
from spades.scoring import game_winner
from spades.tables import Tables

# Columns of a game's row; the first two are those of `begun_games`. NEXT is the seat to bid, -1 before the deal; after
# the bids EXCHANGE, and then FIRST_PLAY plus the number of cards played. LOOKED: 1 if the seat to bid has decided
# against a blind nil. QUESTION: what a waiting game waits for.
PAIR, SWAP, NUMBER, NEXT, POINTS_A, POINTS_B, BAGS_A, BAGS_B, RESULT, OVER, LOOKED, QUESTION, CELLS = range(13)
NOISE_STREAM = 1 << 20  # first stream of the noise's random numbers; deals use the round's number as their stream
BLEND_SEED = 1 << 40  # added to a deal's random word, so that blends draw other numbers than blind nils
EXCHANGE, FIRST_PLAY, OVER_PLAY = 4, 5, 5 + 52
NO_ANSWER = -1
POLICY, CALLED, FIRST_BOT = 0, 1, 2  # who bids from a chair; a public bot is FIRST_BOT and its number


class Boards(NamedTuple):
    """The state of n games in progress."""

    states: Any  # play states, by game
    games: Any  # int64 (n, CELLS)
    answers: Any  # int64 (n,): the answer that a game waited for, or NO_ANSWER
    waiting: Any  # int64 (n,): numbers of the games that wait for one
    dealt: Any  # int64 (n, 4): the hands as they were dealt, by seat
    given: Any  # int64 (n, 4): the cards that each seat gave to partner, where Python exchanges them
    cards: Any  # int64 (n, 52): the cards of the round in order of play


class Chairs(NamedTuple):
    """Who bids and plays, by chair."""

    kinds: Any  # int64 (4,): who bids
    blind: Any  # bool (4,): whether Python decides about blind nils
    plays: Any  # bool (4,): whether Python plays the cards
    blends: Any  # float64 (4,): how often the card player plays a round as WRP
    exchanges: bool  # whether Python exchanges the cards that partners pass


def _advance(
    boards: Boards, seed: int, rules: Rules, lineup: Lineup, chairs: Chairs, noise: float, profiles: Any, sums: Any
) -> int:
    # Returns how many games wait.
    kinds = chairs.kinds
    states, games, answers, waiting = boards.states, boards.games, boards.answers, boards.waiting
    n = 0
    for g in range(games.shape[0]):
        game = games[g]
        state = states[g]
        identity = Game(seed, game[PAIR], game[SWAP])
        while game[OVER] == 0:
            first_chair = first_chair_of(identity, game[NUMBER])
            totals = Totals(game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B])
            if game[NEXT] < 0:
                write_rules(state, rules)
                write_pass_rules(state, rules)
                begin_round(state, identity, game[NUMBER], lineup.players, totals)
                for seat in range(4):
                    boards.dealt[g, seat] = state.hand[seat]
                    boards.given[g, seat] = 0
                    share = chairs.blends[(first_chair + seat) & 3]
                    if share > 0.0 and hash_uniform(state.rng[seat] + BLEND_SEED) < share:
                        state.player[seat] = WRP
                if noise > 0.0:
                    seed_rng(state, seed, game[PAIR], NOISE_STREAM + 2 * game[NUMBER] + game[SWAP])
                game[NEXT] = 0
            while game[NEXT] < EXCHANGE:
                seat = game[NEXT]
                chair = (first_chair + seat) & 3
                if kinds[chair] == POLICY:
                    bid = bid_seat(state, seat, rules, lineup.policies[chair], profiles)
                elif kinds[chair] >= FIRST_BOT:
                    bid = public_bid(kinds[chair] - FIRST_BOT, state, seat, rules)
                else:
                    game[QUESTION] = BLIND if rules.blind_nil and chairs.blind[chair] and game[LOOKED] == 0 else BID
                    bid = answers[g]
                    if bid == NO_ANSWER:
                        break
                    answers[g] = NO_ANSWER
                    if game[QUESTION] == BLIND:
                        if bid == 0:
                            game[LOOKED] = 1
                            continue
                        bid = BLIND_NIL
                game[LOOKED] = 0
                if noise > 0.0:
                    bid = with_noise(state, bid, noise)
                state.bid[seat] = bid
                game[NEXT] += 1
            if game[NEXT] == EXCHANGE:
                passed = 0
                for seat in range(2):
                    passed += cards_to_pass(state.bid[seat], state.bid[seat + 2], state.passes[0], state.passes[1])
                if passed > 0 and chairs.exchanges and answers[g] == NO_ANSWER:
                    game[QUESTION] = PASS
                else:
                    if passed > 0 and not chairs.exchanges:
                        exchange(state)
                    answers[g] = NO_ANSWER
                    game[NEXT] = FIRST_PLAY
            while FIRST_PLAY <= game[NEXT] < OVER_PLAY:
                seat = (state.leader + state.trick_size) & 3
                if not chairs.plays[(first_chair + seat) & 3]:
                    card = choose_card(state, seat)
                elif answers[g] == NO_ANSWER:
                    game[QUESTION] = CARD
                    break
                else:
                    card = answers[g]
                    answers[g] = NO_ANSWER
                boards.cards[g, game[NEXT] - FIRST_PLAY] = card
                hand = state.hand[seat]
                state.choices += legal_cards(hand, state.trick_size, state.trick[0], state.broken).bit_count()
                play_card(state, seat, card)
                game[NEXT] += 1
            if game[NEXT] < OVER_PLAY:
                waiting[n] = g
                n += 1
                break
            totals = close_round(state, first_chair, totals, rules, sums)
            game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B] = totals
            game[RESULT] = game_winner(totals.score_a, totals.score_b, rules)
            game[NUMBER] += 1
            game[NEXT] = -1
            if game[RESULT] != 0 or game[NUMBER] == MOST_ROUNDS:
                game[OVER] = 1
    return n


advance = entry(_advance)


class Seated(NamedTuple):
    """Who bids and plays in the chairs a0, b0, a1, b1."""

    agents: tuple[Agent, Agent, Agent, Agent]
    card_players: tuple[Agent, ...]  # for agents that do not play their own cards
    nets: Arrays  # of all learned agents


class Called(NamedTuple):
    """Whom Python calls."""

    opened: list[Answering]
    by_question: dict[int, list[int]]  # by question and chair: an index of `opened`, -1 if compiled code decides


def play_outside(
    seated: Seated,
    noise: float,
    deals: Deals,
    rules: Rules,
    players: NDArray[np.int64],
    profiles: tuple[Tables, ...],
    scores: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    """Play the pairs ``deals`` in lockstep. ``players``: the card players of compiled code.

    Fills ``scores`` (pairs, 2) and adds to ``sums``, as `selfplay.play_pairs` does. Raises `AgentError`, `BidderError`
    or `TablesError`.
    """
    states, games = begun_games(deals, rules, CELLS)
    games[:, NEXT] = -1
    n, agents = len(games), seated.agents
    dealt, given, cards = (np.zeros((n, cells), np.int64) for cells in (4, 4, 52))
    boards = Boards(states, games, np.full(n, NO_ANSWER, np.int64), np.zeros(n, np.int64), dealt, given, cards)
    texts = [agent.policy for agent in agents]
    policies = tuple(numba_typed(Policy() if text is None else parse_policy(text, rules.variant)) for text in texts)
    called = _called(seated, rules)
    blind, plays = (np.array(called.by_question[question]) >= 0 for question in (BLIND, CARD))
    blends = np.array([player.blend or 0.0 for player in seated.card_players])
    exchanges = any(agent.outside for agent in (*agents, *seated.card_players))
    chairs = Chairs(np.array([_kind(agent) for agent in agents], np.int64), blind, plays, blends, exchanges)
    lineup = Lineup(policies, players)
    try:
        while waiting := advance(boards, deals.seed, rules, lineup, chairs, noise, profiles, sums):
            _answer(boards, boards.waiting[:waiting], called, deals.seed, rules)
    finally:
        for one in called.opened:
            one.close()
    points = games[:, POINTS_A] - games[:, POINTS_B]
    add_games(games[:, RESULT], points, games[:, NUMBER], scores, sums)


def _kind(agent: Agent) -> int:
    if agent.is_called:
        return CALLED
    return POLICY if agent.bot is None else FIRST_BOT + agent.bot


def _called(seated: Seated, rules: Rules) -> Called:
    """Return whom Python calls in each chair. An agent in several chairs is opened once."""
    called = Called([], {question: [-1] * 4 for question in (BID, CARD, PASS, BLIND)})
    numbers: dict[str, int] = {}  # by text of the agent

    def number_of(agent: Agent) -> int:
        if agent.text not in numbers:
            numbers[agent.text] = len(called.opened)
            called.opened.append(agent.opened(rules, seated.nets))
        return numbers[agent.text]

    for chair, (agent, player) in enumerate(zip(seated.agents, seated.card_players, strict=True)):
        if agent.is_called:
            for question in agent.questions() - (set() if agent.plays_its_cards() else {CARD}):
                called.by_question[question][chair] = number_of(agent)
        if player.is_called and called.by_question[CARD][chair] < 0:
            if CARD not in player.questions():
                accepted = "one with a method card, or with cards=on"
                raise AgentError(f"player is {player.text!r}, which plays no cards; accepted: {accepted}")
            called.by_question[CARD][chair] = number_of(player)
    return called


def _answer(boards: Boards, waiting: Ints, called: Called, seed: int, rules: Rules) -> None:
    """Write the answers of the games that wait. Each agent is called once for each question."""
    questions, places = boards.games[waiting, QUESTION], boards.games[waiting, NEXT]
    seats = np.where(places < EXCHANGE, places, to_play(boards.states[waiting]))
    who = np.array([called.by_question[question] for question in range(len(QUESTIONS))])
    agents = who[questions, _chairs_of(boards, waiting, seats)]
    for question, agent in sorted({*zip(questions.tolist(), agents.tolist(), strict=True)}):
        if question != PASS:
            batch = (questions == question) & (agents == agent)
            asked = _asked(boards, question, waiting[batch], seats[batch], seed, rules)
            boards.answers[waiting[batch]] = called.opened[agent].answers(asked)
    exchanging = waiting[questions == PASS]
    if len(exchanging):
        _exchange(boards, exchanging, called, seed, rules)
        boards.answers[exchanging] = 0


def _asked(boards: Boards, question: int, rows: Ints, seats: Ints, seed: int, rules: Rules) -> Asked:
    # ``rows``: numbers of the games.
    identities = [Identity(seed, *identity) for identity in boards.games[rows, : NUMBER + 1].tolist()]
    dealt, given, cards = boards.dealt[rows], boards.given[rows], boards.cards[rows]
    return Asked(question, boards.states[rows], seats, identities, dealt, given, cards, rules)


def _chairs_of(boards: Boards, rows: Ints, seats: Ints) -> Ints:
    pairs, swaps, numbers = (boards.games[rows, column] for column in (PAIR, SWAP, NUMBER))
    chairs: Ints = (numbers + swaps + 2 * (pairs & 1) + seats) & 3  # as `game.first_chair_of`
    return chairs


def _exchange(boards: Boards, waiting: Ints, called: Called, seed: int, rules: Rules) -> None:
    """Exchange cards between partners, as `arena.engine.passing.exchange` does, with the choices of who is called.

    In each of the four steps, one seat of every game gives: first the two of seats 0 and 2, then those of 1 and 3.
    """
    for step in range(4):
        batches: dict[int, list[tuple[int, int]]] = {}  # by agent: games and seats
        for g in waiting.tolist():
            bids = boards.states[g]["bid"].tolist()
            first = step // 2 if is_nil(bids[step // 2]) else step // 2 + 2
            seat = first ^ 2 if step & 1 else first
            number = cards_to_pass(bids[seat], bids[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
            (chair,) = _chairs_of(boards, np.array([g]), np.array([seat]))
            agent = called.by_question[PASS][chair]
            if number and agent >= 0:
                batches.setdefault(agent, []).append((g, seat))
            elif number:
                hand, deck = unsigned((boards.states[g]["hand"][seat], boards.states[g]["deck"]))
                _give(boards, g, seat, given_cards(hand, bids[seat], number, deck), rules, second=step & 1)
        for agent, batch in batches.items():
            rows, seats = np.array(batch, np.int64).T
            answers = called.opened[agent].answers(_asked(boards, PASS, rows, seats, seed, rules))
            for (g, seat), given in zip(batch, answers.tolist(), strict=True):
                _give(boards, g, seat, given, rules, second=step & 1)


def _give(boards: Boards, g: int, seat: int, given: int, rules: Rules, second: int) -> None:
    """Let ``seat`` of game ``g`` give cards to partner; ``second``: 1 if partner has given already."""
    hands, partner, gift = boards.states[g]["hand"], seat ^ 2, np.array(given).astype(np.int64)
    boards.given[g, seat] = gift
    if second and not rules.nil_passes_first:
        hands[seat] |= boards.given[g, partner]
    hands[seat] &= ~gift
    if second or rules.nil_passes_first:
        hands[partner] |= gift
