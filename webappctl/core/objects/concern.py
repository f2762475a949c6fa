"""Which Deployments a pass looks at."""

from __future__ import annotations

from webappctl.core.objects.deployment import Deployment
from webappctl.core.objects.names import MANAGED_BY, webapp_key
from webappctl.core.objects.unreadable import Unreadable


def of_concern(deployment: Deployment | Unreadable) -> bool:
    """One with another name and without our label can be nobody's child."""
    return labelled(deployment) or webapp_key(deployment.key) is not None


def labelled(deployment: Deployment | Unreadable) -> bool:
    return (deployment.metadata.labels or {}).get("managed-by") == MANAGED_BY
