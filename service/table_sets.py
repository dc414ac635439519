"""Table sets: open the table sets of a folder side by side, and choose the one that decides a request.

The folder is one table set, or it holds one folder for each version (docs/reference/file-formats.md). A set may have a
role: the default answers, and the canary answers a share of the callers. The file releases.json in the folder, or the
settings, name the roles. All of this is read once, when a worker starts. If a set with a role can't be used, the worker
does not start; a set without a role is left out (docs/adr/0061-table-sets.md).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired

from pydantic import BeforeValidator, StrictStr, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from service.keys import Key
from service.settings import Canary, Settings, read_canary
from spades.bidder import decide
from spades.contract.bid_request import read_bid
from spades.contract.card_request import card_answer, read_card
from spades.contract.inference_request import read_inference
from spades.errors import TablesError
from spades.inference import BIDDERS, Readers, infer_from_view
from spades.manifest import MANIFEST
from spades.play import check_net
from spades.policies import SERVED
from spades.set_options import SetOptions, options_of
from spades.tableset import DEFAULT_DIRECTORY, TableSet, open_tables

Role = Literal["default", "canary"]
RELEASES: Final = "releases.json"
MOST_SETS: Final = 16
# Hands for the warm-up: one for each seat, a nil, a void, high scores.
_WARM_UP_HANDS = ("AKJ62.AQ.Q.K9543", "3.8643.9752.T742", "Q74.KQ3.AJ84.Q62", "AQT9752..K83.A74", "2.T9873.6432.953")
_WARM_UP_BIDS: tuple[list[int], ...] = ([], [3], [3, 1], [4, 0, 3])


class OpenSet:
    """An open table set. ``changed`` is the reason why it can no longer be used, or empty."""

    def __init__(self, tables: TableSet) -> None:
        self.tables = tables
        self.options: SetOptions = options_of(tables)
        self.version = tables.version
        # For inferences: the tables that turn bids into probabilities.
        self.readers: Readers = tables.readers
        self.changed = ""


class TableSets(NamedTuple):
    """The open sets and their roles."""

    default: OpenSet
    by_version: Mapping[str, OpenSet]
    canary: Canary | None = None
    refused: tuple[str, ...] = ()  # why each of the folder's other sets is not open

    def of_caller(self, game: object, key: Key | None) -> OpenSet:
        """Return the set that decides for a caller.

        ``game``: the request's game id. Without one, the caller is the name of the API ``key``.
        """
        caller = game if type(game) is str else None if key is None else key.name
        if self.canary is None or caller is None or not self.canary.serves(caller):
            return self.default
        return self.by_version[self.canary.version]

    def role_of(self, version: str) -> Role | None:
        """Return the role of an open set; None if it only answers requests that name it."""
        if version == self.default.version:
            return "default"
        return "canary" if self.canary is not None and version == self.canary.version else None

    def __str__(self) -> str:
        text = f"default {self.default.version}"
        if self.canary is not None:
            text += f", canary {self.canary.version} for {self.canary.share:g} of the callers"
        return f"{text}; open: {', '.join(self.by_version)}"


def open_sets(settings: Settings) -> TableSets:
    """Open and check the table sets of the folder, and decide some positions with each.

    Raises `TablesError` if the roles can't be used, or if a set with a role can't be used.
    """
    folder = DEFAULT_DIRECTORY if settings.tables_dir is None else settings.tables_dir
    try:
        if (folder / MANIFEST).exists():
            return _single_set(folder, settings)
        paths = {path.name: path for path in sorted(folder.iterdir()) if _is_candidate(path)}
        default, canary = _roles(folder / RELEASES, settings, list(paths))
    except OSError as error:
        raise TablesError(f"{folder}: can't be read ({error.strerror}); expected table sets") from error
    opened: dict[str, OpenSet] = {}
    refused: list[str] = []
    for version, path in paths.items():
        try:
            opened[version] = _open(path, version)
        except TablesError as error:
            if version == default or (canary is not None and version == canary.version):
                raise
            refused.append(str(error))
    return TableSets(opened[default], opened, canary, tuple(refused))


def _is_candidate(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith(".")


def _single_set(folder: Path, settings: Settings) -> TableSets:
    """Open the folder itself, which is one table set."""
    if (folder / RELEASES).exists():
        error = f"{folder / RELEASES} does not belong in a folder that is itself a table set"
        raise TablesError(f"{error}; accepted: beside folders of table sets")
    if settings.canary is not None:
        raise TablesError(f"SPADES_CANARY is set, but {folder} is one table set; expected one folder for each version")
    opened = _open(folder, settings.tables_version)
    return TableSets(opened, {opened.version: opened})


def _roles(releases: Path, settings: Settings, versions: list[str]) -> tuple[str, Canary | None]:
    """Return the default and the canary that ``releases`` or the settings name, of the ``versions`` in the folder.

    Raises `TablesError` if the folder has none or too many, or not those in the roles.
    """
    if not versions:
        wanted = f"{MANIFEST}, or one folder for each version"
        manifest = releases.with_name(MANIFEST)
        raise TablesError(f"{manifest}: not found, and no folders of table sets found; expected {wanted}")
    if len(versions) > MOST_SETS:
        raise TablesError(f"{releases.parent}: found {len(versions)} table sets; expected at most {MOST_SETS}")
    default, canary = settings.tables_version, settings.canary
    default_name, canary_name = "SPADES_TABLES_VERSION", "SPADES_CANARY"
    if releases.exists():
        for name, value in ((default_name, default), (canary_name, canary)):
            if value is not None:
                raise TablesError(f"{name} is set, but {releases} also exists; accepted: only one of them")
        named = read_releases(releases)
        default, canary = named["default"], named.get("canary")
        default_name, canary_name = f"{releases}: default", f"{releases}: canary"
    elif default is None and len(versions) == 1:
        default = versions[0]
    listed = ", ".join(versions)
    if default is None:
        raise TablesError(f"{default_name} is not set; expected one of {listed}")
    if default not in versions:
        raise TablesError(f"{default_name} is {default!r}; expected one of {listed}")
    if canary is not None and canary.version not in versions:
        raise TablesError(f"{canary_name} is {canary.version!r}; expected one of {listed}")
    if canary is not None and canary.version == default:
        raise TablesError(f"{canary_name} is {default}, the default; expected another version")
    return default, canary


def _no_shadow(_: Any) -> None:
    raise ValueError("there are no shadow tables any more: remove it")


@with_config({"extra": "forbid"})
class Releases(TypedDict):
    """The content of releases.json."""

    default: StrictStr
    canary: NotRequired[Annotated[Canary | None, BeforeValidator(read_canary)]]
    shadow: NotRequired[Annotated[None, BeforeValidator(_no_shadow)]]  # only for the text of its error


_RELEASES = TypeAdapter(Releases)


def read_releases(path: Path) -> Releases:
    """Return the content of the file releases.json; raise `TablesError`."""
    try:
        return _RELEASES.validate_json(path.read_bytes())
    except OSError as error:
        raise TablesError(f"{path}: can't be read ({error.strerror}); expected a readable file") from None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"])) or "the content"
        text = fault.get("ctx", {}).get("error", fault["msg"])
        raise TablesError(
            f"{path}: {where}: found {fault['input']!r:.80} ({text}); expected an object with default and, if "
            'needed, canary, such as {"default": "2026.11.9+fedcf0a0", "canary": "2026.12.1+0c4b5a6d:0.05"}'
        ) from None


def _open(path: Path, version: str | None) -> OpenSet:
    """Return the set in ``path``, ready to decide; raise `TablesError` if it can't be used or is no ``version``."""
    real = path.resolve()  # a later change of a link does not change the open set
    try:
        opened = OpenSet(open_tables(real))
    except TablesError as error:
        text = str(error)
        raise TablesError(text if str(real) in text else f"{real}: {text}") from error
    if version is not None and version != opened.version:
        raise TablesError(f"{path}: found tables {opened.version}; expected {version}")
    try:
        _warm_up(opened)
    except Exception as error:  # whatever the code raises on tables that it was not written for
        detail = f"{type(error).__name__}: {error}"
        text = f"{path}: found tables {opened.version}, which the code can't use ({detail}); expected usable tables"
        raise TablesError(text) from error
    return opened


def _warm_up(opened: OpenSet) -> None:
    """Decide some positions, to fill caches, page in the tables and detect tables that the code can't use."""
    tables = opened.tables
    for hand in _WARM_UP_HANDS:
        for bids in _WARM_UP_BIDS:
            for policy in SERVED:
                scores = {"us": 420, "them": 410}
                request = {"hand": hand, "previous_bids": bids, "policy": policy, "scores": scores}
                call = read_bid(request, options=opened.options)
                decide(call.position, call.policy, tables)
    if tables.card_net is not None:
        check_net(tables.card_net)
    card_answer(read_card({"hand": _WARM_UP_HANDS[0], "bids": [3, 1, 5, 4], "seat": 0}), tables)
    for bidder in BIDDERS:
        viewed = read_inference({"hand": _WARM_UP_HANDS[0], "bids": [3, 1], "seat": 2, "policy": bidder})
        infer_from_view(viewed.view, viewed.bids, viewed.rules, opened.readers)
