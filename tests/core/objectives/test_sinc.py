"""The sinc toy: its function, where its points lie, and that they are each run's own."""

import numpy as np
import torch
from scipy import stats

from core.foundation.randomness import make_generators
from core.objectives.toys import Sinc


def test_function_is_the_normalized_sinc_scaled_to_the_unit_interval():
    X = torch.linspace(-1, 2, 37, dtype=torch.float64).unsqueeze(-1)
    np.testing.assert_allclose(Sinc()(X), np.sinc(10 * X.squeeze(-1).numpy() - 5), atol=1e-15)
    assert Sinc()(torch.tensor([[0.5]])).item() == 1
    np.testing.assert_allclose(Sinc()(torch.tensor([[0.0], [0.1], [1.0]], dtype=torch.float64)), 0, atol=1e-15)


def test_observations_are_noise_free_uniform_and_each_runs_own():
    X, y = Sinc().observations(make_generators([3, 4]), runs=2)
    assert X.shape == (2, 20, 1) and y.shape == (2, 20) and X.dtype == y.dtype == torch.float64
    assert torch.equal(y, Sinc()(X))
    alone, _ = Sinc().observations(make_generators([4]))
    assert torch.equal(X[1], alone[0]) and not torch.equal(X[0], X[1])
    many, _ = Sinc(points=2000, interval=(-2.0, 3.0)).observations(make_generators([0]))
    assert stats.kstest(many.flatten().numpy(), stats.uniform(-2, 5).cdf).pvalue > 1e-6


def test_grid_covers_the_data_and_as_much_again_on_both_sides():
    grid = Sinc().grid(301)
    assert grid.shape == (301, 1)
    np.testing.assert_allclose(grid[::100, 0], [-1, 0, 1, 2], atol=1e-15)
