"""The synthetic functions: against BoTorch's and SciPy's, their optima by search, and as objectives."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from botorch.test_functions import synthetic as botorch
from scipy import optimize, stats

from core.foundation.errors import UnknownNameError, UserError
from core.objectives import synthetic
from core.objectives.synthetic import FIGURE_A1, FUNCTIONS, SyntheticFunction, levy_of, rosenbrock_of
from core.spaces import CubeEncoding

ALL = [*FUNCTIONS.values(), levy_of(3), rosenbrock_of(4)]
every = pytest.mark.parametrize("function", ALL, ids=lambda function: function.name)


def uniform(function: SyntheticFunction, n: int, seed: int = 0) -> torch.Tensor:
    low, high = torch.tensor(function.bounds, dtype=torch.float64).T
    generator = torch.Generator().manual_seed(seed)
    return low + (high - low) * torch.rand(n, function.dimension, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (synthetic.branin, botorch.Branin()),
        (synthetic.hartmann3, botorch.Hartmann(3)),
        (synthetic.hartmann4_rescaled, botorch.Hartmann(4)),
        (synthetic.hartmann6, botorch.Hartmann(6)),
        (synthetic.camelback, botorch.SixHumpCamel()),
        (synthetic.rosenbrock, botorch.Rosenbrock(2)),
        (rosenbrock_of(4), botorch.Rosenbrock(4)),
        (synthetic.levy, botorch.Levy(1, bounds=[(-15.0, 10.0)])),
        (levy_of(3), botorch.Levy(3, bounds=[(-15.0, 10.0)] * 3)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_values_are_those_of_botorch(function, reference):
    """BoTorch keeps Hartmann's constants in single precision."""
    X = uniform(function, 200)
    torch.testing.assert_close(function(X), reference(X), rtol=1e-5, atol=1e-6)


def test_the_mixture_is_the_mean_of_scipys_densities():
    X = uniform(synthetic.gaussian_mixture, 100)
    parts = [
        stats.multivariate_normal([0.9, 0.1], 0.05 * np.eye(2)),
        stats.multivariate_normal([0.9, 0.9], [[0.07, 0.01], [0.01, 0.07]]),
        stats.multivariate_normal([0.15, 0.7], 0.03 * np.eye(2)),
    ]
    expected = -np.mean([part.pdf(X.numpy()) for part in parts], axis=0)
    np.testing.assert_allclose(synthetic.gaussian_mixture(X), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("function", "point", "value"),
    [
        ("forrester", [0.5], np.sin(2.0)),
        ("forrester", [0.0], 4 * np.sin(-4.0)),
        ("goldstein_price", [0.0, -1.0], 3.0),
        ("goldstein_price", [1.2, 0.8], 840.0),
        ("goldstein_price", [1.8, 0.2], 84.0),
        ("goldstein_price", [-0.6, -0.4], 30.0),
        ("bohachevsky", [0.0, 0.0], 0.0),
        ("bohachevsky", [1.0, 0.5], 1 + 0.5 + 0.3 - 0.4 + 0.7),
        ("sin_one", [0.0], 0.5),
        ("sin_one", [0.3], 0.5 * np.sin(3.9) * np.sin(8.1) + 0.5),
        ("sin_two", [0.0, 0.3], 0.25 * np.sin(3.9) * np.sin(8.1) + 0.25),
        ("sinc", [0.35], np.sinc(1.5)),
        ("brofos_quartic", [-1.0], 101.25),
        ("brofos_quartic", [0.5], 0.0),
        ("hartmann4_rescaled", [0.187395, 0.194152, 0.557918, 0.264780], -3.134494),
    ],
)
def test_values_by_hand(function, point, value):
    """Goldstein and Price's local minima are 30, 84 and 840 (Dixon and Szego 1978)."""
    found = FUNCTIONS[function](torch.tensor(point, dtype=torch.float64)).item()
    assert found == pytest.approx(value, abs=2e-6)


