"""Differential evolution against SciPy's."""

import numpy as np
import pytest
import torch
from botorch.test_functions import Ackley, Branin, Hartmann
from scipy import optimize, stats

from core.acquisition.maximizers import EvolutionarySearch
from core.foundation.randomness import make_generators

RUNS = 25


class Negative:
    """The negative of a test function on the unit cube."""

    logarithmic = False

    def __init__(self, function):
        self.function, self.bounds = function.double(), function.bounds.double()

    def __call__(self, X):
        low, high = self.bounds
        return -self.function.evaluate_true(low + X * (high - low))


@pytest.mark.parametrize(
    "function, iterations",
    [(Branin(), 12), (Hartmann(6), 25), (Ackley(3, bounds=[(-5.0, 9.0)] * 3), 20)],
    ids=["branin", "hartmann6", "ackley3"],
)
def test_it_is_as_far_as_scipy_s_after_the_same_generations(function, iterations):
    problem, dimension = Negative(function), function.dim
    search = EvolutionarySearch(iterations=iterations, tolerance=1e-300)
    _, values = search(problem, dimension, make_generators(range(RUNS)))
    theirs = [
        optimize.differential_evolution(
            lambda x: -problem(torch.as_tensor(x.T)).numpy(),
            [(0, 1)] * dimension,
            maxiter=iterations,
            tol=0,
            polish=False,
            updating="deferred",
            vectorized=True,
            rng=np.random.default_rng(seed),
        ).fun
        for seed in range(RUNS)
    ]
    # Two algorithms that are the same differ with a probability of 0.0001.
    assert stats.ks_2samp(-values.numpy(), theirs).pvalue > 1e-4


@pytest.mark.parametrize(
    "function, optima",
    [(Branin(), [0.397887]), (Hartmann(6), [-3.32237, -3.20316]), (Ackley(3, bounds=[(-5.0, 9.0)] * 3), [0.0])],
    ids=["branin", "hartmann6", "ackley3"],
)
def test_left_to_converge_every_run_ends_in_an_optimum(function, optima):
    search = EvolutionarySearch(tolerance=1e-6)
    _, values = search(Negative(function), function.dim, make_generators(range(8)))
    distances = (-values.unsqueeze(1) - torch.tensor(optima).double()).abs()
    assert (distances.amin(1) < 1e-3).all() and (distances[:, 0] < 1e-3).any()


def test_a_run_that_has_converged_is_valued_but_stays():
    def formula(X):  # run 0 is flat, and converged before it starts
        return -(X - 0.3).square().sum(-1) * torch.tensor([0.0, 1.0]).double().unsqueeze(1)

    class Flat:
        logarithmic = False
        __call__ = staticmethod(formula)

    points, _ = EvolutionarySearch()(Flat(), 2, make_generators([3, 4]))
    alone, _ = EvolutionarySearch()(lambda X: 0 * X.sum(-1), 2, make_generators([3]))
    torch.testing.assert_close(points[:1], alone, atol=1e-12, rtol=0)
    torch.testing.assert_close(points[1], torch.full((2,), 0.3, dtype=torch.float64), atol=1e-3, rtol=0)


def test_coordinates_outside_the_cube_are_drawn_anew():
    seen = []

    def outside(X):  # the peak is a unit beyond the corner
        seen.append(X)
        return -(X - 2).square().sum(-1)

    EvolutionarySearch(iterations=10)(outside, 2, make_generators([0, 1]))
    trials = torch.cat([X.flatten() for X in seen])
    assert ((trials > 0) & (trials < 1)).all() and trials.max() > 0.97


@pytest.mark.parametrize("function", [Branin(), Hartmann(6)], ids=["branin", "hartmann6"])
def test_polished_runs_end_in_a_local_optimum(function):
    """From a few generations, whose best members are far from one; the gradient in the cube vanishes or points out."""
    problem, dimension = Negative(function), function.dim
    rough, polished = (EvolutionarySearch(iterations=3, polish=polish) for polish in (False, True))
    _, before = rough(problem, dimension, make_generators(range(8)))
    X, after = polished(problem, dimension, make_generators(range(8)))
    X.requires_grad_()
    (gradient,) = torch.autograd.grad(problem(X).sum(), X)
    inside = torch.where((X == 0) | (X == 1), 0.0, gradient)
    assert (after >= before).all() and (after - before).max() > 1e-3
    assert (inside.abs() < 1e-2 * function.dim).all()


def test_a_polished_end_is_projected():
    def peak(X):
        return -(X - 0.34).square().sum(-1)

    search = EvolutionarySearch(iterations=3, polish=True, project=lambda X: (X * 4).round() / 4)
    X, values = search(peak, 2, make_generators(range(4)))
    torch.testing.assert_close(X, torch.full((4, 2), 0.25, dtype=torch.float64))
    torch.testing.assert_close(values, peak(X))
