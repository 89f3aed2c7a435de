"""Searches on many tasks at once against searches on single ones, and who is the incumbent."""

import numpy as np
import pytest
import torch

from core.objectives.generated_tasks import forrester_tasks, generated_tasks
from core.study.curves import value_of_incumbent
from core.study.methods import method_of
from core.study.task_search import search_tasks
from tests.core.objectives.made_models import made_model


def test_the_incumbent_is_what_was_observed_to_be_best_and_keeps_its_noise_free_value():
    values = np.array([[5.0, 4.0, 3.0, 2.0], [5.0, 4.0, 3.0, 2.0]])
    observed = np.array([[5.0, 1.0, 2.0, 0.5], [5.0, 6.0, 7.0, 5.0]])
    assert value_of_incumbent(observed, values).tolist() == [[5, 4, 4, 2], [5, 5, 5, 5]]


@pytest.mark.parametrize("method", ["random", "tpe", "cmaes", "differential_evolution"])
def test_losses_fall_and_shares_rise_without_noise(method):
    found = search_tasks(generated_tasks(made_model(), 4), method_of(method), 12, [1, 2], [3, 4], 2)
    assert found.loss.shape == found.solved.shape == (4, 2, 12)
    assert (np.diff(found.loss) <= 0).all() and (np.diff(found.solved) >= 0).all()
    assert ((found.solved >= 0) & (found.solved <= 1)).all()
    assert found.solved[..., -1].mean() > found.solved[..., 0].mean()


def test_a_task_and_a_run_do_not_depend_on_the_others():
    tasks, method = forrester_tasks(4), method_of("random")
    together = search_tasks(tasks, method, 6, [1, 2], [3, 4], 2)
    fewer = search_tasks(tasks.take(range(1, 3)), method, 6, [2], [4], 2)
    np.testing.assert_allclose(fewer.loss[:, 0], together.loss[1:3, 1])


def test_methods_share_the_first_points_and_the_noise():
    tasks = generated_tasks(made_model(), 3)
    one = search_tasks(tasks, method_of("random"), 10, [1], [3], 2, noisy=True)
    other = search_tasks(tasks, method_of("random"), 10, [1], [4], 2, noisy=True)
    np.testing.assert_allclose(one.loss[..., :2], other.loss[..., :2])
    assert not np.allclose(one.loss[..., -1], other.loss[..., -1])


def test_progress_ends_at_1():
    told = []
    search_tasks(forrester_tasks(2), method_of("tpe"), 5, [1], [3], 2, progress=told.append)
    assert told == sorted(told) and told[-1] == 1


@pytest.mark.slow
def test_a_model_beats_random_search_on_most_forrester_functions():
    tasks = forrester_tasks(20)
    gp = method_of({"method": "gp", "maximizer": "random_search"})
    found = {
        name: search_tasks(tasks, method, 15, [1], [3], 2).loss[:, 0, -1]
        for name, method in (("gp", gp), ("random", method_of("random")))
    }
    assert (found["gp"] <= found["random"]).mean() > 0.8
    assert torch.isfinite(torch.from_numpy(found["gp"])).all()
