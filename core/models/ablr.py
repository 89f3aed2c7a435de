"""ABLR, multiple adaptive Bayesian linear regression (Perrone et al. 2017): tasks that share a learned representation.

Each task is a Bayesian linear regression with precisions alpha_t and beta_t of its own, on features phi(x; theta) that
all tasks share. theta and all precisions jointly minimize the sum of the tasks' negative log evidence (Eq. 3), by
L-BFGS-B (Byrd et al. 1995) with the exact gradient. phi is a network or random Fourier
features (`core.models.tasks`). Predictions for the task at hand (Eqs. 1 and 2) are those of the regression on
the learned features, with the posterior of `core.models.linear_regression`.

    posterior mean    beta/alpha phi' K^-1 Phi' y,    variance    phi' K^-1 phi / alpha  (+ 1/beta for an observation)

Targets are standardized task by task, run by run; alpha and beta stay in the ranges of the prior in
`core.models.linear_regression`. Signals of other kinds that come with every evaluation (section 3.3) are tasks that
share the inputs of the task at hand. Contexts, where given, are further inputs, see `core.models.tasks`.

All runs are fitted at once; each has its own search, and a run that has converged costs nothing more. The cost of a
task is linear in its observations. Tasks of the same size form one batch.

`negative_log_evidence` is the summed evidence of the regressions, with its gradient (ABLR, Eq. 3).

    y_t = Phi_t w_t + noise,   w_t ~ N(0, I / alpha_t),   noise ~ N(0, 1 / beta_t),   r = beta / alpha
    J = sum_t N/2 log(2 pi / beta) + beta/2 (|e|^2 + |m|^2 / r) + 1/2 log|K|,   e = y - Phi m

With N observations and D features, K and the posterior mean m are, whichever is the smaller problem,

    N >= D    K = I + r Phi' Phi  (D, D),    m = r K^-1 Phi' y
    N < D     K = I + r Phi Phi'  (N, N),    m = r Phi' K^-1 y,    e = K^-1 y

so that a task costs O(N D^2) at most, linear in N, and a factorisation of min(N, D). The gradient is exact; with the
effective number of parameters gamma = trace(I - K^-1), the same in both forms,

    dJ/dPhi = r Phi (I + r Phi' Phi)^-1 - beta e m' = r (I + r Phi Phi')^-1 Phi - beta e m'
    dJ/dlog alpha = (alpha |m|^2 - gamma) / 2,    dJ/dlog beta = (beta |e|^2 + gamma - N) / 2

By hand this takes two thirds of the time of autograd through the factorisation (`benchmarks`). The paper's Eq. 3 has
|y|^2 - r |L^-1 Phi' y|^2 for |e|^2 + |m|^2 / r: the same number, which rounding can make negative where the noise is
small.

Shapes: Phi (runs, T, N, D), y (runs, T, N) and logarithms (runs, T). Signals of the same evaluations share their
features: then T is 1 in Phi and their number in the others. Everything is float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched
from torch import Tensor

from core.foundation.convergence import ended
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.foundation.validation import check_counts
from core.models.ensemble import check_reach, standardizer, training_data, warn_of_scale
from core.models.linear_regression import PRIOR_ROWS, Regression, linear_function
from core.models.mixture import Function, GaussianMixtureModel
from core.models.tasks import ALL, Features, Fourier, Network, Rows, Task, beside_context, check_tasks, with_contexts


class Evidence(NamedTuple):
    """J (runs,) and its derivatives in Phi, log alpha and log beta, each in the shape of these."""

    value: Tensor
    features: Tensor
    log_alpha: Tensor
    log_beta: Tensor


def negative_log_evidence(features: Tensor, y: Tensor, log_alpha: Tensor, log_beta: Tensor) -> Evidence:
    """J and its gradient, for tasks of equal size.

    Where a run's features or precisions are not finite, so is its J.
    """
    points, width = features.shape[-2:]
    alpha, beta = log_alpha.exp(), log_beta.exp()
    ratio = (beta / alpha)[..., None, None]
    targets = y.unsqueeze(-1)
    wide = points < width
    gram = features @ features.mT if wide else features.mT @ features
    eye = torch.eye(gram.shape[-1], dtype=gram.dtype, device=gram.device)
    factor, failed = torch.linalg.cholesky_ex(eye + ratio * gram)
    inverse = torch.cholesky_inverse(factor)
    if wide:
        residual = inverse @ targets
        mean = ratio * (features.mT @ residual)
        slope = inverse @ features
    else:
        mean = ratio * (inverse @ (features.mT @ targets))
        residual = targets - features @ mean
        slope = features @ inverse
    squares, weights = residual.square().sum((-2, -1)), mean.square().sum((-2, -1))
    effective = gram.shape[-1] - inverse.diagonal(dim1=-2, dim2=-1).sum(-1)
    values = (
        0.5 * points * (math.log(2 * math.pi) - log_beta)
        + 0.5 * (beta * squares + alpha * weights)
        + factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    )
    slope = ratio * slope - (beta[..., None, None] * residual) @ mean.mT
    return Evidence(
        torch.where(failed > 0, torch.nan, values).sum(-1),
        slope.sum(1, keepdim=True) if features.shape[1] < slope.shape[1] else slope,
        0.5 * (alpha * weights - effective),
        0.5 * (beta * squares + effective - points),
    )


LOG_BETA_AT_FIRST = math.log(100.0)  # a noise of one tenth of the targets' standard deviation
PRECISION = 1e-7  # relative improvement of the objective at which the search of a run ends
IMPOSSIBLE = 1e10  # the objective where it is not finite: a line search turns back


class Range(NamedTuple):
    """An interval as the image of all numbers, x = c + h tanh(u / h): the search for u needs no bounds."""

    low: float
    high: float

    @property
    def half(self) -> float:
        """h."""
        return (self.high - self.low) / 2

    def inside(self, free: Tensor) -> Tensor:
        """Return x for a given u."""
        return self.low + self.half * (1 + torch.tanh(free / self.half))

    def slope(self, free: Tensor) -> Tensor:
        """dx/du."""
        return 1 - torch.tanh(free / self.half).square()

    def free(self, inside: Tensor) -> Tensor:
        """Return u for a given x; for x outside the interval, return that of the nearest number well inside."""
        return self.half * torch.atanh(((inside - self.low) / self.half - 1).clamp(-NEAREST, NEAREST))


NEAREST = 0.99  # share of a range's half where searches may begin
ALPHA = Range(PRIOR_ROWS[0].low, PRIOR_ROWS[0].high)
BETA = Range(-PRIOR_ROWS[1].high, -PRIOR_ROWS[1].low)


class ABLR(GaussianMixtureModel):
    """One member: a representation shared by tasks, and the regression of the task at hand.

    Args:
        earlier: Other tasks.
        representation: `Network` or `Fourier`; by default a `Network` with the paper's layers. Not changed by `fit`.
        context: Features of the task at hand, (c,) or (runs, c), if the earlier tasks have them.
        side: Further signals of the evaluations in the training data, (runs, N, S).
        iterations: Maximum number of steps of L-BFGS-B.
        device: Device on which fit and predictions run.

    Attributes (after `fit`):
        phi: Representation initialised for the data.
        theta: Parameters of the representation, (runs, P).
        log_alpha, log_beta: Logarithms of the precisions, (runs, T): the task at hand first, then side signals, then
            the earlier tasks, ordered by size.
        objective: Sum of the negative log evidence divided by the number of all observations, (runs,).

    Raises:
        UserError: a count below 1.
    """

    def __init__(
        self,
        earlier: Sequence[Task] = (),
        *,
        representation: Network | Fourier | None = None,
        context: Tensor | None = None,
        side: Tensor | None = None,
        iterations: int = 100,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        check_counts("ABLR", iterations=iterations)
        self.earlier, self.context, self.side, self.iterations = tuple(earlier), context, side, iterations
        self.representation = Network() if representation is None else representation
        self.device = torch.device(device)

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> ABLR:
        """Learn from X (runs, N, d) and y (runs, N), or (N, d) and (N,), and from the earlier tasks.

        Raises:
            UserError: data of the wrong shape, not finite or out of range, or tasks or side signals that do not fit.
        """
        X, y = training_data(X, y, self.device)
        runs = len(X)
        warn_of_scale("ABLR", X)
        check_tasks(self.earlier, runs, X.shape[-1], self.context)
        self.targets = standardizer("y", y, -1)
        blocks = self._blocks(X, y)
        self.phi, theta = self._begin(runs, blocks[0][0].shape[-1], generators)
        optimum = _Problem(blocks, self.phi).minimize(theta.to(self.device), self.iterations)
        self.theta, self.log_alpha, self.log_beta, self.objective = optimum
        with torch.no_grad():
            regression = Regression(self._features(X), self.targets.transform(y).unsqueeze(-1))
            precisions = self.log_alpha[:, 0].unsqueeze(0), self.log_beta[:, 0].unsqueeze(0)
            self.weights = regression.weights(X.new_ones(1, runs, 1), *precisions)
        self.members, self.runs, self.dimension = 1, runs, X.shape[-1]
        return self

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of f(x), Eqs. 1 and 2."""
        return self.weights.marginals(self._features(X))

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and covariance of f(X)."""
        return self.weights.joint(self._features(X))

    def noise(self) -> Tensor:
        """The noise variance 1 / beta of the task at hand."""
        return self.log_beta[:, 0].neg().exp().unsqueeze(0)

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """Exact draws of functions, each given by a weight vector."""
        return linear_function(self.weights.draw(members, generators), self._features)

    def _features(self, X: Tensor) -> Tensor:
        return self.phi(self.theta, X if self.columns is None else beside_context(X, self.columns))

    def _begin(self, runs: int, dimension: int, generators: Generators) -> tuple[Features, Tensor]:
        return self.representation.begin(runs, dimension, generators)

    def _blocks(self, X: Tensor, y: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Inputs (runs | 1, T, n, d + c) and standardized targets (runs | 1, T, n), one pair for each size of a task.

        The task at hand comes first. Its side signals share its inputs, so T is 1 in its inputs.
        """
        tasks, signals = self.earlier, self._signals(y)
        inputs, self.columns = with_contexts(X, tasks, self.context)
        for points in inputs:
            check_reach("X", points)
        blocks = [(inputs[0].unsqueeze(1), signals)]
        for size in sorted({task.y.shape[1] for task in tasks}):
            these = [place for place, task in enumerate(tasks) if task.y.shape[1] == size]
            blocks.append((_stacked([inputs[1 + i] for i in these]), _stacked([tasks[i].y.to(y) for i in these])))
        return [(points, standardizer("y", losses, -1).transform(losses)) for points, losses in blocks]

    def _signals(self, y: Tensor) -> Tensor:
        """Return the signals of the task at hand, (runs, 1 + S, N), the target first."""
        if self.side is None:
            return y.unsqueeze(1)
        if self.side.ndim != 3 or self.side.shape[:2] != y.shape:
            raise UserError(f"ABLR.side: has shape {tuple(self.side.shape)}; allowed: {tuple(y.shape)} and signals")
        if not torch.isfinite(self.side).all():
            raise UserError("ABLR.side: has values that are not finite")
        return torch.cat([y.unsqueeze(1), self.side.to(y).mT], 1)


