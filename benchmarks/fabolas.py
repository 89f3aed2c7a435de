"""Fabolas: one suggestion from 60 observations, 10 samples of the hyperparameters, 50 representers.

    loss, cost     the hyperparameters of the two models, chains that continue from an observation earlier
    gain           representers from expected improvement, and p_min with its derivatives by expectation propagation
    maximization   the gain per cost of all candidates, and of those near the best

BoTorch's multi-fidelity max-value entropy search stands beside it, a relative with sampled minima in place of
representers: one model by marginal likelihood, a given cost, and as many candidates. The floor is LAPACK's Cholesky
factorization of every covariance matrix that the chains ask for. CPU seconds of one thread, the best of as many as the
time allows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import torch
from botorch.acquisition.cost_aware import InverseCostWeightedUtility
from botorch.acquisition.max_value_entropy_search import qMultiFidelityMaxValueEntropy
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskMultiFidelityGP
from botorch.models.cost import AffineFidelityCostModel
from botorch.models.transforms import Standardize
from ConfigSpace import ConfigurationSpace
from gpytorch.mlls import ExactMarginalLogLikelihood
from rich.table import Table
from torch import Tensor

from benchmarks.suggestion import best, seconds_table
from core.compiled.gaussian_process import log_posterior, new_scratch
from core.compiled.slice import DONE, VALUE, begin, copy, new_walk, tell
from core.data.preparation import Standardizer
from core.foundation.randomness import chain_seeds, make_generators
from core.models import matern
from core.models.gaussian_process import WIDTH
from core.models.kernels import LOSS
from core.optimizers.information_search import REFINED, ROUNDS, InformationSearch
from core.optimizers.information_settings import FabolasSettings
from core.optimizers.policy import no_memory
from core.spaces import CubeEncoding

POINTS = (20, 60, 120)
DIMENSIONS = (2, 6)
RUNS = 10
LONGEST = 2.0  # seconds of a suggestion at N = 60
SMALLEST = 1 / 64
SETTINGS = FabolasSettings()
VALUED = SETTINGS.candidates + len(ROUNDS) * (SETTINGS.candidates // (5 * REFINED)) * REFINED
PARTS = {"_fit": "", "_gain": "gain", "_maximize": "maximization"}


def problem(points: int, dimension: int, runs: int = 1) -> tuple[Tensor, Tensor]:
    """X (runs, N, d + 1), and losses and costs (runs, N, 2), both with noise, as of a machine on shares of its data."""
    generator = make_generators([points + dimension])[0]
    X = torch.rand(runs, points, dimension + 1, dtype=torch.float64, generator=generator)
    x, s = X[..., :-1], X[..., -1]
    noise = torch.randn(runs, points, 2, dtype=torch.float64, generator=generator)
    loss = (x - 0.3).square().sum(-1) + 0.1 * (9 * x).sin().sum(-1) + 0.3 * (1 - s).square() + 0.02 * noise[..., 0]
    return X, torch.stack([loss, 100 * SMALLEST ** (1 - s) * (1 + x[..., 0]) * (0.05 * noise[..., 1]).exp()], -1)


def ours(X: Tensor, y: Tensor) -> Callable[[], dict[str, float]]:
    """What measures the parts of a suggestion whose chains come from an observation earlier, in CPU seconds per run."""
    encoding = CubeEncoding(ConfigurationSpace({f"x{k}": (0.0, 1.0) for k in range(X.shape[-1] - 1)}))
    policy, generators = SETTINGS.policy(encoding, budgets=(SMALLEST, 1.0)), make_generators(range(len(X)))
    memory, _ = policy.propose(no_memory(len(X)), X[:, :-1], y[:, :-1], X[:, :0], generators)

    def measure() -> dict[str, float]:
        times: dict[str, float] = {}
        for name, part in PARTS.items():
            object.__setattr__(policy, name, _timed(getattr(InformationSearch, name), policy, part, times))
        policy.propose(memory, X, y, X[:, :0], generators)
        return {part: seconds / len(X) for part, seconds in times.items()}

    return measure


def _timed(method: Callable, policy: InformationSearch, part: str, times: dict[str, float]) -> Callable:
    """The method of the policy, which notes its CPU seconds; a fit's part is its first argument."""

    def call(*arguments: Any) -> Any:
        start = time.process_time()
        output = method(policy, *arguments)
        times[part or arguments[0]] = time.process_time() - start
        return output

    return call


