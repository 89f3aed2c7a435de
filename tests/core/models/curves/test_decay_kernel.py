"""The process of decaying curves against dense Gaussians, and the kernel against the mixture that it is."""

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from core.models.curves.freeze_thaw import CurveProcess, DecayingCurves, ExponentialDecayKernel, FreezeThaw
from tests.core.models.curves.curve_examples import falling_curves, hide


@pytest.mark.parametrize("s, t", [(0.1, 0.1), (0.2, 1.0), (0.7, 0.4)])
def test_kernel_is_a_mixture_of_exponentials(s, t):
    kernel = ExponentialDecayKernel()
    kernel.raw_alpha.data.fill_(0.8)
    kernel.raw_beta.data.fill_(-0.4)
    alpha, beta = kernel.alpha.item(), kernel.beta.item()
    rates = stats.gamma(alpha, scale=1 / beta)
    mixture = integrate.quad(lambda r: np.exp(-r * (s + t)) * rates.pdf(r), 0, np.inf)[0]
    x, z = (torch.tensor([[value]], dtype=torch.float64) for value in (s, t))
    assert kernel(x, z).to_dense().item() == pytest.approx(mixture, rel=1e-6)
    assert kernel(x, diag=True).item() == pytest.approx(kernel(x).to_dense().item(), rel=1e-12)


def dense(process, X, times, seen):
    """Covariance of all values of one group's curves and asymptotes, the asymptotes last: (m T + m, m T + m)."""
    m, T = seen.shape
    asymptotes = process.asymptote(X).to_dense()[0]
    values = torch.kron(asymptotes, torch.ones(T, T, dtype=torch.float64))
    values = values + torch.kron(torch.eye(m, dtype=torch.float64), process.decay(times[:, None]).to_dense()[0])
    between = torch.kron(asymptotes, torch.ones(T, 1, dtype=torch.float64))
    return torch.cat([torch.cat([values, between], 1), torch.cat([between.mT, asymptotes], 1)])


def test_likelihood_equals_that_of_one_dense_gaussian():
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(1, 5, 2, generator=generator, dtype=torch.float64)
    times = torch.arange(1, 8).double() / 7
    seen = torch.arange(7) < torch.tensor([7, 1, 3, 5, 2]).unsqueeze(1)
    y = torch.randn(5, 7, generator=generator, dtype=torch.float64) * seen
    process = CurveProcess(1, 2)
    with torch.no_grad():
        places = seen.flatten().nonzero().flatten()
        covariance = dense(process, X, times, seen)[places][:, places] + process.noise * torch.eye(len(places)).double()
        joint = torch.distributions.MultivariateNormal(torch.zeros(len(places)).double(), covariance)
        found = process.log_likelihood(X, times, y[None], seen[None])
    assert found.item() == pytest.approx(joint.log_prob(y.flatten()[places]).item(), rel=1e-9)


def test_predictions_equal_those_of_one_dense_gaussian():
    x, curves = falling_curves(6, 8)
    lengths = np.array([8, 1, 3, 5, 2, 4])
    model = FreezeThaw(updates=20).fit(x, hide(curves, lengths))
    mean, variance = model.extrapolate([0.5, 1.0])
    with torch.no_grad():
        seen = torch.from_numpy(model.observed.seen)
        covariance = dense(model.process, model.X, model.times, seen)[: seen.numel(), : seen.numel()]
        places = seen.flatten().nonzero().flatten()
        noise = model.process.noise
        inner = covariance[places][:, places] + noise * torch.eye(len(places)).double()
        wanted = torch.arange(seen.numel()).view(6, 8)[:, [3, 7]].flatten()
        weights = torch.linalg.solve(inner, covariance[places][:, wanted])
        expected = weights.T @ model.y[0].flatten()[places]
        spread = covariance[wanted, wanted] - (weights * covariance[places][:, wanted]).sum(0) + noise
    np.testing.assert_allclose(mean.ravel(), model.targets.inverse(expected.numpy()), rtol=1e-7)
    np.testing.assert_allclose(variance.ravel(), model.targets.inverse_variance(spread.numpy()), rtol=1e-6)


def test_single_curves_do_not_depend_on_their_order():
    x, curves = falling_curves(6, 8)
    partial = hide(curves, np.full(6, 4))
    model = DecayingCurves(updates=30).fit(x, partial)
    again = DecayingCurves(updates=30).fit(x[::-1], partial[::-1])
    np.testing.assert_allclose(model.extrapolate().mean, again.extrapolate().mean[::-1], rtol=1e-8)
