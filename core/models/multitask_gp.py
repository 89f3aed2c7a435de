"""A Gaussian process of several tasks, by coregionalisation (Swersky et al. 2013; thesis 3.6.2 and Eq. 4.3).

    k((x, t), (x', t')) = k_5/2(x, x') (nu L L')_tt'

The Cholesky factor L of the covariance of tasks is sampled together with the other hyperparameters, see
`core.models.kernels`. It is the kernel of MTBO; MTBO also decides on which task to evaluate, while here earlier tasks
are given and predictions are of the task at hand, number 0, for the usual acquisition functions.

A Gaussian process on the observations of all tasks, stacked, whose inputs are a configuration and the context of its
task (Krause and Ong 2011; the GP "transfer" of Perrone et al. 2017, section 3.1).

Kernel, hyperparameters and their search are those of `core.models.gaussian_process`, with length scales for the context
features too; these are scaled as `core.models.tasks` says. The targets of all tasks are standardized together, so that
the context can explain how tasks differ in level and scale. A fit costs the cube of the number of all observations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.models.ensemble import points_for, training_data
from core.models.gaussian_process import GaussianProcess, MarginalisedGP
from core.models.kernels import tasks
from core.models.mixture import Function, GaussianMixtureModel
from core.models.tasks import Task, beside_context, check_scaling, check_tasks, stack, with_contexts


class MultiTaskGP(GaussianMixtureModel):
    """Members drawn from the posterior of the hyperparameters, as `MarginalisedGP`'s.

    Args:
        earlier: Evaluations of other tasks, at least one; contexts are not used.
        scaling: Way of standardizing the targets, see `core.models.tasks`.
        rank: Rank of the covariance of tasks beside its diagonal, see `core.models.kernels`; None for any
            covariance, whose entries grow with the square of the number of tasks.
        chains, burn_in: Number of chains of the slice sampler, each of which gives one member, and of sweeps before it.
        warm_burn_in: Number of sweeps before the member when the chains continue those of an earlier fit.
        device: Device on which fit and predictions run.

    Raises:
        UserError: a setting out of range; no earlier task.
    """

    of_function = True

    def __init__(
        self,
        earlier: Sequence[Task],
        *,
        scaling: str = "joint",
        rank: int | None = None,
        chains: int = 10,
        burn_in: int = 15,
        warm_burn_in: int = 0,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        check_scaling(scaling)
        self.earlier, self.scaling, self.device = tuple(earlier), scaling, torch.device(device)
        basis = tasks(1 + len(self.earlier), rank)
        self.process = MarginalisedGP(
            chains=chains, burn_in=burn_in, warm_burn_in=warm_burn_in, device=device, basis=basis
        )

    def fit(
        self, X: Tensor, y: Tensor, generators: Generators, initial: Mapping[str, Tensor] | None = None
    ) -> MultiTaskGP:
        """Sample the hyperparameters given X (runs, n, d) and y (runs, n) of the task at hand and the earlier tasks.

        Args:
            generators: Generators, one per run, or one for all.
            initial: Chains to continue, the `chain_state` of a fit to the same tasks.

        Raises:
            UserError: as `core.models.tasks.stack`, or the state of another model.
        """
        earlier = [Task(task.X, task.y, None, task.name) for task in self.earlier]
        stacked = stack(X, y, earlier, self.scaling, device=self.device)
        number = stacked.task.to(stacked.X).expand(*stacked.X.shape[:2]).unsqueeze(-1)
        self.process.fit(torch.cat([stacked.X, number], -1), stacked.y, generators, initial)
        self.runs, self.dimension, self.members = len(stacked.X), stacked.X.shape[-1], self.process.members
        inner, outer = self.process.targets, stacked.targets
        self.targets = Standardizer(outer.inverse(inner.mean), inner.scale * outer.scale)
        return self

    @property
    def repairs(self) -> list[str]:
        """Description, for each run, of what was done to factorise the covariance; empty if nothing."""
        return self.process.repairs

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x) of the task at hand for each member."""
        return self.process.marginals(_of_target(X))

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and covariance of f(X) of the task at hand for each member."""
        return self.process.joint(_of_target(X))

    def noise(self) -> Tensor:
        """The noise variance of each member."""
        return self.process.noise()

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Raises NotImplementedError: functions of several tasks are not drawn."""
        return self.process.draw(members, generators)

    def chain_state(self) -> dict[str, Tensor]:
        """Return the state of the process after `fit`, from which another fit may continue."""
        return self.process.chain_state()


def _of_target(X: Tensor) -> Tensor:
    """X (..., d) with the number of the task at hand, (..., d + 1)."""
    return torch.cat([X, torch.zeros_like(X[..., :1])], -1)


class StackedGP(GaussianProcess):
    """Gaussian process of all tasks that predicts for the task at hand.

    Args:
        earlier: Other tasks, with contexts.
        context: Features of the task at hand, (c,) or (runs, c).
        restarts, iterations, device: See `GaussianProcess`.

    Raises:
        UserError: a count below 1, or no context.
    """

    def __init__(
        self,
        earlier: Sequence[Task],
        context: Tensor,
        *,
        restarts: int = 3,
        iterations: int = 100,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(restarts=restarts, iterations=iterations, device=device)
        if context is None:
            raise UserError("StackedGP.context is None; allowed: features of the task at hand, (c,) or (runs, c)")
        self.earlier, self.context = tuple(earlier), context
        self.columns: Tensor | None = None

    def fit(
        self, X: Tensor, y: Tensor, generators: Generators, initial: Mapping[str, Tensor] | None = None
    ) -> StackedGP:
        """Find Theta for X (runs, N, d) and y (runs, N) and the observations of the earlier tasks.

        Raises:
            UserError: data of the wrong shape, not finite or out of range, or earlier tasks that do not fit to them.
        """
        X, y = training_data(X, y, self.device)
        check_tasks(self.earlier, len(X), X.shape[-1], self.context)
        inputs, self.columns = with_contexts(X, self.earlier, self.context)
        losses = [y, *(task.y.to(y) for task in self.earlier)]
        points, targets = (
            torch.cat([each.expand(len(X), *each.shape[1:]) for each in parts], 1) for parts in (inputs, losses)
        )
        super().fit(points, targets, generators, initial)
        return self

    def _configurations(self, X: Tensor) -> Tensor:
        """The columns of X that lie in the unit cube: all but the contexts."""
        return X if self.columns is None else X[..., : X.shape[-1] - self.columns.shape[-1]]

    def expand_runs(self, X: Tensor) -> Tensor:
        """Points (..., runs | 1, q, d) beside the context of the task at hand, (..., runs, q, d + c)."""
        return super().expand_runs(X if self.columns is None else beside_context(points_for(self, X), self.columns))
