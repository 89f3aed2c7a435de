"""Cholesky factors of covariances that rounding may have left not positive definite."""

import torch
from torch import Tensor

from core.foundation.errors import ModelError

JITTERS = (1e-10, 1e-8, 1e-6, 1e-4)  # shares of the largest variance, added in turn


def factorise(C: Tensor) -> tuple[Tensor, list[str]]:
    """Cholesky factors of C (M, runs, N, N) and, for each run, a note of what was added to a diagonal, "" if nothing.

    Raises:
        ModelError: not positive definite even with the largest of `JITTERS`.
    """
    factor, info = torch.linalg.cholesky_ex(C)
    repairs = [""] * C.shape[1]
    for jitter in JITTERS:
        wrong = info > 0
        if not wrong.any():
            return factor, repairs
        share = jitter * C.diagonal(dim1=-2, dim2=-1).amax(-1, keepdim=True)
        C = C + torch.diag_embed((wrong.unsqueeze(-1) * share).expand(C.shape[:-1]))
        factor, info = torch.linalg.cholesky_ex(C)
        for run in wrong.any(0).nonzero().flatten().tolist():
            repairs[run] = f"covariance not positive definite, {jitter:g} of the variance added"
    if (info > 0).any():
        runs = (info > 0).any(0).nonzero().flatten().tolist()
        raise ModelError(
            f"Gaussian process: in runs {runs} the covariance is not positive definite, or not finite, even with "
            f"{JITTERS[-1]:g} of the variance added"
        )
    return factor, repairs
