"""Requests that the service should answer with a bid: hands, bids, scores, rules and policies, drawn at random.

Most of them are right. Some are not, because this module knows the rules of Spades only roughly and on purpose does not
ask the service for them; a refusal is compared like any other answer.
"""

import random
from collections.abc import Sequence
from typing import Any

from tests.same_answers.catalogue import Catalogue, Values

SUITS, RANKS = "SHDC", "23456789TJQKA"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
JOKER_DECK = (*(card for card in DECK if card not in ("2H", "2C")), "LJ", "BJ")
TRICKS = 13
POINTS = 10_000  # scores reach as far, either way
MAX_SEED = 2**53 - 1
LEVELS = (1, 2, 3, 4, 5)
STYLES = ("aggression", "nil_bias")
SPADE_COUNTS = ("mirror", "whiz", "whiz_strict")  # variants in which bids are numbers of spades
_BIDS, _BID_WEIGHTS = range(9), (9, 10, 18, 24, 19, 11, 6, 3, 1)
_KINDS_OF_HAND = ("any", "low", "high", "many spades", "no spades", "two suits", "one suit")
_HAND_WEIGHTS = (60, 12, 8, 8, 6, 5, 1)


class Positions:
    """Draws requests; the same catalogue and seed draw the same ones."""

    def __init__(self, catalogue: Catalogue, rng: random.Random) -> None:
        self.catalogue = catalogue
        self.rng = rng

    def bid(self, given: Values | None = None, policy: str | None = None, seat: int | None = None) -> Values:
        """A request for a bid; ``given`` are its `rules`, `policy` and `seat` where the caller names them."""
        rng = self.rng
        request, rules = self._position(given, policy, seat)
        request = {"hand": self.hand(rules), **request}
        if rng.random() < 0.2:
            request["explain"] = rng.random() < 0.3
        if rng.random() < 0.2:
            request["legal_bids"] = self.legal_bids(rules)
        if rng.random() < 0.3:
            request["level"] = rng.choice((*LEVELS, None))
        if rng.random() < 0.25:
            request["style"] = self.style()
        return self._shuffled(request)

    def blind(self, given: Values | None = None, policy: str | None = None, seat: int | None = None) -> Values:
        """A request for POST /v1/bid/blind."""
        rng = self.rng
        if given is None and rng.random() < 0.8:
            given = {"preset": "blind-nil"} if rng.random() < 0.5 else {"blind_nil": True}
            if rng.random() < 0.5:
                given["blind_nil_deficit"] = rng.choice((0, 50, 100, 200, 10_000))
        if policy is None and rng.random() < 0.6:
            policy = rng.choice(("bis:blind=on", "bis:tuned,blind=on", "bis:blind=on,blind_frequency=1"))
        request, rules = self._position(given, policy, seat)
        if "us" in request.get("scores", {}) and rng.random() < 0.4:
            us, them = self._unfinished([rng.randrange(-300, 200), rules["win"] - rng.randrange(1, 100)], rules)
            request["scores"] = request["scores"] | {"us": us, "them": them}
        return self._shuffled(request)

    def rules(self) -> Values | None:
        """The `rules` of a request: none, a preset, or overrides of one."""
        rng, catalogue = self.rng, self.catalogue
        if rng.random() < 0.2:
            return None
        given: Values = {}
        if rng.random() < 0.85:
            variant = rng.choice(catalogue.variants) if rng.random() < 0.4 else None
            names = [name for name, rules in catalogue.presets.items() if variant in (None, rules.get("variant"))]
            given["preset"] = rng.choice(names or list(catalogue.presets))
        if rng.random() < 0.3:
            for field in rng.sample(list(catalogue.fields), rng.choice((1, 1, 2, 3))):
                given[field] = rng.choice(catalogue.fields[field])
        return given

    def effective(self, given: Values | None) -> Values:
        """Every rule's value under the request's `rules`, as far as they can be read."""
        given = given or {}
        preset = given.get("preset", self.catalogue.default_preset)
        known = self.catalogue.presets.get(preset) or self.catalogue.presets[self.catalogue.default_preset]
        supported = {(field, repr(value)) for field, values in self.catalogue.fields.items() for value in values}
        return known | {field: value for field, value in given.items() if (field, repr(value)) in supported}

    def policy(self) -> str:
        """A policy's text, often with options."""
        rng, catalogue = self.rng, self.catalogue
        weights = [4 if name == "bis" else 3 if name == "winprob" else 1 for name in catalogue.policies]
        name: str = rng.choices(catalogue.policies, weights)[0]
        options = catalogue.options[name]
        if not options or rng.random() < 0.5:
            return name
        return f"{name}:{','.join(rng.choices(options, k=rng.choice((1, 2, 3, 4))))}"

    def hand(self, rules: Values) -> str | list[str]:
        """Thirteen cards of the variant's deck, in one of the accepted spellings."""
        rng = self.rng
        deck = list(JOKER_DECK if rules.get("variant") == "jokers" else DECK)
        kind = rng.choices(_KINDS_OF_HAND, _HAND_WEIGHTS)[0]
        suits = rng.sample(SUITS, 2)
        wanted = {
            "any": lambda card: True,
            "low": lambda card: card[0] not in "QKAJ",
            "high": lambda card: card[0] in "TJQKABL",
            "many spades": lambda card: card[1] in "SJ" or card[0] in "AK",
            "no spades": lambda card: card[1] not in "SJ",
            "two suits": lambda card: card[1] in suits,
            "one suit": lambda card: card[1] == suits[0],
        }[kind]
        chosen = [card for card in deck if wanted(card)]
        cards = rng.sample(chosen, TRICKS) if len(chosen) >= TRICKS else rng.sample(deck, TRICKS)
        return self.pbn(cards) if rng.random() < 0.5 else self.card_list(cards)

    def pbn(self, cards: list[str]) -> str:
        """The cards as a PBN text, in various spellings."""
        rng = self.rng
        order = RANKS + "LB"
        suits = []
        for suit in SUITS:
            ranks = [card[0] for card in cards if card[1] == suit or (suit == "S" and card in ("LJ", "BJ"))]
            ranks.sort(key=order.index, reverse=True)
            if rng.random() < 0.1:
                rng.shuffle(ranks)
            suits.append("".join(ranks))
        text = ".".join(suits)
        spelling = rng.random()
        if spelling < 0.1:
            text = text.replace("T", "10")
        elif spelling < 0.2:
            text = text.lower()
        elif spelling < 0.25:
            text = f" {text}\n"
        return text

    def card_list(self, cards: list[str]) -> list[str]:
        """The cards as a list, in various spellings."""
        rng = self.rng
        cards = rng.sample(cards, len(cards))
        spelling = rng.random()
        if spelling < 0.1:
            return [card.replace("T", "10") for card in cards]
        if spelling < 0.2:
            return [card.lower() for card in cards]
        if spelling < 0.3:
            return [
                rng.choice((card, card.lower(), card[0] + card[1].lower(), card[0].lower() + card[1])) for card in cards
            ]
        return cards

    def bids(self, rules: Values, count: int) -> list[int | str]:
        """Bids that ``count`` players may have made, as numbers and as words."""
        bids: list[int] = []
        for seat in range(count):
            partner = bids[seat - 2] if seat > 1 and rules.get("variant") != "cutthroat" else None
            bids.append(self._one_bid(rules, partner, TRICKS - sum(bids)))
        return [self.spelled(bid, rules) for bid in bids]

    def spelled(self, bid: int, rules: Values) -> int | str:
        """A bid as a number or as a word; a nil may have been bid blind where the rules allow it."""
        choice = self.rng.random()
        if bid == 0 and rules.get("blind_nil") and choice < 0.3:
            return "blind_nil"
        if bid == 0 and choice < 0.5:
            return "nil"
        return str(bid) if choice > 0.9 else bid

    def scores(self, rules: Values, bids: Sequence[int | str]) -> Values:
        """The `scores` of a request after ``bids``; parts may be missing."""
        rng = self.rng
        most_bags = (rules["bag_limit"] if rules.get("bags") else 100) - 1
        solo = rules.get("variant") == "cutthroat"
        points = self._close_race(rules, bids) if rng.random() < 0.4 else [self._points(rules) for _ in range(4)]
        if rng.random() < 0.95:
            points = self._unfinished(points, rules)
        bags = [self._bags(most_bags) for _ in range(4)]
        whole: Values = {"seats": points, "bags": bags}
        if not solo:
            us = len(bids) % 2
            whole = {"us": points[us], "them": points[1 - us], "us_bags": bags[0], "them_bags": bags[1]}
        if rng.random() < 0.2:
            return {name: value for name, value in whole.items() if rng.random() < 0.6}
        return whole

    def _close_race(self, rules: Values, bids: Sequence[int | str]) -> list[int]:
        """Scores by seat, such that made contracts bring two sides near each other and near the goal.

        Of two partners the first one's score counts.
        """
        rng = self.rng
        goal = rules["win"] + rng.choice((-10, 0, 0, 10, 20))
        tricks = [int(bid) if str(bid).isdecimal() else 0 for bid in bids]
        expected = [*tricks, *(rng.randint(1, 5) for _ in range(4 - len(tricks)))]
        if rules.get("variant") != "cutthroat":
            sides = expected[0] + expected[2], expected[1] + expected[3]
            expected = [*sides, *sides]
        near = [
            goal - 10 * contract + rng.choice((0, 0, 10, -10, 20, -20, rng.randint(-25, 25))) for contract in expected
        ]
        return [max(-POINTS, min(POINTS, points)) for points in near]

    def _unfinished(self, points: list[int], rules: Values) -> list[int]:
        """The points, changed where they would end the game; some of them become the same points beyond the goal."""
        if self.rng.random() < 0.03:
            return [min(rules["win"] + 30, POINTS)] * len(points)
        lose = rules.get("lose")
        lowest = -POINTS if lose is None else lose + 1
        return [max(lowest, min(rules["win"] - 1, value)) for value in points]

    def legal_bids(self, rules: Values) -> list[int | str] | None:
        """The `legal_bids` of a request."""
        rng = self.rng
        if rng.random() < 0.1:
            return None
        bids = rng.sample(range(14), rng.choice((1, 2, 3, 5, 8, 13, 14)))
        texts = [self.spelled(bid, rules) for bid in bids]
        if rules.get("blind_nil") and "blind_nil" not in texts and rng.random() < 0.3:
            texts.append("blind_nil")
        return texts

    def style(self) -> Values | None:
        """The `style` of a request."""
        rng = self.rng
        if rng.random() < 0.05:
            return None
        values = (-1, -0.75, -0.3, 0, 0.0, 0.2, 0.5, 1, 1.0, round(rng.uniform(-1, 1), 3))
        return {name: rng.choice(values) for name in STYLES if rng.random() < 0.7}

    def seed(self) -> int | None:
        """The `seed` of a request."""
        return self.rng.choice((0, 1, 7, 12345, 2**31, 2**32, 2**40 + 1, MAX_SEED, None, self.rng.getrandbits(53)))

    def _position(self, given: Values | None, policy: str | None, seat: int | None) -> tuple[Values, Values]:
        """What both kinds of request have, and the rules in force."""
        rng = self.rng
        named = policy is not None
        if policy is None and rng.random() < 0.9:
            policy = self.policy()
        if given is None:
            given = self.rules()
            if policy is not None and policy.startswith("winprob") and rng.random() < 0.8:
                given = self._game_of_winprob()
        rules = self.effective(given)
        if not named and rules.get("variant") != "partnership" and rng.random() < 0.6:
            policy = "bis"  # the others know little of the variants
        seat = rng.randrange(4) if seat is None else seat
        request: Values = {"previous_bids": self.bids(rules, seat), "seat": seat}
        if given is not None:
            request["rules"] = given
        if policy is not None:
            request["policy"] = policy
        if rng.random() < 0.85:
            request["scores"] = self.scores(rules, request["previous_bids"])
        if rng.random() < 0.3:
            plays = rules.get("variant") == "partnership" and (policy or "bis").startswith("bis")
            request["convention"] = rng.choice(self.catalogue.conventions) if plays or rng.random() < 0.1 else "none"
        if rng.random() < 0.25:
            request["seed"] = self.seed()
        return request, rules

    def _game_of_winprob(self) -> Values:
        """Rules for which there probably is a win table."""
        rng = self.rng
        names = [name for name, rules in self.catalogue.presets.items() if rules.get("variant") == "partnership"]
        if rng.random() < 0.7:
            return {"preset": rng.choice(names)}
        return {"win": rng.choice((200, 250, 300, 350, 500)), "lose": rng.choice((None, -200, -100))}

    def _one_bid(self, rules: Values, partner: int | None, left: int) -> int:
        """A bid beside the partner's; ``left``: tricks that the players before left."""
        rng = self.rng
        bid: int = rng.choices(_BIDS, _BID_WEIGHTS)[0]
        if rng.random() < 0.04:
            return rng.randrange(14)
        variant = rules.get("variant")
        if variant in SPADE_COUNTS:
            return min(bid, left)
        least = max(1, rules.get("min_bid", 0))
        if variant == "suicide":
            if partner is None:
                return 0 if rng.random() < 0.4 else max(bid, rules.get("team_min", 0), least)
            return 0 if partner else max(bid, rules.get("team_min", 0), least)
        if partner is not None:
            bid = max(0, min(bid, (rules.get("team_max") or TRICKS) - partner))
            if bid + partner < rules.get("team_min", 0) or (bid == partner == 0 and not rules.get("double_nil")):
                bid = max(bid, rules.get("team_min", 0) - partner, least)
        return max(bid, least) if bid else 0

    def _points(self, rules: Values) -> int:
        rng, win = self.rng, rules["win"]
        kind = rng.random()
        if kind < 0.1:
            return 0
        if kind < 0.45:
            return rng.randrange(-200, max(win, -199))
        if kind < 0.85:
            return max(-POINTS, min(POINTS, win - rng.randrange(1, 150)))
        if kind < 0.92:
            return (rules.get("lose") or -200) + rng.randrange(1, 130)
        return rng.choice((-POINTS, -1000, -1, 1, win - 1, min(win, POINTS), min(win + 30, POINTS), POINTS))

    def _bags(self, most: int) -> int:
        return self.rng.choice((0, most, max(0, most - 1), self.rng.randint(0, max(0, most))))

    def _shuffled(self, request: dict[str, Any]) -> Values:
        """The same fields; in some requests in another order."""
        if self.rng.random() < 0.9:
            return request
        return dict(self.rng.sample(list(request.items()), len(request)))
