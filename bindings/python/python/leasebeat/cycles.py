"""The Cycles REST API behind the drivers, over httpx: reservations created and extended, answers decoded by the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

import httpx

from leasebeat._native import Event
from leasebeat.kernel import decode
from leasebeat.lease import Attempt, log

__all__ = ["AsyncCycles", "Cycles"]


class _Requests:
    """What both adapters share: which request an attempt is, and what its answer says."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        reservation: Mapping[str, Any] | None,
        reservation_id: str | None,
        unknown_keys: Literal["reject", "ignore"],
    ) -> None:
        self._root = f"{base_url.rstrip('/')}/v1/reservations"
        self._headers = {"X-Cycles-API-Key": api_key}
        self._reservation = dict(reservation or {})
        self._unknown_keys: Literal["reject", "ignore"] = unknown_keys
        self.reservation_id = reservation_id

    def _request(self, attempt: Attempt) -> tuple[str, dict[str, Any]]:
        if attempt.operation == "create":
            body = {**self._reservation, "idempotency_key": attempt.idempotency_key}
            return self._root, {**body, "ttl_ms": attempt.extend_by_ms}
        if self.reservation_id is None:
            raise ValueError("reservation_id is missing: there is no reservation to extend")
        url = f"{self._root}/{quote(self.reservation_id, safe='')}/extend"
        return url, {"idempotency_key": attempt.idempotency_key, "extend_by_ms": attempt.extend_by_ms}

    def _event(self, attempt: Attempt, response: httpx.Response) -> Event:
        retry_after = response.headers.get("retry-after")
        decoded = decode(
            attempt.operation,
            response.status_code,
            response.content,
            retry_after=retry_after,
            unknown_keys=self._unknown_keys,
        )
        if decoded.reservation_id is not None:
            self.reservation_id = decoded.reservation_id
        if decoded.problem is not None:
            log.warning("reservation %s: %s", self.reservation_id, decoded.problem)
        return decoded.event


class Cycles(_Requests):
    """`send` of `leasebeat.keep_alive`. httpx times out each read, so the whole attempt is bounded by the driver as well."""

    def __init__(
        self,
        client: httpx.Client,
        base_url: str,
        api_key: str,
        *,
        reservation: Mapping[str, Any] | None = None,
        reservation_id: str | None = None,
        unknown_keys: Literal["reject", "ignore"] = "reject",
    ) -> None:
        """`reservation` is the body of a create, without idempotency_key and ttl_ms."""
        super().__init__(base_url, api_key, reservation, reservation_id, unknown_keys)
        self._client = client

    def __call__(self, attempt: Attempt) -> Event:
        """Sends an attempt."""
        url, body = self._request(attempt)
        try:
            response = self._client.post(
                url, json=body, headers=self._headers, timeout=attempt.timeout_s, follow_redirects=False
            )
        except httpx.TimeoutException as error:
            raise TimeoutError(str(error)) from error
        return self._event(attempt, response)


class AsyncCycles(_Requests):
    """`send` of `leasebeat.aio.keep_alive`."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        base_url: str,
        api_key: str,
        *,
        reservation: Mapping[str, Any] | None = None,
        reservation_id: str | None = None,
        unknown_keys: Literal["reject", "ignore"] = "reject",
    ) -> None:
        """`reservation` is the body of a create, without idempotency_key and ttl_ms."""
        super().__init__(base_url, api_key, reservation, reservation_id, unknown_keys)
        self._client = client

    async def __call__(self, attempt: Attempt) -> Event:
        """Sends an attempt."""
        url, body = self._request(attempt)
        try:
            response = await self._client.post(
                url, json=body, headers=self._headers, timeout=attempt.timeout_s, follow_redirects=False
            )
        except httpx.TimeoutException as error:
            raise TimeoutError(str(error)) from error
        return self._event(attempt, response)
