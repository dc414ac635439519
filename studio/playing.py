"""Play games and write them as a log: examples of the format, and logs of players whose chances are known."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.engine.deal import Deals, prepare_state
from arena.engine.game import MOST_ROUNDS, SUMS, Game, Totals, begin_round, close_round, first_chair_of
from arena.engine.habits import bid_of_person
from arena.engine.jit import round_loop
from arena.engine.passing import exchange
from arena.engine.simulate import tables_for
from arena.players.choose_card import choose_card
from spades.cards import format_card, format_pbn
from spades.play import PlayState, play_card, write_rules
from spades.rules import Rules, overrides_of
from spades.scoring import game_winner
from spades.tables import Tables
from studio.round_log import Label, RoundLog
from studio.studios import Seating, Studio, labels_of, policies_of, seating_of


class Played(NamedTuple):
    """The rounds of n games; row 0 to ``rounds[g] - 1`` of game g are filled."""

    rounds: Any  # int64 (n,)
    results: Any  # int64 (n,): 1 if side a wins, -1 if b wins, 0 for a draw
    hands: Any  # int64 (n, MOST_ROUNDS, 4)
    bids: Any  # int8 (n, MOST_ROUNDS, 4)
    tricks: Any  # int8 (n, MOST_ROUNDS, 4)
    plays: Any  # uint8 (n, MOST_ROUNDS, 52)
    scores: Any  # int16 (n, MOST_ROUNDS, 4): points of both sides before the round, then bags


def _play(states: list[PlayState], deals: Deals, rules: Rules, seating: Any, profiles: Any, made: Played) -> None:
    kinds, habits, players = seating
    state = prepare_state(states, rules)
    write_rules(state, rules)
    sums = np.zeros(SUMS)
    seated = np.zeros((4, 2), np.int64)
    for pair in range(deals.first, deals.last):
        g = pair - deals.first
        for chair in range(4):
            seated[chair] = players[kinds[g, chair]]
        game = Game(deals.seed, pair, 0)
        totals = Totals(0, 0, 0, 0)
        result = 0
        number = 0
        while result == 0 and number < MOST_ROUNDS:
            first_chair = first_chair_of(game, number)
            begin_round(state, game, number, seated, totals)
            for side in range(2):
                made.scores[g, number, side] = state.score[side]
                made.scores[g, number, 2 + side] = state.bags[side]
            for seat in range(4):
                habit = habits[kinds[g, (first_chair + seat) & 3]]
                state.bid[seat] = bid_of_person(state, seat, rules, habit, profiles)
                made.hands[g, number, seat] = state.hand[seat]
                made.bids[g, number, seat] = state.bid[seat]
            if state.passes[0] or state.passes[1]:
                exchange(state)
            for n in range(52):
                seat = (state.leader + state.trick_size) & 3
                card = choose_card(state, seat)
                made.plays[g, number, n] = card
                play_card(state, seat, card)
            for seat in range(4):
                made.tricks[g, number, seat] = state.taken[seat]
            totals = close_round(state, first_chair, totals, rules, sums)
            result = game_winner(totals.score_a, totals.score_b, rules)
            number += 1
        made.rounds[g] = number
        made.results[g] = result


_play_games = round_loop(_play)


def play_seated(games: Deals, rules: Rules, seating: Seating, profiles: Any) -> Played:
    """Return the games of the players and bidders of ``seating``, from 0-0 to their end."""
    n = games.last - games.first
    shape = (n, MOST_ROUNDS)
    made = Played(
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros((*shape, 4), np.int64),
        np.zeros((*shape, 4), np.int8),
        np.zeros((*shape, 4), np.int8),
        np.zeros((*shape, 52), np.uint8),
        np.zeros((*shape, 4), np.int16),
    )
    _play_games(*games, rules, seating, profiles, made)
    return made


def studio_records(
    studio: Studio, noise: float, games: Deals, rules: Rules, profiles: tuple[Tables, ...]
) -> Iterator[RoundLog]:
    """Yield the rounds of ``games`` of a studio as records of a log; ``profiles``: from `kernel_tables`.

    ``noise`` is the probability that a bid is not the intended one.
    """
    seating = seating_of(studio, noise, games, rules)
    tables = tables_for(profiles, rules, policies_of(studio, rules.variant))
    made = play_seated(games, rules, seating, tables)
    title = f"{studio.name} {noise:g}" if any(people.noisy for people in studio.people) else studio.name
    return labelled_records(made, games, rules, title, labels_of(studio, seating))


def labelled_records(
    made: Played, games: Deals, rules: Rules, title: str, labels: Sequence[Sequence[Label]]
) -> Iterator[RoundLog]:
    """Yield the rounds of ``games`` as records of a log.

    ``title`` begins the names of the games; ``labels``: by game and chair.
    """
    for g in range(len(made.rounds)):
        for number in range(made.rounds[g]):
            first_chair = first_chair_of(Game(games.seed, games.first + g, 0), number)
            record: RoundLog = {
                "format": 1,
                "game": f"{title} {games.seed}-{games.first + g}",
                "round": number,
                "rules": {"preset": "classic"} | overrides_of(rules),
                "hands": [format_pbn(hand) for hand in made.hands[g, number].tolist()],
                "bids": made.bids[g, number].tolist(),
                "tricks": made.tricks[g, number].tolist(),
                "plays": [format_card(card) for card in made.plays[g, number].tolist()],
                "scores": made.scores[g, number, :2].tolist(),
                "bags": made.scores[g, number, 2:].tolist(),
                "labels": [labels[g][(first_chair + seat) & 3] for seat in range(4)],
            }
            if made.results[g]:
                record["winner"] = 0 if (first_chair & 1 == 0) == (made.results[g] == 1) else 1
            yield record
