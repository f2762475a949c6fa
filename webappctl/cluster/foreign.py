"""What urllib3, ssl, sockets and Python raise → our own errors, in this one place.

The texts of those exceptions are not quoted: some hold a header, and so a token. Ours are the same each time for the
same trouble, so that a log shows it once.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import urllib3.exceptions as theirs

from webappctl.cluster.wire import NotSent
from webappctl.errors import BadAnswer, ClusterError, Unreachable

FOREIGN: Final = (theirs.HTTPError, http.client.HTTPException, OSError, ValueError)
"""All that an exchange can raise: ssl.SSLError and TimeoutError are OSErrors, UnicodeError is a ValueError."""

RIGHT_ONE: Final = "is this the right context, and is the API server running?"


def translated(error: Exception, server: str) -> ClusterError:
    causes = tuple(_causes(error))
    for kind, make in _KINDS:
        found = next((cause for cause in causes if isinstance(cause, kind)), None)
        if found is not None:
            return make(found, server)
    return Unreachable(f"cannot speak to {server}: {type(causes[-1]).__name__}", remedy=RIGHT_ONE)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and what it wraps: urllib3 keeps the inner one among its arguments, or as `reason`."""
    for _ in range(10):
        if error is None:
            return
        yield error
        inner = [getattr(error, "reason", None), *error.args[:2], getattr(error, "original_error", None)]
        error = next((e for e in inner if isinstance(e, BaseException)), None) or error.__cause__


def _no_answer(_: BaseException, server: str) -> ClusterError:
    return Unreachable(f"no answer from {server} in time", remedy="a longer --request-timeout may help")


def _no_host(_: BaseException, server: str) -> ClusterError:
    return NotSent(f"cannot find the host of {server}", remedy=RIGHT_ONE)


def _untrusted(error: BaseException, server: str) -> ClusterError:
    why = getattr(error, "verify_message", "") or "it cannot be verified"
    return NotSent(f"the certificate of {server} is not trusted: {why}", remedy="check certificate-authority")


def _bad_tls(error: BaseException, server: str) -> ClusterError:
    why = (getattr(error, "reason", "") or type(error).__name__).replace("_", " ").lower()
    return Unreachable(f"no TLS connection to {server}: {why}", remedy=RIGHT_ONE)


def _proxy(_: BaseException, server: str) -> ClusterError:
    return NotSent(f"cannot reach {server} through the proxy", remedy="check HTTPS_PROXY, NO_PROXY and proxy-url")


def _cut(_: BaseException, server: str) -> ClusterError:
    return BadAnswer(f"the answer of {server} was cut")


def _closed(_: BaseException, server: str) -> ClusterError:
    return Unreachable(f"{server} closed the connection without an answer")


def _not_http(_: BaseException, server: str) -> ClusterError:
    return BadAnswer(f"{server} does not answer in HTTP", remedy="is this the address of an API server?")


def _undecodable(_: BaseException, server: str) -> ClusterError:
    return BadAnswer(f"the answer of {server} cannot be decoded")


def _no_connection(error: BaseException, server: str) -> ClusterError:
    why = (getattr(error, "strerror", None) or type(error).__name__).lower()
    kind = NotSent if isinstance(error, ConnectionRefusedError) else Unreachable
    return kind(f"cannot connect to {server}: {why}", remedy=RIGHT_ONE)


def _broken(_: BaseException, server: str) -> ClusterError:
    return Unreachable(f"the connection to {server} broke", remedy=RIGHT_ONE)


_KINDS: Final = (
    (TimeoutError, _no_answer),
    (theirs.TimeoutError, _no_answer),
    (theirs.ProxyError, _proxy),
    (socket.gaierror, _no_host),
    (ssl.SSLCertVerificationError, _untrusted),
    (ssl.CertificateError, _untrusted),
    (ssl.SSLEOFError, _closed),
    (ssl.SSLError, _bad_tls),
    (theirs.SSLError, _bad_tls),
    (http.client.IncompleteRead, _cut),
    (theirs.InvalidChunkLength, _cut),
    (http.client.RemoteDisconnected, _closed),
    (ConnectionResetError, _closed),
    (BrokenPipeError, _closed),
    (http.client.HTTPException, _not_http),
    (theirs.DecodeError, _undecodable),
    (OSError, _no_connection),
    (theirs.ProtocolError, _broken),
)
"""The first that fits wins, so the narrow ones come first."""
