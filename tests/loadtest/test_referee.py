"""The season's referee beside the slow references of tests/naive.py, and beside the library."""

import random

import pytest

from loadtest.season.draws import Catalogue, draw_rules
from loadtest.season.referee import BLIND_NIL, FIELDS, Bid, Referee, is_nil, tricks_of
from loadtest.season.scorekeeper import Scorekeeper
from service.endpoints.catalogue import rules_answer
from spades.cards import CARD_CODES, CARD_NAMES, cards_of
from spades.legal import NO_BID, allowed_bids, deck_number, deck_of, without_sum
from spades.passing import cards_to_pass, gives_first
from spades.play import PlayState, legal_cards, play_card
from spades.play.tricks import start_play, write_rules
from spades.rules import CUTTHROAT, PRESETS, describe, make_rules
from tests import naive

CATALOGUE = Catalogue.of(rules_answer())
GAMES = 400


def drawn_games():
    """Yield random rules as the service reads them, the referee for them, and random numbers."""
    rng = random.Random(1)
    for _ in range(GAMES):
        rules, all_rules = draw_rules(rng, CATALOGUE)
        yield make_rules(rules["preset"], {k: v for k, v in rules.items() if k != "preset"}), Referee(all_rules), rng


def dealt(referee, rng):
    cards = rng.sample(referee.deck, 52)
    return [cards[13 * seat : 13 * seat + 13] for seat in range(4)]


def bits(hand, rules):
    return sum(1 << CARD_CODES[deck_number(rules)][card] for card in hand)


def random_bids(referee, hands, rng):
    bids: list[Bid] = []
    for hand in hands:
        allowed = sorted(referee.legal_bids(hand, bids))
        bid = rng.choice([bid for bid in allowed if bid < 6] or allowed)
        numbers = sorted(referee.blind_numbers(bids, 0, 10_000))
        if bid == 0 and referee.rules["blind_nil"] and rng.random() < 0.5:
            bids.append(BLIND_NIL)
        elif numbers and rng.random() < 0.5:
            bids.append(f"blind_{numbers[0]}")
        else:
            bids.append(bid)
    return bids


def test_it_knows_every_rule_and_refuses_others():
    assert set(describe(PRESETS["classic"])) == FIELDS
    with pytest.raises(ValueError, match="rules that differ: moons;"):
        Referee({**describe(PRESETS["classic"]), "moons": 1})
    answer = rules_answer()
    with pytest.raises(ValueError, match="the service has rules moons; accepted: those of the referee"):
        Catalogue.of({**answer, "fields": {**answer["fields"], "moons": {}}})


