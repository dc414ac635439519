"""Play many games step by step, for matches with outside bidders, public bots or noise.

Compiled code continues every game until an outside bidder has to bid. All waiting positions of one bidder go into one
batch of requests. With their bids the games continue, until all are over. Deals, bids and play are the kernels of
`tables.engine.game`, so a built-in bidder plays the same games here and in `tables.engine.selfplay`. Outside bidders
only bid on hands that they see, never a blind nil. Public bots are kernels, so games do not wait for them.
"""

import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.decks import CARD_NAMES
from service.bidding.game.rules import Rules, overrides_of
from service.bidding.game.scoring import game_winner
from service.bidding.game.variants import deck_number, deck_of
from service.bidding.policies import parse_policy
from service.bidding.policy import Policy
from service.bidding.table_views import Tables
from service.playing.state import PlayState
from service.playing.tricks import carry_rules
from tables.arena.bidders import OutsideBidder, bot_of, is_outside, open_bidder
from tables.arena.public.bots import public_bid
from tables.engine.deal import Deals, carry_passes, seed_rng
from tables.engine.game import (
    DRAWS,
    GAMES,
    MOST_ROUNDS,
    PAIR_DD,
    PAIR_DR,
    PAIR_RR,
    WINS_A,
    Game,
    Lineup,
    Totals,
    begin_round,
    bid_seat,
    close_round,
    play_out,
    turn_of,
    with_noise,
)
from tables.engine.jit import entry
from tables.engine.simulate import numba_typed
from tables.engine.states import STATE, plain_state

# Columns of a game's row. NEXT is the seat to bid, -1 before the deal.
PAIR, SWAP, NUMBER, NEXT, POINTS_A, POINTS_B, BAGS_A, BAGS_B, RESULT, OVER, CELLS = range(11)
NOISE_STREAM = 1 << 20  # first stream of the noise's random numbers; deals use the round's number as their stream
NO_ANSWER = -1
POLICY, ASKED, FIRST_BOT = 0, 1, 2  # who bids from a chair; a public bot is FIRST_BOT and its number


class Boards(NamedTuple):
    """The state of n games in progress."""

    states: Any  # play states, by game
    games: Any  # int64 (n, CELLS)
    answers: Any  # int64 (n,): the bid that an outside bidder gave, or NO_ANSWER
    waiting: Any  # int64 (n,): numbers of the games that wait for an outside bidder


def _advance(
    boards: Boards, seed: int, rules: Rules, lineup: Lineup, kinds: Any, noise: float, profiles: Any, sums: Any
) -> int:
    # kinds (4,): who bids from each chair. Returns how many games wait.
    states, games, answers, waiting = boards
    n = 0
    for g in range(games.shape[0]):
        game = games[g]
        state = states[g]
        identity = Game(seed, game[PAIR], game[SWAP])
        while game[OVER] == 0:
            turn = turn_of(identity, game[NUMBER])
            totals = Totals(game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B])
            if game[NEXT] < 0:
                carry_rules(state, rules)
                carry_passes(state, rules)
                begin_round(state, identity, game[NUMBER], lineup.players, totals)
                if noise > 0.0:
                    seed_rng(state, seed, game[PAIR], NOISE_STREAM + 2 * game[NUMBER] + game[SWAP])
                game[NEXT] = 0
            while game[NEXT] < 4:
                seat = game[NEXT]
                chair = (turn + seat) & 3
                if kinds[chair] == POLICY:
                    bid = bid_seat(state, seat, rules, lineup.policies[chair], profiles)
                elif kinds[chair] >= FIRST_BOT:
                    bid = public_bid(kinds[chair] - FIRST_BOT, state, seat, rules)
                elif answers[g] == NO_ANSWER:
                    break
                else:
                    bid = answers[g]
                    answers[g] = NO_ANSWER
                if noise > 0.0:
                    bid = with_noise(state, bid, noise)
                state.bid[seat] = bid
                game[NEXT] += 1
            if game[NEXT] < 4:
                waiting[n] = g
                n += 1
                break
            play_out(state)
            totals = close_round(state, turn, totals, rules, sums)
            game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B] = totals
            game[RESULT] = game_winner(totals.score_a, totals.score_b, rules)
            game[NUMBER] += 1
            game[NEXT] = -1
            if game[RESULT] != 0 or game[NUMBER] == MOST_ROUNDS:
                game[OVER] = 1
    return n


