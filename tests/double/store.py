"""The objects of an API server, and what each request does to them."""

from __future__ import annotations

import uuid
from copy import deepcopy
from typing import Final

from tests.double import answers
from tests.double.answers import Failure
from tests.double.fields import Obj
from tests.double.happenings import Happening, Watched
from tests.double.kinds import (
    CRD,
    DEPLOYMENT,
    KINDS,
    NAMESPACE,
    WEBAPP,
    Kind,
    confined,
    generation,
    invalid,
    undecodable,
    unfit,
    with_defaults,
    without_status,
)
from tests.double.lists import page_of, selected
from tests.double.managers import (
    Entries,
    Entry,
    FieldConflict,
    Manager,
    after_apply,
    applied,
    before_first_apply,
    given,
    updated,
)
from tests.double.sent import Sent
from tests.double.stored import Stored, check_preconditions, never_stored, wanted

TIME: Final = "2026-01-01T00:00:00Z"
"""Stamped on everything."""


class Store:
    """Every method that answers may raise Failure.

    `full` are the namespaces whose quota allows no more Deployments. `happenings` is all that a watch can tell;
    what is older than the revision `horizon` is forgotten.
    """

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str], Stored] = {}
        self.full: set[str] = set()
        self.longest_page = 500
        self.tokens: dict[str, tuple[list[Obj], str]] = {}
        self.happenings: list[Happening] = []
        self.horizon = self._revision = 100

    def handle(self, sent: Sent) -> tuple[int, Obj]:
        """The HTTP status and body of a success."""
        if not sent.dry:
            return self._handle(sent)
        objects, revision, happened = dict(self.objects), self._revision, len(self.happenings)
        status, body = self._handle(sent)
        self.objects, self._revision = objects, revision
        del self.happenings[happened:]
        return status, never_stored(body, sent, self.get(sent))

    def _handle(self, sent: Sent) -> tuple[int, Obj]:
        kind = self._served(sent)
        if problem := undecodable(kind, sent.body):
            raise Failure(400, "BadRequest", problem)
        match sent.verb:
            case "list":
                return 200, self._list(kind, sent)
            case "create":
                return 201, self._create(kind, sent)
            case "patch" if sent.applies:
                return self._apply(kind, sent)
        stored = self.get(sent)
        if stored is None:
            raise answers.not_found(kind, sent.name)
        match sent.verb:
            case "get":
                return 200, stored.as_json()
            case "delete":
                return 200, self._delete(stored, sent)
            case _:
                return 200, self._update(stored, sent)

    def watched(self, sent: Sent) -> Watched:
        """What happens from that resourceVersion on."""
        kind = self._served(sent)
        selected(self.objects, kind, sent)
        return Watched(kind, sent, self)

    @property
    def revision(self) -> int:
        return self._revision

    def set_back(self, revision: int) -> None:
        """As a backup would: all is as it was, under other revisions."""
        for stored in self.objects.values():
            stored.obj["metadata"]["resourceVersion"] = str(revision)
        self._revision, self.happenings, self.horizon = revision, [], revision

    def _served(self, sent: Sent) -> Kind:
        kind = KINDS.get(sent.kind)
        if kind is None or (kind is WEBAPP and self._crd is None):
            raise Failure(404, "NotFound", "the server could not find the requested resource")
        return kind

    def get(self, sent: Sent) -> Stored | None:
        return self.objects.get((sent.kind, sent.namespace, sent.name))

    def _list(self, kind: Kind, sent: Sent) -> Obj:
        token = sent.query.get("continue")
        if token is None:
            items, revision = selected(self.objects, kind, sent), str(self._revision)
        elif token in self.tokens:
            items, revision = self.tokens[token]
        else:
            raise Failure(410, "Expired", "The provided continue parameter is too old to display a consistent list")
        limit = min(int(sent.query.get("limit", len(items))), self.longest_page)
        return page_of(kind, items, revision, limit, self.tokens)

    def _create(self, kind: Kind, sent: Sent) -> Obj:
        name = sent.body["metadata"]["name"]
        self._check_namespace(kind, sent, name)
        if (sent.resource, sent.namespace, name) in self.objects:
            raise answers.exists(kind, name)
        after = with_defaults(kind, without_status(kind, sent.body))
        entries = updated((), self._entry(kind, sent, "Update"), {}, after)
        return self.commit(kind, after, None, entries, sent.namespace).as_json()

    def _check_namespace(self, kind: Kind, sent: Sent, name: str) -> None:
        if not kind.namespaced:
            return
        namespace = self.objects.get(("namespaces", "", sent.namespace))
        if namespace is None:
            raise answers.no_namespace(sent.namespace)
        if "deletionTimestamp" in namespace.meta:
            raise answers.terminating(kind, name, sent.namespace)
        if kind is DEPLOYMENT and sent.namespace in self.full:
            raise answers.forbidden(kind, name, "exceeded quota: q, requested: count/deployments.apps=1")

    def _update(self, stored: Stored, sent: Sent) -> Obj:
        """PUT, or a patch that is no apply. Of an object of which nobody owns anything, nobody owns more after it."""
        before, after = stored.obj, wanted(stored, sent)
        revision, managed = (after["metadata"].get(key) for key in ("resourceVersion", "managedFields"))
        if revision not in (None, stored.meta["resourceVersion"]):
            raise answers.conflict(stored.kind, sent.name)
        after = with_defaults(stored.kind, confined(stored.kind, before, after, sent.sub))
        entries = stored.entries
        if not sent.sub:
            entries = given(entries, managed, stored.kind.api_version)
        if entries:
            entries = updated(entries, self._entry(stored.kind, sent, "Update"), before, after)
        return self.commit(stored.kind, after, stored, entries).as_json()

    def _apply(self, kind: Kind, sent: Sent) -> tuple[int, Obj]:
        stored, body, sub = self.get(sent), sent.body, sent.sub
        uid, revision = (body["metadata"].get(key) for key in ("uid", "resourceVersion"))
        if stored is None and sub:
            raise answers.not_found(kind, sent.name)
        for what, obj in (("live", stored.obj if stored and kind is WEBAPP else {}), ("patch", body)):
            if problem := unfit(kind, obj, self._schema(kind)):
                where = f"{sent.namespace}/{sent.name}; {kind.api_version}, Kind={kind.name}"
                raise Failure(500, "", f"failed to create typed {what} object ({where}): {problem}")
        if stored is None:
            if uid:
                why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                raise answers.conflict(kind, sent.name, why)
            self._check_namespace(kind, sent, sent.name)
        elif revision not in (None, stored.meta["resourceVersion"]):
            raise answers.conflict(kind, sent.name)
        elif uid not in (None, stored.meta["uid"]) and not sub:
            message = f'Invalid value: "{uid}": field is immutable'
            raise answers.invalid(kind, sent.name, [("metadata.uid", message)])
        return (200 if stored else 201), self._merge(kind, stored, sent).as_json()

    def _merge(self, kind: Kind, stored: Stored | None, sent: Sent) -> Stored:
        body = {"metadata": {}, "status": sent.body["status"]} if sent.sub else without_status(kind, sent.body)
        mine, entries = self._entry(kind, sent, "Apply"), stored.entries if stored else ()
        if stored and not entries:
            entries = before_first_apply(stored.obj, kind.api_version, TIME)
        before = stored.obj if stored else {"metadata": {"name": sent.name}}
        after = with_defaults(kind, applied(entries, mine, before, body))
        if stored:
            after = confined(kind, before, after, sent.sub)
        force = sent.query.get("force") == "true"
        try:
            entries = after_apply(entries, mine, (before, after), body, force=force)
        except FieldConflict as error:
            raise answers.owned_by_others(kind, error.fields) from error
        return self.commit(kind, after, stored, entries, sent.namespace)

    def _delete(self, stored: Stored, sent: Sent) -> Obj:
        check_preconditions(stored, sent)
        if stored.meta.get("finalizers") or stored.kind is NAMESPACE:
            after = deepcopy(stored.obj)
            after["metadata"].setdefault("deletionTimestamp", TIME)
            after["metadata"]["generation"] = stored.meta.get("generation", 0) + 1
            return self.commit(stored.kind, after, stored, stored.entries).as_json()
        del self.objects[str(stored.kind.resource), sent.namespace, sent.name]
        self._revision += 1
        self.happenings.append(Happening(self._revision, stored, None))
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}

    def commit(self, kind: Kind, after: Obj, stored: Stored | None, entries: Entries, namespace: str = "") -> Stored:
        """Store it, if it is valid and something is new in it."""
        before = stored.obj if stored else None
        name = after["metadata"]["name"]
        problems = list(invalid(kind, before, after))
        if problems:
            raise answers.invalid(kind, name, problems)
        if stored and after == stored.obj and entries == stored.entries:
            return stored
        self._revision += 1
        meta: Obj = dict(after["metadata"])
        if stored is None or before is None:
            meta |= {"uid": str(uuid.uuid4()), "creationTimestamp": TIME, "generation": 1}
            meta |= {"namespace": namespace} if namespace else {}
        elif "deletionTimestamp" in stored.meta or "deletionTimestamp" not in meta:
            meta["generation"] = generation(kind, before, after)
        meta["resourceVersion"] = str(self._revision)
        new = Stored(kind, after | {"metadata": meta}, entries)
        key = (str(kind.resource), meta.get("namespace", ""), name)
        gone = "deletionTimestamp" in meta and not meta.get("finalizers") and kind is not NAMESPACE
        if gone:
            del self.objects[key]
        else:
            self.objects[key] = new
        self.happenings.append(Happening(self._revision, stored, None if gone else new))
        return new

    def _entry(self, kind: Kind, sent: Sent, operation: str) -> Entry:
        manager = Manager(sent.query.get("fieldManager", "unknown"), operation, sent.sub)
        return Entry(manager, kind.api_version, None if sent.sub == "scale" else TIME)

    def _schema(self, kind: Kind) -> Obj | None:
        crd = self._crd
        return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] if crd and kind is WEBAPP else None

    @property
    def _crd(self) -> Obj | None:
        return next((stored.obj for stored in self.objects.values() if stored.kind is CRD), None)
