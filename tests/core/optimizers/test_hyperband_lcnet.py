"""Hyperband with LC-Net: what the model is fitted to, what is chosen with it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace, OrdinalHyperparameter

from core.foundation.errors import ModelError, UserError
from core.models.curves.lcnet import LCNet
from core.objectives.base import FAILURE, LEARNING_CURVE, Evaluation
from core.optimizers.hyperband_lcnet import HyperbandLCNet, _Asymptotes
from core.optimizers.settings import HyperbandLCNetSettings

SHORT = {"burn_in": 200, "chain_steps": 400, "samples": 40}
EPOCHS = 9


@pytest.fixture
def grid() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(*(OrdinalHyperparameter(name, list(range(8))) for name in "xyz"))
    return space


def tell(optimizer: HyperbandLCNet, trial, curve, failure: str = "") -> None:
    info = {LEARNING_CURVE: curve} if not failure else {FAILURE: failure}
    optimizer.tell(trial, Evaluation(np.array([99.0 if failure else curve[-1]]), np.ones(1), (info,)))


def asymptote(configuration) -> float:
    return 0.1 + sum((value - 5) ** 2 for value in configuration.values()) / 50


def curve_of(trial, rng) -> np.ndarray:
    t = np.arange(1, int(trial.budget) + 1) / EPOCHS
    return asymptote(trial.configuration) + 0.3 * np.exp(-4 * t) + 0.01 * rng.normal(size=len(t))


def run(optimizer: HyperbandLCNet, seed: int = 1) -> list:
    """All brackets; the trials in the order of asking."""
    rng, trials = np.random.default_rng(seed), []
    while asked := optimizer.ask(1):
        trials += asked
        tell(optimizer, asked[0], curve_of(asked[0], rng))
    return trials


def test_brackets_after_the_first_come_from_the_model_and_are_better(grid):
    trials = run(HyperbandLCNet(grid, np.random.default_rng(0), 1, EPOCHS, HyperbandLCNetSettings(brackets=6, **SHORT)))
    chosen = {origin: [] for origin in ("random", "model")}
    for trial in trials:
        if (origin := trial.info["origin"]) != "promoted":
            chosen[origin].append(trial)
    assert {trial.info["bracket"] for trial in chosen["random"]} == {0}
    assert {trial.info["bracket"] for trial in chosen["model"]} == {1, 2, 3, 4, 5}
    uniform, by_model = (np.median([asymptote(t.configuration) for t in each]) for each in chosen.values())
    assert by_model < 0.5 * uniform
    for bracket in range(1, 6):
        values = [tuple(t.configuration.values()) for t in chosen["model"] if t.info["bracket"] == bracket]
        assert len(set(values)) == len(values)


def test_until_a_curve_of_the_largest_budget_is_told_configurations_are_random(grid):
    """Many workers: the second bracket begins before the first has ended."""
    optimizer = HyperbandLCNet(grid, np.random.default_rng(0), 1, EPOCHS, HyperbandLCNetSettings(**SHORT))
    first = optimizer.ask(9)
    tell(optimizer, first[0], [0.5])
    assert optimizer.epochs is None and optimizer.curves() is None
    assert {trial.info["origin"] for trial in optimizer.ask(5)} == {"random"}


def test_the_model_is_fitted_to_clipped_curves_of_all_evaluations(grid):
    optimizer = HyperbandLCNet(grid, np.random.default_rng(0), 3, EPOCHS, HyperbandLCNetSettings(**SHORT))
    told = [([9.0, 0.5, 0.7], ""), ([], "no luck"), ([0.6, np.nan, 0.4], "")]
    trials = optimizer.ask(3)
    for trial, (curve, failure) in zip(trials, told, strict=True):
        tell(optimizer, trial, curve, failure)
    (promoted,) = optimizer.ask(1)
    tell(optimizer, promoted, np.linspace(0.6, 0.2, EPOCHS))
    assert optimizer.epochs == EPOCHS
    points, curves = optimizer.curves()
    np.testing.assert_allclose(points[:3], optimizer.encoding.encode([t.configuration for t in trials]))
    np.testing.assert_allclose(points[3], optimizer.encoding.encode([promoted.configuration])[0])
    expected = [[0.7, 0.5, 0.7], [0.7] * 3, [0.6, 0.7, 0.4], np.linspace(0.6, 0.2, EPOCHS)]
    for found, values in zip(curves, expected, strict=True):
        np.testing.assert_allclose(found, values)


def test_what_is_searched_are_weight_samples_at_full_budget():
    rng = np.random.default_rng(0)
    X = rng.random((30, 3))
    model = LCNet(chains=1, burn_in=50, steps=150, thinning=5)
    model.fit(X, X[:, :1] + np.exp(-3 * np.linspace(0.1, 1, 10)), seed=1)
    members, points = torch.tensor([3, 0, 7]), torch.from_numpy(rng.random((3, 4, 3)))
    values = _Asymptotes(model.model, members, points.new_empty(0, 3))(points)
    for place, member in enumerate(members):
        expected = model.samples(points[place].numpy())[member]
        np.testing.assert_allclose(-values[place].numpy(), expected, rtol=1e-5)
    known = _Asymptotes(model.model, members, points[1, 2:3])(points)
    assert known.isnan().nonzero().tolist() == [[1, 2]]


def test_a_space_smaller_than_a_bracket_is_exhausted_and_the_rest_random():
    space = ConfigurationSpace({"a": ["p", "q"], "b": ["r", "s"]})
    optimizer = HyperbandLCNet(space, np.random.default_rng(0), 1, EPOCHS, HyperbandLCNetSettings(brackets=2, **SHORT))
    rng, origins = np.random.default_rng(1), {}
    while asked := optimizer.ask(1):
        info = asked[0].info
        if info["bracket"] == 1 and info["origin"] != "promoted":
            origins.setdefault(tuple(asked[0].configuration.values()), []).append(info["origin"])
        tell(optimizer, asked[0], rng.random(int(asked[0].budget)))
    assert len(origins) == 4 and all(found[0] == "model" for found in origins.values())
    assert sorted(origin for found in origins.values() for origin in found) == ["model"] * 4 + ["random"]


def test_where_the_model_fails_configurations_are_random_and_say_so(grid, monkeypatch):
    def fail(self, *args, **settings):
        raise error

    monkeypatch.setattr(LCNet, "fit", fail)
    error = ValueError("a bug")
    with pytest.raises(ValueError, match="a bug"):
        run(HyperbandLCNet(grid, np.random.default_rng(0), 1, EPOCHS, HyperbandLCNetSettings(brackets=2, **SHORT)))
    error = ModelError("cannot be standardized")
    with pytest.warns(UserWarning, match="random: the model failed: cannot be standardized") as said:
        trials = run(
            HyperbandLCNet(grid, np.random.default_rng(0), 1, EPOCHS, HyperbandLCNetSettings(brackets=2, **SHORT))
        )
    assert len(said) == 1
    origins = {trial.info["origin"] for trial in trials if trial.info["bracket"] == 1}
    assert origins == {"promoted", "random: the model failed: cannot be standardized"}


@pytest.mark.parametrize("given", [{}, {LEARNING_CURVE: []}, {LEARNING_CURVE: "abc"}, {LEARNING_CURVE: [0.1, np.nan]}])
def test_an_evaluation_without_its_learning_curve_is_refused(grid, given):
    optimizer = HyperbandLCNet(grid, np.random.default_rng(0), 1, EPOCHS)
    (trial,) = optimizer.ask(1)
    with pytest.raises(UserError, match=r"tell: trial 0 has the learning curve .*; allowed: the losses after each"):
        optimizer.tell(trial, Evaluation(np.array([0.5]), np.ones(1), (given,)))


@pytest.mark.parametrize("given", [{"samples": 0}, {"burn_in": -1}, {"samples": 50, "chain_steps": 49}])
def test_settings_out_of_range_are_refused(grid, given):
    with pytest.raises(UserError, match=f"{list(given)[-1]} = .*(Input should be|allowed: at least)"):
        HyperbandLCNet(grid, np.random.default_rng(0), 1, EPOCHS, HyperbandLCNetSettings(**given))
