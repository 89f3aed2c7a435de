"""Entropy search: one suggestion at N = 60 with 10 samples of the hyperparameters, 50 representers, 1,000 candidates.

    fit           the hyperparameters, by slice sampling
    preparation   representers from expected improvement, and p_min with its derivatives by expectation propagation
    search        the information gain of all candidates

BoTorch's joint entropy search stands beside it, a later relative with a sampled minimum in place of representers; it
has one GP by marginal likelihood. The floor is the one matrix product of the search in which all its cubic work lies.
CPU seconds of one thread, the best of as many as the time allows.
"""

import time
from itertools import pairwise

import torch
from botorch.acquisition.joint_entropy_search import qJointEntropySearch
from botorch.acquisition.utils import get_optimal_samples
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from gpytorch.mlls import ExactMarginalLogLikelihood
from rich.table import Table
from torch import Tensor

from benchmarks.suggestion import best, seconds_table
from core.acquisition.entropy_search import REPRESENTERS, EntropySearch
from core.foundation.randomness import make_generators
from core.models.gaussian_process import MarginalisedGP

POINTS = (20, 60, 120)
DIMENSIONS = (2, 6)
CANDIDATES = 1000
MEMBERS = 10
PARTS = ("fit", "preparation", "search")
LONGEST = {"search": 1.0, "whole": 3.0}  # seconds, at N = 60


def problem(points: int, dimension: int) -> tuple[Tensor, Tensor, Tensor]:
    """X (N, d), y (N,) with a slope, bumps and noise, and candidates (n, d)."""
    generator = make_generators([points + dimension])[0]
    X = torch.rand(points + CANDIDATES, dimension, dtype=torch.float64, generator=generator)
    y = (X[:points] - 0.3).square().sum(-1) + 0.1 * (9 * X[:points]).sin().sum(-1)
    return X[:points], y + 0.02 * torch.randn(points, dtype=torch.float64, generator=generator), X[points:]


def ours(X: Tensor, y: Tensor, candidates: Tensor) -> dict[str, float]:
    """CPU seconds of the parts of a suggestion, with MEMBERS hyperparameter samples."""
    generators, times = make_generators([0]), [time.process_time()]
    model = MarginalisedGP(chains=MEMBERS).fit(X, y, generators)
    times.append(time.process_time())
    acquisition = EntropySearch(model, y.unsqueeze(0), candidates.unsqueeze(0), generators)
    times.append(time.process_time())
    with torch.no_grad():
        acquisition(candidates.unsqueeze(0)).argmax()
    times.append(time.process_time())
    return dict(zip(PARTS, (b - a for a, b in pairwise(times)), strict=True))


def botorch(X: Tensor, y: Tensor, candidates: Tensor) -> dict[str, float]:
    """The same of BoTorch's joint entropy search, with MEMBERS sampled minima."""
    times = [time.process_time()]
    model = SingleTaskGP(X, -y.unsqueeze(-1), outcome_transform=Standardize(1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    times.append(time.process_time())
    bounds = torch.stack([torch.zeros(X.shape[1]), torch.ones(X.shape[1])]).to(X)
    acquisition = qJointEntropySearch(model, *get_optimal_samples(model, bounds, num_optima=MEMBERS))
    times.append(time.process_time())
    with torch.no_grad():
        acquisition(candidates.unsqueeze(-2)).argmax()
    times.append(time.process_time())
    return dict(zip(PARTS, (b - a for a, b in pairwise(times)), strict=True))


def floor() -> dict[str, float]:
    """CPU seconds of the search's matrix product on its own."""
    left = torch.ones(MEMBERS, CANDIDATES, REPRESENTERS**2).double()
    right = torch.ones(MEMBERS, REPRESENTERS**2, REPRESENTERS).double()
    start = time.process_time()
    left @ right
    return {"search": time.process_time() - start}


def report(seconds: float) -> tuple[list[Table], list[str]]:
    """Seconds by dimension and N, and lines that say which targets are met."""
    timings, lines = {}, []
    ours(*problem(POINTS[0], DIMENSIONS[0]))
    for dimension in DIMENSIONS:
        for points in POINTS:
            given = problem(points, dimension)
            timings[f"ours, {dimension}-d, N = {points}"] = best(lambda given=given: ours(*given), seconds)
        timings[f"BoTorch, {dimension}-d, N = 60"] = best(lambda d=dimension: botorch(*problem(60, d)), seconds)
        own = timings[f"ours, {dimension}-d, N = 60"]
        peer = sum(timings[f"BoTorch, {dimension}-d, N = 60"].values())
        for part, value in (("search", own["search"]), ("whole", sum(own.values()))):
            met = "met" if value < LONGEST[part] else "MISSED"
            lines.append(f"entropy search, {dimension}-d, {part}: {value:.2f} s, target {LONGEST[part]} s: {met}")
        lines.append(f"entropy search, {dimension}-d, whole: {peer / sum(own.values()):.2g}x BoTorch's joint one")
    timings["floor of the search"] = best(floor, seconds)
    share = timings["floor of the search"]["search"] / timings["ours, 6-d, N = 60"]["search"]
    lines.append(f"entropy search: the matrix product is {share:.0%} of the search")
    return [seconds_table("Entropy search, one suggestion: CPU seconds", timings)], lines
