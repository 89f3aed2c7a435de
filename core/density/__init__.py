"""Densities over the unit cube: of all coordinates jointly for BOHB, of each separately for TPE."""

from core.density.kernel import KernelDensity, normal_reference

__all__ = ["KernelDensity", "normal_reference"]
