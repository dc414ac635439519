"""`python -m service`: its commands, the argument checks, and `bid`, which moved to the library."""

import os
import subprocess
import sys

import pytest

from service.__main__ import main
from service.keys import new_key, read_keys
from service.server import check_exposure
from service.settings import Settings, SettingsError
from spades.__main__ import main as spades_command
from tests.conftest import committed_tables

_HAND = "AKJ62.AQ.Q.K9543"


def test_the_versions(capsys, call):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    served = call("GET", "/version").json()
    service, tables = served["service"], served["tables"]["version"]
    assert capsys.readouterr().out == f"spades-bidding-service {service}, tables {tables}\n"


def test_the_version_of_broken_tables(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("service.__main__.DEFAULT_DIRECTORY", tmp_path)
    assert main(["--version"]) == 1
    assert capsys.readouterr().err.startswith(f"service: {tmp_path / 'manifest.json'}: not found")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["service", "--version"],
        ["spades", "bid", _HAND],
        ["arena", "match", "--help"],
        *(
            pytest.param(command, marks=pytest.mark.long)
            for command in (
                ["service", "--help"],
                ["spades", "--help"],
                ["service", "key", "me"],
                ["tables", "--help"],
                ["loadtest", "--help"],
            )
        ),
    ],
)
def test_a_closed_pipe_is_no_error(arguments):
    """As in `... | head -1`, whose reader ends early."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([sys.executable, "-m", *arguments], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 141)  # argparse itself ignores the error


def test_bid_names_the_new_command_and_runs_it(capsys, monkeypatch, tmp_path):
    assert spades_command(["bid", _HAND, "--previous", "3,1", "--legal", "4,5"]) == 0
    text = capsys.readouterr().out
    assert main(["bid", _HAND, "--previous-bids=3,1", "--legal-bids", "4,5"]) == 0
    out, err = capsys.readouterr()
    assert out == text
    assert err == "python -m service bid is now python -m spades bid, and will be gone in the next version\n"
    monkeypatch.setenv("SPADES_TABLES_DIR", str(tmp_path))
    assert main(["bid", _HAND]) == 1
    assert (
        capsys.readouterr().err.splitlines()[1].startswith(f"python -m spades: {tmp_path / 'manifest.json'}: not found")
    )


def test_broken_settings_are_one_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_TABLES_DIR", str(tmp_path / "none"))
    assert main(["serve"]) == 1
    assert "SPADES_TABLES_DIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["serve", "--port", "70000"],
        ["serve", "--port", "x"],
        ["serve", "--workers", "0"],
        ["card", _HAND],
        ["key", "me", "--rate", "inf"],
    ],
)
def test_wrong_arguments(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_serving_others_without_keys_must_be_said(capsys, monkeypatch):
    assert main(["serve", "--host", "0.0.0.0"]) == 1
    err = capsys.readouterr().err
    assert "--allow-unauthenticated" in err
    assert "SPADES_API_KEYS_FILE" in err
    assert len(err.splitlines()) == 1


def test_who_may_listen_where(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(new_key("one").line)
    for host in ("127.0.0.1", "127.1.2.3", "::1", "localhost"):
        check_exposure(Settings(), host, allowed=False)
    for host in ("0.0.0.0", "::", "", "192.0.2.1", "no-such-host.invalid"):
        with pytest.raises(SettingsError, match="set SPADES_API_KEYS_FILE"):
            check_exposure(Settings(), host, allowed=False)
        check_exposure(Settings(), host, allowed=True)
        check_exposure(Settings(api_keys_file=keys), host, allowed=False)


def test_key_makes_a_line_that_the_service_reads(capsys, tmp_path):
    assert main(["key", "table-server", "--rate", "50"]) == 0
    line, explained = capsys.readouterr()
    secret = explained.partition(": ")[2].strip()
    path = tmp_path / "keys"
    path.write_text(line)  # as `>>` does
    found = read_keys(path, 0.0).find(f"Bearer {secret}".encode())
    assert found is not None
    assert found.name == "table-server"
    assert main(["key", "a b"]) == 2
    assert "name is 'a b'" in capsys.readouterr().err


def test_the_version_of_a_table_set(capsys, made_sets, tmp_path):
    folder, versions = made_sets
    assert main(["tables-version"]) == 0
    for version in versions:
        assert main(["tables-version", str(folder / version)]) == 0
    assert capsys.readouterr().out.splitlines() == [committed_tables().version, *versions]
    assert main(["tables-version", str(tmp_path)]) == 1
    assert f"{tmp_path / 'manifest.json'}: not found" in capsys.readouterr().err
