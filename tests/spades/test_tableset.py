"""Opening the tables: both forms of valid tables have the same values; errors name the damaged file and the reason."""

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spades import tableset
from spades.errors import TablesError
from spades.inference.holders import readers_of
from spades.manifest import MANIFEST, RESEARCH, SEAL, is_research, path_of, read_manifest, sealed
from spades.tables import PARTNERSHIP_PROFILE, Tables, dtypes_of
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from spades.winprob.games import WIN_CELLS

LARGE = 500_000  # bytes


@pytest.fixture
def directory(tmp_path):
    """A copy of the committed tables, which a test can damage. Its large files are links: a test replaces them."""

    def copy(source, target):
        (os.link if Path(source).stat().st_size > LARGE else shutil.copy2)(source, target)

    def changed_at():
        return {path: path.stat().st_mtime_ns for path in DEFAULT_DIRECTORY.rglob("*.npy")}

    before = changed_at()
    yield shutil.copytree(DEFAULT_DIRECTORY, tmp_path / "data", copy_function=copy)
    assert changed_at() == before, "a test wrote into a link to a committed table"


def edit(directory, change):
    """Apply ``change`` to the manifest's JSON, and update its checksum."""
    path = directory / MANIFEST
    content = json.loads(path.read_text())
    del content[SEAL]
    change(content)
    path.write_bytes(sealed(content))


def test_committed_tables_open():
    tables = open_tables()
    assert tables.directory == DEFAULT_DIRECTORY
    release, _, digits = tables.version.partition("+")
    assert release == tables.manifest.release
    assert digits == tables.sha256[:8]
    assert len(tables.sha256) == 64
    assert {"p_length", "cnil"} <= set(tables.families)
    assert tables.families["cnil"].exact
    assert tables.families["cnil"].seed is None


def test_mean_bids_are_bids():
    mean_bids = open_tables().arrays["mean_bids"]
    assert (mean_bids >= 0).all()
    assert (mean_bids <= 13).all()


def test_research_arrays_are_those_that_nothing_here_reads():
    tables = open_tables()
    assert all(dtypes_of(name) or name.startswith(("prior_", "holders_", "card_net_")) for name in tables.arrays)
    assert not any(map(dtypes_of, tables.research))
    readers_of(tables.arrays)
    assert tables.card_net is not None
    assert {f"{name}.npy" for name in [*tables.arrays, *tables.research]} == set(tables.manifest.files)
    assert {path.stem for path in (DEFAULT_DIRECTORY / RESEARCH).iterdir()} == set(tables.research)


def test_tables_open_without_research_arrays(directory):
    shutil.rmtree(directory / RESEARCH)
    tables = open_tables(directory)
    assert tables.arrays.keys() == open_tables().arrays.keys()
    with pytest.raises(TablesError, match=rf"{RESEARCH}/big5_held_out\.npy: not found; expected 608 bytes"):
        _ = tables.research


def test_research_arrays_may_lie_beside_the_manifest_as_in_older_tables(directory):
    for path in (directory / RESEARCH).iterdir():
        path.rename(directory / path.name)
    tables = open_tables(directory)
    assert all(map(is_research, tables.research))
    assert path_of(directory, "held_out.npy") == directory / "held_out.npy"


