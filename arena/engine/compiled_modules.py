"""Lists of modules for `arena.engine.jit`.

KERNELS are the modules whose functions compiled code may call. SOURCES are the modules whose text decides the name of
the folder of compiled code: if one of them changes, everything is compiled again. LINKED are functions, not modules.
"""


def _modules(package: str, names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names.split())


KERNELS = (
    *_modules("spades", "cards random_numbers scoring legal tables passing position"),
    *_modules("spades.bis", "estimates conventions partnership"),
    *_modules("spades.winprob", "outcomes features candidates"),
    "spades.bis.cutthroat",
    "spades.baselines",
    "arena.engine.choose_bid",
    "spades.bis.blind_nil",
    "spades.levels",
    "arena.engine.deal",
    *_modules("spades.play", "tricks wrp"),
    *_modules("spades.play.srp", "goals leads follow nils player"),
    "spades.play.solo",
    *_modules("arena.players", "unseen uct choose_card"),
    *_modules("arena.engine", "passing outcomes winprob game"),
    *_modules("arena.players", "weighted_deals touching decisions search"),
    *_modules("arena.engine", "replay habits"),
    "arena.people.inputs",
    "arena.engine.cutthroat",
    *_modules("arena.public", "trickster cards_with_cats jus144tice bots"),
)
SOURCES = (
    "arena.engine.compiled_modules",
    *_modules("spades", "options policies rules tableset"),
    "spades.winprob.games",
    "spades.play.state",
    *_modules("arena.engine", "states scratch jit tables_type selfplay"),
    *KERNELS,
)

# Functions that compiled code calls through the linker, by full name (`arena.engine.jit`). Each calls only those
# before it.
LINKED = (
    "arena.players.choose_card.choose_card",
    "arena.engine.passing.exchange",
    "arena.engine.game.play_out",
    "arena.engine.deal.deal_round",
    "arena.engine.choose_bid.choose_bid",
    "arena.engine.winprob.winprob_bid",
    "arena.engine.game.bids_blind_nil",
    "arena.engine.game.bid_seat",
    "arena.engine.game.record_round",
)
