"""Tables of whiz, suicide and the decks with jokers, from self-play: factors, success curves and mean bids.

Whiz has no factor, because a number that is bid must be the number of spades held. In suicide, the bidders may bid nil
while the factor is learned, because a number says something about partner's nil. Mirror and strict whiz need no tables,
because they leave no choice of bid. `tables.builders.jokers` makes the exact tables of the decks with jokers. The
fitted options of `bis` in each variant are in `spades.policies`.
"""

from collections.abc import Callable

from arena.chunks import Arrays
from arena.players.names import TABLES_PLAYER
from spades.options import Policy
from spades.policies import BY_NAME, parse_policy
from spades.rules import JOKERS, PRESETS, SUICIDE, WHIZ
from tables.builders import curves, jokers, mean_bids
from tables.builders.factor import CHUNKS, NUMBERS, PASSES, learn
from tables.builders.rb import BAG_COST, FIT_RULES
from tables.run.family import Context, Family, recorded

ROUNDS = 1_800_000  # rounds of the second play for a profile's curves (`curves.setting_family`)
AUCTIONS = 2_000_000
FACTOR_ROUNDS = 300_000
_BASE = ("p_length", "cnil", "side", "spades", "ruffs")


def self_play(variant: int) -> str:
    """Return the policy text of the bidder in a variant's self-play.

    It lists all fitted options. So a change of one changes the text, and with it the parameters in the manifest.
    """
    options = {name: f"{value:g}" for name, value in BY_NAME["bis"].in_variant[variant].items()}
    if "spade_honours" in options:
        options["spade_honours"] = "allow" if options["spade_honours"] == "1" else "deny"
    return "bis:endgame=off" + "".join(f",{name}={value}" for name, value in options.items())


def _factor(setting: str, policy: Policy) -> Callable[[Context], Arrays]:
    def make(ctx: Context) -> Arrays:
        rules = PRESETS[setting]._replace(bag_limit=FIT_RULES.bag_limit, bag_penalty=FIT_RULES.bag_penalty)
        per_chunk = max(4, ctx.size("rounds") // CHUNKS)
        return {f"{setting}_factor": learn(ctx.inputs, rules, per_chunk, ctx.chunks, policy)}

    return make


def _factor_family(setting: str, policy: Policy, text: str, depends: tuple[str, ...]) -> Family:
    return Family(
        name=f"{setting}_factor",
        generator=1,
        make=_factor(setting, policy),
        axes={f"{setting}_factor": ("seat in bidding order", "sum of the previous bids, 0..39")},
        parameters={
            "player": TABLES_PLAYER,
            "policy": text,
            "rules": recorded(PRESETS[setting]),
            "bag_cost": BAG_COST,
            "passes": PASSES,
        },
        sizes={"rounds": FACTOR_ROUNDS},
        depends=(*_BASE, *depends),
    )


def _fitted(setting: str, variant: int, depends: tuple[str, ...]) -> tuple[Family, ...]:
    rules, policy = PRESETS[setting], self_play(variant)
    return (
        curves.setting_family(setting, rules, policy, rounds=ROUNDS, depends=depends),
        mean_bids.setting_family(setting, rules, policy, auctions=AUCTIONS, depends=depends),
    )


_SUICIDE = self_play(SUICIDE)
_JOKERS, _JJDD = (tuple(family.name for family in exact) for exact in (jokers.EXACT_OF_JOKERS, jokers.EXACT_OF_JJDD))

FAMILIES: tuple[Family, ...] = (
    *_fitted("whiz", WHIZ, ()),
    _factor_family("suicide", parse_policy(_SUICIDE), _SUICIDE, ("curves",)),
    *_fitted("suicide", SUICIDE, ("suicide_factor",)),
    *jokers.FAMILIES,
    _factor_family("jokers", NUMBERS, "bis:nils=off,endgame=off", _JOKERS),
    *_fitted("jokers", JOKERS, (*_JOKERS, "jokers_factor")),
    _factor_family("jjdd", NUMBERS, "bis:nils=off,endgame=off", _JJDD),
    *_fitted("jjdd", JOKERS, (*_JJDD, "jjdd_factor")),
)
