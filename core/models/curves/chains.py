"""Settings of the chains that sample the networks of learning curves: the authors' and ours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from core.models.priors import AveragedNormal, LogNormalNoise

AUTHORS: Mapping[str, Any] = MappingProxyType(
    {
        "widths": (50, 50, 50),
        "initialisation": "uniform",
        "weight_prior": AveragedNormal(),
        "noise_prior": LogNormalNoise(),
        "chains": 1,
        "burn_in": 3000,
        "steps": 13000,
        "thinning": 100,
    }
)
"""The authors' code: torch's initial weights, a nearly flat prior on them, one chain of 13,000 steps."""
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {**AUTHORS, "chains": 4, "noise_prior": LogNormalNoise(math.log(1e-3), 1.0)}
)
"""Ours: chains that start apart see more of what early epochs leave open, and the authors' noise prior, around 1e-6 of
the curves' variance with a standard deviation of 0.1 in its logarithm, outweighs a few hundred observations."""
