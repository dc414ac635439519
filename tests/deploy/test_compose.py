"""The compose file and the proxy in it: mounted files exist, defaults are right, and the proxy fits the service."""

import json
import re
from pathlib import Path

import yaml

from service.problems import TYPES, no_such_path
from service.routes import MAX_BATCH_BYTES, MAX_BODY_BYTES, ROUTES
from service.settings import Settings

ROOT = Path(__file__).parents[2]
PROXY = (ROOT / "deploy/nginx/nginx.conf").read_text()
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_only_the_dashboards_need_a_profile():
    assert {name: service.get("profiles", []) for name, service in SERVICES.items()} == {
        "proxy": [],
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
    assert SERVICES["bidder"]["read_only"] is SERVICES["proxy"]["read_only"] is True
    # A service without keys that other machines can reach needs an explicit option.
    assert "--allow-unauthenticated" in SERVICES["bidder"]["command"]


def test_ports_are_published_on_loopback_unless_told_otherwise():
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "proxy": ["${APP_HOST:-127.0.0.1}:${APP_PORT:-8080}:8080"],
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


def option(name: str) -> list[str]:
    """Return the values that the proxy's configuration gives an option, in order."""
    return re.findall(rf"^ *{name} (.*?);", PROXY, re.MULTILINE)


def test_callers_reach_the_service_through_the_proxy_only():
    assert "ports" not in SERVICES["bidder"]
    assert SERVICES["bidder"]["environment"]["SPADES_BEHIND_PROXY"] == "1"
    assert SERVICES["proxy"]["build"]["target"] == "proxy"
    assert SERVICES["proxy"]["depends_on"]["bidder"] == {"condition": "service_healthy", "restart": True}
    command = SERVICES["bidder"]["command"]
    (upstream,) = re.findall(r"server (bidder:\d+) ", PROXY)
    assert upstream == f"bidder:{command[command.index('--port') + 1]}"
    assert option("listen") == ["8080 backlog=4096"]


def test_a_service_that_has_just_started_can_be_stopped():
    """Without an init it is process 1, and Linux drops a SIGTERM that process 1 does not handle yet."""
    assert SERVICES["bidder"]["init"] is True


def test_what_the_proxy_may_hold_fits_its_memory():
    """The head of nginx.conf has the same sum."""
    (requests,) = {int(value.split()[1]) for value in option("limit_conn") if value.startswith("all ")}
    number, size = option("proxy_buffers")[0].split()
    answer = (int(number) + 1) * int(size.removesuffix("k"))
    head, body = 4 * 8, int(option("client_body_buffer_size")[0].removesuffix("k"))
    files = int(re.findall(r"size=(\d+)m", SERVICES["proxy"]["tmpfs"][0])[0])
    mib = requests * (head + body + answer) / 1024 + files
    assert mib < int(SERVICES["proxy"]["mem_limit"].removesuffix("m"))
    assert requests == Settings().max_in_flight


def test_the_proxy_knows_the_sizes_of_bodies():
    plain, *batches = option("client_max_body_size")
    assert plain == f"{MAX_BODY_BYTES // 1024}k"
    assert set(batches) == {f"{MAX_BATCH_BYTES // 1024 // 1024}m", "0"}  # 0: the problems
    names = [*re.findall(r"location ~ \^/v1/\((.*?)\)\$ ", PROXY)[0].split("|"), "results"]
    assert {f"/v1/{name}" for name in names} == {r.path for r in ROUTES if r.max_body_bytes == MAX_BATCH_BYTES}


def test_the_proxy_ends_idle_connections_before_the_service():
    client_s, upstream_s = (float(value.removesuffix("s")) for value in option("keepalive_timeout"))
    assert upstream_s < 5.0 < Settings().idle_s, "5 s is the default of uvicorn"
    assert client_s > upstream_s


def test_the_proxys_problems_are_those_of_the_service():
    answers = re.findall(r"location = /problem/(\S+) \{.*?return (\d+) '(.*?)';", PROXY, re.DOTALL)
    assert len(answers) == PROXY.count("location = /problem/") == 8
    for name, status, text in answers:
        problem = json.loads(text)
        assert list(problem) == ["type", "title", "status", "detail"]
        assert problem["type"] == f"/problems/{name}"
        assert (problem["status"], problem["title"]) == TYPES[name][:2]
        assert status == str(TYPES[name].status)
        used = [value.split() for value in option("error_page") if value.endswith(f"/{name}")]
        assert used, name
        assert f"={status}" in used[0] or used[0][:-1] in ([status], [status, "="])
    assert no_such_path().detail in PROXY
