"""A referee: which bids, passes and cards the rules allow, who wins a trick, what a round scores, when a game ends.

It is written from docs/reference/rules.md, with cards as texts such as "QS", and shares no code with the service or the
library. So a mistake in their rules does not repeat here. It is slow and simple, as tests/naive.py is; it knows more:
decks with jokers, cutthroat, passes and the rules of leads. The tests compare it with both.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

RANKS = "23456789TJQKA"
BLIND_NIL = "blind_nil"
Bid = int | str  # 0 (nil) to 13, BLIND_NIL, or a blind number such as "blind_6"
ALL_TRICKS = 13
FIELDS = frozenset(
    [
        "win",
        "lose",
        "nil_points",
        "blind_nil_points",
        "double_nil",
        "blind_nil",
        "blind_nil_deficit",
        "bags",
        "bag_limit",
        "bag_penalty",
        "failed_nil_tricks",
        "min_bid",
        "team_min",
        "team_max",
        "ten_for_200",
        "variant",
        "deck",
        "nil_pass",
        "blind_nil_pass",
        "nil_passes_first",
        "nil",
        "bag_points",
        "set_points",
        "slam_points",
        "double_nil_points",
        "sum_not_13",
        "spades_lead",
        "first_lead",
        "first_trick_spades",
        "blind_min",
    ]
)
# By deck: the trumps above the ace of spades, from the highest. Every deck with such trumps leaves out 2H and 2C.
RAISED = {
    None: (),
    "jokers": ("BJ", "LJ"),
    "jokers-deuce": ("BJ", "LJ", "2S"),
    "jjdd": ("BJ", "LJ", "2D", "2S"),
    "jjdd-spade": ("BJ", "LJ", "2S", "2D"),
}
SPADE_COUNT_VARIANTS = ("mirror", "whiz", "whiz_strict")


def tricks_of(bid: Bid) -> int:
    """Return the tricks that a bid promises: 0 for both nils."""
    if isinstance(bid, str):
        return 0 if bid == BLIND_NIL else int(bid.removeprefix("blind_"))
    return bid


def is_nil(bid: Bid) -> bool:
    """Return whether a bid is a nil, blind or not."""
    return tricks_of(bid) == 0


class Referee:
    """The referee of one game. ``rules``: a value for each of `FIELDS`, as a preset of GET /v1/rules has them.

    Raises `ValueError` if the rules have a field that the referee does not know, or lack one.
    """

    def __init__(self, rules: Mapping[str, Any]) -> None:
        if set(rules) != FIELDS:
            differing = ", ".join(sorted(set(rules) ^ FIELDS))
            raise ValueError(f"fields of the rules that differ: {differing}; accepted: those that the referee knows")
        self.rules = rules
        deck = rules["deck"]
        raised = RAISED["jokers" if deck is None and rules["variant"] == "jokers" else deck]
        left_out = {*raised, *(("2H", "2C") if raised else ())}
        self._trumps = [rank + "S" for rank in RANKS if rank + "S" not in left_out] + list(reversed(raised))
        side = [rank + suit for suit in "CDH" for rank in RANKS if rank + suit not in left_out]
        self.deck = side + self._trumps
        self.alone = rules["variant"] == "cutthroat"

    # ---- cards -------------------------------------------------------------------------------------------------------

    def suit(self, card: str) -> str:
        """Return the suit that a card belongs to: S for every trump."""
        return "S" if card in self._trumps else card[1]

    def _strength(self, card: str, led: str) -> int:
        if card in self._trumps:
            return 100 + self._trumps.index(card)
        return RANKS.index(card[0]) if card[1] == led else -1

    def trick_winner(self, trick: Sequence[str]) -> int:
        """Return the index in ``trick`` of the card that wins it."""
        led = self.suit(trick[0])
        return max(range(len(trick)), key=lambda index: self._strength(trick[index], led))

    def first_leader(self, hands: Sequence[Iterable[str]]) -> int:
        """Return the seat that leads the first trick; ``hands``: those after the exchange."""
        if self.rules["first_lead"] == "any":
            return 0
        return next(seat for seat, hand in enumerate(hands) if self._lowest_club in hand)

    @property
    def _lowest_club(self) -> str:
        return next(card for card in self.deck if card[1] == "C")

    def legal_cards(self, hand: Iterable[str], tricks: Sequence[Sequence[str]]) -> set[str]:
        """Return the cards of ``hand`` that may be played; the last of ``tricks`` is the current one, maybe empty."""
        held = set(hand)
        side_cards = {card for card in held if self.suit(card) != "S"}
        *earlier, current = tricks
        first_trick_limit = not earlier and not self.rules["first_trick_spades"]
        if current:
            led = self.suit(current[0])
            following = {card for card in held if self.suit(card) == led}
            return following or (side_cards if first_trick_limit else held) or held
        if not earlier and self.rules["first_lead"] == "lowest_club":
            return {self._lowest_club}
        spade_seen = any(self.suit(card) == "S" for trick in earlier for card in trick)
        spades_wait = first_trick_limit or (self.rules["spades_lead"] == "broken" and not spade_seen)
        return (side_cards or held) if spades_wait else held

    # ---- bids and passes ---------------------------------------------------------------------------------------------

    def legal_bids(self, hand: Iterable[str], previous: Sequence[Bid]) -> set[int]:
        """Return the bids 0 to 13 that the rules allow after the ``previous`` bids; a blind bid is never among them."""
        spades = sum(self.suit(card) == "S" for card in hand)
        partner = tricks_of(previous[-2]) if len(previous) > 1 and not self.alone else None
        allowed = self._bids_beside(spades, partner)
        if self.rules["sum_not_13"] and len(previous) == 3:
            return allowed - {ALL_TRICKS - sum(map(tricks_of, previous))} or allowed
        return allowed

    def _bids_beside(self, spades: int, partner: int | None) -> set[int]:
        rules, variant = self.rules, self.rules["variant"]
        if variant in SPADE_COUNT_VARIANTS:
            return {0, spades} if variant == "whiz" else {spades}
        least = max(1, rules["min_bid"])
        numbers = set(range(least, 14))
        nil = {0} if rules["nil"] else set()
        most = 13 if rules["team_max"] is None else rules["team_max"]
        if variant == "cutthroat":
            return numbers | nil
        if variant == "suicide":
            if partner is None or partner == 0:
                numbers = {number for number in numbers if rules["team_min"] <= number <= most}
                return numbers if partner == 0 else numbers | nil
            return {0}
        if partner is None:
            room = 0 if rules["team_max"] is None else least
            return {number for number in numbers if number + room <= most} | nil
        if partner < rules["team_min"] or (partner == 0 and not rules["double_nil"]):
            nil = set()
        fitting = {number for number in numbers if rules["team_min"] <= partner + number <= most}
        if not fitting and (rules["team_max"] is None or not nil):
            fitting = {least}
        return fitting | nil

    def may_bid_blind_nil(self, previous: Sequence[Bid], us: int, them: int) -> bool:
        """Return whether the next seat may bid blind nil; ``us`` and ``them``: points of its side and of the other."""
        return bool(self.rules["blind_nil"]) and self._is_behind(us, them) and 0 in self.legal_bids((), previous)

    def blind_numbers(self, previous: Sequence[Bid], us: int, them: int) -> set[int]:
        """Return the numbers that the next seat may bid blind; arguments as in `may_bid_blind_nil`."""
        least = self.rules["blind_min"]
        if least is None or not self._is_behind(us, them):
            return set()
        return {number for number in self.legal_bids((), previous) if number >= least}

    def _is_behind(self, us: int, them: int) -> bool:
        return bool(them - us >= self.rules["blind_nil_deficit"])

    def cards_to_pass(self, bids: Sequence[Bid], seat: int) -> int:
        """Return how many cards ``seat`` gives its partner after the bidding."""
        side = (bids[seat], bids[seat ^ 2])
        if self.alone or not any(map(is_nil, side)):
            return 0
        return int(self.rules["blind_nil_pass" if BLIND_NIL in side else "nil_pass"])

    def gives_first(self, bids: Sequence[Bid], seat: int) -> bool:
        """Return whether ``seat`` gives before its partner, who then sees the cards."""
        both = is_nil(bids[seat]) and is_nil(bids[seat ^ 2])
        return bool(self.rules["nil_passes_first"]) and is_nil(bids[seat]) and (not both or seat < 2)

    # ---- scores ------------------------------------------------------------------------------------------------------

    def score(self, bids: Sequence[Bid], taken: Sequence[int], bags: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the points of a round and the bags after it: of seats 0 and 2, then of seats 1 and 3.

        In cutthroat, of each seat. ``bids`` and ``taken`` (tricks) are by seat; ``bags`` are those before the round.
        """
        sides = [[seat] for seat in range(4)] if self.alone else [[0, 2], [1, 3]]
        scored = [
            self._side_score([(bids[seat], taken[seat]) for seat in side], before)
            for side, before in zip(sides, bags, strict=True)
        ]
        return [points for points, _ in scored], [after for _, after in scored]

    def _side_score(self, players: Sequence[tuple[Bid, int]], bags: int) -> tuple[int, int]:
        rules = self.rules
        points = rules["slam_points"] if sum(tricks for _, tricks in players) == ALL_TRICKS else 0
        two_nils = [bid for bid, _ in players] == [0, 0] and rules["double_nil_points"] is not None
        if two_nils:
            made = all(tricks == 0 for _, tricks in players)
            points += rules["double_nil_points"] if made else -rules["double_nil_points"]
        contract = towards_contract = new_bags = 0
        for bid, tricks in players:
            if not is_nil(bid):
                contract += tricks_of(bid)
                towards_contract += tricks
                continue
            if not two_nils:
                value = rules["blind_nil_points" if bid == BLIND_NIL else "nil_points"]
                points += -value if tricks else value
            if rules["failed_nil_tricks"] == "contract":
                towards_contract += tricks
            elif rules["failed_nil_tricks"] == "bags":
                new_bags += tricks
        worth = 200 if rules["ten_for_200"] and contract == 10 else 10 * contract
        times = 2 if any(isinstance(bid, str) and bid != BLIND_NIL for bid, _ in players) else 1
        missing = contract - towards_contract
        if missing <= 0:
            points += times * worth
            new_bags -= missing
        else:
            points -= times * {"contract": worth, "missing": 10 * missing, "none": 0}[rules["set_points"]]
        if not rules["bags"]:
            return points, bags
        for _ in range(new_bags):
            points += rules["bag_points"]
            bags += 1
            if bags == rules["bag_limit"]:
                points -= rules["bag_penalty"]
                bags = 0
        return points, bags

    def is_over(self, points: Sequence[int]) -> bool:
        """Return whether a game with these points of the sides, or in cutthroat of the seats, is over."""
        highest, lose = max(points), self.rules["lose"]
        reached = highest >= self.rules["win"] or (lose is not None and min(points) <= lose)
        return reached and list(points).count(highest) == 1
