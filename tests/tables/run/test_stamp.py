"""Small builds and stamps."""

import json

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.errors import BuildError
from tables import __main__ as cli
from tables.run import stamp as stamp_module
from tables.run.build import build
from tables.run.family import Family
from tables.run.stamp import VERSIONS, read_stamps, small_build, sums_of, write_stamps


def family(name, value=0.0):
    def make(context):
        return {name: np.full(context.size("rounds"), value)}

    return Family(name, 1, make, {name: ("round",)}, sizes={"rounds": 20_000})


DICE = family("dice")


@pytest.fixture(autouse=True)
def folder_of_small_builds(tmp_path, monkeypatch):
    monkeypatch.setattr(stamp_module, "SMALL_BUILDS", tmp_path / "small")


def test_small_builds_are_scaled_and_removed(tmp_path, monkeypatch):
    sums = small_build({"dice"}, LocalThreads(1), (DICE, family("more")))
    assert set(sums) == {"dice"}
    assert sums != small_build({"dice"}, LocalThreads(1), (family("dice", 1.0),))
    assert sums == small_build({"dice"}, LocalThreads(1), (DICE,))
    monkeypatch.setattr(stamp_module, "ROUNDS_SCALE", 0.002)
    assert sums != small_build({"dice"}, LocalThreads(1), (DICE,))
    assert list((tmp_path / "small").iterdir()) == []


def test_stamps_are_read_back(tmp_path):
    write_stamps(tmp_path / "stamps.json", {"dice": "5f0c"})
    assert read_stamps(tmp_path / "stamps.json") == {"dice": "5f0c"}


@pytest.mark.parametrize("text", ["{", "[]", '{"small": {}}', '{"versions": {}, "small": 1}'])
def test_damaged_stamps_are_named(tmp_path, text):
    (tmp_path / "stamps.json").write_text(text)
    with pytest.raises(BuildError, match=r"stamps\.json: found no stamps"):
        read_stamps(tmp_path / "stamps.json")


def test_stamps_of_other_libraries_are_refused(tmp_path):
    content = {"versions": {**VERSIONS, "numpy": "1.0"}, "small": {"dice": "5f0c"}}
    (tmp_path / "stamps.json").write_text(json.dumps(content))
    with pytest.raises(BuildError, match=r"stamps\.json: made with .*'numpy': '1.0'.*; accepted: "):
        read_stamps(tmp_path / "stamps.json")


def test_command_line(tmp_path, capsys, monkeypatch):
    stamps = tmp_path / "stamps.json"
    monkeypatch.setattr(stamp_module, "STAMPS", stamps)
    # Another test may make the same families in the usual folder for chunks, which lets in one at a time.
    monkeypatch.setitem(build.__kwdefaults__, "checkpoints", tmp_path / "work")
    data = tmp_path / "data"
    assert cli.main(["build", "--only", "p_length", "ruffs", "--out", str(data)]) == 0
    small = sums_of(data)  # exact families are not scaled
    assert cli.main(["stamp", "--only", "ruffs", "--jobs", "1"]) == 1
    assert "found no stamps" in capsys.readouterr().err
    write_stamps(stamps, {"cnil": "5f0c", "ruffs": "5f0c"})
    assert cli.main(["stamp", "--only", "ruffs", "--jobs", "1"]) == 1
    assert [line.split() for line in capsys.readouterr().out.splitlines()[-2:]] == [
        ["p_length", "no", "stamp"],
        ["ruffs", "different"],
    ]
    assert cli.main(["stamp", "--only", "ruffs", "--write", "--jobs", "1"]) == 0
    assert read_stamps(stamps) == {"cnil": "5f0c", **small}
    assert cli.main(["stamp", "--only", "ruffs", "--jobs", "1"]) == 0
    assert cli.main(["stamp", "--only", "nothing"]) == 1
    assert "family is 'nothing'" in capsys.readouterr().err
