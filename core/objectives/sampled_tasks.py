"""Values of many tasks at once, each a network of its own over the configuration and the task's latent vector.

    z_t(x) = h(x, h_t; theta_i(t)),    f_t(x) = sigmoid(z_t), exp(m + s z_t) or m + s z_t            (thesis 8.2.3)

`TaskFunctions` holds M sampled weight vectors; task t has the i(t)-th and a latent vector. Networks are bound by
reading their weights: tasks that share weights pass through them together, so that M weight vectors are read once
however many tasks there are. (At one point each, torch's batched products read them twice as fast as
`core.compiled.prediction`, which is made for many points.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import torch
from torch import Tensor

from core.models.meta_network import MetaNetwork
from core.models.network import MLP

Kind = Literal["error", "positive", "real"]
KINDS = get_args(Kind)
"""What values are: errors in [0, 1], sigmoids of z; positive, exponentials of the unstandardized z; or any, z itself
unstandardized."""


@dataclass(frozen=True)
class TaskFunctions:
    """The functions that a `MetaNetwork` learned for one quantity.

    Attributes:
        widths: Widths of the hidden layers.
        weights: Weight vectors, (M, P) float32.
        noise: Variances of the observations in the network's units, (M,).
        center, spread: Location and scale of the inputs (x, h), (d + Q,), which the network sees standardized.
        kind: Kind of the values, see `KINDS`.
        location, scale: Constants m and s; 0 and 1 for errors.
    """

    widths: tuple[int, ...]
    weights: Tensor
    noise: Tensor
    center: Tensor
    spread: Tensor
    kind: Kind
    location: float
    scale: float

    @classmethod
    def of(cls, model: MetaNetwork, kind: Kind) -> TaskFunctions:
        """The functions of a network that was fitted to one data set, of values or of their logarithms."""
        return cls(
            widths=model.widths,
            weights=model.samples[:, 0],
            noise=model.noise_variance[:, 0, 0].double(),
            center=model.inputs.mean[0, 0].double(),
            spread=model.inputs.scale[0, 0].double(),
            kind=kind,
            location=float(model.targets.mean),
            scale=float(model.targets.scale),
        )

    @property
    def samples(self) -> int:
        """M."""
        return len(self.weights)

    @property
    def network(self) -> MLP:
        """The architecture."""
        return MLP((len(self.center), *self.widths, 1))

    def at(self, samples: Tensor, latent: Tensor) -> FunctionsOfTasks:
        """The functions of T tasks with these weight vectors, (T,) numbers below M, and latent vectors (T, Q)."""
        return FunctionsOfTasks(self, samples, latent)

    def values(self, outputs: Tensor) -> Tensor:
        """f from z, elementwise."""
        if self.kind == "error":
            return outputs.sigmoid()
        values = self.location + self.scale * outputs
        return values.exp() if self.kind == "positive" else values

    def noisy(self, outputs: Tensor, deviation: Tensor, normals: Tensor) -> Tensor:
        """Observations: noise is added where the network models it, to errors as they are, to logarithms of others."""
        if self.kind == "error":
            return outputs.sigmoid() + deviation * normals
        return self.values(outputs + deviation * normals)


@dataclass(frozen=True)
class FunctionsOfTasks:
    """The functions of T tasks, grouped by their weights."""

    functions: TaskFunctions
    samples: Tensor
    latent: Tensor

    def __call__(self, X: Tensor) -> Tensor:
        """Noise-free values of every task at its own points, differentiable in these.

        Args:
            X: Points of the unit cube, (T, n, d) float64.

        Returns:
            (T, n) float64.
        """
        return self.functions.values(self.outputs(X))

    def observe(self, X: Tensor, normals: Tensor) -> tuple[Tensor, Tensor]:
        """Noise-free values and noisy ones, (T, n) each, given standard normals (T, n)."""
        outputs = self.outputs(X)
        deviation = self.functions.noise[self.samples].sqrt().unsqueeze(-1)
        return self.functions.values(outputs), self.functions.noisy(outputs, deviation, normals)

    def outputs(self, X: Tensor) -> Tensor:
        """z, (T, n)."""
        n = X.shape[1]
        inputs = torch.cat([X, self.latent.unsqueeze(1).expand(-1, n, -1)], -1)
        standard = ((inputs - self.functions.center) / self.functions.spread).to(torch.float32)
        group, place, weights, size = self._groups
        together = standard.new_zeros(len(weights), size, n, inputs.shape[-1])
        together = together.index_put((group, place), standard)
        grouped = self.functions.network.forward(weights, together.flatten(1, 2))
        outputs: Tensor = grouped.unflatten(-1, (size, n))[group, place].double()
        return outputs

    @cached_property
    def _groups(self) -> tuple[Tensor, Tensor, Tensor, int]:
        """Each task's group and place in it, (T,), the groups' weights, and the size of the largest group."""
        used, group, counts = self.samples.unique(return_inverse=True, return_counts=True)
        order = group.argsort(stable=True)
        place = torch.empty_like(group)
        place[order] = torch.arange(len(group)) - (counts.cumsum(0) - counts).repeat_interleave(counts)
        whole = len(used) == self.functions.samples
        return group, place, self.functions.weights if whole else self.functions.weights[used], int(counts.max())
