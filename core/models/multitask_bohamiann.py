"""Multi-task BOHAMIANN (NIPS section 3; thesis 3.6.2): one network for all tasks, with a learned embedding of each.

    y = h([x; psi_t]; theta_h) + N(0, sigma^2),    psi_t in R^L, L = 5, sampled with the other weights

All observations, earlier tasks' and those of the task at hand, are one data set with one noise variance, from which
minibatches are drawn alike. Predictions are for the task at hand: its psi_t is folded into the biases of every sample,
so that they cost no more than those of a model of one task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.foundation.validation import check_counts
from core.models.bohamiann import INITIAL_LOG_NOISE, MCMCNetwork, one_each
from core.models.engines.choice import require_compiled
from core.models.engines.compiled import TaskEngine, TaskProblem
from core.models.engines.problem import PaddedSampler
from core.models.ensemble import standardizer
from core.models.network import MLP, TaskNetwork
from core.models.tasks import Task, check_scaling, stack

FEATURES = 5  # L


class MultiTaskNetwork(MCMCNetwork):
    """Bayesian network for several tasks; weights, tasks' features and noise variance are sampled from their posterior.

    Args:
        earlier: Evaluations of other tasks; without any, the network has L constant inputs.
        context: Features of the data set of the task at hand, (c,) or (runs, c), if the earlier tasks have them.
        features: Number L of features of a task.
        scaling: Way of standardizing the targets, see `core.models.tasks`.
        settings: Settings of `BayesianNetwork`; chains burn in from scratch, with tanh units, in the compiled engine.

    Raises:
        UserError: a setting out of range.
    """

    sampler: PaddedSampler

    def __init__(
        self,
        earlier: Sequence[Task] = (),
        *,
        context: Tensor | None = None,
        features: int = FEATURES,
        scaling: str = "joint",
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        check_scaling(scaling)
        check_counts("MultiTaskNetwork", features=features)
        require_compiled(self)
        if not self.widths:
            raise UserError("MultiTaskNetwork.widths: must have at least one hidden layer, got ()")
        self.earlier, self.context, self.features, self.scaling = tuple(earlier), context, features, scaling

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> MultiTaskNetwork:
        """Sample the posterior of every run given X (runs, n, d) and y (runs, n) of the task at hand.

        Args:
            generators: Generators, one per run, or one for all, see `BayesianNetwork.fit`.

        Returns:
            self, with `samples` of the task at hand.

        Raises:
            UserError: as `core.models.tasks.stack`.
        """
        stacked = stack(X, y, self.earlier, self.scaling, self.context)
        runs, _, width = stacked.X.shape
        d = width - (0 if self.context is None else self.context.shape[-1])
        inputs, self.targets = standardizer("X", stacked.X, -2), stacked.targets
        generators = one_each(generators, runs, self.device)
        perceptron = MLP((width + self.features, *self.widths, 1), self.activation, self.initialisation)
        network = TaskNetwork(perceptron, 1 + len(self.earlier), self.features)
        standard = inputs.transform(stacked.X).float()
        problem = TaskProblem(
            network=network,
            X=standard,
            y=stacked.y.float(),
            chains_per_run=self.chains,
            batch_size=self.batch_size,
            covered=self.weight_prior.covers(network),
            noise_prior=self.noise_prior,
            task=stacked.task,
        )
        weights = network.init(generators, problem.chains)
        theta = torch.cat([weights, weights.new_full((problem.chains, 1), INITIAL_LOG_NOISE)], 1)
        engine = TaskEngine(problem, self.sampler, self.sampler.init(theta), generators)
        self._keep(self._sample(engine, problem.covered.bool(), generators), runs, d)
        self.samples = network.folded(self.samples, 0, standard[:, 0, d:]).contiguous()
        self.network = MLP((d, *self.widths, 1), self.activation, self.initialisation)
        self.inputs = Standardizer(inputs.mean[..., :d], inputs.scale[..., :d])
        return self
