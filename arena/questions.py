"""What a waiting game asks an agent, as requests of the HTTP contract, and the check of the answers.

An agent gets what the service would get: the body of POST /v1/bid, /v1/bid/blind, /v1/pass or /v1/card
(docs/reference/http.md). Of an answer one field counts; the others are ignored.
"""

import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.engine.choose_bid import auction_at
from arena.engine.rounds import Ints
from arena.engine.states import plain_state
from spades.cards import CARD_NAMES, parse_card_of
from spades.errors import CardError
from spades.legal import BLIND_NIL, BLIND_NUMBER, TRICKS, bid_word, deck_number, is_blind_bid
from spades.passing import cards_to_pass, gives_first
from spades.play import PlayState, legal_cards
from spades.position import allowed_at_turn
from spades.rules import CUTTHROAT, Rules, overrides_of

BID, CARD, PASS, BLIND = range(4)  # the questions


class Question(NamedTuple):
    """How a question is asked."""

    method: str  # of a Python agent
    path: str  # of a server
    batch_path: str | None
    batch: int  # the contract's maximum for one batch
    field: str  # the field of the answer that counts


QUESTIONS = (  # by number
    Question("bid", "/v1/bid", "/v1/bids", 512, "bid"),
    Question("card", "/v1/card", "/v1/cards", 256, "card"),
    Question("pass_cards", "/v1/pass", None, 1, "cards"),
    Question("blind", "/v1/bid/blind", None, 1, "blind_nil"),
)


class WrongAnswerError(Exception):
    """An answer to the request with number ``index`` is missing or cannot be used."""

    def __init__(self, index: int, found: str, accepted: str) -> None:
        super().__init__(f"found {found}; accepted: {accepted}")
        self.index = index


class Asked(NamedTuple):
    """Positions in which n games of a batch wait for the answers of one agent to one question."""

    question: int
    all_states: NDArray[np.void]  # of `STATE`: those of the whole batch
    all_rounds: NDArray[np.void]  # of `ROUND`: the records so far of the whole batch
    rows: Ints  # (n,): the games that wait
    seats: Ints  # (n,): of the agent
    seed: int
    rules: Rules

    @property
    def states(self) -> NDArray[np.void]:
        """Copies of the states (n,)."""
        return self.all_states[self.rows]

    @property
    def rounds(self) -> NDArray[np.void]:
        """Copies of the records (n,)."""
        return self.all_rounds[self.rows]

    def positions(self) -> list["Position"]:
        """Return the positions one by one."""
        return [self.position(i) for i in range(len(self.rows))]

    def position(self, i: int) -> "Position":
        """Return position ``i``."""
        row, seat = self.rows[i], int(self.seats[i])
        state, record = plain_state(self.all_states[row].copy()), self.all_rounds[row].copy()
        return Position(self.question, state, record, seat, self.seed, self.rules)


class Answering(Protocol):
    """An agent that Python calls: it answers the questions of waiting games."""

    def answers(self, asked: Asked) -> Ints:
        """Return the answers (n,), as `Position.number_of` does; bids and cards must be legal. Raises `BidderError`."""

    def close(self) -> None:
        """Close its connections; most agents have none."""
        return


