"""The tuning of Bayesian networks: against the model used directly, its budgets, divergence, and the data sets."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.data import DataUnavailableError
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.priors import AveragedNormal
from core.objectives import bayesian_network as module
from core.objectives import objective
from core.objectives.bayesian_network import BayesianNetworkTuning, network
from core.objectives.guard import guarded_evaluate
from core.samplers import AdaptiveSGHMC
from core.spaces import CubeEncoding

GOOD = {"units_1": 20, "units_2": 18, "step_length": 3e-2, "burn_in": 0.5, "momentum_decay": 0.1}


def wave(n: int, seed: int) -> module.Part:
    """Targets of mean 50 and standard deviation 20, one of three inputs without a meaning."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 3))
    y = 50 + 25 * np.sin(2 * X[:, 0]) + 5 * X[:, 1] + rng.standard_normal(n)
    return torch.from_numpy(X), torch.from_numpy(y)


@pytest.fixture(scope="module")
def toy() -> BayesianNetworkTuning:
    return BayesianNetworkTuning("toy", wave(200, 0), wave(60, 1))


def loss_of(problem: BayesianNetworkTuning, configuration: dict, budget: float | None, seed: int = 0) -> float:
    return problem.evaluate([configuration], budget, np.random.default_rng(seed)).loss.item()


def test_the_loss_is_that_of_the_model_used_directly(toy):
    """1,111 steps, burn-in 556: every fifth of the other 555, of which there are 111; the last hundred count."""
    seed = int(np.random.default_rng(5).integers(2**63))
    model = BayesianNetwork(
        widths=(20, 18),
        sampler=AdaptiveSGHMC(step_size=3e-2, momentum_decay=0.1, raise_friction=False, noise_correction=False),
        burn_in=556,
        steps=1111,
        thinning=5,
        weight_prior=AveragedNormal(),
    ).fit(*toy.train, make_generators([seed]))
    X, y = toy.validation
    means, noise = (values[-100:, 0].numpy() for values in model.predict(X))
    mean, variance = means.mean(0), (means**2 + noise).mean(0) - means.mean(0) ** 2
    expected = (0.5 * np.log(2 * np.pi * variance) + (y.numpy() - mean) ** 2 / (2 * variance)).mean()
    assert loss_of(toy, GOOD, 10_000 / 9, seed=5) == pytest.approx(expected, rel=1e-6)


def test_steps_pay(toy):
    """Hardly moved, the network predicts as it began, with its noise of 0.03 deviations; at best the loss is 1.4."""
    still = {**GOOD, "step_length": 1e-6}
    assert loss_of(toy, still, 500) > 50
    assert loss_of(toy, GOOD, 10_000 / 3) < 2.6 < loss_of(toy, GOOD, 500)


@given(steps=st.integers(500, 10_000), burn_in=st.floats(0.0, 0.8))
def test_a_hundred_vectors_end_with_the_last_step_at_every_budget(steps, burn_in):
    model = network({**GOOD, "burn_in": burn_in}, steps)
    assert model.steps == steps and 0 <= model.burn_in - math.floor(burn_in * steps) < model.thinning
    assert 100 <= model.samples_per_chain < 200
    assert model.burn_in + model.samples_per_chain * model.thinning == steps


def test_losses_depend_on_the_generator_alone(toy):
    batch = toy.evaluate([GOOD, GOOD], 500, np.random.default_rng(3))
    again = toy.evaluate([GOOD, GOOD], 500, np.random.default_rng(3))
    np.testing.assert_array_equal(batch.loss, again.loss)
    assert batch.loss[0] != batch.loss[1] and batch.loss[0] == loss_of(toy, GOOD, 500, seed=3)
    assert batch.loss.shape == batch.cost.shape == (2,) and (batch.cost > 0).all() and not batch.failed.any()


