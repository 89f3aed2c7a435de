"""PROFET's meta-model of a class of tasks, fitted to the values of real tasks at the same points (thesis 8.2.2, E.6).

    model = MetaModel.fit("svm", values, points, names, generator, seconds=seconds)
    model.tasks(range(1000))                            # see `core.objectives.generated_tasks`

The encoder gives each task's q(h_t); a Bayesian network on (x, h) is sampled for the values, another for the cost. As
in the authors' code, errors in [0, 1] are modelled as they are by a network with a sigmoid at its end; other positive
values, and the cost in seconds always, by the standardized logarithm. The authors rescale the noise of the latter
wrongly, here it is right: `sampled_tasks` adds it to the standardized logarithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.meta_network import MetaNetwork
from core.models.task_encoder import TaskEncoder
from core.objectives.sampled_tasks import Kind, TaskFunctions

DRAWS = 5  # H, of the latent vector of every observation's task


@dataclass(frozen=True)
class MetaModel:
    """A meta-model.

    Attributes:
        name: Name of the class of tasks.
        names: Names of the T real tasks.
        encoder: Distributions q(h_t) of these tasks.
        loss: Functions of the configuration and the latent vector.
        cost: Functions for the cost in seconds; None if no seconds were given.
        worst: Largest value of the real tasks.
    """

    name: str
    names: tuple[str, ...]
    encoder: TaskEncoder
    loss: TaskFunctions
    cost: TaskFunctions | None
    worst: float

    @classmethod
    def fit(
        cls,
        name: str,
        values: Tensor,
        points: Tensor,
        names: Sequence[str],
        generator: torch.Generator,
        seconds: Tensor | None = None,
        kind: Kind = "error",
        dimensions: int = 5,
        encoder_steps: int = 3000,
        encoder_tolerance: float | None = None,
        **network: Any,
    ) -> MetaModel:
        """Fit the encoder and both networks.

        Args:
            values: Values of T tasks at N points, (T, N).
            points: Points of the unit cube, (N, d).
            names: Names of the tasks.
            generator: Generator of everything random.
            seconds: Cost of every value, (T, N).
            kind: Kind of the values, a name of `sampled_tasks.KINDS`.
            dimensions: Dimension Q of the latent vectors.
            encoder_steps, encoder_tolerance: Steps and tolerance of the encoder, see `TaskEncoder.fit`.
            network: Settings of `MetaNetwork`.

        Raises:
            UserError: values or seconds that are not positive where a logarithm is taken, or that the encoder refuses.
        """
        values = torch.as_tensor(values, dtype=torch.float64)
        encoder = TaskEncoder.fit(values, generator, dimensions, steps=encoder_steps, tolerance=encoder_tolerance)
        draws = encoder.draw(DRAWS * values.shape[1], generator)
        latent = draws.unflatten(0, (DRAWS, values.shape[1])).movedim(1, 2)
        loss = _functions(name, "values", values, points, latent, kind, generator, network)
        cost = None
        if seconds is not None:
            seconds = torch.as_tensor(seconds, dtype=torch.float64)
            cost = _functions(name, "seconds", seconds, points, latent, "positive", generator, network)
        return cls(name, tuple(names), encoder, loss, cost, float(values.max()))

    @property
    def dimension(self) -> int:
        """d."""
        return len(self.loss.center) - self.encoder.means.shape[1]


def _functions(
    name: str,
    what: str,
    values: Tensor,
    points: Tensor,
    latent: Tensor,
    kind: Kind,
    generator: torch.Generator,
    network: dict[str, Any],
) -> TaskFunctions:
    """Sample networks from the values (T, N) at points (N, d), every value with its latent vectors (H, T, N, Q)."""
    if kind == "positive" and not (values > 0).all():
        raise UserError(
            f"{name}: {what} from {values.min():g} on; allowed: positive, since their logarithm is modelled"
        )
    copies, tasks = latent.shape[:2]
    X = torch.as_tensor(points, dtype=torch.float64).expand(copies, tasks, -1, -1)
    targets = (values.log() if kind == "positive" else values).expand(copies, -1, -1)
    seed = int(torch.randint(2**62, (1,), generator=generator))
    model = MetaNetwork(copies=copies, mean="sigmoid" if kind == "error" else "linear", **network)
    model.fit(torch.cat([X, latent], -1).flatten(0, 2)[None], targets.flatten()[None], make_generators([seed]))
    functions = TaskFunctions.of(model, kind)
    if not (torch.isfinite(functions.weights).all() and torch.isfinite(functions.noise).all()):
        raise UserError(
            f"{name}: the chain of the network of {what} diverged; allowed: a smaller step, or another seed"
        )
    return functions
