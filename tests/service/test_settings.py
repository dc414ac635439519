"""Settings from the environment."""

import pytest

from service.settings import Settings, SettingsError, from_environment


def test_defaults():
    assert from_environment({}) == Settings(tables_dir=None, drain_s=0.5, grace_s=10)
    assert from_environment({"SPADES_TABLES_DIR": "", "SPADES_DRAIN_S": ""}) == Settings()


def test_values(tmp_path):
    values = {"SPADES_TABLES_DIR": str(tmp_path), "SPADES_DRAIN_S": "2.5", "SPADES_GRACE_S": "30"}
    assert from_environment(values) == Settings(tables_dir=tmp_path, drain_s=2.5, grace_s=30)


def test_addresses():
    def address(text):
        return from_environment({"SPADES_METRICS_ADDRESS": text}).metrics_address

    assert address("127.0.0.1:9464") == ("127.0.0.1", 9464)
    assert address("[::1]:9464") == ("::1", 9464)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPADES_TABLES_DIR", "/nowhere/at/all"),
        ("SPADES_DRAIN_S", "soon"),
        ("SPADES_DRAIN_S", "nan"),
        ("SPADES_DRAIN_S", "-1"),
        ("SPADES_DRAIN_S", "1_0"),
        ("SPADES_DRAIN_S", "١"),
        ("SPADES_DRAIN_S", " 1 "),
        ("SPADES_DRAIN_S", "1e1"),
        ("SPADES_GRACE_S", "1e9"),
        ("SPADES_QUEUE_MS", "-1"),
        ("SPADES_MAX_IN_FLIGHT", "0"),
        ("SPADES_READ_S", "0"),
        ("SPADES_ACCESS_LOG", "1.5"),
        ("SPADES_METRICS_ADDRESS", "9464"),
        ("SPADES_METRICS_ADDRESS", "host:x"),
        ("SPADES_API_KEYS_FILE", "/nowhere/keys"),
        ("SPADES_KEY_RATE", "many"),
    ],
)
def test_wrong_values_name_the_variable(name, value):
    with pytest.raises(SettingsError, match=f"{name} is '{value}'.*expected"):
        from_environment({name: value})
