"""Levels and style: errors follow from the seed, bids are never absurd, and full strength has no errors."""

import random
from typing import Any

import pytest

from spades.bidder import decide
from spades.bis.estimates import SURE_LOSER
from spades.cards import DECK, cards_of, parse_pbn
from spades.errors import PolicyError
from spades.explanations import MOST_IN_BRIEF
from spades.levels import DRAWS_PER_SEED, MOST_TRICKS, perturbed, sample_bid
from spades.options import Policy
from spades.policies import POLICY_KINDS, SERVED, parse_policy, with_skill
from spades.position import BRIEF, Position
from spades.random_numbers import hash_normal
from spades.rules import PRESETS
from spades.scoring import Standing
from spades.skill import decide_with_skill, position_seed
from tests.conftest import committed_tables

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"
CLASSIC = PRESETS["classic"]


def position(hand, previous=(), us=0, them=0, rules=CLASSIC):
    return Position(hand, previous, Standing(us, them, 0, 0), rules)


def positions(n, seed=1):
    """Return random hands after bids of 2 to 4; half of the hands have low cards."""
    rng = random.Random(seed)
    deck = cards_of(DECK)
    for _ in range(n):
        cards = rng.sample(deck if rng.random() < 0.5 else [card for card in deck if card & 15 < 9], 13)
        bids = tuple(rng.choice((2, 3, 3, 4)) for _ in range(rng.randrange(4)))
        yield position(sum(1 << card for card in cards), bids, 10 * rng.randint(-10, 45), 10 * rng.randint(-10, 45))


@pytest.mark.parametrize("name", SERVED)
def test_full_strength_is_no_level_at_all(name):
    assert parse_policy(f"{name}:level=5,aggression=0,nil_bias=-0.0") == parse_policy(name)
    policy = parse_policy(name)
    for seed in range(20):
        assert not POLICY_KINDS[policy.kind].noise_sd or perturbed(policy, seed) == policy  # every field is kept


def test_every_field_is_handed_on():
    values: list[Any] = [type(value)(1 + i) for i, value in enumerate(Policy())]
    other = Policy(*values)._replace(kind=0, noise_sd=0.0, aggression=0.0, nil_bias=0.0, nil_shift=0.0)
    assert perturbed(other, 5) == other


@pytest.mark.parametrize("name", SERVED)
def test_each_level_goes_further_than_the_one_above(name):
    noise_sds = [parse_policy(f"{name}:level={level}").noise_sd for level in range(1, 6)]
    assert noise_sds == sorted(noise_sds, reverse=True)
    assert noise_sds[-1] == 0.0
    assert len(set(noise_sds)) == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bis:level=0", "bis: level is '0'; accepted: 1, 2, 3, 4, 5"),
        ("winprob:level=2.5", "winprob: level is '2.5'"),
        ("rb:aggression=1.5", r"rb: aggression is '1\.5'; accepted: a plain decimal number -1\.\.1"),
        ("fixed:level=2", "policy fixed has no option 'level'"),
    ],
)
def test_refused(text, message):
    with pytest.raises(PolicyError, match=message):
        parse_policy(text)


