"""The list of all families of tables: for each, its inputs, the function that makes it, and its parameters.

`tables.run.family` explains the fields. The order of the list does not matter, because the build sorts families by
their inputs. To add a family, write its function into a module here and its `Family` into FAMILIES. An array that
kernels read also needs a field in `spades.tables.Tables`.

Most table profiles have families of their own: the same functions, under the profile's rules, by the bidder of its
self-play. A bidder's text has all options that are fitted on its tables. So a change of one changes the parameters.

- Conventions (`big5`, `big6`) and the pass: both sides use them. Each sequence of bids has its own curve. So partner's
  5 has the meaning that the convention gives it (`spades.bis.conventions`). After partner's 5, a nil never has a
  lower probability than after his 4.
- Whiz has no factor, because a number that is bid must be the number of spades held. Mirror and strict whiz need no
  tables, because they leave no choice of bid.
- In suicide, the bidders may bid nil while the factor is learned, because a number says something about partner's nil.
- Cutthroat: all options are given, because the shipped defaults are fitted on these tables.
"""

from collections.abc import Mapping
from typing import Any

from arena.players.names import CUTTHROAT_PLAYER, TABLES_PLAYER
from arena.players.q1 import NETS
from spades.policies import BY_NAME
from spades.rules import CUTTHROAT, JOKERS, PRESETS, SUICIDE, WHIZ, Rules, make_rules, overrides_of
from spades.winprob import SHIPPED_SLICES
from tables import counts, exact, fits, win
from tables.learning import distilling, holders, q1_training, training
from tables.run.family import Family, recorded

# What the strength of a hand is estimated from.
STRENGTH_INPUTS = ("p_length", "cnil", "side", "spades", "ruffs")
FACTOR_INPUTS = (*STRENGTH_INPUTS, "factor")
BIS_INPUTS = (*FACTOR_INPUTS, "curves")
PRIOR_INPUTS = {"bis": BIS_INPUTS, "best": (*BIS_INPUTS, "rb", "means", "win", "net0")}

# Axes that several families have.
_SEQUENCE = "sequence of previous bids, see spades.position.read_auction"
_VALUE = "nil value 0..1 in hundredths"
_HELD_OUT = ("stated probability in twentieths", "number of nils, mean stated probability, share made")
_FACTOR = ("seat in bidding order", "sum of the previous bids, 0..39")
_MEANS = ("sequence of the bids so far", "mean of the next bid, of the second, of the third")
_HOLDING = "holding: bit 0 the deuce .. bit 12 the ace"
_SPADES = "spade holding: bit 0 the lowest spade"
_RUFFED = "number of lowest spades used for ruffs, 0..9"
_RUFFERS = "opponents who might ruff, 0..3"
_LENGTHS = "lengths of C, D, H capped at 3, in base 4"

_SUIT: Mapping[str, object] = {"n_ranks": exact.RANKS_CLASSIC, "places": exact.PLACES_CLASSIC}
_FACTOR_PARAMETERS: Mapping[str, object] = {"bag_cost": fits.BAG_COST, "passes": fits.PASSES}
_EXACT: dict[str, Any] = {"generator": 1, "exact": True}


def _self_play_bidder(variant: int) -> str:
    """Return the policy text of the bidder in a variant's self-play; it lists all fitted options."""
    options = {name: f"{value:g}" for name, value in BY_NAME["bis"].in_variant[variant].items()}
    if "spade_honours" in options:
        options["spade_honours"] = "allow" if options["spade_honours"] == "1" else "deny"
    return "bis:endgame=off" + "".join(f",{name}={value}" for name, value in options.items())


BIS = "bis:endgame=off"
BIG5 = "bis:convention=big5,endgame=off"
BIG6 = "bis:convention=big6,endgame=off"
NUMBERS = "bis:nils=off,endgame=off"
CUTTHROAT_BIS = "bis:endgame=off,nil_threshold=-30,nil_slope=0,offset=0.2,spade_honours=allow"
CUTTHROAT_RULES = make_rules("cutthroat")
JOKERS_BIS, SUICIDE_BIS, WHIZ_BIS = map(_self_play_bidder, (JOKERS, SUICIDE, WHIZ))


def _array(profile: str, name: str) -> str:
    return f"{profile}_{name}" if profile else name


