"""Many rounds at once: deal, bid, pass, play and score. Matches, table builds and reports are made of these steps.

A `Batch` holds n rounds. Each step goes on with all of them in compiled code, up to a decision that somebody else
makes: a net, a program outside, a forced bid. These answers go into the next call of the step. So every mixture of
bidders and players runs in the same loops. Few other entries contain a bidder or a card player: those of searches and
public bots, and some that look at the numbers of one decision.

A finished round is one row of `ROUND`, whoever played it. `arena.counters` counts such rows.
"""

import numpy as np
from numpy.typing import NDArray

from arena.engine.bidding import allowed_of_all, bid_all
from arena.engine.deal import NO_ANSWER, deal_all, draw_all, seed_noise_of_all
from arena.engine.playing import blend_all, exchange_all, legal_of_all, play_all
from arena.engine.replay import PLAYS
from arena.engine.results import go_on_all, score_all
from arena.engine.simulate import KernelTables, policy_rows
from arena.engine.states import STATE
from spades.legal import NO_BID, broken_at_start, deck_of
from spades.options import Policy
from spades.play import lowest_club
from spades.rules import CUTTHROAT, LOWEST_CLUB_LEADS, Rules

Ints = NDArray[np.int64]

BATCH = 4096  # rounds that are played at a time: their states are 3 MB
CHAIRS = (np.arange(4)[:, None] + np.arange(4)) & 3  # by first chair and seat
COMPILED = PLAYS  # in `Batch.play`: compiled code chooses all cards of a seat

# A round. Seats are in bidding order. A chair is a fixed place at the table; seat s of a round is chair
# (first_chair + s) % 4. Scores, bags and points are those of the seat's side; in cutthroat those of the seat.
ROUND = np.dtype(
    [
        ("deal", np.int64),  # number of the deal; in a match, of the duplicate pair
        ("swap", np.int8),  # 1: the second game of a duplicate pair, in which the players sit one chair further
        ("number", np.int16),  # of the round in its game, from 0
        ("first_chair", np.int8),
        ("rules", np.int32),  # index in a list of rules
        ("hands", np.int64, 4),  # as dealt: sets of cards; 0 if not known
        ("bids", np.int8, 4),
        ("passed", np.int64, 4),  # the cards that each seat gave to partner
        ("plays", np.uint8, PLAYS),  # the cards in order of play
        ("tricks", np.int8, 4),
        ("scores", np.int32, 4),  # before the round
        ("bags", np.int32, 4),  # before the round
        ("points", np.int32, 4),  # that the round brings
        ("bags_after", np.int32, 4),
        ("choices", np.int32),  # number of legal cards, summed over all plays
    ]
)


