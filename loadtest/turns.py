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
from typing import NamedTuple

from scipy.stats import t as student

from loadtest import arrivals
from loadtest.arrivals import Connection, Prepared
from loadtest.servers import Server

_CONFIDENCE = 0.95


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
    half = float(student.ppf((1 + _CONFIDENCE) / 2, len(values) - 1)) * stdev(values) / len(values) ** 0.5
    return Interval(mean, mean - half, mean + half)


def ratio_interval(ratios: Sequence[float]) -> Interval:
    """Return the geometric mean of ratios, with its interval.

    >>> ratio_interval([2.0, 2.0]).text(1)
    '2.0 [2.0, 2.0]'
    """
    value, low, high = mean_interval([log(one) for one in ratios])
    return Interval(exp(value), exp(low), exp(high) if high < inf else inf)


class Spent(NamedTuple):
    """What requests to one server took."""

    requests: int
    wall_s: float
    cpu_s: float

    def rate(self) -> float:
        """Return the requests for each second of the caller."""
        return self.requests / self.wall_s

    def cpu_us(self) -> float:
        """Return the server's CPU time for each request, us."""
        return self.cpu_s / self.requests * 1e6


class Plan(NamedTuple):
    """How often the servers are started, the rounds of each start, and the seconds of a round."""

    starts: int
    rounds: int
    seconds: float


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that the threads of a process have used."""
    return sum(int(path.read_text().split()[0]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


class Callers:
    """Connections that send the same request together and then wait for all answers, again and again.

    They open with the first request: a server closes connections that send nothing while other servers start.
    """

    def __init__(self, server: Server, request: Prepared, connections: int) -> None:
        self.server = server
        self._request = request
        self._count = connections
        self._connections: list[Connection] = []
        self._used_s = cpu_s(server.pid)

    def load(self, seconds: float) -> Spent:
        """Send requests for ``seconds``, at least one on each connection.

        Raises `ConnectionError` if an answer has another status than expected, `TimeoutError` if it takes too long.
        """
        while len(self._connections) < self._count:
            self._connections.append(Connection((self.server.host, self.server.port)))
            self._connections[-1].socket.settimeout(arrivals.TIMEOUT_S)
        count, started = 0, perf_counter()
        while count == 0 or perf_counter() - started < seconds:
            for connection in self._connections:
                connection.send(self._request, 0.0)
            for connection in self._connections:
                while (status := connection.receive()) == 0:
                    pass
                if status != self._request.status:
                    raise ConnectionError(f"status is {status}; accepted: {self._request.status}")
            count += len(self._connections)
        wall_s, before_s = perf_counter() - started, self._used_s
        self._used_s = cpu_s(self.server.pid)
        return Spent(count, wall_s, self._used_s - before_s)

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections:
            connection.socket.close()


@contextmanager
def callers(server: Server, request: Prepared, connections: int) -> Iterator[Callers]:
    """Return callers of a server, whose connections close when the block ends."""
    made = Callers(server, request, connections)
    try:
        yield made
    finally:
        made.close()


Opened = Callable[[], AbstractContextManager[Callers]]


def in_turns(sides: Mapping[str, Opened], plan: Plan) -> dict[str, list[list[Spent]]]:
    """Load the servers of the ``sides`` in turns; return by side what the rounds of each start took.

    The order changes with each start and with each round. The first round of a start warms up and is not counted.
    """
    found: dict[str, list[list[Spent]]] = {name: [] for name in sides}
    names = list(sides)
    for start in range(plan.starts):
        with ExitStack() as stack:
            order = names if start % 2 else names[::-1]
            opened = {name: stack.enter_context(sides[name]()) for name in order}
            rounds: dict[str, list[Spent]] = {name: [] for name in sides}
            for number in range(plan.rounds + 1):
                for name in order if number % 2 else order[::-1]:
                    spent = opened[name].load(plan.seconds)
                    if number:
                        rounds[name].append(spent)
        for name, spents in rounds.items():
            found[name].append(spents)
    return found


def figure(starts: Sequence[Sequence[Spent]], of: Callable[[Spent], float]) -> Interval:
    """Return a figure of one side: the mean over the starts of the median over the rounds."""
    return mean_interval([median(map(of, rounds)) for rounds in starts])


def ratio(above: Sequence[Sequence[Spent]], below: Sequence[Sequence[Spent]], of: Callable[[Spent], float]) -> Interval:
    """Return the ratio of a figure of two sides: the median over the rounds' pairs, and its mean over the starts."""
    starts = zip(above, below, strict=True)
    return ratio_interval([median(of(a) / of(b) for a, b in zip(*rounds, strict=True)) for rounds in starts])
