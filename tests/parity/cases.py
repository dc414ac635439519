"""Arguments for every kernel, by module and function name: one function for each kernel makes random and edge cases."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from arena.engine.habits import MOVES, Intended
from arena.engine.simulate import numba_typed
from arena.engine.winprob import Contracts
from arena.people.inputs import INPUTS as PEOPLE_INPUTS
from arena.players.choose_card import IDS, UCT2
from arena.players.uct import MOST_C, MOST_CARDS, MOST_SAMPLES, packed
from arena.players.unseen import WAYS, count_deals, seed_view
from arena.public.bots import BOTS
from spades.bis.estimates import LOW_FOUR, Nil, NilTerms, Regular
from spades.bis.partnership import Proposal
from spades.cards import DECK, DECK_BITS, JACK, JOKERS_DECK, SPADE_BITS, TEN, cards_of, suits_of
from spades.legal import BLIND_NIL, BLIND_NUMBER, EVERY_BID, NO_BID
from spades.levels import DRAWS_PER_SEED, LARGEST_SEED
from spades.options import BIG5, BIG6, CONVENTIONS, NO_CONVENTION, PLAYER_KINDS
from spades.play import CARD_INPUTS as CARD_INPUTS_OF_NET
from spades.play import POSITION_INPUTS
from spades.play.srp.goals import ALL_PIECES
from spades.play.srp.leads import lead_situation
from spades.play.state import PlayState
from spades.play.tricks import unseen_cards, write_rules
from spades.policies import parse_policy
from spades.position import Auction, auction_after, read_auction
from spades.rules import NO_LOSING_GOAL, Rules, make_rules
from spades.scoring import Standing
from spades.tables import SEQUENCES
from spades.winprob.candidates import NO_NUMBER
from spades.winprob.features import (
    BID_INPUTS,
    CARD_INPUTS,
    INPUTS,
    POSITION_NAMES,
    Expected,
    ModelPosition,
    holdings,
)
from spades.winprob.games import BAGS, SHIPPED_SLICES, WinTableSlice
from spades.winprob.outcomes import NO_NIL, OURS, OUTCOMES, THEIRS
from tests.arena.engine import states
from tests.conftest import view
from tests.more_games import MORE
from tests.parity.worlds import Table

ALL = Table("")
SETTINGS = Table("*")
RULES = (
    make_rules(),
    make_rules("bis-paper"),
    make_rules("classic", {"bags": False, "failed_nil_tricks": "none", "nil_points": 50}),
    make_rules("bis-paper", {"failed_nil_tricks": "contract", "bag_limit": 3, "blind_nil": True}),
    make_rules("classic", {"min_bid": 2, "team_min": 5, "team_max": 9, "double_nil": False}),
    make_rules("whiz"),
    make_rules("suicide", {"team_min": 4}),
    make_rules("mirror"),
    make_rules("whiz-strict"),
    make_rules("ten-for-200", {"min_bid": 3, "bag_penalty": 200}),
    make_rules("classic", {"nil": False, "set_points": "missing", "slam_points": 100}),
    make_rules(
        "classic", {"bag_points": -1, "bag_penalty": 0, "set_points": "none", "double_nil_points": 500, "win": 250}
    ),
    make_rules("classic", {"sum_not_13": True, "spades_lead": "any", "first_lead": "lowest_club"}),
)


def any_rules(r: random.Random) -> Rules:
    """Return rules with a different random number in each field, supported or not.

    Code that moves rules must not lose or swap any of them.
    """
    return Rules(*(r.randrange(-(10**6), 10**6) for _ in Rules._fields))


def with_rules(rules: Rules) -> memoryview:
    s = states.empty()
    write_rules(s, rules)
    return s


POLICIES = tuple(
    numba_typed(parse_policy(text))
    for text in (
        "bis",
        "bis:tuned",
        "bis:curves=single,spade_honours=allow,nil_threshold=-20",
        "bis:curves=raw,factor=off,offset=.3,dynamic=on",
        "bis:endgame=off",
        "bis:nils=off,nil_floor=0",
        "rb",
        "rb:nil=5-8-T",
        "rb:nils=off",
        "ms",
        "io",
        "fixed:bid=3",
        "fixed:bid=0",
        "bis:convention=big5",
        "bis:tuned,convention=auto,spade_honours=allow,signal_takes=5",
        "bis:convention=big6,dynamic=on,answer_threshold=-60",
        "bis:blind=on,blind_frequency=0.5",
        "bis:tuned,blind=on,convention=auto",
        "bis:nil_threshold=-60,nil_slope=12.5,spade_honours=allow",
        "bis:variant=ignore",
        "bis:tuned,rules=ignore",
    )
)
BIS = (*POLICIES[:6], *POLICIES[13:])
JOKERS = make_rules("jokers")
DECKS = (make_rules("jokers-deuce"), make_rules("jjdd"))
PASSES = tuple(make_rules("classic", {"nil_pass": n, "blind_nil_pass": 4 - n}) for n in range(5))
JOKER_DECK = DECK_BITS[JOKERS_DECK]
SHAPES = (0x1FFF << 48, 0x1FFF, 0x1FFF << 16, 0xFFF << 48 | 1, 0x3F | 0x7F << 32, 0x1FFE | 1 << 60)


def hand(rng: random.Random, dealt: int = DECK) -> int:
    """Return 13 cards: most are random, some are low (nils), some have an extreme shape."""
    kind = rng.random()
    if kind < 0.03:
        return rng.choice((*SHAPES, 0x1FFF << 50) if dealt == JOKER_DECK else SHAPES) & dealt
    deck = cards_of(dealt)
    if kind < 0.35:
        deck = [card for card in deck if card & 15 < 10]
    if kind < 0.15:
        deck = [card for card in deck if card < 48 or card & 15 < 5]
    return sum(1 << card for card in rng.sample(deck, 13))


def bid(rng: random.Random) -> int:
    return rng.choice((0, 0, 1, 2, 3, 3, 4, 4, 5, 6, 8, 13, BLIND_NIL))


def blind_number(rng: random.Random) -> int:
    return BLIND_NUMBER + rng.choice((6, 6, 7, 13))


def bids_before(rng: random.Random) -> tuple[int, int, int, int]:
    """Return (seat, b0, b1, b2)."""
    seat = rng.randrange(4)
    bids = [rng.choice((bid(rng), bid(rng), bid(rng), blind_number(rng))) for _ in range(seat)] + [NO_BID] * (3 - seat)
    return seat, bids[0], bids[1], bids[2]


def auction(rng: random.Random) -> Auction:
    return read_auction(*bids_before(rng))


def partner_bid(rng: random.Random) -> int:
    return rng.choice((NO_BID, bid(rng)))


def scores(rng: random.Random, rules: Rules) -> Standing:
    """Return scores anywhere, or near the goal."""
    if rng.random() < 0.3:
        us, them = rng.randrange(-400, 600), rng.randrange(-400, 600)
    else:
        us, them = (rules.win - rng.randrange(-30, 170) for _ in range(2))
    return Standing(us, them, rng.randrange(10), rng.randrange(10))


def position(rng: random.Random) -> tuple[int, Auction, Standing, Rules]:
    """Return all arguments of `choose_bid` except the policy and the tables."""
    rules = rng.choice(RULES)
    return hand(rng), auction(rng), scores(rng, rules), rules


def any_position(rng: random.Random) -> tuple[int, Auction, Standing, Rules]:
    """Return a `position`, or one with jokers in the deck.

    Only the tables of the jokers profile cover such hands.
    """
    if rng.random() < 0.8:
        return position(rng)
    return hand(rng, JOKER_DECK), auction(rng), scores(rng, JOKERS), JOKERS


@cache
def pool() -> tuple[PlayState, ...]:
    """Return play states: after random plays, and after plays of the card players."""
    found = [states.midway(seed) for seed in range(150)]
    rng = random.Random(6)
    for number in range(100):
        players = [rng.choice(sorted(IDS)) for _ in range(4)]
        s = states.dealt(6, number, states.random_bids(rng), players)
        for _ in range(rng.randrange(52)):
            states.play_on(s)
        found.append(s)
    for s in found:
        for side in range(2):
            s.score[side], s.bags[side] = rng.randrange(-100, 500), rng.randrange(10)
    return tuple(found)


def sitting(rng: random.Random, leading: bool | None = None) -> tuple[PlayState, int, int, int, int]:
    """Return (state, seat to play, hand, legal, unseen).

    The seat leads if ``leading`` is true, follows if it is false, and does either if it is None.
    """
    while True:
        s = rng.choice(pool())
        if leading is None or (s.trick_size == 0) == leading:
            me = states.to_play(s)
            return s, me, s.hand[me], sum(1 << card for card in states.legal_now(s)), unseen_cards(s, me)


def a_play(rng: random.Random) -> memoryview:
    """Return 52 cards: a deck in random order, sometimes with a card twice."""
    found = cards_of(DECK)
    rng.shuffle(found)
    if rng.randrange(2):
        found[rng.randrange(52)] = found[0]
    return view(np.array(found))


def dealt_under(rng: random.Random) -> PlayState:
    """Return a round before its first card; the state holds rules."""
    s = states.dealt(rng.randrange(2**31), 1)
    write_rules(s, rng.choice(RULES))
    return s


def a_replay(rng: random.Random) -> tuple[Any, ...]:
    """Return cards, who played them, the cards of each seat, and working memory; sometimes a legal play."""
    s = states.dealt(rng.randrange(2**31), 1, states.random_bids(rng))
    found, played = [], list(s.hand)
    seats = []
    for _ in range(52):
        seats.append(states.to_play(s))
        before = s.played
        states.play_on(s)
        found.append((s.played ^ before).bit_length() - 1)
    if rng.randrange(2):
        found[40], found[3] = found[3], found[40]
    broken = rng.choice((0, rng.randrange(8)))
    return view(np.array(found)), view(np.array(seats)), view(np.array(played)), broken, view(np.zeros(4, np.int64))


def staked(rng: random.Random) -> tuple[PlayState, int]:
    """Return (state, seat to play) late in a game; the state holds the rules."""
    s, me, *_ = sitting(rng)
    s = states.copy(s)
    write_rules(s, rng.choice(RULES))
    s.score[0], s.score[1] = (rng.randrange(-90, 490, 10) for _ in range(2))
    return s, me


def pieces(rng: random.Random) -> int:
    """Return pieces of SRP: all of them, none of them or some."""
    return rng.choice((ALL_PIECES, 0, rng.randint(0, ALL_PIECES)))


def passing_state(rng: random.Random) -> PlayState:
    """Return a round before its first card, with a nil of one side or of both."""
    s = states.empty()
    deck = rng.sample(cards_of(DECK), 52)
    for seat in range(4):
        s.hand[seat] = sum(1 << card for card in deck[seat::4])
        s.bid[seat] = rng.choice((0, 0, 3, 14))
        s.rng[seat] = rng.randrange(1 << 32)
    s.deck = DECK
    s.passes[0], s.passes[1], s.passes[2] = rng.randrange(5), rng.randrange(5), rng.randrange(2)
    return s


def cards(rng: random.Random, least: int = 0) -> int:
    """Return any set of cards, including jokers."""
    deck = [*cards_of(DECK), 61, 62]
    return sum(1 << card for card in rng.sample(deck, rng.randint(least, 26)))


def card(rng: random.Random) -> int:
    return rng.choice(cards_of(DECK))


def holding(rng: random.Random) -> int:
    return rng.choice((0, 0x1FFF, rng.randrange(8192), 1 << rng.randrange(13)))


def nil_of(rng: random.Random) -> tuple:
    policy = rng.choice(BIS)
    honours = rng.choice((policy.spade_honours, LOW_FOUR))
    return (
        suits_of(hand(rng)),
        auction(rng),
        NilTerms(policy.nil_threshold, policy.curves, honours, policy.nils, rng.choice((0, 2))),
        rng.choice((EVERY_BID, EVERY_BID - 1, 1)),
        rng.choice(RULES),
        ALL,
    )


def proposal(rng: random.Random) -> Proposal:
    """Return a bid before the end of the game changes it."""
    regular = counted_takes(rng)
    nil = Nil(0.5, 0.5, 0.5, 0.5, 1.0, 0.5, rng.random(), 0.0, 25.0, rng.choice((0, 0, 2)), False)
    return Proposal(
        rng.choice((0, regular.takes, regular.takes)), regular.takes, regular, nil, rng.choice((NO_BID, 5, 6))
    )


def endgame(rng: random.Random) -> tuple:
    rules = rng.choice(RULES)
    allowed = rng.randrange(1, EVERY_BID + 1)
    return proposal(rng), auction(rng), scores(rng, rules), allowed, rules, rng.choice(BIS), ALL


def bis_position(rng: random.Random) -> tuple:
    """Return all arguments of `bis`."""
    *where, rules = position(rng)
    return *where, rng.randrange(1, EVERY_BID + 1), rules, rng.choice(BIS), ALL


def finished(rng: random.Random) -> PlayState:
    """Return a state after a whole round."""
    s = states.dealt(9, rng.randrange(50), states.random_bids(rng))
    for _ in range(52):
        states.play_on(s)
    return s


def ended_round(rng: random.Random) -> tuple:
    """Return all arguments of `win_probability_after_round`."""
    rules, win_slice = scored_otherwise(rng)
    return with_counted_bags(finished(rng), rules), rng.randrange(4), rules, win_slice, table_of(win_slice)


def last_tricks(rng: random.Random) -> tuple[PlayState, int]:
    """Return (state, seat to play) with at most four cards in a hand, with rules, and UCT in every seat."""
    s = states.midway(rng.randrange(2**31), rng.randrange(36, 52))
    write_rules(s, rng.choice(RULES))
    for seat in range(4):
        s.player[seat] = UCT2
        s.pieces[seat] = packed(rng.choice((3, 4)), rng.choice((1, 5, 15)), 100)
    return s, states.to_play(s)


def arms(rng: random.Random) -> tuple:
    s, me = last_tricks(rng)
    cells = np.zeros(3 * MOST_CARDS, np.int64)
    legal = states.legal_now(s)
    cells[: len(legal)] = legal
    return s, me, view(cells), len(legal), [states.empty()]


def counted(rng: random.Random) -> tuple:
    """Return arguments of `deal_unseen`: the deals of a state are counted, and a generator is seeded."""
    s, me, *_ = sitting(rng)
    ways, x = view(np.zeros(WAYS, np.int64)), states.empty()
    count_deals(s, me, ways)
    seed_view(s, me, rng.randrange(100), x)
    return s, me, ways, x


def setting(rng: random.Random) -> tuple:
    policy = numba_typed(
        parse_policy(f"bis:convention={rng.choice(CONVENTIONS)},variant={rng.choice(('heed', 'ignore'))}")
    )
    return rng.choice((*RULES, JOKERS)), policy, Standing(rng.randint(-200, 500), rng.randint(-200, 500), 0, 0)


def alone(rng: random.Random) -> tuple:
    """Return (auction, scores by seat, own bags, rules) of cutthroat; often one player is near the goal."""
    rules = rng.choice((CUTTHROAT, CUTTHROAT._replace(min_bid=3, bags=0)))
    by_seat = tuple(rules.win - rng.choice((rng.randrange(-30, 170), rng.randrange(400))) for _ in range(4))
    return auction(rng), by_seat, rng.randrange(10), rules


def alone_finish(rng: random.Random) -> tuple:
    return proposal(rng), *alone(rng), rng.choice(BIS), ALL


def alone_bid(rng: random.Random) -> tuple:
    """Return all arguments of `bis_cutthroat`."""
    *where, rules = alone(rng)
    return hand(rng), *where, rng.choice((EVERY_BID, EVERY_BID - 6)), rules, rng.choice(BIS), ALL


def alone_finished(rng: random.Random) -> PlayState:
    """Return a state after a whole round of cutthroat, with scores by seat."""
    s = finished(rng)
    for seat in range(4):
        s.seat_score[seat], s.seat_bags[seat] = rng.choice((250, rng.randrange(-100, 320))), rng.randrange(10)
    return s


def unit(rng: random.Random) -> float:
    return rng.choice((0.0, 1.0, 0.5, 0.29, 0.57, 0.58, rng.random(), rng.random()))


def blind(rng: random.Random) -> tuple:
    rules = rng.choice((RULES[3], RULES[3]._replace(blind_nil_deficit=0), RULES[0]))
    return auction(rng), scores(rng, rules), rules, rng.choice(BIS), rng.random(), ALL


def blind_sitting(rng: random.Random) -> tuple:
    """Return (state, seat, rules, policy): earlier seats have bid, and the scores of the sides are far apart."""
    s, seat = states.dealt(4, rng.randrange(200)), rng.randrange(4)
    for earlier in range(seat):
        s.bid[earlier] = bid(rng)
    s.score[0], s.score[1] = rng.randrange(-100, 200), rng.randrange(-100, 200)
    return s, seat, RULES[3], rng.choice(POLICIES[-2:]), SETTINGS


def winnable(rng: random.Random) -> tuple[Rules, WinTableSlice]:
    """Return rules that have a win table, and the table's place."""
    if rng.random() < 0.5:
        return rng.choice(list(MORE.items()))
    return rng.choice(list(SHIPPED_SLICES.items()))


