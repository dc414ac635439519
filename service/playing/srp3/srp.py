"""SRP version 3: SRP 2, but it reads no high-low signals.

No version of SRP sends the signal (ECAI 2020, appendix D.3). A high card before a lower one of the same suit usually
has another reason: 17 of 100 come from a doubleton. SRP 3 leads for partner's ruff only in suits that partner has shown
to be out of.
"""

from service.playing.srp2.srp import srp_card
from service.playing.state import PlayState


def srp3(state: PlayState, me: int) -> int:
    """Return the card that SRP 3 plays from seat ``me``."""
    return srp_card(state, me, 0)
