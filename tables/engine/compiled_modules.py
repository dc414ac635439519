"""Lists of modules for `tables.engine.jit`.

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
    "tables.engine.choose_bid",
    "spades.bis.blind_nil",
    "spades.levels",
    "tables.engine.deal",
    *_modules("spades.play", "tricks wrp"),
    *_modules("spades.play.srp", "goals leads follow nils player"),
    "spades.play.solo",
    *_modules("tables.players", "unseen uct choose_card"),
    *_modules("tables.engine", "passing outcomes winprob game"),
    *_modules("tables.players", "weighted_deals touching decisions search"),
    *_modules("tables.logs", "replay habits"),
    "tables.people.inputs",
    "tables.engine.cutthroat",
    *_modules("tables.arena.public", "trickster cards_with_cats jus144tice bots"),
)
SOURCES = (
    "tables.engine.compiled_modules",
    *_modules("spades", "options policies rules tableset"),
    "spades.winprob.games",
    "spades.play.state",
    *_modules("tables.engine", "states scratch jit tables_type selfplay"),
    *KERNELS,
)

# Functions that compiled code calls through the linker, by full name (`tables.engine.jit`). Each calls only those
# before it.
LINKED = (
    "tables.players.choose_card.choose_card",
    "tables.engine.passing.exchange",
    "tables.engine.game.play_out",
    "tables.engine.deal.deal_round",
    "tables.engine.choose_bid.choose_bid",
    "tables.engine.winprob.winprob_bid",
    "tables.engine.game.bids_blind_nil",
    "tables.engine.game.bid_seat",
    "tables.engine.game.record_round",
)
