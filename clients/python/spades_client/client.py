"""The two clients: the same methods, one blocking, one for asyncio.

Each method takes the body that the HTTP interface documents and returns its answer. ``timeout_s`` is the deadline of
the whole call, retries included; the service gets it as `X-Deadline-Ms`. ``request_id`` is in the service's log.
"""

from types import TracebackType
from typing import Self, TypeVar

import httpx2

from spades_client import models as m
from spades_client import operations as op
from spades_client.errors import SpadesError
from spades_client.exchange import Exchange, OnFallback
from spades_client.fallback import Fallback, LocalBid
from spades_client.loop_thread import LoopThread

Answer = TypeVar("Answer")


class Client:
    """A client that blocks. Threads may share it; close it at the end, or use it in a `with` block.

    Its requests run on an event loop in a thread of its own, because only a loop can end a read at a deadline.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = 1.0,
        attempts: int = 3,
        fallback: Fallback | None = None,
        on_fallback: OnFallback | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._loop = LoopThread(
            lambda: Exchange(
                url,
                key=key,
                timeout_s=timeout_s,
                attempts=attempts,
                fallback=fallback,
                on_fallback=on_fallback,
                transport=transport,
            )
        )

    def _call(
        self, operation: op.Operation[Answer], body: object | None, timeout_s: float | None, request_id: str | None
    ) -> Answer:
        return self._loop.run(lambda exchange: exchange.call(operation, body, timeout_s, request_id))

    def bid(self, request: m.BidRequest, *, timeout_s: float | None = None, request_id: str | None = None) -> LocalBid:
        """Return one bid. If the service cannot answer and there is a fallback, its bid, marked by ``fallback``."""
        try:
            return self._call(op.BID, request, timeout_s, request_id)
        except SpadesError as error:
            return self._loop.exchange.fallback_bid(request, error)

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

    def review(
        self, request: m.ReviewRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.ReviewAnswer:
        """Return what each bid, pass and card of a finished round cost its player."""
        return self._call(op.REVIEW, request, timeout_s, request_id)

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
        """Wait for the calls that still run, and close the connections."""
        self._loop.close()

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
        on_fallback: OnFallback | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._exchange = Exchange(
            url,
            key=key,
            timeout_s=timeout_s,
            attempts=attempts,
            fallback=fallback,
            on_fallback=on_fallback,
            transport=transport,
        )

    async def _call(
        self, operation: op.Operation[Answer], body: object | None, timeout_s: float | None, request_id: str | None
    ) -> Answer:
        return await self._exchange.call(operation, body, timeout_s, request_id)

    async def bid(
        self, request: m.BidRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> LocalBid:
        """Return one bid. If the service cannot answer and there is a fallback, its bid, marked by ``fallback``."""
        try:
            return await self._call(op.BID, request, timeout_s, request_id)
        except SpadesError as error:
            return self._exchange.fallback_bid(request, error)

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

    async def review(
        self, request: m.ReviewRequest, *, timeout_s: float | None = None, request_id: str | None = None
    ) -> m.ReviewAnswer:
        """Return what each bid, pass and card of a finished round cost its player."""
        return await self._call(op.REVIEW, request, timeout_s, request_id)

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
        await self._exchange.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
