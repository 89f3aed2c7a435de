"""Local search of one step: against a climb written with lists, on spaces where its end is known, and on bad values."""

from itertools import product

import numpy as np
import pytest
import torch
from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, Float, Integer, OrdinalHyperparameter
from hypothesis import given
from hypothesis import strategies as st

from core.acquisition.maximizers import OneStepSearch
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.spaces import CubeEncoding

SIZES, CATEGORICAL = (4, 3, 2, 5), frozenset({1, 2})


class Looked:
    """An acquisition function by configuration: values (runs, 4, 3, 2, 5)."""

    logarithmic = False

    def __init__(self, values: np.ndarray) -> None:
        self.values = torch.as_tensor(values)
        self.calls = []

    def __call__(self, X: torch.Tensor) -> torch.Tensor:
        levels = (X * X.new_tensor(SIZES)).floor().long()
        assert torch.allclose((levels + 0.5) / X.new_tensor(SIZES), X, rtol=0, atol=1e-12)
        self.calls.append(levels)
        return torch.stack([values[tuple(rows.T)] for values, rows in zip(self.values, levels, strict=True)])


def neighbours(level: tuple[int, ...]) -> list[tuple[int, ...]]:
    found = []
    for place, size in enumerate(SIZES):
        others = range(size) if place in CATEGORICAL else (level[place] - 1, level[place] + 1)
        found += [(*level[:place], o, *level[place + 1 :]) for o in others if o != level[place] and 0 <= o < size]
    return found


def search(values: np.ndarray, seeds: list[int], starts: int = 1) -> tuple[list[tuple[int, ...]], Looked]:
    looked = Looked(values)
    X, _ = OneStepSearch(SIZES, CATEGORICAL, starts=starts)(looked, len(SIZES), make_generators(seeds))
    return [tuple(row) for row in (X * X.new_tensor(SIZES)).floor().long().tolist()], looked


@given(seed=st.integers(0, 2**32 - 1))
def test_jumps_to_the_best_neighbour_until_none_is_better(seed):
    values = np.random.default_rng(seed).permutation(np.arange(360.0)).reshape(3, *SIZES)
    found, looked = search(values, [seed, seed + 1, seed + 2])
    for run, end in enumerate(found):
        here, last = tuple(looked.calls[0][run, 0].tolist()), None
        while here != last:
            last, here = here, max([here, *neighbours(here)], key=lambda level: values[run][level])
        assert end == here


def test_every_start_reaches_the_maximum_of_a_separable_function():
    rng = np.random.default_rng(1)
    terms = [-np.abs(np.arange(size) - rng.integers(size)) + 0.1 * rng.random(size) for size in SIZES]
    values = sum(np.expand_dims(term, [i for i in range(4) if i != place]) for place, term in enumerate(terms))
    best = np.unravel_index(values.argmax(), SIZES)
    found, _ = search(np.broadcast_to(values, (40, *SIZES)).copy(), list(range(40)))
    assert set(found) == {tuple(int(level) for level in best)}


def test_the_best_of_many_optima_is_taken():
    values = np.random.default_rng(3).random((20, *SIZES))
    many, _ = search(values, list(range(20)), starts=30)
    assert sum(values[run][end] == values[run].max() for run, end in enumerate(many)) >= 18


def test_a_flat_function_means_random_search():
    found, _ = search(np.zeros((200, *SIZES)), list(range(200)))
    assert len(set(found)) > 85  # of 120 configurations
    assert {level[3] for level in found} == set(range(5))


def test_ties_between_neighbours_are_broken_at_random():
    values = np.zeros((60, *SIZES))
    for level in product(*map(range, SIZES)):
        values[(slice(None), *level)] = float(level[1] > 0)
    found, looked = search(values, list(range(60)))
    moved = [end[1] for end, first in zip(found, looked.calls[0][:, 0].tolist(), strict=True) if first[1] == 0]
    assert set(moved) == {1, 2}


def test_nan_is_never_chosen_and_a_run_does_not_depend_on_others():
    rng = np.random.default_rng(5)
    values = rng.random((8, *SIZES))
    values[rng.random(values.shape) < 0.6] = np.nan
    together, _ = search(values, list(range(8)))
    assert all(not np.isnan(values[run][end]) for run, end in enumerate(together))
    assert [search(values[[run]], [run])[0][0] for run in range(8)] == together


def test_spaces():
    space = ConfigurationSpace(seed=0)
    space.add(
        Integer("i", (1, 4)), CategoricalHyperparameter("c", ["a", "b", "d"]), OrdinalHyperparameter("o", [1, 10, 100])
    )
    encoding = CubeEncoding(space)
    made = OneStepSearch.of(encoding)
    names = [column.name for column in encoding.columns]
    assert dict(zip(names, made.sizes, strict=True)) == {"i": 4, "c": 3, "o": 3}
    assert {names[place] for place in made.categorical} == {"c"}
    space.add(Float("f", (0.0, 1.0)))
    with pytest.raises(UserError, match="'f' is continuous; allowed: finite spaces"):
        OneStepSearch.of(CubeEncoding(space))
    with pytest.raises(ValueError, match="has 4, expected 2"):
        OneStepSearch(SIZES)(lambda X: X.sum(-1), 2, make_generators([0]))
    with pytest.raises(ValueError, match="starts"):
        OneStepSearch(SIZES, starts=0)


def test_a_limited_search_makes_no_more_steps():
    """Up a slope of 50 values, from 64 random ones: ten steps lead from the lowest to the tenth at least."""

    class Slope:
        logarithmic = False

        def __call__(self, X: torch.Tensor) -> torch.Tensor:
            return X[..., 0]

    def ends(steps: int | None) -> np.ndarray:
        points, _ = OneStepSearch((50,), steps=steps)(Slope(), 1, make_generators(range(64)))
        return np.rint(points[:, 0].numpy() * 50 - 0.5)

    starts = ends(1) - 1
    np.testing.assert_array_equal(ends(10), np.minimum(starts + 10, 49))
    assert (ends(None) == 49).all() and starts.min() < 30
    with pytest.raises(ValueError, match="steps"):
        OneStepSearch((50,), steps=0)
