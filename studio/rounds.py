"""Rounds of a log as arrays, for the checks and the counts; and which rounds come twice.

`Keys` finds these by 64-bit hashes: 16 to 32 bytes a round, and 56 while its table grows.
"""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import entry
from arena.engine.mixing import mixed
from arena.engine.rounds import ROUND
from spades.cards import DECK, DECKS, STANDARD, cards_of, format_card
from spades.errors import RulesError
from spades.rules import CUTTHROAT, FIRST_BIDDER_LEADS, JOKERS, VARIANTS, Rules, make_rules
from studio.round_log import HAND_CHARACTERS, LABEL_FIELDS

NO_CARD = 255
WRONG_HAND = -1
NO_TRICKS = -1
NO_POINTS = -(2**15)
NO_BAGS = -1
NO_WINNER = -1
NO_LABEL = -1
NOT_KNOWN = " " * HAND_CHARACTERS  # in place of a hand that is not known; `RoundLog` refuses it as a hand
FIRST_CELLS = 1 << 16  # of `Keys`
_DOT, _SPACE = b". "
_GOLDEN = 0x9E3779B97F4A7C15  # an odd number; it moves the rounds of a game far from each other before they are hashed
_RANK = np.full(256, -1, np.int64)
_RANK[np.frombuffer(b"23456789TJQKA", np.uint8)] = np.arange(13)
_CARD = np.full(1 << 16, NO_CARD, np.uint8)  # by the two bytes of a card, as one number
for _card in cards_of(DECK):
    _CARD[np.frombuffer(format_card(_card).encode(), np.uint16)] = _card


class Rounds(NamedTuple):
    """n rounds. Seats are in bidding order."""

    hands: NDArray[Any]  # int64 (n, 4): bit masks; 0 if not known, or WRONG_HAND
    bids: NDArray[Any]  # int8 (n, 4)
    tricks: NDArray[Any]  # int8 (n, 4), or NO_TRICKS
    plays: NDArray[Any]  # uint8 (n, 52): card numbers, or NO_CARD
    scores: NDArray[Any]  # int16 (n, 2), or NO_POINTS
    bags: NDArray[Any]  # int8 (n, 2), or NO_BAGS
    winner: NDArray[Any]  # int8 (n,), or NO_WINNER
    rules: NDArray[Any]  # int32 (n,): index in `Names.rules`
    labels: NDArray[Any]  # int32 (n, 4): index in `Names.labels`, or NO_LABEL
    games: NDArray[Any]  # uint64 (n,): hash of the game's id
    keys: NDArray[Any]  # uint64 (n,): hash of game and round


def rows_of_log(rounds: Rounds, rows: Any) -> NDArray[np.void]:
    """Return rounds ``rows`` (m,) as rows of `ROUND`, which `arena.counters` counts; labels and games are left out."""
    made = np.zeros(len(rows), ROUND)
    for name in ("hands", "bids", "tricks", "plays"):
        made[name] = getattr(rounds, name)[rows]
    for name in ("scores", "bags"):
        made[name] = getattr(rounds, name)[rows][:, [0, 1, 0, 1]]
    made["rules"] = rounds.rules[rows]
    return made


@dataclass
class Names:
    """The rules and the labels that a log has used so far, in the order of their first use."""

    rules: list[Rules] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # such as kind=bot,policy=bis
    _rules_by_text: dict[str, int | RulesError] = field(default_factory=dict)
    _label_numbers: dict[str, int] = field(default_factory=dict)

    def rules_number(self, given: dict[str, Any] | None) -> int | RulesError:
        """Return the number of rules as in POST /bid, or what is wrong in them."""
        text = json.dumps(given or {}, sort_keys=True)
        if text not in self._rules_by_text:
            try:
                made = rules_of(given or {})
            except RulesError as error:
                self._rules_by_text[text] = error
            else:
                if made not in self.rules:
                    self.rules.append(made)
                self._rules_by_text[text] = self.rules.index(made)
        return self._rules_by_text[text]

    def label_number(self, label: Any) -> int:
        """Return the number of a label; NO_LABEL without one."""
        text = ",".join(f"{key}={label[key]}" for key in LABEL_FIELDS if label.get(key)) if label else ""
        if not text:
            return NO_LABEL
        if text not in self._label_numbers:
            self._label_numbers[text] = len(self.labels)
            self.labels.append(text)
        return self._label_numbers[text]


