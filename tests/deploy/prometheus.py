"""A real Prometheus for tests: the committed configuration and rules, with shorter times."""

import http.client
import json
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from loadtest.servers import free_port
from tests.patience import LIMIT_S, wait_until
from tests.tools import find_program

DEPLOY = Path(__file__).parents[2] / "deploy"
SCRAPE_S = 1
FOR = "2s"  # in place of each alert's `for`


def ask(url: str, path: str, **parameters: str) -> dict:
    """Return the data of an answer of Prometheus's HTTP interface."""
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f"{url}{path}?{query}", timeout=LIMIT_S) as response:
        return json.load(response)["data"]


def query(url: str, expression: str) -> list[dict]:
    """Return the series of an expression, each with `metric` and `value`."""
    return ask(url, "/api/v1/query", query=expression)["result"]


@contextmanager
def running_prometheus(directory: Path, target: str) -> Iterator[str]:
    """Run Prometheus, which scrapes the service at ``target`` (host:port), and yield its URL after the first scrape.

    Files go to ``directory``.
    """
    find_program("prometheus")
    url = f"http://127.0.0.1:{free_port()}"
    _write_configuration(directory, target)
    command = [
        *("prometheus", f"--config.file={directory}/prometheus.yml", f"--storage.tsdb.path={directory}/data"),
        f"--web.listen-address={url.removeprefix('http://')}",
    ]
    log = directory / "prometheus.log"
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
    try:
        _wait_for_scrapes(url, process, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _write_configuration(directory: Path, target: str) -> None:
    configuration = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
    times = {"scrape_interval": f"{SCRAPE_S}s", "scrape_timeout": f"{SCRAPE_S}s", "evaluation_interval": "1s"}
    configuration["global"] |= times
    (job,) = configuration["scrape_configs"]
    del job["dns_sd_configs"]
    job["static_configs"] = [{"targets": [target]}]
    (directory / "prometheus.yml").write_text(yaml.safe_dump(configuration))
    (directory / "rules").mkdir()
    for path in DEPLOY.glob("prometheus/rules/*.yml"):
        rules = yaml.safe_load(path.read_text())
        for group in rules["groups"]:
            for rule in group["rules"]:
                if "for" in rule:
                    rule["for"] = FOR
        (directory / "rules" / path.name).write_text(yaml.safe_dump(rules))


def _wait_for_scrapes(url: str, process: subprocess.Popen, log: Path) -> None:
    def scraped() -> bool:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            return bool(query(url, 'up{job="bidder"} == 1'))
        except (OSError, http.client.HTTPException):
            return False  # it does not listen yet

    wait_until(scraped, lambda: f"no scrape: {log.read_text()[-2000:]}")