def _deck(profile: str) -> tuple[Family, ...]:
    """Return the families of the exact tables of a deck with jokers."""
    suits = exact.DECKS[profile]
    lengths = f"{profile}_p_length"
    kinds = "kind: clubs and hearts, diamonds, spades" if suits.long_diamonds else "kind: side suits, spades"
    ruffers = f"{_RUFFERS}, for clubs and hearts; 4..7 for diamonds" if suits.long_diamonds else _RUFFERS
    return (
        Family(
            name=lengths,
            make=exact.p_length,
            profile=profile,
            axes={lengths: ("players m, 0..3", "cards held of a short suit, 0..12", "cards each holds at least k")},
            parameters={"n_ranks": exact.SHORT_RANKS, "places": exact.PLACES_CLASSIC},
            **_EXACT,
        ),
        Family(
            name=f"{profile}_cnil",
            make=exact.deck_cnil,
            profile=profile,
            axes={f"{profile}_cnil": (kinds, _SPADES)},
            parameters={
                "n_ranks": [exact.SHORT_RANKS, suits.diamonds, suits.spades],
                "places": exact.PLACES_CLASSIC,
            },
            **_EXACT,
        ),
        Family(
            name=f"{profile}_side",
            make=exact.deck_side,
            profile=profile,
            axes={f"{profile}_side_high": (ruffers, _HOLDING)},
            depends=(lengths, "side") if suits.long_diamonds else (lengths,),
            **_EXACT,
        ),
        Family(
            name=f"{profile}_ruffs",
            make=exact.ruffs,
            profile=profile,
            axes={f"{profile}_ruffs": (_RUFFERS, _LENGTHS, "tricks of the best k ruffs")},
            depends=(lengths, "p_length") if suits.long_diamonds else (lengths,),
            **_EXACT,
        ),
        Family(
            name=f"{profile}_spades",
            make=exact.spades,
            profile=profile,
            axes={f"{profile}_spade_high": (_SPADES, _RUFFED), f"{profile}_spade_takes": (_SPADES, _RUFFED)},
            **_EXACT,
        ),
    )


def _deck_inputs(profile: str) -> tuple[str, ...]:
    return tuple(f"{profile}_{name}" for name in ("p_length", "cnil", "side", "ruffs", "spades"))


def _factor(profile: str, policy: str, depends: tuple[str, ...]) -> Family:
    return Family(
        name=f"{profile}_factor",
        generator=1,
        make=fits.factor,
        profile=profile,
        rules=fits.bag_costs(PRESETS[profile]),
        axes={f"{profile}_factor": _FACTOR},
        parameters={
            "player": TABLES_PLAYER,
            "policy": policy,
            "rules": recorded(PRESETS[profile]),
            **_FACTOR_PARAMETERS,
        },
        sizes={"rounds": 300_000},
        depends=(*STRENGTH_INPUTS, *depends),
    )


