"""One whole game over HTTP: bids, passes, cards, scores, reviews. The referee checks each of them.

Seat 0 bids first in each round. The player in chair c sits in seat (c - round) modulo 4, so the first bidder moves on
by one each round. A side is seats 0 and 2 or seats 1 and 3, so the sides change places each round.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spades_client import NoAnswer

from loadtest.season.desk import Answer, Desk, GaveUp
from loadtest.season.draws import DISTILLED, EXPLANATIONS, WITHOUT_WINPROB, GamePlan
from loadtest.season.ledger import UNSURE, Ledger
from loadtest.season.referee import BLIND_NIL, Bid, Referee, is_nil, tricks_of
from loadtest.season.scorekeeper import Scorekeeper

MOST_ROUNDS = 400  # of a game; one that takes longer is a fault
MOST_RESULTS = 512  # in one request
LEGAL_BIDS_SHARE = 0.1  # of bids with `legal_bids`
WRONG_SHARE = 0.004  # of requests for a bid or a card that are sent with a mistake before
INFERENCE_SHARE = 0.1  # of rounds
SUM_TOLERANCE = 1e-4  # of probabilities that sum to a whole number
Hands = list[list[str]]


class Illegal(Exception):
    """The referee does not allow what the service answered, so the game cannot go on."""


class LoggedBid(NamedTuple):
    """A bid with a `round_id`, as the decision log must have it."""

    round_id: str
    seat: int
    bid: int
    policy: str
    tables: str


class TablesUsed(NamedTuple):
    """Which tables made a bid, for the check of the canary's share."""

    game: str | None
    named: str | None
    tables: str
    asked_at: float
    answered_at: float


@dataclass
class GameRecord:
    """What became of a game."""

    number: int
    finished: bool = False
    rounds: int = 0
    points: list[int] = field(default_factory=list)
    reviews: int = 0
    faults: list[str] = field(default_factory=list)
    checks: Counter[str] = field(default_factory=Counter)
    bids: list[LoggedBid] = field(default_factory=list)
    results: list[tuple[str, int]] = field(default_factory=list)  # round_id and seat of each accepted result
    tables: list[TablesUsed] = field(default_factory=list)


class Game:
    """A game in progress.

    ``versions``: the open table sets; ``searches``: whether the service has search processes; ``run``: the end of the
    names of its rounds, which no other run has; ``review_share``: of the rounds that can be reviewed.
    """

    def __init__(
        self,
        plan: GamePlan,
        desk: Desk,
        ledger: Ledger,
        *,
        versions: Sequence[str],
        searches: bool,
        run: str,
        review_share: float,
    ) -> None:
        self.plan = plan
        self.desk = desk
        self.ledger = ledger
        self.searches = searches
        self.run = run
        self.review_share = review_share
        self.referee = Referee(plan.all_rules)
        self.scorekeeper = Scorekeeper(plan.rules)
        self.alone = self.referee.alone
        sides = 4 if self.alone else 2
        self.points, self.bags = [0] * sides, [0] * sides  # by chair, or by side of chairs 0 and 2, and 1 and 3
        self.record = GameRecord(plan.number)
        self.tables = plan.rng("tables").choice(sorted(versions)) if plan.names_tables else None
        self.game_results: list[tuple[dict[str, Any], int]] = []  # results of bids, and the side that wins or loses

    async def play(self) -> GameRecord:
        """Play until the rules end the game. Raises `GaveUp`; an illegal answer ends the game with a fault."""
        try:
            while not self.referee.is_over(self.points):
                if self.record.rounds == MOST_ROUNDS:
                    raise Illegal(f"the game is not over after {MOST_ROUNDS} rounds; points: {self.points}")
                await Round(self).play()
                self.record.rounds += 1
            await self._report_winner()
            self.record.finished = True
        except Illegal as fault:
            self.fault(str(fault))
        self.record.points = self.points
        return self.record

    def fault(self, text: str) -> None:
        """Note a fault of the service."""
        self.record.faults.append(f"game {self.plan.number}, round {self.record.rounds}: {text}")

    def check(self, what: str, holds: bool, found: object, accepted: object, *more: object) -> None:
        """Count a check; raise `Illegal` if it fails, with what was ``found`` and what is ``accepted``."""
        self.record.checks[what] += 1
        if not holds:
            raise Illegal(f"{what}: found {found}; accepted: {accepted}; {'; '.join(map(str, more))}")

    def names(self) -> dict[str, Any]:
        """Return the fields that say which tables decide."""
        fields: dict[str, Any] = {"game": f"{self.plan.seed}-{self.plan.number}"} if self.plan.named else {}
        if self.tables is not None:
            fields["tables"] = self.tables
        return fields

    async def report(self, results: list[dict[str, Any]]) -> None:
        """Post results; those that the service accepted enter the record."""
        for start in range(0, len(results), MOST_RESULTS):
            some = results[start : start + MOST_RESULTS]
            try:
                answer = (await self.desk.ask("results", {"results": some}, repeat=False)).body
            except GaveUp as error:
                if isinstance(error.__cause__, NoAnswer) or getattr(error.__cause__, "status", 0) in UNSURE:
                    continue  # whether they were counted is not known, so they are not sent again
                raise
            self.check("results", answer["accepted"] == len(some), answer, len(some))
            self.ledger.decided("results", len(some))
            for one in some:
                stated = [name for name in one if name.startswith("p_")]
                self.ledger.decided("outcomes with a probability", len(stated))
                if "round_id" in one:
                    self.record.results.append((one["round_id"], one["seat"]))

    async def _report_winner(self) -> None:
        winner = self.points.index(max(self.points))
        await self.report([result | {"won": side == winner} for result, side in self.game_results])


