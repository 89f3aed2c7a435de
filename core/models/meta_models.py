"""PROFET's probabilistic encoder: a latent vector for each task by a Bayesian GP-LVM (thesis 8.2.2, Eq. 8.2).

    y_t = g(h_t) + N(0, sigma^2 I),    g ~ GP(0, k),    h_t ~ N(0, I) in Q dimensions,    q(h_t) = N(m_t, diag(s_t^2))

The vectors y_t (N,) hold the values of task t at the same N configurations, standardized task by task; the encoder
sees nothing else. k is a Matern-5/2 kernel with a length scale for each dimension, the N outputs share it, and q is
fitted with the inducing points by stochastic variational inference (Titsias and Lawrence 2010; GPyTorch's GP-LVM),
from the principal components of the y_t. GPy, which the authors used, integrates the bound over q by quadrature; here
one draw of all h_t per step estimates it. Adam takes a stated number of steps or, with a tolerance, rounds of so many
until the bound, averaged over the last tenth of a round, rises by less than that from one to the next. A single round
cannot tell whether it was long enough: its learning rate falls to 0, and the bound with it comes to rest.

The N outputs are independent and alike, so any rotation of them is equivalent. The rotation that turns the T vectors
into T coordinates, with zeros elsewhere, leaves T + 1 different outputs, one of which stands for N - T.

As in the authors' code, latent vectors are in units of the length scales: a distance of 1 means the same in each
dimension, and a dimension that the data do not need has vectors near 0.

PROFET's multi-task network: BOHAMIANN's on configurations joined to latent vectors of their tasks (thesis 8.2.2).

    y = f(x, h_t; theta) + N(0, sigma^2),    f = h(x, h_t; theta_mu), or its sigmoid, which suits errors in [0, 1]

The task t is known only by its distribution q(h_t). With H draws h_nj of the vector of observation n's task, the
potential is

    U(theta) = -sum_n 1/H sum_j log N(y_n | f(x_n, h_nj; theta_mu), sigma^2) - log p(theta)

which the thesis prints without the prior and as an average over n. The data are therefore H copies of every
observation, each with weight 1/H.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gpytorch
import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.models.gplvm.bayesian_gplvm import BayesianGPLVM
from gpytorch.models.gplvm.latent_variable import VariationalLatentVariable
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.convergence import ended
from core.foundation.errors import UserError
from core.foundation.validation import check_counts, require_count
from core.models.bohamiann import BayesianNetwork
from core.models.ensemble import standardizer
from core.models.priors import AveragedNormal, WeightPrior


class MetaNetwork(BayesianNetwork):
    """Bayesian network for all tasks, sampled as in BOHAMIANN.

    Args:
        copies: Number H of copies of every observation in the data.
        mean: Mean of the targets: "linear" for standardized targets, or "sigmoid" for unscaled targets in [0, 1].
        others: As in `BayesianNetwork`; the default prior is that of the authors' later code.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (500, 500, 500),
        copies: int = 1,
        mean: str = "linear",
        weight_prior: WeightPrior = AveragedNormal(),  # noqa: B008 (frozen)
        initialisation: str = "uniform",
        **others: Any,
    ) -> None:
        super().__init__(widths=widths, weight_prior=weight_prior, initialisation=initialisation, **others)
        if mean not in ("linear", "sigmoid"):
            raise UserError(f"MetaNetwork.mean: must be 'linear' or 'sigmoid', got {mean!r}")
        check_counts("MetaNetwork", copies=copies)
        self.mean, self.weight = mean, 1 / copies

    def prepare(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """As `SampledNetwork.prepare`; with a sigmoid mean the targets stay as they are.

        Raises:
            UserError: also for targets outside [0, 1] with a sigmoid mean.
        """
        X, standard = super().prepare(X, y)
        if self.mean == "linear":
            return X, standard
        y = self.targets.inverse(standard)
        if y.min() < -1e-6 or y.max() > 1 + 1e-6:
            raise UserError(f"MetaNetwork: targets from {y.min():g} to {y.max():g}; allowed with a sigmoid: 0 to 1")
        one = torch.ones_like(self.targets.scale)
        self.targets = Standardizer(mean=torch.zeros_like(one), scale=one)
        return X, y.to(torch.float32)

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """As `SampledNetwork.predict`."""
        means, noise = super().predict(X)
        return (means.sigmoid() if self.mean == "sigmoid" else means), noise


INITIAL_SPREAD = 0.1  # standard deviation of q at the start, in units of the prior's
ROUNDS = 12  # the most that a fit with a tolerance takes
RATE = 0.03  # learning rate of Adam, falling to 0 by a cosine, so that the noise of the last estimates averages out


@dataclass(frozen=True)
class TaskEncoder:
    """The distributions q(h_t) of the latent vectors of T tasks.

    Attributes:
        means: Means m_t in units of the length scales, (T, Q) float64; the dimension of largest differences is first.
        deviations: Standard deviations s_t in the same units, (T, Q).
    """

    means: Tensor
    deviations: Tensor

    @classmethod
    def fit(
        cls,
        values: Tensor,
        generator: torch.Generator,
        dimensions: int = 5,
        inducing: int = 50,
        steps: int = 1000,
        tolerance: float | None = None,
    ) -> TaskEncoder:
        """Infer the latent vectors.

        Args:
            values: Values of T tasks at the same N configurations, (T, N).
            generator: Generator of the draws of latent vectors; the result depends on no other random numbers.
            dimensions: Number Q of latent dimensions.
            inducing: Largest number of inducing points; there are never more than tasks.
            steps: Number of steps of Adam; of a round, if there is a tolerance.
            tolerance: Rise of the bound per observation below which the fit has converged; None for one round.

        Raises:
            UserError: no tasks, tasks without observations or with one only, values that are not finite or cannot be
                standardized, more dimensions than tasks, a count below 1, or a tolerance that is not positive.
        """
        if tolerance is not None and not tolerance > 0:
            raise UserError(f"TaskEncoder.fit: tolerance is {tolerance}; allowed: above 0, or None")
        dimensions = require_count("TaskEncoder.fit: dimensions", dimensions)
        inducing = require_count("TaskEncoder.fit: inducing", inducing)
        steps = require_count("TaskEncoder.fit: steps", steps)
        values = _checked(values, dimensions)
        standard = standardizer("values", values, -1).transform(values)
        with torch.random.fork_rng(devices=[]):  # GPyTorch draws from the global generator
            torch.manual_seed(int(torch.randint(2**62, (1,), generator=generator)))
            return cls._of(_fitted(standard, dimensions, min(inducing, len(values)), steps, tolerance))

    @classmethod
    def _of(cls, model: _SharedLVM) -> TaskEncoder:
        scales = model.kernel.base_kernel.lengthscale.detach().squeeze(0)
        means = model.X.q_mu.detach() / scales
        order = means.var(0).argsort(descending=True)
        deviations = torch.nn.functional.softplus(model.X.q_log_sigma.detach()) / scales
        return cls(means[:, order].contiguous(), deviations[:, order].contiguous())

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """Latent vectors of every task, (count, T, Q), from q."""
        noise = torch.randn(count, *self.means.shape, generator=generator, dtype=self.means.dtype)
        return self.means + self.deviations * noise


class _SharedLVM(BayesianGPLVM):
    """N Gaussian processes with the same kernel and inducing points, and their own values at these."""

    def __init__(self, latent: VariationalLatentVariable, outputs: int, inducing: Tensor) -> None:
        distribution = CholeskyVariationalDistribution(len(inducing), batch_shape=torch.Size([outputs]))
        super().__init__(latent, VariationalStrategy(self, inducing, distribution, learn_inducing_locations=True))
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(2.5, ard_num_dims=latent.latent_dim))

    def forward(self, H: Tensor) -> MultivariateNormal:
        return MultivariateNormal(H.new_zeros(H.shape[:-1]), self.kernel(H))


