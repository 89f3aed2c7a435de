"""The encoder of tasks: near in the data is near in the latent space, and nothing but the generator is random."""

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from core.foundation.convergence import counting
from core.foundation.errors import UserError
from core.models.meta_models import ROUNDS, TaskEncoder, _rotated

SHIFTS = torch.linspace(0, 2, 8, dtype=torch.float64)


def waves(points=40):
    x = torch.linspace(0, 1, points, dtype=torch.float64)
    return (4 * x + SHIFTS[:, None]).sin() * torch.linspace(1, 50, 8)[:, None]


def encoded(values, seed=1, dimensions=2, steps=60):
    return TaskEncoder.fit(values, torch.Generator().manual_seed(seed), dimensions, steps=steps)


def test_a_dimension_orders_tasks_by_what_differs_between_them():
    """Their scales, which are standardized away, do not matter."""
    first = encoded(waves(), dimensions=1, steps=40).means[:, 0]
    assert abs(spearmanr(first, SHIFTS).statistic) > 0.85  # 0.83 is the 99% quantile of random orders


def test_equal_generators_give_equal_encoders_and_others_do_not():
    state = torch.random.get_rng_state()
    one, same, other = encoded(waves(), 1, steps=5), encoded(waves(), 1, steps=5), encoded(waves(), 2, steps=5)
    assert torch.equal(one.means, same.means) and torch.equal(one.deviations, same.deviations)
    assert not torch.equal(one.means, other.means)
    assert torch.equal(state, torch.random.get_rng_state())  # the global generator is as it was


def test_with_a_tolerance_rounds_go_on_until_the_bound_rises_by_less():
    """Any rise of the second round is below a loose tolerance; without one, nothing says whether the fit converged."""
    taken = {}
    for tolerance in (1e-9, 1e3):
        with counting() as found:
            TaskEncoder.fit(waves(), torch.Generator().manual_seed(1), 2, steps=3, tolerance=tolerance)
        taken[tolerance] = found["the encoder of tasks"]
    loose, strict = taken[1e3], taken[1e-9]
    assert (loose.steps, loose.unconverged) == (2 * 3, 0)
    assert strict.steps >= loose.steps and strict.steps % 3 == 0
    assert strict.unconverged == (strict.steps == ROUNDS * 3 and strict.largest_slope >= 1e-9)
    with counting() as found:
        encoded(waves(), steps=3)
    assert not found


def test_rotated_outputs_keep_the_inner_products_of_tasks_and_stand_for_all_outputs():
    values = torch.randn(5, 30, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    coordinates, copies = _rotated(values)
    torch.testing.assert_close(coordinates.T @ coordinates, values @ values.T)
    assert copies.sum() == 30 and coordinates.shape == (6, 5)
    assert not coordinates[-1].any()


def test_draws_have_the_moments_of_q():
    encoder = TaskEncoder(
        torch.tensor([[1.0, -2.0], [0.0, 3.0]]).double(), torch.tensor([[0.5, 0.1], [2.0, 1.0]]).double()
    )
    draws = encoder.draw(4000, torch.Generator().manual_seed(0))
    assert draws.shape == (4000, 2, 2)
    np.testing.assert_allclose(draws.mean(0), encoder.means, atol=5 * 2 / 4000**0.5)
    np.testing.assert_allclose(draws.std(0), encoder.deviations, rtol=0.1)


@pytest.mark.parametrize(
    "values, dimensions, message",
    [
        (torch.zeros(0, 5), 1, r"shape \(0, 5\); allowed"),
        (torch.ones(3, 0), 1, r"shape \(3, 0\); allowed"),
        (torch.ones(3, 1), 1, r"shape \(3, 1\); allowed"),
        (torch.tensor([[0.0, 1.0], [1.0, torch.nan]]), 1, "task 1: a value is not finite"),
        (torch.rand(3, 5), 4, "dimensions is 4; allowed: 1 to 3"),
    ],
)
def test_values_that_cannot_be_encoded_are_refused(values, dimensions, message):
    with pytest.raises(UserError, match=message):
        encoded(values, dimensions=dimensions)


@pytest.mark.parametrize("settings", [{"inducing": 0}, {"dimensions": 1.5}, {"dimensions": 0}, {"steps": 0}])
def test_counts_that_encode_nothing_are_refused(settings):
    (name, value), *_ = settings.items()
    with pytest.raises(UserError, match=f"TaskEncoder.fit: {name} is {value}; allowed: a whole number from 1"):
        TaskEncoder.fit(torch.rand(4, 6), torch.Generator(), **{"dimensions": 2, "steps": 1, **settings})


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_a_tolerance_that_nothing_can_reach_is_refused(tolerance):
    with pytest.raises(UserError, match=r"tolerance is .*; allowed: above 0, or None"):
        TaskEncoder.fit(waves(), torch.Generator(), 2, tolerance=tolerance)
