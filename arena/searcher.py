"""The process that searches for cards for the service: `python -m arena searcher`.

The service imports no compiler, so it starts this process and exchanges lines of JSON with it
(docs/adr/0068-search-in-the-service.md). When the process is ready, it writes READY. Then it answers each line of
standard input with one line, one after the other, and ends when the input ends. It does not check requests, because the
service has done so.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from arena.called.searching import EQUAL, PARTNERS, VERSIONS, weights_by_bids
from arena.engine.jit import entry
from arena.engine.states import STATE
from arena.players.search import (
    BEHIND,
    BETTER,
    CARD,
    CELLS,
    DEALS,
    GAIN,
    MOST_CARDS,
    PLAYABLE,
    SQUARES,
    WORTH,
    Plan,
    Value,
    compare_cards,
    plan_of,
    review_plan,
    try_cards,
)
from spades.errors import TablesError
from spades.inference import Readers, readers_of, reads_bids
from spades.rules import Rules
from spades.tables import PARTNERSHIP_PROFILE
from spades.tableset import TableSet, open_tables
from spades.winprob import WinTableSlice, win_array

LATER = 5  # by how much the nice value of the process is above that of the service
KEPT_OPEN = 16  # table sets; a service opens at most this many (`table_sets.MOST_SETS`)
READY = {"ready": True}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command: none."""


def main(arguments: argparse.Namespace) -> int:
    """Answer the lines of standard input until it ends, at a lower priority than the service."""
    os.nice(LATER)
    serve(sys.stdin, sys.stdout, entry(searched_card))
    return 0


def serve(source: TextIO, target: TextIO, search: Callable[..., int]) -> None:
    """Compile ``search``, write READY, and answer each line of ``source`` with a line to ``target``.

    Each answer is that of `answer`, or has only the field ``error`` if the tables cannot be used. ``search``:
    `entry(searched_card)`; the first call here compiles it.
    """
    nothing = _value_of(Rules(), WinTableSlice(0, 0, -1), np.zeros(1, np.uint16))
    search(np.zeros(2, STATE), 0, NOTHING, EQUAL.copy(), plan_of(1, 1), nothing, np.zeros((MOST_CARDS, CELLS)))
    _write(target, READY)
    for line in source:
        try:
            _write(target, answer(json.loads(line), search))
        except TablesError as error:
            _write(target, {"error": str(error)})


def answer(request: Mapping[str, Any], search: Callable[..., int]) -> dict[str, Any]:
    """Return the card to play, and a row for each distinct legal card; of touching cards, only one has a row.

    A row has the card, the number of deals on which it was tried, and its win probability.

    A request has these fields: ``tables``, directory and sha256; ``rules``, the values of `Rules`; ``state``, the
    fields of the play state; ``seat``; ``dealt``, the seat's hand as dealt; ``given``, the cards that the seat gave to
    partner; ``bids``, the policy by which the seat assumes the others bid; ``player``, a name of `VERSIONS`, and its
    option ``deals``. With ``open``, a request only opens its tables, and the answer is READY. With ``played``, a card
    that was played, and without ``player``, all cards are compared with it on the same deals: see `_valued`.

    Raises `TablesError` if the tables cannot be used, or are not those that the request names.
    """
    tables, readers = _open(*request["tables"])
    if request.get("open"):
        return READY
    rules = Rules(*request["rules"])
    states = np.zeros(2, STATE)
    for name, cells in request["state"].items():
        # With 16 spades, bit 63 is a card, but in an int64 it is the sign bit.
        states[name][0] = np.array(cells, np.uint64).astype(np.int64) if name in UNSIGNED else cells
    tried = np.zeros((MOST_CARDS, CELLS))
    weights = _weights(request, states[0], rules, readers)
    played, deals = request.get("played", NOTHING), request["deals"]
    plan = review_plan(deals) if played != NOTHING else plan_of(VERSIONS[request["player"]], deals)
    card = search(states, request["seat"], played, weights, plan, _value(tables, rules), tried)
    if played != NOTHING:
        return {"valued": _valued(tried)}
    return {"card": int(card), "tried": _rows(tried)}


NOTHING = -1  # instead of a card that was played
UNSIGNED = ("hand", "played", "deck")  # fields of a state that are sets of cards


