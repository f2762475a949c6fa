"""An API server in memory, and the others who use it."""

from tests.double.others import Others
from tests.double.sent import Sent
from tests.double.server import Double
from tests.double.world import World, key

__all__ = ["Double", "Others", "Sent", "World", "key"]
