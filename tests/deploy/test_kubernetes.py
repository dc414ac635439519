"""The Kubernetes manifests: valid by the schemas of Kubernetes, consistent, and with a command that serves.

`assemble` does what kustomize would do with these files (resources, components, JSON patches).
"""

import copy
import os
import re
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from loadtest.servers import Server, free_port
from service.settings import Settings
from tests.patience import LIMIT_S, PATIENT, wait_until

ROOT = Path(__file__).parents[2]
K8S = ROOT / "deploy/k8s"
BASE = K8S / "base"
COMPONENTS = sorted(path.parent for path in K8S.glob("components/*/kustomization.yaml"))
LATEST = "latest"
VERSIONS = ("1.29", "1.31", "1.33", LATEST)
CUSTOM = {"ServiceMonitor", "PrometheusRule"}  # kinds of the Prometheus operator, which have no Kubernetes schema


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def kustomization(directory: Path) -> dict:
    return load(directory / "kustomization.yaml")


def assemble(*components: Path) -> list[dict]:
    """Return the resources of the base and the components, patched, with tagged images."""
    resources = [load(BASE / name) for name in kustomization(BASE)["resources"]]
    for component in components:
        plan = kustomization(component)
        resources += [load(component / name) for name in plan.get("resources", [])]
        for patch in plan.get("patches", []):
            target = patch["target"]
            (chosen,) = [r for r in resources if (r["kind"], r["metadata"]["name"]) == (target["kind"], target["name"])]
            for operation in load(component / patch["path"]):
                apply(operation, chosen)
    tags = {image["name"]: image["newTag"] for image in kustomization(BASE)["images"]}
    for resource in resources:
        if resource["kind"] == "Deployment":
            for container in resource["spec"]["template"]["spec"]["containers"]:
                container["image"] += ":" + tags[container["image"]]
    return resources


def apply(operation: dict, resource: dict) -> None:
    """Apply one operation of a JSON patch (RFC 6902), in place."""
    *steps, last = operation["path"].lstrip("/").split("/")
    parent: Any = resource
    for step in steps:
        parent = parent[int(step)] if isinstance(parent, list) else parent[step]
    match operation["op"]:
        case "test":
            assert parent[last] == operation["value"]
        case "replace":
            assert last in parent
            parent[last] = copy.deepcopy(operation["value"])
        case "add" if last == "-":
            parent.append(copy.deepcopy(operation["value"]))
        case other:
            raise AssertionError(f"{other} of {operation['path']}: not known to this test")


def of_kind(resources: list[dict], kind: str) -> dict:
    (found,) = [resource for resource in resources if resource["kind"] == kind]
    return found


def pod(resources: list[dict]) -> dict:
    return of_kind(resources, "Deployment")["spec"]["template"]


def container(resources: list[dict]) -> dict:
    (only,) = pod(resources)["spec"]["containers"]
    return only


@pytest.mark.parametrize("directory", [BASE, *COMPONENTS], ids=lambda path: path.name)
def test_each_file_is_named_and_no_other(directory):
    plan = kustomization(directory)
    named = plan.get("resources", []) + [patch["path"] for patch in plan.get("patches", [])]
    assert sorted(named) == sorted(path.name for path in directory.iterdir() if path.name != "kustomization.yaml")
    assert len(set(named)) == len(named)
    assert plan["kind"] == ("Kustomization" if directory == BASE else "Component")


@pytest.fixture
def schemas():
    """Return kubernetes_validate. Importing it takes over a second, so only tests that need it use this fixture."""
    return import_module("kubernetes_validate")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("components", [(), tuple(COMPONENTS)], ids=["base", "all"])
def test_valid_by_the_schemas(schemas, version, components):
    version = schemas.latest_version() if version == LATEST else version
    resources = assemble(*components)
    assert len(resources) == 6 + (3 if components else 0)
    for resource in resources:
        if resource["kind"] not in CUSTOM:
            schemas.validate(resource, version, strict=True)