def _stacked(values: list[Tensor]) -> Tensor:
    """Tensors (runs | 1, ...) side by side, (runs | 1, T, ...)."""
    runs = max(map(len, values))
    return torch.stack([each.expand(runs, *each.shape[1:]) for each in values], 1)


class _Problem:
    """The joint objective of all runs: the summed negative log evidence per observation."""

    def __init__(self, blocks: Sequence[tuple[Tensor, Tensor]], features: Features) -> None:
        self.blocks, self.features = blocks, features
        self.runs = max(len(points) for points, _ in blocks)
        self.points = torch.cat([points.flatten(1, 2).expand(self.runs, -1, -1) for points, _ in blocks], 1)
        self.tasks = [losses.shape[1] for _, losses in blocks]
        self.observations = sum(losses[0].numel() for _, losses in blocks)

    def minimize(self, theta: Tensor, iterations: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The best theta, log alpha, log beta and objective of every run, from theta (runs, P)."""

        def value(position: np.ndarray, batch_indices: list[int]) -> tuple[np.ndarray, np.ndarray]:
            whole = len(batch_indices) == self.runs
            rows = ALL if whole else torch.as_tensor(batch_indices, device=theta.device)
            values, gradient = self(torch.as_tensor(position).to(theta), rows)
            usable = values.isfinite() & gradient.isfinite().all(-1)
            values = torch.where(usable, values, IMPOSSIBLE)
            return values.cpu().numpy(), torch.where(usable.unsqueeze(-1), gradient, 0.0).cpu().numpy()

        start = torch.cat([theta, self._precisions_at_first(theta)], 1).cpu().numpy()
        ends, values, searches = fmin_l_bfgs_b_batched(
            value, start, factr=None, ftol=PRECISION, maxiter=iterations, pass_batch_indices=True
        )
        steps, states, slopes = zip(*((one["nit"], one["status"], np.abs(one["jac"]).max()) for one in searches))
        ended("ABLR", steps, np.equal(states, 0), slopes)
        theta, free_alpha, free_beta = self._parts(torch.as_tensor(ends).to(theta))
        return theta, ALPHA.inside(free_alpha), BETA.inside(free_beta), torch.as_tensor(values).to(theta)

    def _precisions_at_first(self, theta: Tensor) -> Tensor:
        """Initial precisions of every task without bounds, (runs, 2 T): alpha gives functions a variance of about 1."""
        with torch.no_grad():
            alpha = self.features(theta, self.points).square().sum(-1).mean(1, keepdim=True).log()
        first = [ALPHA.free(alpha), BETA.free(torch.full_like(alpha, LOG_BETA_AT_FIRST))]
        return torch.cat([values.expand(-1, sum(self.tasks)) for values in first], 1)

    def _parts(self, position: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        count = sum(self.tasks)
        theta, free_alpha, free_beta = position.split([position.shape[1] - 2 * count, count, count], 1)
        return theta, free_alpha, free_beta

    def __call__(self, position: Tensor, rows: Rows = ALL) -> tuple[Tensor, Tensor]:
        """The objective (n,) and its gradient (n, P + 2 T) of the runs `rows`.

        A position holds theta, then log alpha and then log beta of every task, both as numbers without bounds.
        """
        theta, free_alpha, free_beta = self._parts(position)
        log_alpha, log_beta = ALPHA.inside(free_alpha), BETA.inside(free_beta)
        theta = theta.detach().requires_grad_()
        with torch.enable_grad():
            features = self.features(theta, self.points[rows], rows)
        slopes, alphas, betas, start, total = [], [], [], 0, theta.new_zeros(len(features))
        for (points, losses), alpha, beta in zip(
            self.blocks, log_alpha.split(self.tasks, 1), log_beta.split(self.tasks, 1), strict=True
        ):
            size = points.shape[1] * points.shape[2]
            phi = features[:, start : start + size].detach().unflatten(1, points.shape[1:3])
            evidence = negative_log_evidence(phi, _of(losses, rows), alpha, beta)
            slopes.append(evidence.features.flatten(1, 2))
            alphas.append(evidence.log_alpha)
            betas.append(evidence.log_beta)
            start, total = start + size, total + evidence.value
        (gradient,) = torch.autograd.grad(features, theta, torch.cat(slopes, 1))
        to_alpha = torch.cat(alphas, 1) * ALPHA.slope(free_alpha)
        to_beta = torch.cat(betas, 1) * BETA.slope(free_beta)
        return total / self.observations, torch.cat([gradient, to_alpha, to_beta], 1) / self.observations


def _of(values: Tensor, rows: Rows) -> Tensor:
    """The runs `rows` of values (runs | 1, ...)."""
    return values if len(values) == 1 else values[rows]
