"""Search for the options with which a policy wins most games with a studio's players.

Options are searched in groups, one after the other; a later group starts from the best of the earlier ones. In a group,
every combination of values is a candidate, and all candidates play the same deals. After each stage the better half
stays and plays twice as many new deals (sequential halving: Z. Karnin, T. Koren and O. Somekh, "Almost optimal
exploration in multi-armed bandits", ICML 2013). The scores of all stages of the group count. At the end, the best
options and the policy without options play other deals. The options are kept only if the 95% interval of their gain
there is above 0.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from tqdm import tqdm

from arena.match import MOST_SEED, Match
from arena.progress import working_on
from arena.stats import Gain
from spades.policies import parse_policy
from studio.beside_people import Scores, difference

Ladders: TypeAlias = Mapping[str, Sequence[str]]  # the values to try, by option
Play: TypeAlias = Callable[[str, int, int], Scores]  # (policy text, pairs, seed)

# The groups that are searched by default. `curves` is not among them: only the full curves are fitted to a log, so the
# chances of nils that another curve states would not come true.
LADDERS: Mapping[str, Sequence[Ladders]] = {
    "bis": (
        {"nil_threshold": ("-30", "-20", "-10", "0", "25"), "offset": ("-0.6", "-0.4", "-0.2", "0", "0.15")},
        {"spade_honours": ("deny", "allow"), "nil_floor": ("0.15", "0.3")},
    )
}


class Found(NamedTuple):
    """What a search found."""

    options: str  # as in a policy text; empty: none confirmed
    best: str  # the candidate with most wins, confirmed or not
    gain: Gain  # of the best one over the policy without options
    candidates: int
    pairs: int  # that the search played, before those that confirm


def candidates(policy: str, ladders: Ladders, variant: int, chosen: str = "") -> list[str]:
    """Return all combinations after the options ``chosen``, without values that are the policy's own.

    Raises `PolicyError` for an option or value that the policy does not take.

    >>> candidates("bis", {"nil_threshold": ("0", "25"), "offset": ("0", "0.2")}, 0)
    ['nil_threshold=0', 'nil_threshold=0,offset=0.2', '', 'offset=0.2']
    """
    own = parse_policy(policy, variant)
    found = []
    for values in product(*ladders.values()):
        tried = [f"{name}={value}" for name, value in zip(ladders, values, strict=True)]
        other = [one for one in tried if parse_policy(f"{policy}:{one}", variant) != own]
        found.append(",".join([*(chosen.split(",") if chosen else ()), *other]))
    return list(dict.fromkeys(found))


def text_of(policy: str, options: str) -> str:
    """Return the policy text with ``options``, which may be empty."""
    return f"{policy}:{options}" if options else policy


def search(policy: str, groups: Sequence[Ladders], match: Match, play: Play) -> Found:
    """Return the options with which ``policy`` wins most games.

    The last two candidates of a group play the ``match``'s pairs, and so do the games that confirm the best one. Each
    stage has deals of its own: those of the match's seed, and of the seeds after it.
    """
    best, seed, tried, pairs = "", match.seed, 0, 0
    for ladders in groups:
        alive, scores = candidates(policy, ladders, match.rules.variant, best), dict[str, int]()
        tried += len(alive)
        while len(alive) > 1:
            size = max(2, match.pairs >> (len(alive) - 1).bit_length() - 1)
            for options in tqdm(alive, desc=f"studio tune: {len(alive)} candidates", unit="candidate", disable=None):
                scores[options] = scores.get(options, 0) + int(play(text_of(policy, options), size, seed).sum())
                pairs += size
            alive = sorted(alive, key=lambda options: -scores[options])[: (len(alive) + 1) // 2]
            seed = next_seed(seed)
        best = alive[0]
    with working_on("studio tune: play the games that confirm the best options"):
        one, other = (play(text_of(policy, options), match.pairs, seed) for options in (best, ""))
    gain = difference(one, other)
    return Found(best if gain.low > 0 else "", best, gain, tried, pairs)


def next_seed(seed: int, after: int = 1) -> int:
    """Return the seed ``after`` seeds later; the first one follows the last one."""
    return (seed + after) % (MOST_SEED + 1)
