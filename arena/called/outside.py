"""Agents outside the compiled code: a function or an object in a Python file, or a server on the network.

They get and give the JSON of the HTTP contract (`arena.questions`), so a bot of any kind can be matched whole:

- ``python(file=FILE, name=NAME)``: NAME is a function, which bids, or an object or a class with a method ``bid`` and
  perhaps ``card``, ``pass_cards`` and ``blind``. Each takes the request as a dict, and returns the answer or the field
  of it that counts. The file runs once per process. If several threads play, only one calls at a time.
- ``http(url=http://HOST:PORT)``: a server that answers POST /v1/bid, and with ``cards=on`` /v1/card, with
  ``passes=on`` /v1/pass, with ``blind=on`` /v1/bid/blind. Requests go over one open connection per thread, in batches
  to /v1/bids and /v1/cards if the server has them. ``policy=rb`` becomes a field of each request for a bid.

On a cluster, every worker opens its own agent. The file or the address must exist there too.

An answer must depend on the request alone; otherwise a match cannot be repeated.
"""

import http.client
import importlib.util
import json
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

import numpy as np

from arena.agent_text import AgentText, Option, one_of, parse_text, read_options, some_text
from arena.called import CalledAgent, Resources
from arena.engine.rounds import Ints
from arena.errors import AgentError, BidderError
from arena.questions import BID, BLIND, CARD, PASS, QUESTIONS, Answering, Asked, WrongAnswerError
from spades.arguments import decimal
from spades.rules import Rules

Request = dict[str, Any]

TIMEOUT_S = 30.0
TRIES = 5  # if the server rejects requests under load, or has closed an idle connection
LONGEST_WAIT_S = 5.0
_JSON = {"Content-Type": "application/json", "Accept": "application/json, application/problem+json"}
_SWITCH = ("on", "off")
PYTHON_OPTIONS = (
    some_text("file", "path/to/file.py", about="a Python file"),
    some_text("name", "the name of a function, an object or a class in the file", about="what answers"),
)
HTTP_OPTIONS = (
    some_text("url", "http://HOST:PORT, or the address of POST /v1/bid", about="a server"),
    some_text("policy", "the name of a policy", "", "a field of each request for a bid"),
    one_of("cards", _SWITCH, "off", "whether the server plays cards too"),
    one_of("passes", _SWITCH, "off", "whether the server chooses the cards to pass too"),
    one_of("blind", _SWITCH, "off", "whether the server decides about blind bids too"),
)


class OutsideAgent(Answering):
    """An agent outside the compiled code."""

    text: str  # names the agent
    questions: frozenset[int]  # that the agent answers

    def ask(self, question: int, requests: list[Request]) -> list[object]:
        """Return an answer to each request, in order. Raises `WrongAnswerError`."""
        raise NotImplementedError

    def answers(self, asked: Asked) -> Ints:
        """Return the agent's answers; see `Answering`.

        Raises `BidderError`, which names the position, if an answer is missing, wrong or not legal.
        """
        positions = asked.positions()
        try:
            answers = self.ask(asked.question, [position.request() for position in positions])
            numbers = [_number(positions[i].number_of, i, answer) for i, answer in enumerate(answers)]
        except WrongAnswerError as error:
            raise BidderError(f"{self.text}: {error}; {positions[error.index]}") from error
        return np.array(numbers, np.uint64).astype(np.int64)  # with 16 spades, the sign bit of a set of cards is a card


def _number(read: Callable[[object], int], index: int, answer: object) -> int:
    try:
        return read(answer)
    except ValueError as error:
        raise WrongAnswerError(index, f"answer {answer!r}", str(error)) from None


class PythonAgent(OutsideAgent):
    """An agent that calls a function, or the methods of an object, from a Python file. Their errors are not caught."""

    def __init__(self, text: AgentText) -> None:
        options = read_options(text, PYTHON_OPTIONS)
        self.text = str(text)
        self.calls, self.lock = _load(self.text, options["file"], options["name"])
        self.questions = frozenset(self.calls)

    def ask(self, question: int, requests: list[Request]) -> list[object]:
        """Return an answer to each request; see `OutsideAgent`."""
        with self.lock:
            return [self.calls[question](request) for request in requests]


@lru_cache(maxsize=64)
def _load(text: str, file: str, name: str) -> tuple[Mapping[int, Callable[[Request], object]], threading.Lock]:
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"arena_agent_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BidderError(f"{text}: {path} is not a Python file; accepted: the path of an existing .py file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    agent = getattr(module, name, None)
    if isinstance(agent, type):
        agent = agent()
    methods = {number: getattr(agent, question.method, None) for number, question in enumerate(QUESTIONS)}
    calls = {number: method for number, method in methods.items() if callable(method)}
    if not calls and callable(agent):
        calls = {BID: agent}
    if BID not in calls:
        accepted = "the name of a function, or of an object or a class with a method bid"
        raise BidderError(f"{text}: {path} has no callable {name}, or it does not bid; accepted: {accepted}")
    return calls, threading.Lock()