def test_all_select_the_same_pods():
    resources = assemble(*COMPONENTS)
    labels = pod(resources)["metadata"]["labels"]
    selectors = [
        of_kind(resources, "Deployment")["spec"]["selector"]["matchLabels"],
        of_kind(resources, "Service")["spec"]["selector"],
        of_kind(resources, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        of_kind(resources, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        pod(resources)["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"],
    ]
    assert selectors == [labels] * len(selectors)
    # The ServiceMonitor selects the Service, not the pods.
    monitor = of_kind(resources, "ServiceMonitor")
    service = of_kind(resources, "Service")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert service["metadata"]["name"] == "bidder"  # the job label that rules and dashboard use
    target = of_kind(resources, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    deployment = of_kind(resources, "Deployment")
    assert target == {key: deployment[key] for key in ("apiVersion", "kind")} | {"name": deployment["metadata"]["name"]}
    assert "replicas" not in deployment["spec"]  # otherwise an apply would undo the autoscaler


def test_the_operators_rules_are_those_that_promtool_tests():
    groups = [group for path in sorted(ROOT.glob("deploy/prometheus/rules/*.yml")) for group in load(path)["groups"]]
    rules = of_kind(assemble(*COMPONENTS), "PrometheusRule")
    assert rules["spec"] == {"groups": groups}
    assert len(groups) > 5
    # the same PromQL text with its comments, not just the same value
    written = (K8S / "components/prometheusrule/prometheusrule.yaml").read_text()
    for path in ROOT.glob("deploy/prometheus/rules/*.yml"):
        for line in path.read_text().partition("\ngroups:\n")[2].splitlines():
            assert f"{'  ' if line else ''}{line}\n" in written, line


def test_ports_by_name():
    resources = assemble(*COMPONENTS)
    ports = {port["name"]: port["containerPort"] for port in container(resources)["ports"]}
    named = [port["targetPort"] for port in of_kind(resources, "Service")["spec"]["ports"]]
    named += [endpoint["port"] for endpoint in of_kind(resources, "ServiceMonitor")["spec"]["endpoints"]]
    for rule in of_kind(resources, "NetworkPolicy")["spec"]["ingress"]:
        named += [port["port"] for port in rule["ports"]]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        named.append(container(resources)[probe]["httpGet"]["port"])
    assert set(named) == set(ports)
    environment = {entry["name"]: entry["value"] for entry in container(resources)["env"]}
    assert environment["SPADES_METRICS_ADDRESS"] == f"0.0.0.0:{ports['metrics']}"
    args = container(resources)["args"]
    assert args[args.index("--port") + 1] == str(ports["http"])


def test_probes_ask_what_they_are_for():
    asked = {name: container(assemble())[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe")}
    assert set(asked.values()) == {"/readyz"}
    assert container(assemble())["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_no_more_rights_than_needed():
    resources = assemble(*COMPONENTS)
    user = pod(resources)["spec"]["securityContext"]
    assert user["runAsNonRoot"] is True
    found = re.search(r"^USER (\d+):(\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert found is not None
    assert (user["runAsUser"], user["runAsGroup"]) == (int(found[1]), int(found[2]))
    rights = container(resources)["securityContext"]
    assert rights["readOnlyRootFilesystem"] is True
    assert rights["allowPrivilegeEscalation"] is False
    assert rights["capabilities"] == {"drop": ["ALL"]}
    assert pod(resources)["spec"]["automountServiceAccountToken"] is False
    policy = of_kind(resources, "NetworkPolicy")["spec"]
    assert policy["egress"] == []
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    mounts = {mount["name"] for mount in container(resources)["volumeMounts"]}
    assert mounts == {volume["name"] for volume in pod(resources)["spec"]["volumes"]}


def test_the_fast_parser_is_only_behind_the_ingress():
    """It has no limits of its own, so nobody else may reach the pods that use it."""
    assert "SPADES_BEHIND_PROXY" not in {entry["name"] for entry in container(assemble())["env"]}
    resources = assemble(K8S / "components/ingress")
    assert {"name": "SPADES_BEHIND_PROXY", "value": "1"} in container(resources)["env"]
    (rule,) = [
        rule
        for rule in of_kind(resources, "NetworkPolicy")["spec"]["ingress"]
        if rule["ports"][0]["port"] == "http"  # the other one is for Prometheus
    ]
    (source,) = rule["from"]
    assert source["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "ingress-nginx"}
    assert source["podSelector"]["matchLabels"]


def test_the_ingress_has_the_limits_of_the_proxy():
    resources = assemble(K8S / "components/ingress")
    ingress = of_kind(resources, "Ingress")
    (path,) = ingress["spec"]["rules"][0]["http"]["paths"]
    service = of_kind(resources, "Service")
    assert path["backend"]["service"]["name"] == service["metadata"]["name"]
    assert path["backend"]["service"]["port"]["name"] in {port["name"] for port in service["spec"]["ports"]}
    comment = (K8S / "components/ingress/kustomization.yaml").read_text()
    limits = dict(re.findall(r'^#   ([a-z-]+): "(.*?)"', comment, re.MULTILINE))
    assert int(limits.pop("upstream-keepalive-timeout")) < Settings().idle_s
    assert int(limits.pop("max-worker-connections")) > 0
    limits |= {name.rpartition("/")[2]: value for name, value in ingress["metadata"]["annotations"].items()}
    other_names = {
        "proxy-body-size": "client_max_body_size",
        "limit-connections": "limit_conn address",
        "keep-alive": "keepalive_timeout",
    }
    proxy = (ROOT / "deploy/nginx/nginx.conf").read_text()
    for name, value in limits.items():
        option = other_names.get(name, name.replace("-", "_"))
        unit = "s" if option.endswith("timeout") else ""
        assert re.search(rf"^ *{option} {value}{unit};", proxy, re.MULTILINE), f"{option} {value}"


def test_a_pod_has_time_to_end():
    sleeping = container(assemble())["lifecycle"]["preStop"]["exec"]["command"]
    assert sleeping[0] == "sleep"
    needed = int(sleeping[1]) + Settings().drain_s + Settings().grace_s
    assert pod(assemble())["spec"]["terminationGracePeriodSeconds"] > needed


def serve(resources: list[dict], expected: int, **environment: str) -> None:
    """Run the container's command on loopback: a request gets status ``expected``; metrics have a separate port."""
    server, metrics = Server("127.0.0.1", free_port()), Server("127.0.0.1", free_port())
    spec = container(resources)
    given = {entry["name"]: entry["value"] for entry in spec["env"]} | PATIENT | environment
    given["SPADES_METRICS_ADDRESS"] = f"127.0.0.1:{metrics.port}"
    words = [word.replace("0.0.0.0", "127.0.0.1").replace("8080", str(server.port)) for word in spec["args"]]
    assert spec["command"][0] == "python"
    process = subprocess.Popen([sys.executable, *spec["command"][1:], *words], cwd=ROOT, env=os.environ | given)
    try:

        def ready() -> bool:
            assert process.poll() is None
            try:
                return server.get("/readyz")[0] == 200
            except OSError:
                return False  # it does not listen yet

        wait_until(ready)
        assert "spades_ready 1.0" in metrics.get("/metrics")[1]
        assert server.get("/metrics")[0] != 200
        status = server.get("/v1/policies")[0]
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT_S) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert status == expected


@pytest.mark.server
def test_the_containers_command_serves():
    assert "--allow-unauthenticated" in container(assemble())["args"]
    serve(assemble(), 200)


@pytest.mark.server
def test_with_keys_a_key_is_needed(tmp_path):
    resources = assemble(K8S / "components/api-keys")
    assert "--allow-unauthenticated" not in container(resources)["args"]
    environment = {entry["name"]: entry["value"] for entry in container(resources)["env"]}
    mount = {mount["name"]: mount["mountPath"] for mount in container(resources)["volumeMounts"]}["api-keys"]
    assert environment["SPADES_API_KEYS_FILE"] == f"{mount}/keys"
    (tmp_path / "keys").write_text("somebody " + "0" * 64 + "\n")
    serve(resources, 401, SPADES_API_KEYS_FILE=str(tmp_path / "keys"))
