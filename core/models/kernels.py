"""Kernels over a fidelity, such as the share of the data (thesis 4.3.1 and 4.4.1): the functions phi and the factor
L that they share with the samplers of hyperparameters, and the same as GPyTorch kernels.

The kernels of MTBO and Fabolas (thesis Eqs. 4.3 and 4.5) for any model of GPyTorch or BoTorch:

    model = SingleTaskGP(X, y, covar_module=product_kernel(2, LOSS))        # X (n, 3), the last column is s

They equal numerically the kernels whose hyperparameters `core.models.gaussian_process` samples, see `Basis` there.

How values at two fidelities vary together, for Gaussian processes over configurations and a fidelity.

    k((x, s), (x', s')) = k_5/2(x, x') phi(s)' Sigma phi(s')        (thesis Eq. 4.5; with tasks for s, Eq. 4.3)

    LOSS       phi(s) = (1, (1 - s)^2)    the loss across shares of the data, with an extremum at s = 1
    LOG_COST   phi(s) = (1, s)            the logarithm of the cost, so the cost itself is a polynomial
    tasks(T)   phi(t) = e_t               a free-form covariance of T tasks, of which number 0 is the target

The share enters on a logarithmic scale, s = log(share / smallest) / log(largest / smallest), as in thesis 4.2 and the
authors' code. A log cost linear in s is then a cost of any polynomial order, as 4.4.1 requires.

Sigma = nu L L' with L_00 = 1 is any positive semidefinite matrix: nu is the amplitude, for LOSS the variance at s = 1
and for tasks that of the target. L is given by `entries`, row by row from the second on, the diagonal as logarithms:

    (L_10, log L_11, L_20, L_21, log L_22, ...)

With a rank r, only the first r columns have entries below the diagonal: L L' is a matrix of that rank plus a diagonal
one, whose number of entries grows in proportion to that of tasks (Bonilla, Chai and Williams 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel, MaternKernel, ScaleKernel
from gpytorch.priors import NormalPrior
from linear_operator.operators import LinearOperator, MatmulLinearOperator
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.validation import require_count
from core.models import hyperpriors

DIAGONAL = hyperpriors.Row(low=-10, high=5, mean=0, sd=1)  # prior of log L_kk


@dataclass(frozen=True)
class Basis:
    """Basis functions of a fidelity.

    Attributes:
        size: Number F of functions.
        function: Function from fidelities (...) to phi (..., F).
        coupling: Mean of the normal prior of L_k0, k > 0. Its standard deviation is 1, as for all entries (the thesis
            states no prior; its normal form and its width are the authors').
        rank: Number of columns of L that have entries below the diagonal; None for all.
    """

    size: int
    function: Callable[[Tensor], Tensor]
    coupling: float = 0.0
    rank: int | None = None

    def __call__(self, s: Tensor) -> Tensor:
        """phi of fidelities (...): (..., F)."""
        return self.function(s)

    @property
    def columns(self) -> int:
        """The number of columns of L that may have entries below the diagonal."""
        return self.size if self.rank is None else self.rank

    @property
    def entries(self) -> int:
        """The number of entries of L."""
        return len(_places(self.size, self.columns))

    @property
    def priors(self) -> list[hyperpriors.Row]:
        """The prior of each entry."""
        return [
            DIAGONAL if column == row else hyperpriors.Row(-20, 20, self.coupling if column == 0 else 0.0, 1)
            for row, column in _places(self.size, self.columns)
        ]

    def factor(self, entries: Tensor) -> Tensor:
        """L (..., F, F) from its entries (..., E)."""
        rows, columns = torch.tensor(_places(self.size, self.columns), device=entries.device).T
        values = torch.where(rows == columns, entries.exp(), entries)
        factor = entries.new_zeros(*entries.shape[:-1], self.size, self.size)
        factor[..., 0, 0] = 1
        factor[..., rows, columns] = values
        return factor


@cache
def _places(size: int, columns: int) -> tuple[tuple[int, int], ...]:
    """Row and column of each entry of L."""
    return tuple((r, k) for r in range(1, size) for k in range(r + 1) if k < columns or k == r)


def tasks(count: int, rank: int | None = None) -> Basis:
    """The basis of numbered tasks: fidelities are 0, 1, .., count - 1; the rank is that of `Basis`.

    Entries L_k0 have prior mean 1: tasks are assumed to be alike rather than opposite.

    Raises:
        UserError: fewer than two tasks, or a rank below 1.
    """
    if rank is not None:
        require_count("tasks: rank", rank)
    if count < 2:
        raise UserError(f"tasks: count is {count}; allowed: 2 or more, the target and at least one other")
    return Basis(count, lambda t: torch.nn.functional.one_hot(t.round().long(), count).to(t), coupling=1.0, rank=rank)


def _quadratic(s: Tensor) -> Tensor:
    return torch.stack([torch.ones_like(s), (1 - s).square()], -1)


def _linear(s: Tensor) -> Tensor:
    return torch.stack([torch.ones_like(s), s], -1)


LOSS = Basis(2, _quadratic)
LOG_COST = Basis(2, _linear)


class BasisKernel(Kernel):
    """phi(s)' L L' phi(s') of one input column; L_00 = 1, so that the amplitude is left to a ScaleKernel.

    Args:
        basis: Basis functions phi.
        batch_shape, active_dims: See `gpytorch.kernels.Kernel`.

    Attributes:
        entries: Entries of L, (*batch_shape, E), with their prior.
    """

    has_lengthscale = False

    def __init__(
        self, basis: Basis, batch_shape: Sequence[int] = (), active_dims: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(batch_shape=torch.Size(batch_shape), active_dims=active_dims)
        self.basis = basis
        rows = basis.priors
        self.register_parameter(
            "entries", torch.nn.Parameter(torch.tensor([row.mean for row in rows]).repeat(*batch_shape, 1))
        )
        low, high = (torch.tensor([getattr(row, name) for row in rows]) for name in ("low", "high"))
        self.register_constraint("entries", Interval(low, high, transform=None))
        mean, sd = (torch.tensor([getattr(row, name) for row in rows]) for name in ("mean", "sd"))
        self.register_prior("entries_prior", NormalPrior(mean, sd), "entries")

    def forward(
        self, x1: Tensor, x2: Tensor, diag: bool = False, last_dim_is_batch: bool = False, **params: object
    ) -> Tensor | LinearOperator:
        """Covariances (..., n, m) of columns (..., n, 1) and (..., m, 1), or the diagonal (..., n)."""
        factor = self.basis.factor(self.entries)
        left, right = (self.basis(x.squeeze(-1)) @ factor for x in (x1, x2))
        return (left * right).sum(-1) if diag else MatmulLinearOperator(left, right.mT)


def product_kernel(dimension: int, basis: Basis, batch_shape: Sequence[int] = ()) -> Kernel:
    """nu k_5/2(x, x') phi(s)' L L' phi(s') of inputs (x, s), with `dimension` configuration columns and then s."""
    batch_shape = torch.Size(batch_shape)
    matern = MaternKernel(nu=2.5, ard_num_dims=dimension, active_dims=tuple(range(dimension)), batch_shape=batch_shape)
    return ScaleKernel(matern, batch_shape=batch_shape) * BasisKernel(basis, batch_shape, active_dims=(dimension,))
