"""Find situations in which a card player loses points: `python -m tables probe`.

At one random play of each round, the command forces a card of every other class (`alternatives.pick`) on the player.
The same players then play the round to its end. One round proves nothing, because the player cannot see the other
hands. The mean over all rounds does: rounds count together if the seat knows the same about its situation. A class
that gains points on average is a rule that the player lacks. `python -m tables fit srp` measures how much such rules
win.
"""

import argparse
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from spades.arguments import integer
from spades.options import Policy
from spades.play import PlayState, legal_cards, play_card, unseen_cards
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tableset import open_tables
from tables.alternatives import (
    CLASSES,
    CONTEXTS,
    FOLLOWS,
    LEADS,
    NEEDS,
    NILS,
    OTHER,
    PLACES,
    context_of,
    pick,
    same_worth,
)
from tables.builders.rb import FIT_RULES
from tables.engine.cutthroat import points_gained
from tables.engine.deal import Deals, below, deal_round, prepare_state, seat_players
from tables.engine.game import bid_seat
from tables.engine.jit import round_loop
from tables.engine.simulate import kernel_tables, numba_typed, player_rows
from tables.engine.states import copy_state
from tables.markdown import table
from tables.players.choose_card import choose_card
from tables.players.decisions import finish_play
from tables.run.executors import add_jobs_argument, executor_of
from tables.run.family import Arrays

CHUNK_DEALS = 20_000


def _probe_rounds(
    states: list[PlayState], deals: Deals, rules: Rules, policy: Policy, players: Any, profiles: Any, sums: Any
) -> None:
    # sums (CONTEXTS, CLASSES + 1, CLASSES, 3): by situation, the player's class and the forced class. The last axis:
    # rounds, sum of gains, sum of squared gains.
    state, rest = prepare_state(states, rules), states[1]
    for number in range(deals.first, deals.last):
        deal_round(state, deals.seed, number, 0)
        seat_players(state, players)
        for seat in range(4):
            state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
        for _ in range(below(state, 50)):
            seat = (state.leader + state.trick_size) & 3
            play_card(state, seat, choose_card(state, seat))
        me = (state.leader + state.trick_size) & 3
        legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
        if legal & (legal - 1) == 0:
            continue
        own = choose_card(state, me)
        unseen = unseen_cards(state, me)
        own_class = OTHER
        for i in range(CLASSES):
            if own_class == OTHER and same_worth(pick(state, me, legal, i), own, unseen):
                own_class = i
        context = context_of(state, me)
        copy_state(state, rest)
        play_card(rest, me, own)
        finish_play(rest)
        usual = points_gained(rest, me, rules)
        for i in range(CLASSES):
            card = pick(state, me, legal, i)
            if i == own_class or card < 0 or same_worth(card, own, unseen):
                continue
            copy_state(state, rest)
            play_card(rest, me, card)
            finish_play(rest)
            gain = points_gained(rest, me, rules) - usual
            sums[context, own_class, i, 0] += 1
            sums[context, own_class, i, 1] += gain
            sums[context, own_class, i, 2] += gain * gain


probe_rounds = round_loop(_probe_rounds, states=2)


def _chunk(players: NDArray[np.int64], profiles: Any, seed: int, index: int) -> Arrays:
    sums = np.zeros((CONTEXTS, CLASSES + 1, CLASSES, 3))
    first = index * CHUNK_DEALS
    policy = numba_typed(parse_policy("bis:endgame=off"))
    probe_rounds(seed, first, first + CHUNK_DEALS, FIT_RULES, policy, players, profiles, sums)
    return {"sums": sums}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--player", default="srp", metavar="P", help="card player in all seats (default %(default)s)")
    parser.add_argument("--deals", type=integer, default=1_000_000, help="deals to play (default %(default)s)")
    parser.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_jobs_argument(parser)
    parser.add_argument("--top", type=integer, default=40, help="rows to print (default %(default)s)")


def main(arguments: argparse.Namespace) -> int:
    """Print the forced classes that gain most, in points with their 95% intervals."""
    ts = kernel_tables(open_tables().arrays)
    players = player_rows(arguments.player, arguments.player)
    chunk = partial(_chunk, players, ts, arguments.seed)
    n = -(-arguments.deals // CHUNK_DEALS)
    sums = np.zeros((CONTEXTS, CLASSES + 1, CLASSES, 3))
    with executor_of(None, arguments.jobs) as executor:
        for _, arrays in tqdm(executor.map(chunk, range(n)), total=n, unit="chunk", disable=None):
            sums += arrays["sums"]
    print(
        table(
            "gain each time, points | times per 1,000 deals | points per round | situation | own card -> better card",
            rows(sums, n)[: arguments.top],
        )
    )
    return 0


def rows(sums: NDArray[np.float64], chunks: int) -> list[tuple[object, ...]]:
    """Return the table's rows, ordered by the lower bound of the gain times the frequency of the situation."""
    found = []
    deals = chunks * CHUNK_DEALS
    for context, own, forced in zip(*np.nonzero(sums[..., 0] > 100), strict=True):
        times, total, squares = sums[context, own, forced]
        mean = total / times
        half = 1.96 * np.sqrt(max(squares / times - mean * mean, 0.0) / times)
        # Each deal tries one of about fifty plays.
        found.append((50 * times * (mean - half) / deals, mean, half, times, context, own, forced))
    found.sort(reverse=True)
    return [
        (
            f"{mean:+.2f} ± {half:.2f}",
            f"{1000 * times / deals:.2f}",
            f"{50 * times * mean / deals:+.3f}",
            _situation(int(context)),
            f"{_name(int(context), int(own))} -> {_name(int(context), int(forced))}",
        )
        for worth, mean, half, times, context, own, forced in found
        if worth > 0
    ]


def _situation(context: int) -> str:
    return f"{NILS[context // 20]}; {PLACES[context // 5 % 4]}; {NEEDS[context % 5]}"


def _name(context: int, number: int) -> str:
    if number == OTHER:
        return "another card"
    return (FOLLOWS if context // 5 % 4 else LEADS)[number]
