"""The bidder `winprob`: features, outcomes, win tables, candidates, decision.

It bids with `spades.decide(..., policy="winprob")`, for the games that have a win table:

>>> from spades import make_rules, open_tables
>>> games = open_tables().games
>>> games.nearest(make_rules("classic")).instead, games.nearest(make_rules("classic", {"bag_limit": 9})).instead
((), (('bag_limit', 10),))
>>> games.nearest(make_rules("cutthroat")) is None
True
"""

from spades.winprob.candidates import CANDIDATES_ABOVE, CANDIDATES_BELOW, MOST_CANDIDATES
from spades.winprob.decision import WinDecision, win_decision
from spades.winprob.features import (
    BID_INPUTS,
    BID_NAMES,
    INPUTS,
    bids_to_weigh,
    holdings,
    model_position,
    p_win_before,
    rule_inputs,
    to_goal,
    to_losing,
    top_spades,
)
from spades.winprob.games import (
    DEPTH_POINTS,
    ERRORS_FILE,
    GAME_COLUMNS,
    GOAL_WIDTHS,
    KEY_FIELDS,
    LONGEST_GOAL,
    LOSING_GOAL,
    ROW_POINTS,
    SHIPPED,
    SHIPPED_SLICES,
    SLICE_COLUMNS,
    WIN_CELLS,
    WON_VARIANTS,
    Games,
    Nearest,
    WinTableSlice,
    all_rules,
    cells_of,
    game_of,
    games_of,
    key_of,
    nearest_errors,
    nearest_game,
    win_slice_of,
    win_slices_of,
)
from spades.winprob.outcomes import (
    OUR_LATER,
    OUR_NIL,
    OUTCOMES,
    THEIR_LATER,
    THEIRS,
    WIN_SCALE,
    win_array,
    win_probability,
    win_probability_after,
)
from spades.winprob.weights import complete_outcomes

__all__ = [
    "BID_INPUTS",
    "BID_NAMES",
    "CANDIDATES_ABOVE",
    "CANDIDATES_BELOW",
    "DEPTH_POINTS",
    "ERRORS_FILE",
    "GAME_COLUMNS",
    "GOAL_WIDTHS",
    "INPUTS",
    "KEY_FIELDS",
    "LONGEST_GOAL",
    "LOSING_GOAL",
    "MOST_CANDIDATES",
    "OUR_LATER",
    "OUR_NIL",
    "OUTCOMES",
    "ROW_POINTS",
    "SHIPPED",
    "SHIPPED_SLICES",
    "SLICE_COLUMNS",
    "THEIRS",
    "THEIR_LATER",
    "WIN_CELLS",
    "WIN_SCALE",
    "WON_VARIANTS",
    "Games",
    "Nearest",
    "WinDecision",
    "WinTableSlice",
    "all_rules",
    "bids_to_weigh",
    "cells_of",
    "complete_outcomes",
    "game_of",
    "games_of",
    "holdings",
    "key_of",
    "model_position",
    "nearest_errors",
    "nearest_game",
    "p_win_before",
    "rule_inputs",
    "to_goal",
    "to_losing",
    "top_spades",
    "win_array",
    "win_decision",
    "win_probability",
    "win_probability_after",
    "win_slice_of",
    "win_slices_of",
]