class Round:
    """One round of a game."""

    def __init__(self, game: Game) -> None:
        self.game, self.plan, self.referee = game, game.plan, game.referee
        self.number = game.record.rounds
        self.rng = game.plan.rng(self.number)
        cards = self.rng.sample(self.referee.deck, 52)
        self.dealt: Hands = [cards[13 * seat : 13 * seat + 13] for seat in range(4)]
        self.hands = [list(hand) for hand in self.dealt]  # the cards that each seat holds now
        self.held = [set(hand) for hand in self.dealt]  # before the first card
        self.bids: list[Bid] = []
        self.answers: list[dict[str, Any]] = []  # by seat, to the request for the bid
        self.given: Hands = [[], [], [], []]
        self.tricks: Hands = [[]]
        self.taken = [0] * 4
        self.leader = 0
        self.voids: list[set[str]] = [set() for _ in range(4)]
        self.round_id = f"{game.plan.seed}-{game.plan.number}-{self.number}-{game.run}" if game.plan.named else None
        self.with_inference = random.Random(self.rng.random()).random() < INFERENCE_SHARE

    async def play(self) -> None:
        """Bid, exchange cards, play all tricks, and score."""
        for seat in range(4):
            await self._bid(seat)
        await self._pass()
        inference_trick = self.rng.randrange(13) if self.with_inference else None
        self.leader = self.referee.first_leader(self.hands)
        for number in range(13):
            if number == inference_trick:
                await self._infer(self.rng.choice((None, 0, 1, 2, 3)))
            for place in range(4):
                await self._card((self.leader + place) % 4)
            trick = self.tricks[-1]
            self.leader = (self.leader + self.referee.trick_winner(trick)) % 4
            self.taken[self.leader] += 1
            self.tricks.append([])
        await self._review()
        await self._score()

    # ---- what every request has --------------------------------------------------------------------------------------

    def chair(self, seat: int) -> int:
        """Return the chair that sits in a seat; its place among the points, by side or in cutthroat by chair."""
        return (seat + self.number) % 4

    def side(self, seat: int) -> int:
        """Return the index of a seat's side among the game's points."""
        return self.chair(seat) if self.game.alone else self.chair(seat) % 2

    def scores(self, seat: int) -> dict[str, Any]:
        """Return the field `scores` of a request of ``seat``."""
        points, bags = self.game.points, self.game.bags
        if self.game.alone:
            order = [self.side(one) for one in range(4)]
            return {"seats": [points[one] for one in order], "bags": [bags[one] for one in order]}
        us = self.side(seat)
        return {"us": points[us], "them": points[1 - us], "us_bags": bags[us], "them_bags": bags[1 - us]}

    async def ask(self, method: str, request: Mapping[str, Any], batch: bool = False) -> Answer:
        """Return the answer to a request with the rules."""
        whole = {"rules": self.plan.rules, **request}
        if method in WRONG and self.rng.random() < WRONG_SHARE:
            what, pointer = self.rng.choice(WRONG[method])
            if found := await self.game.desk.refused(method, {**whole, **what(whole)}, pointer):
                self.game.fault(found)
        deadline_s = self.plan.deadline_s if method in ("bid", "card") else None
        return await self.game.desk.ask(method, whole, batch=batch, deadline_s=deadline_s)

    # ---- bids --------------------------------------------------------------------------------------------------------

    async def _bid(self, seat: int) -> None:
        blind = await self._blind_bid(seat)
        if blind is not None:
            self.bids.append(blind)
            self.answers.append({})
            return
        game, rng = self.game, self.rng
        allowed = self.referee.legal_bids(self.dealt[seat], self.bids)
        request: dict[str, Any] = {
            "hand": self._hand_text(seat),
            "previous_bids": self.bids,
            "scores": self.scores(seat),
            "explain": rng.choice(EXPLANATIONS),
            **self.plan.chairs[self.chair(seat)].bidding,
            **game.names(),
        }
        if rng.random() < 0.5:
            request["seat"] = seat
        if rng.random() < 0.2:
            request["seed"] = rng.randrange(1000)
        if self.round_id is not None:
            request["round_id"] = self.round_id
        if rng.random() < LEGAL_BIDS_SHARE:
            allowed = set(rng.sample(sorted(allowed), rng.randint(1, len(allowed))))
            request["legal_bids"] = [rng.choice((0, "nil")) if bid == 0 else bid for bid in sorted(allowed)]
        answer = await self.ask("bid", request, batch=self.plan.batches)
        bid, kind = answer.body["bid"], answer.body["kind"]
        game.ledger.decided(f"bid {kind}")
        game.ledger.account.tables[answer.body["tables"]] += 1
        game.check("bid", bid in allowed, bid, allowed, request)
        right_kind = kind == ("regular" if bid else "nil")
        game.check("kind of bid", right_kind, (bid, kind), "regular, or nil for 0")
        candidates = {one["bid"] for one in answer.body.get("explanation", {}).get("candidates", ())}
        game.check("candidates", candidates <= allowed, candidates, allowed, request)
        used = TablesUsed(request.get("game"), game.tables, answer.body["tables"], answer.asked_at, answer.answered_at)
        game.record.tables.append(used)
        if self.round_id is not None:
            logged = LoggedBid(self.round_id, seat, bid, answer.body["policy"], answer.body["tables"])
            game.record.bids.append(logged)
        self.bids.append(bid)
        self.answers.append(answer.body)

    async def _blind_bid(self, seat: int) -> Bid | None:
        """Return the bid that the service makes before the hand is seen, None for a look at the hand."""
        game, referee, scores = self.game, self.referee, self.scores(seat)
        bidding = self.plan.chairs[self.chair(seat)].bidding
        sides = (0, 0) if game.alone else (scores["us"], scores["them"])
        may_bid_nil = not game.alone and referee.may_bid_blind_nil(self.bids, *sides)
        numbers = set() if game.alone else referee.blind_numbers(self.bids, *sides)
        if not may_bid_nil and not numbers and self.rng.random() > 0.05:
            return None
        fields = {name: bidding[name] for name in ("policy", "convention") if name in bidding}
        if self.rng.random() < 0.5:
            fields["policy"] = "best" if numbers else "bis:blind_frequency=1,blind_floor=0"
        if referee.rules["variant"] != "partnership" or not fields["policy"].startswith("bis"):
            fields.pop("convention", None)
        request = {"previous_bids": self.bids, "scores": scores, **fields, **game.names()}
        answer = (await self.ask("blind", request)).body
        number = answer.get("blind_number")
        legal = may_bid_nil if answer["blind_nil"] else number is None or number in numbers
        game.check("blind bid", legal and not (answer["blind_nil"] and number), answer, (may_bid_nil, numbers), request)
        if not answer["blind_nil"] and number is None:
            game.ledger.decided("look at the hand")
            return None
        game.ledger.decided("bid blind_nil" if answer["blind_nil"] else "bid blind_number")
        game.ledger.account.tables[answer["tables"]] += 1
        return BLIND_NIL if answer["blind_nil"] else f"blind_{number}"

    def _hand_text(self, seat: int) -> list[str] | str:
        """Return the hand as a list or, half of the time, as a PBN text."""
        hand = self.dealt[seat]
        if self.rng.random() < 0.5:
            return hand
        suits = ["".join(card[0] for card in hand if _printed_suit(card) == suit) for suit in "SHDC"]
        return ".".join(suits)

    # ---- the exchange ------------------------------------------------------------------------------------------------

    async def _pass(self) -> None:
        referee = self.referee
        for seat in sorted(range(4), key=lambda one: not referee.gives_first(self.bids, one)):
            number = referee.cards_to_pass(self.bids, seat)
            if number == 0:
                continue
            request: dict[str, Any] = {"hand": self.dealt[seat], "bids": self.bids, "seat": seat}
            held = list(self.dealt[seat])
            if referee.rules["nil_passes_first"] and not referee.gives_first(self.bids, seat):
                request["received"] = self.given[seat ^ 2]
                held += self.given[seat ^ 2]
            answer = (await self.ask("pass_cards", request)).body
            cards = answer["cards"]
            legal = len(cards) == len(set(cards)) == number and set(cards) <= set(held) and answer["to"] == seat ^ 2
            self.game.check("pass", legal, answer, f"{number} of {held}")
            self.game.ledger.decided("pass")
            self.given[seat] = cards
        self.hands = hands_after_pass(self.dealt, self.given)
        self.held = [set(hand) for hand in self.hands]
        sizes = list(map(len, self.hands))
        self.game.check("hands after the pass", sizes == [13] * 4, sizes, "13 each")

    def _exchanged(self, seat: int) -> dict[str, Any]:
        if not self.given[seat]:
            return {}
        return {"given": self.given[seat], "received": self.given[seat ^ 2]}

    # ---- cards -------------------------------------------------------------------------------------------------------

    async def _card(self, seat: int) -> None:
        game, chair = self.game, self.plan.chairs[self.chair(seat)]
        request: dict[str, Any] = {
            "hand": self.dealt[seat],
            "bids": self.bids,
            "seat": seat,
            "scores": self.scores(seat),
            "tricks": self.tricks,
            "player": chair.card_player,
            **self._exchanged(seat),
        }
        if chair.card_level < 5:
            request["level"] = chair.card_level
        if chair.deals is not None:
            request |= {"player": chair.card_player if game.searches else "best", "deals": chair.deals}
        if request["player"] in ("best", DISTILLED) or chair.deals is not None:
            request |= game.names()
        answer = (await self.ask("card", request, batch=self.plan.batches)).body
        card, legal = answer["card"], self.referee.legal_cards(self.hands[seat], self.tricks)
        game.check("card", card in legal, card, legal, request)
        listed = set(answer["legal"])
        game.check("legal cards", listed == legal, listed, legal, request)
        game.ledger.decided(f"card by {answer['player'].partition(':')[0]}")
        if "not_searched" in answer:
            game.ledger.decided(f"not searched: {answer['not_searched']}")
        trick = self.tricks[-1]
        if trick and self.referee.suit(card) != self.referee.suit(trick[0]):
            self.voids[seat].add(self.referee.suit(trick[0]))
        trick.append(card)
        self.hands[seat].remove(card)

    async def _infer(self, viewer: int | None) -> None:
        """Ask who holds the unseen cards, and check that the true holder of each is possible."""
        played = {str(seat): self._played_by(seat) for seat in range(4)}
        request: dict[str, Any] = {
            "bids": self.bids,
            "scores": self.scores(viewer or 0),
            "played": {seat: cards for seat, cards in played.items() if cards},
            "voids": {str(seat): sorted(voids) for seat, voids in enumerate(self.voids) if voids},
            "deals": self.rng.choice((0, 1, 5)),
            "policy": self.rng.choice(("bis", "best")),
            **self.game.names(),
        }
        if viewer is not None:
            request |= {"hand": self.dealt[viewer], "seat": viewer, **self._exchanged(viewer)}
        answer = (await self.ask("inference", request)).body
        self.game.ledger.decided("inference")
        others = [seat for seat in range(4) if seat != viewer]
        seats = answer["seats"]
        for seat in others:
            holds = {card: seats[str(seat)].get(card, 0.0) for card in self.hands[seat]}
            true_is_possible = all(probability > 0.0 for probability in holds.values())
            self.game.check("inference", true_is_possible, holds, "above 0, because it is true", seat, request)
            total = sum(seats[str(seat)].values())
            near = abs(total - len(self.hands[seat])) < SUM_TOLERANCE
            self.game.check("inference", near, f"sum {total}", len(self.hands[seat]), seat, request)
        unseen = sorted(card for seat in others for card in self.hands[seat])
        for deal in answer.get("deals", ()):
            dealt = sorted(card for cards in deal.values() for card in cards)
            self.game.check("deals", dealt == unseen, deal, unseen)

    def _played_by(self, seat: int) -> list[str]:
        return [card for trick in self.tricks for card in trick if card in self.held[seat]]

    # ---- after the cards ---------------------------------------------------------------------------------------------

    async def _review(self) -> None:
        if self.referee.rules["variant"] in WITHOUT_WINPROB or self.rng.random() >= self.game.review_share:
            return
        sides = [self.side(0), self.side(1)]
        plays = [card for trick in self.tricks for card in trick]
        request: dict[str, Any] = {
            "hands": self.dealt,
            "bids": self.bids,
            "plays": plays,
            "scores": [self.game.points[side] for side in sides],
            "bags": [self.game.bags[side] for side in sides],
            "policy": self.rng.choice(("bis", "best")),
            **self.game.names(),
        }
        if any(self.given):
            request["passed"] = [cards or None for cards in self.given]
        if self.rng.random() < 0.5:
            request["deals"] = self.rng.choice((8, 16, 32))
        answer = (await self.ask("review", request)).body
        self.game.ledger.decided("review")
        self.game.record.reviews += 1
        decisions = answer["decisions"]
        choices = [(one["seat"], one["choice"]) for one in decisions if one["kind"] == "bid"]
        bids = [(seat, "nil" if bid == 0 else str(bid)) for seat, bid in enumerate(self.bids)]
        self.game.check("reviewed bids", choices == bids, choices, bids, request)
        cards = [one["choice"] for one in decisions if one["kind"] == "card"]
        expected = plays if answer["cards_reviewed"] else []
        self.game.check("reviewed cards", cards == expected, cards, expected)
        passes = sum(one["kind"] == "pass" for one in decisions)
        given = sum(map(bool, self.given))
        self.game.check("reviewed passes", passes == given, passes, given)
        right = all(one["loss"] is None or one["loss"] >= 0.0 for one in decisions)
        self.game.check("losses", right, answer, "no loss below 0")

    async def _score(self) -> None:
        game = self.game
        self.game.check("tricks", sum(self.taken) == 13, self.taken, "13 in all")
        order = [self.side(seat) for seat in range(4 if game.alone else 2)]
        bags = [game.bags[side] for side in order]
        points, bags_after = self.referee.score(self.bids, self.taken, bags)
        library = game.scorekeeper.score(self.bids, self.taken, bags)
        game.check(
            "score",
            library == (points, bags_after),
            f"by the library {library}",
            (points, bags_after),
            *(f"bids {self.bids}", f"tricks {self.taken}", f"bags {bags}", self.plan.rules),
        )
        for index, side in enumerate(order):
            game.points[side] += points[index]
            game.bags[side] = bags_after[index]
        over = game.scorekeeper.is_over(game.points)
        expected = self.referee.is_over(game.points)
        game.check("end of the game", over == expected, over, expected, game.points)
        await self._report()

    async def _report(self) -> None:
        results = []
        for seat, answer in enumerate(self.answers):
            if not answer:
                continue
            result: dict[str, Any] = {"policy": answer["policy"], "tables": answer["tables"]}
            if self.round_id is not None:
                game = self.game.names()["game"]
                result |= {"round_id": self.round_id, "seat": seat, "game": game, "round": self.number}
            explanation = answer.get("explanation", {})
            if "p_win" in explanation:
                self.game.game_results.append((result | {"p_win": explanation["p_win"]}, self.side(seat)))
            results.append(result | self._outcome(seat, explanation))
        await self.game.report(results)

    def _outcome(self, seat: int, explanation: Mapping[str, Any]) -> dict[str, Any]:
        """Return what became of a seat's bid, with the probability that the answer stated."""
        bid, fields = self.bids[seat], {"bids": self.bids, "tricks": self.taken}
        candidates = [one for one in explanation.get("candidates", ()) if one["bid"] == bid]
        stated = candidates[0]["outcomes"] if candidates else {}
        outcome: dict[str, Any] = {}
        if is_nil(bid):
            outcome["nil_made"] = self.taken[seat] == 0
            if "nil_made" in stated:
                outcome["p_nil_made"] = stated["nil_made"]
            elif not candidates and explanation.get("nil", {}).get("probability") is not None:
                outcome["p_nil_made"] = explanation["nil"]["probability"]
            return fields | outcome
        partners = (seat,) if self.game.alone else (seat, seat ^ 2)
        contract = sum(tricks_of(self.bids[one]) for one in partners)
        nils_count = self.referee.rules["failed_nil_tricks"] == "contract"
        tricks = sum(self.taken[one] for one in partners if nils_count or not is_nil(self.bids[one]))
        outcome["contract_made"] = tricks >= contract
        if "made" in stated:
            outcome["p_contract_made"] = stated["made"]
        return fields | outcome


