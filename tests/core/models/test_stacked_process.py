"""The Gaussian process on configurations and contexts: it is one on stacked inputs, and it learns from other tasks."""

from __future__ import annotations

import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.gaussian_process import GaussianProcess
from core.models.multitask_gp import StackedGP
from core.models.tasks import Task

RUNS = 2


def bowl(n, seed, context):
    X = torch.rand(RUNS, n, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return X, (1 + context) * (X - 0.3).square().sum(-1) + context


def tasks():
    return [Task(*bowl(12, seed, float(seed)), torch.tensor([float(seed)])) for seed in (1, 2, 3)]


def test_it_is_a_gaussian_process_on_stacked_inputs():
    X, y = bowl(4, 0, 1.5)
    points, _ = bowl(5, 9, 1.5)
    model = StackedGP(tasks(), torch.tensor([1.5]), restarts=1, iterations=10).fit(X, y, make_generators(range(RUNS)))

    def wide(X, value):
        return torch.cat([X, torch.full_like(X[..., :1], (value - 1) / 2)], -1)

    given = [(X, y, 1.5), *((task.X, task.y, float(task.context)) for task in tasks())]
    plain = GaussianProcess(restarts=1, iterations=10).fit(
        torch.cat([wide(X, value) for X, _, value in given], 1),
        torch.cat([y for _, y, _ in given], 1),
        make_generators(range(RUNS)),
    )
    for ours, theirs in zip(model.predict(points), plain.predict(wide(points, 1.5)), strict=True):
        torch.testing.assert_close(ours, theirs)
    assert model.posterior(points).mean.shape == plain.posterior(wide(points, 1.5)).mean.shape


def test_other_tasks_tell_about_the_one_at_hand():
    X, y = bowl(3, 0, 2.5)
    points, values = bowl(100, 9, 2.5)
    model = StackedGP(tasks(), torch.tensor([2.5]), restarts=1, iterations=50).fit(X, y, make_generators(range(RUNS)))
    assert (model.moments(points)[0] - values).square().mean() < 0.05 * values.var()


def test_a_context_is_needed():
    with pytest.raises(ValueError, match=r"StackedGP.context is None; allowed: features of the task at hand"):
        StackedGP([Task(*bowl(4, 1, 1.0))], None)


def test_tasks_without_a_context_are_refused():
    with pytest.raises(ValueError, match="has None context features; allowed: 1"):
        StackedGP([Task(*bowl(4, 1, 1.0))], torch.ones(1)).fit(*bowl(3, 0, 1.0), make_generators(range(RUNS)))
