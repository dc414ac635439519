"""Search for the options with which a policy wins most games at a studio's tables.

Every combination of the options' values is a candidate. All candidates play the same deals. After each stage the better
half stays and plays twice as many new deals (sequential halving: Z. Karnin, T. Koren and O. Somekh, "Almost optimal
exploration in multi-armed bandits", ICML 2013). The scores of all stages count. The best one and the policy without
options then play other deals. The options are kept only if the 95% interval of their gain there is above 0.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from tqdm import tqdm

from service.bidding.policies import parse_policy
from tables.arena.match import MOST_SEED
from tables.logs.report.simulated import Difference, Scores, difference

Ladders: TypeAlias = Mapping[str, Sequence[str]]  # the values to try, by option
Play: TypeAlias = Callable[[str, int, int], Scores]  # (policy text, pairs, seed)
FIRST_STAGE = 16  # the pairs of a candidate in the first stage, as a share of those that confirm the winner

# What is tried by default. `tables.fit` and docs/learned-from-logs.md: the other options move win rates less.
LADDERS: Mapping[str, Ladders] = {
    "bis": {
        "nil_threshold": ("-40", "-20", "0", "25"),
        "offset": ("-0.6", "-0.4", "-0.2", "0", "0.2"),
    }
}


class Found(NamedTuple):
    """What a search found."""

    options: str  # as in a policy text; empty: none confirmed
    best: str  # the candidate with most wins, confirmed or not
    gain: Difference  # of the best one over the policy without options
    candidates: int
    pairs: int  # of all games of the search; those that confirm are not included


def candidates(policy: str, ladders: Ladders, variant: int) -> list[str]:
    """Return all combinations as options of a policy text, without values that are the policy's own.

    Raises `PolicyError` for an option or value that the policy does not take.

    >>> candidates("bis", {"nil_threshold": ("0", "25"), "offset": ("0", "0.2")}, 0)
    ['nil_threshold=0', 'nil_threshold=0,offset=0.2', '', 'offset=0.2']
    """
    own = parse_policy(policy, variant)
    found = []
    for values in product(*ladders.values()):
        chosen = [f"{name}={value}" for name, value in zip(ladders, values, strict=True)]
        found.append(",".join(one for one in chosen if parse_policy(f"{policy}:{one}", variant) != own))
    return list(dict.fromkeys(found))


def text_of(policy: str, options: str) -> str:
    """Return the policy text with ``options``, which may be empty."""
    return f"{policy}:{options}" if options else policy


def search(policy: str, texts: Sequence[str], play: Play, pairs: int, seed: int) -> Found:
    """Return the options among ``texts`` with which ``policy`` wins most games.

    ``pairs``: of games that confirm the winner. The stages play deals of the seeds from ``seed`` on.
    """
    alive, scores = list(texts), dict[str, list[Scores]]()
    stage, played = 0, 0
    while len(alive) > 1:
        size = max(2, min(pairs, (pairs // FIRST_STAGE) << stage))
        bar = tqdm(alive, desc=f"logs tune: {len(alive)} candidates, {size} pairs each", disable=None)
        for options in bar:
            scores.setdefault(options, []).append(play(text_of(policy, options), size, stage_seed(seed, stage)))
            played += size
        total = {options: sum(int(part.sum()) for part in scores[options]) for options in alive}
        alive = sorted(alive, key=lambda options: -total[options])[: (len(alive) + 1) // 2]
        stage += 1
    best = alive[0]
    one, other = (play(text_of(policy, options), pairs, stage_seed(seed, stage)) for options in (best, ""))
    gain = difference(one, other)
    return Found(best if gain.low > 0 else "", best, gain, len(texts), played)


def stage_seed(seed: int, stage: int) -> int:
    """Return the seed of a stage's deals."""
    return (seed + stage) % (MOST_SEED + 1)
