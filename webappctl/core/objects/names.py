"""The names that tie a WebApp to its Deployment. They are the Go operator's, so that a fleet moves over as it is."""

from __future__ import annotations

from typing import Final

from webappctl.core.objects.meta import ObjectKey

GROUP: Final = "apps.example.com"
VERSION: Final = "v1"
API_VERSION: Final = f"{GROUP}/{VERSION}"
KIND: Final = "WebApp"
PLURAL: Final = "webapps"

MANAGED_BY: Final = "webapp-operator"
"""Value of the label `managed-by`. Part of immutable selectors, so it can never change."""

CONTAINER: Final = "app"

FIELD_MANAGER: Final = "webappctl"
"""Our name in metadata.managedFields. Another name would lose every field that we own, so it can never change."""

_SUFFIX: Final = "-deployment"


def deployment_key(webapp: ObjectKey) -> ObjectKey:
    """Where the Deployment of that WebApp is: the same namespace, `<name>-deployment`."""
    return ObjectKey(webapp.namespace, webapp.name + _SUFFIX)


def webapp_key(deployment: ObjectKey) -> ObjectKey | None:
    """The WebApp that would have that Deployment; None when none would."""
    name = deployment.name.removesuffix(_SUFFIX)
    return None if name in ("", deployment.name) else ObjectKey(deployment.namespace, name)
