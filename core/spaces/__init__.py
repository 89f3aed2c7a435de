"""ConfigSpace spaces and the unit cube: `CubeEncoding` maps one to the other and back."""

from core.spaces.columns import Column
from core.spaces.description import describe_space
from core.spaces.encoding import CubeEncoding
from core.spaces.given import SpaceLike, as_space
from core.spaces.ranges import Float, Integer

__all__ = ["Column", "CubeEncoding", "Float", "Integer", "SpaceLike", "as_space", "describe_space"]
