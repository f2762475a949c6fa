"""A request as the API server understands it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import unquote

from tests.double.fields import Obj
from webappctl.cluster.wire import APPLY_PATCH, DRY_RUN, Request

_PATH: Final = re.compile(
    r"^/(?:api|apis/(?P<group>[^/]+))/v[12](?:/namespaces/(?P<namespace>[^/]+))?"
    r"/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+))?$"
)
_VERBS: Final = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True)
class Sent:
    """A request as it came in. `verb` and `resource` are those of RBAC: `patch`, `webapps.apps.example.com/status`.

    `operations` are those of a JSON patch, which has no body beside them.
    """

    verb: str
    resource: str
    namespace: str
    name: str
    body: Obj = field(hash=False)
    query: Mapping[str, str] = field(hash=False, default_factory=dict)
    applies: bool = False
    operations: tuple[Obj, ...] = field(hash=False, default=())

    def __str__(self) -> str:
        """As `patch webapps/status web`."""
        plural = self.kind.partition(".")[0] + (f"/{self.sub}" if self.sub else "")
        return " ".join(part for part in (self.verb, plural, self.name) if part)

    @property
    def sub(self) -> str:
        return self.resource.partition("/")[2]

    @property
    def dry(self) -> bool:
        """It is judged and answered, and not carried out."""
        return DRY_RUN.items() <= self.query.items()

    @property
    def kind(self) -> str:
        """The resource without the subresource."""
        return self.resource.partition("/")[0]


def parsed(request: Request) -> Sent:
    found = _PATH.match(request.path)
    assert found, f"no API server has {request.path}"
    group, namespace, plural, name, sub = (unquote(part or "") for part in found.groups())
    resource = (f"{plural}.{group}" if group else plural) + (f"/{sub}" if sub else "")
    verb = "list" if request.method == "GET" and not name else _VERBS[request.method]
    content = json.loads(request.body) if request.body else {}
    operations, body = (tuple(content), {}) if isinstance(content, list) else ((), content)
    sent = Sent(verb, resource, namespace, name, body, request.query, request.content_type == APPLY_PATCH, operations)
    return sent if name or verb != "create" else replace(sent, name=body.get("metadata", {}).get("name", ""))
