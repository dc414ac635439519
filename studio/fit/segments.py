"""Segments of a log: groups of seats, formed by the labels of the seat and of the seat's partner.

`studio fit` fits one table set to each segment; `studio report` judges each segment.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.errors import BuildError
from studio.round_log import LABEL_FIELDS
from studio.rounds import NO_LABEL, Names

PARTNER = "partner."
FIELDS = (*LABEL_FIELDS, *(f"{PARTNER}{name}" for name in LABEL_FIELDS))
EVERY = "all"  # name of the only segment, without `by`
MOST_SEGMENTS = 32


class Segments(NamedTuple):
    """Which seats are used (``label``), and by which label fields they are grouped into segments (``by``)."""

    label: tuple[str, ...] = ()  # what the labels must contain, such as kind=human or partner.kind=bot
    by: tuple[str, ...] = ()  # some of FIELDS; seats of a segment have the same values of them

    def split(self, labels: NDArray[np.int32], names: Names) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield the segments of rounds, each with the seats (n, 4) that belong to it.

        ``labels``: as in `Rounds`. Raises `BuildError` if there are more than MOST_SEGMENTS.
        """
        own_numbers = labels.astype(np.int64) - NO_LABEL  # 0: no label, otherwise 1 + index in names.labels
        # One number for the labels of the seat and of its partner.
        label_pairs = own_numbers * (len(names.labels) + 1) + np.roll(own_numbers, 2, axis=1)
        pairs_by_segment: dict[str, list[int]] = {}
        for pair in np.unique(label_pairs).tolist():
            seat, partner = (
                _values(names.labels[number - 1]) if number else {} for number in divmod(pair, len(names.labels) + 1)
            )
            values = seat | {f"{PARTNER}{name}": value for name, value in partner.items()}
            if set(self.label) <= {f"{name}={value}" for name, value in values.items()}:
                pairs_by_segment.setdefault(self._name(values), []).append(pair)
        if len(pairs_by_segment) > MOST_SEGMENTS:
            raise BuildError(f"--by gives {len(pairs_by_segment)} segments; accepted: {MOST_SEGMENTS} at most")
        for name, pairs in sorted(pairs_by_segment.items()):
            yield name, np.isin(label_pairs, pairs)

    def _name(self, values: dict[str, str]) -> str:
        return ",".join(f"{name}={values[name]}" if name in values else f"no {name}" for name in self.by) or EVERY


def read_segments(label: str | None, by: str | None) -> Segments:
    """Return the segments of the options --label and --by. Raises `BuildError`."""
    parts = tuple(label.split(",")) if label else ()
    fields = tuple(by.split(",")) if by else ()
    for part in parts:
        name, equals, value = part.partition("=")
        if name not in FIELDS or not equals or not value:
            raise BuildError(f"--label has {part!r}; accepted: FIELD=VALUE, where FIELD is one of {', '.join(FIELDS)}")
    for name in fields:
        if name not in FIELDS:
            raise BuildError(f"--by has {name!r}; accepted: {', '.join(FIELDS)}")
    return Segments(parts, fields)


def _values(label: str) -> dict[str, str]:
    # The fields of a label of `Names`. A value has no comma.
    return dict(part.split("=", 1) for part in label.split(","))
