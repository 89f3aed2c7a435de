"""What all models accept in `fit` they accept in `predict`, and what is no number they refuse in both."""

import warnings

import numpy as np
import pytest
import torch
from botorch.exceptions.warnings import InputDataWarning

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.ablr import ABLR
from core.models.bayes_by_backprop import BayesByBackprop
from core.models.bohamiann import BayesianNetwork
from core.models.constraint import NoisyConstraint
from core.models.dngo import DNGO
from core.models.gaussian_process import GaussianProcess, MarginalisedGP
from core.models.least_squares import LeastSquaresNetwork
from core.models.linear_regression import BayesianLinearRegression
from core.models.mc_dropout import MCDropout
from core.models.multitask_gp import StackedGP
from core.models.pbp import ProbabilisticBackpropagation
from core.models.random_forest import RandomForest
from core.models.tasks import Task

X = torch.rand(12, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
Y = X.sum(-1)
EARLIER = Task(X[None], Y[None], context=torch.tensor([1.0]))
MODELS = {
    "GaussianProcess": lambda: GaussianProcess(restarts=1, iterations=5),
    "warped GaussianProcess": lambda: GaussianProcess(restarts=1, iterations=5, warping=True),
    "MarginalisedGP": lambda: MarginalisedGP(chains=3, burn_in=2),
    "StackedGP": lambda: StackedGP([EARLIER], torch.tensor([0.0]), restarts=1, iterations=5),
    "RandomForest": lambda: RandomForest(trees=3),
    "DNGO": lambda: DNGO(widths=(5,), epochs=2, chains=3, burn_in=2),
    "BayesianLinearRegression": lambda: BayesianLinearRegression(chains=3, burn_in=5),
    "LeastSquaresNetwork": lambda: LeastSquaresNetwork(widths=(5,), epochs=2),
    "BayesianNetwork": lambda: BayesianNetwork(widths=(5,), burn_in=20, steps=40, thinning=20),
    "BayesByBackprop": lambda: BayesByBackprop(widths=(5,), epochs=2),
    "MCDropout": lambda: MCDropout(widths=(5,), epochs=2),
    "ProbabilisticBackpropagation": lambda: ProbabilisticBackpropagation(widths=(5,), epochs=2),
    "ABLR": lambda: ABLR(iterations=3),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return MODELS[request.param]().fit(X, Y, make_generators([0]))


@pytest.mark.parametrize("of", [torch.Tensor.numpy, torch.Tensor.tolist], ids=["array", "list"])
def test_arrays_and_lists_are_predicted_for_as_tensors_are(fitted, of):
    for name in ("predict", "moments"):
        for given, expected in zip(getattr(fitted, name)(of(X)), getattr(fitted, name)(X), strict=True):
            assert torch.equal(given, expected)
    assert torch.equal(fitted.posterior(of(X)).mean, fitted.posterior(X).mean)


@pytest.mark.parametrize("of", [torch.Tensor.clone, torch.Tensor.tolist], ids=["tensor", "list"])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_points_that_are_not_finite_are_refused(fitted, wrong, of):
    points = X.clone()
    points[1, 2] = wrong
    with pytest.raises(ValueError, match=rf"{type(fitted).__name__}: X\[(0, )?1, 2\] is {wrong}, expected finite"):
        fitted.moments(of(points))


def test_finite_points_whose_sum_overflows_are_no_error():
    forest = MODELS["RandomForest"]().fit(X, Y, make_generators([0]))
    assert torch.isfinite(forest.moments(torch.full((2, 3), 1e308, dtype=torch.float64))[0]).all()


@pytest.mark.parametrize("name", MODELS)
def test_a_seed_in_the_place_of_generators_is_refused(name):
    with pytest.raises(UserError, match=r"generators is 0; allowed: a torch\.Generator, .*make_generators"):
        MODELS[name]().fit(X, Y, 0)


def test_a_constraint_checks_its_points_too():
    model = NoisyConstraint(widths=(5,), epochs=1).fit(X, X[:, 0] > 0.5, make_generators([0]))
    assert torch.equal(model.probability(X.numpy()), model.probability(X))
    with pytest.raises(ValueError, match=r"NoisyConstraint: X\[0, 0\] is nan, expected finite values"):
        model.probability([[np.nan, 0.5, 0.5]])


IN_THE_CUBE = ("GaussianProcess", "MarginalisedGP", "StackedGP", "DNGO", "ABLR")  # those that do not scale inputs


@pytest.mark.parametrize("name", [name for name in MODELS if name != "warped GaussianProcess"])
def test_inputs_outside_the_unit_cube_are_warned_of_where_they_matter(name):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", InputDataWarning)
        model = MODELS[name]()
        model.fit(X * 1000, Y, make_generators([0]))
    texts = [str(each.message) for each in said if each.category is InputDataWarning]
    assert len(texts) == (name in IN_THE_CUBE)
    assert all(text.startswith(f"{name}: X reaches from ") and "scale each column to [0, 1]" in text for text in texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputDataWarning)
        MODELS[name]().fit(X, Y, make_generators([0]))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("wrong", ["X with nan", "y that is infinite", "shapes"])
def test_training_data_that_cannot_be_meant_are_one_clear_error(name, wrong):
    points, targets = X.clone(), Y.clone()
    if wrong == "X with nan":
        points[1, 2] = torch.nan
    elif wrong == "y that is infinite":
        targets[3] = torch.inf
    else:
        targets = targets[:-1]
    message = {"X with nan": r"X\[0, 1, 2\] is nan", "y that is infinite": r"y\[0, 3\] is inf"}.get(
        wrong, "have|has shape"
    )
    with pytest.raises(UserError, match=f"training data: {message}" if wrong != "shapes" else message):
        MODELS[name]().fit(points, targets, make_generators([0]))