advance = entry(_advance)


def _kind(bidder: str) -> int:
    bot = bot_of(bidder)
    return (ASKED if is_outside(bidder) else POLICY) if bot is None else FIRST_BOT + bot


def play_outside(
    bidders: tuple[str, str, str, str],
    noise: float,
    deals: Deals,
    rules: Rules,
    players: NDArray[np.int64],
    profiles: tuple[Tables, ...],
    scores: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    """Play the pairs ``deals`` of ``bidders`` (by chair) in lockstep.

    Fills ``scores`` (pairs, 2) and adds to ``sums``, as `selfplay.play_pairs` does. Raises `BidderError`.
    """
    n = 2 * (deals.last - deals.first)
    states = np.zeros(n, STATE)
    states["deck"] = np.uint64(deck_of(rules)).astype(np.int64)  # with 16 spades, the sign bit is a card
    games = np.zeros((n, CELLS), np.int64)
    games[:, PAIR] = deals.first + np.arange(n) // 2
    games[:, SWAP] = np.arange(n) % 2
    games[:, NEXT] = -1
    answers = np.full(n, NO_ANSWER, np.int64)
    waiting = np.zeros(n, np.int64)
    kinds = np.array([_kind(text) for text in bidders], np.int64)
    policies = tuple(
        numba_typed(Policy() if is_outside(text) else parse_policy(text, rules.variant)) for text in bidders
    )
    lineup = Lineup(policies, players)
    boards = Boards(states, games, answers, waiting)
    asked_rules = {"preset": "classic"} | overrides_of(rules)
    names = CARD_NAMES[deck_number(rules)]
    opened: dict[str, OutsideBidder] = {}
    try:
        for text, kind in zip(bidders, kinds, strict=True):
            if kind == ASKED and text not in opened:
                opened[text] = open_bidder(text)
        while True:
            asked = advance(boards, deals.seed, rules, lineup, kinds, noise, profiles, sums)
            if asked == 0:
                break
            batches: dict[str, list[int]] = {}
            for g in waiting[:asked].tolist():
                pair, swap, number, seat = games[g, : NEXT + 1].tolist()
                chair = (turn_of(Game(deals.seed, pair, swap), number) + seat) & 3
                batches.setdefault(bidders[chair], []).append(g)
            for text, batch in batches.items():
                board = [(plain_state(states[g]), games[g].tolist()) for g in batch]
                requests = [request_of(state, game, deals.seed, asked_rules, names) for state, game in board]
                answers[batch] = opened[text].bids(requests)
    finally:
        for bidder in opened.values():
            bidder.close()
    scores[:] = games[:, RESULT].reshape(-1, 2)
    points = (games[:, POINTS_A] - games[:, POINTS_B]).reshape(-1, 2).sum(axis=1)
    rounds = games[:, NUMBER].reshape(-1, 2).sum(axis=1)
    sums[GAMES] += n
    sums[WINS_A] += int((scores == 1).sum())
    sums[DRAWS] += int((scores == 0).sum())
    sums[PAIR_DD] += int((points * points).sum())
    sums[PAIR_DR] += int((points * rounds).sum())
    sums[PAIR_RR] += int((rounds * rounds).sum())


def request_of(
    state: PlayState, game: list[int], seed: int, rules: dict[str, Any], names: Mapping[int, str]
) -> dict[str, Any]:
    """Return the POST /bid request for the position in which a game waits.

    ``names``: those of the deck's cards. The request's `seed` depends on match, game, round and seat, so that a bidder
    can repeat its random numbers.
    """
    seat = game[NEXT]
    us = seat & 1
    hand = state.hand[seat]
    lots = f"{seed}/{game[PAIR]}/{game[SWAP]}/{game[NUMBER]}/{seat}"
    return {
        "hand": [names[card] for card in range(63, -1, -1) if hand >> card & 1],
        "previous_bids": ["blind_nil" if bid == 14 else bid for bid in state.bid[:seat]],
        "seat": seat,
        "scores": {
            "us": state.score[us],
            "them": state.score[1 - us],
            "us_bags": state.bags[us],
            "them_bags": state.bags[1 - us],
        },
        "convention": "none",
        "rules": rules,
        "seed": zlib.crc32(lots.encode()) & 0x7FFFFFFF,
        "explain": False,
    }
