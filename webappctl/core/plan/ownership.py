"""Whose Deployment is it? Before anything else, so that nothing of another is ever written to."""

from __future__ import annotations

from typing import Final

from webappctl.core.desired import labels_of
from webappctl.core.objects import GROUP, KIND, Deployment, ManagedFields, OwnerReference, WebApp, annotations_of
from webappctl.core.plan.change import Action, Change, Obstacle
from webappctl.core.plan.policy import Adopt, Policy

_MARKS: Final = (
    ("meta.helm.sh/release-name", "Helm release"),
    ("argocd.argoproj.io/tracking-id", "Argo CD application"),
    ("helm.toolkit.fluxcd.io/name", "HelmRelease"),
    ("kustomize.toolkit.fluxcd.io/name", "Kustomization"),
)
"""Labels and annotations by which other tools say that an object is theirs; the value names what of theirs it is."""


def not_ours(webapp: WebApp, deployment: Deployment, policy: Policy) -> Change | None:
    """A row that leaves it alone. None: ours, ours to have back, or ours to adopt."""
    name = deployment.metadata.name
    if deployment.metadata.terminating:
        message = f"Deployment {name} is being deleted"
        return waiting(webapp, deployment, Obstacle.TERMINATING, message)
    owner = deployment.metadata.controller
    if owner is not None and owner.uid != webapp.metadata.uid:
        return _of_another(webapp, deployment, owner)
    if owner is None and not was_ours(webapp, deployment):
        return _unowned(webapp, deployment, policy)
    return _other_selector(webapp, deployment)


def waiting(webapp: WebApp | None, deployment: Deployment, obstacle: Obstacle, message: str) -> Change:
    remedy = "it is created again when it is gone" if webapp else "it needs nothing"
    return Change(webapp, deployment, Action.WAITING, obstacle=obstacle, message=message, remedy=remedy)


def is_webapp(owner: OwnerReference) -> bool:
    return owner.kind == KIND and owner.api_version.startswith(f"{GROUP}/")


def was_ours(webapp: WebApp, deployment: Deployment) -> bool:
    """A Deployment that lost its owner reference, or the mark of the controller in it."""
    if any(owner.uid == webapp.metadata.uid for owner in deployment.metadata.owner_references or ()):
        return True
    return ManagedFields.read(deployment.metadata.managed_fields).applied_by_us


def _blocked(webapp: WebApp, deployment: Deployment, obstacle: Obstacle, message: str, remedy: str) -> Change:
    return Change(webapp, deployment, Action.BLOCKED, obstacle=obstacle, message=message, remedy=remedy)


def _of_another(webapp: WebApp, deployment: Deployment, owner: OwnerReference) -> Change:
    name = deployment.metadata.name
    if is_webapp(owner) and owner.name == webapp.metadata.name:
        message = f"Deployment {name} is of a WebApp of this name that was deleted; the garbage collector removes it"
        return waiting(webapp, deployment, Obstacle.GARBAGE_COLLECTION, message)
    message = f"Deployment {name} is owned by {owner.kind} {owner.name}"
    return _blocked(webapp, deployment, Obstacle.FOREIGN_OWNER, message, "delete it there, or rename the WebApp")


def _unowned(webapp: WebApp, deployment: Deployment, policy: Policy) -> Change | None:
    name = deployment.metadata.name
    other = owner_or_tool_of(deployment)
    if other:
        message = f"Deployment {name} is {other}"
        return _blocked(webapp, deployment, Obstacle.FOREIGN_OWNER, message, "delete it there, or rename the WebApp")
    message = f"Deployment {name} has no owner, and webappctl did not make it"
    wrong = _wrong_selector(webapp, deployment)
    if wrong:
        remedy = "delete it, or rename the WebApp"
        return _blocked(webapp, deployment, Obstacle.UNOWNED, f"{message}; it {wrong}", remedy)
    if policy.adopt is Adopt.UNOWNED:
        return None
    remedy = "take it over with --adopt=unowned, delete it, or rename the WebApp"
    return _blocked(webapp, deployment, Obstacle.UNOWNED, message, remedy)


def owner_or_tool_of(deployment: Deployment) -> str:
    """`owned by ConfigMap x`, `managed by Helm release x`; empty for nobody's.

    An owner need not be a controller, and another tool's object may say so in a label or an annotation only.
    """
    for owner in deployment.metadata.owner_references or ():
        return f"owned by {owner.kind} {owner.name}"
    labels, annotations = deployment.metadata.labels or {}, annotations_of(deployment.metadata)
    for mark, kind in _MARKS:
        value = annotations.get(mark) or labels.get(mark)
        if value:
            return f"managed by {kind} {value}"
    return ""


def _other_selector(webapp: WebApp, deployment: Deployment) -> Change | None:
    """No write could ever mend it."""
    wrong = _wrong_selector(webapp, deployment)
    if not wrong:
        return None
    message = f"Deployment {deployment.metadata.name} {wrong}"
    remedy = "delete the Deployment, it is created again"
    return _blocked(webapp, deployment, Obstacle.IMMUTABLE_SELECTOR, message, remedy)


def _wrong_selector(webapp: WebApp, deployment: Deployment) -> str:
    """`selects app=x instead of app=web, and selectors are immutable`; empty when it has exactly ours."""
    selector = deployment.spec.selector
    wanted = labels_of(webapp.metadata.name)
    if dict(selector.match_labels or {}) == wanted and not selector.match_expressions:
        return ""
    found = ",".join(f"{key}={value}" for key, value in sorted((selector.match_labels or {}).items()))
    more = " and expressions" if selector.match_expressions else ""
    ours = ",".join(f"{key}={value}" for key, value in wanted.items())
    return f"selects {found}{more} instead of {ours}, and selectors are immutable"
