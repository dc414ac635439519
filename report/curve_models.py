"""The kinds of model that can estimate whether a nil is made (ECAI 2020, section 4.3).

The paper tried logistic regression, neural networks, random forests and linear regression, and gives no figures. Here
each is fitted to the same nils and judged on others. All of them see the nil value and the previous bids.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier

from arena.engine.simulate import player_rows, tables_for
from arena.executors import executor_of
from arena.players.names import TABLES_PLAYER
from report.figures import query
from report.reads import BIS_FIELDS
from report.setup import Setup
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import SEQUENCES
from tables.counts import BINS, SelfPlay, nil_rounds
from tables.regression import bin_middles, fit_curves, sequences, value_at_bins

ROUNDS = 400  # rounds for each pair of the report; in three of ten, a nil is possible
CHUNKS = 40
HELD_OUT = 4  # chunks that judge the models
Floats = NDArray[np.float64]


@query(*BIS_FIELDS)
def curve_models(setup: Setup) -> dict[str, Any]:
    """Return rows of log-loss and Brier score of each kind of model on nils that it was not fitted to."""
    fitted, held = nils(setup)
    columns = features()
    rows = [("one curve for all bids", *scores(same_curve(fitted), held))]
    rows.append(("logistic regression with rising curves (shipped)", *scores(value_at_bins(fit_curves(fitted)), held)))
    for name, model in models(setup).items():
        rows.append((name, *scores(model(columns, fitted), held)))
    n, judged = int(fitted[..., 0].sum()), int(held[..., 0].sum())
    return {"fitted": f"{n:,}", "judged": f"{judged:,}", "rows": rows}


def nils(setup: Setup) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play rounds as the builder of the success curves does.

    Return the nils to fit to and the nils to judge by, each int64 (SEQUENCES, BINS, 2): all nils, and those made.
    """
    policy, players = parse_policy("bis:endgame=off"), player_rows(TABLES_PLAYER, TABLES_PLAYER)
    play_as = SelfPlay(Rules(), policy, players, tables_for(setup.tables, Rules(), [policy]))
    size, readings = max(1, ROUNDS * setup.pairs // CHUNKS), np.zeros((3, 2, 1))

    def play(chunk: int) -> dict[str, NDArray[Any]]:
        counts = np.zeros((2, SEQUENCES, BINS, 2), np.int32)
        target, first = counts[1 if chunk < HELD_OUT else 0], chunk * size
        nil_rounds((setup.seed, first, first + size), play_as, target, readings)
        return {"counts": counts}

    with executor_of(None, setup.jobs) as executor:
        counts = np.stack([part["counts"] for _, part in executor.map(play, range(CHUNKS))])
    fitted, judged = counts.sum(axis=0, dtype=np.int64)
    return fitted, judged


def features() -> Floats:
    """Return what the models of scikit-learn see, (SEQUENCES * BINS, columns).

    The columns are the nil value, the number of previous bids as a share of 3, the bids in bidding order (-1: not
    made) as shares of 13, and a column of 0 and 1 for each number of previous bids and for each bid at its place in an
    auction of that length.
    """
    auctions = sequences()
    numbers = np.full((SEQUENCES, 4), -1.0 / 13)
    places = [("seat", seat, 0) for seat in range(4)]
    places += [(f"{seat}", place, bid) for seat in range(4) for place in range(seat) for bid in range(14)]
    column = {key: i for i, key in enumerate(places)}
    flags = np.zeros((SEQUENCES, len(places)))
    for row, bids in enumerate(auctions):
        numbers[row, 0] = len(bids) / 3
        numbers[row, 1 : 1 + len(bids)] = np.array(bids) / 13
        flags[row, column["seat", len(bids), 0]] = 1.0
        for place, bid in enumerate(bids):
            flags[row, column[f"{len(bids)}", place, bid]] = 1.0
    auction = np.repeat(np.hstack([numbers, flags]), BINS, axis=0)
    return np.hstack([np.tile(bin_middles(), SEQUENCES)[:, None], auction])


def models(setup: Setup) -> dict[str, Callable[[Floats, NDArray[np.int64]], Floats]]:
    """Return the paper's kinds of model by name, each a function from features and nils to probabilities."""
    forest = RandomForestClassifier(200, min_weight_fraction_leaf=2e-4, random_state=setup.seed, n_jobs=setup.jobs)
    net = MLPClassifier((64, 32), batch_size=4096, early_stopping=True, n_iter_no_change=3, random_state=setup.seed)
    return {
        "logistic regression, one slope of the nil value": by_classes(LogisticRegression(max_iter=1000)),
        "linear regression": by_shares(LinearRegression()),
        "random forest (200 trees)": by_classes(forest),
        "neural network (64 and 32 units)": by_examples(net),
    }


def by_classes(model: Any) -> Callable[[Floats, NDArray[np.int64]], Floats]:
    """Return a function that fits ``model`` to nils as weighted examples of two classes."""

    def probabilities(columns: Floats, nils: NDArray[np.int64]) -> Floats:
        n, made = nils[..., 0].ravel(), nils[..., 1].ravel()
        won, lost = made > 0, n > made
        examples = np.vstack([columns[won], columns[lost]])
        classes = np.repeat([1, 0], [won.sum(), lost.sum()])
        model.fit(examples, classes, sample_weight=np.concatenate([made[won], (n - made)[lost]]).astype(np.float64))
        return np.asarray(model.predict_proba(columns)[:, 1], np.float64)

    return probabilities


def by_examples(model: Any) -> Callable[[Floats, NDArray[np.int64]], Floats]:
    """Return a function that fits ``model`` to one example for each nil, without weights."""

    def probabilities(columns: Floats, nils: NDArray[np.int64]) -> Floats:
        n, made = nils[..., 0].ravel(), nils[..., 1].ravel()
        small = columns.astype(np.float32)
        examples = np.repeat(np.vstack([small, small]), np.concatenate([made, n - made]), axis=0)
        model.fit(examples, np.repeat([1, 0], [made.sum(), (n - made).sum()]))
        return np.asarray(model.predict_proba(small)[:, 1], np.float64)

    return probabilities


def by_shares(model: Any) -> Callable[[Floats, NDArray[np.int64]], Floats]:
    """Return a function that fits ``model`` to the shares of nils made, weighted by their numbers."""

    def probabilities(columns: Floats, nils: NDArray[np.int64]) -> Floats:
        n, made = nils[..., 0].ravel(), nils[..., 1].ravel()
        seen = n > 0
        model.fit(columns[seen], made[seen] / n[seen], sample_weight=n[seen])
        return np.asarray(model.predict(columns), np.float64)

    return probabilities


def same_curve(nils: NDArray[np.int64]) -> Floats:
    """Return the probabilities (SEQUENCES, BINS) of one curve that ignores the bids."""
    return np.repeat(value_at_bins(fit_curves(nils.sum(axis=0, keepdims=True))), SEQUENCES, axis=0)


def scores(probabilities: Floats, held: NDArray[np.int64]) -> tuple[str, str]:
    """Return the log-loss in nats and the Brier score of ``probabilities`` by sequence and bin, as texts."""
    n, made = held[..., 0].ravel(), held[..., 1].ravel()
    p = np.clip(probabilities.ravel(), 1e-6, 1 - 1e-6)
    log_loss = -(made * np.log(p) + (n - made) * np.log(1 - p)).sum() / n.sum()
    brier = (made * (1 - p) ** 2 + (n - made) * p**2).sum() / n.sum()
    return f"{log_loss:.4f}", f"{brier:.4f}"