def rules_of(given: dict[str, Any]) -> Rules:
    """Return the rules of a record: as in POST /bid, absent and null are the same, and 200.0 is 200.

    Raises `RulesError`.
    """
    overrides = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in given.items()
        if value is not None and name != "approximate"  # `approximate` chooses a win table and is not a rule
    }
    preset = overrides.pop("preset", "classic")
    if not isinstance(preset, str):
        raise RulesError("preset", f"preset is {preset!r}; accepted: a text such as classic")
    return in_a_log(make_rules(preset, overrides))


def in_a_log(rules: Rules) -> Rules:
    """Return the rules; raise `RulesError` for games that a log cannot hold."""
    if rules.variant != JOKERS and rules.deck != STANDARD:
        raise RulesError("deck", f"deck is {DECKS[rules.deck].name}; accepted in a log: null")
    if rules.variant in (CUTTHROAT, JOKERS):
        accepted = ", ".join(name for number, name in enumerate(VARIANTS) if number not in (CUTTHROAT, JOKERS))
        raise RulesError("variant", f"variant is {VARIANTS[rules.variant]}; accepted in a log: {accepted}")
    if rules.first_lead != FIRST_BIDDER_LEADS:
        raise RulesError("first_lead", "first_lead is lowest_club; accepted in a log: any, because seat 0 leads there")
    return rules


def hash_of(text: str) -> int:
    """Return a 64-bit hash of a text; never 0."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") or 1


def round_keys(games: NDArray[np.uint64], numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """Return hashes of rounds, from the hashes of their games and their numbers; never 0."""
    return np.maximum(mixed(games + numbers.astype(np.uint64) * np.uint64(_GOLDEN)), np.uint64(1))


def _read_hands(text: Any, ranks: Any, masks: Any) -> None:
    for hand in range(len(text)):
        dots, mask, blank = 0, 0, True
        for letter in text[hand]:
            if letter == _DOT:
                dots += 1
            elif ranks[letter] >= 0 and dots <= 3:
                mask |= 1 << (16 * (3 - dots) + ranks[letter])
            blank = blank and letter == _SPACE
        right = dots == 3 and mask.bit_count() == 13
        masks[hand] = mask if right else 0 if blank else WRONG_HAND


_hand_rows = entry(_read_hands)


def hand_masks(text: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return hands in PBN (n, 4, HAND_CHARACTERS), as bytes, as bit masks (n, 4); 0 for NOT_KNOWN."""
    masks = np.zeros(text.shape[0] * text.shape[1], np.int64)
    _hand_rows(text.reshape(-1, HAND_CHARACTERS), _RANK, masks)
    return masks.reshape(text.shape[:2])


def card_numbers(pairs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return cards (n, PLAYS, 2), as bytes such as `KC`, as numbers (n, PLAYS); NO_CARD for spaces."""
    return _CARD[pairs.view(np.uint16)[:, :, 0]]


def _add(cells: Any, keys: Any, repeated: Any) -> None:
    # A hash table with linear probing; an empty cell holds 0.
    mask = len(cells) - 1
    for i in range(len(keys)):
        cell = keys[i] & mask
        while cells[cell] != 0 and cells[cell] != keys[i]:
            cell = (cell + 1) & mask
        repeated[i] = cells[cell] != 0
        cells[cell] = keys[i]


_add_keys = entry(_add)


class Keys:
    """The keys seen so far."""

    def __init__(self) -> None:
        self._cells = np.zeros(FIRST_CELLS, np.int64)
        self._used = 0

    def repeated(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Add ``keys`` (n,), of which none is 0; return which of them had been added before."""
        found = np.zeros(len(keys), np.bool_)
        while 2 * (self._used + len(keys)) > len(self._cells):
            before = self._cells[self._cells != 0]
            self._cells = np.zeros(2 * len(self._cells), np.int64)
            _add_keys(self._cells, before, np.zeros(len(before), np.bool_))
        _add_keys(self._cells, keys.view(np.int64), found)
        self._used += len(keys) - int(found.sum())
        return found
