"""Figures of the appendix, inference.md: how well `spades.inference` says who holds the unseen cards.

Positions are deals that no table was made from, bid at scores of whole games and seen from one random seat. Log-loss is
in nats for each unseen card: 0 is perfect. The error is the mean distance between the stated probability and 0 or 1,
over all unseen cards and other seats, in percent; three equal chances have 44.4.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.rounds import Batch
from arena.engine.simulate import player_rows
from arena.players.names import TABLES_PLAYER
from report.figures import query
from report.reads import BIS_FIELDS, INFERENCE, NET, WIN_TABLES
from report.setup import Setup
from spades.inference import (
    BIDDERS,
    Bids,
    Floats,
    Readers,
    View,
    deals_of,
    infer_from_view,
    prior_column_of,
    prior_row_of,
    readers_of,
    unseen_of,
)
from spades.legal import deck_of
from spades.rules import Rules
from spades.scoring import Standing
from studio import plots
from tables.counts import SCORES_BY, bid_deals, scores_of_games
from tables.fits import READ_POLICIES

RULES = Rules()  # under which priors and holder nets were counted
SCORES = 5_000
BINS = 20
UNIFORM = float(np.log(3.0))
_ALL = (*BIS_FIELDS, *NET, *WIN_TABLES, *INFERENCE)  # arrays of the bidders and of the inference


Deals: TypeAlias = NDArray[np.void]  # (n,) of `arena.engine.rounds.ROUND`


class Judged(NamedTuple):
    """How close the probabilities of one position were to the truth."""

    log_loss: float  # nats a card
    error: float  # mean distance, 0..1
    bins: Floats  # (BINS, 3): by stated probability, how many, their sum, and how many came true


def judge(probabilities: Floats, holders: NDArray[np.int64]) -> Judged:
    """Judge ``probabilities`` (m, seats) of m cards; ``holders`` (m,): the seat that holds each card."""
    true = np.zeros(probabilities.shape)
    true[np.arange(len(holders)), holders] = 1.0
    bins = np.zeros((BINS, 3))
    cell = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    for column, values in enumerate((np.ones_like(true), probabilities, true)):
        np.add.at(bins[:, column], cell, values)
    loss = -np.log(np.maximum(probabilities, 1e-12)[true == 1.0]).mean()
    return Judged(float(loss), float(np.abs(true - probabilities).mean()), bins)


def positions(setup: Setup, bidder: str, n: int, seed: int) -> Deals:
    """Return ``n`` deals bid by ``bidder`` at scores of whole games."""
    seen = scores_of_games(setup.tables, RULES, SCORES_BY, SCORES, seed + 1)
    return np.concatenate(list(bid_deals(seed, 0, n, RULES, bidder, setup.tables, seen)))


def view_of(deals: Deals, i: int, seat: int) -> View:
    """Return what ``seat`` knows of deal ``i`` before the first card."""
    return View(deck_of(RULES), seat, int(deals["hands"][i, seat]), 0, 0, (0, 0, 0, 0), (0, 0, 0, 0))


def bids_of(deals: Deals, i: int, seat: int, made: int, bidder: str) -> Bids:
    """Return the first ``made`` bids of deal ``i``, read as those of ``bidder`` (one of BIDDERS)."""
    row, other = deals[i], seat ^ 1
    us, them, us_bags, them_bags = (int(row[name][one]) for name in ("scores", "bags") for one in (seat, other))
    return Bids(tuple(map(int, deals["bids"][i, :made])), bidder, Standing(us, them, us_bags, them_bags))


def holders_of(deals: Deals, i: int, view: View) -> NDArray[np.int64]:
    """Return the column of the seat that holds each card that ``view`` does not show."""
    unseen = unseen_of(view)
    hands = [int(deals["hands"][i, seat]) for seat in unseen.seats]
    return np.array([next(c for c, hand in enumerate(hands) if hand >> card & 1) for card in unseen.cards])


def _net(view: View, bids: Bids, readers: Readers) -> Floats:
    found = infer_from_view(view, bids, RULES, readers)
    assert found is not None, "the true deal fits"
    return found.deals.probabilities


def _prior(view: View, bids: Bids, readers: Readers) -> Floats:
    unseen = unseen_of(view)
    prior = readers.priors[bids.bidder][prior_row_of(bids.bids)]
    found = deals_of(prior[np.ix_(unseen.seats, [prior_column_of(c) for c in unseen.cards])].T / 255.0, unseen.counts)
    assert found is not None, "every seat may hold every card"
    return found.probabilities


def _judged(
    deals: Deals, seats: NDArray[np.int64], made: int, bidder: str, model: Callable[[View, Bids], Floats]
) -> Iterator[Judged]:
    """Yield how well ``model`` does on each deal, seen from ``seats`` (n,) after the first ``made`` bids."""
    for i, seat in enumerate(seats):
        view = view_of(deals, i, seat)
        yield judge(model(view, bids_of(deals, i, seat, made, bidder)), holders_of(deals, i, view))


def _seats(n: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, 4, n)


def _mean(values: Iterable[float]) -> str:
    """Return a mean with its 95% interval."""
    found = np.array(list(values))
    half = 1.96 * found.std() / np.sqrt(len(found))
    return f"{found.mean():.4f} [{found.mean() - half:.4f}, {found.mean() + half:.4f}]"


@query(*_ALL)
def inference_log_loss(setup: Setup) -> dict[str, Any]:
    """Return log-loss and error after one to four bids, of the priors and of the net.

    Most positions are those after four bids, because an article has that case.
    """
    readers = readers_of(setup.opened.arrays)
    after_four, positions_before = 8 * setup.pairs, max(1, setup.pairs // 2)
    seats = _seats(after_four, setup.seed)
    rows = []
    for bidder in BIDDERS:
        deals = positions(setup, READ_POLICIES[bidder], after_four, setup.seed)
        for made in range(1, 5):
            some, cells = seats[: after_four if made == 4 else positions_before], list[str]()
            for model in (_prior, _net):
                judged = list(_judged(deals, some, made, bidder, partial(model, readers=readers)))
                error = np.mean([100 * one.error for one in judged])
                cells += [_mean(one.log_loss for one in judged), f"{error:.2f}"]
            rows.append((f"`{bidder}`", made, *cells))
    return {
        "positions": f"{positions_before:,}",
        "after_four": f"{after_four:,}",
        "uniform": f"{UNIFORM:.4f}",
        "rows": rows,
    }


def played_cards(deals: Deals) -> NDArray[np.uint8]:
    """Return the cards (n, 52) of ``deals`` in the order of play, with the tables' card player in all seats."""
    batch = Batch(RULES, np.arange(len(deals)))
    batch.rounds["scores"], batch.rounds["bags"] = deals["scores"], deals["bags"]
    batch.take(deals["hands"], player_rows(TABLES_PLAYER, TABLES_PLAYER))
    batch.write_bids(deals["bids"])
    batch.play()
    return batch.rounds["plays"].copy()


