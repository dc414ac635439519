"""`round_id`: the caller's name for a round. It only ties records of the decision log together."""

from typing import Annotated, Final

from pydantic import Field, StrictStr

MAX_ID_CHARS: Final = 128  # as in a log of games (docs/reference/game-log.md)

Id = Annotated[StrictStr, Field(min_length=1, max_length=MAX_ID_CHARS)]  # of a round or a game
RoundId = Annotated[
    Id | None,
    Field(
        description="The caller's name for the round, the same in all requests and results of a round and in no other. "
        "It is used only if the operator has set a decision log. It must not name a person."
    ),
]
