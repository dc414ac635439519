"""Table sets: open the table sets of a folder at the same time, and choose the one that decides a request.

The folder is one table set, or it holds one folder for each version (docs/reference/file-formats.md). `open_sets` reads
it at the start and on SIGHUP. A set whose files have not changed stays memory-mapped and is not opened again. A set
that can't be used is refused. If such a set has a role (`roles`), the whole folder is refused
(docs/adr/0061-table-sets.md).
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from service.keys import Key
from service.roles import RELEASES, Canary, Role, Roles, read_roles
from service.settings import Settings
from spades.bidder import decide
from spades.contract.bid_request import read_bid
from spades.contract.inference_request import read_inference
from spades.errors import TablesError
from spades.inference import BIDDERS, Readers, infer_from_view
from spades.manifest import MANIFEST
from spades.policies import SERVED
from spades.set_options import SetOptions, options_of
from spades.tableset import DEFAULT_DIRECTORY, TableSet, open_tables

MOST_SETS: Final = 16
_SETTINGS: Final = ("SPADES_TABLES_VERSION", "SPADES_CANARY", "SPADES_SHADOW")
# Hands for the warm-up: one for each seat, a nil, a void, high scores.
_WARM_UP_HANDS = ("AKJ62.AQ.Q.K9543", "3.8643.9752.T742", "Q74.KQ3.AJ84.Q62", "AQT9752..K83.A74", "2.T9873.6432.953")
_WARM_UP_BIDS: tuple[list[int], ...] = ([], [3], [3, 1], [4, 0, 3])


class RefusedError(TablesError):
    """A table set, or the folder, can't be used; ``reason`` is one of `metrics.REFUSALS`."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class OpenSet:
    """An open table set. Only one event loop uses it.

    ``changed`` is the reason why the set can no longer be used, or empty.
    """

    __slots__ = ("__weakref__", "changed", "options", "readers", "tables", "version")

    def __init__(self, tables: TableSet) -> None:
        self.tables = tables
        self.options: SetOptions = options_of(tables)
        self.version = tables.version
        # For inferences: the tables that turn bids into probabilities.
        self.readers: Readers = tables.readers
        self.changed = ""


class TableSets(NamedTuple):
    """The open sets and their roles. A request takes them at its start, and uses no others."""

    default: OpenSet
    by_version: Mapping[str, OpenSet]
    canary: Canary | None = None
    shadow: OpenSet | None = None
    refused: tuple[tuple[str, str], ...] = ()  # reason and text for each set of the folder that is not open

    def of_caller(self, game: object, key: Key | None) -> OpenSet:
        """Return the set that decides for a caller.

        ``game``: the request's game id. Without one, the caller is the name of the API ``key``.
        """
        caller = game if type(game) is str else None if key is None else key.name
        if self.canary is None or caller is None or not self.canary.serves(caller):
            return self.default
        return self.by_version[self.canary.version]

    def roles_of(self, opened: OpenSet) -> list[Role]:
        """Return the roles of a set; none if it only answers requests that name it."""
        canary = None if self.canary is None else self.by_version[self.canary.version]
        roles: tuple[tuple[Role, OpenSet | None], ...] = (
            ("default", self.default),
            ("canary", canary),
            ("shadow", self.shadow),
        )
        return [role for role, one in roles if one is opened]

    def __str__(self) -> str:
        text = f"default {self.default.version}"
        if self.canary is not None:
            text += f", canary {self.canary.version} for {self.canary.share:g} of the callers"
        if self.shadow is not None:
            text += f", shadow {self.shadow.version}"
        return f"{text}; open: {', '.join(self.by_version)}"


def open_sets(settings: Settings, before: TableSets | None = None) -> TableSets:
    """Open and check the table sets of the folder, and decide some positions with each.

    ``before``: the sets that are open now; unchanged sets are reused instead of opened again. Raises `RefusedError` if
    the roles can't be used, or if a set with a role can't be used.
    """
    paths, roles = _folder(settings)
    open_before = {} if before is None else {each.tables.directory: each for each in before.by_version.values()}
    needed = (roles.default, roles.shadow, roles.canary and roles.canary.version)
    opened: dict[str, OpenSet] = {}
    refused: list[tuple[str, str]] = []
    for name, path in paths.items():
        try:
            table_set = open_before.get(path.resolve())
            if table_set is None or table_set.changed or table_set.tables.changed_file() is not None:
                table_set = _open(path)
            _check_version(table_set.tables, name, path)
            opened[table_set.version] = table_set
        except RefusedError as error:
            if name in needed:
                raise
            # Keep only the text: the error's traceback would keep the old sets in memory.
            refused.append((error.reason, str(error)))
    default = next(iter(opened.values())) if roles.default is None else opened[roles.default]
    shadow = None if roles.shadow is None else opened[roles.shadow]
    return TableSets(default, MappingProxyType(opened), roles.canary, shadow, tuple(refused))


