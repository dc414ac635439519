"""Table sets: which are opened from a folder, in which roles, and which are refused."""

import random

import pytest

from service.settings import Canary, Settings
from service.table_sets import MOST_SETS, open_sets
from spades.errors import TablesError
from spades.tableset import DEFAULT_DIRECTORY

# ---- what is opened -----------------------------------------------------------------------------------------------


def test_a_single_set_is_the_default(made_sets):
    directory, (version, *_) = made_sets
    settings = Settings(tables_dir=directory / version)
    sets = open_sets(settings)
    assert (sets.default.version, list(sets.by_version)) == (version, [version])
    assert open_sets(settings.model_copy(update={"tables_version": version})).default.version == version
    assert open_sets(Settings()).default.tables.directory == DEFAULT_DIRECTORY
    with pytest.raises(TablesError, match=rf"found tables {version[:3]}.*; expected 7\.7\+0$"):
        open_sets(settings.model_copy(update={"tables_version": "7.7+0"}))


def test_the_only_folder_is_the_default(folder, made_sets):
    version = made_sets[1][1]
    folder.link(version)
    (folder.path / ".being-copied").mkdir()
    (folder.path / "notes.txt").write_text("not a set")
    assert open_sets(Settings(tables_dir=folder.path)).default.version == version


@pytest.mark.slow
def test_roles_from_settings_and_from_the_file(folder, made_sets):
    one, two, three = made_sets[1]
    folder.link(one, two, three)
    settings = {"tables_version": two, "canary": f"{three}:0.25"}
    by_settings = open_sets(Settings(tables_dir=folder.path, **settings))
    folder.releases(default=two, canary=f"{three}:0.25")
    by_file = open_sets(Settings(tables_dir=folder.path))
    for sets in (by_settings, by_file):
        assert (sets.default.version, sets.canary) == (two, Canary(three, 0.25))
        assert [sets.role_of(version) for version in (one, two, three)] == [None, "default", "canary"]
        assert sets.refused == ()
    folder.releases(default=two, canary=None)
    assert open_sets(Settings(tables_dir=folder.path)).canary is None


@pytest.mark.parametrize(
    ("settings", "releases", "text"),
    [
        ({}, None, "SPADES_TABLES_VERSION is not set; expected one of {0}, {1}"),
        ({"tables_version": "1"}, None, "SPADES_TABLES_VERSION is '1'; expected one of {0}, {1}"),
        ({"tables_version": "{0}", "canary": "1:0.5"}, None, "SPADES_CANARY is '1'; expected one of {0}, {1}"),
        ({"tables_version": "{0}", "canary": "{0}:0.5"}, None, "SPADES_CANARY is {0}, the default; expected another"),
        ({"canary": "{1}:0.5"}, {"default": "{0}"}, "SPADES_CANARY is set, but .*releases.json also exists; accepted"),
        ({}, {"default": "1"}, "releases.json: default is '1'; expected one of {0}, {1}"),
        ({}, {"default": "{0}", "canary": "{1}"}, "releases.json: canary: found '{1}' .VERSION:SHARE with"),
        ({}, {"default": "{0}", "canary": "{0}:0.1"}, "releases.json: canary is {0}, the default; expected another"),
        ({}, {"default": "{0}", "canaries": "{1}"}, "releases.json: canaries: found '{1}' .*; expected an object"),
        ({}, {"default": "{0}", "shadow": "{1}"}, "releases.json: shadow: found '{1}' .there are no shadow tables any"),
        ({}, {"default": "{0}", "shadow": None}, "releases.json: shadow: found None .there are no shadow tables any"),
        ({}, {}, "releases.json: default: found .*; expected an object"),
        ({}, {"default": 3}, "releases.json: default: found 3 .*; expected an object"),
    ],
)
def test_roles_that_cannot_be(folder, made_sets, settings, releases, text):
    versions = made_sets[1][:2]

    def filled(roles):
        return {name: value.format(*versions) if type(value) is str else value for name, value in roles.items()}

    folder.link(*versions)
    if releases is not None:
        folder.releases(**filled(releases))
    found = text.format(*versions).replace("+", r"\+")
    with pytest.raises(TablesError, match=found):
        open_sets(Settings(tables_dir=folder.path, **filled(settings)))