class HttpAgent(OutsideAgent):
    """An agent on a server that has the contract's POST /v1/bid, and perhaps the paths of the other questions."""

    def __init__(self, text: AgentText) -> None:
        options = read_options(text, HTTP_OPTIONS)
        parts = urlsplit(options["url"])
        self.text = str(text)
        if parts.scheme != "http" or not parts.hostname or parts.query:
            raise AgentError(
                f"{self.text}: url is {options['url']!r}; accepted: http://host:port/bid or http://host:port"
            )
        self.policy = {"policy": options["policy"]} if options["policy"] else {}
        named = {"cards": CARD, "passes": PASS, "blind": BLIND}
        self.questions = frozenset([BID, *(number for key, number in named.items() if options[key] == "on")])
        path = parts.path.rstrip("/")
        base = path.removesuffix("/bid").removesuffix("/v1")
        self.paths = {number: base + question.path for number, question in enumerate(QUESTIONS)}
        # By question, the path of its batches, as long as the server is not known to have none.
        self.batch_paths = {number: base + one.batch_path for number, one in enumerate(QUESTIONS) if one.batch_path}
        if path:
            self.paths[BID] = path
        if path and not path.endswith("/bid"):
            self.batch_paths = {}
            if self.questions != {BID}:
                raise AgentError(f"{self.text}: url has the path {path}; accepted: none, or one that ends in /bid")
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=TIMEOUT_S)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def ask(self, question: int, requests: list[Request]) -> list[object]:
        """Return an answer to each request; see `OutsideAgent`."""
        if question in (BID, BLIND):
            requests = [request | self.policy for request in requests]
        size = QUESTIONS[question].batch
        answers: list[object] = []
        for first in range(0, len(requests), size):
            answers += self._batch(question, requests[first : first + size], first)
        return answers

    def _batch(self, question: int, requests: list[Request], first: int) -> list[object]:
        # ``first``: the index of the first request.
        path = self.batch_paths.get(question)
        if path is not None:
            status, content = self._post(path, {"requests": requests}, first)
            if status not in (404, 405):
                return self._answers(path, len(requests), status, content, first)
            del self.batch_paths[question]  # send single requests from now on
        answers = []
        for index, request in enumerate(requests, first):
            status, content = self._post(self.paths[question], request, index)
            if status != 200:
                raise WrongAnswerError(index, f"status {status}: {_shown(content)}", "200")
            answers.append(content)
        return answers

    def _answers(self, path: str, number: int, status: int, content: object, first: int) -> list[object]:
        answers = content.get("answers") if isinstance(content, dict) else None
        if status != 200 or not isinstance(answers, list) or len(answers) != number:
            raise WrongAnswerError(first, f"status {status}: {_shown(content)} from {path}", f"{number} answers")
        for index, answer in enumerate(answers, first):
            if not isinstance(answer, dict) or answer.get("status") != 200:
                raise WrongAnswerError(index, _shown(answer), "status 200")
        return [answer.get("body") for answer in answers]

    def _post(self, path: str, content: object, index: int) -> tuple[int, object]:
        body = json.dumps(content).encode()
        for attempt in range(TRIES):
            try:
                self.connection.request("POST", path, body, _JSON)
                answer = self.connection.getresponse()
                text = answer.read()
            except (http.client.HTTPException, OSError) as error:
                self.connection.close()  # the next request opens it again
                if attempt + 1 == TRIES or isinstance(error, TimeoutError):
                    accepted = f"an answer within {TIMEOUT_S:g} s"
                    raise WrongAnswerError(index, f"no answer to POST {path}: {error!r}", accepted) from error
                time.sleep(0.1 * attempt)
                continue
            if answer.status in (429, 503) and attempt + 1 < TRIES:
                time.sleep(min(_seconds(answer.getheader("Retry-After", "")), LONGEST_WAIT_S))
                continue
            try:
                return answer.status, json.loads(text)
            except ValueError:
                if answer.status == 200:
                    raise WrongAnswerError(index, f"{text[:200]!r} from POST {path}", "JSON") from None
                return answer.status, text.decode(errors="replace")
        raise AssertionError("the last attempt returns or raises")


def _seconds(retry_after: str) -> float:
    """Return the wait that a Retry-After header names, in seconds; 1 if it is a date or missing."""
    try:
        return max(0.0, decimal(retry_after))
    except ValueError:
        return 1.0


def _shown(content: object) -> str:
    return repr(content)[:300]


@dataclass(frozen=True)
class Program(CalledAgent):
    """A program outside this project, as its text describes it."""

    text: str
    plays_cards: ClassVar[bool] = True  # if it answers for cards, which only it knows
    outside: ClassVar[bool] = True

    @classmethod
    def read(cls, text: AgentText) -> Self:
        """Return the program that a text describes; see `CalledAgent`."""
        read_options(text, cls.options)
        return cls(str(text))

    @abstractmethod
    def connected(self) -> OutsideAgent:
        """Return the agent, which the caller closes. Raises `AgentError` or `BidderError`."""

    def opened(self, rules: Rules, resources: Resources) -> Answering:
        """Return what answers; see `CalledAgent`."""
        return self.connected()

    def questions(self) -> frozenset[int]:
        """Return the questions that the program answers; see `CalledAgent`."""
        agent = self.connected()
        agent.close()
        return agent.questions

    def __str__(self) -> str:
        return self.text


class PythonProgram(Program):
    """A function or an object in a Python file."""

    about: ClassVar[str] = "a function or an object in a Python file"
    options: ClassVar[tuple[Option, ...]] = PYTHON_OPTIONS

    def connected(self) -> OutsideAgent:
        """Return the agent. Raises `BidderError` if the file has no such agent."""
        return PythonAgent(parse_text(self.text))


class HttpProgram(Program):
    """A server."""

    about: ClassVar[str] = "a server"
    options: ClassVar[tuple[Option, ...]] = HTTP_OPTIONS

    def connected(self) -> OutsideAgent:
        """Return the agent. Raises `AgentError` for a wrong address."""
        return HttpAgent(parse_text(self.text))
