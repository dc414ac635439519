"""Play many games round by round, for matches in which a card player searches (`arena.players.search`).

Compiled code bids a round of every game. Then a holder net gives, for each searching seat and each unseen card, the
probability of each holder. There is one call for each searching chair, for all games together. The searching players
use these probabilities as weights when they draw random deals. Deals are made, and bids chosen, as in
`arena.engine.game`. Without searching players, the games would be those of `arena.engine.selfplay`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import Deals, write_pass_rules
from arena.engine.game import MOST_ROUNDS, Game, Lineup, Totals, begin_round, bid_seat, close_round, first_chair_of
from arena.engine.jit import entry
from arena.engine.passing import exchange
from arena.engine.states import STATE
from arena.engine.winprob import slice_of
from arena.players.choose_card import choose_card
from arena.players.search import Value, search_card
from arena.players.search_weights import EQUAL, PARTNERS, weights_by_bids
from arena.tally import add_games, begun_games
from spades.inference import HolderNet
from spades.play import legal_cards, play_card, write_rules
from spades.rules import Rules
from spades.scoring import game_winner
from spades.tables import Tables
from spades.winprob import win_array

# Columns of a game's row; the first two are those of `begun_games`.
PAIR, SWAP, POINTS_A, POINTS_B, BAGS_A, BAGS_B, RESULT, OVER, CELLS = range(9)


class SearchSettings(NamedTuple):
    """How the players in the chairs a0, b0, a1, b1 search (`search_names.SearchPlayer`). Each field: int64 (4,)."""

    deals: Any  # maximum number of random deals for one card; 0: the player does not search
    tricks: Any  # number of tricks at the end of a round in which it searches


class RunningGames(NamedTuple):
    """The state of n games in progress."""

    states: Any  # play states, by game
    scratch_state: Any  # play state (1,): working memory of the search
    games: Any  # int64 (n, CELLS)
    dealt: Any  # int64 (n, 4): the hands before a pass, by seat
    # float64 (n, 4, 64, 3): [game, seat, card, i]: probability that seat (seat + 1 + i) % 4 holds the card
    weights: Any


def _bid_rounds(running: RunningGames, seed: int, number: int, rules: Rules, lineup: Lineup, profiles: Any) -> None:
    games, states, dealt = running.games, running.states, running.dealt
    for g in range(games.shape[0]):
        game, state = games[g], states[g]
        if game[OVER] == 0:
            identity = Game(seed, game[PAIR], game[SWAP])
            write_rules(state, rules)
            write_pass_rules(state, rules)
            totals = Totals(game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B])
            begin_round(state, identity, number, lineup.players, totals)
            first_chair = first_chair_of(identity, number)
            for seat in range(4):
                policy = lineup.policies[(first_chair + seat) & 3]
                state.bid[seat] = bid_seat(state, seat, rules, policy, profiles)
                dealt[g, seat] = state.hand[seat]
            if state.passes[0] or state.passes[1]:
                exchange(state)


def _play_rounds(
    running: RunningGames, seed: int, number: int, rules: Rules, search: SearchSettings, tables: Tables, sums: Any
) -> int:
    # `tables` must contain the win table of `rules`. Return the number of games that are not finished.
    games, states, weights = running.games, running.states, running.weights
    win_slice = slice_of(rules, tables)
    value = Value(rules, win_slice, win_array(win_slice, tables))
    scratch_state = running.scratch_state[0]
    left = 0
    for g in range(games.shape[0]):
        game, state = games[g], states[g]
        if game[OVER] == 1:
            continue
        first_chair = first_chair_of(Game(seed, game[PAIR], game[SWAP]), number)
        for place in range(52):
            seat = (state.leader + state.trick_size) & 3
            chair = (first_chair + seat) & 3
            state.choices += legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken).bit_count()
            if search.deals[chair] > 0 and 13 - place // 4 <= search.tricks[chair]:
                card = search_card(state, scratch_state, seat, weights[g, seat], search.deals[chair], value)
            else:
                card = choose_card(state, seat)
            play_card(state, seat, card)
        totals = Totals(game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B])
        totals = close_round(state, first_chair, totals, rules, sums)
        game[POINTS_A], game[POINTS_B], game[BAGS_A], game[BAGS_B] = totals
        game[RESULT] = game_winner(totals.score_a, totals.score_b, rules)
        if game[RESULT] != 0 or number + 1 == MOST_ROUNDS:
            game[OVER] = 1
        else:
            left += 1
    return left


bid_rounds, play_rounds = entry(_bid_rounds), entry(_play_rounds)


class SearchMatch(NamedTuple):
    """What a match with searching players needs besides its bidders and deals."""

    settings: SearchSettings
    nets: tuple[HolderNet | None, ...]  # by chair: the holder net that reads the bids; None: the bids are not used
    tables: Tables  # with the win table of the rules
    rules: Rules


def weights_of(running: RunningGames, chairs: NDArray[np.int64], searching: SearchMatch) -> NDArray[np.float64]:
    """Return `RunningGames.weights` before the first card, for the seats that search.

    ``chairs`` (n, 4): chair by seat.
    """
    states, dealt = running.states, running.dealt
    weights = np.tile(EQUAL, (len(states), 4, 1, 1))
    for chair, net in enumerate(searching.nets):
        if net is None or not searching.settings.deals[chair]:
            continue
        games, seats = np.nonzero(chairs == chair)
        side = seats & 1
        scores = [states[name][games, one] for name in ("score", "bags") for one in (side, 1 - side)]
        weights[games, seats] = weights_by_bids(
            net, dealt[games, seats], seats, states["bid"][games], np.stack(scores, axis=1), searching.rules
        )
    given = dealt & ~states["hand"]  # a searching player knows that partner got the cards that they gave away
    for card in range(64):
        weights[(given >> card & 1).astype(bool), card] = PARTNERS
    return weights


def play_searching(
    lineup: Lineup,
    searching: SearchMatch,
    deals: Deals,
    rules: Rules,
    profiles: tuple[Tables, ...],
    scores: NDArray[np.int64],
    sums: NDArray[np.float64],
) -> None:
    """Play the duplicate pairs with the numbers in ``deals``.

    Write the results to ``scores`` (pairs, 2) and add to ``sums``, as `selfplay.play_pairs` does.
    """
    states, games = begun_games(deals, rules, CELLS)
    n = len(games)
    running = RunningGames(states, np.zeros(1, STATE), games, np.zeros((n, 4), np.int64), np.zeros((n, 4, 64, 3)))
    rounds = np.zeros(n, np.int64)
    left = n
    for number in range(MOST_ROUNDS):
        if left == 0 and number:
            break
        rounds += games[:, OVER] == 0
        bid_rounds(running, deals.seed, number, rules, lineup, profiles)
        first = [first_chair_of(Game(deals.seed, pair, swap), number) for pair, swap in games[:, : SWAP + 1].tolist()]
        chairs = np.add.outer(np.array(first, np.int64), np.arange(4)) & 3
        running.weights[:] = weights_of(running, chairs, searching)
        left = play_rounds(running, deals.seed, number, rules, searching.settings, searching.tables, sums)
    add_games(games[:, RESULT], games[:, POINTS_A] - games[:, POINTS_B], rounds, scores, sums)
