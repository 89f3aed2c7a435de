"""Variations of the Forrester function."""

import math

import pytest
import torch

from core.foundation.errors import UserError
from core.objectives.generated_tasks import ForresterTasks, forrester_tasks


def test_the_standard_function_has_its_known_minimum():
    task = ForresterTasks(torch.tensor([[6.0, 12.0]]).double(), (0,))
    x = torch.linspace(0, 1, 100_001, dtype=torch.float64).view(1, -1, 1)
    values = task.values(x)[0]
    assert values.min().item() == pytest.approx(-6.02074, abs=1e-5)
    assert x[0, values.argmin(), 0].item() == pytest.approx(0.75725, abs=1e-4)


def test_parameters_cover_their_ranges_and_tasks_are_numbered():
    tasks = forrester_tasks(500)
    low, high = tasks.parameters.min(0).values, tasks.parameters.max(0).values
    assert (low < torch.tensor([0.1, 0.2])).all() and (high > torch.tensor([5.9, 11.8])).all()
    assert torch.equal(forrester_tasks(9).parameters, tasks.parameters[:9])
    twice = tasks.take(range(2)).repeated(2)
    x = torch.full((4, 1, 1), 0.5).double()
    a, b = tasks.parameters[1].tolist()
    assert twice.values(x)[3, 0].item() == pytest.approx((a / 2 - 2) ** 2 * math.sin(b / 2 - 4))
    assert torch.equal(*twice.observe(x, torch.ones(4, 1)))


def test_a_count_is_checked():
    with pytest.raises(UserError, match="tasks is 0"):
        forrester_tasks(0)
