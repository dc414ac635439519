"""API keys: the file, looking up keys, and rates."""

import hashlib

import pytest

from service.keys import Bucket, new_key, read_keys
from service.settings import SettingsError


def _file(tmp_path, text):
    path = tmp_path / "keys"
    path.write_text(text)
    return path


def test_a_new_key_is_found_by_its_secret_alone(tmp_path):
    one, two = new_key("table-server"), new_key("other", 2.5)
    keys = read_keys(_file(tmp_path, f"# callers\n\n{one.line}\n{two.line}  # slow\n"), 0.0)
    found = keys.find(b"Bearer " + one.secret.encode())
    assert found is not None
    assert found.name == "table-server"
    assert found.bucket is None
    other = keys.find(b"bearer  " + two.secret.encode())
    assert other is not None
    assert other.bucket is not None
    digest = hashlib.sha256(one.secret.encode()).hexdigest()
    for wrong in (None, b"", b"Bearer ", b"Bearer x", one.secret.encode(), b"Basic " + one.secret.encode()):
        assert keys.find(wrong) is None
    assert keys.find(b"Bearer " + digest.encode()) is None
    assert keys.find(b"Bearer " + one.secret.encode() + b"x" * 600) is None
    assert digest in one.line
    assert one.secret not in one.line


def test_keys_differ():
    assert len({new_key("a").secret for _ in range(50)}) == 50


@pytest.mark.parametrize("name", ["", "a b", "a" * 65, "é", "a\n"])
def test_names_that_the_file_cannot_hold(name):
    with pytest.raises(ValueError, match="name is"):
        new_key(name)


@pytest.mark.parametrize(
    ("rate", "written"), [(None, ""), (0, " 0"), (0.25, " 0.25"), (5, " 5"), (100, " 100"), (1e6, " 1000000")]
)
def test_a_rate_as_the_file_has_it(tmp_path, rate, written):
    made = new_key("a", rate)
    assert made.line[66:] == written
    found = read_keys(_file(tmp_path, made.line), 0.0).find(b"Bearer " + made.secret.encode())
    assert found is not None
    assert (found.bucket is None) == (not rate)


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf")])
def test_rates_that_are_none(rate):
    with pytest.raises(ValueError, match="rate is"):
        new_key("a", rate)


def test_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "keys").write_bytes(b"a \xff")
    with pytest.raises(SettingsError, match=r"keys: can't be read \(not UTF-8\)"):
        read_keys(tmp_path / "keys", 0.0)
    with pytest.raises(SettingsError, match=r"can't be read \(Is a directory\)"):
        read_keys(tmp_path, 0.0)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o602, 0o646, 0o666, 0o777])
def test_a_file_that_anyone_can_write_is_refused(tmp_path, mode):
    path = _file(tmp_path, new_key("a").line)
    path.chmod(mode)
    if mode & 0o002:
        expected = f"keys: mode is {mode:04o}, so every user can add a key; expected: no write permission for others"
        with pytest.raises(SettingsError, match=expected):
            read_keys(path, 0.0)
    else:
        read_keys(path, 0.0)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "no keys found"),
        ("a\n", "line 1"),
        (f"a {'0' * 63}", "line 1"),
        (f"a {'0' * 64} -1", "line 1"),
        (f"a {'0' * 64}\nb {'0' * 64}", "line 2.*repeats the key of a"),
    ],
)
def test_files_with_faults_name_the_line_and_quote_no_secret(tmp_path, text, match):
    with pytest.raises(SettingsError, match=match) as error:
        read_keys(_file(tmp_path, text), 0.0)
    assert "0" * 20 not in str(error.value)


def test_a_bucket_by_hand():
    """4 tokens per second: 4 at once, then one every 0.25 s; 100 tokens owed take 25 s."""
    now = 0.0
    bucket = Bucket(4.0, lambda: now)
    assert [bucket.take() for _ in range(5)] == [0.0, 0.0, 0.0, 0.0, 0.25]
    now = 0.25
    assert [bucket.take(), bucket.take()] == [0.0, 0.25]
    now = 1000.0
    assert bucket.take() == 0.0
    bucket.debit(103)
    assert bucket.take() == pytest.approx(25.25)
    slow = Bucket(0.1, lambda: now)
    assert slow.take() == 0.0
    assert slow.take() == pytest.approx(10.0)
