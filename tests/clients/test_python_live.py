"""The Python client against services on loopback, and installed from its wheel (`make test-clients`)."""

import asyncio
import json
import re
import shutil
import sys
import sysconfig
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest
from spades_client import AsyncClient, Client, InvalidRequest, ProblemError, Unavailable, simple_bid
from spades_client.models import BidRequest

from clients.generate import BUILD, PYTHON_MODELS, ROOT, contract, python_models, run
from service import __version__
from spades.contract.examples import (
    BLIND_REQUEST,
    CARD_REQUEST,
    INFERENCE_REQUEST,
    PASS_REQUEST,
    REQUEST,
    RESULTS_REQUEST,
    REVIEW_REQUEST,
    SHORT_INFERENCE_REQUEST,
)
from tests.clients.bad_service import ANSWERS
from tests.clients.conftest import KEY
from tests.patience import LIMIT_S

HERE = Path(__file__).parent
pytestmark = pytest.mark.clients
BID: BidRequest = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2}
CALLS = {
    "bid": (REQUEST, "bid"),
    "bids": ({"requests": [REQUEST, {}]}, "answers"),
    "blind": (BLIND_REQUEST, "blind_nil"),
    "pass_cards": (PASS_REQUEST, "cards"),
    "card": (CARD_REQUEST, "card"),
    "cards": ({"requests": [CARD_REQUEST]}, "answers"),
    "inference": (INFERENCE_REQUEST, "seats"),
    "inferences": ({"requests": [SHORT_INFERENCE_REQUEST]}, "answers"),
    "review": (REVIEW_REQUEST, "decisions"),
    "results": (RESULTS_REQUEST, "accepted"),
    "list_policies": (None, "policies"),
    "list_rules": (None, "presets"),
    "list_reasons": (None, "reasons"),
    "version": (None, "service"),
}


def arguments(body):
    return () if body is None else (body,)


def test_every_method_gets_an_answer(url):
    async def all_at_once():
        async with AsyncClient(url, timeout_s=LIMIT_S) as client:
            found = [getattr(client, name)(*arguments(body)) for name, (body, _) in CALLS.items()]
            return await asyncio.gather(*found)

    with Client(url, timeout_s=LIMIT_S) as client:
        blocking = [getattr(client, name)(*arguments(body)) for name, (body, _) in CALLS.items()]
    for answer, (_, field) in zip(blocking, CALLS.values(), strict=True):
        assert field in answer
    assert asyncio.run(all_at_once()) == blocking


def test_faults_have_their_place_and_what_is_accepted(url):
    with Client(url) as client, pytest.raises(InvalidRequest) as caught:
        client.bid({**BID, "seat": 3}, timeout_s=LIMIT_S)
    detail = "seat is 3 after 2 previous bids; accepted: 2, or leave seat out"
    assert caught.value.faults == [{"pointer": "/seat", "code": "seat-mismatch", "detail": detail}]


def test_a_key_is_sent(keyed_url):
    with Client(keyed_url, timeout_s=LIMIT_S) as client, pytest.raises(ProblemError) as caught:
        client.bid(BID)
    assert caught.value.type == "/problems/unauthorized"
    with Client(keyed_url, key=KEY, timeout_s=LIMIT_S) as client:
        assert client.bid(BID)["policy"] == "bis"


def test_retry_after_is_kept(bad_url):
    with Client(f"{bad_url}/once/{uuid4()}", timeout_s=LIMIT_S) as client:
        assert "fallback" not in client.bid(BID)
    with Client(f"{bad_url}/later/{uuid4()}", timeout_s=LIMIT_S) as client:
        assert "fallback" not in client.bid(BID), "Retry-After is longer than the deadline"
    with Client(f"{bad_url}/busy", timeout_s=LIMIT_S, attempts=1) as client, pytest.raises(Unavailable) as caught:
        client.bid(BID)
    assert caught.value.retry_after_s == 1


