"""Requests about a round in progress: who holds a card, and which card to play.

Like `positions`, this module knows the rules only roughly: some requests contradict themselves, and are refused.
"""

from typing import NamedTuple

from tests.same_answers.catalogue import Values
from tests.same_answers.positions import DECK, JOKER_DECK, RANKS, SPADE_COUNTS, TRICKS, Positions

STAGES = ("bidding", "bids", "play")
_ORDER = RANKS + "LB"
_INFERRED_WITH = ("bis", "best")
_NILS = {"0": "nil_pass", "nil": "nil_pass", "blind_nil": "blind_nil_pass"}  # by bid: the rule with its number of cards


class _Round(NamedTuple):
    given_rules: Values | None
    rules: Values
    dealt: list[list[str]]  # by seat
    bids: list[int | str]
    exchanged: dict[int, tuple[list[str], list[str]]]  # by seat that exchanges cards: those that it gave and got
    tricks: list[list[str]]
    by_seat: list[list[str]]  # the cards played
    voids: list[set[str]]  # by seat: the suits that it did not follow
    turn: int


class Rounds:
    """Draws requests; the same positions draw the same ones."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._rng = positions.rng

    def inference(
        self, given: Values | None = None, stage: str | None = None, policy: str | None = None, watched: bool = False
    ) -> Values:
        """A request for POST /v1/inference; ``watched``: by a spectator."""
        rng, positions = self._rng, self._positions
        stage = stage or rng.choice((*STAGES, "play"))
        found = self._round(given, rng.randint(1, 4 * TRICKS) if stage == "play" else 0)
        count = rng.randint(1, 3) if stage == "bidding" else 4
        request: Values = {"bids": found.bids[:count]}
        if not watched:
            seat = rng.randrange(4)
            hand = found.dealt[seat]
            request |= {"hand": positions.pbn(hand) if rng.random() < 0.5 else positions.card_list(hand), "seat": seat}
            if stage != "bidding":
                request |= _exchange(found, seat)
        if stage == "play":
            played = enumerate(found.by_seat)
            request["played"] = {str(seat): positions.card_list(cards) for seat, cards in played if cards}
            request["voids"] = {str(seat): sorted(suits) for seat, suits in enumerate(found.voids) if suits}
        if rng.random() < 0.4:
            request |= {"deals": rng.choice((0, 1, 2, 10, 100, None)), "seed": positions.seed()}
        return self._with_game(request, found, policy or rng.choice((*_INFERRED_WITH, None)))

    def card(self, given: Values | None = None) -> Values:
        """A request for POST /v1/card."""
        found = self._round(given, self._rng.randrange(4 * TRICKS))
        seat = found.turn
        request = {"hand": self._positions.pbn(found.dealt[seat]), "bids": found.bids, "seat": seat}
        return self._with_game({**request, "tricks": found.tricks, **_exchange(found, seat)}, found, None)

    def _with_game(self, request: Values, found: _Round, policy: str | None) -> Values:
        if found.given_rules is not None:
            request["rules"] = found.given_rules
        if self._rng.random() < 0.7:
            request["scores"] = self._positions.scores(found.rules, found.bids)
        if policy is not None:
            request["policy"] = policy
        return request

    def _round(self, given: Values | None, plays: int) -> _Round:
        """Draw a round after ``plays`` cards."""
        rng, positions = self._rng, self._positions
        given = positions.rules() if given is None else given
        rules = positions.effective(given)
        deck = rng.sample(JOKER_DECK if rules.get("variant") == "jokers" else DECK, 4 * TRICKS)
        dealt = [deck[TRICKS * seat : TRICKS * (seat + 1)] for seat in range(4)]
        hands, exchanged = [list(hand) for hand in dealt], {}
        bids = positions.bids(rules, 4)
        if rules.get("variant") in SPADE_COUNTS and rng.random() < 0.9:
            bids = [sum(_suit(card) == "S" for card in hand) for hand in dealt]
        if rules.get("nil_pass") and rng.random() < 0.5:
            bids[rng.randrange(4)] = "nil"
        for seats in ((0, 2), (1, 3)) if rules.get("variant") != "cutthroat" else ():
            passes = [rules.get(_NILS[str(bids[seat])], 0) for seat in seats if str(bids[seat]) in _NILS]
            if passes and passes[0]:
                gives = [rng.sample(dealt[seat], passes[0]) for seat in seats]
                for seat, gave, got in zip(seats, gives, reversed(gives), strict=True):
                    exchanged[seat] = gave, got
                    hands[seat] = [card for card in hands[seat] if card not in gave] + got
        found = _Round(given, rules, dealt, bids, exchanged, [[]], [[], [], [], []], [set(), set(), set(), set()], 0)
        return self._played(found, hands, plays)

    def _played(self, found: _Round, hands: list[list[str]], plays: int) -> _Round:
        turn = 0
        for _ in range(plays):
            trick = found.tricks[-1]
            legal = [card for card in hands[turn] if trick and _suit(card) == _suit(trick[0])]
            if trick and not legal:
                found.voids[turn].add(_suit(trick[0]))
            if not trick and not any(_suit(card) == "S" for cards in found.by_seat for card in cards):
                legal = [card for card in hands[turn] if _suit(card) != "S"]
            card = self._rng.choice(legal or hands[turn])
            hands[turn].remove(card)
            found.by_seat[turn].append(card)
            trick.append(card)
            turn = (turn + 1) % 4
            if len(trick) == 4:
                turn = (turn + _winner(trick)) % 4
                found.tricks.append([])
        return found._replace(turn=turn)


def _exchange(found: _Round, seat: int) -> Values:
    if seat not in found.exchanged:
        return {}
    gave, got = found.exchanged[seat]
    return {"given": gave, "received": got}


def _suit(card: str) -> str:
    return "S" if card[1] == "J" else card[1]


def _winner(trick: list[str]) -> int:
    """The place of the highest card."""
    wins = "S" if any(_suit(card) == "S" for card in trick) else _suit(trick[0])
    return max(range(4), key=lambda place: (_suit(trick[place]) == wins, _ORDER.index(trick[place][0])))
