"""The tables of variant `cutthroat`, in which each player plays alone: exact nil values, and the fitted tables.

`cutthroat_cnil` is the probability that the three lowest cards of a suit take no trick. HUNTERS of the other players
try to make the nil fail, and the rest try to win the trick. The k-th lowest card takes a trick, and the nil fails, if
both of these hold:

- Each hunter can stay below it: they have fewer than k cards of the suit, or at least k cards below ours.
- None of the rest can beat it: they have no higher card and, except in spades, at least k cards of the suit, so that
  they cannot ruff.

The counting is that of `tables.builders.exact`. With two hunters it equals the partnership's reading `any`, in which
the third hand is a partner who covers. HUNTERS is the number that predicts nils in play best
(docs/explanation/what-was-tried.md). It is not three, because a player who hunts a nil gives up tricks of their own.

The previous-bids factor, the curves, the mean bids and the shares of contracts made are learned from play by
`CUTTHROAT_PLAYER`. All tables go to tables/data/cutthroat_*.npy.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.players.names import CUTTHROAT_PLAYER
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, make_rules
from tables.builders import curves, mean_bids
from tables.builders.exact import KINDS, PLACES_CLASSIC, RANKS_CLASSIC, SPADES, by_holding, layouts_of
from tables.builders.factor import PASSES, learn
from tables.builders.rb import BAG_COST, FIT_RULES
from tables.run.family import Context, Family, recorded

RULES = make_rules("cutthroat")
HUNTERS = 2  # number of the other three players who try to set the nil
# The bidder of the self-play. All options are given, because the shipped defaults are fitted on these tables.
BIDDER = "bis:endgame=off,nil_threshold=-30,nil_slope=0,offset=0.2,spade_honours=allow"


def cnil_table(hunters: int = HUNTERS) -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick) against ``hunters``: float64, shape (2, 8192).

    The axes are those of `exact.by_holding`.
    """
    return by_holding(lambda zones: cnil_of_zones(zones, hunters))


def cnil_of_zones(zones: Sequence[int], hunters: int) -> NDArray[np.float64]:
    """Return P(no trick) against ``hunters`` for ``zones`` from `exact.zones_of`: float64 (2,), by kind.

    >>> cnil_of_zones((0, 12), 3).tolist(), cnil_of_zones((12, 0), 3).tolist()  # the bare deuce, the bare ace
    ([1.0, 1.0], [0.0, 0.0])
    """
    layouts = layouts_of(zones)
    lengths = layouts.lengths
    result = np.empty(len(KINDS))
    for kind in range(len(KINDS)):
        lost = np.zeros(len(layouts.ways), dtype=bool)
        for k, below in enumerate(layouts.below, start=1):
            stays = (lengths < k) | (below >= k)
            cannot_beat = lengths == below
            if kind != SPADES:
                cannot_beat &= lengths >= k
            lost |= stays[:hunters].all(axis=0) & cannot_beat[hunters:].all(axis=0)
        result[kind] = layouts.probability_except(lost)
    return result


def _make_cnil(context: Context) -> Arrays:
    return {"cutthroat_cnil": cnil_table()}


def _make_factor(ctx: Context) -> Arrays:
    rules = FIT_RULES._replace(variant=CUTTHROAT)
    per_chunk = max(4, ctx.size("rounds") // 20)
    factor = learn(ctx.inputs, rules, per_chunk, ctx.chunks, player=CUTTHROAT_PLAYER, name="cutthroat_factor")
    return {"cutthroat_factor": factor}


def _make_contracts(ctx: Context) -> Arrays:
    policy = parse_policy(BIDDER, CUTTHROAT)
    return {"cutthroat_contract_made": mean_bids.contract_shares(ctx, ctx.inputs, RULES, policy, CUTTHROAT_PLAYER)}


_BEFORE = ("p_length", "cnil", "side", "spades", "ruffs")
_OWN = ("cutthroat_cnil", "cutthroat_factor")

FAMILIES = (
    Family(
        name="cutthroat_cnil",
        generator=1,
        make=_make_cnil,
        axes={"cutthroat_cnil": ("kind: side, spades", "holding, bit 0 the deuce")},
        parameters={"n_ranks": RANKS_CLASSIC, "places": PLACES_CLASSIC, "hunters": HUNTERS},
        exact=True,
    ),
    Family(
        name="cutthroat_factor",
        generator=1,
        make=_make_factor,
        axes={"cutthroat_factor": ("seat in bidding order", "sum of the previous bids, 0..39")},
        parameters={"player": CUTTHROAT_PLAYER, "bag_cost": BAG_COST, "passes": PASSES},
        sizes={"rounds": 600_000},
        depends=_BEFORE,
    ),
    curves.setting_family("cutthroat", RULES, BIDDER, rounds=3_000_000, depends=_OWN, player=CUTTHROAT_PLAYER),
    mean_bids.setting_family("cutthroat", RULES, BIDDER, depends=_OWN),
    Family(
        name="cutthroat_contracts",
        generator=1,
        make=_make_contracts,
        axes={"cutthroat_contract_made": ("row 0: a seat's contracts; row 1: not used", "contract, 0..26 tricks")},
        parameters={"player": CUTTHROAT_PLAYER, "policy": BIDDER, "rules": recorded(RULES)},
        sizes={"rounds": 300_000},
        depends=(*_BEFORE, *_OWN, "cutthroat_curves"),
    ),
)
