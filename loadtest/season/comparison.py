"""Do the client's account, the service's counters and its decision log say the same?

A row of the comparison holds the client's number, and how far the service's may differ: up by the requests whose fate
is not known, down by the answers that an ended process took with it (`loadtest.season.ledger`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from loadtest.season.game import GameRecord, LoggedBid, TablesUsed
from loadtest.season.ledger import POLLED, UNSURE, Account
from loadtest.season.service_counts import Roles, ServiceCounts


class Row(NamedTuple):
    """One number by the client and by the service."""

    name: str
    client: int
    service: int
    unknown: int = 0  # the service may have more, at most this number
    unread: int = 0  # the service may have fewer, at most this number

    @property
    def equal(self) -> bool:
        """Return whether the two agree within what is not known."""
        return self.client - self.unread <= self.service <= self.client + self.unknown

    def text(self) -> str:
        """Return the row in words."""
        allowed = f", {self.unknown} unknown, {self.unread} unread" if self.unknown or self.unread else ""
        return (
            f"{self.name}: client {self.client}, service {self.service}{allowed}{'' if self.equal else '  DIFFERENT'}"
        )


def compare_counters(account: Account, service: ServiceCounts) -> list[Row]:
    """Return a row for each counter that both keep."""
    unknown, unread, decisions = account.unknown, account.unread, account.decisions
    rows = []
    by_route = service.by("spades_http_requests_total", "route", "status")
    mine = {tuple(key.rsplit(" ", 1)): count for key, count in account.answered.items()}
    for path, status in sorted({*mine, *by_route}):
        if path in POLLED or path == "other":
            continue
        theirs = by_route.get((path, status), 0)
        client = mine.get((path, status), 0)
        if int(status) in UNSURE or int(status) == 499:  # the proxy may have answered, or the caller was gone
            rows.append(Row(f"{path} {status}", client, theirs, unknown[path], client))
        else:
            rows.append(Row(f"{path} {status}", client, theirs, unknown[path], unread[f"{path} {status}"]))
    kinds = service.by("spades_bids_total", "kind")
    decided = Counter({kind: decisions[f"bid {kind}"] for (kind,) in kinds})
    decided["regular"] += decisions["bid blind_number"]  # a number like others for the service
    for (kind,), theirs in sorted(kinds.items()):
        rows.append(Row(f"bids {kind}", decided[kind], theirs, unknown["bids"], unread["bids"]))
    versions = service.by("spades_tables_bids_total", "version")
    for version in sorted({*account.tables, *(one for (one,) in versions)}):
        theirs, client = versions.get((version,), 0), account.tables[version]
        if theirs or client:
            rows.append(Row(f"bids of tables {version}", client, theirs, unknown["bids"], unread["bids"]))
    # A batch may have stated up to three probabilities for each of its results.
    stated = decisions["outcomes with a probability"]
    results = service.total("spades_results_total")
    rows.append(Row("outcomes", stated, results, 3 * unknown["results"], 3 * unread["results"]))
    codes = service.by("spades_validation_errors_total", "code")
    some_faults = sum(unknown[path] for path in unknown if path.startswith("/v1/"))
    for code in sorted({*account.faults, *(one for (one,) in codes)}):
        theirs, client = codes.get((code,), 0), account.faults[code]
        if theirs or client:
            rows.append(Row(f"faults {code}", client, theirs, some_faults, 13 * unread["faults"]))
    fallbacks = service.by("spades_search_fallbacks_total", "reason")
    for reason in ("busy", "deadline", "failed"):
        theirs, client = fallbacks.get((reason,), 0), decisions[f"not searched: {reason}"]
        rows.append(Row(f"cards at once: {reason}", client, theirs, unknown["/v1/card"], unread["/v1/card 200"]))
    rows.append(Row("records dropped by the decision log", 0, service.total("spades_decision_log_dropped_total")))
    return rows


class LogComparison(NamedTuple):
    """The decision log beside the client's bids and results with a `round_id`."""

    bids: int  # the client's
    results: int
    bid_records: int  # the log's, of these rounds
    result_records: int
    missing: list[str]  # bids or results of the client that the log lacks
    different: list[str]
    unexplained: int  # records of bids that the client does not know, beyond those of unknown fate
    repeated: int  # records of a bid that came again after a lost answer

    @property
    def equal(self) -> bool:
        """Return whether the log has all that the client has, and no more than can be explained."""
        return not (self.missing or self.different or self.unexplained)


def compare_log(
    records: Iterable[dict[str, Any]], run: str, games: Sequence[GameRecord], unknown_bids: int
) -> LogComparison:
    """Compare the log's records of the rounds of a ``run`` with the bids and results of ``games``.

    ``unknown_bids``: bids of requests of unknown fate; the log may have them although the client has no answer.
    """
    logged: dict[tuple[str, int], list[LoggedBid]] = {}
    result_records: Counter[tuple[str, int]] = Counter()
    for record in records:
        if record["record"] == "decision" and record["request"]["round_id"].endswith(run):
            request = record["request"]
            key = (request["round_id"], len(request["previous_bids"]))
            logged.setdefault(key, []).append(LoggedBid(*key, record["bid"], record["policy"], record["tables"]))
        elif record["record"] == "result" and record["round_id"].endswith(run):
            result_records[record["round_id"], record["seat"]] += 1
    bids = {(bid.round_id, bid.seat): bid for game in games for bid in game.bids}
    results = Counter(result for game in games for result in game.results)
    missing = [f"bid {key}" for key in bids if key not in logged]
    missing += [f"result {key}, {count} times" for key, count in (results - result_records).items()]
    different = [
        f"{bid}; in the log: {logged[key]}" for key, bid in bids.items() if key in logged and bid not in logged[key]
    ]
    without_answer = sum(key not in bids for key in logged)
    repeated = sum(len(found) - 1 for found in logged.values())
    return LogComparison(
        bids=len(bids),
        results=results.total(),
        bid_records=sum(map(len, logged.values())),
        result_records=result_records.total(),
        missing=missing,
        different=different,
        unexplained=max(0, without_answer + repeated - unknown_bids),
        repeated=repeated,
    )


def expected_tables(game: str | None, roles: Roles) -> str:
    """Return the version that answers a game by docs/reference/file-formats.md#several-table-sets."""
    if game is None or roles.canary is None:
        return roles.default
    number = int.from_bytes(sha256(f"{roles.canary}:{game}".encode()).digest()[:8], "big")
    return roles.canary if number < roles.share * 2**64 else roles.default


def wrong_tables(used: Iterable[TablesUsed], roles: Sequence[Roles]) -> list[str]:
    """Return the bids that other tables made than the roles say. Near a restart, those before and after are right."""
    found = []
    for one in used:
        right = {
            one.named or expected_tables(one.game, epoch)
            for epoch in roles
            if one.answered_at >= epoch.since and one.asked_at <= epoch.until
        }
        if one.tables not in right:
            found.append(f"{one}; accepted: {sorted(right)}")
    return found
