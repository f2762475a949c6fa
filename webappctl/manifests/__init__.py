"""YAML files → WebApps, as the API server would store them; what it would refuse is said with file and line.

files → text (`sources`) → nodes that know their lines (`nodes`, `scalars`) → WebApps (`webapps`, `schema`). Everything
that is wrong in all of the files is told at once. A manifest is hostile until read: each step has its limits.
"""

from webappctl.manifests.read import Manifest, read_manifests

__all__ = ["Manifest", "read_manifests"]