@every
def test_the_optimum_is_attained_where_stated_and_nowhere_undercut(function):
    """DIRECT over the domain and gradient descent from the best of 5,000 uniform points."""
    optimizers = torch.tensor(function.optimizers, dtype=torch.float64)
    scale = max(1.0, abs(function.optimum))
    torch.testing.assert_close(
        function(optimizers),
        torch.full((len(optimizers),), function.optimum, dtype=torch.float64),
        atol=1e-9,
        rtol=1e-9,
    )

    def value(u: np.ndarray) -> float:
        return function.on_cube(torch.from_numpy(np.clip(u, 0, 1))).item()

    best = []
    if function.dimension <= 3:
        direct = optimize.direct(value, [(0, 1)] * function.dimension, maxfun=1500, locally_biased=False)
        best.append(_descend(function, direct.x))
    cube = torch.rand(5000, function.dimension, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    best += [_descend(function, u.numpy()) for u in cube[function.on_cube(cube).argsort()[:12]]]
    assert min(best) >= function.optimum - 1e-9 * scale
    assert min(best) <= function.optimum + 1e-6 * scale
    assert (function.on_cube(cube) <= function.worst_loss).all()


def _descend(function: SyntheticFunction, u: np.ndarray) -> float:
    def value_and_gradient(u: np.ndarray) -> tuple[float, np.ndarray]:
        tensor = torch.from_numpy(u).requires_grad_()
        value = function.on_cube(tensor)
        (gradient,) = torch.autograd.grad(value, tensor)
        return value.item(), gradient.numpy()

    options = {"ftol": 1e-15, "gtol": 1e-12}
    found = optimize.minimize(
        value_and_gradient, u, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(u), options=options
    )
    return float(found.fun)


@pytest.mark.parametrize(
    "function", [f for f in FUNCTIONS.values() if f.dimension <= 2], ids=lambda function: function.name
)
def test_the_worst_loss_is_the_maximum(function):
    """By a fine grid over the domain, its corners included."""
    axis = torch.linspace(0, 1, 2001 if function.dimension == 1 else 401, dtype=torch.float64)
    grid = torch.cartesian_prod(*[axis] * function.dimension).reshape(-1, function.dimension)
    largest = function.on_cube(grid).max().item()
    assert largest <= function.worst_loss + 1e-9 * abs(function.worst_loss)
    assert largest >= function.worst_loss - 2e-3 * (function.worst_loss - function.optimum)


@every
def test_batches_gradients_types_and_shapes(function):
    X = uniform(function, 6)
    torch.testing.assert_close(function(X.reshape(2, 3, -1)), function(X).reshape(2, 3))
    assert torch.autograd.gradcheck(function, X.requires_grad_(), atol=1e-3, rtol=1e-3)
    assert function(X.detach().float()).dtype == torch.float32
    with pytest.raises(ValueError, match=f"{function.name}: points of shape"):
        function(torch.zeros(3, function.dimension + 1))


@every
def test_as_objectives(function):
    encoding = CubeEncoding(function.space)
    assert [column.hyperparameter.lower for column in encoding.columns] == [low for low, _ in function.bounds]
    U = encoding.sample(5, np.random.default_rng(0))
    evaluation = function.evaluate(encoding.decode(U), None, np.random.default_rng(0))
    np.testing.assert_allclose(evaluation.loss, function.on_cube(torch.from_numpy(U)), rtol=1e-9, atol=1e-9)
    assert evaluation.cost.tolist() == [1.0] * 5 and not evaluation.failed.any()
    assert (function.regret(evaluation.loss) >= 0).all()
    with pytest.raises(UserError, match="no fidelity"):
        function.evaluate([], 1.0, np.random.default_rng(0))


@every
def test_they_travel_to_other_processes(function):
    X = uniform(function, 3)
    assert torch.equal(pickle.loads(pickle.dumps(function))(X), function(X))


def test_names():
    assert [function.name for function in FIGURE_A1] == [
        *("branin", "hartmann3", "hartmann6", "camelback", "goldstein_price"),
        *("rosenbrock", "sin_one", "sin_two", "bohachevsky", "levy"),
    ]
    assert synthetic.lookup("levy") is synthetic.levy
    with pytest.raises(UnknownNameError, match="did you mean 'branin'"):
        synthetic.lookup("brannin")
    assert list(levy_of(12).space) == [f"x{i:02}" for i in range(1, 13)]
    for make, smallest in ((levy_of, 1), (rosenbrock_of, 2)):
        with pytest.raises(ValueError, match="dimension 0; allowed"):
            make(0)
        assert make(smallest).dimension == smallest
