"""Answers in the API server's words."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.double.fields import Obj, Path
from tests.double.kinds import Kind
from webappctl.cluster.wire import Answer

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


class Failure(Exception):
    """A failure Status, on its way out."""

    def __init__(self, code: int, reason: str, message: str, details: Obj | None = None) -> None:
        super().__init__(message)
        self.code = code
        body: Obj = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
        self.body = body | ({"reason": reason} if reason else {}) | ({"details": details} if details else {})
        self.body["code"] = code

    @property
    def answer(self) -> Answer:
        return json_answer(self.code, self.body)


def json_answer(code: int, body: Obj) -> Answer:
    return Answer(code, {"content-type": "application/json"}, json.dumps(body).encode())


def not_found(kind: Kind, name: str) -> Failure:
    return Failure(404, "NotFound", f'{kind.resource} "{name}" not found', _details(kind, name))


def no_namespace(name: str) -> Failure:
    return Failure(404, "NotFound", f'namespaces "{name}" not found', {"name": name, "kind": "namespaces"})


def exists(kind: Kind, name: str) -> Failure:
    return Failure(409, "AlreadyExists", f'{kind.resource} "{name}" already exists', _details(kind, name))


def conflict(kind: Kind, name: str, why: str = MODIFIED) -> Failure:
    message = f'Operation cannot be fulfilled on {kind.resource} "{name}": {why}'
    return Failure(409, "Conflict", message, _details(kind, name))


def another(kind: Kind, name: str, what: str, wanted: str, found: str, why: str) -> Failure:
    """A precondition of a deletion that does not hold."""
    text = f"the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). {why}"
    message = f'Operation cannot be fulfilled on {kind.name}.{kind.resource.group} "{name}": {text}'
    return Failure(409, "Conflict", message, _details(kind, name) | {"kind": kind.name})


def unfit_patch() -> Failure:
    """A JSON patch that cannot be carried out."""
    return Failure(422, "Invalid", "the server rejected our request due to an error in our request")


def owned_by_others(kind: Kind, fields: Sequence[tuple[str, Path]]) -> Failure:
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f'conflict with "{manager}" using {kind.api_version}',
            "field": _plain(path),
        }
        for manager, path in fields
    ]
    message = f"Apply failed with {len(causes)} conflict{'' if len(causes) == 1 else 's'}: {causes[0]['message']}"
    return Failure(409, "Conflict", message, {"causes": causes})


def invalid(kind: Kind, name: str, problems: Sequence[tuple[str, str]]) -> Failure:
    causes = [{"reason": "FieldValueInvalid", "message": message, "field": field} for field, message in problems]
    text = ", ".join(f"{field}: {message}" for field, message in problems)
    details = _details(kind, name) | {"kind": kind.name, "causes": causes}
    return Failure(422, "Invalid", f'{kind.name}.{kind.resource.group} "{name}" is invalid: {text}', details)


def forbidden(kind: Kind, name: str, why: str, causes: Sequence[Obj] = ()) -> Failure:
    """Without causes it is the same for a missing right and for a quota."""
    details = _details(kind, name) | ({"causes": list(causes)} if causes else {})
    which = f'{kind.resource} "{name}"' if name else str(kind.resource)
    return Failure(403, "Forbidden", f"{which} is forbidden: {why}", details)


def terminating(kind: Kind, name: str, namespace: str) -> Failure:
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    return forbidden(kind, name, why, [cause])


def _details(kind: Kind, name: str) -> Obj:
    group = kind.resource.group
    return ({"name": name} if name else {}) | ({"group": group} if group else {}) | {"kind": kind.resource.plural}


def _plain(path: Path) -> str:
    """`.spec.template.spec.containers[name="app"].image`."""
    text = ""
    for part in path:
        if part.startswith("f:"):
            text += f".{part[2:]}"
        else:
            keys = json.loads(part[2:])
            text += "[" + ",".join(f"{key}={json.dumps(value)}" for key, value in keys.items()) + "]"
    return text
