"""What a user gets without reading a paper: the library's defaults, which are not the papers'."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch
from ConfigSpace import Categorical, ConfigurationSpace, Float

from core.foundation.errors import UserError
from core.models.tasks import Task
from core.optimizers.model_settings import initial_size
from core.study.methods import method_of

PAPERS = {
    "maximizer": "local_search",
    "initial_design": 5,
    "unseen": False,
    "unordered": False,
    "gaussian_targets": False,
}
CENTRE = np.array([0.3, 0.55, 0.4, 0.7])
CUBE = ConfigurationSpace({f"x{i}": (0.0, 1.0) for i in range(4)})


def bowl(configuration) -> float:
    return float(sum((configuration[f"x{i}"] - CENTRE[i]) ** 2 for i in range(4)))


def searched(settings, space, loss, evaluations: int, seed: int = 0):
    """The configurations that were proposed after the initial design, and all losses."""
    optimizer = method_of(settings).build(space, seed)
    proposed, losses = [], []
    for _ in range(evaluations):
        (trial,) = optimizer.ask()
        losses.append(loss(trial.configuration))
        optimizer.tell(trial, losses[-1])
        if trial.info.get("origin") == "policy":
            proposed.append(trial.configuration)
    return proposed, np.array(losses)


def share_at_a_bound(proposed) -> float:
    values = np.array([[one[f"x{i}"] for i in range(4)] for one in proposed])
    return float(((values < 1e-6) | (values > 1 - 1e-6)).any(1).mean())


def test_the_default_does_not_propose_corners_on_a_bowl():
    proposed, losses = searched("gp", CUBE, bowl, 25)
    before, _ = searched({"method": "gp", "dimension_scaled": False, **PAPERS}, CUBE, bowl, 25)
    assert share_at_a_bound(proposed) < min(0.3, share_at_a_bound(before))
    assert losses.min() < 0.01


def test_one_outlier_does_not_flatten_the_others():
    """A loss of 1e5 among the initial points, as of a training that diverged."""

    def with_outlier(configuration) -> float:
        return 1e5 if configuration["x0"] > 0.85 else bowl(configuration)

    seen, flattened = (
        np.mean(
            [
                np.log(searched({"method": "gp", "gaussian_targets": chosen}, CUBE, with_outlier, 24, seed)[1].min())
                for seed in range(2)
            ]
        )
        for chosen in (True, False)
    )
    assert seen < flattened - 1


@pytest.mark.parametrize("method", ["gp", "rf", "tpe"])
def test_the_order_of_choices_makes_no_difference_on_average(method):
    """Good choices that are not neighbours are found under either order."""

    def loss(configuration) -> float:
        return float(configuration["kind"] not in ("a", "f")) + (configuration["x"] - 0.4) ** 2

    found = []
    for choices in (list("abcdef"), list("abfcde")):
        space = ConfigurationSpace()
        space.add(Categorical("kind", choices), Float("x", (0.0, 1.0)))
        found.append([searched(method, space, loss, 25, seed)[1].min() for seed in range(3)])
    assert np.median(found, axis=1).max() < 0.1


@pytest.mark.slow
def test_a_forest_is_better_than_random_search_on_a_bowl():
    """Where its expected improvement is flat it used to stay where it was."""
    forest, random = (
        np.mean([np.log(searched(method, CUBE, bowl, 40, seed)[1].min()) for seed in range(4)])
        for method in ("rf", "random")
    )
    assert forest < random - 0.5


def test_the_initial_design_grows_with_the_dimension():
    assert [initial_size(d) for d in (1, 2, 4, 5, 30)] == [5, 5, 8, 10, 10]
    proposed, _ = searched("gp", CUBE, bowl, 10)
    assert len(proposed) == 2
    with pytest.raises(UserError, match="depends on the space"):
        _ = method_of("gp").initial_points


@pytest.mark.parametrize(("method", "points"), [("mt_gp", 1), ("ablr", 5)])
def test_with_earlier_tasks_a_search_starts_at_once(method, points):
    task = Task(torch.rand(1, 8, 4, dtype=torch.float64), torch.rand(1, 8, dtype=torch.float64))
    optimizer = method_of(method).build(CUBE, 0, earlier=[task])
    assert optimizer.initial_design == points and method_of(method).build(CUBE, 0).initial_design == 8


def test_a_diverged_loss_of_an_earlier_task_changes_little():
    """The model sees each task's losses on a scale of its own, without outliers."""
    X = torch.rand(1, 12, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    y = (X - torch.tensor(CENTRE)).square().sum(-1)
    spoiled = y.clone()
    spoiled[0, 3] = 1e6
    policy = method_of({"method": "mt_gp", "hyperparameter_samples": 2}).build(CUBE, 0, earlier=[Task(X, spoiled)])
    seen = policy._proposer.policy._earlier()[0].y
    others = torch.arange(12) != 3
    assert seen[0, others].std() > 0.2 * seen.std() and torch.equal(seen[:, others].argsort(), y[:, others].argsort())


def test_the_default_of_dngo_trains_its_network():
    """On 30 points 20 epochs, the papers', are 20 updates; errors are those of six data sets together."""
    data = torch.rand(6, 430, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    values = torch.sin(5 * data[..., 0]) * data[..., 1] + (data[..., 2] - 0.6).abs() + data[..., 3] * data[..., 0]
    errors = []
    for updates in (None, method_of("dngo").updates):
        model = method_of({"method": "dngo", "updates": updates}).model(30)
        model.fit(data[:, :30], values[:, :30], [torch.Generator().manual_seed(run) for run in range(6)])
        mean = model.predict(data[:, 30:])[0].mean(0)
        errors.append(float((mean - values[:, 30:]).square().mean()))
    assert errors[1] < 0.9 * errors[0]


def test_a_variant_of_dngo_without_updates_needs_none_said():
    assert method_of({"method": "dngo", "variant": "pybnn"}).updates is None
    with pytest.raises(UserError, match="trains for a number of epochs"):
        method_of({"method": "dngo", "variant": "pybnn", "updates": 1000})


PAPERS_OWN = {
    "gp": {"dimension_scaled": (False, True)},
    "gp_mcmc": {},
    "rf": {"trees": (100, 30), "bootstrap": (True, False)},
    "dngo": {"updates": (None, 1000)},
    "ablr": {},
    "mt_gp": {"scaling": ("joint", "task")},
}
"""Where a model that is made without settings differs from that of a method: the model's default, and the method's."""


@pytest.mark.parametrize("name", PAPERS_OWN)
def test_a_model_without_settings_differs_from_the_method_s_only_where_it_is_said(name):
    task = Task(torch.rand(1, 8, 4, dtype=torch.float64), torch.rand(1, 8, dtype=torch.float64))
    earlier = [task] if method_of(name).learns_from_tasks else []
    made = method_of(name).model(10, **({"earlier": earlier} if earlier else {}))
    plain = type(made)(*([earlier] if earlier else []))
    compared = [each for each in inspect.signature(type(made)).parameters if each in vars(made)]
    values = {each: (getattr(plain, each), getattr(made, each)) for each in compared}
    simple = (bool, int, float, str, tuple, type(None))
    different = {each: pair for each, pair in values.items() if isinstance(pair[0], simple) and pair[0] != pair[1]}
    assert different == PAPERS_OWN[name]
