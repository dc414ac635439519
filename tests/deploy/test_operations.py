"""docs/reference/metrics.md against the code: its metrics are those that the service shows."""

import re
from pathlib import Path

from service.metrics import Metrics

PAGE = (Path(__file__).parents[2] / "docs/reference/metrics.md").read_text()


def test_all_metrics_are_told_with_their_labels():
    families = list(Metrics().registry.collect())
    shown = {family.name: family.type for family in families if family.name.startswith("spades_")}
    told = dict(re.findall(r"^\| `(spades_[a-z_]+?)(?:_total)?`(?: \{[a-z0-9, ]+\})? \| (\w+) \|", PAGE, re.MULTILINE))
    assert told == shown


def test_what_the_rules_and_the_dashboard_ask_for_exists():
    """A query with a misspelt name would be empty without an error."""
    deploy = Path(__file__).parents[2] / "deploy"
    known = set(re.findall(r"`(spades_[a-z_]+)`", PAGE))
    known |= {name + end for name in known for end in ("_bucket", "_sum", "_count")}
    for path in (*deploy.glob("prometheus/rules/*.yml"), *deploy.glob("grafana/dashboards/*.json")):
        asked = set(re.findall(r"(?<![:\w])spades_[a-z_]+(?=[{\[ )\\=])", path.read_text()))
        assert asked, path
        assert asked <= known, path
