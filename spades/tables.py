"""The arrays that kernels read (`Tables`), and the table profiles: which `Tables` a decision reads.

A profile is a kind of game in which bids or play differ enough for tables of its own: a variant, a deck with jokers, a
convention, or a pass of cards to and from a nil bidder. A profile without its own version of a table uses the
partnership's (`tableset.tables_by_profile`).
"""

from typing import Annotated, Any, NamedTuple, TypeAlias, get_type_hints

from spades.legal import extra_spades_of
from spades.options import AUTO, BIG5, BIG6, NO_CONVENTION, Policy
from spades.rules import CUTTHROAT, JOKERS, PARTNERSHIP, SUICIDE, WHIZ, Rules
from spades.scoring import Standing

# ---- the arrays ------------------------------------------------------------------------------------------------------

SEQUENCES = 1 + 14 + 14**2 + 14**3  # number of sequences of 0..3 previous bids: 2,955 (ECAI 2020, section 4.3)

# A field is a memoryview in the service, and an ndarray in the simulator. Its annotation lists the types that its file
# may have: first the one that the build writes, then those of older tables. Kernels read every float as float64.
View: TypeAlias = Any
Float64: TypeAlias = Annotated[View, "<f8"]  # exact tables, and small ones whose cells answers show as they are
Float32: TypeAlias = Annotated[View, "<f4", "<f8"]
UInt16: TypeAlias = Annotated[View, "<u2"]
UInt8: TypeAlias = Annotated[View, "|u1"]
Int64: TypeAlias = Annotated[View, "<i8"]


class Neutral(NamedTuple):
    """A table with one value in all cells.

    Self-play reads it in place of a real table that the family being built does not depend on.
    """

    shape: tuple[int, ...]
    value: float = 0.0


class Tables(NamedTuple):
    """All arrays that the kernels read, as views indexed [i, j, ...]; each field is named after its array.

    A new table is one more field here, with its `Neutral`. If the field is not the whole array, `tables_by_profile`
    needs a line too. A field without `Neutral` has its neutral array in `arena.engine.simulate.kernel_tables`, or all
    families that are made by self-play depend on it.
    """

    p_length: Float64  # (4, 14, 4): [m, n, k] -> P(each of m players holds >= k of a suit of which we hold n)
    # (2, 8192): [side suit or spades, holding] -> P(its three lowest cards take no trick). With 15 spades
    # (3, 32768): the rows are clubs and hearts, diamonds, spades. Kernels count the last two from the end.
    cnil: Float64
    # (4, 8192): [opponents who may ruff, holding] -> tricks of its ace, king and queen. With 15 spades (8, 8192): rows
    # of clubs and hearts before those of diamonds, which kernels count from the end.
    side_high: Float64
    spade_high: UInt8  # (8192, 10): [holding, number k of lowest cards removed] -> tricks by rank
    spade_takes: UInt8  # (8192, 10): the same -> tricks by rank and length
    ruffs: Float64  # (4, 64, 10): [opponents who may ruff, side lengths, k] -> tricks of the best k ruffs
    rb_suit: Annotated[Float64, Neutral((2, 8192))]  # [side suit or spades, holding] -> tricks that RB counts
    factor: Annotated[Float64, Neutral((4, 40))]  # [seat, sum of the previous bids] -> tricks to add
    curves: Float32  # (2955, 101): [sequence of previous bids, nil value] -> P(nil made)
    single_curve: Float32  # (1, 101): the same for all sequences of bids
    contract_made: Annotated[Float64, Neutral((2, 27), 1.0)]  # [side without or with a nil, contract] -> P(made)
    mean_bids: Annotated[Float64, Neutral((SEQUENCES, 3))]  # sequence of bids -> means of the next three bids
    p_ace: Annotated[Float64, Neutral((4, 40), 0.25)]  # [seat, sum of the previous bids] -> P(holds the ace of spades)
    blind_nil: Annotated[Float64, Neutral((SEQUENCES,), 0.25)]  # sequence of previous bids -> P(blind nil made)
    # The network of `winprob`, which is trained in float32, and its win tables; only `winprob` reads them.
    net_position: Float32  # (INPUTS + 1, H): inputs of a position, and the biases -> first hidden layer
    net_bid: Float32  # (BID_INPUTS, H): inputs of a bid -> first hidden layer
    net_hidden: Float32  # (H + 1, G): first hidden layer -> second
    net_out: Float32  # (G + 1, OUTCOMES): second hidden layer -> outcomes
    win: UInt16  # (cells,): win tables of all games, one after another -> P(first bidder's side wins) in 65,535ths
    extra_win: UInt16  # the same for games with other rules, made with --rules
    games: Int64  # (games, 18 or more): rules of each game and place of its win table; those of `win` last