def scored_otherwise(rng: random.Random) -> tuple[Rules, WinTableSlice]:
    """Return the same, often with other values of the rules that score a round."""
    rules, win_slice = winnable(rng)
    changed = {
        "set_points": rng.randrange(3),
        "slam_points": rng.choice((0, 270)),
        "bag_points": rng.choice((1, 0, -1)),
    }
    return rules._replace(**changed, double_nil_points=rng.choice((-1, 0, 500))), win_slice


def table_of(win_slice: WinTableSlice) -> Table:
    """Return the array that contains a game's win table."""
    return Table("extra_win" if win_slice.extra else "win")


def standing(rng: random.Random, rules: Rules) -> Standing:
    """Return a standing, sometimes near the goal or below zero; the number of bags follows the rules."""
    us, them = rng.randint(-220, rules.win + 20), rng.randint(-220, rules.win + 20)
    bags = bags_counted(rules)
    return Standing(us, them, rng.randrange(bags), rng.randrange(bags))


def bags_counted(rules: Rules) -> int:
    """Return how many different bag counts a side can have before a round."""
    return rules.bag_limit if rules.bags else 1


def with_counted_bags(s: PlayState, rules: Rules) -> PlayState:
    for side in range(2):
        s.bags[side] %= bags_counted(rules)
    return s


