"""One open table set, for a service in a test."""

from service.table_sets import OpenSet, TableSets
from spades.tableset import TableSet


def one_set(tables: TableSet) -> TableSets:
    """Return a single open set, in use for all requests."""
    opened = OpenSet(tables)
    return TableSets(opened, {opened.version: opened})
