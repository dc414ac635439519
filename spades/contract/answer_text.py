"""Answers as text for people, for the command line: a bid with the figures behind it, and a card with its reasons.

Every figure comes from the answer as JSON. Fields of an explanation that a later version adds are printed too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

_INDENT = "  "
_SEPARATE = ("sentence", "reasons", "adjustments", "candidates")  # printed separately, not as sections


def bid_text(answer: Mapping[str, Any]) -> str:
    """Return the answer to a request for a bid as lines of text.

    >>> print(bid_text({"bid": 0, "kind": "nil", "policy": "io", "tables": "t", "assumed": [], "explanation": None}))
    bid 0 (nil), policy io, tables t
    """
    lines = [f"bid {answer['bid']} ({answer['kind']}), policy {answer['policy']}, tables {answer['tables']}"]
    if answer["assumed"]:
        lines.append(f"assumed: {', '.join(answer['assumed'])}")
    explanation: Mapping[str, Any] = answer.get("explanation") or {}
    if "sentence" in explanation:
        lines += ["", str(explanation["sentence"])]
    for name, section in explanation.items():
        if name not in _SEPARATE:
            lines += ["", *_section(name, section)]
    for step in explanation.get("adjustments", ()):
        lines += ["", f"adjusted by {step['rule']}: {step['before']} -> {step['after']}", f"{_INDENT}{step['why']}"]
    candidates = explanation.get("candidates", ())
    if candidates:
        lines += ["", "candidates", *(f"{_INDENT}{_value(candidate)}" for candidate in candidates)]
    return "\n".join(lines)


def card_text(answer: Mapping[str, Any]) -> str:
    """Return the answer to a request for a card as lines of text."""
    lines = [f"play {answer['card']} (player {answer['player']})"]
    if answer["assumed"]:
        lines.append(f"assumed: {', '.join(answer['assumed'])}")
    lines += ["", *(reason["sentence"] for reason in answer["reasons"]), ""]
    return "\n".join([*lines, f"legal cards: {', '.join(answer['legal'])}"])


def review_text(answer: Mapping[str, Any]) -> str:
    """Return the answer to a request for a review as lines of text: each decision, then each player."""
    lines = [f"judged by {answer['policy']}, tables {answer['tables']}"]
    if answer["assumed"]:
        lines.append(f"assumed: {', '.join(answer['assumed'])}")
    if not answer["cards_reviewed"]:
        lines.append("cards: not reviewed")
    for one in answer["decisions"]:
        lines += ["", f"seat {one['seat']}, {one['kind']} {one['choice']}: {one['grade'] or 'no grade'}"]
        lines += [f"{_INDENT}{reason['sentence']}" for reason in one["reasons"]]
    lines.append("")
    for player in answer["summary"]:
        grades = ", ".join(f"{number} {grade}" for grade, number in player["grades"].items() if number)
        lines.append(f"seat {player['seat']}: lost {100 * player['total_loss']:.1f}%; {grades or 'no grades'}")
    return "\n".join(lines)


def _section(name: str, section: Any) -> list[str]:
    if not isinstance(section, Mapping):
        return [f"{_words(name)}: {_value(section)}"]
    width = max((len(key) for key in section), default=0)
    return [_words(name), *(f"{_INDENT}{_words(key):<{width}}  {_value(value)}" for key, value in section.items())]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").removesuffix(".") if abs(value) < 1000 else f"{value:.1f}"
    if isinstance(value, Mapping):
        return "   ".join(f"{_words(key)} {_value(item)}" for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_value(item) for item in value) or "-"
    return str(value)
