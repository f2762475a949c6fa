"""JSON of the API server → values, straight from bytes.

A page is decoded in one go, which is several times faster than object by object; only when that fails, because one
object has a field of the wrong type, is it decoded object by object, and the odd one becomes `Unreadable`. Of kinds
that we only look at, which the API server types itself, an odd one makes the whole page a BadAnswer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from webappctl.core.objects.autoscaler import Autoscaler
from webappctl.core.objects.deployment import Deployment
from webappctl.core.objects.meta import ObjectMeta
from webappctl.core.objects.pod import Pod
from webappctl.core.objects.unreadable import Unreadable
from webappctl.core.objects.webapp import WebApp, WebAppOfOddStatus, WebAppSpec, WebAppStatus
from webappctl.errors import BadAnswer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list. `next_token` is empty on the last page. `resource_version`: of the list, not of the page."""

    items: tuple[T, ...]
    next_token: str = ""
    resource_version: str = ""


class _ListMeta(msgspec.Struct, frozen=True):
    next_token: str = msgspec.field(name="continue", default="")
    resource_version: str = msgspec.field(name="resourceVersion", default="")


class _List(msgspec.Struct, Generic[T], frozen=True):
    kind: str
    items: tuple[T, ...]
    metadata: _ListMeta = _ListMeta()


class _WebAppWithoutStatus(msgspec.Struct, frozen=True):
    metadata: ObjectMeta
    spec: WebAppSpec | None = None


class _StatusOnly(msgspec.Struct, frozen=True):
    status: WebAppStatus | None = None


class _Identity(msgspec.Struct, frozen=True):
    """The fields that the API server itself types, whatever the CRD says: they can always be read."""

    metadata: ObjectMeta


_webapp = msgspec.json.Decoder(WebApp)
_deployment = msgspec.json.Decoder(Deployment)
_webapps = msgspec.json.Decoder(_List[WebApp])
_deployments = msgspec.json.Decoder(_List[Deployment])
_autoscalers = msgspec.json.Decoder(_List[Autoscaler])
_pods = msgspec.json.Decoder(_List[Pod])
_autoscaler = msgspec.json.Decoder(Autoscaler)
_pod = msgspec.json.Decoder(Pod)
_namespaces = msgspec.json.Decoder(_List[_Identity])
_raw = msgspec.json.Decoder(_List[msgspec.Raw])
_without_status = msgspec.json.Decoder(_WebAppWithoutStatus)
_status_only = msgspec.json.Decoder(_StatusOnly)
_identity = msgspec.json.Decoder(_Identity)


def read_webapps(body: bytes) -> Page[WebApp | Unreadable]:
    """Raises BadAnswer for anything but a whole WebAppList."""
    return _read(body, _webapps, "WebAppList", read_webapp)


def read_deployments(body: bytes) -> Page[Deployment | Unreadable]:
    """Raises BadAnswer for anything but a whole DeploymentList."""
    return _read(body, _deployments, "DeploymentList", read_deployment)


def read_autoscalers(body: bytes) -> Page[Autoscaler]:
    """Raises BadAnswer for anything but a whole HorizontalPodAutoscalerList: each of them may be one that holds."""
    kind = "HorizontalPodAutoscalerList"
    return _read(body, _autoscalers, kind, lambda item: _autoscaler_of(item, kind))


def read_pods(body: bytes) -> Page[Pod]:
    """Raises BadAnswer for anything but a whole PodList. One that cannot be read is left out."""
    page = _read(body, _pods, "PodList", _read_pod)
    return Page(tuple(pod for pod in page.items if pod is not None), page.next_token, page.resource_version)


def read_namespaces(body: bytes) -> Page[str]:
    """Their names. Raises BadAnswer for anything but a whole NamespaceList."""
    kind = "NamespaceList"
    page = _read(body, _namespaces, kind, lambda item: _identity_of(item, kind))
    return Page(tuple(found.metadata.name for found in page.items), page.next_token, page.resource_version)


