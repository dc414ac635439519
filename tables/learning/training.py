"""The training of `winprob`'s outcome net on self-play: six rounds for `net0_*`, and one more for `net_*`.

The first round uses positions without a score, bid by rule-based policies. Each time such a position is drawn, it gets
another game and score. The other rounds use positions at scores of all games. In these, the net of the round before
bids for partner. Until the sixth round, rule-based policies bid for most opponents. In the seventh the net bids for two
in three, as in a game between strong players, and more games have a pass. In games with a pass it bids for seven
opponents in eight, from the second round on. The net that ships is the mean of those before and after the seventh round
(`mean_weights`). Most scores are scores that games reached; the others are random. All positions mix in a second card
player and noise, so that the net does not depend on a single player.

The seventh round is a family of its own. So another mix of players or games needs one round, and the tables that are
made by rounds of `winprob` (`games`, `prior_best`, `holders_best`) need none: they read `net0_*`.

The inputs are `tables.learning.training_data` and the table `win`. `tables.learning.batches` labels the positions, and
`tables.learning.net` learns from them, in parts, so that it can continue after an interruption. The bytes of the result
depend on the seed, and on the version of JAX, the processor and its number of cores, not on --jobs.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from tqdm import tqdm

from arena.chunks import Arrays
from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables, packed, player_rows, policies_by_chair, tables_for, with_games
from arena.games import Lineup, play_pairs
from arena.players.names import TABLES_PLAYER
from arena.stats import pair_counts
from spades.policies import parse_policy
from spades.rules import Rules
from spades.winprob import CANDIDATES_ABOVE, CANDIDATES_BELOW, OUR_LATER, THEIR_LATER
from tables.counts import chunk_seed, scores_of_games
from tables.learning.batches import ALL_KNOWN, NONE_KNOWN, Source, batches, held_out, sample, steps_of
from tables.learning.scores import GAMES, MORE_PASSES, RULES_OF_PLAY, SEEN_SHARE, Ints, drawn_scores, random_games
from tables.learning.training_data import (
    ALIKE,
    BLIND,
    FIRST_PLAYER,
    NOISE,
    PARTNER,
    RARE,
    REDEALT,
    SEATS,
    SPADES,
    Labels,
    candidate_rounds,
)
from tables.run.family import Context

if TYPE_CHECKING:
    from tables.learning.net import Fit

FIRST_POLICIES = (
    "bis:tuned,endgame=off",
    "bis:endgame=off",
    "rb",
    "bis:offset=0.3,endgame=off",
    "bis:offset=-0.3,nil_threshold=-30,endgame=off",
    "ms",
)
LATER_POLICIES = (
    *("winprob",) * 5,
    *("ms", "ms", "ms", "rb", "rb"),
    *("bis:tuned", "bis:tuned", "bis:aggression=0.8", "bis:aggression=-0.8,nil_bias=0.8"),
    *("bis:level=1", "ms:level=2"),
    *("bis", "bis"),
)
LAST_POLICIES = (
    *("winprob",) * 11,
    *("ms", "rb", "bis:tuned", "bis:aggression=-0.8,nil_bias=0.8", "bis"),
)
# With a pass, `winprob` bids nil in most rounds, and the other policies seldom. A net trained on few opponents who bid
# `winprob` states win probabilities that are too high in first and third seat.
PASS_POLICIES = *("winprob",) * 14, "bis:tuned", "bis"
SEEN_BY = "bis:tuned"  # bidder of the games that give the scores to draw from
CHUNK, PAIRS = 20_000, 5_000  # positions and duplicate pairs in a chunk
SEEN = 20_000  # number of scores of each game to draw from
LAYERS = 256, 64  # sizes of the net's first and second hidden layer
BATCH = 1024  # positions in a step
PARTS = 16  # parts of the training of a round; finished parts are kept, so that it can be resumed after an interruption
NET = ("position", "bid", "hidden", "out")


class Round(NamedTuple):
    """A training round: play positions, then train the net on them, perhaps with those of the round before."""

    name: str
    policies: tuple[str, ...]  # bidders of positions without a pass; the first bids for partner
    scored: bool  # whether positions have a score
    goes_on: bool  # whether to train on the positions of the round before too
    epochs: int  # passes over the positions
    rate: float  # learning rate at the start; it falls to 0 along a cosine


class Mix(NamedTuple):
    """Who plays the cards of the positions, and in which games."""

    players: tuple[str, str]  # the first plays in most rounds
    games: Mapping[Rules, float]  # shares of positions by rules of play


FIRST_MIX, LAST_MIX = (Mix((TABLES_PLAYER, "wrp"), games) for games in (RULES_OF_PLAY, MORE_PASSES))
ROUNDS = (
    Round("first", FIRST_POLICIES, False, False, 2, 5e-3),
    Round("second", LATER_POLICIES, True, False, 2, 5e-3),
    Round("third", LATER_POLICIES, True, True, 2, 5e-3),
    Round("fourth", LATER_POLICIES, True, True, 3, 5e-3),
    Round("fifth", LATER_POLICIES, True, True, 2, 4e-3),
    Round("sixth", LATER_POLICIES, True, True, 2, 3e-3),
)
# Share of the weights before the last round in the net that ships. The net after the round alone wins 0.3 to 1.0 games
# in a hundred less against `bis`, `rb`, `ms` and `io`.
KEPT = 0.5
LAST_ROUND = Round("seventh", LAST_POLICIES, True, False, 3, 2e-3)


def _seen(ctx: Context) -> Ints:
    """Return scores (games, SEEN, 4) before the rounds of games that SEEN_BY plays; see `scores_of_games`."""
    profiles = kernel_tables(ctx.inputs)

    def play(index: int, seed: int) -> Arrays:
        return {"seen": scores_of_games(profiles, GAMES[index], SEEN_BY, SEEN, seed)[None]}

    return cast(Ints, ctx.gathered("scores", len(GAMES), play)["seen"])


def _positions(ctx: Context, stage: Round, mix: Mix, arrays: Arrays, seen: Ints) -> Arrays:
    """Return played positions (see `training_data`); `games` is -1 for positions without a score."""
    profiles = kernel_tables(arrays)
    name, scored = f"{stage.name}_positions", stage.scored
    players = np.concatenate([player_rows(player, player)[:1] for player in mix.players])

    def play(index: int, seed: int) -> Arrays:
        rng = np.random.default_rng(seed)
        number = int(random_games(rng, 1, mix.games)[0]) if scored else -1
        games = np.full(CHUNK, number)
        scores = drawn_scores(rng, games, seen) if scored else np.zeros((CHUNK, 4), np.int64)
        rules = GAMES[max(number, 0)]
        texts = PASS_POLICIES if rules.nil_pass and scored else stage.policies
        bidders = [parse_policy(text, rules.variant) for text in texts]
        used = tables_for(profiles, rules, bidders)
        made = candidate_rounds(chunk_seed(seed), rules, bidders, players, used, scores.astype(np.int64))
        return {**made._asdict(), "scores": scores.astype(np.int16), "games": games.astype(np.int8)}

    return ctx.gathered(name, max(2, ctx.size(name) // CHUNK), play)


def _won(ctx: Context, name: str, player: str, arrays: Arrays) -> float:
    """Return the share of games that the net wins against `bis` at goal 200 and losing goal -100.

    Every training round is measured on the same deals. ``player``: plays the cards.
    """
    policies = policies_by_chair(parse_policy("winprob"), parse_policy("bis"))
    rules, players = GAMES[0], player_rows(player, player)
    ts = tables_for(kernel_tables(arrays), rules, policies)

    def play(index: int, _seed: int) -> Arrays:
        deals = int(np.random.default_rng([ctx.seed, index]).integers(2**31))
        scores, _ = play_pairs(Deals(deals, 0, PAIRS), rules, Lineup(policies, players), ts)
        return {"counts": pair_counts(scores)}

    counts = ctx.chunks(f"{name}_won", max(1, ctx.size("pairs") // PAIRS), play)["counts"]
    return float(counts @ np.arange(5) / 4 / counts.sum())


def _batches_of_part(source: Source, stage: Round, steps: int, part: int, progress: bool) -> Iterable[Labels]:
    # The batches of one of PARTS parts of a training of ``steps`` batches, with a progress bar.
    first, last = steps * part // PARTS, steps * (part + 1) // PARTS
    hidden = None if progress else True  # None: show the bar only on a terminal
    part_batches = batches(source, BATCH, stage.epochs, first, last)
    return cast(Iterable[Labels], tqdm(part_batches, initial=first, total=steps, desc="net/train", disable=hidden))


def _train_part(
    fit: "Fit", weights: Arrays, state: Arrays, part_batches: Callable[[], Iterable[Labels]], _index: int, _seed: int
) -> Arrays:
    # A chunk. ``state``: as in `Fit.train`.
    trained = fit.train(weights, state, ((batch,) for batch in part_batches()))
    return trained.weights | trained.state | {"errors": np.array(trained.results, np.float32)}


def _train_round(ctx: Context, stage: Round, source: Source, weights: Arrays) -> tuple[Arrays, float]:
    """Return the weights after the training of a round, and the mean squared centred error of its last epoch."""
    from tables.learning import net  # not above: only the training needs JAX, which takes a second to import

    steps = steps_of(source, BATCH, stage.epochs)
    bases = net.bases_of(sample(source))
    fit = net.outcome_fit(bases, stage.rate, steps)
    in_bases: Arrays = net.into_bases(weights, bases)
    state: Arrays = {}
    errors = []
    for part in range(PARTS):
        part_batches = partial(_batches_of_part, source, stage, steps, part, ctx.progress)
        train = partial(_train_part, fit, in_bases, state, part_batches)
        trained = ctx.chunks(f"{stage.name}_net-{part}", 1, train)
        errors.append(trained.pop("errors"))
        in_bases = {name: trained.pop(name) for name in NET}
        state = trained
    last_epoch = np.concatenate(errors)[-(steps // stage.epochs) :]
    after = {name: np.asarray(array) for name, array in net.from_bases(in_bases, bases).items()}
    return after, float(last_epoch.mean())


def make_first(ctx: Context) -> Arrays:
    """Make the arrays `net0_*`: the net of the first six rounds."""
    from tables.learning import net  # not above: only the training needs JAX, which takes a second to import

    rng = np.random.default_rng(ctx.seed)
    weights: Arrays = net.first_weights(rng, LAYERS)
    weights = _train_rounds(ctx, weights, rng, ROUNDS, FIRST_MIX)
    return {f"net0_{name}": weights[name] for name in NET}


def make(ctx: Context) -> Arrays:
    """Make the arrays of the net: those of the first six rounds, trained in one more."""
    weights = {name: ctx.array(f"net0_{name}") for name in NET}
    return _kernel_arrays(_train_rounds(ctx, weights, np.random.default_rng(ctx.seed), (LAST_ROUND,), LAST_MIX, KEPT))


def mean_weights(before: Arrays, after: Arrays, kept: float) -> Arrays:
    """Return the mean of the weights before and after a round; ``kept``: the share of those before.

    The mean of a net and of a net that was trained on from it has the better of both (Wortsman and others, "Robust
    fine-tuning of zero-shot models", CVPR 2022). The weights of later nils are those after, because the rounds before
    did not know them.
    """
    mean = {name: (kept * before[name] + (1.0 - kept) * after[name]).astype(np.float32) for name in NET}
    later = np.array([our or their for our in OUR_LATER for their in THEIR_LATER], np.bool_)
    mean["out"][:, later] = after["out"][:, later]
    return mean


def _kernel_arrays(weights: Arrays) -> Arrays:
    # The net's arrays as kernels read them.
    return {f"net_{name}": weights[name].astype(np.float64) for name in NET}


def _train_rounds(
    ctx: Context, weights: Arrays, rng: np.random.Generator, rounds: Iterable[Round], mix: Mix, kept: float = 0.0
) -> Arrays:
    # The weights after the rounds of training, which begins with ``weights``. Each round records its figures. ``kept``:
    # as in `mean_weights`; with 0, a round keeps nothing of the weights before it.
    from tables.learning import net

    profiles = with_games(kernel_tables(ctx.inputs), GAMES)
    ts = packed(profiles, range(len(profiles)), profiles[0])
    seen = _seen(ctx)
    before: Arrays = {}
    for stage in rounds:
        name, arrays = stage.name, {**ctx.inputs, **_kernel_arrays(weights)}
        played = _positions(ctx, stage, mix, arrays, seen)
        seed = int(rng.integers(2**31))
        order = np.random.default_rng(seed).permutation(len(played["hands"]))
        played = {key: played[key][order] for key in played}  # a chunk has one game; held-out positions need all
        data = {key: np.concatenate([played[key], before[key]]) for key in played} if stage.goes_on else played
        before = played

        source = Source(data, seen, ts, seed)
        after, train_error = _train_round(ctx, stage, source, weights)
        weights = mean_weights(weights, after, kept) if kept else after
        ctx.figure(f"{name}_train_error", train_error)
        error, lost = net.judged(weights, held_out(source))
        ctx.figure(f"{name}_held_out_error", error)
        ctx.figure(f"{name}_held_out_lost", lost)
        ctx.figure(f"{name}_wins_bis", _won(ctx, name, mix.players[0], {**ctx.inputs, **_kernel_arrays(weights)}))
    return weights


def _parameters(rounds: Iterable[Round], mix: Mix) -> Mapping[str, object]:
    mixed = [
        *(PARTNER, ALIKE, FIRST_PLAYER, NOISE, RARE, SEEN_SHARE, SPADES, REDEALT, NONE_KNOWN, ALL_KNOWN),
        BLIND,
    ]
    return {
        "rounds": [list(stage) for stage in rounds],
        "pass_policies": list(PASS_POLICIES),
        "players": list(mix.players),
        "seen_by": SEEN_BY,
        "seen": SEEN,
        "batch": BATCH,
        "layers": list(LAYERS),
        "weighed": [CANDIDATES_BELOW, CANDIDATES_ABOVE],
        "mixed": mixed,
        "seats": list(SEATS),
    }


FIRST_PARAMETERS = _parameters(ROUNDS, FIRST_MIX)
PARAMETERS = {**_parameters([LAST_ROUND], LAST_MIX), "games": list(MORE_PASSES.values()), "kept": KEPT}
