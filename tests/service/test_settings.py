"""Settings from the environment."""

import os
import re

import pytest

from service.settings import Settings, SettingsError, from_environment, unknown_settings


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    for name in os.environ:
        if name.startswith("SPADES_"):
            monkeypatch.delenv(name)


@pytest.fixture
def read(monkeypatch):
    """A function read(SPADES_X=...) that returns the settings with these variables set."""

    def settings(**variables) -> Settings:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return from_environment()

    return settings


def test_defaults(read):
    assert read() == Settings(tables_dir=None, drain_s=0.5, grace_s=10)
    assert read(SPADES_TABLES_DIR="", SPADES_DRAIN_S="") == Settings()


def test_values(read, tmp_path):
    found = read(SPADES_TABLES_DIR=str(tmp_path), SPADES_DRAIN_S="2.5", SPADES_GRACE_S="30", SPADES_MAX_IN_FLIGHT="9.9")
    assert found == Settings(tables_dir=tmp_path, drain_s=2.5, grace_s=30, max_in_flight=9)
    assert type(found.max_in_flight) is int


def test_the_canary(read):
    assert read(SPADES_CANARY="2026.12.1+0c4b5a6d:0.05").canary == ("2026.12.1+0c4b5a6d", 0.05)


@pytest.mark.parametrize(("text", "address"), [("127.0.0.1:9464", ("127.0.0.1", 9464)), ("[::1]:9464", ("::1", 9464))])
def test_addresses(read, text, address):
    assert read(SPADES_METRICS_ADDRESS=text).metrics_address == address


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        ("SPADES_TABLES_DIR", "/nowhere/at/all", "a directory"),
        ("SPADES_DRAIN_S", "1_0", "seconds, 0 to 300"),
        ("SPADES_DRAIN_S", "-1", "seconds"),
        ("SPADES_GRACE_S", "301", "seconds"),
        ("SPADES_QUEUE_MS", "-1", "milliseconds"),
        ("SPADES_MAX_IN_FLIGHT", "0", "requests, 1 to 1000000"),
        ("SPADES_IDLE_S", "0", "seconds, 0.1 to 3600"),
        ("SPADES_BEHIND_PROXY", "yes", "0 or 1"),
        ("SPADES_ACCESS_LOG", "1.5", "a share, 0 to 1"),
        ("SPADES_METRICS_ADDRESS", "9464", "host:port"),
        ("SPADES_DECISION_LOG", "/nowhere/log.jsonl", "- for standard output, or a file in a directory that exists"),
        ("SPADES_DECISION_LOG", "/tmp", "- for standard output"),
        ("SPADES_DECISION_LOG_SHARE", "2", "a share, 0 to 1"),
        ("SPADES_DECISION_LOG_MIB", "0", "MiB, 1 to 1000000"),
        ("SPADES_DECISION_LOG_FILES", "0", "files, 1 to 10000"),
        ("SPADES_METRICS_ADDRESS", "host:x", "host:port"),
        ("SPADES_API_KEYS_FILE", "/nowhere/keys", "a file"),
        ("SPADES_KEY_RATE", "many", "bids a second"),
        ("SPADES_CANARY", "1.1+0", "VERSION:SHARE"),
        ("SPADES_CANARY", "1.1+0:", "VERSION:SHARE"),
        ("SPADES_CANARY", ":0.1", "VERSION:SHARE"),
        ("SPADES_CANARY", "1.1+0:5%", "VERSION:SHARE"),
        ("SPADES_CANARY", "1.1+0:-0.1", "VERSION:SHARE"),
        ("SPADES_CANARY", "1.1+0:1.1", "VERSION:SHARE"),
    ],
)
def test_errors_name_variable_found_and_accepted(read, name, value, accepted):
    with pytest.raises(SettingsError, match=f"^{name} is '{re.escape(value)}'; accepted: {accepted}"):
        read(**{name: value})


def test_unknown_variables_are_listed(monkeypatch):
    monkeypatch.setenv("SPADES_QUEUE_MS", "20")
    monkeypatch.setenv("SPADES_QEUE_MS", "20")
    monkeypatch.setenv("SPADES_READ_S", "20")
    unknown, gone = unknown_settings()
    listed = "; docs/reference/settings.md lists the settings"
    assert unknown == f"SPADES_QEUE_MS is set, but there is no such setting{listed}"
    assert gone == f"SPADES_READ_S is set, but a proxy limits how slowly requests may come (deploy/nginx){listed}"


def test_every_setting_says_what_it_means():
    assert all(field.description for field in Settings.model_fields.values())
