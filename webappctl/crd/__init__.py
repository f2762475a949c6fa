"""The CustomResourceDefinition that ships with webappctl: print it, install it, and say what it would refuse.

Installing never deletes: deleting the CRD would delete every WebApp, and with them every Deployment.
"""

from webappctl.crd.installation import CrdStore, Installed, install
from webappctl.crd.refusal import refusal
from webappctl.crd.shipped import NAME, data, examples, shipped, text

__all__ = ["NAME", "CrdStore", "Installed", "data", "examples", "install", "refusal", "shipped", "text"]
