"""What every maximizer promises, on functions whose optimum is known."""

import math

import pytest
import torch
from botorch.test_functions import Branin, Hartmann

from core.acquisition.maximizers import (
    EvolutionarySearch,
    GradientAscent,
    GridSearch,
    MultiscaleSearch,
    NoCandidateError,
    OneStepSearch,
    RandomLocalSearch,
    regular_grid,
)
from core.foundation.randomness import make_generators

SEARCHES = [RandomLocalSearch(), GradientAscent(), EvolutionarySearch(), GridSearch(regular_grid(2, 41))]
CENTRES = torch.tensor([[0.3, 0.7], [0.95, 0.05], [0.5, 0.5]], dtype=torch.float64)

every_search = pytest.mark.parametrize("search", SEARCHES, ids=lambda search: type(search).__name__)


class Function:
    """An acquisition function from a formula of X (runs, n, d)."""

    logarithmic = False

    def __init__(self, formula):
        self.formula, self.calls = formula, []

    def __call__(self, X):
        self.calls.append(X.detach())
        return self.formula(X)


def peaks(runs=slice(None)):
    """One peak a run, at CENTRES."""
    return Function(lambda X: -(X - CENTRES[runs].unsqueeze(1)).square().sum(-1))


def problem(function):
    """The negative of a function of BoTorch on the unit cube."""
    low, high = function.bounds.double()
    return Function(lambda X: -function.double().evaluate_true(low + X * (high - low)))


@every_search
def test_the_peak_of_each_run_is_found(search):
    points, values = search(peaks(), 2, make_generators([0, 1, 2]))
    assert points.shape == (3, 2) and values.shape == (3,)
    torch.testing.assert_close(points, CENTRES, atol=0.013 if isinstance(search, GridSearch) else 2e-3, rtol=0)
    torch.testing.assert_close(values, peaks()(points.unsqueeze(1)).squeeze(1))


@every_search
def test_a_peak_outside_the_cube_is_met_at_the_face(search):
    points, _ = search(Function(lambda X: X[..., 0] - (X[..., 1] + 1).square()), 2, make_generators([0, 1]))
    torch.testing.assert_close(points, torch.tensor([[1.0, 0.0]] * 2, dtype=torch.float64), atol=2e-3, rtol=0)


@every_search
def test_candidates_stay_in_the_cube(search):
    function = Function(lambda X: (X.square() * 3).sin().sum(-1))
    search(function, 2, make_generators([0, 1]), torch.rand(2, 3, 2, generator=make_generators([5])[0]).double())
    seen = torch.cat([X.flatten(0, 1) for X in function.calls])
    assert seen.min() >= 0 and seen.max() <= 1 and all(X.shape[0] == 2 for X in function.calls)


@every_search
def test_a_run_s_search_depends_on_no_other_run(search):
    together = make_generators([0, 1, 2])
    points, _ = search(peaks(), 2, together)
    for run in range(3):
        alone = make_generators([run])
        torch.testing.assert_close(search(peaks([run]), 2, alone)[0], points[run : run + 1], atol=1e-12, rtol=0)
        assert torch.equal(alone[0].get_state(), together[run].get_state())


@every_search
def test_a_flat_run_does_not_notice_how_long_another_searches(search):
    def formula(X):
        return peaks(slice(len(X))).formula(X) * torch.tensor([0.0, 1.0])[: len(X), None]

    points, _ = search(Function(formula), 2, make_generators([0, 1]))
    alone, _ = search(Function(formula), 2, make_generators([0]))
    torch.testing.assert_close(points[:1], alone, atol=1e-12, rtol=0)


@every_search
def test_nan_is_never_chosen(search):
    def formula(X):
        return torch.where(X[..., 0] > 0.4, torch.nan, peaks().formula(X))

    points, values = search(Function(formula), 2, make_generators([0, 1, 2]))
    assert values.isfinite().all() and (points[:, 0] <= 0.4).all()
    torch.testing.assert_close(points[0], CENTRES[0], atol=0.02, rtol=0)


