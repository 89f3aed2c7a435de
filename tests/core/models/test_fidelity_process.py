"""Gaussian processes over configurations and a fidelity: dense conditioning, recovery of functions, repairs."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

from core.foundation.errors import ModelError
from core.foundation.randomness import make_generators
from core.models import matern
from core.models.gaussian_process import MarginalisedGP, factorise
from core.models.kernels import LOG_COST, LOSS, product_kernel, tasks


def fitted(basis, n=25, runs=2, target=None):
    g = torch.Generator().manual_seed(7)
    X = torch.rand(runs, n, 3, dtype=torch.float64, generator=g)
    if basis.coupling:
        X[..., -1] = (X[..., -1] * basis.size).floor()
    y = (X[..., 0] - 0.3).square() + 0.3 * X[..., 1] + (1 - X[..., 2]).square() if target is None else target(X)
    return X, y, MarginalisedGP(chains=3, burn_in=5, basis=basis).fit(X, y, make_generators(range(runs)))


@pytest.mark.parametrize("basis", [LOSS, LOG_COST, tasks(3)], ids=["loss", "log cost", "3 tasks"])
def test_the_posterior_is_dense_conditioning(basis):
    X, y, model = fitted(basis)
    at = torch.rand(2, 6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    at[..., -1] = at[..., -1].round()
    mean, covariance = model.joint(at)
    between = model.covariance_between(at[:, :2], at[:, 2:])
    torch.testing.assert_close(between, covariance[..., :2, 2:])
    torch.testing.assert_close(model.marginals(at)[1], covariance.diagonal(dim1=-2, dim2=-1), rtol=1e-6, atol=1e-10)
    kernel = product_kernel(2, basis).double()
    for member in range(3):
        for run in range(2):
            theta = model.theta[member, run]
            scale, second = kernel.kernels
            scale.outputscale, scale.base_kernel.lengthscale = theta[2].exp(), theta[:2].exp()
            second.entries.data = theta[4:]
            both = torch.cat([X[run], at[run]])
            K = kernel(both, both).to_dense().detach()
            C = K[:25, :25] + theta[3].exp() * torch.eye(25, dtype=torch.float64)
            gain = torch.linalg.solve(C, K[:25, 25:]).mT
            target = model.targets.transform(y)[run]
            torch.testing.assert_close(mean[member, run], gain @ target, rtol=1e-5, atol=1e-7)
            expected = K[25:, 25:] - gain @ K[:25, 25:]
            torch.testing.assert_close(covariance[member, run], expected, rtol=1e-5, atol=1e-7)
            likelihood = matern.log_likelihood(
                torch.cat([X[run, :, :2], basis(X[run, :, 2])], -1)[None], target[None], theta.view(1, 1, -1), basis
            )
            reference = multivariate_normal(np.zeros(25), C.numpy()).logpdf(target.numpy())
            assert likelihood.item() == pytest.approx(reference, rel=1e-5)


def test_small_fidelities_tell_about_the_full_one():
    """Nothing above s = 2/3 is observed; the model extrapolates a loss and a log cost of its own form."""
    g = torch.Generator().manual_seed(5)
    X = torch.rand(1, 40, 3, dtype=torch.float64, generator=g)
    X[..., -1] *= 2 / 3
    target = torch.cat([torch.rand(1, 20, 2, dtype=torch.float64, generator=g), torch.ones(1, 20, 1)], -1).double()
    for basis, function in (
        (LOSS, lambda X: (X[..., 0] - 0.3).square() + X[..., 1] + (0.5 + X[..., 0]) * (1 - X[..., 2]).square()),
        (LOG_COST, lambda X: 3 * X[..., 2] + X[..., 0]),
    ):
        model = MarginalisedGP(basis=basis).fit(X, function(X), make_generators([0]))
        error = (model.predict(target)[0].mean(0) - function(target)).abs().mean()
        spread = (function(target) - function(target).mean()).abs().mean()
        assert error < 0.25 * spread


def test_a_botorch_posterior_of_the_model():
    _, _, model = fitted(LOSS, runs=1)
    posterior = model.posterior(torch.rand(4, 1, 3, dtype=torch.float64))
    assert posterior.mean.shape == (4, 3, 1, 1), "a batch of members, as of BoTorch's fully Bayesian models"
    assert torch.isfinite(posterior.rsample(torch.Size([2]))).all()


def test_singular_covariances_are_repaired_and_said():
    one = torch.ones(3, 3, dtype=torch.float64)
    C = torch.stack([torch.eye(3, dtype=torch.float64), one - 1e-9 * torch.eye(3, dtype=torch.float64)])
    factor, repairs = factorise(C.expand(2, 2, 3, 3))
    assert repairs[0] == "" and "1e-08 of the variance" in repairs[1]
    torch.testing.assert_close(factor @ factor.mT, C.expand(2, 2, 3, 3), rtol=0, atol=1e-7)
    with pytest.raises(ModelError, match=r"in runs \[0, 1\] the covariance is not positive definite"):
        factorise(-C.expand(1, 2, 3, 3))


def test_what_does_not_go_with_a_fidelity_is_refused():
    with pytest.raises(ValueError, match="warping works on all inputs"):
        MarginalisedGP(warping=True, basis=LOSS)
    _, _, model = fitted(LOSS)
    with pytest.raises(NotImplementedError, match="draws of functions of a fidelity"):
        model.sample_functions(2, make_generators([0, 1]))