def counted_takes(rng: random.Random) -> Regular:
    takes = rng.randint(1, 8)
    return Regular(0.5, 0.25, 0.0, 1, 2, rng.random(), 0.0, 0.0, takes + rng.random() - 0.5, takes)


def value_after(rng: random.Random) -> tuple:
    rules, win_slice = winnable(rng)
    return standing(rng, rules), rng.randrange(2), win_slice, rules, table_of(win_slice)


def contracts(rng: random.Random) -> Contracts:
    ours, our_loss, theirs, their_loss = (rng.choice((10 * rng.randint(0, 13), 13, 0)) for _ in range(4))
    stakes = rng.choice((NO_NIL, 0, 100, 200)), rng.choice((NO_NIL, 0, 100))
    return Contracts(ours, our_loss, theirs, their_loss, *stakes, rng.choice((0, 70)), rng.choice((0, 70)))


def of_side(rng: random.Random) -> tuple[int, int, int, int]:
    """Return the points of a side's contract, its loss if it is set, those at stake on nils, and of a later nil."""
    points = 10 * rng.randint(0, 13)
    return points, rng.choice((points, 13, 0)), rng.choice((NO_NIL, 0, 100, 200)), rng.choice((0, 70))


def outcome_values(rng: random.Random) -> tuple:
    rules, win_slice = scored_otherwise(rng)
    values = view(np.zeros(OUTCOMES))
    where = contracts(rng), standing(rng, rules), rng.randrange(2)
    return *where, win_slice, rules, table_of(win_slice), values


def seen_position(rng: random.Random) -> tuple:
    """Return all arguments of `position_inputs`."""
    rules, _ = winnable(rng)
    nil = Nil(0.5, 0.5, 0.5, 0.5, 1.0, unit(rng), unit(rng), 0.0, 0.0, 0, True)
    where = holdings(suits_of(hand(rng))), auction(rng), standing(rng, rules)
    return *where, rng.random(), rules, counted_takes(rng), nil, ALL


def of_model(rng: random.Random) -> ModelPosition:
    """Return a `ModelPosition` with each field drawn separately."""
    rules, _ = winnable(rng)
    nil = Nil(0.5, 0.5, 0.5, 0.5, 1.0, unit(rng), unit(rng), 0.0, 0.0, 0, True)
    inputs = tuple(rng.random() for _ in POSITION_NAMES)
    stakes = rng.choice((NO_NIL, 0, 100, 200)), rng.choice((100, 300)), rng.choice((NO_NIL, 0, 100))
    later = rng.choice((0, 70)), rng.choice((0, 70))
    known = (
        rng.randrange(4),
        auction(rng),
        rng.choice((0, 3)),
        rng.choice((0, 8)),
        (rng.choice((1, 2)), rng.choice((1, 2))),
    )
    where = *known, standing(rng, rules), counted_takes(rng), nil, rng.randrange(EVERY_BID)
    certain = rng.randint(0, 13)
    ends = rng.randint(1, NO_NUMBER), rng.choice((0, rng.randrange(EVERY_BID)))
    held = holdings(suits_of(hand(rng)))
    sure = certain, rng.randint(0, certain)
    return ModelPosition(*where, held, inputs, rng.randint(-20, 600), *stakes, *later, *sure, *ends)


def expected(rng: random.Random) -> Expected:
    partner, opponents = rng.uniform(0, 8), rng.uniform(0, 10)
    return Expected(partner, opponents, int(partner + 0.5), int(opponents + 0.5))


def prepared(rng: random.Random) -> tuple:
    """Return all arguments of `model_position`."""
    rules, _ = winnable(rng)
    allowed = rng.choice((EVERY_BID, EVERY_BID - 1, 0b11110))
    others = tuple(rng.randrange(len(PLAYER_KINDS)) for _ in range(3))
    return hand(rng), auction(rng), standing(rng, rules), allowed, others, rng.random(), rules, ALL


def written_bid(rng: random.Random) -> tuple:
    """Return all arguments of `write_bid`."""
    rules, win_slice = winnable(rng)
    position = of_model(rng)._replace(standing=standing(rng, rules))
    arrays = view(np.zeros(BID_INPUTS)), view(np.zeros(OUTCOMES))
    return rng.randint(0, 13), position, win_slice, rules, ALL, table_of(win_slice), *arrays


WIN_POLICIES = tuple(
    numba_typed(parse_policy(text))
    for text in ("winprob", "winprob:margin=0.02,nil_margin=0.03,even=0.05,far_margin=0.01", "winprob:far_margin=1")
)


def win_position(rng: random.Random) -> tuple:
    """Return all arguments of `winprob_bid`."""
    rules, _ = winnable(rng)
    allowed = rng.choice((EVERY_BID, EVERY_BID - 1, 0b11110))
    return (
        hand(rng),
        auction(rng),
        standing(rng, rules),
        allowed,
        rules,
        rng.choice(WIN_POLICIES),
        ALL,
        SETTINGS,
        view(np.zeros(14)),
    )


BLIND_RULES = next(rules for rules in MORE if rules.blind_min)


def blind_turn(rng: random.Random) -> tuple:
    """Return all arguments of `best_blind_number`."""
    scores = Standing(rng.randint(-100, 150), rng.randint(0, 220), rng.randrange(10), rng.randrange(10))
    return auction(rng), scores, BLIND_RULES, rng.choice(WIN_POLICIES), ALL, DECK, SETTINGS


def blind_number_sitting(rng: random.Random) -> tuple:
    s, seat, _, policy, tables = win_sitting(rng)
    s.deck, s.score[seat & 1], s.score[1 - (seat & 1)] = DECK, rng.randint(-100, 0), rng.randint(100, 220)
    return s, seat, BLIND_RULES, policy, tables


def win_sitting(rng: random.Random) -> tuple:
    s, seat = states.dealt(rng.randrange(2**31), 1), rng.randrange(4)
    for earlier in range(seat):
        s.bid[earlier] = rng.choice((0, 2, 3, 4, BLIND_NUMBER + 6))
    rules = winnable(rng)[0]
    return with_counted_bags(s, rules), seat, rules, rng.choice(WIN_POLICIES), SETTINGS


