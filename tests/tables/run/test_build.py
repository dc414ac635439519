"""The build: order, skipping, resuming, jobs and files; the errors that `verify` finds."""

import fcntl
import json
import os
import threading

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.errors import BuildError
from spades.errors import TablesError
from spades.manifest import MANIFEST, read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from tables import __main__ as cli
from tables.families import FAMILIES
from tables.run.build import Options, build
from tables.run.family import Family, in_order, with_dependencies
from tables.run.verify import verify

N_CHUNKS = 12


class Interrupted(Exception):
    """The exception that a test raises during a build."""


class Toy:
    """A chunked family that counts its work and can be stopped, and an exact family made from it."""

    def __init__(self, generator=1, stop_at=None):
        self.done = []
        self.doubled = 0
        self.stop_at = stop_at
        self.lock = threading.Lock()
        self.families: tuple[Family, ...] = (
            Family(
                name="doubled",
                generator=1,
                make=self.double,
                axes={"doubled": ("face",)},
                depends=("dice",),
                exact=True,
            ),
            Family(
                name="dice",
                generator=generator,
                make=self.roll,
                axes={"dice": ("face",), "mean": ("face",)},
                sizes={"rolls": 1200},
                parameters={"faces": 6},
            ),
        )

    def roll(self, context):
        per_chunk = context.size("rolls") // N_CHUNKS

        def chunk(index, seed):
            with self.lock:
                if self.stop_at is not None and len(self.done) >= self.stop_at:
                    raise Interrupted
                self.done.append(index)
            rng = np.random.default_rng(seed)
            return {
                "rolls": np.bincount(rng.integers(0, 6, per_chunk), minlength=6),
                "sum": rng.random(6) / 3,  # floats, whose sum depends on the order in its last bits
            }

        total = context.chunks("rolls", N_CHUNKS, chunk)
        context.figure("rolls", total["rolls"].sum())
        return {"dice": total["rolls"].astype(np.int64), "mean": total["sum"] / N_CHUNKS}

    def double(self, context):
        self.doubled += 1
        return {"doubled": context.array("dice") * 2}


def quiet(*_):
    pass


@pytest.fixture
def run(tmp_path):
    """Return a function that builds a toy's families; its keyword arguments are those of `build`."""

    def run(toy, name="data", **options):
        options.setdefault("checkpoints", tmp_path / f"{name}.build")
        chosen = {key: options.pop(key) for key in list(options) if key in Options.__dataclass_fields__}
        return build(tmp_path / name, toy.families, Options(**chosen), progress=False, say=quiet, **options)

    return run


def content(directory):
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def test_builds_in_order_and_leaves_nothing_else(tmp_path, run):
    toy = Toy()
    assert run(toy) == ["dice", "doubled"]
    assert sorted(content(tmp_path / "data")) == ["dice.npy", "doubled.npy", "manifest.json", "mean.npy"]
    assert list((tmp_path / "data.build").iterdir()) == []
    dice = np.load(tmp_path / "data" / "dice.npy")
    assert dice.sum() == 1200
    assert (np.load(tmp_path / "data" / "doubled.npy") == dice * 2).all()
    manifest = read_manifest(tmp_path / "data")
    assert manifest.families["dice"].seed == 1
    assert manifest.families["dice"].sizes == {"rolls": 1200}
    assert manifest.families["dice"].figures == {"rolls": 1200.0}
    assert manifest.families["doubled"].seed is None
    assert manifest.files["dice.npy"].axes == ("face",)
    assert manifest.files["dice.npy"].dtype == "<i8"


def test_manifest_is_canonical(tmp_path, run):
    run(Toy())
    text = (tmp_path / "data" / MANIFEST).read_text()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1) + "\n"


def test_second_build_does_nothing(tmp_path, run):
    run(Toy())
    before = content(tmp_path / "data")
    again = Toy()
    assert run(again) == []
    assert again.done == []
    assert content(tmp_path / "data") == before


