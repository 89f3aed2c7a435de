"""The compiled log posteriors against those in torch, which have references of their own, and the compiled slice
sampler against distribution functions."""

import numba
import numpy as np
import pytest
import torch
from scipy import stats

from core.compiled import evidence, gaussian_process
from core.compiled.slice import DONE, STUCK, VALUE, begin, new_walk, tell
from core.foundation.randomness import chain_seeds, make_generators
from core.models import dngo, hyperpriors, linear_regression, matern
from core.models.kernels import LOG_COST, LOSS, tasks


@numba.njit
def normal_or_exponential(x, which):
    """Correlated normals, exponentials, or a Cauchy variable beside one of two far modes."""
    if which == 0:
        return -0.5 * x[0] ** 2 - 0.5 * ((x[1] - x[0]) / 0.1) ** 2
    if which == 2:
        return -np.log1p(x[0] ** 2) + np.logaddexp(-0.5 * (x[1] + 4) ** 2, -0.5 * (x[1] - 4) ** 2)
    return -x[0] - x[1] if x[0] >= 0 and x[1] >= 0 else np.nan


@numba.njit
def sweeps(start, which, walk, seeds, count):
    for chain in range(len(start)):
        state = seeds[chain]
        walk.position[:] = start[chain]
        walk.numbers[VALUE] = normal_or_exponential(walk.position, which)
        for update in range(count):
            state = begin(walk, update % 2, state)
            while walk.phase[0] > DONE:
                state = tell(walk, normal_or_exponential(walk.point, which), state)
        start[chain] = walk.position