def test_the_same_decks_bids_and_passes():
    variants = set()
    for rules, referee, rng in drawn_games():
        variants.add(referee.rules["variant"])
        names = CARD_NAMES[deck_number(rules)]
        assert sorted(referee.deck) == sorted(names[card] for card in cards_of(deck_of(rules)))
        hands = dealt(referee, rng)
        bids: list[Bid] = []
        for seat, hand in enumerate(hands):
            partner = NO_BID if rules.variant == CUTTHROAT or seat < 2 else tricks_of(bids[seat - 2])
            expected = allowed_bids(bits(hand, rules), partner, rules)
            if seat == 3:
                expected = without_sum(expected, sum(tricks_of(bid) for bid in bids), rules)
            found = referee.legal_bids(hand, bids)
            assert sum(1 << bid for bid in found) == expected, (referee.rules, hand, bids)
            if deck_number(rules) == 0:
                spades = sum(card[1] == "S" for card in hand)
                assert found == naive.bids_allowed_after(spades, list(map(tricks_of, bids)), referee.rules)
            bids.append(rng.choice(sorted(found)))
        numbers = tuple(14 if isinstance(bid, str) else bid for bid in bids)
        for seat in range(4):
            passes = cards_to_pass(numbers[seat], numbers[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
            assert referee.cards_to_pass(bids, seat) == (0 if rules.variant == CUTTHROAT else passes)
            assert referee.gives_first(bids, seat) == gives_first(numbers, seat, rules)
    assert len(variants) == 7


def test_the_same_cards_and_tricks():
    for rules, referee, rng in drawn_games():
        names, hands = CARD_NAMES[deck_number(rules)], dealt(referee, rng)
        state = PlayState(deck=deck_of(rules), hand=[bits(hand, rules) for hand in hands])
        write_rules(state, rules)
        start_play(state)
        leader = referee.first_leader(hands)
        tricks: list[list[str]] = [[]]
        assert leader == state.leader
        for _ in range(13):
            for place in range(4):
                seat = (leader + place) % 4
                legal = referee.legal_cards(hands[seat], tricks)
                expected = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
                assert legal == {names[card] for card in cards_of(expected)}, (referee.rules, hands[seat], tricks)
                card = rng.choice(sorted(legal))
                play_card(state, seat, CARD_CODES[deck_number(rules)][card])
                hands[seat].remove(card)
                tricks[-1].append(card)
            leader = (leader + referee.trick_winner(tricks[-1])) % 4
            if deck_number(rules) == 0:
                assert referee.trick_winner(tricks[-1]) == naive.trick_winner(tricks[-1])
            assert leader == state.leader
            tricks.append([])


def test_the_same_scores():
    for rules, referee, rng in drawn_games():
        scorekeeper = Scorekeeper({"preset": "classic", **referee.rules})
        sides = 4 if referee.alone else 2
        for _ in range(20):
            bids = random_bids(referee, dealt(referee, rng), rng)
            taken = [0] * 4
            for seat in rng.choices(range(4), [0.3 if is_nil(bid) else 3 for bid in bids], k=13):
                taken[seat] += 1
            bags = [rng.randrange(rules.bag_limit) if rules.bags else 0 for _ in range(sides)]
            found = referee.score(bids, taken, bags)
            assert found == scorekeeper.score(bids, taken, bags), (referee.rules, bids, taken, bags)
            if not referee.alone:
                named = list(zip(bids, taken, strict=True))
                slow = [naive.score((named[side], named[side + 2]), bags[side], referee.rules) for side in range(2)]
                assert found == ([points for points, _ in slow], [after for _, after in slow])
            points = [rng.choice((rules.win, rules.win - 1, 0, rng.randrange(-600, 600))) for _ in range(sides)]
            assert referee.is_over(points) == scorekeeper.is_over(points)
            if not referee.alone:
                winner = naive.winner(points[0], points[1], rules.win, referee.rules["lose"])
                assert referee.is_over(points) == (winner is not None)


def test_who_may_bid_blind():
    classic = describe(PRESETS["classic"])
    assert Referee(classic).blind_numbers([], 0, 400) == set()
    numbers = Referee({**classic, "blind_min": 6, "team_max": 10})
    assert numbers.blind_numbers([3, 1], 0, 99) == set()
    assert numbers.blind_numbers([3, 1], 0, 100) == {6, 7}
    assert not numbers.may_bid_blind_nil([3, 1], 0, 100)
    nils = Referee({**classic, "blind_nil": True, "double_nil": False})
    assert nils.may_bid_blind_nil([3, 1], 0, 100)
    assert not nils.may_bid_blind_nil([0, 1], 0, 100)


def test_scores_by_hand():
    behind = Referee({**describe(PRESETS["classic"]), "blind_min": 6})
    assert behind.score(["blind_6", 3, 1, 3], [6, 2, 2, 3], [0, 0]) == ([141, -60], [1, 0])
    classic = Referee(describe(PRESETS["classic"]))
    assert classic.score([4, 3, 2, BLIND_NIL], [4, 4, 3, 2], [9, 0]) == ([-39, -167], [0, 3])
    alone = Referee(describe(PRESETS["cutthroat"]))
    assert alone.score([3, 2, 0, 4], [4, 1, 1, 7], [0, 9, 9, 0]) == ([31, -20, -199, 43], [1, 9, 0, 3])