def test_deviates_are_near_to_normal():
    drawn = [hash_normal(DRAWS_PER_SEED * seed) for seed in range(20_000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.0, abs=0.02)
    assert sum(x * x for x in drawn) / len(drawn) == pytest.approx(1.0, abs=0.03)
    assert all(abs(x) <= 3.0 for x in drawn)


@pytest.mark.parametrize("name", SERVED)
@pytest.mark.parametrize("style", ["level=1", "level=1,aggression=1,nil_bias=1", "aggression=-1,nil_bias=1"])
def test_never_absurd(name, style):
    """No number is far from the bid at full strength; no nil is nearly certain to fail unless full strength bids it."""
    tables, policy = committed_tables(), parse_policy(f"{name}:{style}")
    full, judge = parse_policy(name), parse_policy("bis:endgame=off,spade_honours=allow")
    nils = 0
    for number, where in enumerate(positions(400)):
        bid = decide_with_skill(where, policy, tables, None, False, number).bid
        wanted = decide(where, full, tables, None, False).bid
        if bid == 0:
            nils += 1
            if wanted != 0:
                told = decide(where, judge, tables).explanation
                assert told is not None
                assert told["nil"]["ruled_out"] is None
                assert told["nil"]["probability"] >= SURE_LOSER
        elif wanted != 0 and name != "bis":  # the end-of-game rules of bis may add to the difference
            assert abs(bid - wanted) <= MOST_TRICKS
    assert nils or name not in ("bis", "rb", "ms", "winprob")


@pytest.mark.parametrize("changes", [{"min_bid": 4}, {"min_bid": 6}, {"team_min": 6}, {"nil_points": 200}])
def test_no_sure_loser_where_tricks_are_forced(changes):
    tables, rules = committed_tables(), CLASSIC._replace(**changes)
    full, policy = parse_policy("bis"), parse_policy("bis:level=1,nil_bias=1")
    nils = 0
    for number, where in enumerate(positions(600, 2)):
        at = where._replace(rules=rules, bids=where.bids[:2])
        made = decide_with_skill(at, policy, tables, None, True, number)
        if made.bid == 0 and decide(at, full, tables, None, False).bid != 0:
            nils += 1
            assert made.explanation is not None
            assert made.explanation["nil"]["probability"] >= SURE_LOSER
    assert nils or rules.min_bid == 6  # with min_bid 6, a nil that only the level bids is never accepted


@pytest.mark.parametrize("text", ["rb:nil=2-8-T,level=1", "rb:nil=5-8-T,level=1,nil_bias=-1", "ms:level=1,nil_bias=-1"])
def test_nil_ranks_end_at_the_deuce(text):
    tables, policy = committed_tables(), parse_policy(text)
    for seed in range(200):
        assert min(perturbed(policy, seed)[10:13]) >= 0
        decide_with_skill(position(parse_pbn(LOW)), policy, tables, None, True, seed)


@pytest.mark.parametrize("name", SERVED)
def test_a_seed_repeats_the_bid_and_others_differ(name):
    tables, policy, where = committed_tables(), parse_policy(f"{name}:level=1"), position(parse_pbn(WORKED), (3, 1))
    bids = [decide_with_skill(where, policy, tables, None, True, seed) for seed in range(40)]
    assert bids == [decide_with_skill(where, policy, tables, None, True, seed) for seed in range(40)]
    assert len({made.bid for made in bids}) > 1
    assert (
        position_seed(where)
        == position_seed(position(parse_pbn(WORKED), (3, 1)))
        != position_seed(position(parse_pbn(LOW), (3, 1)))
    )


def test_style_leans():
    """Over many hands, aggression bids more tricks and nil_bias more nils, whatever the seed."""
    tables = committed_tables()
    for name in ("bis", "winprob"):
        tricks, nils = {}, {}
        for lean in (-1, 0, 1):
            bold = with_skill(parse_policy(name)._replace(aggression=float(lean)))
            fond = with_skill(parse_policy(name)._replace(nil_bias=float(lean)))
            made = [decide_with_skill(where, bold, tables, None, False).bid for where in positions(300)]
            tricks[lean] = sum(made) / sum(bid > 0 for bid in made)
            nils[lean] = sum(decide_with_skill(where, fond, tables, None, False).bid == 0 for where in positions(300))
        assert tricks[-1] < tricks[0] < tricks[1]
        assert nils[-1] < nils[0] < nils[1]


def test_the_explanation_tells():
    tables, where = committed_tables(), position(parse_pbn(WORKED), (3, 1))
    for name in SERVED:
        policy = parse_policy(f"{name}:level=2,aggression=0.5")
        full = decide(where, parse_policy(name), tables).bid
        made = decide_with_skill(where, policy, tables, None, True, 7)
        assert made.explanation is not None
        style, level = made.explanation["adjustments"][:2]
        assert (style["rule"], style["before"], style["aggression"]) == ("style", full, 0.5)
        assert (level["rule"], level["before"], level["after"]) == ("level", style["after"], made.bid)
        assert (level["level"], level["seed"]) == (2, 7)
        would = f"At full strength the bid is {'the same' if made.bid == full else full}."
        assert made.explanation["sentence"].endswith(would)
        assert level["why"] in made.explanation["sentence"]
        brief = decide_with_skill(where, policy, tables, None, BRIEF, 7)
        assert brief.bid == made.bid
        assert brief.explanation is not None
        assert brief.explanation["reasons"][-1] == made.explanation["reasons"][-1]
        assert len(brief.explanation["reasons"]) <= MOST_IN_BRIEF


def test_legal_bids_have_the_last_word():
    tables = committed_tables()
    for name in SERVED:
        for legal in ((0,), (9,), (0, 1), (12, 13)):
            made = decide_with_skill(position(parse_pbn(WORKED), (3,)), parse_policy(f"{name}:level=1"), tables, legal)
            assert made.bid in legal


def test_drawn_by_hand():
    """Win probabilities .60, .58, .40 with noise_sd .02: the weights are 1 and exp(-1.5); the third bid is excluded."""
    p_win = [-1.0] * 14
    p_win[3:6] = 0.60, 0.58, 0.40
    policy = with_skill(parse_policy("winprob")._replace(level=4))._replace(noise_sd=0.02)
    share = sum(sample_bid(p_win, 3, 0.0, policy, seed) == 3 for seed in range(5000)) / 5000
    assert share == pytest.approx(1 / (1 + 2.718281828**-1.5), abs=0.02)
    assert {sample_bid(p_win, 3, 0.0, policy, seed) for seed in range(500)} == {3, 4}
    p_win[0] = 0.62
    assert {sample_bid(p_win, 0, 0.1, policy, seed) for seed in range(500)} == {0, 3, 4}
    p_win[0] = 0.59
    assert 0 not in {sample_bid(p_win, 3, 0.1, policy, seed) for seed in range(500)}
