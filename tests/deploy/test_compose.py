"""The compose file: what it mounts is there, what it starts by default, and how."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_only_the_dashboards_need_a_profile():
    assert {name: service.get("profiles", []) for name, service in SERVICES.items()} == {
        "bidder": [],
        "prometheus": [],
        "grafana": ["dashboards"],
    }


def test_mounted_files_are_there():
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", []) if mount.startswith("./")]
    assert len(mounts) >= 4
    for mount in mounts:
        source, _, mode = mount.split(":")
        assert (ROOT / source).exists(), mount
        assert mode == "ro"


def test_prometheus_finds_its_rules():
    """They are relative to the configuration file, whose place in the container the mounts tell."""
    configuration = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    assert configuration["rule_files"] == ["rules/*.yml"]
    assert "./deploy/prometheus/prometheus.yml:/etc/prometheus/prometheus.yml:ro" in SERVICES["prometheus"]["volumes"]
    assert "./deploy/prometheus/rules:/etc/prometheus/rules:ro" in SERVICES["prometheus"]["volumes"]


def test_the_job_is_the_service():
    (job,) = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())["scrape_configs"]
    assert job["job_name"] in SERVICES
    assert job["dns_sd_configs"][0]["names"] == [job["job_name"]]


def test_no_more_rights_than_needed():
    for name, service in SERVICES.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    assert SERVICES["bidder"]["read_only"] is True
    # A listener beyond loopback without keys says so in so many words.
    assert "--allow-unauthenticated" in SERVICES["bidder"]["command"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["grafana"]["ports"])
