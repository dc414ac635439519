"""Which card player is most like people: a blend of WRP and SRP, by label.

The rounds of a log are played again with their hands and bids, once with SRP in the seats of a label and once with WRP;
the other seats play as their own blends. The label's blend is the share of WRP with which nils and contracts are made
about as often as in the log: those of the label, of its partners and of its opponents. A few sweeps over all labels
find the blends.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arena.counters import CONTRACTS, NILS
from arena.engine.rounds import Batch
from arena.engine.simulate import player_rows
from spades.legal import NIL
from spades.rules import Rules

SWEEPS = 4
PRIOR = 10.0  # how many nils the blend of all people counts as in the blend of a label
# What is compared: nils of a label, of its partners and opponents, and contracts of its side and of the opponents.
OWN_NIL, PARTNER_NIL, OTHER_NIL, OWN_CONTRACT, OTHER_CONTRACT, CELLS = range(6)
STRONG, WEAK = "srp", "wrp"
Floats = NDArray[np.float64]


class Rounds(NamedTuple):
    """n rounds of one set of rules, with all hands and tricks."""

    rules: Rules
    hands: Any  # int64 (n, 4)
    bids: Any  # int8 (n, 4)
    tricks: Any  # int8 (n, 4)
    scores: Any  # int16 (n, 2)
    bags: Any  # int8 (n, 2)
    labels: Any  # int64 (n, 4)


class Fit(NamedTuple):
    """The card play of a label, in the log and with the blend."""

    blend: float
    nils: int
    nils_made: float  # share of nils
    blend_nils_made: float
    contracts: int
    contracts_made: float
    blend_contracts_made: float


def replayed(rounds: Rounds, weak: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the tricks (n, 4) if the seats that are ``weak`` (n, 4), 1 or 0, play as WRP, and the others as SRP."""
    players = player_rows(STRONG, WEAK)[:2]
    batch = Batch(rounds.rules, np.arange(len(rounds.bids)))
    scores = np.stack([rounds.scores[:, 0], rounds.bags[:, 0], rounds.scores[:, 1], rounds.bags[:, 1]], axis=1)
    batch.take(rounds.hands, players[weak])
    batch.set_scores(np.where([False, True, False, True], np.maximum(scores, 0), scores))
    batch.write_bids(rounds.bids)
    batch.finish()
    return batch.rounds["tricks"].copy()


def _successes(bids: NDArray[np.int8], tricks: NDArray[np.int8]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    # By seat (n, 4): whether the tricks make the bidder's nil, and the contract of the bidder's side.
    number, asked = ~NILS[bids], CONTRACTS[bids]
    taken = np.where(number, tricks, 0)
    return tricks == 0, (taken + taken[:, [2, 3, 0, 1]]) >= (asked + asked[:, [2, 3, 0, 1]])


def fit(games: list[Rounds], labels: int, seed: int = 1) -> list[Fit]:
    """Return the card play of each label; without rounds, all play as SRP."""
    rng = np.random.default_rng(seed)
    drawn = [rng.random(rounds.bids.shape) for rounds in games]
    before = [_cells(rounds, rounds.tricks, labels) for rounds in games]
    tried = np.sum([cases for cases, _ in before], axis=0) if games else np.zeros((labels, CELLS))
    made = np.sum([made for _, made in before], axis=0) if games else np.zeros((labels, CELLS))
    share = made / np.maximum(1.0, tried)
    weights = 1.0 / np.maximum(share * (1 - share), 0.01) / np.maximum(1.0, tried)
    blends = np.zeros(labels)

    def played(skills: dict[int, float]) -> Floats:
        # How many cases (labels, CELLS) are made if the labels play as their blends, but for those in ``skills``.
        total = np.zeros((labels, CELLS))
        wanted = np.array([skills.get(label, blends[label]) for label in range(labels)])
        for u, rounds in zip(drawn, games, strict=True):
            total += _cells(rounds, replayed(rounds, (u < wanted[rounds.labels]).astype(np.int64)), labels)[1]
        return total

    def best(group: list[int], held: float, prior: float) -> float:
        strong, weak = (played(dict.fromkeys(group, skill)) for skill in (0.0, 1.0))
        top = float((weights * (weak - strong) * (made - strong)).sum()) + held * prior
        bottom = float((weights * (weak - strong) ** 2).sum()) + held
        return min(1.0, max(0.0, top / bottom)) if bottom else 0.0

    everyone = best(list(range(labels)), 0.0, 0.0)
    blends[:] = everyone
    with tqdm(total=SWEEPS * labels, desc="studio model: card play", disable=None) as bar:
        for _ in range(SWEEPS if labels > 1 else 0):
            for label in range(labels):
                blends[label] = round(best([label], PRIOR, everyone), 3)
                bar.update()
    blends = blends.round(3)
    by_blend = played({}) / np.maximum(1.0, tried)
    return [
        Fit(
            float(blends[label]),
            int(tried[label, OWN_NIL]),
            float(share[label, OWN_NIL]),
            float(by_blend[label, OWN_NIL]),
            int(tried[label, OWN_CONTRACT]),
            float(share[label, OWN_CONTRACT]),
            float(by_blend[label, OWN_CONTRACT]),
        )
        for label in range(labels)
    ]


def _cells(rounds: Rounds, tricks: NDArray[np.int8], labels: int) -> tuple[Floats, Floats]:
    # Nils and contracts (labels, CELLS) beside and against the players of each label: cases, and those made.
    nils = rounds.bids == NIL
    contracts = ~NILS[rounds.bids]
    nils_made, contracts_made = _successes(rounds.bids, tricks)
    tried, made = np.zeros((labels, CELLS)), np.zeros((labels, CELLS))
    for label in range(labels):
        own = rounds.labels == label
        after, partner, ahead = (np.roll(own, step, axis=1) for step in (1, 2, 3))
        against = after.astype(np.int64) + ahead
        seats = {OWN_NIL: own, PARTNER_NIL: partner, OTHER_NIL: against, OWN_CONTRACT: own, OTHER_CONTRACT: against}
        for cell, count in seats.items():
            cases, successes = (contracts, contracts_made) if cell >= OWN_CONTRACT else (nils, nils_made)
            tried[label, cell] = (count * cases).sum()
            made[label, cell] = (count * (cases & successes)).sum()
    return tried, made