class Position(NamedTuple):
    """A position in which an agent is asked one question."""

    question: int
    state: PlayState
    round: np.void  # of `ROUND`: the record so far
    seat: int
    seed: int
    rules: Rules

    def request(self) -> dict[str, Any]:
        """Return the request. A random number that an agent draws from its `seed` can be repeated."""
        request: dict[str, Any] = {"seat": self.seat, "rules": {"preset": "classic"} | overrides_of(self.rules)}
        if self.question != BLIND:
            request["hand"] = self._names(unsigned(self.round["hands"])[self.seat])
        if self.question != PASS:
            request["scores"] = self._scores()
        if self.question in (BID, BLIND):
            lots = "/".join(map(str, (self.seed, *self._identity(), self.seat)))
            request["previous_bids"] = _bids(self.state.bid[: self.seat])
            request |= {"convention": "none", "seed": zlib.crc32(lots.encode()) & 0x7FFFFFFF}
        else:
            request["bids"] = _bids(self.state.bid)
        if self.question == BID:
            request["explain"] = False
        passed = unsigned(self.round["passed"])
        received = passed[self.seat ^ 2]
        if self.question == PASS and gives_first(tuple(self.state.bid), self.seat ^ 2, self.rules):
            request["received"] = self._names(received)
        if self.question == CARD:
            if passed[self.seat]:
                request |= {"given": self._names(passed[self.seat]), "received": self._names(received)}
            request["tricks"] = self._tricks()
        return request

    def number_of(self, answer: object) -> int:
        """Return an answer as a number: a bid (0 for none if it was asked for a blind one), a card, or cards as bits.

        Raises `ValueError` with what is accepted.
        """
        field = QUESTIONS[self.question].field
        value = answer.get(field) if isinstance(answer, dict) else answer
        state, seat, deck = self.state, self.seat, deck_number(self.rules)
        auction = auction_at(state, seat)
        if self.question == BID:
            allowed = allowed_at_turn(unsigned(state.hand)[seat], auction, self.rules)
            if type(value) is int and 0 <= value <= 13 and allowed >> value & 1:
                return value
            raise ValueError(f"{field}: one of {_listed(bid for bid in range(14) if allowed >> bid & 1)}")
        if self.question == BLIND:
            return self._blind_bid(value, answer.get("blind_number") if isinstance(answer, dict) else None)
        if self.question == CARD:
            legal = legal_cards(unsigned(state.hand)[seat], state.trick_size, state.trick[0], state.broken)
            card = _card(value, deck)
            if card is not None and legal >> card & 1:
                return card
            raise ValueError(f"{field}: one of {_listed(self._names(legal))}")
        number = cards_to_pass(state.bid[seat], state.bid[seat ^ 2], self.rules.nil_pass, self.rules.blind_nil_pass)
        held = unsigned(state.hand)[seat]
        cards = [_card(one, deck) for one in value] if isinstance(value, list) else []
        chosen = sum(1 << card for card in {card for card in cards if card is not None and held >> card & 1})
        if len(cards) == number == chosen.bit_count():
            return chosen
        raise ValueError(f"{field}: a list of {number} of {_listed(self._names(held))}")

    def blind_bids(self) -> list[int]:
        """Return the blind bids that the rules allow."""
        rules, us = self.rules, self.seat & 1
        behind = self.state.score[1 - us] - self.state.score[us] >= rules.blind_nil_deficit
        allowed = allowed_at_turn(0, auction_at(self.state, self.seat), rules) if behind else 0
        bids = [BLIND_NUMBER + bid if bid else BLIND_NIL for bid in range(14) if allowed >> bid & 1]
        return [bid for bid in bids if is_blind_bid(bid, rules)]

    def _blind_bid(self, nil: object, number: object) -> int:
        """Return the blind bid of an answer with ``blind_nil`` and ``blind_number``, 0 for none."""
        numbers = [bid - BLIND_NUMBER for bid in self.blind_bids() if bid != BLIND_NIL]
        may_be_nil = BLIND_NIL in self.blind_bids()
        if number is None and (nil is False or (nil is True and may_be_nil)):
            return BLIND_NIL if nil else 0
        if nil is False and type(number) is int and number in numbers:
            return BLIND_NUMBER + number
        accepted = f"blind_nil: {'true or ' if may_be_nil else ''}false"
        raise ValueError(f"{accepted}, with blind_number: null or one of {_listed(numbers)}" if numbers else accepted)

    def __str__(self) -> str:
        pair, swap, number = self._identity()
        place = f"in seed {self.seed}, pair {pair}, game {swap}, round {number}, seat {self.seat}"
        return f"{place}, to the request {json.dumps(self.request())}"

    def _identity(self) -> tuple[int, int, int]:
        return int(self.round["deal"]), int(self.round["swap"]), int(self.round["number"])

    def _names(self, cards: int) -> list[str]:
        names = CARD_NAMES[deck_number(self.rules)]
        return [names[card] for card in range(63, -1, -1) if cards >> card & 1]

    def _scores(self) -> dict[str, Any]:
        us, state = self.seat & 1, self.state
        if self.rules.variant == CUTTHROAT:
            return {"seats": state.seat_score, "bags": state.seat_bags}
        return {
            "us": state.score[us],
            "them": state.score[1 - us],
            "us_bags": state.bags[us],
            "them_bags": state.bags[1 - us],
        }

    def _tricks(self) -> list[list[str]]:
        names = CARD_NAMES[deck_number(self.rules)]
        number = unsigned([self.state.played])[0].bit_count()
        played = [names[card] for card in self.round["plays"][:number].tolist()]
        return [played[first : first + 4] for first in range(0, len(played), 4)]


def unsigned(masks: Iterable[int]) -> list[int]:
    """Return sets of cards that were int64 as sets of Python: with 16 spades, the sign bit is a card."""
    return [int(mask) & 0xFFFF_FFFF_FFFF_FFFF for mask in masks]


def _bids(bids: Iterable[int]) -> list[int | str]:
    return [bid if bid <= TRICKS else bid_word(bid) for bid in bids]


def _card(text: object, deck: int) -> int | None:
    try:
        return parse_card_of(text, deck) if isinstance(text, str) else None
    except CardError:
        return None


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
