"""Reviews of rounds that players of random levels have played: the grades of `spades.round_review`, and their time.

Four players of random levels play whole games, with winprob's bids and the cards of srp@4. From each table some rounds
are drawn and reviewed, as POST /v1/review does it. In the first rounds, each card is tried again on ten times as many
other deals, which say whether its grade is true.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from time import process_time
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import Deals
from arena.engine.jit import entry
from arena.engine.rounds import Batch
from arena.engine.simulate import player_rows, tables_for
from arena.games import Lineup, play_games
from arena.searcher import answer, searched_card
from report.figures import query
from report.reads import BIS_FIELDS, INFERENCE, NET, WIN_TABLES
from report.setup import PAPER, Setup
from spades.inference import BIDDERS
from spades.policies import parse_policy
from spades.round_review import (
    GRADES,
    CardTurn,
    PlayedRound,
    ReviewedChoice,
    ValuedCard,
    card_turns,
    review_bids_and_passes,
    review_card,
    valuing_request,
)
from spades.rules import Rules
from spades.tableset import TableSet

ROUNDS: Final = 1_000
CHECKED: Final = 200  # rounds whose cards are tried again
TABLES: Final = 100  # of four players, each with a level of its own
GAMES: Final = 5  # games that a table plays
LEVELS: Final = range(1, 6)
DEALS: Final = 64  # as in a request that does not say
MORE: Final = 10  # times as many deals when a card is tried again
BLUNDER: Final = GRADES[-1]


class Judged(NamedTuple):
    """A choice of a player of a level, its review, and the review of the same card on other deals."""

    level: int
    choice: ReviewedChoice
    again: ReviewedChoice | None = None  # None: it was not tried again


def played_rounds(setup: Setup, rules: Rules) -> Iterator[tuple[PlayedRound, tuple[int, ...]]]:
    """Yield ROUNDS finished rounds, each with the levels of its four seats."""
    random_numbers = np.random.default_rng(setup.seed)
    for table in range(TABLES):
        levels = random_numbers.integers(LEVELS.start, LEVELS.stop, 4)
        policies = [parse_policy(f"winprob:level={level}", rules.variant) for level in levels]
        players = np.stack([player_rows(f"srp@4(level={level})", "srp")[0] for level in levels])
        deals = Deals(setup.seed, table * GAMES, (table + 1) * GAMES)
        rounds = _rounds(deals, rules, Lineup(policies, players), tables_for(setup.tables, rules, policies))
        for row in rounds[random_numbers.choice(len(rounds), ROUNDS // TABLES, replace=False)]:
            played = PlayedRound(
                rules=rules,
                hands=tuple(row["hands"].tolist()),
                bids=tuple(row["bids"].tolist()),
                passed=tuple(row["passed"].tolist()),
                plays=tuple(row["plays"].tolist()),
                scores=tuple(row["scores"][:2].tolist()),
                bags=tuple(row["bags"][:2].tolist()),
            )
            yield played, tuple(int(levels[(row["first_chair"] + seat) & 3]) for seat in range(4))


def _rounds(deals: Deals, rules: Rules, lineup: Lineup, profiles: Any) -> NDArray[np.void]:
    batch = Batch(rules, np.arange(deals.first, deals.last))
    return np.concatenate([batch.rounds[batch.active] for _ in play_games(batch, lineup, deals.seed, profiles)])


@query(*BIS_FIELDS, *NET, *WIN_TABLES, *INFERENCE)
def reviews(setup: Setup) -> dict[str, Any]:
    """Return the grades, how many of them ten times the deals confirm, the losses by level, and the CPU time."""
    judged, ms = reviewed(setup, PAPER)
    graded = [one for one in judged if one.choice.grade is not None]
    cards = [one for one in graded if one.choice.kind == "card"]
    checked = [one for one in cards if one.again is not None]
    again = Counter((one.choice.grade, one.again.grade) for one in checked if one.again is not None)
    of_grade = Counter(one.choice.grade for one in checked)
    return {
        "rounds": len(ms),
        "checked": min(CHECKED, len(ms)),
        "ms": round(float(np.mean(ms))),
        "ms_95": round(float(np.percentile(ms, 95))),
        "grades": [
            [
                grade,
                _share([one for one in graded if one.choice.kind == "bid"], grade),
                _share(cards, grade),
                *(again[grade, other] for other in GRADES),
            ]
            for grade in GRADES
        ],
        "blunders": of_grade[BLUNDER],
        "confirmed": round(100 * again[BLUNDER, BLUNDER] / max(of_grade[BLUNDER], 1), 1),
        "levels": [_level([one for one in graded if one.level == level], level) for level in LEVELS],
    }


def _share(judged: list[Judged], grade: str) -> float:
    """Return the percentage of ``judged`` that has the grade."""
    return round(100 * sum(one.choice.grade == grade for one in judged) / max(len(judged), 1), 1)


def _level(judged: list[Judged], level: int) -> list[Any]:
    """Return a row: level, decisions, mean loss of bids, of cards and of both with its error, blunders; in percent."""
    by_kind = {
        kind: np.array([one.choice.loss for one in judged if one.choice.kind == kind], float)
        for kind in ("bid", "card")
    }
    both = 100 * np.concatenate([*by_kind.values()])
    means = [round(100 * float(losses.mean()), 2) for losses in by_kind.values()]
    error = 1.96 * float(both.std()) / len(both) ** 0.5
    return [level, len(both), *means, round(float(both.mean()), 2), round(error, 2), _share(judged, BLUNDER)]


def reviewed(setup: Setup, rules: Rules) -> tuple[list[Judged], list[float]]:
    """Return the reviews of ROUNDS rounds, and the CPU time of each review in ms."""
    judge, search = parse_policy("winprob", rules.variant), entry(searched_card)
    judged, ms = list[Judged](), list[float]()
    for number, (played, levels) in enumerate(played_rounds(setup, rules)):
        turns = list(card_turns(played))
        if number == 0:
            _valued(turns[0], rules, DEALS, setup.opened, search)  # compiles
        began = process_time()
        judged += [Judged(levels[one.seat], one) for one in review_bids_and_passes(played, judge, setup.opened)]
        valued = [_valued(turn, rules, DEALS, setup.opened, search) for turn in turns]
        cards = [review_card(turn, values, rules) for turn, values in zip(turns, valued)]
        ms.append(1e3 * (process_time() - began))
        for turn, values, card in zip(turns, valued, cards):
            again = None
            if number < CHECKED:
                both = _valued(turn, rules, DEALS * (1 + MORE), setup.opened, search)
                again = review_card(turn, without(values, both), rules)
            judged.append(Judged(levels[turn.seat], card, again))
    return judged, ms


def _valued(turn: CardTurn, rules: Rules, deals: int, tables: TableSet, search: Any) -> list[ValuedCard]:
    request = {
        **valuing_request(turn, rules, BIDDERS[0], deals),
        "state": asdict(turn.state),
        "tables": (str(tables.directory.resolve()), tables.sha256),
    }
    return [ValuedCard(*row) for row in answer(request, search)["valued"]]


def without(first: list[ValuedCard], both: list[ValuedCard]) -> list[ValuedCard]:
    """Return the values on the last MORE * DEALS deals of ``both``, whose first DEALS deals are those of ``first``."""
    return [_difference(one, other) for one, other in zip(first, both)]


def _difference(first: ValuedCard, both: ValuedCard) -> ValuedCard:
    n, m = DEALS, DEALS * (1 + MORE)
    rest = m - n
    gain = (m * both.gain - n * first.gain) / rest
    squares = m * (both.error**2 * m + both.gain**2) - n * (first.error**2 * n + first.gain**2)
    error = (max(squares / rest - gain * gain, 0.0) / rest) ** 0.5
    return ValuedCard(both.card, (m * both.p_win - n * first.p_win) / rest, gain, error)