def test_a_thousand_bids_at_once_are_all_bids_of_the_service(url):
    with Client(url, timeout_s=LIMIT_S, fallback=simple_bid) as client, ThreadPoolExecutor(100) as threads:
        answers = list(threads.map(client.bid, [BID] * 1000))
    assert len(answers) == 1000
    assert not [answer["fallback"] for answer in answers if "fallback" in answer]


def test_the_work_of_a_burst_grows_with_the_calls_and_not_with_their_square(url):
    """httpx works on all waiting calls at each answer, and fails here: 26 times the CPU time for 4 times the calls."""

    async def burst(calls: int) -> float:
        async with AsyncClient(url, timeout_s=LIMIT_S, fallback=simple_bid) as client:
            start_s = time.process_time()
            answers = await asyncio.gather(*(client.bid(BID) for _ in range(calls)))
            cpu_s = time.process_time() - start_s
        assert not [answer["fallback"] for answer in answers if "fallback" in answer]
        return cpu_s

    asyncio.run(burst(10))  # what only the first calls of a process do
    few_s, many_s = (min(asyncio.run(burst(calls)) for _ in range(2)) for calls in (250, 1000))
    assert many_s < 8 * few_s, "linear: 4 times, quadratic: 16 times"


@pytest.mark.parametrize("kind", ["silent", "slow-body", "slow-head", "busy", *ANSWERS])
def test_a_table_never_waits(bad_url, kind):
    timeout_s = 0.2 if kind in ("silent", "slow-body", "slow-head") else LIMIT_S

    async def on_a_loop():
        async with AsyncClient(f"{bad_url}/{kind}", fallback=simple_bid, attempts=1) as client:
            return await client.bid(BID, timeout_s=timeout_s)

    with Client(f"{bad_url}/{kind}", fallback=simple_bid, attempts=1) as client:
        answer = client.bid(BID, timeout_s=timeout_s)
    for found in (answer, asyncio.run(on_a_loop())):
        assert (found["bid"], found["policy"]) == (5, "fallback")
        assert (found["fallback"] == "no answer in 0.2 s") == (timeout_s == 0.2), found["fallback"]


def test_the_models_are_up_to_date():
    assert python_models(contract()) == PYTHON_MODELS.read_text(), "run make clients"


def examples_of_the_readme() -> list[str]:
    page = (ROOT / "clients" / "python" / "README.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert examples
    return examples


def test_the_wheel_runs_the_examples_of_its_readme_alone(url, tmp_path):
    """Its environment has the installed packages, but neither the service nor this repository."""
    folder = ROOT / "clients" / "python"
    build = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, folder)
    run(sys.executable, "-m", "pip", *build)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"spades_client-{__version__}-")
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "venv")}))
    # Python does not read the .pth files of a folder that is added in this way, such as that of the repository.
    (packages / "installed.pth").write_text(sysconfig.get_path("purelib"))
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel)
    for number, example in enumerate(examples_of_the_readme()):
        path = tmp_path / f"example_{number}.py"
        patient = example.replace('8080")', f'8080", timeout_s={LIMIT_S})')
        path.write_text(patient.replace("http://127.0.0.1:8080", url))
        run(python, "-I", path, cwd=tmp_path)
        run(sys.executable, "-m", "mypy", "--strict", "--python-executable", python, path, cwd=BUILD)


@pytest.mark.needs("npm")
def test_the_examples_of_the_readme_pass_pyright():
    folder = BUILD / "pyright"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    run("npm", "ci", "--no-audit", "--no-fund", cwd=folder)
    settings = {"extraPaths": [str(ROOT / "clients" / "python")], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    files = [folder / f"example_{number}.py" for number, _ in enumerate(examples_of_the_readme())]
    for file, example in zip(files, examples_of_the_readme(), strict=True):
        file.write_text(example)
    run("node_modules/.bin/pyright", "--pythonpath", sys.executable, *files, cwd=folder)
