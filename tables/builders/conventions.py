"""Success curves and mean bids for the conventions Big 5 and Big 6, and for the pass, if both sides use them.

Each sequence of bids has its own curve. So partner's 5, in the self-play of these tables, has the meaning that the
convention gives it (`spades.bis.conventions`).
"""

from spades.rules import PRESETS, Rules
from tables.builders import curves, mean_bids
from tables.run.family import Family

BIG5 = "bis:convention=big5,endgame=off"
BIG6 = "bis:convention=big6,endgame=off"
PASS = "bis:endgame=off"

FAMILIES: tuple[Family, ...] = (
    curves.setting_family("big5", Rules(), BIG5),
    mean_bids.setting_family("big5", Rules(), BIG5),
    curves.setting_family("big6", Rules(), BIG6, rounds=3_000_000),
    mean_bids.setting_family("big6", Rules(), BIG6),
    curves.setting_family("pass2", PRESETS["pass-2"], PASS, rounds=3_000_000),
    mean_bids.setting_family("pass2", PRESETS["pass-2"], PASS),
    curves.setting_family("pass4", PRESETS["pass-4"], PASS, rounds=3_000_000),
    mean_bids.setting_family("pass4", PRESETS["pass-4"], PASS),
)
