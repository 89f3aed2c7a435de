"""ABLR: one joint fit of a network and the regressions of 9 earlier tasks and one at hand, in 8 dimensions.

The floor is the arithmetic of the objective alone: the matrix products of the network forward and backward, and of the
Gram matrices and their gradient, for as many evaluations as L-BFGS-B asked for. Beside it, the share of evaluations of
objective and gradient in the fit, and the same evidence with its gradient by autograd through the factorisation. CPU
seconds of one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from rich.table import Table

from core.foundation.randomness import make_generators
from core.models import ablr
from core.models.ablr import ABLR
from core.models.tasks import Fourier, Network, Task

TASKS, DIMENSION, OWN, WIDTH = 9, 8, 20, 50
SIZES = (50, 500, 5000)  # evaluations of each earlier task
LONGEST = 20.0  # seconds of a fit at 9 x 500
LARGEST_GROWTH = 100.0  # of a fit at 9 x 5,000, over that at 9 x 500
REPRESENTATIONS: dict[str, Callable[[], Network | Fourier]] = {"network": Network, "Fourier": Fourier}


def problem(size: int) -> tuple[list[Task], torch.Tensor, torch.Tensor]:
    """Earlier tasks, and X (1, N, d) and y (1, N) of the one at hand: bumps around the same places, with noise."""
    generator = torch.Generator().manual_seed(size)

    def draw(n: int, scale: float) -> tuple[torch.Tensor, torch.Tensor]:
        X = torch.rand(1, n, DIMENSION, dtype=torch.float64, generator=generator)
        noise = torch.randn(1, n, dtype=torch.float64, generator=generator)
        return X, scale * (3 * X).sin().sum(-1) + (X - 0.4).square().sum(-1) + 0.1 * noise

    tasks = [Task(*draw(size, 1.0 + number)) for number in range(TASKS)]
    return tasks, *draw(OWN, 0.5)


def fit(size: int, make: Callable[[], Network | Fourier]) -> dict[str, float]:
    """CPU seconds of a fit, of the evaluations in it, and their number."""
    tasks, X, y = problem(size)
    spent = {"fit": 0.0, "evaluations": 0.0, "number": 0.0}
    evaluate = ablr._Problem.__call__

    def counted(self: ablr._Problem, *arguments: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        start = time.process_time()
        objective = evaluate(self, *arguments)
        spent["evaluations"] += time.process_time() - start
        spent["number"] += 1
        return objective

    ablr._Problem.__call__ = counted
    try:
        start = time.process_time()
        ABLR(tasks, representation=make()).fit(X, y, make_generators([0]))
        spent["fit"] = time.process_time() - start
    finally:
        ablr._Problem.__call__ = evaluate
    return spent


def floor(size: int, evaluations: float) -> float:
    """CPU seconds of a network's matrix products in so many evaluations of objective and gradient."""
    points = TASKS * size + OWN
    X = torch.rand(points, WIDTH, dtype=torch.float64)
    W = torch.rand(WIDTH, WIDTH, dtype=torch.float64)
    # A hidden layer costs one product forward and two backward, a Gram matrix and its gradient two.
    products = 2 * 3 + 2
    start = time.process_time()
    for _ in range(products // 2):
        X @ W
        X.mT @ X
    return (time.process_time() - start) * evaluations


def autograd(size: int) -> tuple[float, float]:
    """CPU seconds of the evidence of 9 tasks with its gradient: ours, and through the Cholesky factor by autograd."""
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(1, TASKS, size, WIDTH, dtype=torch.float64, generator=generator)
    y = torch.randn(1, TASKS, size, dtype=torch.float64, generator=generator)
    logs = torch.zeros(1, TASKS, dtype=torch.float64)

    def ours() -> None:
        ablr.negative_log_evidence(features, y, logs, logs)

    def theirs() -> None:
        given = [values.clone().requires_grad_() for values in (features, logs, logs)]
        phi, alpha, beta = given[0], given[1].exp(), given[2].exp()
        ratio = (beta / alpha)[..., None, None]
        factor = torch.linalg.cholesky(torch.eye(WIDTH, dtype=torch.float64) + ratio * (phi.mT @ phi))
        solved = torch.linalg.solve_triangular(factor, phi.mT @ y.unsqueeze(-1), upper=False)
        misfit = y.square().sum(-1) - ratio[..., 0, 0] * solved.square().sum((-2, -1))
        determinant = factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        torch.autograd.grad((0.5 * (beta * misfit - size * given[2]) + determinant).sum(), given)

    return _seconds(ours), _seconds(theirs)


def _seconds(call: Callable[[], None], times: int = 20) -> float:
    call()
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def report() -> tuple[list[Table], list[str]]:
    """A table of seconds by size and representation, and lines that say which targets are met."""
    table = Table(title="ABLR, one joint fit of 9 tasks and one at hand: CPU seconds")
    for column in ("", "evaluations of the objective", "fit", "of these objective and gradient", "floor"):
        table.add_column(column, justify="right" if column else "left")
    lines = []
    for name, make in REPRESENTATIONS.items():
        fit(SIZES[0], make)
        seconds = {}
        for size in SIZES:
            spent = fit(size, make)
            seconds[size] = spent["fit"]
            least = f"{floor(size, spent['number']):.2f}" if name == "network" else ""
            row = (f"{spent['number']:.0f}", f"{spent['fit']:.2f}", f"{spent['evaluations']:.2f}", least)
            table.add_row(f"{name}, {TASKS} x {size:,}", *row)
        slope = np.log(seconds[SIZES[2]] / seconds[SIZES[1]]) / np.log(SIZES[2] / SIZES[1])
        lines.append(f"ABLR, {name}: growth with N from {SIZES[1]:,} to {SIZES[2]:,} a task: exponent {slope:.2f}")
        if name == "network":
            met = "met" if seconds[SIZES[1]] < LONGEST else "MISSED"
            lines.append(f"ABLR, 9 x 500: {seconds[SIZES[1]]:.1f} s, target {LONGEST:g} s: {met}")
            growth = seconds[SIZES[2]] / seconds[SIZES[1]]
            met = "met" if growth < LARGEST_GROWTH else "MISSED"
            lines.append(f"ABLR, 9 x 5,000: {growth:.1f} times that, target {LARGEST_GROWTH:g} times: {met}")
    own, theirs = autograd(SIZES[1])
    lines.append(f"ABLR, evidence and gradient at 9 x 500: {theirs / own:.1f}x autograd through the factorisation")
    return [table], lines