@pytest.mark.parametrize("width", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_updates_leave_the_target_as_it_is(which, width):
    """4,000 exact draws are exact draws after three sweeps, for any width."""
    rng = np.random.default_rng(0)
    start = rng.standard_normal((4000, 2)) if which == 0 else rng.exponential(size=(4000, 2))
    if which == 0:
        start[:, 1] = start[:, 0] + 0.1 * start[:, 1]
    if which == 2:
        start = np.column_stack([rng.standard_cauchy(4000), rng.standard_normal(4000) + rng.choice([-4, 4], 4000)])
    before = start.copy()
    sweeps(start, which, new_walk(np.full(2, width)), chain_seeds(make_generators([1])[0], 4000), 6)
    assert (start != before).mean() > 0.99
    if which == 0:
        start[:, 1] = (start[:, 1] - start[:, 0]) / 0.1

    def modes(x):
        return (stats.norm.cdf(x, -4) + stats.norm.cdf(x, 4)) / 2

    expected = ([stats.norm.cdf] * 2, [stats.expon.cdf] * 2, [stats.cauchy.cdf, modes])[which]
    assert min(stats.kstest(*pair).pvalue for pair in zip(start.T, expected, strict=True)) > 1e-6


def test_a_start_without_a_density_and_one_that_changes_are_refused():
    """Both used to be sampled forever."""
    parts = evidence.Decomposition(np.ones((1, 2)), np.full((1, 2, 1), np.nan), np.ones((1, 1, 1)), 3)
    start, seeds = np.zeros((1, 2)), chain_seeds(make_generators([1])[0], 1)
    with pytest.raises(RuntimeError, match="log density of chain 0 is nan or infinite at its start"):
        evidence.sample(parts, linear_regression.PRIORS, start, np.ones(2), seeds, (1, 1, 1))
    walk, steps = new_walk(np.ones(1)), 0
    state = begin(walk, 0, seeds[0])
    while walk.phase[0] > DONE and steps < 10_000:
        state, steps = tell(walk, -1e9, state), steps + 1
    assert walk.phase[0] == STUCK


def test_seeds_belong_to_runs():
    both = chain_seeds(make_generators([3, 4]), 6)
    assert (both[3:] == chain_seeds(make_generators([4]), 3)).all() and len(set(both)) == 6


@pytest.mark.parametrize("warped", [False, True])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_the_gaussian_process_s_posterior_is_torch_s(n, warped):
    g = torch.Generator().manual_seed(n)
    X, y = torch.rand(1, n, 3, generator=g, dtype=torch.float64), torch.randn(1, n, generator=g, dtype=torch.float64)
    priors = matern.priors(3, warped)
    scratch = gaussian_process.new_scratch(3, n, 0)
    scratch.warps[:] = np.nan
    for theta in torch.randn(10, 11 if warped else 5, generator=g, dtype=torch.float64):
        expected = matern.log_posterior(X, y, theta.view(1, 1, -1)).item()
        ours = gaussian_process.log_posterior(
            theta.numpy(), X[0].mT.contiguous().numpy(), np.empty((0, n)), y[0].numpy(), 0, priors, scratch
        )
        assert ours == pytest.approx(expected, rel=1e-9)


BASES = {"loss": LOSS, "log cost": LOG_COST, "2 tasks": tasks(2), "4 tasks": tasks(4)}
BASES |= {f"5 tasks of rank {rank}": tasks(5, rank) for rank in (1, 2, 9)}


@pytest.mark.parametrize("basis", BASES.values(), ids=BASES)
def test_the_gaussian_process_s_posterior_with_a_fidelity_is_torch_s(basis):
    g = torch.Generator().manual_seed(basis.size)
    X, s = torch.rand(1, 30, 2, generator=g, dtype=torch.float64), torch.rand(1, 30, generator=g, dtype=torch.float64)
    s = s if basis.size == 2 and basis.coupling == 0 else (basis.size * s).floor()
    y = torch.randn(1, 30, generator=g, dtype=torch.float64)
    priors, featured = matern.priors(2, False, basis), torch.cat([X, basis(s)], -1)
    scratch = gaussian_process.new_scratch(2, 30, basis.size)
    scratch.warps[:] = np.nan
    columns = featured[0].mT.contiguous().numpy()
    for theta in torch.randn(10, 4 + basis.entries, generator=g, dtype=torch.float64):
        expected = matern.log_posterior(featured, y, theta.view(1, 1, -1), basis).item()
        ours = gaussian_process.log_posterior(
            theta.numpy(), columns[:2], columns[2:], y[0].numpy(), basis.columns, priors, scratch
        )
        assert ours == pytest.approx(expected, rel=1e-9)


def test_what_has_no_density_is_minus_infinity():
    X, y, scratch = np.full((1, 40), 0.5), np.linspace(-1, 1, 40), gaussian_process.new_scratch(1, 40, 0)
    none = np.empty((0, 40))
    scratch.warps[:] = np.nan
    priors = hyperpriors.independent([hyperpriors.Row()] * 3)
    for theta, prior in (([0.0, 0.0, 11.0], matern.priors(1, False)), ([0.0, 0.0, -200.0], priors)):
        assert gaussian_process.log_posterior(np.array(theta), X, none, y, 0, prior, scratch) == -np.inf


def test_the_exponential_is_numpy_s():
    x = -np.concatenate([np.geomspace(1e-300, 690, 10_000), [0.0]])
    evaluate = numba.njit(lambda x: [gaussian_process.exponential(value) for value in x])
    np.testing.assert_allclose(evaluate(x), np.exp(x), rtol=5e-16)
    assert evaluate(np.array([-1e300]))[0] < 1e-303


@pytest.mark.parametrize("with_mean", [False, True])
@pytest.mark.parametrize("n", [1, 7, 40])
def test_the_regression_s_posterior_is_torch_s(n, with_mean):
    g = torch.Generator().manual_seed(n)
    X, y = torch.rand(1, n, 2, generator=g, dtype=torch.float64), torch.randn(1, n, 1, generator=g, dtype=torch.float64)
    features = torch.randn(1, n, 10, generator=g, dtype=torch.float64)
    columns = torch.cat([y, torch.ones_like(y), X, X.square()], -1) if with_mean else y
    priors = dngo.priors(2) if with_mean else linear_regression.PRIORS
    regression = linear_regression.Regression(features, columns)
    parts = evidence.Decomposition(
        regression.singular.numpy(), regression.inside.numpy(), regression.outside.numpy(), n
    )
    for theta in torch.randn(10, 7 if with_mean else 2, generator=g, dtype=torch.float64):
        coefficients = dngo.residual_coefficients(theta, 2) if with_mean else torch.ones(1, dtype=torch.float64)
        expected = regression.log_evidence(coefficients.unsqueeze(0), theta[:1], -theta[1:2])
        expected = (expected + hyperpriors.log_density(theta, priors)).item()
        ours = evidence.log_posterior(theta.numpy(), 0, parts, priors, np.ones(columns.shape[-1]))
        assert ours == pytest.approx(expected, rel=1e-9)