def views_by_trick(deals: Deals, i: int, plays: NDArray[np.uint8], seat: int) -> list[View]:
    """Return what ``seat`` knows before each of the 13 tricks of deal ``i``; ``plays`` (52,): the cards played."""
    owner = {card: s for s in range(4) for card in range(64) if int(deals["hands"][i, s]) >> card & 1}
    played, voids, found = [0] * 4, [0] * 4, []
    for trick in range(13):
        a, b, c, d = played
        e, f, g, h = voids
        found.append(view_of(deals, i, seat)._replace(played=(a, b, c, d), voids=(e, f, g, h)))
        cards = [int(card) for card in plays[4 * trick : 4 * trick + 4]]
        for card in cards:
            played[owner[card]] |= 1 << card
            if card >> 4 != cards[0] >> 4:
                voids[owner[card]] |= 1 << (cards[0] >> 4)
    return found


@query(*_ALL)
def inference_by_trick(setup: Setup) -> dict[str, Any]:
    """Return log-loss by trick in self-play of `bis`, with bids and without them, and plot the calibration."""
    readers = readers_of(setup.opened.arrays)
    n = max(1, setup.pairs // 10)
    deals, seats = positions(setup, READ_POLICIES["bis"], n, setup.seed), _seats(n, setup.seed)
    plays = played_cards(deals)
    rows, bins = [], {name: np.zeros((n, BINS, 3)) for name in ("before the first card", "later")}
    views = [views_by_trick(deals, i, plays[i], seats[i]) for i in range(n)]
    for trick in range(13):
        with_bids, without = [], []
        for i in range(n):
            view, bids = views[i][trick], bids_of(deals, i, seats[i], 4, "bis")
            holders = holders_of(deals, i, view)
            judged = judge(_net(view, bids, readers), holders)
            with_bids.append(judged)
            bins["later" if trick else "before the first card"][i] += judged.bins
            unseen = unseen_of(view)
            plain = deals_of(unseen.allowed, unseen.counts)
            assert plain is not None, "the true deal fits"
            without.append(judge(plain.probabilities, holders).log_loss)
        error = 100 * float(np.mean([one.error for one in with_bids]))
        rows.append((trick + 1, _mean(without), _mean(one.log_loss for one in with_bids), f"{error:.2f}"))
    series = []
    for name, counted in bins.items():
        by_round = counted[:, counted.sum(axis=0)[:, 0] > 0]
        number, stated, true = by_round.sum(axis=0).T
        rate = true / number
        # The cards of one round depend on each other, so the error comes from the differences between rounds.
        error = np.sqrt(((by_round[:, :, 2] - rate * by_round[:, :, 0]) ** 2).sum(axis=0)) / number
        series.append(plots.Series(name, stated / number, rate, 1.96 * error))
    svg = plots.lines(series, "probability stated", "share that came true")
    setup.plot("inference-calibration", svg)
    return {"rounds": f"{n:,}", "player": TABLES_PLAYER, "rows": rows}