def test_a_file_that_is_no_json_and_one_beside_a_manifest(folder, made_sets):
    version = made_sets[1][0]
    folder.link(version)
    (folder.path / "releases.json").write_text('{"default": ')
    with pytest.raises(TablesError, match=r"releases\.json: the content: found .*EOF"):
        open_sets(Settings(tables_dir=folder.path))
    copy = folder.copy(version, "7")
    (copy / "releases.json").write_text("{}")
    with pytest.raises(TablesError, match=r"releases\.json does not belong in a folder that is itself a table set"):
        open_sets(Settings(tables_dir=copy))
    with pytest.raises(TablesError, match=r"SPADES_CANARY is set, but .* is one table set"):
        open_sets(Settings(tables_dir=made_sets[0] / version, canary=Canary("1", 0.5)))


def test_folders_that_hold_too_little_or_too_much(tmp_path):
    with pytest.raises(TablesError, match=r"manifest\.json: not found, and no folders of table sets found"):
        open_sets(Settings(tables_dir=tmp_path))
    for number in range(MOST_SETS + 1):
        (tmp_path / str(number)).mkdir()
    with pytest.raises(TablesError, match=f"found {MOST_SETS + 1} table sets; expected at most {MOST_SETS}"):
        open_sets(Settings(tables_dir=tmp_path))


# ---- what is refused ----------------------------------------------------------------------------------------------


def _harm(path, rng):
    """Damage a table set so that it can't be used; return what a refusal must name, and the repair."""
    files = sorted([*path.glob("*.npy"), path / "manifest.json"])  # stamps.json says nothing to the service
    file = rng.choice(files)
    content = file.read_bytes()
    kind = rng.choice(("flipped", "cut", "missing", "wrong version"))
    if kind == "wrong version":
        moved = path.rename(path.with_name(f"{rng.random()}+0"))
        return moved.name, lambda: moved.rename(path)
    at = rng.randrange(len(content))
    if kind == "flipped":
        file.write_bytes(content[:at] + bytes([content[at] ^ rng.randrange(1, 256)]) + content[at + 1 :])
    elif kind == "cut":
        file.write_bytes(content[:at])
    else:
        file.unlink()
    return file.name, lambda: file.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.long)])
def test_every_broken_set_is_refused(folder, made_sets, count):
    """Half of the times the broken set has no role: then the others are opened. Otherwise none is."""
    one, two, _ = made_sets[1]
    folder.link(one)
    path = folder.copy(two)
    without, with_role = (Settings(tables_dir=folder.path, tables_version=version) for version in (one, two))
    rng = random.Random(count)
    for number in range(count):
        name, mend = _harm(path, rng)
        if number % 2:
            with pytest.raises(TablesError) as refused:
                open_sets(with_role)
            text = str(refused.value)
        else:
            found = open_sets(without)
            assert list(found.by_version) == [one]
            (text,) = found.refused
        assert name in text or two in text  # a default that is not there has no name of its own
        assert "found" in text or "expected" in text
        mend()
    assert set(open_sets(without).by_version) == {one, two}


def test_tables_that_the_code_cannot_use_are_refused(folder, made_sets, monkeypatch):
    version = made_sets[1][0]
    folder.link(version)

    def fail(*_):
        raise IndexError("index 7 is out of bounds")

    monkeypatch.setattr("service.table_sets.decide", fail)
    with pytest.raises(TablesError, match=r"can't use .IndexError: index 7 is out of bounds.; expected usable tables"):
        open_sets(Settings(tables_dir=folder.path))
