"""The illustrations of chapter 2, each on the Forrester function over [0, 1]: a shard of repetitions in, records out.

The thesis does not say which function it drew; Forrester is one-dimensional, multimodal and used later in it. Every
repetition has its own observations, so that what a figure shows can be checked beyond one picture.
"""

from __future__ import annotations

import gpytorch
import pandas as pd
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from torch import Tensor

from core.acquisition.analytic import expected_improvement
from core.experiment.context import Context
from core.foundation.randomness import make_generators, normal_, uniform_
from core.models.random_forest import RandomForest
from core.objectives.synthetic import forrester
from papers.background.settings import Kernel, Models, Step

JITTER = 1e-8
NOISE = 1e-6  # variance, of standardized targets: the function is observed without noise


def step(context: Context[Step]) -> pd.DataFrame:
    """Fig 2.1: a Gaussian process and its expected improvement before and after the evaluation of its maximizer.

    Rows: stage ("before", "after"), part ("grid", "data", "candidate"), x, value (of the function), mean, sd (of the
    function, noise excluded) and ei.
    """
    settings = context.settings
    runs = len(context.runs)
    X = _uniform(context, settings.initial_points, (0.0, 1.0))
    grid = _grid(settings.grid, context.device)
    frames = []
    for stage in ("before", "after"):
        y = forrester(X)
        mean, variance = _gaussian_process(X, y, torch.cat([grid.expand(runs, -1, -1), X], 1))
        sd, ei = variance.sqrt(), expected_improvement(mean, variance, y.min(-1, keepdim=True).values)
        size = len(grid)
        best = ei[:, :size].argmax(-1)
        for index, run in enumerate(context.runs):
            at = int(best[index])
            parts = {"grid": (grid, slice(size)), "data": (X[index], slice(size, None))}
            parts["candidate"] = (grid[at : at + 1], slice(at, at + 1))
            frames += [
                _rows({"run": run, "stage": stage, "part": part}, x, *(each[index, where] for each in (mean, sd, ei)))
                for part, (x, where) in parts.items()
            ]
        X = torch.cat([X, grid[best].unsqueeze(1)], 1)
    return pd.concat(frames, ignore_index=True)


def kernels(context: Context[Kernel]) -> pd.DataFrame:
    """Fig 2.2: the kernel against the distance to 0, and draws of the posterior it gives, with standardized targets.

    Rows: part ("kernel", "draw", "data"), draw (its number, -1 elsewhere), x, value.
    """
    settings = context.settings
    grid = _grid(settings.grid, context.device)
    distances = torch.linspace(-3, 3, settings.grid, dtype=torch.float64, device=context.device)[:, None]
    unit = _kernel(settings.kernel, 1.0)
    scaled = _kernel(settings.kernel, settings.length_scale)
    X = _uniform(context, settings.points, (0.0, 1.0))
    y = forrester(X)
    y = (y - y.mean(-1, keepdim=True)) / y.std(-1, keepdim=True)
    generators = make_generators(context.method_seeds("draws"), context.device)
    noise = normal_(grid.new_empty(len(context.runs), settings.draws, len(grid)), generators)
    with torch.no_grad():
        profile = unit(distances, distances.new_zeros(1, 1)).to_dense().squeeze(-1)
        draws = _posterior_draws(scaled, X, y, grid, noise)
    frames = []
    for index, run in enumerate(context.runs):
        curves = [("kernel", -1, distances, profile), ("data", -1, X[index], y[index])]
        curves += [("draw", number, grid, values) for number, values in enumerate(draws[index])]
        frames += [
            pd.DataFrame({"run": run, "part": part, "draw": number, "x": x[:, 0].cpu(), "value": values.cpu()})
            for part, number, x, values in curves
        ]
    return pd.concat(frames, ignore_index=True)


