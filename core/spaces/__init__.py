"""ConfigSpace spaces and the unit cube: `CubeEncoding` goes from one to the other and back."""

from core.spaces.columns import Column
from core.spaces.encoding import CubeEncoding

__all__ = ["Column", "CubeEncoding"]
