"""Observations of several tasks as one data set."""

from __future__ import annotations

import math

import pytest
import torch

from core.foundation.errors import UnknownNameError
from core.models.tasks import Task, check_scaling, stack

X = torch.tensor([[[0.1], [0.2]], [[0.3], [0.4]]])  # two runs
Y = torch.tensor([[1.0, 3.0], [5.0, 5.0]])
SHARED = Task(torch.tensor([[[0.7], [0.8], [0.9]]]), torch.tensor([[10.0, 20.0, 30.0]]), name="shared")


def test_earlier_tasks_follow_and_serve_every_run():
    found = stack(X, Y, [SHARED, Task(X, -Y)], "joint")
    assert found.task.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert found.X[1, :, 0].tolist() == pytest.approx([0.3, 0.4, 0.7, 0.8, 0.9, 0.3, 0.4])
    raw = found.targets.inverse(found.y)
    torch.testing.assert_close(raw[0], torch.tensor([1.0, 3, 10, 20, 30, -1, -3]).double())


def test_joint_scaling_keeps_unequal_scales_and_that_by_task_removes_them():
    joint, own = (stack(X, Y, [SHARED], scaling) for scaling in ("joint", "task"))
    ones = torch.ones(2, dtype=torch.float64)
    torch.testing.assert_close(joint.y.square().mean(1), ones)
    assert joint.y[0, :2].max() < joint.y[0, 2:].min()
    torch.testing.assert_close(own.y[:, 2:].square().mean(1), ones)
    torch.testing.assert_close(own.y[0, :2], torch.tensor([-1.0, 1.0]).double())
    torch.testing.assert_close(own.targets.inverse(own.y[:, :2]), Y.double())


def test_targets_that_are_constant_become_zero():
    own = stack(X, Y, [SHARED], "task")
    assert own.y[1, :2].tolist() == [0, 0] and own.targets.scale[1].item() == 1


def test_contexts_are_beside_the_points_of_their_task():
    tasks = [Task(SHARED.X, SHARED.y, torch.tensor([2.0, 5.0]))]
    found = stack(X, Y, tasks, "joint", torch.tensor([1.0, 4.0]))
    assert found.X[0, :, 1:].tolist() == [[0, 0]] * 2 + [[1, 1]] * 3, "each feature has the range of the cube"


OTHER = Task(torch.zeros(1, 2, 3), torch.zeros(1, 2), name="other")
WITH_CONTEXT = Task(SHARED.X, SHARED.y, torch.zeros(1))


@pytest.mark.parametrize(
    ("earlier", "context", "message"),
    [
        (OTHER, None, "other: has 3 hyperparameters; allowed: 1"),
        (Task(torch.zeros(3, 2, 1), torch.zeros(3, 2), name="runs"), None, "runs: has 3 runs; allowed: 1, or 2"),
        (SHARED, torch.zeros(2), "shared: has None context features; allowed: 2"),
        (WITH_CONTEXT, torch.tensor([math.nan]), "context has values that are not finite"),
        (Task(SHARED.X, SHARED.y.double() * 1e305, name="huge"), None, "y .*cannot be standardized"),
    ],
)
@pytest.mark.parametrize("scaling", ["joint", "task"])
def test_what_does_not_fit_is_named(earlier, context, message, scaling):
    with pytest.raises(ValueError, match=message):
        stack(X, Y, [earlier], scaling, context)


def test_an_unknown_scaling():
    with pytest.raises(UnknownNameError, match="scaling of tasks 'tasks'; did you mean 'task'"):
        check_scaling("tasks")
