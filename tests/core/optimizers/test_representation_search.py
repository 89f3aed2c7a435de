"""The rule for a batch against itself written out for one run, the loop in lockstep, and ask and tell around it."""

import math

import numpy as np
import pytest
import torch
from ConfigSpace import Categorical, ConfigurationSpace, Float, ForbiddenAndConjunction, ForbiddenEqualsClause
from hypothesis import given
from hypothesis import strategies as st

from core.acquisition.maximizers.base import regular_grid
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.least_squares import AdaptiveLeastSquares
from core.objectives.base import Evaluation
from core.objectives.synthetic import gaussian_mixture
from core.optimizers.representation import RepresentationBatches, RepresentationSearch, select
from core.study import run_serial


def small_model(**settings):
    return AdaptiveLeastSquares(**{"widths": (10, 8), "steps": 40, "refit_every": 20, "min_noise": 1e-8, **settings})


def data(runs=3, n=12):
    X = torch.rand(runs, n, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return X, gaussian_mixture.on_cube(X)


def p_value(a, b, spread):
    """Two-sided, of a normal of mean b."""
    return math.erfc(abs(a - b) / spread / math.sqrt(2))


def expected_improvements(rule, y):
    """Over the rule's candidates, (runs, n)."""
    mean, variance = rule.model.moments(rule.candidates)
    sd, best = variance.sqrt(), y.amin(1, keepdim=True)
    normal = torch.distributions.Normal(0.0, 1.0)
    gamma = (best - mean) / sd
    return sd * (gamma * normal.cdf(gamma) + normal.log_prob(gamma).exp())


def assert_maximal(ei, index):
    """The first query of each run's batch has the largest improvement, but for the rounding of single precision."""
    largest = ei.amax(1)
    torch.testing.assert_close(ei.gather(1, index[:, :1]).squeeze(1), largest, rtol=1e-4, atol=1e-9)


def written_out(ei, mean, deviation, count, picked):
    """One run, candidate after candidate."""
    chosen, explored = [], []
    before = list(picked)
    for _ in range(count):
        free = [
            i
            for i in range(len(ei))
            if i not in chosen and ei[i] > 0 and all(p_value(mean[i], m, s) < 0.5 for m, s in before)
        ]
        rest = [i for i in range(len(ei)) if i not in chosen]
        place = max(free, key=lambda i: ei[i]) if free else max(rest, key=lambda i: deviation[i])
        chosen.append(place)
        explored.append(not free)
        before.append((mean[place], deviation[place]))
    return chosen, explored


@given(st.integers(0, 10_000), st.integers(0, 2), st.floats(0.01, 3.0))
def test_selection_is_the_rule_written_out(seed, pending, spread):
    rng = np.random.default_rng(seed)
    mean, deviation = rng.normal(size=(2, 30)), spread * rng.uniform(0.1, 1, size=(2, 30))
    ei = np.where(rng.uniform(size=(2, 30)) < 0.5, rng.uniform(size=(2, 30)), 0)
    picked = rng.normal(size=(2, pending)), spread * rng.uniform(0.1, 1, size=(2, pending))
    index, explored = select(*map(torch.tensor, (ei, mean, deviation)), 5, tuple(map(torch.tensor, picked)))
    for r in range(2):
        expected = written_out(ei[r], mean[r], deviation[r], 5, zip(picked[0][r], picked[1][r], strict=True))
        assert (index[r].tolist(), explored[r].tolist()) == expected


def test_without_positive_improvement_the_largest_variances_are_taken():
    deviation = torch.tensor([[0.1, 0.5, 0.3, 0.4]])
    index, explored = select(torch.zeros(1, 4), torch.arange(4.0)[None], deviation, 3)
    assert index.tolist() == [[1, 3, 2]] and explored.all()


def test_first_query_of_a_batch_maximizes_expected_improvement_over_all_candidates():
    X, y = data()
    rule = RepresentationBatches(regular_grid(2, 40), small_model())
    batch = rule.propose(X, y, make_generators([0, 1, 2]))
    assert_maximal(expected_improvements(rule, y), batch.rows)
    assert (batch.points == rule.candidates[batch.rows]).all()


def test_runs_do_not_depend_on_each_other():
    X, y = data()
    together = RepresentationBatches(regular_grid(2, 15), small_model())
    together.propose(X, y, make_generators([0, 1, 2]))
    ei = expected_improvements(together, y)
    for r in range(3):
        rule = RepresentationBatches(regular_grid(2, 15), small_model())
        alone = rule.propose(X[r : r + 1], y[r : r + 1], make_generators([r]))
        found = expected_improvements(rule, y[r : r + 1])
        # products of one matrix and of a batch round differently, which 40 steps in single precision amplify
        torch.testing.assert_close(found[0], ei[r], rtol=0.01, atol=0.01 * ei[r].max().item())
        assert_maximal(found, alone.rows)


def test_features_follow_the_network_when_it_is_trained_anew():
    X, y = data(n=40)
    rule, generators = RepresentationBatches(regular_grid(2, 15), small_model()), make_generators([0, 1, 2])
    for n in (12, 17, 32, 40):
        batch = rule.propose(X[:, :n], y[:, :n], generators)
        assert_maximal(expected_improvements(rule, y[:, :n]), batch.rows)  # by the features of today's network


def test_as_many_points_as_units_still_give_a_batch():
    """No residual: the variance stands at its floor, and improvement is defined."""
    X, y = data(n=8)
    rule = RepresentationBatches(regular_grid(2, 15), small_model())
    batch = rule.propose(X, y, make_generators([0, 1, 2]))
    assert (rule.model.noise_variance == 1e-8).all()
    assert all(len(set(run)) == 5 for run in batch.rows.tolist())


def test_fewer_candidates_than_a_batch_are_refused():
    with pytest.raises(ValueError, match=r"candidates of shape \(4, 2\); allowed: \(n, d\) with n at least 5"):
        RepresentationBatches(regular_grid(2, 2), small_model())


def search(seed=0, **settings):
    return RepresentationSearch(gaussian_mixture.space, regular_grid(2, 15), small_model(**settings), seed=seed)


def loss(trial):
    x = [trial.configuration["x1"], trial.configuration["x2"]]
    value = gaussian_mixture(torch.tensor(x, dtype=torch.float64)).item()
    return Evaluation(np.array([value]), np.ones(1), ({},))


def test_nothing_is_proposed_until_the_initial_design_is_told():
    optimizer = search()
    initial = optimizer.ask(20)
    assert len(initial) == 8 and {trial.info["origin"] for trial in initial} == {"initial design"}
    for trial in initial[:-1]:
        optimizer.tell(trial, loss(trial))
        assert optimizer.ask(1) == []
    optimizer.tell(initial[-1], loss(initial[-1]))
    assert len(optimizer.ask(7)) == 7


def test_pending_points_are_not_asked_for_again():
    optimizer = search()
    for trial in optimizer.ask(8):
        optimizer.tell(trial, loss(trial))
    trials = optimizer.ask(10)  # two batches, nothing told in between
    places = [tuple(trial.configuration.values()) for trial in trials]
    assert len(set(places)) == 10


def test_a_restored_search_goes_on_the_same(tmp_path):
    optimizer = search()
    run_serial(optimizer, gaussian_mixture, 30, 0)
    optimizer.ask(2)
    optimizer.save(tmp_path / "state")
    other = search(seed=5)
    other.restore(tmp_path / "state")
    runs = [run_serial(one, gaussian_mixture, 20, 0) for one in (optimizer, other)]
    assert [r.configuration for r in runs[0]] == [r.configuration for r in runs[1]]


@pytest.mark.parametrize(
    "setting, words",
    [
        ({"widths": (8, 6)}, "representation.widths"),
        ({"steps": 7}, "steps 7"),
        ({"learning_rate": 0.01}, "representation.learning_rate 0.01"),
    ],
)
def test_a_state_with_another_model_is_refused(tmp_path, setting, words):
    search(**setting).save(tmp_path / "state")
    with pytest.raises(UserError, match=rf"state with {words}.*; allowed: the same"):
        search().restore(tmp_path / "state")


@pytest.mark.parametrize("other", [{"candidates": regular_grid(2, 14)}, {"batch": 4}])
def test_a_state_with_other_candidates_or_batches_is_refused(tmp_path, other):
    settings = {"candidates": regular_grid(2, 15), "batch": 5}
    RepresentationSearch(gaussian_mixture.space, model=small_model(), **{**settings, **other}).save(tmp_path / "state")
    with pytest.raises(UserError, match=f"state with {next(iter(other))}"):
        search().restore(tmp_path / "state")


def test_search_finds_the_maximum_of_the_mixture():
    optimizer = search(steps=300, widths=(20, 20))
    records = run_serial(optimizer, gaussian_mixture, 100, 0)
    grid = gaussian_mixture.on_cube(regular_grid(2, 15)).min().item()
    assert min(record.loss for record in records) <= grid + 0.1


def test_spaces_with_categories_and_forbidden_configurations():
    space = ConfigurationSpace()
    kind, x = Categorical("kind", ["a", "b"]), Categorical("other", ["c", "d"])
    space.add(kind, x, Float("x", (0.0, 1.0)))
    space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(kind, "b"), ForbiddenEqualsClause(x, "d")))
    optimizer = RepresentationSearch(space, regular_grid(3, 6), small_model(), seed=0)
    for _ in range(4):
        for trial in optimizer.ask(8):
            assert (trial.configuration["kind"], trial.configuration["other"]) != ("b", "d")
            optimizer.tell(trial, Evaluation(np.array([trial.configuration["x"]]), np.ones(1), ({},)))


def test_candidates_of_another_dimension_are_refused():
    with pytest.raises(UserError, match=r"candidates: shape \(27, 3\); allowed: \(n, 2\)"):
        RepresentationSearch(gaussian_mixture.space, regular_grid(3, 3), small_model())
