"""Games drawn at random, compiled and as plain Python, round by round."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from arena.engine.bidding import bid_seat, with_noise
from arena.engine.choose_bid import auction_at
from arena.engine.deal import NOISE_STREAM, Deals, deal_round, seed_rng
from arena.engine.playing import BLEND_SEED, exchange
from arena.engine.results import cutthroat_winner
from arena.engine.simulate import KernelTables, numba_typed
from arena.games import ALONE, SEATING, Lineup, pairs_of, play_games
from arena.players.choose_card import IDS, WRP, choose_card
from arena.players.names import parse_player
from spades.play import legal_cards, play_card
from spades.policies import parse_policy
from spades.position import allowed_at_turn
from spades.random_numbers import hash_uniform
from spades.rules import CUTTHROAT, PRESETS, Rules, make_rules
from spades.scoring import game_winner, score_seat, score_side
from tests.arena.engine import states
from tests.more_games import MORE

SEED = 7
MOST_ROUNDS = 15
BIDDERS = (
    *("bis", "bis:tuned", "bis:convention=auto,dynamic=on", "bis:level=2", "bis:variant=ignore", "bis:rules=ignore"),
    *("bis:nils=off", "rb:nil=5-8-T", "ms", "io", "fixed:bid=3", "fixed:bid=0"),
)
BLIND = ("bis:blind=on,blind_frequency=1,blind_floor=0", "bis:tuned,blind=on", "bis")
WITH_WIN_TABLE = ("winprob", "winprob:level=2", "winprob:blind=on", "winprob:margin=0.02,far_margin=0.01", "bis")
BLIND_RULES = make_rules(
    "blind-nil", {"blind_nil_deficit": 0, "nil_pass": 1, "blind_nil_pass": 3, "nil_passes_first": True}
)

GAMES: dict[str, Rules] = {
    **PRESETS,
    "blind nil at any score": BLIND_RULES,
    "no nil": make_rules("classic", {"nil": False, "bag_points": 0, "set_points": "missing", "win": 300}),
    "nothing for a set": make_rules(
        "classic",
        {"set_points": "none", "slam_points": 100, "double_nil_points": 500, "bag_points": -1, "bag_penalty": 0},
    ),
    "ten for 200 alone": make_rules("cutthroat", {"ten_for_200": True, "nil": False, "set_points": "missing"}),
    "any lead": make_rules("classic", {"spades_lead": "any", "sum_not_13": True, "win": 200}),
    "the lowest club": make_rules("pass-2", {"first_lead": "lowest_club", "first_trick_spades": False, "win": 200}),
    "whiz with jokers": make_rules("whiz", {"deck": "jokers", "ten_for_200": True, "win": 200}),
    "whiz with deuces": make_rules("whiz", {"deck": "jjdd", "first_lead": "lowest_club", "win": 200}),
    "jokers alone": make_rules("cutthroat", {"deck": "jokers", "sum_not_13": True, "spades_lead": "any"}),
    "deuces alone": make_rules("cutthroat", {"deck": "jjdd-spade"}),
    **{f"win table {number}": rules for number, rules in enumerate(MORE)},
}


class Round(NamedTuple):
    """The fields of `arena.engine.rounds.ROUND` that both forms write, and the result of the game after the round."""

    first_chair: int
    hands: list[int]
    bids: list[int]
    passed: list[int]
    plays: list[int]
    tricks: list[int]
    scores: list[int]
    bags: list[int]
    points: list[int]
    bags_after: list[int]
    choices: int
    result: int


def lineup_of(name: str) -> Lineup:
    """Return four bidders and players, and often noise and blends, drawn at random for the game ``name``."""
    rng, rules = random.Random(name), GAMES[name]
    bidders = WITH_WIN_TABLE if rules in MORE else BLIND if rules.blind_nil else BIDDERS
    policies = [numba_typed(parse_policy(rng.choice(bidders), rules.variant)) for _ in range(4)]
    players = [parse_player(rng.choice((*IDS, "uct(tricks=2, samples=9)"))) for _ in range(4)]
    rows = [
        (number, pieces & rng.choice((pieces, rng.getrandbits(32))) if number in IDS.values() else pieces)
        for number, pieces in players
    ]
    blends = rng.choice((np.zeros(4), np.array([0.0, 0.5, 0.0, 0.2])))
    return Lineup(policies, np.array(rows), rng.choice((0.0, 0.3)), blends)


def compiled_pair(name: str, profiles: KernelTables) -> list[list[Round]]:
    """Return the rounds of both games of a duplicate pair."""
    batch = pairs_of(Deals(SEED, len(name), len(name) + 1), GAMES[name])
    games: list[list[Round]] = [[], []]
    for results in play_games(batch, lineup_of(name), SEED, profiles, MOST_ROUNDS):
        for game in np.flatnonzero(batch.active):
            row = batch.rounds[game]
            sets = {field: row[field].astype(np.uint64).tolist() for field in ("hands", "passed")}
            others = {field: row[field].tolist() for field in Round._fields if field not in {*sets, "result"}}
            games[game].append(Round(**sets, **others, result=int(results[game])))
    return games


def plain_game(name: str, swap: int, profiles: Any) -> Iterator[Round]:
    """Yield the rounds of one of the two games of the same pair, played with the kernels alone."""
    rules, lineup, pair = GAMES[name], lineup_of(name), len(name)
    alone = rules.variant == CUTTHROAT
    places = ALONE if alone else SEATING
    first = 2 * swap + (pair & 1) if alone else swap + 2 * (pair & 1)
    state = states.under(rules)
    scores, bags = [0] * 4, [0] * 4  # by chair
    for number in range(MOST_ROUNDS):
        chairs = [(first + number + seat) & 3 for seat in range(4)]
        deal_round(state, SEED, pair, number)
        hands = list(state.hand)
        for seat, chair in enumerate(chairs):
            state.player[seat], state.pieces[seat] = lineup.players[places[chair]].tolist()
            if hash_uniform(state.rng[seat] + BLEND_SEED) < lineup.blends[places[chair]]:
                state.player[seat] = WRP
            if alone:
                state.seat_score[seat], state.seat_bags[seat] = scores[chair], bags[chair]
            else:
                state.score[seat & 1], state.bags[seat & 1] = scores[chair], bags[chair]
        if lineup.noise:
            seed_rng(state, SEED, pair, NOISE_STREAM + 2 * number + swap)
        for seat, chair in enumerate(chairs):
            bid = bid_seat(state, seat, rules, lineup.policies[places[chair]], profiles)
            moved = with_noise(state, bid, lineup.noise) if lineup.noise else bid
            allowed = allowed_at_turn(state.hand[seat], auction_at(state, seat), rules)
            state.bid[seat] = moved if allowed >> moved & 1 else bid
        passed, plays, choices = [0] * 4, [], 0
        exchange(state, passed)
        for _ in range(52):
            seat = (state.leader + state.trick_size) & 3
            choices += legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken).bit_count()
            plays.append(choose_card(state, seat))
            play_card(state, seat, plays[-1])
        before = [scores[chair] for chair in chairs], [bags[chair] for chair in chairs]
        bids, taken = state.bid, state.taken
        points = [0] * 4
        for seat, chair in enumerate(chairs):
            other = seat ^ 2
            points[seat], bags[chair] = (
                score_seat(bids[seat], taken[seat], bags[chair], rules)
                if alone
                else score_side(bids[seat], taken[seat], bids[other], taken[other], bags[chair], rules)
            )
            scores[chair] += points[seat]
            state.seat_score[seat] = scores[chair]
        if alone:
            winner = cutthroat_winner(state, rules)
            result = 0 if winner < 0 else 1 - 2 * (places[chairs[winner]] & 1)
        else:
            result = game_winner(scores[0], scores[1], rules)
        after = [bags[chair] for chair in chairs]
        yield Round(chairs[0], hands, list(bids), passed, plays, list(taken), *before, points, after, choices, result)
        if result:
            return
