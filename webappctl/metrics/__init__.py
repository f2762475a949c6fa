"""Reports → Prometheus: what passes found and did, and how the API server answers, served or written to a file.

The only package that imports prometheus_client.
"""

from webappctl.metrics.metrics import Metrics
from webappctl.metrics.server import Server, serve
from webappctl.metrics.textfile import check_place, write_file

__all__ = ["Metrics", "Server", "check_place", "serve", "write_file"]