def _curves(
    profile: str,
    rules: Rules,
    policy: str,
    rounds: int = 6_000_000,
    depends: tuple[str, ...] = (),
    player: str = TABLES_PLAYER,
    generator: int = 2,
) -> Family:
    return Family(
        name=f"{profile}_curves",
        generator=generator,
        make=fits.profile_curves,
        profile=profile,
        rules=rules,
        axes={f"{profile}_curves": (_SEQUENCE, _VALUE), f"{profile}_held_out": _HELD_OUT},
        parameters={"player": player, "policy": policy, "rules": recorded(rules)},
        sizes={"first_rounds": rounds // 3, "rounds": rounds},
        depends=(*BIS_INPUTS, *depends),
    )


def _means(profile: str, rules: Rules, policy: str, auctions: int = 5_000_000, depends: tuple[str, ...] = ()) -> Family:
    return Family(
        name=f"{profile}_means",
        generator=1,
        make=fits.means,
        profile=profile,
        rules=rules,
        axes={f"{profile}_mean_bids": _MEANS},
        parameters={"policy": policy, "rules": recorded(rules)},
        sizes={"auctions": auctions},
        depends=(*BIS_INPUTS, f"{profile}_curves", *depends),
    )


def _variant(profile: str, policy: str, depends: tuple[str, ...] = ()) -> tuple[Family, Family]:
    """Return the families of the curves and mean bids of a variant, whose rules are the preset ``profile``."""
    rules = PRESETS[profile]
    return _curves(profile, rules, policy, 1_800_000, depends), _means(profile, rules, policy, 2_000_000, depends)


def _ace(profile: str, rules: Rules, policy: str, depends: tuple[str, ...] = ()) -> Family:
    return Family(
        name=_array(profile, "ace"),
        generator=1,
        make=fits.ace,
        profile=profile,
        rules=rules,
        axes={_array(profile, "p_ace"): ("seat", "sum of the previous bids, tricks")},
        parameters={"policy": policy, "rules": recorded(rules)},
        sizes={"auctions": 10_000_000},
        depends=(*BIS_INPUTS, *depends),
    )


def _blind(profile: str, rules: Rules, policy: str, depends: tuple[str, ...] = ()) -> Family:
    return Family(
        name=_array(profile, "blind"),
        generator=2,
        make=fits.blind,
        profile=profile,
        rules=rules,
        axes={_array(profile, "blind_nil"): (_SEQUENCE,)},
        parameters={"player": TABLES_PLAYER, "policy": policy, "rules": recorded(rules)},
        sizes={"rounds": 4_000_000},
        depends=(*BIS_INPUTS, *depends),
    )


def _net_axes(prefix: str) -> Mapping[str, tuple[str, ...]]:
    axes = {
        "position": ("a position's inputs, then the biases", "first hidden layer"),
        "bid": ("a bid's inputs", "first hidden layer"),
        "hidden": ("first hidden layer, then the biases", "second"),
        "out": ("second hidden layer, then the biases", "outcome, ours by row and theirs"),
    }
    return {f"{prefix}_{part}": described for part, described in axes.items()}


def _prior(name: str, policy: str) -> Family:
    return Family(
        name=f"prior_{name}",
        generator=1,
        make=fits.prior,
        axes={f"prior_{name}": ("one to four bids", "bidder", "ranks of a side suit, then of spades")},
        parameters={
            "policy": policy,
            "scores_by": counts.SCORES_BY,
            "scores": counts.SCORES,
            "enough": [fits.ENOUGH, fits.LEAST],
            "rules": recorded(Rules()),
        },
        sizes={"deals": 25_000_000},
        depends=PRIOR_INPUTS[name],
    )


def _holders(name: str, policy: str) -> Family:
    axes = {
        "first": ("a player's inputs, then the biases", "first hidden layer"),
        "second": ("first hidden layer, then the biases", "second"),
        "out": ("second hidden layer, then the biases", "card, and seat that may hold it"),
    }
    return Family(
        name=f"holders_{name}",
        generator=1,
        make=holders.make,
        axes={f"holders_{name}_{part}": described for part, described in axes.items()},
        parameters={"policy": policy, **holders.PARAMETERS, "rules": recorded(Rules())},
        sizes={"deals": 4_000_000, "samples": 40_000_000, "held_out": 20_000},
        depends=PRIOR_INPUTS[name],
    )


JOKERS_INPUTS, JJDD_INPUTS = _deck_inputs("jokers"), _deck_inputs("jjdd")
# What rounds of `bis:tuned` need, in all variants that have win tables.
ROUND_INPUTS = (
    *BIS_INPUTS,
    "means",
    *("pass2_curves", "pass2_means", "pass4_curves", "pass4_means"),
    *("whiz_curves", "whiz_means", "suicide_factor", "suicide_curves", "suicide_means"),
    *JOKERS_INPUTS,
    *JJDD_INPUTS,
    *(f"{deck}_{made}" for deck in ("jokers", "jjdd") for made in ("factor", "curves", "means")),
)

FAMILIES: tuple[Family, ...] = (
    Family(
        name="p_length",
        make=exact.p_length,
        axes={"p_length": ("players m, 0..3", "cards held n, 0..13", "cards each holds at least k, 0..3")},
        parameters=_SUIT,
        **_EXACT,
    ),
    Family(
        name="cnil",
        make=exact.cnil,
        axes={"cnil": ("reading: and, or, any", "kind: side, spades", "holding, bit 0 the deuce")},
        parameters=_SUIT,
        **_EXACT,
    ),
    Family(name="side", make=exact.side, axes={"side_high": (_RUFFERS, _HOLDING)}, depends=("p_length",), **_EXACT),
    Family(
        name="ruffs",
        make=exact.ruffs,
        axes={"ruffs": (_RUFFERS, _LENGTHS, "tricks of the best k ruffs, 0..9")},
        depends=("p_length",),
        **_EXACT,
    ),
    Family(
        name="spades",
        make=exact.spades,
        axes={"spade_high": (_HOLDING, _RUFFED), "spade_takes": (_HOLDING, _RUFFED)},
        **_EXACT,
    ),
    Family(
        name="rb",
        generator=3,
        make=fits.rb,
        rules=fits.bag_costs(Rules()),
        axes={
            "rb_values": ("side or spades", "length of the suit", "rank, deuce to ace"),
            "rb_suit": ("side or spades", _HOLDING),
        },
        parameters={"player": TABLES_PLAYER, "bag_cost": fits.BAG_COST, "ridge": fits.CARD_RIDGE},
        sizes={"rounds": 1_000_000, "trial_rounds": 100_000},
        depends=STRENGTH_INPUTS,
    ),
    Family(
        name="factor",
        generator=3,
        make=fits.factor,
        rules=fits.bag_costs(Rules()),
        axes={"factor": _FACTOR},
        parameters={"player": TABLES_PLAYER, **_FACTOR_PARAMETERS},
        sizes={"rounds": 1_000_000},
        depends=STRENGTH_INPUTS,
    ),
    Family(
        name="curves0",
        generator=3,
        make=fits.first_curves,
        axes={"curves0": (_SEQUENCE, _VALUE)},
        parameters={"player": TABLES_PLAYER, "nil_threshold": 25.0},
        sizes={"rounds": 4_000_000},
        depends=FACTOR_INPUTS,
    ),
    Family(
        name="curves",
        generator=3,
        make=fits.curves,
        axes={"curves": (_SEQUENCE, _VALUE), "single_curve": ("one curve", _VALUE), "held_out": _HELD_OUT},
        parameters={"player": TABLES_PLAYER, "nil_threshold": 25.0},
        sizes={"rounds": 12_000_000},
        depends=(*FACTOR_INPUTS, "curves0"),
    ),
    Family(
        name="contracts",
        generator=1,
        make=fits.contracts,
        axes={"contract_made": ("side without a nil, or with one", "contract, 0..26 tricks")},
        parameters={"player": TABLES_PLAYER, "policy": BIS},
        sizes={"rounds": 1_000_000},
        depends=BIS_INPUTS,
    ),
    Family(
        name="means",
        generator=2,
        make=fits.means,
        axes={"mean_bids": _MEANS},
        parameters={"policy": BIS},
        sizes={"auctions": 10_000_000},
        depends=BIS_INPUTS,
    ),
    # cutthroat
    Family(
        name="cutthroat_cnil",
        make=exact.cutthroat_cnil,
        profile="cutthroat",
        axes={"cutthroat_cnil": ("kind: side, spades", "holding, bit 0 the deuce")},
        parameters={**_SUIT, "hunters": exact.HUNTERS},
        **_EXACT,
    ),
    Family(
        name="cutthroat_factor",
        generator=1,
        make=fits.factor,
        profile="cutthroat",
        rules=fits.bag_costs(Rules(variant=CUTTHROAT)),
        axes={"cutthroat_factor": _FACTOR},
        parameters={"player": CUTTHROAT_PLAYER, **_FACTOR_PARAMETERS},
        sizes={"rounds": 600_000},
        depends=STRENGTH_INPUTS,
    ),
    _curves(
        "cutthroat",
        CUTTHROAT_RULES,
        CUTTHROAT_BIS,
        3_000_000,
        depends=("cutthroat_cnil", "cutthroat_factor"),
        player=CUTTHROAT_PLAYER,
        generator=3,
    ),
    _means("cutthroat", CUTTHROAT_RULES, CUTTHROAT_BIS, depends=("cutthroat_cnil", "cutthroat_factor")),
    Family(
        name="cutthroat_contracts",
        generator=1,
        make=fits.contracts,
        profile="cutthroat",
        rules=CUTTHROAT_RULES,
        axes={"cutthroat_contract_made": ("row 0: a seat's contracts; row 1: not used", "contract, 0..26 tricks")},
        parameters={"player": CUTTHROAT_PLAYER, "policy": CUTTHROAT_BIS, "rules": recorded(CUTTHROAT_RULES)},
        sizes={"rounds": 300_000},
        depends=(*STRENGTH_INPUTS, "cutthroat_cnil", "cutthroat_factor", "cutthroat_curves"),
    ),
    # blind nil
    _ace("", Rules(), BIS),
    _ace("jokers", PRESETS["jokers"], JOKERS_BIS, (*JOKERS_INPUTS, "jokers_factor", "jokers_curves")),
    _ace("jjdd", PRESETS["jjdd"], JOKERS_BIS, (*JJDD_INPUTS, "jjdd_factor", "jjdd_curves")),
    _blind("", make_rules("blind-nil"), BIS),
    _blind("big6", make_rules("blind-nil"), "bis:endgame=off,convention=big6", ("big6_curves",)),
    _blind(
        "jokers",
        make_rules("jokers", {"blind_nil": True}),
        JOKERS_BIS,
        (*JOKERS_INPUTS, "jokers_factor", "jokers_curves"),
    ),
    _blind("jjdd", make_rules("jjdd", {"blind_nil": True}), JOKERS_BIS, (*JJDD_INPUTS, "jjdd_factor", "jjdd_curves")),
    _blind("pass2", make_rules("pass-2", {"blind_nil": True}), BIS, ("pass2_curves",)),
    _blind("pass4", make_rules("pass-4", {"blind_nil": True}), BIS, ("pass4_curves",)),
    # conventions and the pass
    _curves("big5", Rules(), BIG5),
    _means("big5", Rules(), BIG5),
    _curves("big6", Rules(), BIG6, 3_000_000),
    _means("big6", Rules(), BIG6),
    _curves("pass2", PRESETS["pass-2"], BIS, 3_000_000),
    _means("pass2", PRESETS["pass-2"], BIS),
    _curves("pass4", PRESETS["pass-4"], BIS, 3_000_000),
    _means("pass4", PRESETS["pass-4"], BIS),
    # variants
    *_variant("whiz", WHIZ_BIS),
    _factor("suicide", SUICIDE_BIS, ("curves",)),
    *_variant("suicide", SUICIDE_BIS, ("suicide_factor",)),
    *_deck("jokers"),
    *_deck("jjdd"),
    _factor("jokers", NUMBERS, JOKERS_INPUTS),
    *_variant("jokers", JOKERS_BIS, (*JOKERS_INPUTS, "jokers_factor")),
    _factor("jjdd", NUMBERS, JJDD_INPUTS),
    *_variant("jjdd", JOKERS_BIS, (*JJDD_INPUTS, "jjdd_factor")),
    # win probability
    Family(
        name="win",
        generator=3,
        make=win.win,
        axes={"win": ("cells of one game after the other: tens of points, then bags, of both sides",)},
        parameters={
            "policy": win.FIRST,
            "player": TABLES_PLAYER,
            "kept": win.KEPT,
            "residual": win.RESIDUAL,
            "games": [[overrides_of(rules), *place[:3]] for rules, place in SHIPPED_SLICES.items()],
        },
        sizes={"rounds_per_bucket": 20_000},
        depends=ROUND_INPUTS,
    ),
    Family(
        name="games",
        generator=3,
        make=win.games,
        axes={
            "extra_win": ("as in `win`",),
            "games": ("games", "the rules that identify a game, then the place of its win table"),
        },
        parameters={
            "games": win.MORE,
            "policies": [win.FIRST, win.SECOND],
            "player": TABLES_PLAYER,
            "kept": win.KEPT,
            "residual": win.RESIDUAL,
        },
        parameters_for=win.games_parameters,
        sizes={"first_rounds_per_bucket": 2_500, "rounds_per_bucket": 10_000},
        depends=(*ROUND_INPUTS, "rb", "win", "net0"),
    ),
    Family(
        name="net0",
        generator=7,
        make=training.make_first,
        axes=_net_axes("net0"),
        parameters=training.FIRST_PARAMETERS,
        sizes={
            "first_positions": 1_200_000,
            "second_positions": 2_000_000,
            "third_positions": 4_000_000,
            "fourth_positions": 9_000_000,
            "fifth_positions": 6_000_000,
            "sixth_positions": 3_000_000,
            "pairs": 200_000,
        },
        depends=("rb", *ROUND_INPUTS, "win"),
    ),
    Family(
        name="net",
        generator=8,
        make=training.make,
        axes=_net_axes("net"),
        parameters=training.PARAMETERS,
        sizes={"seventh_positions": 3_000_000, "pairs": 50_000},
        depends=("rb", *ROUND_INPUTS, "win", "net0"),
    ),
    # inference
    *(_prior(name, policy) for name, policy in fits.READ_POLICIES.items()),
    *(_holders(name, policy) for name, policy in fits.READ_POLICIES.items()),
    # learned players
    Family(
        name="card_net",
        generator=1,
        make=distilling.make,
        axes={
            "card_net_position": ("a position's inputs, then the biases", "first hidden layer"),
            "card_net_card": ("a card's inputs", "first hidden layer"),
            "card_net_hidden": ("first hidden layer, then the biases", "second"),
            "card_net_out": ("second hidden layer", "gain"),
        },
        parameters={"rules": recorded(Rules()), **distilling.PARAMETERS},
        sizes={"rounds": 300_000, "samples": 40_000_000, "held_out": 4_000},
        depends=(
            *PRIOR_INPUTS["best"],
            "net",
            *(f"{made}_{name}" for made in ("prior", "holders") for name in ("bis", "best")),
        ),
    ),
    Family(
        name="q1",
        generator=1,
        make=q1_training.make,
        axes={f"q1_{net}": ("reward", "weights of the net") for net in NETS}
        | {"q1_history": ("net and reward", "part of the training", "figure")},
        parameters={"rules": recorded(q1_training.RULES), **q1_training.PARAMETERS},
        sizes={"rounds": 40_000},
    ),
)
