"""Samplers, one file per algorithm, batched over chains: see `core.samplers.base` for their common interface."""

from core.samplers.adaptive_sghmc import AdaptiveSGHMC, AdaptiveSGHMCState
from core.samplers.base import Sampler
from core.samplers.euler_sghmc import EulerSGHMC
from core.samplers.psgld import PreconditionedSGLD
from core.samplers.sghmc import SGHMC
from core.samplers.sgld import SGLD
from core.samplers.slice import slice_sample
from core.samplers.stretch import stretch_sample

__all__ = [
    "SGHMC",
    "SGLD",
    "AdaptiveSGHMC",
    "AdaptiveSGHMCState",
    "EulerSGHMC",
    "PreconditionedSGLD",
    "Sampler",
    "slice_sample",
    "stretch_sample",
]
