"""Search at several scales: it finds narrow maxima near incumbents, keeps off the bounds, and drifts over plateaus."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from core.acquisition.maximizers import MultiscaleSearch, RandomLocalSearch
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators

SEEDS = range(20)


@dataclass(frozen=True)
class Function:
    """Values by a function of X (..., d)."""

    function: object
    logarithmic: bool = False

    def __call__(self, X: Tensor) -> Tensor:
        return self.function(X)


def searched(maximizer, function, incumbents: Tensor, d: int = 4) -> Tensor:
    generators = make_generators(list(SEEDS))
    points, _ = maximizer(Function(function), d, generators, incumbents.expand(len(SEEDS), -1, -1))
    return points


def test_a_narrow_maximum_beside_an_incumbent_is_found():
    centre = torch.tensor([0.31, 0.62, 0.15, 0.8], dtype=torch.float64)
    incumbent = (centre + 0.01)[None, None]
    points = searched(MultiscaleSearch(), lambda X: -(X - centre).abs().sum(-1), incumbent)
    assert ((points - centre).abs().amax(-1) < 5e-3).all()


def test_the_ascent_finds_the_maximum_to_high_precision():
    centre = torch.tensor([0.31, 0.62, 0.15, 0.8], dtype=torch.float64)
    points = searched(
        MultiscaleSearch(ascents=50), lambda X: -(X - centre).square().sum(-1), torch.rand(1, 3, 4).double()
    )
    assert ((points - centre).abs().amax(-1) < 1e-3).all()


def test_where_all_is_alike_no_coordinate_is_at_a_bound():
    """Clamped steps put a share of all candidates exactly on the bounds."""
    incumbents = torch.full((1, 3, 4), 0.03, dtype=torch.float64)
    flat = lambda X: torch.zeros(X.shape[:-1])  # noqa: E731
    points = searched(MultiscaleSearch(), flat, incumbents)
    clamped = searched(RandomLocalSearch(uniform_share=0.0), flat, incumbents)
    assert ((points > 0) & (points < 1)).all() and ((clamped == 0) | (clamped == 1)).any()


def test_it_crosses_a_plateau():
    """The value depends on the first coordinate's cell alone: a strict gain needs a jump."""
    staircase = lambda X: (X[..., 0] * 40).floor()  # noqa: E731
    start = torch.full((1, 1, 4), 0.02, dtype=torch.float64)
    points = searched(MultiscaleSearch(candidates=16, rounds=40), staircase, start)
    assert ((points[:, 0] * 40).floor() >= 38).float().mean() > 0.9


def test_coordinates_without_an_order_are_drawn_anew():
    """From a choice at one end to one at the other, which steps of 0.002 would not reach."""
    last = lambda X: (X[..., 0] > 0.9).double() - X[..., 1:].square().sum(-1)  # noqa: E731
    start = torch.full((1, 1, 4), 0.01, dtype=torch.float64)
    maximizer = MultiscaleSearch(candidates=64, deviations=(0.002,), step=0.002, unordered=frozenset({0}))
    assert (searched(maximizer, last, start)[:, 0] > 0.9).all()


@pytest.mark.parametrize("settings", [{"candidates": 0}, {"deviations": ()}, {"step": 0.0}, {"rounds": -1}])
def test_settings_are_checked(settings):
    with pytest.raises(UserError, match="MultiscaleSearch"):
        MultiscaleSearch(**settings)