@pytest.mark.parametrize("jobs", [1, 3])
def test_interrupted_build_goes_on(tmp_path, run, jobs):
    run(Toy(), "whole")
    stopped = Toy(stop_at=5)
    with pytest.raises(Interrupted):
        run(stopped, executor=LocalThreads(jobs))
    assert not (tmp_path / "data" / MANIFEST).exists()
    kept = {int(path.stem) for path in (tmp_path / "data.build").rglob("*.npz")}
    assert kept <= set(stopped.done)
    if jobs == 1:
        assert kept == set(range(5))
    resumed = Toy()
    assert run(resumed, executor=LocalThreads(jobs)) == ["dice", "doubled"]
    assert sorted(resumed.done) == sorted(set(range(N_CHUNKS)) - kept)  # finished chunks are not computed again
    assert content(tmp_path / "data") == content(tmp_path / "whole")


def test_stopped_between_families_goes_on(tmp_path, run):
    run(Toy(), "whole")
    stopped = Toy()
    stopped.families = (
        Family("doubled", 1, stop, {"doubled": ("face",)}, depends=("dice",), exact=True),
        stopped.families[1],
    )
    with pytest.raises(Interrupted):
        run(stopped)
    resumed = Toy()
    assert run(resumed) == ["doubled"]
    assert resumed.done == []
    assert content(tmp_path / "data") == content(tmp_path / "whole")


def stop(_context):
    raise Interrupted


class Backwards:
    """An executor that returns chunks in reverse order, as a cluster may do."""

    def map(self, fn, indices):
        for index in reversed(list(indices)):
            yield index, fn(index)


@pytest.mark.parametrize("executor", [LocalThreads(1), LocalThreads(4), Backwards()])
def test_bytes_do_not_depend_on_the_executor(tmp_path, run, executor):
    run(Toy(), "one")
    run(Toy(), "other", executor=executor)
    assert content(tmp_path / "one") == content(tmp_path / "other")


def test_seed_scale_and_generator_build_again(tmp_path, run):
    run(Toy())
    first = content(tmp_path / "data")
    assert run(Toy(), seed=2) == ["dice", "doubled"]
    assert content(tmp_path / "data")["dice.npy"] != first["dice.npy"]
    assert run(Toy(), seed=1) == ["dice", "doubled"]
    assert content(tmp_path / "data") == first
    assert run(Toy(), rounds_scale=0.5) == ["dice", "doubled"]
    assert read_manifest(tmp_path / "data").families["dice"].sizes == {"rolls": 600}
    assert run(Toy()) == ["dice", "doubled"]
    # a newer generator makes the same bytes, so that the family made from them stays up to date
    assert run(Toy(generator=2)) == ["dice"]


def test_two_builds_at_once_are_refused(tmp_path, run):
    """Each of them would write a manifest without the other's families."""
    toy = Toy()
    run(toy)
    held = os.open(tmp_path / "data", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(BuildError, match="another run works here"):
        run(toy)
    os.close(held)
    assert run(toy) == []


def test_force_and_only(tmp_path, run):
    run(Toy())
    toy = Toy()
    assert run(toy, only=("doubled",), force=True) == ["doubled"]
    assert toy.done == []
    toy = Toy()
    assert run(toy, only=("dice",), force=True) == ["dice"]
    assert len(toy.done) == N_CHUNKS
    with pytest.raises(BuildError, match="family is 'cards'; accepted: dice, doubled"):
        run(Toy(), only=("cards",))


def test_only_builds_what_it_depends_on(tmp_path, run):
    assert run(Toy(), only=("doubled",)) == ["dice", "doubled"]


def test_damaged_file_is_made_again(tmp_path, run):
    run(Toy())
    before = content(tmp_path / "data")
    (tmp_path / "data" / "mean.npy").write_bytes(b"short")
    assert run(Toy()) == ["dice"]
    assert content(tmp_path / "data") == before


def test_families_that_are_gone_are_removed(tmp_path, run):
    run(Toy())
    less = Toy()
    less.families = less.families[1:]
    run(less, only=("dice",))
    assert (tmp_path / "data" / "doubled.npy").exists()
    run(less)
    assert sorted(content(tmp_path / "data")) == ["dice.npy", "manifest.json", "mean.npy"]
    assert set(read_manifest(tmp_path / "data").families) == {"dice"}


def test_broken_manifest_stops_the_build(tmp_path, run):
    run(Toy())
    (tmp_path / "data" / MANIFEST).write_text("{")
    with pytest.raises(TablesError, match=r"manifest\.json: found no JSON"):
        run(Toy())


def test_broken_chunk_is_named(tmp_path, run):
    with pytest.raises(Interrupted):
        run(Toy(stop_at=3))
    path = next((tmp_path / "data.build").rglob("000001.npz"))
    path.write_bytes(b"PK half a file")
    with pytest.raises(BuildError, match=r"000001\.npz is not a finished chunk"):
        run(Toy())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"other": np.zeros(2)}, r"found arrays \['other'\]; expected \['x'\]"),
        ({"x": np.zeros((2, 2))}, "x: found 2 axes"),
        ({"x": np.zeros(2, dtype="f2")}, "x: dtype is <f2"),
        ({"x": np.zeros(2, dtype=">f8")}, "x: dtype is >f8"),
        ({"x": np.array([1.0, np.nan])}, "x: found NaN or infinity"),
    ],
)
def test_what_a_family_gives_is_checked(tmp_path, arrays, message):
    family = Family("x", 1, lambda context: arrays, {"x": ("one",)}, exact=True)
    with pytest.raises(BuildError, match=message):
        build(tmp_path / "data", (family,), checkpoints=tmp_path / "build", say=quiet)
    assert list((tmp_path / "data").iterdir()) == []


