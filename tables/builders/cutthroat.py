"""The tables of variant `cutthroat`, in which each player plays alone: exact nil values, and the fitted tables.

`cutthroat_cnil` is the probability that the three lowest cards of a suit take no trick. HUNTERS of the other players
try to make the nil fail, and the rest try to win the trick. The k-th lowest card takes a trick, and the nil fails, if
both of these hold:

- Each hunter can stay below it: they have fewer than k cards of the suit, or at least k cards below ours.
- None of the rest can beat it: they have no higher card and, except in spades, at least k cards of the suit, so that
  they cannot ruff.

The counting is that of `tables.builders.exact`. With two hunters it equals the partnership's reading `any`, in which
the third hand is a partner who covers. HUNTERS is the number that predicts nils in play best (`python -m tables fit
cutthroat`). It is not three, because a player who hunts a nil gives up tricks of their own.

The previous-bids factor, the curves, the mean bids and the shares of contracts made are learned from play by
`CUTTHROAT_PLAYER`. All tables go to tables/data/cutthroat_*.npy.
"""

from collections.abc import Sequence
from itertools import product
from math import perm

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.rules import CUTTHROAT, make_rules
from service.bidding.policies import parse_policy
from tables.builders import curves, mean_bids
from tables.builders.exact import (
    KINDS,
    PLACES_CLASSIC,
    RANKS_CLASSIC,
    SPADES,
    placings,
    spade_is_lost,
    splits_of,
    zones_of,
)
from tables.builders.factor import PASSES, learn
from tables.builders.rb import BAG_COST, FIT_RULES
from tables.players.names import CUTTHROAT_PLAYER
from tables.run.family import Arrays, Context, Family, recorded

RULES = make_rules("cutthroat")
HUNTERS = 2  # number of the other three players who try to set the nil
# The bidder of the self-play. All options are given, because the shipped defaults are fitted on these tables.
BIDDER = "bis:endgame=off,nil_threshold=-30,nil_slope=0,offset=0.2,spade_honours=allow"


def cnil_table(
    hunters: int = HUNTERS, n_ranks: int = RANKS_CLASSIC, places: int = PLACES_CLASSIC
) -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick) against ``hunters``: float64, shape (2, 2**n_ranks).

    The axes are the kind, in the order of `exact.KINDS`, and the holding as a bit mask. Spade holdings that rule out a
    nil (`exact.spade_is_lost`) are 0.
    """
    table = np.empty((len(KINDS), 1 << n_ranks))
    known: dict[tuple[int, ...], NDArray[np.float64]] = {}
    for held in range(1 << n_ranks):
        zones = zones_of(held, n_ranks)
        if zones not in known:
            known[zones] = cnil_of_zones(zones, hunters, places)
        table[:, held] = known[zones]
        if spade_is_lost(held):
            table[SPADES, held] = 0.0
    return table


def cnil_of_zones(zones: Sequence[int], hunters: int, places: int = PLACES_CLASSIC) -> NDArray[np.float64]:
    """Return P(no trick) against ``hunters`` for ``zones`` from `exact.zones_of`: float64 (2,), by kind.

    >>> cnil_of_zones((0, 12), 3).tolist(), cnil_of_zones((12, 0), 3).tolist()  # the bare deuce, the bare ace
    ([1.0, 1.0], [0.0, 0.0])
    """
    n_low = len(zones) - 1
    if n_low == 0:
        return np.ones(len(KINDS))
    splits = [splits_of(zone) for zone in zones]
    index = np.array(list(product(*(range(len(split)) for split in splits))))
    chosen = [np.array(split)[index[:, zone]] for zone, split in enumerate(splits)]
    ways = np.prod([zone[:, 3] for zone in chosen], axis=0)  # at most 3 ** (unseen cards): exact in int64
    hands = [[zone[:, player] for zone in chosen] for player in range(3)]
    lengths = [np.sum(hand, axis=0) for hand in hands]
    total = perm(3 * places, sum(zones))
    result = np.empty(len(KINDS))
    for kind in range(len(KINDS)):
        lost = np.zeros(len(ways), dtype=bool)
        for k in range(1, n_low + 1):
            stays = np.ones(len(ways), dtype=bool)
            for player, (hand, length) in enumerate(zip(hands, lengths, strict=True)):
                below = np.sum(hand[:k], axis=0)
                if player < hunters:
                    stays &= (length < k) | (below >= k)
                elif kind == SPADES:
                    stays &= length == below
                else:
                    stays &= (length >= k) & (length == below)
            lost |= stays
        kept = total - placings(lengths, np.where(lost, ways, 0), places)
        result[kind] = kept / total  # int / int: rounded once
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
    *curves.setting_families("cutthroat", RULES, BIDDER, rounds=3_000_000, depends=_OWN, player=CUTTHROAT_PLAYER),
    *mean_bids.setting_families("cutthroat", RULES, BIDDER, depends=_OWN),
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
