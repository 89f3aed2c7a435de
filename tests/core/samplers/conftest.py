"""What the tests of all samplers share: exact stationary covariances, independent chains, comparisons with Gaussians.

On a Gaussian target a step of a sampler is linear in (position, velocity), in the noise that it draws and in the noise
of the gradient. `exact_covariance` reads those matrices off the step itself, by feeding it unit vectors, and solves for
the covariance that the step leaves invariant: the discretisation's own stationary distribution, without Monte Carlo.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.linalg import solve_discrete_lyapunov

from core.foundation.randomness import make_generators
from core.samplers import SGHMC, SGLD, AdaptiveSGHMC, EulerSGHMC

REFERENCE = Path(__file__).parents[2] / "references" / "logistic_regression_hmc.py"
SAMPLERS = [
    SGLD(1e-3),
    SGHMC(1e-2),
    AdaptiveSGHMC(raise_friction=True),
    EulerSGHMC(1e-2, 1.0),
]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(params=SAMPLERS, ids=lambda sampler: type(sampler).__name__)
def sampler(request: pytest.FixtureRequest):
    """Each of the stochastic-gradient samplers."""
    return request.param


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def device(request: pytest.FixtureRequest) -> str:
    return request.param


def precision_matrix(rotated: bool, condition: float) -> np.ndarray:
    """4 x 4 with eigenvalues 1 to `condition`, along the axes or along random directions."""
    matrix = np.diag(np.geomspace(1, condition, 4))
    if rotated:
        axes, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((4, 4)))
        matrix = axes @ matrix @ axes.T
    return (matrix + matrix.T) / 2


@pytest.fixture
def precision() -> Callable[[bool, float], np.ndarray]:
    return precision_matrix


@pytest.fixture(params=[False, True], ids=["along the axes", "rotated"])
def badly_scaled(request: pytest.FixtureRequest) -> np.ndarray:
    """Precision matrices of condition number 1e4, 4 x 4."""
    return precision_matrix(request.param, 1e4)


@pytest.fixture
def exact_covariance() -> Callable[..., tuple[np.ndarray, float]]:
    """(sampler, precision (P, P), gradient_noise covariance (P, P), adapted fields (P,)) -> covariance, radius.

    The spectral radius of the linear map is below 1 exactly where the sampler is stable.
    """

    def solve(sampler, precision, gradient_noise=None, **adapted) -> tuple[np.ndarray, float]:
        size = len(precision)
        precision = torch.tensor(precision, dtype=torch.float64)
        unit, zero = torch.eye(size, dtype=torch.float64), torch.zeros(size, size, dtype=torch.float64)

        def response(position, velocity, noise, gradient_noise) -> np.ndarray:
            """Columns: the (position, velocity) after one step, for each row of the inputs."""
            state = sampler.init(position)
            fields = {
                name: torch.tensor(value, dtype=torch.float64).expand(size, size).clone()
                for name, value in adapted.items()
            }
            state = state._replace(**fields, **({"started": True} if hasattr(state, "started") else {}))
            state = sampler.freeze(state)
            if hasattr(state, "velocity"):
                state.velocity.copy_(velocity)
            state = sampler.step(state, position @ precision + gradient_noise, None, noise=noise)
            moved = [state.position] + ([state.velocity] if hasattr(state, "velocity") else [])
            return torch.cat(moved, dim=1).T.numpy()

        transition = response(unit, zero, zero, zero)
        if len(transition) > size:
            transition = np.hstack([transition, response(zero, unit, zero, zero)])
        injected, passed_on = response(zero, zero, unit, zero), response(zero, zero, zero, unit)
        noise = injected @ injected.T
        if gradient_noise is not None:
            noise = noise + passed_on @ gradient_noise @ passed_on.T
        radius = float(np.abs(np.linalg.eigvals(transition)).max())
        return solve_discrete_lyapunov(transition, noise)[:size, :size], radius

    return solve


@pytest.fixture
def run_chains() -> Callable[..., object]:
    """(sampler, gradient, start, burn_in, steps, seed) -> last state.

    The chains are independent, so their last positions are independent draws and the errors of their moments known.
    """

    def run(sampler, gradient, start, burn_in: int, steps: int, seed: int = 0):
        (generator,) = make_generators([seed], start.device)
        state = sampler.init(start)
        for step in range(burn_in + steps):
            if step == burn_in:
                state = sampler.freeze(state)
            state = sampler.step(state, gradient(state.position, generator), generator)
        return state

    return run


@pytest.fixture
def assert_gaussian() -> Callable[..., None]:
    """(draws (n, P), mean, covariance, bias): moments of independent draws within 5 standard errors and the bias.

    The whitened sample covariance has entries of standard error 1/sqrt(n), sqrt(2/n) on the diagonal; `bias` is the
    relative error of the covariance that is allowed besides.
    """

    def check(draws, mean, covariance, bias: float = 0.0) -> None:
        draws, n = draws.double().cpu().numpy(), len(draws)
        lower = np.linalg.cholesky(covariance)
        white = np.linalg.solve(lower, (draws - mean).T)
        assert np.abs(white.mean(1)).max() < 5 * np.sqrt((1 + bias) / n)
        assert np.abs(white @ white.T / n - np.eye(len(lower))).max() < 5 * np.sqrt(2 / n) * (1 + bias) + bias

    return check


@pytest.fixture(scope="session")
def logistic_regression() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Design (569, 5), labels (569,), and the posterior mean (5,) and covariance (5, 5) that long HMC found."""
    spec = importlib.util.spec_from_file_location(REFERENCE.stem, REFERENCE)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    moments = json.loads(REFERENCE.with_suffix(".json").read_text())
    arrays = [*reference.data(), moments["mean"], moments["covariance"]]
    return tuple(torch.tensor(value, dtype=torch.float64) for value in arrays)
