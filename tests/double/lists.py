"""Lists of an API server, page by page."""

from __future__ import annotations

from collections.abc import Mapping

from tests.double import selectors
from tests.double.answers import Failure
from tests.double.fields import Obj
from tests.double.kinds import Kind
from tests.double.sent import Sent
from tests.double.stored import Stored


def selected(objects: Mapping[tuple[str, str, str], Stored], kind: Kind, sent: Sent) -> list[Obj]:
    """By key. Raises Failure for what is no selector."""
    found = []
    for (resource, namespace, name), stored in objects.items():
        if resource != str(kind.resource) or (sent.namespace and namespace != sent.namespace):
            continue
        try:
            if selectors.matches(sent.query.get("labelSelector", ""), stored.meta.get("labels", {})):
                found.append((f"{namespace}/{name}", stored.as_json()))
        except ValueError as error:
            raise Failure(400, "BadRequest", str(error)) from error
    return [obj for _, obj in sorted(found, key=lambda pair: pair[0])]


def page_of(kind: Kind, items: list[Obj], revision: str, limit: int, tokens: dict[str, tuple[list[Obj], str]]) -> Obj:
    """The first of them; `tokens` gets the rest."""
    page, rest = items[:limit], items[limit:]
    meta: Obj = {"resourceVersion": revision}
    if rest:
        token = f"{revision}-{rest[0]['metadata']['uid']}"
        tokens[token] = (rest, revision)
        meta |= {"continue": token, "remainingItemCount": len(rest)}
    return {"apiVersion": kind.api_version, "kind": f"{kind.name}List", "metadata": meta, "items": page}
