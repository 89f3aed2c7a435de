"""What BoTorch's users expect of a model: targets with an output axis, and clear words where there is nothing."""

from __future__ import annotations

import pytest
import torch
from botorch.exceptions.errors import UnsupportedError
from botorch.sampling import SobolQMCNormalSampler

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.ensemble import training_data
from tests.core.models.test_inputs import MODELS, X, Y


@pytest.mark.parametrize("name", MODELS)
def test_targets_may_have_an_axis_of_one_output(name):
    flat, column = (MODELS[name]().fit(X, y, make_generators([0])) for y in (Y, Y[:, None]))
    for one, other in zip(flat.moments(X[:3]), column.moments(X[:3])):
        torch.testing.assert_close(one, other)


def test_runs_may_have_one_too_and_several_outputs_are_refused():
    several = X.expand(2, -1, -1)
    X_, y_ = training_data(several, Y.expand(2, -1)[..., None])
    assert X_.shape == (2, 12, 3) and y_.shape == (2, 12)
    with pytest.raises(UserError, match=r"X has shape \(12, 3\) and y \(12, 2\), expected .* or \(N, 1\)"):
        training_data(X, torch.stack([Y, Y], -1))


def test_one_observation_in_each_of_several_runs_is_no_output_axis():
    """X (runs, 1, d) and y (runs, 1): one axis less than X."""
    X_, y_ = training_data(X[:4, None], Y[:4, None])
    assert X_.shape == (4, 1, 3) and y_.shape == (4, 1)


@pytest.mark.parametrize("name", MODELS)
def test_models_without_fantasies_say_what_there_is_instead(name):
    model = MODELS[name]().fit(X, Y, make_generators([0]))
    with pytest.raises(UnsupportedError, match=rf"{type(model).__name__} has no fantasies in BoTorch's sense"):
        model.fantasize(X[:2], SobolQMCNormalSampler(torch.Size([2])))
    with pytest.raises(UnsupportedError, match="without a new fit; allowed: `fit` with all of them"):
        model.condition_on_observations(X[:2], Y[:2, None])