@every_search
def test_minus_infinity_is_a_value_and_nan_is_none(search):
    function = Function(lambda X: torch.where(X[..., 0] > 0.5, torch.nan, -torch.inf) + 0 * X.sum(-1))
    points, values = search(function, 2, make_generators(range(30)))
    assert values.tolist() == [-math.inf] * 30 and (points[:, 0] <= 0.5).all()


@every_search
def test_a_run_with_nothing_but_nan_is_one_error(search):
    def formula(X):
        return peaks().formula(X) + torch.tensor([0.0, math.nan, 0.0]).unsqueeze(1)

    with pytest.raises(NoCandidateError, match=r"nan in runs \[1\]") as caught:
        search(Function(formula), 2, make_generators([0, 1, 2]))
    assert caught.value.runs == [1]


@every_search
def test_a_flat_function_is_random_search(search):
    runs = 200
    points, values = search(Function(lambda X: 0 * X.sum(-1)), 2, make_generators(range(runs)))
    assert (values == 0).all()
    # Means of 200 uniforms are within 5 standard errors of a half, and their deviations near sqrt(1/12).
    assert ((points.mean(0) - 0.5).abs() < 5 * (1 / 12 / runs) ** 0.5).all()
    assert ((points.std(0) - (1 / 12) ** 0.5).abs() < 0.06).all()


@pytest.mark.parametrize("search", SEARCHES[:3], ids=lambda search: type(search).__name__)
@pytest.mark.parametrize("scale, shift", [(1e-12, 0), (1e12, 0), (1.0, 1e6)])
def test_units_of_the_values_do_not_matter(search, scale, shift):
    function = Function(lambda X: peaks().formula(X) * scale + shift)
    points, _ = search(function, 2, make_generators([0, 1, 2]))
    torch.testing.assert_close(points, CENTRES, atol=2e-3, rtol=0)


@pytest.mark.parametrize("search", SEARCHES[:3], ids=lambda search: type(search).__name__)
@pytest.mark.parametrize("function", [Branin(), Hartmann(6)], ids=["branin", "hartmann6"])
def test_global_optima_are_found(search, function):
    _, values = search(problem(function), function.dim, make_generators(range(4)))
    assert values.max().item() == pytest.approx(-function.optimal_value, abs=2e-2)
    second_best = 0.12 if function.dim == 6 else 0.02  # Hartmann6's next optimum is -3.2032
    assert (values > -function.optimal_value - second_best - 0.01).all()


def on_thirds(X):
    return torch.cat([(X[..., :1] * 3).round() / 3, X[..., 1:]], -1)


@pytest.mark.parametrize("kind", [RandomLocalSearch, GradientAscent, EvolutionarySearch])
def test_only_projected_points_are_suggested(kind):
    points, values = kind(project=on_thirds)(peaks(), 2, make_generators([0, 1, 2]))
    torch.testing.assert_close(on_thirds(points), points)
    expected = torch.stack([torch.tensor([1 / 3, 1, 2 / 3]).double(), CENTRES[:, 1]], 1)
    torch.testing.assert_close(points[:2], expected[:2], atol=0.02, rtol=0)
    torch.testing.assert_close(values, peaks()(points.unsqueeze(1)).squeeze(1))


@pytest.mark.parametrize("kind", [RandomLocalSearch, EvolutionarySearch])
def test_only_projected_points_are_valued(kind):
    function = peaks()
    kind(project=on_thirds)(function, 2, make_generators([0, 1, 2]))
    seen = torch.cat([X.flatten(0, 1) for X in function.calls])
    torch.testing.assert_close(on_thirds(seen), seen)


@pytest.mark.parametrize("search", [
    RandomLocalSearch(candidates=20, deviation=0.01), GradientAscent(candidates=20), EvolutionarySearch(),
], ids=lambda search: type(search).__name__)  # fmt: skip
def test_incumbents_are_looked_at(search):
    def needle(X):
        return torch.exp(-(X - 0.123456).square().sum(-1) / 2e-4)

    incumbents = torch.full((2, 1, 4), 0.13, dtype=torch.float64)
    _, values = search(Function(needle), 4, make_generators([0, 1]), incumbents)
    assert (values > 0.999).all()


