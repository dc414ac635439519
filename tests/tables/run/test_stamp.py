"""Small builds and stamps: what is compared with what, and what the result changes."""

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.errors import BuildError
from tables import __main__ as cli
from tables.run import stamp as stamp_module
from tables.run.family import Family
from tables.run.stamp import VERSIONS, compare, small_build, stamp, sums_of
from tables.run.state import STAMPS, Stamp, files_of, read_stamps, write_stamps

SCALE = 0.1
OTHER_LIBRARIES = {**VERSIONS, "numpy": "1.0"}


def family(name, value=0.0):
    def make(context):
        return {name: np.full(context.size("rounds"), value)}

    return Family(name, 1, make, {name: ("round",)}, sizes={"rounds": 20})


DICE = family("dice")
NOW = files_of(DICE)
SAME = Stamp(NOW, "small", SCALE, VERSIONS)


@pytest.fixture(autouse=True)
def folder_of_small_builds(tmp_path, monkeypatch):
    monkeypatch.setattr(stamp_module, "SMALL_BUILDS", tmp_path / "small")


@pytest.mark.parametrize(
    ("old", "base", "result", "new"),
    [
        (None, None, "no stamp", None),
        (None, {"dice": "small"}, "same", SAME),
        (None, {"dice": "old"}, "different", Stamp(None, "old", SCALE, VERSIONS, NOW)),
        (None, {"net": "small"}, "not in the base", None),
        (Stamp(NOW), None, "new", SAME),  # this code has just built it
        (Stamp("5f0c"), None, "nothing of this size", Stamp("5f0c")),
        (Stamp("5f0c"), {"dice": "small"}, "same", SAME),
        (Stamp("5f0c", "small", SCALE, VERSIONS), None, "same", SAME),
        (Stamp("5f0c", "small", SCALE, OTHER_LIBRARIES), None, "same", SAME),
        (Stamp("5f0c", "old", SCALE, VERSIONS), None, "different", Stamp("5f0c", "old", SCALE, VERSIONS, NOW)),
        (Stamp("5f0c", "old", SCALE, OTHER_LIBRARIES), None, "different, with other libraries", None),
        (Stamp("5f0c", "old", SCALE, OTHER_LIBRARIES), {"dice": "small"}, "same", SAME),
        (Stamp("5f0c", "old", 0.2, VERSIONS), None, "nothing of this size", None),
        (Stamp(NOW, "old", 0.2, VERSIONS), None, "new", SAME),
        (Stamp("5f0c", "small", SCALE, VERSIONS, NOW), None, "same", SAME),  # it differed before
        (Stamp(NOW, "old", SCALE, VERSIONS), None, "different", Stamp(None, "old", SCALE, VERSIONS, NOW)),
    ],
)
def test_results_of_a_comparison(old, base, result, new):
    found, stamped = compare(DICE, old, "small", SCALE, base)
    assert found.startswith(result)
    assert found == result or "--base" in found  # says what to do
    assert stamped == (old if new is None else new)


def test_small_builds_are_scaled_and_removed(tmp_path):
    sums = small_build({"dice"}, SCALE, LocalThreads(1), (DICE, family("more")))
    assert set(sums) == {"dice"}
    assert sums != small_build({"dice"}, 2 * SCALE, LocalThreads(1), (DICE,))
    assert sums != small_build({"dice"}, SCALE, LocalThreads(1), (family("dice", 1.0),))
    assert sums == small_build({"dice"}, SCALE, LocalThreads(1), (DICE,))
    assert list((tmp_path / "small").iterdir()) == []


def test_only_what_was_compared_gets_a_stamp(tmp_path):
    families = (DICE, family("same"), family("untouched"))
    write_stamps(tmp_path, {"dice": Stamp("5f0c"), "untouched": Stamp("5f0c")})
    said: list[str] = []
    stamp(tmp_path, {"dice": "a", "same": "b"}, {"dice": "c", "same": "b"}, SCALE, families, said.append)
    assert read_stamps(tmp_path) == {
        "dice": Stamp("5f0c", "c", SCALE, VERSIONS, NOW),
        "same": Stamp(NOW, "b", SCALE, VERSIONS),
        "untouched": Stamp("5f0c"),
    }
    assert [line.split(maxsplit=1) for line in said[0].splitlines()[2:]] == [["dice", "different"], ["same", "same"]]


def test_command_line(tmp_path, capsys):
    data = tmp_path / "data"
    assert cli.main(["build", "--only", "p_length", "ruffs", "--out", str(data)]) == 0
    small = sums_of(data)  # exact families are not scaled
    files = {name: one.files for name, one in read_stamps(data).items()}
    assert cli.main(["stamp", "--only", "ruffs", "--dir", str(data), "--jobs", "1"]) == 0
    assert read_stamps(data) == {
        name: Stamp(files[name], small[name], 0.001, VERSIONS) for name in ("p_length", "ruffs")
    }
    write_stamps(data, {})
    assert cli.main(["stamp", "--base", "HEAD", "--only", "p_length", "--dir", str(data), "--jobs", "1"]) == 0
    assert read_stamps(data) == {"p_length": Stamp(files["p_length"], small["p_length"], 0.001, VERSIONS)}
    assert "same" in capsys.readouterr().out
    for arguments, message in (
        (["--rounds-scale", "2"], "--rounds-scale is 2.0; accepted: a number above 0 and at most 1"),
        (["--only", "nothing"], "family is 'nothing'"),
        (["--only", "p_length", "--base", "nothing"], "nothing"),
    ):
        assert cli.main(["stamp", "--dir", str(data), *arguments]) == 1
        assert message in capsys.readouterr().err


def test_a_build_that_fails_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.executable", "false")
    with pytest.raises(BuildError, match="the small build of HEAD ended with exit code 1"):
        stamp_module.small_build_of("HEAD", {"p_length"}, SCALE, 1)
    assert not (tmp_path / STAMPS).exists()