class Batch:
    """n rounds in progress.

    `states` (n,) of `STATE` is what bidders and players see, `rounds` (n,) of `ROUND` the record. `active` (n,) says
    which rounds the steps go on with. `next_bid` (n,) is the seat that bids next, 4 after the last bid; `next_card`
    (n,) is the number of cards played. All rounds have the same rules.
    """

    def __init__(self, rules: Rules, deals: Ints, first_chairs: Ints | int = 0, swaps: Ints | int = 0) -> None:
        n = len(deals)
        self.rules = rules
        self.states = np.zeros(n, STATE)
        self.states["deck"] = np.uint64(deck_of(rules)).astype(np.int64)  # with 16 spades, the sign bit is a card
        self.states["passes"] = rules.nil_pass, rules.blind_nil_pass, rules.nil_passes_first
        self.states["rules"] = rules
        self.rounds = np.zeros(n, ROUND)
        self.rounds["deal"], self.rounds["first_chair"], self.rounds["swap"] = deals, first_chairs, swaps
        self.active = np.ones(n, np.bool_)
        self.next_bid = np.zeros(n, np.int64)
        self.next_card = np.zeros(n, np.int64)

    def copies(self, rows: Ints) -> "Batch":
        """Return copies of rounds ``rows`` (m,), all active, as a batch."""
        made = Batch(self.rules, self.rounds["deal"][rows])
        made.states, made.rounds = self.states[rows], self.rounds[rows]
        made.next_bid, made.next_card = self.next_bid[rows], self.next_card[rows]
        return made

    def deal(self, seed: int, players: Ints) -> None:
        """Deal the rounds from their `deal` and `number`.

        ``players`` (4, 2) or (n, 4, 2): card players by chair, from `player_rows`.
        """
        by_round = np.empty((len(self.rounds), 4, 2), np.int64)
        by_round[:] = players
        deal_all(self.states, self.rounds, self.active, seed, self.rules, by_round)
        self._begin()

    def take(self, hands: Ints, players: Ints) -> None:
        """Begin the rounds with these hands (n, 4) instead of dealing; ``players``: see `deal`."""
        self.rounds["hands"], self.rounds["bids"], self.rounds["passed"] = hands, NO_BID, 0
        for field in ("taken", "void", "followed", "signalled", "played", "trick_size", "leader", "broken", "choices"):
            self.states[field] = 0
        self.states["hand"], self.states["bid"] = hands, NO_BID
        self.states["broken"] = broken_at_start(self.rules)
        if self.rules.first_lead == LOWEST_CLUB_LEADS:
            self.states["leader"] = np.argmax(hands & lowest_club(deck_of(self.rules)) != 0, axis=1)
        by_round = np.broadcast_to(players, (len(self.rounds), 4, 2))
        seated = np.take_along_axis(by_round, self.chairs()[:, :, None], axis=1)
        self.states["player"], self.states["pieces"] = seated[:, :, 0], seated[:, :, 1]
        self.write_scores()
        self._begin()

    def _begin(self) -> None:
        self.next_bid[:] = np.where(self.active, 0, 4)
        self.next_card[:] = np.where(self.active, 0, PLAYS)

    def chairs(self) -> Ints:
        """Return the chair (n, 4) of each seat."""
        chairs: Ints = CHAIRS[self.rounds["first_chair"]]
        return chairs

    def write_scores(self) -> None:
        """Give the bidders the scores and bags of `rounds`, which were changed after the deal."""
        score, bags = ("seat_score", "seat_bags") if self.rules.variant == CUTTHROAT else ("score", "bags")
        cells = self.states[score].shape[1]
        self.states[score], self.states[bags] = self.rounds["scores"][:, :cells], self.rounds["bags"][:, :cells]

    def set_scores(self, scores: Ints) -> None:
        """Set points and bags (n, 4): of the side of seat 0, then of the other."""
        self.rounds["scores"], self.rounds["bags"] = scores[:, [0, 2, 0, 2]], scores[:, [1, 3, 1, 3]]
        self.write_scores()

    def draw(self, *limits: int) -> Ints:
        """Return a random number (n, len(limits)) below each of ``limits``, from the generator of each round."""
        drawn = np.zeros((len(self.rounds), len(limits)), np.int64)
        draw_all(self.states, self.active, np.array(limits, np.int64), drawn)
        return drawn

    def blend(self, shares: NDArray[np.float64]) -> None:
        """Let the card player of each chair play as WRP in a share (4,) of the rounds."""
        if shares.any():
            blend_all(self.states, self.rounds, self.active, shares)

    def seed_noise(self, seed: int) -> None:
        """Seed the generator of each round for the noise of its bids."""
        seed_noise_of_all(self.states, self.rounds, self.active, seed)

    def bid(
        self,
        policies: NDArray[np.void],
        profiles: KernelTables,
        bidders: Ints | None = None,
        answers: Ints | None = None,
        noise: float = 0.0,
    ) -> None:
        """Bid up to the first seat whose bid has to come from ``answers`` and has none.

        ``policies``: from `policy_rows`. ``bidders`` (n, 4): by seat, a row of ``policies``, or NO_ANSWER; without it,
        the first policy bids in all seats. ``answers`` (n,): a bid, or NO_ANSWER, which a used answer becomes.
        ``noise``: the probability that a bid is moved by one, if the rules allow that.
        """
        n = len(self.rounds)
        bidders = np.zeros((n, 4), np.int64) if bidders is None else bidders
        answers = np.full(n, NO_ANSWER, np.int64) if answers is None else answers
        bid_all(self.states, self.rounds, self.next_bid, bidders, answers, policies, noise, self.rules, profiles)

    def write_bids(self, bids: Ints) -> None:
        """Set all bids (n, 4)."""
        self.states["bid"], self.rounds["bids"] = bids, bids
        self.next_bid[:] = 4

    def drop(self, rows: NDArray[np.bool_]) -> None:
        """Go on without the rounds ``rows`` (n,)."""
        self.active &= ~rows
        self.next_bid[rows], self.next_card[rows] = 4, PLAYS

    def finish(self) -> None:
        """Pass, play and score the rounds, after the bids."""
        self.exchange()
        self.play()
        self.score()

    def exchange(self) -> None:
        """Let partners exchange cards, as the rules say and `arena.engine.playing` chooses."""
        if self.rules.nil_pass or self.rules.blind_nil_pass:
            exchange_all(self.states, self.rounds, self.active)

    def play(self, asked_from: Ints | None = None, answers: Ints | None = None) -> None:
        """Play up to the first card that has to come from ``answers`` and has none.

        ``asked_from`` (n, 4): by seat, the first place (0..51) whose card comes from ``answers`` (n,), or COMPILED.
        A used answer becomes NO_ANSWER.
        """
        n = len(self.rounds)
        asked_from = np.full((n, 4), COMPILED, np.int64) if asked_from is None else asked_from
        answers = np.full(n, NO_ANSWER, np.int64) if answers is None else answers
        play_all(self.states, self.rounds, self.next_card, asked_from, answers)

    def score(self, sides: Ints | None = None, rules: Rules | None = None) -> Ints:
        """Score the rounds, and return (n,) which side has won its game with it: 1 for a, -1 for b, 0 for none.

        ``sides`` (4,): by chair, 0 for side a, 1 for side b; by default, in turn. ``rules``: instead of the batch's.
        """
        results = np.zeros(len(self.rounds), np.int64)
        by_chair = np.array((0, 1, 0, 1)) if sides is None else sides
        score_all(self.states, self.rounds, self.active, by_chair, rules or self.rules, results)
        return results

    def go_on(self) -> None:
        """Make the next round of each active game follow the one that was scored."""
        go_on_all(self.rounds, self.active)


