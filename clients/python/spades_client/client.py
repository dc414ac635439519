"""The two clients: the same methods, one blocking, one for asyncio.

Each method takes the body that the HTTP interface documents and returns its answer. ``timeout_s`` is the deadline of
the whole call, retries included; the service gets it as `X-Deadline-Ms`. ``request_id`` is in the service's log.
"""

import asyncio
import time
from types import TracebackType
from typing import Self, TypeVar

import httpx

from spades_client import models as m
from spades_client import operations as op
from spades_client.exchange import Exchange, Steps
from spades_client.fallback import Fallback, LocalBid

Answer = TypeVar("Answer")


class Client:
    """A client that blocks. Threads may share it; close it at the end, or use it in a `with` block."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = 1.0,
        attempts: int = 3,
        fallback: Fallback | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._exchange = Exchange(key, timeout_s, attempts, fallback)
        self._http = httpx.Client(base_url=url, transport=transport)

    def _run(self, steps: Steps[Answer]) -> Answer:
        outcome: httpx.Response | httpx.RequestError | None = None
        try:
            while True:
                step = steps.send(outcome)
                if isinstance(step, float):
                    time.sleep(step)
                    outcome = None
                    continue
                try:
                    outcome = self._http.send(self._http.build_request(**step.arguments()))
                except httpx.RequestError as error:
                    outcome = error
        except StopIteration as done:
            answer: Answer = done.value
            return answer

    def _call(
        self, operation: op.Operation[Answer], body: object | None, timeout_s: float | None, request_id: str | None
    ) -> Answer:
        return self._run(self._exchange.call(operation, body, timeout_s, request_id))

    def bid(self, request: m.BidRequest, *, timeout_s: float | None = None, request_id: str | None = None) -> LocalBid:
        """Return one bid. If the service cannot answer and there is a fallback, its bid, marked by ``fallback``."""
        return self._run(self._exchange.bid(request, timeout_s, request_id))

    def bids(
        self, request: m.BidsRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.BidsAnswer:
        """Return the answers to up to 512 requests for bids, in order; each is answered or refused on its own."""
        return self._call(op.BIDS, request, timeout_s, request_id)

    def blind(
        self, request: m.BlindRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.BlindAnswer:
        """Return whether to bid blind nil, before the player sees the hand."""
        return self._call(op.BLIND, request, timeout_s, request_id)

    def pass_cards(
        self, request: m.PassRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.PassAnswer:
        """Return the cards that a nil bidder or the partner gives away."""
        return self._call(op.PASS_CARDS, request, timeout_s, request_id)

    def card(
        self, request: m.CardRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.CardAnswer:
        """Return the card to play."""
        return self._call(op.CARD, request, timeout_s, request_id)

    def cards(
        self, request: m.CardsRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.CardsAnswer:
        """Return the answers to up to 256 requests for cards, in order."""
        return self._call(op.CARDS, request, timeout_s, request_id)

    def inference(
        self, request: m.InferenceRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.InferenceAnswer:
        """Return who may hold each unseen card, and random deals of these cards."""
        return self._call(op.INFERENCE, request, timeout_s, request_id)

    def inferences(
        self, request: m.InferencesRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.InferencesAnswer:
        """Return the answers to up to 64 such requests, in order."""
        return self._call(op.INFERENCES, request, timeout_s, request_id)

    def results(
        self, request: m.ResultsRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.ResultsAnswer:
        """Tell the service what became of bids. It is sent again only if nothing was counted."""
        return self._call(op.RESULTS, request, timeout_s, request_id)

    def list_policies(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.PoliciesAnswer:
        """Return the policies with their options and measured strength."""
        return self._call(op.LIST_POLICIES, None, timeout_s, request_id)

    def list_rules(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.RulesAnswer:
        """Return presets, rule fields and what each variant fixes."""
        return self._call(op.LIST_RULES, None, timeout_s, request_id)

    def list_reasons(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.ReasonsAnswer:
        """Return the codes of reasons with their sentences."""
        return self._call(op.LIST_REASONS, None, timeout_s, request_id)

    def version(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.VersionAnswer:
        """Return the versions of code and tables."""
        return self._call(op.VERSION, None, timeout_s, request_id)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """A client for asyncio. Close it at the end, or use it in an `async with` block."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = 1.0,
        attempts: int = 3,
        fallback: Fallback | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._exchange = Exchange(key, timeout_s, attempts, fallback)
        self._http = httpx.AsyncClient(base_url=url, transport=transport)

    async def _run(self, steps: Steps[Answer]) -> Answer:
        outcome: httpx.Response | httpx.RequestError | None = None
        try:
            while True:
                step = steps.send(outcome)
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    outcome = None
                    continue
                try:
                    outcome = await self._http.send(self._http.build_request(**step.arguments()))
                except httpx.RequestError as error:
                    outcome = error
        except StopIteration as done:
            answer: Answer = done.value
            return answer

    async def _call(
        self, operation: op.Operation[Answer], body: object | None, timeout_s: float | None, request_id: str | None
    ) -> Answer:
        return await self._run(self._exchange.call(operation, body, timeout_s, request_id))

    async def bid(
        self, request: m.BidRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> LocalBid:
        """Return one bid. If the service cannot answer and there is a fallback, its bid, marked by ``fallback``."""
        return await self._run(self._exchange.bid(request, timeout_s, request_id))

    async def bids(
        self, request: m.BidsRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.BidsAnswer:
        """Return the answers to up to 512 requests for bids, in order; each is answered or refused on its own."""
        return await self._call(op.BIDS, request, timeout_s, request_id)

    async def blind(
        self, request: m.BlindRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.BlindAnswer:
        """Return whether to bid blind nil, before the player sees the hand."""
        return await self._call(op.BLIND, request, timeout_s, request_id)

    async def pass_cards(
        self, request: m.PassRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.PassAnswer:
        """Return the cards that a nil bidder or the partner gives away."""
        return await self._call(op.PASS_CARDS, request, timeout_s, request_id)

    async def card(
        self, request: m.CardRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.CardAnswer:
        """Return the card to play."""
        return await self._call(op.CARD, request, timeout_s, request_id)

    async def cards(
        self, request: m.CardsRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.CardsAnswer:
        """Return the answers to up to 256 requests for cards, in order."""
        return await self._call(op.CARDS, request, timeout_s, request_id)

    async def inference(
        self, request: m.InferenceRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.InferenceAnswer:
        """Return who may hold each unseen card, and random deals of these cards."""
        return await self._call(op.INFERENCE, request, timeout_s, request_id)

    async def inferences(
        self, request: m.InferencesRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.InferencesAnswer:
        """Return the answers to up to 64 such requests, in order."""
        return await self._call(op.INFERENCES, request, timeout_s, request_id)

    async def results(
        self, request: m.ResultsRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.ResultsAnswer:
        """Tell the service what became of bids. It is sent again only if nothing was counted."""
        return await self._call(op.RESULTS, request, timeout_s, request_id)

    async def list_policies(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.PoliciesAnswer:
        """Return the policies with their options and measured strength."""
        return await self._call(op.LIST_POLICIES, None, timeout_s, request_id)

    async def list_rules(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.RulesAnswer:
        """Return presets, rule fields and what each variant fixes."""
        return await self._call(op.LIST_RULES, None, timeout_s, request_id)

    async def list_reasons(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.ReasonsAnswer:
        """Return the codes of reasons with their sentences."""
        return await self._call(op.LIST_REASONS, None, timeout_s, request_id)

    async def version(self, *, timeout_s: float | None = None, request_id: str | None = None) -> m.VersionAnswer:
        """Return the versions of code and tables."""
        return await self._call(op.VERSION, None, timeout_s, request_id)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
