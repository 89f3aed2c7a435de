"""The kernels over a fidelity against closed forms, GPyTorch's own, and what the compiled sampler uses."""

import gpytorch
import numpy as np
import pytest
import torch
from botorch.models import SingleTaskGP
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core.foundation.errors import UserError
from core.models import matern
from core.models.kernels import LOG_COST, LOSS, BasisKernel, product_kernel, tasks

BASES = {"loss": LOSS, "log cost": LOG_COST, "2 tasks": tasks(2), "4 tasks": tasks(4), "4 tasks of rank 1": tasks(4, 1)}


def kernel_with(basis, entries):
    kernel = BasisKernel(basis).double()
    kernel.entries.data = torch.as_tensor(entries, dtype=torch.float64)
    return kernel


@given(hnp.arrays(float, 9, elements=st.floats(-5, 5)))
def test_any_entries_give_a_positive_semidefinite_covariance(entries):
    for basis in BASES.values():
        factor = basis.factor(torch.from_numpy(entries[: basis.entries].copy()))
        covariance = factor @ factor.mT
        assert covariance[0, 0] == 1 and (factor.diagonal() > 0).all()
        assert torch.linalg.eigvalsh(covariance).min() > -1e-10 * covariance.trace()


def test_the_entries_reach_every_covariance():
    g = torch.Generator().manual_seed(0)
    root = torch.randn(4, 4, dtype=torch.float64, generator=g)
    wanted = root @ root.mT + 0.1 * torch.eye(4, dtype=torch.float64)
    L = torch.linalg.cholesky(wanted) / wanted[0, 0].sqrt()
    rows, columns = np.tril_indices(4)
    entries = torch.where(torch.from_numpy(rows == columns), L[rows, columns].log(), L[rows, columns])[1:]
    factor = tasks(4).factor(entries)
    torch.testing.assert_close(wanted[0, 0] * factor @ factor.mT, wanted)


def test_closed_forms_across_the_fidelity():
    """Sigma = [[1, c], [c, c^2 + e^2]] for the entries (c, log e)."""
    c, e = 0.7, 0.4
    s, t = torch.tensor([[0.0], [0.3], [1.0]], dtype=torch.float64), torch.tensor([[0.5], [1.0]], dtype=torch.float64)
    for basis, phi in ((LOSS, lambda u: (1 - u) ** 2), (LOG_COST, lambda u: u)):
        found = kernel_with(basis, [c, np.log(e)])(s, t).to_dense()
        a, b = phi(s), phi(t).mT
        torch.testing.assert_close(found, 1 + c * (a + b) + (c * c + e * e) * a * b)
    at_full_data = kernel_with(LOSS, [c, np.log(e)])(t[1:], t[1:]).to_dense()
    assert at_full_data.item() == pytest.approx(1), "at s = 1 the loss has the amplitude as its variance"


def test_tasks_are_gpytorch_s_index_kernel():
    g = torch.Generator().manual_seed(1)
    entries = torch.randn(9, dtype=torch.float64, generator=g)
    reference = gpytorch.kernels.IndexKernel(num_tasks=4, rank=4).double()
    factor = tasks(4).factor(entries)
    reference.covar_factor.data, reference.raw_var.data = factor, torch.full((4,), -40.0, dtype=torch.float64)
    t = torch.tensor([[0.0], [3.0], [1.0], [2.0], [3.0]], dtype=torch.float64)
    expected = reference(t.long(), t.long()).to_dense()
    torch.testing.assert_close(kernel_with(tasks(4), entries)(t, t).to_dense(), expected)


def test_tasks_of_rank_two_are_gpytorch_s_index_kernel_with_a_diagonal():
    entries = torch.randn(8, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    factor = tasks(4, rank=2).factor(entries)
    reference = gpytorch.kernels.IndexKernel(num_tasks=4, rank=2).double()
    reference.covar_factor.data = factor[:, :2].clone()
    reference.var = torch.cat([torch.full((2,), 1e-12), factor.diagonal()[2:].square()])
    t = torch.arange(4, dtype=torch.float64).unsqueeze(-1)
    expected = reference(t.long(), t.long()).to_dense()
    torch.testing.assert_close(kernel_with(tasks(4, rank=2), entries)(t, t).to_dense(), expected)


@pytest.mark.parametrize("name", BASES)
def test_the_product_is_gpytorch_s_and_the_sampler_s(name):
    basis = BASES[name]
    g = torch.Generator().manual_seed(2)
    x = torch.rand(7, 3, dtype=torch.float64, generator=g)
    s = torch.rand(7, dtype=torch.float64, generator=g)
    s = (s * basis.size).floor() if "tasks" in name else s
    theta = torch.randn(5 + basis.entries, dtype=torch.float64, generator=g)
    X = torch.cat([x, s.unsqueeze(-1)], -1)
    product = product_kernel(3, basis).double()
    scale, second = product.kernels
    scale.outputscale, scale.base_kernel.lengthscale = theta[3].exp(), theta[:3].exp()
    second.entries.data = theta[5:]
    plain = gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=3).double()
    plain.lengthscale = theta[:3].exp()
    own = theta[3].exp() * plain(x, x).to_dense() * kernel_with(basis, theta[5:])(X[:, 3:], X[:, 3:]).to_dense()
    torch.testing.assert_close(product(X, X).to_dense(), own, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(product(X, diag=True), own.diagonal(), rtol=1e-6, atol=1e-9)
    parts = matern.unpack(theta.view(1, 1, -1), 3, basis)
    sampled = matern.covariance(torch.cat([x, basis(s)], -1).unsqueeze(0), parts)[0, 0]
    noise = theta[4].exp() * torch.eye(7, dtype=torch.float64)
    torch.testing.assert_close(sampled - noise, own, rtol=1e-6, atol=1e-9)


def test_a_botorch_model_learns_with_the_kernel():
    g = torch.Generator().manual_seed(3)
    X = torch.rand(30, 2, dtype=torch.float64, generator=g)
    y = ((X[:, :1] - 0.4).square() + (1 - X[:, 1:]).square()).double()
    model = SingleTaskGP(X, (y - y.mean()) / y.std(), covar_module=product_kernel(1, LOSS).double())
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    before = likelihood(model(X), model.train_targets).item()
    from botorch.fit import fit_gpytorch_mll

    fit_gpytorch_mll(likelihood)
    model.train()
    assert likelihood(model(X), model.train_targets).item() > before + 0.1


def test_one_task_is_refused():
    with pytest.raises(UserError, match="count is 1; allowed: 2 or more"):
        tasks(1)
    with pytest.raises(UserError, match="rank is 0; allowed: a whole number from 1"):
        tasks(3, rank=0)