def states_at(rules: Rules, hands: Ints, bids: Ints, scores: Ints, bags: Ints) -> NDArray[np.void]:
    """Return states (n,) in the auction: with hands and bids (n, 4), points and bags (n, 2) of both sides."""
    states = Batch(rules, np.zeros(len(hands), np.int64)).states
    states["hand"], states["bid"], states["score"], states["bags"] = hands, bids, scores, np.maximum(0, bags)
    return states


def bids_of(states: NDArray[np.void], seats: Ints, rules: Rules, policy: Policy, profiles: KernelTables) -> Ints:
    """Return the bids (n,) of ``policy`` from ``seats`` (n,), and change nothing."""
    rows = np.arange(len(seats))
    bidders = np.where(np.arange(4) == seats[:, None], 0, NO_ANSWER)
    rounds, answers = np.zeros(len(seats), ROUND), np.full(len(seats), NO_ANSWER, np.int64)
    bid_all(states.copy(), rounds, seats.copy(), bidders, answers, policy_rows([policy]), 0.0, rules, profiles)
    bids: Ints = rounds["bids"][rows, seats].astype(np.int64)
    return bids


def to_play(states: NDArray[np.void]) -> Ints:
    """Return the seat (n,) that plays next in each state."""
    seats: Ints = states["leader"] + states["trick_size"] & 3
    return seats


def allowed_masks(states: NDArray[np.void], seats: Ints) -> Ints:
    """Return the bids (n,) that the rules allow ``seats`` (n,), as bit masks."""
    found = np.zeros(len(states), np.int64)
    allowed_of_all(states, seats, found)
    return found


def legal_masks(states: NDArray[np.void], seats: Ints) -> Ints:
    """Return the legal cards (n,) of ``seats`` (n,) as bit masks."""
    found = np.zeros(len(states), np.int64)
    legal_of_all(states, seats, found)
    return found