def models(context: Context[Models]) -> pd.DataFrame:
    """Fig 2.3: mean and standard deviation of a Gaussian process or a random forest on the same observations.

    Rows: part ("grid", "data"), x, value (of the function), mean, sd.
    """
    settings = context.settings
    X = _uniform(context, settings.points, settings.interval)
    y = forrester(X)
    grid = _grid(settings.grid, context.device)
    if settings.model == "gp":
        mean, variance = _gaussian_process(X, y, grid.expand(len(X), -1, -1))
    else:
        generators = make_generators(context.method_seeds("model"), context.device)
        mean, variance = RandomForest(trees=settings.trees, device=context.device).fit(X, y, generators).moments(grid)
    frames = []
    for index, run in enumerate(context.runs):
        frames.append(_rows({"run": run, "part": "grid"}, grid, mean[index], variance[index].sqrt()))
        frames.append(_rows({"run": run, "part": "data"}, X[index], y[index], torch.zeros_like(y[index])))
    return pd.concat(frames, ignore_index=True)


def _uniform(context: Context, points: int, interval: tuple[float, float]) -> Tensor:
    """The observed points, which all methods share, (runs, points, 1) float64."""
    low, high = interval
    generators = make_generators(context.shared_seeds("points"), context.device)
    X = torch.empty(len(context.runs), points, 1, dtype=torch.float64, device=context.device)
    return low + (high - low) * uniform_(X, generators)


def _grid(size: int, device: str) -> Tensor:
    return torch.linspace(0, 1, size, dtype=torch.float64, device=device)[:, None]


def _gaussian_process(X: Tensor, y: Tensor, points: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance (runs, m) at points (runs, m, 1) of a noise-free GP fitted to X (runs, n, 1), y (runs, n)."""
    location, scale = y.mean(-1, keepdim=True), y.std(-1, keepdim=True)
    targets = ((y - location) / scale).unsqueeze(-1)
    batch = X.shape[:1]
    kernel = gpytorch.kernels.MaternKernel(nu=2.5, batch_shape=batch)
    model = SingleTaskGP(
        X,
        targets,
        train_Yvar=torch.full_like(targets, NOISE),
        covar_module=gpytorch.kernels.ScaleKernel(kernel, batch_shape=batch),
        outcome_transform=None,
    )
    fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
    with torch.no_grad():
        posterior = model.posterior(points)
        mean, variance = posterior.mean.squeeze(-1), posterior.variance.squeeze(-1)
    return location + scale * mean, scale.square() * variance


def _rows(labels: dict[str, object], x: Tensor, mean: Tensor, sd: Tensor, ei: Tensor | None = None) -> pd.DataFrame:
    columns = {"x": x[:, 0], "value": forrester(x), "mean": mean, "sd": sd}
    if ei is not None:
        columns["ei"] = ei
    return pd.DataFrame({**labels, **{name: values.detach().cpu().numpy() for name, values in columns.items()}})


def _kernel(name: str, length_scale: float) -> gpytorch.kernels.Kernel:
    kernel = gpytorch.kernels.RBFKernel() if name == "rbf" else gpytorch.kernels.MaternKernel(nu=2.5)
    kernel = kernel.double()
    kernel.lengthscale = length_scale
    return kernel


def _posterior_draws(kernel: gpytorch.kernels.Kernel, X: Tensor, y: Tensor, grid: Tensor, noise: Tensor) -> Tensor:
    """Draws (runs, draws, points) of a noise-free GP given X (runs, n, 1), y (runs, n); `noise` has their shape."""
    grid = grid.expand(len(X), -1, -1)
    covariance = kernel(X).to_dense() + JITTER * torch.eye(X.shape[1], dtype=X.dtype, device=X.device)
    cross = kernel(grid, X).to_dense()
    factor = torch.linalg.cholesky(covariance)
    mean = (cross @ torch.cholesky_solve(y.unsqueeze(-1), factor)).squeeze(-1)
    rest = kernel(grid).to_dense() - cross @ torch.cholesky_solve(cross.mT, factor)
    values, vectors = torch.linalg.eigh(rest)
    root = vectors * values.clamp_min(0).sqrt().unsqueeze(-2)
    return mean.unsqueeze(1) + noise @ root.mT