def test_arrays_are_stored_in_the_type_of_their_field(tmp_path):
    """The file of a profile's array has the same type as the partnership's; other arrays keep the family's type."""
    made = {name: np.array([0.1, 1.0]) for name in ("curves", "jokers_curves", "factor", "held_out")}
    family = Family("x", 1, lambda context: made, dict.fromkeys(made, ("one",)), exact=True)
    build(tmp_path / "data", (family,), checkpoints=tmp_path / "build", say=quiet)
    files = read_manifest(tmp_path / "data").files
    assert {name: files[f"{name}.npy"].dtype for name in made} == {
        "curves": "<f4",
        "jokers_curves": "<f4",
        "factor": "<f8",
        "held_out": "<f8",
    }
    assert np.load(tmp_path / "data" / "curves.npy").tolist() == [float(np.float32(0.1)), 1.0]


def test_only_floats_are_converted(tmp_path):
    family = Family("win", 1, lambda context: {"win": np.zeros(2)}, {"win": ("one",)}, exact=True)
    with pytest.raises(BuildError, match="win: win: dtype is <f8; accepted: <u2"):
        build(tmp_path / "data", (family,), checkpoints=tmp_path / "build", say=quiet)


def test_only_declared_dependencies_are_seen(tmp_path):
    a = Family("a", 1, lambda context: {"a": np.zeros(2)}, {"a": ("one",)}, exact=True)
    b = Family("b", 1, lambda context: {"b": context.array("a")}, {"b": ("one",)}, exact=True)
    with pytest.raises(BuildError, match=r"b reads array a; accepted from its `depends`: none"):
        build(tmp_path / "data", (a, b), checkpoints=tmp_path / "build", say=quiet)


def test_chunks_must_fit_together(tmp_path):
    def make(context):
        return context.chunks("x", 2, lambda index, seed: {"x": np.zeros(2 + index)})

    family = Family("x", 1, make, {"x": ("one",)})
    with pytest.raises(BuildError, match=r"000001\.npz: found .*\(3,\).*expected .*\(2,\).*as in the first chunk"):
        build(tmp_path / "data", (family,), checkpoints=tmp_path / "build", progress=False, say=quiet)


def family(name, *depends, arrays=None):
    return Family(name, 1, stop, dict.fromkeys(arrays or (name,), ("one",)), depends=depends)


def test_order():
    families = (family("c", "b"), family("b", "a"), family("a"), family("d"))
    assert [f.name for f in in_order(families)] == ["a", "b", "c", "d"]
    assert with_dependencies(["b"], families) == {"a", "b"}
    assert {f.name for f in in_order(FAMILIES)} >= {"p_length", "cnil"}


@pytest.mark.parametrize(
    ("families", "message"),
    [
        ((family("a", "b"), family("b", "a")), "in a circle: a -> b -> a"),
        ((family("a", "b"),), "a depends on 'b'; accepted: a"),
        ((family("a"), family("a")), "accepted: each name once"),
        ((family("a", arrays=("x",)), family("b", arrays=("x",))), "accepted: each array in one family"),
    ],
)
def test_bad_registries(families, message):
    with pytest.raises(BuildError, match=message):
        in_order(families)


