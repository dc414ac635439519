"""What `winprob` states in self-play, by seat: its win probabilities by score, and the chances of its nils.

Four `winprob` bidders play, so this asks for more than `stated_chances`: each seat and each part of a game is right by
itself, before opponents and a partner who bid as well as the bidder.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.counters import add_at
from arena.engine.rounds import BATCH, Batch
from arena.engine.simulate import player_rows, policies_by_chair, policy_rows, tables_for
from arena.games import NOBODY, Lineup, play_games
from arena.questions import BID
from report.figures import query
from report.reads import BIS_FIELDS, NET, WIN_TABLES
from report.setup import LONG, Setup
from report.stated_chances import Watched, values_of
from spades.bidder import decide
from spades.policies import parse_policy
from spades.position import EXPLAINED, Position
from spades.rules import PRESETS, Rules
from spades.scoring import START

BANDS = (-np.inf, 100.0, 200.0, 300.0, np.inf)  # of the bidder's points, in games to 500
BAND_NAMES = ("below 100", "100 to 199", "200 to 299", "300 to 499")
NIL_PRESETS = ("classic", "pass-2", "pass-4")
NIL_DEALS = 4  # deals for the chances of nils, for each pair of the report
READS = (*BIS_FIELDS, *NET, *WIN_TABLES)
OF_PASSES = tuple(f"pass{n}_{field}" for n in (2, 4) for field in ("curves", "mean_bids"))


class Nils(NamedTuple):
    """The nils of many deals; all arrays (n,)."""

    seats: NDArray[np.int64]
    stated: NDArray[np.float64]
    made: NDArray[np.bool_]


@query(*READS)
def stated_by_seat(setup: Setup) -> dict[str, Any]:
    """Return rows of stated win probabilities against the value after the round, by seat and own points.

    Each game to 500 is played once. The value after the round is that of the win table, or 0 or 1 if the game ended.
    """
    policies = policies_by_chair(parse_policy("winprob"), parse_policy("winprob"))
    profiles = tables_for(setup.tables, LONG, policies)
    batch, agent = Batch(LONG, np.arange(setup.pairs)), Watched(policies[0], profiles)
    lineup = Lineup(policies, player_rows("srp", "srp"), agents=[agent], called={BID: [0, NOBODY, 0, NOBODY]})
    sums = np.zeros((4, len(BAND_NAMES), 3))  # how many bids, the sum of errors, the sum of their squares
    for _ in play_games(batch, lineup, setup.seed, profiles):
        rounds = batch.rounds[batch.active]
        _, after = values_of(rounds, LONG, profiles)
        side = np.zeros(setup.pairs)
        side[rounds["deal"]] = after[np.arange(len(rounds)), rounds["first_chair"] & 1]
        for own, seats, points, stated in agent.stated:
            errors = stated - side[own]
            cells = seats, np.searchsorted(BANDS, points, "right") - 1
            for column, counted in enumerate((np.ones(len(own)), errors, errors**2)):
                add_at(sums, (*cells, np.full(len(own), column)), counted)
        agent.stated.clear()
    rows = []
    for seat in range(4):
        for band, name in enumerate(BAND_NAMES):
            n, total, squares = sums[seat, band]
            mean = total / max(n, 1.0)
            error = 1.96 * np.sqrt(max(squares / max(n, 1.0) - mean**2, 0.0) / max(n, 1.0))
            rows.append((seat, name, f"{n:,.0f}", f"{100 * mean:+.1f} ± {100 * error:.1f}"))
    return {"games": f"{setup.pairs:,}", "rows": rows}


@query(*READS, *OF_PASSES)
def stated_nils(setup: Setup) -> dict[str, Any]:
    """Return rows of the chances of nils as the service states them, against the nils made, by rules and seat.

    Each round is the first of a game to 200 or -100, in which all seats bid `winprob`.
    """
    rows = []
    for name in NIL_PRESETS:
        found = _nils(setup, PRESETS[name]._replace(win=200, lose=-100))
        for seat in range(4):
            own = found.seats == seat
            stated, made = found.stated[own], found.made[own]
            error = 1.96 * made.std() / np.sqrt(max(1, len(made)))
            mean = f"{stated.mean():.3f}" if len(stated) else "-"
            rows.append(
                (name, seat, f"{len(stated):,}", mean, f"{made.mean():.3f} ± {error:.3f}" if len(made) else "-")
            )
    return {"rows": rows}


def _nils(setup: Setup, rules: Rules) -> Nils:
    policy = parse_policy("winprob")
    profiles, players = tables_for(setup.tables, rules, [policy]), player_rows("srp", "srp")
    seats, stated, made = [], [], []
    deals = NIL_DEALS * setup.pairs
    for first in range(0, deals, BATCH):
        batch = Batch(rules, np.arange(first, min(first + BATCH, deals)))
        batch.deal(setup.seed, players)
        batch.bid(policy_rows([policy]), profiles, np.zeros((len(batch.rounds), 4), np.int64))
        batch.finish()
        for number, seat in zip(*np.nonzero(batch.rounds["bids"] == 0), strict=True):
            bids = tuple(batch.rounds["bids"][number, :seat].tolist())
            if seat > 1 and bids[seat - 2] == 0:
                continue  # what is stated is that both nils are made
            position = Position(int(batch.rounds["hands"][number, seat]), bids, START, rules)
            explanation = decide(position, policy, setup.opened, explain=EXPLAINED).explanation
            assert explanation is not None, "a full explanation was asked for"
            seats.append(seat)
            stated.append(next(one for one in explanation["candidates"] if one["bid"] == 0)["outcomes"]["nil_made"])
            made.append(batch.rounds["tricks"][number, seat] == 0)
    return Nils(np.array(seats), np.array(stated), np.array(made))
