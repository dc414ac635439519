"""Options that a table set gives to policies: which texts take them, and where the service says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.app import create_app
from service.settings import Settings
from service.table_sets import open_sets
from spades.errors import TablesError
from spades.manifest import MANIFEST, SEAL, FamilyEntry, sealed
from spades.rules import PARTNERSHIP, WHIZ
from spades.set_options import PolicyOptions, options_of, with_options
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from tests.patience import patient

LOW: dict[str, str] = {"policy": "bis", "variant": "partnership", "options": "nil_threshold=-60,offset=0.25"}
NIL: dict[str, Any] = {"hand": "973.8643.9752.84", "previous_bids": [4], "seat": 1}


def set_with(folder: Path, *rows: Any) -> Path:
    """The committed tables with options in the manifest."""
    folder.mkdir()
    for path in DEFAULT_DIRECTORY.glob("*.npy"):
        (folder / path.name).symlink_to(path)
    content = json.loads((DEFAULT_DIRECTORY / MANIFEST).read_bytes())
    entry = FamilyEntry(1, False, 0, {}, {"options": list(rows)}, {}, "", None)
    content["families"]["options"] = entry._asdict()
    del content[SEAL]
    (folder / MANIFEST).write_bytes(sealed(content))
    return folder


@pytest.fixture(scope="module")
def tuned(tmp_path_factory) -> Path:
    return set_with(tmp_path_factory.mktemp("options") / "tuned", LOW)


def test_a_text_takes_what_it_does_not_give():
    options = (PolicyOptions(**LOW), PolicyOptions("rb", "whiz", "nils=off"))
    for variant, text, found in (
        (PARTNERSHIP, "bis", "bis:nil_threshold=-60,offset=0.25"),
        (PARTNERSHIP, "bis:offset=1,nils=off", "bis:nil_threshold=-60,offset=1,nils=off"),
        (PARTNERSHIP, "bis:offset=1,nil_threshold=0", "bis:offset=1,nil_threshold=0"),
        (PARTNERSHIP, "bis:tuned", "bis:tuned"),
        (PARTNERSHIP, "bis:variant=ignore", "bis:variant=ignore"),
        (PARTNERSHIP, "rb", "rb"),
        (WHIZ, "bis", "bis"),
        (WHIZ, "rb", "rb:nils=off"),
    ):
        assert with_options(text, variant, options) == found
        assert with_options(text, variant, ()) == text


def test_the_service_takes_them_and_says_so(tuned, call):
    settings = patient(tables_dir=tuned)
    app = create_app(settings)
    app.state.serve(open_sets(settings))

    def bid(**fields: Any) -> Any:
        return call("POST", "/v1/bid", app, json=NIL | fields).json()

    plain, own = bid(), bid(policy="bis:nil_threshold=99")
    assert plain["policy"] == "bis:nil_threshold=-60,offset=0.25"
    assert plain["explanation"]["nil"]["threshold"] == -60
    assert plain == bid(policy=plain["policy"]) | {"assumed": plain["assumed"]}
    assert (own["policy"], own["explanation"]["nil"]["threshold"]) == ("bis:offset=0.25,nil_threshold=99", 99)
    assert bid(policy="bis:tuned")["policy"] == "bis:tuned"
    assert bid(policy="rb")["policy"] == "rb"
    assert bid(rules={"variant": "whiz"})["policy"] == "bis"
    blind = {"previous_bids": [4, 4, 3], "seat": 3, "rules": {"preset": "blind-nil"}}
    assert call("POST", "/v1/bid/blind", app, json=blind).json()["policy"] == plain["policy"]
    assert call("GET", "/v1/policies", app).json()["table_options"] == [LOW]
    assert call("GET", "/version", app).json()["table_sets"][0]["options"] == [LOW]


def test_the_shipped_tables_give_nothing(call):
    assert call("GET", "/v1/policies").json()["table_options"] == []
    assert call("POST", "/v1/bid", json=NIL).json()["policy"] == "bis"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"policy": "best"}, "found policy 'best'; expected bis, rb, ms, io, winprob"),
        ({"variant": "solo"}, "found variant 'solo'; expected partnership"),
        ({"options": "offset=9"}, "offset is '9'; accepted: a plain decimal number -5..5"),
        ({"options": "margin=0.1"}, "policy bis has no option 'margin'"),
        ({"options": "offset=1,nil_threshold=2,offset=3"}, "found offset more than once for bis; expected each option"),
        ({"variant": "whiz", "options": "convention=big5"}, "found convention big5 with variant whiz; expected none"),
        ({"options": ""}, "found 0 characters for bis; expected 1 to 100"),
        ({"more": ""}, "unexpected keyword argument 'more'"),
    ],
)
def test_wrong_options_are_refused(tmp_path, change, text):
    folder = set_with(tmp_path / "wrong", LOW | change)
    with pytest.raises(TablesError, match=text):
        options_of(open_tables(folder))
    with pytest.raises(TablesError, match=text):
        open_sets(Settings(tables_dir=folder))


def test_a_policy_has_one_entry_for_a_variant(tmp_path):
    with pytest.raises(TablesError, match="found bis with variant partnership twice; expected once"):
        options_of(open_tables(set_with(tmp_path / "twice", LOW, LOW | {"options": "offset=1"})))
