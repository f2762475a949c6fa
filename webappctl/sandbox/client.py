"""The few requests that the sandbox itself sends to its servers, with a client certificate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from urllib3 import HTTPSConnectionPool

_SECONDS = 5.0  # for one try: readiness is polled, so a server that hangs is asked again


@dataclass(frozen=True)
class Answer:
    """`status` 0: no answer. `body`: the decoded JSON object, or an empty one."""

    status: int
    body: Mapping[str, Any]
    text: str = ""

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300  # noqa: PLR2004 - HTTP's own numbers


class Client:
    """One server on 127.0.0.1. A failure to connect is an answer like any other, because servers are starting."""

    def __init__(self, certificates: Path, port: int, identity: str = "sandbox") -> None:
        import ssl

        from urllib3 import HTTPSConnectionPool

        context = ssl.create_default_context(cafile=str(certificates / "ca.crt"))
        context.load_cert_chain(certificates / f"{identity}.crt", certificates / f"{identity}.key")
        self._pool: HTTPSConnectionPool = HTTPSConnectionPool(
            "127.0.0.1", port, ssl_context=context, retries=False, timeout=_SECONDS
        )

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def send(self, method: str, path: str, body: object = None, *, content: str = "application/json") -> Answer:
        from urllib3.exceptions import HTTPError

        headers = {"User-Agent": "webappctl-sandbox", "Content-Type": content, "Accept": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            response = self._pool.request(method, path, body=data, headers=headers)
        except HTTPError as error:
            return Answer(0, {}, str(error))
        text = response.data.decode(errors="replace")
        return Answer(response.status, _object(text), text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()


def _object(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
