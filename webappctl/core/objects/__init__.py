"""The objects of the API server as values, with only the fields that webappctl looks at."""

from webappctl.core.objects.autoscaler import ALL_NAMESPACES, NO_AUTOSCALERS, Autoscaler, Autoscalers
from webappctl.core.objects.concern import labelled, of_concern
from webappctl.core.objects.deployment import Container, Deployment
from webappctl.core.objects.listing import Kind, Listed, Listing, Lists
from webappctl.core.objects.lists import (
    Page,
    read_autoscaler,
    read_autoscalers,
    read_deployment,
    read_deployments,
    read_namespaces,
    read_pods,
    read_webapp,
    read_webapps,
)
from webappctl.core.objects.managed import SELECTOR_PATH, FieldOwner, FieldPath, ManagedFields
from webappctl.core.objects.meta import Condition, Json, ObjectKey, ObjectMeta, OwnerReference
from webappctl.core.objects.names import (
    API_VERSION,
    CONTAINER,
    FIELD_MANAGER,
    GROUP,
    KIND,
    MANAGED_BY,
    PLURAL,
    VERSION,
    deployment_key,
    webapp_key,
)
from webappctl.core.objects.owned import (
    IMAGE_PATH,
    PORTS_PATH,
    REPLICAS_PATH,
    OwnedFields,
    container_path,
    label_path,
    owner_path,
    pod_label_path,
    port_path,
)
from webappctl.core.objects.pod import Pod
from webappctl.core.objects.shard import Shard
from webappctl.core.objects.snapshot import Scope, Snapshot
from webappctl.core.objects.unreadable import Unreadable
from webappctl.core.objects.watched import (
    EventType,
    WatchEvent,
    kept,
    read_autoscaler_event,
    read_deployment_event,
    read_webapp_event,
    without_history,
)
from webappctl.core.objects.webapp import WebApp, WebAppOfOddStatus, WebAppSpec, WebAppStatus

__all__ = [
    "ALL_NAMESPACES",
    "API_VERSION",
    "CONTAINER",
    "FIELD_MANAGER",
    "GROUP",
    "IMAGE_PATH",
    "KIND",
    "MANAGED_BY",
    "NO_AUTOSCALERS",
    "PLURAL",
    "PORTS_PATH",
    "REPLICAS_PATH",
    "SELECTOR_PATH",
    "VERSION",
    "Autoscaler",
    "Autoscalers",
    "Condition",
    "Container",
    "Deployment",
    "EventType",
    "FieldOwner",
    "FieldPath",
    "Json",
    "Kind",
    "Listed",
    "Listing",
    "Lists",
    "ManagedFields",
    "ObjectKey",
    "ObjectMeta",
    "OwnedFields",
    "OwnerReference",
    "Page",
    "Pod",
    "Scope",
    "Shard",
    "Snapshot",
    "Unreadable",
    "WatchEvent",
    "WebApp",
    "WebAppOfOddStatus",
    "WebAppSpec",
    "WebAppStatus",
    "container_path",
    "deployment_key",
    "kept",
    "label_path",
    "labelled",
    "of_concern",
    "owner_path",
    "pod_label_path",
    "port_path",
    "read_autoscaler",
    "read_autoscaler_event",
    "read_autoscalers",
    "read_deployment",
    "read_deployment_event",
    "read_deployments",
    "read_namespaces",
    "read_pods",
    "read_webapp",
    "read_webapp_event",
    "read_webapps",
    "webapp_key",
    "without_history",
]