_DECLARED = {field: hint.__metadata__ for field, hint in get_type_hints(Tables, include_extras=True).items()}
_DTYPES = {field: tuple(part for part in parts if isinstance(part, str)) for field, parts in _DECLARED.items()}
NEUTRAL = {field: part for field, parts in _DECLARED.items() for part in parts if isinstance(part, Neutral)}


def dtypes_of(array: str) -> tuple[str, ...]:
    """Return the types that the file of an array may have: first the one that the build writes.

    ``array`` may have a profile's prefix. The result is empty for an array that no kernel reads.

    >>> dtypes_of("win"), dtypes_of("jokers_curves"), dtypes_of("held_out")
    (('<u2',), ('<f4', '<f8'), ())
    """
    profile, _, rest = array.partition("_")
    return _DTYPES.get(array) or _DTYPES.get(rest if profile in PROFILES else array, ())


# ---- the profiles ----------------------------------------------------------------------------------------------------

PARTNERSHIP_PROFILE, BIG5_PROFILE, BIG6_PROFILE, CUTTHROAT_PROFILE, WHIZ_PROFILE, SUICIDE_PROFILE = range(6)
JOKERS_PROFILE, JJDD_PROFILE = 6, 7  # decks with 15 and with 16 spades
PASS2_PROFILE, PASS4_PROFILE = 8, 9  # nil bidder and partner exchange up to two cards, and more
# Names of the profiles, and prefixes of their arrays: big5_curves.npy. Mirror and strict whiz need none, because their
# rules determine every bid.
PROFILES = ("partnership", "big5", "big6", "cutthroat", "whiz", "suicide", "jokers", "jjdd", "pass2", "pass4")
# More profiles, after those of PROFILES: a variant with a deck of 15 or 16 spades. They have no arrays of their own.
# DECK_ARRAYS are those of the deck's profile, the others those of the variant's (by index in PROFILES).
MIXED_PROFILES = (
    (CUTTHROAT_PROFILE, JOKERS_PROFILE),
    (CUTTHROAT_PROFILE, JJDD_PROFILE),
    (WHIZ_PROFILE, JOKERS_PROFILE),
    (WHIZ_PROFILE, JJDD_PROFILE),
)
DECK_ARRAYS = ("cnil", "p_ace", "p_length", "ruffs", "side_high", "spade_high", "spade_takes")

FEW_PASSED = 2  # most cards that are exchanged in PASS2_PROFILE
EXTRA_WITH_JOKERS = 2  # extra spades (`legal.extra_spades_of`) in the decks of JOKERS_PROFILE
# Points: convention `auto` is Big 6 when the side is further behind (docs/explanation/how-bis-bids.md).
BIG6_DEFICIT = 100


def convention_of(rules: Rules, policy: Policy, standing: Standing) -> int:
    """Return the convention that a side plays at this score: NO_CONVENTION, BIG5 or BIG6.

    In variants other than partnership, it is NO_CONVENTION unless the policy ignores the variant.
    """
    if policy.convention == NO_CONVENTION or (rules.variant != PARTNERSHIP and not policy.ignores):
        return NO_CONVENTION
    if policy.convention == AUTO:
        deficit = standing.them - standing.us
        return BIG6 if rules.blind_nil and deficit > max(BIG6_DEFICIT, rules.blind_nil_deficit - 1) else BIG5
    return policy.convention


def profile_of(rules: Rules, policy: Policy, standing: Standing) -> int:
    """Return the profile that a decision reads, as an index in `PROFILES` and then `MIXED_PROFILES`."""
    passes = rules.nil_pass > 0 and not policy.ignores_rules
    if policy.convention != NO_CONVENTION and not passes:
        convention = convention_of(rules, policy, standing)
        if convention != NO_CONVENTION:
            return BIG5_PROFILE if convention == BIG5 else BIG6_PROFILE
    if policy.ignores or (rules.variant == PARTNERSHIP and not passes):
        return PARTNERSHIP_PROFILE
    return plain_profile(rules)


def plain_profile(rules: Rules) -> int:
    """Return the profile of bidders that play no convention, as an index in `PROFILES` and then `MIXED_PROFILES`."""
    variant = rules.variant
    extra = extra_spades_of(variant, rules)
    if extra and variant != JOKERS:
        first = len(PROFILES) + (0 if variant == CUTTHROAT else 2)
        return first if extra == EXTRA_WITH_JOKERS else first + 1
    if variant == PARTNERSHIP:
        if rules.nil_pass:
            return PASS2_PROFILE if rules.nil_pass <= FEW_PASSED else PASS4_PROFILE
        return PARTNERSHIP_PROFILE
    if variant == CUTTHROAT:
        return CUTTHROAT_PROFILE
    if variant == WHIZ:
        return WHIZ_PROFILE
    if variant == SUICIDE:
        return SUICIDE_PROFILE
    if variant == JOKERS:
        return JOKERS_PROFILE if extra == EXTRA_WITH_JOKERS else JJDD_PROFILE
    return PARTNERSHIP_PROFILE
