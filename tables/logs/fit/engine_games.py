"""Games of the engine's own players, counted like a log: what a log's counts are compared with."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.rules import Rules
from service.bidding.policies import parse_policy
from service.bidding.table_views import Tables
from service.bidding.tableset import DEFAULT_DIRECTORY, open_tables
from tables.engine.deal import Deals
from tables.engine.game import Lineup
from tables.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from tables.logs.fit.counting import count_rounds
from tables.logs.playing import play_games
from tables.players.names import TABLES_PLAYER

POLICY = "bis"
GAMES = 6_000
AT_ONCE = 500
SEED = 1


@cache
def shipped_profiles() -> tuple[Tables, ...]:
    """Return the shipped tables by profile, for compiled code."""
    return kernel_tables(open_tables(DEFAULT_DIRECTORY).arrays)


@cache
def engine_surplus() -> NDArray[np.float64]:
    """Return `Counts.surplus` of games in which all bid by POLICY and play as the tables' card player."""
    rules = Rules()
    policies = policies_by_chair(parse_policy(POLICY), parse_policy(POLICY))
    lineup = Lineup(policies, player_rows(TABLES_PLAYER, TABLES_PLAYER))
    profiles = shipped_profiles()
    used = tables_for(profiles, rules, policies)
    total = np.zeros(0)
    for first in range(0, GAMES, AT_ONCE):
        made = play_games(Deals(SEED, first, first + AT_ONCE), rules, lineup, used)
        played = np.arange(made.hands.shape[1]) < made.rounds[:, None]
        surplus = count_rounds(made.hands[played], made.bids[played], made.tricks[played], rules, profiles).surplus
        total = surplus if not total.size else total + surplus
    return total