def test_views_read_the_same_bytes():
    tables = open_tables()
    assert (
        Tables._fields
        == tuple(tables.kernel[PARTNERSHIP_PROFILE]._asdict())
        == tuple(tables.kernel_arrays[PARTNERSHIP_PROFILE]._asdict())
    )
    for name, view in tables.kernel[PARTNERSHIP_PROFILE]._asdict().items():
        array = getattr(tables.kernel_arrays[PARTNERSHIP_PROFILE], name)
        assert isinstance(view, memoryview)
        assert type(array) is np.ndarray
        assert view.shape == array.shape
        assert view.readonly
        assert not array.flags.writeable
        assert array.flags.c_contiguous
        assert view.tobytes() == array.tobytes()
        middle = tuple(size // 2 for size in array.shape)
        assert view[middle] == array[middle]
    assert type(tables.kernel[PARTNERSHIP_PROFILE].p_length[2, 11, 1]) is float
    assert round(tables.kernel[PARTNERSHIP_PROFILE].p_length[2, 11, 1], 4) == 0.2281
    assert tables.kernel[PARTNERSHIP_PROFILE].cnil.shape == (2, 8192)
    assert round(tables.kernel[PARTNERSHIP_PROFILE].cnil[0, 1 << 10], 4) == 0.5714  # the singleton queen of a side suit


def test_arrays_are_read_only():
    tables = open_tables()
    with pytest.raises(ValueError, match="read-only"):
        tables.arrays["p_length"][0, 0, 0] = 0.0
    with pytest.raises(TypeError, match="read-only"):
        tables.kernel[PARTNERSHIP_PROFILE].p_length[0, 0, 0] = 0.0


def test_the_manifest_is_what_it_says_of_itself(directory):
    """A changed text, which no file's checksum covers, is refused like a changed table."""
    path = directory / MANIFEST
    text = path.read_text()
    for before, after in (('"places": 13', '"places": 14'), ('"generator": 1', '"generator": 2')):
        assert before in text
        path.write_text(text.replace(before, after, 1))
        with pytest.raises(TablesError, match=r"manifest\.json: found content with sha256 \w{64}; expected \w{64}"):
            open_tables(directory)
    content = json.loads(text)
    del content[SEAL]
    path.write_text(json.dumps(content))
    with pytest.raises(TablesError, match="found sha256 None; expected a string"):
        open_tables(directory)


@pytest.mark.parametrize("respell", [json.dumps, str.rstrip, lambda text: text.replace("\n", "\r\n")])
def test_another_spelling_of_the_manifest(directory, respell):
    path = directory / MANIFEST
    text = path.read_text()
    path.write_bytes(respell(json.loads(text) if respell is json.dumps else text).encode())
    with pytest.raises(TablesError, match=r"manifest\.json: found the right content in another form"):
        open_tables(directory)


def test_content_changes_the_version(directory):
    before = read_manifest(directory)
    edit(directory, lambda content: content["families"]["cnil"].update(generator=99))
    after = read_manifest(directory)
    assert after.release == before.release
    assert after.version != before.version


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 1919), flip=st.integers(1, 255))
def test_any_changed_byte_is_found(directory, at, flip):
    path = directory / "p_length.npy"
    good = path.read_bytes()
    entry = read_manifest(directory).files["p_length.npy"]
    try:
        path.write_bytes(good[:at] + bytes([good[at] ^ flip]) + good[at + 1 :])
        with pytest.raises(TablesError, match=r"p_length\.npy"):
            tableset.open_array(directory, "p_length.npy", entry)
    finally:
        path.write_bytes(good)


def replaced(directory, content, array_name="p_length", **changes):
    """Replace a file by an array or by bytes, with a manifest that has the right size and sha256."""
    path = directory / f"{array_name}.npy"
    path.unlink()  # it may be a link
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content)
    data = path.read_bytes()
    true = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **changes}
    edit(directory, lambda manifest: manifest["files"][f"{array_name}.npy"].update(true))


@pytest.mark.parametrize(
    ("name", "harm", "message"),
    [
        ("cnil.npy", Path.unlink, "not found; expected 393344 bytes with sha256 [0-9a-f]{64}"),
        ("p_length.npy", lambda path: path.write_bytes(path.read_bytes()[:-8]), "found 1912 bytes; expected 1920"),
        (
            "p_length.npy",
            lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x01"),
            "found sha256 [0-9a-f]{64}; expected [0-9a-f]{64}",
        ),
        (
            "p_length.npy",
            lambda path: replaced(path.parent, path.read_bytes() + b"more"),
            "found 1924 bytes; expected 1920",
        ),
        ("other.npy", lambda path: np.save(path, np.zeros(3)), r"found a file that is not in manifest\.json"),
        (MANIFEST, lambda path: shutil.rmtree(path.parent), "not found"),
        (MANIFEST, lambda path: (path.unlink(), path.mkdir()), "can't be read"),
        (MANIFEST, lambda path: path.write_bytes(b'{"format": "\xff"}'), "found no JSON"),
    ],
    ids=["missing", "short", "changed", "bytes behind", "stray", "no folder", "a folder", "encoding"],
)
def test_damaged_files(directory, name, harm, message):
    harm(directory / name)
    with pytest.raises(TablesError, match=f"{re.escape(name)}: {message}"):
        open_tables(directory)


@pytest.mark.parametrize(
    ("content", "changes", "message"),
    [
        (np.zeros((4, 14, 3)), {}, r"found shape.*\(4, 14, 3\).*expected.*\(4, 14, 4\)"),
        (np.zeros((4, 14, 4), "<f4"), {}, "found.*'<f4'.*expected.*'<f8'"),
        (np.asfortranarray(np.zeros((4, 14, 4))), {}, "found.*'Fortran'.*expected.*'C'"),
        (b"not an array at all", {}, "found no npy header"),
        # What the kernels do not read
        (np.zeros((4, 14, 4), "<u2"), {"dtype": "<u2"}, "found dtype <u2; expected <f8"),
        (
            np.zeros((5, 21), np.float32),
            {"array_name": "net_out", "shape": [5, 21]},
            r"found shape \(5, 21\); expected \(5, 30\)",
        ),
        # Code with other games made them, so the places of the tables differ
        (
            np.zeros(1000, "<u2"),
            {"array_name": "win", "shape": (1000,)},
            rf"found shape \(1000,\); expected \({WIN_CELLS},\) for this code",
        ),
    ],
    ids=["shape", "dtype", "order", "no header", "type of the kernels", "net", "win tables"],
)
def test_wrong_arrays(directory, content, changes, message):
    replaced(directory, content, **changes)
    with pytest.raises(TablesError, match=rf"{changes.get('array_name', 'p_length')}\.npy: {message}"):
        open_tables(directory)


