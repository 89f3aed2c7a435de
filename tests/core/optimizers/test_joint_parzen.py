"""The joint TPE: densities in closed form, and what distinguishes it from one density per hyperparameter."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float
from scipy.stats import chisquare, truncnorm

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.parzen import JointParzen, Kernels, TreeParzen
from core.optimizers.settings import TPESettings
from core.study.methods import method_of


def test_the_density_of_one_point_is_the_formula():
    kernels = Kernels(np.array([[0.3, 0.5]]), {1: 3})  # 0.5 is the second of three choices
    h = max(0.2, 0.5)
    x = np.array([[0.7, 0.5], [0.7, 1 / 6]])
    normal = truncnorm.pdf(0.7, -0.3 / h, 0.7 / h, loc=0.3, scale=h)
    expected = np.log((1 + normal * 3 * np.array([2, 1]) / 4) / 2)
    np.testing.assert_allclose(kernels.log_density(x), expected, rtol=1e-12)


def test_the_density_integrates_to_one():
    draw = np.random.default_rng(0)
    kernels = Kernels(np.column_stack([draw.random(5), (draw.integers(3, size=5) + 0.5) / 3]), {1: 3})
    grid = (np.arange(2000) + 0.5) / 2000
    total = [np.exp(kernels.log_density(np.column_stack([grid, np.full(2000, c)]))).mean() for c in (1 / 6, 0.5, 5 / 6)]
    assert np.mean(total) == pytest.approx(1, abs=1e-5)


def test_choices_with_weights_have_the_prior_s_density_and_draws():
    shares = {1: np.array([0.7, 0.2, 0.1])}
    kernels, middles = Kernels(np.array([[0.3, 0.5]]), {1: 3}, shares), np.array([1, 3, 5]) / 6
    density = np.exp(kernels.log_density(np.column_stack([np.full(3, np.nan), middles])))
    expected = 0.5 * shares[1] + 0.5 * (np.array([0, 1, 0]) + 3 * shares[1]) / 4  # half is the prior, half the kernel
    np.testing.assert_allclose(density * shares[1], expected, rtol=1e-12)
    drawn = np.floor(kernels.sample(20_000, np.random.default_rng(0))[:, 1] * 3).astype(int)
    assert chisquare(np.bincount(drawn), 20_000 * expected).pvalue > 1e-6


def test_what_is_inactive_does_not_count():
    known = np.array([[0.2, np.nan], [0.6, 0.9]])
    kernels = Kernels(known, {})
    both, one = kernels.log_density(np.array([[0.2, 0.9], [0.2, np.nan]]))
    first = Kernels(known[:, :1], {})
    first.deviation = kernels.deviation
    assert one == pytest.approx(first.log_density(np.array([[0.2]]))[0])
    assert both > one  # beside an evaluation that has the value too


def test_draws_follow_the_density():
    kernels = Kernels(np.array([[0.2, 0.25], [0.8, 0.75]]), {1: 2})
    drawn = kernels.sample(20_000, np.random.default_rng(0))
    for inside in ((drawn[:, 0] < 0.5) & (drawn[:, 1] < 0.5), (drawn[:, 0] < 0.5) & (drawn[:, 1] > 0.5)):
        assert inside.any()
    grid = (np.arange(500) + 0.5) / 500
    column = lambda c: np.column_stack([grid, np.full(500, c)])  # noqa: E731
    mass = np.exp(kernels.log_density(column(0.25)))[grid < 0.5].mean() / 4
    assert np.mean((drawn[:, 0] < 0.5) & (drawn[:, 1] < 0.5)) == pytest.approx(mass, abs=0.012)


def valley(x: float, y: float) -> float:
    return abs(x - y) + 0.1 * abs(x - 0.6)


def best_of(optimizer, evaluations: int) -> float:
    losses = []
    for _ in range(evaluations):
        (trial,) = optimizer.ask()
        losses.append(valley(trial.configuration["x"], trial.configuration["y"]))
        optimizer.tell(trial, losses[-1])
    return min(losses)


def test_it_sees_that_two_hyperparameters_have_to_fit_together():
    """Along a diagonal valley every value of either is good; one density for each cannot tell."""
    space = ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)})
    joint, apart = (
        np.mean([np.log(best_of(make(space, np.random.default_rng(seed)), 60)) for seed in range(12)])
        for make in (JointParzen, TreeParzen)
    )
    assert joint < apart


def conditional() -> ConfigurationSpace:
    space = ConfigurationSpace()
    kind, y = Categorical("kind", ["p", "q", "r"]), Float("y", (0.0, 1.0))
    space.add(kind, y)
    space.add(EqualsCondition(y, kind, "q"))
    return space


def test_failures_and_conditions_and_a_saved_state(tmp_path):
    def optimizer() -> JointParzen:
        return JointParzen(conditional(), np.random.default_rng(3), TPESettings(initial_design=4))

    failed = Evaluation(np.array([9.0]), np.ones(1), ({"failure": "no"},))
    first, second = optimizer(), optimizer()
    for number in range(20):
        (trial,) = first.ask()
        outcome = failed if trial.configuration["kind"] == "r" else trial.configuration.get("y", 2.0)
        first.tell(trial, outcome)
        if number == 10:
            first.save(tmp_path / "state")
            second.restore(tmp_path / "state")
    again = [one for _ in range(9) for one in second.ask() if second.tell(one, one.configuration.get("y", 2.0)) is None]
    assert again[0].configuration.keys() <= {"kind", "y"} and not np.isinf(first._told.losses[first.good()[0]]).any()


def test_nothing_is_proposed_twice_while_something_is_left():
    optimizer = JointParzen(ConfigurationSpace({"n": (1, 12)}), np.random.default_rng(0), TPESettings(initial_design=1))
    seen = []
    for _ in range(8):
        (trial,) = optimizer.ask()
        optimizer.tell(trial, abs(trial.configuration["n"] - 3.0))
        seen.append(trial.configuration["n"])
    assert len(set(seen)) >= 7


def test_hyperopt_s_rounding_belongs_to_hyperopt_s_densities():
    with pytest.raises(UserError, match="joint = False"):
        method_of({"method": "tpe", "rounded_ends": True})
    assert method_of({"method": "tpe", "rounded_ends": True, "joint": False}).rounded_ends
