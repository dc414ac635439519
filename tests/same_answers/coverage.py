"""What the requests of a run covered: counted from the requests and the base service's answers."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tests.same_answers.catalogue import Catalogue
from tests.same_answers.client import Answer, Request
from tests.same_answers.positions import LEVELS
from tests.same_answers.wrong import INFERENCE

_OF_INFERENCES = ("hand", "scores", "policy", "rules", "played", "voids", "given", "received", "deals", "seed")
_BIDS = ("/bid", "/v1/bid", "/v1/bid/blind")


class Coverage:
    """Counts by kind of thing. Policies, presets and what else a request names count where it was answered with 200."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.counts: dict[str, Counter[str]] = {
            "routes": Counter(),
            "statuses": Counter(),
            "problems": Counter(),
            "fault codes": Counter(dict.fromkeys(catalogue.codes, 0)),
            "policies": Counter(dict.fromkeys(catalogue.policies, 0)),
            "policy options": Counter(
                {name: 0 for texts in catalogue.options.values() for name in map(_option, texts)}
            ),
            "presets": Counter(dict.fromkeys(catalogue.presets, 0)),
            "variants": Counter(dict.fromkeys(catalogue.variants, 0)),
            "rules overridden": Counter(dict.fromkeys(catalogue.fields, 0)),
            "conventions": Counter(dict.fromkeys(catalogue.conventions, 0)),
            "levels": Counter({str(level): 0 for level in LEVELS}),
            "other fields": Counter(dict.fromkeys(("style", "seed", "legal_bids", "explain"), 0)),
            "seats": Counter({str(seat): 0 for seat in range(4)}),
            "kinds of bid": Counter(dict.fromkeys(("regular", "nil"), 0)),
            "blind": Counter(dict.fromkeys(("blind nil", "look"), 0)),
            "inferences with": Counter(dict.fromkeys(_OF_INFERENCES if INFERENCE in catalogue.paths else (), 0)),
        }

    def add(self, request: Request, answer: Answer) -> None:
        """Count one request with its answer; of a batch, the answer as a whole."""
        counts = self.counts
        counts["routes"][request.path.partition("?")[0] if answer.status not in (404, 0) else "no such path"] += 1
        counts["statuses"][str(answer.status)] += 1
        if answer.status >= 400 and isinstance(answer.json, dict):
            counts["problems"][str(answer.json.get("type")).removeprefix("/problems/")] += 1
            counts["fault codes"].update(code for _, code in answer.faults)
        if answer.status == 200 and request.path in _BIDS and isinstance(request.data, dict):
            self._add_good(request.data, answer.json)
        if answer.status == 200 and request.path == INFERENCE and isinstance(request.data, dict):
            counts["inferences with"].update(name for name in _OF_INFERENCES if request.data.get(name))

    def holes(self) -> list[str]:
        """What never occurred, although the base service says that it exists."""
        return [
            f"{kind}: {name}" for kind, counter in self.counts.items() for name, count in counter.items() if not count
        ]

    def lines(self) -> Iterator[str]:
        """The table: a line for each kind, cut into pieces that fit a terminal."""
        for kind, counter in self.counts.items():
            cells = [f"{name} {count:,}" for name, count in counter.most_common()]
            first = kind
            for line in _wrapped(cells, 96):
                yield f"{first:<17} {line}"
                first = ""

    def _add_good(self, data: dict[str, Any], answer: Any) -> None:
        counts, catalogue = self.counts, self._catalogue
        policy, _, options = str(data.get("policy", "bis")).partition(":")
        counts["policies"][policy] += 1
        counts["policy options"].update(_option(text) for text in options.split(",") if text)
        rules = data.get("rules") or {}
        preset = rules.get("preset") or catalogue.default_preset
        counts["presets"][preset] += 1
        counts["variants"][rules.get("variant") or catalogue.presets[preset]["variant"]] += 1
        counts["rules overridden"].update(field for field in rules if field != "preset")
        counts["conventions"][data.get("convention") or "none"] += 1
        if data.get("level"):
            counts["levels"][f"{data['level']:g}"] += 1
        counts["other fields"].update(name for name in counts["other fields"] if name in data)
        counts["seats"][str(len(data["previous_bids"]))] += 1
        if "kind" in answer:
            counts["kinds of bid"][answer["kind"]] += 1
        else:
            counts["blind"]["blind nil" if answer["blind_nil"] else "look"] += 1


def _option(text: str) -> str:
    """An option's name, with its value where that is a word.

    >>> _option("endgame=off"), _option("offset=0.15")
    ('endgame=off', 'offset')
    """
    name, _, value = text.partition("=")
    return text if value.isalpha() and "-" not in value else name


def _wrapped(cells: Iterable[str], width: int) -> Iterator[str]:
    line = ""
    for cell in cells:
        if line and len(line) + len(cell) + 2 > width:
            yield f"{line},"
            line = ""
        line = f"{line}, {cell}" if line else cell
    yield line
