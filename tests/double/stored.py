"""One object of an API server, and what a request asks of it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

from tests.double import answers
from tests.double.fields import Obj
from tests.double.kinds import Kind
from tests.double.managers import Entries
from tests.double.patches import NoSuchPath, json_patched, merge_patched
from tests.double.sent import Sent


@dataclass
class Stored:
    kind: Kind
    obj: Obj
    entries: Entries = ()

    @property
    def meta(self) -> Obj:
        meta: Obj = self.obj["metadata"]
        return meta

    def as_json(self) -> Obj:
        managed = [entry.as_json() for entry in self.entries]
        meta = self.meta | ({"managedFields": managed} if managed else {})
        return deepcopy(self.obj | {"apiVersion": self.kind.api_version, "kind": self.kind.name, "metadata": meta})


def wanted(stored: Stored, sent: Sent) -> Obj:
    """The object as an update would have it."""
    if sent.verb == "update":
        return sent.body
    if not sent.operations:
        merged: Obj = merge_patched(stored.obj, sent.body)
        return merged
    try:
        return json_patched(stored.as_json(), sent.operations)
    except NoSuchPath as error:
        raise answers.unfit_patch() from error


def check_preconditions(stored: Stored, sent: Sent) -> None:
    wanted = sent.body.get("preconditions", {})
    for field, what, happened in (
        ("uid", "UID", "The object might have been deleted and then recreated"),
        ("resourceVersion", "ResourceVersion", "The object might have been modified"),
    ):
        expected, found = wanted.get(field), stored.meta[field]
        if expected not in (None, found):
            raise answers.another(stored.kind, sent.name, what, expected, found, happened)


def never_stored(answer: Obj, sent: Sent, stored: Stored | None) -> Obj:
    """A dry run's answer has the resourceVersion of what is there; where nothing is, that of the request, if any."""
    if "resourceVersion" not in answer.get("metadata", {}):
        return answer
    meta = {key: value for key, value in answer["metadata"].items() if key != "resourceVersion"}
    known = stored.meta if stored else sent.body["metadata"]
    return answer | {"metadata": meta | {key: known[key] for key in ("resourceVersion",) if key in known}}
