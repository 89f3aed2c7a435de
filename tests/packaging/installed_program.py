"""What a user's program does with an installed package: searches, and every public model. Not a test by itself."""

from __future__ import annotations

import inspect
import time
from pathlib import Path

import torch
from hpo_replications.foundation.randomness import make_generators
from hpo_replications.models.curves.base import CurveModel
from hpo_replications.models.ensemble import EnsembleModel

from hpo_replications import minimize, models

START = time.perf_counter()
X = torch.rand(12, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
Y = X.sum(-1)
TASK = models.Task(X[None], Y[None])
RUN = make_generators([0])
SMALL = {
    "ABLR": {"iterations": 3},
    "AdaptiveLeastSquares": {"widths": (5,), "steps": 20, "refit_every": 10},
    "BayesByBackprop": {"widths": (5,), "epochs": 2},
    "BayesianLinearRegression": {"chains": 3, "burn_in": 2},
    "BayesianNetwork": {"widths": (5,), "burn_in": 20, "steps": 40, "thinning": 20},
    "DNGO": {"widths": (5,), "epochs": 2, "chains": 3, "burn_in": 2},
    "GaussianProcess": {"restarts": 1, "iterations": 5},
    "LeastSquaresNetwork": {"widths": (5,), "epochs": 2},
    "MCDropout": {"widths": (5,), "epochs": 2},
    "MarginalisedGP": {"chains": 3, "burn_in": 2},
    "MultiTaskNetwork": {"widths": (5,), "burn_in": 20, "steps": 40, "thinning": 20},
    "ProbabilisticBackpropagation": {"widths": (5,), "epochs": 2},
    "PybnnDNGO": {"widths": (5,), "epochs": 2, "chains": 3, "burn_in": 2},
    "RandomForest": {"trees": 3},
    "StackedGP": {"restarts": 1, "iterations": 5},
    "LCNet": {"chains": 1, "burn_in": 20, "steps": 40, "thinning": 10},
    "CurveNetwork": {"chains": 1, "burn_in": 20, "steps": 40, "thinning": 10},
}
ARGUMENTS = {
    "MultiTaskGP": ([TASK],),
    "MultiTaskNetwork": ([TASK],),
    "StackedGP": ([models.Task(X[None], Y[None], context=torch.tensor([1.0]))], torch.tensor([0.0])),
}
BASES = {"EnsembleModel", "GaussianMixtureModel", "MetaNetwork"}  # MetaNetwork is fitted to tasks by papers/profet
CURVES = torch.rand(6, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64).sort(1, True).values.numpy()


def fitted(name: str) -> None:
    """Fit one model to a dozen points, and predict."""
    kind, given = getattr(models, name), SMALL.get(name, {})
    if issubclass(kind, CurveModel):
        mean, variance = kind(**given).fit(X[:6].numpy(), CURVES).extrapolate(1.0)
        assert len(mean) == len(variance) == 6
        return
    model = kind(*ARGUMENTS.get(name, ()), **given).fit(X, Y, RUN)
    mean, variance = model.moments(X[:3])
    assert mean.numel() == 3 and torch.isfinite(mean).all() and (variance > 0).all()


def main() -> None:
    """Search with a few methods, then fit every model; the time and the number of models are printed."""
    where = Path(inspect.getfile(minimize)).resolve()
    assert "site-packages" in where.parts, where
    for method in ("gp", "bohamiann", "rf", "tpe"):
        space = {"x": (-5.0, 5.0), "n": (1, 9)}
        result = minimize(lambda c: c["x"] ** 2 + c["n"], space, method=method, evaluations=7, progress=False)
        assert len(result.trace) == 7
    public = [name for name in models.__all__ if inspect.isclass(getattr(models, name))]
    chosen = [name for name in public if issubclass(getattr(models, name), (EnsembleModel, CurveModel))]
    for name in sorted(set(chosen) - BASES):
        fitted(name)
    print(f"{len(chosen) - len(BASES)} models in {time.perf_counter() - START:.0f} s")


if __name__ == "__main__":
    main()
