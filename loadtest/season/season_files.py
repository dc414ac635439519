"""The folder of a season: a line for each game and event, and the account of each run. A season goes on from them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

GAMES, EVENTS, SETTINGS, RUNS = "games.jsonl", "events.jsonl", "season.json", "runs"


class SeasonError(RuntimeError):
    """A season cannot begin or go on."""


class SeasonFolder:
    """The files of one season. Raises `SeasonError` if the folder holds a season with other ``settings``."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        (path / RUNS).mkdir(parents=True, exist_ok=True)
        file = path / SETTINGS
        if not file.exists():
            file.write_text(json.dumps(settings) + "\n")
        elif (found := json.loads(file.read_text())) != settings:
            raise SeasonError(f"{file} has {found}; accepted: {dict(settings)}, or another folder")
        self.run = len(list((path / RUNS).iterdir())) + 1
        self.save_run({"ended": False})

    def games(self) -> list[dict[str, Any]]:
        """Return the line of each game that was played, of a game that was given up too."""
        return list(self._lines(GAMES))

    def finished(self) -> set[int]:
        """Return the numbers of the games that were played to their end."""
        return {game["number"] for game in self.games() if game["finished"]}

    def add_game(self, game: Mapping[str, Any]) -> None:
        """Add the line of a game."""
        self._add(GAMES, game)

    def events(self) -> list[dict[str, Any]]:
        """Return the lines of the events so far."""
        return list(self._lines(EVENTS))

    def add_event(self, event: Mapping[str, Any]) -> None:
        """Add the line of an event."""
        self._add(EVENTS, event)

    def save_run(self, account: Mapping[str, Any]) -> None:
        """Write the account of this run, in the place of the one before."""
        file = self.path / RUNS / f"{self.run}.json"
        new = file.with_suffix(".new")
        new.write_text(json.dumps(account) + "\n")
        new.replace(file)

    def runs(self) -> list[dict[str, Any]]:
        """Return the accounts of all runs."""
        files = sorted((self.path / RUNS).glob("*.json"), key=lambda file: int(file.stem))
        return [json.loads(file.read_text()) for file in files]

    def _add(self, name: str, value: Mapping[str, Any]) -> None:
        with (self.path / name).open("a") as file:
            file.write(json.dumps(value) + "\n")

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        file = self.path / name
        if not file.exists():
            return
        for line in file.read_text().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue  # it was cut short when the command was killed
