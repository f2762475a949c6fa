"""A cable to the API server that a test can cut and mend: TCP, so that TLS, streams and credentials go through it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import yaml


@dataclass
class Cable:
    """`kubeconfig` leads through it."""

    kubeconfig: Path
    upstream: tuple[str, int]
    whole: bool = True
    ends: list[socket.socket] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def cut(self) -> None:
        """Every connection breaks, and every new one does at once."""
        with self.lock:
            self.whole = False
            for end in self.ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            self.ends.clear()

    def mend(self) -> None:
        self.whole = True

    def connect(self, client: socket.socket) -> None:
        with self.lock:
            if not self.whole:
                client.close()
                return
            server = socket.create_connection(self.upstream)
            self.ends += [client, server]
        threading.Thread(target=_carry, args=(client, server), daemon=True).start()


def _carry(client: socket.socket, server: socket.socket) -> None:
    """Both ways, until one of them has enough."""
    with client, server:
        back = threading.Thread(target=_pump, args=(server, client), daemon=True)
        back.start()
        _pump(client, server)
        back.join()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while read := source.recv(65536):
            target.sendall(read)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def cable(kubeconfig: Path, folder: Path) -> Iterator[Cable]:
    """While the block runs; it is whole at first."""
    config = yaml.safe_load(kubeconfig.read_text())
    cluster = config["clusters"][0]["cluster"]
    address = urlsplit(cluster["server"])
    assert address.hostname
    assert address.port
    listener = socket.create_server(("127.0.0.1", 0))
    cluster["server"] = f"https://127.0.0.1:{listener.getsockname()[1]}"
    laid = Cable(folder / f"kubeconfig-{listener.getsockname()[1]}", (address.hostname, address.port))
    laid.kubeconfig.touch(0o600)
    laid.kubeconfig.write_text(yaml.safe_dump(config))
    threading.Thread(target=_accept, args=(listener, laid), daemon=True).start()
    try:
        yield laid
    finally:
        listener.close()
        laid.cut()


def _accept(listener: socket.socket, laid: Cable) -> None:
    with suppress(OSError):  # it was closed
        while True:
            laid.connect(listener.accept()[0])