def botorch(X: Tensor, y: Tensor) -> dict[str, float]:
    """The same of BoTorch's multi-fidelity max-value entropy search for X (N, d + 1)."""
    start, fidelity = time.process_time(), X.shape[-1] - 1
    model = SingleTaskMultiFidelityGP(X, -y[:, :1], data_fidelities=[fidelity], outcome_transform=Standardize(1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    fitted = time.process_time()
    on_full = lambda points: torch.cat([points[..., :-1], torch.ones_like(points[..., -1:])], -1)  # noqa: E731
    candidates = torch.rand(VALUED, X.shape[-1], dtype=X.dtype, generator=make_generators([0])[0])
    cost = InverseCostWeightedUtility(AffineFidelityCostModel({fidelity: 1.0}, fixed_cost=0.01))
    acquisition = qMultiFidelityMaxValueEntropy(
        model,
        on_full(candidates),
        num_mv_samples=SETTINGS.hyperparameter_samples,
        project=on_full,
        cost_aware_utility=cost,
    )
    prepared = time.process_time()
    with torch.no_grad():
        acquisition(candidates.unsqueeze(-2)).argmax()
    return {"loss": fitted - start, "gain": prepared - fitted, "maximization": time.process_time() - prepared}


def densities(X: Tensor, y: Tensor) -> int:
    """How many covariance matrices the chains of the loss's model ask for in a suggestion of one run."""
    inputs, features = X[0, :, :-1].T.numpy().copy(), LOSS(X[0, :, -1]).T.numpy().copy()
    targets = Standardizer.fit(y[..., 0], -1).transform(y[..., 0])[0].numpy()
    priors, generators, count = matern.priors(len(inputs), False, LOSS), make_generators([0]), 0
    featured = torch.cat([X[..., :-1], LOSS(X[..., -1])], -1)
    starts = matern.around(featured, SETTINGS.hyperparameter_samples, False, generators, LOSS)[0].numpy()
    walk, scratch = new_walk(np.full(starts.shape[1], WIDTH)), new_scratch(*inputs.shape, len(features))
    for start, state in zip(starts, chain_seeds(generators, len(starts)), strict=True):
        scratch.warps[:, 0] = np.nan
        copy(start, walk.position)
        walk.numbers[VALUE] = log_posterior(start, inputs, features, targets, LOSS.columns, priors, scratch)
        for coordinate in list(range(len(start))) * (SETTINGS.warm_burn_in + 1):
            state = np.uint64(begin(walk, coordinate, state))
            while walk.phase[0] != DONE:
                value = log_posterior(walk.point, inputs, features, targets, LOSS.columns, priors, scratch)
                state = np.uint64(tell(walk, value, state))
                count += 1
    return count


@numba.njit
def _factorize(C: np.ndarray, count: int) -> float:
    total = 0.0
    for _ in range(count):
        total += np.linalg.cholesky(C)[0, 0]
    return total


def floor(points: int, count: int) -> dict[str, float]:
    """CPU seconds of this many factorizations for both models."""
    C = np.eye(points + 1) + 0.5
    _factorize(C, 1)
    start = time.process_time()
    _factorize(C, count)
    seconds = time.process_time() - start
    return {"loss": seconds, "log cost": seconds}


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Seconds by dimension and N, and lines that say which targets are met."""
    timings, lines = {}, []
    for dimension in DIMENSIONS:
        for points in POINTS:
            timings[f"ours, {dimension}-d, N = {points}"] = best(ours(*problem(points, dimension)), seconds)
        given = problem(60, dimension)
        timings[f"ours, {dimension}-d, N = 60, each of {RUNS} runs"] = best(
            ours(*problem(60, dimension, RUNS)), seconds
        )
        count = densities(*given)
        timings[f"floor of the fits, {dimension}-d, N = 60"] = best(lambda count=count: floor(60, count), seconds)
        X, y = (values[0] for values in given)
        timings[f"BoTorch, {dimension}-d, N = 60"] = best(lambda X=X, y=y: botorch(X, y), seconds)
        own, peer = (timings[f"{who}, {dimension}-d, N = 60"] for who in ("ours", "BoTorch"))
        whole = sum(own.values())
        met = "met" if whole < LONGEST else "MISSED"
        lines.append(f"Fabolas, {dimension}-d: {whole:.2f} s, target {LONGEST} s: {met}")
        lines.append(
            f"Fabolas, {dimension}-d: {sum(peer.values()) / whole:.2g}x BoTorch's multi-fidelity max-value one"
        )
        share = sum(timings[f"floor of the fits, {dimension}-d, N = 60"].values()) / (own["loss"] + own["log cost"])
        lines.append(f"Fabolas, {dimension}-d: factorizations are {share:.0%} of the fits")
    return [seconds_table("Fabolas, one suggestion: CPU seconds per run", timings)], lines
