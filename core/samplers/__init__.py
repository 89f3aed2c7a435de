"""Samplers, batched over chains: see `core.samplers.base` for their common interface."""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