def _rows(tried: NDArray[np.float64]) -> list[tuple[int, int, float | None]]:
    """Return each card with its number of deals and its win probability, which is None without deals.

    Cards that were left out early have other deals than the rest, so their probability is that of a card with all deals
    and the difference on common deals: to SRP's card, or if this was left out too, to the best one.
    """
    rows = tried[tried[:, PLAYABLE] > 0.0]
    deals = rows[:, DEALS]
    if deals[0] == 0.0:
        return [(int(row[CARD]), 0, None) for row in rows]
    whole = deals == deals.max()
    means = rows[:, WORTH] / deals
    if whole[0]:
        worths = means[0] + rows[:, GAIN] / deals
    else:
        worths = np.array([_worth(rows, means, whole, i) for i in range(len(rows))])
    shown = np.clip(worths, 0.0, 1.0).tolist()
    return list(zip(rows[:, CARD].astype(int).tolist(), deals.astype(int).tolist(), shown, strict=True))


def _worth(rows: NDArray[np.float64], means: NDArray[np.float64], whole: NDArray[np.bool_], i: int) -> float:
    # Of a card with all deals, its mean; else that of the card because of which it was left out, minus the difference.
    return float(means[i]) if whole[i] else _worth(rows, means, whole, int(rows[i, BETTER])) - float(rows[i, BEHIND])


def _valued(tried: NDArray[np.float64]) -> list[tuple[int, float, float, float]]:
    """Return each distinct legal card, the played one first, if all were tried on the same deals.

    A row has the card, its win probability, by how much this is above that of the played card, and the standard error
    of this difference. Without deals the list is empty.
    """
    rows = tried[tried[:, DEALS] > 0.0]
    deals = rows[:, DEALS]
    gains = rows[:, GAIN] / deals
    errors = np.sqrt(np.maximum(rows[:, SQUARES] / deals - gains * gains, 0.0) / deals)
    columns = rows[:, CARD].astype(int), rows[:, WORTH] / deals, gains, errors
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _weights(request: Mapping[str, Any], state: Any, rules: Rules, readers: Readers) -> NDArray[np.float64]:
    """Return the weights (64, 3) of the cards for the next three seats, as `arena.called.searching` makes them."""
    weights = EQUAL.copy()
    if reads_bids(rules):
        side = request["seat"] & 1
        scores = np.array([[state[name][one] for name in ("score", "bags") for one in (side, 1 - side)]])
        net, dealt = readers.nets[request["bids"]], np.array([request["dealt"]])
        weights = weights_by_bids(net, dealt, np.array([request["seat"]]), state["bid"][None], scores, rules)[0]
    for card in range(64):
        if request["given"] >> card & 1:
            weights[card] = PARTNERS
    return weights


def _open(directory: str, sha256: str) -> tuple[TableSet, Readers]:
    found = _kept_open(directory, sha256)
    if found[0].changed_file() is None:
        return found
    _kept_open.cache_clear()  # its arrays are mapped from the changed files, so open it again
    return _kept_open(directory, sha256)


@lru_cache(KEPT_OPEN)
def _kept_open(directory: str, sha256: str) -> tuple[TableSet, Readers]:
    opened = open_tables(Path(directory))
    if opened.sha256 != sha256:
        raise TablesError(f"{directory}: found tables with sha256 {opened.sha256}; expected {sha256}")
    return opened, readers_of(opened.arrays)


def _value(tables: TableSet, rules: Rules) -> Value:
    nearest = tables.games.nearest(rules)
    assert nearest is not None, "the service refuses rules without a win table"
    return _value_of(rules, nearest.win_slice, win_array(nearest.win_slice, tables.kernel_arrays[PARTNERSHIP_PROFILE]))


def _value_of(rules: Rules, win_slice: WinTableSlice, win: Any) -> Value:
    win = np.asarray(win)  # mapped arrays have a class of their own
    win.flags.writeable = False  # so that there is one type to compile for
    return Value(rules, win_slice, win)


def searched_card(states: Any, me: int, played: int, weights: Any, plan: Plan, value: Value, tried: Any) -> int:
    """Return the best card, and write to ``tried`` what `answer` reads; ``states`` (2,): the second is working memory.

    With ``played``, all cards are compared with that card.
    """
    # `serve` passes an empty hand only to compile this function.
    if states[0].hand[me] == 0:
        return NOTHING
    if played != NOTHING:
        return compare_cards(states[0], states[1], me, played, weights, plan, value, tried)
    return try_cards(states[0], states[1], me, weights, plan, value, tried)


def _write(target: TextIO, line: Mapping[str, Any]) -> None:
    target.write(json.dumps(line) + "\n")
    target.flush()
