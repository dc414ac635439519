"""Figures printed in Cohensius, Meir, Oved and Stern, *Bidding in Spades* (ECAI 2020), to compare ours with."""

from typing import NamedTuple


class Published(NamedTuple):
    """A row of Tables 2 and 4: BIS's win rate in percent of 10,000 games, and points per round of both sides."""

    win_rate: float
    bis_points: float
    points: float


# Table 2, by the opponents' bidder and the card player.
TABLE_2 = {
    ("rb", "wrp"): Published(51.9, 53.2, 50.0),
    ("ms", "wrp"): Published(66.9, 50.1, 38.2),
    ("io", "wrp"): Published(68.6, 52.8, 46.5),
    ("rb", "srp"): Published(52.3, 56.2, 52.8),
    ("ms", "srp"): Published(67.7, 50.8, 38.4),
    ("io", "srp"): Published(67.1, 51.6, 46.3),
    ("rb", "uct:3"): Published(52.1, 52.0, 48.5),
    ("rb", "uct:5"): Published(52.9, 48.5, 40.3),
}


def published(bidder: str, player: str) -> Published | None:
    """Return the row of Table 2 for BIS against ``bidder``, None if there is none.

    The paper's RB has its own nil ranks (`rb:nil=5-8-T`); those of `rb` are fitted to our engine.
    """
    return TABLE_2.get((bidder.removesuffix(":nil=5-8-T"), player))


def player_name(player: str) -> str:
    """Return a card player's name as the paper writes it.

    >>> player_name("uct:5"), player_name("srp")
    ('UCT(5)', 'SRP')
    """
    name, _, tricks = player.upper().partition(":")
    return f"{name}({tricks})" if tricks else name


# Table 4, BIS against itself with one component disabled.
SINGLE_CURVE = Published(51.2, 44.7, 43.6)
NO_ENDGAME_200 = Published(52.0, 48.3, 49.9)
NO_ENDGAME_1 = Published(52.8, 43.5, 52.9)


# Section 4.3 and Fig. 3: probability of a nil in third seat after partner bid 1 and RHO 3, with nil value .8.
CURVE_EXAMPLE = 0.65
# Section 1, from games with people: percent of rounds in which BIS or a person bids nil, and of these nils made.
NIL_BIDS, NILS_MADE = 13.6, 68.8
NIL_BIDS_OF_PEOPLE, NILS_MADE_BY_PEOPLE = 12.6, 63.2
# Appendices B and C, from games with people.
SUM_OF_BIDS, LEGAL_CARDS = 10.55, 3.6
SRP_WINS = 56  # section 5.1: percent of games that SRP wins against WRP if RB bids on both sides
# Section 5.2, the main experiment: percent of games that a pair with SRP wins against one of them beside a human, by
# the bidder of the three. Section 5.1 rates RB with WRP as an average human.
WINS_AGAINST_A_HUMAN = {"bis": 56, "rb": 54}
