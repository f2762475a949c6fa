"""The real wire's streams: the lines of an answer as they come, over a connection that serves nothing else after it."""

from __future__ import annotations

import contextlib
import io
import math
import socket
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import urllib3.exceptions as theirs

from webappctl.cluster.foreign import FOREIGN, translated
from webappctl.errors import BadAnswer, Unreachable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3 import BaseHTTPResponse

CHUNK: Final = 1 << 16
LONGEST_LINE: Final = 1 << 24
"""Bytes. The API server stores no object of a tenth of that."""


class Timed(io.RawIOBase):
    """The reading end of a socket. All reads together end at `deadline`, an instant of time.monotonic().

    `quiet`: the seconds that each of them may take.
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, deadline: float) -> None:
        self.sock = sock
        self.deadline = deadline
        self.quiet = math.inf
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        left = min(self.deadline - time.monotonic(), self.quiet)
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(None if left == math.inf else left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class Lines:
    """A Stream (see wire.py). `reading` is None where connections are not ours (SOCKS): each read has its own limit."""

    def __init__(self, response: BaseHTTPResponse, reading: Timed | None, server: str) -> None:
        self._response = response
        self._socket = reading.sock if reading else getattr(response.connection, "sock", None)
        self._server = server
        self._closed = False

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        """Only for the thread that reads: the connection is dropped, and not used again."""
        self.close()
        with contextlib.suppress(*FOREIGN):
            self._response.close()

    def close(self) -> None:
        """The socket is shut below TLS, whose own shutdown would have a read that waits take up ciphertext."""
        self._closed = True
        sock = getattr(self._socket, "socket", self._socket)  # that of TLS within TLS is inside
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._whole_lines()
        except FOREIGN as error:
            if not self._closed:
                raise self._translated(error) from None

    def _whole_lines(self) -> Iterator[bytes]:
        rest = b""
        while chunk := self._response.read1(CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            yield from (line for line in lines if line.strip() and not self._closed)
            if len(rest) > LONGEST_LINE:
                raise BadAnswer(f"{self._server} sent a line that does not end")
        if rest.strip() and not self._closed:
            raise BadAnswer(f"the answer of {self._server} was cut")

    def _translated(self, error: Exception) -> Exception:
        """The text of a request's time-out would name an option that is not about streams."""
        if isinstance(error, TimeoutError | theirs.TimeoutError):
            return Unreachable(f"{self._server} has fallen silent")
        return translated(error, self._server)


def keepalive() -> list[tuple[int, int, int]]:
    """Options of a socket: the kernel asks a silent other end whether it is still there."""
    options = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for names, value in ((("TCP_KEEPIDLE", "TCP_KEEPALIVE"), 30), (("TCP_KEEPINTVL",), 10), (("TCP_KEEPCNT",), 3)):
        known = next((getattr(socket, name) for name in names if hasattr(socket, name)), None)
        options += [] if known is None else [(socket.IPPROTO_TCP, known, value)]
    return options
