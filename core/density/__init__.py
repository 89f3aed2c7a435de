"""Densities over the unit cube: of all coordinates together for BOHB, of each alone for TPE."""

from core.density.kernel import KernelDensity, normal_reference

__all__ = ["KernelDensity", "normal_reference"]
