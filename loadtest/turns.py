"""Compare servers in turns: short rounds that alternate, so that a change of the machine's speed meets all of them.

CPU time is the kernel's count for all threads of a server, in ns, from one round of this server to the next. So work
that a server puts off, such as writing a log, is counted. On a busy machine CPU time for each request changes far less
than the rate. Two processes of the same code differ by some percent, because their memory is laid out differently. So
each comparison starts its servers several times, and the interval is Student's, over the starts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from math import exp, inf, log
from pathlib import Path
from statistics import fmean, median, stdev
from time import perf_counter
from typing import NamedTuple, Protocol, TypeVar

from scipy.special import stdtrit

from loadtest.arrivals import Connection, Prepared
from loadtest.servers import Server

_CONFIDENCE = 0.95
_ANSWER_S = 120.0  # how long an answer may take: a busy machine stops a process for seconds
_PAUSE_S = 2.0  # uvicorn closes a connection that is idle for 5 s


class Interval(NamedTuple):
    """An estimate with its 95% interval."""

    value: float
    low: float
    high: float

    def text(self, digits: int) -> str:
        """Return the estimate and, in brackets, the interval."""
        return f"{self.value:,.{digits}f} [{self.low:,.{digits}f}, {self.high:,.{digits}f}]"


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean with Student's interval; without bounds for a single value.

    >>> mean_interval([1.0, 2.0, 3.0]).text(2)
    '2.00 [-0.48, 4.48]'
    """
    mean = fmean(values)
    if len(values) < 2:
        return Interval(mean, -inf, inf)
    half = float(stdtrit(len(values) - 1, (1 + _CONFIDENCE) / 2)) * stdev(values) / len(values) ** 0.5
    return Interval(mean, mean - half, mean + half)


def ratio_interval(ratios: Sequence[float]) -> Interval:
    """Return the geometric mean of ratios, with its interval.

    >>> ratio_interval([2.0, 2.0]).text(1)
    '2.0 [2.0, 2.0]'
    """
    value, low, high = mean_interval([log(one) for one in ratios])
    return Interval(exp(value), exp(low), exp(high) if high < inf else inf)


class Plan(NamedTuple):
    """How often the servers are started, the rounds of each start, and the seconds of a round."""

    starts: int
    rounds: int
    seconds: float

    def text(self) -> str:
        """Return the plan in words."""
        return f"{self.starts} starts of {self.rounds} rounds of {self.seconds:g} s; 95% intervals"


def shown(goal: str, kept: bool) -> list[str]:
    """Print whether a goal is shown; return it in a list if it is not."""
    print(f"  goal: {goal}: {'shown' if kept else 'NOT SHOWN'}")
    return [] if kept else [goal]


Result = TypeVar("Result")
_Loaded = TypeVar("_Loaded", covariant=True)


class Load(Protocol[_Loaded]):
    """A load of one server, which measures it."""

    def load(self, seconds: float) -> _Loaded:
        """Send requests for ``seconds`` and return what was measured."""


Opened = Callable[[], AbstractContextManager[Load[Result]]]


def in_turns(sides: Mapping[str, Opened[Result]], plan: Plan) -> dict[str, list[list[Result]]]:
    """Load the servers of the ``sides`` in turns; return by side the results of the rounds of each start.

    The order changes with each start and with each round. The first round of a start warms up and is not counted.
    """
    found: dict[str, list[list[Result]]] = {name: [] for name in sides}
    names = list(sides)
    for start in range(plan.starts):
        with ExitStack() as stack:
            order = names if start % 2 else names[::-1]
            opened = {name: stack.enter_context(sides[name]()) for name in order}
            rounds: dict[str, list[Result]] = {name: [] for name in sides}
            for number in range(plan.rounds + 1):
                for name in order if number % 2 else order[::-1]:
                    result = opened[name].load(plan.seconds)
                    if number:
                        rounds[name].append(result)
        for name, results in rounds.items():
            found[name].append(results)
    return found


Starts = Sequence[Sequence[Result]]


def figure(starts: Starts[Result], of: Callable[[Result], float]) -> Interval:
    """Return a figure of one side: the mean over the starts of the median over the rounds."""
    return mean_interval([median(map(of, rounds)) for rounds in starts])


def ratio(above: Starts[Result], below: Starts[Result], of: Callable[[Result], float]) -> Interval:
    """Return the ratio of a figure of two sides: the median over the rounds' pairs, and its mean over the starts."""
    starts = zip(above, below, strict=True)
    return ratio_interval([median(of(a) / of(b) for a, b in zip(*rounds, strict=True)) for rounds in starts])


def difference(above: Starts[Result], below: Starts[Result], of: Callable[[Result], float]) -> Interval:
    """Return the difference of a figure of two sides, made like a `ratio`."""
    starts = zip(above, below, strict=True)
    return mean_interval([median(of(a) - of(b) for a, b in zip(*rounds, strict=True)) for rounds in starts])


class Spent(NamedTuple):
    """What requests to one server took."""

    items: int  # requests, or what batches consist of
    wall_s: float
    cpu_s: float

    def rate(self) -> float:
        """Return the requests for each second of the caller."""
        return self.items / self.wall_s

    def cpu_us(self) -> float:
        """Return the server's CPU time for each request, us."""
        return self.cpu_s / self.items * 1e6

    def core_rate(self) -> float:
        """Return the requests for each second of the server's CPU time."""
        return self.items / self.cpu_s


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that the threads of a process have used."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


class Callers:
    """Connections that each send a request and then wait for all answers, again and again.

    They open with the first request, and again after a pause: servers close connections that send nothing.
    """

    def __init__(self, server: Server, requests: Iterator[Prepared], connections: int, items: int = 1) -> None:
        self.server = server
        self._requests = requests
        self._count = connections
        self._items = items  # in each request
        self._connections: list[Connection] = []
        self._used_s = cpu_s(server.pid)
        self._ended = -inf

    def turn(self) -> int:
        """Send the next request on each connection, wait for the answers and return the number of items in them.

        Raises `ConnectionError` if an answer has another status than expected, `TimeoutError` if it takes too long.
        """
        for connection in self._connections:
            connection.send(next(self._requests), 0.0)
        for connection in self._connections:
            while (status := connection.receive()) == 0:
                pass
            if status != connection.expected:
                raise ConnectionError(f"status is {status}; accepted: {connection.expected}")
        return len(self._connections) * self._items

    def load(self, seconds: float) -> Spent:
        """Take turns for ``seconds``, at least one."""
        if perf_counter() - self._ended > _PAUSE_S:
            self.open()
        count, started = 0, perf_counter()
        while count == 0 or perf_counter() - started < seconds:
            count += self.turn()
        self._ended, before_s = perf_counter(), self._used_s
        self._used_s = cpu_s(self.server.pid)
        return Spent(count, self._ended - started, self._used_s - before_s)

    def open(self) -> None:
        """Open the connections anew."""
        self.close()
        for _ in range(self._count):
            self._connections.append(Connection((self.server.host, self.server.port)))
            self._connections[-1].socket.settimeout(_ANSWER_S)

    def close(self) -> None:
        """Close the connections."""
        while self._connections:
            self._connections.pop().close()


@contextmanager
def callers(server: Server, requests: Iterator[Prepared], connections: int, items: int = 1) -> Iterator[Callers]:
    """Return callers of a server, whose connections close when the block ends."""
    made = Callers(server, requests, connections, items)
    try:
        yield made
    finally:
        made.close()
