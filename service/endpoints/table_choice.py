"""Choose the table set that decides a request: the one that it names, the canary or the default."""

from collections.abc import Callable
from typing import Any

from service.keys import Key
from service.state import not_ready
from service.table_sets import OpenSet, TableSets
from spades.contract.faults import RequestError
from spades.contract.fields import unknown_tables
from spades.winprob import Games


def set_for(sets: TableSets, data: Any, key: Key | None, read: Callable[[Any, Games], object]) -> OpenSet:
    """Return the set that decides the request ``data`` of a caller with ``key``.

    Raises the 422 if the request names a set that is not open, with the faults that ``read`` finds; raises the 503 if
    the files of the set have changed. A request of a wrong form gets the default set; its reader refuses it.
    """
    if type(data) is not dict:
        return sets.default
    version = data.get("tables")
    if version is None:
        if sets.canary is None:
            return sets.default
        chosen = sets.of_caller(data.get("game"), key)
    elif type(version) is not str:
        return sets.default
    elif version in sets.by_version:
        chosen = sets.by_version[version]
    else:
        raise _unknown(version, sets, data, read)
    if chosen.changed:
        raise not_ready(chosen.changed)
    return chosen


def _unknown(version: str, sets: TableSets, data: Any, read: Callable[[Any, Games], object]) -> RequestError:
    faults = [unknown_tables(version, sets.by_version)]
    try:
        read(data, sets.default.tables.games)
    except RequestError as refused:
        faults += refused.faults
    return RequestError(faults)