PEOPLE_POLICIES = tuple(numba_typed(parse_policy(text)) for text in ("bis", "bis:nils=off"))


def at_turn(rng: random.Random) -> tuple:
    """Return a state in which the seats before a random one have bid, the seat, and rules."""
    s, seat = states.dealt(rng.randrange(2**31), 1), rng.randrange(4)
    for earlier in range(seat):
        s.bid[earlier] = rng.choice((0, 2, 3, 4))
    rules = rng.choice(RULES)
    return with_counted_bags(s, rules), seat, rules


def intended(rng: random.Random) -> Intended:
    return Intended(rng.randrange(8), rng.randint(1, 8), EVERY_BID & ~rng.randrange(64))


STYLED = ("level=1", "level=4,aggression=-0.5", "aggression=1,nil_bias=1")
GRADED = tuple(numba_typed(parse_policy(f"{name}:{style}")) for name in ("bis", "rb", "ms", "io") for style in STYLED)
GRADED_WIN = tuple(numba_typed(parse_policy(f"winprob:{style}")) for style in STYLED)


def chances(rng: random.Random) -> tuple:
    """Return the arguments of `levels.sample_bid` except the seed."""
    p_win = [rng.random() if rng.random() < 0.6 else -1.0 for _ in range(14)]
    p_win[rng.randrange(14)] = rng.random()
    best = max(range(14), key=lambda bid: p_win[bid])
    return view(np.array(p_win)), best, rng.random(), rng.choice(GRADED_WIN)


def liked(rng: random.Random) -> tuple:
    p_win, best, p_nil, policy = chances(rng)
    return rng.randrange(14), rng.randint(1, 13), best, p_win, p_nil, policy


CUTTHROAT = make_rules("cutthroat")
Maker = Callable[[random.Random], tuple[Any, ...]]
SCORING, POSITION = "spades.scoring.", "spades.position."
REGULAR = "spades.bis.estimates."
BLIND_NUMBERS, BLIND_BIDS = "spades.winprob.blind_numbers.", "arena.engine.winprob."
SIGNALS, BLIND_NILS = "spades.bis.conventions.", "spades.bis.blind_nil."
HABITS, CHOICE = "arena.engine.habits.", "arena.engine.choose_bid."
NIL, PARTNERSHIP_BIS, BASELINES = "spades.bis.estimates.", "spades.bis.partnership.", "spades.baselines."
TRICKS, DEAL, MISTAKES = "spades.play.tricks.", "arena.engine.deal.", "spades.play.mistakes."
WINNING, WINPROB, OUTCOMES_OF = (
    "spades.winprob.outcomes.",
    "arena.engine.winprob.",
    "arena.engine.winprob.",
)
FEATURES, OUTCOME = "spades.winprob.features.", "spades.winprob.outcomes."
LEVELS = "spades.levels."
PASSING = "spades.passing."
LEGAL = "spades.legal."
UNSEEN, UCT = "arena.players.unseen.", "arena.players.uct."
SRP, BIDDING, RESULTS = "spades.play.srp.", "arena.engine.bidding.", "arena.engine.results."
PUBLIC = "arena.public."
SOLO, SOLO_PLAY = "spades.bis.cutthroat.", "spades.play.solo."


def baseline(first: int, last: int) -> Maker:
    return lambda r: (hand(r), partner_bid(r), r.choice(POLICIES[first:last]), ALL)


