"""The report of a season, as JSON and as text."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from loadtest.season.ledger import Account

MOST_SHOWN = 20  # faults in the text


def make_report(
    settings: dict[str, Any], games: Sequence[dict[str, Any]], runs: Sequence[dict[str, Any]], events: Sequence[Any]
) -> dict[str, Any]:
    """Return the report of a season from the files of its folder."""
    account = Account()
    ended = [run for run in runs if run["ended"]]
    for run in runs:
        if "account" in run:
            account.add(Account.of_json(run["account"]))
    checks: Counter[str] = Counter()
    for game in games:
        checks.update(game["checks"])
    finished = {game["number"] for game in games if game["finished"]}
    faults = [fault for game in games for fault in game["faults"]]
    differing = [row["text"] for run in ended for row in run["rows"] if not row["equal"]]
    faults += [f"totals: {text}" for text in differing]
    faults += [fault for run in runs for fault in run.get("faults", ())]
    faults += [
        f"an error that a caller cannot act on: {kind}"
        for kind, of_it in account.errors.items()
        if not of_it["can_act"]
    ]
    faults += [
        f"event {event['name']}: exit code {event['exit_code']}: {event['output']}"
        for event in events
        if event["exit_code"]
    ]
    return {
        "settings": settings,
        "games": len(finished),
        "games_given_up": sum(not game["finished"] for game in games),
        "rounds": sum(game["rounds"] for game in games),
        "reviews": sum(game["reviews"] for game in games),
        "presets": Counter(game["preset"] for game in games if game["finished"]),
        "variants": Counter(game["variant"] for game in games if game["finished"]),
        "decisions": dict(sorted(account.decisions.items())),
        "checks": dict(sorted(checks.items())),
        "requests": dict(sorted(account.answered.items())),
        "unknown": dict(account.unknown),
        "unread": dict(account.unread),
        "tables": dict(account.tables),
        "times_ms": {path: account.percentiles_ms(path) for path in sorted(account.times)},
        "errors": account.errors,
        "seconds": round(sum(run.get("seconds", 0.0) for run in runs), 1),
        "runs": [{name: value for name, value in run.items() if name != "account"} for run in runs],
        "restarts": sum(len(run.get("restarts", ())) for run in runs),
        "events": list(events),
        "faults": faults,
    }


def text_of(report: dict[str, Any]) -> str:
    """Return the report in words."""
    decisions = report["decisions"]
    bids = sum(count for kind, count in decisions.items() if kind.startswith("bid "))
    cards = sum(count for kind, count in decisions.items() if kind.startswith("card "))
    requests = sum(report["requests"].values())
    lines = [
        f"{report['games']} games, {report['rounds']} rounds, {report['seconds'] / 60:.1f} minutes",
        f"{bids} bids, {decisions.get('pass', 0)} passes, {cards} cards, {report['reviews']} reviews, "
        f"{decisions.get('inference', 0)} inferences",
        "decisions: " + _counts(decisions),
        f"{sum(report['checks'].values())} checks by the referee: " + _counts(report["checks"]),
        f"{requests} answers; unknown fate: {_counts(report['unknown']) or 'none'}; "
        f"unread: {_counts(report['unread']) or 'none'}",
        f"{report['restarts']} restarts seen; events: "
        + (", ".join(f"{event['name']} after {event['after']}" for event in report["events"]) or "none"),
        "",
        f"{'answers 200 of':24}{'requests':>10}{'p50 ms':>10}{'p95 ms':>10}{'p99 ms':>10}",
    ]
    for path, times in report["times_ms"].items():
        figures = "".join(f"{times[name]:10.2f}" for name in ("p50", "p95", "p99"))
        lines.append(f"{path:24}{times['requests']:>10}{figures}")
    lines += ["", "errors:" if report["errors"] else "errors: none"]
    for kind, error in report["errors"].items():
        can = "the caller can act" if error["can_act"] else "THE CALLER CANNOT ACT"
        lines.append(f"  {error['count']} x {kind} ({can}): {error['examples'][0]:.200}")
    for run in report["runs"]:
        lines.append("")
        if not run["ended"]:
            lines.append("a run was killed: its totals were not compared")
            continue
        equal = sum(row["equal"] for row in run["rows"])
        lines.append(f"totals of a run: {equal} of {len(run['rows'])} counters equal")
        lines += [f"  {row['text']}" for row in run["rows"]]
        if run["log"] is not None:
            lines.append(f"  decision log: {run['log']}")
        else:
            lines.append("  decision log: not compared")
    faults = report["faults"]
    lines += ["", f"faults: {len(faults)}", *(f"  {fault:.600}" for fault in faults[:MOST_SHOWN])]
    return "\n".join(lines) + "\n"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)
