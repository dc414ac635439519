"""Play many games step by step, for matches with outside bidders, public bots, models, learned players or noise.

Compiled code continues every game until an outside bidder has to bid, or a learned player has to bid or play. All
positions that wait for the same outside bidder go into one batch of requests. Those that wait for the same learned
player go into one call of its net, and those for people or for a policy with its own tables into one call of `batched`.
With the answers the games continue, until all are over. Deals, bids and play are the kernels of `arena.engine.game`,
so a built-in bidder plays the same games here and in `arena.engine.selfplay`. Outside bidders only bid on hands that
they see, never a blind nil. Public bots are kernels, so games do not wait for them.
"""

import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.batched import blend_of, is_batched, open_batched
from arena.bidders import OutsideBidder, bot_of, is_outside, open_bidder
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
from arena.engine.states import plain_state
from arena.engine.steps import to_play
from arena.learned import choose
from arena.players.choose_card import WRP, choose_card
from arena.players.q_names import parse_q
from arena.public.bots import public_bid
from arena.tally import add_games, begun_games
from spades.cards import CARD_NAMES
from spades.legal import deck_number
from spades.options import Policy
from spades.play import PlayState, legal_cards, play_card, write_rules
from spades.policies import parse_policy
from spades.random_numbers import hash_uniform
from spades.rules import Rules, overrides_of
from spades.scoring import game_winner
from spades.tables import Tables

# Columns of a game's row; the first two are those of `begun_games`. NEXT is the seat to bid, -1 before the deal; after
# the bids, FIRST_PLAY plus the number of cards played.
PAIR, SWAP, NUMBER, NEXT, POINTS_A, POINTS_B, BAGS_A, BAGS_B, RESULT, OVER, CELLS = range(11)
NOISE_STREAM = 1 << 20  # first stream of the noise's random numbers; deals use the round's number as their stream
BLEND_SEED = 1 << 40  # added to a deal's random word, so that blends draw other numbers than blind nils
FIRST_PLAY, OVER_PLAY = 4, 4 + 52
NO_ANSWER = -1
POLICY, ASKED, FIRST_BOT = 0, 1, 2  # who bids from a chair; a public bot is FIRST_BOT and its number


class Boards(NamedTuple):
    """The state of n games in progress."""

    states: Any  # play states, by game
    games: Any  # int64 (n, CELLS)
    answers: Any  # int64 (n,): the bid or card that a game waited for, or NO_ANSWER
    waiting: Any  # int64 (n,): numbers of the games that wait for one


class Chairs(NamedTuple):
    """Who bids and plays, by chair."""

    kinds: Any  # int64 (4,): who bids
    learned: Any  # int64 (4,): 1 if a learned player plays
    blends: Any  # float64 (4,): how often the card player plays a round as WRP


def _advance(
    boards: Boards, seed: int, rules: Rules, lineup: Lineup, chairs: Chairs, noise: float, profiles: Any, sums: Any
) -> int:
    # Returns how many games wait.
    kinds = chairs.kinds
    states, games, answers, waiting = boards
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
                    share = chairs.blends[(first_chair + seat) & 3]
                    if share > 0.0 and hash_uniform(state.rng[seat] + BLEND_SEED) < share:
                        state.player[seat] = WRP
                if noise > 0.0:
                    seed_rng(state, seed, game[PAIR], NOISE_STREAM + 2 * game[NUMBER] + game[SWAP])
                game[NEXT] = 0
            while game[NEXT] < FIRST_PLAY:
                seat = game[NEXT]
                chair = (first_chair + seat) & 3
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
                if game[NEXT] == FIRST_PLAY and (state.passes[0] or state.passes[1]):
                    exchange(state)
            while FIRST_PLAY <= game[NEXT] < OVER_PLAY:
                seat = (state.leader + state.trick_size) & 3
                if chairs.learned[(first_chair + seat) & 3] == 0:
                    card = choose_card(state, seat)
                elif answers[g] == NO_ANSWER:
                    break
                else:
                    card = answers[g]
                    answers[g] = NO_ANSWER
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


def _kind(bidder: str) -> int:
    if parse_q(bidder):
        return ASKED
    bot = bot_of(bidder)
    return (ASKED if is_outside(bidder) else POLICY) if bot is None else FIRST_BOT + bot


class Seated(NamedTuple):
    """Who bids and plays in the chairs a0, b0, a1, b1, as texts."""

    bidders: tuple[str, str, str, str]
    players: tuple[str, str, str, str]
    nets: Arrays  # of all learned bidders and players


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
    """Play the pairs ``deals`` in lockstep. ``players``: the card players that are not learned.

    Fills ``scores`` (pairs, 2) and adds to ``sums``, as `selfplay.play_pairs` does. Raises `BidderError`.
    """
    states, games = begun_games(deals, rules, CELLS)
    games[:, NEXT] = -1
    boards = Boards(states, games, np.full(len(games), NO_ANSWER, np.int64), np.zeros(len(games), np.int64))
    answers = boards.answers
    bidders = seated.bidders
    kinds = np.array([_kind(text) for text in bidders], np.int64)
    learned = np.array([parse_q(text) is not None for text in seated.players], np.int64)
    chairs = Chairs(kinds, learned, np.array([blend_of(text) or 0.0 for text in seated.players]))
    policies = tuple(
        numba_typed(Policy() if is_outside(text) else parse_policy(text, rules.variant)) for text in bidders
    )
    lineup = Lineup(policies, players)
    asked_rules = {"preset": "classic"} | overrides_of(rules)
    names = CARD_NAMES[deck_number(rules)]
    batched = {text: open_batched(text, rules) for text in bidders if is_batched(text)}
    opened: dict[str, OutsideBidder] = {}
    try:
        for text, kind in zip(bidders, kinds, strict=True):
            if kind == ASKED and text not in opened and text not in batched and not parse_q(text):
                opened[text] = open_bidder(text)
        while True:
            asked = advance(boards, deals.seed, rules, lineup, chairs, noise, profiles, sums)
            if asked == 0:
                break
            for (who, bidding), batch in _batches(boards, asked, deals.seed, seated).items():
                player = parse_q(who)
                if player is not None:
                    seats = games[batch, NEXT] if bidding else to_play(states[batch])
                    answers[batch] = choose(player, seated.nets, states[batch], seats, bidding)
                elif who in batched:
                    answers[batch] = batched[who].bids(states[batch], games[batch, NEXT])
                else:
                    board = [(plain_state(states[g]), games[g].tolist()) for g in batch]
                    requests = [request_of(state, game, deals.seed, asked_rules, names) for state, game in board]
                    answers[batch] = opened[who].bids(requests)
    finally:
        for bidder in opened.values():
            bidder.close()
    points = games[:, POINTS_A] - games[:, POINTS_B]
    add_games(games[:, RESULT], points, games[:, NUMBER], scores, sums)


def _batches(boards: Boards, asked: int, seed: int, seated: Seated) -> dict[tuple[str, bool], list[int]]:
    # The games that wait, by the bidder or card player that they wait for, and whether for a bid.
    found: dict[tuple[str, bool], list[int]] = {}
    for g in boards.waiting[:asked].tolist():
        pair, swap, number, place = boards.games[g, : NEXT + 1].tolist()
        bidding = place < FIRST_PLAY
        state = boards.states[g]
        seat = place if bidding else (state["leader"] + state["trick_size"]) & 3
        chair = (first_chair_of(Game(seed, pair, swap), number) + seat) & 3
        who = (seated.bidders if bidding else seated.players)[chair]
        found.setdefault((who, bidding), []).append(g)
    return found


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
