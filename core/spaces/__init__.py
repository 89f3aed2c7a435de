"""ConfigSpace spaces and the unit cube: `CubeEncoding` maps one to the other and back."""

from core.spaces.columns import Column
from core.spaces.encoding import CubeEncoding, describe_space
from core.spaces.given import Float, Integer, SpaceLike, as_space

__all__ = ["Column", "CubeEncoding", "Float", "Integer", "SpaceLike", "as_space", "describe_space"]
