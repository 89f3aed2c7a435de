"""The choice of an engine for a problem. All take the same steps, up to rounding and the source of random numbers:

torch       for every sampler of `core.samplers` and every device, see below
compiled    numba on the CPU, for SGHMC and scale-adapted SGHMC with tanh units in float32, see `compiled`
fused       Triton on CUDA devices, for the same with up to three hidden layers of 64 units, see `fused`

`ReferenceEngine` is the torch engine: all chains of all runs move in one batched step, with any sampler, on any device.

Gradient of the potential (Eq. 6 with the joint density of Eq. 3, NIPS paper) from a minibatch of B of the N points, for
theta = (w, s), s = log sigma^2, prior precision lambda, noise prior N(m, v):

    dU/dw = (N/B) sum_b (h_b - y_b)/sigma^2 dh_b/dw + lambda w
    dU/ds = N/2 - (N/B) sum_b (h_b - y_b)^2/(2 sigma^2) + (s - m)/v

With a sigmoid mean, h_b is the sigmoid of the network's output, another factor h_b (1 - h_b) of dU/dw. With weighted
points, N is the sum of the weights.

An epoch is a permutation per chain; the data are permuted once per epoch and the batches are views.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, get_args

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import permutations
from core.models.engines.compiled import CompiledEngine
from core.models.engines.fused import FusedEngine
from core.models.engines.fused import obstacle as fused_obstacle
from core.models.engines.problem import Engine, PaddedSampler, Problem
from core.models.network import MLP, Backpropagation
from core.samplers import Sampler


class ReferenceEngine:
    """Chains in torch tensors (chains, P_w + 1)."""

    def __init__(
        self, problem: Problem[MLP], sampler: Sampler[Any], state: Any, generators: Sequence[torch.Generator]
    ) -> None:
        self.problem, self.sampler, self.generators = problem, sampler, generators
        theta = state.position.clone(memory_format=torch.contiguous_format)
        self.chains = state._replace(position=theta)
        self.gradient = torch.zeros_like(theta)
        self.passes = Backpropagation(problem.network, theta[:, :-1], self.gradient[:, :-1], problem.batch)
        self.precisions = torch.zeros_like(theta)
        self.covered = problem.covered.to(theta)
        self.runs = torch.arange(len(problem.X), device=theta.device).repeat_interleave(problem.chains_per_run)
        self.batches_done = 0
        self.X, self.y = problem.X[self.runs], problem.y[self.runs]

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""
        self.precisions[:, :-1] = precision[:, None] * self.covered
        for _ in range(steps):
            self.step(*self.next_batch())

    def step(self, X: Tensor, y: Tensor, noise: Tensor | None = None) -> None:
        """Make one step on a batch X (chains, B, d), y (chains, B), with the given standard normals or drawn ones."""
        self.potential_gradient(X, y)
        self.chains = self.sampler.step(self.chains, self.gradient, self.generators, noise)

    def potential_gradient(self, X: Tensor, y: Tensor) -> Tensor:
        """The gradient at the chains' positions, (chains, P_w + 1), a buffer that the next call overwrites."""
        theta, gradient, prior = self.chains.position, self.gradient, self.problem.noise_prior
        points = self.problem.points * self.problem.weight
        noise_precision = theta[:, -1:].neg().exp()
        mean = self.passes.forward(X)
        slope = mean.sigmoid_().mul(1 - mean) if self.problem.mean == "sigmoid" else None
        error = mean.sub_(y)
        weighted = noise_precision * (points / y.shape[1])
        squares = error.square().sum(1)
        delta = error.mul_(weighted)
        self.passes.backward(delta if slope is None else delta.mul_(slope))
        gradient[:, -1] = (squares * weighted[:, 0]).neg_().add_(points).mul_(0.5)
        gradient[:, -1] += (theta[:, -1] - prior.mean) / prior.variance
        return gradient.addcmul_(self.precisions, theta)

    def freeze(self) -> None:
        """End the burn-in."""
        self.chains = self.sampler.freeze(self.chains)

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1)."""
        theta: Tensor = self.chains.position
        return theta

    def state(self) -> Any:
        """The sampler's state."""
        return self.chains

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """The epoch's next batch for every chain, X (chains, B, d) and y (chains, B)."""
        points, batch = self.problem.points, self.problem.batch
        if batch == points:
            return self.X, self.y
        if self.batches_done == 0:
            order = permutations(points, self.problem.chains, self.generators)
            self.X, self.y = (data[self.runs[:, None], order] for data in (self.problem.X, self.problem.y))
        start = self.batches_done * batch
        self.batches_done = (self.batches_done + 1) % (points // batch)
        return self.X[:, start : start + batch], self.y[:, start : start + batch]


ENGINES: dict[str, Any] = {"torch": ReferenceEngine, "compiled": CompiledEngine, "fused": FusedEngine}


def make_engine(
    name: str, problem: Problem[MLP], sampler: Sampler[Any], state: Any, generators: Sequence[torch.Generator]
) -> Engine:
    """Make the engine "torch", "compiled" or "fused"; "auto" chooses one of the latter where it applies.

    Args:
        state: State of the sampler, (chains, P_w + 1), from which the chains start.
        generators: Generators, one per run, on the state's device.

    Raises:
        UserError: another name, or an engine that does not cover the problem.
    """
    if name not in ("auto", *ENGINES):
        raise UserError(f"engine: must be 'auto', {', '.join(map(repr, ENGINES))}, got {name!r}")
    theta = state.position
    fast = "compiled" if theta.device.type == "cpu" else "fused"
    wanted = fast if name == "auto" else name
    obstacle = None if wanted == "torch" else _obstacle(wanted, problem, sampler, theta)
    if obstacle and name != "auto":
        raise UserError(f"engine: {name!r} does not cover {obstacle}; choose 'auto' or 'torch'")
    engine: Engine = ENGINES["torch" if obstacle else wanted](problem, sampler, state, generators)
    return engine


def require_compiled(model: Any) -> None:
    """Check the settings of a Bayesian network that only its own compiled engine samples, from a cold start.

    Raises:
        UserError: naming the setting that no compiled engine covers.
    """
    for name, value, allowed in (
        ("activation", model.activation, ("tanh",)),
        ("engine", model.engine, ("auto", "compiled")),
        ("warm_burn_in", model.warm_burn_in, (None,)),
        ("device", model.device.type, ("cpu",)),
        ("sampler", type(model.sampler), get_args(PaddedSampler)),
    ):
        if value not in allowed:
            raise UserError(f"{type(model).__name__}.{name}: must be one of {allowed}, got {value!r}")


def _obstacle(engine: str, problem: Problem[MLP], sampler: Sampler[Any], theta: Tensor) -> str | None:
    """What the compiled or the fused engine does not cover, if anything."""
    if type(sampler) not in get_args(PaddedSampler):
        return f"the sampler {type(sampler).__name__}"
    if problem.network.activation != "tanh":
        return f"{problem.network.activation} units"
    if theta.device.type != ("cpu" if engine == "compiled" else "cuda") or theta.dtype != torch.float32:
        return f"{theta.dtype} on {theta.device}"
    if engine == "compiled":
        return None
    return fused_obstacle(problem) if find_spec("triton") else "an installation without Triton"
