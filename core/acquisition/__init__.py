"""Acquisition functions, one file each, and the maximizers that find their best point: see `core.acquisition.base`."""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
