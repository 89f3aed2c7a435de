"""Features of configurations: distances that do not depend on the order of categories or on what is inactive."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float

from core.foundation.randomness import make_generators
from core.models.gaussian_process import GaussianProcess
from core.optimizers.features import Features
from core.spaces import CubeEncoding

CHOICES = ["a", "b", "c", "d"]


def space_with(choices: list[str]) -> CubeEncoding:
    space = ConfigurationSpace()
    space.add(Categorical("kind", choices), Float("x", (0.0, 1.0)))
    return CubeEncoding(space)


def conditional() -> CubeEncoding:
    space = ConfigurationSpace()
    kind, x, y = Categorical("kind", ["p", "q"]), Float("x", (0.0, 1.0)), Float("y", (0.0, 1.0))
    space.add(kind, x, y)
    space.add(EqualsCondition(y, kind, "q"))
    return CubeEncoding(space)


def features(encoding: CubeEncoding, *configurations: dict) -> torch.Tensor:
    return Features(encoding)(torch.as_tensor(encoding.encode(configurations)))


def test_all_choices_are_equally_far_apart():
    Z = features(space_with(CHOICES), *({"kind": kind, "x": 0.3} for kind in CHOICES))
    apart = torch.cdist(Z, Z)[~torch.eye(4, dtype=torch.bool)]
    torch.testing.assert_close(apart, torch.ones(12, dtype=torch.float64))


def test_inactive_is_equally_far_from_every_value_and_equal_to_inactive():
    given = [
        {"kind": "p", "x": 0.2},
        {"kind": "p", "x": 0.2},
        *({"kind": "q", "x": 0.2, "y": y} for y in (0.0, 0.4, 1)),
    ]
    apart = torch.cdist(*2 * [features(conditional(), *given)])
    assert apart[0, 1] == 0
    torch.testing.assert_close(apart[0, 2:], apart[0, 2].expand(3))
    assert apart[2, 4] > apart[2, 3] > 0  # two active ones are compared


def test_ordered_coordinates_are_themselves():
    encoding = CubeEncoding({"x": (0.0, 1.0), "n": (1, 9)})
    X = torch.rand(3, 5, 2, dtype=torch.float64)
    assert Features(encoding).trivial and Features(encoding)(X) is X


def test_the_gradient_is_that_of_the_feature():
    encoding = conditional()
    x = torch.as_tensor(encoding.encode([{"kind": "q", "x": 0.2, "y": 0.6}])).requires_grad_()
    assert torch.autograd.gradcheck(lambda inner: Features(encoding)(inner)[..., -3:], (x,), atol=1e-6)


@pytest.mark.parametrize("order", [[2, 0, 3, 1], [3, 2, 1, 0]])
def test_predictions_do_not_depend_on_the_names_order(order):
    """The same observations under permuted choices: the same process, up to where L-BFGS stops."""
    draw = np.random.default_rng(0)
    given = [{"kind": CHOICES[i % 4], "x": float(draw.random())} for i in range(12)]
    y = torch.tensor([[("abcd".index(one["kind"]) * 7 % 4) + one["x"] ** 2 for one in given]], dtype=torch.float64)
    asked = [{"kind": kind, "x": x} for kind, x in itertools.product(CHOICES, (0.1, 0.9))]
    predicted = []
    for choices in (CHOICES, [CHOICES[i] for i in order]):
        encoding = space_with(choices)
        model = GaussianProcess(dimension_scaled=True, restarts=1)
        model.fit(features(encoding, *given)[None], y, make_generators([0]))
        predicted.append(model.moments(features(encoding, *asked)[None])[0])
    torch.testing.assert_close(*predicted, atol=1e-3, rtol=1e-3)
