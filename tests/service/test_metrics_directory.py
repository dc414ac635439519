"""The directory with the metrics of several workers: which process removes it, and which directories are kept."""

import fcntl
import os
import subprocess
import sys

import pytest

from service.metrics_directory import membership, metrics_directory, remove_leftovers
from service.settings import SettingsError


@pytest.fixture
def dead_pid():
    """Return the id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(30)
    return process.pid


def _directory(parent, pid, suffix="abc_d3fg"):
    path = parent / f"spades-metrics-{pid}-{suffix}"
    path.mkdir()
    (path / "lock").touch()
    (path / "counter_1.db").write_bytes(b"x")
    return path


def test_it_is_removed_in_the_usual_way(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with metrics_directory() as path:
        assert path.parent == tmp_path
        assert path.name.startswith(f"spades-metrics-{os.getpid()}-")
        with membership(path, os.getppid()):
            pass
        assert path.is_dir()  # the supervisor is alive and will remove it
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_the_dead_are_removed(tmp_path, dead_pid):
    _directory(tmp_path, dead_pid)
    (_directory(tmp_path, dead_pid, "nolock") / "lock").unlink()
    _directory(tmp_path, os.getpid())  # left by an earlier process with our id
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_others_are_left_alone(tmp_path, dead_pid):
    used = _directory(tmp_path, dead_pid, "used")
    descriptor = os.open(used / "lock", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    kept = {used, _directory(tmp_path, os.getppid()), tmp_path / "else"}
    _directory(tmp_path, "x").rename(tmp_path / "else")
    for name in (f"spades-metrics-{dead_pid}", f"spades-metrics-{dead_pid}-", f"spades-metrics-{dead_pid}-a b"):
        (tmp_path / name).mkdir()
        kept.add(tmp_path / name)
    link = tmp_path / f"spades-metrics-{dead_pid}-link"
    link.symlink_to(tmp_path / "else")
    file = tmp_path / f"spades-metrics-{dead_pid}-file"
    file.touch()
    kept |= {link, file}
    if os.geteuid() == 0:
        anothers = _directory(tmp_path, dead_pid, "anothers")
        os.chown(anothers, 12345, 12345)
        kept.add(anothers)
    remove_leftovers(tmp_path)
    assert set(tmp_path.iterdir()) == kept
    assert (tmp_path / "else" / "lock").exists()
    os.close(descriptor)


def test_the_last_worker_of_a_dead_supervisor_removes_it(tmp_path, dead_pid):
    path = _directory(tmp_path, dead_pid)
    with membership(path, dead_pid):
        with membership(path, dead_pid):
            pass
        assert path.is_dir()
    assert not path.exists()
    with (
        pytest.raises(SettingsError, match="expected: the directory of a running supervisor"),
        membership(path, dead_pid),
    ):
        pass