def test_a_chain_that_diverges_is_recorded_as_failed(toy):
    wild = {**GOOD, "step_length": 1e3}
    assert math.isnan(loss_of(toy, wild, 500))
    evaluation = guarded_evaluate(toy, [wild, GOOD], 500, np.random.default_rng(0))
    assert evaluation.failed.tolist() == [True, False]
    assert evaluation.loss[0] == toy.worst_loss > evaluation.loss[1]
    assert evaluation.info[0]["failure"] == "loss is nan"


def test_finite_losses_are_not_beyond_that_of_a_failure(toy):
    strict = dataclasses.replace(toy, worst_loss=1.0)
    evaluation = guarded_evaluate(strict, [GOOD], 500, np.random.default_rng(0))
    assert evaluation.loss.item() == 1.0 and not evaluation.failed.any()


def test_table_c_3(toy):
    encoding = CubeEncoding(toy.space)
    low, middle, high = encoding.decode(np.array([[0.0] * 5, [0.5] * 5, [1.0] * 5]))
    expected = {"units_1": 16, "units_2": 16, "step_length": 1e-6, "burn_in": 0.0, "momentum_decay": 0.0}
    assert low == pytest.approx(expected, rel=1e-12)
    expected = {"units_1": 512, "units_2": 512, "step_length": 1e-1, "burn_in": 0.8, "momentum_decay": 1.0}
    assert high == pytest.approx(expected, rel=1e-12)
    assert middle["step_length"] == pytest.approx(10**-3.5) and 85 <= middle["units_1"] <= 95
    assert (middle["burn_in"], middle["momentum_decay"]) == (0.4, 0.5)


def test_every_corner_of_the_space_can_be_evaluated(toy):
    """Small networks; every loss is a number or a recorded failure."""
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * 3), -1).reshape(-1, 3)
    configurations = [
        {**c, "units_1": 16, "units_2": 17}
        for c in CubeEncoding(toy.space).decode(np.column_stack([corners, np.zeros((8, 2))]))
    ]
    evaluation = guarded_evaluate(toy, configurations, 500, np.random.default_rng(0))
    assert np.isfinite(evaluation.loss).all() and (evaluation.loss <= toy.worst_loss).all()
    assert set(np.array([entry.get("failure", "") for entry in evaluation.info])) <= {"", "loss is nan"}


@pytest.mark.parametrize("budget", [499, 10_001, float("nan")])
def test_budgets_outside_of_the_thesis_range_are_refused(toy, budget):
    with pytest.raises(UserError, match=r"allowed: MCMC steps from 500\.0 to 10000\.0"):
        toy.evaluate([GOOD], budget, np.random.default_rng(0))


def test_a_configuration_that_lacks_a_value_is_a_recorded_failure(toy):
    partial = {name: value for name, value in GOOD.items() if name != "burn_in"}
    evaluation = guarded_evaluate(toy, [partial], 500, np.random.default_rng(0))
    assert evaluation.info[0]["failure"] == "KeyError: 'burn_in'"


@pytest.mark.parametrize(("name", "sizes"), [("bnn_boston", (304, 101)), ("bnn_protein", (27_438, 1000))])
def test_the_data_sets(name, sizes):
    try:
        benchmark = objective(name)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    assert (benchmark.name, len(benchmark.train[1]), len(benchmark.validation[1])) == (name, *sizes)
    rows = [set(map(tuple, torch.column_stack(part).tolist())) for part in (benchmark.train, benchmark.validation)]
    assert len(rows[0] & rows[1]) < 0.05 * sizes[1]  # protein repeats some rows
    good = {**GOOD, "step_length": 8e-2, "momentum_decay": 0.8}
    assert loss_of(benchmark, good, 3000) < 9  # Fig 6.5 cuts off there


def test_missing_data_are_the_catalogues_error(monkeypatch):
    monkeypatch.setattr("core.data.catalogue.Places.find_all", lambda self, entry: iter(()))
    with pytest.raises(DataUnavailableError, match=r"'protein' is not here: .*REPLICATION_DATA"):
        module.bnn_protein(download=False)
