"""One suggestion as in BoTorch's own tutorials: SingleTaskGP, its marginal likelihood, log EI, `optimize_acqf`.

BoTorch is part of our environment, so it runs in our process; it has no run axis.
"""

import time

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch import Tensor


def suggest(X: Tensor, y: Tensor, candidates: int, restarts: int) -> dict[str, float]:
    """CPU seconds of the fit and of the search, for X (N, d) and y (N,), which is minimized."""
    start = time.process_time()
    model = SingleTaskGP(X, -y.unsqueeze(-1), outcome_transform=Standardize(1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    fitted = time.process_time()
    bounds = torch.stack([torch.zeros(X.shape[1]), torch.ones(X.shape[1])]).to(X)
    acquisition = LogExpectedImprovement(model, best_f=-y.min())
    optimize_acqf(acquisition, bounds, q=1, num_restarts=restarts, raw_samples=candidates)
    return {"fit": fitted - start, "search": time.process_time() - fitted}