CASES: dict[str, Maker] = {
    "spades.cards.suits_of": lambda r: (hand(r),),
    "spades.cards.spades_of": lambda r: (hand(r),),
    "spades.cards.lowest": lambda r: (cards(r, 1),),
    "spades.cards.highest": lambda r: (cards(r, 1),),
    "spades.cards.cards_of": lambda r: (cards(r),),
    "spades.cards.without_jokers": lambda r: (hand(r, JOKER_DECK),),
    LEGAL + "contract_of": lambda r: (r.randint(0, 14),),
    LEGAL + "is_nil": lambda r: (r.randint(-1, 14),),
    SCORING + "contract_points": lambda r: (r.randint(0, 14), r.choice(RULES)),
    SCORING + "nil_stake": lambda r: (r.randint(0, 14), r.choice(RULES)),
    SCORING + "side_nil_stake": lambda r: (r.choice((0, 14, 3)), r.choice((0, 14, 3)), r.choice(RULES)),
    SCORING + "points_if_set": lambda r: (r.randint(0, 14), r.randint(1, 14), r.choice(RULES)),
    SCORING + "bags_matter": lambda r: (r.choice(RULES),),
    SCORING + "score_side": lambda r: (
        bid(r),
        r.choice((0, r.randint(0, 7))),
        bid(r),
        r.choice((0, r.randint(0, 6))),
        r.randrange(10),
        r.choice(RULES),
    ),
    SCORING + "score_seat": lambda r: (bid(r), r.choice((0, r.randint(0, 7))), r.randrange(10), r.choice(RULES)),
    SCORING + "apply_bags": lambda r: (r.randint(-100, 100), r.randint(0, 8), r.randrange(10), r.choice(RULES)),
    SCORING + "effective_bag_rules": lambda r: (r.choice((*RULES, winnable(r)[0])),),
    SCORING + "game_winner": lambda r: (r.randint(-120, 520), r.randint(-120, 520), r.choice(RULES)),
    POSITION + "read_auction": bids_before,
    POSITION + "without_partner": lambda r: (auction(r),),
    POSITION + "sequence_after": lambda r: (r.choice((0, 210, r.randrange(211))), r.randint(0, 14)),
    POSITION + "expected_tricks": lambda r: (r.randint(0, 14), auction(r), ALL),
    POSITION + "tricks_by_seat": lambda r: (auction(r), unit(r), unit(r), unit(r), unit(r)),
    POSITION + "tricks_of_sides": lambda r: (r.randrange(4), (unit(r), unit(r), unit(r), unit(r))),
    REGULAR + "regular_takes": lambda r: (
        suits_of(hand(r)),
        r.randrange(4),
        partner_bid(r),
        r.random() - 0.5,
        r.choice((0.0, 0.25)),
        ALL,
    ),
    REGULAR + "spade_tricks_against": lambda r: next((a, b & ~a) for a, b in [(holding(r), holding(r))]),
    REGULAR + "certain_tricks": lambda r: (holding(r), r.choice((0, 2))),
    REGULAR + "limit_takes": lambda r: (r.choice((2.5, 0.0, -1.0, r.uniform(-1, 15))), r.randint(-1, 14)),
    NIL + "ruled_out": lambda r: (
        hand(r) >> 48,
        r.choice((NO_BID, bid(r))),
        r.randrange(2),
        r.randrange(2),
        r.choice((EVERY_BID, EVERY_BID - 1)),
        r.choice((0, 2)),
    ),
    NIL + "nil_value": lambda r: (unit(r), unit(r), unit(r), unit(r), r.random() < 0.5),
    NIL + "expected_contract_points": lambda r: (r.randint(0, 26), r.randrange(2), ALL),
    NIL + "partnership_threshold": lambda r: (
        r.randint(1, 13),
        auction(r),
        ALL,
    ),
    NIL + "shifted_threshold": lambda r: (r.uniform(-120, 60), r.uniform(-80, 80), r.choice((50, 100, 200))),
    NIL + "interpolate": lambda r: (Table("curves"), r.choice((0, SEQUENCES - 1, r.randrange(SEQUENCES))), unit(r)),
    NIL + "consider_nil": nil_of,
    PARTNERSHIP_BIS + "project": lambda r: (
        r.randint(0, 9),
        auction(r),
        scores(r, RULES[0]),
        r.choice(RULES),
        ALL,
    ),
    SIGNALS + "reserved_bid": lambda r: (r.randrange(4), r.randrange(4)),
    SIGNALS + "is_signal": lambda r: (r.randrange(7),),
    SIGNALS + "guarded": lambda r: (holding(r), r.choice((TEN, JACK))),
    SIGNALS + "covers_nil": lambda r: (hand(r), r.randint(3, 7), r.choice((4, 5))),
    SIGNALS + "covers_blind_nil": lambda r: (hand(r), r.randint(3, 7), r.choice((4, 5))),
    SIGNALS + "partner_signalled": lambda r: (r.choice((NO_BID, 0, 4, 5, 6)), r.choice((NO_CONVENTION, BIG5, BIG6))),
    SIGNALS + "signal": lambda r: next(
        (
            hand(r),
            r.randrange(4),
            r.choice((0, takes, takes)),
            takes,
            r.choice((NO_CONVENTION, BIG5, BIG6)),
            4,
            r.choice((EVERY_BID, 0b11001)),
        )
        for takes in [r.randint(1, 8)]
    ),
    SIGNALS + "answer_signal": lambda r: (r.randint(0, 6), r.choice((BIG5, BIG6))),
    PARTNERSHIP_BIS + "contract_gain": lambda r: (
        r.choice((NO_BID, 0, 3, 6, BLIND_NIL)),
        r.randint(1, 8),
        r.randint(1, 8),
        r.choice(RULES),
    ),
    "spades.random_numbers.hash_uniform": lambda r: (r.choice((0, 2**53 - 1, r.randrange(2**32), r.randrange(2**53))),),
    BLIND_NILS + "projected_scores": lambda r: (auction(r), scores(r, RULES[0]), ALL),
    BLIND_NILS + "decide_blind_nil": blind,
    PARTNERSHIP_BIS + "can_win": lambda r: (r.uniform(480, 520), r.choice((499.9, 500.0, r.uniform(480, 520))), 500),
    PARTNERSHIP_BIS + "apply_endgame": endgame,
    PARTNERSHIP_BIS + "out_of_reach": lambda r: (scores(r, RULES[0]), r.choice(RULES)),
    PARTNERSHIP_BIS + "bis": bis_position,
    SOLO + "own_and_best": lambda r: (r.randrange(4), tuple(r.randrange(-50, 50) for _ in range(4))),
    SOLO + "project_race": lambda r: next((r.randint(0, 9), a[0], a[1], a[3], ALL) for a in [alone(r)]),
    SOLO + "apply_finish": alone_finish,
    SOLO + "bis_cutthroat": alone_bid,
    CHOICE + "choose_cutthroat_bid": lambda r: (hand(r), *alone(r), r.choice(POLICIES), SETTINGS),
    BASELINES + "lowest_at_most": lambda r: (holding(r), r.randrange(13), r.randrange(13), r.randrange(13)),
    BASELINES + "naive_nil": lambda r: (hand(r), partner_bid(r), r.choice(POLICIES[6:10])),
    BASELINES + "rb": baseline(6, 9),
    BASELINES + "ms_side": lambda r: (holding(r),),
    BASELINES + "ms": baseline(9, 10),
    BASELINES + "io_side": lambda r: (holding(r),),
    BASELINES + "io": baseline(10, 11),
    BASELINES + "fixed": lambda r: (partner_bid(r), r.choice(POLICIES[11:13])),
    "spades.tables.convention_of": setting,
    "spades.tables.profile_of": setting,
    LEGAL + "variant_of": lambda r: setting(r)[:2],
    LEGAL + "deck_of": lambda r: (r.choice((*RULES, JOKERS)),),  # with 16 spades, the sign bit is a card
    PASSING + "cards_to_pass": lambda r: (r.randint(0, 14), r.randint(0, 14), r.randrange(5), r.randrange(5)),
    PASSING + "given_cards": lambda r: (hand(r), r.randint(0, 14), r.randrange(5), DECK),
    PASSING + "given_by_nil": lambda r: (hand(r), r.randrange(5), cards(r)),
    PASSING + "suits_after_pass": lambda r: (suits_of(hand(r)), r.choice(PASSES)),
    PASSING + "dangers": lambda r: (r.randrange(1 << 13), r.randrange(1 << 13), r.choice((3, 13))),
    PASSING + "nil_danger": lambda r: (r.randrange(1 << 13), r.randrange(1 << 13), r.choice((3, 13))),
    PASSING + "suit_danger": lambda r: (r.randrange(1 << 13), r.randrange(1 << 13), r.choice((3, 13))),
    PASSING + "given_by_partner": lambda r: (hand(r), r.randrange(5)),
    "arena.engine.playing.exchange": lambda r: (passing_state(r), view(np.zeros(4, np.int64))),
    LEGAL + "deck_number": lambda r: (r.choice((*RULES, JOKERS, *DECKS)),),
    LEGAL + "extra_spades_of": lambda r: (r.randrange(7), r.choice((*RULES, JOKERS, *DECKS))),
    LEGAL + "sees_no_jokers": lambda r: (r.choice((*RULES, JOKERS)), r.choice(POLICIES)),
    LEGAL + "nil_threshold": lambda r: (r.randrange(7), r.choice(BIS), r.uniform(-1, 9), r.randint(0, 9)),
    WINPROB + "slice_of": lambda r: (r.choice((winnable(r)[0], *RULES)), SETTINGS),
    WINNING + "win_array": lambda r: (winnable(r)[1], SETTINGS),
    "spades.tables.plain_profile": lambda r: (r.choice((*RULES, JOKERS, *DECKS, *PASSES)),),
    WINNING + "table_bags": lambda r: (r.randrange(10), winnable(r)[1]._replace(bag_shift=r.randint(-20, 9))),
    WINNING + "score_row": lambda r: (r.randint(-300, 600), r.randrange(BAGS), winnable(r)[1]),
    WINNING + "win_probability": lambda r: next(
        (standing(r, rules), win_slice, table_of(win_slice)) for rules, win_slice in [winnable(r)]
    ),
    WINNING + "win_probability_after": value_after,
    FEATURES + "side_order": lambda r: (holding(r), holding(r), holding(r)),
    FEATURES + "holdings": lambda r: (suits_of(hand(r)),),
    WINPROB + "card_inputs": lambda r: (holdings(suits_of(hand(r))), view(np.zeros(CARD_INPUTS))),
    FEATURES + "to_goal": lambda r: (r.randint(-150, 520), r.choice((200, 500))),
    FEATURES + "to_losing": lambda r: (r.randint(-250, 520), r.choice((-200, -100, NO_LOSING_GOAL))),
    FEATURES + "rule_inputs": lambda r: (r.choice((*RULES, JOKERS, *DECKS, *PASSES)),),
    FEATURES + "model_nil": lambda r: (
        *(suits_of(hand(r)), auction(r), r.choice((1, LOW_FOUR)), EVERY_BID),
        *(r.choice((*RULES, *PASSES)), ALL),
    ),
    FEATURES + "top_spades": lambda r: (holding(r),),
    FEATURES + "position_inputs": seen_position,
    FEATURES + "p_win_before": lambda r: next(
        (r.randrange(4), standing(r, rules), place, rules, table_of(place)) for rules, place in [winnable(r)]
    ),
    FEATURES + "bids_to_weigh": lambda r: (
        suits_of(hand(r)),
        auction(r),
        r.randrange(1, EVERY_BID + 1),
        r.choice(RULES),
        ALL,
    ),
    FEATURES + "model_position": prepared,
    FEATURES + "expected_bids": lambda r: (r.randint(0, 13), auction(r), ALL),
    FEATURES + "bid_inputs": lambda r: (r.randint(0, 13), expected(r), of_model(r)),
    WINPROB + "write_position": lambda r: (of_model(r), view(np.zeros(INPUTS))),
    WINPROB + "write_bid": written_bid,
    OUTCOME + "our_impossible_ways": lambda r: (
        r.randint(0, 13),
        r.randint(0, 20),
        r.choice((NO_NIL, 0, 100, 200)),
        r.choice((NO_NIL, 0, 100)),
        r.randint(0, 13),
    ),
    OUTCOME + "their_impossible_ways": lambda r: (r.randint(0, 20), r.choice((NO_NIL, 0, 100)), r.randint(0, 13)),
    OUTCOME + "likely_loss": lambda r: (r.randint(0, 13), scored_otherwise(r)[0]),
    OUTCOMES_OF + "our_points": lambda r: (r.randrange(OURS), *of_side(r)),
    OUTCOMES_OF + "their_points": lambda r: (r.randrange(THEIRS), *of_side(r)),
    OUTCOME + "later_nils": lambda r: (r.randrange(4), winnable(r)[0]),
    OUTCOME + "nil_stakes": lambda r: (auction(r), r.choice(RULES)),
    OUTCOMES_OF + "score_after": lambda r: (
        r.randint(-100, 500),
        r.randrange(10),
        10 * r.randint(-20, 20),
        r.randint(0, 5),
        scored_otherwise(r)[0],
    ),
    OUTCOMES_OF + "nearest_outcome": lambda r: (
        10 * r.randint(-20, 20),
        r.randint(0, 6),
        10 * r.randint(-20, 20),
        r.randint(0, 6),
        contracts(r),
    ),
    OUTCOMES_OF + "outcome_values": outcome_values,
    "spades.winprob.candidates.candidates": lambda r: (
        r.randint(1, 13),
        r.randint(0, 13),
        partner_bid(r),
        r.choice((0, 2)),
        r.randrange(1, EVERY_BID + 1),
    ),
    "spades.winprob.candidates.best_bid": lambda r: (
        view(np.array([r.choice((-1.0, r.random(), 0.5 + r.random() / 100)) for _ in range(14)])),
        r.randint(1, 13),
        r.choice(WIN_POLICIES),
    ),
    "spades.winprob.candidates.needed_number": lambda r: (
        r.randint(-100, 500),
        r.randint(-100, 500),
        r.randint(0, 8),
        r.randint(0, 14),
        (r.choice((1, 2)), r.choice((1, 2))),
        r.randrange(1, EVERY_BID + 1),
        winnable(r)[0],
    ),
    "spades.winprob.candidates.far_bids": lambda r: (
        r.randrange(1, EVERY_BID + 1),
        r.randint(1, NO_NUMBER),
        r.randint(0, 13),
        r.choice((0, 0, 1)),
        r.randrange(1, EVERY_BID + 1),
    ),
    "spades.winprob.candidates.best_far_bid": lambda r: (
        view(np.array([r.random() for _ in range(14)])),
        *(r.randrange(1, EVERY_BID + 1), r.randrange(EVERY_BID + 1), r.randint(1, NO_NUMBER)),
        r.choice(WIN_POLICIES),
    ),
    "spades.winprob.candidates.last_bag_bid": lambda r: (
        r.randint(0, 13),
        view(np.array([r.choice((-1.0, 0.5 + r.random() / 20)) for _ in range(14)])),
        *(r.randint(1, NO_NUMBER), r.randrange(8, 10), auction_after((r.randint(0, 3), 3, r.randint(0, 4)))),
        r.choice((RULES[0], RULES[0], winnable(r)[0])),
    ),
    **{
        LEGAL + name: lambda r: (r.choice((NO_BID, 0, 6, BLIND_NIL, BLIND_NUMBER + 6)),)
        for name in ("is_blind_number", "without_mark")
    },
    LEGAL + "is_blind_bid": lambda r: (r.randrange(-1, 30), r.choice((*RULES, BLIND_RULES))),
    SCORING + "contract_factor": lambda r: (
        r.choice((0, 6, BLIND_NUMBER + 6)),
        r.choice((3, BLIND_NIL, BLIND_NUMBER + 7)),
    ),
    "spades.position.contract_factors": lambda r: (auction(r),),
    FEATURES + "ordinary_auction": lambda r: (auction(r), r.choice((EVERY_BID, 0b11110000)), BLIND_RULES, ALL),
    FEATURES + "smallest_number": lambda r: (r.choice((1, 0b1100, EVERY_BID)),),
    FEATURES + "as_worthless_bags": lambda r: (r.choice(RULES),),
    FEATURES + "shifted": lambda r: (r.randrange(EVERY_BID + 1), r.randrange(5)),
    FEATURES + "expected_beside": lambda r: (r.choice((0, 3)), expected(r), of_model(r)),
    BLIND_NUMBERS + "random_hand": lambda r: (r.randrange(100), r.choice((DECK, JOKER_DECK))),
    BLIND_NUMBERS + "blind_numbers": lambda r: (auction(r), standing(r, BLIND_RULES), BLIND_RULES),
    BLIND_NUMBERS + "with_blind_number": lambda r: (auction(r),),
    BLIND_NUMBERS + "is_worth_it": lambda r: (r.random() / 10, r.random() / 10),
    BLIND_NUMBERS + "number_for_net": lambda r: (r.randint(6, 8), of_model(r), winnable(r)[0], ALL),
    BLIND_BIDS + "best_blind_number": blind_turn,
    BLIND_BIDS + "blind_number_of": blind_number_sitting,
    FEATURES + "certain_with_nil": lambda r: (suits_of(hand(r)), r.choice((*RULES, *PASSES))),
    FEATURES + "certain_with_number": lambda r: (suits_of(hand(r)), partner_bid(r), r.choice((*RULES, *PASSES))),
    WINPROB + "exclude_impossible": lambda r: (
        r.randint(0, 13),
        of_model(r),
        r.choice((NO_NIL, 0, 100)),
        ALL,
        view(np.zeros(OUTCOMES)),
    ),
    WINPROB + "winprob_bid": win_position,
    WINPROB + "winprob_seat": win_sitting,
    WINPROB + "weighed_seat": lambda r: (*win_sitting(r), view(np.zeros(14))),
    WINPROB + "skilled_seat": lambda r: (
        *win_sitting(r)[:3],
        r.choice(GRADED_WIN),
        r.randrange(LARGEST_SEED),
        SETTINGS,
    ),
    "spades.random_numbers.hash_normal": lambda r: (r.randrange(DRAWS_PER_SEED * LARGEST_SEED),),
    LEVELS + "trick_bias": lambda r: (r.choice(GRADED), r.randrange(LARGEST_SEED)),
    LEVELS + "nil_point_bias": lambda r: (r.choice(GRADED), r.randrange(LARGEST_SEED)),
    LEVELS + "kind_of_player": lambda r: (r.choice((*GRADED, *POLICIES)),),
    LEVELS + "perturbed": lambda r: (r.choice((*GRADED, *POLICIES)), r.randrange(LARGEST_SEED)),
    LEVELS + "attraction": liked,
    LEVELS + "sample_bid": lambda r: (*chances(r), r.randrange(LARGEST_SEED)),
    WINPROB + "copy_row": lambda r: (Table("net_bid"), r.randrange(BID_INPUTS), view(np.zeros(3))),
    WINPROB + "add_row": lambda r: (
        Table("net_bid"),
        r.randrange(BID_INPUTS),
        r.random(),
        view(np.zeros(3)),
    ),
    WINPROB + "mean_value": lambda r: (
        view(np.array([r.uniform(-4, 4) for _ in range(OUTCOMES)])),
        view(np.array([r.random() for _ in range(OUTCOMES)])),
    ),
    REGULAR + "bag_offset": lambda r: (r.choice(RULES),),
    NIL + "scaled_nil_threshold": lambda r: (r.choice((25.0, -60.0, 0.0)), r.randint(-4, 4), 25.0, r.choice(RULES)),
    REGULAR + "number_under_rules": lambda r: (
        counted_takes(r),
        r.choice((NO_BID, 0, 3, 5, 7, 13, BLIND_NIL)),
        r.randrange(1, EVERY_BID + 1),
        r.choice(RULES),
        r.choice(BIS),
    ),
    REGULAR + "contract_is_ten": lambda r: (r.randint(1, 10), r.choice((NO_BID, 0, 3, 5, 7)), r.choice(RULES)),
    REGULAR + "at_least_certain": lambda r: (
        r.randint(1, 13),
        holding(r),
        r.choice((0, 2)),
        partner_bid(r),
        r.randrange(1, EVERY_BID + 1),
    ),
    LEGAL + "simplified_rules": lambda r: (any_rules(r),),
    LEGAL + "allowed_bids": lambda r: (hand(r), r.choice((NO_BID, 0, 3, 7, 13, BLIND_NIL)), r.choice(RULES)),
    LEGAL + "without_sum": lambda r: (r.randrange(1, EVERY_BID + 1), r.randint(0, 20), r.choice(RULES)),
    LEGAL + "broken_at_start": lambda r: (r.choice((*RULES, any_rules(r))),),
    LEGAL + "broken_after": lambda r: (r.randrange(8), card(r), r.randrange(4)),
    POSITION + "allowed_at_turn": lambda r: (hand(r), auction(r), r.choice(RULES)),
    LEGAL + "possible_bids": lambda r: (r.choice((NO_BID, 0, 3, 7, 13, BLIND_NIL)), r.choice(RULES)),
    LEGAL + "bids_between": lambda r: (r.randint(0, 13), r.randint(-3, 13)),
    LEGAL + "nearest_number": lambda r: (r.randint(0, 13), r.randrange(1, EVERY_BID + 1)),
    LEGAL + "nearest_allowed": lambda r: (r.randint(0, 13), r.randint(1, 13), r.randrange(1, EVERY_BID + 1)),
    CHOICE + "auction_at": lambda r: sitting(r)[:2],
    CHOICE + "standing_at": lambda r: sitting(r)[:2],
    PUBLIC + "trickster.trickster": lambda r: (hand(r), auction(r), r.choice(RULES)),
    PUBLIC + "cards_with_cats.cards_with_cats": lambda r: (hand(r), auction(r)),
    PUBLIC + "jus144tice.jus144tice": position,
    PUBLIC + "bots.public_bid": lambda r: (r.randrange(len(BOTS)), *sitting(r)[:2], r.choice(RULES)),
    CHOICE + "choose_bid": lambda r: (*any_position(r), r.choice(POLICIES), SETTINGS),
    TRICKS + "suit_mask": lambda r: (r.randrange(4),),
    TRICKS + "legal_cards": lambda r: (cards(r, 1), r.randrange(4), card(r), r.randrange(8)),
    TRICKS + "lowest_club": lambda r: (r.choice((DECK, JOKER_DECK)),),
    TRICKS + "start_play": lambda r: (dealt_under(r),),
    TRICKS + "beats": lambda r: (card(r), card(r)),
    TRICKS + "play_card": lambda r: next((s, me, r.choice(cards_of(ok))) for s, me, _, ok, _ in [sitting(r)]),
    DEAL + "seed_rng": lambda r: (states.empty(), r.randrange(2**31), r.choice((0, 2**31 - 1, r.randrange(2**31))), 3),
    DEAL + "next32": lambda r: (states.dealt(r.randrange(2**31), 1),),
    DEAL + "below": lambda r: (states.dealt(r.randrange(2**31), 1), r.choice((1, 52, 2**20))),
    DEAL + "uniform": lambda r: (states.dealt(r.randrange(2**31), 1),),
    DEAL + "deal": lambda r: (states.dealt(r.randrange(2**31), r.randrange(9)),),
    TRICKS + "unseen_cards": lambda r: sitting(r)[:2],
    "arena.engine.replay.replay": lambda r: (a_play(r), *(view(np.zeros(n, np.int64)) for n in (52, 4, 4))),
    "arena.engine.replay.first_revoke": a_replay,
    "arena.engine.replay.passes": lambda r: (r.randrange(15), r.randrange(15), r.choice(RULES)),
    TRICKS + "cards_between": lambda r: sitting(r)[:2],
    TRICKS + "group_of": lambda r: next((min(cards_of(h)), h, u) for _, _, h, _, u in [sitting(r)]),
    TRICKS + "open_cards": lambda r: next(
        (view(np.zeros(13, np.int64)), ok, r.choice(cards_of(ok)), u) for _, _, _, ok, u in [sitting(r)]
    ),
    "spades.play.net_inputs.position_inputs": lambda r: (
        *sitting(r)[:2],
        view(np.zeros(POSITION_INPUTS, np.int64)),
    ),
    "spades.play.net_inputs.card_inputs": lambda r: next(
        (s, me, r.choice(cards_of(ok)), r.choice(cards_of(ok)), 5, view(np.zeros(CARD_INPUTS_OF_NET, np.int64)))
        for s, me, _, ok, _ in [sitting(r)]
    ),
    TRICKS + "cards_above": lambda r: (card(r),),
    TRICKS + "cards_below": lambda r: (card(r),),
    TRICKS + "nil_alive": lambda r: (sitting(r)[0], r.randrange(4)),
    TRICKS + "tricks_needed": lambda r: (sitting(r)[0], r.randrange(4)),
    TRICKS + "tricks_left": lambda r: (sitting(r)[0],),
    TRICKS + "winning_cards": lambda r: next((s, ok) for s, _, _, ok, _ in [sitting(r, False)]),
    TRICKS + "plays_after": lambda r: (*sitting(r)[:2], r.randrange(4)),
    TRICKS + "lowest_equal": lambda r: next((r.choice(cards_of(h)), h, u) for _, _, h, _, u in [sitting(r)]),
    TRICKS + "duck": lambda r: next((s, ok) for s, _, _, ok, _ in [sitting(r, False)]),
    TRICKS + "highest_rank": lambda r: (cards(r) & ~SPADE_BITS,),
    TRICKS + "without_bosses": lambda r: next((h, u) for _, _, h, _, u in [sitting(r)]),
    TRICKS + "lowest_rank": lambda r: (cards(r, 1),),
    TRICKS + "least_winning_lead": lambda r: sitting(r, True)[3:],
    "spades.play.wrp.wrp_card": lambda r: sitting(r)[:2],
    SRP + "goals.sum_of_contracts": lambda r: (sitting(r)[0],),
    SRP + "goals.pieces_in_use": lambda r: (*sitting(r)[:2], r.choice((1, 3, 4))),
    SRP + "goals.bags_cost": lambda r: (staked(r)[0],),
    SRP + "goals.needs_after": lambda r: next((s, me, r.choice(cards_of(ok)), u) for s, me, _, ok, u in [sitting(r)]),
    SRP + "goals.contract_at_stake": lambda r: (sitting(r)[0], r.randrange(4)),
    SRP + "goals.nil_at_stake": lambda r: (staked(r)[0], r.randrange(4)),
    SRP + "leads.lead_situation": lambda r: sitting(r, True)[:2],
    SRP + "leads.best_lead": lambda r: next((s, me, ok, u) for s, me, _, ok, u in [sitting(r, True)]),
    SRP + "leads.p_caught": lambda r: next(
        (s, r.randrange(4), r.choice(cards_of(ok)), u, r.random() < 0.5) for s, _, _, ok, u in [sitting(r, True)]
    ),
    SRP + "leads.lead_features": lambda r: next(
        (s, me, r.choice(cards_of(ok)), u) for s, me, _, ok, u in [sitting(r, True)]
    ),
    SRP + "leads.lead_value": lambda r: next(
        (s, me, r.choice(cards_of(ok)), u, lead_situation(s, me)) for s, me, _, ok, u in [sitting(r, True)]
    ),
    SRP + "goals.wants_tricks": lambda r: next((s, me, unseen_cards(s, me), pieces(r)) for s, me in [staked(r)]),
    SRP + "goals.projected": lambda r: (staked(r)[0], r.randrange(2)),
    SRP + "goals.must_set": staked,
    SRP + "goals.wins_by_contract": staked,
    SRP + "goals.middle_card": lambda r: next((h >> 48 << 48 | 1 << 50, u) for _, _, h, _, u in [sitting(r)]),
    SRP + "leads.lead_for_tricks": lambda r: (*sitting(r, True), pieces(r)),
    SRP + "leads.holding_adjustment": lambda r: (cards(r, 1), r.random() < 0.5, cards(r, 0), r.random() < 0.5),
    SRP + "follow.may_ruff": lambda r: next((s, r.randrange(4), u) for s, _, _, _, u in [sitting(r, False)]),
    SRP + "follow.follow_for_tricks": lambda r: (*sitting(r, False), pieces(r)),
    SRP + "follow.discard": lambda r: sitting(r)[2:],
    SRP + "nils.nil_card": lambda r: next((s, h, ok, u) for s, _, h, ok, u in [sitting(r)]),
    SRP + "nils.cover_card": lambda r: (*sitting(r), pieces(r)),
    SRP + "nils.cover_lead": lambda r: next((s, me, ok, u, pieces(r)) for s, me, _, ok, u in [sitting(r, True)]),
    SRP + "nils.attack_card": lambda r: next(
        (s, me, me + r.choice((1, 3)) & 3, h, ok, u, pieces(r)) for s, me, h, ok, u in [sitting(r)]
    ),
    SRP + "nils.attack_win": lambda r: next((s, me, ok, u, pieces(r)) for s, me, _, ok, u in [sitting(r, False)]),
    SRP + "nils.attack_discard": lambda r: (sitting(r)[3],),
    SRP + "nils.attack_lead": lambda r: next(
        (s, me + 1 & 3, me + 3 & 3, ok, u) for s, me, _, ok, u in [sitting(r, True)]
    ),
    SRP + "player.attack_pays": lambda r: (*staked(r), r.randrange(4), pieces(r)),
    SRP + "player.plays_for_tricks": lambda r: (*sitting(r), pieces(r)),
    SRP + "player.losing_card": lambda r: (*sitting(r), pieces(r)),
    SRP + "player.srp_card": lambda r: (*staked(r), r.choice((1, 3, 4))),
    SRP + "player.srp1": staked,
    SRP + "player.srp3": staked,
    SRP + "player.srp4": staked,
    SOLO_PLAY + "own_need": lambda r: (sitting(r)[0], r.randrange(4)),
    SOLO_PLAY + "others_need": lambda r: sitting(r)[:2],
    SOLO_PLAY + "is_safe": lambda r: next((s, me, u) for s, me, _, _, u in [sitting(r)]),
    SOLO_PLAY + "wants_tricks": lambda r: next((s, me, unseen_cards(s, me), pieces(r)) for s, me in [staked(r)]),
    SOLO_PLAY + "pieces_in_use": lambda r: (*sitting(r)[:2], r.randint(1, 2)),
    SOLO_PLAY + "needs_after": lambda r: next((s, me, r.choice(cards_of(ok)), u) for s, me, _, ok, u in [sitting(r)]),
    SOLO_PLAY + "plays_alone_for_tricks": lambda r: next((s, me, ok, u, pieces(r)) for s, me, _, ok, u in [sitting(r)]),
    SOLO_PLAY + "losing_card_alone": lambda r: next((s, ok, u) for s, _, _, ok, u in [sitting(r)]),
    SOLO_PLAY + "solo_card": lambda r: (*staked(r), r.randint(1, 2)),
    SOLO_PLAY + "solo2": staked,
    SOLO_PLAY + "solo1": lambda r: sitting(r)[:2],
    SOLO_PLAY + "lead_for_oneself": lambda r: sitting(r, True),
    SOLO_PLAY + "follow_for_oneself": lambda r: (*sitting(r, False), pieces(r)),
    SOLO_PLAY + "hunt": lambda r: next((s, me, me + r.randint(1, 3) & 3, h, ok, u) for s, me, h, ok, u in [sitting(r)]),
    MISTAKES + "mistaken_card": lambda r: next(
        (s, me, r.randint(1, 5), r.randrange(LARGEST_SEED), r.random() < 0.2, [states.empty()]) for s, me in [staked(r)]
    ),
    MISTAKES + "remember": lambda r: (
        *sitting(r)[:2],
        r.randint(1, 5),
        r.randrange(LARGEST_SEED),
        r.random() < 0.2,
        states.empty(),
    ),
    TRICKS + "write_rules": lambda r: (states.empty(), any_rules(r)),
    TRICKS + "written_rules": lambda r: (with_rules(any_rules(r)),),
    UNSEEN + "seed_view": lambda r: (*sitting(r)[:2], r.randrange(1000), states.empty()),
    UNSEEN + "places": lambda r: (*sitting(r)[:2], r.randrange(4)),
    UNSEEN + "count_deals": lambda r: (*sitting(r)[:2], view(np.zeros(WAYS, np.int64))),
    UNSEEN + "deal_unseen": counted,
    UCT + "packed": lambda r: (r.randint(1, 13), r.choice((1, MOST_SAMPLES)), r.choice((0, 100, MOST_C))),
    UCT + "uct": last_tricks,
    UCT + "search": arms,
    UCT + "point_gap": lambda r: (last_tricks(r)[0], finished(r), r.randrange(4)),
    "arena.players.choose_card.choose_card": lambda r: sitting(r)[:2],
    DEAL + "random_bit": lambda r: (states.dealt(r.randrange(2**31), 1), cards(r, 1)),
    DEAL + "give_spades": lambda r: (states.dealt(r.randrange(2**31), 1), r.randrange(4), r.randrange(14)),
    "spades.play.tricks.copy_state": lambda r: (sitting(r)[0], states.empty()),
    DEAL + "start_round": lambda r: (sitting(r)[0],),
    DEAL + "deal_round": lambda r: (states.empty(), r.randrange(2**31), r.randrange(100), r.randrange(10)),
    BIDDING + "bids_blind_nil": blind_sitting,
    BIDDING + "bid_seat": lambda r: next(
        (s, r.randrange(4), r.choice(RULES), r.choice((*POLICIES, *GRADED)), SETTINGS)
        for s in [states.dealt(4, r.randrange(200))]
    ),
    BIDDING + "with_noise": lambda r: (
        states.dealt(r.randrange(2**31), 1),
        r.randint(0, 14),
        r.choice((0.0, 0.5, 1.0)),
    ),
    BIDDING + "noisy_bid": lambda r: (*sitting(r)[:2], r.randint(0, 14), r.choice(RULES), r.choice((0.0, 0.5, 1.0))),
    HABITS + "moved_bid": lambda r: (intended(r), r.randrange(MOVES)),
    HABITS + "intended_bid": lambda r: (
        *at_turn(r),
        r.choice((0, 0, r.randint(1, 8))),
        r.randint(0, 8),
        r.choice((0, 3)),
    ),
    "arena.people.inputs.write_inputs": lambda r: (
        *at_turn(r),
        PEOPLE_POLICIES,
        SETTINGS,
        view(np.zeros(PEOPLE_INPUTS)),
    ),
    RESULTS + "win_probability_after_round": ended_round,
    RESULTS + "score_of_side": lambda r: (finished(r), r.randrange(2), r.randrange(10), r.choice(RULES)),
    RESULTS + "cutthroat_winner": lambda r: (alone_finished(r), r.choice((CUTTHROAT, CUTTHROAT._replace(lose=-50)))),
}

