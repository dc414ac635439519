"""Choose a card with the card player of a seat: the kernel that the simulator calls for each play.

`arena.players.names` converts these players to and from texts. Players that need more than the play state, such as
`search@1`, have their own functions.
"""

from arena.engine.jit import register
from arena.engine.states import new_states
from arena.players.uct import uct
from spades.play import PlayState, mistaken_card, solo1, solo2, srp1, srp3, srp4, wrp_card

WRP, SRP1, SOLO1, SRP3, UCT2, SRP4, SOLO2 = range(7)
# The number of each player by name: the players without options, then those with options. `srp` and `solo` are the
# versions that play in matches by default. They stay when tables are made with another player, so that strength figures
# can be compared.
IDS = {
    "wrp": WRP,
    **{"srp@1": SRP1, "srp@3": SRP3, "srp@4": SRP4, "srp": SRP3},
    **{"solo@1": SOLO1, "solo@2": SOLO2, "solo": SOLO1},
}
UCT_IDS = {"uct@2": UCT2, "uct": UCT2}
# `srp@4` and `solo@2` with a level below 5 have it above their pieces; 0: full strength.
LEVEL_SHIFT = 32


def choose_card(state: PlayState, seat: int) -> int:
    """Return the card (0..63) that player ``state.player[seat]`` plays from ``seat``."""
    player = state.player[seat]
    level = state.pieces[seat] >> LEVEL_SHIFT
    if level and (player == SRP4 or player == SOLO2):
        memory = new_states(1)
        return mistaken_card(state, seat, level, state.rng[seat], player == SOLO2, memory)
    if player == SRP4:
        return srp4(state, seat)
    if player == SRP3:
        return srp3(state, seat)
    if player == SRP1:
        return srp1(state, seat)
    if player == WRP:
        return wrp_card(state, seat)
    if player == SOLO1:
        return solo1(state, seat)
    if player == SOLO2:
        return solo2(state, seat)
    return uct(state, seat)


register(__name__, arrays=(choose_card,))
