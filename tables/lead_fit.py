"""Fit the weights of SRP 4's leads (`spades.play.srp.leads`): `python -m tables fit leads`.

In games of self-play at 200/-100, each lead is played with every card that the hand could lead, and the same players
play the round to its end. The gain of a card is its win probability after the round, in percent, above the mean of the
hand's leads. The weights of a situation are the ridge regression of the gains on the features.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from spades.cards import highest
from spades.play import (
    ALL_PIECES,
    FITTED_LEADS,
    LEAD_FEATURES,
    LEAD_WEIGHTS,
    NO_NIL_LIVE,
    PlayState,
    cards_below,
    lead_features,
    lead_situation,
    legal_cards,
    lowest_equal,
    nil_alive,
    pieces_in_use,
    play_card,
    suit_mask,
    unseen_cards,
    wants_tricks,
)
from spades.policies import parse_policy
from spades.rules import Rules
from spades.scoring import game_winner
from spades.tables import Tables
from spades.winprob import win_array
from tables.arena.match import PAPER_RULES
from tables.engine.deal import Deals, prepare_state
from tables.engine.game import (
    MOST_ROUNDS,
    SUMS,
    Game,
    Lineup,
    Totals,
    begin_round,
    bid_seat,
    close_round,
    first_chair_of,
    win_probability_after_round,
)
from tables.engine.jit import round_loop
from tables.engine.simulate import numba_typed, player_rows, tables_for
from tables.engine.states import copy_state
from tables.engine.winprob import slice_of
from tables.players.choose_card import choose_card
from tables.players.decisions import add_differences, finish_play
from tables.run.family import Executor

CHUNK_GAMES = 500
RIDGE = 20.0  # in leads
MOST_LEADS = 13
WIDTH = len(LEAD_FEATURES)


def _lead_games(
    states: list[PlayState], deals: Deals, rules: Rules, lineup: Any, profiles: Any, products: Any, gains: Any
) -> None:
    # products (situations, WIDTH, WIDTH): sums of the products of two features; gains (situations, WIDTH): of the
    # products of a feature and the gain. All are differences from the mean of the leads that a hand could make.
    state, rest = prepare_state(states, rules), states[1]
    win_slice = slice_of(rules, profiles[0])
    win = win_array(win_slice, profiles[0])
    sums = np.zeros(SUMS)
    features = np.zeros((MOST_LEADS, WIDTH))
    values = np.zeros(MOST_LEADS)
    for number in range(deals.first, deals.last):
        game = Game(deals.seed, number, number >> 1 & 1)
        totals = Totals(0, 0, 0, 0)
        for number_of_round in range(MOST_ROUNDS):
            first_chair = first_chair_of(game, number_of_round)
            begin_round(state, game, number_of_round, lineup.players, totals)
            for seat in range(4):
                state.bid[seat] = bid_seat(state, seat, rules, lineup.policies[(first_chair + seat) & 3], profiles)
            for _ in range(52):
                me = (state.leader + state.trick_size) & 3
                if state.trick_size == 0 and not nil_alive(state, me):
                    situation = lead_situation(state, me)
                    unseen = unseen_cards(state, me)
                    if situation != NO_NIL_LIVE or wants_tricks(state, me, unseen, pieces_in_use(state, me, 4)):
                        legal = legal_cards(state.hand[me], 0, 0, state.broken)
                        leads = 0
                        for suit in range(4):
                            held = legal & suit_mask(suit)
                            while held:
                                card = lowest_equal(highest(held), held, unseen)
                                held &= cards_below(card)
                                found = lead_features(state, me, card, unseen)
                                for i in range(WIDTH):
                                    features[leads, i] = found[i]
                                copy_state(state, rest)
                                play_card(rest, me, card)
                                finish_play(rest)
                                won = win_probability_after_round(rest, me, rules, win_slice, win)
                                values[leads] = 100.0 * won
                                leads += 1
                        if leads > 1:
                            add_differences(features, values, leads, products[situation], gains[situation])
                play_card(state, me, choose_card(state, me))
            totals = close_round(state, first_chair, totals, rules, sums)
            if game_winner(totals.score_a, totals.score_b, rules) != 0:
                break


lead_games = round_loop(_lead_games, states=2)


def _chunk(lineup: Any, profiles: Any, seed: int, index: int) -> dict[str, NDArray[np.float64]]:
    products, gains = np.zeros((len(LEAD_WEIGHTS), WIDTH, WIDTH)), np.zeros((len(LEAD_WEIGHTS), WIDTH))
    first = index * CHUNK_GAMES
    lead_games(seed, first, first + CHUNK_GAMES, PAPER_RULES, lineup, profiles, products, gains)
    return {"products": products, "gains": gains}


def fit_leads(profiles: tuple[Tables, ...], games: int, seed: int, executor: Executor) -> NDArray[np.float64]:
    """Return the weights, shape (situations, features), fitted to ``games`` games of self-play.

    `bis` bids, and SRP 4 plays, but with the leads of SRP 3: so the weights do not depend on those that it has.
    """
    policy = numba_typed(parse_policy("bis"))
    players = player_rows("srp@4", "srp@4", ALL_PIECES & ~FITTED_LEADS, ALL_PIECES & ~FITTED_LEADS)
    few = tables_for(profiles, PAPER_RULES, [policy, numba_typed(parse_policy("winprob"))])
    chunk = partial(_chunk, Lineup((policy,) * 4, players), few, seed)
    products, gains = np.zeros((len(LEAD_WEIGHTS), WIDTH, WIDTH)), np.zeros((len(LEAD_WEIGHTS), WIDTH))
    chunks = -(-games // CHUNK_GAMES)
    for _, arrays in tqdm(executor.map(chunk, range(chunks)), total=chunks, unit="chunk", disable=None):
        products += arrays["products"]
        gains += arrays["gains"]
    return np.array([np.linalg.solve(a + RIDGE * np.eye(WIDTH), b) for a, b in zip(products, gains, strict=True)])
