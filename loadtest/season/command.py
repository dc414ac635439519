"""`python -m loadtest season`: play a season, and report.

Several games are played at once. A seed draws the same rules, players and deals again. Table sets that change and
searches that are busy can change answers, and so the games. Interrupted, it gives up the games under way and compares
the totals; started again, it goes on from its folder.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any, NamedTuple

import httpx2
from spades_client import AsyncClient, SpadesError
from tqdm import tqdm

from loadtest.season.comparison import LogComparison, compare_counters, compare_log, wrong_tables
from loadtest.season.desk import Desk, GaveUp
from loadtest.season.draws import Catalogue, plan_game
from loadtest.season.game import Game, GameRecord
from loadtest.season.ledger import CountingTransport, Ledger
from loadtest.season.report import make_report, text_of
from loadtest.season.season_files import SeasonError, SeasonFolder
from loadtest.season.service_counts import TIMEOUT_S, ServiceCounts, decision_records
from loadtest.servers import ServerError, running_service

POLL_S = 0.3  # between two readings of the counters
READ_S = 120.0  # how long the counters may be away at the end
LOG_S = 30.0  # how long the decision log may be behind
NEAR_RESTART_S = 10.0  # a broken request this near to a restart or an event is explained by it
DECISIONS = "decisions.jsonl"


class Event(NamedTuple):
    """Something that happens when ``after`` games are finished: ``name`` is given to the command of `--on-event`."""

    after: int
    name: str


class Season:
    """One run of a season."""

    def __init__(self, options: argparse.Namespace, folder: SeasonFolder) -> None:
        self.options = options
        self.folder = folder
        self.ledger = Ledger()
        self.counts = ServiceCounts(options.metrics_url or options.url, self.ledger)
        self.run = f"run{folder.run}-{time():.0f}"
        self.games: list[GameRecord] = []
        self.started_at = time()
        self.done = len(folder.finished())
        self.event_times: list[tuple[float, float]] = []
        self.interrupted = False
        self._all_played = False
        self._game_ended = asyncio.Event()

    async def play(self) -> None:
        """Play the games that are left, and write the account of the run."""
        limits = httpx2.Limits(max_connections=2, max_keepalive_connections=0)
        headers = {"Authorization": f"Bearer {self.options.api_key}"} if self.options.api_key else {}
        transport = CountingTransport(self.ledger)
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT_S, limits=limits, headers=headers) as http,
            AsyncClient(self.options.url, key=self.options.api_key or None, transport=transport) as client,
        ):
            try:
                await self.counts.start(http)
            except (httpx2.HTTPError, ValueError) as error:
                raise SeasonError(f"{self.counts.url}/metrics cannot be read ({error}); see --metrics-url") from None
            polling = asyncio.create_task(self._poll(http))
            try:
                await self._play(client)
            finally:
                polling.cancel()
                await asyncio.gather(polling, return_exceptions=True)
                await self._read_at_end(http)
                self.folder.save_run(await self._final_account())

    async def _play(self, client: AsyncClient) -> None:
        try:
            catalogue = Catalogue.of(dict(await client.list_rules(timeout_s=TIMEOUT_S)))
        except (SpadesError, ValueError) as error:
            raise SeasonError(f"{self.options.url}/v1/rules: {error}") from None
        finished = self.folder.finished()
        numbers = iter([number for number in range(self.options.games) if number not in finished])
        desk = Desk(client, self.ledger)
        loop = asyncio.get_running_loop()
        with tqdm(total=self.options.games, initial=self.done, desc="season", unit="game", disable=None) as bar:
            players = [
                asyncio.create_task(self._player(numbers, catalogue, desk, bar)) for _ in range(self.options.at_once)
            ]
            events = asyncio.create_task(self._events())
            all_games = asyncio.gather(*players)
            for signum in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(signum, all_games.cancel)
            try:
                await all_games
                self._all_played = True
                self._game_ended.set()
                await events
            except asyncio.CancelledError:
                self.interrupted = True
            finally:
                for signum in (signal.SIGINT, signal.SIGTERM):
                    loop.remove_signal_handler(signum)
                for task in (*players, events):
                    task.cancel()
                await asyncio.gather(*players, events, return_exceptions=True)
                await desk.close()

    async def _player(self, numbers: Iterator[int], catalogue: Catalogue, desk: Desk, bar: Any) -> None:
        for number in numbers:
            plan = plan_game(self.options.seed, number, catalogue)
            game = Game(
                plan,
                desk,
                self.ledger,
                versions=self.counts.roles[-1].versions,
                searches=self.counts.searches,
                run=self.run,
                review_share=self.options.review_share,
            )
            self.games.append(game.record)
            try:
                await game.play()
            except GaveUp as error:
                game.fault(str(error))
            preset, variant = plan.rules["preset"], plan.all_rules["variant"]
            record = game.record
            self.folder.add_game(
                {
                    **{name: getattr(record, name) for name in ("number", "finished", "rounds", "points", "reviews")},
                    "preset": preset,
                    "variant": variant,
                    "rules": plan.rules,
                    "checks": record.checks,
                    "faults": record.faults,
                }
            )
            self.done += record.finished
            bar.update(record.finished)
            self._game_ended.set()
            self.folder.save_run(self._account())

    # ---- events ------------------------------------------------------------------------------------------------------

    async def _events(self) -> None:
        happened = len(self.folder.events())
        for event in self.options.events[happened:]:
            while self.done < event.after and not self._all_played:
                self._game_ended.clear()
                await self._game_ended.wait()
            began = time()
            command = f"{self.options.on_event} {event.name}"
            process = await asyncio.create_subprocess_shell(
                command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            output, _ = await process.communicate()
            self.event_times.append((began, time()))
            self.folder.add_event(
                {
                    "name": event.name,
                    "after": self.done,
                    "run": self.folder.run,
                    "at": round(began - self.started_at, 1),
                    "seconds": round(time() - began, 1),
                    "exit_code": process.returncode,
                    "output": output.decode(errors="replace")[-500:],
                }
            )

    # ---- the account -------------------------------------------------------------------------------------------------

    async def _poll(self, http: httpx2.AsyncClient) -> None:
        while True:
            await self.counts.poll(http)
            await asyncio.sleep(POLL_S)

    async def _read_at_end(self, http: httpx2.AsyncClient) -> None:
        give_up = time() + READ_S
        while not await self.counts.poll(http):
            if time() > give_up:
                raise SeasonError(f"{self.counts.url}/metrics has not answered for {READ_S:g} s")
            await asyncio.sleep(POLL_S)

    def _account(self) -> dict[str, Any]:
        return {
            "ended": False,
            "seconds": round(time() - self.started_at, 1),
            "account": self.ledger.account.as_json(),
            "restarts": [vars(restart) for restart in self.counts.restarts],
        }

    async def _final_account(self) -> dict[str, Any]:
        account = self._account()  # before the log is waited for
        log = await self._compare_log()
        rows = compare_counters(self.ledger.account, self.counts)
        return account | {
            "ended": True,
            "rows": [{**row._asdict(), "equal": row.equal, "text": row.text()} for row in rows],
            "log": None if log is None else log._asdict(),
            "roles": [role._asdict() for role in self.counts.roles],
            "searches": self.counts.total("spades_searches_total"),
            "faults": self._faults(log),
        }

    async def _compare_log(self) -> LogComparison | None:
        if self.options.decision_log is None:
            return None
        give_up = time() + LOG_S
        while True:
            records = decision_records(self.options.decision_log)
            found = compare_log(records, self.run, self.games, self.ledger.account.unknown["bids"])
            if not found.missing or time() > give_up:
                return found
            await asyncio.sleep(POLL_S)

    def _faults(self, log: LogComparison | None) -> list[str]:
        faults = [f"other tables: {one}" for one in self._wrong_tables()]
        if log is not None and not log.equal:
            faults.append(f"the decision log: {log}")
        near = [(one.last_read_at, one.next_read_at) for one in self.counts.restarts] + self.event_times
        for at, what in self.ledger.broken:
            if not any(start - NEAR_RESTART_S <= at <= end + NEAR_RESTART_S for start, end in near):
                faults.append(f"a request broke, and no restart was near: {what}")
        return faults

    def _wrong_tables(self) -> list[str]:
        return wrong_tables((used for game in self.games for used in game.tables), self.counts.roles)


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a fault was found, 2 for wrong arguments, 130 if interrupted."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.events and not options.on_event:
        parser.error("--events needs --on-event COMMAND")
    late = [event for event in options.events if event.after > options.games]
    if late:
        parser.error(f"event {late[0].name} is after {late[0].after} games; accepted: 0..{options.games}")
    try:
        with _service(options):
            return _run(options)
    except (SeasonError, ServerError, OSError) as error:
        print(f"loadtest season: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    settings = {"seed": options.seed, "review_share": options.review_share}
    season = Season(options, folder := SeasonFolder(options.out, settings))
    asyncio.run(season.play())
    report = make_report({**settings, "games": options.games}, folder.games(), folder.runs(), folder.events())
    (options.out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    text = text_of(report)
    (options.out / "report.txt").write_text(text)
    print(text)
    if season.interrupted:
        print(f"interrupted; the same command goes on from {options.out}", file=sys.stderr)
        return 130
    return 1 if report["faults"] else 0


@contextmanager
def _service(options: argparse.Namespace) -> Iterator[None]:
    """Start a service with a decision log in the season's folder, unless ``options`` name one that is running."""
    if options.url:
        yield
        return
    options.out.mkdir(parents=True, exist_ok=True)
    options.decision_log = options.out / DECISIONS
    with running_service(SPADES_DECISION_LOG=str(options.decision_log.resolve())) as server:
        options.url = server.url
        yield


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtest season", description="Play whole games, and check all.")
    parser.add_argument("--url", type=_url, help="a running service; default: start one on a free port")
    parser.add_argument("--metrics-url", type=_url, help="where its /metrics and /version answer; default: --url")
    log = "its decision log: a file, or a folder with all its files; default: not compared"
    parser.add_argument("--decision-log", type=Path, help=log)
    parser.add_argument("--games", type=_count, default=1000, help="games of the season (default %(default)s)")
    parser.add_argument("--seed", type=_count, default=1, help="decides deals, rules and players (default %(default)s)")
    parser.add_argument("--at-once", type=_count, default=24, help="games played at once (default %(default)s)")
    share = "share of the rounds that are reviewed, 0 to 1 (default %(default)s)"
    parser.add_argument("--review-share", type=_share, default=0.1, help=share)
    out = "folder of the report and of what is played; an interrupted season goes on from it (default %(default)s)"
    parser.add_argument("--out", type=Path, default=Path("season"), help=out)
    events = 'what happens on the way, such as "200 restart, 400 canary": after so many games, the command is run'
    parser.add_argument("--events", type=_events, default=(), help=events)
    parser.add_argument("--on-event", metavar="COMMAND", help="the command; it gets the event's name as an argument")
    key = "API key for the service (default: $LOADTEST_API_KEY)"
    parser.add_argument("--api-key", default=os.environ.get("LOADTEST_API_KEY", ""), help=key)
    return parser


def _url(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]+", text):
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: http://HOST:PORT")
    return text


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: an integer such as 8")
    return int(text)


def _share(text: str) -> float:
    if not re.fullmatch(r"0(\.[0-9]+)?|1(\.0+)?", text):
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: a number from 0 to 1")
    return float(text)


def _events(text: str) -> tuple[Event, ...]:
    found = [re.fullmatch(r"\s*([0-9]{1,6}) ([a-z0-9-]+)\s*", part) for part in text.split(",")]
    events = [Event(int(match[1]), match[2]) for match in found if match]
    if len(events) < len(found) or events != sorted(events, key=lambda event: event.after):
        accepted = "a rising number of games and a name, several with commas, such as 200 restart, 400 canary"
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: {accepted}")
    return tuple(events)