# Functions of the kernel modules that compiled code never calls.
TEXTS = {
    *("spades.cards." + name for name in ("parse_card", "format_card", "pbn_card", "parse_pbn", "format_pbn")),
    *("spades.cards." + name for name in ("pbn_names", "texts_of", "codes_of")),
    *("spades.cards." + name for name in ("parse_card_of", "parse_cards", "parse_hand")),
    *(
        "spades.legal.bid_contradictions",
        "spades.legal.bid_word",
        "spades.passing.gives_first",
        "spades.passing.check_pass",
        "spades.tables.dtypes_of",
    ),
    *("spades.position." + name for name in ("check_bids", "check_scores")),
    *(SCORING + name for name in ("is_over", "bags_below", "accepted_bags", "scores_beyond_goals")),
}
# Compared as parts of whole rounds (test_rounds.py): they read the rows of policies and tables.
WITHIN_ROUNDS = {CHOICE + "tables_of"}
# Compared as parts of `winprob_bid`: they share arrays.
WITHIN_A_BID = {WINPROB + "working_arrays", WINPROB + "p_win_with"}
# Compared as parts of searches (tests/arena/players/test_search.py): a card depends on all deals and results.
WITHIN_A_SEARCH = {
    *("arena.players.search." + name for name in ("try_cards", "compare_cards", "srp_of", "worth_of")),
    *("arena.players.last_tricks." + name for name in ("bound_ends", "exact_worth", "next_try", "step_of")),
    *("arena.players.unseen." + name for name in ("sum_deals", "draw_deal")),
}

# Compared as a part of `positions` (tests/studio/test_people.py), because it writes rows of matrices.
WITHIN_POSITIONS = {"arena.people.inputs.see"}

HOW_MANY = (
    {WINPROB + "winprob_bid": 40, BLIND_BIDS + "best_blind_number": 4, BLIND_BIDS + "blind_number_of": 4}
    | dict.fromkeys((f"{WINPROB}{name}_seat" for name in ("winprob", "weighed", "skilled")), 20)
    | dict.fromkeys(
        (
            RESULTS + "win_probability_after_round",
            UCT + "uct",
            UCT + "search",
            UCT + "point_gap",
        ),
        25,
    )
)
