"""What the engines sample: the posterior of `chains` networks, and the choice of an engine for it.

An engine holds the chains of one fit. Both engines do the same steps, up to rounding and to the random numbers' source:

    reference   torch, for every sampler of `core.samplers` and every device
    compiled    numba on the CPU, for SGHMC and scale-adapted SGHMC with tanh units in float32
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from core.models.network import MLP
from core.models.priors import LogNormalNoise
from core.samplers import SGHMC, AdaptiveSGHMC


@dataclass(frozen=True)
class Problem:
    """The posterior over theta = (weights and biases, s = log sigma^2) given R data sets.

    Attributes:
        X, y: standardised inputs (R, N, d) and targets (R, N), in the floating-point type to sample in.
        chains_per_run: k; chains r k ... r k + k - 1 belong to run r.
        batch_size: points of a minibatch; all points in every step where N is not larger.
        covered: (P_w,) 1 where the weight prior applies.
    """

    network: MLP
    X: Tensor
    y: Tensor
    chains_per_run: int
    batch_size: int
    covered: Tensor
    noise_prior: LogNormalNoise

    @property
    def chains(self) -> int:
        """R k."""
        return len(self.X) * self.chains_per_run

    @property
    def points(self) -> int:
        """N."""
        return self.X.shape[1]

    @property
    def batch(self) -> int:
        """Points of a step: B, or N where N <= B."""
        return min(self.batch_size, self.points)


class Engine(Protocol):
    """Chains of one fit, moved by whole blocks of steps."""

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; precision (chains,) is that of the weight prior."""

    def freeze(self) -> None:
        """End the burn-in."""

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1); a copy or a view that the next `advance` may overwrite."""

    def state(self) -> Any:
        """The sampler's state, with the same caution."""


def make_engine(name: str, problem: Problem, sampler: Any, state: Any, generators: Sequence[torch.Generator]) -> Engine:
    """Engine "torch" or "compiled", or with "auto" the compiled one where it can.

    Args:
        state: the sampler's, of (chains, P_w + 1), where the chains start.
        generators: one a run, on the state's device.

    Raises:
        ValueError: another name, or "compiled" for what it does not cover.
    """
    obstacle = _compiled_obstacle(problem, sampler, state.position)
    if name == "compiled" and obstacle:
        raise ValueError(f"engine: 'compiled' does not cover {obstacle}; choose 'auto' or 'torch'")
    if name not in ("auto", "torch", "compiled"):
        raise ValueError(f"engine: must be 'auto', 'torch' or 'compiled', got {name!r}")
    if name == "torch" or obstacle:
        from core.models.engines.reference import ReferenceEngine

        return ReferenceEngine(problem, sampler, state, generators)
    from core.models.engines.compiled import CompiledEngine

    return CompiledEngine(problem, sampler, state, generators)


def _compiled_obstacle(problem: Problem, sampler: Any, theta: Tensor) -> str | None:
    if type(sampler) not in (SGHMC, AdaptiveSGHMC):
        return f"the sampler {type(sampler).__name__}"
    if problem.network.activation != "tanh":
        return f"{problem.network.activation} units"
    if theta.device.type != "cpu" or theta.dtype != torch.float32:
        return f"{theta.dtype} on {theta.device}"
    return None
