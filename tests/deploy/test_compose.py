"""The compose file: the mounted files exist, and the services start with the right defaults."""

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
    """The rules' paths are relative to the configuration file; the mounts give its place in the container."""
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
    # A service without keys that other machines can reach needs an explicit option.
    assert "--allow-unauthenticated" in SERVICES["bidder"]["command"]


def test_ports_are_published_on_loopback_unless_told_otherwise():
    assert {name: service["ports"] for name, service in SERVICES.items()} == {
        "bidder": ["${APP_HOST:-127.0.0.1}:${APP_PORT:-8080}:8080"],
        "prometheus": ["${PROM_HOST:-127.0.0.1}:${PROM_PORT:-9090}:9090"],
        "grafana": ["127.0.0.1:${GRAFANA_PORT:-3000}:3000"],
    }


def test_memory_and_processes_are_limited():
    for name, service in SERVICES.items():
        assert service["mem_limit"].endswith("m"), name
        assert 64 <= service["pids_limit"] <= 512, name
    deployment = yaml.safe_load((ROOT / "deploy/k8s/base/deployment.yaml").read_text())
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert SERVICES["bidder"]["mem_limit"] == container["resources"]["limits"]["memory"].replace("Mi", "m")
    assert SERVICES["bidder"]["tmpfs"] == ["/tmp:size=16m"]