def _fitted(standard: Tensor, dimensions: int, inducing: int, steps: int, tolerance: float | None) -> _SharedLVM:
    tasks, start = len(standard), _principal_components(standard, dimensions)
    coordinates, copies = _rotated(standard)
    prior = torch.distributions.Normal(torch.zeros_like(start), torch.ones_like(start))
    latent = VariationalLatentVariable(tasks, standard.shape[1], dimensions, start.clone(), prior)
    spread = torch.tensor(INITIAL_SPREAD, dtype=start.dtype).expm1().log()  # softplus gives the spread back
    latent.q_log_sigma.data = torch.full_like(start, float(spread))
    model = _SharedLVM(latent, len(copies), start[torch.randperm(tasks)[:inducing]].clone())
    model.to(start.dtype)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().to(start.dtype)
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=tasks)
    parameters = [*model.parameters(), *likelihood.parameters()]

    def loss() -> Tensor:
        value: Tensor = -(copies * bound(model(model.sample_latent_variable()), coordinates)).sum()
        return value

    if tolerance is None:
        _descend(loss, parameters, steps)
        return model
    before, rise, taken = -math.inf, math.inf, 0
    while not rise < tolerance and taken < ROUNDS * steps:
        now = -float(_descend(loss, parameters, steps)[-max(1, steps // 10) :].mean() / copies.sum())
        before, rise, taken = now, now - before, taken + steps
    ended("the encoder of tasks", taken, rise < tolerance, rise)
    return model


def _descend(loss: Callable[[], Tensor], parameters: list[torch.nn.Parameter], steps: int) -> Tensor:
    """Take steps of Adam; return the losses on the way, (steps,)."""
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        schedule.step()
        losses.append(value.detach())
    return torch.stack(losses)


def _rotated(standard: Tensor) -> tuple[Tensor, Tensor]:
    """Different outputs (D, T) of an orthogonal rotation, and how often each occurs, (D,), N in all."""
    tasks, outputs = standard.shape
    left, sizes, _ = torch.linalg.svd(standard, full_matrices=False)
    coordinates, copies = (left * sizes).T, standard.new_ones(len(sizes))
    if outputs <= tasks:
        return coordinates, copies
    zero = standard.new_zeros(1, tasks)
    return torch.cat([coordinates, zero]), torch.cat([copies, copies.new_tensor([float(outputs - tasks)])])


def _principal_components(standard: Tensor, dimensions: int) -> Tensor:
    """The tasks' first components, each of variance 1, (T, Q)."""
    left, _, _ = torch.linalg.svd(standard - standard.mean(0), full_matrices=False)
    components: Tensor = left[:, :dimensions] * len(standard) ** 0.5
    return components


def _checked(values: Tensor, dimensions: int) -> Tensor:
    values = torch.as_tensor(values, dtype=torch.float64)
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        raise UserError(
            f"values of tasks have shape {tuple(values.shape)}; allowed: (tasks, observations), 1 task or more with 2 "
            "observations or more"
        )
    if not torch.isfinite(values).all():
        task = int((~torch.isfinite(values)).any(1).nonzero()[0])
        raise UserError(f"task {task}: a value is not finite; allowed: finite values")
    if dimensions > min(values.shape):
        raise UserError(f"dimensions is {dimensions}; allowed: 1 to {min(values.shape)}, for {len(values)} tasks")
    return values
