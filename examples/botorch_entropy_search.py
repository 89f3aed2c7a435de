"""Entropy search across shares of the data with BoTorch's own models: the parts of Fabolas, put together.

    python examples/botorch_entropy_search.py

Takes about ten seconds, offline. `minimize(..., method="fabolas", budgets=(1 / 16, 1))` is the whole method.
"""

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from gpytorch.mlls import ExactMarginalLogLikelihood
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from core.acquisition.entropy_search import BotorchEntropySearch
from core.models.kernels import LOSS, product_kernel

X, y = load_digits(return_X_y=True)
TRAIN, VALIDATION, TRAIN_LABELS, VALIDATION_LABELS = train_test_split(X / 16, y, test_size=0.3, random_state=0)
SMALLEST = 1 / 16


def share(s):
    """The share of the training data at s in [0, 1]."""
    return SMALLEST ** (1 - s)


def error(point):
    """The share of wrong answers on the validation set, for log C, log gamma and s, each in [0, 1]."""
    C, gamma, s = (float(value) for value in point)
    rows = round(share(s) * len(TRAIN))
    machine = SVC(C=10 ** (6 * C - 3), gamma=10 ** (6 * gamma - 5)).fit(TRAIN[:rows], TRAIN_LABELS[:rows])
    return 1 - machine.score(VALIDATION, VALIDATION_LABELS)


def on_all(points):
    """The same configurations on all of the data."""
    return torch.cat([points[..., :2], torch.ones_like(points[..., 2:])], -1)


def search(evaluations, generator):
    """Evaluate ten points on the smallest share, then what tells most about the best on all data per share."""
    points = torch.rand(10, 3, dtype=torch.float64, generator=generator)
    points[:, 2] = 0
    errors = torch.tensor([[error(point)] for point in points], dtype=torch.float64)
    while len(points) < evaluations:
        model = SingleTaskGP(points, errors, covar_module=product_kernel(2, LOSS))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        lowest = model.posterior(on_all(points)).mean.min()
        candidates = on_all(torch.rand(500, 3, dtype=torch.float64, generator=generator))
        gain = BotorchEntropySearch(model, lowest, candidates, generator, maximize=False)
        anywhere = torch.rand(500, 3, dtype=torch.float64, generator=generator)
        with torch.no_grad():
            chosen = anywhere[(gain(anywhere.unsqueeze(1)) / share(anywhere[:, 2])).argmax()]
        points = torch.cat([points, chosen[None]])
        errors = torch.cat([errors, torch.tensor([[error(chosen)]], dtype=torch.float64)])
    return points, model.posterior(on_all(points)).mean.argmin()


if __name__ == "__main__":
    evaluated, best = search(13, torch.Generator().manual_seed(0))
    print(f"error {error(on_all(evaluated)[best]):.4f} with all of the data")
    print("shares that were evaluated:", [round(share(s), 2) for s in evaluated[:, 2].tolist()])