def problems(directory, families, **options):
    return {finding.file: finding.problem for finding in verify(directory, families, **options) if finding.problem}


def test_verify_finds_nothing_wrong(tmp_path, run):
    run(Toy())
    toy = Toy()
    assert problems(tmp_path / "data", toy.families) == {}
    assert toy.done == []  # verify does not sample again
    assert toy.doubled == 1  # but it computes exact families again


def test_verify_sees_a_changed_file(tmp_path, run):
    run(Toy())
    path = tmp_path / "data" / "mean.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")
    found = problems(tmp_path / "data", Toy().families)
    assert set(found) == {"mean.npy", "doubled.npy"}
    assert "mean.npy: found sha256" in found["mean.npy"]
    assert "cannot be computed again" in found["doubled.npy"]  # its input is not valid


def test_verify_sees_other_exact_bytes(tmp_path, run):
    run(Toy())
    toy = Toy()
    toy.families = (
        Family(
            "doubled",
            1,
            lambda context: {"doubled": context.array("dice") * 2 + 1},
            {"doubled": ("face",)},
            depends=("dice",),
            exact=True,
        ),
        toy.families[1],
    )
    found = problems(tmp_path / "data", toy.families)
    assert list(found) == ["doubled.npy"]
    assert "the code computes other bytes" in found["doubled.npy"]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"seed": 2}, "seed is 2"), ({"rounds_scale": 0.5}, "sizes is {'rolls': 600}")],
)
def test_verify_sees_other_seed_and_sizes(tmp_path, run, options, message):
    run(Toy(), **options)
    found = problems(tmp_path / "data", Toy().families)
    assert set(found) == {"dice.npy", "mean.npy"}
    assert message in found["dice.npy"]


def test_verify_sees_an_old_generator(tmp_path, run):
    run(Toy())
    found = problems(tmp_path / "data", Toy(generator=2).families)
    assert "generator is 1 in the manifest; accepted: 2" in found["dice.npy"]


def test_verify_sees_a_stale_dependent(tmp_path, run):
    run(Toy())
    run(Toy(), only=("dice",), seed=2)
    found = problems(tmp_path / "data", Toy().families, seed=2)
    assert set(found) == {"doubled.npy"}
    assert "has changed" in found["doubled.npy"]


def test_verify_sees_missing_stray_and_unknown(tmp_path, run):
    toy = Toy()
    toy.families = toy.families[1:]
    run(toy)
    np.save(tmp_path / "data" / "stray.npy", np.zeros(2))
    found = problems(tmp_path / "data", Toy().families)
    assert "the manifest has no family doubled" in found["doubled.npy"]
    assert "stray.npy" in found["*.npy"]
    run(Toy())
    assert "of family doubled; the code has no such family" in problems(tmp_path / "data", toy.families)["doubled.npy"]


def test_command_line(tmp_path, capsys, monkeypatch):
    # Another test may make the same families in the usual folder for chunks, which lets in one at a time.
    monkeypatch.setitem(build.__kwdefaults__, "checkpoints", tmp_path / "work")
    out = str(tmp_path / "data")
    assert cli.main(["build", "--only", "p_length", "cnil", "--out", out, "--jobs", "2"]) == 0
    for name in ("p_length.npy", "cnil.npy"):
        assert (tmp_path / "data" / name).read_bytes() == (DEFAULT_DIRECTORY / name).read_bytes()
    (tmp_path / "data" / "cnil.npy").unlink()
    assert cli.main(["verify", "--dir", out]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("ok   p_length.npy: 1920 bytes") for line in lines)
    assert any(line.startswith("BAD  cnil.npy: ") and "not found; expected 393344 bytes" in line for line in lines)
    assert cli.main(["build", "--rounds-scale", "0", "--out", out]) == 1
    assert "--rounds-scale is 0.0; accepted: a number above 0" in capsys.readouterr().err
    assert cli.main(["verify", "--dir", str(tmp_path / "nowhere")]) == 1
    assert "manifest.json: not found" in capsys.readouterr().err


def test_command_line_refuses_unknown_commands(capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["polish"])
    assert caught.value.code == 2
    assert "verify" in capsys.readouterr().err
