"""Data that break models: constant targets, duplicated points, one observation, 50 dimensions, extreme units; and units
that double precision cannot hold, which every model refuses."""

import pytest
import torch

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.ablr import ABLR
from core.models.bayes_by_backprop import BayesByBackprop
from core.models.bohamiann import BayesianNetwork
from core.models.constraint import NoisyConstraint
from core.models.curves.freeze_thaw import FreezeThaw
from core.models.curves.lcnet import LCNet
from core.models.dngo import DNGO
from core.models.gaussian_process import GaussianProcess, MarginalisedGP
from core.models.least_squares import LeastSquaresNetwork
from core.models.linear_regression import BayesianLinearRegression
from core.models.mc_dropout import MCDropout
from core.models.meta_models import TaskEncoder
from core.models.pbp import ProbabilisticBackpropagation
from core.models.pybnn_dngo import PybnnDNGO
from core.models.random_forest import RandomForest
from core.models.tasks import Fourier

MODELS = {
    "GaussianProcess": lambda: GaussianProcess(restarts=2, iterations=30),
    "warped GaussianProcess": lambda: GaussianProcess(restarts=2, iterations=30, warping=True),
    "MarginalisedGP": lambda: MarginalisedGP(chains=3, burn_in=2),
    "warped MarginalisedGP": lambda: MarginalisedGP(chains=3, burn_in=2, warping=True),
    "RandomForest": lambda: RandomForest(trees=10),
    "DNGO": lambda: DNGO(widths=(10, 10), chains=3, burn_in=2),
    "PybnnDNGO": lambda: PybnnDNGO(widths=(10, 10), epochs=20, chains=3, burn_in=5),
    "BayesianLinearRegression": lambda: BayesianLinearRegression(chains=3, burn_in=5),
    "LeastSquaresNetwork": lambda: LeastSquaresNetwork(widths=(10, 5), epochs=20),
    "BayesianNetwork": lambda: BayesianNetwork(widths=(10, 10), burn_in=200, steps=300, thinning=20),
}


OTHERS = {
    "BayesByBackprop": lambda: BayesByBackprop(widths=(5,), epochs=2),
    "MCDropout": lambda: MCDropout(widths=(5,), epochs=2),
    "ProbabilisticBackpropagation": lambda: ProbabilisticBackpropagation(widths=(5,), epochs=2),
    "ABLR": lambda: ABLR(iterations=3),
    "Fourier ABLR": lambda: ABLR(representation=Fourier(8), iterations=3),
}


def rand(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


CASES = {
    "one observation": (rand(1, 1, 3), torch.full((1, 1), 2.0)),
    "two runs of one observation": (rand(2, 1, 3), torch.tensor([[2.0], [-3.0]])),
    "duplicated points": (rand(1, 1, 3).expand(1, 12, 3), torch.full((1, 12), 2.0).index_fill(1, torch.tensor([3]), 3)),
    "constant targets": (rand(2, 12, 3), torch.full((2, 12), 2.0)),
    "50 dimensions": (rand(1, 12, 50), rand(1, 12)),
    "targets of 1e12": (rand(1, 12, 3), 1e12 * rand(1, 12)),
    "targets of 1e-12": (rand(1, 12, 3), 1e-12 * rand(1, 12)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_finite_and_in_the_targets_range(name, case):
    X, y = CASES[case]
    model = MODELS[name]()
    if name == "LeastSquaresNetwork" and X.shape[1] < 5:
        with pytest.raises(ValueError, match="points for a last layer of 5 units"):
            model.fit(X, y, make_generators(range(len(X))))
        return
    model.fit(X, y, make_generators(range(len(X))))
    for at in (X, rand(len(X), 5, X.shape[-1])):
        mean, variance = model.moments(at)
        scale = y.abs().max()
        assert mean.shape == at.shape[:-1] and torch.isfinite(mean).all() and torch.isfinite(variance).all()
        assert (variance > 0).all() and (variance.sqrt() < 20 * scale).all()
        assert ((mean - y.mean(1, keepdim=True)).abs() < 10 * scale).all()


@pytest.mark.parametrize("scale", [1e160, 1e308])
@pytest.mark.parametrize("name", MODELS | OTHERS)
def test_targets_that_double_precision_cannot_standardize_are_refused(name, scale):
    """Their squares overflow: predictions were nan."""
    X, y = rand(1, 12, 3), (0.5 + rand(1, 12)) * scale
    with pytest.raises(
        UserError, match=r"training data: y from .* cannot be standardized in double precision; rescale"
    ):
        (MODELS | OTHERS)[name]().fit(X, y, make_generators([0]))


@pytest.mark.parametrize("name", MODELS | OTHERS)
def test_inputs_beyond_any_use_are_refused(name):
    X = rand(1, 12, 3) * (1.0 if "warped" in name else 1e160)
    X = X + 2 if "warped" in name else X
    with pytest.raises(UserError, match=r"training data: X (from|reaches) .*; .*rescale it|needs X in \[0, 1\]"):
        (MODELS | OTHERS)[name]().fit(X, rand(1, 12), make_generators([0]))


def test_other_data_that_double_precision_cannot_standardize_are_refused():
    scale = 1e160
    X, y, generators = rand(12, 3), (0.5 + rand(12, 4)) * scale, make_generators([0])
    chain = {"widths": (5,), "chains": 1, "burn_in": 1, "steps": 2, "thinning": 1}
    for fit in (
        lambda: FreezeThaw(updates=1).fit(X, y),
        lambda: LCNet(**chain).fit(X, y),
        lambda: NoisyConstraint(widths=(5,), epochs=1).fit(X * scale, X[:, 0] > 0.5, generators),
        lambda: TaskEncoder.fit(y, generators[0], dimensions=2, steps=1),
    ):
        with pytest.raises(UserError, match="cannot be standardized in double precision; rescale it"):
            fit()