def hands_after_pass(dealt: Hands, given: Hands) -> Hands:
    """Return the hands after the exchange; all lists are by seat.

    A partner who gives second may give back a card that it got. Then its first owner keeps the card.
    """
    hands = []
    for seat, hand in enumerate(dealt):
        mine, partners = given[seat], given[seat ^ 2]
        kept = [card for card in hand if card not in mine or card in partners]
        hands.append(kept + [card for card in partners if card not in hand and card not in mine])
    return hands


def _printed_suit(card: str) -> str:
    return "S" if card in ("BJ", "LJ") else card[1]


def _without_a_card(request: Mapping[str, Any]) -> dict[str, Any]:
    hand = request["hand"]
    return {"hand": hand[1:] if isinstance(hand, list) else hand.replace(".", "", 1)}


# By method: mistakes of a caller, each with the pointer to the fault that the service must name.
WRONG: Mapping[str, Sequence[tuple[Callable[[Mapping[str, Any]], dict[str, Any]], str]]] = {
    "bid": (
        (_without_a_card, "/hand"),
        (lambda request: {"seat": (len(request["previous_bids"]) + 1) % 4}, "/seat"),
        (lambda _: {"player": "north"}, "/player"),
        (lambda _: {"policy": "bis:ofset=1"}, "/policy"),
        (lambda request: {"rules": {**request["rules"], "win": 0}}, "/rules/win"),
    ),
    "card": (
        (_without_a_card, "/hand"),
        (lambda _: {"seat": 4}, "/seat"),
        (lambda request: {"tricks": [["1S"], *request["tricks"]]}, "/tricks"),
        (lambda _: {"player": "srp@0"}, "/player"),
    ),
    "review": ((lambda request: {"plays": request["plays"][1:]}, "/plays"), (lambda _: {"deals": 0}, "/deals")),
    "pass_cards": ((_without_a_card, "/hand"),),
    "blind": ((lambda _: {"hand": "AKQ"}, "/hand"),),
}