def test_ascents_that_have_ended_are_valued_no_more():
    function = Function(lambda X: torch.sin(9 * X).sum(-1))
    GradientAscent(candidates=20, restarts=6)(function, 2, make_generators([0, 1]))
    first, *ascents, ends = [X.shape[1] for X in function.calls]
    assert (first, ascents[0], ends) == (20, 6, 6)
    assert ascents == sorted(ascents, reverse=True) and ascents[-1] < 6


def test_a_function_without_gradient_is_an_error():
    with pytest.raises(ValueError, match="GradientAscent: Function has no gradient"):
        GradientAscent()(Function(lambda X: X.detach().sum(-1)), 2, make_generators([0]))


@every_search
def test_bad_arguments(search):
    generators = make_generators([0, 1])
    with pytest.raises(ValueError, match=r"returned \(2,\)"):
        search(Function(lambda X: X.sum((1, 2))), 2, generators)
    with pytest.raises(ValueError, match="incumbents have shape"):
        search(peaks(), 2, generators, torch.zeros(2, 3))
    with pytest.raises(ValueError, match="unit cube"):
        search(peaks(), 2, generators, torch.full((2, 1, 2), 1.5))
    with pytest.raises(ValueError, match="0 generators"):
        search(peaks(), 2, [])


@pytest.mark.parametrize("kind, setting", [
    (RandomLocalSearch, {"candidates": 0}), (RandomLocalSearch, {"steps": -1}),
    (RandomLocalSearch, {"uniform_share": 1.5}), (RandomLocalSearch, {"step": 0.0}),
    (GradientAscent, {"restarts": 0}), (EvolutionarySearch, {"crossover": 2}),
    (EvolutionarySearch, {"mutation": (1.0, 0.5)}), (EvolutionarySearch, {"iterations": 0}),
])  # fmt: skip
def test_settings_out_of_range(kind, setting):
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.{next(iter(setting))}"):
        kind(**setting)


def test_grids():
    assert regular_grid(2, 3).tolist()[:4] == [[0, 0], [0, 0.5], [0, 1], [0.5, 0]] and len(regular_grid(3, 4)) == 64
    own = torch.stack([CENTRES[[1, 2]], CENTRES[[0, 1]]])
    points, _ = GridSearch(own)(peaks(slice(2)), 2, make_generators([0, 1]))
    torch.testing.assert_close(points, CENTRES[[2, 1]])
    for bad in (torch.zeros(3), torch.zeros(0, 2)):
        with pytest.raises(ValueError, match=r"GridSearch\.points"):
            GridSearch(bad)
    with pytest.raises(ValueError, match=r"GridSearch\.points"):
        GridSearch(own)(peaks(), 2, make_generators([0, 1, 2]))


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize(
    "search",
    [
        *SEARCHES,
        EvolutionarySearch(polish=True, iterations=5),
        MultiscaleSearch(ascents=5),
        OneStepSearch((9, 9), starts=2),
    ],
    ids=lambda search: type(search).__name__,
)
def test_nan_never_ties_with_minus_infinity(search, runs):
    """All that is allowed has been seen, which is minus infinity; the rest is forbidden, which is nan."""
    gone = torch.tensor(-torch.inf, dtype=torch.float64)
    seen = Function(lambda X: torch.where(X[..., 0] < 0.2, gone + 0 * X.sum(-1), torch.nan))
    for seed in range(5):
        points, values = search(seen, 2, make_generators(range(seed, seed + runs)))
        assert (points[:, 0] < 0.2).all() and values.isneginf().all()


def test_a_search_that_starts_among_forbidden_points_leaves_them():
    """One start of one step's neighbourhood at a time: those who begin in the nine tenths that are nan climb out."""
    slope = Function(lambda X: torch.where(X[..., 0] < 0.5, -X[..., 0], torch.nan))
    search = RandomLocalSearch(candidates=1, starts=1, step=0.5, neighbours=64)
    points, _ = search(slope, 1, make_generators(range(40)))
    assert (points < 0.05).all()
