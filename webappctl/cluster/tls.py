"""TLS as a kubeconfig wants it, kept in memory: no private key lies in a file of ours while the program runs.

The context is made once for all connections; urllib3 would read the files again for each. What the files held is
compared at the next login, so that a certificate that was replaced is used.
"""

from __future__ import annotations

import base64
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from urllib3.util.ssl_ import create_urllib3_context

from webappctl.cluster.kubeconfig import Section
from webappctl.errors import ConfigError

SECTIONS_OF_TLS: Final = frozenset(
    f"{name}{form}" for name in ("certificate-authority", "client-certificate", "client-key") for form in ("", "-data")
)


@dataclass(frozen=True, slots=True)
class Material:
    """PEM, empty where the kubeconfig says nothing."""

    authority: bytes = field(default=b"", repr=False)
    certificate: bytes = field(default=b"", repr=False)
    key: bytes = field(default=b"", repr=False)


def read_material(cluster: Section, user: Section) -> Material:
    """Raises ConfigError with the file that cannot be read."""
    return Material(
        _pem(cluster, "certificate-authority"),
        _pem(user, "client-certificate"),
        _pem(user, "client-key"),
    )


def tls_context(material: Material, *, verified: bool) -> ssl.SSLContext:
    """Raises ConfigError when OpenSSL cannot use it."""
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if verified else ssl.CERT_NONE)
    if material.authority:
        with _usable("certificate-authority"):
            context.load_verify_locations(cadata=material.authority.decode("ascii", "ignore"))
    else:
        context.load_default_certs()
    if material.certificate:
        key = material.key or material.certificate  # which may hold both
        with _usable("client certificate or its key"), _nameless(material.certificate) as one, _nameless(key) as other:
            context.load_cert_chain(one, other, password="")  # or else OpenSSL asks for one on the terminal
    return context


def _pem(section: Section, name: str) -> bytes:
    data, file = section.get(f"{name}-data"), section.get(name)
    try:
        if data:
            return base64.b64decode(str(data))
        return Path(str(file)).read_bytes() if file else b""
    except OSError as error:
        raise ConfigError(f"the {name} {file} cannot be read: {error.strerror}") from error
    except ValueError:
        raise ConfigError(f"the {name}-data of the kubeconfig cannot be decoded") from None


@contextmanager
def _usable(what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
        raise ConfigError(f"the {what} cannot be used: {str(why).replace('_', ' ').lower()}") from None


@contextmanager
def _nameless(content: bytes) -> Iterator[str]:
    """OpenSSL takes a certificate and its key from a path only: this one leads to a file that is in no directory."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield f"/dev/fd/{file.fileno()}"