def read_webapp(body: bytes | msgspec.Raw) -> WebApp | Unreadable:
    """A status of odd types is no reason to leave a WebApp alone: it is read as absent, and so written anew."""
    try:
        return _decoded(_webapp, body)
    except msgspec.ValidationError:
        pass
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _cut(error) from error
    try:
        partial = _decoded(_without_status, body)
    except msgspec.ValidationError as error:
        return _unreadable(body, error)
    return WebAppOfOddStatus(partial.metadata, partial.spec)


def read_deployment(body: bytes | msgspec.Raw) -> Deployment | Unreadable:
    try:
        return _decoded(_deployment, body)
    except msgspec.ValidationError as error:
        return _unreadable(body, error)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _cut(error) from error


def read_autoscaler(body: bytes | msgspec.Raw) -> Autoscaler:
    """Raises BadAnswer where one of its fields is odd."""
    return _autoscaler_of(body, "HorizontalPodAutoscaler")


def _identity_of(body: bytes | msgspec.Raw, kind: str) -> _Identity:
    try:
        return _decoded(_identity, body)
    except msgspec.ValidationError as error:
        raise _no_such(kind, error) from error


def _autoscaler_of(body: bytes | msgspec.Raw, kind: str) -> Autoscaler:
    try:
        return _decoded(_autoscaler, body)
    except msgspec.ValidationError as error:
        raise _no_such(kind, error) from error


def _decoded(decoder: msgspec.json.Decoder[T], body: bytes | msgspec.Raw) -> T:
    """Null is as good as absent, as it is to the API server: it gives a time that was never set as null."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as odd:
        try:
            return decoder.decode(msgspec.json.encode(_without_nulls(msgspec.json.decode(body))))
        except RecursionError:  # what others have nested that deep is no reason to lose its neighbours
            raise odd from None


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _read_pod(item: msgspec.Raw) -> Pod | None:
    try:
        return _decoded(_pod, item)
    except msgspec.ValidationError:
        return None


def _read(body: bytes, decoder: msgspec.json.Decoder[Any], kind: str, read: Callable[[msgspec.Raw], T]) -> Page[T]:
    """All of them in one go; object by object with `read` where one is odd."""
    try:
        return _page(decoder.decode(body), kind)
    except msgspec.ValidationError:
        return _read_one_by_one(body, kind, read)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _cut(error) from error


def _read_one_by_one(body: bytes, kind: str, read: Callable[[msgspec.Raw], T]) -> Page[T]:
    try:
        page = _page(_raw.decode(body), kind)
    except msgspec.ValidationError as error:
        raise _no_such(kind, error) from error
    return Page(tuple(read(item) for item in page.items), page.next_token, page.resource_version)


def _page(found: _List[Any], expected: str) -> Page[Any]:
    if found.kind != expected:
        raise BadAnswer(f"the answer is a {found.kind or 'object without a kind'}, not a {expected}")
    return Page(found.items, found.metadata.next_token, found.metadata.resource_version)


def _unreadable(body: bytes | msgspec.Raw, error: msgspec.ValidationError) -> Unreadable:
    try:
        identity = _decoded(_identity, body)
    except msgspec.ValidationError as no_object:
        raise BadAnswer(f"the answer holds something that is no object: {no_object}") from no_object
    try:
        status = _decoded(_status_only, body).status
    except msgspec.ValidationError:
        status = None
    return Unreadable(identity.metadata, _plainly(error), status)


def _plainly(error: msgspec.ValidationError) -> str:
    """`Expected int | null, got str - at $.spec.replicas` → `spec.replicas: expected int, got str`."""
    what, _, where = str(error).replace("`", "").replace(" | null", "").partition(" - at $.")
    return f"{where}: {what[0].lower()}{what[1:]}" if where else what


def _no_such(kind: str, error: msgspec.ValidationError) -> BadAnswer:
    return BadAnswer(f"the answer is not a {kind}: {error}")


def _cut(error: Exception) -> BadAnswer:
    return BadAnswer(f"the answer is not whole JSON: {error}")