def _folder(settings: Settings) -> tuple[dict[str | None, Path], Roles]:
    """Return the folder of each set by version, and the roles.

    If the folder is one set and no setting names its version, its key is None.
    """
    folder = DEFAULT_DIRECTORY if settings.tables_dir is None else settings.tables_dir
    releases = folder / RELEASES
    try:
        if (folder / MANIFEST).exists():
            return _single(settings, folder, releases)
        paths: dict[str | None, Path] = {path.name: path for path in sorted(folder.iterdir()) if _is_candidate(path)}
        roles = _roles(settings, releases)
    except OSError as error:
        raise _folder_error(f"{folder}: can't be read ({error.strerror}); expected table sets") from error
    if not paths:
        wanted = f"{MANIFEST}, or one folder for each version"
        raise _folder_error(f"{folder / MANIFEST}: not found, and no folders of table sets found; expected {wanted}")
    if len(paths) > MOST_SETS:
        raise _folder_error(f"{folder}: found {len(paths)} table sets; expected at most {MOST_SETS}")
    if roles.default is None and len(paths) == 1:
        roles = roles._replace(default=next(iter(paths)))
    _check_roles(roles, paths)
    return paths, roles


def _is_candidate(path: Path) -> bool:
    return path.is_dir() and not path.name.startswith(".")


def _single(settings: Settings, folder: Path, releases: Path) -> tuple[dict[str | None, Path], Roles]:
    if releases.exists():
        error = f"{releases} does not belong in a folder that is itself a table set"
        raise _folder_error(f"{error}; accepted: beside folders of table sets")
    for name, value in (("SPADES_CANARY", settings.canary), ("SPADES_SHADOW", settings.shadow)):
        if value is not None:
            raise _folder_error(f"{name} is set, but {folder} is one table set; expected one folder for each version")
    roles = Roles(settings.tables_version, None, None, _SETTINGS)
    return {roles.default: folder}, roles


def _roles(settings: Settings, releases: Path) -> Roles:
    values = (settings.tables_version, settings.canary, settings.shadow)
    if not releases.exists():
        return Roles(*values, _SETTINGS)
    named = [name for name, value in zip(_SETTINGS, values, strict=True) if value is not None]
    if named:
        raise _folder_error(f"{named[0]} is set, but {releases} also exists; accepted: only one of them")
    try:
        return read_roles(releases)
    except TablesError as error:
        raise _folder_error(str(error)) from None


def _check_roles(roles: Roles, paths: Mapping[str | None, Path]) -> None:
    """Raise `RefusedError` if there is no default, a role names no folder, or another role names the default."""
    if roles.default is None:
        raise _folder_error(f"{roles.names[0]} is not set; expected one of {_listed(paths)}")
    versions = (roles.default, None if roles.canary is None else roles.canary.version, roles.shadow)
    for name, version in zip(roles.names, versions, strict=True):
        if version is not None:
            _check_known(version, name, paths)
    for name, version in zip(roles.names[1:], versions[1:], strict=True):
        if version == roles.default:
            raise _folder_error(f"{name} is {version}, the default; expected another version")


def _check_known(version: str, name: str, paths: Mapping[str | None, Path]) -> None:
    if version not in paths:
        raise _folder_error(f"{name} is {version!r}; expected one of {_listed(paths)}")


def _listed(paths: Iterable[str | None]) -> str:
    return ", ".join(map(str, paths))


def _folder_error(text: str) -> RefusedError:
    return RefusedError("folder", text)


def _open(path: Path) -> OpenSet:
    real = path.resolve()  # resolve links now: a later change of the link does not change the open set
    try:
        opened = OpenSet(open_tables(real))
    except TablesError as error:
        text = str(error)
        raise RefusedError("content", text if str(real) in text else f"{real}: {text}") from error
    try:
        _warm_up(opened)
    except Exception as error:  # whatever the code raises on tables that it was not written for
        detail = f"{type(error).__name__}: {error}"
        text = f"{path}: found tables {opened.version}, which the code can't use ({detail}); expected usable tables"
        raise RefusedError("unusable", text) from error
    return opened


def _check_version(tables: TableSet, name: str | None, path: Path) -> None:
    if name is not None and name != tables.version:
        raise RefusedError("version", f"{path}: found tables {tables.version}; expected {name}")


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
    for bidder in BIDDERS:
        viewed = read_inference({"hand": _WARM_UP_HANDS[0], "bids": [3, 1], "seat": 2, "policy": bidder})
        infer_from_view(viewed.view, viewed.bids, viewed.rules, opened.readers)
