"""The kernels of MTBO and Fabolas (thesis Eqs. 4.3 and 4.5) for any model of GPyTorch or BoTorch:

    model = SingleTaskGP(X, y, covar_module=product_kernel(2, LOSS))        # X (n, 3), the last column is s

They equal numerically the kernels whose hyperparameters `core.models.gaussian_process` samples, see `Basis` there.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from gpytorch.constraints import Interval
from gpytorch.kernels import Kernel, MaternKernel, ScaleKernel
from gpytorch.priors import NormalPrior
from linear_operator.operators import LinearOperator, MatmulLinearOperator
from torch import Tensor

from core.models.kernels.basis import Basis


class BasisKernel(Kernel):
    """phi(s)' L L' phi(s') of one input column; L_00 = 1, so that the amplitude is left to a ScaleKernel.

    Args:
        basis: Basis functions phi.
        batch_shape, active_dims: See `gpytorch.kernels.Kernel`.

    Attributes:
        entries: Entries of L, (*batch_shape, E), with their prior; see `core.models.kernels.basis`.
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
