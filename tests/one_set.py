"""A service in a test: one open table set, and an app that serves it."""

from typing import Any

from fastapi import FastAPI

from service.app import create_app
from service.table_sets import OpenSet, TableSets
from spades.tableset import TableSet
from tests.conftest import committed_tables
from tests.patience import patient


def one_set(tables: TableSet) -> TableSets:
    """Return a single open set, in use for all requests."""
    opened = OpenSet(tables)
    return TableSets(opened, {opened.version: opened})


def served(**settings: Any) -> FastAPI:
    """Return an app with the `patient` settings that serves the committed tables."""
    app = create_app(patient(**settings))
    app.state.serve(one_set(committed_tables()))
    return app
