"""Whole lists, page by page. A list that fails, is cut, or goes round in circles is an error, never a short list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from webappctl.cluster.answers import ask
from webappctl.cluster.requests import list_page
from webappctl.cluster.transport import Transport
from webappctl.cluster.wire import Request, Resource
from webappctl.core.objects import Listing, Page
from webappctl.errors import BadAnswer, Gone

T = TypeVar("T")

PAGE: Final = 500
STARTS: Final = 4
"""How often a list whose continue token expired is begun anew before it is given up."""


def whole_list(
    transport: Transport, resource: Resource, namespace: str, selector: str, read: Callable[[bytes], Page[T]]
) -> list[T]:
    """Every object, in the server's order. `namespace` and `selector` may be empty: all.

    Raises what Transport.send raises; Gone when the token expired at every start.
    """
    return list(whole_listing(transport, resource, namespace, selector, read).items)


def whole_listing(
    transport: Transport, resource: Resource, namespace: str, selector: str, read: Callable[[bytes], Page[T]]
) -> Listing[T]:
    """The same, and as of when."""
    first = {"limit": str(PAGE)} | ({"labelSelector": selector} if selector else {})
    request = list_page(resource, namespace, first)
    for _ in range(STARTS - 1):
        try:
            return _whole(_pages(transport, request, read))
        except Gone:
            continue
    return _whole(_pages(transport, request, read))


def _whole(pages: Iterator[Page[T]]) -> Listing[T]:
    """All pages are of the instant of the first."""
    first = next(pages)
    return Listing((*first.items, *(item for page in pages for item in page.items)), first.resource_version)


def _pages(transport: Transport, first: Request, read: Callable[[bytes], Page[T]]) -> Iterator[Page[T]]:
    """The token that a 410 offers is for an inconsistent rest of the list; it is not even read."""
    page = ask(transport, first, read)
    seen = {""}
    while page.next_token not in seen:
        yield page
        seen.add(page.next_token)
        page = ask(transport, replace(first, query={**first.query, "continue": page.next_token}), read)
    if page.next_token:
        raise BadAnswer("the list does not end: a page names itself as the next", subject=first.purpose.subject)
    yield page
