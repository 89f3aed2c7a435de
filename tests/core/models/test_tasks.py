"""What is known about other tasks: what is refused, and how contexts become inputs."""

from __future__ import annotations

import pytest
import torch

from core.models.tasks import Task, beside_context, check_tasks, context_columns


def task(runs=2, n=3, d=2, context=None, name="other"):
    return Task(torch.rand(runs, n, d), torch.rand(runs, n), context, name)


@pytest.mark.parametrize(
    ("X", "y", "context", "message"),
    [
        (torch.rand(3, 2), torch.rand(3), None, r"other: X and y have shapes \(3, 2\) and \(3,\)"),
        (torch.rand(1, 3, 2), torch.rand(1, 4), None, "other: X and y have shapes"),
        (torch.rand(1, 0, 2), torch.rand(1, 0), None, "other: has no observations; allowed: at least one"),
        (torch.rand(1, 3, 2), torch.tensor([[0.0, torch.nan, 1.0]]), None, "other: y has values that are not finite"),
        (torch.full((1, 3, 2), torch.inf), torch.rand(1, 3), None, "other: X has values that are not finite"),
        (torch.rand(1, 3, 2), torch.rand(1, 3), torch.tensor([torch.nan]), "other: context has values that are not"),
        (torch.rand(1, 3, 2), torch.rand(1, 3), torch.tensor(1.0), r"other: context has shape \(\); allowed: \(c,\)"),
    ],
)
def test_a_task_is_refused_in_one_line(X, y, context, message):
    with pytest.raises(ValueError, match=message):
        Task(X, y, context, "other")


@pytest.mark.parametrize(
    ("given", "context", "message"),
    [
        (task(d=3), None, "other: has 3 hyperparameters; allowed: 2"),
        (task(runs=5), None, "other: has 5 runs; allowed: 1, or 2"),
        (task(context=torch.ones(4)), None, "other: has 4 context features; allowed: None"),
        (task(), torch.ones(2), "other: has None context features; allowed: 2"),
        (task(context=torch.ones(2, 3)), torch.ones(2), "other: has 3 context features; allowed: 2"),
        (
            task(context=torch.ones(5, 3)),
            torch.ones(3),
            r"other: context has shape \(5, 3\); allowed: \(c,\), \(1, c\) or",
        ),
    ],
)
def test_a_task_that_does_not_fit_is_refused_in_one_line(given, context, message):
    with pytest.raises(ValueError, match=message):
        check_tasks([task(context=context), given], 2, 2, context)


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (torch.tensor([1.0, torch.nan]), "the task at hand: context has values that are not finite"),
        (torch.ones(3, 2), r"the task at hand: context has shape \(3, 2\); allowed: \(c,\), \(1, c\) or \(2, c\)"),
        (torch.tensor(1.0), "the task at hand: context has shape"),
    ],
)
def test_the_context_of_the_task_at_hand_is_checked_too(context, message):
    with pytest.raises(ValueError, match=message):
        check_tasks([task(context=torch.ones(2))], 2, 2, context)


def test_contexts_have_the_range_of_the_cube_over_all_tasks_and_keep_their_order():
    own = torch.tensor([[3.0, 7.0], [1.0, 7.0]])  # of two runs
    columns = context_columns([task(context=torch.tensor([1.0, 7.0])), task(context=torch.tensor([5.0, 7.0]))], own)
    torch.testing.assert_close(columns[0], torch.tensor([[[0.5, 0.0]], [[0.0, 0.0]]]).double())
    torch.testing.assert_close(columns[2], torch.tensor([[[1.0, 0.0]], [[1.0, 0.0]]]).double())
    wide = beside_context(torch.zeros(4, 1, 3, 2).double(), columns[0])
    assert wide.shape == (4, 2, 3, 4)
    torch.testing.assert_close(wide[1, 0, 2], torch.tensor([0.0, 0.0, 0.5, 0.0]).double())
