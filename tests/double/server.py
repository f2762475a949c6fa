"""An API server in memory: a Wire that answers as the real one does, for all that webappctl asks of it.

tests/contract runs the same tests against this one and against the real one. What it leaves out: the schema of a
Deployment beyond what webappctl writes, that of pods and autoscalers, what a CRD's rules refuse (so WebApps can be
stored as under a laxer CRD), and the field "." of maps in managedFields.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final

from tests.double import answers
from tests.double.answers import Failure, json_answer
from tests.double.kinds import CRD, KINDS, NAMESPACE
from tests.double.sent import Sent, parsed
from tests.double.store import Store
from tests.double.streams import DoubleStream, Streams
from webappctl.cluster.requests import ACCESS_REVIEWS
from webappctl.cluster.wire import Answer, Request
from webappctl.crd.shipped import shipped

SERVER: Final = "https://double.test"
Act = Callable[[Sent], Answer | None]


class Double:
    """`log` holds what webappctl sent; `backstage` is the way in for everybody else, which leaves no trace in it.

    `denied` holds pairs of verb and resource, as `("patch", "deployments.apps")`, that webappctl has no right to.
    `streams` are the watches that are open.
    """

    server = SERVER

    def __init__(self) -> None:
        self.store = Store()
        self.log: list[Sent] = []
        self.denied: set[tuple[str, str]] = set()
        self.backstage = _Backstage(self)
        self._acts: list[tuple[Callable[[Sent], bool], Act, int]] = []
        self._lock = threading.RLock()
        self._moved = threading.Condition(self._lock)
        self.streams = Streams(self._moved)
        self.store.commit(CRD, {**shipped(), "metadata": {"name": shipped()["metadata"]["name"]}}, None, ())
        for name in ("default", "shop"):
            self.store.commit(NAMESPACE, {"metadata": {"name": name}}, None, ())

    def exchange(self, request: Request, timeout: float) -> Answer:  # noqa: ARG002 - it never takes long
        sent = parsed(request)
        with self._lock:
            self.log.append(sent)
            return self._acted(sent) or self.answered(sent, self.denied)

    def stream(self, request: Request, *, opening: float, timeout: float, quiet: float) -> DoubleStream | Answer:  # noqa: ARG002
        sent = replace(parsed(request), verb="watch")
        with self._lock:
            self.log.append(sent)
            return self._acted(sent) or self.streamed(sent, self.denied)

    def streamed(self, sent: Sent, denied: Collection[tuple[str, str]]) -> DoubleStream | Answer:
        with self._lock:
            try:
                self._authorize(sent, denied)
                return self.streams.opened(self.store.watched(sent))
            except Failure as failure:
                return failure.answer

    def on(self, what: str, act: Act, *, times: int = 1) -> None:
        """Before the next requests whose text (`patch deployments web-deployment`) has `what` in it, do that.

        What `act` returns or raises is the answer; None: the request goes on.
        """
        self._acts.append((lambda sent: what in str(sent), act, times))

    def forget(self) -> None:
        """Nothing is to be done before any request any more."""
        self._acts = []

    def expire_tokens(self) -> None:
        """As if the lists that are being read page by page were too old."""
        self.store.tokens = {}

    def answered(self, sent: Sent, denied: Collection[tuple[str, str]]) -> Answer:
        with self._lock:
            try:
                self._authorize(sent, denied)
                code, body = self._reviewed(sent) if sent.kind == str(ACCESS_REVIEWS) else self.store.handle(sent)
            except Failure as failure:
                return failure.answer
            self._moved.notify_all()
            return json_answer(code, body)

    def _acted(self, sent: Sent) -> Answer | None:
        for number, (wanted, act, times) in enumerate(self._acts):
            if wanted(sent):
                self._acts[number : number + 1] = [(wanted, act, times - 1)] if times > 1 else []
                return act(sent)
        return None

    def _authorize(self, sent: Sent, denied: Collection[tuple[str, str]]) -> None:
        """An apply that creates needs the right to create, too."""
        creates = sent.applies and not sent.sub and self.store.get(sent) is None
        for verb in (sent.verb, "create") if creates else (sent.verb,):
            if (verb, sent.resource) in denied:
                named = "" if verb == "list" or sent.verb == "create" else sent.name
                raise answers.forbidden(KINDS[sent.kind], named, _cannot(verb, sent))

    def _reviewed(self, sent: Sent) -> tuple[int, dict[str, object]]:
        asked = sent.body["spec"]["resourceAttributes"]
        resource = f"{asked['resource']}.{asked['group']}" if asked["group"] else asked["resource"]
        resource += f"/{asked['subresource']}" if asked["subresource"] else ""
        return 201, {**sent.body, "status": {"allowed": (asked["verb"], resource) not in self.denied}}


@dataclass(frozen=True)
class _Backstage:
    double: Double

    server = SERVER

    def exchange(self, request: Request, timeout: float) -> Answer:  # noqa: ARG002 - it never takes long
        return self.double.answered(parsed(request), denied=())

    def stream(self, request: Request, *, opening: float, timeout: float, quiet: float) -> DoubleStream | Answer:  # noqa: ARG002
        return self.double.streamed(replace(parsed(request), verb="watch"), denied=())


def _cannot(verb: str, sent: Sent) -> str:
    resource, _, sub = sent.resource.partition("/")
    plural, _, group = resource.partition(".")
    where = f'in the namespace "{sent.namespace}"' if sent.namespace else "at the cluster scope"
    what = f"{plural}/{sub}" if sub else plural
    return f'User "system:serviceaccount:shop:webappctl" cannot {verb} resource "{what}" in API group "{group}" {where}'