def test_a_net_without_later_nils_bids_as_it_did(directory):
    """Until tables 2026.11.27 a net had 20 outcomes: five ways of our side by four of theirs."""
    layer = np.random.default_rng(1).normal(size=(5, 20)).astype(np.float32)
    replaced(directory, layer, array_name="net_out", shape=[5, 20])
    odds = np.exp(np.ones(5) @ open_tables(directory).kernel_arrays[PARTNERSHIP_PROFILE].net_out)
    old = np.exp(np.ones(5) @ layer)
    by_way = (odds / odds.sum()).reshape(6, 5)
    np.testing.assert_allclose(by_way[:5, :4].ravel(), old / old.sum(), rtol=1e-6)
    assert max(by_way[5].max(), by_way[:, 4].max()) < 1e-9


@pytest.mark.parametrize("dtype", ["<f4", "<f8"])
def test_curves_of_older_tables_open(directory, dtype):
    """Older tables have float64; a cell reads as the same Python float in both types."""
    curves = np.linspace(0.0, 1.0, 2955 * 101).reshape(2955, 101).astype("<f4").astype(dtype)
    replaced(directory, curves, array_name="curves", dtype=dtype)
    opened = open_tables(directory).kernel[PARTNERSHIP_PROFILE].curves
    assert opened.format == np.dtype(dtype).char
    assert type(opened[7, 50]) is float
    assert opened[7, 50] == float(curves[7, 50])


@pytest.mark.parametrize("text", ["", "{", "nonsense", "[" * 100_000, '{"format": 1'])
def test_broken_json(directory, text):
    (directory / MANIFEST).write_text(text)
    with pytest.raises(TablesError, match=r"manifest\.json: found no JSON"):
        open_tables(directory)


@pytest.mark.parametrize("number", [0, 2, "1", None, True])
def test_other_format(directory, number):
    edit(directory, lambda content: content.update(format=number))
    with pytest.raises(TablesError, match=r"manifest\.json: found format .*; expected 1"):
        open_tables(directory)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.pop("version"), "found version None; expected a string"),
        (lambda m: m.update(files=[]), r"found files \[\]; expected an object"),
        (lambda m: m["files"].update({"cnil.npy": 3}), r"cnil\.npy: found int; expected an object"),
        (lambda m: m["files"]["cnil.npy"].pop("sha256"), r"cnil\.npy: found sha256 None; expected a string"),
        (lambda m: m["files"]["cnil.npy"].update(bytes="9"), r"cnil\.npy: found bytes '9'; expected an integer"),
        (lambda m: m["files"]["cnil.npy"].update(bytes=True), r"cnil\.npy: found bytes True; expected an integer"),
        (lambda m: m["files"]["cnil.npy"].update(shape=["3"]), r"found shape \['3'\]; expected a list of int"),
        (lambda m: m["files"]["cnil.npy"].update(dtype="|O"), r"cnil\.npy: found dtype '\|O'; expected one of"),
        (lambda m: m["files"]["cnil.npy"].update(axes=["one"]), r"cnil\.npy: found 1 axes; expected 3"),
        (lambda m: m["files"]["cnil.npy"].update(family="x"), r"cnil\.npy: found family 'x'; expected one of"),
        (lambda m: m["files"].update({"../x.npy": m["files"]["cnil.npy"]}), r"found file name '\.\./x\.npy'"),
        (lambda m: m["families"]["cnil"].pop("generator"), r"cnil: found generator None; expected an integer"),
        (lambda m: m["families"]["cnil"].update(exact=0), r"cnil: found exact 0; expected true or false"),
        (lambda m: m["families"]["cnil"].update(exact=False), r"cnil: found seed None; expected an integer"),
        (lambda m: m["families"]["cnil"].update(code=3), r"cnil: found code 3; expected a string"),
    ],
)
def test_manifest_fields(directory, change, message):
    edit(directory, change)
    with pytest.raises(TablesError, match=message) as caught:
        open_tables(directory)
    assert MANIFEST in str(caught.value)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda entry: entry.pop("code", None), None),  # tables that were built before it was recorded
        (lambda entry: entry.update(code=None), None),
        (lambda entry: entry.update(code="5f0c"), "5f0c"),
    ],
)
def test_the_hash_of_the_code_may_be_missing(directory, change, code):
    edit(directory, lambda content: change(content["families"]["cnil"]))
    assert open_tables(directory).families["cnil"].code == code


def test_kernels_get_all_their_tables(directory):
    edit(directory, lambda content: content["files"].pop("cnil.npy"))
    (directory / "cnil.npy").unlink()
    with pytest.raises(TablesError, match=r"manifest\.json: found no file cnil\.npy"):
        open_tables(directory)
